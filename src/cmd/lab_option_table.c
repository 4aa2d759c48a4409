/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `etalon lab`. Rows of et_lab_experiments have the bits of those that they take. */
#include "cmd/lab_experiments.h"
#include "put/subject.h"
#include "report/lab_kbest_figures.h"

static const char *law_name(size_t i)
{
	return et_laws[i].name;
}

static int set_law(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	const struct et_law **law = et_option_target(o, ctx);
	int i = et_option_find(o, args[0], err);

	*law = i < 0 ? NULL : et_law_find(args[0]);
	return i < 0 ? i : 0;
}

const struct et_option et_lab_options[] = {
	{ 0, "json", NULL, "print JSON instead of tables", et_set_nothing, .bit = ET_LAB_JSON },
	{ 0, "repetitions", "N",
		"simulations of each case (1000); duet-bias: draws (300); kbest-coverage: "
		"invocations (20)",
		et_set_u32, ET_FILLS(et_lab_request, asked.repetitions), .lo = 1, .hi = 10000000,
		.bit = ET_LAB_REPETITIONS },
	{ 0, "seed", "N", "seed: the same one gives the same tables, or order of runs (1)",
		et_set_u64, ET_FILLS(et_lab_request, asked.seed), .bit = ET_LAB_SEED },
	{ 0, "bootstrap", "N", "coverage, fragmentation …: replicates of the bootstrap (999)",
		et_set_size, ET_FILLS(et_lab_request, asked.replicates), .lo = 99, .hi = 1000000,
		.bit = ET_LAB_BOOTSTRAP },
	{ 0, "law", "NAME", "coverage: this law only, such as normal, lognormal-1, nist-5", set_law,
		ET_FILLS(et_lab_request, coverage.law), .name_at = law_name, .bit = ET_LAB_LAW },
	{ 0, "size", "N", "coverage: this many values only (10, 30 and 100; NIST's 1000)",
		et_set_size, ET_FILLS(et_lab_request, coverage.n), .lo = 5, .hi = 100000,
		.bit = ET_LAB_SIZE },
	{ 0, "effect", "REL",
		"false-alarms: how much slower the slower program is, for the power (1%)",
		et_set_ratio, ET_FILLS(et_lab_request, alarms.effect), .bit = ET_LAB_EFFECT },
	{ 0, "pair-sd", "SD", "false-alarms: standard deviation of the log ratio of a duet (0.027)",
		et_set_ratio, ET_FILLS(et_lab_request, alarms.duet_sd), .bit = ET_LAB_PAIR_SD },
	{ 0, "lengths", "LIST",
		"durations of the timed task, such as 1ms,10ms,1s; of profiles one: that of a run",
		et_lab_set_lengths, ET_FILLS(et_lab_request, measure), .bit = ET_LAB_LENGTHS },
	{ 0, "preset", "NAME", "emp-versions, profiles: the papers' lengths and runs (paper)",
		et_set_choice, ET_FILLS(et_lab_request, measure.preset), .names = et_lab_presets,
		.bit = ET_LAB_PRESET },
	{ 0, "resume", NULL,
		"emp-versions, profiles: continue the last study, with the same options",
		et_set_nothing, .bit = ET_LAB_RESUME },
	{ 0, "pace", NULL, "emp-versions: also measure with 'run --pace'", et_set_nothing,
		.bit = ET_LAB_PACE },
	{ 0, "loads", "LIST",
		"kbest-, interval-accuracy: processes on the CPU (1,2,11; kbest- also 4)",
		et_lab_set_loads, ET_FILLS(et_lab_request, measure), .bit = ET_LAB_LOADS },
	{ 'k', "best", "N", "kbest-accuracy: K, how many calls must agree, 1 to 5 (3)", et_set_u32,
		ET_FILLS(et_lab_request, measure.best), .lo = 1, .hi = ET_ACCURACY_MAX_K,
		.bit = ET_LAB_BEST },
	{ 0, "epsilon", "REL", "kbest-accuracy: how closely they must agree (0.1%)", et_set_ratio,
		ET_FILLS(et_lab_request, measure.epsilon), .bit = ET_LAB_EPSILON },
	{ 'M', "max-runs", "N", "kbest-accuracy: the most calls per case (30)", et_set_u32,
		ET_FILLS(et_lab_request, measure.max_runs), .lo = 2, .hi = 1000000,
		.bit = ET_LAB_MAX_RUNS },
	{ 0, "figure", "NAME",
		"kbest-accuracy: draw 9.11, 9.12, 9.14, 9.15, 9.16, 9.22, convergence or predicted",
		et_set_choice, ET_FILLS(et_lab_request, measure.figure),
		.names = et_kbest_figure_names, .bit = ET_LAB_FIGURE },
	{ 0, "programs", "LIST", "real-programs: these only, such as sort,gcc (all)",
		et_lab_set_programs, ET_FILLS(et_lab_request, measure),
		.name_at = et_lab_program_name, .bit = ET_LAB_PROGRAMS },
	{ 0, "sizes", "LIST",
		"real-programs: of small, medium, large, curve, paper (small,medium), and numbers "
		"for sort, matc and matr",
		et_lab_set_sizes, ET_FILLS(et_lab_request, measure), .names = et_subject_sizes,
		.bit = ET_LAB_SIZES },
	{ 0, "pairs", "LIST", "duet-bias: these only, such as registers,gzip-same (all)",
		et_lab_set_pairs, ET_FILLS(et_lab_request, measure), .name_at = et_lab_pair_name,
		.bit = ET_LAB_PAIRS },
	{ 0, "filter", "REGEX", "kbest-coverage: functions whose names match it (all)", et_set_text,
		ET_FILLS(et_lab_request, measure.filter), .bit = ET_LAB_FILTER },
	{ 'r', "runs", "N", "measured experiments: samples of each program or task", et_set_u64,
		ET_FILLS(et_lab_request, measure.runs), .lo = 2, .hi = 1000000,
		.bit = ET_LAB_RUNS },
	{ 0, "label", "TEXT", "measured experiments: name the experiment (lab NAME)", et_set_text,
		ET_FILLS(et_lab_request, measure.label), .bit = ET_LAB_LABEL },
	{ 0, "from", "ID", "measured experiments: print the tables of a stored experiment",
		et_set_text, ET_FILLS(et_lab_request, measure.from), .bit = ET_LAB_FROM },
	{ 0, "svg", "FILE",
		"quantisation, emp-versions, clock-methods, real-programs, kbest-, "
		"interval-accuracy, cache, profiles: also write the picture",
		et_set_text, ET_FILLS(et_lab_request, measure.svg), .values = "FILE",
		.bit = ET_LAB_SVG },
	{ 0, "ticks", "N", "problems: ticks that hit a segment (7)", et_lab_set_problem_count,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_TICKS]), .hi = 1000000000,
		.bit = ET_LAB_PROBLEM },
	{ 0, "interval", "DUR", "problems: between timer interrupts (10ms)",
		et_lab_set_problem_time,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_INTERVAL]),
		.bit = ET_LAB_PROBLEM },
	{ 0, "time", "DUR", "problems: of a procedure (20ms)", et_lab_set_problem_time,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_TIME]), .bit = ET_LAB_PROBLEM },
	{ 0, "segment", "DUR", "problems: in which nothing interrupts a process (50ms)",
		et_lab_set_problem_time,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_SEGMENT]),
		.bit = ET_LAB_PROBLEM },
	{ 0, "trials", "N", "problems: undisturbed runs that are wanted (3)",
		et_lab_set_problem_count,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_TRIALS]), .lo = 1,
		.hi = 1000000000, .bit = ET_LAB_PROBLEM },
	{ 0, "sleep", "DUR", "problems: requested of sleep() (2s)", et_lab_set_problem_time,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_SLEEP]), .bit = ET_LAB_PROBLEM },
	{ 0, "mhz", "X", "problems: rate of a clock, or the measured one (1000)",
		et_lab_set_problem_number, ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_MHZ]),
		.bit = ET_LAB_PROBLEM },
	{ 0, "events", "X", "problems: interrupts per second (1000)", et_lab_set_problem_number,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_EVENTS]), .bit = ET_LAB_PROBLEM },
	{ 0, "cycles", "X", "problems: that the kernel needs for each (100000)",
		et_lab_set_problem_number,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_CYCLES]), .bit = ET_LAB_PROBLEM },
	{ 0, "bits", "N", "problems: of a counter (32, 64)", et_lab_set_problem_count,
		ET_FILLS(et_lab_request, problem.given[ET_PROBLEM_BITS]), .lo = 2, .hi = 128,
		.bit = ET_LAB_PROBLEM },
	{ 0, "sequence", "LIST", "problems: what a CPU does, such as Au:12ms,As:6ms,Bu:15ms",
		et_set_text, ET_FILLS(et_lab_request, problem.sequence), .bit = ET_LAB_PROBLEM },
	{ 0 },
};
