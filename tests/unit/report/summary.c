/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The short text of a result: how many lines it has, how names fit, which notes it prints. */
#include "base/parse.h"
#include "draw/terminal.h"
#include "fixture.h"
#include "report/pair.h"
#include "report/text.h"
#include "tap.h"

#include <locale.h>

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static int widest_line(const char *text)
{
	int widest = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");
		ET_AUTO_FREE char *line = et_strndup(text, n);
		int columns = et_columns(line);
		widest = columns > widest ? columns : widest;
		text += n + (text[n] == '\n');
	}
	return widest;
}

static char *print(const struct et_experiment *e, const struct et_judgement *j,
	struct et_text_options o, size_t *left)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	*left = et_text_result(e, j, &o, f);
	fclose(f);
	return text;
}

/* --- names --- */

static void check_names(int width, const char *const *names, size_t n, const char *const *want)
{
	char **fitted = et_names_fit(names, n, width);

	for (size_t i = 0; i < n; i++)
		is_str(fitted[i], want[i], "names: %d columns, name %zu", width, i);
	et_strv_free(fitted);
}

static void names(void)
{
	static const char *const levels[] = { "env A_LONG_VARIABLE=some/value gzip -c -1 data",
		"env A_LONG_VARIABLE=some/value gzip -c -9 data" };
	static const char *const files[] = { "sort /usr/share/dict/american-english",
		"sort /usr/share/dict/british-english", "ls" };
	static const char *const wide[] = { "日本語日本語 x 日本語", "日本語日本語 y 日本語" };

	check_names(60, levels, 2, levels);
	check_names(20, levels, 2,
		(const char *const[]){ "env A_LONG_…-1 data", "env A_LONG_…-9 data" });
	check_names(8, levels, 2, (const char *const[]){ "env…-1…a", "env…-9…a" });
	check_names(24, files, 3,
		(const char *const[]){
			"sort /usr/sh…can-english", "sort /usr/sh…ish-english", "ls" });
	check_names(12, wide, 2, (const char *const[]){ "日本語…x…語", "日本語…y…語" });
	for (int width = 3; width < 60; width++) {
		char **fitted = et_names_fit(levels, 2, width);
		ok(et_columns(fitted[0]) <= width && et_columns(fitted[1]) <= width,
			"names: they fit into %d columns", width);
		if (width > 4)
			ok(strcmp(fitted[0], fitted[1]) != 0,
				"names: in %d columns they still differ", width);
		et_strv_free(fitted);
	}
}

/* --- lines --- */

/* Every warning that an experiment can have, on every command and every comparison. */
static void warn_of_all(struct et_judgement *j)
{
	for (size_t i = 0; i < j->n_commands; i++) {
		struct et_warnings *w = &j->commands[i].warnings;
		et_warn(w, ET_WARN_FEW_VALUES, et_arg_count(4));
		et_warn(w, ET_WARN_DRIFT, et_arg_flag(true), et_arg_p_value(0.001));
		et_warn(w, ET_WARN_SLOW_MACHINE, et_arg_count(3), et_arg_count(10),
			et_arg_flag(true));
		et_warn(w, ET_WARN_LEFTOVERS, et_arg_count(2));
		et_warn(w, ET_WARN_TIME_LIMIT, et_arg_count(2), et_arg_count(10));
		et_warn(w, ET_WARN_UNTIL_MISSED, et_arg_share(0.01), et_arg_share(0.02),
			et_arg_count(40), et_arg_flag(true));
	}
	et_warn(&j->warnings, ET_WARN_VIRTUAL_MACHINE, et_arg_text("kvm"));
}

