/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/two_sample.h"
#include "base/whole.h"
#include "stats/series/serial.h"

enum { MOST_RANKED = 49, MOST_PERMUTED = 60 };

/* Ranks of x followed by y, which the caller frees; the tie term goes to *ties. */
static double *pooled_ranks(const double *x, size_t nx, const double *y, size_t ny, double *ties)
{
	ET_AUTO_FREE double *all = et_alloc((nx + ny) * sizeof(*all));
	double *rank = et_alloc((nx + ny) * sizeof(*rank));

	memcpy(all, x, nx * sizeof(*all));
	memcpy(all + nx, y, ny * sizeof(*all));
	*ties = et_rank(all, nx + ny, rank);
	return rank;
}

static double exact_p(double w, double m, double n)
{
	return fmin(1, 2 * (w > m * n / 2 ? et_pwilcox_upper(w - 1, m, n) : et_pwilcox(w, m, n)));
}

/* Variance of W: Hollander & Wolfe (1999), eq. 4.9; ties is the sum of t^3 - t. */
static double variance(double m, double n, double ties)
{
	return m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)));
}

static double normal_p(double w, double m, double n, double ties)
{
	double z = w - m * n / 2, v = variance(m, n, ties);

	if (v <= 0)
		return NAN;
	z -= z == 0 ? 0 : copysign(0.5, z);
	return et_pnorm_two_sided(z / sqrt(v));
}

/*
 * Returns which of the ordered differences, counted from either end, bounds the interval: the last
 * shift that the test does not reject; 0 if there is none. Exact: Bauer (1972). Otherwise it is
 * where the normal approximation crosses the level: while the shift is between two differences,
 * the only ties are those within x and within y.
 */
static uint64_t bound_index(
	const double *sx, double m, const double *sy, double n, double level, bool exact)
{
	double alpha = 1 - level, v, c;

	if (exact) {
		if (2 * et_pwilcox(0, m, n) > alpha * (1 + 1e-9))
			return 0;
		return (uint64_t)fmax(1, et_qwilcox(alpha / 2, m, n));
	}
	v = variance(
		m, n, et_ties_sorted(sx, (size_t)m).cubic + et_ties_sorted(sy, (size_t)n).cubic);
	if (sx[0] == sx[(size_t)m - 1] && sy[0] == sy[(size_t)n - 1])
		return 0; /* one difference only: nothing to bound it by */
	c = m * n / 2 + 0.5 - et_qnorm(1 - alpha / 2) * sqrt(v);
	return (uint64_t)fmax(1, floor(c));
}

/* Without the shift and its interval (NaN), which take most of the time. */
static struct et_rank_sum rank_sum_only(const double *x, size_t nx, const double *y, size_t ny)
{
	struct et_rank_sum out = { NAN, NAN, NAN, NAN, NAN, NAN, false };
	ET_AUTO_FREE double *rank = NULL;
	double m = (double)nx, n = (double)ny, ties;

	if (!nx || !ny)
		return out;
	rank = pooled_ranks(x, nx, y, ny, &ties);
	out.w = -m * (m + 1) / 2;
	for (size_t i = 0; i < nx; i++)
		out.w += rank[i];
	out.delta = 2 * out.w / (m * n) - 1;
	out.exact = ties == 0 && nx <= MOST_RANKED && ny <= MOST_RANKED;
	out.p = out.exact ? exact_p(out.w, m, n) : normal_p(out.w, m, n, ties);
	return out;
}

struct et_rank_sum et_rank_sum_test(
	const double *x, size_t nx, const double *y, size_t ny, double level)
{
	struct et_rank_sum out = rank_sum_only(x, nx, y, ny);
	ET_AUTO_FREE double *sx = et_sorted_copy(x, nx), *sy = et_sorted_copy(y, ny);

	if (!nx || !ny)
		return out;
	out.shift = et_difference_median(sx, nx, sy, ny);
	uint64_t k = bound_index(sx, (double)nx, sy, (double)ny, level, out.exact);
	if (k) {
		out.lo = et_difference_kth(sx, nx, sy, ny, k);
		out.hi = et_difference_kth(sx, nx, sy, ny, (uint64_t)nx * ny + 1 - k);
	}
	return out;
}

