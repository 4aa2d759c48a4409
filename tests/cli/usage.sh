#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Common to every command: help, version, errors with a hint, narrow terminals, closed pipes.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

refuses 'usage: no command is rejected' 2 'no command' etalon
like 'usage: the hint for no command is an example' "$err" 'hint: .*etalon run'
refuses 'usage: an unknown command is rejected' 2 "unknown command 'rnu'" etalon rnu
like 'usage: the hint for two swapped letters names the command' "$err" "hint: did you mean 'run'\?"
for typo in runn:run compar:compare hyperfin:hyperfine; do
	refuses "usage: ${typo%:*} is rejected" 2 "unknown command '${typo%:*}'" etalon "${typo%:*}" ls
	like "usage: the hint for ${typo%:*} names ${typo#*:}" "$err" "hint: did you mean '${typo#*:}'\?"
done
refuses 'usage: the name of a program is rejected' 2 "unknown command 'gzip'" etalon gzip
unlike 'usage: the hint for the name of a program guesses no command' "$err" 'did you mean'
refuses 'usage: an unknown option before the command is rejected' 2 'unknown option --nosuch' etalon --nosuch
unlike 'usage: the hint for an unknown option does not advise to measure it' "$err" "etalon run '--nosuch'"
refuses 'usage: an empty command is rejected' 2 "unknown command ''" etalon ''

exits 'usage: -V succeeds' 0 etalon -V
like 'usage: -V prints what --version prints' "$out" '^etalon [0-9]+\.[0-9]+\.[0-9]+'
exits 'usage: run -V succeeds' 0 etalon run -V
exits 'usage: --version succeeds' 0 etalon --version
like 'usage: --version prints tool and version' "$out" '^etalon [0-9]+\.[0-9]+\.[0-9]+'
like 'usage: --version prints how functions are named' "$out" 'names of functions: [^,]+, (demangled|mangled)'
exits 'usage: --help succeeds' 0 etalon --help
like 'usage: --help shows an example' "$out" 'etalon run '
is 'usage: --help leaves stderr empty' "$err" ''
ok 'usage: --help fits 80 columns' test -z "$(COLUMNS=80 etalon --help | grep -E '.{81,}')"
ok 'usage: --help fits 60 columns' test -z "$(COLUMNS=60 etalon --help | grep -v '^example' | grep -E '.{61,}')"
short=$out
exits 'usage: -h succeeds' 0 etalon -h
is 'usage: -h prints the same as --help' "$out" "$short"

ok 'usage: --help lists commands' test -n "$(commands)"
for command in $(commands); do
	exits "usage: $command --help succeeds" 0 etalon "$command" --help
	like "usage: $command --help shows usage" "$out" "usage: +etalon $command"
	like "usage: $command --help shows an example" "$out" $'\nexamples:\n  .*etalon '"$command"
	like "usage: $command --help shows options" "$out" '--help +show this help'
	is "usage: $command --help leaves stderr empty" "$err" ''
	ok "usage: $command --help fits 80 columns" test -z "$(COLUMNS=80 etalon "$command" --help all | grep -E '.{81,}')"
	exits "usage: $command --version succeeds" 0 etalon "$command" --version
	refuses "usage: $command rejects an unknown option" 2 'unknown option --nosuch-option' \
		etalon "$command" --nosuch-option
	like "usage: the hint of $command names its help" "$err" "hint: .*etalon $command --help"
	refuses "usage: $command rejects an unknown value of --color" 2 "--color: unknown value 'pink'" etalon "$command" --color pink
	refuses "usage: $command rejects an unknown value of --progress" 2 "--progress: unknown value '1'" etalon "$command" --progress 1
done

# hints WHAT STATUS REASON HINT COMMAND…: WHAT is rejected with the reason, and the hint says what to do
hints()
{
	refuses "usage: $1 is rejected" "$2" "$3" "${@:5}"
	like "usage: the hint for $1 names the remedy" "$err" "hint: .*$4"
}
# plain WHAT STATUS REASON COMMAND…: the reason is all there is to say
plain()
{
	refuses "usage: $1 is rejected" "$2" "$3" "${@:4}"
	unlike "usage: $1 has no hint, which would be of no help" "$err" 'hint:'
}
echo '{}' >there
for option in --report --json --export-csv --export-markdown --output; do
	hints "run $option below a missing folder" 4 'no/x: No such file' "no folder 'no'" \
		etalon run -q "$option" no/x true
