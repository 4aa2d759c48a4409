/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of `profile`: text and files, of runs that were measured or read. */
#include "app/profile/profile.h"
#include "base/clock.h"
#include "cli/server.h"
#include "profile/readers/read.h"
#include "source/operand.h"

#include <sys/random.h>

/* The calls that the user knows; a name that no sample has is an error, because it is a slip. */
static int set_calls(
	const struct et_profile_command *p, struct et_experiment *e, struct et_error *err)
{
	struct et_profile *profile = e->profile;

	for (size_t i = 0; i < p->calls.n; i++) {
		const char *text = p->calls.text[i];
		size_t length = (size_t)(strrchr(text, '=') - text), found = 0;
		for (uint32_t f = 0; f < profile->n_functions; f++) {
			const char *name = profile->functions[f].name;
			if (strlen(name) != length || memcmp(name, text, length) != 0)
				continue;
			for (uint32_t c = 0; c < e->n_commands; c++)
				et_profile_set_calls(
					profile, c, f, strtod(text + length + 1, NULL));
			found++;
		}
		if (!found)
			return et_fail(err, ENOENT, ET_EXIT_USAGE,
				"--calls: no sample is in a function named '%.*s'", (int)length,
				text);
	}
	return 0;
}

static int write_files(
	struct et_outputs *outputs, const struct et_profiled *result, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < outputs->n; i++) {
		const struct et_profile_format *format = outputs->list[i].own;
		FILE *f = et_output_begin(&outputs->list[i].output, err);
		if (!f)
			return -EIO;
		format->write(result, f);
		rc = et_output_end(&outputs->list[i].output, err);
	}
	return rc;
}

int et_profile_conclude(struct et_profile_command *p, const struct et_cli *cli,
	struct et_experiment *e, const struct et_warnings *more, FILE *text, size_t *left)
{
	struct et_text_options o = et_cli_text(cli);
	struct et_profiled result;
	struct et_error err;
	int status = ET_EXIT_DONE;
	uint64_t samples = 0;

	/* A run whose samples were lost did not end too early. */
	for (size_t i = 0; i < e->profile->n_runs && !samples; i++) {
		const struct et_profile_run *run = &e->profile->runs[i];
		samples = run->samples | run->lost | run->throttled;
	}
	if (!samples) {
		et_fail(&err, ENODATA, ET_EXIT_USAGE,
			"'%s' ended before the first sample, in every run", e->commands[0].name);
		et_hint(&err, 0, "use a higher --frequency, or a longer input for the program");
		return et_cli_fail(&err);
	}
	if (set_calls(p, e, &err))
		return et_cli_fail(&err);
	et_profiled_judge(e, &p->view, &result);
	if (more)
		et_warnings_append(&result.warnings, more);
	*left = et_profile_text(&result, &o, text);
	if (write_files(&p->run.outputs, &result, &err))
		status = et_cli_fail(&err);
	et_profiled_free(&result);
	return status;
}

static int read_files(struct et_profile_command *p, const struct et_operands *ops,
	struct et_experiment **out, struct et_error *err)
{
	const struct et_profile_read_options o = { .format = p->format, .event = p->event };
	char **paths = et_calloc(ops->n_before + 2, sizeof(*paths));

	paths[0] = (char *)p->from;
	for (size_t i = 0; i < ops->n_before; i++)
		paths[i + 1] = ops->before[i];
	int rc = et_profile_read_files(paths, ops->n_before + 1, &o, out, err);
	free(paths);
	if (rc == 0 && p->view.compare) {
		rc = et_profile_add_files(*out, ops->after, ops->n_after, &o, err);
		if (rc)
			et_experiment_free(*out);
	}
	return rc;
}

/* Files are shown only, unless the user gives them a name to find them again. */
static int keep(
	const struct et_cli *cli, const char *label, struct et_experiment *e, struct et_error *err)
{
	uint64_t wall_ns = et_clock_read_ns(CLOCK_REALTIME), random;

	if (getrandom(&random, sizeof(random), 0) < 0)
		random = wall_ns;
	et_experiment_name(e, wall_ns, random);
	e->label = et_strdup(label);
	return et_stored_keep(cli, e, err);
}

/* Text that is no file may be the id or label of a kept profile; -ENOENT: there is none. */
static int load_one(const struct et_cli *cli, const char *text, bool single,
	struct et_experiment **out, struct et_error *err)
{
	struct et_error absent;
	int rc = 0;

