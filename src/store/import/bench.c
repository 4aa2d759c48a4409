/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the JSON of programs that time functions; each function becomes a command.
 *
 * Of benchmark programs of libetalon: Samples of one process depend on each other (its addresses,
 * its allocations), so a process with the value that the program judged is one run. Records without
 * these values have the best, median or mean of its samples instead. The samples themselves are
 * runs only if there is a single process.
 *
 * Of Google Benchmark (--benchmark_out): each repetition, which is a mean over its iterations, is a
 * run. Aggregates are skipped.
 */
#include "base/alloc.h"
#include "base/doubles.h"
#include "store/import/importer.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { FORMAT = 2 };

static const double MOST_NS = 9e12; /* two hours and a half per call */

/*
 * The model has whole nanoseconds, and a call may take less than one: the sample has the time of a
 * million calls.
 */
enum { CALLS = 1000000 };

enum statistic { BEST, MEDIAN, MEAN };
static const char *const statistics[] = { "best", "median", "mean" };

typedef int element_reader(
	struct et_importer *in, const json_t *element, void *ctx, const struct et_import_place *at);

/* Reads each element of a list, which may be NULL. */
static int read_each(struct et_importer *in, const json_t *list, const char *key,
	const struct et_import_place *up, element_reader *read, void *ctx)
{
	const struct et_import_place place = { up, key, 0 };
	const json_t *element;
	int rc = 0;

	ET_AUTO_LIST struct et_list l = et_list_open(in, list);
	while (rc == 0 && (element = et_list_next(&l))) {
		struct et_import_place here = { &place, NULL, l.at };

		rc = read(in, element, ctx, &here);
	}
	return rc ? rc : l.rc;
}

struct values {
	double *list;
	size_t n, room;
};

static void free_values(struct values *v)
{
	free(v->list);
}

/* v is not empty; it is sorted here. */
static double value_of(struct values *v, enum statistic statistic)
{
	double sum = 0;

	qsort(v->list, v->n, sizeof(*v->list), et_ascending);
	for (size_t i = 0; i < v->n; i++)
		sum += v->list[i];
	return statistic == MEAN   ? sum / (double)v->n
	       : statistic == BEST ? v->list[0]
				   : (v->list[(v->n - 1) / 2] + v->list[v->n / 2]) / 2;
}

static int add_value(
	struct et_importer *in, const json_t *value, void *ctx, const struct et_import_place *at)
{
	struct values *v = ctx;
	double ns = json_number_value(value);

	if (!json_is_number(value) || !(fabs(ns) <= MOST_NS))
		return et_import_fail(in, at, "is not a time in nanoseconds");
	ET_GROW(v->list, v->n, v->room);
	v->list[v->n++] = ns;
	return 0;
}

static int read_values(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at, struct values *out)
{
	const json_t *values;
	int rc = et_read_branch(in, object, key, JSON_ARRAY, at, &values);

	return rc ? rc : read_each(in, values, key, at, add_value, out);
}

/*
 * Adds a run with the times of one call of a function; a CPU time of 0 is not known. A time below 0
 * is a function as short as the empty call that was subtracted.
 */
static void add_call(struct et_importer *in, uint32_t command, double ns, double cpu_ns)
{
	struct et_sample s;

	memset(&s, 0, sizeof(s));
	et_fields_set_missing(et_sample_fields, &s);
	s.place.command = command;
	s.measured.exit_code = 0;
	s.measured.calls = CALLS;
	s.measured.elapsed_ns = (uint64_t)llround(fmax(ns, 0) * CALLS);
	if (cpu_ns > 0)
		s.measured.cpu_ns = (uint64_t)llround(cpu_ns * CALLS);
	s.place.round = (uint32_t)in->e->commands[command].samples.n + 1;
	et_experiment_add(in->e, &s);
}

/* The figures that the slices of one function share. */
struct function {
	uint32_t number;
	enum statistic statistic;
	bool alone;           /* there is only one process */
	struct values judged; /* the values of the processes; none in older records */
};

static void free_function(struct function *f)
{
	free_values(&f->judged);
}

/* Samples with a mark were disturbed; they count if there are no others. */
static void add_samples(struct et_importer *in, uint32_t number, const struct values *ns,
	const struct values *cpu, const struct values *marks)
{
	bool clean = false;

	for (size_t i = 0; i < marks->n; i++)
		clean = clean || marks->list[i] == 0;
	for (size_t i = 0; i < ns->n; i++)
		if (!clean || marks->list[i] == 0)
			add_call(in, number, ns->list[i], cpu->n ? cpu->list[i] : 0);
}

static int read_slice(
	struct et_importer *in, const json_t *slice, void *ctx, const struct et_import_place *at)
{
	const struct function *f = ctx;
	ET_CLEANUP(free_values) struct values ns = { 0 };
	ET_CLEANUP(free_values) struct values cpu = { 0 };
	ET_CLEANUP(free_values) struct values marks = { 0 };

