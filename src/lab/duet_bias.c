/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/duet_bias.h"
#include "stats/compare/contrast.h"
#include "stats/compare/paired.h"

enum { BLOCK = 5 };
static const double level = 0.95;

const size_t et_duet_sizes[ET_DUET_SIZES] = { 10, 30, 100 };
const double et_duet_effects[ET_DUET_EFFECTS] = { 0.005, 0.01 };
const char *const et_pair_design_names[] = { "identical", "one kind", "different", NULL };
const char *const et_duet_way_names[] = { "metronome", "slices", NULL };
const char *const et_duet_figure_names[] = { "side_by_side", "solos", "alone", NULL };

/* The logarithms of the CPU times of a round, a first. */
struct round {
	double solo[2], duet[2];
};

struct pool {
	struct round *rounds;
	size_t n;
	uint64_t metronome_ns;
	double shift_solos; /* added to the log ratio of solos: they then have the true ratio */
};

/* --- from experiments to pools --- */

static void take(
	struct round *rounds, bool seen[][4], size_t n, uint32_t command, const struct et_sample *s)
{
	uint64_t ns = s->measured.cpu_ns;
	bool duet = s->place.arrangement == ET_DUET;

	if (s->place.warmup || s->place.round < 1 || s->place.round > n || ns == ET_UNKNOWN || !ns)
		return;
	struct round *r = &rounds[s->place.round - 1];
	*(duet ? &r->duet[command] : &r->solo[command]) = log((double)ns);
	seen[s->place.round - 1][2 * duet + command] = true;
}

/* Gathers the complete rounds. The caller frees them. */
static void gather(const struct et_experiment *e, struct pool *out)
{
	size_t n = e->commands[0].samples.n;
	bool(*seen)[4] = et_calloc(n + 1, sizeof(*seen));

	*out = (struct pool){ .rounds = et_calloc(n + 1, sizeof(*out->rounds)),
		.metronome_ns = e->plan.metronome_ns };
	for (uint32_t c = 0; c < 2; c++) {
		et_for_each_sample(s, &e->commands[c].samples)
			take(out->rounds, seen, n, c, s);
	}
	for (size_t i = 0; i < n; i++) {
		if (seen[i][0] && seen[i][1] && seen[i][2] && seen[i][3])
			out->rounds[out->n++] = out->rounds[i];
	}
	free(seen);
}

static double *log_ratios(const struct round *rounds, size_t n, bool duets)
{
	double *d = et_calloc(n + 1, sizeof(*d));

	for (size_t i = 0; i < n; i++)
		d[i] = duets ? rounds[i].duet[1] - rounds[i].duet[0]
			     : rounds[i].solo[1] - rounds[i].solo[0];
	return d;
}

static struct et_interval_test location(const struct round *rounds, size_t n, bool duets)
{
	ET_AUTO_FREE double *d = log_ratios(rounds, n, duets);

	return et_pairs_by_ranks(d, n, level);
}

/* --- what the pair is --- */

static void describe(const struct et_experiment *e, struct et_duet_pair *out)
{
	for (int i = 0; i < 2; i++) {
		size_t n;
		ET_AUTO_FREE double *x =
			et_command_values(&e->commands[i], ET_METRIC_CPU, ET_SOLO, &n);
		out->alone_ns[i] = et_median(x, n);
		out->footprints[i] = et_footprint_of(&e->commands[i]);
	}
	out->sign = et_footprints_differ(out->footprints);
}

/* The true ratio: that of the solos of all ways together. */
static double find_truth(const struct pool pools[ET_DUET_WAYS], struct et_duet_pair *out)
{
	size_t n = pools[0].n + pools[1].n, k = 0;
	ET_AUTO_FREE struct round *all = et_calloc(n + 1, sizeof(*all));

	for (int w = 0; w < ET_DUET_WAYS; w++) {
		for (size_t i = 0; i < pools[w].n; i++)
			all[k++] = pools[w].rounds[i];
	}
	struct et_interval_test t = location(all, n, false);
	bool same = out->design == ET_PAIR_IDENTICAL;
	out->ratio = same ? 1 : exp(t.estimate);
	out->half_width = same ? 0 : (exp(t.hi) - exp(t.lo)) / 2;
	return log(out->ratio);
}

/* --- drawn experiments --- */

/* How the times of a drawn experiment are changed: log times of b are shifted. */
struct change {
	double solos, duets;
};

