/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment that a command line of `run` makes: commands, names, the reference, and bounds. */
#include "app/run/options.h"
#include "app/run/run.h"
#include "base/base.h"
#include "base/parse.h"
#include "tap.h"

static struct et_error err;
static struct et_experiment *e;

/* Makes the experiment of a command line, whose words are split as a shell does. */
static int make(const char *line, bool like_hyperfine)
{
	struct et_run_options o;
	struct et_operands ops;
	char **words = NULL;

	et_experiment_free(e);
	e = NULL;
	memset(&err, 0, sizeof(err));
	if (et_split_words(line, &words, &err))
		tap_bail("%s", err.what);
	et_run_options_init(&o);
	o.like_hyperfine = like_hyperfine;
	const struct et_option_table tables[] = {
		{ .rows = et_run_options, .ctx = &o, .given = &o.given },
		{ .rows = et_child_options, .ctx = &o, .given = &o.given }, { 0 }
	};
	int rc = et_options_parse(tables, (int)et_strv_length(words), words, &ops, &err);
	if (rc == 0) {
		if (like_hyperfine)
			et_run_options_add_reference(&o, &ops);
		else
			rc = et_cli_check_relations(&et_verb_run, NULL, &ops, &err);
		if (rc == 0)
			rc = et_run_options_finish(&o, &ops, &e, &err);
		et_operands_free(&ops);
	}
	et_run_options_free(&o);
	et_strv_free(words);
	return rc;
}

/* The commands' names, joined by "|". */
static void is_named(const char *line, bool like_hyperfine, const char *want)
{
	ET_AUTO_FREE char *names = NULL;

	if (make(line, like_hyperfine))
		printf("# %s\n", err.what);
	for (size_t i = 0; e && i < e->n_commands; i++)
		et_append(&names, "|", "%s", e->commands[i].name);
	is_str(names, want, "names: %s %s", like_hyperfine ? "hyperfine" : "run", line + 4);
}

static void refuses(const char *line, const char *what)
{
	int rc = make(line, false);

	if (!ok(rc < 0 && err.exit == ET_EXIT_USAGE && strstr(err.what, what), "refused: %s", line))
		printf("# %d %s\n", rc, err.what);
}

static void names(void)
{
	is_named("run a 'b c'", false, "a|b c");
	is_named("run -- b 'c d'", false, "b 'c d'");
	is_named("run -n x a b", false, "x|b");
	is_named("run a a a", false, "a|a (2)|a (3)");
	is_named("run -n x -n 'x (2)' -n x a b c", false, "x|x (2)|x (3)");
	is_named("run -n x -n y --reference-name y a b", false, "y|y (2)");
	is_named("run -L n 1,2 'a {n}' 'b {n}'", false, "a 1|b 1|a 2|b 2");
	is_named("run -L n 1,2 -n 'x{n}' 'a {n}'", false, "x1|x2");
	is_named("run -L n 1,2 -n x -n y 'a {n}'", false, "x|y");
	is_named("run -L n 1,2 -n x -n y 'a {n}' 'b {n}'", false, "x|y|x (2)|y (2)");
	is_named("run -L n 1,2 -n x -n y 'a {n}'", true, "x|y");
	is_named("run -L n 1,2 --reference r 'a {n}'", true, "r|a 1|a 2");
	refuses("run -n x -n y a", "--command-name is given 2 times for 1 command");
	refuses("run -L n 1,2,3 -n x -n y 'a {n}'", "--command-name is given 2 times");
	ok(strstr(err.hint, "once for each command"), "names: the error says how many are right");
	refuses("run -n '' a", "a name is empty");
	refuses("run --reference-name '' a b", "the name is empty");
}

static void references(void)
{
	ok(make("run a b c", false) == 0 && e->plan.reference == 0,
		"reference: the first is usual");
	ok(make("run --reference b a b c", false) == 0 && e->plan.reference == 1,
		"reference: by name");
	ok(make("run --reference 3 a b c", false) == 0 && e->plan.reference == 2,
		"reference: by number");
	ok(make("run --reference 2 a b 2", false) == 0 && e->plan.reference == 2,
		"reference: a name has precedence over a number");
	ok(make("run --reference 2 --reference-name x a b", false) == 0 &&
			!strcmp(e->commands[1].name, "x"),
		"reference: it can have a name of its own");
	refuses("run --reference 4 a b c", "there is no command '4'");
	refuses("run --reference d a b c", "there is no command 'd'");
}

static void commands(void)
{
	ok(make("run --prepare x --cleanup y --cleanup z a b", false) == 0,
		"hooks: once for all, or once for each");
	is_str(e->commands[1].prepare, "x", "hooks: once for all");
	is_str(e->commands[1].cleanup, "z", "hooks: once for each");
	refuses("run --prepare x --prepare y a b c", "--prepare is given 2 times for 3 commands");
	ok(make("run -P n 1 3 -L m a,b 'x {n} {m}'", false) == 0 && e->n_commands == 6,
		"parameters: all combinations");
	ok(e->commands[5].n_parameters == 2 && !strcmp(e->commands[5].text, "x 3 b"),
		"parameters: each command has its values");
	ok(make("run -S sh 'a | b'", false) == 0 && !strcmp(e->commands[0].argv[0], "sh"),
		"shell: it runs the command that asks for it");
	ok(make("run 'a | b' 'c d'", true) == 0 && !strcmp(e->commands[0].argv[0], "sh") &&
			!strcmp(e->commands[1].argv[0], "c"),
		"shell: hyperfine's commands have one only if they need it");
	refuses("run 'a | b'", "needs a shell");
	refuses("run 'a {n}' -P n 1 20000", "more than 10000");
	refuses("run", "no command to measure");
	refuses("run a -- b", "not both");
	refuses("run -D 2 a", "--parameter-step-size needs --parameter-scan");
}

static void bounds(void)
{
	ok(make("run -M 5 a", false) == 0 && e->plan.min_runs == 5 && e->plan.max_runs == 5,
		"bounds: a low --max-runs moves the usual --min-runs");
	ok(make("run -m 2000000 a", false) == 0 && e->plan.max_runs == 2000000,
		"bounds: a high --min-runs moves the usual --max-runs");
	refuses("run -m 9 -M 5 a", "--min-runs 9 is above --max-runs 5");
	refuses("run -r 5 -M 5 a",
		"--runs decides the number of runs, so --max-runs has no effect");
	refuses("run -r 5 --until 1% a", "exclude each other");
	ok(make("run --until 1% -M 50 a", false) == 0 && e->plan.max_runs == 50,
		"bounds: --max-runs bounds --until");
	ok(make("run --protocol kbest a", false) == 0 && e->plan.k == 3 &&
			e->plan.max_runs == 100 && e->plan.epsilon == 0.01,
		"bounds: K-best has defaults of its own");
	refuses("run --protocol kbest -r 5 a", "--runs has no effect");
	refuses("run --protocol kbest --best 9 -M 5 a", "--best 9 is above --max-runs 5");
	refuses("run --best 5 --protocol raw a", "need --protocol kbest or auto");
	refuses("run --pace --order duet a b", "contradicts --order duet");
	refuses("run --pace --metric elapsed a", "cannot judge elapsed time");
	refuses("run --order duet --metric elapsed a b", "cannot judge elapsed time");
	refuses("run --fail-on-regression=5% a", "slower than what?");
	refuses("run --label last a", "'last' is reserved");
	refuses("run --pass-env A a", "--pass-env needs --user");
}

int main(void)
{
	names();
	references();
	commands();
	bounds();
	et_experiment_free(e);
	return tap_done();
}
