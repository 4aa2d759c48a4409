/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/json.h"
#include "draw/xml.h"
#include "record/format.h"
#include "stats/series/tally.h"

#include <math.h>
#include <string.h>

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
static const char *const names[FIGURES] = { "mean", "stddev", "median", "user", "system", "min",
	"max" };

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
		et_json_double(w, names[i], figures[i]);
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

	fputs("command", out);
	for (size_t i = 0; i < FIGURES; i++)
		fprintf(out, ",%s", names[i]);
	for (size_t i = 0; last && i < last->n_parameters; i++) {
		ET_AUTO_FREE char *name = et_asprintf("parameter_%s", last->parameters[i].name);
		putc(',', out);
		et_csv_text(name, out);
	}
	putc('\n', out);
	for (size_t i = 0; i < j->n_commands; i++)
		summary_row(&j->commands[i], last ? last->n_parameters : 0, out);
}
