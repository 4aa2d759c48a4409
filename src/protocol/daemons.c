/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/daemons.h"
#include "base/alloc.h"
#include "protocol/lshape.h"
#include "protocol/period.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const double TASK_TIMES = 20; /* per period */

/* The long-running executions of one run, summed up per name. */
struct seen {
	double *least_ms; /* the shortest one, NaN: none */
	double *period_s;
};

/* --- one run --- */

static void take_central(
	struct et_run_findings *f, const struct et_central *all, size_t n, bool by_name)
{
	f->central = et_calloc(n + 1, sizeof(*f->central));
	for (size_t i = 0; i < n; i++) {
		if (!by_name || !isnan(all[i].max_ms))
			f->central[f->n_central++] = all[i];
	}
}

static int by_name(const void *a, const void *b)
{
	const struct et_central *x = a, *y = b;

	return x->name < y->name ? -1 : x->name > y->name;
}

/* Finds the L-samples and the figures of the cluster; a record without all samples gives them. */
static void find_cluster(const struct et_daemon_record *r, const struct et_daemon_run *run,
	struct et_run_findings *f)
{
	if (run->whole) {
		struct et_lshape l;
		et_lshape_find(r, run, &l);
		f->far = l.far;
		f->n_far = l.n_far;
		f->frequent = l.frequent;
		ET_AUTO_FREE struct et_central *all = et_central_figures(run, r->n_names, f->far);
		take_central(f, all, r->n_names, true);
		return;
	}
	take_central(f, run->central, run->n_central, false);
	qsort(f->central, f->n_central, sizeof(*f->central), by_name);
	f->n_far = run->n_listed;
	f->far = et_calloc(run->n_listed + 1, sizeof(*f->far));
	for (size_t i = 0; i < run->n_listed; i++)
		f->far[i] = true;
}

static bool is_long_running(const struct et_run_findings *f, const struct et_execution *x)
{
	static const struct et_central absent = { .max_ms = NAN, .sd_ms = NAN };
	const struct et_central *c = et_findings_central(f, x->name);

	return et_is_long_running(c ? c : &absent, x->ms);
}

/* A long-running execution, to be sorted by name and sample. */
struct sighting {
	uint32_t name, number;
	double at_s;
};

static int by_name_and_number(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static struct sighting *find_sightings(
	const struct et_daemon_run *run, struct et_run_findings *f, double *least_ms, size_t *n)
{
	struct sighting *all = et_calloc(run->n_executions + 1, sizeof(*all));

	*n = 0;
	f->long_running = et_calloc(run->n_executions + 1, sizeof(*f->long_running));
	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		for (size_t k = 0; f->far[i] && k < w->n; k++) {
			const struct et_execution *x = &run->executions[w->first + k];
			if (!is_long_running(f, x))
				continue;
			f->long_running[w->first + k] = true;
			all[(*n)++] = (struct sighting){ x->name, w->number, w->at_s };
			least_ms[x->name] = fmin(least_ms[x->name], x->ms); /* fmin ignores NaN */
		}
	}
	qsort(all, *n, sizeof(*all), by_name_and_number);
	return all;
}

static void find_periods(
	const struct et_daemon_run *run, const struct sighting *all, size_t n, double *period_s)
{
	ET_AUTO_FREE uint32_t *numbers = et_calloc(n + 1, sizeof(*numbers));
	ET_AUTO_FREE double *where = et_calloc(n + 1, sizeof(*where));

	for (size_t i = 0, end; i < n; i = end) {
		size_t k = 0;
		for (end = i; end < n && all[end].name == all[i].name; end++) {
			if (k && numbers[k - 1] == all[end].number)
				continue;
			numbers[k] = all[end].number;
			where[k++] = all[end].at_s;
		}
		period_s[all[i].name] = et_period_find(run, numbers, where, k);
	}
}

static struct seen look_at(const struct et_daemon_record *r, const struct et_daemon_run *run,
	struct et_run_findings *f)
{
	struct seen s = { .least_ms = et_calloc(r->n_names + 1, sizeof(double)),
		.period_s = et_calloc(r->n_names + 1, sizeof(double)) };
	size_t n;

	for (size_t i = 0; i < r->n_names; i++)
		s.least_ms[i] = s.period_s[i] = NAN;
	find_cluster(r, run, f);
	ET_AUTO_FREE struct sighting *all = find_sightings(run, f, s.least_ms, &n);
	find_periods(run, all, n, s.period_s);
	return s;
}

static void seen_free(struct seen *s)
{
	free(s->least_ms);
	free(s->period_s);
}

/* --- cutoffs --- */

