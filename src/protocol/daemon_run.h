/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the samples of a command into a daemon run, in which daemons.h looks for daemons. */
#pragma once

#include "model/experiment/experiment.h"
#include "model/sample/daemon.h"

/* True for a solo run with known times that did not fail, warm-up excluded. */
bool et_sample_usable_for_daemons(const struct et_sample *s);
/*
 * Fills the daemon run with the usable samples of the command, in order. Start times are those of
 * the wall clock, so that a resumed experiment shows its pauses. Samples are numbered from 1 in the
 * order in which the runs of the whole experiment were executed: two samples with another run
 * between them, of another command or a failed one, are not successive and never a pair. Call
 * et_daemon_record_settle() when all runs of the record are filled.
 */
void et_daemon_run_fill(
	struct et_daemon_record *r, struct et_daemon_run *run, const struct et_command *c);
