/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of NIST TN 1826, section 7 (val1): five functions with 5, 4, 3, 2 and 1 parts of the
 * work, called in turn. Compiled alone with -DET_ALONE it is a program: triangle LOOPS INNER
 * REVERSE.
 */
#include "put/grind.h"

uint64_t et_triangle(uint64_t loops, uint64_t inner, int reverse);

#define LEAF(number, parts)                                                                        \
	ET_KEPT static uint64_t function##number(uint64_t x, uint64_t inner)                       \
	{                                                                                          \
		return et_grind(x, (parts)*inner);                                                 \
	}
LEAF(1, 5)
LEAF(2, 4)
LEAF(3, 3)
LEAF(4, 2)
LEAF(5, 1)

uint64_t et_triangle(uint64_t loops, uint64_t inner, int reverse)
{
	uint64_t x = 88172645463325252u; /* Marsaglia's seed */

	for (uint64_t i = 0; !reverse && i < loops; i++) {
		x = function1(x, inner);
		x = function2(x, inner);
		x = function3(x, inner);
		x = function4(x, inner);
		x = function5(x, inner);
	}
	for (uint64_t i = 0; reverse && i < loops; i++) {
		x = function5(x, inner);
		x = function4(x, inner);
		x = function3(x, inner);
		x = function2(x, inner);
		x = function1(x, inner);
	}
	return x;
}

#ifdef ET_ALONE
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	return et_triangle(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10),
		       argv[3][0] == '1') == 0;
}
#endif
