/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of `etalon lab`: its experiments, and the options that each takes. */
#include "app/lab/experiments.h"
#include "app/lab/kbest.h"
#include "lab/rivals.h"
#include "put/subject.h"

/* Places in the table below, and the bits of these in the options that an experiment takes. */
enum {
	PLACE_LIST,
#define ROW(kind, bit, ...) PLACE_##bit,
#include "app/lab/experiment_rows.h"
#undef ROW
};
enum {
	LIST = 1 << PLACE_LIST,
#define ROW(kind, bit, ...) bit = 1 << PLACE_##bit,
#include "app/lab/experiment_rows.h"
#undef ROW
	SIMULATED = COVERAGE | FALSE_ALARMS | DECISIONS | BISECT | QUANTISATION,
	PROGRAMS = DUET_BIAS | EMP_VERSIONS | CLOCK_METHODS | REAL_PROGRAMS,
	PROFILES = FRAGMENTATION | SAMPLING_RATE | COMPETING_LOAD | TRIANGLE | SAMPLING_BIAS,
	TIMED = KBEST_ACCURACY | INTERVAL_ACCURACY | CACHE,
	MEASURED = PROGRAMS | PROFILES | TIMED,
	PICTURED = QUANTISATION | (MEASURED & ~DUET_BIAS) | BRANCH,
};

const struct et_action et_lab_experiments[] = {
	{ "list", et_lab_list, LIST, 0, 0, .rights = ET_RIGHTS_MACHINE },
#define ROW(kind_, bit_, name_, variable, summary_, examples, ...)                                 \
	{ .name = name_,                                                                           \
		.run = kind_##_run,                                                                \
		.bit = bit_,                                                                       \
		.rights = ET_RIGHTS_MACHINE,                                                       \
		.summary = summary_,                                                               \
		.context = &variable,                                                              \
		##__VA_ARGS__ },
#include "app/lab/experiment_rows.h"
#undef ROW
	{ 0 },
};

/* The command hands its arguments over before anything of this table is used. */
static int no_functions(struct et_lab_request *r, struct et_error *err)
{
	(void)r;
	return et_fail(err, EINVAL, ET_EXIT_USAGE, "lab: 'functions' must be the first argument");
}

const struct et_lab et_lab_benchmark = { .perform = no_functions };

/* --- lists: "a,b,c" --- */

static const size_t most_loads = ET_MAX_LOADS;
static const uint64_t longest_ns = 86400ull * 1000000000; /* also the limit of `put inc` */

/* A whole number if the row has a range, else a duration. */
static int parse_number(
	const struct et_option *o, const char *item, uint64_t *out, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];

	et_option_shown(o, shown);
	if (o->hi)
		return et_parse_u64(shown, item, o->lo, o->hi, out, err);
	int rc = et_parse_duration(shown, item, out, err);
	if (rc == 0 && *out > longest_ns)
		rc = et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s is above one day", shown, item);
	return rc;
}

/* Adds a choice of the row, or else a number above those before it. */
static int add_item(
	const struct et_option *o, struct et_lab_list *list, const char *item, struct et_error *err)
{
	bool numbers_only = !o->names && !o->name_at, choices_only = !numbers_only && !o->hi;
	size_t most = o->context ? *(const size_t *)o->context : ET_MAX_LENGTHS;
	char shown[ET_OPTION_SHOWN];
	uint64_t x;

	if (choices_only || !(numbers_only || (item[0] >= '0' && item[0] <= '9'))) {
		int i = et_option_find(o, item, err);
		list->choices |= i < 0 ? 0 : 1u << i;
		return i < 0 ? i : 0;
	}
	int rc = parse_number(o, item, &x, err);
	if (rc)
		return rc;
	et_option_shown(o, shown);
	if (list->n == most)
		return et_fail(err, E2BIG, ET_EXIT_USAGE, "%s: more than %zu values", shown, most);
	if (list->n && x <= list->numbers[list->n - 1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"%s: %s is not above the value before it", shown, item);
	list->numbers[list->n++] = x;
	return 0;
}

static int set_list(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_lab_list *list = et_option_target(o, ctx);
	int rc = 0;

	list->n = 0;
	for (const char *end = args[0], *item = end; rc == 0 && item;
		item = *end ? end + 1 : NULL) {
		end = strchrnul(item, ',');
		ET_AUTO_FREE char *copy = et_strndup(item, (size_t)(end - item));
		rc = add_item(o, list, copy, err);
	}
	return rc;
}

/* --- other options --- */

/* Fills a double: by the word for its argument a whole number, a duration in ns, or any above 0. */
static int set_problem(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	double *x = et_option_target(o, ctx);
	char shown[ET_OPTION_SHOWN];
	uint64_t n;
	int rc;

	et_option_shown(o, shown);
	if (!strcmp(o->arg, "X")) {
		double number;
		rc = et_parse_double(shown, args[0], &number, err);
		if (rc == 0 && !(number >= 1e-6 && number <= 1e12))
			rc = et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s is not from 1e-6 to 1e12",
				shown, args[0]);
		if (rc == 0)
			*x = number;
		return rc;
	}
	rc = !strcmp(o->arg, "N") ? et_parse_u64(shown, args[0], o->lo, o->hi, &n, err)
				  : et_parse_duration(shown, args[0], &n, err);
	if (rc == 0)
		*x = (double)n;
	return rc;
}

