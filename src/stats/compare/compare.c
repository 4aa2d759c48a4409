/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/compare.h"
#include "base/parse.h"
#include "model/experiment/machine_id.h"
#include "stats/compare/contrast.h"
#include "stats/compare/groups.h"
#include "stats/compare/two_sample.h"
#include "stats/series/bootstrap.h"
#include "stats/series/warnings.h"

static void judge_series(const struct et_series *s, struct et_compared *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(s->values, s->n);
	struct et_diagnosis d;

	out->mean = et_mean(s->values, s->n);
	out->sd = et_sd(s->values, s->n);
	out->median = et_median_sorted(sorted, s->n);
	et_diagnose(s->values, sorted, s->n, &d);
	out->shapiro = d.normality;
	out->gaussian = d.normality.p > ET_CHECK_ALPHA;
	et_diagnosis_warn(&d, s->unit, ET_USE_COMPARISON, &out->warnings);
	if (s->n > out->shapiro.n_used && out->shapiro.n_used)
		et_warn(&out->warnings, ET_WARN_NORMALITY_BY_PART,
			et_arg_count(out->shapiro.n_used), et_arg_count(s->n));
}

/*
 * The ratio of the means with its BCa interval and the p that belongs to it. The bootstrap takes
 * the values for independent, so dependence widens the interval as it widens the others.
 */
static void bootstrap_ratio(
	const struct et_series *a, const struct et_series *b, struct et_contrast *out)
{
	enum { MOST = 9999, LEAST = 999, WORK = 1000000000 };
	size_t most = WORK / (a->n + b->n);
	struct et_boot_options o = { .seed = 1,
		.replicates = most > MOST    ? MOST
			      : most < LEAST ? LEAST
					     : most,
		.level = out->level,
		.bca = true };
	double wider = sqrt(out->inflation);
	struct et_boot r;

	/* The widened interval ends at 1 where the other one ends here. */
	o.against = pow(out->mean_ratio, 1 - 1 / wider);
	if (!(out->mean_ratio > 0)) /* values at or below 0 */
		return;
	et_bootstrap_ratio(b->values, b->n, a->values, a->n, &o, &r);
	if (!(r.bca.lo > 0))
		return;
	out->ratio = r.estimate;
	out->lo = r.estimate * pow(r.bca.lo / r.estimate, wider);
	out->hi = r.estimate * pow(r.bca.hi / r.estimate, wider);
	out->ratio_method = "bootstrap-bca";
	/* A change that the machine's speed explains is no difference. */
	bool probed = out->method && !strcmp(out->method, "probe-corrected-t");
	if (!isnan(r.p))
		out->p = fmax(r.p, probed ? out->p : out->p_floor);
}

/* The analysis of variance if all may be normal (Welch's if spreads differ), else by ranks. */
static void judge_all(const struct et_series *series, size_t n, struct et_comparison *out)
{
	ET_AUTO_FREE struct et_group *groups = et_calloc(n, sizeof(*groups));
	bool gaussian = true;

	if (n < 3)
		return;
	for (size_t i = 0; i < out->n_pairs; i++) {
		if (out->pairs[i].arrangement || out->pairs[i].inflation > 1)
			return; /* it takes independent values */
	}
	for (size_t i = 0; i < n; i++) {
		groups[i] = (struct et_group){ series[i].values, series[i].n };
		gaussian = gaussian && out->samples[i].gaussian;
	}
	if (gaussian) {
		bool alike = et_bartlett(groups, n).p > ET_CHECK_ALPHA;
		struct et_anova f = alike ? et_anova(groups, n) : et_anova_welch(groups, n);
		out->all = (struct et_omnibus){ alike ? "anova" : "welch-anova", f.f, f.df1, f.p,
			f.df2 };
	} else {
		struct et_test h = et_kruskal_wallis(groups, n);
		out->all = (struct et_omnibus){ "kruskal-wallis", h.statistic, h.df, h.p, NAN };
	}
}

/* Files of functions have seven digits, and no machine repeats more than five. */
static const double ROUNDING = 1e-5;

char *et_compare_in_one(const struct et_series *a, const struct et_series *b)
{
	const struct et_experiment *e = a->experiment;
	const struct et_command *old = &e->commands[a->command],
				*new = &b->experiment->commands[b->command];

	ET_AUTO_FREE char *again = et_command_words(&new, 1);
	if (old->text && new->text && !strcmp(old->text, new->text))
		return et_asprintf("etalon run OLD %s, where OLD is the old build", again);
	/* --baseline takes an experiment of one command. */
	if (e->n_commands == 1 || !old->text) {
		ET_AUTO_FREE char *name =
			et_join_words((char *[]){ (char *)(e->label ? e->label : e->id), NULL });
		return et_asprintf("etalon run --baseline %s %s", name, again);
	}
	ET_AUTO_FREE char *both = et_command_words((const struct et_command *[]){ old, new }, 2);
	return et_asprintf("etalon run %s", both);
}

