/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/calls.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "measure/cgroup.h"
#include "measure/privilege.h"
#include "measure/run.h"
#include "profile/object.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

enum { LEAST_COUNTED = 10, MOST_PROBES = 400, MOST_CODE = 64 << 10 };
static const double LEAST_SHARE = 0.01;

/* --- which functions --- */

struct heat {
	uint64_t samples;
	uint32_t function;
};

static int hottest_first(const void *a, const void *b)
{
	const struct heat *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

static uint64_t add_up(const struct et_profile *p, uint32_t command, struct heat *list)
{
	uint64_t total = 0;

	for (size_t i = 0; i < p->n_runs; i++) {
		const struct et_profile_run *run = &p->runs[i];
		if (run->command != command || run->warmup)
			continue;
		total += run->samples;
		for (size_t k = 0; k < run->n_counts; k++)
			list[p->nodes[run->counts[k].node].function].samples +=
				run->counts[k].samples;
	}
	return total;
}

size_t et_calls_choose(const struct et_profile *p, uint32_t command, uint32_t out[ET_MOST_COUNTED])
{
	ET_AUTO_FREE struct heat *list = et_calloc(p->n_functions + 1, sizeof(*list));
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_functions; i++)
		list[i].function = i;
	uint64_t total = add_up(p, command, list);
	qsort(list, p->n_functions, sizeof(*list), hottest_first);
	for (size_t i = 0; i < p->n_functions && n < ET_MOST_COUNTED; i++) {
		const struct et_profile_function *f = &p->functions[list[i].function];
		bool hot = (double)list[i].samples >= LEAST_SHARE * (double)total;
		if (!list[i].samples || (!hot && n >= LEAST_COUNTED))
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

/*
 * Whether a jump leads to the place. Instructions are not decoded, so any byte may be the beginning
 * of one: a jump that is none is found in 3 % of functions.
 */
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
	int *fds;         /* owned; NULL: it cannot be probed */
};

struct probes {
	struct probe *list;
	size_t n, room;
};

static void add_probe(struct probes *all, const struct et_profile *p, uint32_t function, int file,
	uint64_t offset, uint64_t size)
{
	ET_AUTO_FREE unsigned char *code = et_alloc(MOST_CODE);
	ssize_t n = pread(file, code, size < MOST_CODE ? size : MOST_CODE, (off_t)offset);

	int place = n > 0 ? et_calls_place(code, (size_t)n) : 0;

	if (all->n == MOST_PROBES)
		return;
	ET_GROW(all->list, all->n, all->room);
	all->list[all->n++] = (struct probe){ .function = function,
		.path = p->functions[function].module,
		.offset = offset + (uint64_t)(place > 0 ? place : 0),
		.unsure = place < 0 };
}

/* Static functions of several source files may share a name: the profile has them as one. */
static void find_function(struct probes *all, const struct et_profile *p, uint32_t function,
	const struct et_object *o, int file)
{
	const struct et_profile_function *f = &p->functions[function];
	char *end;

	if (f->unnamed) {
		uint64_t offset = strtoull(f->name + (f->name[0] == '['), &end, 16);
		if (f->name[0] == '[' && *end == ']')
			add_probe(all, p, function, file, offset, 16);
		return;
	}
	for (size_t i = 0; i < o->symbols.n; i++) {
		const struct et_symbol *s = &o->symbols.symbols[i];
		if (s->source != ET_SYMBOL_RANGE &&
			!strcmp(et_symbols_name(&o->symbols, s), f->name))
			add_probe(all, p, function, file, et_object_offset(o, s->start),
				s->end - s->start);
	}
}

/* Finds the functions that are in the same file as the first, and takes them from the list. */
static void find_file(
	struct probes *all, const char *root, const struct et_profile *p, uint32_t *list, size_t n)
{
	static const struct et_build_id any;
	const char *path = p->functions[list[0]].module;
	struct et_object o = { 0 };
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	et_object_read(root, path, &any, false, &o);
	for (size_t i = 0; i < n; i++) {
		if (list[i] == ET_PROFILE_NONE || strcmp(p->functions[list[i]].module, path) != 0)
			continue;
		if (file >= 0)
			find_function(all, p, list[i], &o, file);
		if (i)
			list[i] = ET_PROFILE_NONE;
	}
	et_object_free(&o);
	et_cleanup_close(&file);
}

/* The list is changed. */
static void find_all(
	struct probes *all, const char *root, const struct et_profile *p, uint32_t *list, size_t n)
{
	all->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (list[i] != ET_PROFILE_NONE)
			find_file(all, root, p, list + i, n - i);
	}
}

