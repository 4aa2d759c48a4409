/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/compare/view.h"
#include "base/figure.h"
#include "draw/html.h"
#include "draw/table.h"
#include "draw/xml.h"
#include "report/listing.h"
#include "report/warning.h"

#define SLOW "31"
#define FAST "32"
#define HERE "1"
#define DIM "2"

static bool is_judged(const struct et_fleet_machine *m)
{
	return isfinite(m->ratio) && isfinite(m->lo);
}

/* --- the verdict --- */

/* The most that an unnamed machine may differ, by the end of its interval; *last is one. */
static double most_of_others(
	const struct et_fleet *f, size_t *n, const struct et_fleet_machine **last)
{
	double most = 0;

	*n = 0;
	*last = NULL;
	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		if (!is_judged(m) || m->differs)
			continue;
		++*n;
		*last = m;
		most = fmax(most, fmax(fabs(m->lo - 1), fabs(m->hi - 1)));
	}
	return most;
}

static int farther(const void *va, const void *vb)
{
	const struct et_fleet_machine *const *a = va, *const *b = vb;
	double x = fabs(log((*a)->ratio)), y = fabs(log((*b)->ratio));

	return ET_ORDER(y, x);
}

/* Finds the machines that differ, the farthest first. Returns their number. */
static size_t find_different(const struct et_fleet *f, const struct et_fleet_machine **out)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (is_judged(&f->list[i]) && f->list[i].differs)
			out[n++] = &f->list[i];
	}
	if (n)
		qsort(out, n, sizeof(*out), farther);
	return n;
}

static void add_different(char **text, const struct et_fleet_machine *m, const char *than)
{
	et_append(text, "; ", "%s is %s%s by %s", m->name, m->ratio > 1 ? "slower" : "faster", than,
		et_format_change_span(m->ratio, m->lo, m->hi, ET_BUF));
}

/* The machines that are not named. of is the number of those that are. */
static void add_others(char **text, const struct et_fleet *f, size_t of)
{
	size_t others;
	const struct et_fleet_machine *last;
	double most = most_of_others(f, &others, &last);
	const char *than = f->reference ? f->reference : "the fleet";
	char percent[ET_FIGURE];

	et_format_percent(most, percent);
	if (of && others == 1)
		et_append(text, "; ", "the other machine differs by less than %s", percent);
	else if (of && others)
		et_append(text, "; ", "the other %zu machines differ by less than %s", others,
			percent);
	else if (others == 1)
		et_append(text, "; ", "%s is not shown to differ from %s, and not by more than %s",
			last->name, than, percent);
	else if (others)
		et_append(text, "; ",
			"no machine is shown to differ from %s; none differs by more than %s", than,
			percent);
}

char *et_machines_verdict(const struct et_fleet *f)
{
	enum { NAMED = 3 };
	ET_AUTO_FREE const struct et_fleet_machine **different =
		et_calloc(f->n + 1, sizeof(const struct et_fleet_machine *));
	ET_AUTO_FREE char *than =
		et_asprintf(" than %s", f->reference ? f->reference : "the fleet");
	ET_AUTO_FREE char *text = NULL;
	size_t n = find_different(f, different);

	if (f->n_judged < 2)
		return et_strdup(
			"no program was measured on two machines: they cannot be compared");
	for (size_t i = 0; i < n && (i < NAMED || n == NAMED + 1); i++)
		add_different(&text, different[i], i ? "" : than);
	if (n > NAMED + 1)
		et_append(&text, "; ", "%zu further machines differ", n - NAMED);
	add_others(&text, f, n);
	return et_strdup(
		text ? text : "no machine was measured twice: whether they differ is not known");
}

char *et_machines_basis(const struct et_fleet *f)
{
	const char *kind = f->n_cpu == f->n_programs ? "CPU time"
			   : f->n_cpu                ? "CPU or elapsed time"
						     : "elapsed time";

	return et_asprintf("%s of %zu program%s, %.3g %%", kind, f->n_programs,
		f->n_programs == 1 ? "" : "s", 100 * (1 - f->alpha));
}

