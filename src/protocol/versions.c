/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/versions.h"
#include "base/parse.h"
#include "num/quantile.h"
#include "protocol/daemons.h"
#include "protocol/learning.h"
#include "protocol/precision.h"
#include "protocol/samplesize.h"
#include "protocol/sanity.h"

/* The data that the functions below share. */
struct judging {
	const struct et_version_source *sources;
	size_t n;
	const struct et_cutoffs *cutoffs;
	struct et_versions *out;
};

static const enum et_metric metrics[] = { ET_METRIC_ELAPSED, ET_METRIC_CPU };

/* --- tasks --- */

static struct et_version_task *find_task(struct et_versions *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++) {
		if (!strcmp(v->tasks[i].name, name))
			return &v->tasks[i];
	}
	return NULL;
}

static void add_tasks(struct et_versions *v, const struct et_experiment *e)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		if (find_task(v, e->commands[i].name))
			continue;
		v->tasks = et_realloc(v->tasks, v->n + 1, sizeof(*v->tasks));
		v->tasks[v->n++] = (struct et_version_task){ .name = et_strdup(e->commands[i].name),
			.seconds = NAN };
	}
}

/* The length of a task: that of its name, "INC8", or else the median elapsed time of its runs. */
static double usual_seconds(const struct judging *j, const char *name)
{
	double named, *x = NULL;
	size_t n = 0;
	char rest;

	if (sscanf(name, "INC%lf%c", &named, &rest) == 1 && named > 0)
		return named;
	for (size_t i = 0; i < j->n; i++) {
		const struct et_experiment *e = j->sources[i].e;
		for (size_t c = 0; c < e->n_commands; c++) {
			if (strcmp(e->commands[c].name, name))
				continue;
			x = et_realloc(x, n + e->commands[c].samples.n + 1, sizeof(*x));
			et_for_each_sample(s, &e->commands[c].samples) {
				if (et_sample_usable_for_daemons(s))
					x[n++] = 1e-9 * (double)s->measured.elapsed_ns;
			}
		}
	}
	double median = et_median(x, n);
	free(x);
	return median;
}

static int by_seconds(const void *a, const void *b)
{
	double x = ((const struct et_version_task *)a)->seconds;
	double y = ((const struct et_version_task *)b)->seconds;

	return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : ET_ORDER(x, y);
}

/* --- figures --- */

/* The runs that count as they are ruled now, or all: their figures, and how they are compared. */
static void take(const struct et_command *c, enum et_lab_env env, enum et_runs_counted counted,
	struct et_version_figures *f, enum et_metric m)
{
	struct et_version_runs *runs = &f->compared[m];

	free(runs->x);
	runs->x = et_calloc(c->samples.n + 1, sizeof(*runs->x));
	f->runs = et_runs_of(c, m, ET_RUNS_ALL, runs->x);
	runs->n = et_runs_of(c, m, counted | ET_RUNS_BEFORE_SECOND, runs->x);
	f->by[m] = et_runs_precision(c, m, counted);
	f->env = env;
	et_for_each_sample(s, &c->samples) {
		enum et_removed_by by = s->ruling.removal.by;
		if (!et_sample_usable_for_daemons(s) || counted & 1 << by)
			continue;
		f->out[m].first += by == ET_REMOVED_DAEMON_CUTOFF;
		f->out[m].second += by == ET_REMOVED_TWO_SIGMA;
		f->out[m].other += by != ET_REMOVED_DAEMON_CUTOFF && by != ET_REMOVED_TWO_SIGMA;
	}
}

/* Why the checks leave a task empty. */
static void tell_misfit(struct judging *j, const struct et_command *c, enum et_version v)
{
	double learned = fmax(j->cutoffs->short_seconds, j->cutoffs->long_seconds), longest = 0;

	for (size_t i = 0; i < j->out->n; i++)
		longest = fmax(longest, j->out->tasks[i].seconds);

	find_task(j->out, c->name)->why_not[v] =
		et_command_seconds(c) > 0
			? et_asprintf("the learning's samples are too short (%g s): run 'etalon "
				      "daemons learn --long-seconds %.0f'",
				  learned, et_learning_long_seconds(longest))
			: et_strdup("no run of it counts");
}

