/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of `doe plan`. */
#include "app/doe/view.h"

#define FAINT "2"
#define MINUS "−"

/* Shown without -v. */
enum {
	FEW_EXECUTED = 60,
	FEW_TREATMENTS = 32,
	FEW_ROUNDS = 3,
	FEW_PER_ROUND = 40,
	FEW_WORDS = 15,
	NAME = 14
};

double et_doe_plan_ns(const struct et_doe_outlook *o, bool *at_least)
{
	const struct et_design *d = o->e->design;
	double sum = 0, each = (double)d->n_treatments * (o->e->plan.warmup + o->e->plan.runs);

	*at_least = false;
	for (size_t i = 0; i < d->n_programs; i++) {
		sum += o->pilots ? each * o->pilots[i].run_ns : NAN;
		*at_least = *at_least || (o->pilots && o->pilots[i].cut);
	}
	return sum;
}

static void ET_PRINTF(4, 5)
	row(const struct et_doe_outlook *o, int column, const char *label, const char *fmt, ...)
{
	ET_AUTO_FREE char *clean = et_clean(label, ""), *cut = et_shorten(clean, column - 4);
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	et_page_row(o->page, column, cut, NULL, "%s", text);
}

/* --- power --- */

/* How many of the terms are main effects. */
static size_t count_main(const uint32_t *terms, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += __builtin_popcount(terms[i]) == 1;
	return count;
}

/* "effects", "main effects", "interactions", "work", "pairs". */
static char *label_of(const struct et_doe_outlook *o, const struct et_doe_class *c)
{
	size_t main = count_main(c->terms, c->n_terms), all = count_main(o->terms, o->n_terms);

	if (!c->terms)
		return et_strdup("pairs");
	if (c->n_terms > 1 && c->n_terms == o->n_terms)
		return et_strdup("effects");
	if (main > 1 && main == c->n_terms && main == all)
		return et_strdup("main effects");
	if (c->n_terms > 1 && main == 0 && c->n_terms == o->n_terms - all)
		return et_strdup("interactions");
	char *label = et_design_term_name(o->e->design, c->terms[0]);
	if (c->n_terms > 1)
		et_append(&label, " ", "and %zu more", c->n_terms - 1);
	return label;
}

/* The largest of the smallest effects of factors, or of all terms if no factor is among them. */
static double main_effect(const struct et_doe_class *classes, size_t n, int power)
{
	double most = NAN, most_main = NAN;

	for (size_t i = 0; i < n; i++) {
		const struct et_doe_class *c = &classes[i];
		if (!c->terms)
			continue;
		most = fmax(most, c->holm[power]);
		if (count_main(c->terms, c->n_terms))
			most_main = fmax(most_main, c->holm[power]);
	}
	return isnan(most_main) ? most : most_main;
}

double et_doe_relative_sd(const struct et_doe_outlook *o, size_t program)
{
	if (!o->pilots || !(o->pilots[program].mean > 0))
		return NAN;
	return o->pilots[program].sd / o->pilots[program].mean;
}

struct et_doe_class *et_doe_power_of(const struct et_doe_outlook *o, size_t *n)
{
	return et_doe_classes(o->e->design, o->terms, o->n_terms, o->e->plan.runs, o->alpha, n);
}

/* --- the answer --- */

/* In percent of the mean, or in standard deviations if these are not known. */
static const char *format_effect(double sds, double sd, char buf[ET_FIGURE])
{
	if (!isnan(sd))
		return et_format_percent(sds * sd, buf);
	snprintf(buf, ET_FIGURE, "%.*f", sds < 1 ? 2 : sds < 10 ? 1 : 0, sds);
	return buf;
}

/* The programs whose runs scatter least and most; returns how many have a known scatter. */
static size_t find_extremes(const struct et_doe_outlook *o, size_t *least, size_t *most)
{
	size_t n = 0;

	for (size_t i = 0; i < o->e->design->n_programs; i++) {
		double sd = et_doe_relative_sd(o, i);
		if (isnan(sd))
			continue;
		if (!n || sd < et_doe_relative_sd(o, *least))
			*least = i;
		if (!n || sd > et_doe_relative_sd(o, *most))
			*most = i;
		n++;
	}
	return n;
}

