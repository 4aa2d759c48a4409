/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The studies of profilers: how they are planned, measured and loaded. */
#include "app/lab/profile.h"
#include "base/alloc.h"
#include "lab/rivals.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCKS = 5 };

static struct et_experiment *plan(const struct et_lab_study *s, const struct et_lab_part *part)
{
	const struct et_profiling *p = s->owner;
	struct et_experiment *e = et_experiment_new();

	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = ET_ORDER_ROUND_ROBIN; /* all levels upward, then the next iteration */
	e->plan.runs = p->runs;
	e->plan.warmup = 0; /* every block would warm up again */
	e->plan.seed = p->study.r->simulation.seed;
	e->profile = et_profile_new(&part->plan);
	if (et_profile_by_file(e->profile) && p->folder)
		e->child.directory = et_strdup(p->folder);
	if (p->cpu >= 0)
		e->child.cpus = et_asprintf("%d", p->cpu);
	p->lab->add_commands(p, part, e);
	return e;
}

static int run_block(void *ctx, struct et_lab_part *part, struct et_error *err)
{
	char *const load[] = { (char *)"dd", (char *)"if=/dev/urandom", (char *)"of=/dev/null",
		NULL };
	struct et_profiling *p = ctx;
	struct et_measuring m = { .no_ledger = true,
		.most_rounds = (p->runs + BLOCKS - 1) / BLOCKS };
	struct et_rivals rivals = { 0 };
	int rc = 0;

	if (part->load)
		rc = et_rivals_start_program(&rivals, load, p->cpu, err);
	if (rc == 0)
		rc = et_lab_study_block(&p->study, part, &m, err);
	if (part->load)
		et_rivals_end(&rivals);
	return rc;
}

static size_t in_order(void *ctx, uint64_t cycle, struct et_lab_part **out)
{
	struct et_profiling *p = ctx;

	(void)cycle;
	for (size_t i = 0; i < p->study.n; i++)
		out[i] = &p->study.parts[i];
	return p->study.n;
}

/* --- the study --- */

/*
 * The CPU time that passes before a run in order to begin at a random moment of each event's
 * period: several events share the rate.
 */
static double lead_of(const struct et_lab_part *part)
{
	enum { EVENTS = 8 };
	const struct et_profile_plan *plan = &part->plan;
	double period = plan->period ? 1e-9 * (double)plan->period : 1 / plan->rate_hz;

	return part->alone || !strcmp(plan->event, ET_EVENT_PERF) ? 0
	       : plan->fixed                                      ? period / 2
								  : EVENTS * period;
}

/* The expected time: the load takes half of the CPU. */
static void announce(const struct et_profiling *p)
{
	double seconds = 0;
	size_t treatments = 0;

	for (size_t i = 0; i < p->study.n; i++) {
		struct et_experiment *e = et_lab_study_plan(&p->study, &p->study.parts[i]);
		double run = 1e-9 * (double)p->work_ns * (p->study.parts[i].load ? 2 : 1) + 0.02 +
			     lead_of(&p->study.parts[i]);
		treatments += e->n_commands;
		seconds += run * (double)e->n_commands * p->runs;
		et_experiment_free(e);
	}
	et_lab_announce(p->study.r, treatments, "treatments", p->runs, seconds);
}

/* The folder has the same name when the study is resumed, because its commands name it. */
static int make_folder(struct et_profiling *p, struct et_error *err)
{
	ET_AUTO_FREE char *state = et_cli_state_dir();
	const char *stamp = strrchr(p->study.prefix, '/') + 1;

	if (!state)
		return et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"no folder for the programs: neither HOME nor XDG_STATE_HOME is set");
	p->folder = et_asprintf("%s/lab/%s", state, stamp);
	for (char *slash = strchr(p->folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(p->folder, 0700);
		*slash = '/';
	}
	if (mkdir(p->folder, 0700) && errno != EEXIST)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, p->folder);
	return 0;
}

