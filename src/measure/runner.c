/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/runner.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "measure/child.h"
#include "measure/environ.h"
#include "measure/hook.h"
#include "measure/ledger.h"
#include "measure/probe.h"
#include "measure/reap.h"
#include "measure/sample_of_run.h"
#include "measure/snapshot.h"
#include "measure/steal.h"
#include "measure/streams.h"
#include "measure/wakeup_prio.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { MOST_TOGETHER = ET_SLOTS };

struct et_runner {
	const struct et_experiment *e;
	struct et_interrupt *interrupt;
	struct et_cgroup cgroup;
	struct et_taskstats *taskstats; /* NULL: no exit records */
	int no_records;                 /* -errno: why not */
	struct et_ledger *ledger;       /* NULL: off */
	struct et_proc_reader watch;
	struct et_snapshot before, after;
	struct et_exits exits;
	struct et_start *starts;
	struct et_identity identity;
	char **envp;                     /* of the programs */
	char **own_envp;                 /* of the commands around them, which run as ourselves */
	char **paths;                    /* executable of each command */
	cpu_set_t allowed;               /* CPUs a program may use */
	cpu_set_t one;                   /* the CPU a duet or the reference loop shares */
	bool pinnable;                   /* the sets below are known */
	bool pinned;                     /* the user named the CPUs */
	bool elsewhere;                  /* we ourselves keep off that one CPU … */
	cpu_set_t home;                  /* … and were here before */
	int policy, priority;            /* of the programs */
	const char *elsewhere_directory; /* where programs run, NULL: where we are */
	struct et_streams streams;
	struct et_steal steal;
	struct et_wakeup_prio prompt;
	struct et_probe probe;
	struct et_hook aside;
	sigset_t signals;
};

/* --- making ready --- */

static int choose_cpus(struct et_runner *r, struct et_error *err)
{
	cpu_set_t wanted;

	/* More CPUs than a set holds: programs run where they like, and nothing can be pinned. */
	r->pinnable = sched_getaffinity(0, sizeof(r->allowed), &r->allowed) == 0;
	if (!r->pinnable && (r->e->child.cpus || r->e->plan.metronome_ns || r->e->plan.pace))
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "CPU affinity");
	if (r->e->child.cpus) {
		int rc = et_parse_cpus("--cpu", r->e->child.cpus, &wanted, err);
		if (rc == 0)
			rc = et_check_cpus(&wanted, &r->allowed, err);
		if (rc)
			return rc;
		r->allowed = wanted;
		r->pinned = true;
	}
	/* The last one: the first CPUs take most interrupts. */
	CPU_ZERO(&r->one);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (CPU_ISSET(cpu, &r->allowed)) {
			CPU_SET(cpu, &r->one);
			break;
		}
	}
	return 0;
}

/* A metronome must not beat on the CPU whose time it divides. */
static int leave_shared_cpu(struct et_runner *r, struct et_error *err)
{
	cpu_set_t others;

	if (!r->e->plan.metronome_ns || (r->e->n_commands < 2 && !r->e->plan.pace))
		return 0;
	sched_getaffinity(0, sizeof(r->home), &r->home);
	CPU_XOR(&others, &r->home, &r->one);
	if (!CPU_COUNT(&others) || sched_setaffinity(0, sizeof(others), &others) < 0)
		return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"--metronome needs a second CPU, and there is only one for us");
	r->elsewhere = true;
	return 0;
}

static int choose_scheduler(struct et_runner *r, struct et_error *err)
{
	const char *text = r->e->child.sched;
	uint64_t priority;

	r->policy = SCHED_OTHER;
	if (!text || !strcmp(text, "other"))
		return 0;
	if (strncmp(text, "fifo:", 5))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--sched: '%s' is not 'other' or 'fifo:N' (N from 1 to 99)", text);
	int rc = et_parse_u64("--sched fifo", text + 5, 1, 99, &priority, err);
	if (rc)
		return rc;
	r->policy = SCHED_FIFO;
	r->priority = (int)priority;
	return 0;
}

