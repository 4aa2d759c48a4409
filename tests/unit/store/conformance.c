/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The promises of store.h, which every back end must keep, tested through that interface only.
 * ET_TEST_STORE names the store to test, which should be empty; without it the test makes a SQLite
 * file.
 */
#include "specimen.h"
#include "store/core/store.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

static char url[300];

static struct et_store *open_store(enum et_store_mode mode)
{
	struct et_store *s = NULL;
	struct et_error err = { 0 };

	if (et_store_open(url, mode, &s, &err))
		tap_bail("%s", err.what);
	return s;
}

/* Loads the experiment through a new handle, which sees only what is durable. */
static struct et_experiment *load_afresh(const char *id)
{
	struct et_store *s = open_store(ET_STORE_READ);
	struct et_experiment *e = NULL;
	struct et_error err = { 0 };

	if (et_store_load(s, id, &e, &err))
		printf("# load %s: %s\n", id, err.what);
	et_store_close(s);
	return e;
}

static void round_trip(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen("20251115-085506-aaaaaa"), *back;
	struct et_error err = { 0 };

	is_str(et_store_url(s), url, "url: the store returns the URL that it was opened with");
	ok(et_store_begin(s, e, &err) == 0, "begin: an experiment is kept");
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back),
		"begin: the whole plan is durable and comes back unchanged");
	et_experiment_free(back);

	for (uint32_t order = 1; order <= 6; order++) {
		for (uint32_t command = 0; command < 2; command++) {
			struct et_sample sample = specimen_sample(command, order);
			specimen_culprits(&sample, order % 4);
			et_experiment_add(e, &sample);
			if (et_store_add(s, e->id, &sample, &err))
				printf("# %s\n", err.what);
		}
	}
	ok(et_store_flush(s, &err) == 0, "flush: the group is committed");
	ok(et_store_flush(s, &err) == 0, "flush: without an open group it succeeds");
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back), "add: all samples come back unchanged");
	ok(back && sample_of(&back->commands[1], 2)->place.index == 3,
		"load: samples are numbered per command");
	et_experiment_free(back);

	struct et_sample twice = specimen_sample(0, 3), next = specimen_sample(0, 7);
	ok(et_store_add(s, e->id, &next, &err) == 0, "add: another sample after a flush is added");
	ok(et_store_add(s, e->id, &twice, &err) == -EEXIST && err.exit == ET_EXIT_OUTSIDE,
		"add: the same run of the same command is refused the second time");
	ok(et_store_flush(s, &err) == 0,
		"add: after a refusal the rest of the group can be flushed");
	et_experiment_add(e, &next);
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back), "add: a refused sample changes nothing");
	et_experiment_free(back);
	ok(et_store_begin(s, e, &err) == -EEXIST && err.exit == ET_EXIT_USAGE,
		"begin: the same id is refused the second time");
	ok(et_store_add(s, "nosuch", &next, &err) == -ENOENT,
		"add: a sample of an unknown experiment is refused");
	et_store_close(s);
	et_experiment_free(e);
}

/* The head of an experiment with samples: what was kept when it began. */
static void heads(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen("20251115-085506-dddddd"), *head = NULL;
	struct et_sample sample = specimen_sample(1, 1);
	struct et_error err = { 0 };

	specimen_culprits(&sample, 2);
	int rc = et_store_begin(s, e, &err);
	rc = rc ? rc : et_store_add(s, e->id, &sample, &err);
	rc = rc ? rc : et_store_flush(s, &err);
	ok(rc == 0 && et_store_load_head(s, e->id, &head, &err) == 0,
		"head: the head of an experiment with samples is loaded");
	ok(head && same_experiment(e, head), "head: it has the whole plan and no samples");
	et_experiment_free(head);
	head = NULL;
	ok(et_store_load_head(s, "20251115-085506-000000", &head, &err) == -ENOENT && !head,
		"head: an unknown experiment is refused");
	rc = et_store_remove(s, e->id, &err);
	ok(rc == 0, "head: the experiment is removed again");
	et_experiment_free(e);
	et_store_close(s);
}

