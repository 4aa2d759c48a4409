/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab branch` */
#include "app/lab/experiments.h"
#include "app/lab/view/clocks.h"

static int measure(struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	struct et_lab_progress progress = { et_lab_draw_progress, r, &r->interrupt->signal };

	return et_branches_run(&progress, out, err);
}

static int print(const struct et_lab_request *r, const struct et_experiment *e, FILE *svg,
	struct et_error *err)
{
	struct et_branches b;
	int rc = et_branches_read(e, &b, err);

	if (rc)
		return rc;
	if (r->given & ET_LAB_JSON)
		et_branches_json(e, &b, r->page.out);
	else
		et_branches_text(&b, &r->page);
	if (svg)
		et_branches_svg(&b, svg);
	return 0;
}

int et_lab_branch(struct et_call *call, struct et_error *err)
{
	static const struct et_lab_timed lab = { measure, print };

	return et_lab_timed_perform(call->ctx, &lab, err);
}