/*
 * Fills a version with the runs of an experiment: all of them (raw), or those that a protocol
 * keeps. With both checks (emp), tasks that the cutoffs do not fit stay empty, and the first check
 * may have been withdrawn (protocol/sanity.h).
 */
static void judge(struct judging *j, const struct et_version_source *s, enum et_protocol protocol,
	enum et_version v)
{
	struct et_experiment *e = s->e;
	bool checks = protocol == ET_PROTOCOL_EMP, all = protocol == ET_PROTOCOL_RAW;
	size_t n;

	for (size_t m = 0; m < ET_LENGTH(metrics); m++) {
		if (!all)
			free(et_sanity_check_again(e, protocol, (int)metrics[m], j->cutoffs, &n));
		if (checks && m == 0 && e->first_check.state == ET_FIRST_CHECK_WITHDRAWN)
			et_append(&j->out->rules[v], "; ",
				"check I was withdrawn, because it would have removed %u of the "
				"runs",
				e->first_check.would_remove);
		for (size_t c = 0; c < e->n_commands; c++) {
			struct et_version_task *t = find_task(j->out, e->commands[c].name);
			double length = checks ? et_command_seconds(&e->commands[c]) : NAN;
			if (!checks ||
				(length > 0 && j->cutoffs && et_cutoffs_fit(j->cutoffs, length)))
				take(&e->commands[c], s->env, all ? ET_RUNS_ALL : ET_RUNS_KEPT,
					&t->list[v], metrics[m]);
			else if (!t->why_not[v])
				tell_misfit(j, &e->commands[c], v);
		}
	}
}

static void judge_all(
	struct judging *j, enum et_lab_env env, enum et_protocol protocol, enum et_version v)
{
	for (size_t i = 0; i < j->n; i++) {
		if (j->sources[i].env == env)
			judge(j, &j->sources[i], protocol, v);
	}
}

/*
 * The number of runs that EMPv6 recommends, after both checks; 0: there are too few. The papers
 * take no fewer than ten, because the checks may remove some of them.
 */
static size_t adequate(const struct et_command *c)
{
	struct et_sizing all = et_sizing_of(c, ET_METRIC_CPU);
	struct et_samplesize z = { 0 };

	if (all.n >= ET_V6_LEAST)
		et_samplesize_checked(&all, all.x, all.n, 0.95, &z); /* no widths are needed */
	et_sizing_free(&all);
	return z.n && z.recommended < ET_V6_LEAST ? ET_V6_LEAST : z.recommended;
}

/* Why version 6 is empty: version 5 is, or there are too few runs. */
static void tell_few(struct judging *j, const struct et_command *c)
{
	struct et_version_task *t = find_task(j->out, c->name);

	if (t->why_not[ET_EMP_V5])
		t->why_not[ET_EMP_V6] = et_strdup(t->why_not[ET_EMP_V5]);
	else if (!adequate(c))
		t->why_not[ET_EMP_V6] = et_asprintf("it takes %d runs or more, and %zu are there",
			ET_V6_LEAST, t->list[ET_EMP_V5].runs);
}

/* A copy of the experiment with the first runs of each command. */
static struct et_experiment *first_runs(const struct et_experiment *e)
{
	struct et_experiment *some = et_experiment_new();

	some->host = e->host;
	some->snapshot_source = e->snapshot_source ? et_strdup(e->snapshot_source) : NULL;
	for (uint32_t c = 0; c < e->n_commands; c++) {
		ET_AUTO_READER struct et_sample_reader r = et_samples_read(&e->commands[c].samples);
		size_t left = adequate(&e->commands[c]);
		et_experiment_add_command(
			some, et_strdup(e->commands[c].name), et_strv_of("", NULL));
		for (const struct et_sample *s; left && (s = et_sample_reader_next(&r));) {
			if (!et_sample_usable_for_daemons(s))
				continue;
			et_experiment_add(some, s);
			left--;
		}
	}
	return some;
}

