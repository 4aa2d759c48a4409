#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that is interrupted at any moment: finished samples are kept, no process is left, and
# --resume continues the run.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# Durations end in our own $$, so that pgrep finds our programs and not those of another test.

begin() # begin ARGUMENTS…: etalon run in the background, as $pid
{
	# A background job of a script ignores SIGINT and SIGQUIT; env undoes that.
	env --default-signal=INT,QUIT etalon run "$@" >"$work/.out" 2>"$work/.err" &
	pid=$!
}

kept() # kept EXPERIMENT FILTER: a value out of its native record
{
	etalon show "$1" --json | jq -c -r "$2"
}

for signal in INT:130 TERM:143; do
	label=${signal%:*}
	begin --label "$label" -r 500 "sleep 0.021$$"
	wait_for_samples "$label" 3
	kill -s "$label" $pid
	wait $pid
	is "SIG$label: the exit status is ${signal#*:}" $? "${signal#*:}"
	like "SIG$label: the hint shows how to continue" "$(cat "$work/.err")" 'etalon run --resume'
	like "SIG$label: the output shows the results so far" "$(cat "$work/.out")" 'CPU time'
	is "SIG$label: no program is left" "$(pgrep -fc "sleep 0\.021$$")" 0
	is "SIG$label: the experiment is kept as interrupted" "$(kept "$label" .state)" interrupted
done

begin --label stubborn -r 5 'sh -c "trap : INT TERM; >trapped; while :; do sleep 0.05; done"'
wait_until '[ -e trapped ]'
kill -s INT $pid
wait $pid
is "SIGINT: a program that ignores it is killed after a while" $? 130

# Every signal that would end a process, unless it reports a fault in etalon itself, ends it in order.
for signal in QUIT USR1 USR2 ALRM VTALRM PROF IO PWR XCPU STKFLT SYS TRAP RTMIN RTMAX; do
	begin --label "$signal" -w 0 -r 500 "sleep 0.024$$"
	wait_for_samples "$signal" 1
	kill -s $signal $pid
	wait $pid
	is "SIG$signal: the exit status is 128 and its number" $? $((128 + $(kill -l $signal)))
	is "SIG$signal: the experiment is kept as interrupted" "$(kept $signal .state)" interrupted
done
is "signals: no program is left" "$(pgrep -fc "sleep 0\.024$$")" 0
begin --label urgent -r 500 "sleep 0.025$$"
wait_for_samples urgent 1
kill -s URG -s WINCH $pid
ok "signals: one without an effect does not end the run" wait_for_samples urgent 5
kill $pid
wait $pid
env --ignore-signal=USR1,ALRM etalon run --label deaf -r 500 "sleep 0.025$$" >/dev/null 2>&1 &
pid=$!
wait_for_samples deaf 1
kill -s USR1 $pid
kill -s ALRM $pid
ok "signals: one that the caller ignores stays ignored" wait_for_samples deaf 5
kill $pid
wait $pid

# A caller that ignores SIGALRM has no effect on the time of grace.
env --ignore-signal=ALRM etalon run -r 5 'sh -c "trap : TERM; >deaf; while :; do sleep 0.05; done"' >/dev/null 2>&1 &
pid=$!
wait_until '[ -e deaf ]'
kill $pid
wait $pid
is "SIGTERM: a program that ignores it is killed if the caller ignores SIGALRM" $? 143

# One run may take no longer than the time limit. The one that was ended is not a sample.
begin --label endless -w 0 -r 3 --time-limit 300ms 'sh -c "[ -e once ] || { >once; exit; }; sleep 600.'$$'"'
wait $pid
is "time limit: a program that does not end is ended, and fails" $? 1
like "time limit: the error names the limit" "$(cat "$work/.err")" 'ran for longer than --time-limit'
is "time limit: the run that was ended is not a sample" "$(samples endless)" 1
begin --label endless-hook -w 0 -r 3 --time-limit 300ms --prepare "sleep 600.$$" true
wait $pid
is "time limit: a --prepare command that does not end is ended" $? 1
begin --label long-setup -w 0 -r 2 --time-limit 100ms --setup "sleep 0.3$$" true
wait $pid
is "time limit: a long --setup command is not ended" $? 0
for how in '--order duet' '--pace'; do
	# shellcheck disable=SC2086 # several words
	begin $how -w 0 -r 2 --time-limit 200ms "sleep 600.$$" "sleep 600.1$$"
	wait $pid
	is "time limit: programs that do not end are ended with $how" $? 1
done
is "time limit: no program is left" "$(pgrep -fc "^sleep 600\.1?$$")" 0

# Hooks end, too, with the processes that they have made.
for hook in setup prepare conclude; do
	rm -f hooked
	begin -w 0 -r 3 --shell sh --$hook "trap : TERM; setsid sleep 601.$$ & >hooked; while :; do sleep 0.05; done" true
	wait_until '[ -e hooked ]'
	kill $pid
	kill $pid
	wait $pid
	is "SIGTERM twice: a --$hook command that ignores it is killed" $? 143
	is "SIGTERM twice: the processes of a --$hook command are killed" "$(pgrep -fc "^sleep 601\.$$")" 0
