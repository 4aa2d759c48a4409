/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/counts.h"

/* --- the runs that count --- */

/* Both lists are in order of execution. A run of an imported profile may have no sample. */
static void choose_runs(
	const struct et_experiment *e, uint32_t command, struct et_profile_counts *c)
{
	const struct et_profile *p = e->profile;
	ET_AUTO_READER struct et_sample_reader reader =
		et_samples_read_figures(&e->commands[command].samples);
	const struct et_sample *s = et_sample_reader_next(&reader);

	c->runs = et_calloc(p->n_runs + 1, sizeof(const struct et_profile_run *));
	c->rounds = et_calloc(p->n_runs + 1, sizeof(*c->rounds));
	c->totals = et_calloc(p->n_runs + 1, sizeof(*c->totals));
	for (size_t i = 0; i < p->n_runs; i++) {
		const struct et_profile_run *run = &p->runs[i];
		if (run->command != command || run->warmup)
			continue;
		while (s && s->place.order < run->order)
			s = et_sample_reader_next(&reader);
		bool known = s && s->place.order == run->order;
		if (known && s->ruling.removal.by != ET_KEPT)
			continue;
		c->lost += run->lost;
		c->overruns += run->overruns;
		c->throttled += run->throttled;
		c->tasks += run->tasks;
		c->short_tasks += run->short_tasks;
		if (run->throttled || run->lost) {
			c->invalid++;
			continue;
		}
		uint64_t cpu = known ? et_sample_metric(s, ET_METRIC_CPU) : ET_UNKNOWN;
		c->cpu_ns += cpu == ET_UNKNOWN ? NAN : (double)cpu;
		c->runs[c->n_runs] = run;
		c->rounds[c->n_runs] = known ? s->place.round : (uint32_t)c->n_runs;
		c->totals[c->n_runs++] = (double)run->samples;
	}
}

/* --- groups --- */

static uint32_t *group_by_module(const struct et_profile *p, struct et_profile_counts *c)
{
	uint32_t *group = et_calloc(p->n_functions + 1, sizeof(*group));
	struct et_hash seen = { .width = sizeof(uint64_t) };

	for (uint32_t f = 0; f < p->n_functions; f++) {
		const char *module = p->functions[f].module;
		uint64_t key = et_hash_text(module) | 1, *place; /* the group + 1; 0: it is new */
		/* Paths come from strangers, who can make hashes collide. */
		while (*(place = et_hash_put(&seen, key)) &&
			strcmp(p->functions[c->first[*place - 1]].module, module))
			key += 2;
		if (!*place) {
			c->first[c->n_groups++] = f;
			*place = c->n_groups;
		}
		group[f] = (uint32_t)*place - 1;
	}
	et_hash_free(&seen);
	return group;
}

static uint32_t *make_groups(
	const struct et_profile *p, enum et_profile_by by, struct et_profile_counts *c)
{
	c->first = et_calloc(p->n_functions + 1, sizeof(*c->first));
	if (by == ET_BY_MODULE)
		return group_by_module(p, c);
	uint32_t *group = et_calloc(p->n_functions + 1, sizeof(*group));
	for (uint32_t f = 0; f < p->n_functions; f++)
		group[f] = c->first[f] = f;
	c->n_groups = p->n_functions;
	return group;
}

/* --- the tree of calling contexts --- */

struct tree {
	const struct et_profile *profile;
	uint32_t *group;               /* of each node; ET_PROFILE_NONE: of the root */
	bool *again;                   /* of each node: a caller of it has the same group */
	double *below;                 /* of each node: samples in it and in what it called */
	struct et_profile_entry *sums; /* of each group, in one run */
};

/* A walk through the tree that counts which groups are on the stack, linear in its size. */
static void mark_repeated(struct tree *t, size_t n_groups)
{
	const struct et_profile *p = t->profile;
	ET_AUTO_FREE uint32_t *child = et_calloc(p->n_nodes, sizeof(*child));
	ET_AUTO_FREE uint32_t *sibling = et_calloc(p->n_nodes, sizeof(*sibling));
	ET_AUTO_FREE uint32_t *on_stack = et_calloc(n_groups + 1, sizeof(*on_stack));
	uint32_t node = ET_PROFILE_ROOT;

	for (uint32_t i = (uint32_t)p->n_nodes; i-- > 1;) {
		sibling[i] = child[p->nodes[i].parent];
		child[p->nodes[i].parent] = i;
	}
	while (true) {
		if (child[node]) {
			node = child[node];
		} else {
			while (node && !sibling[node]) {
				on_stack[t->group[node]]--;
				node = p->nodes[node].parent;
			}
			if (!node)
				return;
			on_stack[t->group[node]]--;
			node = sibling[node];
		}
		t->again[node] = on_stack[t->group[node]]++ > 0;
	}
}

