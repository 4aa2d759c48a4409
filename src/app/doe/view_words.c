/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures and words of a designed experiment: percentages, levels, the line about all of it. */
#include "app/doe/view.h"

#include <ctype.h>

/* --- figures --- */

int et_doe_decimals(double x)
{
	if (!(x > 0))
		return 1;
	double place = -floor(log10(x * 1.05));
	return place < 0 ? 0 : place > 3 ? 3 : (int)place;
}

double et_doe_no_minus_zero(double x, int decimals)
{
	return fabs(x) < 0.5 * pow(10, -decimals) ? 0 : x;
}

const char *et_doe_percent(double x, double lo, double hi, char buf[ET_FIGURE])
{
	int d = et_doe_decimals(isfinite(hi - lo) ? (hi - lo) / 2 : fabs(x) / 100);

	if (!isfinite(x))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else if (isfinite(lo) && isfinite(hi))
		snprintf(buf, ET_FIGURE, "%.*f %% (%.*f … %.*f)", d, et_doe_no_minus_zero(x, d), d,
			et_doe_no_minus_zero(lo, d), d, et_doe_no_minus_zero(hi, d));
	else
		snprintf(buf, ET_FIGURE, "%.*f %%", d, et_doe_no_minus_zero(x, d));
	return buf;
}

const char *et_doe_value(double x, double resolution, enum et_unit unit, char buf[ET_FIGURE])
{
	char plain[ET_FIGURE];

	et_format_value_to(fabs(x), resolution, unit, plain);
	/* No "-0.000 ns". */
	snprintf(buf, ET_FIGURE, "%s%.90s", x < 0 && strtod(plain, NULL) > 0 ? "-" : "", plain);
	return buf;
}

const char *et_doe_p(double p, char buf[ET_FIGURE])
{
	if (!(p >= 0))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else if (p < 1e-4)
		snprintf(buf, ET_FIGURE, "< 0.0001");
	else
		snprintf(buf, ET_FIGURE, p < 0.1 ? "%.2g" : "%.2f", p);
	return buf;
}

const struct et_doe_effect *et_doe_next(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_doe_effect *e)
{
	for (e = e ? e + 1 : p->effects; e < p->effects + p->n_effects; e++) {
		size_t i = 0;
		while (v->terms && i < v->n_terms && v->terms[i] != e->factors)
			i++;
		if (!v->terms || i < v->n_terms)
			return e;
	}
	return NULL;
}

/* --- means --- */

