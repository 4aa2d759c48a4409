/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates and comparisons of benchmarks; the constants are from R 4.2 (see each test). */
#include "lib/bench/judge.h"
#include "base/base.h"
#include "tap.h"

enum { SAMPLES = 12 };

/* Ten processes; the last one of the first program is in a rare state. */
static const double ten[] = { 10.02, 10.05, 9.98, 10.00, 10.11, 10.07, 10.01, 9.99, 10.03, 12.5 };
static const double slower[] = { 10.52, 10.55, 10.50, 10.47, 10.61, 10.58, 10.49, 10.53, 10.51,
	10.60 };

/* One slice per value, whose samples all have it. */
static struct et_slice *slices_of(const double *value, size_t n, bool old)
{
	struct et_slice *list = et_calloc(n, sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		list[i] = (struct et_slice){
			.process = (unsigned)i, .old = old, .calls = 1000000000, .n = SAMPLES
		};
		list[i].samples = et_calloc(SAMPLES, sizeof(*list[i].samples));
		for (size_t j = 0; j < SAMPLES; j++)
			list[i].samples[j] =
				(struct et_bench_sample){ .ns = value[i], .cpu_ns = value[i] + 1 };
	}
	return list;
}

static void free_slices(struct et_slice *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		et_slice_free(&list[i]);
	free(list);
}

/* The half width without a doubt of the call is 0.3236816052013272, as in estimate(). */
static void doubt_of_the_call(void)
{
	struct et_slice *s = slices_of(ten, 10, false);
	struct et_bench_estimate e;

	for (size_t i = 0; i < 10; i++)
		s[i].empty_uncertainty_ns = 0.4;
	et_bench_judge(s, 10, false, 0, 0.95, &e);
	near(e.hi_ns - e.ns, hypot(0.3236816052013272, 2 * 0.4), 1e-12, 0,
		"doubt of the call: it is always a part of the interval");
	ok(!(e.warnings & ETALON_WARNING_OVERHEAD),
		"doubt of the call: below a tenth of the time there is no warning");
	for (size_t i = 0; i < 10; i++)
		s[i].empty_uncertainty_ns = 1.5;
	et_bench_judge(s, 10, false, 0, 0.95, &e);
	near(e.hi_ns - e.ns, hypot(0.3236816052013272, 2 * 1.5), 1e-12, 0,
		"doubt of the call: twice its standard uncertainty");
	ok(e.warnings & ETALON_WARNING_OVERHEAD, "doubt of the call: there is a warning");
	/* A time of next to nothing is unknown by the whole doubt. */
	for (size_t i = 0; i < 10; i++)
		for (size_t j = 0; j < SAMPLES; j++)
			s[i].samples[j].ns = 0.01;
	et_bench_judge(s, 10, false, 0, 0.95, &e);
	near(e.hi_ns - e.ns, 2 * 1.5, 1e-6, 0,
		"doubt of the call: a function as short as the call has all of it");
	/* One process in which the call was slow does not decide. */
	for (size_t i = 0; i < 9; i++)
		s[i].empty_uncertainty_ns = 0;
	s[9].warnings = ETALON_WARNING_OVERHEAD;
	et_bench_judge(s, 10, false, 0, 0.95, &e);
	ok(e.hi_ns - e.ns < 1e-6 && !(e.warnings & ETALON_WARNING_OVERHEAD),
		"doubt of the call: the median process decides");
	free_slices(s, 10);
}

