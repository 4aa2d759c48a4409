/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much CPU time a command uses, by its first solo runs: whether two of them can overlap. */
#pragma once

#include "model/experiment/experiment.h"

enum { ET_USUAL_FIRST = 9 };

struct et_usual {
	uint64_t cpu_ns[ET_USUAL_FIRST]; /* warm-up included */
	size_t n;
	bool parallel; /* it used more CPU time than elapsed time */
	bool scouted;  /* this is only of a scouted run */
};

/* Samples of duets, and those without CPU time, are left out. */
void et_usual_learn(struct et_usual *u, const struct et_sample *s);
/* The median, which one disturbed run does not move; 0 if there is no run. */
uint64_t et_usual_cpu_ns(const struct et_usual *u);
/*
 * A time slice ends at a timer tick at the earliest and lasts some milliseconds on large machines:
 * shorter programs would not alternate.
 */
uint64_t et_slice_ns(const struct et_host *host);
/*
 * Whether one more run must show how long a command takes: it was scouted so far, and is near the
 * length from which on two run at the same time. Scouting makes a run up to some times as long.
 */
bool et_usual_is_unclear(const struct et_usual *u, const struct et_host *host);
