/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"
#include "base/display.h"
#include "base/parse.h"
#include "cli/ask.h"
#include "cli/environment.h"
#include "cli/folders.h" /* generated */
#include "cli/outputs.h"
#include "cli/program.h"
#include "cli/secret.h"
#include "cli/server.h"
#include "cli/signals.h"
#include "draw/terminal.h"
#include "measure/trace/sched_stream.h"
#include "profile/symbols/object.h"
#include "profile/symbols/symbols.h"
#include "report/warning.h"
#include "store/core/store.h"

#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

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
	const struct et_option *const tables[TABLES] = {
		[OWN_TABLE] = verb->options,
		[SHARED_TABLE] = verb->shared_options,
		[FORMATS_TABLE] = verb->exports ? et_outputs_options() : NULL,
		[CHILD_TABLE] = verb->child_options,
		[STORE_TABLE] = verb->uses_store ? store_options : NULL,
		[COMMON_TABLE] = common_options,
		[ENGINE_TABLE] = verb->engine_options,
	};

	return tables[which] ? tables[which] : none;
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

	if (!c)
		return changed;
	changed.arg = c->arg ? c->arg : o->arg;
	changed.help = c->help ? c->help : o->help;
	changed.group = c->group ? c->group : o->group;
	changed.needs = c->needs ? c->needs : o->needs;
	changed.excludes = c->excludes ? c->excludes : o->excludes;
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

/* The width that the terminal or the user has set; 0: none. */
static int given_columns(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	uint64_t n;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	if (columns && et_parse_u64("COLUMNS", columns, 20, 1000, &n, NULL) == 0)
		return (int)n;
	return 0;
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
	/* By this, programs get environments without passwords: measure/child/environ.h. */
	if (c->store && et_store_url_is_server(c->store))
		setenv("ETALON_STORE", c->store, 1);
	cli->columns = et_cli_columns();
	cli->full_names = !given_columns();
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
	bool all = ops->n_before && !strcmp(ops->before[0], "all");
	et_operands_free(ops);
	if (common.version)
		return et_cli_version();
	et_cli_help(cli, verb, all);
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

/* --- the user's own files --- */

const char *et_cli_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *user = home && *home ? NULL : getpwuid(geteuid());

	if (home && *home)
		return home;
	return user && user->pw_dir && *user->pw_dir ? user->pw_dir : "/root";
}

char *et_cli_own_store(void)
{
	const char *data = getenv("XDG_DATA_HOME");

	if (data && data[0] == '/')
		return et_asprintf("%s/etalon/etalon.db", data);
	return et_asprintf("%s/.local/share/etalon/etalon.db", et_cli_home());
}

char *et_cli_state_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && state[0] == '/')
		return et_asprintf("%s/etalon", state);
	if (home && home[0] == '/')
		return et_asprintf("%s/.local/state/etalon", home);
	return NULL;
}

/* --- the width of the output, and the check that outputs were written --- */

/* A reader closed its end of a pipe, as head does. */
static bool unread;

int et_cli_columns(void)
{
	return given_columns() ?: 80;
}

struct et_text_options et_cli_text(const struct et_cli *cli)
{
	return (struct et_text_options){ .width = cli->columns,
		.color = cli->color,
		.verbose = cli->verbosity > 0,
		.quiet = cli->verbosity < 0,
		.full_names = cli->full_names };
}

int et_cli_close_output(FILE *f, const char *path, struct et_error *err)
{
	bool failed = fflush(f) != 0 || ferror(f);
	int cause = failed && errno ? errno : EIO;
	struct pollfd p = { .fd = fileno(f), .events = POLLOUT };
	bool gone = failed && poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP);

	unread = unread || gone;
	if (f != stdout && fclose(f) != 0 && !failed) {
		failed = true;
		cause = errno;
	}
	if (!failed || gone)
		return 0;
	return et_fail_file(
		err, cause, ET_EXIT_OUTSIDE, strcmp(path, "-") ? path : "standard output");
}

int et_cli_end(int status)
{
	struct et_error err;

	if (status != ET_EXIT_DONE)
		return status;
	if (et_cli_close_output(stdout, "-", &err))
		return et_cli_fail(&err);
	return unread ? 128 + SIGPIPE : status; /* the status of a program that SIGPIPE ended */
}

/* --- questions --- */

