/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/clocks.h"
#include "base/alloc.h"
#include "base/figure.h"
#include "base/json.h"
#include "draw/table.h"

#include <math.h>

#define BAD "31"

/* The promises about alarms, coverage, and width of intervals relative to the true spread. */
static const double most_alarms = 0.05, least = 0.93, most = 0.97, widest = 3;

/* Marks a figure that is certainly ('!') or perhaps ('?') outside of what is promised. */
static void add_share(struct et_table *t, double share, bool bad, bool surely)
{
	char text[32] = "- ";

	if (!isnan(share))
		snprintf(text, sizeof(text), "%.1f%c", 100 * share,
			!bad     ? ' '
			: surely ? '!'
				 : '?');
	et_table_text(t, text, "", !isnan(share) && bad && surely ? BAD : NULL);
}

static void add_row(const struct et_kbest_coverage_row *row, struct et_table *t)
{
	struct et_kbest_attained a = et_kbest_attained(row);
	const double halves[] = { 50 * a.width, 50 * a.spread };
	char buf[ET_FIGURE];

	et_table_add(t, "%s\t%s\t%s", row->name, et_format_rounded(a.ns, 4, buf),
		et_kbest_statistic_names[a.statistic]);
	add_share(t, a.alarms, a.alarms > most_alarms, a.lo > most_alarms);
	add_share(t, a.another, a.another < least || a.another > most, a.another < least);
	add_share(t, a.long_run, a.long_run < least, a.long_run < least);
	for (size_t i = 0; i < ET_LENGTH(halves); i++) {
		snprintf(buf, sizeof(buf), "%.3f", halves[i]);
		et_table_add(t, "%s", isfinite(halves[i]) ? buf : "- ");
	}
	snprintf(buf, sizeof(buf), "%.2f%c", a.width / a.spread,
		a.width / a.spread > widest ? '!' : ' ');
	et_table_add(t, "%s", a.spread > 0 ? buf : "- ");
}

void et_kbest_coverage_text(const struct et_kbest_coverage *c, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "function"),
		ET_COLUMN(NUMBER, "time"), ET_COLUMN(NUMBER, "statistic"),
		ET_COLUMN(NUMBER, "alarms %"), ET_COLUMN(NUMBER, "another %"),
		ET_COLUMN(NUMBER, "long run %"), ET_COLUMN(NUMBER, "said ± %"),
		ET_COLUMN(NUMBER, "true ± %"), ET_COLUMN(NUMBER, "wider") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };
	ET_AUTO_FREE char *text = et_asprintf(
		"The same benchmark program, invoked %zu times. alarms: of comparisons of each "
		"invocation with the one before, as --baseline makes them, those that found a "
		"difference (at most %.0f %%). another: of the answers of all other invocations, "
		"those within the interval (%.0f to %.0f %%); long run: of the intervals, those "
		"that contain the mean of all other answers. said: half the interval; true: half "
		"of what holds 95 %% of the answers; wider: their ratio (at most %.0f). !: "
		"outside; ?: perhaps.",
		c->invocations, 100 * most_alarms, 100 * least, 100 * most, widest);

	et_page_paragraph(page, 0, "", NULL, text, NULL);
	putc('\n', page->out);
	for (size_t i = 0; i < c->n; i++)
		add_row(&c->rows[i], &t);
	et_table_print(&t, page);
}

static void write_row(struct et_json *w, const struct et_kbest_coverage_row *row)
{
	struct et_kbest_attained a = et_kbest_attained(row);

	et_json_object(w, NULL);
	et_json_string(w, "name", row->name);
	et_json_u64(w, "invocations", row->n);
	et_json_double(w, "time_ns", a.ns);
	et_json_string(w, "statistic", et_kbest_statistic_names[a.statistic]);
	et_json_double(w, "chosen", a.chosen);
	et_json_u64(w, "compared", row->compared);
	et_json_u64(w, "alarms", row->alarms);
	et_json_double(w, "alarm_share", a.alarms);
	et_json_flat_array(w, "alarm_interval");
	et_json_double(w, NULL, a.lo);
	et_json_double(w, NULL, a.hi);
	et_json_end(w);
	et_json_double(w, "covers_another", a.another);
	et_json_double(w, "covers_long_run", a.long_run);
	et_json_double(w, "interval_width", a.width);
	et_json_double(w, "true_width", a.spread);
	et_json_array(w, "answers");
	for (size_t i = 0; i < row->n; i++) {
		et_json_flat_array(w, NULL);
		et_json_double(w, NULL, row->answers[i].ns);
		et_json_double(w, NULL, row->answers[i].lo_ns);
		et_json_double(w, NULL, row->answers[i].hi_ns);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

void et_kbest_coverage_json(const struct et_kbest_coverage *c, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "experiment", "kbest-coverage");
	et_json_u64(&w, "invocations", c->invocations);
	et_json_double(&w, "level", c->level);
	et_json_array(&w, "functions");
	for (size_t i = 0; i < c->n; i++)
		write_row(&w, &c->rows[i]);
	et_json_end(&w);
	et_json_end(&w);
}
