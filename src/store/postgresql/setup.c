/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Roles and rules of a central store in PostgreSQL. Every experiment and campaign belongs to the
 * user who stored it. A member of etalon_read reads everything. A member of etalon_add may also add
 * experiments as a whole, in one transaction, and replace one of their own by a later state, as
 * delivery does; nothing else can be changed. A member of etalon_edit may also remove their own.
 * The owner of the tables, whom the rules call admin, may do anything.
 *
 * Rows of samples come by COPY, which row-level security does not allow. Triggers check them
 * instead: one per statement, because one per row would take longer than the rows themselves. The
 * functions run with the rights of the user; their search path is fixed, so that no temporary table
 * or function of the user takes the place of ours.
 */
#include "store/core/cursor.h"

/* session_user, unlike current_user, cannot be changed by SET ROLE. */
static const char rules[] =
	"SELECT set_config('client_min_messages', 'warning', true);\n"
	"SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);\n"
	/* Superusers are members of every role. */
	"CREATE OR REPLACE FUNCTION etalon_is_admin() RETURNS boolean LANGUAGE sql STABLE\n"
	" SET search_path FROM CURRENT AS $$\n"
	" SELECT pg_has_role(session_user, relowner, 'MEMBER') FROM pg_class\n"
	" WHERE oid = 'experiment'::regclass $$;\n"
	/* GRANT alice TO bob lets bob act for alice, as everywhere in PostgreSQL. */
	"CREATE OR REPLACE FUNCTION etalon_is_own(owner text) RETURNS boolean LANGUAGE sql STABLE\n"
	" SET search_path FROM CURRENT AS $$\n"
	" SELECT owner IS NOT NULL AND (owner = session_user OR EXISTS (SELECT 1 FROM pg_roles\n"
	" WHERE rolname = owner AND pg_has_role(session_user, oid, 'MEMBER'))) $$;\n"
	/* xmin has the lower 32 bits of the number of the transaction that wrote the row. */
	"CREATE OR REPLACE FUNCTION etalon_is_new(writer xid) RETURNS boolean LANGUAGE sql STABLE\n"
	" SET search_path FROM CURRENT AS $$\n"
	" SELECT writer::text = (txid_current() % 4294967296)::text $$;\n"
	"CREATE OR REPLACE FUNCTION etalon_may_remove() RETURNS boolean LANGUAGE sql STABLE\n"
	" SET search_path FROM CURRENT AS $$\n"
	" SELECT etalon_is_admin() OR EXISTS (SELECT 1 FROM pg_roles\n"
	" WHERE rolname = 'etalon_edit' AND pg_has_role(session_user, oid, 'MEMBER')) $$;\n"
	"CREATE OR REPLACE FUNCTION etalon_refuse(what text) RETURNS void LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ BEGIN\n"
	" RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = what,\n"
	" HINT = 'ask its owner, or the owner of the database'; END $$;\n"
	"CREATE OR REPLACE FUNCTION etalon_set_owner() RETURNS trigger LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ BEGIN\n"
	" NEW.owner := session_user;\n"
	" RETURN NEW; END $$;\n"
	/* An experiment is changed only while it is being added. */
	"CREATE OR REPLACE FUNCTION etalon_guard_update() RETURNS trigger LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ BEGIN\n"
	" IF etalon_is_admin() THEN RETURN NEW; END IF;\n"
	" IF NOT etalon_is_own(OLD.owner) THEN\n"
	" PERFORM etalon_refuse(format('experiment %s belongs to %s', OLD.id, OLD.owner));\n"
	" END IF;\n"
	" IF NOT EXISTS (SELECT 1 FROM experiment\n"
	" WHERE key = OLD.key AND etalon_is_new(xmin)) THEN\n"
	" PERFORM etalon_refuse(format('experiment %s is stored and cannot be changed', OLD.id));\n"
	" END IF;\n"
	" IF (NEW.key, NEW.id, NEW.owner) IS DISTINCT FROM (OLD.key, OLD.id, OLD.owner) THEN\n"
	" PERFORM etalon_refuse(format('the id and owner of experiment %s cannot be changed', "
	"OLD.id));\n"
	" END IF;\n"
	" RETURN NEW; END $$;\n"
	"CREATE OR REPLACE FUNCTION etalon_guard_delete() RETURNS trigger LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ BEGIN\n"
	" IF NOT etalon_is_admin() AND NOT etalon_is_own(OLD.owner) THEN\n"
	" PERFORM etalon_refuse(format('%s %s belongs to %s', TG_TABLE_NAME, OLD.id, OLD.owner));\n"
	" END IF;\n"
	" RETURN OLD; END $$;\n"
	/* Deferred to the end of the transaction, which has added the later state by then. */
	"CREATE OR REPLACE FUNCTION etalon_guard_replacement() RETURNS trigger LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ BEGIN\n"
	" IF NOT etalon_may_remove() AND NOT EXISTS (SELECT 1 FROM experiment e WHERE e.id = "
	"OLD.id\n"
	" AND (SELECT count(*) FROM sample s WHERE s.experiment = e.key) >= OLD.samples) THEN\n"
	" PERFORM etalon_refuse(format('%s may only add experiments, not remove %s',\n"
	" session_user, OLD.id));\n"
	" END IF;\n"
	" RETURN NULL; END $$;\n"
	/* For each table of which the rows belong to an experiment. */
	"CREATE OR REPLACE FUNCTION etalon_guard_rows() RETURNS trigger LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ DECLARE other text; BEGIN\n"
	" IF etalon_is_admin() THEN RETURN NULL; END IF;\n"
	" SELECT coalesce(e.id, '?') INTO other FROM (SELECT DISTINCT experiment FROM added) a\n"
	" LEFT JOIN experiment e ON e.key = a.experiment\n"
	" WHERE e.key IS NULL OR NOT etalon_is_new(e.xmin) OR NOT etalon_is_own(e.owner)\n"
	" LIMIT 1;\n"
	" IF FOUND THEN\n"
	" PERFORM etalon_refuse(format('experiment %s is stored: no %s can be added', other,\n"
	" TG_TABLE_NAME));\n"
	" END IF;\n"
	" RETURN NULL; END $$;\n"
	"CREATE OR REPLACE FUNCTION etalon_guard_changes() RETURNS trigger LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ DECLARE other text; BEGIN\n"
	" IF etalon_is_admin() THEN RETURN NULL; END IF;\n"
	" SELECT coalesce(e.id, '?') INTO other FROM (SELECT experiment FROM added\n"
	" UNION SELECT experiment FROM replaced) a\n"
	" LEFT JOIN experiment e ON e.key = a.experiment\n"
	" WHERE e.key IS NULL OR NOT etalon_is_new(e.xmin) OR NOT etalon_is_own(e.owner)\n"
	" LIMIT 1;\n"
	" IF FOUND THEN\n"
	" PERFORM etalon_refuse(format('experiment %s is stored: its %s cannot be changed', "
	"other,\n"
	" TG_TABLE_NAME));\n"
	" END IF;\n"
	" RETURN NULL; END $$;\n"
	/* The parts of a campaign change while it runs: its owner records attempts and results. */
	"CREATE OR REPLACE FUNCTION etalon_guard_part() RETURNS trigger LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ DECLARE c record; BEGIN\n"
	" IF etalon_is_admin() THEN RETURN NEW; END IF;\n"
	" SELECT id, owner, etalon_is_new(xmin) AS fresh INTO c FROM campaign\n"
	" WHERE key = NEW.campaign;\n"
	" IF NOT FOUND OR NOT etalon_is_own(c.owner) OR (TG_OP = 'INSERT' AND NOT c.fresh) THEN\n"
	" PERFORM etalon_refuse(format('campaign %s belongs to %s', c.id, c.owner));\n"
	" END IF;\n"
	" IF TG_OP = 'UPDATE' AND (NEW.campaign, NEW.number) IS DISTINCT FROM\n"
	" (OLD.campaign, OLD.number) THEN\n"
	" PERFORM etalon_refuse('the number of a part cannot be changed');\n"
	" END IF;\n"
	" RETURN NEW; END $$;\n"
	/* Names are shared: adding one that exists is allowed and changes nothing. */
	"CREATE OR REPLACE FUNCTION etalon_guard_process() RETURNS trigger LANGUAGE plpgsql\n"
	" SET search_path FROM CURRENT AS $$ BEGIN\n"
	" IF NEW IS DISTINCT FROM OLD AND NOT etalon_is_admin() THEN\n"
	" PERFORM etalon_refuse('the names of processes cannot be changed');\n"
	" END IF;\n"
	" RETURN NEW; END $$;\n"
	"DO $$ DECLARE t record; BEGIN\n"
	" FOR t IN SELECT c.oid::regclass AS name, g.tgname AS guard FROM pg_trigger g JOIN "
	"pg_class c\n"
	" ON c.oid = g.tgrelid WHERE c.relnamespace = current_schema()::regnamespace\n"
	" AND g.tgname LIKE 'etalon\\_%' AND NOT g.tgisinternal LOOP\n"
	" EXECUTE format('DROP TRIGGER %I ON %s', t.guard, t.name);\n"
	" END LOOP;\n"
	" FOR t IN SELECT c.oid::regclass AS name FROM pg_class c JOIN pg_attribute a\n"
	" ON a.attrelid = c.oid WHERE c.relnamespace = current_schema()::regnamespace\n"
	" AND c.relkind = 'r' AND a.attname = 'experiment' AND a.atttypid = 'int8'::regtype LOOP\n"
	" EXECUTE format('CREATE TRIGGER etalon_add AFTER INSERT ON %s REFERENCING NEW TABLE AS "
	"added'\n"
	" ' FOR EACH STATEMENT EXECUTE FUNCTION etalon_guard_rows()', t.name);\n"
	" EXECUTE format('CREATE TRIGGER etalon_change AFTER UPDATE ON %s REFERENCING NEW TABLE AS "
	"added'\n"
	" ' OLD TABLE AS replaced FOR EACH STATEMENT EXECUTE FUNCTION etalon_guard_changes()', "
	"t.name);\n"
	" END LOOP; END $$;\n"
	"CREATE TRIGGER etalon_owner BEFORE INSERT ON experiment FOR EACH ROW\n"
	" EXECUTE FUNCTION etalon_set_owner();\n"
	"CREATE TRIGGER etalon_change BEFORE UPDATE ON experiment FOR EACH ROW\n"
	" EXECUTE FUNCTION etalon_guard_update();\n"
	"CREATE TRIGGER etalon_remove BEFORE DELETE ON experiment FOR EACH ROW\n"
	" EXECUTE FUNCTION etalon_guard_delete();\n"
	"CREATE CONSTRAINT TRIGGER etalon_replace AFTER DELETE ON experiment\n"
	" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION etalon_guard_replacement();\n"
	"CREATE TRIGGER etalon_owner BEFORE INSERT ON campaign FOR EACH ROW\n"
	" EXECUTE FUNCTION etalon_set_owner();\n"
	"CREATE TRIGGER etalon_remove BEFORE DELETE ON campaign FOR EACH ROW\n"
	" EXECUTE FUNCTION etalon_guard_delete();\n"
	"CREATE TRIGGER etalon_part BEFORE INSERT OR UPDATE ON part FOR EACH ROW\n"
	" EXECUTE FUNCTION etalon_guard_part();\n"
	"CREATE TRIGGER etalon_change BEFORE UPDATE ON process FOR EACH ROW\n"
	" EXECUTE FUNCTION etalon_guard_process();\n";

