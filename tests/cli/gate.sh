#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --fail-on-regression against a stored experiment: across time, and with --baseline.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for label in base next; do
	exits "gate: $label is measured" 0 etalon run -q -r 6 --label "$label" 'etalon put inc --seconds 0.005'
done
exits 'compare: two experiments are compared' 0 etalon compare --json pairs.json base next
is 'compare: a warning says that they were measured at different times' \
	"$(jq -r '[.pairs[0].warnings[].code | select(. == "measured-apart")] | length' pairs.json)" 1
refuses 'gate: experiments of different times are rejected' 2 'different times' etalon compare --fail-on-regression base next
like 'gate: the hint for equal commands says that the old build is another one' "$err" \
	"by etalon run OLD 'etalon put inc --seconds 0.005', where OLD is the old build, or use --across-time"
exits 'gate: another command is measured' 0 etalon run -q -r 6 --label 'other one' --shell sh 'etalon put inc --seconds 0.006 | cat'
refuses 'gate: another command of another time is rejected' 2 'different times' etalon compare --fail-on-regression base 'other one'
like 'gate: the hint names --baseline with the command, and --across-time' "$err" 'by etalon run --baseline base .*, or use --across-time'
line=$(sed -n 's/^hint: measure both at once by \(.*\), or use --across-time$/\1/p' <<<"$err")
exits 'gate: the command of the hint runs' 0 bash -c "$line -q -r 2"
refuses 'gate: the same with a label of two words is rejected' 2 'different times' etalon compare --fail-on-regression 'other one' base
line=$(sed -n 's/^hint: measure both at once by \(.*\), or use --across-time$/\1/p' <<<"$err")
exits 'gate: the command of the hint runs with a label of two words' 0 bash -c "$line -q -r 2"
exits 'gate: --across-time accepts them' 0 etalon compare --fail-on-regression=900 --across-time base next
like 'gate: --across-time states the decision' "$err" '^etalon: (no regression|undecided): '

exits 'baseline: a slower program fails beside the stored one' 5 etalon run -q -r 10 --protocol raw --baseline base -n new --fail-on-regression=20 \
	--json new.json 'etalon put inc --seconds 0.02'
like 'baseline: the decision names both programs' "$err" \
	'^etalon: REGRESSION: new is .* % slower than etalon put inc --seconds 0.005 \(base\) \(.*\), limit 20 %$'
is 'baseline: the stored command is the reference' "$(jq -r '.comparisons[0].a' new.json)" 'etalon put inc --seconds 0.005 (base)'
is 'baseline: the stored command runs as it was recorded' "$(jq -c '.commands[0].argv' new.json)" '["etalon","put","inc","--seconds","0.005"]'
exits 'baseline: an experiment of two commands is measured' 0 etalon run -q -r 7 --label two true 'sleep 0.001'
exits 'gate: commands of one experiment need no --across-time' 0 etalon compare --fail-on-regression=9000000 two
refuses 'gate: experiments of two commands at different times are rejected' 2 'different times' \
	etalon compare --fail-on-regression two base
like 'gate: the hint names a run of the two commands, not --baseline, which takes one' "$err" "by etalon run '?true'? .*, or use --across-time"
unlike 'gate: the hint of two commands does not name --baseline' "$err" 'run --baseline'
refuses 'baseline: an experiment of two commands is rejected' 2 'has 2 commands' etalon run --baseline two true
refuses 'baseline: an unknown label is rejected' 2 'no experiment' etalon run --baseline nowhere true
refuses 'baseline: --reference beside it is rejected' 2 '--baseline and --reference exclude each other' etalon run --baseline base --reference 1 true
refuses 'baseline: another --input is rejected' 2 'another --input' etalon run --baseline base --input /etc/passwd true
mkdir elsewhere
refuses 'baseline: another folder is rejected' 2 'another folder' bash -c 'cd elsewhere && etalon run --baseline base true'
etalon export -o base.json base
exits 'baseline: a record is imported' 0 etalon import --copy --label foreign base.json
exits 'baseline: an imported record is rejected' 2 etalon run --baseline foreign true
like 'baseline: the error says that the record was imported' "$err" 'was imported: its commands are not run'
exits 'baseline: --trust-record needs the id, not a label, which a newer record can take' 2 etalon run -q -r 2 --baseline foreign --trust-record true
foreign=$(etalon list --json | jq -r '.[] | select(.label == "foreign").id')
exits 'baseline: --trust-record accepts it' 0 etalon run -q -r 2 --baseline "$foreign" --trust-record true
exits 'baseline: it is asked for once' 0 etalon run -q -r 2 --baseline foreign true
done_testing