static void lines(void)
{
	static const struct {
		size_t n, most;
	} promised[] = { { 1, 8 }, { 2, 12 }, { 9, 26 } };
	static const int widths[] = { 80, 120 };
	const char *many[9];
	char room[9][160];
	size_t left;

	for (size_t i = 0; i < 9; i++) {
		snprintf(room[i], sizeof(room[i]),
			"env LANG=C.UTF-8 /usr/local/libexec/a-rather-long-program --level %zu "
			"--output /tmp/some/where/very/long/indeed.out",
			i + 1);
		many[i] = room[i];
	}
	for (size_t i = 0; i < ET_LENGTH(promised) * ET_LENGTH(widths); i++) {
		size_t n = promised[i / 2].n;
		int width = widths[i % 2];
		struct et_experiment *e = fixture_experiment(many, n);
		struct et_judgement j = fixture_judgement(e);
		warn_of_all(&j);
		ET_AUTO_FREE char *text =
			print(e, &j, (struct et_text_options){ .width = width }, &left);
		/* One line more says where the experiment is kept. */
		if (!ok(lines_of(text) + 1 <= promised[i / 2].most,
			    "%zu commands, %d columns: at most %zu lines with all notes", n, width,
			    promised[i / 2].most))
			printf("# %s\n", text);
		ok(left > 0 || n == 9, "%zu commands, %d columns: notes without room are counted",
			n, width);
		ok(widest_line(text) <= width, "%zu commands, %d columns: every line fits", n,
			width);
		ok(strstr(text, "note: only 4 runs") != NULL,
			"%zu commands, %d columns: the most serious note is there", n, width);
		et_judgement_free(&j);
		et_experiment_free(e);
	}
}

/* --- the table --- */

