/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/interval_accuracy.h"
#include "base/clock.h"
#include "lab/self_timed.h"
#include "num/tick_count.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>

const char *const et_interval_method_names[] = { "ticks", "times", "getrusage", "getrusage-user",
	NULL };

double et_interval_error_of(const struct et_interval_run *r, enum et_interval_method method)
{
	double truth = method == ET_INTERVAL_USER ? r->truth_user_ns : r->truth_ns;

	return r->reported_ns[method] / truth - 1;
}

struct et_interval_error et_interval_judge(
	const struct et_interval_cell *c, enum et_interval_method method)
{
	struct et_interval_error e = { NAN, NAN, NAN, NAN };
	double sum = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		double error = et_interval_error_of(&c->runs[i], method);
		sum += error;
		if (i == 0 || fabs(error) > fabs(e.worst))
			e.worst = error;
		e.least = fmin(e.least, error); /* these ignore NaN */
		e.most = fmax(e.most, error);
	}
	if (c->n_runs)
		e.mean = sum / (double)c->n_runs;
	return e;
}

double et_interval_bias(
	const struct et_interval_accuracy *a, unsigned load, enum et_interval_method method)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_interval_cell *c = &a->cells[i];
		/* By the length of the case: its runs are a hair shorter or longer. */
		if (c->load != load || (double)c->length_ns < ET_INTERVAL_LONG_NS)
			continue;
		for (size_t k = 0; k < c->n_runs; k++) {
			sum += et_interval_error_of(&c->runs[k], method);
			n++;
		}
	}
	return n > 0 ? sum / n : NAN;
}

static void read_cell(const struct et_experiment *e, struct et_interval_cell *c)
{
	/* The truth, that of user time, then the methods. */
	double *series[2 + ET_INTERVAL_METHODS] = { NULL };
	size_t n = SIZE_MAX;

	for (size_t i = 0; i < ET_LENGTH(series); i++) {
		const char *name = i == 0   ? "truth"
				   : i == 1 ? "truth-user"
					    : et_interval_method_names[i - 2];
		size_t have;
		series[i] = et_figure_values(e, name, c->load, c->length_ns, &have);
		n = have < n ? have : n;
	}
	c->runs = et_calloc(n, sizeof(*c->runs));
	for (size_t i = 0; i < n; i++) {
		struct et_interval_run *r = &c->runs[c->n_runs];
		bool whole = true;
		r->truth_ns = series[0][i];
		r->truth_user_ns = series[1][i];
		for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
			r->reported_ns[m] = series[2 + m][i];
			whole = whole && r->reported_ns[m] >= 0;
		}
		c->n_runs += whole && r->truth_ns > 0 && r->truth_user_ns > 0;
	}
	for (size_t i = 0; i < ET_LENGTH(series); i++)
		free(series[i]);
}

int et_interval_accuracy_read(const struct et_experiment *e, void *result, struct et_error *err)
{
	struct et_interval_accuracy a = { 0 };
	size_t room = 0;

	for (const struct et_figure *f = NULL; (f = et_figure_next(e, ET_INTERVAL_CASE, f));) {
		ET_GROW(a.cells, a.n_cells, room);
		struct et_interval_cell *c = &a.cells[a.n_cells++];
		*c = (struct et_interval_cell){ .load = f->load, .length_ns = f->length_ns };
		read_cell(e, c);
	}
	if (!a.n_cells) {
		et_interval_accuracy_free(&a);
		return et_timing_foreign(e, "interval-accuracy", err);
	}
	*(struct et_interval_accuracy *)result = a;
	return 0;
}

void et_interval_accuracy_free(void *result)
{
	struct et_interval_accuracy *a = result;

	for (size_t i = 0; i < a->n_cells; i++)
		free(a->cells[i].runs);
	free(a->cells);
	*a = (struct et_interval_accuracy){ 0 };
}

/* --- measuring: each run is a process of its own --- */

/*
 * READS reads of CHUNK bytes from /dev/zero keep the kernel busy for about as long as a block of
 * user code. They stay within the first-level cache, so that their time is steady.
 */
enum { CHUNK = 1 << 13, READS = 32 };

/*
 * A block that takes more than this many times the median of its neighbours was interrupted. The
 * limit is above 2 because a busy hyper-thread sibling can halve the speed of the kernel's copying
 * for some blocks, which is our CPU time all the same.
 */
