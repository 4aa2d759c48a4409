/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/sampler.h"
#include "base/clock.h"
#include "profile/sampling/record.h"

/* --- tasks --- */

void et_tasks_begin(struct et_tasks *t, uint64_t short_ns)
{
	et_tasks_free(t);
	*t = (struct et_tasks){ .short_ns = short_ns };
	t->threads.width = t->processes.width = sizeof(uint64_t);
}

void et_tasks_free(struct et_tasks *t)
{
	et_hash_free(&t->threads);
	et_hash_free(&t->processes);
}

/* Numbers come from records, and a key must not be 0. */
static uint64_t *at(struct et_hash *h, pid_t number)
{
	return et_hash_put(h, (uint64_t)(uint32_t)number + 1);
}

void et_tasks_fork(struct et_tasks *t, pid_t process, pid_t thread, uint64_t time_ns)
{
	uint64_t *threads = at(&t->processes, process);

	if (process == thread) /* the number may have been another's, whose exit was lost */
		*threads = 0;
	++*threads;
	*at(&t->threads, thread) = time_ns;
}

void et_tasks_exec(struct et_tasks *t, pid_t process, uint64_t time_ns)
{
	uint64_t *began_ns = at(&t->threads, process);

	*at(&t->processes, process) = 1;
	if (!*began_ns)
		*began_ns = time_ns;
}

bool et_tasks_exit(struct et_tasks *t, pid_t process, pid_t thread, uint64_t time_ns)
{
	uint64_t *began_ns = at(&t->threads, thread);
	uint64_t *threads = at(&t->processes, process);

	t->ended++;
	t->ended_early += *began_ns && time_ns - *began_ns < t->short_ns;
	*began_ns = 0;
	*threads -= *threads > 0;
	return *threads == 0;
}

/* --- contexts --- */

static uint32_t child_by_name(struct et_profile *p, uint32_t node, const char *name)
{
	return et_profile_node_of(p, node,
		et_profile_function_of(p, name, ET_MODULE_UNKNOWN, ET_SPACE_UNKNOWN, false));
}

/* The innermost function of a chain of which the part up to this node is kept. */
static uint32_t shortened(struct et_profile *p, uint32_t node, uint32_t innermost)
{
	if (p->n_nodes >= ET_LAST_CONTEXTS)
		node = ET_PROFILE_ROOT;
	return et_profile_node_of(p, child_by_name(p, node, ET_FUNCTION_OTHER), innermost);
}

uint32_t et_context_of(struct et_profile *p, const struct et_chain *chain)
{
	const uint32_t *functions = chain->functions, innermost = functions[chain->n - 1];
	uint32_t node = ET_PROFILE_ROOT;
	size_t repeated = 0, depth = 1;

	if (chain->broken)
		node = child_by_name(p, node, ET_FUNCTION_BROKEN);
	for (size_t i = 0; i < chain->n; i++) {
		repeated = i && functions[i] == functions[i - 1] ? repeated + 1 : 0;
		if (repeated >= ET_MOST_RECURSION)
			continue;
		if (depth++ > ET_DEEPEST_CONTEXT)
			return shortened(p, node, innermost);
		uint32_t next = et_profile_find_node(p, node, functions[i]);
		if (next == ET_PROFILE_NONE && p->n_nodes >= ET_MOST_CONTEXTS)
			return shortened(p, node, innermost);
		node = next != ET_PROFILE_NONE ? next : et_profile_node_of(p, node, functions[i]);
	}
	return node;
}

/* --- where programs begin --- */

/* In glibc, musl and Go. */
static const char *const beginnings[] = { "_start", "main", "__libc_start_main",
	"__libc_start_main_impl", "__libc_start_call_main", "generic_start_main", "_start_c",
	"start_thread", "start", "clone", "__clone", "clone3", "__clone3", "_dl_start",
	"_dl_start_user", "_dlstart", "runtime.main", "runtime.goexit", "runtime.mstart",
	"runtime.mcall", "runtime.morestack", "runtime.systemstack", "runtime.rt0_go" };

