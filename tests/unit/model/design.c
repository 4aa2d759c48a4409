/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Designs: what changed between two plans, and how far an experiment has come. */
#include "base/base.h"
#include "base/parse.h"
#include "model/design/json.h"
#include "model/design/progress.h"
#include "tap.h"

#include <math.h>

/* Two factors of two levels, two programs: eight commands. */
static struct et_experiment *example(void)
{
	struct et_experiment *e = et_experiment_new();
	struct et_design *d = e->design = et_design_new();

	d->name = et_strdup("plan");
	d->source = et_strdup("# a comment\n");
	for (int i = 0; i < 2; i++) {
		struct et_design_factor *f = et_design_add_factor(d, i ? "pad" : "work");
		f->kind = i ? ET_KIND_ENVIRONMENT_SIZE : ET_KIND_PARAMETER;
		f->levels = i ? et_strv_of("0", "512", NULL) : et_strv_of("1", "2", NULL);
		f->n_levels = 2;
	}
	et_design_add_program(d, "cg")->command = et_strdup("cg {work}");
	et_design_add_program(d, "ep")->command = et_strdup("ep {work}");
	for (uint32_t i = 0; i < 4; i++)
		et_design_add_treatment(d, (const uint32_t[]){ i % 2, i / 2 });
	e->plan.order = ET_ORDER_RANDOM;
	e->plan.warmup = 1;
	e->plan.runs = 3;
	for (int i = 0; i < 8; i++)
		et_experiment_add_command(e, et_asprintf("c%d", i), et_strv_of("true", NULL));
	return e;
}

static void is_change(struct et_experiment *now, const char *expected)
{
	struct et_experiment *before = example();
	ET_AUTO_FREE char *changes = et_plan_changes(before, now, true);

	is_str(changes ? changes : "", expected, "change: the difference is reported");
	et_experiment_free(before);
	et_experiment_free(now);
}

static void replace(char **text, const char *by)
{
	free(*text);
	*text = et_strdup(by);
}

static void changes(void)
{
	struct et_experiment *e = example();

	replace(&e->design->source, "# another\n\n");
	is_change(e, "");
	e = example();
	e->design->replications = 21;
	replace(&e->design->factors[1].levels[1], "1024");
	is_change(e, "replications: 31, now 21\nfactor pad, levels: 0, 512, now 0, 1024\n");
	e = example();
	e->design->factors[0].kind = ET_KIND_ENVIRONMENT;
	e->design->factors[0].variable = et_strdup("X");
	is_change(e, "factor work, kind: parameter, now environment\n"
		     "factor work, variable: none, now X\n");
	e = example();
	replace(&e->design->factors[0].name, "pad");
	replace(&e->design->factors[1].name, "work");
	is_change(e, "factors: work, pad, now pad, work\n");
	e = example();
	replace(&e->design->programs[1].command, "ep -x");
	e->design->programs[1].build = et_strdup("make");
	is_change(e, "program ep, command: ep {work}, now ep -x\n"
		     "program ep, build: none, now make\n");
	e = example();
	et_design_add_program(e->design, "is");
	is_change(e, "programs: cg, ep, now cg, ep, is\n");
	e = example();
	e->design->treatments[3].levels[0] = 0;
	is_change(e, "treatments: 4, now 4 others\n");
	e = example();
	e->plan.order = ET_ORDER_SEQUENTIAL;
	e->plan.seed = 7;
	e->child.cpus = et_strdup("1");
	is_change(e, "order: random, now yates\nseed: 0, now 7\nrun, cpus: none, now 1\n");
	/* A plan without a seed fits any; the folder is decided when the runs begin. */
	e = example();
	struct et_experiment *before = example();
	before->plan.seed = 9;
	before->child.directory = et_strdup("/tmp");
	ET_AUTO_FREE char *none = et_plan_changes(before, e, false);
	ok(!none, "change: a drawn seed and the folder of the first session do not count");
	et_experiment_free(e);
	et_experiment_free(before);
}

static void add(struct et_experiment *e, uint32_t command, bool warmup, uint64_t began_ns,
	uint64_t elapsed_ns, int status)
{
	struct et_sample s = { 0 };

	s.place.command = command;
	s.place.order = 1 + (uint32_t)e->commands[command].samples.n;
	s.place.warmup = warmup;
	s.place.partner = -1;
	s.measured.started_wall_ns = began_ns;
	s.measured.elapsed_ns = elapsed_ns;
	s.measured.exit_code = status;
	if (status)
		s.ruling.removal.by = ET_REMOVED_FAILED;
	et_experiment_add(e, &s);
}

static void progress(void)
{
	struct et_experiment *e = example();
	struct et_design_progress p;

	et_design_progress_read(e, &p);
	ok(p.done == 0 && p.total == 32 && p.n_failed == 0 && isnan(p.left_ns),
		"progress: nothing is done before the first run, and the time left is not known");
	et_design_progress_free(&p);

	/* Runs of 1 s with a pause of 0.5 s; command 1 takes 3 s; one break between sessions. */
	uint64_t now = 1000000000000, s = 1000000000;
	for (uint32_t c = 0; c < 8; c++) {
		uint64_t elapsed = c == 1 ? 3 * s : s;
		add(e, c, true, now, elapsed, c == 2 ? 3 : 0);
		now += elapsed + s / 2;
	}
	add(e, 0, false, now + 1000 * s, s, 0);
	add(e, 0, true, now + 1000 * s + 3 * s / 2, s, 0);
	et_design_progress_read(e, &p);
	ok(p.done == 8 && p.n_failed == 1 && p.cells[2].is_failed && p.cells[2].exit_code == 3,
		"progress: discarded and counted runs are done, further warm-up runs are not");
	ok(p.cells[0].done == 1 && p.cells[0].discarded == 1 && p.cells[2].discarded == 0,
		"progress: each cell has its counts");
	/* Missing: 2 of command 0, 3 of 1 (3.5 s each), none of 2, 3 of each of the other five. */
	near(p.left_ns, (2 * 1.5 + 3 * 3.5 + 15 * 1.5) * 1e9, 1e-9, 0,
		"progress: the time left is that of the missing runs with their pauses");
	et_design_progress_free(&p);
	for (int i = 0; i < 2; i++)
		add(e, 0, false, now += s, s, 0);
	for (int i = 0; i < 3; i++)
		add(e, 2, false, now += s, s, 0);
	et_design_progress_read(e, &p);
	ok(p.n_failed == 0 && p.cells[2].failed == 1 && p.cells[2].discarded == 1 &&
			p.cells[0].done == 3,
		"progress: a cell that was repeated with success has not failed");
	et_design_progress_free(&p);
	et_experiment_free(e);
}

int main(void)
{
	changes();
	progress();
	return tap_done();
}
