/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records in little memory, derived from a table of fields. Records are stored by columns: each
 * column has its smallest value and, per record, the difference from it in as few bytes as the
 * largest difference of the column needs. A column whose values are all equal takes no bytes per
 * record, and every record can be read without reading others. Members that are not in the table
 * of fields are lost.
 */
#pragma once

#include "model/experiment/field.h"

struct et_packed;

/*
 * Packs n records; the first is at `records` and the next begins stride bytes later. The table may
 * have fields of all kinds but ET_FIELD_STRING; a text is packed up to its NUL. The caller frees
 * the result.
 */
struct et_packed *et_pack(
	const struct et_field *fields, const void *records, size_t stride, size_t n);

/* Writes the fields of record i. */
void et_unpack(const struct et_packed *p, const struct et_field *fields, size_t i, void *record);
/* The same, if the struct holds another record of p: writes only the fields that vary. */
void et_unpack_next(
	const struct et_packed *p, const struct et_field *fields, size_t i, void *record);
