#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# describe: figures of known series, all forms of input, and what bad input gets.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 1 40 >numbers
exits 'a file' 0 etalon describe numbers
like 'heading' "$out" 'numbers: 40 values'
like 'Student t' "$out" 'mean +20\.5 ± 3\.7 \(Student t, 95 %, k = 2\.023\)'
like 'order statistics' "$out" 'median +20\.5 \(14 … 27, order statistics'
like 'says what is wrong and what to do' "$out" 'warning: drift.*warm up'
like 'histogram' "$out" '▲ median'
is 'no escape sequence' "$(tr -cd '\033' <.out)" ''
exits 'standard input' 0 etalon describe <numbers
exits 'standard input by -' 0 etalon describe - <numbers
exits 'colour' 0 etalon describe --color always numbers
ok 'escape sequences' grep -q $'\033' .out
exits 'narrow' 0 env COLUMNS=40 etalon describe numbers
ok 'no line over 40 columns' test -z "$(grep -E '^.{41,}' .out)"

exits 'JSON' 0 etalon describe --json numbers
json 'all keys of the contract' 'set("n mean sd relative_error min max median q1 q3 iqr \
	standard_uncertainty coverage_factor expanded_uncertainty mean_interval sd_interval bootstrap \
	shapiro acf acf_band ljung_box mann_kendall density dip warnings".split()) <= set(d)'
json 'mean_interval' 'set(d["mean_interval"]) == {"method", "level", "lo", "hi"}'
json 'sd_interval' 'set(d["sd_interval"]) == {"chi2", "percentile", "bca"}'
json 'bootstrap' '{"iterations", "seed", "mean", "median", "sd"} <= set(d["bootstrap"])
	and {"percentile", "bca"} <= set(d["bootstrap"]["mean"])'
json 'the rest' '{"w", "p"} <= set(d["shapiro"]) and {"lag", "q", "p"} == set(d["ljung_box"])
	and {"tau", "p"} <= set(d["mann_kendall"]) and {"bandwidth", "modes"} <= set(d["density"])
	and {"d", "p"} <= set(d["dip"])'
json 'figures' 'd["n"] == 40 and d["mean"] == 20.5 and abs(d["sd"] - 11.690451944500122) < 1e-12
	and d["q1"] == 10.75 and d["iqr"] == 19.5 and d["mann_kendall"]["tau"] == 1'
cp .out first
exits 'the same again' 0 etalon describe --json numbers
ok 'the same seed, the same figures' cmp -s .out first
exits 'another seed' 0 etalon describe --json --seed 2 numbers
ok 'other figures' test "$(cat .out)" != "$(cat first)"
exits 'options' 0 etalon describe --json --level 0.9 --bootstrap 500 --lag 3 numbers
json 'are heard' 'd["mean_interval"]["level"] == 0.9 and d["bootstrap"]["iterations"] == 500
	and len(d["acf"]) == 3 and d["ljung_box"]["lag"] == 3'
exits 'no bootstrap' 0 etalon describe --json --bootstrap 0 numbers
json 'none' 'd["bootstrap"] is None and d["sd_interval"]["bca"] is None'

# --- every figure of describe and compare against R's
ok "R's answers" python3 "$root/tests/cli/oracle.py" "$root/tests/oracle/public.jsonl"

# --- forms of input
printf '\357\273\277# times\r\n1\r\n\r\n2\r\n4\r\n' >windows
exits 'a byte order mark, carriage returns, comments' 0 etalon describe --json windows
json 'three numbers' 'd["n"] == 3 and d["max"] == 4'
printf 'name,"time, s"\na,1\n"b ""x"",\nc",2\nd,4\n' >table.csv
exits 'a column by name' 0 etalon describe --json --column 'time, s' table.csv
json 'three numbers' 'd["n"] == 3 and d["max"] == 4'
exits 'a column by number' 0 etalon describe --json --column 2 table.csv
json 'the same' 'd["n"] == 3 and d["max"] == 4'
cat >hyperfine.json <<'END'
{ "results": [ { "command": "sleep 0.1", "mean": 0.1, "times": [0.10000000001, 0.11, 0.105], "exit_codes": [0, 0, 0] },
  { "command": "sleep 0.2", "times": [0.2, 0.21, 0.205], "exit_codes": [0, 0, 0] } ] }
END
exits "hyperfine's" 0 etalon describe --json hyperfine.json
json 'each result a series, in seconds' '[s["name"] for s in d["series"]] == ["sleep 0.1", "sleep 0.2"]
	and d["series"][0]["unit"] == "s" and d["series"][0]["min"] == 0.10000000001'
exits 'the same for people' 0 etalon describe hyperfine.json
like 'in units of time' "$out" 'mean +10[0-9]+ ms ± '
"$KEEP_SPECIMEN" "$ETALON_STORE" mine || exit 1
exits 'a kept experiment by label' 0 etalon describe --json mine
json 'each command a series, CPU time' 'len(d["series"]) == 2 and d["series"][0]["unit"] == "ns"
	and d["series"][0]["min"] < 413e6'
