/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what makes the figures of an experiment doubtful, and raises a warning for each. */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/result.h"
#include "num/growth.h"
#include "stats/series/diagnosis.h"

/* About a series of nanoseconds in order of execution: see stats/series/diagnosis.h. */
void et_series_warn(const double *x, size_t n, enum et_diagnosis_use use, struct et_warnings *out);
/* About a command: why its elapsed time is not its CPU time, marks on its samples. */
void et_command_warn(const struct et_experiment *e, enum et_protocol protocol,
	const struct et_command *c, struct et_warnings *out);
/* About runs while the machine was slow, if its states are known to matter (compare/pace.h). */
void et_speed_warn(const struct et_experiment *e, struct et_command_result *r);
/* The share of a command's elapsed time in which it slept or waited for something. */
double et_idle_share(const struct et_command *c);
/* About processes that could not be observed. */
void et_observation_warn(const struct et_experiment *e, struct et_warnings *out);
/* About EMP's first check, if the protocol has it: whether it was done, and with what learning. */
void et_first_check_warn(const struct et_experiment *e, struct et_warnings *out);
/* About the machine, and about what could be observed on it. */
void et_host_warn(const struct et_experiment *e, struct et_warnings *out);

/* The warnings about a fit of num/growth.h. */

/* Adds what speaks against the answer. */
void et_growth_warn(const struct et_growth *g, struct et_warnings *w);
