/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile for a terminal: the answer, the table, how sure it is, and the notes that matter. */
#include "app/profile/view_parts.h"
#include "base/memstream.h"
#include "base/parse.h"
#include "draw/table.h"
#include "draw/terminal.h"
#include "report/warning.h"

enum { NOTE_LINES = 8, NAME_IN_TEXT = 60 };

#define DIM "2"
#define BOLD "1"

/* --- the answer --- */

/* "79.8 %", with the digits that its interval supports. */
static const char *share_alone(double share, struct et_span interval, char buf[ET_FIGURE])
{
	et_format_share(share, interval, buf);
	char *sign = strstr(buf, " ± ");
	if (sign)
		memcpy(sign, " %", sizeof(" %"));
	sign = strstr(buf, " (");
	if (sign)
		*sign = '\0';
	return buf;
}

/* "79.2 … 80.4" of a proportion, in percent. */
static const char *share_span(double share, struct et_span i, char buf[ET_FIGURE])
{
	struct et_scale s =
		et_scale_of_value(100 * share, 100 * et_span_half(i, share), ET_UNIT_NONE);

	s.decimals = s.decimals > 3 ? 3 : s.decimals < 0 ? 0 : s.decimals;
	snprintf(buf, ET_FIGURE, "%.40s … %.40s", et_scale_number(s, 100 * fmax(i.lo, 0), ET_BUF),
		et_scale_number(s, 100 * fmin(i.hi, 1), ET_BUF));
	return buf;
}

static double shown_share(const struct et_profiled *p, const struct et_profile_row *r)
{
	return p->view.total ? r->total_share : r->share;
}

static struct et_span shown_interval(const struct et_profiled *p, const struct et_profile_row *r)
{
	return p->view.total ? r->total_share_interval : r->share_interval;
}

char *et_profile_name_in_text(const char *name)
{
	ET_AUTO_FREE char *brief = et_profile_short_name(name);
	ET_AUTO_FREE char *clean = et_clean(brief, "");

	return et_shorten(clean, NAME_IN_TEXT);
}

/* Shares of n samples are known to ± 1/√n; of fewer, ± 18 % and worse, they mean nothing. */
enum { LEAST_SAMPLES = 30 };

/* Why there is no answer; NULL if there is one. The caller frees it. */
static char *no_answer(const struct et_profiled *p, const struct et_profile_result *r)
{
	bool imported = p->experiment->profile->way == ET_PROFILE_IMPORTED;

	if (!r->runs && r->invalid)
		return et_asprintf(
			"no run counts, because the kernel %s in %s; sample less often%s",
			r->throttled ? "stopped the sampling for a while (throttling)"
				     : "lost records",
			r->invalid == 1 ? "the only one" : "each of them",
			imported ? "" : " (--frequency)");
	if (!r->n_rows || !r->runs)
		return et_strdup("no run has a sample, so nothing is known");
	if (r->samples >= LEAST_SAMPLES)
		return NULL;
	return et_asprintf("%" PRIu64
			   " sample%s in %zu run%s: too few to show where the time goes; "
			   "%s, or profile a longer run",
		r->samples, r->samples == 1 ? "" : "s", r->runs, r->runs == 1 ? "" : "s",
		imported ? "record more of them" : "sample more often (--frequency)");
}

char *et_profile_answer(const struct et_profiled *p, size_t command)
{
	const struct et_profile_result *r = &p->results[command];
	const struct et_profile_row *a = r->rows, *b = r->n_rows > 1 ? r->rows + 1 : NULL;
	const char *whole = et_profile_whole(p->experiment->profile);
	char first[ET_FIGURE], second[ET_FIGURE], *text = no_answer(p, r);

	if (text)
		return text;
	ET_AUTO_FREE char *name_a = et_profile_name_in_text(et_profile_row_name(a));
	ET_AUTO_FREE char *name_b = et_profile_name_in_text(b ? et_profile_row_name(b) : "");
	share_alone(shown_share(p, a), shown_interval(p, a), first);
	if (b)
		share_alone(shown_share(p, b), shown_interval(p, b), second);
	if (r->runs == 1) {
		text = et_asprintf("%s has %s of the %s", name_a, first, whole);
		if (b)
			et_append(&text, ", then ", "%s %s", name_b, second);
		et_append(&text, "; ", "one run shows no uncertainty");
		return text;
	}
	/* The intervals hold together, so apart ones prove the order; totals contain each other. */
	if (b && !p->view.total && !(a->share_interval.lo > b->share_interval.hi))
		return et_asprintf("%s and %s lead with %s and %s of the %s; which of them has "
				   "more is not certain",
			name_a, name_b, first, second, whole);
	text = et_asprintf("%s has %s of the %s%s (%s, %g %%)", name_a, first, whole,
		p->view.total ? " with its callees" : "",
		share_span(shown_share(p, a), shown_interval(p, a), ET_BUF), 100 * r->level);
	if (b && shown_share(p, b) > 0)
		et_append(&text, ", then ", "%s %s", name_b, second);
	return text;
}

