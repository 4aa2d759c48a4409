/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "Run one more": the interface by which the protocol, which decides what runs next, asks the
 * measurement for it. The function pointers keep that arrow out of the include graph.
 */
#pragma once

#include "base/error.h"
#include "model/sample/sample.h"

#include <signal.h>
#include <sys/types.h>

/* How many programs run at once at most; a slot is the place of one of them. */
enum { ET_SLOTS = 2, ET_LAST_LINES = 512 };

/* The most bytes by which a random layout moves the arguments and the environment: a page. */
enum { ET_MOST_PAD = 4096 };

/* How an executor looks at the files of a run. */
enum et_scout_request {
	ET_SCOUT_NOT,
	ET_SCOUT_CALLS,   /* at its system calls; if that is refused, at what changes */
	ET_SCOUT_CHANGES, /* at what changes in the folder where it runs */
};

struct et_files;

struct et_request {
	enum et_arrangement arrangement;
	uint32_t command;
	uint32_t partner; /* of a duet */
	bool warmup;
	enum et_scout_request scout;  /* of a solo run: also find out which files it uses */
	uint32_t iteration[ET_SLOTS]; /* earlier runs of command and partner, or warm-up runs */
	/* With plan.randomise_layout: bytes that are added to their environments. */
	uint32_t pad_bytes[ET_SLOTS];
	bool swap;        /* the partner starts first */
	bool overlap;     /* a duet runs at the same time; otherwise one after the other */
	bool parallel;    /* a program has several threads: it needs more than one CPU */
	uint64_t most_ns; /* a program that runs for longer is ended; 0: never */
};

enum et_occasion {
	ET_BEFORE_ALL, /* --setup */
	ET_AFTER_ALL,  /* --cleanup */
};

struct et_executor {
	/*
	 * Fills out[0] with the command's sample and, for a duet, out[1] with the partner's:
	 * `measured` and the marks of `ruling`. The caller fills `place` and frees the culprits.
	 * Returns 0, -EINTR after a signal, -ETIME with err filled if most_ns was too short, or
	 * another -errno with err filled.
	 */
	int (*run)(void *ctx, const struct et_request *request, struct et_sample out[ET_SLOTS],
		struct et_error *err) ET_CHECK;
	/* Runs the hook before or after all runs of a command. */
	int (*around)(void *ctx, enum et_occasion occasion, uint32_t command,
		struct et_error *err) ET_CHECK;
	/*
	 * Returns the last lines that the i-th program of the last request wrote to its standard
	 * error, if it failed; "" if they are not known. NULL: they never are.
	 */
	const char *(*last_lines)(void *ctx, size_t i);
	/*
	 * Returns the files of the program that the last request scouted, valid until the next one.
	 * With ET_SCOUTED_UNFIT the run must be made again, because scouting it changed what it
	 * does. NULL: this executor does not scout.
	 */
	const struct et_files *(*files)(void *ctx);
	void *ctx;
};

/* Shared by a signal handler and the executor. */
struct et_interrupt {
	volatile sig_atomic_t signal;    /* the signal that asked us to end; 0: none */
	volatile sig_atomic_t suspended; /* changes each time that we were stopped */
	volatile sig_atomic_t overrun;   /* the children took longer than their limit */
	/* Children were killed and have not ended: do not wait for them any longer. */
	volatile sig_atomic_t given_up;
	volatile pid_t groups[ET_SLOTS]; /* running children, leaders of process groups; 0: none */
	sigset_t ignored; /* signals that our caller ignores: the programs ignore them as well */
	/*
	 * Called when the children that a signal was to end have ended: the handler need not kill
	 * them any more, so it cancels its timer. NULL: there is no handler.
	 */
	void (*settled)(void);
	/* Children that start now end after ns (0: never), with overrun set. NULL: no handler. */
	void (*limit)(uint64_t ns);
};

static inline void et_interrupt_settled(const struct et_interrupt *i)
{
	if (i->settled)
		i->settled();
}

static inline void et_interrupt_limit(const struct et_interrupt *i, uint64_t ns)
{
	if (i->limit)
		i->limit(ns);
}
