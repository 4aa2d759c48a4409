/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The driver loop: asks the executor for one sample after the other until the answer is precise
 * enough, and hands each over before it asks for the next. It knows neither processes nor stores.
 */
#pragma once

#include "base/clock.h"
#include "model/experiment/experiment.h"
#include "model/result/estimate.h"
#include "model/sample/executor.h"

/*
 * Comparisons that are sampled until they are decided have duets and solo runs in this many rounds,
 * or in fewer if these take longer than ET_KINDS_NS. Both times are known then, and of which kind
 * the programs are.
 */
enum { ET_KINDS_ROUNDS = 10, ET_KINDS_LEAST = 5 };
#define ET_KINDS_NS UINT64_C(15000000000)

struct et_progress_note {
	/* Rounds, which are samples per command; total is an estimate until it is decided, or 0. */
	uint64_t done, total;
	uint64_t turns, all_turns; /* of this session, for the bar and the remaining time; or 0 */
	uint64_t elapsed_ns;
	/* The command that has just run, or runs first; its mean so far, and the relative half
	 * width of the interval; NaN if they are not known. */
	const struct et_command *command;
	double mean_ns, uncertainty;
	double reached; /* by et_hooks.reached at the last look of --until; NaN: no look yet */
};

/*
 * The functions by which a command takes part in its runs. Each may be NULL. They are handed down
 * as they are, through the session to the driver and the runner.
 */
struct et_hooks {
	void (*note)(void *ctx, const struct et_progress_note *note); /* between samples */
	/* The uncertainty that --until looks at; NULL: et_until_reached. */
	double (*reached)(void *ctx, const struct et_experiment *e, uint32_t command);
	/*
	 * Whether the pairs of a command and the reference judge it, or its solo runs (et_kinds);
	 * it then runs in no other way after the first rounds. NULL: it runs in both.
	 */
	enum et_kinds (*kinds)(void *ctx, const struct et_experiment *e, uint32_t command);
	/*
	 * Of a designed experiment, in sequential order: called before the runs of each command
	 * that has runs left, when all samples are durable. Another result than 0 ends the call of
	 * et_drive, which returns it; -EAGAIN: a later session continues.
	 */
	int (*before_command)(void *ctx, uint32_t command, struct et_error *err) ET_CHECK;
	/*
	 * Called when a program of a designed experiment fails: the command does not run again, and
	 * the others continue. NULL: the failure ends the experiment.
	 */
	void (*failed)(void *ctx, uint32_t command, const struct et_error *why);
	/* Before each run: sets the machine as the treatment wants. -errno ends the experiment. */
	int (*treat)(void *ctx, uint32_t command, struct et_error *err) ET_CHECK;
	void *ctx;
};

struct et_driver {
	struct et_experiment *e; /* samples are added here; those of an earlier session count */
	struct et_executor executor;
	const struct et_clock *clock;
	uint32_t most_rounds; /* of this call: then et_drive returns -EAGAIN; 0: no limit */
	/*
	 * Called before something runs that is expected to take next_ns (UINT64_MAX: unknown). It
	 * makes samples durable that must not wait that long. 0 or -errno; may be NULL.
	 */
	int (*settle)(void *ctx, uint64_t next_ns, struct et_error *err) ET_CHECK;
	/* Takes over n finished samples (the two of a duet at once). 0 or -errno. */
	int (*keep)(void *ctx, const struct et_sample *s, size_t n, struct et_error *err) ET_CHECK;
	/* The files of a command are known now; may be NULL. 0 or -errno. */
	int (*scouted)(void *ctx, uint32_t command, struct et_error *err) ET_CHECK;
	/* Applies the removal rules to all samples anew, before --until looks; may be NULL. */
	int (*apply_rules)(void *ctx, struct et_error *err) ET_CHECK;
	struct et_hooks hooks; /* of those who called us */
	void *ctx;             /* for settle, keep, scouted and apply_rules */
	uint32_t failures;     /* filled: commands that hooks.failed was called for */
};

/*
 * Returns 0 when the plan is fulfilled or its time limit is reached, -EINTR after a signal, -EAGAIN
 * after most_rounds if more are planned, else -errno with err filled. Every finished sample was
 * handed over in any case.
 */
int et_drive(struct et_driver *d, struct et_error *err) ET_CHECK;
