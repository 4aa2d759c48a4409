/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks the table of a program's commands: their names, their options, the choices of options. A
 * row that a table needs and does not have would only show when a user reaches it.
 */
#pragma once

#include "base/base.h"
#include "cli/cli.h"
#include "cli/field_option.h"
#include "tap.h"

#include <ctype.h>
#include <errno.h>

/* Setters fill this in place of a command's structure. */
static _Alignas(max_align_t) char target[1 << 18];
static struct et_error err;

static bool same(const char *a, const char *b)
{
	return !strcmp(a, b);
}

/* A sentence for help: not empty, on one line, without a full stop. */
static bool is_sentence(const char *text)
{
	return text && *text && !strchr(text, '\n') && text[strlen(text) - 1] != '.';
}

/* Reports every row that fails; one check per command and property. */
static bool complain(const struct et_verb *v, const struct et_option *o, const char *what)
{
	printf("# %s --%s %s\n", v->name, o->name, what);
	return false;
}

static bool check_row(const struct et_verb *v, const struct et_option *o)
{
	bool good = true;

	for (const char *c = o->name; *c; c++) {
		if (!islower((unsigned char)*c) && *c != '-')
			good = complain(v, o, "has a strange name");
	}
	if (!is_sentence(o->help))
		good = complain(v, o, "has no help of one sentence");
	if (!o->set)
		good = complain(v, o, "has no setter");
	if (et_option_choice(o, 0) && !o->arg)
		good = complain(v, o, "has choices but takes no argument");
	if (o->hi && o->lo > o->hi)
		good = complain(v, o, "has an empty range");
	if ((o->set == et_set_true || o->set == et_set_false) && o->arg)
		good = complain(v, o, "takes an argument that its setter ignores");
	return good;
}

/* A setter that reads its argument crashes if the row takes none. */
static bool takes_what_it_reads(const struct et_option *o)
{
	static et_option_set *const readers[] = { et_set_text, et_set_u64, et_set_u32, et_set_size,
		et_set_int, et_set_choice, et_set_duration, et_set_ratio, et_set_probability,
		et_set_field_number, et_set_field_ratio };

	for (size_t i = 0; i < ET_LENGTH(readers); i++) {
		if (o->set == readers[i])
			return o->arg && o->arg[0] != '[';
	}
	return true;
}

static bool has_field(const struct et_option *o)
{
	const struct et_field_ref *ref = o->context;

	if (o->set != et_set_field_number && o->set != et_set_field_ratio)
		return true;
	const struct et_field *f = et_field_find(ref->fields, ref->name);
	return f && (!o->hi || ((int64_t)o->lo <= f->hi && (int64_t)o->hi >= f->lo));
}

static bool sets(const struct et_option *o, const char *text)
{
	char *word = et_strdup(text), *args[] = { word, NULL };

	memset(target, 0, sizeof(target));
	memset(&err, 0, sizeof(err));
	int rc = o->set(o, target, args, &err);
	free(word);
	return rc == 0;
}

/* Every choice is accepted; another word is refused with the list of choices. */
static bool check_choices(const struct et_verb *v, const struct et_option *o)
{
	bool good = true;
	const char *name;

	if (!et_option_choice(o, 0))
		return true;
	for (size_t i = 0; (name = et_option_choice(o, i)) != NULL; i++) {
		if (!sets(o, name))
			good = complain(v, o, "refuses one of its choices");
		else if (o->set == et_set_choice && *(int *)et_option_target(o, target) != (int)i)
			good = complain(v, o, "sets another choice");
	}
	if (sets(o, "no-such-choice"))
		good = complain(v, o, "accepts an unknown choice");
	for (size_t i = 0; (name = et_option_choice(o, i)) != NULL; i++) {
		if (!strstr(err.hint, name))
			good = complain(v, o, "does not list its choices in the hint");
	}
	return good;
}

/* The names of an enum are few: its help lists all of them. */
static bool helps_with_choices(const struct et_option *o)
{
	for (size_t i = 0; o->names && o->names[i]; i++) {
		if (!strstr(o->help, o->names[i]) && !strstr(o->arg, o->names[i]))
			return false;
	}
	return true;
}

static bool is_unique(const struct et_verb *v, const struct et_option *o)
{
	struct et_option_walk at = { 0 };
	struct et_option x;
	size_t n = 0;

	while (et_verb_next_option(v, &at, &x)) {
		/* The parser uses the row of the action. */
		if (x.of && o->of && !(x.of & o->of))
			continue;
		n += same(x.name, o->name) || (x.letter && x.letter == o->letter);
	}
	return n == 1;
}

