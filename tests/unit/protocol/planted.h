/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synthetic runs with daemons that are known: who comes when, and for how long. */
#pragma once

#include "num/rng.h"
#include "protocol/daemons.h"
#include "tap.h"

enum planted_noise { NORMAL_NOISE, HALF_NORMAL_NOISE, LOG_NORMAL_NOISE };

/* A visit: the daemon is active from one time to the other, in seconds after the first sample. */
struct visit {
	const char *name;
	double from_s, to_s;
	double share; /* of a CPU, while it is active */
};

struct planted {
	uint32_t n;
	double seconds;  /* of a sample that nobody disturbs */
	double noise_ms; /* the scale of the noise of elapsed time */
	enum planted_noise noise;
	bool whole_ms;
	bool company;               /* other processes that do not disturb: on another CPU */
	double stolen_share;        /* of the samples, which lose 20 to 220 ms to no process */
	const struct visit *visits; /* up to one without a name */
};

static double planted_noise(struct et_rng *rng, const struct planted *p)
{
	double z = et_rng_normal(rng);

	switch (p->noise) {
	case NORMAL_NOISE:
		return p->noise_ms * z;
	case HALF_NORMAL_NOISE:
		return p->noise_ms * fabs(z);
	default:
		return p->noise_ms * exp(0.7 * z);
	}
}

/* Eight daemons that are often there, and one of 60 processes in every tenth sample. */
static void add_company(struct et_daemon_record *r, struct et_daemon_run *run, struct et_rng *rng)
{
	char name[16];

	for (int i = 0; i < 8; i++) {
		if (et_rng_uniform(rng) > (i + 1) / 8.0)
			continue;
		snprintf(name, sizeof(name), "everyday%d", i);
		et_daemon_run_execution(run, et_daemon_record_name(r, name),
			0.1 * (i + 1) * exp(0.7 * et_rng_normal(rng)));
	}
	if (et_rng_uniform(rng) < 0.1) {
		snprintf(name, sizeof(name), "rare%d", (int)(60 * et_rng_uniform(rng)));
		et_daemon_run_execution(
			run, et_daemon_record_name(r, name), 0.1 + 3 * et_rng_uniform(rng));
	}
}

/*
 * The samples have places in time, one after the other, as if nobody disturbed them, and a sample
 * has the part of each visit that falls into its place. Elapsed time grows by the daemon's time,
 * CPU time by a hundredth of it (caches). A kernel thread is in every sample.
 */
static void plant(struct et_daemon_record *r, struct et_daemon_run *run, const struct planted *p,
	struct et_rng *rng)
{
	*run = (struct et_daemon_run){
		.samples = p->n, .sample_seconds = p->seconds, .whole = true
	};
	for (uint32_t i = 0; i < p->n; i++) {
		double from = i * p->seconds, to = from + p->seconds, taken = 0;
		et_daemon_run_add(run, i + 1, from);
		double kernel_ms = 0.8 + 0.2 * et_rng_uniform(rng);
		et_daemon_run_execution(run, et_daemon_record_name(r, "rcu"),
			p->whole_ms ? ceil(kernel_ms) : kernel_ms);
		for (const struct visit *v = p->visits; v && v->name; v++) {
			double ms = 1000 * v->share * (fmin(to, v->to_s) - fmax(from, v->from_s));
			ms = p->whole_ms ? round(ms) : ms;
			if (!(ms > 0))
				continue;
			et_daemon_run_execution(run, et_daemon_record_name(r, v->name), ms);
			taken += ms;
		}
		if (p->company)
			add_company(r, run, rng);
		double stolen = p->stolen_share > 0 && et_rng_uniform(rng) < p->stolen_share
					? 20 + 200 * et_rng_uniform(rng)
					: 0;
		struct et_daemon_sample *w = &run->listed[i];
		w->elapsed_ms = 1000 * p->seconds + planted_noise(rng, p) + taken + stolen;
		w->cpu_ms = 1000 * p->seconds + p->noise_ms / 4 * fabs(et_rng_normal(rng)) +
			    0.01 * taken;
		if (p->whole_ms) {
			w->elapsed_ms = round(w->elapsed_ms);
			w->cpu_ms = round(w->cpu_ms);
		}
	}
}

/* Plants a short run and, if it is not NULL, a long one, and looks for daemons in them. */
static void plant_and_find(struct et_daemon_record *r, const struct planted *short_run,
	const struct planted *long_run, uint64_t seed, struct et_daemon_findings *f)
{
	struct et_error err;
	struct et_rng rng;

	et_rng_seed(&rng, seed, 13);
	memset(r, 0, sizeof(*r));
	plant(r, &r->short_run, short_run, &rng);
	r->has_long = long_run != NULL;
	if (long_run)
		plant(r, &r->long_run, long_run, &rng);
	et_daemon_record_settle(r);
	if (et_daemons_analyse(r, "planted", f, &err))
		tap_bail("%s", err.what);
}

static void uproot(struct et_daemon_record *r, struct et_daemon_findings *f)
{
	et_daemon_findings_free(f);
	et_daemon_record_free(r);
}

static const struct et_cutoff *cutoff_of(const struct et_daemon_findings *f, const char *name)
{
	for (size_t i = 0; i < f->n_cutoffs; i++) {
		if (!strcmp(f->cutoffs[i].daemon, name))
			return &f->cutoffs[i];
	}
	return NULL;
}

static bool is_frequent_in(
	const struct et_daemon_record *r, const struct et_run_findings *f, const char *name)
{
	for (size_t i = 0; i < r->n_names; i++) {
		if (!strcmp(r->names[i], name))
			return f->frequent[i];
	}
	return false;
}
