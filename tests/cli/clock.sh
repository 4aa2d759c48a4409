#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon clock`: the keys of its JSON, figures that must hold on any machine, Ctrl-C, bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
cpus=$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')

exits 'clock: --json succeeds' 0 etalon clock --json --duration 2s --cpu "$cpu"
printf '%s' "$out" >found.json
json 'clock: JSON has the keys that scripts rely on' '{"clocks", "tsc_hz", "invariant_tsc", "tick_ns",
	"timer_interrupt_min_ns", "advice", "counter", "agreement", "warnings"} <= set(d)'
json 'clock: every clock in JSON has a name, a kind, a resolution and a latency' 'all({"name", "resolution_ns", "latency_ns", "kind"} <= set(c)
	for c in d["clocks"])'
json 'clock: JSON lists every clock of POSIX and Linux' '{"CLOCK_REALTIME", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW",
	"CLOCK_BOOTTIME", "CLOCK_TAI", "CLOCK_REALTIME_COARSE", "CLOCK_MONOTONIC_COARSE",
	"CLOCK_PROCESS_CPUTIME_ID", "CLOCK_THREAD_CPUTIME_ID", "gettimeofday", "times", "clock",
	"getrusage"} <= {c["name"] for c in d["clocks"]}'
json 'clock: a kind of clock is cycles, time, ticks or cpu, or null if its steps do not show it' '
	{c["kind"] for c in d["clocks"]} <= {"cycles", "time", "ticks", "cpu", None} and
	all((c["kind"] is None) == (c["basis"] is None) for c in d["clocks"])'
json 'clock: by its steps gettimeofday is cycle-based, and a coarse clock is not' '
	[c["basis"] for c in d["clocks"] if c["name"] == "gettimeofday"] == ["cycles"] and
	all(c["basis"] in ("ticks", None) for c in d["clocks"] if "COARSE" in c["name"])'
ok 'clock: the figures agree with each other and with Python' python3 - <<'PY'
import json, time
d = json.load(open("found.json"))
by = {c["name"]: c for c in d["clocks"] if c["available"]}
for name, c in by.items():
    assert c["latency_ns"] > 0, name
    lo, hi = c["latency_interval_ns"]
    assert lo <= c["latency_ns"] <= hi, name
assert by["gettimeofday"]["resolution_ns"] % 1000 == 0
# clock_getres as Python asks for it
for name in ("CLOCK_MONOTONIC", "CLOCK_PROCESS_CPUTIME_ID"):
    assert by[name]["claimed_ns"] == time.clock_getres(getattr(time, name)) * 1e9, name
tick = d["tick_told_ns"]
coarse = by["CLOCK_MONOTONIC_COARSE"]["resolution_ns"]
# A busy machine may show no step at all, or only steps of several ticks.
if coarse is not None:
    assert coarse > by["CLOCK_MONOTONIC"]["resolution_ns"]
    assert round(coarse / tick) >= 1 and abs(coarse / tick / round(coarse / tick) - 1) < 0.01, coarse
if d["tick_ns"] is not None:
    assert abs(d["tick_ns"] - tick) < 0.01 * tick, d["tick_ns"]
    if d["timer_interrupt_min_ns"] is not None:
        assert 0 < d["timer_interrupt_min_ns"] < tick
if d["tsc_hz"] is not None:
    c = d["counter"]
    # A sleep never ends early; on a busy machine it may end very late.
    assert 0.999 * c["hz"] < c["hz_by_sleep"]
    assert 0 <= c["hz_uncertainty"] < 1e-3 * c["hz"]
    assert c["hz"] == d["tsc_hz"]
PY
ok 'clock: the recommendations cover all lengths without gaps, and their bounds are measured' python3 - <<'PY'
import json
d = json.load(open("found.json"))
a = d["advice"]
if d["tsc_hz"] is not None:
    assert a and a[0]["from_s"] == 0 and a[-1]["to_s"] is None
    assert all(x["to_s"] == y["from_s"] for x, y in zip(a, a[1:]))
    lengths = d["undisturbed"]["lengths"]
    for x in a:
        assert x["why"] and (x["clock"] is None) == (x["method"] == "none"), x
        assert x["expected_error"] is None or 0 < x["expected_error"] <= 0.1, x
        if x["method"] == "kbest" and x["to_s"]:
            # a fifth of the runs fits at the end of its range, as measured
            at = min(lengths, key=lambda l: abs(l["length_ns"] / 1e9 - x["to_s"]))
            assert at["fits"] >= 0.2 and at["best_fifth_loses"] <= 0.01, (x, at)
    assert 0 < d["undisturbed"]["share"] <= 1
