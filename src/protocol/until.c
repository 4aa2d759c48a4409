/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/until.h"
#include "base/alloc.h"
#include "num/mean_interval.h"
#include "num/student.h"

#include <math.h>

bool et_until_due(const struct et_until *u, uint32_t runs)
{
	return runs >= u->next_look;
}

bool et_until_look(struct et_until *u, uint32_t runs, bool narrow)
{
	bool stop = narrow && u->once;

	u->once = narrow;
	u->next_look = runs + 1 + runs / 10;
	return stop;
}

/* In a duet the answer is the ratio, so --until is about the mean log ratio of the pairs. */
static double ratio_uncertainty(const struct et_experiment *e, uint32_t command)
{
	const struct et_command *c = &e->commands[command];
	const struct et_command *ref = &e->commands[e->plan.reference];
	ET_AUTO_READER struct et_sample_reader of_c = et_samples_read_figures(&c->samples);
	ET_AUTO_READER struct et_sample_reader of_ref = et_samples_read_figures(&ref->samples);
	ET_AUTO_FREE double *x = et_calloc(c->samples.n, sizeof(*x));
	const struct et_sample *s, *r = et_sample_reader_next(&of_ref);
	size_t n = 0;

	while ((s = et_sample_reader_next(&of_c))) {
		if (s->place.warmup || s->place.arrangement != ET_DUET ||
			s->ruling.removal.by != ET_KEPT)
			continue;
		while (r && r->place.order < s->place.order)
			r = et_sample_reader_next(&of_ref);
		if (r && r->place.order == s->place.order && r->ruling.removal.by == ET_KEPT &&
			s->measured.cpu_ns && r->measured.cpu_ns)
			x[n++] = log((double)et_sample_metric(s, e->metric) /
				     (double)et_sample_metric(r, e->metric));
	}
	return et_mean_interval(x, n, e->plan.level).half;
}

double et_until_reached(const struct et_experiment *e, uint32_t command)
{
	size_t n;

	if (e->plan.order == ET_ORDER_DUET && e->n_commands > 1)
		return command == e->plan.reference ? 0 : ratio_uncertainty(e, command);
	ET_AUTO_FREE double *x = et_command_values(
		&e->commands[command], e->metric, e->plan.pace ? ET_PACED : ET_SOLO, &n);
	struct et_mean_interval kept = et_mean_interval(x, n, e->plan.level);
	double plain = kept.mean > 0 ? kept.half / kept.mean : NAN;
	size_t uncut_n;
	ET_AUTO_FREE double *uncut =
		et_command_values_uncut(&e->commands[command], e->metric, &uncut_n);
	if (!uncut || n < 2)
		return plain;
	/* See ET_REJECTION. */
	return fmax(plain, et_qt(0.5 + e->plan.level / 2, kept.df) * ET_REJECTION *
				   et_mean_interval(uncut, uncut_n, e->plan.level).u / kept.mean);
}
