/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warnings as data. A warning is raised where its evidence is: a code and a few typed arguments.
 * Only src/report makes a sentence of it, from the text in the table.
 */
#pragma once

#include "model/sample/metric.h"

enum et_severity {
	ET_SEVERITY_NOTE,    /* the figures hold, but less is known than could be */
	ET_SEVERITY_WARNING, /* a figure may mislead */
};

extern const char *const et_severity_names[]; /* indexed by enum et_severity; NULL ends it */

enum et_warning_code {
	/* a series of values */
	ET_WARN_FEW_VALUES,
	ET_WARN_ALL_EQUAL,
	ET_WARN_NORMALITY_UNTESTED,
	ET_WARN_NORMALITY_BY_PART,
	ET_WARN_SERIAL_UNTESTED,
	ET_WARN_RARE_CASE_UNSEEN,
	ET_WARN_COLD_START,
	ET_WARN_DRIFT,
	ET_WARN_DEPENDENT_RUNS,
	ET_WARN_SEVERAL_MODES,
	ET_WARN_SKEWED,
	ET_WARN_COARSE_STEPS,
	ET_WARN_SOLITARY_VALUES,
	ET_WARN_OUTLIERS,
	ET_WARN_SD_INTERVAL,
	ET_WARN_NO_BOOTSTRAP,
	/* the runs of a command */
	ET_WARN_TASKS_WAITED,
	ET_WARN_STOLEN_TIME,
	ET_WARN_WAITED_FOR_CPU,
	ET_WARN_MOSTLY_IDLE,
	ET_WARN_TIME_LIMIT,
	ET_WARN_SLOW_MACHINE,
	ET_WARN_SLOW_RUNS,
	ET_WARN_LOST_RECORDS,
	ET_WARN_STOPPED,
	ET_WARN_LEFTOVERS,
	ET_WARN_NO_SNAPSHOT,
	ET_WARN_FAILED_RUNS,
	ET_WARN_PACED,
	ET_WARN_DUETS_ONLY,
	ET_WARN_SECOND_CHECK,
	ET_WARN_OUTPUT_NULL,
	ET_WARN_UNTIL_FEW_RUNS,
	ET_WARN_UNTIL_MISSED,
	ET_WARN_UNTIL_MISSED_BY_REMOVAL,
	ET_WARN_KBEST_FEW_RUNS,
	ET_WARN_KBEST_NOT_CONVERGED,
	/* a comparison */
	ET_WARN_SEQUENTIAL_ORDER,
	ET_WARN_MEASURED_APART,
	ET_WARN_MEASURED_ONCE,
	ET_WARN_FUNCTIONS_APART,
	ET_WARN_STATISTICS_DIFFER,
	ET_WARN_COMPARED_BY_CPU_TIME,
	ET_WARN_DEPENDENT_PAIRS,
	ET_WARN_DIFFERENT_KINDS,
	ET_WARN_SIDE_BY_SIDE_ONLY,
	ET_WARN_SIDE_BY_SIDE_DIFFERS,
	ET_WARN_DEPENDENT_SERIES,
	ET_WARN_MEAN_DISAGREES,
	/* the machine and how it was observed */
	ET_WARN_CLOCK_SOURCE,
	ET_WARN_VIRTUAL_MACHINE,
	ET_WARN_FREQUENCY_SCALING,
	ET_WARN_NO_NET_ADMIN,
	ET_WARN_NO_TASKSTATS,
	ET_WARN_NO_CGROUP,
	ET_WARN_NO_LEDGER,
	ET_WARN_RESUMED_ELSEWHERE,
	ET_WARN_ENVIRONMENT_CHANGED,
	ET_WARN_CUTOFFS_OTHER_MACHINE,
	ET_WARN_CUTOFFS_OTHER_KERNEL,
	ET_WARN_CUTOFFS_OLD,
	ET_WARN_CUTOFFS_MISFIT,
	ET_WARN_CUTOFFS_OTHER_LENGTH,
	ET_WARN_FIRST_CHECK_DONE,
	ET_WARN_FIRST_CHECK_UNFIT,
	ET_WARN_FIRST_CHECK_NOT_DONE,
	ET_WARN_FIRST_CHECK_WITHDRAWN,
	/* a survey of the clocks */
	ET_WARN_SURVEY_CUT_SHORT,
	ET_WARN_COUNTER_FORBIDDEN,
	ET_WARN_NO_COUNTER,
	ET_WARN_COUNTER_RATE_VARIES,
	ET_WARN_COUNTER_BACKWARDS,
	ET_WARN_COUNTER_BACKWARDS_ACROSS_CPUS,
	ET_WARN_COUNTERS_DRIFT_APART,
	ET_WARN_ONE_CPU,
	ET_WARN_CPUS_BUSY,
	ET_WARN_CPUS_NOT_COMPARED,
	ET_WARN_FEW_TIMER_INTERRUPTS,
	ET_WARN_NO_TIMER_INTERRUPT,
	ET_WARN_TIMER_NOT_MEASURED,
	ET_WARN_CLOCK_NO_STEP,
	ET_WARN_CLOCK_STEP_UNCONFIRMED,
	ET_WARN_CLOCK_BACKWARDS,
	ET_WARN_NTP_UNREADABLE,
	/* a trace */
	ET_WARN_TRACE_CUT,
	ET_WARN_TRACE_READY_TIME,
	ET_WARN_TRACE_INTERRUPTS_COUNT,
	ET_WARN_TRACE_NO_INTERRUPTS,
	ET_WARN_TRACE_NO_EXIT_RECORDS,
	ET_WARN_TRACE_NO_RECORDS,
	ET_WARN_TRACE_RECORDS_LOST,
	ET_WARN_TRACE_PERIODS_LOST,
	ET_WARN_TRACE_PERIODS_DROPPED,
	ET_WARN_TRACE_BY_CLOCK,
	ET_WARN_TRACE_LOW_THRESHOLD,
	/* how time grows */
	ET_WARN_GROWTH_SCATTERS,
	ET_WARN_GROWTH_REJECTED,
	ET_WARN_GROWTH_AMBIGUOUS,
	ET_WARN_GROWTH_NARROW,
	/* how etalon was called, and how it leaves the machine; printed on stderr */
	ET_WARN_BUILDS_SAME,
	ET_WARN_CHANGES_PENDING,
	ET_WARN_NOT_RESTORED,
	/* a profile: all samples, or one function */
	ET_WARN_PROFILE_RUNS_INVALID,
	ET_WARN_PROFILE_FEW_SAMPLES,
	ET_WARN_PROFILE_OVERRUNS,
	ET_WARN_PROFILE_SHORT_TASKS,
	ET_WARN_PROFILE_FIXED_PERIOD,
	ET_WARN_PROFILE_FEW_RUNS,
	ET_WARN_PROFILE_RARE,
	ET_WARN_PROFILE_DRIFT,
	ET_WARN_PROFILE_COLD_START,
	ET_WARN_PROFILE_DEPENDENT,
	ET_WARN_PROFILE_FAR_RUNS,
	ET_WARN_PROFILE_BOOTSTRAP_DIFFERS,
	ET_WARN_PROFILE_SPREAD,
	ET_WARN_PROFILE_SHORT_CALLS,
	ET_WARN_PROFILE_UNTIL_MISSED,
	ET_WARN_PROFILE_AT_ENTRY,
	ET_WARN_PROFILE_NO_SYMBOLS,
	ET_WARN_PROFILE_NO_KERNEL_SYMBOLS,
	ET_WARN_PROFILE_BROKEN_CHAINS,
	ET_WARN_PROFILE_MANY_CONTEXTS,
	ET_WARN_PROFILE_SLOWDOWN,
	ET_WARN_PROFILE_NO_LIBDW,
	ET_WARN_PROFILE_KERNEL_UNSEEN,
	ET_WARN_PROFILE_WAITED,
	ET_WARN_PROFILE_RUNS_FAILED,
	/* a designed experiment: one program */
	ET_WARN_DOE_UNBALANCED,
	ET_WARN_DOE_TREATMENTS_FAILED,
	ET_WARN_DOE_BLOCKS_IGNORED,
	ET_WARN_DOE_LEVELS_FAILED,
	ET_WARN_DOE_NO_REPLICATION,
	ET_WARN_DOE_FEW_RUNS,
	ET_WARN_DOE_PERFECT_FIT,
	ET_WARN_DOE_CONSTANT,
	ET_WARN_DOE_FEW_MACHINES,
	ET_WARN_DOE_DEPENDENT,
	ET_WARN_DOE_WIDE_INTERVALS,
	/* all of its programs */
	ET_WARN_DOE_NO_PAIRS,
	ET_WARN_DOE_MACHINES_DIFFER,
	ET_WARNING_CODES,
};

