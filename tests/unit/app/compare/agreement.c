/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sentence of a comparison and the interval beside it never contradict each other: "no
 * difference shown" has an interval that contains 0, a difference has one that does not cross 0.
 * Many experiments are simulated (pairs, rounds, separate series; equal and unequal programs;
 * normal, far, coarse and constant times), judged as `run` and `compare` judge them, and read back
 * from what is printed: verdicts, tables, JSON, Markdown, the page and the gate.
 */
#include "app/compare/view.h"
#include "base/base.h"
#include "base/memstream.h"
#include "num/rng.h"
#include "record/format.h"
#include "report/experiment_page.h"
#include "report/pair.h"
#include "report/text.h"
#include "stats/compare/compare.h"
#include "stats/compare/judge.h"
#include "tap.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* --- what was printed --- */

enum { SAME, BEFORE_HOLM, MORE, LESS, REGRESSED, PASSED, PASSED_OPEN, UNDECIDED, OTHER, KINDS };
static const char *const kind_names[] = { [SAME] = "no difference shown",
	[BEFORE_HOLM] = "differs before the correction",
	[MORE] = "slower",
	[LESS] = "faster",
	[REGRESSED] = "a regression",
	[PASSED] = "no regression",
	[PASSED_OPEN] = "no regression shown",
	[UNDECIDED] = "undecided" };

struct seen {
	uint64_t kinds[KINDS], contradictions, outputs, cells;
	char first[400]; /* the first contradiction */
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
		{ "no difference shown", SAME }, { "before the correction", BEFORE_HOLM },
		{ "slower", MORE }, { "faster", LESS }, { "larger", MORE }, { "smaller", LESS } };

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
 * Finds "(LO … HI", "between LO and HI" or a ratio "R × (LO … HI)", of which 1 is subtracted.
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
		*lo = factor ? a - 1 : less ? -b : a;
		*hi = factor ? b - 1 : less ? -a : b;
		return true;
	}
	return false;
}

static void check(int kind, double lo, double hi, double limit, const char *text, const char *where)
{
	bool agrees = kind == SAME          ? lo <= 0 && hi >= 0
		      : kind == BEFORE_HOLM ? lo >= 0 || hi <= 0
		      : kind == MORE        ? lo >= 0
		      : kind == LESS        ? hi <= 0
		      : kind == REGRESSED   ? lo >= limit
		      : kind == PASSED      ? hi <= limit
		      : kind == PASSED_OPEN ? lo <= limit && hi >= limit
		      : kind == UNDECIDED   ? lo <= limit && hi >= limit
					    : true;

	if (!agrees && !seen.contradictions++)
		snprintf(seen.first, sizeof(seen.first), "%s: %s", where, text);
}

static void read_sentence(const char *text, double limit, const char *where)
{
	int kind = kind_of(text);
	double lo, hi;

	seen.kinds[kind]++;
	seen.outputs++;
	bool gate = kind >= REGRESSED && kind <= UNDECIDED;
	if (find_interval(text, kind == LESS, &lo, &hi))
		check(kind, lo, hi, limit, text, where);
	else if (!gate && kind == SAME && strstr(text, "shown between"))
		check(SAME, 1, 1, 0, text, where); /* the verdict of `run` has one */
}

/* --- the writers --- */

