/* SPDX-License-Identifier: MIT */
/*
 * Writes results in the JSON of Google Benchmark 1.7. Each process is a repetition, whose time is
 * the statistic that answers for the case, so that the aggregates describe the repetitions.
 */
#include "base/alloc.h"
#include "base/json.h"
#include "lib/bench_figures.h"
#include "lib/bench_output.h"

#include <math.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static double sd(const double *x, size_t n)
{
	double m = mean(x, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - m) * (x[i] - m);
	return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

/* Sorts x. */
static double median(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), ascending);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* The statistic of one figure of the samples of a slice that has some. */
static double of_slice(const struct et_slice *s, enum et_bench_statistic statistic, bool cpu)
{
	ET_AUTO_FREE double *x = et_calloc(s->n, sizeof(*x));

	for (size_t i = 0; i < s->n; i++)
		x[i] = cpu ? s->samples[i].cpu_ns : s->samples[i].ns;
	if (statistic == ET_BENCH_MEAN)
		return mean(x, s->n);
	double middle = median(x, s->n);
	return statistic == ET_BENCH_BEST ? x[0] : middle;
}

/* The repetitions of one case. */
struct repetitions {
	double *real, *cpu;
	uint64_t *iterations;
	size_t n;
};

static void collect(const struct et_bench_row *row, struct repetitions *out)
{
	out->real = et_calloc(row->n_slices + 1, sizeof(*out->real));
	out->cpu = et_calloc(row->n_slices + 1, sizeof(*out->cpu));
	out->iterations = et_calloc(row->n_slices + 1, sizeof(*out->iterations));
	out->n = 0;
	for (size_t i = 0; i < row->n_slices; i++) {
		const struct et_slice *s = &row->slices[i];

		if (s->old || !s->n || s->error)
			continue;
		out->real[out->n] = of_slice(s, row->estimate.statistic, false);
		out->cpu[out->n] = of_slice(s, row->estimate.statistic, true);
		out->iterations[out->n++] = s->calls * s->n;
	}
}

static void repetitions_free(struct repetitions *p)
{
	free(p->real);
	free(p->cpu);
	free(p->iterations);
}

/* The keys that all entries of a case share. */
struct family {
	struct et_json *j;
	const struct et_bench_row *row;
	size_t index, repetitions;
};

static void begin(const struct family *f, const char *name, const char *type)
{
	const struct et_bench_case *c = f->row->which;

	et_json_object(f->j, NULL);
	et_json_string(f->j, "name", name);
	et_json_u64(f->j, "family_index", f->index);
	et_json_u64(f->j, "per_family_instance_index", 0);
	et_json_string(f->j, "run_name", f->row->name);
	et_json_string(f->j, "run_type", type);
	et_json_u64(f->j, "repetitions", f->repetitions);
	et_json_u64(f->j, "threads", c && c->threads ? c->threads : 1);
}

static void times(const struct family *f, double real, double cpu)
{
	et_json_double(f->j, "real_time", real);
	et_json_double(f->j, "cpu_time", cpu);
	et_json_string(f->j, "time_unit", "ns");
}

static void counters(const struct family *f)
{
	const struct et_slice *s = et_bench_first(f->row);
	double items = et_bench_items(f->row), bytes = et_bench_bytes(f->row);

	if (isfinite(bytes))
		et_json_double(f->j, "bytes_per_second", bytes);
	if (isfinite(items))
		et_json_double(f->j, "items_per_second", items);
	for (size_t i = 0; s && i < s->n_counters; i++)
		et_json_double(f->j, s->counters[i].name,
			et_bench_counter(f->row, s->counters[i].name, NULL));
	if (et_bench_label(f->row))
		et_json_string(f->j, "label", et_bench_label(f->row));
}

static void aggregate(
	const struct family *f, const char *name, const char *unit, double real, double cpu)
{
	ET_AUTO_FREE char *title = et_asprintf("%s_%s", f->row->name, name);

	begin(f, title, "aggregate");
	et_json_string(f->j, "aggregate_name", name);
	et_json_string(f->j, "aggregate_unit", unit);
	et_json_u64(f->j, "iterations", f->repetitions);
	times(f, real, cpu);
	et_json_end(f->j);
}

static void aggregates(const struct family *f, struct repetitions *p)
{
	double real = mean(p->real, p->n), cpu = mean(p->cpu, p->n);
	double real_sd = sd(p->real, p->n), cpu_sd = sd(p->cpu, p->n);

	aggregate(f, "mean", "time", real, cpu);
	aggregate(f, "median", "time", median(p->real, p->n), median(p->cpu, p->n));
	aggregate(f, "stddev", "time", real_sd, cpu_sd);
	aggregate(f, "cv", "percentage", real > 0 ? real_sd / real : 0, cpu > 0 ? cpu_sd / cpu : 0);
}

static void failure(const struct family *f)
{
	begin(f, f->row->name, "iteration");
	et_json_u64(f->j, "repetition_index", 0);
	et_json_bool(f->j, "error_occurred", true);
	et_json_string(f->j, "error_message", et_bench_error(f->row));
	et_json_u64(f->j, "iterations", 1);
	times(f, 0, 0);
	et_json_end(f->j);
}

static void function(struct et_json *j, const struct et_bench_row *row, size_t index)
{
	struct repetitions p;
	struct family f = { j, row, index, 1 };

	if (et_bench_error(row)) {
		failure(&f);
		return;
	}
	collect(row, &p);
	f.repetitions = p.n;
	for (size_t i = 0; i < p.n; i++) {
		begin(&f, row->name, "iteration");
		et_json_u64(j, "repetition_index", i);
		et_json_u64(j, "iterations", p.iterations[i]);
		times(&f, p.real[i], p.cpu[i]);
		counters(&f);
		et_json_end(j);
	}
	if (p.n > 1)
		aggregates(&f, &p);
	repetitions_free(&p);
}

static void context(struct et_json *j, const struct et_bench_results *r)
{
	const struct et_bench_context *c = &r->context;
	double hz = et_bench_hz(r);

	et_json_object(j, "context");
	et_json_string(j, "date", c->date);
	et_json_string(j, "host_name", c->host);
	et_json_string(j, "executable", c->program);
	et_json_u64(j, "num_cpus", c->cpus);
	et_json_int(j, "mhz_per_cpu", isfinite(hz) ? (int64_t)(hz / 1e6 + 0.5) : 0);
	et_json_bool(j, "cpu_scaling_enabled", false);
	et_json_flat_array(j, "caches");
	et_json_end(j);
	et_json_flat_array(j, "load_avg");
	if (isfinite(c->load))
		et_json_double(j, NULL, c->load);
	et_json_end(j);
	et_json_string(j, "library_build_type", "release");
	et_json_string(j, "libetalon", c->version);
	et_json_end(j);
}

void et_bench_google_json(const struct et_bench_results *r, FILE *out)
{
	struct et_json j;

	et_json_init(&j, out, 2);
	et_json_object(&j, NULL);
	context(&j, r);
	et_json_array(&j, "benchmarks");
	for (size_t i = 0; i < r->n; i++)
		if (et_bench_timed(&r->rows[i]) || et_bench_error(&r->rows[i]))
			function(&j, &r->rows[i], i);
	et_json_end(&j);
	et_json_end(&j);
}
