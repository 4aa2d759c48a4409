/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/judge.h"
#include "num/kbest.h"
#include "stats/compare/contrast.h"
#include "stats/compare/pace.h"
#include "stats/series/warnings.h"

/* See ET_REJECTION. all: with the values that two-sigma removed. */
static void allow_for_two_sigma(const struct et_estimate *all, struct et_estimate *out)
{
	double honest = ET_REJECTION * all->standard_uncertainty;
	if (!(honest > out->standard_uncertainty))
		return;
	out->standard_uncertainty = honest;
	out->expanded_uncertainty = out->coverage_factor * honest;
	out->lo = out->mean - out->expanded_uncertainty;
	out->hi = out->mean + out->expanded_uncertainty;
}

/* Compares the mean with that of all values: normal data move it by a quarter of the half width. */
static void judge_second_check(const struct et_estimate *all, struct et_command_result *r)
{
	const struct et_estimate *out = &r->estimate[r->metric];
	struct et_second_check c = { all->n - out->n, all->mean, out->mean,
		out->mean / all->mean - 1 };

	r->second_check = c;
	if (c.removed && fabs(c.mean_after - c.mean_before) > 0.5 * all->expanded_uncertainty)
		et_warn(&r->warnings, ET_WARN_SECOND_CHECK, et_arg_count(c.removed),
			et_arg_change(c.change));
}

/* Memory comes in pages, so that equal values are equal, whatever the resolution of the record. */
static void be_constant(struct et_estimate *out)
{
	out->standard_uncertainty = out->expanded_uncertainty = 0;
	out->lo = out->hi = out->mean;
}

/* Sums up the values of a metric that count. */
static void judge_metric(const struct et_experiment *e, const struct et_choice *choice,
	enum et_metric m, struct et_command_result *r)
{
	struct et_estimate *out = &r->estimate[m], all;
	size_t n, n_all = 0;
	ET_AUTO_FREE double *x = et_command_values(r->command, m, r->arrangement, &n);
	ET_AUTO_FREE double *uncut =
		r->arrangement == ET_SOLO ? et_command_values_uncut(r->command, m, &n_all) : NULL;

	et_summarise(x, n, e->plan.level, out);
	if (!et_metric_is_time(m) && n > 1 && out->min == out->max)
		be_constant(out);
	all = *out;
	if (uncut) {
		et_summarise(uncut, n_all, e->plan.level, &all);
		allow_for_two_sigma(&all, out);
	}
	/* The warnings about series speak of times. */
	if (m != r->metric || !n || !et_metric_is_time(m))
		return;
	if (choice->protocol == ET_PROTOCOL_EMP && r->arrangement == ET_SOLO)
		judge_second_check(&all, r);
	/*
	 * Diagnose only the judged metric, and only if its mean is the answer: K-best's is not. A
	 * rule that removes values by themselves would remove the evidence as well.
	 */
	if (choice->protocol != ET_PROTOCOL_KBEST)
		et_series_warn(uncut ? uncut : x, uncut ? n_all : n,
			e->plan.until_ratio > 0 ? ET_USE_STOPPED_MEAN : ET_USE_MEAN,
			&out->warnings);
}

/* A rule of the protocol removed it; a run that failed or was stopped has no time to speak of. */
static bool by_rule(const struct et_sample *s)
{
	return !s->place.warmup && s->ruling.removal.by >= ET_REMOVED_DAEMON_CUTOFF;
}

/* The same with the samples that rules removed, which the papers' tables show beside the result. */
static void judge_before(
	const struct et_experiment *e, enum et_metric m, struct et_command_result *r)
{
	const struct et_command *c = r->command;
	ET_AUTO_FREE double *x = et_calloc(c->samples.n + 1, sizeof(*x));
	size_t n = 0, removed = 0;

	et_for_each_sample(s, &c->samples) {
		double value = et_sample_value(s, m);
		if (s->place.warmup || s->place.arrangement != r->arrangement || isnan(value) ||
			(s->ruling.removal.by != ET_KEPT && !by_rule(s)))
			continue;
		removed += by_rule(s);
		x[n++] = value;
	}
	if (removed)
		et_summarise(x, n, e->plan.level, &r->before[m]);
}