/* A change of the environment during the runs, with samples before and after it. */
static void changes(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen("20251115-085507-abcdef"), *back;
	struct et_sample one = specimen_sample(0, 1), two = specimen_sample(0, 2);
	struct et_error err = { 0 };

	int rc = et_store_begin(s, e, &err);
	et_experiment_add(e, &one);
	rc = rc ? rc : et_store_add(s, e->id, &one, &err);
	const struct et_factor *f = et_experiment_add_change(e, "network", "the link went down", 1);
	ok(rc == 0 && et_store_add_factor(s, e->id, e->n_environment - 1, f, &err) == 0,
		"add factor: a change of the environment is kept between samples");
	et_experiment_add(e, &two);
	ok(et_store_add(s, e->id, &two, &err) == 0 && et_store_flush(s, &err) == 0,
		"add factor: samples can be added after it");
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back),
		"add factor: the change and the samples come back unchanged");
	ok(et_store_add_factor(s, "20251115-085507-000000", 0, f, &err) == -ENOENT,
		"add factor: an experiment that is not in the store is refused");
	et_experiment_free(back);
	et_experiment_free(e);
	et_store_close(s);
}

static void not_flushed(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen("20251115-085507-bbbbbb"), *back;
	struct et_sample sample = specimen_sample(0, 1);
	struct et_error err = { 0 };

	ok(et_store_begin(s, e, &err) == 0 && et_store_add(s, e->id, &sample, &err) == 0,
		"close: a sample is added");
	et_store_close(s);
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back), "close: a group that was not flushed is dropped");
	et_experiment_free(back);
	et_experiment_free(e);
}

static void states(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen("20251115-085508-cccccc"), *back;
	struct et_sample sample = specimen_sample(0, 2);
	struct et_error err = { 0 };
	char id[40];

	e->started_wall_ns += 1000;
	ok(et_store_begin(s, e, &err) == 0 && et_store_add(s, e->id, &sample, &err) == 0,
		"state: an experiment with a sample begins");
	ok(et_store_set_state(s, e->id, ET_STATE_INTERRUPTED, 42, &err) == 0,
		"state: interrupted is recorded");
	back = load_afresh(e->id);
	ok(back && back->state == ET_STATE_INTERRUPTED && back->finished_wall_ns == 42 &&
			back->commands[0].samples.n == 1,
		"state: it is durable, and the open group with it");
	et_experiment_free(back);
	ok(et_store_find_unfinished(s, e->machine, id, &err) == 0 && !strcmp(id, e->id),
		"find: the newest unfinished experiment is found");

	ok(et_store_find_unfinished(s, "another machine", id, &err) == -ENOENT,
		"find: an unfinished experiment of another machine is not found");

	memset(&sample.ruling.removal, 0, sizeof(sample.ruling.removal));
	sample.ruling.removal.by = ET_REMOVED_TWO_SIGMA;
	ok(et_store_set_removal(s, e->id, &sample, &err) == 0 && et_store_flush(s, &err) == 0,
		"removal: it is recorded");
	back = load_afresh(e->id);
	ok(back && same_sample(sample_of(&back->commands[0], 0), &sample),
		"removal: it comes back unchanged");
	et_experiment_free(back);
	sample.place.order = 99;
	ok(et_store_set_removal(s, e->id, &sample, &err) == -ENOENT,
		"removal: a sample that is not in the store is refused");
	ok(et_store_set_state(s, "nosuch", ET_STATE_DONE, 1, &err) == -ENOENT,
		"state: an unknown id is refused");

	e->protocol = ET_PROTOCOL_EMP;
	e->metric = ET_METRIC_CPU;
	e->plan.keep_all = false;
	e->first_check = (struct et_first_check){ ET_FIRST_CHECK_DONE, 5, 3, 0 };
	ok(et_store_set_checks(s, e, &err) == 0 && et_store_flush(s, &err) == 0,
		"checks: they are recorded");
	back = load_afresh(e->id);
	ok(back && back->protocol == ET_PROTOCOL_EMP && back->metric == ET_METRIC_CPU &&
			!back->plan.keep_all &&
			same_fields(et_first_check_fields, &e->first_check, &back->first_check),
		"checks: they come back unchanged");
	et_experiment_free(back);
	e->first_check.state = (enum et_first_check_state)99;
	ok(et_store_set_checks(s, e, &err) < 0 && strstr(err.what, "state"),
		"checks: a state without a name is refused");
	e->first_check.state = ET_FIRST_CHECK_NONE;
	e->id[0] = 'x';
	ok(et_store_set_checks(s, e, &err) == -ENOENT, "checks: an unknown id is refused");
	e->id[0] = '2';

	e->plan.gate = true;
	e->plan.regression_ratio = 0.05;
	e->plan.undecided = 125;
	e->plan.max_runs = 77;
	ok(et_store_set_plan(s, e, &err) == 0, "plan: another gate and budget are recorded");
	back = load_afresh(e->id);
	ok(back && same_fields(et_plan_fields, &e->plan, &back->plan),
		"plan: they come back unchanged");
	et_experiment_free(back);
	e->plan.undecided = 256;
	ok(et_store_set_plan(s, e, &err) < 0 && strstr(err.what, "undecided"),
		"plan: an exit status above 255 is refused");
	e->plan.undecided = 0;

	ok(et_store_set_state(s, e->id, ET_STATE_DONE, 43, &err) == 0, "state: done is recorded");
	ok(et_store_find_unfinished(s, e->machine, id, &err) == 0 && strcmp(id, e->id) != 0,
		"find: a finished experiment is not unfinished");
	ok(et_store_set_state(s, e->id, ET_STATE_RUNNING, 44, &err) == 0,
		"state: a finished experiment is resumed");
	back = load_afresh(e->id);
	ok(back && back->state == ET_STATE_RUNNING && back->finished_wall_ns == 0,
		"state: a running experiment has no end time");
	et_experiment_free(back);
	et_store_close(s);
	et_experiment_free(e);
}

