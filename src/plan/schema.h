/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON Schema of plan files, for editors; made of the tables that read them. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>

/* An option of `run` that a plan can set. */
struct et_plan_schema_option {
	const char *name, *help;
	const char *const *choices; /* NULL-terminated; or NULL */
	bool flag;                  /* it is given or not */
};

struct et_plan_schema {
	const struct et_plan_schema_option *options;
	size_t n_options;
};

void et_plan_write_schema(FILE *out, const struct et_plan_schema *s);
