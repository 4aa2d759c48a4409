/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations in suitable units, with no more digits than the uncertainty supports. */
#include "draw/units.h"
#include "tap.h"

static char buf[ET_FIGURE];

static void golden(void)
{
	static const struct {
		double ns, u;
		const char *text;
	} measured[] = {
		{ 412.3e6, 1.2e6, "412.3 ms ± 1.2 ms" },
		{ 412.345e6, 123e6, "410 ms ± 120 ms" },
		{ 999.96e3, 1.2e3, "1.0000 ms ± 0.0012 ms" },
		{ 999.96e3, 0.12e3, "999.96 µs ± 0.12 µs" },
		{ 10e6, 0.0996e6, "10.00 ms ± 0.10 ms" },
		{ 10e6, 9.96e6, "10 ms ± 10 ms" },
		{ 5e6, 1.234e9, "0.0 s ± 1.2 s" },
		{ 0, 0, "0 ns ± 0 ns" },
		{ 100e6, 0, "100.0 ms ± 0 ms" },
		{ 100e6, NAN, "100.0 ms ± –" },
		{ 100e6, -1, "100.0 ms ± –" },
		{ NAN, 1, "–" },
		{ -1, 1, "–" },
		{ INFINITY, 1, "–" },
		{ 7200e9, 13e9, "7200 s ± 13 s" },
		{ 12.5, 1e-9, "12.500 ns ± 0.001 ns" },
		{ 0.4, 0.013, "0.400 ns ± 0.013 ns" },
	};
	static const struct {
		double ns;
		const char *text;
	} times[] = {
		{ 999.96e3, "1.000 ms" },
		{ 999.94e3, "999.9 µs" },
		{ 999.96, "1.000 µs" },
		{ 999.96e6, "1.000 s" },
		{ 1e3, "1.000 µs" },
		{ 1, "1.000 ns" },
		{ 0, "0 ns" },
		{ 9.996e6, "9.996 ms" },
		{ 9.9996e6, "10.00 ms" },
		{ 123456e9, "123500 s" },
		{ 1e-7, "0.000 ns" },
		{ 1e40, "1e+31 s" },
		{ NAN, "–" },
		{ -0.0, "0 ns" },
	};

	for (size_t i = 0; i < ET_LENGTH(measured); i++)
		is_str(et_format_measured(measured[i].ns, measured[i].u, buf), measured[i].text,
			"%g ns ± %g ns", measured[i].ns, measured[i].u);
	for (size_t i = 0; i < ET_LENGTH(times); i++)
		is_str(et_format_time(times[i].ns, buf), times[i].text, "%g ns with four digits",
			times[i].ns);
	is_str(et_format_ns(ET_UNKNOWN, buf), "–", "ET_UNKNOWN ns is a dash");
	is_str(et_format_rounded(750e3, 2, buf), "750 µs", "750000 ns with two digits");
	is_str(et_format_rounded(9.996e6, 3, buf), "10.0 ms", "9996000 ns with three digits");
}

