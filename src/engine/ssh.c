/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations of the engine; ssh.h explains how it works. */
#include "engine/ssh.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parse.h"

#include <errno.h>
#include <string.h>

enum { ASK_SECONDS = 120, CANCEL_SECONDS = 60 };
#define LOST_NS (UINT64_C(300) * 1000000000)

static struct et_ssh *ssh_of(struct et_engine *e)
{
	return (struct et_ssh *)e;
}

static void ssh_close(struct et_engine *e)
{
	struct et_ssh *s = e ? ssh_of(e) : NULL;

	if (!s)
		return;
	et_ssh_folder_remove(s);
	et_ssh_hosts_free(s->hosts, s->n_hosts);
	for (size_t i = 0; i < s->n_inputs; i++)
		free(s->inputs[i].text);
	free(s->inputs);
	free(s->jobs);
	free(s->copy);
	free(s);
}

static int check_program(struct et_error *err)
{
	char *argv[] = { (char *)"ssh", (char *)"-V", NULL };
	struct et_program_run c = { .argv = argv, .seconds = 20, .most_bytes = 4096 };
	struct et_answer a;
	int rc = et_command_run(&c, &a, err);

	if (rc == -ENOENT)
		rc = et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
				"--engine ssh: the program ssh is missing"),
			"run 'apt-get install openssh-client'");
	et_answers_free(&a, 1);
	return rc;
}

/* The id is part of paths on the hosts. */
static int check_id(const char *id, struct et_error *err)
{
	if (!id || !id[0] || id[0] == '.' || strchr(id, '/'))
		return et_fail(
			err, EINVAL, ET_EXIT_USAGE, "'%s' is no id of a campaign", id ? id : "");
	return 0;
}

static int ssh_open(
	const struct et_engine_setup *setup, struct et_engine **out, struct et_error *err)
{
	struct et_ssh *s = et_calloc(1, sizeof(*s));
	int rc;

	s->base.ops = &et_engine_ssh;
	s->setup = *setup;
	s->lost_ns = LOST_NS;
	rc = et_ssh_hosts_read(
		setup->hosts ? setup->hosts : "", setup->nodes, &s->hosts, &s->n_hosts, err);
	if (!rc && (setup->partition || setup->constraint || setup->account))
		rc = et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--partition, --constraint and --account are options of Slurm"),
			"omit them, or use --engine slurm");
	if (!rc)
		rc = check_id(setup->id, err);
	if (!rc)
		rc = check_program(err);
	if (!rc) {
		et_ssh_folder_make(s);
		rc = setup->copy ? et_ssh_copy(s, err) : 0;
	}
	if (rc) {
		ssh_close(&s->base);
		return rc;
	}
	*out = &s->base;
	return 0;
}

static int ssh_nodes(struct et_engine *e, char ***out, struct et_error *err)
{
	const struct et_ssh *s = ssh_of(e);
	char **names = et_calloc(s->n_hosts + 1, sizeof(*names));

	(void)err;
	for (size_t i = 0; i < s->n_hosts; i++)
		names[i] = et_strdup(s->hosts[i].name);
	*out = names;
	return 0;
}

static int find_host(const struct et_ssh *s, const char *node, size_t *out, struct et_error *err)
{
	int at = et_ssh_host_find(s, node);

	if (at < 0)
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"'%s' is none of the hosts of --engine ssh", node);
	*out = (size_t)at;
	return 0;
}

/* Sets *out to the answer to a question if the program ran, else fills err. */
static int take_answer(const struct et_ssh_host *host, const struct et_ssh_reply *r,
	const char *program, char **out, struct et_error *err)
{
	if (!r->out || r->answer.status == 255)
		return et_ssh_failed(host, r, err);
	if (!strncmp(r->out, ET_SSH_BUSY "\n", strlen(ET_SSH_BUSY "\n")))
		return et_fail(err, EAGAIN, ET_EXIT_OUTSIDE, "%s runs another task", host->name);
	if (r->answer.status == 127 || r->answer.status == 126)
		return et_hint(err,
			et_quote(err,
				et_fail(err, r->answer.status == 127 ? ENOENT : EACCES,
					ET_EXIT_OUTSIDE, "%s cannot run %s", host->name, program),
				r->answer.errors),
			"install it there, or name its path");
	if (r->answer.status)
		return et_quote(err,
			et_fail(err, EPROTO, ET_EXIT_OUTSIDE, "%s ended with exit status %d on %s",
				program, r->answer.status, host->name),
			r->answer.errors);
	*out = et_strdup(r->out);
	return 0;
}

/* Several threads call this, so it changes nothing but hosts[at].heard, each of its own host. */
static int ssh_ask(struct et_engine *e, const char *node, char *const *argv, const char *input,
	char **out, struct et_error *err)
{
	struct et_ssh *s = ssh_of(e);
	struct et_ssh_reply reply;
	size_t at = 0;
	int rc = find_host(s, node, &at, err);

	if (rc)
		return rc;
	ET_AUTO_FREE char *script = et_ssh_script_ask(s, argv, input);
	et_ssh_run(s, &at, &script, 1, ASK_SECONDS, &reply);
	rc = take_answer(&s->hosts[at], &reply, argv[0], out, err);
	if (reply.out)
		s->hosts[at].heard = true;
	et_ssh_replies_free(&reply, 1);
	return rc;
}

