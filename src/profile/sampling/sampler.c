/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/sampler.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "profile/sampling/contexts.h"
#include "profile/sampling/record.h"
#include "profile/sampling/tasks.h"

#include <string.h>

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

/* Samples that fell into a node. */
struct tally {
	uint64_t samples, at_entry;
};

struct et_sampler {
	struct et_profile *profile;
	struct et_spaces *spaces;
	struct et_event_kind kind;
	size_t n_regs;
	struct queue samples, sides;
	struct et_tasks tasks;
	struct tally *tallies; /* by node */
	size_t n_tallies;
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

void et_sampler_set_user(struct et_sampler *s, uid_t user)
{
	et_spaces_set_user(s->spaces, user);
}

void et_sampler_free(struct et_sampler *s)
{
	if (!s)
		return;
	et_spaces_free(s->spaces);
	et_tasks_free(&s->tasks);
	free(s->samples.list);
	free(s->samples.bytes);
	free(s->sides.list);
	free(s->sides.bytes);
	free(s->tallies);
	free(s);
}

void et_sampler_begin(struct et_sampler *s, pid_t program, uint64_t short_ns)
{
	s->program = program;
	s->began = false;
	s->taken = s->lost = s->throttled = 0;
	s->samples.n = s->samples.used = s->sides.n = s->sides.used = 0;
	et_tasks_begin(&s->tasks, short_ns);
	if (s->n_tallies)
		memset(s->tallies, 0, s->n_tallies * sizeof(*s->tallies));
}

uint64_t et_sampler_taken(const struct et_sampler *s)
{
	return s->taken;
}

uint64_t et_sampler_lost(const struct et_sampler *s)
{
	return s->lost;
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

void et_sampler_take(
	struct et_sampler *s, const struct perf_event_header *h, const char *body, size_t size)
{
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

static void take_record(void *ctx, const struct perf_event_header *h, const char *body, size_t size)
{
	et_sampler_take(ctx, h, body, size);
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

/* Adds the functions at an address, those that were inlined last. The innermost is always kept. */
static void add_links(struct links *l, const struct et_resolved *r, bool kernel)
{
	for (size_t i = r->n; i-- > 0;) {
		l->n -= l->n == MOST_LINKS;
		l->functions[l->n++] = r->functions[i];
		l->of_program += !kernel;
	}
}

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
		add_links(&l, &r, frames[i].kernel);
	}
	*at_entry = r.at_entry;
	struct et_chain chain = chain_of(s->profile, &l);
	return et_context_of(s->profile, &chain);
}

static void count(struct et_sampler *s, uint32_t node, bool at_entry)
{
	if (node >= s->n_tallies) {
		size_t more = 2 * (size_t)node + 64;
		s->tallies = et_realloc(s->tallies, more, sizeof(*s->tallies));
		memset(s->tallies + s->n_tallies, 0, (more - s->n_tallies) * sizeof(*s->tallies));
		s->n_tallies = more;
	}
	s->tallies[node].samples++;
	s->tallies[node].at_entry += at_entry;
}

static void process_sample(struct et_sampler *s, const struct waiting *w)
{
	struct et_perf_sample x;
	bool at_entry = false;

	if (!s->began || !et_perf_sample_read(s->kind.sample_type, s->n_regs, w->header.misc,
				 s->samples.bytes + w->at, body_size(w), &x))
		return;
	uint32_t node = node_of(s, &x, &at_entry);
	count(s, node, at_entry);
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
		et_spaces_exec(s->spaces, pid);
		et_tasks_exec(&s->tasks, pid, x.time_ns);
		break;
	case PERF_RECORD_FORK:
		if (x.pid != x.parent_pid)
			et_spaces_fork(s->spaces, pid, (pid_t)x.parent_pid);
		et_tasks_fork(&s->tasks, pid, (pid_t)x.tid, x.time_ns);
		break;
	case PERF_RECORD_EXIT:
		if (et_tasks_exit(&s->tasks, pid, (pid_t)x.tid, x.time_ns))
			et_spaces_exit(s->spaces, pid);
		break;
	}
}

/* --- the order of time --- */

/* Records of one time stay in the order in which they came. */
static int by_time(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
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

/* Removes the first n, which have been processed. */
static void discard(struct queue *q, size_t n)
{
	struct queue rest = { 0 };

	for (size_t i = n; i < q->n; i++)
		enqueue(&rest, &q->list[i].header, q->bytes + q->list[i].at,
			body_size(&q->list[i]));
	q->n = q->used = 0;
	for (size_t i = 0; i < rest.n; i++)
		enqueue(q, &rest.list[i].header, rest.bytes + rest.list[i].at,
			body_size(&rest.list[i]));
	free(rest.list);
	free(rest.bytes);
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

/*
 * Samples are read before side-band records: what a program did before a sample, such as to map the
 * code that it then ran, is then in the rings.
 */
void et_sampler_drain(struct et_sampler *s, struct et_events *e, bool last)
{
	struct et_perf_reader reader = { take_record, take_loss, s };
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
	run->tasks = s->tasks.ended;
	run->short_tasks = s->tasks.ended_early;
	for (size_t i = 0; i < s->n_tallies; i++)
		run->n_counts += s->tallies[i].samples > 0;
	run->counts = et_calloc(run->n_counts + 1, sizeof(*run->counts));
	for (size_t i = 0, k = 0; i < s->n_tallies; i++) {
		if (!s->tallies[i].samples)
			continue;
		run->counts[k++] = (struct et_profile_count){ .node = (uint32_t)i,
			.samples = s->tallies[i].samples,
			.at_entry = s->tallies[i].at_entry };
		run->samples += s->tallies[i].samples;
	}
	et_spaces_clear(s->spaces);
	return run;
}
