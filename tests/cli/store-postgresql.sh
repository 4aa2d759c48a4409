#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A store on a PostgreSQL server: commands give what they give with a file, each failure of the server
# has its exit status and cure, and passwords are seen by nobody else.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/postgres.sh
. "$root/tests/postgres.sh"
# shellcheck disable=SC2154 # set by pg_available
pg_available || { skip 'a store on a server' "$pg_why"; done_testing; }
: "${KEEP_HOSTILE:=$root/build/tests/cli/keep-hostile}"
unset PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGPASSFILE PGSERVICE PGCONNECT_TIMEOUT PGSSLMODE
pg_start tcp max_connections=12 superuser_reserved_connections=1 ||
	{ tap_report 1 'server: it starts'; done_testing; }
pg_create lab
lab=$(pg_url lab)
file=sqlite:$work/file.db

# --- the same as with a file ---

refuses 'read: a database without a store is an error with a cure' 4 'nothing is stored yet' \
	etalon show --store "$lab"
like 'read: the cure of a database without a store is to prepare it' "$err" 'hint: .*etalon sync --setup --store'
exits 'list: a database without a store is an empty list' 0 etalon list --store "$lab"
like 'list: the hint for a database without a store is to prepare it' "$err" 'hint: .*etalon sync --setup --store'
"$KEEP_SPECIMEN" "$file" known
"$KEEP_SPECIMEN" "$lab" known
pg_create hostile
"$KEEP_HOSTILE" "$file-hostile"
"$KEEP_HOSTILE" "$(pg_url hostile)"
# same LABEL FILE SERVER: commands print the same of the newest experiment of both
same()
{
	local command
	for command in export show 'show -v' 'show --json' report list 'list --json'; do
		# shellcheck disable=SC2086 # a command and its option
		etalon $command --store "$2" 2>&1 | sed "s|$2|STORE|g" >from-file
		# shellcheck disable=SC2086
		etalon $command --store "$3" 2>&1 | sed "s|$3|STORE|g" >from-server
		ok "$command: $1 from the server is that from the file, byte for byte" cmp from-file from-server
		ok "$command: $1 is not empty" test -s from-server
	done
}
same 'an experiment' "$file" "$lab"
same 'an experiment with hostile texts' "$file-hostile" "$(pg_url hostile)"
seq 100 140 >slow
seq 90 130 >fast
exits 'import: a file is imported into the server' 0 etalon import --store "$lab" --label slow slow
etalon import --store "$lab" --label fast fast >/dev/null
exits 'compare: two experiments of the server' 0 etalon compare --store "$lab" slow fast
like 'compare: they differ' "$out" 'slow'
etalon export --store "$lab" slow >slow.json
exits 'rm: an experiment is removed' 0 etalon rm --store "$lab" slow
refuses 'rm: it is gone' 2 'slow' etalon show --store "$lab" slow
is 'rm: its samples are gone, too' "$(pg_sql lab "SELECT count(*) FROM etalon.sample s
	LEFT JOIN etalon.experiment e ON e.key = s.experiment WHERE e.key IS NULL")" 0
exits 'import: the exported record is imported again' 0 etalon import --store "$lab" slow.json
etalon export --store "$lab" slow >again.json
ok 'import: export gives the same record' cmp slow.json again.json

# Names and arguments that are not UTF-8, the extremes of numbers
printf '#!/bin/sh\n:\n' >$'odd\xff\x80'
chmod +x $'odd\xff\x80'
etalon run -q -r 2 -w 0 --store "$file" --label $'la\xffbel' -- ./$'odd\xff\x80' $'a\xf4\x8f\xba\x80b' >/dev/null 2>&1
exits 'sync --from: it is copied from the file to the server' 0 etalon sync --from "$file" --store "$lab" $'la\xffbel'
etalon export --store "$file" $'la\xffbel' >odd-file
etalon export --store "$lab" $'la\xffbel' >odd-server
ok 'bytes: a name that is not UTF-8 comes back from the server byte for byte' cmp odd-file odd-server

# --- passwords ---

