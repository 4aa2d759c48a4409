#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Processes that a killed etalon leaves in its control group: the next etalon ends them all, and never
# touches those of an etalon that lives.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# enter_group: moves this script into control groups of its own, in which no other etalon looks for
# leftovers
entered=()
enter_group()
{
	local type mount controllers path
	while read -r type mount; do
		while IFS=: read -r _ controllers path; do
			[ "$type" = cgroup2 ] && [ -n "$controllers" ] && continue
			[ "$type" = cgroup ] && [[ $controllers != *cpuacct* ]] && continue
			mkdir "$mount$path/test-$$" && entered+=("$mount$path") &&
				echo $$ >"$mount$path/test-$$/cgroup.procs"
		done </proc/self/cgroup
	done < <(sed -nE 's/^([^ ]+ ){4}([^ ]+) .* - (cgroup2|cgroup) .*/\3 \2/p' /proc/self/mountinfo |
		grep -E '^cgroup2|cpuacct')
}

# shellcheck disable=SC2317 # called by a trap
leave_group()
{
	local group
	for group in "${entered[@]}"; do
		echo $$ >"$group/cgroup.procs"
		find "$group/test-$$" -depth -type d -exec rmdir {} + 2>/dev/null
	done
}
trap 'clean_up; leave_group' EXIT
enter_group 2>/dev/null

# kill_hard PID: kills an etalon without its noticing, and first its keeper, which would clean up
kill_hard()
{
	local keeper
	keeper=$(pgrep -P "$1" -x et-keeper)
	# shellcheck disable=SC2086 # none or one
	{ kill -9 $keeper "$1" && wait "$1"; } 2>/dev/null
}

groups()
{
	find /sys/fs/cgroup -maxdepth 8 -name "etalon-$1.*" 2>/dev/null | wc -l
}

if [ "$(etalon run -q -w 0 -r 1 --json - true 2>/dev/null | jq -r '.commands[0].samples[0].pt_source')" = wait4 ]; then
	echo '1..0 # SKIP needs a control group'
	exit 0
fi

etalon run -w 0 -r 3 -- bash -c 'for i in {1..400}; do setsid sleep 78.'$$' & done; >many; sleep 60' >/dev/null 2>&1 &
pid=$!
wait_until '[ -e many ] && [ "$(pgrep -fc "^sleep 78\.$$")" -eq 400 ]'
kill_hard $pid
is "leftovers: 400 processes survive an etalon that was killed with its keeper" "$(pgrep -fc "^sleep 78\.$$")" 400
exits "leftovers: the next run succeeds" 0 etalon run -w 0 -r 1 true
like "leftovers: the next run says how many processes it ended, and names them" "$raw_err" \
	'^etalon: ended 40[01] processes that an earlier, interrupted etalon left running: (sleep|bash)(, (sleep|bash))?$'
is "leftovers: the next run ends all of them" "$(pgrep -fc "^sleep 78\.$$")" 0
is "leftovers: the next run removes the control group" "$(groups $pid)" 0
exits "leftovers: the run after it succeeds" 0 etalon run -w 0 -r 1 true
unlike "leftovers: the run after it ends nothing" "$raw_err" 'interrupted etalon'

# A process is not protected by its name.
cp "$(command -v sleep)" etalon
etalon run -w 0 -r 3 -- bash -c 'setsid ./etalon 79.'$$' & >named; sleep 60' >/dev/null 2>&1 &
pid=$!
wait_until '[ -e named ] && pgrep -f "^./etalon 79\.$$" >/dev/null'
kill_hard $pid
exits "leftovers: --quiet prints nothing about them" 0 etalon run -q -w 0 -r 1 true
is "leftovers: --quiet prints nothing on standard error" "$err" ''
is "leftovers: a process that is named etalon is ended" "$(pgrep -fc "^./etalon 79\.$$")" 0
rm etalon

# Trace runs programs, too.
etalon run -w 0 -r 3 -- bash -c 'setsid sleep 80.'$$' & >again; sleep 60' >/dev/null 2>&1 &
pid=$!
wait_until '[ -e again ] && pgrep -f "^sleep 80\.$$" >/dev/null'
kill_hard $pid
run etalon trace --duration 10ms
is "leftovers: trace ends them as well" "$(pgrep -fc "^sleep 80\.$$")" 0

# An etalon in a container has other PIDs, and perhaps another name.
cp "$ETALON" et2
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	for binary in ./et2 etalon; do
		name=in-$(basename "$binary")
		unshare --pid --fork --mount-proc "$binary" run -w 0 --label "$name" -r 500 'sleep 0.02' >/dev/null 2>&1 &
		wait_for_samples "$name" 2
		exits "container: a run outside succeeds" 0 etalon run -w 0 -r 2 true
		unlike "container: a run outside ends nothing" "$err" 'interrupted etalon'
		before=$(samples "$name")
		ok "container: $binary inside continues after a run outside" wait_for_samples "$name" $((before + 2))
		pkill -P $! -f "run -w 0 --label $name"
		wait $!
	done
	etalon run -w 0 --label outside -r 500 'sleep 0.02' >/dev/null 2>&1 &
	wait_for_samples outside 2
	exits "container: a run inside succeeds" 0 unshare --pid --fork --mount-proc ./et2 run -w 0 -r 2 true
	unlike "container: a run inside ends nothing" "$err" 'interrupted etalon'
	before=$(samples outside)
	ok "container: etalon outside continues after a run inside" wait_for_samples outside $((before + 2))
	kill $!
	wait $!
else
	skip "container: etalons inside and outside do not touch each other" 'cannot make a PID namespace'
fi
done_testing