/*
 * ways[k * width + s]: subsets of k doubled ranks that add up to s (Streitberg & Roehmel 1986, the
 * shift algorithm). Counts up to C(120, 60) keep their digits in a double.
 */
static double *subset_counts(const double *rank, size_t n, size_t m, size_t width)
{
	double *ways = et_calloc((m + 1) * width, sizeof(*ways));

	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t r = (size_t)(2 * rank[i]);

		for (size_t k = i + 1 < m ? i + 1 : m; k > 0; k--) {
			double *to = ways + k * width, *from = ways + (k - 1) * width;

			for (size_t s = r; s < width; s++)
				to[s] += from[s - r];
		}
	}
	return ways;
}

double et_rank_sum_permutation_p(const double *x, size_t nx, const double *y, size_t ny)
{
	ET_AUTO_FREE double *rank = NULL, *ways = NULL;
	size_t n = nx + ny, width = n * (n + 1) + 1, sum = 0;
	double ties, all = 0, beyond = 0, middle = (double)(nx * (n + 1)), far;

	if (!nx || !ny || nx > MOST_PERMUTED || ny > MOST_PERMUTED)
		return NAN;
	rank = pooled_ranks(x, nx, y, ny, &ties);
	for (size_t i = 0; i < nx; i++)
		sum += (size_t)(2 * rank[i]);
	far = fabs((double)sum - middle);
	ways = subset_counts(rank, n, nx, width);
	for (size_t s = 0; s < width; s++) {
		double w = ways[nx * width + s];

		all += w;
		if (fabs((double)s - middle) >= far)
			beyond += w;
	}
	return beyond / all;
}

enum { MOST_EXACT = 10000 };

/*
 * Walks both series together in order. Steps are counted in whole numbers: after i values of x and
 * j of y the distributions differ by |i ny - j nx|, which is nx ny times the distance. last[k] is
 * set if the k-th smallest of all is the last of its ties: only there they can be compared.
 */
static uint64_t distance(const double *x, size_t nx, const double *y, size_t ny, bool *last)
{
	ET_AUTO_FREE double *sx = et_sorted_copy(x, nx), *sy = et_sorted_copy(y, ny);
	uint64_t most = 0;
	size_t i = 0, j = 0;

	while (i < nx || j < ny) {
		double v = j == ny || (i < nx && sx[i] <= sy[j]) ? sx[i] : sy[j];
		uint64_t a, b;

		for (; i < nx && sx[i] == v; i++)
			last[i + j] = false;
		for (; j < ny && sy[j] == v; j++)
			last[i + j] = false;
		last[i + j - 1] = true;
		a = (uint64_t)i * ny;
		b = (uint64_t)j * nx;
		most = a > b ? (a - b > most ? a - b : most) : (b - a > most ? b - a : most);
	}
	return most;
}

/*
 * The share of all orderings of nx and ny values (lattice paths from the origin) that stray at
 * least `most` apart. a[j] is that share among the paths to (i, j); only sums of positive numbers,
 * so that small p-values keep their digits. Hodges (1958); Schroer & Trenkler (1995) for ties.
 */
static double straying_share(size_t nx, size_t ny, uint64_t most, const bool *last)
{
	ET_AUTO_FREE double *a = et_calloc(ny + 1, sizeof(*a));

	for (size_t i = 0; i <= nx; i++)
		for (size_t j = 0; j <= ny; j++) {
			uint64_t up = (uint64_t)i * ny, across = (uint64_t)j * nx;
			uint64_t apart = up > across ? up - across : across - up;
			double steps = (double)(i + j);

			if (i + j == 0)
				a[j] = 0;
			else if (apart >= most && last[i + j - 1])
				a[j] = 1;
			else
				a[j] = (double)i / steps * a[j] +
				       (j ? (double)j / steps * a[j - 1] : 0);
		}
	return a[ny];
}

