/* SPDX-License-Identifier: MIT */
/* Writes results as JSON; etalon(3) describes its keys, and lib/bench/read.c reads them. */
#include "base/json.h"
#include "lib/bench/cases.h"
#include "lib/bench/output.h"
#include "lib/slice/complexity.h"
#include "lib/slice/wire.h"

#include <math.h>
#include <stdlib.h>

/* Seven digits: no clock and no machine repeats more of them. */
static double brief(double x)
{
	char text[32];

	snprintf(text, sizeof(text), "%.7g", x);
	return strtod(text, NULL);
}

static void put(struct et_json *j, const char *key, double x)
{
	et_json_double(j, key, isfinite(x) ? brief(x) : NAN);
}

static void context(struct et_json *j, const struct et_bench_results *r)
{
	const struct et_bench_context *c = &r->context;

	et_json_string(j, "libetalon", c->version);
	et_json_string(j, "date", c->date);
	et_json_string(j, "program", c->program);
	et_json_object(j, "host");
	et_json_string(j, "name", c->host);
	et_json_string(j, "machine", c->machine_id);
	et_json_string(j, "kernel", c->kernel);
	et_json_string(j, "cpu", c->cpu);
	et_json_u64(j, "cpus", c->cpus);
	et_json_double(j, "counter_hz", et_bench_hz(r));
	et_json_double(j, "load", c->load);
	et_json_end(j);
	et_json_object(j, "build");
	et_json_string(j, "compiler", c->compiler);
	et_json_string(j, "flags", c->flags);
	if (c->compiler)
		et_json_bool(j, "optimised", c->optimised);
	else
		et_json_null(j, "optimised");
	et_json_end(j);
}

static void options(struct et_json *j, const struct et_bench_options *o)
{
	const struct etalon_kbest_opts *k = &o->kbest;

	et_json_string(j, "protocol", "kbest");
	et_json_u64(j, "k", k->k);
	et_json_double(j, "epsilon", k->epsilon);
	et_json_u64(j, "max_samples", k->max_samples);
	et_json_string(j, "cache", et_bench_cache_names[k->cache]);
	et_json_string(j, "clock", et_bench_clock_names[k->clock]);
	et_json_bool(j, "compensate", k->compensate);
	et_json_u64(j, "processes", o->processes);
	et_json_u64(j, "repetitions", o->repetitions ? o->repetitions : 1);
	et_json_double(j, "level", o->level);
	et_json_u64(j, "seed", o->seed);
}

static void statistics(struct et_json *j, const struct et_bench_estimate *e)
{
	et_json_double(j, "min_ns", e->min_ns);
	et_json_double(j, "p10_ns", e->p10_ns);
	et_json_double(j, "q1_ns", e->q1_ns);
	et_json_double(j, "median_ns", e->median_ns);
	et_json_double(j, "q3_ns", e->q3_ns);
	et_json_double(j, "p90_ns", e->p90_ns);
	et_json_double(j, "p99_ns", e->p99_ns);
	et_json_double(j, "max_ns", e->max_ns);
	et_json_double(j, "mean_ns", e->mean_ns);
	et_json_double(j, "sd_ns", e->sd_ns);
	et_json_double(j, "between_processes", e->between);
	et_json_double(j, "within_processes", e->within);
	et_json_u64(j, "samples", e->n);
	et_json_u64(j, "processes", e->processes);
	et_json_u64(j, "interrupted", e->preempted);
	et_json_u64(j, "slow", e->slow);
}

static void estimate(struct et_json *j, const struct et_bench_estimate *e)
{
	et_json_double(j, "time_ns", e->ns);
	et_json_double(j, "relative_error", e->ns > 0 ? et_bench_half(e) / e->ns : NAN);
	et_json_double(j, "lo_ns", e->lo_ns);
	et_json_double(j, "hi_ns", e->hi_ns);
	et_json_string(j, "statistic", et_bench_statistic_names[e->statistic]);
	et_json_string(j, "reason", et_bench_reason_names[e->reason]);
	et_json_bool(j, "converged",
		e->reason != ET_BENCH_NO_FLOOR && !(e->warnings & ETALON_WARNING_SPREAD));
}

