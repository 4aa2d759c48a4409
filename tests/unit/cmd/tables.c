/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks the tables of src/cmd: commands, their options, the choices of options, export formats,
 * experiments of `lab`. A row that a table needs and does not have would only show when a user
 * reaches it.
 */
#include "base/alloc.h"
#include "cmd/cli.h"
#include "cmd/field_option.h"
#include "cmd/lab_experiments.h"
#include "cmd/outputs.h"
#include "report/format.h"
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
	for (size_t t = 0; et_verb_table(v, t); t++) {
		for (const struct et_option *x = et_verb_table(v, t); x->name; x++) {
			/* The bits of `doe` are actions, each of which has a table of its own. */
			if (same(v->name, "doe") && x->bit && o->bit && !(x->bit & o->bit))
				continue;
			if (x != o &&
				(same(x->name, o->name) || (x->letter && x->letter == o->letter)))
				return false;
		}
	}
	return true;
}

struct findings {
	bool complete, choices, choices_helped, readable, fields, unique;
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
}

static void test_options(const struct et_verb *v)
{
	struct findings f = { true, true, true, true, true, true, 0 };

	for (size_t t = 0; et_verb_table(v, t); t++) {
		for (const struct et_option *o = et_verb_table(v, t); o->name; o++)
			look_at(v, o, &f);
	}
	ok(f.n > 4, "%s: its tables have %zu options", v->name, f.n);
	ok(f.complete, "%s: every option has a name, one sentence of help and a setter", v->name);
	ok(f.readable, "%s: every setter gets the argument that it reads", v->name);
	ok(f.choices, "%s: every choice of an option is accepted, and no other word", v->name);
	ok(f.choices_helped, "%s: the help of an option lists its choices", v->name);
	ok(f.fields, "%s: every option of a field names one, and a range within it", v->name);
	ok(f.unique, "%s: no option is there twice", v->name);
}

static void test_commands(void)
{
	bool complete = true, unique = true;

	for (size_t i = 0; et_verbs[i]; i++) {
		const struct et_verb *v = et_verbs[i];
		complete = complete && is_sentence(v->summary) && v->usage && v->examples &&
			   v->run && v->rights != ET_RIGHTS_UNSTATED;
		for (size_t k = 0; k < i; k++)
			unique = unique && !same(et_verbs[k]->name, v->name);
		test_options(v);
	}
	ok(complete, "commands: each has a summary, usage, examples, rights and a function");
	ok(unique, "commands: no name is there twice");
}

static void test_formats(void)
{
	const struct et_option *o = et_outputs_options();
	bool complete = true, named = true;

	for (const struct et_format *f = et_formats; f->name; f++) {
		complete = complete && o->name && same(o->name, f->option) && f->write;
		named = named && et_format_find(f->name) == f;
		o += o->name != NULL;
	}
	ok(complete && !o->name, "formats: each has a writer and an option of run");
	ok(named && !et_format_find("nosuch"), "formats: each is found by its name");
}

static void test_lab(void)
{
	unsigned taken = ET_LAB_JSON, known = 0;
	bool complete = true, single = true;
	const struct et_verb *lab = NULL;

	for (size_t i = 0; et_verbs[i]; i++) {
		if (same(et_verbs[i]->name, "lab"))
			lab = et_verbs[i];
	}
	if (!lab)
		tap_bail("there is no command lab");
	for (const struct et_option *o = lab->options; o->name; o++) {
		/* Each problem itself refuses the numbers that it does not take. */
		bool shared = o->bit == ET_LAB_PROBLEM;
		single = single && o->bit && !(o->bit & (o->bit - 1)) &&
			 (shared || !(known & o->bit));
		known |= o->bit;
	}
	for (const struct et_lab_experiment *x = et_lab_experiments; x->name; x++) {
		complete = complete && is_sentence(x->summary) && x->run;
		taken |= x->takes;
	}
	ok(complete, "lab: every experiment has a summary and a function");
	ok(single, "lab: every option has a bit of its own, or that of the problems");
	ok(taken == known,
		"lab: every option is taken by an experiment, and every bit is an option");
	ok(same(lab->operand(0), "list"), "lab: completion offers list");
	size_t n = 0;
	while (et_lab_experiments[n].name && same(lab->operand(n + 1), et_lab_experiments[n].name))
		n++;
	ok(!et_lab_experiments[n].name && !lab->operand(n + 1),
		"lab: completion offers the experiments");
}

int main(void)
{
	test_commands();
	test_formats();
	test_lab();
	return tap_done();
}