/* The rest of the row of a number of the problems. */
#define FILLS_PROBLEM(number)                                                                      \
	set_problem, ET_FILLS(et_lab_request, problem.given[number]), .of = PROBLEMS,              \
								      .bit = ET_LAB_PROBLEM

static const char *program_name(size_t i)
{
	return et_subjects[i].name;
}

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

/* To add a row: a paragraph in the man page. */
const struct et_option et_lab_options[] = {
	{ 0, "json", NULL, "print JSON instead of tables", et_set_nothing, .bit = ET_LAB_JSON },
	{ 0, "repetitions", "N",
		"simulations of each case (1000); duet-bias: draws (300); kbest-coverage: "
		"invocations (20)",
		et_set_u32, ET_FILLS(et_lab_request, simulation.repetitions), .lo = 1,
		.hi = 10000000, .of = SIMULATED | DUET_BIAS | KBEST_COVERAGE,
		.bit = ET_LAB_REPETITIONS },
	{ 0, "seed", "N", "seed: the same one gives the same tables, or order of runs (1)",
		et_set_u64, ET_FILLS(et_lab_request, simulation.seed),
		.of = SIMULATED | PROGRAMS | PROFILES },
	{ 0, "bootstrap", "N", "coverage, fragmentation …: replicates of the bootstrap (999)",
		et_set_size, ET_FILLS(et_lab_request, simulation.replicates), .lo = 99,
		.hi = 1000000, .of = COVERAGE | PROFILES },
	{ 0, "law", "NAME", "this law only, such as normal, lognormal-1, nist-5", set_law,
		ET_FILLS(et_lab_request, coverage.law), .name_at = law_name, .of = COVERAGE },
	{ 0, "size", "N", "this many values only (10, 30 and 100; NIST's 1000)", et_set_size,
		ET_FILLS(et_lab_request, coverage.n), .lo = 5, .hi = 100000, .of = COVERAGE },
	{ 0, "effect", "REL", "how much slower the slower program is, for the power (1%)",
		et_set_ratio, ET_FILLS(et_lab_request, alarms.effect), .of = FALSE_ALARMS },
	{ 0, "pair-sd", "SD", "standard deviation of the log ratio of a duet (0.027)", et_set_ratio,
		ET_FILLS(et_lab_request, alarms.duet_sd), .of = FALSE_ALARMS },
	{ 0, "lengths", "LIST",
		"durations of the timed task, such as 1ms,10ms,1s; of profiles one: that of a run",
		set_list, ET_FILLS(et_lab_request, measure.lengths_ns),
		.of = EMP_VERSIONS | CLOCK_METHODS | KBEST_ACCURACY | INTERVAL_ACCURACY |
		      PROFILES },
	{ 0, "preset", "NAME", "emp-versions, profiles: the papers' lengths and runs (paper)",
		et_set_choice, ET_FILLS(et_lab_request, measure.preset), .names = et_lab_presets,
		.of = EMP_VERSIONS | PROFILES, .excludes = "lengths|runs", .bit = ET_LAB_PRESET },
	{ 0, "resume", NULL,
		"emp-versions, profiles: continue the last study, with the same options",
		et_set_nothing, .of = EMP_VERSIONS | PROFILES, .bit = ET_LAB_RESUME },
	{ 0, "pace", NULL, "also measure with 'run --pace'", et_set_nothing, .of = EMP_VERSIONS,
		.bit = ET_LAB_PACE },
	{ 0, "loads", "LIST", "processes on the CPU (1,2,11; kbest- also 4)", set_list,
		ET_FILLS(et_lab_request, measure.loads), .lo = 1, .hi = ET_RIVALS_MAX + 1,
		.context = &most_loads, .of = KBEST_ACCURACY | INTERVAL_ACCURACY },
	{ 'k', "best", "N", "K, how many calls must agree, 1 to 5 (3)", et_set_u32,
		ET_FILLS(et_lab_request, measure.best), .lo = 1, .hi = ET_ACCURACY_MAX_K,
		.of = KBEST_ACCURACY, .bit = ET_LAB_BEST },
	{ 0, "epsilon", "REL", "how closely they must agree (0.1%)", et_set_ratio,
		ET_FILLS(et_lab_request, measure.epsilon), .of = KBEST_ACCURACY,
		.bit = ET_LAB_EPSILON },
	{ 'M', "max-runs", "N", "the most calls per case (30)", et_set_u32,
		ET_FILLS(et_lab_request, measure.max_runs), .lo = 2, .hi = 1000000,
		.of = KBEST_ACCURACY, .excludes = "runs", .bit = ET_LAB_MAX_RUNS },
	{ 0, "figure", "NAME", "draw 9.11, 9.12, 9.14, 9.15, 9.16, 9.22, convergence or predicted",
		et_set_choice, ET_FILLS(et_lab_request, measure.figure),
		.names = et_kbest_figure_names, .of = KBEST_ACCURACY, .bit = ET_LAB_FIGURE },
	{ 0, "programs", "LIST", "these only, such as sort,gcc (all)", set_list,
		ET_FILLS(et_lab_request, measure.programs), .name_at = program_name,
		.of = REAL_PROGRAMS },
	{ 0, "sizes", "LIST",
		"of small, medium, large, curve, paper (small,medium), and numbers "
		"for sort, matc and matr",
		set_list, ET_FILLS(et_lab_request, measure.sizes), .names = et_subject_sizes,
		.lo = 1, .hi = 100000000, .of = REAL_PROGRAMS },
	{ 0, "pairs", "LIST", "these only, such as registers,gzip-same (all)", set_list,
		ET_FILLS(et_lab_request, measure.pairs), .name_at = et_lab_pair_name,
		.of = DUET_BIAS },
	{ 0, "filter", "REGEX", "functions whose names match it (all)", et_set_text,
		ET_FILLS(et_lab_request, measure.filter), .of = KBEST_COVERAGE },
	{ 'r', "runs", "N", "measured experiments: samples of each program or task", et_set_u64,
		ET_FILLS(et_lab_request, measure.runs), .lo = 2, .hi = 1000000, .of = MEASURED },
	{ 0, "label", "TEXT", "measured experiments: name the experiment (lab NAME)", et_set_text,
		ET_FILLS(et_lab_request, measure.label), .of = MEASURED | BRANCH },
	{ 0, "from", "ID", "measured experiments: print the tables of a stored experiment",
		et_set_text, ET_FILLS(et_lab_request, measure.from),
		.of = (MEASURED | BRANCH) & ~DUET_BIAS,
		.excludes = "lengths|runs|label|seed|programs|sizes|pace|loads|preset|resume" },
	{ 0, "from", "LABEL", "print the tables of stored experiments", et_set_text,
		ET_FILLS(et_lab_request, measure.from), .of = DUET_BIAS, .excludes = "runs|label" },
	{ 0, "svg", "FILE", "experiments with a picture: also write it", et_set_text,
		ET_FILLS(et_lab_request, measure.svg), .values = "FILE", .of = PICTURED },
	{ 0, "ticks", "N", "ticks that hit a segment (7)", FILLS_PROBLEM(ET_PROBLEM_TICKS),
		.hi = 1000000000 },
	{ 0, "interval", "DUR", "between timer interrupts (10ms)",
		FILLS_PROBLEM(ET_PROBLEM_INTERVAL) },
	{ 0, "time", "DUR", "of a procedure (20ms)", FILLS_PROBLEM(ET_PROBLEM_TIME) },
	{ 0, "segment", "DUR", "in which nothing interrupts a process (50ms)",
		FILLS_PROBLEM(ET_PROBLEM_SEGMENT) },
	{ 0, "trials", "N", "undisturbed runs that are wanted (3)",
		FILLS_PROBLEM(ET_PROBLEM_TRIALS), .lo = 1, .hi = 1000000000 },
	{ 0, "sleep", "DUR", "requested of sleep() (2s)", FILLS_PROBLEM(ET_PROBLEM_SLEEP) },
	{ 0, "mhz", "X", "rate of a clock, or the measured one (1000)",
		FILLS_PROBLEM(ET_PROBLEM_MHZ) },
	{ 0, "events", "X", "interrupts per second (1000)", FILLS_PROBLEM(ET_PROBLEM_EVENTS) },
	{ 0, "cycles", "X", "that the kernel needs for each (100000)",
		FILLS_PROBLEM(ET_PROBLEM_CYCLES) },
	{ 0, "bits", "N", "of a counter (32, 64)", FILLS_PROBLEM(ET_PROBLEM_BITS), .lo = 2,
		.hi = 128 },
	{ 0, "sequence", "LIST", "what a CPU does, such as Au:12ms,As:6ms,Bu:15ms", et_set_text,
		ET_FILLS(et_lab_request, problem.sequence), .of = PROBLEMS, .bit = ET_LAB_PROBLEM },
	{ 0 },
};
