/* SPDX-License-Identifier: MIT */
/*
 * Durations, sizes and proportions as text, in suitable units and with no more digits than their
 * uncertainty supports. An unknown value (NaN, negative) is printed as a dash.
 */
#pragma once

#include "base/base.h"

enum { ET_FIGURE = 96 }; /* a buffer of this size holds any of these texts */

/* Such a buffer, for a text that is used once: it has no name, and lives as long as its block. */
#define ET_BUF ((char[ET_FIGURE]){ 0 })

#define ET_DASH "–"

/* A unit and the number of decimals to print in it; -1 rounds to tens, -2 to hundreds. */
struct et_scale {
	const char *unit;
	int exponent; /* a unit of time is 10^exponent ns; 0 for other units … */
	int decimals;
	bool binary; /* … but a unit of memory is 2^exponent bytes */
};

/*
 * The scale for a time with its uncertainty. The last decimal is the second significant digit of
 * the uncertainty, or the fourth of the value if the uncertainty is 0 or not known.
 */
struct et_scale et_scale_of(double ns, double uncertainty_ns);
/* The same for a size in bytes, with whole bytes as the last decimal. */
struct et_scale et_scale_of_bytes(double bytes, double uncertainty);
/* The size of the unit in ns or bytes. */
double et_scale_unit(struct et_scale s);
/* The number alone, without its unit. */
const char *et_scale_number(struct et_scale s, double ns, char buf[ET_FIGURE]);

/* A unit of time that the user chose, as the values of --time-unit. */
enum et_time_unit {
	ET_TIME_UNIT_AUTO,
	ET_TIME_UNIT_SECOND,
	ET_TIME_UNIT_MILLISECOND,
	ET_TIME_UNIT_MICROSECOND,
	ET_TIME_UNIT_NANOSECOND,
};

extern const char *const et_time_unit_names[]; /* "auto", "second" …; NULL ends it */

/* The scale in a chosen unit; ET_TIME_UNIT_AUTO leaves it as it is. */
struct et_scale et_scale_forced(struct et_scale s, enum et_time_unit unit);
/* The scale's unit with the decimals that suit another time and its uncertainty. */
struct et_scale et_scale_for(struct et_scale s, double ns, double uncertainty_ns);
/* "412.3 ms ± 1.2 ms" in the scale; "412.3 ms ± –" if the uncertainty is not known. */
const char *et_scale_measured(struct et_scale s, double x, double uncertainty, char buf[ET_FIGURE]);
/* "± 1.2" in the scale's unit; never "± 0" for a positive uncertainty; "" if it is not known. */
const char *et_scale_plus_minus(struct et_scale s, double uncertainty_ns, char buf[ET_FIGURE]);

/* The power of ten of the last significant digit if x > 0 is rounded to this many digits. */
int et_last_place(double x, int digits);
/* x as a multiple of 10^place. */
double et_round_to(double x, int place);

/* "412 ms": this many significant digits. */
const char *et_format_rounded(double ns, int digits, char buf[ET_FIGURE]);
/* "412.3 ms": four significant digits. */
const char *et_format_time(double ns, char buf[ET_FIGURE]);
/* The same of a value that may be ET_UNKNOWN. */
const char *et_format_ns(uint64_t ns, char buf[ET_FIGURE]);
/* "412.3 ms ± 1.2 ms"; "412.3 ms ± –" if the uncertainty is not known. */
const char *et_format_measured(double ns, double uncertainty_ns, char buf[ET_FIGURE]);
/* "2.1 %", "96 %", "0.033 %" of a proportion. */
const char *et_format_percent(double proportion, char buf[ET_FIGURE]);
/*
 * "1.021 × (1.018 … 1.024)": a ratio with its interval, whose width decides the digits. A bound
 * that is not 1 is not printed as 1: "1.5 × (1.002 … 2.3)".
 */
const char *et_format_ratio(double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* The same; a bound that is on one side of 1 - margin or 1 + margin is not printed on the other. */
const char *et_format_ratio_near(
	double ratio, double lo, double hi, double margin, char buf[ET_FIGURE]);
/* "1.021 ± 0.003": a ratio with the half width of its interval; "1.021" without one. */
const char *et_format_ratio_pm(double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* "2.1 %": the distance of a ratio from 1, with the digits that et_format_ratio gives it. */
const char *et_format_change(double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* "2.1 % (1.8 … 2.4)": the same with its interval. */
const char *et_format_change_span(double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* "-0.3 % … +0.4 %": the interval as changes; `join` is the word between its bounds. */
const char *et_format_change_bounds(
	double ratio, double lo, double hi, const char *join, char buf[ET_FIGURE]);
/* The same, with a margin as above. */
const char *et_format_change_near(
	double ratio, double lo, double hi, double margin, const char *join, char buf[ET_FIGURE]);
/* "+2.1 %", "-0.4 %": the same as et_format_change with its sign. */
const char *et_format_change_signed(double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* x alone, with the digits that et_format_ratio gives to a ratio with this interval. */
const char *et_format_bound(double x, double ratio, double lo, double hi, char buf[ET_FIGURE]);
/* "3.2 MiB". */
const char *et_format_bytes(uint64_t bytes, char buf[ET_FIGURE]);
/* "0:07", "12:34", "3:04:05": the remaining time. */
const char *et_format_countdown(uint64_t ns, char buf[ET_FIGURE]);
