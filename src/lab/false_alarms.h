/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares a program with itself, and with a slightly slower copy, on a simulated machine under
 * load, and counts how often a difference is claimed. The simulated samples are judged as `run`
 * judges real ones, and for comparison in the way of a tool that runs one program after the other.
 */
#pragma once

#include "lab/progress.h"
#include "num/rng.h"

/*
 * A simulated machine that is slowed down by other tenants. Its parameters come from measurements
 * on a shared virtual machine: the times of a short program that runs again and again have a
 * relative standard deviation of 20 % and a lag-1 autocorrelation of 0.43.
 */
enum et_simulated_load {
	ET_SIMULATED_DRIFT,  /* a random walk between two bounds, plus white noise */
	ET_SIMULATED_BURSTS, /* two states, each lasting a few runs */
	ET_SIMULATED_LOADS,
};

extern const char *const et_simulated_load_names[];

struct et_simulated_machine {
	enum et_simulated_load load;
	struct et_rng rng;
	double walk; /* DRIFT: the present position, a logarithm of the slowdown */
	bool slow;   /* BURSTS: the present state */
};

/* Starts in a random state of the stationary distribution. seed and stream: see num/rng.h. */
void et_simulated_machine_start(struct et_simulated_machine *m, enum et_simulated_load load,
	uint64_t seed, uint64_t stream);
/* Advances the machine by one run and returns the factor by which that run takes longer. */
double et_simulated_machine_next(struct et_simulated_machine *m);
/*
 * Draws the program's own variation, a logarithm of a factor. It has the given sd and heavy tails:
 * it is normal, but one draw in ten has three times the spread of the others.
 */
double et_simulated_machine_own(struct et_simulated_machine *m, double sd);

/* How the two programs are run and compared. */
enum et_lab_judged {
	ET_JUDGED_DUETS,    /* both at once on one CPU, as run does by default */
	ET_JUDGED_BLOCKS,   /* one after the other within each round, in random order */
	ET_JUDGED_SEPARATE, /* all runs of one, then all runs of the other: Welch's t */
	ET_JUDGED,
};

extern const char *const et_judged_names[];

enum { ET_ALARM_SIZES = 5 };
extern const size_t et_alarm_sizes[ET_ALARM_SIZES]; /* runs of each program */

/* Counts of repetitions. */
struct et_alarm_count {
	uint32_t alarms; /* equal programs: a difference was claimed */
	uint32_t found;  /* a slower copy: a difference of the right sign was claimed */
	uint32_t warned; /* equal programs: run would print a warning */
};

struct et_false_alarms {
	double level;                    /* confidence of the comparisons */
	double effect, duet_sd;          /* as in the options */
	struct et_simulation simulation; /* likewise */
	/* Repetitions done for each load and size; fewer than requested if stopped early. */
	uint32_t repetitions[ET_SIMULATED_LOADS][ET_ALARM_SIZES];
	struct et_alarm_count counts[ET_SIMULATED_LOADS][ET_JUDGED][ET_ALARM_SIZES];
};

struct et_false_alarms_options {
	struct et_simulation simulation;
	double effect;  /* relative slowdown of the slower copy, such as 0.01 */
	double duet_sd; /* standard deviation of the log ratio of a duet */
};

void et_false_alarms_run(const struct et_false_alarms_options *o, struct et_false_alarms *out);
