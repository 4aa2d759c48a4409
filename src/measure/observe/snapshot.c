/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/snapshot.h"
#include "base/clock.h"
#include "base/procstat.h"
#include "measure/child/run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* struct linux_dirent64 of getdents64(2). readdir() would copy each entry once more. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

int et_by_pid(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return ET_ORDER(x, y);
}

static int open_below(const char *root, const char *path, int flags)
{
	char full[4096];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return open(full, flags | O_RDONLY | O_CLOEXEC);
}

int et_proc_reader_open(struct et_proc_reader *r, const char *root)
{
	*r = (struct et_proc_reader){ .root = root };
	r->loadavg_fd = open_below(root, "/proc/loadavg", 0);
	r->proc_fd = open_below(root, "/proc", O_DIRECTORY);
	return r->proc_fd < 0 ? -errno : 0;
}

void et_proc_reader_close(struct et_proc_reader *r)
{
	et_cleanup_close(&r->proc_fd);
	et_cleanup_close(&r->loadavg_fd);
	free(r->list);
	*r = (struct et_proc_reader){ .proc_fd = -1, .loadavg_fd = -1 };
}

/* The fifth field of /proc/loadavg: "0.10 0.20 0.30 1/100 4711". 0 if it is not known. */
static int32_t newest_process(const struct et_proc_reader *r)
{
	char buf[128];
	ssize_t n = r->loadavg_fd < 0 ? -1 : pread(r->loadavg_fd, buf, sizeof(buf) - 1, 0);

	if (n <= 0)
		return 0;
	buf[n] = '\0';
	const char *last = strrchr(buf, ' ');
	return last ? (int32_t)strtol(last, NULL, 10) : 0;
}

/* No process was created since the last snapshot but our own children, which have ended. */
static bool list_holds(
	const struct et_proc_reader *r, int32_t newest, const int32_t *ours, size_t n_ours)
{
	if (!r->newest || newest != r->newest + (int32_t)n_ours)
		return false;
	for (size_t i = 0; i < n_ours; i++) {
		if (ours[i] <= r->newest || ours[i] > newest)
			return false;
	}
	return true;
}

static void add_listed(
	struct et_proc_reader *r, int32_t pid, const struct et_proc_entry *old, size_t n_old)
{
	const struct et_proc_entry *known =
		n_old ? bsearch(&pid, old, n_old, sizeof(*old), et_by_pid) : NULL;

	ET_GROW(r->list, r->n, r->cap);
	r->list[r->n++] = known ? *known : (struct et_proc_entry){ .pid = pid };
}

static int list_processes(struct et_proc_reader *r)
{
	_Alignas(struct entry) char buf[32768];
	struct et_proc_entry *old = r->list;
	size_t n_old = r->n;
	long n;

	r->list = NULL;
	r->n = r->cap = 0;
	lseek(r->proc_fd, 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, r->proc_fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *e = (const struct entry *)(buf + at);
			int32_t pid = 0;
			for (const char *p = e->name; *p >= '0' && *p <= '9'; p++)
				pid = pid * 10 + (*p - '0');
			if (pid > 0)
				add_listed(r, pid, old, n_old);
			at += e->length;
		}
	}
	int rc = n < 0 ? -errno : 0;
	free(old);
	return rc;
}

int et_snapshot_take(
	struct et_proc_reader *r, const int32_t *ours, size_t n_ours, struct et_snapshot *s)
{
	int32_t newest = newest_process(r);
	size_t alive = 0;
	struct timespec t;

	s->n = 0;
	if (!list_holds(r, newest, ours, n_ours)) {
		int rc = list_processes(r);
		if (rc) {
			r->newest = 0; /* the list is incomplete: make it anew next time */
			return rc;
		}
	}
	r->newest = newest;
	for (size_t i = 0; i < r->n; i++) {
		/* A process that has ended since has an exit record. */
		if (clock_gettime(et_clock_of_process(r->list[i].pid), &t) < 0)
			continue;
		if (alive != i)
			r->list[alive] = r->list[i];
		alive++;
		ET_GROW(s->readings, s->n, s->cap);
		s->readings[s->n++] = (struct et_reading){ r->list[i].pid, et_timespec_ns(t) };
	}
	r->n = alive;
	return 0;
}

