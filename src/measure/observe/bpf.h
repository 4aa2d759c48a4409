/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads a BPF object into the kernel. Only this file and its callers know libbpf. */
#pragma once

#include "base/error.h"

struct bpf_object;
struct bpf_link;

enum { ET_BPF_PROGRAMS = 16 };

struct et_bpf {
	struct bpf_object *object;
	struct bpf_link *links[ET_BPF_PROGRAMS];
	size_t n_links;
	void *variables; /* the variables of the programs (".bss"), in shared memory; NULL: none */
	size_t size;     /* of the variables */
};

typedef void et_bpf_configure(struct bpf_object *o, const void *ctx);

/*
 * Loads compiled programs, as the build embeds them, and attaches all of them; configure (or NULL)
 * is called before loading. Programs for the local timer are omitted if the kernel does not have
 * its tracepoints. Nothing is pinned: the kernel frees everything with our descriptors, which are
 * close-on-exec. 0 or -errno, which et_bpf_explain explains. It may run in another thread, because
 * it does not call et_alloc().
 */
int et_bpf_try(const unsigned char *elf, size_t size, et_bpf_configure *configure, const void *ctx,
	struct et_bpf *out) ET_CHECK;
/* Fills err with the reason of that -errno, and returns it. */
int et_bpf_explain(int rc, struct et_error *err);
void et_bpf_unload(struct et_bpf *b); /* may be all zero */
