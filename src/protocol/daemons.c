/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/daemons.h"
#include "base/u64.h"
#include "num/quantile.h"
#include "protocol/lshape.h"

static const double TASK_TIMES = 20;    /* per period */
static const double SNAPSHOTS_MS = 0.1; /* if it was not measured */
static const double HOUR = 3600, MINUTE = 60;

/* --- the samples of a command --- */

bool et_sample_usable_for_daemons(const struct et_sample *s)
{
	return !s->place.warmup && s->place.arrangement == ET_SOLO &&
	       s->ruling.removal.by != ET_REMOVED_FAILED &&
	       s->ruling.removal.by != ET_REMOVED_STOPPED && s->measured.cpu_ns != ET_UNKNOWN &&
	       s->measured.elapsed_ns != ET_UNKNOWN;
}

/* The median time between successive starts, which the pause of a resumed run does not move. */
static double usual_distance(const struct et_daemon_run *run)
{
	ET_AUTO_FREE double *d = et_calloc(run->n_listed + 1, sizeof(*d));
	size_t n = 0;

	for (size_t i = 1; i < run->n_listed; i++)
		d[n++] = run->listed[i].at_s - run->listed[i - 1].at_s;
	double usual = et_median(d, n);
	return usual > 0 ? usual : 1e-6; /* also if it is NaN */
}

/*
 * The number of a sample: its place in the order of execution, from the first usable one on.
 * Damaged records may hold samples out of order, which are successive to none.
 */
static uint32_t number_of(
	const struct et_daemon_run *run, const struct et_sample *s, uint32_t first_order)
{
	uint32_t last = run->n_listed ? run->listed[run->n_listed - 1].number : 0;
	uint32_t order = s->place.order - first_order + 1;

	return s->place.order >= first_order && order > last ? order : last + 2;
}

void et_daemon_run_fill(
	struct et_daemon_record *r, struct et_daemon_run *run, const struct et_command *c)
{
	ET_AUTO_READER struct et_sample_reader reader = et_samples_read(&c->samples);
	uint64_t first_ns = 0;
	uint32_t first_order = 0;

	*run = (struct et_daemon_run){ .whole = true };
	for (const struct et_sample *s; (s = et_sample_reader_next(&reader));) {
		if (!et_sample_usable_for_daemons(s))
			continue;
		if (!run->n_listed) {
			first_ns = s->measured.started_wall_ns;
			first_order = s->place.order;
		}
		/* The wall clock may be set back; start times must not decrease. */
		double at = 1e-9 * (double)et_minus_u64(s->measured.started_wall_ns, first_ns);
		if (run->n_listed)
			at = fmax(at, run->listed[run->n_listed - 1].at_s);
		struct et_daemon_sample *w =
			et_daemon_run_add(run, number_of(run, s, first_order), at);
		w->elapsed_ms = 1e-6 * (double)s->measured.elapsed_ns;
		w->cpu_ms = 1e-6 * (double)s->measured.cpu_ns;
		for (size_t k = 0; k < s->measured.n_culprits; k++) {
			const struct et_culprit *x = &s->measured.culprits[k];
			if (!x->cpu_ns || x->cpu_ns == ET_UNKNOWN)
				continue;
			struct et_execution *to = et_daemon_run_execution(run,
				et_daemon_record_name(r, et_daemon_of(x)),
				1e-6 * (double)x->cpu_ns);
			if (s->measured.others_ns != ET_UNKNOWN && x->on_our_cpu_ns != ET_UNKNOWN)
				to->ours_ms = 1e-6 * (double)x->on_our_cpu_ns;
		}
	}
	run->samples = (uint32_t)run->n_listed;
	run->sample_seconds = usual_distance(run);
}

/* --- periods --- */

