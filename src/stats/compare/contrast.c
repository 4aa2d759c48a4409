/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/contrast.h"
#include "base/error.h"
#include "base/whole.h"
#include "num/sequence.h"
#include "stats/compare/duet.h"
#include "stats/compare/paired.h"
#include "stats/compare/two_sample.h"

static bool counts(const struct et_sample *s, enum et_metric m)
{
	return !s->place.warmup && s->ruling.removal.by == ET_KEPT && et_sample_value(s, m) > 0;
}

/* Runs of a duet have the same order; blocks are other runs of a round. Samples ascend in both. */
static size_t pair(const struct et_command *a, const struct et_command *b, enum et_metric m,
	bool duets, double *out)
{
	ET_AUTO_READER struct et_sample_reader of_a = et_samples_read_figures(&a->samples);
	ET_AUTO_READER struct et_sample_reader of_b = et_samples_read_figures(&b->samples);
	const struct et_sample *s, *p = et_sample_reader_next(&of_a);
	size_t n = 0;

	while ((s = et_sample_reader_next(&of_b))) {
		uint64_t at = duets ? s->place.order : s->place.round;
		if ((s->place.arrangement == ET_DUET) != duets || !counts(s, m))
			continue;
		while (p && ((duets ? p->place.order : p->place.round) < at ||
				    (!duets && p->place.arrangement == ET_DUET)))
			p = et_sample_reader_next(&of_a);
		if (p && (duets ? p->place.order : p->place.round) == at && counts(p, m))
			out[n++] = log(et_sample_value(s, m) / et_sample_value(p, m));
	}
	return n;
}

/* The cost of company to a command: its runs beside another one by its solo runs of the same
 * rounds. */
static size_t company(const struct et_command *c, uint32_t beside, enum et_metric m, double *out)
{
	ET_AUTO_READER struct et_sample_reader alone = et_samples_read_figures(&c->samples);
	ET_AUTO_READER struct et_sample_reader duets = et_samples_read_figures(&c->samples);
	const struct et_sample *s, *p = et_sample_reader_next(&alone);
	size_t n = 0;

	while ((s = et_sample_reader_next(&duets))) {
		if (s->place.arrangement != ET_DUET || s->place.partner != (int32_t)beside ||
			!counts(s, m))
			continue;
		while (p && (p->place.round < s->place.round || p->place.arrangement != ET_SOLO))
			p = et_sample_reader_next(&alone);
		if (p && p->place.round == s->place.round && counts(p, m))
			out[n++] = log(et_sample_value(s, m) / et_sample_value(p, m));
	}
	return n;
}

/* The run that mixes the commands: all of a few, with the reference first, else these two. */
static char *mixing(const struct et_experiment *e, const struct et_contrast *c)
{
	enum { FEW = 4 };
	const struct et_command *list[FEW] = { &e->commands[c->a], &e->commands[c->b] };
	size_t n = 1;

	for (size_t i = 0; e->n_commands <= FEW && i < e->n_commands; i++) {
		if (i != c->a)
			list[n++] = &e->commands[i];
	}
	ET_AUTO_FREE char *words = et_command_words(list, n > 1 ? n : 2);
	return et_asprintf("etalon run %s", words);
}

/* The probe shows whether the machine was as fast for b as for a. The ratio of the table stays. */
static void warn_drift(const struct et_experiment *e, struct et_contrast *out)
{
	const double noticeable = 0.01;
	struct et_contrast corrected = *out;
	struct et_probed a, b;

	et_probed_take(&(struct et_series){ .experiment = e, .command = out->a }, &a);
	et_probed_take(&(struct et_series){ .experiment = e, .command = out->b }, &b);
	bool known = et_probed_suffices(&a) && et_probed_suffices(&b);
	double slower = et_judge_across(&a, &b, &corrected);
	ET_AUTO_FREE char *run = mixing(e, out);
	et_warn(&out->warnings, ET_WARN_SEQUENTIAL_ORDER, et_arg_share(fabs(slower)),
		et_arg_flag(slower > 0), et_arg_flag(fabs(slower) > noticeable),
		et_arg_flag(!known), et_arg_text(run));
	et_probed_free(&a);
	et_probed_free(&b);
}

