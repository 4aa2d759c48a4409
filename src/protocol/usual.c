/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/usual.h"
#include "base/u64.h"

void et_usual_learn(struct et_usual *u, const struct et_sample *s)
{
	bool scouted = s->ruling.marks & ET_MARK_SCOUTED;

	if (s->place.arrangement != ET_SOLO || s->measured.cpu_ns == ET_UNKNOWN)
		return;
	/* Scouting takes time of both kinds, so such a run speaks only while there is no other. */
	if (scouted && u->n && !u->scouted)
		return;
	if (scouted != u->scouted)
		*u = (struct et_usual){ .scouted = scouted };
	if (s->measured.cpu_ns > s->measured.elapsed_ns + s->measured.elapsed_ns / 10)
		u->parallel = true;
	if (u->n < ET_USUAL_FIRST)
		u->cpu_ns[u->n++] = s->measured.cpu_ns;
}

uint64_t et_usual_cpu_ns(const struct et_usual *u)
{
	uint64_t sorted[ET_USUAL_FIRST];

	if (!u->n)
		return 0;
	memcpy(sorted, u->cpu_ns, u->n * sizeof(*sorted));
	qsort(sorted, u->n, sizeof(*sorted), et_ascending_u64);
	return sorted[u->n / 2];
}

uint64_t et_slice_ns(const struct et_host *host)
{
	const uint64_t usual_ns = 6000000, two_ticks = 2 * host->tick_ns;

	return two_ticks > usual_ns ? two_ticks : usual_ns;
}

bool et_usual_is_unclear(const struct et_usual *u, const struct et_host *host)
{
	uint64_t cpu_ns = et_usual_cpu_ns(u), slice_ns = et_slice_ns(host);

	return u->scouted && cpu_ns >= slice_ns && cpu_ns < 4 * slice_ns;
}
