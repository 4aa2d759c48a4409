/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/space.h"
#include "profile/symbols/module.h"

/*
 * The kernel does not report that memory is unmapped. A process that maps code at ever new
 * addresses must not fill our memory: beyond this number its older mappings are forgotten. Linux
 * allows 65,530 of all kinds at one time (vm.max_map_count).
 */
enum { MOST_MAPPINGS = 131072 };
/* Of all processes. Beyond it, a forked process that maps more forgets those of its parent. */
enum { MOST_HELD = 1 << 22 };

struct mapped {
	uint64_t start, end;
	uint64_t offset;
	uint64_t age; /* ascends with each mapping */
	uint32_t module;
};

/* Ascending and disjoint. A forked process shares those of its parent until one of them changes. */
struct mappings {
	struct mapped *list;
	size_t n, room, users;
};

struct process {
	struct mappings *mappings; /* NULL: none */
	struct et_jit *jit;        /* NULL: not looked for yet */
};

struct et_spaces {
	struct et_profile *profile;
	char *root;
	struct et_modules modules;
	struct et_kernel kernel;
	struct et_hash processes;
	uint64_t age;
	size_t held;      /* mappings of all processes */
	uid_t user;       /* as whom the program was started; 0: not known */
	uint32_t unknown; /* the function of addresses where nothing is mapped */
};

struct et_spaces *et_spaces_new(const char *root, struct et_profile *profile)
{
	struct et_spaces *s = et_calloc(1, sizeof(*s));

	s->profile = profile;
	s->root = et_strdup(root);
	s->modules = (struct et_modules){ .root = s->root, .profile = profile };
	s->processes.width = sizeof(struct process);
	s->unknown = ET_PROFILE_NONE;
	et_kernel_open(&s->kernel, root);
	return s;
}

void et_spaces_set_user(struct et_spaces *s, uid_t user)
{
	s->user = user;
}

/* --- mappings --- */

static void release(struct et_spaces *s, struct process *p)
{
	struct mappings *m = p->mappings;

	et_jit_free(p->jit);
	p->jit = NULL;
	p->mappings = NULL;
	if (!m || --m->users)
		return;
	s->held -= m->n;
	free(m->list);
	free(m);
}

/* Returns the mappings of a process alone, so that they can be changed. */
static struct mappings *own(struct et_spaces *s, struct process *p)
{
	struct mappings *shared = p->mappings, *m;

	if (shared && shared->users == 1)
		return shared;
	m = et_calloc(1, sizeof(*m));
	m->users = 1;
	if (shared && s->held + shared->n <= MOST_HELD) {
		m->n = m->room = shared->n;
		m->list = et_realloc(NULL, m->n ? m->n : 1, sizeof(*m->list));
		if (m->n)
			memcpy(m->list, shared->list, m->n * sizeof(*m->list));
		s->held += m->n;
	}
	if (shared)
		shared->users--;
	p->mappings = m;
	return m;
}

/* Returns the first mapping that ends after the address. */
static size_t first_after(const struct mappings *m, uint64_t address)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		if (m->list[middle].end <= address)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

static void forget_older(struct mappings *m)
{
	uint64_t newest = 0;
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++)
		newest = m->list[i].age > newest ? m->list[i].age : newest;
	for (size_t i = 0; i < m->n; i++) {
		if (newest - m->list[i].age < MOST_MAPPINGS / 2)
			m->list[kept++] = m->list[i];
	}
	m->n = kept;
}

/* Replaces the mappings [from, to) by `n` others. */
static void splice(struct mappings *m, size_t from, size_t to, const struct mapped *with, size_t n)
{
	while (m->room < m->n - (to - from) + n) {
		m->room = m->room ? 2 * m->room : 16;
		m->list = et_realloc(m->list, m->room, sizeof(*m->list));
	}
	if (to < m->n)
		memmove(m->list + from + n, m->list + to, (m->n - to) * sizeof(*m->list));
	memcpy(m->list + from, with, n * sizeof(*with));
	m->n = m->n - (to - from) + n;
}

/* A later mapping replaces the earlier ones, also parts of them. */
static void insert(struct mappings *m, const struct mapped *new)
{
	struct mapped with[3];
	size_t from = first_after(m, new->start), to = from, n = 0;

	while (to < m->n && m->list[to].start < new->end)
		to++;
	if (from < to && m->list[from].start < new->start) {
		with[n] = m->list[from];
		with[n++].end = new->start;
	}
	with[n++] = *new;
	if (from < to && m->list[to - 1].end > new->end) {
		with[n] = m->list[to - 1];
		with[n].offset += new->end - with[n].start;
		with[n++].start = new->end;
	}
	splice(m, from, to, with, n);
	if (m->n > MOST_MAPPINGS)
		forget_older(m);
}

