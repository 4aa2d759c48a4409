/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The environment as values: what was found about a factor, what is to be changed, what came of
 * it. Who finds and who changes is the host's business.
 */
#ifndef ET_MODEL_ENVIRONMENT_H
#define ET_MODEL_ENVIRONMENT_H

#include "base/attr.h"

#include <stdbool.h>

enum et_verdict {
	ET_VERDICT_UNKNOWN,  /* this machine does not tell, or has no such thing */
	ET_VERDICT_FINE,     /* as a measurement wants it */
	ET_VERDICT_DISTURBS, /* not so */
};

/* One factor of the environment as it was found. The texts that are const belong to the table. */
struct et_finding {
	const char *factor;
	const char *severity; /* "high", "medium", "low": how much it usually spoils a timing */
	const char *why;
	const char *fix;
	bool changeable; /* `env apply` knows how */
	enum et_verdict verdict;
	char *state;
	char *wanted;
};

struct et_findings {
	struct et_finding *list;
	size_t n, cap;
};

void et_findings_free(struct et_findings *f);

enum et_change_kind {
	ET_CHANGE_FILE,    /* a value in /proc or /sys */
	ET_CHANGE_UNIT,    /* a unit of systemd's that is stopped */
	ET_CHANGE_PROCESS, /* a process that is held by SIGSTOP */
};

extern const char *const et_change_kind_names[];

/* One thing that is to be different while measuring, and how it was before. */
struct et_change {
	enum et_change_kind kind;
	char *factor;
	char *target;   /* path, name of the unit, or name of the process */
	int32_t pid;    /* of the process, else 0 */
	uint64_t start; /* of the process, in ticks since boot: tells it from a later one */
	char *before;
	char *after;
};

enum et_outcome {
	ET_OUTCOME_PLANNED, /* a dry run: nothing was done */
	ET_OUTCOME_MADE,
	ET_OUTCOME_AGAIN,    /* somebody had undone it; made again, the first original is kept */
	ET_OUTCOME_RESTORED, /* given back */
	ET_OUTCOME_ALREADY,  /* was back already */
	ET_OUTCOME_RESET,    /* a reboot has undone it */
	ET_OUTCOME_GONE,     /* the process or unit is no more */
	ET_OUTCOME_FOREIGN,  /* somebody else has changed it since: left as it is */
	ET_OUTCOME_LEFT,     /* not touched, for a reason */
	ET_OUTCOME_FAILED,
};

/* What came of a change, or of giving it back. */
struct et_result {
	struct et_change change;
	enum et_outcome outcome;
	char *note; /* why it failed, or what is there instead; NULL when there is nothing to say */
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

#endif
