/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/text.h"
#include "base/memstream.h"
#include "base/parse.h"
#include "draw/terminal.h"
#include "model/experiment/experiment.h"
#include "model/experiment/machine_id.h"
#include "report/charts.h"
#include "report/pair.h"
#include "report/warning.h"
#include "stats/series/tally.h"

enum { NARROWEST = 40, VALUE_COLUMN = 16, CULPRITS = 10 };

#define BOLD "1"
#define JUDGED "1;32"
#define WARNING "33"

/* Prints "  label          value …", wrapped below the value. */
#define row(page, label, style, ...) et_page_row(page, VALUE_COLUMN, label, style, __VA_ARGS__)

static void estimate_row(
	const struct et_page *page, enum et_metric m, const struct et_estimate *est, bool judged)
{
	const char *label = et_metrics[m].label;
	enum et_unit unit = et_metrics[m].unit;
	const char *style = judged ? JUDGED : NULL;
	char time[ET_FIGURE];

	if (!est->n) {
		row(page, label, style, "not known");
		return;
	}
	et_format_value_measured(est->mean, est->expanded_uncertainty, unit, time);
	if (et_estimate_lopsided(est)) /* the interval follows */
		et_format_value_to(est->mean, est->expanded_uncertainty, unit, time);
	struct et_scale scale = et_scale_of_value(est->mean, est->expanded_uncertainty, unit);
	if (!isfinite(est->lo) || !isfinite(est->hi) ||
		!(est->coverage_factor > 0 && est->coverage_factor < 1e6))
		row(page, label, style, "%s", time);
	else
		row(page, label, style, "%s, %s interval %s … %s %s (%s, k = %.3g)", time,
			et_format_percent(est->level, ET_BUF),
			et_scale_number(scale, fmax(est->lo, 0), ET_BUF),
			et_scale_number(scale, est->hi, ET_BUF), scale.unit, et_interval_words(est),
			est->coverage_factor);
}

/* CPU time at full speed, as corrected by the reference loop. */
static void paced_row(const struct et_page *page, const struct et_paced *p)
{
	char level[ET_FIGURE];

	if (!p->n && !p->why)
		return;
	if (p->why) {
		row(page, "at full speed", WARNING, "not known: %s", p->why);
		return;
	}
	row(page, "at full speed", JUDGED, "%s (%s), by the reference loop (sd %s)",
		et_format_measured(p->mean, p->expanded_uncertainty, ET_BUF),
		et_format_percent(p->level, level), et_format_percent(p->relative_error, ET_BUF));
	row(page, "", NULL,
		"coefficient %.3g ± %.2g, %.3g degrees of freedom; the loop ran at %s of "
		"full speed on average",
		p->coefficient, p->coefficient_uncertainty, p->df,
		et_format_percent(p->lap / p->lap_mean, level));
}

/* The times in the two states of the machine, and the time at full speed by the probe. */
static void speed_rows(const struct et_page *page, const struct et_command_result *r)
{
	const struct et_states *s = &r->states;
	const struct et_full_speed *f = &r->full_speed;

	if (s->slow && s->fast) /* all runs of a command may be slow, and others fast */
		row(page, "two speeds", NULL,
			"%s at full speed (%zu run%s), %s when slowed (%zu run%s)",
			et_format_rounded(s->fast_mean, 3, ET_BUF), s->fast,
			s->fast == 1 ? "" : "s", et_format_rounded(s->slow_mean, 3, ET_BUF),
			s->slow, s->slow == 1 ? "" : "s");
	if (f->n)
		row(page, "by the probe", NULL, "%s at full speed",
			et_format_measured(f->mean, f->expanded_uncertainty, ET_BUF));
}

/* The result of K-best, and the mean below it. */
static void kbest_rows(const struct et_page *page, const struct et_metric_row *metric,
	const struct et_command_result *of)
{
	const struct et_kbest_result *r = &of->kbest;
	char best[ET_FIGURE], part[ET_FIGURE];

	et_format_value(r->best, metric->unit, best);
	if (isnan(r->spread) || r->k == 1)
		row(page, metric->label, JUDGED, "%s, the fastest of %zu run%s", best, r->n,
			r->n == 1 ? "" : "s");
	else
		row(page, metric->label, JUDGED,
			"%s, the fastest of %zu runs; the %u fastest are within %s%s", best, r->n,
			r->k, et_format_percent(r->spread, part),
			r->converged ? "" : ", not converged");
	if (r->compensated > 0)
		row(page, "", NULL, "without the interrupts that it met, %s",
			et_format_rounded(r->compensated, 3, part));
	if (isfinite(r->error))
		row(page, "", NULL, "at most %s above the floor of the times (95 %%)",
			et_format_percent(r->error, ET_BUF));
	row(page, "mean", NULL, "%s",
		et_format_value(et_result_estimate(of)->mean, metric->unit, best));
}

