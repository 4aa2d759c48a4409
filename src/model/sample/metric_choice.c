/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/metric_choice.h"
#include "base/doubles.h"
#include "model/sample/sample.h"

const char *const et_metric_reason_names[] = { "user", "default", "parallel", "waits", "wants-cpus",
	NULL };

/*
 * A serial program uses at most 1 CPU, and the clocks agree much better than 10 %. Waiting for a
 * CPU counts as well, or a parallel program would look serial on a busy machine; but the processes
 * of a pipeline wait for a CPU beside each other for short moments, so the limit is higher there.
 */
static const double PARALLEL = 1.1, WANTS_CPUS = 1.25;
static const double WAITS = 0.1; /* of elapsed time */
/* Looking at the files of a short program takes no longer, unless they are hundreds. */
static const double SCOUTING_NS = 5e6;

/* The runs of a command as shares of their elapsed time. */
struct votes {
	double *busy;  /* on a CPU */
	double *wants; /* on a CPU or waiting for one, summed over its tasks */
	double *waits; /* asleep, or waiting for anything but a CPU */
	size_t n;
};

static bool votes(const struct et_sample *s)
{
	return s->place.arrangement == ET_SOLO && s->measured.cpu_ns != ET_UNKNOWN &&
	       s->measured.elapsed_ns != ET_UNKNOWN && s->measured.elapsed_ns > 0 &&
	       s->ruling.removal.by != ET_REMOVED_FAILED &&
	       s->ruling.removal.by != ET_REMOVED_STOPPED;
}

static void collect(const struct et_command *c, uint32_t before, bool warmup, struct votes *v)
{
	et_for_each_sample(s, &c->samples) {
		if (!votes(s) || s->place.warmup != warmup || s->place.order >= before)
			continue;
		double elapsed = (double)s->measured.elapsed_ns, cpu = (double)s->measured.cpu_ns;
		double wanted = cpu + et_known_or_0(s->measured.wait_ns), shares[ET_SHARES];

		v->busy[v->n] = cpu / elapsed;
		v->wants[v->n] = wanted / elapsed;
		/* The share that is printed; if not known, unexplained time is part of it. */
		et_sample_shares(&s->measured, shares);
		if (isnan(shares[ET_SHARE_ASLEEP]))
			shares[ET_SHARE_ASLEEP] =
				elapsed - wanted - et_known_or_0(s->measured.steal_ns);
		/* A scouted run also waits until etalon has looked at each of its files. */
		if (s->ruling.marks & ET_MARK_SCOUTED) {
			v->wants[v->n] = v->busy[v->n];
			if (shares[ET_SHARE_ASLEEP] < fmax(elapsed / 2, SCOUTING_NS))
				shares[ET_SHARE_ASLEEP] = 0;
		}
		v->waits[v->n++] = shares[ET_SHARE_ASLEEP] / elapsed;
	}
}

/* The smaller of the two middle values of an even number: doubt speaks for CPU time. */
static double middle(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), et_ascending);
	return x[(n - 1) / 2];
}

/* Returns whether elapsed time must decide for this command. */
static bool judge(const struct et_command *c, uint32_t before, bool several_cpus,
	struct et_metric_choice *out)
{
	size_t room = c->samples.n + 1;
	ET_AUTO_FREE double *busy = et_calloc(room, sizeof(*busy));
	ET_AUTO_FREE double *wants = et_calloc(room, sizeof(*wants));
	ET_AUTO_FREE double *waits = et_calloc(room, sizeof(*waits));
	struct votes v = { .busy = busy, .wants = wants, .waits = waits };

	collect(c, before, false, &v);
	if (!v.n)
		collect(c, before, true, &v);
	if (!v.n)
		return false;
	double b = middle(busy, v.n), w = middle(wants, v.n), waiting = middle(waits, v.n);
	if (b > PARALLEL) {
		out->reason = ET_METRIC_PARALLEL;
		out->amount = b;
	} else if (several_cpus && w > WANTS_CPUS) {
		out->reason = ET_METRIC_WANTS_CPUS;
		out->amount = w;
	} else if (waiting > WAITS) {
		out->reason = ET_METRIC_WAITS;
		out->amount = waiting;
	} else {
		return false;
	}
	out->metric = ET_METRIC_ELAPSED;
	return true;
}

struct et_metric_choice et_metric_choose_before(const struct et_experiment *e, uint32_t order)
{
	struct et_metric_choice choice = { .metric = e->metric, .reason = ET_METRIC_BY_USER };
	/* On a single CPU, tasks that wait for a CPU wait for each other. */
	bool several = e->host.cpus != 1 && !(e->child.cpus && !strpbrk(e->child.cpus, ",-"));

	if (!e->metric_auto)
		return choice;
	choice.metric = ET_METRIC_CPU;
	choice.reason = ET_METRIC_BY_DEFAULT;
	/* Elapsed time contains the partner or the reference loop there. */
	if (e->plan.pace || (e->plan.order == ET_ORDER_DUET && e->n_commands > 1))
		return choice;
	for (uint32_t c = 0; c < e->n_commands; c++) {
		choice.command = c;
		if (judge(&e->commands[c], order, several, &choice))
			return choice;
	}
	choice.command = 0;
	return choice;
}

struct et_metric_choice et_metric_choose(const struct et_experiment *e)
{
	return et_metric_choose_before(e, UINT32_MAX);
}

void et_metric_settle(struct et_experiment *e)
{
	e->metric = et_metric_choose(e).metric;
}
