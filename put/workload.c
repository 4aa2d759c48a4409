/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of programs under test, and the code around the work: memory, input, checksum. */
#include "base/clock.h"
#include "base/sysroot.h"
#include "put/calibration.h"
#include "put/put.h"
#include "put/work.h"

/* Iterations that take 1.6 s, as in NIST TN 1826, and 1 s on a Zen 4 of 3.6 GHz. */
enum { FRAGMENT_WORK = 960000000, TRIANGLE_WORK = 600000000 };
enum { LARGEST_SORT = 100000000, LARGEST_MATRIX = 65536, LARGEST_MEMORY = 1 << 20 };

/* Returns the rate from the file, or measures it and writes the file (a failure is a warning). */
static double inc_rate(
	const struct et_put_params *p, struct et_put_result *out, const char **origin)
{
	struct et_error err;
	char cpu[128];
	double rate;
	int rc = -ENOENT;

	et_cpu_model("", cpu, sizeof(cpu));
	*origin = "kept";
	if (p->state_dir && !(p->given & ET_PUT_CALIBRATE)) {
		rc = et_calibration_read(p->state_dir, cpu, &rate, &err);
		if (rc == 0)
			return rate;
	}
	*origin = "calibrated now";
	rate = et_calibrate_inc();
	if (!p->state_dir)
		snprintf(out->warning, sizeof(out->warning),
			"the calibration is not stored: neither HOME nor XDG_STATE_HOME is set");
	else if (et_calibration_write(p->state_dir, cpu, rate, &err))
		snprintf(out->warning, sizeof(out->warning),
			"the calibration is not stored: %.400s", err.what);
	else if (rc == -EBADMSG)
		snprintf(out->warning, sizeof(out->warning),
			"%.400s/inc.json was not a calibration file of etalon and is replaced",
			p->state_dir);
	return rate;
}

static int run_inc(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	const char *origin = "given";
	uint64_t n = p->iterations;

	(void)err;
	if (!(p->given & ET_PUT_ITERATIONS)) {
		double rate = inc_rate(p, out, &origin);
		n = (uint64_t)llround((double)p->seconds_ns * 1e-9 * rate);
		snprintf(out->detail, sizeof(out->detail),
			"%" PRIu64 " increments at %.4g per second (%s)", n, rate, origin);
	} else {
		snprintf(out->detail, sizeof(out->detail), "%" PRIu64 " increments", n);
	}
	if (p->mark)
		p->mark(p->mark_ctx, false);
	out->value = et_inc(n);
	if (p->mark)
		p->mark(p->mark_ctx, true);
	return 0;
}

static int run_spin(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	bool wall = p->given & ET_PUT_WALL;
	clockid_t clock = wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
	uint64_t begin = wall ? et_clock_read_ns(clock) : 0;

	(void)err;
	out->value = et_spin(clock, begin + p->seconds_ns);
	snprintf(out->detail, sizeof(out->detail), "%" PRIu64 " increments until %.6f s of %s time",
		out->value, (double)(et_clock_read_ns(clock) - begin) * 1e-9,
		wall ? "wall" : "CPU");
	return 0;
}

/* The memory that the kernel can give without swapping, in bytes; 0 if it does not report it. */
static uint64_t available_bytes(void)
{
	char text[8192];
	uint64_t kib = 0;

	if (et_sysroot_read("", "/proc/meminfo", text, sizeof(text)) <= 0)
		return 0;
	const char *at = strstr(text, "\nMemAvailable:");
	return at && sscanf(at, "\nMemAvailable: %" SCNu64 " kB", &kib) == 1 ? kib * 1024 : 0;
}

/*
 * Allocates n numbers. The kernel promises more memory than it has and kills the process that uses
 * it, so a large size is compared with the available memory first.
 */
