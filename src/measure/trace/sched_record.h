/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts that the BPF programs in the kernel and etalon share. */
#pragma once

#include <linux/types.h>

enum { ET_TASK_NAME = 16 };

struct et_sched_task {
	__s32 pid, tgid;
	char name[ET_TASK_NAME];
};

/* A stretch or an interrupt that has ended; kind is an enum et_sched_event_kind. */
struct et_sched_record {
	__u64 start_ns, end_ns;
	__u32 kind, cpu;
	__u32 runnable; /* `who` still wanted the CPU when it lost it; by perf only */
	__u32 unused;
	struct et_sched_task who;  /* for an interrupt: only its name, or its vector as pid */
	struct et_sched_task next; /* the task that has the CPU after end_ns */
};
