#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run --protocol kbest and auto: when they stop, what they say, how they go on, bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'K-best' 0 etalon run --protocol kbest -k 2 --epsilon 0.9 --label agree --json agree.json true
like 'its answer is the fastest' "$out" 'CPU time .*the fastest of [0-9]+ runs: 2 are within'
ok 'the record has it, as sorting finds it' python3 - <<'PY'
import json
d = json.load(open("agree.json"))
assert d["protocol"] == "kbest" and d["chosen"] is None
assert d["plan"]["k"] == 2 and d["plan"]["epsilon"] == 0.9 and d["plan"]["max_runs"] == 100
r = d["commands"][0]["result"]["kbest"]
x = sorted(s["pt_ns"] for s in d["commands"][0]["samples"] if not s["warmup"])
assert r["n"] == len(x) <= 100 and r["best_ns"] == x[0], (r, x)
assert abs(r["spread"] - (x[1] - x[0]) / x[0]) < 1e-12
assert r["converged"] == (r["spread"] <= 0.9)
PY
exits 'it is shown again' 0 etalon show agree
like 'the same' "$out" 'the fastest of'
exits 'a table of it' 0 etalon export --format markdown agree
like 'says what its time is' "$out" '\| CPU time by K-best \['

exits 'what cannot agree' 0 etalon run --protocol kbest -k 3 --epsilon 1e-9 -M 5 --json not.json true
like 'is said' "$out" 'not converged: the 3 fastest of 5 runs are .* apart'
ok 'and recorded' jq -e '.commands[0].result.kbest | .converged == false and .n == 5' not.json
exits 'by elapsed time' 0 etalon run --protocol kbest --metric et -k 1 true
like 'K of 1 is always there' "$out" 'elapsed time +.*the fastest of 1 runs: 1 are within 0 %'
exits 'several commands' 0 etalon run --protocol kbest -M 4 --epsilon 90% true 'sh -c :' 'echo'
like 'are still compared' "$out" 'comparison by CPU time'
like 'with the same figures' "$out" $'\n  true +[0-9.]+ [µm]s +reference'

exits 'auto, short' 0 etalon run --protocol auto -w 0 -M 4 --json auto.json true
like 'takes K-best and says so' "$out" 'protocol +kbest, chosen: .* ms in the warm-up'
ok 'in the record, too' jq -e '.protocol == "auto" and .chosen.protocol == "kbest" and
	.chosen.expected_s < 0.01 and (.commands[0].samples[0].warmup)' auto.json
exits 'auto, long' 0 etalon run --protocol auto -r 3 --metric et --json long.json 'sleep 0.02'
like 'takes emp' "$out" 'protocol +emp, chosen'
ok 'with its runs' jq -e '.chosen.protocol == "emp" and .commands[0].result.kbest == null and
	.commands[0].result.n == 3' long.json
exits 'a record of it is read again' 0 etalon import --copy --label again auto.json
ok 'and is the same' jq -e --slurpfile a auto.json '.chosen == $a[0].chosen and
	.commands[0].result.kbest == $a[0].commands[0].result.kbest' \
	<(etalon export --format json again)

# Killed, it goes on to the end of its plan.
etalon run --protocol kbest -k 3 --epsilon 1e-9 -M 12 --label killed 'sleep 0.05' >/dev/null 2>&1 &
pid=$!
wait_for_samples killed 3
kill -9 $pid
wait $pid 2>/dev/null
exits 'resumed' 0 etalon run --resume=killed --json resumed.json
ok 'with K, epsilon and M as they were' jq -e '.plan.k == 3 and .plan.epsilon == 1e-9 and
	(.commands[0].result.kbest | .n == 12 or .converged)' resumed.json

refuses 'K of 0' 2 '--best: 0 is not between 1 and 64' etalon run --protocol kbest -k 0 true
refuses 'a negative K' 2 '--best' etalon run --protocol kbest -k -1 true
refuses 'too large a K' 2 '65 is not between 1 and 64' etalon run --protocol kbest -k 65 true
refuses 'a negative epsilon' 2 '--epsilon' etalon run --protocol kbest --epsilon=-0.1 true
refuses 'an epsilon of 0' 2 '--epsilon' etalon run --protocol kbest --epsilon 0 true
refuses 'M below K' 2 '--best 5 is above --max-runs 4' etalon run --protocol kbest -k 5 -M 4 true
refuses 'M below the usual K' 2 'above --max-runs 2' etalon run --protocol kbest -M 2 true
refuses 'K-best options without it' 2 'need --protocol kbest' etalon run -k 3 true
refuses 'a fixed number of runs' 2 'so --runs has no effect' etalon run --protocol kbest -r 5 true
refuses 'an uncertainty of the mean' 2 'so --until has no effect' etalon run --protocol kbest --until 1% true
refuses 'duets only' 2 'needs solo runs' etalon run --protocol kbest --order duet true true
refuses 'auto one after the other' 2 'needs the first runs of all commands' etalon run --protocol auto --order sequential true true
refuses 'an unknown protocol' 2 "unknown value 'best'" etalon run --protocol best true

done_testing