static int find_programs(struct et_runner *r, struct et_error *err)
{
	const char *path = et_environ_get(r->envp, "PATH");

	r->paths = et_calloc(r->e->n_commands + 1, sizeof(char *));
	for (size_t i = 0; i < r->e->n_commands; i++) {
		int rc = et_child_resolve(
			r->e->commands[i].argv[0], path, r->e->child.directory, &r->paths[i], err);
		if (rc)
			return rc;
	}
	return 0;
}

static int find_identity(struct et_runner *r, char *const *envp, struct et_error *err)
{
	const char *user = r->e->child.user;
	int rc = user ? et_identity_find(user, &r->identity, err) : 0;

	if (rc == 0 && user && geteuid() != 0 && r->identity.uid != geteuid())
		rc = et_hint(err,
			et_fail(err, EPERM, ET_EXIT_ENVIRONMENT, "--user %s needs root", user),
			"run etalon itself as %s, or with sudo", user);
	if (rc == 0)
		r->envp = et_environ_make(envp, user ? &r->identity : NULL);
	if (rc == 0)
		r->own_envp = et_environ_make(envp, NULL);
	return rc;
}

static void choose_directory(struct et_runner *r)
{
	ET_AUTO_FREE char *here = getcwd(NULL, 0);
	const char *wanted = r->e->child.directory;

	r->elsewhere_directory = wanted && here && !strcmp(wanted, here) ? NULL : wanted;
}

static void watch_others(struct et_runner *r)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	choose_directory(r);
	et_cgroup_open(&r->cgroup);
	et_wakeup_prio_open(&r->prompt, r->e->host.cpus);
	et_probe_open(&r->probe, r->e->plan.probe);
	et_proc_reader_open(&r->watch);
	et_steal_open(&r->steal, strcmp(r->e->host.virtual_machine, "none") != 0);
	r->no_records = et_taskstats_open(&r->taskstats);
	if (r->no_records)
		r->taskstats = NULL;
	sigprocmask(SIG_BLOCK, NULL, &r->signals);
	r->aside = (struct et_hook){ .shell = r->e->child.shell,
		.directory = r->e->child.directory,
		.envp = r->own_envp,
		.path_variable = et_environ_get(r->own_envp, "PATH"),
		.home_fd = r->cgroup.home_fd,
		.signals = r->signals,
		.interrupt = r->interrupt };
}

int et_runner_open(const struct et_experiment *e, char *const *envp, struct et_interrupt *interrupt,
	struct et_runner **out, struct et_error *err)
{
	struct et_runner *r = et_calloc(1, sizeof(*r));

	r->e = e;
	r->interrupt = interrupt;
	et_streams_init(&r->streams);
	r->cgroup.home_fd = -1;
	r->cgroup.source = ET_CPU_BY_WAIT4;
	r->steal.fd = -1;
	r->watch.proc_fd = r->watch.loadavg_fd = -1;
	r->starts = et_start_map(MOST_TOGETHER);
	int rc = r->starts ? et_child_check(err)
			   : et_fail_errno(err, errno, ET_EXIT_OUTSIDE, "memory for children");
	if (rc == 0)
		rc = choose_cpus(r, err);
	if (rc == 0)
		rc = leave_shared_cpu(r, err);
	if (rc == 0)
		rc = choose_scheduler(r, err);
	if (rc == 0)
		rc = find_identity(r, envp, err);
	if (rc == 0)
		rc = find_programs(r, err);
	if (rc == 0)
		rc = et_streams_open(&r->streams, e->child.input, e->child.output, err);
	if (rc) {
		et_runner_close(r);
		return rc;
	}
	watch_others(r);
	*out = r;
	return 0;
}

void et_runner_close(struct et_runner *r)
{
	if (!r)
		return;
	et_wakeup_prio_close(&r->prompt);
	if (r->elsewhere)
		sched_setaffinity(0, sizeof(r->home), &r->home);
	et_ledger_close(r->ledger);
	if (r->cgroup.source != ET_CPU_BY_WAIT4)
		et_cgroup_close(&r->cgroup);
	et_taskstats_close(r->taskstats);
	et_steal_close(&r->steal);
	et_proc_reader_close(&r->watch);
	et_snapshot_free(&r->before);
	et_snapshot_free(&r->after);
	et_exits_free(&r->exits);
	et_start_unmap(r->starts, MOST_TOGETHER);
	et_identity_free(&r->identity);
	et_strv_free(r->envp);
	et_strv_free(r->own_envp);
	et_strv_free(r->paths);
	et_streams_close(&r->streams);
	free(r);
}

