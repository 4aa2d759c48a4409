/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a learning of daemons still fits a machine, and the presets. */
#include "protocol/learning.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static const uint64_t DAY_NS = UINT64_C(86400) * 1000000000;
static const uint64_t NOW_NS = UINT64_C(1794744000) * 1000000000;

/* A learning of 10 days ago, with the environment applied, that found no daemon. */
static struct et_cutoffs learned(void)
{
	struct et_cutoffs c = { .learned_wall_ns = NOW_NS - 10 * DAY_NS,
		.tuned = true,
		.short_runs = 300,
		.short_seconds = 1,
		.long_runs = 40,
		.long_seconds = 8 };

	strcpy(c.kernel, "6.1.0");
	strcpy(c.cpu, "Z80");
	strcpy(c.machine, "box 1234");
	strcpy(c.services, "00ff00ff00ff00ff");
	return c;
}

static struct et_learning_place place(void)
{
	return (struct et_learning_place){ .kernel = "6.1.0",
		.cpu = "Z80",
		.machine = "box 1234",
		.services = "00ff00ff00ff00ff",
		.tuned = true,
		.wall_ns = NOW_NS };
}

static void test_fit(void)
{
	struct et_cutoffs c = learned();
	struct et_learning_place p = place();

	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: one without cutoffs fits its own machine after 10 days");
	p.machine = "box 5678";
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_MACHINE,
		"learning: one from a machine of the same name and another identity does not fit");
	p = place();
	p.kernel = "6.2.0";
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_KERNEL,
		"learning: one from another kernel does not fit");
	p = place();
	p.services = "00ff00ff00ff00fe";
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_SERVICES,
		"learning: one with other services does not fit");
	p.kernel = "6.2.0";
	ok(et_cutoffs_fit_machine(&c, &p) == (ET_MISFIT_SERVICES | ET_MISFIT_KERNEL),
		"learning: all misfits are returned");
	p = place();
	p.tuned = false;
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_TUNING,
		"learning: one with the environment applied does not fit a run without it");
	c.tuned = false;
	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: one without the environment fits a run without it");
	p.tuned = true;
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_TUNING,
		"learning: one without the environment does not fit a run with it");
}

static void test_small(void)
{
	struct et_cutoffs c = learned();
	struct et_learning_place p = place();

	strcpy(c.factors, "daemons,turbo");
	p.factors = "daemons";
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_FACTORS,
		"learning: one with other factors does not fit");
	ET_AUTO_FREE char *text = et_misfits_describe(ET_MISFIT_FACTORS | ET_MISFIT_KERNEL, &c, &p);
	is_str(text, "with another kernel, with other factors of the environment (daemons,turbo)",
		"learning: the misfits are described");
	p.factors = "daemons,turbo";
	ok(et_cutoffs_fit_machine(&c, &p) == 0, "learning: one with the same factors fits");
	p.factors = "";
	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: factors that are not known do not count");
	p.factors = "daemons";
	c.tuned = p.tuned = false;
	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: without the environment its factors do not count");
	p = place();
	c = learned();
	c.short_runs = 39;
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_FEW,
		"learning: one of 39 samples does not fit");
	c.short_runs = 40;
	ok(et_cutoffs_fit_machine(&c, &p) == 0, "learning: one of 40 samples fits");
	c.unseen = true;
	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: processes that were not seen, and are not now, do not count");
	p.sees = true;
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_UNSEEN,
		"learning: processes that were not seen, and are now, count");
}

static void test_unknown(void)
{
	struct et_cutoffs c = learned();
	struct et_learning_place p = place();

	c.machine[0] = c.services[0] = '\0';
	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: one that recorded neither machine nor services fits by the rest");
	p.cpu = "6502";
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_MACHINE,
		"learning: without a recorded machine, another processor shows another machine");
	c = learned();
	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: a machine that is known may have another processor");
	p.cpu = "Z80";
	p.machine = p.services = "";
	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: it fits a place whose machine and services are not known");
}

static void test_age(void)
{
	struct et_cutoffs c = learned();
	struct et_learning_place p = place();

	c.learned_wall_ns = NOW_NS - 90 * DAY_NS + 1;
	ok(et_cutoffs_fit_machine(&c, &p) == 0 && et_cutoffs_days(&c, NOW_NS) == 89,
		"learning: one of a little less than 90 days fits");
	c.learned_wall_ns = NOW_NS - 91 * DAY_NS;
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_OLD && et_cutoffs_days(&c, NOW_NS) == 91,
		"learning: one of 91 days is too old");
	c.learned_wall_ns = NOW_NS + DAY_NS;
	ok(et_cutoffs_fit_machine(&c, &p) == ET_MISFIT_FUTURE && et_cutoffs_days(&c, NOW_NS) == 0,
		"learning: one that is dated tomorrow does not fit");
	c.learned_wall_ns = NOW_NS + DAY_NS / 1000;
	ok(et_cutoffs_fit_machine(&c, &p) == 0,
		"learning: one that is dated a minute and a half ahead fits");
}

static void test_presets(void)
{
	const struct et_learning_plan *quick = &et_learning_presets[ET_LEARNING_QUICK];
	const struct et_learning_plan *paper = &et_learning_presets[ET_LEARNING_PAPER];
	struct et_cutoffs c = learned();

	/* Suh et al., section 4.5: INC128 800 times and INC16384 40 times. */
	ok(paper->short_runs == 800 && paper->short_ns == UINT64_C(128000000000) &&
			paper->long_runs == 40 && paper->long_ns == UINT64_C(16384000000000),
		"learning: the preset paper has the published numbers and lengths");
	ok(et_learning_seconds(paper) == 102400 + 655360,
		"learning: the preset paper takes 28.4 hours and 7.6 days");
	ok(et_learning_seconds(quick) == 300 + 320, "learning: the preset quick takes 620 s");
	ok(et_cutoffs_cover(&c, quick), "learning: a quick one covers the preset quick");
	ok(!et_cutoffs_cover(&c, paper), "learning: a quick one does not cover the preset paper");
	c.long_runs = 0;
	c.long_seconds = NAN;
	ok(!et_cutoffs_cover(&c, quick),
		"learning: one without a long series does not cover the preset quick");
	c.short_seconds = 0.98;
	ok(et_cutoffs_cover(&c, &(struct et_learning_plan){ 300, 0, 1000000000, 0 }),
		"learning: samples that took 2 %% less than planned cover the plan");
}

int main(void)
{
	test_fit();
	test_small();
	test_unknown();
	test_age();
	test_presets();
	return tap_done();
}
