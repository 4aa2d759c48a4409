/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/removal.h"
#include "base/clock.h"
#include "base/whole.h"
#include "model/experiment/advice.h"
#include "protocol/learning.h"
#include "protocol/sanity.h"
#include "store/core/cutoffs.h"

unsigned et_cutoffs_warn(
	const struct et_cutoffs *c, const struct et_learning_place *now, struct et_warnings *out)
{
	unsigned misfits = et_cutoffs_fit_machine(c, now);
	unsigned others = misfits & ~(unsigned)(ET_MISFIT_KERNEL | ET_MISFIT_OLD);

	if (misfits & ET_MISFIT_KERNEL)
		et_warn(out, ET_WARN_CUTOFFS_OTHER_KERNEL, et_arg_text(c->kernel),
			et_arg_text(now->kernel));
	if (misfits & ET_MISFIT_OLD)
		et_warn(out, ET_WARN_CUTOFFS_OLD, et_arg_count(et_cutoffs_days(c, now->wall_ns)));
	ET_AUTO_FREE char *text = et_misfits_describe(others, c, now);
	if (text)
		et_warn(out, ET_WARN_CUTOFFS_MISFIT, et_arg_text(text));
	return misfits;
}

static void warn_length(
	const struct et_experiment *e, const struct et_cutoffs *c, struct et_warnings *out)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		double seconds = et_command_seconds(&e->commands[i]);
		if (!(seconds > 0) || et_cutoffs_fit(c, seconds))
			continue;
		et_warn(out, ET_WARN_CUTOFFS_OTHER_LENGTH,
			et_arg_value(c->long_runs ? c->long_seconds : c->short_seconds, ET_UNIT_S),
			et_arg_value(seconds, ET_UNIT_S),
			et_arg_count(et_u64(et_learning_long_seconds(seconds))));
		return;
	}
}

/* The machine as the record knows it; the environment and the services are not in it. */
static struct et_learning_place place_of(const struct et_experiment *e, const struct et_cutoffs *c)
{
	uint64_t started = e->started_wall_ns, learned = c->learned_wall_ns;

	return (struct et_learning_place){ .kernel = e->host.kernel,
		.cpu = e->host.cpu,
		.machine = e->machine,
		.services = "",
		.tuned = c->tuned,
		.factors = "",
		.sees = e->snapshot_source && !strncmp(e->snapshot_source, "taskstats", 9),
		/* It may be learned after the runs. */
		.wall_ns = learned > started ? learned : started };
}

/* The stored cutoffs of the experiment's machine. */
struct stored {
	struct et_cutoffs cutoffs;
	bool there;     /* they are, and fit */
	uint64_t unfit; /* when those were learned that do not fit, or 0 */
};

static void drop(struct stored *s)
{
	et_cutoffs_free(&s->cutoffs);
	s->cutoffs = (struct et_cutoffs){ 0 };
	s->there = false;
}

/*
 * Decides, alone, which cutoffs are used. `now` may be NULL: then the record decides, and cutoffs
 * that did not fit when it was made do not. notes may be NULL.
 */
static int load_cutoffs(struct et_store *store, const struct et_experiment *e,
	const struct et_learning_place *now, struct stored *out, struct et_warnings *notes,
	struct et_error *err)
{
	struct et_cutoffs *c = &out->cutoffs;
	struct et_warnings dropped = { 0 };

	*out = (struct stored){ 0 };
	int rc = et_cutoffs_load(store, e->machine, e->host.name, c, &out->there, err);
	if (rc || !out->there)
		return rc;
	if (et_cutoffs_elsewhere(c, e->machine, e->host.cpu)) {
		drop(out);
		if (notes)
			et_warn(notes, ET_WARN_CUTOFFS_OTHER_MACHINE);
		return 0;
	}
	struct et_learning_place place = place_of(e, c);
	if (now) {
		place.tuned = now->tuned;
		place.factors = now->factors;
		place.services = now->services;
		place.wall_ns = et_clock_real.wall_ns(NULL);
	}
	bool unfit = et_cutoffs_warn(c, &place, notes ? notes : &dropped) != 0;
	et_warnings_free(&dropped);
	if (!now && e->first_check.state == ET_FIRST_CHECK_MISFIT)
		unfit = unfit || e->first_check.learned_wall_ns == c->learned_wall_ns;
	if (unfit) {
		out->unfit = c->learned_wall_ns;
		drop(out);
	} else if (notes) {
		warn_length(e, c, notes);
	}
	return 0;
}

