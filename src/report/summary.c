/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/table.h"
#include "draw/terminal.h"
#include "report/pair.h"
#include "report/text.h"
#include "stats/compare/judge.h"

enum {
	MANY = 4,        /* from this many commands on the ratios are in the table */
	LEAST_NAME = 10, /* columns of a name before a column of the table is omitted for it */
	SHORT_NAME = 20, /* a name that is given with -n and not longer is used in sentences */
};

#define DIM "2"
#define JUDGED "1;32"
#define WARNING "33"

const char *const et_sort_names[] = { "auto", "command", "mean-time", NULL };

enum column { NUMBER, NAME, TIME, RANGE, RATIO, OTHER, RUNS, BAR, COLUMNS };

struct table {
	const struct et_judgement *judgement;
	const struct et_text_options *options;
	enum et_metric metric, other;           /* of the column TIME and of the column OTHER */
	struct et_scale scale;                  /* of all lines; without a unit: each has its own */
	const struct et_command_result **lines; /* in the order to print */
	size_t n;
	struct et_table cells;
};

/* --- the figures of a line --- */

static bool is_paced(const struct et_command_result *r)
{
	return r->paced.n && !r->paced.why;
}

/* The headline of a command: the mean, the fastest run of K-best, or the time at full speed. */
static double headline(const struct et_command_result *r, enum et_metric m, double *uncertainty)
{
	const struct et_kbest_result *kbest = et_result_kbest(r);
	const struct et_estimate *est = &r->estimate[m];

	*uncertainty = NAN;
	if (kbest)
		return kbest->best;
	if (is_paced(r) && m == ET_METRIC_CPU) {
		*uncertainty = r->paced.expanded_uncertainty;
		return r->paced.mean;
	}
	if (!est->n)
		return NAN;
	*uncertainty = est->expanded_uncertainty;
	return est->mean;
}

static double time_of(const struct table *t, const struct et_command_result *r)
{
	double uncertainty;

	return headline(r, t->metric, &uncertainty);
}

/* The times beside peak memory have another unit. */
static bool is_apart(const struct table *t)
{
	return et_metric_is_time(t->metric) != et_metric_is_time(t->other);
}

/* The largest unit in which no headline has two zeros in front, and no figure is below 1. */
static struct et_scale scale_of(
	const struct table *t, const struct et_command_result *const *lines, size_t n)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_command_result *r = lines[i];
		double ns = time_of(t, r);
		least = ns > 0 ? fmin(least, ns) : least;
		most = isfinite(ns) ? fmax(most, ns) : most;
		if (r->estimate[t->other].n && !is_apart(t))
			most = fmax(most, r->estimate[t->other].mean);
	}
	struct et_scale s = et_scale_of_value(most, NAN, et_metrics[t->metric].unit);
	if (s.binary)
		return s;
	if (t->options->unit != ET_TIME_UNIT_AUTO)
		return et_scale_forced(s, t->options->unit);
	for (int unit = ET_TIME_UNIT_SECOND; unit <= ET_TIME_UNIT_NANOSECOND; unit++) {
		struct et_scale finer = et_scale_forced(s, (enum et_time_unit)unit);
		if (finer.exponent <= s.exponent && least < 0.1 * pow(10, s.exponent))
			s = finer;
	}
	return s;
}

/* One unit for all commands, so that they can be compared by eye, unless they are too different. */
static struct et_scale common_scale(const struct table *t)
{
	const double too_long = 1e5;
	struct et_scale s = scale_of(t, t->lines, t->n);

	for (size_t i = 0; i < t->n && t->options->unit == ET_TIME_UNIT_AUTO; i++) {
		if (time_of(t, t->lines[i]) >= too_long * et_scale_unit(s))
			s.unit = NULL;
	}
	return s;
}

/* est: the estimate that they are from, or NULL. */
static void time_cell(struct table *t, struct et_scale s, double ns, double uncertainty,
	const struct et_estimate *est, const char *style)
{
	char left[ET_FIGURE], right[ET_FIGURE] = "";

	if (!isfinite(ns) || ns < 0) {
		et_table_text(&t->cells, ET_DASH, "", style);
		return;
	}
	/* A smaller one is the rounding error of equal times. */
	if (uncertainty < 1e-9 * ns)
		uncertainty = 0;
	s = et_scale_for(s, ns, uncertainty);
	snprintf(left, sizeof(left), "%.80s %s", et_scale_number(s, ns, ET_BUF), s.unit);
	if (est && et_estimate_lopsided(est) && est->lo >= 0)
		snprintf(right, sizeof(right), " (%.40s … %.40s)",
			et_scale_number(s, est->lo, ET_BUF), et_scale_number(s, est->hi, ET_BUF));
	else if (uncertainty >= 0)
		snprintf(right, sizeof(right), " %.90s",
			et_scale_plus_minus(s, uncertainty, ET_BUF));
	et_table_text(&t->cells, left, right, style);
}

