/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ranges of functions from .eh_frame, which stripped files keep because exceptions need it. The
 * format is described in the Linux Standard Base, "Exception Frames", and in DWARF 5, section 6.4.
 */
#pragma once

#include "profile/symbols/symbols.h"

struct et_frames {
	const unsigned char *bytes; /* of the section */
	size_t size;
	uint64_t address; /* of the section */
	bool wide;        /* addresses have 8 bytes */
	bool big_endian;
};

/* Adds each range as a symbol without a name (ET_SYMBOL_RANGE). Damaged entries are omitted. */
void et_frames_ranges(const struct et_frames *f, struct et_symbols *out);
