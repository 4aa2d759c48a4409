/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A learning on a busy machine: other work has the CPU for so long that daemons cannot be
 * distinguished from it. The user is asked before it begins, and its cutoffs are not kept, unless
 * with --busy.
 */
#include "app/daemons/daemons.h"
#include "base/alloc.h"
#include "base/display.h"
#include "cli/ask.h"
#include "cli/environment.h"
#include "host/host.h"

#include <errno.h>
#include <math.h>

char *et_learn_load_text(void)
{
	struct et_machine m;

	et_cli_machine(&m);
	double load = et_host_load(m.root);
	unsigned cpus = m.host.cpus ? m.host.cpus : 1;
	bool loaded = et_learning_loaded(load, cpus);
	et_machine_free(&m);
	return loaded ? et_asprintf(
				"the load of this machine is %.1f on %u CPU%s: daemons can hardly "
				"be distinguished from the other work, and learning takes longer",
				load, cpus, cpus == 1 ? "" : "s")
		      : NULL;
}

int et_learn_check_load(const struct et_learn_options *o, struct et_error *err)
{
	ET_AUTO_FREE char *text = et_learn_load_text();

	if (!text)
		return 0;
	if (o->busy || !et_can_ask()) {
		et_say(stderr, "etalon: warning: %s%s\n", text,
			o->busy ? "" : "; if others take the CPU, the cutoffs are not kept");
		return 0;
	}
	if (et_ask(text, "Learn nevertheless?"))
		return 0;
	return et_hint(err,
		et_fail(err, EBUSY, ET_EXIT_ENVIRONMENT, "nothing is learned: the machine is busy"),
		"try again when the machine is quiet");
}

/* The larger share of the two series. */
static double taken_of(const struct et_experiment *short_run, const struct et_experiment *long_run)
{
	double taken = et_learning_taken(&short_run->commands[0]);

	return long_run ? fmax(taken, et_learning_taken(&long_run->commands[0])) : taken;
}

bool et_learn_was_busy(const struct et_learn_options *o, const struct et_experiment *short_run,
	const struct et_experiment *long_run)
{
	double taken = taken_of(short_run, long_run);

	if (!(taken > ET_LEARNING_BUSY))
		return false;
	et_say(stderr,
		"etalon: warning: other processes had the CPU for %.0f %% of the learning: daemons "
		"may hide in it; %s\n",
		100 * taken,
		o->busy ? "its cutoffs are kept (--busy)" : "its cutoffs are not kept");
	return true;
}

int et_learn_refuse_busy(const struct et_learn_options *o, bool has_long, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EBUSY, ET_EXIT_ENVIRONMENT,
			"the cutoffs are not kept: the machine was busy while it learned"),
		"learn when the machine is quiet, or keep them with 'etalon daemons analyse --keep "
		"%s-short%s%s%s'",
		o->label, has_long ? " " : "", has_long ? o->label : "", has_long ? "-long" : "");
}
