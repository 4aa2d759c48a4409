/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables and pictures of the versions of EMP from invented figures. */
#include "app/lab/versions.h"
#include "base/base.h"
#include "tap.h"
#include "unit/report/fixture.h"

#include <jansson.h>
#include <locale.h>

enum { TASKS = 3 };

static struct et_precision precision(size_t n, double mean, double sd)
{
	return (struct et_precision){ n, mean, sd, sd / mean, mean - 2 * sd, mean + 3 * sd, 0, 3 };
}

/* Intervals from four fifths to one and a half times the figure. */
static struct et_version_limits limits(const struct et_precision *p)
{
	return (struct et_version_limits){ 0.8 * p->sd, 1.5 * p->sd, 0.8 * p->relative_error,
		1.5 * p->relative_error };
}

/* The sd of version i is that of the first divided by i + 1; elapsed times vary ten times more. */
static struct et_versions make(void)
{
	static const double seconds[TASKS] = { 1, 2, 16384 };
	struct et_versions v = { .tasks = et_calloc(TASKS, sizeof(*v.tasks)), .n = TASKS };

	for (int t = 0; t < TASKS; t++) {
		struct et_version_task *task = &v.tasks[t];
		task->name = et_asprintf("INC%g", seconds[t]);
		task->seconds = seconds[t];
		for (int i = 0; i <= ET_OURS; i++) {
			double mean = 1.001e9 * seconds[t], sd = 4e6 * sqrt(seconds[t]) / (i + 1);
			task->list[i].runs = i == ET_EMP_V6 ? 10 : 40;
			task->list[i].by[ET_METRIC_CPU] = precision(40, mean, sd);
			task->list[i].by[ET_METRIC_ELAPSED] = precision(40, 1.01 * mean, 10 * sd);
			for (int m = 0; m < ET_METRICS; m++)
				task->list[i].limits[m] = limits(&task->list[i].by[m]);
		}
		task->list[ET_EMP_V3] = (struct et_version_figures){ 0 };
		task->list[ET_EMP_V5].out[ET_METRIC_CPU].first = 15;
		task->list[ET_EMP_V5].out[ET_METRIC_CPU].second = 1;
		task->list[ET_OURS].out[ET_METRIC_CPU].other = 3;
	}
	for (int i = 0; i < ET_VERSIONS; i++)
		v.rules[i] = et_asprintf("rule %d", i);
	v.why_not[ET_EMP_V3] = et_strdup("turbo: no control");
	return v;
}

static char *text;
static size_t size;

static void print(const struct et_versions *v, int width)
{
	struct et_page page = { .width = width };

	free(text);
	page.out = open_memstream(&text, &size);
	et_lab_emp_versions.text(&(struct et_versions_view){ v, NULL, 0 }, &page);
	fclose(page.out);
}

/* The text from the line after the heading that begins with the word; NULL: there is none. */
static const char *text_from(const char *heading, const char *word)
{
	const char *at = strstr(text, heading);

	while (at && strncmp(at, word, strlen(word))) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at;
}

