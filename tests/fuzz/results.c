/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fuzz target of `doe import`. */
#include "store/import/results.h"
#include "app/doe/view.h"
#include "base/base.h"
#include "fuzz.h"
#include "stats/doe/doe.h"

#include <string.h>

static const struct et_results_options options = { .name = "FILE", .label = "x", .wall_ns = 1 };

static size_t runs_of(const struct et_experiment *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_commands; i++)
		n += e->commands[i].samples.n;
	return n;
}

/* Exported and read again, it has the same treatments and runs. */
static void export_again(const struct et_experiment *e)
{
	struct et_experiment *back = NULL;
	struct et_error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	et_doe_csv(&e, 1, out);
	fclose(out);
	FUZZ_CHECK(et_results_read(text, size, &options, &back, &err) == 0);
	FUZZ_CHECK(back->design->n_treatments == e->design->n_treatments);
	FUZZ_CHECK(back->design->n_programs == e->design->n_programs);
	FUZZ_CHECK(runs_of(back) == runs_of(e));
	et_experiment_free(back);
	free(text);
}

static void analyse(const struct et_experiment *e)
{
	const struct et_doe_options o = { .alpha = 0.05, .level = 0.95, .method = -1 };
	struct et_doe_result result = { 0 };
	struct et_error err;
	struct et_json w;
	char *text = NULL;
	size_t size;

	if (et_doe_analyse(&e, 1, &o, &result, &err))
		return;
	struct et_doe_view v = { .result = &result,
		.experiments = &e,
		.n_experiments = 1,
		.verbose = true,
		.tables = true };
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 80 };
	et_doe_text(&v, &page);
	et_json_init(&w, out, 0);
	et_doe_json(&v, &w);
	et_doe_svg(&v, out);
	et_doe_page(&v, out);
	et_doe_r((const struct et_experiment *const *)&e, 1, "data.csv", out);
	fclose(out);
	free(text);
	et_doe_result_free(&result);
}

static int fuzz_results(const uint8_t *data, size_t size)
{
	struct et_experiment *e = NULL;
	struct et_error err;

	if (et_results_read((const char *)data, size, &options, &e, &err))
		return 0;
	const struct et_design *d = e->design;
	FUZZ_CHECK(e->n_commands == d->n_treatments * d->n_programs);
	FUZZ_CHECK(d->discard < d->replications);
	for (size_t i = 0; i < d->n_factors; i++)
		FUZZ_CHECK(d->factors[i].n_levels >= 2);
	export_again(e);
	/* Analyses of many treatments take long. */
	if (e->n_commands <= 12 && d->n_factors <= 4 && runs_of(e) <= 200)
		analyse(e);
	et_experiment_free(e);
	return 1;
}

FUZZ_TARGET(results) = { "results", fuzz_results, 500, .tokens = fuzz_csv_tokens,
	.input = "input of 'doe import'",
	.holds = "exported and imported again: the same treatments and runs; all reports can be "
		 "written" };