/* Kolmogorov (1933) and Smirnov (1939): the limit law, in the series that converges faster. */
double et_ks_asymptotic_p(double d, double nx, double ny)
{
	double z = sqrt(nx * ny / (nx + ny)) * d, sum = 0;

	if (isnan(z))
		return NAN;
	if (z < 0.2)
		return 1; /* to all digits */
	if (z < 1) {
		for (int k = 1; k <= 20; k += 2)
			sum += exp(-(double)(k * k) * M_PI * M_PI / (8 * z * z));
		return 1 - sqrt(2 * M_PI) / z * sum;
	}
	for (int k = 1; k <= 20; k++)
		sum += (k % 2 ? 2 : -2) * exp(-2 * (double)(k * k) * z * z);
	return sum;
}

struct et_ks et_ks_test(const double *x, size_t nx, const double *y, size_t ny)
{
	ET_AUTO_FREE bool *last = et_alloc(nx + ny);
	struct et_ks out = { .d = NAN, .p = NAN };

	if (!nx || !ny)
		return out;
	uint64_t most = distance(x, nx, y, ny, last);
	out.d = (double)most / ((double)nx * (double)ny);
	out.exact = (double)nx * (double)ny < MOST_EXACT;
	if (!out.exact)
		out.p = et_ks_asymptotic_p(out.d, (double)nx, (double)ny);
	else
		out.p = most ? straying_share(nx, ny, most, last) : 1;
	return out;
}

struct side {
	const double *x;
	size_t n;
	bool positive; /* all values are above 0 */
};

static struct side side_of(const double *x, size_t n)
{
	struct side s = { x, n, true };

	for (size_t i = 0; i < n; i++)
		s.positive = s.positive && x[i] > 0;
	return s;
}

static double median_of(const struct side *s)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(s->x, s->n);

	return et_median_sorted(sorted, s->n);
}

/* log(x / about) of all, without the rounding of x / about where both are close. */
static double *logs(const struct side *s, double about)
{
	double *out = et_calloc(s->n, sizeof(*out));

	for (size_t i = 0; i < s->n; i++) {
		double d = (s->x[i] - about) / about;
		out[i] = fabs(d) < 0.5 ? log1p(d) : log(s->x[i]) - log(about);
	}
	return out;
}

/* The means with the squares of their standard errors, and the quantile that their test uses. */
struct means {
	double a, b, va, vb, t;
};

/*
 * Fieller (1954): all ratios r for which mean b - r mean a is within t of its standard error. With
 * the variances and the freedom of the t test itself it holds 1 exactly when the test accepts.
 */
static bool ratio_of_means(const struct means *m, bool positive, struct et_contrast *out)
{
	double va = m->va * m->t * m->t, vb = m->vb * m->t * m->t, bounded = m->a * m->a - va;

	if (!(m->a > 0) || !(m->b > 0) || !(bounded > 0))
		return false;
	double root = sqrt(fmax(0, vb * m->a * m->a + va * m->b * m->b - va * vb));
	double lo = (m->a * m->b - root) / bounded;
	/* The ratio of two positive quantities is not negative; of others it is no factor. */
	if (lo < 0 && !positive)
		return false;
	out->ratio = m->b / m->a;
	out->lo = fmax(lo, 0);
	out->hi = (m->a * m->b + root) / bounded;
	out->ratio_method = "fieller";
	return true;
}

/* The correction of a test by ranks; factor 1: no dependence was found. */
static struct et_effective effective(
	const struct side *a, const struct side *b, const struct et_dependence *d)
{
	double values = (double)a->n / d->inflation_a + (double)b->n / d->inflation_b;

	return (struct et_effective){ sqrt(d->inflation), fmax(values, 4) - 2 };
}

/* Estimates the ratio by which b must be divided to have the distribution of a. */
static void ratio_of_ranks(const struct side *a, const struct side *b, const struct et_effective *e,
	struct et_contrast *out)
{
	if (!a->positive || !b->positive)
		return;
	double about = median_of(a);
	ET_AUTO_FREE double *x = logs(b, about);
	ET_AUTO_FREE double *y = logs(a, about);
	struct et_rank_sum w = et_rank_sum_test(x, b->n, y, a->n, out->level);
	double wider = et_effective_width(e, out->level);

