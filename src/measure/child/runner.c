/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/runner.h"
#include "base/parse.h"
#include "measure/child/hook.h"
#include "measure/child/keeper.h"
#include "measure/child/run.h"
#include "measure/treat/load.h"

#include <sys/prctl.h>

/* The tests of single modules replace it; a runner starts real processes. */
static const char root[] = "";

struct et_runner {
	struct et_run_context context;
	struct et_hook hook;
	pid_t keeper;        /* 0: none */
	struct et_load load; /* of a designed experiment */
	uint64_t most_ns;    /* the time that a run, or a hook around it, may take; 0: any */
	const struct et_request *request; /* the present one */
	int (*treat)(void *ctx, uint32_t command, struct et_error *err);
	void *treat_ctx;
	bool treated;       /* the hooks of a designed experiment have run … */
	uint32_t treatment; /* … for this treatment */
	bool no_hooks;
	struct et_files files; /* of the last scouted run */
	/* The last lines of the programs that failed. */
	char last_lines[ET_SLOTS][ET_LAST_LINES];
};

/* --- opening and closing --- */

static int find_others(struct et_own_process *p, const cpu_set_t *avoid, struct et_error *err)
{
	if (sched_getaffinity(0, sizeof(p->home), &p->home) < 0)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot read the CPU affinity");
	CPU_AND(&p->others, &p->home, avoid);
	CPU_XOR(&p->others, &p->home, &p->others);
	if (!CPU_COUNT(&p->others))
		return et_fail_hint(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"use --metronome off, or allow etalon another CPU (taskset, cpuset)",
			"--metronome needs a second CPU, and etalon may use only one");
	p->metronome = true;
	return 0;
}

/*
 * n_cpus is the number of the machine's CPUs (0: see wakeup_prio.h); avoid is the CPU to keep off
 * when a metronome beats, NULL: there will be none. If there is no other CPU, nothing is changed.
 */
static int change_own_process(
	struct et_own_process *p, uint32_t n_cpus, const cpu_set_t *avoid, struct et_error *err)
{
	int rc = avoid ? find_others(p, avoid, err) : 0;
	if (rc)
		return rc;
	prctl(PR_GET_CHILD_SUBREAPER, &p->was_subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	et_cgroup_open(&p->cgroup, root);
	et_wakeup_prio_open(&p->wakeup, root, n_cpus);
	p->changed = true;
	return 0;
}

static void restore_own_process(struct et_own_process *p)
{
	if (!p->changed)
		return;
	et_wakeup_prio_lower(&p->wakeup);
	et_cgroup_close(&p->cgroup);
	prctl(PR_SET_CHILD_SUBREAPER, p->was_subreaper);
	p->changed = false;
}

static int open_context(struct et_runner *r, struct et_error *err)
{
	struct et_run_context *c = &r->context;
	const struct et_run_setup *s = &c->setup;
	struct et_observer_setup setup = {
		.root = root, .e = s->e, .cpus = s->pinnable ? &s->allowed : NULL
	};

	c->turns = et_calloc(s->e->n_commands + 1, sizeof(*c->turns));
	c->starts = et_start_map(ET_SLOTS);
	if (!c->starts)
		return et_fail_errno(
			err, errno, ET_EXIT_OUTSIDE, "cannot allocate memory for children");
	r->keeper = et_keeper_start(
		c->interrupt, (const int[ET_KEEPER_MARKS]){ s->streams.in_fd[0],
				      s->streams.in_fd[1], s->streams.null_fd, s->streams.out_fd,
				      s->streams.err_fd[0], s->streams.err_fd[1] });
	uint32_t most_load = s->treatments.most_load;
	/* A metronome must not beat on the CPU whose time it divides. */
	bool beats = s->e->plan.metronome_ns && (s->e->n_commands > 1 || s->e->plan.pace);
	int rc = et_load_open(&r->load, most_load, err);
	if (rc == 0) /* with a load the machine will be busy, whatever its CPUs do now */
		rc = change_own_process(
			&c->own, most_load ? 0 : s->e->host.cpus, beats ? &s->shared : NULL, err);
	if (rc == 0)
		rc = et_streams_start(&c->setup.streams, err);
	if (rc == 0)
		rc = et_observers_open(&c->observers, &setup, err);
	return rc;
}

int et_runner_open(const struct et_experiment *e, char *const *envp, struct et_interrupt *interrupt,
	struct et_runner **out, struct et_error *err)
{
	struct et_runner *r = et_calloc(1, sizeof(*r));
	struct et_run_setup *s = &r->context.setup;
	int rc = et_run_setup_open(s, root, e, envp, &interrupt->ignored, err);

