/* SPDX-License-Identifier: MIT */
/* The sentences for statuses and warnings, and the version. A warning fits into 80 columns. */
#include "base/attr.h"

#include <etalon/etalon.h>
#include <stdbool.h>

static const char *const statuses[] = {
	[-ETALON_OK] = "success",
	[-ETALON_NOT_CONVERGED] =
		"K samples did not agree within epsilon; the result is the best so far",
	[-ETALON_BAD_FUNCTION] = "the function or the result is NULL",
	[-ETALON_BAD_SIZE] = "sz is not the size of this struct in any version of the library",
	[-ETALON_BAD_K] = "K must be from 1 to 64",
	[-ETALON_BAD_EPSILON] = "epsilon must be finite and at least 0",
	[-ETALON_BAD_SAMPLES] = "max_samples must be at least k",
	[-ETALON_BAD_CACHE] =
		"cache must be warm or cold, clear_memory at least as large as the cache, "
		"and cold data needs other_arg or a working set",
	[-ETALON_BAD_CLOCK] =
		"the requested clock does not exist or cannot be trusted on this machine",
	[-ETALON_NO_MEMORY] = "not enough memory to clear the cache with",
	[-ETALON_BAD_PRIORITY] = "priority must be ETALON_PRIORITY_AUTO or ETALON_PRIORITY_KEEP",
	[-ETALON_BAD_DURATION] = "a duration or threshold must be finite and not negative",
};

const char *etalon_strerror(int status)
{
	bool known = status <= 0 && status > -(int)ET_LENGTH(statuses);

	return known ? statuses[-status] : "unknown status";
}

static const struct {
	unsigned warning;
	const char *text;
} warnings[] = {
	{ ETALON_WARNING_SPREAD,
		"the K shortest samples did not agree: take more or raise epsilon" },
	{ ETALON_WARNING_PREEMPTED,
		"almost every sample was preempted, so this is the thread's CPU time" },
	{ ETALON_WARNING_SLOW, "the processor ran below its full speed: the time may be too long" },
	{ ETALON_WARNING_NOT_INVARIANT,
		"the processor's counter has no fixed rate: another clock is used" },
	{ ETALON_WARNING_BACKWARDS,
		"the processor's counter went backwards: another clock is used" },
	{ ETALON_WARNING_NO_TICK_COST,
		"the cost of timer interrupts is unknown and was not subtracted" },
	{ ETALON_WARNING_INTERRUPTS,
		"interrupts vary by more than epsilon: repeat on a quieter machine" },
	{ ETALON_WARNING_OVERHEAD,
		"about as short as an empty call: use ETALON_LOOP, or do more per call" },
	{ ETALON_WARNING_CACHE_SIZE,
		"the size of the last-level cache is unknown: 64 MiB were cleared" },
	{ ETALON_WARNING_NOT_COLD,
		"the caches were not cold after clearing: the time is a lower limit" },
	{ ETALON_WARNING_BELOW_FLOOR,
		"shorter at reduced speed than at full speed: this is the median" },
	{ ETALON_WARNING_CALLS_DIFFER,
		"some calls regularly take far longer than others: this is the mean" },
	{ ETALON_WARNING_THREADS,
		"there are more threads than CPUs for them, so that they take turns" },
	{ ETALON_WARNING_RATES,
		"other programs had the CPUs for part of the time: rates are too low" },
};

const char *etalon_warning_text(unsigned warning)
{
	for (size_t i = 0; i < ET_LENGTH(warnings); i++)
		if (warnings[i].warning == warning)
			return warnings[i].text;
	return "";
}

/* At run time; it may differ from the one that was compiled for. */
const char *etalon_version(void)
{
	return ET_VERSION;
}
