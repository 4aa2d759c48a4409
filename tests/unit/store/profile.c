/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles in a store, through store.h only: what is kept with a sample, and after a rollback. */
#include "fresh_store.h"
#include "specimen.h"

#include <errno.h>
#include <math.h>

/* Adds a run to the experiment, and to the store unless that is NULL. */
static int add(struct et_store *s, struct et_experiment *e, uint32_t command, uint32_t order)
{
	struct et_sample sample = specimen_sample(command, order);

	specimen_profile_run(e, &sample);
	et_experiment_add(e, &sample);
	int rc = s ? et_store_add(s, e->id, &sample, &err) : 0;
	et_profile_run_free(sample.measured.profile);
	return rc;
}

static bool is_kept(const struct et_experiment *e)
{
	struct et_experiment *back = load_afresh(e->id);
	bool same = back && same_experiment(e, back);

	et_experiment_free(back);
	return same;
}

static void test_round_trip(void)
{
	struct et_store *s = open_store();
	struct et_experiment *e = specimen("20251115-085506-000001");

	specimen_profile(e);
	ok(et_store_begin(s, e, &err) == 0 && is_kept(e),
		"profile: the plan is durable before the first run");
	strcpy(e->profile->event, "cycles");
	e->profile->way = ET_PROFILE_CGROUP;
	ok(add(s, e, 0, 1) == 0 && add(s, e, 1, 1) == 0 && et_store_flush(s, &err) == 0 &&
			is_kept(e),
		"profile: runs come back unchanged, and the event that was used");
	struct et_experiment *head = NULL;
	ok(et_store_load_head(s, e->id, &head, &err) == 0 && head->profile &&
			!strcmp(head->profile->event, "cycles") &&
			e->profile->n_functions > head->profile->n_functions &&
			!head->profile->n_functions && !head->commands[0].samples.n,
		"profile: the head has the plan, without functions and runs");
	et_experiment_free(head);
	ok(add(s, e, 0, 2) == 0 && add(s, e, 0, 3) == 0 && et_store_flush(s, &err) == 0 &&
			is_kept(e),
		"profile: functions that are new in a later run get their numbers");
	et_store_close(s);

	/* Another process resumes it. */
	struct et_experiment *back = load_afresh(e->id);
	s = open_store();
	et_profile_function_of(back->profile, "main", "/usr/bin/a b\xff", ET_SPACE_USER, false);
	ok(back->profile->n_functions == e->profile->n_functions,
		"profile: a known function has its number after a reload");
	ok(add(s, back, 1, 4) == 0 && et_store_flush(s, &err) == 0 && is_kept(back),
		"profile: a handle that did not begin the experiment adds runs");
	et_experiment_free(back);
	add(NULL, e, 1, 4);
	ok(is_kept(e), "profile: the numbers are those of a run without interruption");

	et_profile_set_calls(e->profile, 0, 1, 1e9 + 1);
	et_profile_set_calls(e->profile, 1, 0, 0.5);
	ok(et_store_set_calls(s, e, &err) == 0 && is_kept(e), "profile: numbers of calls are kept");
	et_profile_set_calls(e->profile, 0, 1, 17);
	ok(et_store_set_calls(s, e, &err) == 0 && is_kept(e),
		"profile: a number of calls is replaced");
	et_profile_set_calls(e->profile, 0, 1, NAN);
	ok(et_store_set_calls(s, e, &err) == -EINVAL,
		"profile: a number of calls that is none is refused");
	et_store_close(s);
	et_experiment_free(e);
}

/* The functions that a dropped group had written must be written again. */
static void test_rollback(void)
{
	struct et_store *s = open_store();
	struct et_experiment *e = specimen("20251115-085506-000002");

	specimen_profile(e);
	if (et_store_begin(s, e, &err) || add(s, e, 0, 1) || et_store_flush(s, &err))
		tap_bail("%s", err.what);
	ok(add(s, e, 0, 2) == 0, "profile: a run is added to a group");
	et_store_discard(s);
	struct et_sample again = specimen_sample(0, 2);
	specimen_profile_run(e, &again);
	ok(et_store_add(s, e->id, &again, &err) == 0 && et_store_flush(s, &err) == 0 && is_kept(e),
		"profile: after a rollback the run is added again with its functions");
	et_profile_run_free(again.measured.profile);
	et_store_close(s);

	s = open_store();
	ok(add(s, e, 0, 3) == 0, "profile: a run is added and not flushed");
	et_store_close(s);
	struct et_experiment *back = load_afresh(e->id);
	ok(back && back->profile->n_runs == 2 && back->profile->n_functions == 3,
		"profile: functions of a group that was not flushed are not kept");
	et_experiment_free(back);
	et_experiment_free(e);
}