static void table(void)
{
	static const char *const two[] = { "gzip -5", "gzip -6" };
	struct et_experiment *e = fixture_experiment(two, 2);
	struct et_judgement j = fixture_judgement(e);
	size_t left;

	ET_AUTO_FREE char *plain = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	is_str(plain,
		"              CPU time        range          elapsed         runs\n"
		"[1]  gzip -5  412.3 ms ± 1.2  411.1 … 413.5  431.0 ms ± 3.4  4 of 5 (daemons)\n"
		"[2]  gzip -6  420.9 ms ± 1.2  419.7 … 422.1  439.0 ms ± 3.4  4 of 5 (daemons)\n"
		"\n"
		"[2] is slower than [1] by 2.1 % (1.8 … 2.4)    CPU time, 30 pairs, 95 %\n",
		"two commands: a table and a verdict, and no note on a clean run");
	ET_AUTO_FREE char *narrow = print(e, &j, (struct et_text_options){ .width = 60 }, &left);
	ok(strstr(narrow, "4 of 5\nremoved: 2 of 10 runs (daemons)\n") && widest_line(narrow) <= 60,
		"two commands: why runs were removed is below a table that has no room for it");
	sample_of(&e->commands[1], 3)->ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	sample_of(&e->commands[1], 4)->ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	ET_AUTO_FREE char *slow = print(e, &j, (struct et_text_options){ .width = 100 }, &left);
	ok(strstr(slow, "  2 of 5 (machine slow …)\n") != NULL,
		"two commands: of several causes the one that removed most runs is printed");
	sample_of(&e->commands[1], 3)->ruling.removal.by = ET_KEPT;
	sample_of(&e->commands[1], 4)->ruling.removal.by = ET_KEPT;
	ET_AUTO_FREE char *seconds = print(
		e, &j, (struct et_text_options){ .width = 80, .unit = ET_TIME_UNIT_SECOND }, &left);
	ok(strstr(seconds, "0.4123 s ± 0.0012") && strstr(seconds, "0.4111 … 0.4135"),
		"two commands: a chosen unit is that of all figures");
	free(e->commands[0].name);
	free(e->commands[1].name);
	e->commands[0].name = et_strdup("old");
	e->commands[1].name = et_strdup("new");
	ET_AUTO_FREE char *named = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(named, "new is slower than old by 2.1 %") != NULL,
		"two commands: names that the user gave are in the verdict");
	free(e->commands[0].name);
	e->commands[0].name = et_strdup(e->commands[0].text);
	ET_AUTO_FREE char *mixed = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(mixed, "[2] is slower than [1] by 2.1 %") != NULL,
		"two commands: if one has no name, the verdict has both numbers");
	free(e->commands[0].name);
	e->commands[0].name = et_strdup("old");
	j.metric = (struct et_metric_choice){
		.metric = ET_METRIC_CPU, .reason = ET_METRIC_PARALLEL, .command = 1, .amount = 1.93
	};
	struct et_ratio same = { j.contrasts[0].ratio, j.contrasts[0].lo, j.contrasts[0].hi, "t" };
	j.contrasts[0].alone = same;
	j.contrasts[0].side_by_side = same;
	ET_AUTO_FREE char *alike = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(alike, "side by side") == NULL,
		"two commands: the ratio side by side is not repeated if it is the same");
	j.contrasts[0].side_by_side.estimate -= 0.002;
	ET_AUTO_FREE char *beside = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(beside, "2.1 % (1.8 … 2.4)") && !strstr(beside, "side by side"),
		"two commands: there is one answer, that of the programs alone");
	ET_AUTO_FREE char *all =
		print(e, &j, (struct et_text_options){ .width = 80, .verbose = true }, &left);
	ok(strstr(all, "side by side; alone") != NULL,
		"two commands: the ratio side by side is among the details");
	j.contrasts[0].side_by_side = j.contrasts[0].alone = ET_NO_RATIO;
	j.second = et_calloc(1, sizeof(*j.second));
	j.second[0] = j.contrasts[0];
	j.second[0].warnings = (struct et_warnings){ 0 };
	j.second[0].metric = ET_METRIC_ELAPSED;
	j.second[0].conclusion = ET_CONCLUDED_SAME;
	j.second[0].lo = 0.99;
	j.second[0].significant = false;
	ET_AUTO_FREE char *vague = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(vague, "elapsed time, 30 pairs") == NULL,
		"two commands: a time that shows nothing and contradicts nothing is not printed");
	j.second[0].hi = 1.01;
	ET_AUTO_FREE char *both = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	if (!ok(strstr(both, "CPU time (new keeps 1.9 CPUs busy), 30 pairs, 95 %") &&
			    strstr(both, "\nbut by elapsed time: no difference shown between new "
					 "and old (-1.0 % … +1.0 %)\n  elapsed time, 30 pairs, 95 "
					 "%"),
		    "two commands: verdicts that differ by time are both printed, with the reason"))
		printf("# %s\n", both);
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* A command of 128 KiB is a column of that width in a pipe, in every line of the table. */
static void huge_name(void)
{
	ET_AUTO_FREE char *huge = et_calloc(131072, 1);
	const char *const two[] = { "short", huge };
	size_t left;

	memset(huge, 'x', 131071);
	struct et_experiment *e = fixture_experiment(two, 2);
	struct et_judgement j = fixture_judgement(e);
	ET_AUTO_FREE char *text =
		print(e, &j, (struct et_text_options){ .width = 80, .full_names = true }, &left);
	ok(widest_line(text) < 1200, "a huge name: even in a pipe it is cut to 1000 columns: %d",
		widest_line(text));
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* A ratio that is not that of the printed means says so. */
static void corrected(void)
{
	struct et_contrast c = { .unit = ET_UNIT_NS,
		.ratio = 1.012,
		.lo = 1.004,
		.hi = 1.02,
		.ratio_method = "probe-corrected",
		.significant = true,
		.conclusion = ET_CONCLUDED_SLOWER };

	ET_AUTO_FREE char *slower = et_conclusion_text(&c);
	is_str(slower, "slower by 1.2 % (0.4 … 2.0) after correction for the machine's speed",
		"corrected by the probe: a difference");
	c.lo = 0.996;
	c.significant = false;
	c.conclusion = ET_CONCLUDED_SAME;
	ET_AUTO_FREE char *same = et_conclusion_text(&c);
	is_str(same,
		"no difference shown after correction for the machine's speed (between -0.4 % and "
		"+2.0 %)",
		"corrected by the probe: no difference");
}

/* Five commands, the third of them the fastest. */
static void many(void)
{
	static const char *const five[] = { "a", "b", "c", "d", "e" };
	struct et_experiment *e = fixture_experiment(five, 5);
	struct et_judgement j = fixture_judgement(e);
	size_t left;

	j.commands[2].estimate[ET_METRIC_CPU] = fixture_estimate(206e6, 1.2e6);
	j.contrasts[1].ratio = 0.5;
	j.contrasts[1].lo = 0.49;
	j.contrasts[1].hi = 0.51;
	j.contrasts[1].conclusion = ET_CONCLUDED_FASTER;
	j.contrasts[3].significant = false;
	j.contrasts[3].conclusion = ET_CONCLUDED_SAME;
	ET_AUTO_FREE char *text = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(lines_of(text) == 10,
		"five commands: a line for each, the heading, the causes, the answer and the "
		"legend");
	ok(strstr(text, "\n[3] is the fastest\n"), "five commands: one line names the fastest");
	ok(strstr(text, "CPU time") < strstr(text, "\n[3]  c") &&
			strstr(text, "\n[3]  c") < strstr(text, "\n[1]  a") &&
			strstr(text, "\n[1]  a") < strstr(text, "\n[5]  e"),
		"five commands: the fastest is first");
	ok(strstr(text, "0.500 (0.490 … 0.510)") && strstr(text, "1.021 (1.018 … 1.024) ?") &&
			strstr(text,
				"ratio to [1]: CPU time, 30 pairs, 95 %; ?: no difference shown"),
		"five commands: the ratios are in the table, and the legend explains them");
	ok(strstr(text, "█") != NULL, "five commands: there are bars");
	ET_AUTO_FREE char *given = print(
		e, &j, (struct et_text_options){ .width = 80, .sort = ET_SORT_COMMAND }, &left);
	ok(strstr(given, "\n[1]  a") < strstr(given, "\n[3]  c"), "five commands: --sort command");
	ET_AUTO_FREE char *narrow = print(e, &j, (struct et_text_options){ .width = 50 }, &left);
	ok(widest_line(narrow) <= 50 && strstr(narrow, "0.500"),
		"five commands: in 50 columns the ratios are still there");
	ET_AUTO_FREE char *thin = print(e, &j, (struct et_text_options){ .width = 40 }, &left);
	ok(widest_line(thin) <= 40 && strstr(thin, "0.500\n") && strstr(thin, "1.021 ?\n") &&
			strstr(thin, "ratio to [1]: "),
		"five commands: in 40 columns the ratios are there without their intervals");
	j.contrasts[0].lo = 0.505;
	j.contrasts[0].conclusion = ET_CONCLUDED_SAME_BY_HOLM;
	ET_AUTO_FREE char *doubted = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(doubted, "\n[2] or [3] is the fastest\n"),
		"five commands: two whose intervals overlap may both be the fastest");
	j.contrasts[0].conclusion = j.contrasts[1].conclusion = ET_CONCLUDED_SLOWER;
	j.contrasts[0].lo = j.contrasts[1].lo = 1;
	ET_AUTO_FREE char *slower = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(slower, "\n[1] or [5] is the fastest\n"),
		"five commands: one that is slower is not the fastest, where its interval ends at "
		"1");
	j.contrasts[1].hi = NAN;
	ET_AUTO_FREE char *unknown = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(!strstr(unknown, "fastest"), "five commands: without an interval nothing is claimed");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Commands are numbered in brackets: "ratio to 1" could be read as a figure. */