/* --- the table --- */

enum { FUNCTION, TOTAL = 3, COUNTS };
static const struct et_table_column all_columns[] = { [FUNCTION] = ET_COLUMN(NAME, "function"),
	ET_COLUMN(NAME, "module", .drop = 1),
	ET_COLUMN(FIGURE, "self %"),
	[TOTAL] = ET_COLUMN(FIGURE, "total %", .drop = 5),
	[COUNTS] = ET_COLUMN(FIGURE, "samples", .drop = 4),
	ET_COLUMN(FIGURE, "seen in", .drop = 3),
	ET_COLUMN(BAR, "", .drop = 2) };

static bool has_totals(const struct et_profile *p)
{
	for (size_t i = 1; i < p->n_nodes; i++) {
		if (p->nodes[i].parent != ET_PROFILE_ROOT)
			return true;
	}
	return false;
}

static void add_seen(struct et_table *s, const struct et_profile_row *r, size_t runs)
{
	char left[ET_FIGURE], right[ET_FIGURE];

	snprintf(left, sizeof(left), "%zu", r->seen_in_runs);
	snprintf(right, sizeof(right), " of %zu", runs);
	if (r->seen_in_runs == runs)
		et_table_text(s, "all", "", DIM);
	else
		et_table_text(s, left, right, NULL);
}

static size_t choose_columns(
	bool modules, bool totals, const char *unit, struct et_table_column *out)
{
	size_t n = 0;

	for (size_t k = modules ? FUNCTION + 1 : 0; k < ET_LENGTH(all_columns); k++) {
		if (k == TOTAL && !totals)
			continue;
		out[n] = all_columns[k];
		if (k == COUNTS)
			out[n].title = unit;
		n++;
	}
	out[0].drop = 0;
	return n;
}

static void print_table(const struct et_profiled *p, const struct et_profile_result *r,
	size_t shown, const struct et_page *page)
{
	bool modules = r->by == ET_BY_MODULE,
	     totals = !modules && has_totals(p->experiment->profile);
	const char *unit = et_profile_unit(p->experiment->profile);
	struct et_table_column columns[ET_LENGTH(all_columns)];
	struct et_table s = { .columns = columns };

	s.n_columns = choose_columns(modules, totals, unit, columns);
	ET_AUTO_FREE const char **full = et_calloc(shown + 1, sizeof(*full));
	for (size_t i = 0; i < shown; i++)
		full[i] = et_profile_row_name(&r->rows[i]);
	char **names = et_profile_short_names(full, shown);
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		const char *style = p->view.total && totals ? NULL : BOLD;
		et_table_name(&s, names[i], NULL);
		if (!modules)
			et_table_name(&s, et_profile_module_name(row->module), DIM);
		et_table_interval(&s, 100 * row->share, et_percent(row->share_interval), style);
		if (totals)
			et_table_interval(&s, 100 * row->total_share,
				et_percent(row->total_share_interval), style ? NULL : BOLD);
		et_table_interval(&s, row->mean, row->interval, NULL);
		add_seen(&s, row, r->runs);
		et_table_bar(&s, p->view.total && totals ? row->total_share : row->share, NULL);
	}
	et_strv_free(names);
	et_table_print(&s, page);
}

/* "… 31 more functions, each at most 0.4 % and together 3.1 %"; totals contain each other. */
static void print_rest(const struct et_profiled *p, const struct et_profile_result *r, size_t shown,
	const struct et_page *page)
{
	const char *kind = r->by == ET_BY_MODULE ? "module" : "function";
	char each[ET_FIGURE];
	const char *of = p->view.total ? " with callees" : "";
	double most = 0, sum = 0;
	size_t n = r->n_rows - shown;

	for (size_t i = shown; i < r->n_rows; i++) {
		most = fmax(most, shown_share(p, &r->rows[i]));
		sum += r->rows[i].share;
	}
	et_format_percent(most, each);
	ET_AUTO_FREE char *text =
		n == 1 ? et_asprintf("1 more %s with %s%s", kind, each, of)
		       : et_asprintf("%zu more %ss, each at most %s%s", n, kind, each, of);
	if (n > 1)
		et_append(&text, " and ", "together %s%s", et_format_percent(sum, ET_BUF),
			*of ? " of their own" : "");
	et_append(&text, "; ", "--top 0 shows all");
	et_page_paragraph(page, 2, "…", DIM, text, DIM);
}

