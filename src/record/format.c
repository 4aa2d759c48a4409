/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/format.h"
#include "base/json.h"
#include "base/memstream.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "draw/xml.h"
#include "model/experiment/field.h"
#include "report/experiment_page.h"
#include "report/pair.h"
#include "report/text.h"
#include "stats/compare/judge.h"
#include "stats/series/tally.h"

#include <ctype.h>

#define ROW(name, summary, option, help, write) { name, option, help, write },
const struct et_format et_formats[] = { ET_FORMATS(ROW){ 0 } };

const struct et_format *et_format_find(const char *name)
{
	for (const struct et_format *f = et_formats; f->name; f++) {
		if (!strcmp(f->name, name))
			return f;
	}
	return NULL;
}

/* --- CSV --- */

static void bits_cell(const struct et_field *f, const struct et_sample *s, FILE *out)
{
	const char *between = "";

	for (int i = 0; f->names[i]; i++) {
		if (et_field_int(f, s) >> i & 1) {
			fprintf(out, "%s%s", between, f->names[i]);
			between = " ";
		}
	}
}

static void field_cell(const struct et_field *f, const struct et_sample *s, FILE *out)
{
	if (et_field_is_missing(f, s))
		return;
	switch (f->kind) {
	case ET_FIELD_BITS:
		bits_cell(f, s, out);
		break;
	case ET_FIELD_BOOL:
		fputs(et_field_int(f, s) ? "true" : "false", out);
		break;
	case ET_FIELD_ENUM:
	case ET_FIELD_STRING:
	case ET_FIELD_CHARS:
		et_csv_text(et_field_text(f, s), out);
		break;
	case ET_FIELD_DOUBLE:
		fprintf(out, "%.17g", et_field_double(f, s));
		break;
	default:
		fprintf(out, "%" PRId64, et_field_int(f, s));
	}
}

static void text_cell(const char *text, FILE *out)
{
	putc(',', out);
	et_csv_text(text, out);
}

/* The names of the parameters of all commands, each once, in the order in which they come. */
static const char **parameter_names(const struct et_experiment *e, size_t *n)
{
	const char **names = NULL;
	size_t room = 0;

	*n = 0;
	for (size_t c = 0; c < e->n_commands; c++) {
		for (size_t i = 0; i < e->commands[c].n_parameters; i++) {
			const char *name = e->commands[c].parameters[i].name;
			size_t k = 0;
			while (k < *n && strcmp(names[k], name) != 0)
				k++;
			if (k < *n)
				continue;
			ET_GROW(names, *n, room);
			names[(*n)++] = name;
		}
	}
	return names;
}

static void parameter_title(const char *parameter, FILE *out)
{
	ET_AUTO_FREE char *name = et_asprintf("parameter_%s", parameter);

	text_cell(name, out);
}

static void sample_row(const char *name, const struct et_sample *s, const char *common, FILE *out)
{
	et_csv_text(name, out);
	fprintf(out, ",%u", s->place.index);
	for (const struct et_field *f = et_sample_fields; f->name; f++) {
		putc(',', out);
		field_cell(f, s, out);
	}
	fprintf(out, ",%s%s\n",
		s->ruling.removal.by == ET_KEPT ? "" : et_removed_by_names[s->ruling.removal.by],
		common);
}

/* The cells that all rows of a command have in common, so that rows of several files can be joined.
 */
static char *common_cells(const struct et_experiment *e, const struct et_command *c,
	const char *const *names, size_t n)
{
	struct et_memstream stream;
	FILE *out = et_memstream_open(&stream);

	text_cell(e->id, out);
	text_cell(e->label, out);
	text_cell(e->machine, out);
	for (size_t i = 0; i < n; i++)
		text_cell(et_command_parameter(c, names[i]), out);
	return et_memstream_close(&stream);
}

void et_csv_write(const struct et_experiment *e, ET_UNUSED const struct et_judgement *j, FILE *out)
{
	size_t n;
	ET_AUTO_FREE const char **names = parameter_names(e, &n);

	fputs("command,index", out);
	for (const struct et_field *f = et_sample_fields; f->name; f++)
		fprintf(out, ",%s", f->name);
	/* New columns are appended: the others stay where readers know them. */
	fputs(",removed,id,label,machine", out);
	for (size_t i = 0; i < n; i++)
		parameter_title(names[i], out);
	putc('\n', out);
	for (size_t i = 0; i < e->n_commands; i++) {
		const struct et_command *c = &e->commands[i];
		ET_AUTO_FREE char *common = common_cells(e, c, names, n);
		et_for_each_sample(s, &c->samples)
			sample_row(c->name, s, common, out);
	}
}

