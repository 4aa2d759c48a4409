#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at any moment of `run`, `run --env`, `daemons learn` and `env apply`, then the way back: an
# experiment resumes to its end with every turn once, no sample is lost but those of the group that
# was not yet written (at most 50 ms of them, or the turn that was just ending), and the machine is as
# it was.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"

kills=$((10 * ${TORTURE:-1}))
: "${STAMP:=$root/build/tests/torture/stamp}"
STAMP=$(realpath "$STAMP")
here=$root/tests/torture
rounds=12
# A group waits 50 ms at most; the rest is for a machine that is busy with other tests.
most_ms=250

# killed_after MS COMMAND…: starts it and kills it after a random time of at most MS; the status is 0
# if it was killed, 1 if it had ended before, with its status in $ended
killed_after()
{
	local pid delay=$((RANDOM % $1))
	shift
	"$@" >"$work/.out" 2>"$work/.err" &
	pid=$!
	sleep "$((delay / 1000)).$(printf %03d $((delay % 1000)))"
	if kill -9 $pid 2>/dev/null; then
		wait $pid 2>/dev/null
		ended=$?
		[ $ended -eq 137 ] && return 0
	else
		wait $pid
		ended=$?
	fi
	return 1
}

# quiet: no program that a killed etalon had started still runs
# shellcheck disable=SC2317 # wait_until calls it
quiet()
{
	! pgrep -f "^$STAMP $work/completions" >/dev/null
}

# lost: counts what the last kill has lost; fills $most_lost, $longest and $named
lost()
{
	local n span
	read -r n span < <(python3 "$here/account.py" store.db lost completions "$named")
	named=$((named + n))
	[ "$n" -le "$most_lost" ] || most_lost=$n
	[ "$span" -le "$longest" ] || longest=$span
	[ "$n" -ge 0 ] || fewer=$((fewer + 1))
}

# unfinished: the id of an experiment that can be resumed
unfinished()
{
	[ ! -s store.db ] ||
		sqlite3 -readonly store.db "select id from experiment where state in ('running', 'interrupted')" 2>/dev/null
}

# experiment MS COMMAND…: runs an experiment to its end through any number of kills, the first after at
# most MS milliseconds; counts them in $n. The status is 0 if it ended well.
experiment()
{
	local ms=$1
	shift
	while :; do
		if [ -n "$(unfinished)" ]; then
			killed_after "$ms" "$@" --resume
		else
			rm -f completions
			named=0
			killed_after "$ms" "$@" "${plan[@]}"
		fi || break
		n=$((n + 1))
		ms=$((ms * 3 / 2)) # so that it comes to an end on a slow machine, too
		wait_until quiet
		[ -z "$(unfinished)" ] || lost
	done
	[ "$ended" -eq 0 ] && [ -z "$(unfinished)" ] && return 0
	note "status $ended: $(cat "$work/.err")"
	return 1
}

# judge NAME MS TURN: what must hold after kills of programs that take MS milliseconds; TURN is the
# number of programs in a turn
judge()
{
	is "$1: every turn is stored once, and the store is intact" \
		"$(python3 "$here/account.py" store.db turns $rounds)" ''
	is "$1: no sample is stored that was not run" $fewer 0
	if [ "$2" -ge 20 ]; then
		ok "$1: at most the turn that was just ending is lost ($most_lost runs)" test "$most_lost" -le "$3"
	else
		ok "$1: at most one group of samples is lost ($most_lost runs, $longest ms)" test "$longest" -le $most_ms
	fi
}

# start_over MS: an empty store, and a plan of two programs that take MS milliseconds
start_over()
{
	rm -f store.db* completions
	n=0 failed=0 most_lost=0 longest=0 named=0 fewer=0
	plan=(-r "$rounds" -w 1 "$STAMP $work/completions a $1" "$STAMP $work/completions b $1")
}

