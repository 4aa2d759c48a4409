/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a plan file: maps by tables of keys, texts, names, numbers. */
#include "plan/reader.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "base/utf8.h"

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

int et_plan_fail(const struct et_plan_reader *r, struct et_plan_place at, const char *hint,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *what = et_vasprintf(fmt, ap);
	va_end(ap);
	int rc = et_fail(r->err, EINVAL, ET_EXIT_USAGE, "%s:%u:%u: %s", r->out->path, at.line,
		at.column, what);
	return hint ? et_hint(r->err, rc, "%s", hint) : rc;
}

int et_plan_at(const struct et_plan_reader *r, const struct et_yaml *value, int rc)
{
	return rc ? et_plan_locate(r->out, value->at, rc, r->err) : 0;
}

static int want(const struct et_plan_reader *r, const struct et_yaml *y, enum et_yaml_kind kind,
	const char *what)
{
	if (et_yaml_empty(y))
		return et_plan_fail(r, y->at, NULL, "%s is empty: %s is needed", what,
			kind == ET_YAML_SCALAR ? "a value" : kinds[kind]);
	if (y->kind == kind)
		return 0;
	ET_AUTO_FREE char *hint = hint_of_kind(y, kind);
	return et_plan_fail(r, y->at, hint, "%s must be %s, not %s", what,
		kind == ET_YAML_SCALAR ? "a single value" : kinds[kind], kinds[y->kind]);
}

int et_plan_hint_names(
	const struct et_plan_reader *r, int rc, const char *typed, const char *const *names)
{
	struct et_nearest n = et_nearest_to(typed);
	ET_AUTO_FREE char *all = NULL;

	for (size_t i = 0; names[i]; i++) {
		et_nearest_offer(&n, names[i]);
		et_append(&all, names[i + 1] ? ", " : i ? " or " : "", "%s", names[i]);
	}
	if (n.best)
		return et_hint(r->err, rc, "did you mean '%s'?", n.best);
	return et_hint(r->err, rc, "use %s", all ? all : "none");
}

int et_plan_choose(const struct et_plan_reader *r, const struct et_yaml *y, const char *what,
	const char *text, const char *const *names, size_t *out)
{
	for (*out = 0; names[*out]; ++*out) {
		if (!strcmp(names[*out], text))
			return 0;
	}
	return et_plan_hint_names(
		r, et_plan_fail(r, y->at, NULL, "%s '%s'", what, text), text, names);
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
	const struct et_yaml *value, const struct et_plan_key *keys, const char *of)
{
	const char *names[32] = { NULL }, *outer = outer_key(keys, key->text);

	if (!strcmp(key->text, "<<"))
		return et_plan_fail(
			r, key->at, "write the keys out", "plan files have no merge keys (<<)");
	int rc = et_plan_fail(r, key->at, NULL, "%s has no key '%s'", of, key->text);
	if (outer)
		return et_hint(r->err, rc, "write %s: { %s: %s }", outer, key->text,
			value->kind == ET_YAML_SCALAR ? value->text : "…");
	for (size_t i = 0; keys[i].name && i + 1 < ET_LENGTH(names); i++)
		names[i] = keys[i].name;
	return et_plan_hint_names(r, rc, key->text, names);
}

static int read_value(
	struct et_plan_reader *r, const struct et_plan_key *key, const struct et_yaml *value)
{
	char *object = r->object, *places = r->places;

	if (key->read)
		return key->read(r, value);
	if (key->keys)
		return et_plan_read_map(r, value, key->keys, key->name);
	if (key->at)
		memcpy(places + key->at, &value->at, sizeof(value->at));
	return et_plan_read_text(r, value, key->name, (char **)(void *)(object + key->text));
}

int et_plan_read_map(struct et_plan_reader *r, const struct et_yaml *map,
	const struct et_plan_key *keys, const char *of)
{
	int rc = want(r, map, ET_YAML_MAP, of);

	for (size_t i = 0; rc == 0 && i < map->n; i += 2) {
		if (!find_key(keys, map->items[i]->text))
			rc = unknown_key(r, map->items[i], map->items[i + 1], keys, of);
	}
	for (; rc == 0 && keys->name; keys++) {
		const struct et_yaml *value = et_yaml_find(map, keys->name);
		if (value)
			rc = read_value(r, keys, value);
		else if (keys->required)
			rc = et_hint(r->err,
				et_plan_fail(r, map->at, NULL, "%s has no '%s'", of, keys->name),
				"add '%s: …': %s", keys->name, keys->what);
	}
	return rc;
}

static int want_text(const struct et_plan_reader *r, const struct et_yaml *value, const char *what)
{
	int rc = want(r, value, ET_YAML_SCALAR, what);

	if (rc == 0 && !value->text[strspn(value->text, " \t\n")])
		rc = et_plan_fail(r, value->at, NULL, "%s is empty", what);
	return rc;
}

int et_plan_read_choice(const struct et_plan_reader *r, const struct et_yaml *value,
	const char *key, const char *what, const char *const *names, size_t *out)
{
	return want_text(r, value, key) ?: et_plan_choose(r, value, what, value->text, names, out);
}

int et_plan_read_text(
	const struct et_plan_reader *r, const struct et_yaml *value, const char *what, char **out)
{
	int rc = want_text(r, value, what);

	if (rc)
		return rc;
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

int et_plan_read_name(
	const struct et_plan_reader *r, const struct et_yaml *value, const char *what, char **out)
{
	int rc = want_text(r, value, what);

	if (rc)
		return rc;
	if (strlen(value->text) > LONGEST_NAME)
		return et_plan_fail(
			r, value->at, NULL, "%s is longer than %d bytes", what, LONGEST_NAME);
	if (!is_printable(value->text))
		return et_plan_fail(
			r, value->at, NULL, "%s must be one line without control characters", what);
	return et_plan_read_text(r, value, what, out);
}

int et_plan_read_whole(const struct et_plan_reader *r, const struct et_yaml *value,
	const char *what, uint64_t lo, uint64_t hi, uint64_t *out)
{
	return want(r, value, ET_YAML_SCALAR, what)
		       ?: et_plan_at(
				  r, value, et_parse_u64(what, value->text, lo, hi, out, r->err));
}

int et_plan_want_list(const struct et_plan_reader *r, const struct et_yaml *value, const char *what)
{
	int rc = want(r, value, ET_YAML_LIST, what);

	if (rc == 0 && !value->n)
		rc = et_plan_fail(r, value->at, NULL, "%s is an empty list", what);
	return rc;
}