	if (!json_is_object(slice))
		return et_import_fail(in, at, "is not an object");
	int rc = read_values(in, slice, "ns", at, &ns);
	if (!rc)
		rc = read_values(in, slice, "cpu_ns", at, &cpu);
	if (!rc)
		rc = read_values(in, slice, "marks", at, &marks);
	if (rc)
		return rc;
	if (!ns.n || (cpu.n && cpu.n != ns.n) || (marks.n && marks.n != ns.n))
		return et_import_fail(in, at, "has no times, or not as many CPU times or marks");
	if (f->alone)
		add_samples(in, f->number, &ns, &cpu, &marks);
	else
		add_call(in, f->number,
			f->judged.n ? f->judged.list[at->index] : value_of(&ns, f->statistic),
			cpu.n ? value_of(&cpu, f->statistic) : 0);
	return 0;
}

static int read_statistic(struct et_importer *in, const json_t *function,
	const struct et_import_place *at, enum statistic *out)
{
	const char *text;
	int rc = et_read_text(in, function, "statistic", at, &text);

	*out = BEST;
	if (rc || !text)
		return rc;
	for (size_t i = 0; i < ET_LENGTH(statistics); i++) {
		if (!strcmp(text, statistics[i])) {
			*out = (enum statistic)i;
			return 0;
		}
	}
	return et_import_fail(in, at, "has the statistic '%.40s'", text);
}

static int add_function(struct et_importer *in, const struct et_import_place *at, const char *name)
{
	for (size_t i = 0; i < in->e->n_commands; i++)
		if (!strcmp(in->e->commands[i].name, name))
			return et_hint(in->err,
				et_import_fail(in, at, "two functions have the name '%.60s'", name),
				"give each function a name of its own");
	return et_import_command(in, at, name) ? 0 : -EINVAL;
}

/* Values that do not belong to one slice each have no CPU times. */
static void add_judged(struct et_importer *in, const struct function *f)
{
	for (size_t i = 0; i < f->judged.n; i++)
		add_call(in, f->number, f->judged.list[i], 0);
}

static int read_slices(struct et_importer *in, const json_t *function, const json_t *slices,
	const struct et_import_place *at)
{
	size_t n = et_list_size(in, slices);
	ET_CLEANUP(free_function)
	struct function f = { .number = (uint32_t)in->e->n_commands - 1, .alone = n == 1 };
	int rc = read_statistic(in, function, at, &f.statistic);

	if (!rc)
		rc = read_values(in, function, "process_ns", at, &f.judged);
	if (rc)
		return rc;
	in->e->commands[f.number].statistic = statistics[f.statistic];
	if (!f.alone && f.judged.n && f.judged.n != n) {
		add_judged(in, &f);
		return 0;
	}
	return read_each(in, slices, "slices", at, read_slice, &f);
}

/* A function that failed has no times, and is omitted. */
static int read_function(
	struct et_importer *in, const json_t *function, void *ctx, const struct et_import_place *at)
{
	const json_t *slices = NULL;
	const char *name = NULL;

	(void)ctx;
	if (!json_is_object(function))
		return et_import_fail(in, at, "is not an object");
	int rc = et_read_text(in, function, "name", at, &name);
	if (!rc)
		rc = et_read_branch(in, function, "slices", JSON_ARRAY, at, &slices);
	if (rc)
		return rc;
	if (!name)
		return et_import_fail(in, at, "has no name");
	if (!et_list_size(in, slices)) {
		in->omitted++;
		return 0;
	}
	rc = add_function(in, at, name);
	if (!rc)
		rc = et_read_parameters(in, function, &in->e->commands[in->e->n_commands - 1], at);
	return rc ? rc : read_slices(in, function, slices, at);
}

static int read_version(struct et_importer *in, const json_t *root)
{
	static const struct et_import_place here = { NULL, "etalon", 0 };
	const json_t *version = json_object_get(root, "etalon");
	long long v = json_integer_value(version);

	if (!json_is_integer(version))
		return et_import_fail(in, &here, "is not the version of a record");
	if (v == FORMAT)
		return 0;
	return et_hint(in->err,
		et_import_fail(
			in, &here, "the record of functions has version %lld, not %d", v, FORMAT),
		v < FORMAT ? "time the functions again: older records have no samples"
			   : "use a newer etalon");
}

static const struct et_field host_fields[] = {
	{ "name", ET_FIELD_CHARS, .offset = offsetof(struct et_host, name),
		.size = sizeof(((struct et_host *)0)->name) },
	{ "kernel", ET_FIELD_CHARS, .offset = offsetof(struct et_host, kernel),
		.size = sizeof(((struct et_host *)0)->kernel) },
	{ "cpu", ET_FIELD_CHARS, .offset = offsetof(struct et_host, cpu),
		.size = sizeof(((struct et_host *)0)->cpu) },
	{ "cpus", ET_FIELD_U32, .offset = offsetof(struct et_host, cpus), .hi = UINT32_MAX },
	{ 0 },
};

