/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon trace`: shows when a CPU or a program was interrupted, and by what. */
#include "app/trace/view.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/signals.h"
#include "conduct/tuning.h"
#include "draw/progress.h"
#include "host/host.h"
#include "lab/rivals.h"
#include "measure/trace/cause.h"
#include "measure/trace/tracee.h"
#include "measure/trace/tracer.h"
#include "source/input.h"
#include "store/import/trace.h"

#include <sys/wait.h>

struct request {
	uint64_t duration_ns, threshold_ns; /* 0: not given */
	int cpu;                            /* -1: not given */
	uint32_t loads;                     /* competing processes */
	bool json, all;
	const char *svg, *from;
	struct et_progress progress;
};

/* In a longer trace the sums of the counter are no longer exact in the figures printed. */
#define LONGEST_NS (UINT64_C(30) * 86400 * 1000000000)

static const struct et_option options[] = {
	{ 0, "duration", "DUR", "length of the trace (1s)", et_set_duration,
		ET_FILLS(request, duration_ns), .hi = LONGEST_NS, .excludes = "PROGRAM" },
	{ 0, "threshold", "DUR", "readings further apart are an inactive period (measured first)",
		et_set_duration, ET_FILLS(request, threshold_ns), .excludes = "PROGRAM" },
	{ 0, "cpu", "N", "trace this CPU (the last one that may be used)", et_set_int,
		ET_FILLS(request, cpu), .hi = CPU_SETSIZE - 1 },
	{ 0, "loads", "N", "start N processes that compete for the CPU (0)", et_set_u32,
		ET_FILLS(request, loads), .hi = ET_RIVALS_MAX },
	{ 0, "all", NULL, "print every period, not only the first ones", et_set_true,
		ET_FILLS(request, all) },
	{ 0, "json", NULL, "print JSON instead of text", et_set_true, ET_FILLS(request, json) },
	{ 0, "svg", "FILE", "also draw the timeline", et_set_text, ET_FILLS(request, svg),
		.values = "FILE" },
	{ 0, "from", "FILE", "read a trace instead of recording one; - is standard input",
		et_set_text, ET_FILLS(request, from), .values = "FILE",
		.excludes = "duration|threshold|cpu|loads|PROGRAM" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_trace = {
	.name = "trace",
	.operands = "COMMAND",
	.summary = "when was a CPU or a program interrupted, and by what?",
	.usage = "[options]\n[options] -- PROGRAM ARG…\n[options] --from FILE",
	.about =
		"A thread does nothing but read the counter: where two readings are far apart, it\n"
		"was interrupted. With a PROGRAM, trace shows when it was off its CPU and which\n"
		"tasks ran there. Names of tasks and interrupts need root (or CAP_BPF and\n"
		"CAP_PERFMON).",
	.examples = "  etalon trace --duration 200ms\n"
		    "  etalon trace --json --duration 50ms --threshold 2us\n"
		    "  etalon trace --duration 100ms --svg timeline.svg\n"
		    "  etalon trace --duration 100ms --loads 1\n"
		    "  etalon trace --from activity.json\n"
		    "  etalon trace -- sort data # needs root\n",
	.options = options,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

/* --- getting traces --- */

static int from_file(const struct request *r, struct et_traces *out, struct et_error *err)
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
	struct request *r = ctx;
	struct et_progress_state state = { .name = "seconds of the trace",
		.done = elapsed_ns / 1000000000,
		.total = r->duration_ns / 1000000000,
		.elapsed_ns = elapsed_ns };

	if (r->duration_ns >= UINT64_C(2000000000))
		et_progress_draw(&r->progress, &state, et_clock_read_ns(CLOCK_MONOTONIC));
}

/* The status of the traced program. */
static void judge(const char *name, int status, struct et_error *err)
{
	if (WIFSIGNALED(status))
		et_fail(err, ECHILD, ET_EXIT_PROGRAM, "'%s' was ended by signal %d (%s)", name,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		et_fail(err, ECHILD, ET_EXIT_PROGRAM, "'%s' failed with exit status %d", name,
			WEXITSTATUS(status));
}

static int trace(struct request *r, char *const *argv, struct et_interrupt *interrupt,
	struct et_trace *out, struct et_error *err)
{
	struct et_host host;
	int status;

	et_host_read("", &host);
	const struct et_tracer_options o = { .cpu = r->cpu,
		.virtual_machine = strcmp(host.virtual_machine, "none") != 0,
		.tick_ns = host.tick_ns,
		.interrupt = interrupt,
		.duration_ns = r->duration_ns,
		.threshold_ns = r->threshold_ns,
		.note = note,
		.ctx = r };
	int rc = argv ? et_tracee_run(&o, argv, out, &status, err) : et_tracer_run(&o, out, err);
	et_progress_erase(&r->progress);
	if (rc == 0 && argv)
		judge(argv[0], status, err);
	else if (rc == 0 && *out->ended)
		et_fail(err, ENXIO, ET_EXIT_ENVIRONMENT, "the trace ended early: %s", out->ended);
	return rc;
}

/* Traces beside the competing processes, which end with it. */
static int record(struct request *r, char *const *argv, struct et_interrupt *interrupt,
	struct et_trace *out, struct et_error *err)
{
	struct et_rivals rivals = { 0 };

	int rc = et_tracer_cpu(r->cpu, &r->cpu, err);
	if (rc == 0 && r->loads)
		rc = et_rivals_start(&rivals, r->loads, r->cpu, NULL, err);
	if (rc)
		return rc;
	rc = trace(r, argv, interrupt, out, err);
	if (r->loads)
		et_rivals_end(&rivals);
	return rc;
}

/* -EINTR, after a signal: with the traces until then. 0 with err filled: they ended early. */
static int take(struct request *r, char *const *argv, struct et_interrupt *interrupt,
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

/* --- writing them --- */

static void print(const struct et_cli *cli, const struct request *r, const struct et_traces *all)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (r->json && all->n > 1) {
		et_json_object(&w, NULL);
		et_json_array(&w, "traces");
	}
	for (size_t i = 0; i < all->n; i++) {
		if (r->json)
			et_trace_json(&all->list[i], &w);
		else
			et_trace_text(&all->list[i], &page, r->all);
		if (!r->json && i + 1 < all->n)
			putchar('\n');
	}
	if (r->json && all->n > 1) {
		et_json_end(&w);
		et_json_end(&w);
	}
}

static int check(struct request *r, const struct et_operands *ops, struct et_error *err)
{
	if (ops->n_before)
		return et_hint(err, et_refuse(err, NULL, "trace: unexpected '%s'", ops->before[0]),
			"give a program after --: etalon trace -- %s", ops->before[0]);
	if (ops->after && !ops->n_after)
		return et_refuse(err, NULL, "trace: no program after --");
	if (!r->duration_ns)
		r->duration_ns = 1000000000;
	if (r->threshold_ns >= r->duration_ns)
		return et_refuse(err, NULL, "--threshold must be shorter than --duration");
	if (r->svg && !strcmp(r->svg, "-"))
		return et_refuse(
			err, "name a file", "--svg: standard output is used for text or JSON");
	return 0;
}

static int write_all(struct et_cli *cli, const struct request *r, const struct et_traces *all,
	struct et_output *svg, struct et_error *err)
{
	print(cli, r, all);
	int rc = et_cli_close_output(stdout, "-", err);
	if (rc || !svg->open)
		return rc;
	FILE *f = et_output_begin(svg, err);
	if (!f)
		return -EIO;
	et_trace_svg(all->list, all->n, f);
	return et_output_end(svg, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .cpu = -1 };
	struct et_traces all = { 0 };
	struct et_operands ops;
	struct et_error err = { 0 };
	struct et_output svg = { 0 };

	int status = et_cli_parse(cli, &et_verb_trace, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	if (r.from)
		et_confine(ET_RIGHTS_FILES);
	r.progress =
		(struct et_progress){ .out = cli->progress ? stderr : NULL, .width = cli->columns };
	struct et_interrupt *interrupt = et_signals_install();
	int rc = check(&r, &ops, &err);
	/* Early: a wrong path must not fail after an hour. The old contents stay until then. */
	if (rc == 0 && r.svg)
		rc = et_output_open(&svg, r.svg, &err);
	if (rc == 0 && !r.from)
		et_leftovers_end(cli);
	if (rc == 0)
		rc = take(&r, ops.n_after ? ops.after : NULL, interrupt, &all, &err);
	et_operands_free(&ops);
	if (all.n) {
		struct et_error late = { 0 };
		int rc2 = write_all(cli, &r, &all, &svg, &late);
		if (rc2) {
			rc = rc2;
			err = late;
		}
	}
	et_output_close(&svg);
	et_traces_free(&all);
	if (rc == -EINTR) {
		et_say(stderr, "etalon: interrupted; the trace ends there\n");
		return 128 + interrupt->signal;
	}
	/* A trace may end early because the program failed or its CPU went offline: err says so. */
	return rc || err.exit ? et_cli_fail(&err) : ET_EXIT_DONE;
}