	out->ratio = exp(w.shift);
	out->lo = exp(w.shift - wider * (w.shift - w.lo));
	out->hi = exp(w.shift + wider * (w.hi - w.shift));
	out->ratio_method = "hodges-lehmann";
}

/* The t test of dependent series: Welch's with their effective sizes. */
static void allow_for_dependence(const struct side *a, const struct side *b,
	const struct et_dependence *d, struct means *m, struct et_contrast *out)
{
	struct et_effective ea = et_effective_of(d->inflation_a, a->n);
	struct et_effective eb = et_effective_of(d->inflation_b, b->n);
	struct et_component parts[] = {
		{ .u = ea.factor * sqrt(m->va), .c = 1, .df = ea.df },
		{ .u = eb.factor * sqrt(m->vb), .c = 1, .df = eb.df },
	};
	struct et_combined all = et_combine(parts, ET_LENGTH(parts), out->level);

	m->va = parts[0].u * parts[0].u;
	m->vb = parts[1].u * parts[1].u;
	out->df = all.df;
	if (isnan(out->p))
		return;
	out->statistic = (m->a - m->b) / all.u;
	out->p = et_pt_two_sided(out->statistic, all.df);
}

static void by_means(const struct side *a, const struct side *b, const struct et_dependence *d,
	struct et_contrast *out)
{
	double na = (double)a->n, nb = (double)b->n, level = out->level;
	struct means m = { et_mean(a->x, a->n), et_mean(b->x, b->n), et_variance(a->x, a->n) / na,
		et_variance(b->x, b->n) / nb, 0 };
	struct et_interval_test f = et_f_test(a->x, a->n, b->x, b->n, level);
	bool pooled = f.p > ET_CHECK_ALPHA;
	struct et_interval_test t = pooled ? et_t_student(a->x, a->n, b->x, b->n, level)
					   : et_t_welch(a->x, a->n, b->x, b->n, level);

	out->f.tested = true;
	out->f.statistic = f.statistic;
	out->f.p = f.p;
	out->method = pooled ? "student" : "welch";
	out->published.statistic = out->statistic = t.statistic;
	out->published.df = out->df = t.df;
	out->published.p = out->p = t.p;
	if (d->inflation > 1) {
		allow_for_dependence(a, b, d, &m, out);
	} else if (pooled) {
		double v = ((na - 1) * na * m.va + (nb - 1) * nb * m.vb) / (na + nb - 2);
		m.va = v / na;
		m.vb = v / nb;
	}
	m.t = et_qt(0.5 + level / 2, out->df);
	if (!ratio_of_means(&m, a->positive && b->positive, out)) {
		struct et_effective e = effective(a, b, d);
		ratio_of_ranks(a, b, &e, out);
	}
}

/* Values less their median; logarithms of positive values, because the ratio is a factor. */
static double *centred(const struct side *s, bool by_factor)
{
	double median = median_of(s), *out;

	if (by_factor)
		return logs(s, median);
	out = et_calloc(s->n, sizeof(*out));
	for (size_t i = 0; i < s->n; i++)
		out[i] = s->x[i] - median;
	return out;
}

static void compare_shapes(const struct side *a, const struct side *b,
	const struct et_dependence *d, struct et_contrast *out)
{
	bool by_factor = a->positive && b->positive;
	ET_AUTO_FREE double *x = centred(a, by_factor);
	ET_AUTO_FREE double *y = centred(b, by_factor);
	struct et_ks ks = et_ks_test(x, a->n, y, b->n);

	out->ks.tested = true;
	out->ks.statistic = ks.d;
	out->ks.p = ks.p;
	if (d->inflation > 1)
		out->ks.p = et_ks_asymptotic_p(
			ks.d, (double)a->n / d->inflation_a, (double)b->n / d->inflation_b);
	out->same_shape = out->ks.p > ET_CHECK_ALPHA;
}

