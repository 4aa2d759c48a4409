/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removal at the end of a run: which samples are removed, that the store has the removals, and the
 * warnings about cutoffs that may not fit.
 */
#include "session/removal.h"
#include "base/base.h"
#include "base/clock.h"
#include "model/sample/daemon.h"
#include "protocol/learning.h"
#include "sample_of.h"
#include "store/core/cutoffs.h"
#include "tap.h"

#include <unistd.h>

static const uint64_t DAY_NS = UINT64_C(86400) * 1000000000;
static const uint64_t NOW_NS = UINT64_C(1794744000) * 1000000000;

static char folder[] = "/tmp/etalon-test-XXXXXX";
static struct et_store *store;
static struct et_error err;

static bool has(const struct et_warnings *w, enum et_warning_code code)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->list[i].code == code)
			return true;
	}
	return false;
}

/* Cutoffs that fit this machine, learned now with samples of one second. */
static struct et_cutoffs fitting(struct et_cutoff *list, size_t n)
{
	struct et_cutoffs c = { .list = list,
		.n = n,
		.learned_wall_ns = NOW_NS,
		.short_runs = 100,
		.short_seconds = 1,
		.long_seconds = NAN };

	strcpy(c.host, "host");
	strcpy(c.kernel, "6.1.0");
	strcpy(c.cpu, "a CPU");
	strcpy(c.machine, "host 1");
	return c;
}

static unsigned warn(
	const struct et_cutoffs *c, const char *kernel, uint64_t wall_ns, struct et_warnings *out)
{
	return et_cutoffs_warn(c,
		&(struct et_learning_place){ .kernel = kernel,
			.cpu = "",
			.machine = "",
			.services = "",
			.wall_ns = wall_ns },
		out);
}

static void test_cutoff_warnings(void)
{
	struct et_cutoffs c = fitting(NULL, 0);
	struct et_warnings w = { 0 };

	warn(&c, "6.1.0", NOW_NS + 89 * DAY_NS, &w);
	ok(w.n == 0, "removal: cutoffs of this kernel and 89 days raise no warning");
	warn(&c, "6.1.0", NOW_NS + 90 * DAY_NS, &w);
	ok(w.n == 1 && w.list[0].code == ET_WARN_CUTOFFS_OLD && w.list[0].args[0].number == 90,
		"removal: cutoffs of 90 days raise a warning with their age");
	et_warnings_free(&w);

	w = (struct et_warnings){ 0 };
	ok(warn(&c, "6.1.0", NOW_NS - DAY_NS, &w) == ET_MISFIT_FUTURE && w.n == 1 &&
			w.list[0].code == ET_WARN_CUTOFFS_MISFIT &&
			!strcmp(w.list[0].args[0].text, "with a date in the future"),
		"removal: cutoffs from the future raise a warning");
	et_warnings_free(&w);

	w = (struct et_warnings){ 0 };
	warn(&c, "6.2.0", NOW_NS, &w);
	ok(w.n == 1 && w.list[0].code == ET_WARN_CUTOFFS_OTHER_KERNEL &&
			!strcmp(w.list[0].args[0].text, "6.1.0") &&
			!strcmp(w.list[0].args[1].text, "6.2.0"),
		"removal: cutoffs from another kernel raise a warning with both kernels");
	warn(&c, "6.2.0", NOW_NS + 1000 * DAY_NS, &w);
	ok(w.n == 3 && has(&w, ET_WARN_CUTOFFS_OLD),
		"removal: old cutoffs from another kernel raise both warnings");
	et_warnings_free(&w);
}

/* An experiment of n samples of that length in the store; cron disturbed the third. */
static struct et_experiment *measured(const char *id, size_t n, uint64_t elapsed_ns)
{
	struct et_experiment *e = et_experiment_new();
	struct et_culprit cron = { .name = "cron", .pid = 7, .cpu_ns = 20000000 };
	char **argv = et_calloc(2, sizeof(*argv));

