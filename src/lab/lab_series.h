/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a lab has measured inside this process, as an experiment that the store keeps: a command for
 * each series of times, whose parameters say what was read ("clock"), under which load and for
 * which length. Tables are functions of this record, so that --from prints what was printed.
 */
#ifndef ET_LAB_LAB_SERIES_H
#define ET_LAB_LAB_SERIES_H

#include "model/experiment.h"

/* A record without a series; its id, its host and its label are the caller's to fill. */
struct et_experiment *et_lab_experiment_new(void) __attribute__((malloc, returns_nonnull));
/* One more series: its place among the commands. A load or length of 0 is not said. */
uint32_t et_lab_series_add(
	struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns);
/* What else is to be known of a series. */
void et_lab_series_add_parameter(
	struct et_experiment *e, uint32_t series, const char *name, const char *value);
/* A time of a series, rounded to nanoseconds (negative: 0); cpu_ns is NaN where nobody looked. */
void et_lab_series_add_time(struct et_experiment *e, uint32_t series, double ns, double cpu_ns);
/* A series with its only time. */
void et_lab_series_add_single(
	struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns, double ns);

/* The value of a series' parameter; NULL: it has none of that name. */
const char *et_lab_series_parameter(const struct et_command *c, const char *name);
/* What a series says of itself; false when it is not one of ours. */
bool et_lab_series_case(const struct et_command *c, const char *clock, unsigned *load,
	uint64_t *length_ns) ET_CHECK;
/* The series of a case, NULL: none. */
const struct et_command *et_lab_series_find(
	const struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns);
/* A time of a series, from 0; NaN where there is none, and without a series (NULL). */
double et_lab_series_at(const struct et_command *c, size_t i);
/* The first time of the series of a case; NaN without. */
double et_lab_series_value(
	const struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns);

#endif
