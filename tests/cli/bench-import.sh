#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The JSON of benchmark programs: libetalon's and Google Benchmark's become experiments of functions.
# The fixtures were written by a program of libetalon with three functions in eight processes (in
# new.json, copy copies four times as much) and by one of Google Benchmark 1.7.1 with five
# repetitions.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

data=$root/tests/data/bench

exits 'import: the JSON of libetalon is stored' 0 etalon import --label old "$data/old.json"
like 'import: it reports functions' "$out" '24 samples of 3 functions'
exits 'import: the JSON of Google Benchmark is stored' 0 \
	etalon import --label google "$data/google-1.7.1.json"
like 'import: benchmarks that failed are omitted' "$out" '15 samples of 3 functions'
sed 's/"error_occurred": true/"skipped": true/' "$data/google-1.7.1.json" >skipped.json
exits 'import: the JSON of Google Benchmark with a skipped one is stored' 0 \
	etalon import --label skipped skipped.json
like 'import: benchmarks that were skipped are omitted' "$out" '15 samples of 3 functions'

# The oracle: the best of each process, and the times of each repetition.
python3 - "$data" <<'PY' >want
import json, sys
f = json.load(open(sys.argv[1] + '/old.json'))['functions'][0]
print(f['name'], *['%.6f' % min(s['ns']) for s in f['slices']])
unit = {'ns': 1, 'us': 1e3}
for b in json.load(open(sys.argv[1] + '/google-1.7.1.json'))['benchmarks']:
    if b['run_type'] == 'iteration' and b['name'] == 'sort_vector/64':
        print('%.5f' % (b['real_time'] * unit[b['time_unit']]))
PY
etalon export --format json old >old.json
etalon export --format json google >google.json
python3 - <<'PY' >got
import json
c = json.load(open('old.json'))['commands'][0]
print(c['name'], *['%.6f' % (s['et_ns'] / s['calls']) for s in c['samples']])
c = json.load(open('google.json'))['commands'][0]
for s in c['samples']:
    print('%.5f' % (s['et_ns'] / s['calls']))
PY
is 'import: a sample is the best of a process, or a repetition, per call' "$(cat got)" "$(cat want)"

# Values that the program judged are taken as they are; of the samples of one process, those without
# marks.
python3 - "$data" <<'PY' >want
import json, sys
d = json.load(open(sys.argv[1] + '/old.json'))
f = d['functions'][0]
f['process_ns'] = [100 + i / 8 for i in range(len(f['slices']))]
d['functions'][1]['process_ns'] = [7, 8, 9]  # two slices of some processes
s = d['functions'][2]['slices'][:1]
s[0]['marks'] = [i % 2 for i in range(len(s[0]['ns']))]
d['functions'][2]['slices'] = s
d['functions'].append({'name': 'broken', 'error': 'no input', 'slices': []})
json.dump(d, open('judged.json', 'w'))
print(f['process_ns'])
print([7.0, 8.0, 9.0])
print([round(x, 6) for x in s[0]['ns'][::2]])
d['functions'] = [f]
f['statistic'] = 'median'
json.dump(d, open('median.json', 'w'))
PY
exits 'import: values of processes are read' 0 etalon import --label judged judged.json
like 'import: functions that failed are mentioned' "$err" '1 function that failed was omitted'
etalon export --format json judged |
	python3 -c 'import json, sys
for c in json.load(sys.stdin)["commands"]:
    print([round(s["et_ns"] / s["calls"], 6) for s in c["samples"]])' >got
is 'import: values of processes are those that the program judged' "$(cat got)" "$(cat want)"
unlike 'show: the machine has no empty fields' "$(etalon show old)" ', ,|virtual: *$|± 0( |$)'
# The same values, but for rounding.
python3 - <<'PY'
import json
d = json.load(open('judged.json'))
f = d['functions'][0]
for name, n in ('same.json', 8), ('short.json', 2):
    f['process_ns'] = [(100 if n == 2 else 64) * (1 + 1e-7 * len(name))] * n
    f['slices'] = f['slices'][:n]
    json.dump(d, open(name, 'w'))
    if n == 8:
        f['process_ns'] = [64] * n
        json.dump(d, open('exact.json', 'w'))