/* --- how sure it is --- */

static void add_sampling(const struct et_profile *p, const struct et_profile_result *r, char **text)
{
	double hz = 1e9 / r->period_ns;
	bool kilo = hz >= 9999.5;

	et_append(text, "", " (%s", p->event[0] ? p->event : p->plan.event);
	if (r->period_ns > 0 && isfinite(r->period_ns) && p->way != ET_PROFILE_IMPORTED)
		et_append(text, ", ", "%.4g %s", kilo ? hz / 1000 : hz, kilo ? "kHz" : "Hz");
	if (p->way == ET_PROFILE_IMPORTED)
		et_append(text, ", ", "imported");
	else
		et_append(text, ", ", "%s", p->plan.fixed ? "fixed period" : "random periods");
	if (p->way == ET_PROFILE_INHERITED)
		et_append(text, ", ", "first period of each thread and child missed");
	if (p->way != ET_PROFILE_IMPORTED && (p->plan.user_only || !p->kernel_allowed))
		et_append(text, ", ", "without the kernel");
	et_append(text, "", ")");
}

static void print_basis(
	const struct et_profiled *p, const struct et_profile_result *r, const struct et_page *page)
{
	const struct et_profile *profile = p->experiment->profile;
	const char *kind = r->by == ET_BY_MODULE ? "modules" : "functions";
	/* The other column has the same k, but further statements. */
	const char *of = r->by == ET_BY_MODULE || !has_totals(profile) ? ""
			 : p->view.total                               ? " of total %"
								       : " of self %";
	char mean[32];

	snprintf(mean, sizeof(mean), r->total.mean < 9.95 ? "%.2g" : "%.0f", r->total.mean);
	const char *unit = strcmp(profile->event, "Ir") ? "sample" : "instruction";
	ET_AUTO_FREE char *text = et_asprintf("%zu run%s of %s %s%s", r->runs,
		r->runs == 1 ? "" : "s", mean, unit, strcmp(mean, "1") ? "s" : "");
	add_sampling(profile, r, &text);
	if (r->runs < 2)
		et_append(&text, "; ", "one run shows no uncertainty: use more%s",
			profile->way == ET_PROFILE_IMPORTED ? "" : " (--runs)");
	else if (r->statements > 1)
		et_append(&text, "; ",
			"±%s holds for all %zu %s together at %g %% (k = %.2f, %zu statements)", of,
			et_profile_seen(p, r), kind, 100 * r->level, r->coverage_factor,
			r->statements);
	else
		et_append(&text, "; ", "± holds for each row by itself at %g %% (k = %.2f)",
			100 * r->level, r->coverage_factor);
	ET_AUTO_FREE char *larger = et_profile_larger_k(r);
	if (larger)
		et_append(&text, "; ", "%s (-v)", larger);
	et_page_paragraph(page, 0, "", NULL, text, DIM);
}

static void print_command(const struct et_profiled *p, size_t c, const struct et_page *page)
{
	const struct et_profile_result *r = &p->results[c];
	size_t shown = et_profile_shown(&p->view, r);

	ET_AUTO_FREE char *answer = et_profile_answer(p, c);
	if (p->n > 1) {
		et_page_paragraph(page, 0, et_name_by_number(c, ET_BUF), DIM,
			p->experiment->commands[c].name, BOLD);
	}
	et_page_paragraph(page, 0, "", NULL, answer, p->n > 1 ? NULL : BOLD);
	if (!r->n_rows)
		return;
	putc('\n', page->out);
	print_table(p, r, shown, page);
	if (shown < r->n_rows)
		print_rest(p, r, shown, page);
	putc('\n', page->out);
	print_basis(p, r, page);
}

/* --- what -v adds: spread, models of it, intervals, modules, losses --- */

static void heading(const struct et_page *page, const char *text)
{
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
}

static void figure_cell(struct et_table *t, double x)
{
	et_table_add(t, "%s", et_profile_number(x, ET_BUF));
}

static void span_cell(struct et_table *t, struct et_span s)
{
	if (isfinite(s.lo) && isfinite(s.hi))
		et_table_add(t, "%s … %s", et_profile_number(s.lo, ET_BUF),
			et_profile_number(s.hi, ET_BUF));
	else
		et_table_add(t, ET_DASH);
}

/* --- the models --- */

