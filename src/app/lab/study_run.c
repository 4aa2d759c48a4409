/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the versions of EMP, each in its environment. The environments alternate in blocks of
 * some rounds, in an order that is drawn for each cycle, so that a drift of the machine affects all
 * of them. Every change of the machine goes through the journal and is restored after its block.
 */
#include "app/lab/study.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "conduct/measuring.h"
#include "num/rng.h"
#include "put/put.h"
#include "source/studies.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct plan {
	struct et_study *s;
	char exe[PATH_MAX];
	struct et_study_group groups[ET_STUDY_GROUPS];
	unsigned n_groups;
	bool measured[ET_ENVS]; /* the environments that this machine can have */
	char ids[ET_ENVS][ET_STUDY_GROUPS + 1][40]; /* of experiments that have begun */
	bool own[ET_ENVS][ET_STUDY_GROUPS + 1];     /* this process began them */
};

/* --- experiments and blocks --- */

static struct et_experiment *make_experiment(
	const struct plan *p, enum et_lab_env env, unsigned group)
{
	const struct et_study_group *g = &p->groups[group - 1];
	struct et_experiment *e = et_experiment_new();

	ET_AUTO_FREE char *part = et_study_part(env, group);
	et_study_join(e, p->s->prefix, ET_STUDY_LAB, part);
	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = ET_ORDER_RANDOM;
	e->plan.runs = g->runs;
	e->plan.warmup = 0; /* every block would warm up again, for up to hours */
	e->plan.seed = p->s->r->simulation.seed + (uint64_t)env;
	e->plan.pace = env == ET_ENV_PACED;
	for (size_t i = 0; i < g->n; i++) {
		ET_AUTO_FREE char *length = et_asprintf("%" PRIu64 "ns", g->lengths_ns[i]);
		et_experiment_add_command(e, et_lab_task(g->lengths_ns[i]),
			et_strv_of(p->exe, "put", "inc", "--seconds", length, NULL));
	}
	return e;
}

/* Runs a block. Returns 0 if the experiment is finished, -EAGAIN if it has more rounds. */
static int run_block(struct plan *p, enum et_lab_env env, unsigned group, struct et_error *err)
{
	struct et_lab_request *r = p->s->r;
	struct et_cli quiet = *r->cli; /* the rehearsal has named the changes */
	char *id = p->ids[env][group];
	struct et_measuring m = { .cli = &quiet,
		.interrupt = r->interrupt,
		.env = et_study_wish(env),
		.text = stderr,
		.trust = p->own[env][group],
		.most_rounds = et_study_block(&p->groups[group - 1]) };

	if (r->interrupt->signal)
		return -EINTR;
	quiet.verbosity = -1;
	int rc = *id ? et_measuring_resume(&m, id, err)
		     : et_measuring_begin(&m, make_experiment(p, env, group), err);
	if (rc == 0 && !*id) {
		memcpy(id, et_session_experiment(m.session)->id, sizeof(p->ids[env][group]));
		p->own[env][group] = true;
	}
	if (rc == 0)
		rc = et_measuring_drive(&m, err);
	et_measuring_close(&m);
	return rc == -EALREADY ? 0 : rc; /* an earlier session has finished it */
}

/* The environments of a group in a random order. Returns their number. */
static size_t draw_order(const struct plan *p, unsigned group, uint64_t cycle, int out[ET_ENVS])
{
	struct et_rng rng;
	size_t n = 0;

	for (int env = 0; env < ET_ENVS; env++) {
		if (p->measured[env])
			out[n++] = env;
	}
	if (p->groups[group - 1].last_only) {
		int last = ET_ENV_V3;
		while (!p->measured[last])
			last--;
		out[0] = last;
		return 1;
	}
	et_rng_seed(&rng, p->s->r->simulation.seed, cycle);
	for (size_t i = n; i > 1; i--) {
		size_t k = et_rng_below(&rng, i);
		int t = out[i - 1];
		out[i - 1] = out[k];
		out[k] = t;
	}
	return n;
}

static int run_group(struct plan *p, unsigned group, struct et_error *err)
{
	bool done[ET_ENVS] = { false }, more = true;
	int order[ET_ENVS];

	for (uint64_t cycle = 0; more; cycle++) {
		size_t n = draw_order(p, group, cycle, order);
		more = false;
		for (size_t i = 0; i < n; i++) {
			if (done[order[i]])
				continue;
			int rc = run_block(p, (enum et_lab_env)order[i], group, err);
			if (rc && rc != -EAGAIN)
				return rc;
			done[order[i]] = rc == 0;
			more = more || rc;
		}
	}
	return 0;
}

/* --- the study --- */

/* Prints how long the study takes, if that is long. */
static void announce(const struct plan *p)
{
	double seconds = 0;
	int order[ET_ENVS];

	for (unsigned g = 1; g <= p->n_groups; g++) {
		double round = 0, n = (double)draw_order(p, g, 0, order);
		for (size_t i = 0; i < p->groups[g - 1].n; i++)
			round += 1e-9 * (double)p->groups[g - 1].lengths_ns[i];
		seconds += n * round * p->groups[g - 1].runs;
	}
	if (p->s->r->cli->verbosity < 0 || seconds < 60)
		return;
	if (seconds < 86400)
		et_say(stderr, "etalon: the runs take about %.0f minutes\n", seconds / 60);
	else
		et_say(stderr, "etalon: the runs take about %.0f days\n", seconds / 86400);
}

/* Finds what an earlier call has begun. */
static int take_up(struct plan *p, const char *label, struct et_error *err)
{
	struct et_study *s = p->s;
	int rc = et_study_load(s, label, err);

	if (rc == 0 && !s->prefix)
		rc = et_fail(err, ENOENT, ET_EXIT_USAGE, "--resume: '%s' is no study", label);
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		const struct et_experiment *e = s->sources[i].e;
		unsigned group = s->groups[i];
		if (group > p->n_groups || !et_study_group_is(&p->groups[group - 1], e))
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE,
					"--resume: '%s' has other lengths or runs", s->prefix),
				"give the options with which it began");
		memcpy(p->ids[s->sources[i].env][group], e->id, sizeof(e->id));
	}
	return rc;
}

/* The task is calibrated now, not in the first sample. */
static void calibrate(void)
{
	ET_AUTO_FREE char *dir = et_cli_state_dir();
	struct et_put_params params = {
		.given = ET_PUT_SECONDS, .seconds_ns = 1000000, .state_dir = dir
	};
	struct et_put_result ignored;
	struct et_error err;

	(void)!et_workload_run(et_workload_find("inc"), &params, &ignored, &err);
}

int et_study_measure(struct et_study *s, struct et_error *err)
{
	struct plan *p = et_calloc(1, sizeof(*p));
	const char *label = s->r->measure.label ? s->r->measure.label : "lab " ET_STUDY_LAB;
	int rc = et_program_find("etalon", p->exe, err);

	p->s = s;
	p->n_groups = et_study_groups(s->r, p->groups);
	if (rc == 0 && s->r->given & ET_LAB_RESUME)
		rc = take_up(p, label, err);
	else if (rc == 0)
		s->prefix = et_study_name(label);
	if (rc == 0)
		rc = et_study_choose(s, p->measured, err);
	if (rc == 0) {
		announce(p);
		calibrate();
	}
	for (unsigned g = 1; rc == 0 && g <= p->n_groups; g++)
		rc = run_group(p, g, err);
	free(p);
	return rc;
}
