/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/experiment.h"
#include "model/sample/metric.h"
#include "plan/reader.h"

#include <string.h>

/* --- values --- */

static void write_names(struct et_json *j, const char *key, const char *const *names)
{
	et_json_flat_array(j, key);
	for (size_t i = 0; names[i]; i++)
		et_json_string(j, NULL, names[i]);
	et_json_end(j);
}

static const char *const scalars[] = { "string", "number", "boolean", NULL };

/* A command "true" or a program named 3 is a text for etalon, and none for YAML. */
static void write_text(struct et_json *j)
{
	write_names(j, "type", scalars);
	et_json_int(j, "minLength", 1);
}

static void write_whole(struct et_json *j, int64_t least, int64_t most)
{
	et_json_string(j, "type", "integer");
	et_json_int(j, "minimum", least);
	if (most)
		et_json_int(j, "maximum", most);
}

static void write_texts(struct et_json *j, const char *pattern)
{
	et_json_string(j, "type", "array");
	et_json_object(j, "items");
	et_json_string(j, "type", "string");
	if (pattern)
		et_json_string(j, "pattern", pattern);
	et_json_end(j);
	et_json_int(j, "minItems", 1);
}

void et_shape_objects(struct et_json *j, const struct et_plan_schema *s)
{
	(void)s;
	et_json_array(j, "anyOf");
	et_json_object(j, NULL);
	write_text(j);
	et_json_end(j);
	et_json_object(j, NULL);
	write_texts(j, NULL);
	et_json_end(j);
	et_json_end(j);
}

void et_shape_generators(struct et_json *j, const struct et_plan_schema *s)
{
	(void)s;
	write_texts(j, "=");
}

/* --- maps --- */

static void write_required(struct et_json *j, const struct et_plan_key *keys)
{
	et_json_flat_array(j, "required");
	for (; keys->name; keys++) {
		if (keys->required)
			et_json_string(j, NULL, keys->name);
	}
	et_json_end(j);
}

static void write_value(
	struct et_json *j, const struct et_plan_key *key, const struct et_plan_schema *s);

static void write_map(
	struct et_json *j, const struct et_plan_key *keys, const struct et_plan_schema *s)
{
	et_json_string(j, "type", "object");
	et_json_bool(j, "additionalProperties", false);
	write_required(j, keys);
	et_json_object(j, "properties");
	for (; keys->name; keys++) {
		et_json_object(j, keys->name);
		et_json_string(j, "description", keys->what);
		write_value(j, keys, s);
		et_json_end(j);
	}
	et_json_end(j);
}

static void write_maps(
	struct et_json *j, const struct et_plan_key *key, const struct et_plan_schema *s)
{
	et_json_string(j, "type", "array");
	et_json_int(j, "minItems", 1);
	et_json_object(j, "items");
	write_map(j, key->keys, s);
	if (key->shape)
		key->shape(j, s);
	et_json_end(j);
}

static void write_names_or_map(
	struct et_json *j, const struct et_plan_key *key, const struct et_plan_schema *s)
{
	et_json_array(j, "anyOf");
	et_json_object(j, NULL);
	write_names(j, "enum", key->names);
	et_json_end(j);
	et_json_object(j, NULL);
	write_map(j, key->keys, s);
	et_json_end(j);
	et_json_end(j);
}

static void write_value(
	struct et_json *j, const struct et_plan_key *key, const struct et_plan_schema *s)
{
	if (key->list) {
		write_maps(j, key, s);
	} else if (key->shape) {
		key->shape(j, s);
	} else if (key->keys && key->names) {
		write_names_or_map(j, key, s);
	} else if (key->keys) {
		write_map(j, key->keys, s);
	} else if (key->names) {
		write_names(j, "enum", key->names);
	} else if (key->pattern) {
		et_json_string(j, "type", "string");
		et_json_string(j, "pattern", key->pattern);
	} else if (key->whole) {
		write_whole(j, key->least, key->most);
	} else {
		write_text(j);
	}
}