int et_runner_open_ledger(struct et_runner *r, enum et_sched_way way, struct et_error *err)
{
	return et_ledger_open(way, r->pinnable ? &r->allowed : NULL, &r->ledger, err);
}

char *et_runner_snapshot_source(const struct et_runner *r)
{
	const char *pictures = r->taskstats              ? "taskstats"
			       : r->no_records == -EPERM ? "proc"
							 : "proc-no-taskstats";

	return et_asprintf("%s%s%s", pictures, r->ledger ? "+" : "",
		r->ledger ? et_ledger_source(r->ledger) : "");
}

/* --- one execution of one program, or of two together --- */

struct take {
	size_t n;   /* programs at once */
	bool paced; /* one, and the reference loop behind it */
	uint32_t commands[MOST_TOGETHER];
	const cpu_set_t *cpus; /* NULL: as we are */
	struct et_child_setup setups[MOST_TOGETHER];
	struct et_reap_request waits[MOST_TOGETHER];
	struct et_reap_result ends[MOST_TOGETHER];
	uint64_t wall_ns;
	struct et_stolen stolen[2]; /* before and after */
	uint64_t own_rss_bytes;     /* our own peak: exec hands it on to a child of vfork */
	uint64_t group_cpu_ns[MOST_TOGETHER]; /* of the control groups, after the run */
	uint64_t etalon_cpu_ns;               /* our own, then */
	bool lost;
	int suspended;
	bool probed;
	uint64_t probe_ns[2]; /* before and after */
};

/* How many children of ours run: programs, and the reference loop. */
static size_t children(const struct take *t)
{
	return t->n + t->paced;
}

static void fill_setup(struct et_runner *r, struct take *t, size_t i)
{
	bool loop = i >= t->n;
	const struct et_command *c = &r->e->commands[t->commands[i]];
	bool counted = r->cgroup.source != ET_CPU_BY_WAIT4;

	t->setups[i] = (struct et_child_setup){
		.path = r->paths[t->commands[i]],
		.argv = c->argv,
		.envp = r->envp,
		.directory = r->elsewhere_directory,
		.cpus = t->cpus        ? t->cpus
			: r->elsewhere ? &r->allowed
				       : NULL,
		.policy = r->policy,
		.priority = r->priority,
		.nice = r->e->child.nice,
		.pace = loop,
		.change_user = r->e->child.user && geteuid() == 0 && !loop,
		.uid = r->identity.uid,
		.gid = r->identity.gid,
		.groups = r->identity.groups,
		.n_groups = r->identity.n_groups,
		.in = r->streams.in_fd[i],
		.out = r->streams.out_fd,
		.err = r->streams.err_fd,
		/* etalon lives in slot 0 and children are born there. */
		.attach_fd = counted && i > 0 ? r->cgroup.procs_fd[i] : -1,
		.source = r->cgroup.source,
		.usage_fd = counted ? r->cgroup.usage_fd[i] : -1,
		.subtract_parent = i == 0,
		.signals = r->signals,
		.begin_ns = et_ledger_begin(r->ledger, i),
	};
}

/* All at their start lines, then all released; one that cannot come sends the others home. */
static void start_together(struct et_runner *r, struct take *t)
{
	bool ready = true;

	for (size_t i = 0; i < children(t); i++)
		ready = et_child_wait_ready(t->waits[i].pid, &r->starts[i]) && ready;
	for (size_t i = 0; !ready && i < children(t); i++)
		kill(t->waits[i].pid, SIGKILL);
	if (ready)
		et_child_release(r->starts, children(t));
}

static int spawn_blocked(struct et_runner *r, struct take *t, struct et_error *err)
{
	/* A signal that came while pictures were taken had no child to go to. */
	if (r->interrupt->signal)
		return -EINTR;
	for (size_t i = 0; i < children(t); i++) {
		pid_t pid = et_child_spawn(&t->setups[i], &r->starts[i], children(t) > 1);
		if (pid < 0) {
			if (i > 0) /* the first waits for a partner that never came */
				kill(t->waits[0].pid, SIGKILL);
			return et_fail_errno(err, (int)-pid, ET_EXIT_OUTSIDE, "cannot start '%s'",
				t->setups[i].argv[0]);
		}
		t->waits[i].pid = r->interrupt->groups[i] = pid;
		t->waits[i].group = &r->interrupt->groups[i];
		t->waits[i].end_ns = et_ledger_end(r->ledger, i);
		et_ledger_follow(r->ledger, i, pid);
	}
	if (children(t) > 1)
		start_together(r, t);
	return 0;
}

