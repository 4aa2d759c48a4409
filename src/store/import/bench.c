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
#include "base/doubles.h"
#include "store/import/importer.h"

enum { FORMAT = 2 };

static const double MOST_NS = 9e12; /* two hours and a half per call */

/*
 * The model has whole nanoseconds, and a call may take less than one: the sample has the time of a
 * million calls.
 */
enum { CALLS = 1000000 };

enum statistic { BEST, MEDIAN, MEAN };
static const char *const statistics[] = { "best", "median", "mean", NULL };

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

static struct values read_values(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at)
{
	ET_AUTO_LIST struct et_list l = et_list_of(in, object, key, at);
	struct values v = { 0 };
	const json_t *value;

	while ((value = et_list_next(&l))) {
		double ns = json_number_value(value);

		if (!json_is_number(value) || !(fabs(ns) <= MOST_NS))
			et_import_fail(in, &l.here, "is not a time in nanoseconds");
		ET_GROW(v.list, v.n, v.room);
		v.list[v.n++] = ns;
	}
	return v;
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
	bool alone;                  /* there is only one process */
	const struct values *judged; /* the values of the processes; none in older records */
};

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

static void read_slice(
	struct et_importer *in, const json_t *slice, void *ctx, const struct et_import_place *at)
{
	const struct function *f = ctx;
	ET_CLEANUP(free_values) struct values ns = read_values(in, slice, "ns", at);
	ET_CLEANUP(free_values) struct values cpu = read_values(in, slice, "cpu_ns", at);
	ET_CLEANUP(free_values) struct values marks = read_values(in, slice, "marks", at);

	if (!ns.n || (cpu.n && cpu.n != ns.n) || (marks.n && marks.n != ns.n))
		et_import_fail(in, at, "has no times, or not as many CPU times or marks");
	if (in->failed)
		return;
	if (f->alone)
		add_samples(in, f->number, &ns, &cpu, &marks);
	else
		add_call(in, f->number,
			f->judged->n ? f->judged->list[at->index] : value_of(&ns, f->statistic),
			cpu.n ? value_of(&cpu, f->statistic) : 0);
}

static enum statistic read_statistic(
	struct et_importer *in, const json_t *function, const struct et_import_place *at)
{
	const char *text = et_read_text(in, function, "statistic", at);
	int i = text ? et_name_index(statistics, text) : BEST;

	if (i < 0)
		et_import_fail(in, at, "has the statistic '%.40s'", text);
	return i < 0 ? BEST : (enum statistic)i;
}

/* Adds the command of a function. */
static struct et_command *add_function(
	struct et_importer *in, const struct et_import_place *at, const char *name)
{
	for (size_t i = 0; i < in->e->n_commands; i++) {
		if (strcmp(in->e->commands[i].name, name) != 0)
			continue;
		et_hint(in->err,
			et_import_fail(in, at, "two functions have the name '%.60s'", name),
			"give each function a name of its own");
		return NULL;
	}
	return et_import_command(in, at, name);
}

static void read_slices(struct et_importer *in, const json_t *function, size_t n,
	struct et_command *c, const struct et_import_place *at)
{
	struct function f = { .number = (uint32_t)in->e->n_commands - 1,
		.statistic = read_statistic(in, function, at),
		.alone = n == 1 };
	ET_CLEANUP(free_values) struct values judged = read_values(in, function, "process_ns", at);

	f.judged = &judged;
	c->statistic = statistics[f.statistic];
	if (f.alone || !judged.n || judged.n == n) {
		et_read_each(in, function, "slices", at, read_slice, &f);
		return;
	}
	/* Values that do not belong to one slice each have no CPU times. */
	for (size_t i = 0; !in->failed && i < judged.n; i++)
		add_call(in, f.number, judged.list[i], 0);
}

