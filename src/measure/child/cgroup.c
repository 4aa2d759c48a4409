/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/cgroup.h"
#include "base/sysroot.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

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

bool et_cgroup_find_in(const char *sysroot, const char *controller, char *folder, size_t size)
{
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

bool et_cgroup_find(const char *sysroot, enum et_cpu_source source, char *folder, size_t size)
{
	const char *controller = source == ET_CPU_BY_CPUACCT ? "cpuacct" : "";

	return et_cgroup_find_in(sysroot, controller, folder, size);
}

static int open_in(const char *dir, const char *file, int flags)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

/* Whether the file that fd refers to still has this path. */
static bool is_there(int fd, const char *dir)
{
	struct stat open_file, named;
	char path[4200];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 &&
	       open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

/*
 * Makes a folder of ours and locks it. The name may be taken, by an etalon with the same PID in
 * another PID namespace or by leftovers that cannot be ended, and a sweep may remove the folder
 * before it is locked: then another name is tried.
 */
static bool make_folder(const char *home, int number, char dir[static 4096], int *procs_fd)
{
	enum { TRIES = 1000 };

	for (int i = 0; i < TRIES; i++) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
		snprintf(dir, 4096, "%.4000s/" ET_CGROUP_PREFIX "%d.%d-%d", home, (int)getpid(), i,
			number);
		if (mkdir(dir, 0755) < 0) {
			dir[0] = '\0';
			if (errno != EEXIST)
				return false;
			continue;
		}
		int fd = open_in(dir, "cgroup.procs", O_WRONLY);
		if (fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0 && is_there(fd, dir)) {
			*procs_fd = fd;
			return true;
		}
		bool swept = access(dir, F_OK) < 0 || (fd >= 0 && errno == EAGAIN);
		et_cleanup_close(&fd);
		if (!swept)
			return false;
		dir[0] = '\0';
	}
	return false;
}

static bool try_source(struct et_cgroup *g, const char *root, enum et_cpu_source source)
{
	const char *usage = source == ET_CPU_BY_CPUACCT ? "cpuacct.usage" : "cpu.stat";

	if (!et_cgroup_find(root, source, g->home, sizeof(g->home)))
		return false;
	g->home_fd = open_in(g->home, "cgroup.procs", O_WRONLY);
	bool ready = g->home_fd >= 0;
	for (int slot = 0; ready && slot < ET_SLOTS; slot++) {
		if (!make_folder(g->home, slot, g->dir[slot], &g->procs_fd[slot]))
			return false;
		g->usage_fd[slot] = open_in(g->dir[slot], usage, O_RDONLY);
		ready = g->usage_fd[slot] >= 0;
	}
	return ready && write(g->procs_fd[0], "0", 1) == 1;
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

void et_event_group_close(struct et_event_group *g)
{
	et_cleanup_close(&g->dir_fd);
	et_cleanup_close(&g->procs_fd);
	if (g->dir[0])
		rmdir(g->dir); /* fails if a process is left; the next run removes it */
	*g = (struct et_event_group){ .dir_fd = -1, .procs_fd = -1 };
}

bool et_event_group_open(struct et_event_group *g, const char *root)
{
	char home[4096];

	*g = (struct et_event_group){ .dir_fd = -1, .procs_fd = -1 };
	if (!et_cgroup_find_in(root, "perf_event", home, sizeof(home)) &&
		!et_cgroup_find_in(root, "", home, sizeof(home)))
		return false;
	if (make_folder(home, ET_SLOTS, g->dir, &g->procs_fd))
		g->dir_fd = open(g->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g->dir_fd >= 0)
		return true;
	et_event_group_close(g);
	return false;
}