	argv[0] = et_strdup("true");
	et_experiment_add_command(e, et_strdup("true"), argv);
	snprintf(e->id, sizeof(e->id), "%s", id);
	e->snapshot_source = et_strdup("taskstats");
	strcpy(e->host.name, "host");
	strcpy(e->host.kernel, "6.1.0");
	if (et_store_begin(store, e, &err))
		tap_bail("%s", err.what);
	for (uint32_t i = 0; i < n; i++) {
		struct et_sample s = { .place = { .order = i + 1, .round = i + 1, .partner = -1 },
			.measured = { .elapsed_ns = elapsed_ns,
				.cpu_ns = elapsed_ns - i % 2,
				.probe_before_ns = ET_UNKNOWN,
				.probe_after_ns = ET_UNKNOWN,
				.culprits = i == 2 ? &cron : NULL,
				.n_culprits = i == 2 } };
		if (et_store_add(store, e->id, et_experiment_add(e, &s), &err))
			tap_bail("%s", err.what);
	}
	return e;
}

/* By what the samples of the stored experiment were removed, as "..d....." */
static void stored_removals(const char *id, char *out)
{
	struct et_experiment *e;

	if (et_store_load(store, id, &e, &err))
		tap_bail("%s", err.what);
	const struct et_command *c = &e->commands[0];
	for (size_t i = 0; i < c->samples.n; i++)
		out[i] = sample_of(c, i)->ruling.removal.by == ET_REMOVED_DAEMON_CUTOFF ? 'd'
			 : sample_of(c, i)->ruling.removal.by == ET_KEPT                ? '.'
											: '?';
	out[c->samples.n] = '\0';
	et_experiment_free(e);
}

/* The environment and services of the runs; NULL: not known. */
static const struct et_learning_place *now;

static void check_removal(
	struct et_experiment *e, const char *want, struct et_warnings *notes, const char *label)
{
	char got[32];

	if (et_session_remove(store, e, now, notes, &err))
		tap_bail("%s", err.what);
	stored_removals(e->id, got);
	is_str(got, want, "%s", label);
	et_experiment_free(e);
}

static void test_removal(void)
{
	struct et_cutoff cron = { .daemon = "cron",
		.short_ms = 5,
		.long_ms = NAN,
		.period_s = NAN,
		.task_time_s = NAN,
		.final_ms = { 5, NAN },
		.n_final = 1 };
	struct et_cutoffs c = fitting(&cron, 1);
	struct et_warnings notes = { 0 };

	check_removal(measured("20261115-000000-000001", 8, 1000000000), "........", &notes,
		"removal: no sample is removed without cutoffs");
	ok(notes.n == 0, "removal: missing cutoffs raise no warning");

	c.learned_wall_ns = et_clock_real.wall_ns(NULL);
	if (et_cutoffs_keep(store, &c, &err))
		tap_bail("%s", err.what);
	/* Earlier versions kept them by the name of the host. */
	ET_AUTO_FREE char *text = NULL, *key = et_asprintf("daemon-cutoffs %s", c.host);
	if (et_store_get_fact(store, c.machine, "daemon-cutoffs", &text, &err) ||
		et_store_set_fact(store, "", key, text, &err))
		tap_bail("%s", err.what);
	check_removal(measured("20261115-000000-000002", 8, 1000000000), "..d.....", &notes,
		"removal: the store has the removal of a sample above a cutoff");
	ok(notes.n == 0, "removal: cutoffs that fit raise no warning");

	struct et_experiment *raw = measured("20261115-000000-000003", 8, 1000000000);
	raw->protocol = ET_PROTOCOL_RAW;
	check_removal(raw, "........", &notes, "removal: protocol raw removes no sample");

	struct et_experiment *all = measured("20261115-000000-000004", 8, 1000000000);
	all->plan.keep_all = true;
	check_removal(all, "........", &notes, "removal: --keep-all removes no sample");

	check_removal(measured("20261115-000000-000005", 8, 5000000000), "........", &notes,
		"removal: cutoffs do not remove samples of a much longer program");
	ok(notes.n == 1 && has(&notes, ET_WARN_CUTOFFS_OTHER_LENGTH),
		"removal: cutoffs of much shorter samples raise a warning");
	et_warnings_free(&notes);
}

static struct et_experiment *load(const char *id)
{
	struct et_experiment *e;

	if (et_store_load(store, id, &e, &err))
		tap_bail("%s", err.what);
	return e;
}

