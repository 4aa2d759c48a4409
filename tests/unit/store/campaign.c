/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Campaigns in a store, on any back end: ET_TEST_STORE names the store to test, which should be
 * empty; without it the test makes a SQLite file.
 */
#include "store/central/campaign.h"
#include "base/base.h"
#include "base/parse.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

static char url[300];
static struct et_error err;

static struct et_store *open_store(void)
{
	struct et_store *s = NULL;

	if (et_store_open(url, ET_STORE_WRITE, &s, &err))
		tap_bail("%s", err.what);
	return s;
}

static struct et_campaign *campaign(const char *id, const char *label, uint64_t created_ns)
{
	struct et_campaign *c = et_calloc(1, sizeof(*c));

	snprintf(c->id, sizeof(c->id), "%s", id);
	c->label = label ? et_strdup(label) : NULL;
	c->engine = et_strdup("ssh:a,b");
	c->options = et_strdup("{\"partition\": \"bench\"}");
	c->created_wall_ns = created_ns;
	c->record = et_strdup("{\"etalon\": 1}");
	c->n_parts = 3;
	c->parts = et_calloc(c->n_parts, sizeof(*c->parts));
	for (uint32_t i = 0; i < 3; i++)
		c->parts[i] =
			(struct et_part){ .number = i, .first_round = 1 + 4 * i, .rounds = 4 - i };
	c->parts[1].node = et_strdup("n2");
	return c;
}

static void begin(struct et_store *s, const char *id, const char *label, uint64_t created_ns)
{
	struct et_campaign *c = campaign(id, label, created_ns);

	ok(et_campaign_begin(s, c, &err) == 0, "begin: %s is stored", id);
	et_campaign_free(c);
}

/* The state of a part as another process sees it. */
static const struct et_part *part(const char *id, uint32_t number)
{
	static struct et_campaign *loaded;
	struct et_store *s = open_store();

	et_campaign_free(loaded);
	loaded = NULL;
	int rc = et_campaign_load(s, id, &loaded, &err);
	et_store_close(s);
	if (rc)
		tap_bail("%s", err.what);
	return &loaded->parts[number];
}

static void round_trip(struct et_store *s)
{
	struct et_campaign *c = campaign("20261116-100000-aaaaaa", "sorting", 5), *back = NULL;

	ok(et_campaign_begin(s, c, &err) == 0, "begin: a campaign is stored");
	ok(et_campaign_begin(s, c, &err) == -EEXIST, "begin: an id that is taken is refused");
	ok(et_campaign_load(s, c->id, &back, &err) == 0, "load: the campaign is found");
	is_str(back->label, "sorting", "load: label");
	is_str(back->engine, "ssh:a,b", "load: engine");
	is_str(back->options, c->options, "load: options");
	is_str(back->record, c->record, "load: record");
	ok(back->kind == ET_CAMPAIGN_DOE && back->created_wall_ns == 5, "load: kind and time");
	ok(back->n_parts == 3 && back->parts[2].first_round == 9 && back->parts[2].rounds == 2,
		"load: the rounds of the parts");
	is_str(back->parts[1].node, "n2", "load: the node of a part");
	ok(!back->parts[0].node && back->parts[0].state == ET_PART_TODO &&
			!back->parts[0].attempt && !back->parts[0].generation &&
			!back->parts[0].experiment[0],
		"load: a part without a node, and that nothing was done");
	et_campaign_free(back);
	et_campaign_free(c);
	ok(et_campaign_load(s, "20261116-000000-000000", &back, &err) == -ENOENT,
		"load: an unknown id is refused");
}

static void finding(struct et_store *s)
{
	char id[40] = "";

	begin(s, "20261116-110000-bbbbbb", "sorting", 9);
	begin(s, "20261116-110001-cccccc", NULL, 7);
	ok(et_campaign_find(s, "last", false, id, &err) == 0 &&
			!strcmp(id, "20261116-110000-bbbbbb"),
		"find: last is the one that was begun last");
	ok(et_campaign_find(s, "sorting", false, id, &err) == 0 &&
			!strcmp(id, "20261116-110000-bbbbbb"),
		"find: a label means the newest");
	ok(et_campaign_find(s, "20261116-10", false, id, &err) == 0 &&
			!strcmp(id, "20261116-100000-aaaaaa"),
		"find: the beginning of an id");
	ok(et_campaign_find(s, "20261116-11", false, id, &err) == -EINVAL &&
			err.exit == ET_EXIT_USAGE,
		"find: an ambiguous beginning is refused");
	ok(et_campaign_find(s, "other", false, id, &err) == -ENOENT && err.hint[0],
		"find: an unknown name is refused with a hint");
	ok(et_campaign_find(s, "", false, id, &err) == -ENOENT, "find: an empty name is refused");
}

