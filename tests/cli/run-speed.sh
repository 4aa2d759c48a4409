#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How fast the machine was: the probe beside each run, samples removed by it, and --pace.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

busy='sh -c "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"'

exits "the probe is on" 0 etalon run -q -r 4 --json on.json "$busy"
ok "and recorded" jq -e '.plan.probe and ([.commands[0].samples[] | .probe_before_ns > 0] | all)' on.json
exits "--no-probe" 0 etalon run -q -r 12 --no-probe --json off.json "$busy"
ok "has none" jq -e '(.plan.probe | not) and ([.commands[0].samples[] |
	.probe_before_ns == null and .probe_after_ns == null] | all)' off.json
ok "so none is slow by it" jq -e '[.commands[0].samples[].removed | select(. != null) |
	has("probe_ns")] | any | not' off.json
exits "duets need none" 0 etalon run -q -r 2 --order duet --json duet.json "$busy" "$busy"
ok "and have none" jq -e '[.commands[].samples[] | select(.arrangement == "duet") |
	.probe_before_ns == null] | length > 0 and all' duet.json

# Slow samples to order: an experiment that was interrupted behind its last run, with readings of a
# loop far slower than ours, so that those of this machine do not matter.
interrupted() # interrupted ID SLOW KEEP_ALL: the first SLOW of 20 samples are slow
{
	jq -n --arg id "$1" --argjson slow "$2" --argjson keep "$3" '
		{ etalon: 1, id: $id, label: $id, started: "2026-01-01T00:00:00Z", state: "interrupted",
		  protocol: "emp", metric: "pt", order: "random", seed: 1,
		  plan: { reference: 0, warmup: 0, runs: 20, until_ratio: 0, min_runs: 10, max_runs: 1000,
			probe: true, keep_all: $keep, level: 0.95 },
		  child: {}, host: {},
		  commands: [ { name: "true", command: "true", argv: ["true"], samples: [ range(20) | {
			index: (. + 1), order: (. + 1), round: (. + 1), position: 0, arrangement: "solo",
			warmup: false, exit_code: 0, et_ns: 50000000, pt_ns: (49000000 + . % 3 * 100000),
			probe_before_ns: 20000000,
			probe_after_ns: (if . < $slow then 40000000 else 20000000 end) } ] } ] }' |
		etalon import -q - >/dev/null
}

interrupted some 6 false
exits "resumed: judged by the readings that were kept" 0 etalon run --resume=some --json some.json
ok "slow ones are removed, and say why" jq -e '[.commands[0].samples[].removed | select(. != null)] |
	length == 6 and all(.by == "machine-slow" and .probe_ns == 40000000 and .limit_ns == 22000000)' some.json
like "the summary counts them" "$out" '14 kept, 6 removed \(6 machine-slow\)'
like "shows the figure before" "$out" 'before .*of all 20'
like "and warns" "$(tr -s '\n ' ' ' <<<"$out")" 'slow in 6 of 20 runs, which were left out; --pace'
exits "show" 0 etalon show -v some
like "tells each" "$out" 'sample 1: the machine was slow, the probe took'
ok "the record that show prints has it, too" jq -e --slurpfile a some.json \
	'.commands[0].samples[0].removed == $a[0].commands[0].samples[0].removed' <(etalon show --json some)

interrupted most 12 false
exits "most of them slow" 0 etalon run --resume=most --json most.json
ok "is the rule: none is removed, they are marked" jq -e '.commands[0] |
	([.samples[] | select(.removed != null)] | length == 0) and
	([.samples[] | select(.marks | index("machine-slow"))] | length == 12)' most.json
like "which is said" "$(tr -s '\n ' ' ' <<<"$out")" \
	'slow in 12 of 20 runs .* too many to leave them out.*--pace corrects'

interrupted all 6 true
exits "--keep-all" 0 etalon run --resume=all --json all.json
ok "marks only" jq -e '.commands[0] | ([.samples[] | select(.removed != null)] | length == 0) and
	([.samples[] | select(.marks | index("machine-slow"))] | length == 6)' all.json

# --- the reference loop ---

# The reference loop is a fork of etalon, so it has etalon's command line and its label.
exits "--pace" 0 etalon run -r 8 --pace --label "paced-$$" --json pace.json "$busy"
is "--pace: no reference loop outlives the run" "$(pgrep -fc "label paced-$$")" 0
ok "all are paced, the loop ran beside them" jq -e '.plan.pace and ([.commands[0].samples[] |
	select(.warmup | not) | .arrangement == "paced" and .pace_loops > 0 and .pace_ns > 0 and
	.et_ns > .pt_ns] | length == 8 and all)' pace.json
like "the figure at full speed, or why there is none" "$out" 'at full speed '
like "elapsed time is said to be shared" "$(tr -s '\n ' ' ' <<<"$out")" "elapsed time is not the program's own"
ok "result.paced" jq -e '.commands[0].result.paced | .n <= 8 and has("coefficient") and
	(if .why_not then .mean_ns == null else .interval_ns[0] < .mean_ns and .mean_ns < .interval_ns[1] end)' pace.json
ok "beside the plain figure" jq -e '.commands[0].result.pt.n == 8' pace.json
ok "no probe is taken then" jq -e '[.commands[0].samples[] | select(.warmup | not) |
	.probe_before_ns == null] | all' pace.json
ok "a run without has none" jq -e '.commands[0].result.paced == null' on.json
ok "show says the same" jq -e --slurpfile a pace.json '.commands[0].result.paced == $a[0].commands[0].result.paced' \
	<(etalon show --json last)
exits "fewer than a line needs" 0 etalon run -q -r 5 --pace true
like "says so" "$(tr -s '\n ' ' ' <<<"$out")" 'at full speed not known: too few samples'
exits "several" 0 etalon run -q -r 3 --pace --order random --metronome 1ms --json two.json "$busy" "$busy"
ok "are compared by blocks of paced runs" jq -e '.comparisons[0].paired | .pairs == 3 and .arrangement == "block"' two.json
exits "with a pair" 0 etalon run -q -r 2 --pace --json auto.json "$busy" "$busy"
ok "the verdict is the duets'" jq -e '[.commands[1].samples[] | select(.warmup | not).arrangement] |
	sort == ["duet", "duet", "paced", "paced"]' auto.json

refuses "--pace in a duet" 2 "each program is the other's reference" etalon run --pace --order duet true true
refuses "--pace and K-best" 2 'needs solo runs' etalon run --pace --protocol kbest true
refuses "--pace and elapsed time" 2 'cannot judge elapsed time' etalon run --pace --metric et true
refuses "--pace and a real-time program" 2 'never run' etalon run --pace --sched fifo:5 true
refuses "--pace with --resume" 2 'takes no other' etalon run --resume --pace

# Killed in the middle: the loop goes, too, and --resume goes on paced.
label=killed-$$
etalon run -q --label $label -r 4 --pace "sleep 0.4$$" >/dev/null 2>&1 &
pid=$!
wait_for_samples $label 1
# etalon and its loop have the same command line.
wait_until '[ "$(pgrep -fc "label $label")" -eq 2 ]'
kill -KILL $pid
wait $pid 2>/dev/null
ok "no loop outlives us" wait_until '! pgrep -f "label $label"'
exits "--resume" 0 etalon run -q --resume=$label --json killed.json
ok "goes on with the loop" jq -e '[.commands[0].samples[] | select(.warmup | not).arrangement] |
	length == 4 and all(. == "paced")' killed.json
done_testing
