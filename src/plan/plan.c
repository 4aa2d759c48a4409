/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a plan file: its keys, programs, hooks and options of `run`. */
#include "plan/plan.h"
#include "model/sample/metric.h"
#include "plan/reader.h"
#include "protocol/design.h"
#include "protocol/parameters.h"

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

static void write_value(
	struct et_json *j, const struct et_plan_key *key, const struct et_plan_schema *s)
{
	if (key->list) {
		et_json_string(j, "type", "array");
		et_json_int(j, "minItems", 1);
		et_json_object(j, "items");
		write_map(j, key->keys, s);
		if (key->shape)
			key->shape(j, s);
		et_json_end(j);
	} else if (key->shape) {
		key->shape(j, s);
	} else if (key->keys && key->names) {
		et_json_array(j, "anyOf");
		et_json_object(j, NULL);
		write_names(j, "enum", key->names);
		et_json_end(j);
		et_json_object(j, NULL);
		write_map(j, key->keys, s);
		et_json_end(j);
		et_json_end(j);
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
static void shape_kind_rules(struct et_json *j, const struct et_plan_schema *s)
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

static void shape_run(struct et_json *j, const struct et_plan_schema *s)
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

static const char *const orders[] = { "random", "yates", "interleaved", NULL };
static const char *const designs[] = { "full", NULL };

void et_plan_file_free(struct et_plan_file *p)
{
	for (size_t i = 0; i < p->n_options; i++) {
		free(p->options[i].name);
		free(p->options[i].value);
	}
	for (size_t i = 0; i < p->n_factors; i++)
		free(p->factors[i].levels);
	free(p->options);
	free(p->factors);
	free(p->programs);
	free(p->path);
	et_design_free(p->design);
	*p = (struct et_plan_file){ 0 };
}

int et_plan_locate(
	const struct et_plan_file *p, struct et_plan_place at, int rc, struct et_error *err)
{
	if (!err || !at.line)
		return rc;
	ET_AUTO_FREE char *what =
		et_asprintf("%s:%u:%u: %s", p->path, at.line, at.column, err->what);
	snprintf(err->what, sizeof(err->what), "%s", what);
	return rc;
}

static int read_name(struct et_plan_reader *r, const struct et_yaml *value)
{
	int rc = et_plan_read_name(r, value, "name", &r->d->name);

	if (rc == 0 && !strcmp(r->d->name, "last"))
		rc = et_plan_fail(
			r, value->at, NULL, "name: 'last' is reserved for the newest experiment");
	return rc;
}

static struct et_design_program *program(const struct et_plan_reader *r)
{
	return &r->d->programs[r->d->n_programs - 1];
}

static struct et_plan_program_places *program_places(const struct et_plan_reader *r)
{
	return &r->out->programs[r->d->n_programs - 1];
}

static int read_program_name(struct et_plan_reader *r, const struct et_yaml *value)
{
	program_places(r)->name = value->at;
	int rc = et_plan_read_name(r, value, "a program's name", &program(r)->name);
	for (size_t i = 0; rc == 0 && i + 1 < r->d->n_programs; i++) {
		if (!strcmp(r->d->programs[i].name, program(r)->name))
			rc = et_plan_fail(r, value->at, "rename one of them",
				"there are two programs named '%s'", program(r)->name);
	}
	return rc;
}

#define TEXT(member)                                                                               \
	.text = offsetof(struct et_design_program, member),                                        \
	.at = offsetof(struct et_plan_program_places, member)

static const struct et_plan_key program_keys[] = {
	{ "name", "name of the program in tables", read_program_name, .required = true },
	{ "command", "the command; {factor} is replaced by the level of that factor",
		.required = true, TEXT(command) },
	{ "build",
		"command that builds the program, run once per combination of the levels it names",
		TEXT(build) },
	{ "input", "file for standard input", TEXT(input) },
	{ 0 },
};

static int read_programs(struct et_plan_reader *r, const struct et_yaml *value)
{
	int rc = et_plan_want_list(r, value, "programs");

	for (size_t i = 0; rc == 0 && i < value->n; i++) {
		et_design_add_program(r->d, "");
		r->out->programs =
			et_realloc(r->out->programs, r->d->n_programs, sizeof(*r->out->programs));
		r->out->programs[r->out->n_programs++] =
			(struct et_plan_program_places){ .name = value->items[i]->at };
		r->object = program(r);
		r->places = program_places(r);
		rc = et_plan_read_map(r, value->items[i], program_keys, "a program");
	}
	r->object = r->d;
	r->places = r->out;
	return rc;
}

static int read_runs(const struct et_plan_reader *r, const struct et_yaml *value, const char *key,
	uint64_t least, uint32_t *out)
{
	uint64_t n;
	int rc = et_plan_read_whole(r, value, key, least, ET_MOST_RUNS, &n);

	if (rc == 0)
		*out = (uint32_t)n;
	return rc;
}

static int read_replications(struct et_plan_reader *r, const struct et_yaml *value)
{
	return read_runs(r, value, "replications", 1, &r->d->replications);
}

static int read_discard(struct et_plan_reader *r, const struct et_yaml *value)
{
	int rc = read_runs(r, value, "discard", 0, &r->d->discard);

	if (rc || r->d->discard < r->d->replications)
		return rc;
	return et_plan_fail(r, value->at, "use a discard below replications",
		"discard is %u of %u replications: nothing would be left", r->d->discard,
		r->d->replications);
}

static int read_order(struct et_plan_reader *r, const struct et_yaml *value)
{
	static const enum et_order meant[] = { ET_ORDER_RANDOM, ET_ORDER_SEQUENTIAL,
		ET_ORDER_ROUND_ROBIN };
	size_t i = 0;
	int rc = et_plan_read_choice(r, value, "order", "order: there is no", orders, &i);

	if (rc == 0)
		r->out->order = meant[i];
	return rc;
}

static int read_seed(struct et_plan_reader *r, const struct et_yaml *value)
{
	r->out->has_seed = true;
	return et_plan_read_whole(r, value, "seed", 0, INT64_MAX, &r->out->seed);
}

static int read_function(struct et_plan_reader *r, const struct et_yaml *value)
{
	int rc = et_plan_read_name(r, value, "profile", &r->d->response);

	if (rc)
		return rc;
	free(r->d->response);
	r->d->response = et_asprintf("profile:%s", value->text);
	return 0;
}

static const struct et_plan_key response_keys[] = {
	{ "profile", "name of a function, whose CPU time is the response", read_function,
		.required = true },
	{ 0 },
};

static int read_response(struct et_plan_reader *r, const struct et_yaml *value)
{
	size_t i;

	r->out->response_at = value->at;
	if (value->kind == ET_YAML_MAP)
		return et_plan_read_map(r, value, response_keys, "response");
	return et_plan_read_text(r, value, "response", &r->d->response)
		       ?: et_plan_choose(r, value, "response: there is no metric", value->text,
				  et_recorded_metric_names, &i);
}

static int add_option(
	struct et_plan_reader *r, const struct et_yaml *key, const struct et_yaml *value)
{
	struct et_plan_file *p = r->out;

	if (value->kind != ET_YAML_SCALAR)
		return et_plan_fail(
			r, value->at, NULL, "run: %s must be a single value", key->text);
	p->options = et_realloc(p->options, p->n_options + 1, sizeof(*p->options));
	p->options[p->n_options++] =
		(struct et_plan_option){ et_strdup(key->text), et_strdup(value->text), key->at };
	return 0;
}

/* The names of the options are checked where the options of `run` are known. */
static int read_run(struct et_plan_reader *r, const struct et_yaml *value)
{
	int rc = 0;

	if (value->kind != ET_YAML_MAP)
		return et_plan_fail(r, value->at, "write it like this: run: { warmup: 2, cpu: 1 }",
			"run must be a map of options");
	for (size_t i = 0; rc == 0 && i < value->n; i += 2) {
		const struct et_yaml *v = value->items[i + 1];
		if (v->kind != ET_YAML_LIST)
			rc = add_option(r, value->items[i], v);
		for (size_t k = 0; rc == 0 && v->kind == ET_YAML_LIST && k < v->n; k++)
			rc = add_option(r, value->items[i], v->items[k]);
	}
	return rc;
}

static int read_reboot(struct et_plan_reader *r, const struct et_yaml *value)
{
	if (r->out->order != ET_ORDER_SEQUENTIAL)
		return et_plan_fail(r, value->at, "write 'order: yates', or use the hook 'between'",
			"reboot needs 'order: yates': any other order would restart the "
			"machine before every run");
	return et_plan_read_text(r, value, "reboot", &r->d->reboot);
}

const struct et_plan_key et_hook_keys[] = {
	{ "setup", "command that a shell runs before the first run",
		.text = offsetof(struct et_design, setup) },
	{ "between", "command that a shell runs before the first run of each treatment",
		.text = offsetof(struct et_design, between),
		.at = offsetof(struct et_plan_file, between_at) },
	{ "reboot", "command that restarts the machine before each treatment but the first",
		.read = read_reboot },
	{ 0 },
};

/*
 * To add a row, here or in factors.c: its reader, its shape, a paragraph in man/etalon-plan.5.scd,
 * and the schema again: `etalon doe init --schema >doc/plan.schema.json`.
 */
const struct et_plan_key et_plan_keys[] = {
	{ "name", "name of the plan; results are kept under it", read_name, .required = true },
	{ "programs", "programs to measure", read_programs, .required = true, .keys = program_keys,
		.list = true },
	{ "factors", "factors to vary, each over its levels", et_plan_read_factors,
		.required = true, .keys = et_factor_keys, .list = true, .shape = shape_kind_rules },
	{ "design", "which combinations of levels are run (full)", et_plan_read_design,
		.names = designs, .keys = et_design_keys },
	{ "replications", "runs of each program under each treatment (31)", read_replications,
		.whole = true, .least = 1, .most = ET_MOST_RUNS },
	{ "discard", "how many of the replications, the first ones, do not count (1)", read_discard,
		.whole = true },
	{ "order", "order of the runs (random)", read_order, .names = orders },
	{ "seed", "seed of the random order (made of the plan's name)", read_seed, .whole = true },
	{ "response", "the figure that is analysed (pt, CPU time)", read_response,
		.names = et_recorded_metric_names, .keys = response_keys },
	{ "run", "options of 'etalon run', by their long names", read_run, .shape = shape_run },
	{ "hooks", "commands around treatments", .keys = et_hook_keys },
	{ 0 },
};

/* --- checks of the whole plan: names in braces, unused factors, the design --- */

struct uses {
	const struct et_plan_reader *r;
	bool used[ET_MOST_FACTORS];
};

static int unknown_brace(
	const struct et_plan_reader *r, struct et_plan_place at, const char *what, const char *name)
{
	ET_AUTO_FREE char **names = et_design_factor_names(r->d);
	int rc = et_plan_fail(r, at, NULL, "%s: there is no factor for {%s}", what, name);

	return et_plan_hint_names(r, rc, name, (const char *const *)names);
}

/* Notes the factors in braces. After a $ they are a shell's; {build} is a folder. */
static int note_braces(struct uses *u, const char *text, struct et_plan_place at, const char *what)
{
	const struct et_design *d = u->r->d;

	for (const char *s = text ? strchr(text, '{') : NULL; s; s = strchr(s + 1, '{')) {
		size_t len = strcspn(s + 1, "{}"), i = 0;
		ET_AUTO_FREE char *name = et_strndup(s + 1, len);
		bool folder = !strcmp(name, "build") && text != d->between && strcmp(what, "input");
		if (s[1 + len] != '}' || !et_parameter_is_name(name) || folder)
			continue;
		if (s > text && s[-1] == '$')
			continue;
		while (i < d->n_factors && strcmp(d->factors[i].name, name))
			i++;
		if (i == d->n_factors)
			return unknown_brace(u->r, at, what, name);
		u->used[i] = true;
	}
	return 0;
}

static int note_uses(struct uses *u)
{
	const struct et_plan_file *p = u->r->out;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n_programs; i++) {
		const struct et_design_program *g = &p->design->programs[i];
		rc = note_braces(u, g->command, p->programs[i].command, "command")
			?: note_braces(u, g->build, p->programs[i].build, "build")
			?: note_braces(u, g->input, p->programs[i].input, "input");
	}
	for (size_t i = 0; rc == 0 && i < p->n_options; i++)
		rc = note_braces(u, p->options[i].value, p->options[i].at, p->options[i].name);
	return rc ? rc : note_braces(u, p->design->between, p->between_at, "between");
}

/* A parameter that no command names would be a factor that changes nothing. */
static int check_used(const struct uses *u)
{
	const struct et_design *d = u->r->d;

	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		enum et_kind_scope scope = et_factor_kinds[f->kind].scope;
		if (u->used[i] || (scope != ET_SCOPE_TEXT && scope != ET_SCOPE_BUILD))
			continue;
		return et_hint(u->r->err,
			et_plan_fail(u->r, u->r->out->factors[i].name, NULL,
				"no command uses the factor '%s', so it would change nothing",
				f->name),
			"write {%s} into a %scommand", f->name,
			scope == ET_SCOPE_BUILD ? "build " : "");
	}
	return 0;
}

