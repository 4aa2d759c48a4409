/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cli.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/environment.h"
#include "measure/sched_stream.h"
#include "report/terminal.h"
#include "store/store.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

enum { OPT_HELP = 10000, OPT_VERSION, OPT_QUIET, OPT_VERBOSE, OPT_COLOR, OPT_PROGRESS, OPT_STORE };

const struct et_option et_common_options[] = {
	{ 'h', "help", NULL, "show this help", NULL, OPT_HELP },
	{ 0, "version", NULL, "show the version and what this build can do", NULL, OPT_VERSION },
	{ 'q', "quiet", NULL, "print results and errors only", NULL, OPT_QUIET },
	{ 'v', "verbose", NULL, "print more", NULL, OPT_VERBOSE },
	{ 0, "color", "WHEN", "auto, always or never (auto; NO_COLOR is honoured)",
		"auto|always|never", OPT_COLOR },
	{ 0, "progress", "WHEN", "auto, always or never (auto: when stderr is a terminal)",
		"auto|always|never", OPT_PROGRESS },
	{ 0 },
};

const struct et_option et_store_options[] = {
	{ 0, "store", "URL",
		"where experiments are kept: sqlite:PATH (ETALON_STORE, else the user's own file)",
		"FILE", OPT_STORE },
	{ 0 },
};

struct parse {
	struct et_cli *cli;
	et_option_fn fn;
	void *ctx;
	bool help, version;
	const char *color, *progress;
};

static int common_option(void *ctx, int id, char *const *args, struct et_error *err)
{
	struct parse *p = ctx;

	switch (id) {
	case OPT_HELP:
		p->help = true;
		return 0;
	case OPT_VERSION:
		p->version = true;
		return 0;
	case OPT_QUIET:
		p->cli->verbosity = -1;
		return 0;
	case OPT_VERBOSE:
		p->cli->verbosity = 1;
		return 0;
	case OPT_COLOR:
		p->color = args[0];
		return 0;
	case OPT_PROGRESS:
		p->progress = args[0];
		return 0;
	case OPT_STORE:
		p->cli->store = args[0];
		return 0;
	default:
		return p->fn ? p->fn(p->ctx, id, args, err) : 0;
	}
}

static int decide(
	const char *option, const char *when, bool automatic, bool *out, struct et_error *err)
{
	if (!strcmp(when, "auto"))
		*out = automatic;
	else if (!strcmp(when, "always"))
		*out = true;
	else if (!strcmp(when, "never"))
		*out = false;
	else
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: '%s' is not auto, always or never",
			option, when);
	return 0;
}

int et_cli_columns(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	uint64_t n;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	if (columns && et_parse_u64("COLUMNS", columns, 20, 1000, &n, NULL) == 0)
		return (int)n;
	return 80;
}

static int settle(struct et_cli *cli, const struct parse *p, struct et_error *err)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool plain = (no_color && *no_color) || (term && !strcmp(term, "dumb"));

	cli->columns = et_cli_columns();
	int rc = decide("--color", p->color, isatty(STDOUT_FILENO) && !plain, &cli->color, err);
	if (rc)
		return rc;
	return decide("--progress", p->progress, isatty(STDERR_FILENO) && cli->verbosity >= 0,
		&cli->progress, err);
}

int et_cli_parse(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv,
	et_option_fn fn, void *ctx, struct et_operands *ops)
{
	static const struct et_option none[] = { { 0 } };
	const struct et_option *tables[] = { verb->options ? verb->options : none,
		et_common_options, verb->uses_store ? et_store_options : NULL, NULL };
	struct parse p = { .cli = cli, .fn = fn, .ctx = ctx, .color = "auto", .progress = "auto" };
	struct et_error err;

	ET_AUTO_FREE char *called = et_asprintf("etalon %s", verb->name);
	char *name = argv[0];
	argv[0] = called;
	int rc = et_options_parse(tables, argc, argv, common_option, &p, ops, &err);
	argv[0] = name;
	if (rc == 0 && (rc = settle(cli, &p, &err)))
		et_operands_free(ops);
	/* "run ls -l": the letter was meant for the program. */
	if (rc && strstr(verb->usage, "-- PROGRAM") && !strncmp(err.what, "unknown option -", 16) &&
		err.what[16] != '-')
		et_hint(&err, rc,
			"options of the program go with it: etalon %s -- ls -l; etalon %s --help "
			"lists "
			"ours",
			verb->name, verb->name);
	if (rc)
		return et_cli_fail(&err);
	if (!p.help && !p.version) {
		/* Whoever measures or looks at measurements is told; -q asks not to be. */
		if (verb->uses_store && cli->verbosity >= 0)
			et_cli_stale_notice();
		return -1;
	}
	et_operands_free(ops);
	if (p.help)
		et_cli_help(cli, verb);
	else
		return et_cli_version();
	return ET_EXIT_DONE;
}

/* "stores: SQLite 3.40.1 (no PostgreSQL in this build)" */
static void print_stores(void)
{
	struct et_store_kind kind;

	printf("stores:");
	for (size_t i = 0; et_store_kind(i, &kind); i++) {
		if (kind.version)
			printf(" %s %s", kind.name, kind.version);
		else
			printf(" (no %s in this build)", kind.name);
	}
	printf("\n");
}

int et_cli_version(void)
{
	printf("etalon %s\n", ET_VERSION);
	print_stores();
	printf("who had the CPU: by %s\n",
		et_sched_has_bpf() ? "BPF or perf" : "perf (no BPF in this build)");
	return ET_EXIT_DONE;
}

int et_cli_fail(const struct et_error *err)
{
	/* Names of files and commands in it may hold what a terminal would obey. */
	ET_AUTO_FREE char *what = et_clean(err->what, "");
	ET_AUTO_FREE char *hint = et_clean(err->hint, "");

	fprintf(stderr, "etalon: %s\n", what);
	if (hint[0])
		fprintf(stderr, "hint: %s\n", hint);
	return err->exit;
}

int et_cli_own_path(char *buf, size_t size, struct et_error *err)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);

	if (n < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "/proc/self/exe");
	buf[n] = '\0';
	return 0;
}

const char *et_cli_store_given(const struct et_cli *cli)
{
	const char *url = cli->store ? cli->store : getenv("ETALON_STORE");

	return url && *url ? url : NULL;
}

char *et_cli_store_url(const struct et_cli *cli)
{
	const char *url = et_cli_store_given(cli);
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (url)
		return et_strdup(url);
	if (data && data[0] == '/')
		return et_asprintf("sqlite:%s/etalon/etalon.db", data);
	return et_asprintf(
		"sqlite:%s/.local/share/etalon/etalon.db", home && *home ? home : "/root");
}
