/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Charts: XML that another parser accepts, coordinates computed by hand, hostile names. */
#include "draw/chart.h"
#include "draw/xml.h"
#include "tap.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>

/* Draws the chart as a file of its own, and frees it. */
static char *draw(struct et_chart *c)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	et_chart_put(c, &(struct et_chart_to){ .file = out });
	fclose(out);
	return text;
}

/* Adds a curve of n values; end and titles may be NULL. */
static struct et_curve *add(struct et_chart *c, enum et_svg_shape shape, const double *x,
	const double *end, const double *y, size_t n)
{
	struct et_curve *k = et_chart_curve(c, shape, ET_SVG_BLUE, NULL);

	for (size_t i = 0; i < n; i++)
		et_curve_add_dot(
			k, (struct et_dot){ .x = x[i], .y = y[i], .end = end ? end[i] : 0 });
	return k;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

/* Evaluates an expression on a document parsed by Python (expat); 0 if true, -1 without Python. */
static int ask_python(const char *document, const char *expression)
{
	char path[] = "/tmp/etalon-svg-XXXXXX", command[1024];
	static int there = -1;

	if (there < 0)
		there = system("python3 -c 'import xml.etree' 2>/dev/null") == 0;
	int fd = there ? mkstemp(path) : -1;
	if (fd < 0)
		return -1;
	FILE *f = fdopen(fd, "w");
	fputs(document, f);
	fclose(f);
	snprintf(command, sizeof(command),
		"python3 -c 'import sys, xml.etree.ElementTree as E\n"
		"r = E.parse(sys.argv[1]).getroot(); S = \"{http://www.w3.org/2000/svg}\"\n"
		"t = [x.text for x in r.iter(S + \"text\")]\n"
		"sys.exit(0 if (%s) else 3)' %s",
		expression, path);
	int rc = system(command);
	remove(path);
	return rc;
}

static void parsed(const char *document, const char *expression, const char *name)
{
	int rc = ask_python(document, expression);

	if (rc < 0)
		skip("no python3");
	else if (!ok(rc == 0, "%s", name))
		printf("# %s\n", expression);
}

/* The corners of the frame as drawn, which are the ends of the axes. */
static void frame(const char *svg, double *left, double *top, double *right, double *bottom)
{
	const char *ax = strstr(svg, "class=\"ax\"");

	if (!ax || sscanf(ax, "class=\"ax\" d=\"M%lf %lfV%lfH%lf", left, top, bottom, right) != 4)
		*left = *top = *right = *bottom = NAN;
}

static void check_linear(void)
{
	const double x[] = { 0, 2.5, 10, NAN, 5, 11 }, y[] = { 0, 50, 100, 5, INFINITY, 5 };
	struct et_chart c = { .title = "points",
		.x = { .hi = 10 },
		.y = { .hi = 100, .unit = ET_AXIS_NS, .label = "time" },
		.width = 640,
		.height = 300 };
	double l, t, r, b;

	add(&c, ET_SVG_POINTS, x, NULL, y, 6)->name = "some";
	char *svg = draw(&c), want[80];

	frame(svg, &l, &t, &r, &b);
	ok(l > 0 && t > 0 && r > l && r < 640 && b > t && b < 300,
		"linear: the axes are inside of the chart");
	snprintf(want, sizeof(want), "M%.10g %.10gh0", l, b);
	ok(strstr(svg, want) != NULL, "linear: (0, 0) is in the lower left corner: %s", want);
	snprintf(want, sizeof(want), "M%.10g %.10gh0", round(100 * (l + 0.25 * (r - l))) / 100,
		round(100 * (t + 0.5 * (b - t))) / 100);
	ok(strstr(svg, want) != NULL, "linear: (2.5, 50) is at a quarter of x and half of y: %s",
		want);
	snprintf(want, sizeof(want), "M%.10g %.10gh0", r, t);
	ok(strstr(svg, want) != NULL, "linear: (10, 100) is in the upper right corner: %s", want);
	/* The fourth is the mark in the legend. */
	ok(count(svg, "h0") == 4, "linear: values that are not finite or outside are omitted");
	ok(!strstr(svg, "nan") && !strstr(svg, "inf"), "linear: the chart contains no NaN");
	parsed(svg, "t[2:8] == [\"0\", \"2\", \"4\", \"6\", \"8\", \"10\"] and \"time (ns)\" in t",
		"linear: ticks are at round numbers, the unit is in the label");
	parsed(svg, "r.get(\"role\") == \"img\" and r.find(S + \"title\").text == \"points\"",
		"linear: the chart is an image with a title");
	free(svg);
}

static void check_log(void)
{
	const double x[] = { 1e3, 1e6, 0, -5 }, y[] = { 0.001, 10, 1, 1 };
	struct et_chart c = { .title = "log",
		.x = { .lo = 1e3, .hi = 1e9, .unit = ET_AXIS_NS, .log = true },
		.y = { .lo = 1e-3, .hi = 10, .unit = ET_AXIS_SHARE, .log = true },
		.marks = { { 0.1, "a limit", true } },
		.n_marks = 1 };
	double l, t, r, b;

	add(&c, ET_SVG_CURVE, x, NULL, y, 4)->color = ET_SVG_RED;
	char *svg = draw(&c), want[80];

	frame(svg, &l, &t, &r, &b);
	snprintf(want, sizeof(want), "M%.10g %.10gL%.10g %.10g\"/>", l, b,
		round(100 * (l + 0.5 * (r - l))) / 100, t);
	ok(strstr(svg, want) != NULL, "log: three of six decades are half of x: %s", want);
	snprintf(want, sizeof(want), "<path class=\"mk\" d=\"M%.10g %.10gH%.10g\"", l, (t + b) / 2,
		r);
	ok(strstr(svg, want) != NULL, "log: two of four decades are half of y: %s", want);
	parsed(svg,
		"all(x in t for x in (\"1 µs\", \"1 ms\", \"1 s\", \"0.1 %\", \"1000 %\", \"a "
		"limit\"))",
		"log: ticks at decades have their units");
	free(svg);
}

static void check_tracks(void)
{
	const char *const tracks[] = { "first", "second" };
	const double from[] = { -5, 50, 99.99 }, to[] = { 25, 75, 99.991 }, y[] = { 0, 1, 1 };
	struct et_chart c = {
		.title = "tracks", .x = { .hi = 100 }, .y = { .tracks = tracks, .n_tracks = 2 }
	};
	struct et_curve *busy = add(&c, ET_SVG_SEGMENTS, from, to, y, 3);
	double l, t, r, b, wide, thick;

	busy->name = "busy";
	busy->dots[1].title = "cron & <co>";
	char *svg = draw(&c), want[120];

	frame(svg, &l, &t, &r, &b);
	wide = round(25 * (r - l)) / 100;
	thick = fmin(20, 0.3 * (b - t));
	snprintf(want, sizeof(want), "M%.10g %.10gh%.10gv%.10gh-%.10gz", l,
		round(100 * (t + (b - t) / 4 - thick / 2)) / 100, wide, thick, wide);
	ok(strstr(svg, want) != NULL,
		"tracks: a segment is clipped at the edge and centred in its track: %s", want);
	ok(count(svg, "h1v") == 1, "tracks: a short segment is one pixel wide");
	ok(strstr(svg, "<title>cron &#38; &#60;co&#62;</title></path>") != NULL,
		"tracks: a segment has a tooltip");
	parsed(svg, "t.index(\"first\") < t.index(\"second\")", "tracks: names are in order");
	free(svg);
}

static void check_bars(void)
{
	const double from[] = { 0, 1 }, to[] = { 1, 2 }, y[] = { 4, 2 };
	const double sx[] = { 0, 1, NAN, 2 }, sy[] = { 1, 3, 0, 2 };
	struct et_chart c = { .title = "bars", .x = { .hi = 2 }, .y = { .hi = 4 } };
	double l, t, r, b;

	add(&c, ET_SVG_BARS, from, to, y, 2);
	add(&c, ET_SVG_STEPS, sx, NULL, sy, 4)->color = ET_SVG_GREEN;
	char *svg = draw(&c), want[120];

	frame(svg, &l, &t, &r, &b);
	snprintf(want, sizeof(want), "M%.10g %.10gH%.10gV%.10gH%.10gz", l, t, (l + r) / 2, b, l);
	ok(strstr(svg, want) != NULL, "bars: a bar begins at 0: %s", want);
	snprintf(want, sizeof(want), "M%.10g %.10gH%.10gV%.10gM%.10g %.10g\"", l, b - (b - t) / 4,
		(l + r) / 2, b - 3 * (b - t) / 4, r, (t + b) / 2);
	ok(strstr(svg, want) != NULL, "steps: NaN makes a gap: %s", want);
	free(svg);
}

/* Whether the style sheet has a selector for this class. */
static bool styled(const char *class, size_t len)
{
	for (const char *p = ET_SVG_STYLE; (p = strchr(p, '.')); p++) {
		if (!strncmp(p + 1, class, len) && !isalnum((unsigned char)p[1 + len]))
			return true;
	}
	return false;
}

static void check_style(void)
{
	enum { SHAPES = ET_SVG_TICKS + 1, N = SHAPES + ET_SVG_COLORS };
	static const char attribute[] = " class=\"";
	const double x[] = { 1, 2 }, x_end[] = { 2, 3 }, y[] = { 1, 2 };
	struct et_chart c = { .title = "all", .marks = { { 1, "a limit" } }, .n_marks = 1 };

	for (unsigned i = 0; i < N; i++)
		add(&c, i < SHAPES ? i : ET_SVG_POINTS, x, x_end, y, 2)->color =
			i < SHAPES ? ET_SVG_BLUE : i - SHAPES;
	char *svg = draw(&c);
	for (const char *p = svg; (p = strstr(p, attribute));) {
		const char *end = strchr(p += strlen(attribute), '"');
		for (size_t len; p < end; p += len + (p[len] == ' ')) {
			len = strcspn(p, " \"");
			if (!styled(p, len))
				ok(false, "the style sheet has a rule for class %.*s", (int)len, p);
		}
	}
	ok(count(svg, attribute) > N, "the style sheet has a rule for every class of a chart");
	free(svg);
}

static void check_hostile(void)
{
	static const char evil[] = "</text><script>alert('1')</script>\" onload=\"x\x01\x1b[31m\xff"
				   "\xef\xbf\xbf&amp;\n";
	const char *const tracks[] = { evil };
	const double x[] = { 1 }, y[] = { 0 };
	struct et_chart c = { .title = evil,
		.description = evil,
		.x = { .label = evil },
		.y = { .label = evil, .tracks = tracks, .n_tracks = 1 },
		.marks = { { .at = 1, .label = evil } },
		.n_marks = 1 };
	struct et_curve *k = add(&c, ET_SVG_POINTS, x, NULL, y, 1);

	k->name = k->dots[0].title = evil;
	char *svg = draw(&c);

	ok(!strstr(svg, "<script") && !strstr(svg, "\x1b") && !strstr(svg, "\" onload"),
		"hostile names: no markup or escape sequence is left");
	parsed(svg,
		"not list(r.iter(S + \"script\")) and r.find(S + \"title\").text.startswith("
		"\"</text><script>alert(\") and \"\\ufffd\\ufffd&amp;\\u240a\" in r.find(S + "
		"\"desc\").text",
		"hostile names: the text is readable");
	free(svg);
}

static void check_empty(void)
{
	const double bad[] = { NAN, INFINITY, -INFINITY }, same[] = { 7, 7, 7 };
	const double huge[] = { -1e308, 0, 1e308 };
	struct et_chart c = { .title = "" };

	add(&c, ET_SVG_POINTS, bad, NULL, bad, 3);
	char *svg = draw(&c);

	parsed(svg, "\"0.0\" in t and \"1.0\" in t and \"nan\" not in str(t)",
		"a chart without finite values has axes from 0 to 1");
	free(svg);
	c = (struct et_chart){ .title = "", .x = { .log = true } };
	add(&c, ET_SVG_POINTS, same, NULL, same, 3);
	svg = draw(&c);
	parsed(svg, "len(t) > 4 and \"nan\" not in str(t)",
		"a single value has log and linear axes");
	free(svg);
	c = (struct et_chart){ .title = "" };
	add(&c, ET_SVG_POINTS, huge, NULL, huge, 3);
	svg = draw(&c);
	parsed(svg, "len(t) > 4 and \"nan\" not in str(t) and \"inf\" not in str(t)",
		"huge values have axes");
	free(svg);
}

static void check_many(void)
{
	enum { N = 300000 };
	double *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y));
	struct et_chart c = { .title = "many" };

	for (int i = 0; i < N; i++) {
		x[i] = i;
		y[i] = i == 150000 ? 1000 : i % 1009 * 7919 % 1009 / 10.0;
	}
	add(&c, ET_SVG_POINTS, x, NULL, y, N);
	add(&c, ET_SVG_LINE, x, NULL, y, N);
	char *svg = draw(&c);
	double l, t, r, b;
	frame(svg, &l, &t, &r, &b);
	ok(strlen(svg) < 400000, "many values: the file is small, %zu bytes", strlen(svg));
	ok(strstr(svg, "600000 values, thinned to the ") != NULL,
		"many values: a note reports the thinning");
	/* The spike is at 24/26 of the height, the room at each end being 1/25 of the range. */
	char want[40];
	snprintf(want, sizeof(want), " %.10gL", round(100 * (t + (b - t) / 26)) / 100);
	ok(strstr(svg, want) != NULL, "many values: a single spike is drawn: %s", want);
	free(svg);
	c = (struct et_chart){ .title = "many" };
	add(&c, ET_SVG_POINTS, x, NULL, y, ET_SVG_MOST);
	add(&c, ET_SVG_LINE, x, NULL, y, ET_SVG_MOST);
	svg = draw(&c);
	ok(!strstr(svg, "thinned") && count(svg, "h0") == ET_SVG_MOST,
		"ET_SVG_MOST values are not thinned");
	free(svg);
	free(x);
	free(y);
}

