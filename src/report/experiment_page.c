/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/experiment_page.h"
#include "base/memstream.h"
#include "draw/html.h"
#include "draw/table.h"
#include "model/experiment/experiment.h"
#include "report/pair.h"
#include "report/warning.h"
#include "stats/series/tally.h"

#include <ctype.h>

enum { MOST_CULPRITS = 12, MOST_REMOVED = 200 };

static const char *name_of(const struct et_command *c)
{
	return c->name ? c->name : "";
}

static char *title_of(const struct et_experiment *e)
{
	return e->label ? et_asprintf("%s (%s)", e->label, e->id)
			: et_asprintf("experiment %s", e->id);
}

/* Whether check I was done, and with what learning. */
static char *first_check_text(const struct et_first_check *c)
{
	char when[32];

	switch (c->state) {
	case ET_FIRST_CHECK_DONE:
		return et_asprintf("done with %u cutoff%s learned %s", c->cutoffs,
			c->cutoffs == 1 ? "" : "s", et_format_rfc3339(c->learned_wall_ns, when));
	case ET_FIRST_CHECK_UNLEARNED:
		return et_strdup("not done, as no daemons were learned on this machine");
	case ET_FIRST_CHECK_MISFIT:
		return et_asprintf("not done, as what was learned %.10s does not fit",
			et_format_rfc3339(c->learned_wall_ns, when));
	case ET_FIRST_CHECK_LENGTH:
		return et_strdup("not done, as the program takes much longer than the samples "
				 "from which the cutoffs were learned");
	case ET_FIRST_CHECK_WITHDRAWN:
		return et_asprintf("withdrawn, as it would have removed %u sample%s",
			c->would_remove, c->would_remove == 1 ? "" : "s");
	default:
		return et_strdup("not recorded");
	}
}

/* The protocol's steps: which checks were done, and what they removed. */
static void steps_paragraph(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	ET_AUTO_FREE char *first = first_check_text(&e->first_check);
	size_t removed[ET_TALLY_CAUSES] = { 0 };
	struct et_tally tally;

	bool emp = e->protocol == ET_PROTOCOL_EMP;
	if (e->first_check.state == ET_FIRST_CHECK_NONE ||
		(e->first_check.state == ET_FIRST_CHECK_UNLEARNED && !emp))
		return;
	for (size_t i = 0; i < j->n_commands; i++) {
		et_tally_samples(j->commands[i].command, &tally);
		for (int k = 0; k < ET_TALLY_CAUSES; k++)
			removed[k] += tally.removed[k];
	}
	ET_AUTO_FREE char *text = et_asprintf("%s: %s; samples removed: %zu.",
		emp ? "Sanity check I (daemons above their cutoffs)"
		    : "Check of daemons above their cutoffs",
		first, removed[ET_REMOVED_DAEMON_CUTOFF]);
	if (emp)
		et_append(&text, " ",
			"Sanity check II (farther than two standard deviations from the mean): "
			"samples removed: %zu.",
			removed[ET_REMOVED_TWO_SIGMA]);
	et_html_element(out, "p", "%s", text);
}

static void heading(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	char when[32];

	et_html_element(out, "p", "Started %s; protocol %s, order %s, judged by %s.",
		et_format_rfc3339(e->started_wall_ns, when), et_protocol_names[e->protocol],
		et_order_names[e->plan.order], et_metrics[j->metric.metric].label);
	if (e->plan.randomise_layout)
		et_html_element(out, "p", "Each run had a random layout of memory.");
	steps_paragraph(e, j, out);
	if (e->host.cpus)
		et_html_element(out, "p class=\"dim\"", "%s: %u × %s, Linux %s%s%s%s%s",
			e->host.name, e->host.cpus, e->host.cpu, e->host.kernel,
			*e->host.clocksource ? ", " : "", e->host.clocksource,
			*e->host.virtual_machine ? ", virtual: " : "", e->host.virtual_machine);
	if (e->state != ET_STATE_DONE)
		et_html_element(
			out, "p class=\"warn\"", "%s: not finished", et_state_names[e->state]);
}

/* --- the table of all commands --- */

