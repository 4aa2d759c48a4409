#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon fit`: figures against those of growth.py, forms of input, and errors on bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# table SEED FORMULA NOISE RUNS SIZES: prints one run per line
cat >table.py <<'PY'
import math, random, sys
r, f = random.Random(int(sys.argv[1])), eval("lambda n: " + sys.argv[2])
for n in map(float, sys.argv[5].split(",")):
    for _ in range(int(sys.argv[4])):
        print("%.17g %.17g" % (n, f(n) * (1 + float(sys.argv[3]) * r.gauss(0, 1))))
PY
table()
{
	python3 table.py "$@"
}
sizes=100,200,400,800,1600,3200

# --- figures ---
while IFS='|' read -r seed formula noise runs best; do
	table "$seed" "$formula" "$noise" "$runs" $sizes >data
	exits "fit: data of $best are fitted" 0 etalon fit --json --predict 150,6000 data
	printf '%s' "$out" >found.json
	is "fit: every figure for data of $best is that of Python" \
		"$(python3 "$root/tests/cli/growth.py" data found.json 2>&1 | tail -n 1)" "$best"
done <<'END'
1|1e-3+1e-7*n**2|0.01|5|n^2
2|1e-3+1e-6*n*math.log(n)|0.02|7|n log n
3|2e-3+1e-6*n|0.05|3|n
4|1e-4*n**1.5|0.03|4|n^c
5|1e-4*n|0.2|3|n
6|1e-3+1e-9*n**3|.05|10|n^3
7|1e-3|.05|10|1
8|1e-3+1e-6*n+r.gauss(0,2e-5)|0|8|n
END
table 9 '1e-6*2**n' 0.02 3 8,9,10,11,12,13,14 >data
exits 'fit: an exponential growth is fitted' 0 etalon fit data
like 'fit: the answer about 2ⁿ is the effect of one more' "$out" 'grows as 2ⁿ .*an n larger by 1 takes'

# --- no model fits ---
for i in 1 2 3; do
	printf '1 5.0%d\n2 4.0%d\n3 3.0%d\n4 2.0%d\n' $i $i $i $i >>falling
	printf '100 1.0%d\n200 5.0%d\n400 4.0%d\n800 20.0%d\n1600 21.0%d\n' $i $i $i $i $i >>odd
done
like 'fit: times that fall are no growth' "$(etalon fit falling | head -n 1)" '^falling: time falls as n grows, so no model'
like 'fit: the answer says that no model fits' "$(etalon fit odd | head -n 1)" '^odd: no model fits; the nearest is '

# --- the text ---
table 1 '1e-3+1e-7*n**2' 0.01 5 $sizes >square
exits 'fit: a table is accepted' 0 etalon fit --predict 6400,12800 square
like 'fit: the answer comes first' "$(head -n 1 <<<"$out")" '^square: time grows as n² \(weight 0\.9[0-9]\); 10 times'
like 'fit: the model n is rejected by its lack of fit' "$out" '  n  .* lack of fit, p < 0\.0001'
like 'fit: 2ⁿ is no candidate for large sizes' "$out" '2ⁿ .*too far apart'
like 'fit: predictions have an interval and that of one run' "$out" '12800 +[0-9.]+ s +[0-9.]+ s … [0-9.]+ s +[0-9.]+ s … '
like 'fit: the curve is drawn' "$out" 'o measured, on the curve of n²'
is 'fit: no line is wider than the terminal' "$(COLUMNS=60 etalon fit --predict 6400 square | python3 -c '
import sys
print(max(len(line.rstrip("\n")) for line in sys.stdin) <= 60)')" True
exits 'fit: --svg and --report write files' 0 etalon fit --svg curve.svg --report page.html square
ok 'fit: the drawing is XML with the measured means' python3 - <<'PY'
import xml.dom.minidom
text = open("curve.svg").read()
xml.dom.minidom.parseString(text)
assert "size 3200, 5 runs" in text and "curve of n²" in text and "95 % band" in text
PY
like 'fit: the page has the answer and the table of models' "$(cat page.html)" 'time grows as n².*rejected by'
printf 'n;seconds\n' >semicolons.csv
tr ' ' ';' <square >>semicolons.csv
awk 'BEGIN { print "time_ms,what,n" } { printf "%.17g,x,%s\n", 1000 * $2, $1 }' square >other.csv
one=$(etalon fit --json square | python3 -c 'import json, sys; print("%.6g" % json.load(sys.stdin)["growth"]["ratio"])')
for form in 'semicolons.csv' '--size n --column time_ms other.csv' '--size 3 --column 1 other.csv' '--unit s -'; do
	# shellcheck disable=SC2086
	is "fit: $form gives the same answer" \
		"$(etalon fit --json $form <square | python3 -c 'import json, sys; print("%.6g" % json.load(sys.stdin)["growth"]["ratio"])')" "$one"
