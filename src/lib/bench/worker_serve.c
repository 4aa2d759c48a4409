/* SPDX-License-Identifier: MIT */
/* The worker's side: takes slices and sends them. */
#include "base/alloc.h"
#include "lib/bench/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

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
	cpu_set_t before, one;
	bool moved = false;
	int rc;

	own.kbest = &cold;
	if (cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(before), &before) == 0) {
		CPU_ZERO(&one);
		CPU_SET((size_t)cpu, &one);
		moved = sched_setaffinity(0, sizeof(one), &one) == 0;
	}
	if (cold.cache == ETALON_CACHE_COLD_DATA) {
		cold.other_arg = c->bench->other_arg;
		cold.working_set = c->bench->working_set;
		cold.working_set_bytes = c->bench->working_set_bytes;
	}
	rc = et_slice_take(c, &own, t, out);
	if (moved)
		sched_setaffinity(0, sizeof(before), &before);
	uselocale(ours);
	return rc;
}

static unsigned calls;

unsigned et_worker_call(void)
{
	return calls;
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

static int send_cases(struct server *s)
{
	struct et_json *j = et_wire_begin(&s->wire);

	et_json_array(j, "cases");
	for (size_t i = 0; i < s->cases.n; i++)
		et_json_string(j, NULL, s->cases.list[i].name);
	et_json_end(j);
	return et_wire_end(&s->wire);
}

static int send_slice(struct server *s, const struct et_slice *slice)
{
	et_slice_write(et_wire_begin(&s->wire), "slice", slice);
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
	return send_cases(s);
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
	int rc;

	if (!c || !q.max_samples)
		return send_error(s, "there is no such case");
	rc = et_worker_take_here(
		c, &q, &s->timebase, cpu ? (int)json_integer_value(cpu) : -1, &slice);
	/* The function has forked, and its child has returned from it: only one may answer. */
	if (getpid() != s->pid)
		_exit(0);
	rc = rc ? send_error(s, etalon_strerror(rc)) : send_slice(s, &slice);
	et_slice_free(&slice);
	return rc;
}

static int greet(struct server *s)
{
	struct et_json *j = et_wire_begin(&s->wire);

	et_json_int(j, "etalon_worker", ET_WORKER_PROTOCOL);
	et_json_string(j, "version", etalon_version());
	return et_wire_end(&s->wire);
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
	int rc;

	*status = ET_EXIT_DONE;
	if (s.wire.fd < 0)
		return later;
	prctl(PR_SET_NAME, program_invocation_short_name); /* otherwise "exe" */
	rc = greet(&s);
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
