#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A record is data: etalon run --resume runs no commands of a record that came from elsewhere unless
# it was told to trust it, and refuses a record that no etalon could have written.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export COLUMNS=1000 # paths are shown on one line

change() # change SQL…: executes it on the store
{
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for sql in sys.argv[2:]: db.execute(sql)' "$work/store.db" "$@"
}

interrupted() # interrupted LABEL: stores an experiment of which one run of three was made
{
	etalon run -q --label "$1" -w 0 -r 1 -- true >/dev/null
	change "UPDATE experiment SET state = 'interrupted', plan_runs = 3 WHERE label = '$1'"
}

state() # state LABEL: the state of the stored experiment
{
	etalon show --json "$1" | jq -r .state
}

# record ID STATE: a native record whose hooks and files do harm, made in the far future
record()
{
	cat <<-END
	{ "etalon": 1, "id": "$1", "label": "$1", "state": "$2", "protocol": "raw",
	  "started_wall_ns": 4000000000000000000,
	  "plan": { "runs": 2, "level": 0.95 },
	  "child": { "directory": "$work", "output": "$work/victim", "input": "/etc/hostname" },
	  "commands": [ { "name": "sort data", "command": "sort data", "argv": ["true", "a b"],
	    "setup": "touch PWNED", "prepare": "true \u001b[2Jprepare", "cleanup": "true cleanup" } ] }
	END
}

# --- records from elsewhere
interrupted mine
echo precious >victim
record evil interrupted >evil.json
record evil-running running >running.json
etalon import -q evil.json >/dev/null
etalon import -q running.json >/dev/null
exits "origin: --resume without an id succeeds beside imported records" 0 etalon run -q --resume
is "origin: --resume continues the experiment that was measured here" "$(state mine)" "done"
[ ! -e PWNED ]
holds $? "origin: --resume runs no command of an imported record"
is "origin: --resume leaves the files that an imported record names" "$(cat victim)" precious
refuses "origin: --resume finds nothing if all unfinished records were imported" 2 \
	'no experiment that was measured here is unfinished' etalon run --resume
for id in evil evil-running; do
	exits "origin: --resume $id of an imported record is refused" 2 etalon run --resume "$id"
	like "origin: the error on $id names the cause" "$err" "etalon: experiment $id was imported"
	like "origin: the hint on $id names the option" "$err" "hint: .*--resume $id --trust-record"
done
for text in "directory +$work" "output +$work/victim" "input +/etc/hostname" "setup +touch PWNED" \
	"command +true 'a b'" "cleanup +true cleanup"; do
	like "origin: the refusal shows '$text'" "$err" "$text"
done
unlike "origin: the refusal shows no escape sequences" "$err" $'\033'
[ ! -e PWNED ] && [ "$(cat victim)" = precious ]
holds $? "origin: a refused record runs no command and opens no file"
exits "origin: --trust-record resumes an imported record" 0 etalon run -q --resume evil --trust-record
like "origin: --trust-record shows the commands" "$err" 'setup +touch PWNED'
[ -e PWNED ]
holds $? "origin: --trust-record runs the commands"
is "origin: a trusted record reaches its end" "$(state evil)" "done"
refuses "origin: --trust-record without an id is refused" 2 'needs the id' etalon run --resume --trust-record
refuses "origin: --trust-record without --resume or --baseline is refused" 2 '--trust-record needs --resume, --baseline, --attach or --cancel' etalon run --trust-record -- true

interrupted copied
change "UPDATE experiment SET machine = 'elsewhere 0000000000000000' WHERE label = 'copied'"
refuses "origin: --resume does not find an experiment of another machine" 2 'no experiment' etalon run --resume
exits "origin: an experiment of another machine is refused" 2 etalon run --resume copied
like "origin: the error names the other machine as the cause" "$err" 'was measured on another machine'
like "origin: an experiment of another machine is shown" "$err" 'command +true'
change "UPDATE experiment SET origin = NULL, machine = NULL WHERE label = 'copied'"
exits "origin: an experiment of an etalon without origins is refused" 2 etalon run --resume copied
like "origin: the error names the unknown origin as the cause" "$err" 'is of unknown origin'
refuses_it() # refuses_it LABEL NAME…: a name of the record that is not its id does not suffice
{
	exits "origin: --trust-record with $1 is refused" 2 etalon run -q --resume "$2" --trust-record
	like "origin: the hint after $1 has the id" "$err" "hint: .*--resume $copied --trust-record"
}
copied=$(etalon list --json | jq -r '.[] | select(.label == "copied").id')
refuses_it 'a label' copied
refuses_it 'a prefix of the id' "${copied%?}"
exits "origin: --trust-record with the id resumes it" 0 etalon run -q --resume "$copied" --trust-record

