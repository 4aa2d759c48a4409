/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/profile_treatment.h"
#include "base/parse.h"
#include "dist/dist.h"
#include "num/num.h"
#include "stats/profile/profile.h"

#include <assert.h>

/* --- counting by categories --- */

/* Returns the category of a function; n if it has none. */
static uint32_t category_of(const struct et_category *categories, size_t n, const char *name)
{
	uint32_t rest = (uint32_t)n;

	for (uint32_t i = 0; i < n; i++) {
		const char *const *f = categories[i].functions;
		if (!*f)
			rest = i;
		for (; f < categories[i].functions + ET_LENGTH(categories->functions) && *f; f++) {
			if (!strcmp(*f, name))
				return i;
		}
	}
	return rest;
}

/* An experiment of one command, whose functions are the categories. */
static struct et_experiment *make_collapsed(const struct et_category *categories, size_t n)
{
	struct et_experiment *e = et_experiment_new();

	e->protocol = ET_PROTOCOL_RAW;
	e->profile = et_profile_new(&et_default_profile_plan);
	et_experiment_add_command(e, et_strdup("treatment"), et_strv_of("treatment", NULL));
	for (size_t i = 0; i < n; i++) {
		uint32_t f = et_profile_function_of(
			e->profile, categories[i].name, "lab", ET_SPACE_USER, false);
		et_profile_node_of(e->profile, ET_PROFILE_ROOT, f);
		if (isfinite(categories[i].calls))
			et_profile_set_calls(e->profile, 0, f, categories[i].calls);
	}
	return e;
}

static void add_run(struct et_experiment *to, const struct et_profile *from,
	const struct et_profile_run *run, const uint32_t *category, size_t n)
{
	struct et_profile_run copy = *run;
	uint32_t place = (uint32_t)to->profile->n_runs + 1;

	copy.samples = 0;
	copy.counts = NULL;
	copy.n_counts = 0;
	for (size_t i = 0; i < run->n_counts; i++) {
		uint32_t function = from->nodes[run->counts[i].node].function;
		if (function == ET_PROFILE_NONE || category[function] >= n)
			continue;
		/* Node 0 is the root, node i + 1 is category i. */
		et_profile_run_add(&copy, category[function] + 1, run->counts[i].samples,
			run->counts[i].at_entry);
	}
	struct et_sample s = { .place = { .order = place, .round = place } };
	s.measured.cpu_ns = s.measured.elapsed_ns = ET_UNKNOWN;
	s.measured.profile = &copy;
	et_experiment_add(to, &s);
	free(copy.counts);
}

static struct et_experiment *collapse(const struct et_experiment *e, uint32_t command,
	const struct et_category *categories, size_t n)
{
	const struct et_profile *p = e->profile;
	ET_AUTO_FREE uint32_t *category = et_calloc(p->n_functions + 1, sizeof(*category));
	struct et_experiment *out = make_collapsed(categories, n);

	for (size_t f = 0; f < p->n_functions; f++)
		category[f] = category_of(categories, n, p->functions[f].name);
	for (size_t i = 0; i < p->n_runs; i++) {
		if (p->runs[i].command == command && !p->runs[i].warmup)
			add_run(out, p, &p->runs[i], category, n);
	}
	return out;
}

/* --- figures --- */

double et_dithered_autocorrelation(const double *counts, size_t n, uint64_t seed)
{
	ET_AUTO_FREE double *x = et_calloc(n + 1, sizeof(*x));
	struct et_rng rng;
	bool varies = false;

	et_rng_seed(&rng, seed, 0);
	for (size_t i = 0; i < n; i++) {
		x[i] = counts[i] + et_rng_uniform(&rng) - 0.5;
		varies = varies || counts[i] != counts[0];
	}
	return varies ? et_autocorrelation(x, n, 1) : NAN;
}

void et_group_coverage(const double *counts, size_t n, size_t size, struct et_group_coverage *out)
{
	*out = (struct et_group_coverage){ 0 };
	if (size < 2)
		return;
	size_t groups = n / size;
	double all = et_mean(counts, groups * size);
	for (size_t g = 0; g < groups; g++) {
		const double *x = counts + g * size;
		double half = et_qt(0.975, (double)size - 1) * et_sd(x, size) / sqrt((double)size);
		out->groups++;
		out->covered += fabs(et_mean(x, size) - all) <= half;
	}
}

/* The counts of a category in the runs that count, in their order. */
static void fill_counts(const struct et_experiment *e, struct et_profile_treatment *t)
{
	size_t r = 0;

	t->counts = et_calloc(t->n_cells * t->runs + 1, sizeof(*t->counts));
	for (size_t i = 0; i < e->profile->n_runs; i++) {
		const struct et_profile_run *run = &e->profile->runs[i];
		if (run->throttled || run->lost || r == t->runs)
			continue;
		for (size_t c = 0; c < run->n_counts; c++)
			t->counts[(run->counts[c].node - 1) * t->runs + r] =
				(double)run->counts[c].samples;
		r++;
	}
}

