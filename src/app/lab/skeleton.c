/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A template to copy: an experiment of the lab. It is compiled and tested, and no part of etalon.
 *
 * To make one of it: copy this file to NAME.c and configure Meson again; declare et_lab_NAME, add
 * its row to the table of experiments.c, and its bit to the options that it takes, and an example
 * to command.c; describe it in man/etalon-lab.1.scd, where the synopsis has the order of the table;
 * copy tests/unit/app/lab/skeleton.c. An experiment that measures keeps what it measured and can
 * print it again: see branch.c, and measured.h for whole programs. An engine that other experiments
 * need moves to src/lab.
 *
 * An experiment has a known truth. This one throws a coin of known bias n times and counts how
 * often Wilson's interval of level 95 % contains the bias.
 */
#include "app/lab/experiments.h"
#include "base/alloc.h"
#include "draw/table.h"
#include "num/rng.h"
#include "stats/series/interval.h"

#include <math.h>

static const double bias = 0.3, level = 0.95;
static const uint32_t throws[] = { 10, 30, 100, 300 };

struct skeleton {
	uint32_t repetitions[ET_LENGTH(throws)]; /* done; fewer than requested after a signal */
	uint32_t covered[ET_LENGTH(throws)];
};

/* --- the engine: it prints nothing, and the same seed gives the same result --- */

static bool covers(struct et_rng *rng, uint32_t n)
{
	uint32_t heads = 0;

	for (uint32_t i = 0; i < n; i++)
		heads += et_rng_uniform(rng) < bias;
	struct et_interval i = et_share_interval_wilson(heads, n, level);
	return i.lo <= bias && bias <= i.hi;
}

/* Repetitions are outermost, so that an early end leaves all cases with about as many. */
static void simulate(struct et_lab_request *r, struct skeleton *out)
{
	uint64_t done = 0, total = (uint64_t)r->simulation.repetitions * ET_LENGTH(throws);

	*out = (struct skeleton){ 0 };
	for (uint32_t k = 0; k < r->simulation.repetitions; k++) {
		for (size_t i = 0; i < ET_LENGTH(throws); i++) {
			struct et_rng rng;
			et_rng_seed(&rng, r->simulation.seed, (uint64_t)i << 32 | k);
			out->covered[i] += covers(&rng, throws[i]);
			out->repetitions[i]++;
			if (!et_lab_draw_progress(r, ++done, total))
				return;
		}
	}
}

/* --- the view: one table for the text and for JSON --- */

static const char *format_count(double n, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.0f", n);
	return buf;
}

static const struct et_table_column columns[] = {
	ET_COLUMN(NUMBER, "throws", .key = "throws", .format = format_count),
	ET_COLUMN(NUMBER, "repetitions", .key = "repetitions", .format = format_count),
	ET_COLUMN(NUMBER, "covered", .key = "covered", .format = et_format_percent),
};

static struct et_table table_of(const struct skeleton *s)
{
	struct et_table t = { ET_COLUMNS(columns), .number = "cases",
		.caption = et_strdup("how often Wilson's interval of 95 % contains the true share"),
		.empty = "none: it was ended before the first repetition" };

	for (size_t i = 0; i < ET_LENGTH(throws); i++) {
		uint32_t n = s->repetitions[i];
		et_table_number(&t, throws[i]);
		et_table_number(&t, n);
		et_table_number(&t, n ? (double)s->covered[i] / n : NAN);
	}
	return t;
}

/* JSON has what is needed to repeat the experiment. */
static void write_json(const struct et_lab_request *r, struct et_table *t)
{
	struct et_json w;

	et_json_init(&w, r->page.out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "experiment", r->name);
	et_json_u64(&w, "seed", r->simulation.seed);
	et_json_u64(&w, "repetitions", r->simulation.repetitions);
	et_json_double(&w, "level", level);
	et_json_double(&w, "bias", bias);
	et_table_json(t, &w);
	et_json_end(&w);
}

/* --- the function of its row: { "skeleton", et_lab_skeleton, SKELETON, … } --- */

et_action_run et_lab_skeleton; /* in experiments.h */

/* After a signal it prints what it has. */
int et_lab_skeleton(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct skeleton s;

	(void)err;
	simulate(r, &s);
	et_progress_erase(&r->progress);
	struct et_table t = table_of(&s);
	if (r->given & ET_LAB_JSON)
		write_json(r, &t);
	else
		et_table_print(&t, &r->page);
	return 0;
}
