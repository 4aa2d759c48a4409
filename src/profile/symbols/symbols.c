/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/symbols.h"
#include "model/sample/profile.h"

/* Limits of one table, against files that pretend to have more. */
enum { MOST_SYMBOLS = 1 << 22, MOST_NAMES = 1 << 28 };
/* Of the kernel's code. */
enum { PAGE = 4096 };

/* Returns the offset of a copy of the name. */
static uint32_t keep_name(struct et_symbols *t, const char *name)
{
	size_t length = strnlen(name, ET_MOST_SYMBOL_NAME), at = t->names_size;

	if (at + length + 1 > t->names_room) {
		t->names_room = 2 * t->names_room + length + 4096;
		t->names = et_realloc(t->names, t->names_room, 1);
	}
	memcpy(t->names + at, name, length);
	t->names[at + length] = '\0';
	t->names_size += length + 1;
	return (uint32_t)at;
}

void et_symbols_add(struct et_symbols *t, const struct et_symbol *symbol, const char *name)
{
	if (t->n >= MOST_SYMBOLS || t->names_size >= MOST_NAMES) {
		t->full = true;
		return;
	}
	ET_GROW(t->symbols, t->n, t->room);
	struct et_symbol *s = &t->symbols[t->n++];
	*s = *symbol;
	if (s->end < s->start) /* its size wraps around */
		s->end = s->start;
	s->name = keep_name(t, name);
	s->function = ET_PROFILE_NONE;
}

const char *et_symbols_name(const struct et_symbols *t, const struct et_symbol *symbol)
{
	return t->names + symbol->name;
}

/* Which of two symbols with one start is better: as perf's choose_best_symbol in its symbol.c. */
static int by_preference(const struct et_symbol *a, const struct et_symbol *b, const char *names)
{
	const char *name_a = names + a->name, *name_b = names + b->name;
	bool sized_a = !a->open, sized_b = !b->open;
	bool weak_a = a->binding == ET_SYMBOL_WEAK, weak_b = b->binding == ET_SYMBOL_WEAK;
	bool global_a = a->binding == ET_SYMBOL_GLOBAL, global_b = b->binding == ET_SYMBOL_GLOBAL;

	return ET_ORDER(sized_b, sized_a) ?: ET_ORDER(weak_a, weak_b) ?: ET_ORDER(global_b, global_a)
		?: ET_ORDER(strspn(name_a, "_"), strspn(name_b, "_"))
		?: ET_ORDER(strlen(name_b), strlen(name_a)) ?: strcmp(name_a, name_b);
}

static int by_start(const void *pa, const void *pb)
{
	const struct et_symbol *a = pa, *b = pb;

	return ET_ORDER(a->start, b->start);
}

/*
 * A symbol without size extends to the next symbol in its section. Modules of the kernel have gaps
 * between them, so the last symbol of one ends with the page after its own, as in perf.
 */
static void set_ends(struct et_symbols *t)
{
	size_t next = 0;

	if (t->n)
		qsort(t->symbols, t->n, sizeof(*t->symbols), by_start);
	for (size_t i = 0; i < t->n; i++) {
		struct et_symbol *s = &t->symbols[i];
		while (next < t->n && (t->symbols[next].start <= s->start ||
					      t->symbols[next].source == ET_SYMBOL_RANGE))
			next++;
		if (s->end > s->start)
			continue;
		bool last = next == t->n || t->symbols[next].owner != s->owner;
		uint64_t page_after = (s->start & ~(uint64_t)(PAGE - 1)) + 2 * PAGE;
		s->open = true;
		s->end = next < t->n && t->symbols[next].start < s->limit ? t->symbols[next].start
									  : s->limit;
		if (last && page_after > s->start && page_after < s->end)
			s->end = page_after;
	}
}

static int by_source_and_start(const void *pa, const void *pb, void *names)
{
	const struct et_symbol *a = pa, *b = pb;

	return ET_ORDER(a->source, b->source) ?: ET_ORDER(a->start, b->start)
		?: by_preference(a, b, names);
}

/* Of symbols with the same source and start only the first remains, the best one. */
static void drop_aliases(struct et_symbols *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct et_symbol *last = kept ? &t->symbols[kept - 1] : NULL;
		const struct et_symbol *s = &t->symbols[i];
		if (last && last->source == s->source && last->start == s->start)
			continue;
		t->symbols[kept++] = *s;
	}
	t->n = kept;
}

struct pieces {
	struct et_symbol_piece *list;
	size_t n, room;
};

