/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How right is the ratio of two programs that etalon prints? Two programs are measured side by side
 * and alone for many rounds; experiments of 10, 30 and 100 rounds, but not of more than were
 * measured, are drawn from them (in blocks of five successive rounds, because rounds resemble their
 * neighbours) and judged as `run` judges. The truth is the ratio of all solo runs of the pair, and
 * the solo runs of a drawn experiment are shifted so that their pool has it. For a program with
 * itself the truth is 1.
 */
#pragma once

#include "lab/progress.h"
#include "stats/compare/duet.h"

enum { ET_DUET_SIZES = 3, ET_DUET_EFFECTS = 2 };
extern const size_t et_duet_sizes[ET_DUET_SIZES];     /* rounds of a drawn experiment */
extern const double et_duet_effects[ET_DUET_EFFECTS]; /* slowdowns whose power is counted */

/* How the two programs of a pair relate, by their design. */
enum et_pair_design {
	ET_PAIR_IDENTICAL,
	ET_PAIR_ONE_KIND,
	ET_PAIR_DIFFERENT,
};
extern const char *const et_pair_design_names[];

/* How the two alternate. */
enum et_duet_way {
	ET_BY_METRONOME,
	ET_BY_SLICES,
	ET_DUET_WAYS,
};
extern const char *const et_duet_way_names[];

/* The ratios whose errors are counted. */
enum et_duet_figure {
	ET_FIGURE_SIDE_BY_SIDE,
	ET_FIGURE_SOLOS,
	ET_FIGURE_ALONE, /* the one that is printed */
	ET_DUET_FIGURES,
};
extern const char *const et_duet_figure_names[];

/* The errors of a ratio over the drawn experiments; proportions of the ratio. */
struct et_duet_errors {
	double bias, sd, half_width;
	uint32_t covered;
};

/* Counts over the drawn experiments of one size. */
struct et_duet_cell {
	uint32_t repetitions;
	struct et_duet_errors errors[ET_DUET_FIGURES];
	uint32_t contradictions; /* pairs and solos differ by more than chance */
	/* Of programs made equal: differences claimed by the pairs, and by etalon's verdict. */
	uint32_t alarms_by_pairs, alarms;
	uint32_t found[ET_DUET_EFFECTS]; /* of identical programs, one of them slowed down */
};

struct et_duet_measured {
	size_t rounds; /* 0: not measured */
	uint64_t metronome_ns;
	double side_by_side, half_width; /* ratio of all pairs, and half its interval */
	double pair_sd;                  /* standard deviation of a pair's log ratio */
	struct et_duet_cell cells[ET_DUET_SIZES];
};

struct et_duet_pair {
	const char *name; /* of the table of pairs */
	enum et_pair_design design;
	double alone_ns[2];       /* median CPU time */
	double ratio, half_width; /* the truth, and half its interval */
	struct et_footprint footprints[2];
	const char *sign; /* that etalon takes for different kinds; NULL: none */
	struct et_duet_measured ways[ET_DUET_WAYS];
};

struct et_duet_bias {
	struct et_duet_pair *pairs;
	size_t n;
	uint64_t seed;
	uint32_t repetitions;
};

/*
 * Fills a pair, of which name and design are set, from its experiments; NULL: not measured. The
 * experiments have two commands and --order auto. Returns false if it was stopped.
 */
bool et_duet_bias_judge(const struct et_experiment *const experiments[ET_DUET_WAYS],
	const struct et_simulation *o, struct et_duet_pair *out);
