/* SPDX-License-Identifier: MIT */
/* The same as primes.c, after a change that made it slower. */
#include <stdio.h>

#define STEP 1

static int is_prime(unsigned n)
{
	if (n % 2 == 0)
		return n == 2;
	for (unsigned d = 3; d * d <= n; d += STEP) {
		if (n % d == 0)
			return 0;
	}
	return n > 1;
}

int main(void)
{
	unsigned count = 0;

	for (unsigned n = 0; n < 200000; n++)
		count += is_prime(n);
	printf("%u\n", count);
	return 0;
}
