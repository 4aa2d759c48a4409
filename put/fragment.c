/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of NIST TN 1826, section 5: two functions with the same work, of which the second is
 * called four times as often. The same total work is divided among more or fewer calls. Compiled
 * alone with -DET_ALONE it is a program: fragment CALLS ITERATIONS EQUAL.
 */
#include "put/grind.h"

uint64_t et_fragment(uint64_t calls, uint64_t per_call, int equal_calls);

ET_KEPT static uint64_t fn1(uint64_t x, uint64_t iterations)
{
	return et_grind(x, iterations);
}

ET_KEPT static uint64_t fn2(uint64_t x, uint64_t iterations)
{
	return et_grind(x, iterations);
}

uint64_t et_fragment(uint64_t calls, uint64_t per_call, int equal_calls)
{
	const int of_fn1 = equal_calls ? 5 : 2;
	const uint64_t of_fn2 = equal_calls ? 4 * per_call : per_call; /* iterations of a call */
	uint64_t x = 88172645463325252u;                               /* Marsaglia's seed */

	for (uint64_t done = 0; done < calls; done += 10) {
		for (int i = 0; i < of_fn1; i++)
			x = fn1(x, per_call);
		for (int i = of_fn1; i < 10; i++)
			x = fn2(x, of_fn2);
	}
	return x;
}

#ifdef ET_ALONE
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	return et_fragment(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10),
		       argv[3][0] == '1') == 0;
}
#endif
