/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures as a person reads them: durations, sizes, proportions, in fitting units and with no more
 * digits than their uncertainty supports. What is not known (NaN, negative) prints as a dash.
 */
#ifndef ET_REPORT_UNITS_H
#define ET_REPORT_UNITS_H

#include "model/series.h"

enum { ET_FIGURE = 96 }; /* bytes that hold any figure written here */

#define ET_DASH "–"

/* A unit, mostly of time, and the number of decimals to print in it (negative: rounded to tens …).
 */
struct et_scale {
	const char *unit;
	int exponent; /* a unit of time is 10^exponent ns; 0 for others */
	int decimals;
};

/*
 * The scale for a time with its uncertainty: two significant digits of the uncertainty decide the
 * last place. Where the uncertainty is 0 or not known, four digits of the value do.
 */
struct et_scale et_scale_of(double ns, double uncertainty_ns);
/* The same for a value in another unit, which is kept. */
struct et_scale et_scale_of_value(double x, double uncertainty, enum et_unit unit);
/* The number alone, without its unit. */
const char *et_scale_number(struct et_scale s, double ns, char buf[ET_FIGURE]);

/* "412 ms": so many significant digits. */
const char *et_format_rounded(double ns, int digits, char buf[ET_FIGURE]);
/* "412.3 ms": four of them. */
const char *et_format_time(double ns, char buf[ET_FIGURE]);
/* The same of a counter that may be ET_UNKNOWN. */
const char *et_format_ns(uint64_t ns, char buf[ET_FIGURE]);
/* "412.3 ms ± 1.2 ms"; "412.3 ms ± –" when the uncertainty is not known. */
const char *et_format_measured(double ns, double uncertainty_ns, char buf[ET_FIGURE]);
/* A value, and a measured one, in the unit of a series; without a unit it may be negative. */
const char *et_format_value(double x, enum et_unit unit, char buf[ET_FIGURE]);
/* With digits down to two of the resolution's. */
const char *et_format_value_to(double x, double resolution, enum et_unit unit, char buf[ET_FIGURE]);
const char *et_format_value_measured(
	double x, double uncertainty, enum et_unit unit, char buf[ET_FIGURE]);
/* "2.1 %", "96 %", "0.033 %" of a proportion. */
const char *et_format_percent(double proportion, char buf[ET_FIGURE]);
/* "1.021 × (1.018 … 1.024)": as many digits as the interval supports. */
const char *et_format_ratio(double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* "1.021 ± 0.003", half of the interval behind the sign; "1.021" when it has none. */
const char *et_format_ratio_pm(double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* "2.1 %": how far a ratio is from 1, with the digits its interval supports. */
const char *et_format_change(double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* "3.2 MiB". */
const char *et_format_bytes(uint64_t bytes, char buf[ET_FIGURE]);
/* "0:07", "12:34", "3:04:05": time still to go. */
const char *et_format_countdown(uint64_t ns, char buf[ET_FIGURE]);

#endif
