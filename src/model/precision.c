/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/precision.h"
#include "base/alloc.h"

#include <math.h>

const char *const et_lab_env_names[ET_ENVS] = { "as-is", "v1", "v2", "v3", "paced" };

const char *const et_version_names[ET_VERSIONS] = { "v1", "v2", "v3", "v4", "v5", "v6", "as is",
	"as is, I+II", "ours", "ours, paced" };

static double error_of(const struct et_version_task *t, int version, enum et_metric m)
{
	return t->list[version].runs ? t->list[version].by[m].relative_error : NAN;
}

/* How many versions have a figure of the task; a task that never ran has no length. */
static size_t versions_of(const struct et_version_task *t)
{
	size_t n = 0;

	for (int i = 0; t->seconds > 0 && i < ET_VERSIONS; i++)
		n += isfinite(error_of(t, i, ET_METRIC_CPU));
	return n;
}

/* The mean over the tasks that this many versions have; NaN if the version lacks one of them. */
static double mean_error(const struct et_versions *v, size_t most, int version, enum et_metric m)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (versions_of(&v->tasks[i]) != most)
			continue;
		sum += error_of(&v->tasks[i], version, m);
		n++;
	}
	return sum / n;
}

struct et_best_version et_versions_best(const struct et_versions *v)
{
	struct et_best_version best = { .shortest = INFINITY, .relative_error = INFINITY };
	size_t most = 1;

	for (size_t i = 0; i < v->n; i++)
		most = versions_of(&v->tasks[i]) > most ? versions_of(&v->tasks[i]) : most;
	for (int i = 0; i < ET_VERSIONS; i++) {
		double mean = mean_error(v, most, i, ET_METRIC_CPU);
		if (!(mean < best.relative_error))
			continue;
		best.version = (enum et_version)i;
		best.relative_error = mean;
	}
	for (size_t i = 0; isfinite(best.relative_error) && i < v->n; i++) {
		if (versions_of(&v->tasks[i]) != most)
			continue;
		best.lengths++;
		best.shortest = fmin(best.shortest, v->tasks[i].seconds);
		best.longest = fmax(best.longest, v->tasks[i].seconds);
	}
	best.as_is_elapsed = mean_error(v, most, ET_AS_IS, ET_METRIC_ELAPSED);
	return best;
}

void et_versions_free(struct et_versions *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->tasks[i].name);
		for (int k = 0; k < ET_VERSIONS; k++)
			free(v->tasks[i].why_not[k]);
	}
	free(v->tasks);
	for (int i = 0; i < ET_VERSIONS; i++) {
		free(v->rules[i]);
		free(v->why_not[i]);
	}
}
