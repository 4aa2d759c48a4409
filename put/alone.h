/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sources of fragment and triangle as programs of their own, which a compiler instruments for
 * gprof. They need -DET_ALONE.
 */
#pragma once

#include <stddef.h>

struct et_put_alone {
	const char *name; /* of the program under test; NULL ends the table */
	const char *source;
};

extern const struct et_put_alone et_alone_programs[];