static bool is_beginning(const char *name)
{
	/* Without an offset, a version, or ".abi0" of Go and ".cold" of gcc. */
	size_t n = strcspn(name, "+@");

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		size_t m = strlen(beginnings[i]);
		if (n >= m && !strncmp(name, beginnings[i], m) && (n == m || name[m] == '.'))
			return true;
	}
	return false;
}

/* The C library is often stripped, so what calls main() or a thread's function has no name. */
bool et_chain_is_whole(const struct et_profile_function *outermost, size_t n)
{
	if (outermost->unnamed)
		return n > 1 && outermost->space != ET_SPACE_UNKNOWN;
	return is_beginning(outermost->name);
}

/* Records that wait to be processed. */
struct queue {
	struct waiting {
		uint64_t time_ns;
		size_t at; /* of the body, in bytes */
		struct perf_event_header header;
	} * list;
	size_t n, room;
	char *bytes;
	size_t used, size;
};

struct et_sampler {
	struct et_profile *profile;
	struct et_spaces *spaces;
	struct et_event_kind kind;
	size_t n_regs;
	struct queue samples, sides;
	struct et_tasks tasks;
	struct et_profile_tally tally;
	pid_t program;
	bool began; /* it has called execve() */
	uint64_t taken, lost, throttled;
};

struct et_sampler *et_sampler_new(
	const char *root, struct et_profile *profile, const struct et_event_kind *kind)
{
	struct et_sampler *s = et_calloc(1, sizeof(*s));

	s->profile = profile;
	s->spaces = et_spaces_new(root, profile);
	s->kind = *kind;
	s->n_regs = (size_t)__builtin_popcountll(kind->regs);
	return s;
}

void et_sampler_begin(struct et_sampler *s, pid_t program, uid_t user, uint64_t short_ns)
{
	et_spaces_set_user(s->spaces, user);
	s->program = program;
	s->began = false;
	s->taken = s->lost = s->throttled = 0;
	s->samples.n = s->samples.used = s->sides.n = s->sides.used = 0;
	et_tasks_begin(&s->tasks, short_ns);
	et_profile_tally_clear(&s->tally);
}

uint64_t et_sampler_taken(const struct et_sampler *s)
{
	return s->taken;
}

/* --- taking records --- */

static void enqueue(struct queue *q, const struct perf_event_header *h, const char *body, size_t n)
{
	size_t padded = (n + 8) & ~(size_t)7; /* aligned, and with a NUL byte at the end */

	ET_GROW(q->list, q->n, q->room);
	if (q->used + padded > q->size) {
		q->size = 2 * (q->used + padded);
		q->bytes = et_realloc(q->bytes, q->size, 1);
	}
	memcpy(q->bytes + q->used, body, n);
	memset(q->bytes + q->used + n, 0, padded - n);
	q->list[q->n++] = (struct waiting){ et_perf_record_time(h->type, body, n), q->used, *h };
	q->used += padded;
}

static size_t body_size(const struct waiting *w)
{
	return w->header.size - sizeof(w->header);
}

void et_sampler_take(void *self, const struct perf_event_header *h, const char *body, size_t size)
{
	struct et_sampler *s = self;

	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		s->taken++;
		enqueue(&s->samples, h, body, size);
		break;
	case PERF_RECORD_THROTTLE:
		s->throttled++;
		break;
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		enqueue(&s->sides, h, body, size);
		break;
	}
}

static void take_loss(void *ctx, uint64_t n, bool again)
{
	struct et_sampler *s = ctx;

	(void)again;
	s->lost += n;
}

/* --- a sample becomes a count --- */

/* A frame of a call chain. */
struct frame {
	uint64_t address;
	bool kernel;
};

enum { MOST_FRAMES = 1024, MOST_UNWOUND = 256, MOST_LINKS = 2048 };

/*
 * Takes the frames of a chain, innermost first. An address that is not the first of its context is
 * where a call returns to, which may already be the next function: the call itself is before it.
 */