/* That line. */
static const char *line_after(const char *heading, const char *word)
{
	static char line[256];
	const char *at = text_from(heading, word);

	snprintf(line, sizeof(line), "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
	return line;
}

static void test_text(void)
{
	struct et_versions v = make();

	print(&v, 80);
	is_str(line_after("INC1, CPU time", "version"),
		"version      runs        out        min        max       mean",
		"text: the columns of the papers' tables");
	is_str(line_after("INC1, CPU time", "v1"),
		"v1             40          0   0.9930 s   1.0130 s   1.0010 s",
		"text: the row of a version");
	is_str(line_after("INC1, CPU time", "version           sd"),
		"version           sd       95 % interval     rel.       95 % interval",
		"text: sd and relative error have intervals");
	is_str(line_after(text_from("INC1, CPU time", "version           sd"), "v1"),
		"v1           4.00 ms  3.20 ms to 6.00 ms   0.40 %    0.32 % to 0.60 %",
		"text: the intervals of a version");
	is_str(line_after("INC1, elapsed time", "v1"),
		"v1             40    0   0.931 s   1.131 s   1.011 s",
		"text: elapsed times have their own table");
	is_str(line_after("INC1, CPU time", "v3"),
		"v3              –                     –          –          –",
		"text: a version that is not there has dashes");
	ok(strstr(line_after("INC1, CPU time", "v5"), "  16 (15+1)  "),
		"text: outliers are shown as I + II");
	ok(strstr(line_after("INC1, CPU time", "ours"), " 3 "),
		"text: runs that other rules removed are counted");
	ok(strstr(text, "rule 2; left empty: turbo: no control"), "text: the reason is printed");
	ok(!strstr(text, "ours, paced"), "text: paced runs are not listed if there are none");
	ok(strstr(text, "(a) standard deviation of elapsed time") &&
			strstr(text, "(d) relative error of CPU time"),
		"text: there are the four pictures");
	const char *b = strstr(text, "(b) standard deviation of CPU time");
	ok(b && strstr(b, "\n      1 s │") && strstr(b, "\n   100 µs │"),
		"text: sds from 0.4 to 512 ms are drawn between whole decades");
	ok(!strstr(text, "nan") && !strstr(text, "inf"), "text: NaN is not printed");
	size_t widest = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		widest = (size_t)et_columns(line) > widest ? (size_t)et_columns(line) : widest;
	ok(widest <= 80, "text: no line is longer than 80 columns (%zu)", widest);
	v.n = 1;
	print(&v, 80);
	ok(!strstr(text, "(a)"), "text: one length is not plotted");
	v.n = TASKS;
	et_versions_free(&v);
}

/* Adds a comparison of two versions by CPU time. */
static void add_pair(
	struct et_versions *v, enum et_version a, enum et_version b, double ratio, double p)
{
	v->pairs[ET_METRIC_CPU][v->n_pairs[ET_METRIC_CPU]++] =
		(struct et_version_pair){ a, b, ratio, p / 2, p };
}

/* Whether the text begins with these words, however its lines are broken. */
static bool begins(const char *words)
{
	size_t i = 0;

	for (; words[i] && (text[i] == words[i] || (text[i] == '\n' && words[i] == ' ')); i++)
		;
	return !words[i];
}

/* The sd of version i is a constant over i + 1, and no version is as good as the last. */
static void test_answer(void)
{
	struct et_versions v = make();
	double mean = 0, as_is = 0;

	for (int t = 0; t < TASKS; t++) {
		mean += v.tasks[t].list[ET_OURS].by[ET_METRIC_CPU].relative_error / TASKS;
		as_is += v.tasks[t].list[ET_AS_IS].by[ET_METRIC_ELAPSED].relative_error / TASKS;
	}
	struct et_best_version best = et_versions_best(&v, ET_METRIC_CPU);
	ok(best.version == ET_OURS && best.lengths == TASKS, "answer: the version, the lengths");
	near(best.own.relative_error, mean, 1e-12, 0, "answer: the mean over the lengths");
	near(et_versions_best(&v, ET_METRIC_ELAPSED).as_is.relative_error, as_is, 1e-12, 0,
		"answer: the same of elapsed time as is");
	v.average[ET_METRIC_CPU][ET_OURS].lo = 0.0002;
	v.average[ET_METRIC_CPU][ET_OURS].hi = 0.0004;
	print(&v, 80);
	ok(begins("CPU time: none is shown to be better. Smallest relative error: ours with "
		  "0.025 % (0.020 % to 0.040 %) on average over 1 s to 16384 s; as is: 0.033 %\n\n"
		  "Elapsed time: none is shown to be better. Smallest relative error: ours with "
		  "0.25 % on average over 1 s to 16384 s; as is: 0.32 %\n\n"),
		"answer: each time is compared with itself: %.60s", text);

	add_pair(&v, ET_EMP_V1, ET_OURS, 9, 0.01);
	add_pair(&v, ET_EMP_V2, ET_OURS, 1.1, 0.2);
	add_pair(&v, ET_AS_IS, ET_OURS, 4, 0.04);
	print(&v, 80);
	ok(begins("CPU time: ours is shown to be better than v1 and as is, but not than v2. "
		  "Smallest"),
		"answer: the versions that are shown to be worse: %.60s", text);
	v.pairs[ET_METRIC_CPU][1].p_holm = 0.05;
	print(&v, 80);
	ok(begins("CPU time: ours is shown to be better than every other. Smallest"),
		"answer: one that is better than all: %.60s", text);
	v.pairs[ET_METRIC_CPU][1].ratio = 0.9;
	best = et_versions_best(&v, ET_METRIC_CPU);
	ok(best.compared == 3 && best.beaten == 2 && !best.is_beaten[ET_EMP_V2],
		"answer: a difference in the other direction does not count");
	v.n_pairs[ET_METRIC_CPU] = 0;
	v.same_as[ET_OURS].known = true;
	ok(et_versions_best(&v, ET_METRIC_CPU).version == ET_AS_IS_BOTH,
		"answer: a version with the environment of another is not named");
	v.same_as[ET_OURS].known = false;

	/* Only v5 has the last length, and ours lacks the second: both do not count. */
	for (int i = 0; i < ET_VERSIONS; i++) {
		if (i != ET_EMP_V5)
			v.tasks[2].list[i].runs = 0;
	}
	v.tasks[1].list[ET_OURS].runs = 0;
	print(&v, 80);
	ok(begins("CPU time: none is shown to be better. Smallest relative error: ours with "
		  "0.044 % (0.020 % to 0.040 %) at 1 s; as is"),
		"answer: the lengths that most versions have: %.60s", text);
	v.tasks[0].list[ET_OURS].runs = 0;
	best = et_versions_best(&v, ET_METRIC_CPU);
	ok(best.version == ET_AS_IS_BOTH && best.lengths == 2 && best.shortest == 1 &&
			best.longest == 2,
		"answer: a version without figures does not take part");
	v.tasks[0].list[ET_EMP_V2].by[ET_METRIC_CPU].relative_error = 0;
	v.tasks[1].list[ET_EMP_V2].by[ET_METRIC_CPU].relative_error = 0;
	v.tasks[0].list[ET_AS_IS_BOTH].by[ET_METRIC_CPU].relative_error = 0;
	v.tasks[1].list[ET_AS_IS_BOTH].by[ET_METRIC_CPU].relative_error = 0;
	ok(et_versions_best(&v, ET_METRIC_CPU).version == ET_EMP_V2,
		"answer: the first of equal versions");
	for (int t = 0; t < TASKS; t++)
		memset(v.tasks[t].list, 0, sizeof(v.tasks[t].list));
	print(&v, 80);
	ok(et_versions_best(&v, ET_METRIC_CPU).lengths == 0 && !strncmp(text, "INC1,", 5),
		"answer: there is none without figures");
	et_versions_free(&v);
}

/* Reasons per length: one for two of them, one for all. */
static void test_reasons(void)
{
	struct et_versions v = make();

	for (int t = 0; t < TASKS; t++) {
		v.tasks[t].why_not[ET_EMP_V6] = et_strdup("too few");
		v.tasks[t].list[ET_EMP_V6].runs = 0;
		if (!t)
			continue;
		v.tasks[t].why_not[ET_AS_IS_BOTH] = et_strdup("too long");
		v.tasks[t].list[ET_AS_IS_BOTH].runs = 0;
	}
	print(&v, 80);
	ok(strstr(text, "rule 5; left empty: too few\n"), "reasons: one for all lengths");
	ok(strstr(text, "rule 7; INC2, INC16384 left empty: too long\n"),
		"reasons: one for some lengths");
	is_str(line_after("INC2, CPU time", et_version_names[ET_AS_IS_BOTH]),
		"as is, I+II     –                     –          –          –",
		"reasons: the row stays, with dashes");
	et_versions_free(&v);
}

static void test_svg(void)
{
	struct et_versions v = make();
	char *svg = NULL;
	FILE *out = open_memstream(&svg, &size);
	size_t n = 0;

	et_lab_draw(&et_lab_emp_versions, &(struct et_versions_view){ &v, NULL, 0 }, out);
	fclose(out);
	for (const char *at = svg; (at = strstr(at, "<g transform=\"translate(")); at++)
		n++;
	ok(n == 4, "svg: four charts in one file (got %zu)", n);
	ok(strstr(svg, ">v1<") && strstr(svg, ">v6<") && !strstr(svg, ">v3<"),
		"svg: the versions that were measured are in the legend");
	ok(strstr(svg, ">10 ms<") && strstr(svg, ">100 ms<"), "svg: decades are labelled");
	ok(!strstr(svg, "nan"), "svg: NaN is not drawn");
	/* A version of a chart: the group of its intervals, then those of its curve. */
	double x[2] = { 0 }, y[2] = { 0 };
	const char *at = svg;
	while ((at = strstr(at, "<path d=\"M")) &&
		sscanf(at, "<path d=\"M%lf %lfL%lf %lf", &x[0], &y[0], &x[1], &y[1]) != 4)
		at++; /* an entry of the legend */
	ok(at && x[0] == x[1] && y[1] < y[0] - 5, "svg: an interval is a vertical line: %.60s",
		at ? at : "none");
	free(svg);
	et_versions_free(&v);
}

static void test_json(void)
{
	static const char *const names[] = { "INC1", "INC2" };
	struct et_experiment *e = fixture_experiment(names, 2);
	const struct et_experiment *list[] = { e };
	struct et_versions v = make();
	char *json = NULL;
	FILE *out = open_memstream(&json, &size);

	add_pair(&v, ET_EMP_V1, ET_OURS, 9, 0.01);
	v.same_as[ET_EMP_V1].known = true;
	v.same_as[ET_EMP_V1].version = ET_AS_IS;
	et_lab_json(&et_lab_emp_versions, "emp-versions", NULL,
		&(struct et_versions_view){ &v, list, 1 }, out);
	fclose(out);
	json_t *j = json_loads(json, 0, NULL);
	json_t *versions =
		json_object_get(json_array_get(json_object_get(j, "tasks"), 0), "versions");
	json_t *v5 = json_array_get(versions, ET_EMP_V5);
	json_t *pt = json_object_get(v5, "pt");
	ok(json_array_size(versions) == ET_VERSIONS, "JSON: every task has every version");
	ok(json_integer_value(json_object_get(pt, "removed")) == 16 &&
			json_integer_value(json_object_get(pt, "removed_first")) == 15 &&
			json_integer_value(json_object_get(pt, "removed_second")) == 1,
		"JSON: outliers of both checks");
	ok(json_number_value(json_object_get(pt, "min_ns")) ==
			v.tasks[0].list[ET_EMP_V5].by[ET_METRIC_CPU].min,
		"JSON: the minimum");
	ok(json_number_value(json_object_get(pt, "sd_lo_ns")) ==
				v.tasks[0].list[ET_EMP_V5].limits[ET_METRIC_CPU].sd_lo &&
			json_number_value(json_object_get(pt, "relative_error_hi")) ==
				v.tasks[0].list[ET_EMP_V5].limits[ET_METRIC_CPU].error_hi,
		"JSON: intervals");
	json_t *pair = json_array_get(json_object_get(json_object_get(j, "comparisons"), "pt"), 0);
	is_str(json_string_value(json_object_get(pair, "a")), "v1", "JSON: a comparison");
	ok(json_number_value(json_object_get(pair, "p")) == 0.005 &&
			json_number_value(json_object_get(pair, "p_holm")) == 0.01 &&
			json_number_value(json_object_get(pair, "ratio")) == 9,
		"JSON: its figures");
	json_t *best = json_object_get(j, "best");
	ok(json_is_true(json_object_get(best, "shown")) &&
			json_array_size(json_object_get(best, "better_than")) == 1 &&
			json_array_size(json_object_get(best, "not_better_than")) == 0,
		"JSON: whether it is shown, and than which it is better");
	ok(json_is_false(json_object_get(json_object_get(j, "best_et"), "shown")),
		"JSON: the same of elapsed time");
	json_t *same = json_object_get(
		json_array_get(json_object_get(j, "versions"), ET_EMP_V1), "same_as");
	is_str(json_string_value(same), "as is", "JSON: a version with the environment of another");
	json_t *v3 = json_array_get(versions, ET_EMP_V3);
	ok(json_is_null(json_object_get(v3, "et")), "JSON: a version that is not there is null");
	json_t *why = json_object_get(
		json_array_get(json_object_get(j, "versions"), ET_EMP_V3), "not_possible");
	is_str(json_string_value(why), "turbo: no control", "JSON: the reason");
	is_str(json_string_value(json_object_get(json_object_get(j, "best"), "version")), "ours",
		"JSON: the version with the smallest relative error");
	ok(json_array_size(json_object_get(j, "experiments")) == 1, "JSON: the experiments");
	json_decref(j);
	free(json);
	et_versions_free(&v);
	et_experiment_free(e);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	test_text();
	test_answer();
	test_reasons();
	test_svg();
	test_json();
	free(text);
	return tap_done();
}
