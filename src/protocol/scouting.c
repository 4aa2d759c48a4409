/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/scouting.h"

/* Whether a list such as "1,2" has the exit status. */
static bool is_listed(const char *codes, int status)
{
	char *end = NULL;

	for (const char *p = codes; p && *p; p = *end ? end + 1 : end) {
		if (strtol(p, &end, 10) == status && end != p)
			return true;
		if (end == p)
			return false;
	}
	return false;
}

bool et_run_failed(const struct et_experiment *e, const struct et_sample *s)
{
	if (e->plan.ignore_failure || (!s->measured.exit_code && !s->measured.signal))
		return false;
	return s->measured.signal || !is_listed(e->child.ignore_codes, s->measured.exit_code);
}

bool et_scouting_wanted(const struct et_driver *d, uint32_t command)
{
	return d->e->plan.scout && d->executor.files && !d->e->design &&
	       d->e->commands[command].files.scouted == ET_SCOUTED_NOT;
}

bool et_scouting_lacks(const struct et_driver *d)
{
	for (uint32_t c = 0; c < d->e->n_commands; c++) {
		if (et_scouting_wanted(d, c))
			return true;
	}
	return false;
}

/* A program that could not be started may have failed because the kernel let the filter down. */
static bool must_repeat(
	const struct et_driver *d, const struct et_sample *s, const struct et_files *files, int rc)
{
	if (rc)
		return files->scouted == ET_SCOUTED_UNFIT && rc == -ENOSYS;
	return files->scouted == ET_SCOUTED_UNFIT || files->scouted == ET_SCOUTED_REFUSED ||
	       et_run_failed(d->e, s);
}

/*
 * A run that failed may have done so because it was scouted, and one that was disturbed counts for
 * nothing: it is made again without, before anything is called a failure. Files that were
 * seen by then are kept.
 */
int et_scouting_run(const struct et_driver *d, struct et_request *q, struct et_sample *out,
	struct et_error *err)
{
	const struct et_executor *x = &d->executor;
	struct et_files files = { 0 };

	q->scout = ET_SCOUT_CALLS;
	int rc = x->run(x->ctx, q, out, err);
	et_files_copy(&files, x->files(x->ctx));
	if (must_repeat(d, out, &files, rc)) {
		enum et_scouted how = files.scouted;
		if (rc == 0)
			et_sample_free(out);
		*err = (struct et_error){ 0 };
		q->scout = ET_SCOUT_CHANGES;
		rc = x->run(x->ctx, q, out, err);
		et_files_merge(&files, x->files(x->ctx));
		if (how == ET_SCOUTED_REFUSED)
			files.scouted = how;
	}
	if (rc || et_run_failed(d->e, out)) {
		et_files_free(&files);
		return rc;
	}
	et_files_free(&d->e->commands[q->command].files);
	d->e->commands[q->command].files = files;
	rc = d->scouted ? d->scouted(d->ctx, q->command, err) : 0;
	if (rc)
		et_sample_free(out);
	return rc;
}

int et_scouting_shares(const struct et_experiment *e, uint32_t command, struct et_error *err)
{
	const struct et_command *a = &e->commands[e->plan.reference], *b = &e->commands[command];
	const char *name = "";

	if (!e->plan.scout || a == b)
		return 0;
	enum et_conflict_kind kind = et_files_conflict(&a->files, &b->files, &name);
	if (!kind || e->plan.order != ET_ORDER_DUET)
		return kind != ET_CONFLICT_NONE;
	return et_refuse(err,
		"give each its own files, or omit --order duet; with --no-scout they run at the "
		"same time nevertheless",
		"'%s' and '%s' cannot run in duets: %s %s", a->name, b->name,
		et_conflict_words[kind], name);
}
