#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lab: the list, the tables and their JSON, small; what bad input gets; Ctrl-C.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'list' 0 etalon lab list
is 'the experiments' "$(cut -d ' ' -f 1 <<<"$out" | tr '\n' ' ')" \
	'coverage false-alarms emp-versions clock-methods real-programs kbest-accuracy interval-accuracy cache '
names=$(cut -d ' ' -f 1 <<<"$out")
for name in $names; do
	like "$name is in the help" "$(etalon lab --help)" "etalon lab $name"
done
exits 'list --json' 0 etalon lab list --json
json 'names and summaries' 'all(set(x) == {"name", "summary"} for x in d) and len(d) == 8'

# --- coverage
small='--repetitions 5 --bootstrap 99 --law normal'
# shellcheck disable=SC2086
exits 'coverage' 0 etalon lab coverage $small
for heading in 'mean' 'median' 'standard deviation' 'ratio of two programs run in pairs' \
	'ratio of two independent series'; do
	ok "a table of the $heading" grep -qx "$heading" .out
done
like 'what was attained, with its uncertainty' "$out" \
	'normal +10 +[0-9.]+ ± *[0-9.]+[ !?] +[0-9.]+ ±'
ok 'no line over 80 columns' test -z "$(grep -E '^.{81,}' .out)"
is 'no escape sequence' "$(tr -cd '\033' <.out)" ''
is 'no progress' "$err" ''
cp .out first
# shellcheck disable=SC2086
exits 'the same again' 0 etalon lab coverage $small
ok 'the same seed, the same table' cmp -s .out first
# shellcheck disable=SC2086
exits 'another seed' 0 etalon lab coverage $small --seed 2
ok 'another table' test "$(cat .out)" != "$(cat first)"
# shellcheck disable=SC2086
exits 'progress' 0 etalon lab coverage $small --progress always
like 'on the standard error' "$err" 'coverage .*15/15'
ok 'and the same table' cmp -s .out first
exits 'coverage --json' 0 etalon lab coverage --repetitions 3 --bootstrap 99 --size 20 --json
json 'every law' 'len(d["cases"]) == 13 and all(c["n"] == 20 for c in d["cases"])'
json 'every interval' 'all(len(c["intervals"]) == 15 for c in d["cases"])'
json 'shares and their bounds' 'all(0 <= i["interval"][0] <= i["attained"] <= i["interval"][1] <= 1
	for c in d["cases"] for i in c["intervals"] if i["defined"])'
json 'warnings' 'all(0 <= c["warned"][w] <= 1 for c in d["cases"]
	for w in ("run", "describe", "pairs", "compare"))'
exits 'nist' 0 etalon lab coverage --repetitions 1 --bootstrap 99 --law nist-5 --json
json 'has 1000 values' 'd["cases"][0]["n"] == 1000'

# --- false alarms
exits 'false-alarms' 0 etalon lab false-alarms --repetitions 5
like 'the alarms' "$out" 'false alarms: a difference was claimed \(significance level 5 %'
like 'the power' "$out" 'power: one program is 1 % slower'
like 'as a curve' "$out" '100 % │.*└─.*pairs'
ok 'no line over 80 columns' test -z "$(grep -E '^.{81,}' .out)"
cp .out first
exits 'the same again' 0 etalon lab false-alarms --repetitions 5
ok 'the same seed, the same table' cmp -s .out first
exits 'narrow' 0 env COLUMNS=40 etalon lab false-alarms --repetitions 2
exits 'false-alarms --json' 0 etalon lab false-alarms --repetitions 5 --effect 20% --pair-sd 0.005 \
	--json
json 'every case' 'len(d["cases"]) == 30 and d["effect"] == 0.2 and d["duet_log_ratio_sd"] == 0.005'
json 'a fifth slower is found by duets' 'all(c["power"] == 1 for c in d["cases"]
	if c["runs"] == "duets")'

# --- Ctrl-C
"$ETALON" lab coverage --progress always --repetitions 1000000 --law normal --size 10 --bootstrap 99 --json \
	>cut.json 2>cut.err &
pid=$!
wait_for_progress cut.err 1
kill -TERM $pid
wait $pid
is 'a signal ends it with its status' "$?" 143
cp cut.json .out
json 'and what is known by then is printed' '0 < d["cases"][0]["repetitions"] < 1000000'

# --- bad input
refuses 'no experiment' 2 'expected one experiment' etalon lab
like 'says where they are listed' "$err" "hint: run 'etalon lab list'"
refuses 'two experiments' 2 'expected one experiment' etalon lab coverage coverage
refuses 'an unknown experiment' 2 "unknown experiment 'nosuch'" etalon lab nosuch
refuses 'an unknown law' 2 "unknown law 'cauchy'" etalon lab coverage --law cauchy
like 'the laws are named' "$err" 'hint: use one of normal, .*nist-100'
for value in 0 -1 abc '' 1.5 99999999999; do
	refuses "--repetitions '$value'" 2 '--repetitions' etalon lab coverage --repetitions "$value"
done
refuses '--bootstrap 10' 2 '--bootstrap' etalon lab coverage --bootstrap 10
refuses '--size 4' 2 '--size' etalon lab coverage --size 4
refuses '--effect 0' 2 '--effect' etalon lab false-alarms --effect 0
refuses 'coverage --effect' 2 'lab coverage takes no --effect' etalon lab coverage --effect 1%
refuses 'false-alarms --law' 2 'lab false-alarms takes no --law' etalon lab false-alarms --law normal
refuses 'list --seed' 2 'lab list takes no --seed' etalon lab list --seed 1
exits 'a full disk' 4 bash -c 'etalon lab list >/dev/full'

done_testing