/* The digits of single runs are those that their spread supports, and no more than the mean's. */
static void range_cell(struct table *t, struct et_scale s, const struct et_estimate *est)
{
	char most[ET_FIGURE];

	s = et_scale_for(s, est->mean, fmax(est->sd, est->expanded_uncertainty));
	snprintf(most, sizeof(most), " … %.80s", et_scale_number(s, est->max, ET_BUF));
	et_table_text(&t->cells, et_scale_number(s, est->min, ET_BUF), most, NULL);
}

/* Runs by what became of them. */
struct fates {
	size_t made, n[ET_REMOVED_MACHINE_SLOW + 1];
};

static void count_fates(const struct et_command_result *r, struct fates *f)
{
	et_for_each_sample(s, &r->command->samples) {
		if (s->place.warmup || s->place.arrangement != r->arrangement)
			continue;
		f->made++;
		f->n[s->ruling.removal.by]++;
	}
}

/* "machine slow", "daemons …": the cause that removed most of the runs that are not used. */
static const char *cause_of(const struct fates *f, char buf[ET_FIGURE])
{
	static const char *const causes[] = { [ET_REMOVED_STOPPED] = "stopped",
		[ET_REMOVED_FAILED] = "failed",
		[ET_REMOVED_DAEMON_CUTOFF] = "daemons",
		[ET_REMOVED_TWO_SIGMA] = "two-sigma",
		[ET_REMOVED_MACHINE_SLOW] = "machine slow" };
	size_t most = ET_KEPT + 1;

	for (size_t by = most; by < ET_LENGTH(causes); by++)
		most = f->n[by] > f->n[most] ? by : most;
	snprintf(buf, ET_FIGURE, "%s%s", causes[most],
		f->n[ET_KEPT] + f->n[most] < f->made ? " …" : "");
	return buf;
}

static void runs_cell(struct table *t, const struct et_command_result *r)
{
	struct fates f = { 0 };
	char kept[ET_FIGURE], rest[ET_FIGURE] = "";

	count_fates(r, &f);
	snprintf(kept, sizeof(kept), "%zu", f.n[ET_KEPT]);
	if (f.n[ET_KEPT] != f.made)
		snprintf(rest, sizeof(rest), " of %zu (%.60s)", f.made, cause_of(&f, ET_BUF));
	et_table_text(&t->cells, kept, rest, NULL);
}

void et_summary_ratio(
	const struct et_command_result *r, char left[ET_FIGURE], char right[ET_FIGURE])
{
	const struct et_contrast *c = r->contrast;
	struct et_ratio ratio = c ? et_contrast_ratio(c) : ET_NO_RATIO;
	char figure[ET_FIGURE];

	right[0] = '\0';
	if (!(ratio.estimate > 0) || !isfinite(ratio.estimate)) {
		snprintf(left, ET_FIGURE, "%s", r->reference ? "1" : ET_DASH);
		return;
	}
	et_format_ratio_near(ratio.estimate, ratio.lo, ratio.hi, c ? c->margin : 0, figure);
	const char *times = strstr(figure, " × (");
	if (!times || c->pairs_needed) {
		/* Nothing supports more digits. */
		snprintf(left, ET_FIGURE, "%.2g", ratio.estimate);
		snprintf(right, ET_FIGURE, " ?");
		return;
	}
	snprintf(left, ET_FIGURE, "%.*s", (int)(times - figure), figure);
	snprintf(right, ET_FIGURE, "%.80s%s", times + strlen(" ×"),
		c->significant                               ? ""
		: c->conclusion == ET_CONCLUDED_SAME_BY_HOLM ? " ~"
		: c->conclusion == ET_CONCLUDED_EQUAL        ? " ="
							     : " ?");
}

