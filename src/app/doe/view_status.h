/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a designed experiment has come, for people and as JSON. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "model/design/progress.h"

struct et_doe_state {
	const struct et_experiment *e;
	const struct et_design_progress *progress;
	bool running;             /* a process runs it now */
	const char *continuation; /* the command line that continues it */
};

/* "exit status 3", "signal 11 (Segmentation fault)", "cannot be executed". Returns buf. */
const char *et_doe_format_failure(const struct et_design_cell *c, char buf[80]);

void et_doe_status_text(const struct et_doe_state *s, const struct et_page *page);
void et_doe_status_json(const struct et_doe_state *s, struct et_json *w);
