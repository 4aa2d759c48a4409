/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memstream.h"
#include "report/text.h"
#include "report/warning.h"

#define YELLOW "33"

/* When a warning becomes a note. */
enum rank {
	NEVER,    /* the answer holds, or nothing can be done about it here */
	FIRST,    /* before the others: the answer is probably not the one that was wanted */
	OF_EMP,   /* only with --protocol emp, or if a learning was of no use; before the others */
	OF_DRIFT, /* only if the machine changed between two commands, or if that is not known */
	USUAL,
	OF_FILES,   /* a usual note, if the files could not be known although they were wanted */
	OF_STATES,  /* a usual note that the states of the machine give rise to: see add_states */
	LATER,      /* after the others */
	OF_UNTIL,   /* likewise, only if --until chose the number of runs */
	OF_ELAPSED, /* only if elapsed time is judged and the amount is at least a tenth of it */
	OF_CPU,     /* only if CPU time is judged */
};

/* Warnings of the same cause give one note. */
enum cause {
	CAUSE_OWN, /* no other warning has it */
	CAUSE_NUMBER,
	CAUSE_SHAPE,
	CAUSE_SERIES,
	CAUSE_OTHERS,
	CAUSE_SPEED,
	CAUSE_CUTOFFS,
	CAUSE_METRIC,
};

/* A warning without a rule gives no note. */
struct rule {
	enum rank rank;
	enum cause cause;
	bool adds_up;     /* the counts of several commands are added */
	const char *text; /* a template, shorter than that of the warning; NULL: that one */
};

