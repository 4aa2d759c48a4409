/* SPDX-License-Identifier: MIT */
/* Benchmarks are expanded by parameters and threads; wrong ones are refused, never followed. */
#include "lib/bench/model.h"
#include "tap.h"

#include <string.h>

static void nothing(void *arg)
{
	(void)arg;
}

static struct etalon_bench plain(const char *name)
{
	return (struct etalon_bench){
		.sz = sizeof(struct etalon_bench), .name = name, .fn = nothing
	};
}

/* The names of all cases, with spaces between them; "" if they are refused. */
static const char *names(const struct etalon_bench *b, size_t n, const unsigned *threads,
	size_t n_threads, const char *filter, const char *exclude)
{
	static char all[4096];
	struct et_bench_cases c = { 0 };
	struct et_error err = { 0 };

	all[0] = '\0';
	if (et_cases_build(b, n, threads, n_threads, &c, &err))
		return all;
	if (et_cases_filter(&c, filter, exclude, &err) == 0)
		for (size_t i = 0; i < c.n; i++)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "",
				c.list[i].name);
	et_cases_free(&c);
	return all;
}

static const char *expand(const struct etalon_bench *b)
{
	return names(b, 1, NULL, 0, NULL, NULL);
}

static void axes(void)
{
	const int64_t values[] = { -3, 7 };
	const struct etalon_axis two[] = {
		{ .name = "n", .from = 1, .to = 20, .factor = 8 },
		{ .values = values, .n = 2 },
	};
	const struct etalon_axis steps = { .from = 10, .to = 1, .step = -4 };
	const struct etalon_axis wide = { .from = 1, .to = INT64_MAX, .factor = 2097152 };
	struct etalon_bench b = plain("f");

	b.axes = two;
	b.n_axes = 2;
	ok(!strcmp(expand(&b), "f/n:1/-3 f/n:1/7 f/n:8/-3 f/n:8/7 f/n:20/-3 f/n:20/7"),
		"axes: all combinations, the last value is included");
	b.axes = &steps;
	b.n_axes = 1;
	ok(!strcmp(expand(&b), "f/10 f/6 f/2 f/1"), "axes: a range may go down");
	b.axes = &wide;
	ok(!strcmp(expand(&b), "f/1 f/2097152 f/4398046511104 f/9223372036854775807"),
		"axes: the product stops before it overflows");
}

static void bad_axes(void)
{
	const int64_t value = 1;
	const struct {
		struct etalon_axis axis;
		const char *what;
	} bad[] = {
		{ { .from = 1, .to = 8, .factor = 1 }, "a factor of 1" },
		{ { .from = 1, .to = 8, .factor = -2 }, "a negative factor" },
		{ { .from = 0, .to = 8, .factor = 2 }, "a factor that begins at 0" },
		{ { .from = 9, .to = 8, .factor = 2 }, "a factor that leads away" },
		{ { .from = 1, .to = 8 }, "neither factor nor step" },
		{ { .from = 1, .to = 8, .step = -1 }, "a step that leads away" },
		{ { .from = INT64_MIN, .to = INT64_MAX, .step = 1 }, "a range without an end" },
		{ { .values = &value }, "no values" },
		{ { .n = 3 }, "values of NULL" },
		{ { .name = "a\nb", .from = 1, .to = 1 }, "a name of two lines" },
	};
	struct etalon_bench b = plain("f");

	b.n_axes = 1;
	for (size_t i = 0; i < ET_LENGTH(bad); i++) {
		b.axes = &bad[i].axis;
		ok(!*expand(&b), "axes: refused: %s", bad[i].what);
	}
}

