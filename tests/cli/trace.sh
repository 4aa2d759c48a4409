#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon trace`: the figures of the CS:APP chapter, this machine, a program, and errors on bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

golden=$root/tests/golden/csapp-activity-trace.json
last=$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')
root_only='needs root'
privileged=false
[ "$(id -u)" -eq 0 ] && privileged=true

# --- the figures of the chapter ---
exits 'trace: --from reads the trace of the chapter' 0 etalon trace --from "$golden" --svg golden.svg
like 'trace: the first trace of the chapter is 95.1 % active' "$out" 'light_load: 95\.1 % active'
like 'trace: the second trace of the chapter is 53.0 % active' "$out" 'one_competitor: 53\.0 % active'
like 'trace: the first trace of the chapter has seven timer interrupts' "$out" '7 interrupts 10\.00 ms apart'
like 'trace: the text has the true and the estimated clock rate' "$out" '547\.2 MHz.*549\.9 MHz was estimated'
like 'trace: the periods are printed as in the chapter' "$out" \
	'A0 +Time 0 \(0 ms\), Duration 3726508 \(6\.81.* ms\)'
like 'trace: the shortest interrupt is printed in cycles' "$out" 'shortest took [^(]*\(247113[[:space:]]+cycles\)'
like 'trace: the periods keep the numbers of the chapter' "$out" 'I50 +Time 202210927 .*Duration 5718758 .*process'
is 'trace: no line of the trace of the chapter is longer than 80 columns' "$(grep -E '.{81}' <<<"$out")" ''
like 'trace: the second trace of the chapter has nine timer interrupts, four of them while inactive' "$out" \
	'9 interrupts 10\.00 ms apart, found by their regularity: 1 alone.* 4[[:space:]]+with other work after them, 4[[:space:]]+while another process'
like 'trace: a tick inside an inactive period is listed' "$out" 'I50 .*process;[[:space:]]+tick[[:space:]]+at[[:space:]]+379\.54'
like 'trace: the axis has the times of the periods' "$out" '350\.0 ms +440\.0 ms'
like 'trace: the timeline has the letters of the charged processes' "$out" 'charged +│ +A +A +B +A +B +A +B +A +B'
like 'trace: the table of charges has true and charged time' "$out" 'A one_competitor +47\.7 ms +50\.0 ms +\+5 %'
exits 'trace: --json --from succeeds' 0 etalon trace --json --from "$golden"
json 'trace: JSON has the activity of the chapter' '[(t["name"], round(t["active_percent"], 1)) for t in d["traces"]] ==
	[("light_load", 95.1), ("one_competitor", 53.0)]'
json 'trace: JSON has the seven timer interrupts of the chapter' 'sum(p["cause"] == "timer" for p in d["traces"][0]["periods"]) == 7
	and abs(d["traces"][0]["timer"]["interval_ns"] - 1e7) < 1
	and round(d["traces"][0]["timer"]["shortest_ns"] * d["traces"][0]["hz"] / 1e9) == 247113'
json 'trace: JSON has the clock rate of the chapter' 'all(round(t["hz"] / 1e6, 1) == 547.2 for t in d["traces"])'
json 'trace: JSON lists the ticks, those inside inactive periods as estimated' \
	'[round(k["at_ns"] / 1e7) for k in d["traces"][1]["ticks"]] == list(range(36, 45))
	and [k["charged"] for k in d["traces"][1]["ticks"] if k["estimated"]] == ["process"] * 4'
json 'trace: ticks charge 70 ms of user time to the first trace of the chapter, which was active for 64.0 ms' \
	'[(round(c["charged_ns"] / 1e6), round(c["charged_user_ns"] / 1e6), c["charged_system_ns"], round(c["time_ns"] / 1e6, 1))
	for c in d["traces"][0]["charges"]] == [(70, 70, 0, 64.0)]'
json 'trace: ticks charge five and four intervals in the second trace of the chapter' \
	'[(c["letter"], c["traced"], round(c["charged_ns"] / 1e6)) for c in d["traces"][1]["charges"]] == [("A", True, 50), ("B", False, 40)]'
json 'trace: the second trace of the chapter is inactive for 52.3 % in the long run' \
	'round(d["traces"][1]["long_run"]["inactive_percent"], 1) == 52.3 and d["traces"][1]["long_run"]["cycles"] == 3'
printf '%s' "$out" >own.json
exits 'trace: --from reads the output of --json' 0 etalon trace --json --from own.json
json 'trace: a trace that was written and read has the same periods' '[t["periods"] for t in d["traces"]] ==
	[t["periods"] for t in json.load(open("own.json"))["traces"]]'
