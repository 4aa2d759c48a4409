/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/recorder.h"

static const uint64_t SHORT_NS = 20000000; /* programs shorter than this may be grouped */
static const uint64_t GROUP_NS = 25000000; /* a group's age at which it is committed: one more
					      short run still ends before 50 ms */

int et_recorder_keep(
	struct et_recorder *r, const struct et_sample *s, size_t n, struct et_error *err)
{
	uint64_t now_ns = r->clock->now_ns(r->clock->ctx);

	for (size_t i = 0; i < n; i++) {
		int rc = et_store_add(r->store, r->id, &s[i], err);
		if (rc)
			return rc;
		if (s[i].et_ns >= SHORT_NS)
			r->long_runs = true;
	}
	if (!r->group_ns)
		r->group_ns = now_ns;
	if (!r->long_runs && now_ns - r->group_ns < GROUP_NS)
		return 0;
	r->group_ns = 0;
	return et_store_flush(r->store, err);
}
