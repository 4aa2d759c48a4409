/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DC: the data cube of Gray et al. (1997): the sums of a measure, grouped by every subset of the
 * attributes, each in a hash table. Its reads and writes are scattered, and threads share nothing.
 */
#include "put/kernel_work.h"

enum { MOST_ATTRIBUTES = 8, LARGEST_MEASURE = 1000 };

struct tuple {
	uint64_t key; /* all attributes, attribute a in a + 2 bits */
	uint64_t measure;
};

struct cube {
	size_t n; /* tuples, a power of two */
	unsigned attributes;
	struct tuple *tuples;
};

struct view {
	uint64_t groups, total, sum; /* sum depends on each group with its key */
};

/* The mask that keeps the attributes of a subset. */
static uint64_t mask_of(unsigned subset)
{
	uint64_t mask = 0;

	for (unsigned a = 0, shift = 0; a < MOST_ATTRIBUTES; shift += a + 2, a++) {
		if (subset & 1u << a)
			mask |= ((UINT64_C(1) << (a + 2)) - 1) << shift;
	}
	return mask;
}

/* Small values of an attribute are more frequent than large ones. */
static void fill(const struct cube *c)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < c->n; i++) {
		struct tuple t = { .measure = et_hash(70, i) % LARGEST_MEASURE + 1 };
		for (unsigned a = 0, shift = 0; a < c->attributes; shift += a + 2, a++) {
			double u = et_uniform(71 + a, i);
			t.key |= (uint64_t)(u * u * (double)(1u << (a + 2))) << shift;
		}
		c->tuples[i] = t;
	}
}

/* Groups all tuples by a subset. A slot without a measure is empty; measures are positive. */
static struct view group(const struct cube *c, unsigned subset, struct tuple *table, bool spoil)
{
	size_t slots = 2 * c->n;
	uint64_t mask = mask_of(subset);
	struct view v = { 0 };

	memset(table, 0, slots * sizeof(*table));
	for (size_t i = 0; i < c->n; i++) {
		uint64_t key = c->tuples[i].key & mask;
		size_t at = et_hash(80, key) & (slots - 1);
		while (table[at].measure && table[at].key != key)
			at = (at + 1) & (slots - 1);
		table[at].key = key;
		table[at].measure += c->tuples[i].measure + (spoil && i == c->n / 2);
	}
	for (size_t at = 0; at < slots; at++) {
		if (!table[at].measure)
			continue;
		v.groups++;
		v.total += table[at].measure;
		v.sum += et_hash(81, table[at].key) * table[at].measure;
	}
	return v;
}

/* Views that cannot be: another total than that of the tuples, or more groups than a finer view. */
static double wrong_views(const struct cube *c, const struct view *views)
{
	unsigned n = 1u << c->attributes, wrong = 0;
	uint64_t total = 0;

	for (size_t i = 0; i < c->n; i++)
		total += c->tuples[i].measure;
	for (unsigned s = 0; s < n; s++) {
		wrong += views[s].total != total;
		for (unsigned a = 0; a < c->attributes; a++)
			wrong += views[s].groups > views[s | 1u << a].groups;
	}
	return wrong + (views[0].groups != 1);
}

void et_kernel_dc(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct {
		unsigned bits, attributes; /* logarithm of the number of tuples */
	} sizes[ET_CLASSES] = { { 15, 5 }, { 16, 6 }, { 18, 7 }, { 20, 7 }, { 21, 8 } };
	struct cube c = { (size_t)1 << sizes[size].bits, sizes[size].attributes, NULL };
	ET_AUTO_FREE struct tuple *tuples = et_calloc(c.n, sizeof(*tuples));
	struct view views[1 << MOST_ATTRIBUTES];
	unsigned n = 1u << c.attributes;
	uint64_t sum = 0, groups = 0;

	c.tuples = tuples;
	fill(&c);
#pragma omp parallel
	{
		ET_AUTO_FREE struct tuple *table = et_calloc(2 * c.n, sizeof(*table));
#pragma omp for schedule(dynamic)
		for (unsigned s = 0; s < n; s++)
			views[s] = group(&c, s, table, spoil && s == n / 2);
	}
	for (unsigned s = 0; s < n; s++) {
		sum += views[s].sum + views[s].groups;
		groups += views[s].groups;
	}
	out->value = et_checksum(sum);
	out->error = wrong_views(&c, views);
	out->limit = 0;
	out->check = "the number of views that are wrong";
	snprintf(out->detail, sizeof(out->detail), "%zu tuples, %u views, %" PRIu64 " groups", c.n,
		n, groups);
}