pg_sql postgres "CREATE ROLE alice LOGIN PASSWORD 'hunter2pass'; GRANT CREATE ON DATABASE lab TO alice"
pg_hba 'local all postgres trust' 'host all alice 127.0.0.1/32 scram-sha-256' \
	'host lab carol 127.0.0.1/32 trust' 'host all bob 127.0.0.1/32 trust'
wait_until "! etalon list --store '$(pg_tcp_url lab)' >/dev/null 2>&1"
pg_create alices
pg_sql postgres 'ALTER DATABASE alices OWNER TO alice'
secret=$(pg_tcp_url alices alice:hunter2pass)
public=$(pg_tcp_url alices alice)
exits 'password: one in the URL is taken' 0 etalon import --store "$secret" --label mine slow
unlike 'password: import does not print it' "$out$err" hunter2
for command in 'show mine' 'list' 'show nosuch' 'export nosuch' 'rm nosuch' 'show -v mine' 'list nosuch operand' \
	'report mine'; do
	# shellcheck disable=SC2086 # words
	run etalon $command --store "$secret"
	unlike "password: '$command' does not print it" "$out$err" hunter2
done
is 'password: the store has it in no table' "$(pg_sql alices "SELECT count(*) FROM etalon.experiment e
	WHERE e::text LIKE '%hunter2%'")" 0
mkfifo waiting
etalon import --store "$secret" waiting >/dev/null 2>&1 &
pid=$!
# In this order: before it is etalon, it is the shell, whose words show no password, either.
wait_until "grep -aq import /proc/$pid/cmdline && ! grep -aq hunter2 /proc/$pid/cmdline"
holds $? 'password: the arguments of the process do not show it'
like 'password: they show the rest of the URL' "$(tr '\0' ' ' <"/proc/$pid/cmdline")" "$public"
unlike 'password: ps does not show it' "$(ps -ww -o args= -p "$pid")" hunter2
kill "$pid"
wait "$pid" 2>/dev/null
PGPASSWORD=hunter2pass ETALON_SPOOL=$work/spool.db run etalon run -q -r 1 -w 0 --store "$public" \
	--output seen -- env
unlike 'password: the measured program does not get PGPASSWORD' "$(cat seen)" 'hunter2|PGPASS|ETALON_STORE'
is 'password: the experiment was delivered all the same' "$(PGPASSWORD=hunter2pass etalon list --json --store \
	"$public" | jq length)" 2
# Prints the variables with which each etalon began that is an ancestor of the measured program.
cat >look <<-'EOF'
	#!/bin/sh
	pid=$PPID
	while [ "$(cat /proc/$pid/comm)" = etalon ]; do
		echo seen
		tr '\0' '\n' <"/proc/$pid/environ"
		pid=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$pid/status)
	done
EOF
chmod +x look
PGPASSWORD=hunter2pass ETALON_SPOOL=$work/spool.db run etalon run -q -r 1 -w 0 --store "$public" --output seen -- ./look
like 'password: the measured program reads the variables that etalon began with' "$(cat seen)" 'seen.*PATH='
unlike 'password: it does not find PGPASSWORD there' "$(cat seen)" hunter2
is 'password: libpq has it, and the experiment was delivered' "$status$err" 0
PGPASSWORD=kept run etalon run -q -r 1 -w 0 --store "$file" --output seen -- env
like 'password: with a file as the store, the program keeps its PGPASSWORD' "$(cat seen)" PGPASSWORD=kept
ETALON_SPOOL=$work/spool2.db run etalon run -r 1 -w 0 --store "$secret" --json record -- true
unlike 'password: run prints and records it nowhere' "$out$err$(cat record)$(tr -d '\0' <spool2.db)" hunter2
echo "127.0.0.1:$pg_port:*:alice:hunter2pass" >passes
chmod 600 passes
PGPASSFILE=$work/passes exits 'password: PGPASSFILE is used' 0 etalon list --store "$public"
printf '[central]\nhost=127.0.0.1\nport=%s\ndbname=alices\nuser=alice\n' "$pg_port" >services
PGSERVICEFILE=$work/services PGPASSFILE=$work/passes exits 'service: a service file is used' 0 \
	etalon list --store 'postgresql://?service=central'