/* "√N for 3 of 15, multinomial for 12 of 15 …". */
static void print_holding(const struct et_profile_result *r, const struct et_page *page)
{
	const struct et_profile_verdict *v = &r->models;
	char *text = NULL;

	for (int m = 0; m < ET_PROFILE_MODELS; m++) {
		size_t tested = m == ET_MODEL_QUANTISATION ? v->quantisation_tested : v->tested;
		if (tested)
			et_append(&text, ", ", "%s for %zu of %zu rows", et_profile_model_names[m],
				v->holds[m], tested);
		else
			et_append(&text, ", ", "%s not tested%s", et_profile_model_names[m],
				!v->tested                   ? " (too few runs)"
				: m == ET_MODEL_QUANTISATION ? " (see --calls)"
							     : "");
	}
	et_page_paragraph(page, 2, "* holds:", DIM, text, NULL);
	free(text);
}

static void print_models(const struct et_profile_result *r, const char *unit, size_t shown,
	const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, ""),
		ET_COLUMN(NUMBER, "sd"), ET_COLUMN(NUMBER, "its interval"),
		ET_COLUMN(NUMBER, "IQR/1.349"), ET_COLUMN(NUMBER, "√N "),
		ET_COLUMN(NUMBER, "multinom. "), ET_COLUMN(NUMBER, "quantis. "),
		ET_COLUMN(NUMBER, "and total ") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };

	ET_AUTO_FREE char *title =
		et_asprintf("Spread of the %s per run, and what models predict", unit);
	heading(page, title);
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		et_table_name(&t, et_profile_row_name(row), NULL);
		figure_cell(&t, row->sd);
		span_cell(&t, et_profile_sd_interval(row, NULL));
		figure_cell(&t, row->robust_sd);
		for (int m = 0; m < ET_PROFILE_MODELS; m++)
			et_table_add(&t, "%s%s", et_profile_number(row->predicted.by[m], ET_BUF),
				row->fit.holds[m] ? "*" : " ");
	}
	et_table_print(&t, page);
	print_holding(r, page);
}

static void print_intervals(const struct et_profile_result *r, const char *unit, size_t shown,
	const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, ""),
		ET_COLUMN(NUMBER, "mean"), ET_COLUMN(NUMBER, "u"), ET_COLUMN(NUMBER, "k"),
		ET_COLUMN(NUMBER, "method"), ET_COLUMN(NUMBER, "mean ± k u"),
		ET_COLUMN(NUMBER, "percentile"), ET_COLUMN(NUMBER, "BCa"),
		ET_COLUMN(NUMBER, "pooled %"), ET_COLUMN(NUMBER, "calls"),
		ET_COLUMN(NUMBER, "at entry %") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };

	ET_AUTO_FREE char *title = et_asprintf("Mean %s per run, and intervals of it", unit);
	heading(page, title);
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		et_table_name(&t, et_profile_row_name(row), NULL);
		figure_cell(&t, row->mean);
		figure_cell(&t, row->standard_uncertainty);
		figure_cell(&t, row->coverage_factor);
		et_table_add(&t, "%s", r->runs > 1 ? et_profile_method(row) : ET_DASH);
		span_cell(&t, row->interval);
		span_cell(&t, row->mean_percentile);
		span_cell(&t, row->mean_bca);
		figure_cell(&t, 100 * row->pooled_share);
		figure_cell(&t, row->calls);
		figure_cell(&t, 100 * row->at_entry);
	}
	et_table_print(&t, page);
}

static void print_modules(
	const struct et_profile_result *r, const char *unit, const struct et_page *page)
{
	const struct et_table_column columns[] = { ET_COLUMN(NAME, "module"),
		ET_COLUMN(FIGURE, "self %"), ET_COLUMN(FIGURE, unit, .drop = 2),
		ET_COLUMN(BAR, "", .drop = 1) };
	struct et_table s = { ET_COLUMNS(columns) };

	heading(page, "By module");
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct et_profile_row *row = &r->rows[i];
		et_table_name(&s, row->module, NULL);
		et_table_interval(&s, 100 * row->share, et_percent(row->share_interval), NULL);
		et_table_interval(&s, row->mean, row->interval, NULL);
		et_table_bar(&s, row->share, NULL);
	}
	et_table_print(&s, page);
}

