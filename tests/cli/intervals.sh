#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How the interval of a mean is printed where ± would reach below the fastest run, and what --until says about rare slow
# runs. The records are imported, so that their times are known.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# record ID UNTIL_RATIO TIME_MS...: the record of a program with these elapsed times
record()
{
	python3 - "$@" <<'PY'
import json, sys
ident, until, times = sys.argv[1], float(sys.argv[2]), [float(x) for x in sys.argv[3:]]
samples = [{"index": i + 1, "order": i + 1, "round": i + 1, "arrangement": "solo", "warmup": False, "exit_code": 0,
            "et_ns": round(x * 1e6), "pt_ns": round(x * 1e6)} for i, x in enumerate(times)]
print(json.dumps({"etalon": 1, "id": "20261114-120000-%s" % ident, "started": "2026-11-14T12:00:00Z", "protocol": "raw",
    "metric": "et", "order": "sequential", "seed": 1,
    "plan": {"order": "sequential", "seed": 1, "until_ratio": until, "min_runs": 30, "max_runs": 1000, "level": 0.95},
    "commands": [{"name": "program", "command": "program", "argv": ["program"], "samples": samples}]}))
PY
}

# --- the interval: ten runs, of which one took five times as long
skewed='109 112 110 115 120 111 118 113 130 535'
# shellcheck disable=SC2086
record aaaaaa 0 $skewed >skewed.json
etalon import skewed.json >/dev/null
exits 'skewed: show succeeds' 0 etalon show last
# Mean 157.3; Student's half width 95.04 and the effect of a skewness of 3.14 give 173.4, computed with Python.
like 'skewed: the table has the interval instead of ±, from the fastest run on' "$out" 'program +160 ms \(110 … 330\) '
etalon export last >out.json
is 'skewed: JSON has the interval that is printed' \
	"$(jq -c '.commands[0].result.et | [.interval_ns[0], (.interval_ns[1] / 1e5 | round), .min_ns]' out.json)" '[109000000,3307,109000000]'
is 'skewed: JSON has the larger half as the expanded uncertainty' \
	"$(jq '.commands[0].result.et | (.interval_ns[1] - .mean_ns) / .expanded_uncertainty_ns - 1 | fabs < 1e-9' out.json)" true
like 'skewed: show -v has the interval once' "$(etalon show -v last)" 'elapsed time +160 ms, 95 % interval 110 … 330 ms'
like 'skewed: Markdown has the interval' "$(etalon export --format markdown last)" '160 \(110 … 330\)'
etalon report -o page.html last
ok 'skewed: the page has the interval' grep -q '160 ms (110 … 330) (95 %)' page.html
# shellcheck disable=SC2086
printf '%s\n' $skewed >skewed.txt
like 'skewed: describe has the interval' "$(etalon describe skewed.txt)" 'mean +160 \(110 … 330\) \(Student t widened for skewness'
# Three slow runs of twenty: a milder skewness. Mean 33.2, Student's t widened 48; a time below 0 is no time.
slow='2 2.1 2.2 2 210 2.1 2.2 2 2.1 2.2 213 2 2.1 2.2 2 2.1 2.2 208 2 2.1'
# shellcheck disable=SC2086
record aaaaac 0 $slow >slow.json
etalon import slow.json >/dev/null
like 'slow runs: the interval begins at the fastest run' "$(etalon show last)" 'program +33 ms \(2 … [0-9]+\) '
record aaaaab 0 109 112 110 115 120 111 118 113 130 114 >even.json
etalon import even.json >/dev/null
like 'even: the table has ±' "$(etalon show last)" 'program +115\.2 ms ± [0-9.]+ '

# --- what --until cannot see
note='of one in [0-9]+ with a probability of'
times() { python3 -c 'import sys; n, last = int(sys.argv[1]), sys.argv[2]; print(*["%.2f" % (100 + (i * 7 % 11) / 10) for i in range(n - 1)], last)' "$@"; }
# shellcheck disable=SC2046
record bbbbbb 0.05 $(times 34 100.5) >until.json
etalon import until.json >/dev/null
# (1 - 1/33)^34 = 0.351
like '--until: 34 runs may have missed a slow case, and a line says so' "$(etalon show last | tr -s ' \n' ' ')" \
	'34 runs miss a slow case of one in 33 with a probability of 35 %; take more: --min-runs 98'
is '--until: the record has the code' "$(etalon export last | jq -c '[.commands[0].result.warnings[].code]')" '["rare-case-unseen"]'
# shellcheck disable=SC2317 # ok calls it
unlike() { ! grep -qE "$1" <<<"$2"; }
# shellcheck disable=SC2046
record bbbbbc 0.05 $(times 98 100.5) >until.json
etalon import until.json >/dev/null
ok '--until: 98 runs would have shown such a case in 95 %, so there is no line' unlike "$note" "$(etalon show last)"
# shellcheck disable=SC2046
record bbbbbd 0.05 $(times 34 140) >until.json
etalon import until.json >/dev/null
ok '--until: there is no line about a case that was seen' unlike "$note" "$(etalon show last)"
# shellcheck disable=SC2046
record bbbbbe 0 $(times 34 100.5) >until.json
etalon import until.json >/dev/null
ok 'without --until there is no line' unlike "$note" "$(etalon show last)"
# shellcheck disable=SC2046
record bbbbbf 0.000001 $(times 34 100.5) >until.json
etalon import until.json >/dev/null
ok '--until: there is no line if the goal was not reached' unlike "$note" "$(etalon show last)"

done_testing
