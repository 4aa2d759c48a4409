/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon hyperfine`, and etalon under that name: the command line and the runs of hyperfine 1.20.
 * It has other defaults than `run`; what else differs is in et_run_options, like_hyperfine.
 */
#include "app/run/run.h"
#include "base/parse.h"

/* hyperfine accepts --min-benchmarking-time beside --runs, and ignores it. */
static const struct et_option changed_options[] = {
	{ .name = "runs", .excludes = "until|equal" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_hyperfine = {
	.name = "hyperfine",
	.operands = "COMMAND",
	.summary = "run, with the command line of hyperfine",
	.usage = "[options] COMMAND…",
	.about = "Takes the options of hyperfine 1.20, and those of 'etalon run'. A COMMAND with "
		 "shell\n"
		 "syntax runs through sh, the others without a shell. etalon-hyperfine(1) lists "
		 "what\n"
		 "differs from hyperfine.",
	.examples = "  etalon hyperfine -r 5 'sleep 0.01'\n"
		    "  etalon hyperfine -w 1 -M 10 --export-json times.json 'sort data | uniq'\n",
	.options = et_run_options,
	.changed_options = changed_options,
	.uses_store = true,
	.child_options = et_child_options,
	.exports = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

struct typed {
	const struct et_run_options *o;
	int argc;
	char **argv;
};

/* A command of the experiment has a shell that `run` would not give it. */
static bool had_shell(const struct et_run_options *o, const struct et_experiment *e)
{
	bool had = false;

	for (size_t i = 0; i < e->n_commands && !(o->given & ET_GIVEN_SHELL); i++) {
		const struct et_command *c = &e->commands[i];
		had = had || (c->argv[0] && !strcmp(c->argv[0], "sh") && c->argv[1] &&
				     !strcmp(c->argv[1], "-c"));
	}
	return had;
}

/* The command line of `run` that compares the same commands, with their runs mixed. */
static char *comparing(const struct typed *t, const struct et_experiment *e)
{
	size_t n = 0;
	ET_AUTO_FREE char **words = et_calloc((size_t)t->argc + 4, sizeof(*words));

	words[n++] = (char *)"etalon";
	words[n++] = (char *)"run";
	if (had_shell(t->o, e)) {
		words[n++] = (char *)"--shell";
		words[n++] = (char *)"sh";
	}
	size_t first = n;
	for (int i = 1; i < t->argc; i++) {
		char *word = t->argv[i], *reference = NULL;
		if (!strcmp(word, "--reference") && i + 1 < t->argc)
			reference = t->argv[++i];
		else if (!strncmp(word, "--reference=", strlen("--reference=")))
			reference = strchr(word, '=') + 1;
		words[n++] = reference ? reference : word;
		if (!reference)
			continue;
		/* The reference of hyperfine is a command, which `run` takes as its first. */
		memmove(words + first + 1, words + first, (n - 1 - first) * sizeof(*words));
		words[first] = reference;
	}
	return et_join_words(words);
}

static void advise_by(struct et_warnings *w, const char *line)
{
	for (size_t k = 0; k < w->n; k++) {
		struct et_warning_arg *last = &w->list[k].args[ET_WARNING_ARGS - 1];
		if (w->list[k].code != ET_WARN_SEQUENTIAL_ORDER)
			continue;
		free(last->text);
		last->text = et_strdup(line);
	}
}

/* Where the machine changed from one command to the next, the warning says how to compare them. */
static void advise(void *ctx, struct et_measuring *m, struct et_judgement *j)
{
	const struct typed *t = ctx;
	ET_AUTO_FREE char *line = comparing(t, et_session_experiment(m->session));

	for (size_t i = 0; i < j->n_contrasts; i++) {
		advise_by(&j->contrasts[i].warnings, line);
		if (j->second)
			advise_by(&j->second[i].warnings, line);
	}
}

/* hyperfine has no limit, but the time of its runs; --until has none of its own. */
static void limit_runs(void *ctx, struct et_run_options *o)
{
	(void)ctx;
	if (!(o->given & ET_GIVEN_MAX) && o->plan.until_ratio == 0 && o->plan.equal_ratio == 0)
		o->plan.max_runs = ET_MOST_RUNS;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_run_options o;
	struct typed typed = { &o, argc, argv };
	const struct et_run_around around = {
		.ctx = &typed, .verb = "run", .parsed = limit_runs, .measured = advise
	};

	et_run_options_init(&o);
	o.like_hyperfine = true;
	o.ranges.first_fastest = true;
	o.plan.order = ET_ORDER_SEQUENTIAL;
	o.plan.warmup = 0;
	o.around = &around;
	return et_run_main(cli, &et_verb_hyperfine, &o, argc, argv);
}