exits 'elapsed time' 0 etalon describe --json --metric et last
json 'is longer' 'd["series"][0]["min"] > 430e6'
etalon export -o native.json && etalon export --format csv -o native.csv
exits 'the native record' 0 etalon describe --json native.json
cp .out from-json
exits 'as CSV' 0 etalon describe --json native.csv
json 'the same figures' '[s["mean"] for s in d["series"]] ==
	[s["mean"] for s in json.load(open("from-json"))["series"]]'

# --- undefined is null, with a reason
printf '5\n5\n5\n5\n' >constant
exits 'constant' 0 etalon describe --json constant
json 'nulls and a reason' 'd["sd"] == 0 and d["shapiro"]["p"] is None and d["dip"]["p"] is None
	and d["ljung_box"]["p"] is None and any("equal" in w for w in d["warnings"])'
exits 'for people' 0 etalon describe constant
unlike 'without nan' "$out" '[^a-z]nan'
printf '1\n2\n' >two
exits 'two numbers' 0 etalon describe --json two
json 'no Shapiro-Wilk, and why' 'd["shapiro"]["w"] is None and any("Shapiro" in w for w in d["warnings"])'
seq 1 6001 >many
exits 'more than 5000' 0 etalon describe --json many
json 'a random 5000 are judged, and it is said' 'd["shapiro"]["n"] == 5000
	and any("5000 of the 6001" in w for w in d["warnings"])'
printf '1e308\n-1e308\n1e308\n' >huge
exits 'numbers whose squares overflow' 0 etalon describe --json huge
json 'are null' 'd["sd"] is None and d["shapiro"]["p"] is None'
exits 'a zero mean' 0 etalon describe --json - <<<$'-1\n0\n1\n'
json 'has no relative error' 'd["relative_error"] is None'

# --- bad input: file, line and reason, exit 2
bad() # bad NAME REGEX BYTES
{
	printf %b "$3" >bad
	refuses "$1" 2 "$2" etalon describe bad
	refuses "$1, JSON" 2 "$2" etalon describe --json bad
}
bad 'an empty file' 'bad: there are no numbers' ''
bad 'comments only' 'bad: there are no numbers' '# 1\n\n'
bad 'one number' "'bad' has only 1 value: .* 2" '1\n'
bad 'text' "bad: line 2: 'hello' is not a number" '1\nhello\n'
bad 'NaN' "bad: line 1: 'NaN' is not finite" 'NaN\n1\n2\n'
bad 'Inf' "bad: line 3: '-Inf' is not finite" '1\n2\n-Inf\n'
bad 'out of range' "bad: line 2: '1e400' is out of range" '1\n1e400\n'
bad 'hexadecimal' "bad: line 2: '0x1p3' is not a number" '1\n0x1p3\n'
bad 'a NUL byte' 'bad: line 2 holds a NUL byte' '1\n2\0000\n'
bad 'a table without --column' "bad: line 1: '1,2'" '1,2\n3,4\n'
bad 'broken JSON' 'bad: line 1, column' '{"results": '
bad 'other JSON' "bad: neither etalon's nor hyperfine's" '{"a": 1}'
head -c 3000000 /dev/zero | tr '\0' 7 >bad
refuses 'a very long line' 2 'bad: line 1 is longer than' etalon describe bad
refuses 'no such file' 2 "'nosuch' is neither a file nor a kept experiment" etalon describe nosuch
refuses 'a directory' 2 'home: Is a directory' etalon describe home
refuses 'two files' 2 'one series at a time' etalon describe numbers two
refuses 'no such column' 2 "no column 'x'" etalon describe --column x table.csv
refuses 'a column that is not numbers' 2 "line 2: 'a'" etalon describe --column name table.csv
refuses '--column of JSON' 2 'is JSON' etalon describe --column x hyperfine.json
refuses '--column of an experiment' 2 'kept experiment' etalon describe --column x mine
refuses "hyperfine's CPU time" 2 'no CPU times' etalon describe --metric pt hyperfine.json
for level in 0 1 -0.5 1.5 x ''; do
	refuses "--level '$level'" 2 -- etalon describe --level "$level" numbers
done
refuses '--bootstrap' 2 '--bootstrap' etalon describe --bootstrap -1 numbers
refuses '--lag 0' 2 '--lag' etalon describe --lag 0 numbers
refuses '--seed' 2 '--seed' etalon describe --seed x numbers
refuses '--metric' 2 '--metric' etalon describe --metric cpu numbers
ok 'a full disk' bash -c 'etalon describe numbers >/dev/full 2>err; [ $? -eq 4 ] && grep -q "No space" err'

done_testing
