/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/lab.h"
#include "base/alloc.h"
#include "base/json.h"
#include "draw/table.h"

#include <math.h>

#define BOLD "1"

enum { NAME_COLUMNS = 16 };

/* --- text --- */

static const char *const way_titles[ET_DUET_WAYS] = { "metronome", "slices" };

static double percent(uint32_t k, uint32_t n)
{
	return n ? 100.0 * k / n : NAN;
}

/* A figure, or a dash. */
static void figure(struct et_table *t, int decimals, double x)
{
	if (isfinite(x))
		et_table_add(t, "%.*f", decimals, x);
	else
		et_table_add(t, "-");
}

/* "  5   3   0" of experiments of 10, 30 and 100 rounds. */
static void sized(struct et_table *t, const struct et_duet_measured *m,
	double (*of)(const struct et_duet_cell *))
{
	ET_AUTO_FREE char *text = NULL;

	for (int s = 0; s < ET_DUET_SIZES; s++) {
		double x = m->cells[s].repetitions ? of(&m->cells[s]) : NAN;
		if (isfinite(x))
			et_append(&text, "", "%4.0f", x);
		else
			et_append(&text, "", "%4s", "-");
	}
	et_table_add(t, "%s", text);
}

static void titles(struct et_table *t, const char *const *list)
{
	for (; *list; list++)
		et_table_column(t, ET_TABLE_NUMBER, *list);
}

/* A table whose lines begin with a pair and its design. */
static struct et_table begin_pairs(void)
{
	struct et_table t = { .split = true };

	et_table_column(&t, ET_TABLE_TEXT, "pair");
	et_table_column(&t, ET_TABLE_TEXT, "design");
	return t;
}

static void heading(const struct et_page *page, const char *text)
{
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
}

