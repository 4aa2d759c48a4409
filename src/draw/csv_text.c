/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/csv_text.h"
#include "base/alloc.h"
#include "draw/terminal.h"

#include <stdbool.h>
#include <string.h>

/*
 * Spreadsheets take a cell for a formula if it begins with one of these, also in their full-width
 * forms (U+FF1D and so on).
 */
static bool is_formula(const char *text)
{
	static const char *const wide[] = { "＝", "＋", "－", "＠" };

	for (size_t i = 0; i < ET_LENGTH(wide); i++) {
		if (!strncmp(text, wide[i], strlen(wide[i])))
			return true;
	}
	return *text && strchr("=+-@\t", *text);
}

void et_csv_text(const char *text, FILE *out)
{
	ET_AUTO_FREE char *clean = et_clean(text ? text : "", "\n\t");
	bool formula = is_formula(clean);

	/* Some spreadsheets separate cells by semicolons or tabs. */
	if (!formula && !strpbrk(clean, ",\"\n;\t")) {
		fputs(clean, out);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	for (const char *p = clean; *p; p++) {
		if (*p == '"')
			putc('"', out);
		putc(*p, out);
	}
	putc('"', out);
}