	if (rc) {
		free(r);
		return rc;
	}
	r->context.interrupt = interrupt;
	rc = open_context(r, err);
	if (rc) {
		et_runner_close(r);
		return rc;
	}
	r->hook = (struct et_hook){ .shell = e->child.shell,
		.directory = e->child.directory,
		.envp = s->own_envp,
		.path_variable = et_environ_get(s->own_envp, "PATH"),
		.home_fd = r->context.own.cgroup.home_fd,
		.signals = s->signals,
		.dispositions = &s->dispositions,
		.wakeup = &r->context.own.wakeup,
		.interrupt = interrupt };
	*out = r;
	return 0;
}

void et_runner_close(struct et_runner *r)
{
	if (!r)
		return;
	et_observers_close(&r->context.observers);
	restore_own_process(&r->context.own);
	et_load_close(&r->load);
	et_keeper_stop(r->keeper);
	et_start_unmap(r->context.starts, ET_SLOTS);
	et_run_setup_close(&r->context.setup);
	free(r->context.turns);
	et_files_free(&r->files);
	free(r);
}

int et_runner_observe(struct et_runner *r, const struct et_observer *o, struct et_error *err)
{
	return et_observers_request(&r->context.observers, o, err);
}

int et_runner_open_ledger(struct et_runner *r, enum et_sched_way way, struct et_ledger_early *early,
	struct et_error *err)
{
	r->context.observers.setup.early = early;
	r->context.observers.setup.sched_way = way;
	return et_runner_observe(r, &et_observe_ledger, err);
}

void et_runner_treat(struct et_runner *r,
	int (*treat)(void *ctx, uint32_t command, struct et_error *err), void *ctx)
{
	r->treat = treat;
	r->treat_ctx = ctx;
}

char *et_runner_snapshot_source(const struct et_runner *r)
{
	return et_observers_sources(&r->context.observers);
}

void et_runner_omit_hooks(struct et_runner *r)
{
	r->no_hooks = true;
}

/* --- the executor --- */

static int run_hook(struct et_runner *r, const char *what, const char *text, struct et_error *err)
{
	return text && !r->no_hooks ? et_hook_run(&r->hook, what, text, err) : 0;
}

/* Puts the number of the command's run into an environment. */
static void number_run(const struct et_runner *r, uint32_t command, char **envp)
{
	const struct et_request *q = r->request;

	et_environ_number(envp, q->warmup, q->iteration[command != q->command]);
}

/* Gives the program in a slot the number of its run and its layout. */
static void vary_environment(const struct et_runner *r, uint32_t command, size_t slot)
{
	const struct et_run_setup *s = &r->context.setup;
	const struct et_child_treatment *t = et_run_setup_treatment(s, command);
	const struct et_request *q = r->request;

	number_run(r, command, s->envp[slot]);
	if (s->e->plan.randomise_layout)
		et_environ_pad(t ? t->envp : s->envp[slot], q->pad_bytes[command != q->command]);
}

static int run_limited_hook(struct et_runner *r, uint32_t command, const char *what,
	const char *text, struct et_error *err)
{
	if (text)
		number_run(r, command, r->context.setup.own_envp);
	et_interrupt_limit(r->context.interrupt, r->most_ns);
	return run_hook(r, what, text, err);
}

/* Notes why a program failed, for the error: a later run would overwrite it. */
static void note_failures(struct et_runner *r, const struct et_run *run, const struct et_sample *s)
{
	for (size_t i = 0; i < run->n; i++) {
		if (s[i].measured.exit_code || s[i].measured.signal)
			et_drain_last_lines(&r->context.setup.streams.drain, i,
				r->last_lines[run->commands[i] != r->request->command],
				ET_LAST_LINES);
	}
}

/* Performs the run, and fills r->files by its system calls; also if it could not be started. */
static int perform_scouted(
	struct et_runner *r, struct et_run *run, struct et_sample *out, struct et_error *err)
{
	/* Before the priority is raised, which the threads would inherit. */
	et_wakeup_prio_lower(&r->context.own.wakeup);
	run->scout = et_scout_start();
	int rc = et_run_perform(&r->context, run, out, err);
	et_files_free(&r->files);
	if (run->scout)
		et_scout_finish(run->scout, &r->files);
	run->scout = NULL;
	if (r->files.scouted == ET_SCOUTED_NOT)
		r->files.scouted = ET_SCOUTED_REFUSED;
	else if (rc == 0)
		out->ruling.marks |= ET_MARK_SCOUTED;
	return rc;
}

/* The same, by what changes in the folder. */
static int perform_sighted(
	struct et_runner *r, struct et_run *run, struct et_sample *out, struct et_error *err)
{
	const struct et_run_setup *s = &r->context.setup;
	char *const *argv = s->e->commands[run->commands[0]].argv;
	struct et_sight *now = NULL, *before = et_sight_take(argv, s->directory);
	int rc = et_run_perform(&r->context, run, out, err);

