/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of a designed experiment in plain words. */
#include "app/doe/view.h"
#include "base/memstream.h"

enum { MOST_NAMED = 3 }; /* effects in a sentence */

/* --- several machines: how they differ, and whether effects do --- */

const char *et_doe_machine_name(const struct et_doe_view *v, const struct et_doe_fleet *f, size_t i)
{
	return v->result->machines[f->machines[i].name];
}

/* "on machines like these, ": the beginning of a finding; nothing of one machine. */
static void machines_begin(const struct et_doe_view *v, FILE *out)
{
	if (v->result->population)
		fputs("on machines like these, ", out);
	else if (v->result->n_machines > 1)
		fprintf(out, "on these %zu machines, ", v->result->n_machines);
}

const char *et_doe_blocks_name(const struct et_doe_result *r)
{
	bool rounds = r->design->blocks == ET_BLOCKS_ROUND && !r->population;

	return r->n_machines > 1 && !rounds ? "machines" : "blocks";
}

/* "the effect of work differs between machines, from 17 % on a to 26 % on b". */
static void put_difference(const struct et_doe_view *v, const struct et_doe_fleet *f,
	const struct et_doe_effect *e, FILE *out)
{
	const struct et_doe_on_machine *on = e->over.on;
	size_t least = 0, most = 0;

	fprintf(out, "; the effect of %s differs between machines", e->term);
	for (size_t i = 0; i < e->over.n_on; i++) {
		least = on[i].percent < on[least].percent ? i : least;
		most = on[i].percent > on[most].percent ? i : most;
	}
	if (!e->over.n_on)
		return;
	int places = et_doe_decimals((on[most].percent - on[least].percent) / 10);
	fprintf(out, ", from %.*f %% on %s to %.*f %% on %s", places,
		et_doe_no_minus_zero(on[least].percent, places), et_doe_machine_name(v, f, least),
		places, et_doe_no_minus_zero(on[most].percent, places),
		et_doe_machine_name(v, f, most));
}

/* Effects that are shown on these machines, but not for others like them. */
static void put_here(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out)
{
	size_t n = 0;

	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));) {
		const struct et_doe_on_machine *h = &e->over.here;
		if (!v->result->population || e->significant || !e->over.here_significant)
			continue;
		if (!n++)
			fprintf(out, "; on these %zu machines alone: ", p->fleet->n_machines);
		if (n > MOST_NAMED)
			continue;
		fprintf(out, "%s%s", n > 1 ? ", " : "", e->term);
		if (isfinite(h->percent))
			fprintf(out, " %s", et_doe_percent(h->percent, h->lo, h->hi, ET_BUF));
	}
	if (n > MOST_NAMED)
		fprintf(out, " and %zu more", n - MOST_NAMED);
}

static bool any_slower(const struct et_doe_fleet *f)
{
	for (size_t i = 0; i < f->n_machines; i++) {
		if (f->machines[i].differs && f->between.sd > 0)
			return true;
	}
	return false;
}

/* Whether the machines differ in level; with one part each, they or the times of their runs. */
static void put_levels(const struct et_doe_fleet *f, bool effects_differ, FILE *out)
{
	double sd = 100 * f->between.sd;
	int places = et_doe_decimals(sd / 10);

	if (!any_slower(f))
		fprintf(out, "no difference between the %s%zu machines was found",
			effects_differ ? "levels of the " : "", f->n_machines);
	else if (f->parts)
		fprintf(out, "the %zu machines differ by %.*f %% (sd)", f->n_machines, places, sd);
	else
		fprintf(out,
			"the %zu machines, or the times at which they ran, differ by %.*f %% (sd)",
			f->n_machines, places, sd);
}

/* After put_levels, if no effect differs. */
static void put_alike(const struct et_doe_fleet *f, FILE *out)
{
	if (f->interaction.hi <= 0.01)
		fprintf(out, ", and the effects are alike on %s",
			f->n_machines == 2 ? "both" : "all");
	else if (any_slower(f))
		fputs(", and no effect is shown to differ between them", out);
	else
		fputs(", and none between the effects on them", out);
}

