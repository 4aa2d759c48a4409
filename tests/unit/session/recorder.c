/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder on a clock of our own and a real store: when samples become durable, how long they
 * wait, and what happens to them when the store fails. A sample is durable when a second handle
 * on the store finds it.
 */
#include "session/recorder.h"
#include "unit/store/specimen.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint64_t MS = 1000000;
static const char id[] = "20251115-085506-aaaaaa";

static char folder[] = "/tmp/etalon-test-XXXXXX";
static char path[300];
static struct et_error err;
static uint64_t now_ns;

static uint64_t fake_now(void *ctx)
{
	(void)ctx;
	return now_ns;
}

static const struct et_clock fake_clock = { .now_ns = fake_now };

/* A new store with an experiment that has no samples, and a recorder for it. */
static struct et_recorder open_recorder(const char *name)
{
	struct et_recorder r = { .id = id, .clock = &fake_clock };
	struct et_experiment *e = specimen(id);

	now_ns = 1000 * MS;
	memset(&err, 0, sizeof(err));
	snprintf(path, sizeof(path), "%s/%s.db", folder, name);
	if (et_store_open(path, ET_STORE_WRITE, &r.store, &err) || et_store_begin(r.store, e, &err))
		tap_bail("%s", err.what);
	et_experiment_free(e);
	return r;
}

static void close_recorder(struct et_recorder *r)
{
	et_store_close(r->store);
	et_recorder_free(r);
}

/* The experiment as a second handle finds it; caller frees. */
static struct et_experiment *load(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = NULL;
	struct et_error why;

	if (et_store_open(path, ET_STORE_READ, &s, &why) || et_store_load(s, id, &e, &why))
		tap_bail("%s", why.what);
	et_store_close(s);
	return e;
}

static size_t count_durable(void)
{
	struct et_experiment *e = load();
	size_t n = e->commands[0].samples.n + e->commands[1].samples.n;

	et_experiment_free(e);
	return n;
}

static void keep(struct et_recorder *r, uint32_t order)
{
	struct et_sample s = specimen_sample(0, order);

	specimen_culprits(&s, 2);
	et_recorder_keep(r, &s, 1);
}

static void test_long_programs(void)
{
	struct et_recorder r = open_recorder("long");

	ok(et_recorder_settle(&r, 0, &err) == 0 && count_durable() == 0,
		"recorder: settle without samples does nothing");
	keep(&r, 1);
	ok(count_durable() == 0, "recorder: keep alone does not write");
	ok(et_recorder_settle(&r, 20 * MS, &err) == 0 && count_durable() == 1,
		"recorder: a sample is durable before a run of 20 ms");
	keep(&r, 2);
	ok(et_recorder_settle(&r, 3600 * 1000 * MS, &err) == 0 && count_durable() == 2,
		"recorder: a sample is durable before a run of an hour");
	keep(&r, 3);
	ok(et_recorder_settle(&r, UINT64_MAX, &err) == 0 && count_durable() == 3,
		"recorder: a sample is durable before a run of unknown length");
	keep(&r, 4);
	ok(et_recorder_settle(&r, 20 * MS - 1, &err) == 0 && count_durable() == 3,
		"recorder: a sample may wait during a run of less than 20 ms");
	ok(et_recorder_flush(&r, &err) == 0 && count_durable() == 4,
		"recorder: flush makes the waiting sample durable");
	ok(et_recorder_flush(&r, &err) == 0, "recorder: flush without samples succeeds");
	close_recorder(&r);
}

static void test_contents(void)
{
	struct et_recorder r = open_recorder("contents");
	struct et_sample pair[2] = { specimen_sample(0, 3), specimen_sample(1, 3) };

	specimen_culprits(&pair[0], 3);
	et_recorder_keep(&r, pair, 2);
	if (et_recorder_flush(&r, &err))
		tap_bail("%s", err.what);
	struct et_experiment *e = load();
	ok(e->commands[0].samples.n == 1 && e->commands[1].samples.n == 1,
		"recorder: both samples of a duet are written");
	ok(same_sample(sample_of(&e->commands[0], 0), &pair[0]),
		"recorder: a sample is written with its culprits");
	et_experiment_free(e);
	close_recorder(&r);
}

/*
 * Runs of which each is expected to take expected_ns and takes actual_ns. Checks at the end of
 * each run that no sample that waits was finished more than 50 ms ago.
 */
