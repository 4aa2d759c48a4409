/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/machine.h"
#include "base/sysroot.h"
#include "host/host.h"

#include <string.h>

void et_machine_read(
	struct et_machine *m, const char *root, const char *systemctl, uint64_t wall_ns)
{
	memset(m, 0, sizeof(*m));
	m->root = root;
	m->wall_ns = wall_ns;
	/* The same check as in sd_booted(3). */
	m->systemd = et_sysroot_exists(root, "/run/systemd/system");
	m->systemctl = m->systemd ? systemctl : NULL;
	et_host_read(root, &m->host);
	et_processes_read(root, *root ? 0 : getpid(), &m->processes);
	if (et_sysroot_line(
		    root, "/proc/sys/kernel/random/boot_id", m->boot_id, sizeof(m->boot_id)) <= 0)
		snprintf(m->boot_id, sizeof(m->boot_id), "unknown");
	et_process_unit(root, "self", m->unit, sizeof(m->unit));
}

void et_machine_refresh(struct et_machine *m)
{
	et_processes_free(&m->processes);
	et_processes_read(m->root, *m->root ? 0 : getpid(), &m->processes);
}

void et_machine_free(struct et_machine *m)
{
	et_processes_free(&m->processes);
}
