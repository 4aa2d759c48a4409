/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a profile, and how a run gets into it. */
#include "base/base.h"
#include "model/experiment/experiment.h"
#include "tap.h"

static void functions_and_nodes(void)
{
	struct et_profile *p = et_profile_new(&et_default_profile_plan);
	uint32_t a = et_profile_function_of(p, "a", "x", ET_SPACE_USER, false);
	uint32_t b = et_profile_function_of(p, "b", "x", ET_SPACE_USER, false);

	ok(a == 0, "functions: the first has the number 0");
	ok(et_profile_function_of(p, "a", "x", ET_SPACE_USER, false) == a,
		"functions: the same name and module give the same number");
	ok(et_profile_function_of(p, "a", "y", ET_SPACE_USER, false) != a,
		"functions: another module gives another function");
	uint32_t caller = et_profile_node_of(p, ET_PROFILE_ROOT, a);
	uint32_t callee = et_profile_node_of(p, caller, b);
	ok(caller == 1, "nodes: the first after the root has the number 1");
	ok(et_profile_node_of(p, caller, b) == callee, "nodes: a context is kept once");
	ok(et_profile_node_of(p, ET_PROFILE_ROOT, b) != callee,
		"nodes: another caller gives another context");
	ok(p->nodes[callee].parent == caller, "nodes: a node knows its caller");
	et_profile_set_calls(p, 0, a, 8);
	et_profile_set_calls(p, 0, a, 10);
	near(et_profile_calls_of(p, 0, a), 10, 0, 0, "calls: the last number counts");
	ok(et_profile_calls_of(p, 0, b) != et_profile_calls_of(p, 0, b),
		"calls: an unknown number is NaN");
	et_profile_free(p);
}

static void runs(void)
{
	struct et_experiment *e = et_experiment_new();
	struct et_profile_run run = { .lost = 3 };

	et_experiment_add_command(e, et_strdup("a"), et_calloc(1, sizeof(char *)));
	e->profile = et_profile_new(&et_default_profile_plan);
	for (int i = 0; i < 3; i++) {
		char name[2] = { (char)('a' + i), '\0' };
		uint32_t f = et_profile_function_of(e->profile, name, "x", ET_SPACE_USER, false);
		et_profile_node_of(e->profile, ET_PROFILE_ROOT, f);
	}
	et_profile_run_add(&run, 3, 5, 1);
	et_profile_run_add(&run, 1, 2, 0);
	et_profile_run_add(&run, 3, 1, 1);
	ok(run.samples == 8, "runs: the samples of all nodes are added up");
	struct et_sample s = { .place = { .order = 7, .warmup = true },
		.measured = { .profile = et_profile_run_copy(&run) } };
	et_experiment_add(e, &s);
	et_sample_free(&s);
	free(run.counts);
	const struct et_profile_run *kept = &e->profile->runs[0];
	ok(kept->order == 7, "runs: the run has the order of its sample");
	ok(kept->warmup, "runs: a warm-up run is marked");
	ok(kept->n_counts == 2, "runs: only nodes with samples are kept");
	ok(kept->counts[1].node == 3, "runs: counts ascend by node");
	ok(kept->counts[1].samples == 6, "runs: samples of one node are summed");
	ok(kept->counts[1].at_entry == 2, "runs: so are those at the entry");
	et_experiment_free(e);
}

int main(void)
{
	functions_and_nodes();
	runs();
	return tap_done();
}
