/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that sleeps while a program runs, unless a ring is half full: then it drains all of
 * them, so that a long run loses nothing.
 */
#pragma once

#include "profile/sampling/sampler.h"

#include <pthread.h>

struct et_drainer {
	bool running;
	pthread_t thread;
	int stop_fd; /* an eventfd(2) */
	struct et_sampler *sampler;
	struct et_events *events;
};

/* Until it is stopped, nobody else may use sampler and events. 0 or -errno. */
int et_drainer_start(
	struct et_drainer *d, struct et_sampler *sampler, struct et_events *events) ET_CHECK;
void et_drainer_stop(struct et_drainer *d); /* all zero is fine */
