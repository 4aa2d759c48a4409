/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The histogram: heights of bars, width, and series of few or unknown values. */
#include "base/base.h"
#include "base/utf8.h"
#include "draw/terminal.h"
#include "report/charts.h"
#include "tap.h"

#include <locale.h>

static char *drawn(const double *values, size_t n, const struct et_estimate *e, int width)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	et_histogram(values, n, e, ET_UNIT_NS, 2, width, f);
	fclose(f);
	return text;
}

static void pictures(void)
{
	static const double values[] = { 1e6, 2e6, 2.1e6, 2.2e6, 2.3e6, 3e6, 3.1e6, 4e6 };
	struct et_estimate e = { .n = 8, .q1 = 2e6, .q3 = 3e6, .median = 2.25e6, .mean = 2.4625e6 };
	ET_AUTO_FREE char *text = drawn(values, 8, &e, 60);

	is_str(text,
		"        ██████\n"
		"        ████████████\n"
		"        ████████████\n"
		"  ██████████████████\n"
		"  ───────▲△─────────\n"
		"  1.000 ms  4.000 ms  ▲ median △ mean\n",
		"bins are 2 IQR / n^(1/3) = 1 ms wide");
}

static void poor_series(void)
{
	static const double constant[] = { 5, 5, 5, 5 };
	static const double unknown[] = { NAN, INFINITY, (double)ET_UNKNOWN, 7 };
	struct et_estimate e = { .n = 4, .q1 = 5, .q3 = 5, .median = 5, .mean = 5 };
	struct et_estimate nothing = { .q1 = NAN, .q3 = NAN, .median = NAN, .mean = NAN };
	ET_AUTO_FREE char *same = drawn(constant, 4, &e, 40);
	ET_AUTO_FREE char *none = drawn(constant, 0, &e, 40);
	ET_AUTO_FREE char *one = drawn(constant, 1, &e, 40);
	ET_AUTO_FREE char *lost = drawn(unknown, 4, &nothing, 40);
	ET_AUTO_FREE char *bare = drawn(constant, 4, &nothing, 40);

	ok(strstr(same, "██████\n") && strstr(same, "◆"), "a constant series is one bar");
	is_str(none, "", "an empty series draws nothing");
	is_str(one, "", "a single value draws nothing");
	is_str(lost, "", "unknown values are omitted");
	ok(strstr(bare, "██"), "a histogram without quartiles, mean and median is drawn");
}

static void widths(void)
{
	enum { N = 500 };
	double values[N];
	struct et_estimate e = { .n = N, .q1 = 100, .q3 = 101, .median = 100.5, .mean = 120 };
	int bad = 0;

	for (int i = 0; i < N; i++)
		values[i] = 99 + i % 4 + (i % 100 == 0 ? 1e9 : 0);
	for (int width = 1; width <= 200; width++) {
		ET_AUTO_FREE char *text = drawn(values, N, &e, width);
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
			ET_AUTO_FREE char *copy = et_strndup(line, strcspn(line, "\n"));
			bad += et_columns(copy) > width + 2 && width >= 22;
		}
	}
	ok(!bad, "far outliers do not make the histogram wider than its width");
}

/* Bins that do not respect the step of the values would show gaps, or bars twice as high. */
static void steps(void)
{
	double values[210];
	struct et_estimate e = { .n = 210, .q1 = 2, .q3 = 6, .median = 4, .mean = 4 };

	for (int i = 0; i < 210; i++)
		values[i] = 1 + i % 7;
	ET_AUTO_FREE char *text = drawn(values, 210, &e, 70);
	is_str(text,
		"  ██████████████████████████████████████████\n"
		"  ██████████████████████████████████████████\n"
		"  ██████████████████████████████████████████\n"
		"  ██████████████████████████████████████████\n"
		"  ─────────────────────◆────────────────────\n"
		"  1.000 ns                          7.000 ns  ▲ median △ mean\n",
		"seven integers that are equally frequent have seven equal bins");
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	pictures();
	poor_series();
	widths();
	steps();
	return tap_done();
}
