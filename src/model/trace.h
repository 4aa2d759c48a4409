/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a thread, or a program, had the CPU and when not: inactive periods with their causes; what
 * lies between them is activity. Memory is bounded: of more than ET_TRACE_MOST periods the older
 * ones are dropped from the list and stay in the sums.
 */
#ifndef ET_MODEL_TRACE_H
#define ET_MODEL_TRACE_H

#include "model/warning.h"

#include <stdint.h>

enum { ET_TRACE_MOST = 1 << 20, ET_TAKERS_MOST = 4096 };

enum et_cause {
	ET_CAUSE_TIMER,   /* the timer interrupt, with what the kernel does at once because of it */
	ET_CAUSE_PROCESS, /* another process had the CPU */
	ET_CAUSE_IRQ,     /* another interrupt */
	ET_CAUSE_STEAL,   /* the hypervisor took the CPU */
	ET_CAUSE_WAIT,    /* a program waited for something that is no CPU */
	ET_CAUSE_UNKNOWN,
	ET_CAUSES,
};

extern const char *const et_cause_names[]; /* as in JSON; NULL ends it */

/* Who did it: a process or an interrupt, by name. */
struct et_taker {
	char name[32];
	enum et_cause cause;
	bool exact;         /* known apart from the periods: several share one */
	uint64_t count, ns; /* of the periods that are put down to it, or of its share in them */
};

#define ET_NOBODY UINT32_MAX

struct et_inactive {
	uint64_t start, duration;       /* the counter's ticks; from the trace's beginning */
	uint64_t start_ns, duration_ns; /* the same in time */
	uint32_t taker;                 /* place in the trace's takers, or ET_NOBODY */
	uint8_t cause;                  /* enum et_cause */
	bool tick;                      /* it began with a timer interrupt */
};

struct et_cause_sum {
	uint64_t count, ns;
};

struct et_trace {
	char *name;            /* of a trace in a file, or of the program; NULL: none */
	double hz;             /* the counter's rate: 0 when nobody knows */
	double hz_estimate;    /* what a file said before its ticks told better; 0: nothing */
	uint64_t begin_ns;     /* CLOCK_MONOTONIC of the beginning; ET_UNKNOWN in a file's */
	int cpu;               /* -1: not known */
	uint64_t origin;       /* ticks that a file counts before the trace's beginning */
	uint64_t total;        /* ticks from the beginning to the end */
	uint64_t total_ns;     /* the same in time */
	uint64_t inactive_ns;  /* all periods together, dropped and lost ones too */
	uint64_t ready_ns;     /* that a program waited for a CPU; ET_UNKNOWN: not told */
	uint64_t threshold_ns; /* ET_UNKNOWN: not told */
	bool threshold_found;  /* by itself */
	uint64_t readings;     /* of the counter; 0: not told */
	uint64_t first_index;  /* of the first active period; a file's may begin anywhere */
	struct et_inactive *list;
	size_t n, cap;
	uint64_t dropped; /* of the list, oldest first; they are in the sums */
	uint64_t lost;    /* never listed: no room where they came from */
	struct et_taker *takers;
	size_t n_takers, cap_takers;
	struct et_cause_sum by_cause[ET_CAUSES];
	/* The ticks found by their regularity; n 0: none. */
	struct {
		size_t n;
		uint64_t first;          /* where the first one begins, in the counter's ticks */
		double interval;         /* in the counter's ticks */
		double uncertainty;      /* standard uncertainty of it */
		uint64_t nominal_ns;     /* what the interval is said to be; 0: nobody says */
		uint64_t shortest_ticks; /* the shortest that is the timer's alone; 0: none is */
	} timer;
	const char *source; /* who told the causes: "bpf", "perf", "regularity", "file" */
	char ended[128];    /* why it ended before its time; "": it did not */
	struct et_warnings warnings;
};

void et_trace_init(struct et_trace *t);
void et_trace_free(struct et_trace *t); /* what it owns */
/* Appends a period; valid until the next. */
struct et_inactive *et_trace_add(struct et_trace *t, uint64_t start, uint64_t duration);
/*
 * The place of somebody's name, which is added if it is not there. Beyond ET_TAKERS_MOST all new
 * ones of a cause are "(others)".
 */
uint32_t et_trace_taker(struct et_trace *t, enum et_cause cause, const char *name);
/* Drops the older half of the list after adding it to the sums; call it when n is ET_TRACE_MOST. */
void et_trace_drop(struct et_trace *t);
/* Adds what is listed to the sums; once, at the end. */
void et_trace_sum(struct et_trace *t);
/* Gives all periods their times by the rate. */
void et_trace_set_rate(struct et_trace *t, double hz);
/* Share of the time that it was active, from 0 to 1; NaN when there was no time. */
double et_trace_active(const struct et_trace *t);

#endif
