/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon daemons`. */
#ifndef ET_CMD_DAEMONS_H
#define ET_CMD_DAEMONS_H

#include "cmd/cli.h"
#include "cmd/outputs.h"
#include "model/daemon.h"

struct et_learn_options {
	uint64_t short_runs, long_runs; /* long_runs may be 0 */
	uint64_t short_ns, long_ns;     /* of one sample */
	bool given;                     /* the user gave one of the above */
	const char *label;
	bool resume;
};

/* The outputs: text or JSON, and a page. */
struct et_daemons_output {
	bool json;
	const char *page;        /* path, or NULL; "-" is stdout, which then has no text */
	struct et_output output; /* of the page */
};

/* Opens the page early, so that a wrong path does not fail after hours. */
int et_daemons_output_open(struct et_daemons_output *o, struct et_error *err) ET_CHECK;
/* Returns true if stdout gets text or JSON, not the page. */
bool et_daemons_prints(const struct et_daemons_output *o);
/* Writes the findings about a record of that name to all outputs. */
int et_daemons_report(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, const char *name, struct et_daemons_output *o,
	struct et_error *err) ET_CHECK;
/*
 * Measures the short and the long run, finds the cutoffs, reports and stores them. *status is the
 * exit status, above 0 after a signal.
 */
int et_daemons_learn(struct et_cli *cli, const struct et_learn_options *o,
	struct et_daemons_output *out, int *status, struct et_error *err) ET_CHECK;

/* Stores the cutoffs for this machine, learned now. */
int et_daemons_store(const struct et_cli *cli, const struct et_daemon_record *r,
	const struct et_daemon_findings *f, struct et_error *err) ET_CHECK;

#endif
