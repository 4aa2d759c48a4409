/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conduct/delivery.h"
#include "base/display.h"
#include "base/json.h"
#include "base/memstream.h"
#include "base/parse.h"
#include "cli/server.h"
#include "cli/signals.h"
#include "host/host.h"
#include "put/calibration.h"
#include "source/stored.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>

/* --- a store that does not answer --- */

static const uint64_t FIRST_PAUSE_NS = 500000000, LONGEST_PAUSE_NS = 30000000000;

/* Failures that no later attempt would mend. */
static bool is_final(int rc)
{
	static const int all[] = { ESTALE, EEXIST, EPROTO, EBADMSG, EACCES, EINVAL, ENOTSUP, ENXIO,
		ETIME, EUCLEAN };
	bool found = false;

	for (size_t i = 0; i < ET_LENGTH(all); i++)
		found = found || rc == -all[i];
	return found;
}

/* Pauses are random within a factor of three, so that many machines do not come back together. */
static uint64_t vary(uint64_t pause_ns)
{
	uint32_t random = 0;

	(void)!getrandom(&random, sizeof(random), 0);
	return pause_ns / 2 + (uint64_t)((double)pause_ns * ((double)random / UINT32_MAX));
}

int et_persist(const struct et_persistence *p, int (*attempt)(void *ctx, struct et_error *err),
	void *ctx, struct et_error *err)
{
	uint64_t began_ns = p->clock->now_ns(p->clock->ctx), pause_ns = FIRST_PAUSE_NS;

	for (bool told = false;; told = true) {
		int rc = attempt(ctx, err);
		uint64_t waited_ns = p->clock->now_ns(p->clock->ctx) - began_ns;

		if (rc == 0 || is_final(rc) || p->interrupt->signal ||
			waited_ns + pause_ns > p->limit_ns)
			return rc;
		if (!told)
			p->again(p->ctx, err);
		p->pause(p->ctx, vary(pause_ns));
		pause_ns = 2 * pause_ns < LONGEST_PAUSE_NS ? 2 * pause_ns : LONGEST_PAUSE_NS;
	}
}

/* --- all that waits --- */

struct delivering {
	struct et_delivery *d;
	et_deliverer *deliver;
	struct et_store *from;
	struct et_store *central; /* NULL: not connected */
	const char *reached;      /* the destination of this connection */
	const char *lost;         /* a destination that could not be reached */
	struct et_error why;      /* it could not */
};

static void report(struct delivering *x, const struct et_outbox_entry *entry, int rc,
	enum et_delivered how, const struct et_error *err)
{
	struct et_delivery *d = x->d;

	if (rc == 0)
		d->delivered++;
	else if (rc == -EBUSY)
		d->busy++;
	else if (d->failed++ == 0)
		d->first = *err;
	if (d->done)
		d->done(d->ctx, entry, rc, how, err);
}

/* Connects, unless this has failed before, for another experiment. */
static int reach(struct delivering *x, const char *destination, struct et_error *err)
{
	if (x->central && !strcmp(x->reached, destination))
		return 0;
	et_store_close(x->central);
	x->central = NULL;
	*err = x->why;
	if (x->lost && !strcmp(x->lost, destination) && !x->d->persistence)
		return -EIO;
	/* Without persistence signals end the command that delivers, or the child that does it. */
	struct et_patience patience = { et_server_limit_s(),
		x->d->persistence ? et_signals_received : NULL };
	int rc = et_store_open_within(
		x->d->url ? x->d->url : destination, ET_STORE_WRITE, &patience, &x->central, err);
	x->reached = destination;
	if (rc) {
		x->lost = destination;
		x->why = *err;
	}
	return rc;
}

/* One attempt to deliver an experiment. */
struct attempt {
	struct delivering *x;
	const struct et_outbox_entry *entry;
	enum et_delivered how;
	bool reached;
};

