/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search for the commit that changed a time: which commits it builds, measures and names. */
#include "protocol/bisect.h"
#include "num/rng.h"
#include "tap.h"

/* A history: which commits are broken, or the same program as another, and the one that is slow. */
struct history {
	uint32_t n, slow, broken_from, broken_to, twin_from, twin_to;
	double size, sd;
};

struct outcome {
	struct et_bisect_next next;
	uint32_t builds, visits, asked_twice;
	uint32_t measured_broken;
};

static double pair_of(const struct history *h, uint32_t commit, struct et_rng *rng)
{
	return (commit >= h->slow ? h->size : 0) + h->sd * et_rng_normal(rng);
}

/* The twin of a commit in the history: programs from twin_from to twin_to are the same file. */
static uint32_t twin_of(const struct history *h, uint32_t commit)
{
	return commit >= h->twin_from && commit <= h->twin_to ? h->twin_from : commit;
}

static void build(struct et_bisect *b, const struct history *h, uint32_t commit)
{
	struct et_bisect_commit *c = &b->commits[commit];

	c->state = commit >= h->broken_from && commit <= h->broken_to ? ET_BISECT_BROKEN
								      : ET_BISECT_BUILT;
	for (uint32_t i = 0; c->state == ET_BISECT_BUILT && i < commit; i++) {
		if (b->commits[i].state == ET_BISECT_BUILT && twin_of(h, i) == twin_of(h, commit)) {
			c->twin = b->commits[i].twin;
			return;
		}
	}
	/* A program that was built before is the same as an earlier one: that is its twin now. */
	for (uint32_t i = commit + 1; c->state == ET_BISECT_BUILT && i <= b->n; i++) {
		if (b->commits[i].state == ET_BISECT_BUILT && twin_of(h, i) == twin_of(h, commit))
			b->commits[i].twin = commit;
	}
}

/* A history in which an old program comes back, and is replaced again by the slow one. */
static void came_back(void)
{
	static const uint32_t programs[] = { 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1 };
	const uint32_t n = ET_LENGTH(programs) - 1;
	struct et_bisect_next next;
	struct et_bisect b;
	struct et_rng rng;
	double pairs[64];
	int steps = 0;

	et_rng_seed(&rng, 5, 1);
	et_bisect_init(&b, n, &(struct et_bisect_options){ 0.95, 0.005, NAN, 10, 4000 });
	while (steps++ < 1000) {
		next = et_bisect_next(&b);
		if (next.step == ET_BISECT_BUILD) {
			struct et_bisect_commit *c = &b.commits[next.commit];
			c->state = ET_BISECT_BUILT;
			for (uint32_t i = 0; i <= n; i++) { /* the first one that is built */
				if (b.commits[i].state == ET_BISECT_BUILT &&
					programs[i] == programs[next.commit])
					b.commits[i].twin =
						next.commit < i ? next.commit : b.commits[i].twin;
			}
			for (uint32_t i = 0; i < next.commit; i++) {
				if (b.commits[i].state == ET_BISECT_BUILT &&
					programs[i] == programs[next.commit]) {
					c->twin = b.commits[i].twin;
					break;
				}
			}
			continue;
		}
		if (next.step != ET_BISECT_MEASURE)
			break;
		for (uint32_t k = 0; k < next.pairs; k++)
			pairs[k] = 0.05 * programs[next.commit] + 0.01 * et_rng_normal(&rng);
		et_bisect_add(&b, next.commit, pairs, next.pairs);
	}
	ok(next.step == ET_BISECT_NAME && programs[next.to] == 1 && programs[next.from - 1] == 0,
		"bisect: a program that came back does not keep the search open: %u … %u",
		next.from, next.to);
	et_bisect_free(&b);
}

