/* SPDX-License-Identifier: MIT */
/*
 * Writes results in the JSON and the CSV of Google Benchmark 1.7. Each process is a repetition,
 * whose time is its value in the table, so that the aggregates describe the repetitions.
 */
#include "base/alloc.h"
#include "base/doubles.h"
#include "base/json.h"
#include "lib/bench/figures.h"
#include "lib/bench/output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
	qsort(x, n, sizeof(*x), et_ascending);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* The repetitions of one case. */
struct repetitions {
	struct et_bench_summary real, cpu;
	size_t n;
};

/* The times are those of the table: a process gives the same value here and there. */
static void collect(const struct et_bench_row *row, struct repetitions *out)
{
	et_bench_process_values(row, &out->real);
	et_bench_process_cpu(row, &out->cpu);
	out->n = out->real.n;
	/* Without a CPU time (samples that were read from a file) there is the other alone. */
	for (size_t i = 0; i < out->n; i++) {
		out->real.ns[i] = fmax(out->real.ns[i], 0); /* next to nothing, less the loop */
		if (!(out->cpu.ns[i] > 0))
			out->cpu.ns[i] = out->real.ns[i];
	}
}

static uint64_t iterations(const struct et_bench_row *row, unsigned process)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < row->n_slices; i++) {
		const struct et_slice *s = &row->slices[i];

		if (!s->old && !s->error && s->process == process)
			sum += s->calls * s->n;
	}
	return sum;
}

static void repetitions_free(struct repetitions *p)
{
	et_bench_summary_free(&p->real);
	et_bench_summary_free(&p->cpu);
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

/* The figures by which Google Benchmark sums up repetitions. */
enum { MEAN, MEDIAN, STDDEV, CV, AGGREGATES };
static const char *const aggregate_names[] = { "mean", "median", "stddev", "cv" };

/* Sorts x. */
static void sum_up(double *x, size_t n, double out[AGGREGATES])
{
	out[MEAN] = mean(x, n);
	out[STDDEV] = sd(x, n);
	out[CV] = out[MEAN] > 0 ? out[STDDEV] / out[MEAN] : 0;
	out[MEDIAN] = median(x, n);
}

static void aggregates(const struct family *f, struct repetitions *p)
{
	double real[AGGREGATES], cpu[AGGREGATES];

	sum_up(p->real.ns, p->n, real);
	sum_up(p->cpu.ns, p->n, cpu);
	for (int k = 0; k < AGGREGATES; k++)
		aggregate(f, aggregate_names[k], k == CV ? "percentage" : "time", real[k], cpu[k]);
}

static void failure(const struct family *f)
{
	begin(f, f->row->name, "iteration");
	et_json_u64(f->j, "repetition_index", 0);
	et_json_bool(f->j, f->row->skipped ? "skipped" : "error_occurred", true);
	et_json_string(
		f->j, f->row->skipped ? "skip_message" : "error_message", et_bench_error(f->row));
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
		et_json_u64(j, "iterations", iterations(row, p.real.process[i]));
		times(&f, p.real.ns[i], p.cpu.ns[i]);
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

/* --- CSV --- */

static void quoted(const char *text, FILE *out)
{
	putc('"', out);
	for (; text && *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void number(double x, FILE *out)
{
	char buf[32];

	if (isfinite(x))
		fputs(et_shortest(x, buf), out);
	putc(',', out);
}

/* A row of the CSV, whose counters are all of `names`. */
struct csv {
	const struct et_bench_row *row;
	const char **names;
	size_t n;
	FILE *out;
};

static void csv_row(const struct csv *c, const char *suffix, uint64_t calls, double real,
	double cpu, bool percentage)
{
	ET_AUTO_FREE char *name = et_asprintf("%s%s", c->row->name, suffix);

	quoted(name, c->out);
	fprintf(c->out, ",%" PRIu64 ",", calls);
	number(real, c->out);
	number(cpu, c->out);
	fputs(percentage ? "," : "ns,", c->out);
	/* Rates and counters are those of all repetitions, of which there is no variation. */
	number(*suffix ? NAN : et_bench_bytes(c->row), c->out);
	number(*suffix ? NAN : et_bench_items(c->row), c->out);
	if (et_bench_label(c->row))
		quoted(et_bench_label(c->row), c->out);
	fputs(",,", c->out);
	for (size_t i = 0; i < c->n; i++) {
		char buf[32];
		double x = *suffix ? NAN : et_bench_counter(c->row, c->names[i], NULL);

		fprintf(c->out, ",%s", isfinite(x) ? et_shortest(x, buf) : "");
	}
	putc('\n', c->out);
}

static void csv_failure(const struct csv *c)
{
	quoted(c->row->name, c->out);
	fprintf(c->out, ",,,,,,,,%s,", c->row->skipped ? "" : "true");
	quoted(et_bench_error(c->row), c->out);
	for (size_t i = 0; i < c->n; i++)
		putc(',', c->out);
	putc('\n', c->out);
}

static void csv_function(const struct csv *c)
{
	double real[AGGREGATES], cpu[AGGREGATES];
	struct repetitions p;

	if (et_bench_error(c->row)) {
		csv_failure(c);
		return;
	}
	collect(c->row, &p);
	for (size_t i = 0; i < p.n; i++)
		csv_row(c, "", iterations(c->row, p.real.process[i]), p.real.ns[i], p.cpu.ns[i],
			false);
	sum_up(p.real.ns, p.n, real);
	sum_up(p.cpu.ns, p.n, cpu);
	for (int k = 0; p.n > 1 && k < AGGREGATES; k++) {
		ET_AUTO_FREE char *suffix = et_asprintf("_%s", aggregate_names[k]);

		csv_row(c, suffix, p.n, real[k], cpu[k], k == CV);
	}
	repetitions_free(&p);
}

void et_bench_google_csv(const struct et_bench_results *r, FILE *out)
{
	size_t n;
	ET_AUTO_FREE const char **names = et_bench_counter_names(r, &n);

	fputs("name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,"
	      "label,error_occurred,error_message",
		out);
	for (size_t i = 0; i < n; i++) {
		putc(',', out);
		quoted(names[i], out);
	}
	putc('\n', out);
	for (size_t i = 0; i < r->n; i++) {
		const struct csv c = { &r->rows[i], names, n, out };

		if (et_bench_timed(&r->rows[i]) || et_bench_error(&r->rows[i]))
			csv_function(&c);
	}
}
