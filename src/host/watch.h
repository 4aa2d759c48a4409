/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether something keeps the clock of the machine right, and the links through which it reaches
 * others; both are watched while programs run: a time daemon that ends, a clock that loses its
 * synchronisation, a link that goes down. A look costs a few small reads of /proc and /sys, so it
 * belongs between runs, and not between all of them.
 */
#pragma once

#include "host/machine.h"
#include "model/experiment/environment.h"

#include <net/if.h>

/* The kernel's account of its clock, as adjtimex(2) reports it. */
struct et_clock_sync {
	bool known; /* false for a captured tree, or if the call is forbidden */
	bool synchronised;
	double offset_ns;     /* that the kernel still has to correct */
	double frequency_ppm; /* the correction of the clock's rate */
};

/*
 * Judges the factor time-sync. daemons: the names of the time daemons that run, or NULL; installed:
 * the name of one that does not run, or NULL; inside: etalon runs in a container, which cannot see
 * the time daemon of its host.
 */
void et_time_sync_judge(const char *daemons, const char *installed, bool inside,
	const struct et_clock_sync *clock, struct et_finding *f);

enum et_link_state { ET_LINK_GONE, ET_LINK_DOWN, ET_LINK_UP };

struct et_link {
	char name[IF_NAMESIZE];
	enum et_link_state state;
};

enum { ET_MOST_LINKS = 8 };

/* Fills out with the interfaces that have a default route; returns their number, or -errno. */
int et_links_read(const char *root, struct et_link out[ET_MOST_LINKS]) ET_CHECK;
/* In megabits per second; 0 if the interface does not report it. */
int et_link_speed(const char *root, const char *name);

enum { ET_MOST_TIME_DAEMONS = 4, ET_MOST_CHANGES = 100 };

struct et_time_daemon {
	const char *name; /* of the table of daemons */
	struct et_process process;
};

struct et_watch {
	const struct et_machine *machine;
	/* Called for each change ("the link eth0 went down"), at most ET_MOST_CHANGES times. */
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
