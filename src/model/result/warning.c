/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result/warning.h"
#include "base/alloc.h"

#include <assert.h>
#include <string.h>

const char *const et_severity_names[] = { "note", "warning", NULL };

#define NOTE ET_SEVERITY_NOTE
#define WARNING ET_SEVERITY_WARNING

/*
 * To add a row: the code in warning.h; raise it where the evidence is (about samples:
 * stats/series/warnings.c, about a series: diagnosis.c) and test that; then look at what `etalon
 * lab coverage` says.
 */
const struct et_warning_row et_warning_rows[ET_WARNING_CODES] = {
	/* --- a series of values --- */
	[ET_WARN_FEW_VALUES] = { "few-values", WARNING, "c",
		"there {0:is|are} only {0} value{0:|s}, too few to show how they vary; take at "
		"least 10 (--runs 10)" },
	[ET_WARN_ALL_EQUAL] = { "all-equal", WARNING, "",
		"all values are equal, so the spread is 0, and normality, dependence and modes are "
		"undefined; use a finer clock or longer runs" },
	[ET_WARN_NORMALITY_UNTESTED] = { "normality-untested", NOTE, "c",
		"normality was not tested: Shapiro-Wilk needs at least {0} values; take more" },
	[ET_WARN_NORMALITY_BY_PART] = { "normality-by-part", NOTE, "cc",
		"normality was judged by a random {0} of the {1} values: Shapiro-Wilk takes no "
		"more" },
	[ET_WARN_SERIAL_UNTESTED] = { "serial-untested", NOTE, "cc",
		"drift and dependence cannot be tested with {0} values; take at least {1}" },
	[ET_WARN_RARE_CASE_UNSEEN] = { "rare-case-unseen", NOTE, "cscc",
		"{0} values miss a slow case of one run in {3} with a probability of {1}, and the "
		"interval of the mean does not allow for it; take at least {2}" },
	[ET_WARN_COLD_START] = { "cold-start", WARNING, "",
		"the first value is far above the others, as with cold caches; warm up "
		"(--warmup) or exclude it" },
	[ET_WARN_DRIFT] = { "drift", WARNING, "fp",
		"drift: the values {0:rise|fall} from run to run (Mann-Kendall p {1}), so their "
		"mean depends on when you stop; {0:use 'etalon env check'|warm up longer "
		"(--warmup)}" },
	[ET_WARN_DEPENDENT_RUNS] = { "dependent-runs", WARNING, "ncc",
		"successive runs resemble each other (autocorrelation {0}), so {1} of them count "
		"as {2}; compare programs as pairs in one experiment" },
	[ET_WARN_SEVERAL_MODES] = { "several-modes", WARNING, "vvp",
		"two or more modes (near {0} and {1}; dip test p {2}), so the mean describes none "
		"of them; find and measure their causes apart" },
	[ET_WARN_SKEWED] = { "skewed", WARNING, "fnsf",
		"skewed to the {0:right|left} (skewness {1}), which widens the interval of the "
		"mean by {2}; take more runs, or use the median{3: (etalon describe)|}" },
	[ET_WARN_COARSE_STEPS] = { "coarse-steps", WARNING, "vc",
		"the values change in steps of {0} ({1} different ones), too coarse for density, "
		"modes and ranks; use a finer clock or longer runs" },
	[ET_WARN_SOLITARY_VALUES] = { "solitary-values", WARNING, "c",
		"{0} {0:value is|values are} far from all others; check what else ran then, and "
		"use the median" },
	[ET_WARN_OUTLIERS] = { "outliers", WARNING, "c",
		"{0} {0:value is|values are} more than 3 interquartile ranges outside the "
		"quartiles; check what else ran then, and use the median" },
	[ET_WARN_SD_INTERVAL] = { "sd-interval", WARNING, "pf",
		"not normal (Shapiro-Wilk p {0}), so the chi-square interval of the standard "
		"deviation does not hold; {1:take more values|use the bootstrap's (BCa)}" },
	[ET_WARN_NO_BOOTSTRAP] = { "no-bootstrap", NOTE, "",
		"the bootstrap was omitted because it takes long with this many values; request "
		"it with --bootstrap" },
	/* --- the runs of a command --- */
	[ET_WARN_TASKS_WAITED] = { "tasks-waited", WARNING, "vtt",
		"its tasks together waited {0} per run for CPUs that others used{1:, most of all "
		"{1}|}; see: {2}" },
	[ET_WARN_STOLEN_TIME] = { "stolen-time", WARNING, "sf",
		"the hypervisor took the CPU for {0} of the elapsed time{1:; use --metric cpu|}" },
	[ET_WARN_WAITED_FOR_CPU] = { "waited-for-cpu", WARNING, "stft",
		"{0} of the elapsed time was waiting for a CPU that others used{1:, most of all "
		"{1}|}{2:; use --metric cpu|; see: {3}}" },
	[ET_WARN_MOSTLY_IDLE] = { "mostly-idle", WARNING, "sf",
		"the program sleeps or waits for {0} of its elapsed time, which CPU time does not "
		"count{1:; judge it by elapsed time (--metric elapsed)|}" },
	[ET_WARN_TIME_LIMIT] = { "time-limit", WARNING, "cc",
		"the time limit ended it after {0} of {1} runs, so the interval is wider than "
		"planned; raise --time-limit" },
	[ET_WARN_SLOW_MACHINE] = { "slow-machine", WARNING, "ccf",
		"the machine was slow in {0} of {1} runs; they count, because the mean would be "
		"less certain without them{2:; --pace corrects for it|}" },
	[ET_WARN_SLOW_RUNS] = { "slow-runs", WARNING, "ccff",
		"the machine was slow in {0} of {1} runs{2:, which were removed|}{3:; --pace "
		"corrects for it|}" },
	[ET_WARN_LOST_RECORDS] = { "lost-records", WARNING, "c",
		"in {0} {0:run|runs} the kernel dropped exit records, so the list of processes "
		"that disturbed the program is incomplete" },
	[ET_WARN_STOPPED] = { "stopped", WARNING, "c",
		"in {0} {0:run|runs} a signal stopped the program for a while, so elapsed time is "
		"too long there" },
	[ET_WARN_LEFTOVERS] = { "leftovers", WARNING, "c",
		"in {0} {0:run|runs} the program left processes behind; their CPU time counts up "
		"to "
		"its end, then they were killed" },
	[ET_WARN_NO_SNAPSHOT] = { "no-snapshot", WARNING, "c",
		"in {0} {0:run|runs} the processes could not be listed, so it is not known which "
		"of "
		"them disturbed the program" },
	[ET_WARN_FAILED_RUNS] = { "failed-runs", WARNING, "cf",
		"{0} {0:run|runs} failed (exit status or signal){1:; --ignore-failure accepts "
		"this|}" },
	[ET_WARN_PACED] = { "paced", WARNING, "",
		"the reference loop (--pace) shared the CPU, so elapsed time is not the program's "
		"own; judge by CPU time" },
	[ET_WARN_DUETS_ONLY] = { "duets-only", WARNING, "",
		"the command was measured in duets only, so its elapsed time includes its "
		"partner's share of the CPU" },
	[ET_WARN_SECOND_CHECK] = { "second-check", WARNING, "cd",
		"EMP's second check removed {0} {0:run|runs} by {0:its|their} own time, which "
		"changed the mean by {1}; use etalon run --protocol cause" },
	[ET_WARN_OUTPUT_NULL] = { "output-null", WARNING, "t",
		"{0} stops at the first match if its output is /dev/null, as it is here; use "
		"--output pipe" },
	[ET_WARN_UNTIL_FEW_RUNS] = { "until-few-runs", WARNING, "scc",
		"--until {0} ended after {1} runs, which may agree by chance, so the interval may "
		"be too narrow; use --min-runs {2}" },
	[ET_WARN_UNTIL_MISSED] = { "until-missed", WARNING, "sscf",
		"--until {0} of the mean was not reached: ± {1} after {2} runs; allow more with "
		"{3:--max-runs|--time-limit}" },
	[ET_WARN_UNTIL_MISSED_BY_REMOVAL] = { "until-missed-by-removal", WARNING, "sccsc",
		"--until {0} of the mean was reached by all {1} runs, but not by the {2} that were "
		"kept (± {3}); take more with --min-runs {4}" },
	[ET_WARN_KBEST_FEW_RUNS] = { "kbest-few-runs", WARNING, "cc",
		"{0} {0:run is|runs are} fewer than the {1} that must agree, so the fastest may be "
		"chance; allow more with --max-runs" },
	[ET_WARN_KBEST_NOT_CONVERGED] = { "kbest-not-converged", WARNING, "ccss",
		"not converged: the {0} fastest of {1} runs are {2} apart, not within {3}; allow "
		"more runs with --max-runs, or a wider --epsilon" },
	/* --- a comparison --- */
	[ET_WARN_SEQUENTIAL_ORDER] = { "sequential-order", WARNING, "sffft",
		"the commands ran one after the other, so a change of the machine{2: ({0} "
		"{1:slower|faster} here)|{3:| (none was seen)}} looks like a difference; use {4}" },
	[ET_WARN_MEASURED_APART] = { "measured-apart", WARNING, "fsft",
		"measured at different times{0:, the machine {1} {2:slower|faster}|}, so a "
		"change of the machine looks like a difference; use {3}" },
	[ET_WARN_MEASURED_ONCE] = { "measured-once", WARNING, "",
		"no machine was measured twice, so what changes on a machine from one time to "
		"another looks like a difference; measure each again later" },
	[ET_WARN_FUNCTIONS_APART] = { "functions-apart", WARNING, "",
		"timed at different times, so a change of the machine looks like a difference; run "
		"the new program with --against OLD" },
	[ET_WARN_STATISTICS_DIFFER] = { "statistics-differ", WARNING, "tt",
		"the statistics of the two files differ ({0}, {1}), so these are other times; run "
		"the new program with --baseline OLD" },
	[ET_WARN_COMPARED_BY_CPU_TIME] = { "compared-by-cpu-time", WARNING, "",
		"these programs mostly sleep or wait, which CPU time does not count; compare "
		"them by elapsed time (--metric elapsed)" },
	[ET_WARN_DEPENDENT_PAIRS] = { "dependent-pairs", WARNING, "ncc",
		"successive pairs resemble each other (autocorrelation {0}), so the test and the "
		"interval count {1} pairs as {2}" },
	[ET_WARN_DIFFERENT_KINDS] = { "different-kinds", NOTE, "t",
		"the two differ in {0}, so sharing a CPU costs them differently; their solo runs "
		"decide, which takes more of them (--runs)" },
	[ET_WARN_SIDE_BY_SIDE_ONLY] = { "side-by-side-only", WARNING, "t",
		"the two differ in {0}, so sharing a CPU costs them differently, and the verdict "
		"holds side by side only; use --order auto" },
	[ET_WARN_SIDE_BY_SIDE_DIFFERS] = { "side-by-side-differs", WARNING, "ddfc",
		"the difference is {0} side by side and {1} alone, {2:hardly by chance; none is "
		"claimed unless both show it; use --order random|by chance in 1 of {3} "
		"comparisons; "
		"the interval is wider because of it; take more runs}" },
	[ET_WARN_DEPENDENT_SERIES] = { "dependent-series", WARNING, "ncccc",
		"successive values resemble each other (autocorrelation {0}), so {1} and {2} "
		"values "
		"count as {3} and {4}; compare as pairs (etalon run)" },
	[ET_WARN_MEAN_DISAGREES] = { "mean-disagrees", WARNING, "fs",
		"the median is {0:larger|smaller}, but the mean is {0:smaller|larger} by {1}: a "
		"few values outweigh the others; if the total counts, judge by the mean" },
	/* --- the machine and how it was observed --- */
	[ET_WARN_CLOCK_SOURCE] = { "clock-source", WARNING, "t",
		"the kernel's clock source is {0}, not the processor's counter, so reading a clock "
		"is slower and coarser" },
	[ET_WARN_VIRTUAL_MACHINE] = { "virtual-machine", WARNING, "t",
		"virtual machine ({0}): unseen neighbours change its speed; compare within one "
		"run, not with yesterday's numbers" },
	[ET_WARN_FREQUENCY_SCALING] = { "frequency-scaling", WARNING, "t",
		"the CPU frequency is scaled (governor {0}), so times depend on what ran before; "
		"set the governor to performance" },
	[ET_WARN_NO_NET_ADMIN] = { "no-net-admin", WARNING, "",
		"processes that began and ended within a run were not seen: this needs "
		"CAP_NET_ADMIN; run as root, or grant it to the container" },
	[ET_WARN_NO_TASKSTATS] = { "no-taskstats", WARNING, "",
		"processes that began and ended within a run were not seen: this kernel or "
		"container has no taskstats" },
	[ET_WARN_NO_CGROUP] = { "no-cgroup", WARNING, "f",
		"no cgroup could be created, so CPU time of descendants that nobody waited for may "
		"be missing; {0:mount cgroups on /sys/fs/cgroup|run as root}" },
	[ET_WARN_NO_LEDGER] = { "no-ledger", WARNING, "t",
		"cannot tell which processes take CPU time from the program: {0}" },
	[ET_WARN_RESUMED_ELSEWHERE] = { "resumed-elsewhere", WARNING, "tt",
		"the experiment was resumed on another kernel or CPU ({0}, {1}), so its samples "
		"may not be comparable; start a new one" },
	[ET_WARN_ENVIRONMENT_CHANGED] = { "environment-changed", WARNING, "tfc",
		"during the runs {0}{1: and {2} more {2:change|changes}|}, so those before and "
		"after may not be comparable; repeat the experiment" },
	[ET_WARN_CUTOFFS_OTHER_MACHINE] = { "cutoffs-other-machine", WARNING, "",
		"the daemons' cutoffs were learned on another machine of this name, so no sample "
		"is removed by them; learn new ones with 'etalon daemons learn'" },
	[ET_WARN_CUTOFFS_OTHER_KERNEL] = { "cutoffs-other-kernel", WARNING, "tt",
		"the daemons' cutoffs are of another kernel ({0}, now {1}), so no sample is "
		"removed by them; run etalon daemons learn" },
	[ET_WARN_CUTOFFS_OLD] = { "cutoffs-old", WARNING, "c",
		"the daemons' cutoffs are {0} days old, so no sample is removed by them; learn new "
		"ones with 'etalon daemons learn'" },
	[ET_WARN_CUTOFFS_MISFIT] = { "cutoffs-misfit", WARNING, "t",
		"the daemons' cutoffs were learned {0}, so no sample is removed by them; learn new "
		"ones with 'etalon daemons learn'" },
	[ET_WARN_CUTOFFS_OTHER_LENGTH] = { "cutoffs-other-length", WARNING, "vvc",
		"the daemons' cutoffs, learned with samples of {0}, do not apply to a program of "
		"{1}; use 'etalon daemons learn --long-seconds {2}'" },
	[ET_WARN_FIRST_CHECK_DONE] = { "first-check-done", NOTE, "ctfc",
		"check I: {0} cutoff{0:|s} learned {1}{2:, later than this run|}, removed {3}" },
	[ET_WARN_FIRST_CHECK_UNFIT] = { "first-check-unfit", NOTE, "tf",
		"{1:check I not done|daemons were not checked}: the daemons were learned {0}, "
		"which does not fit this run; run etalon daemons learn" },
	[ET_WARN_FIRST_CHECK_NOT_DONE] = { "first-check-not-done", NOTE, "fff",
		"{2:check I not done|daemons were not checked}: {0:nothing was learned here; run "
		"etalon daemons learn|{1:the "
		"record has no processes; measure the program with etalon run|the program takes "
		"much longer than what was learned with; use etalon daemons learn "
		"--long-seconds}}" },
	[ET_WARN_FIRST_CHECK_WITHDRAWN] = { "first-check-withdrawn", WARNING, "cc",
		"check I would have removed {0} of {1} samples, so it was withdrawn: the cutoffs "
		"do not fit; see 'etalon daemons show', and learn again" },
	/* --- a survey of the clocks --- */
	[ET_WARN_SURVEY_CUT_SHORT] = { "survey-cut-short", WARNING, "",
		"the survey was interrupted: figures that were not measured by then are missing" },
	[ET_WARN_COUNTER_FORBIDDEN] = { "counter-forbidden", WARNING, "t",
		"the processor's counter may not be read here: {0}" },
	[ET_WARN_NO_COUNTER] = { "no-counter", WARNING, "",
		"this processor has no counter that a program may read; read CLOCK_MONOTONIC" },
	[ET_WARN_COUNTER_RATE_VARIES] = { "counter-rate-varies", WARNING, "",
		"the counter's rate changes with the processor's, so its counts are not time; read "
		"CLOCK_MONOTONIC" },
	[ET_WARN_COUNTER_BACKWARDS] = { "counter-backwards", WARNING, "",
		"the counter or a clock went backwards while it was read; read CLOCK_MONOTONIC" },
	[ET_WARN_COUNTER_BACKWARDS_ACROSS_CPUS] = { "counter-backwards-across-cpus", WARNING, "",
		"the counter goes backwards from one CPU to another; stay on one CPU, or read "
		"CLOCK_MONOTONIC" },
	[ET_WARN_COUNTERS_DRIFT_APART] = { "counters-drift-apart", WARNING, "",
		"the CPUs' counters drift apart; read CLOCK_MONOTONIC" },
	[ET_WARN_ONE_CPU] = { "one-cpu", WARNING, "",
		"only one CPU may be used, so whether others agree with it is not known" },
	[ET_WARN_CPUS_BUSY] = { "cpus-busy", WARNING, "c",
		"{0} {0:CPU was|CPUs were} too busy to compare counters with; repeat this on an "
		"idle machine" },
	[ET_WARN_CPUS_NOT_COMPARED] = { "cpus-not-compared", WARNING, "t",
		"the counters of some CPUs could not be compared: {0}" },
	[ET_WARN_FEW_TIMER_INTERRUPTS] = { "few-timer-interrupts", WARNING, "cc",
		"only {0} timer {0:interrupt|interrupts} came alone, and their smallest cost takes "
		"{1}; use a less busy CPU (--cpu), or measure longer (--duration)" },
	[ET_WARN_NO_TIMER_INTERRUPT] = { "no-timer-interrupt", WARNING, "",
		"no regular timer interrupt was found: the CPU was too busy, or has no tick while "
		"it runs one task (nohz_full)" },
	[ET_WARN_TIMER_NOT_MEASURED] = { "timer-not-measured", WARNING, "t",
		"the timer interrupt was not measured: {0}" },
	[ET_WARN_CLOCK_NO_STEP] = { "clock-no-step", WARNING, "t",
		"{0} did not advance while it was read, so its resolution is not known; measure "
		"longer (--duration)" },
	[ET_WARN_CLOCK_STEP_UNCONFIRMED] = { "clock-step-unconfirmed", WARNING, "tc",
		"{0}: its smallest step was seen only {1} {1:time|times}; repeat this on an idle "
		"machine, which may show smaller ones" },
	[ET_WARN_CLOCK_BACKWARDS] = { "clock-backwards", WARNING, "tc",
		"{0} went backwards {1} {1:time|times}; do not take differences of its readings" },
	[ET_WARN_NTP_UNREADABLE] = { "ntp-unreadable", WARNING, "t",
		"the kernel's correction of its clock cannot be read: {0}" },
	/* --- a trace --- */
	[ET_WARN_TRACE_CUT] = { "trace-cut", NOTE, "c",
		"only the beginning is shown: the trace has more than {0} records" },
	[ET_WARN_TRACE_READY_TIME] = { "trace-ready-time", NOTE, "v",
		"of the time of other processes, the program was ready to run for {0}; for the "
		"rest it waited for something else, and they used its CPU" },
	[ET_WARN_TRACE_INTERRUPTS_COUNT] = { "trace-interrupts-count", NOTE, "",
		"there are no records of interrupts, so they count as the program's time" },
	[ET_WARN_TRACE_NO_INTERRUPTS] = { "trace-no-interrupts", NOTE, "",
		"there are no records of interrupts: timer ticks are recognised by their "
		"regularity, other interrupts are unknown" },
	[ET_WARN_TRACE_NO_EXIT_RECORDS] = { "trace-no-exit-records", NOTE, "",
		"exit records are missing, so processes that the program started count as others" },
	[ET_WARN_TRACE_NO_RECORDS] = { "trace-no-records", NOTE, "t",
		"there are no records of the scheduler ({0}): timer ticks are recognised by their "
		"regularity, other processes are counted, none is named" },
	[ET_WARN_TRACE_RECORDS_LOST] = { "trace-records-lost", NOTE, "c",
		"{0} {0:record was|records were} lost, so some causes are not known" },
	[ET_WARN_TRACE_PERIODS_LOST] = { "trace-periods-lost", NOTE, "c",
		"{0} inactive {0:period is|periods are} not listed: the ring was full" },
	[ET_WARN_TRACE_PERIODS_DROPPED] = { "trace-periods-dropped", NOTE, "cc",
		"the first {0} inactive periods are in the sums but not listed: a trace keeps the "
		"last {1}" },
	[ET_WARN_TRACE_BY_CLOCK] = { "trace-by-clock", NOTE, "ff",
		"{0:the processor's counter {1:has no fixed rate|goes backwards or differs between "
		"CPUs}|this processor has no counter that may be read}: CLOCK_MONOTONIC is read "
		"instead" },
	[ET_WARN_TRACE_LOW_THRESHOLD] = { "trace-low-threshold", NOTE, "v",
		"the threshold is below the usual distance of two readings, so readings count as "
		"inactive periods; {0} would be right" },
	/* --- how time grows --- */
	[ET_WARN_GROWTH_SCATTERS] = { "growth-scatters", WARNING, "s",
		"the times scatter by {0} about every curve, beyond their uncertainty, and the "
		"intervals contain it; look for full caches" },
	[ET_WARN_GROWTH_REJECTED] = { "growth-rejected", WARNING, "tp",
		"{0} is the likeliest model, but it does not fit within the uncertainty (p {1}); "
		"measure more sizes to see where" },
	[ET_WARN_GROWTH_AMBIGUOUS] = { "growth-ambiguous", WARNING, "tnt",
		"models other than {0:{0}|it} (weight {1}) are possible: {2}; measure a wider "
		"range of "
		"sizes, or more runs" },
	[ET_WARN_GROWTH_NARROW] = { "growth-narrow", WARNING, "nc",
		"the largest size is only {0} times the smallest, and many models look alike over "
		"this range; measure a range of {1} or more" },
	/* --- how etalon was called, and how it leaves the machine --- */
	[ET_WARN_BUILDS_SAME] = { "builds-same", WARNING, "tt",
		"the builds {0:{0}|of one level} and {1:{1}|another} gave the same program, so "
		"they do not differ; let the "
		"build command use the levels (make -B)" },
	[ET_WARN_CHANGES_PENDING] = { "changes-pending", WARNING, "ct",
		"an earlier etalon was killed before it restored {0:1 change|{0} changes} to this "
		"machine ({1}); run 'etalon env restore'" },
	[ET_WARN_NOT_RESTORED] = { "not-restored", WARNING, "",
		"not every change to this machine could be restored; run 'etalon env restore' to "
		"try again" },
	/* --- a profile --- */
	[ET_WARN_PROFILE_RUNS_INVALID] = { "profile-runs-invalid", WARNING, "ccff",
		"{0} of {1} runs {0:does|do} not count, because the kernel {2:stopped the sampling "
		"for a while (throttling)|lost records}; sample less often{3:| (--frequency)}" },
	[ET_WARN_PROFILE_FEW_SAMPLES] = { "profile-few-samples", WARNING, "nf",
		"a run has only {0} {0:sample|samples}, so shares are coarse; sample more "
		"often{1:| (--frequency)}, or profile a longer run" },
	[ET_WARN_PROFILE_OVERRUNS] = { "profile-overruns", WARNING, "sf",
		"{0} of the samples came too late and were not taken, so code that delays "
		"interrupts is missing; {1:profile a longer run on a less busy machine|sample less "
		"often (--frequency)}" },
	[ET_WARN_PROFILE_SHORT_TASKS] = { "profile-short-tasks", WARNING, "cc",
		"{0} of {1} threads and processes were shorter than ten periods; without a cgroup "
		"the first period of each is not sampled; run as root" },
	[ET_WARN_PROFILE_FIXED_PERIOD] = { "profile-fixed-period", WARNING, "",
		"the period is fixed, so functions that run in step with it get too many samples "
		"or none, in every run alike; leave out --fixed" },
	[ET_WARN_PROFILE_FEW_RUNS] = { "profile-few-runs", WARNING, "cf",
		"there {0:is|are} only {0} run{0:|s}, too few to show how the counts vary; {1:give "
		"the files of at least 10|take at least 10 (--runs 10)}" },
	[ET_WARN_PROFILE_RARE] = { "profile-rare", WARNING, "ccc",
		"only {0} of {1} runs saw it, with {2} {2:sample|samples} in all: the program "
		"enters it in some runs only; take more runs to learn how often" },
	[ET_WARN_PROFILE_DRIFT] = { "profile-drift", WARNING, "fpnnf",
		"drift: the samples {0:rise|fall} from run to run (Mann-Kendall p {1}), from {2} "
		"in the first half to {3}; {4:leave out the first files|warm up longer "
		"(--warmup)}" },
	[ET_WARN_PROFILE_COLD_START] = { "profile-cold-start", WARNING, "nnf",
		"the first run has {0} samples, the others {1} on average, as with cold caches; "
		"{2:leave out its file|warm up (--warmup)}" },
	[ET_WARN_PROFILE_DEPENDENT] = { "profile-dependent", WARNING, "ncc",
		"the counts of successive runs resemble each other (autocorrelation {0}), so {1} "
		"runs count as {2}; take more" },
	[ET_WARN_PROFILE_FAR_RUNS] = { "profile-far-runs", WARNING, "ccf",
		"{0} of {1} runs {0:is|are} far from the others, fewer than the {2:3 that "
		"BCa|10 that the percentile} interval of the sd needs; use the robust sd, or take "
		"more runs" },
	[ET_WARN_PROFILE_BOOTSTRAP_DIFFERS] = { "profile-bootstrap-differs", WARNING, "s",
		"Student's and the bootstrap's interval of the mean differ by {0} of the half "
		"width, because a few runs decide; Student's counts; take more runs" },
	[ET_WARN_PROFILE_SPREAD] = { "profile-spread", NOTE, "nnf",
		"the count varies more (sd {0}) than random samples would ({1}): its work varies, "
		"or is in step with the sampling; {2:sample with another period|try another "
		"--frequency}" },
	[ET_WARN_PROFILE_SHORT_CALLS] = { "profile-short-calls", NOTE, "nvv",
		"{0} calls a run of {1} each, shorter than the period of {2}: samples do not show "
		"how calls divide its time; rely on the observed spread" },
	[ET_WARN_PROFILE_UNTIL_MISSED] = { "profile-until-missed", WARNING, "ssc",
		"--until {0} was not reached: a share is known to ± {1} after {2} runs; allow more "
		"with --max-runs or --time-limit" },
	[ET_WARN_PROFILE_AT_ENTRY] = { "profile-at-entry", WARNING, "s",
		"{0} of its samples are at its first instruction, which also gets time of the code "
		"before the call; judge it together with its callers" },
	[ET_WARN_PROFILE_NO_SYMBOLS] = { "profile-no-symbols", NOTE, "stf",
		"{0} of the samples are in code without symbols, for instance in {1}; {2:let the "
		"program write /tmp/perf-PID.map|install its debug symbols, or do not strip it}" },
	[ET_WARN_PROFILE_NO_KERNEL_SYMBOLS] = { "profile-no-kernel-symbols", NOTE, "s",
		"{0} of the samples are in functions of the kernel whose names are hidden; run as "
		"root, or set kernel.kptr_restrict to 0" },
	[ET_WARN_PROFILE_BROKEN_CHAINS] = { "profile-broken-chains", WARNING, "sf",
		"{0} of the samples lack callers, whose totals are too small; {1:use -g dwarf, or "
		"compile with -fno-omit-frame-pointer|use -g fp}" },
	[ET_WARN_PROFILE_MANY_CONTEXTS] = { "profile-many-contexts", WARNING, "s",
		"{0} of the samples are below [other], because contexts are too many or too deep: "
		"totals of callers are too small" },
	[ET_WARN_PROFILE_SLOWDOWN] = { "profile-slowdown", WARNING, "ns",
		"{0} samples per second slow the program down by about {1}; use a lower "
		"--frequency" },
	[ET_WARN_PROFILE_NO_LIBDW] = { "profile-no-libdw", NOTE, "s",
		"{0} of the samples are in code without names, because this etalon was built "
		"without symbols; install libdw-dev and build it again" },
	[ET_WARN_PROFILE_KERNEL_UNSEEN] = { "profile-kernel-unseen", WARNING, "s",
		"{0} of the CPU time was in the kernel, which was not sampled; run as root, or set "
		"kernel.perf_event_paranoid to 1 or less" },
	[ET_WARN_PROFILE_WAITED] = { "profile-waited", WARNING, "s",
		"the program waited {0} of its elapsed time, which a profile of CPU time does not "
		"show; see 'etalon trace'" },
	[ET_WARN_PROFILE_RUNS_FAILED] = { "profile-runs-failed", WARNING, "ccfc",
		"{0} of {1} runs ended with {2:signal|exit status} {3}, and the profile includes "
		"them" },
	[ET_WARN_DOE_UNBALANCED] = { "doe-unbalanced", WARNING, "cc",
		"treatments have {0} to {1} runs, so shares of the variation need not add up to "
		"100 %; run the plan again to complete it" },
	[ET_WARN_DOE_TREATMENTS_FAILED] = { "doe-treatments-failed", WARNING, "cctc",
		"{0} of {1} treatments {0:has|have} no run that counts ({2}), so {3} "
		"{3:term|terms} cannot be estimated; mend the program and run the plan again" },
	[ET_WARN_DOE_BLOCKS_IGNORED] = { "doe-blocks-ignored", WARNING, "c",
		"treatments are missing, so the differences between the {0} blocks count as noise; "
		"run the plan again to complete them" },
	[ET_WARN_DOE_LEVELS_FAILED] = { "doe-levels-failed", WARNING, "tf",
		"levels have no run that counts ({0}), so effects are those of the others{1:; "
		"some terms have none|}; mend the program and run the plan again" },
	[ET_WARN_DOE_NO_REPLICATION] = { "doe-no-replication", WARNING, "",
		"there is one run per treatment, so nothing tells effects from noise and none is "
		"tested; raise `replications`" },
	[ET_WARN_DOE_FEW_RUNS] = { "doe-few-runs", WARNING, "c",
		"{0} {0:run|runs} per treatment are too few to check the residuals, which the "
		"tests "
		"take to be normal; raise `replications` to 5 or more" },
	[ET_WARN_DOE_PERFECT_FIT] = { "doe-perfect-fit", WARNING, "",
		"all runs of a treatment are equal, so there is no noise to test effects against; "
		"choose a response with a finer resolution" },
	[ET_WARN_DOE_CONSTANT] = { "doe-constant", WARNING, "v",
		"all runs have the same response, {0}, so no factor has an effect on it; choose "
		"another `response` if you expected one" },
	[ET_WARN_DOE_FEW_MACHINES] = { "doe-few-machines", WARNING, "c",
		"each term is tested against its variation over {0} machines, which finds only "
		"very large effects; measure on 5 machines or more" },
	[ET_WARN_DOE_DEPENDENT] = { "doe-dependent", WARNING, "n",
		"residuals of successive runs resemble each other (autocorrelation {0}), so "
		"effects may be drift; use `order: random`" },
	[ET_WARN_DOE_WIDE_INTERVALS] = { "doe-wide-intervals", NOTE, "n",
		"residuals of successive runs resemble each other (autocorrelation {0}), so "
		"intervals are wider than needed; use `blocks: round`" },
	[ET_WARN_DOE_NO_PAIRS] = { "doe-no-pairs", NOTE, "cc",
		"{0} treatments are more than the {1} whose pairs are compared one by one; see the "
		"effects of the factors instead" },
	[ET_WARN_DOE_MACHINES_DIFFER] = { "doe-machines-differ", WARNING, "t",
		"the machines differ in {0}, which may change effects; compare machines that are "
		"alike" },
};

