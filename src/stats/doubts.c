/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doubts.h"
#include "base/alloc.h"
#include "model/culprit.h"
#include "num/quantile.h"
#include "stats/diagnosis.h"

#include <string.h>

/* --- a series --- */

void et_doubt_series(const double *x, size_t n, struct et_warnings *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	struct et_diagnosis d;

	et_diagnose(x, sorted, n, &d);
	et_diagnosis_warn(&d, ET_UNIT_NS, ET_DOUBT_MEAN, out);
}

/* --- a command --- */

struct totals {
	double elapsed, cpu, wait, steal, blocked;
	size_t n;
	size_t turns; /* runs that were not warm-up, removed ones too */
	size_t marks[9];
	size_t slow; /* runs that were removed or marked because the machine was slow */
	size_t failed;
	size_t overlapped; /* in duets */
};

static double known(uint64_t ns)
{
	return ns == ET_UNKNOWN ? 0 : (double)ns;
}

static struct totals add_up(const struct et_command *c)
{
	enum et_arrangement arrangement = et_command_arrangement(c);
	struct totals t = { 0 };

	for (size_t i = 0; i < c->n_samples; i++) {
		const struct et_sample *s = &c->samples[i];
		if (s->place.warmup)
			continue;
		for (size_t k = 0; k < ET_LENGTH(t.marks); k++)
			t.marks[k] += (s->ruling.marks >> k) & 1;
		t.failed += s->measured.exit_code != 0;
		t.slow += s->ruling.removal.by == ET_REMOVED_MACHINE_SLOW ||
			  (s->ruling.marks & ET_MARK_MACHINE_SLOW);
		t.turns += s->place.arrangement == arrangement;
		t.overlapped +=
			s->place.arrangement == ET_DUET && !(s->ruling.marks & ET_MARK_NO_OVERLAP);
		if (s->ruling.removal.by != ET_KEPT || s->place.arrangement != ET_SOLO ||
			s->measured.cpu_ns == ET_UNKNOWN)
			continue;
		t.n++;
		t.elapsed += (double)s->measured.elapsed_ns;
		t.cpu += (double)s->measured.cpu_ns;
		t.wait += known(s->measured.wait_ns);
		t.steal += known(s->measured.steal_ns);
		t.blocked += known(s->measured.blocked_ns);
	}
	return t;
}

/* The share of elapsed time in which a serial program neither ran nor waited for a CPU. */
double et_idle_share(const struct et_command *c)
{
	struct totals t = add_up(c);
	double rest = t.elapsed - t.cpu - t.wait - t.steal;

	return t.elapsed > 0 && rest > 0 ? rest / t.elapsed : 0;
}

static void blame_machine(
	const struct et_command *c, const struct totals *t, bool by_et, struct et_warnings *out)
{
	const char *advice = by_et ? "" : "; judge by process time";
	size_t n;
	ET_AUTO_FREE struct et_culprit_total *all = et_command_culprits(c, &n);
	const struct et_culprit_total *worst = n ? &all[0] : NULL;

	/* Who took the program's own CPU, where that is known; else who used most anywhere. */
	for (size_t i = 1; i < n; i++) {
		if (all[i].taken_ns > worst->taken_ns)
			worst = &all[i];
	}
	const char *lead = worst ? ", most of all " : "", *name = worst ? worst->name : "";

	/* Tasks that wait side by side wait longer than the clock. */
	if (t->cpu + t->wait > 1.05 * t->elapsed)
		et_warn(out,
			"its tasks waited %.3g ms a run, side by side, for CPUs that others "
			"used%s%s%s",
			t->wait / (double)t->n / 1e6, lead, name, advice);
	else if (t->steal > t->wait)
		et_warn(out,
			"elapsed time is not the program's doing: the hypervisor took the CPU "
			"away for %.0f %% of it%s",
			100 * t->steal / t->elapsed, advice);
	else
		et_warn(out,
			"elapsed time is not the program's doing: it waited %.0f %% of it for a "
			"CPU that others used%s%s%s",
			100 * t->wait / t->elapsed, lead, name, advice);
}

/* Why elapsed time is not process time: one reason, the greatest, and one piece of advice. */
static void doubt_elapsed(
	const struct et_command *c, const struct totals *t, bool by_et, struct et_warnings *out)
{
	/* Shorter gaps are what the kernel needs to start and to end a program. */
	const double start_and_end_ns = 2e6;
	double rest = t->elapsed - t->cpu - t->wait - t->steal;
	double taken = t->wait + t->steal;

	if (!t->n || (t->cpu >= t->elapsed && !(taken > 0.02 * t->elapsed)))
		return;
	if (rest > 0.1 * t->elapsed && rest / (double)t->n > start_and_end_ns && rest > taken)
		et_warn(out,
			"elapsed time is far above CPU time: the program sleeps or waits (disk, "
			"network, timers) for %.0f %% of it%s",
			100 * rest / t->elapsed,
			by_et ? "" : "; judge it by elapsed time (--metric et)");
	else if (taken > 0.02 * t->elapsed)
		blame_machine(c, t, by_et, out);
}

/* What was asked for and not reached. */
static void doubt_extent(const struct et_experiment *e, enum et_protocol protocol,
	const struct totals *t, struct et_warnings *out)
{
	if (e->state == ET_STATE_DONE && e->plan.until_ratio == 0 && e->plan.time_limit_ns &&
		t->turns < e->plan.runs && protocol != ET_PROTOCOL_KBEST)
		et_warn(out, "the time limit ended it after %zu of %u runs", t->turns,
			e->plan.runs);
}

