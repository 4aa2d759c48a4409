/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/summary.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "base/whole.h"
#include "report/names.h"
#include "report/verdict.h"
#include "stats/judge.h"

#include <math.h>
#include <string.h>

enum {
	GAP = 2,         /* columns between two columns of the table */
	MANY = 4,        /* from this many commands on the ratios are in the table */
	LEAST_NAME = 10, /* columns of a name before a column of the table is omitted for it */
	USUAL_NAME = 16,
	LEAST_BAR = 8,
	MOST_BAR = 24,
	SHORT_NAME = 20, /* a name that is given with -n and not longer is used in sentences */
};

#define DIM "2"
#define JUDGED "1;32"
#define WARNING "33"

const char *const et_sort_names[] = { "auto", "command", "mean-time", NULL };

enum column { TIME, RANGE, RATIO, OTHER, RUNS, BAR, COLUMNS };

/* The left part of a cell is right-aligned, the right part left-aligned: they meet in a line. */
struct cell {
	char left[ET_FIGURE], right[ET_FIGURE];
};

struct line {
	const struct et_command_result *result;
	size_t number;
	struct cell cells[COLUMNS];
};

struct table {
	const struct et_judgement *judgement;
	const struct et_text_options *options;
	enum et_metric metric, other; /* of the column TIME and of the column OTHER */
	struct et_scale scale;        /* of all lines; without a unit: each has its own */
	struct line *lines;           /* in the order to print */
	size_t n;
	char titles[COLUMNS][ET_FIGURE];
	int left[COLUMNS], width[COLUMNS]; /* width 0: the column is omitted */
	int name, number;                  /* columns of the name and of the number before it */
	char **names;                      /* by number */
	bool no_causes;                    /* why runs were removed had no room */
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

/* The largest unit in which no headline has two zeros in front, and no figure is below 1. */
static struct et_scale scale_of(const struct table *t, const struct line *lines, size_t n)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_command_result *r = lines[i].result;
		double ns = time_of(t, r);
		least = ns > 0 ? fmin(least, ns) : least;
		most = isfinite(ns) ? fmax(most, ns) : most;
		if (r->estimate[t->other].n)
			most = fmax(most, r->estimate[t->other].mean);
	}
	struct et_scale s = et_scale_of(most, NAN);
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
		if (time_of(t, t->lines[i].result) >= too_long * pow(10, s.exponent))
			s.unit = NULL;
	}
	return s;
}

/* est: the estimate that they are from, or NULL. */
static void time_cell(struct et_scale s, double ns, double uncertainty,
	const struct et_estimate *est, struct cell *out)
{
	char figure[ET_FIGURE], other[ET_FIGURE];

	if (!isfinite(ns) || ns < 0) {
		snprintf(out->left, sizeof(out->left), ET_DASH);
		return;
	}
	/* A smaller one is the rounding error of equal times. */
	if (uncertainty < 1e-9 * ns)
		uncertainty = 0;
	s = et_scale_for(s, ns, uncertainty);
	snprintf(out->left, sizeof(out->left), "%.80s %s", et_scale_number(s, ns, figure), s.unit);
	if (est && et_estimate_lopsided(est) && est->lo >= 0)
		snprintf(out->right, sizeof(out->right), " (%.40s … %.40s)",
			et_scale_number(s, est->lo, figure), et_scale_number(s, est->hi, other));
	else if (uncertainty >= 0)
		snprintf(out->right, sizeof(out->right), " %.90s",
			et_scale_plus_minus(s, uncertainty, figure));
}

/* The digits of single runs are those that their spread supports, and no more than the mean's. */
static void range_cell(struct et_scale s, const struct et_estimate *est, struct cell *out)
{
	char figure[ET_FIGURE];

	s = et_scale_for(s, est->mean, fmax(est->sd, est->expanded_uncertainty));
	snprintf(out->left, sizeof(out->left), "%s", et_scale_number(s, est->min, figure));
	snprintf(out->right, sizeof(out->right), " … %.80s", et_scale_number(s, est->max, figure));
}

