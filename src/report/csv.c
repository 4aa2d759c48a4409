/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/csv.h"
#include "model/field.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <string.h>

/* The columns after those that identify the sample. */
static const char *const counters[] = { "et_ns", "pt_ns", "user_ns", "system_ns", "wait_ns",
	"blocked_ns", "steal_ns", "max_rss_bytes", "probe_before_ns", "probe_after_ns", "pace_ns",
	"pace_loops" };

static void text_cell(const char *text, FILE *out)
{
	ET_AUTO_FREE char *clean = et_clean(text ? text : "", "\n\t");
	bool formula = *clean && strchr("=+-@\t", *clean);

	if (!formula && !strpbrk(clean, ",\"\n")) {
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

static void sample_row(const char *name, const struct et_sample *s, FILE *out)
{
	text_cell(name, out);
	fprintf(out, ",%u,%u,%u,%s,%s,", s->place.index, s->place.order, s->place.round,
		et_arrangement_names[s->place.arrangement], s->place.warmup ? "true" : "false");
	if (s->measured.exit_code >= 0)
		fprintf(out, "%d", s->measured.exit_code);
	for (size_t i = 0; i < ET_LENGTH(counters); i++) {
		const struct et_field *f = et_field_find(et_sample_fields, counters[i]);
		putc(',', out);
		if (!et_field_is_missing(f, s))
			fprintf(out, "%" PRId64, et_field_int(f, s));
	}
	fprintf(out, ",%s\n",
		s->ruling.removal.by == ET_KEPT ? "" : et_removed_by_names[s->ruling.removal.by]);
}

void et_csv_write(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	(void)j;
	fputs("command,index,order,round,arrangement,warmup,exit_code", out);
	for (size_t i = 0; i < ET_LENGTH(counters); i++)
		fprintf(out, ",%s", counters[i]);
	fputs(",removed\n", out);
	for (size_t i = 0; i < e->n_commands; i++) {
		const struct et_command *c = &e->commands[i];
		for (size_t k = 0; k < c->n_samples; k++)
			sample_row(c->name, &c->samples[k], out);
	}
}
