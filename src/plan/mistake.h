/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guesses which mistake of beginners made libyaml report an error. */
#pragma once

#include "plan/plan.h"

/* An error of libyaml, and where it found it. */
struct et_yaml_problem {
	const char *text;                   /* the document */
	const char *problem;                /* libyaml's words */
	struct et_plan_place at, context;   /* of the problem; of what it was reading */
	struct et_plan_place quote, quoted; /* the last quoted text of several lines, or 0 */
};

struct et_yaml_mistake {
	struct et_plan_place at; /* where the mistake is */
	char *what;              /* instead of libyaml's words; NULL: those */
	char *hint;              /* or NULL */
};

/* The texts are for free(). */
struct et_yaml_mistake et_yaml_mistake(const struct et_yaml_problem *p);
