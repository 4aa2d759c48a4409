/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads typed values from JSON objects; every error names the key. */
#include "store/import/importer.h"

static bool set_bits(const struct et_field *f, void *base, const json_t *list)
{
	const json_t *name;
	size_t i;
	int64_t bits = 0;

	json_array_foreach(list, i, name)
	{
		int bit = json_is_string(name) ? et_name_index(f->names, json_string_value(name))
					       : -1;
		if (bit < 0)
			return false;
		bits |= 1 << bit;
	}
	return json_is_array(list) && et_field_set_int(f, base, bits);
}

static bool set_field(
	const struct et_importer *in, const struct et_field *f, void *base, const json_t *value)
{
	if (f->kind == ET_FIELD_BITS)
		return set_bits(f, base, value);
	if (f->kind == ET_FIELD_BOOL)
		return json_is_boolean(value) && et_field_set_int(f, base, json_is_true(value));
	if (et_is_string(in, value))
		return json_string_length(value) <= ET_IMPORT_MOST_TEXT &&
		       et_field_set_text(f, base, json_string_value(value));
	if (f->kind == ET_FIELD_ENUM)
		return false;
	if (json_is_integer(value))
		return et_field_set_int(f, base, json_integer_value(value));
	return json_is_real(value) && et_field_set_double(f, base, json_real_value(value));
}

void et_read_fields(struct et_importer *in, const json_t *object, const struct et_field *fields,
	void *base, const struct et_import_place *at)
{
	char buf[96];

	for (const struct et_field *f = fields; !in->failed && f->name; f++) {
		const json_t *value = json_object_get(object, f->name);
		struct et_import_place here = { at, f->name, 0 };

		if (!value || json_is_null(value))
			et_field_set_missing(f, base);
		else if (!set_field(in, f, base, value))
			et_import_fail(in, &here, "is not %s", et_field_wants(f, buf));
	}
}

void et_read_object(struct et_importer *in, const json_t *object, const char *key,
	const struct et_field *fields, void *base, const struct et_import_place *at)
{
	const json_t *part = et_read_branch(in, object, key, JSON_OBJECT, at);

	if (part)
		et_read_fields(in, part, fields, base, &(struct et_import_place){ at, key, 0 });
}

void et_read_each(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at, et_element_reader *read, void *ctx)
{
	ET_AUTO_LIST struct et_list l = et_objects_of(in, object, key, at);
	const json_t *element;

	while ((element = et_list_next(&l)))
		read(in, element, ctx, &l.here);
}

const char *et_read_text(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at)
{
	const json_t *value = json_object_get(object, key);
	struct et_import_place here = { at, key, 0 };

	if (!value || json_is_null(value))
		return NULL;
	if (!et_is_string(in, value))
		et_import_fail(in, &here, "is not a string");
	else if (json_string_length(value) > ET_IMPORT_MOST_TEXT)
		et_import_fail(in, &here, "is longer than %d bytes", ET_IMPORT_MOST_TEXT);
	return in->failed ? NULL : json_string_value(value);
}

const json_t *et_read_branch(struct et_importer *in, const json_t *object, const char *key,
	json_type type, const struct et_import_place *at)
{
	const json_t *value = json_object_get(object, key);
	struct et_import_place here = { at, key, 0 };

	if (!value || json_is_null(value))
		return NULL;
	if (type == JSON_ARRAY ? !et_is_list(in, value) : json_typeof(value) != type)
		et_import_fail(in, &here, "is not %s", type == JSON_ARRAY ? "a list" : "an object");
	return in->failed ? NULL : value;
}

void et_read_texts(struct et_importer *in, const json_t *object, const char *key, size_t most,
	const struct et_import_place *at, char ***out, size_t *n)
{
	ET_AUTO_LIST struct et_list l = et_list_of(in, object, key, at);
	const json_t *text;

	if (l.n > most)
		et_import_fail(in, &l.list, "has more than %zu elements", most);
	if (!l.there || in->failed)
		return;
	*n = l.n;
	*out = et_calloc(l.n + 1, sizeof(**out));
	while ((text = et_list_next(&l))) {
		if (!et_is_string(in, text) || json_string_length(text) > ET_IMPORT_MOST_TEXT)
			et_import_fail(in, &l.here, "is not a string");
		else
			(*out)[l.at] = et_strdup(json_string_value(text));
	}
}

double et_read_number(struct et_importer *in, const json_t *object, const char *key,
	const struct et_import_place *at, double lo, double hi)
{
	const json_t *value = json_object_get(object, key);

	return et_to_number(in, value, &(struct et_import_place){ at, key, 0 }, lo, hi);
}

double et_to_number(struct et_importer *in, const json_t *value, const struct et_import_place *at,
	double lo, double hi)
{
	double x = json_number_value(value);
	char a[32], b[32];

	if (!value || json_is_null(value))
		et_import_fail(in, at, "is missing");
	else if (!json_is_number(value))
		et_import_fail(in, at, "is not a number");
	else if (x < 0 && lo >= 0)
		et_import_fail(in, at, "is negative");
	else if (!(x >= lo && x <= hi))
		et_import_fail(
			in, at, "is not from %s to %s", et_shortest(lo, a), et_shortest(hi, b));
	return in->failed ? 0 : x;
}

/* A parameter's value as text: hyperfine writes strings, other tools write numbers. */
static char *parameter_value(const struct et_importer *in, const json_t *value)
{
	char buf[32];

	if (et_is_string(in, value) && json_string_length(value) <= ET_IMPORT_MOST_TEXT)
		return et_strdup(json_string_value(value));
	if (json_is_integer(value))
		return et_asprintf("%lld", (long long)json_integer_value(value));
	if (json_is_real(value))
		return et_strdup(et_shortest(json_real_value(value), buf));
	return NULL;
}

void et_read_parameters(struct et_importer *in, const json_t *object, struct et_command *c,
	const struct et_import_place *at)
{
	struct et_import_place list = { at, "parameters", 0 };
	const json_t *value,
		*parameters = et_read_branch(in, object, "parameters", JSON_OBJECT, at);
	const char *name;

	if (!parameters)
		return;
	c->parameters = et_calloc(json_object_size(parameters) + 1, sizeof(*c->parameters));
	json_object_foreach((json_t *)parameters, name, value)
	{
		char *text = parameter_value(in, value);
		struct et_import_place here = { &list, name, 0 };

		if (!text) {
			et_import_fail(in, &here, "is neither a string nor a number");
			return;
		}
		c->parameters[c->n_parameters++] = (struct et_parameter){ et_strdup(name), text };
	}
}
