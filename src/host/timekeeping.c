/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/timekeeping.h"
#include "base/alloc.h"
#include "host/daemons.h"
#include "host/factors.h"

#include <math.h>
#include <sys/timex.h>

void et_clock_sync_read(const char *root, struct et_clock_sync *out)
{
	struct timex t = { 0 };

	*out = (struct et_clock_sync){ 0 };
	if (*root || adjtimex(&t) < 0)
		return;
	out->known = true;
	out->synchronised = !(t.status & STA_UNSYNC);
	out->offset_ns = (double)t.offset * (t.status & STA_NANO ? 1 : 1000);
	out->frequency_ppm = (double)t.freq / 65536; /* the unit is 2^-16 ppm, see adjtimex(2) */
}

/* "+3.2 ppm", "+3.2 ppm, 12 µs off". */
static void corrections(const struct et_clock_sync *c, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%+.1f ppm", c->frequency_ppm);

	if (c->offset_ns != 0 && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ", %.3g µs off", fabs(c->offset_ns) / 1000);
}

void et_time_sync_judge(const char *daemons, const char *installed, bool inside,
	const struct et_clock_sync *clock, struct et_finding *f)
{
	char by[96];

	corrections(clock, by, sizeof(by));
	if (daemons && !clock->known)
		et_finding_set(f, ET_VERDICT_FINE, "%s", daemons);
	else if (daemons && clock->synchronised)
		et_finding_set(f, ET_VERDICT_FINE, "synchronised by %s (%s)", daemons, by);
	else if (daemons)
		et_finding_set(f, ET_VERDICT_DISTURBS, "%s, not synchronised yet", daemons);
	else if (installed)
		et_finding_set(f, ET_VERDICT_DISTURBS, "%s does not run", installed);
	/* All containers of a host share its clock. */
	else if (inside && clock->known && clock->synchronised)
		et_finding_set(f, ET_VERDICT_FINE, "synchronised by the host (%s)", by);
	/* The kernel calls its clock synchronised for hours after the daemon has ended. */
	else if (clock->known && clock->synchronised)
		et_finding_set(
			f, ET_VERDICT_DISTURBS, "no time daemon; the kernel keeps the last rate");
	else
		et_finding_set(f, ET_VERDICT_DISTURBS, "no time daemon");
}

/* The processes of the kernel are not visible in a PID namespace of a container. */
static bool in_container(const struct et_machine *m)
{
	for (size_t i = 0; i < m->processes.n; i++) {
		if (m->processes.list[i].kernel_thread)
			return false;
	}
	return true;
}

void et_factor_time_sync_read(const struct et_machine *m, struct et_finding *f)
{
	ET_AUTO_FREE char *daemons = et_daemons_running(m, ET_TIME_DAEMONS);
	struct et_clock_sync clock;

	if (!m->processes.n)
		return;
	const char *installed = daemons ? NULL : et_daemons_installed(m, ET_TIME_DAEMONS);
	et_clock_sync_read(m->root, &clock);
	et_time_sync_judge(daemons, installed, in_container(m), &clock, f);
	f->changeable = installed != NULL; /* a daemon can be started, and nothing else be done */
}

void et_factor_time_sync_plan(const struct et_machine *m, const char *factor,
	struct et_changes *out, struct et_results *left)
{
	ET_AUTO_FREE char *daemons = et_daemons_running(m, ET_TIME_DAEMONS);
	struct et_finding f = { .state = et_strdup("") };

	et_factor_time_sync_read(m, &f);
	if (!daemons && f.verdict == ET_VERDICT_DISTURBS)
		et_daemons_plan_start(m, ET_TIME_DAEMONS, factor,
			"no time daemon is installed; install chrony", out, left);
	free(f.state);
}

void et_factor_time_daemon_read(const struct et_machine *m, struct et_finding *f)
{
	et_daemons_read(m, ET_TIME_DAEMONS, f);
}

void et_factor_time_daemon_plan(const struct et_machine *m, const char *factor,
	struct et_changes *out, struct et_results *left)
{
	et_daemons_plan(m, ET_TIME_DAEMONS, factor, out, left);
}
