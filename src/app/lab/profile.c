/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures or loads a study of profilers, and prints it. */
#include "app/lab/profile.h"
#include "base/alloc.h"
#include "base/display.h"
#include "draw/terminal.h"

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
	if (r->measure.n_lengths > 1)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"lab %s: --lengths takes one length, that of each run", r->name);
	return 0;
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

static int print(const struct et_profiling *p, struct et_error *err)
{
	FILE *svg = NULL;
	int rc = et_lab_picture(p->r, &svg, err);

	if (rc == 0)
		et_profiling_print(p, svg);
	return rc;
}

static int perform(struct et_profiling *p, struct et_error *err)
{
	const char *from = p->r->measure.from;
	int rc = from ? et_profiling_find(p, from, err) : et_profiling_measure(p, err);

	if (!from && (rc == 0 || rc == -EINTR) && p->prefix) {
		int loaded = et_profiling_load(p, err);
		rc = loaded ? loaded : rc;
	}
	if ((rc == 0 || rc == -EINTR) && has_runs(p)) {
		int printed = print(p, err);
		rc = printed ? printed : rc;
	}
	return et_lab_conclude_study(p->r, p->prefix, rc);
}

static const struct et_profile_lab *find(const char *name)
{
	static const struct et_profile_lab *const all[] = { &et_lab_fragmentation,
		&et_lab_sampling_rate, &et_lab_competing_load, &et_lab_triangle,
		&et_lab_sampling_bias };
	size_t i = 0;

	while (strcmp(all[i]->name, name))
		i++;
	return all[i];
}

int et_lab_profile(struct et_call *call, struct et_error *err)
{
	struct et_profiling *p = et_calloc(1, sizeof(*p));

	p->r = call->ctx;
	p->lab = find(p->r->name);
	p->cpu = -1;
	int rc = check_options(p->r, err);
	if (rc == 0)
		rc = et_program_find("etalon", p->exe, err);
	if (rc == 0) {
		set_sizes(p);
		p->lab->plan(p);
		rc = perform(p, err);
	}
	profiling_free(p);
	free(p);
	return rc;
}
