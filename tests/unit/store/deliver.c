/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Digests, delivery and the outbox. ET_TEST_STORE names the central store, which should be empty;
 * without it the test makes a SQLite file. The spool is always a file.
 */
#include "specimen.h"
#include "store/central/campaign.h"
#include "store/central/spool.h"

#include <errno.h>
#include <sys/stat.h>

static char folder[] = "/tmp/etalon-test-XXXXXX";
static char central_url[300], spool_path[300];
static struct et_error err;

static struct et_store *open_central(void)
{
	struct et_store *s = NULL;

	if (et_store_open(central_url, ET_STORE_WRITE, &s, &err))
		tap_bail("%s", err.what);
	return s;
}

static struct et_store *open_spool(void)
{
	struct et_store *s = NULL;

	if (et_spool_open(spool_path, ET_STORE_WRITE, central_url, NULL, &s, &err))
		tap_bail("%s", err.what);
	return s;
}

/* Loads what another process finds in the central store; NULL: nothing. */
static struct et_experiment *load(const char *id)
{
	struct et_store *s = open_central();
	struct et_experiment *e = NULL;

	if (et_store_load(s, id, &e, &err))
		e = NULL;
	et_store_close(s);
	return e;
}

static void add_samples(struct et_experiment *e, uint32_t first, uint32_t last)
{
	for (uint32_t order = first; order <= last; order++) {
		struct et_sample sample = specimen_sample(order % 2, order);
		specimen_culprits(&sample, order % 4);
		if (e->profile)
			specimen_profile_run(e, &sample);
		et_experiment_add(e, &sample);
		if (e->profile)
			et_profile_run_free(sample.measured.profile);
	}
}

static struct et_experiment *made(const char *id, uint32_t samples)
{
	struct et_experiment *e = specimen(id);

	e->state = ET_STATE_DONE;
	e->finished_wall_ns = e->started_wall_ns + 1000;
	add_samples(e, 1, samples);
	return e;
}

static int deliver(const struct et_experiment *e, enum et_delivered *out)
{
	struct et_store *s = open_central();
	int rc;

	err = (struct et_error){ 0 };
	*out = (enum et_delivered)99;
	rc = et_store_deliver(s, e, out, &err);
	et_store_close(s);
	return rc;
}

static void delivers(const struct et_experiment *e, enum et_delivered want, const char *label)
{
	enum et_delivered got;
	int rc = deliver(e, &got);
	struct et_experiment *there = load(e->id);

	ok(rc == 0 && got == want, "%s", label);
	if (rc)
		printf("# %s\n", err.what);
	if (want == ET_DELIVERED_NEW || want == ET_DELIVERED_GROWN)
		ok(there && same_experiment(e, there), "%s: the central store has all of it",
			label);
	et_experiment_free(there);
}

static bool same_digest(const struct et_experiment *a, const struct et_experiment *b)
{
	char x[ET_DIGEST_SIZE], y[ET_DIGEST_SIZE];

	et_experiment_digest(a, x);
	et_experiment_digest(b, y);
	return !strcmp(x, y);
}

/* One change of each kind that a digest must see. */
static void digests(void)
{
	struct et_experiment *a = made("20251115-085600-aaaaaa", 7), *b;

#define CHANGED(change, label)                                                                     \
	do {                                                                                       \
		b = made("20251115-085600-aaaaaa", 7);                                             \
		change;                                                                            \
		ok(!same_digest(a, b), "digest: %s changes it", label);                            \
		et_experiment_free(b);                                                             \
	} while (0)
	b = made("20251115-085600-aaaaaa", 7);
	ok(same_digest(a, b), "digest: equal experiments have the same");
	b->origin = ET_ORIGIN_IMPORTED;
	ok(same_digest(a, b), "digest: the origin is no part of it");
	et_experiment_free(b);
	CHANGED(b->state = ET_STATE_INTERRUPTED, "the state");
	CHANGED(b->plan.runs++, "the plan");
	CHANGED(b->commands[1].argv[1][0] = 'b', "an argument");
	CHANGED(b->commands[0].parameters[1].value[0] = 'b', "a parameter");
	CHANGED(b->environment[1].ok = false, "the environment");
	CHANGED(b->member.attempt = 2, "the attempt");
	CHANGED(b->member.study[0] = 'b', "the study");
	CHANGED(b->figures[1].value = 2, "a figure");
	CHANGED(b->figures[2].value = 2, "a figure that was not known");
	CHANGED(b->member.study_part[0] = 'b', "the part of a study");
	CHANGED(sample_of(&b->commands[0], 1)->measured.elapsed_ns++, "an elapsed time");
	CHANGED(sample_of(&b->commands[1], 0)->ruling.removal.by = ET_REMOVED_TWO_SIGMA,
		"a removal");
	CHANGED(add_samples(b, 8, 8), "a sample");
	CHANGED(specimen_profile(b), "a profile");
	CHANGED(specimen_design(b), "a design");
#undef CHANGED
	et_experiment_free(a);
	a = made("20251115-085600-aaaaaa", 0);
	b = made("20251115-085600-aaaaaa", 0);
	specimen_profile(a);
	specimen_profile(b);
	et_profile_set_calls(a->profile, 0, 0, 3);
	et_profile_set_calls(a->profile, 1, 1, 12.5);
	et_profile_set_calls(b->profile, 1, 1, 12.5);
	et_profile_set_calls(b->profile, 0, 0, 3);
	ok(same_digest(a, b), "digest: the sequence in which calls were counted is no part of it");
	et_experiment_free(b);
	et_experiment_free(a);
}

