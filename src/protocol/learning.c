/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/learning.h"
#include "base/u64.h"
#include "model/experiment/machine_id.h"
#include "model/sample/sample.h"
#include "protocol/daemons.h"

static const uint64_t DAY_NS = UINT64_C(86400) * 1000000000;
static const uint64_t HOUR_NS = UINT64_C(3600) * 1000000000;

const char *const et_learning_preset_names[] = { "quick", "paper", NULL };

const struct et_learning_plan et_learning_presets[ET_LEARNING_PRESETS] = {
	[ET_LEARNING_QUICK] = { 300, 40, 1000000000, 8000000000 },
	[ET_LEARNING_PAPER] = { 800, 40, 128000000000, 16384000000000 },
};

static bool differ(const char *a, const char *b)
{
	return *a && *b && strcmp(a, b) != 0;
}

/* Earlier versions did not record the machine; its processor is the next best. */
bool et_cutoffs_elsewhere(const struct et_cutoffs *c, const char *machine, const char *cpu)
{
	return *c->machine && *machine ? !et_machine_same(c->machine, machine)
				       : differ(c->cpu, cpu);
}

uint64_t et_cutoffs_days(const struct et_cutoffs *c, uint64_t wall_ns)
{
	return et_minus_u64(wall_ns, c->learned_wall_ns) / DAY_NS;
}

unsigned et_cutoffs_fit_machine(const struct et_cutoffs *c, const struct et_learning_place *now)
{
	/* A clock that is set to the right time may go back a little. */
	bool future = et_minus_u64(c->learned_wall_ns, now->wall_ns) > HOUR_NS;
	bool factors = c->tuned && now->tuned && now->factors && differ(c->factors, now->factors);

	return (et_cutoffs_elsewhere(c, now->machine, now->cpu) ? ET_MISFIT_MACHINE : 0u) |
	       (differ(c->kernel, now->kernel) ? ET_MISFIT_KERNEL : 0u) |
	       (differ(c->services, now->services) ? ET_MISFIT_SERVICES : 0u) |
	       (et_cutoffs_days(c, now->wall_ns) >= ET_LEARNING_DAYS ? ET_MISFIT_OLD : 0u) |
	       (future ? ET_MISFIT_FUTURE : 0u) | (c->tuned != now->tuned ? ET_MISFIT_TUNING : 0u) |
	       (factors ? ET_MISFIT_FACTORS : 0u) |
	       (c->short_runs < ET_LEARNING_LEAST ? ET_MISFIT_FEW : 0u) |
	       (c->unseen && now->sees ? ET_MISFIT_UNSEEN : 0u);
}

char *et_misfits_describe(
	unsigned misfits, const struct et_cutoffs *c, const struct et_learning_place *now)
{
	char *text = NULL;

	if (misfits & ET_MISFIT_MACHINE)
		et_append(&text, ", ", "on another machine");
	if (misfits & ET_MISFIT_KERNEL)
		et_append(&text, ", ", "with another kernel");
	if (misfits & ET_MISFIT_SERVICES)
		et_append(&text, ", ", "with other services");
	if (misfits & ET_MISFIT_OLD)
		et_append(&text, ", ", "%u days ago", (unsigned)et_cutoffs_days(c, now->wall_ns));
	if (misfits & ET_MISFIT_FUTURE)
		et_append(&text, ", ", "with a date in the future");
	if (misfits & ET_MISFIT_TUNING)
		et_append(&text, ", ", "%s the environment applied", c->tuned ? "with" : "without");
	if (misfits & ET_MISFIT_FACTORS)
		et_append(&text, ", ", "with other factors of the environment (%s)", c->factors);
	if (misfits & ET_MISFIT_FEW)
		et_append(&text, ", ", "from only %u samples", c->short_runs);
	if (misfits & ET_MISFIT_UNSEEN)
		et_append(&text, ", ", "without seeing processes that end within a sample");
	return text;
}

double et_learning_long_seconds(double seconds)
{
	/* Long samples are longer than the short ones, also if the program is short. */
	return fmax(ceil(seconds), 1e-9 * (double)et_learning_presets[ET_LEARNING_QUICK].long_ns);
}

double et_learning_seconds(const struct et_learning_plan *p)
{
	return 1e-9 * ((double)p->short_runs * (double)p->short_ns +
			      (double)p->long_runs * (double)p->long_ns);
}

double et_learning_taken(const struct et_command *c)
{
	double taken = 0, elapsed = 0;

	et_for_each_sample(s, &c->samples) {
		double ns[ET_SHARES];
		if (!et_sample_usable_for_daemons(s))
			continue;
		et_sample_shares(&s->measured, ns);
		if (isnan(ns[ET_SHARE_RUNNABLE]))
			continue;
		taken += ns[ET_SHARE_RUNNABLE];
		elapsed += (double)s->measured.elapsed_ns;
	}
	return elapsed > 0 ? taken / elapsed : NAN;
}

/* The recorded length of a sample is measured, so it may be a little below the planned one. */
static bool as_long(double seconds, uint64_t planned_ns)
{
	return seconds >= 0.95e-9 * (double)planned_ns;
}

bool et_cutoffs_cover(const struct et_cutoffs *c, const struct et_learning_plan *p)
{
	return c->short_runs >= p->short_runs && as_long(c->short_seconds, p->short_ns) &&
	       (!p->long_runs ||
		       (c->long_runs >= p->long_runs && as_long(c->long_seconds, p->long_ns)));
}
