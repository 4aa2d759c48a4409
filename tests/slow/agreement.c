/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sentence of a comparison and the interval beside it never contradict each other: "no
 * difference shown" and "undecided" have an interval that contains 0, a difference has one that
 * does not cross 0, and "equal within 1 %" one that is within 1 %. Many experiments are simulated
 * (pairs, rounds, separate series; fixed numbers of runs and decisions; equal and unequal programs,
 * of one kind and of different kinds; the laws of the lab, drift, coarse and constant times;
 * removed samples), judged as `run` and `compare` judge them, and read back from what is printed:
 * verdicts, tables, JSON, Markdown, the page and the gate.
 */
#include "app/compare/view.h"
#include "base/base.h"
#include "base/memstream.h"
#include "lab/law.h"
#include "num/rng.h"
#include "record/format.h"
#include "report/experiment_page.h"
#include "report/pair.h"
#include "report/text.h"
#include "simulate.h"
#include "stats/compare/compare.h"
#include "stats/compare/judge.h"
#include "tap.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* --- what was printed --- */

enum {
	SAME,
	BEFORE_HOLM,
	EQUAL,
	OPEN,
	MORE,
	LESS,
	REGRESSED,
	PASSED,
	PASSED_OPEN,
	UNDECIDED,
	OTHER,
	KINDS
};
static const char *const kind_names[] = { [SAME] = "no difference shown",
	[BEFORE_HOLM] = "differs before the correction",
	[EQUAL] = "equal within",
	[OPEN] = "undecided between",
	[MORE] = "slower",
	[LESS] = "faster",
	[REGRESSED] = "a regression",
	[PASSED] = "no regression",
	[PASSED_OPEN] = "no regression shown",
	[UNDECIDED] = "undecided" };

enum { SHOWN = 5 }; /* contradictions of each study */

struct seen {
	uint64_t kinds[KINDS], contradictions, outputs, cells;
	double margin; /* percent: what counts as equal in the experiment that is read; 0: nothing
			*/
};

static struct seen seen;

/* The kind of a sentence by its words. */
static int kind_of(const char *text)
{
	static const struct {
		const char *words;
		int kind;
	} words[] = { { "REGRESSION:", REGRESSED }, { "no regression:", PASSED },
		{ "no regression shown:", PASSED_OPEN }, { "undecided:", UNDECIDED },
		{ "equal within", EQUAL }, { "undecided", OPEN }, { "no difference shown", SAME },
		{ "before the correction", BEFORE_HOLM }, { "slower", MORE }, { "faster", LESS },
		{ "larger", MORE }, { "smaller", LESS } };

	for (size_t i = 0; i < ET_LENGTH(words); i++)
		if (strstr(text, words[i].words))
			return words[i].kind;
	return OTHER;
}

/* The number that ends before `end`: "+1.5 % " gives 1.5. */
static double number_before(const char *text, const char *end)
{
	while (end > text && (end[-1] == ' ' || end[-1] == '%'))
		end--;
	while (end > text && strchr("0123456789.+-", end[-1]))
		end--;
	return strtod(end, NULL);
}

/*
 * Finds "(LO … HI", "between LO and HI" or a ratio "R × (LO … HI)", as a change in percent.
 * `less` turns the sign of a change: "faster by 2 % (1 … 3)" is about -3 … -1 %.
 */
static bool find_interval(const char *text, bool less, double *lo, double *hi)
{
	const char *open = strstr(text, "(between "), *ratio = strstr(text, " × ("), *join;

	if (open && (join = strstr(open, " and "))) {
		*lo = number_before(text, join);
		*hi = strtod(join + strlen(" and "), NULL);
		return true;
	}
	for (open = text; (open = strchr(open, '(')); open++) {
		const char *close = strchr(open, ')');
		join = strstr(open, " … ");
		if (!join || !close || join > close)
			continue;
		double a = number_before(text, join), b = strtod(join + strlen(" … "), NULL);
		bool factor = ratio && open == ratio + strlen(" × (") - 1;
		*lo = factor ? 100 * (a - 1) : less ? -b : a;
		*hi = factor ? 100 * (b - 1) : less ? -a : b;
		return true;
	}
	return false;
}

