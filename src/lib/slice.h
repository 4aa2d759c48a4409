/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long this thread may run before others have their turn. Since Linux 6.12 (EEVDF) a thread
 * of the usual policy may ask for slices of up to 100 ms, without any privilege: its share of the
 * CPU stays what it is, it only comes in larger pieces. A function that fits into one is timed on a
 * crowded CPU as on an idle one.
 */
#ifndef ET_LIB_SLICE_H
#define ET_LIB_SLICE_H

#include <stdint.h>

struct et_slice {
	uint64_t before_ns; /* 0: nothing was changed */
};

/* Asks for the longest; nothing happens on an older kernel and under another policy. */
void et_slice_lengthen(struct et_slice *s);
void et_slice_restore(const struct et_slice *s);
/* The present one; 0: the kernel does not tell. */
uint64_t et_slice_ns(void);

#endif
