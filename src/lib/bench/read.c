/* SPDX-License-Identifier: MIT */
/*
 * Where results come from (machine, program and library), the results of an earlier run, and
 * whether their times can be compared with new ones. The bytes of a file are not trusted: numbers
 * are checked before they are used, sizes are limited, and texts are cleaned when they are printed.
 */
#include "base/display.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "base/u64.h"
#include "lib/bench/output.h"
#include "lib/slice/complexity.h"
#include "lib/slice/wire.h"

#include <sys/utsname.h>
#include <time.h>

enum {
	MOST_FUNCTIONS = 65536,
	MOST_SLICES = 65536,
	MOST_TEXT = 4096,
	MOST_REASON = 250,
	MOST_VALUE = 100
};

/* --- where results come from --- */

/* How the program was compiled, as it told us. */
static struct {
	const char *compiler, *flags;
	bool optimised;
} built;

void etalon_build(const char *compiler, const char *flags, int optimised)
{
	built.compiler = compiler;
	built.flags = flags;
	built.optimised = optimised != 0;
}

static char *copy(const char *text)
{
	return text ? et_strdup(text) : NULL;
}

/* Returns the value of the first line "key : value", or NULL. The caller frees it. */
static char *line_value(const char *text, const char *key)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		const char *value = line + strcspn(line, ":\n");
		if (*value != ':')
			continue;
		value += 1 + strspn(value + 1, " \t");
		return et_strndup(value, strcspn(value, "\n"));
	}
	return NULL;
}

static char *cpu_model(const char *root)
{
	enum { BYTES = 16384 }; /* enough for the entry of the first CPU */
	ET_AUTO_FREE char *text = et_alloc(BYTES);

	if (et_sysroot_read(root, "/proc/cpuinfo", text, BYTES) <= 0)
		return NULL;
	char *model = line_value(text, "model name");
	return model ? model : line_value(text, "CPU part");
}

