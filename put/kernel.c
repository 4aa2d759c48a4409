/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the kernels, and the verification of their results. */
#include "put/kernel.h"
#include "put/kernel_work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * The relative difference to the known value that the C library explains: its functions differ in
 * their last bits from one machine to the next.
 */
static const double tolerance = 1e-9;

const char et_kernel_letters[] = "SWABC";

const struct et_kernel et_kernels[] = {
	{ "ep", et_kernel_ep,
		{ 1341445.18438934, 5366974.4062694, 42921527.894041, 343332141.970626,
			2746701270.48524 } },
	{ "cg", et_kernel_cg,
		{ 2.00993134670344, 5.00990344324032, 7.51001359997589, 7.51005297809081,
			10.0100719823736 } },
	{ "is", et_kernel_is,
		{ 81889378574526, 700764538018536, 593100012587049, 231106534807236,
			432542998486079 } },
	{ 0 },
};

const struct et_kernel *et_kernel_find(const char *name)
{
	for (const struct et_kernel *k = et_kernels; k->name; k++) {
		if (!strcmp(k->name, name))
			return k;
	}
	return NULL;
}

enum et_kernel_class et_kernel_class_find(const char *letter)
{
	const char *at = *letter && !letter[1] ? strchr(et_kernel_letters, *letter) : NULL;

	return at ? (enum et_kernel_class)(at - et_kernel_letters) : ET_CLASSES;
}

bool et_kernel_verify(const struct et_kernel *k, enum et_kernel_class size,
	const struct et_kernel_result *r, char *why, size_t n)
{
	double expected = k->expected[size];

	if (!(r->error <= r->limit)) { /* a NaN is an error, too */
		snprintf(why, n, "%s is %.3g, at most %.3g is right", r->check, r->error, r->limit);
		return false;
	}
	if (!(fabs(r->value - expected) <= tolerance * fabs(expected))) {
		snprintf(why, n, "the result is %.15g, not %.15g", r->value, expected);
		return false;
	}
	return true;
}

double et_dot(const double *a, const double *b, size_t n)
{
	double parts[ET_PARTS], sum = 0;

#pragma omp parallel for schedule(static)
	for (unsigned p = 0; p < ET_PARTS; p++) {
		double part = 0;
		for (size_t i = et_part_begin(n, p), end = et_part_begin(n, p + 1); i < end; i++)
			part += a[i] * b[i];
		parts[p] = part;
	}
	for (unsigned p = 0; p < ET_PARTS; p++)
		sum += parts[p];
	return sum;
}
