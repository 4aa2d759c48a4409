/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/bisect.h"
#include "num/changepoints.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/sequence.h"

#include <math.h>

enum { FIRST_VISIT = 32, LONGEST_VISIT = 64, FLANKS = 2 };

void et_bisect_init(struct et_bisect *b, uint32_t n, const struct et_bisect_options *options)
{
	*b = (struct et_bisect){
		.n = n, .commits = et_calloc(n + 1, sizeof(*b->commits)), .options = *options
	};
	for (uint32_t i = 0; i <= n; i++)
		b->commits[i].twin = i;
}

void et_bisect_free(struct et_bisect *b)
{
	free(b->commits);
	free(b->pairs);
	*b = (struct et_bisect){ 0 };
}

void et_bisect_add(struct et_bisect *b, uint32_t commit, const double *log_ratios, size_t n)
{
	b->visits++;
	for (size_t i = 0; i < n; i++) {
		ET_GROW(b->pairs, b->n_pairs, b->cap);
		b->pairs[b->n_pairs++] =
			(struct et_bisect_pair){ commit, b->visits, log_ratios[i] };
	}
}

/* --- what was measured --- */

/* The view of one call: nodes, their values, and the changes that explain them. */
struct view {
	const struct et_bisect *b;
	uint32_t good_last; /* the last commit that is the good program */
	struct et_bisect_node *nodes;
	size_t n;
	double pair_variance; /* of a mean, times its number of pairs: with dependence */
	struct et_changepoints changes;
};

