/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "model/design/change.h"
#include "model/experiment/machine_id.h"
#include "stats/doe/program.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const char *label_of(const struct et_experiment *e)
{
	return e->label ? e->label : e->id;
}

static int check(const struct et_experiment *const *experiments, size_t n, struct et_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct et_experiment *e = experiments[i];
		if (!e->design)
			return et_refuse(err,
				"name an experiment of 'etalon doe run' or 'etalon doe import'",
				"experiment '%s' was not made by a plan", label_of(e));
		if (!et_design_same(experiments[0]->design, e->design))
			return et_refuse(err, "analyse experiments of the same plan together",
				"experiments '%s' and '%s' have different designs",
				experiments[0]->id, e->id);
	}
	return 0;
}

/* --- machines --- */

bool et_doe_same_machine(const struct et_experiment *a, const struct et_experiment *b)
{
	if (a->member.node[0] && b->member.node[0])
		return !strcmp(a->member.node, b->member.node);
	if (a->machine[0] && b->machine[0])
		return et_machine_same(a->machine, b->machine);
	return a->host.name[0] && !strcmp(a->host.name, b->host.name);
}

/* The name that people know it by, unless another machine has the same. */
static const char *name_of(const struct et_experiment *e, char **names, size_t n)
{
	const char *id = e->machine[0] ? e->machine : e->id;
	const char *name = e->member.node[0] ? e->member.node : e->host.name;

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i], name))
			return id;
	}
	return *name ? name : id;
}

char **et_doe_machines(
	const struct et_experiment *const *experiments, size_t n, uint32_t *machine, size_t *found)
{
	char **names = et_calloc(n + 1, sizeof(*names));

	*found = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t same = 0;
		while (same < i && !et_doe_same_machine(experiments[same], experiments[i]))
			same++;
		machine[i] = same < i ? machine[same] : (uint32_t)*found;
		if (same == i) {
			names[*found] = et_strdup(name_of(experiments[i], names, *found));
			++*found;
		}
	}
	return names;
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

/* A round that two machines ran was not divided. */
static bool shares_round(const struct et_experiment *a, const struct et_experiment *b)
{
	uint32_t first_a = a->plan.first_round ? a->plan.first_round : 1;
	uint32_t first_b = b->plan.first_round ? b->plan.first_round : 1;

	return first_a == first_b && !et_doe_same_machine(a, b);
}

bool et_doe_whole_each(const struct et_experiment *const *experiments, size_t n)
{
	if (experiments[0]->design->blocks == ET_BLOCKS_MACHINE || !one_campaign(experiments, n))
		return true;
	for (size_t i = 1; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (shares_round(experiments[i], experiments[k]))
				return true;
		}
	}
	return false;
}

static void find_machines(const struct et_experiment *const *experiments, size_t n,
	struct et_doe_place *places, struct et_doe_result *out)
{
	enum et_design_blocks blocks = experiments[0]->design->blocks;

	ET_AUTO_FREE uint32_t *machine = et_calloc(n, sizeof(*machine));

	out->machines = et_doe_machines(experiments, n, machine, &out->n_machines);
	out->population = out->n_machines > 1 && et_doe_whole_each(experiments, n);
	for (size_t i = 0; i < n; i++) {
		places[i].experiment = (uint32_t)i;
		places[i].machine = machine[i];
		places[i].machines =
			out->population || (out->n_machines > 1 && blocks != ET_BLOCKS_ROUND);
		places[i].experiments = n > 1 && out->n_machines == 1;
	}
}

/* A property of machines that changes how fast programs are. */
struct property {
	const char *name;
	size_t offset; /* of its text in struct et_host */
};

/* The first experiment whose machine differs from that of the first one, or n. */
static size_t first_other(
	const struct et_experiment *const *experiments, size_t n, const struct property *p)
{
	const char *first = (const char *)&experiments[0]->host + p->offset;

	for (size_t i = 1; i < n; i++) {
		const char *own = (const char *)&experiments[i]->host + p->offset;
		if (*first && *own && strcmp(first, own) != 0)
			return i;
	}
	return n;
}

/* The first difference is described, the others are named. */
static void warn_different(const struct et_experiment *const *experiments, size_t n,
	const struct et_doe_place *places, struct et_doe_result *out)
{
	static const struct property all[] = { { "kernel", offsetof(struct et_host, kernel) },
		{ "CPU", offsetof(struct et_host, cpu) },
		{ "governor", offsetof(struct et_host, governor) },
		{ "clock source", offsetof(struct et_host, clocksource) },
		{ "virtualisation", offsetof(struct et_host, virtual_machine) } };
	ET_AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < ET_LENGTH(all); i++) {
		size_t other = first_other(experiments, n, &all[i]);
		if (other == n)
			continue;
		if (text)
			et_append(&text, ", ", "%s", all[i].name);
		else
			et_append(&text, "", "%s (%s on %s, %s on %s)", all[i].name,
				(const char *)&experiments[0]->host + all[i].offset,
				out->machines[places[0].machine],
				(const char *)&experiments[other]->host + all[i].offset,
				out->machines[places[other].machine]);
	}
	if (text)
		et_warn(&out->warnings, ET_WARN_DOE_MACHINES_DIFFER, et_arg_text(text));
}

static void judge(const struct et_experiment *const *experiments, size_t n,
	const struct et_doe_grid *grid, const struct et_doe_options *o, struct et_doe_result *out)
{
	const struct et_design *d = grid->design;
	struct et_doe_response response = et_doe_response_of(experiments[0]);
	ET_AUTO_FREE struct et_doe_place *places = et_calloc(n, sizeof(*places));

	find_machines(experiments, n, places, out);
	if (out->n_machines > 1)
		warn_different(experiments, n, places, out);
	out->metric = response.metric;
	out->unit = response.unit;
	out->n_programs = d->n_programs;
	out->programs = et_calloc(d->n_programs + 1, sizeof(*out->programs));
	for (uint32_t p = 0; p < d->n_programs; p++) {
		struct et_doe_data data = { .machines = out->population,
			.divided =
				!out->population && (places[0].machines || places[0].experiments),
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
