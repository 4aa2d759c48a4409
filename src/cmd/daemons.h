/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `etalon daemons` share. */
#ifndef ET_CMD_DAEMONS_H
#define ET_CMD_DAEMONS_H

#include "cmd/cli.h"
#include "cmd/outputs.h"
#include "model/daemon.h"

struct et_learn_options {
	uint64_t short_runs, long_runs; /* long_runs may be 0 */
	uint64_t short_ns, long_ns;     /* of one sample */
	bool given;                     /* one of these was */
	const char *label;
	bool resume;
};

/* What is written: text, or JSON in its place, and a page. */
struct et_daemons_output {
	bool json;
	const char *page;        /* or NULL; "-" is stdout, in place of the text */
	struct et_output output; /* of the page */
};

/* Tries the page's path now, so that it does not fail after hours. */
int et_daemons_output_open(struct et_daemons_output *o, struct et_error *err) ET_CHECK;
/* Stdout is for text or JSON, not for the page. */
bool et_daemons_talks(const struct et_daemons_output *o);
/* Writes what was found in the record of that name. */
int et_daemons_report(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const char *name, struct et_daemons_output *o,
	struct et_error *err);
/* The two runs, what they say, and its keeping. *status is above 0 when a signal ended it. */
int et_daemons_learn(struct et_cli *cli, const struct et_learn_options *o,
	struct et_daemons_output *out, int *status, struct et_error *err);

/* Keeps the cutoffs for this machine as of now. */
int et_daemons_keep(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, struct et_error *err);

#endif
