/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon emp --dry-run`: the steps, and how long they take. */
#include "base/alloc.h"
#include "cmd/emp.h"
#include "report/daemons.h"
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
	p->tuned = geteuid() == 0;
	if (!p->tuned) {
		et_steps_add(
			&p->steps, "environment", ET_STEP_NOT_POSSIBLE, et_strdup("it needs root"));
		return 0;
	}
	et_cli_machine(&m);
	et_environment_preview(&m, selected, &r);
	size_t n = et_results_count(&r, ET_OUTCOME_PLANNED);
	et_steps_add(&p->steps, "environment", ET_STEP_PLANNED,
		et_asprintf("%zu changes, which are restored at the end", n));
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

int et_emp_print_plan(struct et_emp *p, const struct et_measuring *m, const struct et_experiment *e,
	struct et_error *err)
{
	struct et_page page = { .out = stdout, .width = m->cli->columns, .color = m->cli->color };
	ET_AUTO_FREE char *runs = describe_runs(e);
	char span[ET_FIGURE];
	double seconds;

	int rc = plan_environment(p, &m->env, err);
	if (rc == 0)
		rc = et_emp_plan_learn(p, m->cli, &seconds, err);
	if (rc)
		return rc;
	et_steps_add(&p->steps, "runs", ET_STEP_PLANNED, et_strdup(runs));
	et_steps_add(&p->steps, "check I", ET_STEP_PLANNED,
		et_strdup("samples with a daemon above its cutoff are removed"));
	et_steps_add(&p->steps, "check II", ET_STEP_PLANNED,
		et_strdup("samples outside mean ± 2 sd are removed"));
	et_steps_print(&p->steps, &page);
	ET_AUTO_FREE char *time =
		et_asprintf("%s%s%s", seconds > 0 ? et_format_span(seconds, span) : "",
			seconds > 0 ? ", then " : "", runs);
	et_page_paragraph(&page, 16, "  time         ", "2", time, NULL);
	rc = et_cli_close_output(stdout, "-", err);
	return rc ? rc : -ECANCELED;
}
