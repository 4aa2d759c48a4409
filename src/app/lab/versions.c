/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab emp-versions`: measures or loads a study, and prints its tables and pictures. */
#include "stats/fleet/versions.h"
#include "app/lab/study.h"
#include "base/alloc.h"
#include "base/display.h"
#include "cli/outputs.h"
#include "num/moments.h"
#include "stats/compare/pace.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct et_precision paced_precision(
	const struct et_command *c, const struct et_paced *p, struct et_version_runs *runs)
{
	runs->x = et_calloc(c->samples.n + 1, sizeof(*runs->x));
	runs->n = et_pace_correct(c, p, runs->x);
	return (struct et_precision){ p->n, p->mean, p->relative_error * p->mean, p->relative_error,
		NAN, NAN, et_skewness(runs->x, runs->n), et_kurtosis(runs->x, runs->n) };
}

/* The reference loop is judged by the statistics, which the protocol does not know. */
static void add_paced(const struct et_study *s, struct et_versions *v)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct et_experiment *e = s->sources[i].e;
		for (size_t c = 0; c < e->n_commands; c++) {
			static const struct et_precision none = { 0, NAN, NAN, NAN, NAN, NAN, NAN,
				NAN };
			struct et_paced p;
			et_pace_judge(&e->commands[c], 0.95, &p);
			for (size_t t = 0; p.n && t < v->n; t++) {
				struct et_version_figures *f = &v->tasks[t].list[ET_OURS_PACED];
				if (strcmp(v->tasks[t].name, e->commands[c].name))
					continue;
				f->runs = p.n;
				f->env = ET_ENV_PACED;
				f->by[ET_METRIC_ELAPSED] = none; /* the CPU is shared */
				f->by[ET_METRIC_CPU] = paced_precision(
					&e->commands[c], &p, &f->compared[ET_METRIC_CPU]);
			}
		}
	}
}

static int print(struct et_study *s, struct et_error *err)
{
	const struct et_experiment *list[ET_STUDY_PARTS];
	struct et_versions v;
	FILE *svg = NULL;

	et_versions_judge(s->sources, s->n, s->learned ? &s->cutoffs : NULL,
		(const char *const *)s->why_not, &v);
	add_paced(s, &v);
	et_versions_compare(&v);
	for (size_t i = 0; i < s->n; i++)
		list[i] = s->sources[i].e;
	if (s->r->given & ET_LAB_JSON)
		et_versions_json(&v, list, s->n, s->r->page.out);
	else
		et_versions_text(&v, &s->r->page);
	int rc = et_lab_picture(s->r, &svg, err);
	if (svg)
		et_versions_svg(&v, svg);
	et_versions_free(&v);
	return rc;
}

static int perform(struct et_study *s, struct et_error *err)
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
		int rc2 = print(s, err);
		rc = rc2 ? rc2 : rc;
	}
	return et_lab_conclude_study(s->r, s->prefix, rc);
}

int et_lab_emp_versions(struct et_call *call, struct et_error *err)
{
	struct et_study s = { .r = call->ctx };
	int rc = perform(&s, err);

	et_study_free(&s);
	return rc;
}
