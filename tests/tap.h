/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TAP for unit tests. Checks are counted; doubles are compared by relative and absolute error. */
#pragma once

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 4, 5))) static inline bool tap_ok(
	bool pass, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", pass ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!pass) {
		tap_failed++;
		printf("# at %s:%d\n", file, line);
	}
	fflush(stdout);
	return pass;
}

#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)

/* |got - want| <= abs + rel * |want|; NaN equals NaN. */
#define near(got, want, rel, abs, ...)                                                             \
	do {                                                                                       \
		double g_ = (got), w_ = (want);                                                    \
		bool p_ = (isnan(g_) && isnan(w_)) || g_ == w_ ||                                  \
			  fabs(g_ - w_) <= (abs) + (rel)*fabs(w_);                                 \
		if (!tap_ok(p_, __FILE__, __LINE__, __VA_ARGS__))                                  \
			printf("# got %.17g, want %.17g\n", g_, w_);                               \
	} while (0)

#define is_str(got, want, ...)                                                                     \
	do {                                                                                       \
		const char *g_ = (got), *w_ = (want);                                              \
		bool p_ = g_ && w_ ? !strcmp(g_, w_) : g_ == w_;                                   \
		if (!tap_ok(p_, __FILE__, __LINE__, __VA_ARGS__))                                  \
			printf("# got '%s', want '%s'\n", g_ ? g_ : "(null)", w_ ? w_ : "(null)"); \
	} while (0)

/* Ends the program: nothing after this point could be tested. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void tap_bail(const char *fmt, ...)
{
	va_list ap;

	printf("Bail out! ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	exit(1);
}

#define skip(reason) printf("ok %d # SKIP %s\n", ++tap_count, reason)

static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}
