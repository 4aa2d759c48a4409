/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that run on the machine: those that a measurement is not alone with. */
#pragma once

#include "host/machine.h"
#include "model/experiment/environment.h"

/*
 * Lists them sorted by name, processes before kernel threads, without etalon and its ancestors. The
 * caller frees out->list.
 */
void et_running_read(const struct et_machine *m, struct et_running_list *out);
/*
 * Fills out with 16 hexadecimal digits that depend on the set of services that could run: the units
 * that systemd starts by itself, or, without systemd, the daemons of the table that have a process.
 * Stopping, holding or starting a service of that set does not change it, so it is the same while
 * `run --env` has changed the environment. Login sessions and other transient units do not count.
 * If systemd does not answer, out is "": the set is not known.
 */
void et_services_digest(const struct et_machine *m, char out[17]);
