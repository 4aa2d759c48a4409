/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two profiles compared, for a terminal: the functions that really changed come first. */
#include "app/profile/view_parts.h"
#include "base/parse.h"
#include "draw/table.h"
#include "draw/terminal.h"

#define DIM "2"
#define BOLD "1"
#define MORE "31"
#define LESS "32"

enum { NAMED = 3 };

static const char *style_of(const struct et_profile_change *c)
{
	if (!c->contrast.significant)
		return DIM;
	return c->difference > 0 ? MORE : LESS;
}

/* "+3.9 ± 0.4 %" of all samples of the first command. */
static const char *change_text(
	const struct et_profile_comparison *all, const struct et_profile_change *c, char *buf)
{
	double whole = all->total.mean_a;
	struct et_span i = { c->interval.lo / whole, c->interval.hi / whole };
	double share = c->difference / whole;
	/* The same digits as for a share; the sign is put before it. */
	struct et_span about = { fabs(share) - et_span_half(i, share),
		fabs(share) + et_span_half(i, share) };

	snprintf(buf, ET_FIGURE, "%s%.80s", share < 0 ? "-" : "+",
		et_format_share(fabs(share), about, ET_BUF));
	return buf;
}

static const char *kind_of(const struct et_profile_comparison *c)
{
	return c->by == ET_BY_MODULE ? "module" : "function";
}

static size_t changed(const struct et_profile_comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_rows; i++)
		n += c->rows[i].contrast.significant;
	return n;
}

static const char *row_name(const struct et_profile_change *c)
{
	return c->name ? c->name : et_profile_module_name(c->module);
}

/* "fn1 -3.9 ± 0.4 %, fn2 … and 4 more". */
static char *list_changed(const struct et_profile_comparison *c, size_t n)
{
	char *text = NULL, figure[ET_FIGURE];

	for (size_t i = 0; i < n && i < NAMED; i++) {
		ET_AUTO_FREE char *name = et_profile_name_in_text(row_name(&c->rows[i]));
		et_append(&text, ", ", "%s %s", name, change_text(c, &c->rows[i], figure));
	}
	if (n > NAMED)
		et_append(&text, "", " and %zu more", n - NAMED);
	return text;
}

char *et_profile_changes_answer(const struct et_profiled *p)
{
	const struct et_profile_comparison *c = &p->comparison;
	const char *whole = et_profile_whole(p->experiment->profile);
	size_t n = changed(c);
	char *text;

	if (n) {
		ET_AUTO_FREE char *list = list_changed(c, n);
		text = et_asprintf("%zu of %zu %ss changed%s, relative to the %s of %s: %s", n,
			c->family, kind_of(c), c->with_callees ? " with their callees" : "", whole,
			et_name_by_number(0, ET_BUF), list);
	} else {
		text = et_asprintf("no %s of %zu is shown to have changed%s", kind_of(c), c->family,
			c->with_callees ? " with its callees" : "");
	}
	et_append(&text, "; ", "all together %s%s", change_text(c, &c->total, ET_BUF),
		!c->total.contrast.significant ? ", which may be chance"
		: n                            ? ""
		    : "; the change is shown for the whole, not yet for one of them: take more "
		      "runs");
	return text;
}

/* A function that was not tested has no bar: its difference means nothing. */
static double bar_of(const struct et_profile_change *c)
{
	return c->contrast.family ? fabs(c->difference) : 0;
}

const char *et_profile_samples_of(size_t command, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.20s samples", et_name_by_number(command, ET_BUF));
	return buf;
}

