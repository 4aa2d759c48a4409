/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/services.h"
#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

/* A service that takes longer to stop is said so; systemd itself waits 90 s. */
enum { TURN_SECONDS = 30, SHOW_SECONDS = 10, ANSWER_BYTES = 65536 };

static int start_program(char *const *argv, int out_fd, pid_t *pid)
{
	static char *const environment[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
		(char *)"LC_ALL=C", (char *)"SYSTEMD_COLORS=0", (char *)"SYSTEMD_PAGER=", NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out_fd, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, out_fd, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	/* In a group of its own: Ctrl-C is for us, who then give back what was changed. */
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	int rc = posix_spawn(pid, argv[0], &files, &attributes, argv, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return -rc;
}

/* Reads until the end or the deadline; false at the deadline. What does not fit is dropped. */
static bool read_answer(int fd, uint64_t deadline_ns, char *buf, size_t size)
{
	size_t len = 0;
	char dropped[256] = "";

	for (;;) {
		uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
		struct pollfd p = { .fd = fd, .events = POLLIN };
		if (now_ns >= deadline_ns)
			return false;
		if (poll(&p, 1, (int)((deadline_ns - now_ns) / 1000000 + 1)) <= 0)
			continue; /* a signal, or the time is up */
		bool fits = len + 1 < size;
		ssize_t n = read(
			fd, fits ? buf + len : dropped, fits ? size - 1 - len : sizeof(dropped));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		if (fits)
			len += (size_t)n;
		buf[len] = '\0';
	}
}

/* Runs it to its end and returns its exit status, or -errno. */
static int ask(char *const *argv, unsigned seconds, char *buf, size_t size)
{
	int pipe_fd[2], status = 0;
	pid_t pid;

	buf[0] = '\0';
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return -errno;
	int rc = start_program(argv, pipe_fd[1], &pid);
	close(pipe_fd[1]);
	if (rc == 0) {
		uint64_t deadline_ns =
			et_clock_read_ns(CLOCK_MONOTONIC) + seconds * UINT64_C(1000000000);
		bool ended = read_answer(pipe_fd[0], deadline_ns, buf, size);
		if (!ended)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		rc = !ended ? -ETIMEDOUT : WIFEXITED(status) ? WEXITSTATUS(status) : -EIO;
	}
	close(pipe_fd[0]);
	return rc;
}

static enum et_unit_state state_of(const char *load, const char *active)
{
	if (!strcmp(load, "not-found") || !strcmp(load, "masked"))
		return ET_UNIT_ABSENT;
	if (!strcmp(active, "active") || !strcmp(active, "reloading"))
		return ET_UNIT_ACTIVE;
	if (!strcmp(active, "inactive") || !strcmp(active, "failed"))
		return ET_UNIT_INACTIVE;
	if (!strcmp(active, "activating") || !strcmp(active, "deactivating"))
		return ET_UNIT_MOVING;
	return ET_UNIT_UNKNOWN;
}

void et_services_parse(const char *text, size_t n, enum et_unit_state *out)
{
	char load[32] = "", active[32] = "";
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		out[i] = ET_UNIT_UNKNOWN;
	/* A block of "Key=value" a unit, in the order asked, an empty line between two. */
	while (k < n) {
		int len = (int)strcspn(text, "\n");
		if (len == 0) {
			if (load[0] || active[0])
				out[k++] = state_of(load, active);
			load[0] = active[0] = '\0';
		} else if (!strncmp(text, "LoadState=", 10)) {
			snprintf(load, sizeof(load), "%.*s", len - 10, text + 10);
		} else if (!strncmp(text, "ActiveState=", 12)) {
			snprintf(active, sizeof(active), "%.*s", len - 12, text + 12);
		}
		if (!text[len])
			break;
		text += len + 1;
	}
	if (k < n && (load[0] || active[0]))
		out[k] = state_of(load, active);
}

void et_services_states(
	const char *program, const char *const *units, size_t n, enum et_unit_state *out)
{
	enum { FIXED = 4 };
	ET_AUTO_FREE char **argv = et_calloc(n + FIXED + 1, sizeof(*argv));
	ET_AUTO_FREE char *answer = et_alloc(ANSWER_BYTES);

	et_services_parse("", n, out);
	if (!program || !n)
		return;
	argv[0] = (char *)program;
	argv[1] = (char *)"--no-pager";
	argv[2] = (char *)"show";
	argv[3] = (char *)"--property=LoadState,ActiveState";
	for (size_t i = 0; i < n; i++)
		argv[FIXED + i] = (char *)units[i];
	if (ask(argv, SHOW_SECONDS, answer, ANSWER_BYTES) == 0)
		et_services_parse(answer, n, out);
}

int et_service_turn(const char *program, const char *verb, const char *unit, struct et_error *err)
{
	char answer[1024];
	char *argv[] = { (char *)program, (char *)"--no-pager", (char *)"--no-ask-password",
		(char *)verb, (char *)unit, NULL };

	if (!program)
		return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT, "no service manager runs here");
	int rc = ask(argv, TURN_SECONDS, answer, sizeof(answer));
	if (rc == 0)
		return 0;
	if (rc == -ETIMEDOUT)
		return et_fail(err, ETIMEDOUT, ET_EXIT_ENVIRONMENT, "it did not %s within %d s",
			verb, TURN_SECONDS);
	if (rc < 0)
		return et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "%s", program);
	answer[strcspn(answer, "\n")] = '\0';
	return et_fail(err, EIO, ET_EXIT_ENVIRONMENT, "%s",
		answer[0] ? answer : "systemctl failed without a word");
}
