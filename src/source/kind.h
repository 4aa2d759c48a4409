/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kinds of experiments: designed ones, profiles, series of lab, and plain ones. `show`,
 * `export`, `report`, `list` and --resume walk their table and know no kind. The row of a kind is
 * in the folder of the command that measures it; src/cmd/kinds.c lists the rows. To be imported,
 * or part of a campaign, is no kind, because every kind can be.
 */
#pragma once

#include "source/stored.h"

struct et_stored_kind {
	/* An experiment is of the first kind that fits. */
	bool design, profile;                      /* it has one */
	bool (*is)(const struct et_experiment *e); /* and this is true; or NULL */
	/* It is also of the next kind that fits: for further formats, and for what is NULL here. */
	bool more;
	const char *mark;    /* before the command in `list`, or NULL */
	const char *refusal; /* "is a profile, which": before "has no format" */
	/* Why the sanity checks are not applied again: "is a profile, whose …"; or NULL. */
	const char *unchecked;
	bool page;         /* `report` writes format html of the kind, not the ordinary page */
	const char *alone; /* "profile": is not on a page with other experiments; or NULL */
	const char *const *formats; /* of `export`, or NULL; NULL ends them */
	/* Writes a format of those. */
	int (*write)(const struct et_stored *s, const char *format, FILE *out,
		struct et_error *err) ET_CHECK;
	/* Prints the result on stdout. Sets *left to the number of notes that -v would add. */
	int (*print)(const struct et_cli *cli, const struct et_stored *s,
		const struct et_text_options *o, size_t *left, struct et_error *err) ET_CHECK;
	const char *const *resumed_by; /* commands whose --resume continues it; NULL ends them */
	/* The error of other commands, whose hint is the right one. */
	int (*refuse)(const struct et_experiment *e, struct et_error *err);
};

/* The table, in src/cmd/kinds.c, which et_cli.kinds hands down; NULL ends it. */
extern const struct et_stored_kind *const et_kinds[];
/* Its last row, which fits every experiment: what `run` measures. */
extern const struct et_stored_kind et_stored_plain;

const struct et_stored_kind *et_stored_kind_of(
	const struct et_cli *cli, const struct et_experiment *e) __attribute__((returns_nonnull));
/* The mark of a kind in `list`, or "". */
const char *et_stored_mark(const struct et_cli *cli, const struct et_summary *s);
/* Refuses to apply the sanity checks again to a record, or if its kind has none. */
int et_stored_check_rejudge(
	const struct et_cli *cli, const struct et_stored *s, struct et_error *err) ET_CHECK;
/* Refuses to continue an experiment by --resume of this command if its kind has another one. */
int et_stored_check_resume(const struct et_cli *cli, const char *verb,
	const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * Sets *own if the page of n experiments is format html of the first. Refuses those that are on no
 * page with others.
 */
int et_stored_choose_page(const struct et_cli *cli, const struct et_stored *list, size_t n,
	bool *own, struct et_error *err) ET_CHECK;
/* Writes an experiment in a format of its kind to a path; "-" is stdout. */
int et_stored_write(const struct et_cli *cli, const struct et_stored *s, const char *format,
	const char *path, struct et_error *err) ET_CHECK;