done
exits 'fit: several series are compared' 0 etalon fit square data semicolons.csv
like 'fit: series of the same growth are not ordered' "$out" 'it is not certain|data grows fastest'
table 11 '1e-3+1e-6*n' 0.01 5 $sizes >linear
exits 'fit: two series are compared' 0 etalon fit linear square
like 'fit: the series that grows faster is named' "$out" 'square grows fastest'

# --- doubts ---
table 3 '1e-3+1e-6*n' 0.01 4 1000,1200,1400,1600,1800,2000 >narrow
exits 'fit: a narrow range is fitted' 0 etalon fit --json narrow
like 'fit: a narrow range gives a warning' "$out" '"growth-narrow"'
like 'fit: models that cannot be told apart give a warning' "$out" '"growth-ambiguous"'
python3 table.py 5 '(1e-3+1e-6*n)*(1.3 if n==800 else 1)' 0.005 6 50,100,200,400,800,1600,3200,6400 >odd
exits 'fit: a line with an odd size is fitted' 0 etalon fit odd
like 'fit: a size outside the interval of the others is an anomaly' "$out" 'anomalies +size 800 takes 2\.3'
is 'fit: no other size is an anomaly' "$(etalon fit --json odd | python3 -c '
import json, sys
print([a["size"] for a in json.load(sys.stdin)["anomalies"]])')" '[800]'
like 'fit: sizes that scatter more than their runs give a warning' "$(etalon fit --json odd)" '"growth-scatters"'
seq 1 12 | awk '{ print $1, 100 + $1 * $1 + $1 % 2 }' >steps
like 'fit: without repetitions residuals in runs reject a model' "$(etalon fit steps)" '  n  .*runs of residuals, p = 0\.0'
python3 table.py 31 '1e-3+1e-6*n*(1+0.02*math.sin(3*math.log(n)))' 0.01 8 100,200,400,800,1600,3200,6400 >wavy
etalon fit --json wavy >found.json
ok 'fit: a best model that is rejected gives a warning' python3 - <<'PY'
import json
f = json.load(open("found.json"))
best = [m for m in f["models"] if m["name"] == f["best"]][0]
codes = [w["code"] for w in f["warnings"]]
assert best["rejected_by"] and ("growth-scatters" in codes or "growth-rejected" in codes), (f["best"], best, codes)
PY

# --- a straight line ---
# The residuals of these four points have sd 1; t(0.975, 2) · sqrt(1 + 1/4 + 2.5²/5) = 6.803 (NIST TN 1826).
printf '2 10.70710678\n3 19.29289322\n4 29.29289322\n5 40.70710678\n' >four
exits 'fit: --line projects four points' 0 etalon fit --line --predict 1 --expect 6.7 four
like 'fit: the half width of the projection is 6.8 residual sds' "$out" 'at 1: 0 ± 6\.8 for one more point'
like 'fit: a value inside the interval is consistent' "$out" 'consistent: 6\.7 is inside'
like 'fit: a value above the interval is anomalous' "$(etalon fit --line --predict 1 --expect 6.9 four)" 'anomalous: 6\.9 is above'
like 'fit: a value below the interval is anomalous' "$(etalon fit --line --predict 1 --expect=-7 four)" 'anomalous: -7\.0 is below'
is 'fit: --line --json has the interval of 6.803' "$(etalon fit --line --predict 1 --expect 6.9 --json four | python3 -c '
import json, sys
f = json.load(sys.stdin)
p = f["prediction"][0]
print("%.3f %.3f %s %d" % (p["lo"], p["hi"], f["verdict"], f["line"]["df"]))')" '-6.803 6.803 anomalous 2'
printf '1 0.1\n2 0.2\n3 0.3\n4 0.4\n' >exact
like 'fit: rounding is no anomaly' "$(etalon fit --line --predict 6 --expect 0.6 exact)" 'consistent: 0\.6 is inside'
printf '1 1\n2 2\n3 3\n4 4\n' >whole
like 'fit: a value on an exact line is consistent' "$(etalon fit --line --predict 5 --expect 5 whole)" 'consistent: 5 is inside 5'
like 'fit: a value beside an exact line is printed with enough digits' \
	"$(etalon fit --line --predict 5 --expect 5.00001 whole)" 'anomalous: 5\.00001[0-9]* is above 5'

# --- experiments ---
# No duets: LeakSanitizer may wait for ever for a process that a metronome stops and continues.
etalon run -q --order random -r 3 -L n 1,2,4,8 -L m 5,6 --label both 'etalon put inc --iterations {n}000{m}' >/dev/null 2>&1
refuses 'fit: two parameters are rejected' 2 'parameter' etalon fit both
exits 'fit: --parameter chooses one; the other makes two series' 0 etalon fit --json --parameter n --metric et both
is 'fit: each series has four sizes' "$(python3 -c '
import json, sys
print([len(s["sizes"]) for s in json.loads(sys.argv[1])["series"]])' "$out")" '[4, 4]'
refuses 'fit: an unknown parameter is rejected' 2 "command \\[1\\] of 'both' has no parameter 'k'" etalon fit --parameter k both
etalon run -q -r 2 --label plain true >/dev/null 2>&1
refuses 'fit: an experiment without parameters is rejected with the cure' 2 'has no parameter' etalon fit plain
like 'fit: the cure for an experiment without parameters is a command' "$err" 'etalon run -L n 1000'
refuses 'fit: a word as size is rejected' 2 'not a number' bash -c '
	etalon run -q -r 2 -L n a,b,c,d --label words "echo {n}" >/dev/null 2>&1; etalon fit words'