static int make_treatments(struct et_plan_reader *r)
{
	struct et_design *d = r->d;
	struct et_plan_place at =
		r->out->design_at.line ? r->out->design_at : r->out->factors[0].name;

	for (size_t i = 0; r->generators && i < d->n_factors; i++) {
		if (d->factors[i].generator)
			at = r->generators[i];
	}
	int rc = et_design_make_treatments(d, r->err);
	if (rc)
		return et_plan_locate(r->out, at, rc, r->err);
	if (d->n_treatments > ET_PLAN_MOST_COMMANDS / d->n_programs)
		return et_plan_fail(r, at,
			"use fewer programs, factors or levels, or a fractional design",
			"%zu programs under %zu treatments are more than %d commands",
			d->n_programs, d->n_treatments, ET_PLAN_MOST_COMMANDS);
	return 0;
}

static int check(struct et_plan_reader *r)
{
	struct uses u = { .r = r };

	return note_uses(&u) ?: check_used(&u) ?: make_treatments(r);
}

/* --- the file --- */

/* The text, which must end with a 0 byte. */
static char *read_stream(FILE *in, size_t *size)
{
	char *text = et_alloc(ET_PLAN_MOST_BYTES + 2);

	*size = fread(text, 1, ET_PLAN_MOST_BYTES + 1, in);
	text[*size] = '\0';
	return et_realloc(text, *size + 1, 1);
}