static void make_tree(
	const struct et_profile *p, const uint32_t *group, size_t n_groups, struct tree *t)
{
	*t = (struct tree){ .profile = p,
		.group = et_calloc(p->n_nodes, sizeof(*t->group)),
		.again = et_calloc(p->n_nodes, sizeof(*t->again)),
		.below = et_calloc(p->n_nodes, sizeof(*t->below)),
		.sums = et_calloc(n_groups + 1, sizeof(*t->sums)) };
	for (size_t i = 0; i < p->n_nodes; i++) {
		uint32_t f = p->nodes[i].function;
		t->group[i] = f == ET_PROFILE_NONE ? ET_PROFILE_NONE : group[f];
	}
	mark_repeated(t, n_groups);
}

/* A recursive function counts once per sample: for its outermost call. */
static void sum_run(const struct et_profile_run *run, struct tree *t)
{
	const struct et_profile *p = t->profile;

	memset(t->below, 0, p->n_nodes * sizeof(*t->below));
	for (size_t i = 0; i < run->n_counts; i++) {
		const struct et_profile_count *count = &run->counts[i];
		uint32_t g = t->group[count->node];
		t->below[count->node] += (double)count->samples;
		if (g == ET_PROFILE_NONE)
			continue;
		t->sums[g].self += (double)count->samples;
		t->sums[g].at_entry += (double)count->at_entry;
	}
	for (size_t i = p->n_nodes; i-- > 1;) {
		t->below[p->nodes[i].parent] += t->below[i];
		if (!t->again[i])
			t->sums[t->group[i]].total += t->below[i];
	}
}

/* --- entries --- */

struct found {
	uint32_t group;
	struct et_profile_entry entry;
};

struct list {
	struct found *found;
	size_t n, room;
};

/* Takes the groups that the run saw, and clears the tree for the next one. */
static void take_run(struct tree *t, uint32_t run, size_t n_groups, struct list *all)
{
	for (uint32_t g = 0; g < n_groups; g++) {
		if (!(t->sums[g].total > 0))
			continue;
		ET_GROW(all->found, all->n, all->room);
		t->sums[g].run = run;
		all->found[all->n++] = (struct found){ g, t->sums[g] };
		t->sums[g] = (struct et_profile_entry){ 0 };
	}
}

/* Sorts by group; the runs of a group stay in order. */
static void sort_entries(const struct list *all, struct et_profile_counts *c)
{
	c->begin = et_calloc(c->n_groups + 2, sizeof(*c->begin));
	c->entries = et_calloc(all->n + 1, sizeof(*c->entries));
	for (size_t i = 0; i < all->n; i++)
		c->begin[all->found[i].group + 2]++;
	for (size_t g = 2; g <= c->n_groups + 1; g++)
		c->begin[g] += c->begin[g - 1];
	for (size_t i = 0; i < all->n; i++)
		c->entries[c->begin[all->found[i].group + 1]++] = all->found[i].entry;
}

void et_profile_counts_make(const struct et_experiment *e, uint32_t command, enum et_profile_by by,
	struct et_profile_counts *out)
{
	const struct et_profile *p = e->profile;
	struct list all = { 0 };
	struct tree tree;

	*out = (struct et_profile_counts){ 0 };
	choose_runs(e, command, out);
	ET_AUTO_FREE uint32_t *group = make_groups(p, by, out);
	make_tree(p, group, out->n_groups, &tree);
	for (size_t i = 0; i < out->n_runs; i++) {
		sum_run(out->runs[i], &tree);
		take_run(&tree, (uint32_t)i, out->n_groups, &all);
	}
	sort_entries(&all, out);
	out->addresses = p->way != ET_PROFILE_IMPORTED;
	for (size_t i = 0; i < all.n && !out->addresses; i++)
		out->addresses = all.found[i].entry.at_entry > 0;
	free(all.found);
	free(tree.group);
	free(tree.again);
	free(tree.below);
	free(tree.sums);
}

void et_profile_counts_free(struct et_profile_counts *c)
{
	free(c->runs);
	free(c->rounds);
	free(c->totals);
	free(c->first);
	free(c->entries);
	free(c->begin);
	memset(c, 0, sizeof(*c));
}

void et_profile_counts_fill(const struct et_profile_counts *c, size_t group, bool total, double *x)
{
	memset(x, 0, c->n_runs * sizeof(*x));
	if (group == ET_PROFILE_NONE)
		return;
	for (size_t i = c->begin[group]; i < c->begin[group + 1]; i++)
		x[c->entries[i].run] = total ? c->entries[i].total : c->entries[i].self;
}

double et_profile_counts_sum(
	const struct et_profile_counts *c, size_t group, bool total, double *at_entry)
{
	double sum = 0, entry = 0;

	if (group == ET_PROFILE_NONE)
		return 0;
	for (size_t i = c->begin[group]; i < c->begin[group + 1]; i++) {
		sum += total ? c->entries[i].total : c->entries[i].self;
		entry += c->entries[i].at_entry;
	}
	if (at_entry)
		*at_entry = entry;
	return sum;
}
