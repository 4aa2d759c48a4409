/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doubts.h"
#include "base/alloc.h"
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
	size_t marks[8];
	size_t failed;
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

/* The process that used most CPU time beside the command. */
static const char *main_culprit(const struct et_command *c)
{
	const struct et_interferer *worst = NULL;

	for (size_t i = 0; i < c->n_samples; i++) {
		const struct et_sample *s = &c->samples[i];
		if (s->warmup || s->arrangement != ET_SOLO || !s->n_interferers)
			continue;
		if (!worst || s->interferers[0].pt_ns > worst->pt_ns)
			worst = &s->interferers[0];
	}
	return worst ? worst->name : NULL;
}

static void doubt_elapsed(
	const struct et_command *c, const struct totals *t, struct et_warnings *out)
{
	const char *culprit = main_culprit(c);
	double rest = t->et - t->pt - t->wait - t->steal - t->blocked;

	if (!t->n || t->pt >= t->et)
		return;
	if (t->wait > 0.02 * t->et)
		et_warn(out,
			"elapsed time is not the program's doing: it waited %.0f %% of it for a "
			"CPU "
			"that others used%s%s; judge by process time",
			100 * t->wait / t->et, culprit ? ", most of all " : "",
			culprit ? culprit : "");
	if (t->steal > 0.02 * t->et)
		et_warn(out,
			"the hypervisor took the CPU away for %.0f %% of the elapsed time; judge "
			"by "
			"process time",
			100 * t->steal / t->et);
	if (rest > 0.1 * t->et)
		et_warn(out,
			"elapsed time is far above CPU time: the program sleeps or waits (disk, "
			"network, timers) for %.0f %% of it; judge it by elapsed time (--metric "
			"et)",
			100 * rest / t->et);
}

void et_doubt_command(const struct et_command *c, struct et_warnings *out)
{
	static const char *const sentences[] = {
		"the kernel dropped exit records: who disturbed them is not fully known",
		"the program was stopped by a signal for a while",
		("the program left processes behind; their CPU time counts up to its end, then "
		 "they were killed"),
	};
	struct totals t = add_up(c);

	doubt_elapsed(c, &t, out);
	for (size_t i = 0; i < ET_LENGTH(sentences); i++) { /* entry i speaks of bit i of marks */
		if (t.marks[i])
			et_warn(out, "in %zu of the runs %s", t.marks[i], sentences[i]);
	}
	if (t.failed)
		et_warn(out, "%zu runs failed (exit status or signal), which was ignored as asked",
			t.failed);
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
			"this is a virtual machine (%s): neighbours slow the processor down "
			"without a "
			"trace; compare programs as pairs (--order auto), not with yesterday's "
			"numbers",
			h->virtual_machine);
	if (h->governor[0] && strcmp(h->governor, "performance"))
		et_warn(out,
			"the CPU frequency is scaled (governor %s), so times depend on what ran "
			"before; set the governor to performance",
			h->governor);
	if (e->image_source && !strcmp(e->image_source, "proc"))
		et_warn(out, "without CAP_NET_ADMIN processes that began and ended within a run "
			     "were not "
			     "seen; run as root for a full picture");
	if (all_by_wait4(e))
		et_warn(out,
			"no control group could be made: CPU time of descendants that nobody "
			"waited "
			"for is counted only where they came to us; run as root for exact figures");
}