static void fill_line(struct table *t, const struct et_command_result *r, double longest)
{
	size_t number = (size_t)(r - t->judgement->commands);
	const struct et_estimate *est = &r->estimate[t->metric], *other = &r->estimate[t->other];
	const struct et_kbest_result *kbest = et_result_kbest(r);
	char ratio[ET_FIGURE] = "", bounds[ET_FIGURE] = "";
	double uncertainty, ns = headline(r, t->metric, &uncertainty);
	struct et_scale s = t->scale.unit ? t->scale : scale_of(t, &r, 1);

	bool mean = !kbest && !(is_paced(r) && t->metric == ET_METRIC_CPU);
	et_table_text(&t->cells, t->n > 1 ? et_name_by_number(number, ET_BUF) : "", "", DIM);
	et_table_name(&t->cells, r->command->name ? r->command->name : "", NULL);
	time_cell(t, s, ns, uncertainty, mean ? est : NULL, JUDGED);
	if (!kbest && est->n > 1)
		range_cell(t, s, est);
	else
		et_table_add(&t->cells, "%s",
			kbest && isfinite(kbest->spread) ? et_format_percent(kbest->spread, ET_BUF)
							 : "");
	if (t->n >= MANY)
		et_summary_ratio(r, ratio, bounds);
	et_table_text(&t->cells, ratio, bounds, r->contrast ? et_verdict_style(r->contrast) : NULL);
	if (is_apart(t))
		s = et_scale_of(other->mean, NAN);
	if (other->n)
		time_cell(t, s, other->mean, other->expanded_uncertainty, other, NULL);
	else
		et_table_text(&t->cells, "", "", NULL);
	runs_cell(t, r);
	et_table_bar(&t->cells, ns / longest, NULL);
}

/* --- the columns --- */

static const char *short_label(enum et_metric m)
{
	return m == ET_METRIC_ELAPSED ? "elapsed" : et_metrics[m].label;
}

static const struct et_table_column all_columns[COLUMNS] = { [NUMBER] = ET_COLUMN(NUMBER, ""),
	[NAME] = ET_COLUMN(COMMAND, "", .least = LEAST_NAME),
	[TIME] = ET_COLUMN(FIGURE, NULL),
	[RANGE] = ET_COLUMN(FIGURE, "range", .drop = 2),
	[RATIO] = ET_COLUMN(FIGURE, NULL),
	[OTHER] = ET_COLUMN(FIGURE, NULL, .drop = 3),
	[RUNS] = ET_COLUMN(FIGURE, "runs", .brief = 1, .drop = 4),
	[BAR] = ET_COLUMN(BAR, NULL) };

static void set_titles(
	struct table *t, struct et_table_column columns[COLUMNS], char titles[2][ET_FIGURE])
{
	const struct et_kbest_result *kbest = et_result_kbest(t->lines[0]);

	memcpy(columns, all_columns, sizeof(all_columns));
	/* Of many commands, names and ratios are more important than what a single run did. */
	if (t->n >= MANY) {
		columns[RATIO] =
			(struct et_table_column)ET_COLUMN(FIGURE, "ratio", .brief = 6, .drop = 7);
		columns[BAR] = (struct et_table_column)ET_COLUMN(BAR, "", .drop = 5);
	}
	columns[TIME].title = short_label(t->metric);
	columns[OTHER].title = short_label(t->other);
	if (kbest) {
		snprintf(titles[0], ET_FIGURE, "fastest %s", short_label(t->metric));
		snprintf(titles[1], ET_FIGURE, "%u within", kbest->k);
		columns[TIME].title = titles[0];
		columns[RANGE].title = titles[1];
	} else if (is_paced(t->lines[0]) && t->metric == ET_METRIC_CPU) {
		columns[TIME].title = "CPU time at full speed";
	}
}

/* --- the order --- */

static bool by_time(const struct et_experiment *e, enum et_sort sort)
{
	if (sort == ET_SORT_AUTO)
		return e->n_commands >= MANY && !e->commands[0].n_parameters;
	return sort == ET_SORT_MEAN_TIME;
}

/* Insertion sort, which is stable: commands of the same time stay in their order. */
static void sort_lines(struct table *t)
{
	for (size_t i = 1; i < t->n; i++) {
		const struct et_command_result *moved = t->lines[i];
		size_t k = i;
		for (; k > 0 && time_of(t, moved) < time_of(t, t->lines[k - 1]); k--)
			t->lines[k] = t->lines[k - 1];
		t->lines[k] = moved;
	}
}

static enum et_metric other_metric(const struct et_judgement *j, enum et_metric judged)
{
	/* The elapsed time of a paced run includes the reference loop's. */
	if (is_paced(&j->commands[0]))
		return judged;
	return judged == ET_METRIC_CPU ? ET_METRIC_ELAPSED : ET_METRIC_CPU;
}

