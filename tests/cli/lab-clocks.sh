#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lab kbest-accuracy, interval-accuracy, cache: tables, pictures, records, --from, bad input,
# signals. Figures are held against each other, never against a time: the machine may be busy.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# How many processes of ours spin.
rivals()
{
	pgrep -cx etalon-rival -P "${1:-0}"
}

# --- kbest-accuracy
run etalon lab kbest-accuracy --loads 1,2 --lengths 0.3ms,1ms --runs 6 --svg picture.svg
if [ "$status" -eq 3 ]; then
	skip 'labs about clocks' "$err"
	done_testing
fi
is 'kbest-accuracy' "$status" 0
like 'a table for each load' "$out" 'load 1: .*load 2: '
is 'a row for each length' "$(grep -cE '^ +(300 µs|1.00 ms) ' .out)" 4
like 'curves' "$out" '1000 % │.*0.01 % │.*etalon, load 2'
like 'how far it reaches' "$out" 'load  1, error within 0.10 %: K=3 up to .*etalon up to '
like 'where it is kept' "$out" 'stored as [0-9a-f-]+ in sqlite:'
ok 'no line over 80 columns' test -z "$(grep -E '^.{81,}' .out)"
is 'no progress' "$err" ''
ok 'a picture' grep -q 'etalon, load 2' picture.svg
ok 'that is XML' python3 -c 'import xml.etree.ElementTree as e; e.parse("picture.svg")'
cp .out first
exits 'printed again' 0 etalon lab kbest-accuracy --from 'lab kbest-accuracy'
ok 'the same tables' diff .out <(head -n -2 first)
exits 'every K' 0 etalon lab kbest-accuracy --from last -v
like 'by both clocks' "$out" 'load 1, by counter.*load 2, by gettimeofday'
exits 'as JSON' 0 etalon lab kbest-accuracy --from last --json
json 'two loads, two lengths' '[(c["load"], c["length_ns"]) for c in d["cases"]] ==
	[(1, 300000), (1, 1000000), (2, 300000), (2, 1000000)]'
json 'K 1 to 5, both clocks, with and without compensation' \
	'all(len({(s["clock"], s["compensated"], s["k"]) for s in c["schemes"]}) == 20
		for c in d["cases"])'
json 'errors are what they are of' 'all(abs(s["ns"] / s["truth_ns"] - 1 - s["error"]) < 1e-12
	for c in d["cases"] for s in c["schemes"])'
json 'a larger K looks at more calls' 'all(x["calls"] <= y["calls"] for c in d["cases"]
	for x in c["schemes"] for y in c["schemes"]
	if x["clock"] == y["clock"] and x["compensated"] == y["compensated"] and x["k"] < y["k"])'
json 'compensation takes away, never adds' 'all(y["ns"] <= x["ns"] for c in d["cases"]
	for x in c["schemes"] for y in c["schemes"] if x["k"] == 1 and y["k"] == 1
	and x["clock"] == y["clock"] and not x["compensated"] and y["compensated"])'
json 'shares of the CPU' 'all(0 < x["cpu_share"] <= 1.01 for x in d["loads"])'
json 'ours is not off by half' 'all(abs(c["etalon"]["error"]) < 0.5 for c in d["cases"])'
etalon show --json >record.json
is 'the record has the label' "$(jq -r .label record.json)" 'lab kbest-accuracy'
is 'and every call' "$(jq '[.commands[] | select(.parameters.clock == "truth") |
	.samples | length] == [6, 6, 6, 6]' record.json)" true
unlike 'no run of it failed' "$(etalon show)" 'failed'

# --- interval-accuracy
exits 'interval-accuracy' 0 etalon lab interval-accuracy --loads 1,3 --lengths 2ms,20ms --runs 3 \
	--label mine
is 'a row for each' "$(grep -cE '^ +(2.00 ms|20.0 ms) ' .out)" 4
ok 'no line over 80 columns' test -z "$(grep -E '^.{81,}' .out)"
exits 'as JSON' 0 etalon lab interval-accuracy --from mine --json
json 'every case' '[(c["load"], c["length_ns"], c["runs"]) for c in d["cases"]] ==
	[(1, 2000000, 3), (1, 20000000, 3), (3, 2000000, 3), (3, 20000000, 3)]'
