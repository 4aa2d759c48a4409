/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A template to copy: an experiment of the lab. It is compiled and tested, and no part of etalon.
 *
 * To make one of it: copy this file to NAME.c and configure Meson again; add its row to
 * experiment_rows.h, which says what else is needed, and its bit to the options that it takes. An
 * experiment that measures keeps what it measured and can print it again: see branch.c, and
 * clock_methods.c for whole programs. An engine that other experiments need moves to src/lab.
 *
 * An experiment has a known truth. This one throws a coin of known bias n times and counts how
 * often Wilson's interval of level 95 % contains the bias.
 */
#include "app/lab/experiments.h"
#include "stats/series/interval.h"

static const double bias = 0.3, level = 0.95;
static const uint32_t throws[] = { 10, 30, 100, 300 };

struct skeleton {
	uint64_t seed;
	double level, bias;
	uint32_t wanted;                         /* repetitions */
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
static int simulate(struct et_lab_request *r, void *result, struct et_error *err)
{
	struct skeleton *out = result;
	uint64_t done = 0, total = (uint64_t)r->simulation.repetitions * ET_LENGTH(throws);

	(void)err;
	*out = (struct skeleton){ .seed = r->simulation.seed,
		.level = level,
		.bias = bias,
		.wanted = r->simulation.repetitions };
	for (uint32_t k = 0; k < r->simulation.repetitions; k++) {
		for (size_t i = 0; i < ET_LENGTH(throws); i++) {
			struct et_rng rng;
			et_rng_seed(&rng, r->simulation.seed, (uint64_t)i << 32 | k);
			out->covered[i] += covers(&rng, throws[i]);
			out->repetitions[i]++;
			if (!et_lab_draw_progress(r, ++done, total))
				return 0;
		}
	}
	return 0;
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

static void print_text(const void *result, const struct et_page *page)
{
	struct et_table t = table_of(result);

	et_table_print(&t, page);
}

static void write_cases(struct et_json *w, const char *key, const void *result)
{
	struct et_table t = table_of(result);

	(void)key; /* it is the number of the table */
	et_table_json(&t, w);
}

/* JSON has what is needed to repeat the experiment. */
ET_FIELDS(fields, ET_KEYS(skeleton, seed), ET_KEY(skeleton, "repetitions", wanted),
	ET_KEYS(skeleton, level, bias), ET_KEY_MADE("cases", write_cases));

/* --- what its row in experiment_rows.h names --- */

extern const struct et_lab et_lab_skeleton; /* the row declares it */

const struct et_lab et_lab_skeleton = {
	.size = sizeof(struct skeleton), .simulate = simulate, .fields = fields, .text = print_text
};
