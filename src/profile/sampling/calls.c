/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/calls.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "measure/child/privilege.h"
#include "measure/child/run.h"
#include "profile/symbols/object.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* It takes 0.1 s to remove a probe, and the kernel removes one at a time. */
enum { MOST_PROBES = 100, MOST_CODE = 64 << 10 };
static const double LEAST_SHARE = 0.01;

/* --- which functions --- */

struct heat {
	uint64_t samples;
	uint32_t function;
};

static int hottest_first(const void *a, const void *b)
{
	const struct heat *x = a, *y = b;

	return ET_ORDER(y->samples, x->samples) ?: ET_ORDER(x->function, y->function);
}

size_t et_calls_choose(const struct et_profile *p, uint32_t command, uint32_t out[ET_MOST_COUNTED])
{
	ET_AUTO_FREE struct heat *list = et_calloc(p->n_functions + 1, sizeof(*list));
	uint64_t total = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_functions; i++)
		list[i].function = i;
	for (size_t i = 0; i < p->n_runs; i++) {
		const struct et_profile_run *run = &p->runs[i];
		if (run->command != command || run->warmup)
			continue;
		total += run->samples;
		for (size_t k = 0; k < run->n_counts; k++)
			list[p->nodes[run->counts[k].node].function].samples +=
				run->counts[k].samples;
	}
	qsort(list, p->n_functions, sizeof(*list), hottest_first);
	for (size_t i = 0; i < p->n_functions && n < ET_MOST_COUNTED; i++) {
		const struct et_profile_function *f = &p->functions[list[i].function];
		if (!list[i].samples || (double)list[i].samples < LEAST_SHARE * (double)total)
			break;
		if (f->space == ET_SPACE_USER && f->module[0] == '/')
			out[n++] = list[i].function;
	}
	return n;
}

/* --- where they are --- */

/* Reads a relative jump at the place, of any condition; false if there is none. */
static bool read_jump(const unsigned char *code, size_t at, size_t size, int64_t *target)
{
	unsigned char op = code[at];
	size_t prefix = op == 0x0f ? 1 : 0;
	int32_t far;

	if (op == 0xeb || (op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3)) {
		if (at + 2 > size)
			return false;
		*target = (int64_t)at + 2 + (int8_t)code[at + 1];
		return true;
	}
	if (at + prefix + 5 > size || !(op == 0xe9 || (prefix && (code[at + 1] & 0xf0) == 0x80)))
		return false;
	memcpy(&far, code + at + prefix + 1, sizeof(far));
	*target = (int64_t)(at + prefix + 5) + far;
	return true;
}

/* Whether a jump leads there. Any byte may begin one, which is wrong in 3 % of functions. */
static bool is_target(const unsigned char *code, size_t size, int64_t place)
{
	int64_t target;

	for (size_t i = 0; i < size; i++) {
		if (read_jump(code, i, size, &target) && target == place)
			return true;
	}
	return false;
}

int et_calls_place(const unsigned char *code, size_t size)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const int after = sizeof(endbr64);

	if (is_target(code, size, 0))
		return -1;
	if (size <= sizeof(endbr64) || memcmp(code, endbr64, sizeof(endbr64)) != 0)
		return 0;
	return is_target(code, size, after) ? 0 : after;
}

struct probe {
	uint32_t function;
	const char *path; /* belongs to the profile */
	uint64_t offset;  /* in the file */
	bool unsure;      /* it may be passed without a call */
	bool defined;     /* in tracefs */
	struct stat file; /* as it was found */
	int fd;           /* its event; -1: it cannot be probed */
};

struct probes {
	struct probe *list;
	size_t n, room;
	bool full;      /* one more was wanted */
	bool changed;   /* a file was, so it has no probes */
	uint64_t since; /* that moment, in nanoseconds since 1970 */
};

static uint64_t changed_at(const struct stat *s)
{
	return (uint64_t)s->st_ctim.tv_sec * 1000000000u + (uint64_t)s->st_ctim.tv_nsec;
}

static void add_probe(struct probes *all, const struct et_profile *p, uint32_t function, int file,
	uint64_t offset, uint64_t size)
{
	ET_AUTO_FREE unsigned char *code = et_alloc(MOST_CODE);
	ssize_t n = pread(file, code, size < MOST_CODE ? size : MOST_CODE, (off_t)offset);
	int place = n > 0 ? et_calls_place(code, (size_t)n) : 0;

	all->full = all->n == MOST_PROBES;
	if (all->full)
		return;
	ET_GROW(all->list, all->n, all->room);
	all->list[all->n++] = (struct probe){ .function = function,
		.path = p->functions[function].module,
		.offset = offset + (uint64_t)(place > 0 ? place : 0),
		.unsure = place < 0,
		.fd = -1 };
}

