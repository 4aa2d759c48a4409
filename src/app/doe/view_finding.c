/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of a designed experiment in plain words. */
#include "app/doe/view.h"
#include "base/memstream.h"

#include <math.h>
#include <string.h>

static int order_of(const struct et_doe_effect *e)
{
	return __builtin_popcount(e->factors);
}

bool et_doe_has_interval(const struct et_doe_effect *e)
{
	return isfinite(e->lo) && isfinite(e->hi) && (e->lo != 0 || e->hi != 0);
}

/* --- changes in percent --- */

/*
 * Ends of the ratio of two means, b / a, by Fieller (1954). The half widths of their intervals and
 * of that of their difference give the covariance; so the interval has 1 in it if, and only if,
 * that of the difference has 0 in it. Returns false if it has no ends, or useless ones: of a first
 * mean that may be anything from half to one and a half times as large, as that of two machines.
 */
static bool ratio_ends(const struct et_doe_mean *a, const struct et_doe_mean *b, double half,
	double *lo, double *hi)
{
	double ha = (a->hi - a->lo) / 2, hb = (b->hi - b->lo) / 2;
	double covariance = (ha * ha + hb * hb - half * half) / 2;
	double x = a->mean * a->mean - ha * ha, y = a->mean * b->mean - covariance;
	double root = sqrt(y * y - x * (b->mean * b->mean - hb * hb));

	*lo = (y - root) / x;
	*hi = (y + root) / x;
	return ha < a->mean / 2 && isfinite(root);
}

static void levels_of(const struct et_doe_effect *e, size_t *from, size_t *to)
{
	*from = 0;
	*to = 1;
	for (size_t i = 0; e->n_means > 2 && i < e->n_means; i++) {
		*from = e->means[i].mean < e->means[*from].mean ? i : *from;
		*to = e->means[i].mean > e->means[*to].mean ? i : *to;
	}
}

struct et_doe_change et_doe_change_of(const struct et_doe_program *p, const struct et_doe_effect *e)
{
	struct et_doe_change c = { .lo = NAN, .hi = NAN };
	double base = p->mean, lo, hi, unused;

	if (e->n_means > 1 && order_of(e) == 1) {
		levels_of(e, &c.from, &c.to);
		base = e->means[c.from].mean;
	}
	c.percent = 100 * e->effect / base;
	if (!et_doe_has_interval(e))
		return c;
	c.lo = 100 * e->lo / base;
	c.hi = 100 * e->hi / base;
	if (base == p->mean)
		return c;
	const struct et_doe_mean *a = &e->means[c.from], *b = &e->means[c.to];
	if (ratio_ends(a, b, e->effect - e->lo, &lo, &unused) &&
		ratio_ends(a, b, e->hi - e->effect, &unused, &hi)) {
		c.lo = e->lo == 0 ? 0 : 100 * (lo - 1); /* a range begins at 0 exactly */
		c.hi = 100 * (hi - 1);
	}
	return c;
}

/* "(-0.1 … 0.2 %", to be closed. */
static void put_span(const struct et_doe_change *c, FILE *out)
{
	int d = et_doe_decimals((c->hi - c->lo) / 2);

	fprintf(out, "(%.*f … %.*f %%", d, et_doe_no_minus_zero(c->lo, d), d,
		et_doe_no_minus_zero(c->hi, d));
}

/* --- whether anything could be tested --- */

/* Whether the tests of a program had anything to rest on; NULL, or why not. */
static const char *why_untested(const struct et_doe_program *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->n_effects; i++) {
		if (isfinite(p->effects[i].p))
			return NULL;
	}
	for (size_t t = 0; t < p->n_cells; t++)
		most = p->cells[t].n > most ? p->cells[t].n : most;
	if (!p->n_effects)
		return "too few treatments were measured";
	if (most < 2)
		return "one run counts per treatment; raise replications";
	if (!(p->df_residual > 0))
		return "too few runs count; raise replications";
	return "all runs of a treatment are equal";
}

/* --- factors that move a program --- */

/* A program in words, and how it was called so far. */
struct telling {
	const struct et_doe_view *view;
	const struct et_doe_program *program;
	const char *name; /* "loop", later "it" */
	FILE *out;
	bool moves; /* the verb was used, so that "does not" is enough */
	bool begun;
};

/* Effects beyond this are described as "faster" and "slower", because signs and "by" mislead there.
 */
static const double large = 20;

static bool has_zero(const struct et_doe_change *c)
{
	return !(c->lo > 0) && !(c->hi < 0);
}

