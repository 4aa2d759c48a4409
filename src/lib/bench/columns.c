/* SPDX-License-Identifier: MIT */
#include "lib/bench/columns.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/figure.h"
#include "lib/bench/figures.h"

#include <math.h>
#include <string.h>

const char *et_bench_si(double x, char buf[ET_BENCH_TEXT])
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
	double size = fabs(x);
	size_t i = 0;

	if (!isfinite(x)) {
		snprintf(buf, ET_BENCH_TEXT, ET_DASH);
		return buf;
	}
	while (size >= 999.95 && i + 1 < ET_LENGTH(prefixes)) {
		size /= 1000;
		i++;
	}
	snprintf(buf, ET_BENCH_TEXT, "%s%.4g %s", x < 0 ? "-" : "", size, prefixes[i]);
	return buf;
}

static struct et_bench_column *add(
	struct et_bench_columns *c, const char *title, bool right, unsigned rank)
{
	ET_GROW(c->list, c->n, c->room);
	struct et_bench_column *new = &c->list[c->n++];
	*new = (struct et_bench_column){ .title = et_clean(title, ""),
		.right = right,
		.rank = rank,
		.cells = et_calloc(c->rows + 1, sizeof(*new->cells)) };
	return new;
}

static void put(struct et_bench_column *c, size_t row, const char *text)
{
	c->cells[row] = et_clean(text, "");
}

static void add_times(struct et_bench_columns *c, const struct et_bench_results *r)
{
	char title[32], text[ET_FIGURE];
	struct et_bench_column *time, *half;

	snprintf(title, sizeof(title), "± (%.3g %%)", 100 * r->options.level);
	time = add(c, "time", true, 0);
	for (size_t i = 0; i < r->n; i++) {
		const struct et_bench_estimate *e = &r->rows[i].estimate;
		struct et_scale s = et_scale_of(e->ns, et_bench_half(e));

		if (et_bench_error(&r->rows[i]))
			put(time, i, r->rows[i].skipped ? "skipped" : "failed");
		else if (!et_bench_timed(&r->rows[i]))
			put(time, i, ET_DASH);
		else
			time->cells[i] =
				et_asprintf("%s %s", et_scale_number(s, e->ns, text), s.unit);
	}
	half = add(c, title, false, 0);
	for (size_t i = 0; i < r->n; i++) {
		const struct et_bench_estimate *e = &r->rows[i].estimate;
		struct et_scale s = et_scale_of(e->ns, et_bench_half(e));

		if (!et_bench_timed(&r->rows[i]))
			continue;
		if (!isfinite(et_bench_half(e)))
			put(half, i, "± " ET_DASH);
		else
			half->cells[i] = et_asprintf(
				"%s %s", et_scale_plus_minus(s, et_bench_half(e), text), s.unit);
	}
}

/* The best elapsed time needs no words. */
static const char *kind_of(const struct et_bench_row *row)
{
	static const char *const cpu[] = { "best, CPU time", "median, CPU time", "mean, CPU time" };
	const struct et_slice *first = et_bench_first(row);

	if (!et_bench_timed(row))
		return NULL;
	if (first && first->clock == ETALON_CLOCK_CPU)
		return cpu[row->estimate.statistic];
	return row->estimate.statistic == ET_BENCH_BEST
		       ? NULL
		       : et_bench_statistic_names[row->estimate.statistic];
}

static void add_kind(struct et_bench_columns *c, const struct et_bench_results *r)
{
	struct et_bench_column *kind = NULL;

	for (size_t i = 0; i < r->n; i++) {
		const char *text = kind_of(&r->rows[i]);

		if (!text)
			continue;
		if (!kind)
			kind = add(c, "", false, 0);
		put(kind, i, text);
	}
}

static void add_comparison(struct et_bench_columns *c, const struct et_bench_results *r)
{
	static const char *const words[] = { "no difference", "faster", "slower", "too uncertain" };
	const struct et_bench_options *o = &r->options;
	struct et_bench_column *column;
	char text[ET_FIGURE];

	if (!o->baseline && !o->against)
		return;
	column = add(c, "new / old", true, 0);
	for (size_t i = 0; i < r->n; i++) {
		const struct et_bench_comparison *k = &r->rows[i].comparison;

		if (r->rows[i].has_old && et_bench_timed(&r->rows[i]))
			put(column, i, et_format_ratio_pm(k->ratio, k->lo, k->hi, text));
	}
	column = add(c, "", false, 0);
	for (size_t i = 0; i < r->n; i++)
		if (!et_bench_timed(&r->rows[i]))
			continue;
		else if (!r->rows[i].has_old)
			put(column, i, "new");
		else
			put(column, i, words[r->rows[i].comparison.verdict]);
}

