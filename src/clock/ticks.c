/* SPDX-License-Identifier: MIT */
#include "clock/ticks.h"

/* Candidate lines begin at each of the first ORIGINS gaps and are tried on the first WINDOW. */
enum { WINDOW = 512, ORIGINS = 64, LEAST = 4, PARTS = 4 };

static const double SHORTEST_S = 0.0005, LONGEST_S = 0.025;
static const double TOLERANCE = 1.0 / 400; /* of the interval */

enum place { SEEN, COVERED, MISSED };

struct series {
	const struct et_gap *gaps;
	size_t n;
};

/* The interval to look for, and how many of its places must have a gap. */
struct search {
	double hz;
	double known;    /* the interval; 0: unknown */
	double convince; /* share of places in the window that must have a gap */
	double hold;     /* share of all places that must have a gap */
	double patience; /* give a line up if more places are missed per observed one */
};

/* Returns the last gap that begins at or before a reading; the first one if there is none. */
static size_t last_before(const struct series *s, double reading)
{
	size_t lo = 0, hi = s->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if ((double)s->gaps[mid].start <= reading)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Looks for a gap at a predicted place; *at is its index if it was SEEN. */
static enum place look(const struct series *s, double expected, double tolerance, size_t *at)
{
	size_t i = last_before(s, expected + tolerance);
	const struct et_gap *g = &s->gaps[i];

	/* Another gap may begin just before or after the tick: take the nearer one. */
	if (i > 0 && fabs((double)g[-1].start - expected) < fabs((double)g->start - expected))
		g--;
	*at = (size_t)(g - s->gaps);
	if (fabs((double)g->start - expected) <= tolerance)
		return SEEN;
	g = &s->gaps[i];
	return (double)g->start < expected && (double)g->end >= expected - tolerance ? COVERED
										     : MISSED;
}

struct chain {
	double interval, patience;
	size_t seen, covered, missed;
	/*
	 * Sums for the least-squares fit of starts on their numbers, both relative to the origin. A
	 * line of the given slope is subtracted from the starts first; otherwise the squares would
	 * lose all their digits over an hour.
	 */
	double given;
	double k, kk, y, ky, yy;
	uint64_t first;
};

static void add(struct chain *c, const struct et_gap *g, double k, double y)
{
	y -= k * c->given;
	c->seen++;
	c->k += k;
	c->kk += k * k;
	c->y += y;
	c->ky += k * y;
	c->yy += y * y;
	if (c->seen == 1 || g->start < c->first)
		c->first = g->start;
}

/*
 * Follows the line from a gap, in steps of 1 or -1, and predicts each tick from the last one seen.
 */
static void follow(const struct series *s, size_t origin, int step, bool *ticks, struct chain *c)
{
	const double first = (double)s->gaps[0].start, end = (double)s->gaps[s->n - 1].start;
	const double base = (double)s->gaps[origin].start;
	double start, last = base, k = 0, last_k = 0;

	for (;;) {
		k += step;
		double expected = last + (k - last_k) * c->interval;
		double tolerance = c->interval * TOLERANCE;
		size_t at;
		if (expected < first - tolerance || expected > end + tolerance ||
			(double)c->missed > 3 + c->patience * (double)c->seen)
			return;
		switch (look(s, expected, tolerance, &at)) {
		case SEEN:
			start = (double)s->gaps[at].start;
			add(c, &s->gaps[at], k, start - base);
			c->interval = (start - base) / k;
			/* Follow only a part of the deviation: the gap may not have been a tick. */
			last = expected + (start - expected) / 4;
			last_k = k;
			if (ticks)
				ticks[at] = true;
			break;
		case COVERED:
			c->covered++;
			break;
		case MISSED:
			c->missed++;
			break;
		}
	}
}

/*
 * Whether as many random gaps would hardly give such a line among all the lines that were tried: an
 * upper bound for the binomial tail. The two gaps that define the line are no evidence.
 */
static bool convinces(const struct search *f, const struct series *s, const struct chain *c)
{
	static const double SURE = 0.01;
	double origins = (double)(s->n < ORIGINS ? s->n : ORIGINS);
	double lines = f->known > 0 ? origins : PARTS * origins * (double)s->n;
	double span = (double)(s->gaps[s->n - 1].start - s->gaps[0].start);
	double chance = -expm1(-2 * TOLERANCE * c->interval * (double)s->n / span);
	double seen = (double)c->seen, places = (double)(c->seen + c->missed);

	if (c->seen < LEAST || seen < f->convince * places)
		return false;
	int sign; /* always positive here; lgamma() would set a global variable */
	double ways = lgamma_r(places + 1, &sign) - lgamma_r(seen + 1, &sign) -
		      lgamma_r(places - seen + 1, &sign);
	return log(lines) + ways + (seen - 2) * log(chance) < log(SURE);
}

struct line {
	uint64_t origin; /* where its first gap starts */
	double interval;
	size_t seen;
};

static void try_line(const struct search *f, const struct series *s, size_t origin, double interval,
	struct line *best)
{
	struct chain c = { .interval = interval, .given = interval, .patience = f->patience };

	add(&c, &s->gaps[origin], 0, 0);
	follow(s, origin, 1, NULL, &c);
	if (c.seen > best->seen && convinces(f, s, &c))
		*best = (struct line){ s->gaps[origin].start, c.interval, c.seen };
}

/*
 * Finds the line on which most gaps of the window begin. There may be unseen ticks between two that
 * were seen, so fractions of their distance are tried too, the whole distance first.
 */
static struct line best_line(const struct search *f, const struct series *s)
{
	struct line best = { 0 };

	for (size_t i = 0; i + 1 < s->n && i < ORIGINS; i++) {
		if (f->known > 0)
			try_line(f, s, i, f->known, &best);
		for (size_t j = i + 1; j < s->n && !(f->known > 0); j++) {
			double apart = (double)(s->gaps[j].start - s->gaps[i].start);
			if (apart > LONGEST_S * f->hz)
				break;
			for (int part = 1; part <= PARTS; part++)
				if (apart / part >= SHORTEST_S * f->hz)
					try_line(f, s, i, apart / part, &best);
		}
	}
	return best;
}

static void conclude(const struct chain *c, struct et_tick_fit *out)
{
	double n = (double)c->seen, skk = c->kk - c->k * c->k / n, sky = c->ky - c->k * c->y / n;
	double syy = c->yy - c->y * c->y / n, slope = sky / skk;
	double rest = fmax(0, syy - slope * sky);

	*out = (struct et_tick_fit){ .interval = c->given + slope,
		.uncertainty = n > 2 ? sqrt(rest / (n - 2) / skk) : 0,
		.first = c->first,
		.n = c->seen,
		.covered = c->covered,
		.missed = c->missed };
}

int et_ticks_find(const struct et_gap *gaps, size_t n, double hz, double interval, bool *ticks,
	struct et_tick_fit *out)
{
	static const struct search unknown = { .convince = 0.75, .hold = 0.7, .patience = 1.0 / 3 };
	static const struct search known = { .convince = 1.0 / 3, .hold = 1.0 / 3, .patience = 2 };
	/* If many short gaps fill the window, it may contain no tick: then try longer gaps only. */
	static const double least_s[] = { 0, 3e-6, 10e-6, 30e-6 };
	struct et_gap window[WINDOW];
	const struct series all = { gaps, n };
	struct search f = interval > 0 ? known : unknown;

	f.hz = hz;
	f.known = interval;
	for (size_t i = 0; ticks && i < n; i++)
		ticks[i] = false;
	for (size_t level = 0; level < sizeof(least_s) / sizeof(least_s[0]); level++) {
		size_t m = 0;
		for (size_t i = 0; i < n && m < WINDOW; i++)
			if ((double)(gaps[i].end - gaps[i].start) >= least_s[level] * f.hz)
				window[m++] = gaps[i];
		struct series s = { window, m };
		struct line best = best_line(&f, &s);
		if (!best.seen)
			continue;
		struct chain c = {
			.interval = best.interval, .given = best.interval, .patience = f.patience
		};
		size_t at = last_before(&all, (double)best.origin);
		add(&c, &gaps[at], 0, 0);
		if (ticks)
			ticks[at] = true;
		follow(&all, at, 1, ticks, &c);
		follow(&all, at, -1, ticks, &c);
		/* A line that fitted the window by chance ends soon after it. */
		if ((double)c.seen >= f.hold * (double)(c.seen + c.missed)) {
			conclude(&c, out);
			return 0;
		}
		for (size_t i = 0; ticks && i < n; i++)
			ticks[i] = false;
	}
	return -ENOENT;
}
