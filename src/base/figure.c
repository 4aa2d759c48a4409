/* SPDX-License-Identifier: MIT */
#include "base/figure.h"
#include "base/whole.h"

static const struct {
	const char *name;
	int exponent;
} units[] = { { "s", 9 }, { "ms", 6 }, { "µs", 3 }, { "ns", 0 } };

enum {
	FINEST_PLACE = -3, /* 0.001 ns: no clock resolves less */
	VALUE_DIGITS = 4,
	UNCERTAINTY_DIGITS = 2,
	MOST_DIGITS = 15, /* a double holds no more */
};

static bool known(double x)
{
	return isfinite(x) && x >= 0;
}

static const char *dash(char buf[ET_FIGURE])
{
	memcpy(buf, ET_DASH, sizeof(ET_DASH));
	return buf;
}

int et_last_place(double x, int digits)
{
	char buf[ET_FIGURE];

	/* printf rounds first: 9.96 with two digits is 1.0e+01, so its place is 0, not -1. */
	snprintf(buf, sizeof(buf), "%.*e", digits - 1, x);
	return (int)strtol(strchr(buf, 'e') + 1, NULL, 10) - (digits - 1);
}

double et_round_to(double x, int place)
{
	double unit = pow(10, place);

	return place < 0 ? rint(x * pow(10, -place)) / pow(10, -place) : rint(x / unit) * unit;
}

static struct et_scale scale_at(double largest_ns, int place)
{
	double rounded = et_round_to(largest_ns, place);
	size_t i = 0;

	/* et_round_to() has rounding errors: a value just below the boundary is on it. */
	while (i + 1 < ET_LENGTH(units) && rounded * (1 + 1e-12) < pow(10, units[i].exponent))
		i++;
	return (struct et_scale){ .unit = units[i].name,
		.exponent = units[i].exponent,
		.decimals = units[i].exponent - place };
}

static int place_of(double x, int digits)
{
	int place = x > 0 ? et_last_place(x, digits) : 0;

	return place < FINEST_PLACE ? FINEST_PLACE : place;
}

struct et_scale et_scale_of(double ns, double uncertainty_ns)
{
	double u = known(uncertainty_ns) ? uncertainty_ns : 0;
	double v = known(ns) ? ns : 0;
	int place = u > 0 ? place_of(u, UNCERTAINTY_DIGITS) : place_of(v, VALUE_DIGITS);
	int finest = place_of(v, MOST_DIGITS);

	return scale_at(fmax(u, v), place > finest ? place : finest);
}

static const char *const byte_units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

static struct et_scale bytes_at(struct et_scale s, double bytes, double uncertainty)
{
	double u = known(uncertainty) ? uncertainty / et_scale_unit(s) : 0;
	double v = known(bytes) ? bytes / et_scale_unit(s) : 0;
	int place = u > 0   ? et_last_place(u, UNCERTAINTY_DIGITS)
		    : v > 0 ? et_last_place(v, VALUE_DIGITS)
			    : 0;
	int finest = -3 * s.exponent / 10;

	s.decimals = place < finest ? -finest : -place;
	return s;
}

struct et_scale et_scale_of_bytes(double bytes, double uncertainty)
{
	double largest = fmax(known(bytes) ? bytes : 0, known(uncertainty) ? uncertainty : 0);
	struct et_scale s = { .unit = byte_units[0], .binary = true };

	/* A number that would be rounded up to 1024 is 1 of the next unit. */
	for (size_t i = 1; i < ET_LENGTH(byte_units) && largest >= 1023.95 * et_scale_unit(s); i++)
		s = (struct et_scale){ byte_units[i], 10 * (int)i, 0, true };
	return bytes_at(s, bytes, uncertainty);
}

double et_scale_unit(struct et_scale s)
{
	return s.binary ? ldexp(1, s.exponent) : pow(10, s.exponent);
}

const char *et_scale_number(struct et_scale s, double ns, char buf[ET_FIGURE])
{
	if (!known(ns))
		return dash(buf);
	double x = fabs(ns) / et_scale_unit(s); /* no -0 */
	if (s.decimals < 0)
		x = et_round_to(x, -s.decimals);
	if (x >= 1e15)
		snprintf(buf, ET_FIGURE, "%.3g", x);
	else
		snprintf(buf, ET_FIGURE, "%.*f", s.decimals > 0 ? s.decimals : 0, x);
	return buf;
}