static void judge_apart(const struct et_experiment *e, const struct et_command *a,
	const struct et_command *b, enum et_metric m, struct et_contrast *out)
{
	size_t na, nb;
	ET_AUTO_FREE double *x = et_command_values(a, m, et_command_arrangement(a), &na);
	ET_AUTO_FREE double *y = et_command_values(b, m, et_command_arrangement(b), &nb);
	bool gaussian = et_shapiro_wilk(x, na).p > ET_CHECK_ALPHA &&
			et_shapiro_wilk(y, nb).p > ET_CHECK_ALPHA;

	et_judge_apart(x, na, y, nb, gaussian, out);
	if (et_metric_is_time(m))
		warn_drift(e, out);
}

/* Decided once per command, so one duet stands for all. */
static bool overlapped(const struct et_command *c)
{
	et_for_each_sample(s, &c->samples) {
		if (s->place.arrangement == ET_DUET && !s->place.warmup)
			return !(s->ruling.marks & ET_MARK_NO_OVERLAP);
	}
	return false;
}

static void judge_duets(
	const struct et_experiment *e, const double *pairs, size_t n, struct et_contrast *out)
{
	const struct et_command *a = &e->commands[out->a], *b = &e->commands[out->b];
	ET_AUTO_FREE double *solos = et_calloc(b->samples.n, sizeof(*solos));
	ET_AUTO_FREE double *of_a = et_calloc(a->samples.n, sizeof(*of_a));
	ET_AUTO_FREE double *of_b = et_calloc(b->samples.n, sizeof(*of_b));
	struct et_duets d = { .pairs = pairs,
		.n_pairs = n,
		/* A partner leaves memory as it is. */
		.overlapped = et_metric_is_time(out->metric) && overlapped(b),
		.metronome_ns = e->plan.metronome_ns,
		.solos = solos,
		.n_solos = pair(a, b, out->metric, false, solos),
		.company = { of_a, of_b },
		.n_company = { company(a, out->b, out->metric, of_a),
			company(b, out->a, out->metric, of_b) },
		.footprints = { et_footprint_of(a), et_footprint_of(b) } };

	et_judge_duets(&d, out);
}

void et_contrast_make(const struct et_experiment *e, uint32_t a, uint32_t b, enum et_metric metric,
	double level, struct et_contrast *out)
{
	const struct et_command *ca = &e->commands[a], *cb = &e->commands[b];
	ET_AUTO_FREE double *d = et_calloc(cb->samples.n, sizeof(*d));
	size_t n = 0;

	*out = (struct et_contrast){ .a = a,
		.b = b,
		.level = level,
		.margin = e->plan.order == ET_ORDER_SEQUENTIAL ? 0 : e->plan.equal_ratio,
		.gated = e->plan.gate && e->plan.regression_ratio > 0,
		.metric = metric,
		.unit = et_metrics[metric].unit,
		.side_by_side = ET_NO_RATIO,
		.alone = ET_NO_RATIO };
	if (et_metrics[metric].in_duets && (n = pair(ca, cb, metric, true, d)) > 0) {
		judge_duets(e, d, n, out);
		return;
	}
	if (e->plan.order == ET_ORDER_SEQUENTIAL) {
		judge_apart(e, ca, cb, metric, out);
		return;
	}
	n = pair(ca, cb, metric, false, d);
	out->arrangement = "block";
	et_judge_pairs(d, n, out);
}

/* --- conclusions --- */

