/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the design of an experiment, from etalon's own record or from the store. */
#include "base/parse.h"
#include "model/design/json.h"
#include "store/import/importer.h"

/* The names of all treatments together: a few long levels would fill the memory otherwise. */
#define MOST_NAMES ((size_t)32 << 20)

static const struct et_import_place place = { NULL, "design", 0 };

static void read_factor(struct et_importer *in, const json_t *object,
	const struct et_import_place *at, struct et_design *d)
{
	struct et_import_place here = { at, "kind", 0 };
	struct et_design_factor *f = et_design_add_factor(d, "");
	const char *kind = et_read_text(in, object, "kind", at);
	size_t n = 0;

	et_read_fields(in, object, et_design_factor_fields, f, at);
	int found = et_name_index(et_kind_names, kind ? kind : "");
	if (found < 0)
		et_import_fail(in, &here, "there is no kind '%.40s' of factors", kind ? kind : "");
	else
		f->kind = (enum et_kind)found;
	if (!f->name || !*f->name)
		et_import_fail(in, at, "has no name");
	et_read_texts(in, object, "levels", ET_DESIGN_MOST_LEVELS, at, &f->levels, &f->n_levels);
	if (!f->n_levels)
		et_import_fail(in, at, "has no levels");
	et_read_texts(in, object, "objects", ET_DESIGN_MOST_LEVELS, at, &f->objects, &n);
}

static void read_program(struct et_importer *in, const json_t *object,
	const struct et_import_place *at, struct et_design *d)
{
	struct et_design_program *p = et_design_add_program(d, "");

	et_read_fields(in, object, et_design_program_fields, p, at);
	if (!p->name || !*p->name)
		et_import_fail(in, at, "has no name");
}

/* The room that the treatment's name takes. */
static size_t name_size(const struct et_design *d, const uint32_t *levels)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_factors; i++)
		n += strlen(d->factors[i].name) + strlen(d->factors[i].levels[levels[i]]) + 2;
	return n;
}

static void read_treatment(struct et_importer *in, const json_t *object,
	const struct et_import_place *at, struct et_design *d, size_t *names)
{
	ET_AUTO_LIST struct et_list l = et_list_of(in, object, "levels", at);
	uint32_t levels[ET_DESIGN_MOST_FACTORS];
	const json_t *value;

	if (l.n != d->n_factors)
		et_import_fail(
			in, &l.list, "is not a list of %zu numbers, one per factor", d->n_factors);
	while ((value = et_list_next(&l)) && l.at < d->n_factors) {
		json_int_t number = json_integer_value(value);

		if (!json_is_integer(value) || number < 0 ||
			(uint64_t)number >= d->factors[l.at].n_levels)
			et_import_fail(
				in, &l.here, "is not a level of '%.40s'", d->factors[l.at].name);
		levels[l.at] = (uint32_t)number;
	}
	if (in->failed)
		return;
	*names += name_size(d, levels);
	if (*names > MOST_NAMES)
		et_import_fail(in, at, "the treatments have too long levels");
	else
		et_design_add_treatment(d, levels);
}

/* The lists of a design, in the order in which they refer to each other. */
enum part { FACTORS, PROGRAMS, TREATMENTS, PARTS };
static const struct {
	const char *key;
	size_t most;
} parts[PARTS] = {
	[FACTORS] = { "factors", ET_DESIGN_MOST_FACTORS },
	[PROGRAMS] = { "programs", ET_DESIGN_MOST_COMMANDS },
	[TREATMENTS] = { "treatments", ET_DESIGN_MOST_COMMANDS },
};

static void read_part(
	struct et_importer *in, const json_t *design, enum part part, struct et_design *d)
{
	ET_AUTO_LIST struct et_list l = et_objects_of(in, design, parts[part].key, &place);
	const json_t *element;
	size_t names = 0;

	if (!l.n || l.n > parts[part].most)
		et_import_fail(in, &l.list, "is not a list of 1 to %zu elements", parts[part].most);
	while ((element = et_list_next(&l))) {
		if (part == FACTORS)
			read_factor(in, element, &l.here, d);
		else if (part == PROGRAMS)
			read_program(in, element, &l.here, d);
		else
			read_treatment(in, element, &l.here, d, &names);
	}
}

static int compare_levels(const void *a, const void *b, void *n)
{
	const struct et_treatment *const *x = a, *const *y = b;

	return memcmp((*x)->levels, (*y)->levels, *(size_t *)n * sizeof(uint32_t));
}

/* Whether two treatments are the same. */
static bool has_twins(const struct et_design *d)
{
	ET_AUTO_FREE const struct et_treatment **all = et_calloc(d->n_treatments, sizeof(*all));
	size_t n = d->n_factors;
	bool twins = false;

	for (size_t i = 0; i < d->n_treatments; i++)
		all[i] = &d->treatments[i];
	qsort_r(all, d->n_treatments, sizeof(*all), compare_levels, &n);
	for (size_t i = 1; i < d->n_treatments && !twins; i++)
		twins = !compare_levels(&all[i - 1], &all[i], &n);
	return twins;
}

static void check(struct et_importer *in, const struct et_design *d)
{
	if (d->n_treatments * d->n_programs != in->e->n_commands)
		et_import_fail(in, &place,
			"has %zu treatments of %zu programs, but there are %zu commands",
			d->n_treatments, d->n_programs, in->e->n_commands);
	if (d->discard >= d->replications)
		et_import_fail(
			in, &place, "discards %u of %u replications", d->discard, d->replications);
	if (!d->name || !*d->name)
		et_import_fail(in, &place, "has no name");
	if (!in->failed && has_twins(d))
		et_import_fail(in, &place, "has the same treatment twice");
}

void et_import_design(struct et_importer *in, const json_t *design)
{
	struct et_design *d = in->e->design = et_design_new();

	et_read_fields(in, design, et_design_fields, d, &place);
	const char *source = et_read_text(in, design, "source", &place);
	d->source = source ? et_strdup(source) : NULL;
	for (enum part part = 0; part < PARTS; part++)
		read_part(in, design, part, d);
	check(in, d);
}

int et_design_parse(struct et_experiment *e, const char *text, struct et_error *err)
{
	struct et_import_options options = { .name = "store" };
	struct et_importer in = { .options = &options, .e = e, .err = err };
	json_error_t where;
	json_t *design = json_loads(text, JSON_REJECT_DUPLICATES, &where);

	if (json_is_object(design))
		et_import_design(&in, design);
	else
		et_import_fail(&in, &place, "is not an object of JSON");
	json_decref(design);
	return in.failed;
}
