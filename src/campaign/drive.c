/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop of a campaign: asks the engine, reads the store, decides (protocol/campaign.h), submits.
 * Both may go away and come back at any time; the loop waits for them and says so once.
 */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/display.h"
#include "campaign/campaign.h"
#include "campaign/watch.h"
#include "cli/server.h"
#include "cli/signals.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Prints a trouble when it begins, and when it is over. */
void et_campaign_tell(struct et_campaigning *r, enum et_trouble which, const struct et_error *why)
{
	static const char *const begins[] = {
		"the store does not answer, trying again; jobs continue",
		"the engine does not answer, trying again; jobs continue",
		"the engine does not take the jobs, trying again",
	};
	static const char *const ends[] = { "the store answers again", "the engine answers again",
		"the engine has taken the jobs" };
	char **told = &r->told[which];

	if (!why && !*told)
		return;
	et_campaign_watch_erase(r->watch);
	if (!why) {
		et_say(stderr, "etalon: %s\n", ends[which]);
		free(*told);
		*told = NULL;
	} else if (!*told) {
		*told = et_strdup(why->what);
		const char *line = why->quoted + strspn(why->quoted, " \n");
		et_say(stderr, "etalon: %s: %s%s%.*s\n", begins[which], why->what,
			*line ? ": " : "", (int)strcspn(line, "\n"), line);
	}
}

/* --- the store --- */

/* Reads the parts, by a new connection if the old one broke; claims the campaign if it is free. */
static int read_store(struct et_campaigning *r, struct et_error *err)
{
	struct et_error busy = { 0 };
	int rc = r->store ? 0 : et_server_open(r->url, ET_STORE_WRITE, &r->store, err);

	if (rc == 0)
		rc = et_campaign_refresh(r->store, r->c, err);
	if (rc == 0 && !r->claimed)
		r->claimed = et_store_claim(r->store, r->c->id, &busy) == 0;
	if (rc) { /* the claim ends with the connection */
		et_store_close(r->store);
		r->store = NULL;
		r->claimed = false;
	}
	return rc;
}

/* --- one step --- */

int et_campaigning_step(
	struct et_campaigning *r, struct et_campaign_decision *out, struct et_error *err)
{
	size_t n = r->c->n_parts;
	ET_AUTO_FREE struct et_job_report *reports = et_calloc(n, sizeof(*reports));

	for (uint32_t i = 0; i < n; i++)
		reports[i].part = i;
	/* First the engine, then the store: see et_campaign_decide. */
	int polled = r->engine->ops->poll(r->engine, reports, n, err);
	et_campaign_tell(r, ET_TROUBLE_ENGINE, polled ? err : NULL);
	int read = read_store(r, err);
	et_campaign_tell(r, ET_TROUBLE_STORE, read ? err : NULL);
	et_campaign_decide(r->c, reports, et_clock_real.wall_ns(NULL), out);
	if (et_campaign_is_final(read))
		return read;
	if (polled || read)
		out->finished = out->finished && !read;
	else if (r->claimed && !out->finished)
		return et_campaign_act(r, out, reports, err);
	return 0;
}

/* --- watching --- */

/* A step of a large cluster takes long: it is not asked all the time. */
static uint64_t pause_after(uint64_t step_ns)
{
	const uint64_t least = 500000000, most = 10000000000;
	uint64_t pause = 4 * step_ns;

	return pause < least ? least : pause > most ? most : pause;
}

int et_campaigning_drive(struct et_campaigning *r, struct et_error *err)
{
	struct et_campaign_watch watch = { .cli = r->cli };
	bool finished = false;
	int rc = 0;

	r->watch = &watch;
	while (rc == 0 && !finished && !r->interrupt->signal) {
		uint64_t began_ns = et_clock_read_ns(CLOCK_MONOTONIC);
		struct et_campaign_decision d;

		rc = et_campaigning_step(r, &d, err);
		finished = d.finished;
		et_campaign_watch_show(&watch, r->c, &d);
		et_campaign_decision_free(&d);
		if (rc == 0 && !finished)
			et_signals_pause(r->interrupt,
				pause_after(et_clock_read_ns(CLOCK_MONOTONIC) - began_ns));
	}
	et_campaign_watch_erase(&watch);
	free(watch.stuck);
	r->watch = NULL;
	if (rc && r->begun && !r->submitted)
		et_campaigning_discard(r, err->what);
	return rc == 0 && !finished ? -EINTR : rc;
}
