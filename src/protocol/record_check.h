/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares a stored experiment with its plan before it is resumed. The store checks each value
 * alone; a record that was edited or made up can still place its samples where the plan has no
 * runs, or have nothing to run.
 */
#pragma once

#include "model/experiment/experiment.h"

/* The highest number of an execution. With as many again, an order still fits into 32 bits. */
enum { ET_MOST_ORDERS = 1000000000 };

/* Names the first part that etalon would not have written; NULL if the driver can continue it. */
const char *et_record_check(const struct et_experiment *e) ET_CHECK;
