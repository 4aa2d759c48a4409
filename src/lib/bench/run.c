/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "lib/bench/output.h"
#include "lib/bench/plan.h"
#include "lib/bench/worker.h"
#include "num/quantile.h"
#include "num/rng.h"

#include <sched.h>

enum {
	PILOT_NS = 5000000,
	PILOT_SAMPLES = 10,       /* at least */
	PADDING = 4096,           /* of the environment: less than this */
	MOST_ARGUMENTS = 2 << 20, /* bytes */
	MOST_SAMPLES = 50000,     /* of a slice that is longer than usual */
	SIGNALLED = 128,
	SHOWN_EVERY_NS = 100000000,
	NAME_COLUMNS = 40,
};

static const double SAMPLED = 0.95;     /* of a slice; the rest is the warm-up */
static const double GREETING_NS = 10e9; /* how long another program may take to answer */
static const double TWICE_NS = 0.3e9;   /* signals within this are one */
static const double EACH_CPU_NS = 10;   /* and how much longer than this one took, in CPU time */

static volatile sig_atomic_t interrupted; /* the signal, or 0 */

/* One line on a terminal that says what is being timed and how long it will take. */
struct progress {
	bool shown;        /* the line is there */
	bool wanted;       /* the user wants it, or standard error is a terminal */
	uint64_t last_ns;  /* when it was written */
	unsigned process;  /* that it shows */
	uint64_t begin_ns; /* of the planned part */
	double total_ns;   /* predicted from there on; NaN: not planned yet */
};

/* Shows the case and the process (from 0, of n; 0: unknown), and again ten times per second. */
static void show_progress(
	struct progress *p, const char *name, unsigned process, unsigned n, uint64_t now)
{
	double left = (p->total_ns - (double)(now - p->begin_ns)) / 1e9;

	if (!p->wanted || (p->shown && process == p->process && now - p->last_ns < SHOWN_EVERY_NS))
		return;
	p->process = process;
	p->shown = true;
	p->last_ns = now;
	if (n)
		fprintf(stderr, "\r\033[Kprocess %u of %u, %.0f s left: %.*s", process + 1, n,
			fmax(ceil(left), 0), NAME_COLUMNS, name);
	else
		fprintf(stderr, "\r\033[Kfirst samples: %.*s", NAME_COLUMNS, name);
	fflush(stderr);
}

struct run {
	const struct et_bench_options *o;
	const struct et_bench_cases *cases;
	struct et_bench_results *r;
	struct et_clock_choice clock;
	struct et_rng rng;
	bool here;                            /* the samples are taken in this process */
	struct et_timebase timebase;          /* if so */
	struct et_worker_program programs[2]; /* this one, and that of --against */
	struct et_worker workers[2];
	size_t padding; /* of the workers' environment */
	int cpu;        /* of both workers; -1: any */
	struct et_slice *pilots;
	uint64_t *calls; /* per sample, of each case */
	double *cost_ns; /* of a sample, of each case; NaN: it failed */
	struct progress progress;
	uint64_t begin_ns;
	double start_ns; /* to start a worker */
};

static struct timespec interrupted_at;

/*
 * Signals that end a program let it judge the samples so far; a later one ends it at once. Some
 * programs (timeout, make) send a signal to the process and to its group, that is twice.
 */
static void on_signal(int signal)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!interrupted) {
		interrupted_at = now;
		interrupted = signal;
	} else if ((double)(now.tv_sec - interrupted_at.tv_sec) * 1e9 +
			   (double)(now.tv_nsec - interrupted_at.tv_nsec) >
		   TWICE_NS) {
		_exit(SIGNALLED + signal);
	}
}

static const int endings[] = { SIGINT, SIGTERM, SIGHUP };

static struct sigaction before[ET_LENGTH(endings)];

static void catch_signals(void)
{
	struct sigaction ours = { .sa_handler = on_signal };

	interrupted = 0;
	for (size_t i = 0; i < ET_LENGTH(endings); i++) {
		sigaction(endings[i], NULL, &before[i]);
		if (before[i].sa_handler == SIG_DFL)
			sigaction(endings[i], &ours, NULL);
	}
}

void et_bench_run_end(void)
{
	for (size_t i = 0; i < ET_LENGTH(endings); i++)
		sigaction(endings[i], &before[i], NULL);
}

static uint64_t now_ns(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC);
}

static double left_ns(const struct run *x)
{
	return x->o->limit_ns ? (double)x->o->limit_ns - (double)(now_ns() - x->begin_ns)
			      : INFINITY;
}

static int start(struct run *x, bool old, struct et_error *err)
{
	uint64_t began = now_ns();
	int rc = et_worker_start(&x->programs[old], x->padding, &x->workers[old], err);

	if (rc == 0 && !old)
		x->start_ns = (double)(now_ns() - began);
	return rc;
}