done
plain 'run --input with a missing file' 2 'nofile: No such file' etalon run -q --input nofile true
hints 'run with a missing program' 2 'nofile: No such file' 'no folder of PATH$' etalon run -q nofile
printf '#!/bin/sh\n' >onlyhere
chmod +x onlyhere
hints 'run with a program of this folder' 2 'onlyhere: No such file' '\./onlyhere' etalon run -q onlyhere
plain 'run with a missing file' 2 './nofile: No such file' etalon run -q ./nofile
plain 'run with a missing file in the root' 2 '/nofile: No such file' etalon run -q /nofile
plain 'trace --from with a missing file' 2 'nofile: No such file' etalon trace --from nofile
hints 'trace --from with a folder' 2 'home: Is a directory' 'name a file in it' etalon trace --from home
hints 'trace --svg below a file' 4 'there/x: Not a directory' "'there' is not a folder" etalon trace --svg there/x
hints 'lab --svg below a missing folder' 4 'no/x: No such file' "no folder 'no'" etalon lab cache --svg no/x
hints 'daemons analyse with a missing file' 2 'neither a file nor a stored experiment' 'etalon list' etalon daemons analyse nofile
plain 'import with a missing file' 2 'home/x: No such file' etalon import home/x
hints 'describe with a missing file' 2 "'nofile' is neither" 'etalon list' etalon describe nofile
hints 'describe with a folder' 2 'home: Is a directory' 'name a file in it' etalon describe home
hints 'describe below a file' 2 'there/x: Not a directory' "'there' is not a folder" \
	etalon describe there/x
hints 'run --store below a missing folder' 4 'no/er/x.db: No such file' "no folder 'no/er'" \
	etalon run -q --store no/er/x.db true
ok 'usage: a --store below a missing folder is not created' test ! -e no
ETALON_STORE='' exits "usage: the default store is created with its folders" 0 etalon run -q -r 2 true
ok 'usage: the default store exists' test -s home/.local/share/etalon/etalon.db
hints 'describe on a full disk' 4 'standard output: No space' 'df -h' bash -c 'seq 9 | etalon describe >/dev/full'

# Actions and relations of options are columns of the tables, so every command words them alike.
hints 'an option of another action of env' 2 'env restore takes no --json' "it is an option of 'env check'$" \
	etalon env restore --json
hints 'an option of two other actions of env' 2 'env restore takes no --only' \
	"it is an option of 'env check' and 'env apply'$" etalon env restore --only aslr
hints 'an option of daemons learn after daemons show' 2 'daemons show takes no --preset' \
	"it is an option of 'daemons learn'$" etalon daemons show --preset quick
hints 'daemons learn --keep' 2 'daemons learn takes no --keep' "it is an option of 'daemons analyse'$" \
	etalon daemons learn --keep
hints 'an option of engines after doe status' 2 'doe status takes no --nodes' "it is an option of 'doe run'$" \
	etalon doe status --nodes 2 plan.yaml
for typo in env:chek:check daemons:lern:learn doe:rnu:run; do
	IFS=: read -r command typed meant <<<"$typo"
	hints "the misspelled action $typed of $command" 2 "$command: unknown action '$typed'" \
		"did you mean '$command $meant'\?" etalon "$command" "$typed"
done
hints 'an action of env that resembles none' 2 "env: unknown action 'xyzzy'" \
	"use 'env check', 'env apply' or 'env restore'$" etalon env xyzzy
hints 'daemons without an action' 2 'daemons: no action given' "use 'daemons learn', .* or 'daemons forget'$" etalon daemons
hints 'a second operand of env' 2 "env apply: unexpected 'all'" 'etalon env --help' etalon env apply all
hints 'an option without the one that it needs' 2 '--machine needs --from' 'add --from, or omit --machine$' \
	etalon sync --machine here
