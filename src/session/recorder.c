/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/recorder.h"

static const uint64_t SHORT_NS = 20000000; /* samples of shorter programs are grouped */
static const uint64_t GROUP_NS = 50000000; /* the longest time that a finished sample waits */

/* Copying a sample takes less time between two runs than adding it to a transaction. */
void et_recorder_keep(struct et_recorder *r, const struct et_sample *s, size_t n)
{
	if (!r->n)
		r->group_ns = r->clock->now_ns(r->clock->ctx);
	for (size_t i = 0; i < n; i++) {
		ET_GROW(r->waiting, r->n, r->cap);
		struct et_sample *copy = &r->waiting[r->n++];
		et_sample_copy(copy, &s[i]);
		if (copy->measured.profile)
			copy->measured.profile->of = r->profile;
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

/* Whether the store refused one sample, and neither its group nor later samples are affected. */
static bool is_refusal(const struct et_store *store, int rc)
{
	return (rc == -EINVAL || rc == -EEXIST || rc == -ENOENT) && et_store_in_group(store);
}

/*
 * Adds all waiting samples to the open group. Samples that the store refuses move to the front, and
 * *refused counts them; *rc is the first refusal. Fails if the store does.
 */
static int add_all(struct et_recorder *r, size_t *refused, int *rc, struct et_error *err)
{
	for (size_t i = 0; i < r->n; i++) {
		int rc2 = et_store_add(r->store, r->id, &r->waiting[i], *rc ? NULL : err);
		if (rc2 && !is_refusal(r->store, rc2))
			return rc2;
		if (!rc2)
			continue;
		struct et_sample first = r->waiting[*refused];
		r->waiting[*refused] = r->waiting[i];
		r->waiting[i] = first;
		++*refused;
		*rc = *rc ? *rc : rc2;
	}
	return 0;
}

/* Samples are freed after the commit: if the disk is full, the whole group waits for the next. */
int et_recorder_flush(struct et_recorder *r, struct et_error *err)
{
	size_t refused = 0;
	int rc = 0;
	int failed = add_all(r, &refused, &rc, err);

	if (!failed)
		failed = et_store_flush(r->store, rc ? NULL : err);
	if (failed) {
		et_store_discard(r->store);
		return rc ? rc : failed;
	}
	for (size_t i = refused; i < r->n; i++)
		et_sample_free(&r->waiting[i]);
	r->n = refused;
	return rc;
}

void et_recorder_free(struct et_recorder *r)
{
	for (size_t i = 0; i < r->n; i++)
		et_sample_free(&r->waiting[i]);
	free(r->waiting);
	memset(r, 0, sizeof(*r));
}