/* --- the kernel's part --- */

/* The tasks that are counted: one from its execve() on, or those of a control group on a CPU. */
struct whom {
	int id; /* of the task, or the descriptor of the group; -1: all tasks */
	int cpu;
	bool group;
};

/*
 * Returns the descriptor or -errno. Events of a task cannot be inherited: the kernel would read the
 * path again, in the memory of the program, and its clone() would fail with EFAULT.
 */
static int open_probe(uint32_t type, const char *path, uint64_t offset, const struct whom *whom)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = type,
		.config1 = (uintptr_t)path,
		.config2 = offset,
		.disabled = 1,
		.enable_on_exec = !whom->group };
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (whom->group ? PERF_FLAG_PID_CGROUP : 0);
	int fd = (int)syscall(SYS_perf_event_open, &attr, whom->id, whom->cpu, -1, flags);

	return fd < 0 ? -errno : fd;
}

static int read_type(const char *root, uint32_t *out, struct et_error *err)
{
	char line[32] = "";
	uint64_t type;

	if (et_sysroot_line(
		    root, "/sys/bus/event_source/devices/uprobe/type", line, sizeof(line)) <= 0 ||
		et_parse_u64("type", line, 0, UINT32_MAX, &type, NULL))
		return et_hint(err,
			et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
				"this kernel has no uprobes, so it cannot count calls"),
			"use a kernel with CONFIG_UPROBE_EVENTS, or give the numbers: "
			"--calls=NAME=N");
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
	int fd = open_probe(type, "", 0, &(struct whom){ .id = -1 });
	if (fd >= 0)
		close(fd);
	return fd == -EACCES || fd == -EPERM ? refused(fd, err) : 0;
}

/* --- the observer --- */

struct counting {
	const char *root;
	struct et_profile *p;
	uint32_t type;
	bool grouped;
	struct et_event_group group;
	struct whom *list; /* of the group: one for each CPU */
	size_t n_cpus;
	bool alone;           /* the program is one task */
	struct whom task;     /* that task */
	struct probes probes; /* of the run */
};

static size_t count_events(const struct counting *o)
{
	return o->alone ? 1 : o->n_cpus;
}

static void close_probe(const struct counting *o, struct probe *p)
{
	for (size_t i = 0; p->fds && i < count_events(o); i++)
		et_cleanup_close(&p->fds[i]);
	free(p->fds);
	p->fds = NULL;
}

static void close_probes(struct counting *o)
{
	for (size_t i = 0; i < o->probes.n; i++)
		close_probe(o, &o->probes.list[i]);
	o->probes.n = 0;
}

/* A program that is not bound to CPUs may run on all. */
static void list_cpus(struct counting *o, const cpu_set_t *allowed)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	o->list = et_calloc(CPU_SETSIZE, sizeof(*o->list));
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (allowed ? CPU_ISSET(i, allowed) : i < n)
			o->list[o->n_cpus++] = (struct whom){ o->group.dir_fd, i, true };
	}
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
	*o = (struct counting){ .root = setup->root, .p = setup->e->profile, .type = type };
	o->grouped = et_event_group_open(&o->group, setup->root);
	if (o->grouped)
		list_cpus(o, setup->cpus);
	*self = o;
	return 0;
}

static void close_calls(void *self)
{
	struct counting *o = self;

	close_probes(o);
	if (o->grouped)
		et_event_group_close(&o->group);
	free(o->list);
	free(o->probes.list);
	free(o);
}

