/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How time grows with the size of the input: the answer first, then models and predictions. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/result/points.h"
#include "num/line.h"
#include "stats/series/warnings.h"

struct et_fit_view {
	const struct et_points *points;
	struct et_growth growth;
	const double *predict; /* sizes to predict */
	size_t n_predict;
};

/* The growth to the size that the answer states: ten times the largest, or one more for 2ⁿ. */
struct et_fit_answer {
	double from, to;
	struct et_growth_value ratio;
};

struct et_fit_answer et_fit_answer(const struct et_fit_view *v);
/* "time grows as n log n (weight 0.97); 10 times the input takes …". The caller frees it. */
char *et_fit_sentence(const struct et_fit_view *v);
/* "lack of fit, p = 0.003", "would need a negative factor", or "". */
const char *et_fit_objection(const struct et_growth_fit *f, char buf[64]);
/* The models by descending weight; those that are no candidates come last. */
void et_fit_order(const struct et_growth *g, enum et_growth_model order[ET_GROWTH_MODELS]);
/* "n^1.52" for the free power, else the model's name. Returns buf. */
const char *et_fit_name(const struct et_growth *g, enum et_growth_model m, char buf[64]);

void et_fit_text(const struct et_fit_view *v, const struct et_page *page);
/* Compares several series: which grows fastest. */
void et_fit_compare_text(const struct et_fit_view *list, size_t n, const struct et_page *page);
void et_fit_json(const struct et_fit_view *v, struct et_json *w);
void et_fit_plot(const struct et_fit_view *v, const struct et_page *page);
void et_fit_svg(const struct et_fit_view *list, size_t n, FILE *out);
void et_fit_page(const struct et_fit_view *list, size_t n, FILE *out);

/* A straight line through the means at each x. */
struct et_fit_line {
	const struct et_points *points;
	double *x, *y; /* means; owned by the caller */
	size_t n;
	struct et_line line;
	double level;
	const double *predict;
	size_t n_predict;
	double expect; /* a value to compare with the first prediction; NaN: none */
};

void et_fit_line_text(const struct et_fit_line *l, const struct et_page *page);
void et_fit_line_json(const struct et_fit_line *l, struct et_json *w);
