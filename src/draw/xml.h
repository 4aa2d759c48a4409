/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text and numbers for XML, HTML and CSV: any text is safe; numbers do not depend on the locale. */
#pragma once

#include "base/base.h"

/* Writes text for content or quoted attributes: cleaned (et_clean) and escaped. */
void et_xml_text(FILE *out, const char *text);
/* Formats a text and writes it in the same way; the arguments may be untrusted. */
void et_xml_printf(FILE *out, const char *fmt, ...) ET_PRINTF(2, 3);
/* Writes a coordinate with at most two decimals, limited to ±1e6; 0 if it is not finite. */
void et_xml_number(FILE *out, double x);
/* Writes a text in which each % is the next coordinate, which must be a double. */
void et_xml_coordinates(FILE *out, const char *fmt, ...);

/*
 * A text as a cell of CSV (RFC 4180). If a spreadsheet would take it for a formula (=+-@, tab), it
 * gets an apostrophe in front; control characters but line feed and tab become pictures.
 */

/* Writes one cell; NULL is an empty one. */
void et_csv_text(const char *text, FILE *out);
