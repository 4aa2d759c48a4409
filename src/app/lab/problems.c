/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab problems`: the calculations of a chapter on timing. */
#include "app/lab/experiments.h"
#include "base/nearest.h"

/* --- text and JSON --- */

enum { NAME_COLUMNS = 16, FIGURE_COLUMNS = 18 };

static void print_list(const struct et_page *page)
{
	for (const struct et_problem *p = et_problems; p->name; p++)
		et_lab_item(page, NAME_COLUMNS, p->name, "%s (%s)", p->question, p->source);
	putc('\n', page->out);
	et_lab_text(page,
		"Their numbers are those of the book unless options give others. Problems 9.2, "
		"9.5, 9.9 and 9.11 are answered by 'etalon trace', 9.6 by 'etalon lab cache', 9.10 "
		"by 'etalon clock'.");
}

static void write_list(struct et_json *w)
{
	et_json_array(w, NULL);
	for (const struct et_problem *p = et_problems; p->name; p++) {
		et_json_object(w, NULL);
		et_json_string(w, "name", p->name);
		et_json_string(w, "question", p->question);
		et_json_string(w, "source", p->source);
		et_json_object(w, "takes");
		for (int i = 0; i < ET_PROBLEM_NUMBERS; i++) {
			if (p->usual[i] > 0)
				et_json_double(w, et_problem_numbers[i], p->usual[i]);
		}
		if (p->sequence)
			et_json_string(w, "sequence", p->sequence);
		et_json_end(w);
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

static void print_answer(
	const struct et_problem *p, const struct et_problem_answer *a, const struct et_page *page)
{
	char buf[ET_FIGURE];

	et_lab_heading(page, "%s: %s (%s)", p->name, p->question, p->source);
	for (const struct et_problem_figure *f = a->figures; f < a->figures + a->n; f++) {
		/* The name in JSON without its unit: "least_sleep_ns" is "least sleep". */
		bool united = f->unit == ET_PROBLEM_NS || f->unit == ET_PROBLEM_HZ;
		ET_AUTO_FREE char *words =
			et_strndup(f->name, strlen(f->name) - (united ? strlen("_ns") : 0));
		for (char *c = words; *c; c++)
			*c = *c == '_' ? ' ' : *c;
		fprintf(page->out, "  %-*s%s\n", FIGURE_COLUMNS, words, figure(f, buf));
	}
	et_lab_text(page, "%s", a->sentence);
}

static void write_answer(
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

/* --- steps --- */

static int unknown(const char *typed, struct et_error *err)
{
	struct et_nearest n = et_nearest_to(typed);

	for (const struct et_problem *p = et_problems; p->name; p++)
		et_nearest_offer(&n, p->name);
	et_fail(err, EINVAL, ET_EXIT_USAGE, "lab problems: unknown problem '%s'", typed);
	if (n.best)
		return et_hint(err, -EINVAL,
			"did you mean '%s'? 'etalon lab problems' shows them all", n.best);
	return et_hint(err, -EINVAL, "run 'etalon lab problems' to see them");
}

static int perform(struct et_lab_request *r, struct et_error *err)
{
	struct et_problem_answer answer;
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (!r->operand && (r->given & ET_LAB_PROBLEM))
		return et_refuse(err, "run 'etalon lab problems' to see them",
			"lab problems: which problem?");
	if (!r->operand && r->given & ET_LAB_JSON)
		write_list(&w);
	else if (!r->operand)
		print_list(&r->page);
	if (!r->operand)
		return 0;
	const struct et_problem *p = et_problem_find(r->operand);
	if (!p)
		return unknown(r->operand, err);
	int rc = et_problem_solve(p, &r->problem, &answer, err);
	if (rc == 0 && r->given & ET_LAB_JSON)
		write_answer(p, &answer, &w);
	else if (rc == 0)
		print_answer(p, &answer, &r->page);
	return rc;
}

const struct et_lab et_lab_problems = { .perform = perform };