/* All in one unit, with the digits that the spread supports. */
static void spread_rows(
	const struct et_page *page, const struct et_estimate *est, enum et_unit unit)
{
	double digits = fmax(est->sd, est->expanded_uncertainty);
	struct et_scale s = et_scale_of_value(est->mean, digits, unit);
	struct et_scale sd = et_scale_for(s, est->sd, est->sd);

	row(page, "range", NULL, "%s … %s %s", et_scale_number(s, est->min, ET_BUF),
		et_scale_number(s, est->max, ET_BUF), s.unit);
	if (est->n > 1)
		row(page, "median, sd", NULL, "%s, %s %s (%s)",
			et_scale_number(s, est->median, ET_BUF),
			et_scale_number(sd, est->sd, ET_BUF), s.unit,
			et_format_percent(est->relative_error, ET_BUF));
}

static void part(char **list, const char *name, double part_ns, double whole_ns)
{
	if (!isfinite(part_ns) || part_ns <= 0)
		return;
	et_append(list, ", ", "%s %s (%s)", name, et_format_rounded(part_ns, 3, ET_BUF),
		et_format_percent(part_ns / whole_ns, ET_BUF));
}

/* The processes that had the CPU while the program was runnable. */
static void taken_row(
	const struct et_page *page, const struct et_command *c, const struct et_parts *p)
{
	ET_AUTO_FREE char *list = NULL;
	char unnamed[32];
	size_t n;
	double rest, more_ns = 0;
	ET_AUTO_FREE struct et_tally_taker *all = et_takers(c, p, &n, &rest);
	size_t most = n < CULPRITS ? n : CULPRITS;

	for (size_t i = 0; i < n; i++) {
		if (i < most)
			part(&list, all[i].name, all[i].ns, p->elapsed);
		else
			more_ns += all[i].ns;
	}
	snprintf(unnamed, sizeof(unnamed), "%zu more", n - most);
	if (n > most)
		part(&list, unnamed, more_ns, p->elapsed);
	if (rest > 0)
		part(&list, "etalon itself or interrupts", rest, p->elapsed);
	if (list)
		row(page, "taken by", NULL, "%s", list);
}

static void composition(
	const struct et_page *page, const struct et_command *c, const struct et_parts *p)
{
	ET_AUTO_FREE char *list = NULL;

	if (!(p->elapsed > 0))
		return;
	if (isnan(p->cpu)) {
		row(page, "made of", NULL, "not known: the CPU time is missing");
		return;
	}
	if (p->cpu > p->elapsed)
		row(page, "in parallel", NULL, "%.1f CPUs busy", p->cpu / p->elapsed);
	for (int i = 0; i < ET_SHARES; i++)
		part(&list, et_share_rows[i].name, p->shares[i], p->elapsed);
	if (list)
		row(page, "made of", NULL, "%s", list);
	taken_row(page, c, p);
	if (isfinite(p->shares[ET_SHARE_ON_CPU]) && isnan(p->shares[ET_SHARE_RUNNABLE]))
		row(page, "not known", NULL,
			"waiting for a CPU: the kernel has no scheduler statistics");
	if (p->blocked > 0)
		row(page, "block I/O", NULL, "%s of it", et_format_rounded(p->blocked, 3, ET_BUF));
}

/* "20 runs: 10 alone, 9 in pairs, 1 removed (1 daemon-cutoff); 1 warm-up". */
static void runs_row(const struct et_page *page, const struct et_tally *tally)
{
	size_t runs = tally->kept[ET_SOLO] + tally->kept[ET_PACED] + tally->kept[ET_DUET] +
		      tally->n_removed;
	ET_AUTO_FREE char *causes = NULL;
	ET_AUTO_FREE char *all = NULL;

	if (tally->kept[ET_SOLO])
		et_append(&all, ", ", "%zu alone", tally->kept[ET_SOLO]);
	if (tally->kept[ET_PACED])
		et_append(&all, ", ", "%zu paced", tally->kept[ET_PACED]);
	if (tally->kept[ET_DUET])
		et_append(&all, ", ", "%zu in pairs", tally->kept[ET_DUET]);
	for (int by = ET_KEPT + 1; by < ET_TALLY_CAUSES; by++) {
		if (tally->removed[by])
			et_append(&causes, ", ", "%zu %s", tally->removed[by],
				et_removed_by_names[by]);
	}
	if (causes)
		et_append(&all, ", ", "%zu removed (%s)", tally->n_removed, causes);
	if (tally->warmup)
		et_append(&all, "; ", "%zu warm-up", tally->warmup);
	row(page, "runs", NULL, "%zu run%s%s%s", runs, runs == 1 ? "" : "s", all ? ": " : "",
		all ? all : "");
}

