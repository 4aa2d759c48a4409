#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon env apply` and `restore` on the real machine, as far as it allows: settings of the kernel, and
# a daemon that the script itself starts. Every setting is restored, and no other test runs meanwhile.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

aslr=/proc/sys/kernel/randomize_va_space
delays=/proc/sys/kernel/task_delayacct
huge=/sys/kernel/mm/transparent_hugepage/enabled
chosen() { sed 's/.*\[\(.*\)\].*/\1/' "$1"; }

exits 'env check: it succeeds on this machine' 0 etalon env check
exits 'env check: -v succeeds on this machine' 0 etalon env check -v
if [ "$(id -u)" -ne 0 ] || ! [ -w $aslr ]; then
	skip 'env apply: it changes this machine' 'needs root and a writable /proc/sys'
	done_testing
fi

was_aslr=$(cat $aslr)
was_delays=$(cat $delays 2>/dev/null)
was_huge=$(chosen $huge 2>/dev/null)
daemon=
# shellcheck disable=SC2317 # called by the trap
restore_machine()
{
	etalon env restore -q >/dev/null 2>&1
	echo "$was_aslr" >"$aslr"
	[ -z "$was_delays" ] || echo "$was_delays" >"$delays"
	[ -z "$was_huge" ] || echo "$was_huge" >"$huge"
	[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null
	clean_up
}
trap restore_machine EXIT

# --- settings of the kernel
echo 2 >$aslr
exits 'env apply: aslr is changed' 0 etalon env apply --only aslr
is 'env apply: the address layout is fixed' "$(cat $aslr)" 0
is 'env apply: two programs are loaded at the same address' "$(cut -d- -f1 <(head -n 1 /proc/self/maps))" \
	"$(cut -d- -f1 <(head -n 1 /proc/self/maps))"
exits 'env apply: a second time it succeeds' 0 etalon env apply --only aslr
exits 'env restore: it succeeds' 0 etalon env restore
is 'env restore: the address layout is random again' "$(cat $aslr)" 2
echo 1 >$aslr
etalon env apply -q --only aslr
exits 'env restore: it succeeds with another original value' 0 etalon env restore
is 'env restore: the original value is restored, not a default' "$(cat $aslr)" 1
echo 2 >$aslr
if [ -n "$was_delays" ]; then
	echo 0 >$delays
	etalon env apply -q --only task-delayacct
	is 'env apply: delay accounting is on' "$(cat $delays)" 1
	exits 'env restore: it succeeds after delay accounting was changed' 0 etalon env restore
	is 'env restore: delay accounting is off again' "$(cat $delays)" 0
else
	skip 'env apply: delay accounting is on' 'the kernel cannot switch it'
fi
if [ -n "$was_huge" ] && echo always >$huge 2>/dev/null; then
	etalon env apply -q --only transparent-huge-pages
	is 'env apply: huge pages are on request only' "$(chosen $huge)" madvise
	exits 'env restore: it succeeds after huge pages were changed' 0 etalon env restore
	is 'env restore: huge pages are always used again' "$(chosen $huge)" always
	echo "$was_huge" >$huge
else
	skip 'env apply: huge pages are on request only' 'no such setting here'
fi
run unshare -m bash -c 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && etalon env apply --only aslr'
if [[ $err == *mount:* || $err == *unshare:* ]]; then
	skip 'env apply: a read-only /proc/sys gives exit status 3' 'no namespaces here'
else
	is 'env apply: a read-only /proc/sys gives exit status 3' "$status" 3
	like 'env apply: the output says that /proc/sys is read-only' "$out" 'FAILED .*Read-only'
	is 'env apply: nothing is changed on a read-only /proc/sys' "$(cat $aslr)" 2
fi

# --- run --env
exits 'run --env: it succeeds' 0 etalon run --env -q -r 2 --json run.json true
is 'run --env: the program runs with a fixed address layout' "$(jq -r '.environment[] | select(.factor == "aslr") | .state' run.json)" 0
is 'run --env: the address layout is restored at the end' "$(cat $aslr)" 2
for signal in KILL TERM; do
	etalon run --env -r 1000 'sleep 0.02' >/dev/null 2>&1 &
	pid=$!
	wait_until '[ "$(cat $aslr)" = 0 ]'
	{ kill -s $signal $pid && wait $pid; } 2>/dev/null
	[ $signal = TERM ] && break
	is "run --env: SIG$signal leaves the setting changed" "$(cat $aslr)" 0
	exits 'env restore: it succeeds after run --env was killed' 0 etalon env restore
	is 'env restore: the setting of a killed run --env is restored' "$(cat $aslr)" 2
done
is 'run --env: SIGTERM restores the setting' "$(cat $aslr)" 2

# --- huge pages as a factor of a designed experiment
cat >plan.yaml <<END
name: pages
programs: [{ name: look, command: './look {pages}' }]
factors: [{ name: pages, kind: huge-pages, levels: [always, madvise, never] }]
replications: 3
discard: 0
run: { warmup: 0, no-ledger: true }
END
printf '#!/bin/sh\nread -r line <%s\necho "$1 $line" >>seen\n' $huge >look
chmod +x look
if [ -n "$was_huge" ] && echo madvise >$huge 2>/dev/null; then
	exits 'doe run: huge pages are varied' 0 etalon doe run plan.yaml
	is 'doe run: every run finds the setting of its treatment' "$(awk '{ print $1, (index($0, "[" $1 "]") > 0) }' seen | sort | uniq -c | awk '{ print $1, $2, $3 }' | tr '\n' ';')" \
		'3 always 1;3 madvise 1;3 never 1;'
	is 'doe run: the original setting is restored' "$(chosen $huge)" madvise
	sed -i 's/name: pages$/name: killed/; s/replications: 3/replications: 500/' plan.yaml
	for signal in TERM KILL; do
		: >seen
		etalon doe run plan.yaml >/dev/null 2>&1 &
		pid=$!
		wait_until '[ "$(wc -l <seen)" -ge 4 ] && [ "$(chosen $huge)" != madvise ]'
		{ kill -s $signal $pid && wait $pid; } 2>/dev/null
		[ $signal = TERM ] || exits 'env restore: it succeeds after doe run was killed' 0 etalon env restore
		is "doe run: the original setting is restored after SIG$signal" "$(chosen $huge)" madvise
	done
	echo "$was_huge" >$huge
else
	skip 'doe run: huge pages are varied' 'no such setting here'
fi

# --- killed at any moment
echo 1 >$aslr
for _ in $(seq 25); do
	etalon env apply -q --only aslr,task-delayacct >/dev/null 2>&1 &
	sleep "0.0$((RANDOM % 4))$((RANDOM % 10))"
	{ kill -9 $! && wait $!; } 2>/dev/null
done
exits 'env restore: it succeeds after 25 kills of env apply' 0 etalon env restore
is 'env restore: the value from before the first of 25 applies is restored' "$(cat $aslr)" 1
echo 2 >$aslr

# --- a daemon; only if no other daemon would be stopped with it
others=$(etalon env apply --dry-run --only daemons | grep -c planned)
if [ "$others" -ne 0 ]; then
	skip 'env check: it finds a daemon' 'real ones run here'
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
is 'env check: it finds a daemon' "$(etalon env check --json --only daemons | jq -r '.[].state')" atd
exits 'env apply: daemons are changed' 0 etalon env apply --only daemons
like 'env apply: the output says that the daemon is stopped' "$out" "done +atd \(process $daemon\): hold"
is 'env apply: the daemon is stopped' "$(state)" T
is 'env check: a stopped daemon does not disturb' "$(etalon env check --json --only daemons | jq -r '.[].ok')" true
exits 'env apply: a second time it succeeds with daemons' 0 etalon env apply --only daemons
like 'env apply: a second time it leaves the daemon alone' "$out" 'nothing to change'
exits 'env restore: it succeeds with a stopped daemon' 0 etalon env restore
is 'env restore: the daemon continues' "$(state)" S
etalon env apply -q --only daemons
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
exits 'env restore: it succeeds after the daemon has died' 0 etalon env restore
like 'env restore: the output says that the daemon is gone' "$out" 'gone +atd'
start_daemon
etalon env apply -q --only daemons
kill -CONT "$daemon"
wait_until '[ "$(state)" = S ]'
exits 'env apply: it succeeds after somebody has continued the daemon' 0 etalon env apply --only daemons
like 'env apply: a daemon that somebody has continued is stopped again' "$out" 'again +atd'
exits 'env restore: it succeeds after the daemon was stopped twice' 0 etalon env restore
is 'env restore: a daemon that was stopped twice continues' "$(state)" S
kill -STOP "$daemon"
wait_until '[ "$(state)" = T ]'
exits 'env apply: it succeeds if somebody else has stopped the daemon' 0 etalon env apply --only daemons
like 'env apply: a daemon that somebody else has stopped is left alone' "$out" 'nothing to change'
exits 'env restore: it succeeds if somebody else has stopped the daemon' 0 etalon env restore
is 'env restore: a daemon that somebody else has stopped stays stopped' "$(state)" T
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
daemon=
cp "$(command -v bash)" crond
run ./crond -c 'etalon env apply --only daemons; exit $?'
is 'env apply: it succeeds when a daemon has started it' "$status" 0
like 'env apply: the daemon that has started etalon is left alone' "$out" 'left +crond .*has[[:space:]]+started etalon'
done_testing
