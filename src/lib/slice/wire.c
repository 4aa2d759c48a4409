/* SPDX-License-Identifier: MIT */
#include "lib/slice/wire.h"

#include <poll.h>
#include <sys/socket.h>

enum { CHUNK = 65536, LONGEST = 256 << 20, MOST_COUNTERS = 1000 };

int et_wire_send(struct et_wire *w, const char *line)
{
	for (size_t n = strlen(line); n > 0;) {
		ssize_t sent = send(w->fd, line, n, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return -errno;
		if (sent > 0) {
			line += sent;
			n -= (size_t)sent;
		}
	}
	return 0;
}

struct et_json *et_wire_begin(struct et_wire *w)
{
	et_json_init(&w->json, et_memstream_open(&w->text), 0);
	et_json_object(&w->json, NULL);
	return &w->json;
}

int et_wire_end(struct et_wire *w)
{
	et_json_end(&w->json);
	ET_AUTO_FREE char *line = et_memstream_close(&w->text);
	return et_wire_send(w, line);
}

/* Takes the first line out of what was received; false if it has no end yet. */
static bool take_line(struct et_wire *w, json_t **out)
{
	char *end = w->n ? memchr(w->line + w->searched, '\n', w->n - w->searched) : NULL;

	w->searched = end ? 0 : w->n;
	if (!end)
		return false;
	size_t n = (size_t)(end - w->line);
	*out = json_loadb(w->line, n, JSON_DECODE_ANY, NULL);
	w->n -= n + 1;
	memmove(w->line, end + 1, w->n);
	return true;
}

static int receive_bytes(struct et_wire *w)
{
	if (w->n + CHUNK > w->cap) {
		w->cap = 2 * w->cap + CHUNK;
		w->line = et_realloc(w->line, w->cap, 1);
	}
	ssize_t got = recv(w->fd, w->line + w->n, w->cap - w->n, MSG_DONTWAIT);
	if (got < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
	if (got == 0)
		return -ECONNRESET;
	w->n += (size_t)got;
	return w->n > LONGEST ? -EMSGSIZE : 0;
}

int et_wire_receive(struct et_wire *w, int timeout_ms, json_t **out)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	json_t *message = NULL;

	while (!take_line(w, &message)) {
		int ready = poll(&p, 1, timeout_ms), rc = ready > 0 ? receive_bytes(w) : 0;

		if (ready <= 0)
			return ready < 0 ? -errno : -ETIMEDOUT;
		if (rc)
			return rc;
	}
	if (!message)
		return -EPROTO;
	*out = message;
	return 0;
}

void et_wire_free(struct et_wire *w)
{
	if (w->fd >= 0)
		close(w->fd);
	free(w->line);
	*w = (struct et_wire){ .fd = -1 };
}

/* --- slices --- */

#define NUMBER(member, file, lo, hi)                                                               \
	{                                                                                          \
#member, offsetof(struct et_slice, member), file, lo, hi                           \
	}

const struct et_slice_number et_slice_numbers[] = {
	NUMBER(hz, NULL, 0, 0),
	NUMBER(overhead_ns, "overhead_ns", 0, ET_BENCH_MOST_NS),
	NUMBER(empty_ns, "empty_ns", -ET_BENCH_MOST_NS, ET_BENCH_MOST_NS),
	NUMBER(empty_uncertainty_ns, "empty_uncertainty_ns", 0, ET_BENCH_MOST_NS),
	NUMBER(floor_loss_ns, "interrupts_ns", 0, ET_BENCH_MOST_NS),
	NUMBER(floor_loss_uncertainty_ns, "interrupts_uncertainty_ns", 0, ET_BENCH_MOST_NS),
	NUMBER(items, "items", 0, 1e300),
	NUMBER(bytes, "bytes", 0, 1e300),
	NUMBER(wall_ns, "wall_ns", 0, ET_BENCH_MOST_NS),
	NUMBER(size, NULL, 0, 0),
	NUMBER(loop_ns, NULL, 0, 0),
	NUMBER(sample_ns, NULL, 0, 0),
	{ 0 },
};

static void write_samples(struct et_json *j, const struct et_slice *s)
{
	size_t n = s->error ? 0 : s->n; /* those of a function that failed mean nothing */

	et_json_array(j, "samples");
	for (size_t i = 0; i < n; i++) {
		const struct et_bench_sample *x = &s->samples[i];

		et_json_array(j, NULL);
		et_json_double(j, NULL, x->ns);
		et_json_double(j, NULL, x->cpu_ns);
		et_json_double(j, NULL, x->slowdown);
		et_json_u64(j, NULL, x->marks);
		et_json_end(j);
	}
	et_json_end(j);
}

void et_slice_write(struct et_json *j, const char *key, const struct et_slice *s)
{
	et_json_object(j, key);
	et_json_u64(j, "calls", s->calls);
	et_json_int(j, "clock", s->clock);
	et_json_u64(j, "warnings", s->warnings);
	et_json_int(j, "events_error", s->events_error);
	et_json_bool(j, "events_user_only", s->events_user_only);
	for (const struct et_slice_number *n = et_slice_numbers; n->key; n++)
		et_json_double(j, n->key, *et_slice_number(s, n));
	et_json_array(j, "events");
	for (size_t i = 0; i < ET_EVENTS; i++)
		et_json_double(j, NULL, s->events[i]);
	et_json_end(j);
	et_json_array(j, "counters");
	for (size_t i = 0; i < s->n_counters; i++) {
		et_json_array(j, NULL);
		et_json_string(j, NULL, s->counters[i].name);
		et_json_double(j, NULL, s->counters[i].value);
		et_json_u64(j, NULL, s->counters[i].kind);
		et_json_end(j);
	}
	et_json_end(j);
	et_json_string(j, "label", s->label);
	et_json_string(j, "error", s->error);
	et_json_bool(j, "skipped", s->skipped);
	et_json_double(j, "at_once", s->at_once);
	write_samples(j, s);
	et_json_end(j);
}

/* Reads a number, or NaN for null; false for anything else. */
static bool number(const json_t *j, double *out)
{
	if (!j || (!json_is_number(j) && !json_is_null(j)))
		return false;
	*out = json_is_null(j) ? NAN : json_number_value(j);
	return true;
}

bool et_wire_whole(const json_t *j, uint64_t most, uint64_t *out)
{
	if (!json_is_integer(j) || json_integer_value(j) < 0 ||
		(uint64_t)json_integer_value(j) > most)
		return false;
	*out = (uint64_t)json_integer_value(j);
	return true;
}

static bool text(const json_t *j, char **out)
{
	if (!json_is_string(j) && !json_is_null(j))
		return false;
	*out = json_is_null(j) ? NULL : et_strdup(json_string_value(j));
	return true;
}

static bool read_samples(const json_t *list, struct et_slice *out)
{
	const json_t *j;
	size_t i;

	if (!json_is_array(list))
		return false;
	out->samples = et_calloc(json_array_size(list) + 1, sizeof(*out->samples));
	json_array_foreach(list, i, j)
	{
		struct et_bench_sample *x = &out->samples[out->n];
		uint64_t marks;

		if (!number(json_array_get(j, 0), &x->ns) ||
			!number(json_array_get(j, 1), &x->cpu_ns) ||
			!number(json_array_get(j, 2), &x->slowdown) ||
			!et_wire_whole(json_array_get(j, 3), UINT32_MAX, &marks) ||
			!isfinite(x->ns))
			return false;
		x->marks = (unsigned)marks;
		out->n++;
	}
	return true;
}

static bool read_counters(const json_t *list, struct et_slice *out)
{
	const json_t *j;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) > MOST_COUNTERS)
		return false;
	out->counters = et_calloc(json_array_size(list) + 1, sizeof(*out->counters));
	json_array_foreach(list, i, j)
	{
		struct et_bench_counter *c = &out->counters[out->n_counters];
		uint64_t kind;

		if (!json_is_string(json_array_get(j, 0)) ||
			!number(json_array_get(j, 1), &c->value) ||
			!et_wire_whole(json_array_get(j, 2), UINT32_MAX, &kind))
			return false;
		c->name = et_strdup(json_string_value(json_array_get(j, 0)));
		c->kind = (unsigned)kind;
		out->n_counters++;
	}
	return true;
}

