/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits for a server of PostgreSQL. The functions of libpq that block (PQexec, PQconnectdb and the
 * like) have no limit once the session exists, and they poll again after a signal that etalon
 * handles; so store/postgresql/pg.h lists none of them. Every message goes through the loops
 * below, which end if the server is silent, if it is slower than any network, if its answer has no
 * end, or after a signal.
 */
#include "base/clock.h"
#include "store/postgresql/pg.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

enum {
	SILENCE_S = 60,        /* without a byte, unless the caller says otherwise */
	ANSWER_FACTOR = 20,    /* an answer may take this much longer in all */
	SETUP_FACTOR = 60,     /* a migration may take this much longer */
	LOGIN_S = 10,          /* per address, unless connect_timeout says otherwise */
	ASKED_S = 2,           /* for the message on its way, after a signal */
	SLOWEST = 1000,        /* bytes per second of a message that takes longer than that */
	SENT_PER_S = 1 << 20,  /* a server needs time for what it has got: bytes per second */
	SLICE_MS = 200,        /* a signal may arrive right before poll() */
	MOST_BYTES = 1 << 30,  /* of an answer; libpq keeps them, and etalon reads by parts */
	LOGIN_BYTES = 1 << 24, /* of a login */
	READ_BYTES = 8192,     /* libpq reads at least this many, if they are there */
	WRITTEN_BYTES = 4096,  /* the kernel reports room if it has at least this much */
};

/* One message and its answer. */
struct exchange {
	uint64_t begun_ns, heard_ns; /* heard: when a byte last moved */
	uint64_t bytes;              /* that moved, at least */
	uint64_t received;           /* bytes, about */
	uint64_t silence_ns;         /* the longest pause */
	uint64_t asked_ns;           /* when a signal was seen; 0: none */
};

static struct exchange begin(const struct et_pg *s)
{
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	uint64_t silence_ns = et_pg_silence_s(s) * SECOND_NS;

	silence_ns += s->sent / SENT_PER_S * SECOND_NS;
	return (struct exchange){
		.begun_ns = now_ns, .heard_ns = now_ns, .silence_ns = silence_ns
	};
}

unsigned et_pg_silence_s(const struct et_pg *s)
{
	unsigned seconds = s->patience.silence_s ? s->patience.silence_s : SILENCE_S;

	return s->migrating ? SETUP_FACTOR * seconds : seconds;
}

unsigned et_pg_answer_s(const struct et_pg *s)
{
	return ANSWER_FACTOR * et_pg_silence_s(s);
}

static bool is_over(struct et_pg *s, struct exchange *x, uint64_t now_ns)
{
	int signal = s->patience.signal ? s->patience.signal() : 0;

	if (signal && !x->asked_ns)
		x->asked_ns = now_ns;
	if (x->asked_ns && now_ns - x->asked_ns >= ASKED_S * SECOND_NS) {
		s->end = ET_PG_INTERRUPTED;
		s->signal = signal;
	} else if (now_ns - x->heard_ns >= x->silence_ns) {
		s->end = ET_PG_SILENT;
	} else if (now_ns - x->begun_ns >= x->silence_ns + x->bytes * (SECOND_NS / SLOWEST)) {
		s->end = ET_PG_SLOW;
	} else if (now_ns - x->begun_ns >= ANSWER_FACTOR * x->silence_ns) {
		s->end = ET_PG_TOO_LONG;
	} else if (x->received >= MOST_BYTES) {
		s->end = ET_PG_TOO_MUCH;
	}
	return s->end != ET_PG_USABLE;
}

/* The number of bytes that can be read. */
static uint64_t waiting(int fd)
{
	int bytes = 0;

	return ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0 ? (uint64_t)bytes : 0;
}

/* libpq reads at least these of the bytes that wait. */
static uint64_t at_least(uint64_t bytes)
{
	return bytes < READ_BYTES ? bytes : READ_BYTES;
}

static bool read_input(struct et_pg *s, struct exchange *x, uint64_t before)
{
	PGnotify *unwanted;

	if (!et_pq.PQconsumeInput(s->conn))
		return false;
	uint64_t after = waiting(et_pq.PQsocket(s->conn)), least = at_least(before);
	x->received += before > after + least ? before - after : least;
	while ((unwanted = et_pq.PQnotifies(s->conn)))
		et_pq.PQfreemem(unwanted);
	return true;
}

/*
 * Waits until the socket is ready, but not long, and reads what is there: TLS may have bytes that
 * the socket has no longer. Returns false if the connection cannot be used any more.
 */
