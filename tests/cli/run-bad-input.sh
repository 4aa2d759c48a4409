#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon run` with bad input: one line names the error before anything runs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

refuses 'run: a nice value above the range is refused' 2 'not between -20 and 19' etalon run --nice 25 true
refuses 'run: a nice value below the range is refused' 2 'not between -20 and 19' etalon run --nice -21 true
refuses "run: no command is rejected" 2 'no command to measure' etalon run
refuses "run: an unknown option is rejected" 2 'unknown option --rnus' etalon run --rnus 3 true
refuses "run: unbalanced quotes are rejected" 2 'unbalanced quotes' etalon run "sleep 'x"
refuses "run: an empty command is rejected" 2 'empty' etalon run ''
refuses "run: -r 0 is rejected" 2 '--runs: 0' etalon run -r 0 true
refuses "run: -r 1e99 is rejected" 2 "--runs: '1e99'" etalon run -r 1e99 true
refuses "run: -r -5 is rejected" 2 '--runs' etalon run -r -5 true
refuses "run: --until 0 is rejected" 2 '--until: 0' etalon run --until 0 true
refuses "run: --until with a word is rejected" 2 '--until' etalon run --until much true
refuses "run: --time-limit 0 is rejected" 2 '--time-limit' etalon run --time-limit 0 true
refuses "run: --min-runs above --max-runs is rejected" 2 'min-runs' etalon run --until 1% -m 20 -M 10 true
refuses "run: --cpu with a CPU that does not exist is rejected" 2 '--cpu: there is no CPU 1000' etalon run --cpu 0,1000 true
refuses "run: --cpu with a word is rejected" 2 '--cpu' etalon run --cpu x true
refuses "run: an unknown parameter is rejected" 2 'unknown parameter \{m\}' etalon run -L n 1,2 'echo {m}'
refuses "run: a scan from 5 to 1 is rejected" 2 '--parameter-scan n: 5 to 1 is not a range' etalon run -P n 5 1 'echo {n}'
like "run: the hint of a scan from 5 to 1 turns it round" "$err" 'hint: give the smaller number first: --parameter-scan n 1 5'
refuses "run: a step of 0 is rejected" 2 '--parameter-step-size 0: the step must be above 0' etalon run -P n 1 5 -D 0 'echo {n}'
refuses "run: an option without its value is rejected" 2 'needs a value' etalon run -r
refuses "run: a command before and after -- is rejected" 2 'not both' etalon run true -- true
refuses "run: an unknown --order is rejected" 2 "--order: unknown value 'abab'" etalon run --order abab true true
refuses "run: an unknown --metric is rejected" 2 "--metric: unknown" etalon run --metric wall true
refuses "run: --order duet with --metric et is rejected" 2 'duet cannot judge' etalon run --order duet --metric et true true
refuses "run: an unknown --reference is rejected" 2 "--reference" etalon run --reference 3 true true
refuses "run: more names than commands are rejected" 2 'is given 2 times for 1 command$' etalon run -n a -n b true
refuses "run: two --prepare for three commands are rejected" 2 '--prepare is given 2 times' etalon run -p a -p b true true true
refuses "run: an unknown --user is rejected" 2 'no user' etalon run --user no-such-user true
refuses "run: an unknown --sched is rejected" 2 '--sched' etalon run --sched batch true
refuses "run: two outputs to stdout are rejected" 2 'only one output can go to stdout' etalon run --json - --export-csv - true
refuses "run: a program that does not exist is rejected" 2 '\./nosuch: No such file or directory' etalon run ./nosuch
refuses "run: a program that is not on the PATH is rejected" 2 'nosuch-program: No such file' etalon run 'nosuch-program -x'
refuses "run: a redirection without a shell is rejected" 2 "'>x': > needs a shell" etalon run '>x'
like "run: the hint says how to pass shell syntax on" "$err" 'hint: use --shell sh, or quote it to pass it literally'
for command in 'seq 9 | sort' 'true && true' 'cd /tmp; ls' 'cat <x' 'echo $HOME' 'ls *.db' 'ls a?' 'ls ~' 'echo `date`' \
	'(true)' 'A=1 ls'; do
	refuses "run: '$command' without a shell is rejected" 2 "'[^']*': [^ ]{1,3} needs a shell" etalon run "$command"
done
like "run: the hint for shell syntax names --shell and quotes" "$err" 'hint: use --shell sh, or quote it'
refuses "run: a shell that does not exist is rejected" 2 'nosh: No such file' etalon run --shell 'nosh -e' true
unlike "run: the hint for a missing shell names no file that is not there" "$err" '\./nosh'
refuses "run: an unbalanced --shell is rejected" 2 'unbalanced quotes' etalon run --shell "'sh" true
touch plain
refuses "run: a file without execute permission is rejected" 2 'plain: Permission denied' etalon run ./plain
refuses "run: a directory as the program is rejected" 2 'Is a directory' etalon run ./home
printf 'no magic\n' >script && chmod +x script
refuses "run: a script without #! is rejected" 2 'Exec format error' etalon run ./script
refuses "run: an --input that does not exist is rejected" 2 'nothere' etalon run --input nothere cat
refuses "run: an output that cannot be written is rejected" 4 'nodir/x.json' \
	etalon run --json nodir/x.json 'touch ran'
ok "run: an output that cannot be written is rejected before the first run" test ! -e ran
refuses "run: --resume without an experiment is rejected" 2 '.' etalon run --resume
refuses "run: --resume with an unknown id is rejected" 2 'nothing' etalon run --resume=nothing

