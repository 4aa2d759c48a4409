/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon trace`: shows when a CPU or a program was interrupted, and by what. */
#include "app/trace/trace.h"
#include "app/trace/view.h"
#include "base/display.h"
#include "base/parse.h"
#include "cli/outputs.h"
#include "cli/signals.h"
#include "conduct/tuning.h"
#include "lab/rivals.h"

#include <errno.h>
#include <string.h>

/* In a longer trace the sums of the counter are no longer exact in the figures printed. */
#define LONGEST_NS (UINT64_C(30) * 86400 * 1000000000)

static const struct et_option options[] = {
	{ 0, "duration", "DUR", "length of the trace (1s)", et_set_duration,
		ET_FILLS(et_trace_request, duration_ns), .hi = LONGEST_NS, .excludes = "PROGRAM" },
	{ 0, "threshold", "DUR", "readings further apart are an inactive period (measured first)",
		et_set_duration, ET_FILLS(et_trace_request, threshold_ns), .excludes = "PROGRAM" },
	{ 0, "cpu", "N", "trace this CPU (the last one that may be used)", et_set_int,
		ET_FILLS(et_trace_request, cpu), .hi = CPU_SETSIZE - 1 },
	{ 0, "loads", "N", "start N processes that compete for the CPU (0)", et_set_u32,
		ET_FILLS(et_trace_request, loads), .hi = ET_RIVALS_MAX },
	{ 0, "all", NULL, "print every period, not only the first ones", et_set_true,
		ET_FILLS(et_trace_request, all) },
	{ 0, "json", NULL, "print JSON instead of text", et_set_true,
		ET_FILLS(et_trace_request, json) },
	{ 0, "svg", "FILE", "also draw the timeline", et_set_text, ET_FILLS(et_trace_request, svg),
		.values = "FILE" },
	{ 0, "from", "FILE", "read a trace instead of recording one; - is standard input",
		et_set_text, ET_FILLS(et_trace_request, from), .values = "FILE",
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

static void print(
	const struct et_cli *cli, const struct et_trace_request *r, const struct et_traces *all)
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

static int check(struct et_trace_request *r, const struct et_operands *ops, struct et_error *err)
{
	if (ops->n_before)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "trace: unexpected '%s'",
				ops->before[0]),
			"give a program after --: etalon trace -- %s", ops->before[0]);
	if (ops->after && !ops->n_after)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "trace: no program after --");
	if (!r->duration_ns)
		r->duration_ns = 1000000000;
	if (r->threshold_ns >= r->duration_ns)
		return et_fail(
			err, EINVAL, ET_EXIT_USAGE, "--threshold must be shorter than --duration");
	return 0;
}

/* Opened early, so that a wrong path does not fail after an hour; the old contents stay until then.
 */
static int open_svg(const struct et_trace_request *r, struct et_output *out, struct et_error *err)
{
	if (!strcmp(r->svg, "-"))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--svg: standard output is used for text or JSON"),
			"name a file");
	return et_output_open(out, r->svg, err);
}

static int write_all(struct et_cli *cli, const struct et_trace_request *r,
	const struct et_traces *all, struct et_output *svg, struct et_error *err)
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
	struct et_trace_request r = { .cpu = -1 };
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
	if (rc == 0 && r.svg)
		rc = open_svg(&r, &svg, &err);
	if (rc == 0 && !r.from)
		et_leftovers_end(cli);
	if (rc == 0)
		rc = et_trace_take(&r, ops.n_after ? ops.after : NULL, interrupt, &all, &err);
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
