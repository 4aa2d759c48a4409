/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Treatments, signs, defining relations and aliases against textbook designs: 2^(4-1) with d=abc,
 * 2^(5-2) with d=ab, e=ac, and 2^(7-4) with d=ab, e=ac, f=bc, g=abc, whose alias sets are in
 * Montgomery, Design and Analysis of Experiments, chapter 8.
 */
#include "protocol/design.h"
#include "base/base.h"
#include "base/memstream.h"
#include "tap.h"

static struct et_design_factor *add(struct et_design *d, const char *name, size_t n_levels)
{
	struct et_design_factor *f = et_design_add_factor(d, name);

	f->levels = et_calloc(n_levels + 1, sizeof(*f->levels));
	f->n_levels = n_levels;
	for (size_t i = 0; i < n_levels; i++)
		f->levels[i] = et_asprintf("%zu", i);
	return f;
}

/* Factors "a", "b", …: as many as there are numbers, each that many levels; '2' is two. */
static struct et_design *design_of(const char *levels)
{
	struct et_design *d = et_design_new();

	for (size_t i = 0; levels[i]; i++)
		add(d, (char[]){ (char)('a' + i), '\0' }, (size_t)(levels[i] - '0'));
	return d;
}

/* Generators "d=a b c;e=a d". */
static void generate(struct et_design *d, const char *generators)
{
	char *copy = et_strdup(generators), *rest = copy;

	for (char *one; (one = strsep(&rest, ";"));)
		d->factors[one[0] - 'a'].generator = et_strdup(one + 2);
	free(copy);
}

static struct et_design *fraction(const char *levels, const char *generators)
{
	struct et_design *d = design_of(levels);
	struct et_error err = { 0 };

	generate(d, generators);
	if (et_design_make_treatments(d, &err))
		tap_bail("%s: %s", generators, err.what);
	return d;
}

static struct et_design *full(const char *levels)
{
	struct et_design *d = design_of(levels);

	if (et_design_make_treatments(d, NULL))
		tap_bail("%s", levels);
	return d;
}

/* Yates's names of treatments with two levels: the factors at the second one, "(1)" if none is. */
static char *yates(const struct et_design *d)
{
	struct et_memstream m;
	FILE *f = et_memstream_open(&m);

	for (size_t t = 0; t < d->n_treatments; t++) {
		bool any = false;
		fputs(t ? " " : "", f);
		for (size_t i = 0; i < d->n_factors; i++) {
			if (et_design_sign(d, t, UINT32_C(1) << i) > 0) {
				fputs(d->factors[i].name, f);
				any = true;
			}
		}
		fputs(any ? "" : "(1)", f);
	}
	return et_memstream_close(&m);
}

static char *levels_of(const struct et_design *d)
{
	struct et_memstream m;
	FILE *f = et_memstream_open(&m);

	for (size_t t = 0; t < d->n_treatments; t++) {
		fputs(t ? " " : "", f);
		for (size_t i = 0; i < d->n_factors; i++)
			fprintf(f, "%u", d->treatments[t].levels[i]);
	}
	return et_memstream_close(&m);
}

/* "a=bd=ce=abcde" with a minus before negative ones; only those of at most `most` factors. */
static char *aliases(const struct et_design *d, const char *term, int most)
{
	uint32_t bits;
	size_t n;
	struct et_memstream m;
	FILE *f = et_memstream_open(&m);

	if (et_design_term_parse(d, term, &bits, NULL))
		tap_bail("%s", term);
	uint32_t *list = et_design_aliases(d, bits, &n);
	for (size_t i = 0; i < n; i++) {
		if (__builtin_popcount(list[i]) > most)
			continue;
		char *name = et_design_term_name(d, list[i]);
		fprintf(f, "=%s%s", et_design_sign(d, 0, bits ^ list[i]) < 0 ? "-" : "", name);
		free(name);
	}
	free(list);
	return et_memstream_close(&m);
}

static char *names(const struct et_design *d, uint32_t *terms, size_t n, bool signs)
{
	struct et_memstream m;
	FILE *f = et_memstream_open(&m);

	for (size_t i = 0; i < n; i++) {
		char *name = et_design_term_name(d, terms[i]);
		fprintf(f, "%s%s%s", i ? " " : "",
			signs && et_design_sign(d, 0, terms[i]) < 0 ? "-" : "", name);
		free(name);
	}
	free(terms);
	return et_memstream_close(&m);
}

