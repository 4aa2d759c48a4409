/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/cgroup.h"
#include "base/sysroot.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

/* Folders are called etalon-PID-LANE; the pid tells a group that was left behind by a kill. */
static const char prefix[] = "etalon-";

uint64_t et_cgroup_usage_ns(enum et_cpu_source source, int usage_fd)
{
	char buf[256];
	uint64_t value = 0;
	ssize_t n = pread(usage_fd, buf, sizeof(buf) - 1, 0);
	const char *p = buf;

	if (n <= 0)
		return ET_UNKNOWN;
	buf[n] = '\0';
	while (*p && !isdigit((unsigned char)*p)) /* "usage_usec 123" or "123" */
		p++;
	for (; isdigit((unsigned char)*p); p++)
		value = value * 10 + (uint64_t)(*p - '0');
	return source == ET_CPU_BY_CPU_STAT ? value * 1000 : value;
}

/*
 * Finds our group in the hierarchy that has the controller ("cpuacct"), or in version 2 ("").
 * mountinfo: "id parent maj:min root mountpoint options … - type source superoptions".
 */
static bool find_mount(const char *controller, char *mount, size_t size, char *root, size_t rsize)
{
	ET_AUTO_FCLOSE FILE *f = fopen("/proc/self/mountinfo", "re");
	ET_AUTO_FREE char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char mroot[1024], where[1024], type[64], options[512], *rest;
		const char *dash = strstr(line, " - ");
		if (!dash || sscanf(line, "%*s %*s %*s %1023s %1023s", mroot, where) != 2 ||
			sscanf(dash, " - %63s %*s %511s", type, options) != 2)
			continue;
		bool match = *controller ? !strcmp(type, "cgroup") : !strcmp(type, "cgroup2");
		if (match && *controller) {
			match = false;
			for (char *o = strtok_r(options, ",\n", &rest); o;
				o = strtok_r(NULL, ",\n", &rest))
				match = match || !strcmp(o, controller);
		}
		if (match) {
			snprintf(mount, size, "%s", where);
			snprintf(root, rsize, "%s", mroot);
			return true;
		}
	}
	return false;
}

/* Our path within that hierarchy, from /proc/self/cgroup: "4:cpu,cpuacct:/path", "0::/path". */
static bool find_path(const char *controller, char *path, size_t size)
{
	ET_AUTO_FCLOSE FILE *f = fopen("/proc/self/cgroup", "re");
	ET_AUTO_FREE char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char *names = strchr(line, ':');
		char *where = names ? strchr(names + 1, ':') : NULL;
		if (!where)
			continue;
		*where++ = '\0';
		where[strcspn(where, "\n")] = '\0';
		bool match = !*controller && !names[1];
		char *rest;
		for (char *o = strtok_r(names + 1, ",", &rest); *controller && o;
			o = strtok_r(NULL, ",", &rest))
			match = match || !strcmp(o, controller);
		if (match) {
			snprintf(path, size, "%s", where);
			return true;
		}
	}
	return false;
}

/*
 * Ends what a killed run left in its group. A number of 0 is a process of another namespace, and
 * an etalon in it is a living one of such: then the group is none of our business.
 */
static bool end_members(const char *dir)
{
	char path[4400], name[64];
	int pid;
	int32_t members[256];
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
	while (f && n < ET_LENGTH(members) && fscanf(f, "%d", &pid) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		if (pid <= 0 || et_sysroot_line("", path, name, sizeof(name)) < 0 ||
			!strcmp(name, "etalon"))
			return false;
		members[n++] = pid;
	}
	for (size_t i = 0; i < n; i++)
		kill(members[i], SIGKILL);
	return f != NULL;
}

/* A living etalon sits in its slot 0: only when that can go is slot 1 without an owner. */
static void remove_slots(const char *home, int pid)
{
	char dir[4300];

	for (int slot = 0; slot < ET_SLOTS; slot++) {
		snprintf(dir, sizeof(dir), "%s/%s%d-%d", home, prefix, pid, slot);
		if (access(dir, F_OK) < 0)
			continue;
		if (!end_members(dir))
			return;
		/* Killed members leave after a moment; if one stays, it is a live etalon. */
		int tries = 20;
		while (rmdir(dir) < 0) {
			if (errno != EBUSY || --tries == 0)
				return;
			usleep(1000);
		}
	}
}

