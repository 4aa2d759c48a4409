/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/run_session.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/kept.h"
#include "cmd/run_sanity.h"
#include "host/host.h"
#include "protocol/driver.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

extern char **environ;

/* Who takes the program's CPU: without it the run goes on, and says so. */
static int open_runner(struct et_session *s, struct et_error *err)
{
	struct et_error why;
	int rc = et_runner_open(s->e, environ, s->interrupt, &s->runner, err);

	if (rc == 0 && !s->options.no_ledger &&
		et_runner_open_ledger(s->runner, ET_SCHED_ANY, &why))
		et_warn(&s->notes, "who takes the program's CPU is not told: %s", why.what);
	return rc;
}

/* A new experiment: the host as it is now, an id, a seed. */
static int begin(struct et_session *s, struct et_error *err)
{
	struct et_experiment *e = s->e;
	uint64_t random[2] = { 0 };

	if (getrandom(random, sizeof(random), 0) < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "random numbers");
	et_experiment_name(e, et_clock_real.wall_ns(NULL), random[0]);
	if (!s->options.seed_given)
		e->plan.seed = random[1] >> 11; /* every JSON reader keeps 53 bits */
	e->child.directory = get_current_dir_name();
	int rc = et_store_claim(s->store, e->id, err);
	if (rc == 0)
		rc = open_runner(s, err);
	if (rc)
		return rc;
	e->snapshot_source = et_runner_snapshot_source(s->runner);
	return et_store_begin(s->store, e, err);
}

/* An interrupted one: plan, seed, commands and finished samples as they were kept. */
static int resume(struct et_session *s, const struct et_operands *ops, struct et_error *err)
{
	struct et_run_options *o = &s->options;
	const char *name = o->resume_id ? o->resume_id : ops->n_before ? ops->before[0] : NULL;
	struct et_experiment *kept;
	struct et_host now;
	char id[40];

	if (o->plan_given || ops->n_before + ops->n_after > (o->resume_id ? 0u : 1u))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--resume goes on with the plan as it was and takes no other"),
			"leave commands and options of the plan away, or start a new experiment");

	int rc = name ? et_store_find(s->store, name, id, err)
		      : et_store_find_unfinished(s->store, id, err);
	if (rc == 0)
		rc = et_store_load(s->store, id, &kept, err);
	if (rc)
		return rc;
	et_experiment_free(s->e);
	s->e = o->e = kept;
	if (kept->state == ET_STATE_DONE)
		return et_hint(err,
			et_fail(err, EALREADY, ET_EXIT_USAGE, "experiment %s is finished", id),
			"etalon show %s prints it", id);
	rc = et_store_claim(s->store, id, err);
	if (rc)
		return rc;
	et_host_read("", &now);
	if (strcmp(now.kernel, kept->host.kernel) || strcmp(now.cpu, kept->host.cpu))
		fprintf(stderr, "etalon: warning: resumed on another kernel or CPU (%s, %s)\n",
			now.kernel, now.cpu);
	rc = open_runner(s, err);
	return rc ? rc : et_store_set_state(s->store, id, ET_STATE_RUNNING, 0, err);
}

int et_session_prepare(struct et_session *s, const struct et_operands *ops, struct et_error *err)
{
	int rc = s->options.resume ? 0 : et_run_options_finish(&s->options, ops, err);

	if (rc == 0)
		rc = et_outputs_open(&s->options.outputs, err);
	if (rc == 0)
		rc = et_kept_open(s->cli, ET_STORE_WRITE, &s->store, err);
	if (rc == 0)
		rc = et_tuning_begin(&s->tuning, s->cli, s->options.env,
			s->options.resume ? NULL : s->e, s->talk, err);
	if (rc)
		return rc;
	if (s->options.resume)
		return resume(s, ops, err);
	et_host_read("", &s->e->host);
	return begin(s, err);
}

static int keep(void *ctx, const struct et_sample *s, size_t n, struct et_error *err)
{
	struct et_session *ses = ctx;

	(void)err;
	et_recorder_keep(&ses->recorder, s, n);
	return 0;
}

