/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe analyse`: effects, pairs of treatments and pictures of a designed experiment. */
#include "app/doe/doe.h"
#include "base/clock.h"
#include "source/input.h"
#include "source/kind.h"
#include "source/operand.h"
#include "source/stored.h"
#include "store/import/import.h"
#include "store/import/results.h"

#include <sys/random.h>

/* The same experiment twice would count its runs twice. */
static int check_distinct(const struct et_doe_loaded *a, struct et_error *err)
{
	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = i + 1; k < a->n; k++) {
			if (!strcmp(a->list[i]->id, a->list[k]->id))
				return et_refuse(err, "name each experiment once",
					"experiment %s is given twice", a->list[i]->id);
		}
	}
	return 0;
}

static int check_table(const char *operand, struct et_error *err)
{
	size_t length = strlen(operand);

	if (length < 4 || strcmp(operand + length - 4, ".csv") || !et_operand_is_file(operand))
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s' is a table, not a plan or an experiment",
			operand),
		"run 'etalon doe import %s' first", operand);
}

static int load(struct et_cli *cli, char *const *operands, size_t n, struct et_doe_loaded *out,
	struct et_error *err)
{
	for (size_t i = 0; i < n; i++) {
		int rc = check_table(operands[i], err) ?: et_doe_load(cli, operands[i], out, err);

		if (rc)
			return rc;
	}
	return check_distinct(out, err);
}

static int show(const struct et_cli *cli, const struct et_doe_request *r, struct et_doe_view *v,
	struct et_error *err)
{
	const struct et_page page = { .out = stdout, .width = cli->columns, .color = cli->color };
	struct et_json w;
	int rc = et_output_write(r->svg, "svg", et_doe_svg, v, err)
			 ?: et_output_write(r->page, "report", et_doe_page, v, err);

	if (rc)
		return rc;
	if (r->json) {
		et_json_init(&w, stdout, 2);
		et_doe_json(v, &w);
	} else if (cli->verbosity < 0) {
		et_doe_print_short(v, &page);
	} else {
		et_doe_text(v, &page);
	}
	return et_cli_close_output(stdout, "-", err);
}

int et_doe_do_analyse(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	const struct et_doe_options o = { r->alpha, r->level, r->method - 1, false };
	struct et_doe_loaded l = { 0 };
	struct et_doe_result result = { 0 };
	struct et_doe_view v = { .result = &result,
		.verbose = cli->verbosity > 0,
		.tables = r->tables,
		.plot = r->plot };
	ET_AUTO_FREE uint32_t *terms = NULL;
	int rc = load(cli, call->operands, call->n, &l, err);

	v.experiments = (const struct et_experiment *const *)l.list;
	v.n_experiments = l.n;
	v.parts = l.parts;
	if (!rc && r->terms)
		rc = et_design_terms_parse(l.list[0]->design, r->terms, &terms, &v.n_terms, err);
	v.terms = terms;
	if (!rc)
		rc = et_doe_analyse(v.experiments, l.n, &o, &result, err);
	if (!rc) {
		rc = show(cli, r, &v, err);
		et_doe_result_free(&result);
	}
	et_doe_loaded_free(&l);
	return rc;
}

/* The findings in short, after `doe run`; and how `show`, `export` and `report` write them. */

/* Prints the findings or, if page is NULL, writes the page. */
static int analyse_plainly(const struct et_experiment *const *e, size_t n,
	const struct et_page *page, FILE *out, struct et_error *err)
{
	const struct et_doe_options o = {
		.alpha = 0.05, .level = (*e)->plan.level > 0 ? (*e)->plan.level : 0.95, .method = -1
	};
	struct et_doe_result result;
	struct et_doe_view v = { .result = &result, .experiments = e, .n_experiments = n };
	int rc = et_doe_analyse(e, n, &o, &result, err);

	if (rc)
		return rc;
	if (page)
		et_doe_print_short(&v, page);
	else
		et_doe_page(&v, out);
	et_doe_result_free(&result);
	return 0;
}

int et_doe_print_findings(const struct et_cli *cli, const struct et_experiment *const *list,
	size_t n, FILE *out, struct et_error *err)
{
	struct et_page page = {
		.out = out, .width = cli->columns, .color = cli->color && out == stdout
	};

	return analyse_plainly(list, n, &page, out, err);
}

static int print(const struct et_cli *cli, const struct et_stored *s,
	const struct et_text_options *o, size_t *left, struct et_error *err)
{
	const struct et_experiment *e = s->experiment;

	/* The user asked for the samples that the checks remove. */
	if (s->rejudged)
		return et_stored_plain.print(cli, s, o, left, err);
	*left = 0;
	int rc = et_doe_print_findings(cli, &e, 1, stdout, err);
	if (rc)
		return rc;
	if (cli->verbosity > 0)
		et_text_result(e, &s->judgement, o, stdout);
	if (cli->verbosity >= 0)
		printf("all effects and treatments: etalon doe analyse %s\n", e->id);
	return 0;
}

static int write_stored_page(
	const struct et_stored *s, const char *format, FILE *out, struct et_error *err)
{
	const struct et_experiment *e = s->experiment;

	(void)format;
	return analyse_plainly(&e, 1, NULL, out, err);
}

static int refuse(const struct et_experiment *e, struct et_error *err)
{
	return et_refuse(err, "run 'etalon doe run PLAN' to continue it",
		"experiment %s belongs to the plan '%s' of 'etalon doe'", e->id, e->design->name);
}

const struct et_stored_kind et_kind_designed = {
	.design = true,
	.more = true, /* with a function as response it is a profile, too */
	.mark = "[doe] ",
	.page = true,
	.formats = (const char *const[]){ "html", NULL },
	.write = write_stored_page,
	.print = print,
	/* The plan file belongs to it: `doe run` compares it and applies the treatments. */
	.resumed_by = (const char *const[]){ NULL },
	.refuse = refuse,
};

/* `etalon doe export`: the runs as CSV, or a script for R that repeats the analysis. */

int et_doe_export(struct et_call *call, struct et_error *err)
{
	const struct et_doe_request *r = call->ctx;
	struct et_doe_loaded l = { 0 };
	struct et_output out;
	int rc = et_doe_load(call->cli, call->operands[0], &l, err);

	if (rc == 0) {
		const struct et_experiment *const *all =
			(const struct et_experiment *const *)l.list;
		FILE *f = et_output_start(&out, r->output ? r->output : "-", err);
		if (f && r->r_script)
			et_doe_r(all, l.n, r->data ? r->data : "data.csv", f);
		else if (f)
			et_doe_csv(all, l.n, f);
		rc = et_output_finish(&out, 0, err);
	}
	et_doe_loaded_free(&l);
	return rc;
}

/* `etalon doe import FILE`: stores results that were measured elsewhere. */

/* "times" of "results/times.csv"; the caller frees it. */
static char *label_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);

	return !strcmp(path, "-") || !length ? et_strdup("imported") : et_strndup(name, length);
}

static void report(const struct et_cli *cli, const struct et_experiment *e,
	const struct et_results_found *found)
{
	const struct et_design *d = e->design;
	size_t n = 0;

	for (size_t i = 0; i < e->n_commands; i++)
		n += e->commands[i].samples.n;
	if (cli->verbosity < 0) {
		printf("%s\n", e->id);
		return;
	}
	printf("imported %s: %zu run%s of %zu program%s under %zu treatments\n", e->id, n,
		et_doe_plural(n), d->n_programs, et_doe_plural(d->n_programs), d->n_treatments);
	printf("response: %s (%s); ", found->response ? found->response : "?",
		et_results_unit_names[found->unit]);
	for (size_t f = 0; f < d->n_factors; f++)
		printf("%s%s (%zu levels)", f ? ", " : "factors: ", d->factors[f].name,
			d->factors[f].n_levels);
	printf("\n");
}

int et_doe_import(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	struct et_experiment *e = NULL;
	ET_AUTO_FREE char *data = NULL;
	ET_AUTO_FREE char *label = r->label ? et_strdup(r->label) : label_of(call->operands[0]);
	size_t size;
	struct et_results_found found = { 0 };
	struct et_results_options o = {
		.found = &found,
		.name = strcmp(call->operands[0], "-") ? call->operands[0] : "standard input",
		.response = r->response,
		.factors = r->factors,
		.program = r->program,
		.block = r->block,
		.unit = (enum et_results_unit)r->unit,
		.label = label,
		.wall_ns = et_clock_read_ns(CLOCK_REALTIME),
	};

	if (!*label)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--label: the name is empty");
	int rc = et_input_read(call->operands[0], ET_IMPORT_MOST_BYTES, &data, &size, err);
	if (rc)
		return rc;
	if (size > ET_IMPORT_MOST_BYTES)
		return et_fail(err, EFBIG, ET_EXIT_USAGE, "%s: more than %zu MiB", o.name,
			ET_IMPORT_MOST_BYTES >> 20);
	if (getrandom(&o.random, sizeof(o.random), 0) < 0)
		o.random = o.wall_ns;
	rc = et_results_read(data, size, &o, &e, err) ?: et_stored_keep(cli, e, err);
	if (!rc)
		report(cli, e, &found);
	et_experiment_free(e);
	free(found.response);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}
