/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dual.h"
#include "base/alloc.h"
#include "draw/html.h"
#include "draw/plot.h"

#include <math.h>
#include <string.h>

enum { SIDE = 420, LOW = 280, CLOSER = 4 };

static const char *own_cause(struct et_dual *d, const char *cause)
{
	for (size_t i = 0; i < d->n_causes; i++) {
		if (!strcmp(d->causes[i], cause))
			return d->causes[i];
	}
	ET_GROW(d->causes, d->n_causes, d->cap_causes);
	d->causes[d->n_causes] = et_strdup(cause);
	return d->causes[d->n_causes++];
}

void et_dual_add(struct et_dual *d, double x_ns, double y_ns, enum et_dual_kind kind,
	const char *cause, char *title)
{
	const char *own = kind == ET_DUAL_FAR ? own_cause(d, cause) : NULL;

	ET_GROW(d->points, d->n, d->cap);
	d->points[d->n++] = (struct et_dual_point){ x_ns, y_ns, kind, own, title };
}

void et_dual_free(struct et_dual *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->points[i].title);
	free(d->points);
	for (size_t i = 0; i < d->n_causes; i++)
		free(d->causes[i]);
	free(d->causes);
	free(d->shape);
}

/* --- zooms --- */

static double least(const struct et_dual_point *p)
{
	return fmin(p->x_ns, p->y_ns);
}

static double most(const struct et_dual_point *p)
{
	return fmax(p->x_ns, p->y_ns);
}

/* The smallest and the largest time of all pairs, or of those in the cluster. */
static bool extent(const struct et_dual *d, bool cluster, struct et_dual_zoom *out)
{
	*out = (struct et_dual_zoom){ .lo = INFINITY, .hi = -INFINITY, .cluster = cluster };
	for (size_t i = 0; i < d->n; i++) {
		const struct et_dual_point *p = &d->points[i];
		if (cluster && p->kind == ET_DUAL_FAR)
			continue;
		out->lo = fmin(out->lo, least(p));
		out->hi = fmax(out->hi, most(p));
		out->pairs++;
	}
	return out->lo < out->hi;
}

static double length(const struct et_dual_zoom *z)
{
	return z->hi - z->lo;
}

/* How far a point is from the box of the cluster. */
static double distance(const struct et_dual_point *p, const struct et_dual_zoom *in)
{
	return fmax(fmax(in->lo - least(p), most(p) - in->hi), 0);
}

/* The axes that show the cluster and all that is at most this far from it. */
static struct et_dual_zoom around(
	const struct et_dual_zoom *all, const struct et_dual_zoom *in, double reach)
{
	return (struct et_dual_zoom){ .lo = fmax(all->lo, in->lo - reach),
		.hi = fmin(all->hi, in->hi + reach) };
}

/* The next zoom shows as many far pairs as it can with axes a quarter as long. */
static bool closer(const struct et_dual *d, const struct et_dual_zoom *all,
	const struct et_dual_zoom *in, const struct et_dual_zoom *last, struct et_dual_zoom *out)
{
	double reach = 0;

	for (size_t i = 0; i < d->n; i++) {
		double far = distance(&d->points[i], in);
		struct et_dual_zoom z = around(all, in, far);
		if (far > reach && CLOSER * length(&z) <= length(last))
			reach = far;
	}
	*out = around(all, in, reach);
	for (size_t i = 0; i < d->n; i++)
		out->pairs += distance(&d->points[i], out) <= 0;
	return reach > 0 && length(out) >= 2 * length(in);
}

size_t et_dual_zooms(const struct et_dual *d, struct et_dual_zoom zooms[ET_DUAL_MOST_ZOOMS])
{
	struct et_dual_zoom in;
	size_t n = 1;

	if (!extent(d, false, &zooms[0]))
		return 0;
	/* A cluster that takes three quarters of the axes can be seen there. */
	if (!extent(d, true, &in) || 4 * length(&in) > 3 * length(&zooms[0]))
		return 1;
	while (n < ET_DUAL_MOST_ZOOMS - 1 && closer(d, &zooms[0], &in, &zooms[n - 1], &zooms[n]))
		n++;
	zooms[n++] = in;
	return n;
}

