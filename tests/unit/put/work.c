/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each program under test does exactly the work that it claims. */
#include "put/work.h"
#include "base/clock.h"
#include "put/put.h"
#include "tap.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

/* The address sanitizer needs terabytes of address space and ends a program that gets no memory. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

static void test_inc(void)
{
	static const uint64_t counts[] = { 0, 1, 2, 65535, 65536, 65537, 131072, 1000000,
		12345678 };

	for (size_t i = 0; i < ET_LENGTH(counts); i++)
		ok(et_inc(counts[i]) == counts[i], "inc: it counts to %" PRIu64, counts[i]);
}

static void test_spin(void)
{
	uint64_t begin = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

	ok(et_spin(CLOCK_THREAD_CPUTIME_ID, begin + 3000000) > 0, "spin: increments are counted");
	ok(et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) >= begin + 3000000,
		"spin: it runs until the CPU time is used");
	ok(et_spin(CLOCK_THREAD_CPUTIME_ID, begin) == 0,
		"spin: it returns at once if the CPU time is used already");
	begin = et_clock_read_ns(CLOCK_MONOTONIC);
	et_spin(CLOCK_MONOTONIC, begin + 3000000);
	ok(et_clock_read_ns(CLOCK_MONOTONIC) >= begin + 3000000,
		"spin: it runs until the wall time is over");
}

static bool is_sorted(const int32_t *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (a[i - 1] > a[i])
			return false;
	}
	return true;
}

static void test_sort(void)
{
	static const size_t sizes[] = { 1, 2, 3, 10, 1000 };
	int32_t a[1000], same[1000];

	for (size_t i = 0; i < ET_LENGTH(sizes); i++) {
		size_t n = sizes[i];
		int64_t before = 0, after = 0;
		et_random_ints(a, n, 7);
		for (size_t k = 0; k < n; k++)
			before += a[k];
		et_insertion_sort(a, n);
		for (size_t k = 0; k < n; k++)
			after += a[k];
		ok(is_sorted(a, n) && before == after, "sort: %zu integers are sorted", n);
	}
	et_random_ints(a, 1000, 7);
	ok(!is_sorted(a, 1000), "sort: the input is not sorted");
	et_random_ints(same, 1000, 7);
	ok(!memcmp(a, same, sizeof(a)), "sort: the same seed gives the same input");
	et_random_ints(same, 1000, 8);
	ok(memcmp(a, same, sizeof(a)) != 0, "sort: another seed gives another input");
}

/* Insertion sort is the oracle of merge sort. */
static void test_merge_sort(void)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 31, 32, 33, 999, 1000 };
	int32_t a[1000], room[1000], want[1000];

	for (size_t i = 0; i < ET_LENGTH(sizes); i++) {
		size_t n = sizes[i];
		et_random_digits(a, n, 7); /* with equal ones among them */
		memcpy(want, a, n * sizeof(*a));
		et_insertion_sort(want, n);
		ok(!memcmp(et_merge_sort(a, room, n), want, n * sizeof(*a)),
			"qsort: %zu integers are sorted", n);
	}
}

/* A number that is not found changes the numbers that follow, and so the sum. */
static void test_search(void)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 8, 9, 1000 };
	int32_t a[1000];

	for (size_t i = 0; i < ET_LENGTH(sizes); i++) {
		size_t n = sizes[i];
		uint64_t seed = 3, sum = 0;

		et_fill_sorted(a, n);
		ok(is_sorted(a, n), "search: %zu integers are in order", n);
		for (int k = 0; k < 5000; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			sum += (seed >> 32) * n >> 32;
		}
		ok(et_search(a, n, 3, 5000) == sum, "search: each of %zu integers is found", n);
	}
}

/* The definition, element by element. */
static void reference(const int32_t *a, const int32_t *b, int32_t *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			c[i * n + j] = 0;
			for (size_t k = 0; k < n; k++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
		}
	}
}

static void test_matrix(void)
{
	enum { MAX_N = 17 };
	int32_t a[MAX_N * MAX_N], b[MAX_N * MAX_N], c[MAX_N * MAX_N], r[MAX_N * MAX_N],
		want[MAX_N * MAX_N];

	for (size_t n = 1; n <= MAX_N; n += 4) {
		et_random_digits(a, n * n, 1);
		et_random_digits(b, n * n, 2);
		reference(a, b, want, n);
		et_matrix_by_column(a, b, c, n);
		et_matrix_by_row(a, b, r, n);
		ok(!memcmp(c, want, n * n * sizeof(*c)),
			"matc: the result of size %zu is the product", n);
		ok(!memcmp(r, want, n * n * sizeof(*c)),
			"matr: the result of size %zu is the product", n);
	}
}

