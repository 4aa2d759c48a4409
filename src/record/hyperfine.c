/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/hyperfine.h"
#include "base/json.h"
#include "stats/series/tally.h"

#include <math.h>

#define NS_PER_S 1e9

static void write_series(struct et_json *w, const struct et_command *c)
{
	et_json_array(w, "times");
	ET_AUTO_READER struct et_sample_reader times = et_samples_read_figures(&c->samples);
	for (const struct et_sample *s; (s = et_sample_reader_next(&times));) {
		if (et_sample_counts(s))
			et_json_double(w, NULL, et_sample_value(s, ET_METRIC_ELAPSED) / NS_PER_S);
	}
	et_json_end(w);
	et_json_array(w, "exit_codes");
	ET_AUTO_READER struct et_sample_reader codes = et_samples_read_figures(&c->samples);
	for (const struct et_sample *s; (s = et_sample_reader_next(&codes));) {
		if (!et_sample_counts(s))
			continue;
		if (s->measured.exit_code < 0)
			et_json_null(w, NULL);
		else
			et_json_int(w, NULL, s->measured.exit_code);
	}
	et_json_end(w);
}

static void write_result(struct et_json *w, const struct et_command_result *r)
{
	const struct et_command *c = r->command;
	const struct et_estimate *et = &r->estimate[ET_METRIC_ELAPSED];
	struct et_tally tally;

	et_tally_samples(c, &tally);
	/* The elapsed time in a duet includes the partner's CPU time: only solo runs count. */
	double scale = et->n && tally.kept[ET_SOLO] ? NS_PER_S : NAN;

	et_json_object(w, NULL);
	et_json_string(w, "command", c->name);
	et_json_double(w, "mean", et->mean / scale);
	et_json_double(w, "stddev", et->sd / scale);
	et_json_double(w, "median", et->median / scale);
	et_json_double(w, "user", tally.parts.user / NS_PER_S);
	et_json_double(w, "system", tally.parts.system / NS_PER_S);
	et_json_double(w, "min", et->min / scale);
	et_json_double(w, "max", et->max / scale);
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