static const struct rule rules[ET_WARNING_CODES] = {
	[ET_WARN_FEW_VALUES] = { FIRST, CAUSE_NUMBER, false,
		"only {0} {0:run|runs}, too few to show how they vary; take at least 10: --runs "
		"10" },
	[ET_WARN_ALL_EQUAL] = { USUAL, CAUSE_OWN, false,
		"all times are equal, so their spread is not known; use longer runs" },
	[ET_WARN_MEMORY_HIDDEN] = { FIRST, CAUSE_OWN, false, NULL },
	[ET_WARN_RARE_CASE_UNSEEN] = { OF_UNTIL, CAUSE_OWN, false,
		"{0} runs miss a slow case of one in {3} with a probability of {1}; take more: "
		"--min-runs {2}" },
	[ET_WARN_COLD_START] = { LATER, CAUSE_SERIES, false,
		"the first run was far slower, as with cold caches; leave it out: --warmup 3" },
	[ET_WARN_DRIFT] = { LATER, CAUSE_SERIES, false,
		"the times {0:rise|fall} from run to run (p {1}), so the mean depends on when you "
		"stop; {0:see what slows the machine: etalon env check|warm up: --warmup 10}" },
	[ET_WARN_SEVERAL_MODES] = { LATER, CAUSE_SHAPE, false,
		"two modes, near {0} and {1}, and the mean describes neither; look at them: etalon "
		"show -v" },
	[ET_WARN_TASKS_WAITED] = { OF_ELAPSED, CAUSE_OTHERS, false,
		"its tasks waited {0} per run for CPUs that others used{1:, most of all {1}|}; "
		"see: {2}" },
	[ET_WARN_STOLEN_TIME] = { OF_ELAPSED, CAUSE_OTHERS, false,
		"the hypervisor took {0} of the elapsed time{1:; judge by CPU time: --metric "
		"cpu|}" },
	[ET_WARN_WAITED_FOR_CPU] = { OF_ELAPSED, CAUSE_OTHERS, false,
		"others used its CPU for {0} of the elapsed time{1:, most of all {1}|}{2:; judge "
		"by CPU time: --metric cpu|; see: {3}}" },
	[ET_WARN_MOSTLY_IDLE] = { OF_CPU, CAUSE_METRIC, false,
		"it sleeps or waits for {0} of its time, which CPU time does not count; use "
		"--metric elapsed" },
	[ET_WARN_TIME_LIMIT] = { USUAL, CAUSE_OWN, false,
		"the time limit ended it after {0} of {1} runs; allow more: --time-limit" },
	[ET_WARN_SLOW_MACHINE] = { OF_STATES, CAUSE_SPEED, true, NULL },
	[ET_WARN_STOPPED] = { USUAL, CAUSE_OWN, true,
		"a signal stopped the program in {0} {0:run|runs}, where elapsed time is too long; "
		"see: etalon show -v" },
	[ET_WARN_LEFTOVERS] = { USUAL, CAUSE_OWN, true,
		"the program left processes behind in {0} {0:run|runs}, which were killed; see: "
		"etalon show -v" },
	[ET_WARN_FAILED_RUNS] = { FIRST, CAUSE_OWN, true,
		"{0} {0:run|runs} failed{1:|; to accept this: --ignore-failure}" },
	[ET_WARN_DUETS_ONLY] = { USUAL, CAUSE_OWN, false,
		"measured in pairs only, so elapsed time includes the partner; for times alone: "
		"--order auto" },
	[ET_WARN_OUTPUT_NULL] = { FIRST, CAUSE_OWN, false,
		"{0} stops at the first match, because its output is /dev/null; use --output "
		"pipe" },
	[ET_WARN_UNTIL_MISSED] = { FIRST, CAUSE_OWN, false,
		"wanted ± {0} of the mean, reached ± {1} after {2} runs; allow more: "
		"{3:--max-runs|--time-limit}" },
	[ET_WARN_UNTIL_MISSED_BY_REMOVAL] = { FIRST, CAUSE_OWN, false,
		"wanted ± {0} of the mean, reached ± {3} by the {2} runs kept of {1}; take more: "
		"--min-runs {4}" },
	[ET_WARN_UNTIL_FEW_RUNS] = { FIRST, CAUSE_OWN, false,
		"--until {0} ended after {1} runs, which may agree by chance; use --min-runs "
		"{2}" },
	[ET_WARN_KBEST_FEW_RUNS] = { FIRST, CAUSE_OWN, false,
		"{0} {0:run is|runs are} fewer than the {1} that must agree; allow more: "
		"--max-runs" },
	[ET_WARN_KBEST_NOT_CONVERGED] = { FIRST, CAUSE_OWN, false,
		"the {0} fastest of {1} runs are {2} apart, not within {3}; allow more: "
		"--max-runs" },
	[ET_WARN_SEQUENTIAL_ORDER] = { OF_DRIFT, CAUSE_OWN, false,
		"{2:the machine was {0} {1:slower|faster} than for the reference, which|the "
		"commands ran one after the other: a change of the machine} looks like a "
		"difference; to decide: {4}" },
	[ET_WARN_COMPARED_BY_CPU_TIME] = { FIRST, CAUSE_METRIC, false,
		"these programs mostly sleep or wait, which CPU time does not count; use --metric "
		"elapsed" },
	[ET_WARN_DEPENDENCE_UNTESTED] = { USUAL, CAUSE_OWN, false,
		"{0} {1:pairs|values} cannot show whether successive runs resemble each other, "
		"which would double the false alarms; take more: --runs {2}" },
	[ET_WARN_SHARED_FILE] = { FIRST, CAUSE_OWN, false, NULL },
	[ET_WARN_NOT_SCOUTED] = { OF_FILES, CAUSE_OWN, false,
		"{1}, so files that the commands share may spoil pairs; if they share any: --order "
		"random" },
	[ET_WARN_SIDE_BY_SIDE_ONLY] = { USUAL, CAUSE_OWN, false,
		"the two differ in {0}: the verdict holds side by side only; use --order auto" },
	[ET_WARN_SIDE_BY_SIDE_DIFFERS] = { USUAL, CAUSE_OWN, false,
		"the pairs say {0}, the runs alone {1}{2:; no difference is claimed unless both "
		"show one|, as happens by chance in 1 of {3} comparisons; the interval is wider "
		"because of it}" },
	[ET_WARN_MEAN_DISAGREES] = { USUAL, CAUSE_OWN, false,
		"by the mean it is {0:smaller|larger}, by {1}: a few runs outweigh the others; "
		"look at them: etalon show -v" },
	[ET_WARN_RESUMED_ELSEWHERE] = { FIRST, CAUSE_OWN, false,
		"resumed on another kernel or CPU ({0}, {1}); start a new experiment" },
	[ET_WARN_SECOND_CHECK] = { USUAL, CAUSE_OWN, false, NULL },
	[ET_WARN_ENVIRONMENT_CHANGED] = { USUAL, CAUSE_OWN, false,
		"during the runs {0}{1: and {2} more {2:change|changes}|}; repeat them" },
	[ET_WARN_CUTOFFS_OTHER_MACHINE] = { USUAL, CAUSE_CUTOFFS, false,
		"check I not done: the cutoffs of daemons are those of another machine; learn new "
		"ones: etalon daemons learn" },
	[ET_WARN_CUTOFFS_OTHER_KERNEL] = { FIRST, CAUSE_CUTOFFS, false,
		"check I not done: the cutoffs of daemons are those of another kernel ({0}); learn "
		"new ones: etalon daemons learn" },
	[ET_WARN_CUTOFFS_OLD] = { FIRST, CAUSE_CUTOFFS, false,
		"check I not done: the cutoffs of daemons are {0} days old; learn new ones: etalon "
		"daemons learn" },
	[ET_WARN_CUTOFFS_MISFIT] = { FIRST, CAUSE_CUTOFFS, false,
		"check I not done: the cutoffs of daemons were learned {0}; learn new ones: etalon "
		"daemons learn" },
	[ET_WARN_FIRST_CHECK_DONE] = { OF_EMP, CAUSE_OWN, false, NULL },
	[ET_WARN_FIRST_CHECK_UNFIT] = { OF_EMP, CAUSE_CUTOFFS, false, NULL },
	[ET_WARN_FIRST_CHECK_NOT_DONE] = { OF_EMP, CAUSE_CUTOFFS, false, NULL },
	[ET_WARN_FIRST_CHECK_WITHDRAWN] = { FIRST, CAUSE_OWN, false,
		"check I withdrawn, as {0} of {1} samples exceed a cutoff; see etalon daemons "
		"show, or learn again: etalon daemons learn" },
};

