/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machines, their facts and the summaries of experiments, on any back end: ET_TEST_STORE names the
 * store to test, which should be empty; without it the test makes a SQLite file.
 */
#include "store/core/machines.h"
#include "specimen.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

static char url[300], folder[] = "/tmp/etalon-test-XXXXXX";
static struct et_error err;

static struct et_store *open_store(const char *which)
{
	struct et_store *s = NULL;

	if (et_store_open(which, ET_STORE_WRITE, &s, &err))
		tap_bail("%s", err.what);
	return s;
}

/* --- facts --- */

static char *fact(struct et_store *s, const char *machine, const char *key)
{
	char *value = NULL;

	if (et_store_get_fact(s, machine, key, &value, &err))
		tap_bail("%s", err.what);
	return value;
}

static void is_fact(struct et_store *s, const char *machine, const char *want, const char *label)
{
	ET_AUTO_FREE char *value = fact(s, machine, "key");

	is_str(value, want, "%s", label);
}

static void put(struct et_store *s, const char *machine, const char *value, uint64_t changed_ns)
{
	const struct et_fact one = { machine, "key", value, changed_ns };

	if (et_store_put_fact(s, &one, &err))
		tap_bail("%s", err.what);
}

static void facts(struct et_store *s)
{
	if (et_store_set_fact(s, "", "key", "old", &err) ||
		et_store_set_fact(s, "n1", "key", "one", &err))
		tap_bail("%s", err.what);
	is_fact(s, "n1", "one", "fact: a machine's own");
	is_fact(s, "n2", "old", "fact: one of an earlier version, which has no machine");
	if (et_store_remove_fact(s, "n1", "key", &err))
		tap_bail("%s", err.what);
	is_fact(s, "n1", NULL, "fact: a removed one");
	is_fact(s, "n2", NULL, "fact: the earlier version's is removed with it");
	put(s, "n2", "first", 1000);
	put(s, "n2", "older", 999);
	is_fact(s, "n2", "first", "fact: one that comes from elsewhere and is older is not taken");
	put(s, "n2", "newer", 1001);
	is_fact(s, "n2", "newer", "fact: a newer one is taken");
	put(s, "n3", "from the future", INT64_MAX - 10);
	if (et_store_set_fact(s, "n3", "key", "now", &err))
		tap_bail("%s", err.what);
	put(s, "n3", "from the future", INT64_MAX - 10);
	is_fact(s, "n3", "now",
		"fact: a later change counts as newer although the clock went back");
}

static int see_fact(void *ctx, const struct et_fact *f)
{
	char **text = ctx;

	et_append(text, "; ", "%s=%s", f->key, f->value);
	return 0;
}

/* --- machines --- */

static struct et_machine_row machine(const char *id, uint64_t first_ns, uint64_t last_ns)
{
	static struct et_factor list[] = { { (char *)(uintptr_t) "governor",
		(char *)(uintptr_t) "powersave", (char *)(uintptr_t) "performance", false } };
	struct et_machine_row row = { .first_wall_ns = first_ns,
		.last_wall_ns = last_ns,
		.version = "1.2.3",
		.deviations = list,
		.n_deviations = 1,
		.environment_known = true };

	snprintf(row.id, sizeof(row.id), "%s", id);
	snprintf(row.host.name, sizeof(row.host.name), "%s.example", id);
	row.host.cpus = 4;
	return row;
}

static int see_machine(void *ctx, const struct et_machine_row *row)
{
	char **text = ctx;

	et_append(text, "; ", "%s %s %u %llu-%llu %s", row->id, row->host.name, row->host.cpus,
		(unsigned long long)row->first_wall_ns, (unsigned long long)row->last_wall_ns,
		row->environment_known ? "" : "?");
	for (size_t i = 0; i < row->n_deviations; i++)
		et_append(text, ",", "%s:%s:%s", row->deviations[i].factor,
			row->deviations[i].state, row->deviations[i].wanted);
	return 0;
}

static void are_machines(struct et_store *s, const char *which, const char *want, const char *label)
{
	ET_AUTO_FREE char *got = NULL;

	if (et_store_list_machines(s, which, see_machine, &got, &err))
		tap_bail("%s", err.what);
	is_str(got, want, "%s", label);
}

