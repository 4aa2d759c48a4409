#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# list, rm and import, and what a user sees of a store that is not as it should be.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

change() { # change SQL: what another program does to the store
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for sql in sys.argv[2:]: db.execute(sql)' "$dir/store.db" "$@"
}
empty() { # empty FILE
	[ ! -s "$1" ]
	holds $? "nothing in ${1##*/}"
}

# --- nothing kept yet
gives 0 "list without a store" "$ETALON" list
says "nothing is stored yet"
empty "$dir/out"
[ ! -e "$dir/store.db" ]
holds $? "none was made"
gives 0 "the same as JSON" "$ETALON" list --json
[ "$(tr -d ' \n' < "$dir/out")" = '[]' ]
holds $? "is an empty list"
gives 0 "the same quietly" "$ETALON" list -q
empty "$dir/err"
gives 4 "rm without a store" "$ETALON" rm last

# --- import
cat > "$dir/hyperfine.json" << 'END'
{ "results": [ { "command": "sleep 0.1", "mean": 0.1, "times": [0.1, 0.11, 0.105], "exit_codes": [0, 0, 0] },
  { "command": "sleep 0.2", "times": [0.2, 0.21, 0.205], "exit_codes": [0, 0, 0] } ] }
END
gives 0 "import hyperfine's" "$ETALON" import --label "$(printf 'evil \033[31mred')" "$dir/hyperfine.json"
says "6 samples of 2 commands"
mode=$(stat -c %a "$dir/store.db")
[ "$mode" = 600 ]
holds $? "the store is private ($mode)"
gives 0 "list" "$ETALON" list
says "sleep 0.1 (+1)"
! grep -q "$(printf '\033')" "$dir/out"
holds $? "no escape sequence reaches the terminal"
[ "$(wc -L < "$dir/out")" -le 80 ]
holds $? "no line is wider than the terminal"
gives 0 "list as JSON" "$ETALON" list --json
python3 -c 'import json, sys; e, = json.load(open(sys.argv[1]))
assert e["samples"] == 6 and e["commands"] == 2 and e["state"] == "done"' "$dir/out"
holds $? "which is JSON"
seq 1 5 | "$ETALON" import -q --label numbers - > "$dir/id"
holds $? "import of a list of numbers from standard input"
gives 0 "show it" "$ETALON" show "$(cat "$dir/id")"
says "elapsed time"
gives 0 "a limit" "$ETALON" list -n 1
says numbers
[ "$(wc -l < "$dir/out")" -eq 2 ]
holds $? "the newest only"

# --- there and back
for format in json csv; do
	"$ETALON" export -f $format -o "$dir/there.$format" last || holds 1 "export"
done
gives 2 "import of what is there" "$ETALON" import "$dir/there.json"
says "already stored"
says "--copy"
gives 0 "as a copy" "$ETALON" import --copy "$dir/there.json"
gives 0 "rm" "$ETALON" rm "$(cat "$dir/id")"
says "removed $(cat "$dir/id")"
gives 0 "import of what is no longer there" "$ETALON" import "$dir/there.json"
gives 0 "export again" "$ETALON" export -f json "$(cat "$dir/id")"
cmp -s "$dir/there.json" "$dir/out"
holds $? "the record is the same, byte for byte"
gives 0 "import of CSV" "$ETALON" import "$dir/there.csv"
gives 0 "export again" "$ETALON" export -f csv last
cmp -s "$dir/there.csv" "$dir/out"
holds $? "the table is the same, byte for byte"

