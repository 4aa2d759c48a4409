/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/snapshot.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

/* What getdents64 fills; the C library's readdir would copy each entry once more. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static int by_pid(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

int et_proc_reader_open(struct et_proc_reader *w)
{
	memset(w, 0, sizeof(*w));
	w->proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	w->loadavg_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	return w->proc_fd < 0 ? -errno : 0;
}

void et_proc_reader_close(struct et_proc_reader *w)
{
	et_cleanup_close(&w->proc_fd);
	et_cleanup_close(&w->loadavg_fd);
	free(w->list);
	memset(w, 0, sizeof(*w));
	w->proc_fd = w->loadavg_fd = -1;
}

/* The fifth field of /proc/loadavg: "0.10 0.20 0.30 1/100 4711". 0 when it cannot be told. */
static int32_t newest_process(const struct et_proc_reader *w)
{
	char buf[128];
	ssize_t n = w->loadavg_fd < 0 ? -1 : pread(w->loadavg_fd, buf, sizeof(buf) - 1, 0);

	if (n <= 0)
		return 0;
	buf[n] = '\0';
	const char *last = strrchr(buf, ' ');
	return last ? (int32_t)strtol(last, NULL, 10) : 0;
}

/* Nobody was born since the last picture but our own children, which have ended. */
static bool list_holds(
	const struct et_proc_reader *w, int32_t newest, const int32_t *ours, size_t n_ours)
{
	if (!w->newest || newest != w->newest + (int32_t)n_ours)
		return false;
	for (size_t i = 0; i < n_ours; i++) {
		if (ours[i] <= w->newest || ours[i] > newest)
			return false;
	}
	return true;
}

static void add_listed(
	struct et_proc_reader *w, int32_t pid, const struct et_proc_entry *old, size_t n_old)
{
	const struct et_proc_entry *known =
		n_old ? bsearch(&pid, old, n_old, sizeof(*old), by_pid) : NULL;

	ET_GROW(w->list, w->n, w->cap);
	w->list[w->n++] = known ? *known : (struct et_proc_entry){ .pid = pid };
}

static int list_processes(struct et_proc_reader *w)
{
	_Alignas(struct entry) char buf[32768];
	struct et_proc_entry *old = w->list;
	size_t n_old = w->n;
	long n;

	w->list = NULL;
	w->n = w->cap = 0;
	lseek(w->proc_fd, 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, w->proc_fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *e = (const struct entry *)(buf + at);
			int32_t pid = 0;
			for (const char *p = e->name; *p >= '0' && *p <= '9'; p++)
				pid = pid * 10 + (*p - '0');
			if (pid > 0)
				add_listed(w, pid, old, n_old);
			at += e->length;
		}
	}
	free(old);
	return n < 0 ? -errno : 0;
}

int et_snapshot_take(
	struct et_proc_reader *w, const int32_t *ours, size_t n_ours, struct et_snapshot *image)
{
	int32_t newest = newest_process(w);
	size_t alive = 0;
	struct timespec t;

	if (!list_holds(w, newest, ours, n_ours)) {
		int rc = list_processes(w);
		if (rc)
			return rc;
	}
	w->newest = newest;
	image->n = 0;
	for (size_t i = 0; i < w->n; i++) {
		/* Who has ended since is in the exit records. */
		if (clock_gettime(et_clock_of_process(w->list[i].pid), &t) < 0)
			continue;
		if (alive != i)
			w->list[alive] = w->list[i];
		alive++;
		ET_GROW(image->readings, image->n, image->cap);
		image->readings[image->n++] =
			(struct et_reading){ w->list[i].pid, et_timespec_ns(t) };
	}
	w->n = alive;
	return 0;
}

void et_snapshot_free(struct et_snapshot *image)
{
	free(image->readings);
	memset(image, 0, sizeof(*image));
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
	memset(exits, 0, sizeof(*exits));
}

/* --- the measured program's own tasks --- */

static bool claimed(const struct et_exit_record *r)
{
	return r->pid < 0;
}

static bool is_member(const int32_t *pids, size_t n, int32_t pid)
{
	return n && pid > 0 && bsearch(&pid, pids, n, sizeof(*pids), by_pid);
}

static void add_up(struct et_tree_delays *d, const struct et_exit_record *r)
{
	d->tasks++;
	d->run_ns += r->run_delay_ns;
	d->block_ns += r->block_delay_ns;
	if (r->max_rss_bytes > d->max_rss_bytes)
		d->max_rss_bytes = r->max_rss_bytes;
}

/* One pass: claims records whose process or parent is a member; returns the number of new ones. */
static size_t claim_pass(
	struct et_exits *exits, int32_t **pids, size_t *n, size_t *cap, struct et_tree_delays *d)
{
	size_t known = *n, before = *n;

	for (size_t i = 0; i < exits->n; i++) {
		struct et_exit_record *r = &exits->records[i];
		int32_t process = r->tgid ? r->tgid : r->pid;
		if (claimed(r))
			continue;
		if (!is_member(*pids, known, process) && !is_member(*pids, known, r->ppid))
			continue;
		ET_GROW(*pids, *n, *cap);
		(*pids)[(*n)++] = process;
		r->pid = -r->pid;
		if (!r->group)
			add_up(d, r);
	}
	qsort(*pids, *n, sizeof(**pids), by_pid);
	return *n - before;
}