/* One note, made of the warnings of one cause. */
struct note {
	const struct et_warning *shown; /* that of the first rank, or else the first */
	struct et_warning_arg args[ET_WARNING_ARGS];
	char *text;     /* instead of that of the warning, or NULL */
	bool *commands; /* which commands it is about */
	size_t n;       /* how many they are; 0: the experiment */
};

struct notes {
	const struct et_judgement *judgement;
	struct note *list;
	size_t n, cap;
};

static double share_of_elapsed(const struct et_judgement *j, const struct et_warning_arg *a)
{
	double elapsed = j->commands[0].estimate[ET_METRIC_ELAPSED].mean;

	return a->kind == ET_ARG_VALUE ? a->number / elapsed : a->number;
}

/* Check I was not done though daemons were learned here, and their processes recorded. */
static bool learned_in_vain(const struct et_warning *w)
{
	return w->code == ET_WARN_FIRST_CHECK_UNFIT ||
	       (w->code == ET_WARN_FIRST_CHECK_NOT_DONE && w->args[0].number == 0 &&
		       w->args[1].number == 0);
}

static bool matters(const struct et_judgement *j, const struct et_warning *w)
{
	const double least = 0.1;
	enum et_metric judged = et_result_metric(&j->commands[0]);

	switch (rules[w->code].rank) {
	case NEVER:
	case OF_STATES:
		return false;
	case OF_ELAPSED:
		return judged == ET_METRIC_ELAPSED && share_of_elapsed(j, &w->args[0]) >= least;
	case OF_UNTIL:
		return w->args[4].number != 0;
	case OF_CPU:
		return judged == ET_METRIC_CPU;
	case OF_FILES: /* with --no-scout the user knows */
		return w->args[0].number == 0;
	case OF_DRIFT:
		return w->args[2].number != 0 || w->args[3].number != 0;
	case OF_EMP:
		return (j->choice.protocol == ET_PROTOCOL_EMP || learned_in_vain(w)) &&
		       !j->steps; /* a step has it */
	default:
		return true;
	}
}

