/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second step of `etalon emp`: learns the daemons, unless a learning that fits is stored. */
#include "app/emp/emp.h"
#include "base/clock.h"
#include "base/display.h"
#include "cli/ask.h"
#include "measure/observe/taskstats.h"
#include "model/experiment/machine_id.h"

static const char STEP[] = "daemons";

static bool is_plan(const struct et_learning_plan *a, const struct et_learning_plan *b)
{
	return a->short_runs == b->short_runs && a->short_ns == b->short_ns &&
	       a->long_runs == b->long_runs && a->long_ns == b->long_ns;
}

/* Decides whether the stored learning fits; `as_large`: it must be as large as the preset. */
static void compare(const struct et_emp *p, const struct et_learning_plan *preset, bool as_large,
	struct et_emp_plan *out)
{
	out->misfit = et_misfits_describe(
		et_cutoffs_fit_machine(&out->cutoffs, &p->place), &out->cutoffs, &p->place);
	out->elsewhere = et_cutoffs_elsewhere(&out->cutoffs, p->here.machine, p->here.host.cpu);
	if (!out->misfit && as_large && !et_cutoffs_cover(&out->cutoffs, preset))
		out->misfit = et_asprintf("with fewer or shorter samples than --learn %s takes",
			p->o->emp.learn == ET_LEARN_PAPER ? "paper" : "quick");
}

int et_emp_decide(struct et_emp *p, const struct et_cli *cli, struct et_error *err)
{
	struct et_emp_plan *out = &p->plan;
	bool explicit = p->o->given & ET_GIVEN_LEARN, paper = p->o->emp.learn == ET_LEARN_PAPER;
	const struct et_learning_plan *preset =
		&et_learning_presets[paper ? ET_LEARNING_PAPER : ET_LEARNING_QUICK];
	struct et_learn_options begun = { 0 };
	bool there = false;

	et_emp_plan_free(out);
	*out = (struct et_emp_plan){ .learn = p->o->emp.learn != ET_LEARN_NEVER };
	out->how = (struct et_learn_options){ .plan = *preset, .label = ET_LEARN_LABEL };
	/* The machine as it is, or will be, during the runs; check I decides by it, too. */
	p->place = (struct et_learning_place){ .kernel = p->here.host.kernel,
		.cpu = p->here.host.cpu,
		.machine = p->here.machine,
		.services = p->here.services,
		.tuned = p->tuned,
		.factors = p->factors,
		.sees = et_taskstats_offered(), /* as the record will tell */
		.wall_ns = et_clock_read_ns(CLOCK_REALTIME) };
	int rc = et_learned_load(cli, &p->here, &out->cutoffs, &out->there, err);
	if (rc == -ENOENT) { /* there is no store */
		*err = (struct et_error){ 0 };
		rc = 0;
	}
	if (rc == 0 && out->there)
		compare(p, preset, explicit && out->learn, out);
	if (rc == 0)
		rc = et_learn_find(cli, ET_LEARN_LABEL, &p->here, &begun, &there, err);
	if (there && begun.tuned == p->tuned && (!p->tuned || !strcmp(begun.factors, p->factors)) &&
		(!explicit || is_plan(&begun.plan, preset)))
		out->how = begun;
	out->how.tuned = p->tuned;
	snprintf(out->how.factors, sizeof(out->how.factors), "%s", p->tuned ? p->factors : "");
	out->how.busy = p->o->emp.busy;
	return rc;
}

void et_emp_plan_free(struct et_emp_plan *p)
{
	if (p->there)
		et_cutoffs_free(&p->cutoffs);
	free(p->misfit);
	*p = (struct et_emp_plan){ 0 };
}

bool et_emp_must_learn(const struct et_emp_plan *p)
{
	return !p->there || p->misfit;
}

/* "300 samples of 1 s and 40 of 8 s, about 10 min". The caller frees it. */
static char *describe_length(const struct et_learn_options *how)
{
	const struct et_learning_plan *p = &how->plan;
	char *text = NULL;

	et_append(&text, "", "%u samples of %s", (unsigned)p->short_runs,
		et_format_span(1e-9 * (double)p->short_ns, ET_BUF));
	if (p->long_runs)
		et_append(&text, " and ", "%u of %s", (unsigned)p->long_runs,
			et_format_span(1e-9 * (double)p->long_ns, ET_BUF));
	et_append(&text, ", ", "%s%s", how->resume ? "continued, at most " : "about ",
		et_format_span(et_learning_seconds(p), ET_BUF));
	return text;
}

