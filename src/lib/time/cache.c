/* SPDX-License-Identifier: MIT */
#include "lib/time/cache.h"
#include "base/sysroot.h"
#include "clock/counter.h"
#include "num/quantile.h"

#include <sys/mman.h>

enum {
	INDICES = 8,
	LINE = 64, /* of most processors; longer ones are only written twice */
	PAGE = 4096,
	PROBES = 128,    /* a power of two: the chain is a full cycle only then */
	GUARD = 1 << 20, /* around the memory, so that no prefetcher reaches the user's data */
	ASSUMED_CACHE = 64 << 20,
	ASSUMED_CODE = 128 << 10,
	LEAST_PASSES = 2,
	MAX_PASSES = 8,
	MAX_TIMES = 1 << 16,
	REFERENCES = 9, /* measurements of a hit and of a miss; the median counts */
};

static const double COLD = 0.95;      /* the share of misses that is enough */
static const double MAX_FAILED = 0.1; /* the share of samples that may have fewer */

/* --- sizes --- */

/* Parses "48M", "1280K" or "512"; returns 0 for anything else. */
static size_t size_of(const char *text)
{
	char *end;
	size_t n = strtoul(text, &end, 10);

	if (end == text)
		return 0;
	if (*end == 'K')
		return n << 10;
	if (*end == 'M')
		return n << 20;
	return *end ? 0 : n;
}

static bool read_index(const char *root, int i, const char *file, char *out, size_t n)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/%s", i, file);
	return et_sysroot_line(root, path, out, n) > 0;
}

size_t et_cache_bytes(const char *root, const char *type)
{
	size_t largest = 0;
	char text[32];

	for (int i = 0; i < INDICES; i++) {
		if (type &&
			(!read_index(root, i, "type", text, sizeof(text)) || strcmp(text, type)))
			continue;
		size_t n = read_index(root, i, "size", text, sizeof(text)) ? size_of(text) : 0;
		largest = n > largest ? n : largest;
	}
	return largest;
}

/* --- clearing --- */

bool et_cache_flush(const void *start, size_t bytes)
{
	uintptr_t from = (uintptr_t)start & ~(uintptr_t)(LINE - 1), to = (uintptr_t)start + bytes;

#if defined(__x86_64__)
	for (uintptr_t p = from; p < to; p += LINE)
		__asm__ volatile("clflush (%0)" ::"r"(p) : "memory");
	__asm__ volatile("mfence" ::: "memory");
	return true;
#elif defined(__aarch64__)
	for (uintptr_t p = from; p < to; p += LINE)
		__asm__ volatile("dc civac, %0" ::"r"(p) : "memory");
	__asm__ volatile("dsb sy" ::: "memory");
	return true;
#else
	(void)from;
	(void)to;
	return false;
#endif
}

/* Writes from both ends to the middle: a prefetcher that runs ahead stays within the memory. */
static void write_lines(unsigned char *memory, size_t bytes)
{
	volatile unsigned char *p = memory;
	size_t half = bytes / 2 / LINE * LINE;

	for (size_t i = 0; i < half; i += LINE)
		p[i]++;
	for (size_t i = bytes / LINE * LINE; i > half; i -= LINE)
		p[i - LINE]++;
}

/* --- the chain of jumps that fills the instruction cache --- */

static bool write_jumps(unsigned char *code, size_t bytes)
{
#if defined(__x86_64__)
	for (size_t i = 0; i + LINE < bytes; i += LINE) {
		code[i] = 0xeb; /* jmp to the next line */
		code[i + 1] = LINE - 2;
	}
	code[bytes - LINE] = 0xc3; /* ret */
	return true;
#elif defined(__aarch64__)
	static const uint32_t jump = 0x14000000 | LINE / 4, ret = 0xd65f03c0;

	for (size_t i = 0; i + LINE < bytes; i += LINE)
		memcpy(code + i, &jump, sizeof(jump));
	memcpy(code + bytes - LINE, &ret, sizeof(ret));
	return true;
#else
	(void)code;
	(void)bytes;
	return false;
#endif
}

