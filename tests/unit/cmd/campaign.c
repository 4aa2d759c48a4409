/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A whole campaign without a scheduler: an engine of the test runs `etalon task` in processes of
 * its own, and can refuse or be silent.
 */
#include "campaign/campaign.h"
#include "app/doe/doe.h"
#include "base/base.h"
#include "base/parse.h"
#include "cli/signals.h"
#include "host/host.h"
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/etalon-test-XXXXXX";
static struct et_error err;

/* --- the engine --- */

enum { MOST = 32 };

static struct {
	struct et_engine base;
	struct {
		pid_t pid; /* 0: not started */
		bool ended;
		int status;
		uint32_t generation;
	} jobs[MOST];
	int refusals; /* submissions that fail */
	int silences; /* polls that fail */
	int submissions;
	size_t submitted; /* jobs */
} fake;

static int fake_open(
	const struct et_engine_setup *setup, struct et_engine **out, struct et_error *e)
{
	(void)setup;
	(void)e;
	*out = &fake.base;
	return 0;
}

static void fake_close(struct et_engine *e)
{
	(void)e;
}

static int fake_nodes(struct et_engine *e, char ***out, struct et_error *error)
{
	(void)e;
	(void)error;
	*out = et_strv_of("n1", "n2", NULL);
	return 0;
}

/* The task itself, in a process of its own. */
static pid_t start(const char *input, uint32_t part, uint32_t restarts)
{
	FILE *job = tmpfile();
	char number[16], times[16];
	pid_t pid;

	if (!job || fputs(input, job) < 0 || fflush(job))
		tap_bail("no temporary file");
	snprintf(number, sizeof(number), "%u", part);
	snprintf(times, sizeof(times), "%u", restarts);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		char *argv[] = { (char *)"task", (char *)"--part", number, (char *)"--restarts",
			times, (char *)"--node", (char *)(part % 2 ? "n2" : "n1"), (char *)"-q",
			(char *)"--deliver-for", (char *)"1s", NULL };
		struct et_cli cli = { 0 };

		rewind(job);
		lseek(fileno(job), 0, SEEK_SET);
		dup2(fileno(job), STDIN_FILENO);
		if (!freopen("/dev/null", "w", stdout))
			_exit(99);
		_exit(et_verb_find("task")->run(&cli, 10, argv));
	}
	fclose(job);
	return pid;
}

static int fake_submit(struct et_engine *e, const struct et_job *jobs, size_t n, const char *input,
	uint32_t generation, char **name, struct et_error *error)
{
	(void)e;
	if (fake.refusals && fake.refusals--)
		return et_fail(error, EIO, ET_EXIT_OUTSIDE, "the scheduler is away");
	fake.submissions++;
	fake.submitted += n;
	for (size_t i = 0; i < n; i++) {
		uint32_t part = jobs[i].part;
		fake.jobs[part].pid = start(input, part, 0);
		fake.jobs[part].ended = false;
		fake.jobs[part].generation = generation;
	}
	*name = et_strdup("77");
	return 0;
}

