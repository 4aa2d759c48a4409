#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lab emp-versions, clock-methods, real-programs: tables, records, --from, bad input, Ctrl-C. What
# is printed is held against the samples in the record, computed anew by Python.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

etalon put inc --seconds 1ms # calibrated now, not within a sample

cat >check.py <<'PY'
# The samples of a record, and the figures of the papers over some of them.
import json, statistics, sys
def near(a, b): return abs(a - b) <= 1e-9 * abs(b) + 1e-6
def solo(c):
    return [s for s in c["samples"] if not s["warmup"] and s["arrangement"] == "solo"]
def same(p, x, unit="ns"):
    assert p["n"] == len(x), (p, x)
    if not x:
        assert p["mean_" + unit] is None
        return
    assert near(p["mean_" + unit], statistics.fmean(x)), (p, x)
    if len(x) > 1:
        assert near(p["sd_" + unit], statistics.stdev(x)), (p, x)
        assert near(p["relative_error"], statistics.stdev(x) / statistics.fmean(x)), (p, x)
table = json.load(open("table.json"))
record = json.load(open("record.json"))
assert table["id"] == record["id"]
PY

# --- emp-versions
exits 'emp-versions' 0 etalon lab emp-versions --lengths 5ms,0.01 --runs 12
for name in 'INC0.005' 'INC0.01'; do
	like "a table of $name" "$out" "$name, median [0-9.]+ ms: 12 runs"
done
is 'seven protocols each' "$(grep -cE '^(v[1-6]|ours) +[0-9]+ +[0-9]+ ' .out)" 14
like 'a plot over the length' "$out" 'relative error by length.*%.*seconds'
like 'what each stands for' "$out" 'v1 +every run'
like 'where it is kept' "$out" 'stored as [0-9a-f-]+ in sqlite:'
ok 'no line over 80 columns' test -z "$(grep -E '^.{81,}' .out)"
is 'no escape sequence' "$(tr -cd '\033' <.out)" ''
cp .out first
is 'the record is listed under its name' "$(etalon list --json | jq -r '.[0].label')" \
	'lab emp-versions'
like 'and shown' "$(etalon show 'lab emp-versions')" 'INC0.005'
exits 'printed again' 0 etalon lab emp-versions --from 'lab emp-versions'
ok 'the same tables' diff .out <(head -n -2 first)
exits 'as JSON' 0 etalon lab emp-versions --from last --json
cp .out table.json
etalon show --json >record.json
json 'every version of every task' '[len(t["versions"]) for t in d["tasks"]] == [7, 7] and
	[v["version"] for v in d["tasks"][0]["versions"]] == ["v1", "v2", "v3", "v4", "v5", "v6",
	"ours"] and all(v["n"] + v["removed"] == 12 for t in d["tasks"] for v in t["versions"])'
ok 'v1 is every run, ours those that are kept, v6 is v5 without what is far off' python3 -c '
exec(open("check.py").read())
for t, c in zip(table["tasks"], record["commands"]):
    v = {v["version"]: v for v in t["versions"]}
    s = solo(c)
    for m in ("et", "pt"):
        same(v["v1"][m], [x[m + "_ns"] for x in s])
        same(v["ours"][m], [x[m + "_ns"] for x in s if not x["removed"]])
    assert near(t["seconds"], statistics.median(x["et_ns"] for x in s) / 1e9)
    assert v["v6"]["n"] <= v["v5"]["n"] <= v["v2"]["n"]
    assert v["v6"]["n"] < 12 or all(
        abs(x["pt_ns"] - v["v5"]["pt"]["mean_ns"]) <= 2 * v["v5"]["pt"]["sd_ns"] for x in s)'
exits 'narrow' 0 env COLUMNS=40 etalon lab emp-versions --from last

# A run beside a daemon that `env apply` would have stopped is not in v2 and beyond.
cp "$ETALON" atd
./atd put spin --wall --seconds 60 &
daemon=$!
exits 'beside a daemon' 0 etalon lab emp-versions --lengths 50ms --runs 3 --label mine --json
kill $daemon
wait $daemon 2>/dev/null
cp .out table.json
etalon show --json mine >record.json
ok 'v2 has none of these runs' python3 -c '
exec(open("check.py").read())
s = [x for x in solo(record["commands"][0]) if not any(i["name"] == "atd" for i in x["interference"])]
v = table["tasks"][0]["versions"]
assert v[0]["n"] == 3 and len(s) < 3 and all(x["n"] <= len(s) for x in v[1:6]), (v, s)'

exits 'paced runs' 0 etalon lab emp-versions --lengths 20ms --runs 8 --pace
like 'have the one row' "$out" 'INC0.02: [0-8] paced runs|INC0.02, median –: 0 runs'
exits 'as JSON' 0 etalon lab emp-versions --from last --json
json 'that other protocols know nothing of' 'all(v["n"] == 0 for v in d["tasks"][0]["versions"])'

