/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab real-programs`: whole programs with inputs of several sizes, in their own folder. */
#include "app/lab/experiments.h"
#include "protocol/precision.h"
#include "put/subject.h"

enum { RUNS = 10, WIDTH = 440, HEIGHT = 300 /* of a chart */ };

/* The programs to measure and their inputs. */
struct programs {
	char *folder;                       /* of the inputs; removed afterwards */
	struct et_missing_program *missing; /* ends with a NULL name */
	struct et_experiment *e;            /* owned until it is measured */
	double seconds;                     /* expected for one run of each */
	bool curves;                        /* at least one program has several sizes */
};

/* The sizes to run: those of the sets, and the user's numbers for our own workloads. */
static size_t choose_sizes(
	const struct et_lab_measure *m, const struct et_subject *s, uint64_t *sizes)
{
	static const unsigned usual = 1 << ET_SIZE_SMALL | 1 << ET_SIZE_MEDIUM;
	size_t n = et_subject_choose(
		s, m->sizes.choices || m->sizes.n ? m->sizes.choices : usual, sizes);

	for (size_t i = 0; !s->program && i < m->sizes.n; i++)
		sizes[n++] = m->sizes.numbers[i];
	return n;
}

static int add_subject(struct programs *p, const struct et_lab_request *r,
	const struct et_subject *s, const char *program, struct et_error *err)
{
	uint64_t sizes[ET_SUBJECT_MOST + ET_MAX_LENGTHS];
	size_t n = choose_sizes(&r->measure, s, sizes);
	int rc = 0;

	if (!n && r->measure.programs.choices)
		return et_refuse(err,
			"only sort, matc and matr take numbers and have sizes of the papers",
			"lab real-programs: %s has none of these sizes", s->name);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		char **argv;
		rc = et_subject_prepare(s, sizes[i], p->folder, err);
		ET_AUTO_FREE char *line = et_subject_command(s, sizes[i], program, p->folder);
		if (rc == 0)
			rc = et_split_words(line, &argv, err);
		if (rc == 0)
			et_experiment_add_command(
				p->e, et_asprintf("%s %" PRIu64, s->name, sizes[i]), argv);
		p->seconds += et_subject_seconds(s, sizes[i]);
	}
	p->curves = p->curves || n > 1;
	if (rc == 0 && n && s->codes && !p->e->child.ignore_codes)
		p->e->child.ignore_codes = et_strdup(s->codes);
	return rc;
}

/* A picture has a curve over the sizes of a program. */
static int refuse_picture(struct et_error *err)
{
	return et_refuse(err, "use --sizes small,medium",
		"lab real-programs: --svg needs a program that runs in two sizes or more");
}

static int gather(struct programs *p, const struct et_lab_request *r, struct et_error *err)
{
	size_t n_missing = 0;
	char exe[PATH_MAX];
	int rc = et_program_find("etalon", exe, err);

	if (rc == 0)
		rc = et_lab_folder_make(&p->folder, err);
	for (size_t i = 0; rc == 0 && et_subjects[i].name; i++) {
		const struct et_subject *s = &et_subjects[i];
		if (r->measure.programs.choices && !(r->measure.programs.choices >> i & 1))
			continue;
		ET_AUTO_FREE char *program = s->program ? et_lab_find(s->program) : et_strdup(exe);
		if (program)
			rc = add_subject(p, r, s, program, err);
		else
			p->missing[n_missing++] =
				(struct et_missing_program){ s->name, s->package };
	}
	if (rc == 0 && !p->e->n_commands) {
		et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT, "none of these programs is installed");
		rc = et_hint(err, -ENOENT, "apt install %s", p->missing[0].package);
	}
	return rc == 0 && r->measure.svg && !p->curves ? refuse_picture(err) : rc;
}

static const struct {
	const char *title, *key, *name; /* in the table, in JSON, and in the picture */
	enum et_svg_color color;
} ways[ET_WAYS] = { [ET_WAY_ORG] = { "ORG", "org", "ORG (elapsed time)", ET_SVG_RED },
	[ET_WAY_CPU] = { "CPU", "cpu", "CPU time", ET_SVG_ORANGE },
	[ET_WAY_SEDONA] = { "SEDONA", "sedona", "SEDONA (check I)", ET_SVG_BLUE },
	[ET_WAY_EMP] = { "EMP", "emp", "EMP (checks I and II)", ET_SVG_GREEN } };

/* --- text --- */

static void missing_programs(const struct et_missing_program *missing, const struct et_page *page)
{
	ET_AUTO_FREE char *names = NULL;
	ET_AUTO_FREE char *packages = NULL;

	for (; missing->name; missing++) {
		et_append(&names, ", ", "%s", missing->name);
		et_append(&packages, " ", "%s", missing->package);
	}
	if (names)
		et_lab_item(page, 2, "not installed:", "%s (apt install %s)", names, packages);
}

/* Names the field of each program, once for all of its sizes. */
static void fields_of_programs(
	const struct et_program_precision *list, size_t n, const struct et_page *page)
{
	ET_AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < n; i++) {
		if (list[i].field && (!i || strcmp(list[i].program, list[i - 1].program)))
			et_append(&text, ", ", "%s: %s", list[i].program, list[i].field);
	}
	if (text)
		et_lab_item(page, 2, "fields:", "%s", text);
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_program_table *table = result;
	size_t n = table->e->n_commands;
	static const char apart[ET_WAYS][1]; /* each way is a group without a heading */
	struct et_table t = { .split = true };
	char mean[ET_FIGURE], sd[ET_FIGURE], error[ET_FIGURE];

	et_table_column(&t, ET_TABLE_NAME, "program");
	et_table_column(&t, ET_TABLE_NUMBER, "runs");
	et_table_column(&t, ET_TABLE_NUMBER, "out");
	for (int way = 0; way < ET_WAYS; way++) {
		et_table_column(&t, ET_TABLE_NUMBER, ways[way].title);
		et_table_column(&t, ET_TABLE_NUMBER, "sd");
		et_table_column(&t, ET_TABLE_NUMBER, "rel.");
		et_table_over(&t, 3, apart[way]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct et_program_precision *p = &table->list[i];
		et_table_name(&t, table->e->commands[i].name, NULL);
		et_table_add(&t, "%zu\t%zu", p->by[ET_WAY_ORG].n, p->kept.removed);
		for (const struct et_precision *q = p->by; q < p->by + ET_WAYS; q++)
			et_table_add(&t, "%s\t%s\t%s", et_format_time(q->mean, mean),
				et_format_three(q->sd, sd),
				et_format_percent(q->relative_error, error));
	}
	if (n > 1) {
		et_table_name(&t, "averages", NULL);
		et_table_add(&t, "\t");
	}
	for (int way = 0; n > 1 && way < ET_WAYS; way++)
		et_table_add(&t, "\t%s\t%s", et_format_three(table->averages.sd[way], sd),
			et_format_percent(table->averages.relative_error[way], error));
	et_table_print(&t, page);
	missing_programs(table->missing, page);
	putc('\n', page->out);
	fields_of_programs(table->list, n, page);
	et_lab_text(page,
		"ORG: mean elapsed time of all runs, none removed; CPU: their mean CPU time; "
		"SEDONA: that of the runs that check I keeps, by the cutoffs of daemons; EMP: that "
		"of the runs that check II keeps as well, within 2 sd of the mean, which makes "
		"every sd smaller; out: the runs that the checks remove; sd: standard deviation; "
		"rel.: relative error, sd / mean.");
}

/* --- JSON --- */

ET_FIELDS(precision_fields, ET_KEYS(et_precision, n), ET_KEYS_NS(et_precision, mean, sd),
	ET_KEYS(et_precision, relative_error), ET_KEYS_NS(et_precision, min, max));

ET_FIELDS(program_fields, ET_KEYS_GIVEN(et_program_precision, program),
	ET_KEYS(et_program_precision, field), ET_KEYS_GIVEN(et_program_precision, size));

ET_FIELDS(kept_fields, ET_KEY(et_counted, "n", by[ET_METRIC_CPU].n), ET_KEYS(et_counted, removed),
	ET_KEY_FLAT(et_counted, "et", by[ET_METRIC_ELAPSED], precision_fields),
	ET_KEY_FLAT(et_counted, "pt", by[ET_METRIC_CPU], precision_fields));

static void write_missing(struct et_json *w, const char *key, const void *result)
{
	const struct et_program_table *t = result;

	if (!t->measured) {
		et_json_null(w, key);
		return;
	}
	et_json_flat_array(w, key);
	for (const struct et_missing_program *m = t->missing; m->name; m++)
		et_json_string(w, NULL, m->name);
	et_json_end(w);
}

static void write_programs(struct et_json *w, const char *key, const void *result)
{
	const struct et_program_table *t = result;

	et_json_array(w, key);
	for (size_t i = 0; i < t->e->n_commands; i++) {
		et_json_object(w, NULL);
		et_json_string(w, "name", t->e->commands[i].name);
		et_fields_write(w, program_fields, &t->list[i]);
		for (int way = 0; way < ET_WAYS; way++)
			et_fields_flat(w, ways[way].key, precision_fields, &t->list[i].by[way]);
		et_fields_write(w, kept_fields, &t->list[i].kept);
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_averages(struct et_json *w, const char *key, const void *averages)
{
	const struct et_program_averages *a = averages;

	et_json_object(w, key);
	for (int way = 0; way < ET_WAYS; way++) {
		et_json_flat_object(w, ways[way].key);
		et_json_double(w, "sd_ns", a->sd[way]);
		et_json_double(w, "relative_error", a->relative_error[way]);
		et_json_end(w);
	}
	et_json_end(w);
}

/* --- SVG: curves over the size, as in Figure 19 of the EMP paper and Figure 5 of SEDONA's --- */

static void add_chart(const struct et_chart_to *to, const struct et_program_precision *list,
	size_t n, bool relative)
{
	const char *what = relative ? "relative error" : "standard deviation";
	struct et_chart p = { .x = { .label = "size", .log = true },
		.y = { .label = what, .unit = relative ? ET_AXIS_SHARE : ET_AXIS_NS, .log = true },
		.width = WIDTH,
		.height = HEIGHT };

	p.title = et_chart_format(&p, "%s: %s", list->program, what);
	for (int k = 0; k < ET_WAYS; k++) {
		struct et_curve *line =
			et_chart_curve(&p, ET_SVG_CURVE, ways[k].color, ways[k].name);
		for (size_t i = 0; i < n; i++)
			et_curve_add(line, (double)list[i].size,
				relative ? list[i].by[k].relative_error : list[i].by[k].sd);
	}
	et_chart_put(&p, to);
}

/* The number of commands of the first program: they are successive, and their sizes ascend. */
static size_t sizes_of(const struct et_program_precision *list, size_t n)
{
	size_t same = 1;

	while (same < n && list[0].program[0] && !strcmp(list[same].program, list[0].program))
		same++;
	return same;
}

/* Curves of sd and relative error of each program with at least two sizes. */
static void draw(const void *result, const struct et_chart_to *to)
{
	const struct et_program_precision *list = ((const struct et_program_table *)result)->list;
	size_t n = ((const struct et_program_table *)result)->e->n_commands;

	for (size_t i = 0, sizes; i < n; i += sizes) {
		sizes = sizes_of(list + i, n - i);
		for (int relative = 0; sizes > 1 && relative < 2; relative++)
			add_chart(to, list + i, sizes, relative);
	}
}

/* --- all --- */

/* Finds out which program and size a command of the record is, by its name, such as "gcc 30". */
static void identify(const char *name, struct et_program_precision *p)
{
	const char *space = strchr(name, ' ');
	size_t n = space ? (size_t)(space - name) : sizeof(p->program);

	if (n >= sizeof(p->program))
		return;
	memcpy(p->program, name, n); /* the rest is 0 */
	const struct et_subject *s = et_subject_find(p->program);
	if (!s || et_parse_u64("size", space + 1, 1, UINT64_MAX, &p->size, NULL))
		p->program[0] = '\0';
	else
		p->field = s->field;
}

static int measure(
	struct et_lab_request *r, void *result, struct et_experiment **out, struct et_error *err)
{
	struct et_program_table *t = result;
	struct programs p = { .missing = t->missing, .e = et_experiment_new() };

	t->measured = true;
	p.e->protocol = ET_PROTOCOL_EMP;
	int rc = gather(&p, r, err);
	if (rc == 0) {
		uint32_t runs = r->measure.runs ? (uint32_t)r->measure.runs : RUNS;
		et_lab_announce(r, p.e->n_commands, "programs and sizes", runs,
			p.seconds * (runs + p.e->plan.warmup));
		rc = et_lab_measure(r, p.e, RUNS, out, err);
	} else {
		et_experiment_free(p.e);
	}
	et_lab_folder_remove(p.folder);
	return rc;
}

static int read_runs(const struct et_lab_request *r, const struct et_experiment *e, void *result,
	struct et_error *err)
{
	struct et_program_table *t = result;
	bool curves = false;

	t->e = e;
	t->list = et_calloc(e->n_commands + 1, sizeof(*t->list));
	for (size_t i = 0; i < e->n_commands; i++) {
		et_program_judge(&e->commands[i], &t->list[i]);
		identify(e->commands[i].name, &t->list[i]);
		curves = curves || (i && sizes_of(&t->list[i - 1], 2) > 1);
	}
	et_programs_average(t->list, e->n_commands, &t->averages);
	return r->svg.open && !curves ? refuse_picture(err) : 0;
}

static void free_table(void *result)
{
	free(((struct et_program_table *)result)->list);
}

const struct et_lab et_lab_real_programs = { .size = sizeof(struct et_program_table),
	.measure = measure,
	.read_as = read_runs,
	.fields = ET_TABLE(ET_KEY_MADE("not_installed", write_missing),
		ET_KEY_MADE("programs", write_programs),
		ET_KEY_BY(et_program_table, "averages", averages, write_averages)),
	.text = print_text,
	.draw = draw,
	.sheet = "ORG, CPU time, SEDONA and EMP over the size of the input",
	.sheet_width = 2 * WIDTH,
	.free = free_table };