static void test_digits(void)
{
	enum { N = 100000 };
	static int32_t x[N];
	static unsigned seen[ET_DIGITS];
	const struct et_workload *matc = et_workload_find("matc");
	bool inside = true, all = true;

	et_random_digits(x, N, 5);
	for (size_t i = 0; i < N; i++) {
		inside = inside && x[i] >= 0 && x[i] < ET_DIGITS;
		seen[inside ? x[i] : 0]++;
	}
	for (size_t i = 0; i < ET_DIGITS; i++) /* 1000 ± 6 sd of the binomial distribution */
		all = all && seen[i] > 811 && seen[i] < 1189;
	ok(inside && all, "matrices: digits from 0 to %d are equally frequent", ET_DIGITS - 1);
	ok(matc->largest_size * (ET_DIGITS - 1) * (ET_DIGITS - 1) <= INT32_MAX,
		"matrices: no element of the largest product overflows");
}

/* A machine of 1 GiB has no room for the largest matrices. */
static void test_no_memory(void)
{
	const struct et_workload *matr = et_workload_find("matr");
	struct et_put_params p = { .given = ET_PUT_SIZE, .size = matr->largest_size };
	struct et_put_result out = { .value = 42 };
	struct et_error err;
	struct rlimit before, limit;

	getrlimit(RLIMIT_AS, &before);
	limit = (struct rlimit){ (rlim_t)1 << 30, before.rlim_max };
	if (SANITIZED || setrlimit(RLIMIT_AS, &limit)) {
		skip("matr: too little memory: the address space cannot be limited here");
		return;
	}
	int rc = et_workload_run(matr, &p, &out, &err);
	setrlimit(RLIMIT_AS, &before);
	ok(rc == -ENOMEM && err.exit == ET_EXIT_ENVIRONMENT && out.value == 42 &&
			strstr(err.what, "49152 MiB") && err.hint[0],
		"matr: too little memory is an error that names the need (%s)", err.what);
}

static void test_workloads(void)
{
	struct et_put_result first, second;
	struct et_error err;

	for (const struct et_workload *w = et_workloads; w->name; w++) {
		struct et_put_params p = { .given = w->takes & (ET_PUT_ITERATIONS | ET_PUT_SIZE),
			.iterations = 5000,
			.size = 20 };
		if (!w->run) /* a kernel: its own test runs it */
			continue;
		if (!p.given) {
			p.given = ET_PUT_SECONDS;
			p.seconds_ns = 1000000;
		}
		ok(et_workload_run(w, &p, &first, &err) == 0, "%s: it runs", w->name);
		ok(et_workload_run(w, &p, &second, &err) == 0, "%s: it runs a second time",
			w->name);
		if (strcmp(w->name, "spin"))
			ok(first.value == second.value, "%s: it does the same work each time",
				w->name);
		p.given = ~w->takes & (ET_PUT_LAST * 2 - 1);
		ok(et_workload_run(w, &p, &second, &err) == -EINVAL && err.exit == ET_EXIT_USAGE,
			"%s: options that it does not take are refused", w->name);
		ok(et_workload_find(w->name) == w, "%s: it is found by its name", w->name);
	}
	ok(!et_workload_find("nosuch") && !et_workload_find(""), "find: unknown names are NULL");
}

static void test_limits(void)
{
	const struct et_workload *sort = et_workload_find("sort"), *incr = et_workload_find("inc");
	struct et_put_params p = { .given = ET_PUT_SIZE };
	struct et_put_result out = { .value = 42 };
	struct et_error err;

	ok(et_workload_run(sort, &p, &out, &err) == -ERANGE && out.value == 42,
		"sort: size 0 is refused");
	p.size = sort->largest_size + 1;
	ok(et_workload_run(sort, &p, &out, &err) == -ERANGE,
		"sort: a size above the largest is refused");
	p.size_class = 'S';
	ok(et_workload_check(sort, &p, &err) == -EINVAL && strstr(err.what, "whole number"),
		"sort: a letter as size is refused");
	ok(et_workload_check(et_workload_find("cg"), &p, &err) == 0,
		"cg: a letter as size is accepted");
	p.size_class = 0;
	ok(et_workload_check(et_workload_find("cg"), &p, &err) == -EINVAL &&
			strstr(err.what, "S, W, A, B or C"),
		"cg: a number as size is refused");
	p.given = ET_PUT_SECONDS | ET_PUT_ITERATIONS;
	ok(et_workload_run(incr, &p, &out, &err) == -EINVAL,
		"inc: --seconds with --iterations is refused");
}

