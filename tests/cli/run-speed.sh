#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The speed of the machine: the probe before and after each run, the samples that it removes, --pace.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

busy='sh -c "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"'

exits "probe: it is on by default" 0 etalon run -q -r 4 --json on.json "$busy"
ok "probe: every sample has its readings" jq -e '.plan.probe and ([.commands[0].samples[] | .probe_before_ns > 0] | all)' on.json
exits "probe: --no-probe succeeds" 0 etalon run -q -r 12 --no-probe --json off.json "$busy"
ok "probe: --no-probe leaves the readings empty" jq -e '(.plan.probe | not) and ([.commands[0].samples[] |
	.probe_before_ns == null and .probe_after_ns == null] | all)' off.json
ok "probe: --no-probe removes no sample as slow" jq -e '[.commands[0].samples[].removed | select(. != null) |
	has("probe_ns")] | any | not' off.json
exits "probe: a duet succeeds" 0 etalon run -q -r 2 --order duet --json duet.json "$busy" "$busy"
ok "probe: a duet has no readings" jq -e '[.commands[].samples[] | select(.arrangement == "duet") |
	.probe_before_ns == null] | length > 0 and all' duet.json

# Slow samples are imported as an experiment that was interrupted after its last run. Its readings
# are of a far slower loop, so that those of this machine do not matter.
interrupted() # interrupted ID SLOW KEEP_ALL [PROTOCOL]: the first SLOW of 20 samples are slow, the last is an outlier
{
	jq -n --arg id "$1" --argjson slow "$2" --argjson keep "$3" --arg protocol "${4-cause}" '
		{ etalon: 1, id: $id, label: $id, started: "2026-01-01T00:00:00Z", state: "interrupted",
		  protocol: $protocol, metric: "pt", order: "random", seed: 1,
		  plan: { reference: 0, warmup: 0, runs: 20, until_ratio: 0, min_runs: 10, max_runs: 1000,
			probe: true, keep_all: $keep, level: 0.95 },
		  child: {}, host: {},
		  commands: [ { name: "true", command: "true", argv: ["true"], samples: [ range(20) | {
			index: (. + 1), order: (. + 1), round: (. + 1), position: 0, arrangement: "solo",
			warmup: false, exit_code: 0, et_ns: 80000000, pt_ns: (49000000 + . % 3 * 100000 + if . == 19 then 800000 else 0 end + if . < $slow then 20000000 else 0 end),
			probe_before_ns: 20000000,
			probe_after_ns: (if . < $slow then 40000000 else 20000000 end) } ] } ] }' |
		etalon import -q - >/dev/null
}

interrupted some 6 false
exits "probe: an interrupted experiment with 6 slow samples of 20 is resumed" 0 etalon run -v --resume=some --trust-record --json some.json
ok "probe: slow samples are removed with reading and limit" jq -e '[.commands[0].samples[].removed | select(. != null)] |
	length == 6 and all(.by == "machine-slow" and .probe_ns == 40000000 and .limit_ns == 22000000)' some.json
like "probe: the summary counts the slow samples" "$out" '20 runs: 14 alone, 6 removed \(6 machine-slow\)'
like "probe: the summary shows the result before the removal" "$out" 'all 20 runs .* CPU time'
like "probe: a warning counts the slow samples and names --pace" "$(tr -s '\n ' ' ' <<<"$out")" 'slow in 6 of 20 runs, which were removed; --pace'
exits "probe: show -v succeeds" 0 etalon show -v some
like "probe: show -v sums up the slow samples, with the reading and the limit" "$(tr -s '\n ' ' ' <<<"$out")" 'removed 6 machine-slow \(samples 1-6; probe 40\.00 ms, limit 22\.00 ms\)'
ok "probe: show --json has the same removals" jq -e --slurpfile a some.json \
	'.commands[0].samples[0].removed == $a[0].commands[0].samples[0].removed' <(etalon show --json some)

interrupted most 16 false
exits "probe: an interrupted experiment with 16 slow samples of 20 is resumed" 0 etalon run --resume=most --trust-record --json most.json
ok "probe: if too few samples would be left, slow ones are marked and not removed" jq -e '.commands[0] |
	([.samples[] | select(.removed != null)] | length == 0) and
	([.samples[] | select(.marks | index("machine-slow"))] | length == 16)' most.json
like "probe: a note has the times in both states of the machine" "$(tr -s '\n ' ' ' <<<"$out")" \
	'note: the machine changed its speed: 49.3 ms when fast \(4 runs\), 69.1 ms when slow \(16 runs\); at full speed it takes 49\.3[0-9]* ms ± [0-9.]+ ms, by the probe'
ok "states: the record has the runs and means at full speed and when slowed" jq -e '.commands[0].result.states |
	.fast == 4 and .slow == 16 and (.fast_mean_ns - 49300000 | fabs < 1) and (.slow_mean_ns - 69093750 | fabs < 1)' most.json
ok "full speed: the probe as a covariate gives a narrower interval than the mean" jq -e '.commands[0].result |
	.full_speed.n == 20 and (.full_speed.mean_ns - 49300000 | fabs < 1) and
	.full_speed.expanded_uncertainty_ns < .pt.expanded_uncertainty_ns' most.json
ok "full speed: it is not needed if slow samples were removed" jq -e '.commands[0].result |
	.full_speed == null and .states.slow == 6' some.json

