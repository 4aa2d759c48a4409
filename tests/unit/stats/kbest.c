/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What K-best says of a command, against sorting by hand. */
#include "base/alloc.h"
#include "stats/judge.h"
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

static bool warned(const struct et_judgement *j, const char *text)
{
	for (size_t i = 0; i < j->commands[0].warnings.n; i++) {
		if (strstr(j->commands[0].warnings.text[i], text))
			return true;
	}
	return false;
}

static struct et_kbest_result judge(struct et_experiment *e, const char *text, bool *says)
{
	struct et_judgement j;

	et_judge(e, &j);
	struct et_kbest_result r = j.commands[0].kbest;
	*says = warned(&j, text);
	et_judgement_free(&j);
	et_experiment_free(e);
	return r;
}

int main(void)
{
	const uint64_t us[] = { 1500, 1004, 1300, 1000, 1200, 1002, 1100 };
	struct et_kbest_result r;
	bool says;

	r = judge(experiment(us, 7), "not converged", &says);
	ok(r.k == 3 && r.n == 7 && r.converged && !says, "1000, 1002, 1004 agree to 1 %%");
	near(r.best, 1e6, 0, 0, "the best");
	near(r.spread, 0.004, 1e-12, 0, "the third is that far above it");
	ok(r.error > 0 && isfinite(r.error), "an error of %g", r.error);
	r = judge(
		experiment(us, 5), "not converged: the 3 fastest of 5 runs are 20 % apart", &says);
	ok(!r.converged && says, "1000, 1004, 1200 do not, and that is said");
	near(r.spread, 0.2, 1e-12, 0, "by so much");
	r = judge(experiment(us, 2), "fewer than the 3", &says);
	ok(!r.converged && says && isnan(r.spread) && r.best == 1004e3, "two are too few");
	r = judge(experiment(us, 0), "runs", &says);
	ok(r.k == 3 && r.n == 0 && isnan(r.best) && !says, "none: nothing to say");

	struct et_experiment *e = experiment(us, 7);
	e->metric = ET_METRIC_ELAPSED;
	near(judge(e, "", &says).best, 2e6, 0, 0, "of the metric that is judged");
	e = experiment(us, 7);
	e->commands[0].samples[3].ruling.removal.by = ET_REMOVED_STOPPED;
	near(judge(e, "", &says).best, 1002e3, 0, 0, "of what counts");
	e = experiment(us, 7);
	e->protocol = ET_PROTOCOL_RAW;
	ok(judge(e, "not converged", &says).k == 0, "only where it is the protocol");
	e = experiment(us, 7);
	e->plan.k = 4000;
	ok(judge(e, "", &says).k == 0, "a record with an impossible K is no reason to die");
	return tap_done();
}