static uint64_t whole(double x)
{
	return x >= 0 ? (uint64_t)llround(x) : ET_UNKNOWN;
}

static void add(struct et_experiment *e, const struct et_duet_pair *pair, uint32_t command,
	enum et_arrangement how, uint32_t round, double log_ns)
{
	struct et_sample s = { .place = { .command = command,
				       .round = round,
				       .order = 3 * round + (how == ET_SOLO ? command : 2),
				       .partner = how == ET_SOLO ? -1 : !command,
				       .arrangement = how } };
	const struct et_footprint *f = &pair->footprints[command];

	s.measured.cpu_ns = s.measured.elapsed_ns = (uint64_t)llround(exp(log_ns));
	s.measured.max_rss_bytes = whole(f->memory);
	s.measured.minor_faults = whole(f->faults);
	s.measured.system_ns = whole(f->system * exp(log_ns));
	et_experiment_add(e, &s);
}

/* Judges rounds as `run` judges two commands, a family of one. The caller frees the warnings. */
static void judge(const struct et_duet_pair *pair, const struct round *rounds, size_t n,
	uint64_t metronome_ns, struct change change, struct et_contrast *out)
{
	struct et_command commands[2] = { 0 };
	struct et_experiment e = {
		.plan = { .order = ET_ORDER_AUTO, .level = level, .metronome_ns = metronome_ns },
		.commands = commands,
		.n_commands = ET_LENGTH(commands)
	};

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t c = 0; c < 2; c++) {
			add(&e, pair, c, ET_SOLO, i + 1,
				rounds[i].solo[c] + (c ? change.solos : 0));
			add(&e, pair, c, ET_DUET, i + 1,
				rounds[i].duet[c] + (c ? change.duets : 0));
		}
	}
	et_contrast_make(&e, 0, 1, ET_METRIC_CPU, level, out);
	et_contrasts_conclude(out, 1, 1 - level);
	et_samples_free(&commands[0].samples);
	et_samples_free(&commands[1].samples);
}

/* Of identical programs a coin decides for each block which is a, against the pool's own chance. */
static void draw(
	const struct pool *p, bool identical, size_t n, struct et_rng *rng, struct round *out)
{
	for (size_t i = 0; i < n;) {
		size_t from = et_rng_below(rng, p->n - BLOCK + 1);
		bool swapped = identical && et_rng_below(rng, 2);
		for (size_t k = 0; k < BLOCK && i < n; k++, i++) {
			const struct round *r = &p->rounds[from + k];
			out[i] = swapped ? (struct round){ { r->solo[1], r->solo[0] },
				{ r->duet[1], r->duet[0] } }
					 : *r;
		}
	}
}

/* Sums while repetitions are counted, means afterwards. */
static void count_error(
	struct et_duet_errors *sum, double log_ratio, double lo, double hi, double truth)
{
	double error = log_ratio - truth;

	sum->bias += error;
	sum->sd += error * error;
	sum->half_width += (hi - lo) / 2;
	sum->covered += lo <= truth && hi >= truth;
}

static void count_errors(const struct et_duet_pair *pair, const struct pool *p,
	const struct round *rounds, size_t n, double truth, struct et_duet_cell *cell)
{
	struct et_contrast c;

	judge(pair, rounds, n, p->metronome_ns, (struct change){ p->shift_solos, 0 }, &c);
	struct et_ratio alone = et_contrast_ratio(&c), beside = c.side_by_side;
	struct et_interval_test solos = location(rounds, n, false);
	count_error(&cell->errors[ET_FIGURE_SIDE_BY_SIDE], log(beside.estimate), log(beside.lo),
		log(beside.hi), truth);
	count_error(&cell->errors[ET_FIGURE_SOLOS], solos.estimate + p->shift_solos,
		solos.lo + p->shift_solos, solos.hi + p->shift_solos, truth);
	count_error(&cell->errors[ET_FIGURE_ALONE], log(alone.estimate), log(alone.lo),
		log(alone.hi), truth);
	cell->contradictions += et_warnings_have(&c.warnings, ET_WARN_SIDE_BY_SIDE_DIFFERS);
	et_warnings_free(&c.warnings);
}

static bool claims(const struct et_duet_pair *pair, const struct pool *p,
	const struct round *rounds, size_t n, struct change change, bool slower)
{
	struct et_contrast c;

	judge(pair, rounds, n, p->metronome_ns, change, &c);
	et_warnings_free(&c.warnings);
	return c.significant && (!slower || c.ratio > 1);
}

