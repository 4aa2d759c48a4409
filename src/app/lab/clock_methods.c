/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon lab clock-methods`: INC timed by its own clocks, by clocks around it, and by EMP. Its own
 * readings are stored as a fact beside the experiment, as a sample has no place for them.
 */
#include "app/lab/experiments.h"
#include "protocol/precision.h"

/* Frees the readings of each command. */
static void inside_free(struct et_inside *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(all[i].runs);
	free(all);
}

/* A line has nanoseconds and, on a machine with a counter, its ticks. */
static void add_line(struct et_inside *to, const char *line)
{
	uint64_t ns, ticks;
	int n = sscanf(line, "%" SCNu64 " %" SCNu64, &ns, &ticks);

	if (n < 1)
		return;
	ET_GROW(to->runs, to->n, to->room);
	to->runs[to->n++] = (struct et_inside_reading){ ns, n == 2 ? ticks : ET_UNKNOWN };
}

static char *readings_path(const char *folder, size_t command)
{
	return et_asprintf("%s/%zu", folder, command);
}

/* Reads what the programs reported. A command that never ran has no file. */
static void read_reports(const char *folder, struct et_inside *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ET_AUTO_FREE char *path = readings_path(folder, i);
		FILE *f = fopen(path, "re");
		char line[128];
		while (f && fgets(line, sizeof(line), f))
			add_line(&all[i], line);
		if (f)
			fclose(f);
	}
}

/* --- the fact --- */

/* The fact is one line per reading: the command, then the line of its report. */
static int keep(const struct et_lab_request *r, const struct et_experiment *e,
	const struct et_inside *all, struct et_error *err)
{
	ET_AUTO_FREE char *key = et_asprintf("clock-methods %s", e->id);
	ET_AUTO_FREE char *text = NULL;
	struct et_store *store;

	for (size_t i = 0; i < e->n_commands; i++) {
		for (size_t k = 0; k < all[i].n; k++) {
			const struct et_inside_reading *one = &all[i].runs[k];
			et_append(&text, "\n", "%zu %" PRIu64, i, one->clock_ns);
			if (one->counter_ticks != ET_UNKNOWN)
				et_append(&text, " ", "%" PRIu64, one->counter_ticks);
		}
	}
	if (!text)
		return 0;
	int rc = et_stored_open(r->cli, ET_STORE_WRITE, &store, err);
	if (rc)
		return rc;
	rc = et_store_set_fact(store, e->machine, key, text, err);
	et_store_close(store);
	return rc;
}

/* An experiment of another command has no such fact, so its readings stay empty. */
static int fetch(const struct et_lab_request *r, const struct et_experiment *e,
	struct et_inside *all, struct et_error *err)
{
	ET_AUTO_FREE char *key = et_asprintf("clock-methods %s", e->id);
	ET_AUTO_FREE char *text = NULL;
	struct et_store *store;
	int rc = et_stored_open(r->cli, ET_STORE_READ, &store, err);

	if (rc)
		return rc;
	rc = et_store_get_fact(store, e->machine, key, &text, err);
	et_store_close(store);
	for (const char *line = text; rc == 0 && line; line = strchr(line, '\n')) {
		char *end;
		line += *line == '\n';
		unsigned long i = strtoul(line, &end, 10);
		if (end != line && i < e->n_commands)
			add_line(&all[i], end);
	}
	return rc;
}

/* --- the experiment --- */

static int measure(
	struct et_lab_request *r, void *result, struct et_experiment **out, struct et_error *err)
{
	static const uint64_t usual_ns = 8000000000;
	const struct et_lab_list *given = &r->measure.lengths_ns;
	char exe[PATH_MAX], *folder = NULL;
	int rc = et_lab_folder_make(&folder, err);

	(void)result;
	if (rc)
		return rc;
	struct et_experiment *e = et_experiment_new();
	e->protocol = ET_PROTOCOL_EMP;
	rc = et_program_find("etalon", exe, err);
	for (size_t i = 0; rc == 0 && i < (given->n ? given->n : 1); i++) {
		uint64_t ns = given->n ? given->numbers[i] : usual_ns;
		ET_AUTO_FREE char *length = et_asprintf("%" PRIu64 "ns", ns);
		ET_AUTO_FREE char *report = readings_path(folder, i);
		et_experiment_add_command(e, et_lab_task(ns),
			et_strv_of(
				exe, "put", "inc", "--seconds", length, "--report", report, NULL));
	}
	if (rc == 0)
		rc = et_lab_measure(r, e, 40, out, err);
	else
		et_experiment_free(e);
	if (*out) {
		struct et_error unkept;
		struct et_inside *all = et_calloc((*out)->n_commands + 1, sizeof(*all));
		read_reports(folder, all, (*out)->n_commands);
		if (keep(r, *out, all, &unkept) && rc == 0) {
			*err = unkept;
			rc = -EIO;
		}
		inside_free(all, (*out)->n_commands);
	}
	et_lab_folder_remove(folder);
	return rc;
}

/* --- names --- */

enum { NAME_COLUMNS = 14, READ_COLUMNS = 7, LEAD = NAME_COLUMNS + READ_COLUMNS };

/* The counter has the name of the instruction that reads it on the machine of the experiment. */
static const char *method_name(const struct et_experiment *e, enum et_clock_method k)
{
	const char *machine = e->host.architecture;

	return k == ET_BY_EMP                ? "EMP"
	       : !et_in_ticks(k)             ? "clock_gettime"
	       : !strcmp(machine, "x86_64")  ? "rdtsc"
	       : !strcmp(machine, "aarch64") ? "cntvct"
					     : "counter";
}

static const char *const places[ET_CLOCK_METHODS] = { [ET_CLOCK_INSIDE] = "inside",
	[ET_COUNTER_INSIDE] = "inside",
	[ET_CLOCK_AROUND] = "around",
	[ET_COUNTER_AROUND] = "around",
	[ET_BY_EMP] = "" };

/* A figure of the method in ns: ticks as the time they take at the counter's rate. */
static double in_ns(const struct et_clock_methods *m, enum et_clock_method k, double x)
{
	return et_in_ticks(k) ? x * 1e9 / m->counter_hz : x;
}

/* The reading of a method in a run; NaN if it does not count. */
static double figure_of(const struct et_clock_methods *m, enum et_clock_method k, size_t run)
{
	return k == ET_BY_EMP && m->runs[run].removed ? NAN : m->runs[run].by[k];
}

/* --- text --- */

/* Draws a bar per run, from the least to the largest time, or per mean of successive runs. */
static void draw_runs(const struct et_clock_methods *m, enum et_clock_method k, size_t columns,
	const struct et_page *page)
{
	const struct et_precision *p = &m->by[k];
	size_t cells = m->n < columns ? m->n : columns;

	for (size_t i = 0; i < cells; i++) {
		double sum = 0;
		size_t n = 0;
		for (size_t run = i * m->n / cells; run < (i + 1) * m->n / cells; run++) {
			double x = figure_of(m, k, run);
			sum += isnan(x) ? 0 : x;
			n += !isnan(x);
		}
		double share = n ? (sum / (double)n - p->min) / (p->max - p->min) : NAN;
		fputs(et_eighths[isfinite(share) ? 1 + (int)(share * 7.999) : n > 0], page->out);
	}
	putc('\n', page->out);
}

static void task_text(
	const struct et_experiment *e, const struct et_clock_methods *m, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "method        read"),
		ET_COLUMN(NUMBER, "n"), ET_COLUMN(NUMBER, "min", .format = et_format_time),
		ET_COLUMN(NUMBER, "max", .format = et_format_time),
		ET_COLUMN(NUMBER, "mean", .format = et_format_time),
		ET_COLUMN(NUMBER, "sd", .format = et_format_three),
		ET_COLUMN(NUMBER, "rel.", .format = et_format_percent) };
	struct et_table t = { ET_COLUMNS(columns), .split = true };

	et_lab_heading(page, "%s", m->name);
	for (int k = 0; k < ET_CLOCK_METHODS; k++) {
		const struct et_precision *p = &m->by[k];
		et_table_add(&t, "%-*s%s\t%zu", NAME_COLUMNS, method_name(e, k), places[k], p->n);
		et_table_row(&t, in_ns(m, k, p->min), in_ns(m, k, p->max), in_ns(m, k, p->mean),
			in_ns(m, k, p->sd), p->relative_error);
	}
	et_table_print(&t, page);
	if (isfinite(m->counter_hz))
		fprintf(page->out, "the counter made %.6f ticks per nanosecond\n",
			1e-9 * m->counter_hz);
	if (m->n > 1)
		et_lab_text(page, "run by run, each from its minimum to its maximum:");
	for (int k = 0; m->n > 1 && k < ET_CLOCK_METHODS; k++) {
		if (!m->by[k].n)
			continue;
		fprintf(page->out, "%-*s%-*s", NAME_COLUMNS, method_name(e, k), READ_COLUMNS,
			places[k]);
		draw_runs(m, k, (size_t)(page->width > LEAD + 10 ? page->width - LEAD : 10), page);
	}
	putc('\n', page->out);
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_clock_table *t = result;

	for (size_t i = 0; i < t->e->n_commands; i++)
		task_text(t->e, &t->list[i], page);
	et_lab_text(page,
		"All methods measured the same runs. Both clocks measure elapsed time: inside, the "
		"program reads them right before and right after its loop; around, etalon reads "
		"them, so that starting and ending the program are included. EMP is the CPU time "
		"of the runs that its sanity checks keep. sd: standard deviation; rel.: relative "
		"error, sd / mean. Ticks of the counter are converted at the rate above.");
}

/* --- JSON --- */

/* "rdtsc_inside"; around a program a method has the name of its clock alone. */
static char *key_of(const struct et_experiment *e, enum et_clock_method k, const char *unit)
{
	bool inside = k == ET_CLOCK_INSIDE || k == ET_COUNTER_INSIDE;

	return et_asprintf("%s%s%s", method_name(e, k), inside ? "_inside" : "", unit);
}

ET_FIELDS(precision_fields, ET_KEYS(et_precision, n),
	ET_KEYS_IN_UNIT(et_precision, min, max, mean, sd), ET_KEYS(et_precision, relative_error));

static void write_tasks(struct et_json *w, const char *name, const void *result)
{
	const struct et_clock_table *t = result;

	et_json_array(w, name);
	for (size_t i = 0; i < t->e->n_commands; i++) {
		const struct et_clock_methods *m = &t->list[i];
		et_json_object(w, NULL);
		et_json_string(w, "name", m->name);
		et_json_double(w, "counter_hz", m->counter_hz);
		et_json_object(w, "methods");
		for (int k = 0; k < ET_CLOCK_METHODS; k++) {
			ET_AUTO_FREE char *key = key_of(t->e, k, "");
			et_json_flat_object(w, key);
			et_fields_write_in(
				w, precision_fields, &m->by[k], et_in_ticks(k) ? "ticks" : "ns");
			et_json_end(w);
		}
		et_json_end(w);
		et_json_array(w, "runs");
		for (const struct et_clock_run *run = m->runs; run < m->runs + m->n; run++) {
			et_json_flat_object(w, NULL);
			for (int k = 0; k < ET_CLOCK_METHODS; k++) {
				ET_AUTO_FREE char *key =
					key_of(t->e, k, et_in_ticks(k) ? "_ticks" : "_ns");
				et_json_double(w, key, run->by[k]);
			}
			et_json_bool(w, "removed", run->removed);
			et_json_end(w);
		}
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
}

/* --- SVG --- */

static void task_chart(const struct et_experiment *e, const struct et_clock_methods *m,
	const struct et_chart_to *to)
{
	struct et_chart p = { .description = "The time of each run by clock_gettime and the "
					     "processor's counter, read inside and around the "
					     "program, and its CPU time.",
		.x = { .label = "run" },
		.y = { .label = "time", .unit = ET_AXIS_NS },
		.width = 760,
		.height = 420 };

	p.title = et_chart_format(&p, "%s: %zu runs", m->name, m->n);
	for (int k = 0; k < ET_CLOCK_METHODS; k++) {
		struct et_curve *line = et_chart_curve(&p, ET_SVG_POINTS, (unsigned)k,
			k == ET_BY_EMP
				? "CPU time (EMP)"
				: et_chart_format(&p, "%s %s", method_name(e, k), places[k]));
		for (size_t i = 0; i < m->n; i++)
			et_curve_add(line, (double)(i + 1), in_ns(m, k, figure_of(m, k, i)));
	}
	et_chart_put(&p, to);
}

static void draw(const void *result, const struct et_chart_to *to)
{
	const struct et_clock_table *t = result;

	for (size_t i = 0; i < t->e->n_commands; i++)
		task_chart(t->e, &t->list[i], to);
}

/* --- all --- */

static int read_runs(const struct et_lab_request *r, const struct et_experiment *e, void *result,
	struct et_error *err)
{
	struct et_clock_table *t = result;
	struct et_inside *all = et_calloc(e->n_commands + 1, sizeof(*all));
	int rc = fetch(r, e, all, err);

	t->e = e;
	t->list = et_calloc(e->n_commands + 1, sizeof(*t->list));
	for (size_t i = 0; rc == 0 && i < e->n_commands; i++)
		et_clock_methods_judge(&e->commands[i], &all[i], &t->list[i]);
	inside_free(all, e->n_commands);
	return rc;
}

static void free_table(void *result)
{
	struct et_clock_table *t = result;

	for (size_t i = 0; t->list && i < t->e->n_commands; i++)
		et_clock_methods_free(&t->list[i]);
	free(t->list);
}

const struct et_lab et_lab_clock_methods = { .size = sizeof(struct et_clock_table),
	.measure = measure,
	.read_as = read_runs,
	.fields = ET_TABLE(ET_KEY_MADE("tasks", write_tasks)),
	.text = print_text,
	.draw = draw,
	.sheet = "Clocks inside and around a program, and EMP",
	.sheet_width = 760,
	.free = free_table };
