#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The decision of a gate is recorded: in the JSON record, and wherever a stored experiment is shown again.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

short='etalon put inc --seconds 0.01' long='etalon put inc --seconds 0.03'

# agrees AREA FILE: words, exit status and record of a gate with one comparison are of the same decision
agrees()
{
	is "$1: the record has the exit status" "$(jq .gate.status "$2")" "$status"
	is "$1: the record has the words" "$(jq -r '.gate.comparisons[0].verdict' "$2")" "$(sed -n 's/^etalon: //p' <<<"$err")"
}

run etalon run -q --fail-on-regression=20 --label slow --json slow.json --export-markdown slow.md --report slow.html \
	--export-json hyperfine.json -n old -n new "$short" "$long"
is 'gate: a slower program fails' "$status" 5
agrees 'gate, regression' slow.json
is 'gate: the record has limit, outcome and both programs' \
	"$(jq -c '.gate | [.limit, .outcome, .comparisons[0].outcome, .comparisons[0].a, .comparisons[0].b]' slow.json)" \
	'[0.2,"regression","regression","old","new"]'
ok 'gate: the record has ratio, pairs and an e-value above 20' \
	jq -e '.gate.comparisons[0] | .ratio.lo > 1.2 and .ratio.hi > .ratio.estimate and .pairs >= 10 and .e_value > 20' slow.json
is 'gate: the plan has the limit' "$(jq -c '.plan | [.gate, .regression_ratio, .undecided]' slow.json)" '[true,0.2,0]'
like 'gate: the table for documents begins with the decision' "$(head -n 1 slow.md)" '^- REGRESSION: `new` is .* slower than `old` '
like 'gate: the page has it' "$(cat slow.html)" '<p>Gate: REGRESSION: new is '
is "gate: hyperfine's record is as it was" "$(jq -c 'keys' hyperfine.json)" '["results"]'
words=$(jq -r '.gate.comparisons[0].verdict' slow.json)
exits 'gate: show exits with 0' 0 etalon show slow
like 'gate: show prints the decision' "$out" "gate: ${words//[()]/.}"
is 'gate: show --json has the same decision' "$(etalon show --json slow | jq -c .gate)" "$(jq -c .gate slow.json)"
is 'gate: export has it, too' "$(etalon export slow | jq -c .gate)" "$(jq -c .gate slow.json)"
etalon export --format markdown -o again.md slow
is 'gate: the table of export is that of run' "$(cat again.md)" "$(cat slow.md)"
exits 'gate: report writes the page' 0 etalon report -o again.html slow
like 'gate: the page of report has it' "$(cat again.html)" '<p>Gate: REGRESSION: new is '
exits 'gate: the record is imported elsewhere' 0 etalon import --store other.db --copy --label copy slow.json
is 'gate: the imported record has the decision' "$(etalon show --store other.db --json copy | jq -c .gate)" "$(jq -c .gate slow.json)"

run etalon run -q --fail-on-regression=900 --json pass.json "$short" "$long"
is 'gate: a limit that is not reached passes' "$status" 0
agrees 'gate, pass' pass.json
is 'gate: the outcome is pass' "$(jq -r .gate.outcome pass.json)" pass
run etalon run -q -r 2 --fail-on-regression=1 --undecided=125 --json open.json true true
is 'gate: two runs decide nothing' "$status" 125
agrees 'gate, undecided' open.json
is 'gate: the outcome is undecided, without an e-value' \
	"$(jq -c '.gate | [.outcome, .comparisons[0].e_value]' open.json)" '["undecided",null]'
run etalon run -q --fail-on-regression=20 --json three.json "$short" "$short" "$long"
is 'gate: one of two programs is slower' "$status" 5
is 'gate: each of several programs has its outcome' \
	"$(jq -c '.gate | [.outcome, (.comparisons | length), .comparisons[1].outcome]' three.json)" '["regression",2,"regression"]'
ok 'gate: the intervals of several hold together' jq -e '[.gate.comparisons[].ratio.level > 0.974] | all' three.json
run etalon run -q --protocol kbest --fail-on-regression=20 --json best.json "$short" "$long"
is 'gate: the fastest runs of K-best are judged, too' "$status" 5
agrees 'gate, K-best' best.json
exits 'gate: an experiment without one' 0 etalon run -q -r 2 --json none.json true true
is 'gate: its record says so' "$(jq -c '[.gate, .plan.gate]' none.json)" '[null,false]'
unlike 'gate: its text says nothing' "$(etalon show)" 'gate:'

# A full disk is an error, and the decision is printed nevertheless.
exits 'gate: a full disk is reported' 4 etalon run -q -r 2 --fail-on-regression=900 --json /dev/full true "$short"
like 'gate: the error names the file' "$err" '/dev/full'
like 'gate: a full disk does not hide the decision' "$err" 'etalon: (undecided|no regression|REGRESSION): '

# Interrupted, it keeps its limit, unless another one is given.
for label in kept anew; do
	etalon run -q --label $label --fail-on-regression=0.01 --undecided=7 -M 14 "$short" "$short" >/dev/null 2>&1 &
	pid=$!
	wait_for_samples $label 8
	kill -TERM $pid
	wait $pid
	is "gate, $label: after SIGTERM the status is 143" $? 143
done
id=$(etalon list --json | jq -r '.[] | select(.label == "kept").id')
run etalon run -q --resume "$id" --json kept.json
is 'gate: a resumed experiment keeps its limit' "$(jq -c '.plan | [.regression_ratio, .undecided]' kept.json)" '[0.0001,7]'
agrees 'gate, resumed' kept.json
id=$(etalon list --json | jq -r '.[] | select(.label == "anew").id')
run etalon run -q --resume "$id" --fail-on-regression=900 --json anew.json
is 'gate: another limit decides' "$(jq -c '[.gate.limit, .gate.outcome]' anew.json)" '[9,"pass"]'
agrees 'gate, another limit' anew.json
is 'gate: the new limit is stored' "$(etalon show --json "$id" | jq -c .gate)" "$(jq -c .gate anew.json)"
done_testing
