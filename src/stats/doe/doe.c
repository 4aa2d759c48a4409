/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/parse.h"
#include "model/design/json.h"
#include "model/experiment/machine_id.h"
#include "stats/compare/contrast.h"
#include "stats/compare/two_sample.h"
#include "stats/doe/program.h"
#include "stats/profile/counts.h"
#include "stats/series/interval.h"

/*
 * Pairs of treatments: Holm's correction within each program, then counts over all programs. It
 * needs the pairs alone, so that published p-values can be counted, too.
 */

void et_doe_conclude_pairs(struct et_doe_program *p, double alpha)
{
	et_contrasts_conclude(p->pairs, p->n_pairs, alpha);
	p->before = p->after = 0;
	for (size_t i = 0; i < p->n_pairs; i++) {
		p->before += p->pairs[i].significant_unadjusted;
		p->after += p->pairs[i].significant;
	}
}

static struct et_doe_pair *add_pair(struct et_doe_result *r, const struct et_contrast *c)
{
	r->pairs = et_realloc(r->pairs, r->n_pairs + 1, sizeof(*r->pairs));
	r->pairs[r->n_pairs] = (struct et_doe_pair){ .a = c->a, .b = c->b };
	return &r->pairs[r->n_pairs++];
}

/* Finds pair i of a program. Most programs have the same pairs in the same order. */
static struct et_doe_pair *find(struct et_doe_result *r, size_t i, const struct et_contrast *c)
{
	if (i < r->n_pairs && r->pairs[i].a == c->a && r->pairs[i].b == c->b)
		return &r->pairs[i];
	for (size_t k = 0; k < r->n_pairs; k++) {
		if (r->pairs[k].a == c->a && r->pairs[k].b == c->b)
			return &r->pairs[k];
	}
	return add_pair(r, c);
}

static void count(struct et_doe_pair *pair, const struct et_contrast *c)
{
	const char *method = c->method ? c->method : "";

	if (isnan(c->p))
		return;
	pair->programs++;
	pair->before += c->significant_unadjusted;
	pair->after += c->significant;
	if (!strcmp(method, "student"))
		pair->student++;
	else if (!strcmp(method, "welch"))
		pair->welch++;
	else if (!strcmp(method, "wilcoxon"))
		pair->wilcoxon++;
	else
		pair->other++;
}

void et_doe_count_pairs(struct et_doe_result *r)
{
	for (size_t p = 0; p < r->n_programs; p++) {
		for (size_t i = 0; i < r->programs[p].n_pairs; i++) {
			const struct et_contrast *c = &r->programs[p].pairs[i];

			count(p ? find(r, i, c) : add_pair(r, c), c);
		}
	}
}

/*
 * The values of all cells; those of several machines are divided by the speed of their machine:
 * its values over what they would be if each were the mean of its cell.
 */
static double *comparable(const struct et_doe_data *d)
{
	double *out = et_calloc(d->n + 1, sizeof(*out));
	size_t n = et_doe_count_machines(d);
	ET_AUTO_FREE double *sum = et_calloc(n + 1, sizeof(*sum));
	ET_AUTO_FREE double *expected = et_calloc(n + 1, sizeof(*expected));
	ET_AUTO_FREE size_t *at = et_calloc(d->n_cells + 1, sizeof(*at));

	memcpy(out, d->values, d->n * sizeof(*out));
	if (n < 2)
		return out;
	for (size_t i = 0; i < d->n; i++) {
		sum[d->runs[i].machine] += d->runs[i].y;
		expected[d->runs[i].machine] += d->mean[d->runs[i].cell];
	}
	for (size_t i = 0; i < d->n; i++) {
		size_t cell = d->runs[i].cell, m = d->runs[i].machine;
		out[d->begin[cell] + at[cell]++] *= sum[m] > 0 ? expected[m] / sum[m] : 1;
	}
	return out;
}

