#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon daemons learn` with --preset and --env on a captured machine, and `daemons forget`.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"

etalon put inc --seconds 1ms # calibrates now, not within a sample
tiny=(--short-runs 10 --short-seconds 5ms --long-runs 0)
# fact NAME: a member of what is stored about this machine's daemons
fact()
{
	python3 - "$1" <<'PY'
import json, sqlite3, sys
rows = sqlite3.connect("store.db").execute("SELECT value FROM fact WHERE key = 'daemon-cutoffs' AND value <> ''")
print(*[json.loads(v)[sys.argv[1]] for v, in rows])
PY
}
# at_terminal COMMAND: runs it at a terminal, with our standard input as the keyboard
at_terminal() { script -qec "$1" /dev/null 2>&1; }

# --- nothing is learned yet
exits 'daemons forget: without a store it succeeds' 0 etalon daemons forget
is 'daemons forget: without a store it says that nothing is learned' "$out" 'nothing is learned on this machine'
ok 'daemons forget: without a store it makes none' test ! -e store.db

# --- what a learning records
exits 'daemons learn: a small plan succeeds' 0 etalon daemons learn --busy -q "${tiny[@]}"
short=$(etalon show --json daemons-short | jq -r .id)
is 'daemons learn: the id of its experiment is recorded' "$(fact short_id) $(fact long_id)" "$short "
is 'daemons learn: without --env the environment was not applied' "$(fact tuned)" False
is 'daemons learn: the machine is recorded' "$(fact machine)" \
	"$(sqlite3 store.db "SELECT DISTINCT machine FROM experiment")"

# --- forget
learned=$(fact learned_wall_ns)
refuses 'daemons forget: without a terminal it needs --yes' 2 'cannot ask' etalon daemons forget
like 'daemons forget: without a terminal the hint names --yes' "$err" 'hint: add --yes'
exits 'daemons forget: what it refused to remove is there' 0 etalon daemons show
exits 'daemons forget: --yes succeeds without a terminal' 0 etalon daemons forget --yes
like 'daemons forget: it describes what it removed' "$out" \
	'removed the cutoffs of this machine: learned on 20[0-9-]+ from 10 samples of .* ms, [0-9]+ daemons? with a cutoff'
like 'daemons forget: it shows how to get the cutoffs back' "$out" "'etalon daemons analyse $short --keep'"
refuses 'daemons show: after forget there are no cutoffs' 2 'no cutoffs are stored' etalon daemons show
exits 'daemons analyse: --keep finds the cutoffs again' 0 etalon daemons analyse --keep "$short"
is 'daemons analyse: --keep restores the date of a learning without --env' "$(fact learned_wall_ns) $(fact tuned)" "$learned False"
etalon daemons forget --yes >/dev/null
is 'daemons forget: the samples are kept' "$(etalon list --json | jq -r '.[].label')" daemons-short
exits 'daemons forget: a second time succeeds' 0 etalon daemons forget
is 'daemons forget: a second time there is nothing' "$out" 'nothing is learned on this machine'
etalon daemons learn --busy -q "${tiny[@]}" >/dev/null 2>&1
etalon rm daemons-short >/dev/null
exits 'daemons forget: it succeeds after the samples were removed' 0 etalon daemons forget --yes
like 'daemons forget: without the samples it advises to learn again' "$out" "run 'etalon daemons learn' to learn again"
refuses 'daemons forget: an option of learn is rejected' 2 'daemons forget takes no --env' etalon daemons forget --env
refuses 'daemons show: --yes is rejected' 2 'daemons show takes no --yes' etalon daemons show --yes
refuses 'daemons forget: an operand is rejected' 2 "unexpected 'all'" etalon daemons forget all

python3 - <<'PY'
import sqlite3, socket
db = sqlite3.connect("store.db")
db.execute("INSERT INTO fact (machine, key, value, changed_ns) VALUES ('', ?, '{', 0)", ("daemon-cutoffs " + socket.gethostname(),))
db.commit()
PY
refuses 'daemons show: damaged cutoffs are an error' 4 'cannot be read' etalon daemons show
refuses 'daemons forget: damaged cutoffs need --yes without a terminal' 2 'cannot ask' etalon daemons forget
exits 'daemons forget: damaged cutoffs are removed' 0 etalon daemons forget --yes
refuses 'daemons show: after forget the damaged cutoffs are gone' 2 'no cutoffs are stored' etalon daemons show

