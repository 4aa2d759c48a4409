/* SPDX-License-Identifier: MIT */
#include "base/display.h"
#include "lib/bench/model.h"
#include "lib/time/kbest.h"

#include <regex.h>

enum { MOST_CASES = 10000, MOST_THREADS = 1024 };

static struct etalon_bench *list;
static size_t n_list;

/* Constructors of other files call this before main; they run one after the other. */
int etalon_register(const struct etalon_bench *bench)
{
	struct etalon_bench *grown, copy = { 0 };

	if (!bench || !bench->name)
		return ETALON_BAD_FUNCTION;
	if (et_kbest_size_bad(bench->sz, offsetof(struct etalon_bench, body)))
		return ETALON_BAD_SIZE;
	memcpy(&copy, bench, bench->sz < sizeof(copy) ? bench->sz : sizeof(copy));
	copy.sz = sizeof(copy);
	if (!copy.fn && !copy.body)
		return ETALON_BAD_FUNCTION;
	copy.name = strdup(bench->name);
	grown = copy.name ? reallocarray(list, n_list + 1, sizeof(*grown)) : NULL;
	if (!grown) {
		free((char *)copy.name);
		return ETALON_NO_MEMORY;
	}
	list = grown;
	list[n_list++] = copy;
	return ETALON_OK;
}

/* The values of one axis, or all rows of parameters. */
struct values {
	int64_t *list;
	size_t n, cap;
};

/* A benchmark that is being expanded, with the values of its axes. */
struct expansion {
	const struct etalon_bench *b;
	struct values axes[ET_BENCH_PARAMS];
	size_t n_params;
	const unsigned *threads;
	size_t n_threads;
};

static int refuse(struct et_error *err, const struct etalon_bench *b, const char *why)
{
	return et_refuse(err, NULL, "%s: %s", b->name, why);
}

/* Computes the value after v; false if v is the last one. */
static bool next_value(const struct etalon_axis *a, int64_t v, int64_t *next)
{
	bool overflow = a->factor ? __builtin_mul_overflow(v, a->factor, next)
				  : __builtin_add_overflow(v, a->step, next);

	if (v == a->to)
		return false;
	if (overflow || (a->to > a->from ? *next > a->to : *next < a->to))
		*next = a->to;
	return true;
}

/* An axis ends if each value is nearer to the last one than the value before. */
static const char *axis_bad(const struct etalon_axis *a)
{
	if (a->values)
		return a->n ? NULL : "a parameter has no values";
	if (a->n)
		return "a parameter has a number of values, but no values";
	if (a->from == a->to)
		return NULL;
	if (a->factor)
		return a->factor < 2 || a->from < 1 || a->to < a->from
			       ? "a parameter never reaches its last value: multiply a positive "
				 "first value by at least 2"
			       : NULL;
	return a->step == 0 || (a->step > 0) != (a->to > a->from)
		       ? "a parameter never reaches its last value: its step is 0 or has the "
			 "wrong sign"
		       : NULL;
}

static int too_many(struct et_error *err, const struct etalon_bench *b)
{
	return et_refuse(
		err, NULL, "%s: its parameters make more than %d cases", b->name, MOST_CASES);
}

static int fill_axis(const struct etalon_bench *b, const struct etalon_axis *a, struct values *v,
	struct et_error *err)
{
	const char *why = axis_bad(a);
	int64_t value = a->from;

	if (why)
		return refuse(err, b, why);
	if (a->values) {
		if (a->n > MOST_CASES)
			return too_many(err, b);
		v->list = et_calloc(a->n, sizeof(*v->list));
		memcpy(v->list, a->values, a->n * sizeof(*v->list));
		v->n = a->n;
		return 0;
	}
	do {
		if (v->n == MOST_CASES)
			return too_many(err, b);
		ET_GROW(v->list, v->n, v->cap);
		v->list[v->n++] = value;
	} while (next_value(a, value, &value));
	return 0;
}

static int check_params(const struct etalon_bench *b, struct et_error *err)
{
	if (b->n_axes && b->n_cases)
		return refuse(err, b, "it has both axes and cases: use one of them");
	if (b->n_axes > ET_BENCH_PARAMS || b->n_params > ET_BENCH_PARAMS)
		return et_refuse(
			err, NULL, "%s: more than %d parameters", b->name, ET_BENCH_PARAMS);
	if ((b->n_axes && !b->axes) || (b->n_cases && !b->cases))
		return refuse(err, b, "its parameters are NULL");
	if (b->n_cases && !b->n_params)
		return refuse(err, b, "its cases have no parameters: set n_params");
	if (b->n_threads && !b->threads)
		return refuse(err, b, "its numbers of threads are NULL");
	return 0;
}

/* Fills the parameters of combination number i; the last axis changes fastest. */
static void fill_params(const struct expansion *x, size_t i, struct et_bench_case *c)
{
	const struct etalon_bench *b = x->b;

	c->n_params = x->n_params;
	if (b->n_cases) {
		memcpy(c->params, b->cases + i * b->n_params, b->n_params * sizeof(c->params[0]));
		return;
	}
	for (size_t k = x->n_params; k-- > 0;) {
		c->params[k] = x->axes[k].list[i % x->axes[k].n];
		i /= x->axes[k].n;
	}
}

