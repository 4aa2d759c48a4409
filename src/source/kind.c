/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/kind.h"
#include "base/parse.h"
#include "cli/outputs.h"
#include "report/pair.h"

/* --- plain experiments --- */

static int write_plain(
	const struct et_stored *s, const char *format, FILE *out, ET_UNUSED struct et_error *err)
{
	et_format_find(format)->write(s->experiment, &s->judgement, out);
	return 0;
}

static int print_plain(ET_UNUSED const struct et_cli *cli, const struct et_stored *s,
	const struct et_text_options *o, size_t *left, ET_UNUSED struct et_error *err)
{
	*left = et_text_result(s->experiment, &s->judgement, o, stdout);
	et_gate_say(s->experiment, &s->judgement.gate, "gate: ", stdout);
	return 0;
}

static int refuse_plain(const struct et_experiment *e, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "experiment %s is no profile", e->id),
		"run 'etalon run --resume %s'", e->id);
}

#define NAME(name, ...) name,
const struct et_stored_kind et_stored_plain = {
	.refusal = "is not a profile, so it",
	.formats = (const char *const[]){ ET_FORMATS(NAME) NULL },
	.write = write_plain,
	.print = print_plain,
	.resumed_by = (const char *const[]){ "run", "emp", NULL },
	.refuse = refuse_plain,
};

/* --- all kinds --- */

static bool fits(const struct et_stored_kind *k, const struct et_experiment *e)
{
	return (!k->design || e->design) && (!k->profile || e->profile) && (!k->is || k->is(e));
}

/* The first kind that fits after another one (NULL: of all). NULL: there is no more. */
static const struct et_stored_kind *next(
	const struct et_cli *cli, const struct et_experiment *e, const struct et_stored_kind *after)
{
	const struct et_stored_kind *const *row = cli->kinds;

	if (after && !after->more)
		return NULL;
	for (bool past = !after; row && *row; row++) {
		if (past && fits(*row, e))
			return *row;
		past = past || *row == after;
	}
	return &et_stored_plain;
}

const struct et_stored_kind *et_stored_kind_of(
	const struct et_cli *cli, const struct et_experiment *e)
{
	return next(cli, e, NULL);
}

const char *et_stored_mark(const struct et_cli *cli, const struct et_summary *s)
{
	const struct et_stored_kind *const *row = cli->kinds;

	for (; row && *row; row++) {
		const struct et_stored_kind *k = *row;
		if ((!k->design || s->design) && (!k->profile || s->profile) && !k->is)
			return k->mark ? k->mark : "";
	}
	return "";
}

int et_stored_check_rejudge(
	const struct et_cli *cli, const struct et_stored *s, struct et_error *err)
{
	const struct et_experiment *e = s->experiment;
	const struct et_stored_kind *k = NULL;

	if (!s->store)
		return et_refuse(err, "'etalon import' the file first",
			"the checks need what a store has learned about the machine, and this is a "
			"file");
	while ((k = next(cli, e, k)) && !k->unchecked)
		;
	if (!k)
		return 0;
	return et_refuse(err, "omit --rejudge", "%s %s", e->id, k->unchecked);
}

int et_stored_check_resume(const struct et_cli *cli, const char *verb,
	const struct et_experiment *e, struct et_error *err)
{
	const struct et_stored_kind *k = et_stored_kind_of(cli, e);

	while (!k->refuse)
		k = next(cli, e, k);
	return et_name_index(k->resumed_by, verb) < 0 ? k->refuse(e, err) : 0;
}

static int check_alone(
	const struct et_cli *cli, const struct et_experiment *e, struct et_error *err)
{
	const struct et_stored_kind *k = NULL;

	while ((k = next(cli, e, k)) && !k->alone)
		;
	if (!k)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"a %s has a page of its own, not with other experiments", k->alone),
		"name one %s only, or none", k->alone);
}

int et_stored_choose_page(const struct et_cli *cli, const struct et_stored *list, size_t n,
	bool *own, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; n > 1 && rc == 0 && i < n; i++)
		rc = check_alone(cli, list[i].experiment, err);
	if (rc == 0)
		*own = n == 1 && et_stored_kind_of(cli, list[0].experiment)->page;
	return rc;
}

static int refuse(const struct et_stored_kind *k, const struct et_experiment *e, const char *format,
	struct et_error *err)
{
	ET_AUTO_FREE char *all = NULL;

	for (size_t i = 0; k->formats[i]; i++)
		et_append(&all, k->formats[i + 1] ? ", " : " or ", "%s", k->formats[i]);
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "%s %s has no format '%s'", e->id, k->refusal,
			format),
		"use %s", all);
}

/* The kind whose `write` takes the format. */
static int find_writer(const struct et_cli *cli, const struct et_experiment *e, const char *format,
	const struct et_stored_kind **out, struct et_error *err)
{
	const struct et_stored_kind *k = NULL, *last = NULL;

	while ((k = next(cli, e, k)) && (!k->formats || et_name_index(k->formats, format) < 0))
		last = k;
	if (!k)
		return refuse(last, e, format, err);
	*out = k;
	return 0;
}

int et_stored_write(const struct et_cli *cli, const struct et_stored *s, const char *format,
	const char *path, struct et_error *err)
{
	const struct et_stored_kind *k = NULL;
	struct et_output out;
	int rc = find_writer(cli, s->experiment, format, &k, err);

	if (rc)
		return rc;
	FILE *f = et_output_start(&out, path, err);
	return et_output_finish(&out, f ? k->write(s, format, f, err) : 0, err);
}