# --- run
# kill_runs NAME KILLS MS TURN OPTIONS…
kill_runs()
{
	local name=$1 wanted=$2 ms=$3 turn=$4
	shift 4
	start_over "$ms"
	plan+=("$@")
	while [ $n -lt "$wanted" ]; do
		experiment $((100 + rounds * (ms + 4) * 2)) etalon run -q || { failed=1; break; }
	done
	is "$name: experiments resume to their end after $n kills" $failed 0
	judge "$name" "$ms" "$turn"
}
part=$(((kills + 3) / 4))
kill_runs 'run of long programs' $part 25 1 --order random
kill_runs 'run of short programs' $part 2 1 --order random
kill_runs 'run of pairs' $part 25 2 --order duet
kill_runs 'run beside the reference loop' $part 25 1 --pace --order sequential

# --- run --env, on a captured machine
# restored: every setting and service is as it was
restored()
{
	diff -r --no-dereference -x enabled before tree >"$work/.diff" 2>&1 &&
		[ "$(cat units/*.service units/*.timer units/*.socket | sort -u)" = active ] && [ ! -e "$journal" ] &&
		return 0
	note "not restored: $(cat "$work/.diff") $(grep -v ^active units/*.*)"
	return 1
}
# settled: no systemctl of a killed etalon still works
# shellcheck disable=SC2317 # wait_until calls it
settled()
{
	! pgrep -f "$work/systemctl" >/dev/null
}

start_over 2
changed=0 unrestored=0
while [ $n -lt $kills ]; do
	laptop
	before_n=$n
	experiment 700 etalon run --env -q || { failed=1; break; }
	changed=$((changed + n - before_n))
	wait_until settled
	find tree -name '*.new' -delete
	restored || unrestored=$((unrestored + 1))
done
is "run --env: experiments resume to their end after $n kills" $failed 0
is "run --env: the machine is restored after each of $n kills" "$unrestored" 0
judge 'run --env' 2 1

# --- env apply and restore
n=0 changed=0 unrestored=0 failed=0
while [ $n -lt $kills ]; do
	laptop
	for ((i = RANDOM % 3; i >= 0; i--)); do
		verb=apply
		[ $((RANDOM % 3)) -ne 0 ] || verb=restore
		killed_after 500 etalon env $verb -q && n=$((n + 1))
		wait_until settled
	done
	diff -rq --no-dereference before tree >/dev/null || changed=$((changed + 1))
	etalon env restore >"$work/.out" 2>"$work/.err" || { failed=1; note "$(cat "$work/.err")"; break; }
	find tree -name '*.new' -delete
	restored || unrestored=$((unrestored + 1))
done
is "env apply: env restore succeeds after $n kills" $failed 0
is "env apply: the machine is restored after $n kills; $changed times something was changed" "$unrestored" 0
unset ETALON_SYSROOT ETALON_SYSTEMCTL

# --- daemons learn
etalon put inc --seconds 1ms # calibrates now
n=0 failed=0 wrong=0
while [ $n -lt $kills ]; do
	rm -f store.db*
	ms=900
	while :; do
		plan=(--short-runs 12 --short-seconds 4ms --long-runs 10 --long-seconds 12ms)
		[ ! -s store.db ] || ! etalon list -q 2>/dev/null | grep -q learned || plan=(--resume)
		killed_after $ms etalon daemons learn -q --label learned "${plan[@]}" || break
		n=$((n + 1)) ms=$((ms * 3 / 2))
	done
	[ "$ended" -eq 0 ] || { failed=1; note "status $ended: $(cat "$work/.err")"; break; }
	got=$(etalon daemons show --json 2>/dev/null | jq -r '"\(.short_runs) \(.long_runs)"')
	[ "$got" = '12 10' ] || { wrong=$((wrong + 1)); note "daemons show: $got"; }
	got=$(python3 "$here/account.py" store.db turns 10)
	[ -z "$got" ] || { wrong=$((wrong + 1)); note "$got"; }
done
is "daemons learn: it resumes to its end after $n kills" $failed 0
is "daemons learn: every turn is stored once, and the cutoffs are learned from all" $wrong 0
done_testing
