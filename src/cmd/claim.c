/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/claim.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

enum { TRIES = 50, PAUSE_NS = 20000000 };

/* An abstract socket address is a lock that leaves nothing behind, even after kill -9. */
int et_claim(const char *id, int *fd, struct et_error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "etalon-%s", id);
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (s < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "claiming %s", id);
	/* One that was just killed goes on for a moment, and its children with it. */
	int rc = bind(s, (struct sockaddr *)&address, len);
	for (int i = 0; i < TRIES && rc < 0 && errno == EADDRINUSE; i++) {
		struct timespec pause = { 0, PAUSE_NS };
		nanosleep(&pause, NULL);
		rc = bind(s, (struct sockaddr *)&address, len);
	}
	if (rc < 0) {
		int why = errno;
		close(s);
		if (why != EADDRINUSE)
			return et_fail_errno(err, why, ET_EXIT_ENVIRONMENT, "claiming %s", id);
		return et_hint(err,
			et_fail(err, EBUSY, ET_EXIT_USAGE, "experiment %s is still running", id),
			"wait for it, or end the etalon that runs it");
	}
	*fd = s;
	return 0;
}
