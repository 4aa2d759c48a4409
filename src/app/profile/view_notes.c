/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The notes below a profile: one per cause, whether it concerns one function or a thousand. */
#include "app/profile/view_parts.h"
#include "base/memstream.h"
#include "report/warning.h"

#define YELLOW "33"

struct note {
	const struct et_warning *shown; /* of the function with the largest share */
	const char *name;               /* of that function; NULL: it is about the profile */
	const struct et_profile_result *of;
	double share;
	size_t n; /* functions */
};

struct notes {
	struct note *list;
	size_t n, cap;
};

static struct note *note_about(struct notes *all, const struct et_warning *w, bool of_function)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].shown->code == w->code && !all->list[i].name != of_function)
			return &all->list[i];
	}
	ET_GROW(all->list, all->n, all->cap);
	all->list[all->n] = (struct note){ .shown = w, .share = of_function ? -1 : INFINITY };
	return &all->list[all->n++];
}

static void collect(struct notes *all, const struct et_warnings *w)
{
	for (size_t i = 0; i < w->n; i++)
		(void)note_about(all, &w->list[i], false);
}

/* Rows that are not shown need no notes; -v and JSON have all of them. */
static void collect_rows(
	struct notes *all, const struct et_profile_options *v, const struct et_profile_result *r)
{
	size_t shown = et_profile_shown(v, r);

	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		for (size_t k = 0; k < row->warnings.n; k++) {
			struct note *note = note_about(all, &row->warnings.list[k], true);
			/* A function of both commands counts once, as that of the first. */
			note->n += !note->of || note->of == r;
			note->of = note->of ? note->of : r;
			if (row->share > note->share) {
				note->shown = &row->warnings.list[k];
				note->share = row->share;
				note->name = et_profile_row_name(row);
			}
		}
	}
}

static bool is_warning(const struct note *n)
{
	return et_warning_rows[n->shown->code].severity == ET_SEVERITY_WARNING;
}

/* Warnings first, then by the share of the CPU time that a note concerns. */
static int by_weight(const void *a, const void *b)
{
	const struct note *x = a, *y = b;

	return ET_ORDER(is_warning(y), is_warning(x)) ?: ET_ORDER(y->share, x->share);
}

static char *paragraph(const struct note *n, const struct et_page *page)
{
	struct et_memstream stream;
	struct et_page here = *page;

	ET_AUTO_FREE char *text = et_warning_text(n->shown);
	ET_AUTO_FREE char *lead =
		!n->name   ? et_strdup("note:")
		: n->n > 1 ? et_asprintf("note (%s and %zu more):", n->name, n->n - 1)
			   : et_asprintf("note (%s):", n->name);
	here.out = et_memstream_open(&stream);
	et_page_paragraph(&here, 2, lead, YELLOW, text, NULL);
	return et_memstream_close(&stream);
}

size_t et_profile_notes(const struct et_profiled *p, const struct et_page *page, size_t lines)
{
	struct notes all = { 0 };
	size_t left = 0;

	for (size_t c = 0; c < p->n; c++) {
		collect(&all, &p->results[c].warnings);
		collect_rows(&all, &p->view, &p->results[c]);
	}
	if (p->compared)
		collect(&all, &p->comparison.warnings);
	collect(&all, &p->warnings);
	if (all.n)
		qsort(all.list, all.n, sizeof(*all.list), by_weight);
	for (size_t i = 0; i < all.n; i++) {
		ET_AUTO_FREE char *text = paragraph(&all.list[i], page);
		size_t needed = et_text_lines(text);
		if (left || needed > lines) {
			left++;
			continue;
		}
		fputs(text, page->out);
		lines -= needed;
	}
	free(all.list);
	return left;
}
