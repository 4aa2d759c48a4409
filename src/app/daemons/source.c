/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the runs of `etalon daemons analyse`: a record, or one or two experiments. */
#include "app/daemons/daemons.h"
#include "base/parse.h"
#include "protocol/daemons.h"
#include "source/input.h"
#include "source/operand.h"
#include "store/import/daemons.h"

/* One operand: a record of daemons (data), or an experiment. */
struct operand {
	const char *name; /* as the user gave it */
	char *data;
	size_t size;
	struct et_experiment *experiment;
};

static void operand_free(struct operand *o)
{
	free(o->data);
	et_experiment_free(o->experiment);
}

static int read_file(void *ctx, FILE *in, const char *name, struct et_error *err)
{
	struct operand *o = ctx;
	int rc = et_input_read_stream(in, name, ET_DAEMONS_MOST_BYTES, &o->data, &o->size, err);

	o->name = name;
	if (rc || !et_daemon_record_is_native(o->data, o->size))
		return rc;
	return et_input_record(o->data, o->size, name, &o->experiment, err);
}

static int take_experiment(void *ctx, struct et_experiment *e, struct et_error *err)
{
	struct operand *o = ctx;

	(void)err;
	o->experiment = e;
	return 0;
}

/* --- experiments --- */

static int choose_command(const struct operand *o, const char *wanted,
	const struct et_command **out, struct et_error *err)
{
	const struct et_experiment *e = o->experiment;
	uint64_t number;

	if (!wanted && e->n_commands > 1)
		return et_hint(err,
			et_refuse(err, NULL, "'%s' has %zu commands", o->name, e->n_commands),
			"choose one of them: --command N, from 1 to %zu, or --command NAME",
			e->n_commands);
	*out = &e->commands[0];
	if (!wanted)
		return 0;
	for (size_t i = 0; i < e->n_commands; i++) {
		*out = &e->commands[i];
		if (!strcmp((*out)->name, wanted))
			return 0;
	}
	if (et_parse_u64("--command", wanted, 1, e->n_commands, &number, NULL))
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE, "--command: '%s' has no command '%s'",
				o->name, wanted),
			"use a number from 1 to %zu, or the name of a command", e->n_commands);
	*out = &e->commands[number - 1];
	return 0;
}

/* Fails if nobody looked at other processes, because then no daemon can be found. */
static int check_observed(const struct operand *o, const struct et_command *c, struct et_error *err)
{
	const char *source = o->experiment->snapshot_source;
	ET_AUTO_READER struct et_sample_reader r = et_samples_read(&c->samples);

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		if (s->measured.n_culprits)
			return 0;
	}
	if (source && *source && strcmp(source, "none") != 0)
		return 0; /* other processes were observed, and none of them ran */
	return et_refuse(err, "analyse an experiment that etalon itself has measured",
		"'%s' does not record which other processes ran", o->name);
}

static int take_run(const struct operand *o, const char *command, struct et_daemon_record *r,
	struct et_daemon_run *run, struct et_error *err)
{
	const struct et_command *c = NULL;
	int rc = choose_command(o, command, &c, err) ?: check_observed(o, c, err);

	if (rc == 0)
		et_daemon_run_fill(r, run, c);
	return rc;
}

static int check_pair(const struct operand *list, size_t n, struct et_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!list[i].experiment)
			return et_refuse(err, "give it alone, or give two experiments",
				"'%s' is a record of daemons, which has all runs", list[i].name);
	}
	if (strcmp(list[0].experiment->id, list[1].experiment->id) != 0)
		return 0;
	return et_refuse(err, "give the short run and the long run, or one of them alone",
		"'%s' and '%s' are the same experiment", list[0].name, list[1].name);
}

static int take_experiments(const struct operand *list, size_t n, const char *command,
	struct et_daemons_source *out, struct et_error *err)
{
	struct et_daemon_record *r = &out->record;
	int rc = n > 1 ? check_pair(list, n, err) : 0;

	if (rc == 0)
		rc = take_run(&list[0], command, r, &r->short_run, err);
	if (rc == 0 && n > 1) {
		r->has_long = true;
		rc = take_run(&list[1], command, r, &r->long_run, err);
	}
	et_daemon_record_settle(r);
	/* A run of too few samples has no length; the analysis refuses it. */
	if (rc == 0 && r->short_run.samples > 1 && r->long_run.samples > 1 &&
		!(r->long_run.sample_seconds > r->short_run.sample_seconds))
		rc = et_refuse(err, "give the run of short samples first",
			"the samples of '%s' are not longer than those of '%s'", list[1].name,
			list[0].name);
	if (rc)
		return rc;
	snprintf(out->short_id, sizeof(out->short_id), "%s", list[0].experiment->id);
	if (n > 1)
		snprintf(out->long_id, sizeof(out->long_id), "%s", list[1].experiment->id);
	return 0;
}

int et_daemons_source_open(const struct et_cli *cli, char *const *names, size_t n,
	const char *command, struct et_daemons_source *out, struct et_error *err)
{
	static const struct et_operand_use use = { .read = read_file, .take = take_experiment };
	struct operand list[2] = { { .name = names[0] }, { .name = n > 1 ? names[1] : NULL } };
	struct et_daemons_source source = { 0 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = et_operand_open(cli, list[i].name, &use, &list[i], err);
	if (rc == 0 && (n > 1 || list[0].experiment))
		rc = take_experiments(list, n, command, &source, err);
	else if (rc == 0 && command)
		rc = et_refuse(err, NULL,
			"--command is for experiments, and '%s' is a record of daemons",
			list[0].name);
	else if (rc == 0)
		rc = et_daemon_record_read(
			list[0].data, list[0].size, list[0].name, &source.record, err);
	source.name =
		n > 1 ? et_asprintf("%s, %s", list[0].name, list[1].name) : et_strdup(list[0].name);
	operand_free(&list[0]);
	operand_free(&list[1]);
	if (rc) {
		et_daemons_source_free(&source);
		return rc;
	}
	*out = source;
	return 0;
}

void et_daemons_source_free(struct et_daemons_source *s)
{
	et_daemon_record_free(&s->record);
	free(s->name);
}
