/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stream by perf_event_open(2): a dummy event on each CPU, which counts nothing but gets a
 * record of every context switch. The records contain PIDs; names come from /proc and from the
 * records of exec and fork. There are no records of interrupts.
 */
#include "base/hash.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "host/host.h"
#include "measure/child/privilege.h"
#include "measure/observe/perf_ring.h"
#include "measure/trace/sched_source.h"

#include <time.h>

/* The ring of a CPU, and the task that has the CPU according to its records. */
struct cpu_ring {
	struct by_perf *owner;
	struct et_perf_ring ring;
	uint32_t cpu;
	uint64_t since_ns;            /* when the running task got the CPU; 0: not seen */
	struct et_sched_task running; /* that task */
};

struct by_perf {
	struct cpu_ring *rings;
	size_t n;
	bool for_ledger;      /* with records of forks and gaps, and the names of processes */
	struct et_hash names; /* char [ET_TASK_NAME], by the PID of a thread */
	uint64_t lost;
	struct et_sched_batch *batch; /* of the present drain */
};

/* The end of every record, according to the sample_type below (sample_id_all). */
struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
};

/* --- names --- */

static void set_name(struct by_perf *s, int32_t pid, const char *text)
{
	char fresh[ET_TASK_NAME] = "";

	if (pid <= 0)
		return;
	snprintf(fresh, sizeof(fresh), "%.15s", text); /* text may be in the table */
	memcpy(et_hash_put(&s->names, (uint64_t)pid), fresh, sizeof(fresh));
}

static const char *name_of(struct by_perf *s, int32_t pid)
{
	char text[32];

	if (pid <= 0)
		return "";
	if (!et_hash_find(&s->names, (uint64_t)pid))
		set_name(s, pid,
			et_host_line("", text, sizeof(text), "/proc/%d/comm", pid) > 0 ? text : "");
	return et_hash_find(&s->names, (uint64_t)pid);
}

/* Live processes may end before the name in a record of theirs is looked up. */
static void name_live_processes(struct by_perf *s)
{
	char **entries = et_sysroot_names("", "/proc");

	for (char **e = entries; *e; e++) {
		if ((*e)[0] >= '1' && (*e)[0] <= '9')
			name_of(s, (int32_t)strtol(*e, NULL, 10));
	}
	et_strv_free(entries);
}

/* --- records --- */

/*
 * A switch has two records, one of the task that leaves the CPU and one of the task that gets it.
 * Tasks that are not traced have none, so a switch may have only one: either of them ends a
 * stretch.
 */
static void take_switch(struct cpu_ring *r, const char *body, size_t size, uint16_t misc)
{
	struct {
		uint32_t pid, tid; /* of the next task, or of the previous one */
		struct trailer t;
	} w;
	bool out = misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (size < sizeof(w))
		return;
	memcpy(&w, body, sizeof(w));
	struct et_sched_task one = { .pid = (int32_t)w.t.tid, .tgid = (int32_t)w.t.pid };
	struct et_sched_task other = { .pid = (int32_t)w.tid, .tgid = (int32_t)w.pid };
	struct et_sched_record record = { .kind = ET_SCHED_RAN,
		.cpu = r->cpu,
		.runnable = out && (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT),
		.start_ns = r->since_ns,
		.end_ns = w.t.time_ns,
		.who = out ? one : other,
		.next = out ? other : one };
	if (!out && r->since_ns && r->running.pid == one.pid)
		return; /* the record of the other task came first */
	if (record.who.pid < 0)
		record.who = r->running; /* it has ended, and its PID is gone */
	if (r->since_ns)
		et_sched_batch_add(r->owner->batch, &record);
	r->since_ns = w.t.time_ns;
	r->running = record.next;
}

/*
 * Records were lost: which tasks ran meanwhile is not known, nor which changed their names. If the
 * loss is reported again, an earlier batch already contains the gap.
 */
static void take_gap(void *ctx, uint64_t n, bool again)
{
	struct cpu_ring *r = ctx;
	struct by_perf *s = r->owner;
	struct et_sched_record record = { .kind = ET_RECORD_GAP, .cpu = r->cpu };

	s->lost += n;
	r->since_ns = 0;
	if (!s->for_ledger)
		return;
	et_hash_free(&s->names);
	if (!again)
		et_sched_batch_add(s->batch, &record);
}

static void take_fork(struct by_perf *s, const char *body, size_t size)
{
	struct {
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
	} w;

	if (size < sizeof(w))
		return;
	memcpy(&w, body, sizeof(w));
	set_name(s, (int32_t)w.tid, name_of(s, (int32_t)w.parent_tid));
	struct et_sched_record record = { .kind = ET_RECORD_FORK,
		.start_ns = w.time_ns,
		.end_ns = w.time_ns,
		.who = { .pid = (int32_t)w.parent_tid, .tgid = (int32_t)w.parent_pid },
		.next = { .pid = (int32_t)w.tid, .tgid = (int32_t)w.pid } };
	if (s->for_ledger)
		et_sched_batch_add(s->batch, &record);
}

