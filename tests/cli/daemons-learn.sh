#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon daemons learn` and `show`, interruption and --resume, and how `run` applies the cutoffs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

etalon put inc --seconds 1ms # calibrates now, not within a sample

refuses 'daemons show: without a store it fails' 4 '' etalon daemons show
exits 'daemons learn: short and long runs succeed' 0 etalon daemons learn --busy --short-runs 12 --short-seconds 5ms --long-runs 10 \
	--long-seconds 20ms
like 'daemons learn: a message says how infrequent a daemon may be to be seen' "$err" 'daemons that run at least once every .* are seen'
like 'daemons learn: the text has both runs' "$out" 'short run +12 samples, one every .*long run +10 samples, one every '
exits 'daemons show: the cutoffs are shown' 0 etalon daemons show
like 'daemons show: the text names the date, the kernel and the runs' "$out" "learned 20[^ ]*, less than a minute ago.*kernel +$(uname -r).*short run +12 samples.*floor +[0-9.]+ ms: the shortest"
exits 'daemons show: --json succeeds' 0 etalon daemons show --json
ok 'daemons learn: the floor of cutoffs is measured' jq -e '.floor_ms > 0 and .floor_ms != 0.1' .out
is 'daemons show: JSON names the kernel and the runs' "$(jq -r '[.kernel, .short_runs, .long_runs] | @csv' <<<"$out")" \
	"\"$(uname -r)\",12,10"
is 'daemons learn: both runs are stored as experiments' \
	"$(etalon list --json | jq -r '[.[] | .label] | sort | join(" ")')" 'daemons-long daemons-short'
exits 'daemons learn: --long-runs 0 succeeds' 0 etalon daemons learn --busy -q --json --label other --short-runs 10 \
	--short-seconds 5ms --long-runs 0
is 'daemons learn: --json without long runs removes no long sample' "$(jq -c .removed_long <<<"$out")" '[]'
is 'daemons learn: -q prints warnings only' "$(grep -v '^etalon: warning: ' <<<"$err")" ''

# A busy machine: another program has the same CPU, and the load is high.
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
taskset -c "$cpu" etalon put spin --seconds 600 >/dev/null &
spinner=$!
kept=$(etalon daemons show --json | jq -r .learned)
exits 'daemons learn: on a busy CPU the cutoffs are not kept' 3 taskset -c "$cpu" etalon daemons learn --label busy \
	--short-runs 10 --short-seconds 50ms --long-runs 0
like 'daemons learn: on a busy CPU a warning says how much others took' "$err" 'warning: other processes had the CPU for [0-9]+ % of the learning: daemons may hide in it; its cutoffs are not kept'
like 'daemons learn: on a busy CPU the hint says how to keep them' "$err" "hint: learn when the machine is quiet, or keep them with 'etalon daemons analyse --keep busy-short'"
is 'daemons learn: on a busy CPU the earlier cutoffs stay' "$(etalon daemons show --json | jq -r .learned)" "$kept"
exits 'daemons learn: --busy keeps them' 0 taskset -c "$cpu" etalon daemons learn -q --busy --label busy --short-runs 10 --short-seconds 50ms --long-runs 0
like 'daemons learn: with --busy the warning remains' "$err" 'its cutoffs are kept \(--busy\)'
ok 'daemons learn: with --busy the cutoffs are those of the last learning' test "$(etalon daemons show --json | jq -r .short_runs)" = 10
kill $spinner
wait $spinner 2>/dev/null
mkdir -p loaded/proc
printf 'processor\t: 0\n\nprocessor\t: 1\n' >loaded/proc/cpuinfo
echo '9.50 9.00 8.00 3/200 4711' >loaded/proc/loadavg
run env ETALON_SYSROOT="$PWD/loaded" etalon daemons learn -q --label loaded --short-runs 10 --short-seconds 2ms --long-runs 0
like 'daemons learn: a high load gives a warning before it begins' "$err" '^etalon: warning: the load of this machine is 9\.5 on [0-9]+ CPUs?: daemons can hardly be distinguished'

# Without exit records it misses processes that start and end within a sample.
if unshare -pf --mount-proc true 2>/dev/null; then
	exits 'daemons learn: it succeeds in a PID namespace' 0 unshare -pf --mount-proc etalon daemons learn --busy -q --json \
		--label inside --short-runs 10 --short-seconds 5ms --long-runs 0
	if [[ $(etalon show --json inside-short | jq -r .image_source) == proc* ]]; then
		like 'daemons learn: without exit records a warning says what was not seen' "$err" 'began and ended within a run were not seen'
	else
		skip 'daemons learn: without exit records a warning says what was not seen' 'the namespace has exit records'
	fi
