/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/trace/tracee.h"
#include "base/clock.h"
#include "base/parse.h"
#include "measure/child/child.h"
#include "measure/child/environ.h"
#include "measure/child/keeper.h"
#include "measure/child/reap.h"
#include "measure/observe/snapshot.h"
#include "measure/observe/steal.h"
#include "measure/trace/cause.h"
#include "measure/trace/sched_source.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>

extern char **environ;

enum { RECORDS_BYTES = 16 << 20, MOST_RECORDS = 1 << 20 };

/* Two inactive periods this close are one: the kernel runs between them, not the program. */
static const uint64_t KERNEL_NS = 15000;

/*
 * Processes ran for longer than the program was ready to run: for the difference the program slept,
 * and they took nothing from it. The tolerance of 10 % and 1 ms is our choice.
 */
static const uint64_t READY_NS = 1000000;
enum { READY_ONE_IN = 10 };

/* --- the periods of a window --- */

static bool is_ours(const struct et_tracee_window *w, const struct et_sched_event *h)
{
	return h->kind == ET_SCHED_RAN &&
	       (bsearch(&h->pid, w->ours, w->n_ours, sizeof(*w->ours), et_by_pid) ||
		       bsearch(&h->tgid, w->ours, w->n_ours, sizeof(*w->ours), et_by_pid));
}

static void add_period(
	const struct et_tracee_window *w, struct et_trace *t, uint64_t from, uint64_t to)
{
	struct et_inactive *last = t->n ? &t->list[t->n - 1] : NULL;

	if (to > w->t1_ns)
		to = w->t1_ns;
	if (from >= to)
		return;
	from -= w->t0_ns;
	to -= w->t0_ns;
	if (last && from < last->start + last->duration + KERNEL_NS)
		last->duration = to - last->start;
	else
		et_trace_add(t, from, to - from);
}

void et_tracee_periods(const struct et_tracee_window *w, const struct et_sched_event *events,
	size_t n, struct et_trace *t)
{
	struct et_sched_event *others = et_calloc(n + 1, sizeof(*others));
	uint64_t done = w->t0_ns; /* the periods up to here are known */
	uint64_t ours_end = w->t0_ns;
	size_t n_others = 0;

	t->begin_ns = w->t0_ns;
	t->total = w->t1_ns > w->t0_ns ? w->t1_ns - w->t0_ns : 0;
	for (size_t i = 0; i < n; i++) {
		const struct et_sched_event *h = &events[i];
		uint64_t end = h->start_ns + h->duration_ns;
		if (is_ours(w, h)) {
			/* The program did not run between `done` and this stretch. */
			if (h->start_ns > done)
				add_period(w, t, done, h->start_ns);
			ours_end = end;
			done = end > done ? end : done;
			continue;
		}
		others[n_others++] = *h;
		/* An interrupt within a stretch of the program, but not within another one. */
		if (h->kind != ET_SCHED_RAN && h->start_ns >= w->t0_ns && end <= ours_end &&
			(!t->n || h->start_ns >= w->t0_ns + t->list[t->n - 1].start +
							 t->list[t->n - 1].duration))
			add_period(w, t, h->start_ns, end);
	}
	add_period(w, t, done, w->t1_ns);
	et_trace_set_rate(t, 1e9);
	et_cause_join(t, 0, others, n_others);
	et_cause_timers(t, others, n_others);
	free(others);
}

/* --- running the program --- */

struct tracee {
	const struct et_tracer_options *o;
	char *const *argv;
	struct et_sched_stream *stream;
	struct et_taskstats *taskstats; /* NULL: descendants of the program are not known */
	struct et_exits exits;
	bool lost_exits;
	struct et_sched_event *records;
	size_t n, cap;
	uint64_t full_ns;    /* when MOST_RECORDS was reached; 0: never */
	uint64_t lost;       /* records that the kernel dropped */
	uint64_t unreadable; /* attempts to read records that failed */
	atomic_bool over;
	cpu_set_t one;
	char *path;
	char **envp;
	int null;
	struct et_start *start;
	pid_t keeper;
	struct et_reap_request child;
	struct et_reap_result end;
};

static void keep(void *ctx, const struct et_sched_event *h)
{
	struct tracee *r = ctx;

	if (r->n == MOST_RECORDS) {
		r->full_ns = r->full_ns ? r->full_ns : h->start_ns;
		return;
	}
	ET_GROW(r->records, r->n, r->cap);
	r->records[r->n++] = *h;
}

