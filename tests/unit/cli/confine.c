/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A confined process can do certain things and no others. Each check has its own process. */
#include "cli/confine.h"
#include "base/base.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int in_child(int (*fn)(void), enum et_rights rights)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		et_confine(rights);
		_exit(fn());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		tap_bail("cannot fork");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Each returns the errno of the call, 0 if it succeeded. */

static int seccomp_mode(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
}

static int execs(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };

	execv("/bin/true", argv);
	return errno;
}

static int forks(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static int clones(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static int makes_sockets(void)
{
	static const int families[] = { AF_UNIX, AF_INET, AF_NETLINK };

	for (size_t i = 0; i < ET_LENGTH(families); i++) {
		if (socket(families[i], SOCK_DGRAM, 0) >= 0)
			return 0;
	}
	return errno;
}

static int traces(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0;
}

static int signals(void)
{
	siginfo_t info = { .si_code = SI_QUEUE };
	pid_t other = getppid();

	if (kill(other, 0) == 0 || syscall(SYS_tkill, other, 0) == 0 ||
		syscall(SYS_tgkill, other, other, 0) == 0 ||
		syscall(SYS_rt_sigqueueinfo, other, 0, &info) == 0 ||
		syscall(SYS_rt_tgsigqueueinfo, other, other, 0, &info) == 0)
		return 0;
	return errno;
}

static int stops_itself(void)
{
	return kill(getpid(), 0) < 0 ? errno : 0;
}

static int leaves_namespace(void)
{
	return unshare(CLONE_NEWUSER) < 0 ? errno : 0;
}

static int makes_ring(void)
{
	return syscall(SYS_io_uring_setup, 1, NULL) < 0 ? errno : 0;
}

static int types_into_terminal(void)
{
	return ioctl(0, TIOCSTI, "x") < 0 ? errno : 0;
}

static void *nothing(void *p)
{
	return p;
}

static int makes_thread(void)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, nothing, NULL);

	return rc ? rc : pthread_join(thread, NULL);
}

static int writes_file(void)
{
	char path[] = "/tmp/etalon-confine.XXXXXX";
	int fd = mkstemp(path);
	bool written = fd >= 0 && write(fd, "x", 1) == 1 && fsync(fd) == 0;

	unlink(path);
	return written ? 0 : EIO;
}

static int aborts(void)
{
	abort();
}

static bool has(int capability, bool permitted)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	const struct __user_cap_data_struct *d = &data[capability / 32];
	return (permitted ? d->permitted : d->effective) >> (capability % 32) & 1;
}

static int powerful(bool permitted)
{
	static const int useless[] = { CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_SYS_BOOT, CAP_SYS_TIME,
		CAP_MKNOD, CAP_NET_RAW, CAP_SETFCAP, CAP_SYS_CHROOT, CAP_AUDIT_CONTROL,
		CAP_MAC_ADMIN, CAP_LINUX_IMMUTABLE };

	for (size_t i = 0; i < ET_LENGTH(useless); i++) {
		if (has(useless[i], permitted))
			return useless[i] + 1;
	}
	return 0;
}

static int may_be_powerful(void)
{
	return powerful(true);
}

static int is_powerful(void)
{
	return powerful(false);
}

static int keeps_files(void)
{
	return has(CAP_DAC_OVERRIDE, false) && has(CAP_DAC_READ_SEARCH, false);
}

static int keeps_machine(void)
{
	return has(CAP_SYS_NICE, true) || has(CAP_KILL, true) || has(CAP_SYS_ADMIN, true);
}

static int lowers(void)
{
	bool had = has(CAP_SYS_ADMIN, false);

	et_confine_lower(false);
	if (has(CAP_SYS_ADMIN, false) || has(CAP_SYS_ADMIN, true) != had || !has(CAP_KILL, false))
		return 1;
	et_confine_raise();
	return has(CAP_SYS_ADMIN, false) == had ? 0 : 2;
}

/* The capabilities of a program that the confined process starts: prints them by grep. */
static int program_capabilities(enum et_rights rights, char *buf, size_t size)
{
	int ends[2], status;
	char *argv[] = { (char[]){ "grep" }, (char[]){ "-E" },
		(char[]){ "^(Cap|NoNewPrivs|Seccomp:)" }, (char[]){ "/proc/self/status" }, NULL };

	if (pipe(ends))
		tap_bail("pipe");
	pid_t pid = fork();
	if (pid == 0) {
		et_confine(rights);
		if (rights == ET_RIGHTS_MACHINE)
			et_confine_lower(false);
		dup2(ends[1], 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	ssize_t n = read(ends[0], buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static void test_files(void)
{
	enum et_rights files = ET_RIGHTS_FILES;

	ok(in_child(makes_thread, files) == 0, "files: a thread can be created");
	ok(in_child(writes_file, files) == 0, "files: a file can be written");
	ok(in_child(aborts, files) == 128 + SIGABRT, "files: abort() still ends the process");
	ok(in_child(stops_itself, files) == 0, "files: the process can send signals to itself");
	if (in_child(seccomp_mode, files) != 2) {
		skip("this build or kernel has no seccomp filter");
		return;
	}
	ok(in_child(execs, files) == EPERM, "files: no program can be executed");
	ok(in_child(forks, files) == EPERM, "files: no process can be made by fork");
	ok(in_child(clones, files) == EPERM, "files: no process can be made by clone");
	ok(in_child(makes_sockets, files) == EPERM, "files: no socket can be made");
	ok(in_child(traces, files) == EPERM, "files: ptrace is refused");
	ok(in_child(signals, files) == EPERM, "files: no signal can be sent to other processes");
	ok(in_child(leaves_namespace, files) == EPERM, "files: unshare is refused");
	ok(in_child(makes_ring, files) == EPERM, "files: io_uring is refused");
	ok(in_child(types_into_terminal, files) == EPERM, "files: TIOCSTI is refused");
}

static void test_subject(void)
{
	char plain[1024], now[1024];

	ok(in_child(execs, ET_RIGHTS_MACHINE) == 0 && in_child(forks, ET_RIGHTS_MACHINE) == 0,
		"machine: programs and processes can be started");
	if (program_capabilities(ET_RIGHTS_SUBJECT, plain, sizeof(plain)) ||
		program_capabilities(ET_RIGHTS_MACHINE, now, sizeof(now)))
		tap_bail("cannot read the status of a program");
	is_str(now, plain, "machine: a program has the caller's capabilities, and no filter");
}

static void test_capabilities(void)
{
	if (!has(CAP_SYS_ADMIN, true) || !has(CAP_KILL, true)) {
		skip("capabilities: needs CAP_SYS_ADMIN");
		return;
	}
	ok(in_child(may_be_powerful, ET_RIGHTS_FILES) == 0 &&
			in_child(keeps_machine, ET_RIGHTS_FILES) == 0,
		"files: only the capabilities for files are kept");
	ok(in_child(keeps_files, ET_RIGHTS_FILES), "files: root can still read every user's files");
	ok(in_child(is_powerful, ET_RIGHTS_MACHINE) == 0,
		"machine: unused capabilities are not in effect");
	ok(in_child(lowers, ET_RIGHTS_MACHINE) == 0,
		"machine: capabilities for the set-up are lowered, and raised again");
}

int main(void)
{
	test_files();
	test_subject();
	test_capabilities();
	return tap_done();
}
