#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon run --protocol kbest` and `auto`: when they stop, results, --resume, bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'kbest: it succeeds' 0 etalon run --protocol kbest -k 2 --epsilon 0.9 --label agree --json agree.json true
like 'kbest: the answer is the fastest run' "$out" 'fastest CPU time +2 within'
ok 'kbest: the record has the K fastest as sorting finds them' python3 - <<'PY'
import json
d = json.load(open("agree.json"))
assert d["protocol"] == "kbest" and d["chosen"] is None
assert d["plan"]["k"] == 2 and d["plan"]["epsilon"] == 0.9 and d["plan"]["max_runs"] == 100
r = d["commands"][0]["result"]["kbest"]
# Interrupts that the CPU time contains are subtracted, where the kernel's records tell them.
def less(s):
    met = s.get("irq_in_cpu_ns")
    return s["pt_ns"] - (met if met is not None and met <= s["pt_ns"] else 0)
x = sorted(less(s) for s in d["commands"][0]["samples"] if not s["warmup"])
assert r["n"] == len(x) <= 100 and r["best_ns"] == x[0], (r, x)
assert abs(r["spread"] - (x[1] - x[0]) / x[0]) < 1e-12
assert r["converged"] == (r["spread"] <= 0.9)
PY
exits 'kbest: show succeeds' 0 etalon show agree
like 'kbest: show prints the fastest run' "$out" 'fastest CPU time +2 within'
exits 'kbest: export --format markdown succeeds' 0 etalon export --format markdown agree
like 'kbest: the table of export names the method' "$out" '\| CPU time by K-best \['

exits 'kbest: runs that cannot agree succeed' 0 etalon run --protocol kbest -k 3 --epsilon 1e-9 -M 5 --json not.json true
like 'kbest: the text says that the runs did not agree' "$out" 'the 3 fastest of 5 runs are .* apart'
ok 'kbest: the record says that the runs did not agree' jq -e '.commands[0].result.kbest | .converged == false and .n == 5' not.json
exits 'kbest: --metric et with K = 1 succeeds' 0 etalon run -v --protocol kbest --metric et -k 1 true
like 'kbest: K = 1 always agrees' "$out" 'elapsed time +.*the fastest of 1 run'$'\n'
exits 'kbest: three commands succeed' 0 etalon run --protocol kbest -M 4 --epsilon 90% true 'sh -c :' 'echo'
like 'kbest: three commands are compared' "$out" 'no difference shown|slower|faster|against|differs from'
like 'kbest: the table shows the time of the reference' "$out" $'\n\\[1\\]  true +[0-9.]+ [µm]s'

exits 'auto: a short program succeeds' 0 etalon run -v --protocol auto -w 0 -M 4 --json auto.json true
like 'auto: one line has the choice and the reason' "$out" 'used protocol (kbest|cause), the .*, because .*[0-9.]+ ms'
# A busy machine disturbs the warm-up run, and a slow one needs more than 0.8 ticks for it.
ok 'auto: a short, undisturbed program gets kbest, any other cause' jq -e '.protocol == "auto" and
	(.commands[0].samples[0] | .warmup and
		(.wait_ns <= 0.05 * .et_ns and .et_ns <= 0.8 * $t)) as $short |
	(.chosen.protocol == "kbest") == $short and .chosen.undisturbed >= 0' --argjson t \
	"$(jq .host.tick_ns auto.json)" auto.json
exits 'auto: a long program succeeds' 0 etalon run --protocol auto -r 3 --metric et --json long.json 'sleep 0.02'
like 'auto: a long program gets cause and the text says so' "$out" 'used protocol cause, the mean( of CPU times)?, because '
ok 'auto: a long program gets cause with its runs' jq -e '.chosen.protocol == "cause" and .commands[0].result.kbest == null and
	.commands[0].result.n == 3' long.json
exits 'auto: its record is imported' 0 etalon import --copy --label again auto.json
ok 'auto: an imported record gives the same result' jq -e --slurpfile a auto.json '.chosen == $a[0].chosen and
	.commands[0].result.kbest == $a[0].commands[0].result.kbest' \
	<(etalon export --format json again)

# A killed run continues to the end of its plan.
etalon run --protocol kbest -k 3 --epsilon 1e-9 -M 12 --label killed 'sleep 0.05' >/dev/null 2>&1 &
pid=$!
wait_for_samples killed 3
kill -9 $pid
wait $pid 2>/dev/null
exits 'kbest: a killed run is resumed' 0 etalon run --resume=killed --json resumed.json
ok 'kbest: --resume keeps K, epsilon and --max-runs' jq -e '.plan.k == 3 and .plan.epsilon == 1e-9 and
	(.commands[0].result.kbest | .n == 12 or .converged)' resumed.json

refuses 'kbest: -k 0 is rejected' 2 '--best: 0 is not between 1 and 64' etalon run --protocol kbest -k 0 true
refuses 'kbest: -k -1 is rejected' 2 '--best' etalon run --protocol kbest -k -1 true
refuses 'kbest: -k 65 is rejected' 2 '65 is not between 1 and 64' etalon run --protocol kbest -k 65 true
refuses 'kbest: --epsilon=-0.1 is rejected' 2 '--epsilon' etalon run --protocol kbest --epsilon=-0.1 true
refuses 'kbest: --epsilon 0 is rejected' 2 '--epsilon' etalon run --protocol kbest --epsilon 0 true
refuses 'kbest: -k above --max-runs is rejected' 2 '--best 5 is above --max-runs 4' etalon run --protocol kbest -k 5 -M 4 true
refuses 'kbest: --max-runs below the default K is rejected' 2 'above --max-runs 2' etalon run --protocol kbest -M 2 true
refuses 'kbest: -k without --protocol kbest is rejected' 2 'need --protocol kbest' etalon run -k 3 true
refuses 'kbest: --runs is rejected' 2 'so --runs has no effect' etalon run --protocol kbest -r 5 true
refuses 'kbest: --until is rejected' 2 'so --until has no effect' etalon run --protocol kbest --until 1% true
refuses 'kbest: --order duet is rejected' 2 'needs solo runs' etalon run --protocol kbest --order duet true true
refuses 'auto: --order sequential is rejected' 2 'needs the first runs of all commands' etalon run --protocol auto --order sequential true true
refuses 'run: an unknown protocol is rejected' 2 "unknown value 'best'" etalon run --protocol best true

done_testing
