/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon lab decisions`: the driver of `run` asks an executor, which simulates programs of known
 * truth, for the runs of comparisons until they are decided, with the looks and the limits of
 * `run`.
 */
#include "app/lab/experiments.h"
#include "protocol/driver.h"
#include "stats/compare/contrast.h"
#include "stats/compare/duet.h"
#include "stats/compare/judge.h"

/* The sd of the log ratio of a pair is that of duets on a shared machine (doc/duets.md). */
static const double level = 0.95, margin = 0.01, spread = 0.015;
static const double truths[] = { 0, 0.005, 0.01, 0.02, 0.05 };
static const uint64_t beat_ns = 1000000; /* of the metronome */
enum { TRUTHS = ET_LENGTH(truths), PROGRAMS = 3 };

/* These programs run: the reference, a program that takes longer by the truth, and perhaps a third.
 */
static const struct design {
	const char *name;
	uint32_t programs; /* the third is slower by far, so that it leaves early */
	uint32_t sessions; /* while it is undecided, `--resume --more` follows */
	uint64_t ns;       /* of a run */
	bool kinds;        /* the programs are of different kinds, so that solo runs decide */
	bool gate;         /* the truth is the limit of a gate, and company costs more than usual */
} designs[] = {
	{ "two", 2, 1, 25000000, false, false },
	{ "three", PROGRAMS, 3, 25000000, false, false },
	{ "slow", PROGRAMS, 3, 500000000, false, false },
	{ "kinds", PROGRAMS, 3, 25000000, true, false },
	{ "gate", 2, 1, 25000000, false, true },
};
static const double third = 0.1; /* by this it is slower */
static const double limit = 0.05;

/* --- the laws of the log ratio of a pair, of about unit spread --- */

struct pairs {
	struct et_rng rng;
	double last; /* of dependent pairs */
	double scale;
	uint32_t n;
};

static double normal(struct pairs *p)
{
	return et_rng_normal(&p->rng);
}

static bool happens(struct pairs *p, double probability)
{
	return et_rng_uniform(&p->rng) < probability;
}

static double wide_tenth(struct pairs *p)
{
	bool wide = happens(p, 0.1);

	return normal(p) * (wide ? 3 : 1);
}

static double heavy(struct pairs *p)
{
	double x = normal(p), a = normal(p), b = normal(p), c = normal(p);

	return x / sqrt((a * a + b * b + c * c) / 3);
}

/* Each program takes longer by this factor in this share of its runs. */
static double slow_runs(struct pairs *p, double factor, double share)
{
	double shift = log(factor) / spread, x = normal(p);

	x += happens(p, share) ? shift : 0;
	return x - (happens(p, share) ? shift : 0);
}

static double two_modes(struct pairs *p)
{
	return slow_runs(p, 1.1, 0.2);
}

static double rare_slow_runs(struct pairs *p)
{
	return slow_runs(p, 1.4, 0.03);
}

/* The machine is calm and restless in turn, for 25 pairs on average. */
static double restless(struct pairs *p)
{
	if (!p->n || happens(p, 0.04))
		p->scale = happens(p, 0.3) ? 4 : 1;
	return p->scale * normal(p);
}

static double dependent(struct pairs *p, double correlation)
{
	double fresh = normal(p);

	p->last =
		p->n ? correlation * p->last + sqrt(1 - correlation * correlation) * fresh : fresh;
	return p->last;
}

static double dependent_3(struct pairs *p)
{
	return dependent(p, 0.3);
}

static double dependent_6(struct pairs *p)
{
	return dependent(p, 0.6);
}

/* The spread grows to four times what it was. */
static double drifting(struct pairs *p)
{
	return normal(p) * (1 + 3 * fmin(p->n / 100.0, 1));
}

/*
 * The machine becomes slower from run to run, to half its speed; or it is slower by a third at
 * once, after the first half of a usual number of pairs, and again after each of as many. The two
 * programs ran in turn, and each round mirrors the one before.
 */
static double mirrored(const struct pairs *p, double change)
{
	return (p->n % 2 ? change : -change) / spread;
}

static double linear_drift(struct pairs *p)
{
	enum { LONG = 800 };
	return normal(p) + mirrored(p, log(2) / LONG);
}

static double jumps(struct pairs *p)
{
	enum { HALF = 20 };
	bool now = p->n % (2 * HALF) == HALF;

	return normal(p) + mirrored(p, now ? log(1.33) : 0);
}

static const struct law {
	const char *name;
	double (*draw)(struct pairs *p);
} laws[] = {
	{ "normal", normal },
	{ "a tenth wide", wide_tenth },
	{ "t, 3 degrees", heavy },
	{ "two modes", two_modes },
	{ "3 % slow runs", rare_slow_runs },
	{ "restless", restless },
	{ "growing spread", drifting },
	{ "correlated 0.3", dependent_3 },
	{ "correlated 0.6", dependent_6 },
	{ "linear drift", linear_drift },
	{ "jumps", jumps },
};

/* --- the programs, as an executor --- */

struct programs {
	const struct design *design;
	const struct law *law;
	struct pairs pairs[PROGRAMS]; /* of the reference and each other program */
	double truth[PROGRAMS];
	double kappa; /* what company costs, as a share of the shorter run (doc/duets.md) */
	uint64_t now_ns, elapsed_ns;
	struct et_deciding deciding;
	/* Of two equal programs: they are looked at to the end, as if somebody did not stop. */
	bool to_the_end, missed;
	struct decided *out; /* NULL: it is decided, and counted */
};

static double next_pair(struct programs *p, uint32_t command)
{
	struct pairs *of = &p->pairs[command];
	double x = p->law->draw(of);

	of->n++;
	return spread * x;
}

static void fill(struct programs *p, struct et_sample *out, uint32_t command, double ns)
{
	const uint64_t mib = 1 << 20;

	*out = (struct et_sample){ .measured.started_wall_ns = p->now_ns + 1 };
	out->measured.cpu_ns = out->measured.elapsed_ns = (uint64_t)llround(ns);
	/* By its peak memory a program is seen to be of another kind. */
	out->measured.max_rss_bytes = (p->design->kinds && command ? 3 : 1) * 4 * mib;
	out->measured.minor_faults = 150;
	p->now_ns += out->measured.cpu_ns;
}

/* Solo runs scatter by far more than pairs, unless they are the pairs. */
static void run_alone(struct programs *p, uint32_t command, struct et_sample *out)
{
	double x = command && p->design->kinds ? next_pair(p, command)
		   : p->design->kinds          ? 0
					       : 0.05 * heavy(&p->pairs[command]);

	fill(p, out, command, (double)p->design->ns * (1 + p->truth[command]) * exp(x));
}

/* Company costs both the same time; another kind loses more by it. */
static void run_duet(struct programs *p, uint32_t command, struct et_sample out[2])
{
	double shorter = (double)p->design->ns * (1 + p->kappa);
	double longer = shorter + (double)p->design->ns * p->truth[command];
	double machine = exp(0.05 * heavy(&p->pairs[0]));
	double x = p->design->kinds ? 0.03 + spread * normal(&p->pairs[0]) : next_pair(p, command);

	fill(p, &out[0], command, longer * machine * exp(x));
	fill(p, &out[1], 0, shorter * machine);
	out[0].measured.elapsed_ns = out[1].measured.elapsed_ns =
		out[0].measured.cpu_ns + out[1].measured.cpu_ns;
}

static int run(void *ctx, const struct et_request *q, struct et_sample out[2], struct et_error *err)
{
	(void)err;
	if (q->arrangement == ET_DUET)
		run_duet(ctx, q->command, out);
	else
		run_alone(ctx, q->command, out);
	return 0;
}

static int around(void *ctx, enum et_occasion occasion, uint32_t command, struct et_error *err)
{
	(void)ctx, (void)occasion, (void)command, (void)err;
	return 0;
}

static int keep(void *ctx, const struct et_sample *s, size_t n, struct et_error *err)
{
	(void)ctx, (void)s, (void)n, (void)err;
	return 0;
}

static uint64_t now(void *ctx)
{
	return ((struct programs *)ctx)->now_ns;
}

/* --- the engine --- */

/* Comparisons of one law and truth, counted. */
struct decided {
	uint32_t n, slower, faster, equal, covered;
	uint32_t missed; /* the interval of at least one look up to the last did not hold the truth
			  */
	uint64_t pairs;
};

struct decisions {
	uint64_t seed;
	uint32_t wanted;
	double level, margin, spread;
	struct decided counts[ET_LENGTH(designs)][ET_LENGTH(laws)][TRUTHS];
};

static bool covers(const struct et_contrast *c, double truth)
{
	struct et_ratio r = et_contrast_ratio(c);

	return r.lo <= 1 + truth && 1 + truth <= r.hi;
}

/* The decision is that about the second program; the intervals of all must hold together. */
static void count(struct programs *p, const struct et_judgement *j)
{
	struct decided *out = p->out;
	const struct et_contrast *c = &j->contrasts[0];
	enum et_gate_verdict gate =
		j->gate.n ? et_gate_judge(&j->gate.contrasts[0], limit) : ET_GATE_UNDECIDED;
	bool decides = j->gate.n == 0;
	bool covered = true;

	for (size_t i = 0; i < j->n_contrasts; i++)
		covered = covered && covers(&j->contrasts[i], p->truth[j->contrasts[i].b]);
	out->n++;
	out->slower += decides ? c->conclusion == ET_CONCLUDED_SLOWER : gate == ET_GATE_REGRESSED;
	out->faster += decides && c->conclusion == ET_CONCLUDED_FASTER;
	out->equal += decides ? c->conclusion == ET_CONCLUDED_EQUAL : gate == ET_GATE_PASSED;
	out->covered += covered;
	out->pairs += c->pairs;
	p->out = NULL;
}

static bool misses(const struct et_experiment *e, double truth)
{
	struct et_contrast c;

	et_contrast_make(e, 0, 1, e->metric, e->plan.level, &c);
	struct et_ratio r = et_contrast_ratio(&c);
	et_warnings_free(&c.warnings);
	return r.lo > 1 + truth || r.hi < 1 + truth;
}

static void note(void *ctx, const struct et_progress_note *n)
{
	((struct programs *)ctx)->elapsed_ns = n->elapsed_ns;
}

static double reached(void *ctx, const struct et_experiment *e, uint32_t command)
{
	struct programs *p = ctx;
	double open = et_deciding_reached(&p->deciding, e, command, p->elapsed_ns);

	if (!p->to_the_end || !command)
		return open;
	p->missed = p->missed || misses(e, p->truth[command]);
	if (open == 0 && p->out) {
		struct et_judgement j;
		et_judge(e, &j);
		count(p, &j);
		et_judgement_free(&j);
	}
	return INFINITY;
}

static enum et_kinds kinds(void *ctx, const struct et_experiment *e, uint32_t command)
{
	(void)ctx;
	return et_judge_kinds(e, command);
}

/* As `run A B …` and `run --resume --more` plan it. */
static struct et_experiment *plan(const struct design *d, uint64_t seed)
{
	struct et_experiment *e = et_experiment_new();

	for (uint32_t c = 0; c < d->programs; c++)
		et_experiment_add_command(e, et_strdup("simulated"), et_calloc(1, sizeof(char *)));
	e->state = ET_STATE_DONE;
	e->metric = ET_METRIC_CPU;
	e->metric_auto = true;
	e->host.tick_ns = 4000000;
	e->host.cpus = 2;
	e->plan.seed = seed;
	e->plan.level = level;
	e->plan.equal_ratio = margin;
	e->plan.min_time_ns = ET_EQUAL_PATIENCE * et_default_plan.min_time_ns;
	e->plan.max_runs = ET_EQUAL_MOST;
	e->plan.metronome_ns = beat_ns;
	e->plan.gate = d->gate;
	e->plan.regression_ratio = d->gate ? limit : 0;
	return e;
}

/* A session, and others as long as something is undecided. */
static int compare(struct programs *p, uint64_t seed, struct et_error *err)
{
	struct et_experiment *e = plan(p->design, seed);
	struct et_clock clock = { .now_ns = now, .wall_ns = now, .ctx = p };
	struct et_driver d = { .e = e,
		.executor = { .run = run, .around = around, .ctx = p },
		.clock = &clock,
		.keep = keep,
		.hooks = { .note = note, .reached = reached, .kinds = kinds, .ctx = p },
		.ctx = p };
	struct decided *out = p->out;
	bool open = true;
	int rc = 0;

	for (uint32_t i = 1; rc == 0 && open && p->out; i++) {
		struct et_judgement j;
		p->elapsed_ns = 0;
		rc = et_drive(&d, err);
		et_judge(e, &j);
		open = et_judgement_open(e, &j) && i < p->design->sessions;
		if (rc == 0 && !open && p->out)
			count(p, &j);
		et_judgement_free(&j);
	}
	out->missed += p->missed;
	free(p->deciding.open);
	et_experiment_free(e);
	return rc;
}

/* All truths of the first design; of the others equal programs, and 1 %; of the gate its limit. */
static bool is_case(size_t design, size_t truth)
{
	if (designs[design].gate)
		return truths[truth] == limit;
	return !design || truths[truth] == 0 || truths[truth] == margin;
}

static int simulate_case(struct decisions *out, size_t i, uint32_t k, struct et_error *err)
{
	size_t truth = i % TRUTHS, law = i / TRUTHS % ET_LENGTH(laws);
	size_t design = i / TRUTHS / ET_LENGTH(laws);
	/* As uncertain as the constant; or where the pairs begin to show that it is too small. */
	double least = designs[design].gate ? 2 * et_dilution(beat_ns) : 0;
	double most = designs[design].gate ? 0.25 : 2 * et_dilution(beat_ns);
	struct programs p = { .design = &designs[design],
		.law = &laws[law],
		.truth = { 0, truths[truth], third },
		.to_the_end = !design && truths[truth] == 0,
		.out = &out->counts[design][law][truth] };

	for (uint32_t c = 0; c < PROGRAMS; c++)
		et_rng_seed(&p.pairs[c].rng, out->seed + c, (uint64_t)i << 32 | k);
	p.kappa = least + (most - least) * et_rng_uniform(&p.pairs[0].rng);
	return compare(&p, k, err);
}

static int simulate(struct et_lab_request *r, void *result, struct et_error *err)
{
	struct decisions *out = result;
	const size_t cases = ET_LENGTH(designs) * ET_LENGTH(laws) * TRUTHS;
	uint64_t done = 0, total = (uint64_t)r->simulation.repetitions * cases;

	*out = (struct decisions){ .seed = r->simulation.seed,
		.wanted = r->simulation.repetitions,
		.level = level,
		.margin = margin,
		.spread = spread };
	for (uint32_t k = 0; k < r->simulation.repetitions; k++) {
		for (size_t i = 0; i < cases; i++) {
			int rc = is_case(i / TRUTHS / ET_LENGTH(laws), i % TRUTHS)
					 ? simulate_case(out, i, k, err)
					 : 0;
			if (rc)
				return rc;
			if (!et_lab_draw_progress(r, ++done, total))
				return 0;
		}
	}
	return 0;
}

/* --- the view --- */

static const char *format_count(double n, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.0f", n);
	return buf;
}

static const struct et_table_column columns[] = {
	ET_COLUMN(TEXT, "run", .key = "design"),
	ET_COLUMN(TEXT, "pairs are", .key = "law"),
	ET_COLUMN(NUMBER, "truth", .key = "truth", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "slower", .key = "slower", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "faster", .key = "faster", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "equal", .key = "equal", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "open", .key = "open", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "covered", .key = "covered", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "pairs", .key = "pairs", .format = format_count),
	ET_COLUMN(NUMBER, "ever", .key = "ever_missed", .format = et_lab_format_share),
};

static struct et_table table_of(const struct decisions *d)
{
	struct et_table t = { ET_COLUMNS(columns), .number = "cases",
		.caption = et_asprintf(
			"A program takes longer than another by truth (%%). They run until it is "
			"decided: how often (%%, of %u) it is called slower, faster, or equal "
			"within %g %%, how often the usual budget leaves it open, how often the "
			"intervals of %g %% contain the truth, the mean number of pairs, and how "
			"often (%%) the interval of equal programs excludes 1 at any look up to "
			"the end of the budget. The log ratio of a pair has a spread of %g %%. "
			"two: two programs of 25 ms. three: a third one, which leaves early, and "
			"--more up to twice where it is open. slow: the same of 0.5 s. kinds: "
			"those of 25 ms are of different kinds. gate: slower is a regression by "
			"more than %g %%, equal is none, and company costs 12 to 25 %%.",
			d->counts[0][0][0].n, 100 * d->margin, 100 * d->level, 100 * d->spread,
			100 * limit),
		.empty = "none: it was ended before the first repetition" };

	for (size_t i = 0; i < ET_LENGTH(designs) * ET_LENGTH(laws) * TRUTHS; i++) {
		size_t truth = i % TRUTHS, law = i / TRUTHS % ET_LENGTH(laws);
		size_t design = i / TRUTHS / ET_LENGTH(laws);
		const struct decided *c = &d->counts[design][law][truth];
		double n = c->n;
		if (!is_case(design, truth))
			continue;
		et_table_text(&t, designs[design].name, "", NULL);
		et_table_text(&t, laws[law].name, "", NULL);
		et_table_number(&t, truths[truth]);
		et_table_number(&t, et_lab_share(c->slower, c->n));
		et_table_number(&t, et_lab_share(c->faster, c->n));
		et_table_number(&t, et_lab_share(c->equal, c->n));
		et_table_number(&t, et_lab_share(c->n - c->slower - c->faster - c->equal, c->n));
		et_table_number(&t, et_lab_share(c->covered, c->n));
		et_table_number(&t, c->n ? (double)c->pairs / n : NAN);
		et_table_number(&t, design || truth ? NAN : et_lab_share(c->missed, c->n));
	}
	return t;
}

static void print_text(const void *result, const struct et_page *page)
{
	struct et_table t = table_of(result);

	et_lab_print_cases(&t, page);
}

static void write_cases(struct et_json *w, const char *key, const void *result)
{
	struct et_table t = table_of(result);

	(void)key; /* it is the number of the table */
	et_table_json(&t, w);
}

ET_FIELDS(fields, ET_KEYS(decisions, seed), ET_KEY(decisions, "repetitions", wanted),
	ET_KEYS(decisions, level, margin, spread), ET_KEY_MADE("cases", write_cases));

const struct et_lab et_lab_decisions = {
	.size = sizeof(struct decisions), .simulate = simulate, .fields = fields, .text = print_text
};
