/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations of the engine; ssh.h explains how it works. */
#include "engine/ssh.h"
#include "base/clock.h"
#include "base/parse.h"

enum { ASK_SECONDS = 120, CANCEL_SECONDS = 60, POLL_SECONDS = 40, START_SECONDS = 60 };
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
		rc = et_fail_hint(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"run 'apt-get install openssh-client'",
			"--engine ssh: the program ssh is missing");
	et_answers_free(&a, 1);
	return rc;
}

static int ssh_open(
	const struct et_engine_setup *setup, struct et_engine **out, struct et_error *err)
{
	const char *id = setup->id ? setup->id : ""; /* part of paths on the hosts */
	struct et_ssh *s = et_calloc(1, sizeof(*s));

	s->base.ops = &et_engine_ssh;
	s->setup = *setup;
	s->lost_ns = LOST_NS;
	int rc = et_ssh_hosts_read(
		setup->hosts ? setup->hosts : "", setup->nodes, &s->hosts, &s->n_hosts, err);
	if (!rc && (setup->partition || setup->constraint || setup->account))
		rc = et_refuse(err, "omit them, or use --engine slurm",
			"--partition, --constraint and --account are options of Slurm");
	if (!rc && (!id[0] || id[0] == '.' || strchr(id, '/')))
		rc = et_refuse(err, NULL, "'%s' is no id of a campaign", id);
	rc = rc ?: check_program(err);
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

/* A node that is NULL is any: ET_SSH_NO_HOST. */
static int find_host(const struct et_ssh *s, const char *node, int *out, struct et_error *err)
{
	*out = node ? et_ssh_host_find(s->hosts, s->n_hosts, node) : ET_SSH_NO_HOST;
	if (node && *out == ET_SSH_NO_HOST)
		return et_refuse(err, NULL, "'%s' is none of the hosts of --engine ssh", node);
	return 0;
}

/* Sets *out to the answer to a question if the program ran, else fills err. */
static int take_answer(
	const struct et_ssh_talk *r, const char *program, char **out, struct et_error *err)
{
	const struct et_ssh_host *host = r->host;

	if (!r->out || r->answer.status == 255)
		return et_ssh_failed(host, &r->answer, err);
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
	int at;
	int rc = find_host(s, node, &at, err);

	if (rc)
		return rc;
	struct et_ssh_talk *talk = et_calloc(1, sizeof(*talk));
	*talk = (struct et_ssh_talk){ .host = &s->hosts[at],
		.script = et_ssh_script_ask(s, argv, input) };
	et_ssh_run(s, talk, 1, ASK_SECONDS);
	rc = take_answer(talk, argv[0], out, err);
	et_ssh_talks_free(talk, 1);
	return rc;
}

/* The states of tasks on the hosts, and the queue of those that wait for a host. */

#define SECOND UINT64_C(1000000000)
#define LONGEST_PAUSE (30 * SECOND)

static struct et_ssh_job *find_job(const struct et_ssh *s, uint32_t part)
{
	for (size_t i = 0; i < s->n_jobs; i++)
		if (s->jobs[i].part == part)
			return &s->jobs[i];
	return NULL;
}

/* Returns the job of a part, made anew if the known one is of an earlier submission. */
static struct et_ssh_job *job_of(struct et_ssh *s, uint32_t part, uint32_t generation)
{
	struct et_ssh_job *j = find_job(s, part);

	if (!j) {
		ET_GROW(s->jobs, s->n_jobs, s->room);
		j = &s->jobs[s->n_jobs++];
		*j = (struct et_ssh_job){ 0 };
	}
	if (j->generation < generation)
		*j = (struct et_ssh_job){ .part = part,
			.generation = generation,
			.bound = ET_SSH_NO_HOST,
			.host = ET_SSH_NO_HOST };
	return j;
}

static void set_why(char why[160], const char *text)
{
	snprintf(why, 160, "%.159s", text);
	for (char *c = why; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
}

static bool take_number(char **rest, char ender, uint64_t most, uint64_t *out)
{
	char *end = strchr(*rest, ender);

	if (!end)
		return false;
	*end = '\0';
	if (et_parse_u64("", *rest, 0, most, out, NULL))
		return false;
	*rest = end + 1;
	return true;
}

/* Reads "running", "lost" or "ended STATUS TEXT"; *text may be NULL. */
static bool take_state(char *rest, enum et_ssh_state *state, uint64_t *status, char **text)
{
	*status = 0;
	*text = NULL;
	*state = !strcmp(rest, "running") ? ET_SSH_RUNNING : ET_SSH_LOST;
	if (*state == ET_SSH_RUNNING || !strcmp(rest, "lost"))
		return true;
	if (strncmp(rest, "ended ", 6) != 0)
		return false;
	rest += 6;
	*text = strchr(rest, ' ');
	if (*text)
		*(*text)++ = '\0';
	*state = ET_SSH_ENDED;
	return et_parse_u64("", rest, 0, 255, status, NULL) == 0;
}

bool et_ssh_read_state(struct et_ssh *s, int host, char *line)
{
	uint64_t part, generation, status;
	enum et_ssh_state state;
	char *rest = line, *text;

	if (!take_number(&rest, '.', UINT32_MAX, &part) ||
		!take_number(&rest, ' ', UINT32_MAX, &generation) || !generation ||
		!take_state(rest, &state, &status, &text))
		return false;
	if (state == ET_SSH_RUNNING)
		s->hosts[host].running = true;
	struct et_ssh_job *j = job_of(s, (uint32_t)part, (uint32_t)generation);
	/* An attempt that was replaced, or one that another host was given as well. */
	if (j->generation != generation || (j->host != ET_SSH_NO_HOST && j->host != host))
		return true;
	j->host = host;
	j->seen = true;
	j->status = (int)status;
	j->state = state;
	set_why(j->why, text ? text : "");
	return true;
}

/* A host that answers knows all of its tasks: one that it does not list is not there. */
static void settle_unlisted(struct et_ssh *s, int host)
{
	for (size_t i = 0; i < s->n_jobs; i++) {
		struct et_ssh_job *j = &s->jobs[i];
		if (j->host != host || j->seen)
			continue;
		if (j->state == ET_SSH_UNSURE) {
			j->state = ET_SSH_QUEUED; /* j->host stays: no other host may start it */
		} else if (j->state == ET_SSH_RUNNING) {
			j->state = ET_SSH_LOST;
		}
	}
}

/* A question disturbs the measurement: the longer that lasts, the rarer they are. */
static void plan_question(struct et_ssh_host *h, uint64_t now_ns)
{
	if (!h->running)
		h->running_since_ns = 0;
	else if (!h->running_since_ns)
		h->running_since_ns = now_ns;
	uint64_t pause_ns = h->running ? (now_ns - h->running_since_ns) / 10 + SECOND / 5 : 0;
	h->ask_again_ns = now_ns + (pause_ns < LONGEST_PAUSE ? pause_ns : LONGEST_PAUSE);
}

static void hear(struct et_ssh *s, int host, char *out, uint64_t now_ns)
{
	struct et_ssh_host *h = &s->hosts[host];

	h->running = false;
	h->silent_since_ns = 0;
	h->why[0] = '\0';
	for (size_t i = 0; i < s->n_jobs; i++)
		s->jobs[i].seen = false;
	for (char *rest = out, *line; (line = strsep(&rest, "\n"));)
		(void)et_ssh_read_state(s, host, line);
	settle_unlisted(s, host);
	plan_question(h, now_ns);
}

/* Asks a silent host more and more rarely: each question costs the time of a failing connection. */
static void note_silence(const struct et_ssh_talk *r, uint64_t now_ns)
{
	struct et_ssh_host *h = r->host;
	struct et_error err = { 0 };

	if (!h->silent_since_ns)
		h->silent_since_ns = now_ns;
	uint64_t pause_ns = (now_ns - h->silent_since_ns) / 2 + SECOND;
	h->ask_again_ns = now_ns + (pause_ns < LONGEST_PAUSE ? pause_ns : LONGEST_PAUSE);
	(void)!et_ssh_failed(h, &r->answer, &err);
	set_why(h->why, err.what);
}

static void ask_hosts(struct et_ssh *s)
{
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_ssh_talk *talks = et_calloc(s->n_hosts, sizeof(*talks));
	size_t n = 0;

	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].ask_again_ns <= now_ns)
			talks[n++] = (struct et_ssh_talk){ .host = &s->hosts[i],
				.script = et_ssh_script_tasks(s, &s->hosts[i], et_ssh_poll) };
	}
	et_ssh_run(s, talks, n, POLL_SECONDS);
	now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n; i++) {
		if (talks[i].out && talks[i].answer.status != 255)
			hear(s, (int)(talks[i].host - s->hosts), talks[i].out, now_ns);
		else
			note_silence(&talks[i], now_ns);
	}
	et_ssh_talks_free(talks, n);
}

