/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine whose factors are read: its root, its processes, and our own place on it. */
#ifndef ET_HOST_MACHINE_H
#define ET_HOST_MACHINE_H

#include "host/processes.h"
#include "model/host.h"

struct et_machine {
	const char *root;      /* "" or the root of a captured tree */
	const char *systemctl; /* path of the program, or NULL if systemd does not run */
	uint64_t wall_ns;      /* now, since 1970 */
	bool systemd;          /* the system was booted with systemd */
	struct et_host host;
	struct et_processes processes;
	char boot_id[48];
	char unit[128]; /* the service that etalon itself runs in, or "" */
};

/* Keeps the pointers root and systemctl. */
void et_machine_read(
	struct et_machine *m, const char *root, const char *systemctl, uint64_t wall_ns);
/* Reads the processes again. */
void et_machine_refresh(struct et_machine *m);
void et_machine_free(struct et_machine *m);

#endif
