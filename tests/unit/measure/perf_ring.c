/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a ring that is laid out in memory: captured records, lost ones, and hostile bytes. */
#include "measure/observe/perf_ring.h"
#include "tap.h"

#include <errno.h>
#include <time.h>

/* Captured on Linux 6.18 while a process took the name "captured", forked and waited. */
static const unsigned char captured[] = {
	/* PERF_RECORD_COMM */
	0x03,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x38,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0x63,
	0x61,
	0x70,
	0x74,
	0x75,
	0x72,
	0x65,
	0x64,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xd8,
	0xfc,
	0x4d,
	0x6a,
	0x3d,
	0x01,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	/* PERF_RECORD_FORK */
	0x07,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x38,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0x49,
	0x6d,
	0x4f,
	0x6a,
	0x3d,
	0x01,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0x62,
	0x6c,
	0x4f,
	0x6a,
	0x3d,
	0x01,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	/* PERF_RECORD_SWITCH_CPU_WIDE, out */
	0x0f,
	0x00,
	0x00,
	0x00,
	0x00,
	0x20,
	0x28,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xe4,
	0xce,
	0x4f,
	0x6a,
	0x3d,
	0x01,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	/* PERF_RECORD_SWITCH_CPU_WIDE, in */
	0x0f,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x28,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc8,
	0xd3,
	0x4f,
	0x6a,
	0x3d,
	0x01,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	/* PERF_RECORD_EXIT */
	0x04,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x38,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc0,
	0x1c,
	0x00,
	0x00,
	0xf8,
	0x67,
	0x50,
	0x6a,
	0x3d,
	0x01,
	0x00,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xc6,
	0x1c,
	0x00,
	0x00,
	0xfe,
	0x66,
	0x50,
	0x6a,
	0x3d,
	0x01,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
};
enum { CAPTURED = 5, LONGEST = 56 };
static const uint32_t captured_types[] = { PERF_RECORD_COMM, PERF_RECORD_FORK,
	PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_EXIT };

enum { SIZE = 512 };

static union {
	struct perf_event_mmap_page page;
	char bytes[4096 + SIZE];
} memory;

static struct et_perf_ring ring;

/* The records and losses that the reader was given. */
static struct {
	struct perf_event_header headers[16];
	char bodies[16][LONGEST];
	size_t n;
	int losses, repeated;
	uint64_t lost;
	bool terminated, aligned;
} got;

static void take_record(void *ctx, const struct perf_event_header *h, const char *body, size_t size)
{
	(void)ctx;
	got.terminated = got.terminated && body[size] == '\0';
	got.aligned = got.aligned && (uintptr_t)body % 8 == 0;
	if (got.n == ET_LENGTH(got.headers))
		return;
	got.headers[got.n] = *h;
	memcpy(got.bodies[got.n++], body, size < LONGEST ? size : LONGEST);
}

static void take_lost(void *ctx, uint64_t n, bool again)
{
	(void)ctx;
	got.losses++;
	got.repeated += again;
	got.lost += n;
}

/* An empty ring whose next record is written at this place of its buffer. */
static void begin_at(uint64_t at)
{
	memset(&memory, 0x5a, sizeof(memory));
	memory.page.data_offset = 4096;
	memory.page.data_head = memory.page.data_tail = at;
	ring = (struct et_perf_ring){ .fd = -1, .page = &memory.page, .size = SIZE };
}

static void append(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		memory.bytes[4096 + (memory.page.data_head + i) % SIZE] = ((const char *)bytes)[i];
	memory.page.data_head += size;
}

static void append_header(uint32_t type, uint16_t size)
{
	struct perf_event_header h = { .type = type, .size = size };

	append(&h, sizeof(h));
}

static void append_lost(uint64_t n)
{
	uint64_t body[2] = { 7, n };

	append_header(PERF_RECORD_LOST, sizeof(struct perf_event_header) + sizeof(body));
	append(body, sizeof(body));
}

static int drain(void)
{
	const struct et_perf_reader reader = { take_record, take_lost, NULL };

	memset(&got, 0, sizeof(got));
	got.terminated = got.aligned = true;
	return et_perf_ring_drain(&ring, &reader);
}

static bool is_drained(void)
{
	return memory.page.data_tail == memory.page.data_head;
}

static bool got_captured(void)
{
	size_t at = 0;

	for (size_t i = 0; i < CAPTURED; i++) {
		const struct perf_event_header *h = &got.headers[i];
		if (h->type != captured_types[i] || memcmp(h, captured + at, sizeof(*h)) ||
			memcmp(got.bodies[i], captured + at + sizeof(*h), h->size - sizeof(*h)))
			return false;
		at += h->size;
	}
	return got.n == CAPTURED && at == sizeof(captured) && got.terminated && got.aligned;
}

