/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conduct/measuring.h"
#include "base/clock.h"
#include "base/parse.h"
#include "draw/units.h"
#include "measure/ledger/ledger.h"
#include "profile/sampling/observe.h"
#include "protocol/until.h"
#include "source/kind.h"
#include "source/trusted.h"
#include "stats/compare/judge.h"
#include "stats/profile/profile.h"

extern char **environ;

/* Of profiles --until is about the shares of functions, otherwise about the mean. */
static double reached(void *ctx, const struct et_experiment *e, uint32_t command)
{
	struct et_measuring *m = ctx;

	if (e->plan.equal_ratio > 0)
		return et_deciding_reached(&m->deciding, e, command, m->elapsed_ns);
	return e->profile ? et_profile_reached(e, command, m->statements)
			  : et_until_reached(e, command);
}

static enum et_kinds kinds(void *ctx, const struct et_experiment *e, uint32_t command)
{
	(void)ctx;
	return et_judge_kinds(e, command);
}

static void format_shares(const struct et_progress_note *n, double target, char *out, size_t size)
{
	char now[ET_FIGURE], wanted[ET_FIGURE];

	if (target > 0 && !isnan(n->reached))
		snprintf(out, size, "± %s → %s", et_format_percent(n->reached, now),
			et_format_percent(target, wanted));
}

/* "79 ms ± 4.0 %", or with --until "79 ms ± 1.1 % → 0.3 %". */
static void format_estimate(const struct et_progress_note *n, double target, char *out, size_t size)
{
	char mean[ET_FIGURE], share[ET_FIGURE], to[ET_FIGURE] = "";

	if (isnan(n->mean_ns))
		return;
	et_format_rounded(n->mean_ns, 3, mean);
	et_format_percent(n->uncertainty, share);
	if (target > 0)
		et_format_percent(target, to);
	snprintf(out, size, "%s ± %s%s%s", mean, share, *to ? " → " : "", to);
}

/* "64 pairs, -0.3 % … +1.4 %": how far a decision is. */
static void format_open(const struct et_contrast *open, char *out, size_t size)
{
	struct et_ratio r = et_contrast_ratio(open);

	if (open->pairs && isfinite(r.lo) && isfinite(r.hi))
		snprintf(out, size, "%zu pairs, %s", open->pairs,
			et_format_change_bounds(r.estimate, r.lo, r.hi, "…", ET_BUF));
}

/* A change that the store refuses is in the record of this run at least. */
static void note_change(void *ctx, const char *factor, const char *what)
{
	struct et_measuring *m = ctx;
	struct et_experiment *e = et_session_experiment(m->session);
	struct et_error err;
	const struct et_factor *added =
		et_experiment_add_change(e, factor, what, et_clock_real.wall_ns(NULL));

	(void)!et_store_add_factor(m->store, e->id, e->n_environment - 1, added, &err);
}

/* The clock and the network are looked at now and then, because every look takes time. */
#define LOOK_NS UINT64_C(5000000000)

/* After each run. */
static void draw(void *ctx, const struct et_progress_note *n)
{
	struct et_measuring *m = ctx;
	const struct et_experiment *e = et_session_experiment(m->session);
	const struct et_plan *p = &e->plan;
	char estimate[2 * ET_FIGURE] = "";
	struct et_progress_state state = { .name = n->command->name,
		.done = n->done,
		.total = n->total,
		.steps_done = n->turns,
		.steps = n->all_turns,
		.estimate = estimate,
		.elapsed_ns = n->elapsed_ns,
		.time_limit_ns = p->time_limit_ns };

	/* Of a designed experiment all runs count, those of earlier sessions included. */
	if (e->design) {
		state.total = (uint64_t)e->n_commands * p->runs;
		state.done = n->all_turns ? state.total - (n->all_turns - n->turns) : 0;
	}
	m->elapsed_ns = n->elapsed_ns;
	if (n->elapsed_ns >= m->next_look_ns) {
		et_watch_look(&m->watch);
		m->next_look_ns = n->elapsed_ns + LOOK_NS;
	}
	if (m->noted)
		m->noted(m, n);
	if (p->equal_ratio > 0)
		format_open(&m->deciding.widest, estimate, sizeof(estimate));
	else
		(e->profile ? format_shares : format_estimate)(
			n, p->until_ratio, estimate, sizeof(estimate));
	et_progress_draw(&m->progress, &state, et_clock_read_ns(CLOCK_MONOTONIC));
}