static size_t count_removed(const struct et_command *c)
{
	size_t n = 0;

	et_for_each_sample(s, &c->samples)
		n += !s->place.warmup && s->ruling.removal.by != ET_KEPT;
	return n;
}

/*
 * Says how likely a rare slow run was missed. No interval allows for what did not happen, and
 * --until (stopped) ends most of all while none was seen.
 */
static void warn_unseen(const struct et_estimate *est, bool stopped, struct et_warnings *out)
{
	enum { FEW = 5, ONE_IN = 33, ENOUGH = 98 }; /* with this many, in less than 5 % */
	bool seen = est->max > est->q3 + 3 * (est->q3 - est->q1);

	if (est->n >= (stopped ? ET_UNTIL_LEAST : FEW) && est->n < ENOUGH && !seen)
		et_warn(out, ET_WARN_RARE_CASE_UNSEEN, et_arg_count(est->n),
			et_arg_share(pow(1 - 1.0 / ONE_IN, (double)est->n)), et_arg_count(ENOUGH),
			et_arg_count(ONE_IN), et_arg_flag(stopped));
}

/* Warns if --until stopped too early, or at a limit before the interval was narrow enough. */
static void warn_until(const struct et_experiment *e, struct et_command_result *r)
{
	const struct et_estimate *est = &r->estimate[e->metric], *all = &r->before[e->metric];
	double reached = est->expanded_uncertainty / est->mean;

	if (e->plan.until_ratio > 0 && est->n > 1 && est->n < ET_UNTIL_LEAST &&
		(reached <= e->plan.until_ratio || e->plan.order == ET_ORDER_DUET))
		et_warn(&r->warnings, ET_WARN_UNTIL_FEW_RUNS, et_arg_share(e->plan.until_ratio),
			et_arg_count(est->n), et_arg_count(ET_UNTIL_LEAST));
	bool stopped = e->plan.until_ratio > 0 && e->plan.order != ET_ORDER_DUET;
	if (et_metric_is_time(r->metric) && !(stopped && reached > e->plan.until_ratio))
		warn_unseen(est, stopped, &r->warnings);
	if (!stopped || !(reached > e->plan.until_ratio))
		return;
	/* All samples decide when sampling stops; the rules remove some of them afterwards. */
	if (all->n > est->n && all->expanded_uncertainty / all->mean <= e->plan.until_ratio)
		et_warn(&r->warnings, ET_WARN_UNTIL_MISSED_BY_REMOVAL,
			et_arg_share(e->plan.until_ratio), et_arg_count(all->n),
			et_arg_count(est->n), et_arg_share(reached), et_arg_count(2 * all->n));
	else
		et_warn(&r->warnings, ET_WARN_UNTIL_MISSED, et_arg_share(e->plan.until_ratio),
			et_arg_share(reached), et_arg_count(est->n),
			et_arg_flag(fmax((double)all->n, (double)est->n) >= e->plan.max_runs));
}

/* The answer of K-best: the fastest run, if K of them agree with it. */
static void judge_kbest(const struct et_plan *p, struct et_command_result *r)
{
	const double confidence = 0.95;
	struct et_kbest_set set;
	size_t n;
	double *less;
	ET_AUTO_FREE double *x =
		et_command_values_less_interrupts(r->command, r->metric, &less, &n);

	et_kbest_set_init(&set, p->k);
	for (size_t s = 0; s < n; s++)
		et_kbest_set_add(&set, x[s], less[s]);
	free(less);
	r->kbest = (struct et_kbest_result){ .k = p->k,
		.n = n,
		.epsilon = p->epsilon,
		.best = n ? set.value[0] : NAN,
		.compensated = n ? set.mark[0] : NAN,
		.spread = n < p->k ? NAN : et_kbest_spread(&set),
		.error = n < p->k ? NAN : et_kbest_error(&set, confidence),
		.converged = et_kbest_converged(&set, p->epsilon) };
	if (n && n < p->k)
		et_warn(&r->warnings, ET_WARN_KBEST_FEW_RUNS, et_arg_count(n), et_arg_count(p->k));
	else if (n && !r->kbest.converged)
		et_warn(&r->warnings, ET_WARN_KBEST_NOT_CONVERGED, et_arg_count(p->k),
			et_arg_count(n), et_arg_share(r->kbest.spread), et_arg_share(p->epsilon));
}

