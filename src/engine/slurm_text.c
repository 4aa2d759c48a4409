/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/slurm_text.h"
#include "base/parse.h"

#include <ctype.h>
#include <sys/wait.h>

/* Reads a number without a sign; false: there is none, or it is larger than `most`. */
static bool read_number(const char **text, uint64_t most, uint64_t *out)
{
	uint64_t value = 0;
	const char *p = *text;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++) {
		value = 10 * value + (uint64_t)(*p - '0');
		if (value > most)
			return false;
	}
	*text = p;
	*out = value;
	return true;
}

static bool read_after(const char **text, const char *word, uint64_t most, uint64_t *out)
{
	size_t n = strlen(word);

	if (strncmp(*text, word, n) != 0)
		return false;
	*text += n;
	return read_number(text, most, out);
}

static bool read_comment(const char *text, uint32_t *generation, uint32_t *offset)
{
	uint64_t g, o;

	if (!read_after(&text, "etalon generation=", UINT32_MAX, &g) ||
		!read_after(&text, " offset=", INT32_MAX, &o) || (*text && *text != '|'))
		return false;
	*generation = (uint32_t)g;
	*offset = (uint32_t)o;
	return true;
}

/* --- states and reasons --- */

static const struct {
	const char *name;
	enum et_job_state state;
	bool final;
	const char *why;
} states[] = {
	{ "PENDING", ET_JOB_WAITING, false, "" },
	{ "CONFIGURING", ET_JOB_WAITING, false, "the machine boots" },
	{ "REQUEUED", ET_JOB_WAITING, false, "" },
	{ "REQUEUE_FED", ET_JOB_WAITING, false, "" },
	{ "RUNNING", ET_JOB_RUNNING, false, "" },
	{ "COMPLETING", ET_JOB_RUNNING, false, "it ends" },
	{ "SIGNALING", ET_JOB_RUNNING, false, "" },
	{ "STAGE_OUT", ET_JOB_RUNNING, false, "" },
	{ "RESIZING", ET_JOB_RUNNING, false, "" },
	{ "SUSPENDED", ET_JOB_STUCK, false, "suspended: use scontrol resume" },
	{ "STOPPED", ET_JOB_STUCK, false, "stopped by a signal" },
	{ "REQUEUE_HOLD", ET_JOB_STUCK, false, "held: use scontrol release" },
	{ "SPECIAL_EXIT", ET_JOB_STUCK, false, "held: use scontrol release" },
	{ "RESV_DEL_HOLD", ET_JOB_STUCK, false, "its reservation was deleted" },
	{ "COMPLETED", ET_JOB_ENDED, false, "" },
	{ "FAILED", ET_JOB_ENDED, false, "" },
	{ "CANCELLED", ET_JOB_ENDED, true, "cancelled" },
	{ "TIMEOUT", ET_JOB_ENDED, true,
		"longer than its time limit: use a longer --time-limit-part" },
	{ "DEADLINE", ET_JOB_ENDED, true, "its deadline has passed" },
	{ "OUT_OF_MEMORY", ET_JOB_ENDED, true, "out of memory" },
	{ "NODE_FAIL", ET_JOB_ENDED, false, "the machine failed" },
	{ "BOOT_FAIL", ET_JOB_ENDED, false, "the machine did not boot" },
	{ "PREEMPTED", ET_JOB_ENDED, false, "preempted by another job" },
	{ "REVOKED", ET_JOB_ENDED, false, "it runs on another cluster" },
};

/* Why a pending job waits. The first name that begins the reason counts. */
static const struct {
	const char *reason;
	bool stuck;
	const char *why; /* NULL: the reason itself */
} reasons[] = {
	{ "None", false, "" },
	{ "Priority", false, "other jobs are before it" },
	{ "Resources", false, "no machine is free" },
	{ "BeginTime", false, "it may not start yet" },
	{ "Cleaning", false, "its last attempt ends" },
	{ "PartitionDown", true, "the partition is down" },
	{ "PartitionInactive", true, "the partition is inactive" },
	{ "PartitionTimeLimit", true, "its time limit exceeds that of the partition" },
	{ "PartitionNodeLimit", true, "the partition lacks such a machine" },
	{ "BadConstraints", true, "no machine satisfies its constraints" },
	{ "InvalidAccount", true, "the account is not valid" },
	{ "InvalidQOS", true, "the QOS is not valid" },
	{ "JobHeldUser", true, "held: use scontrol release" },
	{ "JobHeldAdmin", true, "held by the administrator" },
	{ "DependencyNeverSatisfied", true, "its dependency is never satisfied" },
	{ "NodeDown", false, "its machine is down" },
	{ "ReqNodeNotAvail", false, NULL },
};

static void set_why(struct et_job_report *r, const char *why)
{
	snprintf(r->why, sizeof(r->why), "%s", why);
}

