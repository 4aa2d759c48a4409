/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counters of a sample by name, in the order in which reports write them. */
#ifndef ET_REPORT_FIELD_H
#define ET_REPORT_FIELD_H

#include "model/sample.h"

struct et_field {
	const char *name;
	size_t offset;
};

extern const struct et_field et_fields[]; /* ends with name NULL */
extern const size_t et_fields_of_time;    /* so many at the beginning: times and memory */

static inline uint64_t et_field_value(const struct et_sample *s, const struct et_field *f)
{
	return *(const uint64_t *)((const char *)s + f->offset);
}

#endif