PY
exits 'compare: two formats of one run' 0 etalon compare exact.json same.json
unlike 'compare: rounding is no difference' "$out" 'slower|faster'
exits 'compare: a function with too few values is left out' 0 etalon compare judged.json short.json
like 'compare: it is named' "$err" "'copy' of short.json is omitted: 2 of 3 values"
refuses 'compare: a regression between files needs --across-time' 2 'different times' \
	etalon compare --fail-on-regression judged.json median.json
like 'compare: functions are measured at once with --against' "$err" '--against OLD'

exits 'compare: values of processes by two statistics' 0 \
	etalon compare --json - judged.json median.json
like 'compare: a warning says that the statistics differ' "$out" '"statistics-differ"'
exits 'compare: values of processes by one statistic' 0 etalon compare --json - judged.json "$data/new.json"
unlike 'compare: no warning without need' "$out" 'statistics-differ'

exits 'show: an imported benchmark is shown' 0 etalon show old
like 'show: the origin names functions and times per call' "$out" 'functions, times per call'
like 'show: times below 1 ns have digits' "$out" 'sum +0\.[0-9]+ ns'
exits 'show -v: figures of functions' 0 etalon show -v google
unlike 'show -v: a function has no descendants that wait4 misses' "$out" 'wait4'
exits 'list: an imported benchmark is listed' 0 etalon list
like 'list: its first function and the number of others' "$out" 'copy \(\+2\)'
exits 'describe: the JSON of libetalon is read' 0 etalon describe "$data/old.json"
like 'describe: functions are series' "$out" 'sort/n:64: 8 values'
exits 'report: an imported benchmark has a page' 0 etalon report --output page.html old
exits 'export: a record of functions is read back' 0 etalon import --copy old.json

exits 'compare: functions of the same name are compared' 0 \
	etalon compare "$data/old.json" "$data/new.json"
like 'compare: copy is slower' "$out" 'copy \([^)]*new.json\) vs copy'
unlike 'compare: functions of other names are not compared' "$out" 'sum \([^)]*\) vs copy'
exits 'compare: the comparison as JSON' 0 etalon compare --json - "$data/old.json" "$data/new.json"
like 'compare: a warning says that the functions were timed at different times' "$out" '"functions-apart"'
exits 'compare: a function that became slower fails' 5 \
	etalon compare --across-time --fail-on-regression "$data/old.json" "$data/new.json"
like 'compare: the regression is named' "$err" 'REGRESSION: copy'
exits 'compare: stored benchmarks are compared by name' 0 etalon compare old "$data/new.json"
unlike 'compare: the comparison needs no program of etalon run' "$out" 'etalon run --baseline'

# Bad files
bad()
{
	printf '%s' "$3" >bad.json
	refuses "import: $1" 2 "$2" etalon import bad.json
}
head='"etalon": 2, "functions": '
bad 'a record of functions without samples is refused' 'has version 1' \
	'{"etalon": 1, "functions": [{"name": "f", "time_ns": 3, "relative_error": 0.1}]}'
bad 'a newer record is refused' 'has version 99' '{"etalon": 99, "functions": []}'
bad 'a record without functions is refused' 'no commands' "{$head []}"
bad 'two functions of one name are refused' "two functions have the name 'f'" \
	"{$head [{\"name\": \"f\", \"slices\": [{\"ns\": [1]}]}, {\"name\": \"f\", \"slices\": [{\"ns\": [1]}]}]}"
bad 'a function without a name is refused' 'functions\[0\]: has no name' "{$head [{\"slices\": []}]}"
bad 'a process without samples is refused' 'functions\[0\].slices\[0\]: has no times' \
	"{$head [{\"name\": \"f\", \"slices\": [{\"ns\": []}]}]}"
bad 'a time of 1e300 is refused' 'functions\[0\].slices\[0\].ns\[1\]: is not a time' \
	"{$head [{\"name\": \"f\", \"slices\": [{\"ns\": [1, 1e300]}]}]}"
bad 'an unknown statistic is refused' "the statistic 'mode'" \
	"{$head [{\"name\": \"f\", \"statistic\": \"mode\", \"slices\": [{\"ns\": [1]}]}]}"
bad 'a time unit of days is refused' "the time unit 'd'" \
	'{"benchmarks": [{"name": "f", "real_time": 1, "cpu_time": 1, "time_unit": "d"}]}'
bad 'a negative time is refused' 'benchmarks\[0\].real_time: is not a time' \
	'{"benchmarks": [{"name": "f", "real_time": -1, "cpu_time": 1, "time_unit": "ns"}]}'

done_testing
