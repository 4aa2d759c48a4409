/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment on several machines: how they differ, and whether effects do. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "base/memstream.h"

#include <math.h>
#include <string.h>

enum { MOST_NAMED = 3 }; /* effects in a sentence */

static const char *name_of(const struct et_doe_view *v, const struct et_doe_fleet *f, size_t i)
{
	return v->result->machines[f->machines[i].name];
}

/* --- words --- */

void et_doe_machines_begin(const struct et_doe_view *v, FILE *out)
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
		et_doe_no_minus_zero(on[least].percent, places), name_of(v, f, least), places,
		et_doe_no_minus_zero(on[most].percent, places), name_of(v, f, most));
}

/* Effects that are shown on these machines, but not for others like them. */
static void put_here(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out)
{
	char text[ET_FIGURE];
	size_t n = 0;

	for (size_t i = 0; v->result->population && i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		const struct et_doe_on_machine *h = &e->over.here;
		if (e->significant || !e->over.here_significant || !et_doe_shows(v, e))
			continue;
		if (!n++)
			fprintf(out, "; on these %zu machines alone: ", p->fleet->n_machines);
		if (n > MOST_NAMED)
			continue;
		fprintf(out, "%s%s", n > 1 ? ", " : "", e->term);
		if (isfinite(h->percent))
			fprintf(out, " %s", et_doe_percent(h->percent, h->lo, h->hi, text));
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

static size_t count_differing(const struct et_doe_view *v, const struct et_doe_program *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_effects; i++)
		n += p->effects[i].over.differs && et_doe_shows(v, &p->effects[i]);
	return n;
}

void et_doe_machines_end(
	const struct et_doe_view *v, const struct et_doe_program *p, bool begun, FILE *out)
{
	const struct et_doe_fleet *f = p->fleet;
	size_t differ, n = 0;

	if (!f)
		return;
	differ = count_differing(v, p);
	fputs(begun ? "; " : "", out);
	put_levels(f, differ, out);
	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		if (e->over.differs && et_doe_shows(v, e) && n++ < MOST_NAMED)
			put_difference(v, f, e, out);
	}
	if (differ > MOST_NAMED)
		fprintf(out, ", and %zu more effects do", differ - MOST_NAMED);
	if (!differ && f->replicated)
		put_alike(f, out);
	put_here(v, p, out);
}

/* The names of the components. */
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
		et_table_name(&s, name_of(v, f, i), style);
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
	char text[ET_FIGURE];
	size_t rows = 0;

	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_over_machines *o = &p->effects[i].over;
		const char *style = o->differs ? ET_DOE_BOLD : NULL;
		for (size_t m = 0; m < o->n_on && rows < MOST_ROWS; m++) {
			if (!et_doe_shows(v, &p->effects[i]))
				continue;
			et_table_name(&s, m ? "" : p->effects[i].term, style);
			et_table_name(&s, name_of(v, p->fleet, m), NULL);
			et_doe_percent_cell(&s, o->on[m].percent, o->on[m].lo, o->on[m].hi, NULL);
			et_table_text(&s, m ? "" : et_doe_p(o->p_holm, text), "", style);
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
