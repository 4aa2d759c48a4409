/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by `env` and `run --env`: where the machine and the journal of changes are. */
#ifndef ET_CMD_ENVIRONMENT_H
#define ET_CMD_ENVIRONMENT_H

#include "cmd/cli.h"
#include "host/levels.h"
#include "model/experiment.h"

/* Reads the machine as it is now, or the captured tree that ETALON_SYSROOT names. */
void et_cli_machine(struct et_machine *m);
#define ET_ROOT_JOURNAL "/var/lib/etalon/env.journal"

/* Returns ETALON_JOURNAL, else ET_ROOT_JOURNAL for root, else the user's own. Caller frees. */
char *et_cli_journal(void) ET_CHECK;
/* Warns on stderr if a `run --env` was killed before it restored its changes. */
void et_cli_stale_notice(void);

/* The changes that the user wants during a run. The lists are names of factors, or NULL. */
struct et_env_wish {
	bool apply;                /* --env */
	const char *only, *except; /* --only, --except */
};

/*
 * Returns which factors the lists select, one element per row of et_factor_rows; the caller frees
 * them. To change factors, `changing`, --only must not name one that etalon cannot change, nor two
 * that contradict each other. Returns NULL and fills err if the lists are wrong.
 */
bool *et_env_select(const struct et_env_wish *wish, bool changing, struct et_error *err);

/* The factors that EMPv1 to EMPv3 change. EMPv4 is a new kernel, which no program can change. */
#define ET_EMP_FACTORS "daemons,timers,time-sync,frequency-limits,frequency-governor,turbo"
/*
 * Returns the names of the selected factors that etalon can change, ","-separated, for
 * comparisons; NULL and err as in et_env_select. The caller frees it.
 */
char *et_env_names(const struct et_env_wish *wish, struct et_error *err);

/* The environment of a run: changed at its beginning with --env, restored at its end. */
struct et_tuning {
	struct et_machine machine;  /* as it is during the runs */
	struct et_journal *journal; /* NULL: nothing was changed */
	uint32_t session;
	struct et_levels
		*levels; /* of a designed experiment with factors of the machine, or NULL */
};

/*
 * Records the factors in e, unless e is NULL, as for a resumed run. If the wish is to apply, it
 * changes them first and, if verbose, prints the changes to out.
 */
int et_tuning_begin(struct et_tuning *t, const struct et_cli *cli, const struct et_env_wish *wish,
	struct et_experiment *e, FILE *out, struct et_error *err) ET_CHECK;
/*
 * Prepares to vary the machine's state between runs, if the design has factors of the machine: they
 * are in the same session of the journal.
 */
int et_tuning_vary(struct et_tuning *t, const struct et_cli *cli, const struct et_design *d,
	struct et_error *err) ET_CHECK;
/* Brings the machine into the state of a command's treatment; called while no program runs. */
int et_tuning_treat(
	struct et_tuning *t, uint32_t command, bool profiles, struct et_error *err) ET_CHECK;
/* Restores the changes of both; reports on stderr those that it cannot restore. */
void et_tuning_end(struct et_tuning *t, const struct et_cli *cli);

#endif
