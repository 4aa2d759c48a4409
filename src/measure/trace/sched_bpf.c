/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stream by BPF: tracepoints of the scheduler and of interrupts, through a ring buffer. */
#include "measure/trace/sched_source.h"

#ifdef ET_HAVE_BPF
#include "measure/observe/bpf.h"
#include "measure/sched_stream_object.h"

#include <bpf/libbpf.h>

struct by_bpf {
	struct et_bpf bpf;
	struct ring_buffer *ring;
	const uint64_t *lost;
	struct et_sched_batch *batch; /* of the present drain */
};

struct wanted {
	int cpu;
	size_t capacity_bytes;
};

static void configure(struct bpf_object *o, const void *ctx)
{
	const struct wanted *wanted = ctx;
	struct bpf_map *constants = bpf_object__find_map_by_name(o, ".rodata");
	uint32_t size = (uint32_t)sysconf(_SC_PAGESIZE);

	/* The kernel wants a power of two of whole pages. */
	while (size < wanted->capacity_bytes && size < 1u << 30)
		size *= 2;
	bpf_map__set_max_entries(bpf_object__find_map_by_name(o, "records"), size);
	bpf_map__set_initial_value(constants, &wanted->cpu, sizeof(wanted->cpu));
}

static int take(void *ctx, void *data, size_t size)
{
	struct by_bpf *s = ctx;
	struct et_sched_record r;

	if (size < sizeof(r))
		return 0;
	memcpy(&r, data, sizeof(r));
	et_sched_batch_add(s->batch, &r);
	return 0;
}

static void close_bpf(void *ctx)
{
	struct by_bpf *s = ctx;

	ring_buffer__free(s->ring);
	et_bpf_unload(&s->bpf);
	free(s);
}

static int open_bpf(int cpu, size_t capacity_bytes, void **ctx, struct et_error *err)
{
	const struct wanted wanted = { cpu, capacity_bytes };
	struct et_bpf bpf = { 0 };
	int rc = et_bpf_try(
		sched_stream_object, sizeof(sched_stream_object), configure, &wanted, &bpf);

	if (rc)
		return et_bpf_explain(rc, err);
	struct by_bpf *s = et_calloc(1, sizeof(*s));
	s->bpf = bpf;
	s->lost = s->bpf.variables;
	s->ring = ring_buffer__new(
		bpf_object__find_map_fd_by_name(s->bpf.object, "records"), take, s, NULL);
	if (!s->ring || !s->lost) {
		rc = et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "cannot map BPF's ring buffer");
		close_bpf(s);
		return rc;
	}
	*ctx = s;
	return 0;
}

static int drain_bpf(void *ctx, struct et_sched_batch *b, uint64_t *lost)
{
	struct by_bpf *s = ctx;

	s->batch = b;
	int rc = ring_buffer__consume(s->ring);
	*lost = __atomic_load_n(s->lost, __ATOMIC_RELAXED);
	return rc < 0 ? rc : 0;
}

#else

static int open_bpf(int cpu, size_t capacity_bytes, void **ctx, struct et_error *err)
{
	(void)cpu;
	(void)capacity_bytes;
	(void)ctx;
	return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT, "this etalon was built without BPF");
}

#define drain_bpf NULL
#define close_bpf NULL
#endif

const struct et_sched_source et_sched_by_bpf = {
	.name = "bpf",
	.interrupts = true,
	.open = open_bpf,
	.drain = drain_bpf,
	.close = close_bpf,
};
