/* SPDX-License-Identifier: MIT */
/*
 * Memory for the tool. These functions never return NULL: if memory runs out, they call
 * et_out_of_memory. libetalon must not use them, except in its main function for benchmark
 * programs.
 */
#pragma once

#include "base/attr.h"

#include <stdarg.h>

/*
 * Prints "out of memory", calls the rescue function and ends the program with status 4. This loses
 * only the few samples that are not in the store yet.
 */
_Noreturn void et_out_of_memory(void);

/*
 * Sets the function that et_out_of_memory calls, for instance to restore the machine; NULL: none. A
 * reserve of memory is set aside for it and released before the call. If memory runs out during the
 * call too, the program ends at once.
 */
typedef void (*et_rescue)(void);
void et_alloc_set_rescue(et_rescue rescue);

void *et_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *et_calloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *et_realloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *et_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *et_strndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
/*
 * Appends `between` and the formatted text to *text, which it reallocates. If *text is NULL, makes
 * it the formatted text alone.
 */
void et_append(char **text, const char *between, const char *fmt, ...) ET_PRINTF(3, 4);
char *et_asprintf(const char *fmt, ...) __attribute__((malloc, returns_nonnull)) ET_PRINTF(1, 2);
char *et_vasprintf(const char *fmt, va_list ap) __attribute__((malloc, returns_nonnull))
ET_PRINTF(1, 0);

/* Doubles the array if it is full. n is its length, cap the number of elements it has room for. */
#define ET_GROW(array, n, cap)                                                                     \
	do {                                                                                       \
		if ((n) >= (cap)) {                                                                \
			(cap) = (cap) ? 2 * (cap) : 16;                                            \
			(array) = et_realloc((array), (cap), sizeof(*(array)));                    \
		}                                                                                  \
	} while (0)