/* All in percent; limit: of the gate. Figures are rounded, so that an end may be on its limit. */
static void check(int kind, double lo, double hi, double limit, const char *text, const char *where)
{
	const double m = seen.margin + 1e-9;
	bool zero = lo <= 0 && hi >= 0, inside = lo >= -m && hi <= m;
	bool further = lo < -m + 2e-9 || hi > m - 2e-9;
	bool agrees = kind == SAME          ? zero && !seen.margin
		      : kind == OPEN        ? zero && further && seen.margin > 0
		      : kind == EQUAL       ? zero && inside && seen.margin > 0
		      : kind == BEFORE_HOLM ? lo >= 0 || hi <= 0
		      : kind == MORE        ? lo >= 0
		      : kind == LESS        ? hi <= 0
		      : kind == REGRESSED   ? lo >= limit
		      : kind == PASSED      ? hi <= limit
		      : kind == PASSED_OPEN ? lo <= limit && hi >= limit
		      : kind == UNDECIDED   ? lo <= limit && hi >= limit
					    : true;

	if (!agrees && seen.contradictions++ < SHOWN)
		printf("# %s: %s [%g … %g]\n", where, text, lo, hi);
}

static void read_sentence(const char *text, double limit, const char *where)
{
	int kind = kind_of(text);
	const char *margin = strstr(text, "equal within ");
	double lo, hi;

	seen.kinds[kind]++;
	seen.outputs++;
	bool gate = kind >= REGRESSED && kind <= UNDECIDED;
	if (margin && fabs(strtod(margin + strlen("equal within "), NULL) - seen.margin) > 1e-9)
		check(SAME, 1, 1, 0, text, where);
	if (find_interval(text, kind == LESS, &lo, &hi))
		check(kind, lo, hi, limit, text, where);
	else if (!gate && (kind == SAME || kind == OPEN) && strstr(text, " between "))
		check(SAME, 1, 1, 0, text, where); /* the verdict of `run` has one */
}

/* --- the writers --- */

/* A comparison in JSON: its words, its figures and its decision. */
static void read_pair(const json_t *pair)
{
	const json_t *ratio = json_object_get(pair, "ratio");
	const char *verdict = json_string_value(json_object_get(pair, "verdict"));
	const char *decision = json_string_value(json_object_get(pair, "decision"));
	bool shown = json_is_true(json_object_get(pair, "significant"));
	double lo = json_number_value(json_object_get(ratio, "lo")),
	       hi = json_number_value(json_object_get(ratio, "hi"));
	int kind = verdict ? kind_of(verdict) : OTHER;

	if (!verdict || !json_is_number(json_object_get(ratio, "lo")))
		return;
	read_sentence(verdict, 0, "JSON, words");
	check(kind, 100 * (lo - 1), 100 * (hi - 1), 0, verdict, "JSON, figures");
	if (shown != (kind == MORE || kind == LESS))
		check(SAME, 1, 1, 0, verdict, "JSON, significant");
	const char *expected = kind == MORE    ? "slower"
			       : kind == LESS  ? "faster"
			       : kind == EQUAL ? "equal"
					       : "undecided";
	if (decision && strcmp(decision, expected) != 0)
		check(SAME, 1, 1, 0, verdict, "JSON, decision");
}

static void read_json(const struct et_contrast *c)
{
	struct et_memstream s;
	struct et_json w;

	et_json_init(&w, et_memstream_open(&s), 0);
	et_pair_json(&w, "old", "new", c);
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	json_t *pair = json_loads(text, 0, NULL);
	read_pair(pair);
	json_decref(pair);
}

static void read_line(const struct et_contrast *c, bool verbose)
{
	struct et_memstream s;
	struct et_page page = { .out = et_memstream_open(&s), .width = 1000 };

	et_pair_text(&page, "new", "old", c, verbose);
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	text[strcspn(text, "\n")] = '\0';
	/* With -v the ratio side by side is before the one that the sentence is about. */
	const char *alone = strstr(text, "; alone ");
	read_sentence(alone ? alone : text, 0, "compare");
}

