#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon lab duet-bias`: tables, JSON, records, --from, SIGTERM, bad input. Python computes the printed
# figures again from the samples in the records.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'lab duet-bias: it succeeds' 0 etalon lab duet-bias --pairs registers-same,registers-calls --runs 10 \
	--repetitions 4
like 'lab duet-bias: the text has a row for each pair' "$out" 'registers-same.*registers-calls'
like 'lab duet-bias: the text has the verdicts' "$out" 'programs made equal'
fits 'lab duet-bias: no line is longer than 80 columns'
is 'lab duet-bias: the text has no escape sequence if the output is no terminal' "$(tr -cd '\033' <.out)" ''
cp .out first
exits 'lab duet-bias: --from succeeds' 0 etalon lab duet-bias --from 'lab duet-bias' --repetitions 4
ok 'lab duet-bias: --from prints the same tables' cmp -s .out first
exits 'lab duet-bias: --json succeeds' 0 etalon lab duet-bias --from 'lab duet-bias' --repetitions 4 --json
json 'lab duet-bias: JSON has the pairs and their designs' '[(p["name"], p["design"]) for p in d["pairs"]] == [
	("registers-same", "identical"), ("registers-calls", "different")]'
json 'lab duet-bias: no more rounds are drawn than were measured' 'all([c["rounds"] for c in w["drawn"]] == [10, 30, 100]
	and [c["repetitions"] for c in w["drawn"]] == [4, 0, 0] for p in d["pairs"] for w in (p["metronome"], p["slices"]) if w)'
json 'lab duet-bias: shares are shares, and null where nothing was drawn' 'all(0 <= c[f]["covered"] <= 1 if c["repetitions"] else c[f]["covered"] is None for p in d["pairs"] for w in (p["metronome"], p["slices"]) if w
	for c in w["drawn"] for f in ("side_by_side", "solos", "alone"))'
json 'lab duet-bias: system calls are another kind than increments' 'd["pairs"][1]["differ_in"] is not None'
json 'lab duet-bias: a program is of the kind of itself, with ratio 1' 'd["pairs"][0]["ratio"] == 1 and d["pairs"][0]["differ_in"] is None'
cp .out table.json

# The ratio of the solo runs of both ways together, by Hodges and Lehmann; that of the pairs of one way.
for way in metronome slices; do
	etalon export -o $way.json "lab duet-bias/registers-calls/$way" 2>/dev/null || rm -f $way.json
done
cat >check.py <<'PY'
import json, math, os, statistics
def median(x): return statistics.median(x)
def rounds(path, how):
    e = json.load(open(path))
    a, b = [{s["round"]: s["pt_ns"] for s in c["samples"] if s["arrangement"] == how and not s["warmup"]} for c in e["commands"]]
    return [math.log(b[r] / a[r]) for r in sorted(a)]
def location(d): return median([(d[i] + d[j]) / 2 for i in range(len(d)) for j in range(i, len(d))])
p = json.load(open("table.json"))["pairs"][1]
ways = [w for w in ("metronome", "slices") if os.path.exists(w + ".json")]
assert math.isclose(p["ratio"], math.exp(location(sum((rounds(w + ".json", "solo") for w in ways), []))), rel_tol=1e-9)
for w in ways:
    d = rounds(w + ".json", "duet")
    assert math.isclose(p[w]["side_by_side"], math.exp(location(d)), rel_tol=1e-9), w
    assert math.isclose(p[w]["log_ratio_sd"], statistics.stdev(d), rel_tol=1e-9), w
PY
ok 'lab duet-bias: ratios and standard deviations are those that Python computes from the records' python3 check.py

# --- SIGTERM
"$ETALON" lab duet-bias --pairs registers-same --progress always --runs 100000 --json >cut.json 2>cut.err &
pid=$!
wait_for_progress cut.err 1
kill -TERM $pid
wait $pid
is 'lab duet-bias: SIGTERM gives exit status 143' "$?" 143
cp cut.json .out
json 'lab duet-bias: after SIGTERM it prints JSON' 'd["experiment"] == "duet-bias"'
like 'lab duet-bias: after SIGTERM it says that samples are stored' "$(cat cut.err)" 'every finished sample is stored'

# --- bad input
refuses 'lab duet-bias: an unknown pair is rejected' 2 "unknown value 'nosuch'" etalon lab duet-bias --pairs registers,nosuch
refuses 'lab duet-bias: --law is rejected' 2 'takes no --law' etalon lab duet-bias --law normal
refuses 'lab duet-bias: --from with --runs is rejected' 2 '--from and --runs exclude each other' etalon lab duet-bias --from x --runs 5
refuses 'lab duet-bias: --from with a label that is not stored is rejected' 4 'no experiment is stored' etalon lab duet-bias --from nosuch

done_testing
