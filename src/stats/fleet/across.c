/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/fleet/across.h"
#include "base/alloc.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/student.h"

#include <math.h>

enum { LEAST = 5 }; /* values of a series; with fewer, neither beta nor the speed is known */

/* The mean of the two readings, or the one that there is. */
static double reading(const struct et_measured *m)
{
	bool before = m->probe_before_ns != ET_UNKNOWN && m->probe_before_ns > 0;
	bool after = m->probe_after_ns != ET_UNKNOWN && m->probe_after_ns > 0;

	if (before && after)
		return ((double)m->probe_before_ns + (double)m->probe_after_ns) / 2;
	return before ? (double)m->probe_before_ns : after ? (double)m->probe_after_ns : NAN;
}

void et_probed_take(const struct et_series *s, struct et_probed *out)
{
	const struct et_experiment *e = s->experiment;
	const struct et_command *c = &e->commands[s->command];
	enum et_arrangement arrangement = et_command_arrangement(c);

	*out = (struct et_probed){ .log_value = et_calloc(c->samples.n + 1, sizeof(double)),
		.log_probe = et_calloc(c->samples.n + 1, sizeof(double)) };
	et_for_each_sample(sample, &c->samples) {
		double value = et_sample_value(sample, e->metric);
		double probe = reading(&sample->measured);
		if (sample->place.warmup || sample->ruling.removal.by != ET_KEPT ||
			sample->place.arrangement != arrangement || !(value > 0) || !(probe > 0))
			continue;
		out->log_value[out->n] = log(value);
		out->log_probe[out->n++] = log(probe);
	}
}

void et_probed_free(struct et_probed *p)
{
	free(p->log_value);
	free(p->log_probe);
	*p = (struct et_probed){ 0 };
}

bool et_probed_suffices(const struct et_probed *p)
{
	return p->n >= LEAST;
}

/* Sums of squares and products about the means of a series. */
struct sums {
	double value, probe; /* means */
	double zz, zy, yy;
};

static struct sums sum_up(const struct et_probed *p)
{
	struct sums s = { .value = et_mean(p->log_value, p->n),
		.probe = et_mean(p->log_probe, p->n) };

	for (size_t i = 0; i < p->n; i++) {
		double z = p->log_probe[i] - s.probe, y = p->log_value[i] - s.value;
		s.zz += z * z;
		s.zy += z * y;
		s.yy += y * y;
	}
	return s;
}

/* The variance of the mean of the part of a series that the probe does not explain. */
static double variance_of_mean(
	const struct et_probed *p, const struct sums *s, double beta, double df_factor)
{
	ET_AUTO_FREE double *rest = et_calloc(p->n, sizeof(*rest));
	double squares = 0;

	for (size_t i = 0; i < p->n; i++) {
		rest[i] = p->log_value[i] - s->value - beta * (p->log_probe[i] - s->probe);
		squares += rest[i] * rest[i];
	}
	return squares * df_factor / (double)(p->n - 1) / (double)p->n *
	       et_serial_inflation(rest, p->n);
}

/* Whether the mean readings differ by more than chance, and by more than the loop's own scatter. */
static bool speeds_differ(const struct et_probed *a, const struct sums *sa,
	const struct et_probed *b, const struct sums *sb)
{
	const double least = 0.002;
	double ua = sa->zz / (double)(a->n - 1) / (double)a->n *
		    et_serial_inflation(a->log_probe, a->n);
	double ub = sb->zz / (double)(b->n - 1) / (double)b->n *
		    et_serial_inflation(b->log_probe, b->n);
	double shift = fabs(sb->probe - sa->probe);

	return shift > least && shift > 2 * sqrt(ua + ub);
}

double et_judge_across(
	const struct et_probed *a, const struct et_probed *b, struct et_contrast *out)
{
	const double check = 0.05;

	if (!et_probed_suffices(a) || !et_probed_suffices(b))
		return 0;
	struct sums sa = sum_up(a), sb = sum_up(b);
	double n = (double)(a->n + b->n), df = n - 3;
	double zz = sa.zz + sb.zz, zy = sa.zy + sb.zy, yy = sa.yy + sb.yy;
	double shift = sb.probe - sa.probe;
	double slope = zz > 0 ? zy / zz : 0;
	double slope_variance = zz > 0 ? (yy - slope * zy) / df / zz : INFINITY;
	bool fitted = slope > 0 && slope <= 1.5 &&
		      et_pt_two_sided(slope / sqrt(slope_variance), df) < check;
	bool moved = speeds_differ(a, &sa, b, &sb);

	if (!fitted && !moved)
		return 0;
	double beta = fitted ? slope : 0.5;
	double doubt = fitted ? slope_variance + (1 - beta) * (1 - beta) / 2 : 1.0 / 8;
	double freedom = fitted ? (n - 2) / df : 1;
	double u = sqrt(variance_of_mean(a, &sa, beta, freedom) +
			variance_of_mean(b, &sb, beta, freedom) + shift * shift * doubt);
	double d = sb.value - sa.value - beta * shift;
	double half = et_qt(0.5 + out->level / 2, df) * u;

	out->method = "probe-corrected-t";
	out->ratio_method = "probe-corrected";
	out->statistic = -d / u; /* of (a, b), as for other independent series */
	out->df = df;
	out->p = et_pt_two_sided(d / u, df);
	out->p_floor = 0;
	out->ratio = exp(d);
	out->lo = exp(d - half);
	out->hi = exp(d + half);
	return moved ? exp(shift) - 1 : 0;
}
