/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The K-best result of a command, compared with values sorted by hand. */
#include "base/base.h"
#include "sample_of.h"
#include "stats/compare/judge.h"
#include "tap.h"

static struct et_experiment *experiment(const uint64_t *us, size_t n)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->protocol = ET_PROTOCOL_KBEST;
	e->plan = (struct et_plan){ .k = 3, .epsilon = 0.01, .max_runs = 20, .level = 0.95 };
	e->state = ET_STATE_DONE;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->n_commands = 1;
	for (size_t i = 0; i < n; i++) {
		struct et_sample s = { .measured.cpu_ns = us[i] * 1000,
			.measured.elapsed_ns = us[i] * 2000 };
		et_experiment_add(e, &s);
	}
	return e;
}

/* Judges and frees the experiment; *raised: the warning was raised. */
static struct et_kbest_result judge(
	struct et_experiment *e, enum et_warning_code code, bool *raised)
{
	struct et_judgement j;

	et_judge(e, &j);
	struct et_kbest_result r = j.commands[0].kbest;
	*raised = et_warnings_have(&j.commands[0].warnings, code);
	et_judgement_free(&j);
	et_experiment_free(e);
	return r;
}

/* Interrupts that each run met: those that CPU time contains, and all. */
static void test_interrupts(void)
{
	/* The second run would be the fastest; without interrupts it is the first, 990 - 15 us. */
	static const uint64_t us[] = { 990, 985, 1000 }, met_us[] = { 15, 5, 2 };
	struct et_experiment *e = experiment(us, 3);
	struct et_kbest_result r;
	bool raised;

	for (size_t i = 0; i < 3; i++) {
		struct et_measured *m = &sample_of(&e->commands[0], i)->measured;
		m->irq_in_cpu_ns = met_us[i] * 1000;
		m->irq_ns = m->softirq_ns = met_us[i] * 1000;
	}
	r = judge(e, ET_WARN_KBEST_NOT_CONVERGED, &raised);
	ok(r.best == 975e3 && r.compensated == 15e3,
		"kbest: the interrupts that a run met are subtracted from its CPU time");
	near(r.spread, 998.0 / 975 - 1, 1e-12, 0, "kbest: compensated runs must agree");
	e = experiment(us, 3);
	for (size_t i = 0; i < 3; i++)
		sample_of(&e->commands[0], i)->measured.irq_in_cpu_ns = ET_UNKNOWN;
	r = judge(e, ET_WARN_KBEST_NOT_CONVERGED, &raised);
	ok(r.best == 985e3 && isnan(r.compensated), "kbest: unknown interrupts are not subtracted");
	e = experiment(us, 3);
	sample_of(&e->commands[0], 1)->measured.irq_in_cpu_ns = 986000;
	r = judge(e, ET_WARN_KBEST_NOT_CONVERGED, &raised);
	ok(r.best == 985e3 && isnan(r.compensated),
		"kbest: more than the run took is not believed");
}

static void test_elapsed(void)
{
	static const uint64_t us[] = { 1000, 1001, 1002 };
	struct et_experiment *e = experiment(us, 3);
	size_t n;
	double *less;

	for (size_t i = 0; i < 3; i++) {
		struct et_measured *m = &sample_of(&e->commands[0], i)->measured;
		m->irq_ns = 3000;
		m->softirq_ns = 4000;
		if (i == 1)
			m->cpu_ns = 3 * m->elapsed_ns;
	}
	double *x =
		et_command_values_less_interrupts(&e->commands[0], ET_METRIC_ELAPSED, &less, &n);
	ok(n == 3 && x[0] == 1993e3 && less[0] == 7e3,
		"kbest: elapsed time contains all interrupts of a program on one CPU");
	ok(x[1] == 2002e3 && isnan(less[1]),
		"kbest: those of a program that uses several CPUs need not delay it");
	free(x);
	free(less);
	et_experiment_free(e);
}

int main(void)
{
	const uint64_t us[] = { 1500, 1004, 1300, 1000, 1200, 1002, 1100 };
	const enum et_warning_code not_converged = ET_WARN_KBEST_NOT_CONVERGED;
	struct et_kbest_result r;
	bool raised;

	r = judge(experiment(us, 7), not_converged, &raised);
	ok(r.k == 3 && r.n == 7 && r.converged && !raised, "kbest: 1000, 1002, 1004 agree to 1 %%");
	near(r.best, 1e6, 0, 0, "kbest: the best is the smallest");
	near(r.spread, 0.004, 1e-12, 0, "kbest: the spread is the third's distance from the best");
	ok(r.error > 0 && isfinite(r.error), "kbest: the error is finite (%g)", r.error);
	r = judge(experiment(us, 5), not_converged, &raised);
	ok(!r.converged && raised, "kbest: 1000, 1004, 1200 do not agree, and a warning is raised");
	near(r.spread, 0.2, 1e-12, 0, "kbest: the spread is known for values that do not agree");
	r = judge(experiment(us, 2), ET_WARN_KBEST_FEW_RUNS, &raised);
	ok(!r.converged && raised && isnan(r.spread) && r.best == 1004e3,
		"kbest: two runs are too few for K = 3");
	r = judge(experiment(us, 0), ET_WARN_KBEST_FEW_RUNS, &raised);
	ok(r.k == 3 && r.n == 0 && isnan(r.best) && !raised,
		"kbest: without a run there is no best and no warning");

	struct et_experiment *e = experiment(us, 7);
	e->metric = ET_METRIC_ELAPSED;
	near(judge(e, not_converged, &raised).best, 2e6, 0, 0,
		"kbest: the best is that of the judged metric");
	e = experiment(us, 7);
	sample_of(&e->commands[0], 3)->ruling.removal.by = ET_REMOVED_STOPPED;
	near(judge(e, not_converged, &raised).best, 1002e3, 0, 0,
		"kbest: a removed run does not count");
	e = experiment(us, 7);
	e->protocol = ET_PROTOCOL_RAW;
	ok(judge(e, not_converged, &raised).k == 0, "kbest: another protocol has no K-best");
	e = experiment(us, 7);
	e->plan.k = 4000;
	ok(judge(e, not_converged, &raised).k == 0,
		"kbest: an experiment with an impossible K has no K-best");
	test_interrupts();
	test_elapsed();
	return tap_done();
}
