/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on this machine that `doe plan` and `doe run` make before anything runs. */
#include "cmd/doe.h"
#include "cmd/doe_build.h"
#include "cmd/environment.h"
#include "host/levels.h"
#include "measure/treatment.h"

static int check_level(const struct et_machine *m, const struct et_design_factor *f, size_t level,
	struct et_error *err)
{
	switch (et_factor_kinds[f->kind].scope) {
	case ET_SCOPE_TEXT:
		return 0;
	case ET_SCOPE_BUILD:
		return et_doe_build_check(f, level, err);
	case ET_SCOPE_MACHINE:
		return et_levels_check(m, f, level, err);
	default:
		return et_treatment_check(m->root, f, level, err);
	}
}

bool et_doe_can_set(const struct et_machine *m, enum et_kind kind, char *const *levels)
{
	char name[] = "factor";
	struct et_design_factor f = { .name = name, .kind = kind, .levels = (char **)levels };

	while (levels[f.n_levels]) {
		if (check_level(m, &f, f.n_levels++, NULL))
			return false;
	}
	return true;
}

int et_doe_check_levels(
	const struct et_plan_file *plan, const struct et_experiment *e, struct et_error *err)
{
	const struct et_design *d = e->design;
	struct et_machine machine;
	int rc = et_treatments_check(e, err);

	et_cli_machine(&machine);
	for (size_t i = 0; rc == 0 && i < d->n_factors; i++) {
		for (size_t k = 0; rc == 0 && k < d->factors[i].n_levels; k++) {
			rc = check_level(&machine, &d->factors[i], k, err);
			if (rc)
				rc = et_plan_locate(plan, plan->factors[i].levels[k], rc, err);
		}
	}
	et_machine_free(&machine);
	return rc;
}
