/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/child.h"
#include "base/clock.h"
#include "base/shell.h"
#include "base/sysroot.h"
#include "clock/counter.h"
#include "measure/child/privilege.h"
#include "measure/child/scout.h"
#include "measure/child/wakeup_prio.h"
#include "measure/observe/lap.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/securebits.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/*
 * A step of the preparation returns NULL, or its name with errno set. The child has the memory of
 * etalon or a copy of it, so that etalon can read the name. These two are compared.
 */
static const char step_user[] = "user", step_exec[] = "";

struct et_start *et_start_map(size_t n)
{
	void *p = mmap(NULL, n * sizeof(struct et_start), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void et_start_unmap(struct et_start *s, size_t n)
{
	if (s)
		munmap(s, n * sizeof(*s));
}

void et_dispositions_read(const sigset_t *ignored_by_caller, struct et_dispositions *out)
{
	struct sigaction now;

	*out = (struct et_dispositions){ 0 };
	for (int i = 1; i < NSIG; i++) {
		if (sigaction(i, NULL, &now) < 0) /* the C library reserves some */
			continue;
		bool ignored = now.sa_handler == SIG_IGN;
		if (sigismember(ignored_by_caller, i) == 1) {
			if (!ignored)
				out->ignored[out->n_ignored++] = i;
		} else if (ignored) { /* execve() restores those that have a handler */
			out->defaults[out->n_defaults++] = i;
		}
	}
}

/*
 * All code from here to et_child_spawn() runs in the child, possibly in our own address space
 * (vfork). It must not allocate or print, and may change only its own stack, `start` and kernel
 * state. User and group are set by bare system calls, because the C library's functions would
 * change those of the parent's threads.
 */

static uint64_t run_delay_ns(void)
{
	char buf[64];
	ET_AUTO_CLOSE int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	uint64_t value = 0;
	const char *p = buf;

	if (n <= 0)
		return 0;
	buf[n] = '\0';
	while (*p && *p != ' ')
		p++;
	for (p += *p == ' '; *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	return value;
}

/* dup2 that also works when the descriptor is already in place. */
static int place(int fd, int target)
{
	if (fd == target)
		return fcntl(fd, F_SETFD, 0);
	return dup2(fd, target);
}

/*
 * With SECBIT_NO_SETUID_FIXUP a change of user keeps the capabilities, also in the setuid programs
 * that the program may execute. If the bit is locked, drop_capabilities() is what remains.
 */
static void allow_setuid_fixup(void)
{
	const int kept = SECBIT_NO_SETUID_FIXUP | SECBIT_KEEP_CAPS;
	int bits = prctl(PR_GET_SECUREBITS);

	if (bits > 0 && (bits & kept))
		prctl(PR_SET_SECUREBITS, bits & ~kept);
}

/* Without inheritable capabilities there are no ambient ones either, see capabilities(7). */
static int drop_capabilities(uid_t uid)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (uid == 0 && syscall(SYS_capget, &header, caps) < 0)
		return -1;
	for (size_t i = 0; i < ET_LENGTH(caps); i++)
		caps[i].inheritable = 0;
	return (int)syscall(SYS_capset, &header, caps);
}

/*
 * The last step of the preparation: from here on other processes of the user may send signals to
 * the child. They must not read its memory, which is a copy of ours. The kernel prevents that,
 * unless fs.suid_dumpable is set.
 */
static const char *set_identity(const struct et_child_setup *s)
{
	const struct et_identity *id = s->identity;

	if (!id)
		return NULL;
	allow_setuid_fixup();
	if (syscall(SYS_setgroups, (size_t)id->n_groups, id->groups) < 0 ||
		syscall(SYS_setresgid, id->gid, id->gid, id->gid) < 0 ||
		syscall(SYS_setresuid, id->uid, id->uid, id->uid) < 0 ||
		drop_capabilities(id->uid) < 0)
		return step_user;
	prctl(PR_SET_DUMPABLE, 0);
	return NULL;
}

static const char *set_surroundings(const struct et_child_setup *s)
{
	/* Another user must not share our terminal; otherwise its own process group is enough. */
	if (s->identity ? setsid() < 0 : setpgid(0, 0) < 0)
		return "process group";
	if (place(s->in, 0) < 0 || place(s->out, 1) < 0 || place(s->err, 2) < 0)
		return "files";
	/* Fails on kernels before 5.11; all our own descriptors are close-on-exec anyway. */
	syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
	if (s->attach_fd >= 0 && write(s->attach_fd, "0", 1) < 0)
		return "control group";
	return NULL;
}

/*
 * A stop signal that was sent to our process group before the child had its own is discarded: a
 * child of vfork() that stops before execve() would block us for ever.
 */
static void discard_stops(void)
{
	static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU };
	struct sigaction ign = { .sa_handler = SIG_IGN }, old;
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < ET_LENGTH(stops); i++) {
		if (!sigismember(&pending, stops[i]))
			continue;
		sigaction(stops[i], &ign, &old);
		sigaction(stops[i], &old, NULL);
	}
}

