/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One comparison as text and as JSON, for `run`, `show` and `compare`. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/result/estimate.h"

/* "slower by 2.1 % (1.8 … 2.4)": the conclusion in words. The caller frees it. */
char *et_conclusion_text(const struct et_contrast *c);
/* "slower" or "faster" of times, "larger" or "smaller" of other numbers; NULL: not different. */
const char *et_conclusion_word(const struct et_contrast *c);
/* Prints "b vs a: 1.021 × (1.018 … 1.024), slower by 2.1 %" and the warnings about it. */
void et_pair_text(const struct et_page *page, const char *b, const char *a,
	const struct et_contrast *c, bool verbose);
/* Writes an object; a and b are the names of the two series. */
void et_pair_json(struct et_json *w, const char *a, const char *b, const struct et_contrast *c);
/* The same into an object that is open already. */
void et_pair_json_members(
	struct et_json *w, const char *a, const char *b, const struct et_contrast *c);
