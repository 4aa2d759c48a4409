/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was found about daemons, and the cutoffs that a machine keeps, for people and programs. */
#ifndef ET_REPORT_DAEMONS_H
#define ET_REPORT_DAEMONS_H

#include "base/json.h"
#include "model/daemon.h"
#include "model/warning.h"
#include "report/dual.h"
#include "report/terminal.h"
#include "report/units.h"

void et_daemons_text(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_page *page, bool verbose);
void et_daemons_json(
	const struct et_daemon_record *r, const struct et_daemon_findings *f, struct et_json *w);

/* The table of cutoffs alone. */
void et_cutoffs_text(const struct et_cutoff *list, size_t n, const struct et_page *page);
/* The key "daemons": one object a cutoff, times in milliseconds, not rounded. */
void et_cutoffs_json(const struct et_cutoff *list, size_t n, struct et_json *w);

/* What is kept for a machine, with where it comes from, and the warnings about it. */
void et_cutoffs_show(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, bool json, const struct et_page *page);
/* The same as pages that stand alone. */
void et_daemons_page(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const char *name, FILE *out);
void et_cutoffs_page(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, FILE *out);
/* Successive samples of a run by CPU time, those of an arm with the daemon that ran longest. */
void et_daemon_pairs(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, struct et_dual *out);

double et_cutoffs_age_s(const struct et_cutoffs *c, uint64_t wall_ns);
/* "1.5 h", "8 days": a span of seconds. */
const char *et_format_span(double seconds, char buf[ET_FIGURE]);

#endif
