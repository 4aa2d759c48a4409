/* SPDX-License-Identifier: MIT */
/* Results as text and files, and back from a file to slices. */
#include "lib/bench/output.h"
#include "base/base.h"
#include "base/display.h"
#include "base/memstream.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static struct et_bench_sample two[] = { { .ns = 291100, .cpu_ns = 290000 },
	{ .ns = 292000, .cpu_ns = 290500, .marks = ET_BENCH_PREEMPTED | ET_BENCH_FIRST } };
static struct et_bench_sample short_ones[] = { { .ns = 0.5421 }, { .ns = 0.5419 } };
static struct et_bench_counter counters[] = { { .name = (char[]){ "hits" }, .value = 0.25 } };

static const struct etalon_bench chase = { .sz = sizeof(chase), .name = "chase" };
static const struct et_bench_case chase_case = {
	.bench = &chase, .params = { 64 }, .n_params = 1, .threads = 1
};

static struct et_slice slices[] = {
	{ .process = 0,
		.calls = 3,
		.clock = ETALON_CLOCK_COUNTER,
		.hz = 2.6e9,
		.samples = two,
		.n = 2,
		.events = { NAN, NAN, NAN, NAN },
		.events_error = ENOENT,
		.bytes = 1e6,
		.size = 64,
		.wall_ns = NAN,
		.empty_ns = 1.25,
		.empty_uncertainty_ns = 0.01,
		.counters = counters,
		.n_counters = 1 },
	{ .process = 1,
		.calls = 3,
		.clock = ETALON_CLOCK_COUNTER,
		.hz = 2.6e9,
		.samples = two,
		.n = 1,
		.events = { NAN, NAN, NAN, NAN },
		.size = 64,
		.wall_ns = NAN,
		.bytes = 1e6 },
};
static struct et_slice short_slice = { .calls = 1000,
	.clock = ETALON_CLOCK_RAW,
	.samples = short_ones,
	.n = 2,
	.events = { 1.5, 4, NAN, NAN },
	.size = NAN,
	.wall_ns = NAN };
static struct et_slice failed_slice = { .error = (char[]){ "no input" },
	.clock = ETALON_CLOCK_RAW };

static struct et_bench_row rows[] = {
	{ .name = (char[]){ "chase/64" },
		.which = &chase_case,
		.slices = slices,
		.n_slices = 2,
		.estimate = { .ns = 291100,
			.lo_ns = 289100,
			.hi_ns = 292600,
			.n = 3,
			.processes = 2,
			.min_ns = 291100,
			.median_ns = 291100 },
		.has_old = true,
		.old = { .ns = 285000, .lo_ns = 283000, .hi_ns = 287000 },
		.comparison = { .ratio = 1.0214,
			.lo = 1.0178,
			.hi = 1.025,
			.p = 0.001,
			.verdict = ET_BENCH_SLOWER,
			.regression = true } },
	{ .name = (char[]){ "mix<1, 2>" },
		.slices = &short_slice,
		.n_slices = 1,
		.estimate = { .statistic = ET_BENCH_MEDIAN,
			.reason = ET_BENCH_NO_FLOOR,
			.ns = 0.542,
			.lo_ns = -INFINITY,
			.hi_ns = INFINITY,
			.n = 2,
			.processes = 1,
			.warnings = ETALON_WARNING_SLOW } },
	{ .name = (char[]){ "broken" }, .slices = &failed_slice, .n_slices = 1 },
};

static char version[] = "0.2.0", older[] = "0.1.0", cpu_name[] = "Cray-1", here[] = "a",
	    elsewhere[] = "b";

static struct et_bench_results results(void)
{
	struct et_bench_results r = { .rows = rows, .n = ET_LENGTH(rows) };

	etalon_kbest_opts_init(&r.options.kbest, sizeof(r.options.kbest));
	r.options.level = 0.95;
	r.options.fail_ratio = 0.01;
	r.options.baseline = "old.json";
	r.context.version = version;
	r.context.cpu = cpu_name;
	r.context.hz = r.context.load = NAN;
	return r;
}

