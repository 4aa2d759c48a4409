/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a store: picks the back end by the URL and brings the schema up to date. */
#include "store/core/backend.h"
#include "store/core/cursor.h"
#include "store/postgresql/text.h"

#include <time.h>

extern const struct et_backend et_backend_sqlite; /* store/sqlite/open.c */

#ifdef ET_HAVE_LIBPQ
extern const struct et_backend et_backend_postgresql; /* store/postgresql/open.c */
#else
static int no_postgresql(ET_UNUSED const char *rest, ET_UNUSED enum et_store_mode mode,
	ET_UNUSED const struct et_patience *patience, ET_UNUSED struct et_database **out,
	struct et_error *err)
{
	return et_fail_hint(err, ENOTSUP, ET_EXIT_ENVIRONMENT, "use a file: --store sqlite:PATH",
		"this build has no PostgreSQL store");
}

static const struct et_backend et_backend_postgresql = {
	.name = "PostgreSQL",
	.schemes = et_pg_schemes,
	.central = true,
	.without_secrets = et_pg_url_without_secrets,
	.open = no_postgresql,
};
#endif

/*
 * The first also opens a plain path. To add a row: copy src/store/skeleton.c, which lists the rest:
 * a struct et_backend (backend.h) with values, statements, transactions and the lock. The SQL is
 * shared, and tests/unit/store/conformance.c must pass on it.
 */
static const struct et_backend *const backends[] = { &et_backend_sqlite, &et_backend_postgresql };

bool et_store_kind(size_t i, struct et_store_kind *out)
{
	if (i >= ET_LENGTH(backends))
		return false;
	out->name = backends[i]->name;
	out->version = backends[i]->version ? backends[i]->version() : NULL;
	return true;
}

bool et_store_has_server(void)
{
	bool found = false;

	for (size_t i = 0; i < ET_LENGTH(backends); i++)
		found |= backends[i]->central && backends[i]->version;
	return found;
}

/* "word:…" before any slash is a scheme, so that a mistyped scheme does not create a file. */
static bool has_scheme(const char *url)
{
	size_t len = strcspn(url, ":/");

	return len > 0 && url[len] == ':';
}

/* A bare word may be the name of a database or a mistyped URL: it does not create a file. */
static bool is_path(const char *url)
{
	size_t len = strlen(url);

	return strchr(url, '/') || (len > 3 && !strcmp(url + len - 3, ".db"));
}

/* The part of the URL after a scheme of the back end, or NULL. */
static const char *after_scheme(const struct et_backend *b, const char *url)
{
	for (const char *const *scheme = b->schemes; *scheme; scheme++) {
		size_t len = strlen(*scheme);
		if (!strncmp(url, *scheme, len))
			return url + len;
	}
	return NULL;
}

/* The back end that has the URL's scheme, or NULL. */
static const struct et_backend *backend_of(const char *url)
{
	for (size_t i = 0; i < ET_LENGTH(backends); i++) {
		if (after_scheme(backends[i], url))
			return backends[i];
	}
	return NULL;
}

static int open_database(const char *url, enum et_store_mode mode,
	const struct et_patience *patience, struct et_database **out, struct et_error *err)
{
	const struct et_backend *b = backend_of(url);

	if (b) {
		int rc = b->open(after_scheme(b, url), mode, patience, out, err);
		if (!rc)
			(*out)->central = b->central;
		return rc;
	}
	if (has_scheme(url))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s': no kind of store has that name",
				url),
			"use sqlite:PATH or postgresql://…, or ./%s for a file of that name", url);
	if (!is_path(url))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s' is not the name of a store", url),
			"for a file write sqlite:%s or ./%s; for a server, postgresql://HOST/%s",
			url, url, url);
	return backends[0]->open(url, mode, patience, out, err);
}

/*
 * A central store is used by many, and an older etalon cannot use a newer one: it is migrated when
 * its owner asks for it. An empty database gets the tables at once.
 */
