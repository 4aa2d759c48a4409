/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a plan file: maps by tables of keys, texts, names, numbers. */
#include "plan/reader.h"
#include "base/alloc.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "base/utf8.h"

#include <string.h>

enum { LONGEST_NAME = 200 };

static const char *const kinds[] = { "a text", "a list", "a map" };

/* How to write a value that is of another kind than is wanted; NULL: nothing helps. */
static char *hint_of_kind(const struct et_yaml *y, enum et_yaml_kind kind)
{
	if (kind == ET_YAML_LIST && y->kind == ET_YAML_SCALAR)
		return et_asprintf(strchr(y->text, ',') ? "write it as a list: [%s]"
							: "write a list, such as [%s, …]",
			y->text);
	if (kind == ET_YAML_LIST)
		return et_strdup("begin each item of the list with '- '");
	if (kind == ET_YAML_SCALAR && y->kind == ET_YAML_MAP && y->n == 2 &&
		et_yaml_empty(y->items[1]))
		return et_asprintf("quote it: '{%s}'", y->items[0]->text);
	return NULL;
}

static int want(const struct et_plan_reader *r, const struct et_yaml *y, enum et_yaml_kind kind,
	const char *what, struct et_error *err)
{
	if (et_yaml_empty(y))
		return et_yaml_fail(r->path, y->at, err, NULL, "%s is empty: %s is needed", what,
			kind == ET_YAML_SCALAR ? "a value" : kinds[kind]);
	if (y->kind == kind)
		return 0;
	ET_AUTO_FREE char *hint = hint_of_kind(y, kind);
	return et_yaml_fail(r->path, y->at, err, hint, "%s must be %s, not %s", what,
		kind == ET_YAML_SCALAR ? "a single value" : kinds[kind], kinds[y->kind]);
}

int et_plan_hint_names(struct et_error *err, int rc, const char *typed, const char *const *names)
{
	struct et_nearest n = et_nearest_to(typed);
	ET_AUTO_FREE char *all = NULL;

	for (size_t i = 0; names[i]; i++) {
		et_nearest_offer(&n, names[i]);
		et_append(&all, names[i + 1] ? ", " : i ? " or " : "", "%s", names[i]);
	}
	if (n.best)
		return et_hint(err, rc, "did you mean '%s'?", n.best);
	return et_hint(err, rc, "use %s", all ? all : "none");
}

int et_plan_choose(const struct et_plan_reader *r, const struct et_yaml *y, const char *what,
	const char *text, const char *const *names, size_t *out, struct et_error *err)
{
	for (*out = 0; names[*out]; ++*out) {
		if (!strcmp(names[*out], text))
			return 0;
	}
	return et_plan_hint_names(
		err, et_yaml_fail(r->path, y->at, err, NULL, "%s '%s'", what, text), text, names);
}

static const struct et_plan_key *find_key(const struct et_plan_key *keys, const char *name)
{
	while (keys->name && strcmp(keys->name, name))
		keys++;
	return keys->name ? keys : NULL;
}

/* The map of a plan that a key belongs into; NULL: there is none. */
static const char *outer_key(const struct et_plan_key *keys, const char *name)
{
	if (keys != et_plan_keys)
		return NULL;
	return find_key(et_design_keys, name) ? "design"
	       : find_key(et_hook_keys, name) ? "hooks"
					      : NULL;
}

static int unknown_key(const struct et_plan_reader *r, const struct et_yaml *key,
	const struct et_yaml *value, const struct et_plan_key *keys, const char *of,
	struct et_error *err)
{
	const char *names[32] = { NULL }, *outer = outer_key(keys, key->text);

	if (!strcmp(key->text, "<<"))
		return et_yaml_fail(r->path, key->at, err, "write the keys out",
			"plan files have no merge keys (<<)");
	int rc = et_yaml_fail(r->path, key->at, err, NULL, "%s has no key '%s'", of, key->text);
	if (outer)
		return et_hint(err, rc, "write %s: { %s: %s }", outer, key->text,
			value->kind == ET_YAML_SCALAR ? value->text : "…");
	for (size_t i = 0; keys[i].name && i + 1 < ET_LENGTH(names); i++)
		names[i] = keys[i].name;
	return et_plan_hint_names(err, rc, key->text, names);
}