static void print_table(const struct et_profiled *p, size_t shown, const struct et_page *page)
{
	const struct et_table_column columns[] = { ET_COLUMN(NAME, "function"),
		ET_COLUMN(NAME, "module", .drop = 1),
		ET_COLUMN(FIGURE, et_profile_samples_of(0, ET_BUF), .drop = 4),
		ET_COLUMN(FIGURE, et_profile_samples_of(1, ET_BUF), .drop = 4),
		ET_COLUMN(FIGURE, "change, samples"), ET_COLUMN(FIGURE, "p (Holm)", .drop = 3),
		ET_COLUMN(BAR, "", .drop = 2) };
	const struct et_profile_comparison *c = &p->comparison;
	bool modules = c->by == ET_BY_MODULE; /* they need no column of functions */
	struct et_table s = { .columns = columns + modules,
		.n_columns = ET_LENGTH(columns) - modules };
	double most = 0;

	ET_AUTO_FREE const char **full = et_calloc(shown + 1, sizeof(*full));
	for (size_t i = 0; i < shown; i++) {
		most = fmax(most, bar_of(&c->rows[i]));
		full[i] = row_name(&c->rows[i]);
	}
	char **names = et_profile_short_names(full, shown);
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_change *r = &c->rows[i];
		const char *style = style_of(r);
		char figure[ET_FIGURE];
		et_table_name(&s, names[i], NULL);
		if (!modules)
			et_table_name(&s, et_profile_module_name(r->module), DIM);
		et_table_measured(&s, r->mean_a, NAN, NULL);
		et_table_measured(&s, r->mean_b, NAN, NULL);
		et_table_measured(
			&s, r->difference, et_span_half(r->interval, r->difference), style);
		snprintf(figure, sizeof(figure), r->contrast.p_holm < 0.001 ? "< 0.001" : "%.3f",
			r->contrast.p_holm);
		et_table_text(&s, isfinite(r->contrast.p_holm) ? figure : ET_DASH, "", style);
		et_table_bar(&s, most > 0 ? bar_of(r) / most : 0, style);
	}
	et_strv_free(names);
	et_table_print(&s, page);
}

/* The largest change that the functions without a shown change may still have. */
static void print_bound(const struct et_profiled *p, const struct et_page *page)
{
	const struct et_profile_comparison *c = &p->comparison;
	size_t n = changed(c);
	double most = 0;

	for (size_t i = n; i < c->n_rows; i++)
		most = fmax(most, fmax(fabs(c->rows[i].interval.lo), fabs(c->rows[i].interval.hi)));
	if (n < c->n_rows && most > 0 && isfinite(most))
		et_page_say(page, 0, "", NULL, NULL,
			"no %s%s changed by more than %s of the %s of %s (%g %%)",
			n ? "other " : "", kind_of(c),
			et_format_percent(most / c->total.mean_a, ET_BUF),
			et_profile_whole(p->experiment->profile), et_name_by_number(0, ET_BUF),
			100 * (1 - c->alpha));
}

void et_profile_changes(const struct et_profiled *p, const struct et_page *page)
{
	const struct et_profile_comparison *c = &p->comparison;
	const struct et_profile_options *v = &p->view;
	size_t shown = v->top && v->top < c->n_rows ? v->top : c->n_rows, sure = changed(c);

	/* All that changed, and others with enough samples, as far as there is room. */
	while (shown > sure && shown > NAMED &&
		fmax(c->rows[shown - 1].mean_a, c->rows[shown - 1].mean_b) < v->least)
		shown--;
	ET_AUTO_FREE char *answer = et_profile_changes_answer(p);
	et_page_paragraph(page, 0, "", NULL, answer, BOLD);
	for (size_t i = 0; i < p->n; i++) {
		et_page_paragraph(page, 4, et_name_by_number(i, ET_BUF), DIM,
			p->experiment->commands[i].name, NULL);
	}
	putc('\n', page->out);
	print_table(p, shown, page);
	if (shown < c->n_rows)
		fprintf(page->out, "… %zu more %ss; --top 0 shows all\n", c->n_rows - shown,
			kind_of(c));
	print_bound(p, page);
	if (c->too_rare)
		fprintf(page->out, "%zu %s%s with too few samples %s not tested\n", c->too_rare,
			kind_of(c), c->too_rare == 1 ? "" : "s", c->too_rare == 1 ? "was" : "were");
}
