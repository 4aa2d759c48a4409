/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values of one program that are analysed, by cell of the design. Private to the analysis of
 * designed experiments.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "stats/doe/grid.h"

struct et_doe_value {
	uint32_t cell;
	uint32_t machine; /* its place among the machines of the analysis */
	uint32_t part;    /* the experiment, which is a session at one time */
	uint64_t block;   /* 0 if there are no blocks */
	uint64_t order;   /* of execution */
	double y;
};

struct et_doe_data {
	struct et_doe_value *runs; /* in order of execution */
	size_t n, cap;
	bool machines;   /* blocks are machines, and stand for many: see et_doe_place */
	bool divided;    /* blocks are machines or experiments that are few, and stand for none */
	bool sequential; /* all runs of a treatment came after those of the one before */
	enum et_unit unit;
	/* Made by et_doe_data_arrange: */
	size_t n_cells, n_blocks;
	double *values;          /* cell after cell, each in order of execution */
	size_t *begin;           /* of cell c: values[begin[c]] up to values[begin[c + 1]] */
	double *mean, *variance; /* of each cell; NaN where there are too few values */
	bool balanced;           /* every cell has equally many values, at least one */
	bool complete;           /* moreover every block has equally many values of every cell */
};

void et_doe_data_add(struct et_doe_data *d, const struct et_doe_value *v);
/* Sorts the values and computes the rest; to be called once, after the last value was added. */
void et_doe_data_arrange(struct et_doe_data *d, size_t n_cells);
void et_doe_data_free(struct et_doe_data *d); /* what it owns */

static inline size_t et_doe_count(const struct et_doe_data *d, size_t cell)
{
	return d->begin[cell + 1] - d->begin[cell];
}

/* How the response of a design is read. */
struct et_doe_response {
	enum et_metric metric;
	const char *function; /* of profiles, or NULL */
	enum et_unit unit;
};

/* The response that the plan asks for; without a plan's wish the judged metric. */
struct et_doe_response et_doe_response_of(const struct et_experiment *e);

/* Which blocks an experiment has. */
struct et_doe_place {
	uint32_t experiment; /* its number */
	uint32_t machine;    /* the number of its machine */
	/*
	 * Each machine is one block. Otherwise rounds are blocks, if the design wants that, and
	 * else the experiments, if they were made one after the other on one machine.
	 */
	bool machines, experiments;
};

/*
 * Adds the values of a program in one experiment: of solo runs that count. The function of a
 * profile has its CPU time, or its samples if the time from sample to sample is not known.
 */
void et_doe_data_collect(const struct et_experiment *e, const struct et_doe_place *place,
	uint32_t program, const struct et_doe_response *response, const struct et_doe_grid *grid,
	struct et_doe_data *out);