/* Returns the hash of each symbol's name as the profile has it. */
static uint64_t *hash_names(const struct et_symbols *t)
{
	uint64_t *hashes = et_calloc(t->n + 1, sizeof(*hashes));

	for (size_t i = 0; i < t->n; i++) {
		const char *name = et_symbols_name(t, &t->symbols[i]);
		ET_AUTO_FREE char *readable = et_demangle(name);
		hashes[i] = et_hash_text(readable ? readable : name);
	}
	return hashes;
}

/* Static functions, or versions of a constructor, may share a name: the profile has them as one. */
static void find_places(struct probes *all, const struct et_profile *p, uint32_t function,
	const struct et_object *o, const uint64_t *hashes, int file)
{
	const struct et_profile_function *f = &p->functions[function];
	char *end;

	if (f->unnamed) {
		uint64_t offset = strtoull(f->name + (f->name[0] == '['), &end, 16);
		if (f->name[0] == '[' && *end == ']')
			add_probe(all, p, function, file, offset, 16);
		return;
	}
	uint64_t wanted = et_hash_text(f->name);
	for (size_t i = 0; i < o->symbols.n; i++) {
		const struct et_symbol *s = &o->symbols.symbols[i];
		if (s->source != ET_SYMBOL_RANGE && hashes[i] == wanted)
			add_probe(all, p, function, file, et_object_offset(o, s->start),
				s->end - s->start);
	}
}

/* A function without all of its places would have too few calls, so it has none. */
static void find_function(struct probes *all, const struct et_profile *p, uint32_t function,
	const struct et_object *o, const uint64_t *hashes, int file)
{
	size_t first = all->n;
	struct stat found;

	if (fstat(file, &found) < 0)
		return;
	all->full = false;
	find_places(all, p, function, o, hashes, file);
	if (all->full)
		all->n = first;
	for (size_t i = first; i < all->n; i++)
		all->list[i].file = found;
}

/* Reads its symbols, too. Not if its build id is known and another one. */
static bool is_profiled_build(
	const char *root, const struct et_profile *p, const char *path, struct et_object *o)
{
	const struct et_profile_build *build = et_profile_build_of(p, path);
	struct et_build_id wanted = { .size = build ? build->size : 0 };

	if (build && !build->size)
		return false;
	if (build)
		memcpy(wanted.bytes, build->id, build->size);
	et_object_read(root, path, &wanted, false, o);
	return o->state != ET_OBJECT_CHANGED;
}

/* Opens a file and reads its symbols; -1: it is missing, or changed after the profile began. */
static int open_unchanged(struct probes *all, const char *root, const struct et_profile *p,
	const char *path, struct et_object *o)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat found;

	if (file < 0)
		return -1;
	if (fstat(file, &found) == 0 && changed_at(&found) < all->since &&
		is_profiled_build(root, p, path, o))
		return file;
	all->changed = true;
	close(file);
	return -1;
}

/* Finds the functions that are in the same file as the first, and takes them from the list. */
static void find_file(
	struct probes *all, const char *root, const struct et_profile *p, uint32_t *list, size_t n)
{
	const char *path = p->functions[list[0]].module;
	struct et_object o = { 0 };
	int file = open_unchanged(all, root, p, path, &o);

	ET_AUTO_FREE uint64_t *hashes = hash_names(&o.symbols);
	for (size_t i = 0; i < n; i++) {
		if (list[i] == ET_PROFILE_NONE || strcmp(p->functions[list[i]].module, path) != 0)
			continue;
		if (file >= 0)
			find_function(all, p, list[i], &o, hashes, file);
		if (i)
			list[i] = ET_PROFILE_NONE;
	}
	et_object_free(&o);
	et_cleanup_close(&file);
}

/* --- the kernel's part --- */

/*
 * Counts from the execve() of the task on; -1: never. Returns the descriptor or -errno. Only events
 * of tracepoints are inherited: for those of the PMU the kernel would read the path again, in the
 * memory of the program, and its clone() would fail with EFAULT.
 */
