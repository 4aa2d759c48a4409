#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon describe`: figures of known series, all forms of input, and errors on bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1 40 >numbers
exits 'describe: a file of numbers is accepted' 0 etalon describe numbers
like 'describe: the heading names the file and the number of values' "$out" 'numbers: 40 values'
like 'describe: the interval of a drifting mean is widened' "$out" 'mean +20 ± 16 \(Student t widened for dependence, 95 %, k = 2\.776\)'
like "describe: Student's interval is shown beside a wider one" "$out" '16\.8 … 24\.2 by Student t alone'
like 'describe: the median has an interval by order statistics' "$out" 'median +20\.5 \(14\.0 … 27\.0, order statistics'
like 'describe: a drift gives a warning' "$out" 'warning: drift'
like 'describe: the text has a histogram' "$out" '▲ median'
is 'describe: the text has no escape sequence if the output is no terminal' "$(tr -cd '\033' <.out)" ''
exits 'describe: standard input is read without an operand' 0 etalon describe <numbers
exits 'describe: standard input is read for -' 0 etalon describe - <numbers
exits 'describe: --color always succeeds' 0 etalon describe --color always numbers
ok 'describe: --color always writes escape sequences' grep -q $'\033' .out
exits 'describe: a terminal of 40 columns is wide enough' 0 env COLUMNS=40 etalon describe numbers
ok 'describe: no line is longer than 40 columns' test -z "$(grep -E '^.{41,}' .out)"

exits 'describe: --json succeeds' 0 etalon describe --json numbers
json 'describe: JSON has the keys of the documented contract' 'set("n mean sd relative_error min max median q1 q3 iqr \
	standard_uncertainty coverage_factor expanded_uncertainty mean_interval sd_interval bootstrap \
	shapiro acf acf_band ljung_box mann_kendall density dip warnings".split()) <= set(d)'
json 'describe: mean_interval in JSON has a method, a level and two limits' 'set(d["mean_interval"]) == {"method", "level", "lo", "hi"}'
json 'describe: sd_interval in JSON has three methods' 'set(d["sd_interval"]) == {"chi2", "percentile", "bca"}'
json 'describe: bootstrap in JSON has iterations, seed and intervals' '{"iterations", "seed", "mean", "median", "sd"} <= set(d["bootstrap"])
	and {"percentile", "bca"} <= set(d["bootstrap"]["mean"])'
json 'describe: the tests and the density in JSON have their keys' '{"w", "p"} <= set(d["shapiro"]) and {"lag", "q", "p"} == set(d["ljung_box"])
	and {"tau", "p"} <= set(d["mann_kendall"]) and {"bandwidth", "modes"} <= set(d["density"])
	and {"d", "p"} <= set(d["dip"])'
json 'describe: the figures of 1 to 40 are exact' 'd["n"] == 40 and d["mean"] == 20.5 and abs(d["sd"] - 11.690451944500122) < 1e-12
	and d["q1"] == 10.75 and d["iqr"] == 19.5 and d["mann_kendall"]["tau"] == 1'
cp .out first
exits 'describe: --json succeeds a second time' 0 etalon describe --json numbers
ok 'describe: the default seed gives the same figures again' cmp -s .out first
exits 'describe: --seed succeeds' 0 etalon describe --json --seed 2 numbers
ok 'describe: another seed gives other figures' test "$(cat .out)" != "$(cat first)"
exits 'describe: --level, --bootstrap and --lag succeed' 0 etalon describe --json --level 0.9 --bootstrap 500 --lag 3 numbers
json 'describe: --level, --bootstrap and --lag take effect' 'd["mean_interval"]["level"] == 0.9 and d["bootstrap"]["iterations"] == 500
	and len(d["acf"]) == 3 and d["ljung_box"]["lag"] == 3'
exits 'describe: --bootstrap 0 succeeds' 0 etalon describe --json --bootstrap 0 numbers
json 'describe: --bootstrap 0 leaves the bootstrap intervals null' 'd["bootstrap"] is None and d["sd_interval"]["bca"] is None'

# --- figures of the order, by their definitions
python3 - >order <<'PY'
import random
random.seed(1)
u = 0
for i in range(400):
    u = 0.7 * u + random.gauss(0, 1)
    print(4 * round((100 + 2 * u) / 4))