/* "; the 5 machines differ by 8 % (sd), and …": its end; nothing of one machine. */
static void machines_end(
	const struct et_doe_view *v, const struct et_doe_program *p, bool begun, FILE *out)
{
	const struct et_doe_fleet *f = p->fleet;
	size_t differ = 0, n = 0;

	if (!f)
		return;
	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));)
		differ += e->over.differs;
	fputs(begun ? "; " : "", out);
	put_levels(f, differ, out);
	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));) {
		if (e->over.differs && n++ < MOST_NAMED)
			put_difference(v, f, e, out);
	}
	if (differ > MOST_NAMED)
		fprintf(out, ", and %zu more effects do", differ - MOST_NAMED);
	if (!differ && f->replicated)
		put_alike(f, out);
	put_here(v, p, out);
}

static const char *between_name(const struct et_doe_fleet *f)
{
	return f->parts ? "between machines" : "between machines and times";
}

static const char *within_name(const struct et_doe_fleet *f)
{
	return f->parts ? "within parts" : "within machines";
}

/* "97 % between machines", and with digits where it is small. */
static void put_share(
	const char *before, const char *name, const struct et_doe_component *c, FILE *out)
{
	double percent = 100 * c->share;

	if (isfinite(percent))
		fprintf(out, "%s%.*f %% %s", before, percent < 10 ? et_doe_decimals(percent) : 0,
			percent, name);
}

char *et_doe_components(const struct et_doe_program *p)
{
	const struct et_doe_fleet *f = p->fleet;
	struct et_memstream m;
	FILE *out = et_memstream_open(&m);
	bool shares = f && any_slower(f);

	if (shares) {
		put_share("variance: ", between_name(f), &f->between, out);
		put_share(", ", "between parts of a machine", &f->of_parts, out);
		put_share(", ", "of machine × treatment", &f->interaction, out);
		put_share(", ", within_name(f), &f->within, out);
		fputs(f->replicated ? "" : ", which includes machine × treatment", out);
	}
	if (f && f->n_left_out)
		fprintf(out, "%s%zu %s no run of some treatments and %s left out",
			shares ? "; " : "", f->n_left_out,
			f->n_left_out == 1 ? "machine has" : "machines have",
			f->n_left_out == 1 ? "is" : "are");
	return et_memstream_close(&m);
}

/* --- tables --- */

static void machine_rows(
	const struct et_doe_view *v, const struct et_doe_fleet *f, const struct et_doe_to *to)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "machine"),
		ET_COLUMN(FIGURE, "runs", .drop = 1), ET_COLUMN(FIGURE, "against the mean"),
		ET_COLUMN(FIGURE, "noise", .drop = 2), ET_COLUMN(FIGURE, "p (Holm)") };
	struct et_table s = { ET_COLUMNS(columns) };
	char text[ET_FIGURE];

	for (size_t i = 0; i < f->n_machines; i++) {
		const struct et_doe_machine *m = &f->machines[i];
		const char *style = m->differs ? ET_DOE_BOLD : NULL;
		double noise = 100 * m->noise;
		et_table_name(&s, et_doe_machine_name(v, f, i), style);
		et_table_add(&s, "%zu", m->n);
		et_doe_percent_cell(
			&s, 100 * (m->ratio - 1), 100 * (m->lo - 1), 100 * (m->hi - 1), style);
		snprintf(text, sizeof(text), "%.*f %%", et_doe_decimals(noise / 10), noise);
		et_table_text(&s, isfinite(noise) ? text : ET_DASH, "", NULL);
		et_table_text(&s, et_doe_p(m->p_holm, text), "", style);
	}
	et_doe_put_table(to, "machines", &s);
}

static void component_rows(const struct et_doe_fleet *f, const struct et_doe_to *to)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "component"),
		ET_COLUMN(FIGURE, "sd"), ET_COLUMN(FIGURE, "share"), ET_COLUMN(BAR, "") };
	const struct {
		const char *name;
		const struct et_doe_component *c;
	} all[] = { { between_name(f), &f->between },
		{ "between parts of a machine", &f->of_parts },
		{ "machine × treatment", &f->interaction }, { within_name(f), &f->within } };
	/* A page has no bars. */
	struct et_table s = { .columns = columns, .n_columns = to->page ? 4 : 3 };

	for (size_t i = 0; i < ET_LENGTH(all); i++) {
		const struct et_doe_component *c = all[i].c;
		if (!isfinite(c->sd))
			continue;
		et_table_name(&s, all[i].name, NULL);
		et_doe_percent_cell(&s, 100 * c->sd, 100 * c->lo, 100 * c->hi, NULL);
		et_table_add(&s, "%.1f %%", 100 * c->share);
		if (to->page)
			et_table_bar(&s, c->share, NULL);
	}
	const char *title = !to->page ? "each component of variance"
			    : f->exact
				    ? "components of variance"
				    : "components of variance (unweighted means: an approximation)";
	et_doe_put_table(to, title, &s);
}