/* "it finds a main effect of 0.9 % with a probability of 80 %" */
static char *promise(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;
	size_t n, least = 0, most = 0;
	struct et_doe_class *classes = et_doe_power_of(o, &n);
	double effect = main_effect(classes, n, 0);

	et_doe_classes_free(classes, n);
	if (!isfinite(effect))
		return et_strdup("it can test no effect, because too few runs count");
	n = find_extremes(o, &least, &most);
	if (!n)
		return et_asprintf("it finds a main effect of %s standard deviations of a run "
				   "with a probability of 80 %%",
			format_effect(effect, NAN, ET_BUF));
	const char *a = format_effect(effect, et_doe_relative_sd(o, least), ET_BUF);
	const char *b = format_effect(effect, et_doe_relative_sd(o, most), ET_BUF);
	if (n == 1)
		return et_asprintf("it finds a main effect of %s%s%s%s with a probability of 80 %%",
			a, d->n_programs > 1 ? " (" : "",
			d->n_programs > 1 ? d->programs[least].name : "",
			d->n_programs > 1 ? ")" : "");
	return et_asprintf(
		"it finds a main effect of %s (%s) to %s (%s) with a probability of 80 %%", a,
		d->programs[least].name, b, d->programs[most].name);
}

/* "25 min": two digits are enough for what pilot runs suggest. */
static const char *format_about(double seconds, char buf[ET_FIGURE])
{
	static const struct {
		const char *unit;
		double seconds, most;
	} units[] = { { "ms", 1e-3, 1e3 }, { "s", 1, 120 }, { "min", 60, 120 }, { "h", 3600, 48 },
		{ "days", 86400, INFINITY } };
	size_t i = 0;

	while (seconds / units[i].seconds >= units[i].most)
		i++;
	double x = seconds / units[i].seconds;
	snprintf(buf, ET_FIGURE, "%.*f %s", x < 9.95 ? 1 : 0, x, units[i].unit);
	return buf;
}

void et_doe_plan_answer(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;
	uint32_t each = o->e->plan.warmup + o->e->plan.runs;
	bool at_least;
	double ns = et_doe_plan_ns(o, &at_least);
	ET_AUTO_FREE char *found = promise(o);
	char span[ET_FIGURE], duration[2 * ET_FIGURE] = "";

	if (!isnan(ns))
		snprintf(duration, sizeof(duration), ", %s %s", at_least ? "at least" : "about",
			format_about(ns / 1e9, span));
	et_page_say(o->page, 0, "", NULL, ET_DOE_BOLD,
		"%zu treatment%s × %zu program%s × %" PRIu32 " run%s = %" PRIu64 " runs%s; %s.",
		d->n_treatments, et_doe_plural(d->n_treatments), d->n_programs,
		et_doe_plural(d->n_programs), each, et_doe_plural(each), o->all_runs, duration,
		found);
	if (o->large)
		et_page_paragraph(o->page, 0, "", NULL,
			"This is a large experiment: 'etalon doe run' asks for --yes.", NULL);
}

/* --- everything that is executed, but for the hooks of the plan itself --- */

static void add(struct et_doe_executed *list, size_t *n, const char *what, const char *text)
{
	if (text)
		list[(*n)++] = (struct et_doe_executed){ what, text };
}

