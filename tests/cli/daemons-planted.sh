#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon daemons learn` finds a daemon that this script starts, which takes the CPU for 0.3 s every
# second or less often.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

etalon put inc --seconds 1ms # calibrates now, not within a sample

# Both have real-time priority, so that a busy machine does not matter: the samples preempt everything
# else, and the daemon preempts the samples.
if ! chrt -f 1 true 2>/dev/null; then
	skip 'daemons learn: it succeeds beside a daemon that runs for 0.3 s every second' 'no real-time priority, so every other process would disturb, too'
	done_testing
fi

# It runs all the time, as daemons do. Its name is our own: another copy of this script may run.
name=burst-$$
cat >plant.py <<'PY'
import os, sys, time
with open("/proc/self/comm", "w") as f:
    f.write(sys.argv[2])
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
while True:
    time.sleep(float(sys.argv[3]))
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
PY
cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
# Once in 40 samples: a daemon that comes more often is not infrequent. A sample takes long with sanitizers.
begin=$(date +%s%N)
etalon run -q -w 0 -r 10 'etalon put inc --seconds 20ms' >/dev/null
period=$(python3 -c "print(max(1, 40 * ($(date +%s%N) - $begin) / 1e10))")
python3 plant.py "$cpu" "$name" "$period" &
daemon=$!
wait_until '[ "$(cat /proc/$daemon/comm)" = "$name" ]'

# One attempt may fail: another virtual machine may disturb as much, or a burst may fall between a
# snapshot and the start of the program and seem harmless. Three attempts do not fail.
below='.final[0] > 0 and .final[0] < 300'
found=
for _ in 1 2 3; do
	exits 'daemons learn: it succeeds beside a daemon that runs for 0.3 s every second' 0 taskset -c "$cpu" chrt -f 1 etalon daemons learn --busy -q --json \
		--short-runs 150 --short-seconds 20ms --long-runs 0
	found=$(jq -c '.daemons[] | select(.daemon == "'"$name"'")' .out)
	[ -n "$found" ] && jq -e "$below" <<<"$found" >/dev/null && break
done
kill $daemon
wait $daemon 2>/dev/null

etalon show --json daemons-short >record.json
ok 'daemons learn: the samples that the daemon hit name it' jq -e --arg name "$name" '[.commands[0].samples[] |
	select(any(.interference[]; .name == $name and .pt_ns > 50000000))] | length >= 1' record.json
ok 'daemons learn: most samples do not name the daemon' jq -e --arg name "$name" '[.commands[0].samples[] |
	select(any(.interference[]; .name == $name) | not)] | length > 75' record.json
ok 'daemons learn: the daemon is found to be long-running' test -n "$found"
ok 'daemons learn: the cutoff of the daemon is below its 0.3 s' jq -e "$below" <<<"${found:-null}"
like 'daemons learn: the cutoff of the daemon is stored' "$(etalon daemons show)" "$name "

done_testing