const char *const et_time_unit_names[] = { "auto", "second", "millisecond", "microsecond",
	"nanosecond", NULL };

struct et_scale et_scale_forced(struct et_scale s, enum et_time_unit unit)
{
	if (unit == ET_TIME_UNIT_AUTO)
		return s;
	int exponent = units[unit - 1].exponent;
	return (struct et_scale){ .unit = units[unit - 1].name,
		.exponent = exponent,
		.decimals = s.decimals + exponent - s.exponent };
}

struct et_scale et_scale_for(struct et_scale s, double ns, double uncertainty_ns)
{
	struct et_scale own = et_scale_of(ns, uncertainty_ns);

	if (s.binary)
		return bytes_at(s, ns, uncertainty_ns);
	s.decimals = own.decimals + s.exponent - own.exponent;
	return s;
}

const char *et_scale_plus_minus(struct et_scale s, double uncertainty_ns, char buf[ET_FIGURE])
{
	char number[ET_FIGURE];

	buf[0] = '\0';
	if (!known(uncertainty_ns))
		return buf;
	if (uncertainty_ns > 0)
		uncertainty_ns = fmax(uncertainty_ns, et_scale_unit(s) * pow(10, -s.decimals));
	else
		s.decimals = 0;
	snprintf(buf, ET_FIGURE, "± %.80s", et_scale_number(s, uncertainty_ns, number));
	return buf;
}

const char *et_format_rounded(double ns, int digits, char buf[ET_FIGURE])
{
	char number[ET_FIGURE];

	if (!known(ns))
		return dash(buf);
	struct et_scale s = scale_at(ns, place_of(ns, digits));
	snprintf(buf, ET_FIGURE, "%.80s %s", et_scale_number(s, ns, number), s.unit);
	return buf;
}

const char *et_format_time(double ns, char buf[ET_FIGURE])
{
	return et_format_rounded(ns, VALUE_DIGITS, buf);
}

const char *et_format_ns(uint64_t ns, char buf[ET_FIGURE])
{
	return et_format_time(ns == ET_UNKNOWN ? NAN : (double)ns, buf);
}

const char *et_format_measured(double ns, double uncertainty_ns, char buf[ET_FIGURE])
{
	return et_scale_measured(et_scale_of(ns, uncertainty_ns), ns, uncertainty_ns, buf);
}

const char *et_scale_measured(struct et_scale s, double x, double uncertainty, char buf[ET_FIGURE])
{
	char value[ET_FIGURE], plus_minus[ET_FIGURE];

	if (!known(x))
		return dash(buf);
	et_scale_number(s, x, value);
	if (!known(uncertainty)) {
		snprintf(buf, ET_FIGURE, "%.40s %s ± " ET_DASH, value, s.unit);
		return buf;
	}
	et_scale_plus_minus(s, uncertainty, plus_minus);
	snprintf(buf, ET_FIGURE, "%.36s %s %.40s %s", value, s.unit, plus_minus, s.unit);
	return buf;
}

const char *et_format_percent(double proportion, char buf[ET_FIGURE])
{
	double x = proportion * 100;

	if (!known(proportion) || !known(x))
		return dash(buf);
	if (x == 0) {
		snprintf(buf, ET_FIGURE, "0 %%");
	} else if (x < 0.001) {
		snprintf(buf, ET_FIGURE, "< 0.001 %%");
	} else if (x >= 1e6) {
		snprintf(buf, ET_FIGURE, "%.2g %%", x);
	} else {
		int decimals = -et_last_place(x, 2);
		snprintf(buf, ET_FIGURE, "%.*f %%", decimals > 0 ? decimals : 0, x);
	}
	return buf;
}

/* Decimals of a ratio by the half width of its interval: one digit of it, two if it is 1 or 2. */
static int ratio_decimals(double ratio, double half)
{
	int place;

	if (half > 0) {
		place = et_last_place(half, 1);
		if (et_round_to(half, place) < 2.5 * pow(10, place))
			place = et_last_place(half, 2);
	} else {
		place = ratio > 0 ? et_last_place(ratio, VALUE_DIGITS) : 0;
	}
	return place < -6 ? 6 : place > 0 ? 0 : -place;
}