/* The value of each process, as the answer is made of them. */
static void processes(struct et_json *j, const struct et_bench_row *row)
{
	struct et_bench_summary v;

	et_bench_process_values(row, false, &v);
	et_json_flat_array(j, "process_ns");
	for (size_t i = 0; i < v.n; i++)
		put(j, NULL, v.ns[i]);
	et_json_end(j);
	et_bench_summary_free(&v);
}

static void counters(struct et_json *j, const struct et_bench_row *row)
{
	const struct et_slice *s = et_bench_first(row);

	et_json_flat_object(j, "counters");
	for (size_t i = 0; s && i < s->n_counters; i++)
		et_json_double(
			j, s->counters[i].name, et_bench_counter(row, s->counters[i].name, NULL));
	et_json_end(j);
	et_json_flat_object(j, "events");
	for (int i = 0; i < ET_EVENTS; i++)
		put(j, et_bench_event_names[i], et_bench_event(row, (enum et_bench_event)i));
	et_json_end(j);
}

static double figure_of(const struct et_bench_sample *s, int column)
{
	const double figures[] = { s->ns, s->cpu_ns, s->slowdown, s->marks };

	return figures[column];
}

/* Columns of zeros are omitted. */
static void samples(struct et_json *j, const struct et_slice *s)
{
	static const char *const keys[] = { "ns", "cpu_ns", "slowdown", "marks" };

	for (int c = 0; c < (int)ET_LENGTH(keys); c++) {
		bool any = c == 0;

		for (size_t i = 0; i < s->n; i++)
			any = any || figure_of(&s->samples[i], c) != 0;
		if (!any)
			continue;
		et_json_flat_array(j, keys[c]);
		for (size_t i = 0; i < s->n; i++)
			put(j, NULL, figure_of(&s->samples[i], c));
		et_json_end(j);
	}
}

static void slice(struct et_json *j, const struct et_slice *s)
{
	et_json_object(j, NULL);
	et_json_u64(j, "process", s->process);
	et_json_u64(j, "calls", s->calls);
	et_json_string(j, "clock", et_bench_clock_names[s->clock]);
	et_json_double(j, "hz", s->hz);
	for (const struct et_slice_number *n = et_slice_numbers; n->key; n++)
		if (n->file)
			put(j, n->file, *et_slice_number(s, n));
	samples(j, s);
	et_json_end(j);
}

static void slices(struct et_json *j, const char *key, const struct et_bench_row *row, bool old)
{
	et_json_array(j, key);
	for (size_t i = 0; i < row->n_slices; i++)
		if (row->slices[i].old == old && row->slices[i].n)
			slice(j, &row->slices[i]);
	et_json_end(j);
}

static void comparison(struct et_json *j, const struct et_bench_row *row)
{
	if (!row->has_old) {
		et_json_null(j, "baseline");
		return;
	}
	et_json_object(j, "baseline");
	estimate(j, &row->old);
	et_json_double(j, "ratio", row->comparison.ratio);
	et_json_double(j, "lo", row->comparison.lo);
	et_json_double(j, "hi", row->comparison.hi);
	et_json_double(j, "p", row->comparison.p);
	et_json_string(j, "verdict", et_bench_verdict_names[row->comparison.verdict]);
	et_json_end(j);
}

static void warnings(struct et_json *j, const struct et_bench_row *row)
{
	unsigned bits = et_bench_warnings(row);

	et_json_array(j, "warnings");
	for (unsigned bit = 1; bit; bit <<= 1)
		if (bits & bit)
			et_json_string(j, NULL, et_bench_warning_text(row, bit));
	et_json_end(j);
}

