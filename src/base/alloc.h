/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for the tool: running out of it ends the program (finished samples are already durable).
 * libetalon does not use this.
 */
#ifndef ET_BASE_ALLOC_H
#define ET_BASE_ALLOC_H

#include "base/attr.h"

void *et_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *et_calloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *et_realloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *et_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *et_strndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
/* Makes *text (NULL: nothing yet) longer by another part, with `between` before it. */
void et_append(char **text, const char *between, const char *fmt, ...) ET_PRINTF(3, 4);
char *et_asprintf(const char *fmt, ...) __attribute__((malloc, returns_nonnull)) ET_PRINTF(1, 2);

/* Makes room for one more element behind *array, doubling; n is the present length. */
#define ET_GROW(array, n, cap)                                                                     \
	do {                                                                                       \
		if ((n) >= (cap)) {                                                                \
			(cap) = (cap) ? 2 * (cap) : 16;                                            \
			(array) = et_realloc((array), (cap), sizeof(*(array)));                    \
		}                                                                                  \
	} while (0)

#endif
