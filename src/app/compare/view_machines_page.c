/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a fleet: a row per machine, with its speed as a point with its interval. */
#include "app/compare/view_machines.h"
#include "base/alloc.h"
#include "base/figure.h"
#include "draw/html.h"
#include "draw/xml.h"
#include "report/listing.h"
#include "report/warning.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 170, LINE_WIDTH = 90, HEIGHT = 22, EDGE = 6 };

/* The farthest that a ratio, or an end of its interval, is from 1, in logarithms. */
static double reach_of(const struct et_fleet *f)
{
	/* One machine that was measured twice only must not flatten all others. */
	static const double most = 1.0986122886681098; /* log 3 */
	double reach = 0.01;

	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		if (isfinite(m->lo))
			reach = fmax(reach, fmax(fabs(log(m->lo)), fabs(log(m->hi))));
		else if (isfinite(m->ratio))
			reach = fmax(reach, fabs(log(m->ratio)));
	}
	return fmin(reach, most);
}

static double place(double ratio, double reach)
{
	double share = fmax(-1, fmin(1, log(ratio) / reach));

	return WIDTH / 2.0 + share * (WIDTH / 2.0 - EDGE);
}

static void line(FILE *out, const char *class, double x1, double y1, double x2, double y2)
{
	fprintf(out, "<line class=\"%s\"", class);
	et_xml_coordinates(out, " x1=\"%\" y1=\"%\" x2=\"%\" y2=\"%\"/>", x1, y1, x2, y2);
}

static void svg_begin(FILE *out, int width, const char *label)
{
	fprintf(out, "<td><svg class=\"et\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"",
		width, HEIGHT);
	et_xml_text(out, label);
	fputs("\">", out);
}

/* A point with its interval; the line in the middle is the fleet. */
static void speed_picture(FILE *out, const struct et_fleet_machine *m, double reach)
{
	const double y = HEIGHT / 2.0;
	const char *class = !m->differs ? "c6" : m->ratio > 1 ? "c1" : "c2";
	ET_AUTO_FREE char *whisker = et_asprintf("iv %s", class);

	svg_begin(out, WIDTH, "time against the fleet");
	line(out, "mk", WIDTH / 2.0, 0, WIDTH / 2.0, HEIGHT);
	if (isfinite(m->lo)) {
		double from = place(m->lo, reach), to = place(m->hi, reach);
		line(out, whisker, from, y, to, y);
		line(out, whisker, from, y - 4, from, y + 4);
		line(out, whisker, to, y - 4, to, y + 4);
	}
	if (isfinite(m->ratio)) {
		fprintf(out, "<circle class=\"%s\" r=\"4\"", class);
		et_xml_coordinates(out, " cx=\"%\" cy=\"%\"/>", place(m->ratio, reach), y);
	}
	fputs("</svg></td>\n", out);
}

static void recent_picture(FILE *out, const struct et_fleet_machine *m)
{
	double lo = INFINITY, hi = -INFINITY;

	if (m->n_recent < 2) {
		fputs("<td></td>\n", out);
		return;
	}
	for (size_t i = 0; i < m->n_recent; i++) {
		lo = fmin(lo, log(m->recent[i]));
		hi = fmax(hi, log(m->recent[i]));
	}
	/* A change of less than 1 % looks flat. */
	double middle = (lo + hi) / 2, half = fmax((hi - lo) / 2, 0.005);
	svg_begin(out, LINE_WIDTH, "times of the last experiments");
	fputs("<polyline class=\"ln c0\" fill=\"none\" style=\"fill:none\" points=\"", out);
	for (size_t i = 0; i < m->n_recent; i++) {
		double share = (log(m->recent[i]) - middle) / half;
		et_xml_coordinates(out, "%,% ",
			3 + (double)i * (LINE_WIDTH - 6) / (double)(m->n_recent - 1),
			HEIGHT / 2.0 - share * (HEIGHT / 2.0 - 3));
	}
	fputs("\"/></svg></td>\n", out);
}

static void speed_figure(FILE *out, const struct et_fleet *f, const struct et_fleet_machine *m)
{
	char change[ET_FIGURE], bounds[ET_FIGURE];

	if (!isfinite(m->ratio))
		et_html_element(out, "td class=\"n\"", ET_DASH);
	else if (f->reference && m->ratio == 1 && !isfinite(m->lo))
		et_html_element(out, "td class=\"n\"", "reference");
	else if (!isfinite(m->lo))
		et_html_element(out, "td class=\"n\"", "%s",
			et_format_change_signed(m->ratio, m->lo, m->hi, change));
	else
		et_html_element(out, "td class=\"n\"", "%s (%s)",
			et_format_change_signed(m->ratio, m->lo, m->hi, change),
			et_format_change_bounds(m->ratio, m->lo, m->hi, "…", bounds));
}

