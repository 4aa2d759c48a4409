/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether `etalon emp` learns the daemons of a machine, by what is stored and what was asked for.
 */
#include "../../store/fresh_store.h"
#include "app/emp/emp.h"
#include "base/base.h"
#include "base/clock.h"
#include "measure/observe/taskstats.h"
#include "store/core/cutoffs.h"

#include <fcntl.h>
#include <unistd.h>

#define HERE "0123456789abcdef"
#define DAY_NS (86400 * UINT64_C(1000000000))

static const struct et_cli cli = { .verbosity = -1 };

/* A learning of this machine that fits. */
static struct et_cutoffs learned(void)
{
	struct et_cutoffs c = { .learned_wall_ns = et_clock_read_ns(CLOCK_REALTIME) - DAY_NS,
		.host = "n1",
		.kernel = "6.1",
		.cpu = "a CPU",
		.machine = HERE,
		.unseen = !et_taskstats_offered(),
		.floor_ms = NAN,
		.short_runs = 300,
		.long_runs = 40,
		.short_seconds = 1,
		.long_seconds = 8 };

	return c;
}

static void keep(const struct et_cutoffs *c)
{
	struct et_store *s = open_store();

	if (et_cutoffs_keep(s, c, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
}

struct asked {
	enum et_learn_choice learn;
	bool given, yes;
};

/* Decides on this machine, and adds the step of --dry-run. */
static double decide(struct asked asked, struct et_run_options *o, struct et_emp *p)
{
	*o = (struct et_run_options){ .given = asked.given ? ET_GIVEN_LEARN : 0,
		.emp = { .learn = asked.learn, .yes = asked.yes } };
	*p = (struct et_emp){ .o = o };
	snprintf(p->here.machine, sizeof(p->here.machine), HERE);
	snprintf(p->here.host.name, sizeof(p->here.host.name), "n1");
	snprintf(p->here.host.kernel, sizeof(p->here.host.kernel), "6.1");
	snprintf(p->here.host.cpu, sizeof(p->here.host.cpu), "a CPU");
	if (et_emp_decide(p, &cli, &err))
		tap_bail("%s", err.what);
	return et_emp_plan_learn(p);
}

static void plans(struct asked asked, enum et_step_state state, double seconds, const char *note,
	const char *label)
{
	struct et_run_options o;
	struct et_emp p;
	double got = decide(asked, &o, &p);

	if (!ok(p.steps.n == 1 && p.steps.list[0].state == state &&
			    strstr(p.steps.list[0].note, note),
		    "learn: %s", label))
		printf("# %d: %s\n", (int)p.steps.list[0].state, p.steps.list[0].note);
	near(got, seconds, 1e-12, 0, "learn: %s: how long it takes", label);
	ok(et_emp_must_learn(&p.plan) == (state != ET_STEP_REUSED),
		"learn: %s: what is stored is used if it fits", label);
	et_steps_free(&p.steps);
	et_emp_plan_free(&p.plan);
}

static const struct asked usual = { 0 }, yes = { .yes = true },
			  quick = { ET_LEARN_QUICK, .given = true },
			  paper = { ET_LEARN_PAPER, .given = true },
			  never = { ET_LEARN_NEVER, .given = true };

static void nothing_stored(void)
{
	/* 300 × 1 s + 40 × 8 s; 800 × 128 s + 40 × 16384 s. */
	plans(usual, ET_STEP_SKIPPED, 0, "nothing is learned; add --learn quick",
		"without a terminal, nobody can be asked");
	plans(yes, ET_STEP_PLANNED, 620, "300 samples of 1 s and 40 of 8 s, about 10.3 min",
		"with --yes it learns quickly");
	plans(quick, ET_STEP_PLANNED, 620, "300 samples", "--learn quick");
	plans(paper, ET_STEP_PLANNED, 757760, "800 samples", "--learn paper");
	plans(never, ET_STEP_SKIPPED, 0, "nothing is learned", "--learn never");
}

static void stored(void)
{
	struct et_cutoffs c = learned();

	keep(&c);
	plans(usual, ET_STEP_REUSED, 0, "from 300 samples of 1 s and 40 of 8 s, 0 daemons",
		"a learning that fits is used");
	plans(quick, ET_STEP_REUSED, 0, "300 samples", "--learn quick finds it as large");
	plans(paper, ET_STEP_PLANNED, 757760, "800 samples", "--learn paper finds it too small");
	plans(never, ET_STEP_REUSED, 0, "300 samples", "--learn never uses it, too");
	snprintf(c.kernel, sizeof(c.kernel), "5.10");
	keep(&c);
	plans(yes, ET_STEP_PLANNED, 620, "300 samples", "another kernel is learned anew");
	plans(never, ET_STEP_SKIPPED, 0, "are not used", "with --learn never it is not used");
	c = learned();
	c.learned_wall_ns -= 100 * DAY_NS;
	keep(&c);
	plans(yes, ET_STEP_PLANNED, 620, "300 samples",
		"a learning of 100 days ago is learned anew");
	c = learned();
	c.learned_wall_ns += 3 * DAY_NS;
	keep(&c);
	plans(yes, ET_STEP_PLANNED, 620, "300 samples", "a learning of the future is learned anew");
	c = learned();
	c.short_runs = 10;
	keep(&c);
	plans(yes, ET_STEP_PLANNED, 620, "300 samples", "ten samples are too few");
	c = learned();
	c.tuned = true;
	keep(&c);
	plans(yes, ET_STEP_PLANNED, 620, "300 samples", "another environment is learned anew");
}

int main(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0) /* so that nobody can be asked */
		tap_bail("no /dev/null");
	close(null);
	make_folder();
	setenv("ETALON_STORE", path, 1);
	nothing_stored();
	stored();
	ET_AUTO_FREE char *text = et_asprintf("rm -rf '%s'", folder);
	return system(text) ? 1 : tap_done();
}
