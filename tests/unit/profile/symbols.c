/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of symbols: which one is chosen, and which range it covers. */
#include "profile/symbols/symbols.h"
#include "base/base.h"
#include "tap.h"

#include <inttypes.h>

static void add(struct et_symbols *t, uint64_t start, uint64_t end, const char *name)
{
	et_symbols_add(
		t, &(struct et_symbol){ .start = start, .end = end, .limit = UINT64_MAX }, name);
}

static void add_as(struct et_symbols *t, uint64_t start, uint64_t end, enum et_symbol_source source,
	enum et_symbol_binding binding, const char *name)
{
	et_symbols_add(t,
		&(struct et_symbol){ .start = start,
			.end = end,
			.limit = UINT64_MAX,
			.source = (uint8_t)source,
			.binding = (uint8_t)binding },
		name);
}

static const char *at(const struct et_symbols *t, uint64_t address)
{
	const struct et_symbol *s = et_symbols_find(t, address);

	return s ? et_symbols_name(t, s) : "none";
}

static void ranges(void)
{
	struct et_symbols t = { 0 };

	is_str(at(&t, 5), "none", "ranges: an empty table has no symbol");
	add(&t, 100, 110, "b");
	add(&t, 10, 20, "a");
	add(&t, 200, 200, "open");
	et_symbols_add(&t, &(struct et_symbol){ .start = 300, .end = 300, .limit = 310 }, "last");
	et_symbols_finish(&t);
	is_str(at(&t, 9), "none", "ranges: there is nothing before the first symbol");
	is_str(at(&t, 10), "a", "ranges: a symbol begins at its start");
	is_str(at(&t, 19), "a", "ranges: it reaches up to its end");
	is_str(at(&t, 20), "none", "ranges: its end does not belong to it");
	is_str(at(&t, 109), "b", "ranges: the order of adding does not matter");
	is_str(at(&t, 299), "open", "ranges: a symbol without size extends to the next");
	is_str(at(&t, 309), "last", "ranges: the last symbol extends to the end of its section");
	is_str(at(&t, 310), "none", "ranges: and not further");
	et_symbols_free(&t);
}

static void overlaps(void)
{
	struct et_symbols t = { 0 };

	add(&t, 0, 100, "outer");
	add(&t, 20, 60, "middle");
	add(&t, 30, 40, "inner");
	add(&t, 90, 120, "across");
	add(&t, 200, 150, "negative");
	add(&t, 200, 220, "after");
	add(&t, 300, UINT64_MAX, "endless");
	et_symbols_finish(&t);
	is_str(at(&t, 25), "middle", "overlaps: a symbol inside another interrupts it");
	is_str(at(&t, 35), "inner", "overlaps: the innermost counts");
	is_str(at(&t, 45), "middle", "overlaps: after its end the enclosing one continues");
	is_str(at(&t, 89), "outer", "overlaps: and so on outwards");
	is_str(at(&t, 95), "across", "overlaps: of two that cross, the later start counts");
	is_str(at(&t, 119), "across", "overlaps: the later one keeps its end");
	is_str(at(&t, 200), "after", "overlaps: a size that wraps around counts as none");
	is_str(at(&t, UINT64_MAX - 1), "endless", "overlaps: the end of memory is reached");
	et_symbols_free(&t);
}

