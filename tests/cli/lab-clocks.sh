#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon lab kbest-accuracy`, `interval-accuracy`, `cache` and `problems`: tables, pictures, records, --from,
# signals, bad input. Figures are compared with each other, never with a fixed time: the machine may be
# busy.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# rivals PID: how many competing processes it has
rivals()
{
	pgrep -cx etalon-rival -P "${1:-0}"
}

# --- kbest-accuracy
run etalon lab kbest-accuracy --loads 1,2 --lengths 0.3ms,1ms -M 6 --svg picture.svg
if [ "$status" -eq 3 ]; then
	skip 'lab kbest-accuracy: it succeeds' "$err"
	done_testing
fi
is 'lab kbest-accuracy: it succeeds' "$status" 0
like 'lab kbest-accuracy: the answer comes first' "$out" '^up to which length.*load  1: K=3 agreed for [0-2] of 2 lengths'
like 'lab kbest-accuracy: the fitted line is printed' "$out" 'T\(r\) = [0-9.]+ µs r [-+] .*largest error (< )?[0-9.]+ %'
like 'lab kbest-accuracy: the errors are drawn as curves' "$out" '1000 % │.*0.01 % │.*etalon, load 2'
like 'lab kbest-accuracy: the text says up to which length the error is within 0.1 %' "$out" 'load  1, error within 0.10 %: K=3 up to .*etalon up to '
like 'lab kbest-accuracy: the text says where the record is stored' "$out" 'stored as [0-9a-f-]+ in sqlite:'
fits 'lab kbest-accuracy: no line is longer than 80 columns'
is 'lab kbest-accuracy: no progress is drawn if stderr is no terminal' "$err" ''
ok 'lab kbest-accuracy: --svg draws the curves' grep -q 'etalon, load 2' picture.svg
ok 'lab kbest-accuracy: --svg writes XML' python3 -c 'import xml.etree.ElementTree as e; e.parse("picture.svg")'
cp .out first
exits 'lab kbest-accuracy: --from succeeds' 0 etalon lab kbest-accuracy --from 'lab kbest-accuracy'
ok 'lab kbest-accuracy: --from prints the same tables' diff .out <(head -n -2 first)
exits 'lab kbest-accuracy: -v succeeds' 0 etalon lab kbest-accuracy --from last -v
like 'lab kbest-accuracy: -v has a table of each load' "$out" 'load 1: the timed.*load 2: the timed'
is 'lab kbest-accuracy: -v has a row of each load, length and table' "$(grep -cE '^ *(300 µs|1.00 ms) ' .out)" 12
like 'lab kbest-accuracy: -v has a table per load and clock' "$out" 'load 1, by counter.*load 2, by gettimeofday'
exits 'lab kbest-accuracy: --json succeeds' 0 etalon lab kbest-accuracy --from last --json
json 'lab kbest-accuracy: JSON has a case per load and length' '[(c["load"], c["length_ns"]) for c in d["cases"]] ==
	[(1, 300000), (1, 1000000), (2, 300000), (2, 1000000)]'
json 'lab kbest-accuracy: a case has K from 1 to 5, two clocks, with and without compensation' \
	'all(len({(s["clock"], s["compensated"], s["k"]) for s in c["schemes"]}) == 20
		for c in d["cases"])'
json 'lab kbest-accuracy: an error is the difference from the true time' 'all(abs(s["ns"] / s["truth_ns"] - 1 - s["error"]) < 1e-12
	for c in d["cases"] for s in c["schemes"])'
json 'lab kbest-accuracy: a larger K looks at no fewer calls' 'all(x["calls"] <= y["calls"] for c in d["cases"]
	for x in c["schemes"] for y in c["schemes"]
	if x["clock"] == y["clock"] and x["compensated"] == y["compensated"] and x["k"] < y["k"])'
