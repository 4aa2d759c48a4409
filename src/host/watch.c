/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/watch.h"
#include "base/alloc.h"
#include "host/daemons.h"

#include <string.h>

static void report(struct et_watch *w, const char *factor, const char *fmt, ...) ET_PRINTF(3, 4);

static void report(struct et_watch *w, const char *factor, const char *fmt, ...)
{
	va_list ap;

	if (w->reported++ >= ET_MOST_CHANGES)
		return;
	va_start(ap, fmt);
	ET_AUTO_FREE char *what = et_vasprintf(fmt, ap);
	va_end(ap);
	w->changed(w->ctx, factor, what);
}

/* --- time daemons --- */

static const char *time_daemon(const struct et_machine *m, const struct et_process *p)
{
	for (const struct et_daemon *d = et_daemons; d->name; d++) {
		if (d->group == ET_TIME_DAEMONS && et_daemon_owns(m, d, p))
			return d->name;
	}
	return NULL;
}

static void find_daemons(struct et_watch *w, const struct et_processes *all)
{
	w->n_daemons = 0;
	for (size_t i = 0; i < all->n && w->n_daemons < ET_MOST_TIME_DAEMONS; i++) {
		const char *name = time_daemon(w->machine, &all->list[i]);
		if (name)
			w->daemons[w->n_daemons++] = (struct et_time_daemon){ name, all->list[i] };
	}
}

static bool lives(const struct et_machine *m, const struct et_process *p)
{
	struct et_process now;

	return et_process_read(m->root, p->pid, &now) && now.start == p->start && now.state != 'Z';
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
		if (!lives(w->machine, &w->daemons[i].process))
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

/* --- the clock and the links --- */

static void look_at_clock(struct et_watch *w)
{
	struct et_clock_sync now;

	et_clock_sync_read(w->machine->root, &now);
	if (now.known && w->clock.known && now.synchronised != w->clock.synchronised)
		report(w, "time-sync", "the clock %s",
			now.synchronised ? "became synchronised" : "lost its synchronisation");
	w->clock = now;
}

static void look_at_links(struct et_watch *w)
{
	static const char *const words[] = { "disappeared", "went down", "came up" };

	for (size_t i = 0; i < w->n_links; i++) {
		enum et_link_state now = et_link_state(w->machine->root, w->links[i].name);
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
	et_clock_sync_read(w->machine->root, &w->clock);
	find_daemons(w, &w->machine->processes);
}

void et_watch_look(struct et_watch *w)
{
	look_at_daemons(w);
	look_at_clock(w);
	look_at_links(w);
}
