/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ctrl-C, SIGTERM and Ctrl-Z while programs run: children are told, finished samples are safe. */
#ifndef ET_CMD_SIGNALS_H
#define ET_CMD_SIGNALS_H

#include "model/executor.h"

/* Installs the handlers; there is one such state for the process. */
struct et_interrupt *et_signals_install(void);

#endif
