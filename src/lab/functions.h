/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A benchmark program of functions that are awkward to time: their time depends on where memory
 * happens to be, on the other hardware thread, or on how the process began.
 */
#pragma once

/* Runs etalon_bench_main over them with these arguments and returns its exit status. */
int et_lab_functions(int argc, char **argv);