static char *text_of(void (*write)(const struct et_bench_results *, FILE *))
{
	struct et_bench_results r = results();
	struct et_memstream s;

	write(&r, et_memstream_open(&s));
	return et_memstream_close(&s);
}

static void has(const char *text, const char *part, const char *label)
{
	if (!ok(strstr(text, part) != NULL, "%s", label))
		printf("# '%s' is not in:\n# %s\n", part, text);
}

static char *console(int columns)
{
	struct et_bench_results r = results();
	struct et_memstream s;

	et_bench_text(&r, &(struct et_bench_page){ et_memstream_open(&s), .columns = columns });
	return et_memstream_close(&s);
}

static void check_details(void)
{
	struct et_bench_results r = results();
	struct et_memstream s;

	r.options.verbose = true;
	et_bench_text(&r, &(struct et_bench_page){ et_memstream_open(&s), .columns = 0 });
	ET_AUTO_FREE char *text = et_memstream_close(&s);

	has(text, "not available here: this processor or virtual machine has no such counters",
		"details: why there are no events");
}

static int widest(const char *text)
{
	int most = 0;

	while (*text) {
		ET_AUTO_FREE char *line = et_strndup(text, strcspn(text, "\n"));
		int width = et_columns(line);

		most = width > most ? width : most;
		text += strlen(line) + (text[strlen(line)] == '\n');
	}
	return most;
}

static void check_text(void)
{
	ET_AUTO_FREE char *text = console(0), *narrow = console(60);

	has(text, "291.1 µs  ± 2.0 µs", "text: the uncertainty decides the digits");
	has(text, "0.542 ns  ± –", "text: an unknown interval is a dash");
	has(text, "median", "text: the statistic is shown if it is not the best");
	has(text, "1.021 ± 0.004  slower", "text: ratio and verdict");
	has(text, "3.435 GB/s", "text: bytes per second");
	has(text, "warning: broken: failed: no input", "text: a failure says why");
	has(text, "warning: mix<1, 2>: undisturbed samples differ by more than 5 %",
		"text: a reason is a warning");
	has(text, "FAIL: 1 of 1 functions slower by more than 1 %: chase/64",
		"text: the decision is the last line");
	if (!ok(widest(narrow) <= 60, "text: lines fit 60 columns"))
		puts(narrow);
	has(narrow, "omitted to fit the terminal: bytes, cycles, instructions",
		"text: omitted columns are named");
}

/* A baseline may hold any text: ESC, C1 control characters, marks that reverse the direction. */
static void check_foreign_text(void)
{
	static const char *const names[] = { "gone\xc2\x9b"
					     "31m\xe2\x80\xaeXYZ",
		"esc\x1b[31m\xff" };
	char label[] = "\xe8\xa1\xa8\xc2\x9b\x1b";
	struct et_bench_results r = results();
	struct et_memstream s;

	et_bench_note_missing(&r, "bad.json", names, 2);
	slices[0].label = label;
	et_bench_text(&r, &(struct et_bench_page){ et_memstream_open(&s), .columns = 200 });
	slices[0].label = NULL;
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	has(text,
		"lacks: gone\xef\xbf\xbd"
		"31m\xef\xbf\xbdXYZ, esc\xe2\x90\x9b[31m\xef\xbf\xbd",
		"foreign text: notes have no control characters");
	has(text, "\xe8\xa1\xa8\xef\xbf\xbd\xe2\x90\x9b\n", "foreign text: nor has a cell");
	ok(!strstr(text, "\xc2\x9b") && !strchr(text, '\x1b') && !strstr(text, "\xe2\x80\xae"),
		"foreign text: nothing acts on a terminal");
	free(r.notes[0]);
	free(r.notes);
}

