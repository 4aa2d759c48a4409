/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognizes the format, checks and completes experiments of all formats, and reads hyperfine. */
#include "store/import/import.h"
#include "base/parse.h"
#include "model/design/json.h"
#include "model/sample/metric_choice.h"
#include "store/import/importer.h"

const char *const et_import_format_names[] = { "auto", "native", "hyperfine", "libetalon",
	"google-benchmark", "csv", NULL };

/* --- the order of the runs --- */

struct turn {
	uint32_t order, command, at; /* at: the number of the sample, from 0 */
};

static int by_order(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return ET_ORDER(x->order, y->order) ?: ET_ORDER(x->command, y->command);
}

/* Lists all samples, and refuses those whose partner is no command. */
static struct turn *all_turns(struct et_importer *in, size_t *n, size_t *without)
{
	const struct et_experiment *e = in->e;
	struct turn *all = NULL;
	size_t room = 0;

	*n = *without = 0;
	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[i].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
			if (s->place.partner >= (int64_t)e->n_commands)
				et_import_fail(in, NULL,
					"'%s': sample %u has a partner %d, but there are only %zu "
					"commands",
					e->commands[i].name, s->place.index, s->place.partner,
					e->n_commands);
			ET_GROW(all, *n, room);
			all[(*n)++] =
				(struct turn){ s->place.order, (uint32_t)i, s->place.index - 1 };
			*without += s->place.order == 0;
		}
	}
	return all;
}

static struct et_sample *sample_of(struct et_experiment *e, const struct turn *t)
{
	return et_samples_edit(&e->commands[t->command].samples, t->at);
}

static int order_twice(struct et_importer *in, const struct turn *x, const struct turn *y)
{
	return et_import_fail(in, NULL, "order %u occurs twice ('%s', '%s')", x->order,
		in->e->commands[x->command].name, in->e->commands[y->command].name);
}

/* Two samples of the same order are a duet, or the record contradicts itself. */
static int check_pair(struct et_importer *in, const struct turn *x, const struct turn *y)
{
	if (x->order != y->order)
		return 0;
	if (x->command == y->command)
		return order_twice(in, x, y);
	struct et_sample *a = sample_of(in->e, x), *b = sample_of(in->e, y);
	if (a->place.arrangement != ET_DUET || b->place.arrangement != ET_DUET)
		return order_twice(in, x, y);
	if (a->place.partner < 0)
		a->place.partner = (int32_t)b->place.command;
	if (b->place.partner < 0)
		b->place.partner = (int32_t)a->place.command;
	return 0;
}

/* Gives every sample its order if none has one, and sorts each command's samples by it. */
static int settle_orders(struct et_importer *in)
{
	struct et_experiment *e = in->e;
	size_t n, without;
	ET_AUTO_FREE struct turn *all = all_turns(in, &n, &without);

	if (without && without < n)
		et_import_fail(in, NULL, "%zu of %zu samples have no order", without, n);
	if (in->failed)
		return in->failed;
	for (size_t i = 0; without && i < n; i++)
		all[i].order = sample_of(e, &all[i])->place.order = (uint32_t)i + 1;
	if (n)
		qsort(all, n, sizeof(*all), by_order);
	for (size_t i = 1; i < n; i++) {
		int rc = check_pair(in, &all[i - 1], &all[i]);
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < e->n_commands; i++)
		et_samples_sort(&e->commands[i].samples);
	return 0;
}

/* --- common to all formats --- */

void et_import_most_runs(const struct et_experiment *e, uint32_t *runs, uint32_t *warmup)
{
	*runs = *warmup = 0;
	for (size_t i = 0; i < e->n_commands; i++) {
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[i].samples);
		uint32_t n[2] = { 0, 0 };
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));)
			n[s->place.warmup]++;
		*runs = n[0] > *runs ? n[0] : *runs;
		*warmup = n[1] > *warmup ? n[1] : *warmup;
	}
}

static int finish(struct et_importer *in)
{
	const struct et_import_options *o = in->options;
	struct et_experiment *e = in->e;

	if (!e->n_commands)
		return et_import_fail(in, NULL, "it has no commands");
	int rc = settle_orders(in);
	if (rc)
		return rc;
	uint64_t started = e->started_wall_ns;
	uint32_t warmup;
	if (o->copy || !e->id[0])
		et_experiment_name(e, o->wall_ns, o->random);
	e->started_wall_ns = started ? started : o->wall_ns;
	if (e->state == ET_STATE_RUNNING)
		e->state = ET_STATE_INTERRUPTED;
	if (!e->plan.runs && !e->plan.until_ratio && !e->plan.max_runs)
		et_import_most_runs(e, &e->plan.runs, &warmup);
	if (!e->plan.level)
		e->plan.level = 0.95;
	if (o->label) {
		free(e->label);
		e->label = et_strdup(o->label);
	}
	return 0;
}

