#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon lab list`, `coverage`, `false-alarms`, `decisions`, `bisect` and `quantisation`: tables and JSON, SIGTERM, and errors on bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'lab list: it succeeds' 0 etalon lab list
# The list and the synopsis of the man page have the same experiments in the same order.
is 'lab list: it names the experiments' "$(cut -d ' ' -f 1 <<<"$out" | tr '\n' ' ')" \
	"$(sed -nE 's/^\*etalon lab ([a-z-]+)\*.*/\1/p' "$root/man/etalon-lab.1.scd" | sed 1d | tr '\n' ' ')"
names=$(cut -d ' ' -f 1 <<<"$out")
for name in $names; do
	like "lab --help: it names $name" "$(etalon lab --help)" "etalon lab $name"
done
exits 'lab list: --json succeeds' 0 etalon lab list --json
json 'lab list: JSON has names and summaries' 'all(set(x) == {"name", "summary"} for x in d) and [x["name"] for x in d] == """'"$names"'""".split()'

# --- coverage
small='--repetitions 5 --bootstrap 99 --law normal'
# shellcheck disable=SC2086
exits 'lab coverage: it succeeds' 0 etalon lab coverage $small
for heading in 'mean, as run prints it' 'mean' 'median' 'standard deviation' 'ratio of two programs run in pairs' \
	'ratio of two independent series'; do
	ok "lab coverage: the text has a table of the $heading" grep -qx "$heading" .out
done
like 'lab coverage: the coverage is printed with its uncertainty' "$out" \
	'normal +10 +[0-9.]+ ± *[0-9.]+[ !?] +[0-9.]+ ±'
fits 'lab coverage: no line is longer than 80 columns'
is 'lab coverage: the text has no escape sequence if the output is no terminal' "$(tr -cd '\033' <.out)" ''
is 'lab coverage: no progress is drawn if stderr is no terminal' "$err" ''
cp .out first
# shellcheck disable=SC2086
exits 'lab coverage: it succeeds a second time' 0 etalon lab coverage $small
ok 'lab coverage: the default seed gives the same table again' cmp -s .out first
# shellcheck disable=SC2086
exits 'lab coverage: --seed succeeds' 0 etalon lab coverage $small --seed 2
ok 'lab coverage: another seed gives another table' test "$(cat .out)" != "$(cat first)"
# shellcheck disable=SC2086
exits 'lab coverage: --progress always succeeds' 0 etalon lab coverage $small --progress always
like 'lab coverage: progress is drawn on stderr' "$err" 'coverage .*15/15'
ok 'lab coverage: --progress does not change the table' cmp -s .out first
exits 'lab coverage: --json succeeds' 0 etalon lab coverage --repetitions 3 --bootstrap 99 --size 20 --json
json 'lab coverage: JSON has every law' 'len(d["cases"]) == 16 and all(c["n"] == 20 for c in d["cases"])'
json 'lab coverage: JSON has every interval' 'all(len(c["intervals"]) == 18 for c in d["cases"])'
json 'lab coverage: the attained coverage is within its bounds' 'all(0 <= i["interval"][0] <= i["attained"] <= i["interval"][1] <= 1
	for c in d["cases"] for i in c["intervals"] if i["defined"])'
json 'lab coverage: JSON has the share of series with a warning' 'all(0 <= c["warned"][w] <= 1 for c in d["cases"]
	for w in ("run", "describe", "pairs", "compare"))'
exits 'lab coverage: --law nist-5 succeeds' 0 etalon lab coverage --repetitions 1 --bootstrap 99 --law nist-5 --json
json 'lab coverage: the law nist-5 has 1000 values' 'd["cases"][0]["n"] == 1000'