static void check_tables(void)
{
	ET_AUTO_FREE char *csv = text_of(et_bench_csv), *markdown = text_of(et_bench_markdown);

	has(csv, "\r\nchase/64,291100,289100,292600,291100,291100,", "csv: figures in ns");
	has(csv, "\r\n\"mix<1, 2>\",0.542,,,", "csv: a name with a comma is quoted");
	has(csv, "broken,,,,", "csv: a failed function has no time");
	has(markdown, "| mix\\<1, 2\\> |", "markdown: names are escaped");
}

/* Writes a text to a new file; the caller unlinks it. */
static char *file_of(const char *text)
{
	const char *dir = getenv("TMPDIR");
	char *path = et_asprintf("%s/etalon-output-XXXXXX", dir ? dir : "/tmp");
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out || fputs(text, out) < 0 || fclose(out) != 0)
		tap_bail("cannot write a temporary file");
	return path;
}

static int read_text(const char *text, struct et_bench_results *out, struct et_error *err)
{
	ET_AUTO_FREE char *path = file_of(text);
	int rc = et_bench_read(path, out, err);

	unlink(path);
	return rc;
}

static void check_round_trip(void)
{
	ET_AUTO_FREE char *json = text_of(et_bench_json);
	struct et_bench_results r = { 0 };
	struct et_error err = { 0 };

	/* The first samples, with the mean of the costs of an empty call (0 and 1.25) for both. */
	has(json, "\"process_ns\": [291100.6, 291099.4]", "json: the value of each process");
	if (!ok(read_text(json, &r, &err) == 0, "json: it is read back")) {
		printf("# %s\n", err.what);
		return;
	}
	ok(r.n == 3 && !strcmp(r.rows[0].name, "chase/64"), "json: all functions, with names");
	const struct et_slice *s = r.rows[0].slices;
	ok(r.rows[0].n_slices == 2 && s[0].n == 2 && s[1].n == 1 && s[1].process == 1,
		"json: slices and samples");
	ok(s[0].samples[0].ns == 291100 && s[0].samples[1].cpu_ns == 290500 &&
			s[0].samples[1].marks == two[1].marks && !s[0].samples[0].marks,
		"json: times and marks of samples");
	ok(s[0].old && s[0].calls == 3 && s[0].clock == ETALON_CLOCK_COUNTER &&
			s[0].empty_ns == 1.25 && s[0].bytes == 1e6 && isnan(s[0].wall_ns),
		"json: the figures of a slice");
	ok(r.options.kbest.k == 3 && r.options.kbest.epsilon == 0.001 &&
			r.options.kbest.cache == ETALON_CACHE_WARM && r.options.level == 0.95,
		"json: options");
	ok(!strcmp(r.context.version, "0.2.0") && !strcmp(r.context.cpu, "Cray-1"),
		"json: context");
	ok(r.rows[2].n_slices == 0, "json: a failed function has no slices");
	et_bench_results_free(&r);
}

static void check_google(void)
{
	ET_AUTO_FREE char *json = text_of(et_bench_google_json);
	struct et_bench_results r = { 0 };
	struct et_error err = { 0 };

	has(json, "\"name\": \"chase/64_cv\"", "google: aggregates of two processes");
	has(json, "\"error_message\": \"no input\"", "google: a failure");
	if (!ok(read_text(json, &r, &err) == 0, "google: it is read back"))
		return;
	ok(r.google && r.n == 2 && r.rows[0].n_slices == 2, "google: repetitions, no aggregates");
	/* As in process_ns of the JSON. */
	near(r.rows[0].slices[0].samples[0].ns, 291100.625, 1e-12, 0,
		"google: the value of each process, as in the table");
	/* The median of 0.5419 and 0.5421. */
	near(r.rows[1].slices[0].samples[0].ns, 0.542, 1e-12, 0, "google: the median");
	et_bench_results_free(&r);
}

/*
 * Two processes of a mean, whose preempted sample the table leaves out: 100 and 102 ns, of which 90
 * and 91 are CPU time.
 */