static unsigned online_cpus(const char *root)
{
	char list[512];
	cpu_set_t set;

	if (et_sysroot_line(root, "/sys/devices/system/cpu/online", list, sizeof(list)) > 0 &&
		et_parse_cpus("online", list, &set, NULL) == 0)
		return (unsigned)CPU_COUNT(&set);
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

/* Tells machines apart. The id stays secret, as machine-id(5) asks: the hash includes this use. */
static char *machine_id(const char *root)
{
	char id[128], text[192];

	if (et_sysroot_line(root, "/etc/machine-id", id, sizeof(id)) <= 0)
		return NULL;
	snprintf(text, sizeof(text), "libetalon %s", id);
	return et_asprintf("%016" PRIx64, et_hash_text(text));
}

static double load_average(const char *root)
{
	char text[128], *end;

	if (et_sysroot_line(root, "/proc/loadavg", text, sizeof(text)) <= 0)
		return NAN;
	double x = strtod(text, &end);
	return end != text && isfinite(x) && x >= 0 ? x : NAN;
}

/* RFC 3339, in UTC. */
static char *date(void)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[32];

	if (!gmtime_r(&now, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return NULL;
	return et_strdup(text);
}

void et_bench_context_collect(const char *root, const char *program, struct et_bench_context *out)
{
	struct utsname names = { 0 };
	char release[128];

	memset(out, 0, sizeof(*out));
	(void)uname(&names); /* fails on a bad address only */
	if (et_sysroot_line(root, "/proc/sys/kernel/osrelease", release, sizeof(release)) <= 0)
		snprintf(release, sizeof(release), "%.100s", names.release);
	out->date = date();
	out->host = et_strdup(names.nodename);
	out->kernel = et_strdup(release);
	out->cpu = cpu_model(root);
	out->cpus = online_cpus(root);
	out->machine_id = machine_id(root);
	out->version = et_strdup(etalon_version());
	out->program = copy(program);
	out->compiler = copy(built.compiler);
	out->flags = copy(built.flags);
	out->optimised = built.optimised;
	out->load = load_average(root);
	out->hz = NAN;
}

void et_bench_context_free(struct et_bench_context *c)
{
	free(c->date);
	free(c->host);
	free(c->kernel);
	free(c->cpu);
	free(c->compiler);
	free(c->flags);
	free(c->version);
	free(c->program);
	free(c->machine_id);
	memset(c, 0, sizeof(*c));
}

/* --- comparable times --- */

void et_bench_note(struct et_bench_results *r, const char *fmt, ...)
{
	va_list ap;

	r->notes = et_realloc(r->notes, r->n_notes + 1, sizeof(*r->notes));
	va_start(ap, fmt);
	r->notes[r->n_notes++] = et_vasprintf(fmt, ap);
	va_end(ap);
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static int other(
	struct et_error *err, const char *path, const char *what, const char *was, const char *hint)
{
	ET_AUTO_FREE char *clean = et_clean(was, ""), *text = et_shorten(clean, MOST_VALUE);

	return et_refuse(err, hint, "%.150s: the functions were timed with %s%s", path, what, text);
}

/* Times of another cache, another kind of time or another processor differ whatever the code. */
static int check_same(const char *path, const struct et_bench_results *r,
	const struct et_bench_results *old, struct et_error *err)
{
	int clock = old->options.kbest.clock, now = r->options.kbest.clock;

	if (r->options.kbest.cache != old->options.kbest.cache)
		return other(err, path,
			"another cache: ", et_bench_cache_names[old->options.kbest.cache],
			old->options.kbest.cache == ETALON_CACHE_COLD ? "use --cold"
								      : "omit --cold");
	if ((clock == ETALON_CLOCK_CPU) != (now == ETALON_CLOCK_CPU))
		return other(err, path, "another clock: ", et_bench_clock_names[clock],
			clock == ETALON_CLOCK_CPU ? "use --clock cpu" : "omit --clock cpu");
	if (old->google && old->context.version)
		return et_refuse(err, "give --baseline a file that --json wrote",
			"%.150s: --google-json wrote it, without samples", path);
	if (differ(r->context.cpu, old->context.cpu))
		return other(err, path, "another processor: ", old->context.cpu,
			"write a baseline on this machine; `etalon compare` compares machines");
	return 0;
}

static void note_build(
	const char *path, struct et_bench_results *r, const struct et_bench_results *old)
{
	const struct et_bench_context *a = &r->context, *b = &old->context;

	if (differ(a->version, b->version))
		et_bench_note(r, "%s is from libetalon %s: write a new baseline", path, b->version);
	if (differ(a->compiler, b->compiler) || differ(a->flags, b->flags))
		et_bench_note(r, "%s is of a program that was compiled otherwise (%s%s%s)", path,
			b->compiler ? b->compiler : "", b->flags ? " " : "",
			b->flags ? b->flags : "");
	if (!old->google && !r->options.kbest.compensate != !old->options.kbest.compensate)
		et_bench_note(r, "%s was written with%s compensation of interrupts", path,
			old->options.kbest.compensate ? "" : "out");
}

int et_bench_comparable(const char *path, struct et_bench_results *r,
	const struct et_bench_results *old, struct et_error *err)
{
	const struct et_bench_context *a = &r->context, *b = &old->context;
	int rc = check_same(path, r, old, err);

	if (rc)
		return rc;
	if (old->google && !r->options.statistic) {
		r->options.statistic = 1 + ET_BENCH_MEAN;
		et_bench_note(
			r, "%s has means, which include interruptions: so has this table", path);
	}
	if (differ(a->machine_id, b->machine_id) || (old->google && differ(a->host, b->host)))
		et_bench_note(r, "%s is from another machine (%s): write a baseline on this one",
			path, b->host ? b->host : "unknown");
	else if (differ(a->kernel, b->kernel))
		et_bench_note(
			r, "%s is from another kernel (%s): write a new baseline", path, b->kernel);
	note_build(path, r, old);
	return 0;
}

/* --- reading a file --- */

struct reader {
	const char *path;
	struct et_bench_results *out;
	size_t room;          /* for rows */
	struct et_hash index; /* of the first row whose name has this hash, counted from 1 */
	struct et_error *err;
};

static int refuse(struct reader *in, const char *fmt, ...) ET_PRINTF(2, 3);

static int refuse(struct reader *in, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *raw = et_vasprintf(fmt, ap);
	va_end(ap);
	ET_AUTO_FREE char *clean = et_clean(raw, ""), *text = et_shorten(clean, MOST_REASON);
	return et_fail_hint(in->err, EINVAL, ET_EXIT_OUTSIDE,
		"give a file that --json or Google Benchmark wrote", "%.150s: %s", in->path, text);
}

/* --- values --- */

/* Sets *out to a number from lo to hi; null and a missing key leave it. */
static bool number(const json_t *object, const char *key, double lo, double hi, double *out)
{
	const json_t *value = json_object_get(object, key);

	if (!value || json_is_null(value))
		return true;
	double x = json_number_value(value);
	if (!json_is_number(value) || !(x >= lo) || !(x <= hi))
		return false;
	*out = x;
	return true;
}

static bool whole(const json_t *object, const char *key, uint64_t most, uint64_t *out)
{
	const json_t *value = json_object_get(object, key);

	return !value || json_is_null(value) || et_wire_whole(value, most, out);
}

/* Returns a copy of a string, or NULL. */
static char *text(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value) || json_string_length(value) > MOST_TEXT)
		return NULL;
	return et_strdup(json_string_value(value));
}

/* --- rows --- */

static size_t *index_of(struct reader *in, const char *name)
{
	uint64_t key = et_hash_text(name);

	return et_hash_put(&in->index, key ? key : 1);
}

static struct et_bench_row *row_of(struct reader *in, const char *name)
{
	struct et_bench_results *r = in->out;
	size_t first = *index_of(in, name);

	/* Names of the same hash are rare: the first of them is usually the one. */
	for (size_t i = first ? first - 1 : r->n; i < r->n; i++)
		if (!strcmp(r->rows[i].name, name))
			return &r->rows[i];
	return NULL;
}

static struct et_bench_row *add_row(struct reader *in, char *name)
{
	struct et_bench_results *r = in->out;
	size_t *first = index_of(in, name);

	ET_GROW(r->rows, r->n, in->room);
	r->rows[r->n] = (struct et_bench_row){ .name = name };
	if (!*first)
		*first = r->n + 1;
	return &r->rows[r->n++];
}

/* Only a doubling of the number moves the slices. */
static struct et_slice *add_slice(struct et_bench_row *row)
{
	size_t n = row->n_slices;

	if ((n & (n - 1)) == 0)
		row->slices = et_realloc(row->slices, n ? 2 * n : 1, sizeof(*row->slices));
	struct et_slice *s = &row->slices[row->n_slices++];
	*s = (struct et_slice){
		.old = true, .size = NAN, .wall_ns = NAN, .clock = ETALON_CLOCK_RAW
	};
	for (int i = 0; i < ET_EVENTS; i++)
		s->events[i] = NAN;
	return s;
}

/* --- the JSON of et_bench_json --- */

/* Reads one column of samples; a missing one is all zeros. */
static bool column(
	const json_t *slice, const char *key, double lo, double hi, size_t n, double *out)
{
	const json_t *list = json_object_get(slice, key), *value;
	size_t i;

	if (!list)
		return true;
	if (!json_is_array(list) || json_array_size(list) != n)
		return false;
	json_array_foreach(list, i, value)
	{
		out[i] = json_number_value(value);
		if (!json_is_number(value) || !(out[i] >= lo) || !(out[i] <= hi))
			return false;
	}
	return true;
}

static bool samples(const json_t *slice, struct et_slice *s)
{
	enum { COLUMNS = 4 };
	size_t n = json_array_size(json_object_get(slice, "ns"));
	ET_AUTO_FREE double *x = et_calloc(COLUMNS * (n + 1), sizeof(*x));

	if (!n || !column(slice, "ns", -ET_BENCH_MOST_NS, ET_BENCH_MOST_NS, n, x) ||
		!column(slice, "cpu_ns", -ET_BENCH_MOST_NS, ET_BENCH_MOST_NS, n, x + n) ||
		!column(slice, "slowdown", -1, 1e6, n, x + 2 * n) ||
		!column(slice, "marks", 0, UINT16_MAX, n, x + 3 * n))
		return false;
	s->samples = et_calloc(n, sizeof(*s->samples));
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->samples[i] = (struct et_bench_sample){ .ns = x[i],
			.cpu_ns = x[n + i],
			.slowdown = x[2 * n + i],
			.marks = (unsigned)x[3 * n + i] };
	return true;
}

static bool take_slice(const json_t *slice, struct et_slice *s)
{
	const char *clock = json_string_value(json_object_get(slice, "clock"));
	int kind = et_bench_name_index(et_bench_clock_names, clock);
	uint64_t process = 0;

	if (!json_is_object(slice) || kind < 0 || !whole(slice, "process", UINT32_MAX, &process) ||
		!whole(slice, "calls", UINT64_MAX, &s->calls) ||
		!number(slice, "hz", 0, 1e15, &s->hz))
		return false;
	for (const struct et_slice_number *n = et_slice_numbers; n->key; n++)
		if (n->file && !number(slice, n->file, n->lo, n->hi, et_slice_number(s, n)))
			return false;
	s->process = (unsigned)process;
	s->clock = kind;
	return samples(slice, s);
}

/* Numbers the processes from 0 without gaps: later steps go through all numbers. */
static void renumber(struct et_bench_row *row)
{
	ET_AUTO_FREE uint64_t *list = et_calloc(row->n_slices + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < row->n_slices; i++)
		list[i] = row->slices[i].process;
	qsort(list, row->n_slices, sizeof(*list), et_ascending_u64);
	for (size_t i = 0; i < row->n_slices; i++)
		if (!n || list[i] != list[n - 1])
			list[n++] = list[i];
	for (size_t i = 0; i < row->n_slices; i++) {
		uint64_t number = row->slices[i].process;
		const uint64_t *at = bsearch(&number, list, n, sizeof(*list), et_ascending_u64);

		row->slices[i].process = (unsigned)(at - list);
	}
}

static int take_function(struct reader *in, const json_t *f, size_t number)
{
	const json_t *slices = json_object_get(f, "slices"), *slice;
	char *name = text(f, "name");
	size_t i;

	if (!name)
		return refuse(in, "function number %zu has no name", number + 1);
	if (row_of(in, name)) {
		int rc = refuse(in, "two functions have the name '%.60s'", name);

		free(name);
		return et_hint(in->err, rc, "give each function a name of its own");
	}
	struct et_bench_row *row = add_row(in, name);
	if (!json_is_array(slices) || json_array_size(slices) > MOST_SLICES)
		return refuse(in, "'%.60s' has no list of slices, or one that is too long", name);
	json_array_foreach(slices, i, slice)
	{
		if (!take_slice(slice, add_slice(row)))
			return refuse(in, "'%.60s': a value of slice %zu is missing or wrong", name,
				i + 1);
	}
	renumber(row);
	return 0;
}

static void take_context(const json_t *root, struct et_bench_context *c)
{
	const json_t *host = json_object_get(root, "host"), *build = json_object_get(root, "build");
	uint64_t cpus = 0;

	c->version = text(root, "libetalon");
	c->date = text(root, "date");
	c->program = text(root, "program");
	c->host = text(host, "name");
	c->machine_id = text(host, "machine");
	c->kernel = text(host, "kernel");
	c->cpu = text(host, "cpu");
	c->compiler = text(build, "compiler");
	c->flags = text(build, "flags");
	c->optimised = json_is_true(json_object_get(build, "optimised"));
	if (whole(host, "cpus", UINT32_MAX, &cpus))
		c->cpus = (unsigned)cpus;
	c->hz = c->load = NAN;
}

static int take_options(struct reader *in, const json_t *root)
{
	struct et_bench_options *o = &in->out->options;
	const char *protocol = json_string_value(json_object_get(root, "protocol"));
	const json_t *compensate = json_object_get(root, "compensate");
	uint64_t k = 0, most = 0, processes = 0;

	o->kbest.cache = et_bench_name_index(
		et_bench_cache_names, json_string_value(json_object_get(root, "cache")));
	o->kbest.clock = et_bench_name_index(
		et_bench_clock_names, json_string_value(json_object_get(root, "clock")));
	o->kbest.compensate = json_is_true(compensate);
	if (!protocol || strcmp(protocol, "kbest") != 0)
		return refuse(in, "the protocol '%.40s' is not known", protocol ? protocol : "");
	if (o->kbest.cache < 0 || o->kbest.clock < 0 || !json_is_boolean(compensate) ||
		!whole(root, "k", UINT32_MAX, &k) ||
		!whole(root, "max_samples", UINT32_MAX, &most) ||
		!whole(root, "processes", UINT32_MAX, &processes) ||
		!number(root, "epsilon", 0, 1e300, &o->kbest.epsilon) ||
		!number(root, "level", 0, 1, &o->level))
		return refuse(in, "an option is missing or wrong");
	o->kbest.k = (uint32_t)k;
	o->kbest.max_samples = (uint32_t)most;
	o->processes = (unsigned)processes;
	return 0;
}

static int check_version(struct reader *in, const json_t *root)
{
	const json_t *version = json_object_get(root, "etalon");
	long long v = json_integer_value(version);

	if (!json_is_integer(version) || v < 1)
		return refuse(in, "it has no version of its format");
	if (v == ET_BENCH_FORMAT)
		return 0;
	return et_refuse(in->err,
		v == 1 ? "write a new baseline with --json" : "use a newer libetalon",
		"%.150s: the file has format %lld, not %d%s", in->path, v, ET_BENCH_FORMAT,
		v == 1 ? ", and no samples" : "");
}

static int take_etalon(struct reader *in, const json_t *root)
{
	const json_t *list = json_object_get(root, "functions"), *f;
	int rc = check_version(in, root);
	size_t i;

	if (!rc)
		rc = take_options(in, root);
	if (rc)
		return rc;
	take_context(root, &in->out->context);
	if (json_array_size(list) > MOST_FUNCTIONS)
		return refuse(in, "more than %d functions", MOST_FUNCTIONS);
	json_array_foreach(list, i, f)
	{
		rc = take_function(in, f, i);
		if (rc)
			return rc;
	}
	return 0;
}

/* --- the JSON of Google Benchmark --- */

static double unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

	for (size_t i = 0; unit && i < ET_LENGTH(units); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].ns;
	return NAN;
}