void et_snapshot_free(struct et_snapshot *s)
{
	free(s->readings);
	*s = (struct et_snapshot){ 0 };
}

double et_snapshots_cost_ms(const char *root)
{
	enum { TIMES = 21 };
	struct et_proc_reader reader;
	struct et_snapshot s = { 0 };
	uint64_t least_ns = UINT64_MAX;

	int rc = et_proc_reader_open(&reader, root);
	if (rc == 0)
		rc = et_snapshot_take(&reader, NULL, 0, &s); /* lists the processes */
	for (int i = 0; rc == 0 && i < TIMES; i++) {
		uint64_t start = et_clock_read_ns(CLOCK_MONOTONIC);
		rc = et_snapshot_take(&reader, NULL, 0, &s);
		uint64_t took = et_clock_read_ns(CLOCK_MONOTONIC) - start;
		least_ns = took < least_ns ? took : least_ns;
	}
	et_snapshot_free(&s);
	et_proc_reader_close(&reader);
	return rc ? 0 : 2e-6 * (double)least_ns;
}

void et_exits_add(void *ctx, const struct et_exit_record *r)
{
	struct et_exits *exits = ctx;

	ET_GROW(exits->records, exits->n, exits->cap);
	exits->records[exits->n++] = *r;
}

void et_exits_free(struct et_exits *exits)
{
	free(exits->records);
	*exits = (struct et_exits){ 0 };
}

/* --- the tasks of the measured program --- */

static bool claimed(const struct et_exit_record *r)
{
	return r->pid < 0;
}

static bool is_member(const int32_t *pids, size_t n, int32_t pid)
{
	return n && pid > 0 && bsearch(&pid, pids, n, sizeof(*pids), et_by_pid);
}

/* One pass: claims records whose process or parent is a member; returns the number of new ones. */
static size_t claim_pass(struct et_exits *exits, int32_t reaper, int32_t **pids, size_t *n,
	size_t *cap, struct et_tree_delays *d)
{
	size_t known = *n, before = *n;

	for (size_t i = 0; i < exits->n; i++) {
		struct et_exit_record *r = &exits->records[i];
		int32_t process = r->tgid ? r->tgid : r->pid;
		if (claimed(r) || process == reaper) /* a thread of ours is no orphan */
			continue;
		if (!is_member(*pids, known, process) && !is_member(*pids, known, r->ppid))
			continue;
		ET_GROW(*pids, *n, *cap);
		(*pids)[(*n)++] = process;
		r->pid = -r->pid;
		if (r->group)
			continue;
		d->tasks++;
		d->run_ns += r->run_delay_ns;
		d->block_ns += r->block_delay_ns;
		if (r->max_rss_bytes > d->max_rss_bytes)
			d->max_rss_bytes = r->max_rss_bytes;
	}
	qsort(*pids, *n, sizeof(**pids), et_by_pid);
	return *n - before;
}

struct et_tree_delays et_exits_claim(struct et_exits *exits, int32_t root, int32_t reaper)
{
	struct et_tree_delays d = { 0 };
	size_t n = 0, cap = 0;
	int32_t *pids = NULL;

	ET_GROW(pids, n, cap);
	pids[n++] = root;
	if (reaper > 0)
		pids[n++] = reaper;
	qsort(pids, n, sizeof(*pids), et_by_pid);
	while (claim_pass(exits, reaper, &pids, &n, &cap, &d))
		;
	free(pids);
	return d;
}

/* --- the other processes --- */

struct culprits {
	struct et_culprit *list;
	size_t n, cap;
};

static struct et_culprit *add_culprit(struct culprits *c, int32_t pid, uint64_t cpu_ns)
{
	ET_GROW(c->list, c->n, c->cap);
	c->list[c->n] =
		(struct et_culprit){ .pid = pid, .cpu_ns = cpu_ns, .on_our_cpu_ns = ET_UNKNOWN };
	return &c->list[c->n++];
}

static const struct et_reading *find_reading(const struct et_snapshot *s, int32_t pid)
{
	return s->n ? bsearch(&pid, s->readings, s->n, sizeof(*s->readings), et_by_pid) : NULL;
}

static uint64_t used_before(const struct et_snapshot *before, int32_t pid, uint64_t now_ns)
{
	const struct et_reading *r = find_reading(before, pid);

	/* Less than before means that another process has the PID now. */
	return r && r->cpu_ns <= now_ns ? r->cpu_ns : 0;
}