static void check_bare(void)
{
	const double x[] = { 0, 1 }, y[] = { 0, 1 };
	struct et_chart c = {
		.title = "a cell", .x.hi = 1, .y.hi = 1, .width = 112, .height = 26, .bare = true
	};

	add(&c, ET_SVG_LINE, x, NULL, y, 2)->name = "some";
	char *svg = draw(&c);
	ok(strstr(svg, "\"M6 23L106 3\"") != NULL, "bare: the curve takes the whole chart");
	parsed(svg, "r.find(S + \"title\").text == \"a cell\" and not t",
		"bare: there is neither legend nor axis");
	free(svg);
}

static void check_numbers(void)
{
	static const struct {
		double x;
		const char *want;
	} cases[] = { { 0, "0" }, { 1.5, "1.5" }, { -0.001, "0" }, { 12.345, "12.35" },
		{ -3.1, "-3.1" }, { 7.04, "7.04" }, { NAN, "0" }, { INFINITY, "0" },
		{ 1e300, "1000000" } };

	/* A decimal comma would be invalid. Without this locale only C is tested. */
	setlocale(LC_ALL, "de_DE.UTF-8");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buf[40] = "";
		FILE *out = fmemopen(buf, sizeof(buf), "w");
		et_xml_number(out, cases[i].x);
		fclose(out);
		is_str(buf, cases[i].want, "coordinate %g", cases[i].x);
	}
	setlocale(LC_ALL, "C");
}

