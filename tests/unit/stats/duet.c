/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comparisons of commands that ran side by side and alone, through et_contrast_make: which runs
 * decide, what is printed as the ratio alone, and how often it is right on simulated machines.
 */
#include "stats/compare/duet.h"
#include "base/base.h"
#include "num/moments.h"
#include "num/rng.h"
#include "stats/compare/contrast.h"
#include "tap.h"

static const double MIB = 1024 * 1024;

/* A simulated experiment; noise is the standard deviation of a log time. */
struct scene {
	size_t n;
	double ratio;      /* alone */
	double company[2]; /* time that sharing the CPU costs a and b, relative to the shorter */
	double pair_noise, solo_noise;
	double memory[2]; /* MiB */
	bool no_solos, in_turn;
	bool far_solos; /* noise by Student's law with 3 degrees of freedom, as on a busy machine */
	uint64_t metronome_ns;
};

static void add(struct et_experiment *e, uint32_t command, uint32_t round, enum et_arrangement how,
	const struct scene *s, double ms)
{
	struct et_sample sample = { .place = { .command = command,
					    .round = round,
					    .order = 3 * round + (how == ET_SOLO ? command : 2),
					    .partner = how == ET_SOLO ? -1 : !command,
					    .arrangement = how } };

	sample.measured.cpu_ns = sample.measured.elapsed_ns = (uint64_t)llround(1e6 * ms);
	sample.measured.max_rss_bytes = (uint64_t)(MIB * s->memory[command]);
	if (s->in_turn && how == ET_DUET)
		sample.ruling.marks = ET_MARK_NO_OVERLAP;
	et_experiment_add(e, &sample);
}

static double noise(struct et_rng *rng, bool far)
{
	double squares = 0, z = et_rng_normal(rng);

	for (int i = 0; far && i < 3; i++) {
		double x = et_rng_normal(rng);
		squares += x * x;
	}
	return far ? z / sqrt(squares / 3) : z;
}

/* Plays the experiment and judges it as a family of one. The caller frees the warnings. */
static void play(const struct scene *s, uint64_t seed, struct et_contrast *out)
{
	struct et_command commands[2] = { 0 };
	struct et_experiment e = {
		.plan = { .order = ET_ORDER_AUTO, .level = 0.95, .metronome_ns = s->metronome_ns },
		.commands = commands,
		.n_commands = 2
	};
	double alone[] = { 30, 30 * s->ratio }, shorter = fmin(alone[0], alone[1]);
	struct et_rng rng;

	et_rng_seed(&rng, seed, 7);
	for (uint32_t i = 1; i <= s->n; i++) {
		double speed = exp(0.1 * et_rng_normal(&rng));
		for (uint32_t c = 0; c < 2; c++) {
			double duet = (alone[c] + s->company[c] * shorter) * speed *
				      exp(s->pair_noise * M_SQRT1_2 * et_rng_normal(&rng));
			double solo = alone[c] *
				      exp(s->solo_noise * M_SQRT1_2 * noise(&rng, s->far_solos));
			if (!s->no_solos)
				add(&e, c, i, ET_SOLO, s, solo);
			add(&e, c, i, ET_DUET, s, duet);
		}
	}
	et_contrast_make(&e, 0, 1, ET_METRIC_CPU, 0.95, out);
	et_contrasts_conclude(out, 1, 0.05);
	et_samples_free(&commands[0].samples);
	et_samples_free(&commands[1].samples);
}

static const struct scene alike = { .n = 30,
	.ratio = 1.15,
	.company = { 0.06, 0.06 },
	.pair_noise = 0.02,
	.solo_noise = 0.15,
	.memory = { 4, 4.2 },
	.metronome_ns = 1000000 };

static void one_kind(void)
{
	struct et_contrast c;

	play(&alike, 1, &c);
	ok(c.kinds == ET_KINDS_SAME && !strcmp(c.arrangement, "duet") && c.pairs == 30,
		"one kind: the pairs decide");
	ok(c.side_by_side.estimate == c.ratio && c.side_by_side.lo == c.lo,
		"one kind: the verdict is about the pairs as measured");
	ok(c.alone.estimate > c.side_by_side.estimate && c.alone.lo > 1,
		"one kind: the ratio alone is further from 1 (%.4f, %.4f)", c.alone.estimate,
		c.side_by_side.estimate);
	ok(et_contrast_ratio(&c).estimate == c.alone.estimate, "one kind: that one is reported");
	ok(c.warnings.n == 0, "one kind: there is no warning");
	struct scene s = alike;
	s.no_solos = true;
	play(&s, 1, &c);
	is_str(c.alone.method, "corrected-pairs", "duets only: the pairs are corrected");
	s.in_turn = true;
	play(&s, 1, &c);
	ok(c.alone.estimate == c.ratio && isnan(c.side_by_side.estimate),
		"runs in turn: each ran alone, so nothing is corrected");
}

