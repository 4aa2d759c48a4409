/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe import FILE`: stores results that were measured elsewhere. */
#include "store/import/import.h"
#include "app/doe/doe.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "source/input.h"
#include "source/stored.h"
#include "store/import/results.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

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
	rc = et_results_read(data, size, &o, &e, err);
	if (!rc)
		rc = et_stored_keep(cli, e, err);
	if (!rc)
		report(cli, e, &found);
	et_experiment_free(e);
	free(found.response);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}
