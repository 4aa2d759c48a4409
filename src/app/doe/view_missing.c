/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that are not done, treatments that failed and terms that they leave without an estimate. */
#include "app/doe/view.h"
#include "base/memstream.h"
#include "model/design/progress.h"

#include <inttypes.h>

static void separate(FILE *out, bool *begun)
{
	if (*begun)
		fputs("; ", out);
	*begun = true;
}

/* "21 of 160 runs are done; 1 of 6 parts is missing". Results of other tools have no command and no
 * plan to complete. */
static void put_progress(const struct et_doe_view *v, FILE *out, bool *begun)
{
	uint64_t done = 0, total = v->parts.missing_runs;

	for (size_t i = 0; i < v->n_experiments; i++) {
		const struct et_experiment *e = v->experiments[i];
		struct et_design_progress p;
		if (!e->n_commands || !e->commands[0].argv || !e->commands[0].argv[0])
			continue;
		et_design_progress_read(e, &p);
		done += p.done;
		total += p.total;
		et_design_progress_free(&p);
	}
	if (done >= total)
		return;
	separate(out, begun);
	fprintf(out, "%" PRIu64 " of %" PRIu64 " runs are done", done, total);
	if (v->parts.missing)
		fprintf(out, "; %zu of %zu parts %s missing", v->parts.missing, v->parts.all,
			v->parts.missing == 1 ? "is" : "are");
}

/* "no run of loop counts with n=2,m=1". */
static void put_treatments(
	const struct et_doe_view *v, const struct et_doe_program *p, FILE *out, bool *begun)
{
	enum { MOST_NAMED = 3 };
	size_t n = 0;

	for (size_t t = 0; t < p->n_cells; t++) {
		if (p->cells[t].n)
			continue;
		if (!n)
			separate(out, begun);
		if (!n)
			fprintf(out, "no run of %s counts with ", p->name);
		if (n < MOST_NAMED)
			fprintf(out, "%s%s", n ? " and " : "",
				v->result->design->treatments[t].name);
		n++;
	}
	if (n > MOST_NAMED)
		fprintf(out, " and %zu more treatments", n - MOST_NAMED);
}

static bool has_effect(const struct et_doe_program *p, size_t factor)
{
	for (size_t i = 0; i < p->n_effects; i++) {
		if (p->effects[i].factors == 1u << factor)
			return true;
	}
	return false;
}

static bool counts_at(
	const struct et_design *d, const struct et_doe_program *p, size_t factor, uint32_t level)
{
	for (size_t t = 0; t < p->n_cells; t++) {
		if (p->cells[t].n && d->treatments[t].levels[factor] == level)
			return true;
	}
	return false;
}

/* ", because n=2 has no run; pairs compare its other levels (-v)". */
static void put_reason(
	const struct et_doe_view *v, const struct et_doe_program *p, size_t factor, FILE *out)
{
	const struct et_design *d = v->result->design;
	const struct et_design_factor *f = &d->factors[factor];

	for (uint32_t i = 0; i < f->n_levels; i++) {
		if (counts_at(d, p, factor, i))
			continue;
		fprintf(out, ", because no run counts with %s=%s", f->name, f->levels[i]);
		if (f->n_levels > 2)
			fputs("; pairs compare its other levels (-v)", out);
		return;
	}
}

static void put_terms(
	const struct et_doe_view *v, const struct et_doe_program *p, FILE *out, bool *begun)
{
	if (!p->not_estimated)
		return;
	separate(out, begun);
	fprintf(out, "%s could not be estimated in %s", p->not_estimated, p->name);
	for (size_t f = 0; f < v->result->design->n_factors; f++) {
		if (!has_effect(p, f)) {
			put_reason(v, p, f, out);
			return;
		}
	}
}

char *et_doe_missing(const struct et_doe_view *v)
{
	struct et_memstream m;
	FILE *out = et_memstream_open(&m);
	bool begun = false;

	put_progress(v, out, &begun);
	for (size_t i = 0; i < v->result->n_programs; i++) {
		put_treatments(v, &v->result->programs[i], out, &begun);
		put_terms(v, &v->result->programs[i], out, &begun);
	}
	return et_memstream_close(&m);
}