static void print_sampling(const struct et_profiled *p, size_t c, const struct et_page *page)
{
	const struct et_profile *profile = p->experiment->profile;
	const struct et_profile_result *r = &p->results[c];

	heading(page, "How it was sampled");
	ET_AUTO_FREE char *text = et_asprintf("event %s (%s events, call graph %s)", profile->event,
		et_profile_way_names[profile->way], et_chains_names[profile->plan.chains]);
	if (isfinite(r->period_ns))
		et_append(
			&text, ", ", "a sample stands for %.4g ms of CPU time", r->period_ns / 1e6);
	et_append(&text, "; ",
		"%" PRIu64 " samples in %zu runs that count, %zu invalid; lost %" PRIu64
		", not taken in time %" PRIu64 ", throttled %" PRIu64 "; seed %" PRIu64,
		r->samples, r->runs, r->invalid, r->lost, r->overruns, r->throttled,
		p->experiment->plan.seed);
	et_append(&text, "; ", "level of each row %.9g, of bootstrap intervals of means %.9g",
		r->row_level, r->bootstrap_level);
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

/* "first half of the runs: 812 ± 12 samples; second half: 934 ± 15". */
static void print_halves(const struct et_profile_half h[2], int indent, const struct et_page *page)
{
	char mean[2][ET_FIGURE], rest[2][ET_FIGURE];

	for (size_t k = 0; k < 2; k++)
		et_split_figure(h[k].mean, h[k].interval, mean[k], rest[k]);
	et_page_say(page, indent, "", NULL, NULL,
		"samples per run in the first half of the runs %s %s, in the second %s %s", mean[0],
		rest[0], mean[1], rest[1]);
}

static void print_row_warnings(
	const struct et_profile_result *r, size_t shown, const struct et_page *page)
{
	bool any = false;

	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		if (!row->warnings.n)
			continue;
		if (!any)
			heading(page, "Notes on single rows");
		any = true;
		et_page_paragraph(page, 0, "", NULL, et_profile_row_name(row), NULL);
		et_warnings_text(page, 2, &row->warnings);
		if (et_warnings_have(&row->warnings, ET_WARN_PROFILE_DRIFT))
			print_halves(row->halves, 2, page);
	}
}

/* All figures of one command. */
static void print_details(const struct et_profiled *p, size_t command, const struct et_page *page)
{
	const struct et_profile_result *r = &p->results[command];
	const char *unit = et_profile_unit(p->experiment->profile);
	size_t shown = et_profile_shown(&p->view, r);

	if (!r->n_rows)
		return;
	print_models(r, unit, shown, page);
	print_intervals(r, unit, shown, page);
	if (p->modules)
		print_modules(&p->modules[command], unit, page);
	print_sampling(p, command, page);
	if (et_warnings_have(&r->warnings, ET_WARN_PROFILE_DRIFT))
		print_halves(r->total_halves, 0, page);
	print_row_warnings(r, shown, page);
}

/* --- all of it --- */

static void print_all_warnings(const struct et_profiled *p, const struct et_page *page)
{
	for (size_t c = 0; c < p->n; c++)
		et_warnings_text(page, 0, &p->results[c].warnings);
	if (p->compared)
		et_warnings_text(page, 0, &p->comparison.warnings);
	et_warnings_text(page, 0, &p->warnings);
}

static void print_answers(const struct et_profiled *p, const struct et_page *page)
{
	for (size_t c = 0; c < (p->compared ? 1 : p->n); c++) {
		ET_AUTO_FREE char *answer =
			p->compared ? et_profile_changes_answer(p) : et_profile_answer(p, c);
		et_page_paragraph(page, 0, "", NULL, answer, BOLD);
	}
}

size_t et_profile_text(const struct et_profiled *p, const struct et_text_options *o, FILE *out)
{
	/* Templates have names of hundreds of columns: a file gets a wide page, no endless one. */
	enum { WIDE = 120 };
	struct et_page page = {
		.out = out, .width = o->full_names ? WIDE : o->width, .color = o->color
	};
	size_t left = 0;

	if (o->quiet && !o->verbose) {
		print_answers(p, &page);
		return 0;
	}
	if (p->compared)
		et_profile_changes(p, &page);
	for (size_t c = 0; c < p->n && (!p->compared || o->verbose); c++) {
		if (c || p->compared)
			putc('\n', out);
		print_command(p, c, &page);
		if (o->verbose)
			print_details(p, c, &page);
	}
	struct et_memstream stream;
	struct et_page notes = page;
	notes.out = et_memstream_open(&stream);
	if (o->verbose)
		print_all_warnings(p, &notes);
	else
		left = et_profile_notes(p, &notes, NOTE_LINES);
	ET_AUTO_FREE char *text = et_memstream_close(&stream);
	fprintf(out, "%s%s", *text ? "\n" : "", text);
	return left;
}