static bool is_given(const struct et_emp *p)
{
	return p->o->emp.yes || p->o->given & ET_GIVEN_LEARN;
}

void et_emp_ask(struct et_emp *p)
{
	const struct et_emp_plan *plan = &p->plan;

	p->agreed = is_given(p);
	if (!plan->learn || !et_emp_must_learn(plan))
		return;
	ET_AUTO_FREE char *load = et_learn_load_text();
	if (p->agreed && load)
		et_say(stderr, "etalon: warning: %s\n", load);
	if (p->agreed || !et_can_ask())
		return;
	ET_AUTO_FREE char *length = describe_length(&plan->how);
	ET_AUTO_FREE char *about =
		et_asprintf("The daemons of this machine %s%s. Learning takes %s.",
			plan->misfit && !plan->elsewhere ? "were learned " : "are not learned yet",
			plan->misfit && !plan->elsewhere ? plan->misfit : "", length);
	if (load)
		et_append(&about, " But ", "%s.", load);
	p->agreed = et_ask(about, "Learn them now?");
}

/* Why nothing was learned. */
static char *describe_none(const struct et_emp_plan *plan)
{
	const struct et_cutoffs *c = &plan->cutoffs;
	char *text = NULL, name[ET_MACHINE_SIZE];

	et_machine_label(c->machine, c->host, name, sizeof(name));
	if (plan->there && plan->elsewhere)
		et_append(&text, "", "the learning of another machine (%s) is not used",
			*c->machine ? name : c->cpu);
	else if (plan->there)
		et_append(&text, "", "those that were learned %s are not used", plan->misfit);
	else
		et_append(&text, "", "nothing is learned");
	if (plan->learn)
		et_append(&text, "; ", "add --learn quick (ten minutes)");
	return text;
}

static int learn(struct et_emp *p, struct et_cli *cli, struct et_error *err)
{
	p->learning = true;
	int rc = et_learn(cli, &p->plan.how, NULL, err);
	p->learning = rc != 0 && rc != -EBUSY;
	if (rc == -EBUSY) {
		et_steps_add(&p->steps, STEP, ET_STEP_NOT_POSSIBLE,
			et_strdup("the machine was busy while it learned, so nothing is kept; add "
				  "--busy to keep it"));
		*err = (struct et_error){ 0 };
		return et_emp_decide(p, cli, err);
	}
	if (rc == 0)
		rc = et_emp_decide(p, cli, err);
	if (rc == 0 && p->plan.there)
		et_steps_add(&p->steps, STEP, ET_STEP_DONE, et_learned_describe(&p->plan.cutoffs));
	return rc;
}

int et_emp_learn(struct et_emp *p, struct et_measuring *m, struct et_error *err)
{
	const struct et_emp_plan *plan = &p->plan;

	m->place = &p->place;
	/* The environment may be another than expected when the user was asked. */
	int rc = plan->how.tuned != p->tuned ? et_emp_decide(p, m->cli, err) : 0;
	if (rc)
		return rc;
	if (!et_emp_must_learn(plan))
		et_steps_add(&p->steps, STEP, ET_STEP_REUSED, et_learned_describe(&plan->cutoffs));
	else if (plan->learn && p->agreed)
		rc = learn(p, m->cli, err);
	else
		et_steps_add(&p->steps, STEP, ET_STEP_SKIPPED, describe_none(plan));
	return rc;
}

double et_emp_plan_learn(struct et_emp *p)
{
	const struct et_emp_plan *plan = &p->plan;

	if (!et_emp_must_learn(plan)) {
		et_steps_add(&p->steps, STEP, ET_STEP_REUSED, et_learned_describe(&plan->cutoffs));
		return 0;
	}
	if (!plan->learn || (!is_given(p) && !et_can_ask())) {
		et_steps_add(&p->steps, STEP, ET_STEP_SKIPPED, describe_none(plan));
		return 0;
	}
	char *note = describe_length(&plan->how);
	et_append(&note, "", "%s", is_given(p) ? "" : "; etalon asks first");
	et_steps_add(&p->steps, STEP, ET_STEP_PLANNED, note);
	return et_learning_seconds(&plan->how.plan);
}