static int open_event(struct perf_event_attr *attr, pid_t task)
{
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->enable_on_exec = 1;
	attr->inherit = attr->type == PERF_TYPE_TRACEPOINT;
	int fd = (int)syscall(
		SYS_perf_event_open, attr, task, task < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_probe(uint32_t type, const char *path, uint64_t offset, pid_t task)
{
	struct perf_event_attr attr = {
		.type = type, .config1 = (uintptr_t)path, .config2 = offset
	};

	return open_event(&attr, task);
}

static int read_type(const char *root, uint32_t *out, struct et_error *err)
{
	char line[32] = "";
	uint64_t type;

	if (et_sysroot_line(
		    root, "/sys/bus/event_source/devices/uprobe/type", line, sizeof(line)) <= 0 ||
		et_parse_u64("type", line, 0, UINT32_MAX, &type, NULL))
		return et_fail_hint(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"use a kernel with CONFIG_UPROBE_EVENTS, or give the numbers: "
			"--calls=NAME=N",
			"this kernel has no uprobes, so it cannot count calls");
	*out = (uint32_t)type;
	return 0;
}

static int refused(int rc, struct et_error *err)
{
	return et_hint_privilege(err,
		et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "cannot count calls by uprobes"),
		"CAP_PERFMON or CAP_SYS_ADMIN", "give the numbers: --calls=NAME=N");
}

int et_calls_allowed(const char *root, struct et_error *err)
{
	uint32_t type = 0;
	int rc = read_type(root, &type, err);

	if (rc)
		return rc;
	/* No file has this name: the kernel refuses the probe, but first it checks our rights. */
	int fd = open_probe(type, "", 0, -1);
	if (fd >= 0)
		close(fd);
	return fd == -EACCES || fd == -EPERM ? refused(fd, err) : 0;
}

/* --- probes in tracefs --- */

/* Names of probes begin with this and our process id, so that two of us do not meet. */
#define GROUP "etalon_"

/* Mounts it nowhere: only our descriptor leads there. Returns -errno. */
static int mount_unseen(void)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);

	if (context < 0)
		return -errno;
	int dir = -1;
	if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		dir = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	int rc = dir < 0 ? -errno : dir;
	close(context);
	return rc;
}

static int write_line(const struct et_tracefs *t, const char *line)
{
	size_t n = strlen(line);

	return write(t->probes, line, n) == (ssize_t)n ? 0 : errno ? -errno : -EIO;
}

/* The kernel refuses to remove a probe that is in use: its events must be closed. */
static void remove_probe(const struct et_tracefs *t, pid_t pid, uint32_t number)
{
	char line[80];

	snprintf(line, sizeof(line), "-:" GROUP "%d/f%" PRIu32 "\n", (int)pid, number);
	(void)!write_line(t, line);
}

