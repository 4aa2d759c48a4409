/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The template of a back end: it has every operation that the store calls without asking, and every
 * word that the SQL of the store needs.
 */
#include "base/base.h"
#include "store/core/backend.h"
#include "tap.h"

#include <errno.h>

extern const struct et_backend et_backend_skeleton;

static struct et_error err;

static void refuses(int rc, const char *what)
{
	ok(rc == -ENOTSUP && err.exit == ET_EXIT_OUTSIDE && err.hint[0] && strstr(err.what, what),
		"skeleton: '%s' fails with what is to be written", what);
	memset(&err, 0, sizeof(err));
}

/* No word of a dialect is left as $word in the text. */
static bool is_complete(const char *text, const struct et_dialect *dialect)
{
	ET_AUTO_FREE char *sql = et_sql_expand(text, dialect);

	return !strchr(sql, '$');
}

static void dialect(const struct et_database_ops *ops)
{
	bool complete = true;

	for (int i = 0; i < et_store_schema.version; i++)
		complete = complete && is_complete(et_store_schema.steps[i], ops->dialect);
	ok(complete, "skeleton: its dialect has every word of the schema");
}

int main(void)
{
	const struct et_patience none = { 0 };
	struct et_database *db = NULL;
	int64_t version = 7;

	ok(et_backend_skeleton.open("", ET_STORE_READ, &none, &db, &err) == -ENOENT && !db,
		"skeleton: a store that is missing is not made to be read");
	if (et_backend_skeleton.open("place", ET_STORE_WRITE, &none, &db, &err))
		tap_bail("%s", err.what);
	const struct et_database_ops *ops = db->ops;
	is_str(db->name, "place", "skeleton: messages name the store");
	struct et_statement *st = NULL;
	refuses(ops->prepare(db, "SELECT 1", &st, &err), "prepare a statement");
	refuses(ops->script(db, "SELECT 1", &err), "execute statements");
	refuses(ops->begin(db, ET_TRANSACTION_WRITE, &err), "begin a transaction");
	refuses(ops->commit(db, &err), "commit");
	refuses(ops->read_version(db, &version, &err), "read the version");
	refuses(ops->write_version(db, 1, &err), "write the version");
	refuses(ops->claim(db, "an id", &err), "lock an experiment");
	refuses(et_schema_migrate(db, &et_store_schema, &err), "the version of the schema");
	ok(!st && version == 7, "skeleton: an operation that fails leaves its results alone");
	ok(!ops->in_transaction(db), "skeleton: no transaction is open after a failed begin");
	ops->rollback(db);
	ops->release(db);
	ops->finalize(NULL);
	dialect(ops);
	ops->close(db);
	return tap_done();
}
