/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab kbest-accuracy` */
#include "app/lab/kbest.h"
#include "base/alloc.h"
#include "model/experiment/field_rows.h"
#include "num/quantile.h"

#include <math.h>

/* The errors for which the summary prints how far each method reaches. */
static const double ENOUGH_SHARE = 0.8; /* of the CPU time that the load leaves */
static const double goals[] = { 0.001, 0.01 };

/* --- errors --- */

double et_kbest_scheme_error(
	const struct et_kbest_accuracy *a, const struct et_accuracy_cell *c, struct et_scheme s)
{
	return et_scheme_judge(&s, c, a).error;
}

double et_kbest_our_error(const struct et_accuracy_cell *c)
{
	return c->ours_ns / c->ours_truth_ns - 1;
}

/* The true time of the fastest call of the chapter's scheme. */
static double truth_of(const struct et_accuracy_cell *c)
{
	double least = NAN;

	for (size_t i = 0; i < c->n_calls; i++)
		least = fmin(least, c->calls[i].truth_ns);
	return least;
}

struct et_scheme_result et_kbest_by_counter(
	const struct et_kbest_accuracy *a, const struct et_accuracy_cell *c)
{
	struct et_scheme s = { ET_TIMED_COUNTER, false, a->k };

	return et_scheme_judge(&s, c, a);
}

struct et_kbest_answers et_kbest_answers_of(const struct et_kbest_accuracy *a, unsigned load)
{
	struct et_kbest_answers q = { .median_calls = NAN };
	ET_AUTO_FREE double *calls = et_calloc(a->n_cells + 1, sizeof(*calls));

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if (c->load != load || !c->n_calls)
			continue;
		struct et_scheme_result v = et_kbest_by_counter(a, c);
		q.cases++;
		if (!v.converged)
			continue;
		calls[q.converged++] = (double)v.calls;
		q.predicted = fmax(q.predicted, v.predicted);
		q.worst = fmax(q.worst, fabs(v.error));
	}
	et_sort(calls, q.converged);
	if (q.converged)
		q.median_calls = et_median_sorted(calls, q.converged);
	return q;
}

/* --- text --- */

static void error_cell(struct et_table *t, double error, bool converged)
{
	char buf[ET_FIGURE];

	et_table_add(t, "%s%c", et_format_error(error, buf), converged || isnan(error) ? ' ' : '*');
}

/* The columns of schemes, each with its title. */
struct schemes {
	struct et_scheme list[2 * ET_ACCURACY_MAX_K];
	size_t n;
};

static void add_scheme(
	struct schemes *s, struct et_table *t, struct et_scheme scheme, const char *mark)
{
	ET_AUTO_FREE char *title = et_asprintf("K=%u%s ", scheme.k, mark);

	et_table_column(t, ET_TABLE_NUMBER, title);
	s->list[s->n++] = scheme;
}

/* The errors of the schemes for each length; ours: also those of libetalon and of the line. */
static void print_errors(const struct et_kbest_accuracy *a, unsigned load, const struct schemes *s,
	struct et_table *t, bool ours, const struct et_page *page)
{
	char buf[ET_FIGURE];

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if (c->load != load)
			continue;
		et_table_add(t, "%s", et_format_rounded((double)c->length_ns, 3, buf));
		for (size_t k = 0; k < s->n; k++) {
			struct et_scheme_result v = et_scheme_judge(&s->list[k], c, a);
			error_cell(t, v.error, v.converged);
		}
		if (!ours)
			continue;
		error_cell(t, et_kbest_our_error(c), c->ours_converged);
		error_cell(t, c->ours_error_ns / c->ours_ns, true);
		error_cell(t, truth_of(c) / c->fit_ns - 1, true);
	}
	et_lab_table(t, page);
}

static void print_load(const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page)
{
	static const char *const ours[] = { "etalon ", "its \u00b1 ", "T(r) " };
	struct et_table t = { .split = true };
	struct schemes s = { .n = 0 };
	char share[ET_FIGURE];

	et_lab_heading(page, "load %u: the timed thread got %s of the CPU", load,
		et_format_percent(et_accuracy_share(a, load), share));
	et_table_column(&t, ET_TABLE_NUMBER, "length");
	for (unsigned k = 1; k <= ET_ACCURACY_MAX_K; k += 2)
		add_scheme(&s, &t, (struct et_scheme){ ET_TIMED_COUNTER, false, k }, "");
	add_scheme(&s, &t, (struct et_scheme){ ET_TIMED_COUNTER, true, a->k }, "-t");
	add_scheme(&s, &t, (struct et_scheme){ ET_TIMED_WALL, false, a->k }, " td");
	for (size_t i = 0; i < ET_LENGTH(ours); i++)
		et_table_column(&t, ET_TABLE_NUMBER, ours[i]);
	print_errors(a, load, &s, &t, true, page);
}

/* Prints K = 1 to 5 by one clock, without and with compensation. */
static void print_all_k(const struct et_kbest_accuracy *a, unsigned load, enum et_timed_by by,
	const struct et_page *page)
{
	struct et_table t = { .split = true };
	struct schemes s = { .n = 0 };

	et_lab_heading(page, "load %u, by %s", load, et_timed_by_names[by]);
	et_table_column(&t, ET_TABLE_NUMBER, "length");
	for (unsigned k = 1; k <= ET_ACCURACY_MAX_K; k++)
		add_scheme(&s, &t, (struct et_scheme){ by, false, k }, "");
	for (unsigned k = 1; k <= ET_ACCURACY_MAX_K; k += 2)
		add_scheme(&s, &t, (struct et_scheme){ by, true, k }, "-t");
	print_errors(a, load, &s, &t, false, page);
}

/* The length up to which every error is within the goal; 0: not even that of the first. */
static double within(const struct et_kbest_accuracy *a, unsigned load, double goal, bool ours)
{
	const struct et_scheme scheme = { ET_TIMED_COUNTER, false, a->k };
	double longest = 0;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if (c->load != load)
			continue;
		if (!(fabs(ours ? et_kbest_our_error(c) : et_kbest_scheme_error(a, c, scheme)) <=
			    goal))
			break;
		longest = (double)c->length_ns;
	}
	return longest;
}

/* A load is that of the study alone only if the timed thread got its share of the CPU. */
static void print_share(
	const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page)
{
	double share = et_accuracy_share(a, load), wanted = 1 / fmax(load, 1);
	char got[ET_FIGURE], of[ET_FIGURE];

	if (!(share < ENOUGH_SHARE * wanted))
		return;
	et_lab_item(page, 2, "",
		"load %2u: the timed thread got %s of the CPU, not %s: other programs ran, "
		"so that the load was higher",
		load, et_format_percent(share, got), et_format_percent(wanted, of));
}

static void print_summary(
	const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page)
{
	char goal[ET_FIGURE], plain[ET_FIGURE], ours[ET_FIGURE];

	for (size_t i = 0; i < ET_LENGTH(goals); i++) {
		double p = within(a, load, goals[i], false), o = within(a, load, goals[i], true);
		et_lab_item(page, 2, "",
			"load %2u, error within %s: K=%u up to %s, etalon up to %s", load,
			et_format_percent(goals[i], goal), a->k,
			p > 0 ? et_format_rounded(p, 3, plain) : ET_DASH,
			o > 0 ? et_format_rounded(o, 3, ours) : ET_DASH);
	}
	print_share(a, load, page);
}

/* Calls fn once per load. */
static void each_load(const struct et_kbest_accuracy *a,
	void (*fn)(const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page),
	const struct et_page *page)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		if (et_kbest_first_of_load(a, i))
			fn(a, a->cells[i].load, page);
	}
}

static void print_all(const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page)
{
	for (int by = 0; by < ET_TIMED_BYS; by++)
		print_all_k(a, load, (enum et_timed_by)by, page);
}

/* Question 2: when and how quickly it converges. Question 3: whether it knows its own error. */
static void print_answers(
	const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page)
{
	struct et_kbest_answers q = et_kbest_answers_of(a, load);
	char predicted[ET_FIGURE], worst[ET_FIGURE];

	if (!q.cases)
		return;
	ET_AUTO_FREE char *rest =
		q.converged ? et_asprintf(", after %.0f calls (median); it predicted an error of "
					  "up to %s there "
					  "and was off by up to %s",
				      q.median_calls, et_format_percent(q.predicted, predicted),
				      et_format_percent(q.worst, worst))
			    : et_strdup("");
	et_lab_item(page, 2, "", "load %2u: K=%u agreed for %zu of %zu lengths%s", load, a->k,
		q.converged, q.cases, rest);
}

static void print_line(const struct et_kbest_accuracy *a, const struct et_page *page)
{
	char slope[ET_FIGURE], intercept[ET_FIGURE], error[ET_FIGURE];
	const struct et_accuracy_line *l = &a->line;

	if (isnan(l->slope_ns))
		return;
	et_lab_item(page, 2, "",
		"T(r) = %s r %s %s, largest error %s (r = %.0f \u2026 %.0f blocks, without load)",
		et_format_rounded(l->slope_ns, 5, slope), l->intercept_ns < 0 ? "-" : "+",
		et_format_rounded(fabs(l->intercept_ns), 3, intercept),
		et_format_percent(l->max_error, error), l->r_from, l->r_to);
}

static void print_notes(const struct et_kbest_accuracy *a, const struct et_page *page)
{
	char interval[ET_FIGURE], cost[ET_FIGURE], epsilon[ET_FIGURE];

	et_lab_text(page,
		"Errors in %%: measured / true - 1. K=: the scheme of Bryant & O'Hallaron, the "
		"fastest of K calls within %s of each other, by the counter. -t: minus the "
		"smallest cost of a timer interrupt, here %s, for each that the call met (one "
		"every %s). td: by gettimeofday. *: did not converge. etalon: libetalon; its "
		"\u00b1: the error that it predicted. The function itself measures its true time, "
		"without interruptions. T(r): difference of the true time from a line fitted to "
		"short runs just before, which shows how much the speed of the core changes.",
		et_format_percent(a->epsilon, epsilon), et_format_rounded(a->cost_ns, 3, cost),
		et_format_rounded(a->tick_ns, 3, interval));
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_kbest_view *v = result;
	const struct et_kbest_accuracy *a = &v->accuracy;

	if (v->chosen) {
		et_kbest_figure_text(a, v->figure, page);
		return;
	}
	et_lab_heading(page, "up to which length is it right?");
	each_load(a, print_summary, page);
	each_load(a, print_answers, page);
	print_line(a, page);
	putc('\n', page->out);
	if (v->all) {
		each_load(a, print_load, page);
		each_load(a, print_all, page);
	}
	et_kbest_figure_text(a, ET_KBEST_BY_LOAD, page);
	if (v->all) {
		print_notes(a, page);
		return;
	}
	et_lab_text(page,
		"The function itself measures its true time. K=: the scheme of Bryant & "
		"O'Hallaron; etalon: libetalon. -v prints all errors; --figure 9.11, 9.12, 9.15, "
		"9.16, 9.22, convergence and predicted draw the others.");
}

/* --- JSON --- */

static void write_scheme(struct et_json *w, const struct et_kbest_accuracy *a,
	const struct et_accuracy_cell *c, const struct et_scheme *s)
{
	struct et_scheme_result v = et_scheme_judge(s, c, a);

	et_json_flat_object(w, NULL);
	et_json_string(w, "clock", et_timed_by_names[s->by]);
	et_json_bool(w, "compensated", s->compensated);
	et_json_u64(w, "k", s->k);
	et_json_double(w, "ns", v.ns);
	et_json_double(w, "truth_ns", v.truth_ns);
	et_json_double(w, "error", v.error);
	et_json_bool(w, "converged", v.converged);
	et_json_u64(w, "calls", v.calls);
	et_json_double(w, "predicted_error", v.predicted);
	et_json_end(w);
}

static const struct et_field call_fields[] = {
	ET_KEYS(et_timed_call, counter_ns),
	ET_KEY(et_timed_call, "gettimeofday_ns", wall_ns),
	ET_KEYS(et_timed_call, truth_ns),
	ET_KEY(et_timed_call, "timer_interrupts", ticks_met),
	{ 0 },
};

static void write_cell(
	struct et_json *w, const struct et_kbest_accuracy *a, const struct et_accuracy_cell *c)
{
	et_json_object(w, NULL);
	et_json_u64(w, "load", c->load);
	et_json_u64(w, "length_ns", c->length_ns);
	et_json_u64(w, "calls", c->n_calls);
	et_json_double(w, "truth_ns", truth_of(c));
	et_json_double(w, "fit_ns", c->fit_ns);
	et_json_double(w, "fit_error_ns", c->fit_error_ns);
	et_json_flat_object(w, "etalon");
	et_json_double(w, "ns", c->ours_ns);
	et_json_double(w, "truth_ns", c->ours_truth_ns);
	et_json_double(w, "error", et_kbest_our_error(c));
	et_json_double(w, "said", c->ours_error_ns / c->ours_ns);
	et_json_bool(w, "converged", c->ours_converged);
	et_json_end(w);
	et_fields_list(w, "calls_in_order", call_fields, c->calls, c->n_calls, sizeof(*c->calls));
	et_json_array(w, "schemes");
	for (int by = 0; by < ET_TIMED_BYS; by++) {
		for (unsigned i = 0; i < 2 * ET_ACCURACY_MAX_K; i++) {
			struct et_scheme s = { (enum et_timed_by)by, i >= ET_ACCURACY_MAX_K,
				i % ET_ACCURACY_MAX_K + 1 };
			write_scheme(w, a, c, &s);
		}
	}
	et_json_end(w);
	et_json_end(w);
}

static void write_loads(struct et_json *w, const char *key, const void *at)
{
	const struct et_kbest_accuracy *a = at;

	et_json_array(w, key);
	for (size_t i = 0; i < a->n_cells; i++) {
		if (!et_kbest_first_of_load(a, i))
			continue;
		et_json_flat_object(w, NULL);
		et_json_u64(w, "load", a->cells[i].load);
		et_json_double(w, "cpu_share", et_accuracy_share(a, a->cells[i].load));
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_cases(struct et_json *w, const char *key, const void *at)
{
	const struct et_kbest_accuracy *a = at;

	et_json_array(w, key);
	for (size_t i = 0; i < a->n_cells; i++)
		write_cell(w, a, &a->cells[i]);
	et_json_end(w);
}

static const struct et_field fields[] = {
	ET_KEYS(et_kbest_accuracy, epsilon, k, tick_ns),
	ET_KEY(et_kbest_accuracy, "timer_interrupt_min_ns", cost_ns),
	ET_KEY_FLAT(et_kbest_accuracy, "line", line,
		ET_TABLE(ET_KEYS(et_accuracy_line, slope_ns, intercept_ns, max_error))),
	ET_KEY_MADE("loads", write_loads),
	ET_KEY_MADE("cases", write_cases),
	{ 0 },
};

/* --- steps --- */

static int time_schemes(struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	static const struct et_lab_grid usual = { .loads = { 1, 2, 4, 11 },
		.n_loads = 4,
		.lengths_ns = { 300000, 1000000, 2000000, 4000000, 8000000, 16000000, 36000000,
			50000000 },
		.n_lengths = 8,
		.runs = 30 };
	const struct et_lab_measure *m = &r->measure;
	struct et_kbest_accuracy_options o = { .grid = et_lab_grid(r, &usual),
		.epsilon = r->given & ET_LAB_EPSILON ? m->epsilon : 0.001,
		.k = r->given & ET_LAB_BEST ? m->best : 3,
		.progress = r->simulation.progress };

	if (r->given & ET_LAB_MAX_RUNS)
		o.grid.runs = m->max_runs;
	return et_kbest_accuracy_run(&o, out, err);
}

/* K, epsilon and M judge the calls, so they also apply to a stored experiment. */
static int read_view(const struct et_lab_request *r, const struct et_experiment *e, void *result,
	struct et_error *err)
{
	const struct et_lab_measure *m = &r->measure;
	struct et_kbest_view *v = result;
	struct et_kbest_accuracy *a = &v->accuracy;
	int rc = et_kbest_accuracy_read(e, a, err);

	if (rc)
		return rc;
	if (r->given & ET_LAB_EPSILON)
		a->epsilon = m->epsilon;
	if (r->given & ET_LAB_BEST)
		a->k = m->best;
	for (size_t i = 0; r->given & ET_LAB_MAX_RUNS && i < a->n_cells; i++) {
		if (a->cells[i].n_calls > m->max_runs)
			a->cells[i].n_calls = m->max_runs;
	}
	v->all = r->cli->verbosity > 0;
	v->chosen = r->given & ET_LAB_FIGURE;
	v->figure = v->chosen ? (enum et_kbest_figure)m->figure : ET_KBEST_BY_LOAD;
	return 0;
}

static void draw_svg(const void *result, FILE *out)
{
	const struct et_kbest_view *v = result;

	et_kbest_figure_svg(&v->accuracy, v->figure, out);
}

static void free_view(void *result)
{
	et_kbest_accuracy_free(&((struct et_kbest_view *)result)->accuracy);
}

const struct et_lab et_lab_kbest = { .size = sizeof(struct et_kbest_view),
	.time = time_schemes,
	.read_as = read_view,
	.fields = ET_TABLE(ET_KEYS_OF(et_kbest_view, accuracy, fields)),
	.text = print_text,
	.svg = draw_svg,
	.free = free_view };
