/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges two commands that ran side by side. For programs of one kind the verdict is that of the
 * pairs, and the ratio alone is derived from it (et_alone_of). Programs of different kinds cost
 * each other unequal time, so that pairs of equally fast programs differ: they are judged by their
 * solo runs. Two signs tell the kinds apart: their footprints, and pairs that contradict the solos
 * by far more than chance explains.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/estimate.h"

/* The load that a program puts on the machine; NaN: not known. */
struct et_footprint {
	double memory; /* median of peak memory, bytes */
	double faults; /* median of page faults: pages that a run touches first */
	double system; /* share of system time in CPU time */
	double cpu_ns; /* mean CPU time */
};

/* Reads the solo runs, or the duets if there are no others. */
struct et_footprint et_footprint_of(const struct et_command *c);
/* Returns the figure that shows different kinds, such as "peak memory"; NULL: none does. */
const char *et_footprints_differ(const struct et_footprint f[2]);

struct et_duets {
	const double *pairs; /* log ratios b/a in order of execution, at least one */
	size_t n_pairs;
	bool overlapped;       /* the two ran at the same time, not one after the other */
	uint64_t metronome_ns; /* 0: the scheduler alternated them */
	const double *solos;   /* log ratios of solo runs of the same round */
	size_t n_solos;
	/* Of a and b: log ratios of the same program beside the other one and alone, of a round. */
	const double *company[2];
	size_t n_company[2];
	struct et_footprint footprints[2]; /* of a and b */
};

/* Fills a contrast, of which the commands, the metric and the level are set. */
void et_judge_duets(const struct et_duets *d, struct et_contrast *out);

/*
 * The ratio of two programs when each runs alone, from pairs that ran side by side on one CPU. The
 * solo runs of the same experiment check it.
 *
 * Sharing a CPU costs both programs about the same time, but the longer one only for as long as the
 * shorter one lives. The ratio r of the pairs (longer by shorter) is therefore too near to 1: alone
 * it is 1 + (r - 1)(1 + kappa), with kappa the cost of company relative to the shorter program. The
 * solo runs are not diluted, but too noisy to measure kappa where the programs are nearly equal. So
 * kappa is a constant that was measured over many pairs of programs, taken to be as uncertain as
 * it is large, and the solo runs correct it as far as they know better. Only programs that share a
 * cache and need all of it lose several times as much, and this is seen: then kappa is what the
 * shorter program took beside the other one, above what it took alone. They are noisier than the
 * pairs by a factor of 3 to 4, so that a mean of both would be less accurate than the pairs; but
 * where the two disagree by more than their uncertainties, the uncertainty of the result grows in
 * proportion (R. T. Birge, Phys. Rev. 40, 207, 1932). doc/duets.md has the measurements.
 */

/* The logarithm of a ratio with its interval, which is NaN if it is not known. */
struct et_log_ratio {
	size_t n; /* pairs that it comes from; 0: nothing is known */
	double estimate, lo, hi;
};

/*
 * Limits of |z|. Beyond the first, which chance exceeds in 1 of 20 comparisons, the widened
 * interval decides instead of the pairs. Beyond the second, which it exceeds in 1 of 16,000, the
 * programs are taken to be of different kinds.
 */
#define ET_ALONE_DOUBTFUL 2.0
#define ET_ALONE_CONTRADICTED 4.0

struct et_alone {
	struct et_log_ratio corrected; /* the pairs without dilution */
	struct et_log_ratio ratio; /* with what the solos know of kappa, widened by |z| above 1 */
	/* Corrected pairs less solos in standard uncertainties, a normal deviate; NaN: no solos. */
	double z;
	double p; /* that the ratio is 1, by the widened interval; NaN: the pairs decide */
};

/* Returns kappa for pairs that alternated at this beat; 0: by the scheduler's slices. */
double et_dilution(uint64_t metronome_ns);

/* The cost of company as a share of the shorter program, and its standard uncertainty. */
struct et_kappa {
	double value, doubt;
};

/* The intervals have this level, and serial dependence has widened them already. */
struct et_alone et_alone_of(const struct et_log_ratio *pairs, const struct et_log_ratio *solos,
	struct et_kappa kappa, double level);
