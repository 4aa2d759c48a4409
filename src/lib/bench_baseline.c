/* SPDX-License-Identifier: MIT */
/* Reads the results of an earlier run and compares new ones with them. */
#include "lib/bench.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static int refuse(struct et_error *err, const char *path, const char *why)
{
	return et_hint(err, et_fail(err, EINVAL, ET_EXIT_OUTSIDE, "%s: %s", path, why),
		"give --baseline a file that --json wrote");
}

/* Returns false if f is not the result of a function. A null error was infinite. */
static bool take(const json_t *f, struct et_bench_entry *out)
{
	const json_t *name = json_object_get(f, "name"), *ns = json_object_get(f, "time_ns");
	const json_t *error = json_object_get(f, "relative_error");

	if (!json_is_string(name) || !json_is_number(ns) ||
		!(json_is_number(error) || json_is_null(error)))
		return false;
	out->ns = json_number_value(ns);
	out->error = json_is_null(error) ? INFINITY : json_number_value(error);
	if (!(out->ns >= 0) || !(out->error >= 0))
		return false;
	out->name = strdup(json_string_value(name));
	return out->name != NULL;
}

static int take_all(
	const char *path, const json_t *list, struct et_bench_baseline *b, struct et_error *err)
{
	const json_t *f;
	size_t i;

	b->list = calloc(json_array_size(list) + 1, sizeof(*b->list));
	if (!b->list)
		return et_fail_file(err, ENOMEM, ET_EXIT_OUTSIDE, path);
	json_array_foreach(list, i, f)
	{
		if (!take(f, &b->list[b->n]))
			return refuse(err, path, "a function lacks its name, time or error");
		b->n++;
	}
	return 0;
}

const char *et_bench_cache_name(int cache)
{
	return cache == ETALON_CACHE_COLD ? "cold" : "warm";
}

static int check_cache(const char *path, const json_t *root, int cache, struct et_error *err)
{
	const char *was = json_string_value(json_object_get(root, "cache"));

	if (!was || !strcmp(was, et_bench_cache_name(cache)))
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: the functions were timed with a %s cache",
			path, was),
		cache == ETALON_CACHE_COLD ? "omit --cold" : "use --cold");
}

int et_bench_baseline_read(
	const char *path, int cache, struct et_bench_baseline *out, struct et_error *err)
{
	struct et_bench_baseline b = { 0 };
	json_error_t why;
	json_t *root;
	int rc;

	ET_AUTO_FCLOSE FILE *in = fopen(path, "re");
	if (!in)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	errno = 0;
	root = json_loadf(in, 0, &why);
	/* jansson does not always set a code or a text if memory runs out. */
	if (!root && errno == ENOMEM)
		return et_fail_file(err, ENOMEM, ET_EXIT_OUTSIDE, path);
	if (!root)
		return refuse(err, path, why.text);
	const json_t *list = json_object_get(root, "functions");
	if (!json_is_array(list))
		rc = refuse(err, path, "it has no list of functions");
	else
		rc = check_cache(path, root, cache, err);
	if (rc == 0)
		rc = take_all(path, list, &b, err);
	json_decref(root);
	if (rc) {
		et_bench_baseline_free(&b);
		return rc;
	}
	*out = b;
	return 0;
}

void et_bench_baseline_free(struct et_bench_baseline *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->list[i].name);
	free(b->list);
	memset(b, 0, sizeof(*b));
}

const struct et_bench_entry *et_bench_baseline_find(
	const struct et_bench_baseline *b, const char *name)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->list[i].name, name))
			return &b->list[i];
	return NULL;
}

struct et_bench_comparison et_bench_compare(
	double ns, double error, const struct et_bench_entry *baseline)
{
	struct et_bench_comparison c = { .ratio = INFINITY, .hi = INFINITY };

	c.verdict = ET_BENCH_UNSURE;
	/* A baseline of almost 0 would make the ratio or its limit infinite. */
	double ratio = ns / baseline->ns, hi = ratio * (1 + error) / (1 - baseline->error);
	if (!(error + baseline->error < 1) || !isfinite(ratio) || !isfinite(hi))
		return c;
	c.ratio = ratio;
	c.lo = ratio * (1 - error) / (1 + baseline->error);
	c.hi = hi;
	if (c.lo > 1)
		c.verdict = ET_BENCH_SLOWER;
	else
		c.verdict = c.hi < 1 ? ET_BENCH_FASTER : ET_BENCH_SAME;
	return c;
}