static void parameters(struct et_json *j, const struct et_bench_row *row)
{
	const struct et_bench_case *c = row->which;
	const struct et_slice *first = et_bench_first(row);

	et_json_flat_object(j, "parameters");
	for (size_t i = 0; c && i < c->n_params; i++) {
		const char *name = et_param_name(c->bench, i);
		char number[24];

		/* Without a name it is called n if it is the only one, else p1, p2 … */
		snprintf(number, sizeof(number), c->n_params == 1 ? "n" : "p%zu", i + 1);
		et_json_int(j, name ? name : number, c->params[i]);
	}
	et_json_end(j);
	et_json_u64(j, "threads", c && c->threads ? c->threads : 1);
	et_json_double(j, "size", first ? first->size : NAN);
	et_json_string(j, "label", et_bench_label(row));
	et_json_string(j, "error", row->skipped ? NULL : et_bench_error(row));
	et_json_string(j, "skipped", row->skipped ? et_bench_error(row) : NULL);
}

static void function(struct et_json *j, const struct et_bench_row *row)
{
	const struct et_slice *first = et_bench_first(row);

	et_json_object(j, NULL);
	et_json_string(j, "name", row->name);
	parameters(j, row);
	if (et_bench_timed(row)) {
		estimate(j, &row->estimate);
		statistics(j, &row->estimate);
		processes(j, row);
	} else {
		et_json_null(j, "time_ns");
	}
	if (first) {
		et_json_string(j, "clock", et_bench_clock_names[first->clock]);
		et_json_u64(j, "calls", first->calls);
	}
	et_json_double(j, "items_per_second", et_bench_items(row));
	et_json_double(j, "bytes_per_second", et_bench_bytes(row));
	counters(j, row);
	comparison(j, row);
	warnings(j, row);
	slices(j, "slices", row, false);
	slices(j, "old_slices", row, true);
	et_json_end(j);
}

static void per_element(struct et_json *j, const char *key, const struct et_per_element *e)
{
	if (isnan(e->slope)) {
		et_json_null(j, key);
		return;
	}
	et_json_flat_object(j, key);
	et_json_double(j, "slope", e->slope);
	et_json_double(j, "lo", e->lo);
	et_json_double(j, "hi", e->hi);
	et_json_double(j, "intercept", e->intercept);
	et_json_double(j, "lack_of_fit_p", e->lack_p);
	et_json_end(j);
}

/* The model that the benchmark names. */
static void asked(struct et_json *j, const struct et_complexity *c)
{
	if (!c->asked) {
		et_json_null(j, "asked");
		return;
	}
	et_json_object(j, "asked");
	et_json_string(j, "model", et_growth_keys[c->model]);
	et_json_double(j, "coefficient_ns", c->of_model.ns);
	et_json_double(j, "lo_ns", c->of_model.lo);
	et_json_double(j, "hi_ns", c->of_model.hi);
	et_json_end(j);
}

static void complexity(struct et_json *j, const struct et_complexity *c)
{
	et_json_object(j, NULL);
	et_json_string(j, "name", c->name);
	if (c->problem) {
		et_json_null(j, "model");
	} else {
		et_json_string(j, "model", et_growth_keys[c->growth.best]);
		et_json_double(j, "coefficient_ns", c->best.ns);
		et_json_double(j, "lo_ns", c->best.lo);
		et_json_double(j, "hi_ns", c->best.hi);
		asked(j, c);
		per_element(j, "ns_per_element", &c->ns);
		per_element(j, "cycles_per_element", &c->cycles);
	}
	et_json_end(j);
}

void et_bench_json(const struct et_bench_results *r, FILE *out)
{
	struct et_json j;

	et_json_init(&j, out, 1);
	et_json_object(&j, NULL);
	et_json_int(&j, "etalon", ET_BENCH_FORMAT);
	context(&j, r);
	options(&j, &r->options);
	et_json_array(&j, "notes");
	for (size_t i = 0; i < r->n_notes; i++)
		et_json_string(&j, NULL, r->notes[i]);
	et_json_end(&j);
	et_json_array(&j, "functions");
	for (size_t i = 0; i < r->n; i++)
		function(&j, &r->rows[i]);
	et_json_end(&j);
	et_json_array(&j, "complexity");
	for (size_t i = 0; i < r->n_complexity; i++)
		complexity(&j, &r->complexity[i]);
	et_json_end(&j);
	et_json_end(&j);
}
