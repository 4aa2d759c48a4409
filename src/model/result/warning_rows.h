/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The warnings: ROW(code, name in JSON, severity, arguments, text). warning.h makes the codes of
 * these rows and warning.c the table, so this file has no #pragma once.
 *
 * To add a row: raise it where the evidence is (about samples: stats/series/warnings.c, about a
 * series: diagnosis.c) and test that; then look at what `etalon lab coverage` says.
 */

/* --- a series of values --- */
ROW(FEW_VALUES, "few-values", WARNING, "c",
	"there {0:is|are} only {0} value{0:|s}, too few to show how they vary; take at least 10 "
	"(--runs 10)")
ROW(ALL_EQUAL, "all-equal", WARNING, "",
	"all values are equal, so the spread is 0, and normality, dependence and modes are "
	"undefined; use a finer clock or longer runs")
ROW(NORMALITY_UNTESTED, "normality-untested", NOTE, "c",
	"normality was not tested: Shapiro-Wilk needs at least {0} values; take more")
ROW(NORMALITY_BY_PART, "normality-by-part", NOTE, "cc",
	"normality was judged by a random {0} of the {1} values: Shapiro-Wilk takes no more")
ROW(SERIAL_UNTESTED, "serial-untested", NOTE, "cc",
	"drift and dependence cannot be tested with {0} values; take at least {1}")
ROW(RARE_CASE_UNSEEN, "rare-case-unseen", NOTE, "csccf",
	"{0} values miss a slow case of one run in {3} with a probability of {1}{4: (--until "
	"favours it)|}, which the interval does not allow for; take at least {2}")
ROW(COLD_START, "cold-start", WARNING, "",
	"the first value is far above the others, as with cold caches; warm up (--warmup) or "
	"exclude it")
ROW(DRIFT, "drift", WARNING, "fp",
	"drift: the values {0:rise|fall} from run to run (Mann-Kendall p {1}), so their mean "
	"depends on when you stop; {0:use 'etalon env check'|warm up longer (--warmup)}")
ROW(DEPENDENT_RUNS, "dependent-runs", WARNING, "ncc",
	"successive runs resemble each other (autocorrelation {0}), so {1} of them count as {2}; "
	"compare programs as pairs in one experiment")
ROW(SEVERAL_MODES, "several-modes", WARNING, "vvp",
	"two or more modes (near {0} and {1}; dip test p {2}), so the mean describes none of "
	"them; find and measure their causes apart")
ROW(SKEWED, "skewed", WARNING, "fnsf",
	"skewed to the {0:right|left} (skewness {1}), which widens the interval of the mean by "
	"{2}; take more runs, or use the median{3: (etalon describe)|}")
ROW(COARSE_STEPS, "coarse-steps", WARNING, "vc",
	"the values change in steps of {0} ({1} different ones), too coarse for density, modes "
	"and ranks; use a finer clock or longer runs")
ROW(SOLITARY_VALUES, "solitary-values", WARNING, "c",
	"{0} {0:value is|values are} far from all others; check what else ran then, and use the "
	"median")
ROW(OUTLIERS, "outliers", WARNING, "c",
	"{0} {0:value is|values are} more than 3 interquartile ranges outside the quartiles; "
	"check what else ran then, and use the median")
ROW(SD_INTERVAL, "sd-interval", WARNING, "pf",
	"not normal (Shapiro-Wilk p {0}), so the chi-square interval of the standard deviation "
	"does not hold; {1:take more values|use the bootstrap's (BCa)}")
ROW(NO_BOOTSTRAP, "no-bootstrap", NOTE, "",
	"the bootstrap was omitted because it takes long with this many values; request it with "
	"--bootstrap")

/* --- the runs of a command --- */
ROW(TASKS_WAITED, "tasks-waited", WARNING, "vtt",
	"its tasks together waited {0} per run for CPUs that others used{1:, most of all {1}|}; "
	"see: {2}")