static void judge_command(
	const struct et_experiment *e, const struct et_choice *choice, struct et_command_result *r)
{
	/* The plan of an imported record may lack k. */
	bool kbest = choice->protocol == ET_PROTOCOL_KBEST && e->plan.k >= 1 &&
		     e->plan.k <= ET_KBEST_MOST;

	for (enum et_metric m = 0; m < ET_METRICS; m++) {
		if (!et_metrics[m].judged)
			continue;
		judge_metric(e, choice, m, r);
		judge_before(e, m, r);
	}
	et_pace_judge(r->command, e->plan.level, &r->paced);
	r->removed = count_removed(r->command);
	et_command_warn(e, choice->protocol, r->command, &r->warnings);
	if (kbest)
		judge_kbest(&e->plan, r);
	else
		warn_until(e, r);
}

/* Compares all commands with the reference, as a family of their own; level: of each interval. */
static struct et_contrast *contrast_all(
	const struct et_experiment *e, enum et_metric m, double level, size_t *n)
{
	struct et_contrast *all = et_calloc(e->n_commands, sizeof(*all));

	*n = 0;
	for (uint32_t b = 0; b < e->n_commands; b++) {
		if (b != e->plan.reference)
			et_contrast_make(e, e->plan.reference, b, m, level, &all[(*n)++]);
	}
	et_contrasts_conclude(all, *n, 1 - e->plan.level);
	et_contrasts_warn(all, *n, 1 - e->plan.level);
	return all;
}

/* Whether a time of all commands was measured alone, so that it can be compared. */
static bool was_measured(const struct et_experiment *e, enum et_metric m)
{
	if (!et_metrics[m].in_duets && (e->plan.pace || e->plan.order == ET_ORDER_DUET))
		return false;
	for (size_t c = 0; c < e->n_commands; c++) {
		size_t n;
		const struct et_command *command = &e->commands[c];
		ET_AUTO_FREE double *x =
			et_command_values(command, m, et_command_arrangement(command), &n);
		if (!n)
			return false;
	}
	return true;
}

/* By the judged metric, and a time also by the other one, each with intervals of this level. */
static void contrast_both(const struct et_experiment *e, double level, struct et_judgement *j)
{
	enum et_metric other = e->metric == ET_METRIC_CPU ? ET_METRIC_ELAPSED : ET_METRIC_CPU;
	bool two =
		et_metric_is_time(e->metric); /* memory and a time do not contradict each other */

	if (e->n_commands < 2 || e->plan.reference >= e->n_commands)
		return;
	j->contrasts = contrast_all(e, e->metric, level, &j->n_contrasts);
	if (two && was_measured(e, other))
		j->second = contrast_all(e, other, level, &j->n_contrasts);
}

/* Of comparisons that are sampled until they are decided, the intervals hold together. */
static double level_of(const struct et_experiment *e)
{
	double family = e->n_commands > 1 ? (double)e->n_commands - 1 : 1;

	return e->plan.equal_ratio > 0 ? et_sidak_level(e->plan.level, family) : e->plan.level;
}

static bool ran_in_duets(const struct et_contrast *c)
{
	return !isnan(c->side_by_side.estimate) ||
	       (c->arrangement && !strcmp(c->arrangement, "duet"));
}

/* Two that share a file or port ran one at a time, although the plan has duets. */
static void warn_shared(const struct et_experiment *e, struct et_contrast *c)
{
	const char *name = "";
	enum et_conflict_kind kind =
		et_files_conflict(&e->commands[c->a].files, &e->commands[c->b].files, &name);

	if (kind && e->plan.order == ET_ORDER_AUTO && !ran_in_duets(c))
		et_warn(&c->warnings, ET_WARN_SHARED_FILE, et_arg_text(et_conflict_words[kind]),
			et_arg_text(name));
}