/* --- the table --- */

/* Only two of them, if names are cut to fit: they are ordered by their weight. */
static char *deviations_of(const struct et_fleet_machine *m, bool full)
{
	enum { SHOWN = 2 };
	char *text = NULL;

	if (!m->environment_known)
		return et_strdup(ET_DASH);
	if (!m->n_deviations)
		return et_strdup("none");
	et_append(&text, "", "%zu: ", m->n_deviations);
	for (size_t i = 0; i < m->n_deviations && (full || i < SHOWN); i++)
		et_append(&text, i ? ", " : "", "%s", m->deviations[i].factor);
	if (!full && m->n_deviations > SHOWN)
		et_append(&text, ", ", "…");
	return text;
}

/* "+3.1 %" and "(2.1 … 4.0 %)", "reference", or a dash. */
static void format_speed(const struct et_fleet *f, const struct et_fleet_machine *m,
	char change[ET_FIGURE], char bounds[ET_FIGURE])
{
	bounds[0] = '\0';
	if (!isfinite(m->ratio)) {
		snprintf(change, ET_FIGURE, ET_DASH);
	} else if (f->reference && m->ratio == 1 && !is_judged(m)) {
		snprintf(change, ET_FIGURE, "reference");
	} else {
		et_format_change_signed(m->ratio, m->lo, m->hi, change);
		if (is_judged(m))
			snprintf(bounds, ET_FIGURE, "(%.80s)",
				et_format_change_bounds(m->ratio, m->lo, m->hi, "…", ET_BUF));
	}
}

static void add_speed(
	struct et_table *s, const struct et_fleet *f, const struct et_fleet_machine *m)
{
	char change[ET_FIGURE], bounds[ET_FIGURE], right[ET_FIGURE];

	format_speed(f, m, change, bounds);
	const char *style = !strcmp(change, "reference") ? DIM
			    : !m->differs                ? NULL
			    : m->ratio > 1               ? SLOW
							 : FAST;
	snprintf(right, sizeof(right), "%s%.90s", *bounds ? "  " : "", bounds);
	et_table_text(s, change, right, style);
}

static const char *format_noise(const struct et_fleet_machine *m, char buf[ET_FIGURE])
{
	return isfinite(m->noise) ? et_format_percent(m->noise, buf) : ET_DASH;
}

static void format_when(const struct et_fleet_machine *m, uint64_t now_wall_ns, char buf[24])
{
	snprintf(buf, 24, ET_DASH);
	if (m->last_wall_ns)
		et_listing_when(m->last_wall_ns, now_wall_ns, buf);
}

static const char *or_dash(const char *text)
{
	return *text ? text : ET_DASH;
}

static void add_row(struct et_table *s, const struct et_fleet *f, const struct et_fleet_machine *m,
	uint64_t now_wall_ns, bool times, bool full)
{
	ET_AUTO_FREE char *name = et_asprintf("%s%s", m->name, m->here ? " *" : "");
	ET_AUTO_FREE char *deviations = deviations_of(m, full);
	ET_AUTO_FREE char *cpu = et_asprintf("%" PRIu32 " × %s", m->host.cpus, m->host.cpu);
	char when[24];

	format_when(m, now_wall_ns, when);
	et_table_name(s, name, m->here ? HERE : NULL);
	if (times)
		et_table_add(s, "%s",
			isfinite(m->time_ns) ? et_format_time(m->time_ns, ET_BUF) : ET_DASH);
	add_speed(s, f, m);
	et_table_add(s, "%s", format_noise(m, ET_BUF));
	et_table_name(s, deviations, m->n_deviations ? NULL : DIM);
	et_table_name(s, when, NULL);
	et_table_add(s, "%" PRIu64, m->samples);
	if (!times)
		et_table_add(s, "%" PRIu64, m->experiments);
	et_table_name(s, m->host.cpus ? cpu : ET_DASH, NULL);
	et_table_name(s, or_dash(m->host.kernel), NULL);
	et_table_name(s, or_dash(m->host.virtual_machine), NULL);
	et_table_name(s, or_dash(m->host.clocksource), NULL);
}

