/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon clock`: which clocks are there, how fine, how dear; what does a timer interrupt cost? */
#include "report/clock.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/cli.h"
#include "cmd/signals.h"
#include "host/host.h"
#include "measure/tracer.h"
#include "report/progress.h"

#include <errno.h>

enum { OPT_JSON = 1, OPT_DURATION, OPT_CPU };

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", NULL, OPT_JSON },
	{ 0, "duration", "DUR", "how long to measure, from 0.5s on (2.5s)", NULL, OPT_DURATION },
	{ 0, "cpu", "N", "on this CPU (where it happens to run)", NULL, OPT_CPU },
	{ 0 },
};

struct request {
	bool json;
	uint64_t duration_ns;
	int cpu;
};

static int option(void *ctx, int id, char *const *args, struct et_error *err)
{
	const uint64_t least_ns = 500000000, most_ns = 3600000000000;
	struct request *r = ctx;
	uint64_t value = 0;
	int rc;

	switch (id) {
	case OPT_JSON:
		r->json = true;
		return 0;
	case OPT_DURATION:
		rc = et_parse_duration("--duration", args[0], &value, err);
		if (rc == 0 && (value < least_ns || value > most_ns))
			return et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--duration: '%s' is not from 0.5s to 1h", args[0]);
		r->duration_ns = value;
		return rc;
	default: /* OPT_CPU */
		rc = et_parse_u64("--cpu", args[0], 0, CPU_SETSIZE - 1, &value, err);
		r->cpu = (int)value;
		return rc;
	}
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_clock = {
	.name = "clock",
	.summary = "which clocks are there, how fine, how dear; what does a timer interrupt cost?",
	.usage = "[options]",
	.about =
		"Reads every clock there is, watches the processor's counter, compares it between\n"
		"CPUs, waits for a hundred timer interrupts, and says how to time a program here.",
	.examples = "  etalon clock\n"
		    "  etalon clock --json --duration 1s --cpu 0\n",
	.options = options,
	.run = run,
};

struct watch {
	struct et_survey *survey;
	struct et_progress progress;
	const struct et_interrupt *interrupt;
	uint64_t began_ns;
};

static bool beat(void *ctx)
{
	struct watch *w = ctx;
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_progress_state state = { .name = "clocks",
		.done = w->survey->done,
		.total = w->survey->total,
		.elapsed_ns = now - w->began_ns };

	et_progress_draw(&w->progress, &state, now);
	return !w->interrupt->signal;
}

static int survey(const struct et_cli *cli, const struct request *r,
	const struct et_interrupt *interrupt, struct et_survey *out, struct et_error *err)
{
	struct watch watch = { .survey = out,
		.progress = { .out = cli->progress ? stderr : NULL, .width = cli->columns },
		.interrupt = interrupt,
		.began_ns = et_clock_read_ns(CLOCK_MONOTONIC) };
	struct et_pulse pulse = { beat, &watch };
	int cpu;
	int rc = r->cpu < 0 ? 0 : et_tracer_cpu(r->cpu, &cpu, err);

	if (rc)
		return rc;
	rc = et_survey_take(r->cpu, r->duration_ns, &pulse, out);
	et_progress_erase(&watch.progress);
	return rc ? et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "staying on one CPU") : 0;
}

static void print(const struct et_cli *cli, const struct request *r, const struct et_survey *s)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_host host;
	struct et_clock_report report = { .survey = s, .host = &host, .load = et_host_load("") };
	struct et_json w;

	et_host_read("", &host);
	if (!r->json) {
		et_clock_text(&report, &page, cli->verbosity > 0);
		return;
	}
	et_json_init(&w, stdout, 2);
	et_clock_json(&w, &report);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .duration_ns = 2500000000, .cpu = -1 };
	ET_AUTO_FREE struct et_survey *s = et_calloc(1, sizeof(*s));
	struct et_error err = { 0 };
	struct et_operands ops;

	int status = et_cli_parse(cli, &et_verb_clock, argc, argv, option, &r, &ops);
	if (status >= 0)
		return status;
	const struct et_interrupt *interrupt = et_signals_install();
	int rc = ops.n_before + ops.n_after
			 ? et_fail(&err, EINVAL, ET_EXIT_USAGE, "clock takes no operands")
			 : survey(cli, &r, interrupt, s, &err);
	if (rc == 0) {
		print(cli, &r, s);
		rc = et_cli_close_output(stdout, "-", &err);
	}
	et_operands_free(&ops);
	if (rc)
		return et_cli_fail(&err);
	return interrupt->signal ? 128 + interrupt->signal : ET_EXIT_DONE;
}
