/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Procedures A and B do the same and have code of their own, as those of Figure 9.13 of Bryant &
 * O'Hallaron. They, and the functions that read the counter, are in pages of their own, so that
 * loading one into the instruction cache loads none of the others.
 */
#pragma once

#include <stddef.h>

enum { ET_PROCEDURE_DOUBLES = 8 }; /* one cache line */

/*
 * Halves eight doubles. The chapter's procedures store zeros; the store buffer of today's
 * processors hides how long that takes, so these must load the data.
 */
typedef void et_procedure(double *p);
et_procedure et_procedure_a, et_procedure_b;

/* Returns the ticks of one call, as the chapter's start_counter() and get_counter() measure it. */
double et_procedure_ticks(et_procedure *procedure, double *p);

/* Memory of which one byte per cache line is read; the argument of the functions below. */
struct et_procedure_data {
	const char *start;
	size_t bytes;
};

/* Read a struct et_procedure_data. */
void et_procedure_read_a(void *data);
void et_procedure_read_b(void *data);
