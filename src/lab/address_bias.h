/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bias by address (NIST TN 1826, section 8): a function of equal instructions should be sampled
 * alike at each of them.
 */
#pragma once

#include "model/experiment/experiment.h"

enum { ET_BIAS_ADDRESSES = 257, ET_BIAS_RESIDUES = 16 };

struct et_chi_square {
	double statistic, df, p; /* NaN without samples */
};

struct et_address_bias {
	size_t runs;
	uint64_t inside;                             /* samples in the function */
	uint64_t elsewhere;                          /* in the program and in the kernel */
	uint64_t kernel;                             /* of those elsewhere */
	uint64_t addresses[ET_BIAS_ADDRESSES];       /* by instruction */
	uint64_t residues[ET_BIAS_RESIDUES];         /* of the instruction's number modulo 16 */
	size_t hit;                                  /* addresses with at least one sample */
	struct et_chi_square by_address, by_residue; /* against equal shares */
};

/*
 * Counts the samples of a command by address. The functions of its profile are named NAME+0xOFFSET;
 * `step` is the length of an instruction in bytes.
 */
void et_address_bias_judge(const struct et_experiment *e, uint32_t command, const char *function,
	unsigned step, struct et_address_bias *out);
