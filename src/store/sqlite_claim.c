/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lock on a running experiment: an abstract Unix socket bound to the experiment's id. Two
 * sockets cannot be bound to one address, and the kernel frees the address when the last
 * descriptor is closed, also after kill -9, so no stale lock file can remain. Processes that use
 * the same file are on the same machine, so a lock that other machines do not see is enough.
 */
#include "store/sqlite.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

/* A killed etalon and the children that inherited its socket take a moment to exit. */
enum { TRIES = 50, PAUSE_NS = 20000000 };

static int bind_when_free(int fd, const char *id)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "etalon-%s", id);
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	int tries = 0;

	assert((size_t)n < sizeof(address.sun_path) - 1);
	while (bind(fd, (struct sockaddr *)&address, len)) {
		if (errno != EADDRINUSE || ++tries > TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int et_sqlite_claim(struct et_database *db, const char *id, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)db;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert(s->claim < 0);
	if (fd < 0)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot lock experiment %s", id);
	int rc = bind_when_free(fd, id);
	if (rc == 0) {
		s->claim = fd;
		return 0;
	}
	close(fd);
	if (rc != -EADDRINUSE)
		return et_fail_errno(
			err, -rc, ET_EXIT_ENVIRONMENT, "cannot lock experiment %s", id);
	return et_hint(err,
		et_fail(err, EBUSY, ET_EXIT_USAGE, "experiment %s is still running", id),
		"wait until it ends, or stop the etalon that runs it");
}

void et_sqlite_release(struct et_database *db)
{
	struct et_sqlite *s = (struct et_sqlite *)db;

	et_cleanup_close(&s->claim);
	s->claim = -1;
}
