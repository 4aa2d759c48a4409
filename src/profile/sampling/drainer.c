/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/drainer.h"
#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>

/* The rings of events whose last task has ended report POLLHUP for ever. */
static void forget_ended(struct pollfd *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			p[i].fd = -1;
	}
}

static void *drain(void *ctx)
{
	struct et_drainer *d = ctx;
	const struct sched_param normal = { 0 };
	size_t n = 2 * d->events->n;
	ET_AUTO_FREE struct pollfd *p = et_calloc(n + 1, sizeof(*p));

	/* etalon itself may have a real-time priority, with which this would stop the program. */
	sched_setscheduler(0, SCHED_OTHER, &normal);
	for (size_t i = 0; i < d->events->n; i++) {
		p[2 * i] = (struct pollfd){ d->events->cpus[i].samples.fd, POLLIN, 0 };
		p[2 * i + 1] = (struct pollfd){ d->events->cpus[i].side.fd, POLLIN, 0 };
	}
	p[n] = (struct pollfd){ d->stop_fd, POLLIN, 0 };
	for (;;) {
		int ready = poll(p, n + 1, -1);
		if (p[n].revents || (ready < 0 && errno != EINTR))
			return NULL;
		et_sampler_drain(d->sampler, d->events, false);
		forget_ended(p, n);
	}
}

int et_drainer_start(struct et_drainer *d, struct et_sampler *sampler, struct et_events *events)
{
	sigset_t all, old;

	*d = (struct et_drainer){ .sampler = sampler, .events = events };
	d->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (d->stop_fd < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(&d->thread, NULL, drain, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	d->running = rc == 0;
	if (rc)
		close(d->stop_fd);
	return -rc;
}

void et_drainer_stop(struct et_drainer *d)
{
	const uint64_t one = 1;

	if (!d->running)
		return;
	(void)!write(d->stop_fd, &one, sizeof(one));
	pthread_join(d->thread, NULL);
	close(d->stop_fd);
	d->running = false;
}
