/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that fill a field of the model, and have its range (model/experiment/field.h). */
#pragma once

#include "base/option.h"
#include "model/experiment/field.h"

struct et_field_ref {
	const struct et_field *fields;
	const char *name;
};

/* In a row of options: the member that has the field, the table of its fields, the field's name. */
#define ET_FILLS_FIELD(type, member, table, field)                                                 \
	ET_FILLS(type, member), .context = &(const struct et_field_ref)                            \
	{                                                                                          \
		table, field                                                                       \
	}

/* A whole number. A row with hi narrows the field's range to lo and hi, and cannot widen it. */
et_option_set et_set_field_number;
et_option_set et_set_field_ratio; /* "0.5%" or "0.005" */

/* An int, of et_metric_options; the choices are et_metric_words. */
et_option_set et_set_metric;