if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	etalon daemons learn --busy -q "${tiny[@]}" >/dev/null 2>&1
	like 'daemons forget: at a terminal it asks' "$(at_terminal 'etalon daemons forget' <<<n | tr -d '\r' | tr '\n' ' ')" \
		'The cutoffs of this machine were learned on .* with a cutoff\. Remove them\? \[y/N\]'
	exits 'daemons forget: after no the cutoffs are there' 0 etalon daemons show
	like 'daemons forget: after yes it removes them' "$(at_terminal 'etalon daemons forget' <<<y)" 'removed the cutoffs'
	etalon daemons learn --busy -q "${tiny[@]}" >/dev/null 2>&1
	unlike 'daemons forget: with --yes it does not ask' "$(at_terminal 'etalon daemons forget --yes' </dev/null)" '\[y/N\]'
else
	skip 'daemons forget: at a terminal it asks' 'there is no script(1) here'
fi

# --- presets
exits 'daemons learn: --preset takes other figures beside it' 0 etalon daemons learn --busy --preset paper "${tiny[@]}"
like 'daemons learn: figures that are given replace those of the preset' "$err" '10 short and 0 long samples'
refuses 'daemons learn: --only needs --env' 2 '--only needs --env' etalon daemons learn --only turbo
refuses 'daemons learn: an unknown preset is rejected' 2 'preset' etalon daemons learn --preset slow
env --default-signal=INT etalon daemons learn --label nine --preset paper >/dev/null 2>nine.err &
pid=$!
wait_until "etalon list --json | jq -e 'any(.[]; .label == \"nine-short\")' >/dev/null"
kill -INT $pid
wait $pid
is 'daemons learn: Ctrl-C gives exit status 130' $? 130
like 'daemons learn: --preset paper takes 800 and 40 samples and nine days' "$(cat nine.err)" '800 short and 40 long samples, about 8\.77 days in all'

# --- --env, on a captured machine
if [ "$(id -u)" -eq 0 ]; then
	laptop
	exits 'daemons learn --env: it succeeds' 0 etalon daemons learn --busy -q --env --label tuned "${tiny[@]}"
	is 'daemons learn --env: the record has the environment of the samples' \
		"$(etalon show --json tuned-short | jq -r '.environment[] | select(.factor == "turbo") | .state')" off
	is 'daemons learn --env: it is recorded with the cutoffs' "$(fact tuned)" True
	as_before 'daemons learn --env at its end'
	is 'daemons learn --env: the factors are recorded, those of EMP' "$(fact factors)" \
		daemons,timers,time-sync,frequency-limits,frequency-governor,turbo
	exits 'daemons learn --env: --only and --except choose factors' 0 etalon daemons learn --busy -q --env --only aslr,turbo --except turbo \
		--label tuned "${tiny[@]}"
	is 'daemons learn --env: the chosen factors are recorded' "$(fact factors)" aslr
	as_before 'daemons learn --env --only at its end'
	learned=$(fact learned_wall_ns) services=$(fact services) id=$(fact short_id)
	etalon daemons forget --yes >/dev/null
	exits 'daemons analyse: --keep finds a learning again after forget' 0 etalon daemons analyse --keep "$id"
	is 'daemons analyse: --keep restores date, services and environment of a learning' \
		"$(fact learned_wall_ns) $(fact services) $(fact tuned)" "$learned $services True"
	env --default-signal=INT etalon daemons learn --env --label cut --short-runs 100 --short-seconds 20ms \
		--long-runs 0 >/dev/null 2>cut.err &
	pid=$!
	wait_for_samples cut-short 2
	kill -INT $pid
	wait $pid
	is 'daemons learn --env: Ctrl-C gives exit status 130' $? 130
	as_before 'daemons learn --env after Ctrl-C'
	exits 'daemons learn --env: --resume succeeds' 0 etalon daemons learn --busy --resume --label cut
	like 'daemons learn --env: --resume says that it applies the environment again' "$err" 'the environment is applied again'
	as_before 'daemons learn --env --resume at its end'
	etalon daemons learn --busy -q --label plain "${tiny[@]}" >/dev/null 2>&1
	refuses 'daemons learn: --resume --env rejects a learn that began without it' 2 'began without --env' \
		etalon daemons learn --resume --env --label plain
else
	skip 'daemons learn --env: it succeeds' 'only root may apply an environment'
fi
if can_drop_privileges; then
	machine vm
	cp -a tree "$public"
	chmod -R go-w "$public/tree"
	refuses 'daemons learn --env: without root it fails before it measures' 3 'nothing could be changed' \
		unprivileged ETALON_SYSROOT="$public/tree" ETALON_SYSTEMCTL= etalon daemons learn --env --only aslr "${tiny[@]}"
else
	skip 'daemons learn --env: without root it fails before it measures' "$why_not"
fi

done_testing