else
	skip 'daemons learn: it succeeds in a PID namespace' 'none can be made here'
fi

# Interrupted in the long run, then resumed.
etalon daemons learn --label cut --short-runs 10 --short-seconds 5ms --long-runs 30 \
	--long-seconds 100ms >cut.out 2>cut.err &
pid=$!
wait_for_samples cut-long 4
kill -s TERM $pid
wait $pid
is 'daemons learn: SIGTERM gives exit status 143' $? 143
like 'daemons learn: after SIGTERM a hint shows how to continue' "$(cat cut.err)" 'etalon daemons learn --resume --label cut'
is 'daemons learn: after SIGTERM the long run is kept as interrupted' "$(etalon show --json cut-long | jq -r .state)" interrupted
first=$(etalon show --json cut-short | jq -r .id)
refuses 'daemons learn: --resume rejects another plan' 2 '--resume and --short-runs exclude each other' etalon daemons learn --resume \
	--label cut --short-runs 20
exits 'daemons learn: --resume succeeds' 0 etalon daemons learn --busy --resume --label cut
is 'daemons learn: --resume does not repeat the short run' "$(etalon show --json cut-short | jq -r .id)" "$first"
is 'daemons learn: --resume completes the long run' \
	"$(etalon show --json cut-long | jq '[.commands[0].samples[] | select(.warmup | not)] | length')" 30
refuses 'daemons learn: --resume rejects a label without runs' 2 'nothing to continue under the label' etalon daemons learn --resume --label nosuch
refuses 'daemons learn: fewer than 10 short runs are rejected' 2 'short-runs' etalon daemons learn --short-runs 9
refuses 'daemons learn: fewer than 10 long runs are rejected' 2 'at least 10' etalon daemons learn --long-runs 9
refuses 'daemons learn: long runs shorter than the short ones are rejected' 2 'not above' etalon daemons learn --long-seconds 1s
refuses 'daemons show: an option of learn is rejected' 2 'daemons show takes no --long-runs' etalon daemons show --long-runs 3
refuses 'daemons learn: an option of analyse is rejected' 2 'daemons learn takes no --keep' etalon daemons learn --keep

# A daemon with a cutoff of 5 ms. It works for a while when the program asks it to, and the program
# waits for it. Its name is our own: another copy of this script may run at the same time.
name=burst-$$
cat >record.json <<JSON
{"short_run": {"samples": 100, "sample_seconds": 1, "central": [],
	"l_samples": [{"sample": 50, "pt": [["$name", 10]]}]}}
JSON
exits 'daemons analyse: --keep stores the cutoffs of a record' 0 etalon daemons analyse --keep record.json
like 'daemons show: stored cutoffs are shown' "$(etalon daemons show)" "$name +5.0"
cp /bin/bash "$name"
mkfifo go gone
# shellcheck disable=SC2016 # the daemon expands it
"./$name" -c 'while read -r _ <&3; do for ((i = 0; i < 60000; i++)); do :; done; echo >&4; done' 3<>go 4<>gone &
daemon=$!
wait_until '[ "$(cat /proc/$daemon/comm)" = "$name" ]'
cat >asks.sh <<'SH'
#!/bin/bash
# asks.sh RUN...: in these runs the daemon works; in run 6 the program itself takes longer
sleep 0.02
for run; do
	[ "$run" != "$ETALON_ITERATION" ] || { echo >go; read -r _ <gone; }
done
if [ "$ETALON_ITERATION" = 6 ]; then sleep 0.5; fi
SH
chmod +x asks.sh
exits 'run: it succeeds beside a daemon that has a cutoff' 0 etalon run -v -r 6 --json hit.json './asks.sh 2'
ok 'run: a sample with a daemon above its cutoff is removed with the reason' jq -e --arg name "$name" '[.commands[0].samples[] |
	select(.removed) | .removed | .by == "daemon-cutoff" and .daemon == $name and
	.cutoff_ns == 5000000 and .pt_ns > 5000000] | length == 1 and all' hit.json
like 'run: the summary counts the samples removed by a cutoff' "$out" '1 removed \(1 daemon-cutoff\)'
like 'run: the summary shows the times before the removal' "$out" 'all 6 runs .* CPU time'
ok 'run: JSON has the result before and after the removal' jq -e '.commands[0].result | .n == 5 and .removed == 1 and
	.before_removal.pt.n == 6 and .before_removal.et.mean_ns > 0' hit.json