ROW(STOLEN_TIME, "stolen-time", WARNING, "sf",
	"the hypervisor took the CPU for {0} of the elapsed time{1:; use --metric cpu|}")
ROW(WAITED_FOR_CPU, "waited-for-cpu", WARNING, "stft",
	"{0} of the elapsed time was waiting for a CPU that others used{1:, most of all "
	"{1}|}{2:; use --metric cpu|; see: {3}}")
ROW(MOSTLY_IDLE, "mostly-idle", WARNING, "sf",
	"the program sleeps or waits for {0} of its elapsed time, which CPU time does not "
	"count{1:; judge it by elapsed time (--metric elapsed)|}")
ROW(MEMORY_HIDDEN, "memory-hidden", WARNING, "ccf",
	"the peak memory of {0} of {1} runs is not known: {2:the kernel counts pages by the "
	"dozen|that of etalon, which starts them, hides less; use root, or CAP_NET_ADMIN}")
ROW(TIME_LIMIT, "time-limit", WARNING, "cc",
	"the time limit ended it after {0} of {1} runs, so the interval is wider than planned; "
	"raise --time-limit")
ROW(SLOW_MACHINE, "slow-machine", WARNING, "ccf",
	"the machine was slow in {0} of {1} runs; they count, because the mean would be less "
	"certain without them{2:; --pace corrects for it|}")
ROW(SLOW_RUNS, "slow-runs", WARNING, "ccff",
	"the machine was slow in {0} of {1} runs{2:, which were removed|}{3:; --pace corrects "
	"for it|}")
ROW(LOST_RECORDS, "lost-records", WARNING, "c",
	"in {0} {0:run|runs} the kernel dropped exit records, so the list of processes that "
	"disturbed the program is incomplete")
ROW(STOPPED, "stopped", WARNING, "c",
	"in {0} {0:run|runs} a signal stopped the program for a while, so elapsed time is too "
	"long there")
ROW(LEFTOVERS, "leftovers", WARNING, "c",
	"in {0} {0:run|runs} the program left processes behind; their CPU time counts up to its "
	"end, then they were killed")
ROW(NO_SNAPSHOT, "no-snapshot", WARNING, "c",
	"in {0} {0:run|runs} the processes could not be listed, so it is not known which of them "
	"disturbed the program")
ROW(FAILED_RUNS, "failed-runs", WARNING, "cf",
	"{0} {0:run|runs} failed (exit status or signal){1:; --ignore-failure accepts this|}")
ROW(PACED, "paced", WARNING, "",
	"the reference loop (--pace) shared the CPU, so elapsed time is not the program's own; "
	"judge by CPU time")
ROW(DUETS_ONLY, "duets-only", WARNING, "",
	"the command was measured in duets only, so its elapsed time includes its partner's "
	"share of the CPU")
ROW(SECOND_CHECK, "second-check", WARNING, "cd",
	"EMP's second check removed {0} {0:run|runs} by {0:its|their} own time, which changed "
	"the mean by {1}; use etalon run --protocol cause")
ROW(OUTPUT_NULL, "output-null", WARNING, "t",
	"{0} stops at the first match if its output is /dev/null, as it is here; use --output "
	"pipe")
ROW(UNTIL_FEW_RUNS, "until-few-runs", WARNING, "scc",
	"--until {0} ended after {1} runs, which may agree by chance, so the interval may be too "
	"narrow; use --min-runs {2}")
ROW(UNTIL_MISSED, "until-missed", WARNING, "sscf",
	"--until {0} of the mean was not reached: ± {1} after {2} runs; allow more with "
	"{3:--max-runs|--time-limit}")
ROW(UNTIL_MISSED_BY_REMOVAL, "until-missed-by-removal", WARNING, "sccsc",
	"--until {0} of the mean was reached by all {1} runs, but not by the {2} that were kept "
	"(± {3}); take more with --min-runs {4}")
