/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analyses designed experiments: effects and interactions with intervals, the share of the
 * variation that each explains, tests of them, checks of the residuals, and all pairs of treatments
 * per program with Holm's correction.
 */
#pragma once

#include "base/error.h"
#include "model/design/result.h"
#include "model/experiment/experiment.h"

struct et_doe_options {
	double alpha, level;
	int method; /* of enum et_doe_method; -1: the residuals decide */
	bool no_pairs;
};

/*
 * Whether two experiments are of one machine: by the nodes of parts of campaigns, else by the
 * machines' identities, else (imported records may lack them) by the names of their hosts.
 */
bool et_doe_same_machine(const struct et_experiment *a, const struct et_experiment *b);
/* The machines of experiments. */
struct et_doe_machines {
	char **names;     /* ends with NULL */
	uint32_t *number; /* of the machine of each experiment, from 0 */
	size_t n;
	bool population; /* they stand for many: see struct et_doe_result */
};
struct et_doe_machines et_doe_machines_of(const struct et_experiment *const *experiments, size_t n);
void et_doe_machines_free(struct et_doe_machines *m); /* what it owns */

/*
 * Analyses one or several experiments of the same plan; several of one machine belong together. If
 * every machine ran the whole design, machines stand for many: effects are tested against their
 * variation from machine to machine. The machines of a campaign that divided the rounds of a design
 * among them are blocks, and effects are those on these machines. The first experiment owns the
 * design that the result refers to. Fails if their designs differ, or nothing counts.
 */
int et_doe_analyse(const struct et_experiment *const *experiments, size_t n,
	const struct et_doe_options *o, struct et_doe_result *out, struct et_error *err) ET_CHECK;

/* Applies Holm's correction to the pairs of a program, and counts those that differ. */
void et_doe_conclude_pairs(struct et_doe_program *p, double alpha);
/* Fills r->pairs from the pairs of all programs. */
void et_doe_count_pairs(struct et_doe_result *r);

/*
 * The smallest true effect, over the standard deviation of a run, that the F test of a term finds
 * at alpha with that probability, if n runs of each treatment count. Of a factor with two levels an
 * effect is as in struct et_doe_effect; of more levels it is the difference between the largest and
 * the smallest, where the others are least favourable. For Holm's correction over k terms in the
 * worst case, pass alpha / k. NaN: no degrees of freedom are left; infinite: above all bounds.
 */
double et_doe_smallest_effect(
	const struct et_design *d, uint32_t factors, size_t n, double alpha, double power);
/* The same for the difference of two treatments with n runs each, by Student's t test. */
double et_doe_smallest_difference(size_t n, double alpha, double power);

/* The probabilities with which an effect is to be found. */
enum { ET_DOE_POWERS = 2 };
extern const double et_doe_powers[ET_DOE_POWERS];

/* Terms that are found equally well; effects are in standard deviations of a run. */
struct et_doe_class {
	uint32_t *terms; /* NULL: the pairs of treatments */
	size_t n_terms;
	double alone[ET_DOE_POWERS]; /* without a correction */
	double holm[ET_DOE_POWERS];  /* after Holm's correction, in the worst case */
};

/*
 * Returns the classes of the terms of a design, if this many runs of each treatment count, and last
 * that of pairs, as an array of *n. Designs with too many treatments have no pairs.
 */
struct et_doe_class *et_doe_classes(const struct et_design *d, const uint32_t *terms,
	size_t n_terms, size_t runs, double alpha, size_t *n);
void et_doe_classes_free(struct et_doe_class *classes, size_t n);