static void captured_records(void)
{
	size_t wrong = 0;

	begin_at(0);
	ok(drain() == 0 && got.n == 0 && got.losses == 0, "an empty ring has no records");
	append(captured, sizeof(captured));
	ok(drain() == 0 && got_captured() && is_drained(), "captured records come out unchanged");
	is_str(got.bodies[0] + 8, "captured", "the name of a PERF_RECORD_COMM can be read");
	ok(got.losses == 0, "a ring with room has lost nothing");
	ok(drain() == 0 && got.n == 0, "records are handed out once");

	/* The kernel aligns records to 8 bytes; every place where one can wrap around is tried. */
	for (uint64_t at = 0; at < SIZE; at += 8) {
		begin_at(((uint64_t)1 << 33) + at);
		append(captured, sizeof(captured));
		wrong += drain() != 0 || !got_captured() || got.losses || !is_drained();
	}
	ok(wrong == 0, "records that wrap around the end of the ring come out unchanged");
}

static void losses(void)
{
	begin_at(0);
	append(captured, LONGEST);
	append_lost(12);
	append(captured, LONGEST);
	ok(drain() == 0 && got.n == 2 && got.losses == 1 && got.lost == 12 && !got.repeated,
		"PERF_RECORD_LOST is reported with its number, between the records around it");

	begin_at(0);
	for (size_t i = 0; i < 7; i++)
		append(captured, LONGEST);
	ok(drain() == 0 && got.n == 7 && got.losses == 1 && got.lost == 0,
		"a ring without room for two records is reported as a loss of unknown size");
	append_lost(3);
	ok(drain() == 0 && got.losses == 1 && got.lost == 3 && got.repeated == 1,
		"the kernel's record of that loss is marked as a repetition");
	append_lost(4);
	ok(drain() == 0 && got.losses == 1 && got.lost == 4 && got.repeated == 0,
		"a later loss is a new one");

	begin_at(0);
	append_header(PERF_RECORD_LOST, 16);
	append("12345678", 8);
	ok(drain() == 0 && got.losses == 0 && is_drained(), "a truncated loss record is ignored");
}

static void hostile(void)
{
	static const struct {
		uint16_t size;
		const char *what;
	} headers[] = {
		{ 0, "a record of size 0" },
		{ 7, "a record that is smaller than its header" },
		{ 24, "a record that reaches beyond the written bytes" },
		{ UINT16_MAX, "a record that is larger than the ring" },
	};

	for (size_t i = 0; i < ET_LENGTH(headers); i++) {
		begin_at(SIZE - 8);
		append(captured, LONGEST);
		append_header(PERF_RECORD_SAMPLE, headers[i].size);
		append("12345678", 8);
		ok(drain() == -EBADMSG && got.n == 1 && got.losses == 1 && is_drained(),
			"%s: records before it are read, the rest is skipped as lost",
			headers[i].what);
		append(captured, sizeof(captured));
		ok(drain() == 0 && got_captured(), "%s: the next drain is unharmed",
			headers[i].what);
	}
	begin_at(0);
	append(captured, 4);
	ok(drain() == -EBADMSG && got.n == 0 && is_drained(), "half a header is refused");
	begin_at(0);
	memory.page.data_head = SIZE + 8;
	ok(drain() == -EBADMSG && got.n == 0 && is_drained(),
		"a head too far ahead of the tail is refused");
	begin_at(64);
	memory.page.data_head = 0;
	ok(drain() == -EBADMSG && got.n == 0 && is_drained(), "a head before the tail is refused");
}

/* A real event: the kernel and this file must agree on the layout. */
static void live(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 100000,
		.sample_type = PERF_SAMPLE_TID,
		.exclude_kernel = 1 };
	struct timespec now, began;
	int rc = et_perf_ring_open(&attr, 0, -1, 0, 1 << 16, &ring);

	if (rc) {
		skip("perf events are not allowed here");
		return;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while ((now.tv_sec - began.tv_sec) * 1000000000 + now.tv_nsec - began.tv_nsec < 50000000);
	ok(drain() == 0 && got.n > 0 && got.headers[0].type == PERF_RECORD_SAMPLE,
		"a sampling event of the caller's choice delivers samples");
	et_perf_ring_close(&ring);
}

int main(void)
{
	captured_records();
	losses();
	hostile();
	live();
	return tap_done();
}
