/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/metric.h"
#include "model/sample/sample.h"

#include <math.h>

const char *const et_unit_names[] = { NULL, "s", "ns", "bytes", "ticks" };

/* ROW(metric, name, label, unit, in duets, member of struct et_measured) */
#define JUDGED(ROW)                                                                                \
	ROW(CPU, "pt", "CPU time", NS, true, cpu_ns)                                               \
	ROW(ELAPSED, "et", "elapsed time", NS, false, elapsed_ns)
#define RECORDED(ROW)                                                                              \
	ROW(USER, "user", "user time", NS, true, user_ns)                                          \
	ROW(SYSTEM, "system", "system time", NS, true, system_ns)                                  \
	ROW(PEAK_MEMORY, "max_rss", "peak memory", BYTES, true, max_rss_bytes)                     \
	ROW(COUNTER, "counter", "counter ticks", TICKS, false, counter_ticks)

#define METRIC(metric, name, label, unit, duets, judged, member)                                   \
	[ET_METRIC_##metric] = { name, label, ET_UNIT_##unit, judged, duets,                       \
		offsetof(struct et_sample, measured.member) },
#define JUDGED_ROW(metric, name, label, unit, duets, member)                                       \
	METRIC(metric, name, label, unit, duets, true, member)
#define RECORDED_ROW(metric, name, label, unit, duets, member)                                     \
	METRIC(metric, name, label, unit, duets, false, member)
#define NAME(metric, name, label, unit, duets, member) [ET_METRIC_##metric] = (name),

/* To add a row: the constant in metric.h, and the row in JUDGED or RECORDED. */
const struct et_metric_row et_metrics[ET_METRICS] = { JUDGED(JUDGED_ROW) RECORDED(RECORDED_ROW) };

const char *const et_metric_names[] = { JUDGED(NAME) NULL };
const char *const et_metric_words[] = { "cpu", "elapsed", [ET_METRIC_AUTO] = "auto", NULL };
const char *const et_metric_options[] = { JUDGED(NAME)[ET_METRIC_AUTO] = "auto", NULL };

uint64_t et_sample_metric(const struct et_sample *s, enum et_metric m)
{
	return *(const uint64_t *)((const char *)s + et_metrics[m].offset);
}

bool et_sample_is_function(const struct et_sample *s)
{
	return s->measured.calls > 0;
}

double et_sample_value(const struct et_sample *s, enum et_metric m)
{
	uint64_t value = et_sample_metric(s, m);
	bool per_call = et_sample_is_function(s) && et_metrics[m].unit != ET_UNIT_BYTES;

	if (value == ET_UNKNOWN)
		return NAN;
	return (double)value / (per_call ? (double)s->measured.calls : 1);
}