	et_files_free(&r->files);
	if (rc == 0 && before)
		now = et_sight_take(argv, s->directory);
	if (now)
		et_sight_compare(before, now, &r->files);
	r->files.scouted = ET_SCOUTED_UNFIT;
	et_sight_free(before);
	et_sight_free(now);
	return rc;
}

static int perform(
	struct et_runner *r, struct et_run *run, struct et_sample *out, struct et_error *err)
{
	const struct et_child_treatment *t =
		et_run_setup_treatment(&r->context.setup, run->commands[0]);
	int rc = t ? et_load_start(&r->load, t->load, run->cpus, err) : 0;

	bool scouted = run->n == 1 && !run->paced;
	if (rc == 0 && scouted && r->request->scout == ET_SCOUT_CALLS)
		rc = perform_scouted(r, run, out, err);
	else if (rc == 0 && scouted && r->request->scout == ET_SCOUT_CHANGES)
		rc = perform_sighted(r, run, out, err);
	else if (rc == 0)
		rc = et_run_perform(&r->context, run, out, err);
	et_load_stop(&r->load);
	return rc;
}

/* One run between the --prepare and --conclude hooks of its commands. */
static int run_with_hooks(
	struct et_runner *r, struct et_run *run, struct et_sample *out, struct et_error *err)
{
	const struct et_command *commands = r->context.setup.e->commands;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < run->n; i++) {
		vary_environment(r, run->commands[i], i);
		rc = run_limited_hook(
			r, run->commands[i], "--prepare", commands[run->commands[i]].prepare, err);
	}
	if (rc == 0) {
		et_interrupt_limit(r->context.interrupt, r->most_ns * (run->n + run->paced));
		rc = perform(r, run, out, err);
	}
	if (rc)
		return rc;
	note_failures(r, run, out);
	for (size_t i = 0; rc == 0 && i < run->n; i++)
		rc = run_limited_hook(r, run->commands[i], "--conclude",
			commands[run->commands[i]].conclude, err);
	et_interrupt_limit(r->context.interrupt, 0);
	if (rc) {
		for (size_t i = 0; i < run->n; i++)
			et_sample_free(&out[i]);
	}
	return rc;
}

static int run_one(struct et_runner *r, uint32_t command, bool paced, const cpu_set_t *cpus,
	struct et_sample *out, struct et_error *err)
{
	struct et_run run = {
		.n = 1, .paced = paced, .commands = { command, command }, .cpus = cpus
	};

	return run_with_hooks(r, &run, out, err);
}

/* Programs shorter than a time slice cannot overlap: they run one after the other. */
static int run_in_turn(struct et_runner *r, const struct et_request *q, const cpu_set_t *cpus,
	struct et_sample out[ET_SLOTS], struct et_error *err)
{
	uint32_t commands[] = { q->command, q->partner };
	int first = q->swap ? 1 : 0;
	int rc = run_one(r, commands[first], false, cpus, &out[first], err);

	if (rc)
		return rc;
	rc = run_one(r, commands[!first], false, cpus, &out[!first], err);
	if (rc)
		et_sample_free(&out[first]);
	return rc;
}

static int run_together(struct et_runner *r, const struct et_request *q, const cpu_set_t *cpus,
	struct et_sample out[ET_SLOTS], struct et_error *err)
{
	struct et_run run = { .n = 2, .cpus = cpus };
	struct et_sample samples[ET_SLOTS];

	run.commands[q->swap] = q->command;
	run.commands[!q->swap] = q->partner;
	int rc = run_with_hooks(r, &run, samples, err);
	if (rc)
		return rc;
	out[0] = samples[q->swap];
	out[1] = samples[!q->swap];
	return 0;
}

static int run_duet(struct et_runner *r, const struct et_request *q, struct et_sample out[ET_SLOTS],
	struct et_error *err)
{
	const struct et_run_setup *s = &r->context.setup;
	const cpu_set_t *cpus = !s->pinnable ? NULL : q->parallel ? &s->allowed : &s->shared;
	int rc =
		q->overlap ? run_together(r, q, cpus, out, err) : run_in_turn(r, q, cpus, out, err);