/* Experiments that are newer and unfinished, but not measured on this machine. */
static void origins(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *imported = specimen("20251115-090000-dddddd");
	struct et_experiment *unknown = specimen("20251115-090001-eeeeee"), *back;
	struct et_error err = { 0 };
	char id[40];

	imported->origin = ET_ORIGIN_IMPORTED;
	unknown->origin = ET_ORIGIN_UNKNOWN;
	unknown->machine[0] = '\0';
	imported->started_wall_ns = unknown->started_wall_ns += 3600000000000u;
	ok(et_store_begin(s, imported, &err) == 0 && et_store_begin(s, unknown, &err) == 0,
		"origin: experiments that were imported, or of unknown origin, are kept");
	back = load_afresh(imported->id);
	ok(back && same_experiment(imported, back), "origin: imported comes back unchanged");
	et_experiment_free(back);
	back = load_afresh(unknown->id);
	ok(back && same_experiment(unknown, back), "origin: unknown comes back unchanged");
	et_experiment_free(back);
	ok(et_store_find_unfinished(s, imported->machine, id, &err) == 0 &&
			strcmp(id, imported->id) && strcmp(id, unknown->id),
		"origin: the newest unfinished experiment was measured on this machine");
	ok(et_store_find_unfinished(s, "", id, &err) == -ENOENT,
		"origin: an experiment of unknown origin is not unfinished");
	ok(et_store_remove(s, imported->id, &err) == 0 &&
			et_store_remove(s, unknown->id, &err) == 0,
		"origin: both experiments are removed");
	et_store_close(s);
	et_experiment_free(imported);
	et_experiment_free(unknown);
}

static int count_entry(void *ctx, const struct et_summary *entry)
{
	struct et_summary *all = ctx;
	size_t n = 0;

	while (n < 8 && all[n].id[0])
		n++;
	all[n] = *entry;
	ok(entry->first_command && !strcmp(entry->first_command, "sort") && entry->label &&
			!strcmp(entry->label, "a label") && entry->n_commands == 2,
		"list: the entry of %s is complete", entry->id);
	return n == 7;
}