/* --- hyperfine's formats --- */

#define NS_PER_S 1e9

static void write_series(struct et_json *w, const struct et_command *c)
{
	et_json_array(w, "times");
	et_for_each_sample(s, &c->samples) {
		if (et_sample_counts(s))
			et_json_double(w, NULL, et_sample_value(s, ET_METRIC_ELAPSED) / NS_PER_S);
	}
	et_json_end(w);
	et_json_array(w, "exit_codes");
	et_for_each_sample(s, &c->samples) {
		if (!et_sample_counts(s))
			continue;
		if (s->measured.exit_code < 0)
			et_json_null(w, NULL);
		else
			et_json_int(w, NULL, s->measured.exit_code);
	}
	et_json_end(w);
}

/* The figures of a command in both formats, in seconds; NaN: not known. */
enum { FIGURES = 7 };
static const char *const figure_names[FIGURES] = { "mean", "stddev", "median", "user", "system",
	"min", "max" };

static void figures_of(const struct et_command_result *r, double out[FIGURES])
{
	const struct et_estimate *et = &r->estimate[ET_METRIC_ELAPSED];
	struct et_tally tally;

	et_tally_samples(r->command, &tally);
	/* The elapsed time in a duet includes the partner's CPU time: only solo runs count. */
	double scale = et->n && tally.kept[ET_SOLO] ? NS_PER_S : NAN;
	memcpy(out,
		(double[FIGURES]){ et->mean / scale, et->sd / scale, et->median / scale,
			tally.parts.user / NS_PER_S, tally.parts.system / NS_PER_S, et->min / scale,
			et->max / scale },
		FIGURES * sizeof(*out));
}

static void write_result(struct et_json *w, const struct et_command_result *r)
{
	const struct et_command *c = r->command;
	double figures[FIGURES];

	figures_of(r, figures);
	et_json_object(w, NULL);
	et_json_string(w, "command", c->name);
	for (size_t i = 0; i < FIGURES; i++)
		et_json_double(w, figure_names[i], figures[i]);
	write_series(w, c);
	et_json_object(w, "parameters");
	for (size_t i = 0; i < c->n_parameters; i++)
		et_json_string(w, c->parameters[i].name, c->parameters[i].value);
	et_json_end(w);
	et_json_end(w);
}

void et_hyperfine_write(
	ET_UNUSED const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_array(&w, "results");
	for (size_t i = 0; i < j->n_commands; i++)
		write_result(&w, &j->commands[i]);
	et_json_end(&w);
	et_json_end(&w);
}

static void summary_row(const struct et_command_result *r, size_t parameters, FILE *out)
{
	const struct et_command *c = r->command;
	double figures[FIGURES];

	figures_of(r, figures);
	et_csv_text(c->name, out);
	for (size_t i = 0; i < FIGURES; i++) {
		putc(',', out);
		if (isfinite(figures[i]))
			fprintf(out, "%.12g", figures[i]);
	}
	for (size_t i = 0; i < parameters; i++)
		text_cell(i < c->n_parameters ? c->parameters[i].value : "", out);
	putc('\n', out);
}

void et_csv_write_summary(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	/* The first may be a reference, which has none. */
	const struct et_command *last = e->n_commands ? &e->commands[e->n_commands - 1] : NULL;

	fputs("command", out);
	for (size_t i = 0; i < FIGURES; i++)
		fprintf(out, ",%s", figure_names[i]);
	for (size_t i = 0; last && i < last->n_parameters; i++)
		parameter_title(last->parameters[i].name, out);
	putc('\n', out);
	for (size_t i = 0; i < j->n_commands; i++)
		summary_row(&j->commands[i], last ? last->n_parameters : 0, out);
}

/* --- tables for documents --- */

/* Before the first cell of a row, and before the others. */
#define FIRST "| "
#define CELL " | "

