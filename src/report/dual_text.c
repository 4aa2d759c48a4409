/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dual-execution scatter plot for a terminal. */
#include "base/alloc.h"
#include "draw/plot.h"
#include "report/dual.h"

#define FAINT "2"

enum { WIDEST = 50, INDENT = 2 };

/* Marks of the named causes, of the others, and of frequent daemons. */
static const char letters[] = "abcd+f";

static char mark_of(const struct et_dual_point *p, const struct et_dual_cause *causes, size_t n)
{
	if (p->kind == ET_DUAL_CENTRAL)
		return '\0';
	if (p->kind == ET_DUAL_FREQUENT)
		return letters[ET_DUAL_NAMED + 1];
	return letters[et_dual_cause_index(causes, n, p->cause)];
}

/* "a rhn_check, b rhsmcertd-worke, + others, f frequent daemons" */
static void legend(const struct et_dual *d, const struct et_dual_cause *causes, size_t n,
	const struct et_page *page)
{
	ET_AUTO_FREE char *list = NULL;
	size_t frequent = 0;

	for (size_t k = 0; k < n && k < ET_DUAL_NAMED; k++)
		et_append(&list, ", ", "%c %s", letters[k], causes[k].name);
	if (n > ET_DUAL_NAMED)
		et_append(&list, ", ", "%c others", letters[ET_DUAL_NAMED]);
	for (size_t i = 0; i < d->n; i++)
		frequent += d->points[i].kind == ET_DUAL_FREQUENT;
	if (frequent)
		et_append(&list, ", ", "%c frequent daemons", letters[ET_DUAL_NAMED + 1]);
	if (list)
		et_page_paragraph(page, INDENT, "", NULL, list, FAINT);
}

void et_dual_text(const struct et_dual *d, const struct et_page *page)
{
	struct et_dual_zoom zooms[ET_DUAL_MOST_ZOOMS];
	size_t n_causes, n = et_dual_zooms(d, zooms);
	ET_AUTO_FREE struct et_dual_cause *causes = et_dual_causes(d, &n_causes);
	ET_AUTO_FREE double *x = et_calloc(d->n + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(d->n + 1, sizeof(*y));
	ET_AUTO_FREE char *marks = et_calloc(d->n + 1, sizeof(*marks));
	ET_AUTO_FREE char *x_label = et_asprintf("%s of %s", d->what, d->first);
	ET_AUTO_FREE char *y_label = et_asprintf("%s of %s", d->what, d->second);
	struct et_scatter s = {
		.x = x, .y = y, .marks = marks, .n = d->n, .x_label = x_label, .y_label = y_label
	};

	for (size_t i = 0; i < d->n; i++) {
		x[i] = d->points[i].x_ns;
		y[i] = d->points[i].y_ns;
		marks[i] = mark_of(&d->points[i], causes, n_causes);
	}
	for (size_t i = 0; i < n; i++) {
		ET_AUTO_FREE char *name = et_dual_zoom_name(d, zooms, n, i);
		ET_AUTO_FREE char *title =
			et_asprintf("dual execution%s%s", n == 1 ? ": " : " ", name);
		putc('\n', page->out);
		et_page_paragraph(page, INDENT, "", NULL, title, NULL);
		legend(d, causes, n_causes, page);
		s.lo = zooms[i].lo;
		s.hi = zooms[i].hi;
		et_scatter_draw(&s, page, INDENT,
			page->width - INDENT < WIDEST ? page->width - INDENT : WIDEST);
	}
	if (d->shape)
		et_page_paragraph(page, INDENT, "", NULL, d->shape, NULL);
}