static void finding(void)
{
	struct et_store *s = open_store(ET_STORE_READ);
	struct et_summary all[9] = { 0 };
	struct et_error err = { 0 };
	char id[40] = "untouched";

	ok(et_store_list(s, 0, count_entry, all, &err) == 0, "list: all experiments are listed");
	is_str(all[0].id, "20251115-085508-cccccc", "list: the newest is first");
	is_str(all[2].id, "20251115-085506-aaaaaa", "list: the oldest is last");
	ok(all[2].n_samples == 11, "list: warm-up is not counted (%d samples)",
		(int)all[2].n_samples);
	ok(all[1].n_samples == 0 && all[0].n_samples == 1,
		"list: samples that were not flushed are not counted");
	memset(all, 0, sizeof(all));
	ok(et_store_list(s, 1, count_entry, all, &err) == 0 && !all[1].id[0],
		"list: a limit of 1 lists one experiment");

	ok(et_store_find(s, "nosuch", id, &err) == -ENOENT && err.exit == ET_EXIT_USAGE &&
			err.hint[0] && !strcmp(id, "untouched"),
		"find: an unknown name is refused with a hint");
	ok(et_store_find(s, "", id, &err) == -ENOENT, "find: an empty name is refused");
	ok(et_store_find(s, "20251115", id, &err) == -EINVAL,
		"find: an ambiguous prefix is refused");
	ok(et_store_find(s, "2025111%", id, &err) == -ENOENT, "find: %% is not a wildcard");
	ok(et_store_find(s, "20251115-085506", id, &err) == 0 &&
			!strcmp(id, "20251115-085506-aaaaaa"),
		"find: a prefix of an id is enough");
	ok(et_store_find(s, "bbbbbb", id, &err) == 0 && !strcmp(id, "20251115-085507-bbbbbb"),
		"find: the end of an id");
	ok(et_store_find(s, "bbbbb", id, &err) == -ENOENT, "find: a shorter end is refused");
	ok(et_store_find(s, "20251115-085507-bbbbbb", id, &err) == 0 &&
			!strcmp(id, "20251115-085507-bbbbbb"),
		"find: an id is found");
	ok(et_store_find(s, "a label", id, &err) == 0 && !strcmp(id, "20251115-085508-cccccc"),
		"find: a label is its newest experiment");
	ok(et_store_find(s, "last", id, &err) == 0 && !strcmp(id, "20251115-085508-cccccc"),
		"find: last is the newest experiment");
	et_store_close(s);
}

static void removing(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = NULL;
	struct et_error err = { 0 };
	char id[40];

	ok(et_store_remove(s, "20251115-085506-aaaaaa", &err) == 0,
		"remove: an experiment is removed");
	ok(et_store_load(s, "20251115-085506-aaaaaa", &e, &err) == -ENOENT && !e,
		"remove: it cannot be loaded afterwards");
	ok(et_store_find(s, "20251115-085506", id, &err) == -ENOENT,
		"remove: it is not found afterwards");
	ok(et_store_remove(s, "20251115-085506-aaaaaa", &err) == -ENOENT &&
			err.exit == ET_EXIT_USAGE,
		"remove: an unknown id is refused");
	e = specimen("20251115-085506-aaaaaa");
	ok(et_store_begin(s, e, &err) == 0, "remove: the id can be used again");
	struct et_sample sample = specimen_sample(0, 1);
	ok(et_store_add(s, e->id, &sample, &err) == 0 && et_store_flush(s, &err) == 0,
		"remove: samples of the same order can be added again");
	et_store_close(s);
	et_experiment_free(e);
}

static void facts(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_error err = { 0 };
	char *value = (char *)"";

	ok(et_store_get_fact(s, "n1", "inc", &value, &err) == 0 && !value,
		"fact: an unknown one is NULL");
	ok(et_store_set_fact(s, "n1", "inc", "1", &err) == 0 &&
			et_store_set_fact(s, "n1", "inc", "2 \xc3\xa9", &err) == 0,
		"fact: one is set twice");
	et_store_close(s);
	s = open_store(ET_STORE_READ);
	ok(et_store_get_fact(s, "n1", "inc", &value, &err) == 0,
		"fact: one is read by another handle");
	is_str(value, "2 \xc3\xa9", "fact: the later value replaces the earlier one");
	free(value);
	et_store_close(s);
	s = open_store(ET_STORE_WRITE);
	ok(et_store_remove_fact(s, "n1", "inc", &err) == 0 &&
			et_store_get_fact(s, "n1", "inc", &value, &err) == 0 && !value,
		"fact: a removed one is NULL");
	ok(et_store_remove_fact(s, "n1", "inc", &err) == 0,
		"fact: removing an unknown one does nothing");
	et_store_close(s);
}

