/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Daemons that are planted into synthetic runs of a machine with several CPUs, with a baseline that
 * drifts, with few samples, with many small processes. The truth is known; nothing is measured.
 */
#include "base/base.h"
#include "num/rng.h"
#include "protocol/daemons.h"
#include "tap.h"

enum baseline { STEADY, DRIFT, STEPS, MODES };

struct hard {
	uint32_t n;
	enum baseline baseline;
	uint32_t every, first; /* the daemon comes in sample first, first + every …; 0: never */
	uint32_t children;     /* of the daemon, which share its time; 0: itself */
	double ms;             /* its CPU time in a sample */
	double ours;           /* the probability that a visit is on the program's CPU */
	bool ledger;
	uint32_t lost; /* one of this many samples has none; 0: all have it */
	const char *name;
};

static const struct hard usual = {
	.n = 300, .every = 50, .first = 17, .ms = 30, .ours = 1, .name = "planted"
};

static double baseline_of(const struct hard *h, uint32_t i, bool *slow, struct et_rng *rng)
{
	switch (h->baseline) {
	case DRIFT:
		return 50.0 * i / h->n;
	case STEPS:
		return 30 * (4 * i / h->n % 2);
	case MODES:
		*slow ^= et_rng_uniform(rng) < 0.03;
		return *slow ? 40 : 0;
	default:
		return 0;
	}
}

/* An execution that has the program's CPU for a part of its time. */
static void add(struct et_daemon_record *r, const struct hard *h, const char *name, double ms,
	double ours_ms)
{
	struct et_execution *x =
		et_daemon_run_execution(&r->short_run, et_daemon_record_name(r, name), ms);

	if (h->ledger && !(h->lost && r->short_run.n_listed % h->lost == 0))
		x->ours_ms = ours_ms;
}

/* Processes that are beside every sample of a quiet machine, on other CPUs. */
static void add_everyday(struct et_daemon_record *r, const struct hard *h, struct et_rng *rng)
{
	static const struct {
		const char *name;
		double share, location, scale;
	} list[] = { { "kworker", 0.95, -0.5, 0.7 }, { "journal", 0.3, -1, 0.6 },
		{ "ksoftirqd/0", 0.5, -2, 0.8 }, { "sshd", 0.1, -0.7, 0.5 },
		{ "jbd2/vda1-8", 0.2, -1, 0.7 } };

	add(r, h, "rcu_preempt", 0.3 + 0.6 * et_rng_uniform(rng), 0.1);
	for (size_t i = 0; i < ET_LENGTH(list); i++) {
		double z = et_rng_normal(rng);
		if (et_rng_uniform(rng) < list[i].share)
			add(r, h, list[i].name, exp(list[i].location + list[i].scale * z), 0);
	}
}

static double visit(struct et_daemon_record *r, const struct hard *h, struct et_rng *rng)
{
	double ms = h->ms * (1 + 0.05 * et_rng_normal(rng));
	double ours = et_rng_uniform(rng) < h->ours ? 1 : 0;
	uint32_t n = h->children ? h->children : 1;

	for (uint32_t i = 0; i < n; i++)
		add(r, h, h->name, ms / n, ours * ms / n);
	return ours * ms;
}

/* Makes a run. Returns how many of its samples the daemon made longer; sets hit[i] for those. */
static size_t make(struct et_daemon_record *r, const struct hard *h, uint64_t seed, bool *hit)
{
	struct et_rng rng;
	bool slow = false;
	size_t spoilt = 0;

	et_rng_seed(&rng, seed, 17);
	memset(r, 0, sizeof(*r));
	r->short_run =
		(struct et_daemon_run){ .samples = h->n, .sample_seconds = 1, .whole = true };
	for (uint32_t i = 0; i < h->n; i++) {
		double taken = 0, noise = 2 * et_rng_normal(&rng);
		et_daemon_run_add(&r->short_run, i + 1, i);
		add_everyday(r, h, &rng);
		if (h->every && i >= h->first && (i - h->first) % h->every == 0)
			taken = visit(r, h, &rng);
		struct et_daemon_sample *w = &r->short_run.listed[i];
		w->elapsed_ms = 1000 + noise + baseline_of(h, i, &slow, &rng) + taken;
		w->cpu_ms = 1000 + 0.9 * noise + 0.02 * taken;
		hit[i] = taken > 0;
		spoilt += hit[i];
	}
	et_daemon_record_settle(r);
	return spoilt;
}