static int spawn_all(struct et_runner *r, struct take *t, struct et_error *err)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	int rc = spawn_blocked(r, t, err);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return rc;
}

static void before_run(struct et_runner *r, struct take *t)
{
	t->probed = t->n == 1 && !t->paced && r->probe.on;
	t->probe_ns[0] = t->probe_ns[1] = ET_UNKNOWN;
	if (t->probed) {
		et_probe_expect(&r->probe, t->cpus);
		t->probe_ns[0] = et_probe_before(&r->probe);
	}
	et_streams_rewind(&r->streams);
	for (size_t i = 0; i < children(t); i++) {
		fill_setup(r, t, i);
		t->ends[i] = (struct et_reap_result){ 0 };
		t->waits[i] = (struct et_reap_request){ .endless = i >= t->n,
			.began_ns = et_clock_read_ns(CLOCK_MONOTONIC) };
		if (!r->taskstats)
			t->waits[i].want |= ET_WANT_RUN_DELAY;
		if (!t->cpus || CPU_COUNT(t->cpus) > 1)
			t->waits[i].want |= ET_WANT_MIGRATIONS | (t->probed ? ET_WANT_CPU : 0);
	}
	r->exits.n = 0;
	t->lost = false;
	t->suspended = r->interrupt->suspended;
	t->wall_ns = et_clock_read_ns(CLOCK_REALTIME);
	if (!r->taskstats) { /* exit records tell the program's own peak */
		struct rusage own;
		getrusage(RUSAGE_SELF, &own);
		t->own_rss_bytes = (uint64_t)own.ru_maxrss * 1024;
	}
	t->stolen[0] = et_steal_read(&r->steal, t->cpus);
	if (r->taskstats) {
		bool stale;
		et_taskstats_drain(r->taskstats, NULL, NULL, &stale);
	}
	et_snapshot_take(&r->watch, NULL, 0, &r->before);
	et_ledger_arm(r->ledger, children(t));
}

static void after_run(struct et_runner *r, struct take *t)
{
	int32_t ours[MOST_TOGETHER];

	for (size_t i = 0; i < children(t); i++)
		ours[i] = t->waits[i].pid;
	et_snapshot_take(&r->watch, ours, children(t), &r->after);
	if (r->taskstats)
		et_taskstats_drain(r->taskstats, et_exits_add, &r->exits, &t->lost);
	t->stolen[1] = et_steal_read(&r->steal, t->cpus);
	et_ledger_disarm(r->ledger);
	if (t->probed) {
		et_probe_seen(&r->probe, t->ends[0].cpu);
		t->probe_ns[1] = et_probe_after(&r->probe);
	}
}

static struct et_readings readings_of(struct et_runner *r, struct take *t, size_t i)
{
	struct et_readings read = { .started_wall_ns = t->wall_ns,
		.start = r->starts[i],
		.end = t->ends[i],
		.suspended = t->suspended != r->interrupt->suspended,
		.one_cpu = t->cpus && CPU_COUNT(t->cpus) == 1,
		.group_source = r->cgroup.source,
		.group_cpu_ns = t->group_cpu_ns[i],
		.group_has_etalon = i == 0,
		.etalon_cpu_ns = t->etalon_cpu_ns,
		.has_exit_records = r->taskstats != NULL,
		.lost_exit_records = t->lost,
		.block_delays = r->e->host.block_delays,
		.etalon_rss_bytes = t->own_rss_bytes,
		.stolen = { t->stolen[0], t->stolen[1] },
		.pace_ns = t->paced ? r->starts[t->n].pace_ns : ET_UNKNOWN,
		.pace_loops = t->paced ? r->starts[t->n].pace_loops : ET_UNKNOWN };

