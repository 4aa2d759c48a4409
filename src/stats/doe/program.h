/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of the analysis of one program. Private to the analysis of designed experiments. */
#pragma once

#include "dist/dist.h"
#include "model/design/terms.h"
#include "num/num.h"
#include "stats/doe/doe.h"

/* --- the cells of a design, and the terms that they can tell apart --- */

/* With more, the interactions of the highest orders are left to the residuals. */
enum { ET_DOE_MOST_TERMS = 1100 };

struct et_doe_term {
	uint32_t factors; /* bits; of an alias set, its term of the lowest order */
	size_t df;
	char *aliases; /* the other terms of the set, or NULL */
};

/*
 * Cells are the treatments, if they are a full factorial or a fraction made by generators. If they
 * are neither, cells are all combinations of the levels, and those without a treatment are missing.
 */
struct et_doe_grid {
	const struct et_design *design;
	size_t n_cells;
	uint32_t *levels;          /* of cell c and factor f: levels[c * n_factors + f] */
	uint32_t *cell_of;         /* by treatment */
	struct et_doe_term *terms; /* by order, then by factors */
	size_t n_terms;
	size_t omitted; /* terms of higher orders that are not in the list */
};

/* Returns false if the combinations of the levels are too many. */
bool et_doe_grid_make(const struct et_design *d, struct et_doe_grid *out);
void et_doe_grid_free(struct et_doe_grid *g); /* what it owns */

static inline uint32_t et_doe_level(const struct et_doe_grid *g, size_t cell, size_t factor)
{
	return g->levels[cell * g->design->n_factors + factor];
}
bool et_doe_two_levels(const struct et_design *d, uint32_t factors);
/* Number of combinations of the levels of these factors. */
size_t et_doe_combinations(const struct et_design *d, uint32_t factors);
/* The number of the cell's combination of them; the first factor changes fastest. */
size_t et_doe_combination_of(const struct et_doe_grid *g, uint32_t factors, size_t cell);

/*
 * Fills row i (of df) of a term: orthogonal contrasts of the cells of a complete design, each with
 * a sum of squares of 1. Of factors with two levels it is -1 or +1 times 1/sqrt(cells).
 */
void et_doe_term_row(const struct et_doe_grid *g, uint32_t factors, size_t i, double *row);

/* --- the values of one program that are analysed, by cell of the design --- */

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
	bool machines;   /* blocks are machines, and stand for many: each is a block */
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

/* The smallest number of values of a cell. */
size_t et_doe_least_count(const struct et_doe_data *d);
/* Machines of the analysis up to the last one that has values. */
size_t et_doe_count_machines(const struct et_doe_data *d);

/* How the response of a design is read. */
struct et_doe_response {
	enum et_metric metric;
	const char *function; /* of profiles, or NULL */
	enum et_unit unit;
};

/* --- estimates of the means of all cells, and the variances of combinations of them --- */

/*
 * If every cell has values, each cell's mean is its own estimate, and the test of a term whose
 * contrasts of the cells are L asks whether L mu = 0 (Yates 1934; SAS's Type III). If cells are
 * missing, terms that the other cells cannot tell from terms of lower order are dropped, and the
 * rest is fitted by least squares, weighted by the numbers of values.
 */
struct et_doe_fit {
	const struct et_doe_grid *grid;
	const struct et_doe_data *data;
	double *mu;      /* of each cell */
	bool *estimable; /* of each term */
	/* c mu has the variance sum w_i^2 v_i: w = map c, or c; v_i = unit_i residual variance. */
	double *map, *unit;
	double *fitted; /* of each run, with its block */
	double ss_total, ss_residual, df_residual;
	bool blocked; /* differences of blocks are removed from the residuals */
};

/* There is at least one value. */
void et_doe_fit_make(
	const struct et_doe_grid *grid, const struct et_doe_data *data, struct et_doe_fit *out);
void et_doe_fit_free(struct et_doe_fit *f); /* what it owns */

/* Returns the combination c of mu, and fills w. */
double et_doe_combine(const struct et_doe_fit *f, const double *c, double *w);

/* --- effects of all terms with intervals and tests --- */