/* Sums over learnings. */
struct score {
	size_t found;       /* learnings in which the daemon has a cutoff */
	size_t false_ones;  /* learnings with a cutoff of another process */
	size_t hit, missed; /* samples that the daemon made longer: removed or not */
	size_t wrong;       /* samples that were removed and are not longer */
};

static struct score score(const struct hard *h, uint64_t learnings)
{
	ET_AUTO_FREE bool *hit = et_calloc(h->n, sizeof(*hit));
	struct score s = { 0 };

	for (uint64_t seed = 0; seed < learnings; seed++) {
		struct et_daemon_record r;
		struct et_daemon_findings f;
		struct et_error err;
		bool other = false;
		make(&r, h, seed, hit);
		if (et_daemons_analyse(&r, "hard", &f, &err))
			tap_bail("%s", err.what);
		for (size_t i = 0; i < f.n_cutoffs; i++) {
			bool planted = !strcmp(f.cutoffs[i].daemon, h->name);
			s.found += planted;
			other |= !planted;
		}
		for (size_t i = 0; i < h->n; i++) {
			s.hit += hit[i] && f.short_run.removed[i];
			s.missed += hit[i] && !f.short_run.removed[i];
			s.wrong += !hit[i] && f.short_run.removed[i];
		}
		s.false_ones += other;
		et_daemon_findings_free(&f);
		et_daemon_record_free(&r);
	}
	return s;
}

static void analyse(const struct hard *h, struct et_daemon_record *r, struct et_daemon_findings *f)
{
	ET_AUTO_FREE bool *hit = et_calloc(h->n, sizeof(*hit));
	struct et_error err;

	make(r, h, 4, hit);
	if (et_daemons_analyse(r, "hard", f, &err))
		tap_bail("%s", err.what);
}

/* A machine with several CPUs: a visit beside the program does no harm, and hides no other. */
static void test_elsewhere(void)
{
	static const double shares[] = { 1, 0.95, 0.9, 0.7, 0.5 };
	struct hard h = usual;

	h.every = 30;
	h.ms = 300;
	for (size_t i = 0; i < ET_LENGTH(shares); i++) {
		h.ledger = true;
		h.ours = shares[i];
		struct score s = score(&h, 20);
		ok(s.found == 20 && !s.missed && !s.wrong && !s.false_ones,
			"on the program's CPU with %g: found in %zu of 20, %zu samples removed, "
			"%zu missed, %zu wrong",
			shares[i], s.found, s.hit, s.missed, s.wrong);
	}
	h.ours = 0;
	struct score s = score(&h, 20);
	ok(!s.found && !s.wrong, "never on the program's CPU: no cutoff");
	h.ledger = false;
	h.ours = 1;
	s = score(&h, 20);
	ok(s.found == 20 && !s.missed, "without a ledger: the CPU time of the papers is judged");
}

/* The kernel may drop records, so that a few samples have no ledger. */
static void test_lost_ledger(void)
{
	static const uint32_t lost[] = { 20, 2 };

	for (size_t i = 0; i < ET_LENGTH(lost); i++) {
		struct hard h = usual;
		struct et_daemon_record r;
		struct et_daemon_findings f;
		h.ledger = true;
		h.ms = 300;
		h.lost = lost[i];
		analyse(&h, &r, &f);
		ok(r.by_ledger == (lost[i] == 20) && f.n_cutoffs == 1,
			"one of %u samples has no ledger: daemons are judged by %s", lost[i],
			r.by_ledger ? "the ledger" : "CPU time");
		et_daemon_findings_free(&f);
		et_daemon_record_free(&r);
	}
}