#define COLUMNS_AFTER                                                                              \
	ET_COLUMN(FIGURE, "noise", .drop = 9), ET_COLUMN(NAME, "deviations", .drop = 8),           \
		ET_COLUMN(NAME, "last seen", .drop = 7), ET_COLUMN(FIGURE, "samples", .drop = 6)
#define COLUMNS_LAST                                                                               \
	ET_COLUMN(NAME, "CPUs", .drop = 4), ET_COLUMN(NAME, "kernel", .drop = 3),                  \
		ET_COLUMN(NAME, "virtual", .drop = 2), ET_COLUMN(NAME, "clock", .drop = 1)

void et_machines_table(
	const struct et_fleet *f, uint64_t now_wall_ns, bool times, const struct et_page *page)
{
	static const struct et_table_column with[] = { ET_COLUMN(NAME, "machine"),
		ET_COLUMN(FIGURE, "time"), ET_COLUMN(FIGURE, "against the fleet"), COLUMNS_AFTER,
		COLUMNS_LAST };
	static const struct et_table_column without[] = { ET_COLUMN(NAME, "machine"),
		ET_COLUMN(FIGURE, "against the fleet"), COLUMNS_AFTER,
		ET_COLUMN(FIGURE, "experiments", .drop = 5), COLUMNS_LAST };
	struct et_table_column columns[ET_LENGTH(with)];
	struct et_table s = { ET_COLUMNS(columns) };

	memcpy(columns, times ? with : without, sizeof(columns));
	if (f->reference)
		columns[times ? 2 : 1].title = "against it";
	for (size_t i = 0; i < f->n; i++)
		add_row(&s, f, &f->list[i], now_wall_ns, times, page->full_names);
	et_table_print(&s, page);
	et_warnings_text(page, 2, &f->warnings);
	for (char *const *note = f->notes; note && *note; note++)
		et_page_paragraph(page, 2, "", NULL, *note, NULL);
}

void et_machines_text(const struct et_fleet *f, uint64_t now_wall_ns, const struct et_page *page)
{
	ET_AUTO_FREE char *verdict = et_machines_verdict(f);
	ET_AUTO_FREE char *basis = et_machines_basis(f);

	et_page_paragraph(page, 0, "", NULL, verdict, "1");
	putc('\n', page->out);
	et_machines_table(f, now_wall_ns, true, page);
	if (f->n_judged > 1)
		et_page_paragraph(page, 0, "", NULL, basis, DIM);
}

/* --- JSON --- */

ET_FIELDS(ratio_fields, ET_KEYS(et_fleet_machine, ratio, lo, hi));

static void write_speed(
	struct et_json *w, const struct et_fleet *f, const struct et_fleet_machine *m)
{
	if (!isfinite(m->ratio)) {
		et_json_null(w, "speed");
		return;
	}
	et_json_object(w, "speed");
	et_fields_write(w, ratio_fields, m);
	et_json_double(w, "level", 1 - f->alpha);
	et_json_double(w, "p_holm", m->p_holm);
	if (is_judged(m))
		et_json_bool(w, "differs", m->differs);
	else
		et_json_null(w, "differs");
	et_json_u64(w, "samples", m->n);
	et_json_u64(w, "sessions", m->sessions);
	et_json_bool(w, "between_sessions", f->between_sessions);
	et_json_end(w);
}

ET_FIELDS(machine_fields, ET_KEY(et_fleet_machine, "machine", id),
	ET_KEYS(et_fleet_machine, name, here),
	ET_KEY(et_fleet_machine, "etalon", version, ET_GIVEN(et_fleet_machine, version)),
	ET_KEYS(et_fleet_machine, experiments, samples),
	ET_KEY_BY(et_fleet_machine, "first_seen", first_wall_ns, et_time_json),
	ET_KEY_BY(et_fleet_machine, "last_seen", last_wall_ns, et_time_json),
	ET_KEY_OBJECT(et_fleet_machine, "host", host,
		ET_TABLE(ET_KEYS(et_host, name, kernel, architecture, cpu, cpus),
			ET_KEY(et_host, "virtual", virtual_machine),
			ET_KEYS(et_host, clocksource, governor, memory_bytes))),
	ET_KEYS(et_fleet_machine, time_ns));