# --- false alarms
exits 'lab false-alarms: it succeeds' 0 etalon lab false-alarms --repetitions 5
like 'lab false-alarms: the text has a table of false alarms' "$out" 'false alarms: a difference was claimed \(significance level 5 %'
like 'lab false-alarms: the text has a table of the power' "$out" 'power: one program is 1 % slower'
like 'lab false-alarms: the power is drawn as a curve' "$out" '100 % │.*└─.*pairs'
fits 'lab false-alarms: no line is longer than 80 columns'
cp .out first
exits 'lab false-alarms: it succeeds a second time' 0 etalon lab false-alarms --repetitions 5
ok 'lab false-alarms: the default seed gives the same table again' cmp -s .out first
exits 'lab false-alarms: a terminal of 40 columns is wide enough' 0 env COLUMNS=40 etalon lab false-alarms --repetitions 2
exits 'lab false-alarms: --json succeeds' 0 etalon lab false-alarms --repetitions 5 --effect 20% --pair-sd 0.005 \
	--json
json 'lab false-alarms: JSON has every case and the options' 'len(d["cases"]) == 30 and d["effect"] == 0.2 and d["duet_log_ratio_sd"] == 0.005'
json 'lab false-alarms: duets always find a program that is a fifth slower' 'all(c["power"] == 1 for c in d["cases"]
	if c["runs"] == "duets")'

# --- decisions
exits 'lab decisions: it succeeds' 0 etalon lab decisions --repetitions 10 --json
json 'lab decisions: JSON has eleven laws: five truths, two of each other design, and the limit of a gate' \
	'len(d["cases"]["rows"]) == 11 * (5 + 3 * 2 + 1) and d["margin"] == 0.01 and d["repetitions"] == 10'
json 'lab decisions: outcomes add up' 'all(abs(c["slower"] + c["faster"] + c["equal"] + c["open"] - 1) < 1e-9 for c in d["cases"]["rows"])'
json 'lab decisions: a program that is 5 % slower is never called faster or equal, and mostly slower after few pairs' \
	'all(c["faster"] == c["equal"] == 0 for c in d["cases"]["rows"] if c["truth"] == 0.05 and c["design"] == "two") and
	all(c["slower"] == 1 and c["pairs"] < 60 for c in d["cases"]["rows"] if c["truth"] == 0.05 and c["law"] == "normal" and c["design"] == "two")'
json 'lab decisions: equal programs are called equal within 1 % where pairs are normal' \
	'all(c["equal"] >= 0.75 for c in d["cases"]["rows"] if c["truth"] == 0 and c["law"] == "normal" and c["design"] != "slow")'
for design in two three slow kinds; do
	json "lab decisions, $design: at most 5 % of all equal programs are called different" \
		"sum(c['slower'] + c['faster'] for c in d['cases']['rows'] if c['truth'] == 0 and c['design'] == '$design') <= 0.05 * 11"
done
json 'lab decisions: no slower program is called faster' 'not any(c["faster"] for c in d["cases"]["rows"] if c["truth"] > 0)'
json 'lab decisions: 95 % of all intervals contain the truth' 'sum(c["covered"] for c in d["cases"]["rows"]) >= 0.95 * len(d["cases"]["rows"])'
json 'lab decisions: a program as slow as the limit of a gate rarely passes, or fails, where company costs more than usual' \
	'sum(c["slower"] + c["equal"] for c in d["cases"]["rows"] if c["design"] == "gate") <= 0.05 * 11'
exits 'lab decisions: the table succeeds' 0 etalon lab decisions --repetitions 1
fits 'lab decisions: no line is longer than 80 columns'

# --- bisect
exits 'lab bisect: it succeeds' 0 etalon lab bisect --repetitions 60 --json
json 'lab bisect: JSON has every history, and the level' 'len(d["cases"]["rows"]) == 24 and d["level"] == 0.95 and d["repetitions"] == 60'
json 'lab bisect: what is named is right as often as it says, where builds differ by little' \
	'all(c["right"] >= 0.85 for c in d["cases"]["rows"] if c["slower"] and c["spread"] <= 0.004) and
	sum(c["right"] for c in d["cases"]["rows"] if c["slower"] and c["spread"] <= 0.002) >= 0.95 * 19'
