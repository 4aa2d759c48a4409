#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon doe`: its actions and options; experiments that run, are killed, continue and fail.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'doe: without an action it fails' 2 etalon doe
like 'doe: the error lists the actions' "$err" "hint: use 'doe init'"
exits 'doe: a mistyped action fails' 2 etalon doe plna
like 'doe: the hint is the nearest action' "$err" "did you mean 'doe plan'"
exits 'doe: an option of another action fails' 2 etalon doe run --tables plan.yaml
like 'doe: the error names the action of the option' "$err" "takes no --tables.*option of 'doe analyse'"
exits 'doe: status takes no file for --json' 2 etalon doe status --json=x plan.yaml

# plan NAME LEVELS COMMAND: a plan of two factors and one program, whose name is NAME
plan()
{
	cat <<-END
		name: $1
		programs:
		  - name: prog
		    command: $3
		factors:
		  - {name: a, kind: parameter, levels: [$2]}
		  - {name: pad, kind: environment-size, levels: [0, 512]}
		replications: 4
		seed: 7
		response: et
	END
}

# counts FILE: "discarded counted" of each command of a record, without those that failed
counts()
{
	python3 -c '
import json, sys
for c in json.load(open(sys.argv[1]))["commands"]:
    kept = [s for s in c["samples"] if not (s["removed"] or {}).get("by") == "failed"]
    print(sum(s["warmup"] for s in kept), sum(not s["warmup"] for s in kept))' "$1"
}

# places FILE: round, position and command of all counted runs, in the order of their places
places()
{
	python3 -c '
import json, sys
e = json.load(open(sys.argv[1]))
print(sorted((s["round"], s["position"], i) for i, c in enumerate(e["commands"])
             for s in c["samples"] if not s["warmup"]))' "$1"
}

# are_in_order FILE: the counted runs were made in the order of their places; in Yates order each
# treatment has its own rounds
# shellcheck disable=SC2317 # ok calls it
are_in_order()
{
	python3 -c '
import json, sys
e = json.load(open(sys.argv[1]))
runs = [(s["order"], s["round"], s["position"]) for c in e["commands"]
        for s in c["samples"] if not s["warmup"]]
key = (lambda r: (r[2], r[1])) if e["order"] == "sequential" else (lambda r: (r[1], r[2]))
assert sorted(runs) == sorted(runs, key=key), sorted(runs)' "$1"
}

# --- run ---

plan whole '1, 2' 'etalon put inc --iterations {a}000' >whole.yaml
exits 'run: a plan is measured' 0 etalon doe run whole.yaml --json whole.json
like 'run: the text names the number of runs and the analysis' "$out" 'kept as .*etalon doe analyse whole.yaml'
is 'run: each treatment has its runs, of which the first is discarded' "$(counts whole.json)" $'1 3\n1 3\n1 3\n1 3'
is 'run: the record has the design' "$(python3 -c '
import json; d = json.load(open("whole.json"))["design"]
print(d["name"], [f["name"] for f in d["factors"]], [t["levels"] for t in d["treatments"]])')" \
	"whole ['a', 'pad'] [[0, 0], [1, 0], [0, 1], [1, 1]]"
exits 'run: the same command reports that the plan is done' 0 etalon doe run whole.yaml
like 'run: a plan that is done is not measured again' "$out" 'is done.*etalon doe analyse whole.yaml'
exits 'run: --new measures it again' 0 etalon doe run --new --progress always whole.yaml
like 'run: the progress counts the runs of all treatments' "$err" 'prog a=.,pad=.*12/12 .*left'
is 'list: both experiments are listed as designed' "$(etalon list | grep -c 'whole *\[doe\] prog')" 2
etalon list --json >list.json
ok 'list: JSON says that they are designed' python3 -c '
import json; assert all(e["design"] and not e["profile"] for e in json.load(open("list.json")))'
sed 's/^name:/# a comment\nname:  /' whole.yaml >form.yaml
exits 'run: comments and spaces do not change a plan' 0 etalon doe run form.yaml
like 'run: a plan in another form is done, too' "$out" 'is done'
exits 'run: without a store to write it fails' 4 etalon doe run whole.yaml --store /dev/null/x
exits 'run: a file that is not there fails' 2 etalon doe run nothing.yaml
# Samples of what was measured earlier decide nothing: the plans are compared.
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("heads.db")
	sqlite3.connect("store.db").backup(db)
	assert db.execute('UPDATE sample SET "order" = -1 - "order"').rowcount > 0
	db.commit()
