/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/sample/sample.h"
#include "base/u64.h"
#include "model/result/warning.h"
#include "model/sample/metric.h"

const char *const et_arrangement_names[] = { "solo", "duet", "paced", NULL };
const char *const et_cpu_source_names[] = { "cpuacct", "cpu.stat", "wait4", NULL };
const char *const et_removed_by_names[] = { "kept", "stopped", "failed", "daemon-cutoff",
	"two-sigma", "machine-slow", NULL };

const char *const et_unit_names[] = { NULL, "s", "ns", "bytes", "ticks" };

/* ROW(metric, name, label, unit, in duets, member of struct et_measured, word of --metric) */
#define JUDGED(ROW)                                                                                \
	ROW(CPU, "pt", "CPU time", NS, true, cpu_ns, "cpu")                                        \
	ROW(ELAPSED, "et", "elapsed time", NS, false, elapsed_ns, "elapsed")                       \
	ROW(PEAK_MEMORY, "max_rss", "peak memory", BYTES, true, max_rss_bytes, "memory")
#define RECORDED(ROW)                                                                              \
	ROW(USER, "user", "user time", NS, true, user_ns, NULL)                                    \
	ROW(SYSTEM, "system", "system time", NS, true, system_ns, NULL)                            \
	ROW(COUNTER, "counter", "counter ticks", TICKS, false, counter_ticks, NULL)

#define METRIC(metric, name, label, unit, duets, judged, member)                                   \
	[ET_METRIC_##metric] = { name, label, ET_UNIT_##unit, judged, duets,                       \
		offsetof(struct et_sample, measured.member) },
#define JUDGED_ROW(metric, name, label, unit, duets, member, word)                                 \
	METRIC(metric, name, label, unit, duets, true, member)
#define RECORDED_ROW(metric, name, label, unit, duets, member, word)                               \
	METRIC(metric, name, label, unit, duets, false, member)
#define NAME(metric, name, label, unit, duets, member, word) [ET_METRIC_##metric] = (name),
#define WORD(metric, name, label, unit, duets, member, word) [ET_METRIC_##metric] = (word),

/* To add a row: the constant in metric.h, and the row in JUDGED or RECORDED. */
const struct et_metric_row et_metrics[ET_METRICS] = { JUDGED(JUDGED_ROW) RECORDED(RECORDED_ROW) };

const char *const et_metric_names[] = { JUDGED(NAME) NULL };
const char *const et_recorded_metric_names[] = { JUDGED(NAME) RECORDED(NAME)[ET_METRICS] = NULL };
const char *const et_metric_words[] = { JUDGED(WORD)[ET_METRIC_AUTO] = "auto", NULL };
const char *const et_metric_options[] = { JUDGED(NAME)[ET_METRIC_AUTO] = "auto", NULL };

uint64_t et_sample_metric(const struct et_sample *s, enum et_metric m)
{
	return *(const uint64_t *)((const char *)s + et_metrics[m].offset);
}

