#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Texts from elsewhere contain what a terminal obeys: in the store (keep-hostile fills every text of an
# experiment), in files that are read, in names of files, in arguments, in /proc and /sys. No command
# may hand it on to stdout or stderr.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${KEEP_HOSTILE:=$root/build/tests/cli/keep-hostile}"

hostile=$'\033]0;T\007\x9b2J\xc2\x9b\n\bFORGED\nFORGED\r\xe2\x80\xae\xe2\x81\xa6\x7f\033[2J'
# The same without what a file name or a JSON text cannot have
name=$'x\033]0;T\007\xc2\x9b\nFORGED\xe2\x80\xae.json'

cat >look.py <<'PY'
# Prints the numbers of outputs with something that a terminal would obey, and what it is. A CSV file
# may have line feeds within quotes. Colours of our own (--color=always) are ignored.
import glob, re
obeyed = '[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]'
for path in glob.glob('seen/*.*'):
    number, kind = path[5:].split('.')[:2]
    data = re.sub(rb'\x1b\[[0-9;]*m', b'', open(path, 'rb').read())
    try:
        text = data.decode('utf-8')
    except UnicodeDecodeError as e:
        print(number, 'not UTF-8:', data[max(0, e.start - 30):e.start + 10])
        continue
    found = re.search(obeyed, text)
    if found:
        print(number, repr(text[max(0, found.start() - 30):found.end() + 10]))
    elif kind != 'csv' and re.search('^FORGED', text, re.M):
        print(number, 'a forged line')
PY

walked=
labels=()
codes=()
mkdir seen

# clean NAME COMMAND…: its stdout and stderr contain nothing that a terminal obeys; any exit status.
# judge, at the end, looks at all outputs at once.
clean()
{
	local kind=text
	labels+=("$1")
	shift
	[[ " $* " == *' csv '* || " $* " == *' summary '* ]] && kind=csv
	[ "$1" = etalon ] && walked+=" $2"
	timeout 60 "$@" >"seen/${#labels[@]}.$kind" 2>"seen/${#labels[@]}.text.err" </dev/null
	codes+=($?)
}

judge()
{
	local i found
	python3 look.py | sort -n >found
	for i in "${!labels[@]}"; do
		found=$(grep "^$((i + 1)) " found)
		[ -z "$found" ] && [ "${codes[i]}" -lt 124 ]
		tap_report $? "${labels[i]} (exit status ${codes[i]})" || note "$found"
	done
}

# fill: a new store with the hostile experiment
fill()
{
	rm -f store.db*
	"$KEEP_HOSTILE" "$ETALON_STORE" || exit 1
}

fill
id=$(sqlite3 store.db 'SELECT id FROM experiment')
for command in list 'list --json' 'show last' 'show -v last' 'show --color=always -v last' 'show --json - last' \
	"show $id" 'report -o - last' 'samplesize last' 'fit last' 'describe last' 'compare last' 'compare last last' \
	'daemons show' 'daemons show --json' 'run --resume' "run --resume $id" 'lab emp-versions --from last' \
	'env' 'env check' 'env check --json' 'clock --duration 0.1s' 'put'; do
	# shellcheck disable=SC2086
	clean "stored text: $command obeys nothing" etalon $command
done
etalon export -f none 2>&1 | sed -n 's/^hint: use one of //p' | tr -d , >formats
ok 'stored text: the formats of export are known' grep -q orgmode formats
read -ra names <formats
for format in "${names[@]}"; do
	clean "stored text: export as $format obeys nothing" etalon export --format "$format" last
done
for shell in bash zsh fish; do
	clean "stored text: the completion for $shell obeys nothing" etalon completion "$shell"
done
clean 'stored text: rm obeys nothing' etalon rm last
fill
sqlite3 store.db "UPDATE experiment SET id = char(27) || ']0;T' || char(7) || ';touch PWNED'"
for command in list 'list --json' 'show last' 'rm last' 'run --resume' 'export last' 'report -o - last'; do
	# shellcheck disable=SC2086
	clean "stored id: $command obeys nothing" etalon $command
done
fill
sqlite3 store.db "UPDATE experiment SET state = char(27) || '[2J'; UPDATE sample SET arrangement = char(27) || '[2J'"
clean 'damaged store: show obeys nothing' etalon show last

# Names of machines, in the messages of commands
rm -f store.db*
cat >machines.yaml <<'YAML'
name: fleet
programs: [{ name: p, command: 'true {a}' }]
factors: [{ name: a, kind: parameter, levels: [1, 2] }]
replications: 2
discard: 0
design: { blocks: machine }
YAML
for time in 0.01 0.01 0.01 0.05 0.05 0.05; do
	etalon run -q -r 3 --label speed "sleep $time" >/dev/null
done
etalon doe run -q machines.yaml >/dev/null
etalon doe run -q --new machines.yaml >/dev/null
sqlite3 store.db "UPDATE experiment SET started_ns = started_ns - key * 86400000000000, finished_ns = finished_ns - key * 86400000000000,
	host_name = char(27) || ']0;T' || char(7) || char(8238) || (key % 8 > 3 OR key = 8),
	machine = printf('%016x', 1 + (key % 8 > 3 OR key = 8))"
