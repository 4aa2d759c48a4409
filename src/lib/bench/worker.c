/* SPDX-License-Identifier: MIT */
/* Workers: the parent starts them, asks them for slices and ends them; each serves its parent. */
#include "lib/bench/worker.h"
#include "base/clock.h"
#include "base/parse.h"
#include "clock/activity.h"

#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

extern char **environ;

enum { LOOK_MS = 100, END_MS = 2000, FIRST_FD = 3, MOST_NAMES = 20000 };

static unsigned calls; /* of etalon_bench_main in this process */

/* --- the parent's side --- */

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
		ET_WORKER_PROTOCOL, fd, (int)getpid(), calls);
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
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	for (int i = 0; i < 2; i++)
		pair[i] = above_standard(pair[i]);
	if (pair[0] >= 0 && pair[1] >= 0)
		return 0;
	int rc = -errno;
	et_cleanup_close(&pair[0]);
	et_cleanup_close(&pair[1]);
	return rc;
}

static int fork_worker(const struct et_worker_program *p, size_t padding, struct et_worker *w)
{
	struct worker_env e;
	ET_AUTO_CLOSE int null = above_standard(open("/dev/null", O_RDWR | O_CLOEXEC));
	int pair[2], rc = null < 0 ? -errno : make_pair(pair);
	pid_t parent = getpid();

	if (rc)
		return rc;
	make_env(&e, padding);
	w->pid = fork();
	if (w->pid == 0)
		become_worker(p, &e, pair[1], null, parent);
	rc = w->pid < 0 ? -errno : 0;
	if (w->pid > 0)
		setpgid(w->pid, w->pid);
	free(e.padding);
	free(e.list);
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

/* Receives a message, or notices the worker's end: its children may keep the socket open. */
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
	return et_fail_hint(err, EPROTO, ET_EXIT_OUTSIDE,
		"build both programs with the same libetalon",
		"%s: it uses another version of libetalon (protocol %lld, not %d)", p->name,
		(long long)json_integer_value(protocol), ET_WORKER_PROTOCOL);
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

int et_worker_take(const struct et_worker_program *p, struct et_worker *w, const char *name,
	const struct et_slice_request *q, int cpu, uint64_t timeout_ns, struct et_slice *out,
	char **why)
{
	json_t *m = NULL;
	struct et_json *j = et_wire_begin(&w->wire);

	et_json_string(j, "take", name);
	et_json_u64(j, "calls", q->calls);
	et_json_double(j, "duration_ns", q->duration_ns);
	et_json_u64(j, "max_samples", q->max_samples);
	et_json_u64(j, "seed", q->seed >> 1); /* JSON's whole numbers are signed here */
	et_json_int(j, "cpu", cpu);
	int rc = et_wire_end(&w->wire);
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

/* --- the worker's side: takes slices and sends them --- */

struct server {
	struct et_wire wire;
	pid_t pid;
	bool ready; /* set up */
	struct etalon_kbest_opts kbest;
	struct et_timebase timebase;
	struct et_bench_cases cases;
};

int et_worker_take_here(const struct et_bench_case *c, const struct et_slice_request *q,
	struct et_timebase *t, int cpu, struct et_slice *out)
{
	locale_t ours = uselocale(LC_GLOBAL_LOCALE);
	struct etalon_kbest_opts cold = *q->kbest;
	struct et_slice_request own = *q;
	cpu_set_t before;
	bool moved = cpu >= 0 && et_stay_on(cpu, &before) == 0;

	own.kbest = &cold;
	if (cold.cache == ETALON_CACHE_COLD_DATA) {
		cold.other_arg = c->bench->other_arg;
		cold.working_set = c->bench->working_set;
		cold.working_set_bytes = c->bench->working_set_bytes;
	}
	int rc = et_slice_take(c, &own, t, out);
	if (moved)
		sched_setaffinity(0, sizeof(before), &before);
	uselocale(ours);
	return rc;
}

/*
 * Finds the socket if the variable names this process. A parent of another protocol is greeted too,
 * so that it learns ours: otherwise this program would run as if started by a user. *later: a later
 * call of etalon_bench_main shall serve the parent.
 */
static int find_socket(bool *later)
{
	const char *text = getenv(ET_WORKER_VARIABLE);
	int protocol, fd, pid, call, end = 0;

	*later = false;
	calls++;
	if (!text || sscanf(text, "%d:%d:%d:%d%n", &protocol, &fd, &pid, &call, &end) != 4 ||
		text[end])
		fd = -1;
	else if (pid != getpid() || fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		fd = -1;
	else
		*later = protocol == ET_WORKER_PROTOCOL && (unsigned)call > calls;
	if (*later)
		return -1;
	unsetenv(ET_WORKER_VARIABLE);
	unsetenv(ET_WORKER_PADDING);
	return fd;
}

static int send_error(struct server *s, const char *what)
{
	et_json_string(et_wire_begin(&s->wire), "error", what);
	return et_wire_end(&s->wire);
}

static void read_kbest(const json_t *j, struct etalon_kbest_opts *o)
{
	etalon_kbest_opts_init(o, sizeof(*o)); /* it fails for a wrong size only */
	o->k = (uint32_t)json_integer_value(json_object_get(j, "k"));
	o->max_samples = (uint32_t)json_integer_value(json_object_get(j, "max_samples"));
	o->epsilon = json_number_value(json_object_get(j, "epsilon"));
	o->cache = (int)json_integer_value(json_object_get(j, "cache"));
	o->clock = (int)json_integer_value(json_object_get(j, "clock"));
	o->calls = (uint32_t)json_integer_value(json_object_get(j, "calls"));
	o->compensate = (int)json_integer_value(json_object_get(j, "compensate"));
	o->priority = (int)json_integer_value(json_object_get(j, "priority"));
}

static int set_up(
	struct server *s, const struct etalon_bench *benches, size_t n, const json_t *setup)
{
	const json_t *threads = json_object_get(setup, "threads");
	const json_t *clock = json_object_get(setup, "clock");
	size_t n_threads = json_array_size(threads);
	ET_AUTO_FREE unsigned *list = et_calloc(n_threads + 1, sizeof(*list));
	struct et_clock_choice c = {
		.clock = (int)json_integer_value(json_object_get(clock, "clock")),
		.hz = json_number_value(json_object_get(clock, "hz")),
		.hz_uncertainty = json_number_value(json_object_get(clock, "hz_uncertainty")),
		.warnings = (unsigned)json_integer_value(json_object_get(clock, "warnings")),
	};
	struct et_error err = { 0 };

	if (s->ready || !(c.hz > 0))
		return send_error(s, "the set-up is wrong");
	for (size_t i = 0; i < n_threads; i++)
		list[i] = (unsigned)json_integer_value(json_array_get(threads, i));
	if (et_cases_build(benches, n, n_threads ? list : NULL, n_threads, &s->cases, &err))
		return send_error(s, err.what);
	read_kbest(json_object_get(setup, "kbest"), &s->kbest);
	et_clock_choice_timebase(&c, &s->timebase);
	s->ready = true;
	struct et_json *j = et_wire_begin(&s->wire);
	et_json_array(j, "cases");
	for (size_t i = 0; i < s->cases.n; i++)
		et_json_string(j, NULL, s->cases.list[i].name);
	et_json_end(j);
	return et_wire_end(&s->wire);
}

static int take(struct server *s, const char *name, const json_t *j)
{
	const struct et_bench_case *c = et_cases_find(&s->cases, name);
	const json_t *cpu = json_object_get(j, "cpu");
	struct et_slice_request q = {
		.kbest = &s->kbest,
		.calls = (uint64_t)json_integer_value(json_object_get(j, "calls")),
		.duration_ns = json_number_value(json_object_get(j, "duration_ns")),
		.max_samples = (size_t)json_integer_value(json_object_get(j, "max_samples")),
		.seed = (uint64_t)json_integer_value(json_object_get(j, "seed")),
	};
	struct et_slice slice = { 0 };

	if (!c || !q.max_samples)
		return send_error(s, "there is no such case");
	int rc = et_worker_take_here(
		c, &q, &s->timebase, cpu ? (int)json_integer_value(cpu) : -1, &slice);
	/* The function has forked, and its child has returned from it: only one may answer. */
	if (getpid() != s->pid)
		_exit(0);
	if (rc) {
		rc = send_error(s, etalon_strerror(rc));
	} else {
		et_slice_write(et_wire_begin(&s->wire), "slice", &slice);
		rc = et_wire_end(&s->wire);
	}
	et_slice_free(&slice);
	return rc;
}

static int answer(
	struct server *s, const struct etalon_bench *benches, size_t n, const json_t *message)
{
	const json_t *setup = json_object_get(message, "setup");
	const char *name = json_string_value(json_object_get(message, "take"));

	if (setup)
		return set_up(s, benches, n, setup);
	return s->ready && name ? take(s, name, message) : send_error(s, "unknown message");
}

bool et_worker_serve(const struct etalon_bench *benches, size_t n, int *status)
{
	bool later;
	struct server s = { .wire.fd = find_socket(&later), .pid = getpid() };
	json_t *message;

	*status = ET_EXIT_DONE;
	if (s.wire.fd < 0)
		return later;
	prctl(PR_SET_NAME, program_invocation_short_name); /* otherwise "exe" */
	struct et_json *j = et_wire_begin(&s.wire);
	et_json_int(j, "etalon_worker", ET_WORKER_PROTOCOL);
	et_json_string(j, "version", etalon_version());
	int rc = et_wire_end(&s.wire);
	while (rc == 0 || rc == -EINTR) {
		rc = et_wire_receive(&s.wire, -1, &message);
		if (rc)
			continue;
		rc = answer(&s, benches, n, message);
		json_decref(message);
	}
	et_wire_free(&s.wire);
	et_cases_free(&s.cases);
	*status = rc == -ECONNRESET ? ET_EXIT_DONE : ET_EXIT_PROGRAM;
	return true;
}
