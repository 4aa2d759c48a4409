/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/treat/hooks.h"
#include "base/alloc.h"
#include "base/parse.h"

/*
 * The failure of a hook must not be taken for that of the program, which the experiment would then
 * continue without.
 */
static int run(const struct et_hook *h, const char *what, const char *text, struct et_error *err)
{
	int rc = et_hook_run(h, what, text, err);

	if (rc && err->exit == ET_EXIT_PROGRAM)
		err->exit = ET_EXIT_OUTSIDE;
	return rc;
}

static int run_between(
	const struct et_hook *h, const struct et_design *d, uint32_t command, struct et_error *err)
{
	size_t n = et_strv_length(h->envp);
	ET_AUTO_FREE char *text = NULL, *variable = NULL;
	ET_AUTO_FREE char **envp = et_calloc(n + 2, sizeof(*envp));
	struct et_hook own = *h;
	int rc = et_design_fill(d, command, d->between, NULL, &text, err);

	if (rc)
		return rc;
	variable = et_asprintf(
		"ETALON_TREATMENT=%s", d->treatments[et_design_treatment_of(d, command)].name);
	for (size_t i = 0; i < n; i++)
		envp[i] = h->envp[i];
	envp[n] = variable;
	own.envp = envp;
	return run(&own, "the hook 'between',", text, err);
}

int et_design_hooks_run(struct et_design_hooks *s, const struct et_hook *h,
	const struct et_design *d, uint32_t command, struct et_error *err)
{
	uint32_t treatment = et_design_treatment_of(d, command);
	int rc = 0;

	if (s->begun && s->treatment == treatment)
		return 0;
	if (!s->begun && d->setup)
		rc = run(h, "the hook 'setup',", d->setup, err);
	if (rc == 0 && d->between)
		rc = run_between(h, d, command, err);
	if (rc)
		return rc;
	s->begun = true;
	s->treatment = treatment;
	return 0;
}