enum et_arg_kind {
	ET_ARG_NONE = '\0',
	ET_ARG_COUNT = 'c',
	ET_ARG_NUMBER = 'n',
	ET_ARG_SHARE = 's',   /* a proportion, printed in percent */
	ET_ARG_CHANGE = 'd',  /* a relative change, printed in percent with its sign */
	ET_ARG_P_VALUE = 'p', /* printed with its sign: "= 0.003", "< 0.00001" */
	ET_ARG_VALUE = 'v',   /* with its unit */
	ET_ARG_FLAG = 'f',
	ET_ARG_TEXT = 't',
};

struct et_warning_arg {
	enum et_arg_kind kind;
	enum et_unit unit; /* of a value */
	double number;     /* all kinds but texts; a flag is 0 or 1 */
	char *text;        /* owned by a warning in a list */
};

enum { ET_WARNING_ARGS = 5 };

struct et_warning {
	enum et_warning_code code;
	struct et_warning_arg args[ET_WARNING_ARGS];
};

struct et_warnings {
	struct et_warning *list;
	size_t n, cap;
};

/*
 * `args` has one letter of enum et_arg_kind per argument. In the text, {0} stands for the first
 * argument, and {0:A|B} for A if it is 1 (a count), true (a flag) or not empty (a text), else for
 * B; both may contain arguments.
 */
