/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the environment is and where its journal: what `env` and `run --env` have in common. */
#ifndef ET_CMD_ENVIRONMENT_H
#define ET_CMD_ENVIRONMENT_H

#include "cmd/cli.h"
#include "host/environment.h"
#include "model/experiment.h"

/* The machine as it is now; ETALON_SYSROOT names a captured tree in its place. */
void et_cli_machine(struct et_machine *m);
#define ET_ROOT_JOURNAL "/var/lib/etalon/env.journal"

/* ETALON_JOURNAL, the system's when root, else the user's own. Caller frees. */
char *et_cli_journal(void);
/* Says on stderr that a `run --env` was killed before it gave back what it had changed. */
void et_cli_stale_notice(void);

/* The environment of a run: changed at its beginning if asked for, given back at its end. */
struct et_tuning {
	struct et_machine machine;
	struct et_journal *journal; /* NULL: nothing was changed */
	uint32_t session;
};

/* Records the factors in e (NULL: not again); with apply it changes them first, and says what on
 * out. */
int et_tuning_begin(struct et_tuning *t, const struct et_cli *cli, bool apply,
	struct et_experiment *e, FILE *out, struct et_error *err);
/* Gives back what begin has changed; says on stderr what could not be. */
void et_tuning_end(struct et_tuning *t, const struct et_cli *cli);

#endif