static int ssh_submit(struct et_engine *e, const struct et_job *jobs, size_t n, const char *input,
	uint32_t generation, char **name, struct et_error *err)
{
	struct et_ssh *s = ssh_of(e);
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		int rc = jobs[i].node ? find_host(s, jobs[i].node, &at, err) : 0;
		if (rc)
			return rc;
	}
	ET_GROW(s->inputs, s->n_inputs, s->room_inputs);
	s->inputs[s->n_inputs++] = (struct et_ssh_input){ generation, et_strdup(input) };
	for (size_t i = 0; i < n; i++)
		et_ssh_enqueue(s, jobs[i].part, generation,
			jobs[i].node ? et_ssh_host_find(s, jobs[i].node) : ET_SSH_NO_HOST);
	et_ssh_update(s);
	*name = et_asprintf("ssh-%u", generation);
	return 0;
}

/* --- reports --- */

static bool is_lost(const struct et_ssh *s, const struct et_ssh_host *h, uint64_t now_ns)
{
	return h->silent_since_ns && now_ns - h->silent_since_ns > s->lost_ns;
}

/* A part that nobody knows may run on a host that has not answered yet. */
static void report_unknown(const struct et_ssh *s, uint64_t now_ns, struct et_job_report *r)
{
	r->state = ET_JOB_UNKNOWN;
	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct et_ssh_host *h = &s->hosts[i];
		if (h->heard || is_lost(s, h, now_ns))
			continue;
		r->state = ET_JOB_WAITING;
		snprintf(r->why, sizeof(r->why), "waiting for an answer: %.130s", h->why);
	}
}

static void report_job(const struct et_ssh *s, const struct et_ssh_job *j, uint64_t now_ns,
	struct et_job_report *r)
{
	static const enum et_job_state states[] = {
		[ET_SSH_QUEUED] = ET_JOB_WAITING,
		[ET_SSH_UNSURE] = ET_JOB_WAITING,
		[ET_SSH_RUNNING] = ET_JOB_RUNNING,
		[ET_SSH_ENDED] = ET_JOB_ENDED,
		[ET_SSH_LOST] = ET_JOB_UNKNOWN,
		[ET_SSH_STUCK] = ET_JOB_STUCK,
	};
	int at = j->host != ET_SSH_NO_HOST ? j->host : j->bound;
	const struct et_ssh_host *h = at == ET_SSH_NO_HOST ? NULL : &s->hosts[at];
	bool open = j->state == ET_SSH_UNSURE || j->state == ET_SSH_RUNNING;

	r->generation = j->generation;
	r->state = states[j->state];
	r->status = j->status;
	/* A shell's way to say that there is no such program, or that it cannot be executed. */
	r->final = j->state == ET_SSH_ENDED && (j->status == 127 || j->status == 126);
	snprintf(r->node, sizeof(r->node), "%s", h ? h->name : "");
	snprintf(r->why, sizeof(r->why), "%s", j->why);
	if (!h || !h->silent_since_ns)
		return;
	snprintf(r->why, sizeof(r->why), "%.155s", h->why);
	/* Its task may still run: the attempt that replaces it has a larger number. */
	if (open && is_lost(s, h, now_ns))
		r->state = ET_JOB_UNKNOWN;
}

static int ssh_poll(
	struct et_engine *e, struct et_job_report *reports, size_t n, struct et_error *err)
{
	struct et_ssh *s = ssh_of(e);

	(void)err; /* a host that does not answer is part of the reports */
	et_ssh_update(s);
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n; i++) {
		struct et_job_report *r = &reports[i];
		const struct et_ssh_job *j = NULL;

		*r = (struct et_job_report){ .part = r->part };
		for (size_t k = 0; !j && k < s->n_jobs; k++)
			j = s->jobs[k].part == r->part ? &s->jobs[k] : NULL;
		if (j)
			report_job(s, j, now_ns, r);
		else
			report_unknown(s, now_ns, r);
	}
	return 0;
}

static int ssh_cancel(struct et_engine *e, struct et_error *err)
{
	struct et_ssh *s = ssh_of(e);
	ET_AUTO_FREE size_t *hosts = et_calloc(s->n_hosts + 1, sizeof(*hosts));
	ET_AUTO_FREE char **scripts = et_calloc(s->n_hosts + 1, sizeof(*scripts));
	ET_AUTO_FREE struct et_ssh_reply *replies = et_calloc(s->n_hosts + 1, sizeof(*replies));
	int rc = 0;

	for (size_t i = 0; i < s->n_jobs; i++)
		if (s->jobs[i].state == ET_SSH_QUEUED)
			s->jobs[i].state = ET_SSH_LOST;
	for (size_t i = 0; i < s->n_hosts; i++) {
		hosts[i] = i;
		scripts[i] = et_ssh_script_cancel(s, &s->hosts[i]);
	}
	et_ssh_run(s, hosts, scripts, s->n_hosts, CANCEL_SECONDS, replies);
	for (size_t i = 0; i < s->n_hosts; i++) {
		if (replies[i].out)
			s->hosts[i].heard = true;
		else if (!rc)
			rc = et_ssh_failed(&s->hosts[i], &replies[i], err);
		free(scripts[i]);
	}
	et_ssh_replies_free(replies, s->n_hosts);
	return rc;
}

const struct et_engine_ops et_engine_ssh = {
	.name = "ssh",
	.open = ssh_open,
	.close = ssh_close,
	.nodes = ssh_nodes,
	.ask = ssh_ask,
	.submit = ssh_submit,
	.poll = ssh_poll,
	.cancel = ssh_cancel,
};
