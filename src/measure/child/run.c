/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/run.h"
#include "base/clock.h"
#include "base/u64.h"
#include "measure/child/metronome.h"

#include <sys/wait.h>

/* --- before the start --- */

static struct et_child_setup child_setup(
	const struct et_run_context *c, const struct et_run *run, size_t i)
{
	const struct et_run_setup *s = &c->setup;
	const struct et_cgroup *group = &c->own.cgroup;
	bool loop = i >= run->n;
	bool counted = group->source != ET_CPU_BY_WAIT4;

	struct et_child_setup setup = {
		.path = s->paths[run->commands[i]],
		.argv = s->e->commands[run->commands[i]].argv,
		.envp = s->envp[i],
		.directory = s->directory,
		.cpus = run->cpus,
		.sets_policy = s->policy != SCHED_OTHER,
		.policy = s->policy,
		.priority = s->priority,
		.nice = s->e->child.nice,
		.aslr = s->e->plan.randomise_layout ? ET_ASLR_ON : ET_ASLR_INHERITED,
		.pace = loop,
		.identity = s->changes_user && !loop ? &s->identity : NULL,
		.no_new_privs = s->e->child.no_new_privs,
		.in = s->streams.in_fd[i],
		.out = s->streams.out_fd,
		.err = s->streams.err_fd[i],
		/* Children are born in slot 0, where etalon is. */
		.attach_fd = counted && i > 0 ? group->procs_fd[i] : -1,
		.source = group->source,
		.usage_fd = counted ? group->usage_fd[i] : -1,
		.subtract_parent = i == 0,
		.scout = loop ? NULL : run->scout,
		.signals = s->signals,
		.dispositions = &s->dispositions,
	};
	const struct et_child_treatment *t = et_run_setup_treatment(s, run->commands[i]);
	if (t)
		et_treatment_apply(t, &setup);
	if (s->inputs && s->inputs[run->commands[i]] >= 0)
		setup.in = s->inputs[run->commands[i]];
	return setup;
}

static void prepare(struct et_run_context *c, struct et_run *run)
{
	bool several_cpus = !run->cpus || CPU_COUNT(run->cpus) > 1;

	run->n_children = run->n + run->paced;
	run->metronome = run->n_children > 1 && !several_cpus && c->own.metronome;
	for (size_t i = 0; i < run->n_children; i++) {
		run->setups[i] = child_setup(c, run, i);
		run->waits[i] = (struct et_reap_request){ .endless = i >= run->n,
			.want = several_cpus ? ET_WANT_MIGRATIONS : 0 };
		run->ends[i] = (struct et_reap_result){ 0 };
		run->read[i] = (struct et_readings){ .one_cpu = !several_cpus };
	}
	et_streams_rewind(&c->setup.streams, run->n);
	if (run->setups[0].in != c->setup.streams.in_fd[0])
		lseek(run->setups[0].in, 0, SEEK_SET);
	et_observers_before(&c->observers, run);
	for (size_t i = 0; i < run->n_children; i++) {
		run->read[i].started_wall_ns = et_clock_read_ns(CLOCK_REALTIME);
		run->waits[i].began_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	}
}

/* --- start and end --- */

static void kill_all(const struct et_run *run)
{
	for (size_t i = 0; i < run->n_children; i++) {
		if (run->waits[i].pid > 0)
			kill(run->waits[i].pid, SIGKILL);
	}
}

/*
 * A child needs less than a millisecond to prepare itself. If it takes this long, something keeps
 * it from running: another process of --user has stopped it, or the machine is out of memory.
 */
static const uint64_t READY_NS = 10000000000;

/*
 * Waits until all children are at their start lines. -ECHILD if one could not get there. Signals
 * are blocked but for the wait: a child that does not get ready must not keep us from ending.
 */
static int all_ready(const struct et_run_context *c, const struct et_run *run,
	const sigset_t *unblocked, struct et_error *err)
{
	sigset_t blocked;
	int rc = 0;

	sigprocmask(SIG_SETMASK, unblocked, &blocked);
	for (size_t i = 0; i < run->n_children && rc == 0; i++) {
		rc = et_child_wait_ready(run->waits[i].pid, &c->starts[i], c->interrupt, READY_NS);
		if (rc == -ETIMEDOUT)
			et_fail_hint(err, ETIMEDOUT, ET_EXIT_OUTSIDE,
				"look for a process that stops it by SIGSTOP, such as another one "
				"of the same user",
				"%s: not ready to start after %d s", run->setups[i].argv[0],
				(int)(READY_NS / 1000000000));
	}
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	return rc;
}

static bool is_held(const struct et_run_context *c, const struct et_run *run)
{
	return run->n_children > 1 || run->copied || run->setups[0].identity ||
	       et_observers_hold(&c->observers);
}

static int spawn_blocked(struct et_run_context *c, struct et_run *run, const sigset_t *unblocked,
	struct et_error *err)
{
	bool held = is_held(c, run);
	struct et_wakeup_prio *wakeup = &c->own.wakeup;

