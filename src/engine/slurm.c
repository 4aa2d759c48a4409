/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Slurm engine: the parts of a campaign are tasks of job arrays. All jobs of a campaign have
 * its id in their name, by which also another process finds them. Slurm's programs are called;
 * libslurm is not linked, because it changes with every release.
 */
#include "engine/slurm.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_SECONDS = 60, ASK_SECONDS = 60, ASK_BYTES = 1 << 20, ANSWER_BYTES = 64 << 20 };
/* A start that failed this often is not a matter of bad luck. */
enum { MOST_RELEASES = 3 };

static struct et_slurm *slurm_of(struct et_engine *e)
{
	return (struct et_slurm *)e;
}

void et_words_add(struct et_words *w, const char *fmt, ...)
{
	va_list ap;

	if (w->n + 2 > w->room) {
		w->room = 2 * w->room + 16;
		w->argv = et_realloc(w->argv, w->room, sizeof(*w->argv));
	}
	va_start(ap, fmt);
	w->argv[w->n++] = et_vasprintf(fmt, ap);
	va_end(ap);
	w->argv[w->n] = NULL;
}

void et_slurm_add_options(const struct et_slurm *s, struct et_words *w)
{
	const struct et_engine_setup *u = s->setup;

	if (u->partition)
		et_words_add(w, "--partition=%s", u->partition);
	if (u->constraint)
		et_words_add(w, "--constraint=%s", u->constraint);
	if (u->account)
		et_words_add(w, "--account=%s", u->account);
	et_words_add(w, "%s", s->export);
}

/* Messages of Slurm's programs, what they mean, and what to do. */
static const struct {
	const char *text;
	int errnum;
	enum et_exit exit;
	const char *hint;
} troubles[] = {
	{ "Unable to contact slurm controller", EAGAIN, ET_EXIT_OUTSIDE,
		"ask for its state with 'scontrol ping'; the administrator starts slurmctld" },
	{ "Socket timed out", EAGAIN, ET_EXIT_OUTSIDE,
		"the controller is overloaded: try again later, or use larger parts" },
	{ "Zero Bytes were transmitted", EAGAIN, ET_EXIT_OUTSIDE,
		"the controller was restarted: try again" },
	{ "Unexpected message received", EAGAIN, ET_EXIT_OUTSIDE,
		"the controller was restarted: try again" },
	{ "temporarily unable to accept", EAGAIN, ET_EXIT_OUTSIDE,
		"the controller has too many jobs: try again later, or use larger parts" },
	{ "configuration source", ENOENT, ET_EXIT_ENVIRONMENT,
		"set SLURM_CONF to the cluster's slurm.conf, or run this on a login node" },
	{ "configuration file", ENOENT, ET_EXIT_ENVIRONMENT,
		"set SLURM_CONF to the cluster's slurm.conf, or run this on a login node" },
	{ "s_p_parse_file", ENOENT, ET_EXIT_ENVIRONMENT,
		"set SLURM_CONF to the cluster's slurm.conf, or run this on a login node" },
	{ "Protocol authentication error", EACCES, ET_EXIT_OUTSIDE,
		"check munge with 'munge -n | unmunge'; the key and the clock must be the "
		"cluster's" },
	{ "Munge encode failed", EACCES, ET_EXIT_ENVIRONMENT,
		"start munged on this machine: systemctl start munge" },
	{ "Invalid account", EINVAL, ET_EXIT_USAGE,
		"use an --account that 'sacctmgr show assoc' lists" },
	{ "Invalid feature specification", EINVAL, ET_EXIT_USAGE,
		"list the features with 'sinfo -o %f' and change --constraint" },
	{ "Invalid partition", EINVAL, ET_EXIT_USAGE, "list the partitions with 'sinfo -s'" },
	{ "Requested time limit is invalid", EINVAL, ET_EXIT_USAGE,
		"use a --time-limit-part within the limit of the partition ('sinfo -s')" },
	{ "Invalid job array", EINVAL, ET_EXIT_USAGE, "use more rounds per part (--part-rounds)" },
	{ "Job violates accounting/QOS policy", EINVAL, ET_EXIT_USAGE,
		"use more rounds per part (--part-rounds), or another --account" },
	{ "reservation is invalid", EINVAL, ET_EXIT_USAGE,
		"list the reservations with 'scontrol show reservation' and change "
		"--sbatch-option" },
	{ "node configuration is not available", EINVAL, ET_EXIT_USAGE,
		"no machine has what --sbatch-option asks for; see 'scontrol show nodes'" },
	{ "Memory specification can not be satisfied", EINVAL, ET_EXIT_USAGE,
		"no machine has what --sbatch-option asks for; see 'scontrol show nodes'" },
	{ "unrecognized option", EINVAL, ET_EXIT_USAGE, "list the options with 'sbatch --help'" },
	{ "invalid option", EINVAL, ET_EXIT_USAGE, "list the options with 'sbatch --help'" },
};