static void ticks_are(double lo, double hi, bool log, enum et_axis_unit unit, const char *want)
{
	struct et_axis axis = { .lo = lo, .hi = hi, .log = log, .unit = unit };
	struct et_ticks t;
	char got[600] = "";

	axis = et_axis_fit(&axis, NAN, NAN);
	et_axis_ticks(&axis, 6, &t);
	for (size_t i = 0; i < t.n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " | " : "",
			t.text[i]);
	if (t.unit)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " %s", t.unit);
	if (t.above[0])
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " above %s", t.above);
	is_str(got, want, "ticks of a %s axis from %g to %g", log ? "log" : "linear", lo, hi);
}

/* No two ticks have the same text, and there are two at least, for all ends. */
static void check_distinct(void)
{
	static const double shares[] = { 1e-9, 1e-7, 1.03e-5, 1e-4, 0.013, 0.4, 3 };
	size_t equal = 0, few = 0, wide = 0, unlike = 0, n = 0;

	for (double lo = 1e-3; lo < 1e14; lo *= 2.9) {
		for (size_t i = 0; i < 3 * ET_LENGTH(shares); i++) {
			double hi = lo * (1 + shares[i / 3]);
			struct et_axis a = {
				.lo = lo, .hi = hi, .unit = (enum et_axis_unit)(i % 3)
			};
			struct et_ticks t;
			et_axis_ticks(&a, 6, &t);
			for (size_t k = 1; k < t.n; k++) {
				equal += !strcmp(t.text[k], t.text[k - 1]);
				/* No clock resolves a hundredth of a nanosecond. */
				wide += a.unit == ET_AXIS_NS && hi - lo > 0.01 &&
					strlen(t.text[k]) > 7;
			}
			few += t.n < 2;
			struct et_ticks dense;
			et_axis_ticks(&a, 12, &dense);
			unlike += strcmp(t.above, dense.above) != 0;
			n++;
		}
	}
	ok(n > 500 && !equal && !few && !wide,
		"ticks of %zu axes: %zu texts are equal, %zu axes have fewer than two, %zu times "
		"are long",
		n, equal, few, wide);
	ok(!unlike, "ticks: %zu axes show times in another way if they have more ticks", unlike);
}