static const char *plain(double x, int decimals, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, x < 1e9 ? "%.*f" : "%.*g", x < 1e9 ? decimals : 3, fabs(x));
	return buf;
}

/* Whether a value is shown on its side of a limit; what is beyond a margin is not shown at it. */
static bool same_side(double x, double shown, double limit, double margin)
{
	const double rounding = 1e-14;

	if (margin > 0 && fabs(shown - limit) < rounding)
		return limit > 1 ? x <= limit + rounding : x >= limit - rounding;
	return (x - limit) * (shown - limit) >= -rounding;
}

/*
 * Decimals of x, which is a ratio or a bound of its interval. The width of the interval decides,
 * but where it excludes 1, x alone gets as many as show that it is not 1, and as many as show on
 * which side of 1 - margin and 1 + margin it is.
 */
static int decimals_of(double x, double ratio, double lo, double hi, double margin)
{
	char text[ET_FIGURE];
	int decimals = ratio_decimals(ratio, (hi - lo) / 2);

	for (; decimals < 6; decimals++) {
		double shown = strtod(plain(x, decimals, text), NULL);
		if (!((lo > 1 || hi < 1) && shown == 1) &&
			same_side(x, shown, 1 - margin, margin) &&
			same_side(x, shown, 1 + margin, margin))
			break;
	}
	return decimals;
}

static const char *bound(
	double x, double ratio, double lo, double hi, double margin, char buf[ET_FIGURE])
{
	return plain(x, decimals_of(x, ratio, lo, hi, margin), buf);
}

const char *et_format_ratio_near(
	double ratio, double lo, double hi, double margin, char buf[ET_FIGURE])
{
	char r[ET_FIGURE], l[ET_FIGURE], h[ET_FIGURE];

	if (!known(ratio))
		return dash(buf);
	if (!known(lo) || !known(hi)) {
		snprintf(buf, ET_FIGURE, "%.40s ×", plain(ratio, ratio_decimals(ratio, 0), r));
		return buf;
	}
	snprintf(buf, ET_FIGURE, "%.24s × (%.24s … %.24s)", bound(ratio, ratio, lo, hi, 0, r),
		bound(lo, ratio, lo, hi, margin, l), bound(hi, ratio, lo, hi, margin, h));
	return buf;
}

const char *et_format_ratio(double ratio, double lo, double hi, char buf[ET_FIGURE])
{
	return et_format_ratio_near(ratio, lo, hi, 0, buf);
}

const char *et_format_ratio_pm(double ratio, double lo, double hi, char buf[ET_FIGURE])
{
	double half = (hi - lo) / 2;
	char r[ET_FIGURE], h[ET_FIGURE];

	if (!known(ratio))
		return dash(buf);
	if (!known(half) || half == 0)
		return plain(ratio, ratio_decimals(ratio, 0), buf);
	int decimals = ratio_decimals(ratio, half);
	snprintf(buf, ET_FIGURE, "%.40s ± %.40s", plain(ratio, decimals, r),
		plain(half, decimals, h));
	return buf;
}

/* The change of a ratio in percent; the ratio is rounded first, so that 1.31 is always 31 %. */
static double change_of(double ratio, int decimals)
{
	double rounded = strtod(plain(ratio, decimals, (char[ET_FIGURE]){ 0 }), NULL);

	return et_round_to(100 * (rounded - 1), decimals > 2 ? 2 - decimals : 0);
}

static int change_decimals(int decimals)
{
	return decimals > 2 ? decimals - 2 : 0;
}

/* The sign is that of the change; no -0. */
static const char *signed_change(double ratio, int decimals, char buf[ET_FIGURE])
{
	double x = change_of(ratio, decimals);

	snprintf(buf, ET_FIGURE, x < 1e9 ? "%s%.*f" : "%s%.*g",
		x > 0   ? "+"
		: x < 0 ? "-"
			: "",
		x < 1e9 ? change_decimals(decimals) : 3, fabs(x));
	return buf;
}