static bool is_word(const char *text, const char *word, size_t len)
{
	return text && strlen(text) == len && !strncmp(text, word, len);
}

/* Whether all of "a|b" are options of the command, or "@kind" of some, or operands in capitals. */
static bool are_options(const struct et_verb *v, const char *names)
{
	while (names && *names) {
		size_t len = strcspn(names, "|"), found = isupper((unsigned char)*names) != 0;
		struct et_option_walk at = { 0 };
		struct et_option o;
		while (et_verb_next_option(v, &at, &o))
			found += *names == '@' ? is_word(o.kind, names + 1, len - 1)
					       : is_word(o.name, names, len);
		if (!found)
			return false;
		names += len + (names[len] == '|');
	}
	return true;
}

/* The bits of all actions of a command. */
static unsigned bits_of(const struct et_verb *v)
{
	unsigned bits = 0;

	for (const struct et_action *a = v->actions; a && a->name; a++)
		bits |= a->bit;
	return bits;
}

static bool are_related(const struct et_verb *v, const struct et_option *o)
{
	return are_options(v, o->needs) && are_options(v, o->excludes) && !(o->of & ~bits_of(v));
}

/* Whether each row of changed_options is about an option of another table. */
static bool changes_options(const struct et_verb *v)
{
	bool known = true;

	for (const struct et_option *c = v->changed_options; c && c->name; c++)
		known = known && are_options(v, c->name);
	return known && (!v->shares_few || v->changed_options);
}

static void test_actions(const struct et_verb *v)
{
	bool complete = true;
	unsigned known = 0;

	for (const struct et_action *a = v->actions; a->name; a++) {
		complete = complete && a->run && a->bit && !(a->bit & (a->bit - 1)) &&
			   !(a->bit & known) && a->rights != ET_RIGHTS_UNSTATED &&
			   a->least <= a->most && (!a->least || a->wants);
		known |= a->bit;
	}
	ok(complete, "%s: every action has a function, a bit of its own, rights and operands",
		v->name);
}

struct findings {
	bool complete, choices, choices_helped, readable, fields, unique, related;
	size_t n;
};

static void look_at(const struct et_verb *v, const struct et_option *o, struct findings *f)
{
	f->n++;
	f->complete = check_row(v, o) && f->complete;
	f->choices = check_choices(v, o) && f->choices;
	if (!helps_with_choices(o))
		f->choices_helped = complain(v, o, "does not list its choices in the help");
	if (!takes_what_it_reads(o))
		f->readable = complain(v, o, "has a setter that needs an argument");
	if (!has_field(o))
		f->fields = complain(v, o, "has no field, or a range outside of the field's");
	if (!is_unique(v, o))
		f->unique = complain(v, o, "is there twice");
	if (!are_related(v, o))
		f->related = complain(v, o, "names an option or an action that is not there");
}

static void test_options(const struct et_verb *v)
{
	struct findings f = { true, true, true, true, true, true, true, 0 };

	struct et_option_walk at = { 0 };
	struct et_option o;

	while (et_verb_next_option(v, &at, &o))
		look_at(v, &o, &f);
	ok(f.n > 4, "%s: its tables have %zu options", v->name, f.n);
	ok(f.complete, "%s: every option has a name, one sentence of help and a setter", v->name);
	ok(f.readable, "%s: every setter gets the argument that it reads", v->name);
	ok(f.choices, "%s: every choice of an option is accepted, and no other word", v->name);
	ok(f.choices_helped, "%s: the help of an option lists its choices", v->name);
	ok(f.fields, "%s: every option of a field names one, and a range within it", v->name);
	ok(f.unique, "%s: no option is there twice", v->name);
	ok(f.related && changes_options(v),
		"%s: options need, exclude, change and belong to what is there", v->name);
}

static void test_commands(void)
{
	bool complete = true, unique = true;

	for (size_t i = 0; et_verbs[i]; i++) {
		const struct et_verb *v = et_verbs[i];
		complete = complete && is_sentence(v->summary) &&
			   (v->program || (v->usage && v->examples && v->run &&
						  v->rights != ET_RIGHTS_UNSTATED));
		for (size_t k = 0; k < i; k++)
			unique = unique && !same(et_verbs[k]->name, v->name);
		if (!v->program)
			test_options(v);
		if (v->actions)
			test_actions(v);
	}
	ok(complete, "commands: each has a summary, and usage, examples, rights and a function, or "
		     "a program");
	ok(unique, "commands: no name is there twice");
}