static void states(void)
{
	const char *id = "20251115-085601-aaaaaa";
	struct et_experiment *e = specimen(id);
	enum et_delivered got;

	add_samples(e, 1, 4);
	delivers(e, ET_DELIVERED_NEW, "deliver: an experiment that still runs");
	delivers(e, ET_DELIVERED_BEFORE, "deliver: the same again changes nothing");
	struct et_experiment *old = load(id);
	add_samples(e, 5, 9);
	e->state = ET_STATE_DONE;
	e->finished_wall_ns = e->started_wall_ns + 5000;
	delivers(e, ET_DELIVERED_GROWN, "deliver: a later state replaces the earlier one");
	delivers(old, ET_DELIVERED_BEFORE, "deliver: an old copy changes nothing");
	struct et_experiment *there = load(id);
	ok(there && same_experiment(e, there),
		"deliver: after the old copy the later state is there");
	et_experiment_free(there);
	sample_of(&e->commands[1], 1)->ruling.removal.by = ET_REMOVED_TWO_SIGMA;
	delivers(e, ET_DELIVERED_GROWN, "deliver: other removals replace the earlier ones");

	struct et_experiment *other = made(id, 9);
	sample_of(&other->commands[0], 1)->measured.elapsed_ns = 5;
	ok(deliver(other, &got) == -EEXIST && strstr(err.what, id) &&
			strstr(err.what, "other contents") && strstr(err.hint, "etalon show"),
		"deliver: other samples under the same id are a conflict that is named");
	there = load(id);
	ok(there && same_experiment(e, there), "deliver: a conflict changes nothing");
	et_experiment_free(there);
	et_experiment_free(other);
	other = made(id, 9);
	other->commands[0].text[0] = 'X';
	ok(deliver(other, &got) == -EEXIST, "deliver: another command is a conflict");
	et_experiment_free(other);
	et_experiment_free(old);
	et_experiment_free(e);
}

static void parts_of_experiments(void)
{
	struct et_experiment *e = specimen("20251115-085602-aaaaaa");

	specimen_profile(e);
	add_samples(e, 1, 3);
	et_profile_set_calls(e->profile, 0, 0, 3);
	et_profile_set_calls(e->profile, 1, 1, 12.5);
	delivers(e, ET_DELIVERED_NEW, "deliver: a profile");
	delivers(e, ET_DELIVERED_BEFORE, "deliver: a profile has the same digest when it is read");
	et_experiment_free(e);
	e = made("20251115-085603-aaaaaa", 0);
	specimen_design(e);
	delivers(e, ET_DELIVERED_NEW, "deliver: a design without samples");
	delivers(e, ET_DELIVERED_BEFORE, "deliver: a design has the same digest when it is read");
	struct et_experiment *there = load(e->id);
	ok(there && same_digest(e, there), "deliver: what is read has the digest of what was sent");
	et_experiment_free(there);
	et_experiment_free(e);
}

/* --- the fence --- */

static const char campaign_id[] = "20251115-085604-cccccc";

