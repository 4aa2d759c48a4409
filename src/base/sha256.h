/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4). To begin, call et_sha256_begin. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct et_sha256 {
	uint32_t state[8];
	uint64_t n; /* bytes so far */
	unsigned char block[64];
};

/* The hexadecimal digits of a hash, and a NUL. */
enum { ET_SHA256_TEXT = 65 };

void et_sha256_begin(struct et_sha256 *s);
void et_sha256_add(struct et_sha256 *s, const void *bytes, size_t n);
void et_sha256_end(struct et_sha256 *s, char out[ET_SHA256_TEXT]);
