/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments of `etalon lab` that simulate data whose true value is known. */
#include "app/lab/experiments.h"
#include "base/clock.h"

bool et_lab_draw_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct et_lab_request *r = ctx;
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_progress_state state = {
		.name = r->name, .done = done, .total = total, .elapsed_ns = now - r->started_ns
	};

	et_progress_draw(&r->progress, &state, now);
	return !r->interrupt->signal;
}

int et_lab_coverage(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct et_coverage_options *o = &r->coverage;
	struct et_coverage c;

	(void)err;
	o->seed = r->asked.seed;
	o->repetitions = r->asked.repetitions;
	o->replicates = r->asked.replicates;
	o->progress = (struct et_lab_progress){ et_lab_draw_progress, r, NULL };
	et_coverage_run(o, &c);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		et_coverage_json(&c, &r->asked, stdout);
	else
		et_coverage_text(&c, &r->page);
	et_coverage_free(&c);
	return 0;
}

int et_lab_false_alarms(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct et_false_alarms_options *o = &r->alarms;
	struct et_false_alarms f;

	(void)err;
	o->seed = r->asked.seed;
	o->repetitions = r->asked.repetitions;
	o->progress = (struct et_lab_progress){ et_lab_draw_progress, r, NULL };
	et_false_alarms_run(o, &f);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		et_false_alarms_json(&f, &r->asked, stdout);
	else
		et_false_alarms_text(&f, &r->page);
	return 0;
}

int et_lab_quantisation(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct et_quantisation_options o = { .seed = r->asked.seed,
		.repetitions = r->asked.repetitions,
		.progress = { et_lab_draw_progress, r, NULL } };
	struct et_quantisation q;
	FILE *svg = NULL;

	et_quantisation_run(&o, &q);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		et_quantisation_json(&q, &r->asked, stdout);
	else
		et_quantisation_text(&q, &r->page);
	int rc = et_lab_picture(r, &svg, err);
	if (svg)
		et_quantisation_svg(&q, svg);
	return rc;
}