static void read_contrast(const struct et_contrast *c)
{
	static const double limits[] = { 0, 0.01, 0.05 };
	ET_AUTO_FREE char *verdict = et_verdict_text(c, "new", "old");
	ET_AUTO_FREE char *words = et_conclusion_text(c);

	read_sentence(verdict, 0, "verdict");
	read_sentence(words, 0, "page");
	read_line(c, false);
	read_line(c, true);
	read_json(c);
	/* The gate reads the intervals of all comparisons together. */
	for (size_t i = 0; i < ET_LENGTH(limits) && (c->family == 1 || c->level > 0.951); i++) {
		ET_AUTO_FREE char *gate = et_gate_text(c, limits[i], "new", "old");
		read_sentence(gate, 100 * limits[i], "gate");
	}
}

/*
 * The cells of a table, "1.006 (1.001 … 1.011) ?", and sentences: of the text that a terminal gets,
 * and of Markdown.
 */
static void read_rows(char *text, const char *where)
{
	for (char *row = strtok(text, "\n"); row; row = strtok(NULL, "\n")) {
		char *open = strrchr(row, '('), *close = open ? strchr(open, ')') : NULL, *join;
		if (kind_of(row) != OTHER) {
			read_sentence(row, 0, where);
			continue;
		}
		if (!close || !(join = strstr(open, " … ")) || join > close || strchr(open, '%'))
			continue;
		/* A mean has a unit, or further cells after it; the ratio is the last cell of
		 * Markdown. */
		const char *bar = strchr(close, '|');
		if (open < row + 2 || open[-2] < '0' || open[-2] > '9' ||
			(bar && strchr(bar + 1, '|')))
			continue;
		double lo = 100 * (number_before(row, join) - 1),
		       hi = 100 * (strtod(join + strlen(" … "), NULL) - 1);
		int kind = strchr(close, '?')   ? seen.margin > 0 ? OPEN : SAME
			   : strchr(close, '~') ? BEFORE_HOLM
			   : strchr(close, '=') ? EQUAL
			   : lo + hi > 0        ? MORE
						: LESS;
		seen.outputs++;
		seen.cells++;
		check(kind, lo, hi, 0, row, where);
	}
}

static void read_table(const struct et_experiment *e, const struct et_judgement *j)
{
	struct et_memstream s;
	struct et_text_options o = { .width = 200, .quiet = true };

	(void)et_text_result(e, j, &o, et_memstream_open(&s));
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	read_rows(text, "table");
}

/* In all formats that have a table of ratios. */
static void read_tables(const struct et_experiment *e, const struct et_judgement *j)
{
	static void (*const formats[])(const struct et_experiment *e, const struct et_judgement *j,
		FILE *out) = { et_markdown_write, et_asciidoc_write, et_orgmode_write };
	static const char *const names[] = { "Markdown", "AsciiDoc", "Org" };

	for (size_t i = 0; i < ET_LENGTH(formats); i++) {
		struct et_memstream s;
		formats[i](e, j, et_memstream_open(&s));
		ET_AUTO_FREE char *text = et_memstream_close(&s);
		read_rows(text, names[i]);
	}
}

static void read_record(const struct et_experiment *e, const struct et_judgement *j)
{
	struct et_memstream s;
	size_t i;
	json_t *pair;

	et_native_write(e, j, et_memstream_open(&s));
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	json_t *root = json_loads(text, 0, NULL);
	const json_t *other = json_object_get(root, "by_other_metric");
	json_array_foreach(json_object_get(root, "comparisons"), i, pair)
	{
		read_pair(pair);
	}
	json_array_foreach(json_object_get(other, "comparisons"), i, pair)
	{
		read_pair(pair);
	}
	if (json_array_size(json_object_get(root, "comparisons")) != j->n_contrasts)
		check(SAME, 1, 1, 0, "comparisons are missing", "record");
	json_decref(root);
}

static void read_page(const struct et_experiment *e, const struct et_judgement *j)
{
	struct et_memstream s;

	et_experiment_page(e, j, et_memstream_open(&s));
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	char *at = strstr(text, "<h2>Comparison");
	for (at = at ? strstr(at, " vs ") : NULL; at; at = strstr(at, " vs ")) {
		char *end = strstr(at, "</p>");
		if (!end)
			break;
		*end = '\0';
		read_sentence(at, 0, "page");
		at = end + 1;
	}
}

