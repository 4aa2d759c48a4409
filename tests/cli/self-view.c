/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The attributes of a process that it has inherited from its caller and can find out about.
 *
 *	self-view print FILE     writes it into FILE, to compare it with that of another process
 *	self-view deathsig       prints its parent-death signal
 *	self-view odd COMMAND…   runs COMMAND from a caller whose attributes are unlike the defaults
 *
 * The process group, the session, the cgroup and the parent-death signal are not printed, because
 * etalon changes them for the programs that it measures; etalon-run(1) lists them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- print --- */

static const char *const status_lines[] = { "Umask:", "Uid:", "Gid:", "Groups:", "SigPnd:",
	"ShdPnd:", "SigBlk:", "SigIgn:", "SigCgt:", "CapInh:", "CapPrm:", "CapEff:", "CapBnd:",
	"CapAmb:", "NoNewPrivs:", "Seccomp", "Speculation",
	"Cpus_allowed_list:", "Mems_allowed_list:", "THP_enabled:", NULL };

/*
 * Signals that are ignored, but for 32 and 33: glibc handles them in every program with threads, so
 * it depends on the caller's and etalon's glibc whether a program finds them ignored.
 */
static void print_ignored(FILE *out, const char *line)
{
	const unsigned long long of_libc = 3ull << 31;

	fprintf(out, "ignored signals: %llx\n",
		strtoull(line + strlen("SigIgn:"), NULL, 16) & ~of_libc);
}

static void print_lines(FILE *out, const char *path, const char *const *wanted)
{
	char line[1024];
	FILE *f = fopen(path, "re");

	if (!f) {
		fprintf(out, "%s: %s\n", path, strerror(errno));
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		const char *const *w = wanted;
		while (w && *w && strncmp(line, *w, strlen(*w)))
			w++;
		if (w && *w && !strcmp(*w, "SigIgn:"))
			print_ignored(out, line);
		else if (!w || *w)
			fprintf(out, "%s: %s", path, line);
	}
	fclose(f);
}

/* Descriptors, without the two that this function and its caller have opened. */
static void print_descriptors(FILE *out)
{
	DIR *d = opendir("/proc/self/fd");

	for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		int fd = atoi(e->d_name);
		if (e->d_name[0] != '.' && fd != dirfd(d) && fd != fileno(out))
			fprintf(out, "descriptor %d\n", fd);
	}
	if (d)
		closedir(d);
}

static void print_links(FILE *out)
{
	static const char *const links[] = { "cwd", "root", "ns/cgroup", "ns/ipc", "ns/mnt",
		"ns/net", "ns/pid", "ns/pid_for_children", "ns/time", "ns/user", "ns/uts" };
	char path[64], target[4096];

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		snprintf(path, sizeof(path), "/proc/self/%s", links[i]);
		ssize_t n = readlink(path, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		fprintf(out, "%s -> %s\n", links[i], target);
	}
}

/* struct sched_attr of linux/sched/types.h, which glibc 2.36 lacks. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
};

static void print_scheduling(FILE *out)
{
	struct attributes a = { .size = sizeof(a) };

	syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0);
	fprintf(out, "policy %u flags %llu nice %d priority %u slice %llu clamps %u %u\n", a.policy,
		(unsigned long long)a.flags, a.nice, a.priority, (unsigned long long)a.runtime,
		a.util_min, a.util_max);
	fprintf(out, "I/O priority %ld\n", syscall(SYS_ioprio_get, 1, 0));
	long slack = syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0);
	syscall(SYS_prctl, PR_SET_TIMERSLACK, 0, 0, 0, 0);
	fprintf(out, "timer slack %ld default %ld\n", slack,
		syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0));
}

static void print_flags(FILE *out)
{
	int subreaper = -1, mode = -1;

	prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
	syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0);
	fprintf(out, "dumpable %d securebits %d keepcaps %d no_new_privs %d subreaper %d\n",
		prctl(PR_GET_DUMPABLE), prctl(PR_GET_SECUREBITS), prctl(PR_GET_KEEPCAPS),
		prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), subreaper);
	fprintf(out, "personality %x memory policy %d THP %d MCE %d\n", personality(0xffffffff),
		mode, prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), prctl(PR_MCE_KILL_GET, 0, 0, 0, 0));
	for (int i = 0; i < 3; i++) {
		struct itimerval t = { 0 };
		getitimer((__itimer_which_t)i, &t);
		fprintf(out, "interval timer %d %s\n", i, t.it_value.tv_sec ? "on" : "off");
	}
}

/* ETALON_ variables are etalon's own; the shell sets _ to the program that it starts. */
static void print_environment(FILE *out)
{
	for (char **p = environ; *p; p++) {
		if (strncmp(*p, "ETALON_", 7) && strncmp(*p, "_=", 2))
			fprintf(out, "environment %s\n", *p);
	}
}

static int print_self(const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out) {
		perror(path);
		return 1;
	}
	print_lines(out, "/proc/self/status", status_lines);
	print_lines(out, "/proc/self/limits", NULL);
	print_lines(out, "/proc/self/oom_score_adj", NULL);
	print_lines(out, "/proc/self/coredump_filter", NULL);
	print_lines(out, "/proc/self/loginuid", NULL);
	print_descriptors(out);
	print_links(out);
	print_scheduling(out);
	print_flags(out);
	print_environment(out);
	return fclose(out) ? 1 : 0;
}

/* --- odd --- */

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	if (fd >= 0)
		close(fd);
}

static void set_limit(__rlimit_resource_t which, rlim_t soft)
{
	struct rlimit limit;

	getrlimit(which, &limit);
	limit.rlim_cur = soft;
	if (setrlimit(which, &limit))
		perror("setrlimit");
}

static void be_odd(void)
{
	static const int ignored[] = { SIGPIPE, SIGXFSZ, SIGCHLD, SIGHUP, SIGUSR1 };
	sigset_t blocked;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	umask(027);
	set_limit(RLIMIT_NOFILE, 321);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_STACK, 6 << 20);
	prctl(PR_SET_TIMERSLACK, 70000);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0);
	personality(ADDR_NO_RANDOMIZE);
	write_file("/proc/self/oom_score_adj", "123");
	write_file("/proc/self/coredump_filter", "0x31");
	syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 6);
	syscall(SYS_set_mempolicy, 4 /* MPOL_LOCAL */, NULL, 0);
}

/* A shell makes a process for each command, so this does as well. */
static int run_oddly(char *const *argv)
{
	int status = -1;

	be_odd();
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	/* SIGCHLD is ignored: waitpid() returns when the child has ended, without its status. */
	if (pid < 0 || (waitpid(pid, &status, 0) < 0 && errno != ECHILD))
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "print"))
		return print_self(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "deathsig")) {
		int number = -1;
		prctl(PR_GET_PDEATHSIG, &number);
		printf("%d\n", number);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "odd"))
		return run_oddly(argv + 2);
	fprintf(stderr, "usage: self-view print FILE | deathsig | odd COMMAND…\n");
	return 2;
}
