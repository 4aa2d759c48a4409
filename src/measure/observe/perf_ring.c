/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/observe/perf_ring.h"

#include <sys/mman.h>
#include <sys/syscall.h>

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The kernel answers EPERM when the ring exceeds RLIMIT_MEMLOCK and perf_event_mlock_kb. */
static int map_ring(struct et_perf_ring *r, size_t capacity_bytes)
{
	r->size = page_bytes();
	while (r->size < capacity_bytes && r->size < (size_t)1 << 30)
		r->size *= 2;
	for (;; r->size /= 2) {
		void *p = mmap(
			NULL, page_bytes() + r->size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
		if (p != MAP_FAILED) {
			r->page = p;
			return 0;
		}
		if (errno != EPERM || r->size <= page_bytes())
			return -errno;
	}
}

int et_perf_ring_open(const struct perf_event_attr *attr, int whose, int cpu, unsigned long flags,
	size_t capacity_bytes, struct et_perf_ring *out)
{
	struct et_perf_ring r = { 0 };

	r.fd = (int)syscall(
		SYS_perf_event_open, attr, whose, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
	if (r.fd < 0)
		return -errno;
	int rc = map_ring(&r, capacity_bytes);
	if (rc) {
		close(r.fd);
		return rc;
	}
	*out = r;
	return 0;
}

void et_perf_ring_close(struct et_perf_ring *r)
{
	munmap(r->page, page_bytes() + r->size);
	close(r->fd);
}

/* Copies bytes that may wrap around the end of the ring. */
static void copy_out(const struct et_perf_ring *r, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)r->page + r->page->data_offset;
	size_t place = at & (r->size - 1), first = r->size - place;

	first = first < size ? first : size;
	memcpy(to, data + place, first);
	memcpy((char *)to + first, data, size - first);
}

static void report_lost(
	struct et_perf_ring *r, const struct et_perf_reader *reader, const char *body, size_t size)
{
	struct {
		uint64_t id, lost;
	} w;

	if (size < sizeof(w))
		return;
	memcpy(&w, body, sizeof(w));
	reader->lost(reader->ctx, w.lost, r->was_full);
	r->was_full = false;
}

static int read_records(
	struct et_perf_ring *r, const struct et_perf_reader *reader, uint64_t tail, uint64_t head)
{
	/* The size in a header has 16 bits. */
	_Alignas(8) char body[UINT16_MAX + 1];

	while (tail < head) {
		struct perf_event_header h;
		if (head - tail < sizeof(h))
			return -EBADMSG;
		copy_out(r, tail, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail)
			return -EBADMSG;
		size_t size = h.size - sizeof(h);
		copy_out(r, tail + sizeof(h), body, size);
		body[size] = '\0';
		if (h.type == PERF_RECORD_LOST)
			report_lost(r, reader, body, size);
		else
			reader->record(reader->ctx, &h, body, size);
		tail += h.size;
	}
	return 0;
}

int et_perf_ring_drain(struct et_perf_ring *r, const struct et_perf_reader *reader)
{
	enum { TWO_RECORDS = 128 };
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;
	bool sane = tail <= head && head - tail <= r->size;
	/* A ring without room for two more records has probably lost some. */
	bool full = sane && r->size - (head - tail) < TWO_RECORDS;
	int rc = sane ? read_records(r, reader, tail, head) : -EBADMSG;

	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
	if (full || rc)
		reader->lost(reader->ctx, 0, false);
	r->was_full = full;
	return rc;
}