/* Whether the pairs would claim a difference, whatever the kinds. */
static bool pairs_claim(const struct round *rounds, size_t n, double shift)
{
	ET_AUTO_FREE double *d = log_ratios(rounds, n, true);
	struct et_contrast c = { .level = level };

	for (size_t i = 0; i < n; i++)
		d[i] += shift;
	et_judge_pairs(d, n, &c);
	et_warnings_free(&c.warnings);
	return c.p <= 1 - level;
}

/* Claims about programs made equal: times of one are multiplied until both take the same alone. */
static void count_claims(const struct et_duet_pair *pair, const struct pool *p,
	const struct round *rounds, size_t n, double truth, struct et_duet_cell *cell)
{
	bool same = pair->design == ET_PAIR_IDENTICAL;
	struct change equal = { p->shift_solos - truth, -truth };

	if (pair->design == ET_PAIR_ONE_KIND)
		return;
	cell->alarms_by_pairs += pairs_claim(rounds, n, equal.duets);
	cell->alarms += claims(pair, p, rounds, n, equal, false);
	for (int k = 0; same && k < ET_DUET_EFFECTS; k++) {
		double more = log1p(et_duet_effects[k]);
		struct change slower = { equal.solos + more, equal.duets + more };
		cell->found[k] += claims(pair, p, rounds, n, slower, true);
	}
}

static bool repeat(const struct et_simulation *o, const struct et_duet_pair *pair,
	const struct pool *p, double truth, struct et_duet_measured *out)
{
	enum { MOST = 100 };
	uint64_t done = 0, total = (uint64_t)o->repetitions * ET_DUET_SIZES;
	struct round rounds[MOST];
	struct et_rng rng;
	bool more = true;

	et_rng_seed(&rng, o->seed, p->metronome_ns);
	for (size_t s = 0; s < ET_DUET_SIZES; s++) {
		struct et_duet_cell *cell = &out->cells[s];
		if (et_duet_sizes[s] > p->n)
			break; /* the drawn rounds would be too much alike */
		for (uint32_t i = 0; more && i < o->repetitions; i++) {
			draw(p, pair->design == ET_PAIR_IDENTICAL, et_duet_sizes[s], &rng, rounds);
			count_errors(pair, p, rounds, et_duet_sizes[s], truth, cell);
			count_claims(pair, p, rounds, et_duet_sizes[s], truth, cell);
			cell->repetitions++;
			more = et_lab_report_progress(&o->progress, ++done, total);
		}
		for (int f = 0; cell->repetitions && f < ET_DUET_FIGURES; f++) {
			struct et_duet_errors *e = &cell->errors[f];
			e->bias /= cell->repetitions;
			e->sd = sqrt(fmax(0, e->sd / cell->repetitions - e->bias * e->bias));
			e->half_width /= cell->repetitions;
		}
	}
	return more;
}

static bool judge_way(const struct et_simulation *o, const struct et_duet_pair *pair,
	struct pool *p, double truth, struct et_duet_measured *out)
{
	struct et_interval_test pairs = location(p->rounds, p->n, true);
	ET_AUTO_FREE double *d = log_ratios(p->rounds, p->n, true);

	*out = (struct et_duet_measured){ .rounds = p->n,
		.metronome_ns = p->metronome_ns,
		.side_by_side = exp(pairs.estimate),
		.half_width = (exp(pairs.hi) - exp(pairs.lo)) / 2,
		.pair_sd = et_sd(d, p->n) };
	if (pair->design != ET_PAIR_IDENTICAL)
		p->shift_solos = truth - location(p->rounds, p->n, false).estimate;
	return p->n < 2 * BLOCK || repeat(o, pair, p, truth, out);
}

bool et_duet_bias_judge(const struct et_experiment *const experiments[ET_DUET_WAYS],
	const struct et_simulation *o, struct et_duet_pair *out)
{
	struct pool pools[ET_DUET_WAYS] = { 0 };
	bool more = true;

	for (int w = ET_DUET_WAYS - 1; w >= 0; w--) {
		if (experiments[w]) {
			gather(experiments[w], &pools[w]);
			describe(experiments[w], out);
		}
	}
	double truth = find_truth(pools, out);
	for (int w = 0; w < ET_DUET_WAYS; w++) {
		if (more && pools[w].n)
			more = judge_way(o, out, &pools[w], truth, &out->ways[w]);
		free(pools[w].rounds);
	}
	return more;
}