/* --- simulated experiments --- */

enum { MOST_RUNS = 60, MOST_COMMANDS = 5 };

struct scene {
	struct et_rng rng;
	const struct et_law *law; /* NULL: the times are constant */
	double step;              /* ms: of a coarse clock */
	double drift;             /* of the spread, over the experiment */
	enum et_order order;
	enum et_protocol protocol;
	uint32_t n, commands;
	double margin, removed;
	double effect, pair_noise, solo_noise;
	double company; /* additional cost to the later commands, which solo runs do not have */
	double memory;  /* ratio of peak memory */
	double phi;     /* of the autoregression of the noise */
};

static double pick(struct scene *s, const double *list, size_t n)
{
	return list[et_rng_below(&s->rng, n)];
}

#define PICK(s, ...)                                                                               \
	pick(s, (const double[]){ __VA_ARGS__ },                                                   \
		sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static struct scene scene_of(uint64_t seed)
{
	static const enum et_order orders[] = { ET_ORDER_AUTO, ET_ORDER_AUTO, ET_ORDER_AUTO,
		ET_ORDER_DUET, ET_ORDER_RANDOM, ET_ORDER_SEQUENTIAL };
	static const enum et_protocol protocols[] = { ET_PROTOCOL_CAUSE, ET_PROTOCOL_CAUSE,
		ET_PROTOCOL_EMP, ET_PROTOCOL_KBEST };
	struct scene s = { 0 };
	size_t laws = 0;

	et_rng_seed(&s.rng, seed, 24);
	while (et_laws[laws].name)
		laws++;
	s.law = et_rng_below(&s.rng, 20) ? &et_laws[et_rng_below(&s.rng, laws)] : NULL;
	s.step = et_rng_below(&s.rng, 6) ? 1e-6 : 1;
	s.drift = PICK(&s, 0, 0, 0, 2);
	s.order = orders[et_rng_below(&s.rng, ET_LENGTH(orders))];
	s.protocol = protocols[et_rng_below(&s.rng, ET_LENGTH(protocols))];
	s.n = (uint32_t)PICK(&s, 1, 2, 3, 4, 5, 6, 7, 8, 10, 10, 12, 15, 20, 25, 30, MOST_RUNS);
	s.commands = 2 + (uint32_t)et_rng_below(&s.rng, 2) *
				 (uint32_t)et_rng_below(&s.rng, MOST_COMMANDS - 1);
	s.margin = PICK(&s, 0, 0, 0.01, 0.01, 0.005, 0.0025, 0.027, 0.05);
	if (s.margin > 0.03) /* any that a user may give */
		s.margin = round(1e4 * pow(10, -2.7 + 1.5 * et_rng_uniform(&s.rng))) / 1e4;
	s.margin = s.order == ET_ORDER_SEQUENTIAL ? 0 : s.margin;
	s.removed = PICK(&s, 0, 0, 0.1, 0.5);
	s.effect = PICK(&s, 0, 0, 0.003, 0.01, 0.02, 0.05, 0.5, -0.01, -0.03);
	s.pair_noise = PICK(&s, 0.0003, 0.001, 0.003, 0.01, 0.02, 0.05, 0.2);
	s.solo_noise = s.pair_noise * (1 + (double)et_rng_below(&s.rng, 4));
	s.company = PICK(&s, 0, 0, 0, 0.05, 0.4);
	s.memory = et_rng_below(&s.rng, 6) ? 1 : 2;
	s.phi = PICK(&s, 0, 0, 0, 0.6);
	return s;
}

/* n successive times in ms of a program that takes `ms`. */
static void draw(struct scene *s, double ms, double spread, double *x, uint32_t n)
{
	double last = 0;

	if (s->law)
		et_law_draw(s->law, &s->rng, x, n);
	for (uint32_t i = 0; i < n; i++) {
		struct et_law_truth truth =
			s->law ? et_law_truth(s->law) : (struct et_law_truth){ .sd = 1 };
		double z = s->law ? (x[i] - truth.median) / truth.sd : 0;
		last = s->phi * last + z;
		z = spread * M_SQRT1_2 * (last + s->drift * i / n);
		x[i] = fmax(s->step, s->step * round(ms * exp(fmin(z, 3)) / s->step));
	}
}

static void add(struct et_experiment *e, struct scene *s, const struct et_place *place, double ms)
{
	struct et_sample sample = { .place = *place };

	sample.measured.cpu_ns = sample.measured.elapsed_ns = (uint64_t)llround(1e6 * ms);
	sample.measured.user_ns = sample.measured.cpu_ns;
	sample.measured.max_rss_bytes = (uint64_t)(4e6 * (place->command ? s->memory : 1));
	if (et_rng_uniform(&s->rng) < s->removed)
		sample.ruling.removal.by =
			et_rng_below(&s->rng, 2) ? ET_REMOVED_TWO_SIGMA : ET_REMOVED_FAILED;
	et_experiment_add(e, &sample);
}

static struct et_experiment *plan(const struct scene *s)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	et_experiment_name(e, 1794732906123456789u, 0x1f3a9c);
	e->state = ET_STATE_DONE;
	e->protocol = s->protocol;
	e->plan = (struct et_plan){ .order = s->order,
		.level = 0.95,
		.metronome_ns = 1000000,
		.runs = s->n,
		.k = 3,
		.epsilon = 0.01,
		.equal_ratio = s->margin };
	e->n_commands = s->commands;
	e->commands = et_calloc(s->commands, sizeof(*e->commands));
	for (uint32_t c = 0; c < s->commands; c++) {
		e->commands[c].name = et_asprintf("program%c", 'a' + (int)c);
		e->commands[c].text = et_strdup(e->commands[c].name);
		e->commands[c].argv = et_calloc(2, sizeof(char *));
		e->commands[c].argv[0] = et_strdup(e->commands[c].name);
	}
	return e;
}