static bool read_numbers(const json_t *j, struct et_slice *out)
{
	uint64_t calls, clock, warnings, error;

	if (!et_wire_whole(json_object_get(j, "events_error"), INT32_MAX, &error) ||
		!et_wire_whole(json_object_get(j, "calls"), INT64_MAX, &calls) ||
		!et_wire_whole(json_object_get(j, "clock"), ETALON_CLOCK_CPU, &clock) ||
		!et_wire_whole(json_object_get(j, "warnings"), UINT32_MAX, &warnings))
		return false;
	out->events_error = (int)error;
	out->events_user_only = json_is_true(json_object_get(j, "events_user_only"));
	/* Programs of an older library, for --against, do not send these two. */
	out->skipped = json_is_true(json_object_get(j, "skipped"));
	number(json_object_get(j, "at_once"), &out->at_once);
	out->calls = calls;
	out->clock = (int)clock;
	out->warnings = (unsigned)warnings;
	for (const struct et_slice_number *n = et_slice_numbers; n->key; n++)
		if (!number(json_object_get(j, n->key), et_slice_number(out, n)))
			return false;
	for (size_t i = 0; i < ET_EVENTS; i++)
		if (!number(json_array_get(json_object_get(j, "events"), i), &out->events[i]))
			return false;
	return true;
}

bool et_slice_parse(const json_t *j, struct et_slice *out)
{
	struct et_slice s = { 0 };
	bool good = read_numbers(j, &s) && read_samples(json_object_get(j, "samples"), &s) &&
		    read_counters(json_object_get(j, "counters"), &s) &&
		    text(json_object_get(j, "label"), &s.label) &&
		    text(json_object_get(j, "error"), &s.error);

	if (!good) {
		et_slice_free(&s);
		return false;
	}
	*out = s;
	return true;
}
