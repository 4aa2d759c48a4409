/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/memstream.h"
#include "draw/terminal.h"
#include "draw/xml.h"
#include "model/experiment/field.h"
#include "record/format.h"

#include <inttypes.h>
#include <string.h>

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
