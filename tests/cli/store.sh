#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon list`, `rm` and `import`, and errors on a damaged store and on a full disk.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

change() { # change SQL…: executes it on the store
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for sql in sys.argv[2:]: db.execute(sql)' "$dir/store.db" "$@"
}
empty() { # empty FILE: the output of the last gives is empty
	[ ! -s "$1" ]
	holds $? "$given; ${1##*/} is empty"
}

# --- nothing stored yet
gives 0 "list: without a store it succeeds" "$ETALON" list
says "nothing is stored yet"
empty "$dir/out"
[ ! -e "$dir/store.db" ]
holds $? "list: without a store none is created"
gives 0 "list: --json without a store succeeds" "$ETALON" list --json
[ "$(tr -d ' \n' < "$dir/out")" = '[]' ]
holds $? "list: --json without a store prints an empty list"
gives 0 "list: -q without a store succeeds" "$ETALON" list -q
empty "$dir/err"
gives 4 "rm: without a store it fails" "$ETALON" rm last

# --- import
cat > "$dir/hyperfine.json" << 'END'
{ "results": [ { "command": "sleep 0.1", "mean": 0.1, "times": [0.1, 0.11, 0.105], "exit_codes": [0, 0, 0] },
  { "command": "sleep 0.2", "times": [0.2, 0.21, 0.205], "exit_codes": [0, 0, 0] } ] }
END
gives 0 "import: hyperfine's JSON is accepted" "$ETALON" import --label "$(printf 'evil \033[31mred')" "$dir/hyperfine.json"
says "6 samples of 2 commands"
mode=$(stat -c %a "$dir/store.db")
[ "$mode" = 600 ]
holds $? "import: only the owner can read the store ($mode)"
gives 0 "list: it succeeds" "$ETALON" list
says "sleep 0.1 (+1)"
! grep -q "$(printf '\033')" "$dir/out"
holds $? "list: a label with an escape sequence is printed without it"
[ "$(wc -L < "$dir/out")" -le 80 ]
holds $? "list: no line is wider than 80 columns"
gives 0 "list: --json succeeds" "$ETALON" list --json
python3 -c 'import json, sys; e, = json.load(open(sys.argv[1]))
assert e["samples"] == 6 and e["commands"] == 2 and e["state"] == "done"' "$dir/out"
holds $? "list: --json prints one object per experiment"
seq 1 5 | "$ETALON" import -q --label numbers - > "$dir/id"
holds $? "import: a list of numbers is read from standard input"
gives 0 "show: an imported list is shown" "$ETALON" show "$(cat "$dir/id")"
says "elapsed"
gives 0 "list: -n 1 succeeds" "$ETALON" list -n 1
says numbers
[ "$(wc -l < "$dir/out")" -eq 2 ]
holds $? "list: -n 1 prints the newest experiment only"

# --- export and import again
for format in json csv; do
	"$ETALON" export -f $format -o "$dir/there.$format" last || holds 1 "export"
done
gives 2 "import: an experiment that is already stored is rejected" "$ETALON" import "$dir/there.json"
says "already stored"
says "--copy"
gives 0 "import: --copy stores it a second time" "$ETALON" import --copy "$dir/there.json"
gives 0 "rm: it succeeds" "$ETALON" rm "$(cat "$dir/id")"
says "removed $(cat "$dir/id")"
gives 0 "import: an experiment that was removed is accepted" "$ETALON" import "$dir/there.json"
gives 0 "export: an imported record is exported as JSON" "$ETALON" export -f json "$(cat "$dir/id")"
cmp -s "$dir/there.json" "$dir/out"
holds $? "import, export: the record is the same, byte for byte"
gives 0 "import: CSV is accepted" "$ETALON" import "$dir/there.csv"
gives 0 "export: an imported table is exported as CSV" "$ETALON" export -f csv last
# without_id FILE: the table without the id, which a table that is imported gets anew
without_id()
{
	python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
	assert row.pop("id")
	print(row)' "$1"
}
is "import, export: the table is the same but for its id" "$(without_id "$dir/out")" "$(without_id "$dir/there.csv")"

# A table joins with others: parameters, id, label and machine are columns, after those that were there before.
exits "csv: an experiment with parameters is measured" 0 \
	etalon run -q -r 2 --label '=1+1' -L depth 1,2 -L text '"a b",-x' --export-samples params.csv 'echo {depth} {text}'
like "csv: the new columns are the last ones" "$(head -n 1 params.csv)" ',removed,id,label,machine,parameter_depth,parameter_text$'
etalon show --json >params.json
ok "csv: each row has the parameters of its command, and id, label and machine of the experiment" python3 -c '
import csv, json
d = json.load(open("params.json"))
commands = {c["name"]: c["parameters"] for c in d["commands"]}
rows = list(csv.DictReader(open("params.csv", newline="")))
assert len(commands) == 4 and len(rows) == sum(len(c["samples"]) for c in d["commands"])
for r in rows:
	assert {"depth": r["parameter_depth"], "text": r["parameter_text"].lstrip("\x27")} == commands[r["command"]], r
	assert (r["id"], r["label"].lstrip("\x27"), r["machine"]) == (d["id"], d["label"], d["machine"] or ""), r'
