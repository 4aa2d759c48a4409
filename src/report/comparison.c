/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/comparison.h"
#include "base/alloc.h"
#include "report/tally.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

enum { NAME_AT_LEAST = 8, GAP = 2 };

#define BOLD "1"
#define SLOWER "31"
#define FASTER "32"
#define WARNING "33"

static char *short_name(const struct et_experiment *e, size_t command, int width)
{
	const char *name = command < e->n_commands ? e->commands[command].name : NULL;
	ET_AUTO_FREE char *clean = et_clean(name ? name : "", "");

	return et_shorten(clean, width);
}

static char *verdict(const struct et_contrast *c)
{
	char ratio[ET_FIGURE], change[ET_FIGURE];

	if (!isfinite(c->ratio) || c->ratio <= 0)
		return et_strdup(c->verdict[0] ? c->verdict : "cannot be compared");
	et_format_ratio(c->ratio, c->lo, c->hi, ratio);
	if ((!isfinite(c->lo) || !isfinite(c->hi)) && c->verdict[0])
		return et_asprintf("%s, %s", ratio, c->verdict);
	if (!c->significant)
		return et_asprintf("%s, no difference shown", ratio);
	et_format_change(c->ratio, c->lo, c->hi, change);
	return et_asprintf("%s, %s by %s", ratio, c->ratio > 1 ? "slower" : "faster", change);
}

static const char *verdict_style(const struct et_contrast *c)
{
	if (!c->significant || !isfinite(c->ratio))
		return NULL;
	return c->ratio > 1 ? SLOWER : FASTER;
}

/* ", p = 0.012 (Holm)"; empty when there is none. */
static const char *significance(double p, char buf[ET_FIGURE])
{
	buf[0] = '\0';
	if (p >= 0 && p < 1e-4)
		snprintf(buf, ET_FIGURE, ", p < 0.0001 (Holm)");
	else if (p >= 0 && p <= 1)
		snprintf(buf, ET_FIGURE, ", p = %.2g (Holm)", p);
	return buf;
}

static void details(const struct et_page *page, const struct et_contrast *c)
{
	char p[ET_FIGURE], sd[ET_FIGURE] = "";

	significance(c->p_holm, p);
	if (isfinite(c->log_ratio_sd))
		snprintf(sd, sizeof(sd), ", sd of the log ratio %.2g", c->log_ratio_sd);
	ET_AUTO_FREE char *all = et_asprintf("%zu pairs (%s)%s%s%s%s", c->pairs,
		c->arrangement ? c->arrangement : "arrangement not known", p, c->method ? ", " : "",
		c->method ? c->method : "", sd);
	et_page_paragraph(page, 6, "", NULL, all, NULL);
}

static void contrast_line(const struct et_experiment *e, const struct et_page *page,
	const struct et_contrast *c, bool verbose)
{
	int third = page->width / 3;
	ET_AUTO_FREE char *name = short_name(e, c->b, third);
	ET_AUTO_FREE char *reference = short_name(e, c->a, third);
	ET_AUTO_FREE char *lead = et_asprintf("  %s vs %s:", name, reference);
	ET_AUTO_FREE char *text = verdict(c);

	et_page_paragraph(page, 6, lead, NULL, text, verdict_style(c));
	if (verbose)
		details(page, c);
	for (size_t i = 0; i < c->warnings.n; i++)
		et_page_paragraph(page, 6, "    warning:", WARNING, c->warnings.text[i], NULL);
}

/* A row of the table of all commands. */
struct line {
	char time[ET_FIGURE], ratio[ET_FIGURE];
};

static void table_line(
	const struct et_experiment *e, const struct et_judgement *j, size_t i, struct line *out)
{
	const struct et_estimate *est = et_judged_estimate(e, j, i);
	const struct et_contrast *c = et_find_contrast(e, j, i);

	if (est->n)
		et_format_measured(est->mean, est->expanded_uncertainty, out->time);
	else
		snprintf(out->time, sizeof(out->time), ET_DASH);
	if (c)
		et_format_ratio(c->ratio, NAN, NAN, out->ratio);
	else
		snprintf(out->ratio, sizeof(out->ratio),
			i == e->plan.reference ? "reference" : ET_DASH);
}

static void padded(const struct et_page *page, const char *text, int width)
{
	fprintf(page->out, "%*s%s", GAP + width - et_columns(text), "", text);
}

static int at_least(int width, const char *text)
{
	int columns = et_columns(text);

	return columns > width ? columns : width;
}

static void table(
	const struct et_experiment *e, const struct et_judgement *j, const struct et_page *page)
{
	ET_AUTO_FREE struct line *lines = et_calloc(e->n_commands, sizeof(*lines));
	int time = 0, ratio = 0, widest = 0;

	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_FREE char *name = short_name(e, i, page->width);
		table_line(e, j, i, &lines[i]);
		time = at_least(time, lines[i].time);
		ratio = at_least(ratio, lines[i].ratio);
		widest = at_least(widest, name);
	}
	/* The ratios stand above too: on a narrow page they go first. */
	int room = page->width - 2 - (GAP + time) - (GAP + ratio);
	bool ratios = room >= NAME_AT_LEAST || room >= widest;
	if (!ratios)
		room += GAP + ratio;
	if (room < NAME_AT_LEAST)
		return;
	if (room > widest)
		room = widest;
	putc('\n', page->out);
	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_FREE char *name = short_name(e, i, room);
		fprintf(page->out, "  %s%*s", name, room - et_columns(name), "");
		padded(page, lines[i].time, time);
		if (ratios)
			padded(page, lines[i].ratio, ratio);
		putc('\n', page->out);
	}
}

void et_comparison(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_page *page, bool verbose)
{
	if (!j->n_contrasts)
		return;
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, "comparison", BOLD);
	for (size_t i = 0; i < j->n_contrasts; i++)
		contrast_line(e, page, &j->contrasts[i], verbose);
	if (e->n_commands > 2 && j->n_commands == e->n_commands)
		table(e, j, page);
}
