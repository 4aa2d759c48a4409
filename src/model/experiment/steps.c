/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/steps.h"

#include <assert.h>

const char *const et_step_state_names[] = { "done", "reused", "skipped", "not possible",
	"interrupted", "planned", NULL };

void et_steps_add(struct et_steps *s, const char *name, enum et_step_state state, char *note)
{
	assert(s->n < ET_MOST_STEPS);
	s->list[s->n++] = (struct et_step){ .name = name, .state = state, .note = note };
}

void et_steps_free(struct et_steps *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].note);
	s->n = 0;
}
