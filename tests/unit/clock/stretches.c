/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stretches of scripted gaps, whose chances can be computed by hand; medians and phases. */
#include "clock/timer.h"
#include "tap.h"

enum { N = 2000 };
static struct et_lost gaps[N];
static struct et_stretches s;

/* A gap of this length after every `every_ns` of running time. */
static void play(double every_ns, double length_ns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		gaps[i] = (struct et_lost){ ((double)i + 1) * every_ns, length_ns };
	ok(et_stretches_of(gaps, n, (double)(n + 1) * every_ns, NAN, &s) == 0,
		"a gap of %g ns every %g ns: computed", length_ns, every_ns);
}

static const struct et_stretch_row *row(double length_ns)
{
	const struct et_stretch_row *best = &s.rows[0];

	for (size_t i = 0; i < s.n_rows; i++) {
		if (fabs(log(s.rows[i].length_ns / length_ns)) <
			fabs(log(best->length_ns / length_ns)))
			best = &s.rows[i];
	}
	return best;
}

static void test_idle(void)
{
	play(4e6, 12000, 1000); /* ticks only: 0.3 % */
	near(s.lost_ns / s.ran_ns, 1000.0 / 1001 * 0.003, 1e-12, 0, "idle: the ticks' share");
	ok(s.preempted == 0 && s.slice.n == 0 && isnan(s.slice.median), "idle: no preemption");
	near(row(1e6)->fits, 0.75, 0, 0.01, "idle: 1 ms contains a tick with chance 1/4, 1 %%");
	near(row(1e6)->best, 0, 0, 0, "idle: the best fifth of 1 ms contains none");
	near(row(1e8)->best, 0.003, 0.03, 0, "idle: 100 ms contains 25 ticks at best");
	near(row(1e8)->mean, 0.003, 0.03, 0, "idle: and on average");
	near(row(1e8)->fits, 1, 0, 0, "idle: they take less than 1 %%");
}

static void test_loaded(void)
{
	play(4e6, 4e6, 1000); /* one rival, slices of 4 ms */
	near(s.slice.median, 4e6, 1e-12, 0, "one rival: the time slice");
	near((double)s.preempted, 1000, 0, 0, "one rival: every gap is preemption");
	near(row(1e6)->fits, 0.75, 0, 0.01, "one rival: 1 ms fits a slice with chance 3/4");
	near(row(3.16e6)->fits, 1 - 3.162 / 4, 0, 0.01, "one rival: 3.16 ms with 21 %%");
	near(row(3.16e6)->best, 0, 0, 0, "one rival: the best fifth of 3.16 ms loses nothing");
	ok(row(3.98e6)->fits < 0.01 && row(3.98e6)->best > 0.9,
		"one rival: 4 ms does not fit, its best fifth loses %g", row(3.98e6)->best);
	near(row(6.3e6)->best, 4 / 6.31, 0.01, 0, "one rival: 6.3 ms loses a slice at best");
	near(row(1e8)->mean, 1, 0.03, 0, "one rival: long runs take twice as long");

	play(4e6, 40e6, 1000); /* ten rivals */
	near(row(6.3e6)->best, 40 / 6.31, 0.01, 0, "ten rivals: 6.3 ms loses ten slices at best");
	near(row(1e8)->mean, 10, 0.03, 0, "ten rivals: long runs take eleven times as long");
}

static void test_ends(void)
{
	ok(et_stretches_of(gaps, 0, 1e9, 1e9, &s) == 0 && s.n_rows && s.cpu_ns == 1e9,
		"no gaps: computed");
	ok(s.rows[0].length_ns == 1000 && s.rows[s.n_rows - 1].length_ns <= 1e9 / 4 &&
			s.rows[s.n_rows - 1].fits > 0.999 && s.rows[s.n_rows - 1].mean == 0,
		"no gaps: from 1 µs to a quarter of the time, every run fits");
	ok(et_stretches_of(gaps, 0, 1000, NAN, &s) == 0 && s.n_rows == 0,
		"a microsecond of spinning has no rows");
}

static void test_median(void)
{
	/* R: qbinom(0.025, n, 0.5) */
	static const size_t n[] = { 5, 6, 10, 51, 100, 1000 }, rank[] = { 0, 1, 2, 19, 40, 469 };

	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++)
		ok(et_median_rank(n[i]) == rank[i], "median: rank %zu of %zu is %zu",
			et_median_rank(n[i]), n[i], rank[i]);
	/* R: 2001/2 - 0.98 * sqrt(2000) = 956.67; qbinom(0.025, 2000, 0.5) = 956 */
	ok(et_median_rank(2000) == 956, "median: rank %zu of 2000", et_median_rank(2000));
	double x[] = { 9, 1, 7, 3, 5, 11 };
	struct et_clock_spread spread = et_spread_of(x, 6);
	ok(spread.min == 1 && spread.median == 6 && spread.lo == 1 && spread.hi == 11 &&
			spread.q1 == 3.5 && spread.q3 == 8.5,
		"spread: of six values (quartiles of R's type 7)");
	spread = et_spread_of(x, 0);
	ok(spread.n == 0 && isnan(spread.median) && isnan(spread.lo), "spread: of none");
}

static void test_phase(void)
{
	double x[] = { 3, 103, 203.5, 304, 350, 420, 777 };
	struct et_phase p = et_phase_find(x, 7, 100, 2);

	ok(p.seen == 4 && p.at >= 3 && p.at <= 4, "phase: four of seven events, at %g", p.at);
	double edge[] = { 99.5, 200.2, 299.9, 50 };
	p = et_phase_find(edge, 4, 100, 2);
	ok(p.seen == 3 && (p.at > 99 || p.at < 1), "phase: across the end of the interval, at %g",
		p.at);
	ok(et_phase_find(edge, 0, 100, 2).seen == 0, "phase: of no events");
	ok(et_phase_has(99.5, 200.3, 100, 2) && !et_phase_has(99.5, 201, 100, 2) &&
			et_phase_has(0.5, 299.8, 100, 2) && et_phase_has(0.5, -0.3, 100, 2),
		"phase: a time within half a width of it");
}

int main(void)
{
	test_idle();
	test_loaded();
	test_ends();
	test_median();
	test_phase();
	return tap_done();
}
