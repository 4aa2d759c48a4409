/* SPDX-License-Identifier: MIT */
/* Shared by the files of num/growth. */
#pragma once

#include "num/growth.h"

/* Times are not exact to more digits than this relative difference. */
#define ET_GROWTH_EXACT 1e-9

/* f(n) of a model over f(unit_size); c is the exponent of the free power. */
double et_growth_f(enum et_growth_model m, double size, double c, double unit_size);
/* Fills the row of the linearised model at a size; returns the number of columns of ls. */
size_t et_growth_row(const struct et_growth *g, enum et_growth_model m, double size, double *row);
/* The uncertainty of the mean at a point: measurement, and the scatter of sizes if it counts. */
double et_growth_sigma(const struct et_growth *g, const struct et_growth_point *p);
/* Fits a model to the points; sets all but aicc and weight. */
void et_growth_fit_model(
	const struct et_growth *g, enum et_growth_model m, struct et_growth_fit *out);
/* Fills the anomalies by the best model. */
void et_growth_find_anomalies(struct et_growth *g);
