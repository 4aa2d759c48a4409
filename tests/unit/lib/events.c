/* SPDX-License-Identifier: MIT */
/*
 * Counting events. Many machines have no counters of the processor, so events of the kernel stand
 * in for them, whose number is known: the faults of pages that are touched for the first time. The
 * page by which counters are read is a fake one.
 */
#include "lib/time/events.h"
#include "lib/slice/state.h"
#include "tap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 64 };

static const struct et_event_type of_kernel[ET_EVENTS] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ PERF_TYPE_SOFTWARE, 9999 }, /* no such event */
};

/* Memory whose pages are not there yet. */
static char *fresh(size_t pages)
{
	size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		tap_bail("mmap failed");
	madvise(at, bytes, MADV_NOHUGEPAGE);
	return at;
}

/* A sanitizer would touch memory of its own. */
__attribute__((no_sanitize("address"))) static void touch(volatile char *at, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		at[i * (size_t)sysconf(_SC_PAGESIZE)] = 1;
}

static void drop(char *at, size_t pages)
{
	munmap(at, pages * (size_t)sysconf(_SC_PAGESIZE));
}

static void live(struct et_pmu *e)
{
	char *first = fresh(PAGES), *paused = fresh(PAGES), *second = fresh(PAGES);
	double got[ET_EVENTS];

	et_pmu_start(e);
	touch(first, PAGES);
	et_pmu_stop(e);
	touch(paused, PAGES);
	et_pmu_start(e);
	touch(second, PAGES);
	et_pmu_stop(e);
	et_pmu_block(e, 2);
	et_pmu_start(e);
	et_pmu_stop(e);
	et_pmu_close(e, got);
	near(got[0], PAGES, 0, 2,
		"events: the faults of a block per call, without those of a pause");
	ok(got[1] > 0 && got[1] < 1e9, "events: the CPU time of the block");
	ok(got[2] == 0, "events: no event is counted as 0");
	ok(isnan(got[3]),
		"events: one that the kernel does not know is NaN, the others are counted");
	drop(first, PAGES);
	drop(paused, PAGES);
	drop(second, PAGES);
}

static void medians(struct et_pmu *e)
{
	static const size_t pages[] = { 3, 50, 7, 1, 5 };
	double got[ET_EVENTS];

	for (size_t i = 0; i < 5; i++) {
		char *at = fresh(pages[i]);

		et_pmu_start(e);
		touch(at, pages[i]);
		et_pmu_stop(e);
		et_pmu_block(e, 1);
		drop(at, pages[i]);
	}
	et_pmu_close(e, got);
	near(got[0], 5, 0, 1, "events: the median of five blocks");
}

/* Events that could not be read, or did not run, are not 0 events. */
static void unknown(struct et_pmu *e)
{
	double got[ET_EVENTS];
	int fd = e->fd[1];

	e->fd[1] = 1 << 20; /* reading fails */
	et_pmu_start(e);
	e->fd[1] = fd;
	et_pmu_stop(e);
	e->block[2] = NAN;
	et_pmu_block(e, 1);
	et_pmu_close(e, got);
	ok(isnan(got[1]), "events: without a reading at the start they are unknown");
	ok(isnan(got[2]), "events: those that never ran are unknown, not 0");
}

/* --- a slice --- */

static char *pool;
static size_t used;

static void fault_thrice(struct etalon_state *s)
{
	ETALON_LOOP(s)
	{
		touch(pool + used * (size_t)sysconf(_SC_PAGESIZE), 3);
		used += 3;
		etalon_pause(s);
		touch(pool + used++ * (size_t)sysconf(_SC_PAGESIZE), 1);
		etalon_resume(s);
	}
}