END
exits 'run: a finished plan is found without its samples' 0 etalon doe run --store heads.db whole.yaml
like 'run: the plan whose samples are damaged is done' "$out" 'is done: all runs'

sed 's/replications: 4/replications: 4000/; s/^name: .*/name: large/' whole.yaml >large.yaml
exits 'run: a large experiment is refused without a terminal' 2 etalon doe run large.yaml
like 'run: --yes begins a large one' "$err" '16000 runs.*--yes'
is 'run: a refused experiment is not stored' "$(etalon list | grep -c large)" 0

# --- a changed plan ---

sed 's/512/1024/; s/replications: 4/replications: 6/' whole.yaml >changed.yaml
exits 'change: a changed plan is refused' 2 etalon doe run changed.yaml
like 'change: the differences are listed' "$err" \
	'replications: 4, now 6.*factor pad, levels: 0, 512, now 0, 1024.*doe run --new changed.yaml'
exits 'change: the status of a changed plan is refused, too' 2 etalon doe status changed.yaml
exits 'change: --new begins with the changed plan' 0 etalon doe run --new changed.yaml
exits 'change: the plan before the change is still known' 0 etalon doe run whole.yaml
like 'change: a plan finds its own experiment among those of the same name' "$out" 'is done'

# --- a program that fails ---

# shellcheck disable=SC2016 # the program expands it
plan failing '0, 3' "sh -c 'test ! -e broken || exit {a}'" >failing.yaml
touch broken
exits 'failure: the exit status is 1' 1 etalon doe run failing.yaml --json failing.json
like 'failure: the programs that failed are named' "$err" \
	'2 of 4 did not.*prog a=3,pad=0: exit status 3.*prog a=3,pad=512: exit status 3'
is 'failure: the other treatments have all their runs' "$(counts failing.json)" $'1 3\n0 0\n1 3\n0 0'
is 'failure: the samples of failures are kept' \
	"$(python3 -c 'import json; print(sum(s["exit_code"] == 3 for c in json.load(open("failing.json"))["commands"] for s in c["samples"]))')" 2
exits 'failure: status succeeds' 0 etalon doe status failing.yaml
like 'failure: status shows what failed, and why' "$out" \
	'8 of 16 runs are done.*2.of 4 failed.*a=3,pad=0 *failed.*failed: prog a=3,pad=512: exit status 3'
plan many '3, 4, 5, 6, 7, 8' "sh -c 'exit {a}'" >many.yaml
exits 'failure: many treatments that fail give exit status 1' 1 etalon doe run many.yaml
like 'failure: of many treatments that fail, eight are named, and the others are counted' "$err" \
	'12 of 12 did not.*and 4 more, which .etalon doe status. lists'
is 'failure: the last lines of two programs are shown' "$(grep -c 'failed with exit status' .err)" 2
exits 'failure: -v succeeds in the same way' 1 etalon doe run -v --new many.yaml
is 'failure: -v names all programs that failed' "$(grep -c '^  prog a=.*: exit status' .err)" 12
rm broken
exits 'failure: a mended program gets its runs' 0 etalon doe run failing.yaml --json failing.json
like 'failure: the text says what is tried again' "$out" 'continuing .*8 of 16 .*2 that failed are tried again'
is 'failure: only the treatments that failed are run again' "$(counts failing.json)" $'1 3\n1 3\n1 3\n1 3'

plan signalled '1, 2' "sh -c 'test {a} = 1 || kill -9 \$\$'" >signalled.yaml
exits 'failure: a program that a signal ends has failed' 1 etalon doe run signalled.yaml
like 'failure: the signal is named' "$err" 'a=2,pad=0: signal 9 \(Killed\)'
printf 'not a program\n' >prog2
printf '#!/bin/sh\n' >prog1
chmod +x prog1 prog2
plan unstarted '1, 2' './prog{a}' >unstarted.yaml
exits 'failure: a program that cannot be executed has failed' 1 etalon doe run unstarted.yaml --json unstarted.json
like 'failure: the others are measured nevertheless' "$(counts unstarted.json)" '1 3.0 0.1 3.0 0'
exits 'failure: its record is read back' 0 etalon import --copy unstarted.json
rm prog2
exits 'run: a program that is not there is refused before the first run' 2 etalon doe run --new unstarted.yaml