ROW(KBEST_FEW_RUNS, "kbest-few-runs", WARNING, "cc",
	"{0} {0:run is|runs are} fewer than the {1} that must agree, so the fastest may be "
	"chance; allow more with --max-runs")
ROW(KBEST_NOT_CONVERGED, "kbest-not-converged", WARNING, "ccss",
	"not converged: the {0} fastest of {1} runs are {2} apart, not within {3}; allow more "
	"runs with --max-runs, or a wider --epsilon")

/* --- a comparison --- */
ROW(SEQUENTIAL_ORDER, "sequential-order", WARNING, "sffft",
	"the commands ran one after the other, so a change of the machine{2: ({0} "
	"{1:slower|faster} here)|{3:| (none was seen)}} looks like a difference; use {4}")
ROW(MEASURED_APART, "measured-apart", WARNING, "fsft",
	"measured at different times{0:, the machine {1} {2:slower|faster}|}, so a change of the "
	"machine looks like a difference; use {3}")
ROW(MEASURED_ONCE, "measured-once", WARNING, "",
	"no machine was measured twice, so what changes on a machine from one time to another "
	"looks like a difference; measure each again later")
ROW(FUNCTIONS_APART, "functions-apart", WARNING, "",
	"timed at different times, so a change of the machine looks like a difference; run the "
	"new program with --against OLD")
ROW(STATISTICS_DIFFER, "statistics-differ", WARNING, "tt",
	"the statistics of the two files differ ({0}, {1}), so these are other times; run the "
	"new program with --baseline OLD")
ROW(COMPARED_BY_CPU_TIME, "compared-by-cpu-time", WARNING, "",
	"these programs mostly sleep or wait, which CPU time does not count; compare them by "
	"elapsed time (--metric elapsed)")
ROW(DEPENDENT_PAIRS, "dependent-pairs", WARNING, "ncc",
	"successive pairs resemble each other (autocorrelation {0}), so the test and the "
	"interval count {1} pairs as {2}")
ROW(DEPENDENCE_UNTESTED, "dependence-untested", WARNING, "cfc",
	"{0} {1:pairs|values} are too few to show whether successive runs resemble each other, "
	"which would double the false alarms; take at least {2} (--runs {2})")
ROW(DIFFERENT_KINDS, "different-kinds", NOTE, "t",
	"the two differ in {0}, so sharing a CPU costs them differently; their solo runs decide, "
	"which takes more of them (--runs)")
ROW(SHARED_FILE, "shared-file", NOTE, "tt", "{0} {1}: they run one at a time")
ROW(NOT_SCOUTED, "not-scouted", NOTE, "ft",
	"{0:the files of the commands were not looked at|not all files of the commands are known, "
	"because {1}}, so two that share others may disturb each other")
ROW(SIDE_BY_SIDE_ONLY, "side-by-side-only", WARNING, "t",
	"the two differ in {0}, so sharing a CPU costs them differently, and the verdict holds "
	"side by side only; use --order auto")
ROW(SIDE_BY_SIDE_DIFFERS, "side-by-side-differs", WARNING, "ddfc",
	"the difference is {0} side by side and {1} alone, {2:hardly by chance; none is claimed "
	"unless both show it; use --order random|by chance in 1 of {3} comparisons; the interval "
	"is wider because of it; take more runs}")
ROW(DEPENDENT_SERIES, "dependent-series", WARNING, "ncccc",
	"successive values resemble each other (autocorrelation {0}), so {1} and {2} values "
	"count as {3} and {4}; compare as pairs (etalon run)")
ROW(MEAN_DISAGREES, "mean-disagrees", WARNING, "fsf",
	"the median is {2:equal|{0:larger|smaller}}, but the mean is {0:smaller|larger} by {1}: a "
	"few "
	"values outweigh the others; if the total counts, judge by the mean")