/* The exit record of our own thread is not wanted. */
static void keep_exit(void *ctx, const struct et_exit_record *e)
{
	if (e->tgid != getpid())
		et_exits_add(ctx, e);
}

static void read_records(struct tracee *r)
{
	bool lost = false;
	int rc = et_sched_stream_drain(r->stream, keep, r, &r->lost);

	r->unreadable += rc != 0;
	rc = r->taskstats ? et_taskstats_drain(r->taskstats, keep_exit, &r->exits, &lost) : 0;
	r->lost_exits = r->lost_exits || lost || rc;
}

/* A thread that empties the kernel's buffers while the program runs. */
static void *read_often(void *ctx)
{
	struct tracee *r = ctx;
	const struct timespec nap = { .tv_nsec = 20000000 };

	while (!atomic_load(&r->over)) {
		read_records(r);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

static int make_ready(struct tracee *r, int *cpu, struct et_error *err)
{
	int rc = et_child_check("", err);

	if (rc == 0)
		rc = et_tracer_cpu(r->o->cpu, cpu, err);
	if (rc)
		return rc;
	CPU_ZERO(&r->one);
	CPU_SET(*cpu, &r->one);
	r->envp = et_environ_make(environ, NULL, NULL);
	rc = et_child_resolve(r->argv[0], et_environ_get(r->envp, "PATH"), NULL, &r->path, err);
	if (rc)
		return rc;
	r->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	r->start = et_start_map(1);
	if (r->null < 0 || !r->start)
		return et_fail_errno(err, errno, ET_EXIT_OUTSIDE, "cannot start '%s'", r->argv[0]);
	r->keeper = et_keeper_start(
		r->o->interrupt, (const int[ET_KEEPER_MARKS]){ r->null, -1, -1, -1 });
	if (et_taskstats_open(&r->taskstats))
		r->taskstats = NULL;
	et_tracer_leave_cpu(*cpu);
	return et_sched_stream_open(ET_SCHED_ANY, *cpu, RECORDS_BYTES, &r->stream, err);
}

static int spawn(struct tracee *r, struct et_child_setup *setup, struct et_error *err)
{
	struct et_dispositions dispositions;
	sigset_t all;

	et_dispositions_read(&r->o->interrupt->ignored, &dispositions);
	setup->dispositions = &dispositions;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &setup->signals);
	pid_t pid = r->o->interrupt->signal ? -EINTR : et_child_spawn(setup, r->start, false);
	r->child.pid = r->o->interrupt->groups[0] = pid > 0 ? pid : 0;
	r->child.group = &r->o->interrupt->groups[0];
	sigprocmask(SIG_SETMASK, &setup->signals, NULL);
	if (pid == -EINTR)
		return -EINTR;
	return pid > 0 ? 0
		       : et_fail_errno(
				 err, -pid, ET_EXIT_OUTSIDE, "cannot start '%s'", setup->argv[0]);
}

static int perform(struct tracee *r, struct et_error *err)
{
	struct et_child_setup setup = { .path = r->path,
		.argv = r->argv,
		.envp = r->envp,
		.cpus = &r->one,
		.in = r->null,
		.out = r->null,
		.err = r->null,
		.attach_fd = -1,
		.source = ET_CPU_BY_WAIT4,
		.usage_fd = -1 };
	struct et_proc_reader reader;
	struct et_snapshot before = { 0 };

	int rc = et_proc_reader_open(&reader, "");
	if (rc == 0)
		rc = et_snapshot_take(&reader, NULL, 0, &before);
	et_proc_reader_close(&reader);
	if (rc)
		return et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "cannot list all processes");
	r->child.began_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	rc = spawn(r, &setup, err);
	if (rc == 0) {
		struct et_reaping reaping = { .root = "",
			.children = &r->child,
			.results = &r->end,
			.n = 1,
			.before = &before,
			.given_up = &r->o->interrupt->given_up };
		int waited = et_reap_wait(&reaping);
		int left = et_reap_leftovers(&reaping);
		waited = waited ? waited : left;
		if (r->start->failed_step)
			rc = et_child_start_error(&setup, r->start, err);
		else if (waited)
			rc = et_fail_errno(
				err, -waited, ET_EXIT_PROGRAM, "cannot wait for %s", r->argv[0]);
		else if (r->o->interrupt->signal)
			rc = -EINTR;
	}
	r->o->interrupt->groups[0] = 0;
	et_interrupt_settled(r->o->interrupt);
	et_snapshot_free(&before);
	return rc;
}

/*
 * Finds the processes and threads of the program by their exit records, and for how long they were
 * ready to run without a CPU. The caller frees the list.
 */
