/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace of activity: a thread spins on a CPU (clock/activity.h) while the tracer, on another CPU
 * if there is one, takes its gaps and the kernel's records and attributes each gap to a cause.
 * Memory is bounded, whatever the duration.
 */
#pragma once

#include "base/error.h"
#include "clock/counter.h"
#include "model/sample/executor.h"
#include "model/sample/trace.h"

/* The second group is not for the trace of a program (tracee.h). */
struct et_tracer_options {
	int cpu;              /* -1: the last one that etalon may use */
	bool virtual_machine; /* there may be steal */
	uint64_t tick_ns;     /* interval of the kernel's tick; 0: not known */
	struct et_interrupt *interrupt;

	uint64_t duration_ns;  /* UINT64_MAX: until a signal */
	uint64_t threshold_ns; /* 0: it is found by measurement */
	/* Called every 50 ms with the time since the start; may be NULL. */
	void (*note)(void *ctx, uint64_t elapsed_ns);
	void *ctx;
};

/*
 * Traces until the duration is over, a signal arrives (-EINTR), or the CPU is not available any
 * more (0, with the reason in out->ended). If it returns 0 or -EINTR, *out is filled and the caller
 * frees what it owns; otherwise err is filled.
 */
int et_tracer_run(
	const struct et_tracer_options *o, struct et_trace *out, struct et_error *err) ET_CHECK;
/* The CPU to trace: the wanted one, or the last one that etalon may use for -1. */
int et_tracer_cpu(int wanted, int *out, struct et_error *err) ET_CHECK;
/* Removes a CPU from our own affinity, if there is another. */
void et_tracer_leave_cpu(int cpu);
/* Notes why the counter is not read, if so; calibrated is what et_counter_calibrate said. */
void et_tracer_warn_counter(struct et_trace *t, const struct et_counter *c, int calibrated);