static void submitting(struct et_store *s)
{
	const char *id = "20261116-120000-dddddd";
	const uint32_t all[] = { 0, 1, 2 }, two[] = { 1, 2 };

	begin(s, id, NULL, 1);
	ok(et_campaign_submit(s, id, 1, all, 3, &err) == 0 && part(id, 2)->generation == 1,
		"submit: the generation is recorded before the engine is asked");
	ok(part(id, 0)->state == ET_PART_TODO && !part(id, 0)->job,
		"submit: the part is still todo");
	ok(et_campaign_set_job(s, id, 1, all, 3, "77", &err) == 0 && part(id, 1)->job,
		"submit: the job is recorded");
	ok(et_campaign_fail_attempt(s, id, 2, 1000, "no", true, &err) == 0 &&
			part(id, 2)->state == ET_PART_FAILED,
		"submit: a part failed for good");
	ok(et_campaign_submit(s, id, 2, two, 2, &err) == 0 && part(id, 1)->generation == 2 &&
			part(id, 0)->generation == 1 && part(id, 2)->state == ET_PART_TODO,
		"submit: another generation of some parts; a failed one is todo again");
	ok(et_campaign_set_job(s, id, 1, all, 3, "88", &err) == 0 &&
			!strcmp(part(id, 0)->job, "88") && !strcmp(part(id, 1)->job, "77"),
		"submit: the job of an earlier generation does not replace a later one");
	ok(et_campaign_submit(s, id, 1, all, 3, &err) == 0 && part(id, 1)->generation == 2,
		"submit: a generation never decreases");
}

static void attempts(struct et_store *s)
{
	const char *id = "20261116-130000-eeeeee";

	begin(s, id, NULL, 1);
	ok(et_campaign_begin_attempt(s, id, 0, 1000, "n1", "5_0", &err) == 0 &&
			part(id, 0)->state == ET_PART_RUNNING && part(id, 0)->attempt == 1000,
		"attempt: it is recorded that it runs");
	is_str(part(id, 0)->ran_on, "n1", "attempt: the node is recorded");
	is_str(part(id, 0)->job, "5_0", "attempt: the job is recorded");
	ok(et_campaign_begin_attempt(s, id, 0, 1001, "n2", NULL, &err) == 0 &&
			part(id, 0)->attempt == 1001 && !strcmp(part(id, 0)->ran_on, "n2"),
		"attempt: a restart has a larger number");
	ok(et_campaign_begin_attempt(s, id, 0, 1000, "n1", NULL, &err) == -ESTALE &&
			!strcmp(part(id, 0)->ran_on, "n2"),
		"attempt: an earlier one is out of date and changes nothing");
	ok(et_campaign_fail_attempt(s, id, 0, 1000, "late", true, &err) == -ESTALE &&
			part(id, 0)->state == ET_PART_RUNNING && !part(id, 0)->error,
		"attempt: an earlier one cannot fail the part");
	ok(et_campaign_begin_attempt(s, id, 9, 1000, "n1", NULL, &err) == -ENOENT,
		"attempt: an unknown part is an error");
	ok(et_campaign_begin_attempt(s, "20261116-000000-000000", 0, 1000, "n1", NULL, &err) ==
			-ENOENT,
		"attempt: an unknown campaign is an error");
}