static void put_machine(struct et_store *s, struct et_machine_row row)
{
	if (et_store_put_machine(s, &row, &err))
		tap_bail("%s", err.what);
}

static void machines(struct et_store *s)
{
	struct et_machine_row renamed = machine("n1", 7, 20);

	are_machines(s, NULL, NULL, "machine: a new store has none");
	put_machine(s, machine("n1", 10, 11));
	put_machine(s, machine("n2", 5, 6));
	are_machines(s, NULL,
		"n1 n1.example 4 10-11 ,governor:powersave:performance; "
		"n2 n2.example 4 5-6 ,governor:powersave:performance",
		"machine: each with its host and its deviations");
	snprintf(renamed.host.name, sizeof(renamed.host.name), "renamed");
	renamed.n_deviations = 0;
	put_machine(s, renamed);
	are_machines(s, "n1", "n1 renamed 4 7-20 ",
		"machine: the later state is kept, with the earliest and latest time");
	put_machine(s, machine("n1", 8, 19));
	are_machines(s, "n1", "n1 renamed 4 7-20 ", "machine: an earlier state changes nothing");
}

static void copying(struct et_store *s)
{
	ET_AUTO_FREE char *other = et_asprintf("sqlite:%s/other.db", folder), *facts = NULL;
	struct et_store *to = open_store(other);

	put(to, "n2", "newest", 1002);
	ok(et_store_copy_machine(s, to, "n2", &err) == 0 &&
			et_store_copy_machine(s, to, "n1", &err) == 0 &&
			et_store_copy_machine(s, to, "", &err) == 0,
		"copy: two machines, and an unknown one");
	is_fact(to, "n2", "newest", "copy: the newer fact stays");
	are_machines(to, "n1", "n1 renamed 4 7-20 ", "copy: the machine's row comes with it");
	ok(et_store_list_facts(to, "n1", see_fact, &facts, &err) == 0,
		"copy: its facts are listed");
	is_str(facts, "key=", "copy: a removal is copied, too");
	et_store_close(to);
}

/* --- summaries --- */

static struct et_experiment *measured(const char *id, const char *name, const char *host)
{
	struct et_experiment *e = specimen(id);

	snprintf(e->machine, sizeof(e->machine), "%s", name);
	snprintf(e->host.name, sizeof(e->host.name), "%s", host);
	return e;
}

struct seen {
	const char *id;
	size_t n;
	struct et_timing last;
	char name[64];
};

static int see_timing(void *ctx, const struct et_timing *t)
{
	struct seen *seen = ctx;

	if (strcmp(t->id, seen->id) != 0)
		return 0;
	seen->n++;
	seen->last = *t;
	snprintf(seen->name, sizeof(seen->name), "%s", t->name);
	return 1; /* the first command is enough */
}

/* Command 0: a warm-up, a removed one, three solo runs of 100, 200, 600 ns, a duet. */
static void add_samples(struct et_store *s, const char *id)
{
	static const struct {
		uint64_t ns;
		enum et_arrangement arrangement;
		bool warmup, removed;
	} runs[] = { { 9000, ET_SOLO, true, false }, { 7000, ET_SOLO, false, true },
		{ 100, ET_SOLO, false, false }, { 200, ET_SOLO, false, false },
		{ 600, ET_SOLO, false, false }, { 5000, ET_DUET, false, false } };

	for (uint32_t i = 0; i < ET_LENGTH(runs); i++) {
		struct et_sample one = specimen_sample(0, i + 10);
		one.place.warmup = runs[i].warmup;
		one.place.arrangement = runs[i].arrangement;
		one.place.partner = -1;
		one.measured.elapsed_ns = runs[i].ns;
		one.measured.cpu_ns = runs[i].ns / 2;
		one.measured.calls = 2;
		one.ruling.removal.by = runs[i].removed ? ET_REMOVED_TWO_SIGMA : ET_KEPT;
		if (et_store_add(s, id, &one, &err))
			tap_bail("%s", err.what);
	}
}

