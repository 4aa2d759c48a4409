/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which time an experiment is judged by. CPU time is the better answer for a program that runs on
 * one CPU, because other programs hardly change it. It says nothing about a program that uses
 * several CPUs to finish earlier, or about the time in which a program sleeps or waits. There
 * elapsed time is the answer. The solo runs show which case it is.
 */
#pragma once

#include "model/experiment/experiment.h"

/* Why a metric is judged. */
enum et_metric_reason {
	ET_METRIC_BY_USER,
	ET_METRIC_BY_DEFAULT, /* CPU time: no command uses several CPUs or waits */
	ET_METRIC_PARALLEL,   /* elapsed time: a command keeps more than one CPU busy */
	ET_METRIC_WAITS,      /* elapsed time: a command sleeps or waits for part of its time */
	ET_METRIC_WANTS_CPUS, /* elapsed time: it would use several CPUs if they were free */
};

extern const char *const et_metric_reason_names[]; /* in JSON; NULL ends the list */

struct et_metric_choice {
	enum et_metric metric;
	enum et_metric_reason reason;
	uint32_t command; /* that decided, if one did */
	double amount;    /* CPUs that it keeps busy, or the share of its time that it waits */
};

/*
 * Decides anew by the samples, if the experiment leaves it to them. All solo runs vote that did not
 * fail and were not stopped; warm-up runs vote only while there are no others. The median over the
 * runs of a command counts, so that the answer does not depend on a single run, nor on the rules
 * that remove samples. One command that is parallel or waits decides for all of them: they are
 * compared with each other.
 */
struct et_metric_choice et_metric_choose(const struct et_experiment *e);

/* The same by the samples alone that were taken before the one with this place.order. */
struct et_metric_choice et_metric_choose_before(const struct et_experiment *e, uint32_t order);

/* Makes e->metric the metric that et_metric_choose chooses. */
void et_metric_settle(struct et_experiment *e);
