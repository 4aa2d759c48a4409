/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of `run`: text, files, and the gate of --fail-on-regression. */
#include "app/run/run.h"
#include "base/alloc.h"
#include "cli/server.h"
#include "draw/terminal.h"
#include "report/gate.h"
#include "stats/compare/judge.h"

#include <math.h>
#include <string.h>

/*
 * Says what --fail-on-regression decided, by intervals that hold for all comparisons together;
 * returns whether it found a regression.
 */
static bool regressed(const struct et_experiment *e, double limit)
{
	ET_AUTO_FREE const char **names = et_calloc(e->n_commands, sizeof(*names));
	struct et_judgement j;

	et_judge_together(e, &j);
	struct et_gate gate = { .contrasts = j.contrasts,
		.second = j.second,
		.n = j.n_contrasts,
		.reference = e->plan.reference,
		.limit = limit };
	for (size_t i = 0; i < e->n_commands; i++)
		names[i] = e->commands[i].name;
	bool found = et_gate_print(&gate, names, "etalon: ", stderr) == ET_GATE_REGRESSED;
	et_judgement_free(&j);
	return found;
}

void et_run_print_place(const struct et_measuring *m, size_t left)
{
	const struct et_experiment *e = et_session_experiment(m->session);
	ET_AUTO_FREE char *url = et_clean(et_store_url(m->store), "");
	ET_AUTO_FREE char *option = et_server_option(m->cli);
	const char *dash = strrchr(e->id, '-'), *id = dash ? dash + 1 : e->id;

	if (m->cli->verbosity > 0)
		fprintf(m->text, "kept as %s in %s\n", e->id, url);
	else if (left)
		fprintf(m->text, "kept as %s: %zu more note%s in etalon show -v%s\n", id, left,
			left == 1 ? "" : "s", option);
	else
		fprintf(m->text, "kept as %s: etalon show%s%s\n", id, option,
			*option ? "" : ", etalon report");
}

/* Names the pages that were written. */
static void print_pages(const struct et_measuring *m, const struct et_outputs *outputs)
{
	for (size_t i = 0; i < outputs->n; i++) {
		ET_AUTO_FREE char *path = et_clean(outputs->list[i].path, "");
		if (!strcmp(outputs->list[i].format->name, "html") && strcmp(path, "-") != 0)
			fprintf(m->text, "page written to %s\n", path);
	}
}

int et_run_conclude(struct et_run_options *o, struct et_measuring *m)
{
	struct et_outputs *outputs = &o->outputs;
	struct et_text_options text = et_cli_text(m->cli);
	text.sort = o->sort;
	text.unit = o->unit;
	const struct et_experiment *e = et_session_experiment(m->session);
	struct et_judgement j;
	struct et_error err;
	int status = ET_EXIT_DONE;

	et_judge(e, &j);
	et_warnings_append(&j.warnings, et_session_warnings(m->session));
	if (o->around && o->around->measured)
		o->around->measured(o->around->ctx, m, &j);
	size_t left = et_text_result(e, &j, &text, m->text);
	if (o->around && o->around->printed)
		o->around->printed(o->around->ctx, m);
	if (m->cli->verbosity >= 0)
		et_run_print_place(m, left);
	/* The other outputs are written even if stdout is full or closed. */
	if (m->text == stdout && et_cli_close_output(stdout, "-", &err))
		status = et_cli_fail(&err);
	if (et_outputs_write(outputs, e, &j, &err))
		status = et_cli_fail(&err);
	else if (m->cli->verbosity >= 0)
		print_pages(m, outputs);
	if (status == ET_EXIT_DONE && isfinite(o->regression_ratio) &&
		regressed(e, o->regression_ratio))
		status = ET_EXIT_REGRESSION;
	et_judgement_free(&j);
	return status;
}
