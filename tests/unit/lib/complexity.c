/* SPDX-License-Identifier: MIT */
/*
 * Complexity and cycles per element. The constants are those of R 4.2: with t the times, n the
 * sizes and m = ave(t, n), lm(t ~ n, weights = 1 / m^2) and its confint; of the square,
 * lm(t ~ I(n^2), …). anova() of that line and of factor(n) gives the test of the fit.
 */
#include "lib/slice/complexity.h"
#include "base/base.h"
#include "tap.h"

enum { SIZES = 5, PROCESSES = 3, SAMPLES = 12 };

static const double sizes[SIZES] = { 16, 64, 256, 1024, 4096 };
static const double noise[SIZES][PROCESSES] = { { 1.0004, 0.9997, 1.0001 },
	{ 1.0001, 0.9994, 1.0003 }, { 0.9999, 1.0003, 0.9995 }, { 1.0002, 1.0006, 0.9995 },
	{ 0.9996, 1.0005, 0.9999 } };

static void nothing(struct etalon_state *s)
{
	(void)s;
}

static const struct etalon_bench bench = {
	.sz = sizeof(bench), .name = "copy", .body = nothing, .flags = ETALON_BENCH_COMPLEXITY
};

static double line(double n)
{
	return 50 + 2.5 * n;
}

/* Successive calls overlap. */
static double overlapping(double n)
{
	return 2.5 * n - 8;
}

static double square(double n)
{
	return 10 + 0.25 * n * n;
}

/* A slice whose samples all have one value. */
static void fill_slice(struct et_slice *s, unsigned process, double ns, double cycles)
{
	*s = (struct et_slice){ .process = process, .n = SAMPLES, .size = NAN, .hz = 2e9 };
	for (int i = 0; i < ET_EVENTS; i++)
		s->events[i] = NAN;
	s->events[ET_EVENT_CYCLES] = cycles;
	s->samples = et_calloc(SAMPLES, sizeof(*s->samples));
	for (size_t i = 0; i < SAMPLES; i++)
		s->samples[i] = (struct et_bench_sample){ .ns = ns, .cpu_ns = ns };
}

struct cases {
	struct et_bench_case list[2 * SIZES];
	struct et_bench_row rows[2 * SIZES];
	size_t n;
};

/* Adds a case per size; `second` is its second parameter. */
static void add(struct cases *c, double (*f)(double), int64_t second, bool cycles)
{
	for (size_t i = 0; i < SIZES; i++) {
		struct et_bench_case *which = &c->list[c->n];
		struct et_bench_row *row = &c->rows[c->n++];

		*which = (struct et_bench_case){ .bench = &bench,
			.params = { (int64_t)sizes[i], second },
			.n_params = 2,
			.threads = 1 };
		*row = (struct et_bench_row){ .which = which, .n_slices = PROCESSES };
		row->slices = et_calloc(PROCESSES, sizeof(*row->slices));
		for (unsigned k = 0; k < PROCESSES; k++)
			fill_slice(&row->slices[k], k, f(sizes[i]) * noise[i][k],
				cycles ? (120 + 6 * sizes[i]) *
						 noise[SIZES - 1 - i][PROCESSES - 1 - k]
				       : NAN);
	}
}

static void free_cases(struct cases *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->rows[i].n_slices; k++)
			et_slice_free(&c->rows[i].slices[k]);
		free(c->rows[i].slices);
	}
}

static void test_line(void)
{
	struct cases c = { .n = 0 };
	struct et_complexity *list;
	size_t n;

	add(&c, line, 7, true);
	n = et_complexity_fit(c.rows, c.n, 0.95, &list);
	ok(n == 1 && list[0].problem == ET_GROWTH_FINE, "complexity: five sizes are fitted");
	is_str(list[0].name, "copy/n/7", "complexity: n takes the place of the size in the name");
	ok(list[0].growth.best == ET_GROWTH_N, "complexity: a line is found");
	near(list[0].best.ns, 2.4999668052513, 1e-11, 0, "complexity: its coefficient as in R");
	near(list[0].best.lo, 2.49921987096508, 1e-11, 0, "complexity: the lower limit as in R");
	near(list[0].best.hi, 2.50071373953753, 1e-11, 0, "complexity: the upper limit as in R");
	near(list[0].growth.fits[ET_GROWTH_N].p, 0.93694815025527, 1e-9, 0,
		"complexity: lack of fit as in R");
	near(list[0].ns.slope, 2.4999668052513, 1e-11, 0, "per element: the slope as in R");
	near(list[0].ns.intercept, 50.0030621913704, 1e-11, 0,
		"per element: the intercept as in R");
	near(list[0].cycles.slope, 5.99992145140633, 1e-11, 0, "per element: cycles as in R");
	near(list[0].cycles.lo, 5.99812880745543, 1e-11, 0,
		"per element: lower limit of cycles as in R");
	near(list[0].cycles.hi, 6.00171409535723, 1e-11, 0,
		"per element: upper limit of cycles as in R");
	et_complexity_free(list, n);
	free_cases(&c);
}