/* The cutoff of cron from before; experiments 1 and 4 were kept without it or with --keep-all. */
static void test_first_check(void)
{
	struct et_experiment *e = load("20261115-000000-000001");

	ok(e->first_check.state == ET_FIRST_CHECK_UNLEARNED,
		"first check: the store records that nothing was learned");
	et_experiment_free(e);
	e = load("20261115-000000-000002");
	ok(e->first_check.state == ET_FIRST_CHECK_DONE && e->first_check.cutoffs == 1 &&
			e->first_check.learned_wall_ns > NOW_NS / 2,
		"first check: the store records that it was done, and with what learning");
	et_experiment_free(e);
	e = load("20261115-000000-000003");
	ok(e->first_check.state == ET_FIRST_CHECK_NONE, "first check: protocol raw has none");
	et_experiment_free(e);
	e = load("20261115-000000-000005");
	ok(e->first_check.state == ET_FIRST_CHECK_LENGTH,
		"first check: the store records that the program took too long");
	et_experiment_free(e);
}

/* Another machine or CPU of the same host name does not use the cutoffs. */
static void test_elsewhere(void)
{
	struct et_warnings notes = { 0 };
	struct et_experiment *e = measured("20261115-000000-000006", 8, 1000000000);

	strcpy(e->host.cpu, "another CPU");
	check_removal(e, "........", &notes, "elsewhere: cutoffs of another CPU remove no sample");
	ok(notes.n == 1 && has(&notes, ET_WARN_CUTOFFS_OTHER_MACHINE),
		"elsewhere: cutoffs of another CPU raise a warning");
	et_warnings_free(&notes);
	e = measured("20261115-000000-000007", 8, 1000000000);
	strcpy(e->machine, "host 2");
	check_removal(
		e, "........", &notes, "elsewhere: cutoffs of another machine remove no sample");
	ok(notes.n == 1 && has(&notes, ET_WARN_CUTOFFS_OTHER_MACHINE),
		"elsewhere: cutoffs of another machine raise a warning");
	et_warnings_free(&notes);
	e = measured("20261115-000000-000008", 8, 1000000000);
	strcpy(e->machine, "host 1");
	strcpy(e->host.cpu, "another CPU");
	check_removal(e, "..d.....", &notes, "elsewhere: cutoffs of the same machine are used");
	ok(!has(&notes, ET_WARN_CUTOFFS_OTHER_MACHINE),
		"elsewhere: cutoffs of the same machine raise no such warning");
	et_warnings_free(&notes);
}

/* A learning that does not fit removes nothing, and the record says so. */
static void check_unfit(struct et_cutoffs *c, const char *id, const char *source, const char *want,
	const char *text, const char *label)
{
	struct et_rejudging how = { .protocol = ET_PROTOCOL_EMP, .metric = ET_METRIC_ELAPSED };
	struct et_warnings notes = { 0 };
	struct et_experiment *e = measured(id, 8, 1000000000);

	strcpy(e->machine, "host 1");
	free(e->snapshot_source);
	e->snapshot_source = et_strdup(source);
	if (et_cutoffs_keep(store, c, &err))
		tap_bail("%s", err.what);
	check_removal(e, want, &notes, label);
	e = load(id);
	if (text) {
		ok(notes.n == 1 && notes.list[0].code == ET_WARN_CUTOFFS_MISFIT &&
				!strcmp(notes.list[0].args[0].text, text),
			"%s: the warning says why", label);
		ok(e->first_check.state == ET_FIRST_CHECK_MISFIT &&
				e->first_check.learned_wall_ns == c->learned_wall_ns,
			"%s: the store records it", label);
		strcpy(e->machine, "host 1"); /* the store has it from the beginning only */
		ok(et_session_rejudge(store, e, &how, NULL, &err) == 0 &&
				e->first_check.state == ET_FIRST_CHECK_MISFIT,
			"%s: judged again, it does not use the same learning", label);
	} else {
		ok(notes.n == 0 && e->first_check.state == ET_FIRST_CHECK_DONE,
			"%s: the check is done", label);
	}
	et_experiment_free(e);
	et_warnings_free(&notes);
}

