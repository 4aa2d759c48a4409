/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the timer interrupt occurs, by the kernel's records (measure/trace/sched_stream.h). */
#pragma once

#include <stdint.h>

/*
 * Keeps the calling thread busy for 40 intervals of tick_ns, on the CPU to which it is pinned, and
 * returns CLOCK_MONOTONIC of a timer interrupt by the records of that time. Later ones are
 * multiples of tick_ns apart. Other timers, which use the same interrupt, do not have that
 * interval. Returns ET_UNKNOWN without the right to read records, or if they show no such
 * interrupts.
 */
uint64_t et_timer_phase(int cpu, uint64_t tick_ns);
