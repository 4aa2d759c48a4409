/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Slurm engine: parts are tasks of job arrays with the id of the campaign in their name. Its
 * programs are called; libslurm is not linked, because it changes with every release.
 */
#include "engine/slurm.h"
#include "base/clock.h"
#include "base/parse.h"

enum { CALL_SECONDS = 60, ASK_SECONDS = 60, ASK_BYTES = 1 << 20, ANSWER_BYTES = 64 << 20 };
/* A start that failed this often is not a matter of bad luck. */
enum { MOST_RELEASES = 3 };

static struct et_slurm *slurm_of(struct et_engine *e)
{
	return (struct et_slurm *)e;
}

static void add_options(const struct et_slurm *s, struct et_words *w)
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
	if (a->rc == -ETIMEDOUT)
		return et_quote(err,
			et_fail(err, EAGAIN, ET_EXIT_OUTSIDE, "Slurm: %s did not end within %u s",
				c->argv[0], c->seconds),
			a->errors);
	return a->rc ? a->rc : et_command_failed(c, a, err);
}

int et_slurm_call(
	const struct et_slurm *s, char **words, const char *input, char **out, struct et_error *err)
{
	struct et_answer answer;
	struct et_program_run c = { .argv = words,
		.input = input,
		.input_bytes = input ? strlen(input) : 0,
		.environment = s->environment,
		.seconds = CALL_SECONDS,
		.most_bytes = ANSWER_BYTES };
	int rc = et_command_run(&c, &answer, err);

	if (rc == -ENOENT)
		rc = et_hint(err, rc,
			"install Slurm's programs (Debian: slurm-client), or run this on a login "
			"node");
	else if (rc || answer.status)
		rc = explain(&c, &answer, err);
	if (rc || !out)
		et_answers_free(&answer, 1);
	else
		*out = answer.out;
	et_strv_free(words);
	return rc;
}

/* The tasks of this campaign that Slurm knows. The caller frees *out. */
static int list_tasks(
	const struct et_slurm *s, struct et_slurm_task **out, size_t *n, struct et_error *err)
{
	ET_AUTO_FREE char *answer = NULL;
	char **words = et_strv_of("squeue", "--noheader", "--states=all", s->by_user, s->by_name,
		"--Format=" ET_SLURM_FIELDS, NULL);

	return et_slurm_call(s, words, NULL, &answer, err)
		       ?: et_slurm_read_tasks(answer, out, n, err);
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

/* Whether it waits for some seconds: before, its machine may still end the last attempt. */
static bool is_settled(const struct et_slurm *s, const struct et_slurm_task *t)
{
	const int64_t delay_s = 120, settling_s = 5;
	ET_AUTO_FREE char *answer = NULL;
	ET_AUTO_FREE char *task = et_asprintf("%" PRIu32 "_%" PRIu32, t->array, t->index);
	int64_t start_s = 0;

	if (et_slurm_call(
		    s, et_strv_of("scontrol", "show", "job", task, NULL), NULL, &answer, NULL))
		return false;
	const char *start = strstr(answer, " StartTime=");
	if (start)
		start_s = strtoll(start + strlen(" StartTime="), NULL, 10);
	return start_s - (int64_t)(et_clock_real.wall_ns(NULL) / 1000000000) <=
	       delay_s - settling_s;
}

/* Lets a job start that Slurm delays; a failure only means that it waits longer. */
static void release(const struct et_slurm *s, struct et_slurm_task *t)
{
	if (t->report.restarts >= MOST_RELEASES && t->held) {
		t->report.state = ET_JOB_STUCK;
		return;
	}
	if (!t->held && !is_settled(s, t))
		return;
	ET_AUTO_FREE char *task =
		et_asprintf("%s%" PRIu32 "_%" PRIu32, t->held ? "" : "jobid=", t->array, t->index);
	(void)!et_slurm_call(s,
		et_strv_of("scontrol", t->held ? "release" : "update", task,
			t->held ? NULL : "StartTime=now", NULL),
		NULL, NULL, NULL);
}

static int find_part(const void *key, const void *report)
{
	return ET_ORDER(*(const uint32_t *)key, (*(struct et_job_report *const *)report)->part);
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
	int rc = list_tasks(s, &tasks, &n_tasks, err);

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
	const struct et_slurm *s = slurm_of(e);

	return et_slurm_call(
		s, et_strv_of("scancel", "--quiet", s->by_user, s->by_name, NULL), NULL, NULL, err);
}

static int explain_ask(const struct et_program_run *c, const struct et_answer *a, const char *node,
	const char *program, struct et_error *err)
{
	static const char *const busy[] = { "are busy", "Immediate execution impossible",
		"Unable to allocate resources: Resource temporarily unavailable" };

	for (size_t i = 0; i < ET_LENGTH(busy); i++)
		if (strstr(a->errors, busy[i]))
			return et_fail(err, EAGAIN, ET_EXIT_OUTSIDE, "%s is busy", node);
	if (strstr(a->errors, "execve()"))
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_OUTSIDE, "%s: %s was not found there", node,
				program),
			"install etalon on %s, or name its place with --etalon-path", node);
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
	static const char *const fixed[] = { "srun", "--quiet", "--immediate=5", "--nodes=1",
		"--ntasks=1", "--time=2", NULL };
	struct et_slurm *s = slurm_of(e);
	struct et_words w = { 0 };
	struct et_answer answer;

	et_words_add_all(&w, fixed);
	et_words_add(&w, "--job-name=%s-probe", s->name);
	et_words_add(&w, "--nodelist=%s", node);
	add_options(s, &w);
	et_words_add(&w, "--");
	et_words_add_all(&w, (const char *const *)argv);
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