/* A kernel thread keeps its name, while a process may exec: only the former is remembered. */
static void look_up_name(struct et_proc_reader *r, struct et_culprit *c)
{
	struct et_proc_entry *known =
		r->n ? bsearch(&c->pid, r->list, r->n, sizeof(*r->list), et_by_pid) : NULL;
	struct et_procstat stat;

	if (known && known->named) {
		memcpy(c->name, known->name, sizeof(c->name));
		c->kernel_thread = true;
		return;
	}
	if (et_procstat_read(r->root, c->pid, &stat))
		return; /* it has ended: the caller shows it without a name */
	snprintf(c->name, sizeof(c->name), "%.15s", stat.comm);
	c->kernel_thread = stat.flags & ET_PF_KTHREAD;
	if (known && c->kernel_thread) {
		memcpy(known->name, c->name, sizeof(known->name));
		known->named = true;
	}
}

/*
 * The time of a thread that ended is contained in the CPU clock of its process, or in the sum that
 * comes when the process ends; the time of a leader in the sum that follows its own record.
 */
static bool is_contained(const struct et_exits *exits, size_t i)
{
	const struct et_exit_record *r = &exits->records[i], *next = r + 1;

	if (r->group)
		return false;
	if (r->tgid && r->tgid != r->pid)
		return true;
	return i + 1 < exits->n && next->group && next->pid == r->pid;
}

/* The sum of a process carries no name: take that of one of its threads, which precede it. */
static const struct et_exit_record *named_record(const struct et_exits *exits, size_t i)
{
	const struct et_exit_record *r = &exits->records[i];

	if (!r->group || r->name[0])
		return r;
	for (size_t k = i; k-- > 0;) {
		const struct et_exit_record *before = &exits->records[k];
		if (before->tgid == r->pid || before->pid == r->pid)
			return before;
	}
	return r;
}

static void add_exited(struct culprits *list, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, uint64_t tick_ns)
{
	for (size_t i = 0; i < exits->n; i++) {
		const struct et_exit_record *r = &exits->records[i];
		if (claimed(r) || is_contained(exits, i) || find_reading(after, r->pid))
			continue;
		struct et_culprit *c = add_culprit(
			list, r->pid, r->cpu_ns - used_before(before, r->pid, r->cpu_ns));
		const struct et_exit_record *named = named_record(exits, i);
		memcpy(c->name, named->name, sizeof(c->name));
		c->kernel_thread = named->ppid == 2; /* kthreadd */
		c->exited = true;
		c->doubt_ns = tick_ns;
	}
}

static int descending(const void *a, const void *b)
{
	const struct et_culprit *x = a, *y = b;

	return ET_ORDER(y->cpu_ns, x->cpu_ns) ?: ET_ORDER(x->pid, y->pid);
}

size_t et_snapshot_compare(struct et_proc_reader *r, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, int32_t self,
	uint64_t tick_ns, struct et_culprit **out)
{
	struct culprits list = { 0 };

	for (size_t i = 0; i < after->n; i++) {
		const struct et_reading *now = &after->readings[i];
		uint64_t was = used_before(before, now->pid, now->cpu_ns);
		if (now->pid == self || now->cpu_ns == was)
			continue;
		look_up_name(r, add_culprit(&list, now->pid, now->cpu_ns - was));
	}
	add_exited(&list, before, after, exits, tick_ns);
	if (list.n)
		qsort(list.list, list.n, sizeof(*list.list), descending);
	*out = list.list;
	return list.n;
}

/*
 * --- the observer of exit records ---
 *
 * The records of the program's tasks give its delays and peak memory; the others are for the
 * snapshots' list of culprits. Without them /proc and wait4() are asked for the program's figures.
 */

struct exits_seen {
	struct et_taskstats *taskstats; /* NULL: the kernel does not send them … */
	int why;                        /* … for this reason, -errno */
	struct et_exits exits;
	int failed;  /* -errno: they could not be read in this run */
	bool memory; /* peak memory is judged */
};

static int open_exits(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct exits_seen *o = et_calloc(1, sizeof(*o));

	(void)err;
	o->memory = setup->e->metric == ET_METRIC_PEAK_MEMORY;
	o->why = et_taskstats_open(&o->taskstats);
	*self = o;
	return 0;
}

