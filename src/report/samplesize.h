/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many runs are enough, as text and as JSON. */
#ifndef ET_REPORT_SAMPLESIZE_H
#define ET_REPORT_SAMPLESIZE_H

#include "base/json.h"
#include "model/samplesize.h"
#include "model/series.h"
#include "report/terminal.h"

void et_samplesize_text(
	const struct et_series *s, const struct et_samplesize *z, const struct et_page *page);
void et_samplesize_json(
	struct et_json *w, const struct et_series *s, const struct et_samplesize *z);

#endif
