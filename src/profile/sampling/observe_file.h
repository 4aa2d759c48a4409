/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The observer of programs that write a profile of themselves (gcc -pg), or that another profiler
 * runs (perf record): it reads the file after each run, so that such runs are repeated, stored and
 * resumed as our own are.
 */
#pragma once

#include "measure/observe/observer.h"

/* The file is written in the folder where the program runs (e->child.directory). */
extern const struct et_observer et_observe_profile_file;
