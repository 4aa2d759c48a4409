/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long programs run undisturbed now, and how to time them; parts of report/clock.h. */
#ifndef ET_REPORT_CLOCK_ADVICE_H
#define ET_REPORT_CLOCK_ADVICE_H

#include "base/json.h"
#include "clock/survey.h"
#include "report/terminal.h"

void et_clock_advice_text(const struct et_survey *s, const struct et_page *p);
/* Writes the keys "undisturbed" and "advice". */
void et_clock_advice_json(struct et_json *w, const struct et_survey *s);

#endif