run etalon list --json
json "list: --json has the origin of each experiment" \
	'{e["id"]: e["origin"] for e in d}["evil"] == "imported" and {e["label"]: e["origin"] for e in d}["mine"] == "measured"'
like "show: it prints that a record was imported" "$(etalon show evil)" 'origin +imported'
unlike "show: it prints no origin of an experiment that was measured" "$(etalon show mine)" 'origin'
etalon export -f json evil >exported.json
unlike "export: the record has no origin, which a file could forge" "$(cat exported.json)" '"origin"'

# --- records that no etalon wrote
# hostile NAME PYTHON: imports a record that the expression e makes, and resumes it as trusted
hostile()
{
	python3 -c 'import json, sys
sample = dict(order=1, round=1, position=0, arrangement="solo", et_ns=1000000, pt_ns=1000000)
command = dict(name="x", command="x", argv=["true"])
e = dict(etalon=1, id="hostile", state="interrupted", protocol="raw", plan=dict(runs=3, level=0.95))
def one(**change): e["commands"] = [dict(command, samples=[dict(sample, **change)])]
one()
exec(sys.argv[1])
json.dump(e, sys.stdout)' "$2" >hostile.json
	ok "record: $1 can be imported" etalon import -q hostile.json || return
	refuses "record: $1 is refused" 4 'is not as etalon writes it' etalon run -q --resume hostile --trust-record
	exits "record: $1 can be removed" 0 etalon rm -q hostile
}
hostile "a command without argv" 'e["commands"] = [dict(name="x", command="x")]'
hostile "a command of no words" 'e["commands"] = [dict(command, argv=[])]'
hostile "an empty program name" 'e["commands"] = [dict(command, argv=[""])]'
hostile "an order that would wrap around" 'one(order=4294967295)'
hostile "a round beyond the plan" 'one(round=4294967295)'
hostile "a round beyond the plan, with 4096 commands" \
	'one(round=4294967295); e["commands"] += [command] * 4095'
hostile "a position beyond the round" 'one(position=4294967295)'
hostile "a round of 0" 'one(round=0)'
hostile "a duet with itself" 'one(arrangement="duet", partner=0)'
hostile "a plan of 4294967295 runs" 'e["plan"]["runs"] = 4294967295'
hostile "a plan of 4294967295 warm-up runs" 'e["plan"]["warmup"] = 4294967295'

# Values that only the runner can judge: an error, not a crash.
for child in '"cpus": "99999"' '"sched": "fifo:1000"' '"user": "no such user"' '"shell": ""' \
	'"directory": "/nonexistent"' '"input": "/nonexistent"' '"output": "/nonexistent/x"'; do
	cat >odd.json <<-END
	{ "etalon": 1, "id": "odd", "state": "interrupted", "protocol": "raw",
	  "plan": { "runs": 1, "level": 0.95 }, "child": { $child },
	  "commands": [ { "name": "x", "command": "x", "argv": ["true"], "setup": "true" } ] }
	END
	etalon import -q odd.json >/dev/null
	run etalon run -q --resume odd --trust-record
	[[ $status -le 4 && ($status -eq 0 || $err =~ etalon:\ ) ]]
	holds $? "record: $child is accepted or refused with an error (status $status)"
	etalon rm -q odd
done

