/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ratio of two programs when each runs alone, from pairs that ran side by side on one CPU and
 * from the solo runs of the same experiment.
 *
 * Sharing a CPU costs both programs about the same time, but the longer one only for as long as the
 * shorter one lives. The ratio r of the pairs (longer by shorter) is therefore too near to 1: alone
 * it is 1 + (r - 1)(1 + kappa), with kappa the cost of company relative to the shorter program. The
 * solo runs are not diluted, but too noisy to measure kappa. So kappa is a constant that was
 * measured over many pairs of programs, taken to be as uncertain as it is large; the corrected
 * pairs and the solos are combined by inverse variance; and where the two disagree by more than
 * their uncertainties, the uncertainty of the result grows in proportion (R. T. Birge, Phys. Rev.
 * 40, 207, 1932). doc/duets.md has the measurements.
 */
#ifndef ET_STATS_ALONE_H
#define ET_STATS_ALONE_H

#include <stddef.h>
#include <stdint.h>

/* The logarithm of a ratio with its interval, which is NaN if it is not known. */
struct et_log_ratio {
	size_t n; /* pairs that it comes from; 0: nothing is known */
	double estimate, lo, hi;
};

struct et_alone {
	struct et_log_ratio corrected; /* the pairs without dilution */
	struct et_log_ratio combined;  /* with the solos */
	/* Difference of corrected pairs and solos in standard uncertainties; NaN without solos. */
	double z;
};

/* Returns kappa for pairs that alternated at this beat; 0: by the scheduler's slices. */
double et_dilution(uint64_t metronome_ns);

/* The intervals have this level, and serial dependence has widened them already. */
struct et_alone et_alone_combine(const struct et_log_ratio *pairs, const struct et_log_ratio *solos,
	double kappa, double level);

#endif