	/* A signal that came during the preparation had no child to go to. */
	if (c->interrupt->signal)
		return -EINTR;
	et_wakeup_prio_lower(wakeup);
	for (size_t i = 0; i < run->n_children; i++) {
		run->setups[i].raise_parent = wakeup->wanted && !held;
		pid_t pid = et_child_spawn(&run->setups[i], &c->starts[i], held);
		wakeup->raised = run->setups[i].raise_parent;
		if (pid < 0)
			et_fail_errno(err, -pid, ET_EXIT_OUTSIDE, "cannot start '%s'",
				run->setups[i].argv[0]);
		if (pid == -EAGAIN)
			et_hint(err, pid, "end other processes, or raise their limit: ulimit -u");
		if (pid < 0)
			return pid;
		run->waits[i].pid = c->interrupt->groups[i] = pid;
		run->waits[i].group = &c->interrupt->groups[i];
	}
	/* A child that failed before its start line is reported when all have been waited for. */
	int rc = held ? all_ready(c, run, unblocked, err) : 0;
	if (rc == -ECHILD) {
		kill_all(run);
		return 0;
	}
	if (rc)
		return rc;
	et_wakeup_prio_raise(wakeup);
	rc = et_observers_attach(&c->observers, run, err);
	if (rc == 0 && held && !run->metronome)
		et_child_release(c->starts, run->n_children);
	return rc;
}

static int spawn(struct et_run_context *c, struct et_run *run, struct et_error *err)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	int rc = spawn_blocked(c, run, &old, err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return rc;
}

/* The start has failed: the error is known, and the children that exist must go. */
static void abandon(struct et_run_context *c, struct et_run *run)
{
	struct et_reaping reaping = { .root = c->observers.setup.root,
		.children = run->waits,
		.results = run->ends,
		.before = run->before,
		.given_up = &c->interrupt->given_up };

	while (reaping.n < run->n_children && run->waits[reaping.n].pid > 0)
		reaping.n++;
	kill_all(run);
	int rc = et_reap_wait(&reaping);
	if (rc == 0)
		rc = et_reap_leftovers(&reaping);
	(void)rc; /* the first error is the one to report */
	c->interrupt->groups[0] = c->interrupt->groups[1] = 0;
}

static int check_starts(
	const struct et_run_context *c, const struct et_run *run, struct et_error *err)
{
	for (size_t i = 0; i < run->n_children; i++) {
		if (c->starts[i].failed_step)
			return et_child_start_error(&run->setups[i], &c->starts[i], err);
	}
	if (!c->starts[0].t0_ns || !c->starts[run->n - 1].t0_ns)
		return et_fail(err, ECHILD, ET_EXIT_OUTSIDE, "%s: killed before it could start",
			run->setups[0].argv[0]);
	return 0;
}

static int cannot_end(const char *name, struct et_error *err)
{
	return et_fail_hint(err, ETIMEDOUT, ET_EXIT_OUTSIDE,
		"look for them with ps: they belong to another user, hang in the kernel, or fork "
		"faster than they can be killed",
		"processes of %s were killed and have not ended", name);
}

/* A signal or the time limit has ended the programs. After a signal err may be filled as well. */
static int cut_short(
	const struct et_run_context *c, bool stuck, const char *name, struct et_error *err)
{
	int rc = stuck ? cannot_end(name, err) : 0;

	if (c->interrupt->signal)
		return -EINTR;
	return rc ? rc
		  : et_fail_hint(err, ETIME, ET_EXIT_PROGRAM,
			    "raise --time-limit if one run takes that long; the samples before it "
			    "are stored",
			    "%s: ran for longer than --time-limit, so it was ended", name);
}

/* Each program of a pair ends first in turn, whichever starts first. */
static struct et_metronome_turns plan_turns(struct et_run_context *c, const struct et_run *run)
{
	struct et_metronome_turns turns = { .first = 0 };

	if (run->n != 2) /* a program and the reference loop */
		return turns;
	size_t other = run->commands[0] == c->setup.e->plan.reference;
	struct et_turns_of *of = &c->turns[run->commands[other]];
	of->first = !of->first;
	turns.first = (int)(of->first ? other : !other);
	for (size_t i = 0; i < run->n; i++)
		turns.usual_ns[i] = c->turns[run->commands[i]].usual_ns;
	return turns;
}

/* The mean of the last few; a single slow run hardly counts, and one that was too slow is
 * forgotten. */
static uint64_t follow(uint64_t usual_ns, uint64_t ns)
{
	if (ns < usual_ns - usual_ns / 4 || !usual_ns)
		return ns;
	return ns > usual_ns + usual_ns / 4 ? usual_ns + usual_ns / 16 : (usual_ns * 3 + ns) / 4;
}