double et_doe_mean_at(const struct et_design *d, const struct et_doe_program *p, size_t factor,
	uint32_t level, size_t second, uint32_t second_level)
{
	double sum = 0;
	size_t n = 0;

	for (size_t t = 0; t < p->n_cells; t++) {
		const uint32_t *levels = d->treatments[t].levels;
		if (levels[factor] != level || levels[second] != second_level || !p->cells[t].n)
			continue;
		sum += p->cells[t].mean;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

char *et_doe_levels(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_doe_effect *e)
{
	const struct et_design *d = v->result->design;

	if (__builtin_popcount(e->factors) != 1)
		return et_strdup("");
	if (e->n_means == 2) /* of a factor with more, two that have runs */
		return et_asprintf("%s → %s", e->means[0].levels, e->means[1].levels);
	size_t f = (size_t)__builtin_ctz(e->factors);
	const struct et_design_factor *factor = &d->factors[f];
	uint32_t lo = 0, hi = (uint32_t)factor->n_levels - 1;
	for (uint32_t i = 0; factor->n_levels > 2 && i < factor->n_levels; i++) {
		double mean = et_doe_mean_at(d, p, f, i, f, i);
		if (isnan(mean))
			continue; /* no run has this level */
		lo = !(mean >= et_doe_mean_at(d, p, f, lo, f, lo)) ? i : lo;
		hi = !(mean <= et_doe_mean_at(d, p, f, hi, f, hi)) ? i : hi;
	}
	return et_asprintf("%s → %s", factor->levels[lo], factor->levels[hi]);
}

/* --- summary --- */

static const char *verb_of(enum et_unit unit, bool fast)
{
	if (unit == ET_UNIT_NS || unit == ET_UNIT_S)
		return fast ? "fastest" : "slowest";
	return fast ? "smallest" : "largest";
}

/* Whether a pair of treatments was compared in a program, and no difference was shown. */
static bool are_alike(const struct et_doe_program *p, size_t a, size_t b)
{
	for (size_t i = 0; i < p->n_pairs; i++) {
		const struct et_contrast *c = &p->pairs[i];
		if ((c->a == a && c->b == b) || (c->a == b && c->b == a))
			return c->conclusion == ET_CONCLUDED_SAME ||
			       c->conclusion == ET_CONCLUDED_SAME_BY_HOLM;
	}
	return false;
}

static size_t extreme(const struct et_doe_program *p, bool fast)
{
	size_t best = p->n_cells;

	for (size_t t = 0; t < p->n_cells; t++) {
		double mean = p->cells[t].mean;
		if (p->cells[t].n && (best == p->n_cells || (fast ? mean < p->cells[best].mean
								  : mean > p->cells[best].mean)))
			best = t;
	}
	return best;
}

/* "fastest: a=1,b=2 (12.3 ms)". */
static void add_extreme(const struct et_doe_view *v, const struct et_doe_program *p, bool fast,
	size_t t, char **text)
{
	const struct et_estimate *c = &p->cells[t];

	et_append(text, "; ", "%s: %s (%s)", verb_of(v->result->unit, fast),
		v->result->design->treatments[t].name,
		et_doe_value(c->mean, (c->hi - c->lo) / 2, v->result->unit, ET_BUF));
}

char *et_doe_fastest(const struct et_doe_view *v, const struct et_doe_program *p)
{
	enum { MOST_NAMED = 3 };
	size_t best = extreme(p, true), worst = extreme(p, false), equal = 0;
	char *text = NULL;

	if (best == p->n_cells)
		return et_strdup("");
	add_extreme(v, p, true, best, &text);
	for (size_t t = 0; t < p->n_cells; t++) {
		if (t == best || !p->cells[t].n || !are_alike(p, best, t))
			continue;
		if (equal++ < MOST_NAMED)
			et_append(&text, "; ", "%s%s", equal == 1 ? "not shown to differ: " : "",
				v->result->design->treatments[t].name);
	}
	if (equal > MOST_NAMED)
		et_append(&text, " and ", "%zu more", equal - MOST_NAMED);
	if (worst != best && !are_alike(p, best, worst))
		add_extreme(v, p, false, worst, &text);
	return text;
}

/* "work moves 3 of 4 programs, pad moves none". */
static void add_factors(const struct et_doe_view *v, char **text)
{
	const struct et_doe_result *r = v->result;

	for (size_t f = 0; f < r->design->n_factors; f++) {
		size_t moved = 0, programs = 0;
		for (size_t p = 0; p < r->n_programs; p++) {
			const struct et_doe_effect *e = NULL;
			while ((e = et_doe_next(v, &r->programs[p], e))) {
				programs += e->factors == 1u << f;
				moved += e->factors == 1u << f && e->significant;
			}
		}
		if (!programs)
			continue;
		et_append(text, ", ", "%s moves ", r->design->factors[f].name);
		if (moved && moved == programs)
			et_append(text, "", programs == 2 ? "both programs" : "all programs");
		else if (moved)
			et_append(text, "", "%zu of %zu programs", moved, programs);
		else
			et_append(text, "", "none");
	}
}

char *et_doe_summary(const struct et_doe_view *v)
{
	const struct et_doe_result *r = v->result;
	size_t before = 0, after = 0, pairs = 0;
	char *text = NULL;

	if (r->n_programs == 1)
		return et_doe_fastest(v, &r->programs[0]);
	add_factors(v, &text);
	for (size_t p = 0; p < r->n_programs; p++) {
		before += r->programs[p].before;
		after += r->programs[p].after;
		pairs += r->programs[p].n_pairs;
	}
	if (pairs)
		et_append(&text, "", "; %zu of %zu pairs of treatments differ, %zu after Holm",
			before, pairs, after);
	return text ? text : et_strdup("");
}

/* Runs that are not done, treatments that failed and terms that they leave without an estimate. */

/* "21 of 160 runs are done; 1 of 6 parts is missing". Results of other tools have no plan. */
static void add_progress(const struct et_doe_view *v, char **text)
{
	uint64_t done = 0, total = v->parts.missing_runs;

	for (size_t i = 0; i < v->n_experiments; i++) {
		const struct et_experiment *e = v->experiments[i];
		struct et_design_progress p;
		if (!e->n_commands || !e->commands[0].argv || !e->commands[0].argv[0])
			continue;
		et_design_progress_read(e, &p);
		done += p.done;
		total += p.total;
		et_design_progress_free(&p);
	}
	if (done >= total)
		return;
	et_append(text, "; ", "%" PRIu64 " of %" PRIu64 " runs are done", done, total);
	if (v->parts.missing)
		et_append(text, "; ", "%zu of %zu parts %s missing", v->parts.missing, v->parts.all,
			v->parts.missing == 1 ? "is" : "are");
}

/* "no run of loop counts with n=2,m=1". */
static void add_treatments(const struct et_doe_view *v, const struct et_doe_program *p, char **text)
{
	enum { MOST_NAMED = 3 };
	size_t n = 0;

	for (size_t t = 0; t < p->n_cells; t++) {
		const char *name = v->result->design->treatments[t].name;
		if (p->cells[t].n || n++ >= MOST_NAMED)
			continue;
		if (n == 1)
			et_append(text, "; ", "no run of %s counts with %s", p->name, name);
		else
			et_append(text, " and ", "%s", name);
	}
	if (n > MOST_NAMED)
		et_append(text, " and ", "%zu more treatments", n - MOST_NAMED);
}

static bool has_effect(const struct et_doe_program *p, size_t factor)
{
	for (size_t i = 0; i < p->n_effects; i++) {
		if (p->effects[i].factors == 1u << factor)
			return true;
	}
	return false;
}

/* ", because n=2 has no run; pairs compare its other levels (-v)". */
static void add_reason(
	const struct et_design *d, const struct et_doe_program *p, size_t factor, char **text)
{
	const struct et_design_factor *f = &d->factors[factor];

	for (uint32_t i = 0; i < f->n_levels; i++) {
		if (!isnan(et_doe_mean_at(d, p, factor, i, factor, i)))
			continue;
		et_append(text, ", ", "because no run counts with %s=%s%s", f->name, f->levels[i],
			f->n_levels > 2 ? "; pairs compare its other levels (-v)" : "");
		return;
	}
}

static void add_terms(const struct et_design *d, const struct et_doe_program *p, char **text)
{
	size_t f = 0;

	if (!p->not_estimated)
		return;
	et_append(text, "; ", "%s could not be estimated in %s", p->not_estimated, p->name);
	while (f < d->n_factors && has_effect(p, f))
		f++;
	if (f < d->n_factors)
		add_reason(d, p, f, text);
}

char *et_doe_missing(const struct et_doe_view *v)
{
	char *text = NULL;

	add_progress(v, &text);
	for (size_t i = 0; i < v->result->n_programs; i++) {
		add_treatments(v, &v->result->programs[i], &text);
		add_terms(v->result->design, &v->result->programs[i], &text);
	}
	return text ? text : et_strdup("");
}

/* Short names of treatments: "RL3O2" of the factors RL and O, "64" of a single factor. */

enum { MOST = 9, MOST_FACTOR = 3 }; /* columns of a name, and of a factor in it */

/* Whether each level has a letter and is of no other factor, whose name is not needed then. */
static bool is_telling(const struct et_design *d, size_t factor)
{
	for (char **level = d->factors[factor].levels; *level; level++) {
		if (!isalpha((unsigned char)**level) &&
			!strpbrk(*level, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			return false;
		for (size_t f = 0; f < d->n_factors; f++) {
			for (char **other = d->factors[f].levels; *other; other++) {
				if (f != factor && !strcmp(*other, *level))
					return false;
			}
		}
	}
	return true;
}

/* The first letters of the words of a factor's name, or all of a short name. */
static void abbreviate(const char *name, char out[8])
{
	size_t n = 0;

	if (strlen(name) <= MOST_FACTOR) {
		snprintf(out, 8, "%s", name);
		return;
	}
	for (const char *p = name; *p && n < MOST_FACTOR; p++) {
		bool begins = p == name || strchr("-_ .", p[-1]);
		if (begins && isalnum((unsigned char)*p))
			out[n++] = (char)toupper((unsigned char)*p);
	}
	out[n] = '\0';
}

static bool are_distinct(char **names, size_t n)
{
	enum { MOST_COMPARED = 200 }; /* more have no short names anyway */

	for (size_t i = 0; i < n && n <= MOST_COMPARED; i++) {
		for (size_t k = i + 1; k < n; k++) {
			if (!strcmp(names[i], names[k]))
				return false;
		}
	}
	return n <= MOST_COMPARED;
}

char **et_doe_short_names(const struct et_design *d, bool *numbers)
{
	char **names = et_calloc(d->n_treatments + 1, sizeof(*names));
	int widest = 0;

	for (size_t t = 0; t < d->n_treatments; t++) {
		ET_AUTO_FREE char *text = et_strdup("");
		for (size_t f = 0; f < d->n_factors; f++) {
			char lead[8] = "";
			if (d->n_factors > 1 && !is_telling(d, f))
				abbreviate(d->factors[f].name, lead);
			et_append(&text, "", "%s%s", lead,
				d->factors[f].levels[d->treatments[t].levels[f]]);
		}
		names[t] = et_clean(text, "");
		int columns = et_columns(names[t]);
		widest = columns > widest ? columns : widest;
	}
	*numbers = widest > MOST || !are_distinct(names, d->n_treatments);
	for (size_t t = 0; *numbers && t < d->n_treatments; t++) {
		free(names[t]);
		names[t] = et_asprintf("%zu", t + 1);
	}
	return names;
}
