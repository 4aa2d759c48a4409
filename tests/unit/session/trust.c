/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which stored data may become commands, and the list of what this user began. */
#include "session/trust.h"
#include "base/base.h"
#include "base/parse.h"
#include "host/host.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/etalon-test-XXXXXX";
static char list[64];
static struct et_store *store;
static struct et_error err;
static int reviews;

static void count_review(void *ctx, const struct et_experiment *e)
{
	(void)ctx;
	(void)e;
	reviews++;
}

static struct et_experiment *make(const char *id, const char *program)
{
	struct et_experiment *e = et_experiment_new();
	struct et_command *c =
		et_experiment_add_command(e, et_strdup("c"), et_strv_of(program, "a", "b c", NULL));

	snprintf(e->id, sizeof(e->id), "%s", id);
	c->setup = et_strdup("true");
	e->origin = ET_ORIGIN_MEASURED;
	et_host_identity("", e->machine, sizeof(e->machine));
	e->child.directory = et_strdup("/here");
	return e;
}

static int ask(const struct et_experiment *e, struct et_trust t)
{
	t.list = list;
	t.way = "etalon run --resume";
	t.review = count_review;
	reviews = 0;
	err = (struct et_error){ 0 };
	return et_trust_experiment(&t, store, e, &err);
}

/* --- digests --- */

static bool differs(const struct et_experiment *a, const struct et_experiment *b)
{
	char x[ET_SHA256_TEXT], y[ET_SHA256_TEXT];

	et_trust_digest(a, x);
	et_trust_digest(b, y);
	return strcmp(x, y) != 0;
}

static void has(const char *text, const char *part, const char *label)
{
	ok(strstr(text, part), "%s (%s)", label, text);
}

static void replace(char **text, const char *by)
{
	free(*text);
	*text = et_strdup(by);
}

static void digests(void)
{
	struct et_experiment *a = make("x", "true"), *b = make("y", "true");

	ok(!differs(a, b), "digest: it is about what runs, not about the id");
	b->plan.runs = 77;
	replace(&b->commands[0].name, "another name");
	b->commands[0].cleanup = et_strdup("");
	ok(!differs(a, b), "digest: numbers of runs, names and empty texts do not count");
	char **texts[] = { &b->commands[0].argv[0], &b->commands[0].argv[1], &b->commands[0].setup,
		&b->commands[0].prepare, &b->commands[0].conclude, &b->commands[0].cleanup,
		&b->child.directory, &b->child.user, &b->child.shell, &b->child.output,
		&b->child.pass_env };
	for (size_t i = 0; i < ET_LENGTH(texts); i++) {
		char *was = *texts[i];
		*texts[i] = et_strdup("changed");
		ok(differs(a, b), "digest: text %zu that decides what runs counts", i);
		free(*texts[i]);
		*texts[i] = was;
	}
	b->child.no_new_privs = true;
	ok(differs(a, b), "digest: a truth value of the child counts");
	b->child.no_new_privs = false;
	/* The same bytes, divided into words in another way, or of invalid UTF-8. */
	replace(&b->commands[0].argv[1], "a,3:b c");
	ok(differs(a, b), "digest: the division into words counts");
	replace(&b->commands[0].argv[1], "\xff");
	replace(&a->commands[0].argv[1], "\xfe");
	ok(differs(a, b), "digest: bytes that are not UTF-8 count");
	et_experiment_free(a);
	et_experiment_free(b);
}

/* --- the decision --- */

static void own(void)
{
	struct et_experiment *e = make("mine", "true");

	ok(ask(e, (struct et_trust){ 0 }) == -EPERM && reviews == 1,
		"own: an experiment that the list lacks is shown and refused");
	has(err.what, "not among those that you began here", "own: the error has the reason");
	has(err.hint, "etalon run --resume mine --trust-record", "own: the hint has the id");
	ok(ask(e, (struct et_trust){ .own_place = true }) == 0 && !reviews,
		"own: in the user's own store one of an earlier etalon may run");
	et_trust_begin(list, e);
	ok(ask(e, (struct et_trust){ 0 }) == 0 && !reviews, "own: one in the list may run");
	replace(&e->commands[0].argv[0], "false");
	ok(ask(e, (struct et_trust){ .own_place = true }) == -EPERM && reviews == 1,
		"own: one that was changed is refused, also in the user's own store");
	has(err.what, "was changed since it was begun", "own: the error names the change");
	replace(&e->commands[0].argv[0], "true");
	e->origin = ET_ORIGIN_IMPORTED;
	ok(ask(e, (struct et_trust){ .own_place = true }) == -EPERM,
		"own: an import of that id is refused");
	e->origin = ET_ORIGIN_MEASURED;
	snprintf(e->machine, sizeof(e->machine), "elsewhere 0000000000000000");
	ok(ask(e, (struct et_trust){ .own_place = true }) == -EPERM,
		"own: one of another machine is refused");
	et_experiment_free(e);
}