/* Submits parts as job arrays: one per machine that parts name, and as many as the indices need. */

/* slurm.conf(5): max_script_size is 4 MB. */
enum { MOST_SCRIPT = 4 << 20 };
/* Of one array; the list of its indices must fit into one argument (128 kB). */
enum { MOST_TASKS = 8000 };

/*
 * The log is in the folder of the submission, or below the user's own: without that folder a job
 * starts in /tmp, where others could have made a link of its name. Slurm would follow the link.
 */
static const char open_log[] =
	"folder=.\n"
	"if [ -k . ] || [ ! -w . ]; then\n"
	"	folder=${XDG_STATE_HOME:-\"$HOME/.local/state\"}/etalon/logs\n"
	"	(umask 077 && mkdir -p \"$folder\") 2>/dev/null\n"
	"fi\n"
	"log=$folder/%s-${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID.log\n"
	"[ -w \"$folder\" ] || log=/dev/null\n";

static char *write_script(const struct et_slurm *s, const char *input, uint32_t offset)
{
	char *const argv[] = { (char *)(s->setup->etalon ? s->setup->etalon : "etalon"), NULL };
	ET_AUTO_FREE char *etalon = et_join_words(argv), *document = et_here_document(input);
	ET_AUTO_FREE char *log = et_asprintf(open_log, s->name);

	return et_asprintf("#!/bin/sh\n"
			   "%s"
			   "%s task --part $((SLURM_ARRAY_TASK_ID + %" PRIu32
			   ")) >>\"$log\" 2>&1 %s"
			   "status=$?\n"
			   "[ $status -ne 0 ] || [ \"$log\" = /dev/null ] || rm -f \"$log\"\n"
			   "exit $status\n",
		log, etalon, offset, document);
}

static void add_sbatch(const struct et_slurm *s, struct et_words *w, const char *node,
	const char *indices, const char *comment)
{
	/* The log is that of open_log. */
	static const char *const fixed[] = { "sbatch", "--parsable", "--nodes=1", "--ntasks=1",
		"--exclusive", "--requeue", "--output=/dev/null", NULL };
	uint64_t limit_s = (s->setup->time_limit_ns + 999999999) / 1000000000;

	et_words_add_all(w, fixed);
	et_words_add(w, "--job-name=%s", s->name);
	et_words_add(w, "--comment=%s", comment);
	et_words_add(w, "--array=%s", indices);
	/* Slurm would give a job all nodes of a --nodelist. */
	if (node)
		et_words_add(w, "--nodelist=%s", node);
	else if (s->exclude)
		et_words_add(w, "--exclude=%s", s->exclude);
	if (limit_s)
		et_words_add(w, "--time=%" PRIu64 ":%02" PRIu64, limit_s / 60, limit_s % 60);
	add_options(s, w);
	et_words_add_all(w, s->setup->extra);
}

/* Reads the id from "123" or "123;cluster". */
static int read_id(const char *text, uint32_t *id, struct et_error *err)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (end == text || !strchr(";\n", *end) || !value || value > UINT32_MAX)
		return et_fail(err, EPROTO, ET_EXIT_OUTSIDE,
			"sbatch printed '%.40s', which is no job id", text);
	*id = (uint32_t)value;
	return 0;
}

/* Parts that go into one array: their indices are part - offset. */
struct batch {
	const char *node;
	uint32_t offset, generation;
	uint32_t *indices;
	size_t n;
};

static int submit_batch(const struct et_slurm *s, const struct batch *b, const char *input,
	char **name, struct et_error *err)
{
	ET_AUTO_FREE char *indices = et_slurm_write_indices(b->indices, b->n);
	ET_AUTO_FREE char *script = write_script(s, input, b->offset);
	ET_AUTO_FREE char *answer = NULL;
	struct et_words w = { 0 };
	char comment[64];
	uint32_t id = 0;

	if (strlen(script) >= MOST_SCRIPT)
		return et_fail(err, E2BIG, ET_EXIT_USAGE,
			"the plan of a part is larger than a job script may be (4 MB)");
	snprintf(comment, sizeof(comment), ET_SLURM_COMMENT, b->generation, b->offset);
	add_sbatch(s, &w, b->node, indices, comment);
	int rc = et_slurm_call(s, w.argv, script, &answer, err);
	if (rc == -EIO && err) { /* for no reason that could pass */
		err->exit = ET_EXIT_USAGE;
		rc = et_hint(err, -EINVAL, "change --sbatch-option or the options of the engine");
	}
	rc = rc ?: read_id(answer, &id, err);
	if (!rc)
		et_append(name, ",", "%" PRIu32, id);
	return rc;
}