/* Whether two commands that ran at the same time share files is not known. */
static void warn_not_scouted(const struct et_experiment *e, struct et_judgement *j)
{
	static const char *const why[] = { [ET_SCOUTED_NOT] = "",
		[ET_SCOUTED_REFUSED] = "this kernel or container does not show them",
		[ET_SCOUTED_UNFIT] = "looking would change what a program does",
		[ET_SCOUTED_PARTLY] = "a program hides some or uses too many" };
	enum et_scouted worst = ET_SCOUTED_CALLS;
	bool duets = false;

	for (size_t i = 0; i < j->n_contrasts; i++)
		duets = duets || ran_in_duets(&j->contrasts[i]);
	for (size_t i = 0; duets && i < e->n_commands; i++) {
		enum et_scouted how = e->commands[i].files.scouted;
		if (how != ET_SCOUTED_CALLS && worst != ET_SCOUTED_NOT)
			worst = how;
	}
	if (worst != ET_SCOUTED_CALLS)
		et_warn(&j->warnings, ET_WARN_NOT_SCOUTED, et_arg_flag(worst == ET_SCOUTED_NOT),
			et_arg_text(why[worst]));
}

static void judge_contrasts(const struct et_experiment *e, struct et_judgement *j)
{
	const double mostly = 0.5;

	contrast_both(e, level_of(e), j);
	for (size_t i = 0; i < j->n_contrasts; i++) {
		struct et_contrast *c = &j->contrasts[i];
		j->commands[c->b].contrast = c;
		warn_shared(e, c);
		/* CPU time is not informative for programs that mostly wait. */
		if (e->metric == ET_METRIC_CPU && et_idle_share(&e->commands[c->a]) > mostly &&
			et_idle_share(&e->commands[c->b]) > mostly)
			et_warn(&c->warnings, ET_WARN_COMPARED_BY_CPU_TIME);
	}
	warn_not_scouted(e, j);
}

/* 1: slower, -1: faster, 0: no difference was shown. */
static int direction(const struct et_contrast *c)
{
	switch (c->conclusion) {
	case ET_CONCLUDED_SLOWER:
	case ET_CONCLUDED_LARGER:
		return 1;
	case ET_CONCLUDED_FASTER:
	case ET_CONCLUDED_SMALLER:
		return -1;
	default:
		return 0;
	}
}

bool et_judgement_contradicted(const struct et_judgement *j, size_t i)
{
	const struct et_contrast *judged = &j->contrasts[i],
				 *other = j->second ? &j->second[i] : NULL;

	if (!other || direction(judged) == direction(other))
		return false;
	/* There are two tests of one question. */
	if (direction(other))
		return !(other->p_holm > (1 - other->level) / 2);
	if (other->margin > 0 && other->conclusion == ET_CONCLUDED_SAME) /* it was not asked */
		return false;
	return other->hi < judged->lo || other->lo > judged->hi; /* false for NaN */
}

void et_judge_together(const struct et_experiment *given, struct et_judgement *out)
{
	struct et_experiment settled = *given;
	double family = fmax((double)given->n_commands - 1, 1);

	memset(out, 0, sizeof(*out));
	out->metric = et_metric_choose(given);
	settled.metric = out->metric.metric;
	contrast_both(&settled, et_sidak_level(given->plan.level, family), out);
}

/* All outputs and the exit status read this. */
static void judge_gate(const struct et_experiment *e, struct et_judgement *j)
{
	struct et_judgement together;

	if (!e->plan.gate || !j->n_contrasts)
		return;
	et_judge_together(e, &together);
	j->gate = (struct et_gate){ .contrasts = together.contrasts,
		.second = together.second,
		.n = together.n_contrasts,
		.reference = e->plan.reference,
		.limit = e->plan.regression_ratio,
		.undecided = e->plan.undecided };
}