static struct et_bench_sample disturbed[][4] = {
	{ { .ns = 99, .cpu_ns = 89 }, { .ns = 101, .cpu_ns = 91 }, { .ns = 100, .cpu_ns = 90 },
		{ .ns = 5000, .cpu_ns = 95, .marks = ET_BENCH_PREEMPTED } },
	{ { .ns = 102, .cpu_ns = 91 }, { .ns = 102, .cpu_ns = 91 }, { .ns = 102, .cpu_ns = 91 },
		{ .ns = 9000, .cpu_ns = 95, .marks = ET_BENCH_PREEMPTED } },
};

static char short_name[] = "d";

static struct et_bench_row disturbed_row(struct et_slice list[2])
{
	for (unsigned i = 0; i < 2; i++)
		list[i] = (struct et_slice){ .process = i,
			.calls = 1000,
			.hz = 1e9,
			.clock = ETALON_CLOCK_COUNTER,
			.samples = disturbed[i],
			.n = 4,
			.items = 2,
			.size = NAN,
			.wall_ns = NAN,
			.events = { NAN, NAN, NAN, NAN } };
	return (struct et_bench_row){ .name = short_name,
		.slices = list,
		.n_slices = 2,
		.estimate = { .statistic = ET_BENCH_MEAN, .ns = 101, .n = 8, .processes = 2 } };
}

static void check_google_figures(void)
{
	struct et_slice list[2];
	struct et_bench_row both[2] = { disturbed_row(list), rows[2] };
	struct et_bench_results r = results();
	char refusal[] = "not here";
	struct et_memstream s;

	both[1].skipped = true;
	both[1].error = refusal;
	r.rows = both;
	r.n = 2;
	et_bench_google_csv(&r, et_memstream_open(&s));
	ET_AUTO_FREE char *csv = et_memstream_close(&s);
	is_str(csv,
		"name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,"
		"label,error_occurred,error_message\n"
		"\"d\",4000,100,90,ns,,19801980.198019803,,,\n"
		"\"d\",4000,102,91,ns,,19801980.198019803,,,\n"
		"\"d_mean\",2,101,90.5,ns,,,,,\n"
		"\"d_median\",2,101,90.5,ns,,,,,\n"
		"\"d_stddev\",2,1.4142135623730951,0.7071067811865476,ns,,,,,\n"
		"\"d_cv\",2,0.014002114478941535,0.007813334598746382,,,,,,\n"
		"\"broken\",,,,,,,,,\"not here\"\n",
		"google: the CSV has its columns, and the samples that count");
	et_bench_google_json(&r, et_memstream_open(&s));
	ET_AUTO_FREE char *json = et_memstream_close(&s);
	has(json, "\"real_time\": 102,\n      \"cpu_time\": 91,",
		"google: the JSON has the same figures");
	has(json, "\"skipped\": true,\n      \"skip_message\": \"not here\"",
		"google: a skipped function is no error");
	struct et_bench_results read = { 0 };
	struct et_error err = { 0 };
	if (ok(read_text(json, &read, &err) == 0, "google: a file with a skipped one is read"))
		ok(read.n == 1 && !strcmp(read.rows[0].name, "d"),
			"google: a skipped function has no time of 0");
	et_bench_results_free(&read);
	for (size_t i = 0; i < 8; i++)
		disturbed[i / 4][i % 4].cpu_ns = 0;
	et_bench_google_csv(&r, et_memstream_open(&s));
	ET_AUTO_FREE char *unknown = et_memstream_close(&s);
	has(unknown, "\"d\",4000,102,102,ns,", "google: an unknown CPU time is not 0");
}

static void counters_of(struct et_slice list[2], struct et_bench_counter c[2], unsigned kind)
{
	for (unsigned i = 0; i < 2; i++) {
		c[i].kind = kind;
		list[i].counters = &c[i];
		list[i].n_counters = 1;
	}
}

