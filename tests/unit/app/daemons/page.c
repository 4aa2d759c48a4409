/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a learning: pairs, their causes, the cluster's shape, and the SVG file. */
#include "app/daemons/daemons.h"
#include "base/base.h"
#include "draw/chart.h"
#include "tap.h"

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

/*
 * Samples of 100 ms and a little, numbered 1 to 12 without 5: sample 4 was hit by "cron <1>" for
 * 50 ms, samples 7 and 8 by a frequent daemon for 20 ms.
 */
static void fill(struct et_daemon_record *r, struct et_run_findings *f)
{
	struct et_daemon_run *run = &r->short_run;
	uint32_t cron = et_daemon_record_name(r, "cron <1>");
	uint32_t often = et_daemon_record_name(r, "often");

	for (uint32_t i = 1; i <= 12; i++) {
		if (i == 5)
			continue;
		struct et_daemon_sample *s = et_daemon_run_add(run, i, 0.1 * (i - 1));
		s->cpu_ms = 90;
		s->elapsed_ms = 100 + 0.01 * i + (i == 4 ? 50 : i == 7 || i == 8 ? 20 : 0);
		if (i == 4 || i == 7 || i == 8)
			et_daemon_run_execution(run, i == 4 ? cron : often, i == 4 ? 50 : 20);
	}
	run->samples = 12;
	run->sample_seconds = 0.1;
	run->whole = true;
	f->far = et_calloc(run->n_listed, sizeof(bool));
	f->removed = et_calloc(run->n_listed, sizeof(bool));
	f->long_running = et_calloc(run->n_executions, sizeof(bool));
	f->frequent = et_calloc(r->n_names, sizeof(bool));
	f->far[3] = f->removed[3] = f->long_running[0] = true;
	f->frequent[often] = true;
	f->n_far = 1;
}

static void check_pairs(const struct et_daemon_result *r)
{
	ET_CLEANUP(et_dual_free) struct et_dual d = { 0 };
	const struct et_daemon_side s = et_daemon_side(r, false);

	et_daemon_pairs(s, &d);
	/* (1, 2), (3, 4), (7, 8), (9, 10), (11, 12): sample 6 has no partner. */
	ok(d.n == 5, "pairs: samples 1 and 2, 3 and 4 and so on: %zu", d.n);
	if (d.n != 5)
		return;
	near(d.points[1].x_ns, 100.03e6, 1e-9, 0, "pairs: x is the elapsed time of the odd sample");
	near(d.points[1].y_ns, 150.04e6, 1e-9, 0, "pairs: y is that of the even sample");
	ok(d.points[1].kind == ET_DUAL_FAR && !strcmp(d.points[1].cause, "cron <1>"),
		"pairs: a pair on an arm has its longest daemon as the cause");
	is_str(d.points[1].title, "sample 3, 100.0 ms; sample 4, 150.0 ms: cron <1> 50.0 ms",
		"pairs: the tooltip of a pair on an arm");
	ok(d.points[2].kind == ET_DUAL_FREQUENT && !d.points[2].cause,
		"pairs: a frequent daemon moved a pair within the cluster");
	ok(d.points[0].kind == ET_DUAL_CENTRAL && !d.points[0].title,
		"pairs: the others have no cause");
}

static void check_shape(void)
{
	static const struct {
		struct et_cluster_shape s;
		const char *want;
	} cases[] = {
		{ { 384, 0.8, 0.4, 0.02, 0.7, true, true },
			"the central cluster of 384 pairs is symmetric: symmetric about its centre "
			"(p = 0.4), round about the diagonal (p = 0.7)" },
		{ { 200, 3.6, 0.0003, 0.02, 0.7, true, false },
			"the central cluster of 200 pairs is not symmetric: skewed to the right "
			"(p = 0.0003), round about the diagonal (p = 0.7)" },
		{ { 200, -1.3, 0.2, 0.51, 1e-9, true, false },
			"the central cluster of 200 pairs is not symmetric: symmetric about its "
			"centre (p = 0.2), stretched along the diagonal (correlation of the two "
			"times 0.51, p = 1e-09)" },
		{ { 9, -3.1, 0.002, NAN, NAN, true, false },
			"the central cluster of 9 pairs is not symmetric: skewed to the left "
			"(p = 0.002)" },
		{ { 7, NAN, NAN, NAN, NAN, false, false },
			"the symmetry of the central cluster is not known: 7 pairs are too few" },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		ET_AUTO_FREE char *text = et_cluster_shape_text(&cases[i].s);
		is_str(text, cases[i].want, "shape: %s", cases[i].want);
	}
	ok(!et_cluster_shape_text(&(struct et_cluster_shape){ 0 }),
		"shape: no line if it is not known");
}