static void keeping(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen("20251115-085509-dddddd"), *back;
	struct et_error err = { 0 };

	e->state = ET_STATE_DONE;
	e->finished_wall_ns = 99;
	for (uint32_t order = 1; order <= 3; order++) {
		struct et_sample sample = specimen_sample(order % 2, order);
		specimen_culprits(&sample, 3);
		et_experiment_add(e, &sample);
	}
	ok(et_store_keep(s, e, &err) == 0, "keep: a whole experiment is kept");
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back), "keep: it comes back unchanged");
	et_experiment_free(back);

	strcpy(e->id, "20251115-085510-eeeeee");
	sample_of(&e->commands[1], 1)->place.order = sample_of(&e->commands[1], 0)->place.order;
	ok(et_store_keep(s, e, &err) == -EEXIST, "keep: two samples of the same order are refused");
	ok(et_store_load(s, e->id, &back, &err) == -ENOENT,
		"keep: nothing of a refused experiment is kept");
	et_store_close(s);
	et_experiment_free(e);
}

/* Is the error one that names the value, with a hint? */
static bool refused(int rc, const struct et_error *err, const char *name)
{
	bool good = rc == -EINVAL && err->exit == ET_EXIT_OUTSIDE && strstr(err->what, name) &&
		    err->hint[0];

	if (!good)
		printf("# returned %d: %s\n", rc, err->what);
	return good;
}

/* A value that a reader would call damage must not get into the store. */
static void refusing_experiments(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen("20251115-120000-000001"), *back = NULL;
	struct et_error err = { 0 };

	e->child.nice = 25;
	ok(refused(et_store_begin(s, e, &err), &err, "nice = 25"),
		"refusal: nice 25 is not kept, the error names it");
	e->child.nice = 19;
	e->plan.level = 1.5;
	ok(refused(et_store_begin(s, e, &err), &err, "level = 1.5"),
		"refusal: a confidence level above 1 is not kept");
	e->plan.level = NAN;
	ok(refused(et_store_begin(s, e, &err), &err, "level"),
		"refusal: a confidence level that is not a number is not kept");
	e->plan.level = 0.95;
	memset(e->host.kernel, 'x', sizeof(e->host.kernel));
	ok(refused(et_store_begin(s, e, &err), &err, "kernel"),
		"refusal: a text without its NUL is not kept");
	strcpy(e->host.kernel, "6.1.0");
	e->started_wall_ns = UINT64_MAX;
	ok(refused(et_store_begin(s, e, &err), &err, "started_wall_ns"),
		"refusal: a time after the year 2262 is not kept");
	e->started_wall_ns = 1763196906000000000u;
	e->plan.reference = 2;
	ok(et_store_begin(s, e, &err) == -EINVAL, "refusal: the reference must be a command");
	e->plan.reference = 1;
	free(e->label);
	e->label = et_alloc(5 << 20);
	memset(e->label, 'x', (5 << 20) - 1);
	e->label[(5 << 20) - 1] = '\0';
	ok(refused(et_store_begin(s, e, &err), &err, "label"),
		"refusal: a label of 5 MiB is not kept");
	ok(et_store_load(s, e->id, &back, &err) == -ENOENT,
		"refusal: nothing of a refused experiment is kept");
	e->label[10] = '\0';
	ok(et_store_begin(s, e, &err) == 0, "refusal: the corrected experiment is kept");
	et_store_close(s);
	et_experiment_free(e);
}