static size_t take_chain(const struct et_perf_sample *x, struct frame *frames)
{
	bool kernel = x->kernel, first = true;
	size_t n = 0;

	for (size_t i = 0; i < x->n_chain && n < MOST_FRAMES; i++) {
		uint64_t a = x->chain[i];
		if (a >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = a == (uint64_t)PERF_CONTEXT_KERNEL ||
				 a == (uint64_t)PERF_CONTEXT_HV;
			first = true;
			continue;
		}
		frames[n++] = (struct frame){ first ? a : a - 1, kernel };
		first = false;
	}
	if (n == 0)
		frames[n++] = (struct frame){ x->ip, x->kernel };
	return n;
}

/*
 * The frames of the kernel, which the sample has, and those of the program: the sample has them, or
 * the copy of its stack is unwound.
 */
static size_t frames_of(
	struct et_sampler *s, const struct et_perf_sample *x, struct frame frames[MOST_FRAMES])
{
	struct et_user_state state = { x->regs, x->n_regs, x->stack, x->stack_size };
	uint64_t found[MOST_UNWOUND];
	size_t n = x->n_chain || x->kernel || !x->regs ? take_chain(x, frames) : 0;

	if (!x->regs)
		return n;
	size_t more = et_spaces_unwind(s->spaces, (pid_t)x->pid, &state, found, MOST_UNWOUND);
	for (size_t i = 0; i < more && n < MOST_FRAMES; i++)
		frames[n++] = (struct frame){ found[i], false };
	if (n == 0)
		frames[n++] = (struct frame){ x->ip, x->kernel };
	return n;
}

/* The functions of a chain, outermost first. */
struct links {
	uint32_t functions[MOST_LINKS];
	size_t n, of_program; /* without those of the kernel */
};

/* Outermost addresses where no code is are no callers: the chain went astray beyond its begin. */
static struct et_chain chain_of(const struct et_profile *p, const struct links *l)
{
	size_t astray = 0;

	while (astray + 1 < l->of_program &&
		p->functions[l->functions[astray]].space == ET_SPACE_UNKNOWN)
		astray++;
	const struct et_profile_function *outermost = &p->functions[l->functions[astray]];
	return (struct et_chain){ l->functions + astray, l->n - astray,
		l->of_program && !et_chain_is_whole(outermost, l->of_program - astray) };
}

static uint32_t node_of(struct et_sampler *s, const struct et_perf_sample *x, bool *at_entry)
{
	struct et_resolved r = { 0 };
	struct frame frames[MOST_FRAMES];
	struct links l;
	pid_t pid = (pid_t)x->pid;

	if (s->profile->plan.chains == ET_CHAINS_NONE) {
		et_spaces_resolve(s->spaces, pid, x->kernel, x->ip, &r);
		*at_entry = r.at_entry;
		return et_profile_node_of(s->profile, ET_PROFILE_ROOT, r.functions[0]);
	}
	l.n = l.of_program = 0;
	for (size_t i = frames_of(s, x, frames); i-- > 0;) {
		et_spaces_resolve(s->spaces, pid, frames[i].kernel, frames[i].address, &r);
		/* Inlined functions come last. The innermost is always kept. */
		for (size_t k = r.n; k-- > 0;) {
			l.n -= l.n == MOST_LINKS;
			l.functions[l.n++] = r.functions[k];
			l.of_program += !frames[i].kernel;
		}
	}
	*at_entry = r.at_entry;
	struct et_chain chain = chain_of(s->profile, &l);
	return et_context_of(s->profile, &chain);
}

static void process_sample(struct et_sampler *s, const struct waiting *w)
{
	struct et_perf_sample x;
	bool at_entry = false;

	if (!s->began || !et_perf_sample_read(s->kind.sample_type, s->n_regs, w->header.misc,
				 s->samples.bytes + w->at, body_size(w), &x))
		return;
	uint32_t node = node_of(s, &x, &at_entry);
	et_profile_tally_add(&s->tally, node, 1, at_entry);
}

/* --- side-band records --- */

