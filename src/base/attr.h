/* SPDX-License-Identifier: MIT */
/* Compiler attributes, and variables that are freed or closed at the end of their scope. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ET_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
/* Marks every function that can fail: ignoring its result is a compiler warning. */
#define ET_CHECK __attribute__((warn_unused_result))
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
