/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times that lab has measured inside this process, as an experiment that the store can keep. Each
 * series of times is a command of the experiment. Its parameters are "clock", which names what was
 * measured, and the load and length of the measured function. The tables are computed from the
 * experiment alone, so `lab --from` prints the same tables again.
 */
#ifndef ET_LAB_LAB_SERIES_H
#define ET_LAB_LAB_SERIES_H

#include "model/experiment.h"

/* Returns an experiment without series. The caller fills in id, host and label, and frees it. */
struct et_experiment *et_lab_experiment_new(void) __attribute__((malloc, returns_nonnull));
/*
 * Adds a series and returns its index among the commands. A load of 0 means that the series has
 * neither load nor length.
 */
uint32_t et_lab_series_add(
	struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns);
/* Adds a further parameter to a series. */
void et_lab_series_add_parameter(
	struct et_experiment *e, uint32_t series, const char *name, const char *value);
/* Adds a time, rounded to ns; a negative one becomes 0. cpu_ns is NaN if it was not measured. */
void et_lab_series_add_time(struct et_experiment *e, uint32_t series, double ns, double cpu_ns);
/* Adds a series of one time. */
void et_lab_series_add_single(
	struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns, double ns);

/* Was the experiment made by et_lab_series_add, so that its commands are no programs? */
bool et_lab_series_only(const struct et_experiment *e);
/* Returns the value of a parameter, or NULL. */
const char *et_lab_series_parameter(const struct et_command *c, const char *name);
/* Reads load and length of a series, 0 if it has none; false if it is not of that clock. */
bool et_lab_series_case(const struct et_command *c, const char *clock, unsigned *load,
	uint64_t *length_ns) ET_CHECK;
/* Returns the series of that clock, load and length, or NULL. */
const struct et_command *et_lab_series_find(
	const struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns);
/* Returns the i-th time, counted from 0; NaN if there is none or the series is NULL. */
double et_lab_series_at(const struct et_command *c, size_t i);
/* Returns the first time of the series of that clock, load and length, or NaN. */
double et_lab_series_value(
	const struct et_experiment *e, const char *clock, unsigned load, uint64_t length_ns);

#endif