static const char *hook_of(const struct et_command *c, size_t i)
{
	const char *const hooks[] = { c->setup, c->prepare, c->conclude, c->cleanup };

	return hooks[i];
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct et_doe_executed *et_doe_executed(const struct et_experiment *e, size_t *n)
{
	static const char *const names[] = { "--setup", "--prepare", "--conclude", "--cleanup" };
	const struct et_design *d = e->design;
	size_t most = 2 * d->n_programs + 1 + ET_LENGTH(names) * e->n_commands;
	struct et_doe_executed *list = et_calloc(most, sizeof(*list));
	ET_AUTO_FREE const char **texts = et_calloc(e->n_commands + 1, sizeof(*texts));

	*n = 0;
	for (size_t i = 0; i < d->n_programs; i++) {
		add(list, n, d->programs[i].name, d->programs[i].command);
		add(list, n, "build", d->programs[i].build);
	}
	add(list, n, "shell", e->child.shell);
	/* The different texts of each kind of hook; levels may be part of them. */
	for (size_t i = 0; i < ET_LENGTH(names); i++) {
		size_t n_texts = 0;
		for (size_t c = 0; c < e->n_commands; c++) {
			texts[n_texts] = hook_of(&e->commands[c], i);
			n_texts += texts[n_texts] != NULL;
		}
		qsort(texts, n_texts, sizeof(*texts), by_text);
		for (size_t c = 0; c < n_texts; c++)
			add(list, n, names[i],
				c && !strcmp(texts[c], texts[c - 1]) ? NULL : texts[c]);
	}
	return list;
}

static bool has_hooks(const struct et_experiment *e)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		for (size_t k = 0; k < 4; k++) {
			if (hook_of(&e->commands[i], k))
				return true;
		}
	}
	return false;
}

static void print_programs(const struct et_doe_outlook *o)
{
	size_t n;
	struct et_doe_executed *list = et_doe_executed(o->e, &n);
	size_t most = o->verbose || n < FEW_EXECUTED ? n : FEW_EXECUTED;

	et_doe_heading(o->page, "Programs");
	for (size_t i = 0; i < most; i++)
		row(o, NAME, list[i].what, "%s", list[i].text);
	if (most < n)
		et_doe_say(o->page, FAINT, "and %zu more, which -v shows", n - most);
	free(list);
}

/* --- factors and treatments --- */

/* How etalon sets a level, as part of a sentence. */
static char *setting_of(const struct et_design_factor *f)
{
	const struct et_factor_kind *kind = &et_factor_kinds[f->kind];

	if (kind->scope == ET_SCOPE_TEXT)
		return et_asprintf("replaces {%s} in commands", f->name);
	if (kind->scope == ET_SCOPE_BUILD)
		return et_asprintf("replaces {%s} in build commands", f->name);
	const char *variable = f->variable ? f->variable : f->name;
	if (f->kind != ET_KIND_ENVIRONMENT && f->kind != ET_KIND_ENVIRONMENT_SIZE)
		variable = "";
	else if (f->kind == ET_KIND_ENVIRONMENT_SIZE && !f->variable)
		variable = "ETALON_PAD";
	return et_asprintf("etalon %s%s%s%s", kind->setting, *variable ? " " : "", variable,
		kind->scope == ET_SCOPE_MACHINE ? " of this machine and restores them" : "");
}

static void print_factors(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;
	int column = 6;

	for (size_t i = 0; i < d->n_factors; i++) {
		int width = et_columns(d->factors[i].name) + 4;
		column = width > column ? width : column;
	}
	et_doe_heading(o->page, "Factors");
	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		ET_AUTO_FREE char *setting = setting_of(f), *text = NULL;
		for (size_t k = 0; k < f->n_levels; k++) {
			if (f->n_levels == 2)
				et_append(&text, ", ", "%s %s", k ? "+" : MINUS, f->levels[k]);
			else
				et_append(&text, ", ", "%zu: %s", k + 1, f->levels[k]);
		}
		row(o, column < NAME + 6 ? column : NAME + 6, f->name, "%s; %s (%s)", text, setting,
			et_factor_kinds[f->kind].name);
	}
}

/* Yates's name of a treatment: the factors at their second level, "(1)" if none is. */
static char *yates_name(const struct et_design *d, size_t treatment)
{
	char *name = NULL;

	for (size_t i = 0; i < d->n_factors; i++) {
		if (d->factors[i].n_levels != 2)
			return free(name), NULL;
		if (d->treatments[treatment].levels[i])
			et_append(&name, " ", "%s", d->factors[i].name);
	}
	return name ? name : et_strdup("(1)");
}