static void test_refusals(void)
{
	struct et_store *s = open_store();
	struct et_experiment *e = specimen("20251115-085506-000003");

	specimen_profile(e);
	e->profile->plan.chains = (enum et_chains)9;
	ok(et_store_begin(s, e, &err) == -EINVAL && strstr(err.what, "chains"),
		"profile: chains without a name are refused");
	e->profile->plan.chains = ET_CHAINS_FP;
	if (et_store_begin(s, e, &err) || add(s, e, 0, 1))
		tap_bail("%s", err.what);

	struct et_sample sample = specimen_sample(0, 2);
	specimen_profile_run(e, &sample);
	struct et_profile_run *run = sample.measured.profile;
	run->samples++;
	ok(et_store_add(s, e->id, &sample, &err) == -EINVAL && strstr(err.what, "counts"),
		"profile: counts whose sum is not the number of samples are refused");
	run->samples--;
	run->counts[1].node = 99;
	ok(et_store_add(s, e->id, &sample, &err) == -EINVAL,
		"profile: counts of an unknown context are refused");
	run->counts[1].node = run->counts[0].node;
	ok(et_store_add(s, e->id, &sample, &err) == -EINVAL,
		"profile: counts that do not ascend are refused");
	run->of = NULL;
	ok(et_store_add(s, e->id, &sample, &err) == -EINVAL,
		"profile: a run of no profile is refused");
	et_profile_run_free(run);
	ok(et_store_flush(s, &err) == 0, "profile: the rest of the group can be flushed");
	struct et_experiment *back = load_afresh(e->id);
	ok(back && back->commands[0].samples.n == 1 && back->profile->n_runs == 1,
		"profile: a sample whose profile is refused is not kept, the others are");
	et_experiment_free(back);

	struct et_experiment *plain = specimen("20251115-085506-000004");
	sample = specimen_sample(0, 1);
	specimen_profile_run(e, &sample);
	ok(et_store_begin(s, plain, &err) == 0 &&
			et_store_add(s, plain->id, &sample, &err) == -EINVAL,
		"profile: a run of an experiment that was begun without a profile is refused");
	et_profile_run_free(sample.measured.profile);
	et_experiment_free(plain);
	et_store_close(s);
	et_experiment_free(e);
}

static void test_keep_and_remove(void)
{
	struct et_store *s = open_store();
	struct et_experiment *e = specimen("20251115-085506-000005");

	specimen_profile(e);
	for (uint32_t order = 1; order <= 5; order++)
		add(NULL, e, order % 2, order);
	et_profile_set_calls(e->profile, 0, 0, 1);
	ok(et_store_keep(s, e, &err) == 0 && is_kept(e),
		"profile: a whole experiment is kept with its profile");
	ok(et_store_remove(s, e->id, &err) == 0 && et_store_keep(s, e, &err) == 0 && is_kept(e),
		"profile: a removed experiment leaves nothing of its profile");
	e->profile->runs[0].order = 77;
	strcpy(e->id, "20251115-085506-000006");
	ok(et_store_keep(s, e, &err) < 0 && err.what[0],
		"profile: a run without a sample is refused: %s", err.what);
	et_store_close(s);
	et_experiment_free(e);
}

/* 100,000 functions: each is written once, and read in a moment. */
static void test_large(void)
{
	enum { FUNCTIONS = 100000 };
	struct et_store *s = open_store();
	struct et_experiment *e = specimen("20251115-085506-000007");
	struct et_profile_run run = { .period = 1 };
	char name[32];

	specimen_profile(e);
	run.of = e->profile;
	run.counts = et_calloc(FUNCTIONS, sizeof(*run.counts));
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		uint32_t f = et_profile_function_of(e->profile, name, "/bin/x", ET_SPACE_USER, 0);
		run.counts[i].node = et_profile_node_of(e->profile, ET_PROFILE_ROOT, f);
		run.counts[i].samples = i % 50 ? 1 : 1000;
		run.samples += run.counts[i].samples;
	}
	run.n_counts = FUNCTIONS;
	int rc = et_store_begin(s, e, &err);
	for (uint32_t order = 1; !rc && order <= 3; order++) {
		struct et_sample sample = specimen_sample(0, order);
		sample.measured.profile = &run;
		et_experiment_add(e, &sample);
		rc = et_store_add(s, e->id, &sample, &err);
	}
	ok(rc == 0 && et_store_flush(s, &err) == 0 && is_kept(e),
		"profile: 100,000 functions in three runs come back unchanged");
	free(run.counts);
	et_store_close(s);
	et_experiment_free(e);
}

int main(void)
{
	make_folder();
	test_round_trip();
	test_rollback();
	test_refusals();
	test_keep_and_remove();
	test_large();
	ET_AUTO_FREE char *clean = et_asprintf("rm -rf '%s'", folder);
	ok(system(clean) == 0, "the test's folder is removed");
	return tap_done();
}