/* One thread that was preempted: items are by its times, counters by the elapsed time. */
static void check_counters(void)
{
	static const struct etalon_bench b = { .sz = sizeof(b), .name = "d" };
	static const struct et_bench_case c = { .bench = &b, .threads = 1 };
	struct et_bench_counter made[2] = { { .name = short_name, .value = 4 },
		{ .name = short_name, .value = 12 } };
	struct et_slice list[2];
	struct et_bench_row row = disturbed_row(list);

	row.which = &c;
	list[0].loop_ns = list[1].loop_ns = 125;
	list[0].empty_ns = list[1].empty_ns = 1;
	counters_of(list, made, ETALON_COUNTER_RATE);
	near(et_bench_counter(&row, "d", NULL), 8, 1e-12, 0, "counters: a rate is a mean");
	ok(!(et_bench_warnings(&row) & ETALON_WARNING_RATES),
		"counters: one thread that had the CPU has no warning");
	list[0].loop_ns = 130;
	ok(et_bench_warnings(&row) & ETALON_WARNING_RATES,
		"counters: a rate that contradicts the time of one thread has a warning");
	list[0].empty_uncertainty_ns = list[1].empty_uncertainty_ns = 2;
	ok(!(et_bench_warnings(&row) & ETALON_WARNING_RATES),
		"counters: within the doubt of the loop there is none");
	list[0].loop_ns = 300;
	counters_of(list, made, 0);
	ok(!(et_bench_warnings(&row) & ETALON_WARNING_RATES),
		"counters: items alone have none, as they are by the time");
	/* R: 1 / mean(c(4, 12)) of the rates, which were inverted in each process */
	made[0].value = 1 / made[0].value;
	made[1].value = 1 / made[1].value;
	counters_of(list, made, ETALON_COUNTER_RATE | ETALON_COUNTER_INVERT);
	near(et_bench_counter(&row, "d", NULL), 1.0 / 8, 1e-12, 0,
		"counters: the inverse is that of the rate");
}

/* Times of threads that were preempted: the rate is by the elapsed time, the time is not. */
static void check_rates(void)
{
	static const struct etalon_bench b = {
		.sz = sizeof(b), .name = "d", .body = (void (*)(struct etalon_state *))1
	};
	static const struct et_bench_case c = { .bench = &b, .threads = 4 };
	struct et_slice list[2];
	struct et_bench_row row = disturbed_row(list);

	row.which = &c;
	for (unsigned i = 0; i < 2; i++) {
		list[i].at_once = 2;
		list[i].wall_ns = 210;
	}
	ok(!(et_bench_warnings(&row) & ETALON_WARNING_RATES),
		"rates: four threads on two CPUs take turns, as the times say");
	for (unsigned i = 0; i < 2; i++)
		list[i].wall_ns = 1000;
	ok(et_bench_warnings(&row) & ETALON_WARNING_RATES,
		"rates: a rate that contradicts the time has a warning");
	list[0].items = list[1].items = 0;
	ok(!(et_bench_warnings(&row) & ETALON_WARNING_RATES), "rates: without one there is none");
	ok(strstr(et_bench_warning_text(&row, ETALON_WARNING_OVERHEAD), "per iteration") &&
			strstr(et_bench_warning_text(&rows[0], ETALON_WARNING_OVERHEAD),
				"ETALON_LOOP"),
		"a loop that is too short is not told to use a loop");
}

/* The file of a program of Google Benchmark 1.7.1: three functions, and one that failed. */
static void check_google_file(void)
{
	const char *data = getenv("ET_TEST_DATA");
	ET_AUTO_FREE char *path =
		et_asprintf("%s/data/bench/google-1.7.1.json", data ? data : "tests");
	struct et_bench_results r = { 0 };
	struct et_error err = { 0 };

	if (!ok(et_bench_read(path, &r, &err) == 0, "google: a file of 1.7.1 is read"))
		return;
	ok(r.n == 3 && r.rows[0].n_slices == 5 && !strcmp(r.rows[2].name, "concat"),
		"google: functions and repetitions of 1.7.1");
	near(r.rows[0].slices[0].samples[0].ns, 826.7859973726592, 1e-12, 0,
		"google: µs become ns");
	ok(r.rows[0].slices[0].calls == 65102, "google: iterations are calls");
	et_bench_results_free(&r);
}

