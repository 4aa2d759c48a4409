/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab problems`: the calculations of a chapter on timing. */
#include "app/lab/view/problems.h"
#include "app/lab/experiments.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/parse.h"

#include <errno.h>

/* Fills a double: a whole number in the row's range. */
int et_lab_set_problem_count(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];
	uint64_t n;
	int rc = et_parse_u64(et_option_shown(o, shown), args[0], o->lo, o->hi, &n, err);

	if (rc == 0)
		*(double *)et_option_target(o, ctx) = (double)n;
	return rc;
}

/* Fills a double: a duration in ns. */
int et_lab_set_problem_time(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];
	uint64_t ns;
	int rc = et_parse_duration(et_option_shown(o, shown), args[0], &ns, err);

	if (rc == 0)
		*(double *)et_option_target(o, ctx) = (double)ns;
	return rc;
}

/* Fills a double: a number above 0. */
int et_lab_set_problem_number(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];
	double x;
	int rc = et_parse_double(et_option_shown(o, shown), args[0], &x, err);

	if (rc)
		return rc;
	if (!(x >= 1e-6 && x <= 1e12))
		return et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s is not from 1e-6 to 1e12", shown,
			args[0]);
	*(double *)et_option_target(o, ctx) = x;
	return 0;
}

static int unknown(const char *typed, struct et_error *err)
{
	struct et_nearest n = et_nearest_to(typed);

	for (const struct et_problem *p = et_problems; p->name; p++)
		et_nearest_offer(&n, p->name);
	et_fail(err, EINVAL, ET_EXIT_USAGE, "lab problems: unknown problem '%s'", typed);
	if (n.best)
		return et_hint(err, -EINVAL,
			"did you mean '%s'? 'etalon lab problems' shows them all", n.best);
	return et_hint(err, -EINVAL, "run 'etalon lab problems' to see them");
}

int et_lab_problems(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct et_problem_answer answer;
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (!r->operand && (r->given & ET_LAB_PROBLEM))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "lab problems: which problem?"),
			"run 'etalon lab problems' to see them");
	if (!r->operand) {
		if (r->given & ET_LAB_JSON)
			et_problems_json(&w);
		else
			et_problems_text(&r->page);
		return 0;
	}
	const struct et_problem *p = et_problem_find(r->operand);
	if (!p)
		return unknown(r->operand, err);
	int rc = et_problem_solve(p, &r->problem, &answer, err);
	if (rc)
		return rc;
	if (r->given & ET_LAB_JSON)
		et_problem_json(p, &answer, &w);
	else
		et_problem_text(p, &answer, &r->page);
	return 0;
}
