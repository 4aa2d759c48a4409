/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dual-execution scatter plot: the zooms, computed by hand, and the causes that are named. */
#include "report/dual.h"
#include "base/base.h"
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

	et_dual_charts(d, &(struct et_chart_to){ .page = out });
	fclose(out);
	return text;
}

static char *printed(const struct et_dual *d, int width)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = width };

	et_dual_text(d, &page);
	fclose(out);
	return text;
}

/* want: "lo hi pairs; …" */
static void zooms_are(const struct et_dual *d, const char *want, const char *about)
{
	struct et_dual_zoom zooms[ET_DUAL_MOST_ZOOMS];
	size_t n = et_dual_zooms(d, zooms);
	ET_AUTO_FREE char *got = NULL;

	for (size_t i = 0; i < n; i++)
		et_append(&got, "; ", "%g %g %zu%s", zooms[i].lo, zooms[i].hi, zooms[i].pairs,
			zooms[i].cluster ? " cluster" : "");
	is_str(got ? got : "", want, "zooms: %s", about);
}

static void check_zooms(void)
{
	struct et_dual d = { .what = "elapsed time", .first = "odd", .second = "even" };

	zooms_are(&d, "", "none without pairs");
	et_dual_add(&d, 100, 100, ET_DUAL_CENTRAL, NULL, NULL);
	zooms_are(&d, "", "none if all times are the same");
	et_dual_add(&d, 100, 110, ET_DUAL_CENTRAL, NULL, NULL);
	et_dual_add(&d, 110, 104, ET_DUAL_FREQUENT, NULL, NULL);
	zooms_are(&d, "100 110 3", "a single one without an arm");
	et_dual_add(&d, 104, 112, ET_DUAL_FAR, "cron", NULL);
	zooms_are(&d, "100 112 4", "a single one if the cluster takes most of it");
	d.n--;
	et_dual_add(&d, 104, 140, ET_DUAL_FAR, "cron", NULL);
	zooms_are(&d, "100 140 4; 100 110 3 cluster", "the cluster apart from a near arm");
	et_dual_add(&d, 104, 500, ET_DUAL_FAR, "cron", NULL);
	zooms_are(&d, "100 500 5; 100 140 4; 100 110 3 cluster",
		"the foot of the L, between the whole and the cluster");
	et_dual_add(&d, 40100, 100, ET_DUAL_FAR, "apt", NULL);
	et_dual_add(&d, 100, 3000, ET_DUAL_FAR, "apt", NULL);
	zooms_are(&d, "100 40100 7; 100 3000 6; 100 500 5; 100 140 4; 100 110 3 cluster",
		"as many as the data need");
	/* A pair below the cluster, as two-sigma removes: 99 is 1 away, 60 is 40 away. */
	et_dual_free(&d);
	d = (struct et_dual){ .what = "elapsed time", .first = "odd", .second = "even" };
	et_dual_add(&d, 100, 102, ET_DUAL_CENTRAL, NULL, NULL);
	et_dual_add(&d, 60, 101, ET_DUAL_FAR, "two-sigma", NULL);
	et_dual_add(&d, 98, 101, ET_DUAL_FAR, "two-sigma", NULL);
	zooms_are(&d, "60 102 3; 98 102 2; 100 102 1 cluster", "an arm below the cluster");
	et_dual_free(&d);
	d = (struct et_dual){ .what = "elapsed time", .first = "odd", .second = "even" };
	et_dual_add(&d, 60, 101, ET_DUAL_FAR, "cron", NULL);
	et_dual_add(&d, 60, 102, ET_DUAL_FAR, "cron", NULL);
	zooms_are(&d, "60 102 2", "a single one without a cluster");
	et_dual_free(&d);
}