double et_period_round(double period_s, double off_s)
{
	static const double minutes[] = { 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60 };
	double off = 0.01 * period_s + off_s, best = NAN;

	if (period_s >= HOUR - off) {
		best = fmax(round(period_s / HOUR), 1) * HOUR;
		return fabs(best - period_s) <= off ? best : period_s;
	}
	for (size_t i = 0; i < ET_LENGTH(minutes); i++) {
		double at = minutes[i] * MINUTE;
		if (isnan(best) || fabs(at - period_s) < fabs(best - period_s))
			best = at;
	}
	/* Round only if the candidates are further apart than the uncertainty. */
	return fabs(best - period_s) <= fmin(off, 0.05 * period_s) ? best : period_s;
}

/* True if a sample was taken at that time: a run may have been interrupted and resumed. */
static bool watching(const struct et_daemon_run *run, double at_s)
{
	const struct et_daemon_sample *w = run->listed;
	size_t lo = 0, hi = run->n_listed;

	if (!run->whole)
		return at_s >= 0 && at_s <= run->samples * run->sample_seconds;
	if (!hi || at_s < w[0].at_s)
		return false;
	while (hi - lo > 1) {
		size_t middle = lo + (hi - lo) / 2;
		if (w[middle].at_s <= at_s)
			lo = middle;
		else
			hi = middle;
	}
	/* A sample may take longer than usual; three times as long is a pause. */
	if (lo + 1 < run->n_listed && w[lo + 1].at_s - w[lo].at_s < 3 * run->sample_seconds)
		return true;
	return at_s <= w[lo].at_s + run->sample_seconds;
}

static bool covers(const struct et_daemon_run *run, const double *seen, size_t n, double period)
{
	double off = fmin(run->sample_seconds + 0.05 * period, period / 3);
	double first = seen[0] - floor(seen[0] / period) * period;
	double end = seen[n - 1] + (run->samples + 1) * run->sample_seconds;
	size_t next = 0;

	for (size_t i = 0; i < n; i++) {
		double steps = round((seen[i] - seen[0]) / period);
		if (fabs(seen[i] - seen[0] - steps * period) > off)
			return false;
	}
	for (double at = first; at < end; at += period) {
		bool due = watching(run, at - off) && watching(run, at) && watching(run, at + off);
		while (next < n && seen[next] < at - off)
			next++;
		if (due && !(next < n && seen[next] <= at + off))
			return false;
	}
	return true;
}

size_t et_visits(const struct et_daemon_run *run, const size_t *places, size_t n, double *starts)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = places[i];
		bool again = i && (at == places[i - 1] ||
					  (at == places[i - 1] + 1 &&
						  et_daemon_successive(run, places[i - 1])));
		if (!again)
			starts[k++] = run->listed[at].at_s;
	}
	return k;
}

double et_period_find(const struct et_daemon_run *run, const double *starts, size_t n)
{
	ET_AUTO_FREE double *gaps = et_calloc(n + 1, sizeof(*gaps));

	if (n < 2)
		return NAN;
	for (size_t i = 1; i < n; i++)
		gaps[i - 1] = starts[i] - starts[i - 1];
	/* The median, because an interruption of the run makes some distances twice as long. */
	double span = starts[n - 1] - starts[0];
	double periods = fmax(round(span / et_median(gaps, n - 1)), 1);
	double period = span / periods;
	if (!(period > run->sample_seconds / 2) || !covers(run, starts, n, period))
		return NAN;
	return et_period_round(period, run->sample_seconds / periods);
}

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
	return ET_ORDER(((const struct et_central *)a)->name, ((const struct et_central *)b)->name);
}

