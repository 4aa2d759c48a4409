/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon show [ID]`: prints the result of a stored experiment, and judges it again if asked to. */
#include "cli/field_option.h"
#include "cli/server.h"
#include "lab/old_series.h"
#include "model/experiment/advice.h"
#include "record/format.h"
#include "session/removal.h"
#include "source/kind.h"

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
		"judge by this protocol (its own; emp if that has no checks)", et_set_choice,
		ET_FILLS(request, protocol), .names = rejudge_names, .needs = "rejudge" },
	{ 0, "metric", "NAME",
		"what to judge: cpu, elapsed, memory or auto (what it was judged by)",
		et_set_metric, ET_FILLS(request, metric), .names = et_metric_words,
		.needs = "rejudge" },
	{ 0, "keep", NULL, "store the new rulings, protocol and metric", et_set_true,
		ET_FILLS(request, keep), .needs = "rejudge" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_show = {
	.name = "show",
	.operands = "STORED",
	.summary = "print the result of a stored experiment",
	.usage = "[options] [FILE|ID|LABEL|last]",
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
		by->first += c.first;
		by->second += c.second;
		et_for_each_sample(s, &e->commands[i].samples) {
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

/*
 * Opens the store for writing instead, and loads the experiment again, as it may have changed
 * before it was claimed.
 */
static int claim(const struct et_cli *cli, struct et_stored *s, struct et_error *err)
{
	char id[40];

	memcpy(id, s->experiment->id, sizeof(id));
	et_stored_free(s);
	*s = (struct et_stored){ 0 };
	int rc = et_stored_open(cli, ET_STORE_WRITE, &s->store, err);
	if (rc == 0)
		rc = et_store_claim(s->store, id, err);
	if (rc == 0)
		rc = et_store_load(s->store, id, &s->experiment, err);
	/* A session that resumes an experiment judges it by its plan. */
	if (rc || s->experiment->state == ET_STATE_DONE ||
		s->experiment->origin == ET_ORIGIN_IMPORTED)
		return rc;
	return et_refuse(err, "resume it first, or omit --keep",
		"%s is not finished, so it is not changed", id);
}

static int change(const struct et_cli *cli, struct et_stored *s, void *ctx, struct et_error *err)
{
	struct request *r = ctx;
	struct et_check_counts by;
	size_t all;

	if (!r->rejudge)
		return 0;
	int rc = et_stored_check_rejudge(cli, s, err);
	if (rc == 0 && r->keep)
		rc = claim(cli, s, err);
	if (rc)
		return rc;
	const struct et_rejudging how = {
		.protocol = r->protocol < 0 ? -1 : (int)rejudge_protocols[r->protocol],
		.metric = r->metric,
		.keep = r->keep,
	};
	r->removed_before = count_removed(s->experiment, &by, &all);
	s->rejudged = true;
	return et_session_rejudge(s->store, s->experiment, &how, &s->notes, err);
}

static void print_left(const struct et_cli *cli, const struct et_experiment *e, size_t left)
{
	ET_AUTO_FREE char *option = et_server_option(cli);

	if (left && cli->verbosity >= 0)
		printf("%zu more note%s: etalon show -v%s %s\n", left, left == 1 ? "" : "s", option,
			e->id);
}

static int print(const struct et_cli *cli, const struct et_stored *s, const struct request *r,
	struct et_error *err)
{
	struct et_text_options o = et_cli_text(cli);
	size_t left;

	o.sort = r->sort;
	o.unit = r->unit;
	if (cli->verbosity >= 0)
		et_text_heading(s->experiment, &o, stdout);
	int rc = et_stored_kind_of(cli, s->experiment)->print(cli, s, &o, &left, err);
	if (rc)
		return rc;
	print_left(cli, s->experiment, left);
	if (r->rejudge && cli->verbosity >= 0)
		say_rejudged(s->experiment, r);
	return 0;
}

static int write_result(
	const struct et_cli *cli, const struct et_stored *s, const void *ctx, struct et_error *err)
{
	const struct request *r = ctx;
	int rc = 0;

	if (r->json)
		et_native_write(s->experiment, &s->judgement, stdout);
	else
		rc = print(cli, s, r, err);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct request r = { .protocol = -1, .metric = -1 };

	return et_stored_run(cli, &et_verb_show, argc, argv, &r, change, write_result);
}

/* Figures of lab are times and constants of one process: only its tables give them a meaning. */
static int print_lab(ET_UNUSED const struct et_cli *cli, const struct et_stored *s,
	ET_UNUSED const struct et_text_options *o, size_t *left, ET_UNUSED struct et_error *err)
{
	const struct et_experiment *e = s->experiment;
	/* Old series have their name in the label only. */
	const char *name = e->n_figures ? e->commands[0].name : e->label;

	*left = 0;
	printf("times and constants that lab measured, no programs; for its tables run\n"
	       "etalon %s --from %s\n",
		name && !strncmp(name, "lab ", 4) ? name : "lab NAME", e->id);
	return 0;
}

static bool is_lab(const struct et_experiment *e)
{
	return e->n_figures || et_old_series_only(e);
}

const struct et_stored_kind et_kind_lab = {
	.is = is_lab,
	.more = true, /* the formats of plain experiments */
	.print = print_lab,
};
