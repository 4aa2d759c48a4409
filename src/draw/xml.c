/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/xml.h"
#include "draw/terminal.h"

/* U+FFFE and U+FFFF are valid in UTF-8 but not in XML. */
static bool not_a_character(const char *s)
{
	return !strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3);
}

void et_xml_text(FILE *out, const char *text)
{
	ET_AUTO_FREE char *clean = et_clean(text, "");
	static const char special[] = "&<>\"'\xef";
	const char *s = clean;

	while (*s) {
		size_t plain = strcspn(s, special);
		fwrite(s, 1, plain, out);
		s += plain;
		if (*s == '\xef') {
			fwrite(not_a_character(s) ? "\xef\xbf\xbd" : s, 1, 3, out);
			s += 3;
		} else if (*s) {
			fprintf(out, "&#%d;", *s++);
		}
	}
}

void et_xml_printf(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	et_xml_text(out, text);
}

void et_xml_number(FILE *out, double x)
{
	double far = 1e6;
	long hundredths = isfinite(x) ? lround(100 * fmin(far, fmax(-far, x))) : 0;
	long part = labs(hundredths) % 100;

	fprintf(out, "%s%ld", hundredths < 0 ? "-" : "", labs(hundredths) / 100);
	if (part % 10)
		fprintf(out, ".%02ld", part);
	else if (part)
		fprintf(out, ".%ld", part / 10);
}

void et_xml_coordinates(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (; *fmt; fmt++) {
		if (*fmt == '%')
			et_xml_number(out, va_arg(ap, double));
		else
			putc(*fmt, out);
	}
	va_end(ap);
}

/* --- CSV --- */

/* Spreadsheets take a cell for a formula if it begins so, also in full-width forms (U+FF1D …). */
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