static bool wait_and_read(struct et_pg *s, struct exchange *x, bool writes)
{
	struct pollfd p = { .fd = et_pq.PQsocket(s->conn),
		.events = (short)(writes ? POLLIN | POLLOUT : POLLIN) };
	int ready = poll(&p, 1, SLICE_MS);
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC), before = waiting(p.fd);

	if (ready > 0) {
		x->bytes += at_least(before);
		if (p.revents & POLLOUT)
			x->bytes += WRITTEN_BYTES;
		x->heard_ns = now_ns;
	}
	return !is_over(s, x, now_ns) && read_input(s, x, before);
}

static bool flush(struct et_pg *s, struct exchange *x)
{
	int left;

	while ((left = et_pq.PQflush(s->conn)) > 0) {
		if (!wait_and_read(s, x, true))
			return false;
	}
	return left == 0;
}

/* NULL: there is none, or the connection is lost. */
static PGresult *next_result(struct et_pg *s, struct exchange *x)
{
	bool good = true;

	while (good && et_pq.PQisBusy(s->conn))
		good = wait_and_read(s, x, false);
	/* Also of a lost connection: the server may have said why it ends it. */
	return et_pq.PQisBusy(s->conn) ? NULL : et_pq.PQgetResult(s->conn);
}

PGresult *et_pg_result(struct et_pg *s, int queued)
{
	PGresult *kept = NULL, *next;
	struct exchange x = begin(s);

	if (!queued || s->end || !flush(s, &x))
		return NULL;
	while ((next = next_result(s, &x))) {
		ExecStatusType status = et_pq.PQresultStatus(next);

		if (kept && et_pq.PQresultStatus(kept) == PGRES_FATAL_ERROR) {
			et_pq.PQclear(next);
		} else {
			et_pq.PQclear(kept);
			kept = next;
		}
		if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT ||
			status == PGRES_COPY_BOTH || et_pq.PQstatus(s->conn) == CONNECTION_BAD)
			break;
	}
	if (!s->end)
		return kept;
	et_pq.PQclear(kept);
	return NULL;
}

PGresult *et_pg_query(struct et_pg *s, const char *sql)
{
	return et_pg_result(s, et_pq.PQsendQuery(s->conn, sql));
}

bool et_pg_put(struct et_pg *s, const char *bytes, size_t n)
{
	struct exchange x = begin(s);
	int rc;

	while ((rc = s->end ? -1 : et_pq.PQputCopyData(s->conn, bytes, (int)n)) == 0) {
		if (!wait_and_read(s, &x, true))
			return false;
	}
	s->sent += n;
	return rc == 1 && flush(s, &x);
}

PGresult *et_pg_put_end(struct et_pg *s, const char *message)
{
	struct exchange x = begin(s);
	int rc;

	while ((rc = s->end ? -1 : et_pq.PQputCopyEnd(s->conn, message)) == 0) {
		if (!wait_and_read(s, &x, true))
			return NULL;
	}
	return et_pg_result(s, rc == 1);
}

/* --- connecting --- */

/* As libpq reads it from the URL, the environment or a service file. 0 is no limit there. */
static uint64_t login_ns(const struct et_pg *s)
{
	PQconninfoOption *all = et_pq.PQconninfo(s->conn);
	long seconds = LOGIN_S;

	for (const PQconninfoOption *o = all; o && o->keyword; o++) {
		if (!strcmp(o->keyword, "connect_timeout") && o->val && *o->val)
			seconds = strtol(o->val, NULL, 10);
	}
	et_pq.PQconninfoFree(all);
	return (uint64_t)(seconds <= 0 || seconds > 86400 ? 86400 : seconds) * SECOND_NS;
}

/* An attempt to connect. */
struct login {
	struct exchange x;
	char address[256]; /* that libpq tries at present: a URL and a name may have several */
	bool skipped;      /* the address has been given up */
};

static bool moved_on(struct et_pg *s, struct login *l)
{
	const char *host = et_pq.PQhost(s->conn), *address = et_pq.PQhostaddr(s->conn),
		   *port = et_pq.PQport(s->conn);
	char now[sizeof(l->address)];

	snprintf(now, sizeof(now), "%s %s %s", host ? host : "", address ? address : "",
		port ? port : "");
	if (!strcmp(now, l->address))
		return false;
	memcpy(l->address, now, sizeof(now));
	return true;
}

/*
 * An address without an answer ends only its own attempt: libpq tries the next one if the
 * connection fails, which shutdown(2) brings about.
 */