static void estimate_cell(struct et_table *t, const struct et_estimate *est, enum et_unit unit)
{
	if (!est->n)
		et_table_add(t, ET_DASH);
	else
		et_table_add(t, "%s (%s)", et_format_estimate(est, unit, ET_BUF),
			et_format_percent(est->level, ET_BUF));
}

static void summary_row(struct et_table *t, const struct et_command_result *r, bool ratio)
{
	const struct et_estimate *est = et_result_estimate(r);
	enum et_unit unit = et_metrics[et_result_metric(r)].unit;
	const struct et_contrast *c = r->contrast;
	struct et_ratio of = c ? et_contrast_ratio(c) : ET_NO_RATIO;
	struct et_tally tally;

	et_tally_samples(r->command, &tally);
	et_table_name(t, name_of(r->command), NULL);
	for (int m = 0; m < ET_METRICS; m++) {
		if (et_metrics[m].judged)
			estimate_cell(t, &r->estimate[m], et_metrics[m].unit);
	}
	et_table_add(t, "%s\t%s\t%s … %s\t%zu\t%zu",
		et_format_value_to(est->median, est->expanded_uncertainty, unit, ET_BUF),
		et_format_percent(est->relative_error, ET_BUF),
		et_format_value_to(est->min, est->sd, unit, ET_BUF),
		et_format_value_to(est->max, est->sd, unit, ET_BUF), est->n, tally.n_removed);
	if (ratio)
		et_table_add(t, "%s",
			c ? et_format_ratio_near(of.estimate, of.lo, of.hi, c->margin, ET_BUF)
			: r->reference ? "reference"
				       : ET_DASH);
}

static void summary(const struct et_judgement *j, FILE *out)
{
	static const char *const figures[] = { "median", "sd", "range", "kept", "removed",
		"ratio" };
	struct et_table t = { .empty = "There are no commands." };
	bool ratio = j->n_commands > 1;

	et_table_column(&t, ET_TABLE_NAME, "command");
	for (int m = 0; m < ET_METRICS; m++) {
		if (et_metrics[m].judged)
			et_table_column(&t, ET_TABLE_FIGURE, et_metrics[m].label);
	}
	for (size_t i = 0; i < ET_LENGTH(figures) - !ratio; i++)
		et_table_column(&t, ET_TABLE_FIGURE, figures[i]);
	for (size_t i = 0; i < j->n_commands; i++)
		summary_row(&t, &j->commands[i], ratio);
	et_table_html(&t, out);
	et_html_element(out, "p class=\"dim\"",
		"CPU time, elapsed time and peak memory are means with their expanded uncertainty; "
		"median, sd and range describe what commands are judged by.");
	et_html_warnings(out, &j->warnings);
}

static void gate(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	struct et_memstream stream;
	char *save = NULL;

	et_gate_say(e, &j->gate, "Gate: ", et_memstream_open(&stream));
	ET_AUTO_FREE char *text = et_memstream_close(&stream);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		et_html_element(out, "p", "%s", line);
}

static void comparisons(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	if (!j->n_contrasts)
		return;
	et_html_element(out, "h2", "Comparison");
	gate(e, j, out);
	for (size_t i = 0; i < j->n_contrasts; i++) {
		const struct et_contrast *c = &j->contrasts[i];
		ET_AUTO_FREE char *words = et_conclusion_text(c);
		et_html_element(out, "p", "%s vs %s: %s", name_of(j->commands[c->b].command),
			name_of(j->commands[c->a].command), words);
		et_html_warnings(out, &c->warnings);
	}
	et_experiment_forest(j, out);
}

/* --- one command --- */

static void before_paragraph(const struct et_command_result *r, enum et_metric m, FILE *out)
{
	const struct et_estimate *before = &r->before[m], *after = &r->estimate[m];
	const struct et_metric_row *metric = &et_metrics[m];

	if (before->n)
		et_html_element(out, "p",
			"%c%s of all %zu samples: %s (sd %s); of the %zu kept: %s (sd %s).",
			toupper(metric->label[0]), metric->label + 1, before->n,
			et_format_estimate(before, metric->unit, ET_BUF),
			et_format_percent(before->relative_error, ET_BUF), after->n,
			et_format_estimate(after, metric->unit, ET_BUF),
			et_format_percent(after->relative_error, ET_BUF));
}

