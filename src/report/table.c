/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table.h"
#include "base/alloc.h"
#include "report/tally.h"
#include "report/terminal.h"
#include "report/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 5 };

/* The syntax of one kind of table. */
struct style {
	const char *begin;      /* before the heading */
	const char *row, *cell; /* before the first cell of a row, and before the others */
	const char *row_end;
	const char *rule; /* below the heading */
	const char *end;  /* below the last row */
	void (*name)(const char *clean, FILE *out);
};

static void put_escaped(const char *text, const char *special, const char *escape, FILE *out)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			fputs(escape, out);
		putc(*text, out);
	}
}

static size_t longest_run(const char *text, char c)
{
	size_t longest = 0, run = 0;

	for (; *text; text++) {
		run = *text == c ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* A code span: fenced by more backticks than it holds (CommonMark 6.1); GFM wants \| even there. */
static void markdown_name(const char *clean, FILE *out)
{
	size_t fence = longest_run(clean, '`') + 1;
	const char *pad = *clean == '`' || fence > 1 || !*clean ? " " : "";

	for (size_t i = 0; i < fence; i++)
		putc('`', out);
	fputs(pad, out);
	put_escaped(clean, "|", "\\", out);
	fputs(pad, out);
	for (size_t i = 0; i < fence; i++)
		putc('`', out);
}

/* `+text+` is literal monospace; a name that contains + or ` needs character references. */
static void asciidoc_name(const char *clean, FILE *out)
{
	bool literal = !strpbrk(clean, "+`") && *clean;

	fputs(literal ? "`+" : "", out);
	for (; *clean; clean++) {
		if (*clean == '|')
			fputs("\\|", out);
		else if (!literal && strchr("+`*_#^~{}[]<>&\\", *clean))
			fprintf(out, "&#%d;", *clean);
		else
			putc(*clean, out);
	}
	fputs(literal ? "+`" : "", out);
}

/* A bar ends a cell even in verbatim text, and its entity works only outside of verbatim text. */
static void orgmode_name(const char *clean, FILE *out)
{
	bool verbatim = *clean && !strpbrk(clean, "|=");

	fputs(verbatim ? "=" : "", out);
	for (; *clean; clean++) {
		if (*clean == '|')
			fputs("\\vert{}", out);
		else
			putc(*clean, out);
	}
	fputs(verbatim ? "=" : "", out);
}

static const struct style markdown = {
	.begin = "",
	.row = "| ",
	.cell = " | ",
	.row_end = " |\n",
	.rule = "|:---|---:|---:|---:|---:|\n",
	.end = "",
	.name = markdown_name,
};

static const struct style asciidoc = {
	.begin = "[cols=\"<,>,>,>,>\", options=\"header\"]\n|===\n",
	.row = "| ",
	.cell = " | ",
	.row_end = "\n",
	.rule = "",
	.end = "|===\n",
	.name = asciidoc_name,
};

static const struct style orgmode = {
	.begin = "",
	.row = "| ",
	.cell = " | ",
	.row_end = " |\n",
	.rule = "|--+--+--+--+--|\n",
	.end = "",
	.name = orgmode_name,
};

/* The mean, or the result of K-best. */
static double shown(const struct et_command_result *r)
{
	const struct et_kbest_result *kbest = et_result_kbest(r);

	return kbest ? kbest->best : et_result_estimate(r)->mean;
}

/* The unit of all rows is that of the fastest, so that none is printed as 0.00. */
static struct et_scale common_scale(const struct et_judgement *j, enum et_unit unit)
{
	double fastest = INFINITY;

	for (size_t i = 0; i < j->n_commands; i++) {
		const struct et_command_result *r = &j->commands[i];
		if (et_result_estimate(r)->n && shown(r) < fastest)
			fastest = shown(r);
	}
	return et_scale_of_value(fastest, NAN, unit);
}

/* A value in the common unit, with the digits that its uncertainty supports. */
static const char *in_unit(struct et_scale unit, double x, double u, char buf[ET_FIGURE])
{
	struct et_scale s = et_scale_of(x, u);

	unit.decimals = unit.exponent - (s.exponent - s.decimals);
	return et_scale_number(unit, x, buf);
}

static void row(
	const struct style *s, const struct et_command_result *r, struct et_scale unit, FILE *out)
{
	const struct et_estimate *est = et_result_estimate(r);
	const struct et_contrast *c = r->contrast;
	ET_AUTO_FREE char *name = et_clean(r->command->name ? r->command->name : "", "");
	/* The uncertainty of the mean does not apply to the fastest run. */
	double u = et_result_kbest(r) ? NAN : est->expanded_uncertainty;
	char a[ET_FIGURE], b[ET_FIGURE];

	fputs(s->row, out);
	s->name(name, out);
	if (!est->n) {
		fprintf(out, "%s" ET_DASH "%s" ET_DASH "%s" ET_DASH, s->cell, s->cell, s->cell);
	} else {
		fprintf(out, "%s%s", s->cell, in_unit(unit, shown(r), u, a));
		if (u > 0)
			fprintf(out, " ± %s", in_unit(unit, u, u, b));
		fprintf(out, "%s%s", s->cell, in_unit(unit, est->min, u, a));
		fprintf(out, "%s%s", s->cell, in_unit(unit, est->max, u, b));
	}
	fprintf(out, "%s%s%s", s->cell,
		c              ? et_format_ratio_pm(c->ratio, c->lo, c->hi, a)
		: r->reference ? "1"
			       : ET_DASH,
		s->row_end);
}

static void write_table(const struct style *s, const struct et_experiment *e,
	const struct et_judgement *j, FILE *out)
{
	const struct et_metric_row *metric =
		&et_metrics[j->n_commands ? et_result_metric(&j->commands[0]) : e->metric];
	struct et_scale unit = common_scale(j, metric->unit);
	bool kbest = j->n_commands && et_result_kbest(&j->commands[0]);

	fprintf(out, "%s%sCommand%s%c%s%s [%s]%sMin [%s]%sMax [%s]%sRatio%s%s", s->begin, s->row,
		s->cell, toupper(metric->label[0]), metric->label + 1, kbest ? " by K-best" : "",
		unit.unit, s->cell, unit.unit, s->cell, unit.unit, s->cell, s->row_end, s->rule);
	for (size_t i = 0; i < j->n_commands; i++)
		row(s, &j->commands[i], unit, out);
	fputs(s->end, out);
}

void et_markdown_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	write_table(&markdown, e, j, out);
}

void et_asciidoc_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	write_table(&asciidoc, e, j, out);
}

void et_orgmode_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	write_table(&orgmode, e, j, out);
}
