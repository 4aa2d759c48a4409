/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by `env` and `run --env`: where the machine and the journal of changes are. */
#pragma once

#include "cli/cli.h"
#include "host/levels.h"

/* Reads the machine as it is now, or the captured tree that ETALON_SYSROOT names. */
void et_cli_machine(struct et_machine *m);
#define ET_ROOT_JOURNAL "/var/lib/etalon/env.journal"

/* Returns ETALON_JOURNAL, else ET_ROOT_JOURNAL for root, else the user's own. Caller frees. */
char *et_cli_journal(void) ET_CHECK;
/* Warns on stderr if a `run --env` was killed before it restored its changes. */
void et_cli_stale_notice(void);

/* "turbo, aslr": what this run, or killed ones, changed and did not restore. Caller frees. */
char *et_env_changed(const struct et_journal *j) ET_CHECK;

/* The changes that the user wants during a run. The lists are names of factors, or NULL. */
struct et_env_wish {
	bool apply;                /* --env */
	const char *only, *except; /* --only, --except */
};

/*
 * Returns which rows of et_factor_rows the lists select; the caller frees them. `changing`: --only
 * must name none that etalon cannot change, nor two that contradict. NULL: err says why.
 */
bool *et_env_select(const struct et_env_wish *wish, bool changing, struct et_error *err);

/* The factors that EMPv1 to EMPv3 change. EMPv4 is a new kernel, which no program can change. */
#define ET_EMP_FACTORS "daemons,timers,time-sync,frequency-limits,frequency-governor,turbo"
/* "a,b": the selected factors that etalon can change; NULL: see et_env_select. Caller frees. */
char *et_env_names(const struct et_env_wish *wish, struct et_error *err);
