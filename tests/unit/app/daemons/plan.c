/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a learning in the store: kept, found, continued here, and not continued elsewhere. */
#include "../../store/fresh_store.h"
#include "app/daemons/daemons.h"
#include "base/base.h"
#include "base/parse.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"

#include <errno.h>

static const struct et_cli cli = { .verbosity = -1 };
static char machine[ET_MACHINE_SIZE];

static void set_plan(const char *label, const char *text)
{
	struct et_store *s = open_store();
	ET_AUTO_FREE char *key = et_asprintf("daemons-learn %s", label);

	if (et_store_set_fact(s, machine, key, text, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
}

static int load(const char *label, struct et_learn_options *o)
{
	*o = (struct et_learn_options){ .label = label, .resume = true };
	err = (struct et_error){ 0 };
	return et_learn_load_plan(&cli, o, &err);
}

static void kept(void)
{
	struct et_learn_options o = { .label = "mine",
		.plan = { 300, 40, 1000000000, UINT64_C(8000000000) },
		.tuned = true,
		.begun_wall_ns = UINT64_C(1763196906000000000),
		.factors = "aslr,turbo" };

	ok(load("mine", &o) == -ENOENT, "plan: without a store there is nothing to continue");
	struct et_store *s = open_store();
	et_store_close(s);
	ok(load("mine", &o) == -ENOENT && err.exit == ET_EXIT_USAGE && strstr(err.hint, "omit"),
		"plan: in an empty store there is nothing to continue");
	o = (struct et_learn_options){ .label = "mine",
		.plan = { 300, 40, 1000000000, UINT64_C(8000000000) },
		.tuned = true,
		.begun_wall_ns = UINT64_C(1763196906000000000),
		.factors = "aslr,turbo" };
	ok(et_learn_keep_plan(&cli, &o, &err) == 0, "plan: it is kept");
	struct et_learn_options back;
	ok(load("mine", &back) == 0 && !memcmp(&back.plan, &o.plan, sizeof(o.plan)) &&
			back.begun_wall_ns == o.begun_wall_ns && back.tuned && back.env,
		"plan: it is found again, and wants the environment with which it began");
	is_str(back.factors, "aslr,turbo", "plan: it has the factors of that environment");
	ok(load("other", &back) == -ENOENT, "plan: another label has none");
	o.tuned = false;
	o.factors[0] = '\0';
	ok(et_learn_keep_plan(&cli, &o, &err) == 0 && load("mine", &back) == 0 && !back.env &&
			!*back.factors,
		"plan: a later one of the same label replaces it");
}

static void refused(void)
{
	struct et_learn_options o = { .label = "mine", .resume = true, .env = true };

	ok(et_learn_load_plan(&cli, &o, &err) == -EINVAL && strstr(err.what, "without --env"),
		"plan: --resume does not begin to change the environment");
}

static void foreign(void)
{
	static const char *const damaged[] = { "", "1 2 3", "1 2 3 x", "1 2 3 -4",
		"1 2 3 4 5 6 a b", "1 2 3 4 'x", "1 2 3 99999999999999999999" };
	struct et_learn_options o;

	set_plan("old", "300 1000 40 8000");
	ok(load("old", &o) == 0 && o.plan.short_runs == 300 && o.plan.long_ns == 8000 && !o.tuned &&
			!o.begun_wall_ns,
		"plan: that of an earlier version has four words and no environment");
	for (size_t i = 0; i < ET_LENGTH(damaged); i++) {
		set_plan("odd", damaged[i]);
		ok(load("odd", &o) < 0 && err.what[0], "plan: '%s' is refused", damaged[i]);
	}
	ET_AUTO_FREE char *factors = et_alloc(3 * ET_FACTORS_SIZE);
	memset(factors, 'x', 3 * ET_FACTORS_SIZE - 1);
	factors[3 * ET_FACTORS_SIZE - 1] = '\0';
	ET_AUTO_FREE char *text = et_asprintf("1 2 3 4 1 6 %s", factors);
	set_plan("odd", text);
	ok(load("odd", &o) != 0 || strlen(o.factors) == ET_FACTORS_SIZE - 1,
		"plan: a list of factors that is too long does not overflow");
}

/* --- an interrupted learning --- */

struct stage {
	const char *label, *id;
	enum et_state state;
	bool imported;
	const char *kernel;
};

static void keep_stage(struct stage g)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_store *s = open_store();

	snprintf(e->id, sizeof(e->id), "%s", g.id);
	e->label = et_strdup(g.label);
	e->state = g.state;
	e->origin = g.imported ? ET_ORIGIN_IMPORTED : ET_ORIGIN_MEASURED;
	e->started_wall_ns = 1000;
	snprintf(e->machine, sizeof(e->machine), "%s", machine);
	snprintf(e->host.kernel, sizeof(e->host.kernel), "%s", g.kernel ? g.kernel : "6.1");
	e->plan.level = 0.95;
	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	e->commands[0].name = et_strdup("inc");
	e->commands[0].text = et_strdup("inc");
	e->commands[0].argv = et_strv_of("inc", NULL);
	if (et_store_keep(s, e, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
	et_experiment_free(e);
}

static void finds(const char *label, bool want, const char *what)
{
	struct et_here here = { 0 };
	struct et_learn_options o = { 0 };
	bool there = !want;

	snprintf(here.machine, sizeof(here.machine), "%s", machine);
	snprintf(here.host.kernel, sizeof(here.host.kernel), "6.1");
	err = (struct et_error){ 0 };
	int rc = et_learn_find(&cli, label, &here, &o, &there, &err);
	if (!ok(rc == 0 && there == want, "find: %s", what))
		printf("# %d %s\n", rc, err.what);
	ok(!err.what[0], "find: %s: that there is nothing is no error", what);
}

static void interrupted(void)
{
	static const char *const both = "300 1000 40 8000 0 500", *const one = "300 1000 0 0 0 500";

	finds("none", false, "a label without a plan");
	set_plan("a", both);
	finds("a", false, "a plan of which nothing was measured");
	keep_stage((struct stage){ .label = "a-short",
		.id = "20251115-000001-000001",
		.state = ET_STATE_INTERRUPTED });
	finds("a", true, "an interrupted short run");
	set_plan("a", "300 1000 40 8000 0 2000");
	finds("a", false, "a run of an earlier learning of the same label");

	set_plan("b", both);
	keep_stage((struct stage){
		.label = "b-short", .id = "20251115-000002-000002", .state = ET_STATE_DONE });
	finds("b", true, "a long run that is missing");
	set_plan("b", one);
	finds("b", false, "a learning without a long run that is done");
	set_plan("b", both);
	keep_stage((struct stage){
		.label = "b-long", .id = "20251115-000003-000003", .state = ET_STATE_DONE });
	finds("b", false, "a learning that is done");

	set_plan("c", both);
	keep_stage((struct stage){ .label = "c-short",
		.id = "20251115-000004-000004",
		.state = ET_STATE_INTERRUPTED,
		.kernel = "6.2" });
	finds("c", false, "a learning with another kernel");
	set_plan("d", both);
	keep_stage((struct stage){ .label = "d-short",
		.id = "20251115-000005-000005",
		.state = ET_STATE_INTERRUPTED,
		.imported = true });
	finds("d", false, "a learning that was imported");
}

int main(void)
{
	make_folder();
	setenv("ETALON_STORE", path, 1);
	et_host_identity("", machine, sizeof(machine));
	kept();
	refused();
	foreign();
	interrupted();
	ET_AUTO_FREE char *text = et_asprintf("rm -rf '%s'", folder);
	return system(text) ? 1 : tap_done();
}
