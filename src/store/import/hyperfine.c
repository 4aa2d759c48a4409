/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what hyperfine --export-json writes: one list of elapsed seconds per command. The file has
 * only the means of user and system time, so the CPU time of a run is not known.
 */
#include "base/alloc.h"
#include "store/import/importer.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int read_seconds(struct et_importer *in, const json_t *value,
	const struct et_import_place *at, uint64_t *out_ns)
{
	double seconds = json_number_value(value);

	if (!json_is_number(value) || !(seconds >= 0 && seconds < 9.2e9))
		return et_import_fail(in, at, "is not a time in seconds");
	*out_ns = (uint64_t)llround(seconds * 1e9);
	return 0;
}

/* code is NULL if the list has no element for the run. */
static int read_exit_code(
	struct et_importer *in, const json_t *code, const struct et_list *list, int32_t *out)
{
	if (!list->there)
		*out = 0;
	else if (!code || json_is_null(code))
		*out = -1; /* a signal ended it; the file does not contain which */
	else if (!json_is_integer(code) || json_integer_value(code) < -1 ||
		 json_integer_value(code) > 255)
		return et_import_fail(in, &list->here, "is not an exit status");
	else
		*out = (int32_t)json_integer_value(code);
	return 0;
}

/* The lists of a result while they are read side by side. */
struct reading {
	struct et_list times, exit_codes, memory;
};

static void end_reading(struct reading *r)
{
	et_list_close(&r->memory);
	et_list_close(&r->exit_codes);
	et_list_close(&r->times);
}

static int first_failure(const struct reading *r)
{
	return r->times.rc ? r->times.rc : r->exit_codes.rc ? r->exit_codes.rc : r->memory.rc;
}

static int read_runs(struct et_importer *in, const json_t *result, uint32_t command,
	const struct et_import_place *at)
{
	ET_CLEANUP(end_reading)
	struct reading r = { et_list_of(in, result, "times", at),
		et_list_of(in, result, "exit_codes", at),
		et_list_of(in, result, "memory_usage_byte", at) };
	const json_t *time;
	int rc = first_failure(&r);

	if (!rc && !r.times.n)
		return et_hint(in->err, et_import_fail(in, at, "has no times of single runs"),
			"use a file that hyperfine --export-json has written");
	while (!rc && (time = et_list_next(&r.times))) {
		const json_t *code = et_list_next(&r.exit_codes), *bytes = et_list_next(&r.memory);
		struct et_sample s;

		memset(&s, 0, sizeof(s));
		et_fields_set_missing(et_sample_fields, &s);
		s.place.command = command;
		s.place.round = (uint32_t)r.times.at + 1;
		rc = first_failure(&r);
		if (!rc)
			rc = read_seconds(in, time, &r.times.here, &s.measured.elapsed_ns);
		if (!rc)
			rc = read_exit_code(in, code, &r.exit_codes, &s.measured.exit_code);
		if (rc)
			return rc;
		if (json_is_integer(bytes) && json_integer_value(bytes) >= 0)
			s.measured.max_rss_bytes = (uint64_t)json_integer_value(bytes);
		et_experiment_add(in->e, &s);
	}
	return rc ? rc : first_failure(&r);
}

static int read_result(struct et_importer *in, const json_t *result, uint32_t number,
	const struct et_import_place *at)
{
	const char *text;
	int rc = et_read_text(in, result, "command", at, &text);

	if (rc)
		return rc;
	if (!text)
		return et_import_fail(in, at, "has no command");
	struct et_command *c = et_import_command(in, at, text);
	if (!c)
		return -EINVAL;
	rc = et_read_parameters(in, result, c, at);
	return rc ? rc : read_runs(in, result, number, at);
}

int et_import_hyperfine(struct et_importer *in, const json_t *root)
{
	ET_AUTO_LIST struct et_list l = et_objects_of(in, root, "results", NULL);
	const json_t *result;
	int rc = 0;

	in->e->metric = ET_METRIC_ELAPSED;
	in->e->plan.order = ET_ORDER_SEQUENTIAL;
	while (!rc && (result = et_list_next(&l)))
		rc = read_result(in, result, (uint32_t)l.at, &l.here);
	return rc ? rc : l.rc;
}