static void effect_rows(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	enum { MOST_ROWS = 60 };
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "term"),
		ET_COLUMN(NAME, "machine"), ET_COLUMN(FIGURE, "effect"),
		ET_COLUMN(FIGURE, "differs: p (Holm)") };
	struct et_table s = { ET_COLUMNS(columns) };
	size_t rows = 0;

	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));) {
		const struct et_doe_over_machines *o = &e->over;
		const char *style = o->differs ? ET_DOE_BOLD : NULL;
		for (size_t m = 0; m < o->n_on && rows < MOST_ROWS; m++) {
			et_table_name(&s, m ? "" : e->term, style);
			et_table_name(&s, et_doe_machine_name(v, p->fleet, m), NULL);
			et_doe_percent_cell(&s, o->on[m].percent, o->on[m].lo, o->on[m].hi, NULL);
			et_table_text(&s, m ? "" : et_doe_p(o->p_holm, ET_BUF), "", style);
			rows++;
		}
	}
	if (!rows)
		return;
	et_doe_heading(page, "effects on each machine");
	et_table_print(&s, page);
	if (rows == MOST_ROWS)
		et_doe_say(page, NULL, "… and more: --json has all of them");
}

void et_doe_machines_tables(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_doe_to *to)
{
	if (!p->fleet)
		return;
	machine_rows(v, p->fleet, to);
	component_rows(p->fleet, to);
	if (to->page)
		effect_rows(v, p, to->page);
}

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

/* Effects beyond this are called "faster" and "slower": signs and "by" mislead there. */
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
		machines_begin(t->view, t->out);
	t->begun = true;
}

/* "mm: opt=-O2 is faster than -O0 by 73 % (70 … 76)". */
static void put_large(
	struct telling *t, const struct et_doe_effect *e, const struct et_doe_change *c)
{
	enum et_unit unit = t->view->result->unit;
	bool time = unit == ET_UNIT_NS || unit == ET_UNIT_S, less = c->percent < 0;
	const char *word = time ? less ? "faster" : "slower" : less ? "smaller" : "larger";
	bool first = !t->begun;

	begin_clause(t);
	if (first)
		fprintf(t->out, "%s: ", t->name);
	t->name = "it";
	fprintf(t->out, "%s=%s is ", e->term, e->means[c->to].levels);
	if (e->n_means > 2)
		fprintf(t->out, "%s, ", time ? "slowest" : "largest");
	fprintf(t->out, "%s than %s by %s", word, e->means[c->from].levels,
		et_doe_percent(
			fabs(c->percent), less ? -c->hi : c->lo, less ? -c->lo : c->hi, ET_BUF));
}

/* "work moves loop by 4.9 % (4.7 … 5.1)", then ", pad by 1.2 % (1.1 … 1.3)". */
static void put_moves(
	struct telling *t, const struct et_doe_effect *e, const struct et_doe_change *c)
{
	const char *span = et_doe_percent(c->percent, c->lo, c->hi, ET_BUF);

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
		for (const struct et_doe_effect *e = NULL;
			(e = et_doe_next(t->view, t->program, e));) {
			if (order_of(e) != 1 || !e->significant)
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

static void put_still(struct telling *t, const struct et_doe_effect *e)
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
 * Whether two treatments whose runs do not overlap are significant after Holm: the smallest p of
 * Wilcoxon's test of twice n values is 2 / C(2n, n). With fewer runs nothing can be shown.
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
		const struct et_doe_effect *e = NULL;
		put_moving(&t);
		while ((e = et_doe_next(v, p, e))) {
			if (order_of(e) == 1 && !e->significant)
				put_still(&t, e);
		}
		while ((e = et_doe_next(v, p, e))) {
			if (order_of(e) > 1 && e->significant)
				put_interaction(&t, e);
		}
	}
	put_pairs(&t);
	machines_end(v, p, t.begun, t.out);
	return et_memstream_close(&m);
}
