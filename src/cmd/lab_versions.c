/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab emp-versions`: measures or loads a study, and prints its tables and pictures. */
#include "report/lab_versions.h"
#include "base/alloc.h"
#include "cmd/lab_study.h"
#include "cmd/outputs.h"
#include "stats/pace.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The reference loop is judged by the statistics, which the protocol does not know. */
static void add_paced(const struct et_study *s, struct et_versions *v)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct et_experiment *e = s->sources[i].e;
		for (size_t c = 0; c < e->n_commands; c++) {
			static const struct et_precision none = { 0, NAN, NAN, NAN, NAN, NAN };
			struct et_paced p;
			et_pace_judge(&e->commands[c], 0.95, &p);
			for (size_t t = 0; p.n && t < v->n; t++) {
				struct et_version_figures *f = &v->tasks[t].list[ET_OURS_PACED];
				if (strcmp(v->tasks[t].name, e->commands[c].name))
					continue;
				f->runs = p.n;
				f->by[ET_METRIC_ELAPSED] = none; /* the CPU is shared */
				f->by[ET_METRIC_CPU] = (struct et_precision){ p.n, p.mean,
					p.relative_error * p.mean, p.relative_error, NAN, NAN };
			}
		}
	}
}

static int print_svg(const struct et_versions *v, struct et_output *svg, struct et_error *err)
{
	FILE *f = svg->open ? et_output_begin(svg, err) : NULL;

	if (!f)
		return svg->open ? -EIO : 0;
	et_versions_svg(v, f);
	return et_output_end(svg, err);
}

static int print(struct et_study *s, struct et_output *svg, struct et_error *err)
{
	const struct et_experiment *list[ET_STUDY_PARTS];
	struct et_versions v;

	et_versions_judge(s->sources, s->n, s->learned ? &s->cutoffs : NULL,
		(const char *const *)s->why_not, &v);
	add_paced(s, &v);
	for (size_t i = 0; i < s->n; i++)
		list[i] = s->sources[i].e;
	if (s->r->given & ET_LAB_JSON)
		et_versions_json(&v, list, s->n, s->r->page.out);
	else
		et_versions_text(&v, &s->r->page);
	int rc = print_svg(&v, svg, err);
	et_versions_free(&v);
	return rc;
}

static int conclude(const struct et_study *s, int rc)
{
	const struct et_lab_request *r = s->r;

	if (rc && rc != -EINTR)
		return rc;
	if (s->prefix && !r->measure.from && !(r->given & ET_LAB_JSON) && r->cli->verbosity >= 0) {
		ET_AUTO_FREE char *clean = et_cli_store_shown(r->cli);
		fprintf(r->page.out, "\nstored as '%s' in %s\n", s->prefix, clean);
	}
	if (rc == -EINTR)
		fprintf(stderr, "etalon: interrupted; every finished sample is stored\n"
				"hint: run the same command with --resume to continue\n");
	return rc;
}

static int perform(struct et_study *s, struct et_output *svg, struct et_error *err)
{
	const char *from = s->r->measure.from;
	int rc = from ? et_study_load(s, from, err) : et_study_measure(s, err);

	if (!from && (rc == 0 || rc == -EINTR) && s->prefix) {
		ET_AUTO_FREE char *prefix = et_strdup(s->prefix);
		et_study_free(s);
		int rc2 = et_study_load(s, prefix, err);
		rc = rc2 ? rc2 : rc;
	}
	if ((rc == 0 || rc == -EINTR) && s->n) {
		int rc2 = print(s, svg, err);
		rc = rc2 ? rc2 : rc;
	}
	return conclude(s, rc);
}

static int check_options(const struct et_lab_request *r, struct et_error *err)
{
	const char *svg = r->measure.svg;

	if (r->given & ET_LAB_PRESET && r->given & (ET_LAB_LENGTHS | ET_LAB_RUNS))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--preset sets the lengths and runs, so --lengths and --runs are not "
			"valid");
	if (svg && !strcmp(svg, "-") && r->given & ET_LAB_JSON)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--json and --svg - cannot both write to standard output");
	return r->measure.from ? et_lab_check_from(r, err) : 0;
}

int et_lab_emp_versions(struct et_lab_request *r, struct et_error *err)
{
	const char *path = r->measure.svg;
	struct et_study s = { .r = r };
	struct et_output svg = { 0 };
	int rc = check_options(r, err);

	if (rc == 0 && path)
		rc = et_output_open(&svg, path, err);
	if (rc == 0 && path && !strcmp(path, "-"))
		r->page.out = stderr;
	if (rc == 0)
		rc = perform(&s, &svg, err);
	et_output_close(&svg);
	et_study_free(&s);
	return rc;
}