static int fake_poll(
	struct et_engine *e, struct et_job_report *reports, size_t n, struct et_error *error)
{
	(void)e;
	if (fake.silences && fake.silences--)
		return et_fail(error, EIO, ET_EXIT_OUTSIDE, "the scheduler is away");
	for (size_t i = 0; i < n; i++) {
		int status;

		if (fake.jobs[i].pid && !fake.jobs[i].ended &&
			waitpid(fake.jobs[i].pid, &status, WNOHANG) > 0) {
			fake.jobs[i].ended = true;
			fake.jobs[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
		}
		if (fake.jobs[i].pid)
			reports[i] = (struct et_job_report){ .part = (uint32_t)i,
				.state = fake.jobs[i].ended ? ET_JOB_ENDED : ET_JOB_RUNNING,
				.generation = fake.jobs[i].generation,
				.status = fake.jobs[i].status };
	}
	return 0;
}

static int fake_cancel(struct et_engine *e, struct et_error *error)
{
	(void)e;
	(void)error;
	return 0;
}

static const struct et_engine_ops fake_ops = { .name = "fake",
	.open = fake_open,
	.close = fake_close,
	.nodes = fake_nodes,
	.submit = fake_submit,
	.poll = fake_poll,
	.cancel = fake_cancel };

/* --- campaigns --- */

static struct et_cli cli;
static struct et_campaigning r;
static char *url;

static void begin(const char *name, const char *command, uint32_t part_rounds)
{
	ET_AUTO_FREE char *text =
		et_asprintf("name: %s\n"
			    "programs: [{ name: p, command: '%s' }]\n"
			    "factors:\n"
			    "- { name: a, kind: parameter, levels: [0.01, 0.02] }\n"
			    "replications: 5\ndiscard: 1\n",
			name, command);
	struct et_plan_file plan;
	struct et_experiment *e = NULL;
	FILE *in = fmemopen(text, strlen(text), "r");

	memset(&fake, 0, sizeof(fake));
	fake.base.ops = &fake_ops;
	free(url);
	url = et_asprintf("sqlite:%s/%s.db", folder, name);
	cli = (struct et_cli){ .store = url,
		.verbosity = -1,
		.engine = { .engine = "slurm", .part_rounds = part_rounds, .no_preflight = true } };
	r = (struct et_campaigning){ .cli = &cli,
		.text = stdout,
		.interrupt = et_signals_install(),
		.any_store = true,
		.ops = &fake_ops };
	if (!in || et_plan_read(in, "p", &plan, &err) || et_doe_make(&plan, NULL, &e, &err))
		tap_bail("%s", err.what);
	fclose(in);
	struct et_campaign_plan p = {
		.kind = ET_CAMPAIGN_DOE, .label = name, .e = e, .no_ledger = true
	};
	if (et_campaigning_open(&r, &err) || et_campaigning_open_engine(&r, &p, &err) ||
		et_campaigning_begin(&r, &p, &err))
		tap_bail("%s", err.what);
	et_experiment_free(e);
	et_plan_file_free(&plan);
}

/* Returns to the campaign as another process would. */
static void attach(bool again)
{
	char id[40];

	memcpy(id, r.c->id, sizeof(id));
	et_campaigning_close(&r);
	r = (struct et_campaigning){ .cli = &cli,
		.text = stdout,
		.interrupt = et_signals_install(),
		.any_store = true,
		.ops = &fake_ops };
	if (et_campaigning_open(&r, &err) || et_campaigning_attach(&r, id, again, &err))
		tap_bail("%s", err.what);
}

/* Pretends that the last change of all parts was long ago. */
static void age(void)
{
	for (size_t i = 0; i < r.c->n_parts; i++)
		r.c->parts[i].changed_wall_ns = 0;
}

/* How many counted samples of a command a round has, over all experiments of done parts. */
static size_t count(uint32_t command, uint32_t round)
{
	size_t n = 0;

	for (size_t i = 0; i < r.c->n_parts; i++) {
		struct et_experiment *e = NULL;
		if (r.c->parts[i].state != ET_PART_DONE ||
			et_store_load(r.store, r.c->parts[i].experiment, &e, &err))
			continue;
		ET_AUTO_READER struct et_sample_reader all =
			et_samples_read_figures(&e->commands[command].samples);
		for (const struct et_sample *s; (s = et_sample_reader_next(&all));)
			n += !s->place.warmup && s->place.round == round;
		et_experiment_free(e);
	}
	return n;
}

static void check_complete(const char *what)
{
	bool once = true;

	for (uint32_t command = 0; command < 2; command++) {
		for (uint32_t round = 1; round <= 4; round++)
			once = once && count(command, round) == 1;
		once = once && count(command, 5) == 0 && count(command, 0) == 0;
	}
	ok(once, "%s: every planned sample is there once", what);
}

static void finish(void)
{
	et_campaigning_close(&r);
}

static void whole(void)
{
	begin("whole", "sleep {a}", 2);
	ok(r.c->n_parts == 2, "whole: 4 rounds are 2 parts");
	ok(et_campaigning_drive(&r, &err) == 0, "whole: the campaign ends (%s)", err.what);
	struct et_campaign_counts n = et_campaign_count(r.c);
	ok(n.done == 2 && fake.submissions == 1, "whole: one submission does all parts");
	is_str(r.c->parts[1].ran_on, "n2", "whole: the node of a part is recorded");
	check_complete("whole");
	attach(true);
	ok(et_campaigning_drive(&r, &err) == 0 && fake.submissions == 1,
		"whole: a campaign that is done submits nothing");
	finish();
}

static void troubles(void)
{
	begin("troubles", "sleep {a}", 2);
	fake.refusals = 2;
	fake.silences = 2;
	ok(et_campaigning_drive(&r, &err) == 0 && et_campaign_count(r.c).done == 2,
		"troubles: a scheduler that is away for a while is waited for");
	ok(r.c->parts[0].generation == 1, "troubles: a refused submission is no generation");
	check_complete("troubles");
	finish();
}

static void failing_program(void)
{
	begin("failing", "false {a}", 4);
	ok(et_campaigning_drive(&r, &err) == 0 && et_campaign_count(r.c).failed == 1,
		"failing: a part whose program fails has failed for good");
	ok(r.c->parts[0].error && strstr(r.c->parts[0].error, "exit status 1"),
		"failing: the reason is in the store (%s)",
		r.c->parts[0].error ? r.c->parts[0].error : "");
	ok(et_campaigning_conclude(&r) == ET_EXIT_PROGRAM, "failing: the exit status is 1");
	attach(false);
	ok(et_campaigning_drive(&r, &err) == 0 && fake.submissions == 1,
		"failing: to attach does not try it again");
	attach(true);
	ok(et_campaigning_drive(&r, &err) == 0 && fake.submissions == 2 &&
			r.c->parts[0].generation == 2,
		"failing: to continue tries it again, in another generation");
	finish();
}

/* One step; the parts are read again first, so that they can be made old. */
static bool step_aged(void)
{
	struct et_campaign_decision d;
	struct et_job_report reports[MOST] = { 0 };

	if (fake_poll(r.engine, reports, r.c->n_parts, &err) ||
		et_campaign_refresh(r.store, r.c, &err))
		tap_bail("%s", err.what);
	age();
	et_campaign_decide(r.c, reports, UINT64_MAX, &d);
	bool lost = d.to_submit > 0;
	et_campaign_decision_free(&d);
	return lost;
}

static void killed_submitter(void)
{
	const uint32_t all[] = { 0, 1 };

	begin("killed", "sleep {a}", 2);
	/* The submitter is killed after it recorded the generation, before it asked the engine. */
	ok(et_campaign_submit(r.store, r.c->id, 1, all, 2, &err) == 0 && step_aged(),
		"submitter: parts without jobs are found");
	attach(false);
	for (int i = 0; i < 2; i++) {
		if (et_campaign_fail_attempt(r.store, r.c->id, (uint32_t)i, 1000,
			    "its job disappeared", false, &err))
			tap_bail("%s", err.what);
	}
	ok(et_campaign_submit(r.store, r.c->id, 2, all, 2, &err) == 0,
		"submitter: the next one has another generation");
	finish();
}

/* How many samples the spool has of the first part. */
static size_t spooled(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = NULL;
	struct et_error ignored;
	char machine[96], id[40];
	size_t n = 0;

	et_host_identity("", machine, sizeof(machine));
	if (et_store_open(getenv("ETALON_SPOOL"), ET_STORE_READ, &s, &ignored))
		return 0;
	if (et_campaign_find_member(s, r.c->id, 0, machine, id, &ignored) == 0 &&
		et_store_load(s, id, &e, &ignored) == 0)
		n = e->commands[0].samples.n;
	et_experiment_free(e);
	et_store_close(s);
	return n;
}

static void wait_for_samples(void)
{
	for (int i = 0; i < 3000 && spooled() < 2; i++)
		usleep(10000);
}

/* A task that is killed while it measures continues its samples when it is started again. */
static void killed_task(void)
{
	char *text = NULL;
	size_t size;
	int status;

	begin("task", "sleep 0.2 {a}", 4);
	FILE *out = open_memstream(&text, &size);
	et_campaigning_print_job(&r, 1, out);
	fclose(out);
	pid_t pid = start(text, 0, 0);
	wait_for_samples();
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "task: it is killed while it measures");
	waitpid(start(text, 0, 1), &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "task: the second attempt succeeds");
	if (et_campaign_refresh(r.store, r.c, &err))
		tap_bail("%s", err.what);
	ok(r.c->parts[0].state == ET_PART_DONE && r.c->parts[0].attempt == 1001,
		"task: the part is done by the second attempt");
	check_complete("task");
	/* The first attempt comes back, as after a network partition. */
	char done[40];
	memcpy(done, r.c->parts[0].experiment, sizeof(done));
	waitpid(start(text, 0, 0), &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "task: a stale attempt ends quietly");
	if (et_campaign_refresh(r.store, r.c, &err))
		tap_bail("%s", err.what);
	ok(r.c->parts[0].attempt == 1001 && !strcmp(r.c->parts[0].experiment, done),
		"task: a stale attempt changes nothing");
	free(text);
	finish();
}

