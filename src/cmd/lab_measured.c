/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/lab_measured.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cmd/kept.h"
#include "cmd/lab_experiments.h"
#include "cmd/run_session.h"
#include "host/daemons.h"
#include "protocol/precision.h"
#include "report/lab_precision.h"
#include "stats/pace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void et_lab_commands_add(struct et_lab_commands *c, char *name, char *line)
{
	ET_GROW(c->names, c->n, c->cap_names);
	ET_GROW(c->lines, c->n, c->cap_lines);
	c->names[c->n] = name;
	c->lines[c->n++] = line;
}

void et_lab_commands_free(struct et_lab_commands *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->names[i]);
		free(c->lines[i]);
	}
	free(c->names);
	free(c->lines);
}

int et_lab_measure(struct et_lab_request *r, const struct et_lab_commands *c, uint64_t usual_runs,
	struct et_experiment **out, struct et_error *err)
{
	ET_AUTO_FREE char *label = et_asprintf("lab %s", r->name);
	ET_AUTO_FREE char *runs =
		et_asprintf("%" PRIu64, r->measure.runs ? r->measure.runs : usual_runs);
	ET_AUTO_FREE char *seed = et_asprintf("%" PRIu64, r->asked.seed);
	const char *const plan[] = { "run", "--order", "random", "--runs", runs, "--seed", seed,
		"--label", r->measure.label ? r->measure.label : label };
	ET_AUTO_FREE const char **words = et_calloc(ET_LENGTH(plan) + 3 * c->n + 2, sizeof(*words));
	size_t n = ET_LENGTH(plan);
	char id[40];

	memcpy(words, plan, sizeof(plan));
	if (r->given & ET_LAB_PACE)
		words[n++] = "--pace";
	for (size_t i = 0; i < c->n; i++) {
		words[n++] = "--command-name";
		words[n++] = c->names[i];
		words[n++] = c->lines[i];
	}
	int rc = et_session_run(r->cli, r->interrupt, words, id, err);
	if ((rc && rc != -EINTR) || !id[0])
		return rc;
	int rc2 = et_kept_fetch(r->cli, id, out, err);
	return rc ? rc : rc2;
}

int et_lab_recall(struct et_lab_request *r, struct et_experiment **out, struct et_error *err)
{
	if (r->given & (ET_LAB_LENGTHS | ET_LAB_RUNS | ET_LAB_LABEL | ET_LAB_SEED |
			       ET_LAB_PROGRAMS | ET_LAB_SIZES | ET_LAB_PACE | ET_LAB_LOADS))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"lab %s: --from prints what is kept and takes no plan", r->name);
	return et_kept_fetch(r->cli, r->measure.from, out, err);
}

int et_lab_conclude(
	const struct et_lab_request *r, const struct et_experiment *e, bool resumable, int rc)
{
	if (e && !r->measure.from && !(r->given & ET_LAB_JSON) && r->cli->verbosity >= 0) {
		ET_AUTO_FREE char *url = et_cli_store_url(r->cli);
		fprintf(r->page.out, "\nkept as %s in %s\n", e->id, url);
	}
	if (rc != -EINTR)
		return rc;
	fprintf(stderr, "etalon: interrupted; every finished sample is kept\n");
	if (e && resumable)
		fprintf(stderr,
			"hint: etalon run --resume %s goes on, then etalon lab %s --from %s\n",
			e->id, r->name, e->id);
	return rc;
}

/* INC of the lengths that were asked for, or a kept record. */
static int inc_experiment(struct et_lab_request *r, const uint64_t *usual_ns, size_t n_usual,
	struct et_experiment **out, struct et_error *err)
{
	const struct et_lab_measure *m = &r->measure;
	struct et_lab_commands c = { 0 };
	char exe[4096];

	if (m->from)
		return et_lab_recall(r, out, err);
	int rc = et_cli_own_path(exe, sizeof(exe), err);
	ET_AUTO_FREE char *own = rc ? NULL : et_join_words((char *[]){ exe, NULL });
	for (size_t i = 0; rc == 0 && i < (m->n_lengths ? m->n_lengths : n_usual); i++) {
		uint64_t ns = m->n_lengths ? m->lengths_ns[i] : usual_ns[i];
		et_lab_commands_add(&c, et_asprintf("INC%.6g", 1e-9 * (double)ns),
			et_asprintf("%s put inc --seconds %" PRIu64 "ns", own, ns));
	}
	if (rc == 0)
		rc = et_lab_measure(r, &c, 40, out, err);
	et_lab_commands_free(&c);
	return rc;
}

static struct et_precision paced_precision(const struct et_command *c)
{
	struct et_paced p;

	et_pace_judge(c, 0.95, &p);
	return (struct et_precision){ p.n, p.mean, p.relative_error * p.mean, p.relative_error };
}

int et_lab_emp_versions(struct et_lab_request *r, struct et_error *err)
{
	static const uint64_t lengths_ns[] = { 1000000000, 2000000000, 4000000000, 8000000000 };
	struct et_experiment *e = NULL;

	int rc = inc_experiment(r, lengths_ns, ET_LENGTH(lengths_ns), &e, err);
	if (e) {
		ET_AUTO_FREE struct et_versions *list = et_calloc(e->n_commands, sizeof(*list));
		for (size_t i = 0; i < e->n_commands; i++) {
			et_versions_judge(&e->commands[i], et_daemons_know_process, &list[i]);
			list[i].paced = paced_precision(&e->commands[i]);
		}
		if (r->given & ET_LAB_JSON)
			et_versions_json(e, list, r->page.out);
		else
			et_versions_text(e, list, &r->page);
	}
	rc = et_lab_conclude(r, e, true, rc);
	et_experiment_free(e);
	return rc;
}

int et_lab_clock_methods(struct et_lab_request *r, struct et_error *err)
{
	static const uint64_t length_ns = 8000000000;
	struct et_experiment *e = NULL;

	int rc = inc_experiment(r, &length_ns, 1, &e, err);
	if (e) {
		ET_AUTO_FREE struct et_clock_methods *list =
			et_calloc(e->n_commands, sizeof(*list));
		for (size_t i = 0; i < e->n_commands; i++)
			et_clock_methods_judge(&e->commands[i], &list[i]);
		if (r->given & ET_LAB_JSON)
			et_clock_methods_json(e, list, r->page.out);
		else
			et_clock_methods_text(e, list, &r->page);
	}
	rc = et_lab_conclude(r, e, true, rc);
	et_experiment_free(e);
	return rc;
}