/* An experiment that is stored whole has the summary that the database computed of the same. */
static void copied_summary(struct et_store *s, struct et_experiment *e, const struct seen *same)
{
	struct seen seen = { .id = "20251115-085506-bbbbbb" };
	struct et_experiment *copy = NULL;

	if (et_store_load(s, e->id, &copy, &err))
		tap_bail("%s", err.what);
	snprintf(copy->id, sizeof(copy->id), "%s", seen.id);
	ok(et_store_keep(s, copy, &err) == 0 &&
			et_store_list_timings(s, 100, see_timing, &seen, &err) == 0 && seen.n == 1,
		"summary: an experiment that is stored whole has one");
	ok(seen.last.n == same->last.n, "summary: of as many samples");
	near(seen.last.elapsed.mean, same->last.elapsed.mean, 1e-12, 0,
		"summary: of the same mean");
	near(seen.last.elapsed.squares, same->last.elapsed.squares, 1e-12, 0,
		"summary: of the same squared deviations");
	near(seen.last.cpu.mean, same->last.cpu.mean, 1e-12, 0, "summary: of the same CPU time");
	et_experiment_free(copy);
}

static void summaries(struct et_store *s)
{
	struct et_experiment *e = measured("20251115-085506-aaaaaa", "n1", "box");
	struct seen seen = { .id = e->id };

	if (et_store_begin(s, e, &err))
		tap_bail("%s", err.what);
	add_samples(s, e->id);
	ok(et_store_flush(s, &err) == 0 &&
			et_store_list_timings(s, 100, see_timing, &seen, &err) == 0 && !seen.n,
		"summary: an experiment that runs has none");
	ok(et_store_set_state(s, e->id, ET_STATE_DONE, 1763196907000000000, &err) == 0 &&
			et_store_list_timings(s, 100, see_timing, &seen, &err) == 0 && seen.n == 1,
		"summary: there is one when it has ended");
	/* Per call 50, 100, 300: mean 150, squares 100² + 50² + 150² = 35000; the CPU's half. */
	ok(seen.last.n == 3, "summary: warm-up, removed samples and duets do not count");
	near(seen.last.elapsed.mean, 150, 1e-12, 0, "summary: the mean per call");
	near(seen.last.elapsed.squares, 35000, 1e-12, 0, "summary: squared deviations");
	near(seen.last.cpu.mean, 75, 1e-12, 0, "summary: the mean of CPU times");
	near(seen.last.cpu.squares, 8750, 1e-12, 0, "summary: squared deviations of CPU times");
	is_str(seen.name, e->commands[0].name, "summary: the command's name");
	seen.n = 0;
	ok(et_store_set_state(s, e->id, ET_STATE_DONE, 1763196907000000000, &err) == 0 &&
			et_store_list_timings(s, 100, see_timing, &seen, &err) == 0 &&
			seen.n == 1 && seen.last.n == 3,
		"summary: it is made anew when the experiment ends again");
	copied_summary(s, e, &seen);
	et_experiment_free(e);
}

static int see_count(void *ctx, const struct et_machine_count *c)
{
	char **text = ctx;

	et_append(text, "; ", "%s/%s %llu %llu", c->machine, c->host,
		(unsigned long long)c->experiments, (unsigned long long)c->samples);
	return 0;
}

static void counts(struct et_store *s)
{
	struct et_experiment *second = measured("20251115-085507-bbbbbb", "n1", "renamed");
	struct et_experiment *other = measured("20251115-085508-cccccc", "", "elsewhere");
	ET_AUTO_FREE char *got = NULL;

	if (et_store_begin(s, second, &err) || et_store_begin(s, other, &err))
		tap_bail("%s", err.what);
	ok(et_store_count_machines(s, see_count, &got, &err) == 0, "count: all machines");
	is_str(got, "/elsewhere 1 0; n1/box 2 10; n1/renamed 1 0",
		"count: per machine and name of its host, without warm-up");
	et_experiment_free(second);
	et_experiment_free(other);
}

int main(void)
{
	const char *given = getenv("ET_TEST_STORE");
	char command[400];

	if (!mkdtemp(folder))
		tap_bail("no temporary folder");
	if (given)
		snprintf(url, sizeof(url), "%s", given);
	else
		snprintf(url, sizeof(url), "sqlite:%s/store.db", folder);
	struct et_store *s = open_store(url);
	facts(s);
	machines(s);
	copying(s);
	summaries(s);
	counts(s);
	et_store_close(s);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ok(system(command) == 0, "the test's folder is removed");
	return tap_done();
}