static void is_owned(char *got, const char *want, const char *label)
{
	is_str(got, want, "%s", label);
	free(got);
}

static void full_factorials_are_in_standard_order(void)
{
	struct et_design *d = full("22");
	size_t n;

	is_owned(yates(d), "(1) a b ab", "2^2: standard order");
	is_str(d->treatments[1].name, "a=1,b=0", "2^2: treatments are named by their levels");
	ok(et_design_sign(d, 0, 3) == 1 && et_design_sign(d, 1, 3) == -1 &&
			et_design_sign(d, 2, 3) == -1 && et_design_sign(d, 3, 3) == 1,
		"2^2: the signs of the interaction are + - - +");
	ok(et_design_generators(d) == 0 && et_design_resolution(d) == 0, "2^2: nothing is aliased");
	free(et_design_aliases(d, 1, &n));
	ok(n == 0, "2^2: a main effect has no aliases");
	et_design_free(d);

	d = full("222");
	is_owned(yates(d), "(1) a b ab c ac bc abc", "2^3: standard order");
	uint32_t *terms = et_design_terms(d, &n);
	is_owned(names(d, terms, n, false), "a b c a:b a:c b:c a:b:c",
		"2^3: terms, main effects first");
	et_design_free(d);

	d = full("33");
	is_owned(levels_of(d), "00 10 20 01 11 21 02 12 22", "3^2: the first factor is fastest");
	et_design_free(d);

	d = full("234");
	is_owned(levels_of(d),
		"000 100 010 110 020 120 001 101 011 111 021 121 "
		"002 102 012 112 022 122 003 103 013 113 023 123",
		"2x3x4: standard order");
	ok(et_design_sign(d, 0, 2) == 1, "a factor with three levels has no sign");
	et_design_free(d);
}

static void published_fractions(void)
{
	struct et_design *d = fraction("2222", "d=a b c");
	size_t n;

	is_owned(yates(d), "(1) ad bd ab cd ac bc abcd", "2^(4-1), d=abc: treatments");
	ok(et_design_resolution(d) == 4, "2^(4-1), d=abc: resolution IV");
	is_owned(aliases(d, "a", 4), "=b:c:d", "2^(4-1), d=abc: aliases of a");
	is_owned(aliases(d, "d", 4), "=a:b:c", "2^(4-1), d=abc: aliases of d");
	is_owned(aliases(d, "a:b", 4), "=c:d", "2^(4-1), d=abc: aliases of ab");
	is_owned(aliases(d, "b:c", 4), "=a:d", "2^(4-1), d=abc: aliases of bc");
	uint32_t *terms = et_design_terms(d, &n);
	is_owned(names(d, terms, n, false), "a b c d a:b a:c a:d",
		"2^(4-1), d=abc: one term of each alias set");
	et_design_free(d);

	d = fraction("22222", "d=a b;e=a c");
	is_owned(yates(d), "de a be abd cd ace bc abcde", "2^(5-2): treatments");
	uint32_t *relation = et_design_relation(d, &n);
	is_owned(names(d, relation, n, true), "a:b:d a:c:e b:c:d:e", "2^(5-2): defining relation");
	ok(et_design_resolution(d) == 3, "2^(5-2): resolution III");
	is_owned(aliases(d, "a", 5), "=b:d=c:e=a:b:c:d:e", "2^(5-2): aliases of a");
	is_owned(aliases(d, "b", 5), "=a:d=c:d:e=a:b:c:e", "2^(5-2): aliases of b");
	is_owned(aliases(d, "b:c", 5), "=d:e=a:b:e=a:c:d", "2^(5-2): aliases of bc");
	is_owned(aliases(d, "c:d", 5), "=b:e=a:b:c=a:d:e", "2^(5-2): aliases of cd");
	et_design_free(d);

	d = fraction("2222222", "d=a b;e=a c;f=b c;g=a b c");
	is_owned(yates(d), "def afg beg abd cdg ace bcf abcdefg", "2^(7-4): treatments");
	relation = et_design_relation(d, &n);
	is_owned(names(d, relation, n, true),
		"a:b:d a:c:e a:f:g b:c:f b:e:g c:d:g d:e:f a:b:c:g a:b:e:f a:c:d:f a:d:e:g "
		"b:c:d:e b:d:f:g c:e:f:g a:b:c:d:e:f:g",
		"2^(7-4): defining relation");
	ok(et_design_resolution(d) == 3, "2^(7-4): resolution III");
	is_owned(aliases(d, "a", 2), "=b:d=c:e=f:g", "2^(7-4): aliases of a");
	is_owned(aliases(d, "b", 2), "=a:d=c:f=e:g", "2^(7-4): aliases of b");
	is_owned(aliases(d, "c", 2), "=a:e=b:f=d:g", "2^(7-4): aliases of c");
	is_owned(aliases(d, "d", 2), "=a:b=c:g=e:f", "2^(7-4): aliases of d");
	is_owned(aliases(d, "e", 2), "=a:c=b:g=d:f", "2^(7-4): aliases of e");
	is_owned(aliases(d, "f", 2), "=a:g=b:c=d:e", "2^(7-4): aliases of f");
	is_owned(aliases(d, "g", 2), "=a:f=b:e=c:d", "2^(7-4): aliases of g");
	et_design_free(d);
}

