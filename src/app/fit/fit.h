/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon fit`. */
#pragma once

#include "base/json.h"
#include "draw/table.h"
#include "model/result/series.h"
#include "num/line.h"
#include "source/gather.h"
#include "stats/series/warnings.h"

enum { ET_FIT_PREDICTIONS = 64, ET_FIT_SERIES = 26 };

struct et_fit_request {
	bool json, line;
	double level;
	const char *parameter, *size; /* of an experiment; of a table */
	const char *svg, *report;
	double predict[ET_FIT_PREDICTIONS];
	size_t n_predict;
	double expect; /* a value to compare with the first prediction; NaN: none */
	int unit;      /* of the times of a table; 0: by the heading, or seconds */
	struct et_gather gather;
};

/* Adds the points of an operand: "-", a file if it exists, else a stored experiment. */
int et_fit_add(const struct et_cli *cli, const struct et_fit_request *r, const char *operand,
	struct et_points_set *out, struct et_error *err) ET_CHECK;

/* How time grows with the size of the input: the answer first, then models and predictions. */
struct et_fit_view {
	const struct et_points *points;
	const struct et_fit_request *r; /* what to predict and to expect, and the level of a line */
	struct et_growth growth;
	/* With --line: a straight line through the means at each x. */
	double *x, *y; /* means; owned by the caller */
	size_t n;
	struct et_line line;
};

struct et_fit_list {
	const struct et_fit_view *views;
	size_t n;
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
/* Both take a struct et_fit_list. */
void et_fit_svg(const void *list, FILE *out);
void et_fit_page(const void *list, FILE *out);

/* The same of lines. */
void et_fit_line_text(const struct et_fit_view *v, const struct et_page *page);
void et_fit_line_json(const struct et_fit_view *v, struct et_json *w);
