/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/lab_measured.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/lab_experiments.h"
#include "cmd/measuring.h"
#include "cmd/outputs.h"
#include "cmd/stored.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int et_lab_add_command(struct et_experiment *e, char *name, const char *line, struct et_error *err)
{
	char **argv;
	int rc = et_split_words(line, &argv, err);

	if (rc)
		free(name);
	else
		et_experiment_add_command(e, name, argv);
	return rc;
}

int et_lab_measure(struct et_lab_request *r, struct et_experiment *e, uint64_t usual_runs,
	struct et_experiment **out, struct et_error *err)
{
	e->label = r->measure.label ? et_strdup(r->measure.label) : et_asprintf("lab %s", r->name);
	e->plan.order = ET_ORDER_RANDOM;
	e->plan.runs = (uint32_t)(r->measure.runs ? r->measure.runs : usual_runs);
	e->plan.seed = r->asked.seed;
	e->plan.pace = r->given & ET_LAB_PACE;
	return et_measure(r->cli, r->interrupt, e, NULL, NULL, out, err);
}

int et_lab_check_from(const struct et_lab_request *r, struct et_error *err)
{
	if (r->given &
		(ET_LAB_LENGTHS | ET_LAB_RUNS | ET_LAB_LABEL | ET_LAB_SEED | ET_LAB_PROGRAMS |
			ET_LAB_SIZES | ET_LAB_PACE | ET_LAB_LOADS | ET_LAB_PRESET | ET_LAB_RESUME))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"lab %s: --from prints a stored experiment, so options of a plan are not "
			"valid",
			r->name);
	return 0;
}

int et_lab_load(struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	int rc = et_lab_check_from(r, err);

	return rc ? rc : et_stored_fetch(r->cli, r->measure.from, out, err);
}

int et_lab_conclude(
	const struct et_lab_request *r, const struct et_experiment *e, bool resumable, int rc)
{
	if (e && !r->measure.from && !(r->given & ET_LAB_JSON) && r->cli->verbosity >= 0) {
		ET_AUTO_FREE char *clean = et_cli_store_shown(r->cli);
		fprintf(r->page.out, "\nstored as %s in %s\n", e->id, clean);
	}
	if (rc != -EINTR)
		return rc;
	fprintf(stderr, "etalon: interrupted; every finished sample is stored\n");
	if (e && resumable)
		fprintf(stderr,
			"hint: run 'etalon run --resume %s' to continue, then 'etalon lab %s "
			"--from %s' to print the tables\n",
			e->id, r->name, e->id);
	return rc;
}

int et_lab_picture_open(struct et_lab_request *r, struct et_output *svg, struct et_error *err)
{
	const char *path = r->measure.svg;

	if (!path)
		return 0;
	if (!strcmp(path, "-") && r->given & ET_LAB_JSON)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--json and --svg - cannot both write to standard output");
	int rc = et_output_open(svg, path, err);
	if (rc == 0 && !strcmp(path, "-"))
		r->page.out = stderr;
	return rc;
}
