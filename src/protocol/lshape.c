/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/lshape.h"
#include "base/alloc.h"
#include "num/quantile.h"

#include <math.h>

static const double ALONE = 1e-4, WITH_CULPRIT = 0.02;
static const double INFREQUENT = 0.05, OFTEN = 0.25; /* shares of the samples */

/* --- where the cluster ends --- */

static void spread_ties(double *sorted, size_t n, double step)
{
	for (size_t i = 0, end; i < n; i = end) {
		double value = sorted[i];
		for (end = i; end < n && sorted[end] == value; end++)
			;
		for (size_t k = i; k < end; k++)
			sorted[k] =
				value + step * (((double)(k - i) + 0.5) / (double)(end - i) - 0.5);
	}
}

/* The mean excess of the largest k of i sorted values over the next smaller one. */
static double mean_excess(const double *sorted, size_t i, size_t k)
{
	double sum = 0;

	for (size_t j = i - k; j < i; j++)
		sum += sorted[j] - sorted[i - k - 1];
	return sum / (double)k;
}

double et_lshape_bound(const double *values, size_t n, double step, double probability)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(values, n);
	double floor_ms = fmax(step, 1e-6 * et_median_sorted(sorted, n));

	if (step > 0)
		spread_ties(sorted, n, step);
	for (size_t i = (n + 1) / 2; i < n; i++) {
		size_t k = (size_t)lround(sqrt((double)i));
		k = k < 3 ? 3 : k;
		double tail = fmax(mean_excess(sorted, i, k), floor_ms);
		double most = (double)k * (pow(probability, -1 / (double)k) - 1);
		if (sorted[i] - sorted[i - 1] > most * tail)
			return (sorted[i] + sorted[i - 1]) / 2;
	}
	return INFINITY;
}

/* --- daemons in the cluster --- */

struct et_central *et_central_figures(
	const struct et_daemon_run *run, size_t n_names, const bool *out)
{
	struct et_central *all = et_calloc(n_names + 1, sizeof(*all));
	/* Welford (1962): one pass without loss of digits. */
	ET_AUTO_FREE double *mean = et_calloc(n_names + 1, sizeof(*mean));
	ET_AUTO_FREE double *squares = et_calloc(n_names + 1, sizeof(*squares));
	ET_AUTO_FREE size_t *n = et_calloc(n_names + 1, sizeof(*n));

	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		for (size_t k = 0; !(out && out[i]) && k < w->n; k++) {
			const struct et_execution *x = &run->executions[w->first + k];
			uint32_t name = x->name;
			double off = x->ms - mean[name];
			mean[name] += off / (double)++n[name];
			squares[name] += off * (x->ms - mean[name]);
			all[name].max_ms = fmax(all[name].max_ms, x->ms);
		}
	}
	for (uint32_t name = 0; name < n_names; name++) {
		all[name].name = name;
		if (!n[name])
			all[name].max_ms = all[name].sd_ms = NAN;
		else if (n[name] > 1)
			all[name].sd_ms = sqrt(squares[name] / (double)(n[name] - 1));
	}
	return all;
}

bool et_is_long_running(const struct et_central *central, double ms)
{
	return ms > (isnan(central->max_ms) ? 0 : central->max_ms + 2 * central->sd_ms);
}

/* --- which daemon is to blame --- */

struct finder {
	const struct et_daemon_record *r;
	const struct et_daemon_run *run;
	size_t n;
	double *times[2]; /* elapsed, CPU */
	double median[2], bound[2], near_bound[2];
	bool *near; /* beyond the lower of the two bounds in one of the times */
	bool *far;
	struct et_central *central;
};

/* How often a daemon was seen, counted in the order of the samples. */
struct sightings {
	uint32_t last; /* number of the last sample in which it ran, 0: none */
	size_t samples, episodes, pairs;
};

static void see(struct sightings *s, uint32_t number)
{
	if (s->last == number)
		return;
	if (s->last && s->last + 1 == number)
		s->pairs++;
	else
		s->episodes++;
	s->samples++;
	s->last = number;
}

static bool is_frequent(const struct sightings *s, size_t n)
{
	double share = (double)s->samples / (double)n;

	if (share > OFTEN)
		return true;
	return s->pairs >= 2 && (share > INFREQUENT || 2 * s->pairs >= s->episodes);
}

static double long_running_ms(const struct finder *f, const struct et_daemon_sample *w)
{
	double sum = 0;

	for (size_t k = 0; k < w->n; k++) {
		const struct et_execution *x = &f->run->executions[w->first + k];
		if (et_is_long_running(&f->central[x->name], x->ms))
			sum += x->ms;
	}
	return sum;
}

