#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon emp`: the steps of the protocol, done, reused, skipped or not possible, and what is reported.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"

etalon put inc --seconds 1ms # calibrates now, not within a sample
laptop                       # the environment of a captured machine is changed, not ours
# Samples of 10 ms: a learning fits programs of up to twice its length, such as sleep 0.01.
tiny=(--short-runs 40 --short-seconds 10ms --long-runs 0)
# flat: the last stdout in one line, with single spaces
flat() { tr '\n' ' ' <.out | tr -s ' '; }
# state FILE STEP, step FILE STEP: of the record's steps
state() { jq -r --arg s "$2" '.emp.steps[] | select(.step == $s) | .state' "$1"; }
step() { jq -r --arg s "$2" '.emp.steps[] | select(.step == $s) | .note' "$1"; }
root_or_skip()
{
	[ "$(id -u)" -eq 0 ] && return 0
	skip "$1" 'needs root'
	return 1
}

# --- --dry-run
exits 'emp --dry-run: it succeeds' 0 etalon emp --dry-run 'sleep 0.1'
for name in environment daemons runs 'check I' 'check II' time; do
	like "emp --dry-run: it lists the step $name" "$out" "  $name  "
done
like 'emp --dry-run: it says how many runs there would be' "$out" '10 runs and 1 warm-up of the command'
is 'emp --dry-run: it prints no error' "$err" ''
ok 'emp --dry-run: it makes no store' test ! -e store.db
ok 'emp --dry-run: it changes nothing' diff -r --no-dereference before tree
exits 'emp --dry-run: --learn quick succeeds' 0 etalon emp --dry-run --learn quick -r 20 -w 2 'sleep 0.1' true
like 'emp --dry-run: --learn quick tells the length of the learning' "$(flat)" \
	'daemons planned: 300 samples of 1 s and 40 of 8 s, about 10\.3 min runs planned: 20 runs and 2 warm-up of each of 2 commands'
like 'emp --dry-run: the time is that of the learning and of the runs' "$(flat)" 'time 10\.3 min and 22 × the time of each command'
exits 'emp --dry-run: --learn paper succeeds' 0 etalon emp --dry-run --learn paper true
like 'emp --dry-run: --learn paper takes nine days' "$(flat)" '800 samples of 2\.13 min and 40 of 4\.55 h, about 8\.77 days'
exits 'emp --dry-run: --yes succeeds' 0 etalon emp --dry-run --yes true
like 'emp --dry-run: --yes learns quickly' "$(flat)" 'daemons planned: 300 samples'
exits 'emp --dry-run: --until succeeds' 0 etalon emp --dry-run --until 5% true
like 'emp --dry-run: --until replaces the ten runs' "$out" '30 to 1000 runs'
exits 'emp --dry-run: --learn never succeeds' 0 etalon emp --dry-run --learn never -r 5 true
like 'emp --dry-run: without a learning check I is not possible' "$(flat)" \
	'daemons skipped: nothing is learned runs .* check I not possible: no daemons are learned on this machine'
like 'emp --dry-run: check II is not possible with few runs' "$(flat)" 'check II not possible: it needs 6 samples'
like 'emp --dry-run: the time is a multiple of that of the command' "$(flat)" 'time 6 × the time of the command'
refuses 'emp --dry-run: a program that does not exist is rejected' 2 'nosuchprogram' etalon emp --dry-run nosuchprogram
refuses 'emp: a program that does not exist is rejected' 2 'nosuchprogram' etalon emp -v nosuchprogram
is 'emp: the program is looked for before the environment is changed' "$out" ''
refuses 'emp --dry-run: --json is rejected' 2 '--dry-run and --json exclude each other' etalon emp --dry-run --json x.json true
ok 'emp --dry-run: a rejected --json leaves no file' test ! -e x.json
refuses 'emp --dry-run: an unknown factor is rejected' 2 'nosuch' etalon emp --dry-run --only nosuch true
refuses 'emp: an unknown learning is rejected' 2 'learn' etalon emp --learn slow true
refuses 'emp: another protocol is rejected' 2 'contradicts etalon emp' etalon emp --protocol raw true
refuses 'emp: no command is rejected' 2 'command' etalon emp
like 'emp: the hint names emp' "$err" "hint: name a command: etalon emp 'sort data.txt'"
exits 'emp --help: it succeeds' 0 etalon emp --help
like 'emp --help: ten runs are the default' "$(flat)" '--runs N samples per command \(10, unless'
unlike 'emp --help: the default protocol of run is not in it' "$out" '\(cause\)'
refuses 'run: an option of emp is rejected' 2 'unknown option --learn' etalon run --learn never true