/* The samples of a command that were removed for the same cause. */
struct removed {
	const char *unit; /* a word for the time that decided: "probe", "used" */
	enum et_removed_by by;
	size_t n, ranges;
	uint32_t first, last; /* of the present range of samples */
	char *samples;        /* the ranges before it */
	char daemon[16];
	uint64_t least_ns, most_ns, limit_ns, most_limit_ns;
};

struct removed_list {
	struct removed *list;
	size_t n, room;
};

static void end_range(struct removed *g)
{
	enum { MOST = 6 };

	if (g->ranges++ > MOST)
		return;
	if (g->ranges > MOST)
		et_append(&g->samples, ", ", "…");
	else if (g->first == g->last)
		et_append(&g->samples, ", ", "%u", g->first);
	else
		et_append(&g->samples, ", ", "%u-%u", g->first, g->last);
}

/* Names the time that decided about a sample; the limit is 0 if there is none. */
static const char *decisive(const struct et_sample *s, uint64_t *ns, uint64_t *limit_ns)
{
	const struct et_removal *r = &s->ruling.removal;

	*ns = s->measured.elapsed_ns;
	*limit_ns = 0;
	if (r->by == ET_REMOVED_DAEMON_CUTOFF) {
		*ns = r->cpu_ns;
		*limit_ns = r->cutoff_ns;
		return "used";
	}
	if (r->by == ET_REMOVED_MACHINE_SLOW) {
		*ns = r->probe_ns ? r->probe_ns : r->steal_ns;
		*limit_ns = r->limit_ns;
		return r->probe_ns ? "probe" : "stolen";
	}
	return "elapsed";
}

static void add_removed(struct removed_list *all, const struct et_sample *s)
{
	uint64_t ns, limit_ns;
	const char *unit = decisive(s, &ns, &limit_ns), *daemon = s->ruling.removal.daemon;
	struct removed *g = all->list;

	while (g < all->list + all->n && (g->by != s->ruling.removal.by || strcmp(g->unit, unit) ||
						 strncmp(g->daemon, daemon, sizeof(g->daemon))))
		g++;
	if (g == all->list + all->n) {
		ET_GROW(all->list, all->n, all->room);
		g = &all->list[all->n++];
		*g = (struct removed){ .unit = unit,
			.by = s->ruling.removal.by,
			.first = s->place.index,
			.least_ns = ns,
			.most_ns = ns,
			.limit_ns = limit_ns,
			.most_limit_ns = limit_ns };
		memcpy(g->daemon, daemon, sizeof(g->daemon));
	} else if (s->place.index != g->last + 1) {
		end_range(g);
		g->first = s->place.index;
	}
	g->n++;
	g->last = s->place.index;
	g->least_ns = ns < g->least_ns ? ns : g->least_ns;
	g->most_ns = ns > g->most_ns ? ns : g->most_ns;
	g->limit_ns = limit_ns < g->limit_ns ? limit_ns : g->limit_ns;
	g->most_limit_ns = limit_ns > g->most_limit_ns ? limit_ns : g->most_limit_ns;
}

/* "25.9 µs … 69.8 µs", or one of them if they are the same. */
static const char *time_span(uint64_t least_ns, uint64_t most_ns, char buf[2 * ET_FIGURE])
{
	char least[ET_FIGURE], most[ET_FIGURE];

	et_format_ns(least_ns, least);
	et_format_ns(most_ns, most);
	if (!strcmp(least, most))
		snprintf(buf, 2 * ET_FIGURE, "%s", least);
	else
		snprintf(buf, 2 * ET_FIGURE, "%.80s … %.80s", least, most);
	return buf;
}

