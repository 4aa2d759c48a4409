/* SPDX-License-Identifier: MIT */
/* The parent's side: starts workers, asks them for slices, ends them. */
#include "lib/bench/worker.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LOOK_MS = 100, END_MS = 2000, FIRST_FD = 3, MOST_NAMES = 20000 };

/* The environment of a worker: ours, the variable of the socket and the padding. */
struct worker_env {
	char **list;
	char variable[64], *padding;
};

static void make_env(struct worker_env *e, size_t padding)
{
	size_t n = 0, kept = 0;

	while (environ && environ[n])
		n++;
	e->list = et_calloc(n + 3, sizeof(*e->list));
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], ET_WORKER_VARIABLE, strlen(ET_WORKER_VARIABLE)))
			e->list[kept++] = environ[i];
	e->padding = et_asprintf("%s=%*s", ET_WORKER_PADDING, (int)padding, "");
	e->list[kept++] = e->padding;
	e->list[kept] = e->variable; /* filled by the child, which knows its process */
}

static void free_env(struct worker_env *e)
{
	free(e->padding);
	free(e->list);
}

/* Runs in the child. Sends {"exec": errno} if the program cannot be executed. */
static _Noreturn void become_worker(
	const struct et_worker_program *p, struct worker_env *e, int fd, int null, pid_t parent)
{
	char line[32];

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(ET_EXIT_PROGRAM);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	fcntl(fd, F_SETFD, 0);
	snprintf(e->variable, sizeof(e->variable), "%s=%d:%d:%d:%u", ET_WORKER_VARIABLE,
		ET_WORKER_PROTOCOL, fd, (int)getpid(), et_worker_call());
	execve(p->path, p->argv, e->list);
	snprintf(line, sizeof(line), "{\"exec\": %d}\n", errno);
	send(fd, line, strlen(line), MSG_NOSIGNAL);
	_exit(ET_EXIT_PROGRAM);
}

/* Descriptors 0 to 2 of a program may be closed: keep out of their way. Returns -1 on failure. */
static int above_standard(int fd)
{
	int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD), saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
	return moved;
}

/* Makes a pair of sockets. Returns 0 or -errno. */
static int make_pair(int pair[2])
{
	int rc = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		pair[i] = above_standard(pair[i]);
		if (pair[i] < 0 && rc == 0)
			rc = -errno;
	}
	for (int i = 0; rc && i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
	return rc;
}

static int fork_worker(const struct et_worker_program *p, size_t padding, struct et_worker *w)
{
	struct worker_env e;
	int pair[2], null = above_standard(open("/dev/null", O_RDWR | O_CLOEXEC));
	pid_t parent = getpid();

	int rc = null < 0 ? -errno : make_pair(pair);

	if (rc) {
		if (null >= 0)
			close(null);
		return rc;
	}
	make_env(&e, padding);
	w->pid = fork();
	if (w->pid == 0)
		become_worker(p, &e, pair[1], null, parent);
	rc = w->pid < 0 ? -errno : 0;
	if (w->pid > 0)
		setpgid(w->pid, w->pid);
	free_env(&e);
	close(null);
	close(pair[1]);
	w->wire = (struct et_wire){ .fd = pair[0] };
	if (rc) {
		w->pid = 0;
		et_wire_free(&w->wire);
	}
	return rc;
}

/* Whether the worker has ended; it stays a zombie, so that its process group is still its own. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		return errno != EINTR;
	return info.si_pid == pid;
}

static bool ends_within(pid_t pid, int ms)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	for (int i = 0; i < ms && !has_ended(pid); i++)
		nanosleep(&nap, NULL);
	return has_ended(pid);
}

/* Kills the worker with everything that it started, and returns its wait status, or -1. */
static int reap(struct et_worker *w)
{
	int status = -1;

	kill(-w->pid, SIGKILL);
	kill(w->pid, SIGKILL);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
	et_wire_free(&w->wire);
	et_strv_free(w->cases);
	w->cases = NULL;
	return status;
}