static void refused(const char *text, enum et_exit status, const char *part, const char *label)
{
	struct et_bench_results r = { 0 };
	struct et_error err = { 0 };
	int rc = read_text(text, &r, &err);

	ok(rc < 0 && err.exit == status, "read: %s is refused", label);
	has(err.what, part, label);
	if (rc == 0)
		et_bench_results_free(&r);
}

#define HEAD                                                                                       \
	"{\"etalon\": 2, \"protocol\": \"kbest\", \"k\": 3, \"epsilon\": 0.001, "                  \
	"\"cache\": \"warm\", \"clock\": \"auto\", \"compensate\": true, \"functions\": "
#define SLICE(ns) "{\"process\": 0, \"calls\": 1, \"clock\": \"raw\", \"ns\": " ns "}"

static void check_refusals(void)
{
	refused("", ET_EXIT_OUTSIDE, "line 1", "an empty file");
	refused("{}", ET_EXIT_OUTSIDE, "no list of functions", "an object without functions");
	refused("[1]", ET_EXIT_OUTSIDE, "no list of functions", "a list");
	refused("{\"etalon\": 1, \"functions\": []}", ET_EXIT_USAGE, "no samples",
		"a file of version 1");
	refused("{\"etalon\": 99, \"functions\": []}", ET_EXIT_USAGE, "format 99",
		"a file of a later version");
	refused("{\"etalon\": 2, \"protocol\": \"mean\", \"functions\": []}", ET_EXIT_OUTSIDE,
		"protocol 'mean'", "another protocol");
	refused(HEAD "[{\"name\": \"f\", \"slices\": []}, {\"name\": \"f\", \"slices\": []}]}",
		ET_EXIT_OUTSIDE, "two functions have the name 'f'", "a name that occurs twice");
	refused(HEAD "[{\"slices\": []}]}", ET_EXIT_OUTSIDE, "has no name", "a nameless function");
	refused(HEAD "[{\"name\": \"f\", \"slices\": [" SLICE("[1e300]") "]}]}", ET_EXIT_OUTSIDE,
		"slice 1", "a time of 1e300 ns");
	refused(HEAD "[{\"name\": \"f\", \"slices\": [" SLICE("[]") "]}]}", ET_EXIT_OUTSIDE,
		"slice 1", "a slice without samples");
	refused(HEAD "[{\"name\": \"f\", \"slices\": [" SLICE("[1, \"x\"]") "]}]}", ET_EXIT_OUTSIDE,
		"slice 1", "a time that is text");
	refused(HEAD "[{\"name\": \"f\", \"name\": \"g\", \"slices\": []}]}", ET_EXIT_OUTSIDE,
		"duplicate", "a key that occurs twice");
	refused("{\"benchmarks\": [{\"name\": \"f\", \"real_time\": 1, \"time_unit\": \"d\"}]}",
		ET_EXIT_OUTSIDE, "benchmark number 1", "a time in days");
}

/* Later steps go through all numbers of processes, so the largest must not be what a file says. */
static void check_numbers(void)
{
	static const char text[] =
		HEAD "[{\"name\": \"f\", \"slices\": ["
		     "{\"process\": 4294967295, \"clock\": \"raw\", \"ns\": [1]},"
		     "{\"process\": 7, \"clock\": \"raw\", \"ns\": [2]},"
		     "{\"process\": 4294967295, \"clock\": \"raw\", \"ns\": [3]}]}]}";
	struct et_bench_results r = { 0 };
	struct et_error err = { 0 };

	if (!ok(read_text(text, &r, &err) == 0, "read: large numbers of processes"))
		return;
	const struct et_slice *s = r.rows[0].slices;
	ok(s[0].process == 1 && s[1].process == 0 && s[2].process == 1,
		"read: processes are numbered from 0, in the same order");
	et_bench_results_free(&r);
}