/* Folders etalon-PID-LANE whose process is gone were left by a killed run. */
static void sweep(const char *home)
{
	DIR *d = opendir(home);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, prefix, sizeof(prefix) - 1))
			continue;
		int pid = (int)strtol(e->d_name + sizeof(prefix) - 1, NULL, 10);
		if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH)
			remove_slots(home, pid);
	}
	if (d)
		closedir(d);
}

static int open_in(const char *dir, const char *file, int flags)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

static bool try_source(struct et_cgroup *g, enum et_cpu_source source)
{
	const char *controller = source == ET_CPU_BY_CPUACCT ? "cpuacct" : "";
	const char *usage = source == ET_CPU_BY_CPUACCT ? "cpuacct.usage" : "cpu.stat";
	char mount[1024], root[1024], path[2048];

	if (!find_mount(controller, mount, sizeof(mount), root, sizeof(root)) ||
		!find_path(controller, path, sizeof(path)))
		return false;
	/* In a container the mount shows a part of the hierarchy only. */
	const char *inside = path;
	size_t len = strlen(root);
	if (len > 1 && !strncmp(path, root, len))
		inside = path + len;
	snprintf(g->home, sizeof(g->home), "%s%s", mount, strcmp(inside, "/") ? inside : "");
	sweep(g->home);
	g->home_fd = open_in(g->home, "cgroup.procs", O_WRONLY);
	bool ready = g->home_fd >= 0;
	for (int slot = 0; ready && slot < ET_SLOTS; slot++) {
		snprintf(g->dir[slot], sizeof(g->dir[slot]), "%.4000s/%s%d-%d", g->home, prefix,
			(int)getpid(), slot);
		if (mkdir(g->dir[slot], 0755) < 0 && errno != EEXIST) {
			g->dir[slot][0] = '\0';
			return false;
		}
		g->usage_fd[slot] = open_in(g->dir[slot], usage, O_RDONLY);
		g->procs_fd[slot] = open_in(g->dir[slot], "cgroup.procs", O_WRONLY);
		ready = g->usage_fd[slot] >= 0 && g->procs_fd[slot] >= 0;
		if (ready && slot == 0) /* first of all: an empty slot 0 looks like a leftover */
			ready = write(g->procs_fd[0], "0", 1) == 1;
	}
	return ready;
}

static void clear(struct et_cgroup *g)
{
	memset(g, 0, sizeof(*g));
	g->source = ET_CPU_BY_WAIT4;
	g->home_fd = -1;
	for (int slot = 0; slot < ET_SLOTS; slot++)
		g->usage_fd[slot] = g->procs_fd[slot] = -1;
}

bool et_cgroup_open_source(struct et_cgroup *g, enum et_cpu_source source)
{
	clear(g);
	if (try_source(g, source)) {
		g->source = source;
		return true;
	}
	et_cgroup_close(g);
	return false;
}

void et_cgroup_open(struct et_cgroup *g)
{
	/* Version 1 counts nanoseconds, version 2 microseconds. */
	if (!et_cgroup_open_source(g, ET_CPU_BY_CPUACCT))
		et_cgroup_open_source(g, ET_CPU_BY_CPU_STAT);
}

void et_cgroup_close(struct et_cgroup *g)
{
	if (g->home_fd >= 0 && write(g->home_fd, "0", 1) < 0)
		g->source = ET_CPU_BY_WAIT4; /* the groups stay; the next run sweeps them */
	for (int slot = 0; slot < ET_SLOTS; slot++) {
		et_cleanup_close(&g->usage_fd[slot]);
		et_cleanup_close(&g->procs_fd[slot]);
		if (g->dir[slot][0])
			rmdir(g->dir[slot]);
	}
	et_cleanup_close(&g->home_fd);
	clear(g);
}
