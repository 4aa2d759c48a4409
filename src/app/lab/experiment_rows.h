/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiments of `etalon lab`: ROW(kind, BIT, name, variable, summary, examples). experiments.h
 * declares the variables, which are structs of that kind, and experiments.c makes the table of
 * actions of these rows; the help has the examples. So this file has no #pragma once.
 *
 * To add a row: copy skeleton.c to a file with its struct, and describe it in man/etalon-lab.1.scd,
 * where the synopsis has the order of these rows. Options that it takes name its bit in
 * experiments.c.
 */

ROW(et_lab, COVERAGE, "coverage", et_lab_coverage, "how often do intervals contain the true value?",
	EXAMPLE("coverage --repetitions 50 --law lognormal-1"))
ROW(et_lab, FALSE_ALARMS, "false-alarms", et_lab_false_alarms,
	"how often does a busy machine make equal programs differ?",
	EXAMPLE("false-alarms --repetitions 20"))
ROW(et_lab, DECISIONS, "decisions", et_lab_decisions,
	"how often is a comparison that runs until it is decided wrong?",
	EXAMPLE("decisions --repetitions 5"))
ROW(et_lab, BISECT, "bisect", et_lab_bisect,
	"how often is the commit that a search names the right one?",
	EXAMPLE("bisect --repetitions 2"))
ROW(et_lab, QUANTISATION, "quantisation", et_lab_quantisation,
	"how much does the number of a function's samples vary?",
	EXAMPLE("quantisation --repetitions 50"))
ROW(et_lab, DUET_BIAS, "duet-bias", et_lab_duet_bias,
	"how right is the ratio of programs that run side by side?",
	EXAMPLE("duet-bias --pairs registers,registers-l2 --runs 12 --repetitions 20"))
ROW(et_lab, EMP_VERSIONS, "emp-versions", et_lab_emp_versions,
	"how precise is each version of EMP, over the length of a task?",
	EXAMPLE("emp-versions --lengths 10ms,20ms --runs 12"))
ROW(et_lab, CLOCK_METHODS, "clock-methods", et_lab_clock_methods,
	"clocks read inside and around a program, and EMP, same runs",
	EXAMPLE("clock-methods --lengths 0.02 --runs 5"))
ROW(et_lab, REAL_PROGRAMS, "real-programs", et_lab_real_programs,
	"how precise is EMP for whole programs, by size of input?",
	EXAMPLE("real-programs --programs sort,perl --sizes small --runs 3"))
ROW(et_lab, KBEST_ACCURACY, "kbest-accuracy", et_lab_kbest,
	"how far off is K-best under load, as published and as ours?",
	EXAMPLE("kbest-accuracy --loads 1,2 --lengths 1ms,4ms --runs 5"))
ROW(et_lab, KBEST_COVERAGE, "kbest-coverage", et_lab_kbest_coverage,
	"is the 95 % of benchmark programs true on this machine?",
	EXAMPLE("kbest-coverage --repetitions 3 --filter malloc"))
ROW(et_lab, FUNCTIONS, "functions", et_lab_benchmark,
	"a benchmark program of awkward functions, with its own options",
	EXAMPLE("functions --filter sort"))
ROW(et_lab, INTERVAL_ACCURACY, "interval-accuracy", et_lab_interval,
	"how far off is CPU time that is counted by ticks?",
	EXAMPLE("interval-accuracy --loads 1 --lengths 5ms,20ms --runs 3"))
ROW(et_profile_lab, FRAGMENTATION, "fragmentation", et_lab_fragmentation,
	"does the spread of a profile depend on the length of calls?",
	EXAMPLE("fragmentation --runs 2 --lengths 10ms"))
ROW(et_profile_lab, SAMPLING_RATE, "sampling-rate", et_lab_sampling_rate,
	"how do counts and their spread depend on the rate of sampling?",
	EXAMPLE("sampling-rate --runs 2 --lengths 10ms"))
ROW(et_profile_lab, COMPETING_LOAD, "competing-load", et_lab_competing_load,
	"does a process on the same CPU change a profile?",
	EXAMPLE("competing-load --runs 2 --lengths 10ms"))
ROW(et_profile_lab, TRIANGLE, "triangle", et_lab_triangle,
	"do profilers find 5/15 to 1/15 of the time in five functions?",
	EXAMPLE("triangle --runs 3 --lengths 50ms"))
ROW(et_profile_lab, SAMPLING_BIAS, "sampling-bias", et_lab_sampling_bias,
	"are all instructions of a function sampled alike?",
	EXAMPLE("sampling-bias --runs 2 --lengths 10ms"))
ROW(et_lab, PROBLEMS, "problems", et_lab_problems,
	"the calculations of a chapter on timing: tick counts, sleep …",
	EXAMPLE("problems") EXAMPLE("problems tick-count --ticks 7 --interval 10ms"), .most = 1,
	.operand = et_problem_name)
ROW(et_lab, BRANCH, "branch", et_lab_branch, "what does a branch cost that is predicted wrongly?",
	EXAMPLE("branch"))
ROW(et_lab, CACHE, "cache", et_lab_cache, "a first call, the next, and one after another procedure",
	EXAMPLE("cache --runs 5 --svg cache.svg"))
