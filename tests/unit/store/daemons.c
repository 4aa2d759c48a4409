/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of daemons' records: the papers' file, and that file cut off or damaged anywhere. */
#include "store/daemons.h"
#include "base/alloc.h"
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

	if (!ok(!et_daemon_record_read(data, size, "golden", &r, &err), "the papers' file is read"))
		return;
	ok(r.has_long && r.short_run.samples == 800 && r.long_run.samples == 40, "both runs");
	ok(r.short_run.n_watched == 16 && r.short_run.n_central == 9 && !r.short_run.whole,
		"L-samples and cluster");
	ok(r.resolution_ms == 1, "in whole milliseconds");
	bool sorted = true;
	for (size_t i = 1; i < r.n_names; i++)
		sorted = sorted && strcmp(r.names[i - 1], r.names[i]) < 0;
	ok(sorted, "names are sorted");
	const struct et_watched *w = &r.short_run.watched[0];
	const struct et_execution *x = &r.short_run.executions[w->first + 6];
	ok(w->number == 75 && w->n == 8 && x->ms == 35176 && !strcmp(r.names[x->name], "rhn_check"),
		"an execution is where it was");
	et_daemon_record_free(&r);
}

/* Nothing leaks and nothing is read beyond the end, whatever the bytes. */
static void test_damaged(const char *data, size_t size)
{
	struct et_daemon_record r;
	struct et_error err;
	size_t accepted = 0;

	for (size_t n = 0; n + 2 < size; n += 7)
		accepted += et_daemon_record_read(data, n, "cut", &r, &err) == 0;
	ok(!accepted, "no beginning of it is a record");
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
	ok(refused > size / 20, "damaged anywhere: %zu refused, none crashed", refused);
}

int main(void)
{
	size_t size;
	ET_AUTO_FREE char *data = load(&size);

	test_golden(data, size);
	test_damaged(data, size);
	return tap_done();
}