/* A system may forbid to make code executable. Then first-level instruction caches stay warm. */
static void prepare_code(struct et_cache *c)
{
	size_t first = et_cache_bytes("", "Instruction"),
	       bytes = 2 * (first ? first : ASSUMED_CODE);
	unsigned char *p =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	if (!write_jumps(p, bytes) || mprotect(p, bytes, PROT_READ | PROT_EXEC)) {
		munmap(p, bytes);
		return;
	}
	__builtin___clear_cache((char *)p, (char *)p + bytes);
	c->code = p;
	c->code_bytes = bytes;
}

/* --- the probe --- */

/*
 * The line of page i that is timed; another one, at its start, loads the translation of the page.
 * Their places differ from page to page, because lines at one place compete for one set.
 */
static void **probe_line(const struct et_cache *c, size_t i)
{
	return (void **)(c->probe + i * PAGE + (size_t)LINE * (8 + i * 7 % 48));
}

/* Follows the chain once. Each load waits for the one before it. */
static void *follow(void *p)
{
	for (int i = 0; i < PROBES; i++) {
		p = *(void *volatile *)p;
		__asm__ volatile("" : "+r"(p)::"memory");
	}
	return p;
}

void et_cache_touch(struct et_cache *c)
{
	void *p = probe_line(c, 0);

	for (int i = 0; i < 4; i++) /* a cache may keep lines longer that are used again */
		p = follow(p);
}

/* Ticks of one load. */
static double time_chain(struct et_cache *c)
{
	for (size_t i = 0; i < PROBES; i++)
		(void)*(volatile unsigned char *)(c->probe + i * PAGE);
	uint64_t start = et_counter_start();
	follow(probe_line(c, 0));
	return (double)(et_counter_stop() - start) / PROBES;
}

double et_cache_probe(struct et_cache *c)
{
	double ticks = time_chain(c);

	return fmin(fmax((ticks - c->hit) / (c->miss - c->hit), 0), 1);
}

static bool clear_probe(struct et_cache *c)
{
	bool flushed = true;

	for (size_t i = 0; i < PROBES; i++)
		flushed = et_cache_flush(probe_line(c, i), 1);
	return flushed;
}

/* Learns the times of hits and misses; if nothing can flush, a miss takes four times as long. */
static void learn_times(struct et_cache *c)
{
	double hits[REFERENCES], misses[REFERENCES];
	bool flushed = true;

	for (int i = 0; i < REFERENCES; i++) {
		et_cache_touch(c);
		hits[i] = time_chain(c);
		flushed = clear_probe(c);
		misses[i] = time_chain(c);
	}
	c->hit = et_median(hits, REFERENCES);
	c->miss = flushed ? et_median(misses, REFERENCES) : 4 * c->hit;
	if (!ET_HAVE_COUNTER || !(c->miss > 2 * c->hit))
		c->miss = 0; /* an emulator without caches, or a counter that is too coarse */
}

/* --- all together --- */

static void evict(struct et_cache *c)
{
	for (unsigned i = 0; i < c->passes; i++)
		write_lines(c->memory, c->bytes);
}

void et_cache_clear(struct et_cache *c)
{
	et_cache_touch(c);
	if (c->set && et_cache_flush(c->set, c->set_bytes)) {
		clear_probe(c);
	} else {
		evict(c);
		void (*jumps)(void) = NULL;
		memcpy(&jumps, &c->code, sizeof(jumps));
		if (jumps)
			jumps();
	}
	c->clears++;
	if (!(c->miss > 0) || et_cache_probe(c) < COLD) {
		c->failures++;
		c->passes += c->passes < MAX_PASSES;
	}
	if (c->fn)
		c->fn(c->other);
}