static void refusing_samples(void)
{
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen("20251115-120000-000002"), *back;
	struct et_sample good = specimen_sample(0, 1), sample = specimen_sample(0, 2);
	struct et_error err = { 0 };

	specimen_culprits(&good, 2);
	et_experiment_add(e, &good);
	ok(et_store_begin(s, e, &err) == 0 && et_store_add(s, e->id, &good, &err) == 0,
		"refusal: a valid sample is added");
	sample.measured.exit_code = 300;
	ok(refused(et_store_add(s, e->id, &sample, &err), &err, "exit_code = 300"),
		"refusal: exit code 300 is not kept, the error names it");
	sample = specimen_sample(0, 2);
	sample.place.arrangement = (enum et_arrangement)99;
	ok(refused(et_store_add(s, e->id, &sample, &err), &err, "arrangement"),
		"refusal: an arrangement without a name is not kept");
	sample = specimen_sample(2, 2);
	ok(refused(et_store_add(s, e->id, &sample, &err), &err, "command 3"),
		"refusal: a sample of an unknown command is not kept");
	sample = specimen_sample(0, 2);
	sample.place.partner = 2;
	ok(refused(et_store_add(s, e->id, &sample, &err), &err, "partner 3"),
		"refusal: a sample with an unknown partner is not kept");
	sample = specimen_sample(0, 2);
	specimen_culprits(&sample, 3);
	sample.measured.culprits[2].pid = -1;
	ok(refused(et_store_add(s, e->id, &sample, &err), &err, "pid = -1"),
		"refusal: a culprit with a negative PID is not kept");
	sample = specimen_sample(0, 1);
	memset(sample.ruling.removal.daemon, 'x', sizeof(sample.ruling.removal.daemon));
	ok(refused(et_store_set_removal(s, e->id, &sample, &err), &err, "daemon"),
		"refusal: a removal with an endless name is not recorded");
	ok(et_store_flush(s, &err) == 0, "refusal: the group can still be flushed");
	back = load_afresh(e->id);
	ok(back && same_experiment(e, back), "refusal: valid samples of the group are kept");
	et_experiment_free(back);
	et_store_close(s);
	et_experiment_free(e);
}

/* A child that writes count samples and, after each group, the number of durable ones to a pipe. */
static pid_t start_writer(const char *id, uint32_t count, uint32_t group, int out)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_experiment *e = specimen(id);
	struct et_error err = { 0 };
	int rc = et_store_begin(s, e, &err);

	for (uint32_t order = 1; !rc && order <= count; order++) {
		struct et_sample sample = specimen_sample(0, order);
		specimen_culprits(&sample, 3);
		rc = et_store_add(s, id, &sample, &err);
		if (!rc && order % group == 0 && !(rc = et_store_flush(s, &err)))
			rc = write(out, &order, sizeof(order)) != sizeof(order);
	}
	if (rc)
		fprintf(stderr, "# writer: %s\n", err.what);
	et_store_close(s);
	et_experiment_free(e);
	_exit(rc ? 1 : 0);
}

static void two_writers(void)
{
	int pipes[2], status[2];
	pid_t pid[2];

	if (pipe(pipes))
		return;
	pid[0] = start_writer("20251115-090000-000001", 150, 3, pipes[1]);
	pid[1] = start_writer("20251115-090000-000002", 150, 5, pipes[1]);
	for (int i = 0; i < 2; i++)
		waitpid(pid[i], &status[i], 0);
	ok(status[0] == 0 && status[1] == 0, "writers: two at the same time succeed");
	for (int i = 0; i < 2; i++) {
		struct et_experiment *e =
			load_afresh(i ? "20251115-090000-000002" : "20251115-090000-000001");
		ok(e && e->commands[0].samples.n == 150,
			"writers: all samples of writer %d are kept", i + 1);
		et_experiment_free(e);
	}
	close(pipes[0]);
	close(pipes[1]);
}