/* --- the queue --- */

static struct et_ssh_job *next_for(struct et_ssh *s, int host, const bool *taken)
{
	for (size_t i = 0; i < s->n_jobs; i++) {
		struct et_ssh_job *j = &s->jobs[i];
		if (j->state == ET_SSH_QUEUED && !taken[i] &&
			(j->bound == ET_SSH_NO_HOST || j->bound == host) &&
			(j->host == ET_SSH_NO_HOST || j->host == host))
			return j;
	}
	return NULL;
}

static const char *input_of(const struct et_ssh *s, uint32_t generation)
{
	for (size_t i = 0; i < s->n_inputs; i++)
		if (s->inputs[i].generation == generation)
			return s->inputs[i].text;
	return NULL;
}

static void take_start(const struct et_ssh *s, const struct et_ssh_talk *r, uint64_t now_ns)
{
	struct et_ssh_host *h = r->host;
	struct et_ssh_job *j = r->job;
	int host = (int)(h - s->hosts);
	char *answer = r->out;

	if (answer)
		answer[strcspn(answer, "\n")] = '\0';
	if (!answer || r->answer.status == 255) {
		j->host = host;
		j->state = ET_SSH_UNSURE;
		note_silence(r, now_ns);
	} else if (!strcmp(answer, "started")) {
		j->host = host;
		j->state = ET_SSH_RUNNING;
		h->running = true;
	} else if (!strcmp(answer, "busy")) {
		snprintf(j->why, sizeof(j->why), "%s runs another task", h->name);
	} else {
		j->host = host;
		j->state = ET_SSH_STUCK;
		set_why(j->why, answer[0] ? answer : r->answer.errors);
	}
}

