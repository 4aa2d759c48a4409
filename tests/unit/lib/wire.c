/* SPDX-License-Identifier: MIT */
/* Slices arrive as they were sent, and hostile messages are refused. */
#include "lib/slice/wire.h"
#include "base/memstream.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

static char *text_of(const struct et_slice *s)
{
	struct et_memstream m;
	struct et_json j;

	et_json_init(&j, et_memstream_open(&m), 0);
	et_slice_write(&j, NULL, s);
	return et_memstream_close(&m);
}

static bool parse(const char *text, struct et_slice *out)
{
	json_t *j = json_loads(text, JSON_DECODE_ANY, NULL);
	bool good = et_slice_parse(j, out);

	json_decref(j);
	return good;
}

static void round_trip(void)
{
	struct et_bench_sample samples[] = { { 1.25, 1.5, 0.01, ET_BENCH_FIRST }, { 3, 2, 0, 0 } };
	char name[] = "hits", label[] = "a \xff b";
	struct et_bench_counter counters[] = { { name, 7.5, ETALON_COUNTER_RATE } };
	struct et_slice s = { .calls = UINT64_C(1) << 40,
		.clock = ETALON_CLOCK_RAW,
		.hz = 2.1e9,
		.samples = samples,
		.n = 2,
		.counters = counters,
		.n_counters = 1,
		.warnings = ETALON_WARNING_SLOW,
		.empty_ns = 0.1,
		.sample_ns = 20500,
		.size = NAN,
		.wall_ns = NAN,
		.items = 3,
		.events = { 12, NAN, 0.5, 0 },
		.events_error = EACCES,
		.events_user_only = true,
		.label = label,
		.at_once = 3,
		.skipped = true },
			got;
	char *text = text_of(&s);

	ok(parse(text, &got), "slice: its JSON is read");
	ok(got.calls == s.calls && got.clock == s.clock && got.hz == s.hz && got.items == 3 &&
			got.empty_ns == 0.1 && got.sample_ns == 20500 && got.at_once == 3 &&
			got.skipped && got.warnings == s.warnings,
		"slice: the numbers are the same");
	ok(got.events[0] == 12 && isnan(got.events[1]) && got.events[2] == 0.5 &&
			got.events_error == EACCES && got.events_user_only,
		"slice: the events are the same, and why some are missing");
	ok(isnan(got.size) && isnan(got.wall_ns), "slice: unknown numbers stay unknown");
	ok(got.n == 2 && got.samples[0].ns == 1.25 && got.samples[0].marks == ET_BENCH_FIRST &&
			got.samples[1].cpu_ns == 2,
		"slice: the samples are the same");
	ok(got.n_counters == 1 && !strcmp(got.counters[0].name, "hits") &&
			got.counters[0].value == 7.5 && got.counters[0].kind == ETALON_COUNTER_RATE,
		"slice: the counters are the same");
	ok(!strcmp(got.label, "a \xef\xbf\xbd b") && !got.error,
		"slice: a label that is not UTF-8 is mended");
	et_slice_free(&got);
	free(text);
}

/* Replaces one part of a good slice by another. */
static bool refused(const char *part, const char *by)
{
	struct et_bench_sample one = { .ns = 1 };
	struct et_slice s = { .calls = 1, .samples = &one, .n = 1 }, got = { 0 };
	char *text = text_of(&s), bad[4096] = "", *at = strstr(text, part);
	bool good = true;

	if (at) {
		snprintf(bad, sizeof(bad), "%.*s%s%s", (int)(at - text), text, by,
			at + strlen(part));
		good = parse(bad, &got);
		if (good)
			et_slice_free(&got);
	}
	free(text);
	return at && !good;
}

static void hostile(void)
{
	struct et_slice got;

	ok(!parse("3", &got) && !parse("{}", &got) && !parse("[]", &got) && !parse("", &got),
		"hostile: other JSON is refused");
	ok(refused("\"calls\":1", "\"calls\":-1"), "hostile: negative calls are refused");
	ok(refused("\"calls\":1", "\"calls\":\"1\""), "hostile: a text is no number");
	ok(refused("\"clock\":0", "\"clock\":99"), "hostile: an unknown clock is refused");
	ok(refused("[1,0,0,0]", "[null,0,0,0]"), "hostile: a sample without a time is refused");
	ok(refused("[1,0,0,0]", "[1,0]"), "hostile: half a sample is refused");
	ok(refused("[1,0,0,0]", "7"), "hostile: a sample that is a number is refused");
	ok(refused("\"counters\":[]", "\"counters\":[[1,2,3]]"),
		"hostile: a counter without a name is refused");
	ok(refused("\"label\":null", "\"label\":{}"),
		"hostile: a label that is no text is refused");
}

static void messages(void)
{
	int pair[2];
	struct et_wire w = { .fd = -1 };
	json_t *j = NULL;
	const char two[] = "{\"a\": 1}\n[2]\n{nonsense\n";

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return;
	w.fd = pair[0];
	ok(et_wire_receive(&w, 0, &j) == -ETIMEDOUT, "wire: nothing has come");
	ok(send(pair[1], "{\"a\"", 4, 0) == 4 && et_wire_receive(&w, 10, &j) == -ETIMEDOUT,
		"wire: half a line is no message");
	ok(send(pair[1], two + 4, sizeof(two) - 5, 0) == (ssize_t)sizeof(two) - 5 &&
			et_wire_receive(&w, 100, &j) == 0 &&
			json_integer_value(json_object_get(j, "a")) == 1,
		"wire: the first line is a message");
	json_decref(j);
	ok(et_wire_receive(&w, 100, &j) == 0 && json_is_array(j), "wire: so is the second");
	json_decref(j);
	ok(et_wire_receive(&w, 100, &j) == -EPROTO, "wire: a line that is not JSON is refused");
	close(pair[1]);
	ok(et_wire_receive(&w, 100, &j) == -ECONNRESET, "wire: the other end is closed");
	ok(et_wire_send(&w, "x\n") == -EPIPE, "wire: sending fails without a signal");
	et_wire_free(&w);
}

int main(void)
{
	round_trip();
	hostile();
	messages();
	return tap_done();
}
