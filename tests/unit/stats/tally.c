/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of samples, the mean parts of the elapsed time, and the processes that had the CPU. */
#include "stats/series/tally.h"
#include "base/base.h"
#include "tap.h"

#include <string.h>

static const uint64_t MS = 1000000;

/* A run of 100 ms: 60 on the CPU, 30 runnable and 10 asleep, each longer by `more` parts of 100. */
static struct et_sample sample(uint64_t more)
{
	struct et_sample s = { .place.arrangement = ET_SOLO };
	struct et_measured *m = &s.measured;

	m->elapsed_ns = (100 + more) * MS;
	m->cpu_ns = m->on_cpu_ns = (60 + more) * MS;
	m->user_ns = 50 * MS;
	m->system_ns = (10 + more) * MS;
	m->runnable_ns = m->others_ns = 30 * MS;
	m->asleep_ns = m->idle_ns = 10 * MS;
	m->max_rss_bytes = 1000 + more;
	return s;
}

static void add(struct et_command *c, struct et_sample s, const char *name, uint64_t taken_ns)
{
	struct et_culprit who = { .cpu_ns = taken_ns, .on_our_cpu_ns = taken_ns };

	snprintf(who.name, sizeof(who.name), "%s", name);
	s.measured.culprits = &who;
	s.measured.n_culprits = 1;
	et_samples_add(&c->samples, &s);
}

static void fill(struct et_command *c)
{
	struct et_sample warmup = sample(500), removed = sample(700), duet = sample(900);

	warmup.place.warmup = true;
	removed.ruling.removal.by = ET_REMOVED_TWO_SIGMA;
	duet.place.arrangement = ET_DUET;
	add(c, warmup, "early", 9 * MS);
	add(c, sample(0), "cron", 4 * MS);
	add(c, sample(20), "journal", 12 * MS);
	add(c, removed, "gone", 9 * MS);
	add(c, sample(40), "journal", 6 * MS);
	add(c, duet, "partner", 9 * MS);
}

static void test_counts(const struct et_tally *t)
{
	ok(t->warmup == 1 && t->n_removed == 1 && t->removed[ET_REMOVED_TWO_SIGMA] == 1,
		"counts: warm-up and removed samples, by their cause");
	ok(t->kept[ET_SOLO] == 3 && t->kept[ET_DUET] == 1, "counts: kept samples by arrangement");
	ok(t->max_rss_bytes == 1900, "counts: the largest memory of a kept sample");
}

static void test_means(const struct et_parts *p)
{
	double sum = 0;

	near(p->elapsed, 120e6, 1e-12, 0, "means: the elapsed time of kept solo samples");
	near(p->cpu, 80e6, 1e-12, 0, "means: their CPU time");
	near(p->user, 50e6, 1e-12, 0, "means: that of user mode");
	near(p->system, 30e6, 1e-12, 0, "means: that of the kernel");
	near(p->shares[ET_SHARE_ON_CPU], 80e6, 1e-12, 0, "means: the share on the CPU");
	near(p->shares[ET_SHARE_RUNNABLE], 30e6, 1e-12, 0, "means: the runnable share");
	for (int i = 0; i < ET_SHARES; i++)
		sum += p->shares[i];
	near(sum, p->elapsed, 1e-12, 0, "means: the shares add up to the elapsed time");
	ok(p->ledger, "means: every sample has a ledger");
}

static void test_takers(const struct et_command *c, const struct et_parts *p)
{
	size_t n;
	double rest_ns;
	ET_AUTO_FREE struct et_tally_taker *all = et_takers(c, p, &n, &rest_ns);

	if (!ok(n == 2 && !strcmp(all[0].name, "journal") && !strcmp(all[1].name, "cron"),
		    "takers: those of kept solo samples, by descending time"))
		return;
	near(all[0].ns, 18e6 / 3, 1e-12, 0, "takers: a mean over all of these samples");
	near(all[1].ns, 4e6 / 3, 1e-12, 0, "takers: also of a process that only one has");
	near(rest_ns, 30e6 - 22e6 / 3, 1e-12, 0, "takers: the rest has no name");
}

static void test_unknown(void)
{
	struct et_command c = { 0 };
	struct et_sample s = sample(0);
	struct et_tally t;
	size_t n;
	double rest_ns;

	et_tally_samples(&c, &t);
	ok(isnan(t.parts.elapsed) && !t.parts.ledger && t.max_rss_bytes == ET_UNKNOWN,
		"unknown: a command without samples has no means");
	s.measured.others_ns = s.measured.system_ns = ET_UNKNOWN;
	et_samples_add(&c.samples, &s);
	et_tally_samples(&c, &t);
	ok(isnan(t.parts.system) && t.parts.elapsed == 100e6,
		"unknown: a mean is NaN if a sample lacks its value");
	ET_AUTO_FREE struct et_tally_taker *all = et_takers(&c, &t.parts, &n, &rest_ns);
	ok(!t.parts.ledger && n == 0 && rest_ns == 0,
		"unknown: without a ledger there are no takers");
	et_samples_free(&c.samples);
}

int main(void)
{
	struct et_command c = { 0 };
	struct et_tally t;

	fill(&c);
	et_tally_samples(&c, &t);
	test_counts(&t);
	test_means(&t.parts);
	test_takers(&c, &t.parts);
	et_samples_free(&c.samples);
	test_unknown();
	return tap_done();
}