static int read_value(struct et_plan_reader *r, const struct et_plan_key *key,
	const struct et_yaml *value, struct et_error *err)
{
	char *object = r->object, *places = r->places;

	if (key->read)
		return key->read(r, value, err);
	if (key->keys)
		return et_plan_read_map(r, value, key->keys, key->name, err);
	if (key->at)
		memcpy(places + key->at, &value->at, sizeof(value->at));
	return et_plan_read_text(r, value, key->name, (char **)(void *)(object + key->text), err);
}

int et_plan_read_map(struct et_plan_reader *r, const struct et_yaml *map,
	const struct et_plan_key *keys, const char *of, struct et_error *err)
{
	int rc = want(r, map, ET_YAML_MAP, of, err);

	for (size_t i = 0; rc == 0 && i < map->n; i += 2) {
		if (!find_key(keys, map->items[i]->text))
			rc = unknown_key(r, map->items[i], map->items[i + 1], keys, of, err);
	}
	for (; rc == 0 && keys->name; keys++) {
		const struct et_yaml *value = et_yaml_find(map, keys->name);
		if (value)
			rc = read_value(r, keys, value, err);
		else if (keys->required)
			rc = et_hint(err,
				et_yaml_fail(r->path, map->at, err, NULL, "%s has no '%s'", of,
					keys->name),
				"add '%s: …': %s", keys->name, keys->what);
	}
	return rc;
}

int et_plan_read_text(const struct et_plan_reader *r, const struct et_yaml *value, const char *what,
	char **out, struct et_error *err)
{
	int rc = want(r, value, ET_YAML_SCALAR, what, err);

	if (rc)
		return rc;
	if (!value->text[strspn(value->text, " \t\n")])
		return et_yaml_fail(r->path, value->at, err, NULL, "%s is empty", what);
	free(*out);
	*out = et_strdup(value->text);
	return 0;
}

/* Control characters, and those that disguise a name, would reach terminals and tables. */
static bool is_printable(const char *text)
{
	for (size_t len = 1; *text && len; text += len) {
		len = et_utf8_length(text);
		uint32_t c = len ? et_utf8_decode(text, len) : 0;
		if (c < ' ' || c == 0x7f || et_utf8_deceives(c))
			return false;
	}
	return true;
}

int et_plan_read_name(const struct et_plan_reader *r, const struct et_yaml *value, const char *what,
	char **out, struct et_error *err)
{
	char *name = NULL;
	int rc = et_plan_read_text(r, value, what, &name, err);

	if (rc)
		return rc;
	if (strlen(name) > LONGEST_NAME)
		rc = et_yaml_fail(r->path, value->at, err, NULL, "%s is longer than %d bytes", what,
			LONGEST_NAME);
	else if (!is_printable(name))
		rc = et_yaml_fail(r->path, value->at, err, NULL,
			"%s must be one line without control characters", what);
	if (rc) {
		free(name);
		return rc;
	}
	free(*out);
	*out = name;
	return 0;
}

int et_plan_read_whole(const struct et_plan_reader *r, const struct et_yaml *value,
	const char *what, uint64_t lo, uint64_t hi, uint64_t *out, struct et_error *err)
{
	int rc = want(r, value, ET_YAML_SCALAR, what, err);

	if (rc)
		return rc;
	rc = et_parse_u64(what, value->text, lo, hi, out, err);
	return rc ? et_plan_locate(r->out, value->at, rc, err) : 0;
}

int et_plan_want_list(const struct et_plan_reader *r, const struct et_yaml *value, const char *what,
	struct et_error *err)
{
	int rc = want(r, value, ET_YAML_LIST, what, err);

	if (rc == 0 && !value->n)
		rc = et_yaml_fail(r->path, value->at, err, NULL, "%s is an empty list", what);
	return rc;
}