static bool is_far(const struct finder *f, size_t i)
{
	double blamed = long_running_ms(f, &f->run->listed[i]);

	for (int m = 0; m < 2; m++) {
		double t = f->times[m][i];
		if (t > f->bound[m])
			return true;
		if (t > f->near_bound[m] && blamed >= (t - f->median[m]) / 2)
			return true;
	}
	return false;
}

static void find_bounds(struct finder *f)
{
	for (int m = 0; m < 2; m++) {
		f->times[m] = et_calloc(f->n, sizeof(double));
		for (size_t i = 0; i < f->n; i++)
			f->times[m][i] =
				m ? f->run->listed[i].cpu_ms : f->run->listed[i].elapsed_ms;
		ET_AUTO_FREE double *sorted = et_sorted_copy(f->times[m], f->n);
		f->median[m] = et_median_sorted(sorted, f->n);
		f->bound[m] = et_lshape_bound(f->times[m], f->n, f->r->step_ms, ALONE);
		f->near_bound[m] = et_lshape_bound(f->times[m], f->n, f->r->step_ms, WITH_CULPRIT);
	}
	for (size_t i = 0; i < f->n; i++)
		f->near[i] = f->times[0][i] > f->near_bound[0] || f->times[1][i] > f->near_bound[1];
}

/* Counts the daemons to blame in far samples; entry n_names counts samples that none explains. */
static struct sightings *count_blamed(const struct finder *f)
{
	size_t nobody = f->r->n_names;
	struct sightings *all = et_calloc(nobody + 1, sizeof(*all));

	for (size_t i = 0; i < f->n; i++) {
		const struct et_daemon_sample *w = &f->run->listed[i];
		if (!f->far[i])
			continue;
		for (size_t k = 0; k < w->n; k++) {
			const struct et_execution *x = &f->run->executions[w->first + k];
			if (et_is_long_running(&f->central[x->name], x->ms))
				see(&all[x->name], w->number);
		}
		if (long_running_ms(f, w) <= 0)
			see(&all[nobody], w->number);
	}
	return all;
}

/* Returns samples to the cluster that only frequent daemons explain. */
static void take_back(struct finder *f, const bool *frequent)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct et_daemon_sample *w = &f->run->listed[i];
		bool infrequent = long_running_ms(f, w) <= 0 && !frequent[f->r->n_names];
		for (size_t k = 0; k < w->n; k++) {
			const struct et_execution *x = &f->run->executions[w->first + k];
			if (!frequent[x->name] && et_is_long_running(&f->central[x->name], x->ms))
				infrequent = true;
		}
		if (!infrequent)
			f->far[i] = false;
	}
}

/* A daemon that is never to blame is frequent, too, if it runs in both samples of pairs. */
static void add_everyday(const struct finder *f, const struct sightings *blamed, bool *frequent)
{
	ET_AUTO_FREE struct sightings *all = et_calloc(f->r->n_names + 1, sizeof(*all));

	for (size_t i = 0; i < f->n; i++) {
		const struct et_daemon_sample *w = &f->run->listed[i];
		for (size_t k = 0; k < w->n; k++)
			see(&all[f->run->executions[w->first + k].name], w->number);
	}
	for (size_t name = 0; name < f->r->n_names; name++) {
		if (!blamed[name].samples && all[name].pairs >= 2 &&
			(double)all[name].samples > INFREQUENT * (double)f->n)
			frequent[name] = true;
	}
}

void et_lshape_find(
	const struct et_daemon_record *r, const struct et_daemon_run *run, struct et_lshape *out)
{
	struct finder f = { .r = r, .run = run, .n = run->n_listed };

	f.near = et_calloc(f.n, sizeof(*f.near));
	f.far = et_calloc(f.n, sizeof(*f.far));
	out->frequent = et_calloc(r->n_names + 1, sizeof(*out->frequent));
	find_bounds(&f);
	f.central = et_central_figures(run, r->n_names, f.near);
	for (size_t i = 0; i < f.n; i++)
		f.far[i] = is_far(&f, i);
	ET_AUTO_FREE struct sightings *blamed = count_blamed(&f);
	for (size_t name = 0; name <= r->n_names; name++)
		out->frequent[name] = is_frequent(&blamed[name], f.n);
	take_back(&f, out->frequent);
	add_everyday(&f, blamed, out->frequent);
	out->far = f.far;
	out->n_far = 0;
	for (size_t i = 0; i < f.n; i++)
		out->n_far += f.far[i];
	free(f.near);
	free(f.central);
	free(f.times[0]);
	free(f.times[1]);
}