# --- nothing is learned
exits 'emp: without a terminal it does not learn, and succeeds' 0 etalon emp --json first.json 'sleep 0.01'
is 'emp: ten runs and a warm-up run are the default' \
	"$(jq -r '[.commands[0].samples[].warmup] | "\(map(select(.)) | length) \(map(select(. | not)) | length)"' first.json)" '1 10'
is 'emp: the protocol is emp' "$(jq -r .protocol first.json)" emp
is 'emp: the steps are in the record in their order' "$(jq -r '[.emp.steps[].step] | join(", ")' first.json)" \
	'environment, daemons, runs, check I, check II'
is 'emp: the daemons are skipped' "$(state first.json daemons)" skipped
like 'emp: the line says how to learn' "$(step first.json daemons)" 'nothing is learned; add --learn quick'
is 'emp: check I is not possible without a learning' "$(state first.json 'check I')" 'not possible'
is 'emp: the runs are done' "$(state first.json runs): $(step first.json runs)" 'done: 10 samples, 1 warm-up run'
is 'emp: check II is done, with the samples that the record has as removed' "$(state first.json 'check II'): $(step first.json 'check II')" \
	"$(jq -r '[.commands[0].samples[] | select(.warmup | not)] as $s |
		"done: \([$s[] | select(.removed.by == "two-sigma")] | length) of \($s | length) samples removed"' first.json)"
like 'emp: the steps are printed after the result' "$(flat)" 'CPU time.* environment .* check II +done: .* kept as'
unlike 'emp: no note repeats the line of check I' "$out" 'note: check I'
exits 'emp: -q prints the result without the steps' 0 etalon emp -q -r 2 true
unlike 'emp: -q prints no step' "$out" 'check I'
exits 'emp: --json - succeeds' 0 etalon emp --json - -r 2 true
ok 'emp: with --json - the record alone is on standard output' jq -e '.emp.steps | length >= 5' .out
like 'emp: with --json - the steps are on standard error' "$err" 'environment  '
is 'emp: check II is not possible with two samples' "$(state .out 'check II')" 'not possible'
exits 'run: it succeeds' 0 etalon run -q -r 2 --json plain.json true
is 'run: the record has no steps of emp' "$(jq -c .emp plain.json)" null

if root_or_skip 'emp: the environment is applied and restored'; then
	is 'emp: the environment is done' "$(state first.json environment)" 'done'
	is 'emp: the record has the environment of the runs' \
		"$(jq -r '.environment[] | select(.factor == "turbo") | .state' first.json)" off
	is 'emp: the address layout is left alone, as in the papers' \
		"$(jq -r '.environment[] | select(.factor == "aslr") | .state' first.json)" 2
	like 'emp: the line names the factors that were changed' "$(step first.json environment)" \
		'^daemons, timers, frequency-limits, frequency-governor, turbo applied for all runs, and restored'
	as_before 'emp at its end'
	exits 'emp: --all-factors succeeds' 0 etalon emp --all-factors --learn never -r 2 --json every.json true
	is 'emp: --all-factors changes the address layout, too' "$(jq -r '.environment[] | select(.factor == "aslr") | .state' every.json)" 0
	as_before 'emp --all-factors at its end'
	exits 'emp: --only selects factors' 0 etalon emp --only aslr -r 2 --json only.json true
	is 'emp: --only changes the selected factor' \
		"$(jq -r '.environment[] | select(.factor == "aslr") | .state' only.json)" 0
	is 'emp: --only leaves the others' "$(jq -r '.environment[] | select(.factor == "turbo") | .state' only.json)" on
	like 'emp: --only has only the selected factor in the line' "$(step only.json environment)" '^aslr applied for all runs, and restored'
	as_before 'emp --only at its end'
	etalon env apply -q --only turbo >/dev/null
	exits 'emp --dry-run: on a machine that is as wanted it succeeds' 0 etalon emp --dry-run --only turbo true
	like 'emp --dry-run: it says that there is nothing to change' "$(flat)" 'environment planned: nothing to change'
	exits 'emp: on a machine that is as wanted it succeeds' 0 etalon emp --only turbo -r 2 --json as-wanted.json true
	is 'emp: no factor is called applied that was as wanted before' "$(step as-wanted.json environment)" 'nothing had to be changed'
	etalon env restore -q >/dev/null
	refuses 'emp: an unknown factor is rejected' 2 'nosuch' etalon emp --only nosuch true
	env --default-signal=INT etalon emp --label cut -r 1000 'sleep 0.02' >cut.out 2>cut.err &
	pid=$!
	wait_for_samples cut 2
	kill -INT $pid
	wait $pid
	is 'emp: Ctrl-C gives exit status 130' $? 130
	as_before 'emp after Ctrl-C'
	like 'emp: after Ctrl-C the hint continues with emp' "$(cat cut.err)" "run 'etalon emp --resume .*' to continue"
	like 'emp: after Ctrl-C the line says that the runs were interrupted' "$(cat cut.out)" 'runs +interrupted: '
