/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target that fails on request, for the test of the drivers. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static bool is(const uint8_t *data, size_t size, const char *word)
{
	return size >= strlen(word) && !memcmp(data, word, strlen(word));
}

static int fuzz_self(const uint8_t *data, size_t size)
{
	char *volatile p = NULL;

	if (is(data, size, "crash"))
		*p = 1;
	if (is(data, size, "check"))
		FUZZ_CHECK(!is(data, size, "check"));
	if (is(data, size, "exit"))
		_exit(4);
	while (is(data, size, "hang"))
		p = NULL;
	if (is(data, size, "leak")) {
		p = malloc(4321);
		memset(p, 1, 4321);
		p = NULL;
	}
	if (is(data, size, "memory")) {
		size_t most = (size_t)1200 << 20;
		p = malloc(most);
		for (size_t i = 0; p && i < most; i += 4096)
			((volatile char *)p)[i] = 1;
		free(p);
	}
	return 1;
}

FUZZ_TARGET(self) = { "self", fuzz_self, 100, .input = "the name of a failure",
	.holds = "the driver finds it" };
