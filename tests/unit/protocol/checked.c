/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs after both sanity checks: which samples count, and when the first check is not done. */
#include "protocol/precision.h"
#include "tap.h"

/* n samples of one second, 1 ms apart in turn; "cron" used `ms` in the first `hits` of them. */
static void make(struct et_daemon_record *r, uint32_t n, uint32_t hits, double ms)
{
	*r = (struct et_daemon_record){ 0 };
	r->short_run = (struct et_daemon_run){ .samples = n, .sample_seconds = 1, .whole = true };
	for (uint32_t i = 1; i <= n; i++) {
		struct et_daemon_sample *s = et_daemon_run_add(&r->short_run, i, i - 1);
		s->elapsed_ms = 1000 + i % 2 + (i <= hits ? 50 : 0);
		s->cpu_ms = 990 + i % 2;
		if (i <= hits)
			et_daemon_run_execution(
				&r->short_run, et_daemon_record_name(r, "cron"), ms);
	}
	et_daemon_record_settle(r);
}

static struct et_cutoff list[] = { { .daemon = "cron", .final_ms = { 5 }, .n_final = 1 } };
static struct et_cutoffs cutoffs = { .list = list, .n = 1, .short_seconds = 1, .long_seconds = 1 };

static void test_checks(void)
{
	struct et_daemon_record r;

	make(&r, 100, 4, 10.25);
	struct et_checked c = et_checked_find("run", &r, &r.short_run, &cutoffs, ET_METRIC_ELAPSED);
	ok(c.samples == 100 && c.by_daemons == 4 && c.by_value == 0 &&
			c.first == ET_FIRST_CHECK_DONE,
		"checked: samples with a daemon above its cutoff are removed");
	near(c.before.max, 1051, 0, 1e-9, "checked: the maximum before the checks");
	near(c.after.max, 1001, 0, 1e-9, "checked: the maximum after the checks");
	near(c.after.mean, 1000.5, 0, 1e-9, "checked: the mean after the checks");
	ok(c.before.n == 100 && c.after.n == 96, "checked: the samples before and after");
	et_checked_free(&c);
	c = et_checked_find("run", &r, &r.short_run, &cutoffs, ET_METRIC_CPU);
	near(c.after.mean, 990.5, 0, 1e-9, "checked: CPU time has its own mean");
	et_checked_free(&c);
	struct et_cutoffs none = { .short_seconds = 1, .long_seconds = 1 };
	c = et_checked_find("run", &r, &r.short_run, &none, ET_METRIC_ELAPSED);
	ok(c.by_daemons == 0 && c.by_value == 4,
		"checked: without cutoffs, the second check removes by elapsed time");
	et_checked_free(&c);
	et_daemon_record_free(&r);
}

static void test_not_done(void)
{
	struct et_daemon_record r;
	struct et_cutoffs short_ones = cutoffs;

	make(&r, 100, 60, 10.25);
	struct et_checked c = et_checked_find("run", &r, &r.short_run, &cutoffs, ET_METRIC_CPU);
	ok(c.first == ET_FIRST_CHECK_WITHDRAWN && c.by_daemons == 0 && c.after.n == 100,
		"checked: a check that would remove most samples is withdrawn");
	et_checked_free(&c);
	et_daemon_record_free(&r);
	make(&r, 100, 4, 10.25);
	short_ones.short_seconds = short_ones.long_seconds = 0.1;
	c = et_checked_find("run", &r, &r.short_run, &short_ones, ET_METRIC_CPU);
	ok(c.first == ET_FIRST_CHECK_LENGTH && c.by_daemons == 0,
		"checked: cutoffs of much shorter samples are not applied");
	et_checked_free(&c);
	et_daemon_record_free(&r);
}

static void test_resolution(void)
{
	struct et_daemon_record r;
	struct et_cutoff half[] = { { .daemon = "cron", .final_ms = { 0.5 }, .n_final = 1 } };
	struct et_cutoffs c = { .list = half, .n = 1, .short_seconds = 1, .long_seconds = 1 };

	for (int ms = 1; ms <= 2; ms++) {
		make(&r, 100, 4, ms);
		struct et_checked k = et_checked_find("run", &r, &r.short_run, &c, ET_METRIC_CPU);
		ok(k.by_daemons == (ms == 1 ? 0 : 4),
			"checked: of whole milliseconds, %d is %s above 0.5", ms,
			ms == 1 ? "not certainly" : "certainly");
		et_checked_free(&k);
		et_daemon_record_free(&r);
	}
}

int main(void)
{
	test_checks();
	test_not_done();
	test_resolution();
	return tap_done();
}
