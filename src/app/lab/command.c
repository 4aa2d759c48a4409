/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab NAME`: published experiments, and those that test etalon itself. */
#include "app/lab/experiments.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli/signals.h"
#include "lab/functions.h"

static int run(struct et_cli *cli, int argc, char **argv);

#define EXAMPLE(words) "  etalon lab " words "\n"

const struct et_verb et_verb_lab = {
	.name = "lab",
	.actions = et_lab_experiments,
	.action_word = "experiment",
	.summary = "run experiments that test methods of measurement, and etalon",
	.usage = "list\nNAME [options]\nproblems [PROBLEM] [options]",
	.about = "'etalon lab list' shows the experiments. coverage, false-alarms, decisions and\n"
		 "quantisation simulate data whose true value is known; doc/coverage.md has full\n"
		 "tables of the first two. The others measure on this machine and store their\n"
		 "samples as run does. fragmentation, sampling-rate, competing-load, triangle and\n"
		 "sampling-bias are about profiles. After Ctrl-C an experiment prints the results\n"
		 "that it has so far.",
	.examples = EXAMPLE("list")
#define ROW(kind, bit, name, variable, summary, examples, ...) examples
#include "app/lab/experiment_rows.h"
#undef ROW
		,
	.options = et_lab_options,
	.uses_store = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

int et_lab_list(struct et_call *call, struct et_error *err)
{
	const struct et_lab_request *r = call->ctx;
	bool json = r->given & ET_LAB_JSON;
	struct et_json w;

	(void)err;
	et_json_init(&w, stdout, 2);
	if (json)
		et_json_array(&w, NULL);
	for (const struct et_action *x = et_lab_experiments; x->name; x++) {
		if (!x->summary)
			continue;
		if (!json) {
			et_cli_help_text(18, x->name, x->summary);
			continue;
		}
		et_json_flat_object(&w, NULL);
		et_json_string(&w, "name", x->name);
		et_json_string(&w, "summary", x->summary);
		et_json_end(&w);
	}
	if (json)
		et_json_end(&w);
	return 0;
}

/* Opens the file of --svg before the first run; with "-" the text goes to standard error. */
static int open_picture(struct et_lab_request *r, struct et_error *err)
{
	const char *path = r->measure.svg;
	bool standard = path && !strcmp(path, "-");

	if (standard && r->given & ET_LAB_JSON)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--json and --svg - cannot both write to standard output");
	int rc = path ? et_output_open(&r->svg, path, err) : 0;
	if (rc == 0 && standard)
		r->page.out = stderr;
	return rc;
}

static int perform(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	struct et_lab_request *r = call->ctx;

	cli->measures = !r->measure.from;
	r->cli = cli;
	r->interrupt = et_signals_install();
	r->name = call->action->name;
	r->operand = call->n ? call->operands[0] : NULL;
	r->progress =
		(struct et_progress){ .out = cli->progress ? stderr : NULL, .width = cli->columns };
	r->page = (struct et_page){ .out = stdout, .width = cli->columns, .color = cli->color };
	r->started_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	r->simulation.progress =
		(struct et_lab_progress){ et_lab_draw_progress, r, &r->interrupt->signal };
	int rc = open_picture(r, err);
	if (rc == 0)
		rc = call->action->run(call, err);
	if ((rc == 0 || rc == -EINTR) && r->svg.file) {
		int ended = et_output_end(&r->svg, err);
		rc = ended ? ended : rc;
	}
	et_output_close(&r->svg);
	et_operands_free(&call->ops);
	if (rc && rc != -EINTR)
		return et_cli_fail(err);
	return r->interrupt->signal ? 128 + r->interrupt->signal : ET_EXIT_DONE;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_lab_request r = { .simulation = { 1, 1000, 999, { 0 } },
		.alarms = { .effect = 0.01, .duet_sd = 0.027 } };
	struct et_error err = { 0 };
	struct et_call call;

	et_problem_values_init(&r.problem);
	if (argc > 1 && !strcmp(argv[1], "functions"))
		return et_lab_functions(argc - 1, argv + 1);
	int status = et_cli_call(cli, &et_verb_lab, argc, argv,
		&(struct et_cli_targets){ .ctx = &r, .given = &r.given }, &call);
	if (status >= 0)
		return status;
	if (r.measure.from)
		et_confine(ET_RIGHTS_FILES);
	status = perform(&call, &err);
	return et_cli_close_output(stdout, "-", &err) ? et_cli_fail(&err) : status;
}
