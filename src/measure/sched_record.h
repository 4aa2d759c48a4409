/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the BPF programs and the tool tell each other: plain layouts, both sides include this. */
#ifndef ET_MEASURE_SCHED_RECORD_H
#define ET_MEASURE_SCHED_RECORD_H

#include <linux/types.h>

enum { ET_TASK_NAME = 16 };

struct et_task {
	__s32 pid, tgid;
	char name[ET_TASK_NAME];
};

/* One thing that has come to an end; kind is an et_sched_event_kind. */
struct et_sched_record {
	__u64 start_ns, end_ns;
	__u32 kind, cpu;
	struct et_task who;  /* of an interrupt the name alone */
	struct et_task next; /* who has the CPU from end_ns on */
};

#endif
