#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# trace: the chapter's figures, this machine's CPU, a program's, and what bad input gets.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

golden=$root/tests/golden/csapp-activity-trace.json
last=$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')
root_only='needs root'
privileged=false
[ "$(id -u)" -eq 0 ] && privileged=true

# --- the chapter's figures ---
exits 'the golden trace' 0 etalon trace --from "$golden" --svg golden.svg
like 'its first trace' "$out" 'light_load: 95\.1 % active'
like 'and its second' "$out" 'one_competitor: 53\.0 % active'
like 'seven ticks' "$out" '7 interrupts 10\.00 ms apart'
like 'the true clock rate' "$out" '547\.2 MHz.*549\.9 MHz was estimated'
like 'periods as the chapter prints them' "$out" \
	'A0 +Time 0 \(0 ms\), Duration 3726508 \(6\.81.* ms\)'
like 'the chapter counts cycles' "$out" 'shortest took [^(]*\(247113[[:space:]]+cycles\)'
like 'with their own numbers' "$out" 'I50 +Time 202210927 .*Duration 5718758 .*process'
is 'no line is too long' "$(grep -E '.{81}' <<<"$out")" ''
exits 'as JSON' 0 etalon trace --json --from "$golden"
json 'what the file expects' '[(t["name"], round(t["active_percent"], 1)) for t in d["traces"]] ==
	[("light_load", 95.1), ("one_competitor", 53.0)]'
json 'the seven timer interrupts' 'sum(p["cause"] == "timer" for p in d["traces"][0]["periods"]) == 7
	and abs(d["traces"][0]["timer"]["interval_ns"] - 1e7) < 1
	and round(d["traces"][0]["timer"]["shortest_ns"] * d["traces"][0]["hz"] / 1e9) == 247113'
json 'the rate' 'all(round(t["hz"] / 1e6, 1) == 547.2 for t in d["traces"])'
printf '%s' "$out" >own.json
exits 'what we write we read' 0 etalon trace --json --from own.json
json 'with the same periods' '[t["periods"] for t in d["traces"]] ==
	[t["periods"] for t in json.load(open("own.json"))["traces"]]'
ok 'the picture is XML with a tick for each interrupt' python3 - <<'PY'
import xml.etree.ElementTree as E
s = open("golden.svg").read()
root = E.fromstring(s)
assert root.tag.endswith("svg")
text = " ".join(root.itertext())
# the sign in the legend, then seven and five ticks
drawn = [g for g in root.iter() if "tk" in g.get("class", "").split()]
assert sum(p.get("d", "").count("M") for g in drawn for p in g) == 1 + 7 + 5
assert "light_load: active" in text and "timer interrupt" in text and "95.1 % active" in text
PY

echo '{"hz": 1e9, "periods": [{"state": "I", "index": 0, "start_ns": 0, "duration_ns": 99999977,
	"cause": "process", "process": "hog"}]}' >hog.json
exits 'nothing but another process' 0 etalon trace --from hog.json
like 'is drawn as that' "$out" 'active   │ +'$'\n'
unlike 'and nothing explains ticks where there are none' "$out" '┴'

# --- this machine ---
exits 'a short trace' 0 etalon trace --json --duration 300ms --svg live.svg
json 'every key is there' '{"hz", "threshold_ns", "periods", "active_percent", "by_cause"} <= set(d)'
json 'states alternate and times join' 'all(
	p["state"] == "AI"[i % 2] and p["index"] == i // 2 and
	p["start_ns"] + p["duration_ns"] == d["periods"][i + 1]["start_ns"]
	for i, p in enumerate(d["periods"][:-1]))'
json 'it is as long as asked for, or longer when others had the CPU' \
	'299e6 < d["total_ns"] and d["periods"][-1]["start_ns"] + d["periods"][-1]["duration_ns"] <= d["total_ns"]'
