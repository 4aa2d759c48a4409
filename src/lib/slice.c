/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/slice.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t longest_ns = 100000000;

/* The kernel's struct sched_attr as it was first; libc has it only since glibc 2.41. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

static int read_attributes(struct attributes *a)
{
	return (int)syscall(SYS_sched_getattr, 0, a, sizeof(*a), 0);
}

static void set_slice(struct attributes *a, uint64_t ns)
{
	a->size = sizeof(*a);
	a->runtime_ns = ns;
	syscall(SYS_sched_setattr, 0, a, 0);
}

uint64_t et_slice_ns(void)
{
	struct attributes a = { 0 };

	if (read_attributes(&a) || (a.policy != SCHED_OTHER && a.policy != SCHED_BATCH))
		return 0;
	return a.runtime_ns;
}

void et_slice_lengthen(struct et_slice *s)
{
	struct attributes a = { 0 };

	s->before_ns = et_slice_ns();
	if (s->before_ns && read_attributes(&a) == 0)
		set_slice(&a, longest_ns);
}

void et_slice_restore(const struct et_slice *s)
{
	struct attributes a = { 0 };

	if (s->before_ns && read_attributes(&a) == 0)
		set_slice(&a, s->before_ns);
}
