#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measuring with a central store, and a server that is down, killed, slow, full, of another version or
# refuses the password: the measurement ends as always, and sync delivers everything once.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/postgres.sh
. "$root/tests/postgres.sh"
pg_available || { skip 'sync: the tests of a server' "$pg_why"; done_testing; }

pg_start tcp max_connections=30 || { skip 'sync: the tests of a server' 'it does not start'; done_testing; }
pg_create lab
export ETALON_SPOOL=$work/spool/spool.db ETALON_STORE
mkdir spool
ETALON_STORE=$(pg_url lab)

# waiting: how many experiments wait in the spool
waiting() { etalon sync --status --json | jq .waiting; }
# newest STORE: the id of the newest experiment of a store
newest() { etalon list --store "$1" -n 1 --json | jq -r '.[0].id'; }
record() { etalon export --store "$1" --format json "$2"; }
# rows DATABASE: how many experiments, samples and different ids of experiments are in it
rows() { pg_sql "$1" 'SELECT count(*), (SELECT count(*) FROM etalon.sample), count(DISTINCT id) FROM etalon.experiment'; }
# same_records LABEL: all experiments of the spool are on the server as they are in the spool
same_records()
{
	local id bad=
	for id in $(etalon list --store "sqlite:$ETALON_SPOOL" --json | jq -r '.[].id'); do
		[ "$(record "sqlite:$ETALON_SPOOL" "$id")" = "$(record "$ETALON_STORE" "$id")" ] || bad="$bad $id"
	done
	is "$1" "$bad" ''
}

# --- a server that works ---
etalon put inc --seconds 1ms
run etalon run -r 3 --label a true
is 'server: run ends as always' "$status|$err" '0|'
is 'server: the experiment is in the central store' "$(etalon list --json | jq -r '.[] | "\(.label) \(.samples)"')" 'a 3'
is 'server: nothing waits' "$(waiting)" 0
same_records 'server: the central store has the record of the spool'
is 'server: the machine is in the central store' "$(pg_sql lab 'SELECT count(*) FROM etalon.machine')" 1
is 'server: the calibration of this machine is there, too' "$(pg_sql lab "SELECT (value::json->>'increments_per_second')::float8 > 0
	FROM etalon.fact WHERE key = 'put-calibration'")" t
run etalon run -q -r 2 --baseline a --json out.json 'true x'
is 'server: --baseline finds the label in the spool' "$status|$(jq -r '.commands[0].name' out.json)" '0|true (a)'
ETALON_SPOOL=$work/other.db run etalon run -q -r 2 --baseline a 'true y'
is 'server: --baseline takes what this user measured from the central store' "$status" 0
mkdir stranger
ETALON_SPOOL=$work/other.db HOME=$work/stranger run etalon run -r 2 --baseline a 'true y'
is 'server: --baseline of what somebody else measured needs trust' "$status" 2
like 'server: the reason is the shared store' "$err" 'is in a store that other users can write: its commands are not run'
a=$(etalon list --json | jq -r '.[] | select(.label == "a").id')
ETALON_SPOOL=$work/other.db HOME=$work/stranger run etalon run -q -r 2 --baseline "$a" --trust-record 'true y'
is 'server: a trusted record of the central store runs' "$status" 0

ETALON_SPOOL=$work/other.db run etalon run --resume "$(newest "sqlite:$ETALON_SPOOL")"
is 'server: --resume needs the spool of the machine' "$status" 2
like 'server: the hint says where to continue' "$err" 'hint: continue it on the machine that began it'