/* "432 machine-slow (samples 2-7, 13-71, …; probe 25.9 µs … 69.8 µs, limit 24.4 µs)". */
static void removed_row(const struct et_page *page, const struct removed *g)
{
	char found[2 * ET_FIGURE], limit[2 * ET_FIGURE];
	bool daemon = g->by == ET_REMOVED_DAEMON_CUTOFF;

	time_span(g->least_ns, g->most_ns, found);
	time_span(g->limit_ns, g->most_limit_ns, limit);
	if (g->n == 1 && daemon)
		row(page, "removed", NULL, "sample %s: %.16s used %s, its cutoff is %s", g->samples,
			g->daemon, found, limit);
	else if (g->n == 1 && g->most_limit_ns)
		row(page, "removed", NULL, "sample %s: the machine was slow, %s %s, limit %s",
			g->samples, strcmp(g->unit, "probe") ? "stolen" : "the probe took", found,
			limit);
	else if (g->n == 1)
		row(page, "removed", NULL, "sample %s (%s): %s", g->samples, found,
			et_removed_by_names[g->by]);
	else
		row(page, "removed", NULL, "%zu %s (samples %s; %.16s%s%s %s%s%s)", g->n,
			et_removed_by_names[g->by], g->samples, g->daemon, daemon ? " " : "",
			g->unit, found,
			g->most_limit_ns ? daemon ? ", its cutoff is " : ", limit " : "",
			g->most_limit_ns ? limit : "");
}

/* One row per cause: a machine that was slow may have cost hundreds of samples. */
static void removed_rows(const struct et_page *page, const struct et_command *c)
{
	struct removed_list causes = { 0 };

	et_for_each_sample(s, &c->samples) {
		if (!s->place.warmup && s->ruling.removal.by != ET_KEPT)
			add_removed(&causes, s);
	}
	for (size_t i = 0; i < causes.n; i++) {
		end_range(&causes.list[i]);
		removed_row(page, &causes.list[i]);
		free(causes.list[i].samples);
	}
	free(causes.list);
}

static void culprit_rows(const struct et_page *page, const struct et_command *c)
{
	size_t n;
	ET_AUTO_FREE struct et_culprit_total *all = et_command_culprits(c, &n);

	for (size_t i = 0; i < n && i < CULPRITS; i++)
		row(page, i ? "" : "also ran", NULL, "%s %s in %zu sample%s", all[i].name,
			et_format_rounded((double)all[i].cpu_ns, 3, ET_BUF), all[i].samples,
			all[i].samples == 1 ? "" : "s");
	if (n > CULPRITS)
		row(page, "", NULL, "and %zu more", n - CULPRITS);
}

/* The names of files with one of these uses. */
static void name_rows(
	const struct et_page *page, const char *label, const struct et_files *f, uint32_t uses)
{
	enum { SHOWN = 6 };
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if ((f->list[i].uses & uses) && n++ < SHOWN)
			row(page, n == 1 ? label : "", NULL, "%s", f->list[i].name);
	}
	if (n > SHOWN)
		row(page, "", NULL, "and %zu more", n - SHOWN);
}

static void file_rows(const struct et_page *page, const struct et_files *f)
{
	name_rows(page, "reads", f, ET_FILE_READ);
	name_rows(page, "writes", f, ET_FILE_WRITTEN | ET_FILE_REPLACED);
	name_rows(page, "locks", f, ET_FILE_LOCKED);
	name_rows(page, "binds", f, ET_FILE_BOUND);
	if (f->left_out)
		row(page, "", NULL, "further uses of files: %llu", (unsigned long long)f->left_out);
}

static void mark_rows(const struct et_page *page, const struct et_command *c)
{
	size_t n[ET_MARKS] = { 0 };

	et_for_each_sample(s, &c->samples) {
		for (size_t k = 0; s->ruling.marks && k < ET_MARKS; k++)
			n[k] += (s->ruling.marks & et_mark_rows[k].bit) != 0;
	}
	for (size_t k = 0; k < ET_MARKS; k++) {
		if (n[k] && et_mark_rows[k].bit != ET_MARK_SCOUTED) /* see file_rows */
			row(page, "marked", NULL, "%s in %zu sample%s", et_mark_rows[k].name, n[k],
				n[k] == 1 ? "" : "s");
	}
}

/* The estimates from all runs, also those that rules removed. */
static void all_runs_rows(const struct et_page *page, const struct et_command_result *r)
{
	bool first = true;
	char label[32];

	for (int m = 0; m < ET_METRICS; m++) {
		const struct et_estimate *est = &r->before[m];

		if (!est->n)
			continue;
		snprintf(label, sizeof(label), est->n == 1 ? "%zu run" : "all %zu runs", est->n);
		row(page, first ? label : "", NULL, "%s %s (sd %s)",
			et_format_estimate(est, et_metrics[m].unit, ET_BUF), et_metrics[m].label,
			et_format_percent(est->relative_error, ET_BUF));
		first = false;
	}
}

