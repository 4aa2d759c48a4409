/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calculations of chapter 9 of Bryant & O'Hallaron (first edition), with its numbers. */
#pragma once

#include "base/error.h"

/* The numbers of problems; durations are in ns. */
enum et_problem_number {
	ET_PROBLEM_TICKS,
	ET_PROBLEM_INTERVAL, /* between timer interrupts */
	ET_PROBLEM_TIME,     /* of the timed procedure */
	ET_PROBLEM_SEGMENT,  /* in which a process is not interrupted */
	ET_PROBLEM_TRIALS,
	ET_PROBLEM_SLEEP,
	ET_PROBLEM_MHZ,
	ET_PROBLEM_EVENTS, /* per second */
	ET_PROBLEM_CYCLES, /* per event */
	ET_PROBLEM_BITS,
	ET_PROBLEM_NUMBERS,
};

/* The options that give them, without dashes. */
extern const char *const et_problem_numbers[ET_PROBLEM_NUMBERS];

struct et_problem_values {
	double given[ET_PROBLEM_NUMBERS]; /* NaN: not given */
	const char *sequence;             /* "Au:12ms,As:6ms,…"; NULL: not given */
};

/* All NaN. */
void et_problem_values_init(struct et_problem_values *v);

enum et_problem_unit {
	ET_PROBLEM_NS,
	ET_PROBLEM_HZ,
	ET_PROBLEM_SHARE,
	ET_PROBLEM_COUNT,
	ET_PROBLEM_YEARS,
	ET_PROBLEM_TEXT,
};

enum { ET_PROBLEM_FIGURES = 16 };

struct et_problem_answer {
	struct et_problem_figure {
		char name[32]; /* as in JSON */
		enum et_problem_unit unit;
		double value;  /* NaN: there is none */
		char text[40]; /* of ET_PROBLEM_TEXT */
	} figures[ET_PROBLEM_FIGURES];
	size_t n;
	const char *sentence; /* how to read them */
};

struct et_problem_task;

struct et_problem {
	const char *name, *question;
	const char *source;               /* "practice problem 9.4" */
	const char *sequence;             /* its default; NULL: it takes none */
	double usual[ET_PROBLEM_NUMBERS]; /* of the numbers that it takes; 0: it does not */
	int (*solve)(struct et_problem_task *t);
	const char *sentence; /* of its answer, unless it gives another */
};

/* Ends with a NULL name. */
extern const struct et_problem et_problems[];

const char *et_problem_name(size_t i); /* NULL after the last */
/* NULL if there is none. */
const struct et_problem *et_problem_find(const char *name);
/*
 * Answers a problem with the given numbers, and its usual ones for the others. -EINVAL with err
 * filled if it does not take one that was given, or if they contradict each other.
 */
int et_problem_solve(const struct et_problem *p, const struct et_problem_values *given,
	struct et_problem_answer *out, struct et_error *err) ET_CHECK;
