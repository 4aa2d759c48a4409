/* SPDX-License-Identifier: MIT */
/*
 * Writes results in the JSON and the CSV of Google Benchmark 1.7. Each process is a repetition,
 * whose time is its value in the table, so that the aggregates describe the repetitions.
 */
#include "base/alloc.h"
#include "base/json.h"
#include "lib/bench/output.h"
#include "num/quantile.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How often a process called the function. */
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

/* A repetition of a case, or (with an aggregate) a figure that sums up all of them. */
struct entry {
	const char *aggregate; /* or NULL */
	size_t index;
	uint64_t iterations;
	double real, cpu;
};

struct entries {
	const struct et_bench_row *row;
	size_t family, repetitions, n;
	struct entry *list;
};

/* The figures by which Google Benchmark sums up repetitions. */
enum { MEAN, MEDIAN, STDDEV, CV, AGGREGATES };
static const char *const aggregate_names[] = { "mean", "median", "stddev", "cv" };

/* Sorts x. Plain sums, as Google Benchmark has them. */
static void sum_up(double *x, size_t n, double out[AGGREGATES])
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	out[MEAN] = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - out[MEAN]) * (x[i] - out[MEAN]);
	out[STDDEV] = sqrt(squares / (double)(n - 1));
	out[CV] = out[MEAN] > 0 ? out[STDDEV] / out[MEAN] : 0;
	out[MEDIAN] = et_median(x, n);
}

/* The times are those of the table: a process gives the same value here and there. */
static void collect(struct entries *e)
{
	struct et_bench_summary real, cpu;
	double reals[AGGREGATES], cpus[AGGREGATES];

	et_bench_process_values(e->row, false, &real);
	et_bench_process_values(e->row, true, &cpu);
	e->list = et_calloc(real.n + AGGREGATES, sizeof(*e->list));
	/* Without a CPU time (samples that were read from a file) there is the other alone. */
	for (size_t i = 0; i < real.n; i++) {
		real.ns[i] = fmax(real.ns[i], 0); /* next to nothing, less the loop */
		if (!(cpu.ns[i] > 0))
			cpu.ns[i] = real.ns[i];
		e->list[i] = (struct entry){ NULL, i, iterations(e->row, real.process[i]),
			real.ns[i], cpu.ns[i] };
	}
	e->repetitions = e->n = real.n;
	if (real.n > 1) {
		sum_up(real.ns, real.n, reals);
		sum_up(cpu.ns, real.n, cpus);
		for (int k = 0; k < AGGREGATES; k++)
			e->list[e->n++] =
				(struct entry){ aggregate_names[k], 0, real.n, reals[k], cpus[k] };
	}
	et_bench_summary_free(&real);
	et_bench_summary_free(&cpu);
}

/* Writes the entries of each case that was timed or has failed. A failure is one of no time. */
static void write_all(const struct et_bench_results *r,
	void (*write)(void *ctx, const struct entries *e, const struct entry *x, const char *name),
	void *ctx)
{
	for (size_t i = 0; i < r->n; i++) {
		struct entries e = { .row = &r->rows[i], .family = i, .repetitions = 1, .n = 1 };

		if (et_bench_timed(e.row)) {
			collect(&e);
		} else if (et_bench_error(e.row)) {
			e.list = et_calloc(1, sizeof(*e.list));
			e.list->iterations = 1;
		} else {
			continue;
		}
		for (size_t k = 0; k < e.n; k++) {
			const char *sum = e.list[k].aggregate;
			ET_AUTO_FREE char *name =
				et_asprintf("%s%s%s", e.row->name, sum ? "_" : "", sum ? sum : "");

			write(ctx, &e, &e.list[k], name);
		}
		free(e.list);
	}
}

static bool is_percentage(const struct entry *x)
{
	return x->aggregate == aggregate_names[CV];
}

/* --- JSON --- */

static void write_counters(struct et_json *j, const struct et_bench_row *row)
{
	const struct et_slice *s = et_bench_first(row);
	double items = et_bench_items(row), bytes = et_bench_bytes(row);

	if (isfinite(bytes))
		et_json_double(j, "bytes_per_second", bytes);
	if (isfinite(items))
		et_json_double(j, "items_per_second", items);
	for (size_t i = 0; s && i < s->n_counters; i++)
		et_json_double(
			j, s->counters[i].name, et_bench_counter(row, s->counters[i].name, NULL));
	if (et_bench_label(row))
		et_json_string(j, "label", et_bench_label(row));
}

static void write_json(void *ctx, const struct entries *e, const struct entry *x, const char *name)
{
	const struct et_bench_row *row = e->row;
	const char *error = et_bench_error(row);
	struct et_json *j = ctx;

	et_json_object(j, NULL);
	et_json_string(j, "name", name);
	et_json_u64(j, "family_index", e->family);
	et_json_u64(j, "per_family_instance_index", 0);
	et_json_string(j, "run_name", row->name);
	et_json_string(j, "run_type", x->aggregate ? "aggregate" : "iteration");
	et_json_u64(j, "repetitions", e->repetitions);
	et_json_u64(j, "threads", row->which && row->which->threads ? row->which->threads : 1);
	if (x->aggregate) {
		et_json_string(j, "aggregate_name", x->aggregate);
		et_json_string(j, "aggregate_unit", is_percentage(x) ? "percentage" : "time");
	} else {
		et_json_u64(j, "repetition_index", x->index);
	}
	if (error) {
		et_json_bool(j, row->skipped ? "skipped" : "error_occurred", true);
		et_json_string(j, row->skipped ? "skip_message" : "error_message", error);
	}
	et_json_u64(j, "iterations", x->iterations);
	et_json_double(j, "real_time", x->real);
	et_json_double(j, "cpu_time", x->cpu);
	et_json_string(j, "time_unit", "ns");
	if (!x->aggregate && !error)
		write_counters(j, row);
	et_json_end(j);
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
	write_all(r, write_json, &j);
	et_json_end(&j);
	et_json_end(&j);
}

/* --- CSV --- */

struct csv {
	const char **names; /* of all counters */
	size_t n;
	FILE *out;
};

static void write_csv(void *ctx, const struct entries *e, const struct entry *x, const char *name)
{
	const struct et_bench_row *row = e->row;
	const char *error = et_bench_error(row), *label = et_bench_label(row);
	/* Rates and counters are those of all repetitions, of which there is no variation. */
	bool figures = !error && !x->aggregate;
	const struct csv *c = ctx;

	et_bench_csv_text(name, true, c->out);
	if (error) {
		fprintf(c->out, ",,,,,,,,%s,", row->skipped ? "" : "true");
		et_bench_csv_text(error, true, c->out);
	} else {
		fprintf(c->out, ",%" PRIu64, x->iterations);
		et_bench_csv_number(x->real, c->out);
		et_bench_csv_number(x->cpu, c->out);
		fputs(is_percentage(x) ? "," : ",ns", c->out);
		et_bench_csv_number(figures ? et_bench_bytes(row) : NAN, c->out);
		et_bench_csv_number(figures ? et_bench_items(row) : NAN, c->out);
		putc(',', c->out);
		if (label)
			et_bench_csv_text(label, true, c->out);
		fputs(",,", c->out);
	}
	for (size_t i = 0; i < c->n; i++)
		et_bench_csv_number(
			figures ? et_bench_counter(row, c->names[i], NULL) : NAN, c->out);
	putc('\n', c->out);
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
		et_bench_csv_text(names[i], true, out);
	}
	putc('\n', out);
	write_all(r, write_csv, &(struct csv){ names, n, out });
}
