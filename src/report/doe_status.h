/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a designed experiment has come, for people and as JSON. */
#ifndef ET_REPORT_DOE_STATUS_H
#define ET_REPORT_DOE_STATUS_H

#include "base/json.h"
#include "model/design_progress.h"
#include "report/terminal.h"
#include "report/units.h"

struct et_doe_state {
	const struct et_experiment *e;
	const struct et_design_progress *progress;
	bool running;             /* a process runs it now */
	const char *continuation; /* the command line that continues it */
};

/* ", about 12 min left", or "" if nothing is left or known. Returns buf. */
const char *et_doe_format_left(const struct et_design_progress *p, char buf[ET_FIGURE + 20]);
/* "exit status 3", "signal 11 (Segmentation fault)", "cannot be executed". Returns buf. */
const char *et_doe_format_failure(const struct et_design_cell *c, char buf[80]);

void et_doe_status_text(const struct et_doe_state *s, const struct et_page *page);
void et_doe_status_json(const struct et_doe_state *s, struct et_json *w);

#endif
