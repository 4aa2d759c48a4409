/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doubts.h"
#include "base/alloc.h"
#include "model/advice.h"
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
	double et, pt, wait, steal, blocked;
	size_t n;
	size_t turns; /* runs that were not warm-up, removed ones too */
	size_t marks[8];
	size_t failed;
	size_t overlapped; /* in duets */
};

static double known(uint64_t ns)
{
	return ns == ET_UNKNOWN ? 0 : (double)ns;
}

static struct totals add_up(const struct et_command *c)
{
	struct totals t = { 0 };

	for (size_t i = 0; i < c->n_samples; i++) {
		const struct et_sample *s = &c->samples[i];
		if (s->warmup)
			continue;
		for (size_t k = 0; k < ET_LENGTH(t.marks); k++)
			t.marks[k] += (s->marks >> k) & 1;
		t.failed += s->exit_code != 0;
		t.turns += s->arrangement == et_command_arrangement(c);
		t.overlapped += s->arrangement == ET_DUET && !(s->marks & ET_MARK_NO_OVERLAP);
		if (s->removal.by != ET_KEPT || s->arrangement != ET_SOLO || s->pt_ns == ET_UNKNOWN)
			continue;
		t.n++;
		t.et += (double)s->et_ns;
		t.pt += (double)s->pt_ns;
		t.wait += known(s->wait_ns);
		t.steal += known(s->steal_ns);
		t.blocked += known(s->blocked_ns);
	}
	return t;
}

/* The share of elapsed time in which a serial program neither ran nor waited for a CPU. */
double et_idle_share(const struct et_command *c)
{
	struct totals t = add_up(c);
	double rest = t.et - t.pt - t.wait - t.steal;

	return t.et > 0 && rest > 0 ? rest / t.et : 0;
}

static void blame_machine(
	const struct et_command *c, const struct totals *t, bool by_et, struct et_warnings *out)
{
	const char *advice = by_et ? "" : "; judge by process time";
	size_t n;
	ET_AUTO_FREE struct et_culprit *all = et_command_culprits(c, &n);
	const char *lead = n ? ", most of all " : "", *name = n ? all[0].name : "";

	/* Tasks that wait side by side wait longer than the clock. */
	if (t->pt + t->wait > 1.05 * t->et)
		et_warn(out,
			"its tasks waited %.3g ms a run, side by side, for CPUs that others "
			"used%s%s%s",
			t->wait / (double)t->n / 1e6, lead, name, advice);
	else if (t->steal > t->wait)
		et_warn(out,
			"elapsed time is not the program's doing: the hypervisor took the CPU "
			"away for %.0f %% of it%s",
			100 * t->steal / t->et, advice);
	else
		et_warn(out,
			"elapsed time is not the program's doing: it waited %.0f %% of it for a "
			"CPU that others used%s%s%s",
			100 * t->wait / t->et, lead, name, advice);
}

/* Why elapsed time is not process time: one reason, the greatest, and one piece of advice. */
static void doubt_elapsed(
	const struct et_command *c, const struct totals *t, bool by_et, struct et_warnings *out)
{
	/* Shorter gaps are what the kernel needs to start and to end a program. */
	const double start_and_end_ns = 2e6;
	double rest = t->et - t->pt - t->wait - t->steal;
	double taken = t->wait + t->steal;

	if (!t->n || (t->pt >= t->et && !(taken > 0.02 * t->et)))
		return;
	if (rest > 0.1 * t->et && rest / (double)t->n > start_and_end_ns && rest > taken)
		et_warn(out,
			"elapsed time is far above CPU time: the program sleeps or waits (disk, "
			"network, timers) for %.0f %% of it%s",
			100 * rest / t->et,
			by_et ? "" : "; judge it by elapsed time (--metric et)");
	else if (taken > 0.02 * t->et)
		blame_machine(c, t, by_et, out);
}

/* What was asked for and not reached. */
static void doubt_extent(
	const struct et_experiment *e, const struct totals *t, struct et_warnings *out)
{
	if (e->state == ET_STATE_DONE && e->plan.until_ratio == 0 && e->plan.time_limit_ns &&
		t->turns < e->plan.runs && et_protocol_choose(e).protocol != ET_PROTOCOL_KBEST)
		et_warn(out, "the time limit ended it after %zu of %u runs", t->turns,
			e->plan.runs);
}

void et_doubt_command(
	const struct et_experiment *e, const struct et_command *c, struct et_warnings *out)
{
	static const char *const sentences[] = {
		"the kernel dropped exit records: who disturbed them is not fully known",
		"the program was stopped by a signal for a while",
		("the program left processes behind; their CPU time counts up to its end, then "
		 "they were killed"),
	};
	struct totals t = add_up(c);

	doubt_elapsed(c, &t, e->metric == ET_METRIC_ET, out);
	doubt_extent(e, &t, out);
	for (size_t i = 0; i < ET_LENGTH(sentences); i++) { /* entry i speaks of bit i of marks */
		if (t.marks[i])
			et_warn(out, "in %zu of the runs %s", t.marks[i], sentences[i]);
	}
	if (t.failed)
		et_warn(out, "%zu runs failed (exit status or signal)%s", t.failed,
			e->plan.ignore_failure ? ", which was ignored as asked" : "");
	if (t.overlapped && et_command_arrangement(c) == ET_DUET)
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
			wait4 += s->pt_source == ET_PT_WAIT4 && s->pt_ns != ET_UNKNOWN;
		}
	}
	return n && wait4 == n;
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
	if (e->image_source && !strcmp(e->image_source, "proc"))
		et_warn(out,
			"without CAP_NET_ADMIN processes that began and ended within a run were "
			"not seen; run as root for a full picture");
	else if (e->image_source && !strcmp(e->image_source, "proc-no-taskstats"))
		et_warn(out, "this kernel or container has no taskstats: processes that began and "
			     "ended within a run were not seen");
	if (all_by_wait4(e))
		et_warn(out,
			"no control group could be made: CPU time of descendants that nobody "
			"waited for is counted only where they came to us; run as root for exact "
			"figures");
}