static void signs_and_chains(void)
{
	struct et_design *d = fraction("222", "c=-a b");

	is_owned(yates(d), "(1) ac bc ab", "2^(3-1), c=-ab: the other half");
	is_owned(aliases(d, "a", 3), "=-b:c", "2^(3-1), c=-ab: aliases have a sign");
	et_design_free(d);

	d = fraction("22222", "d=a b c;e=-c d");
	is_owned(yates(d), "(1) ade bde ab cd ace bce abcd",
		"a generator may use a generated factor: e = -cd = -ab");
	et_design_free(d);

	d = fraction("2222", "a=b c d");
	is_owned(yates(d), "(1) ab ac bc ad bd cd abcd",
		"the first factor may be generated: the order is that of the others");
	et_design_free(d);

	d = fraction("2232", "d=a b");
	ok(d->n_treatments == 12, "a fraction of three factors, crossed with three levels");
	is_owned(aliases(d, "a:c", 4), "=b:c:d", "terms with more levels have aliases, too");
	et_design_free(d);
}

/* The sum of the signs of terms in an alias set is the same column; others are orthogonal. */
static void columns_agree_with_aliases(void)
{
	struct et_design *d = fraction("222222", "e=a b c;f=-b c d");
	bool good = true;

	for (uint32_t x = 1; x < 64; x++) {
		size_t n;
		uint32_t *list = et_design_aliases(d, x, &n);
		for (uint32_t y = 0; y < 64; y++) {
			int sum = 0, want = 0;
			for (size_t t = 0; t < d->n_treatments; t++)
				sum += et_design_sign(d, t, x) * et_design_sign(d, t, y);
			for (size_t i = 0; i < n; i++)
				want += list[i] == y ? et_design_sign(d, 0, x ^ y) : 0;
			good = good && sum == (x == y ? 16 : 16 * want);
		}
		free(list);
	}
	ok(good, "2^(6-2): columns are equal, opposite or orthogonal as the aliases say");
	et_design_free(d);
}

static void refuses(struct et_design *d, const char *want, const char *label)
{
	struct et_error err = { 0 };

	ok(et_design_make_treatments(d, &err) < 0 && err.exit == ET_EXIT_USAGE && !d->n_treatments,
		"%s is refused", label);
	is_str(err.what, want, "%s: the error", label);
	et_design_free(d);
}

static void refuses_generators(const char *levels, const char *generators, const char *want)
{
	struct et_design *d = design_of(levels);

	generate(d, generators);
	refuses(d, want, generators);
}

static void bad_designs_are_refused(void)
{
	refuses(design_of(""), "the design has no factors", "a design without factors");
	refuses(design_of("21"), "factor 'b' needs at least two levels", "a factor with one level");
	refuses(design_of("222222222222222222222"),
		"the design has 21 factors; at most 20 are possible", "21 factors");
	refuses(design_of("22222222222222222"), "the design has more than 100000 treatments",
		"2^17 treatments");
	refuses_generators("222", "c=a x", "generator of 'c': there is no factor 'x'");
	refuses_generators("222", "c=", "generator of 'c': '': the name of a factor is missing");
	refuses_generators("222", "c=-", "generator of 'c': '': the name of a factor is missing");
	refuses_generators("222", "c=a a", "generator of 'c': 'a a' has the factor 'a' twice");
	refuses_generators(
		"222", "c=a c", "generator of 'c': the factor is part of its own product");
	refuses_generators("223", "c=a b",
		"generator of 'c': factor 'c' has 3 levels; a fraction needs factors with two");
	refuses_generators("232", "c=a b",
		"generator of 'c': factor 'b' has 3 levels; a fraction needs factors with two");
	refuses_generators("2222", "c=a d;d=-a c",
		"generator of 'd': it contradicts another generator, or repeats it");
	refuses_generators("2222", "c=a d;d=a c",
		"generator of 'd': it contradicts another generator, or repeats it");
	refuses_generators("2222", "c=a d;d=b c",
		"generator of 'd': it contradicts another generator, or repeats it");
	refuses_generators(
		"222", "c=-a", "by the generators, factors 'a' and 'c' always change together");
	refuses_generators("2222", "c=a b;d=-a b",
		"by the generators, factors 'c' and 'd' always change together");
	refuses_generators("2", "a=a", "generator of 'a': the factor is part of its own product");
}