/* CPU time at full speed, as corrected by the reference loop. */
static void paced_paragraph(const struct et_paced *p, FILE *out)
{
	static const char label[] = "At full speed, by the reference loop";

	if (p->why)
		et_html_element(out, "p", "%s: not known (%s).", label, p->why);
	else if (p->n)
		et_html_element(out, "p", "%s: %s (%s), sd %s.", label,
			et_format_measured(p->mean, p->expanded_uncertainty, ET_BUF),
			et_format_percent(p->level, ET_BUF),
			et_format_percent(p->relative_error, ET_BUF));
}

static void kbest_paragraph(const struct et_kbest_result *r, enum et_unit unit, FILE *out)
{
	char time[ET_FIGURE];

	if (!r->k || !r->n)
		return;
	et_format_value(r->best, unit, time);
	if (isnan(r->spread))
		et_html_element(out, "p", "K-best: %s, the fastest of %zu runs; not converged.",
			time, r->n);
	else
		et_html_element(out, "p",
			"K-best: %s, the fastest of %zu runs; the %u fastest are within %s%s.",
			time, r->n, r->k, et_format_percent(r->spread, ET_BUF),
			r->converged ? "" : ", not converged");
	if (r->compensated > 0)
		et_html_element(out, "p", "The interrupts that it met, %s, are subtracted.",
			et_format_rounded(r->compensated, 3, time));
}

/* A table of parts of the elapsed time; the bar is the share. */
static struct et_table parts_of(const char *title)
{
	struct et_table t = { 0 };

	et_table_column(&t, ET_TABLE_NAME, title);
	et_table_column(&t, ET_TABLE_NUMBER, "mean");
	et_table_column(&t, ET_TABLE_NUMBER, "share");
	et_table_column(&t, ET_TABLE_BAR, "");
	return t;
}

static void add_part(struct et_table *t, const char *name, double ns, double whole)
{
	et_table_name(t, name, NULL);
	et_table_add(t, "%s\t%s", et_format_rounded(ns, 3, ET_BUF),
		et_format_percent(ns / whole, ET_BUF));
	et_table_bar(t, ns / whole, NULL);
}

/* Writes a table of the first ones, and how many more there are. */
static void first_rows(struct et_table *t, size_t all, size_t most, FILE *out)
{
	if (all)
		et_table_html(t, out);
	et_table_free(t);
	if (all > most)
		et_html_element(out, "p class=\"dim\"", "and %zu more", all - most);
}

/* The state of the program during the elapsed time, and which processes ran meanwhile. */
static void composition(const struct et_command *c, const struct et_parts *p, FILE *out)
{
	struct et_table made, taken;
	size_t n;
	double rest;

	if (!(p->elapsed > 0) || isnan(p->shares[ET_SHARE_ON_CPU]))
		return;
	made = parts_of("elapsed time is made of");
	for (int i = 0; i < ET_SHARES; i++)
		add_part(&made, et_share_rows[i].name, p->shares[i], p->elapsed);
	et_table_html(&made, out);
	if (p->cpu > p->elapsed)
		et_html_element(out, "p", "In parallel: %.1f CPUs busy.", p->cpu / p->elapsed);
	ET_AUTO_FREE struct et_tally_taker *all = et_takers(c, p, &n, &rest);
	taken = parts_of("taken by");
	for (size_t i = 0; i < n && i < MOST_CULPRITS; i++)
		add_part(&taken, all[i].name, all[i].ns, p->elapsed);
	if (rest > 0)
		add_part(&taken, "etalon itself or interrupts", rest, p->elapsed);
	first_rows(&taken, n, MOST_CULPRITS, out);
}