/* Enough equal values that do not vary: no test can compare them, and none has to. */
static bool equal(const struct et_contrast *c)
{
	const size_t enough = 10;
	size_t n = c->values_a < c->values_b ? c->values_a : c->values_b;

	return (c->pairs >= enough || n >= enough) && !c->pairs_needed && isnan(c->p) &&
	       c->ratio == 1 && isnan(c->lo) && isnan(c->hi);
}

/* The ratio is known to differ from 1, or the values are known to differ. */
static enum et_conclusion conclude_direction(const struct et_contrast *c)
{
	/* Many equal values can differ although the median of their ratios is exactly 1. */
	bool larger = c->ratio > 1 || (!(c->ratio < 1) && c->delta > 0);

	if (isfinite(c->ratio) && c->ratio > 0)
		return larger ? ET_CONCLUDED_SLOWER : ET_CONCLUDED_FASTER;
	return c->delta > 0 ? ET_CONCLUDED_LARGER : ET_CONCLUDED_SMALLER;
}

/*
 * Whether the interval excludes 1. An interval that holds for the whole family does so only if the
 * difference is significant in it; a single one (1 - level is alpha) also without the correction.
 */
static bool excludes_one(const struct et_contrast *c, double alpha)
{
	bool single = c->level < 1 - 0.999 * alpha;

	return c->significant || (single && c->significant_unadjusted);
}

static enum et_conclusion conclude(const struct et_contrast *c, double alpha)
{
	if (c->pairs_needed)
		return ET_CONCLUDED_TOO_FEW_IN_FAMILY;
	if (isnan(c->p)) /* equal times come from a coarse clock, but equal memory is equal */
		return c->unit == ET_UNIT_BYTES && equal(c) ? ET_CONCLUDED_EQUAL
							    : ET_CONCLUDED_NOTHING;
	if (c->significant)
		return conclude_direction(c);
	if (c->arrangement && (!isfinite(c->lo) || !isfinite(c->hi)))
		return ET_CONCLUDED_TOO_FEW;
	return excludes_one(c, alpha) ? ET_CONCLUDED_SAME_BY_HOLM : ET_CONCLUDED_SAME;
}

/*
 * Where ranks are tied, or the ratio alone is derived from the pairs, an end of the interval may
 * be on the other side of 1 than the test says. The test decides: an end that it excludes moves
 * to 1 (Guilbaud, Biometrical J. 50, 678, 2008, for Holm's test), and an interval that it does
 * not exclude 1 from is extended to 1. So no sentence contradicts the interval beside it.
 */
static void agree(
	const struct et_contrast *c, double alpha, double estimate, double *lo, double *hi)
{
	bool larger = estimate > 1 || (!(estimate < 1) && c->delta > 0);

	if (isnan(c->p) || !isfinite(*lo) || !isfinite(*hi))
		return;
	if (!excludes_one(c, alpha)) {
		*lo = fmin(*lo, 1);
		*hi = fmax(*hi, 1);
	} else if (larger) {
		*lo = fmax(*lo, 1);
	} else {
		*hi = fmin(*hi, 1);
	}
}

/* Whether the interval is within the margin, so that more runs would not change the decision. */
static bool within_margin(const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);

	return c->conclusion == ET_CONCLUDED_SAME && r.lo >= 1 - c->margin && r.hi <= 1 + c->margin;
}

/* Returns how many it takes to pass Holm's first step, or 0 if there are enough. */
static size_t pairs_needed(const struct et_contrast *c, size_t family, double alpha)
{
	double level = alpha / (double)family;
	size_t pairs = c->pairs, n = 1;

	if (c->significant || !(c->p_floor > level))
		return 0;
	/* One more pair halves the smallest p that a test of signs or ranks can give. */
	for (double p = c->p_floor; c->arrangement && p > level; p /= 2)
		pairs++;
	/* The smallest p of n values against n is 2 / C(2n, n). */
	for (double p = 1; !c->arrangement && p > level; n++)
		p *= ((double)n + 1) / (2 * (2 * (double)n + 1));
	return c->arrangement ? pairs : n;
}