unsigned et_cache_verdict(const struct et_cache *c)
{
	return (double)c->failures > MAX_FAILED * (double)c->clears ? ETALON_WARNING_NOT_COLD : 0;
}

/* Finds the fewest passes after which the probe misses three times in a row. */
static void choose_passes(struct et_cache *c)
{
	for (c->passes = LEAST_PASSES; c->passes < MAX_PASSES; c->passes++) {
		int cold = 0;
		for (int i = 0; i < 3; i++) {
			et_cache_touch(c);
			evict(c);
			cold += et_cache_probe(c) >= COLD;
		}
		if (cold == 3)
			return;
	}
}

void et_cache_note(struct et_cache *c, double ticks)
{
	size_t i = c->n_times;

	if (i == c->room)
		return;
	for (; i > 0 && c->times[i - 1] > ticks; i--)
		c->times[i] = c->times[i - 1];
	c->times[i] = ticks;
	c->n_times++;
}

/* The interval is that between two order statistics: the number below the median is binomial. */
double et_cache_median(const struct et_cache *c, double *half_width)
{
	size_t n = c->n_times, far = (size_t)ceil(0.98 * sqrt((double)n));

	*half_width = INFINITY;
	if (!n)
		return NAN;
	double median = (c->times[(n - 1) / 2] + c->times[n / 2]) / 2;
	if (n < 8)
		return median;
	*half_width = fmax(c->times[n / 2 + far] - median, median - c->times[(n - 1) / 2 - far]);
	return median;
}

/* Maps the probe and, if the caller gave no memory, some to write to, with guards around it. */
static int map_memory(struct et_cache *c, const struct etalon_kbest_opts *o, size_t bytes)
{
	size_t probes = (size_t)PROBES * PAGE, own = o->clear_memory ? 0 : bytes;

	c->room = o->max_samples < MAX_TIMES ? o->max_samples : MAX_TIMES;
	c->mapped_bytes = probes + 2 * GUARD + own + c->room * sizeof(*c->times);
	unsigned char *p = mmap(NULL, c->mapped_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return ETALON_NO_MEMORY;
	c->mapped = c->probe = p;
	c->memory = o->clear_memory ? o->clear_memory : p + probes + GUARD;
	c->bytes = o->clear_memory ? o->clear_bytes : own;
	c->times = (void *)(p + probes + 2 * GUARD + own);
	memset(c->times, 0, c->room * sizeof(*c->times)); /* no page faults later */
	return ETALON_OK;
}

int et_cache_prepare(struct et_cache *c, void (*fn)(void *), const struct etalon_kbest_opts *o,
	unsigned *warnings)
{
	size_t last = et_cache_bytes("", NULL);

	*c = (struct et_cache){ .set = o->working_set, .set_bytes = o->working_set_bytes };
	if (!last && !c->set)
		*warnings |= ETALON_WARNING_CACHE_SIZE;
	last = last ? last : ASSUMED_CACHE;
	if (o->clear_memory && o->clear_bytes < last)
		return ETALON_BAD_CACHE;
	/* Twice its size at once: lines that are written again would be replaced later. */
	int rc = map_memory(c, o, c->set && et_cache_flush(c->set, 0) ? LINE : 2 * last);
	if (rc)
		return rc;
	for (size_t i = 0; i < PROBES; i++) {
		memset(c->probe + i * PAGE, 1, PAGE);
		*probe_line(c, i) = probe_line(c, (5 * i + 3) % PROBES);
	}
	learn_times(c);
	if (o->cache == ETALON_CACHE_COLD_DATA && !c->set) {
		c->fn = fn;
		c->other = o->other_arg;
	}
	if (c->bytes > LINE) {
		prepare_code(c);
		choose_passes(c);
	}
	return ETALON_OK;
}

void et_cache_release(struct et_cache *c)
{
	if (c->mapped)
		munmap(c->mapped, c->mapped_bytes);
	if (c->code)
		munmap(c->code, c->code_bytes);
	*c = (struct et_cache){ 0 };
}
