/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that run on the machine, by name: those that a measurement is not alone with. */
#pragma once

#include "host/machine.h"
#include "model/experiment/environment.h"

/*
 * Lists them sorted by name, processes before kernel threads, without etalon and its ancestors. The
 * caller frees out->list.
 */
void et_running_read(const struct et_machine *m, struct et_running_list *out);
