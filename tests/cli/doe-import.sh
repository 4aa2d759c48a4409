#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon doe import`: which column is what, units, and errors that name the line.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# import NAME [OPTION…]: imports standard input and prints the analysis as JSON
# shellcheck disable=SC2317 # run calls it
import()
{
	local name=$1
	shift
	etalon doe import -q --label "$name" "$@" - >id || return
	etalon doe analyse --json --method anova "$name"
}

rows=$'1,0,10.5\n2,0,11.5\n1,512,10.25\n2,512,11.75\n1,0,10.625\n2,0,11.375\n1,512,10.375\n2,512,11.5\n'

# --- columns ---
run import unit <<<"work,pad,time_ms"$'\n'"$rows"
json 'doe import: the last column is the response, in the unit of its name' \
	'[t["mean_ns"] for t in d["treatments"]] == [10562500, 11437500, 10312500, 11625000]'
json 'doe import: the others are factors, with levels in ascending order' \
	'[(f["name"], f["levels"]) for f in d["design"]["factors"]] == [("work", ["1", "2"]), ("pad", ["0", "512"])]'
run import sorted <<<"work,pad,time_ms"$'\n'"$(tac <<<"$rows" | grep .)"
json 'doe import: numeric levels ascend, whatever comes first' \
	'[f["levels"] for f in d["design"]["factors"]] == [["1", "2"], ["0", "512"]] and d["effects"][0]["effect_ns"] > 0'
run import words <<<$'mode,y\nslow,2\nfast,1\nslow,2.1\nfast,1.1'
json 'doe import: other levels stay in the order of their first row' \
	'd["design"]["factors"][0]["levels"] == ["slow", "fast"] and d["effects"][0]["effect_ns"] < 0'
run import seconds <<<"work,pad,time"$'\n'"$rows"
json 'doe import: a column without a unit is in seconds' 'd["treatments"][0]["mean_ns"] == 10562500000'
run import us --unit us <<<"work,pad,time"$'\n'"$rows"
json 'doe import: --unit us is used' 'd["treatments"][0]["mean_ns"] == 10562.5'
run import chosen --response t --factors work,pad <<<$'t,work,note,pad\n'"$(awk -F, 'NF { print $3 ",", $1 ",n" NR "," $2 }' <<<"$rows")"
json 'doe import: --response and --factors choose columns' \
	'[f["name"] for f in d["design"]["factors"]] == ["work", "pad"]'
run import bytes --unit bytes <<<$'f,peak\n1,1024\n2,2048\n1,1025\n2,2050'
json 'doe import: sizes have keys without _ns' \
	'd["design"]["response"] == "max_rss" and round(d["effects"][0]["effect"], 6) == 1024.5 and "effect_ns" not in d["effects"][0]'
run import count --unit count <<<$'f,n\n1,10\n2,20\n1,11\n2,22'
json 'doe import: counts are accepted' 'round(d["effects"][0]["effect"], 6) == 10.5'
run import names --program which <<<$'which,f,t\na,1,1\na,2,2\nb,1,1\nb,2,3\na,1,1.1\na,2,2.1\nb,1,1.2\nb,2,3.1'
json 'doe import: --program names the programs' 'd["design"]["programs"] == ["a", "b"]'
run import quoted <<<$'"a ""b""",t\r\n"x, y",1\r\nz,2\r\n"x, y",1.1\r\nz,2.1\r\n'
json 'doe import: quotes and line ends of other systems are read' \
	'd["design"]["factors"][0]["name"] == "a \"b\"" and d["design"]["factors"][0]["levels"] == ["x, y", "z"]'
run import semicolon <<<$'f;t\n1;1\n2;2\n1;1.1\n2;2.1'
json 'doe import: semicolons separate cells, too' 'len(d["effects"]) == 1'
run import blocks --block day <<<$'f,day,t\n1,mon,1\n2,mon,2\n1,tue,1.5\n2,tue,2.6\n1,wed,3\n2,wed,4.1'
json 'doe import: --block removes the differences between blocks' \
	'd["design"]["blocks"] == "round" and d["design"]["blocked"] and d["effects"][0]["f"] > 300'
