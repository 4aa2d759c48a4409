#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# env apply and restore on this very machine, as far as it allows: settings of the kernel, and a
# daemon that the test itself starts. Everything is put back, and no other test runs meanwhile.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

aslr=/proc/sys/kernel/randomize_va_space
delays=/proc/sys/kernel/task_delayacct
huge=/sys/kernel/mm/transparent_hugepage/enabled
chosen() { sed 's/.*\[\(.*\)\].*/\1/' "$1"; }

exits 'check' 0 etalon env check
exits 'check -v' 0 etalon env check -v
if [ "$(id -u)" -ne 0 ] || ! [ -w $aslr ]; then
	skip 'changing this machine' 'needs root and a writable /proc/sys'
	done_testing
fi

was_aslr=$(cat $aslr)
was_delays=$(cat $delays 2>/dev/null)
was_huge=$(chosen $huge 2>/dev/null)
daemon=
# shellcheck disable=SC2317 # called by the trap
give_back()
{
	etalon env restore -q >/dev/null 2>&1
	echo "$was_aslr" >"$aslr"
	[ -z "$was_delays" ] || echo "$was_delays" >"$delays"
	[ -z "$was_huge" ] || echo "$was_huge" >"$huge"
	[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null
	rm -rf "$work"
}
trap give_back EXIT

# --- settings of the kernel
echo 2 >$aslr
exits 'apply' 0 etalon env apply --only aslr
is 'address layout is fixed' "$(cat $aslr)" 0
is 'two programs start at the same address' "$(cut -d- -f1 <(head -n 1 /proc/self/maps))" \
	"$(cut -d- -f1 <(head -n 1 /proc/self/maps))"
exits 'apply again' 0 etalon env apply --only aslr
exits 'restore' 0 etalon env restore
is 'gives back' "$(cat $aslr)" 2
echo 1 >$aslr
etalon env apply -q --only aslr
exits 'restore' 0 etalon env restore
is 'gives back what was there, not a default' "$(cat $aslr)" 1
echo 2 >$aslr
if [ -n "$was_delays" ]; then
	echo 0 >$delays
	etalon env apply -q --only task-delayacct
	is 'delay accounting is on' "$(cat $delays)" 1
	exits 'restore' 0 etalon env restore
	is 'and off again' "$(cat $delays)" 0
fi
if [ -n "$was_huge" ] && echo always >$huge 2>/dev/null; then
	etalon env apply -q --only transparent-huge-pages
	is 'huge pages on demand' "$(chosen $huge)" madvise
	exits 'restore' 0 etalon env restore
	is 'and always again' "$(chosen $huge)" always
	echo "$was_huge" >$huge
else
	skip 'huge pages' 'no such setting here'
fi
run unshare -m bash -c 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && etalon env apply --only aslr'
if [[ $err == *mount:* || $err == *unshare:* ]]; then
	skip 'a read-only /proc/sys' 'no namespaces here'
else
	is 'a read-only /proc/sys: exit 3' "$status" 3
	like 'is said' "$out" 'FAILED .*Read-only'
	is 'nothing is changed' "$(cat $aslr)" 2
fi

# --- run --env
exits 'run --env' 0 etalon run --env -q -r 2 --json run.json true
is 'runs with a fixed layout' "$(jq -r '.environment[] | select(.factor == "aslr") | .state' run.json)" 0
is 'and gives back' "$(cat $aslr)" 2
for signal in KILL TERM; do
	etalon run --env -r 1000 'sleep 0.02' >/dev/null 2>&1 &
	pid=$!
	wait_until '[ "$(cat $aslr)" = 0 ]'
	{ kill -s $signal $pid && wait $pid; } 2>/dev/null
	[ $signal = TERM ] && break
	is "SIG$signal: changed" "$(cat $aslr)" 0
	exits 'restore' 0 etalon env restore
	is 'gives back' "$(cat $aslr)" 2
done
is 'SIGTERM: given back by the run itself' "$(cat $aslr)" 2

# --- killed at any moment
echo 1 >$aslr
for _ in $(seq 25); do
	etalon env apply -q --only aslr,task-delayacct >/dev/null 2>&1 &
	sleep "0.0$((RANDOM % 4))$((RANDOM % 10))"
	{ kill -9 $! && wait $!; } 2>/dev/null
done
exits 'after 25 kills: restore' 0 etalon env restore
is 'the first original' "$(cat $aslr)" 1
echo 2 >$aslr

# --- a daemon; only where there is no other that would be stopped with it
others=$(etalon env apply --dry-run --only daemons | grep -c would)
if [ "$others" -ne 0 ]; then
	skip 'a daemon' 'real ones run here'
	done_testing
fi
state() { awk '{ sub(/.*\) /, ""); print $1 }' "/proc/$daemon/stat"; }
cp "$(command -v sleep)" atd
start_daemon()
{
	setsid ./atd 1000 &
	daemon=$!
	wait_until '[ "$(cat /proc/$daemon/comm 2>/dev/null)" = atd ] && [ "$(state)" = S ]'
}
start_daemon
is 'check finds it' "$(etalon env check --json --only daemons | jq -r '.[].state')" atd
exits 'apply' 0 etalon env apply --only daemons
like 'holds it' "$out" "done +atd \(process $daemon\): hold"
is 'it is held' "$(state)" T
is 'and disturbs no more' "$(etalon env check --json --only daemons | jq -r '.[].ok')" true
exits 'apply again' 0 etalon env apply --only daemons
like 'has nothing to do' "$out" 'nothing to change'
exits 'restore' 0 etalon env restore
is 'it goes on' "$(state)" S
etalon env apply -q --only daemons
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
exits 'restore after it has died' 0 etalon env restore
like 'says so' "$out" 'gone +atd'
start_daemon
etalon env apply -q --only daemons
kill -CONT "$daemon"
wait_until '[ "$(state)" = S ]'
exits 'somebody lets it go on' 0 etalon env apply --only daemons
like 'it is held again' "$out" 'again +atd'
exits 'restore' 0 etalon env restore
is 'once is enough' "$(state)" S
kill -STOP "$daemon"
wait_until '[ "$(state)" = T ]'
exits 'held by somebody else' 0 etalon env apply --only daemons
like 'it is left alone' "$out" 'nothing to change'
exits 'restore' 0 etalon env restore
is 'as it was' "$(state)" T
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
daemon=
cp "$(command -v bash)" crond
run ./crond -c 'etalon env apply --only daemons; exit $?'
is 'started by a daemon: exit 0' "$status" 0
like 'which is then left alone' "$out" 'left +crond .*has[[:space:]]+started etalon'
done_testing
