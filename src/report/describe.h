/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of one series as text and as JSON. The JSON keys must never be renamed. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/result/series.h"
#include "stats/series/describe.h"

/* Which interval of a mean it is, and why it is wider: "Student t widened for skewness". */
const char *et_interval_words(const struct et_estimate *e);
void et_describe_text(const struct et_series *s, const struct et_description *d,
	const struct et_page *page, bool verbose);
/* Writes one object. */
void et_describe_json(struct et_json *w, const struct et_series *s, const struct et_description *d);
