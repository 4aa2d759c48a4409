#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon lab fragmentation`, `sampling-rate`, `competing-load`, `triangle` and `sampling-bias` with few
# and short runs. Python computes the printed figures again from the counts in the JSON.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

etalon put fragment --iterations 5000
if ! etalon lab sampling-bias --runs 2 --lengths 50ms >/dev/null 2>.why; then
	skip "lab profiles: programs cannot be profiled here: $(head -n 1 .why)"
	done_testing
fi

cat >check.py <<'PY'
# Means, standard deviations and models by their definitions.
import json, math, statistics
def near(a, b): return abs(a - b) <= 1e-9 * abs(b) + 1e-9
d = json.load(open("table.json"))
for t in d["treatments"]:
    counts = [f["counts"] for f in t["functions"]]
    totals = [sum(x) for x in zip(*counts)]
    for f in t["functions"]:
        x = f["counts"]
        assert len(x) == t["runs"]
        if not sum(x):
            continue
        assert near(f["mean"], statistics.fmean(x)), f
        assert near(f["sd"], statistics.stdev(x)), f
        assert near(f["predicted_sd"]["gprof"], math.sqrt(statistics.fmean(x))), f
        p, n = sum(x) / sum(totals), statistics.fmean(totals)
        assert near(f["predicted_sd"]["multinomial"], math.sqrt(n * p * (1 - p))), f
PY

exits 'lab fragmentation: it succeeds' 0 etalon lab fragmentation --runs 2 --lengths 20ms --svg fragmentation.svg
like 'lab fragmentation: how long it takes is printed first' "$err" 'treatments, 2 runs each: about [0-9]+ s'
like 'lab fragmentation: it has all levels' "$out" '10\^1 .*10\^4\.5 .*10\^8 '
like 'lab fragmentation: it prints models beside the standard deviation' "$out" 'sd \(95 %\) .*√N .*multi .*quant .*\+tot'
fits 'lab fragmentation: no line is longer than 80 columns'
ok 'lab fragmentation: --svg writes a picture' grep -q 'standard deviation of fn2' fragmentation.svg
exits 'lab fragmentation: --from prints it as JSON' 0 etalon lab fragmentation --from 'lab fragmentation' --json
cp .out table.json
ok 'lab fragmentation: the figures are those of the counts' python3 check.py
json 'lab fragmentation: 15 levels' 'sum(t["instrument"].startswith("etalon") for t in d["treatments"]) == 15 and
	len({t["level_of_factor"] for t in d["treatments"]}) == 15'
json 'lab fragmentation: the calls of both functions are known' 'all(f["predicted_sd"]["quantization"] is not None
	for t in d["treatments"] for f in t["functions"][:2] if f["mean"])'
if command -v gcc >/dev/null && command -v gprof >/dev/null; then
	json 'lab fragmentation: gprof is an instrument' 'sum(t["instrument"] == "gprof" for t in d["treatments"]) == 15 and not d["missing"]'
	is 'lab fragmentation: no program is left' "$(find "$HOME/.local/state/etalon" -name 'fragment*')" ''
else
	json 'lab fragmentation: the output says that gprof is missing' '"gprof" in d["missing"][0]'
fi

exits 'lab triangle: it succeeds' 0 etalon lab triangle --runs 2 --lengths 40ms
like 'lab triangle: the grid has seven rows' "$out" 'function1 .*function5 .*main .*other'
like 'lab triangle: it prints level and factor of the statements' "$out" 'each at the level 0\.99[0-9]+ \(Šidák\), k = [0-9]'
like 'lab triangle: it says that the runs are too few' "$(tr '\n' ' ' <.out)" '2 runs are too few for standard deviations'
like 'lab triangle: it projects function1' "$out" 'original +function1 is expected at [0-9.]+ ± [0-9.]+ and'
fits 'lab triangle: no line is longer than 80 columns'
exits 'lab triangle: --svg succeeds' 0 etalon lab triangle --from last --svg triangle.svg
exits 'lab triangle: --json succeeds' 0 etalon lab triangle --from last --json
cp .out table.json
ok 'lab triangle: the figures are those of the counts' python3 check.py
ok 'lab triangle: the projection is that of a least-squares line' python3 -c '
exec(open("check.py").read())
for t in d["treatments"]:
    y = [f["mean"] for f in t["functions"][1:5]]
    x, my = [2, 3, 4, 5], statistics.fmean(y)
    b = sum((a - 3.5) * (c - my) for a, c in zip(x, y)) / 5
    s = math.sqrt(sum((c - my - b * (a - 3.5)) ** 2 for a, c in zip(x, y)) / 2)
    v = t["function1"]
    assert near(v["projected"], my - 2.5 * b), v
    assert abs(v["prediction_half_width"] - 6.803 * s) <= 1e-4 * s, v
    # the quantile of t with two degrees of freedom, at the level of each of all configurations (Sidak)
    p = 1 - (1 - 0.95 ** (1 / len(d["treatments"]))) / 2
    wider = (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p))) / 4.302652729749461
    assert abs(v["joint_half_width"] - wider * v["prediction_half_width"]) <= 1e-6 * wider * s + 1e-9, v
    away = abs(t["functions"][0]["mean"] - v["projected"])
    assert v["anomalous"] == (away > v["joint_half_width"] + 1e-9 and away > v["observed_half_width"]), v'