static void deviations(FILE *out, const struct et_fleet_machine *m)
{
	ET_AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < m->n_deviations; i++)
		et_append(&text, "; ", "%s: %s (wanted: %s)", m->deviations[i].factor,
			m->deviations[i].state, m->deviations[i].wanted);
	if (!m->n_deviations) {
		et_html_element(out, "td", "%s", m->environment_known ? "none" : ET_DASH);
		return;
	}
	fprintf(out, "<td><details><summary>%zu: ", m->n_deviations);
	et_xml_text(out, m->deviations[0].factor);
	fputs(m->n_deviations > 1 ? ", …</summary>" : "</summary>", out);
	et_xml_text(out, text);
	fputs("</details></td>\n", out);
}

static void row(FILE *out, const struct et_fleet *f, const struct et_fleet_machine *m, double reach,
	uint64_t now_wall_ns)
{
	char noise[ET_FIGURE] = ET_DASH, when[24] = ET_DASH;

	if (isfinite(m->noise))
		et_format_percent(m->noise, noise);
	if (m->last_wall_ns)
		et_listing_when(m->last_wall_ns, now_wall_ns, when);
	fputs("<tr>", out);
	et_html_element(out, "th scope=\"row\"", "%s%s", m->name, m->here ? " *" : "");
	speed_figure(out, f, m);
	speed_picture(out, m, reach);
	et_html_element(out, "td class=\"n\"", "%s", noise);
	recent_picture(out, m);
	deviations(out, m);
	et_html_element(out, "td class=\"n\"", "%s", when);
	fputs("</tr>\n", out);
}

/* The properties of the machines, which rarely change, have a table of their own. */
static void properties(FILE *out, const struct et_fleet *f)
{
	static const char *const headings[] = { "machine", "samples", "experiments", "CPUs",
		"kernel", "virtual", "clock", "etalon", NULL };

	et_html_element(out, "h2", "Properties");
	et_html_table_begin(out, headings);
	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		fputs("<tr>", out);
		et_html_element(out, "th scope=\"row\"", "%s%s", m->name, m->here ? " *" : "");
		et_html_element(out, "td class=\"n\"", "%" PRIu64, m->samples);
		et_html_element(out, "td class=\"n\"", "%" PRIu64, m->experiments);
		et_html_element(out, "td", "%" PRIu32 " × %s", m->host.cpus, m->host.cpu);
		et_html_element(out, "td", "%s", m->host.kernel);
		et_html_element(out, "td", "%s", m->host.virtual_machine);
		et_html_element(out, "td", "%s", m->host.clocksource);
		et_html_element(out, "td", "%s", m->version);
		fputs("</tr>\n", out);
	}
	et_html_table_end(out);
}

static bool has_interval(const struct et_fleet *f)
{
	bool has = false;

	for (size_t i = 0; i < f->n; i++)
		has = has || isfinite(f->list[i].lo);
	return has;
}

void et_machines_page(const struct et_fleet *f, uint64_t now_wall_ns, FILE *out)
{
	static const char *const headings[] = { "machine", "time against the fleet", "", "noise",
		"last experiments", "deviations of the environment", "last seen", NULL };
	ET_AUTO_FREE char *verdict = et_machines_verdict(f);
	ET_AUTO_FREE char *basis = et_machines_basis(f);
	double reach = reach_of(f);

	et_html_begin(out, "Machines");
	et_html_element(out, "p", "%s.", verdict);
	if (f->n_judged > 1)
		et_html_element(out, "p class=\"dim\"",
			"Judged by %s. A point right of the line is slower than the fleet%s. Noise "
			"is "
			"the relative standard deviation of the samples of an experiment.",
			basis, has_interval(f) ? "; the line through it is its interval" : "");
	for (size_t i = 0; i < f->warnings.n; i++) {
		ET_AUTO_FREE char *text = et_warning_text(&f->warnings.list[i]);
		et_html_element(out, "p class=\"warn\"", "%s", text);
	}
	for (char *const *note = f->notes; note && *note; note++)
		et_html_element(out, "p class=\"warn\"", "%s", *note);
	et_html_table_begin(out, headings);
	for (size_t i = 0; i < f->n; i++)
		row(out, f, &f->list[i], reach, now_wall_ns);
	et_html_table_end(out);
	properties(out, f);
	et_html_element(
		out, "p class=\"dim\"", "The asterisk marks the machine that wrote this page.");
	et_html_end(out);
}