static void test_unfit(void)
{
	struct et_cutoff cron = { .daemon = "cron",
		.short_ms = 5,
		.long_ms = NAN,
		.period_s = NAN,
		.task_time_s = NAN,
		.final_ms = { 5, NAN },
		.n_final = 1 };
	struct et_cutoffs c = fitting(&cron, 1);
	const struct et_learning_place tuned = {
		.tuned = true, .factors = "turbo", .services = ""
	};

	c.learned_wall_ns = et_clock_real.wall_ns(NULL);
	c.short_runs = 39;
	check_unfit(&c, "20261115-000000-000011", "taskstats", "........", "from only 39 samples",
		"unfit: 39 samples");
	c.short_runs = 40;
	check_unfit(&c, "20261115-000000-000012", "taskstats", "..d.....", NULL, "fit: 40 samples");
	c.unseen = true;
	check_unfit(&c, "20261115-000000-000013", "taskstats+bpf", "........",
		"without seeing processes that end within a sample", "unfit: unseen processes");
	check_unfit(&c, "20261115-000000-000014", "proc+bpf", "..d.....", NULL,
		"fit: processes that nobody sees");
	c.unseen = false;
	now = &tuned;
	check_unfit(&c, "20261115-000000-000015", "taskstats", "........",
		"without the environment applied", "unfit: the environment is applied");
	c.tuned = true;
	strcpy(c.factors, "daemons,turbo");
	check_unfit(&c, "20261115-000000-000016", "taskstats", "........",
		"with other factors of the environment (daemons,turbo)", "unfit: other factors");
	strcpy(c.factors, "turbo");
	check_unfit(&c, "20261115-000000-000017", "taskstats", "..d.....", NULL,
		"fit: the same factors");
	now = NULL;
	strcpy(c.factors, "daemons,turbo");
	check_unfit(&c, "20261115-000000-000018", "taskstats", "..d.....", NULL,
		"fit: the factors are not known");
}

static void test_rejudge(void)
{
	struct et_rejudging how = { .protocol = ET_PROTOCOL_EMP, .metric = ET_METRIC_ELAPSED };
	const char *id = "20261115-000000-000004"; /* --keep-all */
	struct et_experiment *e = load(id);
	char got[32];

	ok(et_session_rejudge(store, e, &how, NULL, &err) == 0 &&
			et_command_check_counts(&e->commands[0]).first == 1 &&
			e->protocol == ET_PROTOCOL_EMP && !e->plan.keep_all &&
			e->first_check.state == ET_FIRST_CHECK_DONE,
		"rejudge: a kept experiment is judged by emp with the cutoffs of today");
	et_experiment_free(e);
	stored_removals(id, got);
	is_str(got, "........", "rejudge: the store is not changed");
	how.keep = true;
	e = load(id);
	ok(et_session_rejudge(store, e, &how, NULL, &err) == 0, "rejudge: the rulings are kept");
	et_experiment_free(e);
	stored_removals(id, got);
	is_str(got, "..d.....", "rejudge: the store has the new rulings");
	e = load(id);
	ok(e->protocol == ET_PROTOCOL_EMP && e->metric == ET_METRIC_ELAPSED && !e->metric_auto &&
			!e->plan.keep_all && e->first_check.state == ET_FIRST_CHECK_DONE,
		"rejudge: the store has the new protocol, metric and first check");
	how.protocol = ET_PROTOCOL_RAW;
	ok(et_session_rejudge(store, e, &how, NULL, &err) == 0, "rejudge: raw is accepted");
	et_experiment_free(e);
	stored_removals(id, got);
	is_str(got, "........", "rejudge: by raw the samples count again");
}

int main(void)
{
	if (!mkdtemp(folder))
		tap_bail("mkdtemp");
	ET_AUTO_FREE char *path = et_asprintf("%s/store.db", folder);
	if (et_store_open(path, ET_STORE_WRITE, &store, &err))
		tap_bail("%s", err.what);
	test_cutoff_warnings();
	test_removal();
	test_first_check();
	test_elsewhere();
	test_rejudge();
	test_unfit();
	et_store_close(store);
	ET_AUTO_FREE char *clean = et_asprintf("rm -rf %s", folder);
	ok(system(clean) == 0, "removal: the test cleans up");
	return tap_done();
}