/* --- the machine and how it was observed --- */
ROW(CLOCK_SOURCE, "clock-source", WARNING, "t",
	"the kernel's clock source is {0}, not the processor's counter, so reading a clock is "
	"slower and coarser")
ROW(VIRTUAL_MACHINE, "virtual-machine", WARNING, "t",
	"virtual machine ({0}): unseen neighbours change its speed; compare within one run, not "
	"with yesterday's numbers")
ROW(FREQUENCY_SCALING, "frequency-scaling", WARNING, "t",
	"the CPU frequency is scaled (governor {0}), so times depend on what ran before; set the "
	"governor to performance")
ROW(NO_NET_ADMIN, "no-net-admin", WARNING, "",
	"processes that began and ended within a run were not seen: this needs CAP_NET_ADMIN; "
	"run as root, or grant it to the container")
ROW(NO_TASKSTATS, "no-taskstats", WARNING, "",
	"processes that began and ended within a run were not seen: this kernel or container has "
	"no taskstats")
ROW(NO_CGROUP, "no-cgroup", WARNING, "f",
	"no cgroup could be created, so CPU time of descendants that nobody waited for may be "
	"missing; {0:mount cgroups on /sys/fs/cgroup|run as root}")
ROW(NO_LEDGER, "no-ledger", WARNING, "t",
	"cannot tell which processes take CPU time from the program: {0}")
ROW(RESUMED_ELSEWHERE, "resumed-elsewhere", WARNING, "tt",
	"the experiment was resumed on another kernel or CPU ({0}, {1}), so its samples may not "
	"be comparable; start a new one")
ROW(ENVIRONMENT_CHANGED, "environment-changed", WARNING, "tfc",
	"during the runs {0}{1: and {2} more {2:change|changes}|}, so those before and after may "
	"not be comparable; repeat the experiment")
ROW(CUTOFFS_OTHER_MACHINE, "cutoffs-other-machine", WARNING, "",
	"the daemons' cutoffs were learned on another machine of this name, so no sample is "
	"removed by them; learn new ones with 'etalon daemons learn'")
ROW(CUTOFFS_OTHER_KERNEL, "cutoffs-other-kernel", WARNING, "tt",
	"the daemons' cutoffs are of another kernel ({0}, now {1}), so no sample is removed by "
	"them; run etalon daemons learn")
ROW(CUTOFFS_OLD, "cutoffs-old", WARNING, "c",
	"the daemons' cutoffs are {0} days old, so no sample is removed by them; learn new ones "
	"with 'etalon daemons learn'")
ROW(CUTOFFS_MISFIT, "cutoffs-misfit", WARNING, "t",
	"the daemons' cutoffs were learned {0}, so no sample is removed by them; learn new ones "
	"with 'etalon daemons learn'")
ROW(CUTOFFS_OTHER_LENGTH, "cutoffs-other-length", WARNING, "vvc",
	"the daemons' cutoffs, learned with samples of {0}, do not apply to a program of {1}; "
	"use 'etalon daemons learn --long-seconds {2}'")
ROW(FIRST_CHECK_DONE, "first-check-done", NOTE, "ctfc",
	"check I: {0} cutoff{0:|s} learned {1}{2:, later than this run|}, removed {3}")
ROW(FIRST_CHECK_UNFIT, "first-check-unfit", NOTE, "tf",
	"{1:check I not done|daemons were not checked}: the daemons were learned {0}, which does "
	"not fit this run; run etalon daemons learn")
ROW(FIRST_CHECK_NOT_DONE, "first-check-not-done", NOTE, "fff",
	"{2:check I not done|daemons were not checked}: {0:nothing was learned here; run etalon "
	"daemons learn|{1:the record has no processes; measure the program with etalon run|the "
	"program takes much longer than what was learned with; use etalon daemons learn "
	"--long-seconds}}")
ROW(FIRST_CHECK_WITHDRAWN, "first-check-withdrawn", WARNING, "cc",
	"check I would have removed {0} of {1} samples, so it was withdrawn: the cutoffs do not "
	"fit; see 'etalon daemons show', and learn again")