/* Fails silently without the right to create roles: the caller looks whether they exist. */
static const char roles[] =
	"DO $$ DECLARE pair text[]; BEGIN\n"
	" FOREACH pair SLICE 1 IN ARRAY ARRAY[['etalon_read', ''], ['etalon_add', 'etalon_read'],\n"
	" ['etalon_edit', 'etalon_add']] LOOP\n"
	" IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = pair[1]) THEN\n"
	" EXECUTE format('CREATE ROLE %I NOLOGIN', pair[1]);\n"
	" END IF;\n"
	" IF pair[2] <> '' AND NOT pg_has_role(pair[1], pair[2], 'MEMBER') THEN\n"
	" EXECUTE format('GRANT %I TO %I', pair[2], pair[1]);\n"
	" END IF;\n"
	" END LOOP;\n"
	"EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL; "
	"END $$;\n";

/*
 * Keys are assigned by sequences, and no user may choose them. Of a part, only the figures of its
 * progress change. The outbox is used in files alone.
 */
static const char grants[] =
	"SELECT set_config('client_min_messages', 'error', true);\n"
	"DO $$ DECLARE s text := current_schema(); t record; BEGIN\n"
	" EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', s);\n"
	" EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I'\n"
	" ' FROM PUBLIC, etalon_read, etalon_add, etalon_edit', s);\n"
	" EXECUTE format('GRANT CONNECT ON DATABASE %I TO etalon_read', current_database());\n"
	" EXECUTE format('GRANT USAGE ON SCHEMA %I TO etalon_read', s);\n"
	" EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO etalon_read', s);\n"
	" FOR t IN SELECT c.oid::regclass AS name, string_agg(quote_ident(attname), ', ') AS "
	"added,\n"
	" string_agg(quote_ident(attname), ', ') FILTER (WHERE relname = 'part' AND attname NOT "
	"IN\n"
	" ('campaign', 'number', 'node', 'first_round', 'rounds')) AS changed\n"
	" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND attnum > 0 AND NOT "
	"attisdropped\n"
	" WHERE relnamespace = s::regnamespace AND relkind = 'r' AND relname NOT IN ('store', "
	"'outbox')\n"
	" AND NOT (attname = 'key' AND relname IN ('experiment', 'campaign', 'process'))\n"
	" GROUP BY c.oid LOOP\n"
	" EXECUTE format('GRANT INSERT (%s) ON %s TO etalon_add', t.added, t.name);\n"
	" IF t.changed <> '' THEN\n"
	" EXECUTE format('GRANT UPDATE (%s) ON %s TO etalon_add', t.changed, t.name);\n"
	" END IF;\n"
	" END LOOP; END $$;\n"
	"GRANT UPDATE, DELETE ON experiment TO etalon_add;\n"
	"GRANT UPDATE ON profile, profile_calls, machine, fact, process TO etalon_add;\n"
	"GRANT DELETE ON campaign, fact TO etalon_edit;\n";