static void numbers(void)
{
	static const char *const letters[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
	const struct et_text_options given = { .width = 80, .sort = ET_SORT_COMMAND };
	char number[ET_FIGURE];
	size_t left;

	is_str(et_name_by_number(0, number), "[1]", "numbers: they begin with 1");
	is_str(et_name_by_number(9999, number), "[10000]", "numbers: of any length");
	struct et_experiment *e = fixture_experiment(letters, 10);
	struct et_judgement j = fixture_judgement(e);
	ET_AUTO_FREE char *ten = print(e, &j, given, &left);
	ok(strstr(ten, "\n [1]  a  ") && strstr(ten, "\n [9]  i  ") && strstr(ten, "\n[10]  j  "),
		"numbers: those of ten commands are aligned");
	et_judgement_free(&j);
	et_experiment_free(e);
	e = fixture_experiment(letters, 2);
	j = fixture_judgement(e);
	j.commands[1].second_check = (struct et_second_check){ 1, 416e6, 412.3e6, -0.0089 };
	ET_AUTO_FREE char *two = print(e, &j, given, &left);
	ok(strstr(two, "\ntwo-sigma removed 1 run of [2]: mean ") != NULL,
		"numbers: the command of which the second check removed runs");
	j.metric = (struct et_metric_choice){
		.metric = ET_METRIC_CPU, .reason = ET_METRIC_PARALLEL, .command = 1, .amount = 1.93
	};
	ET_AUTO_FREE char *busy = print(e, &j, given, &left);
	ok(strstr(busy, "CPU time ([2] keeps 1.9 CPUs busy), 30 pairs") != NULL,
		"numbers: the command that decides which time is judged");
	et_judgement_free(&j);
	et_experiment_free(e);
	e = fixture_experiment(letters, 1);
	j = fixture_judgement(e);
	ET_AUTO_FREE char *one = print(e, &j, given, &left);
	ok(strchr(one, '[') == NULL, "numbers: a single command has none");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* --- notes --- */

static void notes(void)
{
	static const char *const three[] = { "a", "b", "c" };
	struct et_experiment *e = fixture_experiment(three, 3);
	struct et_judgement j = fixture_judgement(e);
	size_t left;

	et_warn(&j.warnings, ET_WARN_VIRTUAL_MACHINE, et_arg_text("kvm"));
	et_warn(&j.warnings, ET_WARN_NO_NET_ADMIN);
	et_warn(&j.commands[0].warnings, ET_WARN_WAITED_FOR_CPU, et_arg_share(0.5),
		et_arg_text("cc1"), et_arg_flag(false), et_arg_text("etalon trace -- sort data"));
	et_warn(&j.commands[1].warnings, ET_WARN_STOPPED, et_arg_count(3));
	et_warn(&j.commands[2].warnings, ET_WARN_STOPPED, et_arg_count(4));
	ET_AUTO_FREE char *text = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	if (!ok(strstr(text, "\nnote ([2], [3]): a signal stopped the program in 7 runs, ") != NULL,
		    "notes: one for two commands, with the sums of their counts"))
		printf("# %s\n", text);
	ok(!strstr(text, "virtual") && !strstr(text, "CAP_NET_ADMIN") && !strstr(text, "cc1"),
		"notes: none about the machine's limits, nor about elapsed time if CPU time is "
		"judged");
	ET_AUTO_FREE char *silent =
		print(e, &j, (struct et_text_options){ .width = 80, .quiet = true }, &left);
	ok(!strstr(silent, "note") && left == 0, "notes: none with --quiet");
	ET_AUTO_FREE char *whole =
		print(e, &j, (struct et_text_options){ .width = 80, .verbose = true }, &left);
	ok(strstr(whole, "virtual") && strstr(whole, "CAP_NET_ADMIN") && strstr(whole, "cc1"),
		"notes: verbose text has all warnings");
	for (size_t i = 0; i < 3; i++)
		j.commands[i].metric = ET_METRIC_ELAPSED;
	ET_AUTO_FREE char *elapsed = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(elapsed, "note ([1]): others used its CPU for 50 % of the elapsed time") != NULL,
		"notes: waiting for others if elapsed time is judged");
	ok(strstr(elapsed, "see: etalon trace --") != NULL && strstr(elapsed, "sort data") != NULL,
		"notes: the command that shows who used the CPU can be copied");
	j.commands[0].warnings.list[0].args[0].number = 0.09;
	ET_AUTO_FREE char *little = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(!strstr(little, "others used"), "notes: less than a tenth of the time is none");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Commands that ran one after the other: a note where the machine changed, with what would decide.
 */
static void sequence(void)
{
	static const char *const names[] = { "a", "b", "c" };
	struct et_experiment *e = fixture_experiment(names, 3);
	struct et_judgement j = fixture_judgement(e);
	size_t left;

	for (size_t i = 0; i < j.n_contrasts; i++)
		et_warn(&j.contrasts[i].warnings, ET_WARN_SEQUENTIAL_ORDER, et_arg_share(0.002),
			et_arg_flag(true), et_arg_flag(false), et_arg_flag(false),
			et_arg_text("etalon run a b c"));
	ET_AUTO_FREE char *steady = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(!strstr(steady, "looks like a difference"),
		"sequence: no note where the machine stayed the same");
	j.contrasts[1].warnings.list[0].args[0].number = 0.12;
	j.contrasts[1].warnings.list[0].args[2].number = 1;
	ET_AUTO_FREE char *moved = print(e, &j, (struct et_text_options){ .width = 200 }, &left);
	if (!ok(strstr(moved,
			"\nnote ([3]): the machine was 12 % slower than for the reference, which "
			"looks like a difference; to decide: etalon run a b c\n") != NULL,
		    "sequence: a note names the command, the change, and the run that decides"))
		printf("# %s\n", moved);
	warn_of_all(&j);
	ET_AUTO_FREE char *full = print(e, &j, (struct et_text_options){ .width = 20 }, &left);
	ok(left > 0 && strstr(full, "to decide:"),
		"sequence: the note is there where others have no room");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Whether check I was done is a note of emp; that a learning was of no use, of every protocol. */
static void first_check_notes(void)
{
	static const char *const one[] = { "a" };
	struct et_experiment *e = fixture_experiment(one, 1);
	struct et_judgement j = fixture_judgement(e);
	size_t left;

	et_warn(&j.warnings, ET_WARN_FIRST_CHECK_DONE, et_arg_count(12), et_arg_text("2026-11-16"),
		et_arg_flag(false), et_arg_count(1));
	j.choice.protocol = ET_PROTOCOL_CAUSE;
	ET_AUTO_FREE char *usual = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(!strstr(usual, "check I") && left == 0, "notes: none about check I by default");
	ET_AUTO_FREE char *whole =
		print(e, &j, (struct et_text_options){ .width = 80, .verbose = true }, &left);
	ok(strstr(whole, "check I: 12 cutoffs learned 2026-11-16, removed 1") != NULL,
		"notes: verbose text has the learning of check I");
	j.choice.protocol = ET_PROTOCOL_EMP;
	ET_AUTO_FREE char *emp = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(emp, "\nnote: check I: 12 cutoffs learned 2026-11-16, removed 1\n") != NULL,
		"notes: with emp one line says that check I was done, and with what learning");
	et_warn(&j.warnings, ET_WARN_FIRST_CHECK_NOT_DONE, et_arg_flag(true), et_arg_flag(false),
		et_arg_flag(true));
	ET_AUTO_FREE char *not = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(not, "\nnote: check I not done: nothing was learned here; run etalon daemons "
		       "learn\n") != NULL,
		"notes: with emp one line says that check I was not done, and what to do");
	j.choice.protocol = ET_PROTOCOL_CAUSE;
	ET_AUTO_FREE char *never = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(!strstr(never, "check I"), "notes: none by default if nothing was ever learned");
	et_warn(&j.warnings, ET_WARN_CUTOFFS_OTHER_MACHINE);
	ET_AUTO_FREE char *moved = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(moved, "\nnote: check I not done: the cutoffs of daemons are those of another") !=
			NULL,
		"notes: a learning of another machine is a note by default");
	et_warnings_free(&j.warnings);
	et_warn(&j.warnings, ET_WARN_FIRST_CHECK_NOT_DONE, et_arg_flag(false), et_arg_flag(true),
		et_arg_flag(false));
	ET_AUTO_FREE char *blind = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(!strstr(blind, "checked"), "notes: none by default if no processes were recorded");
	et_warnings_free(&j.warnings);
	et_warn(&j.warnings, ET_WARN_FIRST_CHECK_NOT_DONE, et_arg_flag(false), et_arg_flag(false),
		et_arg_flag(false));
	ET_AUTO_FREE char *length = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(length,
		   "\nnote: daemons were not checked: the program takes much longer than what") !=
			NULL,
		"notes: a learning with much shorter samples is a note by default");
	et_warn(&j.warnings, ET_WARN_FIRST_CHECK_WITHDRAWN, et_arg_count(9), et_arg_count(10));
	ET_AUTO_FREE char *back = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(back, "\nnote: check I withdrawn, as 9 of 10 samples exceed a cutoff;") != NULL,
		"notes: a check I that was withdrawn is a note by default as well");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* --- other protocols --- */

