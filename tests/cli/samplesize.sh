#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# samplesize: figures against Python's, which series, and what bad input gets.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

python3 - >numbers <<'PY'
import random
r = random.Random(1)
for i in range(1000):
    print(r.gauss(1000, 20))
PY
exits 'a long series' 0 etalon samplesize numbers
like 'has a recommendation' "$out" '15 +0 .*← enough'
exits 'as JSON' 0 etalon samplesize --json --width 1% --width 0.02 numbers
printf '%s' "$out" >found.json
ok 'sizes, means, spreads and outliers are those of the parts' python3 - <<'PY'
import json, statistics
x = [float(line) for line in open("numbers")]
f = json.load(open("found.json"))
assert [s["n"] for s in f["sizes"]] == [1000, 500, 250, 125, 62, 31, 15, 7, 5]
for s in f["sizes"]:
    part = x[:s["n"]]
    mean, sd = statistics.mean(part), statistics.stdev(part)
    assert abs(s["mean"] - mean) < 1e-9 and abs(s["sd"] - sd) < 1e-9, s
    assert s["outliers"] == sum(abs(v - mean) > 2 * sd for v in part), s
assert f["recommended"] == 15 and f["why"]
# t quantiles for 95 %: 1.998 at 64 degrees of freedom, 2.110 at 17
assert f["for_width"] == [{"relative_width": 0.01, "n": 65}, {"relative_width": 0.02, "n": 18}]
PY
run bash -c 'seq 1 40 | etalon samplesize'
like 'a drift is not represented by a part' "$out" '40 runs: no part of the series'
run bash -c 'yes 5 | head -n 20 | etalon samplesize --json'
like 'a constant needs no more than five' "$out" '"recommended": 5,'
run bash -c 'yes 0 | head -n 20 | etalon samplesize --json'
like 'nothing is relative to zero' "$out" '"n": null'
etalon run -q -r 12 --keep-all --label mine true >/dev/null 2>&1
exits 'a kept experiment' 0 etalon samplesize mine
exits 'its elapsed time' 0 etalon samplesize --metric et mine
refuses 'a few values' 2 'has only 9 values' bash -c 'seq 9 | etalon samplesize'
refuses 'no values' 2 '' bash -c 'etalon samplesize </dev/null'
refuses 'text' 2 'line 1' bash -c 'echo abc | etalon samplesize'
refuses 'a width of zero' 2 'width' etalon samplesize --width 0 numbers
refuses 'two series' 2 'one series' etalon samplesize numbers numbers
refuses 'what is not kept' 2 'nosuch' etalon samplesize nosuch

done_testing