/* Parts of different experiments may have the same name, but their treatments differ. */
static int check_part(
	const struct et_lab_study *s, const struct et_lab_part *part, struct et_error *err)
{
	const struct et_profiling *p = s->owner;
	struct et_experiment *planned = et_lab_study_plan(s, part);
	const struct et_experiment *e = part->e;
	bool same = e->profile && e->n_commands == planned->n_commands;

	for (size_t i = 0; same && i < e->n_commands; i++)
		same = !strcmp(e->commands[i].name, planned->commands[i].name);
	et_experiment_free(planned);
	if (!same)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s' is no experiment of lab %s",
			s->prefix, s->lab);
	if (s->r->measure.from || e->plan.runs == p->runs)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "--resume: '%s' has other runs", s->prefix),
		"give the options with which it began");
}

static int loaded(struct et_lab_study *s, struct et_store *store, struct et_error *err)
{
	int rc = 0;

	(void)store;
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		if (s->parts[i].e)
			rc = check_part(s, &s->parts[i], err);
	}
	return rc;
}

static int measure(struct et_lab_study *s, struct et_error *err)
{
	struct et_profiling *p = s->owner;
	int rc = make_folder(p, err);

	if (rc == 0)
		rc = et_profiling_compile(p, err);
	if (rc == 0) {
		announce(p);
		rc = et_lab_study_turns(in_order, run_block, p, err);
	}
	if (rc == 0) {
		et_lab_folder_remove(p->folder);
		p->folder = NULL;
	}
	return rc;
}

static int print(struct et_lab_study *s, struct et_error *err)
{
	bool has_runs = false;
	FILE *svg = NULL;
	int rc = 0;

	for (size_t i = 0; i < s->n_found; i++)
		has_runs = has_runs || s->found[i]->profile->n_runs;
	if (has_runs)
		rc = et_lab_picture(s->r, &svg, err);
	if (has_runs && rc == 0)
		et_profiling_print(s->owner, svg);
	return rc;
}

static void set_sizes(struct et_profiling *p)
{
	const struct et_lab_request *r = p->study.r;
	bool paper = r->given & ET_LAB_PRESET;

	p->runs = r->measure.runs ? (uint32_t)r->measure.runs
		  : paper         ? p->lab->paper_runs
				  : p->lab->runs;
	p->work_ns = r->measure.n_lengths ? r->measure.lengths_ns[0]
		     : paper              ? p->lab->paper_work_ns
					  : p->lab->work_ns;
}

static const struct et_profile_lab *find(const char *name)
{
	static const struct et_profile_lab *const all[] = { &et_lab_fragmentation,
		&et_lab_sampling_rate, &et_lab_competing_load, &et_lab_triangle,
		&et_lab_sampling_bias };
	size_t i = 0;

	while (strcmp(all[i]->name, name))
		i++;
	return all[i];
}

int et_lab_profile(struct et_call *call, struct et_error *err)
{
	struct et_profiling *p = et_calloc(1, sizeof(*p));
	struct et_lab_study *s = &p->study;
	int rc;

	*s = (struct et_lab_study){ .r = call->ctx,
		.owner = p,
		.plan = plan,
		.loaded = loaded,
		.measure = measure,
		.print = print };
	p->lab = find(s->r->name);
	s->lab = p->lab->name;
	p->cpu = -1;
	if (s->r->measure.n_lengths > 1)
		rc = et_fail(err, EINVAL, ET_EXIT_USAGE,
			"lab %s: --lengths takes one length, that of each run", s->lab);
	else
		rc = et_program_find("etalon", s->exe, err);
	if (rc == 0) {
		set_sizes(p);
		p->lab->plan(p);
		rc = et_lab_study_perform(s, err);
	}
	et_lab_study_free(s);
	for (size_t i = 0; i < p->n_missing; i++)
		free(p->missing[i]);
	free(p->folder);
	free(p);
	return rc;
}