fi

# --- a learning that fits, and others
etalon daemons learn --busy -q --env "${tiny[@]}" >/dev/null 2>&1 || etalon daemons learn --busy -q "${tiny[@]}" >/dev/null 2>&1
exits 'emp: with a learning it succeeds' 0 etalon emp --json again.json -r 10 'sleep 0.01'
is 'emp: a learning that fits is reused' "$(state again.json daemons)" reused
like 'emp: the line says when it was learned, and with what' "$(step again.json daemons)" \
	"^learned on $(date -u +%Y-%m-)[0-9]+ from 40 samples of .* ms, [0-9]+ daemons? with a cutoff(; processes that .*)?$"
like 'emp: check I is done with the learning' "$(state again.json 'check I'): $(step again.json 'check I')" \
	'^(done: [0-9]+ of 10 samples removed, [0-9]+ daemons? with a cutoff|skipped: it would have removed [0-9]+ of 10 samples)$'
exits 'emp --dry-run: with a learning it succeeds' 0 etalon emp --dry-run true
like 'emp --dry-run: a learning that fits would be reused' "$(flat)" 'daemons reused: learned on'
exits 'emp --dry-run: --learn quick succeeds with a tiny learning' 0 etalon emp --dry-run --learn quick true
like 'emp --dry-run: --learn quick does not reuse a smaller learning' "$(flat)" 'daemons planned: 300 samples'
exits 'emp --dry-run: --learn paper succeeds with a small learning' 0 etalon emp --dry-run --learn paper true
like 'emp --dry-run: --learn paper does not reuse a smaller learning' "$(flat)" 'daemons planned: 800 samples'

# change KEY VALUE: of the stored learning
change()
{
	python3 - "$1" "$2" <<'PY'
import json, sqlite3, sys
db = sqlite3.connect("store.db")
(key, value), = db.execute("SELECT key, value FROM fact WHERE key = 'daemon-cutoffs'")
d = json.loads(value)
d[sys.argv[1]] = eval(sys.argv[2], {"old": d[sys.argv[1]]})
db.execute("UPDATE fact SET value = ? WHERE key = ?", (json.dumps(d), key))
db.commit()
PY
}
# misfit LABEL KEY VALUE TEXT: emp does not reuse the learning after that change, and says why
misfit()
{
	cp store.db kept.db
	change "$2" "$3"
	run etalon emp --dry-run --learn never true
	like "emp: a learning $1 is not reused" "$(flat)" "daemons skipped: those that were learned $4 are not used runs .* check I not possible: the daemons were learned $4; learn them again"
	rm -f store.db-* && cp kept.db store.db
}
etalon list >/dev/null # merges the write-ahead log
cp store.db kept.db
change machine '"elsewhere"'
exits 'emp: with a learning from another machine it succeeds' 0 etalon emp -q -r 10 --learn never --json other.json true
is 'emp: a learning from another machine is not reused' "$(state other.json daemons): $(step other.json daemons)" \
	'skipped: the learning of another machine (elsewhere) is not used'
