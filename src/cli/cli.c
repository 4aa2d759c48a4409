/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "cli/environment.h"
#include "cli/outputs.h"
#include "cli/secret.h"
#include "draw/terminal.h"
#include "measure/trace/sched_stream.h"
#include "profile/symbols/object.h"
#include "profile/symbols/symbols.h"
#include "report/warning.h"
#include "store/core/store.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The common options as the user gave them. */
struct common {
	bool help, version, quiet, verbose;
	enum when { AUTO, ALWAYS, NEVER } color, progress;
	const char *store;
};

static const char *const when_names[] = { "auto", "always", "never", NULL };

static const struct et_option common_options[] = {
	{ 'h', "help", NULL, "show this help", et_set_true, ET_FILLS(common, help),
		.group = "general" },
	{ 'V', "version", NULL, "show the version and what this build can do", et_set_true,
		ET_FILLS(common, version) },
	{ 'q', "quiet", NULL, "print results and errors only, no notes", et_set_true,
		ET_FILLS(common, quiet) },
	{ 'v', "verbose", NULL, "print more", et_set_true, ET_FILLS(common, verbose) },
	{ 0, "color", "WHEN",
		"when to use colours: auto, always or never (auto; NO_COLOR is honoured)",
		et_set_choice, ET_FILLS(common, color), .names = when_names },
	{ 0, "progress", "WHEN",
		"when to show progress: auto, always or never (auto: if stderr is a terminal)",
		et_set_choice, ET_FILLS(common, progress), .names = when_names },
	{ 0 },
};

static const struct et_option store_options[] = {
	{ 0, "store", "URL",
		"where experiments are stored: sqlite:PATH, postgresql://… (ETALON_STORE, else "
		"the user's own file)",
		et_set_url, ET_FILLS(common, store), .values = "FILE", .group = "general" },
	{ 0 },
};

/* In the order of the help: what few users need is last. */
enum { OWN_TABLE, SHARED_TABLE, FORMATS_TABLE, CHILD_TABLE, STORE_TABLE };
enum { COMMON_TABLE = STORE_TABLE + 1, ENGINE_TABLE, TABLES };

static const struct et_option *table_of(const struct et_verb *verb, size_t which)
{
	static const struct et_option none[] = { { 0 } };

	switch (which) {
	case OWN_TABLE:
		return verb->options ? verb->options : none;
	case SHARED_TABLE:
		return verb->shared_options ? verb->shared_options : none;
	case CHILD_TABLE:
		return verb->child_options ? verb->child_options : none;
	case ENGINE_TABLE:
		return verb->engine_options ? verb->engine_options : none;
	case FORMATS_TABLE:
		return verb->exports ? et_outputs_options() : none;
	case STORE_TABLE:
		return verb->uses_store ? store_options : none;
	case COMMON_TABLE:
		return common_options;
	default:
		return NULL;
	}
}

/* The names to which the shared options are limited, or NULL. */
static const struct et_option *few(const struct et_verb *verb)
{
	return verb->shares_few ? verb->changed_options : NULL;
}

struct et_option et_verb_changed(const struct et_verb *verb, const struct et_option *o)
{
	const struct et_option *c = et_option_named(verb->changed_options, o->name);
	struct et_option changed = *o;

	if (c && c->arg)
		changed.arg = c->arg;
	if (c && c->help)
		changed.help = c->help;
	if (c && c->group)
		changed.group = c->group;
	if (c && c->needs)
		changed.needs = c->needs;
	if (c && c->excludes)
		changed.excludes = c->excludes;
	return changed;
}

bool et_verb_next_option(
	const struct et_verb *verb, struct et_option_walk *at, struct et_option *out)
{
	for (; at->table < TABLES; at->table++, at->row = 0) {
		const struct et_option *rows = table_of(verb, at->table);
		bool all = at->table != SHARED_TABLE || !few(verb);
		while (rows[at->row].name && !all &&
			!et_option_named(few(verb), rows[at->row].name))
			at->row++;
		if (!rows[at->row].name)
			continue;
		*out = et_verb_changed(verb, &rows[at->row++]);
		return true;
	}
	return false;
}

static bool decide(enum when when, bool automatic)
{
	return when == AUTO ? automatic : when == ALWAYS;
}

static void apply_common(struct et_cli *cli, const struct common *c)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool dumb = term && !strcmp(term, "dumb"), plain = dumb || (no_color && *no_color);

	cli->verbosity = c->quiet ? -1 : c->verbose ? 1 : 0;
	cli->store = c->store;
	/* By this the environments of programs are made without passwords: measure/child/environ.h.
	 */
	if (c->store && et_store_url_is_server(c->store))
		setenv("ETALON_STORE", c->store, 1);
	cli->columns = et_cli_columns();
	cli->full_names = !et_cli_has_width();
	cli->color = decide(c->color, isatty(STDOUT_FILENO) && !plain);
	cli->progress = decide(c->progress, isatty(STDERR_FILENO) && !dumb && cli->verbosity >= 0);
}