refuses "run: --until 5 instead of 5% is rejected" 2 '5 means 500 %' etalon run --until 5 true
refuses "run: an option of the program before -- is rejected" 2 'unknown option -l' etalon run ls -la
like "run: the hint puts the option of the program after --" "$err" 'etalon run -- ls -l'
refuses "run: an argument beside its command is rejected" 2 '0\.1: No such file' etalon run sleep 0.1
like "run: the hint for an argument beside its command quotes both" "$err" "hint: quote a command with its arguments: 'sleep 0.1'"
refuses "run: a folder beside its command is rejected" 2 'Is a directory' etalon run ls /
like "run: the hint for a folder beside its command quotes both" "$err" "arguments: 'ls /'"
refuses "run: a second command with a wrong name is rejected" 2 'slep: No such' etalon run 'sleep 1' 'slep 2'
unlike "run: the hint for a second command with arguments does not advise quotes" "$err" 'quote'
refuses "run: a percentage without '=' is rejected" 2 "'5' is not read as the value" etalon run --fail-on-regression 5 true true
like "run: the hint for a percentage without '=' has one" "$err" 'hint: write --fail-on-regression=5$'
refuses "run: -L without values is rejected" 2 'no command to measure' etalon run -L n 'ls {n}'
like "run: the hint for -L without values shows where they go" "$err" "-L n 1,2 'ls \\{n\\}'"
refuses "run: a status that -i does not list is rejected" 1 'exit status 1' etalon run -i=2 false
like "run: the hint adds the status to those of -i" "$err" '--ignore-failure=2,1 '
refuses "run: a step without a scan is rejected" 2 'needs --parameter-scan' etalon run -D 2 true
refuses "run: an empty name is rejected" 2 'a name is empty' etalon run -n '' true
refuses "run: the reserved label last is rejected" 2 "'last'" etalon run --label last true
refuses "run: --json - with --output inherit is rejected" 2 'cannot both go' etalon run --json - --output inherit true
refuses "run: --resume with an option of the plan is rejected" 2 '--resume and --runs exclude each other' etalon run --resume -r 5
mkfifo pipe
refuses "run: a pipe as --input is rejected" 2 'only the first run' etalon run --input pipe cat
printf '#!/no/such/interpreter\n' >bad && chmod +x bad
refuses "run: a script with a missing interpreter is rejected" 2 './bad: No such file' etalon run ./bad
like "run: the hint names the missing interpreter" "$err" 'interpreter'
refuses "run: a shell builtin without a shell is rejected" 2 'cd: No such file' etalon run 'cd /tmp'
like "run: the hint for a shell builtin names --shell" "$err" '--shell sh'
exits "run: a quoted pipe character succeeds without a shell" 0 etalon run -q -r 1 "echo a '|' cat"
is "run: a quoted pipe character gives no warning" "$err" ''

refuses "run: a program that fails gives exit status 1" 1 'failed with exit status 3' etalon run 'sh -c "exit 3"'
refuses "run: the error of a failing program names the run" 1 'exit status 3 in warm-up run 1$' etalon run 'sh -c "exit 3"'
run etalon run -r 1 --shell sh 'seq 9 >&2; exit 3'
like "run: the last three lines of standard error of a failing program are shown" "$err" \
	$'in warm-up run 1\n  \\| 7\n  \\| 8\n  \\| 9\nhint: '
echo 'echo x >>count; echo "line of run $(wc -l <count)" >&2; [ $(wc -l <count) -lt 4 ]' >fourth
for second in '' true; do
	rm -f count
	run etalon run -q -w 1 -r 5 --order round-robin 'sh ./fourth' ${second:+"$second"}
	like "run: a program that fails in its third counted run shows that run's lines only${second:+, with a second command}" \
		"$err" $'in run 3\n  \\| line of run 4\nhint: '
done
run etalon run -r 1 --shell sh 'head -c 30000000 /dev/zero >&2; printf "\033[31mend\n" >&2; exit 3'
like "run: a failing program that writes 30 MB to standard error shows the end of it" "$err" 'end'
unlike "run: control characters of a failing program are not printed" "$raw_err" $'\033'
refuses "run: a program that is killed gives exit status 1" 1 'signal 11' etalon run 'sh -c "kill -11 $$"'
refuses "run: a --prepare that fails gives exit status 1" 1 "--prepare 'false' failed" etalon run -p false true
refuses "run: a --setup that fails gives exit status 1" 1 "--setup" etalon run -s false true

mkdir dir.db
refuses "run: a store that is a directory gives exit status 4" 4 'dir.db' etalon run --store sqlite:dir.db true
head -c 20000 /dev/urandom >noise.db
refuses "run: a store that is no database gives exit status 4" 4 'noise.db' etalon run --store sqlite:noise.db true
if [ -w /dev/full ]; then
	run etalon run -r 2 --json /dev/full true
	is "run: a full disk under an export gives exit status 4" "$status" 4
	like "run: the error says that the disk is full" "$err" 'No space left'
else
	skip "run: a full disk under an export gives exit status 4" "there is no /dev/full"
fi
if unshare -p true 2>/dev/null; then
	# The leak check would start a process, which is not possible here.
	export ASAN_OPTIONS=detect_leaks=0
	refuses "run: a PID namespace without --fork is rejected" 3 'in another PID namespace' \
		unshare -p etalon run true
	like "run: the hint for a PID namespace names --fork" "$err" 'hint: .*--fork'
	refuses "trace: a PID namespace without --fork is rejected" 3 'in another PID namespace' unshare -p etalon trace -- true
	exits "run: it succeeds in a PID namespace with --fork" 0 unshare -p -f etalon run -q -r 2 true
else
	skip "run: a PID namespace without --fork is rejected" 'no process namespaces here'
fi
done_testing