static void failures(struct et_store *s)
{
	const char *id = "20261116-140000-ffffff";

	begin(s, id, NULL, 1);
	ok(et_campaign_fail_attempt(s, id, 0, 1000, "no space", false, &err) == 0 &&
			part(id, 0)->state == ET_PART_TODO && part(id, 0)->failures == 1,
		"failure: an attempt that never announced itself can fail");
	is_str(part(id, 0)->error, "no space", "failure: the reason is recorded");
	ok(et_campaign_fail_attempt(s, id, 0, 1000, "no space", false, &err) == 0 &&
			part(id, 0)->failures == 1,
		"failure: the same attempt is counted once");
	ok(et_campaign_begin_attempt(s, id, 0, 2000, "n1", NULL, &err) == 0 &&
			et_campaign_fail_attempt(s, id, 0, 2000, "no space", false, &err) == 0 &&
			part(id, 0)->failures == 2,
		"failure: the next attempt with the same reason is the second");
	ok(et_campaign_fail_attempt(s, id, 0, 2001, "lost", false, &err) == 0 &&
			part(id, 0)->failures == 1,
		"failure: another reason counts from 1");
	ok(et_campaign_fail_attempt(s, id, 0, 2001, "lost", true, &err) == 0 &&
			part(id, 0)->state == ET_PART_FAILED && part(id, 0)->failures == 1,
		"failure: the last attempt is made final");
	ok(et_campaign_fail_attempt(s, id, 0, 2001, "lost", false, &err) == 0 &&
			part(id, 0)->state == ET_PART_FAILED,
		"failure: a final one stays final");
	ok(et_campaign_begin_attempt(s, id, 0, 3000, "n1", NULL, &err) == 0 &&
			part(id, 0)->state == ET_PART_RUNNING,
		"failure: a later attempt may try again");
}

static void refreshing(struct et_store *s)
{
	const char *id = "20261116-150000-abcdef";
	struct et_campaign *c = NULL;
	struct et_store *other = open_store();

	begin(s, id, NULL, 1);
	ok(et_campaign_load(s, id, &c, &err) == 0, "refresh: the campaign is loaded");
	ok(et_campaign_begin_attempt(other, id, 1, 1000, "n2", NULL, &err) == 0 &&
			et_campaign_refresh(s, c, &err) == 0 &&
			c->parts[1].state == ET_PART_RUNNING && c->record,
		"refresh: the change of another process is seen");
	et_store_close(other);
	et_campaign_free(c);
}

static struct et_experiment *member(const char *id, uint32_t number, uint32_t attempt)
{
	struct et_experiment *e = et_experiment_new();

	snprintf(e->id, sizeof(e->id), "%s", id);
	e->origin = ET_ORIGIN_MEASURED;
	snprintf(e->machine, sizeof(e->machine), "m1");
	e->member = (struct et_member){ .part = number, .attempt = attempt, .node = "n1" };
	snprintf(e->member.campaign, sizeof(e->member.campaign), "c");
	et_experiment_add_command(e, et_strdup("a"), et_strv_of("true", NULL));
	return e;
}

static void members(struct et_store *s)
{
	struct et_experiment *e = member("20261116-160000-000001", 4, 1000), *back = NULL;
	char id[40] = "";

	ok(et_store_begin(s, e, &err) == 0, "member: the experiment of a part is stored");
	ok(et_campaign_find_member(s, "c", 4, "m1", id, &err) == 0 && !strcmp(id, e->id),
		"member: it is found");
	ok(et_campaign_find_member(s, "c", 4, "m2", id, &err) == -ENOENT &&
			et_campaign_find_member(s, "c", 5, "m1", id, &err) == -ENOENT,
		"member: that of another machine or part is not taken for it");
	ok(et_campaign_set_attempt(s, e->id, 1002, "n3", &err) == 0 &&
			et_store_load(s, e->id, &back, &err) == 0 && back->member.attempt == 1002 &&
			!strcmp(back->member.node, "n3"),
		"member: the attempt that continues it is recorded");
	et_experiment_free(back);
	et_experiment_free(e);
}

int main(void)
{
	char folder[] = "/tmp/etalon-test-XXXXXX", command[400];
	const char *given = getenv("ET_TEST_STORE");

	if (!given && !mkdtemp(folder))
		tap_bail("no temporary folder");
	if (given)
		snprintf(url, sizeof(url), "%s", given);
	else
		snprintf(url, sizeof(url), "sqlite:%s/store.db", folder);
	struct et_store *s = open_store();
	round_trip(s);
	finding(s);
	submitting(s);
	attempts(s);
	failures(s);
	refreshing(s);
	members(s);
	et_store_close(s);
	if (!given) {
		snprintf(command, sizeof(command), "rm -rf '%s'", folder);
		ok(system(command) == 0, "the test's folder is removed");
	}
	return tap_done();
}
