/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/watch.h"
#include "base/sysroot.h"
#include "host/factors.h"
#include "host/host.h"

#include <sys/timex.h>

/* --- the clock --- */

static void clock_sync_read(const char *root, struct et_clock_sync *out)
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

void et_factor_time_sync_read(const struct et_machine *m, struct et_finding *f)
{
	ET_AUTO_FREE char *daemons = et_daemons_running(m, ET_TIME_DAEMONS);
	struct et_clock_sync clock;
	bool inside = true;

	if (!m->processes.n)
		return;
	/* The processes of the kernel are not visible in a PID namespace of a container. */
	for (size_t i = 0; i < m->processes.n; i++)
		inside = inside && !m->processes.list[i].kernel_thread;
	const char *installed = daemons ? NULL : et_daemons_installed(m, ET_TIME_DAEMONS);
	clock_sync_read(m->root, &clock);
	et_time_sync_judge(daemons, installed, inside, &clock, f);
	f->changeable = installed != NULL; /* a daemon can be started, and nothing else be done */
}

void et_factor_time_sync_plan(const struct et_machine *m, const struct et_factor_row *row,
	struct et_changes *out, struct et_results *left)
{
	ET_AUTO_FREE char *daemons = et_daemons_running(m, ET_TIME_DAEMONS);
	struct et_finding f = { .state = et_strdup("") };

	et_factor_time_sync_read(m, &f);
	if (!daemons && f.verdict == ET_VERDICT_DISTURBS)
		et_daemons_plan_start(m, ET_TIME_DAEMONS, row->name,
			"no time daemon is installed; install chrony", out, left);
	free(f.state);
}

/* --- the links --- */

enum { ROUTES_BYTES = 64 * 1024 };

static enum et_link_state link_state(const char *root, const char *name)
{
	char text[32];

	if (et_host_line(root, text, sizeof(text), "/sys/class/net/%s/operstate", name) <= 0)
		return ET_LINK_GONE;
	/* Tunnels and their kin do not report their state, only whether they have a carrier. */
	bool up = !strcmp(text, "unknown")
			  ? et_host_number(root, "/sys/class/net/%s/carrier", name) == 1
			  : !strcmp(text, "up");
	return up ? ET_LINK_UP : ET_LINK_DOWN;
}

static int add_link(const char *root, const char *name, struct et_link *list, int n)
{
	for (int i = 0; i < n; i++) {
		if (!strcmp(list[i].name, name))
			return n;
	}
	if (n == ET_MOST_LINKS || !*name || strlen(name) >= IF_NAMESIZE || strchr(name, '/') ||
		!strcmp(name, ".") || !strcmp(name, ".."))
		return n;
	snprintf(list[n].name, sizeof(list[n].name), "%s", name);
	list[n].state = link_state(root, name);
	return n + 1;
}

/*
 * A line of the routes of IPv4 is "eth0 00000000 0102A8C0 0003 …": interface, destination, gateway,
 * flags. One of IPv6 has the destination, its prefix length, seven other fields, and the interface.
 */
static int add_routes(const char *root, const char *text, bool ipv6, struct et_link *list, int n)
{
	char name[32], to[40], prefix[8];

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		bool is_default =
			ipv6 ? sscanf(line, "%39s %7s %*s %*s %*s %*s %*s %*s %*s %31s", to, prefix,
				       name) == 3 &&
					!strcmp(prefix, "00") && strspn(to, "0") == strlen(to) &&
					strcmp(name, "lo")
			     : sscanf(line, "%31s %31s", name, to) == 2 && !strcmp(to, "00000000");
		if (is_default)
			n = add_link(root, name, list, n);
	}
	return n;
}

int et_links_read(const char *root, struct et_link out[ET_MOST_LINKS])
{
	ET_AUTO_FREE char *text = et_alloc(ROUTES_BYTES);
	ssize_t rc = et_sysroot_read(root, "/proc/net/route", text, ROUTES_BYTES);

	if (rc < 0)
		return (int)rc;
	int n = add_routes(root, text, false, out, 0);
	if (et_sysroot_read(root, "/proc/net/ipv6_route", text, ROUTES_BYTES) > 0)
		n = add_routes(root, text, true, out, n);
	return n;
}