/* Two experiments: they were measured at different times. */
static void judge_across(
	const struct et_series *a, const struct et_series *b, struct et_contrast *out)
{
	const struct et_experiment *ea = a->experiment, *eb = b->experiment;
	double slower = 0;

	if (et_machine_same(ea->machine, eb->machine) && et_metric_is_time(out->metric)) {
		struct et_probed pa, pb;
		et_probed_take(a, &pa);
		et_probed_take(b, &pb);
		slower = et_judge_across(&pa, &pb, out);
		et_probed_free(&pa);
		et_probed_free(&pb);
	}
	const char *one = ea->commands[a->command].statistic;
	const char *other = eb->commands[b->command].statistic;
	if (one && other && strcmp(one, other) != 0)
		et_warn(&out->warnings, ET_WARN_STATISTICS_DIFFER, et_arg_text(one),
			et_arg_text(other));
	/* Two formats of one file differ by their rounding. */
	if (et_experiment_of_functions(ea) && fabs(log(out->ratio)) < ROUNDING)
		out->p = 1;
	if (et_experiment_of_functions(ea))
		et_warn(&out->warnings, ET_WARN_FUNCTIONS_APART);
	else if (et_metric_is_time(out->metric)) {
		ET_AUTO_FREE char *in_one = et_compare_in_one(a, b);
		et_warn(&out->warnings, ET_WARN_MEASURED_APART, et_arg_flag(slower != 0),
			et_arg_share(fabs(slower)), et_arg_flag(slower > 0), et_arg_text(in_one));
	}
}

static void judge_pair(const struct et_series *series, const struct et_comparison *so_far, size_t a,
	size_t b, const struct et_compare_options *o, struct et_contrast *out)
{
	const struct et_series *sa = &series[a], *sb = &series[b];
	const struct et_compared *facts = so_far->samples;
	const struct et_experiment *e = sa->experiment;

	if (e && e == sb->experiment) {
		et_contrast_make(e, sa->command, sb->command, e->metric, so_far->level, out);
	} else {
		*out = (struct et_contrast){ .level = so_far->level,
			.metric = e ? e->metric : ET_METRIC_ELAPSED,
			.unit = sa->unit == sb->unit ? sa->unit : ET_UNIT_NONE,
			.side_by_side = ET_NO_RATIO,
			.alone = ET_NO_RATIO };
		et_judge_apart(sa->values, sa->n, sb->values, sb->n,
			facts[a].gaussian && facts[b].gaussian, out);
		if (e && sb->experiment)
			judge_across(sa, sb, out);
	}
	if (o->bootstrap && !out->arrangement)
		bootstrap_ratio(sa, sb, out);
	out->a = (uint32_t)a;
	out->b = (uint32_t)b;
}

/* Neighbours of a virtual machine change its speed, whatever is compared. */
static void warn_virtual(const struct et_series *series, size_t n, struct et_warnings *out)
{
	for (size_t i = 0; i < n && !out->n; i++) {
		const struct et_experiment *e = series[i].experiment;
		struct et_warnings all = { 0 };
		if (!e || (i && e == series[i - 1].experiment))
			continue;
		et_host_warn(e, &all);
		if (et_warnings_have(&all, ET_WARN_VIRTUAL_MACHINE))
			et_warn(out, ET_WARN_VIRTUAL_MACHINE, et_arg_text(e->host.virtual_machine));
		et_warnings_free(&all);
	}
}

static bool is_twin(const struct et_series *a, const struct et_series *b)
{
	return a->experiment && b->experiment && a->experiment != b->experiment &&
	       !strcmp(a->experiment->commands[a->command].name,
		       b->experiment->commands[b->command].name);
}

bool et_compare_functions(const struct et_series *series, size_t n)
{
	bool twins = false;

	for (size_t i = 0; i < n; i++)
		if (!series[i].experiment || !et_experiment_of_functions(series[i].experiment))
			return false;
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n && !twins; b++)
			twins = is_twin(&series[a], &series[b]);
	return twins;
}

static bool wanted(
	const struct et_series *series, size_t a, size_t b, const struct et_compare_options *o)
{
	if (o->reference)
		return a != b && a == *o->reference;
	return a < b && (!o->by_name || is_twin(&series[a], &series[b]));
}

void et_compare(const struct et_series *series, size_t n, const struct et_compare_options *o,
	struct et_comparison *out)
{
	size_t before = 0, after = 0, most = 0;

	for (size_t i = 0; i < n * n; i++)
		most += wanted(series, i / n, i % n, o);
	memset(out, 0, sizeof(*out));
	out->alpha = o->alpha;
	out->simultaneous = o->simultaneous;
	out->by_name = o->by_name;
	out->level = 1 - o->alpha;
	if (o->simultaneous)
		out->level = et_sidak_level(1 - o->alpha, (double)most);
	out->n_samples = n;
	out->samples = et_calloc(n, sizeof(*out->samples));
	out->pairs = et_calloc(most, sizeof(*out->pairs));
	for (size_t i = 0; i < n; i++)
		judge_series(&series[i], &out->samples[i]);
	for (size_t i = 0; i < n * n; i++)
		if (wanted(series, i / n, i % n, o))
			judge_pair(series, out, i / n, i % n, o, &out->pairs[out->n_pairs++]);
	et_contrasts_conclude(out->pairs, out->n_pairs, o->alpha);
	et_contrasts_warn(out->pairs, out->n_pairs, o->alpha);
	if (!o->by_name)
		judge_all(series, n, out);
	warn_virtual(series, n, &out->warnings);
	for (size_t i = 0; i < out->n_pairs; i++) {
		before += out->pairs[i].significant_unadjusted;
		after += out->pairs[i].significant;
	}
	out->before_holm = (double)before / (double)out->n_pairs;
	out->after_holm = (double)after / (double)out->n_pairs;
}

void et_comparison_free(struct et_comparison *c)
{
	for (size_t i = 0; i < c->n_samples; i++)
		et_warnings_free(&c->samples[i].warnings);
	for (size_t i = 0; i < c->n_pairs; i++)
		et_warnings_free(&c->pairs[i].warnings);
	et_warnings_free(&c->warnings);
	free(c->samples);
	free(c->pairs);
}
