/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe plan`: what `doe run` would do, how long it takes, and what it can find. */
#include "app/doe/doe.h"
#include "base/clock.h"
#include "base/doubles.h"
#include "build/build.h"
#include "cli/signals.h"
#include "conduct/tuning.h"
#include "draw/progress.h"
#include "measure/child/runner.h"
#include "profile/sampling/observe.h"
#include "protocol/schedule.h"
#include "report/review.h"

/* More runs than this are listed only with -v. */
enum { MOST_LISTED = 10000, MOST_LISTED_VERBOSE = 10000000 };

/* Lists the runs and prints; the pilots are made already. */
static int show(struct et_cli *cli, bool json, struct et_doe_outlook o)
{
	struct et_text_options text = et_cli_text(cli);
	struct et_page page = { .out = stdout,
		.width = text.width,
		.color = text.color,
		.full_names = text.full_names };
	uint64_t most = cli->verbosity > 0 ? MOST_LISTED_VERBOSE : MOST_LISTED;
	size_t n = (size_t)(o.all_runs < most ? o.all_runs : most);
	ET_AUTO_FREE struct et_planned_run *runs = et_calloc(n, sizeof(*runs));

	o.n_runs = et_schedule_list(&o.e->plan, o.e->n_commands, n, runs);
	o.runs = runs;
	o.page = &page;
	o.verbose = text.verbose;
	(json ? et_doe_plan_json : text.quiet ? et_doe_plan_answer : et_doe_plan_text)(&o);
	return et_cli_end(ET_EXIT_DONE);
}

/* A plan that cannot run is an error before a night is spent on it. */
static int refuse(const struct et_experiment *e, const char *failed, struct et_error *err)
{
	const struct et_design *d = e->design;
	const struct et_command *c = &e->commands[0];
	bool hooks = d->setup || d->between || c->setup || c->prepare;

	return et_hint(err, et_fail(err, ECHILD, ET_EXIT_PROGRAM, "%s", failed), "%s",
		hooks ? "correct its command; if it needs the hooks, which pilot runs omit, use "
			"--no-pilot"
		      : "correct its command; --no-pilot shows the plan without running "
			"anything");
}

static int look(struct et_cli *cli, const struct et_doe_request *r, const struct et_plan_file *plan,
	const struct et_experiment *e, int *status, struct et_error *err)
{
	ET_AUTO_FREE uint32_t *terms = NULL;
	ET_AUTO_FREE struct et_doe_pilot *pilots = NULL;
	ET_AUTO_FREE char *why = NULL, *failed = NULL;
	struct et_doe_outlook o = { .e = e,
		.all_runs = (uint64_t)e->n_commands * (e->plan.warmup + e->plan.runs),
		.alpha = r->alpha,
		.large = et_plan_runs(e->design) > ET_PLAN_FREE_RUNS };
	int rc = 0;

	if (r->terms)
		rc = et_design_terms_parse(e->design, r->terms, &terms, &o.n_terms, err);
	else
		terms = et_design_terms(e->design, &o.n_terms);
	if (rc == 0 && r->no_pilot)
		why = et_strdup("No pilot runs were made: the duration is not known.");
	else if (rc == 0)
		rc = et_doe_make_pilots(cli, e, &pilots, &why, &failed, err);
	if (rc)
		return rc;
	o.terms = terms;
	o.pilots = pilots;
	o.no_pilot = why;
	if (!failed || cli->verbosity >= 0 || r->json)
		*status = show(cli, r->json, o);
	if (pilots)
		et_doe_warn_function(plan, e, "no pilot run");
	return failed ? refuse(e, failed, err) : 0;
}

int et_doe_plan(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	struct et_plan_file plan = { 0 };
	struct et_experiment *e = NULL;
	int rc = et_doe_read_plan(call->operands[0], &plan, err)
		?: et_doe_make(&plan, NULL, &e, err) ?: et_doe_check_levels(&plan, e, err)
		?: look(cli, r, &plan, e, &call->status, err);

	et_experiment_free(e);
	et_plan_file_free(&plan);
	return rc;
}

/*
 * The pilot runs: as those of `doe run`, but without changes of the machine, hooks and builds. The
 * plan may be of somebody else, so every command is printed before one runs.
 */

enum { TREATMENTS = 3, PASSES = 5 }; /* the first pass warms up */
static const uint64_t all_ns = 10000000000, longest_ns = 30000000000;

struct pilots {
	struct et_cli *cli;
	const struct et_experiment *e;
	struct et_executor executor;
	struct et_progress progress;
	uint64_t began_ns;
	uint32_t *commands; /* per program, its first treatments up to n_treatments */
	size_t n_treatments, done;
	struct et_welford *cells; /* per program, TREATMENTS */
	uint64_t *last_ns;        /* per program: the duration of its last run */
	struct et_doe_pilot *list;
	char *failed; /* which run, or NULL */
};

/* Of each program, under the first treatment, the last and one between them. */
static void choose_commands(struct pilots *p)
{
	const struct et_design *d = p->e->design;
	uint32_t n = (uint32_t)d->n_treatments;
	const uint32_t treatments[TREATMENTS] = { 0, n - 1, n / 2 };

	p->n_treatments = n > 2 ? 3 : 2;
	p->commands = et_calloc(p->n_treatments * d->n_programs, sizeof(*p->commands));
	for (uint32_t i = 0; i < d->n_programs; i++) {
		for (size_t t = 0; t < p->n_treatments; t++)
			p->commands[i * p->n_treatments + t] =
				et_design_command(d, treatments[t], i);
	}
}

static bool is_built(const struct pilots *p)
{
	for (size_t i = 0; i < p->n_treatments * p->e->design->n_programs; i++) {
		if (!et_doe_build_kept(p->e, p->commands[i]))
			return false;
	}
	return true;
}

static void draw(struct pilots *p, const char *name)
{
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);

	et_progress_draw(&p->progress,
		&(struct et_progress_state){ .name = name,
			.done = p->done,
			.elapsed_ns = now - p->began_ns,
			.estimate = "pilot runs" },
		now);
}

/* A run of a program; a program that fails ends the pilot. */
static int run_once(
	struct pilots *p, size_t pass, size_t place, uint32_t program, struct et_error *err)
{
	const struct et_experiment *e = p->e;
	struct et_request q = { .arrangement = ET_SOLO,
		.command = p->commands[program * p->n_treatments + place],
		.warmup = true,
		.most_ns = longest_ns };
	struct et_sample samples[ET_SLOTS];
	struct et_doe_pilot *out = &p->list[program];
	uint64_t begin = et_clock_read_ns(CLOCK_MONOTONIC);

	draw(p, e->design->programs[program].name);
	int rc = p->executor.run(p->executor.ctx, &q, samples, err);
	if (rc && rc != -ETIME)
		return rc;
	uint64_t ns = et_clock_read_ns(CLOCK_MONOTONIC) - begin;
	p->done++;
	p->last_ns[program] = ns;
	out->n++;
	out->run_ns += ((double)ns - out->run_ns) / (double)out->n;
	if (rc) {
		out->cut = true;
		return 0;
	}
	const struct et_measured *m = &samples[0].measured;
	if ((m->exit_code || m->signal) && !e->plan.ignore_failure && !p->failed)
		p->failed = et_asprintf("a pilot run of '%s' failed with %s %d",
			e->commands[q.command].name, m->signal ? "signal" : "exit status",
			m->signal ? m->signal : m->exit_code);
	uint64_t value = et_sample_metric(&samples[0], e->metric);
	if (pass && value != ET_UNKNOWN)
		et_welford_add(&p->cells[program * TREATMENTS + place], (double)value);
	et_sample_free(&samples[0]);
	return 0;
}

/* Whether there is time for another run of a program; the first is made in any case. */
static bool in_time(const struct pilots *p, uint32_t program)
{
	uint64_t used = et_clock_read_ns(CLOCK_MONOTONIC) - p->began_ns;

	if (!p->list[program].n)
		return true;
	return !p->list[program].cut && used + p->last_ns[program] <= all_ns;
}

static int run_passes(struct pilots *p, struct et_error *err)
{
	int rc = 0;

	for (size_t pass = 0; pass < PASSES; pass++) {
		for (size_t t = 0; t < p->n_treatments; t++) {
			for (uint32_t i = 0; i < p->e->design->n_programs; i++) {
				if (rc == 0 && !p->failed && in_time(p, i))
					rc = run_once(p, pass, t, i, err);
			}
		}
	}
	return rc;
}

/* The scatter within treatments, pooled. */
static void conclude(struct pilots *p)
{
	for (size_t i = 0; i < p->e->design->n_programs; i++) {
		double n = 0, df = 0, sum = 0, squares = 0;
		for (size_t t = 0; t < p->n_treatments; t++) {
			const struct et_welford *c = &p->cells[i * TREATMENTS + t];
			n += c->n;
			df += c->n > 1 ? c->n - 1 : 0;
			sum += c->n * c->mean;
			squares += c->squares;
		}
		p->list[i].mean = n > 0 ? sum / n : NAN;
		p->list[i].sd = df > 0 && !p->e->profile ? sqrt(squares / df) : NAN;
	}
}

static int make(struct pilots *p, struct et_error *err)
{
	/* On stderr, also with -q: standard output may be JSON. */
	struct et_page page = { .out = stderr, .width = p->cli->columns };
	struct et_runner *runner;

	et_review_pilots(p->e, p->commands, p->n_treatments * p->e->design->n_programs, &page);
	fflush(stderr);
	int rc = et_runner_open(p->e, environ, et_signals_install(), &runner, err);

	if (rc)
		return rc;
	if (p->e->profile) {
		rc = et_runner_observe(runner, &et_observe_profile, err);
		if (rc) {
			et_runner_close(runner);
			return rc;
		}
	}
	et_runner_omit_hooks(runner);
	p->executor = et_runner_executor(runner);
	p->began_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	et_confine_lower(p->e->profile != NULL);
	rc = run_passes(p, err);
	et_confine_raise();
	et_progress_erase(&p->progress);
	et_runner_close(runner);
	conclude(p);
	return rc;
}

int et_doe_make_pilots(struct et_cli *cli, const struct et_experiment *e, struct et_doe_pilot **out,
	char **why, char **failed, struct et_error *err)
{
	size_t n = e->design->n_programs;
	struct pilots p = { .cli = cli,
		.e = e,
		.progress = { .out = cli->progress ? stderr : NULL, .width = cli->columns } };

	*out = NULL;
	*why = *failed = NULL;
	choose_commands(&p);
	if (!is_built(&p)) {
		*why = et_strdup("Programs are not built yet, so no pilot runs were made: the "
				 "duration is not known.");
		free(p.commands);
		return 0;
	}
	et_leftovers_end(cli);
	p.cells = et_calloc(n * TREATMENTS, sizeof(*p.cells));
	p.last_ns = et_calloc(n, sizeof(*p.last_ns));
	p.list = et_calloc(n, sizeof(*p.list));
	int rc = make(&p, err);
	if (rc || p.failed)
		free(p.list);
	else
		*out = p.list;
	*failed = p.failed;
	if (p.failed)
		*why = et_asprintf("A%s, so the duration is not known.", p.failed + 1);
	free(p.commands);
	free(p.cells);
	free(p.last_ns);
	return rc;
}
