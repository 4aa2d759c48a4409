/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unsigned subtraction does not wrap, and figures beyond INT64_MAX keep their order. */
#include "base/u64.h"
#include "tap.h"

#include <stdlib.h>

int main(void)
{
	uint64_t list[] = { UINT64_MAX, 3, 0, UINT64_C(1) << 63, 3, 1 };
	static const uint64_t sorted[] = { 0, 1, 3, 3, UINT64_C(1) << 63, UINT64_MAX };

	ok(et_minus_u64(5, 3) == 2, "5 - 3 is 2");
	ok(et_minus_u64(3, 5) == 0, "3 - 5 is 0 instead of a wrapped number");
	ok(et_minus_u64(5, 5) == 0, "5 - 5 is 0");
	ok(et_minus_u64(UINT64_MAX, 1) == UINT64_MAX - 1, "the largest number minus 1");
	qsort(list, sizeof(list) / sizeof(list[0]), sizeof(list[0]), et_ascending_u64);
	ok(!memcmp(list, sorted, sizeof(list)), "qsort puts small and very large numbers in order");
	return tap_done();
}