static void add_piece(struct pieces *p, uint64_t start, uint64_t end, uint32_t symbol)
{
	struct et_symbol_piece *last = p->n ? &p->list[p->n - 1] : NULL;

	if (start >= end)
		return;
	if (last && last->symbol == symbol && last->end == start) {
		last->end = end;
		return;
	}
	ET_GROW(p->list, p->n, p->room);
	p->list[p->n++] = (struct et_symbol_piece){ start, end, symbol };
}

/* The symbols that cover an address: a binary heap, whose first member is the one that counts. */
struct heap {
	const struct et_symbols *table;
	struct et_symbol_piece *list;
	size_t n;
};

/* Otherwise a symbol that begins inside another one interrupts it, as a nested function does. */
static bool counts_before(const struct heap *h, size_t a, size_t b)
{
	const struct et_symbol *sa = &h->table->symbols[h->list[a].symbol];
	const struct et_symbol *sb = &h->table->symbols[h->list[b].symbol];

	return h->table->last_wins ? sa->owner > sb->owner : sa->start > sb->start;
}

static void swap(struct heap *h, size_t a, size_t b)
{
	struct et_symbol_piece kept = h->list[a];

	h->list[a] = h->list[b];
	h->list[b] = kept;
}

static void push(struct heap *h, struct et_symbol_piece piece)
{
	h->list[h->n] = piece;
	for (size_t i = h->n++; i && counts_before(h, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
}

static void pop(struct heap *h)
{
	h->list[0] = h->list[--h->n];
	for (size_t i = 0, child; (child = 2 * i + 1) < h->n; i = child) {
		if (child + 1 < h->n && counts_before(h, child + 1, child))
			child++;
		if (!counts_before(h, child, i))
			break;
		swap(h, i, child);
	}
}

/* The pieces of the symbols [from, to), which ascend by start. */
static void cut(const struct et_symbols *t, size_t from, size_t to, struct pieces *out)
{
	struct heap open = { .table = t };
	uint64_t at = 0;

	open.list = et_calloc(to - from + 1, sizeof(*open.list));
	for (size_t i = from; i < to || open.n;) {
		if (!open.n)
			at = t->symbols[i].start;
		for (; i < to && t->symbols[i].start <= at; i++)
			push(&open, (struct et_symbol_piece){ at, t->symbols[i].end, (uint32_t)i });
		while (open.n && open.list[0].end <= at)
			pop(&open);
		if (!open.n)
			continue;
		uint64_t end = open.list[0].end;
		if (i < to && t->symbols[i].start < end)
			end = t->symbols[i].start;
		add_piece(out, at, end, open.list[0].symbol);
		at = end;
	}
	free(open.list);
}

/* Adds the parts of `lower` that `upper` leaves free, and `upper` itself, to out. */
static void underlay(const struct pieces *upper, const struct pieces *lower, struct pieces *out)
{
	size_t u = 0;

	for (size_t l = 0; l < lower->n; l++) {
		struct et_symbol_piece rest = lower->list[l];
		while (u < upper->n && upper->list[u].start < rest.end) {
			const struct et_symbol_piece *over = &upper->list[u];
			if (over->start > rest.start)
				add_piece(out, rest.start, over->start, rest.symbol);
			if (over->end > rest.start)
				rest.start = over->end;
			if (over->end > rest.end)
				break; /* it also covers what follows */
			add_piece(out, over->start, over->end, over->symbol);
			u++;
		}
		add_piece(out, rest.start, rest.end, rest.symbol);
	}
	for (; u < upper->n; u++)
		add_piece(out, upper->list[u].start, upper->list[u].end, upper->list[u].symbol);
}

void et_symbols_finish(struct et_symbols *t)
{
	struct pieces all = { 0 };

	set_ends(t);
	if (t->n)
		qsort_r(t->symbols, t->n, sizeof(*t->symbols), by_source_and_start, t->names);
	if (!t->last_wins)
		drop_aliases(t);
	for (size_t from = 0, to; from < t->n; from = to) {
		struct pieces own = { 0 }, merged = { 0 };
		for (to = from; to < t->n && t->symbols[to].source == t->symbols[from].source;)
			to++;
		cut(t, from, to, &own);
		underlay(&all, &own, &merged);
		free(all.list);
		free(own.list);
		all = merged;
	}
	t->pieces = all.list;
	t->n_pieces = all.n;
}

struct et_symbol *et_symbols_find(const struct et_symbols *t, uint64_t address)
{
	size_t lo = 0, hi = t->n_pieces;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		if (t->pieces[middle].end <= address)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (lo == t->n_pieces || t->pieces[lo].start > address)
		return NULL;
	return &t->symbols[t->pieces[lo].symbol];
}

void et_symbols_free(struct et_symbols *t)
{
	free(t->symbols);
	free(t->names);
	free(t->pieces);
	*t = (struct et_symbols){ 0 };
}
