/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals while programs run. Ctrl-C, SIGTERM and every other signal that would end etalon are
 * passed on to the programs, and the run ends with all finished samples; Ctrl-Z stops both. A
 * program that has not ended after two seconds, or after a second signal, is killed; so is one
 * that takes longer than the limit of its run.
 */
#pragma once

#include "model/sample/executor.h"

/* Records which signals our caller ignores, before etalon changes any. */
void et_signals_read_caller(void);
/* Installs the handlers. The state that they change is one per process. */
struct et_interrupt *et_signals_install(void);
/* Returns the signal that asked etalon to end; 0: none, or there are no handlers. */
int et_signals_received(void);
/* Sleeps; a signal that asks etalon to end does so, too. */
void et_signals_pause(const struct et_interrupt *interrupt, uint64_t ns);