static struct note *note_about(struct notes *all, const struct et_warning *w)
{
	enum cause cause = rules[w->code].cause;

	for (size_t i = 0; i < all->n; i++) {
		enum et_warning_code code = all->list[i].shown->code;
		if (code == w->code || (cause != CAUSE_OWN && rules[code].cause == cause))
			return &all->list[i];
	}
	ET_GROW(all->list, all->n, all->cap);
	struct note *added = &all->list[all->n++];
	*added = (struct note){ .commands = et_calloc(
					all->judgement->n_commands, sizeof(*added->commands)) };
	return added;
}

/* The probe has found the cause of a drift: the machine's speed changed. */
static bool is_explained(const struct et_judgement *j, const struct et_warning *w, long command)
{
	return w->code == ET_WARN_DRIFT && command >= 0 && j->commands[command].states.slow;
}

/* Merges a warning about a command (-1: the experiment) into the note of its cause. */
static void add(struct notes *all, const struct et_warning *w, long command)
{
	if (!matters(all->judgement, w) || is_explained(all->judgement, w, command))
		return;
	struct note *note = note_about(all, w);
	const struct rule *rule = &rules[w->code];
	bool same = note->shown && note->shown->code == w->code;

	if (!note->shown || (rule->rank == FIRST && rules[note->shown->code].rank != FIRST)) {
		note->shown = w;
		memcpy(note->args, w->args, sizeof(note->args));
	} else if (same && rule->adds_up) {
		for (size_t i = 0; i < ET_WARNING_ARGS; i++)
			note->args[i].number +=
				w->args[i].kind == ET_ARG_COUNT ? w->args[i].number : 0;
	} else if (same && w->args[0].number > note->args[0].number) {
		memcpy(note->args, w->args, sizeof(note->args)); /* the worst of them */
	}
	if (command >= 0 && !note->commands[command]) {
		note->commands[command] = true;
		note->n++;
	}
}

static void add_all(struct notes *all, const struct et_warnings *w, long command)
{
	for (size_t i = 0; i < w->n; i++)
		add(all, &w->list[i], command);
}

static void collect(struct notes *all)
{
	const struct et_judgement *j = all->judgement;

	for (size_t i = 0; i < j->n_commands; i++) {
		add_all(all, &et_result_estimate(&j->commands[i])->warnings, (long)i);
		add_all(all, &j->commands[i].warnings, (long)i);
	}
	for (size_t i = 0; i < j->n_contrasts; i++)
		add_all(all, &j->contrasts[i].warnings,
			j->n_contrasts > 1 ? (long)j->contrasts[i].b : -1);
	add_all(all, &j->warnings, -1);
}

/* "the machine changed its speed: 46.1 ms when fast (9 runs), 62.8 ms when slow (21 runs)". */
static char *states_text(const struct et_command_result *r)
{
	enum { DIGITS = 3 };
	const struct et_states *s = &r->states;

	char *text = et_asprintf(
		"the machine changed its speed: %s when fast (%zu run%s), %s when slow (%zu "
		"run%s)",
		et_format_rounded(s->fast_mean, DIGITS, ET_BUF), s->fast, s->fast == 1 ? "" : "s",
		et_format_rounded(s->slow_mean, DIGITS, ET_BUF), s->slow, s->slow == 1 ? "" : "s");
	if (r->full_speed.n)
		et_append(&text, "; ", "at full speed it takes %s, by the probe",
			et_format_measured(
				r->full_speed.mean, r->full_speed.expanded_uncertainty, ET_BUF));
	return text;
}