/* R: mean(x, trim = 0.2), the sd of the winsorised values * sqrt(9 / 30), sd(x) / sqrt(10). */
static void location(void)
{
	struct et_location l = et_locate(ten, 10);

	near(l.at, 10.03, 1e-12, 0, "location: the mean without the lowest and highest fifth");
	near(l.se, 0.01669331203406533, 1e-12, 0, "location: its standard error");
	near(l.df, 5, 0, 0, "location: six values are kept, so 5 degrees of freedom");
	l = et_locate_cautiously(ten, 10, 5);
	near(l.at, 10.03, 1e-12, 0, "location: caution does not move it");
	near(l.se, 0.2474231642797865, 1e-12, 0,
		"location: caution takes the standard error of the mean if it is larger");
	near(l.df, 9, 0, 0, "location: with its degrees of freedom");
	l = et_locate_cautiously(ten, 10, 0.1);
	near(l.se, 0.01669331203406533, 1e-12, 0,
		"location: a value out of reach counts as if it were within");
	l = et_locate(ten, 4);
	near(l.at, 10.0125, 1e-12, 0, "location: of four values it is the mean");
	near(l.se, 0.01493039405597415, 1e-12, 0, "location: and its standard error");
	ok(isnan(et_locate(ten, 1).se), "location: one value has no standard error");
	ok(isnan(et_locate(ten, 0).at), "location: no value has no location");
}

/* R: at ± sqrt(2) qt(.975, 9) se, where 12.5 counts as 11.033. */
static void estimate(void)
{
	struct et_slice *s = slices_of(ten, 10, false);
	struct et_bench_estimate e;

	ok(et_bench_judge(s, 10, false, 0, 0.95, &e), "estimate: ten processes are judged");
	near(e.ns, 10.03, 1e-12, 0, "estimate: the location of the processes");
	near(e.lo_ns, 9.7063183947986715, 1e-12, 0, "estimate: lower end of the interval");
	near(e.hi_ns, 10.3536816052013272, 1e-12, 0, "estimate: upper end of the interval");
	ok(e.n == 120 && e.processes == 10, "estimate: numbers of samples and processes");
	near(e.between, 0.7824207450101398 / 10.03, 1e-12, 0, "estimate: sd between processes");
	near(e.within, 0, 0, 1e-12, "estimate: equal samples have no sd within the process");
	ok(e.statistic == ET_BENCH_BEST && e.reason == ET_BENCH_FLOOR_HOLDS,
		"estimate: equal samples have a floor");
	ok(!et_bench_judge(s, 10, true, 0, 0.95, &e), "estimate: there is no old program");
	ok(et_bench_judge(s, 1, false, 0, 0.95, &e) && e.lo_ns == 0 && isinf(e.hi_ns),
		"estimate: one process says nothing about another invocation");
	near(e.ns, ten[0], 1e-12, 0, "estimate: one process is judged by elapsed time, too");
	free_slices(s, 10);
}

/* R: quantile(1:12), sd(1:12). */
static void description(void)
{
	static const double ten_equal[] = { 1 };
	struct et_slice *s = slices_of(ten_equal, 1, false);
	struct et_bench_estimate e;

	for (size_t i = 0; i < SAMPLES; i++)
		s->samples[i].ns = (double)(SAMPLES - i);
	s->samples[0].marks = ET_BENCH_PREEMPTED | ET_BENCH_SLOW;
	s->samples[1].marks = ET_BENCH_SLOW;
	ok(et_bench_judge(s, 1, false, 0, 0.95, &e), "description: one process is judged");
	near(e.min_ns, 1, 0, 0, "description: minimum");
	near(e.p10_ns, 2.1, 1e-12, 0, "description: 10 %% quantile");
	near(e.q1_ns, 3.75, 1e-12, 0, "description: first quartile");
	near(e.median_ns, 6.5, 1e-12, 0, "description: median");
	near(e.q3_ns, 9.25, 1e-12, 0, "description: third quartile");
	near(e.p90_ns, 10.9, 1e-12, 0, "description: 90 %% quantile");
	near(e.p99_ns, 11.89, 1e-12, 0, "description: 99 %% quantile");
	near(e.max_ns, 12, 0, 0, "description: maximum");
	near(e.mean_ns, 6.5, 1e-12, 0, "description: mean");
	near(e.sd_ns, 3.605551275463989, 1e-12, 0, "description: sd");
	ok(e.preempted == 1 && e.slow == 2, "description: disturbed samples are counted");
	free_slices(s, 1);
}