static bool fits(const char *kinds, const struct et_warning_arg args[ET_WARNING_ARGS])
{
	for (size_t i = 0; i < ET_WARNING_ARGS; i++) {
		if ((char)args[i].kind != *kinds)
			return false;
		kinds += *kinds != '\0';
	}
	return true;
}

void et_warnings_add(struct et_warnings *w, enum et_warning_code code,
	const struct et_warning_arg args[ET_WARNING_ARGS])
{
	assert(fits(et_warning_rows[code].args, args));
	ET_GROW(w->list, w->n, w->cap);
	struct et_warning *added = &w->list[w->n++];
	added->code = code;
	for (size_t i = 0; i < ET_WARNING_ARGS; i++) {
		added->args[i] = args[i];
		if (args[i].kind == ET_ARG_TEXT)
			added->args[i].text = et_strdup(args[i].text ? args[i].text : "");
	}
}

void et_warnings_append(struct et_warnings *w, const struct et_warnings *more)
{
	for (size_t i = 0; i < more->n; i++)
		et_warnings_add(w, more->list[i].code, more->list[i].args);
}

bool et_warnings_have(const struct et_warnings *w, enum et_warning_code code)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->list[i].code == code)
			return true;
	}
	return false;
}

void et_warnings_free(struct et_warnings *w)
{
	for (size_t i = 0; i < w->n; i++) {
		for (size_t k = 0; k < ET_WARNING_ARGS; k++)
			free(w->list[i].args[k].text);
	}
	free(w->list);
	*w = (struct et_warnings){ 0 };
}
