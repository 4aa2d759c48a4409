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

/* Compiled programs, as the build embeds them. */
struct et_bpf_object {
	const unsigned char *elf;
	size_t size;
};

/*
 * Loads the object and attaches all its programs; configure (or NULL) is called before loading.
 * Programs for the local timer are omitted if the kernel does not have its tracepoints. Nothing is
 * pinned: the kernel frees everything with our descriptors, which are close-on-exec. 0 or -errno
 * with err filled.
 */
int et_bpf_load(struct et_bpf_object object,
	void (*configure)(struct bpf_object *o, const void *ctx), const void *ctx,
	struct et_bpf *out, struct et_error *err) ET_CHECK;
/*
 * The two halves of et_bpf_load(): the first may run in another thread, because it does not call
 * et_alloc(). The second explains its result.
 */
int et_bpf_try(struct et_bpf_object object,
	void (*configure)(struct bpf_object *o, const void *ctx), const void *ctx,
	struct et_bpf *out) ET_CHECK;
int et_bpf_explain(int rc, struct et_error *err);
void et_bpf_unload(struct et_bpf *b); /* may be all zero */