# --- the server is down ---
pg_kill
run etalon run -r 3 --label b true
is 'down: the exit status is that of the measurement' "$status" 0
like 'down: one line says that it was not delivered' "$err" '^etalon: not delivered: postgresql://[^'$'\n'']*no server answers'
like 'down: the hint is to start the server, then sync' "$err" "hint: start the server.*; then run 'etalon sync'"
is 'down: it waits' "$(waiting)" 1
b=$(newest "sqlite:$ETALON_SPOOL")
run etalon show b
is 'down: show reads it from the spool' "$status" 0
like 'down: show says so' "$err" "^etalon: $b is read from the spool: .*no server answers there"
like 'down: show prints it' "$out" "experiment +$b"
run etalon show nosuch
is 'down: an experiment that the spool does not have' "$status" 4
run etalon doe run /dev/null
unlike 'down: a command that measured nothing does not speak of delivery' "$err" 'deliver'
run etalon run -q -r 2 true
like 'down: one line counts older experiments' "$err" $'\n''etalon: 1 older experiment waits: etalon sync --status'
run etalon run -q -r 3 --json - -i 'sh -c "exit 3"'
is 'down: standard output is the record' "$status|$(jq -r .etalon <<<"$out")" '0|1'
run etalon run -q -r 1 false
is 'down: a program that fails gives its exit status' "$status" 1
run etalon sync
is 'down: sync ends with 4' "$status" 4
like 'down: sync counts what waits' "$err" 'experiments could not be delivered'
like 'down: --status shows the latest error' "$(etalon sync --status)" 'latest attempt: .*no server answers'
pg_run
run etalon show b
is 'up again: show finds what waits in the spool' "$status|$err" "0|etalon: $b is in the spool only"
run etalon sync
is 'up again: sync delivers' "$status|$(waiting)" '0|0'
run etalon show b
is 'up again: show finds it in the central store' "$status|$err" '0|'
same_records 'up again: the central store has all records of the spool'

# --- etalon is killed while it measures ---
# A program whose fifth run waits for a file: until then the experiment runs.
cat >step <<-'EOF'
	#!/bin/sh
	echo x >>count
	sleep 0.05
	[ "$(wc -l <count)" -lt 5 ] || while [ ! -e go ]; do sleep 0.05; done
EOF
chmod +x step
: >count
# wait_for_step PID: until the fifth run has begun
wait_for_step() { until [ "$(wc -l <count)" = 5 ]; do kill -0 "$1" 2>/dev/null || break; sleep 0.05; done; }
etalon run -q -r 8 --label killed ./step >/dev/null 2>&1 &
pid=$!
wait_for_step $pid
run etalon sync
like 'killed: an experiment that runs is not delivered' "$out" 'it is being measured'
kill -9 $pid
wait $pid 2>/dev/null
touch go
run etalon sync
like 'killed: its samples are delivered' "$out" ': delivered to '
killed=$(newest "$ETALON_STORE")
run etalon run -q --resume "$killed"
is 'killed: it is resumed from the spool, and delivered' "$status|$(waiting)" '0|0'
is 'killed: exactly the planned samples are there' \
	"$(etalon show --json "$killed" | jq '[.commands[0].samples[] | select(.warmup | not)] | length')" 8
same_records 'killed: the later state has replaced the earlier one'