/* Starts at most one job on each host that is free. */
static void start_jobs(struct et_ssh *s)
{
	struct et_ssh_talk *talks = et_calloc(s->n_hosts, sizeof(*talks));
	ET_AUTO_FREE bool *taken = et_calloc(s->n_jobs + 1, sizeof(*taken));
	size_t n = 0;

	for (size_t i = 0; i < s->n_hosts; i++) {
		struct et_ssh_host *h = &s->hosts[i];
		struct et_ssh_job *j = h->heard && !h->running && !h->silent_since_ns
					       ? next_for(s, (int)i, taken)
					       : NULL;
		const char *input = j ? input_of(s, j->generation) : NULL;

		if (!input)
			continue;
		taken[j - s->jobs] = true;
		talks[n++] = (struct et_ssh_talk){
			.host = h, .script = et_ssh_script_start(s, h, j, input), .job = j
		};
	}
	et_ssh_run(s, talks, n, START_SECONDS);
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n; i++)
		take_start(s, &talks[i], now_ns);
	et_ssh_talks_free(talks, n);
}

static int ssh_submit(struct et_engine *e, const struct et_job *jobs, size_t n, const char *input,
	uint32_t generation, char **name, struct et_error *err)
{
	struct et_ssh *s = ssh_of(e);
	ET_AUTO_FREE int *bound = et_calloc(n + 1, sizeof(*bound));

	for (size_t i = 0; i < n; i++) {
		int rc = find_host(s, jobs[i].node, &bound[i], err);
		if (rc)
			return rc;
	}
	ET_GROW(s->inputs, s->n_inputs, s->room_inputs);
	s->inputs[s->n_inputs++] = (struct et_ssh_input){ generation, et_strdup(input) };
	/* A part that was submitted before is replaced. */
	for (size_t i = 0; i < n; i++) {
		struct et_ssh_job *j = job_of(s, jobs[i].part, generation);
		if (j->generation == generation && j->state == ET_SSH_QUEUED)
			j->bound = bound[i];
	}
	ask_hosts(s);
	start_jobs(s);
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
	ask_hosts(s);
	start_jobs(s);
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n; i++) {
		struct et_job_report *r = &reports[i];
		const struct et_ssh_job *j = find_job(s, r->part);

		*r = (struct et_job_report){ .part = r->part };
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
	struct et_ssh_talk *talks = et_calloc(s->n_hosts, sizeof(*talks));
	int rc = 0;

	for (size_t i = 0; i < s->n_jobs; i++)
		if (s->jobs[i].state == ET_SSH_QUEUED)
			s->jobs[i].state = ET_SSH_LOST;
	for (size_t i = 0; i < s->n_hosts; i++)
		talks[i] = (struct et_ssh_talk){ .host = &s->hosts[i],
			.script = et_ssh_script_tasks(s, &s->hosts[i], et_ssh_cancel) };
	et_ssh_run(s, talks, s->n_hosts, CANCEL_SECONDS);
	for (size_t i = 0; i < s->n_hosts && !rc; i++) {
		if (!talks[i].out)
			rc = et_ssh_failed(talks[i].host, &talks[i].answer, err);
	}
	et_ssh_talks_free(talks, s->n_hosts);
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
