/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The samples of one command, in order of execution. A run of a day has 10^6 and more of them, so
 * all but the last few are packed; a sample is then read through a reader, and changed through
 * et_samples_edit.
 */
#pragma once

#include "model/sample/sample.h"

enum { ET_SAMPLES_CHUNK = 128 }; /* this many are packed together */

struct et_sample_chunk;

/* To begin, set all to 0. All members but n are private. */
struct et_samples {
	size_t n;
	struct et_sample_chunk *chunks;
	size_t n_chunks, room;
	struct et_sample *tail; /* the samples after the last chunk */
	size_t tail_room;
	struct et_sample *open; /* a chunk that is being changed, unpacked */
	size_t open_chunk;
	uint32_t command; /* the place of all samples */
	uint64_t changes; /* of packed samples, so that readers notice them */
};

/* Appends a copy (of the same command) with its index. The result is valid until the next one. */
struct et_sample *et_samples_add(struct et_samples *all, const struct et_sample *s);
/* Returns sample i to change all but command, index, culprits; valid until the next edit or add. */
struct et_sample *et_samples_edit(struct et_samples *all, size_t i);
/* Sorts them by their order in the plan, stably, and numbers them anew. */
void et_samples_sort(struct et_samples *all);
void et_samples_free(struct et_samples *all);

/* Reads samples one after the other, or by their number. All members are private. */
struct et_sample_reader {
	const struct et_samples *all;
	size_t next;
	struct et_sample sample;
	struct et_culprit *culprits;
	size_t room;
	size_t chunk; /* the chunk that `sample` is of, from 1; 0: none */
	bool figures; /* without culprits */
	bool walked;  /* by et_for_each_sample */
	uint64_t changes;
};

/* Begins before the first sample. */
struct et_sample_reader et_samples_read(const struct et_samples *all);
/* The same for callers that do not look at culprits: they may be missing. This takes less time. */
struct et_sample_reader et_samples_read_figures(const struct et_samples *all);
/* Returns sample i with its culprits, valid until the reader's next call or a change of samples. */
const struct et_sample *et_sample_reader_at(struct et_sample_reader *r, size_t i);
/* Returns the sample after the one that was returned last, or NULL after the last of all. */
const struct et_sample *et_sample_reader_next(struct et_sample_reader *r);
void et_sample_reader_end(struct et_sample_reader *r);

#define ET_AUTO_READER ET_CLEANUP(et_sample_reader_end)

/*
 * A loop over all samples, without their culprits: et_for_each_sample(s, &command->samples) { … }
 * declares s and what reads it; break, continue and return do what they do in any loop.
 */
#define et_for_each_sample(s, samples)                                                             \
	for (ET_AUTO_READER struct et_sample_reader s##_reader = et_samples_read_figures(samples); \
		!s##_reader.walked; s##_reader.walked = true)                                      \
		for (const struct et_sample *s; (s = et_sample_reader_next(&s##_reader));)
