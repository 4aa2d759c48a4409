/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Background processes that a measurement can do without, and those that nobody touches. The
 * former are stopped through systemd where it runs them, else held by SIGSTOP: a held process
 * loses nothing and SIGCONT gives it back exactly as it was.
 */
#ifndef ET_HOST_DAEMONS_H
#define ET_HOST_DAEMONS_H

#include "host/machine.h"
#include "model/environment.h"

enum et_daemon_group {
	ET_DAEMONS,
	ET_TIMERS,
	ET_TIME_SYNC,
	ET_IRQBALANCE,
};

enum { ET_DAEMON_NAMES = 10 };

struct et_daemon {
	const char *name; /* NULL ends the table */
	enum et_daemon_group group;
	const char *comms[ET_DAEMON_NAMES]; /* names of its processes, 15 characters at most */
	const char *units[ET_DAEMON_NAMES]; /* what starts it on demand comes first */
	const char *cmdline;                /* must stand in the command line, or NULL */
	const char *never_hold;             /* why it is not to be held by SIGSTOP, or NULL */
	bool installs_packages; /* not to be stopped while packages are being installed */
};

extern const struct et_daemon et_daemons[];

/* Never stopped, never held: the name of a process or of a service, and the reason. */
struct et_untouchable {
	const char *name; /* NULL ends the table */
	const char *reason;
};

extern const struct et_untouchable et_untouchables[];

/* The reason not to touch a process or a unit of that name, or NULL. */
const char *et_untouchable_reason(const char *name);

void et_daemons_read(
	const struct et_machine *m, enum et_daemon_group group, struct et_finding *out);
/* What would stop them; what is left alone goes to left, with the reason. */
void et_daemons_plan(const struct et_machine *m, enum et_daemon_group group, const char *factor,
	struct et_changes *out, struct et_results *left);
/* Whether etalon could have stopped such a unit or held such a process: a journal may lie. */
bool et_daemons_know_unit(const char *unit);
bool et_daemons_know_process(const char *comm);

#endif