static int take_numbers(const char *program, size_t n, int32_t **out, struct et_error *err)
{
	static const size_t large = (size_t)64 << 20;
	uint64_t bytes = (uint64_t)n * sizeof(**out);
	uint64_t available = bytes > large ? available_bytes() : 0;

	*out = available && bytes > available ? NULL : calloc(n, sizeof(**out));
	if (*out)
		return 0;
	et_fail(err, ENOMEM, ET_EXIT_ENVIRONMENT,
		"put %s: this size needs %" PRIu64 " MiB of memory, which is not available",
		program, bytes >> 20);
	return et_hint(err, -ENOMEM, "choose a smaller --size");
}

static int run_sort(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	size_t n = (size_t)p->size;
	ET_AUTO_FREE int32_t *a = NULL;
	int rc = take_numbers("sort", n, &a, err);

	if (rc)
		return rc;
	et_random_ints(a, n, p->seed);
	et_insertion_sort(a, n);
	for (size_t i = 0; i < n; i++)
		out->value += (uint64_t)a[i] * (i + 1);
	snprintf(
		out->detail, sizeof(out->detail), "%zu integers, checksum %" PRIu64, n, out->value);
	return 0;
}

static int run_qsort(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	size_t n = (size_t)p->size;
	ET_AUTO_FREE int32_t *all = NULL; /* the numbers, and room to merge them */
	int rc = take_numbers("qsort", 2 * n, &all, err);

	if (rc)
		return rc;
	for (uint64_t k = 0; k < p->iterations; k++) {
		et_random_ints(all, n, p->seed + k);
		const int32_t *sorted = et_merge_sort(all, all + n, n);
		for (size_t i = 0; i < n; i++)
			out->value += (uint64_t)sorted[i] * (i + 1);
	}
	snprintf(out->detail, sizeof(out->detail),
		"%" PRIu64 " times %zu integers, checksum %" PRIu64, p->iterations, n, out->value);
	return 0;
}

static int run_search(
	const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	size_t n = (size_t)p->size;
	ET_AUTO_FREE int32_t *a = NULL;
	int rc = take_numbers("search", n, &a, err);

	if (rc)
		return rc;
	et_fill_sorted(a, n);
	out->value = et_search(a, n, p->seed, p->iterations);
	snprintf(out->detail, sizeof(out->detail),
		"%" PRIu64 " look-ups in %zu integers, sum of indices %" PRIu64, p->iterations, n,
		out->value);
	return 0;
}

static int run_matrix(const char *program, const struct et_put_params *p, struct et_put_result *out,
	void (*product)(const int32_t *a, const int32_t *b, int32_t *c, size_t n),
	struct et_error *err)
{
	size_t n = (size_t)p->size;
	ET_AUTO_FREE int32_t *all = NULL; /* both factors and the product */
	int rc = take_numbers(program, 3 * n * n, &all, err);

	if (rc)
		return rc;
	int32_t *a = all, *b = a + n * n, *c = b + n * n;
	et_random_digits(a, n * n, p->seed);
	et_random_digits(b, n * n, p->seed + 1);
	product(a, b, c, n);
	for (size_t i = 0; i < n * n; i++)
		out->value += (uint64_t)c[i];
	snprintf(out->detail, sizeof(out->detail), "%zu x %zu integers, sum of elements %" PRIu64,
		n, n, out->value);
	return 0;
}

static int run_matc(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	return run_matrix("matc", p, out, et_matrix_by_column, err);
}

static int run_matr(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	return run_matrix("matr", p, out, et_matrix_by_row, err);
}

static int run_chase(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	size_t bytes = et_chase_bytes(), n = (size_t)p->size * 1024 / bytes;
	ET_AUTO_FREE void *memory = et_calloc(n, bytes);

	(void)err;
	out->value = et_chase(memory, n, p->seed, p->iterations);
	snprintf(out->detail, sizeof(out->detail),
		"%" PRIu64 " reads in %" PRIu64 " KiB, last line %" PRIu64, p->iterations, p->size,
		out->value);
	return 0;
}

