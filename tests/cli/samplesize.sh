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
like 'samplesize: the table fits 80 columns, and its last column is about all parts' "$out" 'first +outliers +mean +sd +all parts: sd off by'
like 'samplesize: the text recommends a size' "$out" '10 +[01] .*← enough'
exits 'samplesize: --json and --width succeed' 0 etalon samplesize --json --width 1% --width 0.02 numbers
printf '%s' "$out" >found.json
ok 'samplesize: sizes, means, spreads and outliers are those of the parts after the second check' python3 - <<'PY'
import json, statistics
x = [float(line) for line in open("numbers")]
f = json.load(open("found.json"))
assert [s["n"] for s in f["sizes"]] == [1000, 500, 250, 125, 62, 40, 30, 20, 10]
def left(part):
    mean, sd = statistics.mean(part), statistics.stdev(part)
    return [v for v in part if abs(v - mean) <= 2 * sd] if len(part) > 5 else part
whole = statistics.stdev(left(x))
for s in f["sizes"]:
    rest = left(x[:s["n"]])
    assert abs(s["mean"] - statistics.mean(rest)) < 1e-9 and abs(s["sd"] - statistics.stdev(rest)) < 1e-9, s
    assert s["outliers"] == s["outliers_second_check"] == s["n"] - len(rest) and s["outliers_first_check"] == 0, s
    parts = [left(x[i:i + s["n"]]) for i in range(0, len(x) - s["n"] + 1, s["n"])]
    off = statistics.median(abs(statistics.stdev(p) / whole - 1) for p in parts)
    assert s["parts"] == len(parts) and abs(s["sd_off"] - off) < 1e-9, s
    assert abs(s["outlier_share"] - sum(s["n"] - len(p) for p in parts) / (s["n"] * len(parts))) < 1e-9, s
assert f["recommended"] == 10 and f["why"]
# t quantiles for 95 %: 1.998 at 64 degrees of freedom, 2.110 at 17
assert f["for_width"] == [{"relative_width": 0.01, "n": 65, "n_independent": 65}, {"relative_width": 0.02, "n": 18, "n_independent": 18}]
assert f["inflation"] == 1 and not f["warnings"]
PY
run bash -c 'seq 1 40 | etalon samplesize'
like 'samplesize: no part of a series with a drift represents it' "$out" '40 runs: too few runs: parts of the series differ'
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
refuses 'samplesize: the same series twice is rejected' 2 'same name' etalon samplesize numbers numbers

# Four outliers in 300 values, as the papers' INC8. Their sd after removal is that of Python.
python3 - >outliers <<'PY'
import random
r = random.Random(8)
for i in range(300):
    print(r.gauss(8018, 1.8) + {3: 400, 60: 350, 140: 380, 220: 420}.get(i, 0))
PY
exits 'samplesize: a series with outliers is accepted' 0 etalon samplesize --json outliers
is 'samplesize: the outliers are not in the sd, and ten runs are enough' "$(jq -r '[.recommended, (.sizes[0].sd | . < 2)] | @csv' <<<"$out")" '10,true'
is 'samplesize: 300 values have the sizes of the paper' "$(jq -c '[.sizes[].n]' <<<"$out")" '[300,150,75,40,20,10,5]'
exits 'samplesize: two series make a matrix' 0 etalon samplesize numbers outliers
like 'samplesize: the matrix has a row per series and a column per size, the whole last' "$out" 'outliers .*500 +250 .* 10 +1000.*numbers .*150 +75 .* 5 +300.*outliers .*sd without outliers'
exits 'samplesize: several series are a list in JSON' 0 etalon samplesize --json numbers outliers
is 'samplesize: the list has each series' "$(jq -c '[.series[].name]' <<<"$out")" '["numbers","outliers"]'
exits 'samplesize: --csv succeeds' 0 etalon samplesize --csv numbers outliers
is 'samplesize: --csv of numbers without a unit has an empty unit' "$(cut -d, -f3 .out | sort -u)" $'\nunit'
ok 'samplesize: CSV has a row per series and size, as JSON' python3 - <<'PY'
import csv, json, subprocess
rows = list(csv.DictReader(open(".out")))
found = json.loads(subprocess.run(["etalon", "samplesize", "--json", "numbers", "outliers"], capture_output=True).stdout)
sizes = [(s["name"], str(z["n"]), str(z["outliers"]), z["sd"]) for s in found["series"] for z in s["sizes"]]
assert [(r["series"], r["n"], r["outliers"], float(r["sd"])) for r in rows] == sizes
assert [r["n"] for r in rows if r["recommended"] == "true"] == [str(s["recommended"]) for s in found["series"]]
PY
refuses 'samplesize: --csv with --json is rejected' 2 '--csv and --json exclude each other' etalon samplesize --csv --json numbers

# A kept experiment: cron spoilt runs 3, 9 and 30 of 40; CPU time and elapsed time have an outlier each.
python3 - >learning.json <<'PY'
import json, platform
ms = 10**6
def sample(i):
    cron = [{"name": "cron", "pid": 7, "pt_ns": 20 * ms}] if i in (3, 9, 30) else []
    return {"order": i, "et_ns": 1000 * ms + i * 37 % 11 * 10**5 + 500 * ms * (i in (3, 9, 15, 30)),
        "pt_ns": 990 * ms + i * 53 % 13 * 10**5 + 400 * ms * (i == 28), "interference": cron}
print(json.dumps({"etalon": 1, "label": "kept", "protocol": "raw", "metric": "pt", "image_source": "taskstats",
    "plan": {"keep_all": True, "level": 0.95}, "host": {"name": platform.node()},
    "commands": [{"name": "inc", "samples": [sample(i) for i in range(1, 41)]}]}))
PY
cat >daemons.json <<'JSON'
{"short_run": {"samples": 100, "sample_seconds": 1, "central": [],
	"l_samples": [{"sample": 50, "pt": [["cron", 10]]}]}}
JSON
etalon import -q learning.json >import.out && etalon daemons analyse --keep daemons.json >daemons.out
exits 'samplesize: a kept experiment is divided by both times' 0 etalon samplesize kept
like 'samplesize: outliers are written as in the paper, by CPU time and by elapsed time' "$out" \
	'by CPU time.* 40 +4 \(=3\+1\).* 25 +2 \(=2\+0\).*by elapsed time.* 40 +4 \(=3\+1\).* 25 +3 \(=2\+1\).* 5 +1 \(=1\+0\)'
exits 'samplesize: a kept experiment as JSON' 0 etalon samplesize --json kept
is 'samplesize: JSON has both checks and both metrics' "$(jq -c '[.metric, .first_check, .by_other_metric.metric,
	.sizes[1].outliers_first_check, .by_other_metric.sizes[1].outliers_second_check]' <<<"$out")" '["pt",true,"et",2,1]'
is 'samplesize: the store is not changed' "$(etalon show --json kept | jq -r '[.protocol, .commands[0].result.removed] | @csv')" '"raw",0'
refuses 'samplesize: an unknown experiment is rejected' 2 'nosuch' etalon samplesize nosuch

done_testing