static void read_json(const struct et_contrast *c)
{
	struct et_memstream s;
	struct et_json w;

	et_json_init(&w, et_memstream_open(&s), 0);
	et_pair_json(&w, "old", "new", c);
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	json_t *pair = json_loads(text, 0, NULL), *ratio = json_object_get(pair, "ratio");
	const char *verdict = json_string_value(json_object_get(pair, "verdict"));
	bool shown = json_is_true(json_object_get(pair, "significant"));
	double lo = json_number_value(json_object_get(ratio, "lo")),
	       hi = json_number_value(json_object_get(ratio, "hi"));
	int kind = verdict ? kind_of(verdict) : OTHER;

	if (verdict && json_is_number(json_object_get(ratio, "lo"))) {
		read_sentence(verdict, 0, "JSON, words");
		check(kind, lo - 1, hi - 1, 0, verdict, "JSON, figures");
		if (shown != (kind == MORE || kind == LESS))
			check(SAME, 1, 1, 0, verdict, "JSON, significant");
	}
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
		double lo = number_before(row, join) - 1,
		       hi = strtod(join + strlen(" … "), NULL) - 1;
		int kind = strchr(close, '?')   ? SAME
			   : strchr(close, '~') ? BEFORE_HOLM
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

static void read_markdown(const struct et_experiment *e, const struct et_judgement *j)
{
	struct et_memstream s;

	et_markdown_write(e, j, et_memstream_open(&s));
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	read_rows(text, "Markdown");
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

enum law { NORMAL, FAR, COARSE, TWO_MODES, CONSTANT, LAWS };

struct scene {
	struct et_rng rng;
	enum law law;
	enum et_order order;
	uint32_t n, commands;
	double effect, pair_noise, solo_noise;
	double company; /* additional cost to the later commands, which solo runs do not have */
	double memory;  /* ratio of peak memory */
	double phi;     /* of the autoregression of the noise */
};

static double pick(struct scene *s, const double *list, size_t n)
{
	return list[et_rng_below(&s->rng, n)];
}

static struct scene scene_of(uint64_t seed)
{
	static const double effects[] = { 0, 0, 0.003, 0.01, 0.02, 0.05, 0.5, -0.01, -0.03 };
	static const double spreads[] = { 0.001, 0.01, 0.02, 0.05, 0.2 };
	static const double sizes[] = { 2, 3, 5, 6, 7, 8, 10, 10, 12, 15, 20, 25, 30 };
	static const enum et_order orders[] = { ET_ORDER_AUTO, ET_ORDER_AUTO, ET_ORDER_AUTO,
		ET_ORDER_DUET, ET_ORDER_RANDOM, ET_ORDER_SEQUENTIAL };
	struct scene s = { 0 };

	et_rng_seed(&s.rng, seed, 24);
	s.law = (enum law)et_rng_below(&s.rng, LAWS);
	s.order = orders[et_rng_below(&s.rng, ET_LENGTH(orders))];
	s.n = (uint32_t)pick(&s, sizes, ET_LENGTH(sizes));
	s.commands = 2 + (uint32_t)et_rng_below(&s.rng, 2) * (uint32_t)et_rng_below(&s.rng, 4);
	s.effect = pick(&s, effects, ET_LENGTH(effects));
	s.pair_noise = pick(&s, spreads, ET_LENGTH(spreads));
	s.solo_noise = s.pair_noise * (1 + (double)et_rng_below(&s.rng, 4));
	s.company = et_rng_below(&s.rng, 4) ? 0 : 0.05;
	s.memory = et_rng_below(&s.rng, 6) ? 1 : 2;
	s.phi = et_rng_below(&s.rng, 4) ? 0 : 0.6;
	return s;
}

static double draw(struct scene *s, double ms, double spread, double *last)
{
	double z = et_rng_normal(&s->rng);

	if (s->law == FAR)
		z /= 0.2 + et_rng_uniform(&s->rng);
	if (s->law == TWO_MODES && !et_rng_below(&s->rng, 5))
		z += 8;
	*last = s->phi * *last + z;
	double x = s->law == CONSTANT ? ms : ms * exp(spread * M_SQRT1_2 * *last);
	double step = s->law == COARSE ? 1 : 1e-6;
	return fmax(step, step * round(x / step));
}

static void add(struct et_experiment *e, const struct scene *s, uint32_t command, uint32_t round,
	uint32_t order, enum et_arrangement how, double ms)
{
	struct et_sample sample = {
		.place = { .command = command, .round = round, .order = order, .arrangement = how }
	};

	sample.measured.cpu_ns = sample.measured.elapsed_ns = (uint64_t)llround(1e6 * ms);
	sample.measured.user_ns = sample.measured.cpu_ns;
	sample.measured.max_rss_bytes = (uint64_t)(4e6 * (command ? s->memory : 1));
	et_experiment_add(e, &sample);
}

static struct et_experiment *play(struct scene *s)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	double last[16] = { 0 };
	uint32_t order = 0;

	et_experiment_name(e, 1794732906123456789u, 0x1f3a9c);
	e->plan = (struct et_plan){
		.order = s->order, .level = 0.95, .metronome_ns = 1000000, .runs = s->n
	};
	e->n_commands = s->commands;
	e->commands = et_calloc(s->commands, sizeof(*e->commands));
	for (uint32_t c = 0; c < s->commands; c++) {
		e->commands[c].name = et_asprintf("program%c", 'a' + (int)c);
		e->commands[c].text = et_strdup(e->commands[c].name);
		e->commands[c].argv = et_calloc(2, sizeof(char *));
		e->commands[c].argv[0] = et_strdup(e->commands[c].name);
	}
	for (uint32_t i = 1; i <= s->n; i++) {
		double speed = s->law == CONSTANT ? 1 : exp(0.03 * et_rng_normal(&s->rng));
		for (uint32_t c = 0; c < s->commands && s->order != ET_ORDER_DUET; c++)
			add(e, s, c, i, ++order, ET_SOLO,
				draw(s, 30 * (1 + s->effect * c), s->solo_noise, &last[c]));
		for (uint32_t c = 1; c < s->commands; c++) {
			if (s->order != ET_ORDER_DUET && s->order != ET_ORDER_AUTO)
				continue;
			double b = 30 * (1 + s->effect * c) * (1 + s->company);
			add(e, s, 0, i, ++order, ET_DUET,
				speed * draw(s, 30, s->pair_noise, &last[8 + c]));
			add(e, s, c, i, order, ET_DUET,
				speed * draw(s, b, s->pair_noise, &last[c + 4]));
		}
	}
	return e;
}

/* As `run` judges and prints it; whole: also the outputs of a whole experiment. */
static void as_run(struct scene *s, bool whole)
{
	struct et_experiment *e = play(s);
	struct et_judgement j, together;

	et_judge(e, &j);
	et_judge_together(e, &together);
	for (size_t i = 0; i < j.n_contrasts; i++) {
		read_contrast(&j.contrasts[i]);
		read_contrast(&together.contrasts[i]);
		if (j.second)
			read_contrast(&j.second[i]);
	}
	if (whole) {
		read_table(e, &j);
		read_markdown(e, &j);
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

	for (uint32_t k = 0; k < s->commands; k++) {
		double last = 0;
		char name[16];
		snprintf(name, sizeof(name), "series%c", 'a' + (int)k);
		struct et_series *series = et_series_add(&set, name, ET_UNIT_S);
		for (uint32_t i = 0; i < s->n + 1; i++)
			et_series_append(
				series, draw(s, 30 * (1 + s->effect * k), s->solo_noise, &last));
	}
	et_compare(set.list, set.n, &o, &c);
	for (size_t i = 0; i < c.n_pairs; i++)
		read_contrast(&c.pairs[i]);
	et_comparison_free(&c);
	et_series_set_free(&set);
}

static void report(const char *what, uint64_t experiments)
{
	if (!ok(seen.contradictions == 0,
		    "%s: of %llu sentences in %llu experiments, %llu contradict their interval",
		    what, (unsigned long long)seen.outputs, (unsigned long long)experiments,
		    (unsigned long long)seen.contradictions))
		printf("# %s\n", seen.first);
	for (int k = 0; k < OTHER; k++)
		ok(seen.kinds[k] > 0, "%s: \"%s\" was printed %llu times", what, kind_names[k],
			(unsigned long long)seen.kinds[k]);
	memset(&seen, 0, sizeof(seen));
}

int main(void)
{
	enum { RUNS = 5000, WHOLE = 40, COMPARED = 5000, RESAMPLED = 40 };

	for (uint64_t i = 0; i < RUNS; i++) {
		struct scene s = scene_of(i);
		as_run(&s, i % WHOLE == 0);
	}
	ok(seen.cells > 100, "run: %llu cells of tables were read", (unsigned long long)seen.cells);
	report("run", RUNS);
	for (uint64_t i = 0; i < COMPARED; i++) {
		struct scene s = scene_of(1000000 + i);
		as_compare(&s, i % RESAMPLED == 0);
	}
	report("compare", COMPARED);
	return tap_done();
}