static void begin_campaign(void)
{
	struct et_campaign *c = et_calloc(1, sizeof(*c));
	struct et_store *s = open_central();

	snprintf(c->id, sizeof(c->id), "%s", campaign_id);
	c->engine = et_strdup("slurm");
	c->record = et_strdup("{}");
	c->created_wall_ns = 1;
	c->n_parts = 2;
	c->parts = et_calloc(2, sizeof(*c->parts));
	for (uint32_t i = 0; i < 2; i++)
		c->parts[i] = (struct et_part){ .number = i, .first_round = i + 1, .rounds = 1 };
	if (et_campaign_begin(s, c, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
	et_campaign_free(c);
}

static struct et_experiment *member(const char *id, uint32_t part, uint32_t attempt)
{
	struct et_experiment *e = made(id, 2);

	snprintf(e->member.campaign, sizeof(e->member.campaign), "%s", campaign_id);
	e->member.part = part;
	e->member.attempt = attempt;
	strcpy(e->member.node, "n1");
	return e;
}

static struct et_part part_now(uint32_t number)
{
	struct et_store *s = open_central();
	struct et_campaign *c = NULL;
	struct et_part p;

	if (et_campaign_load(s, campaign_id, &c, &err))
		tap_bail("%s", err.what);
	p = c->parts[number];
	p.node = p.job = p.ran_on = p.error = NULL;
	et_campaign_free(c);
	et_store_close(s);
	return p;
}

static void fences(void)
{
	begin_campaign();
	struct et_store *s = open_central();
	ok(et_campaign_begin_attempt(s, campaign_id, 0, 3, "n1", NULL, &err) == 0,
		"fence: an attempt begins");
	et_store_close(s);

	struct et_experiment *zombie = member("20251115-085605-aaaaaa", 0, 2);
	delivers(zombie, ET_DELIVERED_STALE, "fence: an attempt that was replaced is stale");
	ok(!load(zombie->id), "fence: nothing of a stale attempt is stored");

	struct et_experiment *e = member("20251115-085606-aaaaaa", 0, 3);
	e->state = ET_STATE_INTERRUPTED;
	delivers(e, ET_DELIVERED_NEW, "fence: an unfinished part");
	ok(part_now(0).state == ET_PART_RUNNING, "fence: an unfinished part is not done");
	e->state = ET_STATE_DONE;
	delivers(e, ET_DELIVERED_GROWN, "fence: a finished part");
	struct et_part p = part_now(0);
	ok(p.state == ET_PART_DONE && !strcmp(p.experiment, e->id) && p.attempt == 3,
		"fence: a finished part is done, by that experiment");
	delivers(e, ET_DELIVERED_BEFORE, "fence: a part that is delivered again");

	struct et_experiment *late = member("20251115-085607-aaaaaa", 0, 9);
	delivers(late, ET_DELIVERED_STALE, "fence: a part is done once only");
	ok(!load(late->id) && !strcmp(part_now(0).experiment, e->id),
		"fence: the experiment that did the part stays");

	/* The machine could not reach the store when it began. */
	struct et_experiment *unknown = member("20251115-085608-aaaaaa", 1, 1);
	delivers(unknown, ET_DELIVERED_NEW, "fence: an attempt that was not recorded");
	ok(part_now(1).state == ET_PART_DONE,
		"fence: an attempt that was not recorded does the part");
	snprintf(late->member.campaign, sizeof(late->member.campaign), "20251115-000000-ffffff");
	delivers(late, ET_DELIVERED_NEW, "fence: a campaign that this store lacks fences nothing");
	et_experiment_free(unknown);
	et_experiment_free(late);
	et_experiment_free(e);
	et_experiment_free(zombie);
}

/* --- the outbox --- */

/* Returns the only entry of that experiment. Its texts are freed. */
static struct et_outbox_entry entry_of(const char *id, size_t *n)
{
	struct et_store *s = open_spool();
	struct et_outbox all = { 0 };
	struct et_outbox_entry found = { 0 };
	static char destination[400], some[] = "x";

	*n = 0;
	if (et_outbox_read(s, &all, &err))
		tap_bail("%s", err.what);
	for (size_t i = 0; i < all.n; i++) {
		if (!strcmp(all.list[i].experiment, id)) {
			found = all.list[i];
			++*n;
		}
	}
	snprintf(
		destination, sizeof(destination), "%s", found.destination ? found.destination : "");
	found.destination = destination;
	found.error = found.error ? some : NULL;
	found.label = NULL;
	et_outbox_free(&all);
	et_store_close(s);
	return found;
}

static void outbox(void)
{
	const char *id = "20251115-085609-aaaaaa";
	struct et_experiment *e = specimen(id);
	struct et_store *spool = open_spool(), *central = open_central();
	enum et_delivered got;
	size_t n;

	ok(et_store_begin(spool, e, &err) == 0, "outbox: an experiment begins");
	struct et_outbox_entry entry = entry_of(id, &n);
	ok(n == 1 && !entry.delivered_wall_ns && entry.queued_wall_ns && !entry.tried_wall_ns,
		"outbox: an experiment waits from its begin");
	for (uint32_t order = 1; order <= 3; order++) {
		struct et_sample sample = specimen_sample(0, order);
		ok(et_store_add(spool, id, &sample, &err) == 0, "outbox: sample %u is added",
			order);
	}
	ok(et_store_flush(spool, &err) == 0, "outbox: samples are durable");
	ok(et_store_claim(spool, id, &err) == 0, "outbox: the experiment is being measured");
	struct et_store *second = open_spool();
	ok(et_outbox_deliver(second, central, &entry, &got, &err) == -EBUSY,
		"outbox: an experiment that is being measured is not delivered");
	et_store_release(spool);
	ok(et_outbox_fail(spool, &entry, "no route", &err) == 0, "outbox: a failure is recorded");
	entry = entry_of(id, &n);
	ok(n == 1 && entry.error && entry.tried_wall_ns && !entry.delivered_wall_ns,
		"outbox: after a failure it waits");
	ok(et_outbox_deliver(second, central, &entry, &got, &err) == 0 && got == ET_DELIVERED_NEW,
		"outbox: an experiment of a killed etalon is delivered");
	struct et_outbox_entry earlier = entry;
	entry = entry_of(id, &n);
	ok(entry.delivered_wall_ns && !entry.error && strlen(entry.digest) == 64,
		"outbox: it is marked as delivered, with its digest");
	ok(et_store_set_state(spool, id, ET_STATE_RUNNING, 0, &err) == 0, "outbox: it is resumed");
	entry = entry_of(id, &n);
	ok(n == 1 && !entry.delivered_wall_ns, "outbox: an experiment that is resumed waits again");
	/* A slow delivery of the state before that ends now. */
	ok(et_outbox_deliver(second, central, &earlier, &got, &err) == 0,
		"outbox: a delivery that began before the resumption ends after it");
	entry = entry_of(id, &n);
	ok(!entry.delivered_wall_ns, "outbox: such a delivery leaves the experiment waiting");
	ok(et_outbox_prune(spool, id, &err) == 0, "outbox: an experiment is pruned");
	entry_of(id, &n);
	ok(n == 0 && et_store_load(spool, id, &e, &err) == -ENOENT,
		"outbox: nothing of a pruned experiment is left");
	et_store_close(second);
	et_store_close(spool);
	et_store_close(central);
	et_experiment_free(e);
}

static void paths(void)
{
	char *path = NULL, want[400], own[300];
	struct stat st;

	ok(et_spool_path("/x/y.db", folder, &path, &err) == 0 && !strcmp(path, "/x/y.db"),
		"path: ETALON_SPOOL is taken as it is");
	free(path);
	path = NULL;
	snprintf(own, sizeof(own), "%s/not/yet", folder);
	snprintf(want, sizeof(want), "%s/spool.db", own);
	ok(et_spool_path("", own, &path, &err) == 0 && !strcmp(path, want),
		"path: the spool is beside the user's own store, which need not exist");
	free(path);
	/* /proc stands for a file system that no spool can be on: it cannot be asked for a child.
	 */
	snprintf(want, sizeof(want), "/var/tmp/etalon-%u", (unsigned)geteuid());
	bool there = lstat(want, &st) == 0;
	if (et_spool_path(NULL, "/dev/null/x", &path, &err) == 0) {
		ok(!strncmp(path, want, strlen(want)) && lstat(want, &st) == 0 &&
				(st.st_mode & 0777) == 0700,
			"path: without a local folder it is in a private folder of /var/tmp");
		free(path);
	} else {
		ok(strstr(err.hint, "ETALON_SPOOL") != NULL,
			"path: a folder of others in /var/tmp is refused with a hint");
	}
	if (!there)
		(void)rmdir(want);
	char *url = et_spool_destination("sqlite:/a/b.db");
	is_str(url, "sqlite:/a/b.db", "path: a destination in a file keeps its whole path");
	free(url);
	url = et_spool_destination("b.db");
	ok(!strncmp(url, "sqlite:/", 8) && !strcmp(url + strlen(url) - 5, "/b.db"),
		"path: a destination has a whole path, wherever sync is run");
	free(url);
}

int main(void)
{
	const char *given = getenv("ET_TEST_STORE");

	if (!mkdtemp(folder))
		tap_bail("no temporary folder");
	snprintf(central_url, sizeof(central_url), "%s/central.db", folder);
	if (given)
		snprintf(central_url, sizeof(central_url), "%s", given);
	snprintf(spool_path, sizeof(spool_path), "%s/spool.db", folder);
	digests();
	states();
	parts_of_experiments();
	fences();
	outbox();
	paths();
	return tap_done();
}