static void different_memory(void)
{
	struct scene s = alike;
	struct et_contrast c;

	s.memory[1] = 6;
	play(&s, 2, &c);
	ok(c.kinds == ET_KINDS_DIFFERENT && !strcmp(c.arrangement, "block"),
		"peak memory differs: the solo runs decide");
	ok(c.alone.estimate == c.ratio && c.side_by_side.estimate > 0 &&
			c.side_by_side.estimate != c.ratio,
		"peak memory differs: the ratio alone is that of the solo runs");
	ok(c.warnings.n == 1 && et_warnings_have(&c.warnings, ET_WARN_DIFFERENT_KINDS),
		"peak memory differs: a warning says that the kinds differ");
	et_warnings_free(&c.warnings);
	s.no_solos = true;
	play(&s, 2, &c);
	ok(isnan(c.alone.estimate) && c.ratio == c.side_by_side.estimate &&
			et_warnings_have(&c.warnings, ET_WARN_SIDE_BY_SIDE_ONLY),
		"peak memory differs, duets only: the ratio alone is not known, with a warning");
	et_warnings_free(&c.warnings);
}

/* The sign that two footprints give; "" if none. */
static const char *sign(struct et_footprint a, struct et_footprint b)
{
	const char *one = et_footprints_differ((struct et_footprint[]){ a, b });
	const char *other = et_footprints_differ((struct et_footprint[]){ b, a });

	return one == other ? (one ? one : "") : "not symmetric";
}

static void footprints(void)
{
	const struct et_footprint f = { 4 * MIB, 300, 0.1, 30e6 };
	struct et_footprint g = f;

	is_str(sign(f, g), "", "footprints: equal ones show nothing");
	g.memory = 5.1 * MIB;
	is_str(sign(f, g), "peak memory", "footprints: more than a quarter more memory");
	g.memory = 4.9 * MIB;
	is_str(sign(f, g), "", "footprints: less than a quarter more memory shows nothing");
	struct et_footprint tiny = { 0.2 * MIB, 300, 0.1, 30e6 },
			    twice = { 0.4 * MIB, 300, 0.1, 30e6 };
	is_str(sign(tiny, twice), "",
		"footprints: a few pages show nothing, because the kernel's count is not exact");
	g = f;
	g.faults = 400;
	is_str(sign(f, g), "page faults", "footprints: a third more pages in the same time");
	g.cpu_ns = 40e6;
	is_str(sign(f, g), "", "footprints: a third more pages in a third more time show nothing");
	g = f;
	g.faults = 350;
	is_str(sign(f, g), "", "footprints: some dozens of pages more show nothing");
	g = f;
	g.system = 0.4;
	is_str(sign(f, g), "system time", "footprints: another share of system time");
	g.system = 0.3;
	is_str(sign(f, g), "", "footprints: about the same share of system time shows nothing");
	struct et_footprint unknown = { NAN, NAN, NAN, NAN };
	is_str(sign(f, unknown), "", "footprints: one that is not known shows nothing");
}

static void contradiction(void)
{
	struct scene s = alike;
	struct et_contrast c;

	s.ratio = 1;
	s.company[1] = 0.2; /* company costs b more than a */
	s.solo_noise = 0.05;
	play(&s, 3, &c);
	ok(c.side_by_side.lo > 1.05, "contradiction: the pairs alone would claim a difference");
	ok(c.kinds == ET_KINDS_DIFFERENT && !c.significant && c.lo <= 1 && c.hi > 1,
		"contradiction: no difference is claimed, and the interval holds both (%.3f … "
		"%.3f)",
		c.lo, c.hi);
	ok(et_warnings_have(&c.warnings, ET_WARN_SIDE_BY_SIDE_DIFFERS),
		"contradiction: there is a warning");
	et_warnings_free(&c.warnings);
	s.ratio = 1.5;
	s.company[1] = 0.4;
	play(&s, 3, &c);
	ok(c.significant && c.ratio < 1.6 && c.side_by_side.estimate > 1.65,
		"contradiction: a difference that both show is claimed");
	et_warnings_free(&c.warnings);
}