bool et_sample_counts(const struct et_sample *s)
{
	return !s->place.warmup && s->ruling.removal.by == ET_KEPT &&
	       s->place.arrangement == ET_SOLO;
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

/* To add a row: the bit in sample.h, where it is set; ROW(mark, name, warning, -1 without one). */
#define MARKS(ROW)                                                                                 \
	ROW(LOST_RECORDS, "lost-records", ET_WARN_LOST_RECORDS)                                    \
	ROW(STOPPED, "stopped", ET_WARN_STOPPED)                                                   \
	ROW(LEFTOVERS, "leftovers", ET_WARN_LEFTOVERS)                                             \
	ROW(NO_OVERLAP, "no-overlap", -1)                                                          \
	ROW(NO_EXITS, "no-exit-records", -1)                                                       \
	ROW(ESCAPED, "left-control-group", -1)                                                     \
	ROW(DAEMON, "daemon-cutoff", -1)                                                           \
	ROW(TWO_SIGMA, "two-sigma", -1)                                                            \
	ROW(MACHINE_SLOW, "machine-slow", -1)                                                      \
	ROW(NO_SNAPSHOT, "no-snapshot", ET_WARN_NO_SNAPSHOT)                                       \
	ROW(SCOUTED, "scouted", -1)
#define MARK_ROW(mark, name, warning) { ET_MARK_##mark, name, warning },
#define MARK_NAME(mark, name, warning) name,

const struct et_mark_row et_mark_rows[ET_MARKS] = { MARKS(MARK_ROW) };
const char *const et_mark_names[] = { MARKS(MARK_NAME) NULL };

int et_name_index(const char *const *names, const char *name)
{
	for (int i = 0; names[i]; i++) {
		if (!strcmp(names[i], name))
			return i;
	}
	return -1;
}

void et_sample_free(struct et_sample *s)
{
	free(s->measured.culprits);
	s->measured.culprits = NULL;
	s->measured.n_culprits = 0;
	et_profile_run_free(s->measured.profile);
	s->measured.profile = NULL;
}

void et_sample_copy(struct et_sample *to, const struct et_sample *from)
{
	const struct et_measured *m = &from->measured;
	struct et_culprit *copy = m->n_culprits ? et_calloc(m->n_culprits, sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, m->culprits, m->n_culprits * sizeof(*copy));
	*to = *from;
	to->measured.profile = et_profile_run_copy(m->profile);
	to->measured.culprits = copy;
}

/* --- shares of the elapsed time --- */

const struct et_share_row et_share_rows[ET_SHARES] = {
	[ET_SHARE_ON_CPU] = { "on CPU", "on_cpu_ns" },
	[ET_SHARE_RUNNABLE] = { "runnable while others ran", "runnable_ns" },
	[ET_SHARE_ASLEEP] = { "asleep or waiting", "asleep_ns" },
	[ET_SHARE_STOLEN] = { "stolen", "stolen_ns" },
	[ET_SHARE_UNEXPLAINED] = { "unexplained", "unexplained_ns" },
};

/* The last switch of a task, when it exits, counts as voluntary, too. */
enum { SWITCHES_OF_EXIT = 1 };

void et_shares_without_ledger(struct et_measured *m)
{
	m->on_cpu_ns = m->runnable_ns = m->asleep_ns = ET_UNKNOWN;
	if (m->cpu_ns == ET_UNKNOWN || m->elapsed_ns == ET_UNKNOWN || m->cpu_ns > m->elapsed_ns)
		return;
	uint64_t rest = m->elapsed_ns - m->cpu_ns;
	m->on_cpu_ns = m->cpu_ns;
	if (m->wait_ns == ET_UNKNOWN)
		return;
	m->runnable_ns = m->wait_ns < rest ? m->wait_ns : rest;
	rest -= m->runnable_ns;
	if (m->steal_ns != ET_UNKNOWN)
		rest = et_minus_u64(rest, m->steal_ns);
	m->asleep_ns = m->voluntary_switches > SWITCHES_OF_EXIT ? rest : 0;
}

void et_sample_shares(const struct et_measured *m, double ns[ET_SHARES])
{
	struct et_measured own = *m;

	if (own.on_cpu_ns == ET_UNKNOWN) /* a record of an older etalon, or of another tool */
		et_shares_without_ledger(&own);
	ns[ET_SHARE_ON_CPU] = et_known(own.on_cpu_ns);
	ns[ET_SHARE_RUNNABLE] = et_known(own.runnable_ns);
	ns[ET_SHARE_ASLEEP] = et_known(own.asleep_ns);
	double rest = et_known(own.elapsed_ns) - ns[ET_SHARE_ON_CPU];
	for (int i = ET_SHARE_RUNNABLE; i <= ET_SHARE_ASLEEP; i++)
		rest -= isnan(ns[i]) ? 0 : ns[i];
	rest = rest < 0 ? 0 : rest;
	/* Steal is the sum over the program's CPUs, like its CPU time, and counted in ticks. */
	double part = own.cpu_ns ? ns[ET_SHARE_ON_CPU] / (double)own.cpu_ns : 1;
	double stolen = et_known(own.steal_ns) * part;
	ns[ET_SHARE_STOLEN] = stolen > rest ? rest : stolen;
	ns[ET_SHARE_UNEXPLAINED] = rest - (isnan(ns[ET_SHARE_STOLEN]) ? 0 : ns[ET_SHARE_STOLEN]);
	if (isnan(rest))
		ns[ET_SHARE_STOLEN] = NAN;
}
