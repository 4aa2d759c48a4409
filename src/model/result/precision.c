/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result/precision.h"

const char *const et_lab_env_names[ET_ENVS] = { "as-is", "v1", "v2", "v3", "paced" };

const char *const et_version_names[ET_VERSIONS] = { "v1", "v2", "v3", "v4", "v5", "v6", "as is",
	"as is, I+II", "ours", "ours, paced" };

static double error_of(const struct et_version_task *t, int version, enum et_metric m)
{
	return t->list[version].runs ? t->list[version].by[m].relative_error : NAN;
}

/* How many versions have a figure of the task; a task that never ran has no length. */
static size_t versions_of(const struct et_version_task *t, enum et_metric m)
{
	size_t n = 0;

	for (int i = 0; t->seconds > 0 && i < ET_VERSIONS; i++)
		n += isfinite(error_of(t, i, m));
	return n;
}

bool et_versions_averages(
	const struct et_versions *v, const struct et_version_task *t, enum et_metric m)
{
	size_t most = 1;

	for (size_t i = 0; i < v->n; i++)
		most = versions_of(&v->tasks[i], m) > most ? versions_of(&v->tasks[i], m) : most;
	return versions_of(t, m) == most;
}

/* The mean over the tasks that are averaged; NaN if the version lacks one of them. */
static double mean_error(const struct et_versions *v, enum et_version version, enum et_metric m)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (!et_versions_averages(v, &v->tasks[i], m))
			continue;
		sum += error_of(&v->tasks[i], version, m);
		n++;
	}
	return sum / n;
}

bool et_versions_takes_part(const struct et_versions *v, enum et_version version, enum et_metric m)
{
	return isfinite(mean_error(v, version, m));
}

static struct et_version_average average_of(
	const struct et_versions *v, enum et_version version, enum et_metric m)
{
	return (struct et_version_average){ mean_error(v, version, m), v->average[m][version].lo,
		v->average[m][version].hi };
}

/* Fills which other versions the best one was compared with, and which of them it beats. */
static void count_beaten(
	const struct et_versions *v, enum et_metric m, struct et_best_version *best)
{
	static const double alpha = 0.05;

	for (size_t i = 0; i < v->n_pairs[m]; i++) {
		const struct et_version_pair *p = &v->pairs[m][i];
		if (p->a != best->version && p->b != best->version)
			continue;
		bool first = p->a == best->version;
		enum et_version other = first ? p->b : p->a;
		best->is_compared[other] = true;
		best->is_beaten[other] =
			p->p_holm <= alpha && (first ? p->ratio < 1 : p->ratio > 1);
		best->compared++;
		best->beaten += best->is_beaten[other];
	}
}

struct et_best_version et_versions_best(const struct et_versions *v, enum et_metric m)
{
	struct et_best_version best = { .shortest = INFINITY, .own.relative_error = INFINITY };

	for (int i = 0; i < ET_VERSIONS; i++) {
		struct et_version_average mean = average_of(v, (enum et_version)i, m);
		if (v->same_as[i].known || !(mean.relative_error < best.own.relative_error))
			continue;
		best.version = (enum et_version)i;
		best.own = mean;
	}
	for (size_t i = 0; isfinite(best.own.relative_error) && i < v->n; i++) {
		if (!et_versions_averages(v, &v->tasks[i], m))
			continue;
		best.lengths++;
		best.shortest = fmin(best.shortest, v->tasks[i].seconds);
		best.longest = fmax(best.longest, v->tasks[i].seconds);
	}
	best.as_is = average_of(v, ET_AS_IS, m);
	count_beaten(v, m, &best);
	return best;
}

void et_versions_free(struct et_versions *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->tasks[i].name);
		for (int k = 0; k < ET_VERSIONS; k++) {
			free(v->tasks[i].why_not[k]);
			for (int m = 0; m < ET_METRICS; m++)
				free(v->tasks[i].list[k].compared[m].x);
		}
	}
	free(v->tasks);
	for (int i = 0; i < ET_VERSIONS; i++) {
		free(v->rules[i]);
		free(v->why_not[i]);
	}
}