/*
 * Whether the ratio of the means is another answer than that of the usual runs: on the other side
 * of 1, or by a quarter of the difference away. A reader divides the means of the table.
 */
static bool mean_disagrees(const struct et_contrast *c)
{
	const double quarter = 0.25, least = 0.02;
	double usual = log(c->ratio), mean = log(c->mean_ratio);

	if (c->conclusion != ET_CONCLUDED_SLOWER && c->conclusion != ET_CONCLUDED_FASTER)
		return false;
	return usual * mean < 0 || fabs(mean - usual) > fmax(least, quarter * fabs(usual));
}

/* Warns if so, or if the usual runs are equal and the means are not: some were far slower. */
static void warn_mean(struct et_contrast *c)
{
	bool equal = c->conclusion == ET_CONCLUDED_EQUAL && fabs(c->mean_ratio - 1) > c->margin;
	bool smaller = c->mean_ratio < 1;

	if (equal || mean_disagrees(c))
		et_warn(&c->warnings, ET_WARN_MEAN_DISAGREES, et_arg_flag(smaller),
			et_arg_share(fabs(c->mean_ratio - 1)), et_arg_flag(equal));
}

/* A later step of Holm's needs less evidence than an interval that holds with all others. */
static bool has_interval(const struct et_contrast *c)
{
	return !(c->margin > 0) || (isfinite(c->lo) && isfinite(c->hi));
}

void et_contrasts_conclude(struct et_contrast *c, size_t n, double alpha)
{
	ET_AUTO_FREE double *p = et_calloc(n, sizeof(*p));
	ET_AUTO_FREE double *adjusted = et_calloc(n, sizeof(*adjusted));
	ET_AUTO_FREE double *levels = et_calloc(n, sizeof(*levels));
	ET_AUTO_FREE bool *rejected = et_calloc(n, sizeof(*rejected));

	for (size_t i = 0; i < n; i++)
		p[i] = c[i].p;
	et_holm(p, n, adjusted);
	et_holm_steps(p, n, alpha, levels, rejected);
	for (size_t i = 0; i < n; i++) {
		c[i].p_holm = adjusted[i];
		c[i].holm_alpha = levels[i];
		c[i].significant_unadjusted = p[i] <= alpha; /* false for NaN */
		c[i].significant = rejected[i] && has_interval(&c[i]);
		c[i].pairs_needed = pairs_needed(&c[i], n, alpha);
		c[i].family = n;
		c[i].conclusion = conclude(&c[i], alpha);
		agree(&c[i], alpha, c[i].ratio, &c[i].lo, &c[i].hi);
		agree(&c[i], alpha, c[i].alone.estimate, &c[i].alone.lo, &c[i].alone.hi);
		bool constant = c[i].unit == ET_UNIT_BYTES && c[i].log_ratio_sd == 0;
		if ((c[i].margin > 0 || constant) && within_margin(&c[i]))
			c[i].conclusion = ET_CONCLUDED_EQUAL;
		warn_mean(&c[i]);
	}
}

void et_contrasts_warn(struct et_contrast *c, size_t n, double alpha)
{
	const double caution = 20;

	for (size_t i = 0; i < n; i++) {
		size_t values = c[i].arrangement                ? c[i].pairs
				: c[i].values_a < c[i].values_b ? c[i].values_a
								: c[i].values_b;
		if (c[i].significant && !(c[i].margin > 0) && values < ET_DEPENDENCE_TESTABLE &&
			c[i].p_holm > alpha / caution)
			et_warn(&c[i].warnings, ET_WARN_DEPENDENCE_UNTESTED, et_arg_count(values),
				et_arg_flag(c[i].arrangement != NULL),
				et_arg_count(ET_DEPENDENCE_TESTABLE));
	}
}

/* --- the gate --- */