PY
exits 'describe: values in coarse steps are accepted' 0 etalon describe --json order
cp .out coarse.json
ok 'describe: dithering adds the variance of its noise to the autocorrelation' python3 - <<'PY'
import json, statistics
x = [float(line) for line in open("order")]
d = json.load(open("coarse.json"))
v = statistics.pvariance(x)
want = d["acf"][0] * v / (v + d["quantum"] ** 2 / 12)
assert d["quantum"] == 4 and abs(d["acf_dithered"][0] - want) < 0.06, (d["acf_dithered"], want)
PY
ok 'describe: the moving mean is that of a tenth of the values' python3 - <<'PY'
import json, statistics
x = [float(line) for line in open("order")]
d = json.load(open("coarse.json"))["moving_mean"]
assert d["window"] == 40 and len(d["values"]) == 60
for i, got in enumerate(d["values"]):
    at = i * 360 // 59
    assert abs(got - statistics.mean(x[at:at + 40])) < 1e-9, (i, got)
PY
exits 'describe: --verbose succeeds' 0 etalon describe -v order
like 'describe: --verbose draws the moving mean' "$out" 'moving mean +[▁▂▃▄▅▆▇█]{30,}'
{ echo 150; echo 140; for i in {1..30}; do echo $((100 + i * 7 % 11)); done; } >cold
exits 'describe: a cold start is accepted' 0 etalon describe --json cold
json 'describe: the values of a cold start have a mean of their own' 'd["cold_start"]["n"] == 2 and d["cold_start"]["mean"] == 145
	and abs(d["cold_start"]["rest_mean"] - sum(100 + i * 7 % 11 for i in range(1, 31)) / 30) < 1e-9'
json 'describe: robust_sd is the interquartile range over 1.349' 'abs(d["robust_sd"] - d["iqr"] / 1.349) < 1e-12'
json 'describe: values without coarse steps are not dithered' 'd["acf_dithered"] is None'
exits 'describe: the text of a cold start succeeds' 0 etalon describe cold
like 'describe: the text has both means of a cold start' "$out" 'cold start +the first 2: 145\.0; the others: 10[45]'
exits 'describe: equal values succeed' 0 bash -c 'yes 3.25 | head -n 12 | etalon describe --json'
json 'describe: the uncertainty of equal values is that of their last digit' \
	'abs(d["standard_uncertainty"] - 0.01 / 12 ** 0.5) < 1e-12 and d["mean_interval"]["method"] == "resolution"'
json 'describe: a rectangular distribution covers 95 % within 95 % of its half width' \
	'abs(d["expanded_uncertainty"] - 0.95 * 0.005) < 1e-12 and abs(d["coverage_factor"] - 0.95 * 3 ** 0.5) < 1e-12'
exits 'describe: four values succeed' 0 bash -c 'printf "%s\n" 1 2 4 9 | etalon describe'
ok 'describe: dependence, trend and modes of four values are not printed' test -z "$(grep -E 'Ljung|Kendall|dip' .out)"
like 'describe: the text says that they cannot be tested' "$out" 'cannot be tested with 4 values'
exits 'describe: eleven values succeed' 0 bash -c 'seq 11 | etalon describe'
ok 'describe: a trend of eleven values has its tau and no p' grep -q 'Mann-Kendall tau = 1\.00$' .out
unlike 'describe: eleven values are too few for the test of Ljung and Box' "$out" 'Ljung'
python3 -c 'print("\n".join(str(5 + i % 2 * 40 + i % 3) for i in range(600)))' >apart
exits 'describe: two far modes succeed' 0 etalon describe apart
like 'describe: a p-value below the table is printed as such' "$out" 'dip D = [0-9.]+, p < 0.00001'

# --- every figure of describe and compare against that of R
ok "describe, compare: every figure agrees with R's" python3 "$root/tests/cli/oracle.py" "$root/tests/oracle/public.jsonl"