/* The kernel splits CPU time into user and system time at ticks: a few ticks are too coarse. */
static bool split_is_known(const struct et_host *host, const struct et_tally *tally)
{
	enum { TICKS = 10 };
	double total = tally->parts.cpu * (double)tally->kept[ET_SOLO];

	return isfinite(tally->parts.user) && isfinite(tally->parts.system) &&
	       !(total < TICKS * (double)host->tick_ns);
}

/* The figures of a command that has kept samples. */
static void figures(const struct et_page *page, const struct et_host *host,
	const struct et_command_result *r, const struct et_tally *tally)
{
	enum et_metric judged = et_result_metric(r);

	if (et_result_kbest(r))
		kbest_rows(page, &et_metrics[judged], r);
	else
		estimate_row(page, judged, &r->estimate[judged], true);
	paced_row(page, &r->paced);
	speed_rows(page, r);
	for (enum et_metric m = 0; m < ET_METRICS; m++) {
		bool known = et_metric_is_time(m) || r->estimate[m].n;
		if (m != judged && et_metrics[m].judged && known)
			estimate_row(page, m, &r->estimate[m], false);
	}
	if (split_is_known(host, tally))
		row(page, "user, system", NULL, "%s, %s",
			et_format_rounded(tally->parts.user, 3, ET_BUF),
			et_format_rounded(tally->parts.system, 3, ET_BUF));
	spread_rows(page, &r->estimate[judged], et_metrics[judged].unit);
	composition(page, r->command, &tally->parts);
}

/* Draws the judged samples: those in duets only if there are no solo ones. */
static void histogram(const struct et_page *page, const struct et_command_result *r)
{
	size_t n;
	enum et_metric m = et_result_metric(r);
	ET_AUTO_FREE double *values = et_command_values(r->command, m, r->arrangement, &n);

	et_histogram(values, n, et_result_estimate(r), et_metrics[m].unit, 4, page->width - 4,
		page->out);
}

static void name_line(const struct et_page *page, const char *name)
{
	struct et_page wide = *page;

	if (wide.full_names)
		wide.width = INT_MAX;
	et_page_paragraph(&wide, 0, "", NULL, name, BOLD);
}

static void command_block(const struct et_page *page, const struct et_host *host,
	const struct et_command_result *r, const char *name)
{
	const struct et_command *c = r->command;
	const struct et_estimate *judged = et_result_estimate(r);
	struct et_tally tally;

	et_tally_samples(c, &tally);
	name_line(page, name);
	if (c->text && c->name && strcmp(c->text, c->name) != 0)
		row(page, "command", NULL, "%s", c->text);
	if (judged->n)
		figures(page, host, r, &tally);
	else if (tally.kept[ET_DUET] || tally.kept[ET_PACED])
		row(page, "times", NULL, "no solo samples: only pairs are compared");
	else
		row(page, "times", WARNING, "no sample was kept");
	runs_row(page, &tally);
	all_runs_rows(page, r);
	if (tally.max_rss_bytes != ET_UNKNOWN && !r->estimate[ET_METRIC_PEAK_MEMORY].n)
		row(page, "peak memory", NULL, "%s", et_format_bytes(tally.max_rss_bytes, ET_BUF));
	if (tally.wait4)
		row(page, "measured by", NULL,
			"wait4: descendants that nobody waited for are missing");
	file_rows(page, &c->files);
	culprit_rows(page, c);
	mark_rows(page, c);
	removed_rows(page, c);
	if (judged->n)
		histogram(page, r);
	et_warnings_text(page, 2, &judged->warnings);
	et_warnings_text(page, 2, &r->warnings);
}

static struct et_page page_of(const struct et_text_options *o, FILE *out)
{
	return (struct et_page){ out, o->width < NARROWEST ? NARROWEST : o->width, o->color,
		o->full_names };
}

