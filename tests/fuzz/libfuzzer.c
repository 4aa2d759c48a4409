/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entry for clang's libFuzzer (-fsanitize=fuzzer). $FUZZ_TARGET names the target. */
#include "fuzz.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	(void)argc;
	(void)argv;
	target = name ? fuzz_find(name) : NULL;
	if (!target) {
		fprintf(stderr, "FUZZ_TARGET names no target\n");
		exit(2);
	}
	setlocale(LC_CTYPE, "C.UTF-8");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	target->run(data, size);
	return 0;
}