static void explain_waiting(struct et_slurm_task *t, const char *reason)
{
	struct et_job_report *r = &t->report;

	/* Slurm holds a job whose start failed, for instance because slurmd died at that moment. */
	if (!strncasecmp(reason, "launch", 6) && strstr(reason, "held")) {
		t->release = t->held = true;
		set_why(r, "its start failed");
		return;
	}
	/* Slurm lets a job that it starts again wait for two minutes. */
	t->release = r->restarts > 0 && !strcmp(reason, "BeginTime");
	for (size_t i = 0; i < ET_LENGTH(reasons); i++) {
		if (strncmp(reason, reasons[i].reason, strlen(reasons[i].reason)) != 0)
			continue;
		if (reasons[i].stuck)
			r->state = ET_JOB_STUCK;
		set_why(r, reasons[i].why ? reasons[i].why : reason);
		return;
	}
	set_why(r, reason);
}

/* The status that squeue prints is that of wait(2). */
static void explain_end(struct et_job_report *r, int status)
{
	const char *where = r->node[0] ? r->node : "the machine";

	r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (r->why[0]) {
		/* The scheduler ended it; its own status does not matter, and must not be 0. */
		r->status = r->status ? r->status : 128 + 15;
		return;
	}
	if (r->status > 128) { /* the shell of the script passes a signal on like this */
		snprintf(
			r->why, sizeof(r->why), "ended by signal %d on %s", r->status - 128, where);
	} else if (r->status == 126 || r->status == 127) {
		r->final = true;
		snprintf(r->why, sizeof(r->why), "%s on %s%s",
			r->status == 127 ? "etalon was not found" : "etalon cannot be executed",
			where, ": install it there, or use --etalon-path");
	} else if (r->status) {
		snprintf(r->why, sizeof(r->why), "exit status %d on %s", r->status, where);
	}
}

/* --- the lines of squeue --- */

enum field { ARRAY, INDICES, STATE, REASON, NODE, STATUS, RESTARTS, COMMENT, FIELDS };

/* Splits a line in place. The comment is the rest of the line. */
static bool split_fields(char *line, char *field[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		field[i] = line;
		if (i + 1 == n)
			break;
		line = strchr(line, '|');
		if (!line)
			return false;
		*line++ = '\0';
	}
	return true;
}

static bool read_whole(const char *text, uint64_t most, uint64_t *out)
{
	return read_number(&text, most, out) && !*text;
}

struct tasks {
	struct et_slurm_task *list;
	size_t n, room;
};

static bool add_range(struct tasks *to, struct et_slurm_task *like, uint32_t offset, uint64_t first,
	uint64_t last, uint64_t step)
{
	if (last < first || !step || (last - first) / step >= ET_SLURM_MOST_TASKS - to->n)
		return false;
	for (uint64_t i = first; i <= last; i += step) {
		ET_GROW(to->list, to->n, to->room);
		like->index = (uint32_t)i;
		like->report.part = (uint32_t)i + offset;
		to->list[to->n++] = *like;
	}
	return true;
}

/* Reads "4", "0-3,7", "0-900:2" or "0-9%2", where 2 tasks may run at the same time. */
static bool add_tasks(
	struct tasks *to, struct et_slurm_task *like, uint32_t offset, const char *indices)
{
	const uint64_t most = INT32_MAX;

	for (;;) {
		uint64_t first, last, step = 1;
		if (!read_number(&indices, most, &first))
			return false;
		last = first;
		if (*indices == '-' && !(indices++, read_number(&indices, most, &last)))
			return false;
		if (*indices == ':' && !(indices++, read_number(&indices, most, &step)))
			return false;
		if (!add_range(to, like, offset, first, last, step))
			return false;
		if (*indices == '%' || !*indices)
			return true;
		if (*indices++ != ',')
			return false;
	}
}

static bool read_state(struct et_slurm_task *t, char *const *field, int status)
{
	struct et_job_report *r = &t->report;

	for (size_t i = 0; i < ET_LENGTH(states); i++) {
		if (strcmp(field[STATE], states[i].name) != 0)
			continue;
		r->state = states[i].state;
		r->final = states[i].final;
		set_why(r, states[i].why);
		if (r->state == ET_JOB_WAITING)
			explain_waiting(t, field[REASON]);
		if (r->state == ET_JOB_ENDED)
			explain_end(r, status);
		return true;
	}
	/* A state of a later Slurm: it is better to wait than to submit it again. */
	r->state = ET_JOB_WAITING;
	set_why(r, field[STATE]);
	return field[STATE][0] != '\0';
}

