/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens a store in a database of PostgreSQL. Its tables are in a schema of their own, so that the
 * database may have others. libpq reads the URL, and with it service files, password files and the
 * variables PGHOST, PGPASSFILE, PGSSLMODE and so on.
 */
#include "base/hash.h"
#include "store/postgresql/pg.h"

#include <assert.h>
#include <dlfcn.h>

/* Locks: a migration has this pair of numbers ("etal"), an experiment the hash of its id. */
#define LOCK_MIGRATION "pg_advisory_xact_lock(1702126956, 1)"

/* --- the library --- */

struct et_pq et_pq;

static int fail_library(const char *what, struct et_error *err)
{
	return et_fail_hint(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
		"install it (apt-get install libpq5), or use a file: --store sqlite:PATH",
		"libpq, the client library of PostgreSQL, cannot be loaded: %s", what);
}

/* Loads libpq, once. -ENOTSUP: this machine does not have it. */
static int load_library(struct et_error *err)
{
#define NAME(function) #function,
	static const char *const names[] = { ET_PQ_FUNCTIONS(NAME) };
	void *found[ET_LENGTH(names)];

	if (et_pq.PQlibVersion)
		return 0;
	/* It is never unloaded: OpenSSL, which it uses, registers functions for the exit. */
	void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return fail_library(dlerror(), err);
	for (size_t i = 0; i < ET_LENGTH(names); i++) {
		found[i] = dlsym(library, names[i]);
		if (!found[i])
			return fail_library(dlerror(), err);
	}
	_Static_assert(sizeof(found) == sizeof(et_pq), "every member is the address of a function");
	memcpy(&et_pq, found, sizeof(et_pq));
	return 0;
}

/* --- the connection --- */

/* NULL: it has none. */
static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
	for (; options && options->keyword; options++) {
		if (!strcmp(options->keyword, keyword))
			return options->val && *options->val ? options->val : NULL;
	}
	return NULL;
}

/* Settings before dbname are defaults. A connection without answer for a minute counts as lost. */
static int connect_or_fail(struct et_pg *s, const char *url, struct et_error *err)
{
	static const char *const names[] = { "fallback_application_name", "client_encoding",
		"keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
		"dbname", NULL };
	const char *const values[] = { "etalon", "UTF8", "30", "10", "3", "60000", url, NULL };

	return et_pg_connect(s, names, values) ? 0 : et_pg_fail_connecting(s, err);
}

static int check_server(struct et_pg *s, struct et_error *err)
{
	const char *encoding = et_pq.PQparameterStatus(s->conn, "server_encoding");
	int version = et_pq.PQserverVersion(s->conn);

	if (version < ET_PG_OLDEST)
		return et_hint(err,
			et_fail(err, ENOTSUP, ET_EXIT_OUTSIDE,
				"%s: the server is PostgreSQL %d, which is not supported", s->name,
				version / 10000),
			"use a server of version %d or newer", ET_PG_OLDEST / 10000);
	if (encoding && strcmp(encoding, "UTF8") && strcmp(encoding, "SQL_ASCII"))
		return et_fail_hint(err, EILSEQ, ET_EXIT_OUTSIDE,
			"make one with createdb --encoding=UTF8 --template=template0 NAME",
			"%s: the database has the encoding %s, which cannot represent all "
			"texts",
			s->name, encoding);
	return 0;
}

/*
 * Our tables only, and never those that another user of the database has made elsewhere. The server
 * ends the session of a machine that has vanished, and with it the locks of the session.
 */
static int set_up_session(struct et_pg *s, struct et_error *err)
{
	return et_pg_script(&s->base,
		"SET search_path TO etalon, pg_temp; SET standard_conforming_strings TO on;"
		" SET lock_timeout TO '30s'; SET tcp_keepalives_idle TO 60;"
		" SET tcp_keepalives_interval TO 10; SET tcp_keepalives_count TO 6",
		err);
}

/* --- the version of the schema --- */