for command in 'compare --by machine --fail-on-regression=1 speed' 'doe status machines.yaml' 'list --machines' 'list'; do
	# shellcheck disable=SC2086
	clean "names of machines: $command obeys nothing" etalon $command
done
fill

# --- files ---

python3 - "$hostile" <<'PY'
import json, os, sys
h = os.fsencode(sys.argv[1]).decode('utf-8', 'replace')
def write(name, value):
    with open(name, 'w', newline='') as f:
        f.write(value if isinstance(value, str) else json.dumps(value))
write('hyperfine.json', {'results': [{'command': h, 'times': [1, 2, 3], 'parameters': {h: h}},
                                     {'command': h + 'b', 'times': [1, 2, 4]}]})
write('bad-hyperfine.json', {'results': [{'command': h, 'times': [1, h], 'parameters': {h: [h]}}]})
write('bad-parameter.json', {'results': [{'command': h, 'times': [1], 'parameters': {h: [h]}}]})
write('native.json', {'etalon': 1, 'id': 'a1', 'label': h, 'state': 'interrupted', 'image_source': h,
      'started': h, 'commands': [{'name': h, 'command': h, 'argv': [h], 'setup': h, 'samples': [
          {'et_ns': 1, 'pt_ns': 1, 'interference': [{'name': h[:15], 'pid': 1, 'pt_ns': 5}]}]}]})
write('bad-id.json', {'etalon': 1, 'id': h, 'commands': [{'name': h, 'samples': [{'et_ns': 1}]}]})
write('bad-state.json', {'etalon': 1, 'state': h, 'commands': [{'name': h, 'samples': [{'et_ns': 1}]}]})
write('bad-sample.json', {'etalon': 1, 'commands': [{'name': h, 'samples': [{'et_ns': h}]}]})
write('bad-order.json', {'etalon': 1, 'commands': [{'name': h, 'samples': [{'et_ns': 1, 'order': 1}]},
                                                   {'name': h, 'samples': [{'et_ns': 1, 'order': 1}]}]})
write('syntax.json', '{"a": 1,\n "' + h + '": ' + h + '}')
write('trace.json', {'mhz_estimate': 1000, h: {'periods': [['A', 0, 0, 5], ['I', 0, 5, 9]]},
      'traces': [{'name': h, 'hz': 1e9, 'periods': [
          {'state': 'A', 'index': 0, 'start_ns': 0, 'duration_ns': 100000},
          {'state': 'I', 'index': 0, 'start_ns': 100000, 'duration_ns': 90000, 'cause': 'process', 'process': h}]}]})
write('bad-trace.json', {'mhz_estimate': 1000, h: {'periods': [['A', 0, 0, 5], [h, 0, 5, 9]]}})
write('daemons.json', {'short_run': {'samples': 1, 'sample_seconds': 1, 'all': [
      {'sample': 1, 'et_ms': 1, 'pt_ms': 1, 'pt': [[h, 1]]}]}})
write('numbers', '1\n2\n' + h + '\n')
write('head.csv', 'command,' + h.replace('\n', '') + '\na,1\n')
write('record.csv', 'command,et_ns,arrangement\n"' + h + '",1,solo\n"' + h + '",2,' + h + '\n')
write('good.csv', 'command,et_ns\n"' + h + '",1\n"' + h + '",2\n"' + h + 'b",4\n"' + h + 'b",2\n')
PY
for file in *.json head.csv record.csv good.csv numbers; do
	clean "files: import $file obeys nothing" etalon import --copy "$file"
	clean "files: describe $file obeys nothing" etalon describe "$file"
	clean "files: compare $file obeys nothing" etalon compare "$file" "$file"
	clean "files: samplesize $file obeys nothing" etalon samplesize "$file"
	clean "files: fit $file obeys nothing" etalon fit "$file"
	clean "files: trace --from $file obeys nothing" etalon trace --from "$file"
	clean "files: trace --json of $file obeys nothing" etalon trace --json - --from "$file"
	clean "files: daemons analyse $file obeys nothing" etalon daemons analyse "$file"
done
python3 - "$hostile" <<'PY'
import json, os, sys
h = os.fsencode(sys.argv[1]).decode('utf-8', 'replace')
runs = [{'name': name, 'run_name': name, 'run_type': 'iteration', 'repetition_index': i, 'iterations': 9,
         'real_time': 1.0 + i / 9, 'cpu_time': 1.0, 'time_unit': 'ns'}
        for name, n in (('a', 5), ('b', 5), (h, 1)) for i in range(n)]
for name in 'google-old.json', 'google-new.json':
    json.dump({'context': {'date': 'x', 'num_cpus': 2}, 'benchmarks': runs}, open(name, 'w'))
