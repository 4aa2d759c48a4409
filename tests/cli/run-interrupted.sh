#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Killed at any moment: finished samples are there, nothing is left running, the run goes on.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# Durations end in our own $$, so that pgrep finds our programs and no other test's.

begin() # begin ARGUMENTS…: etalon run in the background, as $pid
{
	# Background jobs of a script ignore SIGINT: a helper takes that back.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' etalon run "$@" >"$work/.out" 2>"$work/.err" &
	pid=$!
}

samples() # samples ID: how many finished samples the store holds
{
	etalon show "$1" --json | jq '[.commands[].samples[]] | length'
}

wait_for_samples() # until the experiment has N of them
{
	for _ in $(seq 200); do
		[ "$(samples "$1" 2>/dev/null || echo 0)" -ge "$2" ] 2>/dev/null && return 0
		sleep 0.05
	done
	return 1
}

for signal in INT:130 TERM:143; do
	begin --label "${signal%:*}" -r 500 "sleep 0.021$$"
	wait_for_samples "${signal%:*}" 3
	kill -s "${signal%:*}" $pid
	wait $pid
	is "SIG${signal%:*}: exit ${signal#*:}" $? "${signal#*:}"
	like "says how to go on" "$(cat "$work/.err")" 'etalon run --resume'
	like "and what there is so far" "$(cat "$work/.out")" 'CPU time'
	is "no child is left" "$(pgrep -fc "sleep 0\.021$$")" 0
	is "the state is kept" "$(etalon show "${signal%:*}" --json | jq -r .state)" interrupted
done

begin --label stubborn -r 5 'sh -c "trap : INT TERM; while :; do sleep 0.05; done"'
sleep 0.5
kill -s INT $pid
wait $pid
is "a program that ignores SIGINT is killed after a while" $? 130

# kill -9 in the middle, several times, then resume to the end: every sample once.
begin --label killed --seed 9 -w 0 -r 12 -n a -n b "sleep 0.022$$" "sleep 0.023$$"
wait_for_samples killed 2
kill -9 $pid
wait $pid 2>/dev/null
sleep 0.2
is "kill -9: the program does not outlive us" "$(pgrep -fc "sleep 0\.02[23]$$")" 0
is "the store says it is not finished" "$(etalon show killed --json | jq -r .state)" running
for _ in 1 2 3; do
	before=$(samples killed)
	begin --resume killed
	wait_for_samples killed $((before + 3))
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
done
exits "resumed to the end" 0 etalon run --resume
etalon show killed --json >killed.json
is "with every turn of the plan once" "$(jq '[.commands[1].samples[] | select(.warmup | not) | "\(.round) \(.position)"] | unique | length' killed.json)" 24
is "and no sample twice" "$(jq '[.commands[].samples[] | "\(.order) \(.partner)"] | length - (unique | length)' killed.json)" 0
is "it is done" "$(jq -r .state killed.json)" "done"
exits "the same, not interrupted" 0 etalon run -q --label whole --seed 9 -w 0 -r 12 -n a -n b 'sleep 0.001' 'sleep 0.001'
is "has the same order" \
	"$(etalon show whole --json | jq -c '[.commands[0].samples[] | select(.warmup | not) | [.round, .position, .arrangement]] | sort')" \
	"$(jq -c '[.commands[0].samples[] | select(.warmup | not) | [.round, .position, .arrangement]] | sort' killed.json)"
refuses "a finished one is not resumed" 2 'is finished' etalon run --resume killed

begin --label busy -r 500 'sleep 0.02'
wait_for_samples busy 1
refuses "one that still runs is not resumed, either" 2 'is still running' etalon run --resume busy
kill -9 $pid
wait $pid 2>/dev/null
before=$(samples busy)
begin --resume busy
ok "resume: a killed experiment continues" wait_for_samples busy $((before + 3))
kill -9 $pid
wait $pid 2>/dev/null

begin --label alive -r 500 'sleep 0.02'
wait_for_samples alive 1
refuses "a running experiment is not removed" 2 'is still running' etalon rm alive
kill -s INT $pid
wait $pid

begin --cleanup 'sh -c "sleep 3; echo done >cleaned"' -r 100 'sleep 0.05'
sleep 1
kill -s INT $pid
wait $pid
is "after SIGINT the cleanup has its time" "$(cat cleaned 2>/dev/null)" "done"

# A process that left its session survives the kill of etalon. The next run finds it by its control
# group; without one it cannot, and warns that it had none.
begin -r 3 -- sh -c 'setsid sleep 77.'$$' & sleep 5'
wait_until 'pgrep -f "^sleep 77\.$$" >/dev/null'
kill -9 $pid
wait $pid 2>/dev/null
exits "leftovers: the next run succeeds" 0 etalon run -q -r 1 --json next.json true
if jq -e '[.commands[0].samples[].pt_source] | index("wait4")' next.json >/dev/null; then
	like "leftovers: a run without a control group warns of it" "$out" 'control group'
	pkill -f "^sleep 77\.$$"
else
	is "leftovers: the next run kills the processes of a killed one" "$(pgrep -fc "^sleep 77\.$$")" 0
	is "leftovers: the next run removes the control group of a killed one" \
		"$(find /sys/fs/cgroup -maxdepth 6 -name "etalon-$pid-*" | wc -l)" 0
fi
run sh -c 'trap "" CHLD; exec etalon run -q -r 2 true'
is "SIGCHLD ignored by the caller does no harm" "$status" 0
nohup etalon run --label hup -r 500 'sleep 0.02' >/dev/null 2>&1 &
pid=$!
wait_for_samples hup 2
kill -s HUP $pid
sleep 0.3
ok "nohup is respected" kill -0 $pid
kill -9 $pid
wait $pid 2>/dev/null

# Ctrl-Z and fg: the sample that was held up is marked and does not count.
begin --label suspended -w 0 -r 3 'sleep 0.5'
sleep 0.2
kill -s TSTP $pid
sleep 0.7
kill -s CONT $pid
wait $pid
is "suspended and continued" $? 0
is "the held-up sample is removed for a recorded cause" \
	"$(etalon show suspended --json | jq -r '[.commands[0].samples[] | .removed.by] | join(" ")')" 'stopped  '

# A program that is stopped by somebody else.
begin --label stopped -w 0 -r 2 'sleep 0.4'
sleep 0.2
pkill -STOP -P $pid
sleep 0.3
pkill -CONT -P $pid
wait $pid
is "a stopped program is waited for" $? 0
like "and marked" "$(etalon show stopped --json | jq -c '[.commands[0].samples[].marks]')" stopped
begin --label together -w 0 -r 2 'sleep 0.4'
sleep 0.2
pkill -STOP -P $pid
kill -STOP $pid
sleep 0.3
kill -CONT $pid
pkill -CONT -P $pid
wait $pid
like "the same when we are stopped with it" \
	"$(etalon show together --json | jq -c '[.commands[0].samples[].marks]')" stopped
begin --label alone -w 0 -r 2 'sleep 0.4'
sleep 0.2
kill -STOP $pid
sleep 0.7
kill -CONT $pid
wait $pid
like "and when we alone are stopped: nobody saw its end" \
	"$(etalon show alone --json | jq -c '[.commands[0].samples[].marks]')" stopped
done_testing
