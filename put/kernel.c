/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the kernels, and the verification of their results. */
#include "put/kernel.h"
#include "put/kernel_work.h"

/*
 * The relative difference to the known value that the C library explains: its functions differ in
 * their last bits from one machine to the next.
 */
static const double tolerance = 1e-9;

const char et_kernel_letters[] = "SWABC";

/*
 * To add a row: a file kernel_NAME.c, its declaration in kernel_work.h, a row in workload.c,
 * man/etalon-put.1.scd.
 */
const struct et_put_kernel et_kernels[] = {
	{ "ep", et_kernel_ep,
		{ 1341445.18438934, 5366974.4062694, 42921527.894041, 343332141.970626,
			2746701270.48524 } },
	{ "cg", et_kernel_cg,
		{ 2.00993134670344, 5.00990344324032, 7.51001359997589, 7.51005297809081,
			10.0100719823736 } },
	{ "is", et_kernel_is,
		{ 81889378574526, 700764538018536, 593100012587049, 231106534807236,
			432542998486079 } },
	{ "mg", et_kernel_mg,
		{ 7.532187130506511, 11.20140385432553, 40.95505571577492, 53.5849351089911,
			53.60518083376054 } },
	{ "ft", et_kernel_ft,
		{ 10304.33218365836, 5073.188607770259, 5089.44752732813, 4087.109388356427,
			20465.84821299143 } },
	{ "bt", et_kernel_bt,
		{ 0.9045676713951322, 1.043001177850285, 1.356089731103241, 1.94374090369849,
			4.40294381598555 } },
	{ "lu", et_kernel_lu,
		{ 6862.822656130283, 23163.51545903899, 106875.3785103063, 437379.6921017715,
			1475228.36766362 } },
	{ "sp", et_kernel_sp,
		{ 4.430777255017135, 4.997290313672734, 11.1897257297871, 33.16961895150045,
			84.07229586177866 } },
	{ "ua", et_kernel_ua,
		{ 4594.196290591475, 25801.16129723913, 377903.7667492355, 2317642.420314312,
			72628395.76389593 } },
	{ "dc", et_kernel_dc,
		{ 258278815194518, 659943746321600, 1093843016141898, 232399526468542,
			538909995412465 } },
	{ 0 },
};

const struct et_put_kernel *et_kernel_find(const char *name)
{
	for (const struct et_put_kernel *k = et_kernels; k->name; k++) {
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

bool et_kernel_verify(const struct et_put_kernel *k, enum et_kernel_class size,
	const struct et_kernel_result *r, char *why, size_t n)
{
	double expected = k->expected[size];

	if (!(r->error <= r->limit)) { /* a NaN is an error, too */
		snprintf(why, n, "%s is %.3g, at most %.3g is right", r->check, r->error, r->limit);
		return false;
	}
	if (!(fabs(r->value - expected) <= tolerance * fabs(expected))) {
		snprintf(why, n, "the result is %.16g, not %.16g", r->value, expected);
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
