/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors of PostgreSQL: what failed, in our words, and a cure. The texts of the server depend on
 * its language, so that its five-character codes decide (PostgreSQL's documentation, appendix A).
 */
#include "store/postgresql/pg.h"

#include <ctype.h>
#include <sys/stat.h>

/* --- messages of others --- */

/* Line breaks and blanks become one blank; other control characters are escaped where it's printed.
 */
char *et_pg_one_line(const char *message)
{
	char *out = et_alloc(strlen(message) + sizeof("…")), *end = out;

	for (; *message; message++) {
		bool blank = strchr(" \t\r\n", *message);
		if (blank && (end == out || end[-1] == ' '))
			continue;
		*end++ = blank ? ' ' : *message;
	}
	while (end > out && end[-1] == ' ')
		end--;
	*end = '\0';
	size_t n = 160;
	if (strlen(out) <= n)
		return out;
	while ((out[n] & 0xc0) == 0x80) /* not within a character */
		n--;
	memcpy(out + n, "…", sizeof("…"));
	return out;
}

/* --- errors of statements --- */

struct failure {
	const char *code; /* the first characters of the code */
	int errnum;
	const char *what, *hint; /* what NULL: the message of the server */
};

static const struct failure failures[] = {
	{ "53100", ENOSPC, "the disk of the server is full",
		"free some space there; everything that was stored before is safe" },
	{ "53200", ENOMEM, "the server has not enough memory",
		"ask its administrator; everything that was stored before is safe" },
	{ "53300", EAGAIN, "the server has too many connections",
		"try again later, or raise its max_connections" },
	{ "25006", EROFS, "the server is a read-only standby, or the database is read-only",
		"name the primary server, or add target_session_attrs=read-write to the URL with "
		"all servers" },
	{ "57014", ETIMEDOUT, "the server cancelled the statement: it took too long",
		"raise statement_timeout of the role, or try again when the server is less busy" },
	{ "55P03", EBUSY, "another session keeps rows of the store locked",
		"try again later; the view pg_stat_activity of the server shows which" },
	{ "40", EAGAIN, "another session changed the same rows at the same time", "try again" },
	{ "57P0", ECONNRESET, "the server is starting, stopping or was restarted",
		"try again when it runs; everything that was stored before is safe" },
	{ "42P01", ENXIO, "a table of the store is missing, or this role cannot see it",
		"ask the owner of the database to run etalon sync --setup" },
	{ "3F000", ENXIO, "the schema of the store is missing, or this role cannot see it",
		"ask the owner of the database to run etalon sync --setup" },
	{ "23505", EEXIST, NULL, NULL },
	{ "54000", E2BIG, NULL, "shorten the label or the command" },
	{ "22021", EILSEQ, NULL, NULL },
};

static const struct failure *failure_of(const char *code)
{
	for (size_t i = 0; i < ET_LENGTH(failures); i++) {
		if (!strncmp(code, failures[i].code, strlen(failures[i].code)))
			return &failures[i];
	}
	return NULL;
}

static int fail_rights(struct et_pg *s, const char *message, struct et_error *err)
{
	const char *user = et_pq.PQuser(s->conn);

	if (s->migrating && s->mode != ET_STORE_SETUP)
		return et_hint(err,
			et_fail(err, EACCES, ET_EXIT_OUTSIDE,
				"%s: the store must be made or brought up to date first, which "
				"this role may not: %s",
				s->name, message),
			"ask the owner of the database to run etalon sync --setup --store '%s'",
			s->name);
	int rc = et_fail(err, EACCES, ET_EXIT_OUTSIDE, "%s: %s", s->name, message);
	if (s->mode == ET_STORE_SETUP)
		return et_hint(err, rc, "run this as the owner of the store, or as a superuser");
	if (s->mode != ET_STORE_READ)
		return et_hint(err, rc,
			"ask the owner of the database for the right to add experiments: GRANT "
			"etalon_add TO %s",
			user ? user : "ROLE");
	return et_hint(err, rc,
		"ask the owner of the database for the right to read (GRANT etalon_read TO %s) or "
		"to add (GRANT etalon_add TO %s)",
		user ? user : "ROLE", user ? user : "ROLE");
}

static int fail_lost(struct et_pg *s, struct et_error *err)
{
	return et_fail_hint(err, ECONNRESET, ET_EXIT_OUTSIDE,
		"try again when the server runs; everything that was stored before is safe",
		"%s: the connection to the server was lost", s->name);
}

/* The waiting ended before the server did: see store/postgresql/wait.c. */
static int fail_waiting(struct et_pg *s, struct et_error *err)
{
	if (s->end == ET_PG_INTERRUPTED)
		return et_fail(err, EINTR, (enum et_exit)(128 + s->signal),
			"%s: interrupted while waiting for the server", s->name);
	if (s->end == ET_PG_TOO_MUCH)
		return et_fail_hint(err, EPROTO, ET_EXIT_OUTSIDE,
			"check host, port and database in the URL: no store has such answers; "
			"everything that was stored before is safe",
			"%s: the server sends more than 1 GiB for one answer", s->name);
	int rc;
	if (s->end == ET_PG_SLOW)
		rc = et_fail(err, ETIMEDOUT, ET_EXIT_OUTSIDE,
			"%s: the server answers by fewer than 1,000 bytes per second", s->name);
	else if (s->end == ET_PG_TOO_LONG)
		rc = et_fail(err, ETIMEDOUT, ET_EXIT_OUTSIDE,
			"%s: the server answers, but has not finished after %u s", s->name,
			et_pg_answer_s(s));
	else
		rc = et_fail(err, ETIMEDOUT, ET_EXIT_OUTSIDE,
			"%s: the server has not answered for %u s", s->name, et_pg_silence_s(s));
	return et_hint(err, rc,
		"try again when it answers, or give it more time by ETALON_SERVER_LIMIT=SECONDS; "
		"everything that was stored before is safe");
}

static int describe(struct et_pg *s, const char *code, const char *message, struct et_error *err)
{
	const struct failure *f = failure_of(code);

	if (!strcmp(code, "42501"))
		return fail_rights(s, message, err);
	int rc = et_fail(err, f ? f->errnum : EIO, ET_EXIT_OUTSIDE, "%s: %s", s->name,
		f && f->what ? f->what : message);
	return f && f->hint ? et_hint(err, rc, "%s", f->hint) : rc;
}

/* The rules about ownership (store/postgresql/setup.c) have a cure of their own. */
static void pass_hint(const PGresult *result, struct et_error *err)
{
	const char *hint = et_pq.PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
	ET_AUTO_FREE char *line = hint ? et_pg_one_line(hint) : NULL;

	if (line)
		et_hint(err, 0, "the server says: %s", line);
}

int et_pg_fail(struct et_pg *s, const PGresult *result, struct et_error *err)
{
	const char *code = result ? et_pq.PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
	const char *primary =
		result ? et_pq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	ET_AUTO_FREE char *message =
		et_pg_one_line(primary ? primary : et_pq.PQerrorMessage(s->conn));
	int rc;

	if (s->end)
		rc = fail_waiting(s, err);
	else if (!code && et_pq.PQstatus(s->conn) == CONNECTION_BAD)
		rc = fail_lost(s, err);
	else
		rc = describe(s, code ? code : "", message, err);
	if (code && !strcmp(code, "42501"))
		pass_hint(result, err);
	/*
	 * The server accepts nothing more in this transaction. While a COPY is active, the caller
	 * ends it first.
	 */
	if (et_pq.PQtransactionStatus(s->conn) == PQTRANS_INERROR)
		et_pq.PQclear(et_pg_query(s, "ROLLBACK"));
	if (s->end || et_pq.PQtransactionStatus(s->conn) == PQTRANS_IDLE ||
		et_pq.PQstatus(s->conn) == CONNECTION_BAD)
		s->open = s->migrating = false;
	return rc;
}

/* --- errors of connections --- */

/*
 * libpq does not tell the code of a refused connection, except in messages with the verbosity
 * "verbose": "FATAL:  28P01: password authentication failed".
 */
static void find_code(const char *message, char code[6])
{
	for (const char *p = message; (p = strstr(p, ":  ")); p += 3) {
		size_t n = strspn(p + 3, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (n == 5 && p[8] == ':') {
			memcpy(code, p + 3, 5);
			code[5] = '\0';
		}
	}
}

/* The message after the code, without the line "LOCATION: …" of that verbosity. */
static char *plain_message(const char *message, const char *code)
{
	ET_AUTO_FREE char *copy = et_strdup(message);
	const char *begin = copy;

	if (*code) {
		ET_AUTO_FREE char *mark = et_asprintf(":  %s: ", code);
		for (const char *p = copy; (p = strstr(p, mark));)
			begin = p += strlen(mark);
		copy[(size_t)(begin - copy) + strcspn(begin, "\n")] = '\0';
	}
	return et_pg_one_line(begin);
}

/* A word of a command in a hint, quoted if a shell needs that. */
static char *word(const char *text)
{
	bool plain = *text;

	for (const char *p = text; *p; p++)
		plain = plain && (isalnum((unsigned char)*p) || strchr("_-./", *p));
	return plain ? et_strdup(text) : et_asprintf("'%s'", text);
}

static int fail_database(struct et_pg *s, struct et_error *err)
{
	const char *host = et_pq.PQhost(s->conn), *port = et_pq.PQport(s->conn),
		   *name = et_pq.PQdb(s->conn);
	bool elsewhere = host && *host && strcmp(host, "/var/run/postgresql");
	bool another_port = port && *port && strcmp(port, "5432");
	const char *user = et_pq.PQuser(s->conn);
	ET_AUTO_FREE char *db = word(name ? name : "NAME");
	ET_AUTO_FREE char *at = word(elsewhere ? host : "-");
	ET_AUTO_FREE char *as = word(user ? user : "-");

	return et_hint(err,
		et_fail(err, ENXIO, ET_EXIT_OUTSIDE, "%s: the server has no database '%s'", s->name,
			name ? name : ""),
		"make it with these two commands: createdb%s%s%s%s%s%s %s; etalon sync --setup "
		"--store '%s'",
		elsewhere ? " -h " : "", elsewhere ? at : "", another_port ? " -p " : "",
		another_port ? port : "", user ? " -U " : "", user ? as : "", db, s->name);
}

static int fail_identity(struct et_pg *s, const char *message, struct et_error *err)
{
	const char *user = et_pq.PQuser(s->conn);
	int rc = et_fail(err, EACCES, ET_EXIT_OUTSIDE, "%s: %s", s->name, message);

	if (strstr(message, "pg_hba.conf"))
		return et_hint(err, rc,
			"ask the administrator of the server for an entry in pg_hba.conf for this "
			"user, database and address; if it asks for TLS, add sslmode=require");
	if (strstr(message, "does not exist"))
		return et_hint(err, rc,
			"ask the administrator of the server to make the role (createuser %s), or "
			"name another one: postgresql://USER@HOST/NAME",
			user ? user : "USER");
	return et_hint(err, rc,
		"name the right user in the URL: postgresql://USER@HOST/NAME; the server decides "
		"by its pg_hba.conf who may connect");
}

/* Returns the password file if libpq ignores it because others can access it. Caller frees. */
static char *open_password_file(void)
{
	const char *given = getenv("PGPASSFILE"), *home = getenv("HOME");
	ET_AUTO_FREE char *path =
		given && *given ? et_strdup(given) : et_asprintf("%s/.pgpass", home ? home : "");
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return NULL;
	return word(path);
}

static int fail_password(struct et_pg *s, bool none, struct et_error *err)
{
	int rc = et_fail(err, EACCES, ET_EXIT_OUTSIDE,
		none ? "%s: the server wants a password for user '%s', and there is none"
		     : "%s: the server refused the password of user '%s'",
		s->name, et_pq.PQuser(s->conn) ? et_pq.PQuser(s->conn) : "");
	ET_AUTO_FREE char *file = none ? open_password_file() : NULL;

	if (file)
		return et_hint(err, rc,
			"run 'chmod 600 %s': the password file is not used while others can "
			"access it",
			file);
	return et_hint(err, rc,
		"write it into ~/.pgpass (mode 0600) or the file that PGPASSFILE names, as "
		"HOST:PORT:DATABASE:USER:PASSWORD");
}

#define HELD "etalon gave up the login"
#define FLOOD "etalon ended the login"

static const struct failure unreachable[] = {
	{ "could not translate host name", EHOSTUNREACH, "the host is unknown",
		"check the name of the host in the URL" },
	{ "Connection refused", ECONNREFUSED, "no server answers there",
		"start the server, and check host and port in the URL" },
	{ "No such file or directory", ECONNREFUSED, "no server answers there",
		"start the server, and check the folder of its socket and the port in the URL" },
	{ "timeout expired", ETIMEDOUT, "the server does not answer in time",
		"check host and port, or give it more time: add connect_timeout=SECONDS to the "
		"URL" },
	{ HELD, ETIME, "the login does not end in time",
		"check host and port: the server may demand that the password is hashed too often "
		"(SCRAM iterations)" },
	{ FLOOD, EPROTO, "the server sends too much for a login", "check host and port" },
	{ "session is read-only", EROFS, "all servers are read-only",
		"name the primary server in the URL" },
	{ "service file", EINVAL, NULL,
		"check the service files: PGSERVICEFILE, "
		"~/.pg_service.conf" },
	{ "definition of service", EINVAL, NULL,
		"check the name of the service, and the files PGSERVICEFILE, ~/.pg_service.conf" },
	{ "SSL", EPROTO, NULL, "check sslmode, sslrootcert and the other TLS options in the URL" },
	{ "certificate", EPROTO, NULL,
		"check sslmode, sslrootcert and the other TLS options in the URL" },
};

static int fail_unreachable(struct et_pg *s, const char *message, struct et_error *err)
{
	for (size_t i = 0; i < ET_LENGTH(unreachable); i++) {
		const struct failure *f = &unreachable[i];
		if (!strstr(message, f->code))
			continue;
		return et_hint(err,
			et_fail(err, f->errnum, ET_EXIT_OUTSIDE, "%s: %s", s->name,
				f->what ? f->what : message),
			"%s", f->hint);
	}
	return et_fail_hint(err, ECONNREFUSED, ET_EXIT_OUTSIDE, "check the URL and the server",
		"%s: the server cannot be used: %s", s->name, message);
}

int et_pg_fail_connecting(struct et_pg *s, struct et_error *err)
{
	char code[6] = "";

	if (s->end == ET_PG_INTERRUPTED)
		return fail_waiting(s, err);
	if (s->end)
		return fail_unreachable(s,
			s->end == ET_PG_HELD       ? HELD
			: s->end == ET_PG_TOO_MUCH ? FLOOD
						   : "timeout expired",
			err);
	find_code(et_pq.PQerrorMessage(s->conn), code);
	ET_AUTO_FREE char *message = plain_message(et_pq.PQerrorMessage(s->conn), code);
	if (!strcmp(code, "3D000"))
		return fail_database(s, err);
	if (!strcmp(code, "28P01"))
		return fail_password(s, false, err);
	if (et_pq.PQconnectionNeedsPassword(s->conn))
		return fail_password(s, true, err);
	if (!strncmp(code, "28", 2))
		return fail_identity(s, message, err);
	if (!strcmp(code, "42501"))
		return et_fail_hint(err, EACCES, ET_EXIT_OUTSIDE,
			"ask the owner of the database for the right to connect (GRANT CONNECT)",
			"%s: %s", s->name, message);
	return *code ? describe(s, code, message, err) : fail_unreachable(s, message, err);
}
