/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon show [ID]`: prints the result of a stored experiment, and judges it again if asked to. */
#include "cmd/doe_findings.h"
#include "cmd/field_option.h"
#include "cmd/stored.h"
#include "lab/lab_series.h"
#include "model/advice.h"
#include "protocol/sanity.h"
#include "report/native.h"
#include "report/text.h"
#include "session/removal.h"

#include <errno.h>
#include <string.h>

/* The protocols that a kept experiment can be judged by: K-best decides how many runs there are. */
static const char *const rejudge_names[] = { "cause", "emp", "raw", NULL };
static const enum et_protocol rejudge_protocols[] = { ET_PROTOCOL_CAUSE, ET_PROTOCOL_EMP,
	ET_PROTOCOL_RAW };

struct request {
	bool json;
	enum et_sort sort;
	enum et_time_unit unit;
	bool rejudge, keep;
	int protocol, metric;  /* -1: as it was measured */
	size_t removed_before; /* samples, by the checks */
};

static const struct et_option options[] = {
	{ 0, "json", NULL, "print the native record instead of text", et_set_true,
		ET_FILLS(request, json) },
	{ 'u', "time-unit", "UNIT",
		"unit of the table: second, millisecond, microsecond or nanosecond (auto)",
		et_set_choice, ET_FILLS(request, unit), .names = et_time_unit_names },
	{ 0, "sort", "ORDER",
		"order of the table: command, mean-time or auto (by time from four commands on)",
		et_set_choice, ET_FILLS(request, sort), .names = et_sort_names },
	{ 0, "rejudge", NULL, "apply the sanity checks again, with the cutoffs that are stored now",
		et_set_true, ET_FILLS(request, rejudge) },
	{ 0, "protocol", "cause|emp|raw",
		"with --rejudge: judge by this protocol (its own; emp if that has no checks)",
		et_set_choice, ET_FILLS(request, protocol), .names = rejudge_names },
	{ 0, "metric", "cpu|elapsed|auto",
		"with --rejudge: judge CPU time or elapsed time (what it was judged by)",
		et_set_metric, ET_FILLS(request, metric), .names = et_metric_words },
	{ 0, "keep", NULL, "with --rejudge: store the new rulings, protocol and metric",
		et_set_true, ET_FILLS(request, keep) },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_show = {
	.name = "show",
	.operands = "STORED",
	.summary = "print the result of a stored experiment",
	.usage = "[options] [ID|LABEL|last]",
	.about = "ID may be shortened to its beginning or its last six characters; a LABEL means\n"
		 "the newest experiment with that label; without either the last experiment is\n"
		 "shown. -v adds all figures of each command, a histogram, and all warnings.\n"
		 "--rejudge shows what the experiment would have been with the cutoffs of today,\n"
		 "or by another protocol; the store does not change without --keep.",
	.examples = "  etalon show\n  etalon show -v last\n  etalon show --json\n"
		    "  etalon show --rejudge --protocol emp\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static size_t count_removed(const struct et_experiment *e, struct et_check_counts *by, size_t *all)
{
	size_t n = 0;

	*by = (struct et_check_counts){ 0 };
	*all = 0;
	for (size_t i = 0; i < e->n_commands; i++) {
		struct et_check_counts c = et_command_check_counts(&e->commands[i]);
		ET_AUTO_READER struct et_sample_reader r =
			et_samples_read_figures(&e->commands[i].samples);
		by->first += c.first;
		by->second += c.second;
		for (const struct et_sample *s; (s = et_sample_reader_next(&r));) {
			n += s->ruling.removal.by >= ET_REMOVED_DAEMON_CUTOFF;
			*all += !s->place.warmup;
		}
	}
	return n;
}

static void say_rejudged(const struct et_experiment *e, const struct request *r)
{
	struct et_check_counts by;
	size_t all, n = count_removed(e, &by, &all);

	printf("judged again by %s, %s: %zu of %zu samples removed (check I %zu, check II %zu), "
	       "%zu before; ",
		et_protocol_names[et_protocol_choose(e).protocol], et_metrics[e->metric].label, n,
		all, by.first, by.second, r->removed_before);
	printf(r->keep ? "stored\n" : "not stored: see --keep\n");
}

/* The protocol and metric that the user wants, or those of the experiment. */
static struct et_rejudging rejudging_of(const struct et_experiment *e, const struct request *r)
{
	enum et_protocol own = et_protocol_choose(e).protocol;
	struct et_rejudging how = { .protocol = e->protocol, .keep = r->keep };

	if (r->protocol >= 0)
		how.protocol = rejudge_protocols[r->protocol];
	else if (!et_protocol_checks(own))
		how.protocol = ET_PROTOCOL_EMP;
	how.metric = r->metric >= 0 ? r->metric : e->metric_auto ? ET_METRIC_AUTO : (int)e->metric;
	return how;
}

/* A session that resumes an experiment judges it by its plan. */
static int check_finished(const struct et_experiment *e, struct et_error *err)
{
	if (e->state == ET_STATE_DONE || e->origin == ET_ORIGIN_IMPORTED)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "%s is not finished, so it is not changed",
			e->id),
		"resume it first, or omit --keep");
}

static int check_request(const struct request *r, struct et_error *err)
{
	const char *option = r->keep            ? "keep"
			     : r->protocol >= 0 ? "protocol"
			     : r->metric >= 0   ? "metric"
						: NULL;

	if (r->rejudge || !option)
		return 0;
	return et_hint(err, et_fail(err, EINVAL, ET_EXIT_USAGE, "--%s needs --rejudge", option),
		"add --rejudge, or omit --%s", option);
}

/* Loads the experiment again, as it may have changed before it was claimed. */
static int claim(struct et_store *store, struct et_stored *s, struct et_error *err)
{
	struct et_experiment *now;
	int rc = et_store_claim(store, s->experiment->id, err);

	if (rc == 0)
		rc = et_store_load(store, s->experiment->id, &now, err);
	if (rc)
		return rc;
	et_experiment_free(s->experiment);
	s->experiment = now;
	return check_finished(now, err);
}

static int rejudge(
	struct et_store *store, struct et_stored *s, struct request *r, struct et_error *err)
{
	struct et_check_counts by;
	size_t all;
	int rc = r->keep ? claim(store, s, err) : 0;

	if (rc)
		return rc;
	struct et_rejudging how = rejudging_of(s->experiment, r);
	r->removed_before = count_removed(s->experiment, &by, &all);
	return et_session_rejudge(store, s->experiment, &how, &s->notes, err);
}

static int change(const struct et_cli *cli, struct et_stored *s, void *ctx, struct et_error *err)
{
	struct request *r = ctx;
	struct et_store *store;
	int rc = check_request(r, err);

	if (rc || !r->rejudge)
		return rc;
	if (s->experiment->profile)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"%s is a profile, whose runs no check removes", s->experiment->id),
			"omit --rejudge");
	rc = et_stored_open(cli, r->keep ? ET_STORE_WRITE : ET_STORE_READ, &store, err);
	if (rc)
		return rc;
	rc = rejudge(store, s, r, err);
	et_store_close(store);
	return rc;
}

static void print_profile(
	const struct et_cli *cli, const struct et_stored *s, const struct et_text_options *o)
{
	struct et_profiled p = et_stored_judge_profile(s);
	if (cli->verbosity >= 0)
		et_text_heading(s->experiment, o, stdout);
	size_t left = et_profile_text(&p, o, stdout);

	if (left && cli->verbosity >= 0)
		printf("%zu more note%s: etalon show -v\n", left, left == 1 ? "" : "s");
	et_profiled_free(&p);
}

/* Series of lab are times and constants of one process: only its tables give them a meaning. */
static void print_lab(const struct et_experiment *e)
{
	const char *label = e->label && !strncmp(e->label, "lab ", 4) ? e->label : "lab NAME";

	printf("%zu series of times and constants, no programs; for its tables run\n"
	       "etalon %s --from %s\n",
		e->n_commands, label, e->id);
}

static int write_result(
	const struct et_cli *cli, const struct et_stored *s, const void *ctx, struct et_error *err)
{
	const struct request *r = ctx;
	struct et_text_options o = et_cli_text(cli);

	o.sort = r->sort;
	o.unit = r->unit;

	if (r->json) {
		et_native_write(s->experiment, &s->judgement, stdout);
	} else if (s->experiment->design && !r->rejudge) {
		return et_doe_show(cli, s, &o, err);
	} else if (s->experiment->profile) {
		print_profile(cli, s, &o);
	} else if (et_lab_series_only(s->experiment)) {
		et_text_heading(s->experiment, &o, stdout);
		print_lab(s->experiment);
	} else {
		if (cli->verbosity >= 0)
			et_text_heading(s->experiment, &o, stdout);
		size_t left = et_text_result(s->experiment, &s->judgement, &o, stdout);
		if (left)
			printf("%zu more note%s: etalon show -v\n", left, left == 1 ? "" : "s");
		if (r->rejudge && cli->verbosity >= 0)
			say_rejudged(s->experiment, r);
	}
	return et_cli_close_output(stdout, "-", err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .protocol = -1, .metric = -1 };

	return et_stored_run(cli, &et_verb_show, argc, argv, &r, change, write_result);
}
