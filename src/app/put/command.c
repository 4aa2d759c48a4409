/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon put NAME`: runs a built-in program under test in this process. */
#include "base/clock.h"
#include "base/display.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "clock/counter.h"
#include "draw/terminal.h"
#include "put/put.h"

#include <fcntl.h>

#define MOST_ITERATIONS UINT64_C(1000000000000000)
#define MOST_CALLS UINT64_C(100000000000)
#define MOST_INNER UINT64_C(1000000000)
#define DAY_NS (UINT64_C(86400) * 1000000000)

#define MOST_THREADS UINT64_C(1024)

struct config {
	struct et_put_params params;
	const char *report;
	bool list;
};

/* The clocks that the program itself reads before and after its work. */
struct readings {
	uint64_t clock_ns, ticks;
};

/* The size of a kernel is a letter, that of the other programs a number. */
static int set_size(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_put_params *p = &((struct config *)ctx)->params;
	bool letter = strlen(args[0]) == 1 && strchr("SWABC", args[0][0]);

	p->size_class = letter ? args[0][0] : '\0';
	int rc = letter ? 0 : et_set_u64(o, ctx, args, err);
	return rc ? et_hint(err, rc, "use S, W, A, B or C for kernels, a number for others") : 0;
}

static const struct et_option options[] = {
	{ 0, "seconds", "DUR",
		"inc: do as many increments as take this long on an undisturbed machine; spin: run "
		"until the process has used this much CPU time (100ms); fragment, triangle: as "
		"inc; nops: as spin (1s)",
		et_set_duration, ET_FILLS(config, params.seconds_ns), .hi = DAY_NS,
		.bit = ET_PUT_SECONDS },
	{ 0, "iterations", "N",
		"inc: exactly N increments; qsort: sort N times (100); search: N look-ups "
		"(1000000); chase: N reads (10000000); calls: N calls (200000); "
		"pages: N times (10); fragment, triangle: N iterations of the arithmetic "
		"(960000000, 600000000); nops: N calls",
		et_set_u64, ET_FILLS(config, params.iterations), .lo = 1, .hi = MOST_ITERATIONS,
		.bit = ET_PUT_ITERATIONS },
	{ 0, "calibrate", NULL, "inc: measure this machine's increments per second and store them",
		et_set_nothing, .bit = ET_PUT_CALIBRATE },
	{ 0, "wall", NULL, "spin: run until --seconds of wall-clock time have passed",
		et_set_nothing, .bit = ET_PUT_WALL },
	{ 0, "report", "FILE",
		"inc: append the nanoseconds and the ticks of the counter that the increments "
		"took, "
		"as the program reads them",
		et_set_text, ET_FILLS(config, report), .values = "FILE", .bit = ET_PUT_REPORT },
	{ 0, "size", "N",
		"sort: N integers (20000; 3200000 take about 15 min); qsort, search: N integers "
		"(10000, 1000); matc, matr: N rows and "
		"columns (400; with 8192 matc takes about 2 h, matr 5 min); chase, pages: N KiB "
		"(24, 8192); kernels: S, W, A, B or C, from some 20 ms to tens of seconds (S)",
		set_size, ET_FILLS(config, params.size), .lo = 1, .hi = UINT32_MAX,
		.bit = ET_PUT_SIZE },
	{ 0, "threads", "N", "kernels: N threads (OMP_NUM_THREADS, or 1 if it is not set)",
		et_set_u64, ET_FILLS(config, params.threads), .lo = 1, .hi = MOST_THREADS,
		.bit = ET_PUT_THREADS },
	{ 0, "seed", "N", "sort, qsort, search, matc, matr, chase: seed of the random input (1)",
		et_set_u64, ET_FILLS(config, params.seed), .bit = ET_PUT_SEED },
	{ 0, "calls", "N", "fragment: divide the work among N calls, a multiple of 10 (1000)",
		et_set_u64, ET_FILLS(config, params.calls), .lo = 1, .hi = MOST_CALLS,
		.bit = ET_PUT_CALLS },
	{ 0, "equal-calls", NULL,
		"fragment: call both functions equally often, with 1 and 4 parts of the work",
		et_set_nothing, .bit = ET_PUT_EQUAL_CALLS },
	{ 0, "inner", "N", "triangle: iterations of one part of the work (256)", et_set_u64,
		ET_FILLS(config, params.inner), .lo = 1, .hi = MOST_INNER, .bit = ET_PUT_INNER },
	{ 0, "reverse", NULL, "triangle: call the functions in reverse order", et_set_nothing,
		.bit = ET_PUT_REVERSE },
	{ 0, "random", "SOURCE",
		"nops: delay by bytes of the kernel (urandom), by a generator of its own (lcg), or "
		"always alike (constant) (urandom)",
		et_set_choice, ET_FILLS(config, params.random), .names = et_put_random_names,
		.bit = ET_PUT_RANDOM },
	{ 'l', "list", NULL, "show the programs and their options", et_set_true,
		ET_FILLS(config, list) },
	{ 0 },
};

static const char *workload_name(size_t i)
{
	return et_workloads[i].name;
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_put = {
	.name = "put",
	.operand = workload_name,
	.summary = "run a built-in program under test",
	.usage = "NAME [options]\n--list",
	.about = "These programs do a known amount of work, on which a machine or a method can be\n"
		 "tried. They print nothing and do no input or output meanwhile; -v prints the "
		 "work\n"
		 "that was done. Kernels are parallel programs that verify their results.",
	.examples =
		"  etalon put inc --seconds 50ms\n"
		"  etalon put sort --size 5000 -v\n"
		"  etalon put cg --size W --threads 2 -v\n"
		"  etalon put fragment --calls 100000 --seconds 50ms -v\n"
		"  etalon run -r 10 'etalon put matc --size 100' 'etalon put matr --size 100'\n",
	.options = options,
	.rights = ET_RIGHTS_SUBJECT,
	.run = run,
};

static void list(void)
{
	for (const struct et_workload *w = et_workloads; w->name; w++) {
		printf("%-8s %s;", w->name, w->summary);
		for (unsigned bit = 1; bit <= ET_PUT_LAST; bit <<= 1)
			if (w->takes & bit)
				printf(" --%s", et_put_param_name(bit));
		putchar('\n');
	}
}

/*
 * In a build with AddressSanitizer: the process does not look for leaks when it ends. The search
 * stops the process by SIGSTOP and waits; a metronome that continues the process at that moment
 * cancels the signal, and both wait for ever.
 */
#ifdef __SANITIZE_ADDRESS__
static int ignored;

/* LeakSanitizer calls this; sanitizer/lsan_interface.h declares it. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return ignored;
}

static void ignore_leaks(void)
{
	ignored = 1;
}
#else
static void ignore_leaks(void)
{
}
#endif

/*
 * Kernels are a program of their own, which is linked with OpenMP (put/kernel.h says why). Executes
 * it in this process. Returns the exit status if that fails, after printing why.
 */
static int execute_kernel(
	const struct et_cli *cli, const struct et_workload *w, const struct et_put_params *p)
{
	static const char program[] = "etalon-put-omp";
	char size[] = { w->defaults.size_class, '\0' }, threads[24];
	struct et_error err;

	if (et_workload_check(w, p, &err))
		return et_cli_fail(&err);
	if (p->given & ET_PUT_SIZE)
		size[0] = p->size_class;
	/* Without a number, OpenMP would take all CPUs. */
	const char *wanted = getenv("OMP_NUM_THREADS");
	uint64_t n = p->given & ET_PUT_THREADS ? p->threads : wanted && *wanted ? 0 : 1;
	snprintf(threads, sizeof(threads), "%llu", (unsigned long long)n);
	static char verbose[] = "verbose", quiet[] = "quiet";
	char *argv[] = { (char *)program, (char *)w->name, size, threads,
		cli->verbosity > 0 ? verbose : quiet, NULL };
	(void)!et_program_execute(program, argv, &err);
	return et_cli_fail(&err);
}

/* The counter is read within the readings of the clock, as around a measured program. */
static void mark(void *ctx, bool end)
{
	struct readings *r = ctx;

	if (end) {
		r->ticks = (ET_HAVE_COUNTER ? et_counter_stop() : 0) - r->ticks;
		r->clock_ns = et_clock_read_ns(CLOCK_MONOTONIC) - r->clock_ns;
	} else {
		r->clock_ns = et_clock_read_ns(CLOCK_MONOTONIC);
		r->ticks = ET_HAVE_COUNTER ? et_counter_start() : 0;
	}
}

/* The file is opened before the work, so that a wrong path fails at once. */
static int run_reporting(const struct et_workload *w, struct config *c, struct et_put_result *out,
	struct et_error *err)
{
	int fd = open(c->report, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
	struct readings r = { 0 };

	if (fd < 0)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, c->report);
	c->params.mark = mark;
	c->params.mark_ctx = &r;
	int rc = et_workload_run(w, &c->params, out, err);
	if (rc == 0 &&
		(ET_HAVE_COUNTER ? dprintf(fd, "%" PRIu64 " %" PRIu64 "\n", r.clock_ns, r.ticks)
				 : dprintf(fd, "%" PRIu64 "\n", r.clock_ns)) < 0)
		rc = et_fail_file(err, errno, ET_EXIT_OUTSIDE, c->report);
	close(fd);
	return rc;
}

static int no_program(const struct et_operands *ops, struct et_error *err)
{
	bool one = ops->n_before == 1 && !ops->after;
	struct et_nearest n = et_nearest_to(one ? ops->before[0] : "");

	for (const struct et_workload *w = et_workloads; w->name; w++)
		et_nearest_offer(&n, w->name);
	if (one)
		et_refuse(err, NULL, "put: unknown program '%s'", ops->before[0]);
	else
		et_refuse(err, NULL, "put: expected one program");
	if (n.best)
		et_hint(err, 0, "did you mean '%s'? 'etalon put --list' shows them all", n.best);
	else
		et_hint(err, 0, "run 'etalon put --list' to see them");
	return et_cli_fail(err);
}

static int run_named(const struct et_cli *cli, struct config *c, const struct et_operands *ops)
{
	const struct et_workload *w =
		ops->n_before == 1 && !ops->after ? et_workload_find(ops->before[0]) : NULL;
	struct et_put_result result;
	struct et_error err;

	if (!w)
		return no_program(ops, &err);
	ignore_leaks();
	ET_AUTO_FREE char *dir = et_cli_state_dir();
	c->params.state_dir = dir;
	if (!w->run)
		return execute_kernel(cli, w, &c->params);
	/* Another program than inc refuses --report before a file is created. */
	bool reports = c->report && w->takes & ET_PUT_REPORT;
	if (reports ? run_reporting(w, c, &result, &err)
		    : et_workload_run(w, &c->params, &result, &err))
		return et_cli_fail(&err);
	ET_AUTO_FREE char *warning = et_clean(result.warning, "");
	if (*warning && cli->verbosity >= 0)
		et_say(stderr, "etalon: put %s: %s\n", w->name, warning);
	if (cli->verbosity > 0 || (c->params.given & ET_PUT_CALIBRATE && cli->verbosity == 0))
		printf("%s: %s\n", w->name, result.detail);
	return ET_EXIT_DONE;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct config c = { 0 };
	struct et_operands ops;
	int status = et_cli_parse_into(cli, &et_verb_put, argc, argv,
		&(struct et_cli_targets){ .ctx = &c, .given = &c.params.given }, &ops);

	if (status >= 0)
		return status;
	if (c.list) {
		list();
		status = ET_EXIT_DONE;
	} else {
		status = run_named(cli, &c, &ops);
	}
	et_operands_free(&ops);
	return status;
}