/*
 * Call it before signals are unblocked. Handlers stay until execve(); they must leave a process
 * alone that is not the one that installed them (cli/signals.c).
 */
static void restore_dispositions(const struct et_dispositions *d)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL }, ign = { .sa_handler = SIG_IGN };

	for (size_t i = 0; d && i < d->n_defaults; i++)
		sigaction(d->defaults[i], &dfl, NULL);
	for (size_t i = 0; d && i < d->n_ignored; i++)
		sigaction(d->ignored[i], &ign, NULL);
}

static int set_aslr(enum et_aslr aslr)
{
	int now = personality(0xffffffff);

	if (now < 0)
		return -1;
	now = aslr == ET_ASLR_ON ? now & ~ADDR_NO_RANDOMIZE : now | ADDR_NO_RANDOMIZE;
	return personality((unsigned long)now);
}

static int set_memory_policy(const struct et_memory_policy *p)
{
	bool any = false;

	for (size_t i = 0; i < ET_LENGTH(p->nodes); i++)
		any = any || p->nodes[i];
	return (int)syscall(
		SYS_set_mempolicy, p->mode, any ? p->nodes : NULL, any ? 8 * sizeof(p->nodes) : 0);
}

/* Sets the attributes of the process that the program keeps. */
static const char *set_attributes(const struct et_child_setup *s)
{
	struct sched_param param = { .sched_priority = s->priority };

	if (s->directory && chdir(s->directory) < 0)
		return "directory";
	if (s->cpus && sched_setaffinity(0, sizeof(*s->cpus), s->cpus) < 0)
		return "CPU affinity";
	if (s->sets_policy && sched_setscheduler(0, s->policy, &param) < 0)
		return "scheduling policy";
	errno = 0;
	if (s->nice && nice(s->nice) == -1 && errno)
		return "nice value";
	if (s->aslr && set_aslr(s->aslr) < 0)
		return "randomisation of addresses";
	if (s->memory && set_memory_policy(s->memory) < 0)
		return "memory policy";
	return NULL;
}

