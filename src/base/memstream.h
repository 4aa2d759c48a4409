/* SPDX-License-Identifier: MIT */
/*
 * Text that is written to a stream in memory. If memory runs out, the program ends as et_alloc ends
 * it, so the text is never cut off. open_memstream(3) does not guarantee that: in glibc neither
 * ferror nor fclose reports that its buffer could not grow.
 *
 *	struct et_memstream s;
 *	FILE *out = et_memstream_open(&s);
 *	fprintf(out, …);
 *	char *text = et_memstream_close(&s);
 */
#pragma once

#include "base/base.h"

/* It must stay at its address until it is closed. */
struct et_memstream {
	FILE *out;
	char *text;
	size_t n, cap; /* bytes written, and room for them */
};

/* Returns the stream to write to; never NULL. */
FILE *et_memstream_open(struct et_memstream *s) __attribute__((returns_nonnull));
/* Closes the stream and returns the text, "" if nothing was written. The caller frees it. */
char *et_memstream_close(struct et_memstream *s) __attribute__((returns_nonnull)) ET_CHECK;