static void removed_table(const struct et_command *c, FILE *out)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NUMBER, "removed sample"),
		ET_COLUMN(NUMBER, "CPU time"), ET_COLUMN(NUMBER, "elapsed time"),
		ET_COLUMN(NAME, "why") };
	struct et_table t = { ET_COLUMNS(columns) };
	size_t all = 0;

	et_for_each_sample(s, &c->samples) {
		if (s->place.warmup || s->ruling.removal.by == ET_KEPT || all++ >= MOST_REMOVED)
			continue;
		ET_AUTO_FREE char *why = et_removal_text(&s->ruling.removal);
		et_table_add(&t, "%u\t%s\t%s", s->place.index,
			et_format_ns(s->measured.cpu_ns, ET_BUF),
			et_format_ns(s->measured.elapsed_ns, ET_BUF));
		et_table_name(&t, why, NULL);
	}
	first_rows(&t, all, MOST_REMOVED, out);
}

static void culprit_table(const struct et_command *c, FILE *out)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "also ran"),
		ET_COLUMN(NUMBER, "CPU time"), ET_COLUMN(NUMBER, "in samples") };
	size_t n;
	ET_AUTO_FREE struct et_culprit_total *all = et_command_culprits(c, &n);
	struct et_table t = { ET_COLUMNS(columns) };

	for (size_t i = 0; i < n && i < MOST_CULPRITS; i++) {
		et_table_name(&t, all[i].name, NULL);
		et_table_add(&t, "%s\t%zu", et_format_rounded((double)all[i].cpu_ns, 3, ET_BUF),
			all[i].samples);
	}
	first_rows(&t, n, MOST_CULPRITS, out);
}

static void command_section(
	const struct et_command_result *r, const struct et_pictures *how, FILE *out)
{
	const struct et_command *c = r->command;
	struct et_tally tally;

	et_tally_samples(c, &tally);
	et_html_element(out, "h2", "%s", name_of(c));
	if (c->text && strcmp(c->text, name_of(c)) != 0)
		et_html_element(out, "p", "%s", c->text);
	if (!et_result_estimate(r)->n)
		et_html_element(out, "p class=\"warn\"", "no sample was kept");
	et_html_warnings(out, &et_result_estimate(r)->warnings);
	et_html_warnings(out, &r->warnings);
	paced_paragraph(&r->paced, out);
	kbest_paragraph(&r->kbest, et_metrics[r->metric].unit, out);
	for (enum et_metric m = 0; m < ET_METRICS; m++)
		before_paragraph(r, m, out);
	et_experiment_pictures(r, how, out);
	composition(c, &tally.parts, out);
	removed_table(c, out);
	culprit_table(c, out);
}

static void environment(const struct et_experiment *e, FILE *out)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "factor"),
		ET_COLUMN(NAME, "state"), ET_COLUMN(NAME, "better") };
	struct et_table t = { ET_COLUMNS(columns) };

	if (!e->n_environment)
		return;
	et_html_element(out, "h2", "Environment");
	for (size_t i = 0; i < e->n_environment; i++) {
		const struct et_factor *f = &e->environment[i];
		et_table_name(&t, f->factor, NULL);
		et_table_name(&t, f->state, NULL);
		et_table_name(&t, f->ok ? "" : f->wanted, NULL);
	}
	et_table_html(&t, out);
}

void et_experiment_pages(
	const struct et_judged *list, size_t n, const struct et_pictures *how, FILE *out)
{
	ET_AUTO_FREE char *title =
		n == 1 ? title_of(list[0].experiment) : et_asprintf("%zu experiments", n);

	et_html_begin(out, title);
	for (size_t i = 0; i < n; i++) {
		ET_AUTO_FREE char *name = title_of(list[i].experiment);
		if (n > 1)
			et_html_element(out, "h1", "%s", name);
		const struct et_judgement *j = list[i].judgement;
		heading(list[i].experiment, j, out);
		summary(j, out);
		comparisons(list[i].experiment, j, out);
		for (size_t k = 0; k < j->n_commands; k++)
			command_section(&j->commands[k], how, out);
		environment(list[i].experiment, out);
	}
	et_html_end(out);
}

void et_experiment_page(const struct et_experiment *e, const struct et_judgement *j, FILE *out)
{
	et_experiment_pages(&(struct et_judged){ e, j }, 1, &et_default_pictures, out);
}
