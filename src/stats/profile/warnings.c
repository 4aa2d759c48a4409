/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The checks that every profile must pass (NIST TN 1826, sections 5 to 9). Those with a p-value are
 * made at the level alarm_p for all rows together, because a profile has many functions.
 */
#include "base/whole.h"
#include "stats/profile/counts.h"
#include "stats/series/serial.h"

enum {
	FEW_RUNS = 5,
	SERIAL_TESTABLE = 20,    /* with fewer runs, tests of drift and dependence are too weak */
	BOOTSTRAP_TESTABLE = 10, /* with fewer runs, its resamples are too much alike */
	RARE_RUNS = 5,           /* a function in fewer runs */
	FEW_SAMPLES = 100,       /* per run: a tenth, by gprof's rule */
	MOST_PERCENTILE = 10, /* members of a second mode that the interval of the sd needs … */
	MOST_BCA = 3,         /* … by the percentile method and by BCa: the note's figure 6 */
	ENTRY_SAMPLES = 100,
	DITHER_STREAM = 1001,
};

static const double alarm_p = 0.01, examined_share = 0.01, examined_mean = 5;
static const double most_missing = 0.01; /* overruns over samples */
static const double most_at_entry = 0.25;
static const double most_nameless = 0.05;  /* samples without names over all */
static const double most_broken = 0.1;     /* samples whose callers are not all known */
static const double most_shortened = 0.01; /* samples below ET_FUNCTION_OTHER */
static const double noticeable_shift = 0.03;
/* Ends of Student's and the bootstrap's interval, over the half width, beyond the usual. */
static const double most_apart = 0.25;
static const double cold_z = 5;

/* Files were recorded elsewhere: advice about options of `etalon profile` is not for them. */
static struct et_warning_arg imported(const struct et_profile_frame *f)
{
	return et_arg_flag(f->experiment->profile->way == ET_PROFILE_IMPORTED);
}

/* --- series of counts --- */

/* The least spread that counts have: they are whole, and random sampling alone is Poisson's. */
static double least_spread(double typical)
{
	return sqrt(fmax(1, typical));
}

/* Returns whether it raised a warning. */
static bool warn_drift(
	const struct et_profile_frame *f, const double *x, double alpha, struct et_warnings *out)
{
	size_t n = f->counts->n_runs;
	struct et_trend trend = et_mann_kendall(x, n);
	size_t half = n / 2;
	double first = et_mean(x, half), second = et_mean(x + n - half, half);

	if (!(trend.p < alpha) || !(fabs(second - first) > noticeable_shift * et_mean(x, n)))
		return false;
	et_warn(out, ET_WARN_PROFILE_DRIFT, et_arg_flag(trend.s > 0), et_arg_p_value(trend.p),
		et_arg_number(first), et_arg_number(second), imported(f));
	return true;
}

static bool warn_cold(const struct et_profile_frame *f, const double *x, struct et_warnings *out)
{
	size_t n = f->counts->n_runs;
	ET_AUTO_FREE double *rest = et_sorted_copy(x + 1, n - 1);
	double median = et_median_sorted(rest, n - 1);
	double spread = fmax(et_mad_sorted(rest, n - 1), least_spread(median));

	if (!(x[0] - median > cold_z * spread))
		return false;
	et_warn(out, ET_WARN_PROFILE_COLD_START, et_arg_number(x[0]),
		et_arg_number(et_mean(x + 1, n - 1)), imported(f));
	return true;
}

/* Counts are whole, which itself looks like a correlation: so they are dithered (section 5.1). */
static void warn_dependence(
	const struct et_profile_frame *f, const double *x, double alpha, struct et_warnings *out)
{
	size_t n = f->counts->n_runs;
	ET_AUTO_FREE double *noisy = et_calloc(n, sizeof(*noisy));
	struct et_rng rng;

	et_rng_seed(&rng, f->options->seed, DITHER_STREAM);
	for (size_t i = 0; i < n; i++)
		noisy[i] = x[i] + et_rng_uniform(&rng) - 0.5;
	double r = et_autocorrelation(noisy, n, 1);
	/* Less its bias under independence (Marriott & Pope 1954). */
	if (r + (1 + 4 * r) / (double)n > et_qnorm(1 - alpha) / sqrt((double)n))
		et_warn(out, ET_WARN_PROFILE_DEPENDENT, et_arg_number(r), et_arg_count(n),
			et_arg_count(et_u64(round((double)n / et_serial_inflation(noisy, n)))));
}

