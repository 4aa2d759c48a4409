#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# daemons learn and show, what `run` does with the cutoffs, and that an interrupted learn goes on.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

etalon put inc --seconds 1ms # calibrated now, not within a sample

refuses 'nothing is kept yet' 4 '' etalon daemons show
exits 'learn' 0 etalon daemons learn --short-runs 12 --short-seconds 5ms --long-runs 10 \
	--long-seconds 20ms
like 'says what it can see' "$err" 'daemons that run at least once every .* are seen'
like 'draws both runs' "$out" 'short run: 12 samples of .*long run: 10 samples of '
exits 'show' 0 etalon daemons show
like 'tells when, where and how' "$out" "learned 20.* ago.*kernel +$(uname -r).*short run +12 samples"
exits 'as JSON' 0 etalon daemons show --json
is 'with its provenance' "$(jq -r '[.kernel, .short_runs, .long_runs] | @csv' <<<"$out")" \
	"\"$(uname -r)\",12,10"
is 'both runs are experiments like others' \
	"$(etalon list --json | jq -r '[.[] | .label] | sort | join(" ")')" 'daemons-long daemons-short'
exits 'learn without a long run' 0 etalon daemons learn -q --json --label other --short-runs 10 \
	--short-seconds 5ms --long-runs 0
is 'as JSON' "$(jq -c .removed_long <<<"$out")" '[]'
is 'without talk but what it has not seen' "$(grep -v '^etalon: warning: .*not seen$\|^hint: run as root' <<<"$err")" ''

# Without exit records it cannot know all, and says so.
if unshare -pf --mount-proc true 2>/dev/null; then
	exits 'learn in a container' 0 unshare -pf --mount-proc etalon daemons learn -q --json \
		--label inside --short-runs 10 --short-seconds 5ms --long-runs 0
	if [[ $(etalon show --json inside-short | jq -r .image_source) == proc* ]]; then
		like 'says what it has not seen' "$err" 'began and ended within a sample were not seen'
	fi
else
	skip 'learn in a container' 'none can be made here'
fi

# Interrupted in the long run, and gone on with.
etalon daemons learn --label cut --short-runs 10 --short-seconds 5ms --long-runs 30 \
	--long-seconds 100ms >cut.out 2>cut.err &
pid=$!
wait_for_samples cut-long 4
kill -s TERM $pid
wait $pid
is 'SIGTERM ends it' $? 143
like 'and it says how to go on' "$(cat cut.err)" 'etalon daemons learn --resume --label cut'
is 'the long run is kept' "$(etalon show --json cut-long | jq -r .state)" interrupted
first=$(etalon show --json cut-short | jq -r .id)
refuses 'resuming takes no other plan' 2 'takes no other' etalon daemons learn --resume \
	--label cut --short-runs 20
exits 'resume' 0 etalon daemons learn --resume --label cut
is 'the short run is not done again' "$(etalon show --json cut-short | jq -r .id)" "$first"
is 'the long one is complete' \
	"$(etalon show --json cut-long | jq '[.commands[0].samples[] | select(.warmup | not)] | length')" 30
refuses 'nothing to resume' 2 'nothing to continue under the label' etalon daemons learn --resume --label nosuch
refuses 'too few samples' 2 'short-runs' etalon daemons learn --short-runs 9
refuses 'too few long ones' 2 'at least 10' etalon daemons learn --long-runs 9
refuses 'long ones that are short' 2 'not above' etalon daemons learn --long-seconds 1s
refuses 'an option that is not of show' 2 'learn' etalon daemons show --long-runs 3
refuses 'an option that is not of learn' 2 'analyse' etalon daemons learn --keep

# A daemon that runs while samples are taken, and its cutoff of 5 ms.
cat >record.json <<'JSON'
{"short_run": {"samples": 100, "sample_seconds": 1, "central": [],
	"l_samples": [{"sample": 50, "pt": [["burstd", 10]]}]}}
JSON
exits 'cutoffs of a record are kept' 0 etalon daemons analyse --keep record.json
like 'and shown' "$(etalon daemons show)" 'burstd +5.0'
cp "$ETALON" burstd
./burstd put spin --wall --seconds 60 &
daemon=$!
exits 'run beside a daemon' 0 etalon run -r 3 --json hit.json 'sleep 0.3'
ok 'each sample is removed, for a recorded cause' jq -e '[.commands[0].samples[] |
	select(.warmup | not) | .removed | .by == "daemon-cutoff" and .daemon == "burstd" and
	.cutoff_ns == 5000000 and .pt_ns > 5000000] | length == 3 and all' hit.json
like 'which the summary says' "$out" '3 removed \(3 daemon-cutoff\)'
like 'with the times before' "$out" 'CPU time .* of all 3 samples'
ok 'so does the record' jq -e '.commands[0].result | .n == 0 and .removed == 3 and
	.before_removal.pt.n == 3 and .before_removal.et.mean_ns > 0' hit.json
ok 'the store keeps it' bash -c 'etalon show --json | jq -e ".commands[0].result.removed == 3"'
exits 'run --keep-all' 0 etalon run -r 3 --keep-all --json hit.json 'sleep 0.3'
ok 'marks only' jq -e '[.commands[0].samples[] | select(.warmup | not) |
	.removed == null and (.marks | index("daemon-cutoff") != null)] | length == 3 and all' hit.json
ok 'in the store, too' bash -c 'etalon show --json |
	jq -e "[.commands[0].samples[] | select(.marks | index(\"daemon-cutoff\"))] | length == 3"'
exits 'run --protocol raw' 0 etalon run -r 3 --protocol raw --json hit.json 'sleep 0.3'
ok 'does neither' jq -e '.commands[0].result | .removed == 0 and .before_removal == null' hit.json
exits 'a program that is longer than what was learned' 0 etalon run -w 0 -r 1 'sleep 2.5'
like 'is not judged by the cutoffs' "$(tr '\n' ' ' <<<"$out" | tr -s ' ')" 'say nothing about a program of 2\.5'
like 'no sample is removed' "$out" '1 kept'
kill $daemon
wait $daemon 2>/dev/null

# The same cutoffs, from another kernel and long ago.
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
exits 'old cutoffs' 0 etalon daemons show
like 'of another kernel are doubted' "$out" 'from another kernel \(5\.0\.0-old, now'
like 'and for their age' "$out" '100 days old'
exits 'by run, too' 0 etalon run -r 1 true
like 'of course' "$(tr '\n' ' ' <<<"$out" | tr -s ' ')" 'cutoffs are from another kernel'

done_testing