# --- a wrong password, another version ---
pg_sql postgres "CREATE ROLE alice LOGIN PASSWORD 'right-one'; GRANT ALL ON DATABASE lab TO alice"
pg_hba 'local all postgres trust' 'host all alice 127.0.0.1/32 scram-sha-256'
run env ETALON_STORE="$(pg_tcp_url lab alice:wrong-one)" "$ETALON" run -r 2 true
is 'password: the exit status is that of the measurement' "$status" 0
like 'password: the message' "$err" 'not delivered: .*password'
like 'password: the hint is the cure' "$err" "hint: write it into ~/.pgpass.*; then run 'etalon sync'"
pg_sql postgres "CREATE ROLE carol LOGIN"
pg_hba 'local all all trust' 'host all alice 127.0.0.1/32 scram-sha-256'
run env ETALON_SPOOL="$work/carol.db" ETALON_STORE="$(pg_url lab carol)" "$ETALON" run -q -r 2 true
is 'rights: the exit status is that of the measurement' "$status" 0
like 'rights: the hint is the cure' "$err" "GRANT etalon_add TO carol; then run 'etalon sync'"
run env ETALON_SPOOL="$work/carol.db" ETALON_STORE="$(pg_url nosuch)" "$ETALON" run -q -r 2 true
like 'database: the hint is the cure' "$err" "hint: .*createdb .*; then run 'etalon sync'"
unlike 'password: it is not in the message' "$err$out" 'wrong-one'
is 'password: it is not in the spool' "$(grep -l wrong-one spool/*)" ''
run etalon sync --store "$(pg_tcp_url lab alice:wrong-one)"
is 'password: sync ends with 4' "$status" 4
unlike 'password: sync does not print it' "$err$out" 'wrong-one'
rm -f spool/*
for version in 999 1; do
	pg_sql lab "UPDATE etalon.store SET version = $version"
	run etalon run -q -r 2 true
	is "schema $version: the exit status is that of the measurement" "$status" 0
	like "schema $version: the message" "$err" "not delivered: .*schema version $version"
done
version=$(python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version").fetchone()[0])' \
	"$ETALON_SPOOL")
pg_sql lab "UPDATE etalon.store SET version = $version"
run etalon sync
is 'other schema: sync delivers after the upgrade' "$status|$(waiting)" '0|0'

# --- a slow server ---
mkdir proxy
python3 "$root/tests/cli/proxy.py" "$pg_dir/.s.PGSQL.$pg_port" "$work/proxy" 3000 &
proxy=$!
until [ -e proxy/ready ]; do kill -0 $proxy || break; done
slow="postgresql://postgres@/lab?host=$work/proxy"
before=$(rows lab)
began=$SECONDS
run env ETALON_STORE="$slow" ETALON_DELIVERY_LIMIT=1 "$ETALON" run -q -r 3 --label slow true
is 'slow: the exit status is that of the measurement' "$status" 0
like 'slow: the message names the limit' "$err" 'not delivered: the server took longer than 1 s'
ok 'slow: the command ends soon' test $((SECONDS - began)) -lt 8
is 'slow: nothing of it is in the central store' "$(rows lab)" "$before"
ETALON_STORE=$slow ETALON_DELIVERY_LIMIT=0 run etalon run -q -r 3 true
is 'slow: with ETALON_DELIVERY_LIMIT=0 nothing is tried' "$status|$err" '0|'
is 'slow: both wait' "$(waiting)" 2
kill $proxy
wait $proxy 2>/dev/null
python3 - "$ETALON_SPOOL" "$slow" "$ETALON_STORE" <<-'EOF'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	db.execute("UPDATE outbox SET destination = ? WHERE destination = ?", (sys.argv[3], sys.argv[2]))
	db.commit()
EOF
# Two at the same time.
etalon sync >first 2>&1 &
pid=$!
run etalon sync
wait $pid
is 'slow: two syncs at the same time succeed' "$?|$status|$(waiting)" '0|0|0'
same_records 'slow: everything is there once'

# --- killed in the middle of a delivery ---
# 60,000 samples of an imported experiment take about a second.
python3 - >big.csv <<-'EOF'
	print("command,et_ns,pt_ns")
	for i in range(60000):
	    print(f"x,{1000000 + i * 7919 % 5003},{900000 + i % 97}")
EOF
export local_store=sqlite:$work/local.db
run etalon import --store "$local_store" big.csv
big=$(newest "$local_store")
# deliver_big: begins to deliver it, and waits until rows arrive or the delivery is over
deliver_big()
{
	ETALON_STORE=$local_store etalon sync --store "$(pg_url lab)" "$big" >big.out 2>&1 &
	pid=$!
	until [ "$(pg_sql lab "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'etalon'
		AND state IN ('active', 'idle in transaction') AND backend_xid IS NOT NULL")" != 0 ]; do
		kill -0 $pid 2>/dev/null || break
	done
}
before=$(rows lab)
deliver_big
kill -9 $pid
wait $pid 2>/dev/null
end=$((SECONDS + 30))
until [ "$(pg_sql lab "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'etalon'")" = 0 ]; do
	[ $SECONDS -lt $end ] || break
done
is 'killed delivery: a killed etalon leaves nothing' "$(rows lab)" "$before"
deliver_big
pg_kill
wait $pid
status=$?
is 'killed server: sync ends with 4' "$status" 4
pg_run
is 'killed server: nothing of it is there' "$(rows lab)" "$before"
run env ETALON_STORE="$local_store" "$ETALON" sync --store "$(pg_url lab)" "$big"
is 'killed server: it is delivered afterwards' "$status|$out" "0|$big: delivered"
is 'killed server: with all samples' "$(pg_sql lab "SELECT count(*), min(et_ns), max(et_ns) FROM etalon.sample
	WHERE experiment = (SELECT key FROM etalon.experiment WHERE id = '$big')")" '60000|1000000|1005002'
run env ETALON_STORE="$local_store" "$ETALON" sync --store "$(pg_url lab)" "$big"
is 'killed server: and once' "$out" "$big: was delivered before"

# --- a full disk of the server ---
full='full disk: nothing is lost'
if [ "$(id -u)" -ne 0 ] || ! mkdir "$pg_dir/small" || ! mount -t tmpfs -o size=14m none "$pg_dir/small" 2>/dev/null; then
	skip "$full" 'it needs the right to mount'
else
	trap 'pg_end QUIT; umount "$pg_dir/small"; pg_clean; clean_up' EXIT
	chown "$("${pg_as[@]}" id -u)" "$pg_dir/small"
	pg_sql postgres "CREATE TABLESPACE small LOCATION '$pg_dir/small'"
	pg_sql postgres 'CREATE DATABASE full_disk TEMPLATE template0 TABLESPACE small'
	run env ETALON_STORE="$local_store" "$ETALON" sync --store "$(pg_url full_disk)" "$big"
	is 'full disk: sync ends with 4' "$status" 4
	like 'full disk: the message' "$err" 'No space left|disk.* full'
	mount -o remount,size=200m "$pg_dir/small"
	run env ETALON_STORE="$local_store" "$ETALON" sync --store "$(pg_url full_disk)" "$big"
	is "$full" "$status|$(rows full_disk)" '0|1|60000|1'
fi

# --- the other direction, and pruning ---
run env ETALON_STORE="sqlite:$work/mine.db" "$ETALON" sync --from "$ETALON_STORE" --label a
is 'from: an experiment is copied' "$status|$(newest "sqlite:$work/mine.db")" "0|$(etalon list --json | jq -r '.[] | select(.label == "a").id')"
pg_sql lab "DELETE FROM etalon.experiment WHERE label = 'slow'"
run etalon sync --all
is 'all: what the server lost is delivered again' \
	"$status|$(pg_sql lab "SELECT count(*) > 0 FROM etalon.experiment WHERE label = 'slow'")" '0|t'
pg_sql lab "DELETE FROM etalon.experiment WHERE label = 'slow'"
run env ETALON_STORE="$(pg_url mistyped)" "$ETALON" run -q -r 2 --label wrong true
wrong=$(newest "sqlite:$ETALON_SPOOL")
run etalon sync --prune --dry-run
like 'prune: --dry-run lists what would be removed' "$out" 'would be removed'
run etalon sync --store "$ETALON_STORE" "$wrong"
is 'redirect: what waits for a mistyped store is delivered to the right one' "$status|$(waiting)" '0|0'
like 'redirect: one line reports it' "$out" "^$wrong: delivered to "
run env ETALON_DELIVERY_LIMIT=0 "$ETALON" run -q -r 2 --label moved true
moved=$(newest "sqlite:$ETALON_SPOOL")
run etalon sync --store "sqlite:$work/elsewhere.db" "$moved"
is 'redirect: to a file' "$status|$(waiting)" '0|0'
mv elsewhere.db gone.db
run etalon sync --prune --store "sqlite:$work/elsewhere.db"
is 'prune: a store that is not there' "$status" 4
like 'prune: the failure is one line' "$err" '^etalon: .*elsewhere.db'
run etalon sync --prune
is 'prune: exit status after one store failed' "$status" 4
mv gone.db elsewhere.db
run etalon sync --prune --store "sqlite:$work/elsewhere.db"
is 'prune: --store restricts it' "$status|$out" "0|$moved: removed"
run etalon sync --prune
is 'prune: exit status' "$status" 0
is 'prune: only what the server lost stays in the spool' "$(etalon list --store "sqlite:$ETALON_SPOOL" --json | jq -r '.[].label')" slow

done_testing