/*
 * The parts of a study take turns, in environments and beside loads that the study makes. Only the
 * study itself resumes in blocks.
 */
static int check_study(
	const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	const char *lab = e->member.study_lab ? e->member.study_lab : "NAME";

	if (m->most_rounds || et_member_kind(&e->member) != ET_MEMBER_STUDY)
		return 0;
	return et_hint(err,
		et_refuse(err, NULL,
			"experiment %s belongs to a study of 'etalon lab', which sets the machine "
			"up for it",
			e->id),
		"run 'etalon lab %s --resume' with the options of the study", lab);
}

/* `etalon emp` adds its steps to runs of its own protocol only. */
static int check_protocol(
	const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	if (!m->resume_verb || strcmp(m->resume_verb, "emp") != 0 || e->protocol == ET_PROTOCOL_EMP)
		return 0;
	return et_hint(err,
		et_refuse(err, NULL, "experiment %s was not begun by 'etalon emp'", e->id),
		"run 'etalon daemons learn --resume' if it is a learning, else 'etalon run "
		"--resume %s'",
		e->id);
}

int et_measuring_check(void *ctx, const struct et_experiment *e, struct et_error *err)
{
	const struct et_measuring *m = ctx;
	int rc = check_study(m, e, err);

	if (rc == 0 && m->resume_verb)
		rc = et_stored_check_resume(m->cli, m->resume_verb, e, err);
	return rc ? rc : check_protocol(m, e, err);
}

/* The decision whether a stored record may be resumed by this command. */
static struct et_trust trust_of(const struct et_measuring *m)
{
	static const struct {
		const char *verb, *way;
	} ways[] = { { "run", "etalon run --resume" }, { "profile", "etalon profile --resume" },
		{ "emp", "etalon emp --resume" } };
	struct et_trust trust = et_trusted(m->cli, m->trust);

	for (size_t i = 0; m->resume_verb && i < ET_LENGTH(ways); i++) {
		if (!strcmp(m->resume_verb, ways[i].verb))
			trust.way = ways[i].way;
	}
	memcpy(trust.planned, m->planned, sizeof(trust.planned));
	return trust;
}

/* Brings the machine into the state of the treatment of a command. */
static int treat(void *ctx, uint32_t command, struct et_error *err)
{
	struct et_measuring *m = ctx;

	return et_tuning_treat(
		&m->tuning, command, et_session_experiment(m->session)->profile != NULL, err);
}

static struct et_session_setup session_setup(struct et_measuring *m)
{
	m->hooks.note = draw;
	m->hooks.reached = reached;
	m->hooks.kinds = kinds;
	m->hooks.treat = treat;
	m->hooks.ctx = m;
	return (struct et_session_setup){ .store = m->store,
		.interrupt = m->interrupt,
		.envp = environ,
		.profiler = &et_observe_profile,
		.profile_reader = &et_observe_profile_file,
		.no_ledger = m->no_ledger,
		.early = m->early,
		.draw_seed = m->draw_seed,
		.most_rounds = m->most_rounds,
		.more = m->more,
		.replan = m->replan,
		.replan_ctx = m->replan_ctx,
		.hooks = m->hooks,
		.trust = trust_of(m),
		.place = m->place ? m->place : &m->tuning.place };
}

/* Everything before the session; e may be NULL. */
static int prepare(struct et_measuring *m, struct et_experiment *e, struct et_error *err)
{
	m->early = m->no_ledger ? NULL : et_ledger_early();
	int rc = m->store ? 0 : et_stored_open(m->cli, ET_STORE_WRITE, &m->store, err);

	et_leftovers_end(m->cli);
	return rc ? rc : et_tuning_begin(&m->tuning, m->cli, &m->env, e, m->text, err);
}