static const double interrupted = 2.5;

/* The work of a process: blocks in user space and in the kernel alternate. */
struct work {
	size_t blocks; /* of each kind */
	uint32_t *user, *kernel;
	int zero;
	char *chunk;
};

struct bench {
	uint32_t runs; /* per case */
	struct et_experiment *experiment;
	struct et_counter counter;
	double pair_ns;                 /* time of a block of each kind */
	struct et_interval_run *shared; /* memory in which a run leaves its results */
};

static int work_open(struct work *w, size_t blocks)
{
	*w = (struct work){ .blocks = blocks, .zero = open("/dev/zero", O_RDONLY | O_CLOEXEC) };
	if (w->zero < 0)
		return -errno;
	w->user = et_calloc(2 * blocks, sizeof(*w->user));
	w->kernel = w->user + blocks;
	w->chunk = et_alloc(CHUNK);
	/* Touch all memory now, so that no page fault happens while we measure. */
	for (size_t i = 0; i < 2 * blocks; i++)
		w->user[i] = 1;
	memset(w->chunk, 1, CHUNK);
	return 0;
}

static uint32_t short_of(uint64_t ticks)
{
	return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

/* Returns the result, so that the compiler does not drop the work. */
static uint64_t work_do(struct work *w)
{
	uint64_t value = 1, last = et_counter_read();

	for (size_t i = 0; i < w->blocks; i++) {
		value = et_self_timed_chain(value);
		uint64_t now = et_counter_read();
		w->user[i] = short_of(now - last);
		last = now;
		for (int j = 0; j < READS; j++)
			value ^= (uint64_t)read(w->zero, w->chunk, CHUNK) << 1; /* stays odd */
		now = et_counter_read();
		w->kernel[i] = short_of(now - last);
		last = now;
	}
	return value;
}

/* Computes the CPU time of a kernel that counts ticks, from the periods in which we ran. */
static double count_ticks(const struct bench *b, const struct work *w, double phase_ns)
{
	const double others_ns = 200e3; /* longer than any interrupt, so another process ran */
	ET_AUTO_FREE double *from = et_calloc(2 * w->blocks + 1, sizeof(*from));
	ET_AUTO_FREE double *to = et_calloc(2 * w->blocks + 1, sizeof(*to));
	double now = 0;
	size_t n = 0;

	from[0] = 0;
	for (size_t i = 0; i < 2 * w->blocks; i++) {
		double took = et_timing_ns(&b->counter, i % 2 ? w->kernel[i / 2] : w->user[i / 2]);
		if (took > others_ns) {
			to[n++] = now;
			from[n] = now + took;
		}
		now += took;
	}
	to[n++] = now;
	return et_interval_count(from, to, n, ET_CHAPTER_TICK_NS, phase_ns);
}

/* Runs in a child process. It allocates its own memory, so it causes no copy-on-write faults. */
static int measure(const struct bench *b, size_t blocks, double phase_ns)
{
	struct rusage before, after;
	struct tms first, last;
	struct et_interval_run *r = b->shared;
	struct work w;

	int rc = work_open(&w, blocks);
	if (rc)
		return rc;
	/* getrusage() and times() fail on bad arguments only. */
	getrusage(RUSAGE_SELF, &before);
	times(&first);
	uint64_t value = work_do(&w);
	times(&last);
	getrusage(RUSAGE_SELF, &after);
	__asm__ volatile("" ::"r"(value));
	double user = (double)(et_timeval_ns(after.ru_utime) - et_timeval_ns(before.ru_utime));
	double system = (double)(et_timeval_ns(after.ru_stime) - et_timeval_ns(before.ru_stime));
	double ticks =
		(double)(last.tms_utime + last.tms_stime - first.tms_utime - first.tms_stime);
	r->reported_ns[ET_INTERVAL_USER] = user;
	r->reported_ns[ET_INTERVAL_RUSAGE] = user + system;
	r->reported_ns[ET_INTERVAL_TIMES] = ticks * 1e9 / (double)sysconf(_SC_CLK_TCK);
	r->truth_user_ns =
		et_timing_ns(&b->counter, et_undisturbed_sum(w.user, w.blocks, interrupted));
	r->truth_ns = r->truth_user_ns + et_timing_ns(&b->counter, et_undisturbed_sum(w.kernel,
									   w.blocks, interrupted));
	r->reported_ns[ET_INTERVAL_TICKS] = count_ticks(b, &w, phase_ns);
	return 0;
}

/* Returns 0, -EINTR if a signal has ended the run, or -errno with err filled. */
static int run_one(const struct bench *b, size_t blocks, double phase_ns, struct et_walk *walk,
	struct et_error *err)
{
	const struct sigaction dfl = { .sa_handler = SIG_DFL };
	pid_t parent = getpid(), pid = fork();
	int status;

	if (pid < 0)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot start a process for a run");
	if (pid == 0) {
		sigaction(SIGINT, &dfl, NULL);
		sigaction(SIGTERM, &dfl, NULL);
		/* The parent may have died before PR_SET_PDEATHSIG was in force. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(ECHILD);
		_exit(-measure(b, blocks, phase_ns)); /* an errno is below 256 */
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT,
				"cannot wait for the process of a run");
		/* Do not wait for a run whose experiment should end. */
		if (!et_walk_advance(walk, 0))
			kill(pid, SIGKILL);
	}
	if (!WIFEXITED(status))
		return -EINTR;
	if (WEXITSTATUS(status))
		return et_fail_errno(err, WEXITSTATUS(status), ET_EXIT_ENVIRONMENT,
			"the process of a run failed");
	return 0;
}

