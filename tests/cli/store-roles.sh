#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Roles of a central store on a real server: `sync --setup`, and what each role may do, through etalon and
# through psql, which a user has as well.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/postgres.sh
. "$root/tests/postgres.sh"
pg_available || { skip 'roles: the rights of users of a central store' "$pg_why"; done_testing; }
pg_start || { ok 'roles: a server starts' false; done_testing; }

# as USER SQL: executes it in the database of the store
as() { psql -XqAt -v ON_ERROR_STOP=1 "$(pg_url lab "$1")" -c 'SET search_path TO etalon' -c "$2"; }

# denied NAME USER SQL: the server refuses it because of rights
denied()
{
	local text
	text=$(psql -XqAt -v ON_ERROR_STOP=1 -v VERBOSITY=verbose "$(pg_url lab "$2")" \
		-c 'SET search_path TO etalon' -c "$3" 2>&1)
	like "$1" "$text" 'ERROR:  42501:'
}

# --- setting up ---

# The roles do not exist yet, and the owner of this database may not create them.
pg_sql postgres 'CREATE ROLE poor LOGIN; CREATE ROLE boss LOGIN CREATEROLE;
	CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE eve LOGIN; CREATE ROLE rita LOGIN; CREATE ROLE nobody LOGIN'
pg_sql postgres 'CREATE DATABASE poor OWNER poor'
pg_sql postgres 'CREATE DATABASE lab OWNER boss'
gives 4 'setup: an owner who may not create roles gets the statements for the administrator' \
	etalon sync --setup --store "$(pg_url poor poor)"
says 'CREATE ROLE etalon_read NOLOGIN;'
says 'hint: have an administrator execute the statements above'
cp "$dir/out" statements.sql
ok 'setup: the administrator executes the statements' psql -Xq -v ON_ERROR_STOP=1 "$(pg_url postgres)" -f statements.sql
exits 'setup: the owner repeats it after the administrator' 0 etalon sync --setup --store "$(pg_url poor poor)"
pg_sql postgres 'DROP DATABASE poor'
pg_sql postgres 'DROP ROLE etalon_read; DROP ROLE etalon_add; DROP ROLE etalon_edit'

refuses 'setup: another than the owner cannot make a store' 4 'right|permission|denied|may not' \
	etalon sync --setup --store "$(pg_url lab alice)"
exits 'setup: --dry-run succeeds' 0 etalon sync --setup --dry-run --store "$(pg_url lab boss)"
like 'setup: --dry-run prints what it would do' "$out" 'would make the tables'
is 'setup: --dry-run makes nothing' "$(pg_sql lab "SELECT count(*) FROM pg_namespace WHERE nspname = 'etalon'")" 0
exits 'setup: an owner who may create roles needs nobody' 0 etalon sync --setup --store "$(pg_url lab boss)"
like 'setup: it prints how to give rights to users' "$out" 'GRANT etalon_add TO'
exits 'setup: it can be repeated' 0 etalon sync --setup -q --store "$(pg_url lab boss)"
is 'setup: quiet prints nothing' "$out" ''
refuses 'setup: a store in a file has no roles' 2 'no roles' etalon sync --setup --store "$work/store.db"
as boss 'GRANT etalon_add TO alice, bob; GRANT etalon_edit TO eve; GRANT etalon_read TO rita'

# --- through etalon ---

etalon run -q -N -r 3 -w 0 --label kept --json record.json true >/dev/null 2>&1
id=$(python3 -c 'import json; print(json.load(open("record.json"))["id"])')
refuses 'roles: a user without a role cannot read' 4 'permission denied' etalon list --store "$(pg_url lab nobody)"
like 'roles: the hint for a user without a role names it' "$err" 'GRANT etalon_read TO nobody'
exits 'add: a member imports an experiment' 0 etalon import --store "$(pg_url lab alice)" record.json
is 'add: the experiment belongs to the user who added it' \
	"$(as boss "SELECT owner FROM experiment WHERE id = '$id'")" alice
sed -E 's/^( *"id": )"[^"]*"/\1"20991231-000000-abcdef"/; s/("started_wall_ns": )[0-9]+/\14000000000000000000/' \
	record.json >future.json
exits 'label: a member adds an experiment that claims to begin in the future' 0 \
	etalon import --store "$(pg_url lab bob)" future.json
