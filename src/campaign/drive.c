/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop of a campaign: asks the engine, reads the store, decides (protocol/campaign.h), submits.
 * Both may go away and come back at any time; the loop waits for them and says so once.
 */
#include "base/clock.h"
#include "base/display.h"
#include "base/memstream.h"
#include "campaign/campaign.h"
#include "cli/server.h"
#include "cli/signals.h"
#include "draw/terminal.h"
#include "draw/units.h"

#include <time.h>

/* --- the progress: a line on a terminal, else a line per tenth --- */

struct et_campaign_watch {
	const struct et_cli *cli;
	bool drawn;         /* the line is on the screen */
	uint64_t began_ns;  /* when it was first shown; 0: never */
	size_t done_before; /* parts that were done then */
	size_t tenths;      /* that were printed, plus 1 */
	char *stuck;        /* the last reason why a job does not start that was printed */
};

static void erase(struct et_campaign_watch *w)
{
	if (!w || !w->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	w->drawn = false;
}

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

/* "31 of 48 parts, 2 running on n1, n2, about 3 min left". left_ns 0: not known. */
static char *line_of(
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
		erase(w);
		ET_AUTO_FREE char *clean = et_clean(p->why, "");
		et_say(stderr, "etalon: part %zu will not start by itself: %s\n", i, clean);
		return;
	}
}

static void show(struct et_campaign_watch *w, const struct et_campaign *c,
	const struct et_campaign_decision *d)
{
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC), left_ns = 0;
	size_t left = c->n_parts - d->done - d->failed,
	       tenths = 10 * (d->done + d->failed) / c->n_parts + 1;

	if (!w->began_ns) {
		w->began_ns = now_ns;
		w->done_before = d->done;
		w->tenths = tenths;
	}
	tell_stuck(w, c, d);
	/* By the parts that were done while this process watched. */
	if (d->done > w->done_before)
		left_ns = (now_ns - w->began_ns) / (d->done - w->done_before) * left;
	ET_AUTO_FREE char *line = line_of(c, d, left_ns);
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

/* --- troubles --- */

enum trouble { STORE, ENGINE, SUBMITTING };
/* Prints a trouble when it begins, and when it is over. */
static void tell(struct et_campaigning *r, enum trouble which, const struct et_error *why)
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
	erase(r->watch);
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

/* --- submitting parts that have no job, and recording those that were lost --- */

/* A submission is tried this often, for about ten minutes. */
enum { MOST_TRIES = 15 };

/* Whether an error of the store is none that passes by itself. */
static bool is_final(int rc)
{
	return rc == -EACCES || rc == -EBADMSG || rc == -EINVAL || rc == -ENOTSUP || rc == -ETIME;
}

static char *make_input(const struct et_campaigning *r, uint32_t generation, struct et_error *err)
{
	struct et_memstream s;

	et_campaigning_print_job(r, generation, et_memstream_open(&s));
	char *text = et_memstream_close(&s);
	size_t size = strlen(text);
	if (size < ET_JOB_MOST_BYTES)
		return text;
	free(text);
	et_fail_hint(err, E2BIG, ET_EXIT_USAGE, "use fewer treatments, or a larger --part-rounds",
		"the plan is too large for a job: %zu bytes", size);
	return NULL;
}

/* Asks the engine to run the pending parts, and forgets them if it accepts. */
static int submit_pending(struct et_campaigning *r, struct et_error *err)
{
	ET_AUTO_FREE struct et_job *jobs = et_calloc(r->n_pending, sizeof(*jobs));
	ET_AUTO_FREE char *input = make_input(r, r->pending_generation, err), *name = NULL;
	struct et_error ignored = { 0 };

	if (!input)
		return -E2BIG;
	for (size_t i = 0; i < r->n_pending; i++)
		jobs[i] = (struct et_job){ .part = r->pending[i],
			.node = r->c->parts[r->pending[i]].node };
	int rc = r->engine->ops->submit(
		r->engine, jobs, r->n_pending, input, r->pending_generation, &name, err);
	if (rc)
		return rc;
	/* The name is for people; the engine finds its jobs without it. */
	(void)!et_campaign_set_job(r->store, r->c->id, r->pending_generation, r->pending,
		r->n_pending, name, &ignored);
	r->n_pending = 0;
	r->submitted = true;
	return 0;
}

/* A submission that failed may have been accepted: those parts are known to the engine. */
static void drop_known(struct et_campaigning *r, const struct et_job_report *reports)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_pending; i++) {
		const struct et_job_report *report = &reports[r->pending[i]];
		bool known = report->state != ET_JOB_UNKNOWN && report->state != ET_JOB_ENDED &&
			     (!report->generation || report->generation == r->pending_generation);
		if (!known)
			r->pending[kept++] = r->pending[i];
	}
	r->n_pending = kept;
}