/* Returns whether it raised a warning that the counts change with time. */
static bool warn_series(
	const struct et_profile_frame *f, const double *x, double alpha, struct et_warnings *out)
{
	size_t n = f->counts->n_runs;

	if (n < SERIAL_TESTABLE)
		return n >= FEW_RUNS && warn_cold(f, x, out);
	if (warn_cold(f, x, out) || warn_drift(f, x, alpha, out))
		return true;
	warn_dependence(f, x, alpha, out);
	return false;
}

/* --- a row --- */

/* Runs far outside the quartiles: solitary ones, or a second mode with few members. */
static void warn_far(const double *x, size_t n, struct et_warnings *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	double q1 = et_quantile_sorted(sorted, n, 0.25), q3 = et_quantile_sorted(sorted, n, 0.75);
	double scale = fmax(q3 - q1, 1.349 * least_spread(et_median_sorted(sorted, n)));
	size_t far = 0;

	for (size_t i = 0; i < n; i++)
		far += x[i] < q1 - 3 * scale || x[i] > q3 + 3 * scale;
	if (far && far < MOST_PERCENTILE)
		et_warn(out, ET_WARN_PROFILE_FAR_RUNS, et_arg_count(far), et_arg_count(n),
			et_arg_flag(far < MOST_BCA));
}

/* The bootstrap's interval is narrower than Student's: normal quantiles, n in the denominator. */
static void warn_bootstrap(const struct et_profile_frame *f, struct et_profile_row *row)
{
	double n = (double)f->result->runs, tail = (1 + f->result->bootstrap_level) / 2;
	double student = et_qt(tail, n - 1);
	double half = student * row->sd / sqrt(n);
	double usual = 1 - et_qnorm(tail) * sqrt((n - 1) / n) / student;
	double apart = fmax(fabs(row->mean_percentile.hi - (row->mean + half)),
			       fabs(row->mean_percentile.lo - (row->mean - half))) /
		       half;

	if (f->result->runs >= BOOTSTRAP_TESTABLE && apart > usual + most_apart && isfinite(apart))
		et_warn(&row->warnings, ET_WARN_PROFILE_BOOTSTRAP_DIFFERS, et_arg_share(apart));
}

static void warn_calls(const struct et_profile_frame *f, double alpha, struct et_profile_row *row)
{
	double n = (double)f->result->runs, periods = row->mean / row->calls;
	double excess = row->sd / row->predicted.with_total;

	if (row->calls > 0) {
		if (periods < 1 && f->result->period_ns > 0)
			et_warn(&row->warnings, ET_WARN_PROFILE_SHORT_CALLS,
				et_arg_number(row->calls),
				et_arg_value(periods * f->result->period_ns, ET_UNIT_NS),
				et_arg_value(f->result->period_ns, ET_UNIT_NS));
	} else if (row->fit.tested && excess > 1 &&
		   et_pchisq_upper((n - 1) * excess * excess, n - 1) < alpha) {
		et_warn(&row->warnings, ET_WARN_PROFILE_SPREAD, et_arg_number(row->sd),
			et_arg_number(row->predicted.with_total), imported(f));
	}
}

static bool is_examined(const struct et_profile_row *row)
{
	return row->share >= examined_share && row->mean >= examined_mean;
}

size_t et_profile_examined(const struct et_profile_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		n += is_examined(&r->rows[i]);
	return n;
}