/* Returns whether squeue prints such a line. */
static bool read_line(char *line, struct tasks *to)
{
	struct et_slurm_task t = { 0 };
	char *field[FIELDS];
	uint64_t array, status, restarts;
	uint32_t offset;

	if (!split_fields(line, field, FIELDS))
		return false;
	if (!read_comment(field[COMMENT], &t.report.generation, &offset))
		return true;
	if (!read_whole(field[ARRAY], UINT32_MAX, &array) ||
		!read_whole(field[STATUS], UINT32_MAX, &status) ||
		!read_whole(field[RESTARTS], UINT32_MAX, &restarts))
		return false;
	t.array = (uint32_t)array;
	t.report.restarts = (uint32_t)restarts;
	snprintf(t.report.node, sizeof(t.report.node), "%s", field[NODE]);
	if (!read_state(&t, field, (int)status))
		return false;
	if (isdigit((unsigned char)field[INDICES][0]))
		return add_tasks(to, &t, offset, field[INDICES]);
	t.report.part = ET_SLURM_ALL_PARTS;
	ET_GROW(to->list, to->n, to->room);
	to->list[to->n++] = t;
	return true;
}

static int fail_text(struct et_error *err, const char *program, const char *line)
{
	return et_fail_hint(err, EPROTO, ET_EXIT_OUTSIDE,
		"this version of Slurm may be too old or too new: 22.05 is known to work",
		"%s printed a line that is not understood: %.80s", program, line);
}

int et_slurm_read_tasks(
	const char *text, struct et_slurm_task **out, size_t *n, struct et_error *err)
{
	ET_AUTO_FREE char *copy = et_strdup(text);
	struct tasks tasks = { 0 };

	for (char *rest = copy, *line; (line = strsep(&rest, "\n"));) {
		if (*line && !read_line(line, &tasks)) {
			free(tasks.list);
			return fail_text(err, "squeue", line);
		}
	}
	*out = tasks.list;
	*n = tasks.n;
	return 0;
}

/* --- the answers of scontrol and sinfo --- */

bool et_slurm_read_setting(const char *text, const char *name, uint64_t *out)
{
	size_t n = strlen(name);

	for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		if (strncmp(p, name, n) != 0 || (p[n] != ' ' && p[n] != '='))
			continue;
		p += n;
		p += strspn(p, " =");
		return read_number(&p, UINT32_MAX, out);
	}
	return false;
}

int et_slurm_read_nodes(
	const char *text, struct et_slurm_node **out, size_t *n, struct et_error *err)
{
	ET_AUTO_FREE char *copy = et_strdup(text);
	struct et_slurm_node *list = NULL;
	size_t used = 0, room = 0;

	for (char *rest = copy, *line; (line = strsep(&rest, "\n"));) {
		char *field[4];
		if (!*line)
			continue;
		if (!split_fields(line, field, 4) || !field[0][0]) {
			et_slurm_nodes_free(list, used);
			return fail_text(err, "sinfo", line);
		}
		/* A node is listed once per partition. */
		if (used && !strcmp(list[used - 1].name, field[0]))
			continue;
		ET_GROW(list, used, room);
		list[used++] = (struct et_slurm_node){ et_strdup(field[0]), et_strdup(field[1]),
			et_strdup(field[2]), et_strdup(field[3]) };
	}
	*out = list;
	*n = used;
	return 0;
}

void et_slurm_nodes_free(struct et_slurm_node *nodes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(nodes[i].name);
		free(nodes[i].state);
		free(nodes[i].features);
		free(nodes[i].reason);
	}
	free(nodes);
}

bool et_slurm_node_is_usable(const char *state)
{
	static const char *const usable[] = { "idle", "mixed", "allocated", "completing", "planned",
		"reserved", "blocked", "unknown" /* the controller has just been started */ };
	/* Flags after the name: "*" does not answer, "~" is powered down. */
	size_t n = strcspn(state, "*$~#!%@^-");

	if (strpbrk(state + n, "*$"))
		return false;
	for (size_t i = 0; i < ET_LENGTH(usable); i++)
		if (strlen(usable[i]) == n && !strncasecmp(state, usable[i], n))
			return true;
	return false;
}

bool et_slurm_node_has(const char *features, const char *constraint)
{
	if (strpbrk(constraint, "[]()*"))
		return true;
	/* "|" binds less than "&", which may also be written as ",". */
	for (const char *p = constraint;; p++) {
		bool all = true;
		for (;; p++) {
			size_t n = strcspn(p, "&,|");
			all = all && et_list_has(features, ",", p, n);
			p += n;
			if (*p != '&' && *p != ',')
				break;
		}
		if (all)
			return true;
		if (!*p)
			return false;
	}
}

char *et_slurm_write_indices(const uint32_t *indices, size_t n)
{
	char *text = NULL;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && indices[end] == indices[end - 1] + 1; end++)
			;
		if (end == i + 1)
			et_append(&text, ",", "%" PRIu32, indices[i]);
		else
			et_append(&text, ",", "%" PRIu32 "-%" PRIu32, indices[i], indices[end - 1]);
	}
	return text ? text : et_strdup("");
}
