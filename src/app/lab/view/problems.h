/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The problems of lab/problems.h and their answers, as text and JSON. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "lab/problems.h"

void et_problems_text(const struct et_page *page);
void et_problems_json(struct et_json *w);
void et_problem_text(
	const struct et_problem *p, const struct et_problem_answer *a, const struct et_page *page);
void et_problem_json(
	const struct et_problem *p, const struct et_problem_answer *a, struct et_json *w);
