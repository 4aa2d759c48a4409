/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view.h"
#include "base/alloc.h"

#include <math.h>

static void say(const struct et_page *page, int indent, const char *lead, const char *style,
	const char *fmt, va_list ap)
{
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);

	et_page_paragraph(page, indent, lead, NULL, text, style);
}

void et_lab_heading(const struct et_page *page, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(page, 0, "", "1", fmt, ap);
	va_end(ap);
}

void et_lab_text(const struct et_page *page, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(page, 0, "", NULL, fmt, ap);
	va_end(ap);
}

void et_lab_item(const struct et_page *page, int indent, const char *lead, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(page, indent, lead, NULL, fmt, ap);
	va_end(ap);
}

void et_lab_table(struct et_table *t, const struct et_page *page)
{
	et_table_print(t, page);
	putc('\n', page->out);
}

void et_lab_chart(struct et_chart *c, const struct et_page *page)
{
	et_chart_print(c, page);
	putc('\n', page->out);
}

const char *et_format_error(double error, char buf[ET_FIGURE])
{
	double percent = 100 * error;
	int decimals = fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95 ? 1 : 0;

	if (isnan(percent))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else
		snprintf(buf, ET_FIGURE, "%+.*f", decimals, percent);
	return buf;
}

double et_lab_share(uint64_t k, uint64_t n)
{
	return n ? (double)k / (double)n : NAN;
}
