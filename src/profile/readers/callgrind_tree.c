/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/readers/callgrind_tree.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

/*
 * A context that costs less than this part of the total is not unfolded: its functions keep their
 * cost, but without callers. The number of contexts is bounded, too, because a graph of n functions
 * can have 2^n of them.
 */
static const double least_part = 1e-7;
enum { MOST_CONTEXTS = 1 << 20 };

void et_call_graph_init(struct et_call_graph *g)
{
	*g = (struct et_call_graph){ .by_pair.width = sizeof(uint64_t) };
}

void et_call_graph_free(struct et_call_graph *g)
{
	free(g->self);
	free(g->arcs);
	et_hash_free(&g->by_pair);
}

static void make_room(struct et_call_graph *g, uint32_t function)
{
	size_t room = 2 * (size_t)function + 16;

	if (function < g->functions)
		return;
	g->self = et_realloc(g->self, room, sizeof(*g->self));
	memset(g->self + g->functions, 0, (room - g->functions) * sizeof(*g->self));
	g->functions = room;
}

bool et_call_graph_self(struct et_call_graph *g, uint32_t function, uint64_t cost)
{
	make_room(g, function);
	return !__builtin_add_overflow(g->self[function], cost, &g->self[function]);
}

bool et_call_graph_call(struct et_call_graph *g, uint32_t caller, uint32_t callee, uint64_t cost)
{
	uint64_t key = ((uint64_t)caller << 32 | callee) + 1;
	const uint64_t *found = et_hash_find(&g->by_pair, key);

	make_room(g, caller);
	make_room(g, callee);
	/* A recursive call has its cost in that of the call from outside. */
	if (caller == callee)
		return true;
	if (!found) {
		ET_GROW(g->arcs, g->n_arcs, g->arcs_room);
		g->arcs[g->n_arcs] = (struct et_call_arc){ caller, callee, cost };
		*(uint64_t *)et_hash_put(&g->by_pair, key) = g->n_arcs++;
		return true;
	}
	struct et_call_arc *a = &g->arcs[*found];
	return !__builtin_add_overflow(a->cost, cost, &a->cost);
}

/* --- unfolding --- */

/* A function of the context that is being unfolded. */
struct level {
	uint32_t function, node;
	double part; /* of the function's cost that is in this context */
	size_t arc;  /* the next one */
};

struct function {
	double cost;   /* inclusive: the larger of what it spent and what its callers paid */
	double paid;   /* by its callers */
	size_t first;  /* arc */
	uint64_t left; /* self cost that no context has yet */
	double part;   /* that contexts have */
	uint32_t node; /* the context with the largest self cost */
	uint64_t most; /* its self cost */
	bool open;     /* it is in the context that is being unfolded */
};

struct unfolding {
	struct et_call_graph *g;
	struct et_reader *r;
	struct function *f;
	struct level *stack;
	size_t depth, room;
	size_t contexts;
	double least; /* cost of a context that is unfolded */
};

static int by_caller(const void *a, const void *b)
{
	const struct et_call_arc *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static void prepare(struct unfolding *u)
{
	struct et_call_graph *g = u->g;
	double total = 0;

	if (g->n_arcs)
		qsort(g->arcs, g->n_arcs, sizeof(*g->arcs), by_caller);
	for (size_t i = 0; i < g->functions; i++) {
		u->f[i].cost = (double)g->self[i];
		u->f[i].left = g->self[i];
		u->f[i].first = g->n_arcs;
		total += (double)g->self[i];
	}
	for (size_t i = g->n_arcs; i-- > 0;) {
		const struct et_call_arc *a = &g->arcs[i];
		u->f[a->caller].cost += (double)a->cost;
		u->f[a->caller].first = i;
		u->f[a->callee].paid += (double)a->cost;
	}
	for (size_t i = 0; i < g->functions; i++)
		u->f[i].cost = fmax(u->f[i].cost, u->f[i].paid);
	u->least = total * least_part;
}

static int enter(struct unfolding *u, uint32_t parent, uint32_t function, double part)
{
	struct function *f = &u->f[function];
	double share = round((double)u->g->self[function] * part);
	uint64_t self = share < (double)f->left ? (uint64_t)share : f->left;
	uint32_t node;
	int rc = et_reader_node(u->r, parent, function, &node);

	if (!rc && self)
		rc = et_reader_add(u->r, node, self, 0);
	if (rc)
		return rc;
	f->left -= self;
	f->part += part;
	if (self >= f->most) {
		f->most = self;
		f->node = node;
	}
	f->open = true;
	u->contexts++;
	ET_GROW(u->stack, u->depth, u->room);
	u->stack[u->depth++] = (struct level){ function, node, part, f->first };
	return 0;
}

static int unfold_from(struct unfolding *u, uint32_t function, double part)
{
	int rc = enter(u, ET_PROFILE_ROOT, function, part);

	while (!rc && u->depth) {
		struct level *top = &u->stack[u->depth - 1];
		const struct et_call_arc *a = &u->g->arcs[top->arc];

		if (top->arc >= u->g->n_arcs || a->caller != top->function) {
			u->f[top->function].open = false;
			u->depth--;
			continue;
		}
		top->arc++;
		double cost = (double)a->cost * top->part;
		if (!u->f[a->callee].open && cost > 0 && cost >= u->least &&
			u->contexts < MOST_CONTEXTS && u->depth < ET_READER_DEEPEST)
			rc = enter(u, top->node, a->callee, cost / u->f[a->callee].cost);
	}
	return rc;
}

/* Adds the self cost that is left: the rest of rounding to a context, other costs without callers.
 */
static int add_rest(struct unfolding *u)
{
	int rc = 0;

	for (size_t i = 0; i < u->g->functions && !rc; i++) {
		const struct function *f = &u->f[i];
		uint32_t node = f->node;
		if (!f->left)
			continue;
		if (f->part < 1 - 1e-9)
			rc = et_reader_node(u->r, ET_PROFILE_ROOT, (uint32_t)i, &node);
		if (!rc)
			rc = et_reader_add(u->r, node, f->left, 0);
	}
	return rc;
}

int et_call_graph_unfold(struct et_call_graph *g, struct et_reader *r)
{
	struct unfolding u = { .g = g, .r = r, .f = et_calloc(g->functions + 1, sizeof(*u.f)) };
	int rc = 0;

	prepare(&u);
	for (size_t i = 0; i < g->functions && !rc; i++) {
		const struct function *f = &u.f[i];
		if (f->cost > f->paid && u.contexts < MOST_CONTEXTS)
			rc = unfold_from(&u, (uint32_t)i, (f->cost - f->paid) / f->cost);
	}
	if (!rc)
		rc = add_rest(&u);
	free(u.f);
	free(u.stack);
	return rc;
}
