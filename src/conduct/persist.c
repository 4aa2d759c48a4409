/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conduct/persist.h"

#include <errno.h>
#include <sys/random.h>

static const uint64_t FIRST_PAUSE_NS = 500000000, LONGEST_PAUSE_NS = 30000000000;

/* Failures that no later attempt would mend. */
static bool is_final(int rc)
{
	static const int all[] = { ESTALE, EEXIST, EPROTO, EBADMSG, EACCES, EINVAL, ENOTSUP, ENXIO,
		ETIME, EUCLEAN };
	bool found = false;

	for (size_t i = 0; i < ET_LENGTH(all); i++)
		found = found || rc == -all[i];
	return found;
}

/* Pauses are random within a factor of three, so that many machines do not come back together. */
static uint64_t vary(uint64_t pause_ns)
{
	uint32_t random = 0;

	(void)!getrandom(&random, sizeof(random), 0);
	return pause_ns / 2 + (uint64_t)((double)pause_ns * ((double)random / UINT32_MAX));
}

int et_persist(const struct et_persistence *p, int (*attempt)(void *ctx, struct et_error *err),
	void *ctx, struct et_error *err)
{
	uint64_t began_ns = p->clock->now_ns(p->clock->ctx), pause_ns = FIRST_PAUSE_NS;

	for (bool told = false;; told = true) {
		int rc = attempt(ctx, err);
		uint64_t waited_ns = p->clock->now_ns(p->clock->ctx) - began_ns;

		if (rc == 0 || is_final(rc) || p->interrupt->signal ||
			waited_ns + pause_ns > p->limit_ns)
			return rc;
		if (!told)
			p->again(p->ctx, err);
		p->pause(p->ctx, vary(pause_ns));
		pause_ns = 2 * pause_ns < LONGEST_PAUSE_NS ? 2 * pause_ns : LONGEST_PAUSE_NS;
	}
}
