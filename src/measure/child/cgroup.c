/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/cgroup.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/procstat.h"
#include "host/host.h"
#include "host/machine.h"
#include "measure/child/wakeup_prio.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
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

/*
 * Finds the mount of the version 1 hierarchy with the controller ("cpuacct"), or of version 2 ("").
 * mountinfo: "id parent maj:min root mountpoint options … - type source superoptions", see proc(5).
 */
static bool find_mount(const char *sysroot, const char *controller, char mount[static 1024],
	char root[static 1024])
{
	ET_AUTO_FREE char *file = et_asprintf("%s/proc/self/mountinfo", sysroot);
	ET_AUTO_FCLOSE FILE *f = fopen(file, "re");
	ET_AUTO_FREE char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char type[64], options[512];
		const char *dash = strstr(line, " - ");
		if (!dash || sscanf(line, "%*s %*s %*s %1023s %1023s", root, mount) != 2 ||
			sscanf(dash, " - %63s %*s %511s", type, options) != 2)
			continue;
		if (*controller ? !strcmp(type, "cgroup") &&
					  et_list_has(options, ",", controller, strlen(controller))
				: !strcmp(type, "cgroup2"))
			return true;
	}
	return false;
}

bool et_cgroup_find(const char *sysroot, const char *controller, char *folder, size_t size)
{
	char mount[1024], root[1024], path[2048];

	if (!find_mount(sysroot, controller, mount, root) ||
		et_process_cgroup(sysroot, "self", controller, path, sizeof(path)) <= 0)
		return false;
	/* In a container the mount may show a subtree of the hierarchy only: cut off its root. */
	const char *inside = path;
	size_t len = strlen(root);
	if (len > 1 && !strncmp(path, root, len) && (!path[len] || path[len] == '/'))
		inside = path + len;
	snprintf(folder, size, "%s%s%s", sysroot, mount, strcmp(inside, "/") ? inside : "");
	return true;
}

static int open_in(const char *dir, const char *file, int flags)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

/*
 * Makes a folder of ours and locks it. The name may be taken, by an etalon with the same PID in
 * another PID namespace or by leftovers that cannot be ended, and a sweep may remove the folder
 * before it is locked: then another name is tried.
 */
static bool make_folder(const char *home, int number, char dir[static 4096], int *procs_fd)
{
	enum { TRIES = 1000 };
	char path[4200];

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
		snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
		int fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0 && et_host_names_file(path, fd)) {
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
	bool version1 = source == ET_CPU_BY_CPUACCT;

	if (!et_cgroup_find(root, version1 ? "cpuacct" : "", g->home, sizeof(g->home)))
		return false;
	g->home_fd = open_in(g->home, "cgroup.procs", O_WRONLY);
	bool ready = g->home_fd >= 0;
	for (int slot = 0; ready && slot < ET_SLOTS; slot++) {
		if (!make_folder(g->home, slot, g->dir[slot], &g->procs_fd[slot]))
			return false;
		g->usage_fd[slot] =
			open_in(g->dir[slot], version1 ? "cpuacct.usage" : "cpu.stat", O_RDONLY);
		ready = g->usage_fd[slot] >= 0;
	}
	return ready && write(g->procs_fd[0], "0", 1) == 1;
}

static void clear(struct et_cgroup *g)
{
	*g = (struct et_cgroup){ .source = ET_CPU_BY_WAIT4,
		.usage_fd = { -1, -1 },
		.procs_fd = { -1, -1 },
		.home_fd = -1 };
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
	if (!et_cgroup_open_source(g, root, ET_CPU_BY_CPUACCT))
		(void)!et_cgroup_open_source(g, root, ET_CPU_BY_CPU_STAT);
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
	if (!et_cgroup_find(root, "perf_event", home, sizeof(home)) &&
		!et_cgroup_find(root, "", home, sizeof(home)))
		return false;
	if (make_folder(home, ET_SLOTS, g->dir, &g->procs_fd))
		g->dir_fd = open(g->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g->dir_fd >= 0)
		return true;
	et_event_group_close(g);
	return false;
}

/* --- ending what a killed etalon left --- */

/* A sweep may take this long; processes that fork faster than they can be killed stay. */
static const uint64_t MOST_NS = 5000000000;
/*
 * Programs may make groups within theirs; no hierarchy is deeper than this in practice. Reading
 * names takes time, which processes that fork could use: a few are enough.
 */
enum { DEEPEST = 16, NAMED = 16 };

