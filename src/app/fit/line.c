/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon fit --line`: a straight line through the means at each x. */
#include "app/fit/fit.h"
#include "app/fit/view.h"
#include "base/alloc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { LEAST = 3 };

struct pair {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* Fills out with the mean of y at each x; the caller frees x and y. */
static void average(const struct et_points *p, struct et_fit_line *out)
{
	ET_AUTO_FREE struct pair *pairs = et_calloc(p->n, sizeof(*pairs));
	size_t from = 0;
	double sum = 0;

	out->x = et_calloc(p->n, sizeof(*out->x));
	out->y = et_calloc(p->n, sizeof(*out->y));
	for (size_t i = 0; i < p->n; i++)
		pairs[i] = (struct pair){ p->x[i], p->y[i] };
	qsort(pairs, p->n, sizeof(*pairs), by_x);
	for (size_t i = 0; i < p->n; i++) {
		sum += pairs[i].y;
		if (i + 1 < p->n && pairs[i + 1].x == pairs[i].x)
			continue;
		out->x[out->n] = pairs[i].x;
		out->y[out->n++] = sum / (double)(i + 1 - from);
		from = i + 1;
		sum = 0;
	}
}

static int fit_line(const struct et_fit_request *r, const struct et_points *p,
	struct et_fit_line *out, struct et_error *err)
{
	*out = (struct et_fit_line){ .points = p,
		.level = r->level,
		.predict = r->predict,
		.n_predict = r->n_predict,
		.expect = r->expect };
	average(p, out);
	if (out->n < LEAST)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"'%.200s' has points at %zu different x, and a line with its "
				"uncertainty needs %d",
				p->name, out->n, LEAST),
			"add points at other x");
	et_line_fit(out->x, out->y, out->n, &out->line);
	if (!isfinite(out->line.slope) || !isfinite(out->line.residual_sd))
		return et_fail(err, ERANGE, ET_EXIT_USAGE,
			"'%.200s': the numbers are too large or too close to each other for a line",
			p->name);
	return 0;
}

static int check(const struct et_fit_request *r, struct et_error *err)
{
	if (!isnan(r->expect) && r->n_predict != 1)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "--expect needs one --predict"),
			"use --line --predict X --expect Y");
	return 0;
}

int et_fit_lines(const struct et_cli *cli, const struct et_fit_request *r,
	const struct et_points_set *set, struct et_error *err)
{
	ET_AUTO_FREE struct et_fit_line *list = et_calloc(set->n, sizeof(*list));
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_json w;
	int rc = check(r, err);

	for (size_t i = 0; rc == 0 && i < set->n; i++)
		rc = fit_line(r, &set->list[i], &list[i], err);
	et_json_init(&w, stdout, 2);
	if (rc == 0 && r->json && set->n > 1) {
		et_json_object(&w, NULL);
		et_json_array(&w, "series");
	}
	for (size_t i = 0; rc == 0 && i < set->n; i++) {
		if (r->json)
			et_fit_line_json(&list[i], &w);
		else
			et_fit_line_text(&list[i], &page);
	}
	if (rc == 0 && r->json && set->n > 1) {
		et_json_end(&w);
		et_json_end(&w);
	}
	for (size_t i = 0; i < set->n; i++) {
		free(list[i].x);
		free(list[i].y);
	}
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}
