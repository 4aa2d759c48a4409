/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "put/alone.h"
#include "put/fragment_source.inc"
#include "put/triangle_source.inc"

const struct et_put_alone et_alone_programs[] = {
	{ "fragment", fragment_source },
	{ "triangle", triangle_source },
	{ NULL, NULL },
};