static int by_first(const void *a, const void *b)
{
	const struct et_bisect_node *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* The nodes that have pairs, in order; *good_last: see above. */
static struct et_bisect_node *make_nodes(const struct et_bisect *b, size_t *n, uint32_t *good_last)
{
	struct et_bisect_node *nodes = et_calloc(b->n + 2, sizeof(*nodes));
	ET_AUTO_FREE size_t *of = et_calloc(b->n + 1, sizeof(*of)); /* of each twin: its node + 1 */

	*n = 0;
	*good_last = 0;
	for (size_t k = 0; k < b->n_pairs; k++) {
		uint32_t twin = b->commits[b->pairs[k].commit].twin;
		if (!of[twin]) {
			nodes[(*n)++] = (struct et_bisect_node){ .first = twin, .last = twin };
			of[twin] = *n;
		}
		nodes[of[twin] - 1].pairs++;
	}
	for (uint32_t i = 1; i <= b->n; i++) {
		size_t node = of[b->commits[i].twin];
		if (node)
			nodes[node - 1].last = i;
	}
	qsort(nodes, *n, sizeof(*nodes), by_first);
	/* Where another program lies between, the same one came back: it ends before that. */
	for (size_t i = 0; i + 1 < *n; i++) {
		if (nodes[i].last >= nodes[i + 1].first)
			nodes[i].last = nodes[i].first;
	}
	for (uint32_t i = 1; *n && i < nodes[0].first; i++) {
		if (b->commits[i].twin == 0)
			*good_last = i;
	}
	return nodes;
}

static size_t node_of(const struct view *v, uint32_t commit)
{
	uint32_t twin = v->b->commits[commit].twin;
	size_t i = 0;

	while (i < v->n && v->nodes[i].first != twin)
		i++;
	return i;
}

/* The autocorrelation of scores within visits; what is not shown counts half. */
static double dependence(const struct et_bisect *b, const double *scores, size_t nodes)
{
	double squares = 0, products = 0;
	size_t n = 0;

	for (size_t k = 0; k < b->n_pairs; k++) {
		squares += scores[k] * scores[k];
		if (k && b->pairs[k].visit == b->pairs[k - 1].visit) {
			products += scores[k] * scores[k - 1];
			n++;
		}
	}
	if (!n || !(squares > 0))
		return 0;
	double all = (double)b->n_pairs, r = products / (double)n / (squares / all);
	r += (double)nodes / all; /* a mean that was estimated makes it smaller */
	if (r < 2 / sqrt((double)n + 1))
		r = fmax(r, 0) / 2;
	return fmin(r, 0.9);
}

/* Copies the log ratios of node i to x; of[k] is the node of pair k. Returns how many there are. */
static size_t pairs_of(const struct view *v, const size_t *of, size_t i, double *x)
{
	size_t n = 0;

	for (size_t k = 0; k < v->b->n_pairs; k++) {
		if (of[k] == i)
			x[n++] = v->b->pairs[k].log_ratio;
	}
	return n;
}

/* Huber's locations of all nodes with one scale, and the variance of a pair. */
static void locate(struct view *v)
{
	const struct et_bisect *b = v->b;
	size_t all = b->n_pairs;
	ET_AUTO_FREE double *x = et_calloc(all + 1, sizeof(*x));
	ET_AUTO_FREE double *scores = et_calloc(all + 1, sizeof(*scores));
	ET_AUTO_FREE size_t *of = et_calloc(all + 1, sizeof(*of));
	double squares = 0, within = 0, freedom = fmax((double)all - (double)v->n, 4);

	for (size_t k = 0; k < all; k++)
		of[k] = node_of(v, b->pairs[k].commit);
	for (size_t i = 0; i < v->n; i++)
		v->nodes[i].y = et_median(x, pairs_of(v, of, i, x));
	for (size_t k = 0; k < all; k++)
		x[k] = fabs(b->pairs[k].log_ratio - v->nodes[of[k]].y);
	double sd = 1.4826 * et_median(x, all) * sqrt((double)all / freedom);
	/* If more than half of the pairs are equal, none is a far one. */
	double most = sd > 0 ? ET_HUBER * sd : INFINITY;
	for (size_t i = 0; i < v->n; i++) {
		size_t n = pairs_of(v, of, i, x);
		v->nodes[i].y = sd > 0 ? et_huber(x, n, v->nodes[i].y, sd) : et_mean(x, n);
	}
	for (size_t k = 0; k < all; k++) {
		double far = b->pairs[k].log_ratio - v->nodes[of[k]].y;
		scores[k] = fmax(-most, fmin(most, far));
		squares += scores[k] * scores[k];
		within += fabs(far) <= most;
	}
	within /= (double)all;
	double r = dependence(b, scores, v->n);
	v->pair_variance =
		squares / freedom / (within * within) * (1 + 2 / freedom) * (1 + r) / (1 - r);
	for (size_t i = 0; i < v->n; i++)
		v->nodes[i].error = sqrt(v->pair_variance / (double)v->nodes[i].pairs);
}

/* How many commits may be the culprit that shows at node i. */
static double gap_before(const struct view *v, size_t i)
{
	return (double)v->nodes[i].first - (i ? v->nodes[i - 1].last : v->good_last);
}

static void open_view(struct view *v, const struct et_bisect *b)
{
	double positions = 0;

	*v = (struct view){ .b = b };
	v->nodes = make_nodes(b, &v->n, &v->good_last);
	if (!v->n)
		return;
	locate(v);
	ET_AUTO_FREE struct et_changepoints_value *values = et_calloc(v->n, sizeof(*values));
	for (size_t i = 0; i < v->n; i++) {
		/* Equal pairs are not known better than the clock. */
		double error = fmax(v->nodes[i].error, 1e-6);
		values[i] = (struct et_changepoints_value){ v->nodes[i].y, error * error,
			gap_before(v, i) };
		positions += values[i].gap;
	}
	et_changepoints_find(values, v->n, positions, b->options.spread, &v->changes);
}

static void close_view(struct view *v)
{
	free(v->nodes);
	if (v->n)
		et_changepoints_free(&v->changes);
}

struct et_bisect_node *et_bisect_nodes(const struct et_bisect *b, size_t *n)
{
	struct view v = { .b = b };

	v.nodes = make_nodes(b, &v.n, &v.good_last);
	if (v.n)
		locate(&v);
	*n = v.n;
	return v.nodes;
}

/* --- what next --- */

/* The probability that the change is at or before commit i. */
static double cumulative(const struct view *v, double i)
{
	double f = 0, all = 0;

	for (size_t j = 0; j < v->n; j++) {
		double p = v->changes.gaps[j].largest, hi = v->nodes[j].first,
		       lo = hi - gap_before(v, j);
		all += p;
		if (i >= hi)
			f += p;
		else if (i > lo)
			f += p * (i - lo) / (hi - lo);
	}
	return all > 0 ? f / all : 0.5;
}

static bool is_measured(const struct view *v, uint32_t commit)
{
	const struct et_bisect_commit *c = &v->b->commits[commit];

	return c->state == ET_BISECT_BUILT && (c->twin == 0 || node_of(v, commit) < v->n);
}

/* Whether a visit may tell more about it: it is not known to be broken, and has no pairs yet. */
static bool is_new(const struct view *v, uint32_t commit)
{
	return v->b->commits[commit].state != ET_BISECT_BROKEN && !is_measured(v, commit);
}

/* The nearest commit to this one that is new; 0: there is none within some steps. */
static uint32_t new_near(const struct view *v, uint32_t commit)
{
	for (int64_t s = 0; s < 12; s++) {
		int64_t i = (int64_t)commit + (s % 2 ? -(s + 1) / 2 : s / 2);
		if (i < 1 || i >= (int64_t)v->b->n)
			continue;
		if (is_new(v, (uint32_t)i))
			return (uint32_t)i;
		if (s > 3 && is_measured(v, (uint32_t)i))
			break;
	}
	return 0;
}

struct choice {
	double rate; /* bits per cost of a pair */
	uint32_t commit, pairs;
};

/* The bits that pairs of a commit are worth, and what they cost. */
static void weigh(const struct view *v, uint32_t commit, size_t node, struct choice *best)
{
	const struct et_bisect *b = v->b;
	double spread = v->changes.spread * v->changes.spread;
	double size = fmax(fabs(v->changes.rise), 0.002);
	double cost = b->commits[commit].state == ET_BISECT_BUILT ? 0 : b->options.build_cost;
	double p = commit >= b->n ? 1 : cumulative(v, commit);
	uint32_t least = b->n_pairs > 1000 ? 64 : b->n_pairs > 500 ? 32 : b->n_pairs > 250 ? 16 : 8;

	for (uint32_t n = least; n <= LONGEST_VISIT; n *= 2) {
		double variance = v->pair_variance / n, distance = size;
		if (node < v->n) {
			/* More pairs of the same build do not remove its luck. */
			double known = v->nodes[node].error * v->nodes[node].error,
			       share = spread / fmax(spread + known, 1e-18);
			distance *= 1 - share;
			variance += share * known;
		} else {
			variance += spread;
		}
		double rate =
			et_information(p, distance / sqrt(fmax(variance, 1e-18))) / (n + cost);
		if (rate > best->rate)
			*best = (struct choice){ rate, commit, n };
	}
}

static struct choice choose(const struct view *v)
{
	const struct et_bisect *b = v->b;
	struct choice best = { 1e-5, b->n, FIRST_VISIT };

	/* New ones: those nearest to the quantiles of the posterior. */
	for (int q = 1; q < 20 && b->n > 1; q++) {
		uint32_t lo = 1, hi = b->n - 1;
		while (lo < hi) {
			uint32_t middle = lo + (hi - lo) / 2;
			if (cumulative(v, middle) < q / 20.0)
				lo = middle + 1;
			else
				hi = middle;
		}
		uint32_t near = new_near(v, lo);
		if (near)
			weigh(v, near, v->n, &best);
	}
	for (size_t i = 0; i < v->n; i++)
		weigh(v, v->nodes[i].last < b->n ? v->nodes[i].first : b->n, i, &best);
	return best;
}

/* The gap without new commits that has the largest probability; v->n: there is none. */
static size_t closed_gap(const struct view *v)
{
	size_t best = v->n;

	for (size_t j = 0; j < v->n; j++) {
		uint32_t to = v->nodes[j].first, from = to - (uint32_t)gap_before(v, j) + 1;
		bool open = false;
		for (uint32_t i = from; i < to; i++)
			open = open || is_new(v, i);
		if (!open && from <= to &&
			(best == v->n ||
				v->changes.gaps[j].largest > v->changes.gaps[best].largest))
			best = j;
	}
	return best;
}

/* A new commit just outside of what would be named, so that one lucky build does not decide. */
static uint32_t missing_flank(const struct view *v, uint32_t from, uint32_t to)
{
	const struct et_bisect *b = v->b;
	uint32_t before = 0, after = 0;

	for (size_t j = 0; j < v->n; j++) {
		const struct et_bisect_node *n = &v->nodes[j];
		before += n->last < from && n->last + 1 + FLANKS >= from;
		after += n->first >= to && n->first <= to + FLANKS;
	}
	/* The good one itself is a neighbour that is known. */
	for (uint32_t d = 1; before < FLANKS && d <= 2 * FLANKS && from > d + 1; d++) {
		if (is_new(v, from - 1 - d))
			return from - 1 - d;
	}
	for (uint32_t d = 1; after < FLANKS && d <= 2 * FLANKS && to + d < b->n; d++) {
		if (is_new(v, to + d))
			return to + d;
	}
	return 0;
}

static void visit(const struct view *v, uint32_t commit, uint32_t pairs, struct et_bisect_next *out)
{
	bool built = v->b->commits[commit].state == ET_BISECT_BUILT;

	out->step = built ? ET_BISECT_MEASURE : ET_BISECT_BUILD;
	out->commit = commit;
	out->pairs = pairs;
}

/* A visit of a flank is as long as what its neighbours have. */
static uint32_t as_neighbours(const struct view *v, uint32_t from, uint32_t to)
{
	size_t most = 16;

	for (size_t j = 0; j < v->n; j++) {
		bool beside = v->nodes[j].last + 1 == from || v->nodes[j].first == to;
		most = beside && v->nodes[j].pairs > most ? v->nodes[j].pairs : most;
	}
	return most > LONGEST_VISIT ? LONGEST_VISIT : (uint32_t)most;
}

static void decide(const struct view *v, struct et_bisect_next *out)
{
	const struct et_bisect *b = v->b;
	const struct et_bisect_node *bad = &v->nodes[v->n - 1];
	size_t gap = closed_gap(v);
	bool named = false, used_up = b->n_pairs >= b->options.most;

	if (gap < v->n) {
		out->to = v->nodes[gap].first;
		out->from = out->to - (uint32_t)gap_before(v, gap) + 1;
		out->probability = v->changes.gaps[gap].largest;
		named = out->probability >= b->options.level;
	}
	if (named) {
		uint32_t flank = missing_flank(v, out->from, out->to);
		out->step = ET_BISECT_NAME;
		if (flank && !used_up)
			visit(v, flank, as_neighbours(v, out->from, out->to), out);
		return;
	}
	if (out->none >= b->options.level ||
		(bad->last == b->n && bad->y + 1.96 * bad->error < b->options.least)) {
		out->step = ET_BISECT_NOTHING;
		return;
	}
	out->step = ET_BISECT_OPEN;
	if (used_up)
		return;
	/* First: is there a difference at all? More pairs help until the luck of builds prevails.
	 */
	bool ends = out->none > 0.05 && bad->error * bad->error > out->spread * out->spread / 4 &&
		    b->n_pairs < 2000;
	struct choice c = ends ? (struct choice){ 0, b->n, FIRST_VISIT } : choose(v);
	visit(v, c.commit, c.pairs, out);
}

struct et_bisect_next et_bisect_next(const struct et_bisect *b)
{
	struct et_bisect_next out = { .step = ET_BISECT_NOTHING };
	struct view v;

	const uint32_t ends[] = { 0, b->n };
	for (size_t i = 0; i < ET_LENGTH(ends); i++) {
		enum et_bisect_state state = b->commits[ends[i]].state;
		if (state == ET_BISECT_BUILT)
			continue;
		out.step = state == ET_BISECT_BROKEN ? ET_BISECT_OPEN : ET_BISECT_BUILD;
		out.commit = ends[i];
		return out;
	}
	if (b->commits[b->n].twin == 0)
		return out;
	open_view(&v, b);
	if (!v.n) {
		visit(&v, b->n, FIRST_VISIT, &out);
	} else {
		out.none = v.changes.none;
		out.rise = v.changes.rise;
		out.spread = v.changes.spread;
		decide(&v, &out);
	}
	close_view(&v);
	return out;
}
