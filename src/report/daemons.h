/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was found about daemons, and the cutoffs that a machine keeps, for people and programs. */
#ifndef ET_REPORT_DAEMONS_H
#define ET_REPORT_DAEMONS_H

#include "base/json.h"
#include "model/daemon.h"
#include "report/terminal.h"

void et_daemons_text(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_page *page, bool verbose);
void et_daemons_json(
	const struct et_daemon_record *r, const struct et_daemon_findings *f, struct et_json *w);

/* The table of cutoffs alone. */
void et_cutoffs_text(const struct et_cutoff *list, size_t n, const struct et_page *page);
/* The key "daemons": one object a cutoff, times in milliseconds, not rounded. */
void et_cutoffs_json(const struct et_cutoff *list, size_t n, struct et_json *w);

#endif
