/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon task`. */
#pragma once

#include "cli/cli.h"
#include "model/sample/executor.h"
#include "store/central/job.h"

struct et_task {
	struct et_cli *cli;
	struct et_interrupt *interrupt;
	struct et_task_job job;
	const struct et_part *part;
	uint32_t attempt;
	char node[64];       /* as the engine names this machine */
	char machine[96];    /* its identity */
	uint64_t deliver_ns; /* how long delivery is tried */
	char id[40];         /* of the experiment in the spool, when it is known */
	char failure[512];   /* why the first program failed, or "" */
	bool failure_final;  /* another attempt would fail, too */
};

/* One line on stderr that names the part: the log of the job. */
void et_task_log(const struct et_task *t, const char *format, ...) ET_PRINTF(2, 3);
/*
 * Records in the central store that the attempt begins. -ESTALE: it is done, or a later one began.
 * A server that is away is no reason to wait; one that holds the login (-ETIME), not to measure.
 */
int et_task_announce(struct et_task *t, struct et_error *err) ET_CHECK;
/* Measures what the spool lacks of the part. -EINTR: a signal. -ECHILD: a program failed. */
int et_task_measure(struct et_task *t, struct et_error *err) ET_CHECK;
/* Delivers the result from the spool, and tries again if the server does not answer. */
int et_task_deliver(struct et_task *t, struct et_error *err) ET_CHECK;
/* Records in the central store why the attempt failed with rc, and returns rc. */
int et_task_report_failure(struct et_task *t, int rc, struct et_error *err) ET_CHECK;