static void other_figures(void)
{
	static const struct {
		double proportion;
		const char *text;
	} percents[] = { { 0.021, "2.1 %" }, { 0.957, "96 %" }, { 0.00033, "0.033 %" },
		{ 0.0996, "10 %" }, { 0.00996, "1.0 %" }, { 1, "100 %" }, { 1.234, "123 %" },
		{ 0, "0 %" }, { 1e-9, "< 0.001 %" }, { NAN, "–" }, { -0.1, "–" },
		{ 1e300, "1e+302 %" } };

	for (size_t i = 0; i < ET_LENGTH(percents); i++)
		is_str(et_format_percent(percents[i].proportion, buf), percents[i].text,
			"proportion %g in percent", percents[i].proportion);
	is_str(et_format_ratio(1.021, 1.018, 1.024, buf), "1.021 × (1.018 … 1.024)",
		"ratio with its interval");
	is_str(et_format_ratio(1.02112, 1.0199, 1.0223, buf), "1.0211 × (1.0199 … 1.0223)",
		"ratio: a half width of 0.0012 supports four decimals");
	is_str(et_format_ratio(12.3, 7.1, 17.5, buf), "12 × (7 … 18)",
		"ratio: a wide interval supports no decimals");
	is_str(et_format_ratio(1.5, NAN, NAN, buf), "1.500 ×", "ratio without an interval");
	is_str(et_format_ratio(NAN, 1, 2, buf), "–", "ratio: NaN is a dash");
	is_str(et_format_ratio_pm(1.021, 1.018, 1.024, buf), "1.021 ± 0.003", "ratio ± half width");
	is_str(et_format_ratio_pm(1.0, 1.0, 1.0, buf), "1.000",
		"ratio ± half width: a width of 0 is omitted");
	is_str(et_format_change(1.0212, 1.018, 1.024, buf), "2.1 %", "change by a ratio above 1");
	is_str(et_format_change(0.65, 0.55, 0.75, buf), "35 %", "change by a ratio below 1");
	is_str(et_format_change(1.0212, NAN, NAN, buf), "2.1 %", "change without an interval");
	is_str(et_format_change(4.02, 3.7, 4.4, buf), "300 %", "change with a wide interval");
	is_str(et_format_change(NAN, 1, 2, buf), "–", "change: NaN is a dash");
	is_str(et_format_ratio(1.305, 1.252, 1.741, buf), "1.30 × (1.25 … 1.74)",
		"ratio: a half is rounded as printf rounds it");
	is_str(et_format_change(1.305, 1.252, 1.741, buf), "30 %",
		"change: the percentage is that of the rounded ratio");
	is_str(et_format_change_span(1.3051, 1.252, 1.741, buf), "31 % (25 … 74)",
		"change with an interval: all three are those of the rounded ratios");
	is_str(et_format_change_span(1.511, 1.002, 2.279, buf), "50 % (0.2 … 130)",
		"change with an interval: its width decides the digits, not the end nearest to 0");
	is_str(et_format_change_span(0.7, 0.4, 0.998, buf), "30 % (0.2 … 60)",
		"change with an interval: below 1 its width decides the digits as well");
	is_str(et_format_change_bounds(1.511, 1.002, 2.279, "…", buf), "+0.2 % … +130 %",
		"change bounds: the width of the interval decides the digits");
	is_str(et_format_ratio(1.511, 1.002, 2.279, buf), "1.5 × (1.002 … 2.3)",
		"ratio: a bound that is not 1 is not printed as 1");
	is_str(et_format_ratio(1.03, 1.002, 2.279, buf), "1.03 × (1.002 … 2.3)",
		"ratio: neither is the ratio itself");
	is_str(et_format_bound(2.279, 1.511, 1.002, 2.279, buf), "2.3",
		"bound: its digits are those of et_format_ratio");
	is_str(et_format_change_span(0.65, 0.55, 0.752, buf), "35 % (25 … 45)",
		"change with an interval: a ratio below 1 has its smaller change first");
	is_str(et_format_change_span(1.05, 0.98, 1.12, buf), "5 % (-2 … 12)",
		"change with an interval: a bound beyond 1 is negative");
	is_str(et_format_change_span(4.02, 3.7, 4.4, buf), "300 % (270 … 340)",
		"change with an interval: a wide interval has few digits");
	is_str(et_format_change_signed(41.15, 38, 44, buf), "+4000 %",
		"signed change: it has the digits of the change");
	is_str(et_format_change_signed(0.65, 0.55, 0.75, buf), "-35 %",
		"signed change: a ratio below 1 is negative");
	is_str(et_format_change_signed(NAN, 1, 2, buf), "–", "signed change: NaN is a dash");
	is_str(et_format_bound(1.01834, 1.0212, 1.01834, 1.024, buf), "1.018",
		"bound: it has the digits of the ratio");
	is_str(et_format_bound(INFINITY, 1.02, 1, INFINITY, buf), "–", "bound: infinity is a dash");
	is_str(et_format_change_span(1.31, NAN, NAN, buf), "31 %",
		"change with an interval: without one there is the change only");
	is_str(et_format_change_near(1.01, 0.958, 1.03, 0.041, "…", buf), "-4.2 % … +3 %",
		"a bound beyond the margin is not printed within it");
	is_str(et_format_ratio_near(1.01, 0.9, 1.0374, 0.0375, buf), "1.01 × (0.90 … 1.037)",
		"a bound within the margin is not printed beyond it");
	is_str(et_format_change_bounds(1.001, 0.9972, 1.004, "…", buf), "-0.3 % … +0.4 %",
		"change bounds: both have their signs");
	is_str(et_format_change_bounds(1.1, 1, 1.21, "…", buf), "0 % … +21 %",
		"change bounds: no change has no sign");
	is_str(et_format_bytes(3355443, buf), "3.2 MiB", "bytes: 3.2 MiB");
	is_str(et_format_bytes(1048575, buf), "1.0 MiB", "bytes: 1 MiB - 1 is rounded to 1.0 MiB");
	is_str(et_format_bytes(0, buf), "0 B", "bytes: 0");
	is_str(et_format_bytes(1023, buf), "1023 B", "bytes: less than 1 KiB");
	is_str(et_format_bytes(ET_UNKNOWN, buf), "–", "bytes: ET_UNKNOWN is a dash");
	is_str(et_format_bytes(ET_UNKNOWN - 1, buf), "16.0 EiB", "bytes: the largest number");
	is_str(et_format_countdown(6200000000u, buf), "0:07", "countdown: seconds are rounded up");
	is_str(et_format_countdown(754000000000u, buf), "12:34", "countdown: minutes");
	is_str(et_format_countdown(11045000000000u, buf), "3:04:05", "countdown: hours");
	is_str(et_format_countdown(ET_UNKNOWN - 1, buf), "5124095:34:34",
		"countdown: the longest time");
}

