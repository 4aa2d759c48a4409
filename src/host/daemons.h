/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Background processes that a measurement can do without, and processes that etalon never touches.
 * A daemon that systemd runs is stopped through systemd. Any other is held by SIGSTOP: a held
 * process loses nothing, and SIGCONT lets it continue exactly where it was.
 */
#pragma once

#include "host/machine.h"
#include "model/experiment/environment.h"

/* The factor of the environment (factors.h) that a daemon belongs to. */
enum et_daemon_group {
	ET_DAEMONS,
	ET_TIMERS,
	ET_TIME_DAEMONS, /* of the factors time-sync, which starts one, and time-daemon */
	ET_IRQBALANCE,
};

enum { ET_DAEMON_NAMES = 11 }; /* of one kind, with the NULL that ends a list */

struct et_daemon {
	const char *name; /* NULL ends the table */
	enum et_daemon_group group;
	const char *comms[ET_DAEMON_NAMES]; /* names of its processes, at most 15 characters */
	const char *units[ET_DAEMON_NAMES]; /* its systemd units; those that trigger it first */
	const char *cmdline;                /* text that its command line must contain, or NULL */
	const char *never_hold;             /* why it must not be held by SIGSTOP, or NULL */
	bool installs_packages; /* while packages are being installed, it is left alone */
};

extern const struct et_daemon et_daemons[];

/* Which wish of a designed experiment's factor `services` overrules a reason. */
enum et_yields {
	ET_YIELDS_NEVER,
	ET_YIELDS_TO_NAME,   /* stop:UNIT names it */
	ET_YIELDS_TO_TARGET, /* also a target that does not want it: runlevel 3 has no display */
};

/* Processes and services that are never stopped and never held, and the reason. */
struct et_untouchable {
	const char *reason; /* NULL ends the table */
	enum et_yields yields;
	const char *names[20]; /* NULL ends the list */
};

extern const struct et_untouchable et_untouchables[];

/* The reason not to touch a process or unit of that name; NULL: none, or the wish overrules it. */
const char *et_untouchable_reason(const char *name, enum et_yields wish);

/* Returns the daemon of the group that a process, running or stopped, belongs to, or NULL. */
const struct et_daemon *et_daemons_owner(
	const struct et_machine *m, enum et_daemon_group group, const struct et_process *p);
/* Sets state and verdict: the daemons of the group that run (timers: are active), or "none". */
void et_daemons_read(
	const struct et_machine *m, enum et_daemon_group group, struct et_finding *out);
/* Plans to stop the daemons of the row's group; those left alone are appended to left. */
struct et_factor_row;
void et_daemons_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left);
/* Returns the names of the daemons of the group that run, "a, b", or NULL. The caller frees it. */
char *et_daemons_running(const struct et_machine *m, enum et_daemon_group group);
/*
 * Plans to start one daemon of a group of which none runs: the first of the table that systemd has.
 * If there is nothing to start, appends one result to left: `missing` is the reason if none is
 * installed.
 */
void et_daemons_plan_start(const struct et_machine *m, enum et_daemon_group group,
	const char *factor, const char *missing, struct et_changes *out, struct et_results *left);
/* Returns the first daemon of the group that is installed but does not run, or NULL. */
const char *et_daemons_installed(const struct et_machine *m, enum et_daemon_group group);
/*
 * Whether the table has a unit, or a process that may be held, of that name. A journal may have
 * been forged, so its entries are checked by this.
 */
bool et_daemons_know_process(const char *comm);
/* With `startable` only those that etalon may start, and stop again: those of time daemons. */
bool et_daemons_know_unit(const char *unit, bool startable);

/*
 * Plans to stop the units of these names (NULL ends them) that are active. A unit that is never
 * touched, despite the wish, or that could not be restored goes to left.
 */
void et_daemons_plan_units(const struct et_machine *m, char *const *names, enum et_yields wish,
	const char *factor, struct et_changes *out, struct et_results *left);

/*
 * Lists the processes that run, those that a measurement is not alone with, sorted by name,
 * processes before kernel threads, without etalon and its ancestors. The caller frees out->list.
 */
void et_running_read(const struct et_machine *m, struct et_running_list *out);
/*
 * Fills out with a digest of the services that could run: the units that systemd starts by itself,
 * or, without systemd, the daemons of the table that have a process. It is the same while `run
 * --env` has stopped some. If systemd does not answer, out is "".
 */
void et_services_digest(const struct et_machine *m, char out[17]);