static struct et_experiment *play(struct scene *s)
{
	/* Alone; the reference in a duet, and the other command of it. */
	static double solo[MOST_COMMANDS][MOST_RUNS], first[MOST_COMMANDS][MOST_RUNS],
		second[MOST_COMMANDS][MOST_RUNS];
	struct et_experiment *e = plan(s);
	struct et_place at = { 0 };

	for (uint32_t c = 0; c < s->commands; c++) {
		double ms = 30 * (1 + s->effect * c);
		draw(s, ms, s->solo_noise, solo[c], s->n);
		draw(s, 30, s->pair_noise, first[c], s->n);
		draw(s, ms * (1 + s->company), s->pair_noise, second[c], s->n);
	}
	for (uint32_t i = 0; i < s->n; i++) {
		double speed = s->law ? exp(0.03 * et_rng_normal(&s->rng)) : 1;
		at.round = i + 1;
		at.arrangement = ET_SOLO;
		at.partner = -1;
		for (at.command = 0; at.command < s->commands && s->order != ET_ORDER_DUET;
			at.command++) {
			at.order++;
			add(e, s, &at, solo[at.command][i]);
		}
		at.arrangement = ET_DUET;
		for (uint32_t c = 1; c < s->commands; c++) {
			if (s->order != ET_ORDER_DUET && s->order != ET_ORDER_AUTO)
				continue;
			at.order++;
			at.command = 0;
			at.partner = (int32_t)c;
			add(e, s, &at, speed * first[c][i]);
			at.command = c;
			at.partner = 0;
			add(e, s, &at, speed * second[c][i]);
		}
	}
	return e;
}