done

begin --label orphan -w 0 -r 2 "sleep 600.$$"
wait_until 'pgrep -f "^sleep 600\.$$" >/dev/null'
kill -9 $pid
wait $pid 2>/dev/null
ok "kill -9: the program ends with etalon" wait_until '! pgrep -f "^sleep 600\.$$"' 10

# The samples before the endless run are still in memory when no file can grow any longer.
mkfifo messages
cat messages >unstored.err &
env --default-signal=INT etalon run --label unstored -w 0 -r 9 -- \
	sh -c 'echo >>ran; [ "$(wc -l <ran)" -lt 4 ] || { >endless; exec sleep 600; }' >/dev/null 2>messages &
pid=$!
wait_until '[ -e endless ]'
if prlimit --pid $pid --fsize=1 2>/dev/null; then
	kill -s INT $pid
	wait $pid
	status=$?
	# On a busy machine the three runs take so long that each is stored before the next. The removal of
	# samples, which comes after them, cannot be written then either.
	[ "$(samples unstored)" -eq 3 ] && want='130|4' || want=4
	like "SIGINT: samples that cannot be stored give exit status 4" $status "^($want)\$"
	wait_until 'grep -q hint unstored.err'
	is "SIGINT: a message says that everything is stored only with exit status 130" \
		"$(grep -c 'every finished sample is stored' unstored.err)" $((status == 130))
	like "SIGINT: the hint names the experiment whose samples could not be stored" "$(cat unstored.err)" 'etalon run --resume 20'
	exits "SIGINT: an experiment whose last samples could not be stored can be shown" 0 etalon show unstored
else
	kill -9 $pid
	wait $pid 2>/dev/null
	skip "SIGINT: samples that cannot be stored give exit status 4" 'prlimit is missing'
fi

# kill -9 in the middle, several times, then resume to the end: every sample once.
begin --label killed --metric pt --seed 9 -w 0 -r 60 -n a -n b "sleep 0.022$$" "sleep 0.023$$"
wait_for_samples killed 2
kill -9 $pid
wait $pid 2>/dev/null
is "kill -9: the experiment is kept as running" "$(kept killed .state)" running
for _ in 1 2 3; do
	before=$(samples killed)
	begin --resume killed
	wait_for_samples killed $((before + 3))
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
done
exits "resume: an experiment that was killed four times reaches its end" 0 etalon run --resume
etalon show killed --json >killed.json
is "resume: every turn of the plan was run once" "$(jq '[.commands[1].samples[] | select(.warmup | not) | "\(.round) \(.position)"] | unique | length' killed.json)" 120
is "resume: no sample is stored twice" "$(jq '[.commands[].samples[] | "\(.order) \(.partner)"] | length - (unique | length)' killed.json)" 0
is "resume: the experiment ends as done" "$(jq -r .state killed.json)" "done"
exits "resume: the same plan without interruption succeeds" 0 etalon run -q --label whole --metric pt --seed 9 -w 0 -r 60 -n a -n b 'sleep 0.001' 'sleep 0.001'
turns='[.commands[0].samples[] | select(.warmup | not) | [.round, .position, .arrangement]] | sort'
is "resume: a resumed experiment has the same order as an uninterrupted one" \
	"$(kept whole "$turns")" "$(kept killed "$turns")"
refuses "resume: a finished experiment is refused" 2 'is finished' etalon run --resume killed

begin --label busy -r 500 'sleep 0.02'
wait_for_samples busy 1
refuses "resume: a running experiment is refused" 2 'is still running' etalon run --resume busy
kill -9 $pid
wait $pid 2>/dev/null
before=$(samples busy)
begin --resume busy
ok "resume: a killed experiment continues" wait_for_samples busy $((before + 3))
kill -9 $pid
wait $pid 2>/dev/null

# Other namespaces see the claim; a socket of that name, which anybody can bind, means nothing.
id=$(kept busy .id)
if unshare --net --pid --fork true 2>/dev/null; then
	unshare --net --pid --fork --kill-child etalon run --label apart -r 500 'sleep 0.02' >/dev/null 2>&1 &
	pid=$!
	wait_for_samples apart 1
	refuses "claim: an experiment that runs in other namespaces is refused" 2 'is still running' \
		etalon run --resume apart
	kill -9 $pid
	wait $pid 2>/dev/null
	ok "claim: an experiment that was killed in other namespaces can be removed" etalon rm -q apart
else
	skip "claim: an experiment that runs in other namespaces is refused" "needs unshare"
fi
python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\0etalon-" + sys.argv[1])
open("bound", "w").close()
time.sleep(60)' "$id" &
pid=$!
wait_until '[ -e bound ]'
ok "claim: an abstract socket of another process does not hold it" etalon rm -q busy
kill $pid
wait $pid 2>/dev/null
is "claim: no file of claims is left" "$(find "$work" -name '*-claims')" ""

begin --label alive -r 500 'sleep 0.02'
wait_for_samples alive 1
refuses "rm: a running experiment is refused" 2 'is still running' etalon rm alive
kill -s INT $pid
wait $pid