static void test_drift(void)
{
	static const char *const names[] = { "steady", "drifting", "stepping", "two speeds" };
	struct hard h = usual;

	for (enum baseline b = STEADY; b <= MODES; b++) {
		h.baseline = b;
		struct score s = score(&h, 20);
		ok(s.found >= (b == MODES ? 16 : 20) && s.wrong == 0,
			"%s baseline, 30 ms every 50 s: found in %zu of 20, %zu of %zu samples "
			"removed, %zu wrongly",
			names[b], s.found, s.hit, s.hit + s.missed, s.wrong);
	}
	h.every = 0;
	for (enum baseline b = STEADY; b <= MODES; b++) {
		h.baseline = b;
		struct score s = score(&h, 200);
		ok(s.false_ones <= 2 && s.wrong <= 2,
			"%s baseline, quiet: %zu of 200 learnings have a cutoff, %zu samples",
			names[b], s.false_ones, s.wrong);
	}
}

/* A process that is in few samples is by chance in those that a daemon hits. */
static void test_few(void)
{
	static const uint32_t sizes[][2] = { { 10, 5 }, { 12, 6 }, { 20, 8 }, { 39, 20 } };
	size_t found = 0, wrong = 0;

	for (size_t i = 0; i < ET_LENGTH(sizes); i++) {
		struct hard h = usual;
		h.n = sizes[i][0];
		h.every = sizes[i][1];
		h.first = h.every / 2;
		h.ms = 100;
		struct score s = score(&h, 20);
		found += s.found;
		wrong += s.false_ones;
	}
	ok(found == 80, "10 to 39 samples: the daemon is found in %zu of 80 learnings", found);
	ok(wrong == 0, "10 to 39 samples: %zu of 80 learnings have a false cutoff", wrong);
}

static void test_children(void)
{
	struct hard h = usual;

	h.children = 200;
	h.ms = 16; /* 0.08 ms each: below the floor */
	struct score s = score(&h, 20);
	ok(s.found == 20 && !s.missed && !s.wrong,
		"200 children of 0.08 ms: found in %zu of 20, %zu samples missed", s.found,
		s.missed);
}

static void test_nameless(void)
{
	struct hard h = usual;

	h.name = "?";
	h.ms = 300;
	struct score s = score(&h, 5);
	ok(!s.found && !s.hit, "a process without a name: no cutoff");
}

/* --- the findings besides cutoffs --- */

static void test_unexplained(void)
{
	struct hard h = usual;
	struct et_daemon_record r;
	struct et_daemon_findings f;

	h.every = 30;
	h.ms = 300;
	h.ours = 0.7; /* without a ledger */
	analyse(&h, &r, &f);
	ok(f.n_cutoffs == 0 && f.short_run.unexplained > 3 &&
			f.short_run.common.unexplained == f.short_run.unexplained &&
			!strcmp(r.names[f.short_run.common.name], "planted"),
		"unexplained: %zu samples, and %s ran in %zu of them and in %zu others",
		f.short_run.unexplained, r.names[f.short_run.common.name],
		f.short_run.common.unexplained, f.short_run.common.others);
	et_daemon_findings_free(&f);
	et_daemon_record_free(&r);
}

static void test_frequent(void)
{
	struct hard h = usual;
	struct et_daemon_record r;
	struct et_daemon_findings f;
	uint32_t spoils = 0;

	h.every = 7;
	h.first = 2;
	h.ms = 120;
	analyse(&h, &r, &f);
	for (size_t i = 0; i < r.n_names; i++) {
		if (!strcmp(r.names[i], "planted") && f.short_run.frequent[i])
			spoils = f.short_run.spoils[i];
	}
	ok(!f.n_cutoffs && spoils == 43 && !f.short_run.unexplained,
		"every 7 s: the daemon is frequent, and spoils %u of 300 samples", spoils);
	et_daemon_findings_free(&f);
	et_daemon_record_free(&r);
	h.every = 0;
	analyse(&h, &r, &f);
	ok(!f.n_cutoffs && !f.short_run.unexplained && f.short_run.spread < 0.003 &&
			f.short_run.spread > 0.001 && !f.short_run.by_pairs,
		"quiet: nothing is unexplained, the spread is %.4f", f.short_run.spread);
	et_daemon_findings_free(&f);
	et_daemon_record_free(&r);
}

int main(void)
{
	test_elsewhere();
	test_lost_ledger();
	test_drift();
	test_few();
	test_children();
	test_nameless();
	test_unexplained();
	test_frequent();
	return tap_done();
}