json 'trace: a trace that was written and read has the same ticks' '[(t["ticks"], t["timer"]["count"], t["timer"]["alone"]) for t in d["traces"]] ==
	[(t["ticks"], t["timer"]["count"], t["timer"]["alone"]) for t in json.load(open("own.json"))["traces"]]'
ok 'trace: --svg draws one tick per timer interrupt' python3 - <<'PY'
import xml.etree.ElementTree as E
s = open("golden.svg").read()
root = E.fromstring(s)
assert root.tag.endswith("svg")
text = " ".join(root.itertext())
# the signs in the legends, then seven and nine ticks, four of these while inactive
drawn = [g for g in root.iter() if "tk" in g.get("class", "").split()]
assert sum(p.get("d", "").count("M") for g in drawn for p in g) == 3 + 7 + 9
assert "Activity of light_load" in text and "timer interrupt" in text and "95.1 % active" in text
PY

echo '{"hz": 1e9, "periods": [{"state": "I", "index": 0, "start_ns": 0, "duration_ns": 99999977,
	"cause": "process", "process": "hog"}]}' >hog.json
exits 'trace: a trace of nothing but another process is accepted' 0 etalon trace --from hog.json
like 'trace: a trace of nothing but another process is drawn without activity' "$out" 'active   │ +'$'\n'
unlike 'trace: the text explains no ticks if there are none' "$out" '┴'

# --- this machine ---
exits 'trace: 300 ms on this machine succeed' 0 etalon trace --json --duration 300ms --svg live.svg
json 'trace: JSON has the keys of the documented contract' '{"hz", "threshold_ns", "periods", "active_percent", "by_cause"} <= set(d)'
json 'trace: states alternate and periods are adjacent' 'all(
	p["state"] == "AI"[i % 2] and p["index"] == i // 2 and
	p["start_ns"] + p["duration_ns"] == d["periods"][i + 1]["start_ns"]
	for i, p in enumerate(d["periods"][:-1]))'
json 'trace: the trace is as long as requested, or longer if others had the CPU' \
	'299e6 < d["total_ns"] and d["periods"][-1]["start_ns"] + d["periods"][-1]["duration_ns"] <= d["total_ns"]'
json 'trace: active and inactive time add up to the whole' 'abs(d["active_percent"] - 100
	+ 100 * sum(p["duration_ns"] for p in d["periods"] if p["state"] == "I") / d["total_ns"]) < 0.01'
json 'trace: the causes add up to the inactive periods' 'sum(c["count"] for c in d["by_cause"].values()) ==
	sum(p["state"] == "I" for p in d["periods"])'
json 'trace: no inactive period is below the threshold' 'all(p["duration_ns"] >= d["threshold_ns"] - 1
	for p in d["periods"] if p["state"] == "I")'
json 'trace: the lone ticks of the summary are among the periods of the timer' 'd["timer"] is None or
	d["timer"]["alone"] == sum(p["cause"] == "timer" and p["tick"] for p in d["periods"])'
json 'trace: where the kernel has records, they show the ticks' 'd["causes_from"] != "bpf" or d["timer"] is not None'
json 'trace: ticks by records are as far apart as the kernel says' 'd["timer"] is None or d["timer"]["found_by"] == "regularity" or
	(d["timer"]["count"] >= d["total_ns"] / d["timer"]["nominal_ns"] * 0.8 and abs(d["timer"]["interval_ns"] / d["timer"]["nominal_ns"] - 1) < 0.01)'
json 'trace: the default CPU is the last one' "d['cpu'] == $last"
ok 'trace: --svg writes XML' python3 -c 'import xml.etree.ElementTree as E; E.parse("live.svg")'
exits 'trace: --threshold succeeds' 0 etalon trace --json --duration 100ms --threshold 20us
json 'trace: --threshold takes effect' 'd["threshold_ns"] in (19999, 20000) and
	all(p["duration_ns"] >= 19999 for p in d["periods"] if p["state"] == "I")'
exits 'trace: --threshold below the distance of readings succeeds' 0 etalon trace --json --duration 10ms --threshold 1ns
json 'trace: --threshold below the distance of readings gives a warning' \
	'any(w["code"] == "trace-low-threshold" for w in d["warnings"])'
exits 'trace: 50 ms as text succeed' 0 etalon trace --duration 50ms
unlike 'trace: the text of an invariant counter does not print cycles' "$out" 'cycles'
like 'trace: the text says how gaps were found' "$out" 'threshold +[0-9.]+ .s .*readings further apart are'
is 'trace: no line is longer than 80 columns' "$(grep -E '.{81}' <<<"$out")" ''
env --default-signal=INT etalon trace --progress always --duration 1h --json >cut.json 2>cut.err &
tracer=$!
wait_for_progress cut.err 1 # seconds
kill -INT $tracer
wait $tracer
is 'trace: Ctrl-C gives exit status 130' $? 130
ok 'trace: after Ctrl-C it prints the periods so far' python3 -c 'import json; d = json.load(open("cut.json"))
assert 0 < d["total_ns"] < 60e9 and d["periods"]'