static double unit_ns(const char *unit)
{
	return !strncmp(unit, "ns", 2)   ? 1
	       : !strncmp(unit, "ms", 2) ? 1e6
	       : !strncmp(unit, "µs", 3) ? 1e3
					 : 1e9;
}

static int decimals(const char *number)
{
	const char *point = strchr(number, '.');

	return point ? (int)strspn(point + 1, "0123456789") : 0;
}

/* Parses the printed text: the value ends at the last place, the uncertainty has two digits. */
static bool faithful(double ns, double u)
{
	char *end;

	et_format_measured(ns, u, buf);
	double value = strtod(buf, &end);
	double unit = unit_ns(end + 1);
	const char *second = strstr(buf, "± ") + strlen("± ");
	double plus_minus = strtod(second, &end);
	double step =
		fmax(pow(10, -decimals(second)), pow(10, floor(log10(plus_minus) + 1e-9) - 1));

	return unit == unit_ns(end + 1) && decimals(buf) == decimals(second) &&
	       fabs(value * unit - ns) <= 0.5000001 * step * unit &&
	       fabs(plus_minus * unit - u) <= 0.0501 * u && value < 1000 + (unit == 1e9) * 1e12 &&
	       (value >= 0.9999999 || unit == 1 || plus_minus >= 0.99) &&
	       fabs(plus_minus / step) < 99.5 && plus_minus / step > 9.5;
}

static void property(void)
{
	uint64_t state = 88172645463325252u;
	int failures = 0, claimed = 0;

	for (int i = 0; i < 200000; i++) {
		double r[2];
		for (int k = 0; k < 2; k++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			r[k] = (double)(state >> 11) * 0x1p-53;
		}
		double ns = pow(10, 11 * r[0]), u = ns * pow(10, -6 * r[1] + 0.5);
		if (u < 0.02)
			continue;
		claimed++;
		if (!faithful(ns, u) && failures++ < 5)
			printf("# %.17g ± %.17g: %s\n", ns, u, buf);
	}
	ok(!failures && claimed > 100000,
		"%d random times have no more digits than their uncertainty supports", claimed);
}