is 'emp: check I does not use the cutoffs of another machine' "$(state other.json 'check I')" 'not possible'
rm -f store.db-* && cp kept.db store.db
change short_runs 0
refuses 'emp: cutoffs that cannot be read are an error' 4 'cannot be read' etalon emp -v true
is 'emp: the cutoffs are read before the environment is changed' "$out" ''
rm -f store.db-* && cp kept.db store.db
misfit 'from another kernel' kernel '"2.6.32"' 'with another kernel'
misfit 'with other services' services '"0000000000000000" if old else "x"' 'with other services'
misfit 'of 91 days ago' learned_wall_ns 'old - 91 * 86400 * 10**9' '91 days ago'
misfit 'from tomorrow' learned_wall_ns 'old + 86400 * 10**9' 'with a date in the future'
if [ "$(id -u)" -eq 0 ]; then
	misfit 'without the environment' tuned False 'without the environment applied'
	misfit 'with other factors' factors '"daemons,turbo"' 'with other factors of the environment \(daemons,turbo\)'
	misfit 'that did not see all processes' unseen True 'without seeing processes that end within a sample'
fi
misfit 'of 39 samples' short_runs 39 'from only 39 samples'
cp store.db kept.db
change kernel '"2.6.32"'
exits 'emp: with a learning that does not fit it succeeds' 0 etalon emp -r 6 --learn never --json misfit.json 'sleep 0.01'
like 'emp: a note says that a learning that does not fit is not used' "$(flat)" 'check I not done: the cutoffs of daemons are those of another kernel \(2\.6\.32\); learn new'
is 'emp: the steps of a learning that does not fit agree' "$(state misfit.json daemons): $(step misfit.json daemons); $(state misfit.json 'check I'): $(step misfit.json 'check I')" \
	'skipped: those that were learned with another kernel are not used; not possible: the daemons were learned with another kernel; learn them again with --learn quick (ten minutes)'
is 'emp: the record says that the learning does not fit' "$(jq -r .first_check.state misfit.json)" does-not-fit
exits 'show --rejudge: it succeeds with that learning' 0 etalon show --rejudge --protocol emp --json "$(jq -r .id misfit.json)"
is 'show --rejudge: the same learning does not fit then, either' "$(jq -r .first_check.state <<<"$out")" does-not-fit
exits 'run: it succeeds with a learning that does not fit' 0 etalon run -q -r 3 --protocol emp --json misfit.json 'sleep 0.01'
is 'run: a learning that does not fit is not used' "$(jq -r .first_check.state misfit.json)" does-not-fit
ok 'run: a note says that check I was not done' jq -e '.warnings | any(.code == "first-check-unfit")' misfit.json
ok 'run: the warning says why' jq -e '.warnings | any(.code == "cutoffs-other-kernel")' misfit.json
rm -f store.db-* && cp kept.db store.db

