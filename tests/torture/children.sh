#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that do not want to be ended (evil.c), in every arrangement, with and without a control
# group: whatever ends etalon ends them, in time, and the store stays readable.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

: "${EVIL:=$root/build/tests/torture/evil}"
mapfile -t kinds < <("$EVIL" kinds)
endings=(int term term-twice limit kill kill-keeper)
arrangements=(solo duet pace prepare trace)
trials=$((${#kinds[@]} * ${TORTURE:-1}))
seed=${SEED:-$RANDOM}
echo "# SEED=$seed"

# Signals that end etalon do so after two seconds of grace at most, and a few more for stubborn
# descendants. The programs would stay for two minutes.
bound=20

can_drop_privileges && cp "$EVIL" "$public/evil"

# as MODE COMMAND…: with a control group, or as a user who has none
as()
{
	local mode=$1
	shift
	if [ "$mode" = grouped ]; then
		"$@"
	else
		unprivileged "$@"
	fi
}

# left FILE: how many processes of a program are left
left()
{
	pgrep -fc "evil [a-z-]+ $1(\.2)?\$"
}

# begin MODE ARRANGEMENT KIND FILE ENDING: starts etalon as $pid, in a process group of its own
begin()
{
	local mode=$1 arrangement=$2 file=$4 evil=$EVIL command=()
	[ "$mode" = grouped ] || evil=$public/evil
	local program="$evil $3 $file"
	case $arrangement in
	solo) command=("$program") ;;
	duet) command=(--order duet "$program" "$program.2") ;;
	pace) command=(--pace "$program") ;;
	prepare) command=(--prepare "$program" true) ;;
	esac
	[ "$5" != limit ] || command=(--time-limit 500ms "${command[@]}")
	command=(etalon run -q -w 0 -r 3 --label "${file##*/}" "${command[@]}")
	# shellcheck disable=SC2206 # several words
	[ "$arrangement" != trace ] || command=(etalon trace -q -- $program)
	# The shell between writes its PID, which etalon inherits.
	# shellcheck disable=SC2016 # the inner shell expands it
	as "$mode" setsid env --default-signal=INT sh -c 'echo $$ >"$0" && exec "$@"' "$file.pid" \
		"${command[@]}" >"$file.out" 2>&1 &
	job=$!
	wait_until "[ -s $file.pid ]" 60 || echo "it did not start"
	pid=$(cat "$file.pid")
}

# send ENDING PID JOB: the end of etalon; its exit status is $status
send()
{
	local keeper
	case $1 in
	int) kill -INT -- -"$2" ;;
	term) kill "$2" ;;
	term-twice) kill "$2" && kill "$2" ;;
	kill) kill -9 "$2" ;;
	kill-keeper)
		keeper=$(pgrep -P "$2" -x et-keeper)
		# shellcheck disable=SC2086 # none or one
		kill -9 $keeper "$2"
		;;
	esac 2>/dev/null
	wait "$3" 2>/dev/null
	status=$?
}

declare -A want=([int]=130 [term]=143 [term-twice]=143 [limit]=1 [kill]=137 [kill-keeper]=137)

# How etalon reads CPU time shows whether root has control groups here.
groups=$(etalon run -q -w 0 -r 1 --json - true 2>/dev/null | jq -r '.commands[0].samples[0].pt_source | select(. != "wait4")')

# possible MODE ARRANGEMENT KIND ENDING: whether the documents promise anything about it
possible()
{
	local mode=$1
	[ -n "$groups" ] || mode=alone
	case $mode.$2.$3.$4 in
	*.prepare.*.kill*) return 1 ;;                       # hooks may start servers that stay
	*.trace.*.limit | alone.trace.*) return 1 ;;         # no such option; needs a privilege
	alone.*.*.kill-keeper | *.trace.*.kill-keeper) return 1 ;; # needs a control group
	alone.*.daemon.kill | alone.*.name.kill | alone.*.subreaper.kill) return 1 ;;
	alone.*.stop-etalon.kill | alone.*.parent.kill) return 1 ;;
	*.trace.daemon.kill | *.trace.name.kill | *.trace.subreaper.kill) return 1 ;;
	*.trace.stop-etalon.kill) return 1 ;;
	esac
}

# trial MODE ARRANGEMENT KIND ENDING FILE: prints a reason for each thing that is wrong
trial()
{
	local mode=$1 file=$5 pid job status began=$SECONDS
	begin "$mode" "$2" "$3" "$file" "$4"
	wait_until "[ -e $file ] || ! kill -0 $pid 2>/dev/null" 20 || echo "it did not start"
	began=$SECONDS
	send "$4" "$pid" "$job"
	[ $((SECONDS - began)) -le $bound ] || echo "it took $((SECONDS - began)) s"
	[ "$status" -eq "${want[$4]}" ] || echo "status $status: $(cat "$file.out")"
	[ "$4" != kill-keeper ] || as "$mode" etalon run -q -w 0 -r 1 true >/dev/null || echo "no next run"
	[[ $4 = kill* ]] || [ "$(left "$file")" -eq 0 ] || echo "$(left "$file") left at the end"
	wait_until "[ \"\$(left $file)\" -eq 0 ]" $bound || echo "$(left "$file") left"
	[ "$2" = trace ] || as "$mode" etalon show --json "${file##*/}" 2>/dev/null | jq -e .state >/dev/null ||
		echo "the experiment cannot be read"
	pkill -9 -f "evil [a-z-]+ $file(\.2)?\$"
}

modes=(grouped)
if [ -n "$public" ]; then
	modes+=(alone)
else
	skip "children: programs of another user are ended" "$why_not"
fi

# Four at a time: most of a trial is waiting.
mkdir -m 777 trials
n=0
for mode in "${modes[@]}"; do
	for ((t = 0; t < trials; t++)); do
		kind=${kinds[t % ${#kinds[@]}]}
		# The next combination that is possible.
		for ((i = t + t / ${#kinds[@]} + seed;; i++)); do
			ending=${endings[i % ${#endings[@]}]}
			arrangement=${arrangements[(i / ${#endings[@]} + t) % ${#arrangements[@]}]}
			! possible "$mode" "$arrangement" "$kind" "$ending" || break
		done
		n=$((n + 1))
		echo "$mode $arrangement $kind $ending" >"trials/$n.what"
		trial "$mode" "$arrangement" "$kind" "$ending" "$work/trials/$n" >"trials/$n.wrong" 2>&1 &
		[ "$(jobs -rp | wc -l)" -lt 4 ] || wait -n
	done
done
wait
for ((t = 1; t <= n; t++)); do
	read -r mode arrangement kind ending <"trials/$t.what"
	is "children: $kind ($arrangement, $mode) is ended by $ending" "$(cat "trials/$t.wrong")" ''
done
is "children: no keeper is left" "$(pgrep -x -a et-keeper | grep -c "$work")" 0
done_testing
