/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses to continue an experiment by a command, or for a user, that did not begin it. */
#include "conduct/measuring.h"
#include "source/kind.h"
#include "source/trusted.h"

#include <errno.h>
#include <string.h>

/*
 * The parts of a study take turns, in environments and beside loads that the study makes. Only the
 * study itself resumes in blocks.
 */
static int check_study(
	const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	const char *lab = e->member.study_lab ? e->member.study_lab : "NAME";

	if (m->most_rounds || et_member_kind(&e->member) != ET_MEMBER_STUDY)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s belongs to a study of 'etalon lab', which sets the machine "
			"up for it",
			e->id),
		"run 'etalon lab %s --resume' with the options of the study", lab);
}

/* `etalon emp` adds its steps to runs of its own protocol only. */
static int check_protocol(
	const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	if (!m->resume_verb || strcmp(m->resume_verb, "emp") != 0 || e->protocol == ET_PROTOCOL_EMP)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "experiment %s was not begun by 'etalon emp'",
			e->id),
		"run 'etalon daemons learn --resume' if it is a learning, else 'etalon run "
		"--resume %s'",
		e->id);
}

int et_measuring_check(void *ctx, const struct et_experiment *e, struct et_error *err)
{
	const struct et_measuring *m = ctx;
	int rc = check_study(m, e, err);

	if (rc == 0 && m->resume_verb)
		rc = et_stored_check_resume(m->cli, m->resume_verb, e, err);
	return rc ? rc : check_protocol(m, e, err);
}

struct et_trust et_measuring_trust(const struct et_measuring *m)
{
	static const struct {
		const char *verb, *way;
	} ways[] = { { "run", "etalon run --resume" }, { "profile", "etalon profile --resume" },
		{ "emp", "etalon emp --resume" } };
	struct et_trust trust = et_trusted(m->cli, m->trust);

	for (size_t i = 0; m->resume_verb && i < ET_LENGTH(ways); i++) {
		if (!strcmp(m->resume_verb, ways[i].verb))
			trust.way = ways[i].way;
	}
	memcpy(trust.planned, m->planned, sizeof(trust.planned));
	return trust;
}

int et_measuring_treat(void *ctx, uint32_t command, struct et_error *err)
{
	struct et_measuring *m = ctx;

	return et_tuning_treat(
		&m->tuning, command, et_session_experiment(m->session)->profile != NULL, err);
}
