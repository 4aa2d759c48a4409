/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A text as a cell of CSV, quoted as in RFC 4180. A text that a spreadsheet would take for a
 * formula (it begins with one of "=+-@" or a tab) gets an apostrophe in front; control characters
 * other than line feed and tab are replaced by their Unicode control pictures.
 */
#pragma once

#include <stdio.h>

/* Writes one cell; NULL is an empty one. */
void et_csv_text(const char *text, FILE *out);
