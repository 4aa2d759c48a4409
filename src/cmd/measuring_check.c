/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses to continue an experiment by a command, or for a user, that did not begin it. */
#include "cmd/lab_study.h"
#include "cmd/measuring.h"
#include "cmd/trusted.h"

#include <errno.h>
#include <string.h>

/* The runs of a study belong into its environment; only the study itself resumes in blocks. */
static int check_environment(
	const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	if (m->most_rounds || !et_study_has(e->label))
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s belongs to a study of 'lab emp-versions', which changes the "
			"environment for it",
			e->id),
		"run 'etalon lab emp-versions --resume' with the options of the study");
}

/* Whether a label is LABEL/YYYYMMDD-HHMMSS/PART, as of a study of profilers (cmd/lab_profile.h). */
static bool is_part(const char *label)
{
	const char *part = label ? strrchr(label, '/') : NULL;
	const size_t stamp = strlen("/20261116-120000");

	return part && part - label > (ptrdiff_t)stamp && part[-(ptrdiff_t)stamp] == '/' &&
	       strspn(part - stamp + 1, "0123456789") == 8 && part[-7] == '-' &&
	       strspn(part - 6, "0123456789") == 6;
}

/* The same of a study of profilers, whose parts take turns; some have a load beside them. */
static int check_profiling(
	const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	int name = 0;

	if (m->most_rounds || !e->profile || !is_part(e->label))
		return 0;
	if (!strncmp(e->label, "lab ", 4))
		name = (int)strcspn(e->label, "/");
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s is a part of a study of 'etalon lab'", e->id),
		"run 'etalon %.*s --resume' with the options of the study", name ? name : 8,
		name ? e->label : "lab NAME");
}

/* The plan file belongs to it: `doe run` compares it and applies the treatments. */
static int check_design(
	const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	if (!m->resume_verb || !e->design)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE,
			"experiment %s belongs to the plan '%s' of 'etalon doe'", e->id,
			e->design->name),
		"run 'etalon doe run PLAN' to continue it");
}

/* A profile is continued by `etalon profile`, and nothing else is. */
static int check_kind(
	const struct et_measuring *m, const struct et_experiment *e, struct et_error *err)
{
	bool profiles = m->resume_verb && !strcmp(m->resume_verb, "profile");

	if (!m->resume_verb || profiles == (e->profile != NULL))
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "experiment %s is %s profile", e->id,
			profiles ? "no" : "a"),
		"run 'etalon %s --resume %s'", profiles ? "run" : "profile", e->id);
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
	int rc = check_environment(m, e, err);

	if (rc == 0)
		rc = check_profiling(m, e, err);
	if (rc == 0)
		rc = check_design(m, e, err);
	if (rc == 0)
		rc = check_kind(m, e, err);
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
