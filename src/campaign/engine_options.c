/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of commands that can run on other machines. */
#include "campaign/campaign.h"

/* The campaign is begun or continued; options of Slurm. The others need one of these. */
enum { ENGINE = 1, PARTITION = 2, CONSTRAINT = 4, ACCOUNT = 8 };

static const uint64_t SECOND_NS = 1000000000;

/* Kept by the campaign; those without this kind are not: whoever trusts a campaign gives them. */
#define OF_ENGINE .kind = "engine", .needs = "engine"

const struct et_option et_engine_options[] = {
	{ 0, "engine", "slurm|ssh:HOSTS", "measure on other machines (etalon-doe(1))", et_set_text,
		ET_FILLS(et_engine_wish, engine), .bit = ENGINE, .group = "many machines" },
	{ 0, "nodes", "LIST", "only these machines", et_set_text, ET_FILLS(et_engine_wish, nodes),
		OF_ENGINE },
	{ 0, "partition", "NAME", "slurm: the partition", et_set_text,
		ET_FILLS(et_engine_wish, partition), .bit = PARTITION, OF_ENGINE },
	{ 0, "constraint", "LIST", "slurm: features that the machines must have", et_set_text,
		ET_FILLS(et_engine_wish, constraint), .bit = CONSTRAINT, OF_ENGINE },
	{ 0, "account", "NAME", "slurm: the account", et_set_text,
		ET_FILLS(et_engine_wish, account), .bit = ACCOUNT, OF_ENGINE },
	{ 0, "per-machine", NULL, "every machine makes all runs, as with 'blocks: machine'",
		et_set_true, ET_FILLS(et_engine_wish, per_machine), OF_ENGINE },
	{ 0, "part-rounds", "N", "rounds of one part (chosen by itself: about 4 parts per machine)",
		et_set_u32, ET_FILLS(et_engine_wish, part_rounds), .lo = 1, .hi = ET_MOST_RUNS,
		OF_ENGINE },
	{ 0, "time-limit-part", "DUR", "the longest time of one part (that of the scheduler)",
		et_set_duration, ET_FILLS(et_engine_wish, time_limit_ns), .lo = SECOND_NS,
		OF_ENGINE },
	{ 0, "sbatch-option", "WORDS", "further options for sbatch, or for ssh", et_set_text,
		ET_FILLS(et_engine_wish, extra), .needs = "engine|trust-record" },
	{ 0, "copy", NULL, "ssh: copy this etalon to machines that lack it", et_set_true,
		ET_FILLS(et_engine_wish, copy), OF_ENGINE },
	{ 0, "etalon-path", "PATH", "the path of etalon on the machines (found there)", et_set_text,
		ET_FILLS(et_engine_wish, etalon_path), .needs = "engine|trust-record" },
	{ 0, "no-preflight", NULL, "do not check the machines before the first part", et_set_true,
		ET_FILLS(et_engine_wish, no_preflight), OF_ENGINE },
	{ 0, "attach", NULL, "return to a campaign, by its id or plan (the last)", et_set_true,
		ET_FILLS(et_engine_wish, attach), .bit = ENGINE,
		.excludes = "cancel|engine|@engine", .alone = true },
	{ 0, "cancel", NULL, "end all jobs of a campaign, by its id or plan (the last)",
		et_set_true, ET_FILLS(et_engine_wish, cancel), .bit = ENGINE,
		.excludes = "engine|@engine", .alone = true },
	{ 0 },
};

int et_engine_check(const struct et_engine_wish *w, struct et_error *err)
{
	const unsigned of_slurm = w->given & (PARTITION | CONSTRAINT | ACCOUNT);
	const struct et_option *o = et_engine_options;

	if (!w->engine)
		return 0;
	while (of_slurm && !(o->bit & of_slurm))
		o++;
	if (of_slurm && strcmp(w->engine, "slurm") != 0)
		return et_refuse(err, "omit it, or use --engine slurm",
			"--%s is an option of Slurm", o->name);
	if (w->copy && strncmp(w->engine, "ssh:", 4) != 0)
		return et_refuse(err,
			"omit it: with Slurm install etalon on the nodes, or in a shared folder",
			"--copy is an option of ssh");
	return 0;
}
