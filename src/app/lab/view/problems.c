/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/problems.h"
#include "base/alloc.h"
#include "draw/units.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

enum { NAME_COLUMNS = 16, FIGURE_COLUMNS = 18 };

void et_problems_text(const struct et_page *page)
{
	for (const struct et_problem *p = et_problems; p->name; p++) {
		ET_AUTO_FREE char *text = et_asprintf("%s (%s)", p->question, p->source);
		et_page_paragraph(page, NAME_COLUMNS, p->name, NULL, text, NULL);
	}
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL,
		"Their numbers are those of the book unless options give others. Problems 9.2, "
		"9.5, "
		"9.9 and 9.11 are answered by 'etalon trace', 9.6 by 'etalon lab cache', 9.10 by "
		"'etalon clock'.",
		NULL);
}

static void json_takes(const struct et_problem *p, struct et_json *w)
{
	et_json_object(w, "takes");
	for (int i = 0; i < ET_PROBLEM_NUMBERS; i++) {
		if (p->takes & 1u << i)
			et_json_double(w, et_problem_numbers[i], p->usual[i]);
	}
	if (p->sequence)
		et_json_string(w, "sequence", p->sequence);
	et_json_end(w);
}

void et_problems_json(struct et_json *w)
{
	et_json_array(w, NULL);
	for (const struct et_problem *p = et_problems; p->name; p++) {
		et_json_object(w, NULL);
		et_json_string(w, "name", p->name);
		et_json_string(w, "question", p->question);
		et_json_string(w, "source", p->source);
		json_takes(p, w);
		et_json_end(w);
	}
	et_json_end(w);
}

static const char *figure(const struct et_problem_figure *f, char buf[ET_FIGURE])
{
	if (f->unit == ET_PROBLEM_TEXT)
		snprintf(buf, ET_FIGURE, "%s", f->text);
	else if (isnan(f->value))
		snprintf(buf, ET_FIGURE, "%s", ET_DASH);
	else if (f->unit == ET_PROBLEM_NS && f->value == 0)
		snprintf(buf, ET_FIGURE, "0");
	else if (f->unit == ET_PROBLEM_NS)
		et_format_rounded(f->value, 4, buf);
	else if (f->unit == ET_PROBLEM_HZ)
		snprintf(buf, ET_FIGURE, "%.6g MHz", f->value / 1e6);
	else if (f->unit == ET_PROBLEM_SHARE)
		snprintf(buf, ET_FIGURE, "%.4g %%", 100 * f->value);
	else
		snprintf(buf, ET_FIGURE, f->unit == ET_PROBLEM_YEARS ? "%.4g" : "%.10g", f->value);
	return buf;
}

/* The name in JSON without its unit, in words: "least_sleep_ns" is "least sleep". */
static void words_of(const struct et_problem_figure *f, char out[32])
{
	static const char *const suffixes[] = { "_ns", "_hz" };

	snprintf(out, 32, "%s", f->name);
	for (size_t i = 0; i < ET_LENGTH(suffixes); i++) {
		size_t n = strlen(out), m = strlen(suffixes[i]);
		if (n > m && !strcmp(out + n - m, suffixes[i]))
			out[n - m] = '\0';
	}
	for (char *c = out; *c; c++)
		*c = *c == '_' ? ' ' : *c;
}

void et_problem_text(
	const struct et_problem *p, const struct et_problem_answer *a, const struct et_page *page)
{
	ET_AUTO_FREE char *head = et_asprintf("%s: %s (%s)", p->name, p->question, p->source);
	char buf[ET_FIGURE], words[32];

	et_page_paragraph(page, 0, "", NULL, head, BOLD);
	for (size_t i = 0; i < a->n; i++) {
		words_of(&a->figures[i], words);
		fprintf(page->out, "  %-*s%s\n", FIGURE_COLUMNS, words,
			figure(&a->figures[i], buf));
	}
	et_page_paragraph(page, 0, "", NULL, a->sentence, NULL);
}

void et_problem_json(
	const struct et_problem *p, const struct et_problem_answer *a, struct et_json *w)
{
	et_json_object(w, NULL);
	et_json_string(w, "problem", p->name);
	et_json_string(w, "source", p->source);
	for (size_t i = 0; i < a->n; i++) {
		const struct et_problem_figure *f = &a->figures[i];
		if (f->unit == ET_PROBLEM_TEXT)
			et_json_string(w, f->name, f->text);
		else
			et_json_double(w, f->name, f->value);
	}
	et_json_string(w, "explanation", a->sentence);
	et_json_end(w);
}
