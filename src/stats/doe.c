/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doe.h"
#include "base/alloc.h"
#include "stats/doe_program.h"

#include <errno.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_factor(const struct et_design_factor *a, const struct et_design_factor *b)
{
	if (!same_text(a->name, b->name) || a->n_levels != b->n_levels)
		return false;
	for (size_t i = 0; i < a->n_levels; i++) {
		if (!same_text(a->levels[i], b->levels[i]))
			return false;
	}
	return true;
}

static bool same_design(const struct et_design *a, const struct et_design *b)
{
	if (a->n_factors != b->n_factors || a->n_programs != b->n_programs ||
		a->n_treatments != b->n_treatments || !same_text(a->response, b->response))
		return false;
	for (size_t i = 0; i < a->n_factors; i++) {
		if (!same_factor(&a->factors[i], &b->factors[i]))
			return false;
	}
	for (size_t i = 0; i < a->n_programs; i++) {
		if (!same_text(a->programs[i].name, b->programs[i].name))
			return false;
	}
	for (size_t i = 0; i < a->n_treatments; i++) {
		if (!same_text(a->treatments[i].name, b->treatments[i].name))
			return false;
	}
	return true;
}

static const char *label_of(const struct et_experiment *e)
{
	return e->label ? e->label : e->id;
}

static int check(const struct et_experiment *const *experiments, size_t n, struct et_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct et_experiment *e = experiments[i];
		if (!e->design)
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE,
					"experiment '%s' was not made by a plan", label_of(e)),
				"name an experiment of 'etalon doe run' or 'etalon doe import'");
		if (!same_design(experiments[0]->design, e->design))
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE,
					"experiments '%s' and '%s' have different designs",
					experiments[0]->id, e->id),
				"analyse experiments of the same plan together");
	}
	return 0;
}

/* --- machines --- */

const char *et_doe_machine_of(const struct et_experiment *e)
{
	if (e->member.node[0])
		return e->member.node;
	return e->machine[0] ? e->machine : e->host.name;
}

/* Experiments that do not say where they were measured are of different machines. */
static bool same_machine(const struct et_experiment *a, const struct et_experiment *b)
{
	const char *machine = et_doe_machine_of(a);

	return *machine && !strcmp(machine, et_doe_machine_of(b));
}

/* The name that people know it by, unless another machine has the same. */
static const char *name_of(const struct et_experiment *e, char **names, size_t n)
{
	const char *id = *et_doe_machine_of(e) ? et_doe_machine_of(e) : e->id;
	const char *name = e->member.node[0] || !e->host.name[0] ? id : e->host.name;

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i], name))
			return id;
	}
	return name;
}

/* Numbers the machines in the order of their first experiments, and notes their names. */
static void number_machines(const struct et_experiment *const *experiments, size_t n,
	struct et_doe_place *places, struct et_doe_result *out)
{
	out->machines = et_calloc(n + 1, sizeof(*out->machines));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t same = 0;
		while (same < i && !same_machine(experiments[same], experiments[i]))
			same++;
		places[i].experiment = i;
		places[i].machine = same < i ? places[same].machine : (uint32_t)out->n_machines;
		if (same == i) {
			out->machines[out->n_machines] =
				et_strdup(name_of(experiments[i], out->machines, out->n_machines));
			out->n_machines++;
		}
	}
}

static bool one_campaign(const struct et_experiment *const *experiments, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!experiments[i]->member.campaign[0] ||
			strcmp(experiments[i]->member.campaign, experiments[0]->member.campaign) !=
				0)
			return false;
	}
	return true;
}

static void find_machines(const struct et_experiment *const *experiments, size_t n,
	struct et_doe_place *places, struct et_doe_result *out)
{
	enum et_design_blocks blocks = experiments[0]->design->blocks;

	number_machines(experiments, n, places, out);
	out->population = out->n_machines > 1 &&
			  (blocks == ET_BLOCKS_MACHINE || !one_campaign(experiments, n));
	for (size_t i = 0; i < n; i++) {
		places[i].machines =
			out->population || (out->n_machines > 1 && blocks != ET_BLOCKS_ROUND);
		places[i].experiments = n > 1 && out->n_machines == 1;
	}
}

static void judge(const struct et_experiment *const *experiments, size_t n,
	const struct et_doe_grid *grid, const struct et_doe_options *o, struct et_doe_result *out)
{
	const struct et_design *d = grid->design;
	struct et_doe_response response = et_doe_response_of(experiments[0]);
	ET_AUTO_FREE struct et_doe_place *places = et_calloc(n, sizeof(*places));

	find_machines(experiments, n, places, out);
	out->metric = response.metric;
	out->unit = response.unit;
	out->n_programs = d->n_programs;
	out->programs = et_calloc(d->n_programs + 1, sizeof(*out->programs));
	for (uint32_t p = 0; p < d->n_programs; p++) {
		struct et_doe_data data = { .machines = out->population,
			.sequential = experiments[0]->plan.order == ET_ORDER_SEQUENTIAL,
			.unit = response.unit };
		for (uint32_t i = 0; i < n; i++)
			et_doe_data_collect(experiments[i], &places[i], p, &response, grid, &data);
		et_doe_data_arrange(&data, grid->n_cells);
		out->blocked = out->blocked || data.n_blocks > 1;
		out->programs[p].name = d->programs[p].name;
		et_doe_program_judge(grid, &data, o, &out->programs[p]);
		if (!o->no_pairs && d->n_treatments <= ET_DOE_MOST_PAIRED)
			et_doe_pairs(grid, &data, &response, o, &out->programs[p]);
		et_doe_data_free(&data);
	}
	et_doe_count_pairs(out);
	if (!o->no_pairs && d->n_treatments > ET_DOE_MOST_PAIRED)
		et_warn(&out->warnings, ET_WARN_DOE_NO_PAIRS, et_arg_count(d->n_treatments),
			et_arg_count(ET_DOE_MOST_PAIRED));
}

static bool nothing_counts(const struct et_doe_result *r)
{
	for (size_t i = 0; i < r->n_programs; i++) {
		if (r->programs[i].n)
			return false;
	}
	return true;
}

int et_doe_analyse(const struct et_experiment *const *experiments, size_t n,
	const struct et_doe_options *o, struct et_doe_result *out, struct et_error *err)
{
	struct et_doe_result r = { .alpha = o->alpha, .level = o->level };
	struct et_doe_grid grid;
	int rc = check(experiments, n, err);

	if (rc)
		return rc;
	r.design = experiments[0]->design;
	if (!et_doe_grid_make(r.design, &grid))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"the design of experiment '%s' is too large or not complete",
			label_of(experiments[0]));
	judge(experiments, n, &grid, o, &r);
	et_doe_grid_free(&grid);
	if (nothing_counts(&r)) {
		et_doe_result_free(&r);
		return et_hint(err,
			et_fail(err, ENODATA, ET_EXIT_USAGE, "no run of experiment '%s' counts",
				label_of(experiments[0])),
			"see 'etalon show %s' for what became of its runs",
			label_of(experiments[0]));
	}
	*out = r;
	return 0;
}
