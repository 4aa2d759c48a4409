/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of the protocol EMP, and what became of each. */
#pragma once

#include "base/base.h"

enum et_step_state {
	ET_STEP_DONE,
	ET_STEP_REUSED,       /* the result of an earlier time still fits */
	ET_STEP_SKIPPED,      /* by the user's choice, or because it would do harm */
	ET_STEP_NOT_POSSIBLE, /* here; the note says why */
	ET_STEP_INTERRUPTED,  /* by a signal */
	ET_STEP_PLANNED,      /* with --dry-run */
};
extern const char *const et_step_state_names[];

struct et_step {
	const char *name; /* "environment", "check I" … */
	enum et_step_state state;
	char *note; /* one sentence without its full stop, or "" */
};

enum { ET_MOST_STEPS = 8 };

struct et_steps {
	struct et_step list[ET_MOST_STEPS];
	size_t n;
};

/* Appends a step. Takes note. */
void et_steps_add(struct et_steps *s, const char *name, enum et_step_state state, char *note);
void et_steps_free(struct et_steps *s); /* what it owns */
