/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The states of tasks on the hosts, and the queue of those that wait for a host. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/parse.h"
#include "engine/ssh.h"

#include <errno.h>
#include <string.h>

enum { ASK_SECONDS = 40, START_SECONDS = 60 };
#define SECOND UINT64_C(1000000000)
#define LONGEST_PAUSE (30 * SECOND)

static struct et_ssh_job *find_job(struct et_ssh *s, uint32_t part)
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

void et_ssh_enqueue(struct et_ssh *s, uint32_t part, uint32_t generation, int bound)
{
	struct et_ssh_job *j = job_of(s, part, generation);

	if (j->generation == generation && j->state == ET_SSH_QUEUED)
		j->bound = bound;
}

static void set_why(char why[160], const char *text)
{
	snprintf(why, 160, "%.159s", text);
	for (char *c = why; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
}

/* Reads a whole number and what ends it. */
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

/* A question disturbs the measurement that it asks about: the longer it lasts, the rarer they are.
 */
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

	h->heard = true;
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
static void note_silence(struct et_ssh_host *h, const struct et_ssh_reply *r, uint64_t now_ns)
{
	struct et_error err = { 0 };

	if (!h->silent_since_ns)
		h->silent_since_ns = now_ns;
	uint64_t pause_ns = (now_ns - h->silent_since_ns) / 2 + SECOND;
	h->ask_again_ns = now_ns + (pause_ns < LONGEST_PAUSE ? pause_ns : LONGEST_PAUSE);
	(void)!et_ssh_failed(h, r, &err);
	set_why(h->why, err.what);
}

static void ask_hosts(struct et_ssh *s)
{
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	ET_AUTO_FREE size_t *hosts = et_calloc(s->n_hosts + 1, sizeof(*hosts));
	ET_AUTO_FREE char **scripts = et_calloc(s->n_hosts + 1, sizeof(*scripts));
	ET_AUTO_FREE struct et_ssh_reply *replies = et_calloc(s->n_hosts + 1, sizeof(*replies));
	size_t n = 0;

	for (size_t i = 0; i < s->n_hosts; i++) {
		if (s->hosts[i].ask_again_ns > now_ns)
			continue;
		hosts[n] = i;
		scripts[n++] = et_ssh_script_poll(s, &s->hosts[i]);
	}
	et_ssh_run(s, hosts, scripts, n, ASK_SECONDS, replies);
	now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n; i++) {
		if (replies[i].out && replies[i].answer.status != 255)
			hear(s, (int)hosts[i], replies[i].out, now_ns);
		else
			note_silence(&s->hosts[hosts[i]], &replies[i], now_ns);
		free(scripts[i]);
	}
	et_ssh_replies_free(replies, n);
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

/* The answer to an attempt to start a job on a host. */
static void take_start(
	struct et_ssh *s, struct et_ssh_job *j, int host, struct et_ssh_reply *r, uint64_t now_ns)
{
	struct et_ssh_host *h = &s->hosts[host];
	char *answer = r->out;

	if (answer)
		answer[strcspn(answer, "\n")] = '\0';
	if (!answer || r->answer.status == 255) {
		j->host = host;
		j->state = ET_SSH_UNSURE;
		note_silence(h, r, now_ns);
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
	ET_AUTO_FREE size_t *hosts = et_calloc(s->n_hosts + 1, sizeof(*hosts));
	ET_AUTO_FREE char **scripts = et_calloc(s->n_hosts + 1, sizeof(*scripts));
	ET_AUTO_FREE struct et_ssh_reply *replies = et_calloc(s->n_hosts + 1, sizeof(*replies));
	ET_AUTO_FREE struct et_ssh_job **jobs =
		et_calloc(s->n_hosts + 1, sizeof(struct et_ssh_job *));
	ET_AUTO_FREE bool *taken = et_calloc(s->n_jobs + 1, sizeof(*taken));
	size_t n = 0;

	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct et_ssh_host *h = &s->hosts[i];
		struct et_ssh_job *j = h->heard && !h->running && !h->silent_since_ns
					       ? next_for(s, (int)i, taken)
					       : NULL;
		const char *input = j ? input_of(s, j->generation) : NULL;

		if (!input)
			continue;
		taken[j - s->jobs] = true;
		hosts[n] = i;
		jobs[n] = j;
		scripts[n++] = et_ssh_script_start(s, h, j, input);
	}
	et_ssh_run(s, hosts, scripts, n, START_SECONDS, replies);
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n; i++) {
		take_start(s, jobs[i], (int)hosts[i], &replies[i], now_ns);
		free(scripts[i]);
	}
	et_ssh_replies_free(replies, n);
}

void et_ssh_update(struct et_ssh *s)
{
	ask_hosts(s);
	start_jobs(s);
}