# --- learning, interrupted and continued
etalon daemons forget --yes >/dev/null
env --default-signal=INT etalon emp --learn quick 'sleep 0.01' >learn.out 2>learn.err &
pid=$!
wait_until '[ 0$(samples daemons-short) -ge 1 ] && [ "$(etalon show --json daemons-short | jq .plan.runs)" = 300 ]'
kill -INT $pid
wait $pid
is 'emp: Ctrl-C while it learns gives exit status 130' $? 130
like 'emp: after Ctrl-C while it learns, the hint says how to continue' "$(cat learn.err)" 'run the same command again to continue the learning'
[ "$(id -u)" -ne 0 ] || as_before 'emp after Ctrl-C while it learns'
is 'emp: after Ctrl-C while it learns, no result is printed' "$(grep -c 'kept as' learn.out)" 0
exits 'emp --resume: an interrupted learning is rejected' 2 etalon emp --resume daemons-short
like 'emp --resume: the hint continues the learning' "$err" "not begun by 'etalon emp'"$'\n'"hint: run 'etalon daemons learn --resume'"
exits 'emp --dry-run: it succeeds after an interrupted learning' 0 etalon emp --dry-run --yes true
like 'emp --dry-run: an interrupted learning would be continued' "$(flat)" 'daemons planned: 300 samples of 1 s and 40 of 8 s, continued'
# A learning by other figures is continued as well, unless --learn names a preset.
env_option=()
[ "$(id -u)" -ne 0 ] || env_option=(--env)
env --default-signal=INT etalon daemons learn --busy "${env_option[@]}" --short-runs 60 --short-seconds 20ms --long-runs 0 >/dev/null 2>&1 &
pid=$!
wait_until '[ "$(etalon show --json daemons-short | jq .plan.runs)" = 60 ] && [ 0$(samples daemons-short) -ge 2 ]'
kill -INT $pid
wait $pid
is 'daemons learn: Ctrl-C gives exit status 130' $? 130
before=$(etalon show --json daemons-short | jq -r .id)
exits 'emp: it continues the learning, and runs' 0 etalon emp --yes --busy --json learned.json 'sleep 0.01'
is 'emp: the daemons are learned' "$(state learned.json daemons)" 'done'
is 'emp: the samples of the interrupted learning are used' "$(etalon show --json daemons-short | jq -r .id)" "$before"
exits 'emp: it succeeds after the learning' 0 etalon emp -q -r 2 --json after.json true
is 'emp: the learning of the command before is reused' "$(state after.json daemons)" reused

# --- the question
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	etalon daemons forget --yes >/dev/null
	text=$(script -qec "etalon emp --color never --progress never -r 2 true" /dev/null <<<n 2>&1 | tr -d '\r' | tr '\n' ' ' | tr -s ' ')
	like 'emp: at a terminal it asks whether to learn, and for how long' "$text" \
		'are not learned yet\. Learning takes 300 samples of 1 s and 40 of 8 s, about 10\.3 min\. Learn them now\? \[y/N\]'
	unlike 'emp: it asks before it changes the environment' "$text" 'changed for these runs.*\[y/N\]'
	like 'emp: after no it continues without' "$text" 'daemons skipped: nothing is learned.*kept as'
else
	skip 'emp: at a terminal it asks whether to learn, and for how long' 'there is no script(1) here'
fi

# --- everything of run works
exits 'emp: several commands succeed' 0 etalon emp --learn never -r 3 --report page.html --export-csv table.csv \
	-n a 'sleep 0.01' -n b 'sleep 0.012'
like 'emp: the line counts the samples of all commands' "$(flat)" 'samples of 2 commands'
ok 'emp: --report writes a page' test -s page.html
ok 'emp: --export-csv writes a table' grep -q '^b,' table.csv
exits 'emp: a command as words succeeds' 0 etalon emp --learn never -r 2 -- sleep 0.01
exits 'emp: a failing program gives exit status 1' 1 etalon emp --learn never -r 2 false

exits 'emp: --order duet succeeds' 0 etalon emp --learn never -q -r 6 --order duet --json duet.json 'sleep 0.01' 'sleep 0.012'
is 'emp: with --order duet check II is skipped' "$(state duet.json 'check II'): $(step duet.json 'check II')" \
	'skipped: duets are judged by their pairs'

# --- without root
if can_drop_privileges; then
	# A captured machine that this user may read only: its services do not change meanwhile.
	unset ETALON_SYSTEMCTL
	chmod -R a+rX tree
	exits 'emp: without root it succeeds' 0 unprivileged etalon emp --json record.json -r 10 'sleep 0.01'
	is 'emp: without root the environment is not possible' \
		"$(state public/record.json environment): $(step public/record.json environment)" 'not possible: it needs root'
	is 'emp: without root the runs are done' "$(state public/record.json runs)" 'done'
	exits 'emp --dry-run: without root it succeeds' 0 unprivileged etalon emp --dry-run true
	like 'emp --dry-run: without root the environment is not possible' "$(flat)" 'environment not possible: it needs root'
	unprivileged etalon daemons learn --busy -q "${tiny[@]}" >/dev/null 2>&1
	exits 'emp: without root it succeeds with a learning' 0 unprivileged etalon emp -q --json record.json -r 2 true
	is 'emp: without root a learning without the environment is reused' "$(state public/record.json daemons)" reused
else
	skip 'emp: without root it succeeds' "$why_not"
fi

done_testing
