/* SPDX-License-Identifier: MIT */
#include "lib/slice/wire.h"
#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 65536, LONGEST = 256 << 20 };

static int send_bytes(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return -errno;
		if (sent > 0) {
			bytes += sent;
			n -= (size_t)sent;
		}
	}
	return 0;
}

int et_wire_send(struct et_wire *w, const char *line)
{
	return send_bytes(w->fd, line, strlen(line));
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
