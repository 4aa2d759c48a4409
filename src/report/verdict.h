/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdict of a comparison in one line, for `run` and `show`. */
#pragma once

#include "model/result/result.h"

/*
 * "[2] is slower than [1] by 44 % (40 … 48)", where the two commands are called b and a. The caller
 * frees it.
 */
char *et_verdict_text(const struct et_contrast *c, const char *b, const char *a)
	__attribute__((malloc, returns_nonnull));
/*
 * Which time was compared and why, by how many pairs, at which level: "elapsed time (2 keeps 1.9
 * CPUs busy), 10 pairs, 95 %". `decisive` is what the command that decided the time is called. The
 * caller frees it.
 */
char *et_verdict_basis(const struct et_metric_choice *choice, const struct et_contrast *c,
	const char *decisive) __attribute__((malloc, returns_nonnull));
/*
 * Why elapsed time is judged: "it keeps 1.9 CPUs busy"; NULL if nothing needs an explanation. The
 * caller frees it.
 */
char *et_metric_reason_text(const struct et_metric_choice *choice, const char *who);
/* The style of a verdict on a terminal; NULL if no difference is shown. */
const char *et_verdict_style(const struct et_contrast *c);
