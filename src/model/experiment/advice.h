/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Advises how to time a program of a given length: the experimental protocol of Bryant & O'Hallaron
 * (Computer Systems, "Measuring program execution time"), with bounds that follow from what was
 * measured on this machine under its present load. These are pure functions of the facts that they
 * are given.
 */
#pragma once

#include "model/experiment/experiment.h"

/* The time that runs of a length lose to others, as proportions of the length. */
struct et_length_facts {
	double seconds;
	double fits; /* proportion of the runs that lose at most ET_ADVICE_LOSS */
	double best; /* the loss that a fifth of the runs does not exceed */
	double mean; /* the mean loss */
};

#define ET_ADVICE_LOSS 0.01
#define ET_ADVICE_FITS                                                                             \
	0.2 /* the K fastest are good if at least this proportion of the runs fits                 \
	     */

/* A fact that is not known is NaN. */
struct et_timing_facts {
	const char *clock; /* of elapsed time, found sound and cycle-based; NULL: there is none */
	double clock_ns;   /* its step and the cost of a reading together */
	const char *cpu_clock; /* of a process's CPU time, found sound; NULL: there is none */
	bool cpu_ticks;        /* it counts ticks */
	double cpu_step_ns;    /* its resolution */
	double cpu_latency_ns; /* the cost of reading it */
	double cpu_excess;  /* proportion of interrupts and others' time that it counts as well */
	double tick_ns;     /* interval of the timer interrupt */
	double timer_ns;    /* its cost */
	double timer_doubt; /* half of the range in which the cost may be, relative to it */
	const struct et_length_facts *lengths; /* measured, ascending */
	size_t n_lengths;
};

struct et_advice {
	double from_s, to_s; /* INFINITY: no end */
	const char
		*method; /* "kbest", "kbest-compensated", "cpu-time", "elapsed", "ticks", "none" */
	const char *clock;         /* the one to read, or NULL with "none" */
	enum et_protocol protocol; /* the one that `run --protocol auto` chooses */
	/* Relative, where it is largest: for K-best at to_s, else at from_s. NaN with "none". */
	double error;
	char why[320];
};

enum { ET_ADVICE_MOST = 8 };

/* Advises for a program that takes this many seconds. */
void et_advise(const struct et_timing_facts *f, double seconds, struct et_advice *out);
/*
 * Advises for all lengths: fills ranges that follow each other, from 0 to INFINITY, and returns
 * their number; 0 if no length was measured. The bounds are the lengths at which another method
 * becomes at least twice as accurate.
 */
size_t et_advise_all(const struct et_timing_facts *f, struct et_advice out[ET_ADVICE_MOST]);

/* The protocol of an experiment. The first warm-up runs decide it if it is auto. */
struct et_choice {
	enum et_protocol protocol; /* never auto */
	bool automatic;            /* the warm-up runs decided: the rest is filled */
	double seconds;            /* the longest command's fastest warm-up run */
	double fits; /* proportion of undisturbed warm-up runs, the least of all commands */
	bool loaded; /* the warm-up runs waited for a CPU that others used */
	char why[400];
};

struct et_choice et_protocol_choose(const struct et_experiment *e);
