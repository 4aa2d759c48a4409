#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at any moment of `run` and `daemons learn`: every turn is stored once, and at most a group of
# samples is lost.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/torture/kill.sh
. "$root/tests/torture/kill.sh"

# --- run
# kill_runs NAME KILLS MS TURN OPTIONS…: of the command $verb
verb=run
kill_runs()
{
	local name=$1 wanted=$2 ms=$3 turn=$4
	shift 4
	start_over "$ms"
	plan+=("$@")
	while [ $n -lt "$wanted" ]; do
		experiment $((100 + rounds * (ms + 4) * 2)) etalon $verb -q || { failed=1; break; }
	done
	is "$name: experiments resume to their end after $n kills" $failed 0
	judge "$name" "$ms" "$turn"
}
part=$(((kills + 3) / 4))
kill_runs 'run of long programs' $part 25 1 --order random
kill_runs 'run of short programs' $part 2 1 --order random
# The two append to one file, which scouting would find.
kill_runs 'run of pairs' $part 25 2 --order duet --no-scout
kill_runs 'run beside the reference loop' $part 25 1 --pace --order sequential

# --- profile
if etalon profile -q -r 1 -w 0 -F 5000 -- etalon put inc --seconds 20ms >/dev/null 2>"$work/.why"; then
	verb=profile
	kill_runs 'profile' $part 25 1 -F 5000 --compare
	is 'profile: every run is stored with its samples' "$(python3 "$here/account.py" store.db profiles 0)" ''
else
	skip 'profile: every run is stored with its samples' "$(head -n 1 "$work/.why")"
fi

# --- doe
start_over 25
cat >kills.yaml <<END
name: kills
programs: [{name: stamp, command: "$STAMP $work/completions {name} 25"}]
factors:
  - {name: name, kind: parameter, levels: [a, b]}
  - {name: pad, kind: environment-size, levels: [0, 512]}
replications: $((rounds + 1))
order: random
response: et
END
plan=(kills.yaml) resume=(kills.yaml)
while [ $n -lt $part ]; do
	experiment $((100 + rounds * 29 * 4)) etalon doe run -q || { failed=1; break; }
	[ $n -ge $part ] || rm -f store.db*
done
is "doe run: the same command continues to the end after $n kills" $failed 0
judge 'doe run' 25 1
resume=(--resume)

# --- daemons learn
etalon put inc --seconds 1ms # calibrates now
n=0 failed=0 wrong=0
while [ $n -lt $kills ]; do
	rm -f store.db*
	ms=900
	while :; do
		plan=(--short-runs 12 --short-seconds 4ms --long-runs 10 --long-seconds 12ms)
		[ ! -s store.db ] || ! etalon list -q 2>/dev/null | grep -q learned || plan=(--resume)
		killed_after $ms etalon daemons learn --busy -q --label learned "${plan[@]}" || break
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