json 'lab kbest-accuracy: compensation never adds time' 'all(y["ns"] <= x["ns"] for c in d["cases"]
	for x in c["schemes"] for y in c["schemes"] if x["k"] == 1 and y["k"] == 1
	and x["clock"] == y["clock"] and not x["compensated"] and y["compensated"])'
json 'lab kbest-accuracy: the share of the CPU is between 0 and 1' 'all(0 < x["cpu_share"] <= 1.01 for x in d["loads"])'
json 'lab kbest-accuracy: the error of libetalon is below a half' 'all(abs(c["etalon"]["error"]) < 0.5 for c in d["cases"])'
json 'lab kbest-accuracy: the calls are in order, with the timer interrupts that each met' 'all(len(c["calls_in_order"]) == 6 and
	all(0 <= x["timer_interrupts"] <= x["counter_ns"] / d["tick_ns"] + 1 for x in c["calls_in_order"]) for c in d["cases"])'
json 'lab kbest-accuracy: K=1 is the first call in order' 'all(s["ns"] == c["calls_in_order"][0]["counter_ns"] for c in d["cases"]
	for s in c["schemes"] if s["k"] == 1 and s["clock"] == "counter" and not s["compensated"])'
exits 'lab kbest-accuracy: -k, --epsilon and -M judge a stored experiment' 0 etalon lab kbest-accuracy --from last -k 2 --epsilon 1000000% -M 2 --json
json 'lab kbest-accuracy: two calls are enough for K=2 if all agree' 'd["k"] == 2 and d["epsilon"] == 10000 and all(
	s["calls"] == 2 and s["converged"] for c in d["cases"] for s in c["schemes"] if s["k"] == 2)'
for figure in 9.11 9.12 9.14 9.15 9.16 9.22 convergence predicted; do
	exits "lab kbest-accuracy: --figure $figure succeeds" 0 etalon lab kbest-accuracy --from last --figure $figure --svg f.svg
	ok "lab kbest-accuracy: --figure $figure as SVG is XML" python3 -c 'import xml.etree.ElementTree as e; e.parse("f.svg")'
done
etalon show --json >record.json
is 'lab kbest-accuracy: the record has the name of the experiment as its label' "$(jq -r .label record.json)" 'lab kbest-accuracy'
is 'lab kbest-accuracy: the record has every call' "$(jq '[.figures[] | select(.name == "truth")] |
	group_by([.load, .length_ns]) | map(length) == [6, 6, 6, 6]' record.json)" true
is 'lab kbest-accuracy: no figure is a sample of a program' "$(jq '[.commands[].samples | length] == [0]' record.json)" true
etalon import -q --store sqlite:copy.db record.json >/dev/null
exits 'lab kbest-accuracy: --from prints an imported record' 0 etalon lab kbest-accuracy --store sqlite:copy.db --from last
ok 'lab kbest-accuracy: it prints the same tables' diff .out <(head -n -2 first)
refuses 'lab kbest-accuracy: describe says that the record has no samples' 2 "'last' has figures of 'etalon lab', but no samples" \
	etalon describe last
unlike 'lab kbest-accuracy: show reports no failed run of the record' "$(etalon show)" 'failed'
unlike 'lab kbest-accuracy: show takes no constant for a program' "$(etalon show)" 'timer-interval|warning'
like 'lab kbest-accuracy: show names the command that prints the tables' "$(etalon show)" \
	'etalon lab kbest-accuracy --from [0-9a-f-]+'

# --- interval-accuracy
exits 'lab interval-accuracy: it succeeds' 0 etalon lab interval-accuracy --loads 1,3 --lengths 2ms,20ms --runs 3 \
	--label mine --svg ticks.svg
is 'lab interval-accuracy: each load and length has a row' "$(grep -cE '^ *(2.00 ms|20.0 ms) ' .out)" 4
like 'lab interval-accuracy: the errors are drawn with their signs, a curve per load' "$out" \
	'\+1000 % │.*[[:space:]]0 % │.*-100 % │.*a load 1.*b load 3'