/* The metric of the first command that has a result. */
static enum et_metric shown_metric(const struct et_judgement *j)
{
	for (size_t i = 0; i < j->n_commands; i++) {
		if (et_result_estimate(&j->commands[i])->n)
			return et_result_metric(&j->commands[i]);
	}
	return j->commands[0].metric;
}

/* The runs that were removed from all commands, where the table has no room for the cause. */
static void removed_line(const struct et_judgement *j, const struct et_page *page)
{
	struct fates f = { 0 };

	for (size_t i = 0; i < j->n_commands; i++)
		count_fates(&j->commands[i], &f);
	if (f.n[ET_KEPT] == f.made)
		return;
	et_page_say(page, 0, "", NULL, NULL, "removed: %zu of %zu runs (%s)", f.made - f.n[ET_KEPT],
		f.made, cause_of(&f, ET_BUF));
}

/* Returns whether the table has the ratios. */
static bool table(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, const struct et_page *page)
{
	struct et_table_column columns[COLUMNS];
	struct table t = { .judgement = j,
		.options = o,
		.metric = shown_metric(j),
		.n = j->n_commands,
		.cells = { ET_COLUMNS(columns) } };
	ET_AUTO_FREE const struct et_command_result **lines = et_calloc(t.n, sizeof(*lines));
	char titles[2][ET_FIGURE];
	double longest = 0;

	t.lines = lines;
	t.other = other_metric(j, t.metric);
	t.cells.names_first = t.n < MANY ? 1 : 3;
	for (size_t i = 0; i < t.n; i++) {
		lines[i] = &j->commands[i];
		longest = fmax(longest, time_of(&t, lines[i]));
	}
	t.scale = common_scale(&t);
	set_titles(&t, columns, titles);
	if (by_time(e, o->sort))
		sort_lines(&t);
	for (size_t i = 0; i < t.n; i++)
		fill_line(&t, lines[i], longest);
	et_table_print(&t.cells, page);
	if (t.cells.shortened & 1u << RUNS)
		removed_line(j, page);
	return t.n >= MANY && !(t.cells.omitted & 1u << RATIO);
}

/* --- the lines below the table --- */

static bool has_short_name(const struct et_command *c)
{
	ET_AUTO_FREE char *name = et_clean(c->name ? c->name : "", "");

	return c->text && *name && strcmp(c->name, c->text) != 0 && et_columns(name) <= SHORT_NAME;
}

char *et_summary_name(const struct et_judgement *j, size_t command)
{
	bool names = command < j->n_commands;

	/* All by name or all by number: a sentence that mixes them is hard to read. */
	for (size_t i = 0; names && i < j->n_commands; i++)
		names = has_short_name(j->commands[i].command);
	if (names)
		return et_clean(j->commands[command].command->name, "");
	return et_strdup(et_name_by_number(command, ET_BUF));
}

/* Prints the text, then the remark in dim letters: on the same line if there is room for it. */
static void remarked(
	const struct et_page *page, const char *text, const char *style, const char *remark)
{
	enum { APART = 4 };
	int columns = et_columns(text);

	if (*remark && columns + APART + et_columns(remark) <= page->width) {
		et_page_styled(page, style, text, strlen(text));
		fprintf(page->out, "%*s", APART, "");
		et_page_styled(page, DIM, remark, strlen(remark));
		putc('\n', page->out);
		return;
	}
	et_page_paragraph(page, 0, "", NULL, text, style);
	if (*remark)
		et_page_paragraph(page, 2, "", NULL, remark, DIM);
}

/* `other` introduces the verdict of the other time, which contradicts the first one. */
static void verdict_line(const struct et_judgement *j, const struct et_contrast *c, bool basis,
	bool other, const struct et_page *page)
{
	ET_AUTO_FREE char *b = et_summary_name(j, c->b);
	ET_AUTO_FREE char *a = et_summary_name(j, c->a);
	ET_AUTO_FREE char *decisive = et_summary_name(j, j->metric.command);
	ET_AUTO_FREE char *verdict = et_verdict_text(c, b, a);
	ET_AUTO_FREE char *text = et_asprintf("%s%s%s%s", other ? "but by " : "",
		other ? et_metrics[c->metric].label : "", other ? ": " : "", verdict);
	ET_AUTO_FREE char *how = basis ? et_verdict_basis(&j->metric, c, decisive) : et_strdup("");

	remarked(page, text, et_verdict_style(c), how);
}