static int settle(void *ctx, uint64_t next_ns, struct et_error *err)
{
	struct et_session *ses = ctx;

	return et_recorder_settle(&ses->recorder, next_ns, err);
}

/* What is removed has to be in the store first. */
static int judge(void *ctx, struct et_error *err)
{
	struct et_session *ses = ctx;
	struct et_warnings later = { 0 }; /* said once, at the end */
	int rc = et_recorder_flush(&ses->recorder, err);

	if (rc == 0)
		rc = et_run_sanity(ses->store, ses->e, &later, err);
	et_warnings_free(&later);
	return rc;
}

static void note(void *ctx, const struct et_progress_note *n)
{
	struct et_session *ses = ctx;
	struct et_progress_state state = { .name = n->command->name,
		.done = n->done,
		.total = n->total,
		.elapsed_ns = n->elapsed_ns,
		.time_limit_ns = ses->e->plan.time_limit_ns };

	et_progress_draw(&ses->progress, &state, et_clock_read_ns(CLOCK_MONOTONIC));
}

int et_session_drive(struct et_session *s, struct et_error *err)
{
	struct et_driver d = { .e = s->e,
		.executor = et_runner_executor(s->runner),
		.clock = &et_clock_real,
		.settle = settle,
		.keep = keep,
		.judge = judge,
		.note = note,
		.ctx = s };

	s->recorder =
		(struct et_recorder){ .store = s->store, .id = s->e->id, .clock = &et_clock_real };
	/* The program's own output would land on the line. */
	bool shown = s->e->child.output && !strcmp(s->e->child.output, "inherit");
	s->progress = (struct et_progress){ .out = s->cli->progress && !shown ? stderr : NULL,
		.width = s->cli->columns };
	int rc = et_drive(&d, err);
	int rc2 = et_recorder_flush(&s->recorder, rc ? NULL : err);
	rc = rc ? rc : rc2;
	et_progress_erase(&s->progress);
	et_runner_close(s->runner);
	s->runner = NULL;
	if (rc == 0 || rc == -EINTR) {
		rc2 = et_run_sanity(s->store, s->e, &s->notes, rc ? NULL : err);
		rc = rc ? rc : rc2;
	}
	s->e->state = rc == 0        ? ET_STATE_DONE
		      : rc == -EINTR ? ET_STATE_INTERRUPTED
				     : ET_STATE_FAILED;
	s->e->finished_wall_ns = et_clock_real.wall_ns(NULL);
	rc2 = et_store_set_state(
		s->store, s->e->id, s->e->state, s->e->finished_wall_ns, rc ? NULL : err);
	return rc ? rc : rc2;
}

void et_session_close(struct et_session *s)
{
	et_runner_close(s->runner);
	et_recorder_free(&s->recorder);
	et_warnings_free(&s->notes);
	et_store_close(s->store);
	et_run_options_free(&s->options);
}

int et_session_run(struct et_cli *cli, struct et_interrupt *interrupt, const char *const *words,
	char id[40], struct et_error *err)
{
	const struct et_option *tables[] = { et_run_options, NULL };
	struct et_session s = { .cli = cli, .talk = stderr, .interrupt = interrupt };
	struct et_operands ops;
	int argc = 0;

	while (words[argc])
		argc++;
	/* The parser sorts them. */
	ET_AUTO_FREE char **argv = et_calloc((size_t)argc + 1, sizeof(*argv));
	memcpy(argv, words, (size_t)argc * sizeof(*argv));
	id[0] = '\0';
	et_run_options_init(&s.options);
	s.e = s.options.e;
	int rc = et_options_parse(tables, argc, argv, et_run_options_handle, &s.options, &ops, err);
	if (rc == 0) {
		rc = et_session_prepare(&s, &ops, err);
		if (rc == 0)
			rc = et_session_drive(&s, err);
		et_tuning_end(&s.tuning, cli);
		snprintf(id, 40, "%s", s.e->id);
		et_operands_free(&ops);
	}
	et_session_close(&s);
	return rc;
}