fits 'lab interval-accuracy: no line is longer than 80 columns'
ok 'lab interval-accuracy: --svg has a chart per method with both loads' python3 -c 'import xml.etree.ElementTree as e
t = " ".join(e.parse("ticks.svg").getroot().itertext())
assert t.count("load 1") == t.count("load 3") == 4 and "10 ms ticks" in t and "user alone" in t'
exits 'lab interval-accuracy: a single length' 0 etalon lab interval-accuracy --loads 1 --lengths 2ms --runs 2
unlike 'lab interval-accuracy: a single length has no picture' "$out" 'by length'
exits 'lab interval-accuracy: --json succeeds' 0 etalon lab interval-accuracy --from mine --json
json 'lab interval-accuracy: JSON has a case per load and length' '[(c["load"], c["length_ns"], c["runs"]) for c in d["cases"]] ==
	[(1, 2000000, 3), (1, 20000000, 3), (3, 2000000, 3), (3, 20000000, 3)]'
json 'lab interval-accuracy: no relative error is below -1' 'all(c[m]["worst_error"] >= -1 for c in d["cases"]
	for m in ("ticks", "times", "getrusage", "getrusage-user"))'
json 'lab interval-accuracy: the mean is that of the errors of all runs' 'all(abs(sum(c[m]["errors"]) / 3 - c[m]["mean_error"]) < 1e-9
	and min(c[m]["errors"]) == c[m]["least_error"] and max(c[m]["errors"]) == c[m]["greatest_error"]
	for c in d["cases"] for m in ("ticks", "times", "getrusage", "getrusage-user"))'
json 'lab interval-accuracy: ticks of 10 ms cannot measure 2 ms' 'all(abs(c["ticks"]["worst_error"]) >= 0.5
	for c in d["cases"] if c["length_ns"] == 2000000)'
like 'show: its hint names the experiment, whatever its label is' "$(etalon show mine)" \
	'etalon lab interval-accuracy --from [0-9a-f-]+$'

# --- cache
exits 'lab cache: --svg - succeeds' 0 etalon lab cache --runs 3 --svg -
like 'lab cache: --svg - writes the picture to stdout' "$out" '^<.*<svg.*A after B'
like 'lab cache: --svg - writes the table to stderr' "$err" 'procB\(b2\).*A  cache cleared.*by libetalon.*A  warm'
exits 'lab cache: --json succeeds' 0 etalon lab cache --from last --json
json 'lab cache: JSON has eight calls of three runs' '[c["n"] for c in d["calls"]] == [3] * 8 and
	"".join(c["procedure"] for c in d["calls"]) == "AAABBAAB"'
json 'lab cache: the parts of a call follow from the medians of Figure 9.13' \
	'(lambda t, p: abs(t[0] - sum(p.values())) < 2 and abs((t[3] + t[5]) / 2 - p["c_ns"]) < 1 and
		abs(t[4] - p["c_ns"] - p["p_ns"]) < 1)([c["median_ns"] for c in d["figure_9_13"]], d["parts"])'
# 20 ns are the difference of two medians of three runs here, so its sign may be wrong.
json 'lab cache: loading the code of a procedure takes less time than loading its data' 'd["parts"]["p_ns"] < d["parts"]["m_ns"] + d["parts"]["d_ns"]'
json 'lab cache: A takes no less time after clearing than after B' \
	'd["calls"][0]["median_ns"] > 0.8 * d["calls"][5]["median_ns"]'
json 'lab cache: a call with a cold cache takes longer than with a warm one' 'd["calls"][0]["min_ns"] > d["calls"][1]["min_ns"]'
json 'lab cache: libetalon measures a longer time with a cold cache' 'None in (d["etalon"][1]["ns"], d["etalon"][0]["ns"]) or
	d["etalon"][1]["ns"] > d["etalon"][0]["ns"]'