/* The variances that the tests and intervals of one program rest on. */
struct et_doe_errors {
	const struct et_doe_fit *fit;
	double level;
	bool apart; /* each cell has a variance of its own */
	double *v;  /* of each coordinate of et_doe_combine's w */
	double df;  /* of v, if it is not apart */
	/* Means of cells in complete blocks, if terms are tested by their variation; else NULL. */
	double *table;
	size_t n_blocks;
};

void et_doe_errors_make(
	const struct et_doe_fit *fit, bool apart, double level, struct et_doe_errors *out);
/* Takes the variances from blocks. False, with nothing changed: fewer than two have all cells. */
bool et_doe_errors_by_block(struct et_doe_errors *e);
void et_doe_errors_free(struct et_doe_errors *e); /* what it owns */

/*
 * Fills one effect per term that can be estimated: sums of squares, F tests and intervals. p_holm
 * is set over all of them. An effect of factors with two levels has Student's interval, or Welch's
 * with Satterthwaite's freedom. Of others it is the range of the levels' means. Its interval comes
 * from the intervals of all differences, which hold together (Tukey-Kramer; of interactions
 * Scheffe): so it covers the true range at least as often as it says, and 0 exactly that often if
 * the means are equal.
 *
 * Tests with variances of the cells' own are those of Brunner, Dette & Munk (1997): Welch's t test
 * for one degree of freedom, and for more the sum of squares over its expectation, with degrees of
 * freedom by Box's approximation, which keeps its level with few values where Welch-James does not.
 * Tests against the variation from block to block are Student's of the blocks' contrasts, and for
 * more degrees of freedom F with Greenhouse & Geisser's (1959) correction.
 */
void et_doe_effects(const struct et_doe_errors *errors, double alpha, struct et_doe_program *out);
/* Corrects a p of all effects, by the offsets of p, its correction and whether that is small. */
void et_doe_holm(struct et_doe_program *p, size_t from, size_t to, size_t flag, double alpha);
#define ET_DOE_HOLM(program, p, corrected, flag, alpha)                                            \
	et_doe_holm(program, offsetof(struct et_doe_effect, p),                                    \
		offsetof(struct et_doe_effect, corrected), offsetof(struct et_doe_effect, flag),   \
		alpha)

/* The sum of squares of a term (Type III) of cells with these means. */
double et_doe_squares(const struct et_doe_fit *f, const struct et_doe_term *term, const double *mu);
/* Fills table, one value per combination of the factors' levels: the term's own effect there. */
void et_doe_effect_table(
	const struct et_doe_grid *g, uint32_t factors, const double *mu, double *table);

/* --- several machines --- */

/*
 * A value is treatment + machine + part of the machine + machine × treatment + noise, where all but
 * the treatment is random. Parts are sessions at different times.
 *
 * Values are logarithms, so that a machine that is slower by a factor has the same effects; if
 * some are not above 0, values over their mean. Components of variance come from the mean squares
 * of the cells' means (the exact analysis of variance, if all cells have equally many values, and
 * else that of unweighted means with the harmonic mean of the numbers), with intervals by Ting,
 * Burdick, Graybill, Jeyaratnam & Lu (1990), which are those of Burdick & Graybill (1992),
 * table 3.3.1. If machines have several parts, that of the component between machines subtracts two
 * mean squares, by Satterthwaite's degrees of freedom of their sum.
 *
 * Fills out->fleet, and `over` of all effects, which are judged. Nothing is filled if fewer than
 * two machines have values of all cells.
 *
 * Whether an effect differs between machines is tested by the differences of its contrasts between
 * them, over the noise of each machine, with Box's approximation as in et_doe_effects: of machines
 * that are equally noisy this is the F test of the interaction with the machine.
 */
void et_doe_fleet_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out);

/* --- all steps --- */

/* Fills all of *out but its name and its pairs. */
void et_doe_program_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out);

/* The pairs of more treatments are not compared: they are too many to read, and take long. */
enum { ET_DOE_MOST_PAIRED = 100 };

/* Compares all pairs by the protocol of Nogueira & Matias, independent, with Holm's correction. */
void et_doe_pairs(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_response *response, const struct et_doe_options *o,
	struct et_doe_program *out);
