#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong is said in one clear line before anything runs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

refuses 'run: a nice value above the range is refused' 2 'not between -20 and 19' etalon run --nice 25 true
refuses 'run: a nice value below the range is refused' 2 'not between -20 and 19' etalon run --nice -21 true
refuses "no command" 2 'no command to measure' etalon run
refuses "unknown option" 2 'unknown option --rnus' etalon run --rnus 3 true
refuses "unbalanced quotes" 2 'unbalanced quotes' etalon run "sleep 'x"
refuses "an empty command" 2 'empty' etalon run ''
refuses "-r 0" 2 '--runs: 0' etalon run -r 0 true
refuses "-r 1e99" 2 "--runs: '1e99'" etalon run -r 1e99 true
refuses "-r -5" 2 '--runs' etalon run -r -5 true
refuses "--until 0" 2 '--until: 0' etalon run --until 0 true
refuses "--until text" 2 '--until' etalon run --until much true
refuses "--time-limit 0" 2 '--time-limit' etalon run --time-limit 0 true
refuses "--min-runs above --max-runs" 2 'min-runs' etalon run --until 1% -m 20 -M 10 true
refuses "a CPU that is not there" 2 '--cpu: there is no CPU 1000' etalon run --cpu 0,1000 true
refuses "no CPU list" 2 '--cpu' etalon run --cpu x true
refuses "unknown parameter" 2 'unknown parameter \{m\}' etalon run -L n 1,2 'echo {m}'
refuses "a bad scan" 2 '--parameter-scan' etalon run -P n 5 1 'echo {n}'
refuses "a value is missing" 2 'needs a value' etalon run -r
refuses "strings and words" 2 'not both' etalon run true -- true
refuses "unknown order" 2 "--order: unknown value 'abab'" etalon run --order abab true true
refuses "unknown metric" 2 "--metric: unknown" etalon run --metric wall true
refuses "duet for elapsed time" 2 'duet cannot judge' etalon run --order duet --metric et true true
refuses "unknown reference" 2 "--reference" etalon run --reference 3 true true
refuses "too many names" 2 'is given 2 times for 1 commands' etalon run -n a -n b true
refuses "prepare does not match" 2 '--prepare is given 2 times' etalon run -p a -p b true true true
refuses "unknown user" 2 'no user' etalon run --user no-such-user true
refuses "a bad policy" 2 '--sched' etalon run --sched batch true
refuses "two outputs to stdout" 2 'only one output can go to stdout' etalon run --json - --export-csv - true
refuses "a missing program" 2 '\./nosuch: No such file or directory' etalon run ./nosuch
refuses "a program not on the PATH" 2 'nosuch-program: No such file' etalon run 'nosuch-program -x'
refuses "a shell's syntax without a shell" 2 'No such file' etalon run '>x'
touch plain
refuses "a file without permission" 2 'plain: Permission denied' etalon run ./plain
refuses "a folder" 2 'Is a directory' etalon run ./home
printf 'no magic\n' >script && chmod +x script
refuses "a script without #!" 2 'Exec format error' etalon run ./script
refuses "an unreadable input" 2 'nothere' etalon run --input nothere cat
refuses "an unwritable output, before the first run" 4 'nodir/x.json' \
	etalon run --json nodir/x.json 'touch ran'
ok "nothing ran" test ! -e ran
refuses "nothing to resume" 2 '.' etalon run --resume
refuses "an unknown id" 2 'nothing' etalon run --resume=nothing

refuses "--until 5, not 5%" 2 '5 means 500 %' etalon run --until 5 true
refuses "a program's own option" 2 'unknown option -l' etalon run ls -la
like "says where it goes" "$err" 'etalon run -- ls -l'
refuses "a step without a scan" 2 'needs --parameter-scan' etalon run -D 2 true
refuses "an empty name" 2 'a name is empty' etalon run -n '' true
refuses "a label that means something" 2 "'last'" etalon run --label last true
refuses "record and output on stdout" 2 'cannot both go' etalon run --json - --output inherit true
refuses "a plan beside --resume" 2 'takes no other' etalon run --resume -r 5
mkfifo pipe
refuses "a pipe as input" 2 'only the first run' etalon run --input pipe cat
printf '#!/no/such/interpreter\n' >bad && chmod +x bad
refuses "a missing interpreter" 2 './bad: No such file' etalon run ./bad
like "is named" "$err" 'interpreter'
refuses "what only a shell knows" 2 'cd: No such file' etalon run 'cd /tmp'
like "needs one" "$err" '--shell sh'
exits "shell syntax without a shell" 0 etalon run -q -r 1 'echo a | cat'
like "is warned of" "$err" "gets '\|' as an argument"

refuses "a failing program" 1 'failed with exit status 3' etalon run 'sh -c "exit 3"'
refuses "a program that dies" 1 'signal 11' etalon run 'sh -c "kill -11 $$"'
refuses "a failing --prepare" 1 "--prepare 'false' failed" etalon run -p false true
refuses "a failing --setup" 1 "--setup" etalon run -s false true

mkdir dir.db
refuses "a store that is a folder" 4 'dir.db' etalon run --store sqlite:dir.db true
head -c 20000 /dev/urandom >noise.db
refuses "a store that is none" 4 'noise.db' etalon run --store sqlite:noise.db true
if [ -w /dev/full ]; then
	run etalon run -r 2 --json /dev/full true
	is "a full disk under an export" "$status" 4
	like "is said" "$err" 'No space left'
fi
if unshare -p true 2>/dev/null; then
	# The search for leaks would start a task of its own, which cannot be.
	export ASAN_OPTIONS=detect_leaks=0
	refuses "outside the program's namespace" 3 'in another PID namespace' \
		unshare -p etalon run true
	like "the cure" "$err" 'hint: .*--fork'
	refuses "a trace, too" 3 'in another PID namespace' unshare -p etalon trace -- true
	exits "and inside it" 0 unshare -p -f etalon run -q -r 2 true
else
	skip "outside the program's namespace" 'no process namespaces here'
fi
done_testing