ok 'lab triangle: the picture has the interval of the sentence' python3 -c '
import json, re
d = json.load(open("table.json"))
charts = open("triangle.svg").read().split("Projection of function1")[1].split("<title>")[1:]
assert len(charts) == len(d["treatments"]), len(charts)
for t, c in zip(d["treatments"], charts):
    want = t["function1"]["joint_half_width"]
    if not want: # functions 2 to 5 are on a line, as if none has a sample
        continue
    # the labels of the axis give the scale; the ticks are at the ends and the middle of the interval
    labels = [(float(y), float(text)) for y, text in re.findall(r"y=\"([\d.]+)\" text-anchor=\"end\">(-?[\d.]+)<", c)]
    (y0, v0), (y1, v1) = labels[0], labels[-1]
    ticks = re.search(r"tk\">\n<path d=\"M([^\"]*v[^\"]*M[^\"]*)\"", c)[1].split("M")
    low, middle, high = (float(x.split()[1].split("v")[0]) for x in ticks)
    scale = (v1 - v0) / (y0 - y1)
    assert abs((middle - high) * scale - want) < 0.03 * scale + 0.001 * want, (t["name"], want, (middle - high) * scale)'
ok 'lab triangle: level and factor hold for all means together' python3 -c '
exec(open("check.py").read())
n = 7 * len(d["treatments"])
for t in d["treatments"]:
    assert t["statements"] == n * n and near(t["level"], 0.95 ** (1 / n ** 2)), t'

exits 'lab sampling-bias: --from succeeds' 0 etalon lab sampling-bias --from 'lab sampling-bias' --svg bias.svg
like 'lab sampling-bias: it counts the addresses' "$out" 'of 257 addresses'
fits 'lab sampling-bias: no line is longer than 80 columns'
exits 'lab sampling-bias: --json succeeds' 0 etalon lab sampling-bias --from 'lab sampling-bias' --json
json 'lab sampling-bias: χ² is that of the counts' 'all(abs(t["by_address"]["chi_square"] -
	sum((x - t["inside"] / 257) ** 2 for x in t["addresses"]) / (t["inside"] / 257)) < 1e-6 * t["by_address"]["chi_square"] + 1e-6
	for t in d["treatments"] if t["inside"])'
json 'lab sampling-bias: residues are those of the addresses' 'all(sum(t["addresses"][i::16]) == t["residues"][i]
	for t in d["treatments"] for i in range(16))'

exits 'lab sampling-rate: it succeeds' 0 etalon lab sampling-rate --runs 2 --lengths 20ms
like 'lab sampling-rate: it has all rates' "$out" '10 Hz .*1000 Hz .*31623 Hz '
fits 'lab sampling-rate: no line is longer than 80 columns'
exits 'lab competing-load: it succeeds' 0 etalon lab competing-load --runs 2 --lengths 20ms
like 'lab competing-load: with and without load' "$out" '10\^1, no load .*10\^6, load'
fits 'lab competing-load: no line is longer than 80 columns'
like 'lab competing-load: it says what stands in for nosmp' "$out" 'nosmp'
is 'lab competing-load: no load is left' "$(pgrep -P $$ -x dd)" ''

"$ETALON" lab sampling-bias --runs 8 --lengths 30ms --label cut >/dev/null 2>&1 &
pid=$!
# shellcheck disable=SC2016 # wait_until expands it
wait_until '[ "$(etalon list --json 2>/dev/null | grep -c "cut/.*random")" -gt 0 ]'
kill -TERM $pid
wait $pid
is 'lab sampling-bias: SIGTERM ends it' "$?" 143
refuses 'lab sampling-bias: --resume with other runs is rejected' 2 'other runs' \
	etalon lab sampling-bias --runs 3 --lengths 30ms --label cut --resume
exits 'lab sampling-bias: --resume succeeds' 0 etalon lab sampling-bias --runs 8 --lengths 30ms --label cut --resume --json
json 'lab sampling-bias: the resumed study has every run once' 'len(d["treatments"]) == 6 and all(e["state"] == "done" for e in
	d["experiments"]) and all(t["runs"] == 8 for t in d["treatments"])'
refuses 'lab triangle: --resume without a study is rejected' 2 'nothing' etalon lab triangle --resume --label nothing

refuses 'lab triangle: two lengths are rejected' 2 'one length' etalon lab triangle --lengths 10ms,20ms
refuses 'lab triangle: --preset and --runs exclude each other' 2 'preset' etalon lab triangle --preset paper --runs 3
refuses 'lab triangle: --from with an option of the plan is rejected' 2 '--from and --runs exclude each other' etalon lab triangle --from last --runs 3
refuses 'lab triangle: --from another experiment is rejected' 2 'no experiment of lab triangle' \
	etalon lab triangle --from 'lab fragmentation'

done_testing
