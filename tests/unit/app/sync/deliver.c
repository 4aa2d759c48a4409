/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon sync`: its options, the stores that it means, and deliveries between stores in files. */
#include "../../store/fresh_store.h"
#include "app/sync/sync.h"
#include "base/base.h"
#include "base/parse.h"
#include "cli/cli.h"

#include <errno.h>
#include <unistd.h>

#define FIRST "20251115-000001-000001"
#define SECOND "20251115-000002-000002"

extern const struct et_verb et_verb_sync;

static char central[340];
static struct et_cli cli = { .columns = 80 };
static char printed[4000];

/* --- options --- */

/* Parses a command line, whose words are split as a shell does. */
static int parse(const char *line, struct et_sync *o)
{
	struct et_operands ops;
	char **words = NULL;
	const struct et_option_table tables[] = { { .rows = et_verb_sync.options, .ctx = o },
		{ 0 } };

	*o = (struct et_sync){ 0 };
	err = (struct et_error){ 0 };
	if (et_split_words(line, &words, &err))
		tap_bail("%s", err.what);
	int rc = et_options_parse(tables, (int)et_strv_length(words), words, &ops, &err);
	if (rc == 0) {
		rc = et_cli_check_relations(&et_verb_sync, NULL, &ops, &err);
		et_operands_free(&ops);
	}
	et_strv_free(words);
	return rc;
}

static void check_since(void)
{
	static const char *const bad[] = { "yesterday", "2026-13-01", "2026-11-16x", "7y", "-1d",
		"40000d", "99999999d", "''" };
	struct et_sync o;

	ok(parse("sync --from sqlite:x --since 1970-01-02", &o) == 0 &&
			o.filter.since_wall_ns == UINT64_C(86400000000000),
		"since: a date is its midnight, UTC");
	ok(parse("sync --from sqlite:x --since 2024-02-29", &o) == 0 &&
			o.filter.since_wall_ns == UINT64_C(1709164800000000000),
		"since: a leap day is a date");
	ok(parse("sync --from sqlite:x --since 7d", &o) == 0 &&
			o.filter.since_wall_ns > UINT64_C(1700000000000000000),
		"since: a duration is counted back from now");
	for (size_t i = 0; i < ET_LENGTH(bad); i++) {
		ET_AUTO_FREE char *line = et_asprintf("sync --from sqlite:x --since %s", bad[i]);
		ok(parse(line, &o) == -EINVAL && strstr(err.what, "' is no date") &&
				strstr(err.hint, "2026-11-16"),
			"since: %s is refused, with an example", bad[i]);
	}
}

static void check_relations(void)
{
	static const char *const bad[] = { "--json", "--label x", "--machine x", "--since 7d",
		"--limit 3", "--status --prune", "--status --all", "--from sqlite:x --all",
		"--all --prune", "--prune --setup", "--prune " FIRST, "--setup " FIRST,
		"--status " FIRST, "--from sqlite:x --limit 0" };
	static const char *const good[] = { "", "--status --json", "--all --dry-run",
		"--prune --dry-run", "--setup --dry-run", "--from sqlite:x --limit 3 " FIRST };
	struct et_sync o;

	for (size_t i = 0; i < ET_LENGTH(bad); i++) {
		ET_AUTO_FREE char *line = et_asprintf("sync %s", bad[i]);
		ok(parse(line, &o) < 0 && err.exit == ET_EXIT_USAGE, "options: '%s' is refused",
			line);
	}
	for (size_t i = 0; i < ET_LENGTH(good); i++) {
		ET_AUTO_FREE char *line = et_asprintf("sync %s", good[i]);
		ok(parse(line, &o) == 0, "options: '%s' is accepted", line);
	}
}

/* --- the stores that are meant --- */

static void check_stores(void)
{
	struct et_cli given = { .store = "sqlite:given.db" }, none = { 0 };
	struct et_sync o = { .environment = "sqlite:mine.db" };

	setenv("ETALON_STORE", "sqlite:mine.db", 1);
	ok(!et_sync_central(&none), "stores: a file in ETALON_STORE is no central store");
	is_str(et_sync_central(&given), "sqlite:given.db",
		"stores: a file that --store names is the central store");
	setenv("ETALON_STORE", "postgresql://host/db", 1);
	is_str(et_sync_central(&none), "postgresql://host/db",
		"stores: a server in ETALON_STORE is the central store");
	setenv("ETALON_STORE", "", 1);
	ok(!et_sync_central(&none), "stores: an empty ETALON_STORE names none");
	ET_AUTO_FREE char *file = et_sync_local_url(&o);
	is_str(file, "sqlite:mine.db", "stores: a file in ETALON_STORE is the local store");
	static const char *const others[] = { "postgresql://host/db", "", NULL };
	for (size_t i = 0; i < ET_LENGTH(others); i++) {
		o.environment = others[i];
		ET_AUTO_FREE char *own = et_sync_local_url(&o);
		ok(!strncmp(own, "sqlite:/", 8) && !strstr(own, "mine.db"),
			"stores: with '%s' in ETALON_STORE, the local store is the user's own file",
			others[i] ? others[i] : "nothing");
	}
}

/* --- deliveries --- */

static void keep(const char *id, const char *label)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_store *s = open_store();

	snprintf(e->id, sizeof(e->id), "%s", id);
	e->label = et_strdup(label);
	e->state = ET_STATE_DONE;
	e->started_wall_ns = 1000;
	snprintf(e->machine, sizeof(e->machine), "aaaaaaaaaaaaaaaa");
	e->plan.level = 0.95;
	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->commands[0].name = et_strdup("inc");
	e->commands[0].text = et_strdup("inc");
	e->commands[0].argv = et_strv_of("inc", NULL);
	if (et_store_keep(s, e, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
	et_experiment_free(e);
}

/* Calls an action, and keeps what it prints to stdout, which belongs to TAP here. */
static int sync_with(const struct et_sync *o, char *const *names)
{
	FILE *file = tmpfile();
	int before = dup(STDOUT_FILENO);

	if (!file || before < 0)
		tap_bail("no temporary file");
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	err = (struct et_error){ 0 };
	int rc = names ? et_sync_upload(&cli, o, names, &err) : et_sync_prune(&cli, o, &err);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	close(before);
	rewind(file);
	printed[fread(printed, 1, sizeof(printed) - 1, file)] = '\0';
	fclose(file);
	return rc;
}

static void check_upload(void)
{
	char *none[] = { NULL }, *absent[] = { (char *)"nothing", NULL },
	     *label[] = { (char *)"two", NULL };
	struct et_sync o = { .environment = path, .dry_run = true };

	ok(sync_with(&o, label) == -EINVAL && strstr(err.what, "no central store is named"),
		"upload: without a central store it is refused");
	cli.store = central;
	ok(sync_with(&o, absent) == -ENOENT,
		"upload: an experiment that does not exist is an error");
	ok(sync_with(&o, label) == 0 && !strcmp(printed, SECOND ": would be delivered\n"),
		"upload: --dry-run prints the experiment of that label");
	ok(access(central + 7, F_OK) != 0, "upload: --dry-run does not create the central store");
	o.dry_run = false;
	ok(sync_with(&o, label) == ET_EXIT_DONE && !strcmp(printed, SECOND ": delivered\n"),
		"upload: an experiment is delivered by its label");
	ok(sync_with(&o, label) == ET_EXIT_DONE &&
			!strcmp(printed, SECOND ": was delivered before\n"),
		"upload: a second delivery changes nothing");
	o.all = true;
	ok(sync_with(&o, none) == ET_EXIT_DONE && strstr(printed, FIRST ": delivered\n") &&
			strstr(printed, SECOND ": was delivered before\n"),
		"upload: --all delivers those that are missing");
	cli.verbosity = -1;
	ok(sync_with(&o, none) == ET_EXIT_DONE && !*printed, "upload: --quiet prints nothing");
	cli.verbosity = 0;
}

static void check_prune(void)
{
	const struct et_sync o = { .prune = true };

	ok(sync_with(&o, NULL) == ET_EXIT_DONE &&
			!strcmp(printed, "nothing can be removed from the spool\n"),
		"prune: without a spool there is nothing to remove");
}

int main(void)
{
	make_folder();
	check_since();
	check_relations();
	check_stores();
	ET_AUTO_FREE char *spool = et_asprintf("%s/spool.db", folder);
	setenv("ETALON_SPOOL", spool, 1);
	unsetenv("ETALON_STORE");
	snprintf(central, sizeof(central), "sqlite:%s/central.db", folder);
	keep(FIRST, "one");
	keep(SECOND, "two");
	check_upload();
	check_prune();
	ET_AUTO_FREE char *text = et_asprintf("rm -rf '%s'", folder);
	return system(text) ? 1 : tap_done();
}
