/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace: when a thread or a program had the CPU and when not. It lists the inactive periods with
 * their causes; between them the thread was active. Memory is bounded: if there are more than
 * ET_TRACE_MOST periods, the older ones are dropped from the list and remain in the sums.
 */
#pragma once

#include "model/result/warning.h"

enum { ET_TRACE_MOST = 1 << 20, ET_TAKERS_MOST = 4096 };

enum et_cause {
	ET_CAUSE_TIMER, /* the timer interrupt, with the work that the kernel does right after it */
	ET_CAUSE_PROCESS, /* another process had the CPU */
	ET_CAUSE_IRQ,     /* another interrupt */
	ET_CAUSE_STEAL,   /* the hypervisor took the CPU */
	ET_CAUSE_WAIT,    /* a program waited for something other than a CPU */
	ET_CAUSE_UNKNOWN,
	ET_CAUSES,
};

extern const char *const et_cause_names[]; /* as in JSON; NULL ends the list */

/* A process or an interrupt that took the CPU, by name. */
struct et_taker {
	char name[32];
	enum et_cause cause;
	bool exact;         /* its time is known directly, because several share a period */
	uint64_t count, ns; /* of the periods attributed to it, or of its share in them */
	uint64_t ticks;     /* timer ticks that came while it had the CPU */
};

#define ET_NOBODY UINT32_MAX

/* Ticks charge whole intervals to the task they interrupt: an index into takers, or of these. */
#define ET_TICK_SELF UINT32_MAX        /* the traced thread or program */
#define ET_TICK_IDLE (UINT32_MAX - 1)  /* nobody: the CPU was idle */
#define ET_TICK_OTHER (UINT32_MAX - 2) /* another process without a known name */

struct et_tick {
	uint64_t at;    /* in ticks of the counter, from the trace's beginning */
	uint64_t at_ns; /* the same in time */
	uint32_t charged;
	bool estimated; /* interpolated, because an inactive period hides it */
};

/* A stretch of another process within an inactive period. */
struct et_stretch {
	uint64_t from_ns, to_ns;
	uint32_t taker;
};

/* A timer interrupt in the kernel's records. */
struct et_timer_record {
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	uint32_t charged;  /* the task that it interrupted */
};

struct et_inactive {
	uint64_t start, duration;       /* in ticks of the counter, from the trace's beginning */
	uint64_t start_ns, duration_ns; /* the same in time */
	uint32_t taker;                 /* index into the trace's takers, or ET_NOBODY */
	uint8_t cause;                  /* enum et_cause */
	bool tick;                      /* it began with a timer tick */
};

struct et_cause_sum {
	uint64_t count, ns;
};

struct et_trace {
	char *name;            /* of a trace in a file, or of the program; or NULL */
	double hz;             /* the counter's rate; 0: not known */
	double hz_estimate;    /* the rate in a file, before its ticks gave a better one; 0: none */
	uint64_t begin_ns;     /* CLOCK_MONOTONIC of the beginning; ET_UNKNOWN for a file */
	int cpu;               /* -1: not known */
	uint64_t origin;       /* ticks that a file counts before the trace's beginning */
	uint64_t total;        /* ticks from the beginning to the end */
	uint64_t total_ns;     /* the same in time */
	uint64_t inactive_ns;  /* all periods together, also dropped and lost ones */
	uint64_t ready_ns;     /* time that a program waited for a CPU; ET_UNKNOWN: not known */
	uint64_t threshold_ns; /* ET_UNKNOWN: not known */
	bool threshold_found;  /* by the tracer; otherwise given by the user */
	bool spins;            /* the traced thread makes no system calls */
	uint64_t readings;     /* of the counter; 0: not known */
	uint64_t first_index;  /* of the first active period; a file may begin with any */
	struct et_inactive *list;
	size_t n, cap;
	uint64_t dropped; /* from the list, oldest first; they are in the sums */
	uint64_t lost;    /* never listed: the ring was full */
	struct et_taker *takers;
	size_t n_takers, cap_takers;
	struct et_cause_sum by_cause[ET_CAUSES];
	/* In order, with adjacent ones of a process joined; empty without records. */
	struct et_stretch *stretches;
	size_t n_stretches, cap_stretches;
	bool stretches_cut;              /* there were more than ET_TRACE_MOST */
	struct et_timer_record *records; /* in order; those that were not searched for ticks yet */
	size_t n_records, cap_records;
	struct et_tick *ticks; /* in order, also those inside inactive periods; bounded as the list
				*/
	size_t n_ticks, cap_ticks;
	uint64_t self_ticks, other_ticks, idle_ticks; /* by what they are charged to; no names */
	/* The timer ticks; n == 0: none were found. */
	struct {
		bool by_records;     /* the kernel recorded them; otherwise by their regularity */
		size_t n;            /* also dropped ones */
		size_t alone;        /* periods that nothing but a tick caused */
		uint64_t first;      /* where the first one begins, in ticks of the counter */
		double interval;     /* in ticks of the counter */
		double uncertainty;  /* standard uncertainty of the interval */
		uint64_t nominal_ns; /* the interval by the kernel or by the file; 0: not known */
		uint64_t shortest_ticks; /* of the periods in `alone`; 0: none */
		uint64_t median_ticks;   /* of those in the list */
	} timer;
	const char *source; /* the source of the causes: "bpf", "perf", "regularity", "file" */
	char ended[128];    /* why it ended early; "": it did not */
	struct et_warnings warnings;
};

void et_trace_init(struct et_trace *t);
void et_trace_free(struct et_trace *t); /* what it owns */
/* Appends a period. The pointer is valid until the next call. */
struct et_inactive *et_trace_add(struct et_trace *t, uint64_t start, uint64_t duration);
/* The index of a name, added if new. Beyond ET_TAKERS_MOST a cause's new names are "(others)". */
uint32_t et_trace_taker(struct et_trace *t, enum et_cause cause, const char *name);
void et_trace_add_stretch(struct et_trace *t, struct et_stretch s);
/* Appends a tick; the oldest are dropped beyond ET_TRACE_MOST, and stay in the sums. */
void et_trace_add_tick(struct et_trace *t, struct et_tick tick);
/* Adds the older half of the list to the sums and drops it; call it when n is ET_TRACE_MOST. */
void et_trace_drop(struct et_trace *t);
/* Adds the listed periods to the sums; call it once, at the end. */
void et_trace_sum(struct et_trace *t);
/* Computes the times of all periods by the rate. */
void et_trace_set_rate(struct et_trace *t, double hz);
/* The proportion of the time in which it was active; NaN if the trace has no length. */
double et_trace_active(const struct et_trace *t);
