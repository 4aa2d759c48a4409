/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sample: the recorded measurement of one run of a program, with the other processes that ran at
 * the same time. Times are nanoseconds, or ET_UNKNOWN if the machine did not report them.
 */
#pragma once

#include "model/sample/metric.h"
#include "model/sample/profile.h"

enum et_arrangement {
	ET_SOLO,  /* the program alone */
	ET_DUET,  /* together with its partner, on the same CPUs */
	ET_PACED, /* together with the reference loop */
};

/* The source of CPU time. */
enum et_cpu_source {
	ET_CPU_BY_CPUACCT,  /* its own cgroup, version 1: cpuacct.usage */
	ET_CPU_BY_CPU_STAT, /* its own cgroup, version 2: cpu.stat */
	ET_CPU_BY_WAIT4,    /* wait4 of the child: descendants that nobody waited for are missing */
};

/* Marks on a sample that do not remove it; et_mark_rows describes them. */
enum et_mark {
	ET_MARK_LOST_RECORDS = 1 << 0, /* the kernel dropped records: culprits are missing */
	ET_MARK_STOPPED = 1 << 1,      /* a signal stopped the program for a while */
	ET_MARK_LEFTOVERS = 1 << 2,    /* the program left processes behind, which were killed */
	ET_MARK_NO_OVERLAP = 1 << 3,   /* a pair too short to overlap, run one after the other */
	ET_MARK_NO_EXITS = 1 << 4,     /* no exit records: short processes were not seen */
	ET_MARK_ESCAPED = 1 << 5,      /* it left its cgroup: CPU time is wait4's */
	/* A rule matched, but --keep-all, the protocol or too many of them prevented a removal. */
	ET_MARK_DAEMON = 1 << 6,
	ET_MARK_TWO_SIGMA = 1 << 7,
	ET_MARK_MACHINE_SLOW = 1 << 8,
	ET_MARK_NO_SNAPSHOT = 1 << 9, /* the processes could not be listed: culprits unknown */
	ET_MARK_SCOUTED = 1 << 10, /* a warm-up run whose files were looked at, which takes time */
};

enum { ET_MARKS = 11 };

/* CPU time that another process used while the sample ran. */
struct et_culprit {
	char name[16]; /* as the kernel names it */
	int32_t pid;
	bool kernel_thread;
	bool exited; /* it ended during the sample */
	uint64_t cpu_ns;
	uint64_t doubt_ns; /* cpu_ns may be too small by this much */
	/* It had the program's CPU while the program was runnable; ET_UNKNOWN without a ledger. */
	uint64_t on_our_cpu_ns;
};

enum et_removed_by {
	ET_KEPT,
	ET_REMOVED_STOPPED,       /* a signal stopped it: elapsed time means nothing */
	ET_REMOVED_FAILED,        /* the program failed and failures are ignored */
	ET_REMOVED_DAEMON_CUTOFF, /* a daemon ran longer than its cutoff */
	ET_REMOVED_TWO_SIGMA,     /* outside mean ± 2 sd of the rest */
	ET_REMOVED_MACHINE_SLOW,  /* by the probe or stolen time, not by the sample's own time */
};

struct et_removal {
	enum et_removed_by by;
	char daemon[16];
	uint64_t cpu_ns, cutoff_ns; /* of a daemon-cutoff */
	/* of machine-slow: the probe or the stolen time, the other is 0; and the limit */
	uint64_t probe_ns, steal_ns, limit_ns;
};

/* Where a run is in the plan. The driver fills it. */
struct et_place {
	uint32_t command;  /* which command of the experiment, from 0 */
	uint32_t index;    /* 1, 2, … among the samples of the command, in execution order */
	uint32_t order;    /* number of the execution, from 1; the two runs of a duet share it */
	uint32_t round;    /* from 1; 0 for warm-up */
	uint32_t position; /* place within the round's schedule, from 0 */
	int32_t partner;   /* the other command of a duet, or -1 */
	enum et_arrangement arrangement;
	bool warmup;
};

