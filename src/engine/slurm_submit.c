/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Submits parts as job arrays: one per machine that parts name, and as many as the indices need. */
#include "base/alloc.h"
#include "base/parse.h"
#include "engine/slurm.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* slurm.conf(5): max_script_size is 4 MB. */
enum { MOST_SCRIPT = 4 << 20 };
/* Of one array; the list of its indices must fit into one argument (128 kB). */
enum { MOST_TASKS = 8000 };

/* A line that does not occur in the input. */
static char *choose_delimiter(const char *input)
{
	for (unsigned i = 0;; i++) {
		char *word = et_asprintf("END_OF_ETALON_JOB_%u", i);
		if (!strstr(input, word))
			return word;
		free(word);
	}
}

/*
 * The log is in the folder of the submission. Slurm starts a job in /tmp if its node lacks that
 * folder, and others could have made a link of the log's name there, as in every sticky folder:
 * then the log is below the user's own folder. Slurm itself would follow a link, so the shell opens
 * it.
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
	ET_AUTO_FREE char *etalon = et_join_words(argv);
	ET_AUTO_FREE char *end = choose_delimiter(input);
	ET_AUTO_FREE char *log = et_asprintf(open_log, s->name);
	size_t n = strlen(input);

	return et_asprintf("#!/bin/sh\n"
			   "%s"
			   "%s task --part $((SLURM_ARRAY_TASK_ID + %" PRIu32
			   ")) >>\"$log\" 2>&1 <<'%s'\n"
			   "%s%s"
			   "%s\n"
			   "status=$?\n"
			   "[ $status -ne 0 ] || [ \"$log\" = /dev/null ] || rm -f \"$log\"\n"
			   "exit $status\n",
		log, etalon, offset, end, input, n && input[n - 1] == '\n' ? "" : "\n", end);
}

static void add_sbatch(const struct et_slurm *s, struct et_words *w, const char *node,
	const char *indices, const char *comment)
{
	uint64_t limit_s = (s->setup->time_limit_ns + 999999999) / 1000000000;

	et_words_add(w, "sbatch");
	et_words_add(w, "--parsable");
	et_words_add(w, "--job-name=%s", s->name);
	et_words_add(w, "--comment=%s", comment);
	et_words_add(w, "--array=%s", indices);
	et_words_add(w, "--nodes=1");
	et_words_add(w, "--ntasks=1");
	et_words_add(w, "--exclusive");
	et_words_add(w, "--requeue");
	et_words_add(w, "--output=/dev/null"); /* see open_log */
	/* Slurm would give a job all nodes of a --nodelist. */
	if (node)
		et_words_add(w, "--nodelist=%s", node);
	else if (s->exclude)
		et_words_add(w, "--exclude=%s", s->exclude);
	if (limit_s)
		et_words_add(w, "--time=%" PRIu64 ":%02" PRIu64, limit_s / 60, limit_s % 60);
	et_slurm_add_options(s, w);
	for (const char *const *x = s->setup->extra; x && *x; x++)
		et_words_add(w, "%s", *x);
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
	struct et_words w = { 0 };
	struct et_answer answer;
	char comment[64];
	uint32_t id = 0;

	if (strlen(script) >= MOST_SCRIPT)
		return et_fail(err, E2BIG, ET_EXIT_USAGE,
			"the plan of a part is larger than a job script may be (4 MB)");
	et_slurm_write_comment(comment, sizeof(comment), b->generation, b->offset);
	add_sbatch(s, &w, b->node, indices, comment);
	int rc = et_slurm_call(s, &w, script, &answer, err);
	if (rc == -EIO && err) { /* for no reason that could pass */
		err->exit = ET_EXIT_USAGE;
		rc = et_hint(err, -EINVAL, "change --sbatch-option or the options of the engine");
	}
	if (rc)
		return rc;
	rc = read_id(answer.out, &id, err);
	if (!rc)
		et_append(name, ",", "%" PRIu32, id);
	et_answers_free(&answer, 1);
	return rc;
}

static int by_node_and_part(const void *a, const void *b)
{
	const struct et_job *x = a, *y = b;
	int node = strcmp(x->node ? x->node : "", y->node ? y->node : "");

	return node ? node : x->part < y->part ? -1 : x->part > y->part;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int by_array(const void *a, const void *b)
{
	const struct et_slurm_task *x = a, *y = b;

	return x->array < y->array ? -1 : x->array > y->array;
}

/*
 * The parts that have a job of this generation already: the process that submitted them may have
 * been killed before it could say so.
 */
static int find_submitted(const struct et_slurm *s, uint32_t generation, uint32_t **parts,
	size_t *n, char **name, struct et_error *err)
{
	ET_AUTO_FREE struct et_slurm_task *tasks = NULL;
	size_t n_tasks;
	uint32_t last = 0;
	int rc = et_slurm_tasks(s, &tasks, &n_tasks, err);

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

/*
 * A controller that was killed during a question to a node does not know that it was answered, and
 * keeps the node occupied.
 */
static void end_probes(const struct et_slurm *s)
{
	struct et_words w = { 0 };
	struct et_answer answer;

	et_words_add(&w, "scancel");
	et_words_add(&w, "--quiet");
	et_words_add(&w, "--user=%s", s->user);
	et_words_add(&w, "--name=%s-probe", s->name);
	if (et_slurm_call(s, &w, NULL, &answer, NULL) == 0)
		et_answers_free(&answer, 1);
}

int et_slurm_submit(struct et_engine *e, const struct et_job *jobs, size_t n, const char *input,
	uint32_t generation, char **name, struct et_error *err)
{
	struct et_slurm *s = (struct et_slurm *)e;
	ET_AUTO_FREE struct et_job *missing = et_calloc(n + 1, sizeof(*missing));
	ET_AUTO_FREE uint32_t *submitted = NULL;
	ET_AUTO_FREE char *arrays = NULL;
	size_t n_submitted, n_missing = 0;
	int rc = et_slurm_check(s, n, err);

	if (!rc)
		end_probes(s);
	if (!rc)
		rc = find_submitted(s, generation, &submitted, &n_submitted, &arrays, err);
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