static int start_both(struct run *x, struct et_error *err)
{
	int rc = start(x, false, err);

	return rc == 0 && x->o->against ? start(x, true, err) : rc;
}

static void end_workers(struct run *x)
{
	for (int old = 0; old < 2; old++)
		et_worker_end(&x->workers[old], interrupted);
}

/* Where the stack of the next workers begins, and on which CPU a pair of them runs. */
static void draw_place(struct run *x)
{
	cpu_set_t allowed;

	x->padding = (size_t)et_rng_below(&x->rng, PADDING);
	x->cpu = -1;
	if (!x->o->against || sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return;
	uint64_t skip = et_rng_below(&x->rng, (uint64_t)CPU_COUNT(&allowed));
	for (int cpu = 0; cpu < CPU_SETSIZE && x->cpu < 0; cpu++)
		if (CPU_ISSET((size_t)cpu, &allowed) && skip-- == 0)
			x->cpu = cpu;
}

static void keep(struct et_bench_row *row, const struct et_slice *s)
{
	row->slices = et_realloc(row->slices, row->n_slices + 1, sizeof(*row->slices));
	row->slices[row->n_slices++] = *s;
}

static void keep_pilot(struct run *x, size_t which)
{
	if (x->pilots[which].n)
		keep(&x->r->rows[which], &x->pilots[which]);
	else
		et_slice_free(&x->pilots[which]);
	x->pilots[which] = (struct et_slice){ 0 };
}

/*
 * Takes a slice of a case. Returns -EIO if the function failed: its row says why, and the worker
 * has been replaced if it ended. Returns other errors if no more slices can be taken.
 */
static int take(struct run *x, size_t which, bool old, struct et_slice_request *q,
	struct et_slice *out, struct et_error *err)
{
	const struct et_bench_case *c = &x->cases->list[which];
	struct et_bench_row *row = &x->r->rows[which];
	double timeout = (double)x->o->timeout_ns + 2 * q->duration_ns;
	ET_AUTO_FREE char *why = NULL;
	bool skipped = false;
	int rc;

	q->seed = et_rng_next(&x->rng);
	if (x->here) {
		rc = et_worker_take_here(c, q, &x->timebase, -1, out);
		if (rc)
			return et_fail(err, EINVAL, ET_EXIT_ENVIRONMENT, "%s: %s", c->name,
				etalon_strerror(rc));
	} else {
		rc = et_worker_take(&x->programs[old], &x->workers[old], c->name, q,
			c->threads > 1 ? -1 : x->cpu, (uint64_t)timeout, out, &why);
		if (rc == -EINTR)
			return rc;
	}
	if (!why && out->error) {
		why = et_strdup(out->error);
		skipped = out->skipped;
		et_slice_free(out);
	}
	if (!why) {
		out->which = which;
		out->old = old;
		return 0;
	}
	free(row->error);
	row->error = old ? et_asprintf("%s: %s", x->programs[old].name, why) : et_strdup(why);
	row->skipped = skipped;
	rc = x->here || x->workers[old].pid ? 0 : start(x, old, err);
	return rc ? rc : -EIO;
}

static struct et_slice_request request(const struct run *x, size_t which)
{
	const struct et_bench_case *c = &x->cases->list[which];

	return (struct et_slice_request){
		.kbest = &x->o->kbest,
		.calls = x->o->kbest.calls ? x->o->kbest.calls : c->bench->calls,
		.max_samples = x->o->kbest.max_samples,
	};
}

static double case_ns(const struct run *x)
{
	return x->o->case_ns ? (double)x->o->case_ns : et_plan_case_ns(x->cases->n, x->o->against);
}

static double usual_ns(const struct run *x)
{
	return et_plan_usual_ns(x->cases->n, case_ns(x), x->o->against);
}

/* A slice that is longer than usual has more samples, not longer ones: more of them escape. */
static size_t most_samples(const struct run *x, const struct et_plan_case *plan)
{
	double n = x->o->kbest.max_samples, longer = plan->duration_ns / usual_ns(x);

	if (plan->duration_ns <= 0)
		return 1;
	return x->o->max_samples_given || !(longer > 1) ? (size_t)n
							: (size_t)fmin(n * longer, MOST_SAMPLES);
}

/* The pilot chooses the calls as a slice would: the most samples fill the whole slice. */
static size_t pilot_samples(const struct run *x, size_t most)
{
	double n = (double)most * PILOT_NS / usual_ns(x);

	return n < PILOT_SAMPLES ? PILOT_SAMPLES : n < (double)most ? (size_t)n : most;
}

/* The time of a sample. That of the whole slice would depend on the load of the machine. */
static double sample_ns(const struct et_slice *s)
{
	ET_AUTO_FREE double *ns = et_calloc(s->n + 1, sizeof(*ns));

	if (!s->n)
		return NAN;
	if (s->sample_ns > 0)
		return s->sample_ns;
	for (size_t i = 0; i < s->n; i++)
		ns[i] = s->samples[i].ns;
	return fmax(et_median(ns, s->n) * (double)s->calls, 1);
}

/* Takes a few samples of each case in the first process. */
static int take_pilots(struct run *x, struct et_error *err)
{
	for (size_t i = 0; i < x->cases->n; i++) {
		struct et_slice_request q = request(x, i);

		if (interrupted)
			return -EINTR;
		show_progress(&x->progress, x->cases->list[i].name, 0, 0, now_ns());
		q.duration_ns = PILOT_NS;
		q.max_samples = pilot_samples(x, q.max_samples);
		int rc = take(x, i, false, &q, &x->pilots[i], err);
		if (rc && rc != -EIO)
			return rc;
		x->calls[i] = x->pilots[i].calls;
		x->cost_ns[i] = sample_ns(&x->pilots[i]);
	}
	return 0;
}

/* Takes the slices that one process has to take of a case, alternately with its partner. */
static int take_case(struct run *x, const struct et_plan_case *plan, size_t which, unsigned process,
	struct et_error *err)
{
	struct et_bench_row *row = &x->r->rows[which];
	struct et_slice_request q = request(x, which);
	bool pair = x->workers[1].pid && et_worker_has(&x->workers[1], row->name);
	bool first = pair && et_rng_below(&x->rng, 2);
	unsigned n = pair ? 2 * plan->slices : plan->slices;

	q.calls = x->calls[which];
	q.duration_ns = plan->duration_ns * SAMPLED;
	/* A function longer than its share has its first value in the pilot. */
	if (process == 0 && plan->duration_ns <= 0 && !x->o->against && x->pilots[which].n) {
		keep_pilot(x, which);
		return 0;
	}
	q.max_samples = most_samples(x, plan);
	/* New, old, old, new, or the other way round: a drift affects both programs equally. */
	for (unsigned i = 0; i < n; i++) {
		bool old = pair && (first ^ (i % 4 == 1 || i % 4 == 2));
		struct et_slice s = { 0 };
		int rc = take(x, which, old, &q, &s, err);

		if (rc)
			return rc == -EIO ? 0 : rc;
		s.process = process;
		keep(row, &s);
	}
	return 0;
}

/* Takes the slices of one process, and of its partner, in random order. */
static int take_process(
	struct run *x, const struct et_bench_plan *plan, unsigned process, struct et_error *err)
{
	ET_AUTO_FREE uint32_t *order = et_calloc(x->cases->n, sizeof(*order));
	uint32_t n = 0;

	for (size_t i = 0; i < x->cases->n; i++)
		if (!x->r->rows[i].error && et_plan_takes(plan, i, process))
			order[n++] = (uint32_t)i;
	et_shuffle(&x->rng, order, n, sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		const char *name = x->cases->list[order[i]].name;

		if (interrupted)
			return -EINTR;
		if (left_ns(x) <= 0)
			return 0;
		show_progress(&x->progress, name, process, plan->processes, now_ns());
		int rc = take_case(x, &plan->cases[order[i]], order[i], process, err);
		if (rc)
			return rc;
	}
	return 0;
}

static void make_plan(struct run *x, struct et_bench_plan *plan)
{
	struct et_plan_request q = {
		.sample_ns = x->cost_ns,
		.n = x->cases->n,
		.pairs = x->o->against != NULL,
		.processes = x->here ? 1 : x->o->processes,
		.repetitions = x->o->repetitions,
		.case_ns = case_ns(x),
		.case_limit_ns = fmax((double)x->o->case_limit_ns, 1),
		.left_ns = left_ns(x),
		.start_ns = x->start_ns,
	};

	for (size_t i = 0; i < q.n; i++)
		if (x->r->rows[i].error)
			x->cost_ns[i] = NAN;
	et_plan_make(&q, plan);
	x->progress.total_ns = plan->total_ns;
	x->progress.begin_ns = now_ns();
}

static int take_all(struct run *x, struct et_error *err)
{
	ET_AUTO_FREE struct et_plan_case *cases = et_calloc(x->cases->n, sizeof(*cases));
	struct et_bench_plan plan = { .cases = cases };
	int rc = take_pilots(x, err);

	if (rc == 0)
		make_plan(x, &plan);
	for (unsigned i = 0; rc == 0 && i < plan.processes; i++) {
		if (i > 0 && left_ns(x) <= 0)
			break;
		if (i > 0 && !x->here) {
			end_workers(x);
			draw_place(x);
			rc = start_both(x, err);
		}
		if (rc && rc != -EINTR && i > 0) {
			et_bench_note(
				x->r, "%s: there are fewer processes than planned", err->what);
			rc = 0;
			break;
		}
		if (rc == 0)
			rc = take_process(x, &plan, i, err);
	}
	/* A case that the time was too short for has its pilot. */
	for (size_t i = 0; i < x->cases->n; i++)
		if (!x->r->rows[i].error && !x->r->rows[i].n_slices)
			keep_pilot(x, i);
	return rc;
}

/* Reads the arguments of this process, also those that main has removed from argv. */
static char **arguments(char **argv)
{
	ET_AUTO_FREE char *text = et_calloc(MOST_ARGUMENTS, 1);
	ssize_t got = et_sysroot_read("", "/proc/self/cmdline", text, MOST_ARGUMENTS);
	size_t n = got > 0 ? (size_t)got : 0, count = 0;

	for (size_t at = 0; at < n; at += strlen(text + at) + 1)
		count++;
	while (!n && argv[count])
		count++;
	char **list = et_calloc(count + 1, sizeof(*list));
	for (size_t i = 0, at = 0; i < count; i++) {
		list[i] = et_strdup(n ? text + at : argv[i]);
		at += strlen(list[i]) + 1;
	}
	return list;
}

static void describe_programs(struct run *x, char **argv)
{
	double cpu_ns = (double)et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct et_worker_program p = {
		.path = "/proc/self/exe",
		.name = argv[0],
		.argv = arguments(argv),
		.greeting_ns =
			(uint64_t)fmax(fmin(GREETING_NS + EACH_CPU_NS * cpu_ns, left_ns(x)), 0),
		.o = x->o,
		.clock = &x->clock,
		.interrupted = &interrupted,
	};

	x->programs[0] = x->programs[1] = p;
	if (!x->o->against)
		return;
	x->programs[1].path = x->programs[1].name = x->o->against;
	x->programs[1].argv = arguments(argv);
	free(x->programs[1].argv[0]);
	x->programs[1].argv[0] = et_strdup(x->o->against);
}

/* Starts the first worker, or decides to take all samples in this process. */
static int begin(struct run *x, struct et_error *err)
{
	x->here = x->o->processes == 1 && !x->o->against;
	draw_place(x);
	int rc = x->here ? 0 : start_both(x, err);
	if (rc && rc != -EINTR && !x->o->against) {
		et_bench_note(x->r, "%s: all samples are from one process",
			access("/proc/self/exe", X_OK) ? "/proc is not available" : err->what);
		x->here = true;
		rc = 0;
	}
	if (x->here)
		et_clock_choice_timebase(&x->clock, &x->timebase);
	return rc;
}

static void free_run(struct run *x)
{
	end_workers(x);
	for (size_t i = 0; i < x->cases->n; i++)
		et_slice_free(&x->pilots[i]);
	free(x->pilots);
	free(x->calls);
	free(x->cost_ns);
	if (x->o->against)
		et_strv_free(x->programs[1].argv);
	et_strv_free(x->programs[0].argv);
}

int et_bench_run(const struct et_bench_cases *cases, char **argv, struct et_bench_results *r,
	int *signal, struct et_error *err)
{
	struct run x = { .o = &r->options,
		.cases = cases,
		.r = r,
		.progress = { .total_ns = NAN },
		.begin_ns = now_ns() };

	catch_signals();
	int rc = et_clock_choose(r->options.kbest.clock, &x.clock);
	if (rc)
		return et_fail(err, EINVAL, ET_EXIT_ENVIRONMENT, "%s", etalon_strerror(rc));
	r->rows = et_calloc(cases->n, sizeof(*r->rows));
	r->n = cases->n;
	for (size_t i = 0; i < r->n; i++)
		r->rows[i].name = et_strdup(cases->list[i].name);
	x.pilots = et_calloc(cases->n, sizeof(*x.pilots));
	x.calls = et_calloc(cases->n, sizeof(*x.calls));
	x.cost_ns = et_calloc(cases->n, sizeof(*x.cost_ns));
	et_rng_seed(&x.rng, r->options.seed, 0);
	x.progress.wanted =
		x.o->progress == ET_BENCH_ALWAYS ||
		(x.o->progress == ET_BENCH_AUTO && !x.o->quiet && isatty(STDERR_FILENO));
	describe_programs(&x, argv);
	rc = begin(&x, err);
	if (rc == 0)
		rc = take_all(&x, err);
	if (x.progress.shown) /* remove the line, before something else is printed */
		fputs("\r\033[K", stderr);
	free_run(&x);
	*signal = interrupted;
	return interrupted ? 0 : rc;
}