# --- competing processes ---
exits 'trace: --loads succeeds' 0 etalon trace --json --duration 400ms --loads 2
json 'trace: beside two competing processes less than two thirds are active' 'd["active_percent"] < 67'
json 'trace: records name the competing processes' 'd["causes_from"] == "regularity" or
	any(p["name"] == "etalon-rival" and p["duration_ns"] > 50e6 for p in d["by_process"])'
env --default-signal=INT etalon trace --progress always --duration 1h --loads 2 >/dev/null 2>loads.err &
tracer=$!
wait_for_progress loads.err 1
mapfile -t rivals < <(pgrep -P $tracer)
is 'trace: --loads 2 starts two processes' ${#rivals[@]} 2
kill -KILL $tracer
wait $tracer 2>/dev/null
ok 'trace: the competing processes end when etalon is killed' wait_until "gone ${rivals[0]} && gone ${rivals[1]}"
refuses 'trace: --loads with a huge number is rejected' 2 'loads' etalon trace --loads 64
refuses 'trace: --loads with --from is rejected' 2 'loads' etalon trace --loads 1 --from "$golden"

# --- which process had the CPU ---
if $privileged && etalon trace --duration 1ms --json 2>&1 | grep -q '"causes_from": "\(bpf\|perf\)"'; then
	cp "$(command -v yes)" ./burst-of-yes
	taskset -c "$last" ./burst-of-yes >/dev/null &
	burner=$!
	exits 'trace: a CPU shared with another process succeeds' 0 etalon trace --json --duration 700ms --cpu "$last"
	json 'trace: JSON names the other process on the CPU' 'any(p["name"] == "burst-of-yes" and p["duration_ns"] > 1e6 for p in d["by_process"])'
	exits 'trace: a program beside another process succeeds' 0 etalon trace --json --cpu "$last" -- \
		etalon put inc --iterations 300000000
	json 'trace: JSON names the process that the program waited for' 'any(p["name"] == "burst-of-yes" for p in d["by_process"])'
	json 'trace: the periods of a program are adjacent' 'all(p["start_ns"] + p["duration_ns"] == d["periods"][i + 1]["start_ns"]
		for i, p in enumerate(d["periods"][:-1]))'
	kill $burner 2>/dev/null
	wait $burner 2>/dev/null
	exits 'trace: a program with --loads succeeds' 0 etalon trace --json --loads 1 -- etalon put inc --iterations 100000000
	json 'trace: a program competes with the processes of --loads' 'any(p["name"] == "etalon-rival" for p in d["by_process"])'
	exits 'trace: a program that sleeps succeeds' 0 etalon trace --json -- sleep 0.2
	json 'trace: the sleep of a program is waiting time' 'd["by_cause"]["wait"]["duration_ns"] + d["by_cause"]["process"]["duration_ns"] > 0.15e9'
	exits 'trace: a program with a child process succeeds' 0 etalon trace --json -- sh -c 'etalon put inc --iterations 200000000; true'
	json 'trace: the child processes are part of the program' 'd["active_percent"] / 100 * d["total_ns"] > 20e6 and all(p["name"] != "sh" for p in d["by_process"]
		if p["duration_ns"] > 0.5 * d["total_ns"])'
	run etalon trace -- sh -c 'exit 7'
	is 'trace: a program that fails gives exit status 1' "$status" 1
	like 'trace: the error names the exit status of the program' "$err" "'sh' failed with exit status 7"
	run etalon trace -- sh -c 'kill -9 $$'
	like 'trace: the error names the signal that ended the program' "$err" "'sh' was ended by signal 9"
	refuses 'trace: a program that does not exist is rejected' 2 'nosuch' etalon trace -- ./nosuch
else
	skip 'trace: JSON names the other process on the CPU' "$root_only"
