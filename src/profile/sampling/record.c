/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/record.h"

/* The part of a record that has not been read yet. */
struct rest {
	const char *at;
	size_t size;
	bool bad; /* something did not fit */
};

static const void *take(struct rest *r, size_t size)
{
	const char *at = r->at;

	if (r->bad || size > r->size) {
		r->bad = true;
		return NULL;
	}
	r->at += size;
	r->size -= size;
	return at;
}

static uint64_t take_u64(struct rest *r)
{
	const void *at = take(r, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t take_u32(struct rest *r)
{
	const void *at = take(r, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static const uint64_t *take_array(struct rest *r, uint64_t n)
{
	r->bad = r->bad || n > r->size / sizeof(uint64_t);
	return r->bad ? NULL : take(r, n * sizeof(uint64_t));
}

static void take_stack(struct rest *r, struct et_perf_sample *out)
{
	uint64_t size = take_u64(r);
	const char *stack = size <= r->size ? take(r, size) : NULL;

	if (size == 0)
		return;
	uint64_t used = take_u64(r); /* of the copy; the rest was not readable */
	if (!stack || r->bad || used > size) {
		r->bad = true;
		return;
	}
	out->stack = stack;
	out->stack_size = used;
}

bool et_perf_sample_read(uint64_t type, size_t n_regs, uint16_t misc, const char *body, size_t size,
	struct et_perf_sample *out)
{
	struct rest r = { body, size, false };
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	*out = (struct et_perf_sample){ .id = take_u64(&r),
		.kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_HYPERVISOR };
	out->ip = take_u64(&r);
	out->pid = take_u32(&r);
	out->tid = take_u32(&r);
	out->time_ns = take_u64(&r);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		out->n_chain = take_u64(&r);
		out->chain = take_array(&r, out->n_chain);
	}
	if ((type & PERF_SAMPLE_REGS_USER) && take_u64(&r) != PERF_SAMPLE_REGS_ABI_NONE) {
		out->n_regs = n_regs;
		out->regs = take_array(&r, n_regs);
	}
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&r, out);
	return !r.bad;
}

/* The end of a side-band record, see "sample_id" in perf_event_open(2). */
struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
};

static void read_mapping(struct rest *r, uint16_t misc, struct et_perf_side *out)
{
	struct et_mapping *m = &out->mapping;

	out->pid = take_u32(r);
	out->tid = take_u32(r);
	m->start = take_u64(r);
	m->length = take_u64(r);
	m->offset = take_u64(r);
	/* The build id, or the numbers of device and inode. */
	const unsigned char *id = take(r, 24);
	take(r, 8); /* protection and flags */
	if (id && (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) && id[0] > 0 && id[0] <= 20) {
		m->build_id = id + 4;
		m->build_id_size = id[0];
	}
	/* The path ends within the record. */
	r->bad = r->bad || !memchr(r->at, '\0', r->size);
	m->path = r->bad ? "" : r->at;
}

bool et_perf_side_read(
	const struct perf_event_header *h, const char *body, size_t size, struct et_perf_side *out)
{
	struct trailer t;

	if (size < sizeof(t))
		return false;
	memcpy(&t, body + size - sizeof(t), sizeof(t));
	struct rest r = { body, size - sizeof(t), false };
	*out = (struct et_perf_side){ .type = h->type, .time_ns = t.time_ns };
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		read_mapping(&r, h->misc, out);
		break;
	case PERF_RECORD_COMM:
		out->pid = take_u32(&r);
		out->tid = take_u32(&r);
		out->exec = h->misc & PERF_RECORD_MISC_COMM_EXEC;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		out->pid = take_u32(&r);
		out->parent_pid = take_u32(&r);
		out->tid = take_u32(&r);
		out->parent_tid = take_u32(&r);
		take(&r, sizeof(uint64_t)); /* the time, which the trailer has too */
		break;
	default:
		return false;
	}
	return !r.bad;
}

uint64_t et_perf_record_time(uint32_t type, const char *body, size_t size)
{
	/* After id, address, pid and tid; or the last word of the trailer. */
	size_t at = type == PERF_RECORD_SAMPLE ? 24 : size - sizeof(uint64_t);
	uint64_t time_ns = 0;

	if (size >= at + sizeof(time_ns) && size >= sizeof(time_ns))
		memcpy(&time_ns, body + at, sizeof(time_ns));
	return time_ns;
}
