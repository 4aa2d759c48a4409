/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets: files that users give to etalon, and what is made of them. */
#include "records.h"
#include "app/compare/view.h"
#include "app/daemons/daemons.h"
#include "app/fit/fit.h"
#include "app/trace/view.h"
#include "base/base.h"
#include "base/memstream.h"
#include "base/utf8.h"
#include "lib/bench/judge.h"
#include "lib/bench/output.h"
#include "lib/slice/wire.h"
#include "measure/trace/cause.h"
#include "protocol/daemons.h"
#include "put/calibration.h"
#include "record/format.h"
#include "report/text.h"
#include "stats/compare/judge.h"
#include "store/import/daemons.h"
#include "store/import/import.h"
#include "store/import/points.h"
#include "store/import/series.h"
#include "store/import/trace.h"

#include <math.h>
#include <string.h>

uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
	return hash ^ (hash >> 29);
}

/* --- experiments --- */

char *fuzz_native(const struct et_experiment *e, size_t *size)
{
	struct et_judgement j = { .n_commands = e->n_commands };
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	j.commands = et_calloc(e->n_commands, sizeof(*j.commands));
	for (size_t i = 0; i < e->n_commands; i++)
		j.commands[i].command = &e->commands[i];
	et_native_write(e, &j, out);
	fclose(out);
	free(j.commands);
	return text;
}

int fuzz_import_bytes(const char *data, size_t size, enum et_import_format format,
	const char *column, struct et_experiment **out)
{
	struct et_import_options o = { .name = "FILE",
		.format = format,
		.column = column,
		.wall_ns = UINT64_C(1763196906000000000),
		.random = 0xabcdef };
	struct et_error err;

	return et_import(data, size, &o, out, &err);
}

static size_t count_samples(const struct et_experiment *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_commands; i++)
		n += e->commands[i].samples.n;
	return n;
}

/* Writes every format, and the text of `show`. */
static void report_all(const struct et_experiment *e)
{
	const struct et_text_options wide = { .width = 100, .color = true, .verbose = true };
	struct et_judgement j = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	et_judge(e, &j);
	for (const struct et_format *f = et_formats; f->name; f++) {
		f->write(e, &j, out);
		fflush(out);
		FUZZ_CHECK(!memchr(text, '\x1b', size));
		rewind(out);
	}
	et_text_heading(e, &wide, out);
	et_text_result(e, &j, &wide, out);
	fclose(out);
	free(text);
	et_judgement_free(&j);
}

/* A record that was imported and exported is imported again as the same experiment. */
static void check_native(const struct et_experiment *e)
{
	struct et_experiment *again = NULL;
	size_t n, n2;
	ET_AUTO_FREE char *first = fuzz_native(e, &n);

	FUZZ_CHECK(fuzz_import_bytes(first, n, ET_IMPORT_AUTO, NULL, &again) == 0);
	ET_AUTO_FREE char *second = fuzz_native(again, &n2);
	FUZZ_CHECK(n == n2 && !memcmp(first, second, n));
	et_experiment_free(again);
}

static int import(const uint8_t *data, size_t size, enum et_import_format format)
{
	static const char *const columns[] = { NULL, NULL, "1", "seconds" };
	uint64_t hash = fuzz_hash(data, size);
	const char *column = columns[hash % ET_LENGTH(columns)];
	struct et_experiment *e = NULL;

	if (fuzz_import_bytes((const char *)data, size, format, NULL, &e) &&
		fuzz_import_bytes((const char *)data, size, format, column, &e))
		return 0;
	check_native(e);
	/* Statistics and pictures take a hundred times as long as the parser. */
	if (hash / 4 % 16 == 0 && e->n_commands <= 4 && count_samples(e) <= 40)
		report_all(e);
	et_experiment_free(e);
	return 1;
}

static int fuzz_import(const uint8_t *data, size_t size)
{
	return import(data, size, ET_IMPORT_AUTO);
}

FUZZ_TARGET(import) = { "import", fuzz_import, 5000, .json = true, .tokens = fuzz_json_tokens,
	.input = "records: native, hyperfine's, CSV by its content",
	.holds = "exported and imported again: the same record; all reports can be written" };

/* Times that were exported as CSV are imported unchanged. */
static void check_csv(const struct et_experiment *e)
{
	struct et_experiment *again = NULL;
	struct et_judgement none = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	et_csv_write(e, &none, out);
	fclose(out);
	FUZZ_CHECK(fuzz_import_bytes(text, size, ET_IMPORT_CSV, NULL, &again) == 0);
	FUZZ_CHECK(count_samples(e) == count_samples(again));
	et_experiment_free(again);
	free(text);
}

