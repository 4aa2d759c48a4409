/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the JSON of benchmark programs of libetalon: each function becomes a command. Samples of
 * one process depend on each other (its addresses, its allocations), so a process with the value
 * that the program judged is one run. Records without these values have the best, median or mean of
 * its samples instead. The samples themselves are runs only if there is a single process.
 */
#include "base/alloc.h"
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

struct values {
	double *list;
	size_t n, room;
};

static void free_values(struct values *v)
{
	free(v->list);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* v is not empty; it is sorted here. */
static double value_of(struct values *v, enum statistic statistic)
{
	double sum = 0;

	qsort(v->list, v->n, sizeof(*v->list), by_size);
	for (size_t i = 0; i < v->n; i++)
		sum += v->list[i];
	return statistic == MEAN   ? sum / (double)v->n
	       : statistic == BEST ? v->list[0]
				   : (v->list[(v->n - 1) / 2] + v->list[v->n / 2]) / 2;
}

static int read_values(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at, struct values *out)
{
	struct et_import_place list = { at, key, 0 };
	const json_t *values, *value;
	int rc = et_read_branch(in, object, key, JSON_ARRAY, at, &values);

	if (rc)
		return rc;
	ET_AUTO_LIST struct et_list l = et_list_open(in, values);
	while ((value = et_list_next(&l))) {
		struct et_import_place here = { &list, NULL, l.at };
		double ns = json_number_value(value);

		if (!json_is_number(value) || !(fabs(ns) <= MOST_NS))
			return et_import_fail(in, &here, "is not a time in nanoseconds");
		ET_GROW(out->list, out->n, out->room);
		out->list[out->n++] = ns;
	}
	return l.rc;
}

/* A time below 0 is a function as short as the empty call that was subtracted. */
void et_import_call(struct et_importer *in, uint32_t command, double ns, double cpu_ns)
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
			et_import_call(in, number, ns->list[i], cpu->n ? cpu->list[i] : 0);
}

static int read_slice(struct et_importer *in, const json_t *slice, const struct function *f,
	const struct et_import_place *at)
{
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
		et_import_call(in, f->number,
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
		et_import_call(in, f->number, f->judged.list[i], 0);
}

static int read_slices(struct et_importer *in, const json_t *function, const json_t *slices,
	const struct et_import_place *at)
{
	struct et_import_place list = { at, "slices", 0 };
	size_t n = et_list_size(in, slices);
	ET_CLEANUP(free_function)
	struct function f = { .number = (uint32_t)in->e->n_commands - 1, .alone = n == 1 };
	const json_t *slice;
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
	ET_AUTO_LIST struct et_list l = et_list_open(in, slices);
	while ((slice = et_list_next(&l))) {
		struct et_import_place here = { &list, NULL, l.at };

		rc = read_slice(in, slice, &f, &here);
		if (rc)
			return rc;
	}
	return l.rc;
}

/* A function that failed has no times, and is omitted. */
static int read_function(
	struct et_importer *in, const json_t *function, const struct et_import_place *at)
{
	const json_t *slices = NULL;
	const char *name = NULL;

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

int et_import_origin(
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
	static const struct et_import_place list = { NULL, "functions", 0 };
	static const struct et_import_place here = { NULL, "host", 0 };
	const json_t *functions, *function, *host = NULL;
	int rc = read_version(in, root);

	if (!rc)
		rc = et_import_origin(in, root, "date", "program");
	if (!rc)
		rc = et_read_branch(in, root, "host", JSON_OBJECT, NULL, &host);
	if (!rc && host)
		rc = et_read_fields(in, host, host_fields, &in->e->host, &here);
	if (!rc)
		rc = et_read_branch(in, root, "functions", JSON_ARRAY, NULL, &functions);
	if (rc)
		return rc;
	ET_AUTO_LIST struct et_list l = et_list_open(in, functions);
	while ((function = et_list_next(&l))) {
		struct et_import_place at = { &list, NULL, l.at };

		rc = read_function(in, function, &at);
		if (rc)
			return rc;
	}
	return l.rc;
}
