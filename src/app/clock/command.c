/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon clock`: the available clocks, their resolution and cost, and timer interrupts. */
#include "app/clock/scales.h"
#include "app/clock/view.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "cli/cli.h"
#include "cli/signals.h"
#include "draw/progress.h"
#include "host/host.h"
#include "measure/trace/clock_warnings.h"
#include "measure/trace/sched_stream.h"
#include "measure/trace/tracer.h"

#include <errno.h>
#include <string.h>

struct request {
	bool json, scales;
	const char *svg;
	uint64_t duration_ns;
	int cpu;
};

static const struct et_option options[] = {
	{ 0, "json", NULL, "print JSON instead of text", et_set_true, ET_FILLS(request, json) },
	{ 0, "duration", "DUR", "how long to measure, at least 0.5s (2.5s)", et_set_duration,
		ET_FILLS(request, duration_ns), .lo = 500000000, .hi = 3600000000000,
		.excludes = "scales" },
	{ 0, "cpu", "N", "measure on this CPU (the one that etalon runs on)", et_set_int,
		ET_FILLS(request, cpu), .hi = CPU_SETSIZE - 1 },
	{ 0, "scales", NULL, "how long events take instead, from a division to a new process",
		et_set_true, ET_FILLS(request, scales) },
	{ 0, "svg", "FILE", "also draw them", et_set_text, ET_FILLS(request, svg), .values = "FILE",
		.needs = "scales" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_clock = {
	.name = "clock",
	.summary = "show the available clocks, their resolution and cost",
	.usage = "[options]",
	.about = "Reads every clock, checks the processor's counter and compares it between CPUs,\n"
		 "waits for a hundred timer interrupts, and advises how to time a program here.",
	.examples = "  etalon clock\n"
		    "  etalon clock --json --duration 1s --cpu 0\n"
		    "  etalon clock --scales --svg scales.svg\n",
	.options = options,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

struct survey_progress {
	struct et_survey *survey;
	struct et_progress progress;
	const struct et_interrupt *interrupt;
	uint64_t began_ns;
};

static bool beat(void *ctx)
{
	struct survey_progress *w = ctx;
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
	struct survey_progress shown = { .survey = out,
		.progress = { .out = cli->progress ? stderr : NULL, .width = cli->columns },
		.interrupt = interrupt,
		.began_ns = et_clock_read_ns(CLOCK_MONOTONIC) };
	struct et_pulse pulse = { beat, &shown };
	const struct et_survey_options how = { .cpu = r->cpu,
		.duration_ns = r->duration_ns,
		.pulse = &pulse,
		.tick_at_ns = et_timer_phase };

	int rc = et_survey_take(&how, out);
	et_progress_erase(&shown.progress);
	return rc ? et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "cannot stay on one CPU") : 0;
}

#define CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0/"

static void print(const struct et_cli *cli, const struct request *r, const struct et_survey *s)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_host host;
	struct et_warnings warnings = { 0 };
	struct et_clock_report report = {
		.survey = s, .host = &host, .load = et_host_load(""), .warnings = &warnings
	};
	char sources[256], rtc[64];
	struct et_json w;

	if (et_sysroot_line("", CLOCKSOURCES "available_clocksource", sources, sizeof(sources)) >
		0) {
		for (size_t n = strlen(sources); n && sources[n - 1] == ' '; n--)
			sources[n - 1] = '\0';
		report.clocksources = sources;
	}
	if (et_sysroot_line("", "/sys/class/rtc/rtc0/name", rtc, sizeof(rtc)) > 0)
		report.rtc = rtc;
	et_host_read("", &host);
	et_survey_warn(s, host.clocksource, &warnings);
	if (r->json) {
		et_json_init(&w, stdout, 2);
		et_clock_json(&w, &report);
	} else {
		et_clock_text(&report, &page, cli->verbosity > 0);
	}
	et_warnings_free(&warnings);
}

static int survey_and_print(const struct et_cli *cli, const struct request *r,
	const struct et_interrupt *interrupt, struct et_survey *s, struct et_error *err)
{
	int rc = survey(cli, r, interrupt, s, err);

	if (rc)
		return rc;
	print(cli, r, s);
	return et_cli_close_output(stdout, "-", err);
}

static int check(const struct request *r, const struct et_operands *ops, struct et_error *err)
{
	int cpu;

	if (ops->n_before + ops->n_after)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "clock takes no operands");
	return r->cpu < 0 ? 0 : et_tracer_cpu(r->cpu, &cpu, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .duration_ns = 2500000000, .cpu = -1 };
	ET_AUTO_FREE struct et_survey *s = et_calloc(1, sizeof(*s));
	struct et_error err = { 0 };
	struct et_operands ops;

	int status = et_cli_parse(cli, &et_verb_clock, argc, argv, &r, &ops);
	if (status >= 0)
		return status;
	const struct et_interrupt *interrupt = et_signals_install();
	int rc = check(&r, &ops, &err);
	if (rc == 0 && r.scales)
		rc = et_clock_scales(cli, r.cpu, r.json, r.svg, interrupt, &err);
	else if (rc == 0)
		rc = survey_and_print(cli, &r, interrupt, s, &err);
	et_operands_free(&ops);
	if (rc)
		return et_cli_fail(&err);
	return interrupt->signal ? 128 + interrupt->signal : ET_EXIT_DONE;
}