static void check_groups(uint64_t expected_ns, uint64_t actual_ns, uint32_t runs)
{
	char name[64];
	uint64_t finished_ns[400] = { 0 }, longest_ns = 0;
	uint32_t written = 0, flushes = 0;

	snprintf(name, sizeof(name), "%llu-%llu", (unsigned long long)expected_ns,
		(unsigned long long)actual_ns);
	struct et_recorder r = open_recorder(name);
	for (uint32_t order = 1; order <= runs; order++) {
		if (et_recorder_settle(&r, expected_ns, &err))
			tap_bail("%s", err.what);
		if (order > 1 && !r.n) {
			written = order - 1;
			flushes++;
		}
		now_ns += actual_ns;
		uint64_t wait_ns = written + 1 < order ? now_ns - finished_ns[written] : 0;
		longest_ns = wait_ns > longest_ns ? wait_ns : longest_ns;
		finished_ns[order - 1] = now_ns;
		keep(&r, order);
	}
	ok(count_durable() == written,
		"recorder: %u samples of %.3g ms: what was flushed is durable", runs,
		(double)expected_ns / MS);
	ok(longest_ns <= 50 * MS,
		"recorder: no sample waits longer than 50 ms when runs of %.3g ms take %.3g ms",
		(double)expected_ns / MS, (double)actual_ns / MS);
	ok(flushes <= 2 + runs * actual_ns / (10 * MS),
		"recorder: runs of %.3g ms are committed in groups", (double)actual_ns / MS);
	close_recorder(&r);
}

static void test_short_programs(void)
{
	static const uint64_t us[] = { 100, 1000, 3000, 10000, 19999 };

	for (size_t i = 0; i < ET_LENGTH(us); i++) {
		uint32_t runs = us[i] < 1000 ? 400 : 60;
		check_groups(us[i] * 1000, us[i] * 1000, runs);
		check_groups(us[i] * 1000, 2 * us[i] * 1000, runs);
	}
}

static void test_refused_sample(void)
{
	struct et_recorder r = open_recorder("refused");

	keep(&r, 1);
	struct et_sample bad = specimen_sample(7, 2); /* there is no such command */
	et_recorder_keep(&r, &bad, 1);
	keep(&r, 3);
	ok(et_recorder_settle(&r, 20 * MS, &err) != 0 && err.what[0],
		"recorder: a sample that the store refuses is an error");
	ok(count_durable() == 2,
		"recorder: the samples before and after a refused one are durable");
	ok(et_recorder_flush(&r, &err) != 0, "recorder: a refused sample is not forgotten");
	close_recorder(&r);
}

static void test_full_disk(void)
{
	struct et_recorder r = open_recorder("full");
	struct rlimit old, limit;
	uint32_t order = 1, durable = 0;
	int rc = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &old))
		tap_bail("getrlimit");
	limit = (struct rlimit){ 300000, old.rlim_max };
	if (setrlimit(RLIMIT_FSIZE, &limit))
		tap_bail("setrlimit");
	for (; rc == 0 && order < 20000; order++) {
		keep(&r, order);
		rc = et_recorder_settle(&r, 20 * MS, &err);
		durable += rc == 0;
	}
	ok(rc < 0 && err.exit == ET_EXIT_OUTSIDE && strstr(err.what, path),
		"recorder: a full disk is an error that names the store");
	if (setrlimit(RLIMIT_FSIZE, &old))
		tap_bail("setrlimit");
	ok(count_durable() == durable, "recorder: a full disk loses no sample that was flushed");
	keep(&r, order);
	ok(et_recorder_flush(&r, &err) == 0 && count_durable() == order,
		"recorder: no sample is lost or doubled once there is space");
	close_recorder(&r);
}

static void test_unfinished(void)
{
	struct et_recorder r = open_recorder("unfinished");

	keep(&r, 1);
	close_recorder(&r);
	ok(count_durable() == 0 && !r.waiting,
		"recorder: free drops samples that were not flushed");
}

int main(void)
{
	if (!mkdtemp(folder))
		tap_bail("mkdtemp");
	test_long_programs();
	test_contents();
	test_short_programs();
	test_refused_sample();
	test_full_disk();
	test_unfinished();
	ET_AUTO_FREE char *clean = et_asprintf("rm -rf %s", folder);
	ok(system(clean) == 0, "recorder: the test cleans up");
	return tap_done();
}
