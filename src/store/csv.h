/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of CSV (RFC 4180; also with semicolons or tabs) out of a span of bytes. Lines that begin
 * with # and empty lines are skipped. Knows nothing of what the cells mean. Private to src/store.
 */
#ifndef ET_STORE_CSV_H
#define ET_STORE_CSV_H

#include "base/attr.h"

#include <stdbool.h>

enum { ET_CSV_MOST_COLUMNS = 1000, ET_CSV_MOST_TEXT = 1 << 20 };

struct et_csv {
	const char *p, *end; /* what is still to be read */
	size_t line;         /* of the row that was read last, from 1 */
	size_t next_line;
	char separator;
	const char *problem; /* what is wrong with the row, where reading failed */
	char *text;          /* the cells of the row, one behind the other */
	size_t n_text, cap_text;
	size_t cells[ET_CSV_MOST_COLUMNS]; /* where each begins in text */
	size_t n_cells;
};

/* The first of the usual separators on the first line that counts. */
void et_csv_find_separator(struct et_csv *c);
/* 1 with a row, 0 at the end, -EINVAL with the problem. */
int et_csv_row(struct et_csv *c) ET_CHECK;
/* The text of a cell; empty where the row is shorter. */
const char *et_csv_cell(const struct et_csv *c, size_t i);
void et_csv_free(struct et_csv *c); /* what it owns */

#endif