PY
json 'clock: --cpu is where it measured' "d['cpu'] == $cpu and d['cpus'] == $cpus"
if [ "$cpus" -gt 1 ]; then
	json 'clock: the counter is compared with that of every other CPU' "len(d['agreement']['pairs']) == $cpus - 1 or
		d['tsc_hz'] is None"
else
	skip 'clock: the counter is compared with that of every other CPU' 'there is one CPU'
fi

json 'clock: fewer than a hundred timer interrupts give a warning' 'd["timer_interrupts"] >= 100 or
	any("timer-interrupt" in w["code"] for w in d["warnings"])'
json 'clock: the cost of a timer interrupt has a source and a doubt that contains its median' '
	d["timer_interrupt_source"] in ("records", "coarse-clock", "regularity", None) and
	len(d["timer_interrupt_doubt_ns"]) == 2 and
	(d["timer_interrupt_median_ns"] is None or
	 d["timer_interrupt_min_ns"] <= d["timer_interrupt_doubt_ns"][0] <=
	 d["timer_interrupt_median_ns"] <= d["timer_interrupt_doubt_ns"][1])'
if [ "$(etalon trace --json --duration 50ms --cpu "$cpu" | jq -r .causes_from)" = bpf ]; then
	json 'clock: where the kernel has records, they tell the timer interrupts' \
		'd["timer_interrupt_source"] in ("records", None)'
else
	skip 'clock: where the kernel has records, they tell the timer interrupts' 'they need BPF'
fi
# A stray gap of 0.3 µs, the shortest that is seen, must not be taken for an interrupt.
for _ in 1 2; do
	etalon clock --json --duration 0.5s --cpu "$cpu"
done | jq -s . >several.json
ok 'clock: each survey has the cost of a timer interrupt, or a warning about them' jq -e 'length == 2 and
	all(.[]; .timer_interrupt_min_ns != null or any(.warnings[]; .code | contains("timer-interrupt")))' several.json
agree='clock: several surveys agree on the cost of a timer interrupt, within their doubt'
if jq -e 'any(.[]; .timer_interrupt_min_ns == null)' several.json >/dev/null; then
	skip "$agree" 'a survey found no cost of a timer interrupt, and warned of it'
else
	ok "$agree" python3 - <<'PY'
import json
found = json.load(open("several.json"))
assert len(found) == 2, found
for d in found:
    for e in found:
        lo, hi = d["timer_interrupt_doubt_ns"]
        # loose: a machine whose load changes meanwhile has no single cost
        assert lo < 3 * e["timer_interrupt_doubt_ns"][1], (d, e)
        # a stray gap is 30 times shorter than an interrupt
        assert d["timer_interrupt_min_ns"] > e["timer_interrupt_doubt_ns"][0] / 5, (d, e)
PY
fi
json 'clock: the tick is the one found by regularity or the one that the kernel reports' \
	'd["tick_ns"] in (None, d["tick_found_ns"], d["tick_told_ns"])'

# Beside a rival on its CPU, a thread is preempted after each slice: 10 ms never fit.
taskset -c "$cpu" etalon put spin --seconds 60 >/dev/null &
rival=$!
exits 'clock: a CPU with a rival is surveyed' 0 etalon clock --json --duration 0.5s --cpu "$cpu"
kill $rival
wait $rival 2>/dev/null
json 'clock: beside a rival a thread has its CPU for less than 70 % of the time' 'd["undisturbed"]["share"] < 0.7'
json 'clock: beside a rival kbest is not recommended for 10 ms' '
	all(a["method"] != "kbest" for a in d["advice"] if a["from_s"] <= 0.01 and (a["to_s"] or 1e9) >= 0.01)'
exits 'clock: one allowed CPU is enough' 0 taskset -c "$cpu" etalon clock --duration 0.5s
like 'clock: with one allowed CPU it warns that none was compared' "$out" 'only one CPU may be used'
like 'clock: the text recommends a method for short programs' "$out" '(under [0-9.]+ [µm]?s|all lengths) +(kbest|cpu-time|elapsed|none)'
etalon clock -v --duration 0.5s >wide
ok 'clock: no line of -v is wider than 80 columns' test "$(wc -L <wide)" -le 80
if [ "$(uname -m)" = x86_64 ]; then
	# prctl(PR_SET_TSC, PR_TSC_SIGSEGV) forbids a process to read the counter; execve keeps it.
	cat >no-tsc.py <<'PY'