struct et_command *et_import_command(
	struct et_importer *in, const struct et_import_place *at, const char *name)
{
	struct et_experiment *e = in->e;
	size_t most = in->designed ? ET_DESIGN_MOST_COMMANDS : ET_IMPORT_MOST_COMMANDS;

	if (e->n_commands >= most) {
		et_import_fail(in, at, "more than %zu commands", most);
		return NULL;
	}
	/* The capacity is the next power of two, so that it need not be recorded. */
	if ((e->n_commands & (e->n_commands - 1)) == 0)
		e->commands = et_realloc(
			e->commands, e->n_commands ? 2 * e->n_commands : 1, sizeof(*e->commands));
	struct et_command *c = &e->commands[e->n_commands++];
	memset(c, 0, sizeof(*c));
	c->name = et_strdup(name);
	c->text = et_strdup(name);
	c->argv = et_calloc(1, sizeof(*c->argv));
	return c;
}

/* --- errors --- */

static void write_place(FILE *out, const struct et_import_place *at)
{
	if (at->up)
		write_place(out, at->up);
	if (at->key)
		fprintf(out, "%s%s", at->up ? "." : "", at->key);
	else
		fprintf(out, "[%zu]", at->index);
}

int et_import_fail(struct et_importer *in, const struct et_import_place *at, const char *fmt, ...)
{
	char place[256] = "", text[300];
	va_list ap;

	if (in->failed)
		return in->failed;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* Parts of the file are quoted, and its control characters must not reach the terminal. */
	for (char *p = text; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
	FILE *out = at ? fmemopen(place, sizeof(place) - 1, "w") : NULL;
	if (out) {
		write_place(out, at);
		fclose(out);
	}
	in->failed = et_fail(in->err, EINVAL, ET_EXIT_USAGE, "%.100s: %s%s%s", in->options->name,
		place, *place ? ": " : "", text);
	return in->failed;
}

int et_import_next_line(struct et_importer *in, struct et_lines *lines, char **line, size_t *length)
{
	int rc;

	while ((rc = et_lines_next(lines, line, length)) > 0) {
		if (memchr(*line, '\0', *length))
			return et_import_fail(in, NULL,
				"line %zu holds a NUL byte: this is not text", lines->number);
		const char *text = *line + strspn(*line, " \t");
		if (*text && *text != '#')
			return 1;
	}
	if (rc == -EMSGSIZE)
		return et_import_fail(in, NULL, "line %zu is longer than %zu KiB", lines->number,
			lines->longest >> 10);
	return rc < 0 ? et_fail_file(in->err, -rc, ET_EXIT_USAGE, in->options->name) : 0;
}

/* --- formats --- */

static char first_character(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!strchr(" \t\r\n", data[i]) || !data[i])
			return data[i];
	}
	return '\0';
}

int et_import_load(
	struct et_importer *in, const char *data, size_t size, enum et_import_format *format)
{
	static const struct {
		const char *key;
		enum et_import_format format;
	} keys[] = { { "functions", ET_IMPORT_BENCH }, { "etalon", ET_IMPORT_NATIVE },
		{ "results", ET_IMPORT_HYPERFINE }, { "benchmarks", ET_IMPORT_GOOGLE } };
	int rc = et_outline_load(in, data, size);

	if (rc)
		return rc;
	for (size_t i = 0; *format == ET_IMPORT_AUTO && i < ET_LENGTH(keys); i++)
		if (json_object_get(in->outline.root, keys[i].key))
			*format = keys[i].format;
	if (!json_is_object(in->outline.root) || *format == ET_IMPORT_AUTO)
		return et_hint(in->err,
			et_import_fail(
				in, NULL, "no JSON of etalon, hyperfine or Google Benchmark"),
			"use a file that etalon export, hyperfine --export-json, or --json of a "
			"benchmark program has written");
	return 0;
}

/* --- hyperfine --- */

/*
 * Reads what hyperfine --export-json writes: one list of elapsed seconds per command. The file has
 * only the means of user and system time, so the CPU time of a run is not known.
 */
static uint64_t read_seconds(
	struct et_importer *in, const json_t *value, const struct et_import_place *at)
{
	double seconds = json_number_value(value);

	if (json_is_number(value) && seconds >= 0 && seconds < 9.2e9)
		return (uint64_t)llround(seconds * 1e9);
	et_import_fail(in, at, "is not a time in seconds");
	return 0;
}

