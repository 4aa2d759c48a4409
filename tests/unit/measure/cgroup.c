/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding our control group on replayed texts of /proc, and removing groups of killed runs. */
#include "measure/child/cgroup.h"
#include "measure/tree.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

struct machine {
	const char *what;
	const char *mountinfo, *cgroup;
	const char *v1, *v2; /* expected folders; NULL: none */
};

/* Lines as these systems show them. */
static const struct machine machines[] = {
	{ "systemd with version 2 (Debian 12)",
		"24 31 0:22 / /proc rw,nosuid shared:12 - proc proc rw\n"
		"29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 "
		"cgroup2 rw,nsdelegate,memory_recursiveprot\n",
		"0::/user.slice/user-1000.slice/session-3.scope\n", NULL,
		"/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope" },
	{ "version 1, cpu and cpuacct mounted together (CentOS 7)",
		"25 18 0:20 / /sys/fs/cgroup ro shared:8 - tmpfs tmpfs ro,mode=755\n"
		"26 25 0:21 / /sys/fs/cgroup/systemd rw shared:9 - cgroup cgroup "
		"rw,xattr,name=systemd\n"
		"28 25 0:23 / /sys/fs/cgroup/cpu,cpuacct rw shared:10 - cgroup cgroup "
		"rw,cpuacct,cpu\n",
		"10:memory:/\n4:cpuacct,cpu:/user.slice\n1:name=systemd:/user.slice\n",
		"/sys/fs/cgroup/cpu,cpuacct/user.slice", NULL },
	{ "hybrid: version 1 controllers, version 2 for names (Debian 10)",
		"32 31 0:29 / /sys/fs/cgroup/unified rw shared:5 - cgroup2 cgroup2 rw,nsdelegate\n"
		"33 31 0:30 / /sys/fs/cgroup/cpuacct rw shared:6 - cgroup cgroup rw,cpuacct\n",
		"2:cpuacct:/\n0::/init.scope\n", "/sys/fs/cgroup/cpuacct",
		"/sys/fs/cgroup/unified/init.scope" },
	{ "no control groups", "24 31 0:22 / /proc rw - proc proc rw\n", "", NULL, NULL },
	{ "mounted, but the process is in none",
		"29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "", NULL, NULL },
	{ "container that sees its subtree of the hierarchy (Docker, version 1)",
		"1201 1198 0:30 /docker/0f3a /sys/fs/cgroup/cpuacct ro master:11 - cgroup cgroup "
		"rw,cpu,cpuacct\n",
		"4:cpu,cpuacct:/docker/0f3a\n", "/sys/fs/cgroup/cpuacct", NULL },
	{ "container, in a group below its root",
		"1201 1198 0:30 /docker/0f3a /sys/fs/cgroup/cpuacct ro master:11 - cgroup cgroup "
		"rw,cpu,cpuacct\n",
		"4:cpu,cpuacct:/docker/0f3a/worker\n", "/sys/fs/cgroup/cpuacct/worker", NULL },
	{ "container whose root is a prefix of another name",
		"1201 1198 0:30 /docker/0f3a /sys/fs/cgroup/cpuacct ro - cgroup cgroup "
		"rw,cpuacct\n",
		"4:cpuacct:/docker/0f3a77\n", "/sys/fs/cgroup/cpuacct/docker/0f3a77", NULL },
	{ "container with a cgroup namespace (Podman, version 2)",
		"700 690 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n",
		"0::/\n", NULL, "/sys/fs/cgroup" },
	{ "broken lines", "nonsense\n1 2 3 4 5 6 -\n- - - - -\n 7 8 9 / /x - cgroup2\n",
		"nonsense\n4:\n:\n0:cpuacct\n", NULL, NULL },
};

static bool is_found(const char *controller, const char *want)
{
	char folder[4096] = "";
	bool found = et_cgroup_find(tree, controller, folder, sizeof(folder));

	if (found != (want != NULL) || (found && strcmp(folder + strlen(tree), want))) {
		printf("# found '%s', expected '%s'\n", folder, want ? want : "none");
		return false;
	}
	return true;
}

static void finding(void)
{
	for (size_t i = 0; i < ET_LENGTH(machines); i++) {
		const struct machine *m = &machines[i];
		tree_write("/proc/self/mountinfo", m->mountinfo);
		tree_write("/proc/self/cgroup", m->cgroup);
		ok(is_found("cpuacct", m->v1), "%s: version 1", m->what);
		ok(is_found("", m->v2), "%s: version 2", m->what);
	}
}

static bool exists(const char *path)
{
	ET_AUTO_FREE char *full = et_asprintf("%s%s", tree, path);

	return access(full, F_OK) == 0;
}

/* The folder is there, but it is no control group: its files do not appear. */
static void falling_back(void)
{
	struct et_cgroup g;

	tree_write("/proc/self/mountinfo", machines[2].mountinfo);
	tree_write("/proc/self/cgroup", machines[2].cgroup);
	tree_write("/sys/fs/cgroup/cpuacct/tasks", "");
	et_cgroup_open(&g, tree);
	ok(g.source == ET_CPU_BY_WAIT4 && g.home_fd == -1 && g.usage_fd[0] == -1,
		"where no group can be made wait4 is used");
	et_cgroup_close(&g);
	ok(g.source == ET_CPU_BY_WAIT4, "closing without groups changes nothing");
	tree_write("/sys/fs/cgroup/cpuacct/cgroup.procs", "");
	et_cgroup_open(&g, tree);
	ET_AUTO_FREE char *left =
		et_asprintf("/sys/fs/cgroup/cpuacct/etalon-%d.0-0", (int)getpid());
	ok(g.source == ET_CPU_BY_WAIT4 && !exists(left), "a group that is half made is removed");
}

static void usage(void)
{
	static const struct {
		enum et_cpu_source source;
		const char *text;
		uint64_t want_ns;
		const char *what;
	} cases[] = {
		{ ET_CPU_BY_CPUACCT, "123456789\n", 123456789, "nanoseconds are kept" },
		{ ET_CPU_BY_CPU_STAT, "usage_usec 2500\nuser_usec 1000\n", 2500000,
			"microseconds are converted" },
		{ ET_CPU_BY_CPUACCT, "", ET_UNKNOWN, "an empty file is unknown" },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		tree_write("/usage", cases[i].text);
		ET_AUTO_FREE char *path = et_asprintf("%s/usage", tree);
		ET_AUTO_CLOSE int fd = open(path, O_RDONLY);
		ok(et_cgroup_usage_ns(cases[i].source, fd) == cases[i].want_ns, "usage of %s: %s",
			et_cpu_source_names[cases[i].source], cases[i].what);
	}
	ok(et_cgroup_usage_ns(ET_CPU_BY_CPUACCT, -1) == ET_UNKNOWN,
		"usage without a file is unknown");
}

/* Whether a process that is listed in a group is ended; the owner holds this lock on the group. */
static bool sweeps(const char *name, short lock_type)
{
	ET_AUTO_FREE char *folder = et_asprintf("%s/sys/fs/cgroup", tree);
	ET_AUTO_FREE char *member = et_asprintf("/sys/fs/cgroup/%s/cgroup.procs", name);
	ET_AUTO_FREE char *path = et_asprintf("%s%s", tree, member);
	struct flock lock = { .l_type = lock_type, .l_whence = SEEK_SET };
	struct et_sweep sweep = { 0 };
	char procs[64];
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		for (;;)
			pause();
	}
	snprintf(procs, sizeof(procs), "%d\n", (int)pid);
	tree_write(member, procs);
	ET_AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC);
	bool locked = fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) == 0;
	et_cgroup_sweep(folder, &sweep);
	if (!sweep.ended)
		kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	unlink(path);
	return locked && sweep.ended == 1 && WTERMSIG(status) == SIGKILL;
}

static void sweeping(void)
{
	ok(sweeps("etalon-5000000.0-0", F_UNLCK),
		"sweep: a process that a killed etalon left in its group is killed");
	ok(sweeps("etalon-5000000.12-1", F_UNLCK), "sweep: every name of a slot is known");
	ok(!sweeps("etalon-5000000.1-0", F_WRLCK),
		"sweep: a group that a live etalon has locked is left alone");
	ok(sweeps("etalon-5000000.2-0", F_RDLCK),
		"sweep: a read lock, which other users may take, does not protect a group");
	ok(!sweeps("etalon-of-mine", F_UNLCK), "sweep: a group with another name is left alone");
}

int main(void)
{
	tree_open();
	finding();
	falling_back();
	usage();
	sweeping();
	tree_close();
	return tap_done();
}