static void print_treatments(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;
	size_t n =
		o->verbose || d->n_treatments <= FEW_TREATMENTS ? d->n_treatments : FEW_TREATMENTS;
	ET_AUTO_FREE char *last = yates_name(d, d->n_treatments - 1);
	bool named = last && d->n_factors <= 5 && et_columns(last) <= 2 * NAME;
	struct et_table table = { .indent = 2, .split = true };

	et_doe_heading(o->page, "Treatments%s",
		d->n_factors == 1 ? ""
				  : " in standard order (Yates): the first factor changes fastest");
	et_table_column(&table, ET_TABLE_NUMBER, "");
	for (size_t i = 0; i < d->n_factors; i++) {
		ET_AUTO_FREE char *name = et_shorten(d->factors[i].name, NAME - 2);
		et_table_column(&table, ET_TABLE_NUMBER, name);
	}
	et_table_column(&table, ET_TABLE_TEXT, "");
	for (size_t t = 0; t < n; t++) {
		ET_AUTO_FREE char *name = named ? yates_name(d, t) : NULL;
		et_table_add(&table, "%zu", t + 1);
		for (size_t i = 0; i < d->n_factors; i++) {
			uint32_t level = d->treatments[t].levels[i];
			if (d->factors[i].n_levels > 2)
				et_table_add(&table, "%" PRIu32, level + 1);
			else
				et_table_add(&table, "%s", level ? "+" : MINUS);
		}
		et_table_name(&table, name, NULL);
	}
	et_table_print(&table, o->page);
	if (n < d->n_treatments)
		et_doe_say(o->page, FAINT, "and %zu more, which -v shows", d->n_treatments - n);
}

/* --- the order of runs --- */

static void print_round(const struct et_doe_outlook *o, size_t from, size_t to)
{
	const struct et_design *d = o->e->design;
	uint32_t round = o->runs[from].round;
	ET_AUTO_FREE char *text = NULL, *label = round ? et_asprintf("round %" PRIu32, round)
						       : et_strdup("discarded");

	for (size_t i = from; i < to; i++) {
		uint32_t c = o->runs[i].command, treatment = et_design_treatment_of(d, c) + 1;
		if (!o->verbose && i - from == FEW_PER_ROUND) {
			et_append(&text, ", ", "… (%zu more)", to - i);
			break;
		}
		if (d->n_programs > 1)
			et_append(&text, ", ", "%s/%" PRIu32,
				d->programs[et_design_program_of(d, c)].name, treatment);
		else
			et_append(&text, ", ", "%" PRIu32, treatment);
	}
	row(o, NAME, label, "%s", text);
}

/* Warm-up rounds all have the number 0, so their length shows where one ends. */
static void print_rounds(const struct et_doe_outlook *o)
{
	size_t commands = o->e->n_commands, shown = 0, at = 0;
	size_t most = o->verbose ? SIZE_MAX : FEW_ROUNDS + o->e->plan.warmup;

	for (size_t to; at < o->n_runs && shown < most; at = to, shown++) {
		to = at;
		while (to < o->n_runs && to - at < commands &&
			o->runs[to].round == o->runs[at].round)
			to++;
		print_round(o, at, to);
	}
	if (o->all_runs > at)
		et_doe_say(o->page, FAINT, "and %" PRIu64 " more%s",
			(o->all_runs - at + commands - 1) / commands,
			o->verbose ? "" : ", which -v shows");
}

