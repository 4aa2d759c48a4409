/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces from files: the chapter's, etalon's own, and files that must be refused. */
#include "store/import/trace.h"
#include "tap.h"

#include <stdlib.h>

static char *read_golden(size_t *size)
{
	char path[512];
	static char text[1 << 16];

	snprintf(path, sizeof(path), "%s/golden/csapp-activity-trace.json",
		getenv("ET_TEST_DATA") ? getenv("ET_TEST_DATA") : "tests");
	FILE *f = fopen(path, "re");
	*size = f ? fread(text, 1, sizeof(text), f) : 0;
	if (f)
		fclose(f);
	return text;
}

static void refuses(const char *text, const char *place)
{
	struct et_error err = { 0 };
	struct et_traces t;
	int rc = et_traces_read(text, strlen(text), "f", &t, &err);

	if (!ok(rc < 0 && err.exit == ET_EXIT_USAGE && strstr(err.what, place),
		    "trace: %s is refused", text))
		printf("# %s\n", rc ? err.what : "it was accepted");
	if (rc == 0)
		et_traces_free(&t);
}

/* Tests a period in the chapter's form, after two valid ones. */
static void refuses_row(const char *row, const char *place)
{
	char text[512];

	snprintf(text, sizeof(text),
		"{\"mhz_estimate\": 500, \"x\": {\"periods\": "
		"[[\"A\",0,0,10],[\"I\",0,10,5]%s%s]}}",
		*row ? "," : "", row);
	refuses(text, place);
}

int main(void)
{
	struct et_error err = { 0 };
	struct et_traces t;
	size_t size;
	const char *golden = read_golden(&size);

	ok(et_traces_read(golden, size, "golden", &t, &err) == 0 && t.n == 2,
		"trace: the chapter's file is read");
	is_str(t.list[0].name, "light_load", "trace: a trace has the name of its object");
	ok(t.list[0].n == 10 && t.list[1].n == 8, "trace: inactive periods are counted");
	ok(t.list[0].total == 36805015, "trace: the length is the sum of all periods");
	ok(t.list[1].origin == 191514104 && t.list[1].first_index == 48,
		"trace: the second one keeps its origin and first index");
	ok(t.list[1].list[2].start == 202210927 - 191514104 &&
			t.list[1].list[2].duration == 5718758,
		"trace: a period starts relative to the origin");
	ok(t.list[0].hz_estimate == 549.9e6 && t.list[0].timer.nominal_ns == 10000000,
		"trace: the rate and the timer interval are read");
	et_traces_free(&t);

	const char *own = "{\"hz\": 2e9, \"periods\": ["
			  "{\"state\":\"A\",\"index\":0,\"start_ns\":0,\"duration_ns\":100},"
			  "{\"state\":\"I\",\"index\":0,\"start_ns\":100,\"duration_ns\":50,"
			  "\"cause\":\"process\",\"process\":\"cc1\",\"tick\":true}]}";
	ok(et_traces_read(own, strlen(own), "own", &t, &err) == 0 && t.n == 1,
		"trace: etalon's own file is read");
	ok(t.list[0].n == 1 && t.list[0].list[0].start == 200 &&
			t.list[0].list[0].duration == 100 && t.list[0].total == 300,
		"trace: nanoseconds become ticks of the counter");
	ok(t.list[0].list[0].cause == ET_CAUSE_PROCESS && t.list[0].list[0].tick,
		"trace: the cause of a period is read");
	is_str(t.list[0].takers[0].name, "cc1", "trace: the process that caused a period is read");
	et_traces_free(&t);

	refuses("", "line 1");
	refuses("[]", "is not an object");
	refuses("{}", "no periods");
	refuses("{\"x\": {\"periods\": 5}}", "x.periods");
	refuses("{\"x\": {\"periods\": []}}", "no time");
	refuses("{\"mhz_estimate\": -1, \"x\": {\"periods\": [[\"A\",0,0,10]]}}", "mhz_estimate");
	refuses("{\"mhz_estimate\": \"5\"}", "mhz_estimate");
	refuses("{\"timer_interval_ms\": 0}", "timer_interval_ms");
	refuses("{\"timer_interval_ms\": 1e300}", "timer_interval_ms");
	refuses("{\"x\": {\"periods\": [[\"A\",0,0,10]]}}", "mhz_estimate: is missing");
	refuses("{\"periods\": [{\"state\":\"A\",\"index\":0,\"start_ns\":0,\"duration_ns\":1}]}",
		"hz: is missing");
	refuses("{\"mhz_estimate\": 5, \"mhz_estimate\": 6}", "duplicate");
	refuses_row("[\"A\",1,14,5]", "periods[2]"); /* begins before the end of the last */
	refuses_row("[\"A\",1,16,5]", "periods[2]"); /* leaves a gap */
	refuses_row("[\"A\",1,5,5]", "periods[2]");  /* is out of order */
	refuses_row("[\"A\",1,15,-5]", "periods[2][3]");
	refuses_row("[\"A\",1,15,1e30]", "periods[2][3]");
	refuses_row("[\"A\",1,15,null]", "periods[2][3]");
	refuses_row("[\"A\",1,15]", "periods[2]");
	refuses_row("[\"B\",1,15,5]", "periods[2][0]");
	refuses_row("7", "periods[2]");
	refuses_row(
		"{\"state\":\"A\",\"index\":0,\"start_ns\":15,\"duration_ns\":1}", "another form");
	return tap_done();
}
