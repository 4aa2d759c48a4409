/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/recorder.h"
#include "base/alloc.h"

#include <string.h>

static const uint64_t SHORT_NS = 20000000; /* programs shorter than this may be grouped */
/* A group's age at which it is committed: one more short run still ends before 50 ms. */
static const uint64_t GROUP_NS = 25000000;

/* Samples wait in memory, which costs less between two runs than adding each to a transaction. */
static void put_aside(struct et_recorder *r, const struct et_sample *s)
{
	if (!r->n)
		r->group_ns = r->clock->now_ns(r->clock->ctx);
	ET_GROW(r->waiting, r->n, r->cap);
	et_sample_copy(&r->waiting[r->n++], s);
}

int et_recorder_keep(
	struct et_recorder *r, const struct et_sample *s, size_t n, struct et_error *err)
{
	for (size_t i = 0; i < n; i++) {
		put_aside(r, &s[i]);
		/* Where a long program takes its turn, the next run may be its own. */
		if (s[i].et_ns >= SHORT_NS)
			r->long_lately = 16 + 4 * r->n_commands;
	}
	if (!r->long_lately && r->clock->now_ns(r->clock->ctx) - r->group_ns < GROUP_NS)
		return 0;
	if (r->long_lately)
		r->long_lately--;
	return et_recorder_flush(r, err);
}

int et_recorder_flush(struct et_recorder *r, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (rc == 0)
			rc = et_store_add(r->store, r->id, &r->waiting[i], err);
		et_sample_free(&r->waiting[i]);
	}
	r->n = 0;
	/* What could be added is made durable even when the rest could not. */
	int rc2 = et_store_flush(r->store, rc ? NULL : err);
	return rc ? rc : rc2;
}

void et_recorder_free(struct et_recorder *r)
{
	for (size_t i = 0; i < r->n; i++)
		et_sample_free(&r->waiting[i]);
	free(r->waiting);
	memset(r, 0, sizeof(*r));
}