static void check_ticks(void)
{
	ticks_are(0, 1, false, ET_AXIS_NUMBER, "0.0 | 0.2 | 0.4 | 0.6 | 0.8 | 1.0");
	ticks_are(-0.03, 0.03, false, ET_AXIS_SHARE, "-3 | -2 | -1 | 0 | 1 | 2 | 3 %");
	ticks_are(99.6e6, 101.3e6, false, ET_AXIS_NS, "100.0 | 100.5 | 101.0 ms");
	ticks_are(8000100000, 8000600000, false, ET_AXIS_NS,
		"8.0001 | 8.0002 | 8.0003 | 8.0004 | 8.0005 | 8.0006 s");
	/* As many digits as there is room for; more are a round value and the distance from it. */
	ticks_are(128.244e9, 128.257e9, false, ET_AXIS_NS, "128.245 | 128.250 | 128.255 s");
	ticks_are(128.2440e9, 128.2453e9, false, ET_AXIS_NS, "4.0 | 4.5 | 5.0 ms above 128.24 s");
	ticks_are(16415.757e9, 16415.964e9, false, ET_AXIS_NS,
		"800 | 850 | 900 | 950 ms above 16415 s");
	ticks_are(12345678, 12345683, false, ET_AXIS_NUMBER,
		"12345678 | 12345679 | 12345680 | 12345681 | 12345682 | 12345683");
	ticks_are(1, 1e9, true, ET_AXIS_NS, "1 ns | 100 ns | 10 µs | 1 ms | 100 ms");
	ticks_are(1, 100, true, ET_AXIS_NUMBER, "1 | 2 | 5 | 10 | 20 | 50 | 100");
	ticks_are(2, 5, true, ET_AXIS_NUMBER, "2 | 5");
	ticks_are(3, 4, true, ET_AXIS_NUMBER, "3.0 | 3.2 | 3.4 | 3.6 | 3.8 | 4.0");
	/* These ends cannot be used. */
	ticks_are(-1, 10, true, ET_AXIS_NUMBER, "1 | 2 | 5 | 10");
	ticks_are(5, 5, false, ET_AXIS_NUMBER, "0.0 | 0.2 | 0.4 | 0.6 | 0.8 | 1.0");
}

int main(void)
{
	check_linear();
	check_log();
	check_tracks();
	check_bars();
	check_style();
	check_hostile();
	check_empty();
	check_many();
	check_bare();
	check_numbers();
	check_ticks();
	check_distinct();
	return tap_done();
}
