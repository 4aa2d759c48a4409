/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a designed experiment has come: runs per treatment and program, failures, time left. */
#pragma once

#include "model/experiment/experiment.h"

/* A program under a treatment. */
struct et_design_cell {
	uint32_t discarded;    /* warm-up runs, at most as many as planned */
	uint32_t done;         /* runs that count, those that a rule removed included */
	uint32_t failed;       /* runs in which the program failed */
	bool is_failed;        /* it failed, and runs are missing */
	int exit_code, signal; /* of the last failure; 127: it could not be executed */
};

struct et_design_progress {
	struct et_design_cell *cells; /* one per command */
	size_t n_cells;
	uint32_t per_cell;    /* runs that each is to have, with those that are discarded */
	uint64_t done, total; /* runs of all cells */
	size_t n_failed;      /* cells that failed */
	double left_ns;       /* expected time of the missing runs; NaN: nothing has run yet */
};

/* Of an experiment that has a design. et_design_progress_free frees what out owns. */
void et_design_progress_read(const struct et_experiment *e, struct et_design_progress *out);
void et_design_progress_free(struct et_design_progress *p);
