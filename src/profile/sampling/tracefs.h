/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uprobes that are defined in the kernel's tracefs. Unlike those of the uprobe PMU, events of such
 * a probe can be inherited: the breakpoints are in the processes of the program only, threads and
 * children included, and other processes that use the same file do not notice.
 *
 * A definition alone does nothing. It lasts until it is removed; one of an etalon that was killed
 * is removed by the next that opens tracefs.
 */
#pragma once

#include "base/attr.h"

#include <stdint.h>

struct et_tracefs {
	int dir;    /* its root, mounted for us only; -1: not open */
	int probes; /* uprobe_events; -1: not open */
};

/* 0 or -errno: only root may. */
int et_tracefs_open(struct et_tracefs *t) ET_CHECK;
void et_tracefs_close(struct et_tracefs *t);
/*
 * Defines our probe of this number at an offset of a file, and sets *id, which perf_event_open()
 * takes. 0 or -errno; -EINVAL for a path that the kernel cannot parse.
 */
int et_tracefs_define(struct et_tracefs *t, uint32_t number, const char *path, uint64_t offset,
	uint64_t *id) ET_CHECK;
/* Its events must be closed. */
void et_tracefs_remove(struct et_tracefs *t, uint32_t number);