static void preference(void)
{
	struct et_symbols t = { 0 };

	add_as(&t, 0, 10, ET_SYMBOL_FUNCTION, ET_SYMBOL_WEAK, "weak_with_a_long_name");
	add_as(&t, 0, 10, ET_SYMBOL_FUNCTION, ET_SYMBOL_LOCAL, "local");
	add_as(&t, 10, 20, ET_SYMBOL_FUNCTION, ET_SYMBOL_LOCAL, "a_local_one");
	add_as(&t, 10, 20, ET_SYMBOL_FUNCTION, ET_SYMBOL_GLOBAL, "global");
	add_as(&t, 20, 20, ET_SYMBOL_FUNCTION, ET_SYMBOL_GLOBAL, "without_size");
	add_as(&t, 20, 30, ET_SYMBOL_FUNCTION, ET_SYMBOL_WEAK, "sized");
	add_as(&t, 30, 40, ET_SYMBOL_FUNCTION, ET_SYMBOL_GLOBAL, "__libc_malloc");
	add_as(&t, 30, 40, ET_SYMBOL_FUNCTION, ET_SYMBOL_GLOBAL, "malloc");
	add_as(&t, 40, 50, ET_SYMBOL_FUNCTION, ET_SYMBOL_GLOBAL, "short");
	add_as(&t, 40, 50, ET_SYMBOL_FUNCTION, ET_SYMBOL_GLOBAL, "longer");
	add_as(&t, 45, 60, ET_SYMBOL_LABEL, ET_SYMBOL_GLOBAL, "label");
	add_as(&t, 0, 100, ET_SYMBOL_RANGE, ET_SYMBOL_LOCAL, "");
	et_symbols_finish(&t);
	is_str(at(&t, 0), "local", "preference: any binding is better than weak");
	is_str(at(&t, 10), "global", "preference: global is better than local");
	is_str(at(&t, 20), "sized", "preference: a symbol with a size is best");
	is_str(at(&t, 30), "malloc", "preference: a name with fewer underscores is better");
	is_str(at(&t, 40), "longer", "preference: otherwise the longer name");
	is_str(at(&t, 49), "longer", "preference: a label does not interrupt a function");
	is_str(at(&t, 50), "label", "preference: a label counts where no function is");
	is_str(at(&t, 60), "", "preference: a range counts where no symbol is");
	et_symbols_free(&t);
}

/* The slow way: the best source, then the latest start. */
static uint64_t start_by_search(const struct et_symbol *all, size_t n, uint64_t address)
{
	const struct et_symbol *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct et_symbol *s = &all[i];
		if (address < s->start || address >= s->end)
			continue;
		if (!best || s->source < best->source ||
			(s->source == best->source && s->start >= best->start))
			best = s;
	}
	return best ? best->start + 1000000 * best->source : UINT64_MAX;
}

/* Starts are unique within a source here, so that the choice among aliases plays no part. */
static void many(void)
{
	enum { N = 40, SPAN = 300 };
	unsigned state = 7;
	size_t wrong = 0;

	for (int round = 0; round < 300; round++) {
		struct et_symbols t = { 0 };
		struct et_symbol all[N];
		bool used[3][SPAN] = { 0 };
		size_t n = 0;
		while (n < N) {
			state = state * 1664525 + 1013904223;
			unsigned source = (state >> 8) % 3, start = (state >> 12) % (SPAN - 60);
			if (used[source][start])
				continue;
			used[source][start] = true;
			all[n] = (struct et_symbol){ .start = start,
				.end = start + 1 + (state >> 24) % 60,
				.limit = UINT64_MAX,
				.source = (uint8_t)source };
			et_symbols_add(&t, &all[n++], "x");
		}
		et_symbols_finish(&t);
		for (uint64_t a = 0; a < SPAN; a++) {
			const struct et_symbol *s = et_symbols_find(&t, a);
			uint64_t got = s ? s->start + 1000000 * s->source : UINT64_MAX;
			wrong += got != start_by_search(all, n, a);
		}
		et_symbols_free(&t);
	}
	ok(wrong == 0, "many: 90,000 look-ups in random tables agree with a search (%zu differ)",
		wrong);
}

static void names(void)
{
	struct et_symbols t = { 0 };
	char *name = et_alloc(ET_MOST_SYMBOL_NAME + 100);

	memset(name, 'x', ET_MOST_SYMBOL_NAME + 99);
	name[ET_MOST_SYMBOL_NAME + 99] = '\0';
	add(&t, 0, 1, name);
	add(&t, 1, 2, "\x1b[31m\n");
	et_symbols_finish(&t);
	ok(strlen(at(&t, 0)) == ET_MOST_SYMBOL_NAME, "names: a very long name is cut");
	is_str(at(&t, 1), "\x1b[31m\n", "names: control characters are kept");
	et_symbols_free(&t);
	free(name);
}

int main(void)
{
	ranges();
	overlaps();
	preference();
	many();
	names();
	return tap_done();
}
