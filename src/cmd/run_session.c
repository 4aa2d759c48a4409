/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/run_session.h"
#include "base/alloc.h"
#include "cmd/claim.h"
#include "cmd/kept.h"
#include "host/host.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

extern char **environ;

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
	int rc = et_claim(e->id, &s->claim, err);
	if (rc == 0)
		rc = et_runner_open(e, environ, s->interrupt, &s->runner, err);
	if (rc)
		return rc;
	e->image_source = et_strdup(et_runner_image_source(s->runner));
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
	rc = et_claim(id, &s->claim, err);
	if (rc)
		return rc;
	et_host_read("", &now);
	if (strcmp(now.kernel, kept->host.kernel) || strcmp(now.cpu, kept->host.cpu))
		fprintf(stderr, "etalon: warning: resumed on another kernel or CPU (%s, %s)\n",
			now.kernel, now.cpu);
	rc = et_runner_open(kept, environ, s->interrupt, &s->runner, err);
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