/* --- a survey of the clocks --- */
ROW(SURVEY_CUT_SHORT, "survey-cut-short", WARNING, "",
	"the survey was interrupted: figures that were not measured by then are missing")
ROW(COUNTER_FORBIDDEN, "counter-forbidden", WARNING, "t",
	"the processor's counter may not be read here: {0}")
ROW(NO_COUNTER, "no-counter", WARNING, "",
	"this processor has no counter that a program may read; read CLOCK_MONOTONIC")
ROW(COUNTER_RATE_VARIES, "counter-rate-varies", WARNING, "",
	"the counter's rate changes with the processor's, so its counts are not time; read "
	"CLOCK_MONOTONIC")
ROW(COUNTER_BACKWARDS, "counter-backwards", WARNING, "",
	"the counter or a clock went backwards while it was read; read CLOCK_MONOTONIC")
ROW(COUNTER_BACKWARDS_ACROSS_CPUS, "counter-backwards-across-cpus", WARNING, "",
	"the counter goes backwards from one CPU to another; stay on one CPU, or read "
	"CLOCK_MONOTONIC")
ROW(COUNTERS_DRIFT_APART, "counters-drift-apart", WARNING, "",
	"the CPUs' counters drift apart; read CLOCK_MONOTONIC")
ROW(ONE_CPU, "one-cpu", WARNING, "",
	"only one CPU may be used, so whether others agree with it is not known")
ROW(CPUS_BUSY, "cpus-busy", WARNING, "c",
	"{0} {0:CPU was|CPUs were} too busy to compare counters with; repeat this on an idle "
	"machine")
ROW(CPUS_NOT_COMPARED, "cpus-not-compared", WARNING, "t",
	"the counters of some CPUs could not be compared: {0}")
ROW(FEW_TIMER_INTERRUPTS, "few-timer-interrupts", WARNING, "cc",
	"only {0} timer {0:interrupt|interrupts} came alone, and their smallest cost takes {1}; "
	"use a less busy CPU (--cpu), or measure longer (--duration)")
ROW(NO_TIMER_INTERRUPT, "no-timer-interrupt", WARNING, "",
	"no regular timer interrupt was found: the CPU was too busy, or has no tick while it "
	"runs one task (nohz_full)")
ROW(TIMER_NOT_MEASURED, "timer-not-measured", WARNING, "t",
	"the timer interrupt was not measured: {0}")
ROW(CLOCK_NO_STEP, "clock-no-step", WARNING, "t",
	"{0} did not advance while it was read, so its resolution is not known; measure longer "
	"(--duration)")
ROW(CLOCK_STEP_UNCONFIRMED, "clock-step-unconfirmed", WARNING, "tc",
	"{0}: its smallest step was seen only {1} {1:time|times}; repeat this on an idle "
	"machine, which may show smaller ones")
ROW(CLOCK_BACKWARDS, "clock-backwards", WARNING, "tc",
	"{0} went backwards {1} {1:time|times}; do not take differences of its readings")
ROW(NTP_UNREADABLE, "ntp-unreadable", WARNING, "t",
	"the kernel's correction of its clock cannot be read: {0}")

/* --- a trace --- */
ROW(TRACE_CUT, "trace-cut", NOTE, "c",
	"only the beginning is shown: the trace has more than {0} records")
ROW(TRACE_READY_TIME, "trace-ready-time", NOTE, "v",
	"of the time of other processes, the program was ready to run for {0}; for the rest it "
	"waited for something else, and they used its CPU")
ROW(TRACE_INTERRUPTS_COUNT, "trace-interrupts-count", NOTE, "",
	"there are no records of interrupts, so they count as the program's time")
ROW(TRACE_NO_INTERRUPTS, "trace-no-interrupts", NOTE, "",
	"there are no records of interrupts: timer ticks are recognised by their regularity, "
	"other interrupts are unknown")