static void by_ranks(const struct side *a, const struct side *b, const struct et_rank_sum *w,
	const struct et_dependence *d, struct et_contrast *out)
{
	struct et_effective e = effective(a, b, d);

	compare_shapes(a, b, d, out);
	out->method = "wilcoxon";
	out->published.statistic = out->statistic = w->w;
	out->published.p = w->p;
	if (!isnan(w->p)) {
		double p = w->p, m = (double)a->n, n = (double)b->n;

		/* 2 / C(m + n, n): both tails of the law of W, each of a single ordering. */
		out->p_floor = fmin(1, 2 * exp(lgamma(m + 1) + lgamma(n + 1) - lgamma(m + n + 1)));
		/* With ties p is approximated by the normal law, too small for a few values. */
		if (!w->exact && out->p_floor > 0.001)
			p = et_rank_sum_permutation_p(a->x, a->n, b->x, b->n);
		out->p = et_effective_p(&e, p);
	}
	ratio_of_ranks(a, b, &e, out);
}

/* Of the ranks, if the test is by ranks: a single outlier would hide the dependence of values. */
static struct et_dependence dependence(const struct side *a, const struct side *b, bool by_ranks)
{
	if (!by_ranks)
		return et_dependence_of(a->x, a->n, b->x, b->n);
	ET_AUTO_FREE double *x = et_calloc(a->n, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(b->n, sizeof(*y));
	et_rank(a->x, a->n, x);
	et_rank(b->x, b->n, y);
	return et_dependence_of(x, a->n, y, b->n);
}

static void warn_dependence(const struct side *a, const struct side *b,
	const struct et_dependence *d, struct et_contrast *out)
{
	if (d->inflation > 1)
		et_warn(&out->warnings, ET_WARN_DEPENDENT_SERIES, et_arg_number(d->r),
			et_arg_count(a->n), et_arg_count(b->n),
			et_arg_count(et_u64(fmax(2, round((double)a->n / d->inflation_a)))),
			et_arg_count(et_u64(fmax(2, round((double)b->n / d->inflation_b)))));
}

/* correct: for dependence. */
static void judge(const double *a, size_t na, const double *b, size_t nb, bool both_gaussian,
	bool correct, struct et_contrast *out)
{
	struct side sa = side_of(a, na), sb = side_of(b, nb);

	out->pairs = 0;
	out->arrangement = NULL;
	out->values_a = na;
	out->values_b = nb;
	out->log_ratio_sd = out->p_sign = NAN;
	out->ratio = out->lo = out->hi = out->p = out->statistic = out->delta = NAN;
	out->published.statistic = out->published.p = out->mean_ratio = NAN;
	out->published.df = out->df = out->p_floor = 0;
	out->inflation = 1;
	if (na < 2 || nb < 2)
		return;
	struct et_rank_sum w = rank_sum_only(a, na, b, nb);
	struct et_dependence d = { .inflation_a = 1, .inflation_b = 1, .inflation = 1 };
	if (correct)
		d = dependence(&sa, &sb, !both_gaussian);
	out->delta = -w.delta;
	out->inflation = d.inflation;
	if (sa.positive && sb.positive)
		out->mean_ratio = et_mean(b, nb) / et_mean(a, na);
	if (both_gaussian)
		by_means(&sa, &sb, &d, out);
	else
		by_ranks(&sa, &sb, &w, &d, out);
	warn_dependence(&sa, &sb, &d, out);
}

void et_judge_apart(const double *a, size_t na, const double *b, size_t nb, bool both_gaussian,
	struct et_contrast *out)
{
	judge(a, na, b, nb, both_gaussian, true, out);
}

void et_judge_as_published(const double *a, size_t na, const double *b, size_t nb,
	bool both_gaussian, struct et_contrast *out)
{
	judge(a, na, b, nb, both_gaussian, false, out);
	out->p = out->published.p;
}

/* --- series of different experiments --- */

enum { LEAST = 5 }; /* values of a series; with fewer, neither beta nor the speed is known */

/* The mean of the two readings, or the one that there is, or 0. */
static double reading(const struct et_measured *m)
{
	double before = et_known_or_0(m->probe_before_ns), after = et_known_or_0(m->probe_after_ns);

	return before > 0 && after > 0 ? (before + after) / 2 : fmax(before, after);
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