int et_measuring_begin(struct et_measuring *m, struct et_experiment *e, struct et_error *err)
{
	int rc = prepare(m, e, err);

	if (rc) {
		et_experiment_free(e);
		return rc;
	}
	struct et_session_setup setup = session_setup(m);
	return et_session_begin(&setup, e, &m->session, err);
}

int et_measuring_resume(struct et_measuring *m, const char *name, struct et_error *err)
{
	int rc = prepare(m, NULL, err);
	if (rc)
		return rc;
	struct et_session_setup setup = session_setup(m);
	setup.check = et_measuring_check;
	return et_stored_hint(m->cli, et_session_resume(&setup, name, &m->session, err), err);
}

char *et_measuring_resumption(const struct et_measuring *m)
{
	const char *id = et_session_experiment(m->session)->id, *store = m->cli->store;

	if (!m->resume_verb)
		return m->resumption ? et_strdup(m->resumption) : NULL;
	char **words = et_strv_of(
		"etalon", m->resume_verb, "--resume", id, store ? "--store" : NULL, store, NULL);
	char *line = et_join_words(words);

	et_strv_free(words);
	return line;
}

/* A full disk need not cost more than the samples that it could not take. */
static int hint_resumption(const struct et_measuring *m, int rc, struct et_error *err)
{
	ET_AUTO_FREE char *command = et_measuring_resumption(m);
	ET_AUTO_FREE char *cure = et_strdup(err->hint);

	if (!command)
		return rc;
	return et_hint(err, rc, "%s%srun '%s' to continue", cure, *cure ? "; then " : "", command);
}

int et_measuring_drive(struct et_measuring *m, struct et_error *err)
{
	const struct et_experiment *e = et_session_experiment(m->session);
	/* The program's own output would be mixed with the progress line. */
	bool shared = e->child.output && !strcmp(e->child.output, "inherit");

	m->progress = (struct et_progress){ .out = m->cli->progress && !shared ? stderr : NULL,
		.width = m->cli->columns };
	m->watch = (struct et_watch){
		.machine = &m->tuning.machine, .changed = note_change, .ctx = m
	};
	et_watch_begin(&m->watch);
	m->next_look_ns = LOOK_NS;
	int rc = e->design ? et_tuning_vary(&m->tuning, m->cli, e->design, err) : 0;
	if (rc)
		return rc;
	/* The runner has opened its observers. */
	et_confine_lower(e->profile != NULL);
	rc = et_session_drive(m->session, err);
	et_confine_raise();
	et_progress_erase(&m->progress);
	et_watch_look(&m->watch);
	et_tuning_end(&m->tuning, m->cli);
	if (rc && rc != -EINTR && rc != -EAGAIN && e->state == ET_STATE_INTERRUPTED)
		return hint_resumption(m, rc, err);
	return rc;
}

void et_measuring_close(struct et_measuring *m)
{
	et_tuning_end(&m->tuning, m->cli);
	et_session_close(m->session);
	et_ledger_early_end(m->early);
	et_store_close(m->store);
	free(m->deciding.open);
}

int et_measure(struct et_cli *cli, struct et_interrupt *interrupt, struct et_experiment *e,
	const char *name, const char *resumption, struct et_experiment **out, struct et_error *err)
{
	struct et_measuring m = {
		.cli = cli, .interrupt = interrupt, .resumption = resumption, .text = stderr
	};

	*out = NULL;
	int rc = e ? et_measuring_begin(&m, e, err) : et_measuring_resume(&m, name, err);
	if (rc == 0)
		rc = et_measuring_drive(&m, err);
	if (m.session && (rc == 0 || rc == -EINTR))
		*out = et_session_take_experiment(m.session);
	et_measuring_close(&m);
	return rc;
}