interrupted emp 0 false emp
exits "emp: an interrupted experiment is resumed" 0 etalon run --resume=emp --trust-record --json emp.json
ok "emp: an outlier is removed, and the record has the mean before and after" jq -e '.commands[0] |
	([.samples[].removed | select(. != null).by] == ["two-sigma"]) and (.result.second_check |
	.removed == 1 and (.mean_before_ns - 49135000 | fabs < 1) and (.mean_after_ns - 49094736.84 | fabs < 1) and
	(.change - (.mean_after_ns / .mean_before_ns - 1) | fabs < 1e-12))' emp.json
interrupted cause 0 false
exits "cause: an interrupted experiment is resumed" 0 etalon run --resume=cause --trust-record --json cause.json
ok "cause: an outlier is marked and counts" jq -e '.commands[0] | ([.samples[].removed | select(. != null)] == []) and
	(.samples[19].marks == ["two-sigma"]) and .result.pt.n == 20 and .result.second_check == null' cause.json
exits "cause: it is the default" 0 etalon run -q -r 2 --json default.json true
is "cause: the record names it" "$(jq -r .protocol default.json)" cause

interrupted all 6 true
exits "probe: an interrupted experiment with --keep-all is resumed" 0 etalon run --resume=all --trust-record --json all.json
ok "probe: --keep-all marks slow samples and removes none" jq -e '.commands[0] | ([.samples[] | select(.removed != null)] | length == 0) and
	([.samples[] | select(.marks | index("machine-slow"))] | length == 6)' all.json

# --- the reference loop ---

# The reference loop is a fork of etalon, so it has etalon's command line and its label.
exits "--pace: run succeeds" 0 etalon run -v -r 8 --pace --label "paced-$$" --json pace.json "$busy"
is "--pace: no reference loop outlives the run" "$(pgrep -fc "label paced-$$")" 0
ok "--pace: the reference loop ran beside every sample" jq -e '.plan.pace and ([.commands[0].samples[] |
	select(.warmup | not) | .arrangement == "paced" and .pace_loops > 0 and .pace_ns > 0 and
	.et_ns > .pt_ns] | length == 8 and all)' pace.json
like "--pace: the text has the time at full speed" "$out" 'at full speed '
like "--pace: a warning says that the elapsed time is shared" "$(tr -s '\n ' ' ' <<<"$out")" "elapsed time is not the program's own"
ok "--pace: the result has an interval or the reason why not" jq -e '.commands[0].result.paced | .n <= 8 and has("coefficient") and
	(if .why_not then .mean_ns == null else .interval_ns[0] < .mean_ns and .mean_ns < .interval_ns[1] end)' pace.json
ok "--pace: the plain result is there, too" jq -e '.commands[0].result.pt.n == 8' pace.json
ok "--pace: no probe is read" jq -e '[.commands[0].samples[] | select(.warmup | not) |
	.probe_before_ns == null] | all' pace.json
ok "--pace: a run without it has no paced result" jq -e '.commands[0].result.paced == null' on.json
ok "--pace: show gives the same result" jq -e --slurpfile a pace.json '.commands[0].result.paced == $a[0].commands[0].result.paced' \
	<(etalon show --json last)
exits "--pace: five samples succeed" 0 etalon run -q -r 5 --pace true
like "--pace: the text says that five samples are too few" "$(tr -s '\n ' ' ' <<<"$out")" 'at full speed not known: the reference loop ran in too few samples'
exits "--pace: two commands in random order succeed" 0 etalon run -q -r 3 --pace --order random --metronome 1ms --json two.json "$busy" "$busy"
ok "--pace: two commands in random order are compared by blocks" jq -e '.comparisons[0].paired | .pairs == 3 and .arrangement == "block"' two.json
exits "--pace: two commands succeed" 0 etalon run -q -r 2 --pace --json auto.json "$busy" "$busy"
ok "--pace: two commands are compared by duets" jq -e '[.commands[1].samples[] | select(.warmup | not).arrangement] |
	sort == ["duet", "duet", "paced", "paced"]' auto.json

refuses "--pace: --order duet is rejected" 2 "each program is the other's reference" etalon run --pace --order duet true true
refuses "--pace: --protocol kbest is rejected" 2 'needs solo runs' etalon run --pace --protocol kbest true
refuses "--pace: --metric et is rejected" 2 'cannot judge elapsed time' etalon run --pace --metric et true
refuses "--pace: a real-time --sched is rejected" 2 'never run' etalon run --pace --sched fifo:5 true
refuses "--pace: --resume is rejected" 2 '--resume and --pace exclude each other' etalon run --resume --pace

# A killed run: its loop ends, and --resume continues with paced runs.
label=killed-$$
etalon run -q --label $label -r 15 --pace "sleep 0.3$$" >/dev/null 2>&1 &
pid=$!
wait_for_samples $label 1
# The loop is a child with etalon's name; the keeper has a name of its own.
wait_until 'pgrep -P $pid -x etalon >/dev/null'
kill -KILL $pid
wait $pid 2>/dev/null
ok "--pace: the reference loop ends with a killed etalon" wait_until '! pgrep -f "label $label"'
exits "--pace: a killed run is resumed" 0 etalon run -q --resume=$label --json killed.json
ok "--pace: the resumed samples are paced" jq -e '[.commands[0].samples[] | select(.warmup | not).arrangement] |
	length == 15 and all(. == "paced")' killed.json
done_testing
