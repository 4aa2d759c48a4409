/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that change a captured machine, of which one ends the process or fails. */
#pragma once

#include "base/sysroot.h"
#include "host/environment.h"

#include <errno.h>
#include <unistd.h>

enum mode { WORKS, DIES_BEFORE, DIES_AFTER, FAILS };

struct faulty_ops {
	enum mode mode;
	int at;    /* the step that dies or fails */
	int steps; /* the number of steps so far */
};

static struct faulty_ops *faulty; /* those of the present step */

static inline int hit_write(const char *root, const char *file, const char *value)
{
	struct faulty_ops *h = faulty;
	bool hit = h->steps++ == h->at;

	if (hit && h->mode == DIES_BEFORE)
		_exit(9);
	if (hit && h->mode == FAILS)
		return -EBUSY;
	int rc = et_sysroot_write(root, file, value);
	if (hit && h->mode == DIES_AFTER)
		_exit(9);
	return rc;
}

static inline int no_control(
	const char *systemctl, const char *verb, const char *unit, struct et_error *err)
{
	(void)systemctl, (void)verb, (void)unit;
	return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT, "not available");
}

static inline int no_signal(const char *root, const struct et_change *c, int signal)
{
	(void)root, (void)c, (void)signal;
	return -EPERM;
}

/* Reads the captured machine, which is changed by these operations. */
static inline void read_faulty(struct et_machine *m, const char *root, struct faulty_ops *h)
{
	static const struct et_env_ops ops = { hit_write, no_control, no_signal };

	faulty = h;
	et_machine_read(m, root, NULL, 1);
	m->ops = &ops;
}