json 'shares are of one whole' 'abs(d["active_percent"] - 100
	+ 100 * sum(p["duration_ns"] for p in d["periods"] if p["state"] == "I") / d["total_ns"]) < 0.01'
json 'causes add up' 'sum(c["count"] for c in d["by_cause"].values()) ==
	sum(p["state"] == "I" for p in d["periods"])'
json 'nothing is below the threshold' 'all(p["duration_ns"] >= d["threshold_ns"] - 1
	for p in d["periods"] if p["state"] == "I")'
json 'the CPU is the last one' "d['cpu'] == $last"
ok 'and a picture of it' python3 -c 'import xml.etree.ElementTree as E; E.parse("live.svg")'
exits 'a threshold that is given' 0 etalon trace --json --duration 100ms --threshold 20us
json 'is used' 'd["threshold_ns"] in (19999, 20000) and
	all(p["duration_ns"] >= 19999 for p in d["periods"] if p["state"] == "I")'
exits 'a threshold below the distance of readings' 0 etalon trace --json --duration 10ms --threshold 1ns
json 'threshold: one below the distance of readings raises a warning' \
	'any(w["code"] == "trace-low-threshold" for w in d["warnings"])'
exits 'text' 0 etalon trace --duration 50ms
unlike 'an invariant counter counts no cycles' "$out" 'cycles'
like 'says how it looked' "$out" 'readings further apart than'
is 'in 80 columns' "$(grep -E '.{81}' <<<"$out")" ''
env --default-signal=INT etalon trace --progress always --duration 1h --json >cut.json 2>cut.err &
tracer=$!
wait_for_progress cut.err 1 # seconds
kill -INT $tracer
wait $tracer
is 'Ctrl-C ends it' $? 130
ok 'with what was seen' python3 -c 'import json; d = json.load(open("cut.json"))
assert 0 < d["total_ns"] < 60e9 and d["periods"]'

# --- by whom ---
if $privileged && etalon trace --duration 1ms --json 2>&1 | grep -q '"causes_from": "\(bpf\|perf\)"'; then
	cp "$(command -v yes)" ./burst-of-yes
	taskset -c "$last" timeout 20 ./burst-of-yes >/dev/null &
	burner=$!
	exits 'a burst of another process' 0 etalon trace --json --duration 700ms --cpu "$last"
	json 'is named' 'any(p["name"] == "burst-of-yes" and p["duration_ns"] > 1e6 for p in d["by_process"])'
	exits 'a program beside it' 0 etalon trace --json --cpu "$last" -- \
		etalon put inc --iterations 30000000
	json 'was off the CPU for it' 'any(p["name"] == "burst-of-yes" for p in d["by_process"])'
	json 'its periods join' 'all(p["start_ns"] + p["duration_ns"] == d["periods"][i + 1]["start_ns"]
		for i, p in enumerate(d["periods"][:-1]))'
	kill $burner 2>/dev/null
	wait $burner 2>/dev/null
	exits 'a program that waits' 0 etalon trace --json -- sleep 0.2
	json 'waits' 'd["by_cause"]["wait"]["duration_ns"] + d["by_cause"]["process"]["duration_ns"] > 0.15e9'
	exits 'children are the program' 0 etalon trace --json -- sh -c 'etalon put inc --iterations 20000000; true'
	json 'and not others' 'd["active_percent"] > 1 and all(p["name"] != "sh" for p in d["by_process"]
		if p["duration_ns"] > 0.5 * d["total_ns"])'
	run etalon trace -- sh -c 'exit 7'
	is 'a program that fails' "$status" 1
	like 'is told after its trace' "$err" "'sh' failed with exit status 7"
	run etalon trace -- sh -c 'kill -9 $$'
	like 'one that is killed, too' "$err" "'sh' was ended by signal 9"
	refuses 'a program that is not there' 2 'nosuch' etalon trace -- ./nosuch
else
	skip 'a burst of another process is named' "$root_only"