static int run_calls(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	(void)err;
	out->value = et_calls(p->iterations);
	snprintf(out->detail, sizeof(out->detail), "%" PRIu64 " system calls", p->iterations);
	return 0;
}

static int run_pages(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	out->value = et_touch_pages((size_t)p->size * 1024, p->iterations);
	if (!out->value)
		return et_fail(err, ENOMEM, ET_EXIT_ENVIRONMENT,
			"put pages: no memory of %" PRIu64 " KiB", p->size);
	snprintf(out->detail, sizeof(out->detail), "%" PRIu64 " pages cleared", out->value);
	return 0;
}

/* Returns the iterations that were given, or as many as take --seconds. */
static uint64_t grind_iterations(const struct et_put_params *p, struct et_put_result *out)
{
	enum { OPERATIONS = 6 }; /* that depend on each other, each as long as an increment */
	const char *origin;

	if (!(p->given & ET_PUT_SECONDS))
		return p->iterations;
	double rate = inc_rate(p, out, &origin) / OPERATIONS;
	return (uint64_t)llround((double)p->seconds_ns * 1e-9 * rate);
}

uint64_t et_grind_iterations(const char *state_dir, uint64_t ns)
{
	struct et_put_params p = {
		.given = ET_PUT_SECONDS, .seconds_ns = ns, .state_dir = state_dir
	};
	struct et_put_result ignored = { 0 };

	return grind_iterations(&p, &ignored);
}

/* The smallest unit of work does not fit into what was asked for. */
static int too_little(const char *program, uint64_t have, uint64_t need, struct et_error *err)
{
	et_fail(err, EINVAL, ET_EXIT_USAGE,
		"put %s: %" PRIu64 " iterations are too few, it needs at least %" PRIu64, program,
		have, need);
	return et_hint(err, -EINVAL, "use a larger --seconds or --iterations");
}

static int run_fragment(
	const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	bool equal = p->given & ET_PUT_EQUAL_CALLS;
	uint64_t calls = (p->calls + 5) / 10 * 10, work = grind_iterations(p, out);

	if (!calls)
		calls = 10;
	/* Of ten calls with equal numbers, five make one part of the work and five make four. */
	uint64_t parts = equal ? calls / 2 * 5 : calls, per_call = (work + parts / 2) / parts;
	if (!per_call)
		return too_little("fragment", work, (parts + 1) / 2, err);
	out->value = et_fragment(calls, per_call, equal);
	snprintf(out->detail, sizeof(out->detail),
		"%" PRIu64 " calls of fn1 with %" PRIu64 " iterations, %" PRIu64
		" of fn2 with %" PRIu64,
		equal ? calls / 2 : calls / 5, per_call, equal ? calls / 2 : calls / 5 * 4,
		equal ? 4 * per_call : per_call);
	return 0;
}

static int run_triangle(
	const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	enum { PARTS = 5 + 4 + 3 + 2 + 1 };
	uint64_t work = grind_iterations(p, out), loop = PARTS * p->inner;
	uint64_t loops = (work + loop / 2) / loop;

	if (!loops)
		return too_little("triangle", work, (loop + 1) / 2, err);
	out->value = et_triangle(loops, p->inner, (p->given & ET_PUT_REVERSE) != 0);
	snprintf(out->detail, sizeof(out->detail),
		"%" PRIu64 " loops over 5 functions of 5 to 1 times %" PRIu64 " iterations", loops,
		p->inner);
	return 0;
}

static int run_nops(const struct et_put_params *p, struct et_put_result *out, struct et_error *err)
{
	int rc = et_nops(p->random, p->given & ET_PUT_ITERATIONS ? p->iterations : 0, p->seconds_ns,
		&out->value);

	if (rc)
		return et_fail_file(err, -rc, ET_EXIT_ENVIRONMENT, "/dev/urandom");
	snprintf(out->detail, sizeof(out->detail), "%" PRIu64 " calls of 256 nops, random: %s",
		out->value, et_put_random_names[p->random]);
	return 0;
}

