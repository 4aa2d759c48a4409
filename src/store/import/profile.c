/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the profile of etalon's own record. */
#include "model/experiment/field_rows.h"
#include "store/import/importer.h"

static const struct et_import_place place = { NULL, "profile", 0 };

struct reader {
	struct et_importer *in;
	struct et_hash samples; /* by command and order; a value is 1, or 2 for warm-up */
};

/* Where a run belongs; the warm-up is known by its sample. */
static const struct et_field run_places[] = {
	ET_KEY(et_profile_run, "command", command, .hi = UINT32_MAX),
	ET_KEY(et_profile_run, "order", order, .hi = UINT32_MAX),
	{ 0 },
};

/* Reads a list of exactly n whole numbers. */
static void read_numbers(struct et_importer *in, const json_t *list,
	const struct et_import_place *at, uint64_t *out, size_t n)
{
	const json_t *value;

	if (!et_is_list(in, list) || et_list_size(in, list) != n)
		et_import_fail(in, at, "is not a list of %zu numbers", n);
	ET_AUTO_LIST struct et_list l = et_list_open(in, list);
	while ((value = et_list_next(&l))) {
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			et_import_fail(in, at, "is not a list of %zu numbers from 0", n);
		*out++ = (uint64_t)json_integer_value(value);
	}
}

static void read_function(struct reader *r, const json_t *object, const struct et_import_place *at)
{
	struct et_importer *in = r->in;
	struct et_profile *p = in->e->profile;
	uint32_t number = (uint32_t)p->n_functions;
	struct et_profile_function f = { 0 };

	et_read_fields(in, object, et_profile_function_fields, &f, at);
	if (!f.name || !f.module)
		et_import_fail(in, at, "has no name or no module");
	if (!in->failed &&
		et_profile_function_of(p, f.name, f.module, f.space, f.unnamed) != number) {
		/* JSON has no bytes that are not UTF-8, so two names may have become one. */
		ET_AUTO_FREE char *name = et_asprintf("%s~%u", f.name, number);
		if (et_profile_function_of(p, name, f.module, f.space, f.unnamed) != number)
			et_import_fail(in, at, "is there already");
	}
	free(f.name);
	free(f.module);
}

static void read_node(struct reader *r, const json_t *list, const struct et_import_place *at)
{
	struct et_importer *in = r->in;
	struct et_profile *p = in->e->profile;
	uint32_t number = (uint32_t)p->n_nodes;
	uint64_t pair[2] = { 0 };

	read_numbers(in, list, at, pair, 2);
	if (pair[0] >= number)
		et_import_fail(in, at, "has a caller that comes later");
	if (pair[1] >= p->n_functions)
		et_import_fail(in, at, "has a function that is not in the list");
	if (!in->failed && et_profile_node_of(p, (uint32_t)pair[0], (uint32_t)pair[1]) != number)
		et_import_fail(in, at, "is there already");
}

static void read_count(struct et_importer *in, const json_t *list, const struct et_import_place *at,
	struct et_profile_run *run)
{
	uint32_t before = run->n_counts ? run->counts[run->n_counts - 1].node : ET_PROFILE_ROOT;
	uint64_t count[3] = { 0 };

	read_numbers(in, list, at, count, 3);
	if (count[0] >= in->e->profile->n_nodes || count[0] <= before)
		et_import_fail(in, at, "has a node that is unknown or not ascending");
	if (count[2] > count[1])
		et_import_fail(in, at, "has more samples at the entry than in all");
	if (count[1] > INT64_MAX - run->samples)
		et_import_fail(in, at, "makes too many samples");
	if (!in->failed)
		et_profile_run_add(run, (uint32_t)count[0], count[1], count[2]);
}

static void read_counts(struct et_importer *in, const json_t *object,
	const struct et_import_place *at, struct et_profile_run *run)
{
	ET_AUTO_LIST struct et_list l = et_list_of(in, object, "counts", at);
	uint64_t samples = run->samples;
	const json_t *count;

	run->samples = 0;
	while ((count = et_list_next(&l)))
		read_count(in, count, &l.here, run);
	if (run->samples != samples)
		et_import_fail(in, at, "samples is not the sum of the counts");
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
static void check_place(struct et_importer *in, const struct et_import_place *at,
	const struct et_hash *samples, struct et_profile_run *run)
{
	const struct et_profile *p = in->e->profile;
	const struct et_profile_run *last = p->n_runs ? &p->runs[p->n_runs - 1] : NULL;
	const uint64_t *found = run->command < in->e->n_commands
					? et_hash_find(samples, key_of(run->command, run->order))
					: NULL;

	if (!found)
		et_import_fail(in, at, "there is no sample with its command and order");
	if (last && (run->order < last->order ||
			    (run->order == last->order && run->command <= last->command)))
		et_import_fail(in, at, "does not come after the run before it");
	run->warmup = found && *found == 2;
}

static void read_run(struct reader *r, const json_t *object, const struct et_import_place *at)
{
	struct et_importer *in = r->in;
	struct et_profile_run run = { 0 };

	et_read_fields(in, object, run_places, &run, at);
	check_place(in, at, &r->samples, &run);
	et_read_fields(in, object, et_profile_run_fields, &run, at);
	read_counts(in, object, at, &run);
	if (!in->failed)
		et_profile_add_run(in->e->profile, &run);
	free(run.counts);
}

static const struct et_field call_fields[] = {
	ET_KEY(et_profile_calls, "command", command, .hi = UINT32_MAX),
	ET_KEY(et_profile_calls, "function", function, .hi = UINT32_MAX),
	ET_KEY(et_profile_calls, "calls", calls, .missing = -1, .hi = INT64_MAX),
	{ 0 },
};

static void read_call(struct reader *r, const json_t *object, const struct et_import_place *at)
{
	struct et_importer *in = r->in;
	struct et_profile_calls calls = { 0 };

	et_read_fields(in, object, call_fields, &calls, at);
	if (calls.command >= in->e->n_commands || calls.function >= in->e->profile->n_functions ||
		calls.calls < 0)
		et_import_fail(in, at, "has an unknown command or function, or no calls");
	if (!in->failed)
		et_profile_set_calls(in->e->profile, calls.command, calls.function, calls.calls);
}

/* The lists of a profile, in the order in which they refer to each other. */
static const struct part {
	const char *key;
	bool objects;
	void (*read)(struct reader *r, const json_t *element, const struct et_import_place *at);
} parts[] = {
	{ "functions", true, read_function },
	{ "nodes", false, read_node },
	{ "runs", true, read_run },
	{ "calls", true, read_call },
};

static void read_part(struct reader *r, const json_t *profile, const struct part *part)
{
	ET_AUTO_LIST struct et_list l = et_list_of(r->in, profile, part->key, &place);
	const json_t *element;

	l.objects = part->objects;
	if (l.n > INT32_MAX)
		et_import_fail(r->in, &l.list, "is too long");
	while ((element = et_list_next(&l)))
		part->read(r, element, &l.here);
}

void et_import_profile(struct et_importer *in, const json_t *profile)
{
	struct et_profile_plan plan = et_default_profile_plan;
	struct reader r = { .in = in };

	et_read_object(in, profile, "plan", et_profile_plan_fields, &plan, &place);
	if (in->failed)
		return;
	in->e->profile = et_profile_new(&plan);
	et_read_fields(in, profile, et_profile_fields, in->e->profile, &place);
	r.samples = all_samples(in->e);
	for (size_t i = 0; i < ET_LENGTH(parts); i++)
		read_part(&r, profile, &parts[i]);
	et_hash_free(&r.samples);
}