exits "csv: a table with parameters is imported" 0 etalon import -q params.csv
etalon show --json "$out" >back.json
is "csv: the imported table has the label, the machine, the parameters and the samples of the original" \
	"$(jq -S '[.label, .machine, (.commands[] | [.name, .parameters, (.samples | map(del(.interference, .ledger, .removed)))])]' back.json)" \
	"$(jq -S '[.label, .machine, (.commands[] | [.name, .parameters, (.samples | map(del(.interference, .ledger, .removed)))])]' params.json)"
etalon export -f csv "$out" -o again.csv
is "csv: exported again it is the same but for its id" "$(without_id again.csv)" "$(without_id params.csv)"
cut -d, -f 1-10 params.csv >old.csv
exits "csv: a table without these columns is imported as before" 0 etalon import -q old.csv
printf 'seconds,label,machine\n1.5,x,y z\n1.6,w,\n' >foreign.csv
exits "csv: columns of these names in another program's table have no meaning" 0 etalon import -q --column seconds foreign.csv
is "csv: its label is not taken" "$(etalon show --json "$out" | jq .label)" null

# --- wrong usage
gives 2 "rm: no operand is rejected" "$ETALON" rm
gives 2 "rm: an unknown experiment is rejected" "$ETALON" rm last nosuch
says "etalon list"
gives 0 "rm: -q accepts the same experiment twice" "$ETALON" rm -q last last
empty "$dir/out"
gives 2 "list: an operand is rejected" "$ETALON" list x
gives 2 "list: -n 0 is rejected" "$ETALON" list -n 0
gives 2 "import: no operand is rejected" "$ETALON" import
gives 2 "import: an unknown format is rejected" "$ETALON" import --format xml "$dir/hyperfine.json"
gives 2 "import: a file that does not exist is rejected" "$ETALON" import "$dir/nosuch"
says "No such file"
gives 2 "import: a directory is rejected" "$ETALON" import "$dir"
says "Is a directory"
gives 2 "import: an empty file is rejected" "$ETALON" import /dev/null
printf '{"results":[{"command":"a","times":[1,"x"]}]}' > "$dir/bad"
gives 2 "import: a record with a string for a time is rejected" "$ETALON" import "$dir/bad"
says "results[0].times[1]"
printf '{"results":\n [' > "$dir/bad"
gives 2 "import: half a record is rejected" "$ETALON" import "$dir/bad"
says "line 2"
printf 'a,b\n1,2\n' > "$dir/bad"
gives 2 "import: a table without --column is rejected" "$ETALON" import "$dir/bad"
says "name the column of times with --column: a, b"
gives 0 "import: --column succeeds" "$ETALON" import --column b "$dir/bad"
if "$ETALON" --version | grep -q 'no PostgreSQL'; then
	gives 3 "store: PostgreSQL gives exit status 3" "$ETALON" list --store postgresql://localhost/x
else
	skip "store: PostgreSQL gives exit status 3" "it is built with PostgreSQL"
fi
for name in foo etalon; do
	refuses "store: the bare word $name is not the name of a store" 2 "'$name' is not the name of a store" \
		etalon run -q -r 2 --store $name true
	like "store: the hint for $name shows how to name a file" "$err" "hint: .*sqlite:$name or \./$name"
	[ ! -e $name ]
	holds $? "store: the bare word $name creates no file"
done
for name in postgres:/db sqlit:x; do
	refuses "store: the mistyped URL $name is refused" 2 'no kind of store has that name' etalon run -q -r 2 --store $name true
done
for name in 'plain file.db' ./plain sqlite:plain2; do
	exits "store: $name names a file" 0 etalon run -r 2 --store "$name" true
	last=${out##*$'\n'}
	command=${last#*: }
	like "store: the last line after --store $name names the command that shows the result" "$command" "^etalon show .*--store|notes? in etalon show -v --store"
	command="etalon${command##*etalon}"
	exits "store: the command of the last line shows the experiment in $name" 0 bash -c "$command --json"
	json "store: it is the experiment that was measured" "d['id'].endswith('-' + '${last:8:6}')"
done
run etalon run -r 2 true
unlike "store: the last line has no --store if none was given" "${out##*$'\n'}" '--store'
gives 2 "store: an unknown kind of store is rejected" "$ETALON" list --store oracle:x

# --- a killed run
"$ETALON" run -q -r 100000 --label killed 'sleep 0.001' > /dev/null 2>&1 &
pid=$!
wait_for_samples killed 2
kill -9 $pid
wait $pid 2> /dev/null
gives 0 "list: it succeeds after a run was killed" "$ETALON" list --json
python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))[0]
assert e["label"] == "killed" and e["state"] == "running" and e["samples"] > 1, e' "$dir/out"
holds $? "list: the samples of a killed run are kept"