/* The same of the ends as they are printed. */
static bool prints_zero(const struct et_doe_change *c)
{
	int d = et_doe_decimals((c->hi - c->lo) / 2);

	return et_doe_no_minus_zero(c->lo, d) <= 0 && et_doe_no_minus_zero(c->hi, d) >= 0;
}

static bool is_large(const struct et_doe_effect *e, const struct et_doe_change *c)
{
	return e->n_means > 1 && fabs(c->percent) > large && !has_zero(c);
}

static void begin_clause(struct telling *t)
{
	if (t->begun)
		fputs("; ", t->out);
	else
		et_doe_machines_begin(t->view, t->out);
	t->begun = true;
}

/* "mm: opt=-O2 is faster than -O0 by 73 % (70 … 76)". */
static void put_large(
	struct telling *t, const struct et_doe_effect *e, const struct et_doe_change *c)
{
	enum et_unit unit = t->view->result->unit;
	bool time = unit == ET_UNIT_NS || unit == ET_UNIT_S, less = c->percent < 0;
	const char *word = time ? less ? "faster" : "slower" : less ? "smaller" : "larger";
	char span[ET_FIGURE];

	bool first = !t->begun;
	begin_clause(t);
	if (first)
		fprintf(t->out, "%s: ", t->name);
	t->name = "it";
	fprintf(t->out, "%s=%s is ", e->term, e->means[c->to].levels);
	if (e->n_means > 2)
		fprintf(t->out, "%s, ", time ? "slowest" : "largest");
	et_doe_percent(fabs(c->percent), less ? -c->hi : c->lo, less ? -c->lo : c->hi, span);
	fprintf(t->out, "%s than %s by %s", word, e->means[c->from].levels, span);
}

/* "work moves loop by 4.9 % (4.7 … 5.1)", then ", pad by 1.2 % (1.1 … 1.3)". */
static void put_moves(
	struct telling *t, const struct et_doe_effect *e, const struct et_doe_change *c)
{
	char span[ET_FIGURE];

	et_doe_percent(c->percent, c->lo, c->hi, span);
	if (t->moves) {
		fprintf(t->out, ", %s by %s", e->term, span);
	} else {
		begin_clause(t);
		fprintf(t->out, "%s moves %s by %s", e->term, t->name, span);
		t->name = "it";
	}
	t->moves = true;
	if (has_zero(c) && isfinite(c->lo))
		fputs(t->program->method == ET_DOE_RANKS ? " by ranks" : " by its test", t->out);
}

static void put_moving(struct telling *t)
{
	for (int small = 0; small <= 1; small++) {
		for (size_t i = 0; i < t->program->n_effects; i++) {
			const struct et_doe_effect *e = &t->program->effects[i];
			if (order_of(e) != 1 || !e->significant || !et_doe_shows(t->view, e))
				continue;
			struct et_doe_change c = et_doe_change_of(t->program, e);
			if (is_large(e, &c) == !small)
				(small ? put_moves : put_large)(t, e, &c);
		}
	}
}

/* --- those that do not, or may --- */

/* An interval this narrow shows that there is no effect worth mentioning. */
static bool is_small(const struct et_doe_change *c)
{
	return fabs(c->lo) <= 1 && fabs(c->hi) <= 1;
}

/* An interval without 0, but the test is not significant: the sentence names both. */
static void put_unsure(
	struct telling *t, const struct et_doe_effect *e, const struct et_doe_change *c)
{
	put_span(c, t->out);
	if (e->p <= t->view->result->alpha)
		fprintf(t->out, "; not sure after Holm's correction for %zu effects",
			t->program->n_effects);
	else if (t->program->method == ET_DOE_RANKS)
		fputs("; not sure by ranks", t->out);
	else
		fputs("; not sure by its test", t->out);
	fputs(")", t->out);
}

static void put_still_one(struct telling *t, const struct et_doe_effect *e)
{
	struct et_doe_change c = et_doe_change_of(t->program, e);
	bool known = isfinite(c.lo) && isfinite(c.hi), unsure = known && !prints_zero(&c);

	begin_clause(t);
	fprintf(t->out, "%s %s", e->term,
		unsure                  ? "may"
		: known && is_small(&c) ? "does not"
					: "is not shown to");
	if (!t->moves)
		fprintf(t->out, " move %s", t->name);
	t->moves = true;
	if (known)
		fputc(' ', t->out);
	if (unsure) {
		put_unsure(t, e, &c);
	} else if (known) {
		put_span(&c, t->out);
		fputc(')', t->out);
	}
}

static void put_still(struct telling *t)
{
	for (size_t i = 0; i < t->program->n_effects; i++) {
		const struct et_doe_effect *e = &t->program->effects[i];
		if (order_of(e) == 1 && !e->significant && et_doe_shows(t->view, e))
			put_still_one(t, e);
	}
}