static char *written(const struct et_daemon_result *r,
	void (*write)(const struct et_daemon_result *, const char *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(r, "a & b", out);
	fclose(out);
	return text;
}

/* The page is one without the papers' tables. */
static void check_files(const struct et_daemon_result *r)
{
	ET_AUTO_FREE char *svg = written(r, et_daemons_svg);
	ET_AUTO_FREE char *page = written(r, et_daemons_page);

	/* The samples in order, all pairs, the cluster: the first is as wide as the sheet. */
	ok(count(svg, "<svg xmlns=") == 1 + 3 && count(svg, "<style>") == 1 &&
			count(svg, "</svg>") == count(svg, "<svg "),
		"SVG: one file with three charts and one style sheet");
	ok(strstr(svg, "width=\"1260\" height=\"772\"") != NULL &&
			count(svg, "translate(0 48)") == 1 && count(svg, "translate(0 328)") == 1 &&
			count(svg, "translate(420 328)") == 1,
		"SVG: the charts are in rows below the heading");
	ok(strstr(svg, "<title>Daemons that spoil samples: a &#38; b</title>") &&
			count(svg, ">cron &#60;1&#62;</text>") == 3 && !strstr(svg, "cron <"),
		"SVG: names are escaped");
	ok(strstr(svg,
		   ">the central cluster of 4 pairs is symmetric: symmetric about its centre (p "
		   "= 0.9)</text>") &&
			strstr(page, "<p>The central cluster of 4 pairs is symmetric: "),
		"SVG and page: a line about the cluster's shape");
	ok(strstr(page, "<td class=\"n\">4</td>\n<td class=\"n\">150.040 ms</td>\n"
			"<td class=\"n\">90.0000 ms</td>") != NULL,
		"page: an L-sample has its elapsed time and its CPU time");
}

/* The papers' tables: VIII of the cluster, IX of the L-sample, XVII of what was removed. */
static void check_tables(const struct et_daemon_result *r)
{
	struct et_daemon_result t = *r;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	t.wanted = ET_DAEMON_TABLES_ALL;
	et_daemons_page(&t, "x", out);
	fclose(out);
	/* There is no long run: VII to XI and XVI to XIX. */
	ok(count(text, "<h3>Table ") == 9 &&
			strstr(text, "<h3>Table VIII: daemons in the central") &&
			!strstr(text, "Table XII:"),
		"tables: the page has those of the runs that there are: %zu",
		count(text, "<h3>Table "));
	const char *nine = strstr(text, "<h3>Table IX:");
	ok(nine && strstr(nine, "<td class=\"n\">4</td>\n<td>cron &#60;1&#62; 50</td>") &&
			!strstr(text, "cron <"),
		"tables: the daemons of an L-sample are one escaped row");
	ok(count(text, "</table>") == count(text, "<table>") && strstr(text, ">none</p>"),
		"tables: an empty table gives the reason");
	free(text);
}

/* Charts of 400 × 300 on a sheet of 1000: two in a row. */
/* A learning of three hours ago: a daemon that was seen twice, and one that was seen five times. */
static void check_learned(void)
{
	struct et_cutoff list[] = { { .daemon = "twice", .period_s = 3600, .sightings = 2 },
		{ .daemon = "often", .period_s = 60, .sightings = 5 } };
	struct et_cutoffs c = { .list = list, .n = 2, .learned_wall_ns = 1 };
	struct et_warnings none = { 0 };
	char *text = NULL, ago[ET_FIGURE];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	et_cutoffs_page(&c, 3 * 3600 * 1000000000ull + 1, &none, out);
	fclose(out);
	ok(count(text, "(?)</td>") == 1 && count(text, "(?): it was seen only twice.") == 1,
		"page: a period that only two visits speak for is marked");
	ok(strstr(text, ", 3 h ago, ") != NULL, "page: the age of the learning");
	free(text);
	is_str(et_format_ago(0.0409, ago), "less than a minute ago", "age: no milliseconds");
}

static void check_sheet(void)
{
	struct et_svg_sheet *s = et_svg_sheet_new(1000);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 3; i++)
		et_chart_put(&(struct et_chart){ .title = "<t>", .width = 400, .height = 300 },
			&(struct et_chart_to){ .sheet = s });
	et_svg_sheet_text(s, false, "a < b");
	et_svg_sheet_write(s, "x & y", out);
	fclose(out);
	ok(strstr(text, "translate(0 0)") && strstr(text, "translate(400 0)") &&
			strstr(text, "translate(0 300)") && strstr(text, "height=\"624\""),
		"sheet: charts are side by side as far as there is room");
	ok(strstr(text, ">a &#60; b</text>") && strstr(text, "<title>x &#38; y</title>"),
		"sheet: text is escaped");
	free(text);
}

int main(void)
{
	struct et_daemon_record r = { 0 };
	struct et_daemon_findings f = { .short_run.shape = { 4, 0.1, 0.9, NAN, NAN, true, true } };

	const struct et_daemon_result result = { .record = &r, .findings = &f };

	fill(&r, &f.short_run);
	check_pairs(&result);
	check_files(&result);
	check_shape();
	check_tables(&result);
	check_learned();
	check_sheet();
	et_daemon_findings_free(&f);
	et_daemon_record_free(&r);
	return tap_done();
}