fi
if can_drop_privileges; then
	exits 'trace: without privileges it succeeds' 0 unprivileged etalon trace --json --duration 100ms
	json 'trace: without privileges a warning says that there are no records' 'd["causes_from"] != "regularity" or any(w["code"] == "trace-no-records" for w in d["warnings"])'
	json 'trace: without privileges no process is named' 'd["causes_from"] != "regularity" or d["by_process"] == []'
	run unprivileged etalon trace -- true
	[ "$status" -eq 3 ] || [ "$status" -eq 0 ]
	holds $? 'trace: without privileges a program is traced or gives exit status 3'
	# status 0: kernel.perf_event_paranoid lets everybody
	[ "$status" -eq 0 ] || like 'trace: without privileges the hint is to run with sudo' "$err" 'hint: run with sudo'
	run setpriv --bounding-set=-sys_admin,-bpf,-perfmon etalon trace -- true
	[ "$status" -eq 0 ] || like 'trace: for root without capabilities the hint is not to become root' "$err" \
		'hint: grant CAP_PERFMON to this container'
else
	skip 'trace: without privileges it succeeds' "$why_not"
fi

# --- a CPU that becomes unavailable ---
if [ "$(nproc)" -gt 1 ]; then
	first=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
	etalon trace --progress always --duration 1h --cpu "$last" >gone.txt 2>gone.err &
	tracer=$!
	wait_for_progress gone.err 1
	taskset -apc "$first" $tracer >/dev/null 2>&1
	wait_until "gone $tracer" || kill $tracer
	wait $tracer
	is 'trace: the loss of its CPU gives exit status 3' $? 3
	like 'trace: the error names the lost CPU' "$(cat gone.err)" "ended early: CPU $last is not available any more"
	like 'trace: after the loss of its CPU it prints the periods so far' "$(cat gone.txt)" 'active of'
else
	skip 'trace: the loss of its CPU gives exit status 3' 'only one CPU'
fi

# --- bad input ---
refuses 'trace: --duration 0 is rejected' 2 'duration' etalon trace --duration 0
refuses 'trace: --duration of years is rejected' 2 '30 days' etalon trace --duration 20000h
refuses 'trace: --duration beyond the range of clocks is rejected' 2 'duration' etalon trace --duration 1e30h
refuses 'trace: a negative --duration is rejected' 2 'duration' etalon trace --duration=-1s
refuses 'trace: --threshold 0 is rejected' 2 'threshold' etalon trace --threshold 0
refuses 'trace: a --threshold as long as the trace is rejected' 2 'threshold' etalon trace --duration 1ms --threshold 1ms
refuses 'trace: --cpu with a CPU that does not exist is rejected' 2 'there is no CPU 1023' etalon trace --cpu 1023
refuses 'trace: --cpu with a huge number is rejected' 2 'cpu' etalon trace --cpu 99999999999
refuses 'trace: a program without -- is rejected' 2 "unexpected 'sleep'" etalon trace sleep
refuses 'trace: -- without a program is rejected' 2 'no program' etalon trace --
refuses 'trace: --duration with a program is rejected' 2 'duration' etalon trace --duration 1s -- true
refuses 'trace: --from with --cpu is rejected' 2 'from' etalon trace --from "$golden" --cpu 0
refuses 'trace: --svg - is rejected' 2 'svg' etalon trace --svg - --duration 1ms
refuses 'trace: --svg below a missing folder gives exit status 4' 4 'nowhere' etalon trace --svg nowhere/x.svg --duration 1ms
refuses 'trace: --from with a file that does not exist is rejected' 2 'No such file' etalon trace --from nosuch.json
refuses 'trace: --from with an empty file is rejected' 2 'standard input' bash -c 'etalon trace --from - </dev/null'
like 'trace: the hint for an empty file names trace --json' "$err" 'hint: .*trace --json'
echo '{"mhz_estimate": 500, "x": {"periods": [["A", 0, 0, 10], ["I", 0, 9, 5]]}}' >overlap.json
refuses 'trace: --from with overlapping periods is rejected' 2 'x.periods\[1\]: begins at 9' etalon trace --from overlap.json
echo '{"hz": 1e9, "timer": {"interval_ns": 1e6, "uncertainty_ns": 0}, "ticks": [{"at_ns": 9}, {"at_ns": 3}],
	"periods": [{"state": "A", "index": 0, "start_ns": 0, "duration_ns": 99}]}' >disorder.json
refuses 'trace: --from with ticks out of order is rejected' 2 'ticks\[1\].at_ns: is not in order' etalon trace --from disorder.json
echo '{"mhz_estimate": 500, "x": {"periods": [["A", 0, 0, 1e308]]}}' >huge.json
refuses 'trace: --from with a huge number is rejected' 2 'periods\[0\]\[3\]' etalon trace --from huge.json
echo kept >kept.svg
refuses 'trace: --from with another JSON file is rejected' 2 'no periods' bash -c 'echo {} | etalon trace --from - --svg kept.svg'
is 'trace: a rejected --from leaves the old picture' "$(cat kept.svg)" kept

done_testing