json 'lab bisect: what is stated is at least 95 %' 'all(c["stated"] >= 0.95 for c in d["cases"]["rows"] if c["named"])'
json 'lab bisect: a slowdown of 5 % is found by some 100 pairs' \
	'all(c["named"] == 1 and c["pairs"] < 160 and c["builds"] < 16 for c in d["cases"]["rows"] if c["slower"] == 0.05)'
json 'lab bisect: where nothing is slower it says so' \
	'all(c["nothing"] >= 0.9 and c["named"] <= 0.05 for c in d["cases"]["rows"] if not c["slower"] and c["spread"] == 0.001)'
exits 'lab bisect: a terminal of 80 columns is wide enough' 0 env COLUMNS=80 etalon lab bisect --repetitions 1
fits 'lab bisect: no line is longer than 80 columns'

# --- quantisation: the expected numbers are those of figure 1 of NIST TN 1826
exits 'lab quantisation: it succeeds' 0 etalon lab quantisation --repetitions 200
like 'lab quantisation: 50 calls of one period do not vary' "$out" ' 50 +12\.50 +50 +0\.00 +0\.00'
like 'lab quantisation: 300 calls vary as the theory says' "$out" '300 +75\.00 +50 +41\.67 '
like 'lab quantisation: the variance is drawn over the calls' "$out" ' 60 │.*└─.*calls'
fits 'lab quantisation: no line is longer than 80 columns'
exits 'lab quantisation: a terminal of 40 columns is wide enough' 0 env COLUMNS=40 etalon lab quantisation --repetitions 2
exits 'lab quantisation: --json and --svg succeed' 0 etalon lab quantisation --repetitions 1000 --json --svg picture.svg
json 'lab quantisation: JSON has 300 points' '[p["calls"] for p in d["points"]] == list(range(1, 301)) and d["periods"] == 50'
json 'lab quantisation: calls of whole periods have no variance' 'all(p["theory"] == 0 and p["simulated"] == 0
	for p in d["points"] if p["calls"] in (1, 2, 5, 10, 25, 50))'
json 'lab quantisation: no variance is above a bound' 'all(p["theory"] <= min(p["calls"] / 4, 50) for p in d["points"])'
json 'lab quantisation: simulated variances agree with the theory' 'all(abs(p["simulated"] - p["theory"]) <= 0.25 * p["theory"]
	for p in d["points"])'
json 'lab quantisation: the simulated counts are unbiased' 'all(abs(p["simulated_mean"] - 50) < 0.9 for p in d["points"])'
like 'lab quantisation: the picture is an SVG file' "$(head -c 200 picture.svg)" '<svg'
refuses 'lab quantisation: --json and --svg - exclude each other' 2 'cannot both write' etalon lab quantisation --json --svg -

# --- SIGTERM
"$ETALON" lab coverage --progress always --repetitions 1000000 --law normal --size 10 --bootstrap 99 --json \
	>cut.json 2>cut.err &
pid=$!
wait_for_progress cut.err 1
kill -TERM $pid
wait $pid
is 'lab coverage: SIGTERM gives exit status 143' "$?" 143
cp cut.json .out
json 'lab coverage: after SIGTERM it prints the repetitions so far' '0 < d["cases"][0]["repetitions"] < 1000000'

# --- bad input
refuses 'lab: no experiment is rejected' 2 'lab: no experiment given' etalon lab
like 'lab: the hint names lab list' "$err" "hint: run 'etalon lab list'"
refuses 'lab: two experiments are rejected' 2 "lab coverage: unexpected 'coverage'" etalon lab coverage coverage
refuses 'lab: an unknown experiment is rejected' 2 "unknown experiment 'nosuch'" etalon lab nosuch
refuses 'lab: the name of a problem is no experiment' 2 "unknown experiment 'event-load'" etalon lab event-load
like 'lab: the hint names problems' "$err" "use 'etalon lab problems event-load'"
refuses 'lab coverage: an unknown law is rejected' 2 "--law: unknown value 'cauchy'" etalon lab coverage --law cauchy
like 'lab coverage: the hint names the laws' "$err" 'hint: use one of normal, .*nist-100'
for value in 0 -1 abc '' 1.5 99999999999; do
	refuses "lab coverage: --repetitions '$value' is rejected" 2 '--repetitions' etalon lab coverage --repetitions "$value"