/* --- processes --- */

static struct process *process_of(struct et_spaces *s, pid_t process)
{
	return et_hash_put(&s->processes, (uint64_t)(uint32_t)process + 1);
}

void et_spaces_map(struct et_spaces *s, pid_t process, const struct et_mapping *m)
{
	struct mapped new = { .start = m->start, .offset = m->offset };

	new.end = m->length > UINT64_MAX - m->start ? UINT64_MAX : m->start + m->length;
	if (new.end == new.start)
		return;
	new.module = et_modules_of(&s->modules, m);
	new.age = ++s->age;
	struct mappings *its = own(s, process_of(s, process));
	size_t before = its->n;
	insert(its, &new);
	s->held += its->n - before;
}

void et_spaces_fork(struct et_spaces *s, pid_t process, pid_t parent)
{
	if (process == parent) /* a thread */
		return;
	struct mappings *m = process_of(s, parent)->mappings;
	struct process *p = process_of(s, process);
	if (p->mappings == m)
		return;
	release(s, p);
	p->mappings = m;
	if (m)
		m->users++;
}

void et_spaces_forget(struct et_spaces *s, pid_t process)
{
	release(s, process_of(s, process));
}

void et_spaces_clear(struct et_spaces *s)
{
	size_t at = 0;

	for (struct process *p; (p = et_hash_next(&s->processes, &at));)
		release(s, p);
	et_hash_free(&s->processes);
}

void et_spaces_free(struct et_spaces *s)
{
	if (!s)
		return;
	et_spaces_clear(s);
	et_modules_free(&s->modules);
	et_kernel_close(&s->kernel);
	free(s->root);
	free(s);
}

/* --- addresses --- */

static const struct mapped *find_mapped(
	struct et_spaces *s, pid_t process, uint64_t address, struct process **out)
{
	struct process *p = et_hash_find(&s->processes, (uint64_t)(uint32_t)process + 1);
	const struct mappings *m = p ? p->mappings : NULL;
	size_t i = m ? first_after(m, address) : 0;

	*out = p;
	return m && i < m->n && m->list[i].start <= address ? &m->list[i] : NULL;
}

const struct et_cfi *et_spaces_cfi(
	struct et_spaces *s, pid_t process, uint64_t address, uint64_t *in_file)
{
	struct process *p;
	const struct mapped *m = find_mapped(s, process, address, &p);

	return m ? et_modules_cfi(&s->modules, m->module, address - m->start + m->offset, in_file)
		 : NULL;
}

void et_spaces_resolve(
	struct et_spaces *s, pid_t process, bool kernel, uint64_t address, struct et_resolved *out)
{
	if (kernel) {
		et_kernel_resolve(&s->kernel, s->profile, address, out);
		return;
	}
	struct process *p;
	const struct mapped *found = find_mapped(s, process, address, &p);
	if (!found) {
		struct et_profile_place place = { "[unknown]", ET_MODULE_UNKNOWN, ET_SPACE_UNKNOWN,
			true, address };
		*out = (struct et_resolved){ .n = 1 };
		out->functions[0] = et_place_function(s->profile, &place, &s->unknown, NULL, 0);
		return;
	}
	/* Generated code is in memory without a file; its map may name it. */
	if (et_modules_may_be_generated(&s->modules, found->module)) {
		if (!p->jit) {
			p->jit = et_calloc(1, sizeof(*p->jit));
			*p->jit = (struct et_jit){ .process = process, .user = s->user };
		}
		if (et_jit_resolve(p->jit, s->root, s->profile, address, out))
			return;
	}
	et_modules_resolve(&s->modules, found->module, address - found->start + found->offset, out);
}

void et_spaces_resolve_offset(struct et_spaces *s, const struct et_mapping *file, uint64_t offset,
	struct et_resolved *out)
{
	et_modules_resolve(&s->modules, et_modules_of(&s->modules, file), offset, out);
}

bool et_spaces_find(struct et_spaces *s, pid_t process, const char *path, uint64_t address,
	struct et_mapping *out)
{
	struct process *p;
	const struct mapped *found = find_mapped(s, process, address, &p);

	if (!found || strcmp(s->modules.list[found->module]->path, path) != 0)
		return false;
	out->start = found->start;
	out->length = found->end - found->start;
	out->offset = found->offset;
	return true;
}