void et_worker_end(struct et_worker *w, bool kill_it)
{
	if (w->pid > 0 && !kill_it) {
		et_wire_free(&w->wire);
		ends_within(w->pid, END_MS);
	}
	if (w->pid > 0)
		reap(w);
	et_strv_free(w->cases);
	*w = (struct et_worker){ .wire.fd = -1 };
}

/* Says how a worker that no longer answers has ended; kills it if it has not. */
static char *describe_end(struct et_worker *w)
{
	bool ended = ends_within(w->pid, END_MS);
	int status = reap(w);

	if (!ended)
		return et_strdup("its process no longer answers");
	if (status >= 0 && WIFSIGNALED(status))
		return et_asprintf("its process was ended by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	if (status >= 0 && WIFEXITED(status))
		return et_asprintf("its process ended with exit status %d", WEXITSTATUS(status));
	return et_strdup("its process ended");
}

static char *describe(struct et_worker *w, int rc, uint64_t timeout_ns)
{
	if (rc == -ECONNRESET || rc == -EPIPE)
		return describe_end(w);
	reap(w);
	if (rc == -ETIMEDOUT)
		return et_asprintf("it did not return within %.2g s", (double)timeout_ns / 1e9);
	return et_strdup("its process answered nonsense");
}

/*
 * Receives a message. A worker that has ended may have left children, which keep its socket open:
 * so look for its end too.
 */
static int receive(
	const struct et_worker_program *p, struct et_worker *w, uint64_t timeout_ns, json_t **out)
{
	uint64_t end = et_clock_read_ns(CLOCK_MONOTONIC) + timeout_ns;

	for (;;) {
		int rc = et_wire_receive(&w->wire, LOOK_MS, out);

		if (rc != -ETIMEDOUT && rc != -EINTR)
			return rc;
		if (*p->interrupted)
			return -EINTR;
		if (has_ended(w->pid)) {
			rc = et_wire_receive(&w->wire, 0, out);
			return rc == -ETIMEDOUT || rc == -EINTR ? -ECONNRESET : rc;
		}
		if (et_clock_read_ns(CLOCK_MONOTONIC) >= end)
			return -ETIMEDOUT;
	}
}

static int send_setup(const struct et_worker_program *p, struct et_wire *w)
{
	const struct etalon_kbest_opts *k = &p->o->kbest;
	struct et_json *j = et_wire_begin(w);

	et_json_object(j, "setup");
	et_json_array(j, "threads");
	for (size_t i = 0; i < p->o->n_threads; i++)
		et_json_u64(j, NULL, p->o->threads[i]);
	et_json_end(j);
	et_json_object(j, "kbest");
	et_json_u64(j, "k", k->k);
	et_json_u64(j, "max_samples", k->max_samples);
	et_json_double(j, "epsilon", k->epsilon);
	et_json_int(j, "cache", k->cache);
	et_json_int(j, "clock", k->clock);
	et_json_u64(j, "calls", k->calls);
	et_json_int(j, "compensate", k->compensate);
	et_json_int(j, "priority", k->priority);
	et_json_end(j);
	et_json_object(j, "clock");
	et_json_int(j, "clock", p->clock->clock);
	et_json_double(j, "hz", p->clock->hz);
	et_json_double(j, "hz_uncertainty", p->clock->hz_uncertainty);
	et_json_u64(j, "warnings", p->clock->warnings);
	et_json_end(j);
	et_json_end(j);
	return et_wire_end(w);
}

/* Words the failure of a program that should be a worker. */
static int refuse(
	const struct et_worker_program *p, struct et_worker *w, int rc, struct et_error *err)
{
	if (rc == -EINTR)
		return rc;
	ET_AUTO_FREE char *why =
		rc == -ETIMEDOUT ? et_strdup("it does not answer") : describe(w, rc, 0);
	return et_hint(err,
		et_fail(err, EPROTO, ET_EXIT_OUTSIDE, "%s: not a benchmark program: %s", p->name,
			why),
		"give a program whose main is etalon_bench_main of libetalon %s", etalon_version());
}

static int check_greeting(const struct et_worker_program *p, struct et_worker *w, const json_t *m,
	struct et_error *err)
{
	const json_t *failed = json_object_get(m, "exec");
	const json_t *protocol = json_object_get(m, "etalon_worker");

	if (json_is_integer(failed)) {
		int errnum = (int)json_integer_value(failed);

		return et_hint(err,
			et_fail_file(err, errnum > 0 ? errnum : EIO, ET_EXIT_OUTSIDE, p->name),
			"give the path of a benchmark program that may be executed");
	}
	if (!json_is_integer(protocol))
		return refuse(p, w, -EPROTO, err);
	if (json_integer_value(protocol) == ET_WORKER_PROTOCOL)
		return 0;
	return et_hint(err,
		et_fail(err, EPROTO, ET_EXIT_OUTSIDE,
			"%s: it uses another version of libetalon (protocol %lld, not %d)", p->name,
			(long long)json_integer_value(protocol), ET_WORKER_PROTOCOL),
		"build both programs with the same libetalon");
}

static int read_cases(const struct et_worker_program *p, struct et_worker *w, const json_t *m,
	struct et_error *err)
{
	const json_t *list = json_object_get(m, "cases"), *name;
	const char *why = json_string_value(json_object_get(m, "error"));
	size_t i;

	if (why)
		return et_fail(err, EPROTO, ET_EXIT_OUTSIDE, "%s: %s", p->name, why);
	if (!json_is_array(list) || json_array_size(list) > MOST_NAMES)
		return refuse(p, w, -EPROTO, err);
	w->cases = et_calloc(json_array_size(list) + 1, sizeof(*w->cases));
	json_array_foreach(list, i, name)
	{
		if (!json_is_string(name))
			return refuse(p, w, -EPROTO, err);
		w->cases[i] = et_strdup(json_string_value(name));
	}
	return 0;
}

int et_worker_start(const struct et_worker_program *p, size_t padding, struct et_worker *out,
	struct et_error *err)
{
	struct et_worker w = { .wire.fd = -1 };
	json_t *m = NULL;
	int rc = fork_worker(p, padding, &w);

	if (rc)
		return et_fail_errno(
			err, -rc, ET_EXIT_ENVIRONMENT, "%s: cannot start a process", p->name);
	rc = receive(p, &w, p->greeting_ns, &m);
	rc = rc ? refuse(p, &w, rc, err) : check_greeting(p, &w, m, err);
	json_decref(m);
	if (rc == 0) {
		m = NULL;
		rc = send_setup(p, &w.wire);
		if (rc == 0)
			rc = receive(p, &w, p->greeting_ns, &m);
		rc = rc ? refuse(p, &w, rc, err) : read_cases(p, &w, m, err);
		json_decref(m);
	}
	if (rc)
		et_worker_end(&w, true);
	else
		*out = w;
	return rc;
}

bool et_worker_has(const struct et_worker *w, const char *name)
{
	for (char **c = w->cases; c && *c; c++)
		if (!strcmp(*c, name))
			return true;
	return false;
}

static int send_take(struct et_wire *w, const char *name, const struct et_slice_request *q, int cpu)
{
	struct et_json *j = et_wire_begin(w);

	et_json_string(j, "take", name);
	et_json_u64(j, "calls", q->calls);
	et_json_double(j, "duration_ns", q->duration_ns);
	et_json_u64(j, "max_samples", q->max_samples);
	et_json_u64(j, "seed", q->seed >> 1); /* JSON's whole numbers are signed here */
	et_json_int(j, "cpu", cpu);
	return et_wire_end(w);
}

int et_worker_take(const struct et_worker_program *p, struct et_worker *w, const char *name,
	const struct et_slice_request *q, int cpu, uint64_t timeout_ns, struct et_slice *out,
	char **why)
{
	json_t *m = NULL;
	int rc = send_take(&w->wire, name, q, cpu);

	if (rc == 0)
		rc = receive(p, w, timeout_ns, &m);
	if (rc == -EINTR)
		return rc;
	if (rc == 0) {
		const char *error = json_string_value(json_object_get(m, "error"));

		if (error)
			*why = et_strdup(error);
		else if (!et_slice_parse(json_object_get(m, "slice"), out))
			rc = -EPROTO;
	}
	json_decref(m);
	if (rc)
		*why = describe(w, rc, timeout_ns);
	return *why ? -EIO : 0;
}
