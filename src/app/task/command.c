/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `etalon task`: measures one part of a campaign into the spool of this machine; ssh or a scheduler
 * starts it with a job (store/central/job.h) as input. It needs no server before it delivers.
 *
 * The record of a job decides which programs run. It is trusted because the owner of the campaign
 * wrote it and the job runs with their rights. No shell takes part but those of the plan.
 */
#include "app/task/task.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/parse.h"
#include "campaign/probe.h"
#include "cli/signals.h"
#include "host/host.h"
#include "source/input.h"
#include "store/central/campaign.h"

static const uint64_t SECOND_NS = 1000000000, DELIVER_NS = 600 * 1000000000ull;

struct options {
	uint32_t part, restarts;
	const char *node;
	uint64_t deliver_ns;
	bool probe;
	unsigned given;
};

enum { PART = 1, RESTARTS = 2 };

static const struct et_option options[] = {
	{ 0, "part", "N", "the number of the part (SLURM_ARRAY_TASK_ID)", et_set_u32,
		ET_FILLS(options, part), .hi = UINT32_MAX, .bit = PART },
	{ 0, "restarts", "N", "how often the job was started before (SLURM_RESTART_COUNT)",
		et_set_u32, ET_FILLS(options, restarts), .hi = UINT32_MAX, .bit = RESTARTS },
	{ 0, "node", "NAME", "the name of this machine (SLURMD_NODENAME, else the host name)",
		et_set_text, ET_FILLS(options, node) },
	{ 0, "deliver-for", "DUR", "how long to try to deliver the result (10 min)",
		et_set_duration, ET_FILLS(options, deliver_ns), .lo = SECOND_NS },
	{ 0, "probe", NULL, "print what this machine is, as JSON, and run nothing", et_set_true,
		ET_FILLS(options, probe) },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_task = {
	.name = "task",
	.summary = "run a part of a campaign; schedulers start this",
	.usage = "[options] <JOB",
	.about =
		"Reads a job from standard input, measures one part of its experiment into the\n"
		"spool of this machine, and delivers the result to the central store. 'etalon doe\n"
		"run --engine' writes such jobs and submits them; there is no need to do it by\n"
		"hand.",
	.examples = "  etalon task --part 3 <job.json   # needs a job\n",
	.options = options,
	.internal = true,
	.uses_store = true,
	.rights = ET_RIGHTS_MACHINE,
	.run = run,
};

/* A variable of Slurm that is a number. */
static int from_variable(const char *name, uint32_t *out, bool *found, struct et_error *err)
{
	const char *text = getenv(name);
	uint64_t value = 0;

	*found = text && *text;
	if (!*found)
		return 0;
	int rc = et_parse_u64(name, text, 0, UINT32_MAX, &value, err);
	*out = (uint32_t)value;
	return rc;
}

static int find_place(struct et_task *t, const struct options *o, struct et_error *err)
{
	bool found = o->given & PART;
	uint32_t number = o->part, restarts = o->restarts;
	char host[sizeof(t->node)] = "";
	const char *node = o->node ? o->node : getenv("SLURMD_NODENAME");
	int rc = found ? 0 : from_variable("SLURM_ARRAY_TASK_ID", &number, &found, err);

	if (rc == 0 && !found)
		return et_refuse(err, "use --part N, or let Slurm start it as a job array",
			"task: the number of the part is not known");
	if (rc == 0 && !(o->given & RESTARTS))
		rc = from_variable("SLURM_RESTART_COUNT", &restarts, &found, err);
	if (rc)
		return rc;
	gethostname(host, sizeof(host) - 1);
	snprintf(t->node, sizeof(t->node), "%s", node && *node ? node : host);
	t->part = et_job_part(&t->job, number);
	t->attempt = et_attempt_number(t->job.generation, restarts);
	et_host_identity("", t->machine, sizeof(t->machine));
	if (t->part)
		return 0;
	return et_fail(err, ENOENT, ET_EXIT_USAGE, "task: the job has no part %u", number);
}

void et_task_log(const struct et_task *t, const char *format, ...)
{
	va_list list;

	if (t->cli->verbosity < 0)
		return;
	va_start(list, format);
	ET_AUTO_FREE char *text = et_vasprintf(format, list);
	va_end(list);
	et_say(stderr, "etalon: part %u, attempt %u, on %s: %s\n", t->part->number, t->attempt,
		t->node, text);
}

/*
 * The programs do not see variables of Slurm: their lengths change the size of the environment, and
 * so times. By ETALON_STORE, et_environ_make hides passwords of a server, too.
 */
static void hide_variables(const struct et_task *t)
{
	setenv("ETALON_STORE", t->job.store, 1);
	for (char **p = environ; *p;) {
		size_t length = strcspn(*p, "=");
		ET_AUTO_FREE char *name = !strncmp(*p, "SLURM", 5) ? et_strndup(*p, length) : NULL;

		if (name)
			unsetenv(name); /* the next one takes its place */
		else
			p++;
	}
}

/* The steps; each leaves everything durable, so the task may be killed between and within them. */
static int perform(struct et_task *t, struct et_error *err)
{
	int rc = et_task_announce(t, err);

	if (rc)
		return rc;
	hide_variables(t);
	rc = et_task_measure(t, err);
	if (rc == -EINTR)
		return rc;
	if (rc)
		return et_task_report_failure(t, rc, err);
	return et_task_deliver(t, err);
}

static int end(struct et_task *t, int rc, struct et_error *err)
{
	if (rc == -ESTALE) {
		et_task_log(t, "nothing to do: %s", err->what);
		return ET_EXIT_DONE;
	}
	if (rc == -EINTR) {
		et_task_log(t, "interrupted; every finished sample is in the spool");
		return 128 + t->interrupt->signal;
	}
	return rc ? et_cli_fail(err) : ET_EXIT_DONE;
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct options o = { .deliver_ns = DELIVER_NS };
	struct et_task t = { .cli = cli };
	ET_AUTO_FREE char *data = NULL;
	size_t size = 0;
	struct et_operands ops;
	struct et_error err = { 0 };
	int status = et_cli_parse_into(cli, &et_verb_task, argc, argv,
		&(struct et_cli_targets){ .ctx = &o, .given = &o.given }, &ops);

	if (status >= 0)
		return status;
	et_operands_free(&ops);
	if (o.probe)
		return et_task_probe(cli->store, stdout, &err) ? et_cli_fail(&err) : ET_EXIT_DONE;
	t.deliver_ns = o.deliver_ns;
	t.interrupt = et_signals_install();
	int rc = et_input_read("-", ET_JOB_MOST_BYTES, &data, &size, &err)
		?: et_job_read(data, size, &t.job, &err) ?: find_place(&t, &o, &err);
	status = rc ? et_cli_fail(&err) : end(&t, perform(&t, &err), &err);
	et_job_free(&t.job);
	return status;
}
