/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/recorder.h"
#include "base/alloc.h"

#include <errno.h>
#include <string.h>

static const uint64_t SHORT_NS = 20000000; /* samples of shorter programs are grouped */
static const uint64_t GROUP_NS = 50000000; /* the longest time that a finished sample waits */

/* Copying a sample takes less time between two runs than adding it to a transaction. */
void et_recorder_keep(struct et_recorder *r, const struct et_sample *s, size_t n)
{
	if (!r->n)
		r->group_ns = r->clock->now_ns(r->clock->ctx);
	for (size_t i = 0; i < n; i++) {
		ET_GROW(r->waiting, r->n, r->cap);
		et_sample_copy(&r->waiting[r->n++], &s[i]);
	}
}

int et_recorder_settle(struct et_recorder *r, uint64_t next_ns, struct et_error *err)
{
	if (!r->n)
		return 0;
	uint64_t age_ns = r->clock->now_ns(r->clock->ctx) - r->group_ns;
	/* The next run may take twice as long as expected, and the sample is still in time. */
	if (next_ns < SHORT_NS && age_ns + 2 * next_ns < GROUP_NS)
		return 0;
	return et_recorder_flush(r, err);
}

int et_recorder_flush(struct et_recorder *r, struct et_error *err)
{
	size_t left = 0;
	int rc = 0;

	for (size_t i = 0; i < r->n; i++) {
		/* A busy store has been waited for already: doing so for each takes minutes. */
		int rc2 = rc == -EBUSY
				  ? rc
				  : et_store_add(r->store, r->id, &r->waiting[i], rc ? NULL : err);
		if (rc2)
			r->waiting[left++] = r->waiting[i];
		else
			et_sample_free(&r->waiting[i]);
		rc = rc ? rc : rc2;
	}
	r->n = left;
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