static int32_t *find_ours(struct tracee *r, size_t *n, uint64_t *ready_ns)
{
	int32_t *ours = et_calloc(r->exits.n + 1, sizeof(*ours));

	*n = 0;
	ours[(*n)++] = r->child.pid;
	struct et_tree_delays d = et_exits_claim(&r->exits, r->child.pid, getpid());
	if (d.tasks)
		*ready_ns =
			d.run_ns > r->start->run_delay_ns ? d.run_ns - r->start->run_delay_ns : 0;
	for (size_t i = 0; i < r->exits.n; i++) {
		if (r->exits.records[i].pid < 0)
			ours[(*n)++] = -r->exits.records[i].pid;
	}
	qsort(ours, *n, sizeof(*ours), et_by_pid);
	return ours;
}

static void conclude(struct tracee *r, uint64_t stolen_ns, struct et_trace *t)
{
	struct et_tracee_window w = { .t0_ns = r->start->t0_ns, .t1_ns = r->end.t1_ns };

	if (r->full_ns && r->full_ns < w.t1_ns) {
		w.t1_ns = r->full_ns;
		et_warn(&t->warnings, ET_WARN_TRACE_CUT, et_arg_count(MOST_RECORDS));
	}
	ET_AUTO_FREE int32_t *ours = find_ours(r, &w.n_ours, &t->ready_ns);
	w.ours = ours;
	et_tracee_periods(&w, r->records, r->n, t);
	et_cause_steal(t, &stolen_ns);
	if (!et_cause_ticks(t, t->total_ns))
		et_cause_regular(t, false, false);
	et_trace_sum(t);
	t->source = et_sched_stream_source(r->stream)->name;
	if (t->ready_ns != ET_UNKNOWN &&
		t->by_cause[ET_CAUSE_PROCESS].ns >
			t->ready_ns + t->ready_ns / READY_ONE_IN + READY_NS)
		et_warn(&t->warnings, ET_WARN_TRACE_READY_TIME,
			et_arg_value((double)t->ready_ns, ET_UNIT_NS));
	if (!et_sched_stream_source(r->stream)->interrupts)
		et_warn(&t->warnings, ET_WARN_TRACE_INTERRUPTS_COUNT);
	if (!r->taskstats || r->lost_exits)
		et_warn(&t->warnings, ET_WARN_TRACE_NO_EXIT_RECORDS);
	if (r->lost + r->unreadable)
		et_warn(&t->warnings, ET_WARN_TRACE_RECORDS_LOST,
			et_arg_count(r->lost + r->unreadable));
}

static int run_traced(struct tracee *r, struct et_trace *t, struct et_error *err)
{
	struct et_steal steal;
	pthread_t thread;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = -pthread_create(&thread, NULL, read_often, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		return et_fail_errno(err, -rc, ET_EXIT_OUTSIDE, "cannot start a thread");
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans of the program become our children */
	et_steal_open(&steal, "", r->o->virtual_machine);
	uint64_t stolen = et_steal_read(&steal, &r->one).steal_ns;
	rc = perform(r, err);
	atomic_store(&r->over, true);
	pthread_join(thread, NULL);
	read_records(r);
	steal.read_ns = 0; /* read it again, whatever its age */
	uint64_t since = et_steal_read(&steal, &r->one).steal_ns;
	bool known = stolen != ET_UNKNOWN && since != ET_UNKNOWN && since > stolen;
	et_steal_close(&steal);
	if (rc == 0 || (rc == -EINTR && r->start->t0_ns))
		conclude(r, known ? since - stolen : 0, t);
	return rc;
}

static void release(struct tracee *r)
{
	et_keeper_stop(r->keeper);
	et_sched_stream_close(r->stream);
	et_taskstats_close(r->taskstats);
	et_exits_free(&r->exits);
	et_start_unmap(r->start, 1);
	et_strv_free(r->envp);
	free(r->path);
	free(r->records);
	et_cleanup_close(&r->null);
}

int et_tracee_run(const struct et_tracer_options *o, char *const *argv, struct et_trace *out,
	int *status, struct et_error *err)
{
	struct tracee r = { .o = o, .argv = argv, .null = -1 };

	et_trace_init(out);
	out->timer.nominal_ns = o->tick_ns;
	int rc = make_ready(&r, &out->cpu, err);
	if (rc == 0)
		rc = run_traced(&r, out, err);
	out->name = et_strdup(argv[0]);
	*status = r.end.status;
	release(&r);
	if (rc && rc != -EINTR)
		et_trace_free(out);
	return rc;
}