static int explain(const struct et_program_run *c, const struct et_answer *a, struct et_error *err)
{
	for (size_t i = 0; i < ET_LENGTH(troubles); i++) {
		if (!strstr(a->errors, troubles[i].text))
			continue;
		int rc = et_fail(
			err, troubles[i].errnum, troubles[i].exit, "Slurm: %s failed", c->argv[0]);
		return et_hint(err, et_quote(err, rc, a->errors), "%s", troubles[i].hint);
	}
	if (a->rc == -ETIMEDOUT) {
		int rc = et_fail(err, EAGAIN, ET_EXIT_OUTSIDE, "Slurm: %s did not end within %u s",
			c->argv[0], c->seconds);
		return et_quote(err, rc, a->errors);
	}
	return a->rc ? a->rc : et_command_failed(c, a, err);
}

int et_slurm_call(const struct et_slurm *s, struct et_words *words, const char *input,
	struct et_answer *answer, struct et_error *err)
{
	struct et_program_run c = { .argv = words->argv,
		.input = input,
		.input_bytes = input ? strlen(input) : 0,
		.environment = s->environment,
		.seconds = CALL_SECONDS,
		.most_bytes = ANSWER_BYTES };
	int rc = et_command_run(&c, answer, err);

	if (rc == -ENOENT)
		rc = et_hint(err, rc,
			"install Slurm's programs (Debian: slurm-client), or run this on a login "
			"node");
	else if (rc || answer->status)
		rc = explain(&c, answer, err);
	if (rc)
		et_answers_free(answer, 1);
	et_strv_free(words->argv);
	*words = (struct et_words){ 0 };
	return rc;
}

int et_slurm_tasks(
	const struct et_slurm *s, struct et_slurm_task **out, size_t *n, struct et_error *err)
{
	struct et_words w = { 0 };
	struct et_answer answer;

	et_words_add(&w, "squeue");
	et_words_add(&w, "--noheader");
	et_words_add(&w, "--states=all");
	et_words_add(&w, "--user=%s", s->user);
	et_words_add(&w, "--name=%s", s->name);
	et_words_add(&w, "--Format=%s", ET_SLURM_FIELDS);
	int rc = et_slurm_call(s, &w, NULL, &answer, err);
	if (rc)
		return rc;
	rc = et_slurm_read_tasks(answer.out, out, n, err);
	et_answers_free(&answer, 1);
	return rc;
}

/* Whether a task describes its part better than another: a job that lives, or else a later one. */
static bool is_better(const struct et_slurm_task *a, const struct et_slurm_task *b)
{
	static const int rank[] = { [ET_JOB_UNKNOWN] = 0,
		[ET_JOB_ENDED] = 1,
		[ET_JOB_STUCK] = 2,
		[ET_JOB_WAITING] = 3,
		[ET_JOB_RUNNING] = 4 };
	int by_state = rank[a->report.state] - rank[b->report.state];

	return by_state > 0 || (by_state == 0 && a->report.generation >= b->report.generation);
}

