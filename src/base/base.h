/* SPDX-License-Identifier: MIT */
/*
 * Nearly every file uses what is here: headers of the C library, compiler attributes, variables
 * that are freed or closed at the end of their scope, and memory. Other files of etalon do not
 * include what is included here.
 */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ET_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
/* Marks every function that can fail: ignoring its result is a compiler warning. */
#define ET_CHECK __attribute__((warn_unused_result))
#define ET_UNUSED __attribute__((unused)) /* a parameter that an interface demands */
#define ET_CLEANUP(fn) __attribute__((cleanup(fn)))
#define ET_LENGTH(array) (sizeof(array) / sizeof((array)[0]))
/* For qsort: below 0 if a comes first, 0 if they are equal. "?:" then looks at a second member. */
#define ET_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* The value of a figure that is unknown. It is written as null, never as a number. */
#define ET_UNKNOWN UINT64_MAX

static inline void et_cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void et_cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void et_cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define ET_AUTO_FREE ET_CLEANUP(et_cleanup_free)
#define ET_AUTO_CLOSE ET_CLEANUP(et_cleanup_close)
#define ET_AUTO_FCLOSE ET_CLEANUP(et_cleanup_fclose)

/* --- memory --- */

/*
 * Memory for the tool. These functions never return NULL: if memory runs out, they call
 * et_out_of_memory. libetalon must not use them, except in its main function for benchmark
 * programs.
 */

/* Prints "out of memory", calls the rescue function, exits with status 4: few samples are lost. */
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
/* Appends `between` and the text to *text, which it reallocates; to NULL, the text alone. */
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
