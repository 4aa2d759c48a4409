/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/comparison.h"
#include "base/alloc.h"
#include "report/pair.h"
#include "report/units.h"

#include <math.h>

enum { NAME_AT_LEAST = 8, GAP = 2 };

#define BOLD "1"

static char *short_name(const struct et_command *c, int width)
{
	ET_AUTO_FREE char *clean = et_clean(c->name ? c->name : "", "");

	return et_shorten(clean, width);
}

/* A row of the table of all commands. */
struct line {
	char time[ET_FIGURE], ratio[ET_FIGURE];
};

static void table_line(const struct et_command_result *r, struct line *out)
{
	const struct et_estimate *est = et_result_estimate(r);
	const struct et_kbest_result *kbest = et_result_kbest(r);
	enum et_unit unit = et_metrics[et_result_metric(r)].unit;

	if (kbest)
		et_format_value(kbest->best, unit, out->time);
	else if (est->n)
		et_format_value_measured(est->mean, est->expanded_uncertainty, unit, out->time);
	else
		snprintf(out->time, sizeof(out->time), ET_DASH);
	if (r->contrast)
		et_format_ratio(r->contrast->ratio, NAN, NAN, out->ratio);
	else
		snprintf(out->ratio, sizeof(out->ratio), r->reference ? "reference" : ET_DASH);
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

static void table(const struct et_judgement *j, const struct et_page *page)
{
	ET_AUTO_FREE struct line *lines = et_calloc(j->n_commands, sizeof(*lines));
	int time = 0, ratio = 0, widest = 0;

	for (size_t i = 0; i < j->n_commands; i++) {
		ET_AUTO_FREE char *name = short_name(j->commands[i].command, page->width);
		table_line(&j->commands[i], &lines[i]);
		time = at_least(time, lines[i].time);
		ratio = at_least(ratio, lines[i].ratio);
		widest = at_least(widest, name);
	}
	/* The ratios are printed above as well, so a narrow page omits them here. */
	int room = page->width - 2 - (GAP + time) - (GAP + ratio);
	bool ratios = room >= NAME_AT_LEAST || room >= widest;
	if (!ratios)
		room += GAP + ratio;
	if (room < NAME_AT_LEAST)
		return;
	if (room > widest)
		room = widest;
	putc('\n', page->out);
	for (size_t i = 0; i < j->n_commands; i++) {
		ET_AUTO_FREE char *name = short_name(j->commands[i].command, room);
		fprintf(page->out, "  %s%*s", name, room - et_columns(name), "");
		padded(page, lines[i].time, time);
		if (ratios)
			padded(page, lines[i].ratio, ratio);
		putc('\n', page->out);
	}
}

void et_comparison(const struct et_judgement *j, const struct et_page *page, bool verbose)
{
	if (!j->n_contrasts)
		return;
	putc('\n', page->out);
	const struct et_command_result *reference = &j->commands[j->contrasts[0].a];
	ET_AUTO_FREE char *title =
		et_asprintf("comparison by %s", et_metrics[et_result_metric(reference)].label);
	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	for (size_t i = 0; i < j->n_contrasts; i++)
		et_pair_text(page, j->commands[j->contrasts[i].b].command->name,
			reference->command->name, &j->contrasts[i], verbose);
	if (j->n_commands > 2)
		table(j, page);
}