static int by_node_and_part(const void *a, const void *b)
{
	const struct et_job *x = a, *y = b;

	return strcmp(x->node ? x->node : "", y->node ? y->node : "") ?: ET_ORDER(x->part, y->part);
}

static int by_number(const void *a, const void *b)
{
	return ET_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int by_array(const void *a, const void *b)
{
	return ET_ORDER(
		((const struct et_slurm_task *)a)->array, ((const struct et_slurm_task *)b)->array);
}

/* Parts with a job of this generation: whoever submitted them may have been killed then. */
static int find_submitted(const struct et_slurm *s, uint32_t generation, uint32_t **parts,
	size_t *n, char **name, struct et_error *err)
{
	ET_AUTO_FREE struct et_slurm_task *tasks = NULL;
	size_t n_tasks;
	uint32_t last = 0;
	int rc = list_tasks(s, &tasks, &n_tasks, err);

	if (rc)
		return rc;
	*n = 0;
	*parts = et_calloc(n_tasks + 1, sizeof(**parts));
	if (n_tasks) /* those that run come first otherwise */
		qsort(tasks, n_tasks, sizeof(*tasks), by_array);
	for (size_t i = 0; i < n_tasks; i++) {
		if (tasks[i].report.generation != generation)
			continue;
		(*parts)[(*n)++] = tasks[i].report.part;
		if (tasks[i].array != last)
			et_append(name, ",", "%" PRIu32, tasks[i].array);
		last = tasks[i].array;
	}
	qsort(*parts, *n, sizeof(**parts), by_number);
	return 0;
}

/* Whether a job can be in the same array as those of the batch. */
static bool fits(const struct et_slurm *s, const struct batch *b, const struct et_job *job)
{
	return b->n < MOST_TASKS && job->part - b->offset < s->max_array &&
	       !strcmp(b->node ? b->node : "", job->node ? job->node : "");
}

static int submit_jobs(const struct et_slurm *s, const struct et_job *jobs, size_t n,
	const char *input, uint32_t generation, char **name, struct et_error *err)
{
	ET_AUTO_FREE uint32_t *indices = et_calloc(MOST_TASKS, sizeof(*indices));
	int rc = 0;

	for (size_t i = 0; i < n && !rc;) {
		/* Without a need for an offset, the index is the part. */
		uint32_t offset = jobs[i].part - jobs[i].part % (uint32_t)s->max_array;
		struct batch b = { jobs[i].node, offset, generation, indices, 0 };
		while (i < n && fits(s, &b, &jobs[i]))
			indices[b.n++] = jobs[i++].part - b.offset;
		rc = submit_batch(s, &b, input, name, err);
	}
	return rc;
}

static int slurm_submit(struct et_engine *e, const struct et_job *jobs, size_t n, const char *input,
	uint32_t generation, char **name, struct et_error *err)
{
	struct et_slurm *s = slurm_of(e);
	ET_AUTO_FREE struct et_job *missing = et_calloc(n + 1, sizeof(*missing));
	ET_AUTO_FREE uint32_t *submitted = NULL;
	ET_AUTO_FREE char *arrays = NULL, *probes = et_asprintf("%s-probe", s->by_name);
	size_t n_submitted, n_missing = 0;
	int rc = et_slurm_check(e, n, err);

	if (!rc) {
		/* A controller that was killed during a question keeps the node occupied. */
		(void)!et_slurm_call(s, et_strv_of("scancel", "--quiet", s->by_user, probes, NULL),
			NULL, NULL, NULL);
		rc = find_submitted(s, generation, &submitted, &n_submitted, &arrays, err);
	}
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (!bsearch(&jobs[i].part, submitted, n_submitted, sizeof(*submitted), by_number))
			missing[n_missing++] = jobs[i];
	qsort(missing, n_missing, sizeof(*missing), by_node_and_part);
	rc = submit_jobs(s, missing, n_missing, input, generation, &arrays, err);
	if (rc)
		return rc;
	*name = arrays ? arrays : et_strdup("");
	arrays = NULL;
	return 0;
}

const struct et_engine_ops et_engine_slurm = {
	.name = "slurm",
	.open = et_slurm_open,
	.close = et_slurm_close,
	.check = et_slurm_check,
	.nodes = et_slurm_nodes,
	.ask = slurm_ask,
	.submit = slurm_submit,
	.poll = slurm_poll,
	.cancel = slurm_cancel,
};