static const char *prepare(const struct et_child_setup *s)
{
	const char *failed = set_surroundings(s);
	if (!failed)
		failed = set_attributes(s);
	if (failed)
		return failed;
	if (s->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return "no_new_privs attribute";
	discard_stops();
	restore_dispositions(s->dispositions);
	return set_identity(s);
}

static void set_ready(struct et_start *start)
{
	__atomic_store_n(&start->ready, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &start->ready, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* If etalon is killed, a program must not continue, and a held child must not wait for ever. */
static void die_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
}

static void wait_at_line(struct et_start *start, pid_t parent)
{
	const struct timespec second = { .tv_sec = 1 };

	set_ready(start);
	while (__atomic_load_n(&start->go, __ATOMIC_ACQUIRE) == 0) {
		syscall(SYS_futex, &start->go, FUTEX_WAIT, 0, &second, NULL, 0);
		if (getppid() != parent)
			_exit(127);
	}
}

static void read_clocks(const struct et_child_setup *s, struct et_start *start, clockid_t parent)
{
	/* Reading a CPU clock makes the kernel update the account of its task first. */
	if (s->usage_fd >= 0) {
		if (s->subtract_parent)
			start->parent_cpu_ns = et_clock_read_ns(parent);
		uint64_t before = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
		uint64_t usage = et_cgroup_usage_ns(s->source, s->usage_fd);
		start->own_cpu_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
		start->usage_ns =
			usage == ET_UNKNOWN ? ET_UNKNOWN : usage + (start->own_cpu_ns - before);
	} else {
		start->own_cpu_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	}
	start->t0_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	if (s->begin_ns)
		__atomic_store_n(s->begin_ns, start->t0_ns, __ATOMIC_RELEASE);
	start->t0_ticks = et_counter_start();
}

/*
 * The loop itself records laps and CPU time after each lap, so that neither its start nor its end
 * counts. If it is killed between the two stores, they differ by one lap.
 */
static _Noreturn void run_pace(struct et_start *start)
{
	/*
	 * This child never calls execve(), so close-on-exec does not apply. Close everything that
	 * it inherited; otherwise it would keep the experiment locked if etalon dies.
	 */
	syscall(SYS_close_range, 3, ~0u, 0);
	uint64_t began_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (uint64_t laps = 1;; laps++) {
		et_lap();
		uint64_t used_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns;
		__atomic_store_n(&start->pace_ns, used_ns, __ATOMIC_RELAXED);
		__atomic_store_n(&start->pace_loops, laps, __ATOMIC_RELAXED);
	}
}

/*
 * Elapsed time minus CPU time of the child that its creation and preparation explain: fork() itself
 * is charged to the parent. Anything longer means that it waited for a CPU.
 */
static const uint64_t PREPARATION_NS = 100000;

static void become_program(
	const struct et_child_setup *s, struct et_start *start, pid_t parent, bool held)
{
	clockid_t parent_clock = et_clock_of_process(parent);
	struct rusage own;
	die_with(parent);
	const char *failed = prepare(s);

	if (failed) {
		start->failed_errno = errno;
		start->failed_step = failed;
		set_ready(start);
		_exit(127);
	}
	if (s->raise_parent)
		et_wakeup_prio_raise_process(parent);
	die_with(parent); /* again: a change of user clears PR_SET_PDEATHSIG */
	if (held)
		wait_at_line(start, parent);
	/*
	 * The time that the child has waited for a CPU so far does not belong to the program.
	 * Reading it costs 10 µs, so it is read only if the child may have waited.
	 */
	uint64_t since_ns = et_clock_read_ns(CLOCK_MONOTONIC) - start->spawned_ns;
	if (held || since_ns > et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) + PREPARATION_NS)
		start->run_delay_ns = run_delay_ns();
	if (getrusage(RUSAGE_SELF, &own) == 0)
		start->rss_bytes = (uint64_t)own.ru_maxrss * 1024;
	sigprocmask(SIG_SETMASK, &s->signals, NULL);
	read_clocks(s, start, parent_clock);
	if (s->pace)
		run_pace(start);
	if (s->scout)
		et_scout_install(et_scout_socket(s->scout));
	execve(s->path, s->argv, s->envp);
	start->failed_errno = errno;
	start->failed_step = step_exec;
	_exit(127);
}

/* The limit of processes may be reached for a moment only, which must not end a run of a day. */
enum { SPAWN_TRIES = 40, SPAWN_PAUSE_NS = 50000000 };

pid_t et_child_spawn(const struct et_child_setup *setup, struct et_start *start, bool held)
{
	const struct timespec pause = { .tv_nsec = SPAWN_PAUSE_NS };
	pid_t parent = getpid();

	for (volatile int tries = 1;; tries++) { /* volatile: vfork() returns twice */
		memset(start, 0, sizeof(*start));
		start->spawned_ns = et_clock_read_ns(CLOCK_MONOTONIC);
		pid_t pid = held ? fork() : vfork();
		if (pid == 0)
			become_program(setup, start, parent, held);
		if (pid > 0)
			return pid;
		if (errno != EAGAIN || tries == SPAWN_TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
}

int et_child_wait_ready(
	pid_t pid, struct et_start *start, const struct et_interrupt *interrupt, uint64_t limit_ns)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	uint64_t since_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	int suspended = interrupt->suspended;

	while (__atomic_load_n(&start->ready, __ATOMIC_ACQUIRE) == 0) {
		siginfo_t info = { 0 };
		if (interrupt->signal)
			return -EINTR;
		syscall(SYS_futex, &start->ready, FUTEX_WAIT, 0, &moment, NULL, 0);
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
			info.si_pid == pid)
			return -ECHILD; /* it was killed */
		uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
		if (suspended != interrupt->suspended) { /* the child was stopped with us */
			suspended = interrupt->suspended;
			since_ns = now_ns;
		}
		if (now_ns - since_ns > limit_ns)
			return -ETIMEDOUT;
	}
	return start->failed_step ? -ECHILD : 0;
}

void et_child_release(struct et_start *starts, size_t n)
{
	/* Set all words first, so that the first child to wake has no head start. */
	for (size_t i = 0; i < n; i++)
		__atomic_store_n(&starts[i].go, 1, __ATOMIC_RELEASE);
	for (size_t i = 0; i < n; i++)
		syscall(SYS_futex, &starts[i].go, FUTEX_WAKE, 1, NULL, NULL, 0);
}

int et_child_start_error(
	const struct et_child_setup *setup, const struct et_start *start, struct et_error *err)
{
	int rc;

	if (start->failed_step != step_exec) {
		rc = et_fail_errno(err, start->failed_errno,
			start->failed_errno == EPERM ? ET_EXIT_ENVIRONMENT : ET_EXIT_USAGE,
			"%s: cannot set the %s", setup->argv[0], start->failed_step);
		if (start->failed_errno == EPERM)
			et_hint_privilege(err, rc,
				start->failed_step == step_user ? "CAP_SETUID and CAP_SETGID"
								: "CAP_SYS_NICE",
				NULL);
		return rc;
	}
	rc = et_fail_errno(err, start->failed_errno, ET_EXIT_USAGE, "%s", setup->argv[0]);
	if (start->failed_errno == ENOENT) /* the file itself was found before */
		return et_hint(err, rc,
			"install its interpreter (see its #! line) or loader, which is missing");
	if (start->failed_errno == EACCES && setup->identity)
		return et_hint(err, rc,
			"let the user of --user execute the file and enter its folders (namei -l)");
	if (start->failed_errno == ENOEXEC)
		return et_hint(err, rc, "begin the script with #!/bin/sh, or use --shell");
	return rc;
}

bool et_child_randomises(const char *root)
{
	char text[16];

	return et_sysroot_line(root, "/proc/sys/kernel/randomize_va_space", text, sizeof(text)) <=
		       0 ||
	       strcmp(text, "0");
}

int et_child_try(const struct et_child_setup *setup)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(set_attributes(setup) ? errno : 0);
	if (pid < 0)
		return -errno;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
}