/* The figures of one run. The executor fills them. */
struct et_measured {
	int32_t exit_code; /* -1 if a signal ended the program */
	int32_t signal;    /* 0 if the program exited */
	enum et_cpu_source cpu_source;
	uint64_t started_wall_ns; /* since 1970 */
	uint64_t elapsed_ns, cpu_ns;
	/* Of a function that libetalon timed: the times are those of N calls. 0: of a program. */
	uint64_t calls;
	uint64_t counter_ticks;      /* elapsed time by the processor's counter */
	uint64_t user_ns, system_ns; /* the kernel's split, sampled at ticks, scaled to cpu_ns */
	uint64_t wait_ns;            /* runnable, waiting for a CPU */
	uint64_t blocked_ns;         /* waiting for block I/O */
	uint64_t steal_ns;           /* taken by the hypervisor on the program's CPUs */
	/* Parts of the elapsed time; et_sample_shares() computes the stolen and unexplained one. */
	uint64_t on_cpu_ns;   /* at least one task ran: cpu_ns, or less if tasks ran in parallel */
	uint64_t runnable_ns; /* none ran, and one waited for a CPU that others had */
	uint64_t asleep_ns;   /* neither: it slept or waited for something else */
	/*
	 * The ledger of the program's CPU, while none of its tasks ran; unknown without a ledger.
	 * The time of an interrupt belongs to the task that it interrupted.
	 */
	uint64_t others_ns;          /* other tasks had it, also etalon and a duet's partner */
	uint64_t idle_ns;            /* it was idle */
	uint64_t irq_ns, softirq_ns; /* interrupts that hit the program; a hard one counts once */
	uint64_t irq_in_cpu_ns;      /* the part of both that the kernel charged: it is in cpu_ns */
	/* The fixed loop before and after the run, on the same CPU: how fast the machine was. */
	uint64_t probe_before_ns, probe_after_ns;
	/* The reference loop of a paced run: its CPU time and the loops it completed in it. */
	uint64_t pace_ns, pace_loops;
	uint64_t max_rss_bytes;
	uint64_t voluntary_switches, involuntary_switches, cpu_migrations;
	uint64_t major_faults, minor_faults;
	struct et_culprit *culprits; /* owned; descending cpu_ns */
	size_t n_culprits;
	/* Owned. It is in samples on their way only: et_experiment_add moves it to the profile. */
	struct et_profile_run *profile;
};

/* The verdict on a sample. The executor and the rules of the protocol set marks. */
struct et_ruling {
	uint32_t marks; /* bits of enum et_mark */
	struct et_removal removal;
};

/* The recorded measurement of one run. */
struct et_sample {
	struct et_place place;
	struct et_measured measured;
	struct et_ruling ruling;
};

/* The metric's value in its own unit, or ET_UNKNOWN. */
uint64_t et_sample_metric(const struct et_sample *s, enum et_metric m);
/* The same per call of a function; NaN if it is unknown. */
double et_sample_value(const struct et_sample *s, enum et_metric m);
/* A figure of a sample as a double; NaN, or 0, if it is not known. */
static inline double et_known(uint64_t figure)
{
	return figure == ET_UNKNOWN ? NAN : (double)figure;
}
static inline double et_known_or_0(uint64_t figure)
{
	return figure == ET_UNKNOWN ? 0 : (double)figure;
}
bool et_sample_counts(const struct et_sample *s); /* kept, solo, not warm-up */
/* Is it the time of a function instead of a program? */
bool et_sample_is_function(const struct et_sample *s);

/* Names used in JSON, in the store and in options; NULL ends each list. */
extern const char *const et_arrangement_names[];
extern const char *const et_cpu_source_names[];
extern const char *const et_removed_by_names[];

struct et_mark_row {
	enum et_mark bit;
	const char *name; /* in JSON, CSV and reports */
	int warning; /* enum et_warning_code, raised with the number of marked runs; -1: none */
};

extern const struct et_mark_row et_mark_rows[ET_MARKS]; /* row i is of bit i */
extern const char *const et_mark_names[];               /* likewise; NULL ends the list */

/* Returns the index of name in a list, or -1. */
int et_name_index(const char *const *names, const char *name) ET_CHECK;

void et_sample_free(struct et_sample *s); /* what it owns, not the sample itself */
void et_sample_copy(struct et_sample *to, const struct et_sample *from);

/*
 * The shares of the elapsed time by the state of the program: at each instant at least one of its
 * tasks runs, or none runs and at least one is runnable, or all of them sleep or wait. The names
 * are the same whichever source the figures have: the ledger by BPF or perf, or the kernel's sums.
 */
enum et_share {
	ET_SHARE_ON_CPU,      /* at least one task ran */
	ET_SHARE_RUNNABLE,    /* none ran, at least one was runnable, and others had its CPU */
	ET_SHARE_ASLEEP,      /* the program slept, or waited for something else than a CPU */
	ET_SHARE_STOLEN,      /* the hypervisor had the program's CPU */
	ET_SHARE_UNEXPLAINED, /* the rest */
	ET_SHARES,
};

struct et_share_row {
	const char *name;  /* for people */
	const char *field; /* in JSON */
};

extern const struct et_share_row et_share_rows[ET_SHARES];

/*
 * The shares of a sample in nanoseconds, which add up to its elapsed time; NaN: not known, and then
 * part of the unexplained. All are NaN if the CPU time is not known, or if tasks ran in parallel
 * and there is no ledger.
 */
void et_sample_shares(const struct et_measured *m, double ns[ET_SHARES]);

/*
 * Fills on_cpu_ns, runnable_ns and asleep_ns without a ledger, from the kernel's sums for the
 * tasks of the program, as if these ran in turn. A program that never gave up its CPU did not
 * sleep: then the rest is unexplained.
 */
void et_shares_without_ledger(struct et_measured *m);