/* Takes the start of the experiment and its label from these keys. */
static int read_origin(
	struct et_importer *in, const json_t *from, const char *date, const char *program)
{
	struct et_experiment *e = in->e;
	const char *text;
	int rc = et_read_text(in, from, date, NULL, &text);

	e->metric = ET_METRIC_ELAPSED;
	e->plan.order = ET_ORDER_RANDOM;
	if (!rc && text && !et_import_time(text, &e->started_wall_ns))
		rc = et_import_fail(in, NULL, "%s: '%.40s' is not a time like 2026-11-15T08:55:06Z",
			date, text);
	if (!rc)
		rc = et_read_text(in, from, program, NULL, &text);
	if (!rc && text)
		e->label = et_strdup(text);
	return rc;
}

int et_import_bench(struct et_importer *in, const json_t *root)
{
	static const struct et_import_place here = { NULL, "host", 0 };
	const json_t *functions, *host = NULL;
	int rc = read_version(in, root);

	if (!rc)
		rc = read_origin(in, root, "date", "program");
	if (!rc)
		rc = et_read_branch(in, root, "host", JSON_OBJECT, NULL, &host);
	if (!rc && host)
		rc = et_read_fields(in, host, host_fields, &in->e->host, &here);
	if (!rc)
		rc = et_read_branch(in, root, "functions", JSON_ARRAY, NULL, &functions);
	return rc ? rc : read_each(in, functions, "functions", NULL, read_function, NULL);
}

/* --- Google Benchmark --- */

static int read_unit(
	struct et_importer *in, const json_t *b, const struct et_import_place *at, double *out)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *text;
	int rc = et_read_text(in, b, "time_unit", at, &text);

	for (size_t i = 0; !rc && i < ET_LENGTH(units); i++) {
		if (!strcmp(text ? text : "ns", units[i].name)) {
			*out = units[i].ns;
			return 0;
		}
	}
	return rc ? rc : et_import_fail(in, at, "has the time unit '%.20s'", text);
}

static int read_time(struct et_importer *in, const json_t *b, const char *key, double unit_ns,
	const struct et_import_place *at, double *out)
{
	struct et_import_place here = { at, key, 0 };
	const json_t *value = json_object_get(b, key);

	*out = json_number_value(value) * unit_ns;
	if (!json_is_number(value) || !(*out >= 0) || !(*out <= MOST_NS))
		return et_import_fail(in, &here, "is not a time");
	return 0;
}

/* Repetitions may be interleaved, so a command may have been added long before. */
static int find(
	struct et_importer *in, const struct et_import_place *at, const char *name, uint32_t *out)
{
	struct et_experiment *e = in->e;

	for (*out = 0; *out < e->n_commands; ++*out)
		if (!strcmp(e->commands[*out].name, name))
			return 0;
	struct et_command *c = et_import_command(in, at, name);
	if (c)
		c->statistic = "mean";
	return c ? 0 : -EINVAL;
}

/* "skipped" is of version 1.8 and later. */
static bool has_no_time(const json_t *b)
{
	return json_is_true(json_object_get(b, "error_occurred")) ||
	       json_is_true(json_object_get(b, "skipped"));
}

static int read_repetition(
	struct et_importer *in, const json_t *b, void *ctx, const struct et_import_place *at)
{
	const char *type = NULL, *run = NULL, *name = NULL;
	double unit_ns = 1, real, cpu;
	uint32_t number;

	(void)ctx;
	if (!json_is_object(b))
		return et_import_fail(in, at, "is not an object");
	int rc = et_read_text(in, b, "run_type", at, &type);
	if (!rc)
		rc = et_read_text(in, b, "run_name", at, &run);
	if (!rc)
		rc = et_read_text(in, b, "name", at, &name);
	if (rc)
		return rc;
	if (type && strcmp(type, "iteration") != 0)
		return 0;
	if (has_no_time(b)) {
		in->omitted++;
		return 0;
	}
	if (!run && !name)
		return et_import_fail(in, at, "has no name");
	rc = read_unit(in, b, at, &unit_ns);
	if (!rc)
		rc = read_time(in, b, "real_time", unit_ns, at, &real);
	if (!rc)
		rc = read_time(in, b, "cpu_time", unit_ns, at, &cpu);
	if (!rc)
		rc = find(in, at, run ? run : name, &number);
	if (!rc)
		add_call(in, number, real, cpu);
	return rc;
}

int et_import_google(struct et_importer *in, const json_t *root)
{
	const json_t *context = NULL, *benchmarks;
	int rc = et_read_branch(in, root, "context", JSON_OBJECT, NULL, &context);

	if (!rc && context)
		rc = read_origin(in, context, "date", "executable");
	if (!rc)
		rc = et_read_branch(in, root, "benchmarks", JSON_ARRAY, NULL, &benchmarks);
	return rc ? rc : read_each(in, benchmarks, "benchmarks", NULL, read_repetition, NULL);
}
