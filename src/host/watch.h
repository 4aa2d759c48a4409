/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the clock and the network while programs run: a time daemon that ends, a clock that loses
 * its synchronisation, a link that goes down. A look costs a few small reads of /proc and /sys, so
 * it belongs between runs, and not between all of them.
 */
#pragma once

#include "host/network.h"
#include "host/timekeeping.h"

enum { ET_MOST_TIME_DAEMONS = 4, ET_MOST_CHANGES = 100 };

struct et_time_daemon {
	const char *name; /* of the table of daemons */
	struct et_process process;
};

struct et_watch {
	const struct et_machine *machine;
	/*
	 * Called for each change: the factor, and what happened ("the link eth0 went down"). At
	 * most ET_MOST_CHANGES are reported.
	 */
	void (*changed)(void *ctx, const char *factor, const char *what);
	void *ctx;
	/* filled by et_watch_begin; as of the last look */
	size_t reported;
	struct et_clock_sync clock;
	struct et_time_daemon daemons[ET_MOST_TIME_DAEMONS];
	size_t n_daemons;
	struct et_link links[ET_MOST_LINKS];
	size_t n_links;
};

/* Takes the present state of the machine, whose processes were just read, as the first. */
void et_watch_begin(struct et_watch *w);
/* Compares with the last look. */
void et_watch_look(struct et_watch *w);
