/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each kernel verifies its result, with any number of threads, and finds a number that was changed
 * in the middle of its work.
 */
#include "put/kernel.h"
#include "put/kernel_work.h"
#include "put/put.h"
#include "tap.h"

#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static void use_threads(int n)
{
#ifdef _OPENMP
	omp_set_num_threads(n);
#else
	(void)n;
#endif
}

static void test_kernel(const struct et_put_kernel *k)
{
	struct et_kernel_result r = { 0 }, one = { 0 };
	char why[160] = "";

	for (int threads = 1; threads <= 4; threads *= 2) {
		use_threads(threads);
		k->run(ET_CLASS_S, false, &r);
		if (threads == 1)
			one = r;
		ok(et_kernel_verify(k, ET_CLASS_S, &r, why, sizeof(why)),
			"%s: the result of %d threads is right", k->name, threads);
		ok(r.value == one.value && r.error == one.error,
			"%s: %d threads have the result of one, to the last bit", k->name, threads);
	}
	use_threads(2);
	k->run(ET_CLASS_S, true, &r);
	ok(!et_kernel_verify(k, ET_CLASS_S, &r, why, sizeof(why)) && why[0],
		"%s: a changed number is found", k->name);
}

static void test_verification(void)
{
	const struct et_put_kernel *k = et_kernels;
	struct et_kernel_result r = {
		.value = k->expected[ET_CLASS_S], .limit = 1, .check = "the error"
	};
	char why[160] = "";

	ok(et_kernel_verify(k, ET_CLASS_S, &r, why, sizeof(why)) && !why[0],
		"verification: the known value without an error is right");
	r.error = 1.5;
	ok(!et_kernel_verify(k, ET_CLASS_S, &r, why, sizeof(why)) &&
			!strcmp(why, "the error is 1.5, at most 1 is right"),
		"verification: an error above its limit is wrong");
	r.error = NAN;
	ok(!et_kernel_verify(k, ET_CLASS_S, &r, why, sizeof(why)),
		"verification: an error that is not a number is wrong");
	r.error = 0;
	r.value *= 1 + 1e-6;
	ok(!et_kernel_verify(k, ET_CLASS_S, &r, why, sizeof(why)) && strstr(why, "the result is"),
		"verification: another value is wrong");
	r.value = NAN;
	ok(!et_kernel_verify(k, ET_CLASS_S, &r, why, sizeof(why)),
		"verification: a value that is not a number is wrong");
	ok(!et_kernel_verify(k, ET_CLASS_W, &r, why, sizeof(why)),
		"verification: each size has its own value");
}

static void test_names(void)
{
	ok(et_kernel_class_find("S") == ET_CLASS_S && et_kernel_class_find("C") == ET_CLASS_C,
		"sizes: they are found by their letters");
	ok(et_kernel_class_find("") == ET_CLASSES && et_kernel_class_find("SW") == ET_CLASSES &&
			et_kernel_class_find("D") == ET_CLASSES,
		"sizes: other texts are none");
	ok(!et_kernel_find("nosuch"), "kernels: an unknown name is none");
}

/* The parts cover all elements once, whatever their number. */
static void test_parts(void)
{
	static const size_t sizes[] = { 0, 1, 127, 128, 129, 1000, 1 << 20 };
	bool right = true;

	for (size_t i = 0; i < ET_LENGTH(sizes); i++) {
		right = right && et_part_begin(sizes[i], 0) == 0 &&
			et_part_begin(sizes[i], ET_PARTS) == sizes[i];
		for (unsigned p = 0; p < ET_PARTS; p++)
			right = right &&
				et_part_begin(sizes[i], p) <= et_part_begin(sizes[i], p + 1);
	}
	ok(right, "parts: they cover every element once");
}

int main(void)
{
	test_parts();
	test_names();
	test_verification();
	for (const struct et_put_kernel *k = et_kernels; k->name; k++)
		test_kernel(k);
	return tap_done();
}