static void before_exits(void *self, struct et_run *run)
{
	struct exits_seen *o = self;
	bool lost; /* of no interest: records of tasks that ended before the run */

	o->exits.n = 0;
	run->exits = &o->exits;
	if (o->taskstats) {
		o->failed = et_taskstats_drain(o->taskstats, NULL, NULL, &lost);
		return;
	}
	for (size_t i = 0; i < run->n_children; i++) {
		run->waits[i].want |= ET_WANT_RUN_DELAY;
	}
	/* A copy of etalon has less memory, which hides that of fewer programs. */
	run->copied = o->memory;
}

static void after_exits(void *self, struct et_run *run)
{
	struct exits_seen *o = self;
	bool lost = false;

	if (!o->taskstats)
		return;
	int rc = et_taskstats_drain(o->taskstats, et_exits_add, &o->exits, &lost);
	if (run->paced) /* the reference loop is neither the program nor a culprit */
		et_exits_claim(&o->exits, run->waits[run->n].pid, 0);
	for (size_t i = 0; i < run->n; i++) {
		struct et_readings *read = &run->read[i];
		read->has_exit_records = true;
		read->lost_exit_records = lost || rc || o->failed;
		/* Orphans become our children; in a duet that does not show whose they are. */
		read->tree =
			et_exits_claim(&o->exits, run->waits[i].pid, run->n == 1 ? getpid() : 0);
	}
}

static const char *source_exits(const void *self)
{
	const struct exits_seen *o = self;

	if (o->taskstats)
		return "taskstats";
	return o->why == -EPERM ? "proc" : "proc-no-taskstats";
}

static void close_exits(void *self)
{
	struct exits_seen *o = self;

	et_taskstats_close(o->taskstats);
	et_exits_free(&o->exits);
	free(o);
}

const struct et_observer et_observe_exits = {
	.name = "exits",
	.open = open_exits,
	.before = before_exits,
	.after = after_exits,
	.source = source_exits,
	.close = close_exits,
};

/* --- the observer of other processes --- */

struct snapshots {
	struct et_proc_reader reader;
	struct et_snapshot before, after;
	uint64_t tick_ns; /* of the kernel: an exit record may be this much short */
	int failed;       /* -errno: a snapshot of this run could not be taken */
};

static int open_snapshots(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct snapshots *o = et_calloc(1, sizeof(*o));

	(void)err;
	/* A missing /proc fails each snapshot, which marks the samples. */
	o->failed = et_proc_reader_open(&o->reader, setup->root);
	o->tick_ns = setup->e->host.tick_ns;
	*self = o;
	return 0;
}

static void before_snapshots(void *self, struct et_run *run)
{
	struct snapshots *o = self;

	o->failed = et_snapshot_take(&o->reader, NULL, 0, &o->before);
	run->before = o->failed ? NULL : &o->before;
}

static void after_snapshots(void *self, struct et_run *run)
{
	struct snapshots *o = self;
	int32_t ours[ET_SLOTS];

	for (size_t i = 0; i < run->n_children; i++)
		ours[i] = run->waits[i].pid;
	if (!o->failed)
		o->failed = et_snapshot_take(&o->reader, ours, run->n_children, &o->after);
}

/* Both programs of a duet get the same list, in which neither of them is. */
static void fill_snapshots(void *self, struct et_run *run, struct et_sample *samples)
{
	struct snapshots *o = self;

	for (size_t i = 0; i < run->n; i++) {
		struct et_measured *m = &samples[i].measured;
		if (o->failed) {
			samples[i].ruling.marks |= ET_MARK_NO_SNAPSHOT;
			continue;
		}
		m->n_culprits = et_snapshot_compare(&o->reader, &o->before, &o->after, run->exits,
			getpid(), o->tick_ns, &m->culprits);
	}
}

static void close_snapshots(void *self)
{
	struct snapshots *o = self;

	et_proc_reader_close(&o->reader);
	et_snapshot_free(&o->before);
	et_snapshot_free(&o->after);
	free(o);
}

const struct et_observer et_observe_snapshots = {
	.name = "snapshots",
	.open = open_snapshots,
	.before = before_snapshots,
	.after = after_snapshots,
	.fill = fill_snapshots,
	.close = close_snapshots,
};
