/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures or loads a study of profilers, and prints it. */
#include "cmd/lab_profile.h"
#include "base/alloc.h"
#include "cmd/outputs.h"
#include "report/terminal.h"

#include <errno.h>
#include <string.h>

static void profiling_free(struct et_profiling *p)
{
	for (size_t i = 0; i < p->n; i++)
		et_experiment_free(p->parts[i].e);
	for (size_t i = 0; i < p->n_missing; i++)
		free(p->missing[i]);
	free(p->prefix);
	free(p->folder);
}

static int check_options(const struct et_lab_request *r, struct et_error *err)
{
	if (r->given & ET_LAB_PRESET && r->given & (ET_LAB_LENGTHS | ET_LAB_RUNS))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--preset sets the length and the runs, so --lengths and --runs are not "
			"valid");
	if (r->measure.n_lengths > 1)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"lab %s: --lengths takes one length, that of each run", r->name);
	return r->measure.from ? et_lab_check_from(r, err) : 0;
}

static void set_sizes(struct et_profiling *p)
{
	const struct et_lab_request *r = p->r;
	bool paper = r->given & ET_LAB_PRESET;

	p->runs = r->measure.runs ? (uint32_t)r->measure.runs
		  : paper         ? p->lab->paper_runs
				  : p->lab->runs;
	p->work_ns = r->measure.n_lengths ? r->measure.lengths_ns[0]
		     : paper              ? p->lab->paper_work_ns
					  : p->lab->work_ns;
}

static bool has_runs(const struct et_profiling *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->parts[i].e && p->parts[i].e->profile->n_runs)
			return true;
	}
	return false;
}

static int print(const struct et_profiling *p, struct et_output *svg, struct et_error *err)
{
	FILE *f = svg->open ? et_output_begin(svg, err) : NULL;

	if (svg->open && !f)
		return -EIO;
	p->lab->print(p, f);
	return f ? et_output_end(svg, err) : 0;
}

static int conclude(const struct et_profiling *p, int rc)
{
	const struct et_lab_request *r = p->r;

	if (rc && rc != -EINTR)
		return rc;
	if (p->prefix && !r->measure.from && !(r->given & ET_LAB_JSON) && r->cli->verbosity >= 0) {
		ET_AUTO_FREE char *clean = et_cli_store_shown(r->cli);
		fprintf(r->page.out, "\nstored as '%s' in %s\n", p->prefix, clean);
	}
	if (rc == -EINTR)
		fprintf(stderr, "etalon: interrupted; every finished sample is stored\n"
				"hint: run the same command with --resume to continue\n");
	return rc;
}

static int perform(struct et_profiling *p, struct et_output *svg, struct et_error *err)
{
	const char *from = p->r->measure.from;
	int rc = from ? et_profiling_find(p, from, err) : et_profiling_measure(p, err);

	if ((rc == 0 || rc == -EINTR) && p->prefix) {
		int loaded = et_profiling_load(p, err);
		rc = loaded ? loaded : rc;
	}
	if ((rc == 0 || rc == -EINTR) && has_runs(p)) {
		int printed = print(p, svg, err);
		rc = printed ? printed : rc;
	}
	return conclude(p, rc);
}

int et_profiling_run(
	struct et_lab_request *r, const struct et_profile_lab *lab, struct et_error *err)
{
	struct et_profiling *p = et_calloc(1, sizeof(*p));
	struct et_output svg = { 0 };
	int rc = check_options(r, err);

	p->r = r;
	p->lab = lab;
	p->cpu = -1;
	if (rc == 0)
		rc = et_lab_picture_open(r, &svg, err);
	if (rc == 0)
		rc = et_cli_own_path(p->exe, sizeof(p->exe), err);
	if (rc == 0) {
		set_sizes(p);
		lab->plan(p);
		rc = perform(p, &svg, err);
	}
	et_output_close(&svg);
	profiling_free(p);
	free(p);
	return rc;
}
