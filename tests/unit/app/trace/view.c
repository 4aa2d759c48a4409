/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces as text, JSON and pictures: the published traces, and processes with hostile names. */
#include "app/trace/view.h"
#include "base/base.h"
#include "base/utf8.h"
#include "measure/trace/cause.h"
#include "store/import/trace.h"
#include "tap.h"

#include <jansson.h>

static char *printed;
static size_t size;

static FILE *begin(void)
{
	free(printed);
	printed = NULL;
	return open_memstream(&printed, &size);
}

static char *read_file(const char *name, size_t *n)
{
	const char *root = getenv("ET_TEST_DATA");
	ET_AUTO_FREE char *path = et_asprintf("%s/golden/%s", root ? root : "tests", name);
	FILE *f = fopen(path, "re");
	char *text = et_alloc(1 << 20);

	if (!f)
		tap_bail("%s cannot be read", path);
	*n = fread(text, 1, (1 << 20) - 1, f);
	text[*n] = '\0';
	fclose(f);
	return text;
}

/* The widest line, in columns of a terminal. */
static int widest(const char *text)
{
	int most = 0;

	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		ET_AUTO_FREE char *line = et_strndup(text, (size_t)(end - text));
		int width = et_columns(line);
		most = width > most ? width : most;
	}
	return most;
}

static void is_narrow(const struct et_trace *t, const char *label)
{
	for (int width = 50; width <= 120; width += 10) {
		struct et_page page = { .out = begin(), .width = width };
		et_trace_text(t, &page, true);
		fclose(page.out);
		if (!ok(widest(printed) <= width, "text: %s fits %d columns", label, width))
			printf("# %d\n", widest(printed));
	}
	ok(!strchr(printed, '\x1b') && !strchr(printed, '\r'),
		"text: %s: nothing for a terminal to obey", label);
}

/* The parts of a trace in JSON; the caller frees it. */
static json_t *as_json(const struct et_trace *t)
{
	struct et_json w;
	FILE *out = begin();

	et_json_init(&w, out, 2);
	et_trace_json(t, &w);
	fclose(out);
	json_error_t at;
	json_t *root = json_loads(printed, 0, &at);
	if (!root)
		printf("# %d: %s\n", at.line, at.text);
	return root;
}

static void published(void)
{
	size_t n;
	ET_AUTO_FREE char *text = read_file("csapp-activity-trace.json", &n);
	struct et_traces all = { 0 };
	struct et_error err = { 0 };

	if (et_traces_read(text, n, "FILE", &all, &err))
		tap_bail("%s", err.what);
	ok(all.n == 2, "published: the chapter has two traces");
	for (size_t i = 0; i < all.n; i++) {
		struct et_trace *t = &all.list[i];
		et_cause_of_file(t);
		is_narrow(t, t->name);
		json_t *root = as_json(t);
		ok(root, "JSON: %s can be parsed", t->name);
		/* The chapter: the timer ticks every 10 ms, by its own estimate of the rate. */
		near(json_number_value(
			     json_object_get(json_object_get(root, "timer"), "interval_ns")),
			1e7, 1e-3, 0, "JSON: %s: the interval of the timer", t->name);
		near(json_number_value(json_object_get(root, "active_percent")), i ? 50 : 95, 0.1,
			0, "JSON: %s: the share of active time", t->name);
		json_decref(root);
	}
	FILE *out = begin();
	et_trace_svg(all.list, all.n, out);
	fclose(out);
	ok(strstr(printed, "<svg ") && strstr(printed, "</svg>"), "SVG: it is one picture");
	et_traces_free(&all);
}

static void letters(void)
{
	struct et_charge list[10];
	struct et_charges all = { .list = list, .n = 10, .interval = 4e6 };

	for (uint32_t i = 0; i < 10; i++)
		list[i] = (struct et_charge){ .who = i ? i - 1 : ET_TICK_SELF,
			.name = i ? "x\x1b[31m\xe2\x80\xae" : NULL,
			.time = i == 1 ? 0 : 1e6 * (10 - i),
			.by_ticks = i == 2 ? NAN : 4e6,
			.least = 0,
			.most = i == 3 ? 0 : 1e7 };
	ok(et_charge_letter(&all, ET_TICK_SELF) == 'A' && et_charge_letter(&all, 0) == 'B' &&
			et_charge_letter(&all, 6) == 'H',
		"letters: A is traced, the others follow");
	ok(et_charge_letter(&all, 7) == '+' && et_charge_letter(&all, ET_TICK_OTHER) == '+',
		"letters: processes without a row share a sign");
	ok(et_charge_letter(&all, ET_TICK_IDLE) == '-', "letters: an idle CPU has a sign");

	struct et_trace t = { .hz = 1e9 };
	struct et_page page = { .out = begin(), .width = 90 };
	et_charges_text(&t, &all, &page);
	fclose(page.out);
	ok(strstr(printed, "A the traced thread") && strstr(printed, " 2 more"),
		"charges: eight rows, and how many more there are");
	/* 4 ms by ticks and 10 ms of CPU time: 4 / 10 - 1. */
	ok(strstr(printed, "-60 %"), "charges: the error of accounting by ticks");
	ok(strstr(printed, "4 ms ticks") && strstr(printed, "10 ms ticks"),
		"charges: those of the trace, and those of the chapter");
	ok(!strchr(printed, '\x1b') && !strstr(printed, "\xe2\x80\xae"),
		"charges: names of processes are cleaned");
	all.interval = 1e7;
	page.out = begin();
	et_charges_text(&t, &all, &page);
	fclose(page.out);
	const char *first = strstr(printed, "10 ms ticks");
	ok(first && !strstr(first + 1, "10 ms ticks"),
		"charges: with ticks of 10 ms the last column is not repeated");

	struct et_json w;
	FILE *out = begin();
	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_charges_json(&all, &w);
	et_json_end(&w);
	fclose(out);
	json_t *root = json_loads(printed, 0, NULL);
	json_t *rows = json_object_get(root, "charges");
	ok(json_array_size(rows) == 10, "charges: JSON has all rows");
	ok(json_is_null(json_object_get(json_array_get(rows, 2), "charged_ns")) &&
			json_is_true(json_object_get(json_array_get(rows, 0), "traced")),
		"charges: JSON: an unknown time is null");
	json_decref(root);
}

/* A trace of 100 ms at 1 GHz, of which a process takes 10 ms. */
static void hostile(void)
{
	struct et_trace t;

	et_trace_init(&t);
	t.name = et_strdup("a\x1b[31m\r\nb");
	t.hz = 1e9;
	t.total = t.total_ns = 100000000;
	t.inactive_ns = 10000000;
	t.source = "file";
	struct et_inactive *p = et_trace_add(&t, 20000000, 10000000);
	p->start_ns = 20000000;
	p->duration_ns = 10000000;
	p->cause = ET_CAUSE_PROCESS;
	p->taker = et_trace_taker(&t, ET_CAUSE_PROCESS, "evil\x1b]0;x\x07");
	is_narrow(&t, "a hostile name");
	json_t *root = as_json(&t);
	ok(root, "JSON: a hostile name can be parsed");
	json_decref(root);
	FILE *out = begin();
	et_trace_svg(&t, 1, out);
	fclose(out);
	ok(!strchr(printed, '\x1b') && !strchr(printed, '\x07'), "SVG: a hostile name is cleaned");
	et_trace_free(&t);
}

int main(void)
{
	published();
	letters();
	hostile();
	free(printed);
	return tap_done();
}
