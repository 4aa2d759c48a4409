/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Advises how to time a program of a given length: the experimental protocol of Bryant & O'Hallaron
 * (Computer Systems, "Measuring program execution time"), applied to the clocks of this machine.
 * These are pure functions of the facts that they are given.
 */
#ifndef ET_MODEL_ADVICE_H
#define ET_MODEL_ADVICE_H

#include "model/experiment.h"

/* A fact that is not known is NaN. */
struct et_timing_facts {
	bool counter;          /* the processor's counter has a fixed rate and CPUs agree on it */
	double tick_ns;        /* interval of the timer interrupt */
	double timer_ns;       /* its smallest cost */
	double cpu_step_ns;    /* resolution of the clock of a process's CPU time */
	double cpu_latency_ns; /* cost of reading it */
};

struct et_advice {
	double from_s, to_s; /* INFINITY: no end */
	bool loaded;         /* other processes want the CPU, too */
	const char
		*method; /* "kbest", "kbest-compensated", "cpu-time", "elapsed", "ticks", "none" */
	const char *clock;         /* the one to read, or NULL with "none" */
	enum et_protocol protocol; /* the one that `run --protocol auto` chooses */
	char why[320];
};

enum { ET_ADVICE_LENGTHS = 3 }; /* under 10 ms, 10 ms to 1 s, above */

/* Advises for a program that takes this many seconds, on an idle or a loaded machine. */
void et_advise(const struct et_timing_facts *f, double seconds, bool loaded, struct et_advice *out);
/* Advises for one of the ET_ADVICE_LENGTHS lengths, counted from 0. */
void et_advise_length(
	const struct et_timing_facts *f, size_t length, bool loaded, struct et_advice *out);

/* The protocol of an experiment. The first warm-up runs decide it if it is auto. */
struct et_choice {
	enum et_protocol protocol; /* never auto */
	bool automatic;            /* the warm-up runs decided: the rest is filled */
	double seconds;            /* the longest command's fastest warm-up run */
	bool loaded;               /* the warm-up runs waited for a CPU that others used */
	char why[400];
};

struct et_choice et_protocol_choose(const struct et_experiment *e);

#endif