	/* Orphans come to us; in a duet that does not show whose they are. */
	if (r->taskstats)
		read.tree = et_exits_claim(&r->exits, t->waits[i].pid, t->n == 1 ? getpid() : 0);
	return read;
}

static void fill_sample(struct et_runner *r, struct take *t, size_t i, struct et_sample *s)
{
	if (t->paced) /* the reference loop is neither the program nor a culprit */
		et_exits_claim(&r->exits, t->waits[t->n].pid, 0);
	struct et_readings read = readings_of(r, t, i);
	et_sample_of_run(&read, s);
	s->measured.probe_before_ns = t->probe_ns[0];
	s->measured.probe_after_ns = t->probe_ns[1];
}

/* Who else ran: the same list for both of a pair, without either of them. */
static void fill_interference(struct et_runner *r, const struct take *t, struct et_sample *out)
{
	for (size_t i = 0; i < t->n; i++) {
		out[i].measured.n_culprits = et_snapshot_compare(&r->watch, &r->before, &r->after,
			&r->exits, getpid(), r->e->host.tick_ns, &out[i].measured.culprits);
		et_ledger_fill(r->ledger, i, &out[i]);
		/* A process may call itself nothing, or be gone before its name was read. */
		for (size_t k = 0; k < out[i].measured.n_culprits; k++) {
			if (!out[i].measured.culprits[k].name[0])
				out[i].measured.culprits[k].name[0] = '?';
		}
	}
}

static int wait_all(struct et_runner *r, struct take *t, struct et_error *err)
{
	bool metronome = children(t) > 1 && r->e->plan.metronome_ns && r->elsewhere;

	if (metronome)
		et_reap_alternate(t->waits, r->e->plan.metronome_ns, &r->interrupt->signal);
	struct et_reaping reaping = { .root = "",
		.children = t->waits,
		.results = t->ends,
		.n = children(t),
		.before = &r->before,
		.stops_are_ours = metronome };
	int rc = et_reap_wait(&reaping);

	int left = et_reap_leftovers(&reaping);
	r->interrupt->groups[0] = r->interrupt->groups[1] = 0;
	if (r->interrupt->signal) {
		et_interrupt_settled(r->interrupt);
		return -EINTR;
	}
	for (size_t i = 0; i < children(t); i++) {
		if (!r->starts[i].failed_step && !r->starts[i].t0_ns)
			continue; /* sent home because of its partner */
		if (r->starts[i].failed_step)
			return et_child_start_error(&t->setups[i], &r->starts[i], err);
	}
	if (!r->starts[0].t0_ns || !r->starts[t->n - 1].t0_ns)
		return et_fail(err, ECHILD, ET_EXIT_OUTSIDE, "%s: killed before it could start",
			t->setups[0].argv[0]);
	if (rc == -EIO)
		return et_hint(err,
			et_fail(err, EIO, ET_EXIT_PROGRAM,
				"%s: stopped because it wants the terminal, so it was ended",
				t->setups[0].argv[0]),
			"give it --input FILE, and --output null or a file");
	if (rc)
		return et_fail_errno(
			err, -rc, ET_EXIT_OUTSIDE, "waiting for %s", t->setups[0].argv[0]);
	if (left)
		return et_fail_errno(err, -left, ET_EXIT_OUTSIDE,
			"cannot list the processes that %s left running", t->setups[0].argv[0]);
	return 0;
}

static int perform(struct et_runner *r, struct take *t, struct et_sample *out, struct et_error *err)
{
	if (r->interrupt->signal)
		return -EINTR;
	before_run(r, t);
	int rc = spawn_all(r, t, err);
	if (rc) {
		struct et_reaping first = {
			.root = "", .children = t->waits, .results = t->ends, .n = 1
		};
		int reaped = t->waits[0].pid > 0 ? et_reap_wait(&first) : 0;
		(void)reaped; /* the failed start is what is reported */
		r->interrupt->groups[0] = r->interrupt->groups[1] = 0;
		return rc;
	}
	rc = wait_all(r, t, err);
	if (rc)
		return rc;
	/* Groups are read before the pictures cost anything. */
	t->etalon_cpu_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (size_t i = 0; i < t->n && r->cgroup.source != ET_CPU_BY_WAIT4; i++)
		t->group_cpu_ns[i] = et_cgroup_usage_ns(r->cgroup.source, t->setups[i].usage_fd);
	after_run(r, t);
	for (size_t i = 0; i < t->n; i++)
		fill_sample(r, t, i, &out[i]);
	fill_interference(r, t, out);
	return 0;
}