static void rows(void)
{
	const int64_t cases[] = { 1, 2, 3, 4 };
	const char *const params[] = { NULL, "to" };
	const unsigned threads[] = { 1, 4 }, none[] = { 0 };
	struct etalon_axis axis = { .from = 1, .to = 1000, .step = 1 };
	struct etalon_axis axes[9] = { axis, axis };
	struct etalon_bench b = plain("f");

	b.cases = cases;
	b.n_cases = 2;
	ok(!*expand(&b), "cases: refused without n_params");
	b.n_params = 2;
	ok(!strcmp(expand(&b), "f/1/2 f/3/4"), "cases: one per row");
	b.param_names = params;
	ok(!strcmp(expand(&b), "f/1/to:2 f/3/to:4"), "cases: parameters may have names");
	b.param_names = NULL;
	b.threads = threads;
	b.n_threads = 2;
	ok(!strcmp(expand(&b), "f/1/2/threads:1 f/1/2/threads:4 f/3/4/threads:1 f/3/4/threads:4"),
		"threads: a case for each number");
	ok(!strcmp(names(&b, 1, threads + 1, 1, NULL, NULL), "f/1/2/threads:4 f/3/4/threads:4"),
		"threads: those of the option replace them");
	b.threads = none;
	b.n_threads = 1;
	ok(!*expand(&b), "threads: 0 is refused");
	b = plain("f");
	b.axes = axes;
	b.n_axes = 9;
	ok(!*expand(&b), "axes: nine parameters are refused");
	b.n_axes = 2;
	ok(!*expand(&b), "axes: a million cases are refused");
	b.n_axes = 1;
	b.axes = NULL;
	ok(!*expand(&b), "axes: NULL is refused");
}

/* As files of Google Benchmark do it: one function twice, or one number of threads twice. */
static void equal_names(void)
{
	static const unsigned threads[] = { 1, 2, 2 };
	struct etalon_bench b[] = { plain("f"), plain("f"), plain("g"), plain("f") };
	struct et_bench_cases c = { 0 };
	struct et_error err = { 0 };

	for (size_t i = 0; i < 4; i++) {
		b[i].threads = threads;
		b[i].n_threads = i ? 1 : 3;
	}
	ok(et_cases_build(b, 4, NULL, 0, &c, &err) < 0 && strstr(err.what, "same name"),
		"equal names are refused");
	for (size_t i = 0; i < 4; i++)
		b[i].flags = ETALON_BENCH_SAME_NAME;
	ok(!strcmp(names(b, 4, NULL, 0, NULL, NULL), "f/threads:1 f/threads:2 f/threads:1#2 "
						     "g/threads:1 f/threads:1#3"),
		"equal names: those of other benchmarks are numbered, repeated cases dropped");
	if (!ok(et_cases_build(b, 4, NULL, 0, &c, &err) == 0, "equal names: they are accepted"))
		return;
	ok(c.dropped == 1 && c.numbered == 2, "equal names: what was done is counted");
	et_cases_free(&c);
}

static void filters(void)
{
	struct etalon_bench b[] = { plain("sort"), plain("find"), plain("finder") };
	struct etalon_bench twice[] = { plain("a"), plain("b"), plain("a") };
	struct et_bench_cases c;
	struct et_error err = { 0 };

	ok(!strcmp(names(b, 3, NULL, 0, "^find", NULL), "find finder"), "filter: a regex");
	ok(!strcmp(names(b, 3, NULL, 0, "-^find", NULL), "sort"), "filter: all but a regex");
	ok(!strcmp(names(b, 3, NULL, 0, "(so|fi)", "er$"), "sort find"), "exclude: a regex");
	ok(!*names(b, 3, NULL, 0, "x", NULL), "filter: nothing left is an error");
	ok(!*names(b, 3, NULL, 0, "(", NULL), "filter: a wrong regex is an error");
	ok(et_cases_build(twice, 3, NULL, 0, &c, &err) < 0 && err.exit == ET_EXIT_USAGE &&
			strstr(err.what, "1 and 3") && strstr(err.what, "'a'"),
		"names: two equal ones are refused, and both are named");
}

static void bad_benches(void)
{
	struct etalon_bench b = plain("f"), old = plain("old");
	struct et_bench_cases c;
	struct et_error err = { 0 };

	b.fn = NULL;
	ok(!*expand(&b), "benches: a NULL function is refused");
	b = plain("");
	ok(!*expand(&b), "benches: an empty name is refused");
	b = plain("a\xff");
	ok(!*expand(&b), "benches: a name that is not UTF-8 is refused");
	ok(et_cases_build(NULL, 3, NULL, 0, &c, &err) < 0, "benches: NULL is refused");
	ok(et_cases_build(NULL, 0, NULL, 0, &c, &err) < 0, "benches: none is refused");
	old.sz = offsetof(struct etalon_bench, body);
	old.n_axes = 7; /* beyond what the first version had */
	ok(!strcmp(expand(&old), "old"), "benches: members that the first version lacks are 0");
}

int main(void)
{
	axes();
	bad_axes();
	rows();
	equal_names();
	filters();
	bad_benches();
	return tap_done();
}