static void judge_pair(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const double *values, uint32_t a, uint32_t b, const bool *gaussian, struct et_contrast *out)
{
	size_t ca = grid->cell_of[a], cb = grid->cell_of[b];

	out->a = a;
	out->b = b;
	out->side_by_side = out->alone = ET_NO_RATIO;
	et_judge_as_published(values + data->begin[ca], et_doe_count(data, ca),
		values + data->begin[cb], et_doe_count(data, cb), gaussian[a] && gaussian[b], out);
}

void et_doe_pairs(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_response *response, const struct et_doe_options *o,
	struct et_doe_program *out)
{
	uint32_t n = (uint32_t)grid->design->n_treatments;
	ET_AUTO_FREE double *values = comparable(data);
	ET_AUTO_FREE bool *gaussian = et_calloc(n + 1, sizeof(*gaussian));

	for (uint32_t t = 0; t < n; t++) {
		size_t c = grid->cell_of[t];
		gaussian[t] = et_shapiro_wilk(values + data->begin[c], et_doe_count(data, c)).p >
			      ET_CHECK_ALPHA;
	}
	out->pairs = et_calloc((size_t)n * n / 2 + 1, sizeof(*out->pairs));
	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = a + 1; b < n; b++) {
			struct et_contrast *pair = &out->pairs[out->n_pairs];
			if (!et_doe_count(data, grid->cell_of[a]) ||
				!et_doe_count(data, grid->cell_of[b]))
				continue;
			pair->level = o->level;
			pair->metric = response->metric;
			pair->unit = response->unit;
			judge_pair(grid, data, values, a, b, gaussian, pair);
			out->n_pairs++;
		}
	}
	et_doe_conclude_pairs(out, o->alpha);
}

void et_doe_data_add(struct et_doe_data *d, const struct et_doe_value *v)
{
	ET_GROW(d->runs, d->n, d->cap);
	d->runs[d->n++] = *v;
}

void et_doe_data_free(struct et_doe_data *d)
{
	free(d->runs);
	free(d->values);
	free(d->begin);
	free(d->mean);
	free(d->variance);
}

/* --- arranging --- */