/* One pass over a group. PID 0 is a process that our PID namespace does not contain. */
struct pass {
	size_t killed, unseen;
	struct et_sweep *out;
};

/* Adds the name of a process that is to be killed, unless the list has it or is full. */
static void note_name(int pid, struct et_sweep *out)
{
	struct et_procstat s;
	size_t n = strlen(out->names);

	if (et_procstat_read("", pid, &s) || !s.comm[0])
		return;
	size_t length = strlen(s.comm);
	for (const char *at = out->names; (at = strstr(at, s.comm)); at++) {
		if ((at == out->names || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return;
	}
	if (n + length + sizeof(", ") <= sizeof(out->names))
		snprintf(out->names + n, sizeof(out->names) - n, "%s%s", n ? ", " : "", s.comm);
}

static void kill_members(int dir_fd, struct pass *p)
{
	int fd = openat(dir_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	ET_AUTO_FCLOSE FILE *f = fd < 0 ? NULL : fdopen(fd, "re");
	int pid;

	while (f && fscanf(f, "%d", &pid) == 1) {
		if (pid <= 0) {
			p->unseen++;
			continue;
		}
		if (p->killed < NAMED)
			note_name(pid, p->out);
		if (kill(pid, SIGKILL) == 0)
			p->killed++;
	}
}

/* Kills the members of a group and of those within it, and removes the inner ones. */
static void kill_tree(int dir_fd, int depth, struct pass *p)
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	while (d && depth < DEEPEST && (e = readdir(d))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		ET_AUTO_CLOSE int inner =
			openat(dir_fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner >= 0)
			kill_tree(inner, depth + 1, p);
		unlinkat(dir_fd, e->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
	kill_members(dir_fd, p);
	/* Version 2, since Linux 5.14: kills all members, also those that are just forking. */
	ET_AUTO_CLOSE int kill_fd = openat(dir_fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	if (kill_fd >= 0)
		(void)!write(kill_fd, "1", 1);
}

/* While the lock is held no etalon can become the owner. False if one is. */
static bool lock_against_owners(int dir_fd, int *fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	/* Only who may write to the group owns it: a read lock of other users is no obstacle. */
	*fd = openat(dir_fd, "cgroup.procs", O_RDWR | O_CLOEXEC);
	return *fd >= 0 && fcntl(*fd, F_OFD_SETLK, &lock) == 0;
}

static void sweep_one(int home_fd, const char *name, uint64_t deadline_ns, struct et_sweep *out)
{
	ET_AUTO_CLOSE int dir_fd =
		openat(home_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ET_AUTO_CLOSE int lock_fd = -1;
	struct et_wakeup_prio hurry = { 0 };
	size_t first = 0;

	if (dir_fd < 0 || !lock_against_owners(dir_fd, &lock_fd))
		return;
	for (bool again = false;; again = true) {
		struct pass p = { .out = out };
		if (again && !hurry.raised)
			et_wakeup_prio_hurry(&hurry);
		kill_tree(dir_fd, 0, &p);
		first = again ? first : p.killed;
		if (unlinkat(home_fd, name, AT_REMOVEDIR) == 0)
			break;
		bool busy = errno == EBUSY;
		bool over = et_clock_read_ns(CLOCK_MONOTONIC) > deadline_ns;
		if (over) {
			out->left += p.killed;
			first -= first > p.killed ? p.killed : first;
		}
		if (over || !busy || (p.unseen && !p.killed))
			break;
		usleep(500);
	}
	et_wakeup_prio_lower(&hurry);
	out->ended += first;
}

/* Whether a folder has a name that make_folder() gives. */
static bool is_slot(const char *name)
{
	int pid, n, slot;
	char more;

	return sscanf(name, ET_CGROUP_PREFIX "%d.%d-%d%c", &pid, &n, &slot, &more) == 3;
}

void et_cgroup_sweep(const char *folder, struct et_sweep *out)
{
	uint64_t deadline_ns = et_clock_read_ns(CLOCK_MONOTONIC) + MOST_NS;
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (is_slot(e->d_name))
			sweep_one(dirfd(d), e->d_name, deadline_ns, out);
	}
	if (d)
		closedir(d);
}

void et_cgroup_sweep_all(const char *root, struct et_sweep *out)
{
	static const char *const controllers[] = { "cpuacct", "perf_event", "" };
	char folder[4096];

	for (size_t i = 0; i < ET_LENGTH(controllers); i++) {
		if (et_cgroup_find(root, controllers[i], folder, sizeof(folder)))
			et_cgroup_sweep(folder, out);
	}
}