static int refuse_foreign(struct et_pg *s, bool in_schema, struct et_error *err)
{
	if (in_schema)
		return et_fail_hint(err, EINVAL, ET_EXIT_OUTSIDE, "name another database",
			"%s: the schema etalon has tables of another program, not a store",
			s->name);
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_OUTSIDE,
			"%s: the database has tables of another program, and no store", s->name),
		"name another database; or to add a store to this one, run etalon sync --setup "
		"--store '%s'",
		s->name);
}

/* Counts the tables, views and the like of the named schema, or of all others. */
static int count_tables(struct et_pg *s, bool ours, int64_t *out, struct et_error *err)
{
	ET_AUTO_FREE char *sql = et_asprintf(
		"SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
		" ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')"
		" AND n.nspname %s",
		ours ? "= 'etalon'"
		     : "NOT IN ('etalon', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'");

	return et_pg_read_int(s, sql, out, err);
}

/*
 * The usual case, in one message. It fails if there is no store, which would end a transaction, or
 * if the user may not read it: the caller finds out which.
 */
static bool find_version(struct et_pg *s, int64_t *version)
{
	if (s->open)
		return false;
	PGresult *result = et_pg_query(s, "SELECT version FROM etalon.store WHERE version > 0");
	bool found =
		et_pq.PQresultStatus(result) == PGRES_TUPLES_OK && et_pq.PQntuples(result) == 1;

	if (found)
		*version = strtoll(et_pq.PQgetvalue(result, 0, 0), NULL, 10);
	et_pq.PQclear(result);
	return found;
}

int et_pg_read_version(struct et_database *db, int64_t *version, struct et_error *err)
{
	struct et_pg *s = et_pg_of(db);
	int64_t tables = 0, others = 0, there = 0, found = 0;

	if (find_version(s, version))
		return 0;
	int rc = count_tables(s, true, &tables, err);

	if (!rc && tables)
		rc = et_pg_read_int(
			s, "SELECT (to_regclass('etalon.store') IS NOT NULL)::int", &there, err);
	if (!rc && there)
		rc = et_pg_read_int(s, "SELECT version FROM etalon.store", &found, err);
	if (!rc && !tables && s->mode == ET_STORE_WRITE)
		rc = count_tables(s, false, &others, err);
	if (rc)
		return rc;
	if ((tables && found < 1) || others)
		return refuse_foreign(s, tables, err);
	*version = found;
	return 0;
}

int et_pg_begin_migration(struct et_database *db, struct et_error *err)
{
	et_pg_of(db)->migrating = true;
	return et_pg_script(
		db, "SELECT " LOCK_MIGRATION "; CREATE SCHEMA IF NOT EXISTS etalon", err);
}

int et_pg_write_version(struct et_database *db, int version, struct et_error *err)
{
	char sql[200];

	snprintf(sql, sizeof(sql),
		"CREATE TABLE IF NOT EXISTS store (version bigint NOT NULL);"
		" DELETE FROM store; INSERT INTO store (version) VALUES (%d)",
		version);
	return et_pg_script(db, sql, err);
}

/* --- locks of experiments --- */

static int lock(
	struct et_pg *s, const char *function, int64_t key, int64_t *out, struct et_error *err)
{
	char sql[96];

	snprintf(sql, sizeof(sql), "SELECT %s(%" PRId64 ")::int", function, key);
	return et_pg_read_int(s, sql, out, err);
}

int et_pg_claim(struct et_database *db, const char *id, struct et_error *err)
{
	struct et_pg *s = et_pg_of(db);
	int64_t locked = 0;

	assert(!s->claimed);
	s->claim = (int64_t)et_hash_text(id);
	int rc = lock(s, "pg_try_advisory_lock", s->claim, &locked, err);
	s->claimed = locked;
	return rc ? rc : !locked;
}