static double midpoint(const struct et_run_findings *f, const struct seen *s, uint32_t name)
{
	const struct et_central *c = et_findings_central(f, name);

	return ((c ? c->max_ms : 0) + s->least_ms[name]) / 2;
}

static double long_cutoff(const struct et_run_findings *f, const struct seen *s, uint32_t name)
{
	const struct et_central *c = et_findings_central(f, name);

	if (!isnan(s->least_ms[name]))
		return midpoint(f, s, name);
	return c ? c->max_ms + 2 * c->sd_ms : NAN;
}

static void settle(struct et_cutoff *c)
{
	c->task_time_s = c->period_s / TASK_TIMES;
	c->n_final = 0;
	if (isnan(c->period_s)) {
		c->final_ms[c->n_final++] = fmax(c->short_ms, c->long_ms);
		return;
	}
	if (!isnan(c->short_ms))
		c->final_ms[c->n_final++] = c->short_ms;
	if (!isnan(c->long_ms))
		c->final_ms[c->n_final++] = c->long_ms;
}

static int by_daemon(const void *a, const void *b)
{
	return strcmp(((const struct et_cutoff *)a)->daemon, ((const struct et_cutoff *)b)->daemon);
}

static void find_cutoffs(const struct et_daemon_record *r, const struct seen *short_seen,
	const struct seen *long_seen, struct et_daemon_findings *out)
{
	out->cutoffs = et_calloc(r->n_names + 1, sizeof(*out->cutoffs));
	for (uint32_t name = 0; name < r->n_names; name++) {
		struct et_cutoff *c = &out->cutoffs[out->n_cutoffs];
		bool in_short = !isnan(short_seen->least_ms[name]);
		bool in_long = r->has_long && !isnan(long_seen->least_ms[name]);

		if (!in_short && !in_long)
			continue;
		snprintf(c->daemon, sizeof(c->daemon), "%s", r->names[name]);
		c->short_ms = in_short ? midpoint(&out->short_run, short_seen, name) : NAN;
		c->long_ms = r->has_long ? long_cutoff(&out->long_run, long_seen, name) : NAN;
		c->period_s = in_short ? short_seen->period_s[name] : long_seen->period_s[name];
		settle(c);
		out->n_cutoffs++;
	}
	qsort(out->cutoffs, out->n_cutoffs, sizeof(*out->cutoffs), by_daemon);
}

/* --- removal --- */

static void remove_samples(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_daemon_findings *all, struct et_run_findings *f)
{
	ET_AUTO_FREE double *cutoff = et_calloc(r->n_names + 1, sizeof(*cutoff));

	for (size_t i = 0; i < r->n_names; i++) {
		struct et_cutoff key = { 0 };
		snprintf(key.daemon, sizeof(key.daemon), "%s", r->names[i]);
		const struct et_cutoff *c = bsearch(
			&key, all->cutoffs, all->n_cutoffs, sizeof(*all->cutoffs), by_daemon);
		cutoff[i] = c ? et_cutoff_for(c, run->sample_seconds) : INFINITY;
	}
	f->removed = et_calloc(run->n_listed + 1, sizeof(*f->removed));
	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		for (size_t k = 0; k < w->n; k++) {
			const struct et_execution *x = &run->executions[w->first + k];
			if (x->ms > cutoff[x->name] + r->resolution_ms / 2)
				f->removed[i] = true;
		}
	}
}

/* --- all of it --- */

static int enough(
	const struct et_daemon_run *run, const char *which, const char *name, struct et_error *err)
{
	if (run->samples >= ET_LSHAPE_LEAST)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%.100s: %s: %u sample%s are too few to see an L-shape; at least %d are "
			"needed",
			name, which, run->samples, run->samples == 1 ? "" : "s", ET_LSHAPE_LEAST),
		"take several times as many samples as a daemon is apart: the papers took 800 "
		"short and 40 long ones");
}

int et_daemons_analyse(const struct et_daemon_record *r, const char *name,
	struct et_daemon_findings *out, struct et_error *err)
{
	struct seen short_seen, long_seen = { 0 };
	int rc = enough(&r->short_run, "short_run", name, err);

	if (rc == 0 && r->has_long)
		rc = enough(&r->long_run, "long_run", name, err);
	if (rc)
		return rc;
	memset(out, 0, sizeof(*out));
	short_seen = look_at(r, &r->short_run, &out->short_run);
	if (r->has_long)
		long_seen = look_at(r, &r->long_run, &out->long_run);
	find_cutoffs(r, &short_seen, &long_seen, out);
	remove_samples(r, &r->short_run, out, &out->short_run);
	if (r->has_long)
		remove_samples(r, &r->long_run, out, &out->long_run);
	seen_free(&short_seen);
	seen_free(&long_seen);
	return 0;
}
