/* SPDX-License-Identifier: MIT */
#include "lib/bench/output.h"

static const double LOW_RATE = 1.25; /* times as long as the samples say */

const char *const et_bench_statistic_names[] = { "best", "median", "mean", NULL };
const char *const et_bench_reason_names[] = { "floor", "below-floor", "calls-differ", "no-floor",
	"asked", NULL };
const char *const et_bench_verdict_names[] = { "no detectable difference", "faster", "slower",
	"the uncertainty is too large to compare", NULL };
const char *const et_bench_event_names[] = { "cycles", "instructions", "branch_misses",
	"cache_misses", NULL };
const char *const et_bench_cache_names[] = { "warm", "cold", "cold-data", NULL };
const char *const et_bench_clock_names[] = { "auto", "counter", "raw", "cpu", NULL };

int et_bench_name_index(const char *const *names, const char *text)
{
	for (int i = 0; text && names[i]; i++)
		if (!strcmp(names[i], text))
			return i;
	return -1;
}

const struct et_slice *et_bench_first(const struct et_bench_row *row)
{
	for (size_t i = 0; i < row->n_slices; i++)
		if (!row->slices[i].old)
			return &row->slices[i];
	return NULL;
}

double et_bench_hz(const struct et_bench_results *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct et_slice *s = et_bench_first(&r->rows[i]);

		if (s && s->clock == ETALON_CLOCK_COUNTER && s->hz > 0)
			return s->hz;
	}
	return NAN;
}

const char *et_bench_error(const struct et_bench_row *row)
{
	if (row->error)
		return row->error;
	for (size_t i = 0; i < row->n_slices; i++)
		if (!row->slices[i].old && row->slices[i].error)
			return row->slices[i].error;
	return NULL;
}

const char *et_bench_label(const struct et_bench_row *row)
{
	for (size_t i = 0; i < row->n_slices; i++)
		if (!row->slices[i].old && row->slices[i].label)
			return row->slices[i].label;
	return NULL;
}

bool et_bench_timed(const struct et_bench_row *row)
{
	return row->estimate.n > 0 && isfinite(row->estimate.ns) && !et_bench_error(row);
}

void et_bench_process_values(const struct et_bench_row *row, bool cpu, struct et_bench_summary *out)
{
	const struct et_slices s = { row->slices, row->n_slices, false };
	struct et_bench_method m = et_bench_method_choose(&s, 0);

	m.statistic = row->estimate.statistic;
	m.cpu_wanted = cpu;
	et_bench_summarise(&s, &m, out);
}

double et_bench_half(const struct et_bench_estimate *e)
{
	double half = fmax(e->hi_ns - e->ns, e->ns - e->lo_ns);

	return isfinite(e->hi_ns) && isfinite(e->lo_ns) ? fmax(half, 0) : INFINITY;
}

/* The mean of a member over the slices of the new program that have it, and samples if need be. */
static double mean_of(const struct et_bench_row *row, size_t member, bool sampled)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < row->n_slices; i++) {
		const struct et_slice *s = &row->slices[i];
		double x = *(const double *)(const void *)((const char *)s + member);

		if (s->old || (sampled && !s->n) || !isfinite(x))
			continue;
		sum += x;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

double et_bench_wall(const struct et_bench_row *row)
{
	return mean_of(row, offsetof(struct et_slice, wall_ns), true);
}

/* The rate of something that a call of one thread processes. */
static double rate(const struct et_bench_row *row, size_t member)
{
	double per_call = mean_of(row, member, true), wall = et_bench_wall(row);
	unsigned threads = row->which && row->which->threads ? row->which->threads : 1;
	double ns = isfinite(wall) ? wall : row->estimate.ns;

	return per_call > 0 && ns > 0 ? per_call * threads / ns * 1e9 : NAN;
}

double et_bench_items(const struct et_bench_row *row)
{
	return rate(row, offsetof(struct et_slice, items));
}

double et_bench_bytes(const struct et_bench_row *row)
{
	return rate(row, offsetof(struct et_slice, bytes));
}

double et_bench_event(const struct et_bench_row *row, enum et_bench_event event)
{
	return mean_of(row, offsetof(struct et_slice, events) + event * sizeof(double), false);
}

double et_bench_counter(const struct et_bench_row *row, const char *name, unsigned *kind)
{
	bool inverse = false;
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < row->n_slices; i++) {
		const struct et_slice *s = &row->slices[i];

		for (size_t c = 0; !s->old && c < s->n_counters; c++) {
			if (strcmp(s->counters[c].name, name) != 0)
				continue;
			inverse = s->counters[c].kind & ETALON_COUNTER_INVERT;
			sum += inverse ? 1 / s->counters[c].value : s->counters[c].value;
			n++;
			if (kind)
				*kind = s->counters[c].kind;
		}
	}
	if (!n)
		return NAN;
	return inverse ? (double)n / sum : sum / (double)n;
}

static bool has(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

const char **et_bench_counter_names(const struct et_bench_results *r, size_t *n)
{
	const char **names = NULL;
	size_t room = 0;

	*n = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct et_slice *s = et_bench_first(&r->rows[i]);

		for (size_t c = 0; s && c < s->n_counters; c++) {
			if (has(names, *n, s->counters[c].name))
				continue;
			ET_GROW(names, *n, room);
			names[(*n)++] = s->counters[c].name;
		}
	}
	return names;
}

/* Whether rates of counters contradict the times of one thread; its items are by these times. */
static bool counters_too_low(const struct et_bench_row *row)
{
	double sum = 0, doubt = 0;
	size_t n = 0;

	for (size_t i = 0; i < row->n_slices; i++) {
		const struct et_slice *s = &row->slices[i];

		if (s->old || !(s->loop_ns > 0))
			continue;
		sum += s->loop_ns - s->empty_ns;
		doubt = fmax(doubt, 2 * s->empty_uncertainty_ns);
		n++;
	}
	return n && sum / (double)n > LOW_RATE * row->estimate.ns + doubt;
}

/* Whether rates, by elapsed time, contradict undisturbed samples: others had the CPUs between. */
static bool rates_too_low(const struct et_bench_row *row)
{
	const struct et_slice *s = et_bench_first(row);
	bool rates = isfinite(et_bench_items(row)) || isfinite(et_bench_bytes(row));
	bool counters = false;
	double at_once = s ? s->at_once : 0, ns = row->estimate.ns;

	for (size_t i = 0; s && i < s->n_counters; i++)
		counters = counters || s->counters[i].kind & ETALON_COUNTER_RATE;
	if (!row->which || !et_bench_timed(row))
		return false;
	if (!(at_once > 0))
		return counters && counters_too_low(row);
	if (row->which->bench->flags & ETALON_BENCH_WALL)
		ns *= at_once;
	return (rates || counters) &&
	       et_bench_wall(row) > LOW_RATE * ns * row->which->threads / at_once;
}

unsigned et_bench_warnings(const struct et_bench_row *row)
{
	return row->estimate.warnings | (rates_too_low(row) ? ETALON_WARNING_RATES : 0u);
}

const char *et_bench_warning_text(const struct et_bench_row *row, unsigned warning)
{
	bool loop = row->which && row->which->bench && row->which->bench->body;

	if (warning == ETALON_WARNING_OVERHEAD && loop)
		return "about as short as the loop itself: do more per iteration (unroll)";
	return etalon_warning_text(warning);
}
