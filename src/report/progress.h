/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line that says how far a run is. It is drawn only when the caller asks, between samples, so
 * that no timed window holds it; the caller passes the time in.
 */
#ifndef ET_REPORT_PROGRESS_H
#define ET_REPORT_PROGRESS_H

#include "base/attr.h"

#include <stdbool.h>

struct et_progress {
	FILE *out;  /* NULL: nothing is ever drawn */
	int width;  /* columns of the terminal; the last one stays empty */
	bool drawn; /* the line is on the screen */
	uint64_t last_ns;
};

struct et_progress_state {
	const char *name;       /* what is being run now, or NULL */
	uint64_t done, total;   /* samples; total 0: nobody knows */
	uint64_t elapsed_ns;    /* since the first of them */
	uint64_t time_limit_ns; /* bounds the remaining time; 0: none */
	const char *estimate;   /* "412.3 ms ± 1.2 ms", or NULL */
};

/* Draws at most ten times a second; the first and the last (done == total) always. */
void et_progress_draw(struct et_progress *p, const struct et_progress_state *s, uint64_t now_ns);
/* Takes the line off the screen; harmless when there is none. Call it before printing anything. */
void et_progress_erase(struct et_progress *p);

#endif
