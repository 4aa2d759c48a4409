#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon lab clock-methods` and `real-programs`: tables, records, --from, bad input. Python computes
# the printed figures again from the samples in the record.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

etalon put inc --seconds 1ms # calibrates now, not within a sample

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
    assert (p["min_" + unit], p["max_" + unit]) == (min(x), max(x)), (p, x)
    if len(x) > 1:
        assert near(p["sd_" + unit], statistics.stdev(x)), (p, x)
        assert near(p["relative_error"], statistics.stdev(x) / statistics.fmean(x)), (p, x)
table = json.load(open("table.json"))
record = json.load(open("record.json"))
assert table["id"] == record["id"]
PY

# --- clock-methods
exits 'lab clock-methods: it succeeds' 0 etalon lab clock-methods --lengths 0.01 --runs 5
case $(uname -m) in x86_64) counter=rdtsc ;; aarch64) counter=cntvct ;; *) counter=counter ;; esac
for row in 'clock_gettime inside +5' 'clock_gettime around +5' "$counter +inside" "$counter +around" 'EMP +[0-5]'; do
	like "lab clock-methods: the row '$row'" "$out" "$row "
done
like 'lab clock-methods: the heading has minimum and maximum' "$out" 'method +read +n +min +max +mean +sd +rel\.'
like 'lab clock-methods: the runs are drawn' "$out" 'run by run.*clock_gettime inside [^ 0-9]'
like 'lab clock-methods: the text says that all methods measured the same runs' "$out" 'All methods measured the same runs'
fits 'lab clock-methods: no line is longer than 80 columns'
is 'lab clock-methods: no file of readings is left' "$(find "$TMPDIR" -name 'etalon-lab*')" ''
cp .out first
exits 'lab clock-methods: --from succeeds' 0 etalon lab clock-methods --from 'lab clock-methods' --svg clocks.svg
ok 'lab clock-methods: --from prints the same tables' diff .out <(head -n -2 first)
ok 'lab clock-methods: --svg writes a picture' grep -q 'clock_gettime inside' clocks.svg
exits 'lab clock-methods: --json succeeds' 0 etalon lab clock-methods --from 'lab clock-methods' --json
cp .out table.json
etalon show --json >record.json
ok 'lab clock-methods: the figures are those of the samples in the record' python3 -c '
exec(open("check.py").read())
t = table["tasks"][0]
s = solo(record["commands"][0])
same(t["methods"]["clock_gettime"], [x["et_ns"] for x in s])
same(t["methods"]["EMP"], [x["pt_ns"] for x in s if not x["removed"]])
ticks = [x["counter_ticks"] for x in s if x["counter_ticks"] is not None]
same(t["methods"][sys.argv[1]], ticks, "ticks")
if ticks:  # the rate is the same in every run, because both clocks read the same window
    rates = sorted(x["counter_ticks"] / x["et_ns"] for x in s)
    usual = statistics.median(rates)  # one run may be preempted between the two readings
    assert sum(abs(r / usual - 1) < 0.01 for r in rates) >= 4, rates
    assert near(t["counter_hz"], 1e9 * sum(ticks) / sum(x["et_ns"] for x in s))
else:
    assert t["counter_hz"] is None' "$counter"
ok 'lab clock-methods: each run took longer around the program than inside' jq -e '.tasks[0].runs |
	length == 5 and all(.clock_gettime_inside_ns > 1e6 and .clock_gettime_inside_ns < .clock_gettime_ns)' table.json
if [ "$counter" != counter ]; then
	ok 'lab clock-methods: the counter was read in every run' jq -e ".tasks[0].methods |
		.$counter.n == 5 and .${counter}_inside.n == 5" table.json
	ok 'lab clock-methods: each run took more ticks around the program than inside' jq -e ".tasks[0].runs |
		all(.${counter}_inside_ticks < .${counter}_ticks)" table.json
else
	skip 'lab clock-methods: the counter was read in every run' 'this processor has no known counter'
fi
etalon run -q -r 3 --label plain 'etalon put inc --iterations 100000' >/dev/null
exits 'lab clock-methods: --from accepts an experiment without readings inside' 0 etalon lab clock-methods --from plain --json
json 'lab clock-methods: its methods inside are empty' 'd["tasks"][0]["methods"]["clock_gettime_inside"]["n"] == 0 and
	d["tasks"][0]["methods"]["clock_gettime"]["n"] == 3'
refuses 'lab clock-methods: --json and --svg - are rejected together' 2 'cannot both write' etalon lab clock-methods --json --svg -