/* Each repetition becomes the only sample of a process. */
static int take_repetition(struct reader *in, const json_t *b, size_t number_of)
{
	const char *type = json_string_value(json_object_get(b, "run_type"));
	const char *name = json_string_value(json_object_get(b, "run_name"));
	double ns = unit_ns(json_string_value(json_object_get(b, "time_unit"))), real = -1, cpu = 0;
	uint64_t iterations = 0;

	if ((type && strcmp(type, "iteration") != 0) ||
		json_is_true(json_object_get(b, "error_occurred")) ||
		json_is_true(json_object_get(b, "skipped")))
		return 0;
	if (!name)
		name = json_string_value(json_object_get(b, "name"));
	if (!name || strlen(name) > MOST_TEXT || !isfinite(ns) ||
		!number(b, "real_time", 0, ET_BENCH_MOST_NS, &real) || real < 0 ||
		!number(b, "cpu_time", 0, ET_BENCH_MOST_NS, &cpu) ||
		!whole(b, "iterations", UINT64_MAX, &iterations))
		return refuse(in, "benchmark number %zu has no name or time", number_of + 1);
	struct et_bench_row *row = row_of(in, name);
	if (!row)
		row = add_row(in, et_strdup(name));
	struct et_slice *s = add_slice(row);
	s->process = (unsigned)(row->n_slices - 1);
	s->calls = iterations;
	s->n = 1;
	s->samples = et_calloc(1, sizeof(*s->samples));
	s->samples[0] = (struct et_bench_sample){ .ns = real * ns, .cpu_ns = cpu * ns };
	return 0;
}

