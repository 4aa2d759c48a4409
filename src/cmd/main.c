/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands, and main, which calls one of them. */
#include "base/alloc.h"
#include "cmd/cli.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <string.h>

extern const struct et_verb et_verb_clock;
extern const struct et_verb et_verb_compare;
extern const struct et_verb et_verb_completion;
extern const struct et_verb et_verb_daemons;
extern const struct et_verb et_verb_describe;
extern const struct et_verb et_verb_env;
extern const struct et_verb et_verb_export;
extern const struct et_verb et_verb_import;
extern const struct et_verb et_verb_lab;
extern const struct et_verb et_verb_list;
extern const struct et_verb et_verb_put;
extern const struct et_verb et_verb_report;
extern const struct et_verb et_verb_rm;
extern const struct et_verb et_verb_run;
extern const struct et_verb et_verb_samplesize;
extern const struct et_verb et_verb_show;
extern const struct et_verb et_verb_trace;

const struct et_verb *const et_verbs[] = {
	&et_verb_run,
	&et_verb_trace,
	&et_verb_daemons,
	&et_verb_list,
	&et_verb_show,
	&et_verb_samplesize,
	&et_verb_describe,
	&et_verb_compare,
	&et_verb_export,
	&et_verb_import,
	&et_verb_report,
	&et_verb_rm,
	&et_verb_env,
	&et_verb_clock,
	&et_verb_lab,
	&et_verb_put,
	&et_verb_completion,
	NULL,
};

static const struct et_verb *find_verb(const char *name)
{
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		if (!strcmp((*v)->name, name))
			return *v;
	}
	return NULL;
}

static int help(void)
{
	printf("etalon %s: how long does this program really take?\n\n", ET_VERSION);
	printf("usage: etalon COMMAND [options] …\n\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		ET_AUTO_FREE char *lead = et_asprintf("  %s", (*v)->name);
		et_cli_help_text(15, lead, (*v)->summary);
	}
	printf("\nexample: etalon run 'gzip -k -1 -f data' 'gzip -k -9 -f data'\n");
	et_cli_help_text(0, "", "'etalon COMMAND --help' shows a command's options and examples.");
	return ET_EXIT_DONE;
}

static int perform(int argc, char **argv)
{
	struct et_cli cli = { 0 };
	struct et_error err;

	if (argc < 2) {
		et_fail(&err, EINVAL, ET_EXIT_USAGE, "no command");
		et_hint(&err, 0,
			"measure a program: etalon run 'sleep 0.1'; run 'etalon --help' for the "
			"list of "
			"commands");
		return et_cli_fail(&err);
	}
	if (!strcmp(argv[1], "help") && argc == 3 && find_verb(argv[2])) {
		char *shown[] = { argv[2], (char[]){ "--help" }, NULL };
		return find_verb(argv[2])->run(&cli, 2, shown);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help();
	if (!strcmp(argv[1], "--version"))
		return et_cli_version();
	const struct et_verb *verb = find_verb(argv[1]);
	if (!verb && argv[1][0] == '-') {
		et_fail(&err, EINVAL, ET_EXIT_USAGE, "unknown option %s", argv[1]);
		et_hint(&err, 0,
			"give options after the command: etalon COMMAND [options]; run 'etalon "
			"--help' "
			"for the list of commands");
		return et_cli_fail(&err);
	}
	if (!verb) {
		et_fail(&err, EINVAL, ET_EXIT_USAGE, "unknown command '%s'", argv[1]);
		et_hint(&err, 0,
			"run 'etalon --help' for the list of commands; to measure a program, use "
			"etalon run '%s'",
			argv[1]);
		return et_cli_fail(&err);
	}
	return verb->run(&cli, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	/* Only LC_CTYPE is set: numbers have a decimal point in every language. */
	setlocale(LC_CTYPE, "C.UTF-8");
	/*
	 * These signals would end etalon with samples unsaved or with the machine changed. If they
	 * are ignored, write reports a file that may not grow, or a pipe without a reader.
	 */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return et_cli_end(perform(argc, argv));
}
