/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the parts of a study of profilers in turn, in blocks of rounds. */
#include "app/lab/profile.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "conduct/measuring.h"
#include "lab/rivals.h"
#include "source/studies.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCKS = 5 };

struct et_experiment *et_profiling_plan(
	const struct et_profiling *p, const struct et_lab_part *part)
{
	struct et_experiment *e = et_experiment_new();

	et_study_join(e, p->prefix, p->lab->name, part->name);
	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = ET_ORDER_ROUND_ROBIN; /* all levels upward, then the next iteration */
	e->plan.runs = p->runs;
	e->plan.warmup = 0; /* every block would warm up again */
	e->plan.seed = p->r->simulation.seed;
	e->profile = et_profile_new(&part->plan);
	if (et_profile_by_file(e->profile) && p->folder)
		e->child.directory = et_strdup(p->folder);
	if (p->cpu >= 0)
		e->child.cpus = et_asprintf("%d", p->cpu);
	p->lab->add_commands(p, part, e);
	return e;
}

/* Returns 0 if the part is finished, -EAGAIN if it has more rounds. */
static int drive(struct et_profiling *p, struct et_lab_part *part, struct et_error *err)
{
	struct et_cli quiet = *p->r->cli;
	struct et_measuring m = { .cli = &quiet,
		.interrupt = p->r->interrupt,
		.no_ledger = true,
		.text = stderr,
		.trust = part->own,
		.most_rounds = (p->runs + BLOCKS - 1) / BLOCKS };

	quiet.verbosity = -1;
	int rc = *part->id ? et_measuring_resume(&m, part->id, err)
			   : et_measuring_begin(&m, et_profiling_plan(p, part), err);
	if (rc == 0 && !*part->id) {
		memcpy(part->id, et_session_experiment(m.session)->id, sizeof(part->id));
		part->own = true;
	}
	if (rc == 0)
		rc = et_measuring_drive(&m, err);
	et_measuring_close(&m);
	return rc == -EALREADY ? 0 : rc; /* an earlier session has finished it */
}

static int run_block(struct et_profiling *p, struct et_lab_part *part, struct et_error *err)
{
	char *const load[] = { (char *)"dd", (char *)"if=/dev/urandom", (char *)"of=/dev/null",
		NULL };
	struct et_rivals rivals = { 0 };
	int rc = 0;

	if (p->r->interrupt->signal)
		return -EINTR;
	if (part->load)
		rc = et_rivals_start_program(&rivals, load, p->cpu, err);
	if (rc == 0)
		rc = drive(p, part, err);
	if (part->load)
		et_rivals_end(&rivals);
	return rc;
}

static int run_parts(struct et_profiling *p, struct et_error *err)
{
	bool done[ET_LAB_MOST_PARTS] = { false }, more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < p->n; i++) {
			if (done[i])
				continue;
			int rc = run_block(p, &p->parts[i], err);
			if (rc && rc != -EAGAIN)
				return rc;
			done[i] = rc == 0;
			more = more || rc;
		}
	}
	return 0;
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

	for (size_t i = 0; i < p->n; i++) {
		struct et_experiment *e = et_profiling_plan(p, &p->parts[i]);
		double run = 1e-9 * (double)p->work_ns * (p->parts[i].load ? 2 : 1) + 0.02 +
			     lead_of(&p->parts[i]);
		treatments += e->n_commands;
		seconds += run * (double)e->n_commands * p->runs;
		et_experiment_free(e);
	}
	et_lab_announce(p->r, treatments, "treatments", p->runs, seconds);
}

/* The folder has the same name when the study is resumed, because its commands name it. */
static int make_folder(struct et_profiling *p, struct et_error *err)
{
	ET_AUTO_FREE char *state = et_cli_state_dir();
	const char *stamp = strrchr(p->prefix, '/') + 1;

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

/* The parts of an earlier call that have begun must have the same treatments. */
static int take_up(struct et_profiling *p, const char *label, struct et_error *err)
{
	int rc = et_profiling_find(p, label, err);

	for (size_t i = 0; rc == 0 && i < p->n; i++) {
		struct et_experiment *e = p->parts[i].e;
		if (e && e->plan.runs != p->runs)
			rc = et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE, "--resume: '%s' has other runs",
					p->prefix),
				"give the options with which it began");
		et_experiment_free(e);
		p->parts[i].e = NULL;
	}
	return rc;
}

int et_profiling_measure(struct et_profiling *p, struct et_error *err)
{
	ET_AUTO_FREE char *usual = et_asprintf("lab %s", p->lab->name);
	const char *label = p->r->measure.label ? p->r->measure.label : usual;
	int rc = 0;

	if (p->r->given & ET_LAB_RESUME)
		rc = take_up(p, label, err);
	else
		p->prefix = et_study_name(label);
	if (rc == 0)
		rc = make_folder(p, err);
	if (rc == 0)
		rc = et_profiling_compile(p, err);
	if (rc == 0) {
		announce(p);
		rc = run_parts(p, err);
	}
	if (rc == 0 && p->folder) {
		et_lab_folder_remove(p->folder);
		p->folder = NULL;
	}
	return rc;
}
