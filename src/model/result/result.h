/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of one experiment: what stats computes from its samples and report prints. */
#pragma once

#include "model/experiment/advice.h"
#include "model/result/estimate.h"
#include "model/sample/metric_choice.h"

/*
 * Runs while the machine was fast and runs while it was slow, by the probe; slow is 0 if only one
 * state was seen: fewer than 3 runs in the other, or their times do not differ
 * (stats/compare/pace.h). The means are of the judged metric, and NaN for a state that this
 * command did not meet. Slow runs are counted whether or not they were removed.
 */
struct et_states {
	size_t fast, slow;
	double fast_mean, slow_mean;
};

/*
 * How EMP's second check (two-sigma) changed the mean of the judged metric. The check removes
 * values because of themselves, so the mean moves wherever they are not symmetric: people should
 * see by how much. mean_before is 0 unless the protocol was EMP.
 */
struct et_second_check {
	size_t removed;                 /* values */
	double mean_before, mean_after; /* ns */
	double change;                  /* mean_after / mean_before - 1 */
};

/* The results of one command. */
struct et_command_result {
	const struct et_command *command; /* of the experiment, which outlives the result */
	bool reference;                   /* the other commands are compared with it */
	enum et_arrangement arrangement;  /* of the samples that the estimates come from */
	enum et_metric metric;            /* that is judged */
	/* Judged metrics are filled; n == 0 when no sample counts. */
	struct et_estimate estimate[ET_METRICS];
	/* The same with the samples that rules removed; n == 0 when they removed none. */
	struct et_estimate before[ET_METRICS];
	struct et_paced paced;
	struct et_kbest_result kbest;
	struct et_states states;
	struct et_full_speed full_speed; /* of the judged metric */
	struct et_second_check second_check;
	struct et_warnings warnings; /* about the command as a whole */
	size_t removed;
	const struct et_contrast *contrast; /* with the reference; NULL when there is none */
};

/* The metric to report: elapsed time where the chosen one is not known, as in imported series. */
enum et_metric et_result_metric(const struct et_command_result *r);
const struct et_estimate *et_result_estimate(const struct et_command_result *r);
/* K-best's answer, which replaces the mean; NULL when the protocol was another one. */
const struct et_kbest_result *et_result_kbest(const struct et_command_result *r);

struct et_steps;

struct et_judgement {
	struct et_choice choice;        /* of the protocol */
	struct et_metric_choice metric; /* that is judged, and why */
	struct et_command_result *commands;
	size_t n_commands;
	struct et_contrast *contrasts; /* one per command other than the reference */
	/* The same by the other time, in the same order; NULL if it was not computed. */
	struct et_contrast *second;
	size_t n_contrasts;
	struct et_gate gate;         /* of the plan; without contrasts there is none */
	struct et_warnings warnings; /* about the machine */
	/* The steps of `etalon emp`, which owns them; NULL: another command measured. */
	const struct et_steps *steps;
};

void et_judgement_free(struct et_judgement *j); /* what it owns */