static void trusted(void)
{
	struct et_experiment *e = make("theirs", "true");

	e->origin = ET_ORIGIN_IMPORTED;
	ok(ask(e, (struct et_trust){ .given = true }) == -EPERM,
		"trust: --trust-record without a name is refused");
	ok(ask(e, (struct et_trust){ .given = true, .named = "label" }) == -EPERM,
		"trust: --trust-record with another name than the id is refused");
	/* It was shown by the refusals; somebody changes it before the user's answer. */
	replace(&e->commands[0].argv[0], "evil");
	ok(ask(e, (struct et_trust){ .given = true, .named = "theirs" }) == -EPERM && reviews == 1,
		"trust: what was changed since it was shown is shown again, and refused");
	has(err.what, "was changed since it was shown", "trust: the error names the change");
	replace(&e->commands[0].argv[0], "true");
	ok(ask(e, (struct et_trust){ 0 }) == -EPERM, "trust: it is not trusted yet");
	ok(ask(e, (struct et_trust){ .given = true, .named = "theirs" }) == 0 && reviews == 1,
		"trust: --trust-record with the id shows it and lets it run");
	ok(ask(e, (struct et_trust){ 0 }) == 0 && !reviews, "trust: it is asked for once");
	replace(&e->commands[0].argv[0], "evil");
	ok(ask(e, (struct et_trust){ 0 }) == -EPERM, "trust: a later change is refused");
	et_experiment_free(e);
}

static void planned(void)
{
	struct et_experiment *e = make("planned", "true");
	struct et_trust t = { 0 };

	et_trust_digest(e, t.planned);
	ok(ask(e, t) == 0 && !reviews, "planned: a record that does what the plan says may run");
	replace(&e->commands[0].setup, "rm -rf x");
	ok(ask(e, t) == -EPERM && reviews == 1, "planned: one with another hook is refused");
	has(err.what, "are not those of the plan", "planned: the error names the plan");
	et_experiment_free(e);
}

static void campaigns(void)
{
	struct et_part parts[2] = { { .number = 0, .first_round = 1, .rounds = 2 },
		{ .number = 1, .first_round = 3, .rounds = 2 } };
	struct et_campaign c = { .id = "20260101-000000-aaaaaa",
		.engine = (char *)"ssh:a,b",
		.options = (char *)"{}",
		.record = (char *)"{}",
		.parts = parts,
		.n_parts = 2 };
	struct et_trust t = { .list = list, .review = count_review, .own_place = true };
	ET_AUTO_FREE char *words = et_strdup("{\"extra\":null}");

	ok(et_trust_campaign(&t, &c, &words, &err) == -EPERM,
		"campaign: one that the list lacks is refused, whatever the store");
	ok(!et_trust_knows_campaign(list, c.id), "campaign: a refusal does not make it known");
	et_trust_begin_campaign(list, &c, "{\"extra\":\"-p 22\"}");
	ok(et_trust_knows_campaign(list, c.id), "campaign: one that was begun is known");
	ok(et_trust_campaign(&t, &c, &words, &err) == 0, "campaign: one in the list may run");
	is_str(words, "{\"extra\":\"-p 22\"}", "campaign: its words come from the list");
	parts[1].state = ET_PART_DONE;
	parts[1].attempt = 7;
	ok(et_trust_campaign(&t, &c, &words, &err) == 0, "campaign: the state of parts may change");
	parts[1].node = (char *)"evil";
	ok(et_trust_campaign(&t, &c, &words, &err) == -EPERM, "campaign: a machine may not");
	parts[1].node = NULL;
	c.engine = (char *)"ssh:evil";
	ok(et_trust_campaign(&t, &c, &words, &err) == -EPERM, "campaign: nor the engine");
	c.engine = (char *)"ssh:a,b";
	c.options = (char *)"{ }";
	ok(et_trust_campaign(&t, &c, &words, &err) == -EPERM, "campaign: nor an option");
	c.options = (char *)"{}";
	c.record = (char *)"{ }";
	ok(et_trust_campaign(&t, &c, &words, &err) == -EPERM, "campaign: nor the record");
}