# --- wrong usage
gives 2 "rm of nothing" "$ETALON" rm
gives 2 "rm of what is not there" "$ETALON" rm last nosuch
says "etalon list"
gives 0 "rm twice the same, quietly" "$ETALON" rm -q last last
empty "$dir/out"
gives 2 "list with an operand" "$ETALON" list x
gives 2 "list -n 0" "$ETALON" list -n 0
gives 2 "import of nothing" "$ETALON" import
gives 2 "import of an unknown format" "$ETALON" import --format xml "$dir/hyperfine.json"
gives 2 "import of a file that is not there" "$ETALON" import "$dir/nosuch"
says "No such file"
gives 2 "import of a directory" "$ETALON" import "$dir"
says "Is a directory"
gives 2 "import of an empty file" "$ETALON" import /dev/null
printf '{"results":[{"command":"a","times":[1,"x"]}]}' > "$dir/bad"
gives 2 "import of a bad record" "$ETALON" import "$dir/bad"
says "results[0].times[1]"
printf '{"results":\n [' > "$dir/bad"
gives 2 "import of half a record" "$ETALON" import "$dir/bad"
says "line 2"
printf 'a,b\n1,2\n' > "$dir/bad"
gives 2 "import without knowing the column" "$ETALON" import "$dir/bad"
says "name the column of times with --column: a, b"
gives 0 "import of a column" "$ETALON" import --column b "$dir/bad"
gives 3 "PostgreSQL" "$ETALON" list --store postgresql://localhost/x
gives 2 "an unknown kind of store" "$ETALON" list --store oracle:x

# --- killed
"$ETALON" run -q -r 100000 --label killed 'sleep 0.001' > /dev/null 2>&1 &
pid=$!
wait_for_samples killed 2
kill -9 $pid
wait $pid 2> /dev/null
gives 0 "list after a kill" "$ETALON" list --json
python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))[0]
assert e["label"] == "killed" and e["state"] == "running" and e["samples"] > 1, e' "$dir/out"
holds $? "what was measured by then is kept"

# --- a store that is not as it should be
change "PRAGMA user_version=9"
gives 4 "a newer store" "$ETALON" list
says "schema version 9"
says "use a newer etalon"
change "PRAGMA user_version=2" "UPDATE sample SET et_ns = -1" "UPDATE experiment SET state = 'odd'"
gives 0 "list of a store edited by hand" "$ETALON" list
gives 4 "show of an experiment edited by hand" "$ETALON" show last
says "not as etalon writes it"
gives 0 "rm of it" "$ETALON" rm last
change "PRAGMA journal_mode=DELETE"
cp "$dir/store.db" "$dir/whole.db"
head -c 5000 "$dir/whole.db" > "$dir/store.db"
gives 4 "a store cut off" "$ETALON" list
says "damaged"
echo "not a database, but long enough to be taken for one by its size alone" > "$dir/store.db"
gives 4 "a text file" "$ETALON" import "$dir/hyperfine.json"
says "not an etalon store"
gives 4 "a directory" "$ETALON" list --store "$dir"
says "Is a directory"

# --- a full and a read-only disk
mkdir "$dir/disk"
trap 'umount "$dir/disk" 2> /dev/null; clean_up' EXIT
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=400k tmpfs "$dir/disk" 2> /dev/null; then
	export ETALON_STORE="$dir/disk/store.db"
	"$ETALON" import -q "$dir/hyperfine.json" > /dev/null
	holds $? "a store on a small disk"
	seq 1 20000 > "$dir/many"
	gives 4 "a full disk" "$ETALON" import "$dir/many"
	says "no space left"
	gives 0 "what was kept before" "$ETALON" list --json
	python3 -c 'import json, sys; e, = json.load(open(sys.argv[1])); assert e["samples"] == 6' "$dir/out"
	holds $? "is all there"
	gives 4 "run into a full disk" "$ETALON" run -q -w 0 -r 3000 'sleep 0'
	says "no space left"
	gives 0 "the samples until then" "$ETALON" list --json
	python3 -c 'import json, sys; e = json.load(open(sys.argv[1])); assert e[0]["samples"] > 10, e' "$dir/out"
	holds $? "are there"
	mount -o remount,ro "$dir/disk"
	gives 0 "list of a read-only store" "$ETALON" list
	gives 4 "import into a read-only store" "$ETALON" import "$dir/hyperfine.json"
	says "read-only"
	umount "$dir/disk"
else
	skip "not here" "a full disk: needs root and mount"
fi
done_testing