static int try_entry(void *ctx, struct et_error *err)
{
	struct attempt *a = ctx;
	struct delivering *x = a->x;
	int rc = reach(x, a->entry->destination, err);

	a->reached = rc == 0;
	if (rc == 0)
		rc = x->deliver(x->from, x->central, a->entry, &a->how, err);
	/* The connection may be lost: the next attempt gets a new one. */
	if (rc && rc != -EBUSY) {
		et_store_close(x->central);
		x->central = NULL;
	}
	return rc;
}

static void deliver_entry(struct delivering *x, const struct et_outbox_entry *entry)
{
	struct et_error err = { 0 };
	struct attempt a = { x, entry, ET_DELIVERED_NEW, false };
	int rc = x->d->persistence ? et_persist(x->d->persistence, try_entry, &a, &err)
				   : try_entry(&a, &err);

	if (!a.reached && x->deliver == et_outbox_deliver)
		(void)!et_outbox_fail(x->from, entry, err.what, NULL);
	report(x, entry, rc, a.how, &err);
}

static bool is_meant(const struct et_delivery *d, const struct et_outbox_entry *entry)
{
	return (!d->destination || !strcmp(d->destination, entry->destination)) &&
	       (d->experiment ? !strcmp(d->experiment, entry->experiment)
			      : !entry->delivered_wall_ns);
}

void et_delivery_send(struct et_store *from, const struct et_outbox *all, et_deliverer *deliver,
	struct et_delivery *d)
{
	struct delivering x = { .d = d, .from = from, .deliver = deliver };

	for (size_t i = 0; i < all->n; i++) {
		if (is_meant(d, &all->list[i]))
			deliver_entry(&x, &all->list[i]);
	}
	et_store_close(x.central);
}

/*
 * Copies the calibration of `put inc` on this machine into the spool as the fact "put-calibration",
 * so that it is delivered with the other facts. Does nothing if there is none, or it is there. It
 * is of use to people only, so a failure is no error of the delivery.
 */
static void spool_calibration(struct et_store *spool)
{
	static const char key[] = "put-calibration";
	ET_AUTO_FREE char *dir = et_cli_state_dir(), *stored = NULL;
	struct et_experiment named = { 0 };
	struct et_memstream s;
	struct et_json w;
	struct et_error ignored;
	double rate = 0;

	et_host_read("", &named.host);
	et_host_identity("", named.machine, sizeof(named.machine));
	if (!dir || !named.machine[0] ||
		et_calibration_read(dir, named.host.cpu, &rate, &ignored) ||
		et_store_get_fact(spool, named.machine, key, &stored, &ignored))
		return;
	et_json_init(&w, et_memstream_open(&s), 0);
	et_json_object(&w, NULL);
	et_json_string(&w, "cpu", named.host.cpu);
	et_json_double(&w, "increments_per_second", rate);
	et_json_end(&w);
	ET_AUTO_FREE char *text = et_memstream_close(&s);
	if (!stored || strcmp(stored, text) != 0)
		(void)!et_store_set_fact(spool, named.machine, key, text, &ignored);
}

int et_delivery_run(struct et_store *spool, struct et_delivery *d, struct et_error *err)
{
	struct et_outbox all = { 0 };

	spool_calibration(spool);
	int rc = et_outbox_read(spool, &all, err);
	if (rc == 0)
		et_delivery_send(spool, &all, et_outbox_deliver, d);
	et_outbox_free(&all);
	return rc;
}

/* --- the end of a command --- */

/* The report of the process that delivers. */
struct outcome {
	size_t delivered, failed;
	size_t older; /* of those that failed: not of this command */
	char why[512], hint[512];
};

static void take_error(struct outcome *out, const struct et_error *err)
{
	snprintf(out->why, sizeof(out->why), "%s", err->what);
	snprintf(out->hint, sizeof(out->hint), "%s", err->hint);
}

/* Of several errors, the first about an experiment of this command is reported. */
static void note(void *ctx, const struct et_outbox_entry *entry, int rc,
	ET_UNUSED enum et_delivered how, const struct et_error *err)
{
	struct outcome *out = ctx;

	if (!rc || rc == -EBUSY)
		return;
	if (!et_queued_has(et_stored_queued(), entry->experiment))
		out->older++;
	else if (!out->why[0])
		take_error(out, err);
}