/* The names of the notes on functions that only the old results have. */
static void check_missing(void)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct et_bench_results r = { 0 };

	et_bench_note_missing(&r, "old.json", names, 0);
	ok(r.n_notes == 0, "missing: there is no note without a name");
	et_bench_note_missing(&r, "old.json", names, 4);
	ok(r.n_notes == 1 && !strcmp(r.notes[0], "old.json has functions that this program lacks: "
						 "a, b, c and 1 other"),
		"missing: three names and a number");
	et_bench_results_free(&r);
}

static int compare_with(int cache, int clock, const char *cpu, struct et_bench_results *r)
{
	struct et_bench_results old = results();
	struct et_error err = { 0 };

	*r = results();
	r->context.machine_id = here;
	old.context.machine_id = elsewhere;
	old.context.version = older;
	old.options.kbest.cache = cache;
	old.options.kbest.clock = clock;
	old.context.cpu = cpu ? et_strdup(cpu) : NULL;
	int rc = et_bench_comparable("old.json", r, &old, &err);
	free(old.context.cpu);
	for (size_t i = 0; i < r->n_notes; i++)
		free(r->notes[i]);
	free(r->notes);
	return rc < 0 ? (int)err.exit : 0;
}

static void check_comparable(void)
{
	struct et_bench_results r;

	ok(compare_with(ETALON_CACHE_COLD, 0, NULL, &r) == ET_EXIT_USAGE,
		"comparable: another cache is refused");
	ok(compare_with(0, ETALON_CLOCK_CPU, NULL, &r) == ET_EXIT_USAGE,
		"comparable: CPU time is refused");
	ok(compare_with(0, 0, "Z80", &r) == ET_EXIT_USAGE,
		"comparable: another processor is refused");
	ok(compare_with(0, ETALON_CLOCK_RAW, NULL, &r) == 0 && r.n_notes == 2,
		"comparable: another machine and version are two warnings");
}

static void check_means(void)
{
	struct et_bench_results r = results(), old = results();
	struct et_error err = { 0 };

	old.google = true;
	ok(et_bench_comparable("g.json", &r, &old, &err) < 0 && err.exit == ET_EXIT_USAGE,
		"comparable: a file of --google-json is refused");
	old.context.version = NULL;
	ok(et_bench_comparable("g.json", &r, &old, &err) == 0 &&
			r.options.statistic == 1 + ET_BENCH_MEAN && r.n_notes == 1,
		"comparable: means of Google Benchmark are compared with means");
	for (size_t i = 0; i < r.n_notes; i++)
		free(r.notes[i]);
	free(r.notes);
}

static void check_context(void)
{
	const char *data = getenv("ET_TEST_DATA");
	ET_AUTO_FREE char *root = et_asprintf("%s/sysroot/laptop", data ? data : "tests");
	struct et_bench_context c;

	etalon_build("gcc 12", "-O2", 1);
	et_bench_context_collect(root, "./x", &c);
	ok(c.cpu && strstr(c.cpu, "Intel") && c.cpus > 0,
		"context: the processor of /proc/cpuinfo");
	ok(!strcmp(c.program, "./x") && !strcmp(c.compiler, "gcc 12") && c.optimised,
		"context: the program and its build");
	ok(strlen(c.date) == strlen("2026-11-15T08:55:06Z") && c.date[19] == 'Z',
		"context: the date is as in RFC 3339");
	et_bench_context_free(&c);
}

int main(void)
{
	check_context();
	check_means();
	check_text();
	check_details();
	check_tables();
	check_round_trip();
	check_foreign_text();
	check_google();
	check_google_figures();
	check_rates();
	check_counters();
	check_google_file();
	check_refusals();
	check_numbers();
	check_missing();
	check_comparable();
	return tap_done();
}