static void test_memory(void)
{
	enum { LINES = 37 };
	static uint64_t memory[LINES * 64 / 8];
	bool seen[LINES] = { false };
	size_t visited = 0;

	ok(et_chase_bytes() == 64, "chase: a step reads another cache line");
	for (uint64_t steps = 0; steps < LINES; steps++) {
		uint64_t at = et_chase(memory, LINES, 5, steps);
		visited += at < LINES && !seen[at];
		seen[at % LINES] = true;
	}
	ok(visited == LINES, "chase: %zu of %d lines are visited before the first again", visited,
		LINES);
	ok(et_chase(memory, LINES, 5, LINES) == 0, "chase: it is a cycle");
	ok(et_chase(memory, LINES, 5, 3) != et_chase(memory, LINES, 6, 3) ||
			et_chase(memory, LINES, 5, 4) != et_chase(memory, LINES, 6, 4),
		"chase: another seed takes another way");
	ok(et_calls(10) == 10 * (uint64_t)getppid(), "calls: every call is made");
	ok(et_touch_pages(10 * (size_t)sysconf(_SC_PAGESIZE), 3) == 30,
		"pages: each page is touched as often as asked");
	ok(et_touch_pages(SIZE_MAX / 4, 1) == 0, "pages: memory that does not exist is no success");
}

/* The definition of xorshift64 (Marsaglia 2003): all calls continue one sequence. */
static uint64_t xorshift_after(uint64_t n)
{
	uint64_t x = 88172645463325252u;

	for (; n; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

static void test_profiled(void)
{
	struct et_put_params p = { .given = ET_PUT_ITERATIONS | ET_PUT_CALLS };
	struct et_put_result out = { .value = 42 };
	const struct et_workload *fragment = et_workload_find("fragment");
	const struct et_workload *triangle = et_workload_find("triangle");
	struct et_error err;
	uint64_t calls;

	ok(et_fragment(30, 7, 0) == xorshift_after(30 * 7), "fragment: 30 calls of 7 iterations");
	ok(et_fragment(30, 7, 1) == xorshift_after(15 * 7 + 15 * 28),
		"fragment: 30 equal calls of 7 and 28 iterations");
	ok(et_triangle(11, 3, 0) == xorshift_after(UINT64_C(11) * 15 * 3),
		"triangle: 11 loops of 15 parts");
	ok(et_triangle(11, 3, 1) == et_triangle(11, 3, 0),
		"triangle: the reverse order does the same work");
	p.iterations = 10000;
	static const struct {
		uint64_t asked, made;
	} rounded[] = { { 1, 10 }, { 14, 10 }, { 15, 20 }, { 32, 30 }, { 316, 320 },
		{ 3162, 3160 } };
	for (size_t i = 0; i < ET_LENGTH(rounded); i++) {
		p.calls = rounded[i].asked;
		uint64_t made = rounded[i].made, per_call = (10000 + made / 2) / made;
		ok(et_workload_run(fragment, &p, &out, &err) == 0 &&
				out.value == xorshift_after(made * per_call),
			"fragment: %" PRIu64 " calls are %" PRIu64, rounded[i].asked, made);
	}
	p.calls = 100000;
	ok(et_workload_run(fragment, &p, &out, &err) == -EINVAL && err.hint[0],
		"fragment: more calls than iterations are refused (%s)", err.what);
	p = (struct et_put_params){
		.given = ET_PUT_ITERATIONS | ET_PUT_INNER, .iterations = 1500, .inner = 1000
	};
	ok(et_workload_run(triangle, &p, &out, &err) == -EINVAL && err.hint[0],
		"triangle: less work than one loop is refused (%s)", err.what);
	ok(et_nops(ET_PUT_LCG, 10000, 0, &calls) == 0 && calls == 10000,
		"nops: it is called as often as asked");
	uint64_t begin = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	ok(et_nops(ET_PUT_CONSTANT, 0, begin + 2000000, &calls) == 0 && calls > 0 &&
			et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) >= begin + 2000000,
		"nops: it is called until the CPU time is used");
}

int main(void)
{
	test_inc();
	test_spin();
	test_sort();
	test_merge_sort();
	test_search();
	test_matrix();
	test_digits();
	test_no_memory();
	test_workloads();
	test_limits();
	test_memory();
	test_profiled();
	return tap_done();
}