static int by_order(const void *a, const void *b)
{
	const struct et_doe_value *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_block(const void *a, const void *b)
{
	const struct et_doe_value *const *x = a, *const *y = b;

	return (*x)->block < (*y)->block ? -1 : (*x)->block > (*y)->block;
}

/* Numbers the blocks from 0 without gaps. */
static void number_blocks(struct et_doe_data *d)
{
	ET_AUTO_FREE struct et_doe_value **sorted =
		et_calloc(d->n + 1, sizeof(struct et_doe_value *));
	uint64_t last = 0;

	for (size_t i = 0; i < d->n; i++)
		sorted[i] = &d->runs[i];
	qsort(sorted, d->n, sizeof(*sorted), by_block);
	for (size_t i = 0; i < d->n; i++) {
		uint64_t block = sorted[i]->block;
		if (!i || block != last)
			d->n_blocks++;
		last = block;
		sorted[i]->block = d->n_blocks - 1;
	}
}

static bool complete(const struct et_doe_data *d)
{
	ET_AUTO_FREE uint32_t *count = et_calloc(d->n_blocks * d->n_cells + 1, sizeof(*count));

	for (size_t i = 0; i < d->n; i++)
		count[d->runs[i].block * d->n_cells + d->runs[i].cell]++;
	for (size_t i = 1; i < d->n_blocks * d->n_cells; i++) {
		if (count[i] != count[0])
			return false;
	}
	return true;
}

void et_doe_data_arrange(struct et_doe_data *d, size_t n_cells)
{
	ET_AUTO_FREE size_t *at = et_calloc(n_cells + 1, sizeof(*at));

	d->n_cells = n_cells;
	d->values = et_calloc(d->n + 1, sizeof(*d->values));
	d->begin = et_calloc(n_cells + 1, sizeof(*d->begin));
	d->mean = et_calloc(n_cells + 1, sizeof(*d->mean));
	d->variance = et_calloc(n_cells + 1, sizeof(*d->variance));
	if (d->n)
		qsort(d->runs, d->n, sizeof(*d->runs), by_order);
	number_blocks(d);
	for (size_t i = 0; i < d->n; i++)
		d->begin[d->runs[i].cell + 1]++;
	for (size_t c = 0; c < n_cells; c++)
		at[c + 1] = d->begin[c + 1] += d->begin[c];
	for (size_t i = 0; i < d->n; i++)
		d->values[at[d->runs[i].cell]++] = d->runs[i].y;
	d->balanced = n_cells && et_doe_count(d, 0) > 0;
	for (size_t c = 0; c < n_cells; c++) {
		d->mean[c] = et_mean(d->values + d->begin[c], et_doe_count(d, c));
		d->variance[c] = et_variance(d->values + d->begin[c], et_doe_count(d, c));
		d->balanced = d->balanced && et_doe_count(d, c) == et_doe_count(d, 0);
	}
	d->complete = d->balanced && (d->n_blocks == 1 || complete(d));
}

size_t et_doe_count_machines(const struct et_doe_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n = d->runs[i].machine >= n ? d->runs[i].machine + (size_t)1 : n;
	return n;
}

size_t et_doe_least_count(const struct et_doe_data *d)
{
	size_t least = SIZE_MAX;

	for (size_t c = 0; c < d->n_cells; c++)
		least = et_doe_count(d, c) < least ? et_doe_count(d, c) : least;
	return least;
}

/* --- collecting --- */

/* How the response of a design is read: as the plan asks for, or else the judged metric. */
static struct et_doe_response response_of(const struct et_experiment *e)
{
	const char *wish = e->design->response;
	int metric = wish ? et_name_index(et_recorded_metric_names, wish) : -1;
	struct et_doe_response r = { .metric = e->metric, .unit = et_metrics[e->metric].unit };

	r.function = et_design_function(e->design);
	if (r.function) {
		const char *event = e->profile ? e->profile->event : "";
		r.metric = ET_METRIC_CPU;
		r.unit = !strcmp(event, "cpu-clock") ? ET_UNIT_NS : ET_UNIT_NONE;
	}
	if (metric >= 0) {
		r.metric = (enum et_metric)metric;
		r.unit = et_metrics[metric].unit;
	}
	return r;
}

/* The place that all values of a treatment of one experiment share: which blocks it has. */
struct place {
	uint32_t experiment; /* its number */
	uint32_t machine;    /* the number of its machine */
	/*
	 * Each machine is one block. Otherwise rounds are blocks, if the design wants that, and
	 * else the experiments, if they were made one after the other on one machine.
	 */
	bool machines, rounds, experiments;
	uint32_t cell;
};

static uint64_t block_of(const struct place *p, uint32_t round)
{
	if (p->machines)
		return p->machine;
	/* Rounds of different experiments are different blocks. */
	if (p->rounds)
		return (uint64_t)p->experiment << 32 | round;
	return p->experiments ? p->experiment : 0;
}

static void add(
	const struct place *p, uint32_t round, uint32_t order, double y, struct et_doe_data *out)
{
	et_doe_data_add(out, &(struct et_doe_value){ .cell = p->cell,
				     .machine = p->machine,
				     .part = p->experiment,
				     .block = block_of(p, round),
				     .order = (uint64_t)p->experiment << 32 | order,
				     .y = y });
}

static void collect_metric(const struct et_command *c, enum et_metric m, const struct place *p,
	struct et_doe_data *out)
{
	et_for_each_sample(s, &c->samples) {
		uint64_t value = et_sample_metric(s, m);
		if (et_sample_counts(s) && value != ET_UNKNOWN)
			add(p, s->place.round, s->place.order, (double)value, out);
	}
}

/* Functions of the same name in several files count together. */
static void collect_function(const struct et_experiment *e, uint32_t command, const char *name,
	const struct place *p, struct et_doe_data *out)
{
	struct et_profile_counts counts;

	et_profile_counts_make(e, command, ET_BY_FUNCTION, &counts);
	ET_AUTO_FREE double *sum = et_calloc(counts.n_runs + 1, sizeof(*sum));
	ET_AUTO_FREE double *one = et_calloc(counts.n_runs + 1, sizeof(*one));
	for (size_t g = 0; g < counts.n_groups; g++) {
		if (strcmp(e->profile->functions[counts.first[g]].name, name) != 0)
			continue;
		et_profile_counts_fill(&counts, g, false, one);
		for (size_t i = 0; i < counts.n_runs; i++)
			sum[i] += one[i];
	}
	for (size_t i = 0; i < counts.n_runs; i++) {
		double period = counts.runs[i]->period;
		add(p, counts.rounds[i], counts.runs[i]->order,
			period > 0 ? sum[i] * period : sum[i], out);
	}
	et_profile_counts_free(&counts);
}

/*
 * Adds the values of a program in one experiment: of solo runs that count. The function of a
 * profile has its CPU time, or its samples if the time from sample to sample is not known.
 */
static void collect(const struct et_experiment *e, struct place *p, uint32_t program,
	const struct et_doe_response *response, const struct et_doe_grid *grid,
	struct et_doe_data *out)
{
	for (uint32_t t = 0; t < e->design->n_treatments; t++) {
		uint32_t command = et_design_command(e->design, t, program);
		if (command >= e->n_commands)
			break;
		p->cell = grid->cell_of[t];
		if (!response->function)
			collect_metric(&e->commands[command], response->metric, p, out);
		else if (e->profile)
			collect_function(e, command, response->function, p, out);
	}
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

/* Whether each machine ran the whole design; else a campaign divided its rounds among them. */
static bool whole_each(const struct et_experiment *const *experiments, size_t n)
{
	if (experiments[0]->design->blocks == ET_BLOCKS_MACHINE || !one_campaign(experiments, n))
		return true;
	for (size_t i = 1; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct et_experiment *a = experiments[i], *b = experiments[k];
			/* A round that two machines ran was not divided; 0 is the first, too. */
			if ((a->plan.first_round ?: 1) == (b->plan.first_round ?: 1) &&
				!et_doe_same_machine(a, b))
				return true;
		}
	}
	return false;
}

struct et_doe_machines et_doe_machines_of(const struct et_experiment *const *experiments, size_t n)
{
	struct et_doe_machines m = { .names = et_calloc(n + 1, sizeof(*m.names)),
		.number = et_calloc(n, sizeof(*m.number)) };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t same = 0;
		while (same < i && !et_doe_same_machine(experiments[same], experiments[i]))
			same++;
		m.number[i] = same < i ? m.number[same] : (uint32_t)m.n;
		if (same == i) {
			m.names[m.n] = et_strdup(name_of(experiments[i], m.names, m.n));
			m.n++;
		}
	}
	m.population = m.n > 1 && whole_each(experiments, n);
	return m;
}

void et_doe_machines_free(struct et_doe_machines *m)
{
	et_strv_free(m->names);
	free(m->number);
}

static void find_machines(const struct et_experiment *const *experiments, size_t n,
	struct place *places, struct et_doe_result *out)
{
	enum et_design_blocks blocks = experiments[0]->design->blocks;
	struct et_doe_machines m = et_doe_machines_of(experiments, n);

	for (uint32_t i = 0; i < n; i++)
		places[i] = (struct place){ .experiment = i,
			.machine = m.number[i],
			.machines = m.population || (m.n > 1 && blocks != ET_BLOCKS_ROUND),
			.rounds = blocks == ET_BLOCKS_ROUND,
			.experiments = n > 1 && m.n == 1 };
	out->machines = m.names;
	out->n_machines = m.n;
	out->population = m.population;
	free(m.number);
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
	const struct place *places, struct et_doe_result *out)
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
	struct et_doe_response response = response_of(experiments[0]);
	ET_AUTO_FREE struct place *places = et_calloc(n, sizeof(*places));

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
			collect(experiments[i], &places[i], p, &response, grid, &data);
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
