/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine as the factors are read from it: a root, its processes, who we are on it. */
#ifndef ET_HOST_MACHINE_H
#define ET_HOST_MACHINE_H

#include "host/processes.h"
#include "model/host.h"

struct et_machine {
	const char *root;      /* "" or a captured tree */
	const char *systemctl; /* the program, or NULL: there is no service manager to ask */
	uint64_t wall_ns;      /* now, since 1970 */
	bool systemd;          /* the system was booted with it */
	struct et_host host;
	struct et_processes processes;
	char boot_id[48];
	char unit[128]; /* the service that we run in ourselves, or "" */
};

/* root and systemctl are kept by reference. */
void et_machine_read(
	struct et_machine *m, const char *root, const char *systemctl, uint64_t wall_ns);
/* Its processes as they are now. */
void et_machine_refresh(struct et_machine *m);
void et_machine_free(struct et_machine *m);

#endif