char *et_dual_zoom_name(
	const struct et_dual *d, const struct et_dual_zoom *zooms, size_t n, size_t i)
{
	const struct et_dual_zoom *z = &zooms[i];
	char letter = (char)('a' + i), end[ET_FIGURE];

	if (n == 1)
		return d->n == 1 ? et_strdup("one pair") : et_asprintf("all %zu pairs", d->n);
	if (i == 0)
		return et_asprintf("(%c): all %zu pairs", letter, d->n);
	if (z->cluster)
		return et_asprintf("(%c): central cluster, %zu pair%s", letter, z->pairs,
			z->pairs == 1 ? "" : "s");
	et_format_value_to(z->hi, length(z) / 10, ET_UNIT_NS, end);
	return et_asprintf("(%c): %zu pairs up to %s", letter, z->pairs, end);
}

/* --- causes --- */

static int by_count(const void *a, const void *b)
{
	const struct et_dual_cause *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->name, y->name);
}

struct et_dual_cause *et_dual_causes(const struct et_dual *d, size_t *n)
{
	struct et_dual_cause *list = et_calloc(d->n_causes + 1, sizeof(*list));

	*n = d->n_causes;
	for (size_t k = 0; k < *n; k++)
		list[k].name = d->causes[k];
	for (size_t i = 0; i < d->n; i++) {
		size_t k = 0;
		while (d->points[i].cause && d->points[i].cause != d->causes[k])
			k++;
		list[k].n += d->points[i].cause != NULL;
	}
	if (*n)
		qsort(list, *n, sizeof(*list), by_count);
	return list;
}

size_t et_dual_cause_index(const struct et_dual_cause *causes, size_t n, const char *cause)
{
	for (size_t k = 0; k < n && k < ET_DUAL_NAMED; k++) {
		if (!strcmp(causes[k].name, cause))
			return k;
	}
	return ET_DUAL_NAMED;
}

/* --- charts --- */

/* Series: the cluster, the named causes (from FIRST on), and these. BOX is the next zoom. */
enum {
	CLUSTER,
	FREQUENT,
	FIRST,
	OTHERS = FIRST + ET_DUAL_NAMED,
	MARKS,
	DIAGONAL = MARKS,
	BOX,
	SERIES
};

struct point_series {
	struct et_svg_series series[SERIES];
	double *x[MARKS], *y[MARKS];
	const char **titles[MARKS];
};

static int series_of(const struct et_dual_point *p, const struct et_dual_cause *causes, size_t n)
{
	if (p->kind != ET_DUAL_FAR)
		return p->kind == ET_DUAL_CENTRAL ? CLUSTER : FREQUENT;
	return FIRST + (int)et_dual_cause_index(causes, n, p->cause);
}

static void sort_points(struct point_series *p, const struct et_dual_point *points, size_t n,
	const struct et_dual *d)
{
	static const unsigned colors[MARKS] = { ET_SVG_BLUE, ET_SVG_GREY, ET_SVG_RED, ET_SVG_GREEN,
		ET_SVG_PURPLE, ET_SVG_ORANGE, ET_SVG_SKY };
	size_t n_causes;
	ET_AUTO_FREE struct et_dual_cause *causes = et_dual_causes(d, &n_causes);

	for (int k = 0; k < MARKS; k++) {
		p->x[k] = et_calloc(n + 1, sizeof(double));
		p->y[k] = et_calloc(n + 1, sizeof(double));
		p->titles[k] = et_calloc(n + 1, sizeof(char *));
		p->series[k] = (struct et_svg_series){
			.color = colors[k], .x = p->x[k], .y = p->y[k], .titles = p->titles[k]
		};
	}
	for (size_t i = 0; i < n; i++) {
		int k = series_of(&points[i], causes, n_causes);
		size_t at = p->series[k].n++;
		p->x[k][at] = points[i].x_ns;
		p->y[k][at] = points[i].y_ns;
		p->titles[k][at] = points[i].title;
		p->series[k].name = k == CLUSTER    ? "central cluster"
				    : k == FREQUENT ? "frequent daemons"
				    : k < OTHERS    ? causes[k - FIRST].name
						    : "others";
	}
}