/* Records losses, and chooses the parts that are to be submitted now. */
static int collect(
	struct et_campaigning *r, const struct et_campaign_decision *d, struct et_error *err)
{
	size_t n = 0;
	int rc = 0;

	free(r->pending);
	r->pending = et_calloc(r->c->n_parts, sizeof(*r->pending));
	for (uint32_t i = 0; rc == 0 && i < r->c->n_parts; i++) {
		const struct et_part_decision *p = &d->parts[i];

		if (p->action == ET_PART_LEAVE)
			continue;
		if (p->action != ET_PART_SUBMIT)
			rc = et_campaign_fail_attempt(r->store, r->c->id, i, p->attempt, p->why,
				p->action == ET_PART_GIVE_UP, err);
		if (rc == 0 && p->action != ET_PART_GIVE_UP)
			r->pending[n++] = i;
		if (rc == -ESTALE) /* it was done, or begun again, since the parts were read */
			rc = 0;
	}
	if (rc == 0 && n)
		rc = et_campaign_submit(r->store, r->c->id, d->generation, r->pending, n, err);
	if (rc == 0) {
		r->n_pending = n;
		r->pending_generation = d->generation;
	}
	return rc;
}

/* Submits, after a pause that grows with every failure. */
static int try_to_submit(struct et_campaigning *r, struct et_error *err)
{
	const uint64_t least = 500000000, most = 60000000000;
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);

	if (r->tries && now_ns < r->try_again_ns)
		return 0;
	int rc = submit_pending(r, err);
	/* Asking again would give the same answer. */
	if (rc && (err->exit != ET_EXIT_OUTSIDE || r->tries + 1 >= MOST_TRIES))
		return rc;
	tell(r, SUBMITTING, rc ? err : NULL);
	uint64_t pause_ns = least << (r->tries < 10 ? r->tries : 10);
	r->try_again_ns = now_ns + (pause_ns < most ? pause_ns : most);
	r->tries = rc ? r->tries + 1 : 0;
	return 0;
}

/* Returns 0; or -errno if there is no cure. If the store fails, the next step tries again. */
static int act(struct et_campaigning *r, const struct et_campaign_decision *d,
	const struct et_job_report *reports, struct et_error *err)
{
	int rc = 0;

	drop_known(r, reports);
	if (!r->n_pending) {
		rc = collect(r, d, err);
		if (is_final(rc))
			return rc;
		if (rc) {
			tell(r, STORE, err);
			return 0;
		}
		r->tries = 0;
	}
	return r->n_pending ? try_to_submit(r, err) : 0;
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

/* Asks the engine, reads the store, submits. *out is to be freed. */
static int step(struct et_campaigning *r, struct et_campaign_decision *out, struct et_error *err)
{
	size_t n = r->c->n_parts;
	ET_AUTO_FREE struct et_job_report *reports = et_calloc(n, sizeof(*reports));

	for (uint32_t i = 0; i < n; i++)
		reports[i].part = i;
	/* First the engine, then the store: see et_campaign_decide. */
	int polled = r->engine->ops->poll(r->engine, reports, n, err);
	tell(r, ENGINE, polled ? err : NULL);
	int read = read_store(r, err);
	tell(r, STORE, read ? err : NULL);
	et_campaign_decide(r->c, reports, et_clock_real.wall_ns(NULL), out);
	if (is_final(read))
		return read;
	if (polled || read)
		out->finished = out->finished && !read;
	else if (r->claimed && !out->finished)
		return act(r, out, reports, err);
	return 0;
}

/* --- watching --- */

int et_campaigning_drive(struct et_campaigning *r, struct et_error *err)
{
	struct et_campaign_watch watch = { .cli = r->cli };
	const uint64_t least = 500000000, most = 10000000000;
	bool finished = false;
	int rc = 0;

	r->watch = &watch;
	while (rc == 0 && !finished && !r->interrupt->signal) {
		uint64_t began_ns = et_clock_read_ns(CLOCK_MONOTONIC);
		struct et_campaign_decision d;

		rc = step(r, &d, err);
		finished = d.finished;
		show(&watch, r->c, &d);
		et_campaign_decision_free(&d);
		/* A step of a large cluster takes long: it is not asked all the time. */
		uint64_t pause_ns = 4 * (et_clock_read_ns(CLOCK_MONOTONIC) - began_ns);
		pause_ns = pause_ns < least ? least : pause_ns > most ? most : pause_ns;
		if (rc == 0 && !finished)
			et_signals_pause(r->interrupt, pause_ns);
	}
	erase(&watch);
	free(watch.stuck);
	r->watch = NULL;
	if (rc && r->begun && !r->submitted)
		et_campaigning_discard(r, err->what);
	return rc == 0 && !finished ? -EINTR : rc;
}