etalon run -q --order random -r 4 -L n 2000,4000,8000,16000,32000 --label sorted 'etalon put sort --size {n}' >/dev/null 2>&1
exits 'fit: an experiment over sizes is fitted' 0 etalon fit --json sorted
is 'fit: the growth of an insertion sort is above that of n log n' "$(python3 -c '
import json, sys
f = json.loads(sys.argv[1])
print(f["name"], f["growth"]["ratio"] > 20 and f["best"] in ("n^2", "n^2 log n", "n^c", "n^3"))' "$out")" 'etalon put sort --size {n} True'
etalon export sorted --format json >record.json 2>/dev/null || etalon export sorted >record.json
is 'fit: a record gives the same answer as the store' "$(etalon fit --json record.json)" "$out"
python3 - >hyperfine.json <<'PY'
import json
print(json.dumps({"results": [{"command": "x %d" % n, "times": [1e-3 * n, 1.1e-3 * n], "parameters": {"n": str(n)}}
    for n in (1, 2, 4, 8, 16)]}))
PY
like 'fit: a file of hyperfine is accepted' "$(etalon fit hyperfine.json)" '^x \{n\}: time grows as n '

# --- bad input ---
refuses 'fit: three sizes are rejected' 2 'fewer than 4 different sizes' bash -c 'printf "1 1\n2 2\n3 3\n3 4\n2 2\n1 1\n1 2\n1 1\n" | etalon fit -'
refuses 'fit: equal sizes are rejected' 2 'different sizes' bash -c 'yes "7 1" | head -n 20 | etalon fit -'
refuses 'fit: seven runs are rejected' 2 'only 7 runs' bash -c 'seq 7 | awk "{ print \$1, \$1 }" | etalon fit -'
refuses 'fit: a size of 0 is rejected with its line' 2 'line 2: the size 0 is not above 0' bash -c 'printf "1 1\n0 1\n" | etalon fit -'
refuses 'fit: a negative size is rejected' 2 'line 1: the size -1' bash -c 'printf -- "-1 1\n" | etalon fit -'
refuses 'fit: a time of 0 is rejected' 2 'line 1: the time 0' bash -c 'printf "1 0\n" | etalon fit -'
refuses 'fit: a size of 1e300 is rejected' 2 'line 1: the size 1e300 is not between' bash -c 'printf "1e300 1\n" | etalon fit -'
refuses 'fit: NaN is rejected' 2 "line 1: the time 'nan' is not a number" bash -c 'printf "1 nan\n" | etalon fit -'
refuses 'fit: a garbage line is rejected with its number' 2 "line 3: the size 'x' is not a number" bash -c 'printf "# sizes\n1 1\nx 1\n" | etalon fit -'
refuses 'fit: a missing column is rejected' 2 'line 2 has only 1 column' bash -c 'printf "1 1\n2\n" | etalon fit -'
refuses 'fit: one column is rejected' 2 'only one column' bash -c 'seq 20 | etalon fit -'
refuses 'fit: an empty file is rejected' 2 'no numbers' bash -c 'etalon fit - </dev/null'
refuses 'fit: an unknown column is rejected' 2 "no column 'k'" etalon fit --size k other.csv
refuses 'fit: the same column twice is rejected' 2 'same column' etalon fit --size 1 --column 1 square
refuses 'fit: an unknown series is rejected' 2 'neither a file nor a stored experiment' etalon fit nothing
refuses 'fit: a size beyond ten times the largest is rejected' 2 'more than 10 times' etalon fit --predict 32001 square
refuses 'fit: a prediction of size 0 is rejected' 2 'above 0' etalon fit --predict 0 square
refuses 'fit: --expect without --line is rejected' 2 'needs --line' etalon fit --predict 1 --expect 1 square
refuses 'fit: --expect without --predict is rejected' 2 'needs one --predict' etalon fit --line --expect 1 square
refuses 'fit: a line through two x is rejected' 2 'needs 3' bash -c 'printf "1 1\n2 2\n2 3\n" | etalon fit --line -'
refuses 'fit: --svg - is rejected' 2 'standard output is used' etalon fit --svg - square
refuses 'fit: a folder that does not exist is reported' 4 'No such file' etalon fit --svg /nowhere/x.svg square
refuses 'fit: --column of an experiment is rejected' 2 'for tables' etalon fit --column 1 sorted
seq 1000000 | awk '{ print $1 % 1000 + 1, 0.001 + ($1 % 1000) * 1e-6 + ($1 % 7) * 1e-6 }' >million
exits 'fit: a million rows are fitted' 0 timeout 60 etalon fit --json million
like 'fit: a million rows have a best model' "$out" '"best": "n"'
done_testing
