/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result/profile_result.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double et_profile_widest(const struct et_profile_result *r, double least_share)
{
	double widest = NAN;

	for (size_t i = 0; i < r->n_rows && r->rows[i].share >= least_share; i++) {
		const struct et_span *s = &r->rows[i].share_interval;
		if (isnan(s->hi - s->lo))
			return NAN;
		widest = fmax(widest, (s->hi - s->lo) / 2);
	}
	return widest;
}

void et_profile_result_free(struct et_profile_result *r)
{
	for (size_t i = 0; i < r->n_rows; i++)
		et_warnings_free(&r->rows[i].warnings);
	free(r->rows);
	et_warnings_free(&r->total.warnings);
	et_warnings_free(&r->warnings);
	memset(r, 0, sizeof(*r));
}

void et_profile_comparison_free(struct et_profile_comparison *c)
{
	for (size_t i = 0; i < c->n_rows; i++)
		et_warnings_free(&c->rows[i].contrast.warnings);
	free(c->rows);
	et_warnings_free(&c->total.contrast.warnings);
	et_warnings_free(&c->warnings);
	memset(c, 0, sizeof(*c));
}