struct et_ratio et_gate_ratio(const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);

	if ((c->significant || equal(c)) && !(isfinite(r.lo) && isfinite(r.hi)))
		r.lo = r.hi = r.estimate;
	return r;
}

enum et_gate_verdict et_gate_judge(const struct et_contrast *c, double limit)
{
	struct et_ratio r = et_gate_ratio(c);
	/* The test against 1 is stronger than an interval that holds for several comparisons. */
	bool above = limit > 0 ? r.lo > 1 + limit : r.lo >= 1 && r.estimate > 1;

	if (equal(c))
		return ET_GATE_PASSED;
	if (c->pairs_needed || !isfinite(c->p) || !isfinite(r.lo) || !isfinite(r.hi))
		return ET_GATE_UNDECIDED;
	if (above)
		return c->significant ? ET_GATE_REGRESSED : ET_GATE_UNDECIDED;
	return limit > 0 && r.hi > 1 + limit ? ET_GATE_UNDECIDED : ET_GATE_PASSED;
}

/* How many runs make an interval that ends so far from the estimate, in proportion. */
static size_t runs_for(const struct et_contrast *c, const struct et_ratio *r, double distance)
{
	const double power = 0.8, most = 100000;
	double n =
		c->arrangement ? (double)c->pairs : fmax((double)c->values_a, (double)c->values_b);
	double half = log(r->hi / r->lo) / 2;
	double errors =
		c->margin > 0 ? et_sequence_width(n, c->level) : et_qnorm(0.5 + c->level / 2);
	/* The half width has to leave room for the chance of the next estimate. */
	double factor = half / distance * (1 + et_qnorm(power) / errors);
	double runs = ceil(n * fmax(1, factor * factor));

	if (!isfinite(factor) || !(runs <= most))
		return 0;
	double place = pow(10, fmax(0, floor(log10(runs)) - 1)); /* two digits */
	return (size_t)et_u64(place * ceil(runs / place));
}

size_t et_gate_runs(const struct et_contrast *c, double limit)
{
	struct et_ratio r = et_gate_ratio(c);

	return runs_for(c, &r, fabs(log(r.estimate / (1 + limit))));
}

size_t et_equal_runs(const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);
	double at = fabs(log(r.estimate));

	return et_contrast_asks(c) ? runs_for(c, &r, fmax(at, log1p(c->margin) - at)) : 0;
}

double et_gate_evidence(const struct et_contrast *c, double limit)
{
	struct et_ratio r = et_contrast_ratio(c);
	double at = log(r.estimate), to = log1p(limit);
	double half = to > at ? log(r.hi) - at : at - log(r.lo);

	if (!(c->margin > 0) || !(half > 0) || !isfinite(half))
		return NAN;
	return et_sequence_evidence_beyond(fabs(to - at) / half, c->pairs, c->inflation, c->level);
}

static double top(const struct et_contrast *c)
{
	double hi = et_gate_ratio(c).hi;

	return isfinite(hi) ? hi : INFINITY;
}

enum et_gate_verdict et_gate_decide(const struct et_gate *g, size_t *decisive)
{
	enum et_gate_verdict worst = ET_GATE_PASSED;

	*decisive = g->n;
	for (size_t i = 0; i < g->n; i++) {
		const struct et_contrast *c = &g->contrasts[i];
		enum et_gate_verdict verdict = et_gate_judge(c, g->limit);
		if (!et_gate_counts(g, c) || verdict < worst)
			continue;
		if (*decisive == g->n || verdict > worst || top(c) > top(&g->contrasts[*decisive]))
			*decisive = i;
		worst = verdict;
	}
	return worst;
}

int et_gate_status(const struct et_gate *g)
{
	size_t decisive;

	switch (et_gate_decide(g, &decisive)) {
	case ET_GATE_REGRESSED:
		return ET_EXIT_REGRESSION;
	case ET_GATE_UNDECIDED:
		return (int)g->undecided;
	default:
		return ET_EXIT_DONE;
	}
}