int et_link_speed(const char *root, const char *name)
{
	uint64_t speed = et_host_number(root, "/sys/class/net/%s/speed", name);

	return speed <= INT_MAX ? (int)speed : 0;
}

void et_factor_network_read(const struct et_machine *m, struct et_finding *f)
{
	static const char *const words[] = { "gone", "down", "up" };
	struct et_link links[ET_MOST_LINKS];
	ET_AUTO_FREE char *state = NULL;
	int n = et_links_read(m->root, links);
	bool up = true;

	for (int i = 0; i < n; i++) {
		int speed = et_link_speed(m->root, links[i].name);
		et_append(&state, "; ", "%s %s", links[i].name, words[links[i].state]);
		if (speed)
			et_append(&state, ", ", "%d Mb/s", speed);
		up = up && links[i].state == ET_LINK_UP;
	}
	if (n >= 0)
		et_finding_set(f, et_fine_if(up), "%s", state ? state : "no default route");
}

/* --- changes between runs --- */

static ET_PRINTF(3, 4) void report(struct et_watch *w, const char *factor, const char *fmt, ...)
{
	va_list ap;

	if (w->reported++ >= ET_MOST_CHANGES)
		return;
	va_start(ap, fmt);
	ET_AUTO_FREE char *what = et_vasprintf(fmt, ap);
	va_end(ap);
	w->changed(w->ctx, factor, what);
}

static void find_daemons(struct et_watch *w, const struct et_processes *all)
{
	w->n_daemons = 0;
	for (size_t i = 0; i < all->n && w->n_daemons < ET_MOST_TIME_DAEMONS; i++) {
		const struct et_daemon *d =
			et_daemons_owner(w->machine, ET_TIME_DAEMONS, &all->list[i]);
		if (d)
			w->daemons[w->n_daemons++] =
				(struct et_time_daemon){ d->name, all->list[i] };
	}
}

static bool runs(const struct et_watch *w, const char *name)
{
	for (size_t i = 0; i < w->n_daemons; i++) {
		if (!strcmp(w->daemons[i].name, name))
			return true;
	}
	return false;
}

/* All processes are listed only if a daemon has ended: it may have been started again. */
static void look_at_daemons(struct et_watch *w)
{
	const char *gone[ET_MOST_TIME_DAEMONS];
	struct et_processes all;
	size_t n = 0;

	for (size_t i = 0; i < w->n_daemons; i++) {
		const struct et_process *p = &w->daemons[i].process;
		struct et_process now;
		if (!et_process_read(w->machine->root, p->pid, &now) || now.start != p->start ||
			now.state == 'Z')
			gone[n++] = w->daemons[i].name;
	}
	if (!n)
		return;
	et_processes_read(w->machine->root, 0, &all);
	find_daemons(w, &all);
	et_processes_free(&all);
	for (size_t i = 0; i < n; i++)
		report(w, "time-sync", "the time daemon %s %s", gone[i],
			runs(w, gone[i]) ? "was restarted" : "ended");
}

static void look_at_clock(struct et_watch *w)
{
	struct et_clock_sync now;

	clock_sync_read(w->machine->root, &now);
	if (now.known && w->clock.known && now.synchronised != w->clock.synchronised)
		report(w, "time-sync", "the clock %s",
			now.synchronised ? "became synchronised" : "lost its synchronisation");
	w->clock = now;
}

static void look_at_links(struct et_watch *w)
{
	static const char *const words[] = { "disappeared", "went down", "came up" };

	for (size_t i = 0; i < w->n_links; i++) {
		enum et_link_state now = link_state(w->machine->root, w->links[i].name);
		if (now != w->links[i].state)
			report(w, "network", "the link %s %s", w->links[i].name, words[now]);
		w->links[i].state = now;
	}
}

void et_watch_begin(struct et_watch *w)
{
	int n = et_links_read(w->machine->root, w->links);

	w->reported = 0;
	w->n_links = n > 0 ? (size_t)n : 0;
	clock_sync_read(w->machine->root, &w->clock);
	find_daemons(w, &w->machine->processes);
}

void et_watch_look(struct et_watch *w)
{
	look_at_daemons(w);
	look_at_clock(w);
	look_at_links(w);
}
