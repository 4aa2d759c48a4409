/* SPDX-License-Identifier: MIT */
#include "lib/time/events.h"
#include "clock/counter.h"
#include "num/quantile.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { CALIBRATIONS = 15, MOST_TRIES = 1000 };

const struct et_event_type et_event_types[ET_EVENTS] = {
	[ET_EVENT_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	[ET_EVENT_INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	[ET_EVENT_BRANCH_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	[ET_EVENT_CACHE_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
};

const char *et_pmu_why(int error)
{
	switch (error) {
	case 0:
		return "";
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return "this processor or virtual machine has no such counters";
	case EACCES:
	case EPERM:
		return "not permitted: set kernel.perf_event_paranoid to 2 or lower, or check the "
		       "container's system calls";
	case ENOSYS:
		return "this kernel has no perf events";
	case EBUSY:
		return "another program has reserved the counters";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	default:
		return "perf_event_open failed";
	}
}

/* --- reading --- */

static uint64_t read_counter(uint32_t index)
{
#ifdef __x86_64__
	uint32_t lo, hi;

	__asm__ __volatile__("rdpmc" : "=a"(lo), "=d"(hi) : "c"(index));
	return (uint64_t)hi << 32 | lo;
#else
	(void)index;
	return 0;
#endif
}

#define BARRIER() __asm__ __volatile__("" : : : "memory")

/* The nanoseconds from when the kernel last wrote the times of the page until now. */
static uint64_t since_update(const volatile struct perf_event_mmap_page *page, uint64_t cycles)
{
	uint64_t rest = cycles & ((UINT64_C(1) << page->time_shift) - 1);

	return page->time_offset + (cycles >> page->time_shift) * page->time_mult +
	       (rest * page->time_mult >> page->time_shift);
}

bool et_pmu_read_page(const volatile struct perf_event_mmap_page *page,
	uint64_t (*counter)(uint32_t index), uint64_t (*clock)(void), struct et_event_reading *out)
{
	for (int tries = 0; tries < MOST_TRIES; tries++) {
		uint32_t lock = page->lock, index;

		BARRIER();
		index = page->index;
		/* Without an index the event is not on a counter now. */
		if (!page->cap_user_rdpmc || !index || page->pmc_width < 1 || page->pmc_width > 64)
			return false;
		out->enabled = page->time_enabled;
		out->running = page->time_running;
		if (page->cap_user_time) {
			uint64_t passed = since_update(page, clock());

			out->enabled += passed;
			out->running += passed;
		} else if (out->enabled != out->running) {
			return false;
		}
		/* The counter is shorter than 64 bits, and signed. */
		unsigned unused = 64u - page->pmc_width;
		int64_t value = (int64_t)(counter(index - 1) << unused) >> unused;
		out->count = (uint64_t)(page->offset + value);
		BARRIER();
		if (page->lock == lock)
			return true;
	}
	return false;
}

double et_pmu_between(const struct et_event_reading *from, const struct et_event_reading *to)
{
	double count = (double)(to->count - from->count);
	double enabled = (double)(to->enabled - from->enabled);
	double running = (double)(to->running - from->running);

	if (!(enabled > 0)) /* the page's times do not advance by themselves */
		return count;
	return running > 0 ? count * enabled / running : NAN;
}

static bool read_event(const struct et_pmu *e, int i, struct et_event_reading *out)
{
	if (e->page[i] && et_pmu_read_page(e->page[i], read_counter, et_counter_read, out))
		return true;
	return read(e->fd[i], out, sizeof(*out)) == (ssize_t)sizeof(*out);
}

void et_pmu_start(struct et_pmu *e)
{
	if (e->on)
		return;
	e->on = true;
	/* The first is the last to be read, and the first to be read again. */
	for (int i = ET_EVENTS - 1; i >= 0; i--) {
		if (e->fd[i] >= 0 && !read_event(e, i, &e->at[i]))
			e->block[i] = NAN; /* and what is added to it */
	}
}

void et_pmu_stop(struct et_pmu *e)
{
	struct et_event_reading now;

	if (!e->on)
		return;
	for (int i = 0; i < ET_EVENTS; i++) {
		if (e->fd[i] < 0)
			continue;
		e->block[i] +=
			read_event(e, i, &now) ? et_pmu_between(&e->at[i], &now) - e->cost[i] : NAN;
	}
	e->on = false;
}

void et_pmu_block(struct et_pmu *e, double calls)
{
	for (int i = 0; i < ET_EVENTS; i++) {
		if (e->n_blocks < ET_EVENT_BLOCKS)
			e->blocks[i][e->n_blocks] = (e->block[i] < 0 ? 0 : e->block[i]) / calls;
		e->block[i] = 0;
	}
	e->n_blocks += e->n_blocks < ET_EVENT_BLOCKS;
}

/* --- opening and closing --- */

static int open_event(const struct et_event_type *type, int group, bool user_only)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = type->type,
		.config = type->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = user_only,
		.exclude_hv = user_only };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/* Opens an event with the kernel's part if that is permitted, in the group if it fits. */
static int open_as_permitted(const struct et_event_type *type, int group, bool *user_only)
{
	int fd = open_event(type, group, *user_only);

	if (fd < 0 && (errno == EACCES || errno == EPERM) && !*user_only) {
		*user_only = true;
		fd = open_event(type, group, true);
	}
	if (fd < 0 && errno == EINVAL && group >= 0)
		fd = open_event(type, -1, *user_only);
	return fd;
}

static struct perf_event_mmap_page *map_page(int fd)
{
#ifdef __x86_64__
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
#else
	(void)fd;
	return NULL;
#endif
}

static double median_of(double *values, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			values[kept++] = values[i];
	return et_median(values, kept);
}

/* Finds what a start and a stop with nothing in between count. */
static void calibrate(struct et_pmu *e)
{
	double costs[ET_EVENTS][CALIBRATIONS];

	for (int k = 0; k < CALIBRATIONS; k++) {
		et_pmu_start(e);
		et_pmu_stop(e);
		for (int i = 0; i < ET_EVENTS; i++) {
			costs[i][k] = e->block[i];
			e->block[i] = 0;
		}
	}
	for (int i = 0; i < ET_EVENTS; i++) {
		double cost = median_of(costs[i], CALIBRATIONS);

		e->cost[i] = isnan(cost) ? 0 : cost;
	}
}

bool et_pmu_open(const struct et_event_type *types, struct et_pmu *e)
{
	int leader = -1;

	memset(e, 0, sizeof(*e));
	for (int i = 0; i < ET_EVENTS; i++) {
		e->fd[i] = open_as_permitted(&types[i], leader, &e->user_only);
		if (e->fd[i] < 0) {
			e->error = e->error ? e->error : errno;
			continue;
		}
		leader = leader < 0 ? e->fd[i] : leader;
		e->page[i] = map_page(e->fd[i]);
	}
	if (leader < 0)
		return false;
	calibrate(e);
	return true;
}

void et_pmu_close(struct et_pmu *e, double *out)
{
	for (int i = 0; i < ET_EVENTS; i++) {
		out[i] = e->fd[i] >= 0 ? median_of(e->blocks[i], e->n_blocks) : NAN;
		if (e->page[i])
			munmap(e->page[i], (size_t)sysconf(_SC_PAGESIZE));
		if (e->fd[i] >= 0)
			close(e->fd[i]);
		e->fd[i] = -1;
		e->page[i] = NULL;
	}
}