static void in_slice(void)
{
	static struct etalon_kbest_opts options;
	struct etalon_bench b = { .sz = sizeof(b), .name = "f", .body = fault_thrice, .calls = 20 };
	struct et_bench_case c = { .bench = &b, .threads = 1 };
	struct et_slice_request q = {
		.kbest = &options, .duration_ns = 1e6, .max_samples = 10, .events = of_kernel
	};
	struct et_timebase t;
	struct et_slice s;

	etalon_kbest_opts_init(&options, sizeof(options));
	pool = fresh(1 << 16);
	et_timebase_raw(&t);
	et_timebase_calibrate(&t);
	if (et_slice_take(&c, &q, &t, &s) != ETALON_OK)
		tap_bail("et_slice_take failed");
	near(s.events[0], 3, 0, 0.3, "slice: events per call, without those of pauses");
	ok(isnan(s.events[3]) && s.events_error, "slice: it is known why an event is missing");
	et_slice_free(&s);
	q.events = NULL;
	used = 0;
	drop(pool, 1 << 16);
	pool = fresh(1 << 16);
	if (et_slice_take(&c, &q, &t, &s) != ETALON_OK)
		tap_bail("et_slice_take failed");
	ok(s.n > 0 && (s.events_error ? isnan(s.events[0]) || isnan(s.events[3]) : s.events[0] > 0),
		"slice: the processor's events are counted, or it is known why not");
	printf("# cycles per call: %g (%s)\n", s.events[0], et_pmu_why(s.events_error));
	et_slice_free(&s);
	drop(pool, 1 << 16);
}

/* --- the page --- */

static struct perf_event_mmap_page page;
static uint64_t counter_value, clock_value;
static int disturbances;

static uint64_t fake_counter(uint32_t index)
{
	/* The kernel changes the page in the meantime. */
	if (disturbances-- > 0) {
		page.lock += 2;
		page.offset += 1000;
	}
	return index == 3 ? counter_value : 0;
}

static uint64_t fake_clock(void)
{
	return clock_value;
}

static bool read_fake(struct et_event_reading *r)
{
	return et_pmu_read_page(&page, fake_counter, fake_clock, r);
}

static void test_page(void)
{
	struct et_event_reading r, later;

	page = (struct perf_event_mmap_page){ .index = 4,
		.offset = INT64_C(1) << 47,
		.pmc_width = 48,
		.time_enabled = 700,
		.time_running = 700,
		.cap_user_rdpmc = 1 };
	/* The kernel starts a counter at half its range below 0, so that it overflows in time. */
	counter_value = (UINT64_C(1) << 47) + 123;
	ok(read_fake(&r) && r.count == 123, "page: a counter of 48 bits is signed");
	counter_value = 5;
	ok(read_fake(&r) && r.count == (UINT64_C(1) << 47) + 5, "page: also after its overflow");
	ok(r.enabled == 700 && r.running == 700, "page: without a clock the times are the page's");
	disturbances = 2;
	ok(read_fake(&r) && r.count == (UINT64_C(1) << 47) + 2005 && disturbances < 0,
		"page: a reading during a change is repeated");
	page.time_running = 600;
	ok(!read_fake(&r), "page: a shared counter needs a clock");
	page.cap_user_time = 1;
	page.time_shift = 10;
	page.time_mult = 512; /* half a nanosecond per cycle */
	page.time_offset = 40;
	clock_value = 2001;
	ok(read_fake(&r) && r.enabled == 700 + 1040 && r.running == 600 + 1040,
		"page: the clock adds the time since the page was written");
	page.index = 0;
	ok(!read_fake(&r), "page: an event that is not on a counter is read by the kernel");
	page.index = 4;
	page.cap_user_rdpmc = 0;
	ok(!read_fake(&r), "page: as is one that may not be read directly");
	r = (struct et_event_reading){ 1000, 100, 100 };
	later = (struct et_event_reading){ 1600, 500, 300 };
	near(et_pmu_between(&r, &later), 1200, 0, 0,
		"scaling: a counter that ran half of the time counts twice");
	later = (struct et_event_reading){ 1600, 500, 100 };
	ok(isnan(et_pmu_between(&r, &later)), "scaling: one that did not run counts nothing");
	later = (struct et_event_reading){ 1600, 100, 100 };
	near(et_pmu_between(&r, &later), 600, 0, 0, "scaling: none without times");
}

int main(void)
{
	struct et_pmu e;
	double none[ET_EVENTS];

	test_page();
	ok(et_pmu_why(ENOENT)[0] && et_pmu_why(EACCES)[0] && et_pmu_why(12345)[0] &&
			!et_pmu_why(0)[0],
		"events: every error has a reason");
	if (!et_pmu_open(of_kernel, &e)) {
		ok(e.error, "events: without any, an error says why (%s)", strerror(e.error));
		et_pmu_close(&e, none);
		ok(isnan(none[0]), "events: nothing is counted");
		skip("the kernel's events cannot be counted here");
		return tap_done();
	}
	live(&e);
	et_pmu_open(of_kernel, &e);
	medians(&e);
	et_pmu_open(of_kernel, &e);
	unknown(&e);
	in_slice();
	return tap_done();
}
