/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dual-execution scatter plot: the frames, computed by hand, and the causes that are named. */
#include "report/dual.h"
#include "base/alloc.h"
#include "tap.h"

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

static char *drawn(const struct et_dual *d)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	et_dual_pictures(d, out);
	fclose(out);
	return text;
}

static void frame_is(const struct et_dual *d, enum et_dual_zoom zoom, double lo, double hi)
{
	double got_lo = NAN, got_hi = NAN;
	bool there = et_dual_frame(d, zoom, &got_lo, &got_hi);

	ok(there == !isnan(lo), "zoom '%s' of %zu points is %s", et_dual_zoom_names[zoom], d->n,
		there ? "shown" : "not shown");
	near(got_lo, lo, 0, 0, "zoom '%s' of %zu points: lower end", et_dual_zoom_names[zoom],
		d->n);
	near(got_hi, hi, 0, 0, "zoom '%s' of %zu points: upper end", et_dual_zoom_names[zoom],
		d->n);
}

int main(void)
{
	struct et_dual d = { .what = "CPU time" };

	frame_is(&d, ET_DUAL_WHOLE, NAN, NAN);
	char *text = drawn(&d);
	is_str(text, "", "no chart is drawn without pairs");
	free(text);

	/* A cluster from 100 to 110, an arm at 140 and one at 500. */
	et_dual_add(&d, 100, 110, NULL, NULL);
	et_dual_add(&d, 110, 104, NULL, NULL);
	frame_is(&d, ET_DUAL_WHOLE, 100, 110);
	frame_is(&d, ET_DUAL_FOOT, NAN, NAN);
	frame_is(&d, ET_DUAL_CLUSTER, NAN, NAN);
	et_dual_add(&d, 104, 500, "cron", et_strdup("sample 4"));
	frame_is(&d, ET_DUAL_WHOLE, 100, 500);
	frame_is(&d, ET_DUAL_FOOT, NAN, NAN);
	frame_is(&d, ET_DUAL_CLUSTER, 100, 110);
	et_dual_add(&d, 500, 100, "cron", et_strdup("sample 4 again"));
	et_dual_add(&d, 140, 101, "<b>", et_strdup("sample 7"));
	frame_is(&d, ET_DUAL_FOOT, 100, 150);

	text = drawn(&d);
	ok(count(text, "<figure>") == 3, "every zoom is a chart");
	ok(count(text, ">cron</text>") == 3 && count(text, ">&#60;b&#62;</text>") == 3 &&
			!strstr(text, "others"),
		"every chart names the daemons");
	/* cron twice in the first, <b> in the first two. */
	ok(count(text, "<title>sample 4") == 2 && count(text, "<title>sample 7") == 2,
		"a point outside of a zoom is not drawn");
	free(text);

	/* Six more daemons of one pair each: four are named, the rest are others. */
	static const char *const more[] = { "a", "b", "c", "d", "e", "f" };
	for (size_t i = 0; i < ET_LENGTH(more); i++)
		et_dual_add(&d, 600, 100, more[i], NULL);
	text = drawn(&d);
	ok(count(text, ">others</text>") == 3, "causes beyond the first four are drawn as others");
	ok(count(text, ">cron</text>") == 3 && count(text, ">c</text>") == 0,
		"the most frequent causes are named");
	free(text);
	et_dual_free(&d);
	return tap_done();
}