static void few_verdicts(const struct et_judgement *j, const struct et_page *page)
{
	for (size_t i = 0; i < j->n_contrasts; i++) {
		const struct et_contrast *c = &j->contrasts[i], *last = c - 1;
		bool basis = !i || et_judgement_contradicted(j, i) ||
			     et_judgement_contradicted(j, i - 1) || c->pairs != last->pairs;
		verdict_line(j, c, basis, false, page);
		if (et_judgement_contradicted(j, i))
			verdict_line(j, &j->second[i], true, true, page);
	}
}

/* Whether it takes longer than the reference, or less time; by Holm's correction, if there is one.
 */
static bool is_slower(const struct et_contrast *c)
{
	return c->conclusion == ET_CONCLUDED_SLOWER || c->conclusion == ET_CONCLUDED_LARGER;
}

static bool is_faster(const struct et_contrast *c)
{
	return c->conclusion == ET_CONCLUDED_FASTER || c->conclusion == ET_CONCLUDED_SMALLER;
}

/* A faster one beats those whose intervals begin above the end of its own. */
static bool may_be_fastest(const struct et_contrast *c, double best)
{
	return !is_slower(c) && et_contrast_ratio(c).lo <= best;
}

/* The end of the interval of the fastest one; INFINITY: none is faster than the reference. */
static double best_end(const struct et_judgement *j)
{
	double best = INFINITY;

	for (size_t i = 0; i < j->n_contrasts; i++) {
		struct et_ratio r = et_contrast_ratio(&j->contrasts[i]);
		if (isnan(r.lo + r.hi))
			return NAN;
		if (is_faster(&j->contrasts[i]))
			best = fmin(best, r.hi);
	}
	return best;
}

/* Which of many commands is the fastest, or which few may be. */
static void fastest_line(const struct et_judgement *j, const struct et_page *page)
{
	enum { MOST_NAMED = 3 };
	double best = best_end(j);
	uint32_t named[MOST_NAMED + 1];
	size_t n = 0;

	if (isnan(best))
		return;
	if (isinf(best))
		named[n++] = j->contrasts[0].a;
	for (size_t i = 0; i < j->n_contrasts && n <= MOST_NAMED; i++) {
		if (may_be_fastest(&j->contrasts[i], best))
			named[n++] = j->contrasts[i].b;
	}
	if (!n || n > MOST_NAMED)
		return;
	ET_AUTO_FREE char *names = et_summary_name(j, named[0]);
	for (size_t i = 1; i < n; i++) {
		ET_AUTO_FREE char *name = et_summary_name(j, named[i]), *before = names;
		names = et_asprintf("%s%s%s", before, i + 1 == n ? " or " : ", ", name);
	}
	et_page_say(page, 0, "", NULL, n == 1 ? JUDGED : NULL, "%s %s", names,
		j->contrasts[0].unit == ET_UNIT_BYTES ? "uses the least memory" : "is the fastest");
}

/* The ratios are in the table: what they are, and where the other time leads elsewhere. */
static void many_verdicts(const struct et_judgement *j, const struct et_page *page)
{
	enum { MOST = 4 };
	const struct et_contrast *first = &j->contrasts[0];
	ET_AUTO_FREE char *reference = et_summary_name(j, first->a);
	ET_AUTO_FREE char *decisive = et_summary_name(j, j->metric.command);
	ET_AUTO_FREE char *basis = et_verdict_basis(&j->metric, first, decisive);
	bool open = false, by_holm = false, equal = false;
	char before[64] = "", margin[ET_FIGURE] = "";
	size_t n = 0;

	for (size_t i = 0; i < j->n_contrasts; i++) {
		bool holm = j->contrasts[i].conclusion == ET_CONCLUDED_SAME_BY_HOLM;
		by_holm = by_holm || holm;
		bool same = j->contrasts[i].conclusion == ET_CONCLUDED_EQUAL;
		equal = equal || same;
		open = open || (!j->contrasts[i].significant && !holm && !same);
	}
	if (equal)
		snprintf(margin, sizeof(margin), "%.4g %%", 100 * first->margin);
	if (by_holm)
		snprintf(before, sizeof(before),
			"; ~: differs before the correction for %zu comparisons only",
			first->family);
	fastest_line(j, page);
	et_page_say(page, 0, "", NULL, DIM, "ratio to %s: %s%s%s%s%s", reference, basis,
		equal ? "; =: equal within " : "", margin,
		!open                     ? ""
		: et_contrast_asks(first) ? "; ?: undecided"
					  : "; ?: no difference shown, or too few runs",
		before);
	for (size_t i = 0; i < j->n_contrasts; i++) {
		if (et_judgement_contradicted(j, i) && n++ < MOST)
			verdict_line(j, &j->second[i], true, true, page);
	}
}

