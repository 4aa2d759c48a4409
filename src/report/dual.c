/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/dual.h"
#include "base/alloc.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

enum { NAMED = 4, SIDE = 420, FOOT = 5 };

const char *const et_dual_zoom_names[] = { "all pairs", "where the arms begin",
	"the central cluster alone", NULL };

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

void et_dual_add(struct et_dual *d, double x_ns, double y_ns, const char *cause, char *title)
{
	ET_GROW(d->points, d->n, d->cap);
	d->points[d->n++] =
		(struct et_dual_point){ x_ns, y_ns, cause ? own_cause(d, cause) : NULL, title };
}

void et_dual_free(struct et_dual *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->points[i].title);
	free(d->points);
	for (size_t i = 0; i < d->n_causes; i++)
		free(d->causes[i]);
	free(d->causes);
}

static bool extent(const struct et_dual *d, bool cluster, double *lo, double *hi)
{
	double a = INFINITY, b = -INFINITY;

	for (size_t i = 0; i < d->n; i++) {
		const struct et_dual_point *p = &d->points[i];
		if (cluster && p->cause)
			continue;
		a = fmin(a, fmin(p->x_ns, p->y_ns));
		b = fmax(b, fmax(p->x_ns, p->y_ns));
	}
	if (!(a < b))
		return false;
	*lo = a;
	*hi = b;
	return true;
}

static bool shows_an_arm(const struct et_dual *d, double lo, double hi)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct et_dual_point *p = &d->points[i];
		if (p->cause && fmin(p->x_ns, p->y_ns) >= lo && fmax(p->x_ns, p->y_ns) <= hi)
			return true;
	}
	return false;
}

bool et_dual_frame(const struct et_dual *d, enum et_dual_zoom zoom, double *lo, double *hi)
{
	double all_lo, all_hi, in_lo, in_hi;

	if (!extent(d, false, &all_lo, &all_hi))
		return false;
	if (zoom == ET_DUAL_WHOLE) {
		*lo = all_lo;
		*hi = all_hi;
		return true;
	}
	if (!extent(d, true, &in_lo, &in_hi) || in_hi - in_lo >= all_hi - all_lo)
		return false;
	if (zoom == ET_DUAL_FOOT) {
		in_hi = in_lo + FOOT * (in_hi - in_lo);
		if (in_hi >= all_hi || !shows_an_arm(d, in_lo, in_hi))
			return false;
	}
	*lo = in_lo;
	*hi = in_hi;
	return true;
}

/* --- charts --- */

struct cause {
	const char *name;
	size_t n;
};

static int by_count(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->name, y->name);
}

/* The causes with their number of points, the most frequent first. The caller frees the array. */
static struct cause *causes_of(const struct et_dual *d, size_t *n)
{
	struct cause *list = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < d->n; i++) {
		const char *name = d->points[i].cause;
		size_t k = 0;
		if (!name)
			continue;
		while (k < *n && strcmp(list[k].name, name) != 0)
			k++;
		if (k == *n) {
			ET_GROW(list, *n, cap);
			list[(*n)++] = (struct cause){ .name = name };
		}
		list[k].n++;
	}
	if (*n)
		qsort(list, *n, sizeof(*list), by_count);
	return list;
}

/* Series: the cluster (0), the NAMED most frequent causes, and these. BOX is the next zoom. */
enum { OTHERS = NAMED + 1, DIAGONAL, BOX, SERIES };

struct point_series {
	struct et_svg_series series[SERIES];
	double *x[SERIES], *y[SERIES];
	const char **titles[SERIES];
};

static int place_of(const char *cause, const struct cause *causes, size_t n)
{
	for (size_t k = 0; cause && k < n && k < NAMED; k++) {
		if (!strcmp(causes[k].name, cause))
			return 1 + (int)k;
	}
	return cause ? OTHERS : 0;
}

static void sort_points(struct point_series *p, const struct et_dual *d)
{
	size_t n_causes;
	ET_AUTO_FREE struct cause *causes = causes_of(d, &n_causes);
	static const unsigned colors[] = { ET_SVG_BLUE, ET_SVG_RED, ET_SVG_GREEN, ET_SVG_PURPLE,
		ET_SVG_ORANGE, ET_SVG_SKY };

	for (int k = 0; k <= OTHERS; k++) {
		p->x[k] = et_calloc(d->n + 1, sizeof(double));
		p->y[k] = et_calloc(d->n + 1, sizeof(double));
		p->titles[k] = et_calloc(d->n + 1, sizeof(char *));
		p->series[k] = (struct et_svg_series){
			.color = colors[k], .x = p->x[k], .y = p->y[k], .titles = p->titles[k]
		};
	}
	for (size_t i = 0; i < d->n; i++) {
		int k = place_of(d->points[i].cause, causes, n_causes);
		size_t at = p->series[k].n++;
		p->x[k][at] = d->points[i].x_ns;
		p->y[k][at] = d->points[i].y_ns;
		p->titles[k][at] = d->points[i].title;
		p->series[k].name = !k           ? "central cluster"
				    : k < OTHERS ? causes[k - 1].name
						 : "others";
	}
}

static void draw(const struct et_dual *d, enum et_dual_zoom zoom, FILE *out)
{
	struct point_series p = { 0 };
	double lo, hi, in_lo, in_hi;

	if (!et_dual_frame(d, zoom, &lo, &hi))
		return;
	double room = (hi - lo) / 25, ends[] = { fmax(0, lo - room), hi + room };
	ET_AUTO_FREE char *x_label = et_asprintf("%s of a sample", d->what);
	ET_AUTO_FREE char *y_label = et_asprintf("%s of the next one", d->what);
	ET_AUTO_FREE char *title = et_asprintf("Dual execution: %s", et_dual_zoom_names[zoom]);
	ET_AUTO_FREE char *description =
		et_asprintf("Each of the %zu points is a pair of successive samples: x is the %s "
			    "of the first, y that of the second.",
			d->n, d->what);
	struct et_axis axis = { .unit = ET_AXIS_NS, .lo = ends[0], .hi = ends[1] };
	struct et_chart c = { .title = title,
		.description = description,
		.x = axis,
		.y = axis,
		.series = p.series,
		.n_series = SERIES,
		.width = SIDE,
		.height = SIDE };

	c.x.label = x_label;
	c.y.label = y_label;
	sort_points(&p, d);
	p.series[DIAGONAL] = (struct et_svg_series){
		.shape = ET_SVG_LINE, .color = ET_SVG_GREY, .x = ends, .y = ends, .n = 2
	};
	double x[5], y[5];
	if (zoom == ET_DUAL_WHOLE && et_dual_frame(d, ET_DUAL_CLUSTER, &in_lo, &in_hi)) {
		memcpy(x, (double[]){ in_lo, in_hi, in_hi, in_lo, in_lo }, sizeof(x));
		memcpy(y, (double[]){ in_lo, in_lo, in_hi, in_hi, in_lo }, sizeof(y));
		p.series[BOX] = (struct et_svg_series){
			.shape = ET_SVG_LINE, .color = ET_SVG_GREY, .x = x, .y = y, .n = 5
		};
	}
	et_html_picture(out, &c, false);
	for (int k = 0; k <= OTHERS; k++) {
		free(p.x[k]);
		free(p.y[k]);
		free(p.titles[k]);
	}
}

void et_dual_pictures(const struct et_dual *d, FILE *out)
{
	for (int zoom = 0; zoom < ET_DUAL_ZOOMS; zoom++)
		draw(d, (enum et_dual_zoom)zoom, out);
}
