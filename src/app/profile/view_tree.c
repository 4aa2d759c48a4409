/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/profile/view_tree.h"
#include "base/alloc.h"
#include "base/doubles.h"
#include "draw/terminal.h"
#include "num/student.h"
#include "stats/profile/counts.h"

#include <math.h>
#include <string.h>

/* Sums up the samples of each node with those below it; a node comes after its parent. */
static void sum_run(const struct et_profile *p, const struct et_profile_run *run, double *total)
{
	memset(total, 0, p->n_nodes * sizeof(*total));
	for (size_t i = 0; i < run->n_counts; i++)
		total[run->counts[i].node] += (double)run->counts[i].samples;
	for (size_t i = p->n_nodes; i-- > 1;)
		total[p->nodes[i].parent] += total[i];
}

struct et_profile_box *et_profile_tree(
	const struct et_experiment *e, uint32_t command, double level)
{
	const struct et_profile *p = e->profile;
	struct et_profile_box *boxes = et_calloc(p->n_nodes, sizeof(*boxes));
	ET_AUTO_FREE double *total = et_calloc(p->n_nodes, sizeof(*total));
	ET_AUTO_FREE struct et_welford *shares = et_calloc(p->n_nodes, sizeof(*shares));
	struct et_profile_counts counts;

	et_profile_counts_make(e, command, ET_BY_MODULE, &counts);
	double n = (double)counts.n_runs, with_share = 0;
	for (size_t r = 0; r < counts.n_runs; r++) {
		const struct et_profile_run *run = counts.runs[r];
		if (!run->samples) /* it has no shares, as in the table */
			continue;
		with_share++;
		sum_run(p, run, total);
		for (size_t i = 0; i < run->n_counts; i++)
			boxes[run->counts[i].node].self += (double)run->counts[i].samples / n;
		for (size_t i = 0; i < p->n_nodes; i++) {
			et_welford_add(&shares[i], total[i] / (double)run->samples);
			boxes[i].total += total[i] / n;
		}
	}
	double t = with_share < 2 ? NAN : et_qt(0.5 + level / 2, with_share - 1);
	for (size_t i = 0; i < p->n_nodes; i++) {
		boxes[i].share = shares[i].mean;
		boxes[i].half = t * sqrt(shares[i].squares / (with_share * (with_share - 1)));
	}
	et_profile_counts_free(&counts);
	return boxes;
}

/* Semicolons separate functions in folded stacks, so none may be in a name. */
static void write_name(const char *name, FILE *out)
{
	ET_AUTO_FREE char *clean = et_clean(name, "");

	for (char *s = clean; *s; s++)
		putc(*s == ';' ? ':' : *s, out);
}

void et_profile_stack(const struct et_profile *p, uint32_t node, const char *join, FILE *out)
{
	uint32_t depth = 0;

	for (uint32_t i = node; i != ET_PROFILE_ROOT; i = p->nodes[i].parent)
		depth++;
	ET_AUTO_FREE uint32_t *path = et_calloc(depth + 1, sizeof(*path));
	for (uint32_t i = node, at = depth; i != ET_PROFILE_ROOT; i = p->nodes[i].parent)
		path[--at] = p->nodes[i].function;
	for (uint32_t i = 0; i < depth; i++) {
		fputs(i ? join : "", out);
		write_name(p->functions[path[i]].name, out);
	}
}