	if (et_operand_is_file(text) || et_stored_fetch(cli, text, out, &absent))
		return -ENOENT;
	if (!(*out)->profile)
		rc = et_fail(err, EINVAL, ET_EXIT_USAGE, "%s is not a profile", (*out)->id);
	else if (single && (*out)->n_commands != 1)
		rc = et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"%s is a profile of %zu commands, which are compared already",
				(*out)->id, (*out)->n_commands),
			"use 'etalon profile --from %s' to see it", (*out)->id);
	if (rc) {
		et_experiment_free(*out);
		*out = NULL;
	}
	return rc;
}

/* Two kept profiles become one experiment, whose order says that its runs did not alternate. */
static int load_two(const struct et_cli *cli, const char *first, const char *second,
	struct et_experiment **out, struct et_error *err)
{
	struct et_experiment *other;
	int rc = load_one(cli, first, true, out, err);

	if (rc)
		return rc;
	rc = load_one(cli, second, true, &other, err);
	if (rc == -ENOENT)
		rc = et_refuse(err, "run 'etalon list' to see what is kept",
			"'%s' is not a kept profile", second);
	if (rc == 0 && strcmp((*out)->profile->event, other->profile->event) != 0) {
		rc = et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%s counts %s and %s counts %s, so they cannot be compared", (*out)->id,
			(*out)->profile->event, other->id, other->profile->event);
		et_experiment_free(other);
	}
	if (rc) {
		et_experiment_free(*out);
		return rc;
	}
	et_experiment_take_profile(*out, other);
	(*out)->plan.order = ET_ORDER_SEQUENTIAL;
	(*out)->id[0] = '\0';
	et_experiment_free(other);
	return 0;
}

/* Of --from: one kept profile, or with --compare two. Returns -ENOENT if they are files. */
static int load_kept(const struct et_cli *cli, struct et_profile_command *p,
	const struct et_operands *ops, struct et_experiment **out, struct et_error *err)
{
	bool two = p->view.compare && ops->n_after == 1;

	if (ops->n_before || (p->view.compare && !two))
		return -ENOENT;
	int rc = two ? load_two(cli, p->from, ops->after[0], out, err)
		     : load_one(cli, p->from, false, out, err);
	if (rc)
		return rc;
	if (p->run.label) {
		rc = et_fail(err, EINVAL, ET_EXIT_USAGE,
			two ? "kept profiles are kept already: omit --label"
			    : "%s is kept already: omit --label",
			(*out)->id);
		et_experiment_free(*out);
		return rc;
	}
	p->view.compare = (*out)->n_commands == 2;
	if (!(p->run.given & ET_GIVEN_LEVEL) && (*out)->plan.level > 0)
		p->view.level = (*out)->plan.level;
	return 0;
}

/* Gives up rights that reading does not need; that to start programs if all files are text. */
static void confine_reading(const struct et_profile_command *p, const struct et_operands *ops)
{
	bool binary = et_profile_is_binary(p->from);

	for (size_t i = 0; !binary && i < ops->n_before; i++)
		binary = et_profile_is_binary(ops->before[i]);
	for (size_t i = 0; !binary && i < ops->n_after; i++)
		binary = et_profile_is_binary(ops->after[i]);
	et_confine(binary ? ET_RIGHTS_READERS : ET_RIGHTS_FILES);
}

int et_profile_show_files(
	struct et_cli *cli, struct et_profile_command *p, const struct et_operands *ops)
{
	struct et_experiment *e;
	struct et_error err = { 0 };
	FILE *text = p->run.outputs.stdout_taken ? stderr : stdout;
	size_t left = 0;

	confine_reading(p, ops);
	if (et_outputs_open(&p->run.outputs, &err))
		return et_cli_fail(&err);
	int rc = load_kept(cli, p, ops, &e, &err);
	if (rc == -ENOENT)
		rc = read_files(p, ops, &e, &err);
	if (rc)
		return et_cli_fail(&err);
	if (p->run.label && keep(cli, p->run.label, e, &err)) {
		et_experiment_free(e);
		return et_cli_fail(&err);
	}
	int status = et_profile_conclude(p, cli, e, NULL, text, &left);
	ET_AUTO_FREE char *option = et_server_option(cli);
	if (p->run.label && status == ET_EXIT_DONE && cli->verbosity >= 0)
		fprintf(text, "kept as %s: etalon show%s%s\n", e->id, option,
			*option ? "" : ", etalon report");
	et_experiment_free(e);
	if (left && status == ET_EXIT_DONE && cli->verbosity >= 0)
		fprintf(text, "%zu more note%s with -v\n", left, left == 1 ? "" : "s");
	return status;
}