/* Finds the L-samples and the figures of the cluster; a record without all samples gives them. */
static void find_cluster(const struct et_daemon_record *r, const struct et_daemon_run *run,
	double floor_ms, struct et_run_findings *f)
{
	if (run->whole) {
		et_lshape_find(r, run, floor_ms, f);
		ET_AUTO_FREE struct et_central *all = et_central_figures(run, r->n_names, f->far);
		take_central(f, all, r->n_names, true);
		f->shape = et_cluster_shape_of(run, f->far);
		f->spread = et_cluster_spread(run, f->far);
		return;
	}
	f->spread = NAN;
	take_central(f, run->central, run->n_central, false);
	qsort(f->central, f->n_central, sizeof(*f->central), by_name);
	f->n_far = run->n_listed;
	f->far = et_calloc(run->n_listed + 1, sizeof(*f->far));
	f->explained = et_calloc(run->n_listed + 1, sizeof(*f->explained));
	for (size_t i = 0; i < run->n_listed; i++)
		f->far[i] = f->explained[i] = true;
}

/* The median elapsed time of the listed samples; NaN if the run is not whole. */
static double usual_elapsed_ms(const struct et_daemon_run *run)
{
	ET_AUTO_FREE double *x = et_calloc(run->n_listed + 1, sizeof(*x));

	if (!run->whole)
		return NAN;
	for (size_t i = 0; i < run->n_listed; i++)
		x[i] = run->listed[i].elapsed_ms;
	return et_median(x, run->n_listed);
}

/* A long-running execution, to be sorted by name and sample. */
struct sighting {
	uint32_t name;
	size_t place; /* of its sample in the list */
	double ms;
};

static int by_name_and_place(const void *a, const void *b)
{
	const struct sighting *x = a, *y = b;

	return ET_ORDER(x->name, y->name) ?: ET_ORDER(x->place, y->place);
}

static struct sighting *find_sightings(
	const struct et_daemon_look *l, struct et_run_findings *f, size_t *n)
{
	const struct et_daemon_run *run = l->run;
	struct sighting *all = et_calloc(run->n_executions + 1, sizeof(*all));

	*n = 0;
	f->long_running = et_calloc(run->n_executions + 1, sizeof(*f->long_running));
	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		for (size_t k = 0; f->explained[i] && k < w->n; k++) {
			const struct et_execution *x = &run->executions[w->first + k];
			/* A frequent daemon may be in an L-sample, but does not make it one. */
			if ((f->frequent && f->frequent[x->name]) ||
				!et_is_long_running(l, et_findings_central(f, x->name), w, x))
				continue;
			f->long_running[w->first + k] = true;
			all[(*n)++] = (struct sighting){ x->name, i, x->ms };
		}
	}
	qsort(all, *n, sizeof(*all), by_name_and_place);
	return all;
}

/* Sums up n sightings of one daemon. */
static struct et_collected sum_up(const struct et_daemon_run *run, const struct et_run_findings *f,
	const struct sighting *all, size_t n)
{
	const struct et_central *central = et_findings_central(f, all->name);
	struct et_collected c = { .name = all->name,
		.central_ms = central ? central->max_ms : NAN,
		.least_ms = all->ms };
	ET_AUTO_FREE size_t *places = et_calloc(n, sizeof(*places));
	ET_AUTO_FREE double *starts = et_calloc(n, sizeof(*starts));

	for (size_t i = 0; i < n; i++) {
		places[i] = all[i].place;
		c.least_ms = fmin(c.least_ms, all[i].ms);
	}
	c.visits = (uint32_t)et_visits(run, places, n, starts);
	c.period_s = et_period_find(run, starts, c.visits);
	return c;
}

static void look_at(const struct et_daemon_record *r, const struct et_daemon_run *run,
	double floor_ms, struct et_run_findings *f)
{
	size_t n;

	find_cluster(r, run, floor_ms, f);
	struct et_daemon_look l = { r, run, floor_ms, usual_elapsed_ms(run) };
	ET_AUTO_FREE struct sighting *all = find_sightings(&l, f, &n);
	f->collected = et_calloc(r->n_names + 1, sizeof(*f->collected));
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && all[end].name == all[i].name; end++)
			;
		f->collected[f->n_collected++] = sum_up(run, f, &all[i], end - i);
	}
}

/* --- cutoffs --- */

/*
 * The papers want the long run to agree with the period of the short run, not to find it again. A
 * daemon that the long run collects is not frequent in the short run: only its short executions
 * are.
 */
