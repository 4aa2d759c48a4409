/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changing the environment and giving it back. The order is always: old value durable in the
 * journal, change, mark. Giving back looks at what is there now, so it can be cut off and begun
 * again at any point.
 */
#ifndef ET_HOST_ENVIRONMENT_H
#define ET_HOST_ENVIRONMENT_H

#include "host/factors.h"
#include "host/journal.h"

/* What touches the machine; a test hands over one that fails. */
struct et_env_ops {
	int (*write)(void *ctx, const char *root, const char *path, const char *value);
	int (*control)(void *ctx, const char *systemctl, const char *verb, const char *unit,
		struct et_error *err);
	int (*signal)(void *ctx, const char *root, const struct et_change *c, int signal);
	void *ctx;
};

extern const struct et_env_ops et_env_ops_real;

/* What apply would do with the selected factors (NULL: all). Changes nothing. */
void et_environment_preview(
	const struct et_machine *m, const bool *selected, struct et_results *out);
/*
 * Changes what can be changed. What could not is in the results; a failure of the journal ends it
 * with -errno, and what was done until then stays on record.
 */
int et_environment_apply(const struct et_machine *m, const struct et_env_ops *ops,
	struct et_journal *j, const bool *selected, struct et_results *out,
	struct et_error *err) ET_CHECK;

enum { ET_ALL_SESSIONS = 0, ET_STALE_RUNS = -1 };

/*
 * Gives back, the last change first: of one session, of all, or of runs that were killed (whoever
 * holds the journal knows that no run is alive). What fails stays in the journal.
 */
void et_environment_restore(const struct et_machine *m, const struct et_env_ops *ops,
	struct et_journal *j, int64_t session, struct et_results *out);
/* What restore would have to give back. */
void et_environment_pending(const struct et_journal *j, struct et_results *out);

#endif
