/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/warning.h"
#include "base/memstream.h"
#include "draw/html.h"
#include "draw/units.h"

#define DIM "2"
#define YELLOW "33"

static const char *format_p(double p, char buf[ET_FIGURE])
{
	const double least = 1e-5; /* smaller values are beyond the accuracy of the tests */

	if (p < least)
		snprintf(buf, ET_FIGURE, "< 0.00001");
	else
		snprintf(buf, ET_FIGURE, "= %.2g", p);
	return buf;
}

static const char *format_arg(const struct et_warning_arg *a, char buf[ET_FIGURE])
{
	switch (a->kind) {
	case ET_ARG_TEXT:
		return a->text;
	case ET_ARG_SHARE:
		return et_format_percent(a->number, buf);
	case ET_ARG_CHANGE:
		return et_format_change_signed(1 + a->number, NAN, NAN, buf);
	case ET_ARG_P_VALUE:
		return format_p(a->number, buf);
	case ET_ARG_VALUE:
		return et_format_value(a->number, a->unit, buf);
	case ET_ARG_NUMBER:
		/* Two digits, but no exponent for numbers that people count with. */
		snprintf(buf, ET_FIGURE,
			fabs(a->number) >= 100 && fabs(a->number) < 1e6 ? "%.0f" : "%.2g",
			a->number);
		return buf;
	default:
		snprintf(buf, ET_FIGURE, "%.0f", a->number);
		return buf;
	}
}

/* Whether {N:A|B} is rendered as A. */
static bool holds(const struct et_warning_arg *a)
{
	return a->kind == ET_ARG_TEXT ? a->text[0] != '\0' : a->number == 1;
}

/* The end of a part of a template: the first of `ends` that is not within inner braces. */
static const char *part_end(const char *at, const char *ends)
{
	int depth = 0;

	for (; *at && (depth || !strchr(ends, *at)); at++)
		depth += (*at == '{') - (*at == '}');
	return at;
}

static void render(FILE *out, const char *at, const char *end, const struct et_warning_arg *args)
{
	for (; at < end; at++) {
		if (*at != '{') {
			putc(*at, out);
			continue;
		}
		const struct et_warning_arg *a = &args[at[1] - '0'];
		const char *close = part_end(at + 1, "}");
		if (at[2] == ':') {
			const char *bar = part_end(at + 3, "|");
			if (holds(a))
				render(out, at + 3, bar, args);
			else
				render(out, bar + 1, close, args);
		} else {
			fputs(format_arg(a, ET_BUF), out);
		}
		at = close;
	}
}

char *et_warning_text_as(const struct et_warning *w, const char *template)
{
	const char *text = template ? template : et_warning_rows[w->code].text;
	struct et_memstream stream;

	render(et_memstream_open(&stream), text, text + strlen(text), w->args);
	return et_memstream_close(&stream);
}

char *et_warning_text(const struct et_warning *w)
{
	return et_warning_text_as(w, NULL);
}

void et_warnings_text(const struct et_page *page, int margin, const struct et_warnings *w)
{
	for (size_t i = 0; i < w->n; i++) {
		enum et_severity severity = et_warning_rows[w->list[i].code].severity;
		ET_AUTO_FREE char *lead =
			et_asprintf("%*s%s:", margin, "", et_severity_names[severity]);
		ET_AUTO_FREE char *text = et_warning_text(&w->list[i]);
		et_page_paragraph(page, margin + 2, lead,
			severity == ET_SEVERITY_NOTE ? DIM : YELLOW, text, NULL);
	}
}

void et_warnings_json(struct et_json *j, const struct et_warnings *w)
{
	et_warnings_write(j, "warnings", w);
}

void et_warnings_write(struct et_json *j, const char *key, const void *warnings)
{
	const struct et_warnings *w = warnings;

	et_json_array(j, key);
	for (size_t i = 0; i < w->n; i++) {
		const struct et_warning_row *row = &et_warning_rows[w->list[i].code];
		ET_AUTO_FREE char *text = et_warning_text(&w->list[i]);
		et_json_flat_object(j, NULL);
		et_json_string(j, "code", row->name);
		et_json_string(j, "severity", et_severity_names[row->severity]);
		et_json_string(j, "text", text);
		et_json_end(j);
	}
	et_json_end(j);
}

void et_html_warnings(FILE *out, const struct et_warnings *w)
{
	for (size_t i = 0; i < w->n; i++) {
		ET_AUTO_FREE char *text = et_warning_text(&w->list[i]);
		et_html_element(out, "p class=\"warn\"", "%s", text);
	}
}