/* The first or the last commit does not build, and a clock that counts in large steps. */
static void ends_and_steps(void)
{
	struct et_bisect b;
	double coarse[32] = { 0 };

	for (uint32_t end = 0; end < 2; end++) {
		et_bisect_init(&b, 7, &(struct et_bisect_options){ 0.95, 0.005, NAN, 10, 4000 });
		b.commits[0].state = end ? ET_BISECT_BUILT : ET_BISECT_BROKEN;
		b.commits[7].state = end ? ET_BISECT_BROKEN : ET_BISECT_BUILT;
		struct et_bisect_next next = et_bisect_next(&b);
		ok(next.step == ET_BISECT_OPEN && next.commit == 7 * end,
			"bisect: commit %u is an end and broken: the search is open", next.commit);
		et_bisect_free(&b);
	}
	et_bisect_init(&b, 0, &(struct et_bisect_options){ 0.95, 0.005, NAN, 10, 4000 });
	b.commits[0].state = ET_BISECT_BUILT;
	ok(et_bisect_next(&b).step == ET_BISECT_NOTHING, "bisect: there are no commits between");
	et_bisect_free(&b);
	et_bisect_init(&b, 1, &(struct et_bisect_options){ 0.95, 0.005, NAN, 10, 4000 });
	b.commits[0].state = b.commits[1].state = ET_BISECT_BUILT;
	for (int k = 0; k < 12; k++)
		coarse[k * 8 % 31] = 0.1;
	et_bisect_add(&b, 1, coarse, 32);
	size_t n;
	struct et_bisect_node *nodes = et_bisect_nodes(&b, &n);
	ok(nodes[0].y > 0.02 && nodes[0].error > 0.004,
		"bisect: equal pairs are no certainty where others differ: %.4f ± %.4f", nodes[0].y,
		nodes[0].error);
	free(nodes);
	et_bisect_free(&b);
}

static struct outcome search(const struct history *h, const struct et_bisect_options *options)
{
	struct outcome out = { .builds = 0 };
	struct et_bisect b;
	struct et_rng rng;
	double pairs[64];

	et_rng_seed(&rng, 3, h->n);
	et_bisect_init(&b, h->n, options);
	for (int i = 0; i < 1000; i++) {
		out.next = et_bisect_next(&b);
		if (out.next.step == ET_BISECT_BUILD) {
			out.asked_twice += b.commits[out.next.commit].state != ET_BISECT_UNTRIED;
			build(&b, h, out.next.commit);
			out.builds++;
			continue;
		}
		if (out.next.step != ET_BISECT_MEASURE)
			break;
		out.measured_broken +=
			b.commits[out.next.commit].state != ET_BISECT_BUILT || !out.next.commit;
		for (uint32_t k = 0; k < out.next.pairs; k++)
			pairs[k] = pair_of(h, out.next.commit, &rng);
		et_bisect_add(&b, out.next.commit, pairs, out.next.pairs);
		out.visits++;
	}
	et_bisect_free(&b);
	return out;
}

static const struct et_bisect_options usual = {
	.level = 0.95, .least = 0.005, .spread = NAN, .build_cost = 10, .most = 4000
};
enum { NOWHERE = 1000000 };

static void names(const struct history *h, uint32_t from, uint32_t to, const char *what)
{
	struct outcome o = search(h, &usual);

	ok(o.next.step == ET_BISECT_NAME && o.next.from == from && o.next.to == to &&
			o.next.probability >= 0.95,
		"bisect: %s: %u … %u with %.3f after %u builds and %u visits", what, o.next.from,
		o.next.to, o.next.probability, o.builds, o.visits);
	ok(!o.asked_twice && !o.measured_broken,
		"bisect: %s: nothing is built twice, or measured without a program", what);
}

