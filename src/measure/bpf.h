/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a BPF object into the kernel. The one place, with its users, that knows libbpf. */
#ifndef ET_MEASURE_BPF_H
#define ET_MEASURE_BPF_H

#include "base/error.h"

struct bpf_object;
struct bpf_link;

enum { ET_BPF_PROGRAMS = 16 };

struct et_bpf {
	struct bpf_object *object;
	struct bpf_link *links[ET_BPF_PROGRAMS];
	size_t n_links;
	void *variables; /* those of the programs (".bss"), shared with them; NULL: none */
	size_t size;     /* of them */
};

/* The compiled programs, as the build embeds them. */
struct et_bpf_object {
	const unsigned char *elf;
	size_t size;
};

/*
 * Loads the image and attaches all its programs; configure (or NULL) is called before loading.
 * Programs for the local timer are left out where the kernel has no such thing. Nothing is pinned:
 * everything goes with the descriptors, which are close-on-exec. 0 or -errno with err filled.
 */
int et_bpf_load(struct et_bpf_object image,
	void (*configure)(struct bpf_object *o, const void *ctx), const void *ctx,
	struct et_bpf *out, struct et_error *err) ET_CHECK;
void et_bpf_unload(struct et_bpf *b); /* all zero is fine */

#endif
