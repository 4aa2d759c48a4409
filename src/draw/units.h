/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of series as text, in their units; base/figure.h has the rules of rounding. */
#pragma once

#include "base/figure.h"
#include "model/result/estimate.h"
#include "model/result/series.h"

/* The scale for a value in any unit; only those of times and of memory are changed. */
struct et_scale et_scale_of_value(double x, double uncertainty, enum et_unit unit);
/* A value in the unit of a series; a value that is not a time may be negative. */
const char *et_format_value(double x, enum et_unit unit, char buf[ET_FIGURE]);
/* The same with as many digits as the resolution supports. */
const char *et_format_value_to(double x, double resolution, enum et_unit unit, char buf[ET_FIGURE]);
/* A value with its uncertainty in the unit of a series. */
const char *et_format_value_measured(
	double x, double uncertainty, enum et_unit unit, char buf[ET_FIGURE]);
/* A mean: "12.3 ms ± 0.4 ms", or "12 ms (10 … 17)" where ± would reach below the fastest run. */
const char *et_format_estimate(const struct et_estimate *e, enum et_unit unit, char buf[ET_FIGURE]);

/* "63.5", "12828", "0.004": milliseconds, without the unit. */
const char *et_format_ms(double ms, char buf[ET_FIGURE]);
/* "1.5 h", "8 days": a span of seconds. */
const char *et_format_span(double seconds, char buf[ET_FIGURE]);

enum { ET_LEFT = ET_FIGURE + 20 };
/* ", about 12 min left", or "" if nothing is left or known. Returns buf. */
const char *et_format_left(double left_ns, char buf[ET_LEFT]);