static void deliver_for(const char *path, const char *url, struct outcome *out)
{
	ET_AUTO_FREE char *destination = et_spool_destination(url);
	struct et_delivery d = { .destination = destination, .url = url, .done = note, .ctx = out };
	struct et_error err = { 0 };
	struct et_store *spool = NULL;
	int rc = et_spool_open(path, ET_STORE_WRITE, NULL, NULL, &spool, &err);

	if (!rc)
		rc = et_delivery_run(spool, &d, &err);
	et_store_close(spool);
	out->delivered = d.delivered;
	out->failed = rc ? 1 : d.failed;
	if (rc)
		take_error(out, &err);
}

/* The child of a fork: a name that cannot be resolved, or a server that is silent, cannot hold up
 * its parent. */
static void run_child(const char *path, const char *url, int out)
{
	struct outcome outcome = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	deliver_for(path, url, &outcome);
	ssize_t written = write(out, &outcome, sizeof(outcome));
	_exit(written == sizeof(outcome) ? 0 : 1);
}

/* How long a command may wait for the server, in seconds: ETALON_DELIVERY_LIMIT. */
static int limit_s(void)
{
	const char *text = getenv("ETALON_DELIVERY_LIMIT");
	uint64_t seconds;

	if (text && et_parse_u64("ETALON_DELIVERY_LIMIT", text, 0, 86400, &seconds, NULL) == 0)
		return (int)seconds;
	return 10;
}

static void wait_for(pid_t child, int in, struct outcome *out)
{
	struct pollfd p = { .fd = in, .events = POLLIN };
	int limit = limit_s(), n = poll(&p, 1, limit * 1000);

	if (n != 1 || read(in, out, sizeof(*out)) != sizeof(*out)) {
		kill(child, SIGKILL);
		out->failed = 1;
		if (n == 0)
			snprintf(out->why, sizeof(out->why), "the server took longer than %d s",
				limit);
		else
			snprintf(out->why, sizeof(out->why), "it was interrupted");
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Returns false, with the reason, if not everything was delivered. */
static bool deliver_in_child(const char *path, const char *url, struct outcome *out)
{
	int ends[2];

	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC) < 0) {
		snprintf(out->why, sizeof(out->why), "%s", strerror(errno));
		return false;
	}
	pid_t child = fork();
	if (child == 0)
		run_child(path, url, ends[1]);
	close(ends[1]);
	if (child < 0)
		snprintf(out->why, sizeof(out->why), "%s", strerror(errno));
	else
		wait_for(child, ends[0], out);
	close(ends[0]);
	return child > 0 && !out->failed;
}

static void print_undelivered(const struct outcome *o)
{
	ET_AUTO_FREE char *why = et_clean(o->why, "");
	ET_AUTO_FREE char *hint = et_clean(o->hint, "");

	if (*why)
		et_say(stderr, "etalon: not delivered: %s\nhint: %s%s\n", why, hint,
			*hint ? "; then run 'etalon sync'" : "run 'etalon sync' later");
	if (o->older)
		et_say(stderr, "etalon: %zu older experiment%s: etalon sync --status\n", o->older,
			o->older == 1 ? " waits" : "s wait");
}

int et_delivery_end(const struct et_cli *cli, int status)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);
	ET_AUTO_FREE char *path = NULL;
	struct outcome outcome = { 0 };

	if (!et_stored_is_spooled(cli) || !et_stored_queued()->n || limit_s() == 0 ||
		et_stored_spool_path(&path, NULL))
		return status;
	if (!deliver_in_child(path, url, &outcome))
		print_undelivered(&outcome);
	else if (cli->verbosity > 0 && outcome.delivered)
		et_say(stderr, "etalon: delivered %zu experiment%s\n", outcome.delivered,
			outcome.delivered == 1 ? "" : "s");
	return status;
}