/*
 * After unshare(CLONE_NEWPID) our first child becomes the init of the new PID namespace: when it
 * ends, no further process can be started there, and getppid() returns 0 to it. The link
 * pid_for_children exists since Linux 4.12, and cannot be read until that init exists.
 */
int et_child_check(const char *root, struct et_error *err)
{
	char path[4096], ours[64], theirs[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/self/ns/pid_for_children", root);
	if (lstat(path, &st) < 0 ||
		et_sysroot_link(root, "/proc/self/ns/pid", ours, sizeof(ours)) < 0)
		return 0;
	if (et_sysroot_link(root, "/proc/self/ns/pid_for_children", theirs, sizeof(theirs)) > 0 &&
		!strcmp(ours, theirs))
		return 0;
	return et_fail_hint(err, ECHILD, ET_EXIT_ENVIRONMENT,
		"add --fork to unshare: unshare --fork --pid --mount-proc etalon …",
		"cannot measure programs in another PID namespace than etalon's own");
}

/* 0, or the errno that execve() would fail with. */
static int not_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) < 0 ? errno : 0;
}

static int not_found(const char *name, int why, struct et_error *err)
{
	int rc = et_fail_file(err, why, ET_EXIT_USAGE, name);

	if (why == EACCES)
		return et_hint(err, rc, "make it executable with chmod +x %s", name);
	if (why == ENOENT && et_shell_builtin(name))
		return et_hint(err, rc, "use --shell sh: it is a builtin of the shell");
	if (why != ENOENT || strchr(name, '/'))
		return rc;
	if (access(name, X_OK))
		return et_hint(err, rc, "check its name: it is in no folder of PATH");
	return et_hint(err, rc,
		"write ./%s for the one in the current folder: it is in no folder of PATH", name);
}

int et_child_resolve(const char *name, const char *path_variable, const char *directory, char **out,
	struct et_error *err)
{
	int why = ENOENT;

	if (strchr(name, '/')) {
		ET_AUTO_FREE char *full = name[0] == '/' || !directory
						  ? et_strdup(name)
						  : et_asprintf("%s/%s", directory, name);
		why = not_executable(full);
		if (why)
			return not_found(name, why, err);
		*out = et_strdup(name);
		return 0;
	}
	const char *p = path_variable ? path_variable : "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t len = strcspn(p, ":");
		char *full = len ? et_asprintf("%.*s/%s", (int)len, p, name) : et_strdup(name);
		int reason = not_executable(full);
		if (!reason) {
			*out = full;
			return 0;
		}
		free(full);
		/* As execvp(): a file without permission is reported, a missing one is not. */
		if (reason == EACCES)
			why = EACCES;
		if (!p[len])
			return not_found(name, why, err);
		p += len + 1;
	}
}
