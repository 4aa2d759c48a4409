#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What every command has in common: help, version, errors with a cure.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

refuses 'no command at all' 2 'no command' etalon
like 'says what to type' "$err" 'hint: .*etalon run'
refuses 'an unknown command' 2 "unknown command 'rnu'" etalon rnu
refuses 'an option in place of a command' 2 'unknown option --nosuch' etalon --nosuch
unlike 'is nothing to measure' "$err" "etalon run '--nosuch'"
refuses 'an empty command' 2 "unknown command ''" etalon ''

exits '--version' 0 etalon --version
like 'names tool and version' "$out" '^etalon [0-9]+\.[0-9]+\.[0-9]+'
exits '--help' 0 etalon --help
like 'shows an example' "$out" 'etalon run '
is 'and nothing on stderr' "$err" ''
ok 'fits 80 columns' test -z "$(COLUMNS=80 etalon --help | grep -E '.{81,}')"
ok 'and 60' test -z "$(COLUMNS=60 etalon --help | grep -v '^example' | grep -E '.{61,}')"
short=$out
exits '-h' 0 etalon -h
is 'is the same' "$out" "$short"

ok 'there are commands' test -n "$(commands)"
for command in $(commands); do
	exits "$command --help" 0 etalon "$command" --help
	like "$command --help shows usage" "$out" "usage: +etalon $command"
	like "$command --help shows an example" "$out" $'\nexamples:\n  .*etalon '"$command"
	like "$command --help shows options" "$out" '--help +show this help'
	is "$command --help leaves stderr empty" "$err" ''
	ok "$command --help fits 80 columns" test -z "$(COLUMNS=80 etalon "$command" --help | grep -E '.{81,}')"
	exits "$command --version" 0 etalon "$command" --version
	refuses "$command with an unknown option" 2 'unknown option --nosuch-option' \
		etalon "$command" --nosuch-option
	like "$command: the hint names its help" "$err" "hint: .*etalon $command --help"
	refuses "$command with a wrong --color" 2 "--color: unknown value 'pink'" etalon "$command" --color pink
	refuses "$command with a wrong --progress" 2 "--progress: unknown value '1'" etalon "$command" --progress 1
done

# A file that is not there, or not what it should be: its name, the reason, and what to do.
# cures NAME STATUS REASON HINT COMMAND…
cures()
{
	refuses "$1" "$2" "$3" "${@:5}"
	like "$1: the cure" "$err" "hint: .*$4"
}
echo '{}' >there
for option in --report --json --export-csv --export-markdown; do
	cures "run $option into no folder" 4 'no/x: No such file' "no folder 'no'" \
		etalon run -q "$option" no/x true
done
cures 'run --output into no folder' 2 'no/x: No such file' "no folder 'no'" \
	etalon run -q --output no/x true
cures 'run --input' 2 'nofile: No such file' "ls './'" etalon run -q --input nofile true
cures 'run of no program' 2 'nofile: No such file' 'PATH.*\./nofile' etalon run -q nofile
cures 'run of no file' 2 './nofile: No such file' "ls './'" etalon run -q ./nofile
cures 'run of no file in the root' 2 '/nofile: No such file' "ls '/'" etalon run -q /nofile
cures 'trace --from' 2 'nofile: No such file' "ls './'" etalon trace --from nofile
cures 'trace --from a folder' 2 'home: Is a directory' 'name a file in it' etalon trace --from home
cures 'trace --svg' 4 'there/x: Not a directory' "'there' is not a folder" etalon trace --svg there/x
cures 'lab --svg' 4 'no/x: No such file' "no folder 'no'" etalon lab cache --svg no/x
cures 'daemons analyse' 2 'nofile: No such file' "ls './'" etalon daemons analyse nofile
cures 'import' 2 'home/x: No such file' "ls 'home/'" etalon import home/x
cures 'describe' 2 "'nofile' is neither" 'etalon list' etalon describe nofile
cures 'describe a folder' 2 'home: Is a directory' 'name a file in it' etalon describe home
cures 'describe below a file' 2 'there/x: Not a directory' "'there' is not a folder" \
	etalon describe there/x
cures 'run --store in no folder' 4 'no/er/x.db: No such file' "no folder 'no/er'" \
	etalon run -q --store no/er/x.db true
ok 'none was made' test ! -e no
ETALON_STORE='' exits "the user's own store is made with its folders" 0 etalon run -q -r 2 true
ok 'it is there' test -s home/.local/share/etalon/etalon.db
cures 'a full disk' 4 'standard output: No space' 'df -h' bash -c 'seq 9 | etalon describe >/dev/full'

# Narrow terminals: what is too wide for them goes on below.
seq 101 130 >a
seq 105 150 >b
exits 'something is kept' 0 etalon run -q -r 3 --label narrow true 'sh -c :'
for command in 'list' 'show' 'describe a' 'compare a b <(seq 9)' 'samplesize a' 'clock --duration 0.5s' \
	"daemons analyse $root/tests/golden/emp-daemons.json" 'lab false-alarms --repetitions 3' \
	'lab coverage --repetitions 3 --bootstrap 99' 'lab emp-versions --from last' \
	'lab clock-methods --from last' 'lab real-programs --from last' \
	"trace --from $root/tests/golden/csapp-activity-trace.json"; do
	COLUMNS=50 exits "$command, 50 columns" 0 bash -c "etalon $command"
	ok 'none is wider' test -z "$(grep -E '.{51,}' .out)"
done

# Whoever read went away (`| head -1`): nothing is said, and nothing that is kept is lost.
unread=(python3 -c 'import os, signal, sys
r, w = os.pipe()
os.close(r)
os.dup2(w, 1)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])')
quietly()
{
	exits "$1 for nobody" 141 "${unread[@]}" "${@:2}"
	unlike "$1: no complaint" "$err" 'etalon:|[Pp]ipe'
}
quietly 'run' etalon run -r 2 --label unread --json unread.json true
ok 'what was asked for is written' test "$(grep -c '"warmup": false' unread.json)" -eq 2
ok 'and kept' grep -q unread <(etalon list)
quietly 'run --json -' etalon run -q -r 2 --json - --report unread.html true
ok 'so is the second file' grep -q '</html>' unread.html
quietly 'list' etalon list
quietly 'show' etalon show
quietly 'export' etalon export
quietly 'trace' etalon trace --duration 20ms --svg unread.svg
ok 'the picture is there' grep -q '</svg>' unread.svg
seq 9 >a
quietly 'compare' etalon compare --json unread.json a <(seq 2 10)
ok 'the comparison is there' grep -q pairs_different unread.json
quietly 'help' etalon run --help
exits 'a full disk' 4 bash -c 'etalon completion bash >/dev/full'
exits 'a regression is told all the same' 1 "${unread[@]}" etalon compare --fail-on-regression a <(seq 101 109)

done_testing