/* Says in the record that something was learned, but did not fit. */
static void note_unfit(struct et_experiment *e, const struct stored *s)
{
	if (s->unfit && e->first_check.state == ET_FIRST_CHECK_UNLEARNED)
		e->first_check = (struct et_first_check){ .state = ET_FIRST_CHECK_MISFIT,
			.learned_wall_ns = s->unfit };
}

int et_session_cutoffs(struct et_store *store, const struct et_experiment *e,
	struct et_cutoffs *out, bool *there, struct et_error *err)
{
	struct stored s;
	int rc = load_cutoffs(store, e, NULL, &s, NULL, err);

	*out = s.cutoffs;
	*there = s.there;
	return rc;
}

int et_session_check_cutoffs(
	struct et_store *store, const struct et_experiment *e, struct et_error *err)
{
	struct stored s = { 0 };
	int rc = 0;

	if (e->protocol != ET_PROTOCOL_RAW && e->protocol != ET_PROTOCOL_KBEST)
		rc = load_cutoffs(store, e, NULL, &s, NULL, err);
	et_cutoffs_free(&s.cutoffs);
	return rc;
}

static bool differ(const struct et_first_check *a, const struct et_first_check *b)
{
	return a->state != b->state || a->learned_wall_ns != b->learned_wall_ns ||
	       a->cutoffs != b->cutoffs || a->would_remove != b->would_remove;
}

static int record(struct et_store *store, const struct et_experiment *e,
	const struct et_changed *list, size_t n, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct et_samples *all = &e->commands[list[i].command].samples;
		ET_AUTO_READER struct et_sample_reader r = et_samples_read_figures(all);
		rc = et_store_set_removal(store, e->id, et_sample_reader_at(&r, list[i].at), err);
	}
	return rc;
}

int et_session_remove(struct et_store *store, struct et_experiment *e,
	const struct et_learning_place *now, struct et_warnings *notes, struct et_error *err)
{
	struct et_first_check before = e->first_check;
	struct stored s;
	size_t n = 0;

	if (!et_protocol_checks(et_protocol_choose(e).protocol))
		return 0;
	int rc = load_cutoffs(store, e, now, &s, notes, err);
	if (rc)
		return rc;
	ET_AUTO_FREE struct et_changed *list = et_sanity_check(e, s.there ? &s.cutoffs : NULL, &n);
	et_cutoffs_free(&s.cutoffs);
	note_unfit(e, &s);
	rc = record(store, e, list, n, err);
	if (rc == 0 && differ(&before, &e->first_check))
		rc = et_store_set_checks(store, e, err);
	return rc ? rc : et_store_flush(store, err);
}

static struct et_rejudging settle(const struct et_experiment *e, struct et_rejudging how)
{
	if (how.protocol < 0)
		how.protocol = et_protocol_checks(et_protocol_choose(e).protocol)
				       ? (int)e->protocol
				       : (int)ET_PROTOCOL_EMP;
	if (how.metric < 0)
		how.metric = e->metric_auto ? (int)ET_METRIC_AUTO : (int)e->metric;
	return how;
}

int et_session_rejudge(struct et_store *store, struct et_experiment *e,
	const struct et_rejudging *how, struct et_warnings *notes, struct et_error *err)
{
	const struct et_rejudging by = settle(e, *how);
	struct stored s;
	size_t n = 0;
	int rc = load_cutoffs(store, e, NULL, &s, notes, err);

	if (rc)
		return rc;
	ET_AUTO_FREE struct et_changed *list = et_sanity_check_again(
		e, (enum et_protocol)by.protocol, by.metric, s.there ? &s.cutoffs : NULL, &n);
	et_cutoffs_free(&s.cutoffs);
	note_unfit(e, &s);
	if (!how->keep)
		return 0;
	rc = record(store, e, list, n, err);
	if (rc == 0)
		rc = et_store_set_checks(store, e, err);
	return rc ? rc : et_store_flush(store, err);
}