static void fill_cells(const struct et_experiment *collapsed, const struct et_profile_result *r,
	const struct et_category *categories, const struct et_treatment_options *o,
	struct et_profile_treatment *t)
{
	for (size_t i = 0; i < t->n_cells; i++) {
		/* A category that no run saw has no row: its count is 0. */
		t->cells[i] = (struct et_treatment_cell){ .name = categories[i].name,
			.sd_interval = { NAN, NAN },
			.share = NAN,
			.share_interval = { NAN, NAN },
			.predicted.by = { NAN, NAN, NAN, NAN },
			.expanded = r->runs > 1 ? et_profile_bound_of_zeros(
							  (double)r->runs, r->row_level)
						: NAN,
			.interval = NAN,
			.r1 = NAN };
	}
	for (const struct et_profile_row *row = r->rows; row < r->rows + r->n_rows; row++) {
		struct et_treatment_cell *c = &t->cells[row->function];
		c->mean = row->mean;
		c->expanded = row->expanded_uncertainty;
		c->sd = row->sd;
		c->robust_sd = row->robust_sd;
		c->sd_interval = row->sd_percentile;
		c->predicted = row->predicted;
	}
	fill_counts(collapsed, t);
	for (size_t i = 0; i < t->n_cells && t->runs >= ET_TREATMENT_ENOUGH; i++)
		t->cells[i].r1 =
			et_dithered_autocorrelation(t->counts + i * t->runs, t->runs, o->seed + i);
}

/* The uncertainty of each mean by itself. */
static void fill_intervals(const struct et_experiment *collapsed, struct et_profile_treatment *t)
{
	struct et_profile_options options = { .statements = 1 };
	struct et_profile_result r;

	et_profile_judge(collapsed, 0, &options, &r);
	for (size_t i = 0; i < t->n_cells && r.runs > 1; i++)
		t->cells[i].interval = et_profile_bound_of_zeros((double)r.runs, r.row_level);
	for (size_t i = 0; i < r.n_rows; i++)
		t->cells[r.rows[i].function].interval = r.rows[i].expanded_uncertainty;
	et_profile_result_free(&r);
}

/*
 * Shares vary less than counts, because the length of a run does not matter. They are of the
 * samples in the functions under test: starting a program is no part of the experiment.
 */
static void fill_shares(
	const struct et_experiment *under_test, size_t n, struct et_profile_treatment *t)
{
	struct et_profile_options options = { .statements = n };
	struct et_profile_result r;
	const struct et_profile *p = under_test->profile;

	et_profile_judge(under_test, 0, &options, &r);
	for (size_t i = 0; i < p->n_runs; i++)
		t->without_share +=
			!p->runs[i].samples && !p->runs[i].throttled && !p->runs[i].lost;
	for (size_t i = 0; i < n && r.samples; i++) {
		t->cells[i].share = 0;
		if (t->runs - t->without_share > 1)
			t->cells[i].share_interval = (struct et_span){ 0,
				fmin(1, et_profile_bound_of_zeros(
						(double)r.samples, r.row_level)) };
	}
	for (size_t i = 0; i < r.n_rows; i++) {
		struct et_treatment_cell *c = &t->cells[r.rows[i].function];
		c->share = r.rows[i].share;
		c->share_interval = r.rows[i].share_interval;
	}
	et_profile_result_free(&r);
}

void et_treatment_judge(const struct et_experiment *e, uint32_t command,
	const struct et_category *categories, size_t n, const struct et_treatment_options *o,
	struct et_profile_treatment *out)
{
	size_t under_test = o->under_test && o->under_test < n ? o->under_test : n;
	struct et_experiment *collapsed = collapse(e, command, categories, n);
	struct et_experiment *part = collapse(e, command, categories, under_test);
	struct et_profile_options options = {
		.statements = o->statements, .replicates = o->replicates, .seed = o->seed
	};
	struct et_profile_result r;

	et_profile_judge(collapsed, 0, &options, &r);
	*out = (struct et_profile_treatment){ .instrument = e->profile->event,
		.x = NAN,
		.runs = r.runs,
		.invalid = r.invalid,
		.lost = r.lost,
		.overruns = r.overruns,
		.throttled = r.throttled,
		.statements = r.statements,
		.level = r.row_level,
		.k = r.coverage_factor,
		.total_mean = r.total.mean,
		.total_sd = r.total.sd,
		.n_cells = n };
	snprintf(out->name, sizeof(out->name), "%s", e->commands[command].name);
	fill_cells(collapsed, &r, categories, o, out);
	fill_intervals(collapsed, out);
	for (size_t i = 0; i < n; i++) {
		struct et_treatment_cell *c = &out->cells[i];
		c->mean_interval = (struct et_span){ c->mean - c->interval, c->mean + c->interval };
		c->relative = c->mean > 0 ? c->sd / c->mean : NAN;
	}
	fill_shares(part, under_test, out);
	et_profile_result_free(&r);
	et_experiment_free(collapsed);
	et_experiment_free(part);
}

void et_treatment_free(struct et_profile_treatment *t)
{
	free(t->counts);
	*t = (struct et_profile_treatment){ 0 };
}

/* --- triangle --- */

