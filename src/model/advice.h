/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which method for a program of which length: the experimental protocol of Bryant & O'Hallaron
 * (Computer Systems, "Measuring program execution time"), decided anew from what the clocks of a
 * machine are worth. Pure: facts in, advice out.
 */
#ifndef ET_MODEL_ADVICE_H
#define ET_MODEL_ADVICE_H

#include "model/experiment.h"

/* What is not known is NaN. */
struct et_timing_facts {
	bool counter;          /* the processor's counter has a fixed rate and CPUs agree on it */
	double tick_ns;        /* interval of the timer interrupt */
	double timer_ns;       /* its smallest cost */
	double cpu_step_ns;    /* of the process's CPU time clock */
	double cpu_latency_ns; /* of reading it */
};

struct et_advice {
	double from_s, to_s; /* INFINITY: no end */
	bool loaded;         /* others want the CPU, too */
	const char
		*method; /* "kbest", "kbest-compensated", "cpu-time", "elapsed", "ticks", "none" */
	const char *clock;         /* to be read, or NULL with "none" */
	enum et_protocol protocol; /* what `run --protocol auto` takes */
	char why[320];
};

enum { ET_ADVICE_LENGTHS = 3 }; /* under 10 ms, 10 ms to 1 s, above */

/* For a program that takes so long, on an idle or a loaded machine. */
void et_advise(const struct et_timing_facts *f, double seconds, bool loaded, struct et_advice *out);
/* The same for each of the lengths, from 0. */
void et_advise_length(
	const struct et_timing_facts *f, size_t length, bool loaded, struct et_advice *out);

/* What an experiment's protocol is, decided by its first warm-up runs where it is auto. */
struct et_choice {
	enum et_protocol protocol; /* never auto */
	bool automatic;            /* the rest is filled */
	double seconds;            /* the longest command's fastest warm-up run */
	bool loaded;               /* it waited for a CPU that others used */
	char why[400];
};

struct et_choice et_protocol_choose(const struct et_experiment *e);

#endif
