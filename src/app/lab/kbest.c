/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab kbest-accuracy` */
#include "app/lab/kbest.h"
#include "num/quantile.h"

/* The errors for which the summary prints how far each method reaches. */
static const double ENOUGH_SHARE = 0.8; /* of the CPU time that the load leaves */
static const double goals[] = { 0.001, 0.01 };

/* --- errors --- */

double et_kbest_our_error(const void *cell)
{
	const struct et_accuracy_cell *c = cell;

	return c->ours_ns / c->ours_truth_ns - 1;
}

/* The true time of the fastest call of the chapter's scheme. */
static double truth_of(const void *cell)
{
	const struct et_accuracy_cell *c = cell;
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
	struct et_kbest_answers q = { 0 };
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
	q.median_calls = et_median(calls, q.converged);
	return q;
}

/* --- text --- */

static void error_cell(struct et_table *t, double error, bool converged)
{
	char buf[ET_FIGURE];

	et_table_add(t, "%s%c", et_format_error(error, buf), converged || isnan(error) ? ' ' : '*');
}

/* The errors of schemes for each length; ours: also those of libetalon and of the line. */
static void print_errors(const struct et_kbest_accuracy *a, unsigned load,
	const struct et_scheme *schemes, size_t n, bool ours, const struct et_page *page)
{
	static const char *const titles[] = { "etalon ", "its \u00b1 ", "T(r) " };
	struct et_table t = { .split = true };
	char buf[ET_FIGURE];

	et_table_column(&t, ET_TABLE_NUMBER, "length");
	for (const struct et_scheme *s = schemes; s < schemes + n; s++) {
		snprintf(buf, sizeof(buf), "K=%u%s ", s->k,
			s->compensated                   ? "-t"
			: ours && s->by == ET_TIMED_WALL ? " td"
							 : "");
		et_table_column(&t, ET_TABLE_NUMBER, buf);
	}
	for (size_t i = 0; ours && i < ET_LENGTH(titles); i++)
		et_table_column(&t, ET_TABLE_NUMBER, titles[i]);
	for (const struct et_accuracy_cell *c = a->cells; c < a->cells + a->n_cells; c++) {
		if (c->load != load)
			continue;
		et_table_add(&t, "%s", et_format_rounded((double)c->length_ns, 3, buf));
		for (size_t k = 0; k < n; k++) {
			struct et_scheme_result v = et_scheme_judge(&schemes[k], c, a);
			error_cell(&t, v.error, v.converged);
		}
		if (!ours)
			continue;
		error_cell(&t, et_kbest_our_error(c), c->ours_converged);
		error_cell(&t, c->ours_error_ns / c->ours_ns, true);
		error_cell(&t, truth_of(c) / c->fit_ns - 1, true);
	}
	et_lab_table(&t, page);
}

static void print_load(const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page)
{
	const struct et_scheme schemes[] = { { ET_TIMED_COUNTER, false, 1 },
		{ ET_TIMED_COUNTER, false, 3 }, { ET_TIMED_COUNTER, false, 5 },
		{ ET_TIMED_COUNTER, true, a->k }, { ET_TIMED_WALL, false, a->k } };
	char share[ET_FIGURE];

	et_lab_heading(page, "load %u: the timed thread got %s of the CPU", load,
		et_format_percent(et_accuracy_share(a, load), share));
	print_errors(a, load, schemes, ET_LENGTH(schemes), true, page);
}

/* Prints K = 1 to 5 by each clock, without and with compensation. */
static void print_all_k(
	const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page)
{
	for (enum et_timed_by by = 0; by < ET_TIMED_BYS; by++) {
		const struct et_scheme schemes[] = { { by, false, 1 }, { by, false, 2 },
			{ by, false, 3 }, { by, false, 4 }, { by, false, 5 }, { by, true, 1 },
			{ by, true, 3 }, { by, true, 5 } };

		et_lab_heading(page, "load %u, by %s", load, et_timed_by_names[by]);
		print_errors(a, load, schemes, ET_LENGTH(schemes), false, page);
	}
}

/* The length up to which every error is within the goal; 0: not even that of the first. */
static double within(const struct et_kbest_accuracy *a, unsigned load, double goal, bool ours)
{
	double longest = 0;

	for (const struct et_accuracy_cell *c = a->cells; c < a->cells + a->n_cells; c++) {
		if (c->load != load)
			continue;
		if (!(fabs(ours ? et_kbest_our_error(c) : et_kbest_by_counter(a, c).error) <= goal))
			break;
		longest = (double)c->length_ns;
	}
	return longest;
}

static void print_summary(
	const struct et_kbest_accuracy *a, unsigned load, const struct et_page *page)
{
	double share = et_accuracy_share(a, load), wanted = 1 / fmax(load, 1);
	char goal[ET_FIGURE], plain[ET_FIGURE], ours[ET_FIGURE];

	for (size_t i = 0; i < ET_LENGTH(goals); i++) {
		double p = within(a, load, goals[i], false), o = within(a, load, goals[i], true);
		et_lab_item(page, 2, "",
			"load %2u, error within %s: K=%u up to %s, etalon up to %s", load,
			et_format_percent(goals[i], goal), a->k,
			p > 0 ? et_format_rounded(p, 3, plain) : ET_DASH,
			o > 0 ? et_format_rounded(o, 3, ours) : ET_DASH);
	}
	/* A load is that of the study alone only if the timed thread got its share of the CPU. */
	if (share < ENOUGH_SHARE * wanted)
		et_lab_item(page, 2, "",
			"load %2u: the timed thread got %s of the CPU, not %s: other programs ran, "
			"so that the load was higher",
			load, et_format_percent(share, plain), et_format_percent(wanted, ours));
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
	const struct et_accuracy_line *l = &a->line;
	char slope[ET_FIGURE], intercept[ET_FIGURE], error[ET_FIGURE];

	if (v->chosen) {
		et_kbest_figure_text(a, v->figure, page);
		return;
	}
	et_lab_heading(page, "up to which length is it right?");
	each_load(a, print_summary, page);
	each_load(a, print_answers, page);
	if (!isnan(l->slope_ns))
		et_lab_item(page, 2, "",
			"T(r) = %s r %s %s, largest error %s (r = %.0f \u2026 %.0f blocks, without "
			"load)",
			et_format_rounded(l->slope_ns, 5, slope), l->intercept_ns < 0 ? "-" : "+",
			et_format_rounded(fabs(l->intercept_ns), 3, intercept),
			et_format_percent(l->max_error, error), l->r_from, l->r_to);
	putc('\n', page->out);
	if (v->all) {
		each_load(a, print_load, page);
		each_load(a, print_all_k, page);
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

ET_FIELDS(scheme_fields, ET_KEY_NAME(et_scheme_result, "clock", scheme.by, et_timed_by_names),
	ET_KEY(et_scheme_result, "compensated", scheme.compensated),
	ET_KEY(et_scheme_result, "k", scheme.k),
	ET_KEYS(et_scheme_result, ns, truth_ns, error, converged, calls),
	ET_KEY(et_scheme_result, "predicted_error", predicted));

static double said_of(const void *cell)
{
	const struct et_accuracy_cell *c = cell;

	return c->ours_error_ns / c->ours_ns;
}

ET_FIELDS(cell_fields, ET_KEYS(et_accuracy_cell, load, length_ns),
	ET_KEY(et_accuracy_cell, "calls", n_calls), ET_KEY_OF("truth_ns", truth_of),
	ET_KEYS(et_accuracy_cell, fit_ns, fit_error_ns),
	ET_KEY_GROUP("etalon",
		ET_TABLE(ET_KEY(et_accuracy_cell, "ns", ours_ns),
			ET_KEY(et_accuracy_cell, "truth_ns", ours_truth_ns),
			ET_KEY_OF("error", et_kbest_our_error), ET_KEY_OF("said", said_of),
			ET_KEY(et_accuracy_cell, "converged", ours_converged)),
		.flat = true),
	ET_KEY_LIST(et_accuracy_cell, "calls_in_order", calls, n_calls,
		ET_TABLE(ET_KEYS(et_timed_call, counter_ns),
			ET_KEY(et_timed_call, "gettimeofday_ns", wall_ns),
			ET_KEYS(et_timed_call, truth_ns),
			ET_KEY(et_timed_call, "timer_interrupts", ticks_met)),
		.flat = true));

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
	for (const struct et_accuracy_cell *c = a->cells; c < a->cells + a->n_cells; c++) {
		et_json_object(w, NULL);
		et_fields_write(w, cell_fields, c);
		et_json_array(w, "schemes");
		for (unsigned i = 0; i < ET_TIMED_BYS * 2 * ET_ACCURACY_MAX_K; i++) {
			struct et_scheme s = { i / (2 * ET_ACCURACY_MAX_K),
				i / ET_ACCURACY_MAX_K % 2, i % ET_ACCURACY_MAX_K + 1 };
			struct et_scheme_result v = et_scheme_judge(&s, c, a);
			et_fields_flat(w, NULL, scheme_fields, &v);
		}
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
}

ET_FIELDS(fields, ET_KEYS(et_kbest_accuracy, epsilon, k, tick_ns),
	ET_KEY(et_kbest_accuracy, "timer_interrupt_min_ns", cost_ns),
	ET_KEY_FLAT(et_kbest_accuracy, "line", line,
		ET_TABLE(ET_KEYS(et_accuracy_line, slope_ns, intercept_ns, max_error))),
	ET_KEY_MADE("loads", write_loads), ET_KEY_MADE("cases", write_cases));

/* --- steps --- */

static int time_schemes(struct et_lab_request *r, struct et_experiment *e, struct et_error *err)
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
	return et_kbest_accuracy_run(&o, e, err);
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

static void draw(const void *result, const struct et_chart_to *to)
{
	const struct et_kbest_view *v = result;

	et_kbest_figure_draw(&v->accuracy, v->figure, to);
}

const struct et_lab et_lab_kbest = { .size = sizeof(struct et_kbest_view),
	.time = time_schemes,
	.read_as = read_view,
	.fields = ET_TABLE(ET_KEYS_OF(et_kbest_view, accuracy, fields)),
	.text = print_text,
	.draw = draw,
	.free = et_kbest_accuracy_free };
