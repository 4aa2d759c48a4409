/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operands made into series: a file, the standard input, or a kept experiment. */
#ifndef ET_CMD_GATHER_H
#define ET_CMD_GATHER_H

#include "base/json.h"
#include "cmd/cli.h"
#include "model/series.h"
#include "report/terminal.h"

/* The options that say which series are meant; both may be absent. */
struct et_gather {
	const char *column;
	enum et_metric metric;
	bool metric_given;
};

/* Its rows in a command's table of options; member is the struct et_gather in `type`. */
#define ET_GATHER_OPTIONS(type, member)                                                            \
	{ 0, "column", "NAME|N", "which column of a CSV file", et_set_text,                        \
		ET_FILLS(type, member.column) },                                                   \
	{                                                                                          \
		0, "metric", "pt|et",                                                              \
			"CPU time or elapsed time of an experiment (what it was judged by)",       \
			et_gather_set_metric, ET_FILLS(type, member), .names = et_metric_names     \
	}
et_option_set et_gather_set_metric;                                /* fills a struct et_gather */
const enum et_metric *et_gather_metric(const struct et_gather *g); /* NULL: not given */

/* Adds the series of an operand: "-", a file where there is one, else a kept experiment. */
int et_gather_add(const struct et_cli *cli, const struct et_gather *g, const char *operand,
	struct et_series_set *out, struct et_error *err) ET_CHECK;
/*
 * Makes names differ: equal ones of different origin get their origin behind them; equal ones of
 * one origin are an error.
 */
int et_gather_names(struct et_series_set *set, struct et_error *err) ET_CHECK;
/* Every series must have so many values; need says for what. */
int et_gather_enough(const struct et_series_set *set, size_t least, const char *need,
	struct et_error *err) ET_CHECK;

/* How a command shows the series of its one operand, each by itself. */
struct et_gather_view {
	const char *usual; /* the operand where none is given */
	size_t least;      /* values a series must have */
	const char *need;  /* says for what */
	bool json;         /* one series is an object, several are a list of them */
	/* Prints one: into w, or as text where that is NULL. */
	void (*each)(void *ctx, const struct et_series *s, struct et_json *w,
		const struct et_page *page);
	void *ctx;
};

/* Gathers, shows and gives the exit status; ops is freed. */
int et_gather_show(const struct et_cli *cli, const struct et_gather *g, struct et_operands *ops,
	const struct et_gather_view *view);

#endif
