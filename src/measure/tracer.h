/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace of activity: a thread spins on a CPU (clock/activity.h) while we, from another CPU where
 * there is one, take its gaps and the kernel's records and put each gap down to its cause. Memory
 * is bounded whatever the duration.
 */
#ifndef ET_MEASURE_TRACER_H
#define ET_MEASURE_TRACER_H

#include "base/error.h"
#include "clock/counter.h"
#include "model/executor.h"
#include "model/trace.h"

struct et_tracer_options {
	int cpu;               /* -1: the last one that we may use */
	uint64_t duration_ns;  /* UINT64_MAX: until a signal */
	uint64_t threshold_ns; /* 0: found */
	bool virtual_machine;  /* time may be stolen */
	uint64_t tick_ns;      /* what the kernel says of its tick; 0: nothing */
	const struct et_interrupt *interrupt;
	/* Called now and then with how long it has been going on; or NULL. */
	void (*note)(void *ctx, uint64_t elapsed_ns);
	void *ctx;
};

/*
 * Traces until the duration is over, a signal came (-EINTR, with *out filled) or the CPU was lost
 * (0, and out->ended says so). The caller frees what *out owns when 0 or -EINTR came back.
 */
int et_tracer_run(
	const struct et_tracer_options *o, struct et_trace *out, struct et_error *err) ET_CHECK;
/* The CPU to be traced: the wanted one if we may use it, the last one for -1. */
int et_tracer_cpu(int wanted, int *out, struct et_error *err) ET_CHECK;
/* We ourselves keep off that CPU, if there is another. */
void et_tracer_leave_cpu(int cpu);
/* Notes why the counter is not what is read, if so; calibrated is what et_counter_calibrate said.
 */
void et_tracer_warn_counter(struct et_trace *t, const struct et_counter *c, int calibrated);

#endif
