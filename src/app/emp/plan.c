/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon emp --dry-run`: the steps, and how long they take. */
#include "app/emp/emp.h"
#include "base/alloc.h"
#include "protocol/sanity.h"
#include "report/steps.h"

#include <errno.h>
#include <unistd.h>

static int plan_environment(struct et_emp *p, const struct et_env_wish *wish, struct et_error *err)
{
	ET_AUTO_FREE bool *selected = et_env_select(wish, true, err);
	struct et_results r = { 0 };
	struct et_machine m;

	if (!selected)
		return -EINVAL;
	if (!p->tuned) {
		et_steps_add(
			&p->steps, "environment", ET_STEP_NOT_POSSIBLE, et_strdup("it needs root"));
		return 0;
	}
	et_cli_machine(&m);
	et_environment_preview(&m, selected, &r);
	size_t n = et_results_count(&r, ET_OUTCOME_PLANNED);
	et_steps_add(&p->steps, "environment", ET_STEP_PLANNED,
		n ? et_asprintf("%zu change%s restored at the end", n,
			    n > 1 ? "s, which are" : ", which is")
		  : et_strdup("nothing to change"));
	et_results_free(&r);
	et_machine_free(&m);
	return 0;
}

/* "11 runs of each of 2 commands". The caller frees it. */
static char *describe_runs(const struct et_experiment *e)
{
	char *text = NULL;

	if (!e)
		return et_strdup("the runs that are left");
	if (e->plan.until_ratio > 0 || !e->plan.runs)
		et_append(&text, "", "%u to %u runs", e->plan.min_runs, e->plan.max_runs);
	else
		et_append(&text, "", "%u runs", e->plan.runs);
	et_append(&text, " and ", "%u warm-up of ", e->plan.warmup);
	if (e->n_commands > 1)
		et_append(&text, "", "each of %zu commands", e->n_commands);
	else
		et_append(&text, "", "the command");
	return text;
}

/* "11 × the time of the command". The caller frees it. */
static char *describe_time(const struct et_experiment *e, double learning)
{
	char span[ET_FIGURE], *text = NULL;

	if (learning > 0)
		et_append(&text, "", "%s and ", et_format_span(learning, span));
	if (!e)
		et_append(&text, "", "that of the runs that are left");
	else if (e->plan.until_ratio > 0 || !e->plan.runs)
		et_append(&text, "", "%u to %u", e->plan.warmup + e->plan.min_runs,
			e->plan.warmup + e->plan.max_runs);
	else
		et_append(&text, "", "%u", e->plan.warmup + e->plan.runs);
	if (e)
		et_append(&text, "", " × the time of %s",
			e->n_commands > 1 ? "each command" : "the command");
	return text;
}

static void plan_checks(struct et_emp *p, const struct et_experiment *e, bool learns)
{
	const struct et_emp_plan *plan = &p->plan;
	uint32_t most = !e ? UINT32_MAX : e->plan.runs ? e->plan.runs : e->plan.max_runs;

	if (learns || !et_emp_must_learn(plan))
		et_steps_add(&p->steps, "check I", ET_STEP_PLANNED,
			et_strdup("samples with a daemon above its cutoff are removed"));
	else
		et_steps_add(&p->steps, "check I", ET_STEP_NOT_POSSIBLE,
			plan->there && !plan->elsewhere
				? et_steps_misfit(plan->misfit)
				: et_strdup("no daemons are learned on this machine"));
	if (e && e->n_commands > 1 && e->plan.order == ET_ORDER_DUET)
		et_steps_add(&p->steps, "check II", ET_STEP_SKIPPED,
			et_strdup("duets are judged by their pairs"));
	else if (most < ET_TWO_SIGMA_LEAST)
		et_steps_add(&p->steps, "check II", ET_STEP_NOT_POSSIBLE,
			et_asprintf("it needs %d samples", ET_TWO_SIGMA_LEAST));
	else
		et_steps_add(&p->steps, "check II", ET_STEP_PLANNED,
			et_strdup("samples outside mean ± 2 sd are removed"));
}

int et_emp_print_plan(struct et_emp *p, const struct et_measuring *m, const struct et_experiment *e,
	struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = m->cli->columns, .color = m->cli->color };

	int rc = plan_environment(p, &m->env, err);
	if (rc)
		return rc;
	double seconds = et_emp_plan_learn(p);
	et_steps_add(&p->steps, "runs", ET_STEP_PLANNED, describe_runs(e));
	plan_checks(p, e, seconds > 0);
	et_steps_print(&p->steps, &page);
	ET_AUTO_FREE char *time = describe_time(e, seconds);
	et_page_paragraph(&page, 16, "  time         ", "2", time, NULL);
	rc = et_cli_close_output(stdout, "-", err);
	return rc ? rc : -ECANCELED;
}
