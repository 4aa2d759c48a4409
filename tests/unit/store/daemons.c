/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the papers' record of daemons, also truncated and damaged; keeps cutoffs in a store. */
#include "store/import/daemons.h"
#include "base/base.h"
#include "store/core/cutoffs.h"
#include "tap.h"

#include <errno.h>

static char *load(size_t *size)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/golden/emp-daemons.json", getenv("ET_TEST_DATA"));
	FILE *f = fopen(path, "re");
	char *data = et_alloc(1 << 16);

	*size = f ? fread(data, 1, 1 << 16, f) : 0;
	if (f)
		fclose(f);
	return data;
}

static void test_golden(const char *data, size_t size)
{
	struct et_daemon_record r;
	struct et_error err;

	if (!ok(!et_daemon_record_read(data, size, "golden", &r, &err),
		    "record: the papers' file is read"))
		return;
	ok(r.has_long && r.short_run.samples == 800 && r.long_run.samples == 40,
		"record: it has a short and a long run");
	ok(r.short_run.n_listed == 16 && r.short_run.n_central == 9 && !r.short_run.whole,
		"record: the short run has its L-samples and its cluster");
	ok(r.resolution_ms == 1, "record: the resolution is 1 ms");
	bool sorted = true;
	for (size_t i = 1; i < r.n_names; i++)
		sorted = sorted && strcmp(r.names[i - 1], r.names[i]) < 0;
	ok(sorted, "record: names are sorted");
	const struct et_daemon_sample *w = &r.short_run.listed[0];
	const struct et_execution *x = &r.short_run.executions[w->first + 6];
	ok(w->number == 75 && w->n == 8 && x->ms == 35176 && !strcmp(r.names[x->name], "rhn_check"),
		"record: an execution belongs to the right sample and daemon");
	et_daemon_record_free(&r);
}

/* No input makes the reader leak or read beyond the end; the sanitizers would report it. */
static void test_damaged(const char *data, size_t size)
{
	struct et_daemon_record r;
	struct et_error err;
	size_t accepted = 0;

	for (size_t n = 0; n + 2 < size; n += 7)
		accepted += et_daemon_record_read(data, n, "cut", &r, &err) == 0;
	ok(!accepted, "record: no truncated file is accepted");
	ET_AUTO_FREE char *copy = et_alloc(size);
	size_t refused = 0;
	for (size_t i = 0; i < size; i += 5) {
		memcpy(copy, data, size);
		copy[i] = "0-[]{}\",a\\\x01\xff"[i % 12];
		int rc = et_daemon_record_read(copy, size, "damaged", &r, &err);
		refused += rc == -EINVAL && err.exit == ET_EXIT_USAGE;
		if (rc == 0)
			et_daemon_record_free(&r);
	}
	ok(refused > size / 20,
		"record: of the damaged files %zu are refused, none crashes the reader", refused);
}