/* If it fails, the connection is lost, and the lock with it. */
void et_pg_release(struct et_database *db)
{
	struct et_pg *s = et_pg_of(db);
	int64_t unlocked;

	if (s->claimed)
		(void)!lock(s, "pg_advisory_unlock", s->claim, &unlocked, NULL);
	s->claimed = false;
}

/* --- opening --- */

/* Several hosts may have several ports, separated by commas; one that is empty is the usual one. */
static bool ports_are_valid(const PQconninfoOption *options)
{
	const char *text = value_of(options, "port");

	for (; text && *text; text += *text == ',') {
		char *end = NULL;
		long port = *text == ',' ? 1 : strtol(text, &end, 10);
		if (port < 1 || port > 65535 || (end && *end && *end != ','))
			return false;
		text = end ? end : text;
	}
	return true;
}

/* libpq's message about a bad URL may quote any part of it, also of the password. */
static int check_url(const char *url, const char *name, struct et_error *err)
{
	char *message = NULL;

	if (et_pg_url_is_ambiguous(url))
		return et_refuse(err,
			"write @ as %40 and / as %2F there, or keep the password in ~/.pgpass",
			"%s: the name or password in the URL has an @ or a slash", name);
	PQconninfoOption *options = et_pq.PQconninfoParse(url, &message);
	bool secret = strcmp(url, name) != 0, good = options;

	if (!good) {
		ET_AUTO_FREE char *why = et_pg_one_line(message ? message : "out of memory");
		et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "%s: the URL is not valid%s%s", name,
				secret ? "" : ": ", secret ? "" : why),
			secret ? "write @ / : and %% in a password as %%40 %%2F %%3A %%25, or keep "
				 "it in ~/.pgpass"
			       : "write it as postgresql://USER@HOST:PORT/NAME");
	}
	if (good && !ports_are_valid(options)) {
		good = false;
		et_refuse(err, "write it as postgresql://USER@HOST:PORT/NAME",
			"%s: the port is no number of 1…65535", name);
	}
	et_pq.PQconninfoFree(options);
	et_pq.PQfreemem(message);
	return good ? 0 : -EINVAL;
}

static int open_session(struct et_pg *s, const char *url, struct et_error *err)
{
	int64_t version = 0;
	int rc = connect_or_fail(s, url, err);

	if (!rc)
		rc = check_server(s, err);
	if (!rc)
		rc = set_up_session(s, err);
	if (!rc && s->mode == ET_STORE_READ)
		rc = et_pg_read_version(&s->base, &version, err);
	if (rc || version || s->mode != ET_STORE_READ)
		return rc;
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_OUTSIDE, "%s: there is no store yet", s->name),
		"make one: etalon sync --setup --store '%s'", s->name);
}

static int open_pg(const char *rest, enum et_store_mode mode, const struct et_patience *patience,
	struct et_database **out, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_asprintf("postgresql://%s", rest);
	char *name = et_pg_url_without_secrets(url);
	int rc = load_library(err);

	if (!rc)
		rc = check_url(url, name, err);
	if (rc) {
		free(name);
		return rc;
	}
	struct et_pg *s = et_calloc(1, sizeof(*s));
	s->name = name;
	s->mode = mode;
	s->patience = *patience;
	s->base = (struct et_database){ .ops = &et_pg_ops, .name = s->name, .shared = true };
	rc = open_session(s, url, err);
	if (rc) {
		s->base.ops->close(&s->base);
		return rc;
	}
	*out = &s->base;
	return 0;
}

static const char *version(void)
{
	static _Thread_local char text[24];
	struct et_error ignored;

	if (load_library(&ignored))
		return NULL;
	int v = et_pq.PQlibVersion();

	snprintf(text, sizeof(text), "%d.%d", v / 10000, v % 10000);
	return text;
}

const struct et_backend et_backend_postgresql = {
	.name = "PostgreSQL",
	.schemes = et_pg_schemes,
	.central = true,
	.without_secrets = et_pg_url_without_secrets,
	.version = version,
	.open = open_pg,
};
