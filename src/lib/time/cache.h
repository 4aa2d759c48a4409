/* SPDX-License-Identifier: MIT */
/*
 * Caches that are cleared before each sample, and checked: lines that were used just before must
 * miss afterwards. Without the check a part of the data survives, because the replacement of a
 * cache is not least-recently-used, and K-best would pick the samples in which most survived.
 */
#pragma once

#include "base/base.h"

#include <etalon/etalon.h>

/* Returns the size of CPU 0's largest cache of a type ("Instruction"; NULL: any); 0: not known. */
size_t et_cache_bytes(const char *root, const char *type);

struct et_cache {
	unsigned char *memory; /* written to evict everything else */
	size_t bytes;
	unsigned passes;      /* how often it is written */
	unsigned char *probe; /* pages, with one line of each in a chain that is timed */
	double hit, miss;     /* ticks of one load of the chain; miss is 0 if it is not known */
	void *code;           /* a jump per line of the instruction cache; NULL: cannot be made */
	size_t code_bytes;
	void *set; /* the only memory to clear; NULL: clear everything */
	size_t set_bytes;
	void (*fn)(void *); /* called with `other` after clearing, to load its code; or NULL */
	void *other;
	void *mapped; /* to unmap: probe, guard, memory, guard */
	size_t mapped_bytes;
	uint64_t clears, failures; /* failures: the probe found many hits */
	double *times;             /* of samples, in ticks, ascending */
	size_t n_times, room;
};

/*
 * Prepares to clear caches as the options demand, whose cache must not be ETALON_CACHE_WARM, and
 * finds out how much must be written until the probe misses. Takes up to half a second. Sets bits
 * of enum etalon_warning. Returns an etalon_status; et_cache_release frees.
 */
int et_cache_prepare(struct et_cache *c, void (*fn)(void *), const struct etalon_kbest_opts *o,
	unsigned *warnings) ET_CHECK;
void et_cache_release(struct et_cache *c);
/*
 * Clears. If the probe finds hits, counts a failure and will write more from then on. Allocates,
 * prints and locks nothing.
 */
void et_cache_clear(struct et_cache *c);
/* Loads the lines of the probe, so that they are in the cache. */
void et_cache_touch(struct et_cache *c);
/* Returns the share of the lines of the probe that were not in the cache, from 0 to 1. */
double et_cache_probe(struct et_cache *c);
/* Returns 0, or ETALON_WARNING_NOT_COLD if clearing failed too often or cannot be checked. */
unsigned et_cache_verdict(const struct et_cache *c);
/* Notes the time of a sample. Their median is the answer: in the shortest, most data survived. */
void et_cache_note(struct et_cache *c, double ticks);
/* Returns the median and the half width of its 95 % interval, infinite with fewer than 8 times. */
double et_cache_median(const struct et_cache *c, double *half_width);
/* Evicts a range line by line. Returns false if the processor has no instruction for that. */
bool et_cache_flush(const void *start, size_t bytes);
