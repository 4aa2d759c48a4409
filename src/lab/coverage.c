/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repetitions are the outer loop, so that a simulation that is stopped early has results for every
 * case. Each repetition of each case has a random stream of its own.
 */
#include "lab/coverage.h"
#include "protocol/sanity.h"
#include "protocol/until.h"
#include "stats/compare/compare.h"
#include "stats/compare/judge.h"
#include "stats/compare/paired.h"
#include "stats/series/describe.h"

static const double level = 0.95, true_ratio = 1.05;
static const size_t sizes[] = { 10, 30, 100 };
enum { NIST_SIZE = 1000 };

const char *const et_target_names[] = { "mean-of-run", "mean", "median", "sd", "ratio-in-pairs",
	"ratio", NULL };

enum method {
	RUN_DEFAULT = ET_COVERAGE_OF_RUN,
	RUN_EMP,
	RUN_UNTIL,
	MEAN_T,
	MEAN_PERCENTILE,
	MEAN_BCA,
	MEAN_BOOT_T,
	MEDIAN_ORDER,
	MEDIAN_PERCENTILE,
	MEDIAN_BCA,
	SD_CHI2,
	SD_PERCENTILE,
	SD_BCA,
	PAIRS_T,
	PAIRS_RANKS,
	PAIRS_SIGN,
	PAIRS_PRINTED,
	SEPARATE_PRINTED,
};

const struct et_coverage_method et_coverage_methods[ET_COVERAGE_METHODS] = {
	[RUN_DEFAULT] = { "default", "default", ET_TARGET_RUN },
	[RUN_EMP] = { "emp", "emp", ET_TARGET_RUN },
	[RUN_UNTIL] = { "until", "--until", ET_TARGET_RUN },
	[MEAN_T] = { "student-t", "Student t", ET_TARGET_MEAN },
	[MEAN_PERCENTILE] = { "percentile", "percentile", ET_TARGET_MEAN },
	[MEAN_BCA] = { "bca", "BCa", ET_TARGET_MEAN },
	[MEAN_BOOT_T] = { "bootstrap-t", "bootstrap-t", ET_TARGET_MEAN },
	[MEDIAN_ORDER] = { "order-statistics", "order stat.", ET_TARGET_MEDIAN },
	[MEDIAN_PERCENTILE] = { "percentile", "percentile", ET_TARGET_MEDIAN },
	[MEDIAN_BCA] = { "bca", "BCa", ET_TARGET_MEDIAN },
	[SD_CHI2] = { "chi2", "chi-square", ET_TARGET_SD },
	[SD_PERCENTILE] = { "percentile", "percentile", ET_TARGET_SD },
	[SD_BCA] = { "bca", "BCa", ET_TARGET_SD },
	[PAIRS_T] = { "paired-t", "paired t", ET_TARGET_PAIRS },
	[PAIRS_RANKS] = { "signed-rank", "signed rank", ET_TARGET_PAIRS },
	[PAIRS_SIGN] = { "sign", "sign", ET_TARGET_PAIRS },
	[PAIRS_PRINTED] = { "run", "as run", ET_TARGET_PAIRS },
	[SEPARATE_PRINTED] = { "compare", "as compare", ET_TARGET_SEPARATE },
};

static void count(
	struct et_coverage_cell *c, enum method m, double lo, double hi, double truth, bool warned)
{
	struct et_attained *a = &c->attained[m];

	if (isnan(lo) || isnan(hi))
		return;
	bool covered = lo <= truth && truth <= hi;
	a->defined++;
	a->covered += covered;
	a->silent += !covered && !warned;
	a->warned += warned;
}

static void count_boot(struct et_coverage_cell *c, enum method percentile, enum method bca,
	const struct et_boot *b, double truth, bool warned)
{
	count(c, percentile, b->percentile.lo, b->percentile.hi, truth, warned);
	count(c, bca, b->bca.lo, b->bca.hi, truth, warned);
}

/* --- as run --- */

/* Nanoseconds per unit of a law: fine enough that rounding does not matter. */
static const double scale_ns = 1e4;
enum { UNTIL_MOST = 1000 }; /* as by default */

static struct et_experiment *new_run(enum et_protocol protocol)
{
	struct et_experiment *e = et_experiment_new();