bool et_can_ask(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

/* The terminal delivers a line at once. poll() ends at every signal, read() need not. */
bool et_ask(const char *about, const char *question)
{
	struct et_page page = { .out = stderr, .width = et_cli_columns() };
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	char line[64];

	et_page_paragraph(&page, 0, "", NULL, about, NULL);
	et_say(stderr, "%s [y/N] ", question);
	fflush(stderr);
	ssize_t n = poll(&p, 1, -1) == 1 ? read(STDIN_FILENO, line, sizeof(line) - 1) : -1;
	if (n <= 0) {
		fputc('\n', stderr);
		return false;
	}
	line[n - 1] = '\0'; /* the line feed */
	return !strcasecmp(line, "y") || !strcasecmp(line, "yes");
}

/* --- stores on a server --- */

unsigned et_server_limit_s(void)
{
	const char *text = getenv("ETALON_SERVER_LIMIT");
	uint64_t seconds = 0;

	if (text && et_parse_u64("ETALON_SERVER_LIMIT", text, 1, 86400, &seconds, NULL))
		return 0;
	return (unsigned)seconds;
}

int et_server_open(
	const char *url, enum et_store_mode mode, struct et_store **out, struct et_error *err)
{
	struct et_patience patience = { et_server_limit_s(), et_signals_received };

	return et_store_open_within(url, mode, &patience, out, err);
}

char *et_server_option(const struct et_cli *cli)
{
	char **words = et_strv_of("--store", cli->store, NULL);
	ET_AUTO_FREE char *line = et_join_words(words);

	et_strv_free(words);
	return cli->store ? et_asprintf(" %s", line) : et_strdup("");
}

char *et_server_cure_missing(const struct et_cli *cli, const char *shown)
{
	ET_AUTO_FREE char *option = et_server_option(cli);

	if (et_store_url_is_server(shown))
		return et_asprintf("prepare the database: etalon sync --setup --store '%s'", shown);
	return et_asprintf("measure a program: etalon run%s 'sleep 0.1'", option);
}

/* --- the programs of etalon --- */

/*
 * Below the prefix of this program, which may be another one than it was built for. The names of
 * the last folders are compared: from /tmp/etalon, another user's /tmp/../libexec is not reached.
 */
static const struct {
	const char *here, *there;
} places[] = {
	{ "", "" },
	{ "/bin", "/../libexec/etalon" },
	{ "/libexec/etalon", "/../../bin" },
};

static const char *const configured[] = { ET_LIBEXEC, ET_BIN };

/* Returns 1 if the program is there, 0 if not. */
static int look(const char *folder, const char *below, const char *name, char path[PATH_MAX],
	struct et_error *err)
{
	ET_AUTO_FREE char *place = et_asprintf("%s%s/%s", folder, below, name);
	ET_AUTO_FREE char *whole = realpath(place, NULL);
	struct stat own, found;

	if (!whole || stat(whole, &found))
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : et_fail_file(err, errno, ET_EXIT_ENVIRONMENT, place);
	if (found.st_uid == 0 || (!stat("/proc/self/exe", &own) && own.st_uid == found.st_uid)) {
		snprintf(path, PATH_MAX, "%s", whole);
		return 1;
	}
	return et_fail_hint(err, EPERM, ET_EXIT_ENVIRONMENT, "install all of etalon as one user",
		"%s does not belong to the owner of etalon", whole);
}

int et_program_find(const char *name, char path[PATH_MAX], struct et_error *err)
{
	char own[PATH_MAX];
	int rc = et_cli_own_path(own, sizeof(own), err);

	if (rc)
		return rc;
	*strrchr(own, '/') = '\0';
	for (size_t i = 0; rc == 0 && i < ET_LENGTH(places); i++) {
		size_t n = strlen(own), m = strlen(places[i].here);
		if (n >= m && !strcmp(own + n - m, places[i].here))
			rc = look(own, places[i].there, name, path, err);
	}
	for (size_t i = 0; rc == 0 && i < ET_LENGTH(configured); i++)
		rc = look(configured[i], "", name, path, err);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT, "the program %s of etalon is missing", name);
	return et_hint(err, rc, "install all of etalon, or copy %s beside it", name);
}

int et_program_execute(const char *name, char **argv, struct et_error *err)
{
	char path[PATH_MAX];
	int rc = et_program_find(name, path, err);

	if (rc)
		return rc;
	execv(path, argv);
	return et_fail_file(err, errno, ET_EXIT_ENVIRONMENT, path);
}
