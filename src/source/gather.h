/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns operands into series: a file, standard input, or a stored experiment. */
#pragma once

#include "base/json.h"
#include "cli/cli.h"
#include "draw/terminal.h"
#include "model/result/series.h"

/* The options that select series from an operand; both may be absent. */
struct et_gather {
	const char *column;
	int metric; /* of et_metric_options */
	bool metric_given;
};

/* Rows for a table of options; member is the struct et_gather in struct `type`. */
#define ET_GATHER_OPTIONS(type, member)                                                            \
	{ 0, "column", "NAME|N", "the column of a CSV file", et_set_text,                          \
		ET_FILLS(type, member.column) },                                                   \
	{                                                                                          \
		0, "metric", "NAME",                                                               \
			"cpu, elapsed, memory (its peak), or auto: the time that suits its "       \
			"programs (what it was judged by)",                                        \
			et_gather_set_metric, ET_FILLS(type, member), .names = et_metric_words     \
	}
et_option_set et_gather_set_metric; /* fills a struct et_gather */

/* Adds the series of an operand: "-", a file if it exists, else a stored experiment. */
int et_gather_add(const struct et_cli *cli, const struct et_gather *g, const char *operand,
	struct et_series_set *out, struct et_error *err) ET_CHECK;
/*
 * Unless the user named a metric, makes elapsed time the metric of all experiments of the set if it
 * is that of one, or if they have different ones, which cannot be compared.
 */
void et_gather_agree(const struct et_gather *g, struct et_series_set *set);
/*
 * Makes names unique: equal names from different operands get the operand appended; equal names
 * from the same operand are an error.
 */
int et_gather_names(struct et_series_set *set, struct et_error *err) ET_CHECK;
/* Fails if a series has fewer than `least` values; need begins the reason: "a spread needs". */
int et_gather_enough(const struct et_series_set *set, size_t least, const char *need,
	struct et_error *err) ET_CHECK;

/*
 * Of functions of benchmark programs: omits those with too few values, which must not prevent the
 * comparison of the others.
 */
void et_gather_omit_short(struct et_series_set *set);

/* How a command with one operand shows its series. */
struct et_gather_view {
	const char *usual; /* the operand if none is given */
	size_t least;      /* values that a series must have */
	const char *need;  /* begins the reason, as in et_gather_enough */
	bool json;         /* one series is an object, several are a list of them */
	/* Prints one series to w, or to page if w is NULL. */
	void (*each)(void *ctx, const struct et_series *s, struct et_json *w,
		const struct et_page *page);
	void *ctx;
};

/* Gathers the series, shows them and returns the exit status. Frees ops. */
int et_gather_show(const struct et_cli *cli, const struct et_gather *g, struct et_operands *ops,
	const struct et_gather_view *view) ET_CHECK;