static int fuzz_csv(const uint8_t *data, size_t size)
{
	struct et_experiment *e = NULL;

	if (fuzz_import_bytes((const char *)data, size, ET_IMPORT_CSV, NULL, &e) == 0) {
		check_csv(e);
		et_experiment_free(e);
	}
	return import(data, size, ET_IMPORT_CSV);
}

FUZZ_TARGET(csv) = { "csv", fuzz_csv, 5000, .tokens = fuzz_csv_tokens,
	.input = "CSV, with and without a header",
	.holds = "exported as CSV and imported again: as many samples" };

/* --- series --- */

static void describe_all(const struct et_series_set *set)
{
	struct et_describe_options o = { .level = 0.95, .replicates = 20, .seed = 1, .threads = 1 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 80 };
	struct et_description d;
	struct et_json w;

	et_json_init(&w, out, 0);
	for (size_t i = 0; i < set->n; i++) {
		if (set->list[i].n < 2)
			continue;
		et_describe(set->list[i].values, set->list[i].n, set->list[i].unit, &o, &d);
		et_describe_text(&set->list[i], &d, &page, true);
		et_describe_json(&w, &set->list[i], &d);
		et_description_free(&d);
	}
	fclose(out);
	free(text);
}

/* Compares each series with the first. */
static void compare_all(const struct et_series_set *set)
{
	static const size_t first = 0;
	struct et_compare_options o = { .alpha = 0.05, .reference = &first };
	struct et_comparison c;
	char *text = NULL;
	size_t size;

	for (size_t i = 0; i < set->n; i++) {
		if (set->list[i].n < ET_SHAPIRO_LEAST)
			return;
	}
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 80 };
	et_compare(set->list, set->n, &o, &c);
	et_compare_text(set->list, &c, &page, true);
	et_compare_json(set->list, &c, out);
	et_comparison_free(&c);
	fclose(out);
	free(text);
}

static int read_series(
	const uint8_t *data, size_t size, const char *column, struct et_series_set *set)
{
	struct et_series_options o = { .name = "FILE", .column = column };
	struct et_error err;
	FILE *in = fmemopen((void *)data, size, "r");

	if (!in)
		return -1;
	int rc = et_series_read(in, &o, set, &err);
	fclose(in);
	return rc;
}

static int fuzz_series(const uint8_t *data, size_t size)
{
	static const char *const columns[] = { "1", "2", "seconds", "et_ns" };
	uint64_t hash = fuzz_hash(data, size);
	struct et_series_set set = { 0 };
	bool accepted = read_series(data, size, NULL, &set) == 0;

	if (!accepted)
		accepted = read_series(data, size, columns[hash % ET_LENGTH(columns)], &set) == 0;
	for (size_t i = 0; i < set.n; i++) {
		for (size_t k = 0; k < set.list[i].n; k++)
			FUZZ_CHECK(isfinite(set.list[i].values[k]));
	}
	bool small = set.n && set.n <= 5;
	for (size_t i = 0; i < set.n; i++)
		small = small && set.list[i].n <= 200;
	if (accepted && small && hash / 4 % 8 == 0)
		describe_all(&set);
	/* A second set from the same bytes: a comparison needs two series. */
	if (accepted && small && hash / 4 % 8 == 1) {
		(void)!read_series(data, size / 2, NULL, &set);
		compare_all(&set);
	}
	et_series_set_free(&set);
	return accepted;
}

FUZZ_TARGET(series) = { "series", fuzz_series, 5000, .tokens = fuzz_csv_tokens,
	.input = "input of 'describe' and 'compare'",
	.holds = "finite numbers; both reports can be written" };

/* --- points --- */

static void fit_points(const struct et_points *p)
{
	const struct et_fit_request r = { .expect = NAN };
	struct et_fit_view v = { .points = p, .r = &r };
	double sum = 0;
	char *text = NULL;
	size_t size;
	struct et_json w;

	if (et_growth_fit(p->x, p->y, p->n, 0.95, &v.growth))
		return;
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		sum += v.growth.fits[m].weight;
	FUZZ_CHECK(fabs(sum - 1) < 1e-6);
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 80 };
	et_fit_text(&v, &page);
	et_json_init(&w, out, 0);
	et_fit_json(&v, &w);
	et_fit_svg(&(struct et_fit_list){ &v, 1 }, out);
	fclose(out);
	free(text);
	et_growth_free(&v.growth);
}

