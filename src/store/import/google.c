/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what Google Benchmark writes with --benchmark_out: each benchmark becomes a command, and
 * each repetition, which is a mean over its iterations, a run. Aggregates are skipped.
 */
#include "base/alloc.h"
#include "store/import/importer.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const double MOST_NS = 9e12;

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
	struct et_importer *in, const json_t *b, const struct et_import_place *at)
{
	const char *type = NULL, *run = NULL, *name = NULL;
	double unit_ns = 1, real, cpu;
	uint32_t number;

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
		et_import_call(in, number, real, cpu);
	return rc;
}

int et_import_google(struct et_importer *in, const json_t *root)
{
	static const struct et_import_place list = { NULL, "benchmarks", 0 };
	const json_t *context = NULL, *benchmarks, *b;
	int rc = et_read_branch(in, root, "context", JSON_OBJECT, NULL, &context);

	if (!rc && context)
		rc = et_import_origin(in, context, "date", "executable");
	if (!rc)
		rc = et_read_branch(in, root, "benchmarks", JSON_ARRAY, NULL, &benchmarks);
	if (rc)
		return rc;
	ET_AUTO_LIST struct et_list l = et_list_open(in, benchmarks);
	while ((b = et_list_next(&l))) {
		struct et_import_place here = { &list, NULL, l.at };

		rc = read_repetition(in, b, &here);
		if (rc)
			return rc;
	}
	return l.rc;
}
