/* SPDX-License-Identifier: MIT */
/* Writes JSON (its keys: etalon(3); its reader: read.c), CSV, and Google Benchmark's formats. */
#include "base/json.h"
#include "lib/bench/output.h"
#include "lib/slice/complexity.h"
#include "lib/slice/wire.h"
#include "num/quantile.h"

/* Seven digits: no clock and no machine repeats more of them. */
static void put(struct et_json *j, const char *key, double x)
{
	char text[32];

	snprintf(text, sizeof(text), "%.7g", x);
	et_json_double(j, key, strtod(text, NULL));
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

/* --- CSV (RFC 4180), for spreadsheets --- */

/* A cell: a text, quoted if that is wanted or needed. */
static void csv_text(const char *text, bool quoted, FILE *out)
{
	quoted = quoted || (text && strpbrk(text, ",\"\r\n"));
	if (quoted)
		putc('"', out);
	for (; text && *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	if (quoted)
		putc('"', out);
}

/* A number, after a comma. */
static void csv_number(double x, FILE *out)
{
	char buf[32];

	putc(',', out);
	if (isfinite(x))
		fputs(et_shortest(x, buf), out);
}

static void csv_word(const char *text, FILE *out)
{
	putc(',', out);
	csv_text(text, false, out);
}

static void csv_estimate(const struct et_bench_row *row, FILE *out)
{
	const struct et_bench_estimate *e = &row->estimate;
	const double figures[] = { e->ns, e->lo_ns, e->hi_ns, e->min_ns, e->median_ns, e->mean_ns,
		e->sd_ns, e->q1_ns, e->q3_ns, e->p10_ns, e->p90_ns, e->p99_ns, e->max_ns };
	bool timed = et_bench_timed(row);

	for (size_t i = 0; i < ET_LENGTH(figures); i++)
		csv_number(timed ? figures[i] : NAN, out);
	csv_word(timed ? et_bench_statistic_names[e->statistic] : NULL, out);
	fprintf(out, ",%zu,%zu", e->n, e->processes);
}

static void csv_row(const struct et_bench_row *row, const char **names, size_t n, FILE *out)
{
	const struct et_bench_comparison *c = &row->comparison;
	bool old = row->has_old && et_bench_timed(row);

	csv_text(row->name, false, out);
	csv_estimate(row, out);
	csv_number(et_bench_items(row), out);
	csv_number(et_bench_bytes(row), out);
	for (int i = 0; i < ET_EVENTS; i++)
		csv_number(et_bench_event(row, (enum et_bench_event)i), out);
	csv_number(old ? row->old.ns : NAN, out);
	csv_number(old ? c->ratio : NAN, out);
	csv_number(old ? c->lo : NAN, out);
	csv_number(old ? c->hi : NAN, out);
	csv_word(old ? et_bench_verdict_names[c->verdict] : NULL, out);
	csv_word(et_bench_label(row), out);
	csv_word(et_bench_error(row), out);
	for (size_t i = 0; i < n; i++)
		csv_number(et_bench_counter(row, names[i], NULL), out);
	fputs("\r\n", out);
}

void et_bench_csv(const struct et_bench_results *r, FILE *out)
{
	size_t n;
	ET_AUTO_FREE const char **names = et_bench_counter_names(r, &n);

	fputs("name,time_ns,lo_ns,hi_ns,min_ns,median_ns,mean_ns,sd_ns,q1_ns,q3_ns,p10_ns,p90_ns,"
	      "p99_ns,max_ns,statistic,samples,processes,items_per_second,bytes_per_second,"
	      "cycles,instructions,branch_misses,cache_misses,old_ns,ratio,ratio_lo,ratio_hi,"
	      "verdict,label,error",
		out);
	for (size_t i = 0; i < n; i++)
		csv_word(names[i], out);
	fputs("\r\n", out);
	for (size_t i = 0; i < r->n; i++)
		csv_row(&r->rows[i], names, n, out);
}

/*
 * --- the JSON and the CSV of Google Benchmark 1.7 ---
 *
 * Each process is a repetition, whose time is its value in the table, so that the aggregates
 * describe the repetitions.
 */

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

static void google_counters(struct et_json *j, const struct et_bench_row *row)
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
		google_counters(j, row);
	et_json_end(j);
}

static void google_context(struct et_json *j, const struct et_bench_results *r)
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
	google_context(&j, r);
	et_json_array(&j, "benchmarks");
	write_all(r, write_json, &j);
	et_json_end(&j);
	et_json_end(&j);
}

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

	csv_text(name, true, c->out);
	if (error) {
		fprintf(c->out, ",,,,,,,,%s,", row->skipped ? "" : "true");
		csv_text(error, true, c->out);
	} else {
		fprintf(c->out, ",%" PRIu64, x->iterations);
		csv_number(x->real, c->out);
		csv_number(x->cpu, c->out);
		fputs(is_percentage(x) ? "," : ",ns", c->out);
		csv_number(figures ? et_bench_bytes(row) : NAN, c->out);
		csv_number(figures ? et_bench_items(row) : NAN, c->out);
		putc(',', c->out);
		if (label)
			csv_text(label, true, c->out);
		fputs(",,", c->out);
	}
	for (size_t i = 0; i < c->n; i++)
		csv_number(figures ? et_bench_counter(row, c->names[i], NULL) : NAN, c->out);
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
		csv_text(names[i], true, out);
	}
	putc('\n', out);
	write_all(r, write_csv, &(struct csv){ names, n, out });
}