	for (int i = 0; rc == 0 && !q->overlap && i < 2; i++)
		out[i].ruling.marks |= ET_MARK_NO_OVERLAP;
	return rc;
}

/* The CPUs of a program that runs alone; NULL: those that etalon may use. */
static const cpu_set_t *cpus_alone(const struct et_run_setup *s, uint32_t command)
{
	const struct et_child_treatment *t = et_run_setup_treatment(s, command);

	if (t && t->sets_cpus)
		return &t->cpus;
	return s->pinned ? &s->allowed : NULL;
}

/*
 * The failure of a hook must not be taken for that of the program, which the experiment would then
 * continue without.
 */
static int run_design_hook(
	const struct et_hook *h, const char *what, const char *text, struct et_error *err)
{
	int rc = et_hook_run(h, what, text, err);

	if (rc && err->exit == ET_EXIT_PROGRAM)
		err->exit = ET_EXIT_OUTSIDE;
	return rc;
}

/* The hook finds the name of the treatment in ETALON_TREATMENT. */
static int run_between(
	const struct et_hook *h, const struct et_design *d, uint32_t command, struct et_error *err)
{
	size_t n = et_strv_length(h->envp);
	ET_AUTO_FREE char *text = NULL, *variable = NULL;
	ET_AUTO_FREE char **envp = et_calloc(n + 2, sizeof(*envp));
	struct et_hook own = *h;
	int rc = et_design_fill(d, command, d->between, NULL, &text, err);

	if (rc)
		return rc;
	variable = et_asprintf(
		"ETALON_TREATMENT=%s", d->treatments[et_design_treatment_of(d, command)].name);
	for (size_t i = 0; i < n; i++)
		envp[i] = h->envp[i];
	envp[n] = variable;
	own.envp = envp;
	return run_design_hook(&own, "the hook 'between',", text, err);
}

/* `setup` before the first run, `between` before each treatment. */
static int run_design_hooks(
	struct et_runner *r, const struct et_design *d, uint32_t command, struct et_error *err)
{
	uint32_t treatment = et_design_treatment_of(d, command);
	int rc = 0;

	if (r->treated && r->treatment == treatment)
		return 0;
	if (!r->treated && d->setup)
		rc = run_design_hook(&r->hook, "the hook 'setup',", d->setup, err);
	if (rc == 0 && d->between)
		rc = run_between(&r->hook, d, command, err);
	if (rc)
		return rc;
	r->treated = true;
	r->treatment = treatment;
	return 0;
}

/* The machine first: a hook may wait until it is calm again. */
static int begin_treatment(struct et_runner *r, uint32_t command, struct et_error *err)
{
	const struct et_design *d = r->context.setup.e->design;
	int rc = r->treat ? r->treat(r->treat_ctx, command, err) : 0;

	if (rc || !d || r->no_hooks)
		return rc;
	et_interrupt_limit(r->context.interrupt, 0);
	return run_design_hooks(r, d, command, err);
}

static int execute(
	void *ctx, const struct et_request *q, struct et_sample out[ET_SLOTS], struct et_error *err)
{
	struct et_runner *r = ctx;

	r->most_ns = q->most_ns;
	r->request = q;
	r->last_lines[0][0] = r->last_lines[1][0] = '\0';
	int rc = begin_treatment(r, q->command, err);
	if (rc)
		return rc;
	if (q->arrangement == ET_DUET)
		return run_duet(r, q, out, err);
	bool paced = q->arrangement == ET_PACED;
	const struct et_run_setup *s = &r->context.setup;
	return run_one(
		r, q->command, paced, paced ? &s->shared : cpus_alone(s, q->command), &out[0], err);
}

static int around(void *ctx, enum et_occasion occasion, uint32_t command, struct et_error *err)
{
	struct et_runner *r = ctx;
	const struct et_command *c = &r->context.setup.e->commands[command];

	if (occasion == ET_BEFORE_ALL)
		return run_hook(r, "--setup", c->setup, err);
	return run_hook(r, "--cleanup", c->cleanup, err);
}

static const char *last_lines(void *ctx, size_t i)
{
	return ((struct et_runner *)ctx)->last_lines[i];
}

static const struct et_files *files(void *ctx)
{
	return &((struct et_runner *)ctx)->files;
}

struct et_executor et_runner_executor(struct et_runner *r)
{
	return (struct et_executor){
		.run = execute, .around = around, .last_lines = last_lines, .files = files, .ctx = r
	};
}