/* R: Welch's t on the logarithms, with the locations and standard errors above. */
static void apart(void)
{
	struct et_slice *old = slices_of(ten, 10, true), *new = slices_of(slower, 10, false);
	struct et_bench_comparison c;

	et_bench_compare_apart(new, 10, old, 10, 0, 0.95, &c);
	near(c.ratio, 1.05001619666474078, 1e-12, 0, "apart: ratio");
	near(c.lo, 1.0261679699526551346, 1e-12, 0, "apart: lower end");
	near(c.hi, 1.0744186580966428313, 1e-12, 0, "apart: upper end");
	near(c.p, 0.0008656993882962918, 1e-9, 0, "apart: p-value");
	ok(c.verdict == ET_BENCH_SLOWER, "apart: an interval above 1 is slower");
	et_bench_compare_apart(old, 10, new, 10, 0, 0.95, &c);
	ok(c.verdict == ET_BENCH_FASTER, "apart: the other way round it is faster");
	et_bench_compare_apart(new, 10, old, 10, 0, 0.9999, &c);
	ok(c.verdict == ET_BENCH_SAME && c.lo < 1, "apart: an interval that contains 1 is none");
	for (size_t i = 0; i < 10; i++)
		old[i].empty_uncertainty_ns = new[i].empty_uncertainty_ns = 5;
	et_bench_compare_apart(new, 10, old, 10, 0, 0.95, &c);
	near(c.lo, 1.0261679699526551346, 1e-12, 0, "apart: the doubt of the call cancels");
	et_bench_compare_apart(new, 1, old, 10, 0, 0.95, &c);
	ok(c.verdict == ET_BENCH_UNSURE && isinf(c.hi), "apart: one process is not enough");

	for (size_t j = 0; j < SAMPLES; j++)
		old[3].samples[j].ns = 0;
	et_bench_compare_apart(new, 10, old, 10, 0, 0.95, &c);
	ok(c.verdict == ET_BENCH_UNSURE, "apart: a time of 0 has no ratio");
	free_slices(old, 10);
	free_slices(new, 10);
}

/*
 * R: the location of log(slower) - log(ten), where the last difference counts as if it were three
 * standard deviations away, and Student's t.
 */
static void pairs(void)
{
	struct et_slice *old = slices_of(ten, 10, true), *new = slices_of(slower, 10, false);
	struct et_bench_comparison c;
	struct et_slice both[20];

	for (size_t i = 0; i < 10; i++) {
		both[2 * i] = new[9 - i];
		both[2 * i + 1] = old[i];
	}
	et_bench_compare_pairs(both, 20, 0, 0.95, &c);
	near(c.ratio, 1.049259731658714, 1e-12, 0, "pairs: ratio");
	near(c.lo, 1.047070809113747, 1e-12, 0, "pairs: lower end");
	near(c.hi, 1.051453230190200, 1e-12, 0, "pairs: upper end");
	near(c.p, 1.779961460044879e-12, 1e-6, 0, "pairs: p-value");
	ok(c.verdict == ET_BENCH_SLOWER, "pairs: an interval above 1 is slower");
	et_bench_compare_pairs(both, 3, 0, 0.95, &c);
	ok(c.verdict == ET_BENCH_UNSURE, "pairs: without a pair there is no verdict");
	free_slices(old, 10);
	free_slices(new, 10);
}