/* Runs by what became of them. */
struct fates {
	size_t made, n[ET_REMOVED_MACHINE_SLOW + 1];
};

static void count_fates(const struct et_command_result *r, struct fates *f)
{
	ET_AUTO_READER struct et_sample_reader reader =
		et_samples_read_figures(&r->command->samples);

	for (const struct et_sample *s; (s = et_sample_reader_next(&reader));) {
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

static void runs_cell(const struct et_command_result *r, struct cell *out)
{
	struct fates f = { 0 };
	char cause[ET_FIGURE];

	count_fates(r, &f);
	snprintf(out->left, sizeof(out->left), "%zu", f.n[ET_KEPT]);
	if (f.n[ET_KEPT] != f.made)
		snprintf(out->right, sizeof(out->right), " of %zu (%.60s)", f.made,
			cause_of(&f, cause));
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
	et_format_ratio(ratio.estimate, ratio.lo, ratio.hi, figure);
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
							     : " ?");
}

static void fill_line(const struct table *t, struct line *l)
{
	const struct et_command_result *r = l->result;
	const struct et_estimate *est = &r->estimate[t->metric];
	const struct et_kbest_result *kbest = et_result_kbest(r);
	double uncertainty, ns = headline(r, t->metric, &uncertainty);
	struct et_scale s = t->scale.unit ? t->scale : scale_of(t, l, 1);
	char figure[ET_FIGURE];

	bool mean = !kbest && !(is_paced(r) && t->metric == ET_METRIC_CPU);
	time_cell(s, ns, uncertainty, mean ? est : NULL, &l->cells[TIME]);
	if (kbest && isfinite(kbest->spread))
		snprintf(l->cells[RANGE].left, ET_FIGURE, "%s",
			et_format_percent(kbest->spread, figure));
	else if (!kbest && est->n > 1)
		range_cell(s, est, &l->cells[RANGE]);
	const struct et_estimate *other = &r->estimate[t->other];
	if (other->n)
		time_cell(s, other->mean, other->expanded_uncertainty, other, &l->cells[OTHER]);
	runs_cell(r, &l->cells[RUNS]);
	if (t->n >= MANY)
		et_summary_ratio(r, l->cells[RATIO].left, l->cells[RATIO].right);
}

/* --- the layout --- */

static int wider(int width, const char *text)
{
	int columns = et_columns(text);

	return columns > width ? columns : width;
}

static void measure(struct table *t, enum column c)
{
	int right = 0;

	t->left[c] = 0;
	for (size_t i = 0; i < t->n; i++) {
		t->left[c] = wider(t->left[c], t->lines[i].cells[c].left);
		right = wider(right, t->lines[i].cells[c].right);
	}
	t->width[c] = t->left[c] + right;
	if (t->width[c])
		t->width[c] = wider(t->width[c], t->titles[c]);
}

/* The columns that are left for names. */
static int room_for_names(const struct table *t)
{
	int room = t->options->width - t->number;

	for (int c = 0; c < COLUMNS; c++)
		room -= t->width[c] ? GAP + t->width[c] : 0;
	return room;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Omits what is in parentheses: the interval of a ratio, or why runs were removed. */
static void shorten(struct table *t, enum column c)
{
	for (size_t i = 0; i < t->n; i++) {
		char *open = strstr(t->lines[i].cells[c].right, " (");
		char *close = open ? strchr(open, ')') : NULL;
		if (close)
			memmove(open, close + 1, strlen(close));
	}
	measure(t, c);
}

/* Omits columns until the names have room, and gives the bars what remains. */
static void fit(struct table *t, int widest)
{
	const struct {
		enum column column;
		int least; /* columns for names; below that the column is omitted */
	} few[] = { { RANGE, LEAST_NAME }, { OTHER, LEAST_NAME }, { RUNS, LEAST_NAME } },
	  many[] = { { RANGE, widest }, { OTHER, widest }, { RUNS, USUAL_NAME },
		  { BAR, LEAST_NAME }, { RATIO, 1 } },
	  *drop = t->n < MANY ? few : many;
	size_t n = t->n < MANY ? ET_LENGTH(few) : ET_LENGTH(many);

	t->no_causes = !t->options->full_names && room_for_names(t) < widest;
	if (t->no_causes)
		shorten(t, RUNS);
	for (size_t i = 0; i < n && !t->options->full_names; i++) {
		enum column c = drop[i].column;
		int least = smaller(widest, drop[i].least);
		if (room_for_names(t) < least && c == RATIO)
			shorten(t, c);
		if (room_for_names(t) < least)
			t->width[c] = 0;
	}
	int room = t->options->full_names ? ET_NAME_MOST : room_for_names(t);
	t->name = smaller(widest, room);
	if (t->width[BAR])
		t->width[BAR] += smaller(
			MOST_BAR - LEAST_BAR, t->options->full_names ? MOST_BAR : room - t->name);
}

static void title(struct table *t, enum column c, const char *text)
{
	snprintf(t->titles[c], sizeof(t->titles[c]), "%s", text);
}

static const char *short_label(enum et_metric m)
{
	return m == ET_METRIC_ELAPSED ? "elapsed" : et_metrics[m].label;
}

static void set_titles(struct table *t)
{
	const struct et_kbest_result *kbest = et_result_kbest(t->lines[0].result);

	title(t, TIME, short_label(t->metric));
	title(t, RANGE, "range");
	title(t, RATIO, "ratio");
	title(t, OTHER, short_label(t->other));
	title(t, RUNS, "runs");
	if (kbest) {
		snprintf(t->titles[TIME], ET_FIGURE, "fastest %s", short_label(t->metric));
		snprintf(t->titles[RANGE], ET_FIGURE, "%u within", kbest->k);
	} else if (is_paced(t->lines[0].result) && t->metric == ET_METRIC_CPU) {
		title(t, TIME, "CPU time at full speed");
	}
}

static void lay_out(struct table *t)
{
	ET_AUTO_FREE const char **names = et_calloc(t->n + 1, sizeof(*names));
	int widest = 0;

	set_titles(t);
	for (int c = 0; c < COLUMNS; c++)
		measure(t, (enum column)c);
	t->width[BAR] = t->n >= MANY ? LEAST_BAR : 0;
	t->number = t->n > 1 ? et_columns("1  ") + (t->n > 9) + (t->n > 99) : 0;
	for (size_t i = 0; i < t->n; i++) {
		const char *name = t->judgement->commands[i].command->name;
		names[i] = name ? name : "";
		ET_AUTO_FREE char *clean = et_clean(names[i], "");
		widest = wider(widest, clean);
	}
	fit(t, widest);
	t->names = et_names_fit(names, t->n, t->name);
}

/* --- printing --- */

static void styled(const struct et_page *page, const char *style, const char *text)
{
	bool on = page->color && style && *text;

	fprintf(page->out, "%s%s%s%s%s", on ? "\033[" : "", on ? style : "", on ? "m" : "", text,
		on ? "\033[0m" : "");
}

/* Appends a text and the blanks up to its column; blanks are kept back until something follows. */
static void put(
	const struct et_page *page, int *blanks, const char *style, const char *text, int width)
{
	if (*text) {
		fprintf(page->out, "%*s", *blanks, "");
		styled(page, style, text);
		*blanks = 0;
	}
	*blanks += width - et_columns(text);
}

/* A bar of this many columns, to an eighth of a column. */
static void draw_bar(double columns, char *out, size_t size)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths = isfinite(columns) && columns > 0 ? et_int(round(8 * columns)) : 0;
	size_t at = 0;

	for (int i = 0; i < eighths / 8; i++)
		at += (size_t)snprintf(out + at, size - at, "█");
	snprintf(out + at, size - at, "%s", parts[eighths % 8]);
}

static void print_titles(const struct table *t, const struct et_page *page)
{
	int blanks = t->number + t->name;

	for (int c = 0; c < COLUMNS; c++) {
		if (!t->width[c])
			continue;
		blanks += GAP;
		put(page, &blanks, DIM, t->titles[c], t->width[c]);
	}
	putc('\n', page->out);
}

static void print_line(const struct table *t, const struct line *l, const struct et_page *page)
{
	const struct et_contrast *contrast = l->result->contrast;
	char number[ET_FIGURE] = "";
	int blanks = 0;

	if (t->number)
		snprintf(number, sizeof(number), "%*zu", t->number - 2, l->number + 1);
	put(page, &blanks, DIM, number, t->number);
	put(page, &blanks, NULL, t->names[l->number], t->name);
	for (int c = 0; c < COLUMNS; c++) {
		const struct cell *cell = &l->cells[c];
		const char *style = c == TIME                ? JUDGED
				    : c == RATIO && contrast ? et_verdict_style(contrast)
							     : NULL;
		char text[2 * ET_FIGURE];
		if (!t->width[c])
			continue;
		snprintf(text, sizeof(text), "%s%s", cell->left, cell->right);
		int lead = t->left[c] - et_columns(cell->left);
		blanks += GAP + lead;
		put(page, &blanks, style, text, t->width[c] - lead);
	}
	putc('\n', page->out);
}

static void print_table(struct table *t, const struct et_page *page)
{
	double most = 0;

	for (size_t i = 0; i < t->n; i++)
		most = fmax(most, time_of(t, t->lines[i].result));
	for (size_t i = 0; i < t->n && t->width[BAR] && isfinite(most); i++)
		draw_bar(t->width[BAR] * time_of(t, t->lines[i].result) / most,
			t->lines[i].cells[BAR].right, ET_FIGURE);
	print_titles(t, page);
	for (size_t i = 0; i < t->n; i++)
		print_line(t, &t->lines[i], page);
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
		struct line moved = t->lines[i];
		size_t k = i;
		for (; k > 0 && time_of(t, moved.result) < time_of(t, t->lines[k - 1].result); k--)
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
	char cause[ET_FIGURE];

	for (size_t i = 0; i < j->n_commands; i++)
		count_fates(&j->commands[i], &f);
	if (f.n[ET_KEPT] == f.made)
		return;
	ET_AUTO_FREE char *text = et_asprintf("removed: %zu of %zu runs (%s)",
		f.made - f.n[ET_KEPT], f.made, cause_of(&f, cause));
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

/* Returns whether the table has the ratios. */
static bool table(const struct et_experiment *e, const struct et_judgement *j,
	const struct et_text_options *o, const struct et_page *page)
{
	struct table t = {
		.judgement = j, .options = o, .metric = shown_metric(j), .n = j->n_commands
	};
	ET_AUTO_FREE struct line *lines = et_calloc(t.n, sizeof(*lines));

	t.lines = lines;
	t.other = other_metric(j, t.metric);
	for (size_t i = 0; i < t.n; i++) {
		lines[i].result = &j->commands[i];
		lines[i].number = i;
	}
	t.scale = common_scale(&t);
	for (size_t i = 0; i < t.n; i++)
		fill_line(&t, &lines[i]);
	lay_out(&t);
	if (by_time(e, o->sort))
		sort_lines(&t);
	print_table(&t, page);
	if (t.no_causes)
		removed_line(j, page);
	et_strv_free(t.names);
	return t.width[RATIO] > 0;
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
	return names ? et_clean(j->commands[command].command->name, "")
		     : et_asprintf("%zu", command + 1);
}

/* Prints the text, then the remark in dim letters: on the same line if there is room for it. */
static void remarked(
	const struct et_page *page, const char *text, const char *style, const char *remark)
{
	enum { APART = 4 };
	int columns = et_columns(text);

	if (*remark && columns + APART + et_columns(remark) <= page->width) {
		styled(page, style, text);
		fprintf(page->out, "%*s", APART, "");
		styled(page, DIM, remark);
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

/* The ratios are in the table: what they are, and where the other time leads elsewhere. */
static void many_verdicts(const struct et_judgement *j, const struct et_page *page)
{
	enum { MOST = 4 };
	const struct et_contrast *first = &j->contrasts[0];
	ET_AUTO_FREE char *reference = et_summary_name(j, first->a);
	ET_AUTO_FREE char *decisive = et_summary_name(j, j->metric.command);
	ET_AUTO_FREE char *basis = et_verdict_basis(&j->metric, first, decisive);
	bool open = false, by_holm = false;
	char before[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < j->n_contrasts; i++) {
		bool holm = j->contrasts[i].conclusion == ET_CONCLUDED_SAME_BY_HOLM;
		by_holm = by_holm || holm;
		open = open || (!j->contrasts[i].significant && !holm);
	}
	if (by_holm)
		snprintf(before, sizeof(before),
			"; ~: differs before the correction for %zu comparisons only",
			first->family);
	ET_AUTO_FREE char *legend = et_asprintf("ratio to %s: %s%s%s", reference, basis,
		open ? "; ?: no difference shown, or too few runs" : "", before);
	et_page_paragraph(page, 0, "", NULL, legend, DIM);
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
	ET_AUTO_FREE char *text =
		et_asprintf("judged by %s%s%s", label, why ? ", because " : "", why ? why : "");
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

/* The precision that --until reached. If it missed its goal, there is a note instead. */
static void until_line(
	const struct et_experiment *e, const struct et_judgement *j, const struct et_page *page)
{
	double worst = 0, wanted = e->plan.until_ratio;
	char a[ET_FIGURE], b[ET_FIGURE];

	for (size_t i = 0; i < j->n_commands; i++) {
		const struct et_estimate *est = et_result_estimate(&j->commands[i]);
		worst = fmax(worst, est->n ? est->expanded_uncertainty / est->mean : INFINITY);
	}
	if (!(wanted > 0) || !(worst <= wanted) || e->plan.order == ET_ORDER_DUET)
		return;
	ET_AUTO_FREE char *text = et_asprintf("reached ± %s of the mean, wanted ± %s",
		et_format_percent(worst, a), et_format_percent(wanted, b));
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

/* How EMP's second check changed the mean: of the command where it changed most. */
static void second_check_line(const struct et_judgement *j, const struct et_page *page)
{
	size_t most = 0;
	char change[ET_FIGURE], before[ET_FIGURE], after[ET_FIGURE];

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
	bool number = name[strspn(name, "0123456789")] == '\0';
	ET_AUTO_FREE char *of = et_asprintf(" of %s%s", number ? "command " : "", name);
	ET_AUTO_FREE char *text = et_asprintf("two-sigma removed %zu run%s%s: mean %s before, %s "
					      "%s after, %s%s",
		c->removed, c->removed == 1 ? "" : "s", j->n_commands > 1 ? of : "",
		et_scale_number(s, c->mean_before, before),
		et_scale_number(s, c->mean_after, after), s.unit, c->change < 0 ? "-" : "+",
		et_format_percent(fabs(c->change), change));
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

static void protocol_line(const struct et_judgement *j, const struct et_page *page)
{
	const char *name = et_protocol_names[j->choice.protocol];

	if (!j->choice.automatic)
		return;
	ET_AUTO_FREE char *text = et_asprintf("used protocol %s, %s", name, j->choice.why);
	et_page_paragraph(page, 0, "", NULL, text, NULL);
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
	protocol_line(j, page);
	if (!j->n_contrasts)
		return;
	putc('\n', page->out);
	if (ratios)
		many_verdicts(j, page);
	else
		few_verdicts(j, page);
}