/* A function that failed has no times, and is omitted. */
static void read_function(struct et_importer *in, const json_t *function, ET_UNUSED void *ctx,
	const struct et_import_place *at)
{
	const char *name = et_read_text(in, function, "name", at);
	size_t n = et_list_size(in, et_read_branch(in, function, "slices", JSON_ARRAY, at));

	if (!name)
		et_import_fail(in, at, "has no name");
	if (in->failed)
		return;
	if (!n) {
		in->omitted++;
		return;
	}
	struct et_command *c = add_function(in, at, name);
	if (!c)
		return;
	et_read_parameters(in, function, c, at);
	read_slices(in, function, n, c, at);
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
static void read_origin(
	struct et_importer *in, const json_t *from, const char *date, const char *program)
{
	struct et_experiment *e = in->e;
	const char *started = et_read_text(in, from, date, NULL);

	e->metric = ET_METRIC_ELAPSED;
	e->plan.order = ET_ORDER_RANDOM;
	if (started && !et_import_time(started, &e->started_wall_ns))
		et_import_fail(in, NULL, "%s: '%.40s' is not a time like 2026-11-15T08:55:06Z",
			date, started);
	const char *label = et_read_text(in, from, program, NULL);
	e->label = label ? et_strdup(label) : NULL;
}

int et_import_bench(struct et_importer *in, const json_t *root)
{
	if (!read_version(in, root))
		read_origin(in, root, "date", "program");
	et_read_object(in, root, "host", host_fields, &in->e->host, NULL);
	et_read_each(in, root, "functions", NULL, read_function, NULL);
	return in->failed;
}

/* --- Google Benchmark --- */

static double read_unit(struct et_importer *in, const json_t *b, const struct et_import_place *at)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *text = et_read_text(in, b, "time_unit", at);

	for (size_t i = 0; i < ET_LENGTH(units); i++) {
		if (!strcmp(text ? text : "ns", units[i].name))
			return units[i].ns;
	}
	et_import_fail(in, at, "has the time unit '%.20s'", text);
	return 1;
}

static double read_time(struct et_importer *in, const json_t *b, const char *key, double unit_ns,
	const struct et_import_place *at)
{
	const json_t *value = json_object_get(b, key);
	double ns = json_number_value(value) * unit_ns;

	if (!json_is_number(value) || !(ns >= 0) || !(ns <= MOST_NS))
		et_import_fail(in, &(struct et_import_place){ at, key, 0 }, "is not a time");
	return ns;
}

/* Repetitions may be interleaved, so a command may have been added long before. */
static uint32_t find(struct et_importer *in, const struct et_import_place *at, const char *name)
{
	struct et_experiment *e = in->e;
	uint32_t i = 0;

	while (i < e->n_commands && strcmp(e->commands[i].name, name) != 0)
		i++;
	struct et_command *c = i < e->n_commands ? NULL : et_import_command(in, at, name);
	if (c)
		c->statistic = "mean";
	return i;
}

/* "skipped" is of version 1.8 and later. */
static bool has_no_time(const json_t *b)
{
	return json_is_true(json_object_get(b, "error_occurred")) ||
	       json_is_true(json_object_get(b, "skipped"));
}

static void read_repetition(struct et_importer *in, const json_t *b, ET_UNUSED void *ctx,
	const struct et_import_place *at)
{
	const char *type = et_read_text(in, b, "run_type", at),
		   *run = et_read_text(in, b, "run_name", at),
		   *name = et_read_text(in, b, "name", at);

	if (in->failed || (type && strcmp(type, "iteration") != 0))
		return;
	if (has_no_time(b)) {
		in->omitted++;
		return;
	}
	if (!run && !name)
		et_import_fail(in, at, "has no name");
	double unit_ns = read_unit(in, b, at);
	double real = read_time(in, b, "real_time", unit_ns, at);
	double cpu = read_time(in, b, "cpu_time", unit_ns, at);
	uint32_t number = in->failed ? 0 : find(in, at, run ? run : name);
	if (!in->failed)
		add_call(in, number, real, cpu);
}

int et_import_google(struct et_importer *in, const json_t *root)
{
	const json_t *context = et_read_branch(in, root, "context", JSON_OBJECT, NULL);

	if (context)
		read_origin(in, context, "date", "executable");
	et_read_each(in, root, "benchmarks", NULL, read_repetition, NULL);
	return in->failed;
}
