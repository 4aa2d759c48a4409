/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel structures that the BPF programs read, with only the fields that they need. libbpf
 * finds the offsets in the running kernel when it loads the programs (CO-RE).
 */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "measure/trace/sched_record.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq {
	__u64 clock,
		clock_task;  /* clock_task omits steal and interrupts; tasks are charged by it */
	__u64 prev_irq_time; /* with CONFIG_IRQ_TIME_ACCOUNTING only */
	int cpu;             /* with CONFIG_SMP only */
};

struct cfs_rq {
	struct rq *rq; /* with CONFIG_FAIR_GROUP_SCHED only */
};

struct sched_entity {
	struct cfs_rq *cfs_rq; /* with CONFIG_FAIR_GROUP_SCHED only */
};

struct sched_info {
	unsigned long long
		last_arrival; /* when the task got the CPU, by the clock of the run queue */
};

struct task_struct {
	struct sched_entity se;
	struct sched_info sched_info; /* with CONFIG_SCHED_INFO only */
	int pid, tgid;
	unsigned int flags;
	unsigned int __state; /* 0: runnable; since Linux 5.14 */
	struct task_struct *group_leader;
	char comm[ET_TASK_NAME];
};

struct irqaction {
	const char *name;
};

#pragma clang attribute pop

/*
 * Pointers are followed by bpf_probe_read_kernel(), not by loads that the verifier checks: for each
 * load of a pointer Linux 6.2 and later search the names of all kernel types several times, which
 * took 30 ms per start.
 */
#define READ(to, from) bpf_probe_read_kernel(to, sizeof(*(to)), from)

/* The run queue of the CPU that a task runs on or waits for, or NULL. */
static inline struct rq *rq_of(struct task_struct *t)
{
	struct cfs_rq *cfs_rq = NULL;
	struct rq *rq = NULL;

	if (!bpf_core_field_exists(t->se.cfs_rq) || !bpf_core_field_exists(cfs_rq->rq))
		return NULL;
	if (READ(&cfs_rq, &t->se.cfs_rq) || READ(&rq, &cfs_rq->rq))
		return NULL;
	return rq;
}

/* The clock of a run queue. */
static inline __u64 rq_clock(struct rq *rq)
{
	__u64 ns = 0;

	READ(&ns, &rq->clock);
	return ns;
}

/* Copies the name of the task's process. */
static inline void read_process_name(char to[ET_TASK_NAME], struct task_struct *t)
{
	struct task_struct *leader = t;

	if (t->pid != t->tgid)
		READ(&leader, &t->group_leader);
	bpf_probe_read_kernel(to, ET_TASK_NAME, leader->comm);
}

/*
 * When the task that now leaves the CPU got it. This is needed if the switch to the task was not
 * seen, because some tasks are not traced.
 */
static inline __u64 arrival_ns(struct task_struct *t, __u64 since_ns, __u64 now_ns)
{
	struct rq *rq = rq_of(t);

	if (!rq || !bpf_core_field_exists(t->sched_info.last_arrival))
		return now_ns;
	__u64 ago_ns = rq_clock(rq) - t->sched_info.last_arrival;
	return ago_ns < now_ns - since_ns ? now_ns - ago_ns : since_ns;
}