/* --- the executor --- */

static int run_hook(struct et_runner *r, const char *what, const char *text, struct et_error *err)
{
	return text ? et_hook_run(&r->aside, what, text, err) : 0;
}

/* One take with what the user wants done before and after each run of its commands. */
static int run_with_hooks(
	struct et_runner *r, struct take *t, struct et_sample *out, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->n; i++)
		rc = run_hook(r, "--prepare", r->e->commands[t->commands[i]].prepare, err);
	if (rc == 0)
		rc = perform(r, t, out, err);
	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < t->n; i++)
		rc = run_hook(r, "--conclude", r->e->commands[t->commands[i]].conclude, err);
	if (rc) {
		for (size_t i = 0; i < t->n; i++)
			et_sample_free(&out[i]);
	}
	return rc;
}

static int run_solo(struct et_runner *r, uint32_t command, const cpu_set_t *cpus,
	struct et_sample *out, struct et_error *err)
{
	struct take t = { .n = 1, .commands = { command }, .cpus = cpus };

	return run_with_hooks(r, &t, out, err);
}

static int run_paced(
	struct et_runner *r, uint32_t command, struct et_sample *out, struct et_error *err)
{
	struct take t = {
		.n = 1, .paced = true, .commands = { command, command }, .cpus = &r->one
	};

	return run_with_hooks(r, &t, out, err);
}

/* Programs shorter than a scheduler's slice cannot overlap: one right behind the other. */
static int run_in_turn(struct et_runner *r, const struct et_request *q, const cpu_set_t *cpus,
	struct et_sample out[2], struct et_error *err)
{
	uint32_t commands[] = { q->command, q->partner };
	int first = q->swap ? 1 : 0;
	int rc = run_solo(r, commands[first], cpus, &out[first], err);

	if (rc)
		return rc;
	rc = run_solo(r, commands[!first], cpus, &out[!first], err);
	if (rc)
		et_sample_free(&out[first]);
	return rc;
}

static int run_together(struct et_runner *r, const struct et_request *q, const cpu_set_t *cpus,
	struct et_sample out[2], struct et_error *err)
{
	struct take t = { .n = 2, .commands = { q->command, q->partner }, .cpus = cpus };
	struct et_sample samples[2];

	if (q->swap) {
		t.commands[0] = q->partner;
		t.commands[1] = q->command;
	}
	int rc = run_with_hooks(r, &t, samples, err);
	if (rc)
		return rc;
	out[0] = samples[q->swap];
	out[1] = samples[!q->swap];
	return 0;
}

static int run_duet(struct et_runner *r, const struct et_request *q, struct et_sample out[2],
	struct et_error *err)
{
	const cpu_set_t *cpus = !r->pinnable ? NULL : q->parallel ? &r->allowed : &r->one;
	int rc =
		q->overlap ? run_together(r, q, cpus, out, err) : run_in_turn(r, q, cpus, out, err);

	for (int i = 0; rc == 0 && i < 2; i++) {
		if (!q->overlap)
			out[i].ruling.marks |= ET_MARK_NO_OVERLAP;
	}
	return rc;
}

static int run(void *ctx, const struct et_request *q, struct et_sample out[2], struct et_error *err)
{
	struct et_runner *r = ctx;

	if (q->arrangement == ET_DUET)
		return run_duet(r, q, out, err);
	if (q->arrangement == ET_PACED)
		return run_paced(r, q->command, &out[0], err);
	return run_solo(r, q->command, r->pinned ? &r->allowed : NULL, &out[0], err);
}

static int around(void *ctx, enum et_occasion occasion, uint32_t command, struct et_error *err)
{
	struct et_runner *r = ctx;
	const struct et_command *c = &r->e->commands[command];

	if (occasion == ET_BEFORE_ALL)
		return run_hook(r, "--setup", c->setup, err);
	return run_hook(r, "--cleanup", c->cleanup, err);
}

struct et_executor et_runner_executor(struct et_runner *r)
{
	return (struct et_executor){ .run = run, .around = around, .ctx = r };
}
