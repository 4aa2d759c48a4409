/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The observer that samples the program of each run and fills measured.profile of its sample. */
#pragma once

#include "measure/observe/observer.h"

/*
 * For struct et_session_setup. It needs an experiment with a profile: it takes the plan from there,
 * adds functions and contexts to it, and records the event and the way that it really used.
 */
extern const struct et_observer et_observe_profile;

/*
 * Observes programs that write a profile of themselves (gcc -pg), or that another profiler runs
 * (perf record): it reads the file after each run, so that these are repeated and stored.
 */

/* The file is written in the folder where the program runs (e->child.directory). */
extern const struct et_observer et_observe_profile_file;