PGSERVICEFILE=$work/services refuses 'service: an unknown service is named' 4 'nosuch' \
	etalon list --store 'postgresql://?service=nosuch'
exits 'hosts: the second of two hosts is used if the first does not answer' 0 etalon list --store \
	"postgresql://alice:hunter2pass@127.0.0.1:1,127.0.0.1:$pg_port/alices"
# --- failures ---

# cures NAME REGEX HINT-REGEX COMMAND…: exit status 4, one line, and a hint; never a password
cures()
{
	local name=$1 regex=$2 hint=$3
	shift 3
	refuses "$name: exit status 4 and one line" 4 "$regex" "$@"
	like "$name: the hint is the cure" "$(sed -n 's/^hint: //p' "$work/.err")" "$hint"
	unlike "$name: no password" "$err" 'hunter2'
}
list=(etalon list --store)
refuses 'a port that is no number is wrong usage' 2 'port is no number' "${list[@]}" postgresql://127.0.0.1:xx/lab
refuses 'a port beyond 65535 is wrong usage' 2 'port is no number' "${list[@]}" postgresql://127.0.0.1:65536/lab
cures 'unknown host' 'nosuch.invalid/lab: the host is unknown$' 'name of the host' "${list[@]}" postgresql://nosuch.invalid/lab
cures 'no server' '127.0.0.1:1/lab: no server answers there$' 'start the server' "${list[@]}" postgresql://127.0.0.1:1/lab
cures 'no socket' 'no server answers' 'socket' "${list[@]}" "postgresql:///lab?host=$work"
cures 'wrong password' 'refused the password' 'pgpass' "${list[@]}" "$(pg_tcp_url alices alice:hunter2wrong)"
cures 'no password' 'wants a password' 'pgpass' "${list[@]}" "$public"
echo '*:*:*:*:hunter2pass' >open-passes
chmod 644 open-passes
run env PGPASSFILE="$work/open-passes" "${list[@]/#etalon/$ETALON}" "$public"
like 'a password file that others can read: the hint is chmod' "$err" "hint: run 'chmod 600 $work/open-passes'"
cures 'missing role' 'nosuchrole' 'pg_hba|createuser|role' "${list[@]}" "$(pg_tcp_url lab nosuchrole)"
cures 'no entry in pg_hba.conf' 'pg_hba.conf' 'administrator' "${list[@]}" "$(pg_tcp_url alices carol)"
cures 'role in pg_hba.conf that does not exist' 'bob' 'createuser' "${list[@]}" "$(pg_tcp_url alices bob)"
cures 'missing database' "no database 'nosuch'" 'createdb .* -U alice nosuch; etalon sync --setup' \
	"${list[@]}" "$(pg_tcp_url nosuch alice:hunter2pass)"
pg_sql postgres "CREATE ROLE bob LOGIN; CREATE ROLE carol LOGIN"
cures 'no rights to read' 'permission denied' 'GRANT etalon_read' "${list[@]}" "$(pg_tcp_url lab bob)"
pg_create empty
pg_sql empty 'REVOKE CREATE ON DATABASE empty FROM PUBLIC'
cures 'no rights to make a store' 'may not' 'etalon sync --setup' \
	etalon import --store "$(pg_tcp_url empty bob)" slow
pg_sql alices 'UPDATE etalon.store SET version = version + 1'
cures 'newer schema' 'schema version' 'newer etalon' "${list[@]}" "$secret"
pg_sql alices 'UPDATE etalon.store SET version = version - 2'
pg_sql alices 'GRANT USAGE ON SCHEMA etalon TO bob; GRANT SELECT ON ALL TABLES IN SCHEMA etalon TO bob'
cures 'older schema that may not be migrated' 'schema version' 'sync --setup' "${list[@]}" "$(pg_tcp_url alices bob)"
pg_sql alices 'UPDATE etalon.store SET version = version + 1'
pg_sql postgres 'ALTER DATABASE alices SET default_transaction_read_only = on'
cures 'read-only database' 'read-only' 'primary|target_session' etalon import --store "$secret" --label ro slow
pg_sql postgres 'ALTER DATABASE alices RESET default_transaction_read_only'
pg_sql postgres "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
cures 'encoding' 'LATIN1' 'encoding=UTF8' "${list[@]}" "$(pg_url latin)"
pg_sql alices 'BEGIN; LOCK TABLE etalon.experiment IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60)' >/dev/null 2>&1 &
locker=$!
wait_until "[ \"\$(pg_sql alices \"SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'
	AND relation = 'etalon.experiment'::regclass\")\" = 1 ]"