# --- real-programs
exits 'lab real-programs: it succeeds' 0 etalon lab real-programs --programs sort,matr,perl,bzip2 --sizes small \
	--runs 2 --label flat
like 'lab real-programs: how long it takes is printed first' "$err" '4 programs and sizes, 2 runs each: about [0-9]+ s$'
like 'lab real-programs: the fields of the programs are named' "$out" 'fields: sort: sorting, .*bzip2: compression'
for name in 'sort 50000' 'matr 700' 'perl 500' 'bzip2 2048'; do
	like "lab real-programs: $name has a row" "$out" "$name"
done
for way in ORG CPU SEDONA EMP; do
	like "lab real-programs: there is a column $way" "$out" "program [^.]* $way +sd +rel\\.|rel\\. +$way +sd +rel\\."
done
fits 'lab real-programs: no line is longer than 80 columns'
is 'lab real-programs: no input file is left' "$(find "$TMPDIR" -name 'etalon-lab*')" ''
exits 'lab real-programs: --json succeeds' 0 etalon lab real-programs --from last --json
cp .out table.json
etalon show --json >record.json
ok 'lab real-programs: the figures are those of the samples in the record' python3 -c '
exec(open("check.py").read())
for t, c in zip(table["programs"], record["commands"]):
    assert t["name"] == c["name"]
    same(t["org"], [x["et_ns"] for x in solo(c)])
    same(t["cpu"], [x["pt_ns"] for x in solo(c)])
    same(t["sedona"], [x["pt_ns"] for x in solo(c) if not x["removed"] or x["removed"]["by"] == "two-sigma"])
    same(t["emp"], [x["pt_ns"] for x in solo(c) if not x["removed"]])
    for m in ("et", "pt"):
        same(t[m], [x[m + "_ns"] for x in solo(c) if not x["removed"]])
for who in ("org", "cpu", "sedona", "emp"):
    for figure in ("sd_ns", "relative_error"):
        usual = statistics.fmean(t[who][figure] for t in table["programs"])
        assert near(table["averages"][who][figure], usual), (who, figure)'
json 'lab real-programs: JSON names no missing program if none is missing' 'd["not_installed"] is None'
json 'lab real-programs: JSON has program, field and size' '[(p["program"], p["field"], p["size"]) for p in d["programs"]][::2] ==
	[("sort", "sorting", 50000), ("bzip2", "compression", 2048)]'
# Run 5 takes twenty times as long, so check II removes it.
cat >once.sh <<'SH'
n=$(($(cat runs 2>/dev/null || echo 0) + 1))
echo $n >runs
i=0
while [ $i -lt $((n == 5 ? 400000 : 20000)) ]; do i=$((i + 1)); done
SH
exits 'lab real-programs: a program with one long run is measured' 0 etalon run -q --protocol emp --metric cpu --warmup 0 -r 12 --label once 'sh once.sh'
exits 'lab real-programs: --from takes it' 0 etalon lab real-programs --from once --json
cp .out table.json
etalon show --json once >record.json
ok 'lab real-programs: SEDONA has the runs before check II, EMP those after it' python3 -c '
exec(open("check.py").read())
t, c = table["programs"][0], record["commands"][0]
removed = [x["removed"]["by"] for x in solo(c) if x["removed"]]
assert "two-sigma" in removed, removed
same(t["sedona"], [x["pt_ns"] for x in solo(c) if not x["removed"] or x["removed"]["by"] == "two-sigma"])
same(t["emp"], [x["pt_ns"] for x in solo(c) if not x["removed"]])
assert t["sedona"]["sd_ns"] > 2 * t["emp"]["sd_ns"], t'
exits 'lab real-programs: numbers are sizes of sort, matc and matr' 0 etalon lab real-programs --sizes 10,300 --runs 2 \
	--svg curves.svg
like 'lab real-programs: numbers choose sort, matc and matr alone' "$err" '6 programs and sizes'
is 'lab real-programs: each of them is run in each size' "$(grep -cE '^(sort|matc|matr) (10|300) +2 ' .out)" 6
for chart in 'sort: standard deviation' 'matc: relative error' 'ORG (elapsed time)' '>CPU time<' 'SEDONA (check I)' 'EMP (checks I and II)'; do
	ok "lab real-programs: --svg draws '$chart'" grep -qF "$chart" curves.svg
done
"$ETALON" lab real-programs --sizes paper >/dev/null 2>paper.err &
pid=$!
wait_until 'grep -q " h$" paper.err'
kill -TERM $pid
wait $pid
like 'lab real-programs: how long the sizes of the papers take' "$(cat paper.err)" '14 programs and sizes, 10 runs each: about 19\.2 h'
refuses 'lab real-programs: --svg with one size per program is rejected' 2 'two sizes or more' etalon lab real-programs \
	--programs sort,matr --sizes small --svg flat.svg
