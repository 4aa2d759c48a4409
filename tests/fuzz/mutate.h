/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mutations of inputs. A mutant is a pure function of the corpus, the seed and its number. */
#pragma once

#include "fuzz.h"

struct fuzz_input {
	char *data;
	size_t size;
	char *name; /* of its file */
};

struct fuzz_corpus {
	struct fuzz_input *list;
	size_t n, cap;
};

enum { FUZZ_LARGEST = 1 << 20 };

/* Writes mutant i into buf, which has FUZZ_LARGEST bytes, and returns its size. */
size_t fuzz_mutate(const struct fuzz_target *t, const struct fuzz_corpus *c, uint64_t seed,
	uint64_t i, char *buf);