const char *const et_put_random_names[] = { "urandom", "lcg", "constant", NULL };

/* To add a row: the work in a file of its own, man/etalon-put.1.scd. */
const struct et_workload et_workloads[] = {
	{ "inc", "a nested loop of increments, the counter in a register",
		ET_PUT_SECONDS | ET_PUT_ITERATIONS | ET_PUT_CALIBRATE | ET_PUT_REPORT,
		{ .seconds_ns = 100000000 }, 0, run_inc },
	{ "spin", "spins until its process has used --seconds of CPU time",
		ET_PUT_SECONDS | ET_PUT_WALL, { .seconds_ns = 100000000 }, 0, run_spin },
	{ "sort", "insertion sort of random integers", ET_PUT_SIZE | ET_PUT_SEED,
		{ .size = 20000, .seed = 1 }, LARGEST_SORT, run_sort },
	{ "qsort", "merge sort of random integers, --iterations times",
		ET_PUT_SIZE | ET_PUT_ITERATIONS | ET_PUT_SEED,
		{ .size = 10000, .iterations = 100, .seed = 1 }, LARGEST_SORT, run_qsort },
	{ "search", "--iterations binary searches in --size sorted integers",
		ET_PUT_SIZE | ET_PUT_ITERATIONS | ET_PUT_SEED,
		{ .size = 1000, .iterations = 1000000, .seed = 1 }, ET_LARGEST_SEARCH, run_search },
	{ "matc", "product of integer matrices, inner loop down columns", ET_PUT_SIZE | ET_PUT_SEED,
		{ .size = 400, .seed = 1 }, LARGEST_MATRIX, run_matc },
	{ "matr", "product of integer matrices, inner loop along rows", ET_PUT_SIZE | ET_PUT_SEED,
		{ .size = 400, .seed = 1 }, LARGEST_MATRIX, run_matr },
	{ "chase", "reads of which each depends on the one before, in --size KiB",
		ET_PUT_SIZE | ET_PUT_ITERATIONS | ET_PUT_SEED,
		{ .size = 24, .iterations = 10000000, .seed = 1 }, LARGEST_MEMORY, run_chase },
	{ "calls", "short system calls", ET_PUT_ITERATIONS, { .iterations = 200000 }, 0,
		run_calls },
	{ "pages", "writes to each page of fresh memory of --size KiB",
		ET_PUT_SIZE | ET_PUT_ITERATIONS, { .size = 8192, .iterations = 10 }, LARGEST_MEMORY,
		run_pages },
	{ "fragment", "two functions with 1/5 and 4/5 of the work, in --calls calls",
		ET_PUT_SECONDS | ET_PUT_ITERATIONS | ET_PUT_CALLS | ET_PUT_EQUAL_CALLS,
		{ .iterations = FRAGMENT_WORK, .calls = 1000 }, 0, run_fragment },
	{ "triangle", "five functions with 5, 4, 3, 2 and 1 fifteenths of the work",
		ET_PUT_SECONDS | ET_PUT_ITERATIONS | ET_PUT_INNER | ET_PUT_REVERSE,
		{ .iterations = TRIANGLE_WORK, .inner = 256 }, 0, run_triangle },
	{ "nops", "calls of a function of 256 nops, after a random delay",
		ET_PUT_SECONDS | ET_PUT_ITERATIONS | ET_PUT_RANDOM, { .seconds_ns = 1000000000 }, 0,
		run_nops },
#define KERNEL(name, summary)                                                                      \
	{                                                                                          \
		name, summary, ET_PUT_SIZE | ET_PUT_THREADS, { .size_class = 'S' }, 0, NULL        \
	}
	KERNEL("ep", "kernel: Gaussian random pairs, counted in annuli"),
	KERNEL("cg", "kernel: smallest eigenvalue of a sparse matrix, by conjugate gradients"),
	KERNEL("is", "kernel: integer sort by buckets"),
	KERNEL("mg", "kernel: Poisson's equation by multigrid"),
	KERNEL("ft", "kernel: diffusion by Fourier transforms in three dimensions"),
	KERNEL("bt", "kernel: implicit steps, lines of 5 x 5 blocks"),
	KERNEL("lu", "kernel: successive over-relaxation by planes"),
	KERNEL("sp", "kernel: implicit steps, lines with five diagonals"),
	KERNEL("ua", "kernel: heat on an unstructured mesh that adapts"),
	KERNEL("dc", "kernel: data cube, sums by every subset of attributes"),
#undef KERNEL
	{ 0 },
};