/* The record of a benchmark program has neither clock source nor kind of virtual machine. */
static void machine_row(const struct et_page *page, const struct et_experiment *e)
{
	const struct et_host *h = &e->host;
	char name[ET_MACHINE_SIZE];

	et_machine_label(e->machine, h->name, name, sizeof(name));
	if (strcmp(name, h->name) != 0)
		row(page, "measured on", NULL, "%s", name);
	row(page, "machine", NULL, "%s: %u × %s, Linux %s%s%s%s%s", h->name, h->cpus, h->cpu,
		h->kernel, *h->clocksource ? ", " : "", h->clocksource,
		*h->virtual_machine ? ", virtual: " : "", h->virtual_machine);
}

void et_text_heading(const struct et_experiment *e, const struct et_text_options *o, FILE *out)
{
	struct et_page page = page_of(o, out);
	char when[32];
	uint64_t ns = e->finished_wall_ns;

	row(&page, "experiment", BOLD, "%s", e->id);
	if (e->label)
		row(&page, "label", NULL, "%s", e->label);
	row(&page, "started", NULL, "%s", et_format_rfc3339(e->started_wall_ns, when));
	if (e->state != ET_STATE_DONE)
		row(&page, "state", WARNING, "%s: not finished", et_state_names[e->state]);
	else if (o->verbose && ns)
		row(&page, "finished", NULL, "%s", et_format_rfc3339(ns, when));
	if (e->origin == ET_ORIGIN_IMPORTED)
		row(&page, "origin", NULL, "%s",
			et_experiment_of_functions(e) ? "imported: functions, times per call"
						      : "imported");
	if (e->host.cpus) /* not known of an imported record */
		machine_row(&page, e);
	if (e->plan.randomise_layout)
		row(&page, "layout", NULL, "random in each run");
	if (o->verbose) {
		row(&page, "order", NULL, "%s, seed %llu, protocol %s, judged by %s",
			et_order_names[e->plan.order], (unsigned long long)e->plan.seed,
			et_protocol_names[e->protocol], et_metrics[e->metric].label);
		for (size_t i = 0; i < e->n_environment; i++) {
			const struct et_factor *f = &e->environment[i];
			row(&page, i ? "" : "environment", f->ok ? NULL : WARNING, "%s %s%s%s",
				f->factor, f->state,
				f->ok ? "" : ", better: ", f->ok ? "" : f->wanted);
		}
	}
	putc('\n', out);
}

static void comparisons(const struct et_page *page, const struct et_judgement *j)
{
	if (!j->n_contrasts)
		return;
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, "comparison", BOLD);
	for (size_t i = 0; i < j->n_contrasts; i++) {
		const struct et_contrast *c = &j->contrasts[i];
		et_pair_text(page, j->commands[c->b].command->name, j->commands[c->a].command->name,
			c, true);
	}
}

/* Everything that is known about each command, all comparisons in detail, all warnings. */
static void details(
	const struct et_page *page, const struct et_host *host, const struct et_judgement *j)
{
	ET_AUTO_FREE const char **names = et_calloc(j->n_commands, sizeof(*names));

	for (size_t i = 0; i < j->n_commands; i++)
		names[i] = j->commands[i].command->name;
	char **fitting = et_page_names(page, names, j->n_commands, page->width);
	for (size_t i = 0; i < j->n_commands; i++) {
		putc('\n', page->out);
		command_block(page, host, &j->commands[i], fitting[i]);
	}
	et_strv_free(fitting);
	comparisons(page, j);
	if (j->warnings.n)
		putc('\n', page->out);
	et_warnings_text(page, 2, &j->warnings);
}

/* Prints the notes that leave the text as short as promised; returns how many are left. */
static size_t notes(const struct et_page *page, const struct et_judgement *j, size_t lines)
{
	/* One line for the blank before the notes, one for where the experiment is kept. */
	size_t most = j->n_commands > 1 ? 8 + 2 * j->n_commands : 8, taken = lines + 2;
	struct et_page here = *page;
	struct et_memstream stream;

	here.out = et_memstream_open(&stream);
	size_t left = et_notes(j, &here, most > taken ? most - taken : 0);
	ET_AUTO_FREE char *text = et_memstream_close(&stream);
	fprintf(page->out, "%s%s", *text ? "\n" : "", text);
	return left;
}

size_t et_text_result(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, FILE *out)
{
	struct et_page page = page_of(o, out), here = page;
	struct et_memstream stream;

	here.out = et_memstream_open(&stream);
	et_summary(e, j, o, &here);
	ET_AUTO_FREE char *text = et_memstream_close(&stream);
	fputs(text, out);
	if (o->verbose)
		details(&page, &e->host, j);
	return o->verbose || o->quiet ? 0 : notes(&page, j, et_text_lines(text));
}