static int take_google(struct reader *in, const json_t *root)
{
	const json_t *list = json_object_get(root, "benchmarks"), *b;
	const json_t *from = json_object_get(root, "context");
	struct et_bench_context *c = &in->out->context;
	size_t i;

	in->out->google = true;
	in->out->options.kbest.clock = ETALON_CLOCK_AUTO;
	c->date = text(from, "date");
	c->host = text(from, "host_name");
	c->program = text(from, "executable");
	c->version = text(from, "libetalon");
	c->hz = c->load = NAN;
	if (json_array_size(list) > MOST_SLICES)
		return refuse(in, "more than %d benchmarks", MOST_SLICES);
	json_array_foreach(list, i, b)
	{
		int rc = take_repetition(in, b, i);

		if (rc)
			return rc;
	}
	return 0;
}

/* --- files --- */

static int load(struct reader *in, json_t **root)
{
	json_error_t why;

	ET_AUTO_FCLOSE FILE *f = fopen(in->path, "re");
	if (!f)
		return et_fail_file(in->err, errno, ET_EXIT_OUTSIDE, in->path);
	errno = 0;
	*root = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
	if (*root)
		return 0;
	/* jansson does not always set a code or a text if memory runs out. */
	if (errno == ENOMEM || errno == EISDIR)
		return et_fail_file(in->err, errno, ET_EXIT_OUTSIDE, in->path);
	return refuse(in, "line %d: %s", why.line, why.text);
}