begin --label cleanup --cleanup 'sh -c "sleep 3; echo done >cleaned"' -r 100 'sleep 0.05'
wait_for_samples cleanup 1
kill -s INT $pid
wait $pid
is "SIGINT: the --cleanup command runs to its end" "$(cat cleaned 2>/dev/null)" "done"

# --order auto decides in the first rounds whether there are duets. The warm-up runs of this program
# sleep, so that round 1 has none; its later runs compute. Execution $1 waits until etalon was killed.
mkfifo never
cat >shifty <<'END'
#!/bin/bash
echo run >>runs
mapfile -t all <runs
if [ ${#all[@]} -le 2 ]; then
	read -r -t 0.5 <>never
elif [ ${#all[@]} -ge "$1" ] && [ ! -e go ]; then
	touch reached
	read -r <>never
else
	for ((i = 0; i < 30000; i++)); do :; done
fi
exit 0
END
chmod +x shifty
for at in 5 6 7 8; do
	rm -f runs reached go
	begin --label "shifty $at" -r 4 "./shifty $at" "./shifty $at 2"
	wait_until '[ -e reached ]'
	kill -9 $pid
	wait $pid 2>/dev/null
	touch go
	wait_until "! pgrep -f '^/bin/bash ./shifty $at' >/dev/null"
	exits "arrangement: a run that was killed in execution $at is resumed" 0 etalon run -q --resume
	is "arrangement: killed in execution $at and resumed, round 1 is as it was begun" \
		"$(kept "shifty $at" '[.commands[].samples[] | select(.round == 1 and (.warmup | not)) | .arrangement] | join(" ")')" "solo solo"
done

# A process that left its session loses its connection with etalon when that is killed. The keeper finds
# it, also without a control group.
begin -r 3 -- sh -c 'setsid sleep 77.'$$' & sleep 5'
wait_until 'pgrep -f "^sleep 77\.$$" >/dev/null'
kill -9 $pid
wait $pid 2>/dev/null
ok "keeper: after kill -9 a process in another session ends" wait_until '! pgrep -f "^sleep 77\.$$" >/dev/null' 20
ok "keeper: after kill -9 it ends as well" wait_until '! pgrep -x et-keeper -a | grep -qF "sleep 77.$$"' 20
if can_drop_privileges; then
	# shellcheck disable=SC2016 # the inner shell expands it
	unprivileged sh -c 'echo $$ >pid; exec "$@"' sh etalon run -r 3 -- sh -c 'setsid sleep 78.'$$' & sleep 5' >/dev/null 2>&1 &
	wait_until 'pgrep -f "^sleep 78\.$$" >/dev/null'
	kill -9 "$(cat "$public/pid")"
	wait $! 2>/dev/null
	ok "keeper: after kill -9 of an ordinary user's etalon a process in another session ends" \
		wait_until '! pgrep -f "^sleep 78\.$$" >/dev/null' 20
else
	skip "keeper: after kill -9 of an ordinary user's etalon a process in another session ends" "$why_not"
fi
run sh -c 'trap "" CHLD; exec etalon run -q -r 2 true'
is "SIGCHLD: a caller that ignores it does no harm" "$status" 0
nohup etalon run --label hup -r 500 'sleep 0.02' >/dev/null 2>&1 &
pid=$!
wait_for_samples hup 2
kill -s HUP $pid
ok "SIGHUP: a run under nohup continues" wait_for_samples hup $(($(samples hup) + 2))
kill -9 $pid
wait $pid 2>/dev/null

# held LABEL: a run of three whose first program waits for the file go; its PID becomes $program
held()
{
	rm -f started go
	begin --label "$1" -w 0 -r 3 'sh -c "echo $$ >new; mv new started; until [ -e go ]; do sleep 0.02; done"'
	wait_until '[ -e started ]'
	program=$(cat started)
}

# The first sample was stopped, and no other.
first_was_stopped()
{
	touch go
	wait $pid
	is "$1: the run succeeds" $? 0
	is "$1: the sample is marked as stopped" \
		"$(kept "$2" '[.commands[0].samples[].marks | index("stopped") != null]')" '[true,false,false]'
}

held suspended
kill -s TSTP $pid
wait_until '[ "$(state_of $pid)" = T ]'
kill -s CONT $pid
first_was_stopped "Ctrl-Z and fg" suspended
is "Ctrl-Z and fg: the sample is removed with its reason" \
	"$(kept suspended '[.commands[0].samples[].removed.by]')" '["stopped",null,null]'

held stopped
kill -STOP "$program"
wait_until '[ "$(state_of $program)" = T ]'
kill -CONT "$program"
first_was_stopped "SIGSTOP to the program" stopped

held together
kill -STOP "$program" $pid
wait_until '[ "$(state_of $program)$(state_of $pid)" = TT ]'
kill -CONT $pid "$program"
first_was_stopped "SIGSTOP to etalon and the program" together

# Here nobody sees the end of the program.
held alone
kill -STOP $pid
wait_until '[ "$(state_of $pid)" = T ]'
touch go
wait_until 'gone $program'
kill -CONT $pid
first_was_stopped "SIGSTOP to etalon alone" alone
done_testing
