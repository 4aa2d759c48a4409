/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The perf events of a profile: on each CPU several that sample into one ring, and one that counts
 * nothing but reports mappings, forks and exits into a ring of its own, so that a ring full of
 * samples never costs a mapping.
 *
 * Events of a control group count all its tasks on a CPU as one, and are opened once per
 * experiment. Events of a task are inherited by its threads and children; each begins to count anew
 * there.
 */
#pragma once

#include "base/error.h"
#include "measure/observe/perf_ring.h"
#include "model/sample/profile.h"

#include <sched.h>

/*
 * The sampling periods of a run. A fixed period, prime or not, meets a periodic program always at
 * the same places. So a run has several events, whose periods are drawn anew for each run in such a
 * way that the sum of their rates is the rate that was asked for.
 */
enum { ET_MOST_EVENTS = 8 };

struct et_periods {
	size_t n;
	uint64_t period[ET_MOST_EVENTS]; /* in the unit of the event: ns or cycles */
	/* The part of each period that has passed when the program starts, below 1. */
	double passed[ET_MOST_EVENTS];
};

/*
 * Draws the periods of n events; the same numbers give the same periods. The mean distance between
 * samples is mean. If `fixed`, n is 1 and the period is the mean; the passed part is random.
 */
void et_periods_draw(
	uint64_t seed, uint64_t run, double mean, size_t n, bool fixed, struct et_periods *out);
/*
 * Returns how many events to use for samples this far apart. Before each run a part of every period
 * must pass, which takes as much CPU time as the longest: n times this distance and more. So there
 * are fewer if samples are rare.
 */
size_t et_periods_events(double mean_ns);
/* Returns the mean distance of the samples of all events. */
double et_periods_mean(const struct et_periods *p);

/* Returns how many samples an event should have taken that counted this much. */
uint64_t et_periods_due(uint64_t counted, uint64_t period);
/* Returns how many samples neither were taken nor lost: the timer came too late for them. */
uint64_t et_periods_overruns(uint64_t due, uint64_t taken, uint64_t lost);

/* The event that is sampled. */
struct et_event_kind {
	char name[24]; /* "cycles", "cpu-clock" */
	uint32_t type;
	uint64_t config;
	double per_ns;        /* how much it counts in a nanosecond of CPU time */
	uint64_t sample_type; /* see record.h */
	uint64_t regs;        /* with ET_CHAINS_DWARF: the mask of the registers */
	bool user_only;
	bool forbidden_kernel; /* the user asked for the kernel and may not sample it */
	bool old_kernel;       /* build ids and counts of lost records are not known */
};

/* Chooses what the plan asks for and the machine has. 0, or -errno with err: what is missing. */
int et_event_choose(const char *root, const struct et_profile_plan *plan, struct et_event_kind *out,
	struct et_error *err) ET_CHECK;
/* Returns the mean distance between samples that the plan asks for, in the event's unit. */
double et_event_period(const struct et_event_kind *kind, const struct et_profile_plan *plan);
/* Fills err with the reason why an event could not be opened: errnum. Returns -errnum. */
int et_event_refused(const char *root, int errnum, struct et_error *err);

/* Those of one CPU. */
struct et_cpu_events {
	struct et_perf_ring samples, side;
	size_t n; /* events that sample; the first owns the ring */
	int fd[ET_MOST_EVENTS];
	uint64_t id[ET_MOST_EVENTS];
	uint64_t lost[ET_MOST_EVENTS]; /* of earlier runs */
	uint64_t side_lost;            /* likewise */
	uint64_t begun;                /* the first had counted this much when the run began */
};

struct et_events {
	struct et_cpu_events *cpus;
	size_t n;
	bool knows_lost; /* the kernel counts them */
};

/* The events that are opened, disabled: those of a group, or of a task, which execve() enables. */
struct et_events_target {
	const struct et_event_kind *kind;
	size_t each;  /* events per CPU; of a task 1 */
	int group_fd; /* -1: of a task */
	pid_t pid;
	uint64_t period; /* of a task; that of a group is set before each run */
};

/* Opens them on each CPU of the set. 0 or -errno; then nothing is left open. */
int et_events_open(
	struct et_events *e, const struct et_events_target *t, const cpu_set_t *cpus) ET_CHECK;
void et_events_close(struct et_events *e); /* all zero is fine */

/* Prepares the events of a group, which must be disabled, for the next run. */
void et_events_set(struct et_events *e, const struct et_periods *periods);
void et_events_enable(const struct et_events *e, size_t i); /* the i-th of each CPU */
void et_events_disable(const struct et_events *e);
/* Marks the begin of the run: CPU time from now on belongs to it. */
void et_events_begin(struct et_events *e);

/* The readings of the events after a run. */
struct et_events_read {
	uint64_t counted; /* by the first event of each CPU since et_events_begin */
	uint64_t due;     /* samples, since et_events_set */
	uint64_t lost;    /* records of any kind, by the kernel's count */
};

void et_events_read(
	struct et_events *e, const struct et_periods *periods, struct et_events_read *out);