fi
if can_drop_privileges; then
	exits 'without privileges' 0 unprivileged etalon trace --json --duration 100ms
	json 'it says so' 'd["causes_from"] != "regularity" or any(w["code"] == "trace-no-records" for w in d["warnings"])'
	json 'and names nobody' 'd["causes_from"] != "regularity" or d["by_process"] == []'
	run unprivileged etalon trace -- true
	[ "$status" -eq 3 ] || [ "$status" -eq 0 ]
	holds $? 'a program needs them, or the kernel lets everybody'
	# status 0: kernel.perf_event_paranoid lets everybody
	[ "$status" -eq 0 ] || like 'without privileges: the hint is to run with sudo' "$err" 'hint: run with sudo'
	run setpriv --bounding-set=-sys_admin,-bpf,-perfmon etalon trace -- true
	[ "$status" -eq 0 ] || like 'root without capabilities: the hint is not to become root' "$err" \
		'hint: grant CAP_PERFMON to this container'
else
	skip 'without privileges' "$why_not"
fi

# --- a CPU that goes away ---
if [ "$(nproc)" -gt 1 ]; then
	first=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
	etalon trace --progress always --duration 1h --cpu "$last" >gone.txt 2>gone.err &
	tracer=$!
	wait_for_progress gone.err 1
	taskset -apc "$first" $tracer >/dev/null 2>&1
	wait_until "gone $tracer"
	kill $tracer 2>/dev/null
	wait $tracer
	is 'a CPU taken away ends the trace' $? 3
	like 'and is told' "$(cat gone.err)" "ended early: CPU $last is not available any more"
	like 'with what was seen until then' "$(cat gone.txt)" 'active of'
else
	skip 'a CPU taken away' 'only one CPU'
fi

# --- bad input ---
refuses 'no duration' 2 'duration' etalon trace --duration 0
refuses 'an absurd duration' 2 '30 days' etalon trace --duration 20000h
refuses 'one that no clock holds' 2 'duration' etalon trace --duration 1e30h
refuses 'a negative one' 2 'duration' etalon trace --duration=-1s
refuses 'no threshold' 2 'threshold' etalon trace --threshold 0
refuses 'a threshold beyond the duration' 2 'threshold' etalon trace --duration 1ms --threshold 1ms
refuses 'a CPU that is not there' 2 'there is no CPU 1023' etalon trace --cpu 1023
refuses 'a CPU that cannot be' 2 'cpu' etalon trace --cpu 99999999999
refuses 'a word' 2 "unexpected 'sleep'" etalon trace sleep
refuses 'no program' 2 'no program' etalon trace --
refuses 'a program and a duration' 2 'duration' etalon trace --duration 1s -- true
refuses 'a file and a CPU' 2 'from' etalon trace --from "$golden" --cpu 0
refuses 'a picture on the standard output' 2 'svg' etalon trace --svg - --duration 1ms
refuses 'a picture nowhere' 4 'nowhere' etalon trace --svg nowhere/x.svg --duration 1ms
refuses 'a file that is not there' 2 'No such file' etalon trace --from nosuch.json
refuses 'an empty one' 2 'standard input' bash -c 'etalon trace --from - </dev/null'
like 'what would be one is said' "$err" 'hint: .*trace --json'
echo '{"mhz_estimate": 500, "x": {"periods": [["A", 0, 0, 10], ["I", 0, 9, 5]]}}' >overlap.json
refuses 'periods that overlap' 2 'x.periods\[1\]: begins at 9' etalon trace --from overlap.json
echo '{"mhz_estimate": 500, "x": {"periods": [["A", 0, 0, 1e308]]}}' >huge.json
refuses 'a huge one' 2 'periods\[0\]\[3\]' etalon trace --from huge.json
echo kept >kept.svg
refuses 'a file that is no trace' 2 'no periods' bash -c 'echo {} | etalon trace --from - --svg kept.svg'
is 'leaves the picture alone' "$(cat kept.svg)" kept

done_testing
