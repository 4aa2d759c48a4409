/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table, the bars, the JSON and the SVG of clock-methods from invented runs. */
#include "app/lab/experiments.h"
#include "base/base.h"
#include "tap.h"
#include "unit/report/fixture.h"

#include <jansson.h>

enum { RUNS = 4 };

static struct et_precision precision(size_t n, double mean, double sd)
{
	return (struct et_precision){ .n = n,
		.mean = mean,
		.sd = sd,
		.relative_error = sd / mean,
		.min = mean - sd,
		.max = mean + sd };
}

static struct et_clock_methods methods(struct et_clock_run *runs)
{
	struct et_clock_methods m = { .name = "INC8",
		.by = { precision(4, 8e9, 8e7), precision(4, 2e10, 2e8), precision(4, 8.01e9, 8e7),
			precision(4, 2.0025e10, 2e8), precision(3, 7.9e9, 1e6) },
		.counter_hz = 2.5e9,
		.runs = runs,
		.n = RUNS };

	for (int i = 0; i < RUNS; i++) {
		for (int k = 0; k < ET_CLOCK_METHODS; k++)
			runs[i].by[k] = m.by[k].mean + (i % 2 ? 1 : -1) * m.by[k].sd;
		runs[i].removed = i == 2;
	}
	return m;
}

enum kind { TEXT, JSON, SVG };

/* Prints in one of the formats into a new string. */
static char *printed(enum kind kind, const struct et_experiment *e, struct et_clock_methods *m)
{
	const struct et_clock_table table = { e, m };
	char *text = NULL;
	size_t size;
	struct et_page page = { .width = 80, .out = open_memstream(&text, &size) };

	if (kind == TEXT)
		et_lab_clock_methods.text(&table, &page);
	else if (kind == JSON)
		et_lab_json(&et_lab_clock_methods, "clock-methods", e, &table, page.out);
	else
		et_lab_draw(&et_lab_clock_methods, &table, page.out);
	fclose(page.out);
	return text;
}

static bool has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);
	size_t n = strlen(line);

	return at && (at == text || at[-1] == '\n') && at[n] == '\n';
}

static void test_text(struct et_experiment *e, struct et_clock_methods *m)
{
	ET_AUTO_FREE char *text = printed(TEXT, e, m);

	ok(has_line(text, "rdtsc         inside  4  7.920 s  8.080 s  8.000 s  80.0 ms    1.0 %"),
		"text: ticks inside are converted to time");
	ok(has_line(text, "clock_gettime around  4  7.930 s  8.090 s  8.010 s  80.0 ms    1.0 %"),
		"text: a row has minimum, maximum, mean, sd and relative error");
	ok(has_line(text, "EMP                   3  7.899 s  7.901 s  7.900 s  1.00 ms  0.013 %"),
		"text: EMP counts the runs that it keeps");
	ok(has_line(text, "rdtsc         around ▁█▁█"), "text: a bar per run");
	ok(has_line(text, "EMP                  ▁█ █"), "text: a removed run has no bar");
	ok(has_line(text, "the counter made 2.500000 ticks per nanosecond"),
		"text: the rate of the counter");
}

static void test_without_counter(struct et_experiment *e, struct et_clock_methods *m)
{
	struct et_precision none = { 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	m->by[ET_COUNTER_AROUND] = m->by[ET_COUNTER_INSIDE] = none;
	m->counter_hz = NAN;
	for (int i = 0; i < RUNS; i++)
		m->runs[i].by[ET_COUNTER_AROUND] = m->runs[i].by[ET_COUNTER_INSIDE] = NAN;
	snprintf(e->host.architecture, sizeof(e->host.architecture), "riscv64");
	ET_AUTO_FREE char *text = printed(TEXT, e, m);
	ok(has_line(text, "counter       around  0        –        –        –        –        –"),
		"text: a machine without a counter has dashes");
	ok(!strstr(text, "ticks per nanosecond"), "text: a machine without a counter has no rate");
	ET_AUTO_FREE char *json = printed(JSON, e, m);
	json_t *j = json_loads(json, 0, NULL);
	json_t *task = json_array_get(json_object_get(j, "tasks"), 0);
	json_t *run = json_array_get(json_object_get(task, "runs"), 2);
	ok(json_is_null(json_object_get(task, "counter_hz")) &&
			json_is_null(json_object_get(run, "counter_ticks")),
		"json: a machine without a counter has neither rate nor ticks");
	ok(json_is_true(json_object_get(run, "removed")), "json: removed runs are marked");
	json_decref(j);
}

static void test_json_and_svg(const struct et_experiment *e, struct et_clock_methods *m)
{
	ET_AUTO_FREE char *json = printed(JSON, e, m);
	ET_AUTO_FREE char *svg = printed(SVG, e, m);
	json_t *j = json_loads(json, 0, NULL);
	json_t *task = json_array_get(json_object_get(j, "tasks"), 0);
	json_t *methods = json_object_get(task, "methods");
	static const char *const keys[] = { "clock_gettime_inside", "rdtsc_inside", "clock_gettime",
		"rdtsc", "EMP" };

	for (size_t i = 0; i < ET_LENGTH(keys); i++)
		ok(json_is_object(json_object_get(methods, keys[i])), "json: the method %s",
			keys[i]);
	ok(json_number_value(json_object_get(
		   json_object_get(methods, "rdtsc_inside"), "max_ticks")) == 2.02e10,
		"json: figures of the counter are in ticks");
	ok(json_array_size(json_object_get(task, "runs")) == RUNS, "json: every run");
	json_decref(j);
	ok(strstr(svg, "INC8: 4 runs") && strstr(svg, "rdtsc inside") &&
			strstr(svg, "CPU time (EMP)") && strstr(svg, "</svg>"),
		"svg: a chart with a legend");
}

int main(void)
{
	static const char *const names[] = { "INC8" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_clock_run runs[RUNS];
	struct et_clock_methods m = methods(runs);

	snprintf(e->host.architecture, sizeof(e->host.architecture), "x86_64");
	test_text(e, &m);
	test_json_and_svg(e, &m);
	test_without_counter(e, &m);
	et_experiment_free(e);
	return tap_done();
}