void et_profile_row_warn(
	const struct et_profile_frame *f, size_t examined, struct et_profile_row *row)
{
	const double often = 5;
	const struct et_profile_result *r = f->result;
	double alpha = alarm_p / fmax(1, (double)examined);
	bool whole_changes = et_warnings_have(&r->warnings, ET_WARN_PROFILE_DRIFT) ||
			     et_warnings_have(&r->warnings, ET_WARN_PROFILE_COLD_START);

	if (r->runs < FEW_RUNS || row->samples == 0)
		return;
	/*
	 * Few runs see it, and those more than once or twice, as random samples of a steady
	 * function would: the program enters it in some runs only. (The interval of a steady
	 * function holds, however rare.)
	 */
	if (row->seen_in_runs < RARE_RUNS && row->samples >= often * (double)row->seen_in_runs) {
		et_warn(&row->warnings, ET_WARN_PROFILE_RARE, et_arg_count(row->seen_in_runs),
			et_arg_count(r->runs), et_arg_count(et_u64(row->samples)));
		return;
	}
	if (row->at_entry > most_at_entry && row->samples >= ENTRY_SAMPLES &&
		r->by == ET_BY_FUNCTION && !f->experiment->profile->plan.addresses)
		et_warn(&row->warnings, ET_WARN_PROFILE_AT_ENTRY, et_arg_share(row->at_entry));
	if (!is_examined(row))
		return;
	et_profile_counts_fill(f->counts, row->group, false, f->x);
	if (!whole_changes)
		warn_series(f, f->x, alpha, &row->warnings);
	warn_far(f->x, r->runs, &row->warnings);
	warn_bootstrap(f, row);
	warn_calls(f, alpha, row);
}

/* --- the profile --- */

static void warn_sampling(const struct et_profile_frame *f, struct et_warnings *out)
{
	const struct et_profile *p = f->experiment->profile;
	const struct et_profile_counts *c = f->counts;
	double missing = (double)c->overruns / (double)(c->overruns + f->result->samples);

	if (c->invalid)
		et_warn(out, ET_WARN_PROFILE_RUNS_INVALID, et_arg_count(c->invalid),
			et_arg_count(c->invalid + c->n_runs), et_arg_flag(c->throttled > 0),
			imported(f));
	if (missing > most_missing)
		et_warn(out, ET_WARN_PROFILE_OVERRUNS, et_arg_share(missing),
			et_arg_flag(f->result->total.mean < FEW_SAMPLES));
	if (p->way == ET_PROFILE_INHERITED && c->short_tasks)
		et_warn(out, ET_WARN_PROFILE_SHORT_TASKS, et_arg_count(c->short_tasks),
			et_arg_count(c->tasks));
	if (p->plan.fixed && p->way != ET_PROFILE_IMPORTED)
		et_warn(out, ET_WARN_PROFILE_FIXED_PERIOD);
}

/* Much time in code without names: the user can do something about it. */
static void warn_names(const struct et_profile_frame *f, struct et_warnings *out)
{
	const struct et_profile *p = f->experiment->profile;
	ET_AUTO_FREE double *samples = et_calloc(p->n_functions + 1, sizeof(*samples));
	double all = (double)f->result->samples, kernel = 0, other = 0;
	uint32_t most = ET_PROFILE_NONE;

	for (size_t i = 0; i < f->counts->n_runs; i++) {
		const struct et_profile_run *run = f->counts->runs[i];
		for (size_t k = 0; k < run->n_counts; k++)
			samples[p->nodes[run->counts[k].node].function] +=
				(double)run->counts[k].samples;
	}
	for (uint32_t i = 0; i < p->n_functions; i++) {
		const struct et_profile_function *fn = &p->functions[i];
		if (!fn->unnamed || samples[i] <= 0)
			continue;
		if (fn->space == ET_SPACE_KERNEL) {
			kernel += samples[i];
			continue;
		}
		other += samples[i];
		if (most == ET_PROFILE_NONE || samples[i] > samples[most])
			most = i;
	}
	if (other > most_nameless * all && strstr(p->functions[most].name, ET_PROFILE_NO_LIBDW))
		et_warn(out, ET_WARN_PROFILE_NO_LIBDW, et_arg_share(other / all));
	else if (other > most_nameless * all)
		et_warn(out, ET_WARN_PROFILE_NO_SYMBOLS, et_arg_share(other / all),
			et_arg_text(p->functions[most].module),
			et_arg_flag(p->functions[most].space == ET_SPACE_UNKNOWN));
	/* Of an imported profile, another tool has read the names of the kernel. */
	if (kernel > most_nameless * all && p->way != ET_PROFILE_IMPORTED)
		et_warn(out, ET_WARN_PROFILE_NO_KERNEL_SYMBOLS, et_arg_share(kernel / all));
}

/* --- things that samples do not show --- */

static const double most_unseen = 0.05; /* system time over CPU time */
static const double most_waited = 0.5;  /* of the elapsed time */

struct sums {
	double elapsed, cpu, system, queued; /* queued: runnable, waiting for a CPU */
	uint64_t runs, failed;
	int32_t signal, exit_code; /* of the first run that failed */
};