json 'nobody is off by less than nothing' 'all(c[m]["worst_error"] >= -1 for c in d["cases"]
	for m in ("ticks", "times", "getrusage", "getrusage-user"))'
json 'ticks of 10 ms cannot tell 2 ms' 'all(abs(c["ticks"]["worst_error"]) >= 0.5
	for c in d["cases"] if c["length_ns"] == 2000000)'

# --- cache
exits 'cache' 0 etalon lab cache --runs 3 --svg -
like 'the picture has the standard output' "$out" '^<.*<svg.*A after B'
like 'the table the other' "$err" 'A  cache cleared.*by libetalon.*A  warm'
exits 'as JSON' 0 etalon lab cache --from last --json
json 'eight calls, thrice' '[c["n"] for c in d["calls"]] == [3] * 8 and
	"".join(c["procedure"] for c in d["calls"]) == "AAABBAAB"'
json 'a cold call takes longer than a warm one' 'd["calls"][0]["min_ns"] > d["calls"][1]["min_ns"]'
json 'libetalon sees that too' 'd["etalon"][1]["ns"] > d["etalon"][0]["ns"]'
json 'and is never sure of it to nothing' 'all(k["said"] > 0 for k in d["etalon"])'
json 'more than the last-level cache was written' \
	'd["cleared_bytes"] > d["b_bytes"] > d["a_bytes"] > 0'

# --- signals
for lab in kbest-accuracy interval-accuracy; do
	"$ETALON" lab $lab --progress always --loads 4 --lengths 1ms,10s --runs 2 --json >cut.json 2>cut.err &
	pid=$!
	wait_until '[ "$(rivals $pid)" -ge 3 ]'
	is "$lab: three rivals beside us" "$(rivals $pid)" 3
	wait_for_progress cut.err 4
	kill -TERM $pid
	wait $pid
	is 'a signal ends it with its status' "$?" 143
	is 'and them' "$(rivals $pid)" 0
	cp cut.json .out
	json 'what is known by then is printed' 'd["state"] == "interrupted" and
		d["cases"][0]["length_ns"] == 1000000'
	"$ETALON" lab $lab --loads 3 --lengths 10s --runs 2 >/dev/null 2>&1 &
	pid=$!
	wait_until '[ "$(rivals $pid)" -ge 2 ]'
	spinning=$(pgrep -x etalon-rival -P $pid)
	kill -KILL $pid
	wait $pid 2>/dev/null
	ok 'killed, it takes them along' wait_until "gone ${spinning//$'\n'/ }"
done

# --- bad input
for value in 0 65 -1 x '' 1,,2 2,1 2,2 1,2,3,4,5,6,7,8,9; do
	refuses "--loads '$value'" 2 '--loads' etalon lab kbest-accuracy --loads "$value"
done
for value in 0 -1ms x '' 2ms,1ms 2d; do
	refuses "--lengths '$value'" 2 '--lengths' etalon lab interval-accuracy --lengths "$value"
done
refuses '--runs 1' 2 '--runs' etalon lab cache --runs 1
refuses 'cache --loads' 2 'lab cache takes no --loads' etalon lab cache --loads 1
refuses 'cache --lengths' 2 'lab cache takes no --lengths' etalon lab cache --lengths 1ms
refuses 'kbest-accuracy --seed' 2 'takes no --seed' etalon lab kbest-accuracy --seed 1
refuses 'coverage --svg' 2 'lab coverage takes no --svg' etalon lab coverage --svg x
refuses 'both on stdout' 2 'cannot both' etalon lab cache --json --svg -
refuses 'a record of another lab' 2 'not made by etalon lab cache' etalon lab cache --from mine
refuses 'a plan for what is kept' 2 'options of a plan are not valid' etalon lab kbest-accuracy --from mine --loads 2
refuses 'a folder that is not there' 4 'no/such' etalon lab cache --runs 2 --svg no/such/file.svg
touch file
refuses 'a store that cannot be' 4 'file/store.db' etalon lab cache --runs 2 --store file/store.db
exits 'a full disk' 4 bash -c 'etalon lab cache --from "lab cache" >/dev/full'

done_testing