json 'lab cache: libetalon never claims an error of zero' 'all(k["said"] is None or k["said"] > 0 for k in d["etalon"])'
json 'lab cache: more memory than the last-level cache is written between calls' \
	'd["cleared_bytes"] > d["b_bytes"] > d["a_bytes"] > 0'

# --- problems: the answers of the book
exits 'lab problems: the list succeeds' 0 etalon lab problems
like 'lab problems: the list has names, questions and numbers of exercises' "$out" 'tick-count +how long.*practice[[:space:]]+problem 9\.4.*sleep-rate'
fits 'lab problems: no line is longer than 80 columns'
exits 'lab problems: --json lists them' 0 etalon lab problems --json
json 'lab problems: JSON has the numbers of the book' '{p["name"]: p["takes"] for p in d}["fit-segment"] == {"time": 2e7, "segment": 5e7, "trials": 3}'
exits 'lab problems: tick-count succeeds' 0 etalon lab problems tick-count --ticks 7 --interval 10ms
like 'lab problems: 7 ticks of 10 ms are between 60 and 80 ms' "$out" 'least +60\.00 ms.*most +80\.00 ms.*The true time is between'
answer()
{
	# shellcheck disable=SC2086 # words
	exits "lab problems: $1 $2 succeeds" 0 etalon lab problems "$1" --json $2
	json "lab problems: $1 $2 has the answer" "$3"
}
answer tick-count '--ticks 2 --interval 4ms' 'd["least_ns"] == 4e6 and d["most_ns"] == 12e6'
answer fit-segment '--time 40ms' 'abs(d["chance"] - 0.2) < 1e-9 and abs(d["expected_trials"] - 15) < 1e-9'
answer sleep-rate '--sleep 2s --mhz 1000' 'd["least_sleep_ns"] == 1.99e9 and abs(d["most_rate_hz"] - 2e9 / 1.99) < 1'
answer event-load '' 'abs(d["load"] - 0.1) < 1e-12'
answer time-overflow '' 'd["date"] == "2038-01-19T03:14:08Z"'
answer counter-wrap '--bits 32' 'abs(d["wraps_after_ns"] / 4.295e9 - 1) < 1e-3'
answer charged '--sequence Au:5ms,Bu:10ms,Au:5ms' 'd["Au_charged_ns"] == d["Bu_charged_ns"] == 1e7'
refuses 'lab problems: an unknown one is rejected' 2 "unknown problem 'tik-count'" etalon lab problems tik-count
refuses 'lab problems: a number that it does not take is rejected' 2 'takes no --bits' etalon lab problems tick-count --bits 3
refuses 'lab problems: numbers without a problem are rejected' 2 'which problem' etalon lab problems --ticks 3
refuses 'lab problems: a number that is none is rejected' 2 '--mhz' etalon lab problems sleep-rate --mhz 0
refuses 'lab problems: options of measurements are rejected' 2 'takes no --runs' etalon lab problems tick-count --runs 3
refuses 'lab cache: a second operand is rejected' 2 "lab cache: unexpected 'tick-count'" etalon lab cache tick-count

# --- branch
exits 'lab branch: it succeeds' 0 etalon lab branch --svg branch.svg
like 'lab branch: the answer comes first' "$out" '^a branch takes .* with sorted data and .* with random data'
fits 'lab branch: no line is longer than 80 columns'
ok 'lab branch: --svg writes XML' python3 -c 'import xml.etree.ElementTree as e; e.parse("branch.svg")'
exits 'lab branch: --json succeeds' 0 etalon lab branch --from 'lab branch' --json
json 'lab branch: sorted data take no longer than random data' '0 < d["sorted_ns"] < 1.5 * d["random_ns"] and
	[p["period"] for p in d["patterns"]] == [2 << i for i in range(13)]'
refuses 'lab branch: a record of another experiment is rejected' 2 'not made by etalon lab branch' etalon lab branch --from mine

