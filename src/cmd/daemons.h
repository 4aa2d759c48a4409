/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `etalon daemons` share. */
#ifndef ET_CMD_DAEMONS_H
#define ET_CMD_DAEMONS_H

#include "cmd/cli.h"
#include "model/daemon.h"

struct et_learn_options {
	uint64_t short_runs, long_runs; /* long_runs may be 0 */
	uint64_t short_ns, long_ns;     /* of one sample */
	bool given;                     /* one of these was */
	const char *label;
	bool resume;
};

/* Prints what was found in the record, as text or JSON. */
int et_daemons_report(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, bool json, struct et_error *err);
/* The two runs, what they say, and its keeping. *status is above 0 when a signal ended it. */
int et_daemons_learn(struct et_cli *cli, const struct et_learn_options *o, bool json, int *status,
	struct et_error *err);

/* Keeps the cutoffs for this machine as of now. */
int et_daemons_keep(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, struct et_error *err);

#endif