# --- forms of input
printf '\357\273\277# times\r\n1\r\n\r\n2\r\n4\r\n' >windows
exits 'describe: a byte order mark, carriage returns and comments are accepted' 0 etalon describe --json windows
json 'describe: a byte order mark, carriage returns and comments are no numbers' 'd["n"] == 3 and d["max"] == 4'
printf 'name,"time, s"\na,1\n"b ""x"",\nc",2\nd,4\n' >table.csv
exits 'describe: --column NAME succeeds' 0 etalon describe --json --column 'time, s' table.csv
json 'describe: --column NAME reads the numbers of that column' 'd["n"] == 3 and d["max"] == 4'
exits 'describe: --column NUMBER succeeds' 0 etalon describe --json --column 2 table.csv
json 'describe: --column NUMBER reads the numbers of that column' 'd["n"] == 3 and d["max"] == 4'
cat >hyperfine.json <<'END'
{ "results": [ { "command": "sleep 0.1", "mean": 0.1, "times": [0.10000000001, 0.11, 0.105], "exit_codes": [0, 0, 0] },
  { "command": "sleep 0.2", "times": [0.2, 0.21, 0.205], "exit_codes": [0, 0, 0] } ] }
END
exits "describe: hyperfine's JSON is accepted" 0 etalon describe --json hyperfine.json
json 'describe: each result of hyperfine is a series in seconds' '[s["name"] for s in d["series"]] == ["sleep 0.1", "sleep 0.2"]
	and d["series"][0]["unit"] == "s" and d["series"][0]["min"] == 0.10000000001'
exits "describe: hyperfine's JSON is described as text" 0 etalon describe hyperfine.json
like 'describe: a series in seconds is printed in a unit of time' "$out" 'mean +10[0-9]+ ms ± '
"$KEEP_SPECIMEN" "$ETALON_STORE" mine || exit 1
exits 'describe: the label of a stored experiment is accepted' 0 etalon describe --json mine
json 'describe: each command of an experiment is a series of CPU times' 'len(d["series"]) == 2 and d["series"][0]["unit"] == "ns"
	and d["series"][0]["min"] < 413e6'
exits 'describe: --metric et succeeds' 0 etalon describe --json --metric et last
json 'describe: --metric et describes the elapsed times' 'd["series"][0]["min"] > 430e6'
etalon export -o native.json && etalon export --format csv -o native.csv
exits 'describe: the native record is accepted' 0 etalon describe --json native.json
cp .out from-json
exits 'describe: the CSV export is accepted' 0 etalon describe --json native.csv
json 'describe: the native record and the CSV export give the same figures' '[s["mean"] for s in d["series"]] ==
	[s["mean"] for s in json.load(open("from-json"))["series"]]'

# --- an undefined figure is null, with a reason
printf '5\n5\n5\n5\n' >constant
exits 'describe: a constant series is accepted' 0 etalon describe --json constant
json 'describe: a constant series has null p values and a warning' 'd["sd"] == 0 and d["shapiro"]["p"] is None and d["dip"]["p"] is None
	and d["ljung_box"]["p"] is None and any(w["code"] == "all-equal" for w in d["warnings"])'
exits 'describe: a constant series is described as text' 0 etalon describe constant
unlike 'describe: the text of a constant series has no nan' "$out" '[^a-z]nan'
printf '1\n2\n' >two
exits 'describe: two numbers are accepted' 0 etalon describe --json two
json 'describe: two numbers have no Shapiro-Wilk test and a warning says why' 'd["shapiro"]["w"] is None and any(w["code"] == "normality-untested" for w in d["warnings"])'
seq 1 6001 >many
exits 'describe: 6001 numbers are accepted' 0 etalon describe --json many
json 'describe: of 6001 numbers a random 5000 are tested and a warning says so' 'd["shapiro"]["n"] == 5000
	and any("5000 of the 6001" in w["text"] for w in d["warnings"])'
printf '1e308\n-1e308\n1e308\n' >huge
exits 'describe: numbers whose squares overflow are accepted' 0 etalon describe --json huge
json 'describe: a standard deviation that overflows is null' 'd["sd"] is None and d["shapiro"]["p"] is None'
exits 'describe: a series of mean 0 is accepted' 0 etalon describe --json - <<<$'-1\n0\n1\n'
json 'describe: a series of mean 0 has no relative error' 'd["relative_error"] is None'

# --- digits by the spread
python3 - <<'END'
import json
times = [1.2345567 + 0.0000001 * (i * 7 % 23) for i in range(30)]
json.dump({"results": [{"command": "precise", "times": times, "exit_codes": [0] * 30}]}, open("precise.json", "w"))
with open("counts", "w") as f:
    f.writelines("%d\n" % (4999833000 + 1000 * (i * 7 % 47)) for i in range(40))