/* By evidence other than the program's own times; what a rule left out is not in the figures. */
static void doubt_speed(const struct et_experiment *e, const struct totals *t, size_t kept_slow,
	struct et_warnings *out)
{
	/* The loop needs several of the scheduler's slices beside the program. */
	const double long_enough_ns = 2e7, often = 0.1;
	bool paceable = e->metric == ET_METRIC_CPU && e->plan.order != ET_ORDER_DUET &&
			t->cpu > long_enough_ns * (double)t->n && t->cpu < 1.1 * t->elapsed;
	const char *advice = paceable ? "; --pace corrects for it" : "";

	if (kept_slow && !e->plan.keep_all)
		et_warn(out,
			"the machine was slow in %zu of %zu runs (a fixed loop beside them, or "
			"stolen time, says so), too many to leave them out: these are times of a "
			"slow machine%s",
			kept_slow, t->turns, advice);
	else if ((double)t->slow > often * (double)t->turns)
		et_warn(out, "the machine was slow in %zu of %zu runs%s%s", t->slow, t->turns,
			e->plan.keep_all ? "" : ", which were left out", advice);
}

void et_doubt_command(const struct et_experiment *e, enum et_protocol protocol,
	const struct et_command *c, struct et_warnings *out)
{
	static const char *const sentences[] = {
		"the kernel dropped exit records: who disturbed them is not fully known",
		"the program was stopped by a signal for a while",
		("the program left processes behind; their CPU time counts up to its end, then "
		 "they were killed"),
	};
	enum et_arrangement arrangement = et_command_arrangement(c);
	struct totals t = add_up(c);

	doubt_elapsed(c, &t, e->metric == ET_METRIC_ELAPSED, out);
	doubt_speed(e, &t, t.marks[8], out);
	doubt_extent(e, protocol, &t, out);
	for (size_t i = 0; i < ET_LENGTH(sentences); i++) { /* entry i speaks of bit i of marks */
		if (t.marks[i])
			et_warn(out, "in %zu of the runs %s", t.marks[i], sentences[i]);
	}
	if (t.failed)
		et_warn(out, "%zu runs failed (exit status or signal)%s", t.failed,
			e->plan.ignore_failure ? ", which was ignored as asked" : "");
	if (arrangement == ET_PACED)
		et_warn(out,
			"paced: the reference loop had its share of the CPU, so elapsed time is "
			"not the program's own");
	if (t.overlapped && arrangement == ET_DUET)
		et_warn(out,
			"measured in duets only: its elapsed time holds its partner's share of "
			"the CPU");
}

/* --- the machine --- */

static bool all_by_wait4(const struct et_experiment *e)
{
	size_t n = 0, wait4 = 0;

	for (size_t c = 0; c < e->n_commands; c++) {
		for (size_t i = 0; i < e->commands[c].n_samples; i++) {
			const struct et_sample *s = &e->commands[c].samples[i];
			n++;
			wait4 += s->measured.cpu_source == ET_CPU_BY_WAIT4 &&
				 s->measured.cpu_ns != ET_UNKNOWN;
		}
	}
	return n && wait4 == n;
}

/* Behind a plus stands how the program's own CPU was watched. */
static bool watched_by(const struct et_experiment *e, const char *source)
{
	size_t n = strlen(source);

	return e->snapshot_source && !strncmp(e->snapshot_source, source, n) &&
	       (e->snapshot_source[n] == '\0' || e->snapshot_source[n] == '+');
}

void et_doubt_host(const struct et_experiment *e, struct et_warnings *out)
{
	const struct et_host *h = &e->host;
	bool counter =
		!strcmp(h->clocksource, "tsc") || !strcmp(h->clocksource, "arch_sys_counter");

	if (h->clocksource[0] && !counter)
		et_warn(out,
			"the clock source is %s, not the processor's counter: reading the clock is "
			"slower and coarser",
			h->clocksource);
	if (h->virtual_machine[0] && strcmp(h->virtual_machine, "none") &&
		strcmp(h->virtual_machine, "unknown"))
		et_warn(out,
			"virtual machine (%s): unseen neighbours change its speed; compare "
			"within one run, not with yesterday's numbers",
			h->virtual_machine);
	if (h->governor[0] && strcmp(h->governor, "performance"))
		et_warn(out,
			"the CPU frequency is scaled (governor %s), so times depend on what ran "
			"before; set the governor to performance",
			h->governor);
	if (!h->cpus)
		return; /* a record made elsewhere: how it was measured is not known */
	if (watched_by(e, "proc"))
		et_warn(out,
			"without CAP_NET_ADMIN processes that began and ended within a run were "
			"not seen; run as root, or grant this capability to the container");
	else if (watched_by(e, "proc-no-taskstats"))
		et_warn(out, "this kernel or container has no taskstats: processes that began and "
			     "ended within a run were not seen");
	if (all_by_wait4(e))
		et_warn(out,
			"no control group could be made: CPU time of descendants that nobody "
			"waited for is counted only where they came to us; %s",
			watched_by(e, "taskstats") /* so we had root's capabilities */
				? "mount a cgroup hierarchy on /sys/fs/cgroup"
				: "run as root");
}
