/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of a run, drawn when the caller asks for it: never in a timed window. */
#pragma once

#include "base/base.h"

struct et_progress {
	FILE *out;  /* NULL: nothing is drawn */
	int width;  /* columns of the terminal; the last one stays empty */
	bool drawn; /* the line is on the screen */
	uint64_t last_ns;
};

struct et_progress_state {
	const char *name;           /* the command that runs now, or NULL */
	uint64_t done, total;       /* samples, as printed; total 0: not known */
	uint64_t steps_done, steps; /* finer, for the bar and the remaining time; 0: as printed */
	uint64_t elapsed_ns;        /* since the first sample */
	uint64_t time_limit_ns;     /* of the whole run; 0: none */
	const char *estimate;       /* "412.3 ms ± 1.2 ms", or NULL */
};

/* Draws at most ten times per second, but the first and the last (done == total) always. */
void et_progress_draw(struct et_progress *p, const struct et_progress_state *s, uint64_t now_ns);
/* Erases the line if it is there. Call it before printing anything else. */
void et_progress_erase(struct et_progress *p);
