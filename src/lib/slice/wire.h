/* SPDX-License-Identifier: MIT */
/* Messages to and from workers: lines of JSON, over a socket. The other end is not trusted. */
#pragma once

#include "base/json.h"
#include "base/memstream.h"
#include "lib/bench/model.h"

#include <jansson.h>

struct et_wire {
	int fd;
	char *line; /* received and not yet used */
	size_t n, cap;
	size_t searched;          /* bytes of it that contain no end of a line */
	struct et_memstream text; /* of the message that is being written */
	struct et_json json;
};

/* Sends a line, which ends with '\n'. Returns 0 or -errno; there is no SIGPIPE. */
int et_wire_send(struct et_wire *w, const char *line) ET_CHECK;
/* Begins a message, an object to which the caller adds members; et_wire_end sends it likewise. */
struct et_json *et_wire_begin(struct et_wire *w);
int et_wire_end(struct et_wire *w) ET_CHECK;
/*
 * Waits for a line for at most timeout_ms (-1: forever). 0 and the message, which the caller frees;
 * -ETIMEDOUT, -EINTR, -ECONNRESET (the other end is closed), -EPROTO (no JSON), -EMSGSIZE.
 */
int et_wire_receive(struct et_wire *w, int timeout_ms, json_t **out) ET_CHECK;
/* Closes the socket. */
void et_wire_free(struct et_wire *w);

/* --- a slice, from the process that took it to the one that judges it --- */

#define ET_BENCH_MOST_NS 1e18 /* thirty years; a file with a longer time is wrong */

/* A member of a slice that is a plain number. NaN is written as null. */
struct et_slice_number {
	const char *key; /* in messages; NULL ends the table */
	size_t offset;
	const char *file; /* the key in files of --json; NULL: not there as the others are */
	double lo, hi;    /* of files that were read */
};

extern const struct et_slice_number et_slice_numbers[];

static inline double *et_slice_number(const struct et_slice *s, const struct et_slice_number *n)
{
	return (double *)(void *)((char *)s + n->offset);
}

/* Reads a whole number from 0 to most; false for anything else. */
bool et_wire_whole(const json_t *j, uint64_t most, uint64_t *out);
/* Writes all members except which, process and old, which the receiver knows. */
void et_slice_write(struct et_json *j, const char *key, const struct et_slice *s);
/* Returns false, with nothing to free, if it is not the JSON of a slice. */
bool et_slice_parse(const json_t *j, struct et_slice *out) ET_CHECK;
