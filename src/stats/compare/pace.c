/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/pace.h"
#include "num/line.h"
#include "num/num.h"

static const double alpha = 0.05; /* of the test of the coefficient */
enum { FEW = 30 };

static void *logs(const double *x, size_t n)
{
	double *out = et_calloc(n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = log(x[i]);
	return out;
}

/* The line's value at full speed, where x is 0, and its uncertainty. y becomes the residuals. */
static void conclude(
	const struct et_line *line, const double *x, double *y, size_t n, struct et_paced *out)
{
	for (size_t i = 0; i < n; i++)
		y[i] -= line->intercept + line->slope * x[i];
	out->inflation = et_serial_inflation(y, n);
	double error = sqrt(out->inflation) * line->intercept_error;
	out->df = fmax((double)n / out->inflation - 2, 1);
	out->coverage_factor = et_qt(0.5 + out->level / 2, out->df);
	out->mean = exp(line->intercept);
	out->relative_error = line->residual_sd; /* the sd of logarithms is relative already */
	out->standard_uncertainty = out->mean * error;
	out->expanded_uncertainty = out->coverage_factor * out->standard_uncertainty;
	out->lo = exp(line->intercept - out->coverage_factor * error);
	out->hi = exp(line->intercept + out->coverage_factor * error);
}

void et_pace_fit(const double *cpu, const double *lap, size_t n, double level, struct et_paced *out)
{
	*out = (struct et_paced){ .n = n, .level = level };
	out->coefficient = out->coefficient_uncertainty = out->p = out->lap = out->lap_mean = NAN;
	out->mean = out->relative_error = out->inflation = out->df = NAN;
	out->standard_uncertainty = out->coverage_factor = out->expanded_uncertainty = NAN;
	out->lo = out->hi = NAN;
	if (n < ET_PACE_LEAST) {
		out->why = "the reference loop ran in too few samples; take more (--runs)";
		return;
	}
	ET_AUTO_FREE double *x = logs(lap, n), *y = logs(cpu, n), *sorted = et_sorted_copy(lap, n);
	struct et_line line;
	out->lap = et_quantile_sorted(sorted, n, 0.1);
	out->lap_mean = exp(et_mean(x, n));
	for (size_t i = 0; i < n; i++)
		x[i] -= log(out->lap);
	et_line_fit(x, y, n, &line);
	out->coefficient = line.slope;
	out->coefficient_uncertainty = line.slope_error;
	if (line.slope_error > 0) /* if it is 0, all points are on the line */
		out->p = et_pt_two_sided(line.slope / line.slope_error, (double)n - 2);
	/* A negative slope has no physical meaning: the loop then does not predict the program. */
	if (!(line.slope > 0) || out->p > alpha)
		out->why = n < FEW ? "too few runs to relate the reference loop's speed to this "
				     "program's; take more (--runs 30)"
				   : "the reference loop's speed does not predict this program's";
	else
		conclude(&line, x, y, n, out);
}

/* CPU times and durations of a lap. Returns their number, in *paced that of all samples. */
static size_t collect(const struct et_command *c, double *cpu, double *lap, size_t *paced)
{
	size_t n = 0;

	*paced = 0;
	et_for_each_sample(s, &c->samples) {
		if (s->place.warmup || s->ruling.removal.by != ET_KEPT ||
			s->place.arrangement != ET_PACED || s->measured.cpu_ns == ET_UNKNOWN ||
			!s->measured.cpu_ns)
			continue;
		++*paced;
		if (s->measured.pace_ns == ET_UNKNOWN || s->measured.pace_loops == ET_UNKNOWN ||
			!s->measured.pace_ns || s->measured.pace_loops < ET_PACE_LAPS)
			continue;
		cpu[n] = (double)s->measured.cpu_ns;
		lap[n++] = (double)s->measured.pace_ns / (double)s->measured.pace_loops;
	}
	return n;
}

void et_pace_judge(const struct et_command *c, double level, struct et_paced *out)
{
	ET_AUTO_FREE double *cpu = et_calloc(c->samples.n + 1, sizeof(*cpu));
	ET_AUTO_FREE double *lap = et_calloc(c->samples.n + 1, sizeof(*lap));
	size_t paced, n = collect(c, cpu, lap, &paced);

	*out = (struct et_paced){ 0 };
	if (paced)
		et_pace_fit(cpu, lap, n, level, out);
}

size_t et_pace_correct(const struct et_command *c, const struct et_paced *p, double *x)
{
	ET_AUTO_FREE double *lap = et_calloc(c->samples.n + 1, sizeof(*lap));
	size_t paced, n = collect(c, x, lap, &paced);

	for (size_t i = 0; i < n; i++)
		x[i] *= pow(p->lap / lap[i], p->coefficient);
	return isfinite(p->mean) ? n : 0;
}

/* --- fast and slow in turn --- */

/* The judged times of a command's solo runs with the speed of the machine. */
struct speeds {
	double *times, *readings; /* a reading is 0 if there is none */
	bool *slow;
	size_t n, n_slow, kept_slow;
};

static struct speeds read_speeds(const struct et_command *c, enum et_metric metric)
{
	size_t room = c->samples.n + 1;
	struct speeds out = { et_calloc(room, sizeof(*out.times)),
		et_calloc(room, sizeof(*out.readings)), et_calloc(room, sizeof(*out.slow)), 0, 0,
		0 };

	et_for_each_sample(s, &c->samples) {
		double value = et_sample_value(s, metric);
		bool removed = s->ruling.removal.by == ET_REMOVED_MACHINE_SLOW;
		if (s->place.warmup || s->place.arrangement != ET_SOLO || isnan(value) ||
			(s->ruling.removal.by != ET_KEPT && !removed))
			continue;
		bool slow = removed || s->ruling.marks & ET_MARK_MACHINE_SLOW;
		out.times[out.n] = value;
		out.readings[out.n] = fmax(et_known_or_0(s->measured.probe_before_ns),
			et_known_or_0(s->measured.probe_after_ns));
		out.slow[out.n++] = slow;
		out.n_slow += slow;
		out.kept_slow += slow && !removed;
	}
	return out;
}

static void speeds_free(struct speeds *s)
{
	free(s->times);
	free(s->readings);
	free(s->slow);
}

static double mean_where(const double *x, const bool *slow, size_t n, bool which)
{
	ET_AUTO_FREE double *some = et_calloc(n + 1, sizeof(*some));
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (slow[i] == which)
			some[k++] = x[i];
	}
	return et_mean(some, k);
}