static int fuzz_points(const uint8_t *data, size_t size)
{
	struct et_points_options o = { .name = "FILE" };
	struct et_points_set set = { 0 };
	struct et_experiment *e = NULL;
	struct et_error err;
	FILE *in = fmemopen((void *)data, size, "r");

	if (!in)
		return 0;
	bool accepted = et_points_read(in, &o, &set, &e, &err) == 0;
	fclose(in);
	for (size_t i = 0; accepted && i < set.n; i++) {
		for (size_t k = 0; k < set.list[i].n; k++)
			FUZZ_CHECK(set.list[i].x[k] > 0 && set.list[i].y[k] > 0);
		if (set.list[i].n <= 200)
			fit_points(&set.list[i]);
	}
	et_points_set_free(&set);
	et_experiment_free(e);
	return accepted;
}

FUZZ_TARGET(points) = { "points", fuzz_points, 500, .tokens = fuzz_csv_tokens,
	.input = "input of 'fit'",
	.holds = "numbers above 0; a fit has weights that sum up to 1, and can be written" };

/* --- traces and daemons --- */

static char *write_traces(struct et_traces *all, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	struct et_page page = { .out = out, .width = 80 };
	struct et_json w;

	for (size_t i = 0; i < all->n; i++)
		et_trace_text(&all->list[i], &page, false);
	et_trace_svg(all->list, all->n, out);
	fflush(out);
	rewind(out);
	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_array(&w, "traces");
	for (size_t i = 0; i < all->n; i++)
		et_trace_json(&all->list[i], &w);
	et_json_end(&w);
	et_json_end(&w);
	fclose(out);
	return text;
}

static void analyse_traces(struct et_traces *all)
{
	for (size_t i = 0; i < all->n; i++)
		et_cause_of_file(&all->list[i]);
}

/* A trace that was read and written as JSON can be read again. */
static int fuzz_trace(const uint8_t *data, size_t size)
{
	struct et_traces all = { 0 }, again = { 0 };
	struct et_error err;
	size_t n;

	if (et_traces_read((const char *)data, size, "FILE", &all, &err))
		return 0;
	analyse_traces(&all);
	ET_AUTO_FREE char *text = write_traces(&all, &n);
	FUZZ_CHECK(et_traces_read(text, n, "AGAIN", &again, &err) == 0);
	FUZZ_CHECK(again.n == all.n);
	for (size_t i = 0; i < all.n; i++)
		FUZZ_CHECK(again.list[i].n == all.list[i].n);
	et_traces_free(&all);
	et_traces_free(&again);
	return 1;
}

FUZZ_TARGET(trace) = { "trace", fuzz_trace, 4000, .json = true, .tokens = fuzz_json_tokens,
	.input = "recorded traces", .holds = "written and read again: as many periods" };

static void write_tables(struct et_daemon_result *r, const struct et_page *page)
{
	struct et_json w;

	et_daemon_tables_make(r);
	et_json_init(&w, page->out, 2);
	et_daemons_json(r, &w);
	et_daemon_tables_write(r, (struct et_daemon_tables_to){ .text = page });
	et_daemon_tables_write(r, (struct et_daemon_tables_to){ .csv = page->out });
	et_daemon_tables_free(r);
}

static int fuzz_daemons(const uint8_t *data, size_t size)
{
	struct et_daemon_record r;
	struct et_daemon_findings f;
	struct et_error err;
	char *text = NULL;
	size_t n;

	if (et_daemon_record_read((const char *)data, size, "FILE", &r, &err))
		return 0;
	FUZZ_CHECK(!et_daemon_record_is_native((const char *)data, size));
	if (et_daemons_analyse(&r, "FILE", &f, &err) == 0) {
		FILE *out = open_memstream(&text, &n);
		struct et_page page = { .out = out, .width = 80 };
		struct et_daemon_result result = {
			.record = &r, .findings = &f, .wanted = ET_DAEMON_TABLES_ALL
		};
		write_tables(&result, &page);
		et_daemons_text(&result, &page, true);
		if (r.short_run.n_listed <= 200 && r.long_run.n_listed <= 200)
			et_daemons_page(&(struct et_daemon_result){ .record = &r, .findings = &f },
				"FILE", out);
		fclose(out);
		FUZZ_CHECK(!memchr(text, '\x1b', n));
		free(text);
		et_daemon_findings_free(&f);
	}
	et_daemon_record_free(&r);
	return 1;
}

FUZZ_TARGET(daemons) = { "daemons", fuzz_daemons, 4000, .json = true, .tokens = fuzz_json_tokens,
	.input = "records of daemons",
	.holds = "they can be analysed and reported, and the tables be written" };

/* --- files of libetalon and of put --- */

/* The tree has the file, so that nothing is written to a disk. */
static char *as_tree(const char *path, const uint8_t *data, size_t size, size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	fprintf(out, "@%s\n", path);
	fwrite(data, 1, size, out);
	fclose(out);
	return text;
}

/* Text for a terminal has no control characters but the ends of lines, and nothing that deceives.
 */
