#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sync with files as central stores: delivering, copying, conflicts. sync-server.sh has the rest.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export ETALON_SPOOL=$work/spool.db
central=sqlite:$work/central.db

# sql FILE STATEMENT: executes it, and prints the rows
sql()
{
	python3 - "$@" <<-'EOF'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		for row in db.execute(sys.argv[2]):
		    print(*row, sep="|")
		db.commit()
	EOF
}

# record STORE ID: the native record
record() { etalon export --store "$1" --format json "$2"; }

etalon run -q -r 3 --label one true >/dev/null
etalon run -q -r 4 --label two 'true a' 'true b' >/dev/null
one=$(etalon list --json | jq -r '.[] | select(.label == "one").id')
two=$(etalon list --json | jq -r '.[] | select(.label == "two").id')

# --- delivering what the local store has ---
run etalon sync --store "$central" --all --dry-run
is 'sync --dry-run: exit status' "$status" 0
is 'sync --dry-run: it lists both experiments' "$(grep -c 'would be delivered' <<<"$out")" 2
ok 'sync --dry-run: no store is made' test ! -e central.db
run etalon sync --store "$central" "$one"
is 'sync ID: exit status' "$status" 0
is 'sync ID: one line reports it' "$out" "$one: delivered"
run etalon sync --store "$central" --all
is 'sync --all: exit status' "$status" 0
like 'sync --all: the first was delivered before' "$out" "$one: was delivered before"
like 'sync --all: the second is new' "$out" "$two: delivered"
for id in "$one" "$two"; do
	is "sync: the central store has the record of $id" "$(record "$central" "$id")" "$(record "$ETALON_STORE" "$id")"
done
is 'sync: nothing is stored twice' "$(sql central.db 'SELECT count(*) FROM experiment')|$(sql central.db \
	'SELECT count(*) FROM sample')" "2|$(sql store.db 'SELECT count(*) FROM sample')"

is 'sync: the machine is delivered, too' "$(sql central.db 'SELECT count(*) FROM machine')" 1
ETALON_MACHINE=zeta run etalon run -q -r 2 --store "sqlite:$work/zeta.db" true
like 'show: it names the machine whose identity is not the name of the host' \
	"$(etalon show --store "sqlite:$work/zeta.db")" 'measured on +zeta'

# A run that was interrupted is delivered, and again when it is done.
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
etalon run -q -r 8 --label three ./step >/dev/null 2>&1 &
pid=$!
wait_for_step $pid
three=$(etalon list --json | jq -r '.[] | select(.label == "three").id')
run etalon sync --store "$central" "$three"
is 'sync: an experiment that runs is not delivered' "$status" 4
like 'sync: the message names the experiment that runs' "$err" "$three is still running"
kill -TERM $pid
wait $pid
touch go
run etalon sync --store "$central" "$three"
is 'sync: an interrupted experiment is delivered' "$out" "$three: delivered"
run etalon run -q --resume "$three"
is 'sync: the experiment is continued' "$status" 0
run etalon sync --store "$central" "$three"
is 'sync: the later state replaces the earlier one' "$out" "$three: delivered a later state"
is 'sync: the later state is the only one' "$(record "$central" "$three")" "$(record "$ETALON_STORE" "$three")"

# --- conflicts ---
sql central.db "UPDATE sample SET et_ns = et_ns + 1 WHERE experiment = (SELECT key FROM experiment WHERE id = '$one')"
sql central.db "UPDATE experiment SET digest = NULL WHERE id = '$one'"
before=$(record "$central" "$one")
run etalon sync --store "$central" --all
is 'conflict: exit status' "$status" 4
like 'conflict: the id and the store are named' "$err" "experiment $one is in .*central.db already, with other contents"
like 'conflict: the hint says how to compare' "$err" "hint: compare both"
like 'conflict: the others are delivered' "$out" "$two: was delivered before"
is 'conflict: nothing was changed' "$(record "$central" "$one")" "$before"

# --- copying from a central store ---
export ETALON_STORE=sqlite:$work/mine.db
run etalon sync --from "$central" --label two --dry-run
is 'sync --from --dry-run: one experiment would be copied' "$out" "$two: would be copied"
ok 'sync --from --dry-run: no store is made' test ! -e mine.db
run etalon sync --from "$central" --label two
is 'sync --from: exit status' "$status" 0
is 'sync --from: the label selects' "$out" "$two: copied"
is 'sync --from: the copy is the same record' "$(record "$ETALON_STORE" "$two")" "$(record "$central" "$two")"
run etalon sync --from "$central" --label two
is 'sync --from: an experiment is copied once' "$status|$out" '0|'
run etalon sync --from "$central" --since 2100-01-01
is 'sync --from --since: nothing began then' "$out" 'no experiment to copy'
run etalon sync --from "$central" --machine nosuch
is 'sync --from --machine: no such machine' "$out" 'no experiment to copy'
run etalon sync --from "$central" --since 1h -n 1 --machine "$(uname -n)"
is 'sync --from -n: only the newest' "$out" "$three: copied"
run etalon sync --from "$central" "$one"
is 'sync --from ID: this experiment' "$out" "$one: copied"
is 'sync --from: copies are imported' "$(etalon list --json | jq -r '.[].origin' | sort -u)" imported
sql mine.db "UPDATE experiment SET state = 'interrupted' WHERE id = '$three'"
run etalon run --resume
is 'sync --from: a copy is never resumed by itself' "$status" 2
ETALON_STORE=sqlite:$work/store.db run etalon sync --from "$central"
is 'sync --from: an experiment that was measured here is not replaced' "$status" 4
like 'sync --from: the message names it' "$err" "experiment $one is in .*store.db with other contents"

# --- the empty spool, and usage ---
run etalon sync
is 'sync: without a spool nothing waits' "$status|$out" '0|nothing waits to be delivered'
run etalon sync --status
is 'sync --status: exit status' "$status" 0
like 'sync --status: nothing waits' "$out" '^0 wait to be delivered, 0 were delivered; spool: '
run etalon sync --status --json
is 'sync --status --json: an object' "$(jq -r '.waiting, (.experiments | length)' <<<"$out" | xargs)" '0 0'
run etalon sync --prune
is 'sync --prune: nothing to remove' "$status|$out" '0|nothing can be removed from the spool'
ok 'sync: a look makes no spool' test ! -e spool.db
for words in '--label x' '--json' '--status --prune' '--from sqlite:central.db --since yesterday' '--all'; do
	# shellcheck disable=SC2086 # words
	run etalon sync $words
	is "usage: sync $words is refused" "$status" 2
done
run etalon sync --from sqlite:nosuch.db
is 'sync --from: a store that does not exist' "$status" 4

done_testing