ET_FIELDS(noise_fields, ET_KEYS(et_fleet_machine, noise),
	ET_KEY_LIST(et_fleet_machine, "deviations", deviations, n_deviations,
		ET_TABLE(ET_KEYS(et_factor, factor, state, wanted)),
		ET_GIVEN(et_fleet_machine, environment_known)));

void et_machines_json(const struct et_fleet *f, const char *key, struct et_json *w)
{
	et_json_array(w, key);
	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		et_json_object(w, NULL);
		et_fields_write(w, machine_fields, m);
		write_speed(w, f, m);
		et_fields_write(w, noise_fields, m);
		et_json_end(w);
	}
	et_json_end(w);
}

/* --- page --- */

enum { WIDTH = 170, LINE_WIDTH = 90, HEIGHT = 22 };

/* The farthest that a ratio, or an end of its interval, is from 1, as a factor. */
static double reach_of(const struct et_fleet *f)
{
	/* One machine that was measured twice only must not flatten all others. */
	enum { MOST = 3 };
	double reach = 1.01;

	for (size_t i = 0; i < f->n; i++) {
		const struct et_fleet_machine *m = &f->list[i];
		double lo = isfinite(m->lo) ? m->lo : m->ratio;
		double hi = isfinite(m->lo) ? m->hi : m->ratio;
		if (isfinite(lo))
			reach = fmax(reach, fmax(fmax(lo, 1 / lo), fmax(hi, 1 / hi)));
	}
	return fmin(reach, MOST);
}

static void put_cell(struct et_chart *c, FILE *out)
{
	fputs("<td>", out);
	et_chart_put(c, &(struct et_chart_to){ .page = out });
	fputs("</td>\n", out);
}

/* A point with its interval; the line in the middle is the fleet. */
static void speed_picture(FILE *out, const struct et_fleet_machine *m, double reach)
{
	unsigned color = !m->differs ? ET_SVG_GREY : m->ratio > 1 ? ET_SVG_RED : ET_SVG_GREEN;
	struct et_chart c = { .title = "time against the fleet",
		.x = { .log = true, .lo = 1 / reach, .hi = reach },
		.y = { .lo = -1, .hi = 1 },
		.marks = { { .at = 1 } },
		.n_marks = 1,
		.width = WIDTH,
		.height = HEIGHT,
		.bare = true };
	double at = isfinite(m->ratio) ? fmax(1 / reach, fmin(m->ratio, reach)) : NAN;

	et_chart_row(et_chart_rows(&c, color, color, NULL, NULL), 0, at, m->lo, m->hi);
	put_cell(&c, out);
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
	struct et_chart c = { .title = "times of the last experiments",
		.x = { .hi = (double)(m->n_recent - 1) },
		.y = { .log = true, .lo = exp(middle - half), .hi = exp(middle + half) },
		.width = LINE_WIDTH,
		.height = HEIGHT,
		.bare = true };
	et_curve_add_all(
		et_chart_curve(&c, ET_SVG_LINE, ET_SVG_BLUE, NULL), 0, 1, m->recent, m->n_recent);
	put_cell(&c, out);
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
	char when[24], change[ET_FIGURE], bounds[ET_FIGURE];

	format_when(m, now_wall_ns, when);
	fputs("<tr>", out);
	et_html_element(out, "th scope=\"row\"", "%s%s", m->name, m->here ? " *" : "");
	format_speed(f, m, change, bounds);
	et_html_element(out, "td class=\"n\"", "%s%s%s", change, *bounds ? " " : "", bounds);
	speed_picture(out, m, reach);
	et_html_element(out, "td class=\"n\"", "%s", format_noise(m, ET_BUF));
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
			basis, f->between_sessions ? "; the line through it is its interval" : "");
	et_html_warnings(out, &f->warnings);
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
