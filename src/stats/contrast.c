/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/contrast.h"
#include "base/alloc.h"
#include "num/dist.h"
#include "num/moments.h"
#include "stats/serial.h"
#include "stats/signed_rank.h"

#include <math.h>

static bool counts(const struct et_sample *s, enum et_metric m)
{
	uint64_t value = et_sample_metric_ns(s, m);

	return !s->warmup && s->removal.by == ET_KEPT && value != ET_UNKNOWN && value > 0;
}

static double log_ratio(const struct et_sample *b, const struct et_sample *a, enum et_metric m)
{
	return log((double)et_sample_metric_ns(b, m) / (double)et_sample_metric_ns(a, m));
}

/* Duets: both samples carry the same order. Samples are in order of execution. */
static size_t pair_duets(
	const struct et_command *a, const struct et_command *b, enum et_metric m, double *out)
{
	size_t n = 0;

	for (size_t i = 0, k = 0; i < b->n_samples; i++) {
		const struct et_sample *s = &b->samples[i];
		if (s->arrangement != ET_DUET || !counts(s, m))
			continue;
		while (k < a->n_samples && a->samples[k].order < s->order)
			k++;
		if (k < a->n_samples && a->samples[k].order == s->order &&
			counts(&a->samples[k], m))
			out[n++] = log_ratio(s, &a->samples[k], m);
	}
	return n;
}

/* Blocks: solo runs of the same round. Rounds ascend in order of execution. */
static size_t pair_blocks(
	const struct et_command *a, const struct et_command *b, enum et_metric m, double *out)
{
	size_t n = 0;

	for (size_t i = 0, k = 0; i < b->n_samples; i++) {
		const struct et_sample *s = &b->samples[i];
		if (s->arrangement != ET_SOLO || !counts(s, m))
			continue;
		while (k < a->n_samples &&
			(a->samples[k].round < s->round || a->samples[k].arrangement != ET_SOLO))
			k++;
		if (k < a->n_samples && a->samples[k].round == s->round &&
			counts(&a->samples[k], m))
			out[n++] = log_ratio(s, &a->samples[k], m);
	}
	return n;
}

static void judge_pairs(double *d, size_t n, struct et_contrast *out)
{
	struct et_signed_rank w = et_signed_rank_test(d, n, out->level);

	out->pairs = n;
	out->log_ratio_sd = et_sd(d, n);
	out->method = "signed-rank";
	out->statistic = w.v;
	out->p = n ? w.p : NAN;
	out->ratio = n ? exp(w.estimate) : NAN;
	out->lo = exp(w.lo);
	out->hi = exp(w.hi);
	if (n >= 20 && et_autocorrelation(d, n, 1) > et_acf_band(n, 0.99))
		et_warn(&out->warnings,
			"neighbouring pairs resemble each other (autocorrelation %.2f): the "
			"interval "
			"is too narrow",
			et_autocorrelation(d, n, 1));
}

static size_t logs_of(const struct et_command *c, enum et_metric m, double **out)
{
	size_t n, k = 0;
	double *x = et_command_values(c, m, ET_SOLO, &n);

	for (size_t i = 0; i < n; i++) {
		if (x[i] > 0 && x[i] < (double)ET_UNKNOWN)
			x[k++] = log(x[i]);
	}
	*out = x;
	return k;
}

/* Runs one command after the other: Welch (1947) on the logarithms. */
static void judge_apart(const struct et_command *a, const struct et_command *b, enum et_metric m,
	struct et_contrast *out)
{
	ET_AUTO_FREE double *x = NULL;
	ET_AUTO_FREE double *y = NULL;
	size_t na = logs_of(a, m, &x), nb = logs_of(b, m, &y);

	out->arrangement = "sequential";
	out->method = "welch";
	out->pairs = 0;
	out->log_ratio_sd = NAN;
	out->ratio = out->lo = out->hi = out->p = out->statistic = NAN;
	if (na < 2 || nb < 2)
		return;
	double va = et_variance(x, na) / (double)na, vb = et_variance(y, nb) / (double)nb;
	double se = sqrt(va + vb), shift = et_mean(y, nb) - et_mean(x, na);
	out->ratio = exp(shift);
	if (!(se > 0))
		return;
	double df =
		(va + vb) * (va + vb) / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
	double k = et_qt(0.5 + out->level / 2, df);
	out->statistic = shift / se;
	out->p = 2 * et_pt_upper(fabs(out->statistic), df);
	out->lo = exp(shift - k * se);
	out->hi = exp(shift + k * se);
	et_warn(&out->warnings, "the commands ran one after the other, so a change of the machine "
				"between them looks "
				"like a difference; use --order auto");
}

void et_contrast_make(const struct et_experiment *e, uint32_t b, struct et_contrast *out)
{
	const struct et_command *ca = &e->commands[e->plan.reference], *cb = &e->commands[b];
	ET_AUTO_FREE double *d = et_calloc(cb->n_samples, sizeof(*d));
	size_t n = 0;

	*out = (struct et_contrast){ .a = e->plan.reference, .b = b, .level = e->plan.level };
	/* Two programs on one CPU share the elapsed time: only process time is told by a duet. */
	if (e->metric == ET_METRIC_PT && (n = pair_duets(ca, cb, e->metric, d)) > 0) {
		out->arrangement = "duet";
	} else if (e->plan.order == ET_ORDER_SEQUENTIAL) {
		judge_apart(ca, cb, e->metric, out);
		return;
	} else {
		n = pair_blocks(ca, cb, e->metric, d);
		out->arrangement = "block";
	}
	judge_pairs(d, n, out);
}

/* "2.1", "0.18", "35": digits that the width of the interval supports. */
static int decimals(double lo, double hi)
{
	double half = (hi - lo) / 2;

	if (!(half > 0))
		return 2;
	int d = 1 - (int)floor(log10(half));
	return d < 0 ? 0 : d > 6 ? 6 : d;
}

void et_contrast_conclude(struct et_contrast *c)
{
	double lo = 100 * (c->lo - 1), hi = 100 * (c->hi - 1), at = 100 * (c->ratio - 1);
	int d = decimals(lo, hi);

	c->significant = c->p_holm <= 1 - c->level; /* NaN is not */
	if (!isfinite(lo) || !isfinite(hi)) {
		snprintf(c->verdict, sizeof(c->verdict),
			"too few pairs (%zu) for a verdict at %.0f %%", c->pairs, 100 * c->level);
		return;
	}
	if (!c->significant)
		snprintf(c->verdict, sizeof(c->verdict),
			"no difference shown (between %+.*f %% and %+.*f %%)", d, lo, d, hi);
	else if (at >= 0)
		snprintf(c->verdict, sizeof(c->verdict), "slower by %.*f %% (%.*f … %.*f)", d, at,
			d, lo, d, hi);
	else
		snprintf(c->verdict, sizeof(c->verdict), "faster by %.*f %% (%.*f … %.*f)", d, -at,
			d, -hi, d, -lo);
}
