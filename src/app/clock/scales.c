/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/clock/scales.h"
#include "app/clock/view_scales.h"
#include "base/clock.h"
#include "cli/outputs.h"
#include "draw/progress.h"
#include "measure/trace/timescales.h"

struct scales_progress {
	const struct et_timescales *scales;
	struct et_progress progress;
	const struct et_interrupt *interrupt;
	uint64_t began_ns;
};

static bool beat(void *ctx)
{
	struct scales_progress *w = ctx;
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_progress_state state = { .name = "events",
		.done = w->scales->n,
		.total = w->scales->total,
		.elapsed_ns = now - w->began_ns };

	et_progress_draw(&w->progress, &state, now);
	return !w->interrupt->signal;
}

static void draw(const void *ctx, FILE *out)
{
	et_scales_svg(ctx, out);
}

static int print(const struct et_cli *cli, bool json, const char *svg,
	const struct et_scales_report *report, struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_json w;

	if (json) {
		et_json_init(&w, stdout, 2);
		et_scales_json(&w, report);
	} else {
		et_scales_text(report, &page, cli->verbosity > 0);
	}
	int rc = et_cli_close_output(stdout, "-", err);
	return rc ? rc : et_output_write(svg, "svg", draw, report, err);
}

int et_clock_scales(const struct et_cli *cli, int cpu, bool json, const char *svg,
	const struct et_interrupt *interrupt, struct et_error *err)
{
	struct et_timescales scales = { 0 };
	struct scales_progress shown = { .scales = &scales,
		.progress = { .out = cli->progress ? stderr : NULL, .width = cli->columns },
		.interrupt = interrupt,
		.began_ns = et_clock_read_ns(CLOCK_MONOTONIC) };
	const struct et_pulse pulse = { beat, &shown };
	struct et_scales_row rows[ET_TIMESCALES_MOST];

	int rc = et_timescales_measure(cpu, &pulse, &scales);
	et_progress_erase(&shown.progress);
	if (rc)
		return et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "cannot stay on one CPU");
	for (size_t i = 0; i < scales.n; i++)
		rows[i] = (struct et_scales_row){ scales.list[i].name, scales.list[i].what,
			scales.list[i].missing, scales.list[i].ns };
	const struct et_scales_report report = {
		.cpu = scales.cpu, .rows = rows, .n = scales.n, .cut_short = scales.cut_short
	};
	return print(cli, json, svg, &report, err);
}