static void terms_have_names(void)
{
	struct et_design *d = et_design_new();
	uint32_t bits = 0;
	struct et_error err = { 0 };

	add(d, "work", 2);
	add(d, "pad", 2);
	ok(!et_design_term_parse(d, "pad", &bits, NULL) && bits == 2, "terms: a main effect");
	ok(!et_design_term_parse(d, "work:pad", &bits, NULL) && bits == 3, "terms: an interaction");
	ok(!et_design_term_parse(d, " pad : work ", &bits, NULL) && bits == 3,
		"terms: order and spaces do not matter");
	is_owned(et_design_term_name(d, 3), "work:pad", "terms: the name has the factors' order");
	is_owned(et_design_term_name(d, 0), "", "terms: no factors have an empty name");
	bits = 7;
	ok(et_design_term_parse(d, "work:pat", &bits, &err) < 0 && bits == 7,
		"terms: an unknown factor is refused");
	is_str(err.what, "there is no factor 'pat'", "terms: the unknown factor is named");
	is_str(err.hint, "did you mean 'pad'?", "terms: the nearest factor is offered");
	ok(et_design_term_parse(d, "work:work", &bits, &err) < 0,
		"terms: a factor twice is refused");
	ok(et_design_term_parse(d, "work:", &bits, &err) < 0, "terms: an empty name is refused");
	ok(et_design_term_parse(d, "", &bits, &err) < 0, "terms: an empty text is refused");
	ok(et_design_term_parse(d, "work pad", &bits, &err) < 0, "terms: a space is no separator");
	is_str(err.what, "'work pad': write ':' between factors", "terms: the separator is named");
	et_design_free(d);
}

static void wants(const struct et_design *d, const char *text, const char *want)
{
	uint32_t *list = NULL;
	size_t n = 0;
	struct et_error err = { 0 };

	if (et_design_terms_parse(d, text, &list, &n, &err) == 0)
		is_owned(names(d, list, n, false), want, text);
	else
		is_str(err.what, want, "%s", text);
}

static void aliased_terms_are_refused(void)
{
	struct et_design *d = fraction("2222", "d=a b c");

	wants(d, "b,a:b",
		"the effect 'a:b' is an alias of 'c:d' in this design: no run tells them apart");
	wants(d, "b,a,b", "b a");
	wants(d, "a,b:c:d",
		"the effect 'a' is an alias of 'b:c:d' in this design: no run tells them apart");
	wants(d, "a,x", "there is no factor 'x'");
	wants(d, "a,,b", "'': the name of a factor is missing");
	et_design_free(d);
	d = fraction("222", "c=a b");
	wants(d, "c", "c");
	wants(d, "a:b",
		"the effect 'a:b' is an alias of 'c' in this design: no run tells them apart");
	et_design_free(d);
	d = full("22");
	wants(d, "a:b,b", "a:b b");
	et_design_free(d);
}

static void large_designs_are_quick(void)
{
	struct et_design *d = fraction("22222222222222222222", "q=a b c;r=b c d;s=c d e;t=d e f");
	size_t n;

	ok(d->n_treatments == 65536, "2^(20-4) has 65536 treatments");
	free(et_design_terms(d, &n));
	ok(n == 65535, "2^(20-4) has 65535 terms");
	et_design_free(d);
}

int main(void)
{
	full_factorials_are_in_standard_order();
	published_fractions();
	signs_and_chains();
	columns_agree_with_aliases();
	bad_designs_are_refused();
	terms_have_names();
	aliased_terms_are_refused();
	large_designs_are_quick();
	return tap_done();
}
