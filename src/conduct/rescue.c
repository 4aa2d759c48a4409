/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conduct/rescue.h"
#include "base/alloc.h"
#include "cli/confine.h"

#include <string.h>

static struct {
	const struct et_machine *machine;
	struct et_journal *journal;
	int64_t session;
	pid_t pid;
} scope;

/* Memory is scarce here: no results are collected, and stdio is not used. */
static void restore_scope(void)
{
	static const char hint[] = "hint: run 'etalon env restore' to restore the environment\n";

	et_confine_raise(); /* programs may be running */
	bool whole = et_environment_restore(
		scope.machine, &et_env_ops_real, scope.journal, scope.session, NULL);
	ssize_t n = whole ? 0 : write(STDERR_FILENO, hint, strlen(hint));

	(void)n; /* the journal keeps the rest for the next restore */
	et_journal_close(scope.journal);
}

/* A child that was forked and has not called execve must not restore what its parent still needs.
 */
static void restore(void)
{
	if (getpid() == scope.pid)
		restore_scope();
}

void et_rescue_begin(const struct et_machine *m, struct et_journal *j, int64_t session)
{
	scope.machine = m;
	scope.journal = j;
	scope.session = session;
	scope.pid = getpid();
	et_alloc_set_rescue(restore);
}

void et_rescue_end(void)
{
	et_alloc_set_rescue(NULL);
}
