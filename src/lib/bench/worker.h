/* SPDX-License-Identifier: MIT */
/*
 * Workers: further processes of a benchmark program, which take slices for the first one. The
 * parent executes the program with ETALON_WORKER=PROTOCOL:SOCKET:PID:CALL in its
 * environment; call number CALL of etalon_bench_main then serves the parent instead of parsing
 * options, and the calls before it do nothing. The messages are lines of
 * JSON:
 *
 *	worker  {"etalon_worker": 1, "version": "0.2.0"}
 *	parent  {"setup": {"threads": [], "kbest": {…}, "clock": {…}}}
 *	worker  {"cases": ["sort/1024", …]}
 *	parent  {"take": "sort/1024", "calls": 0, "duration_ns": 1e7, "max_samples": 1000, "seed":
 *3, "cpu": -1} worker  {"slice": {…}}, as often as the parent asks for one
 *
 * Instead of an answer, a worker may send {"error": "…"}. It ends when the parent closes the
 * socket, and is killed if the parent dies.
 */
#pragma once

#include "lib/bench/model.h"
#include "lib/slice/state.h"
#include "lib/slice/wire.h"

#include <signal.h>

enum { ET_WORKER_PROTOCOL = 1 };
#define ET_WORKER_VARIABLE "ETALON_WORKER"
#define ET_WORKER_PADDING "ETALON_WORKER_PADDING"

/* If this is a worker, serves its parent, unsets the variables, returns true and *status. */
bool et_worker_serve(const struct etalon_bench *benches, size_t n, int *status);
/* Takes a slice in this process, in the locale and on the CPUs (cpu -1: all) of the user. */
int et_worker_take_here(const struct et_bench_case *c, const struct et_slice_request *q,
	struct et_timebase *t, int cpu, struct et_slice *out);

/* The parent's side. */
struct et_worker {
	pid_t pid; /* 0: none */
	struct et_wire wire;
	char **cases; /* the names of its cases, ended by NULL */
};

/* How to start workers. */
struct et_worker_program {
	const char *path; /* to execute */
	const char *name; /* in errors */
	char **argv;
	uint64_t greeting_ns; /* how long to wait until it answers */
	const struct et_bench_options *o;
	const struct et_clock_choice *clock;
	/* Set by a handler of signals: the parent wants to end. */
	const volatile sig_atomic_t *interrupted;
};

/*
 * Starts a worker and waits until it has listed its cases. Its environment has `padding` more
 * bytes, so that its stack begins elsewhere. Returns -EINTR if *interrupted became true.
 */
int et_worker_start(const struct et_worker_program *p, size_t padding, struct et_worker *out,
	struct et_error *err) ET_CHECK;
bool et_worker_has(const struct et_worker *w, const char *name);
/*
 * Has the worker take a slice of the case of that name. If it ends, hangs for longer than
 * timeout_ns or answers nonsense, it is killed, *why, freed by the caller, says so: -EIO.
 */
int et_worker_take(const struct et_worker_program *p, struct et_worker *w, const char *name,
	const struct et_slice_request *q, int cpu, uint64_t timeout_ns, struct et_slice *out,
	char **why) ET_CHECK;
/* Lets the worker end, or kills it; a worker that has not been started is left alone. */
void et_worker_end(struct et_worker *w, bool kill_it);