static void print_order(const struct et_doe_outlook *o)
{
	const struct et_plan *p = &o->e->plan;

	if (p->order == ET_ORDER_SEQUENTIAL) {
		et_doe_heading(o->page, "Order of runs: standard order");
		et_doe_say(o->page, NULL,
			"All runs of a program under a treatment follow each other: %" PRIu32
			" discarded, then %" PRIu32 " that count.",
			p->warmup, p->runs);
	} else if (p->order == ET_ORDER_ROUND_ROBIN) {
		et_doe_heading(o->page, "Order of runs: every round in standard order");
	} else {
		et_doe_heading(
			o->page, "Order of runs: random in rounds (seed %" PRIu64 ")", p->seed);
		et_doe_say(o->page, NULL, "Every second round is the reverse of the one before.");
	}
	if (o->e->design->blocks != ET_BLOCKS_NONE)
		et_doe_say(o->page, NULL, "%s",
			o->e->design->blocks == ET_BLOCKS_ROUND
				? "Every round is a block."
				: "Every machine makes all runs, and is a block.");
	if (p->order != ET_ORDER_SEQUENTIAL)
		print_rounds(o);
}

static void print_hooks(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;
	const struct {
		const char *label, *text, *when;
	} hooks[] = { { "setup", d->setup, "once before everything" },
		{ "between", d->between, "between two treatments" },
		{ "reboot", d->reboot, "between two treatments, to restart the machine" } };

	if (!d->setup && !d->between && !d->reboot)
		return;
	et_doe_heading(o->page, "Hooks");
	for (size_t i = 0; i < ET_LENGTH(hooks); i++) {
		if (hooks[i].text)
			row(o, NAME, hooks[i].label, "%s (%s)", hooks[i].text, hooks[i].when);
	}
}

/* --- fractions --- */

char *et_doe_signed_term(const struct et_design *d, uint32_t term, uint32_t to, const char *minus)
{
	ET_AUTO_FREE char *name = et_design_term_name(d, term);

	return et_asprintf("%s%s", et_design_sign(d, 0, term ^ to) < 0 ? minus : "", name);
}

static void append_term(char **text, const struct et_design *d, uint32_t term, uint32_t to)
{
	ET_AUTO_FREE char *name = et_doe_signed_term(d, term, to, MINUS);

	et_append(text, " = ", "%s", name);
}

static const char *meaning_of(size_t resolution)
{
	static const char *const meanings[] = {
		[3] = "III: main effects are aliases of interactions of two factors",
		[4] = "IV: main effects are aliases of interactions of three factors, and "
		      "interactions of two factors of each other",
		[5] = "V: main effects and interactions of two factors are aliases of "
		      "interactions of three or more factors only",
	};

	return resolution < ET_LENGTH(meanings)
		       ? meanings[resolution]
		       : "above V: effects of one or two factors are aliases of interactions of "
			 "four or more factors only";
}

static void print_alias_set(const struct et_doe_outlook *o, uint32_t term)
{
	const struct et_design *d = o->e->design;
	size_t n, shown = 0;
	ET_AUTO_FREE uint32_t *list = et_design_aliases(d, term, &n);
	ET_AUTO_FREE char *text = NULL, *name = et_design_term_name(d, term);
	int least = __builtin_popcount(list[0]), most = least > 2 ? least : 2;

	while (shown < n && (o->verbose || __builtin_popcount(list[shown]) <= most))
		append_term(&text, d, list[shown++], term);
	if (shown < n)
		et_append(&text, " = ", "… (%zu more)", n - shown);
	row(o, NAME, name, "= %s", text);
}