run import discarded <<<$'f,counts,t\n1,0,9\n2,0,9\n1,1,1\n2,1,2\n1,1,1.1\n2,1,2.1'
json 'doe import: runs that do not count are discarded' \
	'd["design"]["discard"] == 1 and d["treatments"][0]["n"] == 2'
run import unbalanced <<<$'f,g,t\n1,1,1\n2,1,2\n1,2,1.1\n1,1,1.2\n2,1,2.2\n1,2,1.3\n1,1,1.1'
json 'doe import: a treatment that is missing is not claimed' \
	'not d["programs"][0]["balanced"] and len(d["treatments"]) == 3'

# --- kept like other experiments ---
exits 'doe import: show prints the experiment' 0 etalon show unit
like 'doe import: list shows it' "$(etalon list)" 'unit'
run etalon doe import --label 'two words' - <<<"work,pad,time_ms"$'\n'"$rows"
like 'doe import: it reports runs, treatments and factors' "$out" \
	'8 runs of 1 program under 4 treatments.*factors: work \(2 levels\), pad \(2 levels\)'

# --- errors ---
bad() # bad NAME REGEX [OPTION…] <FILE
{
	local name=$1 regex=$2
	shift 2
	cat >bad.csv
	refuses "doe import: $name" 2 "bad.csv: $regex" etalon doe import "$@" bad.csv
}
bad 'an empty file is refused' 'it is empty' </dev/null
bad 'a header alone is refused' 'it has no rows' <<<'f,t'
bad 'a cell that is no number is refused' "line 3: column 2: 'abc' is not a number" <<<$'f,t\n1,1\n2,abc'
bad 'a result that is missing is refused' "line 4: column 2: 'NA' is not a number" <<<$'f,t\n1,1\n2,3\n1,NA'
bad 'a negative result is refused' "line 2: .*'-1' is not at least 0" <<<$'f,t\n1,-1\n2,1'
bad 'an infinite result is refused' "line 2: .*'1e999'" <<<$'f,t\n1,1e999\n2,1'
bad 'a short row is refused' 'line 3: it has 1 cells, but the first line has 2' <<<$'f,t\n1,1\n2'
bad 'a long row is refused' 'line 3: it has 3 cells' <<<$'f,t\n1,1\n2,3,4'
bad 'an open quote is refused' 'line 3: a quote is not closed' <<<$'f,t\n1,1\n"2,3'
bad 'a single level is refused' "the column 'f' has a single level, '1'" <<<$'f,t\n1,1\n1,2'
bad 'too many levels are refused' "line 258: the column 'f' has more than 256 levels" < <(echo f,t; seq 300 | sed 's/$/,1/')
bad 'an unknown column is refused' "line 1: there is no column 'tme'" --response tme <<<$'f,time\n1,1\n2,2'
like 'doe import: the hint is the nearest column' "$err" "did you mean 'time'"
bad 'a column cannot be factor and response' 'line 1: no column is left' --factors f,t --response t <<<$'f,t\n1,1\n2,2'
bad 'two columns of a name are refused' "line 1: two columns have the name 'f'" <<<$'f,f,t\n1,1,1\n2,2,2'
bad 'a name with a colon is refused' 'line 1: the name of column 1' <<<$'a:b,t\n1,1\n2,2'
bad 'an order that occurs twice is refused' 'line 3: the order 1 is that of line 2, too' <<<$'f,order,t\n1,1,1\n2,1,2'
bad 'a NUL byte is refused' 'it holds a NUL byte' < <(printf 'f,t\n1,1\0\n')
refuses 'doe import: a file that is missing is refused' 2 'nowhere.csv' etalon doe import nowhere.csv
refuses 'doe import: an option of analyse is refused' 2 'tables' etalon doe import --tables bad.csv

# --- large files ---
python3 -c '
import random
r = random.Random(1)
print("a,b,c,time_ms")
for i in range(100000):
    print(f"{i % 2},{i // 2 % 4},{i // 8 % 5},{100 + i % 2 + r.random():.3f}")' >large.csv
exits 'doe import: 100,000 rows are imported' 0 timeout 20 etalon doe import large.csv
like 'doe import: all rows are there' "$out" '100000 runs'

done_testing
