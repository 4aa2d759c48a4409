/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for statuses and doubts. */
#include "base/attr.h"

#include <etalon/etalon.h>

const char *et_strerror(int status)
{
	switch (status) {
	case ET_OK:
		return "done";
	case ET_NOT_CONVERGED:
		return "K samples did not agree within epsilon; the result is the best there is";
	case ET_BAD_FUNCTION:
		return "no function, or no place for its result";
	case ET_BAD_SIZE:
		return "sz is not the size of this struct in any version of the library";
	case ET_BAD_K:
		return "K must be from 1 to 64";
	case ET_BAD_EPSILON:
		return "epsilon must be a number of at least 0";
	case ET_BAD_SAMPLES:
		return "M, the most samples, must be at least K";
	case ET_BAD_CACHE:
		return "cache must be warm or cold, and memory to clear it at least as large as it";
	case ET_BAD_CLOCK:
		return "there is no such clock, or it cannot be trusted on this machine";
	case ET_NO_MEMORY:
		return "no memory to clear the cache with";
	case ET_BAD_PRIORITY:
		return "priority must be ET_PRIORITY_AUTO or ET_PRIORITY_KEEP";
	default:
		return "unknown status";
	}
}

static const struct {
	unsigned doubt;
	const char *text;
} doubts[] = {
	{ ET_DOUBT_SPREAD, "the best samples never agreed: take more, or a larger epsilon" },
	{ ET_DOUBT_INTERRUPTED, "hardly a sample was undisturbed: this is the thread's CPU time" },
	{ ET_DOUBT_SLOW, "the processor ran slower than it can: a neighbour, a lower clock rate" },
	{ ET_DOUBT_NOT_INVARIANT,
		"the processor's counter has no fixed rate: another clock is used" },
	{ ET_DOUBT_BACKWARDS, "the processor's counter went backwards: another clock is used" },
	{ ET_DOUBT_NO_TICK_COST, "what timer interrupts cost is not known and not subtracted" },
	{ ET_DOUBT_INTERRUPTS,
		"interrupts take more than epsilon of the time, in varying portions" },
	{ ET_DOUBT_OVERHEAD, "hardly longer than reading the clock: take more calls a sample" },
	{ ET_DOUBT_CACHE_SIZE, "size of the last-level cache not known: 64 MiB are cleared" },
};

const char *et_doubt_text(unsigned doubt)
{
	for (size_t i = 0; i < ET_LENGTH(doubts); i++)
		if (doubts[i].doubt == doubt)
			return doubts[i].text;
	return "";
}