const struct et_category et_triangle_categories[ET_TRIANGLE_CATEGORIES] = {
	{ "function1", { "function1" }, NAN },
	{ "function2", { "function2" }, NAN },
	{ "function3", { "function3" }, NAN },
	{ "function4", { "function4" }, NAN },
	{ "function5", { "function5" }, NAN },
	{ "main", { "et_triangle", "main" }, NAN },
	{ "other", { NULL }, NAN },
};

double et_triangle_share(size_t i)
{
	assert(i < ET_TRIANGLE_FUNCTIONS);
	return (double)(ET_TRIANGLE_FUNCTIONS - i) / 15;
}

void et_triangle_judge(const struct et_profile_treatment *t, size_t configurations,
	struct et_triangle_verdict *out)
{
	static const double x[] = { 2, 3, 4, 5 };
	const double level = 0.95;
	double y[ET_LENGTH(x)];
	struct et_line_at at;

	assert(t->n_cells >= ET_TRIANGLE_FUNCTIONS);
	*out = (struct et_triangle_verdict){ .observed = t->cells[0].mean,
		.observed_half_width = t->cells[0].interval,
		.shares_known = true,
		.all_shares_hold = true };
	for (size_t i = 0; i < ET_LENGTH(x); i++)
		y[i] = t->cells[i + 1].mean;
	et_line_fit(x, y, ET_LENGTH(x), &out->line);
	et_line_at(&out->line, 1, level, &at);
	out->projected = at.value;
	out->half_width = at.prediction;
	et_line_at(&out->line, 1, et_sidak_level(level, (double)configurations), &at);
	out->joint_half_width = at.prediction;
	/* "A result is anomalous only if the coverage interval … excludes the expected result." */
	out->anomalous = et_line_is_off(&at, out->observed) &&
			 fabs(out->observed - at.value) > t->cells[0].interval;
	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++) {
		const struct et_span *s = &t->cells[i].share_interval;
		double expected = et_triangle_share(i);
		out->shares_known = out->shares_known && !isnan(s->lo);
		out->shares_hold[i] = s->lo <= expected && expected <= s->hi;
		out->all_shares_hold = out->all_shares_hold && out->shares_hold[i];
	}
}

/* --- address bias --- */

/* Returns the number of the instruction that NAME+0xOFFSET is; -1: it is another function. */
static int place_of(const char *name, const char *function, unsigned step)
{
	size_t n = strlen(function);
	unsigned long offset = 0;
	char *end = NULL;

	if (strncmp(name, function, n) != 0)
		return -1;
	if (name[n] == '+')
		offset = strtoul(name + n + 1, &end, 16);
	if (end ? end == name + n + 1 || *end : name[n] != '\0')
		return -1;
	return offset / step < ET_BIAS_ADDRESSES ? (int)(offset / step) : -1;
}

/* Pearson's statistic against shares in proportion to the weights. */
static void test(const uint64_t *counts, const double *weights, size_t n, uint64_t total,
	struct et_chi_square *out)
{
	double sum = 0;

	*out = (struct et_chi_square){ NAN, (double)n - 1, NAN };
	if (!total)
		return;
	for (size_t i = 0; i < n; i++) {
		double expected = weights[i] * (double)total;
		sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
	}
	out->statistic = sum;
	out->p = et_pchisq_upper(sum, out->df);
}

static void count(const struct et_experiment *e, uint32_t command, const char *function,
	unsigned step, struct et_address_bias *out)
{
	const struct et_profile *p = e->profile;

	for (size_t r = 0; r < p->n_runs; r++) {
		const struct et_profile_run *run = &p->runs[r];
		if (run->command != command || run->warmup || run->throttled || run->lost)
			continue;
		out->runs++;
		for (size_t i = 0; i < run->n_counts; i++) {
			uint32_t f = p->nodes[run->counts[i].node].function;
			uint64_t samples = run->counts[i].samples;
			if (f == ET_PROFILE_NONE)
				continue;
			int place = place_of(p->functions[f].name, function, step);
			if (place >= 0)
				out->addresses[place] += samples;
			else
				out->elsewhere += samples;
			if (place < 0 && p->functions[f].space == ET_SPACE_KERNEL)
				out->kernel += samples;
		}
	}
}

void et_address_bias_judge(const struct et_experiment *e, uint32_t command, const char *function,
	unsigned step, struct et_address_bias *out)
{
	double even[ET_BIAS_ADDRESSES], residues[ET_BIAS_RESIDUES] = { 0 };

	*out = (struct et_address_bias){ 0 };
	count(e, command, function, step, out);
	for (size_t i = 0; i < ET_BIAS_ADDRESSES; i++) {
		out->inside += out->addresses[i];
		out->hit += out->addresses[i] > 0;
		out->residues[i % ET_BIAS_RESIDUES] += out->addresses[i];
		even[i] = 1.0 / ET_BIAS_ADDRESSES;
		residues[i % ET_BIAS_RESIDUES] += 1.0 / ET_BIAS_ADDRESSES;
	}
	test(out->addresses, even, ET_BIAS_ADDRESSES, out->inside, &out->by_address);
	test(out->residues, residues, ET_BIAS_RESIDUES, out->inside, &out->by_residue);
}