pg_sql postgres "ALTER ROLE alice SET statement_timeout = '200ms'"
cures 'statement timeout' 'too long' 'statement_timeout' "${list[@]}" "$secret"
pg_sql postgres "ALTER ROLE alice RESET statement_timeout"
pg_sql postgres "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE%'
	AND pid <> pg_backend_pid()" >/dev/null
wait "$locker" 2>/dev/null
pg_sql postgres 'ALTER ROLE alice CONNECTION LIMIT 0'
cures 'too many connections' 'too many connections' 'later' "${list[@]}" "$secret"
pg_sql postgres 'ALTER ROLE alice CONNECTION LIMIT -1'
# fails_with CODE MESSAGE: adding an experiment fails as the server would fail by itself
fails_with()
{
	pg_sql alices "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
		RAISE EXCEPTION USING ERRCODE = '$1', MESSAGE = E'$2'; END \$\$;
		DROP TRIGGER IF EXISTS fail ON etalon.experiment;
		CREATE TRIGGER fail BEFORE INSERT ON etalon.experiment FOR EACH ROW EXECUTE FUNCTION fail()"
}
add=(etalon import --store "$secret" --label new slow)
fails_with 53100 'could not extend file: No space left on device'
cures 'full disk' 'disk of the server is full' 'free some space' "${add[@]}"
fails_with 40P01 'deadlock detected'
cures 'deadlock' 'at the same time' 'try again' "${add[@]}"
fails_with 57P01 'terminating connection'
cures 'shutdown' 'stopping' 'try again' "${add[@]}"
fails_with P0001 'bad \x1b[31m thing\nline two \u202e'
refuses 'message: that of the server is one line, without control sequences' 4 'bad .*thing line two' "${add[@]}"
unlike 'message: it has no escape' "$err" $'\x1b'
pg_sql alices 'DROP TRIGGER fail ON etalon.experiment; DROP FUNCTION fail()'

# An old server, which this script plays: it accepts the connection and tells its version.
cat >old.py <<'OLD'
import socket, struct, sys
def message(kind, body): return kind + struct.pack("!i", len(body) + 4) + body
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(8)
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    while True:
        n = struct.unpack("!i", c.recv(4))[0]
        code = struct.unpack("!i", c.recv(n - 4)[:4])[0]
        if code == 196608:
            break
        c.sendall(b"N") # no TLS, no GSSAPI
    c.sendall(message(b"R", struct.pack("!i", 0)) + message(b"S", b"server_version\0" + b"9.6.24\0") +
        message(b"S", b"server_encoding\0UTF8\0") + message(b"Z", b"I"))
    c.recv(100)
    c.close()
OLD
python3 old.py >old.port &
old=$!
wait_until '[ -s old.port ]'
cures 'old server' 'PostgreSQL 9' 'version 12' "${list[@]}" "postgresql://u@127.0.0.1:$(cat old.port)/x"
kill "$old"

refuses 'URL: an @ in a password must be escaped' 2 'an @ or a slash' "${list[@]}" 'postgresql://alice:hun@ter2@127.0.0.1/x'
unlike 'URL: no part of that password is printed' "$err" 'hun|ter2'
refuses 'URL: a wrong parameter is named' 2 'nosuch' "${list[@]}" 'postgresql:///lab?nosuch=1'
refuses 'URL: with a password, libpq is not quoted' 2 'not valid' "${list[@]}" 'postgresql://a:hunter2@h/lab?nosuch=hunter2'
unlike 'URL: and the password is not printed' "$err" 'hunter2@'

# --- the server ends ---

pg_kill
cures 'killed server' 'no server answers' 'start the server' "${list[@]}" "$lab"
pg_run
pg_sql lab 'SELECT 1' >/dev/null
exits 'restarted server: what was stored is there' 0 etalon show --store "$lab" known
done_testing