/*
 * Whether Slurm made the job wait some seconds ago. Before that its machine may still end the last
 * attempt, and a new one would fail there.
 */
static bool is_settled(const struct et_slurm *s, const struct et_slurm_task *t)
{
	const int64_t delay_s = 120, settling_s = 5;
	struct et_words w = { 0 };
	struct et_answer answer;
	int64_t start_s = 0;

	et_words_add(&w, "scontrol");
	et_words_add(&w, "show");
	et_words_add(&w, "job");
	et_words_add(&w, "%" PRIu32 "_%" PRIu32, t->array, t->index);
	if (et_slurm_call(s, &w, NULL, &answer, NULL))
		return false;
	const char *start = strstr(answer.out, " StartTime=");
	if (start)
		start_s = strtoll(start + strlen(" StartTime="), NULL, 10);
	et_answers_free(&answer, 1);
	return start_s - (int64_t)(et_clock_real.wall_ns(NULL) / 1000000000) <=
	       delay_s - settling_s;
}

/* Lets a job start that Slurm delays; a failure only means that it waits longer. */
static void release(const struct et_slurm *s, struct et_slurm_task *t)
{
	struct et_words w = { 0 };
	struct et_answer answer;

	if (t->report.restarts >= MOST_RELEASES && t->held) {
		t->report.state = ET_JOB_STUCK;
		return;
	}
	if (!t->held && !is_settled(s, t))
		return;
	et_words_add(&w, "scontrol");
	et_words_add(&w, t->held ? "release" : "update");
	et_words_add(&w, t->held ? "%" PRIu32 "_%" PRIu32 : "jobid=%" PRIu32 "_%" PRIu32, t->array,
		t->index);
	if (!t->held)
		et_words_add(&w, "StartTime=now");
	if (et_slurm_call(s, &w, NULL, &answer, NULL) == 0)
		et_answers_free(&answer, 1);
}

static int find_part(const void *key, const void *report)
{
	uint32_t a = *(const uint32_t *)key;
	uint32_t b = (*(struct et_job_report *const *)report)->part;

	return a < b ? -1 : a > b;
}

static int by_part(const void *a, const void *b)
{
	return find_part(&(*(struct et_job_report *const *)a)->part, b);
}

struct latest {
	struct et_job_report **reports; /* by part */
	const struct et_slurm_task **best;
	size_t n;
	const struct et_slurm_task *cancelled; /* an array before any of its tasks started */
};

static void consider(struct latest *l, const struct et_slurm_task *t)
{
	if (t->report.part == ET_SLURM_ALL_PARTS) {
		if (!l->cancelled || is_better(t, l->cancelled))
			l->cancelled = t;
		return;
	}
	struct et_job_report **found = bsearch(
		&t->report.part, l->reports, l->n, sizeof(struct et_job_report *), find_part);
	if (!found)
		return;
	size_t i = (size_t)(found - l->reports);
	if (!l->best[i] || is_better(t, l->best[i]))
		l->best[i] = t;
}

static void report_parts(struct latest *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct et_job_report *r = l->reports[i];
		const struct et_slurm_task *t = l->best[i] ? l->best[i] : l->cancelled;
		uint32_t part = r->part;
		if (t)
			*r = t->report;
		else
			memset(r, 0, sizeof(*r));
		r->part = part;
	}
}

