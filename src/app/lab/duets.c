/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab duet-bias`: pairs of programs side by side and alone. */
#include "app/lab/experiments.h"
#include "conduct/measuring.h"
#include "lab/duet_bias.h"
#include "measure/child/metronome.h"

#define PUT "{etalon} put "

/* Programs of 25 to 50 ms. {etalon} and {bash} are replaced by the paths of these two. */
static const struct pair {
	const char *name;
	enum et_pair_design design;
	const char *program; /* another one that must be installed; NULL: none */
	const char *a, *b;
} pairs[] = {
	{ "registers", ET_PAIR_ONE_KIND, NULL, PUT "inc --iterations 75000000",
		PUT "inc --iterations 86250000" },
	{ "l1-reads", ET_PAIR_ONE_KIND, NULL, PUT "chase --size 24 --iterations 15000000",
		PUT "chase --size 24 --iterations 17250000" },
	{ "l2-reads", ET_PAIR_ONE_KIND, NULL, PUT "chase --size 600 --iterations 4000000",
		PUT "chase --size 600 --iterations 4600000" },
	{ "l3-reads", ET_PAIR_ONE_KIND, NULL, PUT "chase --size 6144 --iterations 400000",
		PUT "chase --size 6144 --iterations 500000" },
	{ "calls", ET_PAIR_ONE_KIND, NULL, PUT "calls --iterations 200000",
		PUT "calls --iterations 230000" },
	{ "pages", ET_PAIR_ONE_KIND, NULL, PUT "pages --iterations 10",
		PUT "pages --iterations 12" },
	{ "sort", ET_PAIR_ONE_KIND, NULL, PUT "sort --size 20000", PUT "sort --size 22000" },
	{ "gzip", ET_PAIR_ONE_KIND, "gzip", "gzip -c -1 {bash}", "gzip -c -3 {bash}" },
	{ "awk", ET_PAIR_ONE_KIND, "awk", "awk 'BEGIN { for (i = 0; i < 300000; i++) s += i }'",
		"awk 'BEGIN { for (i = 0; i < 375000; i++) s += i }'" },
	{ "perl", ET_PAIR_ONE_KIND, "perl", "perl -e 'for (1..150000) { $h{$_ % 5000} .= $_ % 7 }'",
		"perl -e 'for (1..180000) { $h{$_ % 5000} .= $_ % 7 }'" },
	{ "registers-same", ET_PAIR_IDENTICAL, NULL, PUT "inc --iterations 75000000",
		PUT "inc --iterations 75000000" },
	{ "l2-reads-same", ET_PAIR_IDENTICAL, NULL, PUT "chase --size 600 --iterations 4000000",
		PUT "chase --size 600 --iterations 4000000" },
	{ "gzip-same", ET_PAIR_IDENTICAL, "gzip", "gzip -c -1 {bash}", "gzip -c -1 {bash}" },
	{ "registers-l2", ET_PAIR_DIFFERENT, NULL, PUT "inc --iterations 90000000",
		PUT "chase --size 600 --iterations 4000000" },
	{ "registers-calls", ET_PAIR_DIFFERENT, NULL, PUT "inc --iterations 75000000",
		PUT "calls --iterations 200000" },
	{ "l1-pages", ET_PAIR_DIFFERENT, NULL, PUT "chase --size 24 --iterations 15000000",
		PUT "pages --iterations 10" },
	{ "gzip-sort", ET_PAIR_DIFFERENT, "gzip", "gzip -c -1 {bash}", PUT "sort --size 20000" },
	{ "perl-awk", ET_PAIR_DIFFERENT, "perl", "perl -e 'for (1..500000) { $s += $_ }'",
		"awk 'BEGIN { for (i = 0; i < 375000; i++) s += i }'" },
};

const char *et_lab_pair_name(size_t i)
{
	return i < ET_LENGTH(pairs) ? pairs[i].name : NULL;
}

/* The state of the study. */
struct study {
	struct et_lab_request *r;
	char exe[PATH_MAX];
	char *bash; /* or NULL */
	struct et_duet_bias *result;
};

static bool installed(const struct study *s, const struct pair *p)
{
	ET_AUTO_FREE char *found = p->program ? et_lab_find(p->program) : NULL;

	return (!p->program || found) && (!strstr(p->a, "{bash}") || s->bash);
}

static int add_command(
	const struct study *s, struct et_experiment *e, const char *line, struct et_error *err)
{
	char **argv;
	int rc = et_split_words(line, &argv, err);

	if (rc)
		return rc;
	for (char **word = argv; *word; word++) {
		const char *path = !strcmp(*word, "{etalon}") ? s->exe
				   : !strcmp(*word, "{bash}") ? s->bash
							      : NULL;
		if (!path)
			continue;
		free(*word);
		*word = et_strdup(path);
	}
	et_experiment_add_command(e, et_asprintf("%zu", e->n_commands + 1), argv);
	return 0;
}

static char *label_of(const struct study *s, const struct pair *p, enum et_duet_way way)
{
	const struct et_lab_measure *m = &s->r->measure;
	const char *label = m->from ? m->from : m->label ? m->label : "lab duet-bias";

	return et_asprintf("%s/%s/%s", label, p->name, et_duet_way_names[way]);
}

/* Measures a pair in one way; *out is NULL if that way is not possible here. */
static int measure(const struct study *s, const struct pair *p, enum et_duet_way way,
	struct et_experiment **out, struct et_error *err)
{
	const struct et_lab_request *r = s->r;
	struct et_experiment *e = et_experiment_new();

	e->label = label_of(s, p, way);
	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = ET_ORDER_AUTO;
	e->plan.runs = r->measure.runs ? (uint32_t)r->measure.runs : 100;
	e->plan.seed = r->simulation.seed;
	int rc = add_command(s, e, p->a, err);
	if (rc == 0)
		rc = add_command(s, e, p->b, err);
	e->plan.metronome_ns = way == ET_BY_METRONOME ? et_metronome_choose(e) : 0;
	if (rc || (way == ET_BY_METRONOME && !e->plan.metronome_ns)) {
		et_experiment_free(e);
		return rc;
	}
	return et_measure(r->cli, r->interrupt, e, NULL, NULL, out, err);
}

/* Loads what --from names; a pair that was not measured is none. */
static int load(const struct study *s, const struct pair *p, enum et_duet_way way,
	struct et_experiment **out)
{
	ET_AUTO_FREE char *label = label_of(s, p, way);
	struct et_error ignored;
	int rc = et_stored_fetch(s->r->cli, label, out, &ignored);

	if (rc)
		*out = NULL;
	return rc == -ENOENT ? 0 : rc;
}

static int study_pair(struct study *s, const struct pair *p, struct et_error *err)
{
	struct et_experiment *e[ET_DUET_WAYS] = { NULL };
	struct et_duet_pair *found = &s->result->pairs[s->result->n];
	struct et_simulation o = s->r->simulation;
	int rc = 0;

	o.repetitions = s->result->repetitions;
	for (enum et_duet_way w = 0; rc == 0 && w < ET_DUET_WAYS; w++)
		rc = s->r->measure.from ? load(s, p, w, &e[w]) : measure(s, p, w, &e[w], err);
	if ((rc == 0 || rc == -EINTR) && (e[0] || e[1])) {
		*found = (struct et_duet_pair){ .name = p->name, .design = p->design };
		s->r->name = p->name;
		if (!et_duet_bias_judge((const struct et_experiment *const *)e, &o, found))
			rc = -EINTR;
		et_progress_erase(&s->r->progress);
		s->result->n++;
	}
	et_experiment_free(e[0]);
	et_experiment_free(e[1]);
	return rc;
}

/* --- text --- */

enum { NAME_COLUMNS = 16 };

static const char *const way_titles[ET_DUET_WAYS] = { "metronome", "slices" };

/* "  5   3   0" of experiments of 10, 30 and 100 rounds; `at` is the offset of a count. */
static void sized(struct et_table *t, const struct et_duet_measured *m, size_t at)
{
	ET_AUTO_FREE char *text = NULL;

	for (int s = 0; s < ET_DUET_SIZES; s++) {
		const struct et_duet_cell *c = &m->cells[s];
		uint32_t count;
		memcpy(&count, (const char *)c + at, sizeof(count));
		if (c->repetitions)
			et_append(&text, "", "%4.0f", 100 * et_lab_share(count, c->repetitions));
		else
			et_append(&text, "", "%4s", "-");
	}
	et_table_add(t, "%s", text);
}

/* An empty line, and a table whose lines begin with a pair and its design. */
static struct et_table begin_pairs(const struct et_page *page, const char *const *titles)
{
	struct et_table t = { .split = true };

	putc('\n', page->out);
	et_table_column(&t, ET_TABLE_TEXT, "pair");
	et_table_column(&t, ET_TABLE_TEXT, "design");
	for (; *titles; titles++)
		et_table_column(&t, ET_TABLE_NUMBER, *titles);
	return t;
}

static void measured_table(const struct et_duet_bias *b, const struct et_page *page)
{
	static const char *const first[] = { "ms", "ms", "ratio alone", NULL };
	static const char apart[ET_DUET_WAYS][1]; /* each way is a group without a heading */
	struct et_table t = begin_pairs(page, first);

	et_lab_heading(page,
		"the pairs: times and ratio alone; difference of the ratio side by side in %%, and "
		"standard deviation of a pair's log ratio in %%");
	for (int w = 0; w < ET_DUET_WAYS; w++) {
		et_table_column(&t, ET_TABLE_NUMBER, way_titles[w]);
		et_table_column(&t, ET_TABLE_NUMBER, "sd");
		et_table_over(&t, 2, apart[w]);
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct et_duet_pair *p = &b->pairs[i];
		et_table_add(&t, "%s\t%s\t%.1f\t%.1f\t%.4f ±%7.4f", p->name,
			et_pair_design_names[p->design], p->alone_ns[0] / 1e6, p->alone_ns[1] / 1e6,
			p->ratio, p->half_width);
		for (int w = 0; w < ET_DUET_WAYS; w++) {
			const struct et_duet_measured *m = &p->ways[w];
			if (m->rounds)
				et_table_add(&t, "%+.2f ±%5.2f\t%.2f",
					100 * (m->side_by_side / p->ratio - 1),
					100 * hypot(m->half_width / m->side_by_side,
						      p->half_width / p->ratio),
					100 * m->pair_sd);
			else
				et_table_add(&t, "-\t-");
		}
	}
	et_table_print(&t, page);
}

/* Figures in percent, with dashes for what is not known. */
static void errors_cells(struct et_table *t, const struct et_duet_cell *c)
{
	for (int f = 0; f < ET_DUET_FIGURES; f++) {
		const struct et_duet_errors *e = &c->errors[f];
		const double x[] = { e->bias, e->sd, e->half_width,
			et_lab_share(e->covered, c->repetitions) };
		for (size_t i = 0; i < ET_LENGTH(x); i++) {
			if (c->repetitions && isfinite(x[i]))
				et_table_add(t, "%.*f", i < 3 ? 2 : 0, 100 * x[i]);
			else
				et_table_add(t, "-");
		}
	}
}

static struct et_table begin_errors(const struct et_page *page, const char *first)
{
	static const char *const figures[ET_DUET_FIGURES] = { "side by side", "solo runs",
		"alone, as printed" };
	static const char *const errors[] = { "bias", "sd", "half", "cov" };
	struct et_table t = { .split = true };

	putc('\n', page->out);
	et_table_column(&t, ET_TABLE_TEXT, first);
	for (size_t i = 0; i < ET_DUET_FIGURES * ET_LENGTH(errors); i++) {
		et_table_column(&t, ET_TABLE_NUMBER, errors[i % ET_LENGTH(errors)]);
		et_table_over(&t, 1, figures[i / ET_LENGTH(errors)]);
	}
	return t;
}

/* The mean over the pairs of a design; the bias as a mean of absolute values. */
static struct et_duet_cell average(const struct et_duet_bias *b, int design, int way, int size)
{
	struct et_duet_cell out = { 0 };
	double n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct et_duet_cell *c = &b->pairs[i].ways[way].cells[size];
		if ((int)b->pairs[i].design != design || !c->repetitions)
			continue;
		n++;
		out.repetitions += c->repetitions;
		for (int f = 0; f < ET_DUET_FIGURES; f++) {
			out.errors[f].bias += fabs(c->errors[f].bias);
			out.errors[f].sd += c->errors[f].sd;
			out.errors[f].half_width += c->errors[f].half_width;
			out.errors[f].covered += c->errors[f].covered;
		}
	}
	for (int f = 0; n > 0 && f < ET_DUET_FIGURES; f++) {
		out.errors[f].bias /= n;
		out.errors[f].sd /= n;
		out.errors[f].half_width /= n;
	}
	return out;
}

static void errors_by_pair(const struct et_duet_bias *b, int way, const struct et_page *page)
{
	const int size = 1;
	struct et_table t = begin_errors(page, "pair");

	et_lab_heading(page,
		"experiments of %zu rounds, %s: bias, standard deviation and half width of the "
		"ratio in %%; coverage of the 95 %% interval in %%",
		et_duet_sizes[size], way_titles[way]);
	for (size_t i = 0; i < b->n; i++) {
		et_table_add(&t, "%s", b->pairs[i].name);
		errors_cells(&t, &b->pairs[i].ways[way].cells[size]);
	}
	et_table_print(&t, page);
}

static void errors_by_design(const struct et_duet_bias *b, int way, const struct et_page *page)
{
	struct et_table t = begin_errors(page, "design          rounds");

	et_lab_heading(page, "means over the pairs of a design, %s (bias: of absolute values)",
		way_titles[way]);
	for (int design = 0; et_pair_design_names[design]; design++) {
		for (int s = 0; s < ET_DUET_SIZES; s++) {
			struct et_duet_cell mean = average(b, design, way, s);
			if (!mean.repetitions)
				continue;
			et_table_add(&t, "%-*s%6zu", NAME_COLUMNS, et_pair_design_names[design],
				et_duet_sizes[s]);
			errors_cells(&t, &mean);
		}
	}
	et_table_print(&t, page);
}

static void signs_table(const struct et_duet_bias *b, const struct et_page *page)
{
	static const char *const first[] = { "MiB", "MiB", "faults", "faults", "sys", "sys",
		"differ in", "metronome", "slices", NULL };
	struct et_table t = begin_pairs(page, first);

	et_lab_heading(page,
		"signs of different kinds: peak memory, page faults, share of system time; and "
		"experiments of 10, 30, 100 rounds whose pairs contradict the solo runs, in %%");
	for (size_t i = 0; i < b->n; i++) {
		const struct et_duet_pair *p = &b->pairs[i];
		const struct et_footprint *f = p->footprints;
		et_table_add(&t, "%s\t%s\t%.1f\t%.1f\t%.0f\t%.0f\t%.2f\t%.2f\t%s", p->name,
			et_pair_design_names[p->design], f[0].memory / 1048576,
			f[1].memory / 1048576, f[0].faults, f[1].faults, f[0].system, f[1].system,
			p->sign ? p->sign : "-");
		for (int w = 0; w < ET_DUET_WAYS; w++)
			sized(&t, &p->ways[w], offsetof(struct et_duet_cell, contradictions));
	}
	et_table_print(&t, page);
}

static void verdict_table(const struct et_duet_bias *b, int way, const struct et_page *page)
{
	char effects[2][16];

	for (int k = 0; k < 2; k++)
		snprintf(effects[k], sizeof(effects[k]), "%.1f%%", 100 * et_duet_effects[k]);
	struct et_table t = begin_pairs(
		page, (const char *const[]){ "by pairs", "verdict", effects[0], effects[1], NULL });
	et_lab_heading(page,
		"programs made equal, %s: a difference was claimed, in %% of experiments of 10, "
		"30, 100 rounds; and one program %.1f and %.1f %% slower: this was found",
		way_titles[way], 100 * et_duet_effects[0], 100 * et_duet_effects[1]);
	for (size_t i = 0; i < b->n; i++) {
		const struct et_duet_pair *p = &b->pairs[i];
		const struct et_duet_measured *m = &p->ways[way];
		if (p->design == ET_PAIR_ONE_KIND)
			continue;
		et_table_add(&t, "%s\t%s", p->name, et_pair_design_names[p->design]);
		sized(&t, m, offsetof(struct et_duet_cell, alarms_by_pairs));
		sized(&t, m, offsetof(struct et_duet_cell, alarms));
		if (p->design == ET_PAIR_IDENTICAL) {
			sized(&t, m, offsetof(struct et_duet_cell, found[0]));
			sized(&t, m, offsetof(struct et_duet_cell, found[1]));
		} else {
			et_table_add(&t, "\t");
		}
	}
	et_table_print(&t, page);
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_duet_bias *b = result;

	et_lab_text(page,
		"Each pair of programs was run side by side and alone. From the measured rounds, "
		"%u experiments of each size were drawn, in blocks of successive rounds, and "
		"judged as run judges them. The truth is the ratio of all solo runs of the pair; "
		"for a program with itself it is 1.",
		b->repetitions);
	measured_table(b, page);
	signs_table(b, page);
	for (int w = 0; w < ET_DUET_WAYS; w++)
		errors_by_pair(b, w, page);
	for (int w = 0; w < ET_DUET_WAYS; w++)
		errors_by_design(b, w, page);
	for (int w = 0; w < ET_DUET_WAYS; w++)
		verdict_table(b, w, page);
}

/* --- JSON --- */

static void write_cell(struct et_json *w, const struct et_duet_pair *p,
	const struct et_duet_cell *c, size_t rounds)
{
	uint32_t n = c->repetitions, made_equal = p->design != ET_PAIR_ONE_KIND ? n : 0;

	et_json_object(w, NULL);
	et_json_u64(w, "rounds", rounds);
	et_json_u64(w, "repetitions", n);
	for (int f = 0; f < ET_DUET_FIGURES; f++) {
		const struct et_duet_errors *e = &c->errors[f];
		et_json_flat_object(w, et_duet_figure_names[f]);
		et_json_double(w, "bias", n ? e->bias : NAN);
		et_json_double(w, "sd", n ? e->sd : NAN);
		et_json_double(w, "half_width", n ? e->half_width : NAN);
		et_json_double(w, "covered", et_lab_share(e->covered, n));
		et_json_end(w);
	}
	et_json_double(w, "contradictions", et_lab_share(c->contradictions, n));
	et_json_double(w, "alarms_by_pairs", et_lab_share(c->alarms_by_pairs, made_equal));
	et_json_double(w, "alarms", et_lab_share(c->alarms, made_equal));
	et_json_flat_array(w, "found");
	for (int k = 0; p->design == ET_PAIR_IDENTICAL && k < ET_DUET_EFFECTS; k++)
		et_json_double(w, NULL, et_lab_share(c->found[k], n));
	et_json_end(w);
	et_json_end(w);
}

ET_FIELDS(measured_fields, ET_KEYS(et_duet_measured, rounds, metronome_ns, side_by_side),
	ET_KEY(et_duet_measured, "side_by_side_half_width", half_width),
	ET_KEY(et_duet_measured, "log_ratio_sd", pair_sd));

static void write_ways(struct et_json *w, const char *key, const void *at)
{
	const struct et_duet_pair *p = at;

	(void)key; /* each way has one of its own */
	for (int way = 0; way < ET_DUET_WAYS; way++) {
		const struct et_duet_measured *m = &p->ways[way];
		if (!m->rounds) {
			et_json_null(w, et_duet_way_names[way]);
			continue;
		}
		et_json_object(w, et_duet_way_names[way]);
		et_fields_write(w, measured_fields, m);
		et_json_array(w, "drawn");
		for (int s = 0; s < ET_DUET_SIZES; s++)
			write_cell(w, p, &m->cells[s], et_duet_sizes[s]);
		et_json_end(w);
		et_json_end(w);
	}
}

#define TWO(key, member)                                                                           \
	ET_KEY_ARRAY(et_duet_pair, key, footprints, NULL, .element = ET_FIELD_DOUBLE,              \
		.inner = offsetof(struct et_footprint, member))

static void write_effects(struct et_json *w, const char *key, const void *result)
{
	(void)result;
	et_json_flat_array(w, key);
	for (int k = 0; k < ET_DUET_EFFECTS; k++)
		et_json_double(w, NULL, et_duet_effects[k]);
	et_json_end(w);
}

/* --- steps --- */

static int measure_pairs(struct et_lab_request *r, void *result, struct et_error *err)
{
	struct study s = { .r = r, .bash = et_lab_find("bash"), .result = result };
	const struct et_lab_measure *m = &r->measure;
	const char *name = r->name;
	int rc = et_program_find("etalon", s.exe, err);

	*s.result = (struct et_duet_bias){ .seed = r->simulation.seed,
		.repetitions = r->given & ET_LAB_REPETITIONS ? r->simulation.repetitions : 300,
		.pairs = et_calloc(ET_LENGTH(pairs), sizeof(struct et_duet_pair)) };
	for (size_t i = 0; rc == 0 && i < ET_LENGTH(pairs); i++) {
		bool chosen = !m->pairs.choices || m->pairs.choices >> i & 1;
		if (chosen && (m->from || installed(&s, &pairs[i])))
			rc = study_pair(&s, &pairs[i], err);
	}
	r->name = name; /* its progress was that of a pair */
	free(s.bash);
	if (rc == 0 && !s.result->n)
		rc = et_fail(err, ENOENT, ET_EXIT_OUTSIDE,
			"lab duet-bias: no experiment is stored under this label, or no program is "
			"installed");
	return rc;
}

static void free_pairs(void *result)
{
	free(((struct et_duet_bias *)result)->pairs);
}

const struct et_lab et_lab_duet_bias = { .size = sizeof(struct et_duet_bias),
	.simulate = measure_pairs,
	.fields = ET_TABLE(ET_KEYS(et_duet_bias, seed, repetitions),
		ET_KEY_MADE("effects", write_effects),
		ET_KEY_LIST(et_duet_bias, "pairs", pairs, n,
			ET_TABLE(ET_KEYS(et_duet_pair, name),
				ET_KEY_NAME(et_duet_pair, "design", design, et_pair_design_names),
				ET_KEY_ARRAY(et_duet_pair, "alone_ns", alone_ns, NULL,
					.element = ET_FIELD_DOUBLE),
				ET_KEYS(et_duet_pair, ratio),
				ET_KEY(et_duet_pair, "ratio_half_width", half_width),
				TWO("memory_bytes", memory), TWO("page_faults", faults),
				TWO("system_share", system),
				ET_KEY(et_duet_pair, "differ_in", sign),
				ET_KEY_MADE("ways", write_ways)))),
	.text = print_text,
	.free = free_pairs };
