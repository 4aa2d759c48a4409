/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the profile of etalon's own record. */
#include "base/alloc.h"
#include "store/import/importer.h"

static const struct et_import_place place = { NULL, "profile", 0 };

struct reader {
	struct et_importer *in;
	struct et_hash samples; /* by command and order; a value is 1, or 2 for warm-up */
};

/* Where a run belongs; the warm-up is known by its sample. */
static const struct et_field run_places[] = {
	{ "command", ET_FIELD_U32, .offset = offsetof(struct et_profile_run, command),
		.hi = UINT32_MAX },
	{ "order", ET_FIELD_U32, .offset = offsetof(struct et_profile_run, order),
		.hi = UINT32_MAX },
	{ 0 },
};

/* Reads a list of exactly n whole numbers. */
static int read_numbers(struct et_importer *in, const json_t *list,
	const struct et_import_place *at, uint64_t *out, size_t n)
{
	const json_t *value;

	if (!et_is_list(in, list) || et_list_size(in, list) != n)
		return et_import_fail(in, at, "is not a list of %zu numbers", n);
	ET_AUTO_LIST struct et_list l = et_list_open(in, list);
	while ((value = et_list_next(&l))) {
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return et_import_fail(in, at, "is not a list of %zu numbers from 0", n);
		*out++ = (uint64_t)json_integer_value(value);
	}
	return l.rc;
}

static int read_function(struct reader *r, const json_t *object, const struct et_import_place *at)
{
	struct et_importer *in = r->in;
	struct et_profile *p = in->e->profile;
	uint32_t number = (uint32_t)p->n_functions;
	struct et_profile_function f = { 0 };
	int rc = et_read_fields(in, object, et_profile_function_fields, &f, at);

	if (!rc && (!f.name || !f.module))
		rc = et_import_fail(in, at, "has no name or no module");
	if (!rc && et_profile_function_of(p, f.name, f.module, f.space, f.unnamed) != number) {
		/* JSON has no bytes that are not UTF-8, so two names may have become one. */
		ET_AUTO_FREE char *name = et_asprintf("%s~%u", f.name, number);
		if (et_profile_function_of(p, name, f.module, f.space, f.unnamed) != number)
			rc = et_import_fail(in, at, "is there already");
	}
	free(f.name);
	free(f.module);
	return rc;
}

static int read_node(struct reader *r, const json_t *list, const struct et_import_place *at)
{
	struct et_importer *in = r->in;
	struct et_profile *p = in->e->profile;
	uint32_t number = (uint32_t)p->n_nodes;
	uint64_t pair[2];
	int rc = read_numbers(in, list, at, pair, 2);

	if (rc)
		return rc;
	if (pair[0] >= number)
		return et_import_fail(in, at, "has a caller that comes later");
	if (pair[1] >= p->n_functions)
		return et_import_fail(in, at, "has a function that is not in the list");
	if (et_profile_node_of(p, (uint32_t)pair[0], (uint32_t)pair[1]) != number)
		return et_import_fail(in, at, "is there already");
	return 0;
}

static int read_count(struct et_importer *in, const json_t *list, const struct et_import_place *at,
	struct et_profile_run *run)
{
	uint32_t before = run->n_counts ? run->counts[run->n_counts - 1].node : ET_PROFILE_ROOT;
	uint64_t count[3];
	int rc = read_numbers(in, list, at, count, 3);

	if (rc)
		return rc;
	if (count[0] >= in->e->profile->n_nodes || count[0] <= before)
		return et_import_fail(in, at, "has a node that is unknown or not ascending");
	if (count[2] > count[1])
		return et_import_fail(in, at, "has more samples at the entry than in all");
	if (count[1] > INT64_MAX - run->samples)
		return et_import_fail(in, at, "makes too many samples");
	et_profile_run_add(run, (uint32_t)count[0], count[1], count[2]);
	return 0;
}

static int read_counts(struct et_importer *in, const json_t *object,
	const struct et_import_place *at, struct et_profile_run *run)
{
	ET_AUTO_LIST struct et_list l = et_list_of(in, object, "counts", at);
	uint64_t samples = run->samples;
	const json_t *count;
	int rc = 0;

	run->samples = 0;
	while (!rc && (count = et_list_next(&l)))
		rc = read_count(in, count, &l.here, run);
	if (!rc && !l.rc && run->samples != samples)
		return et_import_fail(in, at, "samples is not the sum of the counts");
	return rc ? rc : l.rc;
}

static uint64_t key_of(uint32_t command, uint32_t order)
{
	return ((uint64_t)command << 32 | order) + 1;
}