ok 'run: JSON has the state of check I and its learning' jq -e '.first_check |
	.state == "done" and .cutoffs == 1 and .would_remove == 0 and .learned_wall_ns > 0' hit.json
ok 'show: a removal by a cutoff is stored' bash -c 'etalon show --json | jq -e ".commands[0].result.removed == 1"'
exits 'run --keep-all: it succeeds beside a daemon that has a cutoff' 0 etalon run -r 6 --keep-all --json hit.json './asks.sh 2'
ok 'run --keep-all: samples above a cutoff are marked and not removed' jq -e '[.commands[0].samples[] |
	select(.marks | index("daemon-cutoff")) | .removed == null] | length == 1 and all' hit.json
ok 'show: a mark for a cutoff is stored' bash -c 'etalon show --json |
	jq -e "[.commands[0].samples[] | select(.marks | index(\"daemon-cutoff\"))] | length == 1"'

# Check II of EMP follows check I, with nine samples as well, and judges elapsed time if that is asked for.
exits 'run --protocol emp: it succeeds beside a daemon that has a cutoff' 0 etalon run -v --protocol emp --metric et -r 10 \
	--label both --json hit.json './asks.sh 2'
like 'run --protocol emp: check I removes one of ten samples, check II one of nine' "$out" '2 removed \(1 daemon-cutoff, 1 two-sigma\)'
ok 'run --protocol emp: the sample that slept half a second is removed by elapsed time' jq -e '[.commands[0].samples[] |
	select(.removed.by == "two-sigma") | .et_ns > 500000000 and .pt_ns < 400000000] == [true]' hit.json

# Cutoffs that most samples exceed do not fit, so they remove none.
exits 'run: it succeeds beside a daemon that works in most runs' 0 etalon run -r 5 --protocol emp --json hit.json './asks.sh 1 2 3'
ok 'run: check I that would remove most samples is withdrawn' jq -e '.first_check.state == "withdrawn" and
	.first_check.would_remove == 3 and .commands[0].result.n == 5 and .commands[0].result.removed == 0' hit.json
ok 'run: the samples are marked' jq -e '[.commands[0].samples[] | select(.marks | index("daemon-cutoff"))] | length == 3' hit.json

exits 'run --protocol raw: it succeeds beside a daemon that has a cutoff' 0 etalon run -r 3 --protocol raw --json hit.json './asks.sh 1'
ok 'run --protocol raw: no sample is removed by a cutoff' jq -e '.commands[0].result | .removed == 0 and .before_removal == null' hit.json
exits 'run: a program longer than the learned runs succeeds' 0 etalon run -v -w 0 -r 1 --json longer.json 'sleep 2.5'
ok 'run: a program longer than the learned runs raises a warning with its code' jq -e '.warnings |
	any(.code == "cutoffs-other-length")' longer.json
like 'run: a program longer than the learned runs gets a warning about the cutoffs' "$(tr '\n' ' ' <<<"$out" | tr -s ' ')" 'do not apply to a program of 2\.5'
like 'run: a program longer than the learned runs loses no sample by the cutoffs' "$out" '1 run: 1 alone'
kill $daemon
wait $daemon 2>/dev/null

# The same cutoffs, as if they were from another kernel and 100 days old.
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("store.db")
key, value = next((k, v) for k, v in db.execute("SELECT key, value FROM fact")
                  if k.startswith("daemon-cutoffs"))
import json
d = json.loads(value)
d["kernel"] = "5.0.0-old"
d["learned_wall_ns"] -= 100 * 86400 * 10**9
db.execute("UPDATE fact SET value = ? WHERE key = ?", (json.dumps(d), key))
db.commit()
PY
exits 'daemons show: cutoffs from another kernel are shown' 0 etalon daemons show
like 'daemons show: cutoffs from another kernel give a warning' "$out" 'another kernel \(5\.0\.0-old, now'
like 'daemons show: cutoffs that are 100 days old give a warning' "$out" '100 days old'
ok 'daemons show: both warnings about the cutoffs have their codes' bash -c 'etalon daemons show --json |
	jq -e "[.warnings[].code] == [\"cutoffs-other-kernel\", \"cutoffs-old\"]"'
exits 'run: it succeeds with cutoffs from another kernel' 0 etalon run -r 1 true
like 'run: cutoffs from another kernel give a warning' "$(tr '\n' ' ' <<<"$out" | tr -s ' ')" 'cutoffs of daemons are those of another kernel'

done_testing