static void free_points(struct point_series *p)
{
	for (int k = 0; k < MARKS; k++) {
		free(p->x[k]);
		free(p->y[k]);
		free(p->titles[k]);
	}
}

void et_dual_in_order(const struct et_dual *d, const struct et_dual_point *samples, size_t n,
	int width, et_chart_fn *take, void *ctx)
{
	struct point_series p = { 0 };
	struct et_chart c = { .title = "Samples in order",
		.x = { .label = "sample" },
		.y = { .label = d->what, .unit = ET_AXIS_NS },
		.series = p.series,
		.n_series = MARKS,
		.width = width,
		.height = LOW };

	sort_points(&p, samples, n, d);
	take(&c, ctx);
	free_points(&p);
}

/* The grey lines: the diagonal, and the axes of the next zoom. */
struct lines {
	double ends[2], x[5], y[5];
};

static void add_lines(struct point_series *p, struct lines *l, const struct et_dual_zoom *next)
{
	p->series[DIAGONAL] = (struct et_svg_series){
		.shape = ET_SVG_LINE, .color = ET_SVG_GREY, .x = l->ends, .y = l->ends, .n = 2
	};
	if (!next)
		return;
	memcpy(l->x, (double[]){ next->lo, next->hi, next->hi, next->lo, next->lo }, sizeof(l->x));
	memcpy(l->y, (double[]){ next->lo, next->lo, next->hi, next->hi, next->lo }, sizeof(l->y));
	p->series[BOX] = (struct et_svg_series){
		.shape = ET_SVG_LINE, .color = ET_SVG_GREY, .x = l->x, .y = l->y, .n = 5
	};
}

static void chart(const struct et_dual *d, struct point_series *p, const struct et_dual_zoom *zooms,
	size_t n, size_t i, et_chart_fn *take, void *ctx)
{
	double room = length(&zooms[i]) / 25;
	struct lines l = { .ends = { fmax(0, zooms[i].lo - room), zooms[i].hi + room } };
	ET_AUTO_FREE char *name = et_dual_zoom_name(d, zooms, n, i);
	ET_AUTO_FREE char *x_label = et_asprintf("%s of %s", d->what, d->first);
	ET_AUTO_FREE char *y_label = et_asprintf("%s of %s", d->what, d->second);
	ET_AUTO_FREE char *title = et_asprintf("Dual execution%s%s", n == 1 ? ": " : " ", name);
	ET_AUTO_FREE char *description =
		et_asprintf("Each point is a pair of successive samples: x is the %s of the "
			    "first, y that of the second.",
			d->what);
	struct et_axis axis = { .unit = ET_AXIS_NS, .lo = l.ends[0], .hi = l.ends[1] };
	struct et_chart c = { .title = title,
		.description = description,
		.x = axis,
		.y = axis,
		.series = p->series,
		.n_series = SERIES,
		.width = SIDE,
		.height = SIDE };

	c.x.label = x_label;
	c.y.label = y_label;
	add_lines(p, &l, i + 1 < n ? &zooms[i + 1] : NULL);
	take(&c, ctx);
	p->series[BOX] = p->series[DIAGONAL] = (struct et_svg_series){ 0 };
}

void et_dual_charts(const struct et_dual *d, et_chart_fn *take, void *ctx)
{
	struct et_dual_zoom zooms[ET_DUAL_MOST_ZOOMS];
	size_t n = et_dual_zooms(d, zooms);
	struct point_series p = { 0 };

	sort_points(&p, d->points, d->n, d);
	for (size_t i = 0; i < n; i++)
		chart(d, &p, zooms, n, i, take, ctx);
	free_points(&p);
}

static void into_page(const struct et_chart *c, void *ctx)
{
	et_html_picture(ctx, c, false);
}

void et_dual_pictures(const struct et_dual *d, FILE *out)
{
	et_dual_charts(d, into_page, out);
}

/* --- terminal --- */

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