/* Version 5, and version 6, which is found by it. */
static void both_checks(struct judging *j, enum et_lab_env env)
{
	for (size_t i = 0; i < j->n; i++) {
		struct et_version_source some = j->sources[i];
		if (some.env != env)
			continue;
		judge(j, &some, ET_PROTOCOL_EMP, ET_EMP_V5);
		for (size_t c = 0; c < some.e->n_commands; c++)
			tell_few(j, &some.e->commands[c]);
		some.e = first_runs(some.e);
		judge(j, &some, ET_PROTOCOL_EMP, ET_EMP_V6);
		et_experiment_free(some.e);
	}
}

/* --- which versions there are, and what they are --- */

static const struct et_experiment *source_of(const struct judging *j, enum et_lab_env env)
{
	for (size_t i = 0; i < j->n; i++) {
		if (j->sources[i].env == env)
			return j->sources[i].e;
	}
	return NULL;
}

static const struct et_factor *factor_of(const struct et_experiment *e, const char *name)
{
	for (size_t i = 0; e && i < e->n_environment; i++) {
		if (!strcmp(e->environment[i].factor, name))
			return &e->environment[i];
	}
	return NULL;
}

static bool same_factors(const struct et_experiment *a, const struct et_experiment *b)
{
	if (!a || !b || !a->n_environment || a->n_environment != b->n_environment)
		return false;
	for (size_t i = 0; i < a->n_environment; i++) {
		const struct et_factor *one = &a->environment[i],
				       *other = factor_of(b, one->factor);
		/* These states are measured, and differ from one look to the next. */
		bool measured = !strcmp(one->factor, "load") || !strcmp(one->factor, "steal");
		if (!other || (!measured && strcmp(other->state, one->state)))
			return false;
	}
	return true;
}

/* A version whose environment is that of an earlier one, because nothing had to be changed. */
static void find_same(struct judging *j, enum et_lab_env env)
{
	static const enum et_version versions[] = { [ET_ENV_AS_IS] = ET_AS_IS,
		[ET_ENV_V1] = ET_EMP_V1,
		[ET_ENV_V2] = ET_EMP_V2,
		[ET_ENV_V3] = ET_EMP_V3 };
	enum et_version v = versions[env];

	for (int other = ET_ENV_AS_IS; other < (int)env; other++) {
		if (!same_factors(source_of(j, env), source_of(j, (enum et_lab_env)other)))
			continue;
		j->out->same_as[v].known = true;
		j->out->same_as[v].version = versions[other];
		et_append(&j->out->rules[v], "; ", "%s is %s: nothing had to be changed",
			et_version_names[v], et_version_names[versions[other]]);
		return;
	}
}

static void explain_environments(struct judging *j, const char *const why_not[ET_ENVS])
{
	static const char *const words[] = {
		[ET_ENV_V1] = "daemons, timers and time daemon (NTP) stopped",
		[ET_ENV_V2] = "v1, but with NTP on: the clock is synchronised",
		[ET_ENV_V3] = "v2, and turbo and frequency scaling (SpeedStep) off",
	};

	for (int env = ET_ENV_V1; env <= ET_ENV_V3; env++) {
		int v = ET_EMP_V1 + env - ET_ENV_V1;
		const struct et_experiment *e = source_of(j, (enum et_lab_env)env);
		const struct et_factor *daemons = factor_of(e, "daemons");
		j->out->rules[v] = daemons && !daemons->ok ? et_asprintf("%s; still running: %s",
								     words[env], daemons->state)
							   : et_strdup(words[env]);
		if (!e)
			j->out->why_not[v] =
				et_strdup(why_not[env] ? why_not[env] : "was not measured");
		find_same(j, (enum et_lab_env)env);
	}
}

