/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon lab decisions`: simulated pairs of known truth go through the functions by which `run
 * --equal` looks at real ones and decides, with its looks and its limits.
 */
#include "app/lab/experiments.h"
#include "protocol/until.h"
#include "stats/compare/contrast.h"
#include "stats/compare/judge.h"
#include "stats/series/interval.h"

/* The sd of the log ratio of a pair is that of duets on a shared machine (doc/duets.md). */
static const double level = 0.95, margin = 0.01, spread = 0.015;
static const double truths[] = { 0, 0.005, 0.01, 0.02, 0.05 };
enum { TRUTHS = ET_LENGTH(truths), MOST = 400 };

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
	return normal(p) + mirrored(p, log(2) / (2 * MOST));
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
	{ "one in ten wide", wide_tenth },
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
	struct decided counts[ET_LENGTH(laws)][TRUTHS];
};

/* A round of a duet, as the driver adds it. */
static void add_pair(struct et_experiment *e, uint32_t round, double log_ratio)
{
	const double ns = 1e10; /* rounding does not matter */
	struct et_sample s = { .place = {
				       .round = round, .order = round, .arrangement = ET_DUET } };

	for (uint32_t c = 0; c < 2; c++) {
		s.place.command = c;
		s.place.partner = !c;
		s.ruling.marks = ET_MARK_NO_OVERLAP; /* so that the ratio needs no correction */
		s.measured.elapsed_ns = s.measured.cpu_ns =
			(uint64_t)llround(ns * exp(c ? log_ratio : 0));
		et_experiment_add(e, &s);
	}
}

static void count(const struct et_experiment *e, double truth, struct decided *out)
{
	struct et_judgement j;

	et_judge(e, &j);
	const struct et_contrast *c = &j.contrasts[0];
	struct et_ratio r = et_contrast_ratio(c);
	out->n++;
	out->slower += c->conclusion == ET_CONCLUDED_SLOWER;
	out->faster += c->conclusion == ET_CONCLUDED_FASTER;
	out->equal += c->conclusion == ET_CONCLUDED_EQUAL;
	out->covered += r.lo <= 1 + truth && 1 + truth <= r.hi;
	out->pairs += c->pairs;
	et_judgement_free(&j);
}

static bool misses(const struct et_experiment *e, double truth)
{
	struct et_contrast c;

	et_contrast_make(e, 0, 1, e->metric, e->plan.level, &c);
	struct et_ratio r = et_contrast_ratio(&c);
	et_warnings_free(&c.warnings);
	return r.lo > 1 + truth || r.hi < 1 + truth;
}

/* Equal programs are looked at to the end, as if somebody did not stop where it is decided. */
static void compare(const struct law *law, double truth, struct pairs *p, struct decided *out)
{
	struct et_experiment *e = et_experiment_new();
	struct et_contrast widest;
	bool open[2];
	struct et_until looks = { 0 };
	bool sure = false, missed = false;

	for (int c = 0; c < 2; c++)
		et_experiment_add_command(e, et_strdup("simulated"), et_calloc(1, sizeof(char *)));
	e->state = ET_STATE_DONE;
	e->protocol = ET_PROTOCOL_CAUSE;
	e->metric = ET_METRIC_CPU;
	e->plan = (struct et_plan){ .order = ET_ORDER_DUET,
		.level = level,
		.equal_ratio = margin,
		.min_runs = et_default_plan.min_runs,
		.max_runs = MOST };
	for (p->n = 0; p->n < MOST && (!sure || truth == 0);) {
		double x = log1p(truth) + spread * law->draw(p);
		add_pair(e, ++p->n, x);
		if (p->n < e->plan.min_runs || !et_decision_due(&looks, p->n))
			continue;
		missed = missed || misses(e, truth);
		if (sure)
			continue;
		sure = !et_judge_open(e, false, open, &widest);
		if (sure)
			count(e, truth, out);
	}
	if (!sure)
		count(e, truth, out);
	out->missed += missed;
	et_experiment_free(e);
}

static int simulate(struct et_lab_request *r, void *result, struct et_error *err)
{
	struct decisions *out = result;
	uint64_t done = 0, total = (uint64_t)r->simulation.repetitions * ET_LENGTH(laws) * TRUTHS;

	(void)err;
	*out = (struct decisions){ .seed = r->simulation.seed,
		.wanted = r->simulation.repetitions,
		.level = level,
		.margin = margin,
		.spread = spread };
	for (uint32_t k = 0; k < r->simulation.repetitions; k++) {
		for (size_t i = 0; i < ET_LENGTH(laws) * TRUTHS; i++) {
			size_t law = i / TRUTHS, truth = i % TRUTHS;
			struct pairs p = { 0 };
			et_rng_seed(&p.rng, r->simulation.seed, (uint64_t)i << 32 | k);
			compare(&laws[law], truths[truth], &p, &out->counts[law][truth]);
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

static const char *format_share(double share, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, isnan(share) ? "" : "%.1f", 100 * share);
	return buf;
}

static const struct et_table_column columns[] = {
	ET_COLUMN(TEXT, "pairs are", .key = "law"),
	ET_COLUMN(NUMBER, "truth", .key = "truth", .format = format_share),
	ET_COLUMN(NUMBER, "slower", .key = "slower", .format = format_share),
	ET_COLUMN(NUMBER, "faster", .key = "faster", .format = format_share),
	ET_COLUMN(NUMBER, "equal", .key = "equal", .format = format_share),
	ET_COLUMN(NUMBER, "open", .key = "open", .format = format_share),
	ET_COLUMN(NUMBER, "covered", .key = "covered", .format = format_share),
	ET_COLUMN(NUMBER, "pairs", .key = "pairs", .format = format_count),
	ET_COLUMN(NUMBER, "ever", .key = "ever_missed", .format = format_share),
};

static struct et_table table_of(const struct decisions *d)
{
	struct et_table t = { ET_COLUMNS(columns), .number = "cases",
		.caption = et_asprintf("Programs that differ by truth (%%), in pairs until it is "
				       "decided: how often "
				       "(%%, of %u) they are called slower, faster, or equal "
				       "within %g %%, how often "
				       "%d pairs leave it open, how often the interval of %g %% "
				       "contains the truth, "
				       "the mean number of pairs, and how often (%%) the interval "
				       "of equal programs excludes 1 at any look up to the last. "
				       "The log ratio of a pair has a spread of %g %%.",
			d->counts[0][0].n, 100 * d->margin, MOST, 100 * d->level, 100 * d->spread),
		.empty = "none: it was ended before the first repetition" };

	for (size_t i = 0; i < ET_LENGTH(laws) * TRUTHS; i++) {
		const struct decided *c = &d->counts[i / TRUTHS][i % TRUTHS];
		double n = c->n;
		et_table_text(&t, laws[i / TRUTHS].name, "", NULL);
		et_table_number(&t, truths[i % TRUTHS]);
		et_table_number(&t, et_lab_share(c->slower, c->n));
		et_table_number(&t, et_lab_share(c->faster, c->n));
		et_table_number(&t, et_lab_share(c->equal, c->n));
		et_table_number(&t, et_lab_share(c->n - c->slower - c->faster - c->equal, c->n));
		et_table_number(&t, et_lab_share(c->covered, c->n));
		et_table_number(&t, c->n ? (double)c->pairs / n : NAN);
		et_table_number(&t, i % TRUTHS ? NAN : et_lab_share(c->missed, c->n));
	}
	return t;
}

static void print_text(const void *result, const struct et_page *page)
{
	struct et_table t = table_of(result);

	et_lab_text(page, "%s", t.caption);
	putc('\n', page->out);
	t.number = NULL;
	et_table_print(&t, page);
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
