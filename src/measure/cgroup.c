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

/* Folders are named etalon-PID-SLOT; if no process has the PID, a killed run left the folder. */
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

/* Whether a list "a,b,c" has the name. The list is cut into pieces. */
static bool list_has(char *list, const char *name)
{
	char *rest;

	for (char *o = strtok_r(list, ",\n", &rest); o; o = strtok_r(NULL, ",\n", &rest)) {
		if (!strcmp(o, name))
			return true;
	}
	return false;
}

static FILE *open_proc(const char *root, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/proc/self/%s", root, name);
	return fopen(path, "re");
}

/*
 * Finds the mount of the version 1 hierarchy with the controller ("cpuacct"), or of version 2 ("").
 * mountinfo: "id parent maj:min root mountpoint options … - type source superoptions", see proc(5).
 */
static bool find_mount(const char *sysroot, const char *controller, char mount[static 1024],
	char root[static 1024])
{
	ET_AUTO_FCLOSE FILE *f = open_proc(sysroot, "mountinfo");
	ET_AUTO_FREE char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char type[64], options[512];
		const char *dash = strstr(line, " - ");
		if (!dash || sscanf(line, "%*s %*s %*s %1023s %1023s", root, mount) != 2 ||
			sscanf(dash, " - %63s %*s %511s", type, options) != 2)
			continue;
		if (*controller ? !strcmp(type, "cgroup") && list_has(options, controller)
				: !strcmp(type, "cgroup2"))
			return true;
	}
	return false;
}

/* Our path within that hierarchy, from /proc/self/cgroup: "4:cpu,cpuacct:/path", "0::/path". */
static bool find_path(const char *sysroot, const char *controller, char *path, size_t size)
{
	ET_AUTO_FCLOSE FILE *f = open_proc(sysroot, "cgroup");
	ET_AUTO_FREE char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char *names = strchr(line, ':');
		char *where = names ? strchr(++names, ':') : NULL;
		if (!where)
			continue;
		*where++ = '\0';
		where[strcspn(where, "\n")] = '\0';
		if (*controller ? list_has(names, controller) : !*names) {
			snprintf(path, size, "%s", where);
			return true;
		}
	}
	return false;
}

static const char *controller_of(enum et_cpu_source source)
{
	return source == ET_CPU_BY_CPUACCT ? "cpuacct" : "";
}

bool et_cgroup_find(const char *sysroot, enum et_cpu_source source, char *folder, size_t size)
{
	const char *controller = controller_of(source);
	char mount[1024], root[1024], path[2048];

	if (!find_mount(sysroot, controller, mount, root) ||
		!find_path(sysroot, controller, path, sizeof(path)))
		return false;
	/* In a container the mount may show a subtree of the hierarchy only: cut off its root. */
	const char *inside = path;
	size_t len = strlen(root);
	if (len > 1 && !strncmp(path, root, len) && (!path[len] || path[len] == '/'))
		inside = path + len;
	snprintf(folder, size, "%s%s%s", sysroot, mount, strcmp(inside, "/") ? inside : "");
	return true;
}

/*
 * Kills the processes that a killed run left in its group. A PID of 0 in cgroup.procs is a process
 * in another PID namespace, so the group belongs to an etalon that runs in a container or outside
 * of ours; so does a group that contains an etalon. Then nothing is killed, and the result is
 * false.
 */
static bool end_members(const char *root, const char *dir)
{
	char path[4400], name[64];
	int pid;
	int32_t members[256];
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
	while (f && n < ET_LENGTH(members) && fscanf(f, "%d", &pid) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		if (pid <= 0 || et_sysroot_line(root, path, name, sizeof(name)) < 0 ||
			!strcmp(name, "etalon"))
			return false;
		members[n++] = pid;
	}
	for (size_t i = 0; i < n; i++)
		kill(members[i], SIGKILL);
	return f != NULL;
}

/* A live etalon is in its slot 0: unless that can be removed, slot 1 has an owner, too. */
static void remove_slots(const char *root, const char *home, int pid)
{
	char dir[4300];

	for (int slot = 0; slot < ET_SLOTS; slot++) {
		snprintf(dir, sizeof(dir), "%s/%s%d-%d", home, prefix, pid, slot);
		if (access(dir, F_OK) < 0)
			continue;
		if (!end_members(root, dir))
			return;
		for (int i = 0; i < 20 && rmdir(dir) < 0; i++) {
			if (errno != EBUSY)
				return;
			usleep(1000);
		}
	}
}

void et_cgroup_sweep(const char *root, const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, prefix, sizeof(prefix) - 1))
			continue;
		int pid = (int)strtol(e->d_name + sizeof(prefix) - 1, NULL, 10);
		if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH)
			remove_slots(root, folder, pid);
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

static bool try_source(struct et_cgroup *g, const char *root, enum et_cpu_source source)
{
	const char *usage = source == ET_CPU_BY_CPUACCT ? "cpuacct.usage" : "cpu.stat";

	if (!et_cgroup_find(root, source, g->home, sizeof(g->home)))
		return false;
	et_cgroup_sweep(root, g->home);
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
		if (ready && slot == 0) /* at once: another etalon removes an empty slot 0 */
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

bool et_cgroup_open_source(struct et_cgroup *g, const char *root, enum et_cpu_source source)
{
	clear(g);
	if (try_source(g, root, source)) {
		g->source = source;
		return true;
	}
	et_cgroup_close(g);
	return false;
}

void et_cgroup_open(struct et_cgroup *g, const char *root)
{
	/* Version 1 counts nanoseconds, version 2 microseconds. */
	if (et_cgroup_open_source(g, root, ET_CPU_BY_CPUACCT))
		return;
	if (!et_cgroup_open_source(g, root, ET_CPU_BY_CPU_STAT))
		g->source = ET_CPU_BY_WAIT4;
}

void et_cgroup_close(struct et_cgroup *g)
{
	if (g->home_fd >= 0 && write(g->home_fd, "0", 1) < 0)
		g->source = ET_CPU_BY_WAIT4; /* the groups stay; the next run removes them */
	for (int slot = 0; slot < ET_SLOTS; slot++) {
		et_cleanup_close(&g->usage_fd[slot]);
		et_cleanup_close(&g->procs_fd[slot]);
		if (g->dir[slot][0])
			rmdir(g->dir[slot]);
	}
	et_cleanup_close(&g->home_fd);
	clear(g);
}