void et_full_speed_fit(const double *times, const double *readings, const bool *slow, size_t n,
	double level, struct et_full_speed *out)
{
	size_t n_slow = 0;

	*out = (struct et_full_speed){ .level = level };
	for (size_t i = 0; i < n; i++)
		n_slow += slow[i];
	if (n < ET_PACE_LEAST || n_slow < ET_STATES_LEAST || n - n_slow < ET_STATES_LEAST)
		return;
	double fast = mean_where(readings, slow, n, false);
	ET_AUTO_FREE double *x = et_calloc(n, sizeof(*x));
	struct et_line line;
	for (size_t i = 0; i < n; i++)
		x[i] = readings[i] - fast;
	et_line_fit(x, times, n, &line);
	if (!(line.slope > 0)) /* false for NaN, if all readings are equal */
		return;
	for (size_t i = 0; i < n; i++)
		x[i] = times[i] - line.intercept - line.slope * x[i];
	out->inflation = et_serial_inflation(x, n);
	out->df = fmax((double)n / out->inflation - 2, 1);
	out->n = n;
	out->mean = line.intercept;
	out->reading = fast;
	out->slope = line.slope;
	out->slope_uncertainty = line.slope_error;
	out->standard_uncertainty = sqrt(out->inflation) * line.intercept_error;
	out->coverage_factor = et_qt(0.5 + level / 2, out->df);
	out->expanded_uncertainty = out->coverage_factor * out->standard_uncertainty;
	out->lo = out->mean - out->expanded_uncertainty;
	out->hi = out->mean + out->expanded_uncertainty;
}

/* A command that no slow run touched was measured at full speed. */
static struct et_full_speed as_measured(const struct et_estimate *e)
{
	return (struct et_full_speed){ .n = e->n,
		.mean = e->mean,
		.standard_uncertainty = e->standard_uncertainty,
		.coverage_factor = e->coverage_factor,
		.expanded_uncertainty = e->expanded_uncertainty,
		.lo = e->lo,
		.hi = e->hi,
		.level = e->level,
		.reading = NAN,
		.slope = NAN,
		.slope_uncertainty = NAN,
		.inflation = 1,
		.df = (double)e->n - 1 };
}

static bool read_everywhere(const struct speeds *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!(s->readings[i] > 0))
			return false;
	}
	return true;
}

/* Fits every command, and forgets all if the interval of one is not narrower. */
static void correct(const struct et_experiment *e, const struct speeds *all, struct et_judgement *j)
{
	bool narrower = true;

	for (size_t i = 0; i < j->n_commands; i++) {
		struct et_command_result *r = &j->commands[i];
		const struct et_estimate *plain = &r->estimate[r->metric];
		const struct speeds *s = &all[i];
		if (!s->n_slow) {
			r->full_speed = as_measured(plain);
			continue;
		}
		if (read_everywhere(s))
			et_full_speed_fit(s->times, s->readings, s->slow, s->n, e->plan.level,
				&r->full_speed);
		narrower = narrower && r->full_speed.n &&
			   r->full_speed.expanded_uncertainty < plain->expanded_uncertainty;
	}
	for (size_t i = 0; !narrower && i < j->n_commands; i++)
		j->commands[i].full_speed = (struct et_full_speed){ 0 };
}

void et_states_judge(const struct et_experiment *e, struct et_judgement *j)
{
	ET_AUTO_FREE struct speeds *all = et_calloc(j->n_commands + 1, sizeof(*all));
	struct et_rank_strata test = { 0 };
	size_t n = 0, slow = 0, kept = 0;

	for (size_t i = 0; i < j->n_commands; i++) {
		all[i] = read_speeds(j->commands[i].command, j->commands[i].metric);
		et_rank_strata_add(&test, all[i].times, all[i].slow, all[i].n);
		n += all[i].n;
		slow += all[i].n_slow;
		kept += all[i].kept_slow;
	}
	bool two = slow >= ET_STATES_LEAST && n - slow >= ET_STATES_LEAST &&
		   et_rank_strata_p(&test) < ET_SPEED_ALPHA;
	for (size_t i = 0; two && i < j->n_commands; i++) {
		const struct speeds *s = &all[i];
		j->commands[i].states = (struct et_states){ s->n - s->n_slow, s->n_slow,
			mean_where(s->times, s->slow, s->n, false),
			mean_where(s->times, s->slow, s->n, true) };
	}
	if (two && kept && j->choice.protocol != ET_PROTOCOL_KBEST)
		correct(e, all, j);
	for (size_t i = 0; i < j->n_commands; i++)
		speeds_free(&all[i]);
}
