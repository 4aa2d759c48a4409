/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/removal.h"
#include "base/clock.h"
#include "base/whole.h"
#include "model/advice.h"
#include "protocol/learning.h"
#include "protocol/sanity.h"
#include "store/cutoffs.h"

void et_cutoffs_warn(const struct et_cutoffs *c, const struct et_host *host, uint64_t wall_ns,
	struct et_warnings *out)
{
	unsigned misfits =
		et_cutoffs_fit_machine(c, &(struct et_learning_place){ .kernel = host->kernel,
						  .cpu = "",
						  .machine = "",
						  .services = "",
						  .wall_ns = wall_ns });

	if (misfits & ET_MISFIT_KERNEL)
		et_warn(out, ET_WARN_CUTOFFS_OTHER_KERNEL, et_arg_text(c->kernel),
			et_arg_text(host->kernel));
	if (misfits & ET_MISFIT_OLD)
		et_warn(out, ET_WARN_CUTOFFS_OLD, et_arg_count(et_cutoffs_days(c, wall_ns)));
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

/* Those of another machine are not there; notes may be NULL. */
static int load_cutoffs(struct et_store *store, const struct et_experiment *e,
	struct et_cutoffs *out, bool *there, struct et_warnings *notes, struct et_error *err)
{
	int rc = et_cutoffs_load(store, e->machine, e->host.name, out, there, err);

	if (rc == 0 && *there && et_cutoffs_elsewhere(out, e->machine, e->host.cpu)) {
		et_cutoffs_free(out);
		*out = (struct et_cutoffs){ 0 };
		*there = false;
		if (notes)
			et_warn(notes, ET_WARN_CUTOFFS_OTHER_MACHINE);
	}
	return rc;
}

int et_session_check_cutoffs(
	struct et_store *store, const struct et_experiment *e, struct et_error *err)
{
	struct et_cutoffs cutoffs = { 0 };
	bool there = false;
	int rc = 0;

	if (e->protocol != ET_PROTOCOL_RAW && e->protocol != ET_PROTOCOL_KBEST)
		rc = load_cutoffs(store, e, &cutoffs, &there, NULL, err);
	et_cutoffs_free(&cutoffs);
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

int et_session_remove(struct et_store *store, struct et_experiment *e, struct et_warnings *notes,
	struct et_error *err)
{
	struct et_first_check before = e->first_check;
	struct et_cutoffs cutoffs = { 0 };
	bool there = false;
	size_t n = 0;

	if (!et_protocol_checks(et_protocol_choose(e).protocol))
		return 0;
	int rc = load_cutoffs(store, e, &cutoffs, &there, notes, err);
	if (rc)
		return rc;
	if (there) {
		et_cutoffs_warn(&cutoffs, &e->host, et_clock_real.wall_ns(NULL), notes);
		warn_length(e, &cutoffs, notes);
	}
	ET_AUTO_FREE struct et_changed *list = et_sanity_check(e, there ? &cutoffs : NULL, &n);
	et_cutoffs_free(&cutoffs);
	rc = record(store, e, list, n, err);
	if (rc == 0 && differ(&before, &e->first_check))
		rc = et_store_set_checks(store, e, err);
	return rc ? rc : et_store_flush(store, err);
}

int et_session_rejudge(struct et_store *store, struct et_experiment *e,
	const struct et_rejudging *how, struct et_warnings *notes, struct et_error *err)
{
	struct et_cutoffs cutoffs = { 0 };
	bool there = false;
	size_t n = 0;
	int rc = load_cutoffs(store, e, &cutoffs, &there, notes, err);

	if (rc)
		return rc;
	if (there && notes) {
		et_cutoffs_warn(&cutoffs, &e->host, e->started_wall_ns, notes);
		warn_length(e, &cutoffs, notes);
	}
	ET_AUTO_FREE struct et_changed *list =
		et_sanity_check_again(e, how->protocol, how->metric, there ? &cutoffs : NULL, &n);
	et_cutoffs_free(&cutoffs);
	if (!how->keep)
		return 0;
	rc = record(store, e, list, n, err);
	if (rc == 0)
		rc = et_store_set_checks(store, e, err);
	return rc ? rc : et_store_flush(store, err);
}
