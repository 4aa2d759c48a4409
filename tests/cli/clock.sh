#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# clock: the keys of its JSON, figures that must hold on any machine, bad input, Ctrl-C.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
cpus=$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')

exits 'as JSON' 0 etalon clock --json --duration 2s --cpu "$cpu"
printf '%s' "$out" >found.json
json 'the keys that scripts rely on' '{"clocks", "tsc_hz", "invariant_tsc", "tick_ns",
	"timer_interrupt_min_ns", "advice", "counter", "agreement", "warnings"} <= set(d)'
json 'a clock has its figures' 'all({"name", "resolution_ns", "latency_ns", "kind"} <= set(c)
	for c in d["clocks"])'
json 'every clock is there' '{"CLOCK_REALTIME", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW",
	"CLOCK_BOOTTIME", "CLOCK_TAI", "CLOCK_REALTIME_COARSE", "CLOCK_MONOTONIC_COARSE",
	"CLOCK_PROCESS_CPUTIME_ID", "CLOCK_THREAD_CPUTIME_ID", "gettimeofday", "times", "clock",
	"getrusage"} <= {c["name"] for c in d["clocks"]}'
json 'kinds' '{c["kind"] for c in d["clocks"]} <= {"cycles", "time", "ticks", "cpu"}'
ok 'figures that must hold' python3 - <<'PY'
import json, time
d = json.load(open("found.json"))
by = {c["name"]: c for c in d["clocks"] if c["available"]}
for name, c in by.items():
    assert c["latency_ns"] > 0, name
    lo, hi = c["latency_interval_ns"]
    assert lo <= c["latency_ns"] <= hi, name
coarse, fine = by["CLOCK_MONOTONIC_COARSE"], by["CLOCK_MONOTONIC"]
if coarse["resolution_ns"] is None:  # a busy machine
    coarse["resolution_ns"] = d["tick_told_ns"]
assert coarse["resolution_ns"] >= fine["resolution_ns"]
assert by["gettimeofday"]["resolution_ns"] % 1000 == 0
# clock_getres as Python asks for it, and the smallest step as it sees it
for name in ("CLOCK_MONOTONIC", "CLOCK_PROCESS_CPUTIME_ID"):
    assert by[name]["claimed_ns"] == time.clock_getres(getattr(time, name)) * 1e9, name
tick = d["tick_told_ns"]
# a hypervisor may hold up ticks, and then several come at once
assert coarse["resolution_ns"] > 0.99 * tick
assert coarse["resolution_ns"] < 1.01 * tick or coarse["confirmed"] < 3, coarse
if d["tick_ns"] is not None:
    assert abs(d["tick_ns"] - tick) < 0.01 * tick, d["tick_ns"]
    if d["timer_interrupt_min_ns"] is not None:
        assert 0 < d["timer_interrupt_min_ns"] < tick
if d["tsc_hz"] is not None:
    c = d["counter"]
    # a sleep ends late, never early
    assert 0.999 * c["hz"] < c["hz_by_sleep"] < 3 * c["hz"]
    assert 0 <= c["hz_uncertainty"] < 1e-3 * c["hz"]
    assert c["hz"] == d["tsc_hz"]
PY
json 'six pieces of advice, without a gap' 'len(d["advice"]) == 6 and
	[a["from_s"] for a in d["advice"]] == [0, 0.01, 1] * 2 and
	[a["to_s"] for a in d["advice"]] == [0.01, 1, None] * 2 and
	sum(a["now"] for a in d["advice"]) == 3 and all(a["why"] for a in d["advice"])'
json 'it was where it was told to be' "d['cpu'] == $cpu and d['cpus'] == $cpus"
if [ "$cpus" -gt 1 ]; then
	json 'the other CPUs were asked' "len(d['agreement']['pairs']) == $cpus - 1 or
		d['tsc_hz'] is None"
else
	skip 'the other CPUs were asked' 'there is one CPU'
fi

json 'a hundred timer interrupts, or a warning' 'd["timer_interrupts"] >= 100 or
	any("timer interrupt" in w for w in d["warnings"])'
json 'a tick that was found without being told is no other' 'd["tick_found_ns"] is None or
	d["tick_ns"] in (d["tick_found_ns"], d["tick_told_ns"])'

exits 'one CPU only' 0 taskset -c "$cpu" etalon clock --duration 0.5s
like 'is said' "$out" 'only one CPU may be used'
like 'with the advice' "$out" 'under 10 ms +kbest'
etalon clock -v --duration 0.5s >wide
ok 'no line is wider than 80 columns' test "$(wc -L <wide)" -le 80
if [ "$(uname -m)" = x86_64 ]; then
	# A process that may not read the counter: prctl(PR_SET_TSC, PR_TSC_SIGSEGV) goes through exec.
	cat >no-tsc.py <<'PY'
import ctypes, os, sys
if ctypes.CDLL(None).prctl(26, 2, 0, 0, 0):
    sys.exit(77)
os.execvp(sys.argv[1], sys.argv[1:])
PY
	# The kernel's own clocks read the counter in the process where it is their source.
	run bash -c 'python3 no-tsc.py date; exit' 2>/dev/null
	if [ "$status" -eq 0 ]; then
		exits 'without the counter' 0 python3 no-tsc.py etalon clock --json --duration 0.5s
		json 'says so' 'd["tsc_hz"] is None and not d["clocks"][0]["available"] and
			any("may not be read" in w for w in d["warnings"])'
	else
		skip 'without the counter' 'the C library reads it, too'
	fi
fi

perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' etalon clock --duration 1h >known 2>known.err &
pid=$!
sleep 1.5
kill -s INT $pid
wait $pid
is 'Ctrl-C: exit 130' $? 130
like 'with what is known' "$(cat known)" 'CLOCK_MONOTONIC .*cut short'

refuses 'a CPU that is not there' 2 '--cpu: there is no CPU 1000' etalon clock --cpu 1000
like 'says which are' "$err" "hint: use CPUs of this list: .*$cpu"
if [ "$cpus" -gt 1 ]; then
	other=$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')
	refuses 'a CPU that is there, and not for us' 2 "--cpu: CPU $other is offline or not allowed for this process" \
		taskset -c "$cpu" etalon clock --cpu "$other"
	like 'says which are' "$err" "hint: use CPUs of this list: $cpu\$"
fi
refuses 'no number of a CPU' 2 '--cpu' etalon clock --cpu all
refuses 'a negative one' 2 '--cpu' etalon clock --cpu=-1
refuses 'no time at all' 2 '--duration' etalon clock --duration 0
refuses 'too little of it' 2 'below 500ms' etalon clock --duration 1ms
refuses 'an operand' 2 'takes no operands' etalon clock tsc
refuses 'an unknown option' 2 'unknown option' etalon clock --all

done_testing