done
refuses 'lab coverage: --bootstrap 10 is rejected' 2 '--bootstrap' etalon lab coverage --bootstrap 10
refuses 'lab coverage: --size 4 is rejected' 2 '--size' etalon lab coverage --size 4
refuses 'lab false-alarms: --effect 0 is rejected' 2 '--effect' etalon lab false-alarms --effect 0
refuses 'lab coverage: --effect is rejected' 2 'lab coverage takes no --effect' etalon lab coverage --effect 1%
refuses 'lab false-alarms: --law is rejected' 2 'lab false-alarms takes no --law' etalon lab false-alarms --law normal
like 'lab false-alarms: the hint names the experiment that takes the option' "$err" "hint: it is an option of 'lab coverage'"
refuses 'lab coverage: --svg is rejected' 2 'lab coverage takes no --svg' etalon lab coverage --svg x
like 'lab coverage: a hint does not list thirteen experiments' "$err" "hint: omit it; 'etalon lab --help' lists the options"
refuses 'lab list: --seed is rejected' 2 'lab list takes no --seed' etalon lab list --seed 1
exits 'lab list: a full disk gives exit status 4' 4 bash -c 'etalon lab list >/dev/full'

# --- its program
is 'lab: help shows what --help shows' "$(etalon help lab)" "$(etalon lab --help)"
is 'lab: --version is that of etalon' "$(etalon lab --version)" "$(etalon --version)"
is 'lab: etalon --help mentions it once, in the last line' "$(etalon --help | grep -nw lab)" "$(etalon --help | wc -l):$(etalon --help | tail -n 1)"
mkdir -p usr/bin usr/libexec/etalon bin libexec/etalon alone
program=$(dirname "$ETALON")/etalon-lab
printf '#!/bin/sh\necho planted\n' >etalon-lab
chmod +x etalon-lab
cp etalon-lab libexec/etalon/
cp "$ETALON" usr/bin/etalon
cp "$ETALON" alone/etalon
refuses 'lab: a missing etalon-lab is reported' 3 'the program etalon-lab of etalon is missing' usr/bin/etalon lab list
like 'lab: the hint names it' "$err" 'hint: .*copy etalon-lab beside it'
refuses 'completion: a missing etalon-lab is reported before a part of the script is printed' 3 'etalon-lab of etalon is missing' \
	usr/bin/etalon completion bash
refuses 'lab: no variable names the program' 3 'is missing' env PATH="$work:$PATH" usr/bin/etalon lab list
refuses 'lab: a folder beside that of etalon is not its prefix' 3 'is missing' alone/etalon lab list
cp "$program" usr/libexec/etalon/
exits 'lab: an installed etalon finds its program below its prefix' 0 usr/bin/etalon lab list
exits 'lab: its program finds an installed etalon' 0 usr/bin/etalon lab clock-methods -q --lengths 0.001 --runs 2
like 'lab: it measures programs of this etalon' "$(etalon show --json last | jq -r '.commands[0].argv | join(" ")')" "^$work/usr/bin/etalon "
exits 'completion: an installed etalon completes lab' 0 usr/bin/etalon completion bash
if [ "$(id -u)" -eq 0 ]; then
	chown nobody usr/libexec/etalon/etalon-lab
	refuses 'lab: a program of another user is not executed' 3 'does not belong to the owner of etalon' usr/bin/etalon lab list
else
	skip 'lab: a program of another user is not executed' 'only root can give a file away'
fi
ln -s "$ETALON" hyperfine
refuses 'hyperfine: lab is a program to measure' 2 'lab: No such file' ./hyperfine lab

done_testing
