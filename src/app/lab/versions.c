/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon lab emp-versions` measures the versions of EMP, each in its environment. These alternate
 * in blocks, against drift. Changes go through the journal and are restored after their block.
 */
#include "app/lab/versions.h"
#include "base/display.h"
#include "conduct/tuning.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "num/num.h"
#include "protocol/versions.h"
#include "put/put.h"
#include "session/removal.h"
#include "stats/compare/pace.h"
#include "stats/fleet/versions.h"

struct versions {
	struct et_lab_study study;
	struct et_study_group groups[ET_STUDY_GROUPS];
	unsigned n_groups, group; /* group: the one that is measured, from 1 */
	bool measured[ET_ENVS];   /* the environments that this machine can have */
	char *why_not[ET_ENVS];   /* why an environment was not possible, or NULL */
	struct et_cutoffs cutoffs;
	bool learned; /* there are cutoffs */
};

/* The store's fact about an environment that was not possible. Caller frees. */
static char *fact_of(const struct versions *s, enum et_lab_env env)
{
	return et_asprintf("%s/%s: not possible", s->study.prefix, et_lab_env_names[env]);
}

static void forget(struct versions *s)
{
	for (int i = 0; i < ET_ENVS; i++) {
		free(s->why_not[i]);
		s->why_not[i] = NULL;
	}
	if (s->learned)
		et_cutoffs_free(&s->cutoffs);
	s->learned = false;
}

/* --- lengths and numbers of runs, as the user gave them or as the papers have them --- */

#define S 1000000000ull

const char *const et_lab_presets[] = { "paper", NULL };

static const struct et_study_group paper[ET_STUDY_GROUPS] = {
	{ { 1 * S, 2 * S, 4 * S, 8 * S }, 4, 1000, false },
	{ { 16 * S, 32 * S, 64 * S }, 3, 1000, true },
	{ { 128 * S, 256 * S, 512 * S, 1024 * S, 2048 * S, 4096 * S }, 6, 300, true },
	{ { 8192 * S, 16384 * S }, 2, 40, true },
};

unsigned et_study_groups(
	const struct et_lab_request *r, struct et_study_group groups[ET_STUDY_GROUPS])
{
	static const uint64_t usual_ns[] = { 1 * S, 2 * S, 4 * S, 8 * S };
	const struct et_lab_measure *m = &r->measure;
	struct et_study_group *g = &groups[0];

	if (r->given & ET_LAB_PRESET) {
		memcpy(groups, paper, sizeof(paper));
		return ET_STUDY_GROUPS;
	}
	g->n = m->lengths_ns.n ? m->lengths_ns.n : ET_LENGTH(usual_ns);
	memcpy(g->lengths_ns, m->lengths_ns.n ? m->lengths_ns.numbers : usual_ns,
		g->n * sizeof(uint64_t));
	g->runs = m->runs ? (uint32_t)m->runs : 40;
	return 1;
}

uint32_t et_study_block(const struct et_study_group *g)
{
	uint64_t round_ns = 0;

	for (size_t i = 0; i < g->n; i++)
		round_ns += g->lengths_ns[i];
	uint64_t fit = 600 * S / (round_ns ? round_ns : 1), tenth = (g->runs + 9) / 10;
	return (uint32_t)(!fit ? 1 : fit < tenth ? fit : tenth);
}

bool et_study_group_is(const struct et_study_group *g, const struct et_experiment *e)
{
	bool same = e->n_commands == g->n && e->plan.runs == g->runs;

	for (size_t i = 0; same && i < g->n; i++) {
		ET_AUTO_FREE char *name = et_lab_task(g->lengths_ns[i]);
		same = !strcmp(e->commands[i].name, name);
	}
	return same;
}

/* --- environments: what each of them changes, and which ones this machine can have --- */

/* The factors that each environment changes; NULL: none. */
#define QUIET "daemons,timers,irqbalance"
#define V1 QUIET ",time-daemon"
#define V2 QUIET ",time-sync"
#define V3 V2 ",turbo,frequency-limits,frequency-governor"
static const char *const changes[ET_ENVS] = {
	[ET_ENV_V1] = V1, [ET_ENV_V2] = V2, [ET_ENV_V3] = V3
};

static struct et_env_wish wish_of(enum et_lab_env env)
{
	return (struct et_env_wish){ .apply = changes[env] != NULL, .only = changes[env] };
}

static const struct et_finding *find(const struct et_findings *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!strcmp(f->list[i].factor, name))
			return &f->list[i];
	}
	return NULL;
}

/* Returns what is wrong with a factor that must be as wanted, or NULL. Caller frees. */
static char *not_as_wanted(const struct et_findings *now, const char *name)
{
	const struct et_finding *f = find(now, name);

	return f && f->verdict == ET_VERDICT_FINE
		       ? NULL
		       : et_asprintf("%s: %s", name, f && f->state ? f->state : "not known");
}

/* Returns why the applied environment is not that of the version, or NULL. Caller frees. */
static char *objection(
	enum et_lab_env env, const struct et_findings *before, const struct et_findings *now)
{
	const struct et_finding *was = find(before, "daemons"), *is = find(now, "daemons");

	/* Some daemons cannot be stopped; the rule of the version names them. */
	if (was && is && is->verdict == ET_VERDICT_DISTURBS && !strcmp(was->state, is->state))
		return et_asprintf("no daemon could be stopped: %s", is->state);
	if (env == ET_ENV_V1)
		return not_as_wanted(now, "time-daemon");
	if (env == ET_ENV_V2)
		return not_as_wanted(now, "time-sync");
	char *why = not_as_wanted(now, "turbo");
	return why ? why : not_as_wanted(now, "frequency-limits");
}

static void look(
	const struct et_machine *m, const struct et_env_wish *wish, struct et_findings *out)
{
	struct et_error never; /* the names are ours */
	ET_AUTO_FREE bool *selected = et_env_select(wish, false, &never);

	et_factors_check(m, selected, out);
}

/* Applies an environment, looks at the machine and restores it. Returns what is wrong, or NULL. */
static char *rehearse(const struct versions *s, enum et_lab_env env)
{
	struct et_findings before = { 0 }, now = { 0 };
	struct et_env_wish wish = wish_of(env);
	struct et_tuning tuning = { 0 };
	struct et_error why = { 0 };
	struct et_machine m;

	et_cli_machine(&m);
	look(&m, &wish, &before);
	et_machine_free(&m);
	int rc = et_tuning_begin(&tuning, s->study.r->cli, &wish, NULL, stderr, &why);
	if (rc == 0)
		look(&tuning.machine, &wish, &now);
	/* The error of `run --env` begins with the name of that option. */
	size_t option = strncmp(why.what, "--env: ", 7) ? 0 : 7;
	char *text = rc ? et_strdup(why.what + option) : objection(env, &before, &now);
	et_tuning_end(&tuning, s->study.r->cli);
	et_findings_free(&before);
	et_findings_free(&now);
	return text;
}

static int store_reason(const struct versions *s, enum et_lab_env env, struct et_error *err)
{
	ET_AUTO_FREE char *key = fact_of(s, env);
	char machine[ET_MACHINE_SIZE];
	struct et_store *store;

	et_host_identity("", machine, sizeof(machine));
	int rc = et_stored_open(s->study.r->cli, ET_STORE_WRITE, &store, err);

	if (rc)
		return rc;
	rc = et_store_set_fact(store, machine, key, s->why_not[env], err);
	et_store_close(store);
	return rc;
}

/*
 * Applies each environment once, looks, and restores it. Fills which are measured, and s->why_not,
 * also in the store. Each includes the one before, so one that is not possible ends the list.
 */
static int choose(struct versions *s, struct et_error *err)
{
	int rc = 0;

	s->measured[ET_ENV_AS_IS] = true;
	s->measured[ET_ENV_PACED] = s->study.r->given & ET_LAB_PACE;
	for (int env = ET_ENV_V1; rc == 0 && env <= ET_ENV_V3; env++) {
		if (s->why_not[env])
			continue; /* as when the study began */
		if (env > ET_ENV_V1 && !s->measured[env - 1])
			s->why_not[env] =
				et_asprintf("%s is not possible", et_lab_env_names[env - 1]);
		else
			s->why_not[env] = rehearse(s, (enum et_lab_env)env);
		s->measured[env] = !s->why_not[env];
		if (s->why_not[env])
			rc = store_reason(s, (enum et_lab_env)env, err);
		if (s->why_not[env] && s->study.r->cli->verbosity >= 0)
			et_say(stderr, "etalon: %s is left empty: %s\n", et_lab_env_names[env],
				s->why_not[env]);
	}
	return rc;
}

/* --- experiments and blocks --- */

static struct et_experiment *plan(const struct et_lab_study *study, const struct et_lab_part *part)
{
	const struct versions *s = study->owner;
	const struct et_study_group *g = &s->groups[part->group - 1];
	struct et_experiment *e = et_experiment_new();

	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = ET_ORDER_RANDOM;
	e->plan.runs = g->runs;
	e->plan.warmup = 0; /* every block would warm up again, for up to hours */
	e->plan.seed = study->r->simulation.seed + (uint64_t)part->env;
	e->plan.pace = part->env == ET_ENV_PACED;
	for (size_t i = 0; i < g->n; i++) {
		ET_AUTO_FREE char *length = et_asprintf("%" PRIu64 "ns", g->lengths_ns[i]);
		et_experiment_add_command(e, et_lab_task(g->lengths_ns[i]),
			et_strv_of(study->exe, "put", "inc", "--seconds", length, NULL));
	}
	return e;
}

static int run_block(struct et_lab_study *study, struct et_lab_part *part, struct et_error *err)
{
	const struct versions *s = study->owner;
	struct et_measuring m = { .env = wish_of(part->env),
		.most_rounds = et_study_block(&s->groups[part->group - 1]) };

	return et_lab_study_block(study, part, m, err); /* the rehearsal named the changes */
}

/* The environments of a group in a random order. */
static size_t draw_order(struct et_lab_study *study, uint64_t cycle, struct et_lab_part **out)
{
	const struct versions *s = study->owner;
	struct et_rng rng;
	size_t n = 0;

	for (int env = 0; env < ET_ENVS; env++) {
		if (s->measured[env])
			out[n++] = &study->parts[env * ET_STUDY_GROUPS + (int)s->group - 1];
	}
	if (s->groups[s->group - 1].last_only) {
		int last = ET_ENV_V3;
		while (!s->measured[last])
			last--;
		out[0] = &study->parts[last * ET_STUDY_GROUPS + (int)s->group - 1];
		return 1;
	}
	et_rng_seed(&rng, study->r->simulation.seed, cycle);
	et_shuffle(&rng, out, n, sizeof(struct et_lab_part *));
	return n;
}

/* --- the study --- */

/* Prints how long the study takes, if that is long. */
static void announce(struct versions *s)
{
	struct et_lab_part *order[ET_LAB_MOST_PARTS];
	double seconds = 0;

	for (s->group = 1; s->group <= s->n_groups; s->group++) {
		const struct et_study_group *g = &s->groups[s->group - 1];
		double round = 0, n = (double)draw_order(&s->study, 0, order);
		for (size_t i = 0; i < g->n; i++)
			round += 1e-9 * (double)g->lengths_ns[i];
		seconds += n * round * g->runs;
	}
	if (s->study.r->cli->verbosity < 0 || seconds < 60)
		return;
	if (seconds < 86400)
		et_say(stderr, "etalon: the runs take about %.0f minutes\n", seconds / 60);
	else
		et_say(stderr, "etalon: the runs take about %.0f days\n", seconds / 86400);
}

/* The parts of an earlier call must have the lengths and runs of this one. */
static int check_parts(const struct versions *s, struct et_error *err)
{
	const struct et_lab_study *study = &s->study;

	if (study->r->given & ET_LAB_RESUME && !study->prefix)
		return et_fail(err, ENOENT, ET_EXIT_USAGE, "--resume: '%s' is no study",
			study->found[0]->label);
	for (size_t i = 0; i < study->n; i++) {
		const struct et_lab_part *part = &study->parts[i];
		if (part->e && (part->group > s->n_groups ||
				       !et_study_group_is(&s->groups[part->group - 1], part->e)))
			return et_refuse(err, "give the options with which it began",
				"--resume: '%s' has other lengths or runs", study->prefix);
	}
	return 0;
}

static int loaded(struct et_lab_study *study, struct et_store *store, struct et_error *err)
{
	struct versions *s = study->owner;
	char machine[ET_MACHINE_SIZE];
	int rc = 0;

	forget(s);
	et_host_identity("", machine, sizeof(machine));
	if (study->n_found) /* it may have been measured on another machine */
		memcpy(machine, study->found[0]->machine, sizeof(machine));
	for (int i = 0; rc == 0 && study->prefix && i < ET_ENVS; i++) {
		ET_AUTO_FREE char *key = fact_of(s, (enum et_lab_env)i);
		rc = et_store_get_fact(store, machine, key, &s->why_not[i], err);
	}
	if (rc == 0 && study->n_found)
		rc = et_session_cutoffs(store, study->found[0], &s->cutoffs, &s->learned, err);
	if (rc == 0 && !study->r->measure.from)
		rc = check_parts(s, err);
	return rc;
}

static int measure(struct et_lab_study *study, struct et_error *err)
{
	struct versions *s = study->owner;
	int rc = choose(s, err);

	if (rc == 0) {
		/* The task is calibrated now, not in the first sample. */
		ET_AUTO_FREE char *dir = et_cli_state_dir();
		struct et_put_params params = {
			.given = ET_PUT_SECONDS, .seconds_ns = 1000000, .state_dir = dir
		};
		struct et_put_result ignored;
		struct et_error unseen;
		announce(s);
		(void)!et_workload_run(et_workload_find("inc"), &params, &ignored, &unseen);
	}
	for (s->group = 1; rc == 0 && s->group <= s->n_groups; s->group++)
		rc = et_lab_study_turns(study, err);
	return rc;
}

/* --- printing --- */

/* The reference loop is judged by the statistics, which the protocol does not know. */
static void add_paced_command(const struct et_command *c, struct et_versions *v)
{
	static const struct et_precision none = { 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	struct et_paced p;

	et_pace_judge(c, 0.95, &p);
	for (size_t t = 0; p.n && t < v->n; t++) {
		struct et_version_figures *f = &v->tasks[t].list[ET_OURS_PACED];
		struct et_version_runs *runs = &f->compared[ET_METRIC_CPU];
		if (strcmp(v->tasks[t].name, c->name) != 0)
			continue;
		runs->x = et_calloc(c->samples.n + 1, sizeof(*runs->x));
		runs->n = et_pace_correct(c, &p, runs->x);
		f->runs = p.n;
		f->env = ET_ENV_PACED;
		f->by[ET_METRIC_ELAPSED] = none; /* the CPU is shared */
		f->by[ET_METRIC_CPU] = (struct et_precision){ p.n, p.mean,
			p.relative_error * p.mean, p.relative_error, NAN, NAN,
			et_skewness(runs->x, runs->n), et_kurtosis(runs->x, runs->n) };
	}
}

static int print(struct et_lab_study *study, struct et_error *err)
{
	struct et_version_source sources[ET_LAB_MOST_PARTS] = { 0 };
	const struct versions *s = study->owner;
	struct et_versions v;

	for (size_t i = 0; i < study->n_found; i++) {
		for (size_t k = 0; k < study->n; k++) {
			if (study->parts[k].e == study->found[i])
				sources[i] = (struct et_version_source){ study->parts[k].env,
					study->parts[k].e };
		}
	}
	et_versions_judge(sources, study->n_found, s->learned ? &s->cutoffs : NULL,
		(const char *const *)s->why_not, &v);
	for (size_t i = 0; i < study->n_found; i++) {
		for (size_t c = 0; c < study->found[i]->n_commands; c++)
			add_paced_command(&study->found[i]->commands[c], &v);
	}
	et_versions_compare(&v);
	int rc = et_lab_show(study->r, &et_lab_emp_versions, NULL,
		&(struct et_versions_view){ &v, study->found, study->n_found }, err);
	et_versions_free(&v);
	return rc;
}

int et_versions_perform(struct et_lab_request *r, struct et_error *err)
{
	struct versions *s = et_calloc(1, sizeof(*s));
	struct et_lab_study *study = &s->study;

	*study = (struct et_lab_study){ .r = r,
		.lab = "emp-versions",
		.n = (size_t)ET_ENVS * ET_STUDY_GROUPS,
		.single = true,
		.owner = s,
		.plan = plan,
		.loaded = loaded,
		.measure = measure,
		.order = draw_order,
		.block = run_block,
		.print = print };
	for (unsigned i = 0; i < study->n; i++) {
		struct et_lab_part *part = &study->parts[i];
		part->env = (enum et_lab_env)(i / ET_STUDY_GROUPS);
		part->group = 1 + i % ET_STUDY_GROUPS;
		if (part->group == 1)
			snprintf(part->name, sizeof(part->name), "%s", et_lab_env_names[part->env]);
		else
			snprintf(part->name, sizeof(part->name), "%s/%u",
				et_lab_env_names[part->env], part->group);
	}
	s->n_groups = et_study_groups(study->r, s->groups);
	int rc = et_program_find("etalon", study->exe, err);
	if (rc == 0)
		rc = et_lab_study_perform(study, err);
	et_lab_study_free(study);
	forget(s);
	free(s);
	return rc;
}
