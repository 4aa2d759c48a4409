/* SPDX-License-Identifier: MIT */
/* Writes a filter of system calls (seccomp(2)), one instruction after the other. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

struct et_filter {
	struct sock_filter *at; /* the caller's array, which has room for all */
	unsigned short n;
};

static inline void et_filter_add(
	struct et_filter *f, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
	f->at[f->n++] = (struct sock_filter){ code, if_true, if_false, k };
}

/* Loads a word of struct seccomp_data. */
static inline void et_filter_load(struct et_filter *f, size_t offset)
{
	et_filter_add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Loads the low word of an argument, which comes first: all our processors are little-endian. */
static inline void et_filter_load_argument(struct et_filter *f, size_t i)
{
	et_filter_load(f, offsetof(struct seccomp_data, args) + 8 * i);
}

static inline void et_filter_end(struct et_filter *f, uint32_t verdict)
{
	et_filter_add(f, BPF_RET | BPF_K, verdict, 0, 0);
}