hints 'an option without one of two that it needs' 2 '--trust-record needs --resume or --baseline' \
	'add --resume or --baseline, or omit --trust-record$' etalon emp --trust-record true
hints 'an option of the plan beside --resume' 2 '--resume and --cpu exclude each other' 'omit one of them$' \
	etalon profile --resume --cpu 0
hints 'an option about running beside profiles that were made elsewhere' 2 '--from and --cpu exclude each other' \
	'omit one of them$' etalon profile --from there --cpu 0
hints 'a result of one machine from many' 2 '--engine and --json exclude each other' 'omit one of them$' \
	etalon run --engine ssh:localhost --json x.json true
hints 'an option that excludes a program' 2 '--threshold takes no PROGRAM' 'omit one of them$' \
	etalon trace --threshold 1us -- true
hints 'an option beside one that it excludes' 2 '--all and --prune exclude each other' 'omit one of them$' \
	etalon sync --prune --all
hints 'an option that excludes ids' 2 '--status takes no ID' 'omit one of them$' etalon sync --status last
exits 'usage: the action may follow its options' 0 etalon env --json check
like 'usage: --help names the actions that take an option' "$(etalon env --help)" '--only LIST +check, apply: these factors'
like 'usage: --help names the option that another one needs' "$(etalon sync --help)" '--machine NAME +with --from: only'

# On a narrow terminal a line that is too long continues on the next one.
seq 101 130 >a
seq 105 150 >b
exits 'usage: an experiment is stored' 0 etalon run -q -r 3 --label narrow true 'sh -c :'
for command in 'list' 'show' 'describe a' 'compare a b <(seq 9)' 'samplesize a' 'clock --duration 0.5s' \
	"daemons analyse $root/tests/golden/emp-daemons.json" 'lab false-alarms --repetitions 3' \
	'lab coverage --repetitions 3 --bootstrap 99' 'lab emp-versions --from last' \
	'lab clock-methods --from last' 'lab real-programs --from last' \
	"trace --from $root/tests/golden/csapp-activity-trace.json"; do
	COLUMNS=50 exits "usage: $command succeeds with 50 columns" 0 bash -c "etalon $command"
	ok "usage: $command writes no line wider than 50 columns" test -z "$(grep -E '.{51,}' .out)"
done

# If the reader of stdout has gone (`| head -1`), no error is printed and nothing stored is lost.
unread=(python3 -c 'import os, signal, sys
r, w = os.pipe()
os.close(r)
os.dup2(w, 1)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])')
quietly()
{
	exits "usage: $1 ends by SIGPIPE if nobody reads" 141 "${unread[@]}" "${@:2}"
	unlike "usage: $1 prints no error if nobody reads" "$err" 'etalon:|[Pp]ipe'
}
quietly 'run' etalon run -r 2 --label unread --json unread.json true
ok 'usage: run writes its JSON file if nobody reads stdout' test "$(grep -c '"warmup": false' unread.json)" -eq 2
ok 'usage: run stores the experiment if nobody reads stdout' grep -q unread <(etalon list)
quietly 'run --json -' etalon run -q -r 2 --json - --report unread.html true
ok 'usage: run writes its report if nobody reads stdout' grep -q '</html>' unread.html
quietly 'list' etalon list
quietly 'show' etalon show
quietly 'export' etalon export
quietly 'trace' etalon trace --duration 20ms --svg unread.svg
ok 'usage: trace writes its picture if nobody reads stdout' grep -q '</svg>' unread.svg
seq 9 >a
quietly 'compare' etalon compare --json unread.json a <(seq 2 10)
ok 'usage: compare writes its JSON file if nobody reads stdout' grep -q pairs_different unread.json
quietly 'help' etalon run --help
exits 'usage: a full disk gives exit status 4' 4 bash -c 'etalon completion bash >/dev/full'
exits 'usage: --fail-on-regression exits 5 if nobody reads stdout' 5 "${unread[@]}" etalon compare --fail-on-regression a <(seq 101 109)