static void take_record(void *ctx, const struct perf_event_header *h, const char *body, size_t size)
{
	struct cpu_ring *r = ctx;
	uint32_t ids[2];

	switch (h->type) {
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(r, body, size, h->misc);
		break;
	case PERF_RECORD_COMM:
		if (size <= sizeof(ids) + sizeof(struct trailer))
			break;
		memcpy(ids, body, sizeof(ids));
		set_name(r->owner, (int32_t)ids[1], body + sizeof(ids));
		break;
	case PERF_RECORD_FORK:
		take_fork(r->owner, body, size);
		break;
	}
}

static int drain_perf(void *ctx, struct et_sched_batch *b, uint64_t *lost)
{
	enum { MOST_NAMES = 1 << 16 }; /* most of them of processes that have ended */
	struct by_perf *s = ctx;
	int rc = 0;

	s->batch = b;
	if (s->names.n > MOST_NAMES)
		et_hash_free(&s->names);
	for (size_t i = 0; i < s->n; i++) {
		struct et_perf_reader reader = { take_record, take_gap, &s->rings[i] };
		int failed = et_perf_ring_drain(&s->rings[i].ring, &reader);
		rc = rc ? rc : failed;
	}
	/* After all rings are read: the record of a name may be in the ring of another CPU. */
	for (size_t i = 0; i < b->n; i++) {
		struct et_sched_task *tasks[] = { &b->records[i].who, &b->records[i].next };
		for (size_t k = 0; k < ET_LENGTH(tasks); k++)
			snprintf(tasks[k]->name, sizeof(tasks[k]->name), "%s",
				name_of(s, s->for_ledger ? tasks[k]->tgid : tasks[k]->pid));
	}
	*lost = s->lost;
	return rc;
}

/* --- opening --- */

static void close_perf(void *ctx)
{
	struct by_perf *s = ctx;

	for (size_t i = 0; i < s->n; i++)
		et_perf_ring_close(&s->rings[i].ring);
	free(s->rings);
	et_hash_free(&s->names);
	free(s);
}

static int open_ring(struct by_perf *s, int cpu, size_t capacity_bytes)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.context_switch = 1,
		.comm = 1,
		.task = 1,
		.exclude_kernel = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC };
	struct cpu_ring *r = &s->rings[s->n];
	int rc = et_perf_ring_open(&attr, -1, cpu, 0, capacity_bytes, &r->ring);

	if (rc)
		return rc;
	r->owner = s;
	r->cpu = (uint32_t)cpu;
	s->n++;
	return 0;
}

static int explain(int errnum, struct et_error *err)
{
	char level[16];

	if (errnum != EACCES && errnum != EPERM)
		return et_fail_errno(err, errnum, ET_EXIT_ENVIRONMENT, "perf_event_open");
	if (et_sysroot_line("", "/proc/sys/kernel/perf_event_paranoid", level, sizeof(level)) <= 0)
		snprintf(level, sizeof(level), "unknown");
	return et_hint_privilege(err,
		et_fail(err, errnum, ET_EXIT_ENVIRONMENT,
			"perf needs CAP_PERFMON or kernel.perf_event_paranoid at most 0 "
			"(it is %s)",
			level),
		"CAP_PERFMON", "set kernel.perf_event_paranoid to 0");
}

int et_sched_perf_open(const cpu_set_t *cpus, size_t capacity_bytes, bool for_ledger, void **ctx,
	struct et_error *err)
{
	int n_cpus = (int)sysconf(_SC_NPROCESSORS_CONF), rc = 0;
	struct by_perf *s = et_calloc(1, sizeof(*s));

	s->for_ledger = for_ledger;
	s->names.width = ET_TASK_NAME;
	s->rings = et_calloc((size_t)n_cpus, sizeof(*s->rings));
	for (int i = 0; rc == 0 && i < n_cpus; i++) {
		if (cpus && !CPU_ISSET(i, cpus))
			continue;
		rc = open_ring(s, i, capacity_bytes);
		if (rc == -ENODEV && !cpus)
			rc = 0; /* a CPU that is offline */
	}
	if (rc) {
		close_perf(s);
		return explain(-rc, err);
	}
	name_live_processes(s);
	*ctx = s;
	return 0;
}

static int open_perf(int cpu, size_t capacity_bytes, void **ctx, struct et_error *err)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	if (cpu >= 0)
		CPU_SET(cpu, &one);
	return et_sched_perf_open(cpu < 0 ? NULL : &one, capacity_bytes, false, ctx, err);
}

const struct et_sched_source et_sched_by_perf = {
	.name = "perf",
	.interrupts = false,
	.open = open_perf,
	.drain = drain_perf,
	.close = close_perf,
};