/* Without `discard` a plan of one replication keeps it. */
static void set_defaults(struct et_design *d, const struct et_yaml *root)
{
	if (!d->response)
		d->response = et_strdup(et_metrics[ET_METRIC_CPU].name);
	if (d->replications == 1 && !et_yaml_find(root, "discard"))
		d->discard = 0;
}

static int read_text(struct et_plan_reader *r, const char *text, size_t size)
{
	struct et_yaml *root;

	if (size > ET_PLAN_MOST_BYTES)
		return et_plan_fail(r, (struct et_plan_place){ 1, 1 }, NULL,
			"the file is larger than %d MiB", ET_PLAN_MOST_BYTES >> 20);
	int rc = et_yaml_read(r, text, size, &root);
	if (rc)
		return rc;
	rc = et_plan_read_map(r, root, et_plan_keys, "a plan");
	if (rc == 0) {
		set_defaults(r->d, root);
		rc = check(r);
	}
	free(r->generators);
	et_yaml_free(root);
	return rc;
}

int et_plan_read(FILE *in, const char *path, struct et_plan_file *out, struct et_error *err)
{
	struct et_plan_file p = {
		.path = et_strdup(path), .design = et_design_new(), .order = ET_ORDER_RANDOM
	};
	struct et_plan_reader r = {
		.out = &p, .d = p.design, .err = err, .object = p.design, .places = &p
	};
	size_t size;
	char *text = read_stream(in, &size);
	int rc = ferror(in) ? et_fail_file(err, errno, ET_EXIT_USAGE, path)
			    : read_text(&r, text, size);

	p.design->source = text;
	if (rc)
		et_plan_file_free(&p);
	else
		*out = p;
	return rc;
}

uint64_t et_plan_runs(const struct et_design *d)
{
	return (uint64_t)d->n_treatments * d->n_programs * d->replications;
}

int et_plan_check_size(const struct et_design *d, bool yes, struct et_error *err)
{
	uint64_t runs = et_plan_runs(d);

	if (yes || runs <= ET_PLAN_FREE_RUNS)
		return 0;
	return et_fail_hint(err, E2BIG, ET_EXIT_USAGE,
		"give --yes if that is meant, or use fewer levels, a fractional design or fewer "
		"replications",
		"the experiment has %llu runs (%zu treatments, %zu program%s, %u "
		"replications), more than %d",
		(unsigned long long)runs, d->n_treatments, d->n_programs,
		d->n_programs == 1 ? "" : "s", d->replications, ET_PLAN_FREE_RUNS);
}