static void check_pictures(void)
{
	struct et_dual d = { .what = "elapsed time", .first = "odd ones", .second = "even ones" };
	char *text = drawn(&d);

	is_str(text, "", "no chart is drawn without pairs");
	free(text);
	et_dual_add(&d, 100e6, 110e6, ET_DUAL_CENTRAL, NULL, NULL);
	et_dual_add(&d, 110e6, 104e6, ET_DUAL_FREQUENT, NULL, et_strdup("sample 5: <i>"));
	et_dual_add(&d, 104e6, 500e6, ET_DUAL_FAR, "cron", et_strdup("sample 4"));
	et_dual_add(&d, 500e6, 100e6, ET_DUAL_FAR, "cron", et_strdup("sample 4 again"));
	et_dual_add(&d, 140e6, 101e6, ET_DUAL_FAR, "<b>", et_strdup("sample 7"));
	text = drawn(&d);
	ok(count(text, "<figure>") == 3, "every zoom is a chart");
	ok(strstr(text, "Dual execution (a): all 5 pairs<") &&
			strstr(text, "Dual execution (b): 3 pairs up to 140.0 ms<") &&
			strstr(text, "Dual execution (c): central cluster, 2 pairs<"),
		"every chart says how many pairs it shows");
	ok(count(text, ">elapsed time of odd ones (ms)</text>") == 3 &&
			count(text, ">elapsed time of even ones (ms)</text>") == 3,
		"the axes name the metric and the samples");
	ok(count(text, ">cron</text>") == 3 && count(text, ">&#60;b&#62;</text>") == 3 &&
			count(text, ">frequent daemons</text>") == 3 && !strstr(text, "others"),
		"every chart names the daemons");
	/* cron twice in the first, <b> in the first two. */
	ok(count(text, "<title>sample 4") == 2 && count(text, "<title>sample 7") == 2 &&
			count(text, "<title>sample 5: &#60;i&#62;") == 3,
		"a point outside of a zoom is not drawn");
	free(text);

	/* Six more daemons of one pair each: four are named, the rest are others. */
	static const char *const more[] = { "a", "b", "c", "d", "e", "f" };
	for (size_t i = 0; i < ET_LENGTH(more); i++)
		et_dual_add(&d, 600e6, 100e6, ET_DUAL_FAR, more[i], NULL);
	text = drawn(&d);
	ok(count(text, ">others</text>") == 3, "causes beyond the first four are drawn as others");
	ok(count(text, ">cron</text>") == 3 && count(text, ">c</text>") == 0,
		"the most frequent causes are named");
	free(text);
	et_dual_free(&d);
}

/* Times in whole milliseconds around 128.2 s, as in the papers. */
static void check_text(void)
{
	struct et_dual d = { .what = "elapsed time", .first = "odd ones", .second = "even ones" };
	char *text = printed(&d, 80);

	is_str(text, "", "nothing is printed without pairs");
	free(text);
	for (int i = 0; i < 14; i++)
		et_dual_add(
			&d, 128.244e9 + 1e6 * i, 128.257e9 - 1e6 * i, ET_DUAL_CENTRAL, NULL, NULL);
	et_dual_add(&d, 128.250e9, 129.092e9, ET_DUAL_FAR, "rhn_check", NULL);
	et_dual_add(&d, 128.825e9, 128.251e9, ET_DUAL_FAR, "rhn_check", NULL);
	et_dual_add(&d, 128.360e9, 128.251e9, ET_DUAL_FAR, "sshd\033[1m", NULL);
	et_dual_add(&d, 128.257e9, 128.257e9, ET_DUAL_FREQUENT, NULL, NULL);
	d.shape = et_strdup("the cluster is round");
	text = printed(&d, 80);
	ok(count(text, "a rhn_check, b sshd␛[1m, f frequent daemons\n") == 3,
		"text: the legend of each zoom names the causes, without control characters");
	ok(count(text, "128.2440 s") == 2 && count(text, "128.2570 s") == 2,
		"text: the ends of the cluster's axes differ, 13 ms at 128 s");
	ok(strstr(text, "(b): 16 pairs up to 128.360 s") != NULL,
		"text: the name of a zoom has the digits that it needs");
	ok(count(text, "elapsed time of odd ones\n") == 3 &&
			count(text, "elapsed time of even ones\n") == 3,
		"text: both axes of every zoom are named");
	const char *foot = strstr(text, "(b)"), *cluster = strstr(text, "(c)");
	const char *frequent = cluster ? strstr(cluster, "┤") : NULL;
	ok(foot && memmem(text, (size_t)(foot - text), "┤a", strlen("┤a")) != NULL &&
			memmem(foot, (size_t)(cluster - foot), " b\n", 3) != NULL,
		"text: the pairs on the arms have the letters of their causes");
	ok(frequent && memmem(frequent, strcspn(frequent, "\n"), "f", 1) != NULL,
		"text: a pair that a frequent daemon moved is marked in the upper right corner");
	ok(strstr(text, "\nthe cluster is round\n") || strstr(text, " the cluster is round\n"),
		"text: the line about the cluster's shape is below its zoom");
	free(text);
	text = printed(&d, 40);
	ok(strstr(text, "128.2440 s") != NULL, "text: it fits a narrow terminal");
	free(text);
	et_dual_free(&d);
}

int main(void)
{
	check_zooms();
	check_pictures();
	check_text();
	return tap_done();
}
