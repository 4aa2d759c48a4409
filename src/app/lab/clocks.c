/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments of `etalon lab` that measure inside this process how good clocks are. Each stores its
 * figures as an experiment, and its tables are computed from that.
 */
#include "app/lab/view/clocks.h"
#include "app/lab/experiments.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "host/host.h"
#include "lab/old_series.h"
#include "source/stored.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

/* --- the record --- */

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

int et_lab_timed_perform(
	struct et_lab_request *r, const struct et_lab_timed *lab, struct et_error *err)
{
	struct et_experiment *e = NULL;
	FILE *svg = NULL;
	int rc = r->measure.from ? et_lab_load(r, &e, err) : measure(r, lab, &e, err);

	if (rc == 0)
		rc = et_lab_picture(r, &svg, err);
	if (rc == 0)
		et_old_series_read(e);
	if (rc == 0)
		rc = lab->print(r, e, svg, err);
	if (rc == 0 && r->interrupt->signal)
		rc = -EINTR;
	rc = et_lab_conclude(r, e, rc);
	et_experiment_free(e);
	return rc;
}

/* --- experiments --- */

struct et_lab_grid et_lab_grid(const struct et_lab_request *r, const struct et_lab_grid *usual)
{
	const struct et_lab_measure *m = &r->measure;
	struct et_lab_grid g = *usual;

	if (m->n_loads) {
		memcpy(g.loads, m->loads, sizeof(m->loads));
		g.n_loads = m->n_loads;
	}
	if (m->n_lengths) {
		memcpy(g.lengths_ns, m->lengths_ns, sizeof(m->lengths_ns));
		g.n_lengths = m->n_lengths;
	}
	if (m->runs)
		g.runs = (uint32_t)m->runs;
	return g;
}

static int measure_interval(
	struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	static const struct et_lab_grid usual = { .loads = { 1, 2, 11 },
		.n_loads = 3,
		.lengths_ns = { 1000000, 2000000, 5000000, 10000000, 20000000, 50000000, 100000000,
			200000000 },
		.n_lengths = 8,
		.runs = 8 };
	struct et_interval_accuracy_options o = { .grid = et_lab_grid(r, &usual),
		.progress = { et_lab_draw_progress, r, &r->interrupt->signal } };

	return et_interval_accuracy_run(&o, out, err);
}

static int print_interval(const struct et_lab_request *r, const struct et_experiment *e, FILE *svg,
	struct et_error *err)
{
	struct et_interval_accuracy a;
	int rc = et_interval_accuracy_read(e, &a, err);

	if (rc)
		return rc;
	if (r->given & ET_LAB_JSON)
		et_interval_accuracy_json(e, &a, r->page.out);
	else
		et_interval_accuracy_text(&a, &r->page);
	if (svg)
		et_interval_accuracy_svg(&a, svg);
	et_interval_accuracy_free(&a);
	return 0;
}

static int measure_cache(struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	struct et_cache_effects_options o = { .runs = r->measure.runs ? (uint32_t)r->measure.runs
								      : 20,
		.progress = { et_lab_draw_progress, r, &r->interrupt->signal } };

	return et_cache_effects_run(&o, out, err);
}

static int print_cache(const struct et_lab_request *r, const struct et_experiment *e, FILE *svg,
	struct et_error *err)
{
	struct et_cache_effects c;
	int rc = et_cache_effects_read(e, &c, err);

	if (rc)
		return rc;
	if (r->given & ET_LAB_JSON)
		et_cache_effects_json(e, &c, r->page.out);
	else
		et_cache_effects_text(&c, &r->page);
	if (svg)
		et_cache_effects_svg(&c, svg);
	return 0;
}

int et_lab_interval_accuracy(struct et_call *call, struct et_error *err)
{
	static const struct et_lab_timed lab = { measure_interval, print_interval };

	return et_lab_timed_perform(call->ctx, &lab, err);
}

int et_lab_cache(struct et_call *call, struct et_error *err)
{
	static const struct et_lab_timed lab = { measure_cache, print_cache };

	return et_lab_timed_perform(call->ctx, &lab, err);
}