/* Metrics that are not times keep their unit. */
static void other_units(void)
{
	is_str(et_format_value(3.2 * 1024 * 1024, ET_UNIT_BYTES, buf), "3.2 MiB",
		"value: bytes in a suitable unit");
	is_str(et_format_value(12345678, ET_UNIT_TICKS, buf), "1.235e+07 ticks",
		"value: ticks with their unit");
	is_str(et_format_value_to(4999833120.7, 24000, ET_UNIT_NONE, buf), "4999833000",
		"value to a resolution: a large count is printed without an exponent");
	is_str(et_format_value_to(100.0342, 0.85, ET_UNIT_NONE, buf), "100.03",
		"value to a resolution: its second digit is the last one");
	is_str(et_format_value_to(100, 0.85, ET_UNIT_NONE, buf), "100.00",
		"value to a resolution: zeros that are known are printed");
	is_str(et_format_value_to(1.2345567, 4e-6, ET_UNIT_S, buf), "1.2345567 s",
		"value to a resolution: a time has the digits of its spread");
	is_str(et_format_value(NAN, ET_UNIT_BYTES, buf), ET_DASH,
		"value: unknown bytes are a dash");
	is_str(et_format_value_measured(4096, 12, ET_UNIT_BYTES, buf), "4.000 KiB ± 0.012 KiB",
		"value with its uncertainty: both in a unit of bytes");
	is_str(et_format_value_measured(1.5, NAN, ET_UNIT_NONE, buf), "1.5 ± " ET_DASH,
		"value without a unit: an unknown uncertainty is a dash");
	struct et_scale s = et_scale_of_value(4096, 12, ET_UNIT_BYTES);
	is_str(s.unit, "KiB", "scale of bytes: a suitable unit of bytes");
	is_str(et_scale_number(s, 4000.4, buf), "3.907",
		"scale of bytes: digits by the uncertainty");
	s = et_scale_of_value(0.0412, 0.0012, ET_UNIT_S);
	is_str(s.unit, "ms", "scale of seconds: a suitable unit of time");
}

/*
 * GUM 7.2.6: an uncertainty has at most two significant digits, and the estimate is rounded to the
 * same place. The oracle rounds in decimal with printf.
 */
static void one_unit_per_line(void)
{
	static const double means[] = { 0.9883e6, 12.3456e6, 412.34567e6, 1.234e9 };
	static const double shares[] = { 0.3, 0.0123, 0.00987, 0.0001234 };
	static const struct {
		enum et_time_unit unit;
		const char *name;
		double ns;
	} units[] = { { ET_TIME_UNIT_SECOND, "s", 1e9 }, { ET_TIME_UNIT_MILLISECOND, "ms", 1e6 },
		{ ET_TIME_UNIT_MICROSECOND, "µs", 1e3 }, { ET_TIME_UNIT_NANOSECOND, "ns", 1 } };
	char number[ET_FIGURE], want[ET_FIGURE];

	for (size_t i = 0; i < ET_LENGTH(means) * ET_LENGTH(shares) * ET_LENGTH(units); i++) {
		double mean = means[i % 4], u = mean * shares[i / 4 % 4], per = units[i / 16].ns;
		struct et_scale s = et_scale_forced(et_scale_of(1e9, NAN), units[i / 16].unit);
		s = et_scale_for(s, mean, u);
		snprintf(want, sizeof(want), "%.1e", u / per);
		int place = (int)strtol(strchr(want, 'e') + 1, NULL, 10) - 1;
		double step = pow(10, place > 0 ? place : 0);
		snprintf(want, sizeof(want), "%.*f", place < 0 ? -place : 0,
			rint(mean / per / step) * step);
		if (place < 0)
			snprintf(want, sizeof(want), "%.*f", -place, mean / per);
		is_str(et_scale_number(s, mean, number), want, "%g ns ± %g ns in %s", mean, u,
			units[i / 16].name);
		is_str(s.unit, units[i / 16].name, "the unit is the chosen one");
	}
	struct et_scale ms = et_scale_forced(et_scale_of(1e9, NAN), ET_TIME_UNIT_MILLISECOND);
	is_str(et_scale_plus_minus(et_scale_for(ms, 49.93e6, 4.44e6), 4.44e6, buf), "± 4.4",
		"an uncertainty without its unit");
	is_str(et_scale_plus_minus(ms, 1e-3, buf), "± 1", "a positive uncertainty is never 0");
	is_str(et_scale_plus_minus(ms, NAN, buf), "", "an unknown uncertainty is not printed");
}

int main(void)
{
	golden();
	one_unit_per_line();
	other_units();
	other_figures();
	property();
	return tap_done();
}
