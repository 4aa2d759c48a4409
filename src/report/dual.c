/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dual.h"

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

/* "(b): 398 pairs up to 129.1 s"; the caller frees it. */
static char *zoom_name(
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

enum { NAMED = 4 }; /* this many causes have a mark of their own */

/* A cause of far pairs, with their number. */
struct cause {
	const char *name;
	size_t n;
};

static int by_count(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->name, y->name);
}

/* Counts the pairs of all causes, the most frequent first. Caller frees. */
static struct cause *count_causes(const struct et_dual *d)
{
	struct cause *list = et_calloc(d->n_causes + 1, sizeof(*list));

	for (size_t k = 0; k < d->n_causes; k++)
		list[k].name = d->causes[k];
	for (size_t i = 0; i < d->n; i++) {
		size_t k = 0;
		while (d->points[i].cause && d->points[i].cause != d->causes[k])
			k++;
		list[k].n += d->points[i].cause != NULL;
	}
	qsort(list, d->n_causes, sizeof(*list), by_count);
	return list;
}

/* --- charts --- */

/* Curves: the cluster, the named causes (from FIRST on), and these. */
enum { CLUSTER, FREQUENT, FIRST, OTHERS = FIRST + NAMED, MARKS };

static const struct {
	unsigned color;
	char letter; /* in a terminal */
} looks[MARKS] = { { ET_SVG_BLUE, '\0' }, { ET_SVG_GREY, 'f' }, { ET_SVG_RED, 'a' },
	{ ET_SVG_GREEN, 'b' }, { ET_SVG_PURPLE, 'c' }, { ET_SVG_ORANGE, 'd' },
	{ ET_SVG_SKY, '+' } };

static int curve_of(const struct et_dual_point *p, const struct cause *causes, size_t n)
{
	int k = 0;

	if (p->kind != ET_DUAL_FAR)
		return p->kind == ET_DUAL_CENTRAL ? CLUSTER : FREQUENT;
	while (k < NAMED && k < (int)n && strcmp(causes[k].name, p->cause) != 0)
		k++;
	return k < (int)n ? FIRST + k : OTHERS;
}

static void add_points(
	struct et_chart *c, const struct et_dual_point *points, size_t n, const struct et_dual *d)
{
	struct et_curve *curves[MARKS];
	ET_AUTO_FREE struct cause *causes = count_causes(d);

	for (int k = 0; k < MARKS; k++) {
		curves[k] = et_chart_curve(c, ET_SVG_POINTS, looks[k].color, NULL);
		curves[k]->mark = looks[k].letter;
	}
	for (size_t i = 0; i < n; i++) {
		int k = curve_of(&points[i], causes, d->n_causes);
		et_curve_add_dot(curves[k], (struct et_dot){ .x = points[i].x_ns,
						    .y = points[i].y_ns,
						    .title = points[i].title });
		curves[k]->name = k == CLUSTER    ? "central cluster"
				  : k == FREQUENT ? "frequent daemons"
				  : k < OTHERS    ? causes[k - FIRST].name
						  : "others";
	}
}

void et_dual_in_order(const struct et_dual *d, const struct et_dual_point *samples, size_t n,
	int width, const struct et_chart_to *to)
{
	struct et_chart c = { .title = "Samples in order",
		.x = { .label = "sample" },
		.y = { .label = d->what, .unit = ET_AXIS_NS },
		.width = width,
		.height = LOW,
		.wide = true };

	add_points(&c, samples, n, d);
	et_chart_put(&c, to);
}

/* The points of all pairs. */
static struct et_chart chart_of(const struct et_dual *d)
{
	struct et_chart c = { .width = SIDE, .height = SIDE };

	c.description = et_chart_format(&c,
		"Each point is a pair of successive samples: x is the %s of the first, y that of "
		"the second.",
		d->what);
	c.x.label = et_chart_format(&c, "%s of %s", d->what, d->first);
	c.y.label = et_chart_format(&c, "%s of %s", d->what, d->second);
	add_points(&c, d->points, d->n, d);
	return c;
}

/* The axes of the next zoom, as a box. */
static void add_box(struct et_chart *c, double lo, double hi)
{
	const double x[] = { lo, hi, hi, lo, lo }, y[] = { lo, lo, hi, hi, lo };
	struct et_curve *box = et_chart_curve(c, ET_SVG_LINE, ET_SVG_GREY, NULL);

	for (size_t i = 0; i < ET_LENGTH(x); i++)
		et_curve_add(box, x[i], y[i]);
}

void et_dual_charts(const struct et_dual *d, const struct et_chart_to *to)
{
	struct et_dual_zoom zooms[ET_DUAL_MOST_ZOOMS];
	size_t n = et_dual_zooms(d, zooms);

	for (size_t i = 0; i < n; i++) {
		double room = length(&zooms[i]) / 25;
		struct et_chart c = chart_of(d);
		struct et_curve *diagonal = et_chart_curve(&c, ET_SVG_LINE, ET_SVG_GREY, NULL);
		const char *name = et_chart_own(&c, zoom_name(d, zooms, n, i));

		c.title = et_chart_format(&c, "Dual execution%s%s", n == 1 ? ": " : " ", name);
		c.x.unit = c.y.unit = ET_AXIS_NS;
		c.x.lo = c.y.lo = fmax(0, zooms[i].lo - room);
		c.x.hi = c.y.hi = zooms[i].hi + room;
		et_curve_add(diagonal, c.x.lo, c.x.lo);
		et_curve_add(diagonal, c.x.hi, c.x.hi);
		if (i + 1 < n)
			add_box(&c, zooms[i + 1].lo, zooms[i + 1].hi);
		et_chart_put(&c, to);
	}
}

/* --- terminal --- */

#define FAINT "2"

enum { WIDEST = 50, INDENT = 2 };

/* "a rhn_check, b rhsmcertd-worke, + others, f frequent daemons" */
static void legend(const struct et_chart *c, const struct et_page *page)
{
	ET_AUTO_FREE char *list = NULL;

	for (size_t k = FIRST; k <= MARKS; k++) {
		const struct et_curve *curve = c->curves[k < MARKS ? k : FREQUENT];
		if (curve->n)
			et_append(&list, ", ", "%c %s", curve->mark, curve->name);
	}
	if (list)
		et_page_paragraph(page, INDENT, "", NULL, list, FAINT);
}

void et_dual_text(const struct et_dual *d, const struct et_page *page)
{
	struct et_dual_zoom zooms[ET_DUAL_MOST_ZOOMS];
	size_t n = et_dual_zooms(d, zooms);

	for (size_t i = 0; i < n; i++) {
		struct et_chart c = chart_of(d);
		const char *name = et_chart_own(&c, zoom_name(d, zooms, n, i));

		putc('\n', page->out);
		et_page_paragraph(page, INDENT, "", NULL,
			et_chart_format(&c, "dual execution%s%s", n == 1 ? ": " : " ", name), NULL);
		legend(&c, page);
		et_chart_scatter(&c, zooms[i].lo, zooms[i].hi, page, INDENT,
			page->width - INDENT < WIDEST ? page->width - INDENT : WIDEST);
	}
	if (d->shape)
		et_page_paragraph(page, INDENT, "", NULL, d->shape, NULL);
}