static void remove_stale(const struct et_tracefs *t)
{
	int fd = openat(t->dir, "uprobe_events", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	int pid;
	uint32_t number;

	if (!f)
		return et_cleanup_close(&fd);
	while (getline(&line, &room, f) > 0) {
		if (sscanf(line, "p:" GROUP "%d/f%" SCNu32 " ", &pid, &number) == 2 && pid > 0 &&
			kill(pid, 0) < 0 && errno == ESRCH)
			remove_probe(t, pid, number);
	}
	free(line);
	fclose(f);
}

int et_tracefs_open(struct et_tracefs *t)
{
	int dir = mount_unseen();

	*t = (struct et_tracefs){ .dir = dir < 0 ? -1 : dir, .probes = -1 };
	if (dir < 0)
		return dir;
	t->probes = openat(t->dir, "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (t->probes < 0) {
		int rc = -errno;
		et_tracefs_close(t);
		return rc;
	}
	remove_stale(t);
	return 0;
}

void et_tracefs_close(struct et_tracefs *t)
{
	et_cleanup_close(&t->probes);
	et_cleanup_close(&t->dir);
	*t = (struct et_tracefs){ -1, -1 };
}

static int read_id(const struct et_tracefs *t, uint32_t number, uint64_t *id)
{
	char path[80], text[32];

	snprintf(path, sizeof(path), "events/" GROUP "%d/f%" PRIu32 "/id", (int)getpid(), number);
	ET_AUTO_CLOSE int fd = openat(t->dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return fd < 0 ? -errno : -EIO;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return et_parse_u64("id", text, 0, UINT32_MAX, id, NULL);
}

int et_tracefs_define(
	struct et_tracefs *t, uint32_t number, const char *path, uint64_t offset, uint64_t *id)
{
	/* A definition is a line of words, in which a hash begins a comment. */
	if (path[0] != '/' || strpbrk(path, " \t\n\v\f\r#"))
		return -EINVAL;
	ET_AUTO_FREE char *line = et_asprintf("p:" GROUP "%d/f%" PRIu32 " %s:0x%" PRIx64 "\n",
		(int)getpid(), number, path, offset);
	int rc = write_line(t, line);
	if (rc)
		return rc;
	rc = read_id(t, number, id);
	if (rc)
		remove_probe(t, getpid(), number);
	return rc;
}

/* --- the observer --- */

struct counting {
	const char *root;
	struct et_profile *p;
	uint32_t type;
	struct et_tracefs tracefs; /* not open unless the program has several tasks */
	struct probes probes;      /* of the run */
};

static void close_probes(struct counting *o)
{
	for (size_t i = 0; i < o->probes.n; i++) {
		struct probe *p = &o->probes.list[i];
		et_cleanup_close(&p->fd);
		if (p->defined)
			remove_probe(&o->tracefs, getpid(), (uint32_t)i);
	}
	o->probes.n = 0;
	et_tracefs_close(&o->tracefs);
}

static int open_calls(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	uint32_t type = 0;

	if (!setup->e->profile)
		return 0;
	int rc = read_type(setup->root, &type, err);
	if (rc)
		return rc;
	struct counting *o = et_calloc(1, sizeof(*o));
	*o = (struct counting){ .root = setup->root,
		.p = setup->e->profile,
		.type = type,
		.tracefs = { -1, -1 },
		.probes = { .since = setup->e->started_wall_ns } };
	*self = o;
	return 0;
}

static void close_calls(void *self)
{
	struct counting *o = self;

	close_probes(o);
	free(o->probes.list);
	free(o);
}

static int open_one(struct counting *o, size_t i, pid_t task)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	struct probe *p = &o->probes.list[i];
	uint64_t id = 0;
	int fd = -ENOTSUP;

	if (p->unsure)
		return fd;
	if (o->tracefs.dir < 0) {
		fd = open_probe(o->type, p->path, p->offset, task);
	} else {
		fd = et_tracefs_define(&o->tracefs, (uint32_t)i, p->path, p->offset, &id);
		p->defined = fd == 0;
		attr.config = id;
		if (p->defined)
			fd = open_event(&attr, task);
	}
	p->fd = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

/* An instruction that the kernel cannot probe leaves its function without a number. */
static int open_all(struct counting *o, pid_t task, struct et_error *err)
{
	size_t open = 0;
	int last = -ENOENT;

	for (size_t i = 0; i < o->probes.n; i++) {
		int rc = open_one(o, i, task);
		if (rc == -EACCES || rc == -EPERM || rc == -EMFILE)
			return refused(rc, err);
		open += rc == 0;
		last = rc ? rc : last;
	}
	if (open)
		return 0;
	if (o->probes.changed)
		return et_fail_hint(err, ESTALE, ET_EXIT_ENVIRONMENT, "profile it again",
			"cannot count calls: the program's files changed since it was "
			"profiled");
	return et_hint(err,
		et_fail_errno(err, -last, ET_EXIT_ENVIRONMENT,
			"cannot count calls: none of %zu functions can be probed", o->probes.n),
		"give the numbers: --calls=NAME=N");
}

static void before(void *self, struct et_run *run)
{
	struct counting *o = self;
	uint32_t functions[ET_MOST_COUNTED];
	size_t n = et_calls_choose(o->p, run->commands[0], functions);

	close_probes(o); /* of a run that failed */
	o->probes.changed = false;
	for (size_t i = 0; i < n; i++) {
		if (functions[i] != ET_PROFILE_NONE)
			find_file(&o->probes, o->root, o->p, functions + i, n - i);
	}
}

/* The child has not executed the program yet. */
static int attach(void *self, struct et_run *run, struct et_error *err)
{
	struct counting *o = self;
	size_t runs = 0, alone = 0; /* runs of the program, and those with a single task */

	for (size_t i = 0; i < o->p->n_runs; i++) {
		const struct et_profile_run *r = &o->p->runs[i];
		runs += r->command == run->commands[0];
		alone += r->command == run->commands[0] && r->tasks == 1;
	}
	if (!runs || alone < runs) {
		int rc = et_tracefs_open(&o->tracefs);
		if (rc)
			return et_hint_privilege(err,
				et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT,
					"cannot count calls in several tasks: no tracefs"),
				"root and CAP_SYS_ADMIN", "give the numbers: --calls=NAME=N");
	}
	return open_all(o, run->waits[0].pid, err);
}

/* False also if the file is not the one that was found: another is counted at wrong places. */
static bool read_probe(const struct probe *p, uint64_t *sum)
{
	struct stat now;
	uint64_t value;

	if (p->fd < 0 || stat(p->path, &now) < 0 || now.st_dev != p->file.st_dev ||
		now.st_ino != p->file.st_ino || changed_at(&now) != changed_at(&p->file) ||
		read(p->fd, &value, sizeof(value)) != (ssize_t)sizeof(value))
		return false;
	*sum += value;
	return true;
}

/* The places of a function follow each other; without one of them it has no number. */
static void after(void *self, struct et_run *run)
{
	struct counting *o = self;

	for (size_t i = 0; i < o->probes.n;) {
		uint32_t function = o->probes.list[i].function;
		uint64_t sum = 0;
		bool all = true;
		for (; i < o->probes.n && o->probes.list[i].function == function; i++)
			all = all && read_probe(&o->probes.list[i], &sum);
		if (all)
			et_profile_set_calls(o->p, run->commands[0], function, (double)sum);
	}
	close_probes(o);
}

const struct et_observer et_observe_calls = {
	.name = "calls",
	.on_request = true,
	.holds_child = true,
	.open = open_calls,
	.before = before,
	.attach = attach,
	.after = after,
	.close = close_calls,
};
