/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the text and the JSON of `doe plan`. */
#pragma once

#include "app/doe/view_plan.h"

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
 * Returns the classes of the outlook's terms, and last that of pairs, as an array of *n. Designs
 * with too many treatments have no pairs.
 */
struct et_doe_class *et_doe_classes(const struct et_doe_outlook *o, size_t *n);
void et_doe_classes_free(struct et_doe_class *classes, size_t n);
/* "effects", "main effects", "interactions", "work", "pairs". The caller frees it. */
char *et_doe_class_label(const struct et_doe_outlook *o, const struct et_doe_class *c);
/* The largest of the smallest effects of factors, or of all terms if no factor is among them. */
double et_doe_main_effect(const struct et_doe_class *classes, size_t n, int power);
/* The standard deviation of a program's runs over their mean; NaN: not known. */
double et_doe_relative_sd(const struct et_doe_outlook *o, size_t program);

/* A text that `doe run` executes: a command, a build, or a hook of commands. */
struct et_doe_executed {
	const char *what; /* the program, "build" or "--prepare" */
	const char *text; /* as in the plan, or with the levels of a treatment */
};
/* Each text once. The caller frees the list, but not the texts, which are of e. */
struct et_doe_executed *et_doe_executed(const struct et_experiment *e, size_t *n);
/* Whether a command has hooks of its own. */
bool et_doe_has_hooks(const struct et_experiment *e);
