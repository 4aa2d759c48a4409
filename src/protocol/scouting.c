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

/*
 * A run that failed may have done so because it was scouted, and one that was ended for that
 * reason shows nothing: it is made again without, before anything is called a failure.
 */
int et_scouting_run(const struct et_driver *d, struct et_request *q, struct et_sample *out,
	struct et_error *err)
{
	const struct et_executor *x = &d->executor;

	q->scout = ET_SCOUT_CALLS;
	int rc = x->run(x->ctx, q, out, err);
	if (rc)
		return rc;
	enum et_scouted how = x->files(x->ctx)->scouted;
	if (how == ET_SCOUTED_UNFIT || (how == ET_SCOUTED_CALLS && et_run_failed(d->e, out))) {
		et_sample_free(out);
		q->scout = ET_SCOUT_CHANGES;
		rc = x->run(x->ctx, q, out, err);
	}
	if (rc || et_run_failed(d->e, out))
		return rc;
	et_files_copy(&d->e->commands[q->command].files, x->files(x->ctx));
	rc = d->scouted ? d->scouted(d->ctx, q->command, err) : 0;
	if (rc)
		et_sample_free(out);
	return rc;
}

int et_scouting_shares(const struct et_experiment *e, uint32_t command, struct et_error *err)
{
	static const char *const words[] = { [ET_CONFLICT_WRITE] = "both write",
		[ET_CONFLICT_BIND] = "both use",
		[ET_CONFLICT_LOCK] = "both lock",
		[ET_CONFLICT_READ] = "one writes and the other reads" };
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
		"'%s' and '%s' cannot run in duets: %s %s", a->name, b->name, words[kind], name);
}
