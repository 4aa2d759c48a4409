/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "num/moments.h"
#include "stats/doe/program.h"
#include "stats/profile/counts.h"

#include <math.h>
#include <string.h>

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

struct et_doe_response et_doe_response_of(const struct et_experiment *e)
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

/* The place that all values of a treatment of one experiment share. */
struct place {
	const struct et_doe_place *of;
	uint32_t cell;
	bool rounds; /* are blocks */
};

static uint64_t block_of(const struct place *p, uint32_t round)
{
	if (p->of->machines)
		return p->of->machine;
	/* Rounds of different experiments are different blocks. */
	if (p->rounds)
		return (uint64_t)p->of->experiment << 32 | round;
	return p->of->experiments ? p->of->experiment : 0;
}

static void add(
	const struct place *p, uint32_t round, uint32_t order, double y, struct et_doe_data *out)
{
	et_doe_data_add(out, &(struct et_doe_value){ .cell = p->cell,
				     .machine = p->of->machine,
				     .part = p->of->experiment,
				     .block = block_of(p, round),
				     .order = (uint64_t)p->of->experiment << 32 | order,
				     .y = y });
}

static void collect_metric(const struct et_command *c, enum et_metric m, const struct place *p,
	struct et_doe_data *out)
{
	ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(&c->samples);

	for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
		uint64_t value = et_sample_metric(s, m);
		if (!s->place.warmup && s->ruling.removal.by == ET_KEPT &&
			s->place.arrangement == ET_SOLO && value != ET_UNKNOWN)
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

void et_doe_data_collect(const struct et_experiment *e, const struct et_doe_place *place,
	uint32_t program, const struct et_doe_response *response, const struct et_doe_grid *grid,
	struct et_doe_data *out)
{
	const struct et_design *d = e->design;
	struct place p = { .of = place, .rounds = d->blocks == ET_BLOCKS_ROUND };

	for (uint32_t t = 0; t < d->n_treatments; t++) {
		uint32_t command = et_design_command(d, t, program);
		if (command >= e->n_commands)
			break;
		p.cell = grid->cell_of[t];
		if (!response->function)
			collect_metric(&e->commands[command], response->metric, &p, out);
		else if (e->profile)
			collect_function(e, command, response->function, &p, out);
	}
}
