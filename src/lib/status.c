/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for statuses and warnings. */
#include "base/attr.h"

#include <etalon/etalon.h>

const char *etalon_strerror(int status)
{
	switch (status) {
	case ETALON_OK:
		return "done";
	case ETALON_NOT_CONVERGED:
		return "K samples did not agree within epsilon; the result is the best there is";
	case ETALON_BAD_FUNCTION:
		return "no function, or no place for its result";
	case ETALON_BAD_SIZE:
		return "sz is not the size of this struct in any version of the library";
	case ETALON_BAD_K:
		return "K must be from 1 to 64";
	case ETALON_BAD_EPSILON:
		return "epsilon must be a number of at least 0";
	case ETALON_BAD_SAMPLES:
		return "M, the most samples, must be at least K";
	case ETALON_BAD_CACHE:
		return "cache must be warm or cold, and memory to clear it at least as large as it";
	case ETALON_BAD_CLOCK:
		return "there is no such clock, or it cannot be trusted on this machine";
	case ETALON_NO_MEMORY:
		return "no memory to clear the cache with";
	case ETALON_BAD_PRIORITY:
		return "priority must be ETALON_PRIORITY_AUTO or ETALON_PRIORITY_KEEP";
	default:
		return "unknown status";
	}
}

static const struct {
	unsigned warning;
	const char *text;
} warnings[] = {
	{ ETALON_WARNING_SPREAD, "the best samples never agreed: take more, or a larger epsilon" },
	{ ETALON_WARNING_PREEMPTED,
		"hardly a sample was undisturbed: this is the thread's CPU time" },
	{ ETALON_WARNING_SLOW,
		"the processor ran slower than it can: a neighbour, a lower clock rate" },
	{ ETALON_WARNING_NOT_INVARIANT,
		"the processor's counter has no fixed rate: another clock is used" },
	{ ETALON_WARNING_BACKWARDS,
		"the processor's counter went backwards: another clock is used" },
	{ ETALON_WARNING_NO_TICK_COST,
		"what timer interrupts cost is not known and not subtracted" },
	{ ETALON_WARNING_INTERRUPTS,
		"interrupts take more than epsilon of the time, in varying portions" },
	{ ETALON_WARNING_OVERHEAD,
		"hardly longer than reading the clock: take more calls a sample" },
	{ ETALON_WARNING_CACHE_SIZE, "size of the last-level cache not known: 64 MiB are cleared" },
};

const char *etalon_warning_text(unsigned warning)
{
	for (size_t i = 0; i < ET_LENGTH(warnings); i++)
		if (warnings[i].warning == warning)
			return warnings[i].text;
	return "";
}