/* R: p.adjust(c(.001, .04, .03, .5), "holm"). */
static void family(void)
{
	static const double t[] = { 3.290526731491689, 2.053748910631823, 2.170090377584560,
		0.6744897501960817 };
	static const double want[] = { 0.004, 0.09, 0.09, 0.5 };
	struct et_bench_row rows[5] = { 0 };

	for (size_t i = 0; i < 4; i++) {
		rows[i].has_old = true;
		rows[i].comparison = (struct et_bench_comparison){ .ratio = exp(0.01 * t[i]),
			.se = 0.01,
			.df = INFINITY,
			.verdict = ET_BENCH_SLOWER };
	}
	ok(et_bench_family(rows, 5, 0, 0.95) == 1, "family: one of four cases regressed");
	for (size_t i = 0; i < 4; i++)
		near(rows[i].comparison.p_family, want[i], 1e-6, 0,
			"family: p-value of case %zu by Holm", i);
	ok(rows[0].comparison.regression && !rows[1].comparison.regression,
		"family: the one with the smallest p-value");
	ok(isnan(rows[4].comparison.p_family), "family: a case without a baseline is not tested");
	ok(et_bench_family(rows, 5, 0.02, 0.95) == 0, "family: none regressed by more than 2 %%");
	ok(et_bench_family(rows, 5, INFINITY, 0.95) == 0 && isnan(rows[0].comparison.p_family),
		"family: without a limit nothing is tested");
}

/* How the samples of each process look: sample i of SAMPLES. */
typedef struct et_bench_sample (*shape)(size_t i);

static struct et_bench_estimate judge_shape(shape f, unsigned flags)
{
	struct et_slice *s = slices_of(ten, 10, false);
	struct et_bench_estimate e;

	for (size_t k = 0; k < 9; k++)
		for (size_t i = 0; i < SAMPLES; i++)
			s[k].samples[i] = f(i);
	et_bench_judge(s, 9, false, flags, 0.95, &e);
	free_slices(s, 10);
	return e;
}

static struct et_bench_sample faster_if_slow(size_t i)
{
	return i % 6 ? (struct et_bench_sample){ .ns = 100, .cpu_ns = 100 }
		     : (struct et_bench_sample){ .ns = 90, .cpu_ns = 90, .marks = ET_BENCH_SLOW };
}

static struct et_bench_sample slower_if_slow(size_t i)
{
	return i % 4 ? (struct et_bench_sample){ .ns = 100, .cpu_ns = 100 }
		     : (struct et_bench_sample){ .ns = 160, .cpu_ns = 160, .marks = ET_BENCH_SLOW };
}

static struct et_bench_sample every_fourth(size_t i)
{
	return (struct et_bench_sample){ .ns = i % 4 ? 100 : 500, .cpu_ns = 1 };
}

static struct et_bench_sample two_speeds(size_t i)
{
	return (struct et_bench_sample){ .ns = i < 7 ? 100 : 130, .cpu_ns = 1 };
}

static struct et_bench_sample scattered(size_t i)
{
	return (struct et_bench_sample){ .ns = 100 + 2 * (double)i, .cpu_ns = 1 };
}

static struct et_bench_sample all_slow(size_t i)
{
	return (struct et_bench_sample){ .ns = 160 + (double)(i % 2), .marks = ET_BENCH_SLOW };
}

static struct et_bench_sample all_preempted(size_t i)
{
	return (struct et_bench_sample){
		.ns = 300 + (double)i, .cpu_ns = 100, .marks = ET_BENCH_PREEMPTED
	};
}

static struct et_bench_sample first_is_cold(size_t i)
{
	return (struct et_bench_sample){ .ns = i ? 100 : 50, .marks = i ? 0 : ET_BENCH_FIRST };
}

/* As short as the loop: 0.1 ns, and five times as much in every fourth sample. */
static void next_to_nothing(void)
{
	struct et_slice *s = slices_of(ten, 10, false);
	struct et_bench_estimate e;

	for (size_t k = 0; k < 10; k++)
		for (size_t i = 0; i < SAMPLES; i++)
			s[k].samples[i].ns = i % 4 ? 0.1 : 0.5;
	et_bench_judge(s, 10, false, 0, 0.95, &e);
	ok(e.reason == ET_BENCH_CALLS_DIFFER, "next to nothing: without a doubt, calls differ");
	for (size_t k = 0; k < 10; k++)
		s[k].empty_uncertainty_ns = 0.2;
	et_bench_judge(s, 10, false, 0, 0.95, &e);
	ok(e.reason == ET_BENCH_FLOOR_HOLDS && e.warnings & ETALON_WARNING_OVERHEAD,
		"next to nothing: less than the doubt of the loop shows no differing calls");
	/* The loop takes less than an empty one took. */
	for (size_t k = 0; k < 10; k++)
		for (size_t i = 0; i < SAMPLES; i++)
			s[k].samples[i].ns = -0.028;
	et_bench_judge(s, 10, false, 0, 0.95, &e);
	ok(e.ns == 0 && e.lo_ns == 0, "next to nothing: no time is less than 0");
	near(e.hi_ns, 2 * 0.2 - 0.028, 1e-6, 0, "next to nothing: the doubt is above it");
	free_slices(s, 10);
}