static void headlines(void)
{
	static const char *const one[] = { "a" };
	struct et_experiment *e = fixture_experiment(one, 1);
	struct et_judgement j = fixture_judgement(e);
	size_t left;

	j.commands[0].kbest = (struct et_kbest_result){
		.k = 3, .n = 35, .best = 411.5e6, .spread = 0.0021, .converged = true
	};
	ET_AUTO_FREE char *kbest = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(kbest, "fastest CPU time  3 within") && strstr(kbest, "411.5 ms") &&
			strstr(kbest, "0.21 %"),
		"K-best: the fastest run, and how near the others are");
	j.commands[0].kbest = (struct et_kbest_result){ 0 };
	j.commands[0].paced =
		(struct et_paced){ .n = 30, .mean = 400e6, .expanded_uncertainty = 2e6 };
	ET_AUTO_FREE char *paced = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(paced, "CPU time at full speed") && strstr(paced, "400.0 ms ± 2.0") &&
			strstr(paced, "412.3 ms ± 1.2") && !strstr(paced, "431"),
		"paced: the time at full speed first, then the CPU time, no elapsed time");
	j.commands[0].paced = (struct et_paced){ .n = 5, .why = "too few" };
	ET_AUTO_FREE char *few = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(few, "at full speed not known: too few\n") != NULL, "paced: why it is not known");
	j.commands[0].paced = (struct et_paced){ 0 };
	j.commands[0].states = (struct et_states){ 9, 21, 46.12e6, 62.8e6 };
	j.commands[0].states.slow_mean = 55e6;
	et_warn(&j.commands[0].warnings, ET_WARN_DRIFT, et_arg_flag(true), et_arg_p_value(0.001));
	ET_AUTO_FREE char *near_by = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(near_by, "at full speed") == NULL,
		"states: there is no note about a machine that was slower by a fifth");
	ok(strstr(near_by, "from run to run") == NULL,
		"states: a drift that the machine's speed explains is no note");
	j.commands[0].states = (struct et_states){ 0 };
	ET_AUTO_FREE char *drifts = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(drifts, "the times rise from run to run") != NULL,
		"states: a drift that nothing explains is a note");
	et_warnings_free(&j.commands[0].warnings);
	j.commands[0].states = (struct et_states){ 9, 21, 46.12e6, 62.8e6 };
	j.commands[0].states.slow_mean = 62.8e6;
	j.commands[0].second_check = (struct et_second_check){ 2, 416e6, 412.3e6, -0.0089 };
	ET_AUTO_FREE char *states = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ET_AUTO_FREE char *wide = print(e, &j, (struct et_text_options){ .width = 120 }, &left);
	ok(strstr(wide,
		   "\nnote: the machine changed its speed: 46.1 ms when fast (9 runs), 62.8 ms "
		   "when slow (21 runs)\n") != NULL,
		"states: the times at full speed and when slowed");
	ok(strstr(states,
		   "\ntwo-sigma removed 2 runs: mean 416.0 before, 412.3 ms after, -0.89 %\n") !=
			NULL,
		"emp: what the second check did to the mean");
	e->plan.until_ratio = 0.01;
	ET_AUTO_FREE char *until = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(until, "\nreached ± 0.29 % of the mean, wanted ± 1.0 %\n") != NULL,
		"--until: what was reached, and what was wanted");
	j.metric = (struct et_metric_choice){
		.metric = ET_METRIC_ELAPSED, .reason = ET_METRIC_WAITS, .amount = 0.98
	};
	j.commands[0].metric = ET_METRIC_ELAPSED;
	ET_AUTO_FREE char *waits = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(waits, "judged by elapsed time, because it sleeps or waits for 98 % of it\n") &&
			strstr(waits, "elapsed ") < strstr(waits, "CPU time"),
		"elapsed time: the first column, and why");
	j.metric.reason = ET_METRIC_WANTS_CPUS;
	j.metric.amount = 1.6;
	ET_AUTO_FREE char *tasks = print(e, &j, (struct et_text_options){ .width = 80 }, &left);
	ok(strstr(tasks, "judged by elapsed time, because it runs 1.6 tasks at once\n") != NULL,
		"elapsed time: a program whose tasks had to wait for CPUs, and why");
	ok(!strstr(tasks, "if they were free"), "elapsed time: the reason has no condition");
	et_judgement_free(&j);
	et_experiment_free(e);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	names();
	lines();
	sequence();
	table();
	huge_name();
	corrected();
	many();
	numbers();
	notes();
	first_check_notes();
	headlines();
	return tap_done();
}
