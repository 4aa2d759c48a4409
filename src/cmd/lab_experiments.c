/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/lab_experiments.h"
#include "base/clock.h"

static bool go_on(void *ctx, uint64_t done, uint64_t total)
{
	struct et_lab_request *r = ctx;
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_progress_state state = {
		.name = r->name, .done = done, .total = total, .elapsed_ns = now - r->started_ns
	};

	et_progress_draw(&r->progress, &state, now);
	return !r->interrupt->signal;
}

static void coverage(struct et_lab_request *r)
{
	struct et_coverage_options *o = &r->coverage;
	struct et_coverage c;

	o->seed = r->asked.seed;
	o->repetitions = r->asked.repetitions;
	o->replicates = r->asked.replicates;
	o->watch = (struct et_lab_watch){ go_on, r };
	et_coverage_run(o, &c);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		et_coverage_json(&c, &r->asked, stdout);
	else
		et_coverage_text(&c, &r->page);
	et_coverage_free(&c);
}

static void false_alarms(struct et_lab_request *r)
{
	struct et_false_alarms_options *o = &r->alarms;
	struct et_false_alarms f;

	o->seed = r->asked.seed;
	o->repetitions = r->asked.repetitions;
	o->watch = (struct et_lab_watch){ go_on, r };
	et_false_alarms_run(o, &f);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		et_false_alarms_json(&f, &r->asked, stdout);
	else
		et_false_alarms_text(&f, &r->page);
}

const struct et_lab_experiment et_lab_experiments[] = {
	{ "coverage", "how often do the intervals hold the truth, and are we warned?",
		ET_LAB_BOOTSTRAP | ET_LAB_LAW | ET_LAB_SIZE, coverage },
	{ "false-alarms", "how often do A and A differ on a busy machine, and A and 1.01 A?",
		ET_LAB_EFFECT | ET_LAB_PAIR_SD, false_alarms },
	{ 0 },
};
