/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ctrl-C, SIGTERM, SIGHUP and Ctrl-Z while programs run: the signal is passed on to the programs,
 * and the run ends or stops with all finished samples.
 */
#ifndef ET_CMD_SIGNALS_H
#define ET_CMD_SIGNALS_H

#include "model/executor.h"

/* Records which signals our caller ignores, before etalon changes any. */
void et_signals_read_caller(void);
/* Installs the handlers. The state that they change is one per process. */
struct et_interrupt *et_signals_install(void);

#endif