/* The central store is away until delivery is over: the spool keeps the result. */
static void absent_store(void)
{
	char *text = NULL;
	size_t size;
	int status;

	begin("absent", "sleep {a}", 4);
	FILE *out = open_memstream(&text, &size);
	et_campaigning_print_job(&r, 1, out);
	fclose(out);
	ET_AUTO_FREE char *path = et_asprintf("%s/absent.db", folder),
			  *away = et_asprintf("%s/away.db", folder);
	ET_AUTO_FREE char *hidden = et_asprintf("mv %s %s && mkdir %s", path, away, path),
			  *back = et_asprintf("rmdir %s && mv %s %s", path, away, path);
	et_store_close(r.store);
	r.store = NULL;
	if (system(hidden))
		tap_bail("cannot move the store");
	waitpid(start(text, 0, 0), &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == ET_EXIT_OUTSIDE,
		"absent: a task that cannot deliver has exit status 4");
	if (system(back))
		tap_bail("cannot move the store back");
	waitpid(start(text, 0, 1), &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		"absent: the next attempt delivers what the spool has");
	if (et_store_open(url, ET_STORE_WRITE, &r.store, &err) ||
		et_campaign_refresh(r.store, r.c, &err))
		tap_bail("%s", err.what);
	check_complete("absent");
	free(text);
	finish();
}