	et_experiment_add_command(e, et_strdup("simulated"), et_calloc(1, sizeof(char *)));
	e->state = ET_STATE_DONE;
	e->protocol = protocol;
	e->metric = ET_METRIC_CPU;
	e->plan.level = level;
	return e;
}

static void add_run(struct et_experiment *e, uint32_t number, double value)
{
	uint64_t ns = (uint64_t)llround(scale_ns * value);
	struct et_sample s = { .place = { .round = number, .order = number, .partner = -1 },
		.measured = { .elapsed_ns = ns, .cpu_ns = ns } };

	et_experiment_add(e, &s);
}

/* The note that a rare case may be missed does not depend on the values, so it warns of none. */
static bool warns(const struct et_warnings *w)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->list[i].code != ET_WARN_RARE_CASE_UNSEEN)
			return true;
	}
	return false;
}

static void count_run(struct et_experiment *e, struct et_coverage_cell *c, enum method m)
{
	struct et_judgement j;
	size_t n;

	free(et_sanity_check(e, NULL, &n));
	et_judge(e, &j);
	const struct et_command_result *r = &j.commands[0];
	const struct et_estimate *est = et_result_estimate(r);
	count(c, m, est->lo / scale_ns, est->hi / scale_ns, et_law_truth(c->law).mean,
		warns(&r->warnings) || warns(&est->warnings));
	c->attained[m].runs += e->commands[0].samples.n;
	et_judgement_free(&j);
}

static void run_counted(
	const double *x, struct et_coverage_cell *c, enum et_protocol protocol, enum method m)
{
	struct et_experiment *e = new_run(protocol);

	for (size_t i = 0; i < c->n; i++)
		add_run(e, (uint32_t)i + 1, x[i]);
	count_run(e, c, m);
	et_experiment_free(e);
}

/* The goal is the precision that n values have on average; the looks are those of the driver. */
static void run_until(struct et_rng *rng, struct et_coverage_cell *c)
{
	struct et_experiment *e = new_run(ET_PROTOCOL_CAUSE);
	uint32_t most = c->n > UNTIL_MOST / 2 ? 2 * (uint32_t)c->n : UNTIL_MOST;
	ET_AUTO_FREE double *x = et_calloc(most, sizeof(*x));
	struct et_until until = { 0 };
	bool stop = false;
	size_t n;

	e->plan.until_ratio = et_qt(0.5 + level / 2, (double)c->n - 1) * et_law_truth(c->law).sd /
			      sqrt((double)c->n) / et_law_truth(c->law).mean;
	et_law_draw(c->law, rng, x, most);
	for (uint32_t i = 0; i < most && !stop; i++) {
		add_run(e, i + 1, x[i]);
		if (i + 1 < ET_UNTIL_LEAST || !et_until_due(&until, i + 1))
			continue;
		free(et_sanity_check(e, NULL, &n));
		stop = et_until_look(&until, i + 1, et_until_reached(e, 0) <= e->plan.until_ratio);
	}
	count_run(e, c, RUN_UNTIL);
	et_experiment_free(e);
}

/* --- as describe and compare --- */

static void describe(const double *x, struct et_coverage_cell *c,
	const struct et_coverage_options *o, uint64_t seed)
{
	struct et_describe_options options = {
		.level = level, .replicates = o->simulation.replicates, .seed = seed, .threads = 1
	};
	struct et_law_truth truth = et_law_truth(c->law);
	struct et_description d;

	et_describe(x, c->n, ET_UNIT_NS, &options, &d);
	bool warned = d.estimate.warnings.n > 0;
	c->warned_describe += warned;
	double student = d.interval.student;
	count(c, MEAN_T, d.estimate.mean - student, d.estimate.mean + student, truth.mean, warned);
	count_boot(c, MEAN_PERCENTILE, MEAN_BCA, &d.mean, truth.mean, warned);
	count(c, MEAN_BOOT_T, d.mean.t.lo, d.mean.t.hi, truth.mean, warned);
	count(c, MEDIAN_ORDER, d.median_interval.lo, d.median_interval.hi, truth.median, warned);
	count_boot(c, MEDIAN_PERCENTILE, MEDIAN_BCA, &d.median, truth.median, warned);
	count(c, SD_CHI2, d.sd_interval.lo, d.sd_interval.hi, truth.sd, warned);
	count_boot(c, SD_PERCENTILE, SD_BCA, &d.sd, truth.sd, warned);
	et_description_free(&d);
}