/* --- the file --- */

static void file(void)
{
	struct et_experiment *e = make("file", "true");
	struct stat st;

	et_trust_begin(list, e);
	ok(stat(list, &st) == 0 && (st.st_mode & 0777) == 0600, "file: its mode is 600");
	/* A full disk cut the last line. */
	FILE *f = fopen(list, "a");
	if (!f || fputs("begun experiment cut 12", f) < 0 || fclose(f))
		tap_bail("the list cannot be written");
	struct et_experiment *next = make("next", "true");
	et_trust_begin(list, next);
	ok(ask(next, (struct et_trust){ 0 }) == 0, "file: a line after one that was cut is whole");
	ok(ask(e, (struct et_trust){ 0 }) == 0, "file: so are the lines before it");
	chmod(list, 0620);
	ok(ask(e, (struct et_trust){ 0 }) == -EPERM,
		"file: a list that others can write is not used");
	chmod(list, 0600);
	ET_AUTO_FREE char *other = et_asprintf("%s/other", folder);
	if (link(list, other))
		tap_bail("no hard link");
	ok(ask(e, (struct et_trust){ 0 }) == -EPERM, "file: nor is one with another name");
	unlink(other);
	if (rename(list, other) || symlink(other, list))
		tap_bail("no symbolic link");
	ok(ask(e, (struct et_trust){ 0 }) == -EPERM, "file: nor is a link");
	et_trust_begin(list, e);
	ok(lstat(list, &st) == 0 && S_ISLNK(st.st_mode), "file: nothing is written through a link");
	unlink(list);
	if (rename(other, list))
		tap_bail("the list cannot be restored");
	struct et_experiment *forged = make("x\nbegun experiment forged", "evil");
	(void)!ask(forged, (struct et_trust){ 0 });
	snprintf(forged->id, sizeof(forged->id), "forged");
	ok(ask(forged, (struct et_trust){ 0 }) == -EPERM, "file: an id cannot forge a line");
	et_experiment_free(forged);
	et_trust_begin(NULL, e);
	et_trust_begin("/proc/nowhere/etalon/begun", e);
	ok(ask(e, (struct et_trust){ 0 }) == 0, "file: a list that cannot be kept is no error");
	et_experiment_free(e);
	et_experiment_free(next);
}

/* Several processes append at the same time, and some are killed. */
static void concurrency(void)
{
	enum { PROCESSES = 8, EACH = 200 };
	pid_t pids[PROCESSES];
	size_t lines = 0, bad = 0;
	char line[256];

	for (int i = 0; i < PROCESSES; i++) {
		fflush(NULL);
		pids[i] = fork();
		if (pids[i])
			continue;
		for (int k = 0; i == 0 || k < EACH; k++) {
			char id[40];
			snprintf(id, sizeof(id), "many-%d-%d", i, k);
			struct et_experiment *e = make(id, "true");
			et_trust_begin(list, e);
			et_experiment_free(e);
		}
		_exit(0);
	}
	for (int i = 1; i < PROCESSES; i++)
		waitpid(pids[i], NULL, 0);
	kill(pids[0], SIGKILL);
	waitpid(pids[0], NULL, 0);
	FILE *f = fopen(list, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "begun experiment many-", 22) != 0)
			continue;
		lines += strncmp(line, "begun experiment many-0-", 24) != 0;
		char *digest = strrchr(line, ' ');
		bad += !digest || strlen(digest + 1) != ET_SHA256_TEXT; /* and a newline */
	}
	if (f)
		fclose(f);
	ok(lines == (PROCESSES - 1) * EACH, "file: %zu lines of 7 processes are there", lines);
	ok(bad == 0, "file: all lines are whole, also those of a process that was killed");
}

int main(void)
{
	if (!mkdtemp(folder))
		tap_bail("no folder");
	snprintf(list, sizeof(list), "%s/state/etalon/begun", folder);
	ET_AUTO_FREE char *url = et_asprintf("sqlite:%s/store.db", folder);
	if (et_store_open(url, ET_STORE_WRITE, &store, &err))
		tap_bail("%s", err.what);
	digests();
	own();
	trusted();
	planned();
	campaigns();
	file();
	concurrency();
	et_store_close(store);
	ET_AUTO_FREE char *remove = et_asprintf("rm -rf %s", folder);
	if (system(remove))
		tap_bail("the folder cannot be removed");
	return tap_done();
}
