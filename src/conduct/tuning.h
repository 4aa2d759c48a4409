/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the machine during a run: recorded, changed, varied and restored. */
#pragma once

#include "cli/environment.h"
#include "host/levels.h"
#include "model/experiment/experiment.h"
#include "protocol/learning.h"

/* The environment of a run: changed at its beginning with --env, restored at its end. */
struct et_tuning {
	struct et_machine machine;  /* as it is during the runs */
	struct et_journal *journal; /* NULL: nothing was changed */
	uint32_t session;
	struct et_learning_place place; /* of it, tuned, factors and services: for cutoffs */
	char factors[ET_FACTORS_SIZE];
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

/* Ends the processes of an etalon that was killed, and prints to stderr how many there were. */
void et_leftovers_end(const struct et_cli *cli);

/*
 * From now on the changes of a session in j (see et_environment_restore) are restored if memory
 * runs out. m and j must stay valid until et_rescue_end, which must be called before j is closed. A
 * further call replaces the session. A signal that can be caught needs no rescue: etalon ends in
 * the normal way and restores. After SIGKILL, the next etalon restores.
 */
void et_rescue_begin(const struct et_machine *m, struct et_journal *j, int64_t session);
void et_rescue_end(void);