struct et_tree_delays et_exits_claim(struct et_exits *exits, int32_t root, int32_t reaper)
{
	struct et_tree_delays d = { 0 };
	size_t n = 0, cap = 0;
	int32_t *pids = NULL;

	/* Orphans pass to the reaper, so its children belong to the tree as well. */
	ET_GROW(pids, n, cap);
	pids[n++] = root;
	if (reaper > 0)
		pids[n++] = reaper;
	qsort(pids, n, sizeof(*pids), by_pid);
	while (claim_pass(exits, &pids, &n, &cap, &d))
		;
	free(pids);
	return d;
}

/* --- the others --- */

struct who {
	struct et_culprit *list;
	size_t n, cap;
};

static struct et_culprit *add_who(struct who *w, int32_t pid, uint64_t cpu_ns)
{
	ET_GROW(w->list, w->n, w->cap);
	struct et_culprit *i = &w->list[w->n++];
	memset(i, 0, sizeof(*i));
	i->pid = pid;
	i->cpu_ns = cpu_ns;
	i->on_our_cpu_ns = ET_UNKNOWN;
	return i;
}

static const struct et_reading *find_reading(const struct et_snapshot *image, int32_t pid)
{
	if (!image->n)
		return NULL;
	return bsearch(&pid, image->readings, image->n, sizeof(*image->readings), by_pid);
}

static uint64_t used_before(const struct et_snapshot *before, int32_t pid, uint64_t now_ns)
{
	const struct et_reading *r = find_reading(before, pid);

	/* Less than before means that the number was given to another process since. */
	return r && r->cpu_ns <= now_ns ? r->cpu_ns : 0;
}

/* Name and kind of a living process: "123 (comm) S ppid … flags"; comm may hold anything. */
static void read_name(struct et_culprit *who)
{
	enum { KERNEL_THREAD = 0x00200000 };
	char path[32], buf[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", who->pid);
	if (et_sysroot_read("", path, buf, sizeof(buf)) <= 0)
		return;
	char *open = strchr(buf, '('), *close = strrchr(buf, ')');
	if (!open || !close || close < open)
		return;
	*close = '\0';
	snprintf(who->name, sizeof(who->name), "%.15s", open + 1);
	unsigned flags = 0;
	if (sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1)
		who->kernel_thread = flags & KERNEL_THREAD;
}

/* A kernel thread keeps its name, a process may exec: only the former is remembered. */
static void look_up(struct et_proc_reader *w, struct et_culprit *who)
{
	struct et_proc_entry *known =
		w && w->n ? bsearch(&who->pid, w->list, w->n, sizeof(*w->list), by_pid) : NULL;

	if (known && known->named) {
		memcpy(who->name, known->name, sizeof(who->name));
		who->kernel_thread = true;
		return;
	}
	read_name(who);
	if (known && who->kernel_thread) {
		memcpy(known->name, who->name, sizeof(known->name));
		known->named = true;
	}
}

/* A thread of a process that goes on, or a leader whose sum stands right behind it. */
static bool told_elsewhere(const struct et_exits *exits, size_t i)
{
	const struct et_exit_record *r = &exits->records[i], *next = r + 1;

	if (r->group)
		return false;
	if (r->tgid && r->tgid != r->pid)
		return true;
	return i + 1 < exits->n && next->group && next->pid == r->pid;
}

/* A group record carries no name of its own: one of its threads stands before it. */
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

static void add_exited(struct who *w, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, uint64_t tick_ns)
{
	for (size_t i = 0; i < exits->n; i++) {
		const struct et_exit_record *r = &exits->records[i];
		if (claimed(r) || told_elsewhere(exits, i) || find_reading(after, r->pid))
			continue;
		struct et_culprit *who =
			add_who(w, r->pid, r->cpu_ns - used_before(before, r->pid, r->cpu_ns));
		const struct et_exit_record *named = named_record(exits, i);
		memcpy(who->name, named->name, sizeof(who->name));
		who->kernel_thread = named->ppid == 2;
		who->exited = true;
		who->doubt_ns = tick_ns;
	}
}

static int descending(const void *a, const void *b)
{
	const struct et_culprit *x = a, *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

size_t et_snapshot_compare(struct et_proc_reader *watch, const struct et_snapshot *before,
	const struct et_snapshot *after, const struct et_exits *exits, int32_t self,
	uint64_t tick_ns, struct et_culprit **out)
{
	struct who w = { 0 };

	for (size_t i = 0; i < after->n; i++) {
		const struct et_reading *r = &after->readings[i];
		uint64_t was = used_before(before, r->pid, r->cpu_ns);
		if (r->pid == self || r->cpu_ns == was)
			continue;
		look_up(watch, add_who(&w, r->pid, r->cpu_ns - was));
	}
	add_exited(&w, before, after, exits, tick_ns);
	if (w.n)
		qsort(w.list, w.n, sizeof(*w.list), descending);
	*out = w.list;
	return w.n;
}