/* Virtual machines nearly always have two speeds; from here on another time would be the answer. */
static const double other_speed = 1.35;

/* Says that the machine had two speeds: with the times, or for several commands with counts. */
static void add_states(struct notes *all)
{
	static const struct et_warning speed = { .code = ET_WARN_SLOW_MACHINE };
	const struct et_judgement *j = all->judgement;
	size_t slow = 0, runs = 0;
	double most = 0;

	for (size_t i = 0; i < j->n_commands; i++) {
		const struct et_states *s = &j->commands[i].states;
		if (s->slow && s->fast)
			most = fmax(most, s->slow_mean / s->fast_mean);
		slow += j->commands[i].states.slow;
		runs += j->commands[i].states.slow + j->commands[i].states.fast;
	}
	if (!(most >= other_speed))
		return;
	struct note *note = note_about(all, &speed);
	note->shown = &speed;
	note->n = 0; /* it is about the experiment */
	note->text = j->n_commands == 1
			     ? states_text(&j->commands[0])
			     : et_asprintf("the machine was slow in %zu of %zu runs; %s: --pace",
				       slow, runs,
				       j->n_contrasts ? "the verdicts allow for it. For times at "
							"full speed"
						      : "for times at full speed");
}

/* " ([2], [4])": the commands that a note is about, unless it is about all of them. */
static char *about(const struct et_judgement *j, const struct note *note)
{
	enum { MOST = 4 };
	char *list = NULL;

	if (!note->n || note->n == j->n_commands)
		return et_strdup("");
	if (note->n > MOST)
		return et_asprintf(" (%zu of %zu commands)", note->n, j->n_commands);
	for (size_t i = 0; i < j->n_commands; i++) {
		ET_AUTO_FREE char *name = et_summary_name(j, i);
		if (note->commands[i])
			et_append(&list, ", ", "%s", name);
	}
	char *text = et_asprintf(" (%s)", list);
	free(list);
	return text;
}

static char *paragraph(
	const struct et_judgement *j, const struct note *note, const struct et_page *page)
{
	struct et_warning w = { .code = note->shown->code };
	struct et_memstream stream;
	struct et_page here = *page;

	memcpy(w.args, note->args, sizeof(w.args));
	ET_AUTO_FREE char *which = about(j, note);
	ET_AUTO_FREE char *lead = et_asprintf("note%s:", which);
	ET_AUTO_FREE char *text =
		note->text ? et_strdup(note->text) : et_warning_text_as(&w, rules[w.code].text);
	here.out = et_memstream_open(&stream);
	et_page_paragraph(&here, 2, lead, YELLOW, text, NULL);
	return et_memstream_close(&stream);
}

enum { TURNS = 3 };

/* The notes of the first turn are printed first, and those of one turn in the order they came. */
static int turn_of(enum rank rank)
{
	return (rank >= USUAL) + (rank >= LATER);
}

size_t et_notes(const struct et_judgement *j, const struct et_page *page, size_t lines)
{
	struct notes all = { .judgement = j };
	size_t left = 0;

	if (j->n_commands) {
		collect(&all);
		add_states(&all);
	}
	for (int turn = 0; turn < TURNS; turn++) {
		for (size_t i = 0; i < all.n; i++) {
			enum rank rank = rules[all.list[i].shown->code].rank;
			if (turn_of(rank) != turn)
				continue;
			ET_AUTO_FREE char *text = paragraph(j, &all.list[i], page);
			size_t needed = et_text_lines(text);
			/* Without this one the verdict misleads; its length is the user's. */
			bool must = rank == OF_DRIFT;
			if (!must && (left || needed > lines)) {
				left++;
				continue;
			}
			fputs(text, page->out);
			lines -= must ? 0 : needed;
		}
	}
	for (size_t i = 0; i < all.n; i++) {
		free(all.list[i].commands);
		free(all.list[i].text);
	}
	free(all.list);
	return left;
}
