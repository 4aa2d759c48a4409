/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "put/alone.h"
#include "fragment_source.h"
#include "triangle_source.h"

const struct et_alone et_alone_programs[] = {
	{ "fragment", fragment_source },
	{ "triangle", triangle_source },
	{ NULL, NULL },
};