static void measured_table(const struct et_duet_bias *b, const struct et_page *page)
{
	static const char *const first[] = { "ms", "ms", "ratio alone", NULL };
	static const char apart[ET_DUET_WAYS][1]; /* each way is a group without a heading */
	struct et_table t = begin_pairs();

	heading(page,
		"the pairs: times and ratio alone; difference of the ratio side by side in %, and "
		"standard deviation of a pair's log ratio in %");
	titles(&t, first);
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

static void errors_cells(struct et_table *t, const struct et_duet_cell *c)
{
	for (int f = 0; f < ET_DUET_FIGURES; f++) {
		const struct et_duet_errors *e = &c->errors[f];
		bool known = c->repetitions;
		figure(t, 2, known ? 100 * e->bias : NAN);
		figure(t, 2, known ? 100 * e->sd : NAN);
		figure(t, 2, known ? 100 * e->half_width : NAN);
		figure(t, 0, percent(e->covered, c->repetitions));
	}
}

static struct et_table begin_errors(const char *first)
{
	static const char *const figures[ET_DUET_FIGURES] = { "side by side", "solo runs",
		"alone, as printed" };
	static const char *const errors[] = { "bias", "sd", "half", "cov", NULL };
	struct et_table t = { .split = true };

	et_table_column(&t, ET_TABLE_TEXT, first);
	for (int f = 0; f < ET_DUET_FIGURES; f++) {
		titles(&t, errors);
		et_table_over(&t, ET_LENGTH(errors) - 1, figures[f]);
	}
	return t;
}

/* The mean over the pairs of a design; the bias as a mean of absolute values. */
static bool average(
	const struct et_duet_bias *b, int design, int way, int size, struct et_duet_cell *out)
{
	size_t n = 0;

	*out = (struct et_duet_cell){ 0 };
	for (size_t i = 0; i < b->n; i++) {
		const struct et_duet_cell *c = &b->pairs[i].ways[way].cells[size];
		if ((int)b->pairs[i].design != design || !c->repetitions)
			continue;
		n++;
		out->repetitions += c->repetitions;
		for (int f = 0; f < ET_DUET_FIGURES; f++) {
			out->errors[f].bias += fabs(c->errors[f].bias);
			out->errors[f].sd += c->errors[f].sd;
			out->errors[f].half_width += c->errors[f].half_width;
			out->errors[f].covered += c->errors[f].covered;
		}
	}
	for (int f = 0; n && f < ET_DUET_FIGURES; f++) {
		out->errors[f].bias /= (double)n;
		out->errors[f].sd /= (double)n;
		out->errors[f].half_width /= (double)n;
	}
	return n > 0;
}

static void errors_by_pair(const struct et_duet_bias *b, int way, const struct et_page *page)
{
	const int size = 1;
	struct et_table t = begin_errors("pair");
	ET_AUTO_FREE char *title =
		et_asprintf("experiments of %zu rounds, %s: bias, standard deviation "
			    "and half width of the ratio in %%; coverage of the 95 %% "
			    "interval in %%",
			et_duet_sizes[size], way_titles[way]);

	heading(page, title);
	for (size_t i = 0; i < b->n; i++) {
		et_table_add(&t, "%s", b->pairs[i].name);
		errors_cells(&t, &b->pairs[i].ways[way].cells[size]);
	}
	et_table_print(&t, page);
}

static void errors_by_design(const struct et_duet_bias *b, int way, const struct et_page *page)
{
	struct et_table t = begin_errors("design          rounds");
	ET_AUTO_FREE char *title = et_asprintf(
		"means over the pairs of a design, %s (bias: of absolute values)", way_titles[way]);

	heading(page, title);
	for (int design = 0; et_pair_design_names[design]; design++) {
		for (int s = 0; s < ET_DUET_SIZES; s++) {
			struct et_duet_cell mean;
			if (!average(b, design, way, s, &mean))
				continue;
			et_table_add(&t, "%-*s%6zu", NAME_COLUMNS, et_pair_design_names[design],
				et_duet_sizes[s]);
			errors_cells(&t, &mean);
		}
	}
	et_table_print(&t, page);
}

static double contradictions(const struct et_duet_cell *c)
{
	return percent(c->contradictions, c->repetitions);
}

static double alarms_by_pairs(const struct et_duet_cell *c)
{
	return percent(c->alarms_by_pairs, c->repetitions);
}

static double alarms(const struct et_duet_cell *c)
{
	return percent(c->alarms, c->repetitions);
}

static double found_small(const struct et_duet_cell *c)
{
	return percent(c->found[0], c->repetitions);
}

static double found_large(const struct et_duet_cell *c)
{
	return percent(c->found[1], c->repetitions);
}

static void signs_table(const struct et_duet_bias *b, const struct et_page *page)
{
	static const char *const first[] = { "MiB", "MiB", "faults", "faults", "sys", "sys",
		"differ in", NULL };
	struct et_table t = begin_pairs();

	heading(page,
		"signs of different kinds: peak memory, page faults, share of system time; and "
		"experiments of 10, 30, 100 rounds whose pairs contradict the solo runs, in %");
	titles(&t, first);
	for (int w = 0; w < ET_DUET_WAYS; w++)
		et_table_column(&t, ET_TABLE_NUMBER, way_titles[w]);
	for (size_t i = 0; i < b->n; i++) {
		const struct et_duet_pair *p = &b->pairs[i];
		const struct et_footprint *f = p->footprints;
		et_table_add(&t, "%s\t%s\t%.1f\t%.1f\t%.0f\t%.0f\t%.2f\t%.2f\t%s", p->name,
			et_pair_design_names[p->design], f[0].memory / 1048576,
			f[1].memory / 1048576, f[0].faults, f[1].faults, f[0].system, f[1].system,
			p->sign ? p->sign : "-");
		for (int w = 0; w < ET_DUET_WAYS; w++)
			sized(&t, &p->ways[w], contradictions);
	}
	et_table_print(&t, page);
}

static void verdict_table(const struct et_duet_bias *b, int way, const struct et_page *page)
{
	struct et_table t = begin_pairs();
	ET_AUTO_FREE char *title =
		et_asprintf("programs made equal, %s: a difference was claimed, in %% of "
			    "experiments of 10, 30, 100 "
			    "rounds; and one program %.1f and %.1f %% slower: this was found",
			way_titles[way], 100 * et_duet_effects[0], 100 * et_duet_effects[1]);
	char effects[2][16];

	heading(page, title);
	for (int k = 0; k < 2; k++)
		snprintf(effects[k], sizeof(effects[k]), "%.1f%%", 100 * et_duet_effects[k]);
	titles(&t, (const char *const[]){ "by pairs", "verdict", effects[0], effects[1], NULL });
	for (size_t i = 0; i < b->n; i++) {
		const struct et_duet_pair *p = &b->pairs[i];
		const struct et_duet_measured *m = &p->ways[way];
		if (p->design == ET_PAIR_ONE_KIND)
			continue;
		et_table_add(&t, "%s\t%s", p->name, et_pair_design_names[p->design]);
		sized(&t, m, alarms_by_pairs);
		sized(&t, m, alarms);
		if (p->design == ET_PAIR_IDENTICAL) {
			sized(&t, m, found_small);
			sized(&t, m, found_large);
		} else {
			et_table_add(&t, "\t");
		}
	}
	et_table_print(&t, page);
}

void et_duet_bias_text(const struct et_duet_bias *b, const struct et_page *page)
{
	ET_AUTO_FREE char *about = et_asprintf("Each pair of programs was run side by side and "
					       "alone. From the measured rounds, %u "
					       "experiments of each size were drawn, in blocks of "
					       "successive rounds, and judged as "
					       "run judges them. The truth is the ratio of all "
					       "solo runs of the pair; for a program "
					       "with itself it is 1.",
		b->repetitions);

	et_page_paragraph(page, 0, "", NULL, about, NULL);
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

static void two(struct et_json *w, const char *name, const double x[2])
{
	et_json_flat_array(w, name);
	et_json_double(w, NULL, x[0]);
	et_json_double(w, NULL, x[1]);
	et_json_end(w);
}

static double share(uint32_t k, uint32_t n)
{
	return n ? (double)k / n : NAN;
}

static void write_cell(struct et_json *w, const struct et_duet_pair *p,
	const struct et_duet_cell *c, size_t rounds)
{
	bool made_equal = p->design != ET_PAIR_ONE_KIND, same = p->design == ET_PAIR_IDENTICAL;

	et_json_object(w, NULL);
	et_json_u64(w, "rounds", rounds);
	et_json_u64(w, "repetitions", c->repetitions);
	for (int f = 0; f < ET_DUET_FIGURES; f++) {
		const struct et_duet_errors *e = &c->errors[f];
		et_json_flat_object(w, et_duet_figure_names[f]);
		et_json_double(w, "bias", c->repetitions ? e->bias : NAN);
		et_json_double(w, "sd", c->repetitions ? e->sd : NAN);
		et_json_double(w, "half_width", c->repetitions ? e->half_width : NAN);
		et_json_double(w, "covered", share(e->covered, c->repetitions));
		et_json_end(w);
	}
	et_json_double(w, "contradictions", share(c->contradictions, c->repetitions));
	et_json_double(
		w, "alarms_by_pairs", made_equal ? share(c->alarms_by_pairs, c->repetitions) : NAN);
	et_json_double(w, "alarms", made_equal ? share(c->alarms, c->repetitions) : NAN);
	et_json_flat_array(w, "found");
	for (int k = 0; same && k < ET_DUET_EFFECTS; k++)
		et_json_double(w, NULL, share(c->found[k], c->repetitions));
	et_json_end(w);
	et_json_end(w);
}

static void write_way(struct et_json *w, const struct et_duet_pair *p, int way)
{
	const struct et_duet_measured *m = &p->ways[way];

	if (!m->rounds) {
		et_json_null(w, et_duet_way_names[way]);
		return;
	}
	et_json_object(w, et_duet_way_names[way]);
	et_json_u64(w, "rounds", m->rounds);
	et_json_u64(w, "metronome_ns", m->metronome_ns);
	et_json_double(w, "side_by_side", m->side_by_side);
	et_json_double(w, "side_by_side_half_width", m->half_width);
	et_json_double(w, "log_ratio_sd", m->pair_sd);
	et_json_array(w, "drawn");
	for (int s = 0; s < ET_DUET_SIZES; s++)
		write_cell(w, p, &m->cells[s], et_duet_sizes[s]);
	et_json_end(w);
	et_json_end(w);
}

static void write_footprints(struct et_json *w, const struct et_duet_pair *p)
{
	const struct et_footprint *f = p->footprints;

	two(w, "memory_bytes", (double[]){ f[0].memory, f[1].memory });
	two(w, "page_faults", (double[]){ f[0].faults, f[1].faults });
	two(w, "system_share", (double[]){ f[0].system, f[1].system });
	et_json_string(w, "differ_in", p->sign);
}

void et_duet_bias_json(const struct et_duet_bias *b, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "experiment", "duet-bias");
	et_json_u64(&w, "seed", b->seed);
	et_json_u64(&w, "repetitions", b->repetitions);
	et_json_flat_array(&w, "effects");
	for (int k = 0; k < ET_DUET_EFFECTS; k++)
		et_json_double(&w, NULL, et_duet_effects[k]);
	et_json_end(&w);
	et_json_array(&w, "pairs");
	for (size_t i = 0; i < b->n; i++) {
		const struct et_duet_pair *p = &b->pairs[i];
		et_json_object(&w, NULL);
		et_json_string(&w, "name", p->name);
		et_json_string(&w, "design", et_pair_design_names[p->design]);
		two(&w, "alone_ns", p->alone_ns);
		et_json_double(&w, "ratio", p->ratio);
		et_json_double(&w, "ratio_half_width", p->half_width);
		write_footprints(&w, p);
		for (int way = 0; way < ET_DUET_WAYS; way++)
			write_way(&w, p, way);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_end(&w);
}
