/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Longer slices: asked for, given back, and what else the scheduler knows of us stays. */
#include "lib/slice.h"
#include "tap.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

int main(void)
{
	uint64_t before = et_slice_ns();
	struct et_slice s;
	struct sched_param param = { 0 };

	ok(nice(3) >= 0, "a nice value");
	et_slice_lengthen(&s);
	if (!before) {
		ok(s.before_ns == 0 && et_slice_ns() == 0, "an older kernel: nothing happens");
	} else {
		ok(et_slice_ns() == 100000000, "100 ms");
		ok(getpriority(PRIO_PROCESS, 0) == 3, "with the same nice value");
	}
	et_slice_restore(&s);
	ok(et_slice_ns() == before, "given back");
	if (sched_setscheduler(0, SCHED_IDLE, &param) == 0) {
		et_slice_lengthen(&s);
		ok(s.before_ns == 0, "another policy is left alone");
		et_slice_restore(&s);
		ok(sched_getscheduler(0) == SCHED_IDLE, "also at the end");
	}
	return tap_done();
}