static void join_runs(struct et_run_findings *short_run, struct et_run_findings *long_run)
{
	for (size_t i = 0; i < long_run->n_collected; i++) {
		struct et_collected *l = &long_run->collected[i];
		const struct et_collected *s = et_findings_collected(short_run, l->name);
		if (s) {
			l->period_s = s->period_s;
			l->visits = s->visits;
		}
		if (short_run->frequent)
			short_run->frequent[l->name] = false;
	}
}

static double midpoint(const struct et_collected *c)
{
	return ((isnan(c->central_ms) ? 0 : c->central_ms) + c->least_ms) / 2;
}

static double long_cutoff(
	const struct et_run_findings *f, const struct et_collected *collected, uint32_t name)
{
	const struct et_central *c = et_findings_central(f, name);

	if (collected)
		return midpoint(collected);
	return c ? c->max_ms + 2 * c->sd_ms : NAN;
}

/* Fills the final cutoffs; in_both: both runs collected the daemon. */
static void settle(const struct et_daemon_record *r, bool in_both, struct et_cutoff *c)
{
	c->task_time_s = c->period_s / TASK_TIMES;
	/* The programs that are nearer to the samples of the long run, by the ratio of lengths. */
	if (isnan(c->period_s) && in_both)
		c->task_time_s = sqrt(r->short_run.sample_seconds * r->long_run.sample_seconds);
	c->n_final = 0;
	if (isnan(c->task_time_s)) {
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

static void find_cutoffs(const struct et_daemon_record *r, struct et_daemon_findings *out)
{
	out->cutoffs = et_calloc(r->n_names + 1, sizeof(*out->cutoffs));
	for (uint32_t name = 0; name < r->n_names; name++) {
		struct et_cutoff *c = &out->cutoffs[out->n_cutoffs];
		const struct et_collected *s = et_findings_collected(&out->short_run, name);
		const struct et_collected *l = et_findings_collected(&out->long_run, name);
		const struct et_collected *one = s ? s : l;

		if (!one)
			continue;
		snprintf(c->daemon, sizeof(c->daemon), "%s", r->names[name]);
		c->short_ms = s ? fmax(midpoint(s), out->floor_ms) : NAN;
		c->long_ms = r->has_long ? long_cutoff(&out->long_run, l, name) : NAN;
		if (c->long_ms < out->floor_ms)
			c->long_ms = out->floor_ms;
		c->period_s = one->period_s;
		c->sightings = one->visits;
		settle(r, s && l, c);
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
	return et_refuse(err,
		"take several times as many samples as a daemon is apart: the papers took 800 "
		"short and 40 long ones",
		"%.100s: %s: %u sample%s too few to see an L-shape; at least %d are needed", name,
		which, run->samples, run->samples == 1 ? " is" : "s are", ET_LSHAPE_LEAST);
}

int et_daemons_analyse(struct et_daemon_record *r, const char *name, struct et_daemon_findings *out,
	struct et_error *err)
{
	int rc = enough(&r->short_run, "short_run", name, err);

	if (rc == 0 && r->has_long)
		rc = enough(&r->long_run, "long_run", name, err);
	if (rc)
		return rc;
	memset(out, 0, sizeof(*out));
	out->floor_ms =
		fmax(r->resolution_ms, r->snapshots_ms > 0 ? r->snapshots_ms : SNAPSHOTS_MS);
	et_daemon_add_small(r, out->floor_ms);
	look_at(r, &r->short_run, out->floor_ms, &out->short_run);
	if (r->has_long)
		look_at(r, &r->long_run, out->floor_ms, &out->long_run);
	join_runs(&out->short_run, &out->long_run);
	find_cutoffs(r, out);
	remove_samples(r, &r->short_run, out, &out->short_run);
	if (r->has_long)
		remove_samples(r, &r->long_run, out, &out->long_run);
	return 0;
}