static struct sums add_up(const struct et_command *c)
{
	struct sums sums = { 0 };

	et_for_each_sample(s, &c->samples) {
		const struct et_measured *m = &s->measured;
		if (s->place.warmup || s->ruling.removal.by != ET_KEPT)
			continue;
		sums.runs++;
		sums.elapsed += et_known_or_0(m->elapsed_ns);
		sums.cpu += et_known_or_0(m->cpu_ns);
		sums.system += et_known_or_0(m->system_ns);
		sums.queued += et_known_or_0(m->wait_ns);
		if ((m->exit_code || m->signal) && !sums.failed++) {
			sums.signal = m->signal;
			sums.exit_code = m->exit_code;
		}
	}
	return sums;
}

void et_profile_warn_runs(const struct et_experiment *e, uint32_t command, struct et_warnings *out)
{
	const struct et_profile *p = e->profile;
	struct sums s = add_up(&e->commands[command]);

	if (p->way == ET_PROFILE_IMPORTED)
		return;
	if (s.failed)
		et_warn(out, ET_WARN_PROFILE_RUNS_FAILED, et_arg_count(s.failed),
			et_arg_count(s.runs), et_arg_flag(s.signal != 0),
			et_arg_count((uint64_t)(s.signal ? s.signal : s.exit_code)));
	if (!p->kernel_allowed && !p->plan.user_only && s.system > most_unseen * s.cpu)
		et_warn(out, ET_WARN_PROFILE_KERNEL_UNSEEN, et_arg_share(s.system / s.cpu));
	double waited = s.elapsed - s.cpu - s.queued;
	if (waited > most_waited * s.elapsed)
		et_warn(out, ET_WARN_PROFILE_WAITED, et_arg_share(waited / s.elapsed));
}

/* --- call chains --- */

/* Returns the share of the samples below nodes of this function, which stands for callers. */
static double share_below(const struct et_profile_frame *f, const char *name)
{
	const struct et_profile *p = f->experiment->profile;
	ET_AUTO_FREE bool *below = et_calloc(p->n_nodes, sizeof(*below));
	double samples = 0;

	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct et_profile_function *fn = &p->functions[p->nodes[i].function];
		below[i] = below[p->nodes[i].parent] ||
			   (!strcmp(fn->name, name) && !strcmp(fn->module, ET_MODULE_UNKNOWN));
	}
	for (size_t i = 0; i < f->counts->n_runs; i++) {
		const struct et_profile_run *run = f->counts->runs[i];
		for (size_t k = 0; k < run->n_counts; k++)
			samples += below[run->counts[k].node] ? (double)run->counts[k].samples : 0;
	}
	return samples / fmax(1, (double)f->result->samples);
}

static void warn_chains(const struct et_profile_frame *f, struct et_warnings *out)
{
	const struct et_profile *p = f->experiment->profile;

	if (p->plan.chains == ET_CHAINS_NONE || p->way == ET_PROFILE_IMPORTED)
		return;
	double broken = share_below(f, ET_FUNCTION_BROKEN);
	double other = share_below(f, ET_FUNCTION_OTHER);
	if (broken > most_broken)
		et_warn(out, ET_WARN_PROFILE_BROKEN_CHAINS, et_arg_share(broken),
			et_arg_flag(p->plan.chains == ET_CHAINS_FP));
	if (other > most_shortened)
		et_warn(out, ET_WARN_PROFILE_MANY_CONTEXTS, et_arg_share(other));
}

void et_profile_warn(const struct et_profile_frame *f)
{
	struct et_profile_result *r = f->result;

	if (r->runs && r->runs < FEW_RUNS)
		et_warn(&r->warnings, ET_WARN_PROFILE_FEW_RUNS, et_arg_count(r->runs), imported(f));
	warn_sampling(f, &r->warnings);
	if (r->runs && r->total.mean < FEW_SAMPLES)
		et_warn(&r->warnings, ET_WARN_PROFILE_FEW_SAMPLES, et_arg_number(r->total.mean),
			imported(f));
	warn_names(f, &r->warnings);
	warn_chains(f, &r->warnings);
	et_profile_warn_runs(f->experiment, r->command, &r->warnings);
	warn_series(f, f->counts->totals, alarm_p, &r->warnings);
}
