/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls the command that the first argument names. */
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/secret.h"
#include "cli/signals.h"
#include "conduct/delivery.h"
#include "host/host.h"
#include "source/kind.h"

#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <signal.h>

static int help(void)
{
	printf("etalon %s: how long does this program really take?\n\n", ET_VERSION);
	printf("usage: etalon COMMAND [options] …\n\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		if ((*v)->internal || (*v)->program)
			continue;
		ET_AUTO_FREE char *lead = et_asprintf("  %s", (*v)->name);
		et_cli_help_text(15, lead, (*v)->summary);
	}
	printf("\nexample: etalon run 'gzip -c -1 data' 'gzip -c -9 data'\n");
	et_cli_help_text(0, "", "'etalon COMMAND --help' shows a command's options and examples.");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		if (!(*v)->program)
			continue;
		ET_AUTO_FREE char *line = et_asprintf("'etalon %s': %s", (*v)->name, (*v)->summary);
		et_cli_help_text(0, "", line);
	}
	return ET_EXIT_DONE;
}

static int unknown_command(const char *typed)
{
	const struct et_verb *meant = et_verb_nearest(typed);
	struct et_error err;
	int rc = et_refuse(&err, NULL, "unknown command '%s'", typed);

	if (meant)
		et_hint(&err, rc, "did you mean '%s'? To measure a program, use etalon run '%s'",
			meant->name, typed);
	else
		et_hint(&err, rc,
			"run 'etalon --help' for the list of commands; to measure a program, use "
			"etalon run '%s'",
			typed);
	return et_cli_fail(&err);
}

static int run_verb(const struct et_verb *verb, struct et_cli *cli, int argc, char **argv)
{
	struct et_error err;

	if (verb->rights != ET_RIGHTS_SUBJECT && et_host_identity_check("", &err))
		return et_cli_fail(&err);
	et_confine(verb->rights);
	return et_delivery_end(cli, verb->run(cli, argc, argv));
}

/* Whether the store may be a server. The options are parsed after the privileges are given up. */
static bool names_server(char **argv)
{
	const char *given = getenv("ETALON_STORE");
	bool found = given && et_store_url_is_server(given);

	for (; !found && *argv; argv++) {
		const char *equals = strchr(*argv, '=');
		found = et_store_url_is_server(*argv) ||
			(!strncmp(*argv, "--", 2) && equals && et_store_url_is_server(equals + 1));
	}
	return found;
}

static bool called_hyperfine(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, "hyperfine");
}

/* Returns the program of the command in argv, if it has its own: lab …, help lab. */
static const char *other_program(int argc, char **argv)
{
	bool asks = argc == 3 && !strcmp(argv[1], "help");
	const struct et_verb *v = argc > 1 ? et_verb_find(argv[asks ? 2 : 1]) : NULL;

	return v && !called_hyperfine(argv[0]) ? v->program : NULL;
}

static int perform(int argc, char **argv)
{
	static const char *const helps[] = { "--help", "-h", "help", NULL };
	struct et_cli cli = { .kinds = et_kinds };
	struct et_error err;

	/* Measured programs of this user could read them in /proc/PID/environ of etalon. */
	et_secret_hide(getenv("ETALON_STORE"));
	et_secret_move("PGPASSWORD");
	if (names_server(argv))
		et_confine_expect_server();
	if (et_verb_find("hyperfine") && called_hyperfine(argv[0]))
		return run_verb(et_verb_find("hyperfine"), &cli, argc, argv);
	if (argc < 2) {
		et_refuse(&err,
			"measure a program: etalon run 'sleep 0.1'; run 'etalon --help' for the "
			"list of commands",
			"no command");
		return et_cli_fail(&err);
	}
	if (!strcmp(argv[1], "help") && argc == 3 && et_verb_find(argv[2])) {
		char *shown[] = { argv[2], (char[]){ "--help" }, NULL };
		return et_verb_find(argv[2])->run(&cli, 2, shown);
	}
	if (et_name_index(helps, argv[1]) >= 0)
		return help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return et_cli_version();
	const struct et_verb *verb = et_verb_find(argv[1]);
	if (!verb && argv[1][0] == '-') {
		et_refuse(&err,
			"give options after the command: etalon COMMAND [options]; run 'etalon "
			"--help' for the list of commands",
			"unknown option %s", argv[1]);
		return et_cli_fail(&err);
	}
	if (!verb)
		return unknown_command(argv[1]);
	return run_verb(verb, &cli, argc - 1, argv + 1);
}

/*
 * Fills the standard descriptors that the caller has closed: a file that is opened later would get
 * their number, and messages would be written into it. As in glibc's set-user-ID start-up, they are
 * opened in the direction that is not used, so that reading and writing fail as they would have.
 */
static bool fill_standard_descriptors(void)
{
	static const int unused[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", unused[fd]) != fd)
			return false;
	}
	return true;
}

/*
 * As a set-user-ID program etalon would take its environment (ETALON_SYSTEMCTL, PATH) and its
 * options (--output) from somebody who is not the user that it acts for.
 */
static int refuse_set_user_id(void)
{
	struct et_error err;

	et_fail_hint(&err, EPERM, ET_EXIT_ENVIRONMENT,
		"remove these bits with chmod ug-s, and use sudo",
		"the file of etalon is set-user-ID or set-group-ID, which is not safe");
	return et_cli_fail(&err);
}

int main(int argc, char **argv)
{
	if (!fill_standard_descriptors()) {
		fputs("etalon: a standard descriptor is closed, and /dev/null cannot be opened\n",
			stderr);
		return ET_EXIT_OUTSIDE;
	}
	if (getuid() != geteuid() || getgid() != getegid())
		return refuse_set_user_id();
	/* It gets its environment, its arguments and its signals as this program got them. */
	const char *other = other_program(argc, argv);
	struct et_error err;
	if (other)
		return et_program_execute(other, argv, &err) ? et_cli_fail(&err) : ET_EXIT_DONE;
	/* A failed allocation would look like a syntax error in some of jansson's functions. */
	json_set_alloc_funcs(et_alloc, free);
	/* Only LC_CTYPE is set: numbers have a decimal point in every language. */
	setlocale(LC_CTYPE, "C.UTF-8");
	et_signals_read_caller();
	/*
	 * These signals would end etalon with samples unsaved or with the machine changed. If they
	 * are ignored, write reports a file that may not grow, or a pipe without a reader.
	 */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return et_cli_end(perform(argc, argv));
}