static void compare_pairs(const double *x, const double *y, struct et_coverage_cell *c)
{
	ET_AUTO_FREE double *d = et_calloc(c->n, sizeof(*d));
	struct et_contrast printed = { .level = level };
	double truth = log(true_ratio);

	for (size_t i = 0; i < c->n; i++)
		d[i] = log(y[i] / x[i]);
	et_judge_pairs(d, c->n, &printed);
	bool warned = printed.warnings.n > 0;
	et_warnings_free(&printed.warnings);
	struct et_interval_test t = et_t_one_sample(d, c->n, 0, level);
	struct et_interval_test sign = et_sign_test(d, c->n, level);
	struct et_interval_test ranks = et_signed_rank_test(d, c->n, level);
	c->warned_pairs += warned;
	count(c, PAIRS_T, t.lo, t.hi, truth, warned);
	count(c, PAIRS_RANKS, ranks.lo, ranks.hi, truth, warned);
	count(c, PAIRS_SIGN, sign.lo, sign.hi, truth, warned);
	count(c, PAIRS_PRINTED, printed.lo, printed.hi, true_ratio, warned);
}

static void compare_separate(double *x, double *y, struct et_coverage_cell *c)
{
	struct et_series series[] = {
		{ .name = NULL, .values = x, .n = c->n, .unit = ET_UNIT_NS },
		{ .name = NULL, .values = y, .n = c->n, .unit = ET_UNIT_NS },
	};
	struct et_compare_options options = { .alpha = 1 - level };
	struct et_comparison r;

	et_compare(series, ET_LENGTH(series), &options, &r);
	bool warned = r.samples[0].warnings.n || r.samples[1].warnings.n || r.pairs[0].warnings.n;
	c->warned_separate += warned;
	count(c, SEPARATE_PRINTED, r.pairs[0].lo, r.pairs[0].hi, true_ratio, warned);
	et_comparison_free(&r);
}

static void repeat(struct et_coverage_cell *c, const struct et_coverage_options *o, uint64_t stream)
{
	ET_AUTO_FREE double *x = et_calloc(c->n, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(c->n, sizeof(*y));
	struct et_rng rng;

	et_rng_seed(&rng, o->simulation.seed, stream);
	et_law_draw(c->law, &rng, x, c->n);
	et_law_draw(c->law, &rng, y, c->n);
	for (size_t i = 0; i < c->n; i++)
		y[i] *= true_ratio;
	c->repetitions++;
	describe(x, c, o, et_rng_next(&rng));
	compare_pairs(x, y, c);
	compare_separate(x, y, c);
	run_counted(x, c, ET_PROTOCOL_CAUSE, RUN_DEFAULT);
	run_counted(x, c, ET_PROTOCOL_EMP, RUN_EMP);
	run_until(&rng, c);
}

static void lay_out(const struct et_coverage_options *o, struct et_coverage *out)
{
	static const size_t nist_size = NIST_SIZE;
	size_t laws = 0;

	while (et_laws[laws].name)
		laws++;
	*out = (struct et_coverage){ .level = level, .simulation = o->simulation };
	out->cells = et_calloc(laws * ET_LENGTH(sizes), sizeof(*out->cells));
	for (const struct et_law *law = et_laws; law->name; law++) {
		const size_t *n = o->n ? &o->n : law->nist ? &nist_size : sizes;
		size_t cases = n == sizes ? ET_LENGTH(sizes) : 1;
		for (size_t i = 0; (!o->law || o->law == law) && i < cases; i++)
			out->cells[out->n_cells++] =
				(struct et_coverage_cell){ .law = law, .n = n[i] };
	}
}

void et_coverage_run(const struct et_coverage_options *o, struct et_coverage *out)
{
	lay_out(o, out);
	uint64_t done = 0, total = (uint64_t)o->simulation.repetitions * out->n_cells;

	for (uint32_t r = 0; r < o->simulation.repetitions; r++) {
		for (struct et_coverage_cell *c = out->cells; c < out->cells + out->n_cells; c++) {
			/* The stream does not depend on which other cases are simulated. */
			uint64_t law = (uint64_t)(c->law - et_laws);
			repeat(c, o, law << 56 ^ (uint64_t)c->n << 32 ^ r);
			if (!et_lab_report_progress(&o->simulation.progress, ++done, total))
				return;
		}
	}
}

void et_coverage_free(void *coverage)
{
	free(((struct et_coverage *)coverage)->cells);
}