/* Which commands have no result, and why. */
static void missing_lines(const struct et_judgement *j, const struct et_page *page)
{
	for (size_t i = 0; i < j->n_commands; i++) {
		const struct et_command_result *r = &j->commands[i];
		ET_AUTO_FREE char *name = et_summary_name(j, i);
		ET_AUTO_FREE char *lead =
			j->n_commands > 1 ? et_asprintf("%s: ", name) : et_strdup("");
		ET_AUTO_FREE char *text = NULL;
		if (!et_result_estimate(r)->n)
			text = et_asprintf("%sno run was kept; to see why: etalon show -v", lead);
		else if (r->paced.why)
			text = et_asprintf("%sat full speed not known: %s", lead, r->paced.why);
		if (text)
			et_page_paragraph(page, 0, "", NULL, text, WARNING);
	}
}

/* Why a single command is judged by elapsed time. */
static void metric_line(const struct et_judgement *j, bool verbose, const struct et_page *page)
{
	ET_AUTO_FREE char *reason = et_metric_reason_text(&j->metric, "it");
	const char *label = et_metrics[et_result_metric(&j->commands[0])].label;

	if (j->n_contrasts || !j->n_commands || (!reason && !verbose))
		return;
	const char *why = j->metric.reason == ET_METRIC_BY_DEFAULT
				  ? "it uses one CPU and does not wait"
				  : reason;
	et_page_say(page, 0, "", NULL, NULL, "judged by %s%s%s", label, why ? ", because " : "",
		why ? why : "");
}

/* The precision that --until reached. If it missed its goal, there is a note instead. */
static void until_line(
	const struct et_experiment *e, const struct et_judgement *j, const struct et_page *page)
{
	double worst = 0, wanted = e->plan.until_ratio;

	for (size_t i = 0; i < j->n_commands; i++) {
		const struct et_estimate *est = et_result_estimate(&j->commands[i]);
		worst = fmax(worst, est->n ? est->expanded_uncertainty / est->mean : INFINITY);
	}
	if (!(wanted > 0) || !(worst <= wanted) || e->plan.order == ET_ORDER_DUET)
		return;
	et_page_say(page, 0, "", NULL, NULL, "reached ± %s of the mean, wanted ± %s",
		et_format_percent(worst, ET_BUF), et_format_percent(wanted, ET_BUF));
}

/* How EMP's second check changed the mean: of the command where it changed most. */
static void second_check_line(const struct et_judgement *j, const struct et_page *page)
{
	size_t most = 0;

	for (size_t i = 1; i < j->n_commands; i++) {
		if (fabs(j->commands[i].second_check.change) >
			fabs(j->commands[most].second_check.change))
			most = i;
	}
	const struct et_second_check *c = &j->commands[most].second_check;
	if (!c->removed || !(c->mean_before > 0))
		return;
	double u = et_result_estimate(&j->commands[most])->expanded_uncertainty;
	struct et_scale s = et_scale_of(c->mean_before, u);
	ET_AUTO_FREE char *name = et_summary_name(j, most);
	ET_AUTO_FREE char *of = et_asprintf(" of %s", name);
	et_page_say(page, 0, "", NULL, NULL,
		"two-sigma removed %zu run%s%s: mean %s before, %s "
		"%s after, %s%s",
		c->removed, c->removed == 1 ? "" : "s", j->n_commands > 1 ? of : "",
		et_scale_number(s, c->mean_before, ET_BUF),
		et_scale_number(s, c->mean_after, ET_BUF), s.unit, c->change < 0 ? "-" : "+",
		et_format_percent(fabs(c->change), ET_BUF));
}

void et_summary(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, const struct et_page *page)
{
	if (!j->n_commands)
		return;
	bool ratios = table(e, j, o, page);
	missing_lines(j, page);
	metric_line(j, o->verbose, page);
	until_line(e, j, page);
	second_check_line(j, page);
	if (j->choice.automatic)
		et_page_say(page, 0, "", NULL, NULL, "used protocol %s, %s",
			et_protocol_names[j->choice.protocol], j->choice.why);
	if (!j->n_contrasts)
		return;
	putc('\n', page->out);
	if (ratios)
		many_verdicts(j, page);
	else
		few_verdicts(j, page);
}
