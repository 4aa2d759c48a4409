/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon clock`: the available clocks, their resolution and cost, and timer interrupts. */
#include "app/clock/view.h"
#include "base/sysroot.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/signals.h"
#include "draw/progress.h"
#include "host/host.h"
#include "measure/trace/clock_warnings.h"
#include "measure/trace/sched_stream.h"
#include "measure/trace/tracer.h"

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

/* A measurement that is watched: its progress line, and the signal that ends it. */
struct watch {
	const char *what;
	const size_t *done, *total;
	struct et_progress progress;
	const struct et_interrupt *interrupt;
	uint64_t began_ns;
};

static bool beat(void *ctx)
{
	struct watch *w = ctx;
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_progress_state state = { .name = w->what,
		.done = *w->done,
		.total = *w->total,
		.elapsed_ns = now - w->began_ns };

	et_progress_draw(&w->progress, &state, now);
	return !w->interrupt->signal;
}

static struct watch watch(const struct et_cli *cli, const struct et_interrupt *interrupt,
	const char *what, const size_t *done, const size_t *total)
{
	return (struct watch){ .what = what,
		.done = done,
		.total = total,
		.progress = { .out = cli->progress ? stderr : NULL, .width = cli->columns },
		.interrupt = interrupt,
		.began_ns = et_clock_read_ns(CLOCK_MONOTONIC) };
}

static int end_watch(struct watch *w, int rc, struct et_error *err)
{
	et_progress_erase(&w->progress);
	return rc ? et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "cannot stay on one CPU") : 0;
}

static int scales(const struct et_cli *cli, const struct request *r,
	const struct et_interrupt *interrupt, struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_timescales s = { 0 };
	struct watch w = watch(cli, interrupt, "events", &s.n, &s.total);
	const struct et_pulse pulse = { beat, &w };
	struct et_json json;

	int rc = end_watch(&w, et_timescales_measure(r->cpu, &pulse, &s), err);
	if (rc)
		return rc;
	et_json_init(&json, stdout, 2);
	if (r->json)
		et_scales_json(&json, &s);
	else
		et_scales_text(&s, &page, cli->verbosity > 0);
	rc = et_cli_close_output(stdout, "-", err);
	return rc ? rc : et_output_write(r->svg, "svg", et_scales_svg, &s, err);
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

static int survey(const struct et_cli *cli, const struct request *r,
	const struct et_interrupt *interrupt, struct et_survey *s, struct et_error *err)
{
	struct watch w = watch(cli, interrupt, "clocks", &s->done, &s->total);
	struct et_pulse pulse = { beat, &w };
	const struct et_survey_options how = { .cpu = r->cpu,
		.duration_ns = r->duration_ns,
		.pulse = &pulse,
		.tick_at_ns = et_timer_phase };

	int rc = end_watch(&w, et_survey_take(&how, s), err);
	if (rc)
		return rc;
	print(cli, r, s);
	return et_cli_close_output(stdout, "-", err);
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
	int rc = 0, cpu;
	if (ops.n_before + ops.n_after)
		rc = et_refuse(&err, NULL, "clock takes no operands");
	else if (r.cpu >= 0)
		rc = et_tracer_cpu(r.cpu, &cpu, &err);
	if (rc == 0 && r.scales)
		rc = scales(cli, &r, interrupt, &err);
	else if (rc == 0)
		rc = survey(cli, &r, interrupt, s, &err);
	et_operands_free(&ops);
	if (rc)
		return et_cli_fail(&err);
	return interrupt->signal ? 128 + interrupt->signal : ET_EXIT_DONE;
}