# --- a damaged store
version=$(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version").fetchone()[0])' "$dir/store.db")
change "PRAGMA user_version=999"
gives 4 "store: a newer schema is rejected" "$ETALON" list
says "schema version 999"
says "use a newer etalon"
change "PRAGMA user_version=$version" "UPDATE sample SET et_ns = -1" "UPDATE experiment SET state = 'odd'"
gives 0 "list: it succeeds on a store that was edited by hand" "$ETALON" list
gives 4 "show: an experiment that was edited by hand is rejected" "$ETALON" show last
says "not as etalon writes it"
gives 0 "rm: an experiment that was edited by hand is removed" "$ETALON" rm last
change "PRAGMA journal_mode=DELETE"
cp "$dir/store.db" "$dir/whole.db"
head -c 5000 "$dir/whole.db" > "$dir/store.db"
gives 4 "store: a truncated file gives exit status 4" "$ETALON" list
says "damaged"
echo "not a database, but long enough to be taken for one by its size alone" > "$dir/store.db"
gives 4 "store: a text file gives exit status 4" "$ETALON" import "$dir/hyperfine.json"
says "not an etalon store"
gives 4 "store: a directory gives exit status 4" "$ETALON" list --store "$dir"
says "Is a directory"

# --- a full and a read-only disk
mkdir "$dir/disk"
trap 'umount "$dir/disk" 2> /dev/null; clean_up' EXIT
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=400k,mode=700 tmpfs "$dir/disk" 2> /dev/null; then
	export ETALON_STORE="$dir/disk/store.db"
	"$ETALON" import -q "$dir/hyperfine.json" > /dev/null
	holds $? "import: it succeeds on a small disk"
	seq 1 20000 > "$dir/many"
	gives 4 "import: a full disk gives exit status 4" "$ETALON" import "$dir/many"
	says "no space left"
	gives 0 "list: it succeeds on a full disk" "$ETALON" list --json
	python3 -c 'import json, sys; e, = json.load(open(sys.argv[1])); assert e["samples"] == 6' "$dir/out"
	holds $? "list: everything stored before the disk was full is there"
	gives 4 "run: a disk that fills up gives exit status 4" "$ETALON" run -q -w 0 -r 3000 'sleep 0'
	says "no space left"
	cp "$dir/err" "$dir/err.run"
	gives 0 "list: it succeeds after a run filled the disk" "$ETALON" list --json
	python3 -c 'import json, sys; e = json.load(open(sys.argv[1])); assert e[0]["samples"] > 10, e' "$dir/out"
	holds $? "list: the samples from before the disk was full are there"
	id=$("$ETALON" list --json | jq -r '.[0].id')
	[ "$("$ETALON" show --json "$id" | jq -r .state)" != failed ]
	holds $? "run: an experiment that the full disk ended is not failed"
	grep -q "^hint: .*run 'etalon run --resume $id' to continue" "$dir/err.run"
	holds $? "run: the hint on a full disk shows how to continue"
	rm -f "$dir/disk"/*-shm # SQLite makes it again, for which there is no space
	cat /dev/zero 2>/dev/null >"$dir/disk/ballast"
	gives 4 "import: a disk without a free byte gives exit status 4" "$ETALON" import "$dir/hyperfine.json"
	says "no space left"
	rm "$dir/disk/ballast"
	mount -o remount,size=16m "$dir/disk"
	gives 0 "resume: an experiment that the full disk ended continues" "$ETALON" run -q --resume
	"$ETALON" show --json "$id" | jq -c '[.commands[].samples[] | select(.warmup | not) | .round] | sort' > "$dir/rounds"
	[ "$(cat "$dir/rounds")" = "$(jq -nc '[range(1; 3001)]')" ]
	holds $? "resume: after a full disk no sample is missing or doubled"
	mount -o remount,ro "$dir/disk"
	gives 0 "list: it succeeds on a read-only disk" "$ETALON" list
	gives 4 "import: a read-only disk gives exit status 4" "$ETALON" import "$dir/hyperfine.json"
	says "read-only"
	umount "$dir/disk"
else
	skip "store: a full and a read-only disk are errors" "a full disk: needs root and mount"
fi
if can_drop_privileges; then
	unprivileged mkdir folder
	unprivileged "$public/bin/etalon" run -q --store folder/store.db -r 1 -- true > /dev/null
	chmod 555 "$public/folder"
	gives 4 "run: a store in a read-only folder gives exit status 4" \
		unprivileged "$public/bin/etalon" run --store folder/store.db -- true
	says "the folder of the store is read-only"
	gives 4 "list: without HOME, the store is in the home of the user" \
		unprivileged env -u HOME -u ETALON_STORE -u XDG_DATA_HOME "$public/bin/etalon" show last
	says "$(getent passwd 65534 | cut -d: -f6)/.local/share/etalon/etalon.db"
else
	skip "run: a store in a read-only folder gives exit status 4" "$why_not"
fi
done_testing
