/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view.h"
#include "base/alloc.h"
#include "model/experiment/field_rows.h"

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

static const struct et_field stored_fields[] = {
	ET_KEYS(et_experiment, id, label),
	ET_KEY_NAME(et_experiment, "state", state, et_state_names),
	{ 0 },
};

void et_lab_json_begin(struct et_json *w, const struct et_experiment *e, const char *lab, FILE *out)
{
	et_json_init(w, out, 2);
	et_json_object(w, NULL);
	et_json_string(w, "experiment", lab);
	if (e)
		et_fields_write(w, stored_fields, e);
}

void et_lab_json_experiments(struct et_json *w, const struct et_experiment *const *list, size_t n)
{
	et_json_array(w, "experiments");
	for (size_t i = 0; i < n; i++)
		et_fields_flat(w, NULL, stored_fields, list[i]);
	et_json_end(w);
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