# --- signals
for lab in kbest-accuracy interval-accuracy; do
	"$ETALON" lab $lab --progress always --loads 4 --lengths 1ms,10s --runs 2 --json >cut.json 2>cut.err &
	pid=$!
	wait_until '[ "$(rivals $pid)" -ge 3 ]'
	is "lab $lab: a load of 4 starts three competing processes" "$(rivals $pid)" 3
	wait_for_progress cut.err 4
	kill -TERM $pid
	wait $pid
	is "lab $lab: SIGTERM gives exit status 143" "$?" 143
	is "lab $lab: SIGTERM ends the competing processes" "$(rivals $pid)" 0
	cp cut.json .out
	json "lab $lab: after SIGTERM it prints the cases so far" 'd["state"] == "interrupted" and
		d["cases"][0]["length_ns"] == 1000000'
	"$ETALON" lab $lab --loads 3 --lengths 10s --runs 2 >/dev/null 2>&1 &
	pid=$!
	wait_until '[ "$(rivals $pid)" -ge 2 ]'
	spinning=$(pgrep -x etalon-rival -P $pid)
	kill -KILL $pid
	wait $pid 2>/dev/null
	ok "lab $lab: the competing processes end with a killed etalon" wait_until "gone ${spinning//$'\n'/ }"
done

# --- bad input
refuses 'lab kbest-accuracy: -k 6 is rejected' 2 '--best' etalon lab kbest-accuracy -k 6
refuses 'lab kbest-accuracy: --epsilon -1 is rejected' 2 '--epsilon' etalon lab kbest-accuracy --epsilon -1
refuses 'lab kbest-accuracy: an unknown figure is rejected' 2 '--figure' etalon lab kbest-accuracy --figure 9.99
refuses 'lab kbest-accuracy: --runs and -M together are rejected' 2 '--max-runs and --runs exclude each other' etalon lab kbest-accuracy --runs 3 -M 3
refuses 'lab cache: --epsilon is rejected' 2 'lab cache takes no --epsilon' etalon lab cache --epsilon 1%
for value in 0 65 -1 x '' 1,,2 2,1 2,2 1,2,3,4,5,6,7,8,9; do
	refuses "lab kbest-accuracy: --loads '$value' is rejected" 2 '--loads' etalon lab kbest-accuracy --loads "$value"
done
for value in 0 -1ms x '' 2ms,1ms 2d; do
	refuses "lab interval-accuracy: --lengths '$value' is rejected" 2 '--lengths' etalon lab interval-accuracy --lengths "$value"
done
refuses 'lab cache: --runs 1 is rejected' 2 '--runs' etalon lab cache --runs 1
refuses 'lab cache: --loads is rejected' 2 'lab cache takes no --loads' etalon lab cache --loads 1
refuses 'lab cache: --lengths is rejected' 2 'lab cache takes no --lengths' etalon lab cache --lengths 1ms
refuses 'lab kbest-accuracy: --seed is rejected' 2 'takes no --seed' etalon lab kbest-accuracy --seed 1
refuses 'lab coverage: --svg is rejected' 2 'lab coverage takes no --svg' etalon lab coverage --svg x
refuses 'lab cache: --json and --svg - together are rejected' 2 'cannot both' etalon lab cache --json --svg -
refuses 'lab cache: a record of another experiment is rejected' 2 'not made by etalon lab cache' etalon lab cache --from mine
refuses 'lab kbest-accuracy: --from with an option of the plan is rejected' 2 '--from and --loads exclude each other' etalon lab kbest-accuracy --from mine --loads 2
refuses 'lab cache: a picture below a missing folder gives exit status 4' 4 'no/such' etalon lab cache --runs 2 --svg no/such/file.svg
touch file
refuses 'lab cache: a store below a file gives exit status 4' 4 'file/store.db' etalon lab cache --runs 2 --store file/store.db
exits 'lab cache: a full disk gives exit status 4' 4 bash -c 'etalon lab cache --from "lab cache" >/dev/full'

done_testing