/* Names are printed, and sent to other processes as JSON. */
static bool name_bad(const char *name)
{
	ET_AUTO_FREE char *clean = et_clean(name, "");

	return !*name || strcmp(clean, name) != 0;
}

const char *et_param_name(const struct etalon_bench *b, size_t k)
{
	const char *name = NULL;

	if (b->n_axes)
		name = b->axes[k].name;
	else if (b->param_names)
		name = b->param_names[k];
	return name && *name ? name : NULL;
}

static char *name_of(const struct etalon_bench *b, const struct et_bench_case *c, bool threads)
{
	char *name = et_strdup(b->name);

	for (size_t k = 0; k < c->n_params; k++) {
		const char *axis = et_param_name(b, k);

		et_append(&name, "/", "%s%s%" PRId64, axis ? axis : "", axis ? ":" : "",
			c->params[k]);
	}
	if (threads)
		et_append(&name, "/", "threads:%u", c->threads);
	return name;
}

static int add_cases(
	const struct expansion *x, size_t n, struct et_bench_cases *out, struct et_error *err)
{
	size_t n_threads = x->n_threads ? x->n_threads : 1;

	if (n_threads > MOST_CASES || n * n_threads > MOST_CASES - out->n)
		return et_refuse(err, NULL, "%s: the program would have more than %d cases",
			x->b->name, MOST_CASES);
	out->list = et_realloc(out->list, out->n + n * n_threads, sizeof(*out->list));
	for (size_t i = 0; i < n * n_threads; i++) {
		struct et_bench_case *c = &out->list[out->n];

		*c = (struct et_bench_case){ .bench = x->b, .threads = 1 };
		fill_params(x, i / n_threads, c);
		if (x->n_threads)
			c->threads = x->threads[i % n_threads];
		c->name = name_of(x->b, c, x->n_threads > 0);
		out->n++;
		if (name_bad(c->name))
			return refuse(err, x->b, "the name of a parameter is not plain UTF-8 text");
	}
	return 0;
}

static int expand(struct expansion *x, struct et_bench_cases *out, struct et_error *err)
{
	const struct etalon_bench *b = x->b;
	size_t n = b->n_cases ? b->n_cases : 1;
	int rc = check_params(b, err);

	for (size_t i = 0; rc == 0 && i < x->n_threads; i++)
		if (x->threads[i] < 1 || x->threads[i] > MOST_THREADS)
			rc = et_refuse(err, NULL, "%s: %u threads: use 1 to %d", b->name,
				x->threads[i], MOST_THREADS);
	x->n_params = b->n_cases ? b->n_params : b->n_axes;
	for (size_t k = 0; rc == 0 && k < b->n_axes; k++) {
		rc = fill_axis(b, &b->axes[k], &x->axes[k], err);
		if (rc == 0 && n > MOST_CASES / x->axes[k].n)
			rc = too_many(err, b);
		n *= x->axes[k].n;
	}
	if (rc == 0 && n > MOST_CASES)
		rc = too_many(err, b);
	if (rc == 0)
		rc = add_cases(x, n, out, err);
	for (size_t k = 0; k < ET_BENCH_PARAMS; k++)
		free(x->axes[k].list);
	return rc;
}

static int check_bench(const struct etalon_bench *b, size_t number, struct et_error *err)
{
	if (!b->name || (!b->fn && !b->body))
		return et_refuse(err, NULL, "function number %zu is NULL or has no name", number);
	if (name_bad(b->name))
		return et_refuse(err, NULL,
			"the name of function number %zu is empty or not plain UTF-8 text", number);
	if (b->fn && b->body)
		return refuse(err, b, "it has both fn and body: use one of them");
	return 0;
}