static void test_cutoffs(void)
{
	char dir[] = "/tmp/etalon-cutoffs.XXXXXX", path[300];
	const char *given = getenv("ET_TEST_STORE");
	struct et_cutoff list[] = {
		{ "a\"b\n", 1.5, NAN, NAN, NAN, 0, { 1.5 }, 1 },
		{ "cron", 4, 10.25, 3600, 180, 7, { 4, 10.25 }, 2 },
	};
	struct et_cutoffs out, in = { .list = list,
		.n = 2,
		.learned_wall_ns = 1794733500000000123,
		.host = "box",
		.kernel = "6.1",
		.machine = "0123 box",
		.services = "89abcdef",
		.tuned = true,
		.floor_ms = 0.25,
		.short_id = "20261116-1",
		.short_runs = 300,
		.short_seconds = 1.25,
		.long_seconds = NAN };
	struct et_store *s;
	struct et_error err;
	bool there = true;

	if (!ok(mkdtemp(dir) != NULL, "cutoffs: the test has a folder"))
		return;
	snprintf(path, sizeof(path), given ? "%s" : "%s/db", given ? given : dir);
	ok(!et_store_open(path, ET_STORE_WRITE, &s, &err), "cutoffs: the test has a store");
	ok(!et_cutoffs_load(s, "0123 box", "box", &out, &there, &err) && !there,
		"cutoffs: a new store has none");
	ok(!et_cutoffs_keep(s, &in, &err), "cutoffs: they are kept");
	ok(!et_cutoffs_load(s, "other", "other", &out, &there, &err) && !there,
		"cutoffs: another machine has none");
	if (ok(!et_cutoffs_load(s, "0123 box", "box", &out, &there, &err) && there,
		    "cutoffs: the machine's own are read")) {
		ok(out.n == 2 && out.learned_wall_ns == in.learned_wall_ns &&
				out.short_runs == 300 && out.short_seconds == 1.25 &&
				isnan(out.long_seconds) && !strcmp(out.kernel, "6.1"),
			"cutoffs: their provenance comes back");
		ok(!strcmp(out.machine, "0123 box") && !strcmp(out.services, "89abcdef") &&
				out.tuned && out.floor_ms == 0.25 &&
				!strcmp(out.short_id, "20261116-1") && !*out.long_id,
			"cutoffs: the machine, its services and the experiments come back");
		ok(!strcmp(out.list[0].daemon, "a\"b\n") && isnan(out.list[0].long_ms) &&
				out.list[0].n_final == 1,
			"cutoffs: a name with a quote and a line feed comes back");
		ok(out.list[1].final_ms[1] == 10.25 && out.list[1].task_time_s == 180 &&
				out.list[1].sightings == 7 && out.list[0].sightings == 0 &&
				et_cutoff_for(&out.list[1], 179) == 4 &&
				et_cutoff_for(&out.list[1], 180) == 10.25,
			"cutoffs: the figures come back");
		et_cutoffs_free(&out);
	}
	ok(!et_cutoffs_load(s, "0123 box", "renamed", &out, &there, &err) && there,
		"cutoffs: a machine that was renamed keeps its own");
	if (there)
		et_cutoffs_free(&out);
	ok(!et_cutoffs_load(s, "4567 box", "box", &out, &there, &err) && !there,
		"cutoffs: another machine of the same name has none");
	in.machine[0] = '\0'; /* as earlier versions kept them */
	ok(!et_cutoffs_keep(s, &in, &err) &&
			!et_cutoffs_load(s, "4567 box", "box", &out, &there, &err) && there,
		"cutoffs: those of an earlier version are found by the name of the host");
	if (there)
		et_cutoffs_free(&out);
	static const char *const damaged[] = { "{", "{}", "{\"daemons\": 3}", "{\"daemons\": [1]}",
		"{\"daemons\": [{\"daemon\": \"x\"}]}",
		"{\"daemons\": [{\"daemon\": \"x\", \"final_ms\": [-1]}]}" };
	for (size_t i = 0; i < ET_LENGTH(damaged); i++)
		ok(!et_store_set_fact(s, "0123 box", "daemon-cutoffs", damaged[i], &err) &&
				et_cutoffs_load(s, "0123 box", "box", &out, &there, &err) ==
					-EINVAL &&
				err.exit == ET_EXIT_OUTSIDE,
			"cutoffs: the damaged fact '%s' is refused", damaged[i]);
	ok(!et_cutoffs_forget(s, "0123 box", "box", &err) &&
			!et_cutoffs_load(s, "0123 box", "box", &out, &there, &err) && !there,
		"cutoffs: damaged ones can be removed");
	et_store_close(s);
	static const char *const left[] = { "", "-wal", "-shm" };
	for (size_t i = 0; i < ET_LENGTH(left); i++) {
		ET_AUTO_FREE char *file = et_asprintf("%s%s", path, left[i]);
		unlink(file);
	}
	rmdir(dir);
}

int main(void)
{
	size_t size;
	ET_AUTO_FREE char *data = load(&size);

	test_golden(data, size);
	test_damaged(data, size);
	test_cutoffs();
	return tap_done();
}
