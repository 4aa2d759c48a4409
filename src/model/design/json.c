/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/design/json.h"
#include "base/memstream.h"

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

static void write_texts(struct et_json *j, const char *key, char *const *texts)
{
	if (!texts) {
		et_json_null(j, key);
		return;
	}
	et_json_flat_array(j, key);
	for (; *texts; texts++)
		et_json_string(j, NULL, *texts);
	et_json_end(j);
}

static void write_factor(struct et_json *j, const struct et_design_factor *f)
{
	et_json_object(j, NULL);
	et_json_string(j, "kind", et_factor_kinds[f->kind].name);
	et_fields_write(j, et_design_factor_fields, f);
	write_texts(j, "levels", f->levels);
	write_texts(j, "objects", f->objects);
	et_json_end(j);
}

static void write_treatment(
	struct et_json *j, const struct et_design *d, const struct et_treatment *t)
{
	et_json_flat_object(j, NULL);
	et_json_string(j, "name", t->name);
	et_json_flat_array(j, "levels");
	for (size_t i = 0; i < d->n_factors; i++)
		et_json_int(j, NULL, t->levels[i]);
	et_json_end(j);
	et_json_end(j);
}

static void write_members(struct et_json *j, const struct et_design *d, bool source)
{
	et_fields_write(j, et_design_fields, d);
	et_json_array(j, "factors");
	for (size_t i = 0; i < d->n_factors; i++)
		write_factor(j, &d->factors[i]);
	et_json_end(j);
	et_json_array(j, "programs");
	for (size_t i = 0; i < d->n_programs; i++)
		et_fields_object(j, NULL, et_design_program_fields, &d->programs[i]);
	et_json_end(j);
	et_json_array(j, "treatments");
	for (size_t i = 0; i < d->n_treatments; i++)
		write_treatment(j, d, &d->treatments[i]);
	et_json_end(j);
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
