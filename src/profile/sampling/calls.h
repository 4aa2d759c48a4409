/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often functions are called, counted by uprobes: the kernel puts a breakpoint at the entry of
 * each function, in the processes of the program only. A call then takes 1 to 20 µs longer, so
 * calls are counted in a run of their own, which is not sampled. Sampling alone cannot tell one
 * long call from many short ones (Flater, NIST TN 1826).
 */
#pragma once

#include "measure/observe/observer.h"

/*
 * For et_session_count_calls. It needs an experiment whose profile has runs: it counts the calls of
 * the hottest functions of the command, and sets them in the profile. A function whose file changed
 * after the beginning of the experiment, or in the run, has no number.
 */
extern const struct et_observer et_observe_calls;

/* Whether this machine lets us count calls: 0, or -errno with err filled. */
int et_calls_allowed(const char *root, struct et_error *err) ET_CHECK;

/* The functions of a command that are counted: those of files, with 1 % of the samples. */
enum { ET_MOST_COUNTED = 100 };
size_t et_calls_choose(const struct et_profile *p, uint32_t command, uint32_t out[ET_MOST_COUNTED]);

/*
 * Where the probe of a function goes whose bytes are given: 0, or 4 to be after an endbr64, which
 * the kernel would execute in a single step, ten times as slow. Not there if the function may jump
 * back to that place, because each jump would count. If it may jump back to its first byte, the
 * result is -1: its calls cannot be counted.
 */
int et_calls_place(const unsigned char *code, size_t size);

/*
 * Uprobes that are defined in the kernel's tracefs. Unlike those of the uprobe PMU, events of such
 * a probe can be inherited: the breakpoints are in the processes of the program only, threads and
 * children included, and other processes that use the same file do not notice.
 *
 * A definition alone does nothing. It lasts until it is removed; one of an etalon that was killed
 * is removed by the next that opens tracefs.
 */
struct et_tracefs {
	int dir;    /* its root, mounted for us only; -1: not open */
	int probes; /* uprobe_events; -1: not open */
};

/* 0 or -errno: only root may. */
int et_tracefs_open(struct et_tracefs *t) ET_CHECK;
void et_tracefs_close(struct et_tracefs *t);
/*
 * Defines our probe of this number at an offset of a file, and sets *id, which perf_event_open()
 * takes. 0 or -errno; -EINVAL for a path that the kernel cannot parse.
 */
int et_tracefs_define(struct et_tracefs *t, uint32_t number, const char *path, uint64_t offset,
	uint64_t *id) ET_CHECK;
