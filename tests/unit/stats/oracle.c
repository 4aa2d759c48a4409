/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares every case of tests/oracle/public.jsonl (results of R) with ours. Our results are
 * collected under the oracle's names. Then every leaf of "expect" must be among them, within
 * tests/oracle/tolerances.json, or be in the list of omitted fields below.
 */
#include "base/base.h"
#include "oracle_answers.h"
#include "tap.h"

#include <fnmatch.h>
#include <jansson.h>
#include <limits.h>

/* Fields that are not compared, each with the reason. */
static const char *const omitted[] = {
	/* R is inaccurate here: see "not_compared" in the tolerances. */
	"one_sample:ljung_box_*.p",
	"one_sample:kendall_exact.p",
	"two_sample:var_test.p",
	"two_sample:ks_asym_R*",
	"two_sample:ks_exact_R",
	"bootstrap:mc_z0_sd",
	"bootstrap:mc_perc95_mean",
	/* These are errors of the oracle itself and intermediate steps of a BCa interval. */
	"bootstrap:mcse_*",
	"bootstrap:*_bca_levels_*",
	/* All our tests are two-sided and corrected for continuity. */
	"*.p_less",
	"two_sample:t_welch_less",
	"two_sample:wilcox_normal_nocc.p",
	"one_sample:kendall_approx.[pz]",
	"one_sample:kendall_exact.p_accurate",
	/* etalon reports the ratio and Cliff's delta instead. */
	"two_sample:cohen_d",
	"two_sample:pooled_sd",
	"two_sample:log_ratio_welch.*",
	/* etalon adjusts p-values by Holm and the levels of intervals by Sidak. */
	"p_adjust:bonferroni",
	"p_adjust:hochberg",
	"p_adjust:BH",
	"p_adjust:holm_sidak",
	"p_adjust:sidak_single_step",
	/* The pairs of several series are compared one by one. */
	"*:tukey_*",
	"*tukey95",
	"dist:ptukey_upper",
	/* The density is computed on its grid of 512 points only. */
	"one_sample:kde.at",
	"one_sample:kde.density",
	/* No command prints them. */
	"one_sample:kurtosis_b2",
	"one_sample:runs_median.*",
	"sampling:sheppard_var",
	"sampling:clopper_pearson_*",
	"sampling:poisson_*",
	/* et_rank_sum_test() has NaN instead. */
	"two_sample:wilcox_exact.achieved",
	/* These are part of the question. */
	"complexity:truth",
	"complexity:models",
	/* These are quotients of counts. */
	"sampling:share",
	"sampling:se_share_binomial",
	"sampling:sd_count_*",
	/* These are names. */
	"factorial:labels",
	"factorial:terms",
	/* Terms are tested as a whole, not by polynomials of their levels. */
	"factorial:contr_poly_*",
};

struct kind_count {
	char name[32];
	size_t cases, compared, failed, missing, omitted;
};

static struct kind_count counts[16];
static size_t n_counts;
static json_t *tolerances;

static struct kind_count *count_of(const char *kind)
{
	for (size_t i = 0; i < n_counts; i++)
		if (!strcmp(counts[i].name, kind))
			return &counts[i];
	snprintf(counts[n_counts].name, sizeof(counts[n_counts].name), "%s", kind);
	return &counts[n_counts++];
}

static bool in_list(const char *const *list, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(list[i], text, 0))
			return true;
	return false;
}

struct tolerance {
	double rel, abs, scale_abs;
};

static void read_tolerance(const json_t *entry, struct tolerance *t)
{
	const json_t *v;

	if ((v = json_object_get(entry, "rel")))
		t->rel = json_number_value(v);
	if ((v = json_object_get(entry, "abs")))
		t->abs = json_number_value(v);
	if ((v = json_object_get(entry, "scale_abs")))
		t->scale_abs = json_number_value(v);
}

/* Later keys that match override earlier ones; the entry of the case's family overrides its key. */
static struct tolerance tolerance_of(const char *path, const char *family)
{
	struct tolerance t = { 0 };
	const char *key;
	json_t *entry;

	json_object_foreach(tolerances, key, entry)
	{
		if (!json_is_object(entry) || fnmatch(key, path, 0))
			continue;
		if (json_object_get(entry, "mcse_of") || json_object_get(entry, "note"))
			continue;
		read_tolerance(entry, &t);
		read_tolerance(json_object_get(json_object_get(entry, "family"), family), &t);
	}
	return t;
}

struct leaf {
	const char *id, *kind, *family, *path;
	double scale;
};

