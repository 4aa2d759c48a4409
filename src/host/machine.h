/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a machine that the factors (factors.h) are read from. */
#pragma once

#include "host/processes.h"
#include "model/experiment/environment.h"

struct et_machine {
	const char *root;      /* see base/sysroot.h */
	const char *systemctl; /* path of the program; NULL: systemd does not run */
	uint64_t wall_ns;      /* the time of reading, since 1970 */
	bool systemd;          /* the machine was booted with systemd */
	struct et_host host;
	struct et_processes processes;
	char boot_id[48]; /* of the kernel, or "unknown" */
	char unit[128];   /* the service that etalon itself runs in, or "" */
};

/* Reads all of it. The strings root and systemctl are not copied. */
void et_machine_read(
	struct et_machine *m, const char *root, const char *systemctl, uint64_t wall_ns);
/* Reads the processes again. */
void et_machine_refresh(struct et_machine *m);
void et_machine_free(struct et_machine *m);