ROW(TRACE_NO_EXIT_RECORDS, "trace-no-exit-records", NOTE, "",
	"exit records are missing, so processes that the program started count as others")
ROW(TRACE_NO_RECORDS, "trace-no-records", NOTE, "t",
	"there are no records of the scheduler ({0}): timer ticks are recognised by their "
	"regularity, other processes are counted, none is named")
ROW(TRACE_RECORDS_LOST, "trace-records-lost", NOTE, "c",
	"{0} {0:record was|records were} lost, so some causes are not known")
ROW(TRACE_PERIODS_LOST, "trace-periods-lost", NOTE, "c",
	"{0} inactive {0:period is|periods are} not listed: the ring was full")
ROW(TRACE_PERIODS_DROPPED, "trace-periods-dropped", NOTE, "cc",
	"the first {0} inactive periods are in the sums but not listed: a trace keeps the last "
	"{1}")
ROW(TRACE_BY_CLOCK, "trace-by-clock", NOTE, "ff",
	"{0:the processor's counter {1:has no fixed rate|goes backwards or differs between "
	"CPUs}|this processor has no counter that may be read}: CLOCK_MONOTONIC is read instead")
ROW(TRACE_LOW_THRESHOLD, "trace-low-threshold", NOTE, "v",
	"the threshold is below the usual distance of two readings, so readings count as "
	"inactive periods; {0} would be right")

/* --- how time grows --- */
ROW(GROWTH_SCATTERS, "growth-scatters", WARNING, "s",
	"the times scatter by {0} about every curve, beyond their uncertainty, and the intervals "
	"contain it; look for full caches")
ROW(GROWTH_REJECTED, "growth-rejected", WARNING, "tp",
	"{0} is the likeliest model, but it does not fit within the uncertainty (p {1}); measure "
	"more sizes to see where")
ROW(GROWTH_AMBIGUOUS, "growth-ambiguous", WARNING, "tnt",
	"models other than {0:{0}|it} (weight {1}) are possible: {2}; measure a wider range of "
	"sizes, or more runs")
ROW(GROWTH_NARROW, "growth-narrow", WARNING, "nc",
	"the largest size is only {0} times the smallest, and many models look alike over this "
	"range; measure a range of {1} or more")

/* --- how etalon was called, and how it leaves the machine; printed on stderr --- */
ROW(BUILDS_SAME, "builds-same", WARNING, "tt",
	"the builds {0:{0}|of one level} and {1:{1}|another} gave the same program, so they do "
	"not differ; let the build command use the levels (make -B)")
ROW(CHANGES_PENDING, "changes-pending", WARNING, "ct",
	"an earlier etalon was killed before it restored {0:1 change|{0} changes} to this "
	"machine ({1}); run 'etalon env restore'")
ROW(NOT_RESTORED, "not-restored", WARNING, "",
	"not every change to this machine could be restored; run 'etalon env restore' to try "
	"again")

/* --- a profile: all samples, or one function --- */
ROW(PROFILE_RUNS_INVALID, "profile-runs-invalid", WARNING, "ccff",
	"{0} of {1} runs {0:does|do} not count, because the kernel {2:stopped the sampling for a "
	"while (throttling)|lost records}; sample less often{3:| (--frequency)}")
ROW(PROFILE_FEW_SAMPLES, "profile-few-samples", WARNING, "nf",
	"a run has only {0} {0:sample|samples}, so shares are coarse; sample more often{1:| "
	"(--frequency)}, or profile a longer run")
ROW(PROFILE_OVERRUNS, "profile-overruns", WARNING, "sf",
	"{0} of the samples came too late and were not taken, so code that delays interrupts is "
	"missing; {1:profile a longer run on a less busy machine|sample less often (--frequency)}")
