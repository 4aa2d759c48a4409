/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends the processes that a killed etalon left in its control groups, and removes the groups. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/procstat.h"
#include "measure/child/cgroup.h"
#include "measure/child/wakeup_prio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

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

/* Version 2, since Linux 5.14: kills all members, also those that are just forking. */
static bool kill_by_kernel(int dir_fd)
{
	ET_AUTO_CLOSE int fd = openat(dir_fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, "1", 1) == 1;
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
	kill_by_kernel(dir_fd);
}

/* While the lock is held no etalon can become the owner. False if one is. */
static bool lock_against_owners(int dir_fd, int *fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	/* Only those who may write to the group own it: a read lock of other users is no obstacle.
	 */
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

/* Whether a folder has a name that make_folder() in cgroup.c gives. */
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
		if (et_cgroup_find_in(root, controllers[i], folder, sizeof(folder)))
			et_cgroup_sweep(folder, out);
	}
}