/* The syntax of one kind of table, as far as they differ. */
struct style {
	const char *begin; /* before the heading */
	const char *row_end;
	const char *rule; /* below the heading */
	const char *end;  /* below the last row */
	void (*name)(const char *clean, FILE *out);
};

static size_t longest_run(const char *text, char c)
{
	size_t longest = 0, run = 0;

	for (; *text; text++) {
		run = *text == c ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static bool has_blank_ends(const char *text)
{
	return *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
}

/* Writes all punctuation as numeric character references, so that none of it is syntax. */
static void put_references(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (ispunct((unsigned char)*text) && (unsigned char)*text < 0x80)
			fprintf(out, "&#%d;", *text);
		else
			putc(*text, out);
	}
}

/* Writes text in which the bar, which ends a cell, is replaced. */
static void put_cell(const char *text, const char *bar, FILE *out)
{
	for (; *text; text++) {
		if (*text == '|')
			fputs(bar, out);
		else
			putc(*text, out);
	}
}

static void repeat(char c, size_t n, FILE *out)
{
	while (n-- > 0)
		putc(c, out);
}

/*
 * A code span: fenced by more backticks than it holds (CommonMark 6.1). GFM needs \| even there,
 * but takes \\| for an escaped backslash and the end of the cell.
 */
static void markdown_name(const char *clean, FILE *out)
{
	size_t fence = longest_run(clean, '`') + 1;
	const char *pad = *clean == '`' || fence > 1 || !*clean ? " " : "";

	if (strstr(clean, "\\|")) {
		put_references(clean, out);
		return;
	}
	repeat('`', fence, out);
	fputs(pad, out);
	put_cell(clean, "\\|", out);
	fputs(pad, out);
	repeat('`', fence, out);
}

/* `+text+` is literal monospace, unless the text contains + or ` or has blanks at its ends. */
static void asciidoc_name(const char *clean, FILE *out)
{
	if (!*clean || strpbrk(clean, "+`") || has_blank_ends(clean)) {
		put_references(clean, out);
		return;
	}
	fputs("`+", out);
	put_cell(clean, "\\|", out);
	fputs("+`", out);
}

/* Does Org find no syntax in the text other than the bar that ends a cell? */
static bool is_plain_org(const char *text)
{
	for (; *text; text++) {
		if (ispunct((unsigned char)*text) && (unsigned char)*text < 0x80 &&
			!strchr("|-.,", *text))
			return false;
	}
	return true;
}

/*
 * Org has no escapes. Its entity for the bar works only outside of verbatim text, and there names
 * like [[elisp:…]] or shell:… are links that run code. So all other text is verbatim, between = or
 * between ~; characters that would end it are replaced by similar ones.
 */
static void orgmode_name(const char *clean, FILE *out)
{
	char fence = strchr(clean, '=') ? '~' : '=';

	if (!*clean || (strchr(clean, '|') && is_plain_org(clean))) {
		put_cell(clean, "\\vert{}", out);
		return;
	}
	putc(fence, out);
	for (const char *p = clean; *p; p++) {
		if (*p == '|')
			fputs("¦", out);
		else if (*p == fence)
			fputs("∼", out); /* only ~: if there is a =, it is not the fence */
		else if (*p == ' ' && (p == clean || !p[1]))
			fputs("␣", out); /* blanks at the ends are not allowed */
		else
			putc(*p, out);
	}
	putc(fence, out);
}

static const struct style markdown = { "", " |\n", "|:---|---:|---:|---:|---:|\n", "",
	markdown_name };
static const struct style asciidoc = { "[cols=\"<,>,>,>,>\", options=\"header\"]\n|===\n", "\n", "",
	"|===\n", asciidoc_name };
static const struct style orgmode = { "", " |\n", "|--+--+--+--+--|\n", "", orgmode_name };

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
	return et_scale_number(et_scale_for(unit, x, u), x, buf);
}