/* Shares of simulated experiments. */
struct shares {
	double alarms, covered, side_by_side_covered, different;
};

static struct shares repeat(const struct scene *s, int trials)
{
	struct shares sum = { 0 };
	struct et_contrast c;

	for (int i = 0; i < trials; i++) {
		play(s, 100 + (uint64_t)i, &c);
		struct et_ratio r = et_contrast_ratio(&c);
		sum.alarms += c.significant;
		sum.covered += r.lo <= s->ratio && r.hi >= s->ratio;
		sum.side_by_side_covered +=
			c.side_by_side.lo <= s->ratio && c.side_by_side.hi >= s->ratio;
		sum.different += c.kinds == ET_KINDS_DIFFERENT;
		et_warnings_free(&c.warnings);
	}
	return (struct shares){ sum.alarms / trials, sum.covered / trials,
		sum.side_by_side_covered / trials, sum.different / trials };
}

static void promises(void)
{
	static const struct {
		const char *name;
		double ratio, company[2], memory;
		size_t n;
		bool fails; /* the interval of the pairs as measured does */
	} cases[] = {
		{ "equal programs", 1, { 0.06, 0.06 }, 4, 10, false },
		{ "equal programs", 1, { 0.06, 0.06 }, 4, 30, false },
		{ "equal programs", 1, { 0, 0 }, 4, 30, false },
		{ "15 % slower, no dilution", 1.15, { 0, 0 }, 4, 30, false },
		{ "15 % slower, usual dilution", 1.15, { 0.06, 0.06 }, 4, 30, true },
		{ "15 % slower, twice the usual dilution", 1.15, { 0.12, 0.12 }, 4, 30, true },
		{ "30 % faster, usual dilution", 0.7, { 0.06, 0.06 }, 4, 30, true },
		{ "27 % slower, a shared third-level cache", 1.27, { 0.37, 0.37 }, 4, 30, true },
		{ "as fast, a shared third-level cache", 1, { 0.37, 0.37 }, 4, 30, false },
		{ "other memory, equal times", 1, { 0.02, 0.10 }, 6, 30, true },
		{ "other memory, half the time", 0.5, { 0.10, 0.02 }, 6, 30, true },
	};
	enum { TRIALS = 400 };

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct scene s = alike;
		s.n = cases[i].n;
		s.ratio = cases[i].ratio;
		s.memory[1] = cases[i].memory;
		s.company[0] = cases[i].company[0];
		s.company[1] = cases[i].company[1];
		struct shares got = repeat(&s, TRIALS);
		/* 400 trials at 5 %: sd 1.1 %. */
		ok(got.covered >= 0.92, "%s, %zu pairs: the interval of the ratio alone holds %.3f",
			cases[i].name, s.n, got.covered);
		if (cases[i].fails)
			ok(got.side_by_side_covered < 0.9,
				"%s: the pairs as measured would hold %.3f only", cases[i].name,
				got.side_by_side_covered);
		if (cases[i].ratio == 1)
			ok(got.alarms <= 0.08, "%s, %zu pairs: false alarms %.3f", cases[i].name,
				s.n, got.alarms);
		if (cases[i].memory < 5)
			ok(got.different <= 0.08, "%s, %zu pairs: taken for different kinds %.3f",
				cases[i].name, s.n, got.different);
	}
}

/* Company that costs the two unequal time at equal memory: only the contradiction can show it. */
static void hidden_kinds(void)
{
	struct scene s = alike;

	s.ratio = 1;
	s.company[1] = 0.2;
	s.solo_noise = 0.1;
	s.n = 100;
	struct shares got = repeat(&s, 200);
	ok(got.alarms <= 0.1, "unequal company at equal memory: false alarms %.3f of 100 pairs",
		got.alarms);
}

/* In one of how many comparisons pairs and solos differ so much by chance; INFINITY: no warning. */
static double chance_of(const struct et_contrast *c)
{
	for (size_t i = 0; i < c->warnings.n; i++) {
		if (c->warnings.list[i].code == ET_WARN_SIDE_BY_SIDE_DIFFERS)
			return c->warnings.list[i].args[3].number;
	}
	return INFINITY;
}

/*
 * The ratio that is printed is not worse than the pairs that it is made of, although the solo runs
 * are much noisier and contradict the pairs by chance now and then.
 */
