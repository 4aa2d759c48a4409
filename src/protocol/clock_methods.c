/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/clock_methods.h"
#include "base/alloc.h"
#include "protocol/daemon_run.h"
#include "protocol/precision.h"

#include <math.h>

static double known(uint64_t x)
{
	return x == ET_UNKNOWN ? NAN : (double)x;
}

static struct et_clock_run run_of(const struct et_sample *s, const struct et_inside *inside)
{
	size_t i = s->place.index - 1;
	struct et_inside_reading own = { ET_UNKNOWN, ET_UNKNOWN };

	if (inside && i < inside->n)
		own = inside->runs[i];
	return (struct et_clock_run){ .by = { [ET_CLOCK_INSIDE] = known(own.clock_ns),
					      [ET_COUNTER_INSIDE] = known(own.counter_ticks),
					      [ET_CLOCK_AROUND] = known(s->measured.elapsed_ns),
					      [ET_COUNTER_AROUND] =
						      known(s->measured.counter_ticks),
					      [ET_BY_EMP] = known(s->measured.cpu_ns) },
		.removed = s->ruling.removal.by != ET_KEPT };
}

/* The rate of the counter, by the runs in which both were read. */
static double counter_hz(const struct et_clock_methods *m)
{
	double ticks = 0, ns = 0;

	for (size_t i = 0; i < m->n; i++) {
		const double *by = m->runs[i].by;
		if (isnan(by[ET_COUNTER_AROUND]) || isnan(by[ET_CLOCK_AROUND]))
			continue;
		ticks += by[ET_COUNTER_AROUND];
		ns += by[ET_CLOCK_AROUND];
	}
	return ns > 0 ? 1e9 * ticks / ns : NAN;
}

void et_clock_methods_judge(
	const struct et_command *c, const struct et_inside *inside, struct et_clock_methods *out)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);
	struct et_clock_methods m = { .name = c->name,
		.runs = et_calloc(c->samples.n + 1, sizeof(*m.runs)) };
	ET_AUTO_FREE double *x = et_calloc(c->samples.n + 1, sizeof(*x));

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		if (et_sample_usable_for_daemons(s))
			m.runs[m.n++] = run_of(s, inside);
	}
	for (int k = 0; k < ET_CLOCK_METHODS; k++) {
		size_t n = 0;
		for (size_t i = 0; i < m.n; i++) {
			if (!isnan(m.runs[i].by[k]) && !(k == ET_BY_EMP && m.runs[i].removed))
				x[n++] = m.runs[i].by[k];
		}
		m.by[k] = et_precision_of(x, n);
	}
	m.counter_hz = counter_hz(&m);
	*out = m;
}

void et_clock_methods_free(struct et_clock_methods *m)
{
	free(m->runs);
}