# --- clock-methods
exits 'clock-methods' 0 etalon lab clock-methods --lengths 0.01 --runs 5
like 'each method' "$out" 'clock_gettime +5 .*elapsed time.*EMP +[0-5] .*CPU time'
like 'on the same runs' "$out" 'All three methods measured the same runs'
ok 'no line over 80 columns' test -z "$(grep -E '^.{81,}' .out)"
exits 'as JSON' 0 etalon lab clock-methods --from 'lab clock-methods' --json
cp .out table.json
etalon show --json >record.json
case $(uname -m) in x86_64) counter=rdtsc ;; aarch64) counter=cntvct ;; *) counter=counter ;; esac
ok 'the clock, the counter and CPU time of the record' python3 -c '
exec(open("check.py").read())
t = table["tasks"][0]
s = solo(record["commands"][0])
same(t["methods"]["clock_gettime"], [x["et_ns"] for x in s])
same(t["methods"]["EMP"], [x["pt_ns"] for x in s if not x["removed"]])
ticks = [x["counter_ticks"] for x in s if x["counter_ticks"] is not None]
same(t["methods"][sys.argv[1]], ticks, "ticks")
if ticks:  # one rate in every run: they read the same window
    rates = sorted(x["counter_ticks"] / x["et_ns"] for x in s)
    usual = statistics.median(rates)  # between the two readings, the CPU may be taken away once
    assert sum(abs(r / usual - 1) < 0.01 for r in rates) >= 4, rates
    assert near(t["counter_hz"], 1e9 * sum(ticks) / sum(x["et_ns"] for x in s))
else:
    assert t["counter_hz"] is None' "$counter"
if [ "$counter" != counter ]; then
	ok 'the counter was read' jq -e ".tasks[0].methods.$counter.n == 5" table.json
fi

# --- real-programs
exits 'real-programs' 0 etalon lab real-programs --programs sort,matr,perl,bzip2 --sizes small \
	--runs 2
for name in 'sort 5000' 'matr 150' 'perl' 'bzip2'; do
	like "a row of $name" "$out" "$name"
done
ok 'no line over 80 columns' test -z "$(grep -E '^.{81,}' .out)"
is 'the inputs are gone' "$(find "$TMPDIR" -name 'etalon-lab*')" ''
exits 'as JSON' 0 etalon lab real-programs --from last --json
cp .out table.json
etalon show --json >record.json
ok 'the figures of the record' python3 -c '
exec(open("check.py").read())
for t, c in zip(table["programs"], record["commands"]):
    assert t["name"] == c["name"]
    for m in ("et", "pt"):
        same(t[m], [x[m + "_ns"] for x in solo(c) if not x["removed"]])'
json 'what is not installed is not asked for' 'd["not_installed"] is None'
mkdir empty
exits 'without any program' 0 env PATH="$work/empty" "$ETALON" lab real-programs --sizes small \
	--runs 2 --programs sort,gcc,perl --json
json 'says what is missing' 'd["not_installed"] == ["gcc", "perl"] and len(d["programs"]) == 1'
exits 'as text' 0 env PATH="$work/empty" "$ETALON" lab real-programs --sizes small --runs 2 \
	--programs sort,gcc
like 'a row of it' "$out" 'gcc +not installed'
refuses 'nothing to measure' 3 'none of these programs is installed' env PATH="$work/empty" \
	"$ETALON" lab real-programs --programs gcc
refuses 'no place for inputs' 4 'nosuch' env TMPDIR="$work/nosuch" \
	etalon lab real-programs --programs bzip2
printf '#!/bin/sh\nexit 3\n' >empty/perl
chmod +x empty/perl
exits 'a program that fails' 1 env PATH="$work/empty" "$ETALON" lab real-programs --sizes small \
	--programs perl
like 'is named' "$err" 'perl'
is 'its inputs are gone, too' "$(find "$TMPDIR" -name 'etalon-lab*')" ''

# --- Ctrl-C
"$ETALON" lab emp-versions --lengths 50ms --runs 1000 --json >cut.json 2>cut.err &
pid=$!
wait_until 'etalon list --json 2>/dev/null | jq -e ".[0] | .state == \"running\" and .samples >= 3" >/dev/null'
kill -TERM $pid
wait $pid
is 'a signal ends it with its status' "$?" 143
cp cut.json .out
json 'and what is known by then is printed' 'd["state"] == "interrupted" and
	2 < d["tasks"][0]["versions"][0]["n"] < 1000'
like 'it can go on' "$(cat cut.err)" "hint: run 'etalon run --resume $(jq -r .id cut.json)' to continue"

# --- bad input
for value in -1 0 '' abc 1,,2 '1,' ,1 1,-2 nan 1e300 25h 2,1 1,1; do
	refuses "--lengths '$value'" 2 '--lengths' etalon lab emp-versions --lengths "$value"
done
refuses 'too many lengths' 2 'more than 32' etalon lab emp-versions --lengths "$(seq -s, 33)"
for value in 0 1 -1 1.5 abc '' 99999999999; do
	refuses "--runs '$value'" 2 '--runs' etalon lab clock-methods --runs "$value"
done
refuses 'an unknown program' 2 "unknown program 'doom'" etalon lab real-programs --programs sort,doom
like 'the programs are named' "$err" 'hint: use one of sort, .*x264'
refuses 'an unknown size' 2 "unknown size 'huge'" etalon lab real-programs --sizes huge
refuses 'an unknown record' 2 'nosuch' etalon lab emp-versions --from nosuch
refuses 'no store' 4 '' etalon lab emp-versions --from last --store sqlite:nosuch.db
refuses 'a plan for what is done' 2 'options of a plan are not valid' etalon lab emp-versions --from last --runs 5
refuses 'lengths of programs' 2 'lab real-programs takes no --lengths' \
	etalon lab real-programs --lengths 1
refuses 'repetitions of what is measured' 2 'lab emp-versions takes no --repetitions' \
	etalon lab emp-versions --repetitions 5
refuses 'clocks of paced runs' 2 'lab clock-methods takes no --pace' etalon lab clock-methods --pace
refuses 'runs of a simulation' 2 'lab coverage takes no --runs' etalon lab coverage --runs 5
exits 'a full disk' 4 bash -c 'etalon lab emp-versions --from last >/dev/full'

done_testing