void et_judge(const struct et_experiment *given, struct et_judgement *out)
{
	struct et_metric_choice metric = et_metric_choose(given);
	struct et_experiment settled = *given, *e = &settled;

	e->metric = metric.metric;
	memset(out, 0, sizeof(*out));
	out->choice = et_protocol_choose(e);
	out->metric = metric;
	out->n_commands = e->n_commands;
	out->commands = et_calloc(e->n_commands, sizeof(*out->commands));
	for (size_t i = 0; i < e->n_commands; i++) {
		struct et_command_result *r = &out->commands[i];
		r->command = &e->commands[i];
		r->reference = i == e->plan.reference;
		r->arrangement = et_command_arrangement(r->command);
		r->metric = e->metric;
		judge_command(e, &out->choice, r);
	}
	if (et_metric_is_time(e->metric))
		et_states_judge(e, out);
	for (size_t i = 0; i < e->n_commands; i++)
		et_speed_warn(e, &out->commands[i]);
	judge_contrasts(e, out);
	judge_gate(e, out);
	et_host_warn(e, &out->warnings);
	if (out->choice.protocol == ET_PROTOCOL_CAUSE || out->choice.protocol == ET_PROTOCOL_EMP)
		et_first_check_warn(e, &out->warnings);
}

static bool is_decided(const struct et_plan *p, const struct et_contrast *c)
{
	/* Memory that cannot be seen: more runs do not show it. */
	if (c->unit == ET_UNIT_BYTES && !c->pairs && !(c->values_a && c->values_b))
		return true;
	if (p->gate && p->regression_ratio > 0)
		return et_gate_judge(c, p->regression_ratio) != ET_GATE_UNDECIDED;
	return c->conclusion == ET_CONCLUDED_EQUAL || direction(c);
}

size_t et_judgement_runs(const struct et_experiment *e, const struct et_judgement *j)
{
	size_t most = 0;

	for (size_t i = 0; i < j->n_contrasts; i++) {
		const struct et_contrast *c = &j->contrasts[i];
		if (is_decided(&e->plan, c))
			continue;
		size_t runs = et_equal_runs(c);
		if (runs <= c->pairs) /* not known */
			return 0;
		most = runs > most ? runs : most;
	}
	return most;
}

bool et_judgement_open(const struct et_experiment *e, const struct et_judgement *j)
{
	bool open = false;

	for (size_t i = 0; e->plan.equal_ratio > 0 && i < j->n_contrasts; i++)
		open = open || !is_decided(&e->plan, &j->contrasts[i]);
	return open;
}

bool et_judge_open(
	const struct et_experiment *given, bool sharpen, bool *open, struct et_contrast *widest)
{
	struct et_experiment settled = *given;
	double furthest = 0;
	size_t n;
	bool any = false;

	settled.metric = et_metric_choose(given).metric;
	struct et_contrast *all = contrast_all(&settled, settled.metric, level_of(given), &n);
	for (size_t i = 0; i < n; i++) {
		struct et_ratio r = et_contrast_ratio(&all[i]);
		double wide = isnan(r.lo + r.hi) ? INFINITY : r.hi - r.lo;
		bool vague = sharpen && isfinite(wide) && wide > given->plan.equal_ratio;
		et_warnings_free(&all[i].warnings);
		open[all[i].b] = vague || !is_decided(&given->plan, &all[i]);
		any = any || open[all[i].b];
		if (!open[all[i].b] || !(wide > furthest))
			continue;
		furthest = wide;
		*widest = all[i];
	}
	free(all);
	return any;
}

double et_deciding_reached(
	struct et_deciding *d, const struct et_experiment *e, uint32_t command, uint64_t elapsed_ns)
{
	const uint64_t sharpen_ns = 3000000000;

	if (!d->open)
		d->open = et_calloc(e->n_commands, sizeof(*d->open));
	if (!command) /* one look is about all of them */
		et_judge_open(e, !e->plan.gate && elapsed_ns < sharpen_ns, d->open, &d->widest);
	return d->open[command] ? INFINITY : 0;
}

enum et_kinds et_judge_kinds(const struct et_experiment *e, uint32_t command)
{
	struct et_contrast c;

	et_contrast_make(
		e, e->plan.reference, command, et_metric_choose(e).metric, e->plan.level, &c);
	et_warnings_free(&c.warnings);
	return c.kinds;
}