/* --- interactions --- */

/* The change over a factor at a level of the other, in percent; see struct et_doe_change. */
static double change_at(const struct et_design *d, const struct et_doe_program *p, size_t factor,
	size_t other, uint32_t level)
{
	double lo = INFINITY, hi = -INFINITY;
	double first = et_doe_mean_at(d, p, factor, 0, other, level);

	for (uint32_t i = 0; i < d->factors[factor].n_levels; i++) {
		double mean = et_doe_mean_at(d, p, factor, i, other, level);
		lo = fmin(lo, mean);
		hi = fmax(hi, mean);
	}
	if (d->factors[factor].n_levels > 2)
		return 100 * (hi - lo) / lo;
	return 100 * (et_doe_mean_at(d, p, factor, 1, other, level) - first) / first;
}

/* "the effect of opt depends on threads: 3.0 % at 2, -1.2 % at 4". */
static void put_interaction(struct telling *t, const struct et_doe_effect *e)
{
	enum { MOST_LEVELS = 6 };
	const struct et_design *d = t->view->result->design;

	begin_clause(t);
	if (order_of(e) > 2) {
		fprintf(t->out, "the factors of %s interact", e->term);
		return;
	}
	size_t a = (size_t)__builtin_ctz(e->factors);
	size_t b = (size_t)__builtin_ctz(e->factors & (e->factors - 1));
	const struct et_design_factor *other = &d->factors[b];
	double half = (e->percent_hi - e->percent_lo) / 2;
	const char *between = "";
	fprintf(t->out, "the effect of %s depends on %s: ", d->factors[a].name, other->name);
	for (uint32_t i = 0; i < other->n_levels && i < MOST_LEVELS; i++) {
		double change = change_at(d, t->program, a, b, i);
		if (!isfinite(change))
			continue;
		int places = et_doe_decimals(half > 0 ? half : fabs(change) / 10);
		fprintf(t->out, "%s%.*f %% at %s", between, places,
			et_doe_no_minus_zero(change, places), other->levels[i]);
		between = ", ";
	}
	fputs(other->n_levels > MOST_LEVELS ? " …" : "", t->out);
}

/* --- pairs --- */

/*
 * Whether a pair whose runs do not overlap at all is significant after Holm's correction: the
 * smallest p of Wilcoxon's test of twice n values is 2 / C(2n, n). With fewer runs, pairs that the
 * correction removes may well differ.
 */
static bool can_be_shown(const struct et_doe_view *v, const struct et_doe_program *p)
{
	double n = INFINITY;

	for (size_t t = 0; t < p->n_cells; t++)
		n = p->cells[t].n ? fmin(n, (double)p->cells[t].n) : n;
	return log(2) + 2 * lgamma(n + 1) - lgamma(2 * n + 1) <
	       log(v->result->alpha / (double)p->n_pairs);
}

/* Whether any effect may be one: then pairs that differ before Holm need not be false alarms. */
static bool any_effect(const struct et_doe_view *v, const struct et_doe_program *p)
{
	for (size_t i = 0; i < p->n_effects; i++) {
		if (p->effects[i].significant || p->effects[i].p <= v->result->alpha)
			return true;
	}
	return false;
}

static void put_pairs(struct telling *t)
{
	const struct et_doe_program *p = t->program;

	if (p->before <= p->after)
		return;
	begin_clause(t);
	size_t removed = p->before - p->after;
	fprintf(t->out, "%zu of %zu pairs ", removed, p->n_pairs);
	if (any_effect(t->view, p) || !can_be_shown(t->view, p))
		fprintf(t->out, "%s before Holm's correction only",
			removed == 1 ? "differs" : "differ");
	else
		fprintf(t->out, "%s before Holm",
			removed == 1 ? "was a false alarm" : "were false alarms");
}

char *et_doe_finding(const struct et_doe_view *v, const struct et_doe_program *p)
{
	struct et_memstream m;
	struct telling t = { .view = v, .program = p, .name = p->name };
	const char *untested = why_untested(p);

	t.out = et_memstream_open(&m);
	if (untested) {
		begin_clause(&t);
		fprintf(t.out, "%s: nothing can be tested: %s", p->name, untested);
	} else {
		put_moving(&t);
		put_still(&t);
	}
	for (size_t i = 0; !untested && i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		if (order_of(e) > 1 && e->significant && et_doe_shows(v, e))
			put_interaction(&t, e);
	}
	put_pairs(&t);
	et_doe_machines_end(v, p, t.begun, t.out);
	return et_memstream_close(&m);
}
