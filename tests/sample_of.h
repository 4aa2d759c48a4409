/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples of a command, for tests that look at them or change them. */
#pragma once

#include "model/experiment/experiment.h"

/* Sample i. Tests may also change it, although most have a constant command. */
static inline struct et_sample *sample_of(const struct et_command *c, size_t i)
{
	return et_samples_edit((struct et_samples *)(uintptr_t)&c->samples, i);
}
