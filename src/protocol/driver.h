/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop: asks the executor for one sample after the other until the answer is sure enough,
 * and hands each to be kept before it asks for the next. Knows nothing of processes or stores.
 */
#ifndef ET_PROTOCOL_DRIVER_H
#define ET_PROTOCOL_DRIVER_H

#include "base/clock.h"
#include "model/executor.h"
#include "model/experiment.h"

struct et_progress_note {
	uint64_t done, total; /* turns; total is a guess with --until, 0: not known */
	uint64_t elapsed_ns;
	bool warmup;
	const struct et_command *command; /* that has just run */
};

struct et_driver {
	struct et_experiment *e; /* samples are added here; those of an earlier start count */
	struct et_executor executor;
	const struct et_clock *clock;
	/*
	 * Called before anything runs that is expected to take next_ns (UINT64_MAX: nobody knows):
	 * what was kept is to be durable by then. 0 or -errno; may be NULL.
	 */
	int (*settle)(void *ctx, uint64_t next_ns, struct et_error *err);
	/* Keeps n samples (the two of a duet at once); 0 or -errno. */
	int (*keep)(void *ctx, const struct et_sample *s, size_t n, struct et_error *err);
	/*
	 * Called before --until looks whether the answer is sure enough: removes what is not to
	 * count, anew each time. 0 or -errno; may be NULL.
	 */
	int (*judge)(void *ctx, struct et_error *err);
	void (*note)(void *ctx, const struct et_progress_note *note); /* between samples; or NULL */
	void *ctx;
};

/*
 * 0 when the plan is fulfilled (or its time limit reached), -EINTR after a signal, else -errno
 * with err filled; all samples that were finished are kept in every case.
 */
int et_drive(struct et_driver *d, struct et_error *err);

/* The relative expanded uncertainty that --until looks at; NaN with too few samples. */
double et_until_reached(const struct et_experiment *e, uint32_t command);

#endif