PY
clean 'files: compare obeys nothing in a function of one value' etalon compare google-old.json google-new.json
clean 'files: describe --column obeys nothing' etalon describe --column nothing head.csv
clean 'files: import --column obeys nothing' etalon import --column nothing head.csv
for command in 'import' 'describe' 'compare' 'samplesize' 'fit' 'trace --from' 'daemons analyse' 'report -o -' 'export -o' \
	'show --store' 'run -q -r 2 --json - --export-csv' 'run -q -r 2 --input'; do
	# shellcheck disable=SC2086
	clean "names of files: $command obeys nothing" etalon $command "absent/$name" true
	cp native.json "$name"
	# shellcheck disable=SC2086
	clean "names of files: $command obeys nothing in the name of a file" etalon $command "$name" true
	rm -f "$name"
done

# --- arguments ---

while read -r verb; do
	clean "arguments: $verb obeys nothing in an operand" etalon "$verb" "$hostile"
	clean "arguments: $verb obeys nothing in an option" etalon "$verb" "--$hostile"
	# Every option of the command, with a value
	while read -r option; do
		[[ $option =~ ^--(help|version|progress)$ ]] && continue
		value=$hostile
		# The shell that runs a hook prints what it likes.
		[[ $option =~ ^--(setup|prepare|conclude|cleanup)$ ]] && value="exit 3 # $hostile"
		clean "arguments: $verb $option obeys nothing in its value" etalon "$verb" "$option=$value" -- false
	done < <(etalon "$verb" --help all | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)
done < <(commands)
clean 'arguments: an unknown command is not obeyed' etalon "$hostile"
clean 'arguments: ETALON_STORE is not obeyed' env "ETALON_STORE=sqlite:$work/none/$hostile" "$ETALON" list
clean 'arguments: the name of a new store is not obeyed' env "ETALON_STORE=sqlite:$work/$hostile.db" "$ETALON" run -r 2 -- true
clean 'arguments: run prints a command that it runs' etalon run -r 3 -n "$hostile" -n "b$hostile" -- true "$hostile"
clean 'arguments: run prints several commands' etalon run -r 3 "true '$hostile'" "true 2 '$hostile'"
clean 'arguments: run prints parameters' etalon run -r 3 -L "$hostile,x" "$hostile" 'true'
clean 'arguments: run -L prints values' etalon run -r 3 -L x "a,$hostile" 'true {x}'
clean 'arguments: a program that fails is reported' etalon run -r 3 -- false "$hostile"
clean 'arguments: a program that does not exist is reported' etalon run -r 3 -- "./$hostile"
clean 'arguments: a failed hook is reported' etalon run -r 3 --setup "exit 3 # $hostile" -- true
clean 'arguments: show prints what run stored' etalon show last

# --- /proc and /sys ---

mkdir machine
cp -r "$root/tests/sysroot/laptop/." machine/
chmod -R u+w machine
find machine -type f -print0 | while IFS= read -r -d '' file; do
	printf '%s' "$hostile" >>"$file"
done
ETALON_SYSROOT=$work/machine clean '/proc and /sys: env check obeys nothing' etalon env check
ETALON_SYSROOT=$work/machine clean '/proc and /sys: env check --json obeys nothing' etalon env check --json
sed -i "1s/^/model name\t: $(printf '%s' "$hostile" | tr -d '\n\\/&')\n/" machine/proc/cpuinfo 2>/dev/null
ETALON_SYSROOT=$work/machine clean '/proc and /sys: run obeys nothing' etalon run -r 2 -v -- true
cp "$(command -v sleep)" $'\033]0;T\007'
$'./\033]0;T\007' 30 &
for command in 'run -r 3 -v -- sleep 0.01' 'env check' 'trace --duration 0.1s'; do
	# shellcheck disable=SC2086
	clean "names of processes: $command obeys nothing" etalon $command
done
kill $!

judge
for verb in $(commands); do
	[[ " $walked " == *" $verb "* ]]
	tap_report $? "every command is tried: $verb"
done
ok 'no text was run as a command' test ! -e PWNED

# --- campaigns: columns of an engine's name, not its bytes ---
export ETALON_STORE=sqlite:$work/campaigns.db
etalon run -q -r 1 -w 0 true >/dev/null 2>&1
sqlite3 campaigns.db "INSERT INTO campaign (id, label, kind, engine, created_ns, record) VALUES
	('20261118-000000-000001', 'ein Name mit Umlauten: äöü', 'doe', 'ssh:äöüäöüäöü', 1, '{}'),
	('20261118-000000-000002', 'short', 'doe', 'ssh:' || char(27) || '[2J', 2, '{}')"
run env COLUMNS=120 "$ETALON" list --campaigns
like 'list --campaigns: the name of an engine is whole if there is room' "$out" '  ssh:äöüäöüäöü  ein Name'
like 'list --campaigns: a terminal obeys nothing in it' "$out" '  ssh:␛\[2J '
for columns in 100 80 60 40; do
	COLUMNS=$columns etalon list --campaigns >campaigns.txt
	ok "list --campaigns: no line is wider than $columns columns" test "$(wc -L <campaigns.txt)" -le $columns
done
done_testing
