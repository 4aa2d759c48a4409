/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments: their defaults, commands and samples, and the memory that they own. */
#include "model/experiment/experiment.h"
#include "base/base.h"
#include "base/parse.h"
#include "model/experiment/field.h"
#include "sample_of.h"
#include "tap.h"

static char **words(const char *a, const char *b)
{
	char **v = et_calloc(3, sizeof(*v));

	v[0] = et_strdup(a);
	v[1] = b ? et_strdup(b) : NULL;
	return v;
}

static void test_new(void)
{
	struct et_experiment *e = et_experiment_new();
	bool valid = true;

	for (const struct et_field *f = et_plan_fields; f->name; f++)
		valid = valid && et_field_is_valid(f, &e->plan);
	for (const struct et_field *f = et_child_fields; f->name; f++)
		valid = valid && et_field_is_valid(f, &e->child);
	ok(valid, "experiment: every default is within the range of its field");
	ok(e->n_commands == 0 && !e->label && !e->id[0],
		"experiment: a new experiment has no commands");
	ok(e->plan.runs == 0 && e->plan.min_runs == 10 && e->plan.max_runs == 1000 &&
			e->plan.min_time_ns == 3000000000 && e->plan.warmup == 1 &&
			e->plan.level == 0.95,
		"experiment: a new experiment has the default plan");
	et_experiment_free(e);
	et_experiment_free(NULL);
}

static void test_commands(void)
{
	struct et_experiment *e = et_experiment_new();

	et_experiment_add_command(e, et_strdup("first"), words("sort", "a b"));
	struct et_command *c =
		et_experiment_add_command(e, et_strdup("second"), words("true", NULL));
	ok(e->n_commands == 2 && c == &e->commands[1], "experiment: a command is appended");
	is_str(e->commands[0].name, "first", "experiment: a command has the name given");
	is_str(e->commands[0].argv[1], "a b", "experiment: a command has the words given");
	ok(!c->samples.n && !c->prepare && !c->n_parameters,
		"experiment: a new command has no samples, hooks or parameters");

	char **again = NULL;
	struct et_error err;
	ok(et_split_words(e->commands[0].text, &again, &err) == 0 && !strcmp(again[0], "sort") &&
			!strcmp(again[1], "a b") && !again[2],
		"experiment: the text of a command splits into its words again");
	et_strv_free(again);
	et_experiment_free(e);
}

static void test_samples(void)
{
	struct et_experiment *e = et_experiment_new();
	struct et_culprit culprit = { .name = "cron", .cpu_ns = 7 };
	struct et_sample s = { .place.command = 1,
		.place.order = 9,
		.measured.culprits = &culprit,
		.measured.n_culprits = 1 };

	et_experiment_add_command(e, et_strdup("a"), words("true", NULL));
	et_experiment_add_command(e, et_strdup("b"), words("true", NULL));
	et_experiment_add(e, &s);
	const struct et_sample *added = et_experiment_add(e, &s);
	culprit.cpu_ns = 0;
	ok(e->commands[0].samples.n == 0 && e->commands[1].samples.n == 2,
		"experiment: a sample goes to its command");
	ok(sample_of(&e->commands[1], 0)->place.index == 1 && added->place.index == 2,
		"experiment: samples of a command are numbered from 1");
	ok(added->measured.culprits != &culprit && added->measured.culprits[0].cpu_ns == 7,
		"experiment: the culprits of a sample are copied");
	et_experiment_free(e);
}

static void test_names(void)
{
	struct et_experiment *e = et_experiment_new();
	const uint64_t wall_ns = UINT64_C(1794744000) * 1000000000;
	char buf[32];

	et_experiment_name(e, wall_ns, 0x1f3a9c);
	is_str(e->id, "20261115-120000-1f3a9c",
		"experiment: the id has date, time and random digits");
	ok(e->started_wall_ns == wall_ns, "experiment: the start is recorded with the id");
	is_str(et_format_rfc3339(wall_ns, buf), "2026-11-15T12:00:00Z",
		"experiment: a time is printed in UTC");
	et_experiment_free(e);
}

int main(void)
{
	test_new();
	test_commands();
	test_samples();
	test_names();
	return tap_done();
}