is 'lab real-programs: it is rejected before a run, with a hint' "$err" "etalon: lab real-programs: --svg needs a program that runs in two sizes or more
hint: use --sizes small,medium"
refuses 'lab real-programs: --svg is rejected for a record with one size per program' 2 'two sizes or more' etalon lab real-programs \
	--from flat --svg flat.svg
is 'lab real-programs: no picture is left' "$(ls flat.svg 2>/dev/null)" ''
refuses 'lab real-programs: gcc has no size of the papers' 2 'gcc has none of these sizes' etalon lab real-programs \
	--programs gcc --sizes paper
for value in 0 -1 1.5 '' 5,5 200,100 999999999999; do
	refuses "lab real-programs: --sizes '$value' is rejected" 2 '--sizes' etalon lab real-programs --sizes "$value"
done
mkdir empty
exits 'lab real-programs: it succeeds without gcc and perl' 0 env PATH="$work/empty" "$ETALON" lab real-programs --sizes small \
	--runs 2 --programs sort,gcc,perl --json
json 'lab real-programs: JSON names the missing programs' 'd["not_installed"] == ["gcc", "perl"] and len(d["programs"]) == 1'
exits 'lab real-programs: it succeeds as text without gcc' 0 env PATH="$work/empty" "$ETALON" lab real-programs --sizes small --runs 2 \
	--programs sort,gcc
like 'lab real-programs: the text names the missing program and its package' "$out" 'not installed: gcc \(apt install gcc\)'
refuses 'lab real-programs: it fails if no program is installed' 3 'none of these programs is installed' env PATH="$work/empty" \
	"$ETALON" lab real-programs --programs gcc
refuses 'lab real-programs: a missing TMPDIR gives exit status 4' 4 'nosuch' env TMPDIR="$work/nosuch" \
	etalon lab real-programs --programs bzip2
printf '#!/bin/sh\nexit 3\n' >empty/perl
chmod +x empty/perl
exits 'lab real-programs: a program that fails gives exit status 1' 1 env PATH="$work/empty" "$ETALON" lab real-programs --sizes small \
	--programs perl
like 'lab real-programs: the error names the program that failed' "$err" 'perl'
is 'lab real-programs: no input file is left after a failure' "$(find "$TMPDIR" -name 'etalon-lab*')" ''

# --- bad input
for value in -1 0 '' abc 1,,2 '1,' ,1 1,-2 nan 1e300 25h 2,1 1,1; do
	refuses "lab emp-versions: --lengths '$value' is rejected" 2 '--lengths' etalon lab emp-versions --lengths "$value"
done
refuses 'lab emp-versions: 33 lengths are rejected' 2 'more than 32' etalon lab emp-versions --lengths "$(seq -s, 33)"
for value in 0 1 -1 1.5 abc '' 99999999999; do
	refuses "lab clock-methods: --runs '$value' is rejected" 2 '--runs' etalon lab clock-methods --runs "$value"
done
refuses 'lab real-programs: an unknown program is rejected' 2 "--programs: unknown value 'doom'" etalon lab real-programs --programs sort,doom
like 'lab real-programs: the hint names the programs' "$err" 'hint: use one of sort, .*openssl'
refuses 'lab real-programs: an unknown size is rejected' 2 "--sizes: unknown value 'huge'" etalon lab real-programs --sizes huge
refuses 'lab emp-versions: --from rejects an unknown record' 2 'nosuch' etalon lab emp-versions --from nosuch
refuses 'lab emp-versions: --from without a store gives exit status 4' 4 '' etalon lab emp-versions --from last --store sqlite:nosuch.db
refuses 'lab emp-versions: --from with an option of the plan is rejected' 2 '--from and --runs exclude each other' etalon lab emp-versions --from last --runs 5
refuses 'lab real-programs: --lengths is rejected' 2 'lab real-programs takes no --lengths' \
	etalon lab real-programs --lengths 1
refuses 'lab emp-versions: --repetitions is rejected' 2 'lab emp-versions takes no --repetitions' \
	etalon lab emp-versions --repetitions 5
refuses 'lab clock-methods: --pace is rejected' 2 'lab clock-methods takes no --pace' etalon lab clock-methods --pace
refuses 'lab coverage: --runs is rejected' 2 'lab coverage takes no --runs' etalon lab coverage --runs 5
exits 'lab emp-versions: a full disk gives exit status 4' 4 bash -c 'etalon lab emp-versions --from last >/dev/full'

done_testing