# --- root and the stores of other users
if can_drop_privileges; then
	theirs=$public/store.db
	unprivileged etalon run -q --label theirs -w 0 -r 3 -- true >/dev/null
	owner() # owner LABEL COMMAND…: root does not write this store
	{
		refuses "owner: $1" 4 'root does not write this store' "${@:2}"
		like "owner: $1; the hint names another store" "$err" 'hint: .*--store'
	}
	owner "--resume of another user's store is refused" etalon run --store "$theirs" --resume theirs
	owner "run is refused" etalon run --store "$theirs" -- true
	owner "import is refused" etalon import --store "$theirs" evil.json
	owner "rm is refused" etalon rm --store "$theirs" theirs
	exits "owner: root lists another user's store" 0 etalon list --store "$theirs"
	exits "owner: root shows another user's experiment" 0 etalon show --store "$theirs" theirs
	exits "owner: root exports another user's experiment" 0 etalon export --store "$theirs" theirs
	owner "a new store in another user's folder is refused" etalon run --store "$public/new.db" -- true
	owner "the default store in another user's HOME is refused" \
		env -u ETALON_STORE HOME="$public" etalon run -- true
	[ ! -e "$public/new.db" ] && [ ! -e "$public/.local/share" ]
	holds $? "owner: a refused store leaves no file in another user's folder"

	mkdir ours
	cp store.db ours/store.db
	exits "owner: a store of root's own is used" 0 etalon run -q --store ours/store.db -r 1 -- true
	ln -s "$work/ours/store.db" "$public/link.db"
	exits "owner: a link to a store of root's own is followed" 0 etalon run -q --store "$public/link.db" -r 1 -- true
	chown 65534 ours/store.db
	owner "a store that another user owns is refused" etalon run --store ours/store.db -- true
	chown 0 ours/store.db
	chmod 666 ours/store.db
	owner "a store that others can write is refused" etalon run --store ours/store.db -- true
	chmod 600 ours/store.db
	for file in wal shm journal; do
		touch "ours/store.db-$file"
		chown 65534 "ours/store.db-$file"
		owner "a -$file file that another user owns is refused" etalon run --store ours/store.db -- true
		rm "ours/store.db-$file"
	done
	chmod 777 ours
	owner "a folder that others can write is refused" etalon run --store ours/store.db -- true
	chmod 1777 ours
	owner "a sticky folder, where others can make a log, is refused" etalon run --store ours/store.db -- true
	chmod 755 ours
	mkdir "$public/between"
	mv ours "$public/between/ours"
	chown 0 "$public/between"
	owner "a folder below another user's folder is refused" etalon run --store "$public/between/ours/store.db" -- true

	# A user who is not root may share a store, but another user wrote its commands.
	chmod 777 "$public/between" "$public/between/ours"
	chmod 666 "$public/between/ours/store.db"
	run unprivileged etalon run -q --store "$public/between/ours/store.db" -w 0 -r 1 --label shared -- true
	is "owner: a user writes to a shared store" "$status" 0
	shared() # shared SQL…: executes it on the shared store
	{
		python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for sql in sys.argv[2:]: db.execute(sql)' "$public/between/ours/store.db" "$@"
	}
	resume() { run unprivileged etalon run -q --store "$public/between/ours/store.db" --resume shared; }
	shared "UPDATE experiment SET state = 'interrupted', plan_runs = 3"
	resume
	is "owner: an experiment in a shared store is resumed by the user who began it" "$status" 0
	shared "UPDATE experiment SET state = 'interrupted', plan_runs = 4" "UPDATE command SET prepare = 'touch $public/PWNED'"
	resume
	is "owner: it is not after another user has changed it" "$status" 2
	like "owner: the error names the change as the cause" "$err" 'was changed since it was begun'
	like "owner: what another user has put there is shown" "$err" "prepare +touch $public/PWNED"
	id=$(etalon list --store "$public/between/ours/store.db" --json | jq -r '.[] | select(.label == "shared").id')
	shared "UPDATE experiment SET id = '${id%?????}00000' WHERE id = '$id'"
	resume
	is "owner: nor is one that another user has added" "$status" 2
	like "owner: the error names the shared store as the cause" "$err" 'in a store that other users can write'
	chown -R 65534 "$public/between"
	chmod 755 "$public/between" "$public/between/ours"
	chmod 600 "$public/between/ours/store.db"
	resume
	is "owner: a store that is the user's own now, but was not, needs trust" "$status" 2
	like "owner: the error says that the user did not begin it" "$err" 'not among those that you began here'
	[ ! -e "$public/PWNED" ]
	holds $? "owner: nothing of it ran"
else
	skip "owner: root does not write the stores of other users" "$why_not"
fi
done_testing
