/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples of an experiment's command as a run that daemons are looked for in. */
#ifndef ET_PROTOCOL_DAEMON_RUN_H
#define ET_PROTOCOL_DAEMON_RUN_H

#include "model/daemon.h"
#include "model/experiment.h"

/* A run alone that did not fail, with its times; not warm-up. */
bool et_sample_usable_for_daemons(const struct et_sample *s);
/*
 * Takes the command's runs of that kind, in order. Starts are those of the wall clock, so that an
 * experiment that was resumed shows its pauses. The record is to be settled when all runs are in.
 */
void et_daemon_run_fill(
	struct et_daemon_record *r, struct et_daemon_run *run, const struct et_command *c);

#endif
