/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab false-alarms` */
#include "app/lab/experiments.h"
#include "stats/series/interval.h"

static const char *const titles[ET_JUDGED] = { "duets, as run", "blocks, as run",
	"separate, Welch" };
static const char *const loads[ET_SIMULATED_LOADS] = { "drifting", "bursty" };

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
					et_table_add(&t, "%.1f ±%4.1f", 100 * et_lab_share(k, n),
						50 * (i.hi - i.lo));
				else
					et_table_add(&t, "- ");
			}
		}
	}
	et_lab_table(&t, page);
}

static void print_curves(
	const struct et_false_alarms *f, enum et_simulated_load load, const struct et_page *page)
{
	static const char marks[ET_JUDGED] = { 'D', 'B', 'W' };
	struct et_chart p = { .text = { ET_TEXT_SHARES, 1, "pairs" } };

	for (int how = 0; how < ET_JUDGED; how++) {
		struct et_curve *line =
			et_chart_curve(&p, ET_SVG_CURVE, (unsigned)how, titles[how]);
		line->mark = marks[how];
		for (size_t s = 0; s < ET_ALARM_SIZES; s++)
			et_curve_add(line, (double)et_alarm_sizes[s],
				et_lab_share(
					f->counts[load][how][s].found, f->repetitions[load][s]));
	}
	et_lab_heading(page, "power under a %s load, %.3g %% slower", loads[load], 100 * f->effect);
	et_lab_chart(&p, page);
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_false_alarms *f = result;

	et_lab_text(page,
		"A program is compared with itself on a machine under load, in %u simulations per "
		"case. Shares are in %%, with their Monte-Carlo uncertainty (95 %%). The standard "
		"deviation of a run alone is 20 %% (autocorrelation 0.43 at lag 1), that of the "
		"log ratio of a duet %.3g.",
		f->repetitions[0][0], f->duet_sd);
	putc('\n', page->out);
	et_lab_heading(page, "false alarms: a difference was claimed (significance level %.0f %%)",
		100 * (1 - f->level));
	print_table(f, false, page);
	et_lab_heading(
		page, "power: one program is %.3g %% slower, and this was found", 100 * f->effect);
	print_table(f, true, page);
	for (int load = 0; load < ET_SIMULATED_LOADS; load++)
		print_curves(f, (enum et_simulated_load)load, page);
	et_lab_text(page,
		"The differences that Welch's test finds in separate series are worthless if it "
		"raises as many false alarms.");
}

static void write_share(
	struct et_json *w, const char *name, const char *interval, uint32_t k, uint32_t n)
{
	struct et_interval i = et_share_interval_wilson(k, n, 0.95);

	et_json_double(w, name, et_lab_share(k, n));
	et_json_flat_array(w, interval);
	et_json_double(w, NULL, n ? i.lo : NAN);
	et_json_double(w, NULL, n ? i.hi : NAN);
	et_json_end(w);
}

static void write_cases(struct et_json *w, const char *key, const void *result)
{
	const struct et_false_alarms *f = result;

	et_json_array(w, key);
	for (size_t i = 0; i < ET_LENGTH(f->counts) * ET_JUDGED * ET_ALARM_SIZES; i++) {
		size_t load = i / ET_ALARM_SIZES / ET_JUDGED, how = i / ET_ALARM_SIZES % ET_JUDGED,
		       s = i % ET_ALARM_SIZES;
		const struct et_alarm_count *c = &f->counts[load][how][s];
		uint32_t n = f->repetitions[load][s];
		bool separate = how == ET_JUDGED_SEPARATE;
		et_json_flat_object(w, NULL);
		et_json_string(w, "load", et_simulated_load_names[load]);
		et_json_string(w, "runs", et_judged_names[how]);
		et_json_string(w, "judged_by", separate ? "welch" : "run");
		et_json_u64(w, "pairs", et_alarm_sizes[s]);
		et_json_u64(w, "repetitions", n);
		write_share(w, "false_alarms", "false_alarms_interval", c->alarms, n);
		write_share(w, "power", "power_interval", c->found, n);
		et_json_double(w, "warned", separate ? NAN : et_lab_share(c->warned, n));
		et_json_end(w);
	}
	et_json_end(w);
}

static int simulate(struct et_lab_request *r, void *result, struct et_error *err)
{
	(void)err;
	r->alarms.simulation = r->simulation;
	et_false_alarms_run(&r->alarms, result);
	return 0;
}

const struct et_lab et_lab_false_alarms = { .size = sizeof(struct et_false_alarms),
	.simulate = simulate,
	.fields = ET_TABLE(ET_KEYS(et_false_alarms, level),
		ET_KEY(et_false_alarms, "seed", simulation.seed),
		ET_KEY(et_false_alarms, "repetitions", simulation.repetitions),
		ET_KEYS(et_false_alarms, effect),
		ET_KEY(et_false_alarms, "duet_log_ratio_sd", duet_sd),
		ET_KEY_MADE("cases", write_cases)),
	.text = print_text };