const char et_setup_roles[] = "CREATE ROLE etalon_read NOLOGIN;\n"
			      "CREATE ROLE etalon_add NOLOGIN IN ROLE etalon_read;\n"
			      "CREATE ROLE etalon_edit NOLOGIN IN ROLE etalon_add;\n";

static int count_members(struct et_store *s, uint64_t *out, struct et_error *err)
{
	ET_AUTO_CURSOR struct et_cursor c = et_cursor_open(s, ET_SQL_COUNT_ROLES, err);
	int rc = et_cursor_step(&c);

	*out = rc == 1 ? et_row_count_or_zero(&c) : 0;
	return rc < 0 ? rc : 0;
}

static int take_steps(struct et_store *s, bool *have_roles, struct et_error *err)
{
	struct et_database *db = s->db;
	uint64_t members = 0;
	int rc = db->ops->script(db, rules, err);

	if (!rc)
		rc = db->ops->script(db, roles, err);
	if (!rc)
		rc = count_members(s, &members, err);
	if (!rc && members >= 2)
		rc = db->ops->script(db, grants, err);
	*have_roles = members >= 2;
	return rc ? rc : db->ops->commit(db, err);
}

int et_store_setup(struct et_store *s, bool *have_roles, struct et_error *err)
{
	struct et_database *db = s->db;

	if (!db->central)
		return et_refuse(err, "name a central store: --store postgresql://HOST/DATABASE",
			"%s: a store in a file has no roles to set up", db->name);
	int rc = et_store_flush(s, err);
	if (!rc)
		rc = db->ops->begin(db, ET_TRANSACTION_WRITE, err);
	if (rc)
		return rc;
	rc = take_steps(s, have_roles, err);
	if (rc && db->ops->in_transaction(db))
		db->ops->rollback(db);
	return rc;
}
