/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of a treatment of a designed experiment that concerns the program that is started:
 * environment, CPUs, scheduling, addresses, memory, competing processes. It is decided for every
 * command before the first run, and only read afterwards.
 */
#pragma once

#include "host/topology.h"
#include "measure/child/child.h"
#include "model/experiment/experiment.h"

/* How the program of one command is started; what no factor sets is as the experiment says. */
struct et_child_treatment {
	/*
	 * The whole environment; et_treatments.base owns the first strings. Variables that a factor
	 * sets follow all others, in the order of the factors, so that they have the same place
	 * under every treatment. It has no number of the run, which would move the stack when it
	 * gets one more digit.
	 */
	char **envp;
	bool sets_cpus;
	cpu_set_t cpus;
	bool sets_policy;
	int policy, priority;
	int nice;
	enum et_aslr aslr;
	bool sets_memory;
	struct et_memory_policy memory;
	char *directory;             /* or NULL */
	char *input;                 /* file for standard input; NULL: that of the experiment */
	uint32_t load;               /* competing processes */
	uint32_t threads;            /* 0: not a factor */
	enum et_placement placement; /* of threads; the choices of its kind have this order */
};

struct et_treatments {
	struct et_child_treatment *list; /* one per command; NULL: the experiment has no design */
	size_t n;
	char **base;        /* variables that no factor sets, which all environments share */
	uint32_t most_load; /* the largest number of competing processes */
};

/* Whether this machine can set a level of a factor of the child; err names the two. */
int et_treatment_check(const char *root, const struct et_design_factor *f, size_t level,
	struct et_error *err) ET_CHECK;
/*
 * Whether the factors of a design can be varied together: no two of them may set the same thing.
 * 0, or -EINVAL with err filled and *factor, unless that is NULL, the later one of them.
 */
int et_treatments_check(
	const struct et_experiment *e, size_t *factor, struct et_error *err) ET_CHECK;

/*
 * Decides for every command of a designed experiment. envp is the environment that its programs
 * would have without a design; allowed are the CPUs that they may use (NULL: not known). 0, or
 * -errno with err filled; then nothing is left. Without a design the list stays NULL.
 */
int et_treatments_make(const char *root, const struct et_experiment *e, char *const *envp,
	const cpu_set_t *allowed, struct et_treatments *out, struct et_error *err) ET_CHECK;
void et_treatments_free(struct et_treatments *t); /* all zero is fine */
/* Puts what the treatment sets into the setup of a child. */
void et_treatment_apply(const struct et_child_treatment *t, struct et_child_setup *setup);

/* Reads a level into the members that its kind sets, if any. The variables are not among them. */
int et_treatment_read_level(const char *root, const struct et_design_factor *f, const char *text,
	struct et_child_treatment *t, struct et_error *err) ET_CHECK;

/* The variable that the factor sets; environment-size has one of ours if the plan names none. */
const char *et_treatment_variable(const struct et_design_factor *f);
