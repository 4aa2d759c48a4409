/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses to continue an experiment by a command that did not begin it. */
#include "cmd/lab_study.h"
#include "cmd/measuring.h"

#include <errno.h>
#include <string.h>

/* The runs of a study belong into its environment; only the study itself resumes in blocks. */
static int check_environment(const struct et_measuring *m, struct et_error *err)
{
	const struct et_experiment *e = et_session_experiment(m->session);

	if (m->most_rounds || !et_study_has(e->label))
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s belongs to a study of 'lab emp-versions', which changes the "
			"environment for it",
			e->id),
		"run 'etalon lab emp-versions --resume' with the options of the study");
}

/* A profile is continued by `etalon profile`, and nothing else is. */
static int check_kind(const struct et_measuring *m, struct et_error *err)
{
	const struct et_experiment *e = et_session_experiment(m->session);
	bool profiles = m->resume_verb && !strcmp(m->resume_verb, "profile");

	if (!m->resume_verb || profiles == (e->profile != NULL))
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "experiment %s is %s profile", e->id,
			profiles ? "no" : "a"),
		"run 'etalon %s --resume %s'", profiles ? "run" : "profile", e->id);
}

/* `etalon emp` adds its steps to runs of its own protocol only. */
static int check_protocol(const struct et_measuring *m, struct et_error *err)
{
	const struct et_experiment *e = et_session_experiment(m->session);

	if (!m->resume_verb || strcmp(m->resume_verb, "emp") != 0 || e->protocol == ET_PROTOCOL_EMP)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "experiment %s was not begun by 'etalon emp'",
			e->id),
		"run 'etalon daemons learn --resume' if it is a learning, else 'etalon run "
		"--resume %s'",
		e->id);
}

int et_measuring_check(const struct et_measuring *m, struct et_error *err)
{
	int rc = check_kind(m, err);

	if (rc == 0)
		rc = check_protocol(m, err);
	return rc ? rc : check_environment(m, err);
}
