/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/csv.h"
#include "base/alloc.h"
#include "model/field.h"
#include "report/tally.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <math.h>
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

static void sample_row(const char *name, const struct et_sample *s, FILE *out)
{
	et_csv_text(name, out);
	fprintf(out, ",%u", s->place.index);
	for (const struct et_field *f = et_sample_fields; f->name; f++) {
		putc(',', out);
		field_cell(f, s, out);
	}
	fprintf(out, ",%s\n",
		s->ruling.removal.by == ET_KEPT ? "" : et_removed_by_names[s->ruling.removal.by]);
}

void et_csv_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	(void)j;
	fputs("command,index", out);
	for (const struct et_field *f = et_sample_fields; f->name; f++)
		fprintf(out, ",%s", f->name);
	fputs(",removed\n", out);
	for (size_t i = 0; i < e->n_commands; i++) {
		const struct et_command *c = &e->commands[i];
		ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
			sample_row(c->name, s, out);
	}
}

static void seconds_cell(double ns, FILE *out)
{
	putc(',', out);
	if (isfinite(ns))
		fprintf(out, "%.12g", ns / 1e9);
}

static void summary_row(const struct et_command_result *r, size_t parameters, FILE *out)
{
	const struct et_estimate *elapsed = &r->estimate[ET_METRIC_ELAPSED];
	const struct et_command *c = r->command;
	struct et_tally tally;

	et_tally_samples(c, &tally);
	/* The elapsed time in a duet includes the partner's CPU time: only solo runs count. */
	bool known = elapsed->n && tally.kept[ET_SOLO];
	et_csv_text(c->name, out);
	seconds_cell(known ? elapsed->mean : NAN, out);
	seconds_cell(known ? elapsed->sd : NAN, out);
	seconds_cell(known ? elapsed->median : NAN, out);
	seconds_cell(tally.parts.user, out);
	seconds_cell(tally.parts.system, out);
	seconds_cell(known ? elapsed->min : NAN, out);
	seconds_cell(known ? elapsed->max : NAN, out);
	for (size_t i = 0; i < parameters; i++) {
		putc(',', out);
		et_csv_text(i < c->n_parameters ? c->parameters[i].value : "", out);
	}
	putc('\n', out);
}

void et_csv_write_summary(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	/* The first may be a reference, which has none. */
	const struct et_command *last = e->n_commands ? &e->commands[e->n_commands - 1] : NULL;

	fputs("command,mean,stddev,median,user,system,min,max", out);
	for (size_t i = 0; last && i < last->n_parameters; i++) {
		ET_AUTO_FREE char *name = et_asprintf("parameter_%s", last->parameters[i].name);
		putc(',', out);
		et_csv_text(name, out);
	}
	putc('\n', out);
	for (size_t i = 0; i < j->n_commands; i++)
		summary_row(&j->commands[i], last ? last->n_parameters : 0, out);
}
