/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes the environment and restores it. A change is made in three steps: write the old value to
 * the journal on disk, make the change, mark it as made in the journal. Restoring looks at the
 * present state, so it can be interrupted at any point and started again.
 */
#pragma once

#include "host/factors.h"
#include "host/journal.h"

/* The operations that change the machine; they return 0 or -errno. Tests have ones that fail. */
struct et_env_ops {
	/* As et_sysroot_write. */
	int (*write)(const char *root, const char *path, const char *value) ET_CHECK;
	/* As et_service_control. */
	int (*control)(const char *systemctl, const char *verb, const char *unit,
		struct et_error *err) ET_CHECK;
	/* Signals the process of the change; -ESRCH if it has ended. */
	int (*signal)(const char *root, const struct et_change *c, int signal) ET_CHECK;
};

extern const struct et_env_ops et_env_ops_real;

/* In what follows, selected is as in factors.h, and results are appended to out. */

/* 0, or -errno if a change is one of a file that cannot be written. */
int et_environment_writable(const struct et_machine *m, const struct et_change *c);
/* Lists what apply would do. Changes nothing. */
void et_environment_preview(
	const struct et_machine *m, const bool *selected, struct et_results *out);
/*
 * Makes all changes that can be made; a change that fails is a result, not an error. Returns -errno
 * if the journal cannot be written; changes made until then are in the journal.
 */
int et_environment_apply(const struct et_machine *m, struct et_journal *j, const bool *selected,
	struct et_results *out, struct et_error *err) ET_CHECK;

/*
 * Sets the target of a change to a value: c->after, another one, or c->before again, its original.
 * The change is in the journal before it is made. Fails if the target reads otherwise afterwards.
 */
int et_environment_set(const struct et_machine *m, struct et_journal *j, const struct et_change *c,
	const char *value, struct et_error *err) ET_CHECK;

/* Stale runs were killed: a living one would have locked the journal. */
enum { ET_ALL_SESSIONS = 0, ET_STALE_RUNS = -1 };

/*
 * Restores the changes of a session, given by its number or by one of the above. The last change is
 * restored first. A change that cannot be restored stays in the journal, and false is returned. out
 * may be NULL.
 */
bool et_environment_restore(
	const struct et_machine *m, struct et_journal *j, int64_t session, struct et_results *out);
/* Lists all changes that are not restored yet. */
void et_environment_pending(const struct et_journal *j, struct et_results *out);