static struct et_hash all_samples(const struct et_experiment *e)
{
	struct et_hash h = { .width = sizeof(uint64_t) };

	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[i].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
			*(uint64_t *)et_hash_put(&h, key_of((uint32_t)i, s->place.order)) =
				s->place.warmup ? 2 : 1;
	}
	return h;
}

/* The runs are in order of execution, and each belongs to a sample. */
static int check_place(struct et_importer *in, const struct et_import_place *at,
	const struct et_hash *samples, struct et_profile_run *run)
{
	const struct et_profile *p = in->e->profile;
	const struct et_profile_run *last = p->n_runs ? &p->runs[p->n_runs - 1] : NULL;
	const uint64_t *found = run->command < in->e->n_commands
					? et_hash_find(samples, key_of(run->command, run->order))
					: NULL;

	if (!found)
		return et_import_fail(in, at, "there is no sample with its command and order");
	if (last && (run->order < last->order ||
			    (run->order == last->order && run->command <= last->command)))
		return et_import_fail(in, at, "does not come after the run before it");
	run->warmup = *found == 2;
	return 0;
}

static int read_run(struct reader *r, const json_t *object, const struct et_import_place *at)
{
	struct et_importer *in = r->in;
	struct et_profile_run run = { 0 };
	int rc = et_read_fields(in, object, run_places, &run, at);

	if (!rc)
		rc = check_place(in, at, &r->samples, &run);
	if (!rc)
		rc = et_read_fields(in, object, et_profile_run_fields, &run, at);
	if (!rc)
		rc = read_counts(in, object, at, &run);
	if (!rc)
		et_profile_add_run(in->e->profile, &run);
	free(run.counts);
	return rc;
}

static int read_call(struct reader *r, const json_t *object, const struct et_import_place *at)
{
	struct et_importer *in = r->in;
	struct et_profile_calls calls = { 0 };
	static const struct et_field fields[] = {
		{ "command", ET_FIELD_U32, .offset = offsetof(struct et_profile_calls, command),
			.hi = UINT32_MAX },
		{ "function", ET_FIELD_U32, .offset = offsetof(struct et_profile_calls, function),
			.hi = UINT32_MAX },
		{ "calls", ET_FIELD_DOUBLE, .offset = offsetof(struct et_profile_calls, calls),
			.missing = -1, .hi = INT64_MAX },
		{ 0 },
	};
	int rc = et_read_fields(in, object, fields, &calls, at);

	if (rc)
		return rc;
	if (calls.command >= in->e->n_commands || calls.function >= in->e->profile->n_functions ||
		calls.calls < 0)
		return et_import_fail(in, at, "has an unknown command or function, or no calls");
	et_profile_set_calls(in->e->profile, calls.command, calls.function, calls.calls);
	return 0;
}

/* The lists of a profile, in the order in which they refer to each other. */
static const struct part {
	const char *key;
	bool objects;
	int (*read)(struct reader *r, const json_t *element, const struct et_import_place *at);
} parts[] = {
	{ "functions", true, read_function },
	{ "nodes", false, read_node },
	{ "runs", true, read_run },
	{ "calls", true, read_call },
};

static int read_part(struct reader *r, const json_t *profile, const struct part *part)
{
	ET_AUTO_LIST struct et_list l = et_list_of(r->in, profile, part->key, &place);
	const json_t *element;
	int rc = 0;

	l.objects = part->objects;
	if (l.n > INT32_MAX)
		return et_import_fail(r->in, &l.list, "is too long");
	while (!rc && (element = et_list_next(&l)))
		rc = part->read(r, element, &l.here);
	return rc ? rc : l.rc;
}

int et_import_profile(struct et_importer *in, const json_t *profile)
{
	static const struct et_import_place at = { &place, "plan", 0 };
	struct et_profile_plan plan = et_default_profile_plan;
	struct reader r = { .in = in };
	const json_t *wishes;
	int rc = et_read_branch(in, profile, "plan", JSON_OBJECT, &place, &wishes);

	if (!rc && wishes)
		rc = et_read_fields(in, wishes, et_profile_plan_fields, &plan, &at);
	if (rc)
		return rc;
	in->e->profile = et_profile_new(&plan);
	rc = et_read_fields(in, profile, et_profile_fields, in->e->profile, &place);
	r.samples = all_samples(in->e);
	for (size_t i = 0; !rc && i < ET_LENGTH(parts); i++)
		rc = read_part(&r, profile, &parts[i]);
	et_hash_free(&r.samples);
	return rc;
}
