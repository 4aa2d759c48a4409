/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/design/json.h"
#include "base/memstream.h"
#include "model/experiment/field_rows.h"

#define TEXT(type, member)                                                                         \
	{                                                                                          \
		.name = #member, .kind = ET_FIELD_STRING, .nullable = true,                        \
		.offset = offsetof(struct type, member)                                            \
	}

const struct et_field et_design_fields[] = {
	TEXT(et_design, name),
	{ "replications", ET_FIELD_U32, .offset = offsetof(struct et_design, replications), .lo = 1,
		.hi = ET_MOST_RUNS },
	{ "discard", ET_FIELD_U32, .offset = offsetof(struct et_design, discard),
		.hi = ET_MOST_RUNS },
	{ "blocks", ET_FIELD_ENUM, .offset = offsetof(struct et_design, blocks),
		.missing = ET_BLOCKS_NONE, .names = et_design_blocks_names },
	TEXT(et_design, response),
	TEXT(et_design, setup),
	TEXT(et_design, between),
	TEXT(et_design, reboot),
	{ 0 },
};

const struct et_field et_design_factor_fields[] = {
	TEXT(et_design_factor, name),
	TEXT(et_design_factor, variable),
	TEXT(et_design_factor, generator),
	{ 0 },
};

const struct et_field et_design_program_fields[] = {
	TEXT(et_design_program, name),
	TEXT(et_design_program, command),
	TEXT(et_design_program, build),
	TEXT(et_design_program, input),
	{ 0 },
};

/* A list of texts that ends with NULL, or null. */
static void write_texts(struct et_json *j, const char *key, const void *list)
{
	char *const *texts = *(char *const *const *)list;

	if (!texts) {
		et_json_null(j, key);
		return;
	}
	et_json_flat_array(j, key);
	for (; *texts; texts++)
		et_json_string(j, NULL, *texts);
	et_json_end(j);
}

static void write_treatments(struct et_json *j, const char *key, const void *design)
{
	const struct et_design *d = design;

	et_json_array(j, key);
	for (size_t i = 0; i < d->n_treatments; i++) {
		et_json_flat_object(j, NULL);
		et_json_string(j, "name", d->treatments[i].name);
		et_json_flat_array(j, "levels");
		for (size_t f = 0; f < d->n_factors; f++)
			et_json_int(j, NULL, d->treatments[i].levels[f]);
		et_json_end(j);
		et_json_end(j);
	}
	et_json_end(j);
}

static const struct et_field design_members[] = {
	ET_KEYS_IN(et_design_fields),
	ET_KEY_LIST(et_design, "factors", factors, n_factors,
		ET_TABLE(ET_KEY_NAME(et_design_factor, "kind", kind, et_kind_names),
			ET_KEYS_IN(et_design_factor_fields),
			ET_KEY_BY(et_design_factor, "levels", levels, write_texts),
			ET_KEY_BY(et_design_factor, "objects", objects, write_texts))),
	ET_KEY_LIST(et_design, "programs", programs, n_programs, et_design_program_fields),
	ET_KEY_MADE("treatments", write_treatments),
	{ 0 },
};

static void write_members(struct et_json *j, const struct et_design *d, bool source)
{
	et_fields_write(j, design_members, d);
	if (source)
		et_json_string(j, "source", d->source);
}

void et_design_write(struct et_json *j, const char *key, const struct et_design *d)
{
	if (!d) {
		et_json_null(j, key);
		return;
	}
	et_json_object(j, key);
	write_members(j, d, true);
	et_json_end(j);
}

char *et_design_text(const struct et_design *d, bool source)
{
	struct et_memstream m;
	struct et_json j;

	et_json_init(&j, et_memstream_open(&m), 0);
	et_json_object(&j, NULL);
	write_members(&j, d, source);
	et_json_end(&j);
	return et_memstream_close(&m);
}

/* --- differences --- */

static char *join(char *const *texts)
{
	char *text = NULL;

	for (; texts && *texts; texts++)
		et_append(&text, ", ", "%s", *texts);
	return text ? text : et_strdup("none");
}

static bool same_lists(char *const *a, char *const *b)
{
	size_t i = 0;

	if (!a || !b)
		return !a && !b;
	while (a[i] && b[i] && !strcmp(a[i], b[i]))
		i++;
	return !a[i] && !b[i];
}

/* Adds a line about a value; `of` is "", or begins the line: "factor pad, ". */
static void add(char **lines, const char *of, const char *name, const char *before, const char *now)
{
	et_append(lines, "", "%s%s: %s, now %s\n", of, name, before, now);
}

static void compare_lists(
	char **lines, const char *of, const char *name, char *const *before, char *const *now)
{
	ET_AUTO_FREE char *a = join(before), *b = join(now);

	if (!same_lists(before, now))
		add(lines, of, name, a, b);
}

static char *value_of(const struct et_field *f, const void *base)
{
	char buf[32];

	switch (f->kind) {
	case ET_FIELD_STRING:
	case ET_FIELD_CHARS:
	case ET_FIELD_ENUM: {
		const char *text = et_field_text(f, base);
		return et_strdup(text ? text : "none");
	}
	case ET_FIELD_BOOL:
		return et_strdup(et_field_int(f, base) ? "yes" : "no");
	case ET_FIELD_DOUBLE:
		return et_strdup(et_shortest(et_field_double(f, base), buf));
	default:
		return et_asprintf("%" PRId64, et_field_int(f, base));
	}
}