static void floor_test(void)
{
	struct et_bench_estimate e = judge_shape(faster_if_slow, 0);

	ok(e.statistic == ET_BENCH_MEDIAN && e.reason == ET_BENCH_BELOW_FLOOR,
		"floor: shorter samples at reduced speed refute it");
	near(e.ns, 100, 1e-9, 0, "floor: the answer is then the median at full speed");
	e = judge_shape(slower_if_slow, 0);
	ok(e.statistic == ET_BENCH_BEST && e.reason == ET_BENCH_FLOOR_HOLDS,
		"floor: longer samples at reduced speed do not");
	near(e.ns, 100, 1e-9, 0, "floor: samples at reduced speed are left out");
	e = judge_shape(every_fourth, 0);
	ok(e.statistic == ET_BENCH_MEAN && e.reason == ET_BENCH_CALLS_DIFFER,
		"floor: calls that differ have a mean");
	near(e.ns, 200, 1e-9, 0, "floor: which is the answer");
	e = judge_shape(two_speeds, 0);
	ok(e.statistic == ET_BENCH_BEST,
		"floor: two speeds of samples of many calls are states of the processor");
	near(e.ns, 100, 1e-9, 0, "floor: the higher one is the answer");
	e = judge_shape(scattered, 0);
	ok(e.statistic == ET_BENCH_MEDIAN && e.reason == ET_BENCH_NO_FLOOR,
		"floor: scattered samples have none");
	near(e.ns, 111, 1e-9, 0, "floor: the answer is then their median");
	e = judge_shape(slower_if_slow, ETALON_BENCH_CALLS_DIFFER);
	ok(e.statistic == ET_BENCH_MEAN && e.reason == ET_BENCH_ASKED,
		"floor: the mean can be asked for");
	e = judge_shape(all_slow, 0);
	ok(e.processes == 9 && e.ns > 159 && e.ns < 162,
		"floor: if all samples are slow, they count");
	e = judge_shape(all_preempted, 0);
	near(e.ns, 100, 1e-9, 0, "floor: if all samples are preempted, their CPU time counts");
	e = judge_shape(first_is_cold, 0);
	near(e.ns, 100, 1e-9, 0, "floor: the first sample of a process does not count");
}

/* Each process measured another cost of an empty call; what it timed with it is the same. */
static void empty_call(void)
{
	struct et_slice *s = slices_of(ten, 4, false);
	struct et_bench_estimate e;

	for (size_t k = 0; k < 4; k++) {
		s[k].empty_ns = (double)(k + 1);
		for (size_t i = 0; i < SAMPLES; i++)
			s[k].samples[i].ns = 100 - s[k].empty_ns;
	}
	et_bench_judge(s, 4, false, 0, 0.95, &e);
	near(e.ns, 97.5, 1e-12, 0, "empty call: one cost, 2.5 ns, is subtracted in all processes");
	near(e.between, 0, 0, 1e-12, "empty call: so that they do not differ");
	/* R: sqrt(2) * qt(.975, 10) * sd(1:4) / 2 */
	near(e.hi_ns - e.ns, 2.0338, 1e-3, 0, "empty call: its uncertainty is in the interval");
	free_slices(s, 4);
}

int main(void)
{
	location();
	estimate();
	doubt_of_the_call();
	description();
	apart();
	pairs();
	family();
	floor_test();
	next_to_nothing();
	empty_call();
	return tap_done();
}