static void add_rates(struct et_bench_columns *c, const struct et_bench_results *r)
{
	static const struct {
		const char *title, *unit;
		double (*value)(const struct et_bench_row *row);
	} rates[] = { { "items", "/s", et_bench_items }, { "bytes", "B/s", et_bench_bytes } };
	char text[ET_BENCH_TEXT];

	for (size_t k = 0; k < ET_LENGTH(rates); k++) {
		struct et_bench_column *column = NULL;

		for (size_t i = 0; i < r->n; i++) {
			double x = rates[k].value(&r->rows[i]);

			if (!isfinite(x) || !et_bench_timed(&r->rows[i]))
				continue;
			if (!column)
				column = add(c, rates[k].title, true, 1);
			column->cells[i] = et_asprintf("%s%s", et_bench_si(x, text), rates[k].unit);
		}
	}
}

static void add_counters(struct et_bench_columns *c, const struct et_bench_results *r)
{
	size_t n;
	ET_AUTO_FREE const char **names = et_bench_counter_names(r, &n);
	char text[ET_BENCH_TEXT], time[ET_FIGURE];

	for (size_t k = 0; k < n; k++) {
		struct et_bench_column *column = add(c, names[k], true, 3 + (unsigned)k);

		for (size_t i = 0; i < r->n; i++) {
			unsigned kind = 0;
			double x = et_bench_counter(&r->rows[i], names[k], &kind);

			if (!isfinite(x))
				continue;
			if (kind & ETALON_COUNTER_RATE && kind & ETALON_COUNTER_INVERT)
				put(column, i, et_format_rounded(x * 1e9, 4, time));
			else if (kind & ETALON_COUNTER_RATE)
				column->cells[i] = et_asprintf("%s/s", et_bench_si(x, text));
			else
				column->cells[i] = et_asprintf("%.6g", x);
		}
	}
}

static void add_events(struct et_bench_columns *c, const struct et_bench_results *r)
{
	static const char *const titles[] = { "cycles", "instructions", "branch misses",
		"cache misses" };
	static const unsigned ranks[] = { 2, 2, 1000, 1001 };
	char text[ET_BENCH_TEXT];

	for (int k = 0; k < ET_EVENTS; k++) {
		struct et_bench_column *column = NULL;

		for (size_t i = 0; i < r->n; i++) {
			double x = et_bench_event(&r->rows[i], (enum et_bench_event)k);

			if (!isfinite(x) || !et_bench_timed(&r->rows[i]))
				continue;
			if (!column)
				column = add(c, titles[k], true, ranks[k]);
			snprintf(text, sizeof(text), "%.4g", x);
			put(column, i, text);
		}
	}
}

static void add_labels(struct et_bench_columns *c, const struct et_bench_results *r)
{
	struct et_bench_column *column = NULL;

	for (size_t i = 0; i < r->n; i++) {
		const char *label = et_bench_label(&r->rows[i]);

		if (!label)
			continue;
		if (!column)
			column = add(c, "", false, 2000);
		put(column, i, label);
	}
}

void et_bench_columns_make(const struct et_bench_results *r, struct et_bench_columns *out)
{
	struct et_bench_columns c = { .rows = r->n };
	struct et_bench_column *name = add(&c, "function", false, 0);

	for (size_t i = 0; i < r->n; i++)
		put(name, i, r->rows[i].name);
	add_times(&c, r);
	add_kind(&c, r);
	add_comparison(&c, r);
	add_rates(&c, r);
	add_events(&c, r);
	add_counters(&c, r);
	add_labels(&c, r);
	*out = c;
}

void et_bench_columns_free(struct et_bench_columns *c)
{
	for (size_t k = 0; k < c->n; k++) {
		for (size_t i = 0; i < c->rows; i++)
			free(c->list[k].cells[i]);
		free(c->list[k].cells);
		free(c->list[k].title);
	}
	free(c->list);
	memset(c, 0, sizeof(*c));
}