/* skip names fields that do not count, "a b". */
static void compare_fields(char **lines, const char *of, const struct et_field *fields,
	const char *skip, const void *before, const void *now)
{
	for (const struct et_field *f = fields; f->name; f++) {
		ET_AUTO_FREE char *a = value_of(f, before), *b = value_of(f, now);
		if (strcmp(a, b) && !strstr(skip, f->name))
			add(lines, of, f->name, a, b);
	}
}

static char **names_of_programs(const struct et_design *d)
{
	char **names = et_calloc(d->n_programs + 1, sizeof(*names));

	for (size_t i = 0; i < d->n_programs; i++)
		names[i] = d->programs[i].name;
	return names;
}

static void compare_factors(
	char **lines, const struct et_design *before, const struct et_design *now)
{
	ET_AUTO_FREE char **a = et_design_factor_names(before), **b = et_design_factor_names(now);

	if (!same_lists(a, b)) {
		compare_lists(lines, "", "factors", a, b);
		return;
	}
	for (size_t i = 0; i < now->n_factors; i++) {
		const struct et_design_factor *x = &before->factors[i], *y = &now->factors[i];
		ET_AUTO_FREE char *of = et_asprintf("factor %s, ", y->name);
		if (x->kind != y->kind)
			add(lines, of, "kind", et_kind_names[x->kind], et_kind_names[y->kind]);
		compare_fields(lines, of, et_design_factor_fields, "", x, y);
		compare_lists(lines, of, "levels", x->levels, y->levels);
		compare_lists(lines, of, "objects", x->objects, y->objects);
	}
}

static void compare_programs(
	char **lines, const struct et_design *before, const struct et_design *now)
{
	ET_AUTO_FREE char **a = names_of_programs(before), **b = names_of_programs(now);

	if (!same_lists(a, b)) {
		compare_lists(lines, "", "programs", a, b);
		return;
	}
	for (size_t i = 0; i < now->n_programs; i++) {
		ET_AUTO_FREE char *of = et_asprintf("program %s, ", now->programs[i].name);
		compare_fields(lines, of, et_design_program_fields, "", &before->programs[i],
			&now->programs[i]);
	}
}

static bool same_treatments(const struct et_design *a, const struct et_design *b)
{
	bool same = a->n_treatments == b->n_treatments && a->n_factors == b->n_factors;

	for (size_t i = 0; same && i < a->n_treatments; i++)
		same = !memcmp(a->treatments[i].levels, b->treatments[i].levels,
			a->n_factors * sizeof(*a->treatments[i].levels));
	return same;
}

bool et_design_same(const struct et_design *a, const struct et_design *b)
{
	ET_AUTO_FREE char **factors = et_design_factor_names(a),
			  **those = et_design_factor_names(b);
	ET_AUTO_FREE char **programs = names_of_programs(a), **others = names_of_programs(b);
	const char *response = a->response ? a->response : "";
	bool same = !strcmp(response, b->response ? b->response : "") &&
		    same_lists(factors, those) && same_lists(programs, others);

	for (size_t i = 0; same && i < a->n_factors; i++)
		same = same_lists(a->factors[i].levels, b->factors[i].levels);
	return same && same_treatments(a, b);
}

char *et_design_changes(const struct et_design *before, const struct et_design *now)
{
	char *lines = NULL;

	compare_fields(&lines, "", et_design_fields, "", before, now);
	compare_factors(&lines, before, now);
	compare_programs(&lines, before, now);
	if (!lines && !same_treatments(before, now))
		et_append(&lines, "", "treatments: %zu, now %zu others\n", before->n_treatments,
			now->n_treatments);
	return lines;
}

/* As plan files spell it. */
static const char *order_of(const struct et_experiment *e)
{
	switch (e->plan.order) {
	case ET_ORDER_SEQUENTIAL:
		return "yates";
	case ET_ORDER_ROUND_ROBIN:
		return "interleaved";
	default:
		return et_order_names[e->plan.order];
	}
}

char *et_plan_changes(
	const struct et_experiment *before, const struct et_experiment *now, bool has_seed)
{
	char *lines = et_design_changes(before->design, now->design);

	if (before->plan.order != now->plan.order)
		add(&lines, "", "order", order_of(before), order_of(now));
	if (has_seed && before->plan.seed != now->plan.seed)
		et_append(&lines, "", "seed: %" PRIu64 ", now %" PRIu64 "\n", before->plan.seed,
			now->plan.seed);
	if (before->protocol != now->protocol)
		add(&lines, "run, ", "protocol", et_protocol_names[before->protocol],
			et_protocol_names[now->protocol]);
	/* The replications decide the runs, and the beginning of the runs decides the folder. */
	compare_fields(
		&lines, "run, ", et_plan_fields, "runs metronome_ns", &before->plan, &now->plan);
	compare_fields(&lines, "run, ", et_child_fields, now->child.directory ? "" : "directory",
		&before->child, &now->child);
	return lines;
}
