/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon lab bisect`: simulated histories of commits, of which one or two change how long a
 * program takes, are searched by the functions of protocol/bisect.h.
 */
#include "protocol/bisect.h"
#include "app/lab/experiments.h"

static const double level = 0.95, least = 0.005, build_cost = 10;
static const uint32_t most_pairs = 4000;

enum law { NORMAL, FOURFOLD, HEAVY, TWO_MODES };
static const char *const law_names[] = { "normal", "far", "t 3", "modes" };

/* A history and its noise. */
static const struct history {
	uint32_t commits;
	double slower; /* one commit, by this much */
	double second; /* another one; 0: there is none */
	double sd;     /* of a pair */
	enum law law;
	double correlation; /* of successive pairs */
	double spread;      /* every build differs by this much anyway */
	double broken;      /* this share of the commits does not build */
} histories[] = {
	{ 10, 0.05, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 10, 0.02, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 10, 0.01, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 100, 0.05, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 100, 0.02, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 100, 0.01, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 1000, 0.05, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 1000, 0.02, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 1000, 0.01, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 100, 0.02, 0, 0.02, NORMAL, 0, 0, 0 },
	{ 100, 0.02, 0, 0.02, FOURFOLD, 0, 0, 0 },
	{ 100, 0.02, 0, 0.02, HEAVY, 0, 0, 0 },
	{ 100, 0.02, 0, 0.02, TWO_MODES, 0, 0, 0 },
	{ 100, 0.02, 0, 0.02, FOURFOLD, 0.6, 0.001, 0 },
	{ 100, 0.02, 0, 0.02, FOURFOLD, 0.8, 0.001, 0 },
	{ 100, 0.02, 0, 0.02, FOURFOLD, 0.3, 0.002, 0 },
	{ 100, 0.02, 0, 0.02, FOURFOLD, 0.3, 0.004, 0 },
	{ 100, 0.02, 0, 0.02, FOURFOLD, 0.3, 0.008, 0 },
	{ 100, 0.02, 0, 0.02, FOURFOLD, 0.3, 0.001, 0.2 },
	{ 100, 0.02, 0.01, 0.01, FOURFOLD, 0.3, 0.001, 0 },
	{ 100, 0.02, -0.01, 0.01, FOURFOLD, 0.3, 0.001, 0 },
	{ 100, 0, 0, 0.01, FOURFOLD, 0.3, 0.001, 0 },
	{ 100, 0, 0, 0.02, FOURFOLD, 0.3, 0.001, 0 },
	{ 100, 0, 0, 0.02, FOURFOLD, 0.3, 0.003, 0 },
};
enum { HISTORIES = ET_LENGTH(histories) };

/* --- a simulated history --- */

struct world {
	const struct history *h;
	struct et_rng rng;
	double *truth;       /* of each commit, a logarithm */
	bool *broken;        /* of each commit */
	uint32_t at, second; /* the commits that change something */
	double last;         /* of dependent pairs */
};

/* Of unit standard deviation. */
static double draw(struct et_rng *rng, enum law law)
{
	double x = et_rng_normal(rng);

	switch (law) {
	case FOURFOLD:
		return x * (et_rng_uniform(rng) < 0.1 ? 4 : 1) / sqrt(2.5);
	case HEAVY: {
		double a = et_rng_normal(rng), b = et_rng_normal(rng), c = et_rng_normal(rng);
		return x / sqrt(a * a + b * b + c * c);
	}
	case TWO_MODES:
		x += et_rng_uniform(rng) < 0.2 ? 4 : 0;
		x -= et_rng_uniform(rng) < 0.2 ? 4 : 0;
		return x / sqrt(1 + 2 * 16 * 0.16);
	default:
		return x;
	}
}

static void make_world(struct world *w, const struct history *h, uint64_t seed, uint64_t stream)
{
	*w = (struct world){ .h = h,
		.truth = et_calloc(h->commits + 1, sizeof(*w->truth)),
		.broken = et_calloc(h->commits + 1, sizeof(*w->broken)) };
	et_rng_seed(&w->rng, seed, stream);
	w->at = 1 + et_rng_below(&w->rng, h->commits);
	do
		w->second = 1 + et_rng_below(&w->rng, h->commits);
	while (w->second == w->at);
	for (uint32_t i = 0; i <= h->commits; i++) {
		w->truth[i] = h->spread * et_rng_normal(&w->rng);
		w->truth[i] += i >= w->at ? log1p(h->slower) : 0;
		w->truth[i] += i >= w->second ? log1p(h->second) : 0;
		w->broken[i] = i && i < h->commits && et_rng_uniform(&w->rng) < h->broken;
	}
	w->last = draw(&w->rng, h->law);
}

static double pair_of(struct world *w, uint32_t commit)
{
	double r = w->h->correlation;

	w->last = r * w->last + sqrt(1 - r * r) * draw(&w->rng, w->h->law);
	return w->truth[commit] - w->truth[0] + w->h->sd * w->last;
}

/* --- the search --- */

struct searches {
	uint32_t n, named, right, nothing;
	double stated; /* sum of the probabilities that were stated */
	uint64_t pairs, builds;
};

static void search(const struct history *h, uint64_t seed, uint64_t stream, struct searches *out)
{
	struct world w;
	struct et_bisect b;
	struct et_bisect_next next;
	double pairs[64];

	make_world(&w, h, seed, stream);
	et_bisect_init(&b, h->commits,
		&(struct et_bisect_options){ level, least, NAN, build_cost, most_pairs });
	for (;;) {
		next = et_bisect_next(&b);
		if (next.step == ET_BISECT_BUILD) {
			out->builds++;
			b.commits[next.commit].state =
				w.broken[next.commit] ? ET_BISECT_BROKEN : ET_BISECT_BUILT;
			continue;
		}
		if (next.step != ET_BISECT_MEASURE)
			break;
		for (uint32_t i = 0; i < next.pairs; i++)
			pairs[i] = pair_of(&w, next.commit);
		et_bisect_add(&b, next.commit, pairs, next.pairs);
	}
	out->n++;
	out->pairs += b.n_pairs;
	out->nothing += next.step == ET_BISECT_NOTHING;
	if (next.step == ET_BISECT_NAME) {
		bool first = h->slower >= h->second;
		uint32_t culprit = first ? w.at : w.second;
		out->named++;
		out->stated += next.probability;
		out->right += h->slower > 0 && next.from <= culprit && culprit <= next.to;
	}
	et_bisect_free(&b);
	free(w.truth);
	free(w.broken);
}

struct bisect {
	uint64_t seed, wanted;
	double level;
	struct searches of[HISTORIES];
};

static int simulate(struct et_lab_request *r, void *result, struct et_error *err)
{
	struct bisect *out = result;
	uint64_t done = 0, total = (uint64_t)r->simulation.repetitions * HISTORIES;

	(void)err;
	*out = (struct bisect){
		.seed = r->simulation.seed, .wanted = r->simulation.repetitions, .level = level
	};
	for (uint32_t k = 0; k < r->simulation.repetitions; k++) {
		for (size_t i = 0; i < HISTORIES; i++) {
			search(&histories[i], out->seed, (uint64_t)i << 32 | k, &out->of[i]);
			if (!et_lab_draw_progress(r, ++done, total))
				return 0;
		}
	}
	return 0;
}

/* --- the view --- */

static const char *format_count(double n, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.*f", n < 20 && n != floor(n) ? 1 : 0, n);
	return buf;
}

static const struct et_table_column columns[] = {
	ET_COLUMN(NUMBER, "N", .key = "commits", .format = format_count),
	ET_COLUMN(NUMBER, "by", .key = "slower", .format = et_lab_format_share),
	ET_COLUMN(TEXT, "pairs are"),
	ET_COLUMN(TEXT, "also"),
	ET_COLUMN(NUMBER, "τ", .key = "spread", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "named", .key = "named", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "right", .key = "right", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "said", .key = "stated", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "none", .key = "nothing", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, "pairs", .key = "pairs", .format = format_count),
	ET_COLUMN(NUMBER, "builds", .key = "builds", .format = format_count),
	ET_COLUMN(TEXT, NULL, .key = "law"),
	ET_COLUMN(NUMBER, NULL, .key = "sd", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, NULL, .key = "correlation", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, NULL, .key = "second", .format = et_lab_format_share),
	ET_COLUMN(NUMBER, NULL, .key = "broken", .format = et_lab_format_share),
};

static double per(double sum, uint32_t n)
{
	return n ? sum / n : NAN;
}

static void add_row(struct et_table *t, const struct history *h, const struct searches *s)
{
	char noise[32], also[16] = "";

	snprintf(noise, sizeof(noise), h->correlation > 0 ? "%s %.1f" : "%s", law_names[h->law],
		h->correlation);
	if (h->broken > 0)
		snprintf(also, sizeof(also), "broken");
	if (h->second < 0 || h->second > 0)
		snprintf(also, sizeof(also), "%+.0f %%", 100 * h->second);
	et_table_number(t, h->commits);
	et_table_number(t, h->slower);
	et_table_text(t, noise, "", NULL);
	et_table_text(t, also, "", NULL);
	et_table_number(t, h->spread);
	et_table_number(t, et_lab_share(s->named, s->n));
	et_table_number(t, et_lab_share(s->right, s->named));
	et_table_number(t, per(s->stated, s->named));
	et_table_number(t, et_lab_share(s->nothing, s->n));
	et_table_number(t, per((double)s->pairs, s->n));
	et_table_number(t, per((double)s->builds, s->n));
	et_table_text(t, law_names[h->law], "", NULL);
	et_table_number(t, h->sd);
	et_table_number(t, h->correlation);
	et_table_number(t, h->second);
	et_table_number(t, h->broken);
}

static struct et_table table_of(const struct bisect *d)
{
	struct et_table t = { ET_COLUMNS(columns), .number = "cases",
		.caption = et_asprintf(
			"One of N commits makes a program slower, by a share (%%). Pairs have "
			"an sd of 2 %%, and far values, three degrees of freedom or two modes; a "
			"number is their autocorrelation. Also: a fifth of the commits is broken, "
			"or a second one changes the time (then, and in the first line by 0, the "
			"sd is 1 %%). Every build differs by τ (%%) anyway. named: how often (%%, "
			"of %u) a commit is named with a probability of %g %%. right: how often "
			"(%% "
			"of these) it is the right one; said: the mean of the probabilities. none: "
			"how often (%%) it says that nothing is slower. Means of pairs and builds.",
			d->of[0].n, 100 * d->level),
		.empty = "none: it was ended before the first repetition" };

	for (size_t i = 0; i < HISTORIES; i++)
		add_row(&t, &histories[i], &d->of[i]);
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

ET_FIELDS(fields, ET_KEYS(bisect, seed), ET_KEY(bisect, "repetitions", wanted),
	ET_KEYS(bisect, level), ET_KEY_MADE("cases", write_cases));

const struct et_lab et_lab_bisect = {
	.size = sizeof(struct bisect), .simulate = simulate, .fields = fields, .text = print_text
};