is 'label: it is not the newest of its label' "$(etalon show --json --store "$(pg_url lab rita)" kept | jq -r .id)" "$id"
is 'label: without others it is found' "$(as boss "UPDATE experiment SET label = 'gone' WHERE id = '$id'" &&
	etalon show --json --store "$(pg_url lab rita)" kept | jq -r .id)" 20991231-000000-abcdef
as boss "UPDATE experiment SET label = 'kept' WHERE id = '$id'; DELETE FROM experiment WHERE id = '20991231-000000-abcdef'"
for verb in list "show $id" "export $id" "report -o page.html $id" "compare $id record.json"; do
	# shellcheck disable=SC2086
	exits "read: a member uses ${verb%% *}" 0 etalon $verb --store "$(pg_url lab rita)"
	# shellcheck disable=SC2086
	exits "add: a member uses ${verb%% *}" 0 etalon $verb --store "$(pg_url lab alice)"
done
refuses 'read: a member cannot import' 4 'permission denied' etalon import --store "$(pg_url lab rita)" record.json
like 'read: the hint names the role that may' "$err" 'GRANT etalon_add TO rita'
refuses 'rm: another user cannot remove an experiment' 4 "experiment $id belongs to alice" \
	etalon rm --store "$(pg_url lab bob)" "$id"
like 'rm: the hint names whom to ask' "$err" 'hint: the server says: ask its owner'
refuses 'rm: a user who may remove cannot remove that of another' 4 "belongs to alice" \
	etalon rm --store "$(pg_url lab eve)" "$id"
refuses 'rm: a user who may only add cannot remove' 4 "alice may only add" etalon rm --store "$(pg_url lab alice)" "$id"
refuses 'rm: a user who may only read cannot remove' 4 'permission denied' etalon rm --store "$(pg_url lab rita)" "$id"
exits 'add: an import by two users of different experiments' 0 etalon import --store "$(pg_url lab eve)" \
	<(sed "s/$id/20251115-085506-0000ee/" record.json)
exits 'edit: a member removes an experiment of this user' 0 etalon rm --store "$(pg_url lab eve)" 20251115-085506-0000ee

# --- through psql ---

key=$(as boss "SELECT key FROM experiment WHERE id = '$id'")
before=$(as boss "SELECT md5(string_agg(e::text || s::text, '' ORDER BY s)) FROM experiment e JOIN sample s ON s.experiment = e.key")
sample="INSERT INTO sample (experiment, \"order\", command, arrangement, warmup, marks) VALUES ($key, 99, 0, 'solo', 0, 0)"
new="INSERT INTO experiment (id, started_ns, finished_ns, state, protocol, metric, \"order\", seed, commands, samples)
	VALUES ('$id', 1, 2, 'done', 'cause', 'pt', 'random', 1, 1, 999)"
for user in alice bob eve rita; do
	denied "$user: cannot change an experiment" $user "UPDATE experiment SET label = 'x' WHERE id = '$id'"
	denied "$user: cannot take an experiment over" $user "UPDATE experiment SET owner = '$user' WHERE id = '$id'"
	denied "$user: cannot remove an experiment of another, or may only add" $user "DELETE FROM experiment WHERE id = '$id'"
	denied "$user: cannot add a sample to a stored experiment" $user "$sample"
	denied "$user: cannot add a command to a stored experiment" $user \
		"INSERT INTO command (experiment, number, name, text, argv) VALUES ($key, 7, '', '', '')"
	denied "$user: cannot add a culprit to a stored experiment" $user \
		"INSERT INTO interference (experiment, \"order\", command, number, process) SELECT experiment, \"order\", command, 50, 1 FROM sample LIMIT 1"
	denied "$user: cannot change samples" $user 'UPDATE sample SET et_ns = 1'
	denied "$user: cannot remove samples" $user 'DELETE FROM sample'
	denied "$user: cannot empty a table" $user 'TRUNCATE experiment CASCADE'
	denied "$user: cannot choose a key" $user "INSERT INTO experiment (key) VALUES (99)"
	denied "$user: cannot create tables in the schema of the store" $user 'CREATE TABLE more (x int)'
	denied "$user: cannot create tables in the schema public" $user 'CREATE TABLE public.more (x int)'
	denied "$user: a temporary table does not replace that of the rules" $user \
		"CREATE TEMP TABLE experiment AS SELECT * FROM etalon.experiment; UPDATE pg_temp.experiment SET owner = '$user';
		SET search_path TO pg_temp, etalon; ${sample/INTO sample/INTO etalon.sample}"
	denied "$user: a temporary function does not replace that of the rules" $user \
		"CREATE FUNCTION pg_temp.etalon_is_admin() RETURNS boolean LANGUAGE sql AS 'SELECT true';
		SET search_path TO pg_temp, etalon; $sample"
	denied "$user: cannot replace a function of the rules" $user \
		"CREATE OR REPLACE FUNCTION etalon_is_admin() RETURNS boolean LANGUAGE sql AS 'SELECT true'"
	denied "$user: cannot disable the rules" $user 'ALTER TABLE experiment DISABLE TRIGGER ALL'
	denied "$user: cannot disable the rules for a session" $user 'SET session_replication_role TO replica'
	denied "$user: cannot become the owner" $user 'SET ROLE boss'
	denied "$user: cannot rename processes" $user "INSERT INTO process (name) VALUES ('cron-$user'); UPDATE process SET name = 'x'"
	denied "$user: cannot change the version of the schema" $user 'UPDATE store SET version = 99'
	denied "$user: cannot write to the outbox" $user 'DELETE FROM outbox'