static bool is_displayable(const char *text)
{
	for (size_t n; *text; text += n) {
		n = et_utf8_length(text);
		if (!n)
			return false;
		uint32_t c = et_utf8_decode(text, n);
		if ((c < ' ' && c != '\n') || c == 0x7f || et_utf8_deceives(c))
			return false;
	}
	return true;
}

/* Prints what a program prints that has none of the functions of its baseline. */
static void print_baseline(struct et_bench_results *r)
{
	ET_AUTO_FREE const char **names = et_calloc(r->n + 1, sizeof(*names));
	struct et_memstream m;

	for (size_t i = 0; i < r->n; i++)
		names[i] = r->rows[i].name;
	et_bench_note_missing(r, "/baseline", names, r->n);
	r->options.fail_ratio = INFINITY;
	et_bench_text(r, &(struct et_bench_page){ et_memstream_open(&m), .columns = 80 });
	ET_AUTO_FREE char *text = et_memstream_close(&m);
	FUZZ_CHECK(is_displayable(text));
}

static int fuzz_baseline(const uint8_t *data, size_t size)
{
	struct et_bench_results r = { 0 };
	struct et_error err;
	size_t n;
	ET_AUTO_FREE char *tree = as_tree("/baseline", data, size, &n);

	fuzz_tree_set(tree, n);
	int rc = et_bench_read("/baseline", &r, &err);
	fuzz_tree_set(NULL, 0);
	if (rc)
		return 0;
	for (size_t i = 0; i < r.n; i++) {
		const struct et_bench_row *row = &r.rows[i];
		struct et_bench_estimate e;

		FUZZ_CHECK(row->name != NULL);
		if (et_bench_judge(row->slices, row->n_slices, true, 0, 0.95, &e))
			FUZZ_CHECK(!(e.lo_ns > fmax(e.ns, 0)) && !(e.hi_ns < e.ns));
	}
	print_baseline(&r);
	et_bench_results_free(&r);
	return 1;
}

FUZZ_TARGET(baseline) = { "baseline", fuzz_baseline, 5000, .json = true, .tokens = fuzz_json_tokens,
	.input = "'--baseline' of libetalon's benchmarks",
	.holds = "an estimate is within its interval" };

static char *slice_text(const struct et_slice *s)
{
	struct et_memstream m;
	struct et_json j;

	et_json_init(&j, et_memstream_open(&m), 0);
	et_slice_write(&j, NULL, s);
	return et_memstream_close(&m);
}

/* A slice that was sent again is the same. */
static int fuzz_slice(const uint8_t *data, size_t size)
{
	json_t *root = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
	struct et_slice s, again;
	bool good = et_slice_parse(root, &s);

	json_decref(root);
	if (!good)
		return 0;
	ET_AUTO_FREE char *text = slice_text(&s);
	root = json_loads(text, JSON_DECODE_ANY, NULL);
	FUZZ_CHECK(et_slice_parse(root, &again));
	json_decref(root);
	FUZZ_CHECK(again.n == (s.error ? 0 : s.n) && again.n_counters == s.n_counters);
	ET_AUTO_FREE char *text_again = slice_text(&again);
	FUZZ_CHECK(s.error || !strcmp(text, text_again));
	et_slice_free(&again);
	et_slice_free(&s);
	return 1;
}

FUZZ_TARGET(slice) = { "slice", fuzz_slice, 5000, .json = true, .tokens = fuzz_json_tokens,
	.input = "samples that a worker of a benchmark program sends",
	.holds = "sent again: the same text" };

/* A rate that was written is read again, whatever the file contained. */
static int fuzz_calibration(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/inc.json", fuzz_scratch());
	struct et_error err;
	double rate = 0, again = 0;
	FILE *f = fopen(path, "we");

	FUZZ_CHECK(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
	bool accepted = et_calibration_read(fuzz_scratch(), "Some CPU", &rate, &err) == 0;
	FUZZ_CHECK(!accepted || (rate >= 1e6 && rate <= 1e12));
	/* Writing waits for the disk. */
	if (fuzz_hash(data, size) % 16 == 0) {
		FUZZ_CHECK(et_calibration_write(fuzz_scratch(), "New CPU", 2.5e9, &err) == 0);
		FUZZ_CHECK(et_calibration_read(fuzz_scratch(), "New CPU", &again, &err) == 0);
		FUZZ_CHECK(again == 2.5e9);
	}
	return accepted;
}

FUZZ_TARGET(calibration) = { "calibration", fuzz_calibration, 3000, .json = true,
	.tokens = fuzz_json_tokens, .input = "the file of 'put inc'",
	.holds = "rates within bounds; a written rate is read again" };
