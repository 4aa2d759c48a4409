/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long programs run undisturbed now, and how to time them; parts of app/clock/view.h. */
#pragma once

#include "base/json.h"
#include "clock/survey.h"
#include "draw/terminal.h"

void et_clock_advice_text(const struct et_survey *s, const struct et_page *p);
/* Writes the keys "undisturbed" and "advice". */
void et_clock_advice_json(struct et_json *w, const struct et_survey *s);