static int slurm_poll(
	struct et_engine *e, struct et_job_report *reports, size_t n, struct et_error *err)
{
	struct et_slurm *s = slurm_of(e);
	ET_AUTO_FREE struct et_slurm_task *tasks = NULL;
	ET_AUTO_FREE struct et_job_report **sorted = et_calloc(n + 1, sizeof(*sorted));
	ET_AUTO_FREE const struct et_slurm_task **best = et_calloc(n + 1, sizeof(*best));
	struct latest l = { sorted, best, n, NULL };
	size_t n_tasks;
	int rc = et_slurm_tasks(s, &tasks, &n_tasks, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &reports[i];
	if (n)
		qsort(sorted, n, sizeof(struct et_job_report *), by_part);
	for (size_t i = 0; i < n_tasks; i++) {
		if (tasks[i].release)
			release(s, &tasks[i]);
		consider(&l, &tasks[i]);
	}
	report_parts(&l);
	return 0;
}

static int slurm_cancel(struct et_engine *e, struct et_error *err)
{
	struct et_slurm *s = slurm_of(e);
	struct et_words w = { 0 };
	struct et_answer answer;

	et_words_add(&w, "scancel");
	et_words_add(&w, "--quiet");
	et_words_add(&w, "--user=%s", s->user);
	et_words_add(&w, "--name=%s", s->name);
	int rc = et_slurm_call(s, &w, NULL, &answer, err);
	if (!rc)
		et_answers_free(&answer, 1);
	return rc;
}

static int slurm_check(struct et_engine *e, size_t jobs, struct et_error *err)
{
	return et_slurm_check(slurm_of(e), jobs, err);
}

/* Explains why a command failed on a node. */
static int explain_ask(const struct et_program_run *c, const struct et_answer *a, const char *node,
	const char *program, struct et_error *err)
{
	static const char *const busy[] = { "are busy", "Immediate execution impossible",
		"Unable to allocate resources: Resource temporarily unavailable" };

	for (size_t i = 0; i < ET_LENGTH(busy); i++)
		if (strstr(a->errors, busy[i]))
			return et_fail(err, EAGAIN, ET_EXIT_OUTSIDE, "%s is busy", node);
	if (strstr(a->errors, "execve()")) {
		int rc = et_fail(
			err, ENOENT, ET_EXIT_OUTSIDE, "%s: %s was not found there", node, program);
		return et_hint(err, rc,
			"install etalon on %s, or name its place with --etalon-path", node);
	}
	if (a->rc == -EINTR)
		return a->rc;
	if (a->rc || strstr(a->errors, "srun: error: Unable"))
		return explain(c, a, err);
	int rc = et_fail(err, EIO, ET_EXIT_OUTSIDE, "%s: %s failed with exit status %d", node,
		program, a->status);
	return et_quote(err, rc, a->errors);
}

static int slurm_ask(struct et_engine *e, const char *node, char *const *argv, const char *input,
	char **out, struct et_error *err)
{
	struct et_slurm *s = slurm_of(e);
	struct et_words w = { 0 };
	struct et_answer answer;

	et_words_add(&w, "srun");
	et_words_add(&w, "--quiet");
	et_words_add(&w, "--immediate=5");
	et_words_add(&w, "--job-name=%s-probe", s->name);
	et_words_add(&w, "--nodelist=%s", node);
	et_words_add(&w, "--nodes=1");
	et_words_add(&w, "--ntasks=1");
	et_words_add(&w, "--time=2");
	et_slurm_add_options(s, &w);
	et_words_add(&w, "--");
	for (char *const *a = argv; *a; a++)
		et_words_add(&w, "%s", *a);
	struct et_program_run c = { .argv = w.argv,
		.input = input,
		.input_bytes = input ? strlen(input) : 0,
		.environment = s->environment,
		.seconds = ASK_SECONDS,
		.most_bytes = ASK_BYTES,
		.stop = s->setup->stop };
	int rc = et_command_run(&c, &answer, err);
	if (rc || answer.status)
		rc = explain_ask(&c, &answer, node, argv[0], err);
	if (!rc)
		*out = et_strndup(answer.out, answer.n);
	et_answers_free(&answer, 1);
	et_strv_free(w.argv);
	return rc;
}

const struct et_engine_ops et_engine_slurm = {
	.name = "slurm",
	.open = et_slurm_open,
	.close = et_slurm_close,
	.check = slurm_check,
	.nodes = et_slurm_nodes,
	.ask = slurm_ask,
	.submit = et_slurm_submit,
	.poll = slurm_poll,
	.cancel = slurm_cancel,
};