static int check_version(struct et_database *db, struct et_error *err)
{
	int64_t version = 0;
	int rc = db->ops->read_version(db, &version, err);

	if (rc || version == 0 || version >= et_store_schema.version)
		return rc;
	return et_hint(err,
		et_fail(err, EUCLEAN, ET_EXIT_OUTSIDE,
			"%s: the store has schema version %" PRId64 ", this etalon needs %d",
			db->name, version, et_store_schema.version),
		"have its owner run etalon sync --setup --store '%s'; older etalons cannot use it "
		"afterwards",
		db->name);
}

int et_store_open(
	const char *url, enum et_store_mode mode, struct et_store **out, struct et_error *err)
{
	return et_store_open_within(url, mode, &(struct et_patience){ 0 }, out, err);
}

int et_store_open_within(const char *url, enum et_store_mode mode,
	const struct et_patience *patience, struct et_store **out, struct et_error *err)
{
	struct et_database *db = NULL;
	int rc = open_database(url, mode, patience, &db, err);

	if (rc)
		return rc;
	if (db->central && mode != ET_STORE_SETUP)
		rc = check_version(db, err);
	if (!rc)
		rc = et_schema_migrate(db, &et_store_schema, err);
	if (rc) {
		db->ops->close(db);
		return rc;
	}
	struct et_store *s = et_calloc(1, sizeof(*s));
	s->db = db;
	s->url = et_store_url_without_secrets(url);
	*out = s;
	return 0;
}

void et_store_close(struct et_store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < ET_LENGTH(s->statements); i++)
		s->db->ops->finalize(s->statements[i]);
	s->db->ops->close(s->db);
	free(s->url);
	free(s->destination);
	free(s);
}

char *et_store_url_without_secrets(const char *url)
{
	const struct et_backend *b = backend_of(url);

	return b && b->without_secrets ? b->without_secrets(url) : et_strdup(url);
}

bool et_store_url_is_server(const char *url)
{
	const struct et_backend *b = backend_of(url);

	return b && b->central;
}

const char *et_store_url(const struct et_store *s)
{
	return s->url;
}

bool et_store_is_shared(const struct et_store *s)
{
	return s->db->shared;
}

/* A killed etalon, its session and the children that inherited its lock take a moment to end. */
int et_store_claim(struct et_store *s, const char *id, struct et_error *err)
{
	enum { TRIES = 50 };
	const struct timespec pause = { .tv_nsec = 20000000 };
	int rc, tries = 0;

	while ((rc = s->db->ops->claim(s->db, id, err)) == 1 && tries++ < TRIES)
		nanosleep(&pause, NULL);
	if (rc != 1)
		return rc;
	return et_fail_hint(err, EBUSY, ET_EXIT_USAGE,
		"wait until it ends, or stop the etalon that runs it",
		"experiment %s is still running", id);
}

void et_store_release(struct et_store *s)
{
	s->db->ops->release(s->db);
}

int et_store_no_experiment(const struct et_store *s, const char *id, struct et_error *err)
{
	return et_fail_hint(err, ENOENT, ET_EXIT_USAGE,
		"run etalon list to see the experiments in the store", "%s: no experiment '%s'",
		s->db->name, id);
}

int et_store_schema_version(void)
{
	return et_store_schema.version;
}

int et_store_clock(struct et_store *s, int64_t *wall_ns, struct et_error *err)
{
	int64_t us;

	if (!s->db->central)
		return et_fail(
			err, ENOTSUP, ET_EXIT_USAGE, "%s is a file and has no clock", s->db->name);
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_GET_CLOCK, err);
	int rc = et_cursor_step(&c);
	if (rc < 0)
		return rc;
	if (rc == 0 || !et_row_int(&c, 1, INT64_MAX / 1000 - 1, &us))
		return et_fail(
			err, EPROTO, ET_EXIT_OUTSIDE, "%s did not tell its time", s->db->name);
	*wall_ns = us * 1000;
	return 0;
}