static void print_fraction(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;
	size_t p = et_design_generators(d), n, shown = 0;
	ET_AUTO_FREE uint32_t *words = et_design_relation(d, &n);
	ET_AUTO_FREE char *generators = NULL, *relation = et_strdup("I");

	if (!p)
		return;
	for (size_t i = 0; i < d->n_factors; i++) {
		if (d->factors[i].generator)
			et_append(&generators, ", ", "%s = %s", d->factors[i].name,
				d->factors[i].generator);
	}
	for (; shown < n && (o->verbose || shown < FEW_WORDS); shown++)
		append_term(&relation, d, words[shown], 0);
	if (shown < n)
		et_append(&relation, " = ", "… (%zu more)", n - shown);
	et_doe_heading(o->page, "Fraction: %zu of the %zu treatments of the full design",
		d->n_treatments, d->n_treatments << p);
	row(o, NAME, "generators", "%s", generators);
	row(o, NAME, "relation", "%s", relation);
	row(o, NAME, "resolution", "%s", meaning_of(et_design_resolution(d)));
	et_doe_heading(o->page, "Aliases: effects that no run tells apart");
	size_t n_terms;
	ET_AUTO_FREE uint32_t *terms = et_design_terms(d, &n_terms);
	for (size_t i = 0; i < n_terms; i++) {
		if (o->verbose || __builtin_popcount(terms[i]) <= 2)
			print_alias_set(o, terms[i]);
	}
}

/* --- power --- */

static void power_row(const char *name, double sd, const struct et_doe_class *classes, size_t n,
	struct et_table *t)
{
	et_table_name(t, name, NULL);
	et_table_add(t, "%s", isnan(sd) ? "" : et_format_percent(sd, ET_BUF));
	for (size_t i = 0; i < n; i++) {
		if (isnan(classes[i].holm[0]))
			et_table_add(t, ET_DASH);
		else
			et_table_add(t, "%s (%s)", format_effect(classes[i].holm[0], sd, ET_BUF),
				format_effect(classes[i].holm[1], sd, ET_BUF));
	}
}

static void print_power(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;
	struct et_table t = { .indent = 2, .split = true };
	size_t n;
	struct et_doe_class *classes = et_doe_power_of(o, &n);

	et_doe_heading(
		o->page, "Smallest effects that are found with a probability of 80 %% (95 %%)");
	et_table_column(&t, ET_TABLE_NAME, "");
	et_table_column(&t, ET_TABLE_NUMBER, "sd of a run");
	for (size_t i = 0; i < n; i++) {
		ET_AUTO_FREE char *label = label_of(o, &classes[i]);
		et_table_column(&t, ET_TABLE_NUMBER, label);
	}
	power_row("in sd", NAN, classes, n, &t);
	for (size_t i = 0; i < d->n_programs; i++) {
		double sd = et_doe_relative_sd(o, i);
		if (!isnan(sd))
			power_row(d->programs[i].name, sd, classes, n, &t);
	}
	et_table_print(&t, o->page);
	et_doe_classes_free(classes, n);
	et_doe_say(o->page, FAINT,
		"after Holm's correction over the effects of a program, and over its pairs of "
		"treatments");
}

static void print_pilots(const struct et_doe_outlook *o)
{
	const struct et_design *d = o->e->design;

	if (!o->pilots) {
		putc('\n', o->page->out);
		et_page_paragraph(o->page, 0, "", NULL, o->no_pilot, NULL);
		return;
	}
	et_doe_heading(o->page, "Pilot runs, which are not kept");
	for (size_t i = 0; i < d->n_programs; i++) {
		const struct et_doe_pilot *p = &o->pilots[i];
		row(o, NAME, d->programs[i].name, "%zu run%s of %s%s", p->n, et_doe_plural(p->n),
			p->cut ? "more than " : "", et_format_rounded(p->run_ns, 3, ET_BUF));
	}
	if (d->setup || d->between || d->reboot || has_hooks(o->e))
		et_doe_say(o->page, NULL,
			"They were made without the hooks, whose duration is not counted.");
	size_t i = 0;
	while (i < d->n_factors && et_factor_kinds[d->factors[i].kind].scope != ET_SCOPE_MACHINE)
		i++;
	if (i < d->n_factors)
		et_doe_say(
			o->page, NULL, "They left the machine as it is, whatever the treatment.");
}

void et_doe_plan_text(const struct et_doe_outlook *o)
{
	et_doe_plan_answer(o);
	print_programs(o);
	print_factors(o);
	print_treatments(o);
	print_order(o);
	print_hooks(o);
	print_fraction(o);
	print_power(o);
	print_pilots(o);
}
