#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon samplesize`: figures against those of Python, forms of input, and errors on bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

python3 - >numbers <<'PY'
import random
r = random.Random(1)
for i in range(1000):
    print(r.gauss(1000, 20))
PY
exits 'samplesize: a series of 1000 numbers is accepted' 0 etalon samplesize numbers
like 'samplesize: the text recommends a size' "$out" '15 +0 .*← enough'
exits 'samplesize: --json and --width succeed' 0 etalon samplesize --json --width 1% --width 0.02 numbers
printf '%s' "$out" >found.json
ok 'samplesize: sizes, means, spreads and outliers are those of the parts' python3 - <<'PY'
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
assert f["for_width"] == [{"relative_width": 0.01, "n": 65, "n_independent": 65}, {"relative_width": 0.02, "n": 18, "n_independent": 18}]
assert f["inflation"] == 1 and not f["warnings"]
PY
run bash -c 'seq 1 40 | etalon samplesize'
like 'samplesize: no part of a series with a drift represents it' "$out" '40 runs: no part of the series'
like 'samplesize: dependent runs give a warning' "$out" 'warning: successive runs resemble each other'
run bash -c 'yes 5 | head -n 20 | etalon samplesize --json'
like 'samplesize: a constant series needs no more than five runs' "$out" '"recommended": 5,'
run bash -c 'yes 0 | head -n 20 | etalon samplesize --json'
like 'samplesize: a series of zeros has no size for a relative width' "$out" '"n": null'
etalon run -q -r 12 --keep-all --label mine true >/dev/null 2>&1
exits 'samplesize: a stored experiment is accepted' 0 etalon samplesize mine
exits 'samplesize: --metric et succeeds' 0 etalon samplesize --metric et mine
refuses 'samplesize: 9 values are rejected' 2 'has only 9 values' bash -c 'seq 9 | etalon samplesize'
refuses 'samplesize: an empty input is rejected' 2 '' bash -c 'etalon samplesize </dev/null'
refuses 'samplesize: a word is rejected with its line' 2 'line 1' bash -c 'echo abc | etalon samplesize'
refuses 'samplesize: --width 0 is rejected' 2 'width' etalon samplesize --width 0 numbers
refuses 'samplesize: two series are rejected' 2 'one series' etalon samplesize numbers numbers
refuses 'samplesize: an unknown experiment is rejected' 2 'nosuch' etalon samplesize nosuch

done_testing
