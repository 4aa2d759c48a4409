/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes the environment and restores it. A change is made in this order: write the old value to
 * the journal and to disk, make the change, mark it in the journal. Restoring looks at the present
 * state, so it can be interrupted at any point and started again.
 */
#ifndef ET_HOST_ENVIRONMENT_H
#define ET_HOST_ENVIRONMENT_H

#include "host/factors.h"
#include "host/journal.h"

/* The operations that change the machine. Tests pass operations that fail or exit. */
struct et_env_ops {
	int (*write)(void *ctx, const char *root, const char *path, const char *value);
	int (*control)(void *ctx, const char *systemctl, const char *verb, const char *unit,
		struct et_error *err);
	int (*signal)(void *ctx, const char *root, const struct et_change *c, int signal);
	void *ctx;
};

extern const struct et_env_ops et_env_ops_real;

/* Lists what apply would do with the selected factors (NULL: all). Changes nothing. */
void et_environment_preview(
	const struct et_machine *m, const bool *selected, struct et_results *out);
/*
 * Makes all changes that can be made; changes that failed are among the results. If the journal
 * cannot be written, it returns -errno; the changes made until then are in the journal.
 */
int et_environment_apply(const struct et_machine *m, const struct et_env_ops *ops,
	struct et_journal *j, const bool *selected, struct et_results *out,
	struct et_error *err) ET_CHECK;

enum { ET_ALL_SESSIONS = 0, ET_STALE_RUNS = -1 };

/*
 * Restores the changes of one session, of all sessions, or of runs that were killed (a process that
 * holds the journal knows that no other run is alive). The last change is restored first. A change
 * that cannot be restored stays in the journal.
 */
void et_environment_restore(const struct et_machine *m, const struct et_env_ops *ops,
	struct et_journal *j, int64_t session, struct et_results *out);
/* Lists the changes that restore would undo. */
void et_environment_pending(const struct et_journal *j, struct et_results *out);

#endif
