/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The few kernel structures the BPF programs look into. Only the fields named here are needed;
 * where they lie in the running kernel is found by libbpf when the programs are loaded (CO-RE).
 */
#ifndef ET_MEASURE_KERNEL_BPF_H
#define ET_MEASURE_KERNEL_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "measure/witness_record.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct {
	int pid, tgid;
	unsigned int flags;
	struct task_struct *real_parent, *group_leader;
	char comm[ET_TASK_NAME];
};

struct irqaction {
	const char *name;
};

#pragma clang attribute pop

#endif