const char *et_format_change(double ratio, double lo, double hi, char buf[ET_FIGURE])
{
	char number[ET_FIGURE];

	if (!known(ratio))
		return dash(buf);
	if (!known(lo) || !known(hi) || hi == lo)
		return et_format_percent(fabs(ratio - 1), buf);
	int decimals = decimals_of(ratio, ratio, lo, hi, 0);
	snprintf(buf, ET_FIGURE, "%.40s %%",
		plain(fabs(change_of(ratio, decimals)), change_decimals(decimals), number));
	return buf;
}

const char *et_format_change_signed(double ratio, double lo, double hi, char buf[ET_FIGURE])
{
	char change[ET_FIGURE];

	if (!known(ratio))
		return dash(buf);
	et_format_change(ratio, lo, hi, change);
	snprintf(buf, ET_FIGURE, "%s%.90s", ratio > 1 ? "+" : ratio < 1 ? "-" : "", change);
	return buf;
}

const char *et_format_bound(double x, double ratio, double lo, double hi, char buf[ET_FIGURE])
{
	if (!known(x) || !known(ratio) || !known(lo) || !known(hi))
		return dash(buf);
	return bound(x, ratio, lo, hi, 0, buf);
}

const char *et_format_change_span(double ratio, double lo, double hi, char buf[ET_FIGURE])
{
	char change[ET_FIGURE], near[ET_FIGURE], far[ET_FIGURE];

	if (!known(ratio) || !known(lo) || !known(hi) || hi == lo)
		return et_format_change(ratio, lo, hi, buf);
	et_format_change(ratio, lo, hi, change);
	double sign = ratio < 1 ? -1 : 1, first = ratio < 1 ? hi : lo, last = ratio < 1 ? lo : hi;
	int first_decimals = decimals_of(first, ratio, lo, hi, 0);
	int last_decimals = decimals_of(last, ratio, lo, hi, 0);
	double a = sign * change_of(first, first_decimals);
	double b = sign * change_of(last, last_decimals);
	/* Where the interval holds 1, its nearer end is a change in the other direction. */
	snprintf(buf, ET_FIGURE, "%.24s (%s%.20s … %.20s)", change, a < 0 ? "-" : "",
		plain(fabs(a), change_decimals(first_decimals), near),
		plain(fabs(b), change_decimals(last_decimals), far));
	return buf;
}

const char *et_format_change_near(
	double ratio, double lo, double hi, double margin, const char *join, char buf[ET_FIGURE])
{
	char l[ET_FIGURE], h[ET_FIGURE];

	if (!known(lo) || !known(hi))
		return dash(buf);
	signed_change(lo, decimals_of(lo, ratio, lo, hi, margin), l);
	signed_change(hi, decimals_of(hi, ratio, lo, hi, margin), h);
	snprintf(buf, ET_FIGURE, "%.30s %% %.10s %.30s %%", l, join, h);
	return buf;
}

const char *et_format_change_bounds(
	double ratio, double lo, double hi, const char *join, char buf[ET_FIGURE])
{
	return et_format_change_near(ratio, lo, hi, 0, join, buf);
}

const char *et_format_bytes(uint64_t bytes, char buf[ET_FIGURE])
{
	struct et_scale s = et_scale_of_bytes((double)bytes, NAN);
	double x = (double)bytes / et_scale_unit(s);
	char number[ET_FIGURE];

	if (bytes == ET_UNKNOWN)
		return dash(buf);
	s.decimals = s.exponent && x < 99.95;
	snprintf(buf, ET_FIGURE, "%.80s %s", et_scale_number(s, (double)bytes, number), s.unit);
	return buf;
}

const char *et_format_countdown(uint64_t ns, char buf[ET_FIGURE])
{
	uint64_t seconds = ns / 1000000000u + (ns % 1000000000u ? 1 : 0);
	unsigned s = (unsigned)(seconds % 60), m = (unsigned)(seconds / 60 % 60);

	if (seconds >= 3600)
		snprintf(buf, ET_FIGURE, "%" PRIu64 ":%02u:%02u", seconds / 3600, m, s);
	else
		snprintf(buf, ET_FIGURE, "%u:%02u", m, s);
	return buf;
}