static void explain_kernel(struct judging *j)
{
	const struct et_experiment *e = source_of(j, ET_ENV_V3);
	const struct et_factor *age = factor_of(e, "kernel-age");

	j->out->rules[ET_EMP_V4] =
		age ? et_asprintf("the runs of v3, with an up-to-date kernel: %s", age->state)
		    : et_strdup("v3 with an up-to-date kernel");
	if (!e)
		j->out->why_not[ET_EMP_V4] = et_strdup("v3 is not there");
	else if (!age)
		j->out->why_not[ET_EMP_V4] =
			et_asprintf("the age of kernel %s is not known", e->host.kernel);
	else if (!age->ok)
		j->out->why_not[ET_EMP_V4] =
			et_asprintf("the kernel is out of date: %s", age->state);
	j->out->same_as[ET_EMP_V4] = j->out->same_as[ET_EMP_V3];
}

static void explain_checks(struct judging *j, enum et_lab_env last)
{
	static const char learn[] = "no cutoffs were learned: run 'etalon daemons learn'";
	const char *base = j->out->why_not[ET_EMP_V4] ? et_lab_env_names[last] : "v4";
	struct et_versions *v = j->out;

	v->rules[ET_EMP_V5] =
		last == ET_ENV_AS_IS ? et_strdup("v4 after both sanity checks")
				     : et_asprintf("the runs of %s after both sanity checks", base);
	v->rules[ET_EMP_V6] = et_strdup("v5 over the smallest adequate number of runs");
	v->rules[ET_AS_IS] =
		et_strdup("every run of the machine as it is, environment not applied");
	v->rules[ET_AS_IS_BOTH] =
		et_strdup("these runs after both sanity checks, environment not applied");
	v->rules[ET_OURS] = et_strdup("these runs by the rules of 'etalon run'");
	v->rules[ET_OURS_PACED] =
		et_strdup("CPU time corrected by a reference loop that shares the CPU");
	for (int i = ET_EMP_V5; i <= ET_EMP_V6; i++) {
		if (last == ET_ENV_AS_IS)
			v->why_not[i] = et_strdup("no environment of the protocol is there");
		else if (!j->cutoffs)
			v->why_not[i] = et_strdup(learn);
	}
	if (!source_of(j, ET_ENV_AS_IS))
		v->why_not[ET_AS_IS] = et_strdup("was not measured");
	else if (!j->cutoffs)
		v->why_not[ET_AS_IS_BOTH] = et_strdup(learn);
}

void et_versions_judge(const struct et_version_source *sources, size_t n,
	const struct et_cutoffs *cutoffs, const char *const why_not[ET_ENVS],
	struct et_versions *out)
{
	*out = (struct et_versions){ 0 };
	struct judging j = { sources, n, cutoffs, out };
	for (size_t i = 0; i < n; i++)
		add_tasks(out, sources[i].e);
	for (size_t i = 0; i < out->n; i++)
		out->tasks[i].seconds = usual_seconds(&j, out->tasks[i].name);
	qsort(out->tasks, out->n, sizeof(*out->tasks), by_seconds);
	explain_environments(&j, why_not);
	explain_kernel(&j);
	/* The last environment of the papers that was measured; ET_ENV_AS_IS: none. */
	enum et_lab_env last = ET_ENV_V3;
	while (last != ET_ENV_AS_IS && !source_of(&j, last))
		last--;
	explain_checks(&j, last);
	for (int env = ET_ENV_V1; env <= ET_ENV_V3; env++)
		judge_all(&j, (enum et_lab_env)env, ET_PROTOCOL_RAW,
			(enum et_version)(ET_EMP_V1 + env - ET_ENV_V1));
	if (!out->why_not[ET_EMP_V4])
		judge_all(&j, ET_ENV_V3, ET_PROTOCOL_RAW, ET_EMP_V4);
	judge_all(&j, ET_ENV_AS_IS, ET_PROTOCOL_RAW, ET_AS_IS);
	if (cutoffs && last != ET_ENV_AS_IS)
		both_checks(&j, last);
	if (cutoffs)
		judge_all(&j, ET_ENV_AS_IS, ET_PROTOCOL_EMP, ET_AS_IS_BOTH);
	judge_all(&j, ET_ENV_AS_IS, ET_PROTOCOL_CAUSE, ET_OURS);
}