/* How long each program took when it had the CPU, for the duets that follow. */
static void learn_turns(struct et_run_context *c, const struct et_run *run)
{
	if (run->paced || run->scout || run->read[0].suspended || (run->n > 1 && !run->metronome))
		return;
	for (size_t i = 0; i < run->n; i++) {
		uint64_t *usual_ns = &c->turns[run->commands[i]].usual_ns;
		uint64_t t1_ns = run->ends[i].t1_ns, ns = et_minus_u64(t1_ns, c->starts[i].t0_ns);
		if (run->metronome)
			ns = et_minus_u64(run->turns.used_ns[i] + t1_ns, run->turns.end_ns);
		*usual_ns = follow(*usual_ns, ns);
	}
}

static int wait_for_all(struct et_run_context *c, struct et_run *run, struct et_error *err)
{
	struct et_reaping reaping = { .root = c->observers.setup.root,
		.children = run->waits,
		.results = run->ends,
		.n = run->n_children,
		.before = run->before,
		.stops_are_ours = run->metronome,
		.given_up = &c->interrupt->given_up };
	const char *name = run->setups[0].argv[0];

	if (run->metronome) {
		run->turns = plan_turns(c, run);
		et_metronome_run(run->waits, c->starts, c->setup.e->plan.metronome_ns, &run->turns,
			&c->interrupt->signal);
	}
	int rc = et_reap_wait(&reaping);
	int left = et_reap_leftovers(&reaping);
	c->interrupt->groups[0] = c->interrupt->groups[1] = 0;
	if (c->interrupt->signal || c->interrupt->overrun) {
		et_interrupt_settled(c->interrupt);
		return cut_short(c, rc == -ETIMEDOUT || left == -ETIMEDOUT, name, err);
	}
	int failed = check_starts(c, run, err);
	if (failed)
		return failed;
	if (rc == -EIO)
		return et_fail_hint(err, EIO, ET_EXIT_PROGRAM,
			"give it --input FILE, and --output null or a file",
			"%s: stopped because it wants the terminal, so it was ended", name);
	if (rc)
		return et_fail_errno(err, -rc, ET_EXIT_OUTSIDE, "cannot wait for %s", name);
	if (left == -ETIMEDOUT)
		return cannot_end(name, err);
	if (left)
		return et_fail_errno(err, -left, ET_EXIT_OUTSIDE,
			"cannot list the processes that %s left running", name);
	return 0;
}

/* --- after the end --- */

static void read_groups(const struct et_run_context *c, struct et_run *run)
{
	const struct et_cgroup *group = &c->own.cgroup;
	uint64_t own_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (size_t i = 0; i < run->n; i++) {
		struct et_readings *read = &run->read[i];
		read->group_source = group->source;
		read->group_has_etalon = i == 0;
		read->etalon_cpu_ns = own_ns;
		read->group_cpu_ns =
			group->source == ET_CPU_BY_WAIT4
				? ET_UNKNOWN
				: et_cgroup_usage_ns(group->source, group->usage_fd[i]);
	}
}

static void complete_readings(const struct et_run_context *c, struct et_run *run, int suspended)
{
	const struct et_start *loop = run->paced ? &c->starts[run->n] : NULL;

	for (size_t i = 0; i < run->n; i++) {
		struct et_readings *read = &run->read[i];
		read->start = c->starts[i];
		read->end = run->ends[i];
		read->suspended = c->interrupt->suspended != suspended;
		read->block_delays = c->setup.e->host.block_delays;
		read->pace_ns = loop ? loop->pace_ns : ET_UNKNOWN;
		read->pace_loops = loop ? loop->pace_loops : ET_UNKNOWN;
	}
}

int et_run_perform(
	struct et_run_context *c, struct et_run *run, struct et_sample *out, struct et_error *err)
{
	int suspended = c->interrupt->suspended;

	if (c->interrupt->signal)
		return -EINTR;
	et_wakeup_prio_raise(&c->own.wakeup);
	prepare(c, run);
	if (run->metronome) /* leaves the CPU that the two programs are to share */
		sched_setaffinity(0, sizeof(c->own.others), &c->own.others);
	int rc = spawn(c, run, err);
	if (run->scout)
		et_scout_spawned(run->scout);
	if (rc)
		abandon(c, run);
	else
		rc = wait_for_all(c, run, err);
	if (run->metronome)
		sched_setaffinity(0, sizeof(c->own.home), &c->own.home);
	if (rc)
		return rc;
	read_groups(c, run); /* first: observers use CPU time of our own */
	et_observers_after(&c->observers, run);
	complete_readings(c, run, suspended);
	for (size_t i = 0; i < run->n; i++)
		et_sample_of_run(&run->read[i], &out[i]);
	learn_turns(c, run);
	et_observers_fill(&c->observers, run, out);
	/* A process may have an empty name, or have ended before its name was read. */
	for (size_t i = 0; i < run->n; i++) {
		for (size_t k = 0; k < out[i].measured.n_culprits; k++) {
			if (!out[i].measured.culprits[k].name[0])
				out[i].measured.culprits[k].name[0] = '?';
		}
	}
	return 0;
}