const struct et_workload *et_workload_find(const char *name)
{
	for (const struct et_workload *w = et_workloads; w->name; w++) {
		if (!strcmp(w->name, name))
			return w;
	}
	return NULL;
}

#define NUMBER(member) offsetof(struct et_put_params, member)
/* By the place of their bits: the name of the option, and its uint64_t; 0: it has none. */
static const struct {
	const char *name;
	size_t number;
} params[] = { { "seconds", NUMBER(seconds_ns) }, { "iterations", NUMBER(iterations) },
	{ "size", NUMBER(size) }, { "seed", NUMBER(seed) }, { "wall", 0 }, { "report", 0 },
	{ "calibrate", 0 }, { "calls", NUMBER(calls) }, { "equal-calls", 0 },
	{ "inner", NUMBER(inner) }, { "reverse", 0 }, { "random", 0 }, { "threads", 0 } };

const char *et_put_param_name(enum et_put_param param)
{
	return params[__builtin_ctz(param)].name;
}

static int check_size(
	const struct et_workload *w, const struct et_put_params *given, struct et_error *err)
{
	if (!(given->given & ET_PUT_SIZE))
		return 0;
	if (!w->run && !given->size_class)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"put %s: --size: it is a letter: S, W, A, B or C", w->name);
	if (w->run && given->size_class)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"put %s: --size: '%c' is not a whole number", w->name, given->size_class);
	if (w->run && (given->size < 1 || given->size > w->largest_size))
		return et_fail(err, ERANGE, ET_EXIT_USAGE,
			"put %s: --size: %" PRIu64 " is not between 1 and %" PRIu64, w->name,
			given->size, w->largest_size);
	return 0;
}

int et_workload_check(
	const struct et_workload *w, const struct et_put_params *given, struct et_error *err)
{
	for (unsigned bit = 1; bit <= ET_PUT_LAST; bit <<= 1) {
		if (given->given & bit & ~w->takes)
			return et_refuse(err,
				"run 'etalon put --list' to see the options of each program",
				"put %s takes no --%s", w->name, et_put_param_name(bit));
	}
	if ((given->given & ET_PUT_ITERATIONS) &&
		(given->given & (ET_PUT_SECONDS | ET_PUT_CALIBRATE)))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"put %s: --iterations cannot be combined with --seconds or --calibrate",
			w->name);
	return check_size(w, given, err);
}

int et_workload_run(const struct et_workload *w, const struct et_put_params *given,
	struct et_put_result *out, struct et_error *err)
{
	struct et_put_params p = w->defaults;
	struct et_put_result result = { 0 };
	int rc = et_workload_check(w, given, err);

	if (rc)
		return rc;
	p.given = given->given;
	p.state_dir = given->state_dir;
	p.mark = given->mark;
	p.mark_ctx = given->mark_ctx;
	for (size_t i = 0; i < ET_LENGTH(params); i++) {
		size_t at = params[i].number;
		if (at && given->given >> i & 1)
			memcpy((char *)&p + at, (const char *)given + at, sizeof(uint64_t));
	}
	p.random = given->random;
	rc = w->run(&p, &result, err);
	if (rc == 0)
		*out = result;
	return rc;
}
