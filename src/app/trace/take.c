/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gets traces: from a file, from a thread that spins, from a program. */
#include "app/trace/trace.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "host/host.h"
#include "lab/rivals.h"
#include "measure/trace/cause.h"
#include "measure/trace/tracee.h"
#include "measure/trace/tracer.h"
#include "source/input.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static int from_file(const struct et_trace_request *r, struct et_traces *out, struct et_error *err)
{
	const char *name = strcmp(r->from, "-") ? r->from : "standard input";
	ET_AUTO_FREE char *data = NULL;
	size_t size;

	int rc = et_input_read(r->from, ET_TRACES_MOST_BYTES, &data, &size, err);
	if (rc)
		return rc;
	rc = et_traces_read(data, size, name, out, err);
	if (rc)
		return et_hint(err, rc, "use a file that 'etalon trace --json' wrote");
	for (size_t i = 0; i < out->n; i++)
		et_cause_of_file(&out->list[i]);
	return 0;
}

static void note(void *ctx, uint64_t elapsed_ns)
{
	struct et_trace_request *r = ctx;
	struct et_progress_state state = { .name = "seconds of the trace",
		.done = elapsed_ns / 1000000000,
		.total = r->duration_ns / 1000000000,
		.elapsed_ns = elapsed_ns };

	if (r->duration_ns >= UINT64_C(2000000000))
		et_progress_draw(&r->progress, &state, et_clock_read_ns(CLOCK_MONOTONIC));
}

static int spin(struct et_trace_request *r, struct et_interrupt *interrupt, struct et_trace *out,
	struct et_error *err)
{
	struct et_host host;
	struct et_tracer_options o = { .cpu = r->cpu,
		.duration_ns = r->duration_ns,
		.threshold_ns = r->threshold_ns,
		.interrupt = interrupt,
		.note = note,
		.ctx = r };

	et_host_read("", &host);
	o.virtual_machine = strcmp(host.virtual_machine, "none") != 0;
	o.tick_ns = host.tick_ns;
	int rc = et_tracer_run(&o, out, err);
	et_progress_erase(&r->progress);
	if (rc == 0 && *out->ended)
		et_fail(err, ENXIO, ET_EXIT_ENVIRONMENT, "the trace ended early: %s", out->ended);
	return rc;
}

static int program(const struct et_trace_request *r, char *const *argv,
	struct et_interrupt *interrupt, struct et_trace *out, struct et_error *err)
{
	struct et_tracee_options o = {
		.argv = argv, .envp = environ, .cpu = r->cpu, .interrupt = interrupt
	};
	struct et_host host;
	int status;

	et_host_read("", &host);
	o.virtual_machine = strcmp(host.virtual_machine, "none") != 0;
	o.tick_ns = host.tick_ns;
	int rc = et_tracee_run(&o, out, &status, err);
	if (rc)
		return rc;
	if (WIFSIGNALED(status))
		et_fail(err, ECHILD, ET_EXIT_PROGRAM, "'%s' was ended by signal %d (%s)", argv[0],
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		et_fail(err, ECHILD, ET_EXIT_PROGRAM, "'%s' failed with exit status %d", argv[0],
			WEXITSTATUS(status));
	return 0;
}

/* Traces beside the competing processes, which end with it. */
static int record(struct et_trace_request *r, char *const *argv, struct et_interrupt *interrupt,
	struct et_trace *out, struct et_error *err)
{
	struct et_rivals rivals = { 0 };

	int rc = et_tracer_cpu(r->cpu, &r->cpu, err);
	if (rc == 0 && r->loads)
		rc = et_rivals_start(&rivals, r->loads, r->cpu, err);
	if (rc)
		return rc;
	rc = argv ? program(r, argv, interrupt, out, err) : spin(r, interrupt, out, err);
	if (r->loads)
		et_rivals_end(&rivals);
	return rc;
}

int et_trace_take(struct et_trace_request *r, char *const *argv, struct et_interrupt *interrupt,
	struct et_traces *all, struct et_error *err)
{
	struct et_trace one;

	if (r->from)
		return from_file(r, all, err);
	int rc = record(r, argv, interrupt, &one, err);
	if (rc == -EINTR && !one.total) {
		et_trace_free(&one); /* the signal came before the first reading */
	} else if (rc == 0 || rc == -EINTR) {
		all->list = et_alloc(sizeof(one));
		all->list[all->n++] = one;
	}
	return rc;
}
