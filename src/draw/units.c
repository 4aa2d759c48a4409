/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/units.h"
#include "base/whole.h"

enum {
	VALUE_DIGITS = 4,
	UNCERTAINTY_DIGITS = 2,
	MOST_DIGITS = 15, /* a double holds no more */
};

static bool known(double x)
{
	return isfinite(x) && x >= 0;
}

static bool is_time(enum et_unit unit)
{
	return unit == ET_UNIT_S || unit == ET_UNIT_NS;
}

/* A difference of bytes may be negative, and then has none. */
static bool has_scale(double x, enum et_unit unit)
{
	return is_time(unit) || (unit == ET_UNIT_BYTES && known(x));
}

static double in_ns(double x, enum et_unit unit)
{
	return unit == ET_UNIT_S ? x * 1e9 : x;
}

static const char *with_unit(double x, int digits, enum et_unit unit, char buf[ET_FIGURE])
{
	const char *name = et_unit_names[unit];

	snprintf(buf, ET_FIGURE, "%.*g%s%s", digits, x, name ? " " : "", name ? name : "");
	return buf;
}

/* Rounded to a power of ten, with all decimals up to it and without an exponent. */
static const char *with_decimals(double x, int place, enum et_unit unit, char buf[ET_FIGURE])
{
	const char *name = et_unit_names[unit];

	snprintf(buf, ET_FIGURE, "%.*f%s%s", place < 0 ? -place : 0, et_round_to(x, place),
		name ? " " : "", name ? name : "");
	return buf;
}

const char *et_format_value(double x, enum et_unit unit, char buf[ET_FIGURE])
{
	if (is_time(unit))
		return et_format_time(in_ns(x, unit), buf);
	if (!isfinite(x))
		return et_format_time(NAN, buf);
	if (unit == ET_UNIT_BYTES && x >= 0)
		return et_format_bytes(et_u64(x), buf);
	return with_unit(x, VALUE_DIGITS, unit, buf);
}

/* The number of digits of x up to the place of the second digit of the resolution. */
static int digits_to(double x, double resolution)
{
	if (!known(resolution) || resolution == 0 || x == 0)
		return VALUE_DIGITS;
	int digits = et_last_place(fabs(x), 1) - et_last_place(resolution, UNCERTAINTY_DIGITS) + 1;
	return digits < UNCERTAINTY_DIGITS ? UNCERTAINTY_DIGITS
	       : digits > MOST_DIGITS      ? MOST_DIGITS
					   : digits;
}

const char *et_format_value_to(double x, double resolution, enum et_unit unit, char buf[ET_FIGURE])
{
	char number[ET_FIGURE];
	struct et_scale s = et_scale_of_value(x, resolution, unit);

	if (!isfinite(x) || (is_time(unit) && !known(x)))
		return et_format_time(NAN, buf);
	if (!has_scale(x, unit)) {
		if (known(resolution) && resolution > 0 && x != 0 && fabs(x) < 1e15) {
			int place = et_last_place(resolution, UNCERTAINTY_DIGITS);
			int first = et_last_place(fabs(x), 1),
			    finest = et_last_place(fabs(x), MOST_DIGITS);
			place = place > first ? first : place < finest ? finest : place;
			if (place >= -12)
				return with_decimals(x, place, unit, buf);
		}
		return with_unit(x, digits_to(x, resolution), unit, buf);
	}
	snprintf(buf, ET_FIGURE, "%.80s %s", et_scale_number(s, in_ns(x, unit), number), s.unit);
	return buf;
}

const char *et_format_value_measured(
	double x, double uncertainty, enum et_unit unit, char buf[ET_FIGURE])
{
	char value[ET_FIGURE], plus_minus[ET_FIGURE];

	if (has_scale(x, unit))
		return et_scale_measured(et_scale_of_value(x, uncertainty, unit), in_ns(x, unit),
			in_ns(uncertainty, unit), buf);
	et_format_value_to(x, uncertainty, unit, value);
	if (known(uncertainty))
		snprintf(buf, ET_FIGURE, "%.40s ± %.40s", value,
			with_unit(uncertainty, UNCERTAINTY_DIGITS, unit, plus_minus));
	else
		snprintf(buf, ET_FIGURE, "%.40s ± " ET_DASH, value);
	return buf;
}

struct et_scale et_scale_of_value(double x, double uncertainty, enum et_unit unit)
{
	struct et_scale s = et_scale_of(in_ns(x, unit), in_ns(uncertainty, unit));

	if (is_time(unit))
		return s;
	if (has_scale(x, unit))
		return et_scale_of_bytes(x, uncertainty);
	return (struct et_scale){ .unit = et_unit_names[unit] ? et_unit_names[unit] : "",
		.decimals = s.decimals - s.exponent };
}

const char *et_format_estimate(const struct et_estimate *e, enum et_unit unit, char buf[ET_FIGURE])
{
	double factor = unit == ET_UNIT_S ? 1e9 : 1;
	struct et_scale s = et_scale_of_value(e->mean, e->expanded_uncertainty, unit);
	char mean[ET_FIGURE], lo[ET_FIGURE], hi[ET_FIGURE];

	if (!et_estimate_lopsided(e))
		return et_format_value_measured(e->mean, e->expanded_uncertainty, unit, buf);
	snprintf(buf, ET_FIGURE, "%.24s%s%s (%.24s … %.24s)",
		et_scale_number(s, factor * e->mean, mean), *s.unit ? " " : "", s.unit,
		et_scale_number(s, factor * e->lo, lo), et_scale_number(s, factor * e->hi, hi));
	return buf;
}

const char *et_format_ms(double ms, char buf[ET_FIGURE])
{
	int decimals = ms >= 100 ? 0 : ms >= 1 || ms <= 0 ? 1 : ms >= 0.1 ? 2 : 3;

	if (isnan(ms))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else
		snprintf(buf, ET_FIGURE, "%.*f", decimals, ms);
	return buf;
}

const char *et_format_span(double seconds, char buf[ET_FIGURE])
{
	if (isnan(seconds))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else if (seconds >= 36000 * 10)
		snprintf(buf, ET_FIGURE, "%.3g days", seconds / 86400);
	else if (seconds >= 3600)
		snprintf(buf, ET_FIGURE, "%.3g h", seconds / 3600);
	else if (seconds >= 120)
		snprintf(buf, ET_FIGURE, "%.3g min", seconds / 60);
	else if (seconds >= 1)
		snprintf(buf, ET_FIGURE, "%.3g s", seconds);
	else
		snprintf(buf, ET_FIGURE, "%.3g ms", 1000 * seconds);
	return buf;
}

static void format_whole(double seconds, char buf[ET_FIGURE])
{
	if (seconds < 90)
		snprintf(buf, ET_FIGURE, "%.0f s", ceil(seconds));
	else if (seconds < 90 * 60)
		snprintf(buf, ET_FIGURE, "%.0f min", ceil(seconds / 60));
	else if (seconds < 48 * 3600)
		snprintf(buf, ET_FIGURE, "%.1f h", seconds / 3600);
	else
		snprintf(buf, ET_FIGURE, "%.1f d", seconds / 86400);
}

const char *et_format_left(double left_ns, char buf[ET_LEFT])
{
	char span[ET_FIGURE];

	buf[0] = '\0';
	if (isnan(left_ns) || !(left_ns > 0))
		return buf;
	format_whole(left_ns / 1e9, span);
	snprintf(buf, ET_LEFT, ", about %s left", span);
	return buf;
}