static int measure_cell(
	void *ctx, struct et_walk *walk, unsigned load, uint64_t length_ns, struct et_error *err)
{
	struct bench *b = ctx;
	struct et_experiment *e = b->experiment;
	int rc = 0;

	et_figure_add(e, ET_INTERVAL_CASE, load, length_ns, b->runs);
	for (uint32_t i = 0; rc == 0 && !walk->stopped && i < b->runs; i++) {
		double phase = ET_CHAPTER_TICK_NS * (i + 0.5) / b->runs;
		double pairs = (double)length_ns / b->pair_ns;
		size_t blocks = pairs > 1 ? (size_t)pairs : 1;
		rc = run_one(b, blocks, phase, walk, err);
		if (rc == 0) {
			et_figure_add(e, "truth", load, length_ns, b->shared->truth_ns);
			et_figure_add(e, "truth-user", load, length_ns, b->shared->truth_user_ns);
			for (uint32_t m = 0; m < ET_INTERVAL_METHODS; m++)
				et_figure_add(e, et_interval_method_names[m], load, length_ns,
					b->shared->reported_ns[m]);
			/* The frequency may change between runs, so adapt the number of blocks. */
			b->pair_ns = b->shared->truth_ns / (double)blocks;
		}
		et_walk_advance(walk, (double)load * (double)length_ns);
	}
	if (rc == -EINTR)
		walk->stopped = true;
	return rc == -EINTR ? 0 : rc;
}

/* Measures how long a block of each kind takes, to find how many make a given length. */
static int calibrate(struct bench *b, struct et_error *err)
{
	enum { TRIALS = 100 };
	struct work w;
	int rc = et_timing_calibrate(&b->counter, 100000000, err);

	if (rc)
		return rc;
	rc = work_open(&w, TRIALS);
	if (rc)
		return et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "cannot open /dev/zero");
	work_do(&w);
	b->pair_ns = et_timing_ns(&b->counter,
			     et_undisturbed_sum(w.user, TRIALS, interrupted) +
				     et_undisturbed_sum(w.kernel, TRIALS, interrupted)) /
		     TRIALS;
	close(w.zero);
	free(w.user);
	free(w.chunk);
	return 0;
}

int et_interval_accuracy_run(const struct et_lab_grid *grid, const struct et_lab_progress *progress,
	struct et_experiment *e, struct et_error *err)
{
	struct bench b = { .runs = grid->runs, .experiment = e };
	int rc = calibrate(&b, err);

	if (rc)
		return rc;
	b.shared = mmap(
		NULL, sizeof(*b.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b.shared == MAP_FAILED)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "cannot map shared memory");
	e->plan.runs = grid->runs;
	rc = et_grid_walk(grid, grid->runs, progress, measure_cell, &b, err);
	munmap(b.shared, sizeof(*b.shared));
	return rc;
}
