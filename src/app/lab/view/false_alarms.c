/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/lab.h"
#include "base/alloc.h"
#include "base/json.h"
#include "draw/plot.h"
#include "draw/table.h"
#include "stats/series/interval.h"

#include <math.h>

#define BOLD "1"

static const char *const titles[ET_JUDGED] = { "duets, as run", "blocks, as run",
	"separate, Welch" };
static const char *const loads[ET_SIMULATED_LOADS] = { "drifting", "bursty" };

static double share(uint32_t k, uint32_t n)
{
	return n ? (double)k / n : NAN;
}

static void print_table(const struct et_false_alarms *f, bool power, const struct et_page *page)
{
	struct et_table t = { .split = true };

	et_table_column(&t, ET_TABLE_TEXT, "load       pairs");
	for (int how = 0; how < ET_JUDGED; how++)
		et_table_column(&t, ET_TABLE_NUMBER, titles[how]);
	for (int load = 0; load < ET_SIMULATED_LOADS; load++) {
		for (size_t s = 0; s < ET_ALARM_SIZES; s++) {
			uint32_t n = f->repetitions[load][s];
			et_table_add(&t, "%-10s%6zu", loads[load], et_alarm_sizes[s]);
			for (int how = 0; how < ET_JUDGED; how++) {
				const struct et_alarm_count *c = &f->counts[load][how][s];
				uint32_t k = power ? c->found : c->alarms;
				struct et_interval i = et_share_interval_wilson(k, n, 0.95);
				if (n)
					et_table_add(&t, "%.1f ±%4.1f", 100 * share(k, n),
						50 * (i.hi - i.lo));
				else
					et_table_add(&t, "- ");
			}
		}
	}
	et_table_print(&t, page);
	putc('\n', page->out);
}

static void print_curves(
	const struct et_false_alarms *f, enum et_simulated_load load, const struct et_page *page)
{
	double x[ET_ALARM_SIZES], y[ET_JUDGED][ET_ALARM_SIZES];
	static const char marks[ET_JUDGED] = { 'D', 'B', 'W' };
	struct et_curve curves[ET_JUDGED];

	for (int how = 0; how < ET_JUDGED; how++) {
		for (size_t s = 0; s < ET_ALARM_SIZES; s++) {
			x[s] = (double)et_alarm_sizes[s];
			y[how][s] = share(f->counts[load][how][s].found, f->repetitions[load][s]);
		}
		curves[how] = (struct et_curve){ titles[how], marks[how], y[how] };
	}
	ET_AUTO_FREE char *title =
		et_asprintf("power under a %s load, %.3g %% slower", loads[load], 100 * f->effect);
	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	et_plot_shares(x, ET_ALARM_SIZES, curves, ET_JUDGED, "pairs", page);
	putc('\n', page->out);
}

void et_false_alarms_text(const struct et_false_alarms *f, const struct et_page *page)
{
	ET_AUTO_FREE char *about = et_asprintf(
		"A program is compared with itself on a machine under load, in %u simulations per "
		"case. Shares are in %%, with their Monte-Carlo uncertainty (95 %%). The standard "
		"deviation of a run alone is 20 %% (autocorrelation 0.43 at lag 1), that of the "
		"log ratio of a duet %.3g.",
		f->repetitions[0][0], f->duet_sd);
	ET_AUTO_FREE char *alarms =
		et_asprintf("false alarms: a difference was claimed (significance level %.0f %%)",
			100 * (1 - f->level));
	ET_AUTO_FREE char *power = et_asprintf(
		"power: one program is %.3g %% slower, and this was found", 100 * f->effect);

	et_page_paragraph(page, 0, "", NULL, about, NULL);
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, alarms, BOLD);
	print_table(f, false, page);
	et_page_paragraph(page, 0, "", NULL, power, BOLD);
	print_table(f, true, page);
	for (int load = 0; load < ET_SIMULATED_LOADS; load++)
		print_curves(f, (enum et_simulated_load)load, page);
	et_page_paragraph(page, 0, "", NULL,
		"The differences that Welch's test finds in separate series are worthless if it "
		"raises as many false alarms.",
		NULL);
}

static void write_share(
	struct et_json *w, const char *name, const char *interval, uint32_t k, uint32_t n)
{
	struct et_interval i = et_share_interval_wilson(k, n, 0.95);

	et_json_double(w, name, share(k, n));
	et_json_flat_array(w, interval);
	et_json_double(w, NULL, n ? i.lo : NAN);
	et_json_double(w, NULL, n ? i.hi : NAN);
	et_json_end(w);
}

static void write_row(
	struct et_json *w, const struct et_false_alarms *f, int load, int how, size_t s)
{
	const struct et_alarm_count *c = &f->counts[load][how][s];
	uint32_t n = f->repetitions[load][s];

	et_json_flat_object(w, NULL);
	et_json_string(w, "load", et_simulated_load_names[load]);
	et_json_string(w, "runs", et_judged_names[how]);
	et_json_string(w, "judged_by", how == ET_JUDGED_SEPARATE ? "welch" : "run");
	et_json_u64(w, "pairs", et_alarm_sizes[s]);
	et_json_u64(w, "repetitions", n);
	write_share(w, "false_alarms", "false_alarms_interval", c->alarms, n);
	write_share(w, "power", "power_interval", c->found, n);
	et_json_double(w, "warned", how == ET_JUDGED_SEPARATE ? NAN : share(c->warned, n));
	et_json_end(w);
}

void et_false_alarms_json(
	const struct et_false_alarms *f, const struct et_lab_asked *asked, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "experiment", "false-alarms");
	et_json_double(&w, "level", f->level);
	et_json_u64(&w, "seed", asked->seed);
	et_json_u64(&w, "repetitions", asked->repetitions);
	et_json_double(&w, "effect", f->effect);
	et_json_double(&w, "duet_log_ratio_sd", f->duet_sd);
	et_json_array(&w, "cases");
	for (int load = 0; load < ET_SIMULATED_LOADS; load++) {
		for (int how = 0; how < ET_JUDGED; how++) {
			for (size_t s = 0; s < ET_ALARM_SIZES; s++)
				write_row(&w, f, load, how, s);
		}
	}
	et_json_end(&w);
	et_json_end(&w);
}
