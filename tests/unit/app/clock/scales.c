/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time scales of known durations, as text, JSON and SVG. */
#include "app/clock/view.h"
#include "base/base.h"
#include "tap.h"

#include <jansson.h>
#include <math.h>

static const struct et_timescales report = {
	.cpu = 1,
	.list = {
		{ "division", "a division", NULL, { 201, 1, 1, 1, 1, 1, 1 } },
		{ "system-call", "a call", NULL, { 201, 90, 95, 100, 130, 98, 104 } },
		{ "wake-up", "a wake-up", "this needs a second CPU",
			{ 0, NAN, NAN, NAN, NAN, NAN, NAN } },
		{ "timer-interval", "the tick", NULL, { 1, 4e6, 4e6, 4e6, 4e6, NAN, NAN } },
		{ "process", "a program", NULL, { 30, 1e9, 1e9, 2e9, 3e9, 1e9, 3e9 } },
	},
	.n = 5,
};

/* Returns the column of the mark in the row of an event, from the beginning of the scale. */
static long place(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	const char *mark = line ? strstr(line, "●") : NULL;
	long columns = 0;

	if (!mark || mark > strchr(line, '\n'))
		return -1;
	while (mark > line && (mark[-1] != ' '))
		mark--;
	for (; strncmp(mark, "●", 3) != 0; mark++)
		columns += (*mark & 0xc0) != 0x80;
	return columns;
}

int main(void)
{
	ET_AUTO_FREE char *text = NULL;
	ET_AUTO_FREE char *record = NULL;
	ET_AUTO_FREE char *svg = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 80 };
	struct et_json w;

	et_scales_text(&report, &page, true);
	fclose(out);
	/* Three columns per decade: 1 ns is at 0, 100 ns at 6, 4 ms at 19.8, 1 s and more at 27. */
	ok(place(text, "division") == 0, "text: 1 ns is at the beginning of the scale");
	ok(place(text, "system-call") == 6, "text: 100 ns is two decades further (%ld)",
		place(text, "system-call"));
	ok(place(text, "timer-interval") == 20, "text: 4 ms is at 3 × log10(4e6)");
	ok(place(text, "process") == 27, "text: 2 s is at the end of the scale");
	ok(strstr(text, "98.0 … 104.0") && strstr(text, "100 ns"),
		"text: the median has its interval");
	ok(strstr(text, "wake-up         not measured: this needs a second CPU"),
		"text: an event that was not measured has a reason");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		size_t columns = 0;
		for (const char *c = line; *c; c++)
			columns += (*c & 0xc0) != 0x80;
		ok(columns <= 80, "text: a line of %zu columns fits", columns);
	}

	out = open_memstream(&record, &size);
	et_json_init(&w, out, 0);
	et_scales_json(&w, &report);
	fclose(out);
	json_t *json = json_loads(record, 0, NULL);
	const json_t *list = json_object_get(json, "scales");
	ok(json_array_size(list) == 5 && json_is_true(json_object_get(json, "complete")),
		"JSON: it has all events");
	near(json_number_value(json_object_get(json_array_get(list, 1), "median_ns")), 100, 0, 0,
		"JSON: it has the median");
	ok(json_is_null(json_object_get(json_array_get(list, 2), "median_ns")),
		"JSON: an event that was not measured has none");
	json_decref(json);

	out = open_memstream(&svg, &size);
	et_scales_svg(&report, out);
	fclose(out);
	ok(strstr(svg, "</svg>") && strstr(svg, "system-call") && !strstr(svg, "wake-up") &&
			!strstr(svg, "nan"),
		"SVG: it has the measured events");
	return tap_done();
}