static void row(
	const struct style *s, const struct et_command_result *r, struct et_scale unit, FILE *out)
{
	const struct et_estimate *est = et_result_estimate(r);
	ET_AUTO_FREE char *name = et_clean(r->command->name ? r->command->name : "", "");
	/* The uncertainty of the mean does not apply to the fastest run. */
	double u = et_result_kbest(r) ? NAN : est->expanded_uncertainty;
	char a[ET_FIGURE], b[ET_FIGURE];

	fputs(FIRST, out);
	s->name(name, out);
	if (!est->n) {
		fputs(CELL ET_DASH CELL ET_DASH CELL ET_DASH, out);
	} else {
		fprintf(out, CELL "%s", in_unit(unit, shown(r), u, a));
		if (u > 0 && et_estimate_lopsided(est))
			fprintf(out, " (%s … %s)", in_unit(unit, est->lo, u, a),
				in_unit(unit, est->hi, u, b));
		else if (u > 0)
			fprintf(out, " ± %s", in_unit(unit, u, u, b));
		fprintf(out, CELL "%s" CELL "%s", in_unit(unit, est->min, u, a),
			in_unit(unit, est->max, u, b));
	}
	et_summary_ratio(r, a, b);
	fprintf(out, CELL "%s%s%s", a, b, s->row_end);
}

static void write_table(const struct style *s, const struct et_experiment *e,
	const struct et_judgement *j, FILE *out)
{
	const struct et_metric_row *metric =
		&et_metrics[j->n_commands ? et_result_metric(&j->commands[0]) : e->metric];
	struct et_scale unit = common_scale(j, metric->unit);
	bool kbest = j->n_commands && et_result_kbest(&j->commands[0]);

	fprintf(out,
		"%s" FIRST "Command" CELL "%c%s%s [%s]" CELL "Min [%s]" CELL "Max [%s]" CELL
		"Ratio%s%s",
		s->begin, toupper(metric->label[0]), metric->label + 1, kbest ? " by K-best" : "",
		unit.unit, unit.unit, unit.unit, s->row_end, s->rule);
	for (size_t i = 0; i < j->n_commands; i++)
		row(s, &j->commands[i], unit, out);
	fputs(s->end, out);
}

/* A name in a line of text. Outside of a table, a code span shows the backslash before a bar. */
static char *span(const struct et_command *c)
{
	ET_AUTO_FREE char *clean = et_clean(c->name ? c->name : "", "");
	struct et_memstream stream;
	FILE *out = et_memstream_open(&stream);

	(strchr(clean, '|') ? put_references : markdown_name)(clean, out);
	return et_memstream_close(&stream);
}

static void verdict_item(const struct et_experiment *e, const struct et_metric_choice *metric,
	const struct et_contrast *c, bool other, FILE *out)
{
	ET_AUTO_FREE char *b = span(&e->commands[c->b]);
	ET_AUTO_FREE char *a = span(&e->commands[c->a]);
	ET_AUTO_FREE char *decisive = span(&e->commands[metric->command]);
	ET_AUTO_FREE char *text = et_verdict_text(c, b, a);
	ET_AUTO_FREE char *basis = et_verdict_basis(metric, c, decisive);

	fprintf(out, "- %s%s%s%s (%s)\n", other ? "but by " : "",
		other ? et_metrics[c->metric].label : "", other ? ": " : "", text, basis);
}

/* The verdicts below the table, as the text output has them. */
static void verdict_list(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	if (j->n_contrasts)
		putc('\n', out);
	for (size_t i = 0; i < j->n_contrasts; i++) {
		verdict_item(e, &j->metric, &j->contrasts[i], false, out);
		if (et_judgement_contradicted(j, i))
			verdict_item(e, &j->metric, &j->second[i], true, out);
	}
}

/* The decision of a gate comes first, because a comment on a pull request is read for it. */
static void gate_list(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	ET_AUTO_FREE char **names = et_calloc(e->n_commands + 1, sizeof(*names));

	if (!j->gate.contrasts)
		return;
	for (size_t i = 0; i < e->n_commands; i++)
		names[i] = span(&e->commands[i]);
	(void)et_gate_print(&j->gate, (const char *const *)names, "- ", out);
	putc('\n', out);
	for (size_t i = 0; i < e->n_commands; i++)
		free(names[i]);
}

void et_markdown_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	gate_list(e, j, out);
	write_table(&markdown, e, j, out);
	verdict_list(e, j, out);
}

void et_asciidoc_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	write_table(&asciidoc, e, j, out);
}

void et_orgmode_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	write_table(&orgmode, e, j, out);
}