static void test_negative(void)
{
	struct cases c = { .n = 0 };
	struct et_complexity *list;
	size_t n;

	add(&c, overlapping, 7, false);
	n = et_complexity_fit(c.rows, c.n, 0.95, &list);
	near(list[0].ns.slope, 2.49995673723181, 1e-11, 0,
		"per element: the slope of a line below 0");
	near(list[0].ns.intercept, -7.99769432553629, 1e-11, 0,
		"per element: its intercept is negative");
	near(list[0].ns.lo, 2.49927650070117, 1e-11, 0, "per element: its lower limit as in R");
	near(list[0].ns.hi, 2.50063697376245, 1e-11, 0, "per element: its upper limit as in R");
	et_complexity_free(list, n);
	free_cases(&c);
}

/* A benchmark that grows like a line names a square. */
static void test_asked(void)
{
	struct cases c = { .n = 0 };
	struct etalon_bench asking = bench;
	struct et_complexity *list;
	size_t n;

	add(&c, line, 7, false);
	asking.growth = ETALON_GROWTH_N_SQUARED;
	for (size_t i = 0; i < c.n; i++)
		c.list[i].bench = &asking;
	n = et_complexity_fit(c.rows, c.n, 0.95, &list);
	ok(n == 1 && list[0].asked && list[0].model == ET_GROWTH_N2,
		"complexity: the model that the benchmark names is kept");
	ok(list[0].growth.best == ET_GROWTH_N, "complexity: and so is the one that fits best");
	near(list[0].of_model.ns, list[0].growth.fits[ET_GROWTH_N2].b, 0, 0,
		"complexity: its coefficient is that of the named model");
	near(list[0].best.ns, 2.4999668052513, 1e-11, 0,
		"complexity: the coefficient of the best model stays");
	et_complexity_free(list, n);
	asking.growth = 99;
	n = et_complexity_fit(c.rows, c.n, 0.95, &list);
	ok(!list[0].asked && list[0].model == ET_GROWTH_N,
		"complexity: an unknown model is the best one");
	et_complexity_free(list, n);
	free_cases(&c);
}

static void test_groups(void)
{
	struct cases c = { .n = 0 };
	struct et_complexity *list;
	size_t n;

	add(&c, line, 1, false);
	add(&c, square, 2, false);
	c.rows[0].slices[0].old = true; /* the other program's times do not count */
	n = et_complexity_fit(c.rows, c.n, 0.95, &list);
	ok(n == 2, "complexity: cases that differ in another parameter are apart");
	ok(list[0].growth.best == ET_GROWTH_N && list[1].growth.best == ET_GROWTH_N2,
		"complexity: each has its own model");
	ok(list[0].growth.samples == SIZES * PROCESSES - 1,
		"complexity: one time per case and process of the new program");
	near(list[1].best.ns, 0.249995719377138, 1e-11, 0,
		"complexity: coefficient of the square as in R");
	near(list[1].best.lo, 0.249931441696674, 1e-11, 0, "complexity: its lower limit as in R");
	near(list[1].best.hi, 0.250059997057602, 1e-11, 0, "complexity: its upper limit as in R");
	ok(isnan(list[0].cycles.slope), "per element: no cycles without the event");
	et_complexity_free(list, n);
	free_cases(&c);
}

static void test_refusals(void)
{
	struct cases c = { .n = 0 };
	struct et_complexity *list;
	struct etalon_bench plain = bench;
	size_t n;

	add(&c, line, 1, false);
	n = et_complexity_fit(c.rows, 3, 0.95, &list);
	ok(n == 1 && list[0].problem == ET_GROWTH_FEW_SIZES && isnan(list[0].ns.slope),
		"complexity: three sizes are too few");
	et_complexity_free(list, n);
	for (size_t i = 0; i < SIZES; i++)
		c.rows[i].slices[0].size = sizes[0];
	n = et_complexity_fit(c.rows, c.n, 0.95, &list);
	ok(n == 1 && list[0].problem == ET_GROWTH_FEW_SIZES,
		"complexity: the size that the function set replaces the parameter");
	et_complexity_free(list, n);
	for (size_t i = 0; i < SIZES; i++)
		c.rows[i].slices[0].size = i ? sizes[i] : -1;
	n = et_complexity_fit(c.rows, c.n, 0.95, &list);
	ok(n == 1 && list[0].growth.n == SIZES - 1,
		"complexity: a size that is not positive is left out");
	et_complexity_free(list, n);
	plain.flags = 0;
	for (size_t i = 0; i < SIZES; i++)
		c.list[i].bench = &plain;
	ok(et_complexity_fit(c.rows, c.n, 0.95, &list) == 0 && !list,
		"complexity: only benchmarks with the flag are fitted");
	free_cases(&c);
}

int main(void)
{
	test_line();
	test_negative();
	test_asked();
	test_groups();
	test_refusals();
	return tap_done();
}