static void killed(int round, useconds_t after_us)
{
	char id[40];
	uint32_t order, durable = 0;
	int pipes[2];

	if (pipe(pipes))
		return;
	snprintf(id, sizeof(id), "20251115-100000-00000%d", round);
	pid_t pid = start_writer(id, 1000000, 2, pipes[1]);
	close(pipes[1]);
	/* The kill comes after the first groups, at a moment that differs from round to round. */
	while (durable < 4 && read(pipes[0], &order, sizeof(order)) == sizeof(order))
		durable = order;
	usleep(after_us);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while (read(pipes[0], &order, sizeof(order)) == sizeof(order))
		durable = order;
	close(pipes[0]);

	struct et_experiment *e = load_afresh(id);
	size_t n = e ? e->commands[0].samples.n : 0;
	ok(n >= durable && n % 2 == 0 && e && e->state == ET_STATE_RUNNING,
		"kill -9: %u samples were flushed, %zu are kept", durable, n);
	bool whole = true;
	for (size_t i = 0; i < n; i++) {
		struct et_sample want = specimen_sample(0, (uint32_t)i + 1);
		specimen_culprits(&want, 3);
		whole = whole && same_sample(&want, sample_of(&e->commands[0], i)) &&
			sample_of(&e->commands[0], i)->measured.n_culprits == 3;
	}
	ok(whole, "kill -9: every kept sample is complete");
	et_experiment_free(e);
}

/* A child that claims the experiment, writes one byte when it has it, and waits to be killed. */
static pid_t start_claimer(const char *id, int ready)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	struct et_store *s = open_store(ET_STORE_WRITE);
	struct et_error err = { 0 };

	if (et_store_claim(s, id, &err) || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void claims(void)
{
	/* Another copy of this test may use the same store. */
	char id[40], other[40];
	snprintf(id, sizeof(id), "20251115-110000-%06d", (int)getpid() % 1000000);
	snprintf(other, sizeof(other), "20251115-110001-%06d", (int)getpid() % 1000000);
	struct et_store *s = open_store(ET_STORE_WRITE), *second = open_store(ET_STORE_WRITE);
	struct et_error err = { 0 };
	char byte;
	int pipes[2];

	ok(et_store_claim(s, id, &err) == 0, "claim: an experiment that is not kept yet is locked");
	ok(et_store_claim(second, id, &err) == -EBUSY && err.exit == ET_EXIT_USAGE && err.hint[0],
		"claim: a second handle is refused with a hint");
	ok(et_store_claim(second, other, &err) == 0, "claim: another experiment is free");
	et_store_release(s);
	et_store_release(s);
	et_store_release(second);
	ok(et_store_claim(second, id, &err) == 0, "claim: a released experiment is free");
	et_store_close(second);
	ok(et_store_claim(s, id, &err) == 0, "claim: closing the store releases the experiment");
	et_store_release(s);

	if (pipe(pipes))
		return;
	pid_t pid = start_claimer(id, pipes[1]);
	ok(read(pipes[0], &byte, 1) == 1, "claim: another process locks the experiment");
	ok(et_store_claim(s, id, &err) == -EBUSY, "claim: the lock holds between processes");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(et_store_claim(s, id, &err) == 0, "claim: a killed process loses its lock");
	pid = fork(); /* a child that was not made to execute another program */
	if (pid == 0) {
		for (;;)
			pause();
	}
	second = open_store(ET_STORE_WRITE);
	ok(et_store_claim(second, id, &err) == -EBUSY, "claim: a fork does not lose the lock");
	et_store_release(s);
	ok(et_store_claim(second, id, &err) == 0,
		"claim: a released experiment is free, although a forked child lives");
	et_store_close(second);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pipes[0]);
	close(pipes[1]);
	et_store_close(s);
}

int main(void)
{
	char folder[] = "/tmp/etalon-test-XXXXXX";
	const char *given = getenv("ET_TEST_STORE");

	if (!given && !mkdtemp(folder))
		return 1;
	if (given)
		snprintf(url, sizeof(url), "%s", given);
	else
		snprintf(url, sizeof(url), "sqlite:%s/store.db", folder);
	round_trip();
	not_flushed();
	states();
	origins();
	finding();
	heads();
	removing();
	facts();
	keeping();
	refusing_experiments();
	refusing_samples();
	two_writers();
	claims();
	changes();
	for (int i = 0; i < 6; i++)
		killed(i, (useconds_t)(i * 1700 + 300));
	if (!given) {
		char command[400];
		snprintf(command, sizeof(command), "rm -rf '%s'", folder);
		ok(system(command) == 0, "the test's folder is removed");
	}
	return tap_done();
}
