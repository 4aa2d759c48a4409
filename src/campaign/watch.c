/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "campaign/watch.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/display.h"
#include "draw/terminal.h"
#include "draw/units.h"

#include <string.h>

enum { NODES_SHOWN = 4 };

/* The nodes of running parts, each once, a few of them. */
static char *running_nodes(const struct et_campaign *c)
{
	char *all = NULL;
	size_t shown = 0;
	bool more = false;

	for (size_t i = 0; i < c->n_parts; i++) {
		const struct et_part *p = &c->parts[i];
		bool twice = false;

		if (p->state != ET_PART_RUNNING || !p->ran_on)
			continue;
		for (size_t k = 0; k < i && !twice; k++)
			twice = c->parts[k].state == ET_PART_RUNNING && c->parts[k].ran_on &&
				!strcmp(c->parts[k].ran_on, p->ran_on);
		if (twice)
			continue;
		more = more || shown == NODES_SHOWN;
		if (shown < NODES_SHOWN && ++shown)
			et_append(&all, ", ", "%s", p->ran_on);
	}
	if (more)
		et_append(&all, "", " …");
	return all;
}

char *et_campaign_watch_line(
	const struct et_campaign *c, const struct et_campaign_decision *d, uint64_t left_ns)
{
	ET_AUTO_FREE char *nodes = running_nodes(c);
	char *line = et_asprintf("%zu of %zu %s%s", d->done, c->n_parts,
		c->kind == ET_CAMPAIGN_RUN ? "machine" : "part", c->n_parts == 1 ? "" : "s");
	char left[ET_LEFT];

	if (d->running)
		et_append(&line, ", ", "%zu running%s%s", d->running, nodes ? " on " : "",
			nodes ? nodes : "");
	if (d->waiting && !d->running)
		et_append(&line, ", ", "%zu waiting", d->waiting);
	if (d->stuck)
		et_append(&line, ", ", "%zu stuck", d->stuck);
	if (d->failed)
		et_append(&line, ", ", "%zu failed", d->failed);
	et_append(&line, "", "%s", et_format_left((double)left_ns, left));
	return line;
}

/* By the parts that were done while this process watched. */
static uint64_t estimate(const struct et_campaign_watch *w, const struct et_campaign *c,
	const struct et_campaign_decision *d, uint64_t now_ns)
{
	size_t done = d->done > w->done_before ? d->done - w->done_before : 0;
	size_t left = c->n_parts - d->done - d->failed;

	return done && left ? (now_ns - w->began_ns) / done * left : 0;
}

/* Why a job does not start is printed once per reason. */
static void tell_stuck(struct et_campaign_watch *w, const struct et_campaign *c,
	const struct et_campaign_decision *d)
{
	for (size_t i = 0; d->stuck && i < c->n_parts; i++) {
		const struct et_part_decision *p = &d->parts[i];
		if (p->action != ET_PART_LEAVE || !p->why[0] || c->parts[i].state == ET_PART_DONE)
			continue;
		if (w->stuck && !strcmp(w->stuck, p->why))
			return;
		free(w->stuck);
		w->stuck = et_strdup(p->why);
		et_campaign_watch_erase(w);
		ET_AUTO_FREE char *clean = et_clean(p->why, "");
		et_say(stderr, "etalon: part %zu will not start by itself: %s\n", i, clean);
		return;
	}
}

void et_campaign_watch_show(struct et_campaign_watch *w, const struct et_campaign *c,
	const struct et_campaign_decision *d)
{
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	size_t tenths = 10 * (d->done + d->failed) / c->n_parts + 1;

	if (!w->began_ns) {
		w->began_ns = now_ns;
		w->done_before = d->done;
		w->tenths = tenths;
	}
	tell_stuck(w, c, d);
	ET_AUTO_FREE char *line = et_campaign_watch_line(c, d, estimate(w, c, d, now_ns));
	ET_AUTO_FREE char *clean = et_clean(line, "");
	if (w->cli->progress) {
		ET_AUTO_FREE char *fitted = et_shorten(clean, w->cli->columns - 1);
		fputs("\r\033[K", stderr);
		fputs(fitted, stderr);
		fflush(stderr);
		w->drawn = true;
	} else if (tenths > w->tenths && w->cli->verbosity >= 0) {
		et_say(stderr, "%s\n", clean);
	}
	w->tenths = tenths;
}

void et_campaign_watch_erase(struct et_campaign_watch *w)
{
	if (!w || !w->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	w->drawn = false;
}