/* A program that the process has built, and not measured when it was killed, is measured. */
static void resumed(void)
{
	const struct history h = { 20, 7, NOWHERE, 0, NOWHERE, 0, 0.05, 0.005 };
	struct et_bisect b;
	struct et_rng rng;
	double pairs[32];

	et_bisect_init(&b, h.n, &usual);
	et_rng_seed(&rng, 4, 1);
	ok(et_bisect_next(&b).step == ET_BISECT_BUILD && et_bisect_next(&b).commit == 0,
		"bisect: the good commit is built first");
	build(&b, &h, 0);
	ok(et_bisect_next(&b).step == ET_BISECT_BUILD && et_bisect_next(&b).commit == 20,
		"bisect: then the bad one");
	build(&b, &h, 20);
	ok(et_bisect_next(&b).step == ET_BISECT_MEASURE && et_bisect_next(&b).commit == 20,
		"bisect: it is measured first");
	for (int k = 0; k < 32; k++)
		pairs[k] = pair_of(&h, 20, &rng);
	et_bisect_add(&b, 20, pairs, 32);
	struct et_bisect_next next = et_bisect_next(&b);
	ok(next.step == ET_BISECT_BUILD && next.commit > 0 && next.commit < 20 && next.pairs >= 8,
		"bisect: then one between is built: %u", next.commit);
	build(&b, &h, next.commit);
	struct et_bisect_next again = et_bisect_next(&b);
	ok(again.step == ET_BISECT_MEASURE && b.commits[again.commit].state == ET_BISECT_BUILT,
		"bisect: what is built is measured: %u", again.commit);
	size_t n;
	struct et_bisect_node *nodes = et_bisect_nodes(&b, &n);
	ok(n == 1 && nodes[0].first == 20 && nodes[0].last == 20 && nodes[0].pairs == 32,
		"bisect: one commit is measured");
	near(nodes[0].y, 0.05, 0.1, 0, "bisect: its ratio");
	ok(nodes[0].error > 0.0004 && nodes[0].error < 0.003, "bisect: its error: %g",
		nodes[0].error);
	free(nodes);
	et_bisect_free(&b);
}

int main(void)
{
	struct history h = { 64, 41, NOWHERE, 0, NOWHERE, 0, 0.02, 0.01 };

	names(&h, 41, 41, "one of 64 commits is slower");
	h.slow = 1;
	names(&h, 1, 1, "the first one is slower");
	h.slow = 64;
	names(&h, 64, 64, "the last one is slower");
	h = (struct history){ 1, 1, NOWHERE, 0, NOWHERE, 0, 0.02, 0.01 };
	names(&h, 1, 1, "there is only one");
	h = (struct history){ 64, 30, 28, 31, NOWHERE, 0, 0.05, 0.01 };
	names(&h, 28, 32, "four do not build, among them the slow one");
	h = (struct history){ 64, 41, NOWHERE, 0, 20, 40, 0.02, 0.01 };
	names(&h, 41, 41, "many commits before it are the same program");
	h = (struct history){ 64, 41, NOWHERE, 0, 41, 64, 0.02, 0.01 };
	names(&h, 41, 41, "all after it are the same program");
	h = (struct history){ 64, 41, NOWHERE, 0, 0, 40, 0.02, 0.01 };
	names(&h, 41, 41, "all before it are the good program");
	resumed();
	came_back();
	ends_and_steps();

	struct outcome o;
	h = (struct history){ 64, NOWHERE, NOWHERE, 0, NOWHERE, 0, 0, 0.01 };
	o = search(&h, &usual);
	ok(o.next.step == ET_BISECT_NOTHING && o.builds <= 3,
		"bisect: nothing is slower: it says so after %u builds", o.builds);
	h = (struct history){ 64, NOWHERE, NOWHERE, 0, 0, 64, 0, 0.01 };
	o = search(&h, &usual);
	ok(o.next.step == ET_BISECT_NOTHING && o.builds == 2 && !o.visits,
		"bisect: both ends are the same program: nothing is measured");
	h = (struct history){ 64, 41, NOWHERE, 0, NOWHERE, 0, -0.05, 0.01 };
	o = search(&h, &usual);
	ok(o.next.step == ET_BISECT_NOTHING, "bisect: the bad one is faster: nothing is slower");
	h = (struct history){ 64, 41, NOWHERE, 0, NOWHERE, 0, 0.02, 0.05 };
	struct et_bisect_options few = usual;
	few.most = 100;
	o = search(&h, &few);
	ok(o.next.step == ET_BISECT_OPEN && o.next.none >= 0 && o.next.probability < 0.95,
		"bisect: the budget ends a search, which then is open");
	return tap_done();
}
