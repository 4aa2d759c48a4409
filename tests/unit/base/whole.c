/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/whole.h"
#include "tap.h"

#include <float.h>

int main(void)
{
	static const struct {
		double x;
		int want;
	} ints[] = { { 0, 0 }, { 2.9, 2 }, { -2.9, -2 }, { 999999999, 999999999 },
		{ 3e9, 1000000000 }, { -3e9, -1000000000 }, { DBL_MAX, 1000000000 },
		{ INFINITY, 1000000000 }, { -INFINITY, -1000000000 }, { NAN, 0 } };
	static const struct {
		double x;
		uint64_t want;
	} counts[] = { { 0, 0 }, { 0.9, 0 }, { -1, 0 }, { 7.5, 7 }, { 9e18, 9000000000000000000u },
		{ 9223372036854775808.0, INT64_MAX }, { 1e300, INT64_MAX }, { INFINITY, INT64_MAX },
		{ -INFINITY, 0 }, { NAN, 0 } };

	for (size_t i = 0; i < sizeof(ints) / sizeof(*ints); i++)
		ok(et_int(ints[i].x) == ints[i].want, "int: %g becomes %d", ints[i].x,
			ints[i].want);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		ok(et_u64(counts[i].x) == counts[i].want, "count: %g becomes %llu", counts[i].x,
			(unsigned long long)counts[i].want);
	return tap_done();
}