static bool skip_address(struct et_pg *s, struct login *l, uint64_t now_ns)
{
	if (l->skipped || et_pq.PQstatus(s->conn) != CONNECTION_STARTED ||
		shutdown(et_pq.PQsocket(s->conn), SHUT_RDWR) < 0)
		return false;
	l->skipped = true;
	l->x.heard_ns = now_ns;
	s->end = ET_PG_USABLE;
	return true;
}

/* Whether to give up. Each address has the same time, however many bytes it sends. */
static bool login_is_over(struct et_pg *s, struct login *l)
{
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);

	if (moved_on(s, l)) {
		l->x.begun_ns = l->x.heard_ns = now_ns;
		l->skipped = false;
	}
	return is_over(s, &l->x, now_ns) && (s->end != ET_PG_SILENT || !skip_address(s, l, now_ns));
}

/*
 * One call of PQconnectPoll, which the server can make last for hours: it chooses how often libpq
 * computes the hash of the password. So it has a thread, which is given up if it does not end.
 */
struct call {
	PGconn *conn;
	PostgresPollingStatusType state;
	atomic_bool parted; /* by one of the two threads; the other one frees */
};

static void part(struct call *c)
{
	if (!atomic_exchange(&c->parted, true))
		return;
	et_pq.PQfinish(c->conn);
	free(c);
}

static void *make_call(void *arg)
{
	struct call *c = arg;

	c->state = et_pq.PQconnectPoll(c->conn);
	part(c);
	return NULL;
}

/* At the exit, libraries would free what a call uses that was given up. */
static void end_without_libraries(int status, ET_UNUSED void *arg)
{
	fflush(NULL);
	_exit(status);
}

/* Returns whether the call ended in time. If not, its thread gets the connection. */
static bool has_ended(struct et_pg *s, struct login *l, struct call *c, pthread_t thread)
{
	struct exchange x = begin(s);
	int rc = ETIMEDOUT;

	x.asked_ns = l->x.asked_ns;
	while (rc) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += SLICE_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		rc = pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until);
		if (rc && is_over(s, &x, et_clock_read_ns(CLOCK_MONOTONIC)))
			break;
	}
	l->x.asked_ns = x.asked_ns;
	if (!rc)
		return true;
	if (s->end != ET_PG_INTERRUPTED)
		s->end = ET_PG_HELD;
	s->conn = NULL;
	pthread_detach(thread);
	on_exit(end_without_libraries, NULL);
	part(c);
	return false;
}

/* PQconnectPoll with an end. */
static bool go_on(struct et_pg *s, struct login *l, PostgresPollingStatusType *state)
{
	struct call *c = et_calloc(1, sizeof(*c));
	sigset_t all, before;
	pthread_t thread;

	c->conn = s->conn;
	l->x.received += at_least(waiting(et_pq.PQsocket(s->conn)));
	sigfillset(&all); /* signals are for the other threads */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&thread, NULL, make_call, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		make_call(c); /* the user has no thread left */
	else if (!has_ended(s, l, c, thread))
		return false;
	*state = c->state;
	free(c);
	return true;
}

static void ignore_notice(ET_UNUSED void *arg, ET_UNUSED const char *message)
{
}

bool et_pg_connect(struct et_pg *s, const char *const *names, const char *const *values)
{
	PostgresPollingStatusType state = PGRES_POLLING_WRITING;
	struct login l = { .x = begin(s) };

	s->conn = et_pq.PQconnectStartParams(names, values, 1);
	if (et_pq.PQstatus(s->conn) == CONNECTION_BAD)
		return false;
	/* libpq would print the server's words to the terminal as they are, also during the login.
	 */
	et_pq.PQsetNoticeProcessor(s->conn, ignore_notice, NULL);
	/* A refusal by the server has a code, which libpq shows only in this verbosity. */
	et_pq.PQsetErrorVerbosity(s->conn, PQERRORS_VERBOSE);
	l.x.silence_ns = login_ns(s);
	l.x.received = MOST_BYTES - LOGIN_BYTES;
	l.x.bytes = UINT32_MAX; /* only the limit of each address counts */
	while (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) {
		struct pollfd p = { .fd = et_pq.PQsocket(s->conn),
			.events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT };
		int ready = poll(&p, 1, SLICE_MS);

		if (login_is_over(s, &l) || (ready > 0 && !go_on(s, &l, &state)))
			return false;
	}
	if (state == PGRES_POLLING_FAILED && l.skipped) /* the last address was given up */
		s->end = ET_PG_SILENT;
	et_pq.PQsetErrorVerbosity(s->conn, PQERRORS_DEFAULT);
	return state == PGRES_POLLING_OK && et_pq.PQsetnonblocking(s->conn, 1) == 0;
}