ROW(PROFILE_SHORT_TASKS, "profile-short-tasks", WARNING, "cc",
	"{0} of {1} threads and processes were shorter than ten periods; without a cgroup the "
	"first period of each is not sampled; run as root")
ROW(PROFILE_FIXED_PERIOD, "profile-fixed-period", WARNING, "",
	"the period is fixed, so functions that run in step with it get too many samples or "
	"none, in every run alike; leave out --fixed")
ROW(PROFILE_FEW_RUNS, "profile-few-runs", WARNING, "cf",
	"there {0:is|are} only {0} run{0:|s}, too few to show how the counts vary; {1:give the "
	"files of at least 10|take at least 10 (--runs 10)}")
ROW(PROFILE_RARE, "profile-rare", WARNING, "ccc",
	"only {0} of {1} runs saw it, with {2} {2:sample|samples} in all: the program enters it "
	"in some runs only; take more runs to learn how often")
ROW(PROFILE_DRIFT, "profile-drift", WARNING, "fpnnf",
	"drift: the samples {0:rise|fall} from run to run (Mann-Kendall p {1}), from {2} in the "
	"first half to {3}; {4:leave out the first files|warm up longer (--warmup)}")
ROW(PROFILE_COLD_START, "profile-cold-start", WARNING, "nnf",
	"the first run has {0} samples, the others {1} on average, as with cold caches; {2:leave "
	"out its file|warm up (--warmup)}")
ROW(PROFILE_DEPENDENT, "profile-dependent", WARNING, "ncc",
	"the counts of successive runs resemble each other (autocorrelation {0}), so {1} runs "
	"count as {2}; take more")
ROW(PROFILE_FAR_RUNS, "profile-far-runs", WARNING, "ccf",
	"{0} of {1} runs {0:is|are} far from the others, fewer than the {2:3 that BCa|10 that "
	"the percentile} interval of the sd needs; use the robust sd, or take more runs")
ROW(PROFILE_BOOTSTRAP_DIFFERS, "profile-bootstrap-differs", WARNING, "s",
	"Student's and the bootstrap's interval of the mean differ by {0} of the half width, "
	"because a few runs decide; Student's counts; take more runs")
ROW(PROFILE_SPREAD, "profile-spread", NOTE, "nnf",
	"the count varies more (sd {0}) than random samples would ({1}): its work varies, or is "
	"in step with the sampling; {2:sample with another period|try another --frequency}")
ROW(PROFILE_SHORT_CALLS, "profile-short-calls", NOTE, "nvv",
	"{0} calls a run of {1} each, shorter than the period of {2}: samples do not show how "
	"calls divide its time; rely on the observed spread")
ROW(PROFILE_UNTIL_MISSED, "profile-until-missed", WARNING, "ssc",
	"--until {0} was not reached: a share is known to ± {1} after {2} runs; allow more with "
	"--max-runs or --time-limit")
ROW(PROFILE_AT_ENTRY, "profile-at-entry", WARNING, "s",
	"{0} of its samples are at its first instruction, which also gets time of the code "
	"before the call; judge it together with its callers")
ROW(PROFILE_NO_SYMBOLS, "profile-no-symbols", NOTE, "stf",
	"{0} of the samples are in code without symbols, for instance in {1}; {2:let the program "
	"write /tmp/perf-PID.map|install its debug symbols, or do not strip it}")
ROW(PROFILE_NO_KERNEL_SYMBOLS, "profile-no-kernel-symbols", NOTE, "s",
	"{0} of the samples are in functions of the kernel whose names are hidden; run as root, "
	"or set kernel.kptr_restrict to 0")
ROW(PROFILE_BROKEN_CHAINS, "profile-broken-chains", WARNING, "sf",
	"{0} of the samples lack callers, whose totals are too small; {1:use -g dwarf, or "
	"compile with -fno-omit-frame-pointer|use -g fp}")
ROW(PROFILE_MANY_CONTEXTS, "profile-many-contexts", WARNING, "s",
	"{0} of the samples are below [other], because contexts are too many or too deep: totals "
	"of callers are too small")