int et_bench_read(const char *path, struct et_bench_results *out, struct et_error *err)
{
	struct et_bench_results r = { 0 };
	struct reader in = {
		.path = path, .out = &r, .index = { .width = sizeof(size_t) }, .err = err
	};
	json_t *root;
	int rc = load(&in, &root);

	if (rc)
		return rc;
	if (json_is_array(json_object_get(root, "functions")))
		rc = take_etalon(&in, root);
	else if (json_is_array(json_object_get(root, "benchmarks")))
		rc = take_google(&in, root);
	else
		rc = refuse(&in, "it has no list of functions");
	json_decref(root);
	et_hash_free(&in.index);
	if (rc) {
		et_bench_results_free(&r);
		return rc;
	}
	*out = r;
	return 0;
}

void et_bench_results_free(struct et_bench_results *r)
{
	for (size_t i = 0; i < r->n; i++) {
		for (size_t k = 0; k < r->rows[i].n_slices; k++)
			et_slice_free(&r->rows[i].slices[k]);
		free(r->rows[i].slices);
		free(r->rows[i].name);
		free(r->rows[i].error);
	}
	free(r->rows);
	for (size_t i = 0; i < r->n_notes; i++)
		free(r->notes[i]);
	free(r->notes);
	et_complexity_free(r->complexity, r->n_complexity);
	et_bench_context_free(&r->context);
	memset(r, 0, sizeof(*r));
}