# The value of --metric is the word of the output; the names of JSON are accepted as well.
exits 'usage: an experiment to compare with is measured' 0 etalon run -q -r 10 -w 0 --label earlier true
for value in cpu elapsed memory pt et auto; do
	exits "usage: run --metric $value succeeds" 0 etalon run -q -r 10 -w 0 --metric $value --json metric.json true
	case $value in
	cpu | pt) want=pt ;;
	elapsed | et) want=et ;;
	memory) want=max_rss ;;
	auto) want='(pt|et)' ;;
	esac
	like "usage: run --metric $value records its name in JSON" "$(jq -r .metric metric.json)" "^$want\$"
	for command in 'show --rejudge' 'report -o page.html' 'describe' 'samplesize' 'compare earlier'; do
		# shellcheck disable=SC2086 # two words
		exits "usage: $command --metric $value succeeds" 0 etalon $command --metric $value last
	done
done
for command in $(commands); do
	options "$command" | grep -qx metric || continue
	refuses "usage: $command rejects an unknown metric" 2 "--metric: unknown value 'wall'" etalon "$command" --metric wall
	like "usage: $command lists the metrics in the words of the output" "$err" 'hint: use one of cpu, elapsed, memory, auto$'
	like "usage: $command --help has these words" "$(etalon "$command" --help)" 'cpu.*elapsed.*memory.*auto'
done
like 'usage: completion offers the words of the output' "$(etalon completion fish)" "-l metric .*-a 'cpu elapsed memory auto'"

# Each option is below the heading that it belongs to.
# heading COMMAND OPTION: the heading above the option in the help
heading()
{
	etalon "$1" --help all | awk -v option="--$2" '/^  [a-z]/ { heading = substr($0, 3) }
		{ gsub(/[=[]/, " "); for (i = 1; i <= 2; i++) if ($i == option) { print heading; exit } }'
}
while IFS='|' read -r title options; do
	for option in $options; do
		is "usage: run --help has --$option below '$title'" "$(heading run "$option")" "$title"
		listed+=" $option"
	done
done <<'end'
number of runs|warmup runs equal until min-runs max-runs min-benchmarking-time time-limit
parameters|parameter-scan parameter-step-size parameter-list
several commands|reference reference-name baseline order seed metronome
evaluation|protocol best epsilon metric keep-all
the machine and the record|pace no-probe no-scout no-ledger randomise-layout env only except label resume more trust-record
the answer, and files|time-unit style sort fail-on-regression undecided json export-json export-samples export-csv export-markdown export-asciidoc export-orgmode report
how the program runs|cpu sched nice shell no-shell
hooks, run by a shell|setup prepare conclude cleanup
names, input and output|command-name ignore-failure output show-output input user pass-env no-new-privs
general|store help version quiet verbose color progress
many machines|engine nodes partition constraint account per-machine part-rounds time-limit-part sbatch-option copy etalon-path no-preflight attach cancel
end
is 'usage: every option of run --help is in one of these groups' "$(options run | sort)" \
	"$(tr ' ' '\n' <<<"${listed# }" | sort)"
for command in hyperfine emp profile doe; do
	is "usage: $command --help has --quiet below 'general'" "$(heading $command quiet)" general
done
is 'usage: emp --help has --json among the files' "$(heading emp json)" 'the answer, and files'
is 'usage: doe --help has --engine below its own heading' "$(heading doe engine)" 'many machines'
is 'usage: no heading of run --help is repeated' "$(etalon run --help all | grep '^  [a-z]' | sort | uniq -d)" ''
exits 'usage: run --help succeeds' 0 env COLUMNS=80 etalon run --help
ok 'usage: run --help has what most people need in at most 45 lines' test "$(wc -l <.out)" -le 45
like 'usage: run --help says where the others are' "$out" $'\n[0-9]+ more: etalon run --help all, or man etalon-run$'
is 'usage: run --help counts the others' "$(sed -nE 's/^([0-9]+) more: .*/\1/p' .out)" \
	"$(($(options run | wc -l) - $(grep -cE '^ +(-[a-zA-Z], )?--' .out)))"
exits 'usage: run --help takes a command beside it' 0 etalon run true --help
is 'usage: the help of a command without groups has no headings' "$(etalon rm --help | sed '1,/^options:/d' | grep '^  [a-z]')" ''

done_testing
