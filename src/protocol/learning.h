/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether the cutoffs that were learned once still describe a machine. Cutoffs are figures of the
 * daemons that ran then: another kernel, other services or an update bring other daemons, or the
 * same ones with other habits.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/sample/daemon.h"

enum { ET_LEARNING_LEAST = 40 }; /* samples of the short run: fewer show little of a machine */
enum { ET_LEARNING_DAYS = 90 };  /* by then, updates may have brought other daemons */

/* The machine as it is now. A text that is not known is "", and then does not count. */
struct et_learning_place {
	const char *kernel, *cpu;
	const char *machine;  /* as et_host_identity describes it */
	const char *services; /* the digest of the services that can run */
	bool tuned;           /* the environment is applied */
	const char *factors;  /* those of it, as in struct et_cutoffs */
	bool sees;            /* processes that begin and end within a sample are seen */
	uint64_t wall_ns;
};

/* Bits: the ways in which a learning does not fit. */
enum et_misfit {
	ET_MISFIT_MACHINE = 1,
	ET_MISFIT_KERNEL = 2,
	ET_MISFIT_SERVICES = 4,
	ET_MISFIT_OLD = 8,
	ET_MISFIT_FUTURE = 16, /* it is dated later than now: the clock was or is wrong */
	/* The environment was applied while it learned and is not now, or the reverse. */
	ET_MISFIT_TUNING = 32,
	ET_MISFIT_FACTORS = 64, /* it was applied both times, but not the same factors */
	ET_MISFIT_FEW = 128,    /* fewer than ET_LEARNING_LEAST samples */
	ET_MISFIT_UNSEEN = 256, /* short-lived processes were not seen then, and are now */
};

/* Returns the misfits; 0: it fits, also if it found that no daemon needs a cutoff. */
unsigned et_cutoffs_fit_machine(const struct et_cutoffs *c, const struct et_learning_place *now);
/* How the learning was made: "with another kernel, 91 days ago"; NULL for 0. To be freed. */
char *et_misfits_describe(
	unsigned misfits, const struct et_cutoffs *c, const struct et_learning_place *now);
/* Whether they are another machine's: they are kept by host name, which several may share. */
bool et_cutoffs_elsewhere(const struct et_cutoffs *c, const char *machine, const char *cpu);
/* The age of a learning in whole days; 0 if it is dated in the future. */
uint64_t et_cutoffs_days(const struct et_cutoffs *c, uint64_t wall_ns);

/* The number and the length of the samples of a learning. */
struct et_learning_plan {
	uint64_t short_runs, long_runs; /* long_runs may be 0 */
	uint64_t short_ns, long_ns;     /* of one sample */
};

/* A length of long samples whose cutoffs are valid for programs of this length, in seconds. */
double et_learning_long_seconds(double seconds);

enum et_learning_preset {
	ET_LEARNING_QUICK,
	ET_LEARNING_PAPER, /* as published: 128 s × 800 and 16384 s × 40 */
	ET_LEARNING_PRESETS,
};
extern const char *const et_learning_preset_names[]; /* ends with NULL */
extern const struct et_learning_plan et_learning_presets[ET_LEARNING_PRESETS];

/* The time that the samples of a plan take, without what is between them. */
double et_learning_seconds(const struct et_learning_plan *p);
/*
 * The share of the elapsed time of usable samples in which others had the program's CPU; NaN: not
 * known. Above the limit, daemons are not distinguishable from the other work.
 */
double et_learning_taken(const struct et_command *c);
#define ET_LEARNING_BUSY 0.05
/* Whether a learning had at least as many and as long samples as the plan. */
bool et_cutoffs_cover(const struct et_cutoffs *c, const struct et_learning_plan *p);
