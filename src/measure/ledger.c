/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/ledger.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "measure/ledger_account.h"
#include "measure/ledger_source.h"

#include <string.h>

struct et_ledger {
	const struct et_ledger_source *source;
	void *ctx;
	struct et_ledger_memory *memory; /* shared with the kernel, and with children */
	/* As it was when looking ended. */
	struct et_ledger_memory end;
	struct et_ledger_cpu homes[ET_LEDGER_LANES];
	struct et_culprit_key *keys;
	struct et_culprit_account *culprits;
	uint32_t n;
};

int et_ledger_open(struct et_ledger **out, struct et_error *err)
{
	struct et_ledger l = { .source = &et_ledger_by_bpf };
	int rc = l.source->open(&l.ctx, &l.memory, err);

	if (rc)
		return rc;
	l.keys = et_calloc(ET_LEDGER_CULPRITS, sizeof(*l.keys));
	l.culprits = et_calloc(ET_LEDGER_CULPRITS, sizeof(*l.culprits));
	*out = et_alloc(sizeof(**out));
	**out = l;
	return 0;
}

void et_ledger_close(struct et_ledger *l)
{
	if (!l)
		return;
	l->source->close(l->ctx);
	free(l->keys);
	free(l->culprits);
	free(l);
}

void et_ledger_arm(struct et_ledger *l, size_t n)
{
	if (!l)
		return;
	__atomic_store_n(&l->memory->armed_ns, 0, __ATOMIC_RELEASE);
	memset(l->memory->lanes, 0, sizeof(l->memory->lanes));
	for (size_t i = 0; i < ET_LEDGER_LANES; i++)
		l->memory->lanes[i].home = -1;
	l->memory->etalon = getpid();
	l->memory->wanted = (uint32_t)n;
	l->memory->born = 0;
	l->source->take(l->ctx, l->keys, l->culprits); /* what a run that failed has left */
	__atomic_store_n(&l->memory->armed_ns, et_clock_read_ns(CLOCK_MONOTONIC), __ATOMIC_RELEASE);
}

uint64_t *et_ledger_begin(struct et_ledger *l, size_t lane)
{
	return l ? (uint64_t *)&l->memory->lanes[lane].t0_ns : NULL;
}

uint64_t *et_ledger_end(struct et_ledger *l, size_t lane)
{
	return l ? (uint64_t *)&l->memory->lanes[lane].t1_ns : NULL;
}

void et_ledger_disarm(struct et_ledger *l)
{
	if (!l)
		return;
	__atomic_store_n(&l->memory->armed_ns, 0, __ATOMIC_RELEASE);
	l->end = *l->memory;
	for (size_t i = 0; i < ET_LEDGER_LANES; i++) {
		int32_t home = l->end.lanes[i].home;
		if (home >= 0 && l->source->look(l->ctx, home, &l->homes[i]) < 0)
			l->end.lanes[i].home = -1;
	}
	l->n = l->source->take(l->ctx, l->keys, l->culprits);
}

void et_ledger_fill(const struct et_ledger *l, size_t lane, struct et_sample *s)
{
	if (!l)
		return;
	struct et_account a = { .lane = l->end.lanes[lane],
		.home = l->homes[lane],
		.etalon = l->end.etalon,
		.tells_hidden = l->end.tells_hidden };

	for (uint32_t i = 0; i < l->n; i++) {
		if (l->keys[i].lane == (int32_t)lane)
			et_account_add(&a, l->keys[i].tgid, &l->culprits[i]);
	}
	et_account_settle(&a, (int32_t)lane, s);
	et_account_free(&a);
}