static void process_side(struct et_sampler *s, const struct waiting *w)
{
	struct et_perf_side x;

	if (!et_perf_side_read(&w->header, s->sides.bytes + w->at, body_size(w), &x))
		return;
	pid_t pid = (pid_t)x.pid;
	switch (x.type) {
	case PERF_RECORD_MMAP2:
		et_spaces_map(s->spaces, pid, &x.mapping);
		break;
	case PERF_RECORD_COMM:
		if (!x.exec)
			break;
		s->began = s->began || pid == s->program;
		et_spaces_forget(s->spaces, pid);
		et_tasks_exec(&s->tasks, pid, x.time_ns);
		break;
	case PERF_RECORD_FORK:
		if (x.pid != x.parent_pid)
			et_spaces_fork(s->spaces, pid, (pid_t)x.parent_pid);
		et_tasks_fork(&s->tasks, pid, (pid_t)x.tid, x.time_ns);
		break;
	case PERF_RECORD_EXIT:
		if (et_tasks_exit(&s->tasks, pid, (pid_t)x.tid, x.time_ns))
			et_spaces_forget(s->spaces, pid);
		break;
	}
}

/* --- the order of time --- */

/* Records of one time stay in the order in which they came. */
static int by_time(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	return ET_ORDER(x->time_ns, y->time_ns) ?: ET_ORDER(x->at, y->at);
}

static void sort(struct queue *q)
{
	for (size_t i = 1; i < q->n; i++) {
		if (q->list[i - 1].time_ns > q->list[i].time_ns) {
			qsort(q->list, q->n, sizeof(*q->list), by_time);
			return;
		}
	}
}

static void free_queue(struct queue *q)
{
	free(q->list);
	free(q->bytes);
}

/* Removes the first n, which have been processed. */
static void discard(struct queue *q, size_t n)
{
	struct queue rest = { 0 };

	for (size_t i = n; i < q->n; i++)
		enqueue(&rest, &q->list[i].header, q->bytes + q->list[i].at,
			body_size(&q->list[i]));
	free_queue(q);
	*q = rest;
}

void et_sampler_process(struct et_sampler *s, uint64_t until_ns)
{
	size_t side = 0, sample = 0;

	sort(&s->sides);
	sort(&s->samples);
	for (; sample < s->samples.n && s->samples.list[sample].time_ns <= until_ns; sample++) {
		const struct waiting *w = &s->samples.list[sample];
		while (side < s->sides.n && s->sides.list[side].time_ns <= w->time_ns)
			process_side(s, &s->sides.list[side++]);
		process_sample(s, w);
	}
	while (side < s->sides.n && s->sides.list[side].time_ns <= until_ns)
		process_side(s, &s->sides.list[side++]);
	discard(&s->sides, side);
	discard(&s->samples, sample);
}

/* Samples are read first: what a program did before one, such as mapping, is in the rings then. */
void et_sampler_drain(struct et_sampler *s, struct et_events *e, bool last)
{
	struct et_perf_reader reader = { et_sampler_take, take_loss, s };
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < e->n; i++)
		(void)!et_perf_ring_drain(&e->cpus[i].samples, &reader);
	for (size_t i = 0; i < e->n; i++)
		(void)!et_perf_ring_drain(&e->cpus[i].side, &reader);
	et_sampler_process(s, last ? UINT64_MAX : now_ns);
}

struct et_profile_run *et_sampler_end(struct et_sampler *s)
{
	struct et_profile_run *run = et_calloc(1, sizeof(*run));

	run->throttled = s->throttled;
	run->lost = s->lost;
	run->tasks = s->tasks.ended;
	run->short_tasks = s->tasks.ended_early;
	et_profile_tally_take(&s->tally, run);
	et_spaces_clear(s->spaces);
	return run;
}

void et_sampler_free(struct et_sampler *s)
{
	if (!s)
		return;
	et_spaces_free(s->spaces);
	et_tasks_free(&s->tasks);
	free_queue(&s->samples);
	free_queue(&s->sides);
	free(s->tally.counts);
	free(s);
}