int et_cli_parse_into(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv,
	const struct et_cli_targets *targets, struct et_operands *ops)
{
	struct common common = { 0 };
	const struct et_option_table tables[] = {
		{ table_of(verb, OWN_TABLE), targets->ctx, targets->given,
			et_verb_action_named(verb, argc, argv), NULL },
		{ table_of(verb, SHARED_TABLE), targets->ctx, targets->given, 0, few(verb) },
		{ table_of(verb, CHILD_TABLE), targets->ctx, targets->given, 0, NULL },
		{ table_of(verb, ENGINE_TABLE), &cli->engine, &cli->engine.given, 0, NULL },
		{ table_of(verb, FORMATS_TABLE), targets->outputs, NULL, 0, NULL },
		{ table_of(verb, STORE_TABLE), &common, NULL, 0, NULL },
		{ table_of(verb, COMMON_TABLE), &common, NULL, 0, NULL },
		{ 0 },
	};
	struct et_error err;

	ET_AUTO_FREE char *called = et_asprintf("etalon %s", verb->name);
	char *name = argv[0];
	argv[0] = called;
	int rc = et_options_parse(tables, argc, argv, ops, &err);
	argv[0] = name;
	/* In "run ls -l" the user meant -l for the program. */
	if (rc && strstr(verb->usage, "-- PROGRAM") && !strncmp(err.what, "unknown option -", 16) &&
		err.what[16] != '-')
		et_hint(&err, rc,
			"give the program's options after --: etalon %s -- ls -l; run 'etalon %s "
			"--help' for the options of etalon",
			verb->name, verb->name);
	if (rc)
		return et_cli_fail(&err);
	apply_common(cli, &common);
	if (!common.help && !common.version) {
		if (!verb->actions && et_cli_check_relations(verb, NULL, ops, &err)) {
			et_operands_free(ops);
			return et_cli_fail(&err);
		}
		if (verb->uses_store && cli->verbosity >= 0)
			et_cli_stale_notice();
		return -1;
	}
	et_operands_free(ops);
	if (common.version)
		return et_cli_version();
	et_cli_help(cli, verb);
	return ET_EXIT_DONE;
}

int et_cli_parse(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv, void *ctx,
	struct et_operands *ops)
{
	return et_cli_parse_into(
		cli, verb, argc, argv, &(struct et_cli_targets){ .ctx = ctx }, ops);
}

/* Prints "stores: SQLite 3.40.1 (no PostgreSQL in this build)". */
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
	printf("CPU ledger: by %s\n",
		et_sched_has_bpf() ? "BPF or perf" : "perf (no BPF in this build)");
	printf("names of functions: %s, %s\n",
		et_object_has_symbols() ? "from symbols" : "files only (no libdw in this build)",
		et_demangle_built() ? "demangled" : "mangled (no libiberty in this build)");
	return ET_EXIT_DONE;
}

int et_cli_fail(const struct et_error *err)
{
	/* The text may quote names of files and commands that contain control sequences. */
	ET_AUTO_FREE char *public_what = et_secret_remove(err->what);
	ET_AUTO_FREE char *public_hint = et_secret_remove(err->hint);
	ET_AUTO_FREE char *what = et_clean(public_what, "");
	ET_AUTO_FREE char *hint = et_clean(public_hint, "");

	et_say(stderr, "etalon: %s\n", what);
	if (err->quoted[0]) {
		ET_AUTO_FREE char *quoted = et_clean(err->quoted, "\n");
		for (char *rest = NULL, *line = strtok_r(quoted, "\n", &rest); line;
			line = strtok_r(NULL, "\n", &rest))
			et_say(stderr, "  | %s\n", line);
	}
	if (hint[0])
		et_say(stderr, "hint: %s\n", hint);
	return err->exit;
}

void et_cli_warn(struct et_warnings *w)
{
	for (size_t i = 0; i < w->n; i++) {
		ET_AUTO_FREE char *text = et_warning_text(&w->list[i]);
		ET_AUTO_FREE char *clean = et_clean(text, "");

		et_say(stderr, "etalon: warning: %s\n", clean);
	}
	et_warnings_free(w);
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
	const char *shown = cli->store ? cli->store : getenv("ETALON_STORE");
	const char *url = shown ? et_secret_url(shown) : NULL;

	return url && *url ? url : NULL;
}

char *et_cli_store_url(const struct et_cli *cli)
{
	const char *url = et_cli_store_given(cli);
	ET_AUTO_FREE char *own = et_cli_own_store();

	return url ? et_strdup(url) : et_asprintf("sqlite:%s", own);
}

char *et_cli_store_shown(const struct et_cli *cli)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);
	ET_AUTO_FREE char *shown = et_store_url_without_secrets(url);

	return et_clean(shown, "");
}
