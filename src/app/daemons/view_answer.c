/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of an analysis of daemons in sentences: which spoil samples, and what is not known. */
#include "app/daemons/view.h"
#include "base/alloc.h"

#include <math.h>

static const double TIGHT = 0.05; /* the largest standard deviation of a tight cluster */

static size_t count(const bool *which, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += which[i];
	return k;
}

/* A sentence of a run names the run if there are two. */
static const char *kind(const struct et_daemon_record *r, const struct et_daemon_run *run)
{
	return !r->has_long ? "" : run == &r->long_run ? "long " : "short ";
}

static char *describe_cutoffs(const struct et_daemon_record *r, const struct et_daemon_findings *f)
{
	char *text = et_asprintf("%zu of %zu daemons %s a cutoff; %zu of %u", f->n_cutoffs,
		r->n_names, f->n_cutoffs == 1 ? "gets" : "get",
		count(f->short_run.removed, r->short_run.n_listed), r->short_run.samples);

	if (r->has_long)
		et_append(&text, " short and ", "%zu of %u long",
			count(f->long_run.removed, r->long_run.n_listed), r->long_run.samples);
	et_append(&text, " ", "samples spoilt");
	return text;
}

/* The frequent daemon that spoils most samples; NULL if none spoils any. */
static char *describe_frequent(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f)
{
	uint32_t most = 0, which = 0;

	for (uint32_t i = 0; f->spoils && i < r->n_names; i++) {
		if (f->frequent[i] && f->spoils[i] > most) {
			most = f->spoils[i];
			which = i;
		}
	}
	return most ? et_asprintf("%s spoils %u of %u %ssamples and comes too often to remove "
				  "them: stop it, or measure with duets",
			      r->names[which], most, run->samples, kind(r, run))
		    : NULL;
}

static char *describe_unexplained(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f)
{
	const struct et_in_common *c = &f->common;
	bool one = f->unexplained == 1;

	if (!f->unexplained)
		return NULL;
	char *text = et_asprintf("%zu %ssample%s longer and no daemon explains it", f->unexplained,
		kind(r, run), one ? " is" : "s are");
	if (c->unexplained)
		et_append(&text, "; ", "%s ran in %zu of them and in %zu of the other %zu",
			r->names[c->name], c->unexplained, c->others,
			run->n_listed - f->unexplained);
	return text;
}

/* Whether a daemon cannot hide in the cluster. The papers' records do not have the times. */
static bool is_tight(const struct et_daemon_run *run, const struct et_run_findings *f)
{
	return !run->whole || (f->spread <= TIGHT && f->shape.symmetric);
}

static char *describe_none(const struct et_daemon_record *r, const struct et_daemon_findings *f)
{
	const struct et_run_findings *wide = &f->short_run;
	bool tight = is_tight(&r->short_run, &f->short_run);

	if (tight && r->has_long) {
		tight = is_tight(&r->long_run, &f->long_run);
		wide = &f->long_run;
	}
	if (tight)
		return et_strdup("no daemon spoilt a sample");
	if (!wide->shape.tested)
		return et_strdup("no daemon was found, and the samples are too few to rule one "
				 "out");
	return et_asprintf("no daemon was found, but one may hide in the central cluster: it %s",
		wide->spread > TIGHT ? "is wide" : "is not symmetric");
}

char **et_daemons_answer(const struct et_daemon_record *r, const struct et_daemon_findings *f)
{
	char **list = et_calloc(6, sizeof(*list));
	const struct et_daemon_run *runs[] = { &r->short_run, &r->long_run };
	const struct et_run_findings *found[] = { &f->short_run, &f->long_run };
	size_t n = 0;

	if (f->n_cutoffs)
		list[n++] = describe_cutoffs(r, f);
	for (int i = 0; i < (r->has_long ? 2 : 1); i++) {
		char *text = describe_frequent(r, runs[i], found[i]);
		if (text)
			list[n++] = text;
		text = describe_unexplained(r, runs[i], found[i]);
		if (text)
			list[n++] = text;
	}
	if (!n)
		list[n++] = describe_none(r, f);
	return list;
}

void et_daemons_answer_json(const char *prefix, const struct et_daemon_record *r,
	const struct et_run_findings *f, struct et_json *w)
{
	ET_AUTO_FREE char *spoilt = et_asprintf("%sspoilt_by_frequent", prefix);
	ET_AUTO_FREE char *unexplained = et_asprintf("%sunexplained", prefix);
	ET_AUTO_FREE char *common = et_asprintf("%sin_common", prefix);
	ET_AUTO_FREE char *pairs = et_asprintf("%sby_pairs", prefix);

	et_json_array(w, spoilt);
	for (size_t i = 0; f->spoils && i < r->n_names; i++) {
		if (!f->spoils[i] || !f->frequent[i])
			continue;
		et_json_flat_object(w, NULL);
		et_json_string(w, "daemon", r->names[i]);
		et_json_u64(w, "samples", f->spoils[i]);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_u64(w, unexplained, f->unexplained);
	et_json_string(w, common, f->common.unexplained ? r->names[f->common.name] : NULL);
	et_json_bool(w, pairs, f->by_pairs);
}