ROW(PROFILE_SLOWDOWN, "profile-slowdown", WARNING, "ns",
	"{0} samples per second slow the program down by about {1}; use a lower --frequency")
ROW(PROFILE_NO_LIBDW, "profile-no-libdw", NOTE, "s",
	"{0} of the samples are in code without names, because this etalon was built without "
	"symbols; install libdw-dev and build it again")
ROW(PROFILE_KERNEL_UNSEEN, "profile-kernel-unseen", WARNING, "s",
	"{0} of the CPU time was in the kernel, which was not sampled; run as root, or set "
	"kernel.perf_event_paranoid to 1 or less")
ROW(PROFILE_WAITED, "profile-waited", WARNING, "s",
	"the program waited {0} of its elapsed time, which a profile of CPU time does not show; "
	"see 'etalon trace'")
ROW(PROFILE_RUNS_FAILED, "profile-runs-failed", WARNING, "ccfc",
	"{0} of {1} runs ended with {2:signal|exit status} {3}, and the profile includes them")

/* --- a designed experiment: one program --- */
ROW(DOE_UNBALANCED, "doe-unbalanced", WARNING, "cc",
	"treatments have {0} to {1} runs, so shares of the variation need not add up to 100 %; "
	"run the plan again to complete it")
ROW(DOE_TREATMENTS_FAILED, "doe-treatments-failed", WARNING, "cctc",
	"{0} of {1} treatments {0:has|have} no run that counts ({2}), so {3} {3:term|terms} "
	"cannot be estimated; mend the program and run the plan again")
ROW(DOE_BLOCKS_IGNORED, "doe-blocks-ignored", WARNING, "c",
	"treatments are missing, so the differences between the {0} blocks count as noise; run "
	"the plan again to complete them")
ROW(DOE_LEVELS_FAILED, "doe-levels-failed", WARNING, "tf",
	"levels have no run that counts ({0}), so effects are those of the others{1:; some terms "
	"have none|}; mend the program and run the plan again")
ROW(DOE_NO_REPLICATION, "doe-no-replication", WARNING, "",
	"there is one run per treatment, so nothing tells effects from noise and none is tested; "
	"raise `replications`")
ROW(DOE_FEW_RUNS, "doe-few-runs", WARNING, "c",
	"{0} {0:run|runs} per treatment are too few to check the residuals, which the tests take "
	"to be normal; raise `replications` to 5 or more")
ROW(DOE_PERFECT_FIT, "doe-perfect-fit", WARNING, "",
	"all runs of a treatment are equal, so there is no noise to test effects against; choose "
	"a response with a finer resolution")
ROW(DOE_CONSTANT, "doe-constant", WARNING, "v",
	"all runs have the same response, {0}, so no factor has an effect on it; choose another "
	"`response` if you expected one")
ROW(DOE_FEW_MACHINES, "doe-few-machines", WARNING, "c",
	"each term is tested against its variation over {0} machines, which finds only very "
	"large effects; measure on 5 machines or more")
ROW(DOE_DEPENDENT, "doe-dependent", WARNING, "n",
	"residuals of successive runs resemble each other (autocorrelation {0}), so effects may "
	"be drift; use `order: random`")
ROW(DOE_WIDE_INTERVALS, "doe-wide-intervals", NOTE, "n",
	"residuals of successive runs resemble each other (autocorrelation {0}), so intervals "
	"are wider than needed; use `blocks: round`")

/* --- all of its programs --- */
ROW(DOE_NO_PAIRS, "doe-no-pairs", NOTE, "cc",
	"{0} treatments are more than the {1} whose pairs are compared one by one; see the "
	"effects of the factors instead")
ROW(DOE_MACHINES_DIFFER, "doe-machines-differ", WARNING, "t",
	"the machines differ in {0}, which may change effects; compare machines that are alike")