static void cancelling(void)
{
	begin("cancel", "sleep {a}", 2);
	ok(et_campaigning_cancel(&r, &err) == 0 && et_campaign_count(r.c).failed == 2,
		"cancel: parts that are not done have failed");
	struct et_error why = { 0 };
	ok(et_campaign_begin_attempt(r.store, r.c->id, 0, 1, "n1", NULL, &why) == -ESTALE,
		"cancel: an attempt that runs on changes nothing");
	attach(true);
	ok(et_campaigning_drive(&r, &err) == 0 && et_campaign_count(r.c).done == 2,
		"cancel: the campaign can be continued");
	check_complete("cancel");
	finish();
}

int main(void)
{
	char command[400], spool[200];

	if (!mkdtemp(folder))
		tap_bail("no temporary folder");
	snprintf(spool, sizeof(spool), "%s/spool.db", folder);
	setenv("ETALON_SPOOL", spool, 1);
	setenv("HOME", folder, 1);
	unsetenv("XDG_STATE_HOME");
	setenv("ETALON_JOURNAL", folder, 0);
	whole();
	troubles();
	failing_program();
	killed_submitter();
	killed_task();
	absent_store();
	cancelling();
	free(url);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ok(system(command) == 0, "the test's folder is removed");
	return tap_done();
}