static void compare(const struct leaf *leaf, const json_t *want, double got, const char *what)
{
	struct kind_count *c = count_of(leaf->kind);
	struct tolerance t = tolerance_of(leaf->path, leaf->family);
	double w = json_is_number(want)  ? json_number_value(want)
		   : json_is_true(want)  ? 1
		   : json_is_false(want) ? 0
					 : NAN;
	bool pass;

	if (json_is_string(want)) /* JSON has no infinities */
		w = !strcmp(json_string_value(want), "Inf")    ? INFINITY
		    : !strcmp(json_string_value(want), "-Inf") ? -INFINITY
							       : NAN;
	pass = (isnan(w) && isnan(got)) || w == got ||
	       fabs(got - w) <= t.abs + t.rel * fabs(w) + t.scale_abs * leaf->scale;
	c->compared++;
	if (!pass) {
		c->failed++;
		printf("# %s %s%s: got %.17g, want %.17g (rel %.2g)\n", leaf->id, leaf->path, what,
			got, w, fabs(got - w) / fabs(w));
	}
}

static void check_leaf(const struct leaf *leaf, const json_t *want, const struct answers *answers)
{
	struct kind_count *c = count_of(leaf->kind);
	const struct answer *a = find_answer(answers, leaf->path);
	char full[256];
	json_t *item;
	size_t i;

	snprintf(full, sizeof(full), "%s:%s", leaf->kind, leaf->path);
	if (in_list(omitted, ET_LENGTH(omitted), full) || (a && a->omitted)) {
		c->omitted++;
		return;
	}
	if (a && a->custom) { /* compared already, by its own rule */
		c->compared++;
		c->failed += !a->pass;
		if (!a->pass)
			printf("# %s %s: outside its rule\n", leaf->id, leaf->path);
		return;
	}
	if (!a || (json_is_array(want) && json_array_size(want) != a->n)) {
		c->missing++;
		printf("# %s %s: %s\n", leaf->id, leaf->path,
			a ? "the number of values differs" : "not computed");
		return;
	}
	if (!json_is_array(want)) {
		compare(leaf, want, a->v[0], "");
		return;
	}
	json_array_foreach(want, i, item)
	{
		char what[32];

		snprintf(what, sizeof(what), "[%zu]", i);
		compare(leaf, item, a->v[i], what);
	}
}

/* True if a field is text for readers of the oracle. */
static bool is_prose(const char *key, const json_t *v)
{
	static const char *const keys[] = { "warning", "error", "note", "tukey_pairs" };

	return json_is_string(v) && in_list(keys, ET_LENGTH(keys), key);
}

static void walk(const struct leaf *at, const json_t *node, const struct answers *answers)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)node, key, v)
	{
		char path[128];
		struct leaf leaf = *at;

		snprintf(path, sizeof(path), "%s%s%s", at->path, *at->path ? "." : "", key);
		leaf.path = path;
		if (json_is_object(v))
			walk(&leaf, v, answers);
		else if (!is_prose(key, v))
			check_leaf(&leaf, v, answers);
	}
}

static void one_case(const json_t *c)
{
	const char *kind = json_string_value(json_object_get(c, "kind"));
	struct leaf root = { .id = json_string_value(json_object_get(c, "id")),
		.kind = kind,
		.family = json_string_value(json_object_get(c, "family")),
		.path = "" };
	struct answers answers = { 0 };

	count_of(kind)->cases++;
	if (!answer_case(kind, json_object_get(c, "input"), json_object_get(c, "expect"), &answers))
		ok(false, "oracle: %s has a known kind (%s)", root.id, kind);
	root.scale = answers.scale;
	walk(&root, json_object_get(c, "expect"), &answers);
	free_answers(&answers);
}

static FILE *open_data(const char *name)
{
	const char *dir = getenv("ET_TEST_DATA");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/oracle/%s", dir ? dir : "tests", name);
	return fopen(path, "r");
}

int main(void)
{
	static const char *const kinds[] = { "one_sample", "two_sample", "groups", "p_adjust",
		"uncertainty", "sampling", "bootstrap", "dist", "regression", "complexity",
		"factorial" };
	ET_AUTO_FCLOSE FILE *f = open_data("tolerances.json"), *cases = open_data("public.jsonl");
	ET_AUTO_FREE char *line = NULL;
	size_t cap = 0;

	if (!ok(f && cases, "oracle: cases and tolerances can be opened"))
		return tap_done();
	tolerances = json_loadf(f, 0, NULL);
	while (getline(&line, &cap, cases) > 0) {
		json_t *c = json_loads(line, 0, NULL);

		if (!c) {
			ok(false, "oracle: every case is valid JSON");
			break;
		}
		one_case(c);
		json_decref(c);
	}
	for (size_t i = 0; i < ET_LENGTH(kinds); i++) {
		struct kind_count *c = count_of(kinds[i]);

		ok(c->cases > 0 && c->compared > 0 && c->failed + c->missing == 0,
			"%s: %zu cases, %zu figures agree, %zu differ, %zu missing, %zu omitted",
			c->name, c->cases, c->compared - c->failed, c->failed, c->missing,
			c->omitted);
	}
	json_decref(tolerances);
	return tap_done();
}
