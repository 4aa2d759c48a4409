/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/clocks.h"
#include "app/lab/measured.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "host/host.h"
#include "lab/old_series.h"
#include "source/stored.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

struct et_lab_grid et_lab_grid(const struct et_lab_request *r, const struct et_lab_grid *usual)
{
	const struct et_lab_measure *m = &r->measure;
	struct et_lab_grid g = *usual;

	for (size_t i = 0; i < m->n_loads; i++)
		g.loads[i] = (unsigned)m->loads[i];
	if (m->n_loads)
		g.n_loads = m->n_loads;
	if (m->n_lengths) {
		memcpy(g.lengths_ns, m->lengths_ns, sizeof(m->lengths_ns));
		g.n_lengths = m->n_lengths;
	}
	if (m->runs)
		g.runs = (uint32_t)m->runs;
	return g;
}

static int finish_record(struct et_lab_request *r, struct et_experiment *e, struct et_error *err)
{
	uint64_t random = 0, now = et_clock_real.wall_ns(NULL);

	if (getrandom(&random, sizeof(random), 0) < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "cannot get random numbers");
	et_experiment_name(e, now, random);
	e->started_wall_ns = now - (et_clock_read_ns(CLOCK_MONOTONIC) - r->started_ns);
	e->finished_wall_ns = now;
	e->state = r->interrupt->signal ? ET_STATE_INTERRUPTED : ET_STATE_DONE;
	e->label = r->measure.label ? et_strdup(r->measure.label) : et_asprintf("lab %s", r->name);
	et_host_read("", &e->host);
	e->origin = ET_ORIGIN_MEASURED; /* no machine: --resume must not find it */
	return 0;
}

/* The store is opened before measuring, so that a wrong path does not fail after an hour. */
static int measure(struct et_lab_request *r, const struct et_lab_timed *lab,
	struct et_experiment **out, struct et_error *err)
{
	struct et_experiment *e = NULL;
	struct et_store *store;
	int rc = et_stored_open(r->cli, ET_STORE_WRITE, &store, err);

	if (rc)
		return rc;
	rc = lab->measure(r, &e, err);
	et_progress_erase(&r->progress);
	if (rc == 0)
		rc = finish_record(r, e, err);
	if (rc == 0)
		rc = et_store_keep(store, e, err);
	et_store_close(store);
	if (rc)
		et_experiment_free(e);
	else
		*out = e;
	return rc;
}

static const struct et_lab_timed *find(const char *name)
{
	static const struct et_lab_timed *const all[] = { &et_lab_kbest, &et_lab_interval,
		&et_lab_cache, &et_lab_branch };
	size_t i = 0;

	while (strcmp(all[i]->name, name))
		i++;
	return all[i];
}

/* Measures and stores it, or loads that of --from, and prints it. */
int et_lab_time(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	const struct et_lab_timed *lab = find(r->name);
	struct et_experiment *e = NULL;
	FILE *svg = NULL;
	int rc = r->measure.from ? et_stored_fetch(r->cli, r->measure.from, &e, err)
				 : measure(r, lab, &e, err);

	if (rc == 0)
		rc = et_lab_picture(r, &svg, err);
	if (rc == 0)
		et_old_series_read(e);
	if (rc == 0)
		rc = lab->print(r, e, svg, err);
	if (rc == 0 && r->interrupt->signal)
		rc = -EINTR;
	rc = et_lab_conclude(r, e ? e->id : NULL, false, rc);
	et_experiment_free(e);
	return rc;
}