/* Returns 0 or -errno. A CPU that is offline runs nothing. */
static int open_events(const struct counting *o, struct probe *p)
{
	const struct whom *list = o->alone ? &o->task : o->list;
	size_t n = count_events(o);
	int rc = p->unsure ? -ENOTSUP : 0;

	p->fds = et_calloc(n + 1, sizeof(*p->fds));
	for (size_t i = 0; i < n; i++) {
		int fd = rc ? rc : open_probe(o->type, p->path, p->offset, &list[i]);
		p->fds[i] = fd < 0 ? -1 : fd;
		if (fd < 0 && fd != -ENODEV)
			rc = fd;
	}
	if (rc)
		close_probe(o, p);
	return rc;
}

/* An instruction that the kernel cannot probe leaves its function without a number. */
static int open_all(struct counting *o, struct et_error *err)
{
	size_t open = 0;
	int last = -ENOENT;

	for (size_t i = 0; i < o->probes.n; i++) {
		int rc = open_events(o, &o->probes.list[i]);
		if (rc == -EACCES || rc == -EPERM || rc == -EMFILE)
			return refused(rc, err);
		open += rc == 0;
		last = rc ? rc : last;
	}
	if (open)
		return 0;
	return et_hint(err,
		et_fail_errno(err, -last, ET_EXIT_ENVIRONMENT,
			"cannot count calls: none of %zu functions can be probed", o->probes.n),
		"give the numbers: --calls=NAME=N");
}

static bool is_alone(const struct et_profile *p, uint32_t command)
{
	bool alone = false;

	for (size_t i = 0; i < p->n_runs; i++) {
		if (p->runs[i].command != command)
			continue;
		if (p->runs[i].tasks != 1)
			return false;
		alone = true;
	}
	return alone;
}

/* It takes about 0.1 s to close an event, so on many CPUs fewer functions are counted. */
static size_t affordable(const struct counting *o, size_t n)
{
	size_t most = MOST_PROBES / (count_events(o) ? count_events(o) : 1);

	return n < most ? n : most ? most : 1;
}

static void before(void *self, struct et_run *run)
{
	struct counting *o = self;
	uint32_t functions[ET_MOST_COUNTED];
	size_t n = et_calls_choose(o->p, run->commands[0], functions);

	close_probes(o); /* of a run that failed */
	o->alone = is_alone(o->p, run->commands[0]);
	find_all(&o->probes, o->root, o->p, functions, affordable(o, n));
	if (!o->alone && o->grouped)
		run->setups[0].attach_fd = o->group.procs_fd;
}

/* The child is in the group and has not executed the program yet. */
static int attach(void *self, struct et_run *run, struct et_error *err)
{
	struct counting *o = self;

	if (!o->alone && !o->grouped)
		return et_hint(err,
			et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
				"cannot count calls in several tasks: no control group can be "
				"made"),
			"run it as root where control groups can be written, or give the numbers: "
			"--calls=NAME=N");
	o->task = (struct whom){ run->waits[0].pid, -1, false };
	int rc = open_all(o, err);
	for (size_t i = 0; rc == 0 && !o->alone && i < o->probes.n; i++) {
		const int *fds = o->probes.list[i].fds;
		for (size_t k = 0; fds && k < o->n_cpus; k++) {
			if (fds[k] >= 0)
				ioctl(fds[k], PERF_EVENT_IOC_ENABLE, 0);
		}
	}
	return rc;
}

static bool read_probe(const struct counting *o, const struct probe *p, uint64_t *sum)
{
	uint64_t value;

	for (size_t i = 0; p->fds && i < count_events(o); i++) {
		if (p->fds[i] < 0)
			continue;
		if (read(p->fds[i], &value, sizeof(value)) != (ssize_t)sizeof(value))
			return false;
		*sum += value;
	}
	return p->fds;
}

/* The places of a function follow each other. */
static void set_calls(struct counting *o, uint32_t command, size_t first, size_t end)
{
	uint64_t sum = 0;

	for (size_t i = first; i < end; i++) {
		if (!read_probe(o, &o->probes.list[i], &sum))
			return;
	}
	et_profile_set_calls(o->p, command, o->probes.list[first].function, (double)sum);
}

static void after(void *self, struct et_run *run)
{
	struct counting *o = self;

	for (size_t i = 0, end; i < o->probes.n; i = end) {
		for (end = i + 1; end < o->probes.n &&
				  o->probes.list[end].function == o->probes.list[i].function;)
			end++;
		set_calls(o, run->commands[0], i, end);
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
