/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon fit` of models of growth. */
#include "app/fit/fit.h"
#include "app/fit/view.h"
#include "base/alloc.h"
#include "cli/outputs.h"

#include <errno.h>
#include <string.h>

static int check_prediction(const struct et_fit_request *r, const struct et_growth *g,
	const char *name, struct et_error *err)
{
	double largest = g->points[g->n - 1].size;
	struct et_growth_value at;

	for (size_t i = 0; i < r->n_predict; i++) {
		double size = r->predict[i];

		if (!(size > 0))
			return et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--predict %.6g: a size must be above 0", size);
		if (size > ET_GROWTH_FAR * largest)
			return et_hint(err,
				et_fail(err, ERANGE, ET_EXIT_USAGE,
					"--predict %.6g is more than %d times the largest size of "
					"'%.200s' (%.6g)",
					size, ET_GROWTH_FAR, name, largest),
				"measure a size of at least %.6g", size / ET_GROWTH_FAR);
		et_growth_at(g, size, &at);
		if (!(at.hi < 1e30))
			return et_hint(err,
				et_fail(err, ERANGE, ET_EXIT_USAGE,
					"--predict %.6g: the time is beyond all bounds by %s", size,
					et_growth_names[g->best]),
				"predict a smaller size");
	}
	return 0;
}

static int fit_growth(const struct et_fit_request *r, const struct et_points *p,
	struct et_fit_view *out, struct et_error *err)
{
	*out = (struct et_fit_view){
		.points = p, .predict = r->predict, .n_predict = r->n_predict
	};
	switch (et_growth_fit(p->x, p->y, p->n, r->level, &out->growth)) {
	case ET_GROWTH_FEW_SIZES:
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"'%.200s' has fewer than %d different sizes, too few to tell "
				"models "
				"apart",
				p->name, ET_GROWTH_SIZES_LEAST),
			"measure at least %d sizes over a wide range, each twice as large as the "
			"one before",
			ET_GROWTH_SIZES_LEAST);
	case ET_GROWTH_FEW_SAMPLES:
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"'%.200s' has only %zu runs, and at least %d are needed", p->name,
				p->n, ET_GROWTH_SAMPLES_LEAST),
			"repeat each size, or measure more sizes");
	default:
		return check_prediction(r, &out->growth, p->name, err);
	}
}

static void show_growth(const struct et_cli *cli, const struct et_fit_request *r,
	const struct et_fit_view *list, size_t n)
{
	struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_json w;

	et_json_init(&w, stdout, 2);
	if (r->json && n > 1) {
		et_json_object(&w, NULL);
		et_json_array(&w, "series");
	}
	for (size_t i = 0; i < n; i++) {
		if (r->json)
			et_fit_json(&list[i], &w);
		else
			et_fit_text(&list[i], &page);
		if (!r->json && n > 1)
			putchar('\n');
	}
	if (r->json && n > 1) {
		et_json_end(&w);
		et_json_end(&w);
	}
	if (!r->json && n > 1)
		et_fit_compare_text(list, n, &page);
}

struct fits {
	const struct et_fit_view *list;
	size_t n;
};

static void write_svg(const void *ctx, FILE *out)
{
	const struct fits *all = ctx;

	et_fit_svg(all->list, all->n, out);
}

static void write_page(const void *ctx, FILE *out)
{
	const struct fits *all = ctx;

	et_fit_page(all->list, all->n, out);
}

int et_fit_growth(const struct et_cli *cli, const struct et_fit_request *r,
	const struct et_points_set *set, struct et_error *err)
{
	ET_AUTO_FREE struct et_fit_view *list = et_calloc(set->n, sizeof(*list));
	const struct fits all = { list, set->n };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < set->n; i++)
		rc = fit_growth(r, &set->list[i], &list[i], err);
	if (rc == 0)
		rc = et_output_write(r->svg, "svg", write_svg, &all, err);
	if (rc == 0)
		rc = et_output_write(r->report, "report", write_page, &all, err);
	if (rc == 0) {
		show_growth(cli, r, list, set->n);
		rc = et_cli_close_output(stdout, "-", err);
	}
	for (size_t i = 0; i < set->n; i++)
		et_growth_free(&list[i].growth);
	return rc;
}