/* --- factors --- */

void et_shape_kind(struct et_json *j, const struct et_plan_schema *s)
{
	(void)s;
	et_json_array(j, "oneOf");
	for (size_t i = 0; i < ET_KINDS_OF_FACTORS; i++) {
		et_json_object(j, NULL);
		et_json_string(j, "const", et_factor_kinds[i].name);
		et_json_string(j, "description", et_factor_kinds[i].what);
		et_json_end(j);
	}
	et_json_end(j);
}

void et_shape_levels(struct et_json *j, const struct et_plan_schema *s)
{
	(void)s;
	et_json_string(j, "type", "array");
	et_json_int(j, "minItems", 2);
	et_json_bool(j, "uniqueItems", true);
	et_json_object(j, "items");
	write_names(j, "type", scalars);
	et_json_end(j);
}

/* Editors that read YAML 1.1 take on and off for true and false. */
static void write_level(struct et_json *j, const struct et_factor_kind *k)
{
	if (k->form == ET_LEVEL_WHOLE) {
		write_whole(j, k->lo, k->hi);
		return;
	}
	et_json_flat_array(j, "enum");
	for (size_t i = 0; k->choices[i]; i++)
		et_json_string(j, NULL, k->choices[i]);
	if (!strcmp(k->choices[0], "on")) {
		et_json_bool(j, NULL, true);
		et_json_bool(j, NULL, false);
	}
	et_json_end(j);
}

/* If the factor is of that kind, its levels are of the kind's form. */
static void write_kind_rule(struct et_json *j, const struct et_factor_kind *k)
{
	et_json_object(j, NULL);
	et_json_object(j, "if");
	et_json_object(j, "properties");
	et_json_flat_object(j, "kind");
	et_json_string(j, "const", k->name);
	et_json_end(j);
	et_json_end(j);
	et_json_end(j);
	et_json_object(j, "then");
	et_json_object(j, "properties");
	et_json_object(j, "levels");
	et_json_object(j, "items");
	write_level(j, k);
	for (int i = 0; i < 5; i++)
		et_json_end(j);
}

/* The last member of a factor. */
void et_shape_kind_rules(struct et_json *j, const struct et_plan_schema *s)
{
	(void)s;
	et_json_array(j, "allOf");
	for (size_t i = 0; i < ET_KINDS_OF_FACTORS; i++) {
		if (et_factor_kinds[i].form != ET_LEVEL_TEXT)
			write_kind_rule(j, &et_factor_kinds[i]);
	}
	et_json_end(j);
}

/* --- the rest --- */

static void write_option(struct et_json *j, const struct et_plan_schema_option *o)
{
	static const char *const any[] = { "string", "number", "boolean", "array", NULL };

	et_json_object(j, o->name);
	et_json_string(j, "description", o->help);
	if (o->flag)
		et_json_string(j, "type", "boolean");
	else if (o->choices)
		write_names(j, "enum", o->choices);
	else
		write_names(j, "type", any);
	et_json_end(j);
}

void et_shape_run(struct et_json *j, const struct et_plan_schema *s)
{
	et_json_string(j, "type", "object");
	et_json_bool(j, "additionalProperties", false);
	et_json_object(j, "properties");
	for (size_t i = 0; i < s->n_options; i++)
		write_option(j, &s->options[i]);
	et_json_end(j);
}

void et_plan_write_schema(FILE *out, const struct et_plan_schema *s)
{
	struct et_json j;

	et_json_init(&j, out, 2);
	et_json_object(&j, NULL);
	et_json_string(&j, "$schema", "http://json-schema.org/draft-07/schema#");
	et_json_string(&j, "title", "plan of etalon doe");
	et_json_string(&j, "description",
		"A designed experiment: programs, factors with levels, and how they are run. See "
		"etalon-plan(5).");
	write_map(&j, et_plan_keys, s);
	et_json_end(&j);
}
