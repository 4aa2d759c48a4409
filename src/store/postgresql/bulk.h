/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds all samples of an experiment by COPY. Private to src/store. */
#pragma once

#include "store/core/handle.h"

/*
 * Adds the samples and their culprits to the experiment that s->key names, in the open transaction.
 * The number of round trips to the server does not depend on the number of samples.
 */
int et_bulk_samples(
	struct et_store *s, const struct et_experiment *e, struct et_error *err) ET_CHECK;
