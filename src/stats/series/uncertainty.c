/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/uncertainty.h"

#include "num/student.h"

#include <math.h>

struct et_combined et_combine(const struct et_component *parts, size_t n, double level)
{
	struct et_combined out = { 0 };
	double rest = 0;

	for (size_t i = 0; i < n; i++)
		out.u = hypot(out.u, parts[i].c * parts[i].u);
	for (size_t i = 0; i < n;
		i++) /* each as a part of the whole: no overflow of the 4th power */
		rest += pow(parts[i].c * parts[i].u / out.u, 4) / parts[i].df;
	out.df = 1 / rest;
	out.k = et_qt((1 + level) / 2, out.df);
	out.expanded = out.k * out.u;
	return out;
}

double et_resolution_uncertainty(double step)
{
	return step / sqrt(12);
}
