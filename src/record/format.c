/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/format.h"
#include "base/alloc.h"
#include "base/json.h"
#include "base/memstream.h"
#include "draw/terminal.h"
#include "draw/xml.h"
#include "model/experiment/field.h"
#include "report/experiment_page.h"
#include "stats/series/tally.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

static const char *parameter_of(const struct et_command *c, const char *name)
{
	for (size_t i = 0; i < c->n_parameters; i++) {
		if (!strcmp(c->parameters[i].name, name))
			return c->parameters[i].value;
	}
	return NULL;
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
		text_cell(parameter_of(c, names[i]), out);
	return et_memstream_close(&stream);
}

void et_csv_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	size_t n;
	ET_AUTO_FREE const char **names = parameter_names(e, &n);

	(void)j;
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

void et_hyperfine_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	struct et_json w;

	(void)e;
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