struct et_warning_row {
	const char *name; /* in JSON */
	enum et_severity severity;
	const char *args;
	const char *text;
};

extern const struct et_warning_row et_warning_rows[ET_WARNING_CODES];

static inline struct et_warning_arg et_arg_count(uint64_t n)
{
	return (struct et_warning_arg){ .kind = ET_ARG_COUNT, .number = (double)n };
}

static inline struct et_warning_arg et_arg_number(double x)
{
	return (struct et_warning_arg){ .kind = ET_ARG_NUMBER, .number = x };
}

static inline struct et_warning_arg et_arg_share(double proportion)
{
	return (struct et_warning_arg){ .kind = ET_ARG_SHARE, .number = proportion };
}

static inline struct et_warning_arg et_arg_change(double relative)
{
	return (struct et_warning_arg){ .kind = ET_ARG_CHANGE, .number = relative };
}

static inline struct et_warning_arg et_arg_p_value(double p)
{
	return (struct et_warning_arg){ .kind = ET_ARG_P_VALUE, .number = p };
}

static inline struct et_warning_arg et_arg_value(double x, enum et_unit unit)
{
	return (struct et_warning_arg){ .kind = ET_ARG_VALUE, .number = x, .unit = unit };
}

static inline struct et_warning_arg et_arg_flag(bool set)
{
	return (struct et_warning_arg){ .kind = ET_ARG_FLAG, .number = set };
}

/* et_warn copies the text. */
static inline struct et_warning_arg et_arg_text(const char *text)
{
	return (struct et_warning_arg){ .kind = ET_ARG_TEXT, .text = (char *)text };
}

/* et_warn(warnings, ET_WARN_TIME_LIMIT, et_arg_count(8), et_arg_count(10)): as the row's `args`
 * say. */
#define et_warn(warnings, code, ...)                                                               \
	et_warnings_add((warnings), (code), (struct et_warning_arg[ET_WARNING_ARGS]){ __VA_ARGS__ })
void et_warnings_add(struct et_warnings *w, enum et_warning_code code,
	const struct et_warning_arg args[ET_WARNING_ARGS]);
/* Appends copies of all of them. */
void et_warnings_append(struct et_warnings *w, const struct et_warnings *more);
bool et_warnings_have(const struct et_warnings *w, enum et_warning_code code);
void et_warnings_free(struct et_warnings *w); /* what it owns */