import ctypes, os, sys
if ctypes.CDLL(None).prctl(26, 2, 0, 0, 0):
    sys.exit(77)
os.execvp(sys.argv[1], sys.argv[1:])
PY
	# Where the counter is the kernel's clock source, the vDSO reads it and every process would end.
	run bash -c 'python3 no-tsc.py date; exit' 2>/dev/null
	if [ "$status" -eq 0 ]; then
		exits 'clock: a process that must not read the counter is no error' 0 python3 no-tsc.py etalon clock --json --duration 0.5s
		json 'clock: a warning says that the counter must not be read' 'd["tsc_hz"] is None and not d["clocks"][0]["available"] and
			any(w["code"] == "counter-forbidden" for w in d["warnings"])'
	else
		skip 'clock: a process that must not read the counter is no error' 'the vDSO reads it, too'
	fi
else
	skip 'clock: a process that must not read the counter is no error' 'only x86 can forbid it'
fi

exits 'clock: --scales succeeds' 0 etalon clock --scales --svg scales.svg --json --cpu "$cpu"
json 'clock: --scales measures the events of Figure 9.1, each with its interval or the reason why not' '
	[x["name"] for x in d["scales"]] == ["division", "clock-reading", "system-call", "page-fault",
		"context-switch", "wake-up", "thread", "process", "timer-interrupt", "timer-interval"] and
	all(x["missing"] or x["n"] == 1 or
		x["interval_ns"][0] <= x["median_ns"] <= x["interval_ns"][1] for x in d["scales"])'
json 'clock: by --scales a division is faster than a system call, and that than a new process' '
	(lambda m: m["division"] < m["system-call"] < m["process"] and
		m["system-call"] < m["context-switch"])({x["name"]: x["median_ns"] for x in d["scales"]})'
ok 'clock: --scales --svg draws the events' grep -q 'context-switch' scales.svg
exits 'clock: --scales is content with one CPU' 0 taskset -c "$cpu" etalon clock --scales
like 'clock: --scales on one CPU says why a wake-up is missing' "$out" 'wake-up +not measured: this needs a second CPU'
like 'clock: --scales prints a scale from 1 ns to 1 s' "$out" '1 ns +1 µs +1 ms +1 s'
exits 'clock: --scales, which takes as long as it needs, rejects --duration' 2 etalon clock --scales --duration 1s
refuses 'clock: --svg without --scales is rejected' 2 '--svg needs --scales' etalon clock --svg x.svg
exits 'clock: the drawing does not go to standard output' 2 etalon clock --scales --svg - --cpu "$cpu"
like 'clock: the error names the option' "$err" '^etalon: --svg: standard output'

clocks=$(jq '[.clocks[].name] | index("CLOCK_MONOTONIC") + 1' found.json)
env --default-signal=INT etalon clock --progress always --duration 1h >known 2>known.err &
pid=$!
wait_for_progress known.err "$clocks"
kill -s INT $pid
wait $pid
is 'clock: Ctrl-C ends it with exit status 130' $? 130
like 'clock: after Ctrl-C it prints the clocks measured so far and a warning' "$(cat known)" 'CLOCK_MONOTONIC .*survey was interrupted'

refuses 'clock: --cpu rejects a CPU that does not exist' 2 '--cpu: there is no CPU 1000' etalon clock --cpu 1000
like 'clock: the hint of --cpu lists the CPUs' "$err" "hint: use CPUs of this list: .*$cpu"
if [ "$cpus" -gt 1 ]; then
	other=$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')
	refuses 'clock: --cpu rejects a CPU outside the affinity mask' 2 "--cpu: CPU $other is offline or not allowed for this process" \
		taskset -c "$cpu" etalon clock --cpu "$other"
	like 'clock: the hint of --cpu lists only the allowed CPUs' "$err" "hint: use CPUs of this list: $cpu\$"
else
	skip 'clock: --cpu rejects a CPU outside the affinity mask' 'there is one CPU'
fi
refuses 'clock: --cpu rejects a word' 2 '--cpu' etalon clock --cpu all
refuses 'clock: --cpu rejects a negative number' 2 '--cpu' etalon clock --cpu=-1
refuses 'clock: --duration rejects 0' 2 '--duration' etalon clock --duration 0
refuses 'clock: --duration rejects less than 0.5 s' 2 'below 500ms' etalon clock --duration 1ms
refuses 'clock: an operand is rejected' 2 'takes no operands' etalon clock tsc
refuses 'clock: an unknown option is rejected' 2 'unknown option' etalon clock --all

done_testing
