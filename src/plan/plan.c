/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/plan.h"

#include <stdlib.h>

void et_plan_file_free(struct et_plan_file *p)
{
	for (size_t i = 0; i < p->n_options; i++) {
		free(p->options[i].name);
		free(p->options[i].value);
	}
	free(p->options);
	free(p->order);
	free(p->path);
	et_design_free(p->design);
}
