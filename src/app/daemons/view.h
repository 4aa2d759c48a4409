/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of daemons and the stored cutoffs of a machine, as text, JSON and pages. */
#pragma once

#include "app/daemons/view_tables.h"
#include "base/json.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "model/result/warning.h"
#include "model/sample/daemon.h"
#include "report/dual.h"

/*
 * Prints the answer: which daemons, their cutoffs and periods, and how many samples they spoiled.
 * verbose adds the scatter plots, the samples and the figures of the central cluster.
 */
void et_daemons_text(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_page *page, bool verbose);
/*
 * The answer in sentences, of which the first is the heading: the cutoffs; frequent daemons that
 * spoil samples; samples that no daemon explains; or that no daemon spoilt a sample, if the cluster
 * is tight. The caller frees the list (et_strv_free).
 */
char **et_daemons_answer(const struct et_daemon_record *r, const struct et_daemon_findings *f)
	__attribute__((malloc, returns_nonnull));
/* Writes the figures of these sentences, of one run; the prefix of the long run is "long_". */
void et_daemons_answer_json(const char *prefix, const struct et_daemon_record *r,
	const struct et_run_findings *f, struct et_json *w);
/* tables: the papers' tables, which are added, or NULL. */
void et_daemons_json(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_daemon_tables *tables, struct et_json *w);

/* Writes the key "daemons": one object per cutoff, times in milliseconds, not rounded. */
void et_cutoffs_json(const struct et_cutoff *list, size_t n, struct et_json *w);

/* The runs that cutoffs were learned from, analysed again; each may be NULL. */
struct et_cutoffs_runs {
	const struct et_daemon_record *record;
	const struct et_daemon_findings *found;
	const struct et_daemon_tables *tables; /* for JSON */
};

/* Prints the stored cutoffs of a machine, their origin, and the warnings about them. */
void et_cutoffs_show(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, const struct et_cutoffs_runs *runs, bool json,
	const struct et_page *page);
/* The same as HTML pages; with the papers' tables, unless they are NULL. */
void et_daemons_page(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_daemon_tables *tables, const char *name, FILE *out);
/* The charts of that page in one SVG file. */
void et_daemons_svg(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const char *name, FILE *out);
void et_cutoffs_page(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, FILE *out);
/*
 * The pairs of a run, (1, 2), (3, 4) …, by elapsed time, with a line about the cluster's symmetry;
 * the cause of an L-sample is its longest daemon.
 */
void et_daemon_pairs(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, struct et_dual *out);

/* Whether the central cluster is symmetric, and why not; NULL if that is not known. Free it. */
char *et_cluster_shape_text(const struct et_cluster_shape *s);

double et_cutoffs_age_s(const struct et_cutoffs *c, uint64_t wall_ns);
/* "3 days ago", "less than a minute ago" */
const char *et_format_ago(double seconds, char buf[ET_FIGURE]);
/* "20 h (?)": the mark of a period that only two visits speak for. */
const char *et_format_period(double seconds, uint32_t sightings, char buf[ET_FIGURE]);