/* As `run` judges and prints it; whole: also the outputs of a whole experiment. */
static void as_run(struct scene *s, bool whole)
{
	struct et_experiment *e = play(s);
	struct et_judgement j, together;

	seen.margin = 100 * s->margin;
	et_judge(e, &j);
	et_judge_together(e, &together);
	for (size_t i = 0; i < j.n_contrasts; i++) {
		read_contrast(&j.contrasts[i]);
		read_contrast(&together.contrasts[i]);
		if (j.second)
			read_contrast(&j.second[i]);
	}
	read_table(e, &j);
	read_tables(e, &j);
	if (whole) {
		read_record(e, &j);
		read_page(e, &j);
	}
	et_judgement_free(&together);
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* As `compare` judges separate files, with each kind of interval. */
static void as_compare(struct scene *s, bool bootstrap)
{
	struct et_series_set set = { 0 };
	struct et_compare_options o = {
		.alpha = 0.05, .simultaneous = et_rng_below(&s->rng, 2) == 1, .bootstrap = bootstrap
	};
	struct et_comparison c;

	seen.margin = 0;
	for (uint32_t k = 0; k < s->commands; k++) {
		double x[MOST_RUNS];
		char name[16];
		snprintf(name, sizeof(name), "series%c", 'a' + (int)k);
		struct et_series *series = et_series_add(&set, name, ET_UNIT_S);
		draw(s, 30 * (1 + s->effect * k), s->solo_noise, x, s->n);
		for (uint32_t i = 0; i < s->n; i++)
			et_series_append(series, x[i]);
	}
	et_compare(set.list, set.n, &o, &c);
	for (size_t i = 0; i < c.n_pairs; i++)
		read_contrast(&c.pairs[i]);
	et_comparison_free(&c);
	et_series_set_free(&set);
}

/* Intervals with an end that is nearly 0 or a margin, as no experiment would often have. */
static void as_figures(struct scene *s)
{
	double margin = round(1e4 * pow(10, -2.7 + 1.5 * et_rng_uniform(&s->rng))) / 1e4;
	double nearly = margin * pow(10, -5 + 4 * et_rng_uniform(&s->rng));
	double end = PICK(s, 1 + margin, 1 - margin, 1) + PICK(s, -1, 1) * nearly;
	double width = margin * pow(10, -2 + 2.3 * et_rng_uniform(&s->rng)) * PICK(s, -1, 1);
	double lo = fmin(end, end + width), hi = fmax(end, end + width);
	double p = lo > 1 || hi < 1 ? PICK(s, 0.01, 0.04) : 0.5;
	struct et_contrast two[2] = { { .p = 0.9 } }, *c = &two[1];

	*c = (struct et_contrast){ .unit = ET_UNIT_NS,
		.arrangement = "duet",
		.pairs = 30,
		.level = et_rng_below(&s->rng, 2) ? 0.95 : et_sidak_level(0.95, 2),
		.margin = et_rng_below(&s->rng, 4) ? margin : 0,
		.ratio = lo + (hi - lo) * et_rng_uniform(&s->rng),
		.lo = lo,
		.hi = hi,
		.p = p,
		.side_by_side = ET_NO_RATIO,
		.alone = ET_NO_RATIO };

	seen.margin = 100 * c->margin;
	c->mean_ratio = c->ratio;
	et_contrasts_conclude(two, 2, 0.05);
	read_contrast(c);
	et_warnings_free(&two[0].warnings);
	et_warnings_free(&c->warnings);
}

static void report(const char *what, uint64_t experiments, int kinds)
{
	ok(seen.contradictions == 0,
		"%s: of %llu sentences in %llu experiments, %llu contradict their interval", what,
		(unsigned long long)seen.outputs, (unsigned long long)experiments,
		(unsigned long long)seen.contradictions);
	for (int k = 0; k < OTHER; k++)
		ok(seen.kinds[k] > 0 || (kinds < k), "%s: \"%s\" was printed %llu times", what,
			kind_names[k], (unsigned long long)seen.kinds[k]);
	memset(&seen, 0, sizeof(seen));
}

int main(void)
{
	enum { RUNS = 100000, WHOLE = 10, COMPARED = 20000, RESAMPLED = 40 };
	uint64_t runs = (uint64_t)repetitions(RUNS), compared = (uint64_t)repetitions(COMPARED);

	for (uint64_t i = 0; i < runs; i++) {
		struct scene s = scene_of(i);
		as_run(&s, runs == RUNS || i % WHOLE == 0);
	}
	ok(seen.cells > 100, "run: %llu cells of tables were read", (unsigned long long)seen.cells);
	report("run", runs, true);
	for (uint64_t i = 0; i < compared; i++) {
		struct scene s = scene_of(2000000 + i);
		as_figures(&s);
	}
	report("border", compared, true);
	for (uint64_t i = 0; i < compared; i++) {
		struct scene s = scene_of(1000000 + i);
		as_compare(&s, i % RESAMPLED == 0);
	}
	report("compare", compared, false);
	return tap_done();
}
