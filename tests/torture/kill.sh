# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at any moment, then the way back: an experiment resumes to its end with every turn once, and
# no sample is lost but those of the group that was not yet written (at most 50 ms of them, or the turn
# that was just ending). For scripts that have sourced tests/cli/lib.sh.

# Half of them in the short form.
kills=$((${TORTURE:-1} > 1 ? 10 * TORTURE : 5))
: "${STAMP:=$root/build/tests/torture/stamp}"
STAMP=$(realpath "$STAMP")
here=$root/tests/torture
# A group is written before it is 50 ms old; the rest is for a machine that is busy with other tests.
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

# The words that continue an experiment.
resume=(--resume)

# experiment MS COMMAND…: runs an experiment to its end through any number of kills, the first after at
# most MS milliseconds; counts them in $n. The status is 0 if it ended well.
experiment()
{
	local ms=$1
	shift
	while :; do
		if [ -n "$(unfinished)" ]; then
			killed_after "$ms" "$@" "${resume[@]}"
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
	# Short programs run long enough to fill many groups.
	rounds=8
	[ "$1" -ge 20 ] || rounds=60
	n=0 failed=0 most_lost=0 longest=0 named=0 fewer=0
	plan=(-r "$rounds" -w 1 "$STAMP $work/completions a $1" "$STAMP $work/completions b $1")
}