/* An older or newer header may have elements of another size: the first one says which. */
static int copy_benches(const struct etalon_bench *benches, size_t n, struct et_bench_cases *out,
	size_t *n_all, struct et_error *err)
{
	if ((n && !benches) || n > MOST_CASES || n + n_list == 0)
		return et_refuse(err, NULL,
			n > MOST_CASES ? "the list of functions is too long"
				       : "the list of functions is empty");
	if (n && (et_kbest_size_bad(benches->sz, offsetof(struct etalon_bench, body)) ||
			 benches->sz % sizeof(size_t)))
		return et_refuse(
			err, NULL, "struct etalon_bench: %s", etalon_strerror(ETALON_BAD_SIZE));
	*n_all = n + n_list;
	out->benches = et_calloc(*n_all, sizeof(*out->benches));
	for (size_t i = 0; i < n; i++) {
		size_t known = benches->sz < sizeof(*benches) ? benches->sz : sizeof(*benches);

		memcpy(&out->benches[i], (const char *)benches + i * benches->sz, known);
	}
	if (n_list)
		memcpy(out->benches + n, list, n_list * sizeof(*list));
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct et_bench_case *x = *(const struct et_bench_case *const *)a;
	const struct et_bench_case *y = *(const struct et_bench_case *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

static const struct et_bench_case **sort_by_name(const struct et_bench_cases *c)
{
	const struct et_bench_case **sorted = et_calloc(c->n + 1, sizeof(*sorted));

	for (size_t i = 0; i < c->n; i++)
		sorted[i] = &c->list[i];
	qsort(sorted, c->n, sizeof(*sorted), by_name);
	return sorted;
}

/* Results are found by name, so that two cases of one name would be confused. */
static int check_names(const struct et_bench_cases *c, struct et_error *err)
{
	ET_AUTO_FREE const struct et_bench_case **sorted = sort_by_name(c);

	for (size_t i = 1; i < c->n; i++)
		if (!strcmp(sorted[i - 1]->name, sorted[i]->name))
			return et_refuse(err,
				"name one of them otherwise, by ETALON_BENCH_ARG for example",
				"cases number %td and %td have the same name, '%s'",
				sorted[i - 1] - c->list + 1, sorted[i] - c->list + 1,
				sorted[i]->name);
	return 0;
}

/* Numbers equal names that may be, and empties those that a benchmark has twice (threads 1,1). */
static void number_names(struct et_bench_cases *c)
{
	ET_AUTO_FREE const struct et_bench_case **sorted = sort_by_name(c);

	for (size_t i = 1, first = 0; i < c->n; i++) {
		struct et_bench_case *x = &c->list[sorted[i] - c->list];
		bool repeated = false;

		if (strcmp(sorted[first]->name, x->name) != 0) {
			first = i;
			continue;
		}
		if (!(x->bench->flags & ETALON_BENCH_SAME_NAME))
			continue;
		for (size_t k = first; k < i; k++)
			repeated = repeated || sorted[k]->bench == x->bench;
		/* The first keeps its name, by which the rest of the group is recognised. */
		char *name =
			repeated ? et_strdup("") : et_asprintf("%s#%zu", x->name, i - first + 1);
		free(x->name);
		x->name = name;
		c->dropped += repeated;
		c->numbered += !repeated;
	}
}

/* Removes the cases without a name. */
static void keep_named(struct et_bench_cases *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (*c->list[i].name)
			c->list[kept++] = c->list[i];
		else
			free(c->list[i].name);
	}
	c->n = kept;
}

int et_cases_build(const struct etalon_bench *benches, size_t n, const unsigned *threads,
	size_t n_threads, struct et_bench_cases *out, struct et_error *err)
{
	struct et_bench_cases c = { 0 };
	size_t n_all = 0;
	int rc = copy_benches(benches, n, &c, &n_all, err);

	for (size_t i = 0; rc == 0 && i < n_all; i++) {
		const struct etalon_bench *b = &c.benches[i];
		struct expansion x = { .b = b, .threads = threads, .n_threads = n_threads };

		rc = check_bench(b, i + 1, err);
		if (!threads) {
			x.threads = b->threads;
			x.n_threads = b->n_threads;
		}
		if (rc == 0)
			rc = expand(&x, &c, err);
	}
	if (rc == 0) {
		number_names(&c);
		keep_named(&c);
		rc = check_names(&c, err);
	}
	if (rc) {
		et_cases_free(&c);
		return rc;
	}
	*out = c;
	return 0;
}

/* Removes the cases whose names match a pattern, or (others) those whose names do not. */
static int drop(struct et_bench_cases *c, const char *option, const char *pattern, bool others,
	struct et_error *err)
{
	char why[128];
	regex_t regex;
	int rc = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, &regex, why, sizeof(why));
		return et_refuse(err, NULL, "--%s '%s': %s", option, pattern, why);
	}
	for (size_t i = 0; i < c->n; i++)
		if ((regexec(&regex, c->list[i].name, 0, NULL, 0) != 0) == others)
			*c->list[i].name = '\0';
	regfree(&regex);
	keep_named(c);
	return 0;
}

int et_cases_filter(
	struct et_bench_cases *c, const char *filter, const char *exclude, struct et_error *err)
{
	bool inverted = filter && filter[0] == '-';
	int rc = filter ? drop(c, "filter", filter + inverted, !inverted, err) : 0;

	if (rc == 0 && exclude)
		rc = drop(c, "exclude", exclude, false, err);
	if (rc || c->n)
		return rc;
	return et_fail_hint(err, ENOENT, ET_EXIT_USAGE, "run with --list to see the names",
		"--%s %s: no function is left", filter ? "filter" : "exclude",
		filter ? filter : exclude);
}

const struct et_bench_case *et_cases_find(const struct et_bench_cases *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->list[i].name, name))
			return &c->list[i];
	return NULL;
}

void et_cases_free(struct et_bench_cases *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->list[i].name);
	free(c->list);
	free(c->benches);
	*c = (struct et_bench_cases){ 0 };
}
