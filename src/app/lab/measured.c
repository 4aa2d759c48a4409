/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/measured.h"
#include "app/lab/experiments.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "conduct/measuring.h"
#include "source/stored.h"

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

int et_lab_load(struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	return et_stored_fetch(r->cli, r->measure.from, out, err);
}

int et_lab_conclude(const struct et_lab_request *r, const struct et_experiment *e, int rc)
{
	if (e && !r->measure.from && !(r->given & ET_LAB_JSON) && r->cli->verbosity >= 0) {
		ET_AUTO_FREE char *clean = et_cli_store_shown(r->cli);
		fprintf(r->page.out, "\nstored as %s in %s\n", e->id, clean);
	}
	if (rc == -EINTR)
		et_say(stderr, "etalon: interrupted; every finished sample is stored\n");
	return rc;
}

int et_lab_conclude_study(const struct et_lab_request *r, const char *prefix, int rc)
{
	if (rc && rc != -EINTR)
		return rc;
	if (prefix && !r->measure.from && !(r->given & ET_LAB_JSON) && r->cli->verbosity >= 0) {
		ET_AUTO_FREE char *clean = et_cli_store_shown(r->cli);
		fprintf(r->page.out, "\nstored as '%s' in %s\n", prefix, clean);
	}
	if (rc == -EINTR)
		et_say(stderr, "etalon: interrupted; every finished sample is stored\n"
			       "hint: run the same command with --resume to continue\n");
	return rc;
}

int et_lab_picture(struct et_lab_request *r, FILE **out, struct et_error *err)
{
	FILE *f = r->svg.open ? et_output_begin(&r->svg, err) : NULL;

	if (r->svg.open && !f)
		return -EIO;
	*out = f;
	return 0;
}
