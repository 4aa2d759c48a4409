/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clocks of a machine, advice how to use them, and how long events take: text, JSON, SVG. */
#pragma once

#include "base/json.h"
#include "clock/survey.h"
#include "draw/terminal.h"
#include "measure/trace/timescales.h"
#include "model/experiment/environment.h"
#include "model/result/warning.h"

struct et_clock_report {
	const struct et_survey *survey;
	const struct et_host *host;
	double load;              /* runnable tasks; NaN: not known */
	const char *clocksources; /* that the kernel could use, separated by spaces; or NULL */
	const char *rtc;          /* the driver of the real-time clock; NULL: there is none */
	const struct et_warnings *warnings;
};

void et_clock_text(const struct et_clock_report *r, const struct et_page *page, bool verbose);
void et_clock_json(struct et_json *w, const struct et_clock_report *r);

void et_scales_text(const struct et_timescales *r, const struct et_page *page, bool verbose);
void et_scales_json(struct et_json *w, const struct et_timescales *r);
void et_scales_svg(const void *timescales, FILE *out);
