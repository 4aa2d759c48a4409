/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libetalon: timing inside a program, with the clock that `etalon run` uses outside it.
 * Plain C99 to C++20. Link with -letalon (pkg-config etalon).
 */
#ifndef ETALON_ETALON_H
#define ETALON_ETALON_H

#include <stdint.h>

#ifdef __GNUC__
#define ETALON_API __attribute__((visibility("default")))
#else
#define ETALON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, such as "0.1.0". Static; do not free. */
ETALON_API const char *et_version(void);

/*
 * A stopwatch: monotonic wall time, not bent by changes of the system's date. It allocates nothing
 * and needs no end. Set it by et_stopwatch_start; its members are the library's.
 */
struct et_stopwatch {
	uint64_t start_ns;
};

ETALON_API void et_stopwatch_start(struct et_stopwatch *watch);
/* Nanoseconds since the start. It goes on running: read it as often as you like. */
ETALON_API uint64_t et_stopwatch_ns(const struct et_stopwatch *watch);

#ifdef __cplusplus
}
#endif

#endif