/* code is NULL if the list has no element for the run. */
static int32_t read_exit_code(
	struct et_importer *in, const json_t *code, const struct et_list *list)
{
	if (!list->there)
		return 0;
	if (!code || json_is_null(code))
		return -1; /* a signal ended it; the file does not contain which */
	if (!json_is_integer(code) || json_integer_value(code) < -1 ||
		json_integer_value(code) > 255)
		et_import_fail(in, &list->here, "is not an exit status");
	return (int32_t)json_integer_value(code);
}

/* Reads the lists of a result side by side. */
static void read_runs(struct et_importer *in, const json_t *result, uint32_t command,
	const struct et_import_place *at)
{
	ET_AUTO_LIST struct et_list times = et_list_of(in, result, "times", at);
	ET_AUTO_LIST struct et_list codes = et_list_of(in, result, "exit_codes", at);
	ET_AUTO_LIST struct et_list memory = et_list_of(in, result, "memory_usage_byte", at);
	const json_t *time;

	if (!in->failed && !times.n)
		et_hint(in->err, et_import_fail(in, at, "has no times of single runs"),
			"use a file that hyperfine --export-json has written");
	while ((time = et_list_next(&times))) {
		const json_t *code = et_list_next(&codes), *bytes = et_list_next(&memory);
		struct et_sample s;

		memset(&s, 0, sizeof(s));
		et_fields_set_missing(et_sample_fields, &s);
		s.place.command = command;
		s.place.round = (uint32_t)times.at + 1;
		s.measured.elapsed_ns = read_seconds(in, time, &times.here);
		s.measured.exit_code = read_exit_code(in, code, &codes);
		if (in->failed)
			return;
		if (json_is_integer(bytes) && json_integer_value(bytes) >= 0)
			s.measured.max_rss_bytes = (uint64_t)json_integer_value(bytes);
		et_experiment_add(in->e, &s);
	}
}

static int import_hyperfine(struct et_importer *in, const json_t *root)
{
	ET_AUTO_LIST struct et_list l = et_objects_of(in, root, "results", NULL);
	const json_t *result;

	in->e->metric = ET_METRIC_ELAPSED;
	in->e->plan.order = ET_ORDER_SEQUENTIAL;
	while ((result = et_list_next(&l))) {
		const char *text = et_read_text(in, result, "command", &l.here);

		if (!text)
			et_import_fail(in, &l.here, "has no command");
		struct et_command *c = in->failed ? NULL : et_import_command(in, &l.here, text);
		if (!c)
			break;
		et_read_parameters(in, result, c, &l.here);
		read_runs(in, result, (uint32_t)l.at, &l.here);
	}
	return in->failed;
}

/* --- all --- */

static int import_json(struct et_importer *in, const char *data, size_t size)
{
	static int (*const readers[])(struct et_importer * in, const json_t *root) = {
		[ET_IMPORT_NATIVE] = et_import_native,
		[ET_IMPORT_HYPERFINE] = import_hyperfine,
		[ET_IMPORT_BENCH] = et_import_bench,
		[ET_IMPORT_GOOGLE] = et_import_google,
	};
	enum et_import_format format = in->options->format;
	int rc = et_import_load(in, data, size, &format);

	if (!rc)
		rc = readers[format](in, in->outline.root);
	et_outline_free(in);
	return rc;
}

static int import_any(struct et_importer *in, const char *data, size_t size)
{
	enum et_import_format format = in->options->format;
	char first = first_character(data, size);

	if (size > ET_IMPORT_MOST_BYTES)
		return et_import_fail(in, NULL, "larger than %zu MiB", ET_IMPORT_MOST_BYTES >> 20);
	if (!first && (!size || !memchr(data, '\0', size)))
		return et_import_fail(in, NULL, "it is empty");
	if (format == ET_IMPORT_CSV || (format == ET_IMPORT_AUTO && first != '{' && first != '['))
		return et_import_csv(in, data, size);
	return import_json(in, data, size);
}

int et_import(const char *data, size_t size, const struct et_import_options *o,
	struct et_experiment **out, struct et_error *err)
{
	struct et_importer in = { .options = o, .e = et_calloc(1, sizeof(*in.e)), .err = err };

	in.e->state = ET_STATE_DONE;
	in.e->origin = ET_ORIGIN_IMPORTED;
	in.e->protocol = ET_PROTOCOL_RAW;
	int rc = import_any(&in, data, size);
	if (!rc)
		rc = finish(&in);
	if (!rc && o->omitted)
		*o->omitted = in.omitted;
	if (!rc)
		et_metric_settle(in.e);
	if (rc)
		et_experiment_free(in.e);
	else
		*out = in.e;
	return rc;
}