# --- kill -9, Ctrl-C ---

# The program itself ends etalon in its seventh run, in the middle of a round. Samples of the last 50 ms
# may not be durable yet.
# shellcheck disable=SC2016 # the program expands it
plan killed '1, 2' "sh -c 'echo x >>runs; test \$(wc -l <runs) != 7 || kill -\$(cat signal) \$PPID; sleep 0.0{a}'" >killed.yaml
for order in random yates interleaved; do
	for signal in KILL INT; do
		rm -f runs
		echo "$signal" >signal
		{ sed "s/^name: .*/name: $order $signal/" killed.yaml; echo "order: $order"; } >one.yaml
		run etalon doe run one.yaml
		is "kill: SIG$signal ends it ($order)" "$status" "$([ $signal = KILL ] && echo 137 || echo 130)"
		[ $signal = KILL ] || like "interrupt: the text says how to continue ($order)" "$err" \
			"of 16 runs are done.*run 'etalon doe run one.yaml' to continue"
		exits "status: it knows the experiment ($order)" 0 etalon doe status one.yaml
		like "status: it tells a killed experiment from an interrupted one ($order)" "$out" \
			"^[4567] of 16 runs are done, about .* left; begun .*, $([ $signal = KILL ] && echo 'then killed' || echo interrupted)"
		exits "resume: run leaves the experiment to doe run ($order)" 2 etalon run --resume
		like "resume: run names the plan ($order)" "$err" "the plan '$order $signal' of 'etalon doe'.*doe run PLAN"
		exits "resume: the same command continues ($order)" 0 etalon doe run one.yaml --json one.json
		like "resume: the text says so ($order)" "$out" 'continuing .*: [4567] of 16 runs are done'
		is "resume: each treatment has all its runs ($order)" "$(counts one.json | cut -d' ' -f2 | xargs)" '3 3 3 3'
		ok "resume: the runs have their order ($order)" are_in_order one.json
		echo 0 >signal
		rm -f runs
		etalon doe run --new one.yaml --json whole.json >/dev/null 2>&1
		is "resume: the schedule is that of one session ($order)" "$(places one.json)" "$(places whole.json)"
	done
done

# --- a full disk ---

plan full '1, 2' 'sleep 0.02{a}' | sed 's/replications: 4/replications: 9/' >full.yaml
full=$work/full.db
etalon run -q -r 1 -w 0 --store "$full" true >/dev/null 2>&1
run bash -c "ulimit -f $(($(stat -c %s "$full") / 1024 + 60)); exec etalon doe run full.yaml --store '$full'"
is 'disk: a full disk ends the experiment' "$status" 4
like 'disk: the error says how to continue' "$err" "run 'etalon doe run full.yaml --store .*' to continue"
exits 'disk: with room it continues' 0 etalon doe run full.yaml --store "$full" --json full.json
like 'disk: the text says so' "$out" 'continuing'
is 'disk: each treatment has its runs' "$(counts full.json | cut -d' ' -f2 | xargs)" '8 8 8 8'

# --- a restart before each treatment; the boot is that of a captured tree ---

boot=$work/tree/proc/sys/kernel/random/boot_id
mkdir -p "$(dirname "$boot")"
{ plan restarts '1, 2' 'true {a}' | sed 's/replications: 4/replications: 2/'
	echo 'order: yates'; echo 'hooks: {reboot: "echo restart >>restarts"}'; } >restarts.yaml
boot()
{
	echo "boot-$1" >"$boot"
	ETALON_SYSROOT=$work/tree run etalon doe run restarts.yaml --json restarts.json
}
boot 1
is 'restart: the session ends after the first treatment' "$status $(cat restarts)" '0 restart'
like 'restart: the text says what follows' "$out" 'the machine restarts before treatment 2 of 4'
boot 1
is 'restart: a machine that has not restarted is refused' "$status" 3
boot 2
boot 3
is 'restart: each boot has one treatment' "$(counts restarts.json | xargs)" '1 1 1 1 1 1 0 0'
boot 4
is 'restart: after the last treatment the experiment is done' \
	"$status $(counts restarts.json | xargs) $(wc -l <restarts)" '0 1 1 1 1 1 1 1 1 3'

done_testing
