/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/grid.h"
#include "lab/rivals.h"

#include <sched.h>

bool et_walk_advance(struct et_walk *w, double ns)
{
	w->done_ns = fmin(w->done_ns + ns, w->total_ns);
	if (!et_lab_report_progress(
		    w->progress, (uint64_t)(w->done_ns / 1e6), (uint64_t)(w->total_ns / 1e6)))
		w->stopped = true;
	return !w->stopped;
}

static int bind_here(int *out, struct et_error *err)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return et_fail(err, ENOSYS, ET_EXIT_ENVIRONMENT,
			"cannot find out on which CPU this thread runs");
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "cannot bind to CPU %d", cpu);
	*out = cpu;
	return 0;
}

int et_grid_walk(const struct et_lab_grid *g, double times, const struct et_lab_progress *progress,
	et_walk_fn *measure, void *ctx, struct et_error *err)
{
	struct et_walk w = { .progress = progress };
	int cpu = 0, rc = bind_here(&cpu, err);

	for (size_t i = 0; i < g->n_loads * g->n_lengths; i++)
		w.total_ns += times * g->loads[i / g->n_lengths] *
			      (double)g->lengths_ns[i % g->n_lengths];
	for (size_t i = 0; rc == 0 && i < g->n_loads && !w.stopped; i++) {
		struct et_rivals rivals;
		rc = et_rivals_start(&rivals, g->loads[i] - 1, cpu, NULL, err);
		if (rc)
			return rc;
		for (size_t j = 0; rc == 0 && j < g->n_lengths && !w.stopped; j++)
			rc = measure(ctx, &w, g->loads[i], g->lengths_ns[j], err);
		et_rivals_end(&rivals);
	}
	return rc;
}

int et_timing_calibrate(struct et_counter *c, uint64_t ns, struct et_error *err)
{
	et_counter_identify(c);
	return et_counter_calibrate(c, ns)
		       ? et_fail(err, EOPNOTSUPP, ET_EXIT_ENVIRONMENT,
				 "this processor has no counter that a program can read")
		       : 0;
}

double et_timing_ns(const struct et_counter *c, double ticks)
{
	return ticks / c->hz * 1e9;
}

int et_timing_kbest(void (*function)(void *arg), void *arg, const struct etalon_kbest_opts *opts,
	struct etalon_kbest_result *out, struct et_error *err)
{
	int status = etalon_kbest(function, arg, opts, out, sizeof(*out));

	return status == ETALON_OK || status == ETALON_NOT_CONVERGED
		       ? 0
		       : et_fail(err, EINVAL, ET_EXIT_ENVIRONMENT, "libetalon: %s",
				 etalon_strerror(status));
}

int et_timing_foreign(const struct et_experiment *e, const char *lab, struct et_error *err)
{
	return et_fail(err, EINVAL, ET_EXIT_USAGE, "experiment %s was not made by etalon lab %s",
		e->id, lab);
}