static void accuracy(void)
{
	static const size_t sizes[] = { 10, 30 };
	enum { TRIALS = 3000 };

	for (size_t k = 0; k < ET_LENGTH(sizes); k++) {
		struct scene s = { .n = sizes[k],
			.ratio = 1,
			.company = { 0.06, 0.06 },
			.pair_noise = 0.015,
			.solo_noise = 0.05 * M_SQRT2,
			.far_solos = true,
			.memory = { 4, 4 },
			.metronome_ns = 1000000 };
		double printed = 0, pairs = 0;
		double lowest = INFINITY; /* N of one of N comparisons, by the warning */
		int doubted = 0, rare = 0, alarms = 0, contradicted = 0;

		for (int i = 0; i < TRIALS; i++) {
			struct et_contrast c;
			play(&s, 5000 + (uint64_t)i, &c);
			printed += pow(log(et_contrast_ratio(&c).estimate), 2);
			pairs += pow(log(c.side_by_side.estimate), 2);
			doubted += et_warnings_have(&c.warnings, ET_WARN_SIDE_BY_SIDE_DIFFERS);
			rare += isfinite(chance_of(&c)) && chance_of(&c) >= 370;
			lowest = fmin(lowest, chance_of(&c));
			contradicted += c.kinds == ET_KINDS_DIFFERENT;
			alarms += c.significant;
			et_warnings_free(&c.warnings);
		}
		ok(sqrt(printed) <= 1.1 * sqrt(pairs),
			"equal programs, %zu pairs: the printed ratio has an error of %.2f %%, its "
			"pairs %.2f %%",
			s.n, 100 * sqrt(printed / TRIALS), 100 * sqrt(pairs / TRIALS));
		ok(doubted <= 0.065 * TRIALS && contradicted <= 0.001 * TRIALS,
			"equal programs, %zu pairs: solo runs raise a doubt in %.1f %%, and take "
			"over in %.2f %%",
			s.n, 100.0 * doubted / TRIALS, 100.0 * contradicted / TRIALS);
		/* 1 / P(|z| > 2) is 22.0, and 1 / P(|z| > 3) is 370. */
		ok(lowest == 22 && rare > 0 && rare <= 0.008 * TRIALS,
			"equal programs, %zu pairs: a doubt of 1 in %.0f or more; of 1 in 370 in "
			"%.2f %%",
			s.n, lowest, 100.0 * rare / TRIALS);
		ok(alarms <= 0.06 * TRIALS, "equal programs, %zu pairs: false alarms %.1f %%", s.n,
			100.0 * alarms / TRIALS);
	}
}

/* Returns the width of the interval alone, of a decision, if the company cost this much. */
static double width_with(double company, double noise)
{
	enum { PAIRS = 100, ROUNDS = 10 };
	double pairs[PAIRS], solos[ROUNDS], cost[ROUNDS];
	struct et_rng rng;

	et_rng_seed(&rng, 7, 0);
	for (size_t i = 0; i < PAIRS; i++)
		pairs[i] = log(1.2) + 0.015 * et_rng_normal(&rng);
	for (size_t i = 0; i < ROUNDS; i++) {
		solos[i] = log(1.2) + 0.05 * et_rng_normal(&rng);
		cost[i] = log1p(company) + noise * ((double)i - 4.5) / 4.5;
	}
	struct et_duets d = { .pairs = pairs,
		.n_pairs = PAIRS,
		.overlapped = true,
		.metronome_ns = 1000000,
		.solos = solos,
		.n_solos = ROUNDS,
		.company = { cost, cost },
		.n_company = { ROUNDS, ROUNDS },
		.footprints = { { 4, 150, 0, 1 }, { 4, 150, 0, 1 } } };
	struct et_contrast c = { .level = 0.95, .margin = 0.01, .metric = ET_METRIC_CPU };
	et_judge_duets(&d, &c);
	et_warnings_free(&c.warnings);
	return c.alone.hi - c.alone.lo;
}

/* No solo runs correct a decision: it allows for what company may have cost, if only just. */
static void doubtful_company(void)
{
	double usual = width_with(0.06, 0.15), more = width_with(0.12, 0.15);

	ok(more > 1.1 * usual,
		"a decision: company that may cost more than twice as much widens the interval "
		"from %.2f to %.2f %%",
		100 * usual, 100 * more);
	ok(width_with(0.06, 0.001) == width_with(0, 0.001),
		"a decision: company that costs the usual or less leaves it as it is");
}

int main(void)
{
	doubtful_company();
	accuracy();
	one_kind();
	different_memory();
	footprints();
	contradiction();
	promises();
	hidden_kinds();
	return tap_done();
}