done
denied 'add: an experiment cannot be replaced by one with fewer samples' alice "DELETE FROM experiment WHERE id = '$id'; $new"
as alice "BEGIN; DELETE FROM experiment WHERE id = '$id'; ${new/\'$id\'/\'20251115-085506-0000aa\'}; ROLLBACK"
denied 'add: removing is refused also if constraints are checked at once' alice \
	"BEGIN; SET CONSTRAINTS ALL IMMEDIATE; DELETE FROM experiment WHERE id = '$id'; COMMIT"
is 'add: all these statements changed nothing' "$before" \
	"$(as boss "SELECT md5(string_agg(e::text || s::text, '' ORDER BY s)) FROM experiment e JOIN sample s ON s.experiment = e.key")"
as alice "${new/\'$id\'/\'20251115-085506-0000ab\'}"
is 'add: nobody can add in the name of another' \
	"$(as alice "INSERT INTO experiment (id, started_ns, finished_ns, state, protocol, metric, \"order\", seed, commands, owner)
		VALUES ('20251115-085506-0000ac', 1, 2, 'done', 'cause', 'pt', 'random', 1, 1, 'bob') RETURNING owner")" alice

# --- campaigns ---

as alice "BEGIN; INSERT INTO campaign (id, kind, engine, created_ns, record, owner) VALUES ('20251115-085506-0000ca', 'doe', 'slurm', 1, '{}', 'bob');
	INSERT INTO part (campaign, number, first_round, rounds, state, attempt, generation, failures, changed_ns) SELECT key, 0, 1, 1, 'todo', 0, 0, 0, 1 FROM campaign; COMMIT"
is 'campaign: it belongs to the user who began it' "$(as rita 'SELECT owner FROM campaign')" alice
ok 'campaign: its owner records an attempt' as alice "UPDATE part SET state = 'running', attempt = 1"
denied 'campaign: another user cannot record an attempt' bob "UPDATE part SET attempt = 9"
denied 'campaign: another user cannot add parts' bob \
	"INSERT INTO part (campaign, number, first_round, rounds, state, attempt, generation, failures, changed_ns) SELECT key, 1, 1, 1, 'todo', 0, 0, 0, 1 FROM campaign"
denied 'campaign: its plan cannot be changed' alice "UPDATE part SET rounds = 9"
denied 'campaign: its record cannot be changed' alice "UPDATE campaign SET record = ''"
denied 'campaign: a user who may only add cannot remove it' alice "DELETE FROM campaign"
denied 'campaign: another user cannot remove it' eve "DELETE FROM campaign"
as boss 'GRANT alice TO bob' 2>/dev/null || pg_sql lab 'GRANT alice TO bob'
ok 'campaign: a member of its owner records an attempt' as bob "UPDATE part SET attempt = 2"

# --- the owner of the database ---

exits 'owner: the owner of the database removes an experiment of another' 0 etalon rm --store "$(pg_url lab boss)" "$id"
is 'owner: its samples are removed, too' "$(as boss "SELECT count(*) FROM sample WHERE experiment = $key")" 0
done_testing
