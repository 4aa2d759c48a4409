#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# daemons learn finds a daemon that was planted: now and then it takes the CPU away for 0.3 s.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

etalon put inc --seconds 1ms # calibrated now, not within a sample

# It lives all the time, as daemons do, and runs on the CPU that is measured before all others.
cat >plant.py <<'PY'
import os, sys, time
with open("/proc/self/comm", "w") as f:
    f.write("burstd")
os.sched_setaffinity(0, {int(sys.argv[1])})
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    print("first", flush=True)
except PermissionError:
    print("shared", flush=True)
for _ in range(60):
    time.sleep(1)
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
PY
cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
python3 plant.py "$cpu" >plant.out &
daemon=$!
for _ in $(seq 100); do
	[ -s plant.out ] && break
	sleep 0.05
done

# On a busy machine other things may be as loud; three times they are not.
found=
for _ in 1 2 3; do
	exits 'learn beside it' 0 taskset -c "$cpu" etalon daemons learn -q --json --short-runs 120 \
		--short-seconds 20ms --long-runs 0
	found=$(jq -c '.daemons[] | select(.daemon == "burstd")' .out)
	[ -n "$found" ] && break
done
kill $daemon
wait $daemon 2>/dev/null

etalon show --json daemons-short >record.json
ok 'it is listed by name for the samples that it hit' jq -e '[.commands[0].samples[] |
	select(any(.interference[]; .name == "burstd" and .pt_ns > 50000000))] | length >= 1' record.json
ok 'not for all of them' jq -e '[.commands[0].samples[] |
	select(any(.interference[]; .name == "burstd") | not)] | length > 60' record.json
if [ "$(cat plant.out)" = shared ]; then
	skip 'it is found to be long-running' 'no real-time priority: it cannot take the CPU away'
else
	ok 'it is found to be long-running' test -n "$found"
	ok 'with a cutoff below its bursts' jq -e '.final[0] > 0 and .final[0] < 300' <<<"$found"
	like 'which is kept' "$(etalon daemons show)" 'burstd '
fi

done_testing