END
exits 'describe: precise times are described' 0 etalon describe precise.json
like 'describe: the median has the digits of its interval' "$out" 'median +1\.2345[0-9]{4,5} s \(1\.2345[0-9]+ s … 1\.2345[0-9]+ s'
like 'describe: the range has the digits of the spread' "$out" 'range +1\.2345[0-9]{4,5} s … 1\.2345[0-9]{4,5} s'
exits 'describe: large counts are described' 0 etalon describe counts
like 'describe: the median of large counts has no exponent' "$out" 'median +4999[0-9]{6} \(4999[0-9]{6} … 4999[0-9]{6}'
exits 'describe: zero is a number' 0 etalon describe --json - <<<$'0\n0.0\n-0e5\n1e-310'
json 'describe: zeros and tiny numbers are accepted' 'd["n"] == 4 and d["max"] > 0'

# --- bad input: exit status 2, and the error names the file, the line and the reason
bad() # bad WHAT REGEX BYTES
{
	printf %b "$3" >bad
	refuses "describe: $1 is rejected" 2 "$2" etalon describe bad
	refuses "describe: $1 is rejected with --json" 2 "$2" etalon describe --json bad
}
bad 'an empty file' 'bad: it has no numbers' ''
bad 'a file of comments only' 'bad: it has no numbers' '# 1\n\n'
bad 'a single number' "'bad' has only 1 value: .* 2" '1\n'
bad 'a word' "bad: line 2: 'hello' is not a number" '1\nhello\n'
bad 'NaN' "bad: line 1: 'NaN' is not finite" 'NaN\n1\n2\n'
bad 'Inf' "bad: line 3: '-Inf' is not finite" '1\n2\n-Inf\n'
bad 'a number out of range' "bad: line 2: '1e400' is out of range" '1\n1e400\n'
bad 'a number too small to hold' "bad: line 2: '1e-400' is out of range" '1\n1e-400\n'
bad 'a decimal comma' "bad: line 1: '1,5' is not a number" '1,5\n2,25\n'
like 'describe: the hint about a decimal comma helps' "$err" 'write a decimal point instead of the comma'
bad 'a hexadecimal number' "bad: line 2: '0x1p3' is not a number" '1\n0x1p3\n'
bad 'a NUL byte' 'bad: line 2 holds a NUL byte' '1\n2\0000\n'
bad 'a table without --column' "bad: line 1: '1,2'" '1,2\n3,4\n'
bad 'broken JSON' 'bad: line 1, column' '{"results": '
bad 'other JSON' "bad: no JSON of etalon, hyperfine or Google" '{"a": 1}'
head -c 3000000 /dev/zero | tr '\0' 7 >bad
refuses 'describe: a line of 3 MB is rejected' 2 'bad: line 1 is longer than' etalon describe bad
refuses 'describe: a name that is neither a file nor an experiment is rejected' 2 "'nosuch' is neither a file nor a stored experiment" etalon describe nosuch
refuses 'describe: a directory is rejected' 2 'home: Is a directory' etalon describe home
refuses 'describe: two files are rejected' 2 'expected one series' etalon describe numbers two
refuses 'describe: an unknown column is rejected' 2 "no column 'x'" etalon describe --column x table.csv
refuses 'describe: a column of words is rejected' 2 "line 2: 'a'" etalon describe --column name table.csv
refuses 'describe: --column is rejected for JSON' 2 'is JSON' etalon describe --column x hyperfine.json
refuses 'describe: --column is rejected for an experiment' 2 'stored experiment' etalon describe --column x mine
refuses "describe: --metric pt is rejected for hyperfine's JSON" 2 'no CPU times' etalon describe --metric pt hyperfine.json
for level in 0 1 -0.5 1.5 x ''; do
	refuses "describe: --level '$level' is rejected" 2 -- etalon describe --level "$level" numbers
done
refuses 'describe: --bootstrap -1 is rejected' 2 '--bootstrap' etalon describe --bootstrap -1 numbers
refuses 'describe: --lag 0 is rejected' 2 '--lag' etalon describe --lag 0 numbers
refuses 'describe: --seed x is rejected' 2 '--seed' etalon describe --seed x numbers
refuses 'describe: an unknown --metric is rejected' 2 '--metric' etalon describe --metric speed numbers
ok 'describe: a full disk gives exit status 4' bash -c 'etalon describe numbers >/dev/full 2>err; [ $? -eq 4 ] && grep -q "No space" err'

done_testing
