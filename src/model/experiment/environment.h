/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The environment as values: how a factor was found, a change to make, and the outcome of a change.
 * src/host finds and changes; nothing here touches the machine.
 */
#pragma once

#include "base/base.h"

enum et_verdict {
	ET_VERDICT_UNKNOWN, /* it cannot be read, or this machine has no such thing */
	ET_VERDICT_FINE,    /* it does not disturb a measurement */
	ET_VERDICT_DISTURBS,
};

/* One factor of the environment as it was found. Its const texts belong to the table of factors. */
struct et_finding {
	const char *factor;
	const char *severity; /* "high", "medium", "low": how much it usually spoils a timing */
	const char *why;
	const char *fix;
	bool changeable; /* `env apply` can change it */
	enum et_verdict verdict;
	char *state;
	char *wanted;
};

struct et_findings {
	struct et_finding *list;
	size_t n, cap;
};

void et_findings_free(struct et_findings *f);

/* The processes of one name and one fate that run beside a measurement. */
struct et_running {
	char name[17];     /* of a process; of kernel threads without their number: "kworker" */
	size_t n;          /* how many */
	bool kernel;       /* kernel threads */
	const char *group; /* the factor that stops them, or NULL */
	char why[192];     /* the reason why etalon does not stop them, or "" */
};

struct et_running_list {
	struct et_running *list;
	size_t n, cap;
};

enum et_change_kind {
	ET_CHANGE_FILE,    /* a value in /proc or /sys */
	ET_CHANGE_UNIT,    /* a systemd unit: "active" becomes "inactive", or the opposite */
	ET_CHANGE_PROCESS, /* a process that is stopped by SIGSTOP */
};

extern const char *const et_change_kind_names[];

/* One setting to change while measuring, and its value before. */
struct et_change {
	enum et_change_kind kind;
	char *factor;
	char *target;   /* path, name of the unit, or name of the process */
	int32_t pid;    /* of the process, else 0 */
	uint64_t start; /* of the process, in ticks since boot; detects a reused pid */
	char *before;
	char *after;
};

enum et_outcome {
	ET_OUTCOME_PLANNED, /* a dry run: nothing was done */
	ET_OUTCOME_MADE,
	ET_OUTCOME_AGAIN, /* it had been undone; made again, the first original is kept */
	ET_OUTCOME_RESTORED,
	ET_OUTCOME_ALREADY, /* it had its original value already */
	ET_OUTCOME_RESET,   /* a reboot undid it */
	ET_OUTCOME_GONE,    /* the process or unit does not exist any more */
	ET_OUTCOME_FOREIGN, /* somebody else changed it since: it is left as it is */
	ET_OUTCOME_LEFT,    /* not changed; the note has the reason */
	ET_OUTCOME_FAILED,
};

/* The outcome of making a change or of restoring the original. */
struct et_result {
	struct et_change change;
	enum et_outcome outcome;
	char *note; /* why it failed, or the value that is there instead; or NULL */
};

struct et_changes {
	struct et_change *list;
	size_t n, cap;
};

struct et_results {
	struct et_result *list;
	size_t n, cap;
};

void et_change_free(struct et_change *c);
struct et_change et_change_copy(const struct et_change *c);
void et_changes_free(struct et_changes *c);
/* Appends; the texts are copied. */
void et_changes_add(struct et_changes *c, enum et_change_kind kind, const char *factor,
	const char *target, const char *before, const char *after);
void et_results_add(
	struct et_results *r, const struct et_change *c, enum et_outcome outcome, const char *note);
void et_results_free(struct et_results *r);
size_t et_results_count(const struct et_results *r, enum et_outcome outcome);

/* The properties of a machine that matter to a timing. */
struct et_host {
	char name[65];
	char kernel[130];         /* release, e.g. 6.1.0-18-amd64 */
	char architecture[65];    /* x86_64 */
	char cpu[128];            /* model name */
	uint32_t cpus;            /* online */
	char virtual_machine[32]; /* "kvm", "none", "unknown" … */
	char clocksource[32];
	char governor[32]; /* frequency governor of the CPUs; "" if there is none */
	uint64_t tick_ns;
	uint64_t memory_bytes;
	bool block_delays; /* kernel.task_delayacct: the kernel reports waiting for block I/O */
};

/*
 * A factor of the environment, and whether it is as a measurement needs it. If wanted is
 * ET_FACTOR_UNCHANGED, the state is a change of the factor while the programs ran.
 */
#define ET_FACTOR_UNCHANGED "no change during the runs"
struct et_factor {
	char *factor;
	char *state;
	char *wanted;
	bool ok;
};
